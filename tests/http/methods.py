"""Methods by name: GJK with EPA, MPR and separating axes, on two bodies, scenes, compounds and variants."""
import math

from support.checks import Suite, check, equal, holds, near, near_list
from support.client import Curl
from support.daemon import Daemon

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = Curl(daemon)
CUBE = {"box": {"size": [1, 1, 1]}}
CORNERS = {"a": CUBE, "b": {**CUBE, "position": [1.3, 1.4, 2.2]}}
TOLERANCE = 1e-7


def ask(request, path="/v1/query/distance"):
    return client.post(path, request).must(200).json["results"]


@suite.fact
def a_portal_gives_the_distance_and_the_exact_normal():
    """T4.4: the portal is across z, the closest points are corners."""
    result = ask({**CORNERS, "method": "mpr", "include": ["supportPoints"]})[0]
    holds(result, {"method": "mpr", "relation": "separated", "status": "ok"})
    near(result["distance"], 1.3, 1e-14, "distance")
    near_list(result["normal"], [0, 0, 1], 1e-14, "normal")
    near_list(result["normalExact"], [3 / 13, 4 / 13, 12 / 13], 1e-14, "normalExact")
    check(result["toleranceReached"] <= TOLERANCE, "tolerance")
    equal(len(result["supportPoints"]), 3, "support points")
    for point in result["supportPoints"]:
        near(point["a"][2], 0.5, 0, "z of a")
        near(point["b"][2], 1.7, 1e-15, "z of b")
    check("supportPoints" not in ask({**CORNERS, "method": "mpr"})[0], "nobody asked for support points")


@suite.fact
def a_portal_distance_is_never_below_the_truth_and_its_bounds_contain_it():
    """T4.6, T4.7: a ball at the edge of a box, at distances 0.25 and -0.2."""
    for at, truth in (([1.3, 1.4, 0.2], 0.25), ([1.03, 1.04, 0.2], -0.2)):
        asked = {"a": {"box": {"size": [2, 2, 2]}}, "b": {"sphere": {"radius": 0.25}, "position": at}, "method": "mpr"}
        result = ask(asked)[0]
        check(abs(result["distance"]) >= abs(truth) - TOLERANCE, "nearer than the truth")
        check(result["lowerBound"] <= truth <= result["upperBound"], "bounds")
        near(result["distance"], truth, 4e-3, "distance")
        check("depthKind" not in result, "a portal's depth is not the least one")


@suite.fact
def the_tolerance_reached_by_a_portal_is_never_negative():
    """Boxes so far apart that round-off decides whether there is a portal; a negative toleranceReached would violate
    the schema."""
    for far in (1.3e8, 134779350.38557824, 148169547.11341354, 9e8):
        for order in ((1.3, far, 2.2), (far, 2.2, 1.3), (2.2, 1.3, far)):
            ask({"a": {"box": {"size": [1, 1, 1]}}, "b": {"box": {"size": [1, 1, 1]}, "position": order}, "method": "mpr"})


@suite.fact
def iteration_limits_are_kept_and_reported():
    a = {"ellipsoid": {"radii": [1, 0.5, 0.7]}}
    b = {"ellipsoid": {"radii": [0.6, 0.6, 0.4]}, "position": [1.2, 0.7, 0.3]}
    limited = ask({"a": a, "b": b, "method": "mpr", "mprTolerance": 1e-12, "maxIterations": 2})[0]
    holds(limited, {"status": "iterationLimit", "flags": ["toleranceRaised"]})
    check(limited["toleranceReached"] > 1e-12, "tolerance reached")
    check(limited["lowerBound"] <= 0.00868413 <= limited["upperBound"], "bounds")
    good = ask({"a": a, "b": b, "method": "mpr"})[0]
    holds(good, {"status": "ok"})
    check(good["toleranceReached"] < TOLERANCE, "tolerance")
    twins = ask({"a": {"sphere": {"radius": 1}}, "b": {"sphere": {"radius": 1}}, "method": "mpr"})[0]
    holds(twins, {"distance": -2, "status": "degenerate", "flags": ["normalArbitrary", "centresCoincide"]})


