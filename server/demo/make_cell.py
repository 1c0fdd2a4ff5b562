#!/usr/bin/python3
"""Writes cell.json beside it: the demo scene, a robot cell of about 60 bodies.

The arm has the public kinematic parameters and link masses of a Universal Robots UR5e (data sheet, 2018: d1 162.5 mm, a2 -425 mm,
a3 -392.2 mm, d4 133.3 mm, d5 99.7 mm, d6 99.6 mm); its colliders are our own capsules, boxes and hulls round those axes. Table,
bins, conveyor, fence and parts are made up. Lengths in m, z up, the floor is z = 0.

    server/demo/make_cell.py          writes cell.json
    server/demo/make_cell.py --check  says whether cell.json is what this program writes
"""
import json
import math
import pathlib
import sys

PLACES = 6  # decimals of every number written: a micrometre
FLANGE = 6
# Joint angles in degrees: the arm holds a block over the stack on the table, the flange looks down.
JOINTS = [-154.0, -67.0, 72.0, -95.0, -90.0, 15.0]
DH = [(0.1625, 0.0, 90.0), (0.0, -0.425, 0.0), (0.0, -0.3922, 0.0), (0.1333, 0.0, 90.0), (0.0997, 0.0, -90.0), (0.0996, 0.0, 0.0)]
PEDESTAL_TOP = 0.62
TABLE_TOP, RACK_HEIGHT = 0.75, 0.06
X_AXIS, Y_AXIS = [0.0, 0.707107, 0.0, 0.707107], [-0.707107, 0.0, 0.0, 0.707107]  # rotations that lay a capsule along x, y


# ---- frames --------------------------------------------------------------------------------------------------------------


def turn(axis, degrees):
    """Quaternion (x, y, z, w) about a coordinate axis 0, 1, 2."""
    half = math.radians(degrees) / 2
    q = [0.0, 0.0, 0.0, math.cos(half)]
    q[axis] = math.sin(half)
    return q


def times(p, q):
    px, py, pz, pw = p
    qx, qy, qz, qw = q
    return [pw * qx + px * qw + py * qz - pz * qy, pw * qy - px * qz + py * qw + pz * qx, pw * qz + px * qy - py * qx + pz * qw,
            pw * qw - px * qx - py * qy - pz * qz]


def rotate(q, v):
    r = times(times(q, [*v, 0.0]), [-q[0], -q[1], -q[2], q[3]])
    return r[:3]


def compose(frame, position, rotation=(0.0, 0.0, 0.0, 1.0)):
    moved = rotate(frame[1], position)
    return [frame[0][i] + moved[i] for i in range(3)], times(frame[1], rotation)


def arm_frames():
    """Frames 0 (base) to 6 (flange), each after its joint (Denavit and Hartenberg 1955)."""
    frames = [([0.0, 0.0, PEDESTAL_TOP], [0.0, 0.0, 0.0, 1.0])]
    for angle, (d, a, alpha) in zip(JOINTS, DH):
        frame = compose(frames[-1], [0.0, 0.0, d], turn(2, angle))
        frames.append(compose(frame, [a, 0.0, 0.0], turn(0, alpha)))
    return frames


def tidy(values):
    return [round(v, PLACES) + 0.0 for v in values]


# ---- colliders and bodies ------------------------------------------------------------------------------------------------


def placed(shape, position=None, rotation=None, name=None):
    collider = {"id": name} if name else {}
    collider.update(shape)
    if position and any(position):
        collider["position"] = tidy(position)
    if rotation:
        collider["rotation"] = tidy(rotation)
    return collider


def box(x, y, z, position=None, rotation=None, name=None):
    return placed({"box": {"size": tidy([x, y, z])}}, position, rotation, name)


def ball(radius, position=None, name=None):
    return placed({"sphere": {"radius": radius}}, position, None, name)


def rod(radius, height, position=None, rotation=None, name=None):
    return placed({"capsule": {"radius": radius, "height": round(height, PLACES)}}, position, rotation, name)


def taper(bottom, top, height, position=None, rotation=None, name=None):
    return placed({"capsule": {"radiusBottom": bottom, "radiusTop": top, "height": height}}, position, rotation, name)


def hull(vertices, position=None, rotation=None, name=None):
    return placed({"convex": {"vertices": [tidy(v) for v in vertices]}}, position, rotation, name)


