"""Requests with more errors than are reported: reading stops at the last reported error, the rest is not evaluated,
and nothing is written."""
from support.checks import Suite, check, equal
from support.client import KeepAlive
from support.daemon import Daemon

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)
SCENE, EMPTY, TOLD = "/v1/scenes/victim", "/v1/scenes/empty", 20
BALL = [{"sphere": {"radius": 0.5}}]
client.put(SCENE, {"bodies": [{"id": name, "position": [0, 0, z], "colliders": BALL, "motion": {"mass": 1}} for z, name in enumerate("abc")],
                   "materials": {"steel": {"staticFriction": 0.5}}}).must(201)
client.put(EMPTY, {"bodies": []}).must(201)

USED = {"M": [[-1e300] * 40] * 40, "q": [-1e300] * 40}  # numbers that remain in the memory that the next request gets
WRONG = {"a": {"ids": [f"nobody{i}" for i in range(30)]}}  # a fault before all other members
POSES = {"ids": ["c", "a"], "positions": [[0, 0, 1], [0, 0, 2]], "linearVelocities": [[0, 0, 1], [0, 0, 2]]}
POINTS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
PLANES = [[1, 0, 0, -1], [-1, 0, 0, -1], [0, 1, 0, -1], [0, -1, 0, -1], [0, 0, 1, -1], [0, 0, -1, -1]]
SHAPES = [{"convex": {"vertices": POINTS, "surfaceIds": [1, 2, 3, 4]}}, {"convex": {"planes": PLANES}},
          {"mesh": {"vertices": POINTS, "triangles": [[0, 1, 2], [0, 2, 3]], "normals": POINTS}},
          {"tetmesh": {"vertices": POINTS, "tetrahedra": [[0, 1, 2, 3]], "surfaceIds": [1, 2, 3, 4]}}]
MOVED = {"duration": 1, "poses": POSES, "motions": [{"id": "a", "twist": {"linearVelocity": [0, 0, 1]}}]}
GIVEN = [{"a": "a", "b": "b", "position": [0, 0, 0], "normal": [0, 0, 1]}] * 3
ASKED = {"distance": {"variants": [POSES, POSES]}, "contacts": {"poses": POSES}, "compliantForces": {"poses": POSES}, "impulse": {"poses": POSES},
         "restingForces": {"contacts": GIVEN, "loads": [{"body": "a", "force": [0, 0, 1]}] * 3, "poses": POSES}, "sweep": MOVED, "timeline": MOVED}
PAIRS = [{"a": "a", "b": "b", "collide": False}] * 3


def scene(**more):
    bad = {"id": "bad", "colliders": [{"box": {"size": "large"}}] * 30}
    return {"bodies": [bad, {"id": "mixed", "colliders": BALL * 3 + SHAPES, "groups": ["g", "h"]}], **more}


def names(count=30):
    return [f"n{i}" for i in range(count)]


REQUESTS = [
    *(("POST", f"{where}/query/{kind}", {"where": WRONG, **asked}) for where in (SCENE, EMPTY) for kind, asked in ASKED.items()),
    *(("POST", "/v1/query/distance", {"a": {"box": {"size": 1}, **dict.fromkeys(names())}, "b": shape}) for shape in SHAPES),
    *(("PUT", SCENE, scene(bodies=[{"id": "bad", "colliders": [*[{"box": {"size": 0}}] * 30, shape]}])) for shape in SHAPES),
    ("PUT", SCENE, scene(materials={"steel": {}}, materialPairs=[{"a": "steel", "b": "steel"}] * 3,
                         filters={"groups": {"g": {"notCollideWith": ["g", "h"]}}, "pairs": PAIRS})),
    ("PUT", SCENE, {"materials": {name: {"restitution": 2} for name in names()}, "materialPairs": [{"a": "m0", "b": "m1"}] * 2,
                    "filters": {"groups": {name: {"notCollideWith": "all"} for name in names()}, "pairs": PAIRS},
                    "bodies": [{"id": "a", "colliders": BALL}]}),
    ("PATCH", SCENE + "/poses", {"ids": [1] * 30, "positions": [[0, 0, 0]] * 30, "linearVelocities": [[0, 0, 1]] * 30}),
    ("PATCH", SCENE + "/poses", {"ids": names(), "positions": [["far"] * 3] * 30, "rotations": [[0, 0, 0, 1]] * 30}),
    ("PATCH", SCENE + "/bodies", [{"id": name, "position": [0, 0, 1]} for name in names()] + [{"id": "a", "colliders": SHAPES}]),
    ("POST", SCENE + "/advance", {"duration": 1, "gravity": "down", "loads": [{"body": name, "force": [0, 0, 1]} for name in names()]}),
    ("POST", "/v1/query/raycast", {"scene": scene(), "rays": [{"origin": [0, 0, 0], "direction": [0, 0, 1]}] * 3}),
    ("POST", "/v1/query/nearest", {"scene": scene(), "points": [[0, 0, 0]] * 3, "poses": POSES}),
    ("POST", "/v1/query/pairs", {"boxes": [[1, 1, 1, 0, 0, 0]] * 30, "frames": [[[0, 0, 0, 1, 1, 1]] * 30] * 2}),
    ("POST", "/v1/solve/lcp", {"M": [["x"] * 30] * 30, "q": [1] * 30, "method": "pgs", "start": [1] * 30}),
    ("POST", "/v1/solve/lcp", {"M": {"n": 30, "rows": [99] * 30, "cols": list(range(30)), "values": [1] * 30}, "q": [1] * 30}),
    ("POST", "/v1/solve/friction", {"W": [["x"] * 30] * 30, "q": [1] * 30, "mu": [0.5] * 10}),
]


def reports_the_maximum_number_of_errors(method, path, body):
    before = client.get(SCENE)
    client.post("/v1/solve/lcp", USED)
    reply = client.request(method, path, body).must(422)
    equal(len(reply.json["errors"]), TOLD, "errors told")
    check(reply.json["errors"][0]["pointer"], "the first has no pointer")
    equal(client.get(SCENE).body, before.body, "the scene")


suite.table("request", ((f"{k}: {method} {path}", lambda m=method, p=path, b=body: reports_the_maximum_number_of_errors(m, p, b))
                        for k, (method, path, body) in enumerate(REQUESTS)))
suite.main()
