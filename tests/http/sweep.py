"""Times of impact of moving bodies: sweeps and timelines by curl. Closed forms (T8.1, T8.2, T8.6), simultaneous
events, selections, start poses, default motions, two bodies without a scene, paging, batches."""
import math
import os
import random

from support.checks import Suite, check, equal, holds, near, near_list
from support.client import Curl, KeepAlive
from support.daemon import Daemon

suite = Suite()
daemon = Daemon("--workers", "2").start()
suite.cleanup(daemon.stop)
client = Curl(daemon)
numbers = iter(range(1000))
GRAVITY = {"linearAcceleration": [0, 0, -9.81]}


def ball(name, position, radius=0.5, **rest):
    return {"id": name, "position": position, "colliders": [{"sphere": {"radius": radius}}], **rest}


def box(name, position, size, **rest):
    return {"id": name, "position": position, "colliders": [{"box": {"size": size}}], **rest}


def floor():
    return {"id": "floor", "colliders": [{"plane": {}}]}


def scene(bodies, **settings):
    path = f"/v1/scenes/m{next(numbers)}"
    client.put(path, {"bodies": list(bodies), **settings}).must(201)
    return path


def ask(path, kind, request):
    return client.post(f"{path}/query/{kind}", request).must(200).json


def free(kind, request):
    return client.post(f"/v1/query/{kind}", request).must(200).json


def twist(linear=None, angular=None):
    return {"twist": {**({"linearVelocity": linear} if linear else {}), **({"angularVelocity": angular} if angular else {})}}


def one(reply):
    equal(reply["count"], 1, "results")
    return reply["results"][0]


def bracketed(result, time, tolerance=1e-12):
    near(result["time"], time, tolerance * max(1, time), "time")
    check(result["lowerTime"] <= time * (1 + 1e-15) and time * (1 - 1e-15) <= result["upperTime"],
          f"{time!r} is not in [{result['lowerTime']!r}, {result['upperTime']!r}]")
    check(result["upperTime"] - result["lowerTime"] <= 1e-9, "the bracket is wide")


# ---- sweeps -------------------------------------------------------------------------------------------------------------------


@suite.fact
def two_balls_collide_at_the_time_of_the_closed_form():
    """T8.1"""
    for offset, time in ((0, 1.5), (1, (5 - math.sqrt(3)) / 2)):
        request = {"a": {"sphere": {"radius": 1}}, "b": {"sphere": {"radius": 1}, "position": [5, offset, 0]}, "duration": 4,
                   "motionA": twist([1, 0, 0]), "motionB": twist([-1, 0, 0])}
        result = one(free("sweep", request))
        equal((result["a"], result["b"], result["event"], result["status"]), ("a", "b", "contact", "ok"))
        bracketed(result, time)
        normal = [(5 - 2 * time) / 2, offset / 2, 0]
        near_list(result["normal"], normal, 1e-11, "normal")
        near(result["distance"], 0, 1e-12, "distance")
        near_list(result["position"], [time + normal[0], normal[1], 0], 1e-11, "position")
        near_list(result["relativeVelocity"], [-2, 0, 0], 1e-15, "relative velocity")
        near(result["normalVelocity"], -2 * normal[0], 1e-11, "normal velocity")
        check(result["freeUntil"] <= time and result["freeUntil"] >= time - 1e-9, "free until the contact")
    request["b"]["position"] = [5, 2.001, 0]
    apart = one(free("sweep", request))
    holds(apart, {"event": "none", "freeUntil": 4, "status": "ok"})
    check("time" not in apart and "normal" not in apart, "a contact is told of what never meets")
    request["b"]["position"] = [5, 2, 0]
    graze = one(free("sweep", request))
    holds(graze, {"event": "none", "flags": ["graze"], "status": "ok"})
    near(graze["grazeTime"], 2.5, 1e-6, "when they graze")
    near(graze["grazeDistance"], 0, 1e-12, "distance then")
    equal(free("timeline", request)["results"], [], "changes of what grazes")
    listed = {**{k: v for k, v in request.items() if k not in ("motionA", "motionB")}, "motions": [{"id": "a", **twist([1, 0, 0])}], "poses": {"ids": []}}
    for kind in ("sweep", "timeline"):
        errors = client.post(f"/v1/query/{kind}", listed).must(422).json["errors"]
        equal({e["pointer"]: e["detail"] for e in errors},
              {"/motions": '"motions" cannot be combined with a and b: use motionA and motionB.',
               "/poses": '"poses" cannot be combined with a and b.'}, "faults")


@suite.fact
def a_ball_falls_for_the_root_of_two_heights_over_g():
    """T8.2, T8.4, row 38"""
    path = scene([floor(), ball("ball", [0, 0, 1.1], 0.1, motion={"mass": 1})])
    motions = [{"id": "ball", "ballistic": GRAVITY}]
    result = one(ask(path, "sweep", {"duration": 1, "motions": motions}))
    bracketed(result, math.sqrt(2 / 9.81))
    near(result["normalVelocity"], -4.4294469180700204, 1e-11, "normal velocity")
    equal((result["a"], result["b"], result["normal"]), ("floor", "ball", [0, 0, 1]))
    halved = one(ask(path, "sweep", {"duration": 1, "motions": motions, "method": "bisection"}))
    near(halved["time"], math.sqrt(2 / 9.81), 1e-12, "by bisection")
    rough = one(ask(path, "sweep", {"duration": 1, "motions": motions, "method": "bisection", "distanceTolerance": 1e-6}))
    check(abs(rough["time"] - math.sqrt(2 / 9.81)) <= 1e-6 / 4.42, "off by no more than the distance over the speed")
    up = {"id": "ball", "ballistic": {"linearVelocity": [0, 0, 2], **GRAVITY}}
    bracketed(one(ask(path, "sweep", {"duration": 2, "motions": [up]})), (2 + math.sqrt(4 + 2 * 9.81)) / 9.81)