def prism(sides, radius, low, high, position=None, rotation=None, name=None, phase=0.0):
    ring = [(radius * math.cos(2 * math.pi * (i + phase) / sides), radius * math.sin(2 * math.pi * (i + phase) / sides))
            for i in range(sides)]
    return hull([[x, y, low] for x, y in ring] + [[x, y, high] for x, y in ring], position, rotation, name)


def body(name, colliders, position=(0.0, 0.0, 0.0), rotation=None, groups=None, motion=None):
    out = {"id": name}
    if any(position):
        out["position"] = tidy(position)
    if rotation and any(rotation[:3]):
        out["rotation"] = tidy(rotation)
    if groups:
        out["groups"] = groups
    if motion:
        out["motion"] = motion
    out["colliders"] = colliders
    return out


def arm():
    frames = arm_frames()
    shapes = {
        "base": (0, 4.0, [rod(0.06, 0.04, [0, 0, 0.085], name="drum"), prism(12, 0.0745, 0.001, 0.03, name="foot")]),
        "shoulder": (1, 3.761, [rod(0.06, 0.075, [0, 0, 0.035], name="drum"),
                                rod(0.058, 0.05, [0, -0.01, 0], Y_AXIS, name="neck")]),
        "upper-arm": (2, 8.058, [rod(0.054, 0.425, [0.2125, 0, 0.138], X_AXIS, name="tube"),
                                 rod(0.058, 0.05, [0.425, 0, 0.138], name="shoulder-cap"),
                                 rod(0.055, 0.04, [0, 0, 0.125], name="elbow-cap")]),
        "forearm": (3, 2.846, [rod(0.046, 0.3922, [0.1961, 0, 0.007], X_AXIS, name="tube"),
                               rod(0.05, 0.03, [0.3922, 0, 0.012], name="elbow-cap"),
                               rod(0.043, 0.03, [0, 0, 0.012], name="wrist-cap")]),
        "wrist-1": (4, 1.37, [rod(0.0375, 0.04, [0, -0.02, 0], Y_AXIS, name="drum"),
                              rod(0.0375, 0.025, [0, 0, 0.0125], name="cap")]),
        "wrist-2": (5, 1.3, [rod(0.0375, 0.035, [0, 0.0175, 0], Y_AXIS, name="drum"),
                             rod(0.0375, 0.025, [0, 0, 0.0125], name="cap")]),
        "wrist-3": (6, 0.365, [taper(0.034, 0.031, 0.012, [0, 0, -0.035], name="drum"),
                               prism(8, 0.0315, -0.02, 0.0, name="flange", phase=0.5)]),
    }
    bodies = []
    for name, (index, mass, colliders) in shapes.items():
        position, rotation = frames[index]
        motion = {"mass": mass, "isKinematic": True} if name != "base" else None
        bodies.append(body("arm-" + name, colliders, position, rotation, ["arm"], motion))
    return bodies, frames[FLANGE]


def finger(side):
    """A wedge-shaped finger with a pad; closes along x of the flange frame."""
    s = side
    tip = [[s * 0.022, -0.011, 0.085], [s * 0.022, 0.011, 0.085], [s * 0.044, -0.011, 0.085], [s * 0.044, 0.011, 0.085],
           [s * 0.022, -0.007, 0.155], [s * 0.022, 0.007, 0.155], [s * 0.030, -0.007, 0.155], [s * 0.030, 0.007, 0.155]]
    return [hull(tip, name="blade"), box(0.004, 0.014, 0.03, [s * 0.020, 0, 0.14], name="pad")]


def gripper(flange):
    mass = {"mass": 0.9, "isKinematic": True}
    palm = [box(0.12, 0.06, 0.05, [0, 0, 0.048], name="housing"), prism(8, 0.0315, 0.001, 0.023, name="adapter", phase=0.5),
            rod(0.012, 0.05, [0, 0.043, 0.045], X_AXIS, name="camera-cable")]
    bodies = [body("gripper-palm", palm, *flange, ["gripper"], mass)]
    for name, side in (("left", -1), ("right", 1)):
        bodies.append(body("gripper-finger-" + name, finger(side), *flange, ["gripper"], {"mass": 0.12, "isKinematic": True}))
    held = compose(flange, [0.0, 0.0, 0.145])
    # 36.8 mm wide between pads 36 mm apart: the grip presses 0.4 mm into either pad.
    bodies.append(body("part-held-block", [box(0.0368, 0.03, 0.04)], *held, ["parts"], {"density": 2700}))
    return bodies


