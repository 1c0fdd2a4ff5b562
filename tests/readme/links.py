"""What the documents of the tree say about the tree: links and anchors that lead somewhere, a table of
files that is complete, a README that is short and names every query kind and every shape."""
import json
import os
import re

from support.checks import Suite, check, equal
from support.daemon import ROOT
from support.text import anchors_of, documents, links_of, prose_of, tracked

README_LINES, README_BYTES = 300, 15 * 1024
TABLE_OF_FILES = ".github/CONTRIBUTING.md"

suite = Suite()


def links_lead_somewhere(path):
    for file, anchor in links_of(path):
        target = (ROOT / path.parent / file).resolve() if file else ROOT / path
        check(target.exists(), f"{file} is linked and not there")
        check(target.is_relative_to(ROOT), f"{file} leads out of the tree")
        if anchor:
            check(target.suffix == ".md", f"{file} has an anchor and no headings")
            check(anchor in anchors_of(target), f"{file} has no heading #{anchor}")


suite.table("links", ((str(path), lambda p=path: links_lead_somewhere(p)) for path in documents()))


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
        folder = os.path.dirname(path)
        linked = (os.path.normpath(os.path.join(folder, file)) for file, unused in links_of(path) if file)
        waiting += [name for name in linked if name.endswith(".md")]
        waiting += [f"{name}/README.md" for name in map(lambda f: os.path.normpath(os.path.join(folder, f[0])), links_of(path))
                    if (ROOT / name / "README.md").exists()]
    equal(sorted(str(p) for p in documents() if str(p) not in reached), [], "documents that no link leads to")


@suite.fact
def the_readme_is_short():
    text = (ROOT / "README.md").read_bytes()
    check(text.count(b"\n") <= README_LINES, f"README.md has {text.count(10)} lines, at most {README_LINES}")
    check(len(text) <= README_BYTES, f"README.md has {len(text)} bytes, at most {README_BYTES}")


def first_column(text):
    """Words in backquotes in the first column of all tables."""
    cells = re.findall(r"^\|([^|]*)\|", text, re.M)
    return {word for cell in cells for word in re.findall(r"`([^`]+)`", cell)}


@suite.fact
def the_readme_lists_every_query_kind_and_every_shape():
    document = json.loads((ROOT / "api/openapi.json").read_text())
    kinds = {match[1] for match in map(re.compile(r"^/v1/scenes/\{s\}/query/(\w+)$").match, document["paths"]) if match}
    shapes = set(document["components"]["schemas"]["NewShape"]["properties"])
    check(len(kinds) >= 17 and len(shapes) >= 12, f"the OpenAPI document has {len(kinds)} kinds and {len(shapes)} shapes")
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
    paths = [r for r in rows if re.fullmatch(r"[\w.][\w./-]*", r) and (r.endswith("/") or "." in r or (ROOT / r).exists())]
    check(len(paths) >= 10, f"only {len(paths)} paths are in the table")
    for path in paths:
        there = (ROOT / path).is_dir() if path.endswith("/") else (ROOT / path).exists()
        check(there, f"{path} is in the table and not in the tree")
    files = tracked()
    check(files, "git lists no files")
    missing = [f for f in files if "/" in f and not f.startswith(".")
               and not any(f == p or f.startswith(p.rstrip("/") + "/") for p in paths)]
    equal(missing, [], "files that no row of the table covers")
    folders = sorted({os.path.dirname(f) + "/" for f in files if f.startswith("engine/") and f.count("/") == 2 and f.endswith(".c")})
    equal([f for f in folders if f not in paths], [], "folders of the engine that have no row")


suite.main()
