"""Contact features over HTTP: every member of a result, pages, variants, batches, compounds, elements, open meshes,
the mirror.
The numbers themselves are proven in corpus/softmesh.py and in the engine's tests."""
import math

from support.checks import Suite, check, equal, near
from support.client import KeepAlive
from support.daemon import Daemon

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)

CORNERS = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]
FACES = [[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7], [0, 1, 5], [0, 5, 4], [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6], [3, 0, 4], [3, 4, 7]]
CUBE = {"vertices": CORNERS, "triangles": FACES}
OCTAHEDRON = {"vertices": [[.3, 0, 0], [-.3, 0, 0], [0, .3, 0], [0, -.3, 0], [0, 0, .3], [0, 0, -.3]],
              "triangles": [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]}
TURNED = {"rotation": [0.1, 0.2, 0.3, math.sqrt(1 - 0.14)]}
POINT = ["point", "face", "barycentric", "normal"]


def ball(rings, sectors, radius=1.0):
    points, faces = [[0, 0, radius]], []
    for i in range(1, rings):
        a = math.pi * i / rings
        points += [[radius * math.sin(a) * math.cos(b), radius * math.sin(a) * math.sin(b), radius * math.cos(a)]
                   for b in (2 * math.pi * j / sectors for j in range(sectors))]
    points.append([0, 0, -radius])
    for j in range(sectors):
        k = (j + 1) % sectors
        faces.append([0, 1 + j, 1 + k])
        faces.append([len(points) - 1, 1 + (rings - 2) * sectors + k, 1 + (rings - 2) * sectors + j])
        for i in range(rings - 2):
            a = 1 + i * sectors
            faces += [[a + j, a + sectors + j, a + sectors + k], [a + j, a + sectors + k, a + k]]
    return {"vertices": points, "triangles": faces}


def ask(body, path="/v1/query/features"):
    return client.post(path, body).must(200).json


@suite.fact
def row_33_a_feature_has_both_points_with_triangle_weights_normal_and_body():
    reply = ask({"a": {"mesh": OCTAHEDRON, "position": [.5, .4, 1.2]}, "b": {"mesh": CUBE}})
    equal((reply["kind"], reply["count"], reply["complete"], reply["statistics"]),
          ("features", 1, True, {"candidates": 1, "doubledEdges": 0}), "reply")
    result = reply["results"][0]
    equal(list(result), ["a", "b", "kind", "vertex", "mode"] + [p + s for s in "AB" for p in POINT] + ["distance", "normal", "status"], "members")
    equal((result["a"], result["b"], result["kind"], result["vertex"], result["faceA"], result["faceB"], result["status"]),
          ("a", "b", "vertexA", 5, 4, 2, "ok"), "T7.1")
    for got, wanted in zip(result["barycentricB"] + result["pointB"] + result["pointA"], [.5, .1, .4, .5, .4, 1, .5, .4, .9]):
        near(got, wanted, 1e-15, "T7.1")
    near(result["distance"], -.1, 1e-15, "T7.1")


@suite.fact
def points_may_be_beyond_the_largest_coordinate_of_bodies():
    """Positions of bodies are within 1e9 m; their corners may be beyond."""
    far = [1e9, 0, 0]
    results = ask({"a": {"mesh": CUBE, "position": far}, "b": {"mesh": CUBE, "position": far}})["results"]
    equal(max(r["pointA"][0] for r in results), 1e9 + 1, "the farthest corner")


