#!/usr/bin/python3
"""Every published check (T1.1 to T14.3: closed forms and figures with a number) is named by a test."""
import pathlib
import re
import sys

CHECKS = {"T1": 10, "T2": 3, "T3": 6, "T4": 10, "T5": 7, "T6": 5, "T7": 3, "T8": 7, "T9": 3, "T10": 9, "T11": 10, "T12": 5, "T13": 4, "T14": 3}

named = set()
for path in [*pathlib.Path("tests").glob("*/test_*.c"), *pathlib.Path("tests").glob("http/*.py")]:
    named.update(re.findall(r"\bT\d+\.\d+(?!\d)", path.read_text(encoding="utf-8")))
wanted = [f"{chapter}.{i}" for chapter, count in CHECKS.items() for i in range(1, count + 1)]
absent = [name for name in wanted if name not in named]
for name in absent:
    print(f"FAILED {name}: no test names it")
print(f"{len(wanted) - len(absent)} passed, {len(absent)} failed, 0 skipped")
sys.exit(bool(absent))
