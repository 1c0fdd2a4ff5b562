"""The gradient of the distance by curl: against slopes by finite differences of hypothetical poses, rotations about
a body's own origin, and pairs without a gradient."""
import math

from support.checks import Suite, check, equal, holds, near, near_list
from support.client import Curl
from support.daemon import Daemon

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = Curl(daemon)
STEP = 1e-4
PATH = "/v1/scenes/arm"
START = {"arm": [0.25, -0.5, 1.0], "post": [2.0, 0.25, 0.5]}
TURNS = {"arm": [0.1, 0.2, 0.3], "post": [0.4, -0.2, 0.1]}
PAIR = {"pairs": [["arm", "post"]], "include": ["gradient"]}


def rotation(rpy):
    """Rz Ry Rx as [x, y, z, w]."""
    (sx, cx), (sy, cy), (sz, cz) = ((math.sin(a / 2), math.cos(a / 2)) for a in rpy)
    return [sx * cy * cz - cx * sy * sz, cx * sy * cz + sx * cy * sz, cx * cy * sz - sx * sy * cz, cx * cy * cz + sx * sy * sz]


def turned(q, axis, angle):
    """The rotation q followed by one about a world axis."""
    v, w = [math.sin(angle / 2) if k == axis else 0.0 for k in range(3)], math.cos(angle / 2)
    return [w * q[0] + v[0] * q[3] + v[1] * q[2] - v[2] * q[1], w * q[1] - v[0] * q[2] + v[1] * q[3] + v[2] * q[0],
            w * q[2] + v[0] * q[1] - v[1] * q[0] + v[2] * q[3], w * q[3] - v[0] * q[0] - v[1] * q[1] - v[2] * q[2]]


def bodies():
    arm = {"id": "arm", "colliders": [{"capsule": {"radius": 0.1, "height": 0.8}, "position": [0.5, 0, 0], "rpy": [0, 1.2, 0.3]},
                                      {"sphere": {"radius": 0.2}, "position": [-1, 0, 0]}]}
    post = {"id": "post", "colliders": [{"box": {"size": [0.5, 0.75, 1]}, "position": [0, 0, 0.25], "rpy": [0.2, 0.1, 0.4]}]}
    return [{**body, "position": START[body["id"]], "rotation": rotation(TURNS[body["id"]])} for body in (arm, post)]


client.put(PATH, {"bodies": bodies()}).must(201)


def ask(request):
    return client.post(f"{PATH}/query/distance", request).must(200).json["results"]


def slopes(position=None):
    """The gradient by central differences, from one query of 24 variants; `position`: that of the arm."""
    at = {**START, **({"arm": position} if position else {})}
    base, variants = {"ids": list(at), "positions": list(at.values())}, []
    for name in at:
        for axis in range(3):
            for step in (STEP, -STEP):
                moved = [x + (step if k == axis else 0) for k, x in enumerate(at[name])]
                variants.append({"ids": [name], "positions": [moved]})
        for axis in range(3):
            for step in (STEP, -STEP):
                variants.append({"ids": [name], "positions": [at[name]], "rotations": [turned(rotation(TURNS[name]), axis, step)]})
    answers = ask({**PAIR, "poses": base, "variants": variants})
    check(all("gradient" in answer["results"][0] for answer in answers), "a variant without gradient")
    d = [answer["results"][0]["distance"] for answer in answers]
    values = [(d[i] - d[i + 1]) / (2 * STEP) for i in range(0, len(d), 2)]
    return {"a": {"translation": values[0:3], "rotation": values[3:6]}, "b": {"translation": values[6:9], "rotation": values[9:12]}}


def agree(gradient, expected):
    for body in "ab":
        for part in ("translation", "rotation"):
            near_list(gradient[body][part], expected[body][part], 1e-6, f"{part} of {body}")


@suite.fact
def the_gradient_is_the_slope_of_the_distance_of_separated_bodies():
    result = ask(PAIR)[0]
    check(result["distance"] > 0.1, "they are apart")
    agree(result["gradient"], slopes())
    near_list(result["gradient"]["b"]["translation"], result["normal"], 0, "translation of b")


@suite.fact
def the_gradient_is_the_slope_of_the_depth_of_overlapping_bodies():
    position = [1.6, 0.1, 0.7]
    result = ask({**PAIR, "poses": {"ids": ["arm"], "positions": [position]}})[0]
    check(result["distance"] < -0.01, f"they overlap: {result['distance']}")
    agree(result["gradient"], slopes(position))


@suite.fact
def the_gradient_is_reported_only_if_included():
    check("gradient" not in ask({"pairs": [["arm", "post"]]})[0], "nobody asked for a gradient")
    equal(ask({"pairs": [["arm", "post"]], "include": []}), ask({"pairs": [["arm", "post"]]}), "answer to an empty include")


@suite.fact
def the_gradient_is_the_same_without_a_scene():
    arm, post = bodies()
    del arm["colliders"][1]
    given = client.post("/v1/query/distance", {"a": arm, "b": post, "include": ["gradient"]}).must(200).json["results"][0]
    agree(given["gradient"], ask(PAIR)[0]["gradient"])
    lever = {"a": {"plane": {}}, "b": {"id": "b", "position": [-2, 0, 0], "colliders": [
        {"sphere": {"radius": 0.5}, "position": [2, 0, 2]}]}, "include": ["gradient"]}
    holds(client.post("/v1/query/distance", lever).must(200).json["results"][0],
          {"distance": 1.5, "gradient": {"b": {"translation": [0, 0, 1], "rotation": [0, -2, 0]},
                                         "a": {"translation": [0, 0, -1], "rotation": [0, 0, 0]}}})


@suite.fact
def an_arbitrary_normal_has_no_gradient():
    twins = {"a": {"sphere": {"radius": 1}}, "b": {"sphere": {"radius": 1}}, "include": ["gradient"]}
    result = client.post("/v1/query/distance", twins).must(200).json["results"][0]
    equal(result["flags"], ["normalArbitrary"], "flags")
    check("gradient" not in result, "a kink has no gradient")
    near(result["distance"], -2, 0, "depth")


@suite.fact
def a_depth_that_is_not_minimal_has_no_gradient():
    tetrahedron = {"vertices": [[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2]], "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]}
    for solid, kind in ((True, "feature"), (False, "none")):
        asked = {"a": {"capsule": {"radiusBottom": 1, "radiusTop": 1.5, "height": 2}}, "b": {"mesh": {**tetrahedron, "solid": solid}},
                 "include": ["gradient"]}
        result = client.post("/v1/query/distance", asked).must(200).json["results"][0]
        holds(result, {"relation": "penetrating", "depthKind": kind})
        check("gradient" not in result, f"{kind} has no gradient")
        client.post("/v1/query/contacts", {"a": asked["a"], "b": asked["b"]}).must(200)


suite.main()