@suite.fact
def concatenated_pages_are_the_whole_answer():
    pair = {"a": {"mesh": ball(8, 12)}, "b": {"mesh": ball(9, 11), "position": [.7, .3, .2], **TURNED}}
    bodies = [{"id": n, "position": [.7 * i, .3 * i, 0], "colliders": [{"mesh": ball(7, 9)}]} for i, n in enumerate("xyz")]
    client.put("/v1/scenes/pages", {"bodies": bodies})
    for path, body in (("/v1/query/features", pair), ("/v1/query/features", {"scene": {"bodies": bodies}}),
                       ("/v1/scenes/pages/query/features", {"mode": "both"}),
                       ("/v1/scenes/pages/query/features", {"pairs": [["z", "y"], ["x", "y"]]})):
        whole = ask(body, path)
        check(whole["count"] > 20 and {"vertexA", "vertexB"} <= {r["kind"] for r in whole["results"]}, "both kinds of vertices")
        for limit in (1000, 7):
            pages, cursor = [], None
            while True:
                page = ask({**body, "limit": limit, **({"cursor": cursor} if cursor else {})}, path)
                pages += page["results"]
                cursor = page.get("nextCursor")
                equal("statistics" in page, page["complete"] and limit == 1000, "statistics of a whole answer alone")
                if not cursor:
                    break
            equal(pages, whole["results"], f"pages of {limit}")


@suite.fact
def variants_and_batches_are_the_single_queries():
    bodies = [{"id": "x", "colliders": [{"mesh": CUBE}]}, {"id": "y", "position": [.9, .3, .2], "colliders": [{"mesh": CUBE}]},
              {"id": "far", "position": [9, 9, 9], "colliders": [{"sphere": {"radius": 1}}]}]
    client.put("/v1/scenes/what", {"bodies": bodies})
    path = "/v1/scenes/what/query/features"
    poses = [{"ids": ["y"], "positions": [p]} for p in ([.9, .3, .2], [.5, .5, .9], [5, 5, 5])]
    reply = ask({"variants": poses}, path)
    for variant, what in zip(reply["results"], poses):
        equal(variant["results"], ask({"poses": what}, path)["results"], "variant")
    equal([v["count"] > 0 for v in reply["results"]], [True, True, False], "features")
    batch = client.post("/v1/scenes/what/query", {"queries": [{"kind": "features", "mode": "closest"}, {"kind": "features", "mode": "up"}]}).must(200).json
    equal(batch["results"][0]["result"]["results"], ask({"mode": "closest"}, path)["results"], "of a batch")
    equal(batch["results"][1]["httpStatus"], 422, "of a batch")
    equal(ask({"where": {"a": {"ids": ["far"]}}}, path)["count"], 0, "of a ball")


@suite.fact
def colliders_of_compounds_are_named_and_those_without_triangles_have_none():
    a = {"id": "left", "colliders": [{"sphere": {"radius": .5}}, {"id": "lid", "mesh": CUBE, "position": [0, 0, 5]}, {"mesh": CUBE}]}
    b = {"id": "right", "position": [.9, .3, .2], "colliders": [{"mesh": CUBE}]}
    reply, alone = ask({"a": a, "b": b}), ask({"a": {"mesh": CUBE}, "b": {"mesh": CUBE, "position": [.9, .3, .2]}})
    equal({r["colliderA"] for r in reply["results"]}, {2}, "collider")
    strip = lambda r: {k: v for k, v in r.items() if k not in ("a", "b", "colliderA")}
    equal([strip(r) for r in reply["results"]], [strip(r) for r in alone["results"]], "features")
    b["position"] = [.9, .3, 5.2]
    equal({r["colliderA"] for r in ask({"a": a, "b": b})["results"]}, {"lid"}, "collider by its id")


@suite.fact
def an_open_mesh_is_unsupported():
    open_cube = {"vertices": CORNERS, "triangles": FACES[2:]}
    for a, b in ((open_cube, CUBE), (CUBE, open_cube), (dict(CUBE, solid=False), CUBE)):
        reply = ask({"a": {"mesh": a}, "b": {"mesh": b, "position": [.5, .5, .5]}})
        equal(reply["results"], [{"a": "a", "b": "b", "surface": True, "status": "unsupported", "flags": ["openMesh"]}], "results")


