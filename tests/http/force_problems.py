"""Bad input of queries and writes on forces: status, type and pointer of each; nothing is written. Also infeasible
problems, laws that have no effect, and limits."""
import math

from support.checks import Suite, check, equal, near
from support.client import Curl
from support.daemon import Daemon

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = Curl(daemon)
SCENE = "/v1/scenes/victim"
RESTING = SCENE + "/query/restingForces"


def ball(name, z, **motion):
    return {"id": name, "position": [0, 0, z], "colliders": [{"id": "c", "sphere": {"radius": 0.5}}],
            **({"motion": motion} if motion else {})}


# A moment below the round-off of the others, in axes that are not the principal ones.
NEEDLE = {"mass": 1, "inertiaDiagonal": [1e-20, 1, 1], "inertiaOrientation": [0, 0, 0.38268343236508977, 0.9238795325112867]}
client.put(SCENE, {"bodies": [{"id": "ground", "colliders": [{"plane": {}}]}, ball("wall", 5), ball("lift", 8, isKinematic=True),
                              ball("b", 0.5, mass=1), ball("c", 1.5, mass=1)]}).must(201)
TOUCH = {"a": "ground", "b": "b", "position": [0, 0, 0], "normal": [0, 0, 1]}


def contact(**other):
    return {"contacts": [{**TOUCH, **other}]}


def without(name):
    return {"contacts": [{k: v for k, v in TOUCH.items() if k != name}]}


AT = "/contacts/0/"
BOTH = [("unknown-id", contact(a="nobody"), AT + "a"), ("unknown-id", contact(b="nobody"), AT + "b"),
        ("bad-value", contact(a="b"), AT + "b"), ("bad-value", contact(b="wall"), "/contacts/0"),
        ("bad-value", contact(a="lift", b="wall"), "/contacts/0"),
        ("bad-value", contact(normal=[0, 0, 0]), AT + "normal"), ("bad-value", contact(normal=[0, 0, 1 + 2e-6]), AT + "normal"),
        ("bad-value", contact(normal=[0, 0, 0.5]), AT + "normal"), ("wrong-type", contact(normal=[0, 1]), AT + "normal"),
        ("wrong-type", contact(position="here"), AT + "position"), ("out-of-range", contact(position=[2e9, 0, 0]), AT + "position/0"),
        ("missing-member", without("a"), AT + "a"), ("missing-member", without("normal"), AT + "normal"),
        ("missing-member", without("position"), AT + "position"),
        ("unknown-id", contact(colliderB="d"), AT + "colliderB"), ("unknown-id", contact(colliderB=1), AT + "colliderB"),
        ("wrong-type", contact(colliderA=0.5), AT + "colliderA"), ("wrong-type", contact(colliderA=[0]), AT + "colliderA"),
        ("bad-value", contact(fixedTo="c"), AT + "fixedTo"), ("unknown-member", contact(depth=1), AT + "depth"),
        ("out-of-range", contact(material={"staticFriction": -1}), AT + "material/staticFriction"),
        ("wrong-type", {"contacts": TOUCH}, "/contacts"), ("wrong-type", {"contacts": [1]}, "/contacts/0"),
        ("conflicting-members", {**contact(), "pairs": [["ground", "b"]]}, "/pairs"),
        ("conflicting-members", {"where": {}, "pairs": []}, "/where"),
        ("out-of-range", {"material": {"staticFriction": -0.1}}, "/material/staticFriction"),
        ("out-of-range", {"material": {"restitution": 1.5}}, "/material/restitution"),
        ("out-of-range", {"material": {"staticFriction": 0.1, "dynamicFriction": 0.2}}, "/material/dynamicFriction"),
        ("unknown-member", {"material": {"youngsModulus": 1}}, "/material/youngsModulus"),
        ("wrong-type", {"material": "steel"}, "/material"),
        ("wrong-type", {"gravity": [0, 0]}, "/gravity"), ("out-of-range", {"gravity": [0, 0, -1e7]}, "/gravity/2"),
        ("out-of-range", {"contactTolerance": -1}, "/contactTolerance"), ("out-of-range", {"velocityTolerance": -1e-9}, "/velocityTolerance"),
        ("wrong-type", {"velocityTolerance": "small"}, "/velocityTolerance"),
        ("bad-value", {"detail": "deepest"}, "/detail"), ("unknown-member", {"clearance": 1}, "/clearance"),
        ("unknown-member", {"variants": []}, "/variants"), ("bad-cursor", {"cursor": "x"}, "/cursor"),
        ("unknown-id", {"poses": {"ids": ["nobody"], "linearVelocities": [[0, 0, 1]]}}, "/poses/ids/0"),
        ("bad-value", {"poses": {"ids": ["wall"], "linearVelocities": [[0, 0, 1]]}}, "/poses/linearVelocities/0")]
