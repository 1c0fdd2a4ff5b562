#!/usr/bin/python3
"""Compares the speeds of the working tree with those of an earlier revision.

    tests/bench/compare.py [--rounds N] REVISION [SECTION ...]     as `make bench-compare BASE=REVISION [SECTIONS="engine rays"]`

Both trees are built as releases (an earlier revision without that target: by its default target). Then each round runs every section of
tests/bench/run in both trees, each tree with its own programs, first one and then the other, the first in turns. Of each row the
figures that are times or rates are compared; ratios, counts and peers are not. A row is reported as slower (or faster) if every round of
one tree is on the same side of every round of the other and the medians differ by more than DIFFERENCE_LEAST. Of equal trees a row
appears slower by chance once in 252 (5 rounds each); so a section with such a row runs as many rounds again, and all rounds count (once in
184,756). The last line is "N passed, N failed, N skipped": a row that is slower has failed. Sections by default: SECTIONS, those with the
engine and the daemon alone.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.dont_write_bytecode = True

from support.revision import ROOT, commit_of, extract  # noqa: E402

SECTIONS = ["engine", "rays", "friction", "content", "soft", "records", "bulk", "tiny", "crossings"]
# glibc keeps freed memory: else rows depend on whether the kernel has to provide it again.
KEPT_MEMORY = {"MALLOC_TRIM_THRESHOLD_": "4294967296", "MALLOC_MMAP_THRESHOLD_": "33554432"}
DIFFERENCE_LEAST = 0.02  # relative; smaller ones are within the resolution of the programs
NUMBER = re.compile(r"^-?\d+(\.\d+)?(e[+-]?\d+)?$")
RATES = re.compile(r"/s\b|a second|per second")
TIMES = re.compile(r"\b(ns|us|ms)\b")
UNCOMPARED = re.compile(r"ratio|pairs|residual|rounds|bytes|bare|triangles met|/livez")


def figures(text):
    """{(table, row, column): (value, higher is better)} of the tables that tests/bench/run prints."""
    found, title, head = {}, None, None
    for line in text.splitlines():
        if line and not line.startswith(" "):
            title, head = re.sub(r"[\d.,]+", "#", line), None
            continue
        cells = re.split(r"\s{2,}", line.strip())
        if not title or not line.strip():
            continue
        if head is None:
            head = cells
            continue
        # Rows have a name, the head has an empty first cell, which the split drops.
        for column, cell in zip(head, cells[1:]):
            unit = f"{title} {column}"
            if NUMBER.match(cell) and not UNCOMPARED.search(column) and (RATES.search(unit) or TIMES.search(unit)):
                found[title, cells[0], column] = float(cell), bool(RATES.search(column) or RATES.search(title))
    return found


def build_release(tree):
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS", "MAKELEVEL", "BUILD")}
    target = "release" if re.search(r"^release:", (tree / "Makefile").read_text(), re.M) else "build"
    subprocess.run(["make", "-C", str(tree), "-j2", target], env=environment, stdout=subprocess.DEVNULL, check=True)
    return tree / ("build/release" if target == "release" else "build")


def run(tree, build, section):
    done = subprocess.run([str(tree / "tests/bench/run"), section], cwd=tree,
                          env={**os.environ, **KEPT_MEMORY, "BUILD": str(build)}, capture_output=True, text=True)
    rows = figures(done.stdout)
    if not rows:
        raise SystemExit(f"{tree}: section {section} printed no figures:\n{done.stdout}{done.stderr}")
    return rows


def measure(trees, section, rounds, measured):
    """Adds the rows of these rounds to measured: {row: ([values of the base], [values of the head], higher is better)}."""
    for number in range(rounds):
        for which in (0, 1) if number % 2 == 0 else (1, 0):
            for row, (value, higher) in run(*trees[which], section).items():
                measured.setdefault(row, ([], [], higher))[which].append(value)


def judge(base, head, higher):
    """(cost of the head relative to the base, "SLOWER", "faster" or "")"""
    ratio = statistics.median(head) / statistics.median(base)
    cost = 1 / ratio if higher else ratio
    apart = max(base) < min(head) or max(head) < min(base)
    return cost, "" if not apart or abs(cost - 1) < DIFFERENCE_LEAST else "SLOWER" if cost > 1 else "faster"


def compare(trees, section, rounds):
    """Prints all rows of a section; (rows that are not slower, rows that are)."""
    measured = {}
    measure(trees, section, rounds, measured)
    if any(base and head and judge(base, head, higher)[1] == "SLOWER" for base, head, higher in measured.values()):
        measure(trees, section, rounds, measured)
    print(f"\n{section}")
    slower = compared = 0
    for row, (base, head, higher) in measured.items():
        if len(base) != len(head):
            continue
        cost, word = judge(base, head, higher)
        spread = f"{len(base)} rounds, {min(base):g}-{max(base):g} before, {min(head):g}-{max(head):g} now"
        print(f"  {' | '.join(row)}: {cost:.3f} of the cost ({spread}) {word}".rstrip())
        compared, slower = compared + 1, slower + (word == "SLOWER")
    sys.stdout.flush()
    return compared - slower, slower


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("revision")
    parser.add_argument("sections", nargs="*")
    options = parser.parse_args()
    base = extract(commit_of(options.revision), ROOT / "build/compare")
    trees = [(base, build_release(base)), (ROOT, build_release(ROOT))]
    passed = failed = 0
    for section in options.sections or SECTIONS:
        good, slower = compare(trees, section, options.rounds)
        passed, failed = passed + good, failed + slower
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(failed > 0)


main()
