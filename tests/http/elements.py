"""Tetmeshes and hexmeshes over HTTP: arrays read back, posted shapes and their scaled copies, reports and warnings,
mass, and a query of each kind. Every query with every other kind of shape: matrix.py, matrix_probes.py. Refused
input: problems.py."""
import math
import os
import random

from support import exact_volume as exact
from support.checks import Suite, check, equal, near, near_list
from support.client import KeepAlive
from support.daemon import Daemon

suite = Suite()
daemon = Daemon("--limit", "meshElements=300").start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)
KUHN = [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]]


def block(kind, nx, ny, nz, place=lambda p: p, **more):
    """Unit cells, each a hexahedron or six tetrahedra around its diagonal."""
    number = lambda x, y, z: x + (nx + 1) * (y + (ny + 1) * z)
    vertices = [place([x, y, z]) for z in range(nz + 1) for y in range(ny + 1) for x in range(nx + 1)]
    cells = [[number(x + i, y + j, z + k) for k in (0, 1) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))]
             for z in range(nz) for y in range(ny) for x in range(nx)]
    if kind == "hexmesh":
        return {"hexmesh": dict(vertices=vertices, hexahedra=cells, **more)}
    return {"tetmesh": dict(vertices=vertices, tetrahedra=[[cell[i] for i in tet] for cell in cells for tet in KUHN], **more)}


def ask(kind, a, b=None, **rest):
    body = dict(rest, a=a) if b is None else dict(rest, a=a, b=b)
    return client.post(f"/v1/query/{kind}", body).must(200).json["results"]


def sheared(p):
    return [p[0] + 0.25 * p[1], p[1], 0.5 * p[2] + 0.125 * p[0]]


@suite.fact
def a_scene_returns_the_arrays_as_they_were_given():
    normals = [[i - 3.5, 1e-9, 0.1] for i in range(12)]
    forms = [block("tetmesh", 1, 1, 1), block("hexmesh", 2, 1, 1, sheared, surfaceIds=list(range(9, -1, -1))),
             block("tetmesh", 2, 1, 1, normals=normals, surfaceIds=[4294967295] + [0] * 19), block("hexmesh", 1, 2, 1, normals=normals),
             {"tetmesh": dict(block("tetmesh", 1, 1, 1)["tetmesh"], vertices=block("tetmesh", 1, 1, 1)["tetmesh"]["vertices"] + [[9, 9, 9]])}]
    client.put("/v1/scenes/given", {"bodies": [{"id": f"b{i}", "colliders": [form]} for i, form in enumerate(forms)]}).must(201)
    document = client.get("/v1/scenes/given").must(200)
    for form, body in zip(forms, document.json["bodies"]):
        equal(body["colliders"][0], form, "collider")
    client.put("/v1/scenes/given", document.body).must(200)
    equal(client.get("/v1/scenes/given").body, document.body, "document")


@suite.fact
def reports_count_elements_nodes_and_faces():
    for kind, elements, outer, each in (("tetmesh", 36, 44, 1 / 6), ("hexmesh", 6, 22, 1.0)):
        report = client.post("/v1/shapes", block(kind, 3, 2, 1)).must(201).json
        wanted = {"kind": kind, "elements": elements, "nodes": 24, "outerFaces": outer, "triangles": 44, "vertices": 24, "welded": 0,
                  "components": 1, "closed": True, "oriented": True, "manifold": True, "watertight": True, "solid": True,
                  "selfIntersecting": False, "volume": 6, "box": {"min": [0, 0, 0], "max": [3, 2, 1]}, "warnings": []}
        equal({k: report[k] for k in wanted}, wanted, "report")
        near(report["leastElementVolume"], each, 1e-15, "least element")
        near(report["greatestElementVolume"], each, 1e-15, "greatest element")
        near(report["area"], 22, 1e-13, "area")


@suite.fact
def unused_nodes_and_crowded_edges_are_warned_of():
    lone = block("hexmesh", 1, 1, 1)
    lone["hexmesh"]["vertices"] = lone["hexmesh"]["vertices"] + [[3, 3, 3], [4, 4, 4]]
    report = client.post("/v1/shapes", lone).must(201).json
    equal([(w["type"], w.get("count")) for w in report["warnings"]], [("unusedVertices", 2)], "warnings")
    # An interior node counts as used, although the surface does not have it.
    report = client.post("/v1/shapes", block("hexmesh", 2, 2, 2)).must(201).json
    equal((report["nodes"], report["vertices"], report["warnings"]), (27, 26, []), "a node inside")
    # Two cells that share only an edge.
    cells = block("hexmesh", 2, 2, 1)["hexmesh"]
    report = client.post("/v1/shapes", {"hexmesh": dict(cells, hexahedra=[cells["hexahedra"][0], cells["hexahedra"][3]])}).must(201).json
    equal(sorted(w["type"] for w in report["warnings"]), ["crowdedEdges", "unusedVertices"], "warnings of two cells at an edge")
    equal((report["solid"], report["manifold"], report["volume"]), (True, False, 2), "two cells at an edge")


