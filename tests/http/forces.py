"""Impulses and resting forces by curl: closed forms, given contacts, hypothetical poses, velocities and gravity,
pages, proofs, and the same bytes for any number of workers.
Truth: statics and rigid-body dynamics; no expected number is an earlier answer of the daemon."""
import json
import math
import os

from support.checks import Suite, check, equal, near, near_list
from support.client import Curl
from support.daemon import Daemon

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = Curl(daemon)
G = 9.81
FREE = "/v1/query/restingForces"


def ball(name, x, y, z, mass=2.0, radius=0.5, **motion):
    return {"id": name, "position": [x, y, z], "motion": {"mass": mass, **motion}, "colliders": [{"sphere": {"radius": radius}}]}


def crate(name, z, size=1.0, x=0.0, **motion):
    return {"id": name, "position": [x, 0, z], "motion": {"mass": 2, **motion}, "colliders": [{"box": {"size": [size] * 3}}]}


GROUND = {"id": "ground", "colliders": [{"plane": {}}]}


def ask(bodies, settings=None, **members):
    return client.post(FREE, {"scene": {"bodies": bodies, **(settings or {})}, **members}).must(200).json


def one(bodies, settings=None, **members):
    results = ask(bodies, settings, **members)["results"]
    equal(len(results), 1, "islands")
    return results[0]


def body_of(island, name):
    return next(b for b in island["bodies"] if b["id"] == name)


