"""Volumes of thin common solids against exact clipping in fractions: thickness 1 m to 1e-12 m, any orientation, near
the origin and far from it."""
import json
import math
import os
import random
from decimal import Decimal
from fractions import Fraction

from support import exact_volume as exact
from support.checks import Suite, check, equal
from support.client import Curl
from support.daemon import Daemon

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = Curl(daemon)
FULL = bool(os.environ.get("CONTACTD_FULL"))
SEED = int(os.environ.get("CONTACTD_SEED", random.SystemRandom().randrange(2 ** 32) if FULL else 20261123))
THICKNESSES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12)
PER_CASE = 20 if FULL else 1
RELATIVE = Fraction(1, 10 ** 12)

BOX_FACES = ((0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6))
WEDGE = ((0, 1, 2), (3, 5, 4), (0, 3, 4, 1), (1, 4, 5, 2), (2, 5, 3, 0))
TETRAHEDRON = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3))

if FULL:
    print(f"seed {SEED}", flush=True)


def triangles(faces):
    return [[f[0], f[i], f[i + 1]] for f in faces for i in range(1, len(f) - 1)]


def box_points(half):
    return [tuple(half[k] * (1 if i >> k & 1 else -1) for k in range(3)) for i in range(8)]


def dyadic(r, low, high):
    return math.floor(r.uniform(low, high) * 2 ** 20) / 2 ** 20


class Body:
    """Points and faces of a convex polyhedron, its largest z, and the shape in JSON."""

    def __init__(self, points, faces, shape):
        self.points, self.faces, self.shape = [exact.exact(p) for p in points], faces, shape
        self.top = float(max(p[2] for p in self.points))

    def placed(self, rotation, position):
        return exact.polygons(exact.place(self.points, rotation, position), self.faces)


def a_box(r):
    half = [dyadic(r, 0.3, 1) for _ in range(3)]
    return Body(box_points(half), BOX_FACES, {"box": {"size": [2 * h for h in half]}})


def hull_of(points, faces):
    return Body(points, faces, {"convex": {"vertices": [list(p) for p in points]}})


def a_wedge(r):
    low, high = [(dyadic(r, 0.4, 1), dyadic(r, -0.2, 0.2)), (dyadic(r, -1, -0.4), dyadic(r, 0.4, 1)),
                 (dyadic(r, -1, -0.4), dyadic(r, -1, -0.4))], dyadic(r, 0.3, 1)
    return hull_of([(x, y, -high) for x, y in low][::-1] + [(x, y, high) for x, y in low][::-1], WEDGE)


def a_tetrahedron(r):
    """Its lowest point is a vertex."""
    return hull_of([(dyadic(r, -1, -.5), dyadic(r, -1, -.5), .5), (dyadic(r, .5, 1), dyadic(r, -1, -.5), .5),
                    (dyadic(r, -.3, .3), dyadic(r, .5, 1), .5), (dyadic(r, -.2, .2), dyadic(r, -.2, .2), dyadic(r, -1, -.5))],
                   ((0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)))


def unit(q):
    n = math.sqrt(sum(c * c for c in q))
    return [c / n for c in q]


def rotations(r, kind):
    """Of a and of b: none; equal to rounding; b turned by 1e-10 rad; b turned about z."""
    if kind == "axes":
        return [0, 0, 0, 1], [0, 0, 0, 1]
    q = unit([r.uniform(-1, 1) for _ in range(4)])
    if kind == "parallel":
        return q, q
    if kind == "almost":
        return q, unit([c + r.uniform(-1e-10, 1e-10) for c in q])
    x, y, z, w = q
    s, c = math.sin(0.4), math.cos(0.4)
    return q, unit([c * x + s * y, c * y - s * x, c * z + s * w, c * w - s * z])


def offset(r, a, b, thickness, far=3.0):
    """Positions at which b, above a along a's z, overlaps it by about this thickness."""
    q = rotations(r, r.choice(("axes", "parallel", "almost", "about z")))
    at = [dyadic(r, -far, far) for _ in range(3)]
    low = float(min(p[2] for p in b.points))
    arm = (r.uniform(-0.2, 0.2), r.uniform(-0.2, 0.2), a.top - low - thickness)
    rows = exact.matrix(q[0])
    second = [float(Fraction(at[k]) + exact.dot(rows[k], exact.exact(arm))) for k in range(3)]
    return (q[0], at), (q[1], second)


