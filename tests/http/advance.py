"""POST of `advance`: a scene is integrated in time on a snapshot and written as one revision at the end. Progress
lines, cancellation when the client leaves, deadlines, limits, bad input.
Free fall is compared with its closed form at the end of every step."""
import http.client
import json
import re
import select
import threading

from support import metrics
from support.checks import Suite, check, equal, near, near_list
from support.client import Curl, KeepAlive
from support.daemon import Daemon
from support.pace import SLOWER
from support.stopwatch import wait_until

suite = Suite()
daemon = Daemon("--workers", "2", "--limit", "drainSeconds=1").start()
suite.cleanup(daemon.stop)
client = Curl(daemon)
numbers = iter(range(1000))
FLOOR = {"id": "floor", "colliders": [{"plane": {}}]}
ENDLESS = {"duration": 1e6, "timeStep": 1e-3, "deadlineMs": 600000}  # some hours of work
SECONDS = 60 * SLOWER


def ball(name="ball", height=10.0, **motion):
    return {"id": name, "position": [0, 0, height], "colliders": [{"sphere": {"radius": 0.5}}], "motion": {"mass": 2, **motion}}


def scene(*bodies, **settings):
    path = f"/v1/scenes/a{next(numbers)}"
    client.put(path, {"bodies": list(bodies), **settings}).must(201)
    return path


def advance(path, status=200, where=None, headers=None, **members):
    return (where or client).post(f"{path}/advance", {"deadlineMs": 30000 * SLOWER, **members}, headers=headers).must(status)


def lines_of(reply):
    equal(reply.headers["content-type"], "application/x-ndjson", "content type")
    return [json.loads(line) for line in reply.text.splitlines()]


def revision(path):
    return client.get(path).must(200).headers["etag"]


def is_busy():
    """True while a worker computes or a job waits for one."""
    now = metrics.read(client)
    return now["contactd_workers_busy"] + now["contactd_queue_depth"] > 0


@suite.fact
def free_fall_is_exact_and_becomes_one_revision():
    path = scene(ball(linearVelocity=[1, 0, 0]))
    reply = advance(path, duration=1, timeStep=0.125)
    equal(reply.headers["etag"], '"r2"', "etag")
    told = reply.json
    equal((told["steps"], told["time"], told["revision"], told["contacts"]), (8, 1, 2, 0), "steps, time, revision, contacts")
    body = client.get(f"{path}/bodies/ball").must(200).json
    near_list(body["position"], [1, 0, 10 - 9.81 / 2], 1e-14, "position")
    near_list(body["motion"]["linearVelocity"], [1, 0, -9.81], 1e-14, "velocity")
    near(told["kineticEnergy"], 0.5 * 2 * (1 + 9.81 ** 2), 1e-11, "kinetic energy")
    near(told["potentialEnergy"], 2 * 9.81 * (10 - 9.81 / 2), 1e-11, "potential energy")
    near_list(told["momentum"], [2, 0, -2 * 9.81], 1e-13, "momentum")


@suite.fact
def the_reply_reports_the_tolerances_in_force():
    told = advance(scene(ball(), FLOOR), duration=0.01, contactTolerance=1e-5, velocityTolerance=0.125).json
    equal((told["contactTolerance"], told["velocityTolerance"]), (1e-5, 0.125), "tolerances that were asked for")
    path = scene(ball(), FLOOR)
    query = client.post(f"{path}/query/restingForces", {}).must(200).json
    told = advance(path, duration=0.01, progressEvery=0.005)
    last = lines_of(told)[-1]
    equal(last["contactTolerance"], query["contactTolerance"], "tolerance of the scene")
    equal(last["velocityTolerance"], query["velocityTolerance"], "tolerance of the scene")
    # from impact to impact it is at least what gravity gives a body over the contact tolerance and back, 2 sqrt(g d)
    told = advance(path, duration=0.01, mode="eventImpulses", contactTolerance=1e-4, velocityTolerance=0).json
    near(told["velocityTolerance"], 2 * (9.81 * 1e-4) ** 0.5, 1e-15, "least tolerance")


