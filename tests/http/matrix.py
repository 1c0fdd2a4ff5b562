"""The matrix of kinds, walked: every kind with every kind, apart, touching and overlapping, in every question about a pair.

`unsupported` may be said of two half-spaces that overlap and, where a question needs a solid, of open meshes; nowhere else.
"""
import itertools

from support.checks import Suite, check, equal, near
from support.client import KeepAlive
from support.daemon import Daemon

CUBE = [[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
SIDES = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]]
# Each reaches from z = -1 to z = 1.
SHAPES = {
    "sphere": {"sphere": {"radius": 1}},
    "box": {"box": {"size": [2, 2.5, 2]}},
    "capsule": {"capsule": {"radius": 0.5, "height": 1}},
    "tapered capsule": {"capsule": {"radiusBottom": 0.5, "radiusTop": 0.25, "height": 1.25}, "position": [0, 0, 0.125]},
    "cylinder": {"cylinder": {"radius": 0.75, "height": 2}},
    "cone": {"cone": {"radius": 1.25, "height": 2}},
    "frustum": {"cone": {"radius": 1.25, "radiusTop": 0.75, "height": 2}},
    "ellipsoid": {"ellipsoid": {"radii": [0.75, 1.25, 1]}},
    "convex": {"convex": {"vertices": [[2, 0, -1], [-1, 2, -1], [-1, -2, -1], [2, 0, 1], [-1, 2, 1], [-1, -2, 1]]}},
    "rounded box": {"box": {"size": [2, 2.5, 2]}, "roundingRadius": 0.25},
    "rounded cylinder": {"cylinder": {"radius": 0.75, "height": 1.5}, "roundingRadius": 0.25, "roundingMode": "add"},
    "rounded cone": {"cone": {"radius": 1.25, "radiusTop": 0.75, "height": 2}, "roundingRadius": 0.125},
    "rounded convex": {"convex": {"vertices": CUBE}, "roundingRadius": 0.25},
    "box with margin": {"box": {"size": [2, 2, 1.5]}, "margin": 0.25},
    "solid mesh": {"mesh": {"vertices": CUBE, "triangles": SIDES}},
    "surface mesh": {"mesh": {"vertices": CUBE, "triangles": SIDES, "solid": False}},
    "open mesh": {"mesh": {"vertices": CUBE, "triangles": SIDES[:-2]}},
    "plane": {"plane": {}},
}
GAPS = {"apart": 0.5, "touching": 0.0, "overlapping": -0.25}
CURVED_DEPTH = 1e-8  # of the size, here 1 m
suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)


def placed(name, z, above):
    shape = dict(SHAPES[name])
    x, y, lift = shape.get("position", [0, 0, 0])
    if name == "plane":
        # Solid below: the upper one is turned over, and both end where the others do.
        return dict(shape, position=[0, 0, z - 1 if above else z + 1], **({"rotation": [1, 0, 0, 0]} if above else {}))
    return dict(shape, position=[x, y, z + lift])


def ask(kind, a, b, **rest):
    return client.post(f"/v1/query/{kind}", dict(rest, a=a, b=b)).must(200).json["results"]


def is_surface(name):
    return name in ("surface mesh", "open mesh")


def cell(below, above):
    for word, gap in GAPS.items():
        a, b = placed(below, 0.0, False), placed(above, 2.0 + gap, True)
        answer = ask("distance", a, b, include=["gradient"])[0]
        overlap = ask("overlap", a, b)[0]
        check(answer["status"] in ("ok", "degenerate"), f"{word}: status {answer['status']}")
        crossing = "mesh" in below + above and gap < 0 and "plane" not in (below, above)
        if not crossing:
            near(answer["distance"], gap, CURVED_DEPTH if gap < 0 else 1e-10, f"{word}: distance")
            if gap > 0 or "mesh" not in below + above:
                near(answer["normal"][2], 1.0, 1e-8, f"{word}: normal")
        elif is_surface(below) or is_surface(above):
            equal((answer["distance"], answer["depthKind"]), (0, "none"), f"{word}: crossing surfaces")
        else:
            check(answer["distance"] <= 0 and answer["depthKind"] == "feature", f"{word}: solids that overlap: {answer}")
        if gap:
            equal(overlap["overlap"], gap < 0, f"{word}: overlap")
            equal(answer["relation"] == "separated", gap > 0, f"{word}: separated")
        contacts = ask("contacts", a, b, detail="full")
        if gap < 0:
            check(contacts and contacts[0]["points"], f"{word}: no contact")
        for contact in contacts:
            check(contact["status"] in ("ok", "degenerate"), f"{word}: contact status {contact['status']}")


@suite.fact
def half_spaces_that_cross_overlap_without_a_depth():
    answer = ask("distance", {"plane": {}}, {"plane": {}, "rotationWxyz": [0.8, 0.6, 0, 0]})[0]
    equal((answer["status"], answer["overlap"]), ("unsupported", True), "half-spaces that cross")


def mass(name):
    body = placed(name, 0.0, False)
    answer = client.post("/v1/query/massProperties", {"a": body}).must(200).json["results"][0]
    hollow = name in ("plane", "surface mesh", "open mesh", "rounded cylinder")
    equal(answer["status"], "unsupported" if hollow else "ok", "status of the mass")
    check(hollow or answer["volume"] > 0.5, f"volume {answer.get('volume')}")


suite.table("pair", ((f"{a} {b}", lambda a=a, b=b: cell(a, b)) for a, b in itertools.product(SHAPES, repeat=2)))
suite.table("mass", ((name, lambda name=name: mass(name)) for name in SHAPES))
suite.main()
