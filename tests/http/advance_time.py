"""The time of a scene, the events that end an advance, and its checkpoints: revisions that a later failure keeps."""
import json
import math
import threading

from support.checks import Suite, check, equal, near
from support.client import KeepAlive
from support.daemon import Daemon
from support.events import Stream
from support.lives import Lives
from support.pace import SLOWER

suite = Suite()
FLOOR = {"id": "floor", "colliders": [{"plane": {}}]}
G = 9.81
SCENE = "/v1/scenes/s"


def ball(name, gap, x=0.0, **motion):
    return {"id": name, "position": [x, 0, 0.5 + gap], "colliders": [{"sphere": {"radius": 0.5}}], "motion": {"mass": 2, **motion}}


def scene(client, bodies, restitution=0, **members):
    material = {"restitution": restitution, "youngsModulus": 1e6, "poissonRatio": 0.3}
    client.put(SCENE, {"bodies": bodies, "materials": {"default": material}, **members})


def advance(client, duration, status=200, **members):
    return client.post(f"{SCENE}/advance", {"duration": duration, "deadlineMs": 30000 * SLOWER, **members}, check=False).must(status)


def with_daemon(fact, *options):
    with Daemon(*options) as daemon:
        client = KeepAlive(daemon)
        fact(daemon, client)
        client.close()


# ---- time -----------------------------------------------------------------------------------


@suite.fact
def a_scene_has_a_time_that_advance_advances_and_a_restart_keeps():
    lives = Lives(suite)
    client = lives.client
    scene(client, [FLOOR, ball("ball", 1)])
    check("time" not in client.get(SCENE).must(200).json, "a new scene's time is 0 and not listed")
    for mode, sum_of in (("timeStepping", 0.25), ("eventImpulses", 0.5)):
        reply = advance(client, 0.25, mode=mode).json
        equal((reply["time"], reply["sceneTime"]), (0.25, sum_of), f"{mode}: times")
        equal(client.get(SCENE).must(200).json["time"], sum_of, f"{mode}: in the document")
    for how in ("TERM", "KILL"):
        lives.again(how)
        equal(lives.client.get(SCENE).must(200).json["time"], 0.5, f"after {how}")
    client = lives.client
    client.patch(SCENE, {"time": -2}).must(200)
    lines = [json.loads(line) for line in advance(client, 0.5, progressEvery=0.25).text.splitlines()]
    equal([(line["time"], line["sceneTime"]) for line in lines], [(0.25, -1.75), (0.5, -1.5)], "lines")
    client.patch(SCENE, {"time": None}).must(200)
    check("time" not in client.get(SCENE).must(200).json, "removed by a patch")
    for value, problem in (("now", "wrong-type"), (1.01e15, "out-of-range"), (-1.01e15, "out-of-range"), ([1], "wrong-type")):
        client.patch(SCENE, {"time": value}).problem(422, problem, "/time")
    client.patch(SCENE, {"time": 1e15}).must(200)
    client.post(f"{SCENE}/advance", {"duration": 1}).problem(422, "out-of-range", "/duration")


@suite.fact
def events_have_the_time_of_the_scene():
    """An event of a contact state without a time is at the scene's time, or at that of the last event if this is later."""
    def fact(daemon, client):
        scene(client, [FLOOR, ball("ball", 0)], time=10)
        equal(client.post(f"{SCENE}/contactStates/a").must(201).json["time"], 10, "first event")
        advance(client, 0.5, contactState="a")
        equal(client.get(f"{SCENE}/contactStates/a").must(200).json["time"], 10.5, "after an advance")
        advance(client, 0.5)
        equal(client.post(f"{SCENE}/contactStates/a").must(200).json["time"], 11, "after an advance without it")
        equal(client.patch(f"{SCENE}/poses", {"ids": ["ball"], "linearVelocities": [[0, 0, 0]], "contactState": "a"}).must(200).json["time"], 11, "poses")
        client.post(f"{SCENE}/contactStates/a", {"time": 20}).must(200)
        reply = advance(client, 0.5, contactState="a").json
        equal(reply["sceneTime"], 11.5, "the scene's own time")
        equal(client.get(f"{SCENE}/contactStates/a").must(200).json["time"], 20.5, "the later time of the state")
    with_daemon(fact)


