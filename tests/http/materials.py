"""Materials, gravity and prescribed accelerations in scenes and bodies: stored, patched, and refused where a name
would not refer to a material.
Each refusal leaves the scene as it was: the same ETag and the same bytes."""
from support.checks import Suite, check, equal, holds
from support.client import NDJSON, Curl, ndjson
from support.daemon import Daemon

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = Curl(daemon)
numbers = iter(range(1000))

STEEL = {"staticFriction": 0.6, "dynamicFriction": 0.4, "restitution": 0.5, "rollingFriction": 0.01, "youngsModulus": 2e11,
         "poissonRatio": 0.3}
MATERIALS = {"steel": STEEL, "default": {"staticFriction": 0.3}, "ice": {}}
PAIRS = [{"a": "ice", "b": "steel", "staticFriction": 0.03, "dynamicFriction": 0.02}, {"a": "ice", "b": "ice", "restitution": 0}]
MATTER = {"gravity": [0, -1.62, 0], "materials": MATERIALS, "materialPairs": PAIRS}


def ball(name, material="steel", **rest):
    return {"id": name, "colliders": [{"sphere": {"radius": 0.5}, **({"material": material} if material else {})}], **rest}


def scene(**document):
    path = f"/v1/scenes/s{next(numbers)}"
    client.put(path, {"bodies": [], **document}).must(201)
    return path


def unchanged(path, action):
    before = client.get(path)
    action()
    after = client.get(path)
    equal((after.etag, after.body), (before.etag, before.body), "ETag and document")


@suite.fact
def settings_are_read_back_as_they_were_given():
    path = scene(**MATTER, bodies=[ball("a"), ball("b", None)])
    got = client.get(path).must(200)
    equal({k: got.json[k] for k in MATTER}, MATTER, "settings")
    equal([b["colliders"][0].get("material") for b in got.json["bodies"]], ["steel", None], "materials of colliders")
    client.put(path, got.body).must(200)
    equal(client.get(path).body, got.body, "document put again")
    equal(client.get(path + "/bodies/a").json, got.json["bodies"][0], "body")


@suite.fact
def what_is_not_set_is_not_shown():
    got = client.get(scene(bodies=[ball("a", None)])).json
    equal(sorted(got), ["bodies", "filters", "id"], "members")
    # Zero gravity is a value, not an absent one.
    equal(client.get(scene(gravity=[0, 0, 0])).json["gravity"], [0, 0, 0], "gravity")


@suite.fact
def static_and_dynamic_friction_default_to_each_other():
    materials = {"a": {"staticFriction": 0.5}, "b": {"dynamicFriction": 0.5}, "c": {"staticFriction": 0.5, "dynamicFriction": 0.5},
                 "d": {"staticFriction": 0.5, "dynamicFriction": 0}}
    pairs = [{"a": "a", "b": "b", "dynamicFriction": 0.25}, {"a": "a", "b": "c", "staticFriction": 0}]
    got = client.get(scene(materials=materials, materialPairs=pairs)).json
    equal([got["materials"][k] for k in "abcd"], [{"staticFriction": 0.5}] * 3 + [{"staticFriction": 0.5, "dynamicFriction": 0}],
          "materials")
    equal([p.get("staticFriction") for p in got["materialPairs"]], [0.25, 0], "static friction")


@suite.fact
def a_merge_patch_of_the_settings_changes_what_it_names():
    path = scene(**MATTER, bodies=[ball("a")])
    client.patch(path, {"materials": {"steel": {"restitution": 0.25, "dynamicFriction": None}, "rubber": {"staticFriction": 1}}}).must(200)
    got = client.get(path).json
    steel = {**STEEL, "restitution": 0.25}
    del steel["dynamicFriction"]
    equal(got["materials"], {**MATERIALS, "steel": steel, "rubber": {"staticFriction": 1}}, "materials")
    holds(got, {"gravity": MATTER["gravity"], "materialPairs": PAIRS})
    client.patch(path, {"gravity": None, "materialPairs": None}).must(200)
    equal(sorted(client.get(path).json), ["bodies", "filters", "id", "materials"], "members")
    client.patch(path, {"user": 1}).must(200)
    equal(client.get(path).json["materials"], got["materials"], "materials after a patch of something else")


@suite.fact
def a_material_that_a_collider_names_cannot_be_removed():
    path = scene(materials=MATERIALS, bodies=[ball("a", "ice"), ball("b")])
    for patch in ({"materials": {"steel": None}}, {"materials": None}):
        unchanged(path, lambda p=patch: client.patch(path, p).problem(409, "material-in-use", "/materials"))
    detail = client.patch(path, {"materials": {"steel": None}}).json["detail"]
    check('"b"' in detail and '"steel"' in detail and "0" in detail, f"detail {detail!r} names body, collider and material")
    client.patch(path + "/bodies/b", {"colliders": [{"sphere": {"radius": 1}}]}).must(200)
    client.patch(path, {"materials": {"steel": None}}).must(200)
    # A PUT may replace the whole scene, the materials together with the bodies that name them.
    client.put(path, {"bodies": []}).must(200)


