#!/usr/bin/python3
"""Draws the demo cell and an answer of the daemon as an SVG picture.

    curl -s http://127.0.0.1:7077/v1/scenes/cell/query/distance -d '{"clearance": 0.05}' | server/demo/draw_cell.py > server/demo/cell.svg

Parallel projection, so that spheres and capsules are drawn exactly as circles and round strokes. Bodies are painted from far to
near. Pairs that overlap are red, pairs closer than the clearance orange with a line between their witness points.
"""
import json
import math
import pathlib
import sys

SCALE, MARGIN = 420.0, 10.0
AZIMUTH, ELEVATION = math.radians(-148.0), math.radians(34.0)
COLOURS = {"arm": "#4f81bd", "gripper": "#2c5b94", "structure": "#b8bec8", "bins": "#c9a86a", "parts": "#7fae6f"}
HIDDEN = ("fence-", "light-curtain-")  # left out so that they do not stand before the rest

RIGHT = (-math.sin(AZIMUTH), math.cos(AZIMUTH), 0.0)
TOWARDS = (math.cos(AZIMUTH) * math.cos(ELEVATION), math.sin(AZIMUTH) * math.cos(ELEVATION), math.sin(ELEVATION))
UP = (TOWARDS[1] * RIGHT[2] - TOWARDS[2] * RIGHT[1], TOWARDS[2] * RIGHT[0] - TOWARDS[0] * RIGHT[2],
      TOWARDS[0] * RIGHT[1] - TOWARDS[1] * RIGHT[0])


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def rotate(q, v):
    x, y, z, w = q
    n = x * x + y * y + z * z + w * w
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [v[i] + (w * t[i] + (y * t[2] - z * t[1], z * t[0] - x * t[2], x * t[1] - y * t[0])[i]) / n for i in range(3)]


def place(item, v):
    turned = rotate(item.get("rotation", (0, 0, 0, 1)), v)
    return [turned[i] + item.get("position", (0, 0, 0))[i] for i in range(3)]


def project(p):
    return dot(p, RIGHT) * SCALE, -dot(p, UP) * SCALE


def outline(points):
    """Convex hull in the plane (monotone chain)."""
    points = sorted(set(points))

    def half(sequence):
        chain = []
        for p in sequence:
            while len(chain) > 1 and ((chain[-1][0] - chain[-2][0]) * (p[1] - chain[-2][1])
                                      <= (chain[-1][1] - chain[-2][1]) * (p[0] - chain[-2][0])):
                chain.pop()
            chain.append(p)
        return chain[:-1]
    return half(points) + half(points[::-1])


def polygon(points, colour, shade=1.0):
    r, g, b = (min(255, int(int(colour[i:i + 2], 16) * shade)) for i in (1, 3, 5))
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polygon points="{text}" fill="rgb({r},{g},{b})" stroke="#00000055" stroke-width="0.6"/>'


def draw_box(world, size, colour):
    faces = []
    for axis in range(3):
        for side in (-1, 1):
            u, v = [i for i in range(3) if i != axis]
            corners = []
            for su, sv in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                c = [0.0, 0.0, 0.0]
                c[axis], c[u], c[v] = side * size[axis] / 2, su * size[u] / 2, sv * size[v] / 2
                corners.append(world(c))
            normal = [0.0, 0.0, 0.0]
            normal[axis] = float(side)
            n = [a - b for a, b in zip(world(normal), world([0, 0, 0]))]
            if dot(n, TOWARDS) > 0:
                faces.append(polygon([project(c) for c in corners], colour, 0.72 + 0.4 * max(n[2], 0) + 0.12 * dot(n, RIGHT)))
    return faces


def draw_collider(body, collider, colour):
    """(depth, [svg]) or None for a plane."""
    def world(v):
        return place(body, place(collider, v))
    depth = dot(world([0, 0, 0]), TOWARDS)
    if "box" in collider:
        return depth, draw_box(world, collider["box"]["size"], colour)
    if "convex" in collider:
        return depth, [polygon(outline([project(world(v)) for v in collider["convex"]["vertices"]]), colour)]
    shape = collider.get("sphere") or collider.get("capsule")
    if shape is None:
        return None
    radius = shape.get("radius", (shape.get("radiusBottom", 0) + shape.get("radiusTop", 0)) / 2)
    half = shape.get("height", 0) / 2
    (x1, y1), (x2, y2) = project(world([0, 0, -half])), project(world([0, 0, half]))
    strokes = ((radius * SCALE + 0.6, "#00000066"), (radius * SCALE, colour))
    return depth, [f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2 + 0.01:.2f}" y2="{y2:.1f}" stroke="{c}" stroke-width="{2 * w:.1f}" '
                   'stroke-linecap="round"/>' for w, c in strokes]


def draw_results(results):
    for hit in sorted(results, key=lambda r: r["distance"], reverse=True):
        if "pointA" not in hit:
            continue
        (x1, y1), (x2, y2) = project(hit["pointA"]), project(hit["pointB"])
        colour = "#d01c1c" if hit["distance"] <= 0 else "#f08a00"
        yield f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="2.5"/>'
        yield f'<circle cx="{(x1 + x2) / 2:.1f}" cy="{(y1 + y2) / 2:.1f}" r="{5 if hit["distance"] <= 0 else 3}" fill="{colour}"/>'


def main():
    scene = json.loads((pathlib.Path(__file__).parent / "cell.json").read_text())
    answer = json.load(sys.stdin)
    drawn = []
    for body in scene["bodies"]:
        if body["id"].startswith(HIDDEN):
            continue
        colour = COLOURS.get((body.get("groups") or ["structure"])[0], "#b8bec8")
        furniture = colour == COLOURS["structure"]
        drawn += [(not furniture, *d) for d in (draw_collider(body, c, colour) for c in body["colliders"]) if d]
    drawn.sort(key=lambda d: d[:2])  # what stands on the furniture is painted after it
    corners = [project((x, y, z)) for x in (-0.95, 1.3) for y in (-1.35, 1.35) for z in (0.0, 0.9)]
    left, top = min(c[0] for c in corners) - MARGIN, min(c[1] for c in corners) - MARGIN
    width, height = max(c[0] for c in corners) + MARGIN - left, max(c[1] for c in corners) + MARGIN - top
    floor = [project((x, y, 0.0)) for x, y in ((-0.95, -1.35), (1.3, -1.35), (1.3, 1.35), (-0.95, 1.35))]
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}" width="{width:.0f}">')
    print(f'<rect x="{left:.0f}" y="{top:.0f}" width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>')
    print(polygon(floor, "#eceff3"))
    for _, _, parts in drawn:
        print("\n".join(parts))
    print("\n".join(draw_results(answer["results"])))
    print("</svg>")


main()