# ---- until ----------------------------------------------------------------------------------


@suite.fact
def until_contact_ends_with_the_step_of_the_first_contact():
    """Balls fall 1 m and 2 m, beside one that rests on the floor from the start."""
    def fact(daemon, client):
        for mode, error in (("timeStepping", 1.5e-3), ("eventImpulses", 1e-12), ("eventCompliant", 1e-12)):
            scene(client, [FLOOR, ball("resting", 0, x=-3), ball("one", 1), ball("two", 2, x=3)])
            reply = advance(client, 1, mode=mode, until="contact", include=["events"], gravity=[0, 0, 0]).json
            equal((reply["stoppedBy"], reply["time"]), ("duration", 1), f"{mode}: without gravity")
            if mode == "eventCompliant":
                client.delete(f"{SCENE}/bodies/resting").must(200)
            reply = advance(client, 1, mode=mode, until="contact", include=["events"]).json
            equal(reply["stoppedBy"], "contact", f"{mode}: why")
            near(reply["time"], math.sqrt(2 / G), error, f"{mode}: time")
            check([e["b"] for e in reply["eventList"] if e["time"] > 0][0] == "one", f"{mode}: {reply['eventList']}")
            near(client.get(SCENE).must(200).json["time"], 1 + reply["time"], 1e-12, f"{mode}: the scene's time")
            client.delete(SCENE).must(200)
        scene(client, [FLOOR, ball("one", 1)])
        reply = advance(client, 1, mode="eventImpulses", until="contact").json
        check("eventList" not in reply, "no list unless requested")
        equal((reply["stoppedBy"], len(reply["openContacts"])), ("contact", 1), "contact")
    with_daemon(fact)


@suite.fact
def until_at_rest_ends_when_all_bodies_rest():
    """A ball that bounces with half its speed rests sqrt(2 h / g) (1 + e) / (1 - e) after its start; a box that slides
    with friction mu stops after v / (mu g). In time stepping each of the 10 bounces that are faster than the rest
    velocity is late by up to a step, and its flight is in error by up to the speed of gravity in a step, 2 steps."""
    def fact(daemon, client):
        for mode, error in (("timeStepping", 10 * 3e-3), ("eventImpulses", 3e-3)):
            scene(client, [FLOOR, ball("ball", 0.2)], restitution=0.5)
            reply = advance(client, 10, mode=mode, until="atRest").json
            equal(reply["stoppedBy"], "atRest", f"{mode}: why")
            equal(reply["kineticEnergy"], 0, f"{mode}: energy")
            near(reply["time"], math.sqrt(0.4 / G) * 3, error, f"{mode}: time")
            client.delete(SCENE).must(200)
        box = {"id": "box", "position": [0, 0, 0.1], "colliders": [{"box": {"size": [1, 1, 0.2]}}], "motion": {"mass": 1, "linearVelocity": [2, 0, 0]}}
        client.put(SCENE, {"bodies": [FLOOR, box], "materials": {"default": {"staticFriction": 0.4, "dynamicFriction": 0.4}}})
        reply = advance(client, 10, until="atRest").json
        equal(reply["stoppedBy"], "atRest", "sliding")
        near(reply["time"], 2 / (0.4 * G), 2.5e-3, "time")
        reply = advance(client, 0.1, until="atRest", loads=[{"body": "box", "force": [100, 0, 0]}]).json
        equal((reply["stoppedBy"], reply["time"]), ("duration", 0.1), "a body that is pushed")
        scene(client, [FLOOR, ball("ball", 0.2)])
        client.post(f"{SCENE}/advance", {"duration": 1, "mode": "eventCompliant", "until": "atRest"}).problem(422, "conflicting-members", "/until")
        for value in ("rest", 1, None):
            problem = client.post(f"{SCENE}/advance", {"duration": 1, "until": value}, check=False).must(422).json
            equal(problem["errors"][0]["pointer"], "/until", f"pointer for {value!r}")
    with_daemon(fact)


