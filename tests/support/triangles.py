"""Truth on closed meshes: winding numbers by solid angles, nearest points over all triangles, and the common volume
of two meshes by lines through both. In doubles, without the engine's trees and predicates."""
import math
import random


def sub(a, b):
    return [a[0] - b[0], a[1] - b[1], a[2] - b[2]]


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def placed(triangles, rows, position):
    """[[p, q, r], ...] of 9 numbers each, rotated by a matrix's rows and translated."""
    return [[[dot(row, t[i:i + 3]) + at for row, at in zip(rows, position)] for i in (0, 3, 6)] for t in triangles]


def winding(triangles, p):
    """Winding number of the triangles about a point that is on none of them, by solid angles (van Oosterom, Strackee
    1983)."""
    total = 0.0
    for t in triangles:
        a, b, c = (sub(v, p) for v in t)
        la, lb, lc = (math.sqrt(dot(v, v)) for v in (a, b, c))
        total += 2 * math.atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb)
    return total / (4 * math.pi)


def segment_gap(p, a, b):
    d = sub(b, a)
    t = min(max(dot(sub(p, a), d) / dot(d, d), 0.0), 1.0)
    return math.dist(p, [a[i] + t * d[i] for i in range(3)])


def triangle_gap(p, t):
    a, b, c = t
    n = cross(sub(b, a), sub(c, a))
    if all(dot(cross(n, sub(v, u)), sub(p, u)) >= 0 for u, v in ((a, b), (b, c), (c, a))):
        return abs(dot(n, sub(p, a))) / math.sqrt(dot(n, n))
    return min(segment_gap(p, a, b), segment_gap(p, b, c), segment_gap(p, c, a))


def surface_gap(p, triangles):
    """Distance of a point to the nearest triangle, and the triangle. Triangles whose box is farther than the best so
    far are skipped."""
    best, which = math.inf, -1
    for i, t in enumerate(triangles):
        if any(min(t[0][k], t[1][k], t[2][k]) - p[k] > best or p[k] - max(t[0][k], t[1][k], t[2][k]) > best for k in range(3)):
            continue
        gap = triangle_gap(p, t)
        if gap < best:
            best, which = gap, i
    return best, which


def crossings(triangles, low, step, count):
    """{column: [(z, +1 into the solid or -1 out of it going up), ...]} of lines along z, one through the middle of each cell of a grid."""
    columns = {}
    for a, b, c in triangles:
        turn = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        if turn == 0:
            continue
        spans = []
        for k in (0, 1):
            first = math.ceil((min(a[k], b[k], c[k]) - low[k]) / step[k] - 0.5)
            last = math.floor((max(a[k], b[k], c[k]) - low[k]) / step[k] - 0.5)
            spans.append((max(first, 0), min(last, count - 1)))
        for i in range(spans[0][0], spans[0][1] + 1):
            x = low[0] + (i + 0.5) * step[0]
            for j in range(spans[1][0], spans[1][1] + 1):
                y = low[1] + (j + 0.5) * step[1]
                u = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / turn
                v = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / turn
                if u >= 0 and v >= 0 and u + v <= 1:
                    z = a[2] + u * (b[2] - a[2]) + v * (c[2] - a[2])
                    columns.setdefault((i, j), []).append((z, -1 if turn > 0 else 1))
    return columns


def common_volume(first, second, count, seed=1):
    """(volume, centroid) of the common solid of two closed meshes: lines through a grid of count x count cells,
    shifted at random."""
    draw = random.Random(seed)
    low = [max(min(v[k] for t in m for v in t) for m in (first, second)) for k in (0, 1)]
    high = [min(max(v[k] for t in m for v in t) for m in (first, second)) for k in (0, 1)]
    step = [(high[k] - low[k]) / count for k in (0, 1)]
    low = [low[k] - draw.random() * step[k] for k in (0, 1)]
    of_first, of_second = (crossings(m, low, step, count + 1) for m in (first, second))
    volume, moment = 0.0, [0.0, 0.0, 0.0]
    for (i, j), hits in of_first.items():
        events = sorted([(z, way, 0) for z, way in hits] + [(z, way, 1) for z, way in of_second.get((i, j), [])])
        windings = [0, 0]
        for (z, way, which), (above, _, _) in zip(events, events[1:]):
            windings[which] += way
            if windings[0] >= 1 and windings[1] >= 1:
                part = (above - z) * step[0] * step[1]
                volume += part
                middle = (low[0] + (i + 0.5) * step[0], low[1] + (j + 0.5) * step[1], 0.5 * (z + above))
                moment = [m + part * c for m, c in zip(moment, middle)]
    return volume, [m / volume for m in moment] if volume else moment
