"""Bodies at rest by the elastic law of `advance`: a steel ball that touches a plane or starts above it, models of the
repository of Modia3D (test/Collision: BouncingSphere2, TwoCollidingBalls, Billard4Balls) within the default deadline,
and meshes. Truth: the depth at which the law's force is the weight, and the end states that those models publish."""
import math

from support.checks import Suite, check, equal, near, near_list
from support.client import Curl
from support.daemon import Daemon
from support.pace import SLOWER

suite = Suite()
daemon = Daemon("--workers", "2").start()
suite.cleanup(daemon.stop)
client = Curl(daemon)
numbers = iter(range(1000))
G = 9.81
STEEL = {"youngsModulus": 2e11, "poissonRatio": 0.3, "restitution": 0.7, "dynamicFriction": 0.5, "staticFriction": 0.5, "rollingFriction": 0.001}
# The deadline of a request at most. The default deadline is a measure only of an ordinary build.
DEADLINE_MAX = 600000
OWN_DEADLINE = {} if SLOWER == 1 else {"deadlineMs": DEADLINE_MAX}
FLOOR = {"id": "floor", "colliders": [{"plane": {}}]}


def advance(bodies, duration, materials=None, pairs=None, gravity=(0, 0, -G), **members):
    path = f"/v1/scenes/e{next(numbers)}"
    client.put(path, {"gravity": list(gravity), "materials": materials or {"default": STEEL}, "materialPairs": pairs or [], "bodies": bodies}).must(201)
    reply = client.post(f"{path}/advance", {"duration": duration, "mode": "eventCompliant", **OWN_DEADLINE, **members}).must(200).json
    equal(reply["notConverged"], 0, "steps above the tolerance")
    return reply


def depth_at_rest(mass, radius, modulus=2e11, ratio=0.3):
    """Of a sphere on a half-space of the same material: weight = k depth^1.5."""
    stiffness = 4 / 3 * modulus / (1 - ratio ** 2) / 2 * math.sqrt(radius)
    return (mass * G / stiffness) ** (2 / 3)


# ---- rest ----------------------------------------------------------------------------------------------------------------------


def a_steel_ball_rests(gap):
    ball = {"id": "ball", "position": [0, 0, 0.1 + gap], "colliders": [{"sphere": {"radius": 0.1}}], "motion": {"mass": 1}}
    reply = advance([FLOOR, ball], 0.05)
    check(reply["steps"] <= 5000, f"{reply['steps']} steps")
    near(reply["penetration"] / depth_at_rest(1, 0.1), 1, 1e-8, "depth")
    equal(reply["contacts"], 1, "contacts")
    return reply


suite.table("gap", ((f"a steel ball {gap} m above the plane rests", lambda gap=gap: a_steel_ball_rests(gap)) for gap in (0, 1e-6, 1e-9)))


@suite.fact
def the_reply_reports_the_error_scale_in_proportion_to_the_depth_at_rest():
    """8 times the mass: 4 times the depth, and so the floor of positions; velocities as its root, sqrt(g depth)."""
    small, large = ({"id": "ball", "position": [0, 0, 0.1], "colliders": [{"sphere": {"radius": 0.1}, "material": "gum"}], "motion": {"mass": m}}
                    for m in (1, 8))
    gum = {"gum": {"youngsModulus": 1e5, "poissonRatio": 0.3}, "default": STEEL}
    one, eight = (advance([FLOOR, ball], 1e-3, gum)["errorScale"] for ball in (small, large))
    equal((one["relative"], eight["relative"]), (1e-12, 1e-12), "relative")
    near(eight["position"] / one["position"], 4, 1e-9, "floor of positions")
    near(eight["velocity"] / one["velocity"], 2, 1e-9, "floor of velocities")
    equal(advance([small], 1e-3, gum)["errorScale"], {"relative": 1e-12, "position": 0, "velocity": 0}, "without contacts")


