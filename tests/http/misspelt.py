"""Each member and each enum value in the examples of the OpenAPI document, misspelt: it is refused, and the right
one is suggested. The members that a refusal lists are those of the document.
The misspellings: two letters swapped, one letter omitted, doubled or in the other case, selected by the seed. A
member of one letter resembles no other: it is refused with the list of allowed members. CONTACTD_FULL=1 tries every error at every
member, with a fresh seed. An argument of the form seed=N repeats a seed."""
import copy
import os
import random
import sys

from support import example_runs
from support.checks import Suite, check
from support.client import Curl, KeepAlive, ndjson
from support.daemon import Daemon
from support.examples import NDJSON, cases, content_of, lines_of
from support.schema import resolve

FULL = bool(os.environ.get("CONTACTD_FULL"))
SEED = next((int(word[5:]) for word in sys.argv if word.startswith("seed=")), random.randrange(2 ** 32) if FULL else 13)
sys.argv = [word for word in sys.argv if not word.startswith("seed=")]
rng = random.Random(SEED)
document = example_runs.document
suite = Suite()


def words_of(schema, value, place=()):
    """(place, word, whether it is a member) of the words in a value that its schema names."""
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
    """All kinds of typing errors at a random letter."""
    i = rng.randrange(max(1, len(word) - 1))
    kinds = [word[:i] + word[i:i + 1] + word[i:], word[:i] + word[i].swapcase() + word[i + 1:]]
    if len(word) > 1:
        kinds.append(word[:i] + word[i + 1] + word[i] + word[i + 2:])
    if len(word) > 3:
        kinds.append(word[:i] + word[i + 1:])
    kinds = [kind for kind in kinds if kind != word]
    return kinds if FULL else [rng.choice(kinds)]


def one_slip(a, b):
    """True if one letter left out, inserted or changed, or two swapped, turn one word into the other."""
    start = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    rest = a[start:], b[start:]
    return rest[0][1:] == rest[1] or rest[0] == rest[1][1:] or rest[0][1:] == rest[1][1:] or \
        rest[0][2:] == rest[1][2:] and rest[0][:2] == rest[1][:2][::-1]


def replaced(body, place, word, slip, is_member):
    """The body with the misspelling in place of the word; None where the misspelling is a member."""
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
    """The problem of a reply, or those of a batch's answers."""
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
                                       content_type=case.content_type, headers=example_runs.shifted(case.headers(), above), check=False)
                problems = problems_in(reply)
                what = f"seed {SEED}: {slip!r} for {word!r} at {place}"
                check(problems, f"{what} passes silently: {reply.text[:300]}")
                suggested = [e.get("suggestion") for problem in problems for e in problem.get("errors", [])]
                listed = any(f" {word}" in e["detail"] for problem in problems for e in problem.get("errors", []))
                # Another allowed word may be as near: conex is cone, or convex.
                near = word in suggested or any(other and one_slip(slip.lower(), other.lower()) for other in suggested)
                check(near or len(word) == 1 and listed, f"{what}: {reply.text[:500]}")


def branches(schema):
    """The schema and all schemas that it refers to or is composed of."""
    yield schema
    parts = ([resolve(document.document, schema)] if "$ref" in schema else []) + \
        [part for word in ("allOf", "oneOf", "anyOf") for part in schema.get(word, [])]
    for part in parts:
        yield from branches(part)


def objects_in(schemas, value, place=()):
    """(place, names of the documented members) of the objects in a value."""
    schemas = [branch for schema in schemas for branch in branches(schema)]
    if isinstance(value, dict):
        documented = {name for schema in schemas for name in schema.get("properties", {})}
        if documented:
            yield place, documented
        for name, member in value.items():
            below = [schema["properties"][name] for schema in schemas if name in schema.get("properties", {})]
            below = below or [s["additionalProperties"] for s in schemas if isinstance(s.get("additionalProperties"), dict)]
            yield from objects_in(below, member, place + (name,))
    for i, element in enumerate(value if isinstance(value, list) else []):
        yield from objects_in([schema["items"] for schema in schemas if "items" in schema], element, place + (i,))


def lists_what_is_documented(case, client, above):
    """A member that resembles none is refused with a list of the accepted ones, all of which are in the document."""
    media = content_of(document, case.operation)[case.content_type]
    nd = case.content_type == NDJSON
    body = lines_of(case.body) if nd else case.body
    for place, documented in objects_in([{"items": media["schema"]}] if nd else [media["schema"]], body):
        sent = copy.deepcopy(body)
        node = sent
        for step in place:
            node = node[step]
        node[ALIEN] = 1  # a word that resembles none
        reply = client.request(case.method, case.address(), ndjson(sent) if nd else sent, content_type=case.content_type,
                               headers=example_runs.shifted(case.headers(), above), check=False)
        details = [error["detail"] for problem in problems_in(reply) for error in problem.get("errors", []) if ALIEN in error["detail"]]
        check(details and "members: " in details[0], f"{ALIEN} at {place}: {reply.text[:500]}")
        taken = set(details[0].split("members: ")[1].split(".")[0].split(", "))
        others = taken - documented - (REFUSED.get(case.template, set()) if not place else set())
        if place[:1] == ("queries",):
            content = content_of(document, document.document["paths"][f"{case.template}/{node['kind']}"]["post"])
            schema = content["application/json"]["schema"]
            others -= {name for branch in branches(schema) for name in branch.get("properties", {})}
        check(not others, f"undocumented at {place}: {sorted(others)}")


ALIEN = "zzzzzzzzzzzz"
# Members that are refused there for another documented reason.
REFUSED = {"/v1/scenes": {"id"}, "/v1/query": {"poses", "add", "filters"}}


shared = []


def run(test, case):
    if example_runs.only_reads(case):
        if not shared:
            daemon = Daemon().start()
            suite.cleanup(daemon.stop)
            shared.append((KeepAlive(daemon, document), example_runs.demo_scene(Curl(daemon, document))))
        test(case, *shared[0])
        return
    with Daemon() as daemon:
        curl = Curl(daemon, document)
        above = example_runs.demo_scene(curl)
        for prepare in example_runs.needs(case):
            prepare(curl)
        example_runs.send_before(curl, case)
        test(case, KeepAlive(daemon, document), above)


table = [case for case in cases(document) if (case.content_type or "").endswith("json")]
suite.table("misspelt", ((case.title, lambda c=case: run(refused, c)) for case in table))
suite.table("documented", ((case.title, lambda c=case: run(lists_what_is_documented, c)) for case in table))
print(f"seed {SEED}")
suite.main()