@suite.fact
def a_ball_does_not_fly_through_a_thin_plate():
    """T8.6"""
    path = scene([box("plate", [0, 0, 0], [0.01, 2, 2]), ball("ball", [-0.5, 0, 0], 0.05)])
    request = {"duration": 0.01, "motions": [{"id": "ball", **twist([100, 0, 0])}]}
    bracketed(one(ask(path, "sweep", request)), 0.00445)
    equal(ask(path, "sweep", {**request, "method": "bisection"})["results"], [], "by bisection, which looks at the ends")
    changes = ask(path, "timeline", request)
    equal([(c["event"], c["a"], c["b"]) for c in changes["results"]], [("began", "plate", "ball"), ("ended", "plate", "ball")], "changes")
    for change, time, normal in zip(changes["results"], (0.00445, 0.00555), (-1, 1)):
        bracketed(change, time)
        near_list(change["normal"], [normal, 0, 0], 1e-9, "normal")
        near(change["normalVelocity"], normal * 100, 1e-7, "normal velocity")
    equal(changes["initialContacts"], [], "in contact at the start")


@suite.fact
def a_twist_is_about_the_centre_of_mass_or_the_origin():
    """The rod has its origin at its end: about the origin it rotates down to the floor, about its centre it does not
    reach it."""
    rod = {"convex": {"vertices": [[0, 0, 0], [2, 0, 0], [1, 0.1, 0.1], [1, -0.1, 0.1]]}}
    bodies = [floor(), {"id": "rod", "position": [0, 0, 1.5], "colliders": [rod]},
              {"id": "bar", "position": [0, 9, 1.5], "colliders": [rod], "motion": {"mass": 1, "centerOfMass": [1, 0, 0]}}]
    turning = twist(angular=[0, 0.5, 0])
    reply = ask(scene(bodies), "sweep", {"duration": 3, "motions": [{"id": "rod", **turning}, {"id": "bar", **turning}]})
    result = one(reply)
    bracketed(result, 2 * math.asin(0.75))
    near_list(result["position"], [2 * math.sqrt(1 - 0.75 ** 2), 0, 0], 1e-11, "where its end is")


@suite.fact
def a_motion_to_a_pose_is_straight_and_by_the_shortest_arc():
    path = scene([box("wall", [3, 0, 0], [2, 2, 2]), box("bar", [0, 0, 0], [2, 0.2, 0.2])])
    straight = {"duration": 4, "motions": [{"id": "bar", "to": {"position": [4, 0, 0]}}]}
    bracketed(one(ask(path, "sweep", straight)), 1)
    quarter = {"duration": 2, "motions": [{"id": "bar", "to": {"rpy": [0, 0, math.pi / 2]}}], "pairs": [["bar", "wall"]]}
    holds(one(ask(path, "sweep", quarter)), {"event": "none", "a": "bar", "b": "wall"})
    both = {"duration": 2, "motions": [{"id": "bar", "to": {"position": [2, 0, 0], "rpy": [0, 0, math.pi / 2]}}]}
    result = one(ask(path, "sweep", both))

    def reach(t):  # largest x of the bar's corner
        angle = math.pi / 4 * t
        return t + math.cos(angle) + 0.1 * math.sin(angle)
    low, high = 0, 2  # the reach exceeds 2 once
    for unused in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if reach(middle) < 2 else (low, middle)
    bracketed(result, low, 1e-11)


@suite.fact
def a_torque_free_body_rotates_by_its_own_inertia():
    """A symmetric top: its axis precesses about the angular momentum at |L| / I1."""
    moments, spin = [2.0, 2.0, 0.5], [1.0, 0.0, 3.0]
    momentum = [m * w for m, w in zip(moments, spin)]
    size = math.hypot(*momentum)
    about = [v / size for v in momentum]

    top = {"id": "top", "position": [0, 0, 0], "colliders": [{"capsule": {"radius": 0.125, "height": 2}}],
           "motion": {"mass": 1, "inertiaDiagonal": moments}}
    post = {"id": "post", "position": [0.384, -0.64, 0.288], "colliders": [{"sphere": {"radius": 0.25}}]}

    def gap(t):  # of the segment from the post; the axis z rotated about the momentum (Rodrigues)
        angle = size / moments[0] * t
        c, s = math.cos(angle), math.sin(angle)
        axis = [about[0] * about[2] * (1 - c), -about[0] * s, c + about[2] ** 2 * (1 - c)]
        along = max(-1, min(1, sum(u * v for u, v in zip(axis, post["position"]))))
        return math.dist([along * u for u in axis], post["position"]) - 0.375
    times = [k / 4000 for k in range(16001)]
    first = next((t for t in times if gap(t) <= 0), None)
    check(first is not None, "the case does not meet")
    low, high = first - 1 / 4000, first
    for unused in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if gap(middle) > 0 else (low, middle)
    motions = [{"id": "top", "torqueFree": {"angularVelocity": spin}}]
    result = one(ask(scene([post, top]), "sweep", {"duration": 4, "motions": motions}))
    near(result["time"], low, 1e-9, "time")
    # About a principal axis the free rotation is a twist.
    turning = {"angularVelocity": [2, 0, 0], "linearVelocity": [0.75, 0, 0]}
    path = scene([ball("post", [0.5, -0.75, 0.5], 0.25), top])
    one_way, other = (one(ask(path, "sweep", {"duration": 2, "motions": [{"id": "top", form: turning}]})) for form in ("torqueFree", "twist"))
    near(one_way["time"], other["time"], 1e-9, "time")


