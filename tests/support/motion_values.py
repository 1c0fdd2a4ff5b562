"""Reads the quantities of a reference motion from trajectories of the daemon. For each kind, a function from the case, its setup and `run`
(setup -> Trajectory at the step in question) to a list of Value, one for each expected value, in its order. Times of events that a mode does
not report are read from the trajectory, by extrapolation of what changes at the event."""
import dataclasses
import math

from support.checks import Failure
from support.motion_runs import SCENE
from support.motion_scenes import add, box_on_turntable, cross, dot, pair_modulus, rotated, slip_of_sphere

# A turntable is bisected for the angular velocity at which the box slips, within this part of the expected one, down to the second part.
TURNTABLE_RANGE, TURNTABLE_PART = 0.02, 1e-4


@dataclasses.dataclass
class Value:
    actual: float
    scale: str  # a key of Setup.scales()


def component(vector, name):
    return vector["xyz".index(name)]


def common_value(quantity, state, start):
    """Values that several kinds have in common."""
    word, dot_, axis = quantity.partition(".")
    if word == "center" and dot_:
        axis, minus, unused = axis.partition(" - ")
        value = component(state.center, axis) - (component(start.center, axis) if minus else 0.0)
        return Value(value, "position")
    if word == "velocity" and dot_:
        return Value(component(state.velocity, axis), "velocity")
    if word == "angular_velocity" and dot_:
        return Value(component(state.angular, axis), "rate")
    if quantity.startswith("axis_z.z") or quantity == "cosine of tilt":
        return Value(state.axis()[2], "angle")
    return None


def read_common(case, track, special):
    """Common values at their times; `special` is a function of (expected, state) for the others."""
    start = start_state(track)
    values = []
    for expected in case["expect"]:
        state = track.at(expected["time"]) if expected["time"] is not None else None
        values.append((state and common_value(expected["quantity"], state, start)) or special(expected, state))
    return values


class Start:
    """The state at time 0, as the setup places the body."""

    def __init__(self, setup):
        moving = next(body for body in setup.bodies if body["id"] == "body")
        self.rotation = tuple(moving["rotationWxyz"])
        self.center = add(tuple(moving["position"]), rotated(self.rotation, setup.center))


def start_state(track):
    return Start(track.setup)


def crossing(t0, y0, t1, y1):
    """The time at which the line through two points is 0."""
    return t1 + y1 * (t1 - t0) / (y0 - y1)


def end_of_decay(points, part=1e-6):
    """The time at which a quantity that falls at a constant rate reaches 0: the line through its last two values that are above a part of
    the first one and before the last step of the fall."""
    first = points[0][1]
    end = next((k for k, (unused, y) in enumerate(points) if y <= part * first), None)
    if end is None or end < 3:
        raise Failure("the slip does not end, or ends at once")
    return crossing(*points[end - 3], *points[end - 2])


def unwrapped(angles):
    """Angles without jumps of a whole turn."""
    total = [angles[0]]
    for a in angles[1:]:
        total.append(total[-1] + math.remainder(a - total[-1], 2.0 * math.pi))
    return total


# ---- rolling and spinning bodies ---------------------------------------------------------------


def sphere_slide_to_roll(case, setup, run):
    track, radius = run(setup), case["given"]["shape"]["radius"]
    slips = [(s.time, math.hypot(*slip_of_sphere(s.velocity, s.angular, radius))) for s in track.states()]
    return read_common(case, track, lambda expected, state: Value(end_of_decay(slips), "time"))


def ball_on_turntable(case, setup, run):
    track = run(setup)
    return read_common(case, track, lambda expected, state: Value(track.line_at(expected["time"])["work"], "energy"))


def rolling_cone(case, setup, run):
    track, alpha = run(setup), case["given"]["shape"]["half_angle"]
    radius = case["given"]["center_from_apex"] * math.cos(alpha)
    states = track.states()

    def azimuth(state):
        axis = state.axis()
        return math.atan2(-axis[1], -axis[0])

    def rate(state):
        phi = azimuth(state)
        return (math.cos(phi) * state.velocity[1] - math.sin(phi) * state.velocity[0]) / radius

    turned = unwrapped([case["given"]["phi"], *map(azimuth, states)])[1:]

    def special(expected, state):
        name = expected["quantity"]
        if name == "phi":
            return Value(nearest_turn(azimuth(state), track, turned, state.time), "angle")
        if name == "phi_rate":
            return Value(rate(state), "rate")
        if name == "kinetic energy":
            return Value(track.line_at(expected["time"])["kineticEnergy"], "energy")
        return Value(second_turning_point([(s.time, rate(s)) for s in states]), "time")

    return read_common(case, track, special)


