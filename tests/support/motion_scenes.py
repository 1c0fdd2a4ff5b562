"""Scenes of the reference motions (motion_references.jsonl): for each kind, a function from the `given` values of a case to a Setup. Also used
for random variants, which have the same members. Poses are those of the reference: SI units, quaternions w, x, y, z.

A Setup has a length and a time of the problem. They scale its quantities, its steps and the errors that a method of first or second order may
have; see motion_errors.py."""
import dataclasses
import math

GROUND = {"id": "ground", "colliders": [{"plane": {}}]}


@dataclasses.dataclass
class Setup:
    """One scene, and how to advance it. `unit`: the times at which quantities are read are multiples of it, s; 0: any."""
    bodies: list
    length: float
    time: float
    duration: float
    unit: float = 0.0
    gravity: tuple = (0.0, 0.0, -9.81)
    materials: dict = dataclasses.field(default_factory=dict)
    mass: float = 1.0
    speed: float = 0.0  # 0: length / time
    rate: float = 0.0  # angular velocity, rad/s; 0: 1 / time
    center: tuple = (0.0, 0.0, 0.0)  # centre of mass in the frame of the body named "body"
    options: dict = dataclasses.field(default_factory=dict)  # further members of advance

    def scene(self):
        return {"gravity": list(self.gravity), "materials": self.materials, "bodies": self.bodies}

    def scales(self):
        speed = self.speed or self.length / self.time
        return {"position": self.length, "velocity": speed, "angle": 1.0, "rate": self.rate or 1.0 / self.time, "time": self.time,
                "energy": self.mass * speed * speed, "force": self.mass * self.length / self.time ** 2,
                "momentum": self.mass * self.length * speed}


# ---- vectors and quaternions -------------------------------------------------------------------


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def add(a, b, factor=1.0):
    return tuple(x + factor * y for x, y in zip(a, b))


def rotated(q, v):
    """The vector v rotated by the quaternion q."""
    t = tuple(2.0 * x for x in cross(q[1:], v))
    return add(add(v, t, q[0]), cross(q[1:], t))


def product(p, q):
    axis = add(add(tuple(p[0] * x for x in q[1:]), p[1:], q[0]), cross(p[1:], q[1:]))
    return (p[0] * q[0] - dot(p[1:], q[1:]), *axis)


def turn(axis, angle):
    """The quaternion of a rotation about the x, y or z axis."""
    return (math.cos(angle / 2), *(math.sin(angle / 2) if name == axis else 0.0 for name in "xyz"))


# ---- bodies ------------------------------------------------------------------------------------


def body(colliders, position, **motion):
    rotation = motion.pop("rotation", (1.0, 0.0, 0.0, 0.0))
    renamed = {"mass": "mass", "velocity": "linearVelocity", "angular": "angularVelocity", "inertia": "inertiaDiagonal",
               "center": "centerOfMass"}
    members = {renamed[name]: list(value) if isinstance(value, (list, tuple)) else value for name, value in motion.items()}
    return {"id": "body", "position": list(position), "rotationWxyz": list(rotation), "motion": members, "colliders": colliders}


def box(half):
    return [{"box": {"size": [2.0 * h for h in half]}}]


def kinematic(colliders, position=(0.0, 0.0, 0.0), **motion):
    return {"id": "driven", "position": list(position), "motion": {"isKinematic": True, **motion}, "colliders": colliders}


def rough(friction, restitution=0.0):
    return {"default": {"staticFriction": friction, "restitution": restitution}}


def enough_friction(given):
    """Rolling bodies stick with every friction from `friction_at_least`; twice that, and at least 0.5, is far from the limit."""
    return rough(max(0.5, 2.0 * given.get("friction_at_least", 1.0)))


# ---- rolling and spinning bodies ---------------------------------------------------------------