@suite.fact
def a_pair_cannot_lose_its_material():
    path = scene(**MATTER)
    unchanged(path, lambda: client.patch(path, {"materials": {"ice": None}}).problem(422, "unknown-id", "/materialPairs/0/a"))


WRITES = (("POST", "/bodies", [ball("x"), ball("y", "wood")], None, "/1/colliders/0/material"),
          ("POST", "/bodies", ndjson([ball("x"), ball("y", "wood")]), NDJSON, "/1/colliders/0/material"),
          ("PUT", "/bodies/x", ball("x", "wood"), None, "/colliders/0/material"),
          ("PUT", "/bodies/a", {"colliders": ball("x")["colliders"] + ball("x", "wood")["colliders"]}, None, "/colliders/1/material"),
          ("PATCH", "/bodies/a", {"colliders": ball("a", "wood")["colliders"]}, None, "/colliders/0/material"),
          ("PATCH", "/bodies", [{"id": "a", "colliders": ball("a", "wood")["colliders"]}], None, "/0/colliders/0/material"),
          ("PATCH", "/bodies", ndjson([{"id": "a", "colliders": ball("a", "wood")["colliders"]}]), NDJSON, "/0/colliders/0/material"),
          ("PUT", "", {"materials": MATERIALS, "bodies": [ball("x"), ball("a", "wood")]}, None, "/bodies/1/colliders/0/material"),
          ("PUT", "", {"bodies": [ball("x")]}, None, "/bodies/0/colliders/0/material"))


@suite.fact
def every_write_of_a_body_checks_its_material():
    path = scene(**MATTER, bodies=[ball("a")])
    for method, where, body, kind, pointer in WRITES:
        rest = {"content_type": kind} if kind else {}
        unchanged(path, lambda: client.request(method, path + where, body, **rest).problem(422, "unknown-id", pointer))
    client.post(path + "/bodies", ndjson([ball("x", "ice"), ball("y", "default")]), content_type=NDJSON).must(201)


@suite.fact
def inline_scenes_have_materials_and_stateless_pairs_have_none():
    inline = {"materials": MATERIALS, "gravity": [0, 0, 0], "bodies": [ball("a"), ball("b", "ice")]}
    client.post("/v1/query/overlap", {"scene": inline}).must(200)
    inline["bodies"][1] = ball("b", "wood")
    client.post("/v1/query/overlap", {"scene": inline}).problem(422, "unknown-id", "/scene/bodies/1/colliders/0/material")
    short = {"sphere": {"radius": 1}}
    client.post("/v1/query/distance", {"a": short, "b": {**short, "material": "steel"}}).problem(422, "unknown-id", "/b/material")
    client.post("/v1/query/distance", {"a": ball("a"), "b": short}).problem(422, "unknown-id", "/a/colliders/0/material")
    client.post("/v1/query/region", {"scene": inline | {"bodies": []}, "region": {**short, "material": "steel"}}) \
        .problem(422, "conflicting-members", "/region/material")


@suite.fact
def kinematic_bodies_have_accelerations():
    motion = {"isKinematic": True, "linearVelocity": [1, 0, 0], "linearAcceleration": [0, 0, 2], "angularAcceleration": [3, 0, 0]}
    path = scene(bodies=[ball("lift", None, motion=motion)])
    equal(client.get(path + "/bodies/lift").json["motion"], motion, "motion")
    client.patch(path + "/bodies/lift", {"motion": {"angularAcceleration": None}}).must(200)
    del motion["angularAcceleration"]
    equal(client.get(path + "/bodies/lift").json["motion"], motion, "motion patched")
    client.patch(path + "/bodies/lift", {"motion": {"linearAcceleration": [0, 0, 0]}}).must(200)
    del motion["linearAcceleration"]
    equal(client.get(path + "/bodies/lift").json["motion"], motion, "motion without an acceleration")


# ---- bad input -----------------------------------------------------------------------------------------------------------

def of_material(**values):
    return {"materials": {"steel": values}}


def of_pair(**values):
    return {"materialPairs": [{"a": "steel", "b": "ice", **values}]}


