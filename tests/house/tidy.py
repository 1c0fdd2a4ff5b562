#!/usr/bin/python3
"""clang-tidy with the checks of .clang-tidy on C files of engine, api and server; about 2 s of processor time a file.

    tests/house/tidy.py <build folder> [file]...

Without files: all of them. The build folder holds compile_commands.json. Prints what clang-tidy finds, then "N passed, N failed,
N skipped", one count per file.
"""
import concurrent.futures
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAYERS = ("engine/", "api/", "server/")


def findings(build, path):
    run = subprocess.run(["clang-tidy", "--quiet", "-p", build, path], cwd=ROOT, capture_output=True, text=True)
    return run.stdout.strip() if run.returncode else ""


def main():
    build, *paths = sys.argv[1:]
    if not paths:
        entries = json.loads(pathlib.Path(build, "compile_commands.json").read_text())
        paths = [entry["file"] for entry in entries if entry["file"].startswith(LAYERS)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path, found in zip(paths, pool.map(lambda path: findings(build, path), paths)):
            if found:
                failed += 1
                print(f"{found}\nFAILED {path}: clang-tidy")
    print(f"{len(paths) - failed} passed, {failed} failed, 0 skipped")
    return failed != 0 or not paths


sys.exit(main())
