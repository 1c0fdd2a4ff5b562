"""Impulses and forces of the reference corpus (dynamics.jsonl, all but toi_*) through the HTTP API, to 1e-10
relative.
Limits (angles, frictions, overhangs) are found by bisection on the daemon's `stable`; times of stopping and rolling
follow from its accelerations, the time of rest of a bouncing ball from the geometric series. Outside the model are
hinged rods (no joints here) and a disc with friction over its whole face: those cases are printed and are no facts.
The ball of the elastic law is in dynamics_compliant.py. A case of any other kind fails."""
import math

from support import corpus
from support.checks import Suite, check, equal, near, near_list
from support.client import KeepAlive
from support.daemon import Daemon

ALLOWED = 1e-10
CASES = 64
LIMIT = 1e-12  # relative to tan: nearer to a limit either answer is right
OUTSIDE = {"falling_rod_hinged": "a hinge", "hinged_rod_hits_peg": "a hinge", "spinning_disc_stops": "friction spread over a face"}
ELSEWHERE = {"bouncing_ball_compliant"}
suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)


# ---- queries -----------------------------------------------------------------------------------------------------------------


def close(actual, expected, what, scale=None):
    near(actual, expected, ALLOWED * (scale or abs(expected) or 1), what)


def close_list(actual, expected, what):
    near_list(actual, expected, ALLOWED * max(map(abs, expected)), what)


def scene(bodies, gravity=9.81, **materials):
    return {"gravity": [0, 0, -gravity] if isinstance(gravity, (int, float)) else gravity, "materials": materials, "bodies": bodies}


def island(kind, bodies, gravity, material, **members):
    if material is not None:
        members["material"] = material
    reply = client.post(f"/v1/query/{kind}", {"scene": scene(bodies, gravity), **members}).must(200).json
    equal(len(reply["results"]), 1, "islands")
    return reply["results"][0]


def ask(kind, bodies, gravity=9.81, material=None, **members):
    """The answer of the only island, its bodies and contacts."""
    result = island(kind, bodies, gravity, material, **members)
    check(result["converged"], f"not converged: {result['status']}, residual {result['residual']}")
    return result, {body["id"]: body for body in result["bodies"]}, result["contacts"]


def rub(friction, restitution=0):
    return {"staticFriction": friction, "dynamicFriction": friction, "restitution": restitution}


def stays(bodies, material=None, gravity=9.81, **members):
    """`stable`, which needs a proof of its own, whether the forces converged or not. None: too near to a limit for
    the daemon to decide."""
    return island("restingForces", bodies, gravity, material, **members).get("stable")


def threshold(stable, low, high):
    """The value where `stable` changes from true at low to false at high; low may be above high."""
    check(stable(low), f"does not stay at {low}")
    check(stable(high) is False, f"stays at {high}")
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if stable(middle) else (low, middle)
        if abs(high - low) <= 1e-14 * abs(high):
            break
    return high


def floor(angle=0.0):
    """A half-space that falls along x: its outside is (sin, 0, cos)."""
    return {"id": "floor", "colliders": [{"plane": {}}], "rotation": [0, math.sin(angle / 2), 0, math.cos(angle / 2)]}


def on_slope(angle, along, above):
    """The point at this distance along the slope and above it."""
    return [along * math.cos(angle) + above * math.sin(angle), 0, above * math.cos(angle) - along * math.sin(angle)]


def box(name, half, position, mass, angle=0.0, **motion):
    return {"id": name, "colliders": [{"box": {"size": [2 * h for h in half]}}], "position": position,
            "rotation": [0, math.sin(angle / 2), 0, math.cos(angle / 2)], "motion": {"mass": mass, **motion}}


def ball(name, radius, position, mass, **motion):
    return {"id": name, "colliders": [{"sphere": {"radius": radius}}], "position": position, "motion": {"mass": mass, **motion}}


# ---- impulses ------------------------------------------------------------------------------------------------------------------


