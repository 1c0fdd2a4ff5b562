"""Events that `advance` lists: impacts, and contacts that begin and end, each with its instant in closed form."""
import json
import math

from support.pace import SLOWER
from support.checks import Suite, check, equal, near
from support.client import Curl, KeepAlive
from support.daemon import Daemon

suite = Suite()
daemon = Daemon("--workers", "2").start()
suite.cleanup(daemon.stop)
client = Curl(daemon)
numbers = iter(range(1000))
FLOOR = {"id": "floor", "colliders": [{"plane": {}}]}
G = 9.81
LISTED = 10000


def ball(name, gap, x=0.0, **motion):
    return {"id": name, "position": [x, 0, 0.5 + gap], "colliders": [{"sphere": {"radius": 0.5}}], "motion": {"mass": 2, **motion}}


def advance(bodies, restitution=0.5, status=200, where=None, mode="eventImpulses", **members):
    path = f"/v1/scenes/a{next(numbers)}"
    (where or client).put(path, {"bodies": bodies, "materials": {"default": {"restitution": restitution, "youngsModulus": 1e9,
                                                                             "poissonRatio": 0.3}}}).must(201)
    return (where or client).post(f"{path}/advance", {"mode": mode, "deadlineMs": 30000 * SLOWER, **members}).must(status)


def impacts(reply):
    return [e for e in reply["eventList"] if e["event"] == "impact"]


@suite.fact
def impacts_of_a_bouncing_ball_have_their_times_and_speeds():
    """It falls 1 m and bounces with half its speed: v, v/2, v/4, with 2 v' / g between two impacts."""
    reply = advance([FLOOR, ball("ball", 1)], duration=1.245, timeStep=0.1, include=["events"]).json
    speed, at = math.sqrt(2 * G), math.sqrt(2 / G)
    equal(len(impacts(reply)), 4, "impacts")
    for event in impacts(reply):
        equal((event["event"], event["a"], event["b"]), ("impact", "floor", "ball"), "what")
        near(event["time"], at, 1e-12, "time")
        near(event["normalVelocity"], -speed, 1e-11, "speed")
        speed /= 2
        at += 2 * speed / G
    equal(reply["events"], 4, "count")
    check("eventsOmitted" not in reply, "nothing is left out")


@suite.fact
def simultaneous_impacts_are_listed_pair_by_pair_and_a_face_is_one_impact():
    """A cube lands on its face, a ball beside it at the same time; they touch nothing else."""
    cube = {"id": "cube", "position": [3, 0, 1.5], "colliders": [{"id": "foam", "box": {"size": [1, 1, 1]}},
                                                                {"id": "stone", "box": {"size": [1, 1, 1]}, "position": [1, 0, 0]}], "motion": {"density": 10}}
    reply = advance([FLOOR, ball("ball", 1), cube], duration=0.5, include=["events"]).json
    equal(sorted((e["b"], e.get("colliderB")) for e in impacts(reply)), [("ball", None), ("cube", "foam"), ("cube", "stone")], "who hits")
    for event in impacts(reply):
        near(event["time"], math.sqrt(2 / G), 1e-12, "time")
        near(event["normalVelocity"], -math.sqrt(2 * G), 1e-11, "speed")


@suite.fact
def a_collision_at_the_start_is_an_impact_at_time_zero():
    reply = advance([FLOOR, ball("ball", 0, linearVelocity=[0, 0, -3])], restitution=1, duration=0.1, include=["events"]).json
    equal([(e["time"], e["normalVelocity"]) for e in impacts(reply)], [(0, -3)], "impacts")
    equal([e["event"] for e in reply["eventList"]], ["began", "impact", "ended"], "events")


@suite.fact
def elastic_contacts_begin_and_end():
    """Without gravity. A contact that exists at the start begins at the start; restitution 1 has no damping, so the
    ball leaves with the speed at which it came."""
    bodies = [FLOOR, ball("in", -1e-6, x=-3), ball("comes", 0.1, linearVelocity=[0, 0, -2])]
    reply = advance(bodies, restitution=1, duration=0.1, mode="eventCompliant", timeStep=0.01, include=["events"], gravity=[0, 0, 0]).json
    first = reply["eventList"][0]
    equal((first["event"], first["b"], first["time"], first["normalVelocity"]), ("began", "in", 0, 0), "at the start")
    began, ended = [e for e in reply["eventList"] if e["b"] == "comes"]
    equal([began["event"], ended["event"]], ["began", "ended"], "begin and end")
    near(began["time"], 0.05, 1e-14, "begin")
    equal(began["normalVelocity"], -2, "speed at the beginning")
    near(ended["normalVelocity"], 2, 1e-9, "speed at the end")
    times = [e["time"] for e in reply["eventList"]]
    equal(times, sorted(times), "order")
    equal(len(times), reply["events"], "count")