# ---- checkpoints ----------------------------------------------------------------------------


def positions(client):
    return client.get(f"{SCENE}/poses").must(200).json


@suite.fact
def each_checkpoint_is_a_revision_and_the_motion_is_the_same():
    """With and without checkpoints, also with a contact state, the poses at the end have the same bits."""
    def fact(daemon, client):
        ends = []
        for members in ({}, {"checkpointEvery": 0.25}, {"checkpointEvery": 0.25, "contactState": "a", "include": ["events"]}):
            for mode in ("timeStepping", "eventImpulses"):
                scene(client, [FLOOR, ball("one", 0.1), ball("two", 0.6, x=3)], restitution=0.5)
                first = client.get(f"{SCENE}/poses").must(200)
                with Stream(daemon, "s") as stream:
                    begin = stream.next("revision").data["revision"]
                    reply = advance(client, 1, mode=mode, **members).json
                    revisions = [stream.next("revision").data["revision"] for unused in range(4 if members else 1)]
                equal(revisions, list(range(begin + 1, begin + 1 + len(revisions))), "revisions")
                equal((reply["revision"], reply.get("checkpoints")), (revisions[-1], 3 if members else None), "the last one")
                equal(client.get(SCENE).must(200).json["time"], 1, "time")
                ends.append((mode, positions(client)))
                check(first.status == 200, "poses before")
                client.delete(SCENE).must(200)
        for mode, end in ends[2:]:
            equal(end, dict(ends[:2])[mode], f"{mode}: poses")
    with_daemon(fact)


@suite.fact
def contacts_of_checkpoints_are_one_account():
    """The list of the reply, the stream and the state: every begin has one end, also over checkpoints."""
    def fact(daemon, client):
        scene(client, [FLOOR, *(ball(f"b{i}", 0.05 * i, x=2 * i) for i in range(5))], restitution=0.5)
        client.post(f"{SCENE}/contactStates/a").must(201)
        with Stream(daemon, "s", contact_state="a") as stream:
            stream.next("revision")
            reply = advance(client, 0.6, contactState="a", include=["events"], checkpointEvery=0.05).json
            revision, streamed = 0, []
            while revision < reply["revision"] or len(streamed) < len(reply["eventList"]):
                event = stream.next("revision", "began", "ended")
                if event.name == "revision":
                    revision = event.data["revision"]
                else:
                    equal(event.data["revision"], revision, "revision of an event")
                    streamed.append((event.name, event.data["contact"]["pair"], event.data["time"]))
        equal(reply["checkpoints"], 11, "checkpoints")
        equal(streamed, [(e["event"], e["pair"], e["time"]) for e in reply["eventList"]], "events")
        begun, ended = ([p for name, p, unused in streamed if name == kind] for kind in ("began", "ended"))
        equal((len(set(begun)), len(set(ended))), (len(begun), len(ended)), "each once")
        contacts = [c["pair"] for c in client.get(f"{SCENE}/contactStates/a").must(200).json["contacts"]]
        equal(sorted(contacts), sorted(reply["openContacts"]), "contacts")
    with_daemon(fact)


