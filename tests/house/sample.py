#!/usr/bin/python3
"""Draws comments and messages at random, for a reader who is new to the tree to restate.

    tests/house/sample.py SEED [comments] [messages]      60 and 30 by default

Comments are those of engine, api and server with at least six words, heads of files included. Messages are the texts of problems in api
and server (calls of api_fault_*, problems.def). Prints file, line and text, and under a comment the line of code that it belongs to, because
a comment is read beside its declaration; heads of files have none. Judges nothing.
"""
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMENT = re.compile(r"/\*.*?\*/|(?:^[ \t]*//[^\n]*\n)+", re.S | re.M)
FAULT = re.compile(r"api_fault_\w+\((?:[^;\"]|\"(?:\\.|[^\"\\])*\")*?;", re.S)
STRING = re.compile(r"\"((?:\\.|[^\"\\\n])*)\"")


def sources(*layers):
    listed = subprocess.run(["git", "ls-files", "--", *layers], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return [(path, (ROOT / path).read_text()) for path in listed if path.endswith((".c", ".h", ".def"))]


def declaration(text, match):
    """The code on the comment's own line, or else the first line of code after the comment."""
    before = text[text.rfind("\n", 0, match.start()) + 1:match.start()].strip()
    after = COMMENT.sub("", text[match.end():]).strip()
    line = before or after.split("\n", 1)[0].strip()
    return "" if line.startswith(("#include", "#ifndef", "#pragma")) else line


def comments():
    for path, text in sources("engine", "api", "server"):
        for match in COMMENT.finditer(text):
            words = " ".join(re.sub(r"^[ \t]*\*", "", match.group().strip("/* \n"), flags=re.M).split())
            if len(words.split()) >= 6:
                yield path, text.count("\n", 0, match.start()) + 1, words, (text, match)


def messages():
    for path, text in sources("api", "server"):
        for match in FAULT.finditer(text):
            words = "".join(STRING.findall(match.group()))
            if len(words.split()) >= 4:
                yield path, text.count("\n", 0, match.start()) + 1, words, None


def main():
    seed, numbers = sys.argv[1], [int(word) for word in sys.argv[2:]] + [60, 30][len(sys.argv) - 2:]
    generator = random.Random(int(seed))
    for found, number in zip((comments(), messages()), numbers):
        for path, line, words, source in sorted(generator.sample(list(found), number), key=lambda drawn: drawn[:3]):
            print(f"{path}:{line}: {words}" + (f"\n    {declaration(*source)}" if source and declaration(*source) else "") + "\n")


main()
