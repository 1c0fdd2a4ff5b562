#!/usr/bin/python3
"""The lines of C files that changed since a revision have the layout of .clang-format.

    tests/house/format.py [revision]        judges them
    tests/house/format.py fix [revision]    lays them out

By default since the last commit that origin/main has in common with HEAD, or since HEAD where there is no origin/main. Older lines keep
their layout. A file that only moved has no changed lines. Prints each difference, then "N passed, N failed, N skipped", one count per file.
"""
import difflib
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATHS = ("*.c", "*.h", "*.cpp")


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)


def default_base():
    common = git("merge-base", "HEAD", "origin/main").stdout.strip()
    return common or "HEAD"


def changed_lines(base):
    """{path: [(first, last)]} of the lines that are not as in `base`."""
    diff = git("diff", "-U0", "-M", "--no-color", "--no-ext-diff", "--diff-filter=d", base, "--", *PATHS)
    if diff.returncode:
        raise SystemExit(diff.stderr)
    ranges, path = {}, None
    for line in diff.stdout.split("\n"):
        if line.startswith("+++ b/"):
            path = line[6:]
        hunk = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if hunk and hunk[2] != "0":
            first = int(hunk[1])
            ranges.setdefault(path, []).append((first, first + int(hunk[2] or 1) - 1))
    for path in git("ls-files", "-o", "--exclude-standard", "--", *PATHS).stdout.split():
        ranges[path] = [(1, (ROOT / path).read_text().count("\n") or 1)]
    return ranges


def laid_out(path, ranges):
    lines = [f"--lines={first}:{last}" for first, last in ranges]
    return subprocess.run(["clang-format", "--style=file", *lines, path], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def main():
    arguments = sys.argv[1:]
    is_fix = arguments[:1] == ["fix"]
    base = (arguments[is_fix:] or [default_base()])[0]
    passed = failed = 0
    for path, ranges in sorted(changed_lines(base).items()):
        text, wanted = (ROOT / path).read_text(), laid_out(path, ranges)
        if text == wanted:
            passed += 1
        elif is_fix:
            (ROOT / path).write_text(wanted)
            passed += 1
            print(f"laid out {path}")
        else:
            failed += 1
            print("\n".join(difflib.unified_diff(text.split("\n"), wanted.split("\n"), path, "clang-format", "", "", 0, "")))
            print(f"FAILED {path}: `make format` lays it out")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
