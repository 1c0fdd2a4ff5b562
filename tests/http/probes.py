"""Rays, points and regions by curl: closed forms over balls and boxes, order, paging, hypothetical poses, stateless
forms, batches."""
import math
import random

from support.checks import Suite, check, equal, holds, near, near_list
from support.client import Curl
from support.daemon import Daemon

suite = Suite()
daemon = Daemon("--workers", "1").start()
suite.cleanup(daemon.stop)
client = Curl(daemon)
numbers = iter(range(1000))


def ball(name, position, radius=0.5, **rest):
    return {"id": name, "position": position, "colliders": [{"sphere": {"radius": radius}}], **rest}


def scene(bodies, where=client, **settings):
    path = f"/v1/scenes/p{next(numbers)}"
    where.put(path, {"bodies": list(bodies), **settings}).must(201)
    return path


def ask(path, kind, request, where=client):
    return where.post(f"{path}/query/{kind}", request).must(200).json


def cloud(count, seed):
    """Balls of many sizes by name: centre and radius."""
    rng = random.Random(seed)
    return {f"b{i}": ([rng.uniform(-5, 5) for unused in range(3)], rng.uniform(0.1, 1.5)) for i in range(count)}


def scene_of(balls, where=client):
    return scene((ball(name, position, radius) for name, (position, radius) in balls.items()), where)


def unit(v):
    length = math.sqrt(sum(x * x for x in v))
    return [x / length for x in v]


def chord(ray, ball_at):
    """Distances at which the line enters and leaves the ball, or None."""
    (position, radius), direction = ball_at, unit(ray["direction"])
    apart = [p - o for p, o in zip(position, ray["origin"])]
    along = sum(a * d for a, d in zip(apart, direction))
    rest = radius ** 2 - sum((a - along * d) ** 2 for a, d in zip(apart, direction))
    return (along - math.sqrt(rest), along + math.sqrt(rest)) if rest > 0 else None


def random_rays(count, seed):
    rng = random.Random(seed)
    return [{"origin": [rng.uniform(-8, 8) for unused in range(3)], "direction": [rng.uniform(-3, 3) for unused in range(3)]}
            for unused in range(count)]


@suite.fact
def rays_cross_balls_where_the_chords_end():
    balls, rays = cloud(60, 1), random_rays(40, 2)
    path = scene_of(balls)
    expected = []
    for number, ray in enumerate(rays):
        hits = []
        for name, at in balls.items():
            ends = chord(ray, at)
            hits += [(t, number, name, entering) for t, entering in zip(ends or (), (True, False)) if t >= 0]
        expected.append(sorted(hits))
    every = ask(path, "raycast", {"rays": rays, "hits": "all"})["results"]
    flat = [hit for hits in expected for hit in hits]
    equal([(r["ray"], r["id"], r["entering"]) for r in every], [hit[1:] for hit in flat], "crossings")
    for result, hit in zip(every, flat):
        near(result["distance"], hit[0], 1e-12, "distance")
        (position, radius), direction = balls[result["id"]], unit(rays[result["ray"]]["direction"])
        near_list(result["position"], [o + hit[0] * d for o, d in zip(rays[result["ray"]]["origin"], direction)], 1e-12, "position")
        near_list(result["normal"], [(p - c) / radius for p, c in zip(result["position"], position)], 1e-12, "normal")
    first = ask(path, "raycast", {"rays": rays})["results"]
    equal(first, [next(r for r in every if r["ray"] == number) for number in range(len(rays)) if expected[number]], "first hits")


@suite.fact
def a_ray_ends_at_its_greatest_distance():
    path = scene([ball("near", [3, 0, 0]), ball("far", [6, 0, 0])])
    ray = {"origin": [0, 0, 0], "direction": [2, 0, 0]}
    for most, names in ((2.5, ["near"]), (2.49, []), (3.5, ["near", "near"]), (5.5, ["near", "near", "far"])):
        results = ask(path, "raycast", {"rays": [{**ray, "maxDistance": most}], "hits": "all"})["results"]
        equal([r["id"] for r in results], names, f"hits up to {most}")
    inside = ask(path, "raycast", {"rays": [{"origin": [3, 0, 0], "direction": [0, 1e-200, 0]}]})["results"]
    holds(inside[0], {"id": "near", "distance": 0.5, "entering": False, "normal": [0, 1, 0], "position": [3, 0.5, 0]})