def furniture():
    static = ["structure"]
    legs = [box(0.06, 0.06, 0.72, [x, y, 0.36], name=f"leg-{n}") for n,
            (x, y) in enumerate([(-0.45, -0.55), (0.45, -0.55), (-0.45, 0.55), (0.45, 0.55)], 1)]
    table = [box(1.0, 1.2, 0.03, [0, 0, 0.735], name="top")] + legs
    rollers = [rod(0.025, 0.34, [-0.5 + 0.11 * i, 0, 0.0], Y_AXIS, name=f"roller-{i}") for i in range(10)]
    rails = [box(1.15, 0.03, 0.08, [0, y, -0.01], name=n) for y, n in ((-0.22, "rail-right"), (0.22, "rail-left"))]
    bodies = [
        body("floor", [placed({"plane": {}})], groups=static),
        body("pedestal", [box(0.30, 0.30, 0.59, [0, 0, 0.295], name="column"), box(0.36, 0.36, 0.03, [0, 0, 0.605], name="plate")],
             groups=static),
        body("table", table, [0.72, 0.0, 0.0], groups=static),
        body("bin-rack", [box(0.40, 1.05, RACK_HEIGHT, [0, 0, RACK_HEIGHT / 2])], [0.98, 0.02, TABLE_TOP],
             groups=["structure", "rack"]),
        body("conveyor", rollers + rails, [0.55, 1.0, 0.70], groups=static),
        body("conveyor-stand", [box(0.08, 0.40, 0.64, [-0.4, 0, 0.32], name="foot-1"),
                                box(0.08, 0.40, 0.64, [0.4, 0, 0.32], name="foot-2")],
             [0.55, 1.0, 0.0], groups=static),
        body("cabinet", [box(0.6, 0.5, 1.2, [0, 0, 0.6], name="case"), box(0.5, 0.02, 0.3, [0, 0.262, 0.85], name="panel")],
             [-0.55, -1.05, 0.0],
             groups=static),
        body("camera-mast", [rod(0.03, 1.55, [0, 0, 0.805], name="post"), rod(0.02, 0.40, [0.2, 0, 1.58], X_AXIS, name="boom")],
             [0.15, -0.72, 0.0],
             [0.0, 0.0, 0.382683, 0.92388], groups=static),
        body("camera", [box(0.09, 0.06, 0.05, name="case"), taper(0.022, 0.028, 0.03, [0, 0, -0.042], name="lens")],
             [0.447, -0.423, 1.53],
             groups=["structure"]),
        body("stack-light", [rod(0.035, 0.18, [0, 0, 0.125])], [-0.55, -1.05, 1.2], groups=static),
        body("dress-pack", [rod(0.018, 0.33, [0.21, 0.0, 0.216], X_AXIS, name="hose"),
                            ball(0.03, [0.40, 0.0, 0.216], name="clamp")],
             *arm_frames()[2], ["arm"], {"mass": 0.6, "isKinematic": True}),
    ]
    return bodies


def fence():
    """Posts at the corners and gates, panels between them 1 cm above the floor rail; a light curtain stands at the front."""
    bodies = []
    posts = [(-1.2, -1.5), (0.2, -1.5), (1.6, -1.5), (1.6, 0.0), (1.6, 1.5), (0.2, 1.5), (-1.2, 1.5)]
    for i, (x, y) in enumerate(posts, 1):
        bodies.append(body(f"fence-post-{i}", [box(0.06, 0.06, 1.8, [0, 0, 0.9])], [x, y, 0.0], groups=["structure"]))
    for i, ((x, y), (u, v)) in enumerate(zip(posts, posts[1:]), 1):
        along_x = y == v
        size = (abs(u - x) - 0.08, 0.02, 1.6) if along_x else (0.02, abs(v - y) - 0.08, 1.6)
        bodies.append(body(f"fence-panel-{i}", [box(*size, [0, 0, 0.95])], [(x + u) / 2, (y + v) / 2, 0.0], groups=["structure"]))
    for name, y in (("a", -1.5), ("b", 1.5)):
        bodies.append(body(f"light-curtain-{name}", [box(0.05, 0.04, 1.5, [0, 0, 0.8])], [-1.2, y - math.copysign(0.06, y), 0.0],
                           groups=["structure"]))
    return bodies