def sphere_slide_to_roll(given):
    radius, mu, g = given["shape"]["radius"], given["friction"], -given["gravity"][2]
    slip = slip_of_sphere(given["velocity"], given["angular_velocity"], radius)
    sliding = 2.0 * math.hypot(*slip) / (7.0 * mu * g)
    speed = math.hypot(*given["velocity"]) + math.hypot(*slip)
    ball = body([{"sphere": {"radius": radius}}], given["center"], mass=given["mass"], velocity=given["velocity"],
                angular=given["angular_velocity"])
    return Setup([GROUND, ball], speed * sliding, sliding, max(1.5, 1.5 * sliding), 1.5, tuple(given["gravity"]), rough(mu), given["mass"],
                 rate=speed / radius)


def slip_of_sphere(velocity, angular, radius):
    """Velocity of the lowest point of a sphere."""
    return (velocity[0] - radius * angular[1], velocity[1] + radius * angular[0])


def ball_on_turntable(given):
    radius, table = given["shape"]["radius"], given["table_angular_velocity"]
    ball = body([{"sphere": {"radius": radius}}], given["center"], mass=given["mass"], velocity=given["velocity"],
                angular=given["angular_velocity"])
    length, time = math.hypot(*given["center"][:2]), 1.0 / abs(table[2])
    return Setup([kinematic([{"plane": {}}], angularVelocity=list(table)), ball], length, time, 5.0, 5.0, tuple(given["gravity"]),
                 enough_friction(given), given["mass"], rate=length / time / radius)


def rolling_cone(given):
    """The frame of the cone is at half of its height, with the apex at +z."""
    alpha, height, phi = given["shape"]["half_angle"], given["shape"]["height"], given["phi"]
    along = (math.cos(phi), math.sin(phi), 0.0)
    axis = (math.cos(alpha) * along[0], math.cos(alpha) * along[1], math.sin(alpha))
    # -z of the frame turns to the axis: first about y, then about z.
    rotation = product(turn("z", phi), turn("y", -math.pi / 2 - alpha))
    angular = tuple(-given["phi_rate"] / math.tan(alpha) * x for x in along)
    center = tuple(given["center_from_apex"] * x for x in axis)
    cone = body([{"cone": {"radius": given["shape"]["base_radius"], "height": height}}], tuple(0.5 * height * x for x in axis),
                mass=given["mass"], velocity=cross(angular, center), angular=angular, rotation=rotation)
    time = math.sqrt(height / math.hypot(*given["gravity"]))
    return Setup([GROUND, cone], height, time, 3.5 if given["beta"] else 2.0, 0.5, tuple(given["gravity"]), enough_friction(given),
                 given["mass"], center=(0.0, 0.0, 0.5 * height - given["center_from_apex"]))


def ellipsoid_motion(given, duration, unit):
    radii = given["shape"]["radii"]
    zero = (0.0, 0.0, 0.0)
    ellipsoid = body([{"ellipsoid": {"radii": radii}}], given["center"], mass=given["mass"], velocity=given.get("velocity", zero),
                     angular=given.get("angular_velocity", zero), rotation=given["orientation"])
    time = math.sqrt(min(radii) / -given["gravity"][2])
    return Setup([GROUND, ellipsoid], min(radii), time, duration, unit, tuple(given["gravity"]), enough_friction(given), given["mass"])


def ellipsoid_rolling(given):
    return ellipsoid_motion(given, 2.0, 0.5)


def ellipsoid_rocking_planar(given):
    """The period is an expected value; the setup of the case sets duration and unit (setup_of)."""
    return ellipsoid_motion(given, 1.0, 0.0)


def eulers_disk(given):
    shape = given["shape"]
    disk = body([{"cylinder": {"radius": shape["radius"], "height": 2.0 * shape["half_length"]}}], given["center"], mass=given["mass"],
                velocity=given["velocity"], angular=given["angular_velocity"], rotation=given["orientation"])
    # Half of the time of a pendulum of the height of the rim; the precession takes about as long per radian.
    time = 0.5 * math.sqrt(shape["radius"] * math.sin(given["tilt"]) / -given["gravity"][2])
    return Setup([GROUND, disk], shape["radius"], time, 1.0, 0.25, tuple(given["gravity"]), enough_friction(given), given["mass"])


