#!/usr/bin/python3
"""clang-tidy with the checks of .clang-tidy on C files of engine, api and server; about 2 s of processor time a file.

    tests/house/tidy.py <build folder> <file>...
    tests/house/tidy.py <build folder> --since [revision]

The second form takes the files that changed since a revision, by default since the last commit that origin/main has in common with HEAD: the
60 with most changed lines if there are more. The build folder holds compile_commands.json. Prints what clang-tidy finds, then "N passed,
N failed, N skipped", one count per file.
"""
import concurrent.futures
import pathlib
import subprocess
import sys

from format import ROOT, changed_lines, default_base

MOST = 60
LAYERS = ("engine/", "api/", "server/")


def findings(build, path):
    run = subprocess.run(["clang-tidy", "--quiet", "-p", build, path], cwd=ROOT, capture_output=True, text=True)
    return run.stdout.strip() if run.returncode else ""


def changed_files(base):
    sizes = {path: sum(last - first + 1 for first, last in ranges) for path, ranges in changed_lines(base).items()
             if path.endswith(".c") and path.startswith(LAYERS) and "/example" not in path}
    files = sorted(sizes, key=lambda path: -sizes[path])
    if len(files) > MOST:
        print(f"{len(files)} files changed; the {MOST} with most changed lines are examined")
    return files[:MOST]


def main():
    build, *arguments = sys.argv[1:]
    if arguments[:1] == ["--since"]:
        arguments = changed_files((arguments[1:] or [default_base()])[0])
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path, found in zip(arguments, pool.map(lambda path: findings(build, path), arguments)):
            if found:
                failed += 1
                print(f"{found}\nFAILED {path}: clang-tidy")
    print(f"{len(arguments) - failed} passed, {failed} failed, 0 skipped")
    return failed != 0


sys.exit(main())
