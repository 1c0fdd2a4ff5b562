"""One shape of every kind with its signed distance and support point, in closed form or over all faces: the truth of
tests on shapes. In doubles; shares nothing with the engine.
Each shape extends from z = -1 to z = 1 of its body's frame, has (0, 0, 1) and (0, 0, -1) on its surface and contains
the origin, in any rotation about z. So two of them, stacked, have the distance of their origins less 2."""
import math

CUBE = [[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
SIDES = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]]
PRISM = [[2, 0, -1], [-1, 2, -1], [-1, -2, -1], [2, 0, 1], [-1, 2, 1], [-1, -2, 1]]
PRISM_SIDES = [[0, 2, 1], [3, 4, 5], [0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [2, 0, 3], [2, 3, 5]]


# The same cube as six tetrahedra around a diagonal, and as two adjacent hexahedra; corners in the order of VTK.
TETRAHEDRA = [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]]
HALVES = [[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 0, 1)]
HEXAHEDRA = [[k, k + 1, k + 4, k + 3, k + 6, k + 7, k + 10, k + 9] for k in (0, 1)]
# The cube as six pyramids around the middle of one half and two wedges in the other.
MIXED = HALVES + [[-0.5, 0, 0]]
ELEMENTS = [[*base, 12] for base in ([0, 1, 4, 3], [6, 9, 10, 7], [0, 6, 7, 1], [1, 7, 10, 4], [4, 10, 9, 3], [3, 9, 6, 0])] + \
    [[1, 2, 5, 7, 8, 11], [5, 4, 1, 11, 10, 7]]