def total(vectors):
    return [math.fsum(v[k] for v in vectors) for k in range(3)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


@suite.fact
def a_ball_at_rest_has_a_contact_force_equal_to_its_weight():
    reply = ask([GROUND, ball("b", 0, 0, 0.5)])
    island, = reply["results"]
    contact, = island["contacts"]
    near(contact["normalForce"], 2 * G, 1e-12, "force")
    near_list(contact["force"], [0, 0, 2 * G], 1e-12, "force")
    near_list(body_of(island, "b")["acceleration"], [0, 0, 0], 1e-12, "acceleration")
    equal((reply["stable"], reply["converged"], reply["friction"], island["stable"]), (True, True, "none", True), "verdicts")
    near_list(island["proof"]["forces"][0], [0, 0, 2 * G], 1e-9, "proof")
    equal((contact["a"], contact["b"], contact["class"]), ("ground", "b", "resting"), "contact")


@suite.fact
def a_ball_that_is_pushed_rolls():
    """Without slip a solid ball under F along the ground has a = F / (1.4 m), alpha = a / r, friction -(2/7) F."""
    island = one([GROUND, ball("b", 0, 0, 0.5)], material={"staticFriction": 0.5}, loads=[{"body": "b", "force": [7, 0, 0]}])
    moving = body_of(island, "b")
    near_list(moving["acceleration"], [2.5, 0, 0], 1e-9, "acceleration")
    near_list(moving["angularAcceleration"], [0, 5, 0], 1e-9, "angular acceleration")
    contact, = island["contacts"]
    near_list(contact["tangentialForce"], [-2, 0, 0], 1e-8, "friction")
    equal((island["stable"], contact["sliding"]), (False, False), "stable and sliding")


@suite.fact
def a_ball_that_is_pushed_too_hard_slips():
    """Beyond F = 3.5 mu m g friction is mu m g: a = F / m - mu g, alpha = mu m g r / (2/5 m r^2)."""
    mu, force = 0.1, 10.0
    island = one([GROUND, ball("b", 0, 0, 0.5)], material={"staticFriction": mu}, loads=[{"body": "b", "force": [force, 0, 0]}])
    moving = body_of(island, "b")
    near_list(moving["acceleration"], [force / 2 - mu * G, 0, 0], 1e-7, "acceleration")
    near_list(moving["angularAcceleration"], [0, 2.5 * mu * G / 0.5, 0], 1e-6, "angular acceleration")
    check(island["contacts"][0]["sliding"], "the contact slides")


@suite.fact
def given_contacts_share_a_load_by_their_levers():
    """A beam on two props, at 0.25 m and 0.75 m on either side of its centre: they bear 3/4 and 1/4 of its weight."""
    beam = crate("beam", 5)
    props = [{"a": "ground", "b": "beam", "position": [x, 0, 4.5], "normal": [0, 0, 1]} for x in (-0.25, 0.75)]
    island = one([GROUND, beam], contacts=props)
    near_list([c["normalForce"] for c in island["contacts"]], [1.5 * G, 0.5 * G], 1e-12, "forces")
    check(all("distance" not in c and "features" not in c for c in island["contacts"]), "given contacts have no features")
    equal((island["stable"], island.get("unique")), (True, True), "stable, unique")
    # Both props on one side: the beam tips about the prop near the centre, which bears m g I / (I + m x^2).
    props[0]["position"][0] = 0.5
    island = one([GROUND, beam], contacts=props)
    x, inertia = 0.5, 2 / 6
    near(island["contacts"][0]["normalForce"], 2 * G * inertia / (inertia + 2 * x * x), 1e-12, "force of the nearer prop")
    equal(island["contacts"][1]["normalForce"], 0, "force of the other one")
    equal(island["stable"], False, "stable")
    check(island["proof"]["motion"][0]["acceleration"][2] < 0, "the proof goes down")


@suite.fact
def a_given_normal_is_normalised():
    given = {"a": "ground", "b": "b", "position": [0, 0, 3], "normal": [0, 0, 1 + 9e-7]}
    island = one([GROUND, ball("b", 0, 0, 5)], contacts=[given])
    equal(island["contacts"][0]["normal"], [0, 0, 1], "normal")


@suite.fact
def forces_of_all_contacts_add_up_to_the_accelerations():
    """A pyramid of balls: m a = m g + sum of forces, I alpha = sum of the torques of friction."""
    h = math.sqrt(2) / 2
    bodies = [GROUND] + [ball(f"b{i}", x, y, 0.5) for i, (x, y) in enumerate(((0, 0), (1, 0), (0, 1), (1, 1)))]
    bodies.append(ball("top", 0.5, 0.5, 0.5 + h, mass=3.0))
    for members in ({}, {"material": {"staticFriction": 0.6}}, {"material": {"staticFriction": 0.6}, "friction": "polyhedral"}):
        island = one(bodies, **members)
        for body in bodies[1:]:
            told, mass = body_of(island, body["id"]), body["motion"]["mass"]
            forces, torques = [[0, 0, -mass * G]], [[0, 0, 0]]
            for c in island["contacts"]:
                if body["id"] not in (c["a"], c["b"]):
                    continue
                force = [(1 if c["b"] == body["id"] else -1) * f for f in c["force"]]
                forces.append(force)
                torques.append(cross([p - q for p, q in zip(c["position"], body["position"])], force))
            near_list([mass * a for a in told["acceleration"]], total(forces), 1e-10, "m a")
            near_list([mass * 0.1 * a for a in told["angularAcceleration"]], total(torques), 1e-10, "I alpha")
            near_list(told["residualForce"], total(forces), 1e-10, "residual")


@suite.fact
def the_delassus_system_gives_the_gap_accelerations():
    """gap'' = A f + b with the reported A, f and b; A is symmetric to the bit."""
    bodies = [GROUND, crate("low", 0.5), crate("high", 1.5, x=0.25)]
    island = one(bodies, include=["A", "b"])
    matrix, b = island["A"], island["b"]
    n = len(island["contacts"])
    equal([len(matrix), len(b), {len(r) for r in matrix}], [n, n, {n}], "sizes")
    forces = [c["normalForce"] for c in island["contacts"]]
    for i, c in enumerate(island["contacts"]):
        near(math.fsum([b[i]] + [m * f for m, f in zip(matrix[i], forces)]), c["acceleration"], 1e-12, "acceleration")
        equal(matrix[i], [row[i] for row in matrix], "column and row")
        check(c["normalForce"] >= 0 and c["acceleration"] >= -1e-10, "complementarity")
    equal(sorted(one(bodies, include=["b"])), sorted(k for k in island if k != "A"), "members without A")


@suite.fact
def bodies_that_are_squeezed_are_infeasible_with_a_certificate():
    """A ball between two plates that approach each other ever faster: y >= 0 with A y = 0 and b.y < 0 proves that a
    gap closes."""
    def plate(name, z, down):
        return {"id": name, "position": [0, 0, z], "colliders": [{"box": {"size": [2, 2, 1]}}],
                "motion": {"isKinematic": True, "linearAcceleration": [0, 0, down]}}
    for friction in ("none", "cone", "polyhedral"):
        reply = ask([plate("below", -0.5, 1), ball("b", 0, 0, 0.5), plate("above", 1.5, -1)], include=["A", "b"],
                    friction=friction, material={"staticFriction": 0.5})
        island, = reply["results"]
        equal((island["status"], island["converged"], reply["converged"]), ("infeasible", False, False), "status")
        y, b = island["infeasibleCertificate"], island["b"]
        check(all(v >= 0 for v in y) and max(y) > 0, f"certificate {y}")
        for row in island["A"]:
            near(math.fsum(a * v for a, v in zip(row, y)), 0, 1e-12 * max(y), "A y")
        check(math.fsum(v * w for v, w in zip(y, b)) < 0, "b.y < 0")
        check(all(c["force"] == [0, 0, 0] for c in island["contacts"]), "no forces are told")
    # Plates that separate let the ball fall.
    apart = one([plate("below", -0.5, -20), ball("b", 0, 0, 0.5), plate("above", 1.5, 20)])
    equal(apart["status"], "ok", "status of plates that part")
    near_list(body_of(apart, "b")["acceleration"], [0, 0, -G], 1e-12, "free fall")


@suite.fact
def poses_velocities_and_gravity_of_the_query_replace_those_of_the_scene():
    path = "/v1/scenes/whatif"
    client.put(path, {"bodies": [GROUND, ball("b", 0, 0, 3)], "gravity": [0, 0, -2]}).must(201)
    before = client.get(path)

    def asked(**members):
        return client.post(path + "/query/restingForces", members).must(200).json["results"][0]
    free = asked()
    near_list(free["bodies"][0]["acceleration"], [0, 0, -2], 1e-15, "free fall")
    equal((free["contacts"], free["stable"]), ([], False), "no contact")
    on = {"ids": ["b"], "positions": [[0, 0, 0.5]]}
    near(asked(poses=on)["contacts"][0]["normalForce"], 4, 1e-12, "force")
    near(asked(poses=on, gravity=[0, 0, -5])["contacts"][0]["normalForce"], 10, 1e-12, "force")
    away = asked(poses={**on, "linearVelocities": [[0, 0, 1]]})
    equal((away["contacts"][0]["class"], away["contacts"][0]["normalForce"], away["stable"]), ("separating", 0, False), "separating")
    near(away["contacts"][0]["normalVelocity"], 1, 1e-15, "normal velocity")
    check("moving" in away["flags"], "flags")
    equal(client.get(path).body, before.body, "the scene")


@suite.fact
def loads_act_at_their_points():
    """A force at the rim, and the equal couple about the centre."""
    bodies = [ball("b", 1, 2, 3)]
    rim = one(bodies, gravity=[0, 0, 0], loads=[{"body": "b", "force": [0, 3, 0], "at": [1.5, 2, 3]}])
    couple = one(bodies, gravity=[0, 0, 0], loads=[{"body": "b", "force": [0, 3, 0]}, {"body": "b", "torque": [0, 0, 1.5]}])
    for island in (rim, couple):
        near_list(island["bodies"][0]["acceleration"], [0, 1.5, 0], 1e-15, "acceleration")
        near_list(island["bodies"][0]["angularAcceleration"], [0, 0, 1.5 / 0.2], 1e-12, "angular acceleration")


@suite.fact
def friction_depends_on_the_material():
    """A crate on a slope of 0.3: held by mu = 0.5, not by 0.2. The material of a contact precedes that of the query."""
    angle = math.atan(0.3)
    slope = {"id": "slope", "rpy": [0, angle, 0], "colliders": [{"plane": {}, "material": "wood"}]}
    up = [math.sin(angle), 0, math.cos(angle)]
    body = {"id": "b", "rpy": [0, angle, 0], "position": [0.5 * c for c in up], "motion": {"mass": 2},
            "colliders": [{"box": {"size": [1, 1, 1]}, "material": "wood"}]}
    for mu, holds in ((0.5, True), (0.2, False)):
        reply = ask([slope, body], {"materials": {"wood": {"staticFriction": mu}}})
        equal((reply["friction"], reply["stable"]), ("cone", holds), f"friction and stable at {mu}")
        down = math.fsum(a * b for a, b in zip(reply["results"][0]["bodies"][0]["acceleration"], [up[2], 0, -up[0]]))
        near(down, 0 if holds else G * (math.sin(angle) - mu * math.cos(angle)), 1e-7, "acceleration")
    equal(ask([slope, body], {"materials": {"wood": {}}})["friction"], "none", "friction without coefficients")
    equal(ask([slope, body], {"materials": {"wood": {}}}, material={"staticFriction": 0.5})["stable"], True, "by the question's material")
    # With one contact point below its centre the ball rolls, and slips below mu = tan / (1 + m r^2 / I) = 0.12.
    touch = {"a": "slope", "b": "b", "position": [0, 0, 0], "normal": up}
    for own, slides in (({}, True), ({"material": {"staticFriction": 0.5}}, False)):
        island = one([slope, body], {"materials": {"wood": {}}}, contacts=[{**touch, **own}], material={"staticFriction": 0.1})
        equal(island["contacts"][0]["sliding"], slides, "sliding, by the contact's own material before that of the question")


def row_of_stacks(count):
    return [GROUND] + [crate(f"c{i}-{k}", 0.5 + k, x=3.0 * i) for i in range(count) for k in range(1 + i % 3)]


@suite.fact
def concatenated_pages_of_islands_are_the_whole_answer():
    path = "/v1/scenes/stacks"
    client.put(path, {"bodies": row_of_stacks(7)}).must(201)
    whole = client.post(path + "/query/restingForces", {}).must(200).json
    equal((whole["count"], whole["total"], whole["stable"]), (7, 7, True), "whole")
    pages, cursor = [], {}
    while True:
        page = client.post(path + "/query/restingForces", {"limit": 3, **cursor}).must(200).json
        pages += page["results"]
        check("stable" not in page and "converged" not in page, "a part of a page judges all")
        if page["complete"]:
            break
        cursor = {"cursor": page["nextCursor"]}
    equal(pages, whole["results"], "pages")
    found = client.post(path + "/query/restingForces", {"where": {"a": {"ids": ["c2-0"]}}}).must(200).json
    equal({c["a"] for r in found["results"] for c in r["contacts"]} | {c["b"] for r in found["results"] for c in r["contacts"]},
          {"ground", "c2-0", "c2-1"}, "contacts of one crate")
    batch = client.post(path + "/query", {"queries": [{"id": "x", "kind": "restingForces"}, {"kind": "overlap"}]}).must(200).json
    equal(batch["results"][0]["result"]["results"], whole["results"], "in a batch")


@suite.fact
def any_number_of_workers_gives_the_same_bytes():
    scene = {"bodies": row_of_stacks(40)}
    replies = set()
    for workers in (1, 2, 4):
        other = Daemon("--workers", str(workers)).start()
        try:
            its = Curl(other)
            its.put("/v1/scenes/s", scene).must(201)
            replies.add(its.post("/v1/scenes/s/query/restingForces", {"material": {"staticFriction": 0.5}}).must(200).body)
        finally:
            other.stop()
    equal(len(replies), 1, "different replies")


@suite.fact
def resting_forces_in_a_batch_are_those_of_the_single_query():
    """With 4 million rows in all (CONTACTD_FULL=1) each query of the batch finds its islands again; with fewer they
    share them."""
    path = "/v1/scenes/wide"
    walls = [{"id": f"w{i}", "position": [9.0 * (i % 64), 9.0 * (i // 64), -5], "colliders": [{"sphere": {"radius": 1}}]} for i in range(4095)]
    client.put(path, {"bodies": [GROUND, *walls, *row_of_stacks(5)[1:]]}).must(201)
    asked = {"kind": "restingForces", "where": {"a": {"prefix": "c"}}, "limit": 2}
    whole = client.post(path + "/query/restingForces", {k: asked[k] for k in ("where", "limit")}).must(200).json
    answers = client.post(path + "/query", {"queries": [asked] * (990 if os.environ.get("CONTACTD_FULL") else 10), "deadlineMs": 60000}).must(200).json["results"]
    equal({json.dumps(a["result"]["results"]) for a in answers}, {json.dumps(whole["results"])}, "answers")


@suite.fact
def resting_forces_of_two_bodies_without_a_scene():
    reply = client.post(FREE, {"a": {"plane": {}}, "b": ball("b", 0, 0, 0.5)}).must(200).json
    near(reply["results"][0]["contacts"][0]["normalForce"], 2 * G, 1e-12, "force")
    check("revision" not in reply, "a revision of nothing")
    nothing = client.post(FREE, {"a": {"plane": {}}, "b": {"sphere": {"radius": 1}, "position": [0, 0, 1]}}).must(200).json
    equal((nothing["results"], nothing["stable"], nothing["converged"]), ([], True, True), "two bodies that nothing moves")


# ---- impulses ------------------------------------------------------------------------------------------------------------

def collide(bodies, **members):
    return client.post("/v1/query/impulse", {"scene": {"bodies": bodies}, **members}).must(200).json


def kinetic(bodies, island, moment, when=""):
    """Kinetic energy of bodies whose inertia is a multiple of the identity."""
    energy = 0
    for told in island["bodies"]:
        mass = next(b["motion"]["mass"] for b in bodies if b["id"] == told["id"])
        energy += mass * math.fsum(v * v for v in told["linearVelocity" + when]) / 2
        energy += mass * moment * math.fsum(w * w for w in told["angularVelocity" + when]) / 2
    return energy


@suite.fact
def a_ball_that_sticks_takes_two_sevenths_of_its_slip_into_spin():
    """Velocity 1 m/s along and 2 m/s into the ground, e = 1/2: j = m (1 + e) 2 = 6, friction 4/7 <= mu j, v = 5/7
    along, omega = 10/7."""
    bodies = [GROUND, ball("b", 0, 0, 0.5, linearVelocity=[1, 0, -2])]
    for law in ("algebraic", "integrated", "energetic"):
        reply = collide(bodies, law=law, material={"staticFriction": 0.25, "restitution": 0.5})
        island, = reply["results"]
        contact, = island["contacts"]
        near_list(contact["impulse"], [-4 / 7, 0, 6], 1e-12, "impulse")
        near_list(island["bodies"][0]["linearVelocity"], [5 / 7, 0, 1], 1e-12, "velocity")
        near_list(island["bodies"][0]["angularVelocity"], [0, 10 / 7, 0], 1e-12, "angular velocity")
        equal((contact["outcome"], contact["class"], contact["restitution"], island["law"]), ("stick", "colliding", 0.5, law), "contact")
        near(island["energyBefore"], kinetic(bodies, island, 0.1, "Before"), 1e-12, "energy before")
        near(island["energyAfter"], kinetic(bodies, island, 0.1), 1e-12, "energy after")
        equal((reply["converged"], island["energyGuard"]["status"]), (True, "passed"), "verdicts")
    slip = collide(bodies, material={"staticFriction": 0.05, "restitution": 0.5})["results"][0]["contacts"][0]
    near_list(slip["impulse"], [-0.3, 0, 6], 1e-12, "impulse of a slide")
    equal(slip["outcome"], "slide", "outcome")
    smooth = collide(bodies, material={"staticFriction": 0.05, "restitution": 0.5}, friction=False)["results"][0]
    equal((smooth["contacts"][0]["tangentialImpulse"], smooth["law"]), ([0, 0, 0], "frictionless"), "without friction")


@suite.fact
def elastic_balls_of_one_mass_exchange_their_velocities():
    bodies = [ball("a", 0, 0, 0, linearVelocity=[3, 0, 0]), ball("b", 1, 0, 0, linearVelocity=[-1, 0, 0])]
    island, = collide(bodies, material={"restitution": 1})["results"]
    equal([b["linearVelocity"] for b in island["bodies"]], [[-1, 0, 0], [3, 0, 0]], "velocities")
    near(island["energyAfter"], island["energyBefore"], 1e-13, "energy")
    slow = collide(bodies, material={"restitution": 1}, restVelocity=5)
    equal((slow["restVelocity"], "restVelocity" in collide(bodies)), (5, False), "restVelocity told")
    resting, = slow["results"]
    near_list(resting["bodies"][0]["linearVelocity"], [1, 0, 0], 1e-15, "slower than restVelocity: no restitution")


@suite.fact
def impulses_at_given_contacts_with_given_velocities():
    path = "/v1/scenes/hammer"
    client.put(path, {"bodies": [crate("rod", 5), ball("hammer", 0, 0, 9)]}).must(201)
    equal(client.post(path + "/query/impulse", {}).must(200).json["results"], [], "no contact, no island")
    reply = client.post(path + "/query/impulse", {
        "contacts": [{"a": "hammer", "b": "rod", "position": [0.5, 0, 5.5], "normal": [0, 0, -1]}],
        "poses": {"ids": ["hammer"], "linearVelocities": [[0, 0, -4]]}}).must(200).json
    island, = reply["results"]
    # K = 1/2 + 1/2 + x^2 / (m/6) with x = 0.5; of the ball, whose lever is x too, 0.25 / 0.2.
    k = 1 + 0.25 / (2 / 6) + 0.25 / 0.2
    near_list(island["contacts"][0]["impulse"], [0, 0, -4 / k], 1e-12, "impulse")
    momentum = total([b["linearVelocity"] for b in island["bodies"]])
    near_list(momentum, [0, 0, -4], 1e-14, "momentum over the mass")
    near(island["contacts"][0]["normalVelocityAfter"], 0, 1e-14, "plastic")
    check("distance" not in island["contacts"][0], "a given contact has no distance")


def write(path, body=None, match=None):
    return client.post(path + "/impulses", body or {}, headers={"If-Match": match or client.get(path).etag})


@suite.fact
def impulses_are_written_as_one_revision():
    """The velocities written are those that the query reports; a second write finds no approaching contact."""
    path = "/v1/scenes/billiard"
    balls = [ball("a", 0, 0, 0, linearVelocity=[3, 0, 0]), ball("b", 1, 0, 0), ball("far", 9, 9, 9, linearVelocity=[1, 2, 3])]
    client.put(path, {"bodies": balls, "materials": {"default": {"restitution": 1}}}).must(201)
    asked = client.post(path + "/query/impulse", {}).must(200).json
    written = write(path).must(200)
    equal({k: v for k, v in written.json.items() if k not in ("revision", "durability")},
          {k: v for k, v in asked.items() if k != "revision"}, "answers")
    equal((written.json["revision"], written.etag), (asked["revision"] + 1, f'"r{asked["revision"] + 1}"'), "revision")
    motions = {b["id"]: b["motion"] for b in client.get(path).json["bodies"]}
    equal([motions[n].get("linearVelocity") for n in ("a", "b", "far")], [None, [3, 0, 0], [1, 2, 3]], "velocities")
    again = write(path).must(200).json
    equal([c["outcome"] for r in again["results"] for c in r["contacts"]], ["none"], "outcome of what parts")
    equal(client.get(path).json["bodies"][1]["motion"]["linearVelocity"], [3, 0, 0], "velocity")


@suite.fact
def poses_of_a_collision_are_written_with_it():
    path = "/v1/scenes/bounce"
    client.put(path, {"bodies": [GROUND, ball("b", 0, 0, 7)]}).must(201)
    poses = {"ids": ["b"], "positions": [[2, 0, 0.5]], "linearVelocities": [[0, 0, -2]]}
    reply = write(path, {"poses": poses, "material": {"restitution": 0.5}}).must(200).json
    equal((len(reply["results"]), reply["revision"]), (1, 2), "islands, revision")
    body = client.get(path + "/bodies/b").json
    equal((body["position"], body["motion"]["linearVelocity"]), ([2, 0, 0.5], [0, 0, 1]), "body")


@suite.fact
def impulses_that_create_energy_end_at_the_largest_speed():
    """The point-mass rule ignores rotation: between boxes of unequal mass each impulse may be greater than the one
    before. The sequence ends at the largest speed."""
    def brick(name, mass, position, linear, angular):
        return {"id": name, "position": position, "colliders": [{"box": {"size": [1, 1, 1]}}],
                "motion": {"mass": mass, "linearVelocity": linear, "angularVelocity": angular}}
    bodies = [GROUND, brick("x", 0.6, [0, 0, 0.5], [-0.7, 0.5, 0.9], [-0.5, -1, -0.2]),
              brick("y", 4, [1, 0, 0.5], [-0.9, -0.2, -0.4], [0.3, 0.5, -1]),
              brick("z", 26, [0.5, 0, 1.5], [0.5, -0.2, 0.6], [0, -0.7, -0.7])]
    ask = {"simultaneous": "sequential", "law": "pointMass", "energyGuard": False,
           "scene": {"materials": {"default": {"staticFriction": 1, "restitution": 0.5}}, "bodies": bodies}}
    result = client.post("/v1/query/impulse", ask).must(200).json["results"][0]
    equal((result["converged"], result["status"]), (False, "notConverged"), "what is told of blows without end")
    check(result["energyAfter"] > 1e9, "the blows did not grow: this asks for nothing")


@suite.fact
def impulses_beyond_the_largest_speed_are_limit_exceeded_and_not_written():
    """The light one of two balls gets twice the speed of the heavy one: 1.8e9 m/s, which no document may have."""
    path = "/v1/scenes/cannon"
    heavy = {**ball("a", 0, 0, 0), "motion": {"mass": 1e3, "linearVelocity": [9e8, 0, 0]}}
    light = {**ball("b", 1, 0, 0), "motion": {"mass": 1e-3}}
    client.put(path, {"bodies": [heavy, light], "materials": {"default": {"restitution": 1}}}).must(201)
    before = client.get(path)
    detail = write(path).problem(422, "limit-exceeded").json["detail"]
    check('"b"' in detail and "1e9" in detail, detail)
    after = client.get(path)
    equal((after.etag, after.body), (before.etag, before.body), "scene")


@suite.fact
def a_write_of_impulses_requires_if_match():
    path = "/v1/scenes/guarded"
    client.put(path, {"bodies": [GROUND, ball("b", 0, 0, 0.5, linearVelocity=[0, 0, -1])]}).must(201)
    before = client.get(path)
    equal(client.post(path + "/impulses", {}).problem(428, "precondition-required").etag, before.etag, "the revision is named")
    write(path, match='"r9"').problem(412, "revision-mismatch")
    for body, problem, pointer in (({"limit": 1}, "unknown-member", "/limit"), ({"cursor": "x"}, "unknown-member", "/cursor"),
                                   ({"loads": []}, "unknown-member", "/loads"), ({"law": "no"}, "bad-value", "/law"),
                                   ({"poses": {"ids": ["x"], "linearVelocities": [[0, 0, 0]]}}, "unknown-id", "/poses/ids/0"),
                                   ({"poses": {"ids": ["ground"], "linearVelocities": [[0, 0, 1]]}}, "bad-value",
                                    "/poses/linearVelocities/0"),
                                   ({"material": {"restitution": 2}}, "out-of-range", "/material/restitution")):
        write(path, body).problem(422, problem, pointer)
    after = client.get(path)
    equal((after.etag, after.body), (before.etag, before.body), "scene")
    write(path, match="*").must(200)


suite.main()