@suite.fact
def swapped_bodies_have_the_mirrored_features():
    a, b = {"mesh": ball(6, 8)}, {"mesh": ball(7, 9), "position": [.8, .5, .1], **TURNED}
    kinds = {"vertexA": "vertexB", "vertexB": "vertexA", "edgeEdge": "edgeEdge"}
    for mode in ("backward", "forward", "closest", "both"):
        one, two = (ask({"a": p, "b": q, "mode": mode})["results"] for p, q in ((a, b), (b, a)))
        turned = []
        for r in two:
            m = {k: r[k] for k in ("status", "distance") if k in r} | {"kind": kinds[r["kind"]], "normal": [-c + 0.0 for c in r["normal"]]}
            m |= {k: r[k] for k in ("mode", "vertex", "flags") if k in r}
            for p in POINT + ["edge"]:
                for s, o in ("AB", "BA"):
                    if p + o in r:
                        m[p + s] = r[p + o]
            turned.append(m)
        key = lambda r: (r["kind"], r.get("vertex", -1), r.get("mode", ""), r.get("edgeA", []), r.get("edgeB", []))
        bare = sorted(({k: v for k, v in r.items() if k not in "ab"} for r in one), key=key)
        equal(bare, sorted(turned, key=key), f"mirror, {mode}")


@suite.fact
def the_surface_of_elements_has_features_like_the_same_mesh():
    tets = [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]]
    other = {"mesh": ball(8, 8, .6), "position": [1.1, .9, .8], **TURNED}
    of_mesh = ask({"a": {"mesh": CUBE}, "b": other, "mode": "closest"})["results"]
    for member in ({"tetmesh": {"vertices": CORNERS, "tetrahedra": tets}}, {"hexmesh": {"vertices": CORNERS, "hexahedra": [list(range(8))]}}):
        of_elements = ask({"a": member, "b": other, "mode": "closest"})["results"]
        pick = lambda rs: sorted((r["kind"], r["vertex"], r["distance"], r["pointA"]) for r in rs if r["kind"] != "edgeEdge")
        check(len(pick(of_mesh)) > 3, "features")
        equal(len(pick(of_elements)), len(pick(of_mesh)), "features")
        for got, wanted in zip(pick(of_elements), pick(of_mesh)):
            equal(got[:2], wanted[:2], "vertex")
            near(got[2], wanted[2], 1e-15, "distance")


@suite.fact
def row_34_an_edge_depth_limits_pairs_of_edges():
    roof = {"vertices": [[x, y, z] for x in (-1, 1) for y, z in ((0, 0), (-1, -1), (1, -1))],
            "triangles": [[0, 1, 4], [0, 4, 3], [2, 0, 3], [2, 3, 5], [1, 2, 5], [1, 5, 4], [0, 2, 1], [3, 4, 5]]}
    down = {"position": [0, 0, -.02], "matrix": [[0, 1, 0], [1, 0, 0], [0, 0, -1]]}
    for depth, count in ((None, 1), (.03, 1), (.01, 0)):
        reply = ask({"a": {"mesh": roof}, "b": {"mesh": roof, **down}, **({"edgeDepth": depth} if depth else {})})
        equal(reply["count"], count, f"features within {depth}")
        for r in reply["results"]:
            equal((r["kind"], r["edgeA"], r["edgeB"], r["faceA"], r["faceB"]), ("edgeEdge", [0, 3], [0, 3], 1, 1), "T6.3")
            equal(list(r), ["a", "b", "kind", "edgeA", "edgeB"] + [p + s for s in "AB" for p in POINT] + ["distance", "normal", "status"], "members")
            for got, wanted in zip(r["pointA"] + r["pointB"] + r["normal"], [0, 0, 0, 0, 0, -.02, 0, 0, 1]):
                near(got, wanted, 1e-15, "T6.3")
            near(r["distance"], -.02, 1e-16, "T6.3")


