"""Truth on placed convex shapes in 60 decimal digits: whether a point is on the surface, and the support along a
normal.
Rotations are those of q/|q| in 60 digits. The faces of hulls are determined on integers (every double is one after
scaling by a power of two), so coplanar and nearly coplanar points are distinguished. Slow; shares nothing with the
engine."""
import decimal
import math
from decimal import Decimal

decimal.getcontext().prec = 60
ZERO, ONE, TWO = Decimal(0), Decimal(1), Decimal(2)


def vector(values):
    return tuple(Decimal(v) for v in values)


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scaled(a, s):
    return (a[0] * s, a[1] * s, a[2] * s)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def length(a):
    return dot(a, a).sqrt()


def matrix(wxyz):
    """Rows of the rotation of q/|q|."""
    w, x, y, z = vector(wxyz)
    s = TWO / (w * w + x * x + y * y + z * z)
    return ((ONE - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
            (s * (x * y + w * z), ONE - s * (x * x + z * z), s * (y * z - w * x)),
            (s * (x * z - w * y), s * (y * z + w * x), ONE - s * (x * x + y * y)))


class Placed:
    """A shape of the corpus with its pose."""

    def __init__(self, shape, pose):
        self.kind = shape["type"]
        self.shape = SHAPES[self.kind](shape)
        self.position = vector(pose["position"])
        self.rows = matrix(pose["orientation"])

    def to_local(self, v):
        r = self.rows
        return tuple(r[0][i] * v[0] + r[1][i] * v[1] + r[2][i] * v[2] for i in range(3))

    def axis(self):
        """World direction of the shape's z axis."""
        return tuple(row[2] for row in self.rows)

    def off_surface(self, point):
        """Distance of a world point from the surface, >= 0."""
        return self.shape.off_surface(self.to_local(sub(point, self.position)))

    def reach(self, direction):
        """Support: max direction.p over the shape; None for a half-space, which is unbounded."""
        local = self.shape.reach(self.to_local(direction))
        return None if local is None else local + dot(direction, self.position)


class Sphere:
    def __init__(self, shape):
        self.radius = Decimal(shape["radius"])

    def off_surface(self, p):
        return abs(length(p) - self.radius)

    def reach(self, d):
        return self.radius * length(d)


class Box:
    def __init__(self, shape):
        self.half = vector(shape["half_extents"])

    def off_surface(self, p):
        over = [abs(p[i]) - self.half[i] for i in range(3)]
        inside = max(over)
        if inside <= 0:
            return -inside
        return length(tuple(max(v, ZERO) for v in over))

    def reach(self, d):
        return sum(abs(d[i]) * self.half[i] for i in range(3))


class Capsule:
    def __init__(self, shape):
        self.radius, self.half = Decimal(shape["radius"]), Decimal(shape["half_length"])

    def off_surface(self, p):
        z = min(max(p[2], -self.half), self.half)
        return abs(length((p[0], p[1], p[2] - z)) - self.radius)

    def reach(self, d):
        return abs(d[2]) * self.half + self.radius * length(d)


class Cylinder:
    def __init__(self, shape):
        self.radius, self.half = Decimal(shape["radius"]), Decimal(shape["half_length"])

    def off_surface(self, p):
        over = (ring(p) - self.radius, abs(p[2]) - self.half)
        if max(over) <= 0:
            return -max(over)
        return length((max(over[0], ZERO), max(over[1], ZERO), ZERO))

    def reach(self, d):
        return abs(d[2]) * self.half + self.radius * ring(d)


class Cone:
    """Apex at +half, base at -half."""

    def __init__(self, shape):
        self.radius, self.half = Decimal(shape["radius"]), Decimal(shape["half_length"])

    def off_surface(self, p):
        at, rim = (ring(p), p[2], ZERO), (self.radius, -self.half, ZERO)
        return min(segment_distance(at, (ZERO, -self.half, ZERO), rim), segment_distance(at, rim, (ZERO, self.half, ZERO)))

    def reach(self, d):
        return max(d[2] * self.half, self.radius * ring(d) - d[2] * self.half)


class Ellipsoid:
    def __init__(self, shape):
        self.radii = vector(shape["radii"])

    def off_surface(self, p):
        """Distance by the root t of sum (s p / (t + s^2))^2 = 1, the nearest surface point being s^2 p / (t + s^2); the root is
        halved out of its bracket. A coordinate that is zero where its factor would vanish is left to the limit: the shortest
        axis then takes what is missing of the sum."""
        squares = tuple(s * s for s in self.radii)
        least = min(squares)
        q = tuple(abs(c) for c in p)
        low, high = -least, length(q) * max(self.radii) - least + least
        floor = low + least * Decimal(10) ** -50

        def total(t):
            return sum((self.radii[i] * q[i] / (t + squares[i])) ** 2 for i in range(3) if q[i])

        if total(floor) <= 1:
            near = [squares[i] * q[i] / (squares[i] - least) if squares[i] > least else ZERO for i in range(3)]
            short = squares.index(least)
            rest = max(ONE - sum((near[i] / self.radii[i]) ** 2 for i in range(3) if i != short), ZERO)
            near[short] = self.radii[short] * rest.sqrt()
            return length(sub(q, near))
        low = floor
        for _ in range(190):
            middle = (low + high) / 2
            low, high = (middle, high) if total(middle) > 1 else (low, middle)
        return length(sub(q, tuple(squares[i] * q[i] / (low + squares[i]) for i in range(3))))

    def reach(self, d):
        return length(tuple(self.radii[i] * d[i] for i in range(3)))


class HalfSpace:
    def __init__(self, shape):
        pass

    def off_surface(self, p):
        return abs(p[2])

    def reach(self, d):
        return None


class Convex:
    kept = {}  # vertices -> triangles: many cases of the corpus use the same hull

    def __init__(self, shape):
        floats = tuple(tuple(v) for v in shape["vertices"])
        self.vertices = [vector(v) for v in floats]
        if floats not in Convex.kept:
            Convex.kept[floats] = hull_triangles(floats)
        self.triangles = Convex.kept[floats]
        self.size = max(max(abs(c) for c in v) for v in floats)
        self.planes = [float_plane(floats, t) for t in self.triangles]

    def off_surface(self, p):
        q = tuple(float(c) for c in p)
        band = 1e-6 * self.size
        near = [t for t, (n, d) in zip(self.triangles, self.planes) if abs(n[0] * q[0] + n[1] * q[1] + n[2] * q[2] - d) <= band]
        return min(triangle_distance(p, *(self.vertices[i] for i in t)) for t in near or self.triangles)

    def reach(self, d):
        return max(dot(d, v) for v in self.vertices)


class Mesh:
    """A surface of triangles."""

    def __init__(self, shape):
        self.floats = [tuple(v) for v in shape["vertices"]]
        self.vertices = [vector(v) for v in self.floats]
        self.triangles = [t for t in shape["triangles"] if len({self.floats[i] for i in t}) == 3]

    def off_surface(self, p):
        q = tuple(float(c) for c in p)
        bound = [float_triangle_distance(q, *(self.floats[i] for i in t)) for t in self.triangles]
        size = max(max(abs(c) for c in v) for v in self.floats) + max(abs(c) for c in q)
        limit = min(bound) + 1e-9 * size
        return min(triangle_distance(p, *(self.vertices[i] for i in t)) for t, b in zip(self.triangles, bound) if b <= limit)

    def reach(self, d):
        return max(dot(d, v) for v in self.vertices)


SHAPES = {"sphere": Sphere, "box": Box, "capsule": Capsule, "cylinder": Cylinder, "cone": Cone, "ellipsoid": Ellipsoid,
          "half_space": HalfSpace, "convex": Convex, "mesh": Mesh}


def ring(p):
    """Distance from the z axis."""
    return (p[0] * p[0] + p[1] * p[1]).sqrt()


def float_triangle_distance(p, a, b, c):
    """In double precision: good enough to skip far triangles."""
    ab, ac, ap = sub(b, a), sub(c, a), sub(p, a)
    n = cross(ab, ac)
    nn = dot(n, n)
    if nn > 0.0:
        v, w = dot(cross(ap, ac), n) / nn, dot(cross(ab, ap), n) / nn
        if v >= 0.0 and w >= 0.0 and v + w <= 1.0:
            return abs(dot(n, ap)) / math.sqrt(nn)

    def edge(u, v):
        uv, up = sub(v, u), sub(p, u)
        span = dot(uv, uv)
        t = min(max(dot(up, uv) / span, 0.0), 1.0) if span > 0.0 else 0.0
        gap = sub(up, scaled(uv, t))
        return math.sqrt(dot(gap, gap))

    return min(edge(a, b), edge(b, c), edge(c, a))


def float_plane(floats, triangle):
    a, b, c = (floats[i] for i in triangle)
    u, v = [b[i] - a[i] for i in range(3)], [c[i] - a[i] for i in range(3)]
    n = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    size = math.sqrt(n[0] ** 2 + n[1] ** 2 + n[2] ** 2)
    if size == 0.0:
        return (0.0, 0.0, 0.0), 0.0  # every point then reaches the exact distance
    n = tuple(c / size for c in n)
    return n, sum(n[i] * a[i] for i in range(3))


def triangle_distance(p, a, b, c):
    """Distance of a point from a triangle: its face, else the nearest of its edges."""
    ab, ac, ap = sub(b, a), sub(c, a), sub(p, a)
    n = cross(ab, ac)
    nn = dot(n, n)
    if nn > 0:
        v, w = dot(cross(ap, ac), n) / nn, dot(cross(ab, ap), n) / nn
        if v >= 0 and w >= 0 and v + w <= 1:
            return abs(dot(n, ap)) / nn.sqrt()
    return min(segment_distance(p, a, b), segment_distance(p, b, c), segment_distance(p, c, a))


def segment_distance(p, a, b):
    ab, ap = sub(b, a), sub(p, a)
    span = dot(ab, ab)
    t = min(max(dot(ap, ab) / span, ZERO), ONE) if span > 0 else ZERO
    return length(sub(ap, scaled(ab, t)))


def integers(points):
    """The same points times the power of two that makes every coordinate an integer."""
    bits = 0
    for point in points:
        for value in point:
            bits = max(bits, value.as_integer_ratio()[1].bit_length() - 1)
    out = []
    for point in points:
        ratios = [value.as_integer_ratio() for value in point]
        out.append(tuple(n << (bits - (d.bit_length() - 1)) for n, d in ratios))
    return out


def hull_triangles(floats):
    """Outward triangles of the convex hull by incremental insertion; exact. Coplanar faces stay triangulated."""
    points = integers(floats)
    first = first_simplex(points)
    faces = {}

    def put(i, j, k):
        n = cross(sub(points[j], points[i]), sub(points[k], points[i]))
        faces[(i, j, k)] = (n, dot(n, points[i]))

    a, b, c, d = first
    n = cross(sub(points[b], points[a]), sub(points[c], points[a]))
    if dot(n, sub(points[d], points[a])) > 0:
        b, c = c, b
    for face in ((a, b, c), (a, d, b), (b, d, c), (c, d, a)):
        put(*face)
    for p in range(len(points)):
        if p in first:
            continue
        seen = [face for face, (n, offset) in faces.items() if dot(n, points[p]) > offset]
        edges = {(f[i], f[(i + 1) % 3]) for f in seen for i in range(3)}
        for face in seen:
            del faces[face]
        for i, j in sorted(edges):
            if (j, i) not in edges:
                put(i, j, p)
    return sorted(faces)


def first_simplex(points):
    """Indices of four points that span a solid."""
    a = 0
    b = next(i for i in range(len(points)) if points[i] != points[a])
    ab = sub(points[b], points[a])
    c = next(i for i in range(len(points)) if any(cross(ab, sub(points[i], points[a]))))
    n = cross(ab, sub(points[c], points[a]))
    d = next(i for i in range(len(points)) if dot(n, sub(points[i], points[a])))
    return a, b, c, d