@suite.fact
def a_torque_free_body_rotates_with_the_given_moments_and_axes():
    """With equal moments the angular velocity is constant for any axes: the answer is that of the twist to the bit."""
    length = math.sqrt(0.3 ** 2 + 0.5 ** 2 + 0.7 ** 2 + 0.1 ** 2)
    axes = [v / length for v in (0.3, 0.5, 0.7, 0.1)]
    bar = {"id": "bar", "position": [0, 0, 0], "colliders": [{"capsule": {"radius": 0.125, "height": 2}}],
           "motion": {"mass": 1, "inertiaDiagonal": [0.7, 0.7, 0.7], "inertiaOrientation": axes}}
    path = scene([ball("post", [0.5, -0.75, 0.5], 0.25), bar])
    turning = {"angularVelocity": [2, 0.3, 0.1], "linearVelocity": [0.1, 0, 0]}
    one_way, other = (one(ask(path, "sweep", {"duration": 2, "motions": [{"id": "bar", form: turning}]})) for form in ("torqueFree", "twist"))
    equal(one_way["event"], "contact", "event")
    equal(one_way, other, "answer")


@suite.fact
def the_limits_of_motions_are_kept():
    shown = {name: row["value"] for name, row in client.get("/v1/limits").must(200).json["fixed"].items()}

    def asked(kind="sweep", duration=1, linear=0, angular=0, acceleration=0, **rest):
        motion = {"linearVelocity": [0, 0, linear], "angularVelocity": [0, 0, angular], "linearAcceleration": [0, 0, acceleration]}
        return client.post(f"/v1/query/{kind}", {"a": {"sphere": {"radius": 1}}, "b": {"sphere": {"radius": 1}, "position": [0, 0, 5]},
                                                 "duration": duration, "motionB": {"ballistic": motion}, **rest})
    short = 1e-9
    for name, most in [("durationMax", lambda v: asked(duration=v)), ("turnMax", lambda v: asked(angular=v)),
                       ("speedMax", lambda v: asked(duration=short, linear=v)), ("accelerationMax", lambda v: asked(duration=short, acceleration=v)),
                       ("impactIterationsMax", lambda v: asked(maxIterations=int(v))),
                       ("timelineChanges", lambda v: asked("timeline", maxChanges=int(v)))]:
        most(shown[name]).must(200)
        most(shown[name] + max(1, shown[name] * 1e-9)).must(422)
    asked(duration=shown["durationMin"]).must(200)
    asked(duration=shown["durationMin"] / 2).must(422)


@suite.fact
def bodies_that_overlap_at_the_start_are_in_initial_contact():
    request = {"a": {"sphere": {"radius": 1}}, "b": {"sphere": {"radius": 1}, "position": [1.5, 0, 0]}, "duration": 1, "motionB": twist([-1, 0, 0])}
    result = one(free("sweep", request))
    holds(result, {"event": "initialContact", "time": 0, "lowerTime": 0, "upperTime": 0, "relation": "penetrating", "depthKind": "minimal"})
    near(result["distance"], -0.5, 1e-14, "distance")
    near(result["normalVelocity"], -1, 1e-14, "normal velocity")


@suite.fact
def a_pair_that_separates_from_an_initial_contact_may_collide_again():
    request = {"a": {"plane": {}}, "b": {"sphere": {"radius": 0.5}, "position": [0, 0, 0.5]}, "duration": 2,
               "motionB": {"ballistic": {"linearVelocity": [0, 0, 4], "linearAcceleration": [0, 0, -8]}}}
    result = one(free("sweep", request))
    bracketed(result, 1)
    equal(result["flags"], ["separatingAtStart"], "flags")
    near(result["normalVelocity"], -4, 1e-9, "normal velocity")


@suite.fact
def earliest_reports_all_pairs_of_the_same_time():
    bodies = [floor()] + [ball(f"b{i}", [3 * i, 0, height], 0.5, motion={"mass": 1}) for i, height in enumerate((2.5, 1.5, 1.5, 1.501, 9))]
    path = scene(bodies)
    request = {"duration": 3, "motions": [{"id": f"b{i}", "ballistic": GRAVITY} for i in range(5)]}
    every = ask(path, "sweep", request)["results"]
    equal([r["b"] for r in every], ["b0", "b1", "b2", "b3", "b4"], "those that fall")
    first = ask(path, "sweep", {**request, "earliest": True})["results"]
    equal(first, [r for r in every if r["b"] in ("b1", "b2")], "the first")
    soon = ask(path, "sweep", {**request, "earliest": True, "timeTolerance": 1e-3})["results"]
    equal([r["b"] for r in soon], ["b1", "b2", "b3"], "within a millisecond")
    pages = paged(path, "sweep", {**request, "earliest": True, "limit": 1})
    equal(pages, first, "page by page")


# ---- selections and times -----------------------------------------------------------------------------------------------------


@suite.fact
def filters_and_where_select_the_pairs_of_a_sweep():
    bodies = [floor(), ball("a", [0, 0, 2], groups=["g"]), ball("b", [0, 0, 4], groups=["g"]), ball("c", [5, 0, 2])]
    path = scene(bodies, filters={"groups": {"g": {"notCollideWith": ["g"]}}, "pairs": [{"a": "floor", "b": "c", "collide": False}]})
    request = {"duration": 10, "motions": [{"id": name, **twist([0, 0, speed])} for name, speed in (("a", -1), ("b", -2), ("c", -1))]}
    equal([(r["a"], r["b"]) for r in ask(path, "sweep", request)["results"]], [("floor", "a"), ("floor", "b")], "pairs")
    sides = {"where": {"a": {"ids": ["b"]}}}
    equal([(r["a"], r["b"]) for r in ask(path, "sweep", {**request, **sides})["results"]], [("floor", "b")], "pairs of b")
    named = ask(path, "sweep", {**request, "pairs": [["c", "floor"], ["a", "b"], ["a", "c"]]})["results"]
    equal([(r["a"], r["b"], r["event"]) for r in named], [("c", "floor", "contact"), ("a", "b", "contact"), ("a", "c", "none")],
          "pairs named, filtered or not")
    near(named[1]["time"], 1, 1e-12, "when b has caught up with a")