def spinning_top_tip_sticks(given):
    """A cone with the apex below; its base is clear of the ground at every tilt that the reference reaches."""
    reach, inertia = given["shape"]["apex_below_center"], given["principal_inertia"]
    height = 1.25 * reach
    cone = {"cone": {"radius": 0.4 * height, "height": height}, "position": [0.0, 0.0, 0.5 * height - reach], "rotationWxyz": [0, 1, 0, 0]}
    top = body([cone], given["center_from_tip"], mass=given["mass"], velocity=given["velocity"], angular=given["angular_velocity"],
               inertia=inertia, center=(0.0, 0.0, 0.0), rotation=given["orientation"])
    spin = dot(given["angular_velocity"], rotated(given["orientation"], (0.0, 0.0, 1.0)))
    time = (inertia[0] + given["mass"] * reach * reach) / (inertia[2] * abs(spin))  # of the nutation
    return Setup([GROUND, top], reach, time, 1.0, 0.1, tuple(given["gravity"]), enough_friction(given), given["mass"])


def spinning_top_slides(given):
    shape = given["shape"]
    ball = {"sphere": {"radius": shape["radius"]}, "position": shape["center_in_body"]}
    top = body([ball], given["center"], mass=given["mass"], velocity=given["velocity"], angular=given["angular_velocity"],
               inertia=given["principal_inertia"], center=(0.0, 0.0, 0.0), rotation=given["orientation"])
    time = 1.0 / math.hypot(*given["angular_velocity"])
    length = -given["friction"] * given["gravity"][2] * 0.025 ** 2
    return Setup([GROUND, top], length, time, 0.025, 0.005, tuple(given["gravity"]), rough(given["friction"]), given["mass"],
                 speed=length / 0.025, rate=-given["friction"] * given["gravity"][2] * 0.025 / shape["radius"])


# ---- driven and sliding blocks -----------------------------------------------------------------


def box_on_accelerating_lift(given):
    half, mass = given["shape"]["half_extents"], given["mass"]
    platform = kinematic([{"box": {"size": [400.0 * half[0], 400.0 * half[1], half[2]]}}], (0.0, 0.0, -0.5 * half[2]),
                         linearAcceleration=list(given["platform_acceleration"]))
    block = body(box(half), (0.0, 0.0, half[2]), mass=mass)
    return Setup([platform, block], half[0], math.sqrt(half[0] / -given["gravity"][2]), 1.0, 1.0, tuple(given["gravity"]),
                 rough(given["friction"]), mass)


def box_on_turntable(given, omega=1.0):
    half, distance = given["shape"]["half_extents"], given["distance"]
    table = kinematic([{"plane": {}}], angularVelocity=[0.0, 0.0, omega])
    block = body(box(half), (distance, 0.0, half[2]), mass=1.0, velocity=(0.0, omega * distance, 0.0), angular=(0.0, 0.0, omega))
    return Setup([table, block], distance, 1.0 / omega, 10.0, 10.0, tuple(given["gravity"]), rough(given["friction"]))


def block_on_slope(given):
    half = (0.2, 0.2, 0.02)
    rotation = turn("y", given["angle"])
    up = rotated(rotation, (-1.0, 0.0, 0.0))
    block = body(box(half), rotated(rotation, (0.0, 0.0, half[2])), mass=1.0, rotation=rotation,
                 velocity=tuple(given["speed_up_slope"] * x for x in up))
    slope = {**GROUND, "rotationWxyz": list(rotation)}
    return Setup([slope, block], half[0], math.sqrt(half[0] / given["gravity"]), 2.0, 2.0, (0.0, 0.0, -given["gravity"]),
                 rough(given["friction"]))


def block_slides_to_rest(given):
    half = (0.2, 0.2, 0.02)
    block = body(box(half), (0.0, 0.0, half[2]), mass=given["mass"], velocity=(given["speed"], 0.0, 0.0))
    time = given["speed"] / (given["friction"] * given["gravity"])
    return Setup([GROUND, block], given["speed"] * time, time, 1.25 * time, 0.0, (0.0, 0.0, -given["gravity"]), rough(given["friction"]),
                 given["mass"])


