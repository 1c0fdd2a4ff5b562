"""Defective meshes by table. Each defect of a family is constructed. A refusal has its status, problem and pointer,
and leaves nothing behind; an accepted or repaired mesh has its warnings.
Truth: the construction; for self-intersection, every pair of triangles in fractions."""
import itertools
import json
import math
import random
import struct
from fractions import Fraction

from support.checks import Suite, check, equal, near
from support.client import Curl, KeepAlive
from support.daemon import Daemon

suite = Suite()
daemon = Daemon("--limit", "meshTriangles=5000", "--limit", "hullPoints=2000").start()
suite.cleanup(daemon.stop)
client = Curl(daemon)

SHAPES, SCENE = "/v1/shapes", "/v1/scenes/bad"
CORNERS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
CUBE = [(0, 2, 1), (0, 3, 2), (4, 5, 6), (4, 6, 7), (0, 1, 5), (0, 5, 4), (1, 2, 6), (1, 6, 5), (2, 3, 7), (2, 7, 6), (3, 0, 4), (3, 4, 7)]
TETRA = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
CUBE_POINTS = [list(map(float, c)) for c in CORNERS]


def moved(points, by, scale=1.0):
    return [[scale * p[i] + by[i] for i in range(3)] for p in points]


def turned(triangles):
    return [(a, c, b) for a, b, c in triangles]


def both(points_a, triangles_a, points_b, triangles_b):
    n = len(points_a)
    return points_a + points_b, triangles_a + [tuple(i + n for i in t) for t in triangles_b]


def mesh(points, triangles, **rest):
    return {"vertices": [list(p) for p in points], "triangles": [list(t) for t in triangles], **rest}


def stl(points, triangles, head=b"table"):
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *points[a], *points[b], *points[c], 0) for a, b, c in triangles)
    return head.ljust(80, b" ") + struct.pack("<I", len(triangles)) + body


def text_stl(points, triangles):
    facets = "".join("facet normal 0 0 0\nouter loop\n" + "".join("vertex {!r} {!r} {!r}\n".format(*points[i]) for i in t) +
                     "endloop\nendfacet\n" for t in triangles)
    return f"solid table\n{facets}endsolid table\n".encode()


def obj(points, triangles):
    return ("".join("v {!r} {!r} {!r}\n".format(*p) for p in points) +
            "".join("f {} {} {}\n".format(*(i + 1 for i in t)) for t in triangles)).encode()


def kept():
    return client.get(SHAPES).must(200).json["total"]


# ---- the families: the mesh, and the expected report -------------------------------------------------------------------------------

KEYHOLE = both(CUBE_POINTS, CUBE, moved(CUBE_POINTS, (0.25, 0.25, 0.25), 0.5), turned(CUBE))
NEEDLE = CUBE_POINTS + [[0.5, 1e-12, 0.0]]
ROOF = CUBE_POINTS + [[0.5, 0.5, 1.5]]
BOW = [(4, 5, 8), (5, 6, 8), (6, 7, 8), (7, 4, 8)]  # closes the cube without its top
FAMILIES = {
    # name: (points, triangles, report, types of warnings)
    "sound": (CUBE_POINTS, CUBE, {"solid": True, "watertight": True, "components": 1, "volume": 1.0, "area": 6.0}, []),
    "open: one triangle gone": (CUBE_POINTS, CUBE[1:], {"solid": False, "closed": False, "manifold": True}, ["openEdges"]),
    "open: one triangle alone": (CUBE_POINTS, CUBE[:1], {"solid": False, "closed": False, "triangles": 1}, ["openEdges", "unusedVertices"]),
    "inverted": (CUBE_POINTS, turned(CUBE), {"solid": True, "flipped": True, "watertight": True, "volume": 1.0}, ["flipped"]),
    "inconsistent: one triangle turned": (CUBE_POINTS, turned(CUBE[:1]) + CUBE[1:], {"solid": False, "oriented": False}, ["inconsistentEdges"]),
    "non-manifold edge: a fin": (CUBE_POINTS + [[2.0, 0.0, 0.5]], CUBE + [(0, 1, 8)],
                                 {"solid": False, "closed": False, "manifold": False, "selfIntersecting": True}, ["crowdedEdges", "openEdges"]),
    "non-manifold edge: two cubes by an edge": both(CUBE_POINTS, CUBE, moved(CUBE_POINTS, (1, 1, 0)), CUBE) + (
        {"solid": True, "closed": True, "oriented": True, "manifold": False, "watertight": False, "volume": 2.0}, ["crowdedEdges"]),
    "pinched vertex: two cubes by a corner": both(CUBE_POINTS, CUBE, moved(CUBE_POINTS, (1, 1, 1)), CUBE) + (
        {"solid": True, "closed": True, "manifold": False, "watertight": False, "volume": 2.0, "components": 1}, ["pinchedVertices"]),
    "duplicate triangles": (CUBE_POINTS, CUBE + CUBE[:3], {"solid": True, "watertight": True, "duplicatesDropped": 3, "triangles": 12},
                            ["duplicateTriangles"]),
    "zero area: a corner in the middle of an edge": (CUBE_POINTS + [[0.5, 0.0, 0.0]], CUBE + [(0, 8, 1)], {"degenerateDropped": 1, "triangles": 12},
                                                    ["degenerateTriangles", "unusedVertices"]),
    "needles: aspect 1e12": (NEEDLE, [(8, 1, 2) if t == (0, 2, 1) else t for t in CUBE[1:]] + [(0, 8, 1), (0, 2, 8), (8, 2, 1)],
                             {"solid": True, "watertight": True, "degenerateDropped": 0, "triangles": 14}, []),
    "two components": both(CUBE_POINTS, CUBE, moved(CUBE_POINTS, (3, 0, 0)), CUBE) + (
        {"solid": True, "watertight": True, "components": 2, "volume": 2.0}, []),
    "nested: a cavity": KEYHOLE + ({"solid": True, "watertight": True, "components": 2, "volume": 0.875}, []),
    "self-intersecting: two cubes into each other": both(CUBE_POINTS, CUBE, moved(CUBE_POINTS, (0.5, 0.5, 0.5)), CUBE) + (
        {"solid": True, "watertight": True, "components": 2, "volume": 2.0, "selfIntersecting": True}, ["selfIntersecting"]),
    "self-intersecting: a cube on a larger one": both(CUBE_POINTS, CUBE, moved(CUBE_POINTS, (-0.5, -0.5, 1), 2.0), CUBE) + (
        {"solid": True, "watertight": True, "components": 2, "volume": 9.0, "selfIntersecting": True}, ["selfIntersecting"]),
    "self-intersecting: an open sheet through another": ([[0, 0, 0], [2, 0, 0], [0, 2, 0], [0.5, 0.5, -1], [1, 0.5, 1], [0.5, 1, 1]],
                                                         [(0, 1, 2), (3, 4, 5)], {"solid": False, "selfIntersecting": True}, ["openEdges"]),
    "a roof instead of the top": (ROOF, [t for t in CUBE if t not in ((4, 5, 6), (4, 6, 7))] + BOW,
                                  {"solid": True, "watertight": True, "volume": 1.0 + 0.5 / 3}, []),
}


