#!/usr/bin/python3
"""Does tests/unit/test_zero_options.c list every struct of the engine's public headers, and no other?

Prints what is missing or left over, then "N passed, N failed, N skipped", one count per struct.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEST = "tests/unit/test_zero_options.c"


def main():
    public = set()
    for header in sorted((ROOT / "engine/include/contact").glob("*.h")):
        public |= set(re.findall(r"^typedef struct (ct_\w+) \{", header.read_text(), re.M))
    lists = (ROOT / TEST).read_text().split("/* ---- the list ---- */")[1]
    listed = set(re.findall(r"\bct_\w+", " ".join(re.findall(r'"([^"\n]*)"', lists))))
    for name in sorted(public - listed):
        print(f"{name} is public, and {TEST} does not list it")
    for name in sorted(listed - public):
        print(f"{name} is listed by {TEST}, and no public struct")
    failed = len(public ^ listed)
    print(f"{len(public & listed)} passed, {failed} failed, 0 skipped")
    return 1 if failed or not public else 0


sys.exit(main())