# ---- flat faces ----------------------------------------------------------------------------------------------------------------


PRISM = {"convex": {"vertices": [[0.1 * math.cos(math.pi * i / 3), 0.1 * math.sin(math.pi * i / 3), z] for i in range(6) for z in (-0.2, 0.2)]}}
FLAT = {"box": ({"box": {"size": [0.2, 0.3, 0.4]}}, 0.06), "cylinder": ({"cylinder": {"radius": 0.1, "height": 0.4}}, math.pi * 0.01),
        "prism": (PRISM, 1.5 * math.sqrt(3) * 0.01)}


def drop_flat(name, modulus, below=FLOOR, **members):
    """Dropped by 1 mm, with a damping near the critical one."""
    shape, area = FLAT[name]
    stiffness = modulus / (1 - 0.3 ** 2) * math.sqrt(area / math.pi)
    rate = math.sqrt(stiffness)
    body = {"id": "body", "position": [0.05, 0.02, 0.201], "colliders": [shape], "motion": {"mass": 1}}
    matter = {"youngsModulus": modulus, "poissonRatio": 0.3, "dynamicFriction": 0.5, "staticFriction": 0.5}
    return stiffness, advance([below, body], 0.02 + 60 / rate, {"default": matter}, elastic={"dampingMax": rate / G}, **members)


def a_flat_face_rests(name, modulus, below):
    """A rigid flat punch of area A: weight = 2 E sqrt(A / pi) depth, with E of both solids in series."""
    stiffness, reply = drop_flat(name, modulus, below)
    near(reply["penetration"] * stiffness / G, 1, 1e-6, "depth")
    equal(reply["contacts"], 1, "contacts")


TABLE = {"id": "table", "position": [0, 0, -0.5], "colliders": [{"box": {"size": [2, 2, 1]}}]}
suite.table("face", ((f"a {name} of {modulus:g} Pa on a {below['id']}", lambda n=name, m=modulus, b=below: a_flat_face_rests(n, m, b))
                     for name in FLAT for modulus in (1e5, 1e7, 1e9, 2e11)
                     for below in ((FLOOR,) if name == "cylinder" else (FLOOR, TABLE))))


@suite.fact
def steel_boxes_rest_on_a_box_and_beyond_its_edge():
    """Their faces are parallel to 1e-6 when they land; the depth is that of the weight on the common face."""
    steel = {"youngsModulus": 2e11, "poissonRatio": 0.3, "restitution": 0.5, "dynamicFriction": 0.5, "staticFriction": 0.5}
    box = {"id": "box", "position": [0.95, 0, 0.101], "colliders": [{"box": {"size": [0.4, 0.4, 0.2]}}], "motion": {"mass": 32}}
    reply = advance([TABLE, box], 0.2, {"default": steel}, include=["poses"], deadlineMs=min(30000 * SLOWER, DEADLINE_MAX))
    check(0 < reply["penetration"] < 1e-6 and reply["contacts"] == 1, f"depth {reply['penetration']}")
    near_list(reply["poses"]["linearVelocities"][0], [0, 0, 0], 1e-4, "velocity")


def tumbling_bodies_come_to_rest(shape, area, modulus):
    """They fall on a corner or rim, slide and end on the face of this area."""
    matter = {"youngsModulus": modulus, "poissonRatio": 0.3, "restitution": 0.5, "dynamicFriction": 0.5, "staticFriction": 0.5}
    body = {"id": "body", "position": [0, 0, 0.5], "rotation": [0.2, 0.3, 0.1, 0.9273618495495704], "colliders": [shape], "motion": {"mass": 6}}
    reply = advance([FLOOR, body], 1.5, {"default": matter}, include=["poses"], deadlineMs=min(60000 * SLOWER, DEADLINE_MAX))
    stiffness = modulus / (1 - 0.3 ** 2) * math.sqrt(area / math.pi)
    near(reply["penetration"] * stiffness / (6 * G), 1, 1e-6, "depth")
    near_list(reply["poses"]["linearVelocities"][0], [0, 0, 0], 1e-6, "velocity")


