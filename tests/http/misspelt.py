"""Each member and each word of a choice in the examples of the OpenAPI document, misspelt: it is refused, and the right one is suggested.

The slips are those of a typist: two letters swapped, one left out, twice or in the other case; the seed decides which. A word of one
letter has nothing near it: it is refused, with those that it could be. CONTACTD_FULL=1 tries every kind of slip at every member, with a
fresh seed. An argument of the form seed=N repeats a seed.
"""
import copy
import os
import random
import sys

import examples
from support.checks import Suite, check
from support.client import Curl, KeepAlive, ndjson
from support.daemon import Daemon
from support.examples import NDJSON, cases, content_of, lines_of
from support.schema import resolve

FULL = bool(os.environ.get("CONTACTD_FULL"))
SEED = next((int(word[5:]) for word in sys.argv if word.startswith("seed=")), random.randrange(2 ** 32) if FULL else 13)
sys.argv = [word for word in sys.argv if not word.startswith("seed=")]
rng = random.Random(SEED)
document = examples.document
suite = Suite()


def words_of(schema, value, place=()):
    """(place, word, is it a member) of the words in a value that its schema names."""
    if not isinstance(schema, dict):
        return
    parts = ([resolve(document.document, schema)] if "$ref" in schema else []) + schema.get("allOf", [])
    parts += [part for word in ("oneOf", "anyOf") for part in schema.get(word, []) if document.quick.check(part)(value)]
    for part in parts:
        yield from words_of(part, value, place)
    if isinstance(value, dict):
        for name, member in value.items():
            if name in schema.get("properties", {}):
                yield place, name, True
                yield from words_of(schema["properties"][name], member, place + (name,))
            else:
                yield from words_of(schema.get("additionalProperties"), member, place + (name,))
    for i, element in enumerate(value if isinstance(value, list) else []):
        yield from words_of(schema.get("items"), element, place + (i,))
    if isinstance(value, str) and ("enum" in schema or "const" in schema):
        yield place, value, False


def slips(word):
    """All kinds of slips at a random letter."""
    i = rng.randrange(max(1, len(word) - 1))
    kinds = [word[:i] + word[i:i + 1] + word[i:], word[:i] + word[i].swapcase() + word[i + 1:]]
    if len(word) > 1:
        kinds.append(word[:i] + word[i + 1] + word[i] + word[i + 2:])
    if len(word) > 3:
        kinds.append(word[:i] + word[i + 1:])
    kinds = [kind for kind in kinds if kind != word]
    return kinds if FULL else [rng.choice(kinds)]


def replaced(body, place, word, slip, is_member):
    """The body with the slip in place of the word; None where the slip is a member already."""
    body = copy.deepcopy(body)
    node = body
    for step in place if is_member else place[:-1]:
        node = node[step]
    if not is_member:
        node[place[-1]] = slip
        return body
    if slip in node:
        return None
    members = list(node.items())
    node.clear()
    node.update({slip if name == word else name: value for name, value in members})
    return body


def problems_in(reply):
    """The problem that a reply is, or those of a batch's answers."""
    return [reply.json] if reply.status >= 400 else [a["problem"] for a in reply.json.get("results", []) if "problem" in a]


def refused(case, client, above):
    media = content_of(document, case.operation)[case.content_type]
    body = lines_of(case.body) if case.content_type == NDJSON else case.body
    values = [((i,), value) for i, value in enumerate(body)] if case.content_type == NDJSON else [((), body)]
    for start, value in values:
        for place, word, is_member in dict.fromkeys(words_of(media["schema"], value, start)):
            for slip in slips(word):
                sent = replaced(body, place, word, slip, is_member)
                if sent is None:
                    continue
                reply = client.request(case.method, case.address(), ndjson(sent) if case.content_type == NDJSON else sent,
                                       content_type=case.content_type, headers=examples.shifted(case.headers(), above), check=False)
                problems = problems_in(reply)
                what = f"seed {SEED}: {slip!r} for {word!r} at {place}"
                check(problems, f"{what} passes silently: {reply.text[:300]}")
                suggested = [e.get("suggestion") for problem in problems for e in problem.get("errors", [])]
                listed = any(f" {word}" in e["detail"] for problem in problems for e in problem.get("errors", []))
                near = word in suggested or slip.lower() in NEARER.get(word, ()) and any(suggested)
                check(near or len(word) == 1 and listed, f"{what}: {reply.text[:500]}")


# Slips that are as near to another word of the same place.
NEARER = {"convex": ("conex",)}
shared = []


def run(case):
    if examples.reads(case):
        if not shared:
            daemon = Daemon().start()
            suite.cleanup(daemon.stop)
            shared.append((KeepAlive(daemon, document), examples.demo_scene(Curl(daemon, document))))
        refused(case, *shared[0])
        return
    with Daemon() as daemon:
        curl = Curl(daemon, document)
        above = examples.demo_scene(curl)
        for prepare in examples.needs(case):
            prepare(curl)
        examples.send_before(curl, case)
        refused(case, KeepAlive(daemon, document), above)


suite.table("misspelt", ((case.title, lambda c=case: run(c)) for case in cases(document) if (case.content_type or "").endswith("json")))
print(f"seed {SEED}")
suite.main()
