"""Elastic forces by curl: the published figures of steel, closed forms of the law, sums of bodies, contact states, pages, bad input."""
import math

from support.checks import Suite, check, equal, near, near_list
from support.client import Curl, KeepAlive
from support.daemon import Daemon

suite = Suite()
daemon = Daemon("--workers", "2").start()
suite.cleanup(daemon.stop)
client = Curl(daemon)
numbers = iter(range(1000))
FREE = "/v1/query/compliantForces"
STEEL = {"youngsModulus": 2e11, "poissonRatio": 0.3, "restitution": 0.7}
RUBBER = {"youngsModulus": 5e6, "poissonRatio": 0.49, "restitution": 0.5, "dynamicFriction": 0.8, "rollingFriction": 0.02}
C_RES = 2e11 / (1 - 0.3 ** 2) / 2
FLOOR = {"id": "floor", "colliders": [{"plane": {}}]}


def ball(name="ball", depth=1e-5, radius=0.1, x=0.0, mass=1.0, **motion):
    return {"id": name, "position": [x, 0, radius - depth], "colliders": [{"sphere": {"radius": radius}}], "motion": {"mass": mass, **motion}}


def down(speed, **more):
    return {"linearVelocity": [0, 0, -speed], **more}


def ask(bodies, material=None, **members):
    material = STEEL if material is None else material
    return client.post(FREE, {"scene": {"bodies": bodies, "materials": {"default": material}}, **members}).must(200).json


def one(bodies, material=None, **members):
    reply = ask(bodies, material, **members)
    equal(len(reply["results"]), 1, "contacts")
    return reply["results"][0]


def damping(restitution, speed, most=2000.0, small=0.01):
    """Damping coefficient of a contact that begins at this approach speed (Flores), bounded by dampingMax."""
    if speed <= small or restitution == 0:
        return most
    return min(most, 8 * (1 - restitution) / (5 * restitution * speed))


def regularised(v, s):
    return v if v >= s else v * v / s * (1 - v / (3 * s)) + s / 3


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def negated(v):
    return [-x if x else x for x in v]


# ---- the law -----------------------------------------------------------------------------------------------------------------


@suite.fact
def steel_on_steel_has_the_published_stiffness():
    """T13.1 and row 29."""
    told = one([FLOOR, ball(**down(1))])
    near(told["cRes"], 1.0989011e11, 1e4, "c_res")
    near(told["cGeo"], 0.4216370, 1e-7, "c_geo")
    near(told["cRes"] * told["cGeo"], 4.6333739e10, 1e3, "their product")
    equal((told["nGeo"], told["a"], told["b"], told["features"]), (1.5, "floor", "ball", "f0/s0"), "exponent and names")


@suite.fact
def a_depth_of_a_hundredth_of_a_millimetre_gives_the_published_forces():
    """T13.2, row 29: the damping of an approach of 4.429447 m/s is 0.1548081 s/m; a body at rest has the elastic
    force alone."""
    near(one([FLOOR, ball(**down(0))])["normalForce"], 1465.2015, 2e-3, "at rest")
    near(one([FLOOR, ball(depth=3.5523e-7)])["normalForce"], 9.81, 2e-4, "1 kg at rest")
    path = f"/v1/scenes/e{next(numbers)}"
    client.put(path, {"materials": {"default": STEEL}, "bodies": [FLOOR, ball(depth=1e-12, **down(4.429447))]}).must(201)
    client.post(f"{path}/contactStates/s", {"time": 0}).must(201)
    for rate, expected in ((1, 1692.0280), (-0.5, 1351.7882)):
        poses = {"ids": ["ball"], "positions": [[0, 0, 0.1 - 1e-5]], "linearVelocities": [[0, 0, -rate]]}
        told = client.post(f"{path}/query/compliantForces", {"contactState": "s", "poses": poses}).must(200).json["results"][0]
        near(told["dRes"], 0.1548081, 1e-7, "damping")
        near(told["normalForce"], expected, 4e-3, f"force at a rate of {rate} m/s")
        near(told["depthRate"], rate, 1e-15, "rate")


