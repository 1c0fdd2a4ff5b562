#!/usr/bin/python3
"""Every C and C++ file has the layout of .clang-format.

    tests/house/format.py         judges all files; `make format-check`
    tests/house/format.py fix     lays them out; `make format`

Prints the first differing line of a file, then "N passed, N failed, N skipped", one count per file.
"""
import concurrent.futures
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATTERNS = ("*.c", "*.h", "*.cpp")


def sources():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *PATTERNS],
                            cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    return [path for path in listed if path and (ROOT / path).is_file()]


def formatted(path):
    return subprocess.run(["clang-format", "--style=file", path], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def first_difference(text, wanted):
    pairs = zip(text.split("\n"), wanted.split("\n"))
    return next(((number, line) for number, (line, other) in enumerate(pairs, 1) if line != other), (1, ""))


def main():
    is_fix = sys.argv[1:] == ["fix"]
    passed = failed = 0
    paths = sources()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path, wanted in zip(paths, pool.map(formatted, paths)):
            text = (ROOT / path).read_text()
            if text == wanted:
                passed += 1
            elif is_fix:
                (ROOT / path).write_text(wanted)
                passed += 1
                print(f"formatted {path}")
            else:
                failed += 1
                number, line = first_difference(text, wanted)
                print(f"FAILED {path}:{number}: {line.strip()!r} is not as clang-format writes it; `make format` changes it")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed != 0 or not paths


if __name__ == "__main__":
    sys.exit(main())
