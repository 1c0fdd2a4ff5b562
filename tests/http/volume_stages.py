"""Stages of volumetric intersections by their definitions, hulls of shapes, contacts that were present before sparsification, and
forces at volumetric contacts."""
import math
import random

from support.checks import Suite, check, equal, near, near_list
from support.client import Curl
from support.daemon import Daemon

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = Curl(daemon)
METHODS = ("auto", "dualHull", "solfec")


def dot(u, v):
    return sum(a * b for a, b in zip(u, v))


def sub(u, v):
    return [a - b for a, b in zip(u, v)]


def cross(u, v):
    return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]


def newell(points):
    total = [0, 0, 0]
    for i in range(1, len(points) - 1):
        total = [a + b for a, b in zip(total, cross(sub(points[i], points[0]), sub(points[i + 1], points[0])))]
    return total


def unit(q):
    n = math.sqrt(dot(q, q))
    return [c / n for c in q]


def post(path, request, status=200):
    return client.post(path, request, check=status == 200).must(status).json


def of_two(a, b, **rest):
    return post("/v1/query/volume", {"a": a, "b": b, **rest})["results"][0]


def random_body(r, at):
    pose = {"rotation": unit([r.uniform(-1, 1) for _ in range(4)]), "position": at}
    if r.random() < 0.3:
        return {"box": {"size": [r.uniform(0.5, 2) for _ in range(3)]}, **pose}
    return {"convex": {"vertices": [[r.uniform(-1, 1) for _ in range(3)] for _ in range(r.randrange(4, 30))]}, **pose}


def pairs(seed, count):
    """Pairs with a common solid that is not small, so that bad conditioning does not hide an error."""
    r = random.Random(seed)
    found = 0
    while found < count:
        a, b = random_body(r, [3, -2, 1]), random_body(r, [3 + r.uniform(-.5, .5), -2 + r.uniform(-.5, .5), 1 + r.uniform(-.5, .5)])
        if of_two(a, b)["volume"] > 0.01:
            found += 1
            yield a, b


def each(seed, count):
    for a, b in pairs(seed, count):
        for method in METHODS:
            found = of_two(a, b, method=method, include=["stages"], triangles=True)
            yield method, found, found["stages"]


@suite.fact
def row_4_the_inner_point_is_inside_of_all_planes_by_its_margin():
    for method, found, s in each(1, 12):
        least = min(f["offset"] - dot(f["normal"], s["innerPoint"]) for f in s["faces"])
        check(s["margin"] > 0, f"margin by {method}")
        near(s["margin"], least, 1e-12, f"margin by {method}")
        equal(("closestPoint" in s, "refinedPoint" in s), (method == "solfec",) * 2, "points of solfec")
        if method == "solfec":
            equal(s["refinedPoint"], s["innerPoint"], "the refined point")
        if method == "dualHull":
            moved = [[c + d for c, d in zip(s["innerPoint"], way)] for way in ([1e-4, 0, 0], [0, 1e-4, 0], [0, 0, 1e-4], [-1e-4, 0, 0])]
            for p in moved:
                check(min(f["offset"] - dot(f["normal"], p) for f in s["faces"]) <= s["margin"] + 1e-9, "the largest ball's centre")


@suite.fact
def row_5_dual_points_are_normals_over_distances_of_all_planes():
    for method, found, s in each(2, 12):
        for f in s["faces"]:
            p = s["dualPoints"][f["dualPoint"]]
            distance = f["offset"] - dot(f["normal"], s["innerPoint"])
            near_list(p["point"], [c / distance for c in f["normal"]], 1e-9 / s["margin"], f"dual point by {method}")
            equal([p.get(k) for k in ("owner", "faceA", "faceB")], [f.get(k) for k in ("owner", "faceA", "faceB")], "whose plane")
        used = {f["dualPoint"] for f in s["faces"]}
        equal({i for i, p in enumerate(s["dualPoints"]) if p["onHull"]}, used, "points on the hull")