@suite.fact
def small_slips_have_less_friction():
    """T13.3: v / reg(v) at 0.001, 0.005 and 0.01 m/s, with smallVelocity 0.01 m/s by default and as the request sets
    it."""
    rough = {**STEEL, "dynamicFriction": 0.4}
    for speed, part in ((0.001, 0.291545), (0.005, 0.923077), (0.01, 1), (0.3, 1)):
        told = one([FLOOR, ball(linearVelocity=[0, speed, 0])], rough)
        near(told["tangentialForce"][1] / told["normalForce"], -0.4 * part, 4e-7, f"friction at {speed} m/s")
        near(told["slip"], speed, 1e-15, "slip")
    told = one([FLOOR, ball(linearVelocity=[0.3, 0, 0])], rough, elastic={"smallVelocity": 0.5})
    near(told["tangentialForce"][0], -0.4 * told["normalForce"] * 0.3 / regularised(0.3, 0.5), 1e-9, "friction below 0.5 m/s")
    equal(one([FLOOR, ball()], rough)["tangentialForce"], [0, 0, 0], "without slip")


@suite.fact
def the_damping_depends_on_the_approach_speed():
    """T13.4: 47.5 s/m at 0.014436 m/s, 2000 s/m below smallVelocity, 0 at restitution 1. Without a contact state the
    approach is the present normal velocity."""
    for restitution, speed, expected, slack in ((0.7, 0.014436, 47.5, 0.01), (0.7, 0.01, 2000, 0), (1, 1, 0, 0), (0, 1, 2000, 0)):
        told = one([FLOOR, ball(**down(speed))], {**STEEL, "restitution": restitution})
        near(told["dRes"], expected, slack, f"damping of {restitution} at {speed}")
        equal((told["approach"], told["approachOf"]), (speed, "now"), "approach")
        equal(told["restitution"], restitution if speed > 0.01 else 0, "restitution in force")
    told = one([FLOOR, ball(**down(0.02))], elastic={"smallVelocity": 0.05, "dampingMax": 30})
    equal((told["dRes"], told["restitution"]), (30, 0), "both as the caller says")


@suite.fact
def rolling_is_resisted_and_a_torque_has_its_reaction():
    """tau = -mu_r mu_geo f_n w / reg(|w|), w of b against a; the friction's moment is about the centre of mass."""
    top = ball("top", radius=0.2, depth=0, mass=3, linearVelocity=[0.4, -0.1, -0.2], angularVelocity=[2, 5, -3])
    low = ball("low", radius=0.3, mass=2, linearVelocity=[0, 0.2, 0.1], angularVelocity=[0, 1, 1])
    low["position"], top["position"] = [0, 0, 0], [0.1, 0.2, math.sqrt(0.499 ** 2 - 0.05)]
    reply = ask([low, top], RUBBER)
    told, = reply["results"]
    c = RUBBER["youngsModulus"] / (1 - 0.49 ** 2)
    radius = 0.2 * 0.3 / 0.5
    normal = c / 2 * 4 / 3 * math.sqrt(radius) * told["depth"] ** 1.5 * (1 + told["dRes"] * told["depthRate"])
    near(told["depth"], 1e-3, 1e-15, "depth")
    near(told["dRes"], damping(0.5, abs(told["depthRate"])), 1e-12, "damping")
    near(told["normalForce"], normal, 1e-11 * normal, "normal force")
    spin = [2, 4, -4]
    near(told["angularSpeed"], 6, 1e-15, "relative angular velocity")
    near_list(told["torque"], [-0.02 * radius * normal * w / 6 for w in spin], 1e-12 * normal, "torque")
    near(told["rollingTorque"], 0.02 * radius * normal, 1e-12 * normal, "its size")
    force = [normal * n + t for n, t in zip(told["normal"], told["tangentialForce"])]
    near_list(told["force"], force, 1e-11 * normal, "force")
    near(math.dist(told["tangentialForce"], [0, 0, 0]), 0.8 * normal, 1e-11 * normal, "kinetic friction")
    on_low, on_top = reply["bodies"]
    equal((on_low["id"], on_top["id"]), ("low", "top"), "bodies")
    equal(on_low["force"], negated(on_top["force"]), "action and reaction, to the bit")
    equal(on_top["force"], told["force"], "force on b")
    for body, at, sign in ((on_low, low["position"], -1), (on_top, top["position"], 1)):
        arm = cross([p - c for p, c in zip(told["position"], at)], told["force"])
        near_list(body["torque"], [sign * (m + t) for m, t in zip(arm, told["torque"])], 1e-11 * normal, f"torque on {body['id']}")