OF_RESTING = [("unknown-id", {"loads": [{"body": "nobody", "force": [0, 0, 1]}]}, "/loads/0/body"),
              ("bad-value", {"loads": [{"body": "wall", "force": [0, 0, 1]}]}, "/loads/0/body"),
              ("bad-value", {"loads": [{"body": "lift", "force": [0, 0, 1]}]}, "/loads/0/body"),
              ("missing-member", {"loads": [{"body": "b"}]}, "/loads/0"),
              ("missing-member", {"loads": [{"force": [0, 0, 1]}]}, "/loads/0/body"),
              ("conflicting-members", {"loads": [{"body": "b", "torque": [0, 0, 1], "at": [0, 0, 0]}]}, "/loads/0/at"),
              ("wrong-type", {"loads": [{"body": "b", "force": [0, 0, "1"]}]}, "/loads/0/force/2"),
              ("out-of-range", {"loads": [{"body": "b", "torque": [0, 1e19, 0]}]}, "/loads/0/torque/1"),
              ("bad-value", {"friction": "pyramid"}, "/friction"), ("wrong-type", {"friction": True}, "/friction"),
              ("bad-value", {"level": "force"}, "/level"), ("bad-value", {"tie": "all"}, "/tie"),
              ("out-of-range", {"timeStep": 0}, "/timeStep"), ("bad-value", {"method": "simplex"}, "/method"),
              ("conflicting-members", {"friction": "none", "method": "nsgs"}, "/method"),
              ("conflicting-members", {"friction": "cone", "method": "lemke"}, "/method"),
              ("conflicting-members", {"friction": "polyhedral", "method": "dantzig"}, "/method"),
              ("conflicting-members", {"friction": "cone", "directions": 8}, "/directions"),
              ("out-of-range", {"friction": "polyhedral", "directions": 3}, "/directions"),
              ("bad-value", {"friction": "polyhedral", "directions": 5}, "/directions"),
              ("conflicting-members", {"friction": "polyhedral", "tie": "any"}, "/tie"),
              ("conflicting-members", {"level": "acceleration", "timeStep": 0.01}, "/timeStep"),
              ("conflicting-members", {"circumscribed": True}, "/circumscribed"), ("bad-value", {"include": ["C"]}, "/include/0"),
              ("unknown-member", {"law": "algebraic"}, "/law"), ("unknown-member", {"energyGuard": True}, "/energyGuard")]
OF_IMPULSE = [("bad-value", {"law": "newton"}, "/law"), ("wrong-type", {"law": 1}, "/law"),
              ("bad-value", {"simultaneous": "algebraic"}, "/simultaneous"), ("wrong-type", {"friction": "none"}, "/friction"),
              ("wrong-type", {"energyGuard": "on"}, "/energyGuard"), ("out-of-range", {"restVelocity": -1}, "/restVelocity"),
              ("wrong-type", {"restVelocity": None}, "/restVelocity"),
              ("unknown-member", {"loads": []}, "/loads"), ("unknown-member", {"method": "auto"}, "/method"),
              ("unknown-member", {"include": ["A"]}, "/include"), ("unknown-member", {"timeStep": 1}, "/timeStep")]