def bouncing_ball(given, expect):
    radius, g, height, speed, now = given["shape"]["radius"], -given["gravity"][2], given["position"][2], given["velocity"][2], 0.0
    for k, expected in enumerate(expect["impact_times"]):
        path = {"ballistic": {"linearVelocity": [0, 0, speed], "linearAcceleration": given["gravity"]}}
        if k == 0:
            sphere = {"sphere": {"radius": radius}, "position": [0, 0, height]}
            sweep = client.post("/v1/query/sweep", {"a": {"plane": {}}, "b": sphere, "duration": 20, "motionB": path}).must(200).json["results"][0]
            now, speed = sweep["time"], sweep["normalVelocity"]
        else:  # from one impact on the floor to the next
            now, speed = now + 2 * speed / g, -speed
        close(now, expected, f"time of impact {k}")
        close(-speed, expect["speed_before"][k], f"speed before impact {k}")
        bodies = [floor(), ball("ball", radius, [0, 0, radius], 1.3, linearVelocity=[0, 0, speed])]
        _, told, _ = ask("impulse", bodies, g, rub(0, given["restitution"]))
        speed = told["ball"]["linearVelocity"][2]
        close(speed, expect["speed_after"][k], f"speed after impact {k}", expect["speed_before"][k])
        close(radius + speed * speed / (2 * g), expect["apex_height_of_centre_after"][k], f"apex after impact {k}")
    if "rest_time" in expect:
        ratio = speed / expect["speed_before"][-1]
        close(now + 2 * speed / g / (1 - ratio), expect["rest_time"], "time of rest")


def two_bodies(given):
    for name in "ab":
        body = given[name]
        kind = body["shape"]["type"]
        shape = {"sphere": {"radius": body["shape"]["radius"]}} if kind == "sphere" else {
            "box": {"size": [2 * h for h in body["shape"]["half_extents"]]}}
        moves = {} if body.get("fixed") else {"rotationWxyz": body["orientation"], "motion": {
            "mass": body["mass"], "inertiaDiagonal": body["inertia"], "linearVelocity": body["velocity"], "angularVelocity": body["angular_velocity"]}}
        yield {"id": name, "colliders": [shape], "position": body["position"], **moves}


def two_body_impulse(given, expect):
    contact = {"a": "a", "b": "b", "position": given["point"], "normal": given["normal"]}
    bodies = list(two_bodies(given))
    ways = [("frictionless", rub(0, given["restitution"]))]
    if expect["stick"]["normal_impulse_positive"]:
        ways.append(("stick", rub(1.25 * expect["stick"]["required_mu"], given["restitution"])))
    for way, material in ways:
        _, told, contacts = ask("impulse", bodies, 0, material, contacts=[contact], energyGuard=False)
        close(contacts[0]["normalVelocityBefore"], expect["relative_normal_velocity_before"], "normal velocity")
        close_list(contacts[0]["impulse"], expect[way]["impulse_on_b"], f"{way}: impulse")
        for name in told:
            close_list(told[name]["linearVelocity"], expect[way][name]["velocity"], f"{way}: velocity of {name}")
            close_list(told[name]["angularVelocity"], expect[way][name]["angular_velocity"], f"{way}: angular velocity of {name}")


def sphere_ground_friction_impulse(given, expect):
    radius = given["shape"]["radius"]
    bodies = [floor(), ball("ball", radius, given["position"], given["mass"], linearVelocity=given["velocity"],
                            angularVelocity=given["angular_velocity"])]
    _, told, contacts = ask("impulse", bodies, 9.81, rub(given["friction"], given["restitution"]))
    equal(contacts[0]["outcome"], "slide" if expect["sliding"] else "stick", "outcome")
    close_list(contacts[0]["impulse"], expect["impulse"], "impulse")
    close_list(told["ball"]["linearVelocity"], expect["velocity"], "velocity")
    close_list(told["ball"]["angularVelocity"], expect["angular_velocity"], "angular velocity")


def head_on(given, expect):
    bodies = [ball("one", 0.5, [0, 0, 0], given["m1"], linearVelocity=[given["v1"], 0, 0]),
              ball("two", 0.5, [1, 0, 0], given["m2"], linearVelocity=[given["v2"], 0, 0])]
    result, told, contacts = ask("impulse", bodies, 0, rub(0, given["restitution"]))
    close(told["one"]["linearVelocity"][0], expect["v1"], "velocity of the first")
    close(told["two"]["linearVelocity"][0], expect["v2"], "velocity of the second")
    close(contacts[0]["normalImpulse"], expect["impulse"], "impulse")
    close(result["energyBefore"] - result["energyAfter"], expect["energy_loss"], "lost energy", result["energyBefore"])


def newton_cradle(given, expect):
    bodies = [ball(f"ball{i}", 0.5, [i, 0, 0], 0.7, linearVelocity=[given["speed"] if i == 0 else 0, 0, 0]) for i in range(given["n"])]
    _, told, _ = ask("impulse", bodies, 0, rub(0, 1), simultaneous="sequential")
    near_list([told[f"ball{i}"]["linearVelocity"][0] for i in range(given["n"])], expect["speeds_after"], ALLOWED * given["speed"], "speeds")