@suite.fact
def the_maximum_number_of_steps_is_that_of_v1_limits():
    most = client.get("/v1/limits").must(200).json["fixed"]["advanceSteps"]["value"]
    path = scene(ball())
    fault = advance(path, 422, duration=1e-4 * (most + 1000), timeStep=1e-4).json["errors"][0]
    equal((fault["pointer"], fault["limit"]), ("/timeStep", most), "what is told of too many steps")


@suite.fact
def steps_of_an_infeasible_squeeze_are_counted_as_contradictory():
    wall = {"id": "wall", "position": [-1, 0, 0], "colliders": [{"box": {"size": [1, 4, 4]}}]}
    piston = {"id": "piston", "position": [1, 0, 0], "colliders": [{"box": {"size": [1, 4, 4]}}],
              "motion": {"isKinematic": True, "linearVelocity": [-1, 0, 0]}}
    told = advance(scene(wall, ball(height=0), piston, gravity=[0, 0, 0]), duration=0.01).json
    equal((told["contradictory"], told["notConverged"], told["converged"]), (10, 10, False), "steps that nothing holds")
    check(0 < told["work"] <= 10 * 2, f"work is {told['work']} J, more than stopping 2 kg at 1 m/s ten times")


@suite.fact
def the_energy_of_time_stepping_is_balanced_in_every_step():
    """Two boxes fall on each other and slide; the sums of a line are those of the start plus the works less the dissipation."""
    box = {"box": {"size": [0.2, 0.2, 0.2]}}
    boxes = [{"id": name, "position": place, "colliders": [box], "motion": {"mass": 1, "linearVelocity": [0.3, 0, 0], "angularVelocity": [0, 1, 2]}}
             for name, place in (("low", [0, 0, 0.2]), ("high", [0.05, 0, 0.5]))]
    path = scene(FLOOR, *boxes, materials={"default": {"staticFriction": 0.5, "dynamicFriction": 0.4}})
    reply = lines_of(advance(path, duration=1, timeStep=0.005, progressEvery=0.005))
    inertia = 0.2 ** 2 / 6
    start = 2 * (0.5 * (0.09 + inertia * 5)) + 9.81 * (0.2 + 0.5)
    for line in reply:
        balance = start + line["work"] + line["correctionWork"] + line["separationWork"] - line["dissipation"]
        near(line["kineticEnergy"] + line["potentialEnergy"], balance, 1e-12 * start, f"energy at {line['time']} s")
    equal((reply[-1]["work"], reply[-1]["separationWork"], reply[-1]["overlapLeft"]), (0, 0, 0), "work and overlap")
    check(reply[-1]["dissipation"] > 1, "nothing was dissipated")


@suite.fact
def overlapping_bodies_part_at_the_requested_speed_or_are_kept():
    """A ball of 2 kg and 0.5 m radius, 0.1 m deep in the floor at rest, rises by 0.2 m/s: after 0.25 s by half of the depth."""
    path = scene(ball(height=0.4), FLOOR)
    reply = advance(path, duration=0.25, separationSpeed=0.2).json
    near(client.get(f"{path}/bodies/ball").must(200).json["position"][2], 0.45, 1e-12, "height")
    near(reply["separationWork"], 2 * 9.81 * 0.05, 1e-11, "separationWork")
    near(reply["overlapLeft"], 0.05, 2e-3 * 0.2, "overlapLeft, in the middle of the last step")
    equal((reply["kineticEnergy"], reply["correctionWork"]), (0, 0), "kinetic energy and correctionWork")
    reply = advance(path, duration=1).json
    near(client.get(f"{path}/bodies/ball").must(200).json["position"][2], 0.5, 1e-6, "height after 1 s at the default speed")
    check(reply["overlapLeft"] <= 1e-6 and reply["penetration"] <= 1e-6, f"{reply['overlapLeft']} m are left")
    path = scene(ball(height=0.4), FLOOR)
    reply = advance(path, duration=0.25, keepOverlap=True).json
    equal(client.get(f"{path}/bodies/ball").must(200).json["position"], [0, 0, 0.4], "position of a kept overlap")
    equal((reply["separationWork"], reply["kineticEnergy"]), (0, 0), "separationWork and kinetic energy")
    near(reply["overlapLeft"], 0.1, 1e-15, "overlapLeft")