ELASTIC = "/elastic/"
OF_COMPLIANT = [("unknown-id", {"contactState": "nobody"}, "/contactState"), ("wrong-type", {"contactState": 1}, "/contactState"),
                ("bad-value", {}, ""), ("wrong-type", {"elastic": 1}, "/elastic"),
                *(("out-of-range", {"elastic": {name: value}}, ELASTIC + name) for value in (0, -1, 1e13)
                  for name in ("smallVelocity", "smallAngularVelocity", "stiffnessFactor", "dampingMax")),
                ("wrong-type", {"elastic": {"pull": 1}}, ELASTIC + "pull"), ("unknown-member", {"elastic": {"kRed": 1}}, ELASTIC + "kRed"),
                ("missing-member", {"elastic": {"youngsModulus": 1}}, ELASTIC + "poissonRatio"),
                ("missing-member", {"elastic": {"poissonRatio": 0.3}}, ELASTIC + "youngsModulus"),
                ("out-of-range", {"elastic": {"youngsModulus": 0, "poissonRatio": 0.3}}, ELASTIC + "youngsModulus"),
                ("out-of-range", {"elastic": {"youngsModulus": 2e15, "poissonRatio": 0.3}}, ELASTIC + "youngsModulus"),
                ("out-of-range", {"elastic": {"youngsModulus": 1, "poissonRatio": 1}}, ELASTIC + "poissonRatio"),
                ("out-of-range", {"elastic": {"youngsModulus": 1, "poissonRatio": 0}}, ELASTIC + "poissonRatio"),
                ("out-of-range", {"material": {"rollingFriction": -0.1}}, "/material/rollingFriction"),
                ("out-of-range", {"material": {"restitution": 1.5}}, "/material/restitution"),
                ("conflicting-members", {"where": {}, "pairs": []}, "/where"), ("bad-cursor", {"cursor": "x"}, "/cursor"),
                *(("unknown-member", {name: []}, "/" + name) for name in
                  ("contacts", "contactTolerance", "velocityTolerance", "gravity", "loads", "detail", "include", "variants", "friction"))]
OF_ADVANCE = [*(("out-of-range", {name: value}, "/" + name) for name in ("duration", "timeStep", "progressEvery") for value in (0, -1, 1e7)),
              *(("wrong-type", {name: value}, "/" + name) for name in ("duration", "timeStep", "restVelocity", "velocityTolerance",
                                                                       "contactTolerance", "progressEvery") for value in (None, "1", [1])),
              *(("out-of-range", {name: -1e-9}, "/" + name) for name in ("restVelocity", "velocityTolerance", "contactTolerance")),
              ("out-of-range", {"duration": 1e4, "timeStep": 1e-6}, "/timeStep"), ("out-of-range", {"timeStep": 9e-10}, "/timeStep"),
              ("bad-value", {"mode": "event"}, "/mode"), ("wrong-type", {"mode": 1}, "/mode"), ("wrong-type", {"gravity": [0, 0]}, "/gravity"),
              ("out-of-range", {"gravity": [0, 0, -1e7]}, "/gravity/2"), ("wrong-type", {"friction": "cone"}, "/friction"),
              ("unknown-id", {"loads": [{"body": "nobody", "force": [0, 0, 1]}]}, "/loads/0/body"),
              ("bad-value", {"loads": [{"body": "wall", "force": [0, 0, 1]}]}, "/loads/0/body"),
              ("wrong-type", {"loads": {}}, "/loads"), ("bad-value", {"include": ["forces"]}, "/include/0"),
              ("out-of-range", {"elastic": {"smallVelocity": 0}}, "/elastic/smallVelocity"),
              *(("conflicting-members", {"mode": mode, "elastic": {"smallVelocity": 0.01}}, "/elastic") for mode in ("timeStepping", "eventImpulses")),
              *(("conflicting-members", {"mode": "eventImpulses", **member}, "/" + next(iter(member)))
                for member in ({"separationSpeed": 1}, {"keepOverlap": True})),
              ("out-of-range", {"separationSpeed": 0}, "/separationSpeed"), ("wrong-type", {"keepOverlap": 1}, "/keepOverlap"),
              ("out-of-range", {"deadlineMs": 0}, "/deadlineMs"), ("unknown-member", {"steps": 5}, "/steps"),
              *(("wrong-type", {name: value}, "/" + name) for name in ("contactState", "until", "checkpointEvery") for value in (None, [1], {})),
              *(("out-of-range", {"checkpointEvery": value}, "/checkpointEvery") for value in (0, -1, 1e7)),
              ("wrong-type", {"contactState": 1}, "/contactState"), ("bad-value", {"contactState": ""}, "/contactState"),
              ("bad-value", {"contactState": ".."}, "/contactState"), ("bad-value", {"until": "rest"}, "/until")]