def of_two(a, b, **rest):
    return client.post("/v1/query/volume", {"a": a, "b": b, **rest}).must(200).json["results"][0]


def shaped(body, pose):
    return {**body.shape, "rotation": list(pose[0]), "position": list(pose[1])}


def error_of(result, volume):
    return abs(Fraction(result["volume"]) - volume)


def agrees(result, volume, centroid, size, what):
    """Right to 1e-12 of itself, and the centroid to 1e-12 of the size."""
    check(error_of(result, volume) <= RELATIVE * volume, f"{what}: volume {result['volume']!r}, exactly {float(volume)!r}")
    equal(result["status"], "ok", f"{what}: status")
    check("volumeError" not in result and "volumeInexact" not in result.get("flags", ()), f"{what}: a bound: {result}")
    off = max(abs(Fraction(c) - e) for c, e in zip(result["centroid"], centroid))
    check(off <= size * 1e-12, f"{what}: centroid off by {float(off)}")


def is_bounded(result, volume, what):
    """The reported error bound is correct; without one, 1e-12 of the volume."""
    allowed = Fraction(result["volumeError"]) if "volumeError" in result else RELATIVE * volume
    check(error_of(result, volume) <= allowed, f"{what}: {result['volume']!r} +- {float(allowed)!r}, exactly {float(volume)!r}")
    relative = float(allowed / volume)
    equal("volumeInexact" in result.get("flags", ()), relative > 1e-12, f"{what}: flag")
    if relative > 1.01e-9:
        equal(result["status"], "degenerate", f"{what}: status of a bound of {relative} of the volume")


def is_told(truth):
    """A common solid thinner than round-off has no contact."""
    return truth[0] > 1e-18


# ---- convex polyhedra -------------------------------------------------------------------------------------------------------

MAKERS = {"box": a_box, "wedge": a_wedge, "tetrahedron": a_tetrahedron}


def thin_pair(first, second, thickness, method):
    r = random.Random(f"{SEED} {first} {second} {thickness}")
    for _ in range(PER_CASE):
        a, b = MAKERS[first](r), MAKERS[second](r)
        pose_a, pose_b = offset(r, a, b, thickness)
        truth = exact.common(a.placed(*pose_a), b.placed(*pose_b))
        what = json.dumps([shaped(a, pose_a), shaped(b, pose_b), method])
        if is_told(truth):
            agrees(of_two(shaped(a, pose_a), shaped(b, pose_b), method=method), *truth, 6, what)


for one, other in (("box", "box"), ("wedge", "box"), ("box", "tetrahedron"), ("wedge", "tetrahedron")):
    for how in ("auto", "dualHull"):
        def sweep(one=one, other=other, how=how):
            for t in THICKNESSES:
                thin_pair(one, other, t, how)
        suite.table("volumes of thin solids are right to 1e-12", [(f"{one} {other} {how}", sweep)])


@suite.fact
def a_thin_plate_inside_a_body_with_one_nearly_common_face():
    """Faces that coincide within round-off count as one face for the normal; the volume between them still counts."""
    r = random.Random(SEED)
    for thickness in (1e-3, 1e-6, 1e-9):
        a, q = a_box(r), unit([r.uniform(-1, 1) for _ in range(4)])
        half = [0.25, 0.25, thickness / 2]
        b = Body(box_points(half), BOX_FACES, {"box": {"size": [2 * h for h in half]}})
        rows = exact.matrix(q)
        at = [float(exact.dot(rows[k], exact.exact((0.01, 0.02, a.top - thickness / 2)))) for k in range(3)]
        truth = exact.common(a.placed(q, [0] * 3), b.placed(q, at))
        agrees(of_two(shaped(a, (q, [0] * 3)), shaped(b, (q, at))), *truth, 2, f"plate {thickness}")


