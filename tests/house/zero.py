#!/usr/bin/python3
"""Do the lists of tests/unit/test_zero_options.c and test_zero_shapes.c name every struct of the engine's public headers once, and no other?

A struct that a public function takes, by value or by a pointer to const, is an input: it needs a test of its zeros, and stands in no list
of results. So is one that a struct of options holds as such, not behind a pointer, unless it is listed in PARTS with the reason.
Every struct of options has a function that returns its defaults; tests/unit/test_options_default.c compares the two.

Prints what is missing or left over, then "N passed, N failed, N skipped", one count per struct.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTS = ("tests/unit/test_zero_options.c", "tests/unit/test_zero_shapes.c")
LISTS = " and ".join(TESTS)

# A result within an input: the reason why its zeros need no test of their own.
PARTS = {
    "ct_surface": "the surface of ct_contact, which zero_mechanics_are_safe_or_refused gives zeroed",
    "ct_feature": "likewise",
    "ct_acceleration": "of ct_motion, which the queries' test gives zeroed",
    "ct_zero_crossing": "of ct_contact_monitor, which functions fill",
    "ct_element_form": "of ct_elements_view: the form of no element",
}


def inputs(text):
    """Structs that functions of the headers take by value or by a pointer to const."""
    found = set()
    for parameters in re.findall(r"\bct_\w+\(([^;{}()]*)\)\s*[;{]", text):
        for parameter in parameters.split(","):
            match = re.match(r"(const )?(ct_\w+) (\*?)\w", parameter.strip())
            if match and (match[1] or not match[3]):
                found.add(match[2])
    return found


def parts(text, taken):
    """Structs that a struct of `taken` contains as members."""
    found = set()
    for name, members in re.findall(r"^typedef struct (ct_\w+) \{(.*?)^\} \1;", text, re.S | re.M):
        if name in taken:
            found |= set(re.findall(r"^\s*(ct_\w+) \w+[\w\[\], ]*;", members, re.M))
    return found


def rows():
    """(struct, fact or "NULL") of the rows of both lists, repetitions included."""
    for test in TESTS:
        table = re.search(r"^static const zero_row rows\[\] = \{$(.*?)^\};$", (ROOT / test).read_text(), re.S | re.M)[1]
        for names, fact in re.findall(r'\{((?:"[^"\n]*"\s*)+),\s*(\w+)\}', table):
            for name in re.findall(r"\bct_\w+", names):
                yield name, fact


def main():
    public, text = set(), ""
    for header in sorted((ROOT / "engine/include/contact").glob("*.h")):
        public |= set(re.findall(r"^typedef struct (ct_\w+) \{", header.read_text(), re.M))
        text += re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
    count = collections.Counter(name for name, unused in rows())
    listed, results = set(count), {name for name, fact in rows() if fact == "NULL"}
    repeated = sorted(name for name in count if count[name] > 1)
    for name in repeated:
        print(f"{name} is listed {count[name]} times by {LISTS}")
    for name in sorted(public - listed):
        print(f"{name} is public, and {LISTS} do not list it")
    for name in sorted(listed - public):
        print(f"{name} is listed by {LISTS}, and no public struct")
    given = inputs(text) & public & results
    for name in sorted(given):
        print(f"{name} is an input of a public function, and {LISTS} list it as a result")
    held = (parts(text, listed - results) & results) - set(PARTS)
    for name in sorted(held):
        print(f"{name} is part of an input, and {LISTS} list it as a result")
    options = {name for name in public if name.endswith("_options")}
    without = {name for name in options if not re.search(rf"^{name} {name}_default\(void\);$", text, re.M)}
    for name in sorted(without):
        print(f"{name} has no {name}_default(), which returns what its zeros stand for")
    failed = len(repeated) + len(public ^ listed) + len(given) + len(held) + len(without)
    print(f"{len(public & listed) + len(options - without)} passed, {failed} failed, 0 skipped")
    return 1 if failed or not public else 0


sys.exit(main())