@suite.fact
def equal_distances_come_in_the_order_of_the_scene():
    path = scene([ball("z", [3, 0, 0]), ball("a", [3, 0, 0]), ball("m", [3, 0, 0])])
    ray = {"origin": [0, 0, 0], "direction": [1, 0, 0]}
    equal([r["id"] for r in ask(path, "raycast", {"rays": [ray], "hits": "all"})["results"]], ["z", "a", "m"] * 2, "ids")
    equal([r["id"] for r in ask(path, "raycast", {"rays": [ray]})["results"]], ["z"], "first")
    equal([r["id"] for r in ask(path, "nearest", {"points": [[0, 0, 0]], "k": 2})["results"]], ["z", "a"], "nearest")
    equal([r["id"] for r in ask(path, "point", {"points": [[3, 0, 0]]})["results"]], ["z", "a", "m"], "holders")


@suite.fact
def the_nearest_balls_are_those_whose_surface_is_nearest():
    balls = cloud(80, 3)
    path, rng = scene_of(balls), random.Random(4)
    points = [[rng.uniform(-6, 6) for unused in range(3)] for unused in range(40)]
    for k, most in ((1, None), (5, None), (100, 1.0)):
        request = {"points": points, "k": k, **({"maxDistance": most} if most else {})}
        results = ask(path, "nearest", request)["results"]
        expected = []
        for number, point in enumerate(points):
            near_ones = sorted((math.dist(point, at) - radius, name) for name, (at, radius) in balls.items())
            expected += [(number, d, name) for d, name in near_ones[:k] if most is None or d <= most]
        equal([(r["point"], r["id"]) for r in results], [(n, name) for n, unused, name in expected], f"the {k} nearest")
        for result, (number, distance, name) in zip(results, expected):
            near(result["distance"], distance, 1e-12, "distance")
            at, radius = balls[name]
            near_list(result["normal"], unit([p - c for p, c in zip(points[number], at)]), 1e-11, "normal")
            near_list(result["position"], [p - distance * n for p, n in zip(points[number], result["normal"])], 1e-12, "position")


@suite.fact
def a_point_is_in_the_solids_that_contain_it():
    compound = {"id": "pair", "colliders": [{"box": {"size": [2, 2, 2]}, "id": "left"},
                                            {"sphere": {"radius": 1}, "id": "right", "position": [3, 0, 0]}]}
    path = scene([compound, {"id": "ground", "colliders": [{"plane": {}}]}, ball("ball", [0, 0, 0], 2)])
    points = [[0.5, 0, -0.25], [3, 0, 0.25], [1, 1, 1], [0, 0, 5], [1, 1.0000001, 1]]
    results = ask(path, "point", {"points": points})["results"]
    equal([(r["point"], r["id"], r.get("collider"), r["distance"]) for r in results[:2]],
          [(0, "pair", "left", -0.5), (0, "ground", None, -0.25)], "first point")
    equal([(r["point"], r["id"]) for r in results],
          [(0, "pair"), (0, "ground"), (0, "ball"), (1, "pair"), (2, "pair"), (2, "ball"), (4, "ball")], "who holds what")
    holds(results[3], {"collider": "right", "distance": -0.75, "normal": [0, 0, 1], "position": [3, 0, 1]})


@suite.fact
def a_region_contains_or_touches_bodies():
    path = scene([ball("in", [0, 0, 0]), ball("at", [1.5, 0, 0]), ball("on", [2.5, 0, 0]), ball("out", [2.5000001, 0, 0]),
                  {"id": "ground", "position": [0, 0, -1.5], "colliders": [{"plane": {}}]}])
    box = {"region": {"min": [-2, -2, -2], "max": [2, 2, 2]}}
    equal(ask(path, "region", box)["results"],
          [{"id": "in", "inside": True}, {"id": "at", "inside": True}, {"id": "on", "inside": False},
           {"id": "ground", "inside": False}], "in the box")
    equal([r["id"] for r in ask(path, "region", {**box, "mode": "inside"})["results"]], ["in", "at"], "held by the box")
    capsule = {"capsule": {"radius": 1, "height": 4}, "rpy": [0, math.pi / 2, 0]}
    equal([(r["id"], r["inside"]) for r in ask(path, "region", {"region": capsule})["results"]],
          [("in", True), ("at", True), ("on", True), ("out", False)], "in a capsule along x, 3 m to either side")