@suite.fact
def a_contact_that_separates_fast_pulls_only_if_pull_is_set():
    fast = ball(linearVelocity=[1, 0, 30])
    told = one([FLOOR, fast], {**STEEL, "dynamicFriction": 0.5, "restitution": 0.1})
    equal((told["normalForce"], told["force"]), (0, [0, 0, 0]), "no pull")
    told = one([FLOOR, fast], {**STEEL, "dynamicFriction": 0.5, "restitution": 0.01}, elastic={"pull": True})
    near(told["normalForce"], C_RES * told["cGeo"] * 1e-5 ** 1.5 * (1 - told["dRes"] * 30), 1e-6, "pull")
    equal(told["tangentialForce"], [0, 0, 0], "friction of what pulls")
    check(told["normalForce"] < 0, "it pulls")


@suite.fact
def touching_bodies_have_no_force_and_separated_bodies_no_contact():
    told = one([FLOOR, ball(depth=0, radius=0.5)])
    equal((told["depth"], told["normalForce"]), (0, 0), "depth and force")
    equal(ask([FLOOR, ball(depth=-1e-9, radius=0.5)])["results"], [], "contacts of bodies apart")


@suite.fact
def rolling_resistance_uses_the_curvature_of_the_shapes():
    """mu_geo: the radius of a curved body on a flat one, the product over the sum for two flat or two curved ones;
    factor c_geo."""
    halves = {"sphere": ({"sphere": {"radius": 0.1}}, 0.1, False), "box": ({"box": {"size": [0.2, 0.4, 0.6]}}, 0.1, True),
              "capsule": ({"capsule": {"radius": 0.1, "height": 0.4}}, 0.1, False), "plane": ({"plane": {}}, math.inf, True),
              "cylinder": ({"cylinder": {"radius": 0.3, "height": 0.4}}, 0.2, False),
              "cone": ({"cone": {"radius": 0.2, "height": 0.5}}, 0.1, False),
              "ellipsoid": ({"ellipsoid": {"radii": [0.3, 0.2, 0.4]}}, 0.2, False)}
    for below in ("plane", "box", "sphere"):
        for above in ("sphere", "box", "capsule", "cylinder", "cone", "ellipsoid"):
            (low, r1, flat1), (high, r2, flat2) = halves[below], halves[above]
            bodies = [{"id": "low", "colliders": [low]}, {"id": "high", "position": [0, 0, 0.05], "colliders": [high], "motion": {"mass": 1}}]
            radius = (r2 if flat1 else r1) if flat1 != flat2 else r2 if math.isinf(r1) else r1 * r2 / (r1 + r2)
            near(one(bodies)["cGeo"], 4 / 3 * math.sqrt(radius), 1e-15, f"{above} on {below}")


# ---- contact states -------------------------------------------------------------------------------------------------------------


@suite.fact
def the_damping_of_a_contact_uses_its_stored_approach_speed():
    """Row 20: the damping follows from the normal velocity that the contact state stored, not from the present one.
    A contact without a record uses the present one."""
    path = f"/v1/scenes/e{next(numbers)}"
    other = ball("other", x=5, depth=-1.0, **down(3))
    client.put(path, {"materials": {"default": STEEL}, "bodies": [FLOOR, ball(depth=1e-9, **down(0.5)), other]}).must(201)
    began = client.post(f"{path}/contactStates/fall", {"time": 0}).must(201).json["began"]
    near(began[0]["normalVelocity"], -0.5, 1e-15, "approach at the beginning")
    poses = {"ids": ["ball", "other"], "positions": [[0, 0, 0.1 - 1e-5], [5, 0, 0.1 - 2e-5]], "linearVelocities": [[0, 0, 0.02], [0, 0, -3]]}
    results = client.post(f"{path}/query/compliantForces", {"contactState": "fall", "poses": poses}).must(200).json["results"]
    equal([(c["b"], c["approachOf"]) for c in results], [("ball", "begin"), ("other", "now")], "whose approach")
    for told, speed, rate, depth in zip(results, (0.5, 3), (-0.02, 3), (1e-5, 2e-5)):
        near(told["dRes"], damping(0.7, speed), 1e-13, "damping")
        near(told["normalForce"], C_RES * 4 / 3 * math.sqrt(0.1) * told["depth"] ** 1.5 * (1 + damping(0.7, speed) * rate), 1e-6, "force")
        near(told["depth"], depth, 1e-16, "depth")
    without = client.post(f"{path}/query/compliantForces", {"poses": poses}).must(200).json["results"]
    equal([c["approachOf"] for c in without], ["now", "now"], "without a state")
    near(without[0]["dRes"], damping(0.7, 0.02), 1e-10, "damping of a speed of now")
    client.post(f"{path}/query/compliantForces", {"contactState": "none"}).problem(422, "unknown-id", "/contactState")
    client.post(FREE, {"a": {"plane": {}}, "b": ball(), "contactState": "fall"}).problem(422, "unknown-member", "/contactState")