def billiard_oblique(given, expect):
    sine = given["impact_parameter"] / (2 * given["radius"])
    target = [2 * given["radius"] * math.sqrt(1 - sine * sine), given["impact_parameter"], 0]
    bodies = [ball("incoming", given["radius"], [0, 0, 0], 0.7, linearVelocity=[given["speed"], 0, 0]), ball("target", given["radius"], target, 0.7)]
    _, told, _ = ask("impulse", bodies, 0, rub(0, 1))
    for name in ("incoming", "target"):
        near_list(told[name]["linearVelocity"], [*expect[f"{name}_velocity"], 0], ALLOWED * given["speed"], name)


# ---- slopes ----------------------------------------------------------------------------------------------------------------------


def sum_of(contacts, member):
    return [sum(c[member][i] for c in contacts) for i in range(3)]


def split(force, angle):
    """Components along the slope's normal and up the slope."""
    return force[0] * math.sin(angle) + force[2] * math.cos(angle), force[2] * math.sin(angle) - force[0] * math.cos(angle)


def incline_block(given, expect):
    angle, g = given["angle"], given["gravity"]
    bodies = [floor(angle), box("block", [0.5, 0.3, 0.1], on_slope(angle, 0, 0.1), given["mass"], angle)]
    result, told, contacts = ask("restingForces", bodies, g, rub(given["friction"]))
    if abs(expect["margin_tan"]) > LIMIT:
        equal(result.get("stable"), not expect["slides"], "stays")
    normal, friction = split(sum_of(contacts, "force"), angle)
    close(normal, expect["normal_force"], "normal force")
    close(friction, expect["friction_force"], "friction")
    close(math.hypot(*told["block"]["acceleration"]), expect["acceleration"], "acceleration", g)

    def at(tilt):
        return stays([floor(tilt), box("block", [0.5, 0.3, 0.1], on_slope(tilt, 0, 0.1), given["mass"], tilt)], rub(given["friction"]), g)

    close(threshold(at, 0.5 * expect["threshold_angle"], 1.3 * expect["threshold_angle"]), expect["threshold_angle"], "angle")


def incline_round(given, expect, shape, turn):
    angle, g = given["angle"], given["gravity"]
    body = {"id": "body", "colliders": [shape], "position": on_slope(angle, 0, given["radius"]), "rotation": turn, "motion": {"mass": given["mass"]}}
    _, told, contacts = ask("restingForces", [floor(angle), body], g, rub(given["friction"]))
    normal, friction = split(sum_of(contacts, "force"), angle)
    close(normal, expect["normal_force"], "normal force")
    close(friction, expect["friction_force"], "friction")
    close(math.hypot(*told["body"]["acceleration"]), expect["acceleration"], "acceleration")
    close(told["body"]["angularAcceleration"][1], expect["angular_acceleration"], "angular acceleration")
    equal([c["sliding"] for c in contacts], [not expect["rolls_without_slip"]] * len(contacts), "sliding")


def incline_sphere(given, expect):
    incline_round(given, expect, {"sphere": {"radius": given["radius"]}}, [0, 0, 0, 1])


def incline_cylinder(given, expect):
    lying = [math.sqrt(0.5), 0, 0, math.sqrt(0.5)]  # its axis along y
    incline_round(given, expect, {"cylinder": {"radius": given["radius"], "height": 0.8}}, lying)


def incline_tip_or_slide(given, expect):
    base, height = given["half_base"], given["half_height"]

    def limit(half_base, friction, start):
        def at(angle):
            return stays([floor(angle), box("box", [half_base, 0.4, height], on_slope(angle, 0, height), 3.0, angle)], rub(friction))
        return threshold(at, 0.5 * start, min(1.2 * start, 1.5))

    tip, slide = limit(base, 1000, expect["tip_angle"]), limit(20 * height, given["friction"], expect["slide_angle"])
    close(tip, expect["tip_angle"], "angle at which it tips")
    close(slide, expect["slide_angle"], "angle at which it slides")
    first = limit(base, given["friction"], min(tip, slide))
    close(first, expect[f"{expect['first']}_angle"], "the first of both")


