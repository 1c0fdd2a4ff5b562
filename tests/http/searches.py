"""Every query that searches for pairs accepts `broadphase` and answers the same with each.
Truth: the methods are independent of each other; sweeps also against times in closed form."""
import random

from support.checks import Suite, check, equal, near
from support.client import KeepAlive
from support.daemon import Daemon
from support.scenes import crowd

METHODS = ("tree", "sweep", "sweepSingleAxis", "hybrid", "grid", "bruteForce")
suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)
numbers = iter(range(1000))


def put(bodies, **settings):
    path = f"/v1/scenes/s{next(numbers)}"
    client.put(path, {"bodies": bodies, **settings}).must(201)
    return path


def text(reply, *dropped):
    value = reply.must(200).json
    return {k: v for k, v in value.items() if k not in ("broadphase", "statistics", *dropped)}


def pile():
    """Boxes and balls on a floor that overlap slightly; every third has no motion of its own."""
    r = random.Random(10)
    bodies = [{"id": "floor", "colliders": [{"plane": {}}]}]
    for i in range(30):
        shape = {"box": {"size": [0.9, 0.8, 0.7]}} if i % 2 else {"sphere": {"radius": 0.45}}
        bodies.append({"id": f"b{i:02}", "position": [0.8 * (i % 5), 0.75 * (i // 5 % 3), 0.3 + 0.68 * (i // 15)], "rpy": [0, 0, r.uniform(-0.2, 0.2)],
                       "groups": ["odd" if i % 2 else "even"], "colliders": [shape],
                       **({"motion": {"mass": 1, "linearVelocity": [0, 0, -0.1]}} if i % 3 else {})})
    return bodies


FORCES = {"impulse": {}, "restingForces": {"friction": "none"}, "compliantForces": {"elastic": {"youngsModulus": 1e6, "poissonRatio": 0.3}}}
PAIRS = {"pairs": {"clearance": 0.1}, "overlap": {}, "distance": {"clearance": 0.1}, "contacts": {"clearance": 0.1}, "volume": {},
         "features": {}, "region": {"region": {"min": [0, 0, 0], "max": [2, 2, 2]}}, "nearest": {"points": [[1, 1, 1]], "k": 3},
         "raycast": {"rays": [{"origin": [-5, 0.1, 0.2], "direction": [1, 0, 0]}], "hits": "all"}, "point": {"points": [[0.1, 0, 0.3]]}}


def same_by_every_method(kind, request):
    path = put(pile(), filters={"groups": {"odd": {"notCollideWith": ["odd"]}}, "pairs": []})
    for more in ({}, {"where": {"a": {"prefix": "b0"}}}, {"poses": {"ids": ["b04", "b07"], "positions": [[0, 0.4, 0.6], [1, 1, 1]]}}):
        if kind in ("region", "nearest", "raycast", "point") and "where" in more:
            more = {"where": more["where"]["a"]}
        wanted = text(client.post(f"{path}/query/{kind}", {**request, **more}))
        check(wanted["count"] > 0 or kind == "features", "nothing is found")
        for method in METHODS:
            equal(text(client.post(f"{path}/query/{kind}", {**request, **more, "broadphase": method})), wanted, f"{kind} {more} by {method}")


suite.table("same_by_every_method", ((kind, lambda k=kind, r=request: same_by_every_method(k, r)) for kind, request in {**PAIRS, **FORCES}.items()))


@suite.fact
def motions_are_the_same_by_every_method():
    """Few and many moving bodies, bodies at rest, a floor, where, filters, hypothetical poses."""
    r = random.Random(11)
    bodies = crowd(80, 12) + [{"id": "floor", "position": [0, 0, -1], "colliders": [{"plane": {}}]}]
    path = put(bodies, filters={"groups": {}, "pairs": [{"a": "b0000", "b": "b0001", "collide": False}]})
    for movers in (2, 50):
        motions = [{"id": f"b{i:04}", "twist": {"linearVelocity": [r.uniform(-3, 3) for k in range(3)], "angularVelocity": [0, 0, r.uniform(-1, 1)]}}
                   for i in range(movers)]
        for more in ({}, {"where": {"a": {"prefix": "b000"}}}, {"poses": {"ids": ["b0079"], "positions": [[1, 1, 1]]}}):
            for kind, extra in (("sweep", {}), ("timeline", {}), ("sweep", {"earliest": True})):
                request = {"duration": 0.5, "motions": motions, "deadlineMs": 600000, **extra, **more}
                wanted = client.post(f"{path}/query/{kind}", request).must(200).text
                for method in METHODS:
                    equal(client.post(f"{path}/query/{kind}", {**request, "broadphase": method}).must(200).text, wanted, f"{kind} by {method}")


@suite.fact
def times_of_a_row_of_balls_are_those_of_the_closed_form():
    bodies = [{"id": f"b{i}", "position": [3 * i, 0, 0], "colliders": [{"sphere": {"radius": 0.5}}]} for i in range(20)]
    path = put(bodies)
    for method in METHODS:
        reply = client.post(f"{path}/query/sweep", {"duration": 30, "motions": [{"id": "b0", "twist": {"linearVelocity": [2, 0, 0]}}],
                                                    "broadphase": method}).must(200).json
        for i, result in enumerate(reply["results"], 1):
            equal([result["a"], result["b"]], ["b0", f"b{i}"], "pair")
            near(result["time"], (3 * i - 1) / 2, 1e-9, "time")
        equal(reply["count"], 19, f"impacts by {method}")


@suite.fact
def unknown_methods_are_refused_everywhere():
    path = put(pile())
    for kind in ("sweep", "timeline", *FORCES):
        client.post(f"{path}/query/{kind}", {"broadphase": "octree", "duration": 1} if kind in ("sweep", "timeline") else
                    {"broadphase": "octree"}).problem(422, "bad-value", "/broadphase")


suite.main()
