#!/usr/bin/python3
"""Retired names and phrases stay away, static functions have names of their own, standard terms are in use.

    tests/house/language.py            judges the tree
    tests/house/language.py lower      writes counts that have fallen into the three lists

Each line of retired.txt is a count, a kind and a text. The text may occur at most so often; at count 0 it is retired for good.

    name      an identifier, in C files
    file      the stem of a C file in engine, api or server
    word      a word in comments of C files and in Markdown, outside of code spans
    phrase    a part of a sentence in any text file, in any layout

statics.txt lists the names of static functions that two or more C files of engine, api and server share, and the number of files. No other
name may be shared, and none by more files.

Each line of terms.txt is "used" or "missing", a folder and a term of the field in the spelling of the field. A used term must occur in the
folder's C files, in a comment or as a part of an identifier.

Prose figures are printed beside those of other projects, and judge nothing: pronouns per 100 words of C comments, words per sentence of
C comments, assert() per 1,000 lines.
"""
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RETIRED, TERMS, STATICS = (ROOT / "tests/house" / name for name in ("retired.txt", "terms.txt", "statics.txt"))
LAYERS = ("engine/", "api/", "server/")
TEXT = (".c", ".h", ".cpp", ".md", ".py", ".sh", ".json", ".js", ".yaml", ".conf", ".cfg", ".in", "Makefile", "Dockerfile")
OWN = ("tests/house/retired.txt", "tests/house/terms.txt", "tests/house/statics.txt")
PRONOUNS = set("that it one what those such they them this these which who whose its their".split())
# The same figures of the C sources and headers of these projects, licence heads left out, in November 2026. MuJoCo has functions for errors.
OTHERS = (("box3d", "3.1", "8.3", "17.9"), ("MuJoCo", "1.5", "6.3", "0.2"), ("libuv", "3.6", "9.6", "7.2"))

tracked = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
texts = {path: (ROOT / path).read_text(errors="replace") for path in tracked if path.endswith(TEXT) and path not in OWN and (ROOT / path).is_file()}
code = {path: text for path, text in texts.items() if path.endswith((".c", ".h"))}
of_layers = {path: text for path, text in code.items() if path.startswith(LAYERS)}


def comments(text):
    """The prose of the C comments, without stars and line breaks."""
    return [re.sub(r"\s*\n[ \t]*\*?[ \t]*", " ", comment.strip("/* \n"))
            for comment in re.findall(r"/\*.*?\*/|(?:^[ \t]*//[^\n]*\n)+|//[^\n]*", text, re.S | re.M)]


def flat(text):
    """The text in lower case as one line, without the marks that begin the lines of comments."""
    return re.sub(r"\s*\n\s*(?:\*|//|#|>)?\s*", " ", text).lower()


def static_names():
    """Names of static functions that stand in two or more files."""
    files_of = collections.defaultdict(set)
    for path, text in of_layers.items():
        if "/example" in path:
            continue
        bare = re.sub(r"__attribute__\(\(.*?\)\)", "", text)
        for name in re.findall(r"^static\b[^;={}()]*?\b(\w+)\(", bare, re.M):
            files_of[name].add(path)
    return {name: sorted(files) for name, files in files_of.items() if len(files) > 1}


class Occurrences:
    def __init__(self):
        retired = {text for unused, unused, kind, text in entries(RETIRED) if kind == "name"}
        pattern = re.compile(r"\b(?:" + "|".join(sorted({name.split("_")[0] for name in retired})) + r")\w*")
        self.names = {path: collections.Counter(filter(retired.__contains__, pattern.findall(text))) for path, text in code.items()}
        self.prose = {path: comments(text) for path, text in code.items()}
        of_prose = {path: " ".join(lines) for path, lines in self.prose.items()}
        of_prose |= {path: re.sub(r"`[^`\n]*`", "", text) for path, text in texts.items() if path.endswith(".md")}
        self.words = {path: collections.Counter(re.findall(r"[a-z]+", text.lower())) for path, text in of_prose.items()}
        self.flat = {path: flat(text) for path, text in texts.items()}
        self.statics = static_names()

    def of(self, kind, text):
        """{file: number} of an entry of retired.txt."""
        if kind == "name":
            return {path: counter[text] for path, counter in self.names.items() if text in counter}
        if kind == "word":
            return {path: counter[text] for path, counter in self.words.items() if counter[text]}
        if kind == "file":
            return {path: 1 for path in of_layers if pathlib.PurePath(path).stem == text}
        if kind == "phrase":
            wanted = flat(text).strip()
            return {path: content.count(wanted) for path, content in self.flat.items() if wanted in content}
        raise SystemExit(f"{RETIRED.name}: no kind {kind!r}")