@suite.fact
def thin_solids_far_from_the_origin_and_in_colliders_that_are_placed_in_their_bodies():
    """A collider's pose in the world is rounded relative to 1e6 m; the poses given are exact."""
    r = random.Random(SEED + 1)
    for thickness in (1e-2, 1e-5, 1e-9):
        a, b = a_box(r), a_wedge(r)
        pose_a, pose_b = offset(r, a, b, thickness, far=1e6)
        truth = exact.common(a.placed(*pose_a), b.placed(*pose_b))
        agrees(of_two(shaped(a, pose_a), shaped(b, pose_b)), *truth, 1e6, f"far {thickness}")
        inner = (unit([r.uniform(-1, 1) for _ in range(4)]), [dyadic(r, -1, 1) for _ in range(3)])
        outer = (unit([r.uniform(-1, 1) for _ in range(4)]), [dyadic(r, -1e6, 1e6) for _ in range(3)])
        first = exact.polygons(exact.place(exact.place(a.points, *inner), *outer), a.faces)
        whole = exact.matrix(outer[0])
        local = exact.place([tuple(Fraction(c) for c in (0.1, 0.05, a.top - float(min(p[2] for p in b.points)) - thickness))], *inner)[0]
        at = [float(exact.dot(whole[k], local) + Fraction(outer[1][k])) for k in range(3)]
        second = b.placed(inner[0], [0] * 3)
        second = exact.polygons(exact.place([p for f in second for p in f], outer[0], at), nested(second))
        truth = exact.common(first, second)
        if not is_told(truth):
            continue
        bodies = [{"id": "a", "rotation": outer[0], "position": outer[1],
                   "colliders": [{**a.shape, "rotation": inner[0], "position": inner[1]}]},
                  {"id": "b", "rotation": outer[0], "position": at, "colliders": [{**b.shape, "rotation": inner[0]}]}]
        found = client.post("/v1/query/volume", {"scene": {"bodies": bodies}}).must(200).json["results"]
        agrees(found[0], *truth, 1e6, f"placed in bodies {thickness}")


def nested(faces):
    numbers, at = [], 0
    for f in faces:
        numbers.append(tuple(range(at, at + len(f))))
        at += len(f)
    return numbers


@suite.fact
def thin_solids_of_elements_and_boxes():
    """One tetrahedron of a tetmesh enters a box by its face and by its tip."""
    r = random.Random(SEED + 2)
    for thickness in (1e-3, 1e-6, 1e-9, 1e-11):
        for flip in (False, True):
            b = a_tetrahedron(r)
            points = [[float(c) for c in p] for p in b.points]
            if flip:
                points = [[p[0], -p[1], -p[2]] for p in points]
                b = hull_of([tuple(p) for p in points], b.faces)
            a = a_box(r)
            pose_a, pose_b = offset(r, a, b, thickness)
            truth = exact.common(a.placed(*pose_a), b.placed(*pose_b))
            element = {"tetmesh": {"vertices": points, "tetrahedra": [[0, 2, 1, 3]]}, "rotation": pose_b[0], "position": pose_b[1]}
            if is_told(truth):
                agrees(of_two(shaped(a, pose_a), element), *truth, 6, f"element {thickness}")


# ---- half-spaces and curved bodies ------------------------------------------------------------------------------------------

def half_space(rotation, position):
    rows, at = exact.matrix(rotation), exact.exact(position)
    up = tuple(row[2] for row in rows)
    return (up, exact.dot(up, at)), at


def sunk(r, a, thickness):
    """Poses of a body and of a half-space, with the body's lowest point below the plane by about this depth, its
    base level or tilted."""
    q, plane_q = rotations(r, r.choice(("axes", "parallel", "almost")))
    at = [dyadic(r, -3, 3) for _ in range(3)]
    low = float(min(p[2] for p in a.points))
    rows = exact.matrix(q)
    on_plane = [float(Fraction(at[k]) + exact.dot(rows[k], exact.exact((0.3, -0.2, low + thickness)))) for k in range(3)]
    return (q, at), (plane_q, on_plane)


@suite.fact
def thin_cuts_below_a_half_space():
    r = random.Random(SEED + 3)
    for thickness in THICKNESSES:
        for maker in MAKERS.values():
            a = maker(r)
            pose, plane = sunk(r, a, thickness)
            surface, on_plane = half_space(*plane)
            truth = exact.below(a.placed(*pose), surface, on_plane)
            if not is_told(truth):
                continue
            ground = {"plane": {}, "rotation": plane[0], "position": plane[1]}
            agrees(of_two(shaped(a, pose), ground), *truth, 6, f"below a half-space {thickness}")
            mesh = {"mesh": {"vertices": [[float(c) for c in p] for p in a.points], "triangles": triangles(a.faces)},
                    "rotation": pose[0], "position": pose[1]}
            agrees(of_two(mesh, ground), *truth, 6, f"mesh below a half-space {thickness}")


