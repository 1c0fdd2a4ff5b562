"""The tests' own small harness for Python: a program is a list of named facts, each a function that raises Failure.

    suite = Suite()

    @suite.fact
    def a_fact_in_words(): equal(1 + 1, 2)

    suite.main()

Prints "FAILED name (file:line): why" per broken fact and "N passed, N failed, N skipped" as its last line. The first argument picks the
facts whose name contains it. Nothing is tried twice.
"""
import json
import os
import pathlib
import sys
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Failure(Exception):
    """A fact is broken."""


class Skip(Exception):
    """A fact cannot be tested here; the message gives the reason."""


def short(value, length=400):
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= length else text[:length] + f"... ({len(text)} characters)"


def place(failure):
    """The line of the program from which the failed check was called: "tests/http/x.py:12", followed
    by the line of support that made the check, if it was one."""
    frames = [frame for frame in traceback.extract_tb(failure.__traceback__) if frame.filename != __file__]
    of_program = [frame for frame in frames if "/support/" not in frame.filename] or frames
    if not of_program:
        return "tests"

    def text(frame):
        return f"{os.path.relpath(frame.filename, ROOT)}:{frame.lineno}"

    return text(of_program[-1]) + (f", by {text(frames[-1])}" if frames[-1] is not of_program[-1] else "")


def check(condition, why):
    if not condition:
        raise Failure(why)


def first_difference(actual, expected, pointer=""):
    """(JSON pointer, actual, expected) at the first place where two different values differ. An absent member is the text "nothing"."""
    if isinstance(actual, dict) and isinstance(expected, dict):
        keys = [*expected, *(key for key in actual if key not in expected)]
        pairs = [(key, actual.get(key, "nothing"), expected.get(key, "nothing"), (key in actual) != (key in expected)) for key in keys]
    elif isinstance(actual, list) and isinstance(expected, list):
        pairs = [(i, x, y, False) for i, (x, y) in enumerate(zip(actual, expected))]
        i = len(pairs)
        if len(actual) != len(expected):
            pairs.append((i, actual[i] if i < len(actual) else "nothing", expected[i] if i < len(expected) else "nothing", True))
    else:
        return pointer, actual, expected
    for key, x, y, is_absent in pairs:
        if is_absent or (x is not y and x != y):
            place_of_key = f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}"
            return (place_of_key, x, y) if is_absent else first_difference(x, y, place_of_key)
    return pointer, actual, expected


def equal(actual, expected, what="value"):
    if actual != expected:
        pointer, x, y = first_difference(actual, expected)
        where = f"; {pointer} is {short(x, 100)}, should be {short(y, 100)}" if pointer else ""
        raise Failure(f"{what} is {short(actual)}, should be {short(expected)}{where}")


def near(actual, expected, tolerance, what="value"):
    if not isinstance(actual, (int, float)) or not abs(actual - expected) <= tolerance:
        raise Failure(f"{what} is {actual!r}, should be {expected!r} within {tolerance!r}")


def near_list(actual, expected, tolerance, what="value"):
    if len(actual) != len(expected):
        raise Failure(f"{what} has {len(actual)} elements, should have {len(expected)}")
    for i, (x, y) in enumerate(zip(actual, expected)):
        near(x, y, tolerance, f"{what}[{i}]")


def holds(value, part, where=""):
    """Every member of `part` is in `value` with an equal value; objects are compared member by member."""
    for key, expected in part.items():
        path = f"{where}/{key}"
        if not isinstance(value, dict) or key not in value:
            raise Failure(f"{path} is missing in {short(json.dumps(value))}")
        if isinstance(expected, dict):
            holds(value[key], expected, path)
        else:
            equal(value[key], expected, path)


class Suite:
    def __init__(self):
        self.facts = []
        self.counts = {"passed": 0, "failed": 0, "skipped": 0}
        self.cleanups = []

    def fact(self, function):
        self.facts.append((function.__name__, function))
        return function

    def table(self, name, cases):
        """One fact per case: cases yields (case name, function without arguments)."""
        for case, function in cases:
            self.facts.append((f"{name}: {case}", function))

    def cleanup(self, function):
        self.cleanups.append(function)

    def run(self, name, function):
        try:
            function()
        except Skip as reason:
            self.counts["skipped"] += 1
            print(f"skipped {name}: {reason}")
        except Failure as why:
            self.counts["failed"] += 1
            print(f"FAILED {name} ({place(why)}): {why}")
        except Exception:  # a fault of the test or a dead daemon: counted, with its trace
            self.counts["failed"] += 1
            print(f"FAILED {name}: {traceback.format_exc()}")
        else:
            self.counts["passed"] += 1
        sys.stdout.flush()

    def add(self, passed=0, failed=0, skipped=0):
        self.counts["passed"] += passed
        self.counts["failed"] += failed
        self.counts["skipped"] += skipped

    def main(self):
        wanted = sys.argv[1] if len(sys.argv) > 1 else ""
        try:
            for name, function in self.facts:
                if wanted in name:
                    self.run(name, function)
        finally:
            for function in reversed(self.cleanups):
                try:
                    function()
                except Failure as why:
                    self.counts["failed"] += 1
                    print(f"FAILED at the end ({place(why)}): {why}")
        print("{passed} passed, {failed} failed, {skipped} skipped".format(**self.counts))
        sys.exit(1 if self.counts["failed"] or not any(self.counts.values()) else 0)