KINDS = [("restingForces", BOTH + OF_RESTING), ("impulse", BOTH + OF_IMPULSE)]


def refused(path, body, problem, pointer):
    before = client.get(SCENE)
    client.post(path, body).problem(422, problem, pointer)
    after = client.get(SCENE)
    equal((after.etag, after.body), (before.etag, before.body), "scene")


def rows():
    for kind, table in (*KINDS, ("compliantForces", OF_COMPLIANT)):
        for problem, body, pointer in table:
            yield f"{kind}, {problem}: {str(body)[:80]}", lambda k=kind, p=problem, b=body, at=pointer: refused(f"{SCENE}/query/{k}", b, p, at)
    for problem, other, pointer in OF_ADVANCE:
        yield (f"advance, {problem}: {str(other)[:80]}",
               lambda p=problem, b={"duration": 1, **other}, at=pointer: refused(f"{SCENE}/advance", b, p, at))


suite.table("bad input", rows())


@suite.fact
def nan_and_infinite_numbers_are_no_json():
    for text in ('{"loads": [{"body": "b", "force": [0, 0, NaN]}]}', '{"gravity": [0, 0, -Infinity]}'):
        client.post(RESTING, text).problem(400, "malformed-json")
    client.post(RESTING, '{"loads": [{"body": "b", "force": [1e999, 0, 0]}]}').problem(422, "out-of-range", "/loads/0/force/0")
    for text in ('{"duration": NaN}', '{"duration": 1, "timeStep": Infinity}'):
        client.post(SCENE + "/advance", text).problem(400, "malformed-json")
    client.post(SCENE + "/advance", '{"duration": 1, "gravity": [0, 0, 1e999]}').problem(422, "out-of-range", "/gravity/2")


@suite.fact
def a_motion_with_too_many_steps_names_the_limit():
    reply = client.post(SCENE + "/advance", {"duration": 1e4, "timeStep": 1e-6}).problem(422, "out-of-range", "/timeStep")
    equal({k: reply.json["errors"][0][k] for k in ("limit", "actual")}, {"limit": 1e9, "actual": 1e10}, "limit and actual")


@suite.fact
def a_motion_beyond_a_limit_names_the_limit_and_the_body():
    path = "/v1/scenes/fast"
    for motion, words in (({"linearVelocity": [9e8, 0, 0]}, "largest coordinate"), ({"angularVelocity": [0, 0, 9e8]}, "more than a million rad")):
        client.put(path, {"bodies": [{**ball("comet", 0, mass=1, **motion), "position": [5e8, 0, 0]}], "gravity": [0, 0, 0]})
        for mode in ("timeStepping", "eventImpulses"):
            detail = client.post(path + "/advance", {"duration": 1, "timeStep": 0.75, "mode": mode}).problem(422, "limit-exceeded").json["detail"]
            check(words in detail and '"comet"' in detail, detail)


