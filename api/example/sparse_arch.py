#!/usr/bin/python3
"""A masonry arch of elements: its volumetric contacts, those that sparsification leaves, and the forces that act there.

    api/example/sparse_arch.py [URL of the daemon] [SVG file to write]

27 blocks between two abutments, each of 3 x 2 hexahedra, overlap by 0.6 mm at their joints. Every second block is displaced by 1.2 mm,
as masonry is: where two blocks meet, each element overlaps its counterpart and, in slivers, the neighbours of that. Koziara's Solfec
makes a contact of each pair, and removes those whose area is below a part of that of an adjacent one. What the daemon is asked:

  POST query/volume                  one contact of each pair of elements
  POST query/volume, sparsify        the same, less those that are redundant
  POST query/restingForces           do the forces at the contacts that are left hold the arch?
"""
import http.client
import json
import math
import sys
from urllib.parse import urlsplit

BLOCKS, RADIAL, DEEP = 27, 3, 2  # blocks; elements of each along the radius and across the arch
RADIUS, THICKNESS, WIDTH = 10.0, 1.8, 1.2  # m, of the middle line and of the arch
OVERLAP, SHIFT = 0.0006, 0.0012  # m
DENSITY, GRAVITY, FRICTION = 2400.0, 9.81, 0.5
THRESHOLD = 0.005
SCALE, MARGIN, GAP = 42.0, 14.0, 26.0  # pixels a metre, around and between the pictures
STRONGEST = 1.6  # m: length of the arrow of the strongest force
STONE, JOINT, ABUTMENT, CONTACT, FORCE = "#d6b270", "#8a6d3b", "#969ca6", "#ba101e", "#1f4e8c"


def corner(angle, r, y):
    return [round(r * math.cos(angle), 12), round(y, 12), round(r * math.sin(angle), 12)]


def block(number):
    """Vertices and elements of a block; 0 and BLOCKS + 1 are the abutments, below the ends of the arch."""
    step = math.pi / BLOCKS
    low, high = (number - 1) * step, number * step
    shift = SHIFT if number % 2 else 0.0
    lap = OVERLAP / RADIUS / 2
    radii = [RADIUS - THICKNESS / 2 + shift + THICKNESS * k / RADIAL for k in range(RADIAL + 1)]
    depths = [-WIDTH / 2 + shift + WIDTH * k / DEEP for k in range(DEEP + 1)]
    vertices = [corner(a, r, y) for a in (low - lap, high + lap) for y in depths for r in radii]
    at = lambda k, j, i: i + (RADIAL + 1) * (j + (DEEP + 1) * k)
    # The lower side in the order of VTK, then the upper one.
    cells = [[at(k, j + m, i + n) for k in (0, 1) for m, n in ((0, 0), (0, 1), (1, 1), (1, 0))] for j in range(DEEP) for i in range(RADIAL)]
    return vertices, cells


def arch():
    bodies = []
    for number in range(BLOCKS + 2):
        vertices, cells = block(number)
        body = {"id": f"block-{number:02}", "colliders": [{"hexmesh": {"vertices": vertices, "hexahedra": cells}, "material": "stone"}]}
        if 0 < number <= BLOCKS:
            body["motion"] = {"density": DENSITY}
        bodies.append(body)
    return {"gravity": [0, 0, -GRAVITY], "materials": {"stone": {}},
            "materialPairs": [{"a": "stone", "b": "stone", "staticFriction": FRICTION, "dynamicFriction": FRICTION}], "bodies": bodies}


def ask(url, path, request):
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=120)
    connection.request("POST", path, json.dumps(request), {"Content-Type": "application/json"})
    reply = connection.getresponse()
    answer = json.loads(reply.read())
    if reply.status != 200:
        sys.exit(f"{path}: {reply.status} {answer.get('detail')}")
    connection.close()
    return answer


# ---- the picture ------------------------------------------------------------------------------------------------------------

def project(p):
    """From the front, and a little from above and the side, so that the depth is seen."""
    x, y, z = p
    return (x + 0.4 * y) * SCALE, (-z - 0.25 * y) * SCALE


def path_of(points, origin):
    return "M" + "L".join(f"{x + origin[0]:.1f} {y + origin[1]:.1f}" for x, y in map(project, points)) + "Z"


