"""Contacts by curl: points and features in closed form, colliders of compounds, clearance, detail, selections, pages, batches."""
import json

from support import scenes
from support.checks import Suite, check, equal, near
from support.client import Curl
from support.daemon import Daemon

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = Curl(daemon)
numbers = iter(range(1000))


def cube(name, x, y, z, size=1.0, **rest):
    return {"id": name, "position": [x, y, z], "colliders": [{"box": {"size": [size] * 3}}], **rest}


def scene(bodies, **settings):
    path = f"/v1/scenes/c{next(numbers)}"
    client.put(path, {"bodies": list(bodies), **settings}).must(201)
    return path


def ask(path, request=None):
    return client.post(f"{path}/query/contacts", request or {}).must(200).json


def of_two(a, b, **rest):
    answer = client.post("/v1/query/contacts", {"a": a, "b": b, **rest}).must(200).json
    equal(answer["count"], 1, "number of results")
    return answer["results"][0]


def names(results):
    return [(r["a"], r.get("colliderA"), r["b"], r.get("colliderB"), len(r["points"])) for r in results]


# A compound of four cubes on a slab, 1/8 m deep, and a fifth cube 1/4 m above it.
FEET = [{"id": f"foot-{x}{y}", "box": {"size": [0.5, 0.5, 0.5]}, "position": [x, y, 0]} for x in (0, 2) for y in (0, 2)]
HAND = {"id": "hand", "box": {"size": [0.5, 0.5, 0.5]}, "position": [1, 1, 0.375]}
SLAB = {"id": "slab", "position": [1, 1, -0.5], "colliders": [{"box": {"size": [8, 8, 1]}}]}
STOOL = {"id": "stool", "position": [0, 0, 0.125], "colliders": [HAND, *FEET]}


@suite.fact
def a_cube_over_the_edge_of_another_has_two_corners_and_two_edge_crossings():
    result = of_two({"box": {"size": [2, 2, 2]}}, {"box": {"size": [1, 1, 1]}, "position": [0.75, 0.25, 1.375]})
    equal([result["distance"], result["normal"], result["relation"], result["depthKind"]], [-0.125, [0, 0, 1], "penetrating", "minimal"],
          "the pair")
    found = {tuple(p["position"]): (p["id"], p["kind"]) for p in result["points"]}
    # Face 5 is +z, vertex bits 1 and 2 are +x and +y, edge 7 along y at +x +z, edges 0 and 1 along x at -z and -y or +y.
    equal(found, {(0.25, -0.25, 0.9375): ("f5/v0", "faceVertex"), (0.25, 0.75, 0.9375): ("f5/v2", "faceVertex"),
                  (1, -0.25, 0.9375): ("e7/e0", "edgeEdge"), (1, 0.75, 0.9375): ("e7/e1", "edgeEdge")}, "points")
    for point in result["points"]:
        equal([point["distance"], point["normal"]], [-0.125, [0, 0, 1]], "distance and normal")
        equal(point["pointA"][2], 1, "height on a")
        equal(point["pointB"][2], 0.875, "height on b")


@suite.fact
def contact_ids_stay_while_the_same_features_are_in_contact():
    ids = []
    for x in (0.75, 0.8, 0.6, 1.25):
        result = of_two({"box": {"size": [2, 2, 2]}}, {"box": {"size": [1, 1, 1]}, "position": [x, 0.25, 1.375]})
        ids.append([p["id"] for p in result["points"]])
    equal(ids[1:], [ids[0]] * 3, "ids")


@suite.fact
def detail_sets_the_number_of_points():
    octagon = {"a": {"box": {"size": [2, 2, 2]}}, "b": {"box": {"size": [2, 2, 2]}, "position": [0, 0, 1.95],
                                                        "rotation": [0, 0, 0.3826834323650898, 0.9238795325112867]}}
    by = {d: of_two(**octagon, **({"detail": d} if d else {}))["points"] for d in ("full", "manifold", "deepest", None)}
    equal({d: len(points) for d, points in by.items()}, {"full": 8, "manifold": 4, "deepest": 1, None: 4}, "numbers of points")
    equal(by[None], by["manifold"], "points without detail")
    equal(by["deepest"], by["manifold"][:1], "the deepest point")
    check(all(p in by["full"] for p in by["manifold"]), "a point of the manifold is not among all")


@suite.fact
def every_pair_of_colliders_in_contact_is_a_result_of_its_own():
    path = scene([SLAB, STOOL])
    feet = [("slab", None, "stool", f"foot-{x}{y}", 4) for x in (0, 2) for y in (0, 2)]
    equal(names(ask(path)["results"]), feet, "results")
    equal(names(ask(path, {"clearance": 0.25})["results"]), [("slab", None, "stool", "hand", 4)] + feet, "results within 1/4")
    equal(names(ask(path, {"clearance": 0.2})["results"]), feet, "results within 1/5")