@suite.fact
def a_swapped_pair_mirrors_its_sweep():
    path = scene([box("a", [0, 0, 0], [1, 1, 1]), box("b", [3, 0.25, 0.125], [1, 1, 1], rpy=[0.3, 0.2, 0.1])])
    request = {"duration": 5, "motions": [{"id": "b", **twist([-1, 0, 0], [0.3, 1, 0.5])}], "pairs": [["a", "b"], ["b", "a"]]}
    there, back = ask(path, "sweep", request)["results"]
    equal(there["event"], "contact")
    for key in ("time", "lowerTime", "upperTime", "freeUntil", "distance", "position", "normalVelocity", "iterations"):
        equal(back[key], there[key], key)
    equal(back["normal"], [-v if v else v for v in there["normal"]], "normal")
    equal((back["pointA"], back["pointB"]), (there["pointB"], there["pointA"]), "points")
    changes = ask(path, "timeline", {**request, "pairs": [["b", "a"]]})["results"]
    equal(changes[0]["normal"], back["normal"], "normal of a change")


@suite.fact
def default_motion_twist_moves_bodies_by_their_velocities():
    bodies = [floor(), ball("a", [0, 0, 2], motion={"mass": 1, "linearVelocity": [0, 0, -1]}),
              ball("b", [3, 0, 3], motion={"mass": 1, "linearVelocity": [0, 0, -1]}), ball("c", [6, 0, 0.5], motion={"mass": 1})]
    path = scene(bodies)
    equal(ask(path, "sweep", {"duration": 4})["results"], [], "nobody moves")
    moving = ask(path, "sweep", {"duration": 4, "defaultMotion": "twist"})["results"]
    equal([r["b"] for r in moving], ["a", "b"], "those with a velocity; c stays where it touches")
    near_list([r["time"] for r in moving], [1.5, 2.5], 1e-12, "times")
    listed = ask(path, "sweep", {"duration": 4, "defaultMotion": "twist", "motions": [{"id": "b", **twist([0, 0, -2])}]})["results"]
    near_list([r["time"] for r in listed], [1.5, 1.25], 1e-12, "times, b's of its own")
    kept = ask(path, "sweep", {"duration": 4, "motions": [{"id": "b", "ballistic": {"linearAcceleration": [0, 0, 0]}}]})["results"]
    near_list([r["time"] for r in kept], [2.5], 1e-12, "the velocity that is left out is the scene's")


@suite.fact
def motions_start_from_the_poses_and_velocities_of_the_query():
    path = scene([floor(), ball("a", [0, 0, 2], motion={"mass": 1, "linearVelocity": [0, 0, -1]}), box("shelf", [9, 0, 1], [1, 1, 1])])
    poses = {"ids": ["a"], "positions": [[9, 0, 4]]}
    request = {"duration": 9, "defaultMotion": "twist"}
    equal(one(ask(path, "sweep", request))["time"], 1.5)
    there = ask(path, "sweep", {**request, "poses": poses})["results"]
    equal([(r["a"], r["b"]) for r in there], [("floor", "a"), ("a", "shelf")])
    near_list([r["time"] for r in there], [3.5, 2], 1e-12, "times")
    fast = ask(path, "sweep", {**request, "poses": {**poses, "linearVelocities": [[0, 0, -2]]}})["results"]
    near_list([r["time"] for r in fast], [1.75, 1], 1e-12, "times at twice the speed")
    moved = ask(path, "sweep", {**request, "poses": {"ids": ["shelf"], "positions": [[0, 0, 1]]}})["results"]
    near_list([r["time"] for r in moved], [1.5, 0], 1e-12, "a body that stays, elsewhere")
    batch = client.post(path + "/query", {"poses": {**poses, "linearVelocities": [[0, 0, -2]]}, "queries": [
        {"kind": "sweep", **request}, {"kind": "timeline", **request, "id": "t"},
        {"kind": "sweep", **request, "poses": {"ids": ["a"], "positions": [[9, 0, 6]], "linearVelocities": [[0, 0, -1]]}}]}).must(200).json
    equal(batch["results"][0]["result"]["results"], fast, "in a batch")
    equal([(c["event"], c["a"], c["b"]) for c in batch["results"][1]["result"]["results"]],
          [("began", "a", "shelf"), ("began", "floor", "a"), ("ended", "a", "shelf")], "the timeline in a batch")
    near_list([r["time"] for r in batch["results"][2]["result"]["results"]], [5.5, 4], 1e-12, "own poses over the batch's")


@suite.fact
def a_sweep_can_be_limited_to_a_part_of_the_motion():
    path = scene([floor(), ball("a", [0, 0, 2])])
    request = {"duration": 9, "motions": [{"id": "a", **twist([0, 0, -1])}]}
    equal(ask(path, "sweep", {**request, "to": 1.25})["results"], [], "before")
    equal(one(ask(path, "sweep", {**request, "from": 1, "to": 2}))["time"], 1.5)
    holds(one(ask(path, "sweep", {**request, "from": 1.75})), {"event": "initialContact", "time": 1.75})
    # From within the motion the velocity continues, and times are those of the whole motion.
    slow = {"duration": 9, "motions": [{"id": "a", "ballistic": {"linearAcceleration": [0, 0, -1]}}]}
    equal(one(ask(path, "sweep", {**slow, "from": 1}))["time"], one(ask(path, "sweep", slow))["time"], "time")


@suite.fact
def an_inline_scene_is_swept_like_a_stored_one():
    bodies = [floor(), {"id": "hammer", "position": [0, 0, 3], "motion": {"mass": 1, "linearVelocity": [0, 0, -1], "angularVelocity": [1, 0, 0]},
                        "colliders": [{"id": "handle", "capsule": {"radius": 0.1, "height": 2}}, {"box": {"size": [1, 0.5, 0.5]}, "position": [0, 0, 1]}]}]
    request = {"duration": 9, "defaultMotion": "twist"}
    for kind in ("sweep", "timeline"):
        kept, given = ask(scene(bodies), kind, request), free(kind, {"scene": {"bodies": bodies}, **request})
        equal(given, {k: v for k, v in kept.items() if k != "revision"}, kind)
    hammer = free("sweep", {"a": bodies[0], "b": bodies[1], **request})
    equal(hammer["results"], free("sweep", {"scene": {"bodies": bodies}, **request})["results"], "two bodies given")
    check(hammer["results"][0]["colliderB"] in ("handle", 1), "which part of the hammer")


