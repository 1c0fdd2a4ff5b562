#!/usr/bin/python3
"""Proves that the working tree and an earlier revision compile to the same machine code: renames and comments change no object.

    tests/house/same_code.py REVISION     as `make same-code BASE=REVISION`

Both trees are compiled by their own Makefile, with its flags and -DNDEBUG, without debug information, and with __FILE__ and __LINE__
defined as constants, so that neither paths nor line numbers reach the code. Objects are paired by path, else by git's rename
detection, else by equal code. A pair passes if the bytes of all .text sections and numeric constants (.rodata.cst*) are equal, and the
relocations of code and jump tables have the same offsets, types and addends, where each symbol of the earlier revision stands for
exactly one symbol of the working tree. Differences of other data (tables, the text of messages) are printed and do not fail. BUILD, CC
and OPT are those of the Makefile; objects stay in BUILD/same-code, and a second run compiles only changed files. The last line is
"N passed, N failed, N skipped".
"""
import hashlib
import os
import pathlib
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from support.revision import BUILD, commit_of, extract, git  # noqa: E402

LAYERS = ("engine", "api", "server")
FLAGS = "-DNDEBUG -g0 -w -D__LINE__=0 '-D__FILE__=\"\"'"
SHT_RELA, SHT_NOBITS, STT_SECTION = 4, 8, 3
LOCAL = 0


class Object:
    """Code and data of one ELF64 object."""

    def __init__(self, path):
        self.data = path.read_bytes()
        if self.data[:6] != b"\x7fELF\x02\x01":
            raise SystemExit(f"{path} is not a little-endian 64-bit ELF object")
        table, = struct.unpack_from("<Q", self.data, 0x28)
        size, count, names_at = struct.unpack_from("<HHH", self.data, 0x3A)
        self.headers = [struct.unpack_from("<IIQQQQIIQQ", self.data, table + i * size) for i in range(count)]
        self.names = [self.string(names_at, header[0]) for header in self.headers]
        self.code = self.sections((".text", ".rodata.cst"))
        self.code_relocations = self.relocations((".text", ".rodata"))
        self.other_data = self.sections((".rodata", ".data"))

    def string(self, section, offset):
        at = self.headers[section][4] + offset
        return self.data[at:self.data.index(b"\0", at)].decode()

    def contents(self, header):
        return b"" if header[1] == SHT_NOBITS else self.data[header[4]:header[4] + header[5]]

    def sections(self, prefixes):
        """(name, bytes) of the sections whose name starts with one of the prefixes."""
        return [(name, self.contents(header)) for name, header in zip(self.names, self.headers) if name.startswith(prefixes)]

    def symbol(self, table, index):
        """(name, is local); a section's symbol has the section's name."""
        header = self.headers[table]
        name, info, unused, section = struct.unpack_from("<IBBH", self.data, header[4] + index * 24)
        if info & 15 == STT_SECTION:
            return self.names[section], True
        return self.string(header[6], name), info >> 4 == LOCAL

    def relocations(self, prefixes):
        """(section, offset, type, addend, symbol, is local) in the sections whose name starts with one of the prefixes."""
        found = []
        for header in self.headers:
            if header[1] == SHT_RELA and self.names[header[7]].startswith(prefixes):
                for offset, info, addend in struct.iter_unpack("<QQq", self.contents(header)):
                    symbol, is_local = self.symbol(header[6], info >> 32)
                    # The offset of a message within its section depends on the other messages there.
                    if symbol.startswith(".rodata.str"):
                        symbol, addend = ".rodata.str", 0
                    found.append((self.names[header[7]], offset, info & 0xFFFFFFFF, addend, symbol, is_local))
        return found