@suite.fact
def clearance_reports_points_apart():
    path = scene([cube("a", 0, 0, 0), cube("b", 0.25, 0.25, 1.25)])
    equal(ask(path)["results"], [], "results without clearance")
    result = ask(path, {"clearance": 0.25})["results"][0]
    equal([result["distance"], result["relation"], len(result["points"])], [0.25, "separated", 4], "result")
    check("depthKind" not in result, "a pair apart has a kind of depth")
    equal({p["distance"] for p in result["points"]}, {0.25}, "distances")


@suite.fact
def named_pairs_are_answered_even_when_apart():
    path = scene([SLAB, STOOL, cube("far", 20, 0, 0)], filters={"groups": {}, "pairs": [{"a": "slab", "b": "stool", "collide": False}]})
    equal(ask(path)["results"], [], "results that the filter leaves")
    wanted = [["stool", "far"], ["far", "slab"], ["stool", "slab"]]
    found = ask(path, {"pairs": wanted})["results"]
    equal([(r["a"], r["b"], len(r["points"])) for r in found],
          [("stool", "far", 0), ("far", "slab", 0)] + [("stool", "slab", 4)] * 4, "results")
    equal([found[0]["distance"], found[0]["relation"]], [17.25, "separated"], "the nearest colliders")
    apart = of_two({"sphere": {"radius": 1}}, {"sphere": {"radius": 1}, "position": [3, 0, 0]})
    equal([apart["distance"], apart["points"]], [1, []], "two balls apart")
    near_by = of_two({"sphere": {"radius": 1}}, {"sphere": {"radius": 1}, "position": [3, 0, 0]}, clearance=1)
    equal([(p["id"], p["kind"], p["position"]) for p in near_by["points"]], [("s0/s0", "smooth", [1.5, 0, 0])], "their point")


@suite.fact
def tolerance_changes_only_the_relation():
    apart = {"a": {"sphere": {"radius": 1}}, "b": {"sphere": {"radius": 1}, "position": [2.0009765625, 0, 0]}, "clearance": 1}
    plain, tolerant = of_two(**apart), of_two(**apart, tolerance=0.001)
    equal((plain.pop("relation"), tolerant.pop("relation")), ("separated", "touching"), "relations")
    equal(tolerant, plain, "the rest")


@suite.fact
def contacts_take_where_poses_and_variants():
    bodies = [cube("a", 0, 0, 0), cube("b", 0, 0, 0.875), cube("c", 0, 0, 1.75)]
    path = scene(bodies)
    equal([(r["a"], r["b"]) for r in ask(path)["results"]], [("a", "b"), ("b", "c")], "all pairs")
    equal([(r["a"], r["b"]) for r in ask(path, {"where": {"a": {"ids": ["c"]}}})["results"]], [("b", "c")], "where")
    moved = {"ids": ["b"], "positions": [[0, 0, 2.625]]}
    as_poses = ask(path, {"poses": moved})["results"]
    equal([(r["a"], r["b"], r["normal"]) for r in as_poses], [("b", "c", [0, 0, -1])], "what if")
    as_variants = ask(path, {"variants": [{"ids": [], "positions": []}, moved]})["results"]
    equal([v["results"] for v in as_variants], [ask(path)["results"], as_poses], "variants")
    inline = client.post("/v1/query/contacts", {"scene": {"bodies": bodies}}).must(200).json["results"]
    equal(inline, ask(path)["results"], "an inline scene")


@suite.fact
def a_batch_may_query_contacts():
    path = scene([SLAB, STOOL])
    queries = [{"id": "c", "kind": "contacts", "detail": "deepest"}, {"id": "d", "kind": "distance"}, {"kind": "contacts", "detial": "full"}]
    results = client.post(path + "/query", {"queries": queries}).must(200).json["results"]
    equal([r["httpStatus"] for r in results], [200, 200, 422], "statuses")
    equal(results[0]["result"]["results"], ask(path, {"detail": "deepest"})["results"], "contacts")
    equal(results[2]["problem"]["errors"][0]["suggestion"], "detail", "suggestion")


def pages(path, request, limit):
    joined, cursor = [], None
    for unused in range(100):
        page = ask(path, {**request, "limit": limit, **({"cursor": cursor} if cursor else {})})
        equal(page["count"], len(page["results"]), "count")
        joined += page["results"]
        cursor = page.get("nextCursor")
        if not cursor:
            return joined
        equal(page["count"], limit, "results of a page that is not the last")
    return joined