def close(result, truth, what):
    check(abs(Decimal(result["volume"]) - truth) <= truth * Decimal("1e-12"), f"{what}: {result['volume']!r}, exactly {float(truth)!r}")
    equal(result["status"], "ok", what)


def cap(radius, height):
    return exact.PI * height * height * (3 * radius - height) / 3


@suite.fact
def thin_caps_and_lenses_of_balls_and_ellipsoids():
    r = random.Random(SEED + 4)
    for depth in (1e-1, 1e-3, 1e-6, 1e-9, 1e-11):
        q = unit([r.uniform(-1, 1) for _ in range(4)])
        radius, other, at = dyadic(r, 0.3, 1), dyadic(r, 0.3, 1), [dyadic(r, -3, 3) for _ in range(3)]
        rows = exact.matrix(q)
        place = [float(Fraction(at[k]) + rows[k][2] * Fraction(depth - radius)) for k in range(3)]
        surface, _ = half_space(q, place)
        height = Fraction(radius) - (exact.dot(surface[0], exact.exact(at)) - surface[1])
        ball = {"sphere": {"radius": radius}, "position": at}
        ground = {"plane": {}, "rotation": q, "position": place}
        close(of_two(ball, ground), cap(Decimal(radius), exact.decimal(height)), f"cap {depth}")
        place = [float(Fraction(at[k]) + rows[k][2] * Fraction(radius + other - depth)) for k in range(3)]
        way = exact.sub(exact.exact(place), exact.exact(at))
        apart = exact.root(exact.dot(way, way))
        both = Decimal(radius) + Decimal(other) - apart
        first = (Decimal(other) - Decimal(radius) + apart) * both / (2 * apart)
        second = (Decimal(radius) - Decimal(other) + apart) * both / (2 * apart)
        lens = cap(Decimal(radius), first) + cap(Decimal(other), second)
        close(of_two(ball, {"sphere": {"radius": other}, "position": place}), lens, f"lens {depth}")
        radii = [dyadic(r, 0.3, 1) for _ in range(3)]
        reach = exact.root(sum((Fraction(c) * n) ** 2 for c, n in zip(radii, surface[0])))
        place = [float(Fraction(at[k]) + rows[k][2] * Fraction(depth - float(reach))) for k in range(3)]
        surface, _ = half_space(q, place)
        deep = reach - exact.decimal(exact.dot(surface[0], exact.exact(at)) - surface[1])
        truth = cap(Decimal(1), deep / reach) * math.prod(Decimal(c) for c in radii)
        close(of_two({"ellipsoid": {"radii": radii}, "position": at}, {**ground, "position": place}), truth, f"ellipsoid {depth}")


# ---- volumes with a bound ---------------------------------------------------------------------------------------------------

@suite.fact
def volumes_of_meshes_hulls_of_planes_and_solfec_keep_within_their_bound():
    r = random.Random(SEED + 5)
    inexact = 0
    for thickness in (1e-2, 1e-4, 1e-6, 1e-7, 1e-8, 1e-9):
        for _ in range(PER_CASE):
            a, b = a_box(r), a_wedge(r)
            pose_a, pose_b = offset(r, a, b, thickness)
            truth = exact.common(a.placed(*pose_a), b.placed(*pose_b))[0]
            corners = [[float(c) for c in p] for p in a.points]
            mesh = {"mesh": {"vertices": corners, "triangles": triangles(a.faces)}, "rotation": pose_a[0], "position": pose_a[1]}
            half = [float(c) for c in a.points[7]]
            tilted = [[3 * s if i == k else 0 for i in range(3)] + [-3 * half[k]] for k in range(3) for s in (1, -1)]
            planes = {"convex": {"planes": tilted}, "rotation": pose_a[0], "position": pose_a[1]}
            for first in (mesh, planes):
                result = of_two(first, shaped(b, pose_b))
                if result["volume"] > 0:
                    is_bounded(result, truth, f"{list(first)[0]} {thickness}")
                    inexact += "volumeError" in result
            result = of_two(shaped(a, pose_a), shaped(b, pose_b), method="solfec", epsilon=1e-12)
            if result.get("volume", 0) > 0:
                is_bounded(result, truth, f"solfec {thickness}")
                inexact += "volumeError" in result
    check(inexact >= 5, f"bounds seen: {inexact}")


