"""Convex polyhedra in exact fractions: with given faces, placed by quaternions of any length, clipped by each other."""
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")


def sub(u, v):
    return tuple(a - b for a, b in zip(u, v))


def dot(u, v):
    return sum(a * b for a, b in zip(u, v))


def cross(u, v):
    return (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])


def exact(numbers):
    return tuple(Fraction(n) for n in numbers)


def matrix(quaternion):
    """Rows of the rotation q/|q|, q = x y z w."""
    x, y, z, w = exact(quaternion)
    n = x * x + y * y + z * z + w * w
    rows = ((w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z))
    return tuple(tuple(e / n for e in row) for row in rows)


def place(points, quaternion, position):
    rows, at = matrix(quaternion), exact(position)
    return [tuple(dot(rows[k], p) + at[k] for k in range(3)) for p in points]


def polygons(points, faces):
    return [[points[i] for i in face] for face in faces]


def plane(polygon):
    normal = cross(sub(polygon[1], polygon[0]), sub(polygon[2], polygon[0]))
    return normal, dot(normal, polygon[0])


def clip(polygon, half_space):
    """The part of a convex polygon on or below the plane."""
    normal, offset = half_space
    heights = [dot(normal, p) - offset for p in polygon]
    kept = []
    for i, (p, h) in enumerate(zip(polygon, heights)):
        q, k = polygon[(i + 1) % len(polygon)], heights[(i + 1) % len(polygon)]
        if h <= 0:
            kept.append(p)
        if h < 0 < k or k < 0 < h:
            t = h / (h - k)
            kept.append(tuple(a + t * (b - a) for a, b in zip(p, q)))
    return kept if len(kept) > 2 else []


def parts(body, half_spaces):
    for polygon in body:
        for half_space in half_spaces:
            polygon = clip(polygon, half_space)
            if not polygon:
                break
        if polygon:
            yield polygon


def measure(pieces, apex):
    """Volume and centroid by tetrahedra from the apex. A face in a plane through the apex contributes nothing."""
    volume, moment = Fraction(0), [Fraction(0)] * 3
    for p in pieces:
        for i in range(1, len(p) - 1):
            d, e, f = sub(p[0], apex), sub(p[i], apex), sub(p[i + 1], apex)
            v = dot(d, cross(e, f)) / 6
            volume += v
            moment = [m + v * (a + b + c) / 4 for m, a, b, c in zip(moment, d, e, f)]
    return volume, tuple(a + m / volume for a, m in zip(apex, moment)) if volume else None


def common(a, b):
    """The common solid of two convex polyhedra as polygons; their faces must be in different planes."""
    pieces = list(parts(a, [plane(f) for f in b])) + list(parts(b, [plane(f) for f in a]))
    return measure(pieces, b[0][0])


def below(a, half_space, on_plane):
    """The part of a polyhedron below a plane; with the apex in the plane the cut face contributes nothing."""
    return measure(list(parts(a, [half_space])), on_plane)


def root(value):
    return (Decimal(value.numerator) / Decimal(value.denominator)).sqrt()


def decimal(value):
    return Decimal(value.numerator) / Decimal(value.denominator)
