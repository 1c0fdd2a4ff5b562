"""`closest`: the pair of least distance, at any clearance; of pairs with equal distances the first in order.
Truth: balls in closed form; otherwise the least of all pairs, each queried with a clearance larger than the scene,
or by name."""
import math
import random

from support.checks import Suite, check, equal, holds, near
from support.client import KeepAlive
from support.daemon import Daemon
from support.scenes import crowd

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)
FAR = 1e6  # m, larger than every scene here
numbers = iter(range(1000))


def scene(bodies, **settings):
    path = f"/v1/scenes/c{next(numbers)}"
    client.put(path, {"bodies": bodies, **settings}).must(201)
    return path


def ask(path, request):
    return client.post(f"{path}/query/distance", {"deadlineMs": 600000, **request}).must(200).json


def closest(path, **request):
    reply = ask(path, {"closest": True, **request})
    holds(reply, {"complete": True, "total": reply["count"]})
    return reply["results"]


def least(path, **request):
    """The pair of least distance in a reply of all pairs, as a list of none or one."""
    results = ask(path, {"clearance": FAR, "limit": 1000000, **request})["results"]
    return [min(results, key=lambda r: r["distance"])] if results else []  # the first of those with equal distances


def balls(r, count, size=10.0):
    return [{"id": f"b{i:03}", "position": [r.uniform(0, size) for k in range(3)], "colliders": [{"sphere": {"radius": r.uniform(0.05, 0.2)}}]}
            for i in range(count)]


@suite.fact
def the_closest_of_balls_is_that_of_the_closed_form():
    r = random.Random(1)
    for count in (2, 10, 17, 80, 300):
        bodies = balls(r, count)
        path = scene(bodies)
        truth = min((math.dist(p["position"], q["position"]) - p["colliders"][0]["sphere"]["radius"] - q["colliders"][0]["sphere"]["radius"],
                     p["id"], q["id"]) for i, p in enumerate(bodies) for q in bodies[i + 1:])
        for method in ("auto", "tree", "bruteForce"):
            found, = closest(path, broadphase=method)
            equal([found["a"], found["b"]], list(truth[1:]), f"closest of {count} balls by {method}")
            near(found["distance"], truth[0], 1e-13, "distance")


@suite.fact
def the_closest_is_the_least_of_all_pairs():
    """All kinds of shapes, separated and overlapping: with where, filters, poses and every search method, to the
    last bit."""
    r = random.Random(2)
    for seed, count, spread in ((3, 40, 1), (4, 60, 4), (5, 25, 12)):
        bodies = crowd(count, seed)
        for b in bodies:
            b["position"] = [spread * c for c in b["position"]]
            b["groups"] = [f"g{r.randrange(4)}"]
        bodies += [{"id": "floor", "position": [0, 0, -3 * spread], "colliders": [{"plane": {}}]},
                   {"id": "pole", "position": [spread, spread, 0], "colliders": [{"box": {"size": [0.2, 0.2, 1]}},
                                                                                 {"sphere": {"radius": 0.3}, "position": [0, 0, 1]}]}]
        filters = {"groups": {"g0": {"notCollideWith": ["g0", "g1"]}}, "pairs": [{"a": "b0000", "b": "b0001", "collide": False}]}
        path = scene(bodies, filters=filters)
        ids = [b["id"] for b in bodies]
        moved = {"ids": ids[:30], "positions": [[r.uniform(0, 4 * spread) for k in range(3)] for i in ids[:30]]}
        pairs = [r.sample(ids[:-2], 2) for i in range(40)]
        for request in ({}, {"where": {"a": {"ids": ["pole"]}}}, {"where": {"a": {"groups": ["g1"]}, "b": {"groups": ["g2", "g3"]}}},
                        {"where": {"a": {"prefix": "b000"}, "b": {"prefix": "b00"}}}, {"poses": moved}, {"pairs": pairs},
                        {"poses": moved, "where": {"b": {"prefix": "b001"}}}, {"where": {"a": {"prefix": "nobody"}}}):
            truth = least(path, **request)
            for method in ("auto", "bruteForce"):
                equal(closest(path, **request, broadphase=method), truth, f"closest of {request} by {method}")