PYRAMID_SIDES = [[0, 3, 2], [0, 2, 1], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]
WEDGE_SIDES = [[0, 2, 1], [3, 4, 5], [0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [2, 0, 3], [2, 3, 5]]
TETRAHEDRON_SIDES = [[0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 2, 1]]
HEXAHEDRON_SIDES = [[a, b, c] for a, b, c, d in ([0, 4, 7, 3], [1, 2, 6, 5], [0, 1, 5, 4], [3, 7, 6, 2], [0, 3, 2, 1], [4, 5, 6, 7])] + \
    [[a, c, d] for a, b, c, d in ([0, 4, 7, 3], [1, 2, 6, 5], [0, 1, 5, 4], [3, 7, 6, 2], [0, 3, 2, 1], [4, 5, 6, 7])]


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def scaled(a, s):
    return [x * s for x in a]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def length(a):
    return math.sqrt(dot(a, a))


def unit(a):
    return scaled(a, 1.0 / length(a))


# ---- frames --------------------------------------------------------------------------------------------------------------------


def rotation(rng):
    """A random rotation [x, y, z, w], uniformly distributed."""
    while True:
        q = [rng.uniform(-1, 1) for unused in range(4)]
        if 0.01 < dot(q, q) <= 1:
            return scaled(q, 1.0 / length(q))


def times(p, q):
    """The rotation p followed by q."""
    (a, b, c, d), (e, f, g, h) = p, q
    return [d * e + a * h + b * g - c * f, d * f - a * g + b * h + c * e, d * g + a * f - b * e + c * h, d * h - a * e - b * f - c * g]


def rotated(q, v):
    t = scaled(cross(q[:3], v), 2.0)
    return add(add(v, scaled(t, q[3])), cross(q[:3], t))


def rotated_back(q, v):
    return rotated([-q[0], -q[1], -q[2], q[3]], v)


# ---- signed distance and support -----------------------------------------------------------------------------------------------


def segment_distance(p, a, b):
    e, d = sub(b, a), sub(p, a)
    t = min(1.0, max(0.0, dot(d, e) / dot(e, e)))
    return length(sub(d, scaled(e, t)))


def triangle_distance(p, a, b, c):
    n = cross(sub(b, a), sub(c, a))
    over = all(dot(cross(sub(v, u), sub(p, u)), n) >= 0 for u, v in ((a, b), (b, c), (c, a)))
    rim = min(segment_distance(p, u, v) for u, v in ((a, b), (b, c), (c, a)))
    return min(rim, abs(dot(sub(p, a), n)) / length(n)) if over else rim


def zero(f, low, high):
    """The root of f between low, where f is positive, and high, where it is negative."""
    for unused in range(100):
        t = 0.5 * (low + high)
        if f(t) > 0:
            low = t
        else:
            high = t
    return high


class Polytope:
    def __init__(self, points, triangles):
        self.points, self.triangles = points, [[points[i] for i in t] for t in triangles]

    def distance(self, p):
        """Signed distance to a shape with an inside, else the distance to the surface."""
        depth = max(dot(sub(p, a), unit(cross(sub(b, a), sub(c, a)))) for a, b, c in self.triangles)
        return depth if depth <= 0 else self.gap(p)

    def gap(self, p):
        """Unsigned distance to the triangles."""
        return min(triangle_distance(p, *t) for t in self.triangles)

    def support(self, d):
        return max(self.points, key=lambda v: dot(v, d))


class Turned:
    """A convex outline (radius, z), counter-clockwise, rotated about z. Its mirror image closes it."""

    def __init__(self, *outline):
        self.outline = outline
        whole = [[r, z] for r, z in outline] + [[-r, z] for r, z in reversed(outline)]
        self.edges = [(u, v) for u, v in zip(whole, whole[1:] + whole[:1]) if u != v]

    def distance(self, p):
        q = [math.hypot(p[0], p[1]), p[2]]
        depth = max(((q[0] - u[0]) * (v[1] - u[1]) - (q[1] - u[1]) * (v[0] - u[0])) / math.dist(u, v) for u, v in self.edges)
        return depth if depth <= 0 else min(segment_distance(q, u, v) for u, v in self.edges)

    def support(self, d):
        across = math.hypot(d[0], d[1])
        r, z = max(self.outline, key=lambda c: c[0] * across + c[1] * d[2])
        return [r * d[0] / across, r * d[1] / across, z] if across > 0 else [r, 0.0, z]


class Balls:
    """The convex hull of two balls on the z axis."""

    def __init__(self, low, low_radius, high, high_radius):
        self.low, self.high = (low, low_radius), (high, high_radius)

    def distance(self, p):
        (z0, r0), (z1, r1) = self.low, self.high
        x, z, h = math.hypot(p[0], p[1]), p[2] - z0, z1 - z0
        # The common tangent has the normal (c, s).
        s = (r0 - r1) / h
        c = math.sqrt(1 - s * s)
        along = z * c - x * s
        if along < 0:
            return math.hypot(x, z) - r0
        if along > h * c:
            return math.hypot(x, z - h) - r1
        return x * c + z * s - r0

    def support(self, d):
        n = unit(d)
        return max((add([0, 0, z], scaled(n, r)) for z, r in (self.low, self.high)), key=lambda v: dot(v, d))


class Ellipsoid:
    def __init__(self, *radii):
        self.radii = radii

    def distance(self, p):
        """The nearest point is r^2 p / (r^2 + t), with the t that puts it on the surface: bisection."""
        squares = [r * r for r in self.radii]
        beyond = lambda t: sum(s * x * x / (s + t) ** 2 for s, x in zip(squares, p)) - 1
        t = zero(beyond, -min(squares), length(p) * max(self.radii))
        outside = beyond(0.0) > 0
        foot = [s * x / (s + t) for s, x in zip(squares, p)]
        return length(sub(p, foot)) * (1 if outside else -1)

    def support(self, d):
        reach = math.sqrt(sum((r * x) ** 2 for r, x in zip(self.radii, d)))
        return [r * r * x / reach for r, x in zip(self.radii, d)]


class Dot:
    def distance(self, p):
        return length(p)

    def support(self, d):
        return [0.0, 0.0, 0.0]


class HalfSpace:
    def distance(self, p):
        return p[2] - 1.0


class Grown:
    """A shape dilated by a ball."""

    def __init__(self, core, radius):
        self.core, self.radius = core, radius

    def distance(self, p):
        return self.core.distance(p) - self.radius

    def support(self, d):
        return add(self.core.support(d), scaled(unit(d), self.radius))


def box(x, y, z):
    return Polytope([[u * x, v * y, w * z] for u, v, w in CUBE], SIDES)


def inner_frustum(bottom, top, r):
    """The outline of half height 1 with its sides moved inward by r."""
    # The slanted side has the normal (2, bottom - top), not normalised.
    reach = r * math.hypot(2.0, bottom - top)
    radius = lambda z: (bottom + top) / 2 - (bottom - top) / 2 * z - reach / 2
    return Turned([radius(-1 + r), -1 + r], [radius(1 - r), 1 - r])


class Solid:
    """`collider`: JSON; `form`: distance and support; `reading`: solid, surface, open or plane; `elements`: forms of
    the elements of a mesh of elements."""

    def __init__(self, collider, form, reading="solid", elements=()):
        self.collider, self.form, self.reading, self.elements = collider, form, reading, elements


def elements_of(points, elements, sides):
    return [Polytope([points[i] for i in corners], sides) for corners in elements]


BOX = {"box": {"size": [2, 2.5, 2]}}
FRUSTUM = {"cone": {"radius": 1.25, "radiusTop": 0.75, "height": 2}}
SHAPES = {
    "sphere": Solid({"sphere": {"radius": 1}}, Grown(Dot(), 1.0)),
    "box": Solid(BOX, box(1, 1.25, 1)),
    "capsule": Solid({"capsule": {"radius": 0.5, "height": 1}}, Balls(-0.5, 0.5, 0.5, 0.5)),
    "tapered capsule": Solid({"capsule": {"radiusBottom": 0.5, "radiusTop": 0.25, "height": 1.25}, "position": [0, 0, 0.125]},
                             Balls(-0.5, 0.5, 0.75, 0.25)),
    "cylinder": Solid({"cylinder": {"radius": 0.75, "height": 2}}, Turned([0.75, -1], [0.75, 1])),
    "cone": Solid({"cone": {"radius": 1.25, "height": 2}}, Turned([1.25, -1], [0, 1])),
    "frustum": Solid(FRUSTUM, Turned([1.25, -1], [0.75, 1])),
    "ellipsoid": Solid({"ellipsoid": {"radii": [0.75, 1.25, 1]}}, Ellipsoid(0.75, 1.25, 1)),
    "convex": Solid({"convex": {"vertices": PRISM}}, Polytope(PRISM, PRISM_SIDES)),
    "rounded box": Solid({**BOX, "roundingRadius": 0.25}, Grown(box(0.75, 1, 0.75), 0.25)),
    "rounded cylinder": Solid({"cylinder": {"radius": 0.75, "height": 1.5}, "roundingRadius": 0.25, "roundingMode": "add"},
                              Grown(Turned([0.75, -0.75], [0.75, 0.75]), 0.25)),
    "rounded cone": Solid({**FRUSTUM, "roundingRadius": 0.125}, Grown(inner_frustum(1.25, 0.75, 0.125), 0.125)),
    "rounded convex": Solid({"convex": {"vertices": CUBE}, "roundingRadius": 0.25}, Grown(box(0.75, 0.75, 0.75), 0.25)),
    "box with margin": Solid({"box": {"size": [2, 2, 1.5]}, "margin": 0.25}, Grown(box(1, 1, 0.75), 0.25)),
    "solid mesh": Solid({"mesh": {"vertices": CUBE, "triangles": SIDES}}, box(1, 1, 1)),
    "surface mesh": Solid({"mesh": {"vertices": CUBE, "triangles": SIDES, "solid": False}}, box(1, 1, 1), "surface"),
    "open mesh": Solid({"mesh": {"vertices": CUBE, "triangles": SIDES[:-2]}}, Polytope(CUBE, SIDES[:-2]), "open"),
    "tetmesh": Solid({"tetmesh": {"vertices": CUBE, "tetrahedra": TETRAHEDRA}}, box(1, 1, 1), "solid",
                     elements_of(CUBE, TETRAHEDRA, TETRAHEDRON_SIDES)),
    "hexmesh": Solid({"hexmesh": {"vertices": HALVES, "hexahedra": HEXAHEDRA}}, box(1, 1, 1), "solid",
                     elements_of(HALVES, HEXAHEDRA, HEXAHEDRON_SIDES)),
    "elementmesh": Solid({"elementmesh": {"vertices": MIXED, "elements": ELEMENTS}}, box(1, 1, 1), "solid",
                         elements_of(MIXED, ELEMENTS[:6], PYRAMID_SIDES) + elements_of(MIXED, ELEMENTS[6:], WEDGE_SIDES)),
    "plane": Solid({"plane": {}, "position": [0, 0, 1]}, HalfSpace(), "plane"),
}


class Placed:
    """A body with one of the shapes, in a pose."""

    def __init__(self, name, position, turn):
        self.name, self.solid, self.position, self.turn = name, SHAPES[name], position, turn

    def part(self, element):
        """The form of one element in the body's pose; None: the whole shape."""
        part = Placed(self.name, self.position, self.turn)
        if element is not None:
            part.solid = Solid(self.solid.collider, self.solid.elements[element])
        return part

    def body(self, **rest):
        return {"position": self.position, "rotation": self.turn, "colliders": [self.solid.collider], **rest}

    def distance(self, p):
        """Signed where the shape has an inside, else to the surface."""
        local = rotated_back(self.turn, sub(p, self.position))
        form = self.solid.form
        return form.gap(local) if self.solid.reading in ("surface", "open") else form.distance(local)

    def support(self, d):
        return add(self.position, rotated(self.turn, self.solid.form.support(rotated_back(self.turn, d))))