suite.table("body", ((f"a tumbling {name} of {modulus:g} Pa comes to rest", lambda s=shape, a=area, m=modulus: tumbling_bodies_come_to_rest(s, a, m))
                     for name, shape, area in (("box", {"box": {"size": [0.4, 0.4, 0.2]}}, 0.16),
                                               ("cylinder", {"cylinder": {"radius": 0.1, "height": 0.2}}, math.pi * 0.01))
                     for modulus in (1e9, 2e11)))


@suite.fact
def the_law_of_the_deepest_point_is_that_of_a_request():
    """A level box gets its force at one corner, or all over its face: it turns, or not. Both laws agree for a ball."""
    box = {"id": "box", "position": [0, 0, 0.1 - 1e-6], "colliders": [{"box": {"size": [0.4, 0.4, 0.2]}}], "motion": {"mass": 1}}
    turning = {}
    for law in ("point", "patch"):
        reply = advance([FLOOR, box], 1e-5, contactLaw=law, include=["poses"])
        turning[law] = math.dist(reply["poses"]["angularVelocities"][0], [0, 0, 0])
    check(turning["point"] > 1e-3 > 1e-9 > turning["patch"], f"angular velocities {turning}")
    ball = {"id": "ball", "position": [0, 0, 0.1], "colliders": [{"sphere": {"radius": 0.1}}], "motion": {"mass": 1}}
    depths = {law: advance([FLOOR, ball], 0.05, contactLaw=law)["penetration"] for law in ("point", "patch")}
    equal(depths["point"], depths["patch"], "depth of a ball")
    path = f"/v1/scenes/e{next(numbers)}"
    client.put(path, {"materials": {"default": STEEL}, "bodies": [FLOOR, ball]}).must(201)
    for members, kind, pointer in (({"mode": "eventCompliant", "contactLaw": "line"}, "bad-value", "/contactLaw"),
                                   ({"contactLaw": "point"}, "unknown-member", "/contactLaw")):
        reply = client.post(f"{path}/advance", {"duration": 1, **members})
        equal((reply.status, reply.json["errors"][0]["pointer"]), (422, pointer), kind)


@suite.fact
def a_box_slides_to_rest_by_its_friction():
    """v^2 / (2 mu g), which the regularised friction below smallVelocity shortens by less than its part."""
    speed, friction = 1, 0.5
    box = {"id": "box", "position": [0, 0, 0.1], "colliders": [{"box": {"size": [0.4, 0.4, 0.2]}}],
           "motion": {"mass": 1, "linearVelocity": [speed, 0, 0]}}
    matter = {"youngsModulus": 1e7, "poissonRatio": 0.3, "dynamicFriction": friction, "staticFriction": friction}
    reply = advance([FLOOR, box], 0.4, {"default": matter}, include=["poses"])
    near(reply["poses"]["positions"][0][0], speed ** 2 / (2 * friction * G), 2e-4, "way")
    near(reply["poses"]["linearVelocities"][0][0], 0, 1e-9, "speed")


# ---- models of Modia3D ---------------------------------------------------------------------------------------------------------


@suite.fact
def the_bouncing_sphere_of_modia3d_comes_to_rest():
    """BouncingSphere2 ends at rest on the ground, within 1e-7 m and m/s."""
    ground = {"id": "ground", "position": [0, -0.15, 0], "colliders": [{"box": {"size": [4, 0.1, 0.7]}}]}
    sphere = {"id": "sphere", "position": [0, 1, 0], "colliders": [{"sphere": {"radius": 0.1}}], "motion": {"mass": 0.001}}
    reply = advance([ground, sphere], 2.5, gravity=[0, -G, 0], timeStep=0.01, include=["poses"])
    check(reply["steps"] <= 120000, f"{reply['steps']} steps")
    near_list(reply["poses"]["positions"][0], [0, 0, 0], 1e-7, "position")
    near_list(reply["poses"]["linearVelocities"][0], [0, 0, 0], 1e-7, "velocity")
    near(reply["penetration"] / depth_at_rest(0.001, 0.1), 1, 1e-6, "depth")