@suite.fact
def gravity_of_the_request_replaces_that_of_the_scene():
    path = scene(ball(), gravity=[0, 0, -1])
    advance(path, duration=1)
    near_list(client.get(f"{path}/bodies/ball").must(200).json["motion"]["linearVelocity"], [0, 0, -1], 1e-13, "velocity")
    advance(path, duration=1, gravity=[0, 2, 0])
    near_list(client.get(f"{path}/bodies/ball").must(200).json["motion"]["linearVelocity"], [0, 2, -1], 1e-13, "velocity")


@suite.fact
def lines_report_progress_and_the_last_one_is_the_result():
    path = scene(ball())
    lines = lines_of(advance(path, duration=1, timeStep=0.0625, progressEvery=0.25, include=["poses"]))
    equal([line["time"] for line in lines], [0.25, 0.5, 0.75, 1], "times")
    equal([line.get("done", False) for line in lines], [False] * 3 + [True], "done")
    equal(lines[-1]["revision"], 2, "revision")
    for line in lines:
        near(line["poses"]["positions"][0][2], 10 - 9.81 / 2 * line["time"] ** 2, 1e-13, "height")
    put = client.get(f"{path}/poses").must(200).json
    equal(lines[-1]["poses"]["positions"], put["positions"], "the last line's poses are those that were written")


@suite.fact
def a_write_to_the_scene_while_it_advances_is_409_and_nothing_else_is_written():
    path = scene(FLOOR, ball())
    connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=SECONDS)
    members = {"duration": 30, "timeStep": 1e-4, "progressEvery": 1e-3, "deadlineMs": 600000}
    connection.request("POST", f"{path}/advance", json.dumps(members), {"Content-Type": "application/json"})
    response = connection.getresponse()
    first = json.loads(response.readline())
    check(first["time"] < 30, "the work is over before its first line")
    client.patch(f"{path}/bodies/ball", {"user": {"seen": True}}).must(200)
    after = revision(path)
    last = json.loads(response.read().splitlines()[-1])
    equal((last["done"], last["httpStatus"], last["problem"]["type"]), (True, 409, "/problems/scene-moved"), "last line")
    equal(revision(path), after, "revision")
    connection.close()


@suite.fact
def a_client_that_leaves_cancels_the_work_and_the_workers_are_free_again():
    path = scene(FLOOR, ball())
    for lines in ({}, {"progressEvery": 1e-3}):
        for unused in range(3):
            connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=SECONDS)
            connection.request("POST", f"{path}/advance", json.dumps({**ENDLESS, **lines}), {"Content-Type": "application/json"})
            if lines:
                connection.getresponse().readline()
            else:
                daemon.works(0.02)
            connection.close()
    wait_until(lambda: not is_busy(), "workers are busy", pause=0.05)
    equal(revision(path), '"r1"', "revision")


@suite.fact
def a_deadline_ends_advance_with_504_or_with_a_last_line_of_status_504():
    path = scene(FLOOR, ball())
    reply = advance(path, status=504, **{**ENDLESS, "deadlineMs": 50})
    equal(reply.json["type"], "/problems/deadline-exceeded", "type")
    lines = lines_of(advance(path, **{**ENDLESS, "deadlineMs": 200, "progressEvery": 1e-3}))
    equal((lines[-1]["done"], lines[-1]["httpStatus"]), (True, 504), "last line")
    equal(revision(path), '"r1"', "revision")


