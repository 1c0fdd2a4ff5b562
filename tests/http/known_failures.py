"""Configurations that broke other engines, one file each in tests/fixtures/known, named after the report.
Every answer must be finite, with ordered bounds, a unit normal, points on both surfaces, pointB - pointA = distance
* normal, a gap between the supporting planes along the normal equal to the distance (convex pairs), and an overlap
and a relation that agree with it. The swapped pair must mirror it. Where the true answer is known the file has it."""
import json

from support import corpus, exact
from support.checks import Suite, check, equal, near, near_list
from support.client import KeepAlive
from support.daemon import ROOT, Daemon

FOLDER = ROOT / "tests/fixtures/known"
ALLOWED = 1e-12  # relative to the size of the configuration
suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)


def ask(kind, a, b):
    return client.post(f"/v1/query/{kind}", {"a": a, "b": b}).must(200).json["results"][0]


def opposite(v):
    return [0.0 - x for x in v]


def numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [x for item in value for x in numbers(item)]
    return [abs(value)] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


def mirrored(answer, swapped):
    for name, other in (("pointA", "pointB"), ("pointB", "pointA")):
        equal(swapped[other], answer[name], f"{other} of the swapped pair")
    equal(swapped["normal"], opposite(answer["normal"]), "normal of the swapped pair")
    equal([swapped[k] for k in ("distance", "lowerBound", "upperBound")], [answer[k] for k in ("distance", "lowerBound", "upperBound")],
          "distance of the swapped pair")


def proved(answer, a, b, size):
    placed = [corpus.exact_of(a), corpus.exact_of(b)]
    normal, distance = exact.vector(answer["normal"]), exact.Decimal(answer["distance"])
    points = [exact.vector(answer[name]) for name in ("pointA", "pointB")]
    near(float(exact.length(normal)), 1.0, 4 * 2.0 ** -52, "length of the normal")
    apart = exact.sub(exact.sub(points[1], points[0]), exact.scaled(normal, distance))
    near(float(exact.length(apart)), 0.0, ALLOWED * size, "pointB - pointA - distance * normal")
    crossing = answer.get("depthKind") == "none"  # a common point, which may be in the interior of a solid
    for side, body, point, shape in zip("AB", placed, points, (a, b)):
        if crossing and "mesh" not in shape:
            continue
        near(float(body.off_surface(point)), 0.0, ALLOWED * size, f"distance of point{side} from its surface")
    if "mesh" not in a and "mesh" not in b:
        gap = -(placed[0].reach(normal) + placed[1].reach(exact.scaled(normal, -1)))
        near(float(gap), answer["distance"], ALLOWED * size, "gap of the supporting planes")


def fixture(path):
    case = json.loads(path.read_text(encoding="utf-8"))
    a, b = case["a"], case["b"]
    if "refused" in case:
        want = case["refused"]
        reply = client.post("/v1/query/distance", {"a": a, "b": b})
        reply.problem(want["status"], want["type"], want["pointer"])
        check(want["says"] in reply.json["errors"][0]["detail"], f"the sentence is {reply.json['errors'][0]['detail']!r}")
        return
    answer, expect = ask("distance", a, b), case["expect"]
    size = max(numbers(a) + numbers(b))
    check(answer["lowerBound"] <= answer["distance"] <= answer["upperBound"], "the bounds are out of order")
    near(answer["upperBound"] - answer["lowerBound"], 0.0, 1e-8 * size, "width of the bounds")
    proved(answer, a, b, size)
    equal(ask("overlap", a, b)["overlap"], answer["distance"] <= 0, "overlap beside the distance")
    if a != b:  # of equal bodies in one place both orders are one query
        mirrored(answer, ask("distance", b, a))
    if "distance" in expect:
        near(answer["distance"], expect["distance"], ALLOWED * size, "distance")
    if "near" in expect:
        near(answer["distance"], expect["near"], 1e-6 * size, "distance")
    if "apart" in expect:
        check(answer["distance"] > expect["apart"], f"distance is {answer['distance']}, should be above {expect['apart']}")
    if "normal" in expect:
        near_list(answer["normal"], expect["normal"], ALLOWED, "normal")
    if "relation" in expect and answer["distance"] == expect.get("distance"):
        equal(answer["relation"], expect["relation"], "relation")


suite.table("report", ((path.stem, lambda path=path: fixture(path)) for path in sorted(FOLDER.glob("*.json"))))
suite.main()