@suite.fact
def an_impact_at_the_start_that_makes_a_body_too_fast_is_limit_exceeded():
    """A body of 2e-10 kg between two much heavier ones: after the impacts at time 0 it would rotate too far within
    the first step."""
    cube = [{"box": {"size": [1, 1, 1]}}]
    bodies = [{"id": "floor", "colliders": [{"plane": {}}]},
              {"id": "heavy", "position": [-0.52, 0.39, 0.5], "colliders": cube,
               "motion": {"mass": 4.5e9, "linearVelocity": [0, -825, -61], "angularVelocity": [825, 0, 0]}},
              {"id": "light", "position": [-0.1, -0.07, 1.4], "colliders": cube,
               "motion": {"mass": 2.3e-10, "linearVelocity": [0, 0, 0], "angularVelocity": [0, -900, -870]}},
              {"id": "tin", "position": [-0.33, -0.042, 1.5], "colliders": [{"cylinder": {"radius": 0.5, "height": 1}}],
               "motion": {"mass": 4.7e-4, "linearVelocity": [825, -915, 0], "angularVelocity": [0, 0, 1320]}}]
    path = "/v1/scenes/blow"
    client.put(path, {"bodies": bodies, "materials": {"default": {"staticFriction": 1000}}}).must(201)
    detail = client.post(path + "/advance", {"duration": 1, "timeStep": 1}).problem(422, "limit-exceeded").json["detail"]
    check('"light"' in detail, detail)


def a_load_that_makes_a_body_too_fast(mode, load, mass):
    """A load on at most 1 kg: rotation, speed or displacement exceeds a limit within the step."""
    cube = [{"box": {"size": [1, 1, 1]}}]
    path = "/v1/scenes/hauled"
    client.put(path, {"bodies": [{"id": "floor", "colliders": [{"plane": {}}]},
                                 {"id": "crate", "position": [0, 0, 0.5], "colliders": cube, "motion": {"mass": mass}},
                                 {"id": "lid", "position": [0, 0, 1.5], "colliders": cube, "motion": {"mass": 1}}],
                      "materials": {"default": {"staticFriction": 0.5, "youngsModulus": 1e3, "poissonRatio": 0.3}}})
    before = client.get(path)
    reply = client.post(path + "/advance", {"duration": 0.1, "timeStep": 0.05, "mode": mode, "loads": [{"body": "crate", **load}]})
    check('"crate"' in reply.problem(422, "limit-exceeded").json["detail"], reply.json["detail"])
    after = client.get(path)
    equal((after.etag, after.body), (before.etag, before.body), "scene")


HAULS = [{"force": [0, 0, 1e17]}, {"torque": [0, 0, 1e17]}, {"torque": [1e12, 0, 1e11]}, {"force": [1e15, 0, 1e15], "at": [0, 0, 1]}]
suite.table("load", ((f"{mode}, {mass} kg, {load}", lambda m=mode, w=load, kg=mass: a_load_that_makes_a_body_too_fast(m, w, kg))
                     for mode, loads in (("timeStepping", HAULS), ("eventImpulses", HAULS), ("eventCompliant", HAULS[:2]))
                     for mass in (1, 1e-12) for load in loads))


@suite.fact
def a_rotation_about_a_far_centre_of_mass_stays_within_the_largest_coordinate():
    """The centre of mass stays at 1e9 - 5 m; half a turn moves the body's position from 1e9 - 20 m to 1e9 + 10 m,
    beyond the largest coordinate."""
    swung = {**ball("swung", 0, mass=1, centerOfMass=[15, 0, 0], inertiaDiagonal=[1, 1, 1], angularVelocity=[0, 0, math.pi]),
             "position": [1e9 - 20, 0, 0]}
    path = "/v1/scenes/edge"
    client.put(path, {"bodies": [swung], "gravity": [0, 0, 0], "materials": {"default": {"youngsModulus": 1e9, "poissonRatio": 0.3}}}).must(201)
    for mode in ("timeStepping", "eventImpulses", "eventCompliant"):
        detail = client.post(path + "/advance", {"duration": 1, "timeStep": 0.25, "mode": mode}).problem(422, "limit-exceeded").json["detail"]
        check("largest coordinate" in detail and '"swung"' in detail, detail)