@suite.fact
def a_client_that_does_not_read_may_miss_lines_but_not_the_last_one():
    path = scene(FLOOR, ball())
    connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=SECONDS)
    members = {**ENDLESS, "duration": 20, "progressEvery": 1e-3, "include": ["poses"]}
    connection.request("POST", f"{path}/advance", json.dumps(members), {"Content-Type": "application/json"})
    response = connection.getresponse()
    wait_until(lambda: revision(path) != '"r1"', "the scene is not written", pause=0.05)
    lines = [json.loads(line) for line in response.read().splitlines()]
    equal((lines[-1]["done"], lines[-1]["revision"]), (True, 2), "last line")
    check(all(a["time"] < b["time"] for a, b in zip(lines, lines[1:])), "lines are out of order")
    connection.close()


@suite.fact
def advance_needs_a_matching_if_match_and_an_existing_scene():
    path = scene(ball())
    advance(path, status=412, headers={"If-Match": '"r7"'}, duration=1)
    advance(path, headers={"If-Match": '"r1"'}, duration=0.01)
    advance("/v1/scenes/none", status=404, duration=1)


@suite.fact
def advance_of_a_deleted_scene_ends_at_once():
    """The scene is deleted while it is advanced: the result could only be a 409, so the computation stops."""
    path = scene(FLOOR, ball())
    for lines in ({"progressEvery": 1e-3}, {}):
        client.put(path, {"bodies": [FLOOR, ball()]})
        connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=SECONDS)
        connection.request("POST", f"{path}/advance", json.dumps({**ENDLESS, **lines}), {"Content-Type": "application/json"})
        if lines:
            connection.getresponse().readline()
        else:
            daemon.works(0.05)
        check(client.delete(path).status in (200, 204), "the scene is not deleted")
        wait_until(lambda: not is_busy(), "workers are busy", pause=0.05)
        connection.close()


@suite.fact
def progress_lines_come_at_most_once_a_step():
    path = scene(ball(), gravity=[0, 0, 0])
    lines = lines_of(advance(path, duration=1e6, timeStep=4e5, progressEvery=1e-9))
    equal([line["time"] for line in lines], [4e5, 8e5, 1e6], "times")


@suite.fact
def a_daemon_that_ends_writes_a_last_line_of_status_503():
    other = Daemon("--workers", "1", "--limit", "drainSeconds=1").start()
    connection = http.client.HTTPConnection("127.0.0.1", other.port, timeout=SECONDS)
    connection.request("PUT", "/v1/scenes/s", json.dumps({"bodies": [FLOOR, ball()]}), {"Content-Type": "application/json"})
    connection.getresponse().read()
    members = {**ENDLESS, "progressEvery": 1}
    connection.request("POST", "/v1/scenes/s/advance", json.dumps(members), {"Content-Type": "application/json"})
    response = connection.getresponse()
    lines = [response.readline()]
    reading = threading.Thread(target=lambda: lines.extend(response.read().splitlines()))
    reading.start()
    other.stop()
    reading.join(SECONDS)
    last = json.loads(lines[-1])
    equal((last["done"], last["httpStatus"], last["problem"]["type"]), (True, 503, "/problems/draining"), "last line")
    connection.close()


@suite.fact
def a_client_that_does_not_read_its_lines_does_not_delay_the_end_of_the_daemon():
    other = Daemon("--workers", "1", "--limit", "drainSeconds=1").start()
    connection = http.client.HTTPConnection("127.0.0.1", other.port, timeout=SECONDS)
    connection.request("PUT", "/v1/scenes/s", json.dumps({"bodies": [FLOOR, ball()]}), {"Content-Type": "application/json"})
    connection.getresponse().read()
    members = {**ENDLESS, "progressEvery": 1e-3, "include": ["poses"]}
    connection.request("POST", "/v1/scenes/s/advance", json.dumps(members), {"Content-Type": "application/json"})
    connection.getresponse().readline()
    other.works(1.0)  # some megabytes of lines
    other.stop()
    connection.close()


