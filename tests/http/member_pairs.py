"""Members of the examples of the OpenAPI document, combined at random: every reply is a documented one, and members
that exclude or require each other have the problem type conflicting-members.
Each example of a query is sent with one or two members of other examples of its kind. An accepted request satisfies
the schema, and so does its reply (support/client.py). CONTACTD_FULL=1 sends 30 times as many, with a fresh seed. An
argument of the form seed=N repeats a seed."""
import copy
import json
import os
import random
import re
import sys

from support import example_runs
from support.checks import Suite, check
from support.client import Curl, KeepAlive
from support.daemon import Daemon
from support.examples import cases

FULL = bool(os.environ.get("CONTACTD_FULL"))
SEED = next((int(word[5:]) for word in sys.argv if word.startswith("seed=")), random.randrange(2 ** 32) if FULL else 5)
sys.argv = [word for word in sys.argv if not word.startswith("seed=")]
EACH = 180 if FULL else 6
CONFLICT = re.compile(r"\b(cannot be combined with|requires?)\b")
rng = random.Random(SEED)
suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon, example_runs.document)
example_runs.demo_scene(Curl(daemon, example_runs.document))
table = [case for case in cases(example_runs.document) if example_runs.only_reads(case) and isinstance(case.body, dict)]


def kind_of(case):
    return case.template.rsplit("/", 1)[1]


def members_of(kind):
    """For each member its values in all examples of the kind."""
    found = {}
    for case in table:
        if kind_of(case) == kind:
            for name, value in case.body.items():
                found.setdefault(name, []).append(value)
    return found


def put_together(case):
    members = members_of(kind_of(case))
    for unused in range(EACH):
        body = copy.deepcopy(case.body)
        for name in rng.sample(sorted(members), min(len(members), rng.randint(1, 2))):
            body[name] = copy.deepcopy(rng.choice(members[name]))
        reply = client.request(case.method, case.address(), body)
        what = f"seed {SEED}: {json.dumps(body)}: {reply.text[:400]}"
        check(reply.status < 500, what)
        if reply.status < 400 or len(reply.json.get("errors", [])) != 1:
            continue
        detail = reply.json["errors"][0]["detail"]
        is_conflict = reply.json["type"] == "/problems/conflicting-members"
        check(is_conflict or not CONFLICT.search(detail), f"another type than conflicting-members: {what}")


suite.table("put together", ((case.title, lambda c=case: put_together(c)) for case in table))
print(f"seed {SEED}")
suite.main()