BALL, CLOTH = {"youngsModulus": 5.4e9, "poissonRatio": 0.34}, {"youngsModulus": 1.1e10, "poissonRatio": 0.4}
SMOOTH = {"staticFriction": 0, "dynamicFriction": 0, "rollingFriction": 0}
BILLIARDS = [{"a": "ball", "b": "ball", "restitution": 1, **SMOOTH},
             {"a": "ball", "b": "cloth", "restitution": 0, "staticFriction": 0.8, "dynamicFriction": 0.8, "rollingFriction": 0.01},
             {"a": "ball", "b": "cushion", "restitution": 0.98, **SMOOTH}]
RADIUS = 0.03


def block(name, position, size, material):
    return {"id": name, "position": position, "colliders": [{"box": {"size": size}, "material": material}]}


def billiard_ball(name, x, y=0.0, velocity=(0, 0, 0), gap=0.0):
    return {"id": name, "position": [x, y, RADIUS + gap], "colliders": [{"sphere": {"radius": RADIUS}, "material": "ball"}],
            "motion": {"density": 1768, "linearVelocity": list(velocity)}}


def play(bodies, duration):
    """Columns of the balls' final poses, within the default deadline."""
    reply = advance(bodies, duration, {"ball": BALL, "cloth": CLOTH, "cushion": CLOTH}, BILLIARDS, timeStep=0.01, include=["poses"])
    return reply["poses"]


def two_colliding_balls(gap):
    """The published states are of a relative tolerance of 1e-7 in the state, whose largest component is 57 rad/s."""
    poses = play([block("table", [0, 0, -0.01], [3, 0.5, 0.02], "cloth"), billiard_ball("one", -1.3, velocity=[3, 0, 0], gap=gap),
                  billiard_ball("two", 0, gap=gap)], 1.5)
    for number, (x, speed, turning) in enumerate(((0.44876394694456134, 0.5333704927224155, 17.778500349018145),
                                                  (1.4034679368692125, 1.4386292011966418, 47.95429595521847))):
        near_list(poses["positions"][number], [x, 0, RADIUS], 5e-5, "position")
        near_list(poses["linearVelocities"][number], [speed, 0, 0], 5e-5, "velocity")
        near_list(poses["angularVelocities"][number], [0, turning, 0], 1e-3, "angular velocity")


suite.table("gap", ((f"two billiard balls {gap} m above the table", lambda gap=gap: two_colliding_balls(gap)) for gap in (0, 1e-6)))


@suite.fact
def four_billiard_balls_between_cushions():
    """Billard4Balls, 18 events: each impact multiplies the differences of two integrators, so 0.01 m and m/s."""
    length, width, side = 2.24, 1.12, 0.05
    height, lip = 7 * RADIUS / 5, 7 * RADIUS / 15
    middle, row = height + lip / 2, math.sqrt(3) * RADIUS
    bodies = [block("table", [0, 0, -0.025], [length, width, 0.05], "cloth")]
    for sign in (1, -1):
        bodies += [block(f"end{sign}", [sign * (length / 2 - 0.75 * side), 0, middle], [1.5 * side, width, lip], "cushion"),
                   block(f"side{sign}", [0, sign * (width / 2 - 0.75 * side), middle], [length, 1.5 * side, lip], "cushion")]
    apart = 1e-4
    bodies += [billiard_ball("0", -0.8, -0.1, [3, 0.1, 0]), billiard_ball("1", length / 6),
               *(billiard_ball(f"2{sign}", length / 6 + row + apart, sign * (RADIUS + apart / 2)) for sign in (1, -1))]
    published = [[-0.07275931054522237, 0.245345929634687, -0.8131715869137905, 0.5077564513202036],
                 [-0.16326306297598359, 0.1838211724164155, -0.5825422921046868, 0.1995608242777997],
                 [0.41573792401066556, -0.26010411034360825, -0.0042149501111542675, -0.5004738043885597],
                 [0.14788382539760303, -0.1912228312019073, -0.3027500651996917, -0.18012221710117013]]
    poses = play(bodies, 2.5)
    for number, state in enumerate(published):
        actual = poses["positions"][number][:2] + poses["linearVelocities"][number][:2]
        near_list(actual, state, 0.011, f"position and velocity of ball {number}")