# ---- timelines ----------------------------------------------------------------------------------------------------------------


def paged(path, kind, request):
    results = []
    reply = ask(path, kind, request)
    while True:
        results += reply["results"]
        equal(reply["complete"], "nextCursor" not in reply, "complete")
        if reply["complete"]:
            return results
        reply = ask(path, kind, {**request, "cursor": reply["nextCursor"]})


@suite.fact
def a_turning_rod_passes_a_ball_with_both_its_ends():
    """Its axis is at 0.75 |cos t| from the ball's centre: in contact where that is at most the sum of the radii."""
    path = scene([ball("ball", [0, 0.75, 0], 0.125), {"id": "rod", "colliders": [{"capsule": {"radius": 0.0625, "height": 2}, "rpy": [0, math.pi / 2, 0]}]}])
    changes = ask(path, "timeline", {"duration": 2 * math.pi, "motions": [{"id": "rod", **twist(angular=[0, 0, 1])}]})
    first = math.acos(0.1875 / 0.75)
    times = [first, math.pi - first, math.pi + first, 2 * math.pi - first]
    equal([c["event"] for c in changes["results"]], ["began", "ended"] * 2, "events")
    for change, time in zip(changes["results"], times):
        bracketed(change, time, 1e-11)
    short = ask(path, "timeline", {"duration": 2 * math.pi, "motions": [{"id": "rod", **twist(angular=[0, 0, 1])}], "maxChanges": 3})
    equal(short["results"], changes["results"][:3], "at most three changes")
    cut = one({"count": len(short["incomplete"]), "results": short["incomplete"]})
    holds(cut, {"a": "ball", "b": "rod"})
    check(times[2] - 1e-9 <= cut["knownUntil"] <= times[3], "known until the last one told, at least")


@suite.fact
def changes_of_all_pairs_are_in_the_order_of_time():
    bodies = [box(f"gate{i}", [2.0 * i, 0, 0], [0.5, 1, 1]) for i in (3, 1, 2)] + [ball("first", [0, 0, 0], 0.25), ball("second", [-1, 0, 0], 0.25)]
    path = scene(bodies, filters={"pairs": [{"a": "first", "b": "second", "collide": False}]})
    request = {"duration": 8, "motions": [{"id": "first", **twist([1, 0, 0])}, {"id": "second", **twist([2, 0, 0])}]}
    reply = ask(path, "timeline", request)
    expected = []
    for row, gate in enumerate((3, 1, 2)):
        for name, start, speed in (("first", 0, 1), ("second", -1, 2)):
            for event, edge in (("began", -0.5), ("ended", 0.5)):
                time = (2 * gate + edge - start) / speed
                expected += [(time, event == "began", row, name)] if time <= 8 else []
    expected.sort()
    got = reply["results"]
    near_list([c["time"] for c in got], [e[0] for e in expected], 1e-12, "times")
    equal(sorted((round(c["time"], 9), c["event"] == "began", c["a"], c["b"]) for c in got),
          sorted((round(t, 9), began, ("gate3", "gate1", "gate2")[row], name) for t, began, row, name in expected), "changes")
    equal([c["time"] for c in got], sorted(c["time"] for c in got), "order")
    for limit in (1, 5):
        equal(paged(path, "timeline", {**request, "limit": limit}), got, f"pages of {limit}")
    half = ask(path, "timeline", {**request, "from": 2.0, "to": 5.0})["results"]
    near_list([c["time"] for c in half], [e[0] for e in expected if 2.0 < e[0] <= 5.0], 1e-12, "a part of the motion")


@suite.fact
def a_pair_in_contact_at_the_start_is_listed_and_ends():
    path = scene([floor(), ball("ball", [0, 0, 0.25])])
    reply = ask(path, "timeline", {"duration": 2, "motions": [{"id": "ball", **twist([0, 0, 0.5])}]})
    equal(reply["initialContacts"], [{"a": "floor", "b": "ball"}], "in contact at the start")
    equal([c["event"] for c in reply["results"]], ["ended"], "changes")
    near(reply["results"][0]["time"], 0.5, 1e-9, "time")


@suite.fact
def an_incomplete_timeline_is_correct_until_known_until():
    """Off the sheet while |sin t| > 0.5 / 0.55. Surfaces have no depth."""
    sheet = {"mesh": {"vertices": [[-2, -2, 0], [2, -2, 0], [2, 2, 0], [-2, 2, 0]], "triangles": [[0, 1, 2], [0, 2, 3]]}}
    request = {"a": sheet, "b": {"colliders": [{"sphere": {"radius": 0.5}, "position": [0.55, 0, 0]}]}, "duration": 60,
               "motionB": twist(angular=[0, 1, 0])}
    reply, off = free("timeline", request), math.asin(0.5 / 0.55)
    equal(reply["initialContacts"], [{"a": "a", "b": "b", "surface": True}], "in contact at the start")
    equal([c["event"] for c in reply["results"]], ["ended", "began"] * 19, "events")
    near_list([c["time"] for c in reply["results"]], [t for k in range(19) for t in (k * math.pi + off, (k + 1) * math.pi - off)], 1e-10,
              "times")
    check("incomplete" not in reply, "told to the end")
    short = free("timeline", {**request, "maxIterations": 4})
    count, known = short["count"], one({"count": len(short["incomplete"]), "results": short["incomplete"]})["knownUntil"]
    equal(short["results"], reply["results"][:count], "what is told")
    check(count == 38 or known <= reply["results"][count]["upperTime"], "nothing is told after that")


