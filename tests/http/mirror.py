"""Swapping the bodies of a pair changes signs only, to the last digit: the numbers of the replies are compared as
text."""
import json
import re

from support import corpus, scenes
from support.checks import Suite, check, equal
from support.client import KeepAlive
from support.daemon import Daemon

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)
EXCHANGED = (("a", "b"), ("colliderA", "colliderB"), ("pointA", "pointB"),
             ("triangleA", "triangleB"), ("surfaceA", "surfaceB"), ("elementA", "elementB"))
RELATIONS = {"containing": "contained", "contained": "containing"}


def texts(reply):
    """Results with every number as the text that was received."""
    return json.loads(reply.must(200).body, parse_float=str, parse_int=str)["results"]


def negated(text):
    return text if text == "0" else text[1:] if text.startswith("-") else "-" + text


def mirrored(result):
    out = dict(result)
    for first, second in EXCHANGED:
        for name, other in ((first, second), (second, first)):
            out.pop(name, None)
            if other in result:
                out[name] = result[other]
    if "normal" in result:
        out["normal"] = [negated(c) for c in result["normal"]]
    if "points" in result:
        out["points"] = [mirrored(p) for p in result["points"]]
    if "id" in result:
        features, number, *rest = [*re.split("([.#].*)", result["id"]), ""]
        out["id"] = "/".join(reversed(features.split("/"))) + number
        words = re.match("([a-z]+)(Smooth|Vertex|Edge|Face)$", result["kind"])
        out["kind"] = words[2].lower() + words[1].capitalize() if words else result["kind"]
    if "relation" in result:
        out["relation"] = RELATIONS.get(result["relation"], result["relation"])
    return out


def compare(path, pairs, content=lambda name: name):
    """content: shape and pose of each body. Two equal bodies swapped are the same query, with the same answer."""
    for kind in ("distance", "overlap", "contacts", "volume"):
        request = {"limit": 100000, **({"detail": "full", "clearance": 0.05} if kind == "contacts" else {})}
        straight, swapped = (texts(client.post(f"{path}/query/{kind}", {"pairs": p, **request}))
                             for p in (pairs, [[b, a] for a, b in pairs]))
        equal(len(straight), len(pairs), "number of results")
        for one, other in zip(straight, swapped):
            expected = mirrored(one)
            if content(one["a"]) == content(one["b"]) and "normal" in one and other.get("normal") == one["normal"]:
                expected = dict(one, a=one["b"], b=one["a"])
            equal(other, expected, f"{kind} of {one['b']}, {one['a']}")


@suite.fact
def swapped_pairs_of_a_crowd_mirror():
    bodies = scenes.crowd(90)
    client.put("/v1/scenes/crowd", {"bodies": bodies + [{"id": "floor", "colliders": [{"plane": {}}],
                                                         "position": [0, 0, 0.7]}]}).must(201)
    ids = [b["id"] for b in bodies] + ["floor"]
    compare("/v1/scenes/crowd", [[a, b] for i, a in enumerate(ids) for b in ids[i + 1:]])


@suite.fact
def swapped_pairs_of_the_corpus_mirror():
    cases, unused = corpus.cases("pairs", corpus.known_pair)
    client.put("/v1/scenes/corpus", {"bodies": [corpus.body(f"{c['id']}.{s}", c[s]) for c in cases for s in "ab"]}).must(201)
    made = {f"{c['id']}.{s}": (c[s]["shape"], c[s]["pose"]) for c in cases for s in "ab"}
    compare("/v1/scenes/corpus", [[c["id"] + ".a", c["id"] + ".b"] for c in cases], made.get)


@suite.fact
def equal_shapes_in_equal_and_symmetric_poses_mirror():
    shapes = [{"sphere": {"radius": 1}}, {"box": {"size": [1, 2, 3]}}, {"capsule": {"radius": 0.5, "height": 1}},
              {"convex": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}}]
    bodies, pairs = [], []
    for i, shape in enumerate(shapes):
        for j, other in enumerate(shapes):
            for k, position in enumerate(([0, 0, 0], [0.25, 0, 0], [0, 0, -2], [5, 0, 0])):
                names = [f"{side}-{i}-{j}-{k}" for side in "xy"]
                bodies += [{"id": names[0], "colliders": [shape]}, {"id": names[1], "position": position, "colliders": [other]}]
                pairs.append(names)
    client.put("/v1/scenes/twins", {"bodies": bodies}).must(201)
    made = {b["id"]: (b["colliders"], b.get("position", [0, 0, 0])) for b in bodies}
    compare("/v1/scenes/twins", pairs, made.get)


@suite.fact
def stateless_pairs_mirror():
    bodies = [{k: v for k, v in b.items() if k != "id"} for b in scenes.crowd(24)]
    for a, b in zip(bodies, bodies[1:]):
        straight = texts(client.post("/v1/query/distance", {"a": a, "b": b}))[0]
        swapped = texts(client.post("/v1/query/distance", {"a": b, "b": a}))[0]
        expected = mirrored(straight)
        expected["a"], expected["b"] = "a", "b"
        equal(swapped, expected, "swapped")
        check(straight["status"] == "ok", f"status is {straight['status']}")


suite.main()