# ---- meshes --------------------------------------------------------------------------------------------------------------------


CORNERS = [[x, y, z] for x in (-2, 2) for y in (-2, 2) for z in (-1, 0)]
FACES = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
HEXAHEDRON = {"vertices": [CORNERS[i] for i in (0, 4, 6, 2, 1, 5, 7, 3)], "hexahedra": [[0, 1, 2, 3, 4, 5, 6, 7]]}
RUBBER = {"youngsModulus": 1e7, "poissonRatio": 0.3}


def mesh(triangles, **more):
    return {"mesh": {"vertices": CORNERS, "triangles": triangles, **more}}


def on_mesh(collider):
    """A scene with a ball above the collider's top, z = 0."""
    path = f"/v1/scenes/e{next(numbers)}"
    ball = {"id": "ball", "position": [0.3, 0.2, 0.301], "colliders": [{"sphere": {"radius": 0.3}}], "motion": {"mass": 5}}
    table = {"id": "table", "colliders": [{"id": "leg", "position": [0, 0, -1], "sphere": {"radius": 0.1}}, {"id": "top", **collider}]}
    client.put(path, {"materials": {"default": RUBBER}, "bodies": [table, ball]}).must(201)
    return path


def an_open_mesh_is_refused(collider):
    path = on_mesh(collider)
    before = client.get(path).etag
    problem = client.post(f"{path}/advance", {"duration": 1, "mode": "eventCompliant"}).problem(422, "open-mesh", "/mode").json
    check('Collider 1 of body "table"' in problem["detail"], problem["detail"])
    equal(client.get(path).etag, before, "revision")
    client.post(f"{path}/advance", {"duration": 0.01, "mode": "timeStepping"}).must(200)


def a_closed_mesh_supports_the_ball(collider):
    """The mesh's radius of curvature is half its shortest edge, 1/2 m."""
    path = on_mesh(collider)
    reply = client.post(f"{path}/advance", {"duration": 1, "mode": "eventCompliant", "timeStep": 0.01,
                                               "elastic": {"dampingMax": 20}}).must(200).json
    near(reply["penetration"] / depth_at_rest(5, 0.3 * 0.5 / 0.8, 1e7), 1, 1e-6, "depth")


suite.table("mesh", ((f"open: {name}", lambda shape=shape: an_open_mesh_is_refused(shape)) for name, shape in (
    ("one sheet", mesh(FACES[10:])), ("a hole in its top", mesh(FACES[:-1])), ("a hole at its bottom", mesh(FACES[:8] + FACES[9:])),
    ("one triangle inside out", mesh(FACES[:-1] + [FACES[-1][::-1]])), ("read as a surface", mesh(FACES, solid=False)),
    ("a sheet with a margin", {**mesh(FACES[10:]), "margin": 0.05}))))
suite.table("mesh", ((f"closed: {name}", lambda shape=shape: a_closed_mesh_supports_the_ball(shape)) for name, shape in (
    ("a box", mesh(FACES)), ("a box that is inside out", mesh([f[::-1] for f in FACES])), ("a hexahedron", {"hexmesh": HEXAHEDRON}))))
suite.main()
