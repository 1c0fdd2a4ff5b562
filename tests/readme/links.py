"""The documents against the tree: links and anchors resolve, the table of files is complete, the README is short and
lists every query kind and every shape."""
import json
import os
import re

from support.checks import Suite, check, equal
from support.daemon import ROOT
from support.text import anchors_of, documents, links_of, prose_of, tracked

README_LINES, README_BYTES = 300, 15 * 1024
TABLE_OF_FILES = ".github/CONTRIBUTING.md"

suite = Suite()


def links_resolve(path):
    for file, anchor in links_of(path):
        target = (ROOT / path.parent / file).resolve() if file else ROOT / path
        check(target.exists(), f"{file} is linked and not there")
        check(target.is_relative_to(ROOT), f"{file} leads out of the tree")
        if anchor:
            check(target.suffix == ".md", f"{file} has an anchor and no headings")
            check(anchor in anchors_of(target), f"{file} has no heading #{anchor}")


suite.table("links", ((str(path), lambda p=path: links_resolve(p)) for path in documents()))


@suite.fact
def links_are_found():
    counts = {str(path): len(list(links_of(path))) for path in documents()}
    check(counts["README.md"] >= 20, f"README.md has {counts['README.md']} links to files")
    check(sum(counts.values()) >= 60, f"all documents have {sum(counts.values())} links to files")


@suite.fact
def every_document_is_reached_from_the_readme():
    reached, waiting = set(), ["README.md"]
    while waiting:
        path = waiting.pop()
        if path in reached:
            continue
        reached.add(path)
        for file, unused in links_of(path):
            target = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            if (ROOT / target).is_dir():
                target = os.path.join(target, "README.md")
            if target.endswith(".md") and (ROOT / target).exists():
                waiting.append(target)
    unreached = sorted(str(path) for path in documents() if str(path) not in reached)
    equal(unreached, [], "documents that no link leads to")


@suite.fact
def the_readme_is_short():
    text = (ROOT / "README.md").read_bytes()
    lines = text.count(b"\n")
    check(lines <= README_LINES, f"README.md has {lines} lines, at most {README_LINES}")
    check(len(text) <= README_BYTES, f"README.md has {len(text)} bytes, at most {README_BYTES}")


def first_column(text):
    """Words in backquotes in the first column of all tables."""
    cells = re.findall(r"^\|([^|]*)\|", text, re.M)
    return {word for cell in cells for word in re.findall(r"`([^`]+)`", cell)}


@suite.fact
def the_readme_lists_every_query_kind_and_every_shape():
    document = json.loads((ROOT / "api/openapi.json").read_text())
    paths = "\n".join(document["paths"])
    kinds = set(re.findall(r"^/v1/scenes/\{s\}/query/(\w+)$", paths, re.M))
    shapes = set(document["components"]["schemas"]["NewShape"]["properties"])
    check(len(kinds) >= 17, f"the OpenAPI document has {len(kinds)} query kinds")
    check(len(shapes) >= 12, f"the OpenAPI document has {len(shapes)} shapes")
    listed = first_column(prose_of("README.md"))
    equal(sorted(kinds - listed), [], "query kinds that README.md does not list")
    equal(sorted(shapes - listed), [], "shapes that README.md does not list")


@suite.fact
def the_guide_mentions_every_route():
    document = json.loads((ROOT / "api/openapi.json").read_text())
    guide = "".join((ROOT / p).read_text() for p in documents())
    names = {"s": "scene", "b": "body", "c": "state"}
    absent = []
    for path in document["paths"]:
        written = re.sub(r"\{(\w+)\}", lambda m: "{" + names.get(m[1], m[1]) + "}", path)
        generic = re.sub(r"/query/\w+$", "/query/{kind}", written)
        if written not in guide and generic not in guide:
            absent.append(written)
    equal(absent, [], "routes that no document mentions")


@suite.fact
def the_table_of_files_is_that_of_the_tree():
    rows = re.findall(r"^\|\s*`([^`]+)`\s*\|", prose_of(TABLE_OF_FILES), re.M)
    names = [row for row in rows if re.fullmatch(r"[\w.][\w./-]*", row)]
    paths = [n for n in names if n.endswith("/") or "." in n or (ROOT / n).exists()]
    check(len(paths) >= 10, f"only {len(paths)} paths are in the table")
    for path in paths:
        there = (ROOT / path).is_dir() if path.endswith("/") else (ROOT / path).exists()
        check(there, f"{path} is in the table and not in the tree")
    files = tracked()
    check(files, "git lists no files")
    missing = [f for f in files if "/" in f and not f.startswith(".")
               and not any(f == p or f.startswith(p.rstrip("/") + "/") for p in paths)]
    equal(missing, [], "files that no row of the table covers")
    folders = {os.path.dirname(f) + "/" for f in files if re.fullmatch(r"engine/\w+/\w+\.c", f)}
    equal(sorted(folders - set(paths)), [], "folders of the engine that have no row")


suite.main()