def build_objects(tree, objects):
    """Compiles the layers of a tree by its own Makefile. Returns their objects by path without suffix."""
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS", "MAKELEVEL")}
    variables = [f"{name}={os.environ[name]}" for name in ("CC", "OPT") if os.environ.get(name)]
    environment = {name: value for name, value in environment.items() if name not in ("BASE", "BUILD", "CC", "OPT")}
    run = subprocess.run(["make", "-C", str(tree), "-j2", f"BUILD={objects}", f"EXTRA_CFLAGS={FLAGS}", *variables,
                          f"{objects}/contactd", f"{objects}/libcontact.a"],
                         env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if run.returncode:
        print(f"{run.stdout}FAILED {tree}: does not compile\n0 passed, 1 failed, 0 skipped")
        sys.exit(1)
    paths = {path.relative_to(objects).with_suffix("") for layer in LAYERS for path in (objects / layer).rglob("*.o")}
    return {str(path): Object(objects / path.with_suffix(".o")) for path in sorted(paths)
            if (tree / path.with_suffix(".c")).exists() or (objects / path.with_suffix(".c")).exists()}


def folder_of(label, tree):
    """A build folder of its own for each Makefile, compiler and flags, because make does not see that those changed."""
    compiler = subprocess.run([os.environ.get("CC") or "gcc", "--version"], capture_output=True, text=True, check=True).stdout
    text = (tree / "Makefile").read_text() + compiler + FLAGS + os.environ.get("OPT", "")
    return BUILD / "same-code" / f"{label}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def renames(revision):
    """Old path to new path, without suffixes, of the C files that git finds renamed."""
    found = {}
    for line in git("diff", "-M", "-l5000", "--name-status", "--diff-filter=R", revision, "--", *LAYERS).splitlines():
        unused, old, new = line.split("\t")
        if old.endswith(".c"):
            found[old[:-2]] = new[:-2]
    return found


def pairs_of(old, new, renamed):
    """(path in old or None, path in new or None)."""
    pairs = [(path, path) for path in old if path in new]
    pairs += [(path, renamed[path]) for path in old if path not in new and renamed.get(path) in new]
    left_old = [path for path in old if path not in {a for a, unused in pairs}]
    left_new = [path for path in new if path not in {b for unused, b in pairs}]
    for path in left_old:
        same = next((other for other in left_new if new[other].code == old[path].code), None)
        pairs.append((path, same))
        if same:
            left_new.remove(same)
    return sorted(pairs, key=lambda pair: pair[0]) + [(None, path) for path in left_new]


class Symbols:
    """The symbols of the earlier revision and of the working tree that stand for each other."""

    def __init__(self):
        self.new_of, self.old_of = {}, {}

    def fault(self, scope, old, new):
        """What contradicts that the two symbols are the same one; None if nothing does."""
        if old[5] != new[5]:
            return f"{old[4]} became {new[4]}, and is local in one of the trees only"
        a, b = (scope if old[5] else None, old[4]), (scope if new[5] else None, new[4])
        if self.new_of.setdefault(a, b) != b:
            return f"{old[4]} is {self.new_of[a][1]} elsewhere, and {new[4]} here"
        if self.old_of.setdefault(b, a) != a:
            return f"{new[4]} was {self.old_of[b][1]} elsewhere, and {old[4]} here"
        return None


def code_faults(path, old, new, symbols):
    if [name for name, unused in old.code] != [name for name, unused in new.code]:
        yield "has other sections of code"
        return
    for (name, a), (unused, b) in zip(old.code, new.code):
        if a != b:
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            yield f"{name} differs from byte {at} on ({len(a)} bytes, now {len(b)})"
            return
    if [r[:4] for r in old.code_relocations] != [r[:4] for r in new.code_relocations]:
        yield "equal .text with other relocations"
        return
    for a, b in zip(old.code_relocations, new.code_relocations):
        fault = symbols.fault(path, a, b)
        if fault:
            yield f"equal .text that refers to other symbols: {fault}"
            return


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    revision = commit_of(sys.argv[1])
    tree = extract(revision, BUILD / "same-code")
    old = build_objects(tree, folder_of(f"objects-{revision[:12]}", tree))
    new = build_objects(ROOT, folder_of("objects", ROOT))
    symbols, passed, failed, data = Symbols(), 0, 0, []
    for a, b in pairs_of(old, new, renames(revision)):
        if a is None or b is None:
            faults = [f"only in {'the working tree' if a is None else sys.argv[1]}"]
        else:
            faults = list(code_faults(b, old[a], new[b], symbols))
            if old[a].other_data != new[b].other_data:
                data.append(b)
        failed, passed = (failed + 1, passed) if faults else (failed, passed + 1)
        for fault in faults:
            print(f"FAILED {b or a}.o{f' (was {a}.o)' if a and b and a != b else ''}: {fault}")
    for path in data:
        print(f"data differ (not judged): {path}.o")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed != 0 or passed == 0


sys.exit(main())
