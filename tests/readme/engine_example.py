"""The example of engine/README.md: it compiles against the headers, the library and the pkg-config file as they are installed, and
prints what the README says, which is the closed form: a ball of radius 1/2 at x = 3 and a cube of edge 2 turned by 45 degrees about z."""
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build")
SANITIZE = {"asan": ["-fsanitize=address,undefined"], "tsan": ["-fsanitize=thread"]}.get(os.environ.get("CONTACTD_SANITIZER", ""), [])
FAILURES = []


def check(fact, *shown):
    if not fact:
        FAILURES.append(" ".join(str(s) for s in shown))


def install(prefix):
    """What `make install` does for the library."""
    for folder in ("include/contact", "lib/pkgconfig"):
        (prefix / folder).mkdir(parents=True)
    for header in (ROOT / "engine/include/contact").glob("*.h"):
        (prefix / "include/contact" / header.name).write_bytes(header.read_bytes())
    (prefix / "lib/libcontact.a").write_bytes((BUILD / "libcontact.a").read_bytes())
    text = (ROOT / "engine/contact.pc.in").read_text().replace("@PREFIX@", str(prefix)).replace("@VERSION@", "0.1.0")
    (prefix / "lib/pkgconfig/contact.pc").write_text(text)


def flags(prefix):
    """The pkg-config file read as pkg-config reads it, which need not be installed."""
    values, found = {}, {}
    for line in (prefix / "lib/pkgconfig/contact.pc").read_text().splitlines():
        line = re.sub(r"\$\{(\w+)\}", lambda m: values[m.group(1)], line)
        if match := re.match(r"(\w+)=(.*)", line):
            values[match.group(1)] = match.group(2)
        elif match := re.match(r"(\w+): (.*)", line):
            found[match.group(1)] = match.group(2)
    check(set(found) >= {"Name", "Description", "Version", "Cflags", "Libs"}, "contact.pc lacks a field:", found)
    return found["Cflags"].split() + found["Libs"].split()


def main():
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder) / "usr"
        install(prefix)
        program = pathlib.Path(folder) / "clearance"
        source = ROOT / "engine/example/clearance.c"
        run = subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *SANITIZE, str(source),
                              *flags(prefix), "-o", str(program)], capture_output=True, text=True)
        check(run.returncode == 0, "the example does not compile:", run.stderr)
        if run.returncode == 0:
            output = subprocess.run([str(program)], capture_output=True, text=True).stdout
            readme = (ROOT / "engine/README.md").read_text()
            check(output and output in readme, "engine/README.md does not show this output:", output)
            numbers = [float(n) for n in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", output)]
            truth = 3 - 0.5 - math.sqrt(2)
            check(len(numbers) == 6, "six numbers, not", numbers)
            check(all(abs(n - truth) < 1e-12 for n in numbers[:3]), "distance and bounds are not", truth, numbers[:3])
            check(abs(numbers[3] - math.sqrt(2)) < 1e-6 and abs(numbers[4]) < 1e-6, "the corner is not", math.sqrt(2), numbers[3:])
    for failure in FAILURES:
        print("FAILED", failure)
    print(f"{0 if FAILURES else 1} passed, {1 if FAILURES else 0} failed, 0 skipped")
    return bool(FAILURES)


sys.exit(main())
