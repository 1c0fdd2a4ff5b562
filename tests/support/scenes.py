"""Scenes that tests and benchmarks share: from fixed seeds, with properties that are known without the daemon."""
import json
import random

CELL = "server/demo/cell.json"


def cell(root):
    return json.loads((root / CELL).read_text())


def number(value):
    return round(value, 4)


def many_bodies(count, seed=7):
    """Bodies of about 150 bytes a line, mostly separated: spheres, boxes and capsules on a jittered grid of pitch 1
    m."""
    rng = random.Random(seed)
    side = round(count ** (1 / 3)) + 1
    bodies = []
    for i in range(count):
        x, y, z = i % side, i // side % side, i // (side * side)
        position = [number(c + rng.uniform(-0.2, 0.2)) for c in (x, y, z)]
        kind = rng.randrange(3)
        if kind == 0:
            collider = {"sphere": {"radius": number(rng.uniform(0.2, 0.45))}}
        elif kind == 1:
            collider = {"box": {"size": [number(rng.uniform(0.3, 0.8)) for unused in range(3)]}}
        else:
            collider = {"capsule": {"radius": number(rng.uniform(0.1, 0.25)), "height": number(rng.uniform(0.2, 0.6))}}
        bodies.append({"id": f"body-{i:06d}", "position": position, "motion": {"mass": number(rng.uniform(0.5, 5.0))},
                       "colliders": [collider]})
    return bodies


def moved(bodies, by=0.05):
    """A poses document that moves the bodies along x."""
    return {"ids": [b["id"] for b in bodies], "positions": [[number(b["position"][0] + by), *b["position"][1:]] for b in bodies]}


def unit_quaternion(rng):
    while True:
        q = [rng.uniform(-1, 1) for unused in range(4)]
        size = sum(c * c for c in q) ** 0.5
        if 0.1 < size <= 1:
            return [c / size for c in q]


def crowd(count, seed=11):
    """Bodies of every kind but the half-space, in random rotations, close enough that most have neighbours within 5
    cm."""
    rng = random.Random(seed)
    side = count ** (1 / 3) * 0.75
    bodies = []
    for i in range(count):
        kind = i % 4
        if kind == 0:
            collider = {"sphere": {"radius": rng.uniform(0.1, 0.4)}}
        elif kind == 1:
            collider = {"box": {"size": [rng.uniform(0.2, 0.9) for unused in range(3)]}}
        elif kind == 2:
            collider = {"capsule": {"radius": rng.uniform(0.1, 0.2), "height": rng.uniform(0.1, 0.6)}}
        else:
            collider = {"convex": {"vertices": [[rng.uniform(-0.4, 0.4) for unused in range(3)] for unused in range(16)]}}
        bodies.append({"id": f"b{i:04d}", "position": [rng.uniform(0, side) for unused in range(3)],
                       "rotation": unit_quaternion(rng),
                       "colliders": [collider]})
    return bodies


def pile(count, side, seed=5):
    """Boxes and hulls of about 0.2 m in layers of side x side that fall on a floor between four walls; friction 0.5
    everywhere. Their masses are given, so the total weight is known without the daemon."""
    rng = random.Random(seed)
    reach = 0.25 * side + 0.1
    bodies = [{"id": "floor", "colliders": [{"plane": {}}]}]
    for i, (x, y) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1))):
        size = [0.2, 2 * reach + 0.4, 3] if x else [2 * reach + 0.4, 0.2, 3]
        bodies.append({"id": f"wall-{i}", "position": [x * (reach + 0.1), y * (reach + 0.1), 1.5], "colliders": [{"box": {"size": size}}]})
    for i in range(count):
        if i % 2:
            shape = {"box": {"size": [number(rng.uniform(0.15, 0.35)) for unused in range(3)]}}
        else:
            shape = {"convex": {"vertices": [[number(rng.uniform(-0.12, 0.12)) for unused in range(3)] for unused in range(12)]}}
        column, layer = i % (side * side), i // (side * side)
        place = [0.5 * (column % side - (side - 1) / 2), 0.5 * (column // side - (side - 1) / 2), 0.3 + 0.5 * layer]
        bodies.append({"id": f"stone-{i:03d}", "position": [number(p + rng.uniform(-0.02, 0.02)) for p in place[:2]] + [place[2]],
                       "rpy": [number(rng.uniform(-1, 1)) for unused in range(3)], "colliders": [shape],
                       "motion": {"mass": number(rng.uniform(4, 12))}})
    return {"materials": {"default": {"staticFriction": 0.5}}, "bodies": bodies}