@suite.fact
def row_6_the_dual_hull_is_the_convex_hull_of_the_dual_points():
    """Each face's points lie in its plane, in order, and no dual point is above it; each edge is there once each way."""
    for method, found, s in each(3, 12):
        points = [p["point"] for p in s["dualPoints"]]
        size = max(math.sqrt(dot(p, p)) for p in points)
        edges = [(loop[i], loop[(i + 1) % len(loop)]) for loop in s["dualHull"] for i in range(len(loop))]
        equal(len(set(edges)), len(edges), "edges, each once")
        equal({(b, a) for a, b in edges}, set(edges), "edges, the other way")
        equal(len({a for a, _ in edges}) - len(edges) // 2 + len(s["dualHull"]), 2, "Euler's sum")
        for loop in s["dualHull"]:
            corners = [points[i] for i in loop]
            normal = newell(corners)
            length = math.sqrt(dot(normal, normal))
            if length < 1e-9 * size * size:
                continue  # common vertices that coincide
            normal = [c / length for c in normal]
            offset = dot(normal, corners[0])
            check(offset > 0, "the origin is inside")
            slack = 1e-6 * size * size * size / length
            for i, p in enumerate(points):
                check(dot(normal, p) <= offset + slack, f"a dual point above a face by {method}")
                if i in loop:
                    near(dot(normal, p), offset, slack, "in its plane")


@suite.fact
def row_7_vertices_are_the_polar_of_the_dual_hull_and_faces_close_the_common_polyhedron():
    for method, found, s in each(4, 12):
        equal(len(s["vertices"]), len(s["dualHull"]), "a vertex for each face")
        for v, loop in zip(s["vertices"], s["dualHull"]):
            for i in loop:
                near(dot(s["dualPoints"][i]["point"], sub(v, s["innerPoint"])), 1, 1e-9 / s["margin"], f"polar by {method}")
        edges = [(f["vertices"][i], f["vertices"][(i + 1) % len(f["vertices"])]) for f in s["faces"] for i in range(len(f["vertices"]))]
        equal({(b, a) for a, b in edges}, set(edges), "edges, the other way")
        volume = 0
        for f in s["faces"]:
            corners = [s["vertices"][i] for i in f["vertices"]]
            normal = newell(corners)
            check(dot(normal, f["normal"]) >= 0, "counter-clockwise from outside")
            volume += dot(normal, f["normal"]) / 2 * (f["offset"] - dot(f["normal"], s["innerPoint"])) / 3
            for c in s["vertices"]:
                check(dot(f["normal"], c) <= f["offset"] + 1e-9, "below every plane")
        near(volume, found["volume"], 1e-5 if method == "solfec" else 1e-11, f"volume by {method}")


@suite.fact
def stages_mirror_when_the_pair_is_swapped_and_name_faces_of_elements():
    a = {"box": {"size": [1, 1, 1]}}
    b = {"convex": {"vertices": [[0.3, 0, 0], [1, -0.2, 0], [1, 0.3, 0], [1, 0, 0.4]]}}
    there, back = of_two(a, b, include=["stages"])["stages"], of_two(b, a, include=["stages"])["stages"]
    exchanged = {"a": "b", "b": "a", "shared": "shared"}
    equal([(exchanged[p["owner"]], p["point"]) for p in back["dualPoints"]], [(p["owner"], p["point"]) for p in there["dualPoints"]],
          "dual points")
    equal(back["vertices"], there["vertices"], "vertices")
    grid = [[x, y, z] for z in (0, 1, 2) for y in (0, 1) for x in (0, 1)]
    cells = {"hexmesh": {"vertices": grid, "hexahedra": [[0, 1, 3, 2, 4, 5, 7, 6], [4, 5, 7, 6, 8, 9, 11, 10]]}}
    answer = post("/v1/query/volume", {"a": cells, "b": {"box": {"size": [0.5, 0.5, 2]}, "position": [1, 0.5, 1]}, "include": ["stages"]})
    equal([r["elementA"] for r in answer["results"]], [0, 1], "elements")
    for r in answer["results"]:
        near(r["volume"], 0.125, 1e-12, "volume of a half column")
        check(all(f["faceA"] < 6 for f in r["stages"]["faces"] if "faceA" in f), "faces of the element")
        equal(len(r["stages"]["faces"]), 6, "faces of the common box")
    ball = of_two({"sphere": {"radius": 1}}, a, include=["stages"])
    check("stages" not in ball, "curved pairs have none")


# ---- hulls ------------------------------------------------------------------------------------------------------------------

def is_a_hull(hull, points):
    """All points are inside all faces, neighbours and edges describe one adjacency, and Euler's formula gives 2."""
    edges = {}
    for n, face in enumerate(hull["faces"]):
        loop = face["vertices"]
        for p in points:
            check(dot(face["normal"], p) <= face["offset"] + 1e-12, "a point above a face")
        for i, v in enumerate(loop):
            w = loop[(i + 1) % len(loop)]
            near(dot(face["normal"], hull["vertices"][v]), face["offset"], 1e-12, "in its plane")
            edges[(v, w)] = (n, face["neighbours"][i])
        check(dot(newell([hull["vertices"][v] for v in loop]), face["normal"]) > 0, "counter-clockwise from outside")
    for (v, w), (face, beyond) in edges.items():
        equal(edges[(w, v)], (beyond, face), "the neighbour")
    reported = {tuple(e["vertices"]): tuple(e["faces"]) for e in hull["edges"]}
    equal(reported, {e: f for e, f in edges.items() if e[0] < e[1]}, "edges")
    equal(len(hull["vertices"]) - len(reported) + len(hull["faces"]), 2, "Euler's sum")


@suite.fact
def row_2_faces_planes_and_adjacency_of_a_hull_posted_and_inline():
    r = random.Random(5)
    points = [[r.uniform(-1, 1) for _ in range(3)] for _ in range(60)]
    posted = client.post("/v1/shapes", {"convex": {"vertices": points}}).must(201).json
    plain = client.get(f"/v1/shapes/{posted['id']}").must(200).json
    check("hull" not in plain, "small unless asked")
    hull = client.get(f"/v1/shapes/{posted['id']}?include=hull").must(200).json["hull"]
    equal((len(hull["vertices"]), len(hull["faces"])), (posted["vertices"], posted["faces"]), "counts of the report")
    is_a_hull(hull, points)
    inline = post("/v1/query/massProperties", {"a": {"convex": {"vertices": points}}, "include": ["hulls"]})["results"][0]["hulls"]
    equal([{k: v for k, v in h.items() if k != "collider"} for h in inline], [hull], "the hull of an inline shape")
    sliced = [[1, 0, 0, -1], [-1, 0, 0, -1], [0, 1, 0, -1], [0, -1, 0, -1], [0, 0, 1, -1], [0, 0, -1, -1], [1, 1, 1, -2]]
    body = {"colliders": [{"id": "cut", "convex": {"planes": sliced, "surfaceIds": [9, 8, 7, 6, 5, 4, 3]}},
                          {"box": {"size": [1, 2, 3]}}, {"sphere": {"radius": 1}}]}
    found = post("/v1/query/massProperties", {"scene": {"bodies": [{"id": "x", **body}]}, "include": ["hulls"]})["results"][0]["hulls"]
    equal([h["collider"] for h in found], ["cut", 1], "colliders that have a hull")
    for h in found:
        is_a_hull(h, h["vertices"])
    equal(sorted(f["surfaceId"] for f in found[0]["faces"]), [3, 4, 5, 6, 7, 8, 9], "ids of the surfaces")
    by_id = {f["surfaceId"]: f["normal"] for f in found[0]["faces"]}
    near_list(by_id[3], [1 / math.sqrt(3)] * 3, 1e-15, "normal of the cut")
    equal(by_id[9], [1, 0, 0], "normal of +x")
    equal([f["normal"][k] for k, f in ((n // 2, f) for n, f in enumerate(found[1]["faces"]))], [-1, 1] * 3, "faces of a box")


@suite.fact
def a_hull_of_what_has_none_is_refused():
    ball = client.post("/v1/shapes", {"sphere": {"radius": 1}}).must(201).json["id"]
    for query in ("include=hull", "include=faces", "include="):
        client.get(f"/v1/shapes/{ball}?{query}", check=False).must(400)
    cube = client.post("/v1/shapes", {"box": {"size": [1, 1, 1]}}).must(201).json["id"]
    is_a_hull(client.get(f"/v1/shapes/{cube}?include=hull").must(200).json["hull"], [[0.5, 0.5, 0.5]])


# ---- contacts that were present ---------------------------------------------------------------------------------------------

CUBE = {"box": {"size": [1, 1, 1]}}
GROUND = {"id": "ground", "colliders": [{"box": {"size": [8, 8, 1]}, "position": [0, 0, -0.5]}]}


def plank(depth=0.0078125):
    """A plank of two halves with a sliver of a foot at one end."""
    return {"id": "plank", "position": [0, 0, 0.25 - depth], "motion": {"mass": 4}, "colliders": [
        {"id": "left", "box": {"size": [1, 1, 0.5]}, "position": [-0.5, 0, 0]}, {"id": "right", "box": {"size": [1, 1, 0.5]}, "position": [0.5, 0, 0]},
        {"id": "sliver", "box": {"size": [0.0625, 0.0625, 0.5]}, "position": [1.03125, 0, 0]}]}


def name_of(result):
    return {k: result[k] for k in ("a", "b", "colliderA", "colliderB", "elementA", "elementB") if k in result}


@suite.fact
def row_13_only_newly_detected_contacts_are_removed():
    scene = {"bodies": [GROUND, plank()]}
    fresh = post("/v1/query/volume", {"scene": scene, "sparsify": {}})
    equal([(r["colliderB"], r["reason"]) for r in fresh["removed"]], [("sliver", "adjacentRatio")], "removed when all are new")
    before = {"a": "plank", "colliderA": "sliver", "b": "ground"}
    for named in (before, {"a": "ground", "b": "plank", "colliderB": 2}):
        kept = post("/v1/query/volume", {"scene": scene, "sparsify": {"present": [named]}})
        equal((len(kept["results"]), kept["removed"]), (3, []), "named as present, either way round")
    gone = post("/v1/query/volume", {"scene": scene, "sparsify": {"present": [{"a": "ground", "b": "plank", "colliderB": "left", "elementB": 7}]}})
    equal(gone, fresh, "a name of no contact does no harm")


@suite.fact
def row_13_of_duplicate_contacts_the_present_one_is_kept():
    """Two equal cubes in one place of one body: of two new contacts the later one is kept, of an old and a new one
    the old."""
    twins = {"id": "twins", "position": [0, 0, 0.49], "colliders": [{"id": "x", **CUBE}, {"id": "y", **CUBE}]}
    scene = {"bodies": [GROUND, twins]}
    for present, left in (([], "y"), (["x"], "x"), (["y"], "y"), (["x", "y"], "xy")):
        names = [{"a": "ground", "b": "twins", "colliderB": c} for c in present]
        found = post("/v1/query/volume", {"scene": scene, "sparsify": {"present": names}})
        equal("".join(r["colliderB"] for r in found["results"]), left, f"what stays beside {present}")


@suite.fact
def row_13_contacts_that_stayed_stay_in_the_next_step():
    """A grid of elements on a box: the next step keeps the contacts that it names as present, although areas have changed."""
    grid = [[x / 4, y / 4, z / 4] for z in range(3) for y in range(5) for x in range(5)]
    at = lambda x, y, z: x + 5 * y + 25 * z
    cells = [[at(x, y, z), at(x + 1, y, z), at(x + 1, y + 1, z), at(x, y + 1, z), at(x, y, z + 1), at(x + 1, y, z + 1),
              at(x + 1, y + 1, z + 1), at(x, y + 1, z + 1)] for z in range(2) for y in range(4) for x in range(4)]
    block = {"id": "block", "colliders": [{"hexmesh": {"vertices": grid, "hexahedra": cells}}], "position": [-0.9, -0.9, -0.01]}
    first = post("/v1/query/volume", {"scene": {"bodies": [GROUND, block]}, "sparsify": {"threshold": 0.5}})
    block["position"] = [-0.9, -0.9, -0.26]
    names = [name_of(r) for r in first["results"]]
    second = post("/v1/query/volume", {"scene": {"bodies": [GROUND, block]}, "sparsify": {"threshold": 0.99, "minArea": 0.5, "present": names}})
    kept = [name_of(r) for r in second["results"]]
    check(all(n in kept for n in names), "a contact that was present is removed")
    check(len(second["removed"]) > 0, "new ones are removed")


@suite.fact
def names_of_present_contacts_are_checked():
    scene = {"bodies": [GROUND, plank()]}
    for name, pointer in (({"a": "ground", "b": "nobody", "colliderB": 0}, "/b"), ({"a": "ground", "b": "plank"}, "/colliderB"),
                          ({"a": "ground", "b": "plank", "colliderB": 3}, "/colliderB"), ({"a": "ground"}, "/b")):
        refused = post("/v1/query/volume", {"scene": scene, "sparsify": {"present": [name]}}, 422)
        equal(refused["errors"][0]["pointer"], "/sparsify/present/0" + pointer, "pointer")


# ---- forces -----------------------------------------------------------------------------------------------------------------

@suite.fact
def row_13_forces_at_sparsified_volumetric_contacts_are_those_at_the_same_contacts_given():
    scene = {"gravity": [0, 0, -8], "bodies": [GROUND, plank()]}
    for kind, extra in (("restingForces", {}), ("impulse", {"linearVelocity": [0.5, 0, -1]})):
        for sparsify in (None, {}, {"minArea": 0.5}):
            scene["bodies"][1]["motion"] = {"mass": 4, **extra}
            volume = post("/v1/query/volume", {"scene": scene, **({} if sparsify is None else {"sparsify": sparsify})})["results"]
            given = [{**{k: r[k] for k in ("a", "b", "colliderA", "colliderB") if k in r}, "position": r["position"], "normal": r["normal"]}
                     for r in volume]
            asked = {} if sparsify is None else {"sparsify": sparsify}
            found = post(f"/v1/query/{kind}", {"scene": scene, "volumetric": asked})["results"][0]
            same = post(f"/v1/query/{kind}", {"scene": scene, "contacts": given})["results"][0]
            equal(len(found["contacts"]), len(volume), "contacts")
            force = {"restingForces": "force", "impulse": "impulse"}[kind]
            equal([c[force] for c in found["contacts"]], [c[force] for c in same["contacts"]], f"{kind} with {sparsify}")
            equal([c["area"] for c in found["contacts"]], [r["area"] for r in volume], "areas")
            equal([c["distance"] for c in found["contacts"]], [r["gap"] for r in volume], "distances are the gaps")
            if kind == "restingForces":
                near_list([sum(c["force"][k] for c in found["contacts"]) for k in range(3)], [0, 0, 32], 1e-9, "the weight is held")


@suite.fact
def members_that_would_have_no_effect_are_refused():
    scene = {"bodies": [GROUND, plank()]}
    for beside, pointer in (({"detail": "full"}, "/detail"), ({"contacts": []}, "/volumetric")):
        refused = post("/v1/query/restingForces", {"scene": scene, "volumetric": {}, **beside}, 422)
        equal((refused["type"], refused["errors"][0]["pointer"]), ("/problems/conflicting-members", pointer), "beside volumetric")
    refused = post("/v1/query/volume", {"scene": scene, "include": ["stages"], "sparsify": {}}, 422)
    equal((refused["type"], refused["errors"][0]["pointer"]), ("/problems/conflicting-members", "/include"), "stages beside sparsify")
    post("/v1/query/restingForces", {"scene": scene, "volumetric": {"epsilon": 1e-5}}, 422)
    post("/v1/query/compliantForces", {"scene": scene, "volumetric": {}}, 422)


suite.main()
