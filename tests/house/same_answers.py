#!/usr/bin/python3
"""Compares the replies of the daemons of the working tree and of an earlier revision to the same requests, byte for byte.

    tests/house/same_answers.py REVISION [WORD...]     as `make same-answers BASE=REVISION`

The requests are those that the programs of PROGRAMS send by support/client.py to daemons in memory. Each program (or those whose name
contains a WORD) runs once against the daemon of the working tree, which records its requests. Then the requests of each of its daemons
are sent, in order and one after the other, to a new daemon of each tree with the same options. Compared are status, headers and body,
except what VARYING_HEADERS and VARYING_MEMBERS list. Prints each difference, then "N passed, N failed, N skipped", one count per
program. CONTACTD_BASE names a daemon of the earlier revision that is already built.
"""
import http.client
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from support.daemon import Daemon, binary  # noqa: E402
from support.revision import BUILD, build, commit_of, extract  # noqa: E402

PROGRAMS = ("http/examples.py", "http/examples_query.py", "http/documents.py", "http/determinism.py", "http/problems.py", "corpus/pairs.py", "corpus/meshes.py",
            "corpus/tetmeshes.py", "corpus/scenes.py", "corpus/broadphase.py", "corpus/dynamics.py", "corpus/dynamics_forces.py",
            "corpus/dynamics_compliant.py", "corpus/lcp.py", "corpus/softmesh.py")
# The clock, durations, and random ids: of a request, of a scene created without an id.
VARYING_HEADERS = {"date", "server-timing", "x-request-id", "request-id", "content-length", "location"}
# Wording, which may change, and what differs from process to process: ids of requests, times, durations, random cursors.
VARYING_MEMBERS = {"title", "detail", "description", "requestId", "instance", "uptime", "uptimeSeconds", "created", "startedAt",
                   "nextCursor", "cursor", "generation"}
# Of one route only: the id of a scene created without one, and the sentences that the OpenAPI document has in "summary".
VARYING_OF_ROUTE = {"/v1/scenes": {"id"}, "/openapi.json": {"summary"}}
# Their replies are texts of wording, of counters, or the OpenAPI document, which is compared as JSON.
UNCOMPARED = re.compile(r"^/(metrics|problems/|healthz|readyz|livez)")
DIFFERENCES_SHOWN = 5


def daemons_of(folder):
    """Options and requests of each daemon that a program has started."""
    found = {}
    for path in sorted(pathlib.Path(folder).iterdir()):
        for line in path.read_text(encoding="utf-8").splitlines():
            port, pid, command, *request = json.loads(line)
            found.setdefault((path.name, port, pid, tuple(command)), []).append(request)
    for (unused, unused, unused, command), requests in found.items():
        options = list(command[command.index("--port") + 2:]) if "--port" in command else None
        # A store or Redis of the program does not exist any more.
        if options is not None and options[:2] == ["--durability", "memory"] and "--config" not in options:
            yield options[2:], requests


def without_varying(value, varying):
    if isinstance(value, dict):
        return {name: without_varying(member, varying) for name, member in value.items() if name not in varying}
    if isinstance(value, list):
        return [without_varying(element, varying) for element in value]
    # The sentences of metrics in an example of the OpenAPI document.
    return re.sub(r"^# HELP .*$", "", value, flags=re.M) if isinstance(value, str) and value.startswith("# HELP") else value


def comparable(path, body):
    """The bytes, or the JSON or JSON lines in them without what varies. Numbers stay as they are written."""
    varying = VARYING_MEMBERS | VARYING_OF_ROUTE.get(path, set())
    try:
        return [without_varying(json.loads(line, parse_float=str, parse_int=str), varying) for line in body.splitlines() if line.strip()]
    except ValueError:
        pass
    try:
        return without_varying(json.loads(body, parse_float=str, parse_int=str), varying)
    except ValueError:
        return body


class Connection:
    def __init__(self, daemon):
        self.port, self.connection = daemon.port, None

    def reply(self, method, path, data, headers):
        self.connection = self.connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        try:
            self.connection.request(method, path, body=None if data is None else data.encode("latin-1"), headers=headers)
            response = self.connection.getresponse()
            body = response.read()
        except (http.client.HTTPException, OSError, ValueError, UnicodeError) as why:
            self.connection = None
            return type(why).__name__, {}, b""
        return response.status, {name.lower(): value for name, value in response.getheaders()
                                 if name.lower() not in VARYING_HEADERS}, body


def differences(options, requests, programs):
    with Daemon(*options, program=programs[0]) as old, Daemon(*options, program=programs[1]) as new:
        ends = Connection(old), Connection(new)
        for method, path, data, headers in requests:
            if path.endswith("/events") or "/events?" in path or UNCOMPARED.match(path):
                continue
            a, b = (end.reply(method, path, data, headers) for end in ends)
            if a[2] == b[2] and a[:2] == b[:2]:
                continue
            if a[:2] != b[:2]:
                yield f"{method} {path}: {a[0]} {a[1]}, now {b[0]} {b[1]}"
            elif comparable(path, a[2]) != comparable(path, b[2]):
                at = next((i for i, (x, y) in enumerate(zip(a[2], b[2])) if x != y), min(len(a[2]), len(b[2])))
                yield f"{method} {path}: from byte {at} on {a[2][max(0, at - 60):at + 60]!r}, now {b[2][max(0, at - 60):at + 60]!r}"


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    base = os.environ.get("CONTACTD_BASE")
    if not base:
        commit = commit_of(sys.argv[1])
        tree = extract(commit, BUILD / "same-answers")
        build(tree, tree / "build", ["contactd"])
        base = tree / "build/contactd"
    passed, failed = 0, 0
    for name in PROGRAMS:
        if len(sys.argv) > 2 and not any(word in name for word in sys.argv[2:]):
            continue
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests"), "PYTHONDONTWRITEBYTECODE": "1",
                           "RECORD_REQUESTS": f"{folder}/requests"}
            run = subprocess.run(["/usr/bin/python3", str(ROOT / "tests" / name)], env=environment, capture_output=True, text=True)
            daemons = list(daemons_of(folder))
            count = sum(len(requests) for unused, requests in daemons)
            found = [line for options, requests in daemons for line in differences(options, requests, (base, binary()))]
        print(f"{name}: {len(daemons)} daemons, {count} requests, {len(found)} replies differ", flush=True)
        for line in found[:DIFFERENCES_SHOWN]:
            print(f"  {line}")
        if run.returncode:
            print(f"FAILED {name}: the program itself fails: {run.stdout.strip().splitlines()[-1:]}")
        elif not count:
            print(f"FAILED {name}: no request is recorded")
        elif found:
            print(f"FAILED {name}: {len(found)} of {count} replies differ")
        ok = not run.returncode and count and not found
        passed, failed = passed + bool(ok), failed + (not ok)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed != 0 or passed == 0


sys.exit(main())