@suite.fact
def pages_may_end_between_the_colliders_of_one_pair():
    stools = [dict(STOOL, id=f"stool-{i}", position=[i * 0.3, 0, 0.125]) for i in range(4)]
    path = scene([SLAB, *stools, cube("last", 1, 1, 0.25)])
    ids = ["slab"] + [s["id"] for s in stools] + ["last"]
    every = [[a, b] for i, a in enumerate(ids) for b in ids[i + 1:]]
    for request in ({}, {"pairs": every}, {"broadphase": "tree"}, {"where": {"a": {"ids": ["slab"]}}}):
        whole = ask(path, request)["results"]
        check(len(whole) >= 17, f"only {len(whole)} results")
        for limit in (1, 3, 7):
            equal(pages(path, request, limit), whole, f"pages of {limit} of {json.dumps(request)[:40]}")
    variants = [{"ids": ["last"], "positions": [[x, 0, 0.2]]} for x in (0, 9)]
    whole = ask(path, {"variants": variants})["results"]
    by_variant, cursor = {}, None
    for unused in range(100):
        page = ask(path, {"variants": variants, "limit": 5, **({"cursor": cursor} if cursor else {})})
        for part in page["results"]:
            by_variant.setdefault(part["variant"], []).extend(part["results"])
        cursor = page.get("nextCursor")
        if not cursor:
            break
    equal([by_variant.get(v["variant"], []) for v in whole], [v["results"] for v in whole], "pages of variants")


@suite.fact
def results_are_those_of_distance_pair_by_pair():
    bodies = scenes.crowd(60) + [{"id": "floor", "colliders": [{"plane": {}}], "position": [0, 0, 0.7]}]
    path = scene(bodies)
    found = ask(path, {"clearance": 0.1, "detail": "full"})["results"]
    least = {}
    for r in found:
        key = (r["a"], r["b"])
        least[key] = min(least.get(key, 1e9), r["distance"])
        check(len(r["points"]) >= 1, f"{key} has no point")
        deepest = r["points"][0]["distance"]
        near(deepest, r["distance"], 1e-12, f"deepest point of {key}")
        for p in r["points"]:
            check(r["distance"] - 1e-12 <= p["distance"] <= 0.1 + 1e-12, f"a point of {key} is {p['distance']} apart")
            equal(p["normal"], r["normal"], "normal")
        ids = [p["id"] for p in r["points"]]
        equal(len(set(ids)), len(ids), f"ids of {key} that differ")
    distances = client.post(path + "/query/distance", {"clearance": 0.1}).must(200).json["results"]
    equal({(r["a"], r["b"]): r["distance"] for r in distances}, least, "distances by pair")


@suite.fact
def a_mesh_with_feet_has_one_patch_per_foot():
    feet, triangles = [], []
    for x in (0, 2, 4):
        first = len(feet)
        feet += [[x, 0, 0], [x + 1, 0, 0], [x, 1, 0], [x, 0, 1]]
        triangles += [[first + i for i in t] for t in ([0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2])]
    result = of_two({"plane": {}}, {"mesh": {"vertices": feet, "triangles": triangles}, "position": [0, 0, -0.125]})
    equal(result["distance"], -0.125, "distance")
    ids = [p["id"] for p in result["points"]]
    expected = [f"f0/v{4 * k + i}" + (f"#{k}" if k else "") for k in range(3) for i in range(3)]
    equal(sorted(ids), sorted(expected), "ids")
    box = of_two({"box": {"size": [9, 9, 1]}, "position": [0, 0, -0.5]}, {"mesh": {"vertices": feet[:4], "triangles": triangles[:4]}},
                 clearance=0.01)
    check(len(box["points"]) >= 3, f"only {len(box['points'])} points")
    near(box["points"][0]["distance"], box["distance"], 1e-12, "the deepest point")


# ---- velocities ----------------------------------------------------------------------------------------------------------

def wheel(**motion):
    """A wheel of radius 1/2 on the ground."""
    return {"id": "wheel", "position": [0, 0, 0.5], "motion": {"mass": 2, **motion}, "colliders": [{"sphere": {"radius": 0.5}}]}


GROUND = {"id": "ground", "colliders": [{"plane": {}}]}
ASKED = {"include": ["velocity"], "clearance": 0.25}


def point_of(bodies, **members):
    reply = client.post("/v1/query/contacts", {"scene": {"bodies": bodies}, **ASKED, **members}).must(200).json
    return reply["results"][0]["points"][0]