def draw_faces(origin, corners, is_drawn):
    for number in range(BLOCKS + 2):
        vertices, cells = block(number)
        colour = STONE if 0 < number <= BLOCKS else ABUTMENT
        for n, cell in enumerate(cells):
            if is_drawn(n):
                path = path_of([vertices[cell[i]] for i in corners], origin)
                yield f'<path d="{path}" fill="{colour}" stroke="{JOINT}" stroke-width="0.6"/>'


def draw_blocks(origin):
    """The outer sides, then the fronts, which hide those of the left half."""
    yield from draw_faces(origin, (1, 2, 6, 5), lambda n: n % RADIAL == RADIAL - 1)
    yield from draw_faces(origin, (0, 1, 5, 4), lambda n: n < RADIAL)


def draw_contacts(contacts, origin):
    for c in contacts:
        x, y = project(c["position"])
        yield f'<circle cx="{x + origin[0]:.1f}" cy="{y + origin[1]:.1f}" r="1.6" fill="{CONTACT}"/>'


def draw_forces(contacts, origin):
    strongest = max((math.hypot(*c["force"]) for c in contacts), default=1.0)
    for c in contacts:
        tip = [p + STRONGEST / strongest * f for p, f in zip(c["position"], c["force"])]
        (x, y), (u, v) = project(c["position"]), project(tip)
        yield (f'<line x1="{x + origin[0]:.1f}" y1="{y + origin[1]:.1f}" x2="{u + origin[0]:.1f}" y2="{v + origin[1]:.1f}" '
               f'stroke="{FORCE}" stroke-width="1.5"/>')


def picture(before, after, held):
    width = 2 * (RADIUS + THICKNESS) * SCALE + 2 * MARGIN
    height = (RADIUS + THICKNESS + 2.2) * SCALE
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{2 * height + GAP + 2 * MARGIN:.0f}" font-family="sans-serif" '
             f'font-size="15"><rect width="100%" height="100%" fill="#ffffff"/>']
    for n, (contacts, forces, text) in enumerate(((before, [], f"{len(before)} volumetric contacts"),
                                                  (after, held, f"{len(after)} are left, with their forces"))):
        origin = (width / 2, MARGIN + (n + 1) * height + n * GAP - 1.9 * SCALE)
        lines += draw_blocks(origin)
        lines += draw_forces(forces, origin)
        lines += draw_contacts(contacts, origin)
        lines.append(f'<text x="{origin[0]:.1f}" y="{origin[1] - 2.5 * SCALE:.1f}" text-anchor="middle">{text}</text>')
    return "\n".join(lines) + "\n</svg>\n"


# ---- the run ----------------------------------------------------------------------------------------------------------------

def main():
    url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:7077"
    scene, sparsify = arch(), {"threshold": THRESHOLD}
    whole = ask(url, "/v1/query/volume", {"scene": scene, "limit": 10000})
    sparse = ask(url, "/v1/query/volume", {"scene": scene, "limit": 10000, "sparsify": sparsify})
    reasons = {}
    for removed in sparse["removed"]:
        reasons[removed["reason"]] = reasons.get(removed["reason"], 0) + 1
    forces = ask(url, "/v1/query/restingForces", {"scene": scene, "volumetric": {"sparsify": sparsify}, "friction": "cone"})
    island = forces["results"][0]
    held = island["contacts"]
    fixed = {"block-00", f"block-{BLOCKS + 1:02}"}
    lift = sum((1 if c["a"] in fixed else -1) * c["force"][2] for c in held if c["a"] in fixed or c["b"] in fixed)
    masses = ask(url, "/v1/query/massProperties", {"scene": scene, "bodies": [f"block-{n:02}" for n in range(1, BLOCKS + 1)]})
    weight = sum(r["mass"] for r in masses["results"]) * GRAVITY
    print(f"{BLOCKS} blocks of {RADIAL * DEEP} elements between two abutments: {BLOCKS + 1} joints")
    print(f"volumetric contacts: {len(whole['results'])}")
    print(f"left by sparsify: {len(sparse['results'])}, removed: " + ", ".join(f"{n} {r}" for r, n in sorted(reasons.items())))
    print(f"forces at {len(held)} contacts: {'stable' if forces['stable'] else 'not stable'}, "
          f"{'converged' if forces['converged'] else 'not converged'}; the abutments carry {lift / 1000:.1f} kN "
          f"of {weight / 1000:.1f} kN")
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w", encoding="utf-8") as file:
            file.write(picture(whole["results"], sparse["results"], held))


main()