@suite.fact
def members_out_of_range_are_named():
    path = scene(ball())
    before = revision(path)
    for members, pointer in (({}, "/duration"), ({"duration": 0}, "/duration"), ({"duration": 1, "timeStep": -1}, "/timeStep"),
                             ({"duration": 1, "mode": "guess"}, "/mode"), ({"duration": 1, "gravity": [0, 0]}, "/gravity"),
                             ({"duration": 1, "restVelocity": -1}, "/restVelocity"), ({"duration": 1, "dt": 1}, "/dt"),
                             ({"duration": 1, "include": ["forces"]}, "/include/0"), ({"duration": 1, "progressEvery": 0}, "/progressEvery"),
                             ({"duration": 1, "contactTolerance": -1}, "/contactTolerance")):
        problem = advance(path, status=422, **members).json
        equal(problem["errors"][0]["pointer"], pointer, "pointer")
    equal(revision(path), before, "revision")


STEEL = {"youngsModulus": 2e11, "poissonRatio": 0.3, "restitution": 0.7}


@suite.fact
def the_elastic_law_moves_a_ball_from_event_to_event():
    """Sixteen contacts begin and end before 2.393 s (T8.7)."""
    small = {"id": "ball", "position": [0, 0, 1.1], "colliders": [{"sphere": {"radius": 0.1}}], "motion": {"mass": 0.001}}
    path = scene(FLOOR, small, materials={"default": STEEL})
    told = advance(path, duration=2.393, mode="eventCompliant", timeStep=0.05).json
    equal((told["events"], told["contacts"], told["notConverged"]), (32, 0, 0), "events, contacts, steps that are not good enough")
    told = advance(scene(FLOOR, small, materials={"default": STEEL}), duration=0.45152, mode="eventCompliant", timeStep=0.05).json
    equal(told["events"], 0, "events before the first contact")


@suite.fact
def advance_never_runs_on_the_loop_thread():
    """One step of steel at rest is a hundred thousand steps of the integrator per 20 s. Other requests are answered
    meanwhile, before a reply to one that takes until its deadline."""
    resting = {**ball("ball", 0.5), "motion": {"mass": 2}}
    path = scene(FLOOR, resting, materials={"default": STEEL})
    for mode, duration, deadline, status in (("eventCompliant", 20, 30000, 200), ("eventCompliant", 20000, 1500, 504),
                                             ("eventImpulses", 20, 30000, 200), ("timeStepping", 20, 30000, 200)):
        connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=SECONDS)
        members = {"duration": duration, "timeStep": duration, "mode": mode, "deadlineMs": deadline * SLOWER}
        connection.request("POST", f"{path}/advance", json.dumps(members), {"Content-Type": "application/json"})
        equal(client.get("/livez").must(200).json, {"status": "ok"}, "livez")
        check(status == 200 or not select.select([connection.sock], [], [], 0)[0], f"{mode} replies before /livez")
        equal(connection.getresponse().status, status, f"{mode}, {duration} s")
        connection.close()


@suite.fact
def a_deadline_reports_the_time_reached_and_the_body_that_limits_the_steps():
    """A mass of 1 g that oscillates 0.2 m deep in a floor of 1 GPa has a period of 5e-6 s: 6 s are millions of
    steps."""
    light = {**ball("feather", 0.3), "motion": {"mass": 1e-3}}
    path = scene(FLOOR, light, gravity=[0, 0, 0], materials={"default": {"youngsModulus": 1e9, "poissonRatio": 0.3, "restitution": 1}})
    slow = [{"body": "feather", "force": [0, 0, -3e8]}]
    problem = advance(path, status=504, duration=6, mode="eventCompliant", loads=slow, deadlineMs=700).json
    equal(problem["type"], "/problems/deadline-exceeded", "type")
    told = re.search(r'Of the duration, 6 s, ([^ ]+) s were computed, in (\d+) steps; the last step was ([^ ]+) s, limited by body "feather" \(youngsModulus 1e\+09\)', problem["detail"])
    check(told is not None, problem["detail"])
    time, steps, last = (float(x) for x in told.groups())
    check(0 < time < 6 and steps > 10 and 0 < last < 1e-4, problem["detail"])