@suite.fact
def more_elements_than_the_limit_are_refused():
    client.post("/v1/shapes", block("tetmesh", 5, 5, 2)).must(201)
    problem = client.post("/v1/shapes", block("hexmesh", 7, 43, 1)).problem(422, "limit-exceeded", "/hexmesh/hexahedra")
    equal((problem.json["errors"][0]["limit"], problem.json["errors"][0]["actual"]), (300, 301), "limit and actual")


@suite.fact
def a_posted_shape_and_its_scaled_copy_are_the_elements():
    ball = {"sphere": {"radius": 0.75}, "position": [2, 1.5, 1]}
    for kind in ("tetmesh", "hexmesh"):
        ids = [7] * (20 if kind == "tetmesh" else 10)
        form = block(kind, 2, 1, 1, sheared, surfaceIds=ids)
        shape = client.post("/v1/shapes", form).must(201).json["id"]
        for scale in (1, 0.5, 4):
            large = block(kind, 2, 1, 1, lambda p: [scale * x for x in sheared(p)], surfaceIds=ids)
            named = {"shape": shape} if scale == 1 else {"shape": shape, "scale": scale}
            for question in ("distance", "overlap", "contacts"):
                equal(ask(question, named, ball), ask(question, large, ball), f"{question} of {kind} at {scale}")
    small = client.post("/v1/shapes", block("tetmesh", 1, 1, 1, lambda p: [1e-4 * x for x in p])).must(201).json["id"]
    client.post("/v1/query/overlap", {"a": {"shape": small, "scale": 1e-6}, "b": ball}).problem(422, "out-of-range", "/a/scale")


@suite.fact
def mass_is_that_of_the_elements():
    for kind in ("tetmesh", "hexmesh"):
        answer = ask("massProperties", {"colliders": [block(kind, 4, 2, 1)], "motion": {"density": 3}})[0]
        near(answer["volume"], 8, 1e-14, "volume")
        near(answer["mass"], 24, 1e-13, "mass")
        near_list(answer["centerOfMass"], [2, 1, 0.5], 1e-14, "centre")
        near_list(sorted(answer["principalMoments"]), sorted([24 / 12 * (4 + 1), 24 / 12 * (16 + 1), 24 / 12 * (16 + 4)]), 1e-12, "moments")


@suite.fact
def an_overlap_names_the_deepest_elements():
    # The ball's centre is in the second of three cells, whose shortest exit is upward: 0.375 plus the radius.
    ball = {"sphere": {"radius": 0.25}, "position": [1.5, 0.5, 0.625]}
    answer = ask("distance", block("hexmesh", 3, 1, 1), ball, include=["gradient"])[0]
    near(answer["distance"], -0.625, 1e-14, "distance")
    equal((answer["depthKind"], answer["elementA"], answer["overlappingElementPairs"], answer["relation"]), ("element", 1, 1, "containing"), "answer")
    check("elementB" not in answer and "triangleA" not in answer, f"the ball has no elements: {answer}")
    near_list(answer["normal"], [0, 0, 1], 1e-14, "normal")
    near_list(answer["pointA"], [1.5, 0.5, 1], 1e-14, "pointA")
    near_list(answer["gradient"]["b"]["translation"], [0, 0, 1], 1e-14, "gradient")
    # A larger ball is in all three cells.
    answer = ask("distance", block("hexmesh", 3, 1, 1), {"sphere": {"radius": 0.75}, "position": [1.5, 0.5, 0.5]})[0]
    near(answer["distance"], -1.25, 1e-14, "distance of the wider one")
    equal((answer["elementA"], answer["overlappingElementPairs"]), (1, 3), "elements of the wider one")


@suite.fact
def a_separated_pair_names_the_nearest_elements():
    answer = ask("distance", block("hexmesh", 3, 1, 1), dict(block("tetmesh", 1, 1, 1), position=[3.5, 0.25, 0.125]))[0]
    equal((answer["distance"], answer["elementA"], answer["relation"]), (0.5, 2, "separated"), "answer")
    check(0 <= answer["elementB"] < 6 and "depthKind" not in answer and "overlappingElementPairs" not in answer, f"apart: {answer}")


@suite.fact
def a_mesh_in_a_tetmesh_has_the_penetration_depth_of_a_feature():
    cube = {"mesh": {"vertices": [[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)],
                     "triangles": [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6],
                                   [1, 3, 5], [3, 7, 5]]}, "position": [0.75, 0.25, 0.125]}
    answer = ask("distance", block("tetmesh", 1, 1, 1), cube)[0]
    equal((answer["depthKind"], "overlappingElementPairs" in answer), ("feature", False), "kind of depth")
    check(answer["distance"] < 0, f"distance {answer['distance']}")


