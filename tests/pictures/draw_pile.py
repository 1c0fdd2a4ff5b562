#!/usr/bin/python3
"""Draws a pile that advance has settled, with an arrow for each contact force of restingForces, as the SVG picture beside this file.

    make build && CONTACTD_BIN=build/contactd PYTHONPATH=tests tests/pictures/draw_pile.py

Parallel projection, near walls left out. Bodies are glass, painted from far to near, boxes sand and hulls blue. An arrow begins at
its contact; it is the force with which one body holds the other up, as long as it is strong. Forces that walls take are grey.
Python's standard library alone; the same bytes each time.
"""
import itertools
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from support import scenes  # noqa: E402
from support.client import KeepAlive  # noqa: E402
from support.daemon import Daemon  # noqa: E402
from support.triangles import cross, dot, sub  # noqa: E402

COUNT, SIDE, SECONDS, STEP, TOUCHES = 60, 3, 4, 1 / 256, 1e-6
SCALE, MARGIN = 330.0, 14.0
AZIMUTH, ELEVATION = math.radians(-62.0), math.radians(16.0)
LONGEST, HEAD = 0.5, 7.0  # m of the strongest force's arrow, and the size of its head in the picture
SAND, BLUE, WALL = (214, 178, 112), (104, 148, 204), (150, 156, 166)
WEAK, STRONG = (236, 170, 40), (186, 16, 30)
RIGHT = [-math.sin(AZIMUTH), math.cos(AZIMUTH), 0.0]
TOWARDS = [math.cos(AZIMUTH) * math.cos(ELEVATION), math.sin(AZIMUTH) * math.cos(ELEVATION), math.sin(ELEVATION)]
UP = cross(TOWARDS, RIGHT)


def answers():
    """(bodies, contacts of all islands) of the settled pile."""
    with Daemon("--workers", "2") as daemon:
        client = KeepAlive(daemon)
        client.put("/v1/scenes/pile", scenes.pile(COUNT, SIDE)).must(201)
        told = client.post("/v1/scenes/pile/advance", {"duration": SECONDS, "timeStep": STEP, "contactTolerance": TOUCHES, "deadlineMs": 600000}).must(200).json
        if told["kineticEnergy"] > 0:
            sys.exit(f"after {SECONDS} s it still moves: {told}")
        query = {"contactTolerance": TOUCHES, "limit": 10000, "deadlineMs": 60000}
        reply = client.post("/v1/scenes/pile/query/restingForces", query).must(200).json
        if not (reply["stable"] and reply["complete"]):
            sys.exit("it does not stay")
        bodies = client.get("/v1/scenes/pile").must(200).json["bodies"]
    return bodies, [c for r in reply["results"] for c in r["contacts"]]


def rotate(q, v):
    x, y, z, w = q
    t = [2 * c for c in cross([x, y, z], v)]
    return [a + w * b + c for a, b, c in zip(v, t, cross([x, y, z], t))]


def world(body, v):
    return [a + b for a, b in zip(body.get("position", (0, 0, 0)), rotate(body.get("rotation", (0, 0, 0, 1)), v))]


def project(p):
    return dot(p, RIGHT) * SCALE, -dot(p, UP) * SCALE


def corners_of(size):
    return [[s * x / 2 for s, x in zip(signs, size)] for signs in itertools.product((-1, 1), repeat=3)]


def faces_of(points):
    """(unit normal outwards, corners in order) of the hull of few points: each plane through three that leaves none outside."""
    found = {}
    for i, j, k in itertools.combinations(range(len(points)), 3):
        normal = cross(sub(points[j], points[i]), sub(points[k], points[i]))
        size = math.sqrt(dot(normal, normal))
        heights = [dot(sub(p, points[i]), normal) / size for p in points] if size > 1e-12 else [-1, 1]
        if max(heights) > 1e-9 and min(heights) < -1e-9:
            continue
        sign = 1 if max(heights) <= 1e-9 else -1
        on = frozenset(n for n, height in enumerate(heights) if abs(height) <= 1e-9)
        found.setdefault(on, [sign * c / size for c in normal])
    for on, normal in found.items():
        middle = [sum(points[n][axis] for n in on) / len(on) for axis in range(3)]
        first = sub(points[min(on)], middle)
        second = cross(normal, first)
        yield normal, [points[n] for n in sorted(on, key=lambda n: math.atan2(dot(sub(points[n], middle), second),
                                                                             dot(sub(points[n], middle), first)))]


