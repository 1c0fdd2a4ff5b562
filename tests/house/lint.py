#!/usr/bin/python3
"""Limits: files under 700 lines, functions under 100, at most six parameters, no marks of unfinished work, public
headers that compile alone, no line over 132 columns, no clock in tests. Prints each violation, then "N passed, N
failed, N skipped"."""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from support.changed import changed_only  # noqa: E402

FILE_LINES, FUNCTION_LINES, PARAMETERS, COLUMNS = 700, 100, 6, 132
# Callbacks whose signature libmicrohttpd fixes.
FIXED_SIGNATURES = {"srv_http_handle", "on_request"}
ROOTS = ("engine", "api", "server", "tests", "docker")
MARKS = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
# Readings of a clock, whose values could be compared with a constant.
CLOCKS = re.compile(r"\btime\.(time|monotonic|perf_counter|process_time|thread_time|clock_gettime)(_ns)?\b|\bdatetime\b")
STRICT = ["-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wstrict-prototypes", "-Werror"]


def without_comments_and_strings(text):
    """Same length and line breaks; comments, strings and characters blanked."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", blank, text, flags=re.S)


def without_macros(text):
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: re.sub(r"[^\n]", " ", m.group(0)), text, flags=re.M)


def functions(text):
    """(name, parameter count, first line, last line) of every function defined at file scope."""
    depth, start, head_start = 0, 0, 0
    for mark in re.finditer("[{};]", text):
        i, c = mark.start(), mark.group()
        if c == "{":
            if depth == 0:
                start = i
            depth += 1
        elif c == "}":
            depth -= 1
            if depth == 0:
                head = text[head_start:start]
                match = re.search(r"(\w+)\s*\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)\s*$", head)
                if match and not re.search(r"=\s*$", head):
                    commas = re.sub(r"\([^()]*\)", "", re.sub(r"\([^()]*\)", "", match.group(2)))
                    count = 0 if commas.strip() in ("", "void") else commas.count(",") + 1
                    name_at = head_start + match.start(1)
                    yield match.group(1), count, text.count("\n", 0, name_at) + 1, text.count("\n", 0, i) + 1
                head_start = i + 1
        elif depth == 0:
            head_start = i + 1


def faults_of(path):
    text = path.read_text()
    lines = text.split("\n")
    if len(lines) > FILE_LINES + 1:
        yield f"{len(lines) - 1} lines, limit {FILE_LINES}"
    has_marks = MARKS.search(text)
    for number, line in enumerate(lines, 1):
        if has_marks and MARKS.search(line):
            yield f"line {number}: mark of unfinished work"
        if path.suffix in (".c", ".h") and len(line) > COLUMNS:
            yield f"line {number}: {len(line)} columns, limit {COLUMNS}"
    if path.suffix == ".py" and path.parts[0] == "tests" and path.parts[1] not in ("bench", "image", "support"):
        for number, line in enumerate(lines, 1):
            if CLOCKS.search(line):
                yield f"line {number}: reads a clock; a test measures time by support/stopwatch.py alone"
    if path.suffix not in (".c", ".h"):
        return
    code = without_macros(without_comments_and_strings(text))
    for name, count, first, last in functions(code):
        if last - first + 1 > FUNCTION_LINES:
            yield f"line {first}: {name} has {last - first + 1} lines, limit {FUNCTION_LINES}"
        if count > PARAMETERS and name not in FIXED_SIGNATURES and path.parts[:3] != ("engine", "include", "contact"):
            yield f"line {first}: {name} has {count} parameters, limit {PARAMETERS}"
    if re.search(r"\b(sprintf|strcpy|strcat|atoi|alloca|gets)\s*\(", code):
        yield "uses a function that checks nothing (sprintf, strcpy, strcat, atoi, alloca, gets)"


def header_faults(path):
    run = subprocess.run(["gcc", *STRICT, "-Iengine/include", "-Iapi/include", "-fsyntax-only", "-x", "c", "-include", str(path), "-"],
                         input="extern int header_alone;\n", capture_output=True, text=True)
    if run.returncode:
        yield "does not compile alone: " + run.stderr.strip().split("\n")[0]


def main():
    passed = failed = 0
    tracked = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *ROOTS], capture_output=True, text=True).stdout.split()
    paths = [pathlib.Path(p) for p in tracked if pathlib.Path(p).suffix in (".c", ".h", ".py", ".sh")]
    if not paths:
        print("FAILED there are no files\n0 passed, 1 failed, 0 skipped")
        return 1
    for path in changed_only(paths, "tests/house/lint.py"):
        faults = list(faults_of(path))
        if path.suffix == ".h" and "include" in path.parts:
            faults += list(header_faults(path))
        passed, failed = (passed, failed + 1) if faults else (passed + 1, failed)
        for fault in faults:
            print(f"FAILED {path}: {fault}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed != 0


sys.exit(main())