@suite.fact
def rays_and_points_meet_the_surface():
    scene = {"bodies": [{"id": "block", "colliders": [block("tetmesh", 2, 2, 2)]}]}
    hits = client.post("/v1/query/raycast", {"scene": scene, "hits": "all", "rays": [{"origin": [0.3, 0.6, 5], "direction": [0, 0, -1]}]})
    equal([(h["distance"], h["entering"]) for h in hits.must(200).json["results"]], [(3, True), (5, False)], "crossings, none within")
    near_by = client.post("/v1/query/nearest", {"scene": scene, "points": [[1, 1, 1.5], [1, 1, 4]], "k": 1}).must(200).json["results"]
    equal([h["distance"] for h in near_by], [-0.5, 2], "signed distances")
    held = client.post("/v1/query/point", {"scene": scene, "points": [[1, 1, 1], [3, 1, 1]]}).must(200).json["results"]
    equal([h["point"] for h in held], [0], "points held")
    near(math.sqrt(sum(x * x for x in near_by[1]["normal"])), 1, 1e-14, "normal")


CELL = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1], [0.5, 0.5, 2]]


def mixed(*elements, **more):
    return {"elementmesh": dict(vertices=CELL, elements=list(elements), **more)}


@suite.fact
def mixed_elements_that_make_no_solid_are_refused():
    """The problem names the element and the fault of the element or of its face."""
    for shape, problem, pointer, words in (
            (mixed([0, 1, 2, 3], [0, 1, 2, 3, 4, 5, 6]), "wrong-type", "/elements/1", "7 corners"),
            (mixed([4, 5, 6, 0, 1, 2]), "bad-element", "/elements/0", "exchange the two triangles"),
            (mixed([3, 2, 1, 0, 6]), "bad-element", "/elements/0", "inside out"),
            (mixed([0, 1, 2, 4, 5, 5]), "bad-index", "/elements/0/5", "twice"),
            (mixed([0, 1, 2, 3, 4, 5, 6, 7], [4, 5, 6, 8]), "bad-element", "/elements/1",
             "vertices 4, 6 and 5 covers half of a quadrilateral face of the earlier element 0"),
            (mixed([4, 5, 6, 8], [0, 1, 2, 3, 4, 5, 6, 7]), "bad-element", "/elements/1", "half covered by a triangular"),
            (mixed([0, 1, 2, 4, 5, 6], surfaceIds=[1] * 4), "wrong-type", "/surfaceIds", "5")):
        reply = client.post("/v1/shapes", shape).problem(422, problem, "/elementmesh" + pointer)
        check(words in reply.json["errors"][0]["detail"], f"{words!r} is not in {reply.text}")


@suite.fact
def pyramids_and_wedges_have_the_mass_of_their_solids():
    """Base [-1, 1]^2 and height 3; a right triangle with legs 1 and a length of 2: volume, centre, principal
    moments."""
    pyramid = {"elementmesh": {"vertices": [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, 0, 3]], "elements": [[0, 1, 2, 3, 4]]}}
    wedge = {"elementmesh": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 2], [1, 0, 2], [0, 1, 2]], "elements": [[0, 1, 2, 3, 4, 5]]}}
    for shape, volume, center, moments in (
            (pyramid, 4, [0, 0, 0.75], [1.6, 2.15, 2.15]),
            (wedge, 1, [1 / 3, 1 / 3, 1], [1 / 9, 1 / 18 + 1 / 3 - 1 / 36, 1 / 18 + 1 / 3 + 1 / 36])):
        answer = ask("massProperties", {"colliders": [shape], "motion": {"density": 2}})[0]
        near(answer["volume"], volume, 1e-14, "volume")
        near_list(answer["centerOfMass"], center, 1e-14, "centre")
        near_list(sorted(answer["principalMoments"]), [2 * m for m in moments], 1e-13, "moments")


CUTS = ([[0, 1, 2, 4, 5, 6], [2, 3, 0, 6, 7, 4]], [[5, 6, 2, 1, 0], [2, 6, 7, 3, 0], [7, 6, 5, 4, 0]],
        [[1, 4, 3, 0], [1, 3, 6, 2], [1, 6, 4, 5], [3, 4, 6, 7], [1, 3, 4, 6]], [[0, 1, 2, 4, 5, 6], [2, 0, 4, 6, 3], [3, 4, 7, 6]])


def volume6(a, b, c, d):
    u, v, w = ([q - p for p, q in zip(CELL[a], CELL[i])] for i in (b, c, d))
    return sum(w[k] * (u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3]) for k in range(3))