def found(reply, report, warnings):
    body = reply.must(201).json
    for name, value in ({"selfIntersecting": False} | report).items():
        if isinstance(value, float):
            near(body.get(name), value, 1e-14 * (1 + abs(value)), name)
        else:
            equal(body.get(name), value, name)
    equal(sorted({w["type"] for w in body["warnings"]}), sorted(warnings), "types of warnings")
    for warning in body["warnings"]:
        check(warning.get("count", 1) > 0 and warning["detail"], f"the warning {warning} says nothing")
    client.delete(SHAPES + "/" + body["id"]).must(200)


def families():
    for name, (points, triangles, report, warnings) in FAMILIES.items():
        # A soup has no vertex without triangles, but it may have one whose triangles all have no area.
        soup = [w for w in warnings if w != "unusedVertices" or "zero area" in name]
        yield name + ", JSON", lambda p=points, t=triangles, r=report, w=warnings: found(client.post(SHAPES, {"mesh": mesh(p, t)}), r, w)
        yield name + ", OBJ", lambda p=points, t=triangles, r=report, w=warnings: found(
            client.post(SHAPES + "?unit=m", obj(p, t), content_type="model/obj"), r, w)
        yield name + ", text STL", lambda p=points, t=triangles, r=report, w=soup: found(
            client.post(SHAPES + "?unit=m", text_stl(p, t), content_type="model/stl"), r, w)
        if "1e-12" not in json.dumps(points):
            yield name + ", binary STL", lambda p=points, t=triangles, r=report, w=soup: found(
                client.post(SHAPES + "?unit=m", stl(p, t), content_type="model/stl"), r, w)


suite.table("family", families())


# ---- self-intersection: every pair of triangles in fractions -----------------------------------------------------------------------