def open_bin(name, x, y, z, degrees, length=0.36, width=0.26, height=0.12, wall=0.006):
    """A crate of five boxes, 1 mm above what it stands on."""
    sides = [box(length, width, wall, [0, 0, wall / 2], name="bottom"),
             box(wall, width, height - wall, [(length - wall) / 2, 0, (height + wall) / 2], name="front"),
             box(wall, width, height - wall, [-(length - wall) / 2, 0, (height + wall) / 2], name="back"),
             box(length - 2 * wall, wall, height - wall, [0, (width - wall) / 2, (height + wall) / 2], name="left"),
             box(length - 2 * wall, wall, height - wall, [0, -(width - wall) / 2, (height + wall) / 2], name="right")]
    return body(name, sides, [x, y, z + 0.001], turn(2, degrees), ["bins"], {"mass": 1.4})


def parts():
    top = TABLE_TOP  # parts float 1 mm above what they rest on unless a comment says otherwise
    rack = top + RACK_HEIGHT
    floor = rack + 0.001 + 0.006 + 0.001  # of the bins
    steel, aluminium = {"density": 7850}, {"density": 2700}

    def part(name, colliders, x, y, z, rotation=None, motion=steel):
        groups = ["parts", "binned"] if floor <= z < floor + 0.05 else ["parts"]
        return body("part-" + name, colliders, [x, y, z], rotation, groups, motion)

    nut = [prism(6, 0.0185, -0.008, 0.008)]
    bolt = [rod(0.006, 0.05, [0, 0, -0.03], name="shank"), prism(6, 0.0115, 0.0, 0.008, name="head")]
    wedge = [hull([[0, -0.02, 0], [0.08, -0.02, 0], [0, 0.02, 0], [0.08, 0.02, 0], [0, -0.02, 0.04], [0, 0.02, 0.04]])]
    pin = [taper(0.008, 0.005, 0.06)]
    flat = list(X_AXIS)
    bodies = [
        open_bin("bin-steel", 0.98, -0.32, rack, 0), open_bin("bin-mixed", 0.98, 0.02, rack, 4),
        open_bin("bin-scrap", 0.98, 0.36, rack, -7),
        part("nut-1", nut, 0.90, -0.38, floor + 0.008), part("nut-2", nut, 0.95, -0.38, floor + 0.008, turn(2, 20)),
        part("nut-3", nut, 0.99, -0.36, floor + 0.008, turn(2, 9)),
        # Stands on nut-2, sunk 0.5 mm into it: collision 3.
        part("nut-4", nut, 0.95, -0.375, floor + 0.0235, turn(2, 5)),
        part("bolt-1", bolt, 0.92, -0.29, floor + 0.0115, flat), part("bolt-2", bolt, 0.92, -0.255, floor + 0.0115, flat),
        part("bolt-3", bolt, 1.06, -0.33, floor + 0.0115, times(turn(2, 70), flat)),
        part("ball-1", [ball(0.02)], 0.90, 0.0, floor + 0.02), part("ball-2", [ball(0.02)], 0.945, 0.005, floor + 0.02),
        part("ball-3", [ball(0.015)], 0.925, 0.037, floor + 0.015), part("ball-4", [ball(0.03)], 1.02, -0.05, floor + 0.03),
        # Overlaps ball-4 by 3 mm: collision 4.
        part("ball-5", [ball(0.025)], 1.068, -0.0305, floor + 0.025),
        part("wedge-1", wedge, 0.98, 0.07, floor, turn(2, 8), aluminium),
        # Pushed 2 mm through the left wall of the scrap bin: collision 5.
        part("offcut", [box(0.05, 0.12, 0.02, [0, 0, 0.01])], 0.988, 0.4255, floor, turn(2, -7), aluminium),
        part("pin-1", pin, 0.93, 0.33, floor + 0.0081, times(turn(2, 35), flat)),
        part("pin-2", pin, 1.02, 0.31, floor + 0.0081, times(turn(2, 80), flat)),
        part("plate", [box(0.16, 0.10, 0.008, [0, 0, 0.004])], 0.62, -0.40, top + 0.001, turn(2, 12), aluminium),
        part("bracket", [box(0.06, 0.05, 0.005, [0, 0, 0.0025], name="base"),
                         box(0.005, 0.05, 0.05, [0.0275, 0, 0.031], name="web")], 0.62, -0.40,
             top + 0.011, turn(2, 12), aluminium),
        part("cone-gauge", [taper(0.03, 0.008, 0.09, [0, 0, 0.075])], 0.44, 0.30, top + 0.001),
        part("block-1", [box(0.08, 0.08, 0.05, [0, 0, 0.025])], 0.528, 0.41, top + 0.001, turn(2, 30), aluminium),
        part("block-2", [box(0.05, 0.05, 0.05, [0, 0, 0.025])], 0.53, 0.408, top + 0.053, turn(2, 12), aluminium),
        part("gem", [hull([[0, 0, 0.04], [0, 0, -0.02], [0.03, 0, 0], [-0.03, 0, 0], [0, 0.03, 0], [0, -0.03, 0],
                           [0.02, 0.02, 0.015], [-0.02, 0.02, 0.015]])],
             0.62, 0.34, top + 0.022),
        # On the conveyor: rollers end 0.725 m above the floor.
        part("carton-1", [box(0.20, 0.26, 0.15, [0, 0, 0.075])], 0.30, 1.0, 0.7265, None, {"density": 120}),
        part("carton-2", [box(0.20, 0.26, 0.15, [0, 0, 0.075])], 0.53, 0.99, 0.7265, turn(2, 3), {"density": 120}),
        # Leans against carton-2 with an edge 14 mm inside it: collision 6.
        part("carton-3", [box(0.20, 0.26, 0.15, [0, 0, 0.075])], 0.735, 1.005, 0.7265, turn(2, -6), {"density": 120}),
    ]
    return bodies