def slide_to_roll(given, expect):
    radius, speed = given["radius"], given["speed"]
    bodies = [floor(), ball("ball", radius, [0, 0, radius], 2.3, linearVelocity=[speed, 0, 0])]
    _, told, contacts = ask("restingForces", bodies, given["gravity"], rub(given["friction"]))
    equal(contacts[0]["sliding"], True, "sliding")
    time = speed / -contacts[0]["tangentialAcceleration"][0]
    slowed = told["ball"]["acceleration"][0]
    close(time, expect["time"], "time until it rolls")
    close(speed + slowed * time, expect["speed"], "speed then")
    close(speed * time + slowed * time * time / 2, expect["distance"], "distance")
    close(told["ball"]["angularAcceleration"][1] * time, expect["angular_speed"], "angular speed")


def sliding_block_stops(given, expect):
    bodies = [floor(), box("block", [0.5, 0.3, 0.1], [0, 0, 0.1], 2.3, 0, linearVelocity=[given["speed"], 0, 0])]
    _, told, _ = ask("restingForces", bodies, given["gravity"], rub(given["friction"]))
    slowed = -told["block"]["acceleration"][0]
    close(given["speed"] / slowed, expect["time"], "time")
    close(given["speed"] ** 2 / (2 * slowed), expect["distance"], "distance")


# ---- statics ---------------------------------------------------------------------------------------------------------------------


def table_legs(given, expect):
    table = {"id": "table", "colliders": [{"sphere": {"radius": 0.1}}], "position": [0, 0, 0.7],
             "motion": {"mass": given["mass"], "inertiaDiagonal": [3, 4, 5], "centerOfMass": [*given["com_xy"], 0]}}
    legs = [{"a": "floor", "b": "table", "position": [*leg, 0], "normal": [0, 0, 1]} for leg in given["legs_xy"]]
    result, _, contacts = ask("restingForces", [floor(), table], given["gravity"], contacts=legs)
    equal(result["stable"], expect["equilibrium"], "stays")
    if not expect["equilibrium"]:
        return
    forces = [c["normalForce"] for c in contacts]
    close(sum(forces), expect["sum"], "sum")
    close_list(forces, expect.get("forces") or expect["min_norm_forces"], "forces")
    equal(result["unique"], expect["unique"], "unique")


def ladder(length, mass, angle, floor_friction, wall_friction):
    """The bodies and contacts of a ladder: a thin box, its foot at the origin, its head at a wall on the right."""
    along, up = length * math.cos(angle), length * math.sin(angle)
    wall = {"id": "wall", "colliders": [{"plane": {}}], "position": [along, 0, 0], "rotation": [0, -math.sqrt(0.5), 0, math.sqrt(0.5)]}
    body = box("ladder", [length / 2, 0.01, 0.01], [along / 2, 0, up / 2], mass, -angle)
    contacts = [{"a": "floor", "b": "ladder", "position": [0, 0, 0], "normal": [0, 0, 1], "material": rub(floor_friction)},
                {"a": "wall", "b": "ladder", "position": [along, 0, up], "normal": [-1, 0, 0], "material": rub(wall_friction)}]
    return [floor(), wall, body], contacts


def ladder_smooth_wall(given, expect):
    length, angle, g = given["length"], given["angle"], given["gravity"]
    at = [given["at"] * length * math.cos(angle), 0, given["at"] * length * math.sin(angle)]
    loads = [{"body": "ladder", "force": [0, 0, -given["load_mass"] * g], "at": at}] if given["load_mass"] else []

    def answer(friction):
        bodies, contacts = ladder(length, given["mass"], angle, friction, 0)
        return ask("restingForces", bodies, g, contacts=contacts, loads=loads)

    equal(answer(given["floor_friction"])[0].get("stable"), expect["holds"], "holds")
    _, _, contacts = answer(1.5 * expect["required_mu"])
    foot, head = contacts
    close(foot["normalForce"], expect["floor_normal"], "force of the floor")
    close(head["normalForce"], expect["wall_normal"], "force of the wall")
    close(math.hypot(*foot["tangentialForce"]), expect["floor_friction_needed"], "friction of the floor")
    needed = threshold(lambda friction: answer(friction)[0].get("stable"), 1.5 * expect["required_mu"], 0.5 * expect["required_mu"])
    close(needed, expect["required_mu"], "friction that is needed")


def ladder_rough_wall(given, expect):
    def at(angle):
        bodies, contacts = ladder(3.1, 12.0, angle, given["mu_floor"], given["mu_wall"])
        return stays(bodies, contacts=contacts)

    close(threshold(at, 1.3 * expect["min_angle"], 0.7 * expect["min_angle"]), expect["min_angle"], "least angle")


def pile(masses, offsets, width):
    x, bodies = 0.0, [floor()]
    for i, (mass, offset) in enumerate(zip(masses, offsets)):
        x += offset
        bodies.append(box(f"box{i}", [width / 2, 0.25, 0.125], [x, 0, 0.125 + 0.25 * i], mass))
    return bodies