@suite.fact
def a_body_whose_inertia_cannot_be_inverted_is_named():
    needle = ball("needle", 0.5, **NEEDLE)
    for kind, unused in KINDS:
        for path, body, pointer in ((f"/v1/query/{kind}", {"scene": {"bodies": [needle]}}, "/scene/bodies/0"),
                                    (f"/v1/query/{kind}", {"a": {"plane": {}}, "b": needle}, "/b"),
                                    (f"/v1/query/{kind}", {"a": needle, "b": {"plane": {}}}, "/a")):
            reply = client.post(path, body).problem(422, "bad-mass", pointer)
            check('"needle"' in reply.json["detail"], "the detail names the body")
    path = "/v1/scenes/needles"
    client.put(path, {"bodies": [needle]}).must(201)
    for kind, unused in KINDS:
        check("needle" in client.post(f"{path}/query/{kind}", {}).problem(422, "bad-mass").json["detail"], "the detail names the body")


@suite.fact
def compliant_forces_also_need_an_invertible_inertia():
    steel = {"elastic": {"youngsModulus": 2e11, "poissonRatio": 0.3}}
    reply = client.post("/v1/query/compliantForces", {"a": ball("needle", 0.5, **NEEDLE), "b": {"plane": {}}, **steel})
    check('"needle"' in reply.problem(422, "bad-mass", "/a").json["detail"], "the detail names the body")


def box(name, x, **motion):
    return {"id": name, "position": [x, 0, 0], "colliders": [{"box": {"size": [1, 1, 1]}}], **({"motion": motion} if motion else {})}


def press(speed):
    """A ball in contact with a wall and a piston."""
    piston = box("piston", 2, isKinematic=True, linearVelocity=[-speed, 0, 0])
    return {"bodies": [box("wall", 0), {**ball("ball", 0, mass=1), "position": [1, 0, 0]}, piston], "gravity": [0, 0, 0]}


@suite.fact
def a_kinematic_squeeze_has_a_certificate_and_no_impulses():
    """The certificate y of both contacts: sum y n = 0, so no body accelerates, and y.velocity < 0, so the gaps
    close. Velocities stay as they were."""
    for way in ("newton", "poisson", "sequential"):
        for material in ({}, {"staticFriction": 0.3}, {"restitution": 0.5}):
            members = {"simultaneous": way, "material": material}
            island = client.post("/v1/query/impulse", {"scene": press(1), **members}).must(200).json["results"][0]
            equal((island["status"], island["converged"], island["energyGuard"]), ("infeasible", False, {"status": "skippedKinematic"}), "verdict")
            equal((island["energyAfter"], island["work"], island["bodies"][0]["linearVelocity"]), (0, 0, [0, 0, 0]), "nothing happens")
            proof = list(zip(island["infeasibleCertificate"], island["contacts"]))
            check(all(y >= 0 and c["impulse"] == [0, 0, 0] for y, c in proof), "signs")
            pushes = [y * (c["normal"][0] if c["b"] == "ball" else -c["normal"][0]) for y, c in proof]
            check(abs(sum(pushes)) <= 1e-12 * max(map(abs, pushes)), "the ball is in balance")
            check(sum(y * c["normalVelocityBefore"] for y, c in proof) < 0, "the gaps close")
    away = client.post("/v1/query/impulse", {"scene": press(-1)}).must(200).json["results"][0]
    equal((away["status"], "infeasibleCertificate" in away), ("ok", False), "a piston that leaves")