@suite.fact
def velocities_of_contacts_fall_into_three_classes_and_two_slips():
    for linear, angular, normal, slip, words in (
            ([0, 0, -2], [0, 0, 0], -2, [0, 0, 0], ("colliding", "sticking")),
            ([1, 0, 0], [0, 2, 0], 0, [0, 0, 0], ("resting", "sticking")),  # rolls
            ([1, 0, 0], [0, 0, 9], 0, [1, 0, 0], ("resting", "sliding")),  # slides, and spins about the normal
            ([0, 0, 3], [0, 2, 0], 3, [-1, 0, 0], ("separating", "sliding"))):
        point = point_of([GROUND, wheel(linearVelocity=linear, angularVelocity=angular)])
        equal((point["normalVelocity"], point["tangentialVelocity"]), (normal, slip), "velocities")
        equal(point["relativeVelocity"], [slip[0], slip[1], normal], "relative velocity")
        equal((point["class"], point["slip"]), words, "words")


@suite.fact
def the_velocity_tolerance_decides_the_classes_and_is_reported():
    """By default the speed gained in a fall over a millionth of the least radius; it depends on gravity."""
    path = scene([GROUND, wheel(linearVelocity=[0.01, 0, -0.02])], gravity=[0, 0, -4])
    reply = ask(path, ASKED)
    near(reply["velocityTolerance"], (2 * 4 * 0.5e-6) ** 0.5, 1e-12, "tolerance")
    for tolerance, words in ((0.02, ("resting", "sticking")), (0.019, ("colliding", "sticking")), (0.009, ("colliding", "sliding"))):
        reply = ask(path, {**ASKED, "velocityTolerance": tolerance})
        point = reply["results"][0]["points"][0]
        equal((reply["velocityTolerance"], point["class"], point["slip"]), (tolerance, *words), f"at {tolerance}")
    check("velocityTolerance" not in ask(path, {"clearance": 1}), "a tolerance of nothing")


@suite.fact
def only_the_relative_motion_counts_and_exchanged_bodies_negate_it():
    a = wheel(linearVelocity=[1, 2, 3])
    b = {**wheel(linearVelocity=[1, 2, 1], angularVelocity=[0, 0, 1]), "id": "upper", "position": [0, 0, 1.5]}
    path = scene([a, b])
    there, back = (ask(path, {**ASKED, "pairs": [pair]})["results"][0]["points"][0]
                   for pair in (["wheel", "upper"], ["upper", "wheel"]))
    equal((there["relativeVelocity"], there["normalVelocity"]), ([0, 0, -2], -2), "velocity")
    equal(back["relativeVelocity"], [-v + 0.0 for v in there["relativeVelocity"]], "exchanged")
    equal((back["normalVelocity"], back["class"]), (-2, "colliding"), "the same approach")
    lift = {"id": "lift", "position": [0, 0, -0.5], "motion": {"isKinematic": True, "linearVelocity": [1, 2, 4]},
            "colliders": [{"box": {"size": [4, 4, 1]}}]}
    equal(point_of([lift, a])["relativeVelocity"], [0, 0, -1], "of a body that is moved")


@suite.fact
def velocities_of_poses_and_variants_count():
    path = scene([GROUND, wheel(linearVelocity=[0, 0, 1])])

    def of(results):
        return results[0]["points"][0]["normalVelocity"]
    down = {"ids": ["wheel"], "linearVelocities": [[0, 0, -1]]}
    equal(of(ask(path, ASKED)["results"]), 1, "the scene's")
    equal(of(ask(path, {**ASKED, "poses": down})["results"]), -1, "of poses")
    still = {"ids": ["wheel"], "positions": [[0, 0, 0.5]]}
    fast = {"ids": ["wheel"], "linearVelocities": [[0, 0, -5]]}
    reply = ask(path, {**ASKED, "poses": down, "variants": [still, fast]})
    equal([of(v["results"]) for v in reply["results"]], [-1, -5], "of variants")
    queries = [{"kind": "contacts", **ASKED}, {"kind": "contacts", **ASKED, "poses": fast}]
    batch = client.post(path + "/query", {"queries": queries, "poses": down}).must(200).json
    equal([of(r["result"]["results"]) for r in batch["results"]], [-1, -5], "of a batch")


@suite.fact
def a_velocity_tolerance_needs_velocities():
    path = scene([GROUND, wheel()])
    client.post(path + "/query/contacts", {"velocityTolerance": 1}).problem(422, "conflicting-members", "/velocityTolerance")
    client.post(path + "/query/contacts", {**ASKED, "velocityTolerance": -1}).problem(422, "out-of-range", "/velocityTolerance")
    client.post(path + "/query/distance", {"velocityTolerance": 1}).problem(422, "unknown-member", "/velocityTolerance")


suite.main()
