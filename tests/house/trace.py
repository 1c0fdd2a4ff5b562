#!/usr/bin/python3
"""Traces the functions that the daemon enters between the bytes of one POST /v1/query/distance and its reply.

    tests/house/trace.py [--list] [--called] [REVISION]     as `make trace` (LIST=1, BASE=REVISION)

The daemon of the working tree, or of an earlier revision, is compiled with -finstrument-functions in a build folder of its own. After
one request to warm up, the trace of the next one begins where its bytes are received and ends where its reply is sent
(tests/support/entry_trace.c). Functions that the compiler inlines count as entered, except with --called. Each entry belongs to the .c file that defines the
function. Inline functions of headers and the utility files of UTILITIES are left out. Two figures are judged: the number of different
files entered, and the number of file changes, which are consecutive entries in different files. --list prints the trace, one line for
each stay in a file, and the files with their number of stays. The last line is "N passed, N failed, N skipped".
"""
import array
import bisect
import collections
import itertools
import mmap
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from support.checks import Failure  # noqa: E402
from support.daemon import Daemon  # noqa: E402
from support.raw import Raw  # noqa: E402
from support.revision import BUILD, build, commit_of, extract  # noqa: E402

FILES_LIMIT, CHANGES_LIMIT = 30, 90
# File names without suffix, in any folder, of what every step uses.
UTILITIES = {"buffer", "problem", "fields", "number", "arena", "text"}
FLAGS = "-finstrument-functions -w"
BODY = '{"a": {"box": {"size": [1, 1, 1]}}, "b": {"sphere": {"radius": 0.5}, "position": [0.875, 0, 0]}}'
REQUEST = f"POST /v1/query/distance HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(BODY)}\r\n\r\n{BODY}"
# As in entry_trace.c.
MARK_RECEIVED, MARK_SENT = 1, 2
HEADER = 16


def ask(connection):
    connection.send(REQUEST)
    reply = connection.reply("POST")
    if reply.status != 200 or b'"penetrating"' not in reply.body:
        raise Failure(f"the reply is {reply.status} {reply.text[:300]}")


def record(program, tracer):
    """(function, code that runs) of each entry in order, as addresses relative to the program's first byte."""
    with tempfile.NamedTemporaryFile() as file:
        with Daemon(program=program, env={**os.environ, "LD_PRELOAD": str(tracer), "ENTRY_TRACE": file.name}) as daemon:
            base = next(int(line.split("-")[0], 16) for line in pathlib.Path(f"/proc/{daemon.pid}/maps").read_text().splitlines()
                        if line.endswith(str(program)))
            with mmap.mmap(os.open(file.name, os.O_RDWR), 0) as trace, Raw(daemon.port) as connection:
                ask(connection)
                trace[0] = 1
                ask(connection)
                trace[0] = 0
                values = array.array("Q", trace[:])
    count, functions, codes = values[1], values[HEADER // 8::2].tolist(), values[HEADER // 8 + 1::2].tolist()
    if count > len(functions):
        raise Failure(f"{count} entries, and the tracer has space for {len(functions)}")
    first, last = functions.index(MARK_RECEIVED), max(i for i in range(count) if functions[i] == MARK_SENT)
    return [(functions[i] - base, codes[i] - base) for i in range(first, last) if functions[i] not in (MARK_RECEIVED, MARK_SENT)]


def resolve(program, tree, addresses):
    """Address to (source file relative to the tree, function)."""
    known = sorted(set(addresses))
    lines = subprocess.run(["addr2line", "-f", "-e", str(program)], input="".join(f"{address:#x}\n" for address in known),
                           capture_output=True, text=True, check=True).stdout.splitlines()
    places = {}
    for address, function, place in zip(known, lines[::2], lines[1::2]):
        path = re.sub(r":[\d?]+( \(discriminator \d+\))?$", "", place)
        # A compiler cache may have kept the absolute path of another tree.
        path = re.search(r"(?:^|/)((?:engine|api|server)/.*)", path.removeprefix(f"{tree}/"))[1]
        # The compiler's suffixes of copies: .part.0, .isra.0, .constprop.0.
        places[address] = (path, function.split(".")[0])
    return places


def functions_of_code(program, addresses):
    """Address to the name of the function whose code has it."""
    symbols = []
    for line in subprocess.run(["nm", "--defined-only", str(program)], capture_output=True, text=True, check=True).stdout.splitlines():
        address, kind, name = line.split()
        if kind in "tT":
            symbols.append((int(address, 16), name.split(".")[0]))
    symbols.sort()
    starts = [address for address, unused in symbols]
    return {address: symbols[bisect.bisect_right(starts, address) - 1][1] for address in addresses}


def stays(entries):
    """[file, functions] for each run of consecutive entries in one file."""
    found = []
    for path, function in entries:
        if not found or found[-1][0] != path:
            found.append((path, []))
        found[-1][1].append(function)
    return found


def print_trace(found):
    for path, functions in found:
        counts = [(name, sum(1 for _ in group)) for name, group in itertools.groupby(functions)]
        print(f"{path}: " + ", ".join(f"{name} x{count}" if count > 1 else name for name, count in counts))
    print("\nstays  file")
    for path, count in sorted(collections.Counter(path for path, unused in found).items(), key=lambda item: (-item[1], item[0])):
        print(f"{count:5}  {path}")


def main():
    arguments = [argument for argument in sys.argv[1:] if argument not in ("--list", "--called")]
    if len(arguments) > 1 or any(argument.startswith("-") for argument in arguments):
        print(__doc__)
        return 2
    tree = extract(commit_of(arguments[0]), BUILD / "trace") if arguments else ROOT
    folder = BUILD / "trace" / (tree.name + "-build" if arguments else "build")
    build(tree, folder, ["contactd"], FLAGS)
    build(ROOT, BUILD, ["tests/support/entry_trace.so"])
    program = folder / "contactd"
    recorded = record(program, BUILD / "tests/support/entry_trace.so")
    places = resolve(program, tree, [function for function, unused in recorded])
    owners = functions_of_code(program, {code for unused, code in recorded})
    entries = [(*places[function], owners[code]) for function, code in recorded]
    counted = [(path, function) for path, function, owner in entries
               if not path.endswith(".h") and pathlib.Path(path).stem not in UTILITIES and (owner == function or "--called" not in sys.argv)]
    found = stays(counted)
    if "--list" in sys.argv:
        print_trace(found)
    files, changes, failed = len({path for path, unused in counted}), len(found) - 1, 0
    print(f"{len(entries)} functions entered, {len(counted)} of them counted; {files} files, {changes} file changes")
    for what, value, limit in (("files", files, FILES_LIMIT), ("file changes", changes, CHANGES_LIMIT)):
        if value > limit:
            failed += 1
            print(f"FAILED {value} {what}, limit {limit}")
    print(f"{2 - failed} passed, {failed} failed, 0 skipped")
    return failed != 0


sys.exit(main())