@suite.fact
def energy_grows_by_the_work_of_kinematic_bodies():
    """A kinematic bat at 3 m/s hits a ball of 2 kg at rest, which leaves at 3 (1 + e). The work is the impulse times
    the bat's speed."""
    for way in ("newton", "poisson", "sequential"):
        for e in (0, 0.5, 1):
            scene = {"bodies": [box("bat", 0, isKinematic=True, linearVelocity=[3, 0, 0]), {**ball("ball", 0, mass=2), "position": [1, 0, 0]}]}
            island = client.post("/v1/query/impulse", {"scene": scene, "simultaneous": way, "material": {"restitution": e}}).must(200).json["results"][0]
            near(island["energyAfter"], 9 * (1 + e) ** 2, 1e-12, "energy")
            near(island["work"], 18 * (1 + e), 1e-12, "work")
            equal(island["energyGuard"]["status"], "passed", "guard")
    free = {"a": {"plane": {}}, "b": ball("b", 0.5, mass=1, linearVelocity=[0, 0, -1])}
    check("work" not in client.post("/v1/query/impulse", free).must(200).json["results"][0], "where nothing is moved there is no work")


@suite.fact
def a_law_without_effect_is_flagged():
    """The law has no effect on several simultaneous contacts; on a single one, and on contacts treated sequentially,
    it has."""
    def flags(bodies, **members):
        scene = {"bodies": [{"id": "ground", "colliders": [{"plane": {}}]}, *bodies]}
        return [i.get("flags", []) for i in client.post("/v1/query/impulse", {"scene": scene, **members}).must(200).json["results"]]

    fall = {"mass": 1, "linearVelocity": [0, 0, -1]}
    pile, single = [ball("b", 0.5, **fall), ball("c", 1.5, **fall)], [ball("b", 0.5, **fall)]
    for law in ("algebraic", "integrated", "energetic"):
        for way, wanted in (("newton", ["lawIgnored"]), ("poisson", ["lawIgnored"]), ("sequential", [])):
            equal(flags(pile, law=law, simultaneous=way), [wanted], f"{law}, {way}")
            equal(flags(single, law=law, simultaneous=way), [[]], f"one contact, {law}, {way}")
    equal(flags(pile), [[]], "no law is named")


@suite.fact
def stable_is_decided_by_friction_cones_not_pyramids():
    """A box on a slope of 30 degrees (tan 30 = 0.577) that slides between two edges of a four-sided friction
    pyramid. The inscribed pyramid lets it slide at 0.6, the circumscribed one holds it at 0.56 along an edge;
    `stable` is decided by the cone."""
    def ask(turn, mu, **members):
        half = math.radians(15)
        about = [-math.sin(turn) * math.sin(half), math.cos(turn) * math.sin(half), 0, math.cos(half)]
        up = [math.cos(turn) * 0.5, math.sin(turn) * 0.5, math.sqrt(0.75)]
        bodies = [{"id": "slope", "rotation": about, "colliders": [{"plane": {}}]},
                  {"id": "box", "rotation": about, "position": [u / 2 for u in up], "motion": {"mass": 1}, "colliders": [{"box": {"size": [1, 1, 1]}}]}]
        island = client.post("/v1/query/restingForces", {"scene": {"bodies": bodies}, "material": {"staticFriction": mu}, **members}).must(200).json["results"][0]
        return island, math.hypot(*island["bodies"][0]["acceleration"])

    pyramids = {"friction": "polyhedral", "directions": 4}
    least = min((ask(math.radians(turn), 0.6, **pyramids) for turn in (0, 15, 30, 45)), key=lambda answer: -answer[1])
    check(least[1] > 0.1 and least[0]["stable"] is True and "forces" in least[0]["proof"], "pyramids that are too weak")
    most = min((ask(math.radians(turn), 0.56, circumscribed=True, **pyramids) for turn in (0, 15, 30, 45)), key=lambda answer: answer[1])
    check(most[1] < 1e-9 and most[0]["stable"] is False and "motion" in most[0]["proof"], "pyramids that are too strong")