@suite.fact
def crossing_bars_have_four_edge_crossings_upright_and_tilted():
    """Truth: the common solid of upright bars is a box 0.084 high, whose four upright edges join an edge of each bar."""
    def bar(x, y):
        return {"vertices": [[sx * x, sy * y, z] for z in (-.4, .4) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))], "triangles": CUBE["triangles"]}
    for tilt in (0, 1e-9, 1e-3):
        upper = {"mesh": bar(.4, 1), "position": [.03, .05, .716], "rotation": [tilt, 0, 0, math.sqrt(1 - tilt * tilt)]}
        for members in ({}, {"edgeDepth": .1}):
            reply = ask({"a": {"mesh": bar(1, .4)}, "b": upper, **members})
            equal([(r["kind"], r["edgeA"], r["edgeB"]) for r in reply["results"]],
                  [("edgeEdge", a, b) for a in ([4, 5], [6, 7]) for b in ([0, 3], [1, 2])], f"tilted by {tilt}")
            for r in reply["results"]:
                near(r["distance"], -.084, 4 * tilt + 1e-15, "depth")
        equal(ask({"a": {"mesh": bar(1, .4)}, "b": upper, "edgeDepth": .05})["count"], 0, "deeper than edgeDepth")
    # A corner inside a corner: six pairs of edges cross, all of which end in one of the two inner vertices.
    reply = ask({"a": {"mesh": CUBE}, "b": {"mesh": CUBE, "position": [.875, .25, .125]}})
    equal([r["kind"] for r in reply["results"]], ["vertexA", "vertexB"] + 6 * ["edgeEdge"], "features")
    equal(sum("doubled" in r.get("flags", []) for r in reply["results"]), reply["statistics"]["doubledEdges"], "doubled")
    check(reply["statistics"]["doubledEdges"] > 0, "some doubled")


INFLATED = ["Features are those of the triangles as given: margin and rounding of meshes do not count."]


@suite.fact
def margin_and_rounding_of_meshes_are_ignored_with_a_warning():
    lower, upper = {"mesh": CUBE}, {"mesh": OCTAHEDRON, "position": [.5, .4, 1.2]}
    bare = ask({"a": upper, "b": lower})
    check("warnings" not in bare, "none to warn of")
    for more in ({"margin": .125}, {"roundingRadius": .125, "roundingMode": "add"}):
        for a, b in ((upper | more, lower), (upper, lower | more)):
            reply = ask({"a": a, "b": b})
            equal(reply["results"], bare["results"], "triangles as given")
            equal(reply["warnings"], INFLATED, f"{more}")
    # In a scene the warning depends on the bodies of the query, and on colliders that have triangles.
    bodies = [{"id": "x", "colliders": [{"mesh": CUBE}]},
              {"id": "y", "position": [.9, .3, .2], "colliders": [{"mesh": CUBE}, {"sphere": {"radius": .1}, "margin": .1}]},
              {"id": "z", "position": [.9, .3, 5], "colliders": [{"mesh": CUBE, "margin": .1}]}]
    client.put("/v1/scenes/inflated", {"bodies": bodies})
    for what, warns in (({}, True), ({"pairs": [["x", "y"]]}, False), ({"pairs": [["x", "y"], ["z", "x"]]}, True),
                        ({"where": {"a": {"ids": ["x"]}, "b": {"ids": ["y"]}}}, False),
                        ({"where": {"a": {"ids": ["x"]}, "b": {"ids": ["z"]}}}, True)):
        equal(ask(what, "/v1/scenes/inflated/query/features").get("warnings"), INFLATED if warns else None, f"{what}")


@suite.fact
def equal_meshes_in_one_place_have_the_mirrored_normals():
    equal_pair = ask({"a": {"mesh": CUBE}, "b": {"mesh": CUBE}})["results"]
    equal(len(equal_pair), 16, "features")
    for r in equal_pair:
        equal(r["flags"], ["onSurface", "normalArbitrary"], "flags")
        sign = 1 if r["kind"] == "vertexA" else -1
        for got, x in zip(r["normal"], r["pointA"]):
            near(got, sign * (2 * x - 1) / math.sqrt(3), 1e-15, "out of the vertex' body")


suite.main()