@suite.fact
def planes_are_named_by_their_features():
    """T3.6: the face +x of the first box, 0.2 from the second; and its overlap, whose depth is minus the separation."""
    for x, y in ((1.2, 0), (1.2, 0.5), (0.9, 0.25)):
        asked = {"a": CUBE, "b": {**CUBE, "position": [x, y, 0]}, "method": "separatingAxis", "include": ["separatingPlane"]}
        result = ask(asked)[0]
        equal(result["method"], "separatingAxis", "method")
        near(result["distance"], x - 1, 1e-15, "distance")
        holds(result["separatingPlane"], {"kind": "faceA", "featureA": 1, "normal": [1, 0, 0]})
        check("featureB" not in result["separatingPlane"], "a face of b")
        near(result["separatingPlane"]["separation"], x - 1, 1e-15, "separation")
    half = math.sqrt(0.5)
    crossed = {"a": {**CUBE, "rpy": [math.pi / 4, 0, 0]}, "b": {**CUBE, "rpy": [0, math.pi / 4, 0], "position": [0, 0, 2 * half + 0.25]}}
    plane = ask({**crossed, "method": "separatingAxis", "include": ["separatingPlane"]})[0]["separatingPlane"]
    equal((plane["kind"], plane["featureA"] // 4, plane["featureB"] // 4), ("edgeEdge", 0, 1), "edges along x of a and y of b")
    near(plane["separation"], 0.25, 1e-14, "separation")
    corner = ask({**CORNERS, "method": "separatingAxis", "include": ["separatingPlane"]})[0]
    near(corner["distance"], 1.3, 1e-14, "distance")
    near(corner["separatingPlane"]["separation"], 1.2, 1e-14, "the best plane of two corners is a face's")
    ball = ask({"a": CUBE, "b": {"sphere": {"radius": 1}, "position": [0, 3, 0]}, "method": "separatingAxis",
                "include": ["separatingPlane"]})[0]
    equal(ball["method"], "auto", "a ball has no faces")
    holds(ball["separatingPlane"], {"kind": "direction", "separation": 1.5, "normal": [0, 1, 0]})


@suite.fact
def scenes_and_variants_accept_every_method():
    """A floor is answered by auto; a compound by its nearest collider."""
    bodies = [{"id": "floor", "colliders": [{"plane": {}}]},
              {"id": "pole", "position": [0, 0, 5], "colliders": [CUBE, {**CUBE, "id": "far", "position": [1.5, 0, 0]}]},
              {"id": "cube", "position": [9, 0, 5], "colliders": [CUBE]}]
    client.put("/v1/scenes/methods", {"bodies": bodies}).must(201)
    path = "/v1/scenes/methods/query/distance"
    results = {(r["a"], r["b"]): r for r in ask({"method": "mpr", "clearance": 20}, path)}
    equal({pair: r["method"] for pair, r in results.items()},
          {("floor", "pole"): "auto", ("floor", "cube"): "auto", ("pole", "cube"): "mpr"}, "methods")
    holds(results["pole", "cube"], {"distance": 6.5, "colliderA": "far", "normal": [1, 0, 0]})
    asked = {"pairs": [["pole", "cube"]], "method": "separatingAxis", "include": ["separatingPlane", "gradient"],
             "variants": [{"ids": ["cube"], "positions": [[x, 0, 5]]} for x in (3, 4, 2)]}
    answers = [variant["results"][0] for variant in ask(asked, path)]
    equal([r["separatingPlane"]["separation"] for r in answers], [0.5, 1.5, -0.5], "separations")
    equal([r["distance"] for r in answers], [0.5, 1.5, -0.5], "distances")


@suite.fact
def a_swap_mirrors():
    there = ask({**CORNERS, "method": "mpr"})[0]
    back = ask({"a": CORNERS["b"], "b": CORNERS["a"], "method": "mpr"})[0]
    equal(there["distance"], back["distance"], "distance")
    equal([-x for x in there["normalExact"]], back["normalExact"], "normal")
    equal(there["pointA"], back["pointB"], "points")


@suite.fact
def gjk_epa_gives_the_closed_forms():
    """T4.1, T4.3, T4.7: two balls, two boxes, a ball in a box; and a capsule of two radii, which auto answers."""
    cases = ((("sphere", {"radius": 1}), ("sphere", {"radius": 0.5}), [1.2, 0.3, 0.1], math.sqrt(1.54) - 1.5),
             (("box", {"size": [1, 1, 1]}), ("box", {"size": [1, 1, 1]}), [0.9, 0.2, 0.1], -0.1),
             (("box", {"size": [2, 2, 2]}), ("sphere", {"radius": 0.25}), [1.03, 1.04, 0.2], -0.2))
    for (kind_a, a), (kind_b, b), at, truth in cases:
        pair = {"a": {kind_a: a}, "b": {kind_b: b, "position": at}, "method": "gjkEpa"}
        result = ask({**pair, "include": ["gradient"]})[0]
        holds(result, {"method": "gjkEpa", "status": "ok", "depthKind": "minimal"})
        near(result["distance"], truth, 1e-14, "distance")
        check(result["lowerBound"] <= truth <= result["upperBound"], "bounds")
        check("gradient" in result, "an exact distance has its gradient")
        overlap = ask(pair, "/v1/query/overlap")[0]
        holds(overlap, {"overlap": True, "method": "gjkEpa"})
    tapered = {"a": CUBE, "b": {"capsule": {"radiusBottom": 0.25, "radiusTop": 0.5, "height": 1}, "position": [2, 0, 0]}}
    holds(ask({**tapered, "method": "gjkEpa"})[0], {"method": "auto", "distance": 1})


@suite.fact
def the_reply_names_the_method_that_answered():
    """The pairs that the schema names: the method in the reply is auto where the requested one does not apply, in
    distance and overlap alike."""
    tapered = {"capsule": {"radiusBottom": 0.25, "radiusTop": 0.5, "height": 1}}
    rounded = {"box": {"size": [1, 1, 1]}, "roundingRadius": 0.125}
    ball = {"sphere": {"radius": 0.5}}
    half = math.sqrt(0.5)  # the half-space faces -x
    for body, takers in ((CUBE, {"gjkEpa", "mpr", "separatingAxis"}), (tapered, {"mpr"}), (rounded, {"gjkEpa", "mpr"}),
                         (ball, {"gjkEpa", "mpr"}), ({"plane": {}, "rotation": [0, -half, 0, half]}, set())):
        for x, overlap in ((2, False), (0.45, True)):
            for method in ("gjkEpa", "mpr", "separatingAxis"):
                pair = {"a": CUBE, "b": {**body, "position": [x, 0, 0]}, "method": method}
                by = method if method in takers else "auto"
                holds(ask(pair)[0], {"method": by})
                holds(ask(pair, "/v1/query/overlap")[0], {"method": by, "overlap": overlap})


@suite.fact
def overlap_accepts_every_method():
    for x, overlap in ((1.25, False), (0.75, True), (1.0, True)):
        for method in ("auto", "gjkEpa", "mpr", "separatingAxis"):
            result = ask({"a": CUBE, "b": {**CUBE, "position": [x, 0.25, 0]}, "method": method}, "/v1/query/overlap")[0]
            equal(result["overlap"], overlap, f"{method} at {x}")
            equal(result.get("method"), None if method == "auto" else method, "method")
            if overlap:
                check(x - 0.5 - 1e-7 <= result["position"][0] <= 0.5 + 1e-7, f"{method}: the witness is in both")
    pair = {"a": CUBE, "b": {**CUBE, "position": [1.25, 0.25, 0]}}
    plane = ask({**pair, "method": "separatingAxis", "include": ["separatingPlane"]}, "/v1/query/overlap")[0]["separatingPlane"]
    holds(plane, {"kind": "faceA", "separation": 0.25})
    portal = ask({**pair, "method": "mpr", "include": ["supportPoints"]}, "/v1/query/overlap")[0]
    holds(portal, {"status": "ok"})
    equal(len(portal["supportPoints"]), 3, "support points")
    floor = ask({"a": {"plane": {}}, "b": CUBE, "method": "mpr"}, "/v1/query/overlap")[0]
    holds(floor, {"overlap": True, "method": "auto"})


@suite.fact
def methods_agree_on_the_pairs_of_a_scene():
    """Boxes on a grid of quarters, where distances are exact in binary. Truth: interval arithmetic on the corners."""
    corners = [(i * 7 % 11 * 0.5, i * 5 % 7 * 0.5, i * 3 % 5 * 0.5) for i in range(40)]
    bodies = [{"id": f"b{i:02}", "position": list(p), "colliders": [CUBE]} for i, p in enumerate(corners)]
    client.put("/v1/scenes/grid", {"bodies": bodies}).must(201)
    wanted = [(f"b{i:02}", f"b{j:02}") for i in range(40) for j in range(i + 1, 40)
              if all(abs(p - q) <= 1 for p, q in zip(corners[i], corners[j]))]
    for method in ("auto", "gjkEpa", "separatingAxis"):
        results = ask({"method": method, "limit": 10000}, "/v1/scenes/grid/query/overlap")
        equal([(r["a"], r["b"]) for r in results], wanted, method)
    surely = [(f"b{i:02}", f"b{j:02}") for i in range(40) for j in range(i + 1, 40)
              if all(abs(p - q) < 1 for p, q in zip(corners[i], corners[j]))]
    by_portal = {(r["a"], r["b"]) for r in ask({"method": "mpr", "limit": 10000}, "/v1/scenes/grid/query/overlap")}
    check(set(surely) <= by_portal <= set(wanted), "mpr may err where boxes touch, no more")


@suite.fact
def members_without_their_method_are_refused():
    for more, pointer in (({"mprTolerance": 1e-3}, "/mprTolerance"), ({"maxIterations": 5, "method": "separatingAxis"}, "/maxIterations"),
                          ({"include": ["supportPoints"]}, "/include"), ({"include": ["separatingPlane"], "method": "mpr"}, "/include"),
                          ({"method": "mrp"}, "/method"), ({"method": "mpr", "mprTolerance": 0}, "/mprTolerance"),
                          ({"method": "mpr", "maxIterations": 0}, "/maxIterations")):
        problem = client.post("/v1/query/distance", {**CORNERS, **more}).must(422).json
        equal(problem["errors"][0]["pointer"], pointer, "pointer")
        problem = client.post("/v1/query/overlap", {**CORNERS, **more}).must(422).json
        equal(problem["errors"][0]["pointer"], pointer, "pointer of overlap")


suite.main()