def polygon(points, colour, shade, opacity):
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(project, points))
    fill = ",".join(str(min(255, round(c * shade))) for c in colour)
    return f'<polygon points="{text}" fill="rgb({fill})" fill-opacity="{opacity}"/>'


def draw_body(body):
    shape = body["colliders"][0]
    points = shape["convex"]["vertices"] if "convex" in shape else corners_of(shape["box"]["size"])
    colour = BLUE if "convex" in shape else SAND
    for normal, corners in faces_of([world(body, p) for p in points]):
        if dot(normal, TOWARDS) > 0:
            yield polygon(corners, colour, 0.78 + 0.3 * max(normal[2], 0) + 0.14 * dot(normal, RIGHT), 0.62)


def draw_walls(reach):
    floor = [[x * reach, y * reach, 0.0] for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    yield polygon(floor, WALL, 1.45, 1)
    for axis, sign in ((0, -1 if TOWARDS[0] > 0 else 1), (1, -1 if TOWARDS[1] > 0 else 1)):
        corners = [p for p in floor if p[axis] * sign > 0]
        yield polygon(corners + [[x, y, 0.8] for x, y, unused in reversed(corners)], WALL, 1.3 if axis else 1.22, 1)


def draw_force(contact, strongest):
    force = contact["force"]
    strength = math.sqrt(dot(force, force))
    if strength < 0.002 * strongest:
        return
    sign = 1 if force[2] >= 0 else -1
    x, y = project(contact["position"])
    tip = project([p + sign * f * LONGEST / strongest for p, f in zip(contact["position"], force)])
    length = math.hypot(tip[0] - x, tip[1] - y)
    part = min(1.0, strength / strongest * 2.5)
    on_wall = any(contact[side].startswith("wall") for side in "ab")
    colour = (90, 96, 108) if on_wall else [round(a + part * (b - a)) for a, b in zip(WEAK, STRONG)]
    ink = f"rgb({','.join(map(str, colour))})"
    yield f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{tip[0]:.1f}" y2="{tip[1]:.1f}" stroke="{ink}" stroke-width="{1 + 1.6 * part:.1f}"/>'
    if length > 1:
        u, v = (tip[0] - x) / length, (tip[1] - y) / length
        size = min(HEAD, 0.6 * length)
        ends = [(tip[0] + 0.4 * size * u, tip[1] + 0.4 * size * v)]
        ends += [(tip[0] - size * (0.6 * u - s * 0.45 * v), tip[1] - size * (0.6 * v + s * 0.45 * u)) for s in (-1, 1)]
        yield f'<polygon points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in ends)}" fill="{ink}" stroke="none"/>'
    yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.5" fill="{ink}" stroke="none"/>'


def main():
    bodies, contacts = answers()
    stones = sorted((b for b in bodies if b["id"].startswith("stone")), key=lambda b: dot(b["position"], TOWARDS))
    reach = 0.25 * SIDE + 0.1
    box = [project([x, y, z]) for x, y, z in itertools.product((-reach, reach), (-reach, reach), (0.0, 0.8))]
    left, top = min(x for x, unused in box) - MARGIN, min(y for unused, y in box) - MARGIN
    width, height = max(x for x, unused in box) + MARGIN - left, max(y for unused, y in box) + MARGIN - top
    strongest = max(math.sqrt(dot(c["force"], c["force"])) for c in contacts)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}" width="{width:.0f}">',
             f'<rect x="{left:.0f}" y="{top:.0f}" width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
             '<g stroke="#2a2d33" stroke-opacity="0.45" stroke-width="0.7" stroke-linejoin="round">', *draw_walls(reach)]
    parts += [line for b in stones for line in draw_body(b)] + ["</g>", '<g stroke-linecap="round">']
    parts += [line for c in contacts for line in draw_force(c, strongest)] + ["</g>", "</svg>"]
    (pathlib.Path(__file__).parent / "pile.svg").write_text("\n".join(parts) + "\n")
    print(f"{len(stones)} bodies, {len(contacts)} contacts, the strongest {strongest:.0f} N")


main()