@suite.fact
def the_impulse_of_an_elastic_contact_does_not_depend_on_its_stiffness():
    """Row 43: an impulse is the force's integral. A stiffer contact is shorter, and its impulse stays that of the
    effective restitution: U0 - ln(1 + U0) = -U1 - ln(1 - U1), U0 = 8 (1 - e) / (5 e), e 0.5 -> 0.470445."""
    effective, speed, mass = 0.470445, 2.0, 2.0
    hit = ball("ball", 0, linearVelocity=[0, 0, -speed])
    rigid = client.post("/v1/query/impulse", {"a": {"plane": {}}, "b": hit, "material": {"restitution": effective}}).must(200).json
    impulse = rigid["results"][0]["contacts"][0]["normalImpulse"]
    near(impulse, mass * speed * (1 + effective), 1e-12, "impulse")
    durations = []
    for stiffness in (0.01, 1, 100):
        apart = ball("ball", 0.01, linearVelocity=[0, 0, -speed])
        reply = advance([FLOOR, apart], mode="eventCompliant", duration=0.1, timeStep=0.01, include=["events"], gravity=[0, 0, 0],
                       elastic={"stiffnessFactor": stiffness}).json
        began, ended = reply["eventList"]
        near(ended["normalVelocity"] / speed, effective, 1e-6, f"effective restitution at a stiffness of {stiffness}")
        near(mass * (ended["normalVelocity"] - began["normalVelocity"]), impulse, 4e-6, "change of momentum")
        durations.append(ended["time"] - began["time"])
    # Hertz: as the stiffness to the power of -2/5.
    near(durations[0] / durations[1], 100 ** 0.4, 1e-6 * 100 ** 0.4, "duration of the softest")
    near(durations[1] / durations[2], 100 ** 0.4, 1e-6 * 100 ** 0.4, "duration of the stiffest")


@suite.fact
def each_line_lists_the_events_since_the_line_before():
    members = {"duration": 1.2, "timeStep": 0.05, "progressEvery": 0.3, "include": ["events"]}
    lines = [json.loads(line) for line in advance([FLOOR, ball("ball", 1)], **members).text.splitlines()]
    whole = advance([FLOOR, ball("ball", 1)], **{**members, "progressEvery": 2}).text.splitlines()
    equal([e for line in lines for e in line["eventList"]], json.loads(whole[-1])["eventList"], "events of all lines")
    past = 0.0
    for line in lines:
        check(all(past <= e["time"] <= line["time"] for e in line["eventList"]), f"events of the line at {line['time']}")
        past = line["time"]
    check("eventList" not in advance([FLOOR, ball("ball", 1)], duration=0.5).json, "not asked for")


@suite.fact
def events_beyond_ten_thousand_are_only_counted():
    connection = KeepAlive(daemon)
    bodies = [FLOOR, *(ball(f"b{i}", 0, x=2 * i, linearVelocity=[0, 0, -1]) for i in range(LISTED + 2))]
    reply = advance(bodies, restitution=1, where=connection, duration=1e-6, deadlineMs=120000, include=["events"]).json
    connection.close()
    # Each ball begins, has its impact and ends.
    equal((len(reply["eventList"]), reply["eventsOmitted"]), (LISTED, 2 * LISTED + 6), "listed and left out")


@suite.fact
def a_bouncing_ball_comes_to_rest_and_its_energy_never_grows():
    """It rests sqrt(2 h / g) (1 + e) / (1 - e) after the start."""
    rest = math.sqrt(2 / G) * 3
    path = f"/v1/scenes/a{next(numbers)}"
    client.put(path, {"bodies": [FLOOR, ball("ball", 1)], "materials": {"default": {"restitution": 0.5}}}).must(201)
    past = 2 * G * 1.5
    for k in range(40):
        reply = client.post(f"{path}/advance", {"mode": "eventImpulses", "duration": 0.05}).must(200).json
        energy = reply["kineticEnergy"] + reply["potentialEnergy"]
        check(energy <= past * (1 + 1e-12), f"energy grows from {past} to {energy}")
        equal(reply["converged"], True, "converged")
        past = energy
        if 0.05 * k > rest:
            equal((reply["kineticEnergy"], reply["events"], reply["contacts"]), (0, 0, 1), "at rest")
            near(reply["contactImpulse"][2], 2 * G * 1e-3, 1e-12, "weight")
    near(past, G, 1e-5, "energy at rest")