BOTH = [{"a": "ice", "b": "steel"}, {"a": "steel", "b": "ice", "restitution": 1}]
DYNAMIC = {"mass": 1, "linearAcceleration": [0, 0, 1]}
STEEL_AT, PAIR_AT = "/materials/steel/", "/materialPairs/0/"
BAD = [("out-of-range", of_material(staticFriction=-0.1), STEEL_AT + "staticFriction"),
       ("out-of-range", of_material(staticFriction=1001), STEEL_AT + "staticFriction"),
       ("out-of-range", of_material(dynamicFriction=-1e-300), STEEL_AT + "dynamicFriction"),
       ("out-of-range", of_material(staticFriction=0.2, dynamicFriction=0.3), STEEL_AT + "dynamicFriction"),
       ("out-of-range", of_material(restitution=1.0000001), STEEL_AT + "restitution"),
       ("out-of-range", of_material(restitution=-1), STEEL_AT + "restitution"),
       ("out-of-range", of_material(rollingFriction=-1), STEEL_AT + "rollingFriction"),
       ("out-of-range", of_material(youngsModulus=0), STEEL_AT + "youngsModulus"),
       ("out-of-range", of_material(youngsModulus=2e15), STEEL_AT + "youngsModulus"),
       ("out-of-range", of_material(poissonRatio=0), STEEL_AT + "poissonRatio"),
       ("out-of-range", of_material(poissonRatio=1), STEEL_AT + "poissonRatio"),
       ("wrong-type", of_material(staticFriction="0.5"), STEEL_AT + "staticFriction"),
       ("wrong-type", of_material(restitution=[0.5]), STEEL_AT + "restitution"),
       ("unknown-member", of_material(friction=0.5), STEEL_AT + "friction"),
       ("wrong-type", {"materials": {"steel": 0.5}}, "/materials/steel"),
       ("wrong-type", {"materials": []}, "/materials"),
       ("bad-value", {"materials": {"..": {}}}, "/materials/.."),
       ("bad-value", {"materials": {"": {}}}, "/materials/"),
       ("limit-exceeded", {"materials": {f"m{i}": {} for i in range(4097)}}, "/materials"),
       ("out-of-range", of_pair(staticFriction=-1), PAIR_AT + "staticFriction"),
       ("out-of-range", of_pair(staticFriction=0.1, dynamicFriction=0.2), PAIR_AT + "dynamicFriction"),
       ("out-of-range", of_pair(restitution=2), PAIR_AT + "restitution"),
       ("wrong-type", of_pair(restitution=True), PAIR_AT + "restitution"),
       ("unknown-member", of_pair(youngsModulus=1), PAIR_AT + "youngsModulus"),
       ("unknown-id", {"materialPairs": [{"a": "steel", "b": "wood"}]}, PAIR_AT + "b"),
       ("missing-member", {"materialPairs": [{"a": "steel"}]}, PAIR_AT + "b"),
       ("bad-value", {"materialPairs": [{"a": "steel", "b": "a\x7fb"}]}, PAIR_AT + "b"),
       ("duplicate-id", {"materialPairs": BOTH}, "/materialPairs/1"),
       ("duplicate-id", {"materialPairs": [{"a": "ice", "b": "ice"}] * 2}, "/materialPairs/1"),
       ("wrong-type", {"materialPairs": {"a": "ice"}}, "/materialPairs"),
       ("wrong-type", {"gravity": [0, 0]}, "/gravity"), ("wrong-type", {"gravity": [0, 0, -9.81, 0]}, "/gravity"),
       ("wrong-type", {"gravity": -9.81}, "/gravity"), ("wrong-type", {"gravity": [0, 0, "-9.81"]}, "/gravity/2"),
       ("out-of-range", {"gravity": [0, 1.1e6, 0]}, "/gravity/1")]
BODY = [("conflicting-members", DYNAMIC, "/motion/linearAcceleration"),
        ("conflicting-members", {"mass": 1, "angularAcceleration": [0, 0, 0]}, "/motion/angularAcceleration"),
        ("wrong-type", {"isKinematic": True, "linearAcceleration": [0, 1]}, "/motion/linearAcceleration"),
        ("out-of-range", {"isKinematic": True, "angularAcceleration": [0, 0, -2e9]}, "/motion/angularAcceleration/2")]
VICTIM = scene(materials=MATERIALS, bodies=[ball("a", "default", motion={"mass": 1})])


def refused(method, path, body, problem, pointer):
    unchanged(VICTIM, lambda: client.request(method, path, body).problem(422, problem, pointer))


def bad_rows():
    for problem, patch, pointer in BAD:
        name = f"{problem}: {str(patch)[:80]}"
        yield "a patch, " + name, lambda p=problem, b=patch, at=pointer: refused("PATCH", VICTIM, b, p, at)
        whole = {"bodies": [], "materials": MATERIALS, **patch}
        yield "a scene, " + name, lambda p=problem, b=whole, at=pointer: refused("PUT", VICTIM, b, p, at)
    for problem, motion, pointer in BODY:
        body = ball("x", None, motion=motion)
        yield f"a body, {problem}: {motion}", lambda p=problem, b=body, at=pointer: refused("PUT", VICTIM + "/bodies/x", b, p, at)
    for name, material in (("a number", 1), ("a list", ["steel"])):
        body = {"colliders": [{"sphere": {"radius": 1}, "material": material}]}
        yield f"{name} as a material", lambda b=body: refused("PUT", VICTIM + "/bodies/x", b, "wrong-type", "/colliders/0/material")
    for text, status, problem in (("NaN", 400, "malformed-json"), ("Infinity", 400, "malformed-json"),
                                  ("-Infinity", 400, "malformed-json"), ("1e999", 422, "out-of-range")):
        whole = '{"materials": {"steel": {"staticFriction": %s}}}' % text
        yield f"friction {text}", lambda b=whole, s=status, p=problem: unchanged(VICTIM, lambda: client.patch(VICTIM, b).problem(s, p))


suite.table("bad input", bad_rows())

suite.main()