@suite.fact
def half_spaces_that_cross_have_no_points_in_a_timeline():
    """Facing each other and 2 m apart at the start; they cross as soon as one rotates."""
    reply = free("timeline", {"a": {"plane": {}}, "b": {"plane": {}, "position": [0, 0, 2], "rotation": [1, 0, 0, 0]}, "duration": 3,
                              "motionB": twist(angular=[1, 0, 0])})
    change = one(reply)
    holds(change, {"event": "began", "overlap": True, "status": "unsupported"})
    for member in ("distance", "normal", "pointA", "pointB", "position", "normalVelocity"):
        check(member not in change, f"{member} of half-spaces that cross")


@suite.fact
def concatenated_pages_of_a_sweep_are_the_whole():
    bodies = [floor()] + [ball(f"b{i}", [2 * i, 0, 1 + i % 3]) for i in range(9)]
    path = scene(bodies)
    request = {"duration": 9, "motions": [{"id": f"b{i}", **twist([0, 0, -1])} for i in range(9)]}
    every = ask(path, "sweep", request)
    equal(every["total"], 9, "results")
    for limit in (1, 4, 9):
        equal(paged(path, "sweep", {**request, "limit": limit}), every["results"], f"pages of {limit}")


@suite.fact
def a_page_in_a_large_batch_is_that_of_the_single_query():
    """So many rows in all that each query is prepared by itself; and more candidates than rows."""
    rng = random.Random(5)
    movers = [ball(f"m{i}", [i, 0, 0], 0.5) for i in range(3)]
    path = scene(movers + [ball(f"b{i}", [rng.uniform(0, 40) for unused in range(3)], 0.2) for i in range(4100)])
    request = {"duration": 1, "motions": [{"id": f"m{i}", "to": {"position": [40 - i, 40, 40]}} for i in range(3)]}
    every = ask(path, "sweep", request)["results"]
    check(len(every) > 3, "few meet")
    page = ask(path, "sweep", {**request, "limit": len(every) - 1})
    last = {**request, "cursor": page["nextCursor"]}
    equal(ask(path, "sweep", last)["results"], every[-1:], "the last page")
    queries = [{"kind": "sweep", **last}] + [{"kind": "pairs", "pairs": []}] * 999
    reply = client.post(path + "/query", {"queries": queries}).must(200).json
    equal(reply["results"][0]["result"]["results"], every[-1:], "the last page in a batch")


@suite.fact
def motions_count_as_memory_of_the_request():
    with Daemon("--limit", "requestMemoryBytes=1048576") as small:
        where = KeepAlive(small)
        where.put("/v1/scenes/many", {}).must(201)
        for start in range(0, 4000, 200):
            bodies = [ball(f"b{i}", [i, 0, 0], motion={"mass": 1, "linearVelocity": [0, 0, 1]}) for i in range(start, start + 200)]
            where.post("/v1/scenes/many/bodies", bodies).must(201)
        where.post("/v1/scenes/many/query/sweep", {"duration": 1}).must(200)
        refused = where.post("/v1/scenes/many/query/sweep", {"duration": 1, "defaultMotion": "twist"})
        refused.problem(422, "limit-exceeded")
        check("requestMemoryBytes" in refused.text, refused.text)