def second_turning_point(points):
    """The time of the second change of sign of a rate that starts at 0."""
    changes = [crossing(*p, *q) for p, q in zip(points, points[1:]) if p[1] * q[1] < 0.0]
    if len(changes) < 2:
        raise Failure(f"the cone turns back {len(changes)} times, not twice")
    return changes[1]


def ellipsoid_rocking_planar(case, setup, run):
    track = run(setup)

    def special(expected, state):
        if expected["quantity"].startswith("angular speed"):
            return Value(abs(state.angular[1]), "rate")
        if expected["quantity"].startswith("tilt"):
            return Value(2.0 * math.atan2(state.rotation[2], state.rotation[0]), "angle")
        if expected["quantity"].startswith("center.z"):
            return Value(state.center[2], "position")
        return Value(state.center[0] - start_state(track).center[0], "position")

    # The names of this kind are not those of common_value.
    return [special(expected, track.at(expected["time"])) for expected in case["expect"]]


def ellipsoid_rolling(case, setup, run):
    return read_common(case, run(setup), no_other)


def no_other(expected, state):
    raise Failure(f"the quantity {expected['quantity']!r} has no reader")


def nearest_turn(angle, track, turned, time):
    """The angle plus whole turns, next to the angles `turned` at the ends of the trajectory's steps."""
    k = min(range(len(turned)), key=lambda i: abs(track.times[i] - time))
    return turned[k] + math.remainder(angle - turned[k], 2.0 * math.pi)


def azimuth_of_axis(state):
    axis = rotated(state.rotation, (0.0, 0.0, 1.0))
    return math.atan2(axis[1], axis[0])


def axis_azimuths(track):
    """Azimuths of the body's z axis at the start and at the ends of the steps, without jumps."""
    return unwrapped([azimuth_of_axis(start_state(track)), *map(azimuth_of_axis, track.states())])


def eulers_disk(case, setup, run):
    track = run(setup)

    def special(expected, unused):
        azimuths = axis_azimuths(track)
        return Value((azimuths[-1] - azimuths[0]) / track.times[-1], "rate")

    return read_common(case, track, special)


def spinning_top_tip_sticks(case, setup, run):
    track = run(setup)
    turned = axis_azimuths(track)[1:]
    return read_common(case, track, lambda expected, state: Value(nearest_turn(azimuth_of_axis(state), track, turned, state.time), "angle"))