@suite.fact
def concatenated_pages_are_the_whole():
    balls = cloud(70, 5)
    path = scene_of(balls)
    requests = {"raycast": {"rays": random_rays(30, 6), "hits": "all"}, "nearest": {"points": [[0, 0, 0], [3, 3, 3]], "k": 50},
                "point": {"points": [at for at, unused in balls.values()]}, "region": {"region": {"sphere": {"radius": 4}}}}
    for kind, request in requests.items():
        whole, got, cursor = ask(path, kind, request)["results"], [], {}
        check(len(whole) > 14, f"{kind} has {len(whole)} results")
        for unused in range(len(whole)):
            page = ask(path, kind, {**request, "limit": 7, **cursor})
            got += page["results"]
            if page["complete"]:
                break
            cursor = {"cursor": page["nextCursor"]}
        equal(got, whole, f"pages of {kind}")


@suite.fact
def where_and_poses_apply_to_probes():
    path = scene([ball("a", [3, 0, 0]), ball("b", [5, 0, 0], groups=["g"])])
    ray = [{"origin": [0, 0, 0], "direction": [1, 0, 0]}]
    equal([r["id"] for r in ask(path, "raycast", {"rays": ray, "where": {"groups": ["g"]}})["results"]], ["b"], "selected")
    moved = ask(path, "raycast", {"rays": ray, "poses": {"ids": ["b"], "positions": [[1, 0, 0]]}})["results"]
    holds(moved[0], {"id": "b", "distance": 0.5})
    nobody = ask(path, "nearest", {"points": [[0, 0, 0]], "where": {"prefix": "zz"}})
    holds(nobody, {"results": [], "warnings": ['/where/prefix: no body\'s id begins with "zz".']})
    region = {"region": {"min": [4, -1, -1], "max": [6, 1, 1]}, "poses": {"ids": ["a"], "positions": [[5, 0, 0]]}}
    equal([r["id"] for r in ask(path, "region", region)["results"]], ["a", "b"], "with a moved")


@suite.fact
def probes_work_in_batches_and_without_a_scene():
    path = scene([ball("a", [3, 0, 0])])
    rays = [{"origin": [0, 0, 0], "direction": [1, 0, 0]}]
    queries = [{"kind": "raycast", "rays": rays}, {"id": "n", "kind": "nearest", "points": [[3, 0, 0]]},
               {"kind": "point", "points": [[3, 0, 0.25]]}, {"kind": "region", "region": {"sphere": {"radius": 9}}},
               {"kind": "raycast"}]
    answers = client.post(f"{path}/query", {"queries": queries, "poses": {"ids": ["a"], "positions": [[3, 0, 0.25]]}}).must(200).json
    equal([a["httpStatus"] for a in answers["results"]], [200, 200, 200, 200, 422], "statuses")
    near(answers["results"][0]["result"]["results"][0]["distance"], 3 - math.sqrt(0.1875), 1e-15, "distance in the batch")
    equal(answers["results"][2]["result"]["results"][0]["distance"], -0.5, "depth in the batch")
    holds(answers["results"][3]["result"]["results"][0], {"id": "a", "inside": True})
    inline = {"scene": {"bodies": [ball("a", [3, 0, 0])]}, "rays": rays}
    equal(client.post("/v1/query/raycast", inline).must(200).json["results"], ask(path, "raycast", {"rays": rays})["results"], "inline")
    given = {"a": {"sphere": {"radius": 0.5}, "position": [3, 0, 0]}, "b": {"box": {"size": [1, 1, 1]}}, "points": [[1, 0, 0]], "k": 2}
    equal([(r["id"], r["distance"]) for r in client.post("/v1/query/nearest", given).must(200).json["results"]],
          [("b", 0.5), ("a", 1.5)], "two bodies")


# The cells [0, 1]^3, [1, 2] x [0, 1]^2 and [0, 1] x [1, 2] x [0, 1] as one mesh.
L_OF_CELLS = {"vertices": [[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (0, 2), (1, 2))],
              "triangles": [triangle for a, b, c, d in
                            ((0, 3, 4, 1), (1, 4, 5, 2), (3, 6, 7, 4), (8, 9, 12, 11), (9, 10, 13, 12), (11, 12, 15, 14),
                             (0, 1, 9, 8), (1, 2, 10, 9), (2, 5, 13, 10), (5, 4, 12, 13), (4, 7, 15, 12), (7, 6, 14, 15),
                             (6, 3, 11, 14), (3, 0, 8, 11)) for triangle in ((a, b, c), (a, c, d))]}