@suite.fact
def a_contact_is_reported_although_its_force_is_still_zero():
    """A contact that begins within contactEpsilon, 1e-16 m above the floor, where the force is 0."""
    path = f"/v1/scenes/e{next(numbers)}"
    high = {**ball(**down(0.5)), "position": [0, 0, math.nextafter(math.nextafter(0.1, 1), 1)]}
    client.put(path, {"materials": {"default": STEEL}, "bodies": [FLOOR, high]}).must(201)
    client.post(f"{path}/contactStates/fall", {"time": 0}).must(201)
    told, = client.post(f"{path}/query/compliantForces", {"contactState": "fall"}).must(200).json["results"]
    near(told["dRes"], damping(0.7, 0.5), 1e-13, "damping")
    check(told["depth"] < 0, "it is above the floor")
    equal((told["normalForce"], told["force"], told["approachOf"]), (0, [0, 0, 0], "begin"), "force")
    equal(client.post(f"{path}/query/compliantForces", {}).must(200).json["results"], [], "without the state")


@suite.fact
def a_batch_answers_compliant_forces_at_its_poses():
    path = f"/v1/scenes/e{next(numbers)}"
    client.put(path, {"materials": {"default": STEEL}, "bodies": [FLOOR, ball(depth=1e-9, **down(0.5))]}).must(201)
    client.post(f"{path}/contactStates/fall", {"time": 0}).must(201)
    poses = {"ids": ["ball"], "positions": [[0, 0, 0.1 - 1e-5]], "linearVelocities": [[0, 0, 0.25]]}
    query = {"kind": "compliantForces", "contactState": "fall"}
    alone = client.post(f"{path}/query/compliantForces", {"contactState": "fall", "poses": poses}).must(200).json
    first, second = client.post(f"{path}/query", {"poses": poses, "queries": [query, {**query, "poses": poses}]}).must(200).json["results"]
    equal(first["result"]["results"], alone["results"], "under the batch's poses")
    equal(second["result"]["results"], alone["results"], "under its own")


# ---- which contacts -----------------------------------------------------------------------------------------------------------


@suite.fact
def each_pair_of_colliders_is_one_contact_and_a_body_has_their_sum():
    """A table of four ball feet, given in a scene and as two bodies: the sums are about the centre of mass, and only
    movable bodies have them."""
    feet = [{"id": f"foot{i}", "sphere": {"radius": 0.1}, "position": [x, y, 0]} for i, (x, y) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1)))]
    table = {"id": "table", "position": [0, 0, 0.1 - 1e-5], "colliders": feet,
             "motion": {"mass": 1, "inertiaDiagonal": [1, 1, 1], "centerOfMass": [0.5, 0, 0]}}
    moduli = {"youngsModulus": 2e11, "poissonRatio": 0.3}
    for reply in (ask([FLOOR, table]), client.post(FREE, {"a": FLOOR, "b": table, "elastic": moduli}).must(200).json):
        equal([c["colliderB"] for c in reply["results"]], ["foot0", "foot1", "foot2", "foot3"], "contacts")
        one_foot = C_RES * 4 / 3 * math.sqrt(0.1) * reply["results"][0]["depth"] ** 1.5
        body, = reply["bodies"]
        near_list(body["force"], [0, 0, 4 * one_foot], 1e-11 * one_foot, "force")
        near_list(body["torque"], [0, 0.5 * 4 * one_foot, 0], 1e-11 * one_foot, "torque about the centre of mass")