def spinning_top_slides(case, setup, run):
    """Jellett's integral -L . r, with r from the centre of mass to the contact."""
    track, given = run(setup), case["given"]

    def special(unused, state):
        inner = tuple(rotated(state.rotation, axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
        momentum = (0.0, 0.0, 0.0)
        for axis, inertia in zip(inner, given["principal_inertia"]):
            momentum = add(momentum, axis, inertia * dot(axis, state.angular))
        contact = add(rotated(state.rotation, tuple(given["shape"]["center_in_body"])), (0.0, 0.0, -given["shape"]["radius"]))
        return Value(-dot(momentum, contact), "momentum")

    return read_common(case, track, special)


# ---- driven and sliding blocks -----------------------------------------------------------------


def box_on_accelerating_lift(case, setup, run):
    track = run(setup)
    depth = depth_now(run.client)

    def special(expected, state):
        line = track.line_at(expected["time"])
        if expected["quantity"] == "normal force":
            return Value(last_force(track)[2], "force")
        return Value(depth, "position") if expected["quantity"] == "penetration" else Value(line["work"], "energy")

    return read_common(case, track, special)


def last_force(track):
    """The force of the immovable bodies: the impulse of the last step that was the only one between two lines, and not cut short, by its
    duration. If there is no such step: from the change of the momentum since the line before the last."""
    lines = track.lines
    for k in range(len(lines) - 1, 0, -1):
        time = lines[k]["time"] - lines[k - 1]["time"]
        if lines[k]["steps"] == lines[k - 1]["steps"] + 1 and time > 0.5 * track.step:
            return tuple(x / time for x in lines[k]["contactImpulse"])
    time = lines[-1]["time"] - lines[-2]["time"]
    change = add(lines[-1]["momentum"], lines[-2]["momentum"], -1.0)
    return tuple(x / time - track.setup.mass * g for x, g in zip(change, track.setup.gravity))


def depth_now(client):
    """Depth of the bodies of the scene at the end of the motion, by a query; 0 if they are apart, which has no result."""
    results = client.post(SCENE + "/query/distance", {}).must(200).json["results"]
    return max([0.0, *(-result["distance"] for result in results)])


def box_on_turntable_values(case, setup, run):
    """The angular velocity at which the box slips is between the greatest at which it stays and the least at which it leaves its place, within
    one turn, by more than an error of the mode's order."""
    given, least = case["given"], case["expect"][0]["value"]

    def slips(omega):
        trial = box_on_turntable(given, omega)
        trial.duration, trial.unit = 2.0 * math.pi / omega, 0.0
        track = run(trial)
        end, creep = track.states()[-1], (omega * track.step) ** run.order * (1.0 + 2.0 * math.pi) + 1e-6
        return math.hypot(*end.center[:2]) - given["distance"] > creep * given["distance"]

    low, high = (least * (1.0 + sign * TURNTABLE_RANGE) for sign in (-1, 1))
    if slips(low) or not slips(high):
        raise Failure(f"the box {'slips' if slips(low) else 'stays'} at {low if slips(low) else high} rad/s")
    while high - low > TURNTABLE_PART * least:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if slips(middle) else (middle, high)
    track = run(box_on_turntable(given, 0.999 * least))
    states = track.states()
    turned = [unwrapped([0.0, *angles])[-1] for angles in ([math.atan2(s.axis("x")[1], s.axis("x")[0]) for s in states],
                                                         [math.atan2(s.center[1], s.center[0]) for s in states])]
    expected = case["expect"][1]["value"]
    return [Value(0.5 * (low + high), "rate"), Value(max(turned, key=lambda angle: abs(angle - expected)), "angle")]


def block_on_slope(case, setup, run):
    track = run(setup)
    down, start = (math.cos(case["given"]["angle"]), 0.0, -math.sin(case["given"]["angle"])), start_state(track)

    def special(expected, state):
        if expected["quantity"] == "s":
            return Value(dot(down, add(state.center, start.center, -1.0)), "position")
        return Value(dot(down, state.velocity), "velocity")

    return read_common(case, track, special)


def block_slides_to_rest(case, setup, run):
    track, given = run(setup), case["given"]
    time = end_of_decay([(s.time, abs(s.velocity[0])) for s in track.states()])
    energy = 0.5 * given["mass"] * given["speed"] ** 2 - track.end["kineticEnergy"]
    return [Value(time, "time"), Value(track.states()[-1].center[0], "position"), Value(energy, "energy")]


def tilting_board(case, setup, run):
    """Where the box starts to slip, the square root of its speed along the board rises linearly, to second order: a parabola through three of
    its values is extrapolated to 0."""
    track = run(setup)
    blocks, boards = track.states(), track.states("driven")

    def along(block, board):
        up = board.axis("x")
        speed = dot(up, block.velocity) + dot(block.center, cross(board.angular, up))
        return dot(up, block.center), speed

    roots = [(block.time, math.sqrt(max(0.0, -along(block, board)[1]))) for block, board in zip(blocks, boards)]
    final = roots[-1][1]
    chosen = [next(p for p in roots if p[1] >= part * final) for part in (0.4, 0.6, 0.8)]
    time = extrapolated_root(chosen)
    place, speed = along(blocks[-1], boards[-1])
    k = next(i for i, board in enumerate(boards) if board.time >= time)
    angles = [math.atan2(boards[i].axis("x")[2], boards[i].axis("x")[0]) for i in (k - 1, k)]
    part = (time - boards[k - 1].time) / (boards[k].time - boards[k - 1].time)
    return [Value(angles[0] + part * (angles[1] - angles[0]), "angle"), Value(time, "time"), Value(place, "position"),
            Value(speed, "velocity")]


def extrapolated_root(points):
    """The time at which a quantity that rises from 0 was 0: the parabola of time over the quantity through three points, at 0."""
    total = 0.0
    for i, (t, y) in enumerate(points):
        weight = math.prod(-other / (y - other) for j, (unused, other) in enumerate(points) if j != i)
        total += t * weight
    return total


# ---- impacts -----------------------------------------------------------------------------------


def impact_times(track, name="body"):
    """Times of the impacts of one ball on the ground: as reported, or where its velocity rises."""
    reported = [event["time"] for event in track.events if event["event"] == "impact"]
    if reported:
        return reported
    states = track.states(name)
    return [b.time for a, b in zip(states, states[1:]) if a.velocity[2] < 0.0 and b.velocity[2] > a.velocity[2]]


def bouncing_ball(case, setup, run):
    """A mode may report the last impacts as one: they have the time of the last one that it reports."""
    times = impact_times(run(setup))
    number = case["given"]["impact_number"]
    return [Value(times[-1], "time"), Value(times[min(number, len(times)) - 1], "time")]


def billiard(case, setup, run):
    """The impact is where the balls touch by their motion before it."""
    track, given = run(setup), case["given"]
    impact = 0.01 * setup.time
    slips = [(s.time, math.hypot(*slip_of_sphere(s.velocity, s.angular, given["radius"]))) for s in track.states()
             if s.time > impact + 2.0 * track.step]
    rolls = end_of_decay(slips)
    # Between the impact and the end of the slip the second ball slows down at a constant rate.
    states = [s for s in track.states() if 0.25 < (s.time - impact) / (rolls - impact) < 0.75]
    a, b = states[0], states[-1]
    after = [v + (v - w) * (a.time - impact) / (b.time - a.time) for v, w in zip(a.velocity, b.velocity)]
    first = track.states("first")[-1].velocity
    end = track.interpolated(impact + 1.0)[0]
    way = math.hypot(end[0] - start_state(track).center[0], end[1] - start_state(track).center[1])
    return [*(Value(v, "velocity") for v in (first[0], first[1], after[0], after[1])), Value(rolls - impact, "time"),
            Value(way, "position")]


def newtons_cradle_gaps(case, setup, run):
    track, balls = run(setup), case["given"]["balls"]
    times = [first_impact_time(track, k) for k in range(1, balls)]
    return [*(Value(time, "time") for time in times), Value(track.states(f"ball{balls}")[-1].velocity[0], "velocity")]


def first_impact_time(track, k):
    """Of ball k on the next one: as reported, or where the path of the next one meets its place at the start."""
    for event in track.events:
        if event["event"] == "impact" and {event["a"], event["b"]} == {f"ball{k}", f"ball{k + 1}"}:
            return event["time"]
    pitch = 2.0 * track.setup.bodies[0]["colliders"][0]["sphere"]["radius"] + track.setup.length
    moved = next((s for s in track.states(f"ball{k + 1}") if s.velocity[0] > 0.0), None)
    if moved is None:
        raise Failure(f"ball {k + 1} does not move")
    return moved.time - (moved.center[0] - k * pitch) / moved.velocity[0]


def tipping_box(case, setup, run):
    """The box falls about +y: its angular velocity is negative before the impact."""
    track, width = run(setup), 2.0 * case["given"]["half_width"]
    states = track.states()
    tilts = [2.0 * math.atan2(s.rotation[2], s.rotation[0]) for s in states]
    impact = next((event for event in track.events if event["event"] == "impact"), None)
    if impact:
        time, before = impact["time"], -impact["normalVelocity"] / width
    else:
        # The last step before the impact is not read: the impact may be within it.
        k = next(i for i in range(2, len(states)) if states[i].angular[1] > states[i - 1].angular[1]) - 1
        a, b = states[k - 1], states[k]
        slope = (b.angular[1] - a.angular[1]) / (b.time - a.time)
        left = 2.0 * tilts[k] / (-b.angular[1] + math.sqrt(max(0.0, b.angular[1] ** 2 - 2.0 * slope * tilts[k])))
        time, before = b.time + left, -(b.angular[1] + slope * left)
    after = [s for s in states if s.time > time + track.step]
    a, b = after[0], after[1]
    rate = a.angular[1] + (a.angular[1] - b.angular[1]) * (a.time - time) / (b.time - a.time)
    return [Value(time, "time"), Value(before, "rate"), Value(abs(rate), "rate")]


# ---- the elastic law ---------------------------------------------------------------------------


def normal_force(client, height):
    """Force of the elastic law on the body at rest at this height."""
    poses = {"ids": ["body"], "positions": [[0.0, 0.0, height]], "linearVelocities": [[0.0, 0.0, 0.0]], "angularVelocities": [[0.0, 0.0, 0.0]]}
    results = client.post(SCENE + "/query/compliantForces", {"poses": poses}).must(200).json["results"]
    return sum(result["normalForce"] for result in results)


def rest_depth(case, setup, run):
    track = run(setup)
    return track, depth_now(run.client)


def hertz_rest(case, setup, run):
    """Stiffness by a central difference of the force, energy as its integral: F is a cubic of x for the depth x^2, which five Gauss points
    integrate exactly."""
    track, depth = rest_depth(case, setup, run)
    radius, delta = case["given"]["radius"], 1e-3 * depth
    stiffness = (normal_force(run.client, radius - depth - delta) - normal_force(run.client, radius - depth + delta)) / (2.0 * delta)
    nodes = ((0.0, 128 / 225), *((sign * math.sqrt(5 - 2 * math.sqrt(10 / 7)) / 3, (322 + 13 * math.sqrt(70)) / 900) for sign in (-1, 1)),
             *((sign * math.sqrt(5 + 2 * math.sqrt(10 / 7)) / 3, (322 - 13 * math.sqrt(70)) / 900) for sign in (-1, 1)))
    energy = 0.0
    for node, weight in nodes:
        x = 0.5 * (1.0 + node)
        energy += 0.5 * weight * 2.0 * x * depth * normal_force(run.client, radius - depth * x * x)
    return [Value(depth, "position"), Value(stiffness, "relative"), Value(energy, "relative")]


def patch_rest(case, setup, run):
    return [Value(rest_depth(case, setup, run)[1], "position")]


def hertz_bounce(case, setup, run):
    """The greatest depth is on the cubic through positions and velocities at the ends of the step in which the velocity changes its sign."""
    track, radius = run(setup), case["given"]["radius"]
    began, ended = (next(event["time"] for event in track.events if event["event"] == kind) for kind in ("began", "ended"))
    states = track.states()
    k = next(i for i in range(1, len(states)) if states[i - 1].velocity[2] <= 0.0 < states[i].velocity[2])
    a, b = states[k - 1], states[k]
    low, high = a.time, b.time
    for unused in range(60):
        third = (high - low) / 3.0
        inner, outer = low + third, high - third
        low, high = (low, outer) if track.interpolated(inner)[0][2] < track.interpolated(outer)[0][2] else (inner, high)
    depth = radius - track.interpolated(0.5 * (low + high))[0][2]
    found = {"contact time": Value(ended - began, "time"), "greatest depth": Value(depth, "position"),
             "speed after": Value(states[-1].velocity[2], "velocity")}
    return [found[expected["quantity"]] for expected in case["expect"]]


READERS = {"sphere_slide_to_roll": sphere_slide_to_roll, "ball_on_turntable": ball_on_turntable, "rolling_cone": rolling_cone,
           "ellipsoid_rocking_planar": ellipsoid_rocking_planar, "ellipsoid_rolling": ellipsoid_rolling, "eulers_disk_steady": eulers_disk,
           "eulers_disk_nutating": eulers_disk, "spinning_top_tip_sticks": spinning_top_tip_sticks, "spinning_top_slides": spinning_top_slides,
           "box_on_accelerating_lift": box_on_accelerating_lift, "box_on_turntable": box_on_turntable_values, "block_on_slope": block_on_slope,
           "block_slides_to_rest": block_slides_to_rest, "tilting_board": tilting_board, "bouncing_ball": bouncing_ball,
           "billiard": billiard, "newtons_cradle_gaps": newtons_cradle_gaps, "tipping_box": tipping_box, "hertz_rest": hertz_rest,
           "hertz_bounce": hertz_bounce, "hertz_bounce_damped": hertz_bounce, "patch_rest": patch_rest}