def entries(path):
    for line in path.read_text().split("\n"):
        if line and not line.startswith("#"):
            first, kind, text = line.split(None, 2)
            yield line, first, kind, text


def retired_faults(found):
    for unused, limit, kind, text in entries(RETIRED):
        files = found.of(kind, text)
        if sum(files.values()) > int(limit):
            yield f"{kind} {text!r} occurs {sum(files.values())} times, at most {limit}: {'; '.join(sorted(files)[:6])}"
        else:
            yield None


def static_faults(found):
    limits = dict(line.split() for line in STATICS.read_text().split("\n") if line and not line.startswith("#"))
    for name, files in found.statics.items():
        if len(files) > int(limits.get(name, 1)):
            yield f"static function {name} stands in {len(files)} files, at most {limits.get(name, 1)}: {', '.join(files)}"
        else:
            yield None


def has_term(found, folder, term):
    pattern = re.compile(r"(?<![a-z])" + r"[ _-]".join(term.lower().split()) + r"(?:s|es|ed)?(?![a-z])")
    return any(pattern.search(found.flat[path]) for path in code if path.startswith(folder + "/"))


def term_faults(found):
    for unused, state, folder, term in entries(TERMS):
        if state == "used" and not has_term(found, folder, term):
            yield f"{folder} no longer uses the term {term!r}"
        else:
            yield None


def print_figures(found):
    prose = [comment for path, lines in found.prose.items() if path.startswith(LAYERS) for comment in lines]
    words = [word for comment in prose for word in re.findall(r"[a-z']+", comment.lower())]
    sentences = [n for n in (len(re.findall(r"[A-Za-z']+", part)) for comment in prose for part in re.split(r"[.!?:;](?:\s|$)", comment)) if n]
    lines = sum(text.count("\n") for text in of_layers.values())
    asserts = sum(len(re.findall(r"\bassert\(", text)) for text in of_layers.values())
    ours = ("contactd", f"{100 * sum(word in PRONOUNS for word in words) / len(words):.1f}", f"{sum(sentences) / len(sentences):.1f}",
            f"{1000 * asserts / lines:.1f}")
    print(f"{'':10} {'pronouns/100 words':>20} {'words/sentence':>16} {'asserts/1,000 lines':>20}")
    for row in (ours, *OTHERS):
        print(f"{row[0]:10} {row[1]:>20} {row[2]:>16} {row[3]:>20}")


def lower(found):
    """Rewrites the three lists: counts fall, terms that are in use from now on stay in use."""
    def lowered(line, limit, kind, text):
        count = sum(found.of(kind, text).values())
        return f"{min(count, int(limit))} {kind} {text}"

    def used(line, state, folder, term):
        return f"{'used' if state == 'used' or has_term(found, folder, term) else 'missing'} {folder} {term}"

    for path, change in ((RETIRED, lowered), (TERMS, used)):
        new = {entry[0]: change(*entry) for entry in entries(path)}
        path.write_text("\n".join(new.get(line, line) for line in path.read_text().split("\n")))
    head, *rows = STATICS.read_text().rstrip("\n").split("\n")
    counts = [(name, min(int(limit), len(found.statics[name]))) for name, limit in map(str.split, rows) if name in found.statics]
    STATICS.write_text("\n".join([head, *(f"{name} {count}" for name, count in counts)]) + "\n")


def main():
    found = Occurrences()
    if sys.argv[1:] == ["lower"]:
        lower(found)
    faults = [*retired_faults(found), *static_faults(found), *term_faults(found)]
    print_figures(found)
    for fault in filter(None, faults):
        print(f"FAILED {fault}")
    failed = sum(fault is not None for fault in faults)
    print(f"{len(faults) - failed} passed, {failed} failed, 0 skipped")
    return failed != 0 or not faults


sys.exit(main())