@suite.fact
def a_body_at_rest_does_not_sink():
    """A cube dropped on an edge tumbles onto a face, and its height stays the same afterwards."""
    path = f"/v1/scenes/a{next(numbers)}"
    cube = {"id": "cube", "position": [0, 0, 1.2], "rotation": [0.3, 0.2, 0.1, 0.9273618495495703], "motion": {"mass": 1},
            "colliders": [{"box": {"size": [1, 1, 1]}}]}
    client.put(path, {"bodies": [FLOOR, cube], "materials": {"default": {"staticFriction": 0.5}}}).must(201)
    client.post(f"{path}/advance", {"mode": "eventImpulses", "duration": 2}).must(200)
    before = client.get(f"{path}/bodies/cube").must(200).json["position"]
    reply = client.post(f"{path}/advance", {"mode": "eventImpulses", "duration": 1}).must(200).json
    check(reply["kineticEnergy"] < 1e-20, f"kinetic energy {reply['kineticEnergy']}")
    check(reply["penetration"] < 1e-5, f"penetration {reply['penetration']}")
    near(client.get(f"{path}/bodies/cube").must(200).json["position"][2], before[2], 1e-9, "height")


@suite.fact
def lines_far_denser_than_steps_do_not_slow_the_motion():
    """One step of 4e5 s has 4e14 instants of a line: one line is written for each step."""
    path = f"/v1/scenes/a{next(numbers)}"
    client.put(path, {"bodies": [ball("ball", 1)], "gravity": [0, 0, 0]}).must(201)
    reply = client.post(f"{path}/advance", {"mode": "eventImpulses", "duration": 1e6, "timeStep": 4e5, "progressEvery": 1e-9}).must(200)
    equal([json.loads(line)["time"] for line in reply.text.splitlines()], [4e5, 8e5, 1e6], "times")


@suite.fact
def a_bounce_within_the_contact_tolerance_does_not_fall_through_the_floor():
    """The last bounces stay within the contact tolerance, because a load pushes the ball back or because the
    velocity tolerance is too small."""
    thin = {"id": "floor", "colliders": [{"box": {"size": [4, 4, 0.01]}}]}
    for floor, gravity, other in ((FLOOR, 0, {"loads": [{"body": "ball", "force": [0, 0, -1000]}]}), (thin, -G, {"velocityTolerance": 1e-6}),
                                  (thin, 0, {"loads": [{"body": "ball", "force": [0, 0, -1000]}]}), (FLOOR, -G, {"velocityTolerance": 1e-9})):
        path = f"/v1/scenes/a{next(numbers)}"
        client.put(path, {"bodies": [floor, ball("ball", 0.5)], "gravity": [0, 0, gravity], "materials": {"default": {"restitution": 0.5}}})
        client.post(f"{path}/advance", {"mode": "eventImpulses", "duration": 4, "timeStep": 0.1, **other}).must(200)
        height = client.get(f"{path}/bodies/ball").must(200).json["position"][2]
        check(0.499 < height < 0.506, f"height {height}")


@suite.fact
def a_squeeze_ends_as_a_limit_that_names_the_body():
    plates = [{"id": f"plate{i}", "position": [x, 0, 0], "colliders": [{"box": {"size": [0.2, 9, 9]}}],
               "motion": {"isKinematic": True, "linearVelocity": [-x, 0, 0]}} for i, x in enumerate((-1, 1))]
    path = f"/v1/scenes/a{next(numbers)}"
    client.put(path, {"bodies": [*plates, ball("ball", 0)]}).must(201)
    problem = client.post(f"{path}/advance", {"mode": "eventImpulses", "duration": 1}).must(422).json
    equal(problem["type"], "/problems/limit-exceeded", "type")
    check('"ball"' in problem["detail"] and "0.4" in problem["detail"], problem["detail"])
    client.post(f"{path}/advance", {"mode": "eventImpulses", "duration": 0.399}).must(200)


suite.main()