@suite.fact
def rays_through_a_reentrant_corner_enter_and_leave():
    """Truth: where the line is in one of three cells. The inner corner is at (1, 1), along z."""
    rays = [([3, -1, -1], [-1, 1, 1], [(1, True), (2, False)]),  # out at the upper end of the inner edge
            ([2, 0, -0.5], [-1, 1, 1], [(0.5, True), (1.5, False)]),  # touches the inner edge from within
            ([0, 1, -1], [0, 0, 1], [(1, True), (2, False)]),  # within an outer face, where two cells meet
            ([1, -1, 0], [0, 1, 0], [(1, True), (3, False)]),  # along an edge, on into another cell
            ([1.5, 1.5, 0.5], [-1, -1, 0], [(0.5, True), (1.5, False)]),  # in at the inner edge, out at the outer one
            ([3, 1, 0.5], [-1, 0, 0], [(1, True), (3, False)]),  # within a face to the inner edge, then inside
            ([3, 0, 2], [-1, 0, -1], [(1, True), (2, False)]),  # in at an outer edge, within a face
            ([0.5, 2.5, 0.5], [1, -1, 0], []), ([-1, 0.5, 2], [1, 0, -1], [(1, True), (2, False)]),
            ([-1, 0.5, 0], [1, 0, 1], []), ([2.5, -0.5, 0.5], [0, 1, 0], []),
            ([-1, 0.5, 2.5], [1, 0, -1], [(1.5, True), (2.5, False)]), ([-1, 1.5, 0], [1, 0, -1], [])]
    asked = [{"origin": o, "direction": d} for o, d, unused in rays]
    for member in ({"mesh": L_OF_CELLS}, {"mesh": dict(L_OF_CELLS, solid=True)}):
        found = client.post("/v1/query/raycast", {"a": member, "rays": asked, "hits": "all"}).must(200).json["results"]
        first = client.post("/v1/query/raycast", {"a": member, "rays": asked}).must(200).json["results"]
        for number, (unused, direction, wanted) in enumerate(rays):
            length, hits = math.hypot(*direction), [h for h in found if h["ray"] == number]
            equal([h["entering"] for h in hits], [entering for unused, entering in wanted], f"ray {number}")
            near_list([h["distance"] for h in hits], [t * length for t, unused in wanted], 1e-14, f"ray {number}")
            equal([h for h in first if h["ray"] == number], hits[:1], f"ray {number}: first")


@suite.fact
def at_one_distance_exits_come_before_entries():
    box = {"box": {"size": [1, 1, 1]}}
    path = scene([{"id": "far", "position": [2, 0, 0], "colliders": [box]}, {"id": "near", "position": [1, 0, 0], "colliders": [box]},
                  {"id": "two", "position": [4, 0, 0], "colliders": [dict(box, position=[0, 0, 0]), dict(box, position=[-1, 0, 0])]}])
    hits = ask(path, "raycast", {"rays": [{"origin": [0, 0, 0], "direction": [1, 0, 0]}], "hits": "all"})["results"]
    equal([(h["id"], h.get("collider"), h["distance"], h["entering"]) for h in hits],
          [("near", None, 0.5, True), ("near", None, 1.5, False), ("far", None, 1.5, True), ("far", None, 2.5, False),
           ("two", 1, 2.5, True), ("two", 1, 3.5, False), ("two", 0, 3.5, True), ("two", 0, 4.5, False)], "hits")
    inside = ask(path, "raycast", {"rays": [{"origin": [1, 0, 0], "direction": [1, 0, 0]}]})["results"]
    equal([(h["id"], h["entering"]) for h in inside], [("near", False)], "first")


@suite.fact
def the_bytes_do_not_depend_on_the_workers():
    other = Daemon("--workers", "3").start()
    suite.cleanup(other.stop)
    many, balls = Curl(other), cloud(400, 7)
    here, there = scene_of(balls), scene_of(balls, many)
    for kind, request in (("raycast", {"rays": random_rays(300, 8), "hits": "all"}),
                          ("nearest", {"points": [r["origin"] for r in random_rays(300, 9)], "k": 9})):
        equal(client.post(f"{here}/query/{kind}", request).must(200).text, many.post(f"{there}/query/{kind}", request).must(200).text, kind)


suite.main()
