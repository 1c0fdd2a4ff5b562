"""Reads the documents of the tree: Markdown files, their fenced blocks, headings and links."""
import collections
import pathlib
import re
import subprocess

from support.daemon import ROOT

FENCED = re.compile(r"^```(\w*)[ \t]*\n(.*?)^```[ \t]*$", re.M | re.S)
Block = collections.namedtuple("Block", "line language text follows_at_once")


def tracked(*patterns):
    """Matching files of the tree, including new files that are not committed yet."""
    run = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *patterns], cwd=ROOT,
                         capture_output=True, text=True, check=True)
    return [name for name in run.stdout.splitlines() if (ROOT / name).exists()]


def documents():
    """Paths of all Markdown files, from the top of the tree."""
    return sorted(pathlib.Path(name) for name in tracked("*.md"))


def blocks_of(path):
    """The fenced blocks of a document; follows_at_once: only blank lines since the block before."""
    text, blocks, end = (ROOT / path).read_text(), [], None
    for match in FENCED.finditer(text):
        at_once = end is not None and not text[end:match.start()].strip()
        blocks.append(Block(text.count("\n", 0, match.start()) + 2, match[1], match[2], at_once))
        end = match.end()
    return blocks


def prose_of(path):
    """The text of a document without its fenced blocks."""
    return FENCED.sub("", (ROOT / path).read_text())


def anchors_of(path):
    """Anchors of the headings of a document, as GitHub generates them."""
    anchors = collections.Counter()
    names = set()
    for heading in re.findall(r"^#{1,6}[ \t]+(.+?)[ \t]*$", prose_of(path), re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        name = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        names.add(f"{name}-{anchors[name]}" if anchors[name] else name)
        anchors[name] += 1
    return names


def links_of(path):
    """(target without anchor, anchor) of every link and picture that names a file of the tree."""
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", prose_of(path))):
        if not re.match(r"[a-z]+:", target):
            file, unused, anchor = target.partition("#")
            yield file, anchor
