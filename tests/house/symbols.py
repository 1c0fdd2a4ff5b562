#!/usr/bin/python3
"""The functions that the public headers declare, those of engine/libcontact.map and those that libcontact.so.0 exports are the same.

    tests/house/symbols.py [BUILD]     compares them
    tests/house/symbols.py --write     writes the headers' functions into the map, under the version that the map has

The library is not built with sanitizers; then its headers and the map are compared alone. Prints what differs, then
"N passed, N failed, N skipped", one count per function and one per property of the library.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAP = ROOT / "engine/libcontact.map"


def declared():
    """Functions with external linkage that the headers declare."""
    headers = sorted((ROOT / "engine/include/contact").glob("*.h"))
    source = "".join(f"#include <contact/{header.name}>\n" for header in headers)
    text = subprocess.run(["gcc", "-std=c17", "-E", "-P", f"-I{ROOT}/engine/include", "-x", "c", "-"], input=source,
                          capture_output=True, text=True, check=True).stdout
    text = re.sub(r"^#.*", "", text, flags=re.M)
    while re.search(r"\{[^{}]*\}", text):
        text = re.sub(r"\{[^{}]*\}", ";", text)
    found = set()
    for statement in text.split(";"):
        name = re.match(r"(?!static\b|typedef\b)[\w\s*]*?\b(ct_\w+)\s*\(", statement.strip())
        if name:
            found.add(name[1])
    return found


def mapped():
    """(version, names) of the map."""
    text = re.sub(r"/\*.*?\*/", "", MAP.read_text(), flags=re.S)
    return re.match(r"\s*(\w+(?:\.\w+)*)", text)[1], re.findall(r"^\s*(ct_\w+);", text, re.M)


def exported(library):
    """(name, version) of each symbol that the library defines for others."""
    lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout.splitlines()
    for line in lines:
        kind, symbol = line.split()[-2:]
        name, _, version = symbol.partition("@@")
        if kind != "A":  # the version itself
            yield name, version


def write():
    text = MAP.read_text()
    names = "".join(f"    {name};\n" for name in sorted(declared()))
    MAP.write_text(re.sub(r"(\n  global:\n)(?:    ct_\w+;\n)*", lambda match: match[1] + names, text))


def differences(library):
    """(what is compared, what is wrong with it or None)"""
    wanted = declared()
    version, names = mapped()
    yield "the map's order", None if names == sorted(set(names)) else "not sorted, or a name stands twice"
    for name in sorted(wanted | set(names)):
        yield name, None if name in wanted and name in names else \
            "declared by a header, not in the map: tests/house/symbols.py --write" if name in wanted else "in the map, declared by no header"
    if not library.exists():
        return
    found = dict(exported(library))
    for name in sorted(wanted | set(found)):
        yield name, "not exported" if name not in found else "exported, and no header declares it" if name not in wanted else \
            None if found[name] == version else f"exported with the version {found[name] or 'none'}, not {version}"
    dynamic = subprocess.run(["readelf", "-dW", library], capture_output=True, text=True, check=True).stdout
    yield "soname", None if f"soname: [{library.name}]" in dynamic else "is not the file's name"
    needed = set(re.findall(r"NEEDED.*\[(\w+)", dynamic))
    yield "needed libraries", None if needed <= {"libc", "libm"} else f"{sorted(needed)}, beyond libc and libm"
    yield "text", None if "TEXTREL" not in dynamic else "has relocations"


def main():
    if "--write" in sys.argv[1:]:
        write()
        return 0
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build")
    failed = passed = 0
    for what, fault in differences(build / "libcontact.so.0"):
        failed, passed = failed + (fault is not None), passed + (fault is None)
        if fault:
            print(f"FAILED {what}: {fault}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed != 0 or passed == 0


sys.exit(main())