def tilting_board(given):
    """The board turns about the y axis, its upper end is on the side of +x."""
    place, angular = (given["s"], 0.0, given["h"]), (0.0, -given["rate"], 0.0)
    block = body(box((3.0 * given["h"], 3.0 * given["h"], given["h"])), place, mass=1.0, velocity=cross(angular, place), angular=angular)
    return Setup([kinematic([{"plane": {}}], angularVelocity=list(angular)), block], given["s"], math.sqrt(given["s"] / given["gravity"]),
                 1.0, 0.0, (0.0, 0.0, -given["gravity"]), rough(given["friction"]))


# ---- impacts -----------------------------------------------------------------------------------


def bouncing_ball(given):
    radius, g, e = 0.1, given["gravity"], given["restitution"]
    ball = body([{"sphere": {"radius": radius}}], (0.0, 0.0, radius + given["gap"]), mass=1.0)
    fall = math.sqrt(2.0 * given["gap"] / g)
    return Setup([GROUND, ball], given["gap"], fall, 1.1 * fall * (1.0 + e) / (1.0 - e), 0.0, (0.0, 0.0, -g), rough(0.0, e))


def billiard(given):
    """Ball 1 starts at a hundredth of the time of the problem, before the impact. It has no friction, because the reference has none
    before the impact."""
    radius, speed, mu, g = given["radius"], given["speed"], given["table_friction"], given["gravity"]
    # Of the slip, but at most the time in which a ball moves by five of its diameters.
    time = min(2.0 * speed / (7.0 * mu * g), 10.0 * radius / speed)
    across = math.sqrt(4.0 * radius * radius - given["offset"] ** 2)
    materials = {"default": {"restitution": given["restitution"]}, "cloth": {"staticFriction": mu},
                 "ivory": {"staticFriction": mu, "restitution": given["restitution"]}}
    first = {**body([{"sphere": {"radius": radius}}], (-across - 0.01 * time * speed, -given["offset"], radius), mass=given["m1"],
                    velocity=(speed, 0.0, 0.0)), "id": "first"}
    second = body([{"sphere": {"radius": radius}, "material": "ivory"}], (0.0, 0.0, radius), mass=given["m2"])
    ground = {"id": "ground", "colliders": [{"plane": {}, "material": "cloth"}]}
    return Setup([ground, first, second], speed * time, time, 1.0 + 0.01 * time, 0.0, (0.0, 0.0, -g), materials, given["m2"],
                 rate=speed / radius)


def newtons_cradle_gaps(given):
    radius, pitch = given["radius"], 2.0 * given["radius"] + given["gap"]
    balls = [{**body([{"sphere": {"radius": radius}}], (k * pitch, 0.0, 0.0), mass=1.0,
                     velocity=(0.0 if k else given["speed"], 0.0, 0.0)), "id": f"ball{k + 1}"} for k in range(given["balls"])]
    e, time = given["restitution"], given["gap"] / given["speed"]
    last = sum((2.0 / (1.0 + e)) ** k for k in range(given["balls"] - 1)) * time
    return Setup(balls, given["gap"], time, last + 0.5 * time, 0.0, (0.0, 0.0, 0.0), rough(0.0, e))


def tipping_box(given):
    """The edge on which the box stands is the y axis; the other one is on the side of -x. The normal force of a flat box that falls from near its
    balance becomes small, so that only high friction keeps the edge in place."""
    half, tilt = (given["half_width"], 0.5 * given["half_width"], given["half_height"]), given["tilt"]
    rotation = turn("y", tilt)
    block = body(box(half), rotated(rotation, (-half[0], 0.0, half[2])), mass=given["mass"], rotation=rotation)
    length = math.hypot(half[0], half[2])
    time = math.sqrt(length / given["gravity"])
    # The fall of the linear pendulum from the tilt, and a fifth more.
    balance = math.atan(half[0] / half[2])
    fall = math.acosh(balance / (balance - tilt)) / math.sqrt(0.75) * time
    return Setup([GROUND, block], length, time, max(2.0 * time, 1.2 * fall), 0.0, (0.0, 0.0, -given["gravity"]), rough(100.0), given["mass"])


# ---- the elastic law ---------------------------------------------------------------------------


def elastic_material(given, restitution):
    return {"default": {"youngsModulus": given["youngs_modulus"], "poissonRatio": given["poisson_ratio"], "restitution": restitution}}


