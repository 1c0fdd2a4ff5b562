#!/usr/bin/python3
"""The sizes of the folders of engine, api and server, and the cycles of files inside them.

    tests/house/structure.py [build folder]         judges them
    tests/house/structure.py [build folder] list    also prints all cycles within a layer, across folders

A file uses another if its object needs a symbol that the other's object defines. The files of a cycle use each other, directly or through
others, so that none can be understood alone. Judged, one count each: source files per folder, files in the largest cycle per folder, .c
files of the engine. The last line is "N passed, N failed, N skipped".
"""
import collections
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build")
LAYERS = ("engine", "api", "server")
FOLDER_FILES, CYCLE_FILES, ENGINE_FILES = 30, 5, 220
# One header per query, and contact.h, which includes all.
PUBLIC_HEADERS = {"engine/include/contact": 31}


def source_folders():
    """{folder: number of .c and .h files}."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *LAYERS],
                            cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    paths = [pathlib.PurePath(path) for path in listed if path.endswith((".c", ".h")) and (ROOT / path).is_file()]
    return collections.Counter(str(path.parent) for path in paths)


def uses(layer):
    """{file: files whose symbols it needs}, without suffixes, of one layer."""
    objects = [path for path in sorted((ROOT / BUILD / layer).rglob("*.o"))
               if (ROOT / path.relative_to(ROOT / BUILD)).with_suffix(".c").exists()]
    definer, needs = {}, collections.defaultdict(set)
    listing = subprocess.run(["nm", "-A", "-g", *map(str, objects)], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        path, symbol = line.split(":", 1)
        kind, name = symbol.split()[-2:]
        file = str(pathlib.Path(path).relative_to(ROOT / BUILD).with_suffix(""))
        if kind == "U":
            needs[file].add(name)
        else:
            definer[name] = file
            needs[file] |= set()
    return {file: {definer[name] for name in names if name in definer} - {file} for file, names in needs.items()}


def cycles(graph):
    """The strongly connected components of two files and more (Tarjan 1972), the largest first."""
    number, low, stack, found = {}, {}, [], []

    def visit(file):
        number[file] = low[file] = len(number)
        stack.append(file)
        for other in sorted(graph[file]):
            if other not in number:
                visit(other)
            if other in stack:
                low[file] = min(low[file], low[other])
        if low[file] == number[file]:
            at = stack.index(file)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for file in graph:
        if file not in number:
            visit(file)
    return sorted(found, key=len, reverse=True)


def within_folders(graph):
    """{folder: the part of the graph inside it}."""
    parts = collections.defaultdict(dict)
    for file, others in graph.items():
        folder = file.rpartition("/")[0]
        parts[folder][file] = {other for other in others if other.rpartition("/")[0] == folder}
    return parts


def faults():
    """A text for each fault, None for each passed check."""
    for folder, count in sorted(source_folders().items()):
        limit = PUBLIC_HEADERS.get(folder, FOLDER_FILES)
        yield f"{folder} holds {count} source files, limit {limit}" if count > limit else None
    for layer in LAYERS:
        graph = uses(layer)
        if not graph:
            yield f"{layer}: no objects in {BUILD}"
        if layer == "engine":
            count = sum(not file.startswith("engine/example/") for file in graph)
            print(f"{count} .c files in engine")
            yield f"engine has {count} .c files, limit {ENGINE_FILES}" if count > ENGINE_FILES else None
        if "list" in sys.argv[2:]:
            for cycle in cycles(graph):
                print(f"{len(cycle)} files use each other: {' '.join(cycle)}")
        for folder, part in sorted(within_folders(graph).items()):
            large = [cycle for cycle in cycles(part) if len(cycle) > CYCLE_FILES]
            yield f"{folder} has a cycle of {len(large[0])} files, limit {CYCLE_FILES}: {' '.join(large[0])}" if large else None


def main():
    sys.setrecursionlimit(10000)
    results = list(faults())
    for fault in filter(None, results):
        print(f"FAILED {fault}")
    failed = sum(fault is not None for fault in results)
    print(f"{len(results) - failed} passed, {failed} failed, 0 skipped")
    return failed != 0


sys.exit(main())