@suite.fact
def variants_have_a_closest_pair_each():
    r = random.Random(6)
    bodies = crowd(100, 7)
    path = scene(bodies)
    ids = [b["id"] for b in bodies]
    for moved in (3, 90):  # few, and more than are tested one by one
        variants = [{"ids": ids[:moved], "positions": [[r.uniform(-3, 12) for k in range(3)] for i in range(moved)]} for unused in range(8)]
        for where in ({}, {"where": {"a": {"ids": ids[:3]}}}):
            reply = ask(path, {"closest": True, "variants": variants, **where})
            equal(reply["total"], 8, "variants")
            for variant, poses in zip(reply["results"], variants):
                equal(variant["results"], least(path, poses=poses, **where), f"variant {variant['variant']} of {moved} moved bodies")


@suite.fact
def of_equal_distances_the_first_pair_in_order_is_the_closest():
    grid = [{"id": f"b{i:03}", "position": [i % 5, i // 5 % 5, i // 25], "colliders": [{"sphere": {"radius": 0.25}}]} for i in range(100)]
    path = scene(grid)
    for method in ("auto", "tree", "bruteForce"):
        found, = closest(path, broadphase=method)
        equal([found["a"], found["b"], found["distance"]], ["b000", "b001", 0.5], "first of equal pairs")
        found, = closest(path, broadphase=method, where={"a": {"ids": ["b050", "b062"]}})
        equal([found["a"], found["b"]], ["b025", "b050"], "first of equal pairs of two rows")
    found, = closest(path, pairs=[["b099", "b098"], ["b001", "b000"], ["b000", "b001"]])
    equal([found["a"], found["b"]], ["b099", "b098"], "first of equal pairs named")


@suite.fact
def the_clearance_does_not_bound_the_closest():
    path = scene([{"id": "p", "colliders": [{"sphere": {"radius": 1}}]}, {"id": "q", "position": [1000, 0, 0], "colliders": [{"sphere": {"radius": 1}}]}])
    for request in ({}, {"clearance": 0}, {"clearance": 5}):
        found, = closest(path, **request)
        equal([found["a"], found["b"], found["distance"]], ["p", "q", 998], f"closest with {request}")


@suite.fact
def scenes_without_a_pair_have_no_closest():
    for bodies in ([], [{"id": "p", "colliders": [{"sphere": {"radius": 1}}]}]):
        equal(closest(scene(bodies)), [], "closest")


@suite.fact
def batches_and_inline_scenes_have_a_closest():
    bodies = crowd(30, 8)
    path = scene(bodies)
    truth = least(path)
    reply = client.post(f"{path}/query", {"queries": [{"kind": "distance", "closest": True}, {"kind": "distance", "closest": True, "pairs": []}]}).must(200).json
    equal([a["result"]["results"] for a in reply["results"]], [truth, []], "answers of the batch")
    equal(client.post("/v1/query/distance", {"scene": {"bodies": bodies}, "closest": True}).must(200).json["results"], truth, "inline scene")


@suite.fact
def the_answer_is_the_same_for_any_number_of_workers():
    bodies, texts = crowd(400, 9), []
    variants = [{"ids": ["b0000"], "positions": [[0.3 * i, 0.2 * i, 1]]} for i in range(30)]
    for workers in ("1", "4"):
        with Daemon("--workers", workers) as other:
            asked = KeepAlive(other)
            asked.put("/v1/scenes/s", {"bodies": bodies}).must(201)
            texts.append([asked.post("/v1/scenes/s/query/distance", {"closest": True, "limit": 7, **more}).must(200).text
                          for more in ({}, {"variants": variants}, {"variants": variants, "where": {"a": {"ids": ["b0000"]}}})])
    equal(texts[1], texts[0], "replies of four workers")


@suite.fact
def other_methods_of_search_are_refused():
    path = scene([])
    for method in ("sweep", "sweepSingleAxis", "hybrid", "grid"):
        client.post(f"{path}/query/distance", {"closest": True, "broadphase": method}).problem(422, "conflicting-members", "/broadphase")
    client.post(f"{path}/query/overlap", {"closest": True}).problem(422, "unknown-member", "/closest")
    check(closest(path, broadphase="auto") == [], "an empty scene has a pair")


suite.main()