def stacked_boxes(given, expect):
    result, _, contacts = ask("restingForces", pile(given["masses"], given["offsets"], given["width"]), given["gravity"])
    equal(result["stable"], expect["stable"], "stays")
    if not expect["stable"]:
        return
    for i, interface in enumerate(expect["interfaces"]):
        here = [c for c in contacts if {c["a"], c["b"]} == {f"box{i}", f"box{i - 1}" if i else "floor"}]
        normal = sum(c["normalForce"] for c in here)
        close(normal, interface["normal_force"], f"force on interface {i}")
        left, right = interface["support"]
        ends = [[c for c in here if abs(c["position"][0] - x) < 1e-9] for x in (left, right)]
        equal(sum(map(len, ends)), len(here), "contacts at the ends")
        near_list([sum(c["normalForce"] for c in end) for end in ends], interface["edge_forces"], ALLOWED * normal, f"edges of interface {i}")
        pressure = sum(c["normalForce"] * c["position"][0] for c in here) / normal
        close(pressure, interface["centre_of_pressure_x"], f"centre of pressure {i}", given["width"])


def overhang(given, expect):
    """Blocks from the bottom up, the i-th from the top shifted by 1 / 2 i of the width: the stack is stable up to
    this shift and falls beyond it."""
    n, width = given["n"], given["width"]
    shares = [0.0, *(width / (2 * i) for i in range(n - 1, 0, -1))]

    def at(part):
        table = {"id": "floor", "colliders": [{"box": {"size": [4, 4, 1]}}], "position": [-2, 0, -0.5]}
        first = part * width / (2 * n) - width / 2
        return stays([table, *pile([1.0] * n, [first, *(part * s for s in shares[1:])], width)[1:]])

    limit = threshold(at, 0.5, 1.2)
    close(limit * (sum(shares) + width / (2 * n)), expect["overhang"], "overhang")


def pushed_box(given, expect):
    half, height, g = given["half_width"], given["half_height"], given["gravity"]
    bodies = [floor(), box("box", [half, 0.4, height], [0, 0, height], given["mass"])]
    loads = [{"body": "box", "force": [given["force"], 0, 0]}]
    result, told, contacts = ask("restingForces", bodies, g, rub(given["friction"]), loads=loads)
    slides, tips = expect["slides"], expect["tips"]
    equal(result.get("stable"), not (slides or tips), "stays")
    if tips:
        return
    if slides:
        limit = given["friction"] * given["mass"] * g
        close(-sum_of(contacts, "force")[0], limit, "friction")
        close(told["box"]["acceleration"][0], (given["force"] - limit) / given["mass"], "acceleration")
        return
    close(-sum_of(contacts, "force")[0], expect["friction_force_needed"], "friction")
    ends = [sum(c["normalForce"] for c in contacts if c["position"][0] * side > 0) for side in (-1, 1)]
    close_list(ends, expect["edge_forces"], "forces of both edges")
    shift = half * (ends[1] - ends[0]) / sum(ends)
    close(shift, expect["centre_of_pressure_shift"], "centre of pressure")


HOW = {f.__name__: f for f in (bouncing_ball, two_body_impulse, sphere_ground_friction_impulse, head_on, newton_cradle, billiard_oblique,
                               incline_block, incline_sphere, incline_cylinder, incline_tip_or_slide, slide_to_roll, sliding_block_stops,
                               table_legs, ladder_smooth_wall, ladder_rough_wall, stacked_boxes, overhang, pushed_box)}


def look_at(case):
    check(case["kind"] in HOW, "of a kind that nobody looks at")
    HOW[case["kind"]](case["given"], case["expect"])


path = corpus.folder() / "dynamics.jsonl"
cases = [case for case in corpus.lines(path) if not case["kind"].startswith("toi_")] if path.exists() else []
for case in cases:
    if case["kind"] in OUTSIDE:
        print(f"{case['id']} {case['kind']}: outside the model: {OUTSIDE[case['kind']]}")
asked = [case for case in cases if case["kind"] not in OUTSIDE and case["kind"] not in ELSEWHERE]
suite.table("case", ((f"{case['id']} {case['kind']}", lambda case=case: look_at(case)) for case in asked))
if len(cases) < CASES:
    print(f"{CASES - len(cases)} cases of the full corpus are not here (CONTACTD_CORPUS)")
    suite.add(skipped=CASES - len(cases))
suite.main()