@suite.fact
def a_motion_beyond_the_range_of_coordinates_is_limit_exceeded_and_not_written():
    """A ball of 1 mg lies 0.4 m deep in a floor of 1e15 Pa: the force is finite, but the motion leaves the range of
    coordinates."""
    light = {**ball("ball", 0.1), "motion": {"mass": 1e-6, "linearVelocity": [0, 0, -1]}}
    path = scene(FLOOR, light, materials={"default": {"youngsModulus": 1e15, "poissonRatio": 0.3}})
    equal(advance(path, status=422, duration=0.01, mode="eventCompliant").json["type"], "/problems/limit-exceeded", "type")
    near(client.get(f"{path}/bodies/ball").must(200).json["position"][2], 0.1, 0, "height")


@suite.fact
def a_motion_beyond_the_largest_speed_is_limit_exceeded_and_not_written():
    """A scene must accept its own document, and documents have speeds of at most 1e9 m/s."""
    for mode in ("timeStepping", "eventImpulses", "eventCompliant"):
        path = scene(ball(), gravity=[0, 0, 0], materials={"default": STEEL})
        problem = advance(path, status=422, mode=mode, duration=1e-6, timeStep=1e-6, loads=[{"body": "ball", "force": [1e17, 0, 0]}]).json
        equal(problem["type"], "/problems/limit-exceeded", "type")
        check('"ball"' in problem["detail"] and "largest speed" in problem["detail"], problem["detail"])
        equal(client.get(f"{path}/bodies/ball").must(200).json["position"], [0, 0, 10], "position")
        told = advance(path, mode=mode, duration=1e-6, timeStep=1e-6, loads=[{"body": "ball", "force": [1e15, 0, 0]}]).json
        near(told["momentum"][0], 1e9, 1e-4, "momentum")  # 5e8 m/s


@suite.fact
def the_elastic_law_requires_a_stiffness_of_every_collider():
    path = scene(FLOOR, ball(), materials={"default": {"restitution": 0.5}})
    problem = advance(path, status=422, duration=1, mode="eventCompliant").json
    check("Collider 0 of body \"floor\"" in problem["detail"], problem["detail"])
    equal([e["pointer"] for e in problem["errors"]], ["/mode"], "pointer")


@suite.fact
def loads_act_during_the_whole_duration():
    path = scene(ball(), gravity=[0, 0, 0])
    told = advance(path, duration=2, timeStep=0.25, loads=[{"body": "ball", "force": [3, 0, 0]}]).json
    near_list(told["momentum"], [6, 0, 0], 1e-13, "momentum")
    near(told["work"], 3 * 0.5 * 1.5 * 2 ** 2, 1e-12, "work")
    problem = advance(path, status=422, duration=2, loads=[{"body": "nobody", "force": [3, 0, 0]}]).json
    equal(problem["errors"][0]["pointer"], "/loads/0/body", "pointer")


@suite.fact
def any_number_of_workers_and_a_second_run_give_the_same_bytes():
    bodies = [FLOOR] + [ball(f"b{i}", 0.45 + 0.97 * i, angularVelocity=[i, 1, 0]) for i in range(5)]
    texts = set()
    for workers in (1, 2, 4):
        with Daemon("--workers", workers) as other:
            connection = KeepAlive(other)
            for name in ("one", "two"):
                connection.put(f"/v1/scenes/{name}", {"bodies": bodies}).must(201)
                connection.post(f"/v1/scenes/{name}/advance", {"duration": 0.5, "timeStep": 1 / 256}).must(200)
                texts.add(connection.get(f"/v1/scenes/{name}/poses").must(200).text.replace(f'"{name}"', '""'))
            connection.close()
    equal(len(texts), 1, "different poses")


suite.main()