def minus(a, b):
    return tuple(x - y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def lies_in(p, t):
    n = cross(minus(t[1], t[0]), minus(t[2], t[0]))
    return dot(n, minus(p, t[0])) == 0 and all(dot(n, cross(minus(t[k - 2], t[k]), minus(p, t[k]))) >= 0 for k in range(3))


def lies_on(p, a, b):
    return not any(cross(minus(b, a), minus(p, a))) and dot(minus(p, a), minus(p, b)) <= 0


def corners_of_meeting(s, t):
    """The corners of the intersection of two triangles, and possibly other points of it."""
    n = cross(minus(t[1], t[0]), minus(t[2], t[0]))
    yield from (p for p in s if lies_in(p, t))
    for k in range(3):
        p, q = s[k], s[k - 2]
        high, low = dot(n, minus(p, t[0])), dot(n, minus(q, t[0]))
        if high != low:
            x = tuple(a + Fraction(high, high - low) * (b - a) for a, b in zip(p, q))
            if high * low <= 0 and lies_in(x, t):
                yield x
        elif high == 0:
            for i in range(3):
                # In the plane: intersection of p q with the line through t[i] along e.
                e = minus(t[i - 2], t[i])
                m = cross(n, e)
                high_in, low_in = dot(m, minus(p, t[i])), dot(m, minus(q, t[i]))
                if high_in != low_in and high_in * low_in <= 0:
                    x = tuple(a + Fraction(high_in, high_in - low_in) * (b - a) for a, b in zip(p, q))
                    if lies_on(x, t[i], t[i - 2]):
                        yield x


def meet_beyond_what_they_share(s, t):
    shared = [p for p in s if p in t]
    if len(shared) == 3:
        return True
    here = lambda p: p == shared[0] if len(shared) == 1 else len(shared) == 2 and lies_on(p, *shared)
    return any(not here(p) for p in itertools.chain(corners_of_meeting(s, t), corners_of_meeting(t, s)))


def soups(count):
    """Triangles between points of a small grid, where every special position occurs by chance."""
    rng = random.Random(11)
    for unused in range(count):
        points = rng.sample(list(itertools.product(range(4), range(4), range(rng.choice((1, 2, 4))))), rng.randint(5, 9))
        triangles = {tuple(rng.sample(range(len(points)), 3)) for unused in range(rng.randint(2, 4))}
        live = [t for t in sorted(triangles) if any(cross(minus(points[t[1]], points[t[0]]), minus(points[t[2]], points[t[0]])))]
        turns = {t: min(t[k:] + t[:k] for k in range(3)) for t in live}
        yield points, list({turn: t for t, turn in turns.items()}.values())


@suite.fact
def a_mesh_intersects_itself_if_a_pair_of_its_triangles_does():
    seen, kept_open = {True: 0, False: 0}, KeepAlive(daemon)
    for points, triangles in soups(400):
        if not triangles:
            continue
        at = [[points[i] for i in t] for t in triangles]
        truth = any(meet_beyond_what_they_share(s, t) for s, t in itertools.combinations(at, 2))
        report = kept_open.post(SHAPES, {"mesh": mesh(points, triangles)}, check=seen[truth] < 5).json
        equal(report["selfIntersecting"], truth, f"selfIntersecting of {points} {triangles}")
        seen[truth] += 1
    check(min(seen.values()) > 50, f"soups that meet themselves or not: {seen}")


@suite.fact
def a_cylinder_with_triangle_fans_as_caps_has_no_defects():
    n = 800
    rim = [[math.cos(2 * math.pi * i / n), math.sin(2 * math.pi * i / n)] for i in range(n)]
    points = [p + [z] for z in (0.0, 1.0) for p in rim] + [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    triangles = [t for i in range(n) for j in ((i + 1) % n,)
                 for t in ((i, j, n + j), (i, n + j, n + i), (2 * n, j, i), (2 * n + 1, n + i, n + j))]
    found(client.post(SHAPES, {"mesh": mesh(points, triangles)}), {"watertight": True, "solid": True, "selfIntersecting": False}, [])


@suite.fact
def self_intersection_is_unknown_if_too_many_boxes_overlap():
    # Slivers along the space diagonal, side by side.
    points = [[0.001 * i + far, far - 0.001 * i, far + thick] for i in range(5000) for far, thick in ((0, 0), (100, 0), (0, 0.0001))]
    found(client.post(SHAPES, {"mesh": mesh(points, [(3 * i, 3 * i + 1, 3 * i + 2) for i in range(5000)])}),
          {"selfIntersecting": None, "components": 5000}, ["openEdges", "selfIntersectionUnknown"])


# ---- needles ---------------------------------------------------------------------------------------------------------------------


def box_of_needles(long, thin):
    """A box of triangles of this aspect ratio, and the box primitive as truth."""
    points = [[x * long, y * thin, z * thin] for x, y, z in CUBE_POINTS]
    return {"mesh": mesh(points, CUBE)}, {"box": {"size": [long, thin, thin]}, "position": [long / 2, thin / 2, thin / 2]}


def needles(aspect):
    """The mesh answers as the box primitive, whose answers are closed forms; every normal has unit length."""
    long = max(1.0, aspect * 1e-9)  # no length is below 1e-9 m
    thin, rng = long / aspect, random.Random(aspect)
    needle, box = box_of_needles(long, thin)
    report = client.post(SHAPES, needle).must(201).json
    equal((report["degenerateDropped"], report["solid"], report["selfIntersecting"]), (0, True, False), "dropped, solid, intersecting")
    near(report["volume"], long * thin ** 2, 1e-14 * long * thin ** 2, "volume")
    client.delete(SHAPES + "/" + report["id"]).must(200)
    ask = lambda kind, body, other: client.post(f"/v1/query/{kind}", {"a": body, "b": other, "clearance": 9}).must(200).json["results"]
    for unused in range(6):
        at = [long * rng.uniform(0, 1) + rng.uniform(-0.5, 0.5), rng.uniform(-1, 1), rng.uniform(-1, 1)]
        axis = [rng.gauss(0, 1) for unused_too in range(4)]
        size = math.sqrt(sum(x * x for x in axis))
        for shape in ({"sphere": {"radius": 0.25}}, {"box": {"size": [0.25, 0.5, 0.125]}}, {"plane": {}}):
            other = {**shape, "position": at, "rotation": [x / size for x in axis]}
            one, two = ask("distance", needle, other)[0], ask("distance", box, other)[0]
            if two["distance"] > 0 or "plane" in shape:
                near(one["distance"], two["distance"], 1e-12 * long, f"distance to {other}")
            equal(one["distance"] <= 0, two["distance"] <= 0, f"overlap with {other}")
            contacts = ask("contacts", needle, other)
            check(contacts and contacts[0]["points"], f"no contact with {other}")
            for answer in [one, *contacts, *(p for c in contacts for p in c["points"])]:
                near(math.sqrt(sum(x * x for x in answer["normal"])), 1.0, 1e-14, "length of a normal")
    rays = [{"origin": [long * (0.25 + 0.01 * k), thin * 0.3, 1], "direction": [0, 0, -1]} for k in range(20)]
    hits = client.post("/v1/query/raycast", {"scene": {"bodies": [{"id": "n", "colliders": [needle]}]}, "rays": rays}).must(200).json["results"]
    equal([(h["ray"], h["normal"]) for h in hits], [(k, [0, 0, 1]) for k in range(20)], "first crossings")
    for hit in hits:
        near(hit["distance"], 1 - thin, 1e-15, "distance along the ray")


suite.table("needles of aspect", ((f"1e{power}", lambda power=power: needles(10 ** power)) for power in (3, 6, 8, 12)))


@suite.fact
def unused_vertices_are_reported_and_not_part_of_the_shape():
    found(client.post(SHAPES, {"mesh": mesh(CUBE_POINTS + [[9, 9, 9], [8, 8, 8]], CUBE)}),
          {"solid": True, "vertices": 8, "box": {"min": [0, 0, 0], "max": [1, 1, 1]}}, ["unusedVertices"])


@suite.fact
def a_mesh_required_to_be_solid_is_refused_at_its_first_bad_edge():
    before = kept()
    for name in ("open: one triangle gone", "inconsistent: one triangle turned", "non-manifold edge: a fin"):
        points, triangles, unused, unused_too = FAMILIES[name]
        refusal = client.post(SHAPES, {"mesh": mesh(points, triangles, solid=True)}).problem(422, "open-mesh")
        pointer = refusal.json["errors"][0]["pointer"]
        check(pointer.startswith("/mesh/triangles/"), f"{name}: pointer is {pointer}")
        check(int(pointer.split("/")[3]) < len(triangles), f"{name}: pointer is {pointer}")
        for body, kind in ((obj(points, triangles), "model/obj"), (stl(points, triangles), "model/stl"), (text_stl(points, triangles), "model/stl")):
            refusal = client.post(SHAPES + "?unit=m&solid=true", body, content_type=kind).problem(422, "open-mesh")
            check("triangle" in refusal.json["detail"] and "edge" in refusal.json["detail"], refusal.json["detail"])
    flat = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    client.post(SHAPES, {"mesh": mesh(flat, [(0, 1, 2), (0, 2, 1)], solid=True)}).problem(422, "open-mesh")
    equal(kept(), before, "shapes kept")


@suite.fact
def a_solid_may_be_read_as_a_surface_on_request():
    found(client.post(SHAPES, {"mesh": mesh(CUBE_POINTS, CUBE, solid=False)}), {"solid": False, "watertight": True}, [])
    found(client.post(SHAPES + "?unit=m&solid=false", stl(CUBE_POINTS, CUBE), content_type="model/stl"), {"solid": False, "closed": True}, [])


# ---- refused JSON ------------------------------------------------------------------------------------------------------------------

NO_AREA = [[0, 0, 0], [1, 1, 1], [2, 2, 2]]
rows = []  # name, mesh, problem, pointer below the mesh


def bad(name, value, problem, pointer):
    rows.append((name, value, problem, pointer))


def with_index(value, corner=1):
    triangle = [2, 3, 7]
    triangle[corner] = value
    return mesh(CUBE_POINTS, CUBE[:8]) | {"triangles": [list(t) for t in CUBE[:8]] + [triangle] + [list(t) for t in CUBE[9:]]}


for index in (8, -1, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 32 + 3, 2 ** 53, 1.5, 2.9999999999999996, 7.000000000000001, 1e300, -1e-300, 2, 7):
    bad(f"index {index!r}", with_index(index), "bad-index", "/triangles/8/2" if index == 7 else "/triangles/8/1")
for corner in range(3):
    bad(f"index 8 as corner {corner}", with_index(8, corner), "bad-index", f"/triangles/8/{corner}")
for value in (None, True, "3", [3], {}):
    bad(f"index {json.dumps(value)}", with_index(value), "wrong-type", "/triangles/8/1")
for count in (0, 1, 2, 4):
    bad(f"a triangle of {count}", mesh(CUBE_POINTS, CUBE[:2] + [tuple(range(count))]), "wrong-type", "/triangles/2")
bad("no triangles", mesh(CUBE_POINTS, []), "missing-member", "/triangles")
bad("two vertices", mesh(CUBE_POINTS[:2], [(0, 1, 1)]), "missing-member", "/vertices")
bad("triangles left out", {"vertices": CUBE_POINTS}, "missing-member", "/triangles")
bad("vertices left out", {"triangles": CUBE}, "missing-member", "/vertices")
bad("an unknown member", mesh(CUBE_POINTS, CUBE, normal=[]), "unknown-member", "/normal")
bad("vertices of two numbers", mesh([[0, 0], [1, 0], [0, 1]], [(0, 1, 2)]), "wrong-type", "/vertices/0")
bad("a vertex beyond 1e9 m", mesh(CUBE_POINTS[:7] + [[0, 1, 2e9]], CUBE), "out-of-range", "/vertices/7/2")
bad("too many triangles", mesh(CUBE_POINTS, CUBE * 500), "limit-exceeded", "/triangles")
bad("smaller than a size", mesh(moved(CUBE_POINTS, (0, 0, 0), 1e-10), CUBE), "out-of-range", "")
bad("all on a line", mesh(NO_AREA, [(0, 1, 2)]), "degenerate-mesh", "")
bad("all one point", mesh([[1, 2, 3]] * 3, [(0, 1, 2)]), "degenerate-mesh", "")
bad("solid of another type", mesh(CUBE_POINTS, CUBE, solid=1), "wrong-type", "/solid")
bad("convexHull of another type", mesh(CUBE_POINTS, CUBE, convexHull="yes"), "wrong-type", "/convexHull")
bad("solid beside convexHull", mesh(CUBE_POINTS, CUBE, convexHull=True, solid=True), "conflicting-members", "/solid")
NORMALS = [[0, 0, 1]] * 8
bad("normals beside convexHull", mesh(CUBE_POINTS, CUBE, convexHull=True, normals=NORMALS), "conflicting-members", "/normals")
for count in (0, 1, 7, 9):
    bad(f"{count} normals of 8 vertices", mesh(CUBE_POINTS, CUBE, normals=(NORMALS * 2)[:count]), "wrong-type", "/normals")
bad("normals of another type", mesh(CUBE_POINTS, CUBE, normals={}), "wrong-type", "/normals")
bad("a normal of two numbers", mesh(CUBE_POINTS, CUBE, normals=NORMALS[:3] + [[0, 1]] + NORMALS[:4]), "wrong-type", "/normals/3")
bad("a normal of no length", mesh(CUBE_POINTS, CUBE, normals=NORMALS[:7] + [[0, -0.0, 0]]), "out-of-range", "/normals/7")
bad("a normal that is hardly one", mesh(CUBE_POINTS, CUBE, normals=NORMALS[:7] + [[0, 9e-10, 0]]), "out-of-range", "/normals/7")
bad("a normal beyond 1e9", mesh(CUBE_POINTS, CUBE, normals=NORMALS[:7] + [[0, 0, 2e9]]), "out-of-range", "/normals/7/2")
bad("a flat convexHull", mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [(0, 1, 2), (0, 2, 3)], convexHull=True), "degenerate-hull", "/vertices")
bad("a bad index of a convexHull", mesh(CUBE_POINTS, CUBE[:1] + [(0, 1, 9)], convexHull=True), "bad-index", "/triangles/1/2")


def refuse(value, problem, pointer):
    total = kept()
    client.put(SCENE, {"bodies": []})
    before = client.get(SCENE)
    client.post(SHAPES, {"mesh": value}).problem(422, problem, "/mesh" + pointer)
    body = {"colliders": [{"mesh": value}]}
    client.put(SCENE + "/bodies/x", body).problem(422, problem, "/colliders/0/mesh" + pointer)
    client.post(SCENE + "/bodies", [{"id": "x", **body}]).problem(422, problem, "/0/colliders/0/mesh" + pointer)
    client.post("/v1/query/overlap", {"a": {"mesh": value}, "b": {"sphere": {"radius": 1}}}).problem(422, problem, "/a/mesh" + pointer)
    after = client.get(SCENE)
    equal((after.etag, after.body), (before.etag, before.body), "scene")
    equal(kept(), total, "shapes kept")


suite.table("refused", ((name, lambda v=value, p=problem, at=pointer: refuse(v, p, at)) for name, value, problem, pointer in rows))


@suite.fact
def numbers_that_json_or_a_double_does_not_have_are_no_indices():
    text = json.dumps({"mesh": mesh(CUBE_POINTS, CUBE)})
    for word in ("NaN", "Infinity", "01", "+1"):
        client.post(SHAPES, text.replace("[0, 2, 1]", f"[0, {word}, 1]", 1)).problem(400, "malformed-json")
    for word, problem in (("1e999", "out-of-range"), ("18446744073709551616", "bad-index")):
        client.post(SHAPES, text.replace("[0, 2, 1]", f"[0, {word}, 1]", 1)).problem(422, problem, "/mesh/triangles/0/1")


# ---- refused files -----------------------------------------------------------------------------------------------------------------


def refuse_file(body, kind, status, problem, words):
    total = kept()
    refusal = client.post(SHAPES + "?unit=m", body, content_type=kind).problem(status, problem)
    for word in words:
        check(word in refusal.json["detail"], f"{word!r} is not in {refusal.json['detail']!r}")
    equal(kept(), total, "shapes kept")


def files():
    whole = stl(CUBE_POINTS, CUBE)
    for cut in (0, 1, 79, 80, 83, 84, 85, 84 + 12, 84 + 24, 84 + 48, 84 + 49, 84 + 50, len(whole) - 50, len(whole) - 1):
        yield f"binary STL of {cut} bytes", (whole[:cut], "model/stl", 400, "malformed-file", [f"Byte {cut}"])
        yield f"binary STL that begins with solid, of {cut} bytes", (stl(CUBE_POINTS, CUBE, b"solid")[:cut], "model/stl", 400,
                                                                    "malformed-file", [])
    yield "binary STL with a byte too many", (whole + b"\0", "model/stl", 400, "malformed-file", ["685", "684"])
    for count in (0, 1, 11, 13, 2 ** 31, 2 ** 32 - 1):
        yield f"binary STL whose count is {count}", (whole[:80] + struct.pack("<I", count) + whole[84:], "model/stl", 400, "malformed-file", [str(count)])
    yield "binary STL of no triangle", (whole[:80] + bytes(4), "model/stl", 422, "degenerate-mesh", [])
    for bad_number in (math.nan, math.inf, -math.inf):
        points = CUBE_POINTS[:6] + [[1.0, bad_number, 1.0]] + CUBE_POINTS[7:]
        yield f"binary STL with {bad_number}", (stl(points, CUBE), "model/stl", 422, "bad-value", ["Byte", "y coordinate"])
        yield f"text STL with {bad_number}", (text_stl(points, CUBE), "model/stl", 422, "bad-value", ["Line", "y coordinate"])
        yield f"OBJ with {bad_number}", (obj(points, CUBE), "model/obj", 422, "bad-value", ["Line 7", "y coordinate"])
    far = CUBE_POINTS[:6] + [[1.0, 1.0, 1.5e9]] + CUBE_POINTS[7:]
    yield "binary STL beyond 1e9 m", (stl(far, CUBE), "model/stl", 422, "out-of-range", ["Byte"])
    yield "text STL beyond 1e9 m", (text_stl(far, CUBE), "model/stl", 422, "out-of-range", ["Line"])
    yield "OBJ beyond 1e9 m", (obj(far, CUBE), "model/obj", 422, "out-of-range", ["Line 7"])
    lines = text_stl(CUBE_POINTS, CUBE[:1]).decode().split("\n")
    for n in range(1, len(lines) - 2):
        yield f"text STL of {n} lines", ("\n".join(lines[:n]).encode(), "model/stl", 400, "malformed-file", [])
    yield "text STL of no triangle", (b"solid nothing\nendsolid nothing\n", "model/stl", 422, "degenerate-mesh", [])
    yield "text STL with a word of OBJ", (b"solid x\nv 0 0 0\nendsolid x\n", "model/stl", 400, "malformed-file", ["Line 2", '"v"'])
    yield "text STL with a comma", (b"solid x\nfacet normal 0 0 0\nouter loop\nvertex 0,5 0 0\n", "model/stl", 400, "malformed-file", ["Line 4", '"0,5"'])
    yield "an empty STL", (b"", "model/stl", 400, "malformed-file", [])
    yield "an empty OBJ", (b"", "model/obj", 422, "degenerate-mesh", [])
    yield "OBJ of points alone", (b"v 0 0 0\nv 1 0 0\nv 0 1 0\n", "model/obj", 422, "degenerate-mesh", [])
    three = b"v 0 0 0\nv 1 0 0\nv 0 1 0\n"
    for face in (b"0 1 2", b"1 2 4", b"1 2 -4", b"1 2 1.5", b"1 2 2147483648", b"1 2 4294967296", b"1 2 x", b"1 2 3/a", b"1 2 /3"):
        yield f"OBJ face {face.decode()}", (three + b"f " + face + b"\n", "model/obj", 422, "bad-index", ["Line 4"])
    yield "OBJ face of two corners", (three + b"f 1 2\n", "model/obj", 400, "malformed-file", ["Line 4"])
    yield "OBJ that is HTML", (b"<!doctype html>\n<html></html>\n", "model/obj", 400, "malformed-file", ["Line 1"])
    yield "STL as OBJ", (text_stl(CUBE_POINTS, CUBE), "model/obj", 400, "malformed-file", ["Line 1", "solid"])
    yield "OBJ as STL", (obj(CUBE_POINTS, CUBE), "model/stl", 400, "malformed-file", [])
    yield "OBJ with a polygon like a U", (b"v 0 0 0\nv 3 0 0\nv 3 2 0\nv 2 2 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4 5 6 7 8\n",
                                          "model/obj", 422, "bad-value", ["Line 9", "convex"])
    yield "OBJ of too many triangles", (three + b"f 1 2 3\n" * 5001, "model/obj", 422, "limit-exceeded", ["5000"])
    yield "STL of too many triangles", (stl(CUBE_POINTS, CUBE * 500), "model/stl", 422, "limit-exceeded", ["6000", "5000"])
    yield "STL smaller than a size", (stl(moved(CUBE_POINTS, (0, 0, 0), 1e-10), CUBE), "model/stl", 422, "out-of-range", [])


suite.table("file", ((name, lambda c=case: refuse_file(*c)) for name, case in files()))


# ---- accepted files ----------------------------------------------------------------------------------------------------------------


@suite.fact
def obj_in_its_many_spellings_is_the_same_cube():
    points = "".join("v {} {} {}\n".format(*p) for p in CORNERS)
    triples = [tuple(i + 1 for i in t) for t in CUBE]
    quads = "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
    spelled = {
        "triangles": points + "".join("f {} {} {}\n".format(*t) for t in triples),
        "quads": points + quads,
        "faces first": quads + points,
        "from the end": points + "".join("f {} {} {}\n".format(*(i - 9 for i in t)) for t in triples),
        "v/vt": points + "vt 0 0\n" + "".join("f {}/1 {}/1 {}/1\n".format(*t) for t in triples),
        "v//vn": points + "vn 0 0 1\n" + "".join("f {}//1 {}//1 {}//1\n".format(*t) for t in triples),
        "v/vt/vn": points + "vt 0 0\nvn 0 0 1\n" + "".join("f {}/1/1 {}/1/1 {}/1/1\n".format(*t) for t in triples),
        "colours and weights": points.replace("v 0 0 0\n", "v 0 0 0 1.0\n").replace("v 1 0 0\n", "v 1 0 0 0.5 0.5 0.5\n") + quads,
        "groups, materials, comments": "# cube\nmtllib a.mtl\no box\ng side one\n" + points + "usemtl red\ns 1\n" + quads.replace("f 5", "g top\nf 5"),
        "other line ends": (points + quads).replace("\n", "\r\n"),
        "joined lines": points + quads.replace("f 5 6 7 8", "f 5 6 \\\n  7 8"),
        "exponents": points.replace("1", "1.0e+00").replace("0 ", "0.0E0 ", 1) + quads,
        "a byte too few at the end": (points + quads)[:-1],
    }
    for name, text in spelled.items():
        report = client.post(SHAPES + "?unit=m", text, content_type="model/obj").must(201).json
        equal((report["triangles"], report["vertices"], report["watertight"], report["volume"], report["warnings"]), (12, 8, True, 1, []), name)


@suite.fact
def elements_of_an_obj_other_than_faces_are_reported():
    text = obj(CUBE_POINTS, CUBE) + b"l 1 2\np 3\ncurv 0 1 1 2\n"
    report = client.post(SHAPES + "?unit=m", text, content_type="model/obj").must(201).json
    equal([(w["type"], w["count"]) for w in report["warnings"]], [("elementsIgnored", 3)], "warnings")
    bent = b"v 0 0 0\nv 1 0 0\nv 1 1 0.25\nv 0 1 0\nf 1 2 3 4\n"
    report = client.post(SHAPES + "?unit=m", bent, content_type="model/obj").must(201).json
    equal([w["type"] for w in report["warnings"]], ["bentPolygons", "openEdges"], "warnings")


@suite.fact
def points_are_welded_only_if_their_bits_are_equal():
    off = [list(p) for p in CUBE_POINTS]
    triangles = "".join("facet normal 0 0 0\nouter loop\n" + "".join("vertex {!r} {!r} {!r}\n".format(*(
        (p[0] * (1 + 2 ** -52) if n == 3 and p[0] else p[0]), p[1], p[2])) for p in (off[i] for i in t)) + "endloop\nendfacet\n"
        for n, t in enumerate(CUBE))
    report = client.post(SHAPES + "?unit=m", f"solid x\n{triangles}endsolid x\n", content_type="model/stl").must(201).json
    check(not report["closed"], "points a bit apart were joined")
    zero = text_stl(CUBE_POINTS, CUBE).replace(b"0.0 0.0 0.0", b"-0.0 0.0 -0")
    check(client.post(SHAPES + "?unit=m", zero, content_type="model/stl").must(201).json["watertight"], "-0 and 0 were not joined")


# ---- meshes in scenes --------------------------------------------------------------------------------------------------------------


@suite.fact
def a_scene_returns_the_arrays_as_they_were_given():
    messy_points, messy = both(CUBE_POINTS, CUBE + CUBE[:2], [[5, 5, 5], [0.1, 1e-7, -3.25]], [])
    forms = [mesh(messy_points, messy), mesh(CUBE_POINTS, turned(CUBE), solid=True), mesh(CUBE_POINTS, CUBE, solid=False),
             mesh(CUBE_POINTS + [[0.5, 0.5, 0.5]], CUBE, convexHull=True), mesh(CUBE_POINTS, CUBE[3:]), mesh(CUBE_POINTS, CUBE, convexHull=False),
             mesh(CUBE_POINTS, CUBE, normals=[[i - 3.5, 1e-9, 0.1] for i in range(8)])]
    client.put("/v1/scenes/given", {"bodies": [{"id": f"b{i}", "colliders": [{"mesh": m}]} for i, m in enumerate(forms)]}).must(201)
    document = client.get("/v1/scenes/given").must(200)
    for form, body in zip(forms, document.json["bodies"]):
        wanted = {k: v for k, v in form.items() if (k, v) != ("convexHull", False)}
        equal(body["colliders"][0], {"mesh": wanted}, "collider")
    client.put("/v1/scenes/given", document.body).must(200)
    equal(client.get("/v1/scenes/given").body, document.body, "document")
    client.patch("/v1/scenes/given/bodies/b0", {"position": [1, 2, 3]}).must(200)
    equal(client.get("/v1/scenes/given/bodies/b0").json["colliders"], [{"mesh": forms[0]}], "colliders after a patch of the pose")


@suite.fact
def a_write_reports_its_repairs():
    messy = {"colliders": [{"mesh": mesh(CUBE_POINTS, turned(CUBE + CUBE[:2]))}]}
    reply = client.put("/v1/scenes/told", {"bodies": [{"id": "a", "colliders": [{"mesh": mesh(CUBE_POINTS, CUBE)}]}, {"id": "b", **messy}]}).must(201)
    found_ones = [(w["pointer"], w["type"], w.get("count")) for w in reply.json["warnings"]]
    at = "/bodies/1/colliders/0/mesh"
    equal(sorted(found_ones, key=str), sorted([(at, "duplicateTriangles", 2), (at, "flipped", None)], key=str), "warnings")
    reply = client.put("/v1/scenes/told/bodies/c", messy).must(201)
    equal({w["pointer"] for w in reply.json["warnings"]}, {"/colliders/0/mesh"}, "pointers")
    check("warnings" not in client.patch("/v1/scenes/told/bodies/c", {"position": [1, 0, 0]}).must(200).json, "a patch of the pose repairs nothing")
    many = client.post("/v1/scenes/told/bodies", [{"id": f"m{i}", **messy} for i in range(15)]).must(201).json
    equal((len(many["warnings"]), many["warningsOmitted"]), (20, 10), "warnings told and left out")


@suite.fact
def a_convex_hull_of_a_mesh_is_the_hull_of_its_vertices():
    dented = CUBE_POINTS[:6] + [[0.5, 0.5, 0.5]] + CUBE_POINTS[7:]
    ball = {"sphere": {"radius": 0.25}, "position": [2, 2, 2]}
    ask = lambda a: client.post("/v1/query/distance", {"a": a, "b": ball}).must(200).json["results"][0]
    equal(ask({"mesh": mesh(dented, CUBE, convexHull=True)}), ask({"convex": {"vertices": dented}}), "answer")
    report = client.post(SHAPES, {"mesh": mesh(CUBE_POINTS, CUBE, convexHull=True)}).must(201).json
    equal((report["kind"], report["vertices"], report["volume"]), ("convex", 8, 1), "report")


@suite.fact
def a_posted_mesh_and_its_scaled_copy_are_the_mesh():
    solid = client.post(SHAPES + "?unit=mm", stl(moved(CUBE_POINTS, (0, 0, 0), 1000.0), CUBE), content_type="model/stl").must(201).json["id"]
    ball = {"sphere": {"radius": 0.25}, "position": [5, 0.5, 0.5]}
    for scale in (1, 2, 0.5):
        body = {"a": {"shape": solid, "scale": scale}, "b": ball}
        near(client.post("/v1/query/distance", body).must(200).json["results"][0]["distance"], 5 - 0.25 - scale, 1e-15, "distance")
    mass = client.post("/v1/query/massProperties", {"a": {"shape": solid, "scale": 2}}).must(200).json["results"][0]
    near(mass["mass"], 8000, 1e-9, "mass at 1000 kg/m^3")


suite.main()