def pair_modulus(given):
    """c_res of two bodies of the same material."""
    return given["youngs_modulus"] / (2.0 * (1.0 - given["poisson_ratio"] ** 2))


def elastic_rest(given, colliders, depth, stiffness, height):
    """A body that touches the ground, under gravity. The greatest damping is the critical one, so that it comes to rest soon."""
    frequency = math.sqrt(stiffness / given["mass"])
    damping = 2.0 * frequency / given["gravity"]
    block = body(colliders, (0.0, 0.0, height), mass=given["mass"])
    return Setup([GROUND, block], depth, 1.0 / frequency, 40.0 / frequency, 0.0, (0.0, 0.0, -given["gravity"]), elastic_material(given, 0.5),
                 given["mass"], options={"elastic": {"dampingMax": damping}})


def hertz_rest(given):
    factor = 4.0 / 3.0 * pair_modulus(given) * math.sqrt(given["radius"])
    depth = (given["mass"] * given["gravity"] / factor) ** (2.0 / 3.0)
    return elastic_rest(given, [{"sphere": {"radius": given["radius"]}}], depth, 1.5 * factor * math.sqrt(depth), given["radius"])


def patch_rest(given):
    dims = given["dims"]
    if given["shape"] == "box":
        colliders, half, radius = box(dims), dims[2], math.sqrt(4.0 * dims[0] * dims[1] / math.pi)
    else:
        colliders, half, radius = [{"cylinder": {"radius": dims[0], "height": 2.0 * dims[1]}}], dims[1], dims[0]
    stiffness = 2.0 * pair_modulus(given) * radius
    return elastic_rest(given, colliders, given["mass"] * given["gravity"] / stiffness, stiffness, half)


def hertz_bounce(given):
    factor = 4.0 / 3.0 * pair_modulus(given) * math.sqrt(given["radius"])
    depth = (5.0 * given["mass"] * given["speed"] ** 2 / (4.0 * factor)) ** 0.4
    contact = 2.94327 * depth / given["speed"]
    ball = body([{"sphere": {"radius": given["radius"]}}], (0.0, 0.0, given["radius"] + 0.1 * depth), mass=given["mass"],
                velocity=(0.0, 0.0, -given["speed"]))
    return Setup([GROUND, ball], depth, contact, 2.0 * contact, 0.0, (0.0, 0.0, 0.0), elastic_material(given, given.get("cor", 1.0)),
                 given["mass"], options={"elastic": {"pull": True}})


SCENES = {"sphere_slide_to_roll": sphere_slide_to_roll, "ball_on_turntable": ball_on_turntable, "rolling_cone": rolling_cone,
          "ellipsoid_rocking_planar": ellipsoid_rocking_planar, "ellipsoid_rolling": ellipsoid_rolling, "eulers_disk_steady": eulers_disk,
          "eulers_disk_nutating": eulers_disk, "spinning_top_tip_sticks": spinning_top_tip_sticks, "spinning_top_slides": spinning_top_slides,
          "box_on_accelerating_lift": box_on_accelerating_lift, "box_on_turntable": box_on_turntable, "block_on_slope": block_on_slope,
          "block_slides_to_rest": block_slides_to_rest, "tilting_board": tilting_board, "bouncing_ball": bouncing_ball, "billiard": billiard,
          "newtons_cradle_gaps": newtons_cradle_gaps, "tipping_box": tipping_box, "hertz_rest": hertz_rest, "hertz_bounce": hertz_bounce,
          "hertz_bounce_damped": hertz_bounce, "patch_rest": patch_rest}


def setup_of(case):
    """The setup of a case. Times at which the reference is read set the duration and the unit, where the kind leaves them open."""
    setup = SCENES[case["kind"]](case["given"])
    times = [value["time"] for value in case["expect"] if value["time"]]
    if times:
        setup.duration = max(setup.duration, *times) if setup.unit else max(times) * (1.0 if case["kind"] != "billiard" else 1.02)
        setup.unit = min([*times, setup.unit or math.inf]) if case["kind"] != "billiard" else 0.0
    return setup