def filters():
    joints = [("arm-base", "arm-shoulder", "shoulder pan joint"), ("arm-shoulder", "arm-upper-arm", "shoulder lift joint"),
              ("arm-upper-arm", "arm-forearm", "elbow joint"), ("arm-forearm", "arm-wrist-1", "wrist 1 joint"),
              ("arm-wrist-1", "arm-wrist-2", "wrist 2 joint"), ("arm-wrist-2", "arm-wrist-3", "wrist 3 joint"),
              ("arm-wrist-3", "gripper-palm", "bolted to the flange"), ("arm-upper-arm", "dress-pack", "clamped to the upper arm"),
              ("pedestal", "arm-base", "bolted to the plate"), ("camera-mast", "camera", "held by the boom")]
    return {"groups": {"structure": {"notCollideWith": ["structure"]}, "gripper": {"notCollideWith": ["gripper"]},
                       "rack": {"notCollideWith": ["binned"]}},
            "pairs": [{"a": a, "b": b, "collide": False, "reason": reason} for a, b, reason in joints]}


# ---- writing -------------------------------------------------------------------------------------------------------------


def one_line(value):
    return json.dumps(value)


def text_of(scene):
    """Readable JSON: a body's head in one line, then one collider a line."""
    lines = ["{", f'  "id": {one_line(scene["id"])},', '  "filters": {', '    "groups": {']
    groups = scene["filters"]["groups"]
    lines += [f"      {one_line(n)}: {one_line(r)}" + ("," if i + 1 < len(groups) else "") for i,
              (n, r) in enumerate(groups.items())]
    pairs = scene["filters"]["pairs"]
    lines += ["    },", '    "pairs": [']
    lines += [f"      {one_line(p)}" + ("," if i + 1 < len(pairs) else "") for i, p in enumerate(pairs)]
    lines += ["    ]", "  },", '  "bodies": [']
    for i, item in enumerate(scene["bodies"]):
        head = one_line({k: v for k, v in item.items() if k != "colliders"})[:-1]
        lines.append(f'    {head}, "colliders": [')
        lines += [f"      {one_line(c)}" + ("," if j + 1 < len(item["colliders"]) else "") for j, c in enumerate(item["colliders"])]
        lines.append("    ]}" + ("," if i + 1 < len(scene["bodies"]) else ""))
    return "\n".join(lines + ["  ]", "}"]) + "\n"


def main():
    links, flange = arm()
    bodies = furniture() + fence() + links + gripper(flange) + parts()
    text = text_of({"id": "cell", "filters": filters(), "bodies": bodies})
    path = pathlib.Path(__file__).with_name("cell.json")
    if "--check" in sys.argv[1:]:
        return 0 if path.read_text() == text else 1
    path.write_text(text)
    print(f"{len(bodies)} bodies, {sum(len(b['colliders']) for b in bodies)} colliders")
    return 0


sys.exit(main())
