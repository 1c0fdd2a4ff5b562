#!/usr/bin/python3
"""Every C and C++ file has the layout of .clang-format.

    tests/house/format.py         judges all files, or those that CONTACTD_CHANGED lists; `make format-check`, `make check`
    tests/house/format.py fix     lays them out; `make format`

Prints the first differing line of each file, then "N passed, N failed, N skipped", one count per file.
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from support.changed import changed_only  # noqa: E402

PATTERNS = ("*.c", "*.h", "*.cpp")


def sources():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *PATTERNS],
                            cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    return [path for path in listed if path and (ROOT / path).is_file()]


def run(paths, *options):
    """One process for many files: starting clang-format takes longer than formatting a file."""
    return subprocess.run(["clang-format", "--style=file", *options, *paths], cwd=ROOT, capture_output=True, text=True)


def main():
    paths = sources()
    if sys.argv[1:] == ["fix"]:
        run(paths, "-i").check_returncode()
        print(f"{len(paths)} passed, 0 failed, 0 skipped")
        return 0
    if not paths:
        print("FAILED there are no files\n0 passed, 1 failed, 0 skipped")
        return 1
    paths = changed_only(paths, ".clang-format", "tests/house/format.py")
    halves = [half for half in (paths[::2], paths[1::2]) if half]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        output = "".join(done.stderr for done in pool.map(lambda half: run(half, "--dry-run", "-Werror"), halves))
    found = {}
    for path, line in re.findall(r"^(\S+?):(\d+):\d+: error:", output, re.M):
        found.setdefault(path, line)
    for path, line in sorted(found.items()):
        print(f"FAILED {path}:{line}: not as clang-format writes it; `make format` changes it")
    if "error:" in output and not found:
        print(output)
    failed = len(found) + ("error:" in output and not found)
    print(f"{len(paths) - failed} passed, {failed} failed, 0 skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
