"""Times of impact of the reference corpus (toi_* of dynamics.jsonl) through the HTTP API: times, normals and points to 1e-10.

A rod of radius 0 is a convex body with the rod's two ends as vertices, the others well above the plane while it turns.
"""
import math

from support import corpus
from support.checks import Suite, check, equal, near, near_list
from support.client import KeepAlive
from support.daemon import Daemon

ALLOWED = 1e-10
CASES = 12
suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)


def ball(given):
    return {"sphere": {"radius": given["radius"]}}


def block(half):
    return {"box": {"size": [2 * h for h in half]}}


def sweep(a, b, duration, motion_a=None, motion_b=None):
    motions = {**({"motionA": motion_a} if motion_a else {}), **({"motionB": motion_b} if motion_b else {})}
    result = client.post("/v1/query/sweep", {"a": a, "b": b, "duration": duration, **motions}).must(200).json["results"][0]
    equal(result["event"], "contact", "event")
    return result


def moving(velocity):
    return {"twist": {"linearVelocity": velocity}}


def holds_time(result, time):
    near(result["time"], time, ALLOWED * max(1, time), "time")
    slack = 1e-12 * max(1, time)  # precision of the reference's digits
    check(result["lowerTime"] <= time + slack and time - slack <= result["upperTime"], "the bracket does not hold the time")


def two_spheres(given, expect):
    a, b = ({**ball(given[k]["shape"]), "position": given[k]["position"]} for k in "ab")
    result = sweep(a, b, 10, moving(given["a"]["velocity"]), moving(given["b"]["velocity"]))
    holds_time(result, expect["time"])
    near_list(result["normal"], expect["normal"], ALLOWED, "normal")
    near_list(result["position"], expect["point"], ALLOWED, "point")


def sphere_and_box(given, expect):
    sphere = {**ball(given["sphere"]["shape"]), "position": given["sphere"]["position"]}
    result = sweep(block(given["box"]["shape"]["half_extents"]), sphere, 10, None, moving(given["sphere"]["velocity"]))
    holds_time(result, expect["time"])
    near_list(result["normal"], expect["normal_box_to_sphere"], ALLOWED, "normal")
    near_list(result["pointA"], expect["point"], ALLOWED, "point")


def rod(given, expect):
    half = given["half_length"]
    convex = {"convex": {"vertices": [[-half, 0, 0], [half, 0, 0], [0, half / 4, half / 2], [0, -half / 4, half / 2]]},
              "position": [0, 0, given["centre_height"]]}
    result = sweep({"plane": {}}, convex, 3, None, {"twist": {"angularVelocity": given["angular_velocity"]}})
    holds_time(result, expect["time"])
    near_list(result["normal"], [0, 0, 1], ALLOWED, "normal")
    near_list(result["pointB"], [half * math.cos(expect["angle"]), 0, 0], ALLOWED, "the rod's end")


def two_boxes(given, expect):
    a, b = ({**block(given[k]["half_extents"]), "position": given[k]["position"]} for k in "ab")
    result = sweep(a, b, 10, moving(given["a"]["velocity"]), moving(given["b"]["velocity"]))
    holds_time(result, expect["time"])
    near_list(result["normal"], expect["normal"], ALLOWED, "normal")


def incline(given, expect):
    angle = given["angle"]
    plane = {"plane": {}, "rotation": [0, -math.sin(angle / 2), 0, math.cos(angle / 2)]}
    sphere = {**ball(given), "position": [0, 0, given["height"]]}
    result = sweep(plane, sphere, 5, None, {"ballistic": {"linearAcceleration": [0, 0, -given["gravity"]]}})
    holds_time(result, expect["impact_time"])
    near_list(result["normal"], [-math.sin(angle), 0, math.cos(angle)], ALLOWED, "normal")
    near(-result["normalVelocity"], expect["normal_speed"], ALLOWED * expect["normal_speed"], "normal speed")
    across = [v - result["normalVelocity"] * n for v, n in zip(result["relativeVelocity"], result["normal"])]
    near(math.hypot(*across), expect["tangential_speed"], ALLOWED * expect["tangential_speed"], "tangential speed")


HOW = {"toi_sphere_sphere": two_spheres, "toi_sphere_box_face": sphere_and_box, "toi_sphere_box_edge": sphere_and_box,
       "toi_sphere_box_corner": sphere_and_box, "toi_rotating_rod": rod, "toi_box_box": two_boxes, "toi_sphere_incline_gravity": incline}


def look_at(case):
    HOW[case["kind"]](case["given"], case["expect"])


path = corpus.folder() / "dynamics.jsonl"
cases = [case for case in corpus.lines(path) if case["kind"].startswith("toi_")] if path.exists() else []
suite.table("case", ((f"{case['id']} {case['kind']}", lambda case=case: look_at(case)) for case in cases))
if len(cases) < CASES:
    print(f"{CASES - len(cases)} cases of the full corpus are not here (CONTACTD_CORPUS)")
    suite.add(skipped=CASES - len(cases))
suite.main()