@suite.fact
def a_cube_in_elements_of_any_type_is_the_hexahedron():
    """Two wedges, three pyramids, five tetrahedra, and a mix of wedge, pyramid and tetrahedron answer every query as
    one hexahedron does."""
    rng = random.Random(20261123)
    frame = lambda p: [p[0] + 0.25 * p[1], p[1] - 0.125 * p[2], 0.75 * p[2]]
    solid = {"hexmesh": {"vertices": [frame(p) for p in CELL[:8]], "hexahedra": [list(range(8))]}}
    overlapping = 0
    for elements in CUTS:
        elements = [e if len(e) > 4 or volume6(*e) > 0 else [e[1], e[0], *e[2:]] for e in elements]
        cut = {"elementmesh": {"vertices": [frame(p) for p in CELL[:8]], "elements": elements}}
        for unused in range(10):
            other = {"box": {"size": [1, 0.5, 0.75]}, "position": [rng.uniform(-1, 2) for unused in range(3)],
                     "rpy": [rng.uniform(-3, 3) for unused in range(3)]}
            first, second = (ask("distance", shape, other)[0] for shape in (solid, cut))
            equal(second["distance"] > 0, first["distance"] > 0, "overlap")
            if first["distance"] > 0:
                near(second["distance"], first["distance"], 1e-12, "distance")
            volumes = [sum(r["volume"] for r in ask("volume", shape, other)) for shape in (solid, cut)]
            near(volumes[1], volumes[0], 1e-13, "volume")
            overlapping += volumes[0] > 0
            lines = {"hits": "all", "rays": [{"origin": [rng.uniform(0, 1) for unused in range(3)],
                                              "direction": [rng.uniform(-1, 1) for unused in range(3)]}]}
            hits = [client.post("/v1/query/raycast", {**lines, "scene": {"bodies": [{"id": "a", "colliders": [shape]}]}}).must(200).json["results"]
                    for shape in (solid, cut)]
            equal([h["entering"] for h in hits[1]], [h["entering"] for h in hits[0]], "crossings")
            near_list([h["distance"] for h in hits[1]], [h["distance"] for h in hits[0]], 1e-12, "crossings")
    check(overlapping > 5, f"{overlapping} overlap")


# Faces by corner numbers, oriented outward, in the order of the faces of each type.
FACES = {4: ([0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 2, 1]), 5: ([0, 3, 2, 1], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]),
         6: ([0, 2, 1], [3, 4, 5], [0, 1, 4, 3], [1, 2, 5, 4], [2, 0, 3, 5]),
         8: ([0, 4, 7, 3], [1, 2, 6, 5], [0, 1, 5, 4], [3, 7, 6, 2], [0, 3, 2, 1], [4, 5, 6, 7])}
POINTS = CELL[:8] + [[2, 0, 0], [2, 1, 0], [0.5, 0.5, 2], [1.5, 0.5, 1.5]]
EACH = [[0, 1, 2, 3, 4, 5, 6, 7], [2, 9, 6, 1, 8, 5], [4, 5, 6, 7, 10], [5, 6, 10, 11]]


@suite.fact
def volumes_of_mixed_elements_are_those_of_exact_clipping():
    """One element of each type and a box in arbitrary poses. Truth: each element clipped by the box in fractions."""
    full = bool(os.environ.get("CONTACTD_FULL"))
    seed = int(os.environ.get("CONTACTD_SEED", random.SystemRandom().randrange(2 ** 32) if full else 20261123))
    if full:
        print(f"seed {seed}", flush=True)
    rng, seen = random.Random(seed), [0] * 4
    number = lambda low, high: round(rng.uniform(low, high) * 1024) / 1024
    corners = [[x, y, z] for z in (-0.5, 0.5) for y in (-0.375, 0.375) for x in (-0.5, 0.5)]
    sides = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]]
    for unused in range(500 if full else 25):
        turn, place = [number(-1, 1) for unused in range(4)], [number(0, 1.75), number(0, 1), number(0.25, 1.75)]
        turn = [c / math.sqrt(sum(x * x for x in turn)) for c in turn]
        box = exact.polygons(exact.place([exact.exact(p) for p in corners], turn, place), sides)
        found = ask("volume", {"elementmesh": {"vertices": POINTS, "elements": EACH}},
                    {"box": {"size": [1, 0.75, 1]}, "rotation": turn, "position": place})
        parts = {r["elementA"]: r["volume"] for r in found}
        for number_of, element in enumerate(EACH):
            faces = exact.polygons([exact.exact(POINTS[i]) for i in element], FACES[len(element)])
            volume = exact.common(faces, box)[0]
            near(parts.get(number_of, 0.0), float(volume), 1e-12 * max(float(volume), 1e-3), f"element {number_of} at {place} {turn}")
            seen[number_of] += volume > 0
    check(min(seen) > 3, f"overlaps of each type: {seen}")


suite.main()