class Voxels:
    """Cells of a grid of uneven steps: the mesh of their boundary, and boxes that fill it."""

    def __init__(self, r, cells):
        steps = [max(c[k] for c in cells) + 2 for k in range(3)]
        self.planes = [[i * 0.5 - 0.75 + dyadic(r, -0.1, 0.1) for i in range(n)] for n in steps]
        self.cells, self.numbers, self.triangles = set(cells), {}, []
        for c in sorted(cells):
            for axis, s in ((a, s) for a in range(3) for s in (0, 1)):
                if tuple(c[k] + (2 * s - 1) * (k == axis) for k in range(3)) not in self.cells:
                    self.add_face(c, axis, s)
        self.shape = {"mesh": {"vertices": [list(self.at(g)) for g in self.numbers], "triangles": self.triangles}}

    def at(self, grid):
        return tuple(self.planes[k][grid[k]] for k in range(3))

    def add_face(self, cell, axis, side):
        corners = []
        for du, dv in ((0, 0), (1, 0), (1, 1), (0, 1)):
            grid = list(cell)
            for k, step in ((axis, side), ((axis + 1) % 3, du), ((axis + 2) % 3, dv)):
                grid[k] += step
            corners.append(self.numbers.setdefault(tuple(grid), len(self.numbers)))
        if not side:
            corners.reverse()
        self.triangles += [corners[:3], [corners[0], corners[2], corners[3]]]

    def placed(self, pose):
        boxes = [[exact.exact(self.at([c[k] + (i >> k & 1) for k in range(3)])) for i in range(8)] for c in self.cells]
        return [exact.polygons(exact.place(b, *pose), BOX_FACES) for b in boxes]


@suite.fact
def volumes_of_two_meshes_keep_within_their_bound():
    """Truth for solids that are not convex: the sum over all pairs of boxes that fill them."""
    kinds = ([(0, 0, 0), (1, 0, 0), (0, 0, 1)], [(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 0, 1), (2, 0, 1)], [(0, 0, 0)])
    r, seen = random.Random(SEED + 6), 0
    for thickness in (1e-1, 1e-3, 1e-6, 1e-7, 1e-8, 1e-9):
        for first, second in ((0, 1), (0, 0), (1, 2)) * PER_CASE:
            a, b = Voxels(r, kinds[first]), Voxels(r, kinds[second])
            q, at = rotations(r, r.choice(("axes", "parallel", "almost", "about z"))), [dyadic(r, -3, 3) for _ in range(3)]
            arm = (r.uniform(-0.2, 0.2), r.uniform(-0.2, 0.2), a.planes[2][-1] - b.planes[2][0] - thickness)
            second_at = [float(Fraction(c) + exact.dot(row, exact.exact(arm))) for c, row in zip(at, exact.matrix(q[0]))]
            pose_a, pose_b = (q[0], at), (q[1], second_at)
            truth = sum(exact.common(x, y)[0] for x in a.placed(pose_a) for y in b.placed(pose_b))
            result = of_two(shaped(a, pose_a), shaped(b, pose_b))
            if result.get("volume", 0) > 0:
                is_bounded(result, truth, f"meshes {thickness}")
                seen += 1
            else:
                check(truth < 1e-15, f"no volume of meshes {thickness}: {float(truth)}")
    check(seen >= 9, f"volumes seen: {seen}")


# ---- weighting --------------------------------------------------------------------------------------------------------------

@suite.fact
def solfec_uses_the_weighting_and_squares_areas_by_default():
    """Two cubes that overlap at a corner: faces of unequal areas."""
    a = {"box": {"size": [1, 1, 1]}}
    b = {"box": {"size": [1, 1, 1]}, "position": [0.8, 0.7, 0.6]}
    areas = (0.3 * 0.4, 0.2 * 0.4, 0.2 * 0.3)
    expected = {"linear": areas, "squared": [s * s for s in areas], "squaredFace": [s * s for s in areas]}
    for weighting, sums in expected.items():
        normal = of_two(a, b, method="solfec", normalWeighting=weighting)["normal"]
        length = math.hypot(*sums)
        check(max(abs(n - s / length) for n, s in zip(normal, sums)) < 1e-12, f"{weighting}: {normal}")
    equal(of_two(a, b, method="solfec"), of_two(a, b, method="solfec", normalWeighting="squared"), "the default of solfec")
    equal(of_two(a, b), of_two(a, b, normalWeighting="linear"), "the default of auto")


suite.main()
