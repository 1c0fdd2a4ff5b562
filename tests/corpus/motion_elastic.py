"""Spheres on a half-space by the elastic law (kinds hertz_* of motion_references.jsonl), integrated by `advance` over
HTTP: depth, stiffness and elastic energy at rest; duration, greatest depth and speed of impacts, damped and not."""
import math

from support import corpus
from support.checks import Suite, check, equal, near
from support.client import KeepAlive
from support.daemon import Daemon

ALLOWED = 1e-8
DAMPING_MAX = 2000  # s/m, the default
CASES = 10
suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)
FLOOR = {"id": "floor", "colliders": [{"plane": {}}]}


def close(actual, expected, what):
    near(actual / expected, 1, ALLOWED, f"{what}, relative")


def ball_above(given, gap, restitution, speed=0):
    path = "/v1/scenes/hertz"
    matter = {"youngsModulus": given["youngs_modulus"], "poissonRatio": given["poisson_ratio"], "restitution": restitution}
    ball = {"id": "ball", "position": [0, 0, given["radius"] + gap], "colliders": [{"sphere": {"radius": given["radius"]}}],
            "motion": {"mass": given["mass"], "linearVelocity": [0, 0, -speed]}}
    client.put(path, {"gravity": [0, 0, -given["gravity"]], "materials": {"default": matter}, "bodies": [FLOOR, ball]})
    return path


def advance(path, duration, **members):
    reply = client.post(f"{path}/advance", {"duration": duration, "mode": "eventCompliant", **members}).must(200).json
    equal(reply["notConverged"], 0, "steps above the tolerance")
    return reply


def settling_time(given, values):
    """In which the slower mode of x'' + damping g x' + (stiffness / m) x = 0 decays by e^-25."""
    half, square = DAMPING_MAX * given["gravity"] / 2, values["stiffness dF/dd at rest"] / given["mass"]
    return 25 / (half if half * half < square else square / (half + math.sqrt(half * half - square)))


def check_rest(given, values):
    """From contact without depth; the approach speed is 0, so the damping is the greatest."""
    path = ball_above(given, 0, 0)
    depth = advance(path, settling_time(given, values))["penetration"]
    close(depth, values["depth"], "depth")

    def force(height):
        poses = {"ids": ["ball"], "positions": [[0, 0, given["radius"] - height]]}
        return client.post(f"{path}/query/compliantForces", {"poses": poses}).must(200).json["results"][0]["normalForce"]

    def slope(part):
        return (force(depth * (1 + part)) - force(depth * (1 - part))) / (2 * part * depth)

    close(force(depth), given["mass"] * given["gravity"], "force")
    close((4 * slope(0.01) - slope(0.02)) / 3, values["stiffness dF/dd at rest"], "stiffness")
    close(0.4 * force(depth) * depth, values["elastic energy"], "elastic energy, 2/5 of force times depth")


def undamped_duration(given):
    """Of Hertz' impact: 2.943 d / v with the greatest depth d = (5 m v^2 / (4 k))^(2/5)."""
    stiffness = 2 / 3 * given["youngs_modulus"] / (1 - given["poisson_ratio"] ** 2) * math.sqrt(given["radius"])
    return 2.943 * (1.25 * given["mass"] * given["speed"] ** 2 / stiffness) ** 0.4 / given["speed"]


def check_impact(given, values, restitution):
    gap, speed = 1e-3, given["speed"]
    path = ball_above(given, gap, restitution, speed)
    reply = advance(path, gap / speed + 2 * undamped_duration(given), timeStep=0.01, include=["events"])
    began, ended = reply["eventList"]
    equal([began["event"], ended["event"]], ["began", "ended"], "events")
    close(began["time"], gap / speed, "begin")
    close(ended["normalVelocity"], values["speed after"], "speed after")
    if "contact time" not in values:
        return
    close(ended["time"] - began["time"], values["contact time"], "duration")
    path = ball_above(given, gap, restitution, speed)
    close(advance(path, gap / speed + values["contact time"] / 2)["penetration"], values["greatest depth"], "greatest depth")


def check_case(case):
    values = {expect["quantity"]: expect["value"] for expect in case["expect"]}
    given = case["given"]
    if case["kind"] == "hertz_rest":
        check_rest(given, values)
    else:
        check_impact(given, values, given.get("cor", 1))


path = corpus.folder() / "motion_references.jsonl"
cases = [case for case in corpus.lines(path) if case["kind"].startswith("hertz_")] if path.exists() else []
suite.table("case", ((f"{case['id']} {case['kind']}", lambda case=case: check_case(case)) for case in cases))


if path.exists():
    @suite.fact
    def every_case_of_the_corpus_is_here():
        equal(len(cases), CASES, "cases")
else:
    print(f"{CASES} cases of the full corpus are not here (CONTACTD_CORPUS)")
    suite.add(skipped=CASES)
suite.main()