@suite.fact
def empty_sets_have_empty_answers():
    for kind, unused in KINDS:
        for body in ({"contacts": []}, {"pairs": []}, {"where": {"a": {"ids": []}, "b": {"ids": []}}}):
            reply = client.post(f"{SCENE}/query/{kind}", body).must(200).json
            equal([c for r in reply["results"] for c in r["contacts"]], [], "contacts")
        reply = client.post(f"/v1/query/{kind}", {"scene": {"bodies": []}}).must(200).json
        equal((reply["count"], reply["results"], reply["converged"]), (0, [], True), "an empty scene")


@suite.fact
def more_contacts_than_a_method_takes_are_refused():
    """A plate on 1,100 supports is one island: too large for direct methods."""
    plate = {"id": "plate", "motion": {"mass": 1}, "colliders": [{"box": {"size": [99, 99, 1]}}]}
    props = [{"a": "ground", "b": "plate", "position": [i % 33, i // 33, -0.5], "normal": [0, 0, 1]} for i in range(1100)]
    scene = {"bodies": [{"id": "ground", "colliders": [{"plane": {}}]}, plate]}
    for method in ("dantzig", "lemke", "enumeration"):
        reply = client.post("/v1/query/restingForces", {"scene": scene, "contacts": props, "friction": "none", "method": method,
                                                          "deadlineMs": 60000})
        detail = reply.problem(422, "limit-exceeded").json["detail"]
        check("method" in detail and "1100 contacts" in detail and ("16" if method == "enumeration" else "1024") in detail, detail)
    reply = client.post("/v1/query/restingForces", {"scene": scene, "contacts": props, "friction": "polyhedral", "material": {"staticFriction": 0.5},
                                                      "deadlineMs": 60000})
    detail = reply.problem(422, "limit-exceeded").json["detail"]
    check("11000 rows with pyramids of 8 sides" in detail and "cone" in detail, detail)


@suite.fact
def the_memory_of_contacts_is_limited():
    with Daemon("--limit", "requestMemoryBytes=1048576") as small:
        its = Curl(small)
        props = [{**TOUCH, "position": [i, 0, 0]} for i in range(513)]
        scene = {"bodies": [{"id": "ground", "colliders": [{"plane": {}}]}, ball("b", 0.5, mass=1)]}
        for kind, unused in KINDS:
            reply = its.post(f"/v1/query/{kind}", {"scene": scene, "contacts": props}).problem(422, "limit-exceeded")
            check("requestMemoryBytes" in reply.json["detail"], "the detail names the limit")


@suite.fact
def candidate_pairs_are_limited():
    with Daemon("--limit", "pairs=100") as small:
        its = Curl(small)
        crowd = {"bodies": [ball(f"b{i}", i * 1e-3, mass=1) for i in range(16)]}  # 120 pairs
        for kind, unused in KINDS:
            its.post(f"/v1/query/{kind}", {"scene": crowd}).problem(422, "pair-limit")
        queries = [{"kind": "impulse", "scene": crowd}, {"kind": "restingForces", "scene": {"bodies": crowd["bodies"][:3]}}]
        answers = its.post("/v1/query", {"queries": queries}).must(200).json["results"]
        equal([a["httpStatus"] for a in answers], [422, 200], "in a batch")


@suite.fact
def given_bodies_take_no_members_of_scenes():
    given = {"a": {"plane": {}}, "b": ball("b", 0.5, mass=1)}
    for kind, unused in KINDS:
        for member in ("where", "pairs", "poses"):
            client.post(f"/v1/query/{kind}", {**given, member: {}}).problem(422, "conflicting-members", "/" + member)
        client.post(f"/v1/query/{kind}", {**given, "contacts": [{**TOUCH, "a": "c"}]}).problem(422, "unknown-id", "/contacts/0/a")


suite.main()