@suite.fact
def a_limit_that_is_exceeded_later_keeps_the_last_checkpoint():
    """2e8 m/s reach the largest coordinate, 1e9 m, at 5 s."""
    def fact(daemon, client):
        fast = {"id": "fast", "colliders": [{"sphere": {"radius": 1}}], "motion": {"mass": 1, "linearVelocity": [2e8, 0, 0]}}
        for members, kept, time in (({}, "nothing has changed", 0), ({"checkpointEvery": 1}, "its last checkpoint, is kept", 4.5)):
            scene(client, [fast])
            problem = advance(client, 10, status=422, timeStep=0.5, gravity=[0, 0, 0], **members).json
            equal(problem["type"], "/problems/limit-exceeded", "type")
            check(problem["detail"].endswith(f"{kept}."), problem["detail"])
            after = client.get(SCENE).must(200)
            check("checkpointEvery" not in members or after.headers["etag"].strip('"r') in problem["detail"], problem["detail"])
            check(time - 1 <= after.json.get("time", 0) <= time, f"the scene's time is {after.json.get('time', 0)}")
    with_daemon(fact)


@suite.fact
def a_missed_deadline_keeps_the_last_checkpoint():
    """In memory, in a store, and after kill -9."""
    lives = Lives(suite)
    for where in ("disk", "memory"):
        daemon = None if where == "disk" else Daemon().start()
        client = lives.client if where == "disk" else KeepAlive(daemon)
        scene(client, [FLOOR, *(ball(f"b{i}", 0.1, x=2 * i) for i in range(40))], restitution=0.9)
        before = client.get(SCENE).must(200)
        problem = client.post(f"{SCENE}/advance", {"duration": 1e4, "timeStep": 1e-3, "checkpointEvery": 0.01, "deadlineMs": 1500 * SLOWER}).must(504).json
        revision = int(client.get(SCENE).must(200).headers["etag"].strip('"r'))
        check(f"revision {revision}, its last checkpoint, is kept" in problem["detail"], problem["detail"])
        after = client.get(SCENE).must(200).json
        first = int(before.headers["etag"].strip('"r'))
        near(after["time"], 0.01 * (revision - first), 1e-3 * (revision - first), "time of the checkpoint")
        check(revision > first, "at least one checkpoint")
        if where == "disk":
            lives.again("KILL")
            equal(lives.client.get(SCENE).must(200).json, after, "after kill -9")
        else:
            client.close()
            daemon.stop()


@suite.fact
def another_write_ends_an_advance_and_keeps_its_checkpoints():
    lives = Lives(suite)
    scene(lives.client, [FLOOR, *(ball(f"b{i}", 0.1, x=2 * i) for i in range(40))], restitution=0.9)
    other = KeepAlive(lives.daemon)
    replies = []
    body = {"duration": 1e4, "timeStep": 1e-3, "checkpointEvery": 0.01, "deadlineMs": 30000 * SLOWER}
    thread = threading.Thread(target=lambda: replies.append(lives.client.post(f"{SCENE}/advance", body)))
    with Stream(lives.daemon, "s") as stream:
        stream.next("revision")
        thread.start()
        stream.next("revision")
    written = other.patch(f"{SCENE}/poses", {"ids": ["b0"], "positions": [[0, 0, 7]]}).must(200).json["revision"]
    thread.join()
    replies[0].problem(409, "scene-moved")
    document = other.get(SCENE).must(200)
    equal(int(document.headers["etag"].strip('"r')), written, "revision")
    check(document.json["time"] > 0, "time of the last checkpoint")
    other.close()


@suite.fact
def the_interval_of_checkpoints_is_checked():
    def fact(daemon, client):
        scene(client, [FLOOR, ball("ball", 1)])
        for value, problem in ((0, "out-of-range"), (-1, "out-of-range"), (1e7, "out-of-range"), ("1", "wrong-type"), (None, "wrong-type")):
            client.post(f"{SCENE}/advance", {"duration": 1, "checkpointEvery": value}).problem(422, problem, "/checkpointEvery")
        reply = advance(client, 0.1, checkpointEvery=0.1).json
        equal(reply["checkpoints"], 0, "the end is no checkpoint")
        lines = [json.loads(line) for line in advance(client, 1, checkpointEvery=0.25, progressEvery=0.5).text.splitlines()]
        equal(([line["time"] for line in lines], lines[-1]["checkpoints"]), ([0.5, 1], 3), "lines")
    with_daemon(fact)


suite.main()
