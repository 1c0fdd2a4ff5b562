#!/usr/bin/python3
"""Clients of a fleet (support.load) beside the engine's containers, at a port of theirs: clients.py PORT.

Each line on standard input waits until every client has had answers again, and is answered by "on" or by what is wrong. When the input ends,
so do they; what they heard is printed as JSON: how often each kind of answer, and what went wrong.
"""
import http.client
import json
import pathlib
import sys

from support.checks import Failure
from support.client import KeepAlive
from support.load import Load
from support.schema import Document

ROOT = pathlib.Path(__file__).resolve().parents[2]
# That every client has answers again.
SECONDS = 60


class At:
    """What a client wants to know of a daemon."""

    def __init__(self, port):
        self.port, self.base = port, f"http://127.0.0.1:{port}"


def attempt(what):
    try:
        what()
        return None
    except (Failure, OSError, http.client.HTTPException) as why:
        return f"{type(why).__name__}: {why}"


def main():
    at = At(int(sys.argv[1]))
    document = Document(json.loads((ROOT / "api/openapi.json").read_text()))
    load = Load(at.port, document)
    for line in sys.stdin:
        print(attempt(lambda: load.goes_on(line.strip(), SECONDS)) or "on", flush=True)
    wrong = attempt(lambda: load.finish([KeepAlive(at, document)]))
    broken = [b for c in load.clients for b in c.broken]
    print(json.dumps({"kinds": load.kinds(), "wrong": ([wrong] if wrong else []) + broken[:10]}), flush=True)


main()