def random_scene(rng):
    """Bodies of all kinds, some of two colliders, with random motions."""
    def vector(most):
        return [rng.uniform(-most, most) for unused in range(3)]
    corners, sides = [[0, 0, 0], [0.6, 0, 0], [0, 0.6, 0], [0, 0, 0.6]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    kinds = [{"sphere": {"radius": 0.4}}, {"box": {"size": [0.8, 0.1, 0.5]}}, {"capsule": {"radius": 0.1, "height": 0.6}},
             {"cylinder": {"radius": 0.3, "height": 0.5}}, {"cone": {"radius": 0.3, "height": 0.5}}, {"ellipsoid": {"radii": [0.2, 0.3, 0.5]}},
             {"convex": {"vertices": corners}}, {"mesh": {"vertices": corners, "triangles": sides}},
             {"tetmesh": {"vertices": corners, "tetrahedra": [[0, 1, 2, 3]]}}]
    bodies = [{"id": f"b{i}", "position": vector(1.5), "rpy": vector(3), "motion": {"density": 1000, "linearVelocity": vector(1), "angularVelocity": vector(2)},
               "colliders": [rng.choice(kinds) for unused in range(1 + i % 3 // 2)]} for i in range(8)]

    def motion():
        form = rng.choice(["twist", "ballistic", "torqueFree", "to"])
        if form == "to":
            return {"to": {"position": vector(1.5), "rpy": vector(3)}}
        return {form: {"angularVelocity": vector(4), **({} if form == "twist" else {"linearAcceleration": vector(3)})}}
    motions = [{"id": body["id"], **motion()} for body in bodies if rng.random() < 0.6]
    return {"scene": {"bodies": bodies + [{**floor(), "position": [0, 0, -1.5]}]}, "duration": rng.choice([0.1, 1, 3]), "motions": motions,
            "defaultMotion": rng.choice(["rest", "twist"])}


def agree(sweep, timeline, first, singles):
    """Compares the sweep's and the timeline's answers for each pair, and the earliest contacts with the minimum of
    the sweep."""
    changes = {}
    for change in timeline["results"]:
        changes.setdefault((change["a"], change["b"]), []).append(change)
    start, cut = ({(p["a"], p["b"]) for p in timeline.get(name, [])} for name in ("initialContacts", "incomplete"))
    by_pair = {(r["a"], r["b"]): r for r in sweep if r["event"] != "undecided"}
    check(set(changes) <= {(r["a"], r["b"]) for r in sweep}, "a pair changes that no sweep tells")
    for pair, result in by_pair.items():
        parting = "separatingAtStart" in result.get("flags", [])
        events = [c["event"] for c in changes.get(pair, [])]
        equal(parting or result["event"] == "initialContact", pair in start, f"{pair} in contact at the start")
        equal(events, [("ended", "began")[(i + (pair not in start)) % 2] for i in range(len(events))], f"events of {pair}")
        if result["event"] == "contact" and pair not in cut and (set(pair) <= singles or not parting):
            near(next(c["time"] for c in changes[pair] if c["event"] == "began"), result["time"], 1e-9, f"when {pair} meet")
    met = [r for r in sweep if r["event"] == "contact" or
           (r["event"] == "initialContact" and "separatingAtStart" not in r.get("flags", []))]
    soonest = min((r["upperTime"] for r in met), default=0)
    equal([r for r in first if r["event"] != "undecided"], [r for r in met if r["lowerTime"] <= soonest], "the first")
    return len(by_pair)


@suite.fact
def sweeps_timelines_and_the_earliest_agree():
    rng, quick, told = random.Random(8), KeepAlive(daemon), 0
    for unused in range(1000 if os.environ.get("CONTACTD_FULL") else 40):
        request = random_scene(rng)
        singles = {body["id"] for body in request["scene"]["bodies"] if len(body["colliders"]) == 1}
        answers = [quick.post(f"/v1/query/{kind}", {**request, **more}).must(200).json
                   for kind, more in (("sweep", {}), ("timeline", {}), ("sweep", {"earliest": True}))]
        told += agree(answers[0]["results"], answers[1], answers[2]["results"], singles)
    check(told > 100, f"only {told} pairs meet")


@suite.fact
def at_the_iteration_limit_the_reply_has_what_is_proven():
    request = {"a": {"box": {"size": [1, 1, 1]}}, "b": {"box": {"size": [1, 1, 1]}, "position": [3, 0, 0]}, "duration": 9,
               "motionB": twist([-1, 0, 0], [1, 2, 3]), "maxIterations": 2}
    result = one(free("sweep", request))
    holds(result, {"event": "undecided", "status": "iterationLimit"})
    whole = one(free("sweep", {k: v for k, v in request.items() if k != "maxIterations"}))
    check(0 < result["freeUntil"] <= whole["time"], f"free until {result['freeUntil']}, in contact at {whole['time']}")
    for most in (1, 2, 5):
        halved = one(free("sweep", {**request, "method": "bisection", "motionB": twist([-1, 0, 0]), "to": 2.75, "maxIterations": most}))
        holds(halved, {"event": "undecided", "status": "iterationLimit", "iterations": most})
    # More iterations cannot decide a contact at the very end of the interval.
    touch = {"a": {"plane": {}}, "b": {"sphere": {"radius": 1}, "position": [0, 0, 2]}, "duration": 4, "motionB": twist([0, 0, -1])}
    result = one(free("sweep", {**touch, "from": 0.5, "to": 1}))
    holds(result, {"event": "undecided", "status": "degenerate"})
    near(result["freeUntil"], 1, 1e-9, "free until the touch")


@suite.fact
def surfaces_do_not_tunnel_through_each_other():
    sheet = {"mesh": {"vertices": [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], "triangles": [[0, 1, 2], [0, 2, 3]]}}
    chance = random.Random(85)
    for unused in range(10):
        height, speed, duration = chance.uniform(0.5, 1.5), chance.uniform(1, 60), 3
        place = [chance.uniform(-1, 1), chance.uniform(-1, 1), height]
        request = {"a": sheet, "b": {**sheet, "position": place}, "duration": duration, "motionB": twist([0, 0, -speed])}
        result = one(free("sweep", request))
        equal(result["event"], "contact")
        bracketed(result, height / speed)
        near_list(result["normal"], [0, 0, 1], 1e-3, "normal, as it came")
        near(result["normalVelocity"], -speed, 1e-3 * speed, "normal velocity")
        changes = free("timeline", request)
        equal([(c["event"], c["time"] > 0) for c in changes["results"]], [("began", True), ("ended", True)], "changes")
        check("incomplete" not in changes, "the timeline is cut short")


@suite.fact
def a_body_that_rotates_past_another_grazes_it():
    """T8.1"""
    ball = {"colliders": [{"sphere": {"radius": 0.25}, "position": [1, 0, 0]}], "position": [0, 0, 1.25]}
    request = {"a": {"plane": {}}, "b": ball, "duration": 20, "motionB": twist(angular=[0, 1, 0])}
    result = one(free("sweep", request))
    holds(result, {"event": "none", "flags": ["graze"], "status": "ok"})
    near(result["grazeTime"], math.pi / 2, 1e-6, "when they graze")
    near(result["grazeDistance"], 0, 1e-12, "distance then")


@suite.fact
def half_spaces_overlap_as_soon_as_one_rotates():
    facing = {"a": {"plane": {}}, "b": {"plane": {}, "position": [0, 0, 2], "rotation": [1, 0, 0, 0]}, "duration": 3}
    tilts = one(free("sweep", {**facing, "motionB": twist(angular=[1, 0, 0])}))
    holds(tilts, {"event": "contact", "overlap": True, "status": "unsupported"})
    check("graze" not in tilts.get("flags", []) and "normal" not in tilts, "a graze, or a normal, is told")
    near(tilts["time"], 0, 1e-12, "time")
    check(tilts["lowerTime"] == 0 and tilts["upperTime"] < 1e-12, "bracket")
    spins = one(free("sweep", {**facing, "motionB": twist(angular=[0, 0, 1])}))
    holds(spins, {"event": "none", "freeUntil": 3, "status": "ok"})
    check("flags" not in spins, "a graze is told")
    bracketed(one(free("sweep", {**facing, "motionB": twist([0, 0, -1], [0, 0, 1])})), 2)
    began = one(free("timeline", {**facing, "motionB": twist(angular=[1, 0, 0])}))
    holds(began, {"event": "began", "overlap": True, "status": "unsupported"})


# ---- grazes --------------------------------------------------------------------------------------------------------------------

def tangent_row(count):
    """Unit balls s0, s1 ... 4 m apart in a row; a ball moving along at a height of 2 m touches each at one instant."""
    return [ball(f"s{i}", [4 * i, 0, 0], 1) for i in range(count)] + [ball("mover", [-2, 2, 0], 1)]


ALONG = {"motions": [{"id": "mover", **twist([1, 0, 0])}], "duration": 20}


@suite.fact
def grazes_of_pairs_that_are_not_named_are_listed():
    """Row 38. The balls are tangent at 2 s, 6 s, 10 s ..."""
    path = scene(tangent_row(4) + [ball("far", [0, 0, 9])])
    equal(ask(path, "sweep", ALONG)["results"], [], "pairs that meet")
    swept = ask(path, "sweep", {**ALONG, "include": ["grazes"]})["results"]
    equal([(r["a"], r["b"], r["event"], r["flags"]) for r in swept],
          [(f"s{i}", "mover", "none", ["graze"]) for i in range(4)], "pairs that graze")
    for i, result in enumerate(swept):
        near(result["grazeTime"], 2 + 4 * i, 1e-6, "when they graze")
        near(result["grazeDistance"], 0, 1e-12, "distance then")
    timeline = ask(path, "timeline", {**ALONG, "include": ["grazes"]})
    equal((timeline["results"], [(g["a"], g["b"]) for g in timeline["grazes"]]), ([], [(f"s{i}", "mover") for i in range(4)]),
          "changes and grazes, in the order of time")
    for i, graze in enumerate(timeline["grazes"]):
        near(graze["time"], 2 + 4 * i, 1e-6, "when they graze")
        near(graze["distance"], 0, 1e-12, "distance then")
    check("grazes" not in ask(path, "timeline", ALONG), "grazes are listed unasked")


@suite.fact
def a_timeline_lists_every_graze_of_a_pair_and_its_contacts():
    """Four balls, of which the moving ball overlaps the larger third: (4 i - 2)^2 + 2^2 = (1 + r)^2 at the ends."""
    row = {"id": "row", "colliders": [{"sphere": {"radius": r}, "position": [4 * i, 0, 0]} for i, r in enumerate((1, 1, 1.5, 1))]}
    path = scene([row, ball("mover", [-2, 2, 0], 1)])
    reply = ask(path, "timeline", {**ALONG, "include": ["grazes"]})
    near_list([g["time"] for g in reply["grazes"]], [2, 6, 14], 1e-6, "times of grazes")
    half = math.sqrt(2.5 ** 2 - 2 ** 2)
    equal([r["event"] for r in reply["results"]], ["began", "ended"], "changes")
    near_list([r["time"] for r in reply["results"]], [10 - half, 10 + half], 1e-9, "times of changes")
    few = ask(path, "timeline", {**ALONG, "include": ["grazes"], "maxChanges": 1})
    equal(len(few["grazes"]), 1, "grazes up to the limit")
    check(2 < few["incomplete"][0]["knownUntil"] <= 6, f"the pair is known until {few['incomplete'][0]['knownUntil']} s")


@suite.fact
def a_sweep_lists_every_graze_of_a_pair_before_it_meets():
    """The same bodies: grazes at 2 s and 6 s, a contact from 10 s less half a chord on; without the larger ball
    grazes at 10 s and 14 s, too."""
    for radius, times in ((1.5, [2, 6]), (1, [2, 6, 10, 14]), (0.5, [2, 6, 14])):
        row = {"id": "row", "colliders": [{"sphere": {"radius": r}, "position": [4 * i, 0, 0]} for i, r in enumerate((1, 1, radius, 1))]}
        path = scene([row, ball("mover", [-2, 2, 0], 1)])
        result = one(ask(path, "sweep", {**ALONG, "include": ["grazes"]}))
        near_list([g["time"] for g in result["grazes"]], times, 1e-6, "times of grazes")
        near_list([g["distance"] for g in result["grazes"]], [0] * len(times), 1e-12, "distances then")
        holds(result["grazes"][0], {"time": result["grazeTime"], "distance": result["grazeDistance"]})
        equal(result["event"], "contact" if radius > 1 else "none", "event")
        if radius > 1:
            near(result["time"], 10 - math.sqrt(2.5 ** 2 - 2 ** 2), 1e-9, "when they meet")
        timeline = ask(path, "timeline", {**ALONG, "include": ["grazes"]})["grazes"]
        equal([g["time"] for g in timeline][:len(times)], [g["time"] for g in result["grazes"]], "grazes of the timeline")
        check("grazes" not in ask(path, "sweep", {**ALONG, "pairs": [["row", "mover"]]})["results"][0], "grazes are listed unasked")
    spin = {"colliders": [{"sphere": {"radius": 0.25}, "position": [1, 0, 0]}], "position": [0, 0, 1.25]}
    request = {"a": {"plane": {}}, "b": spin, "duration": 20, "motionB": twist(angular=[0, 1, 0]), "include": ["grazes"]}
    near_list([g["time"] for g in one(free("sweep", request))["grazes"]], [math.pi * (2 * k + 0.5) for k in range(3)], 1e-6, "turns")


@suite.fact
def pairs_that_pass_near_or_collide_do_not_graze():
    draw = random.Random(38)
    for unused in range(40):
        height = 2 + draw.choice((-1, 1)) * 10 ** draw.uniform(-6, -1)
        path = scene([ball("a", [0, 0, 0], 1), ball("mover", [-2, height, 0], 1)])
        swept = ask(path, "sweep", {**ALONG, "include": ["grazes"]})["results"]
        equal([r["event"] for r in swept], ["contact"] if height < 2 else [], f"events at a height of {height} m")
        equal(ask(path, "timeline", {**ALONG, "include": ["grazes"]})["grazes"], [], f"grazes at a height of {height} m")


@suite.fact
def grazes_and_earliest_are_conflicting_members():
    path = scene(tangent_row(1))
    request = {**ALONG, "include": ["grazes"], "earliest": True}
    client.post(f"{path}/query/sweep", request).problem(422, "conflicting-members", "/earliest")


suite.main()