@suite.fact
def exchanged_bodies_mirror_the_forces_to_the_bit():
    first = ball("p", radius=0.37, mass=1, linearVelocity=[0.3, -0.7, 0.2], angularVelocity=[1, 2, 3])
    second = {"id": "q", "position": [0.31, 0.22, 0.41], "rotation": [0.1, 0.3, 0.2, 0.9273618495495704], "motion": {"mass": 2, "angularVelocity": [3, -1, 0.5]},
              "colliders": [{"box": {"size": [0.6, 0.4, 0.5]}}]}
    third = {**second, "id": "q", "colliders": [{"capsule": {"radius": 0.2, "height": 0.3}}]}
    for other in (second, third):
        reply = ask([first, other], RUBBER, pairs=[["p", "q"]])
        swapped = ask([other, first], RUBBER, pairs=[["q", "p"]])
        told, back = reply["results"][0], swapped["results"][0]
        for name in ("normal", "force", "torque", "tangentialForce"):
            equal(back[name], negated(told[name]), name)
        same = [n for n in told if n not in ("a", "b", "normal", "force", "torque", "tangentialForce", "features")]
        equal({n: back[n] for n in same}, {n: told[n] for n in same}, "the rest")
        by_id = {b["id"]: b for b in swapped["bodies"]}
        equal([by_id[b["id"]] for b in reply["bodies"]], reply["bodies"], "sums")


@suite.fact
def pages_have_the_same_contacts_and_only_a_whole_answer_has_the_sums():
    bodies = [FLOOR, *(ball(f"b{i}", x=i, depth=1e-6 * (i + 1), **down(0.1 * i)) for i in range(7))]
    whole = ask(bodies)
    equal([b["id"] for b in whole["bodies"]], [f"b{i}" for i in range(7)], "bodies")
    path = f"/v1/scenes/e{next(numbers)}"
    client.put(path, {"materials": {"default": STEEL}, "bodies": bodies}).must(201)
    found, members = [], {"limit": 3}
    while True:
        page = client.post(f"{path}/query/compliantForces", members).must(200).json
        found += page["results"]
        check("bodies" not in page, "sums of a page")
        if page["complete"]:
            break
        members["cursor"] = page["nextCursor"]
    equal(found, whole["results"], "contacts")
    some = client.post(f"{path}/query/compliantForces", {"where": {"a": {"ids": ["b2", "b5"]}}}).must(200).json
    equal([b["id"] for b in some["bodies"]], ["b2", "b5"], "where")


@suite.fact
def the_same_bytes_for_any_number_of_workers():
    bodies = [FLOOR, *(ball(f"b{i}", x=0.15 * i, depth=1e-4, **down(0.01 * i)) for i in range(40))]
    texts = set()
    for workers in (1, 2, 4):
        with Daemon("--workers", workers) as other:
            connection = KeepAlive(other)
            texts.add(connection.post(FREE, {"scene": {"bodies": bodies, "materials": {"default": RUBBER}}}).must(200).text)
            connection.close()
    equal(len(texts), 1, "different answers")


# ---- bad input ---------------------------------------------------------------------------------------------------------------


@suite.fact
def a_collider_without_stiffness_is_named_wherever_it_may_be_in_contact():
    soft = {"id": "soft", "position": [9, 0, 0], "colliders": [{"sphere": {"radius": 1}, "material": "steel"}, {"sphere": {"radius": 1}}]}
    scene = {"bodies": [{**FLOOR, "colliders": [{"plane": {}, "material": "steel"}]}, soft,
                        {**ball(), "colliders": [{"sphere": {"radius": 0.1}, "material": "steel"}]}], "materials": {"steel": STEEL}}
    detail = client.post(FREE, {"scene": scene}).problem(422, "bad-value", "").json["detail"]
    check('Collider 1 of body "soft"' in detail, detail)
    client.post(FREE, {"scene": scene, "pairs": [["floor", "ball"]]}).must(200)
    client.post(FREE, {"scene": scene, "where": {"a": {"ids": ["floor"]}, "b": {"ids": ["ball"]}}}).must(200)
    client.post(FREE, {"scene": scene, "elastic": {"youngsModulus": 1e9, "poissonRatio": 0.4}}).must(200)
    detail = client.post(FREE, {"a": {"plane": {}}, "b": ball()}).problem(422, "bad-value", "").json["detail"]
    check('Collider 0 of body "a"' in detail, detail)
    path = f"/v1/scenes/e{next(numbers)}"
    client.put(path, scene).must(201)
    query = {"queries": [{"kind": "compliantForces"}, {"kind": "compliantForces", "pairs": [["floor", "ball"]]}]}
    first, second = client.post(f"{path}/query", query).must(200).json["results"]
    equal((first["httpStatus"], second["httpStatus"]), (422, 200), "in a batch")
    equal(first["problem"]["errors"][0]["pointer"], "/queries/0", "pointer in a batch")


suite.main()
