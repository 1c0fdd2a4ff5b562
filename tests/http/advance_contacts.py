"""Contacts that begin, persist and end in `advance`, in every mode: the list of the reply, the contact state that it
continues and the scene's stream are one account, in which every begin has exactly one end. Truth: closed forms of a
bouncing ball, and the account itself over random lives (40 per mode; 10,120 with CONTACTD_FULL=1)."""
import math
import os
import random

from support.checks import Suite, check, equal, near
from support.client import KeepAlive
from support.daemon import Daemon
from support.events import Stream
from support.lives import Lives
from support.pace import SLOWER

suite = Suite()
FLOOR = {"id": "floor", "colliders": [{"plane": {}}]}
G = 9.81
MODES = ("timeStepping", "eventImpulses", "eventCompliant")
SOFT = {"youngsModulus": 1e6, "poissonRatio": 0.3}
COMMON = 40  # lives that every number of workers has: their replies are compared
LIVES = 3400 if os.environ.get("CONTACTD_FULL") else COMMON  # for each number of workers
STATE = "/v1/scenes/s/contactStates/account"


def ball(name, gap, x=0.0, **motion):
    return {"id": name, "position": [x, 0, 0.5 + gap], "colliders": [{"sphere": {"radius": 0.5}}], "motion": {"mass": 2, **motion}}


def scene(client, bodies, restitution=0.5, path="/v1/scenes/s"):
    client.put(path, {"bodies": bodies, "materials": {"default": {"restitution": restitution, **SOFT}}}).must(201)


def advance(client, duration, mode="timeStepping", status=200, path="/v1/scenes/s", **members):
    return client.post(f"{path}/advance", {"duration": duration, "mode": mode, "deadlineMs": 30000 * SLOWER, "include": ["events"], **members}).must(status).json


def with_daemon(fact, *options):
    with Daemon(*options) as daemon:
        client = KeepAlive(daemon)
        fact(daemon, client)
        client.close()


class Account:
    """Contacts by their numbers: each begins once and ends at most once."""

    def __init__(self):
        self.begun, self.open = {}, set()

    def add(self, event, number, pair):
        if event == "began":
            check(number not in self.begun, f"the contact {number} begins twice")
            check(pair not in {self.begun[k] for k in self.open}, f"{pair} begins while it is in contact")
            self.begun[number] = pair
            self.open.add(number)
        else:
            check(number in self.open, f"{event} of {number}, which is not in contact")
            equal(pair, self.begun[number], f"pair of {number}")
        if event == "ended":
            self.open.discard(number)

    def add_list(self, reply):
        for event in reply["eventList"]:
            self.add(event["event"], event["pair"], event["pairId"])
        equal(sorted(reply["openContacts"]), sorted(self.open), "open contacts")


# ---- one bouncing ball ----------------------------------------------------------------------


@suite.fact
def time_stepping_reports_a_bounce_at_the_end_of_its_step():
    """It falls 1 m. The step that contains the impact has its begin; velocity and impulse have the error of the
    gravity of one step."""
    def fact(daemon, client):
        for step in (1e-2, 1e-3, 1e-4):
            scene(client, [FLOOR, ball("ball", 1)], path=f"/v1/scenes/s{step}")
            reply = advance(client, 0.6, timeStep=step, path=f"/v1/scenes/s{step}")
            at, speed, lost = math.sqrt(2 / G), math.sqrt(2 * G), G * step
            began, ended = reply["eventList"]
            equal([began["event"], ended["event"]], ["began", "ended"], "events")
            near(began["time"], at, 1.5 * step, "begin")
            check(began["time"] < ended["time"] <= began["time"] + 2.001 * step, f"end {ended['time']}")
            near(began["normalVelocity"], -speed, 1.5 * lost, "approach")
            near(ended["normalVelocity"], 0.5 * speed, 1.5 * lost, "separation")
            near(began["impulse"], 2 * 1.5 * speed, 2 * 3 * lost, "impulse")
            near(ended["impulse"], began["impulse"], 1e-12, "whole impulse")
            equal(reply["openContacts"], [], "open")
    with_daemon(fact)


@suite.fact
def event_impulses_reports_a_bounce_at_its_time():
    def fact(daemon, client):
        scene(client, [FLOOR, ball("ball", 1)])
        reply = advance(client, 1.2, mode="eventImpulses", timeStep=1e-3)
        speed, at = math.sqrt(2 * G), math.sqrt(2 / G)
        events = reply["eventList"]
        equal([e["event"] for e in events], ["began", "impact", "ended"] * 3, "events")
        for began, impact, ended in (events[:3], events[3:6], events[6:]):
            equal(len({began["pair"], impact["pair"], ended["pair"]}), 1, "pair")
            near(began["time"], at, 1e-12, "begin")
            equal(impact["time"], began["time"], "impact")
            check(at <= ended["time"] <= at + 2e-3, f"end {ended['time']}")
            near(impact["normalVelocity"], -speed, 1e-11, "approach")
            near(impact["impulse"], 2 * 1.5 * speed, 1e-10, "impulse")
            near(ended["normalVelocity"], 0.5 * speed, 1e-10, "separation")
            speed /= 2
            at += 2 * speed / G
        check(events[0]["pair"] < events[3]["pair"], "numbers ascend")
    with_daemon(fact)


@suite.fact
def every_mode_lists_the_same_members():
    def fact(daemon, client):
        for mode in MODES:
            scene(client, [FLOOR, ball("rests", 0, x=3), ball("falls", 0.05)], path=f"/v1/scenes/{mode}")
            reply = advance(client, 0.3, mode=mode, path=f"/v1/scenes/{mode}", timeStep=1e-3)
            account = Account()
            account.add_list(reply)
            first = reply["eventList"][0]
            equal((first["event"], first["time"], first["b"]), ("began", 0, "rests"), f"{mode}: at the start")
            falls = [e for e in reply["eventList"] if e["b"] == "falls"]
            equal(falls[0]["event"], "began", f"{mode}: begin")
            near(falls[0]["time"], math.sqrt(0.1 / G), 1.5e-3, f"{mode}: begin")
            near(falls[0]["normalVelocity"], -math.sqrt(0.1 * G), 2 * G * 1e-3, f"{mode}: approach")
            for event in reply["eventList"]:
                check({"time", "event", "pair", "pairId", "a", "b"} <= set(event), f"{mode}: {event}")
    with_daemon(fact)


# ---- lives over calls -----------------------------------------------------------------------


@suite.fact
def a_contact_that_lasts_over_calls_writes_and_restarts_begins_once():
    lives = Lives(suite)
    for mode in MODES:
        path = f"/v1/scenes/{mode}"
        scene(lives.client, [FLOOR, ball("ball", 0)], path=path)
        account = Account()
        members = {"mode": mode, "contactState": "account", "path": path, "timeStep": 1e-3}
        account.add_list(advance(lives.client, 0.01, **members))
        equal(len(account.open), 1, f"{mode}: in contact")
        for how in (None, "TERM", "KILL"):
            if how:
                lives.again(how)
            lives.client.patch(f"{path}/poses", {"ids": ["ball"], "linearVelocities": [[0.25, 0, 0]]}).must(200)
            reply = advance(lives.client, 0.01, **members)
            equal(reply["eventList"], [], f"{mode}: events after {how}")
            account.add_list(reply)
        state = lives.client.get(f"{path}/contactStates/account").must(200).json
        equal([(c["pair"], c["begun"]) for c in state["contacts"]], [(k, 0) for k in account.open], f"{mode}: state")
        near(state["time"], 0.04, 1e-12, f"{mode}: time of the state")


@suite.fact
def a_write_that_separates_a_pair_ends_its_contact_at_the_next_start():
    def fact(daemon, client):
        for mode in MODES:
            path = f"/v1/scenes/{mode}"
            members = {"mode": mode, "contactState": "account", "path": path, "timeStep": 1e-3}
            scene(client, [FLOOR, ball("ball", 0), ball("other", 0, x=4)], path=path)
            account = Account()
            account.add_list(advance(client, 0.01, **members))
            client.patch(f"{path}/poses", {"ids": ["ball"], "positions": [[0, 0, 5]]}).must(200)
            reply = advance(client, 0.01, **members)
            equal([(e["event"], e["time"], e["b"]) for e in reply["eventList"]], [("ended", 0, "ball")], f"{mode}: events")
            account.add_list(reply)
            client.delete(f"{path}/bodies/other").must(200)
            reply = advance(client, 0.01, **members)
            equal([(e["event"], e["b"]) for e in reply["eventList"]], [("ended", "other")], f"{mode}: body deleted")
            account.add_list(reply)
    with_daemon(fact)


@suite.fact
def without_a_contact_state_each_call_has_its_own_account():
    """Numbers are not used again, also not by a contact state."""
    def fact(daemon, client):
        scene(client, [FLOOR, ball("ball", 0)])
        numbers = []
        for unused in range(3):
            reply = advance(client, 0.01)
            equal([e["event"] for e in reply["eventList"]], ["began"], "events")
            numbers += reply["openContacts"]
        numbers += [c["pair"] for c in client.post(STATE).must(201).json["began"]]
        equal(sorted(set(numbers)), numbers, "numbers")
        equal(client.get("/v1/scenes/s/contactStates").must(200).json["count"], 1, "contact states")
    with_daemon(fact)


@suite.fact
def events_and_advance_continue_one_contact_state():
    """The ball leaves the floor by an event of the state, and returns by advance."""
    def fact(daemon, client):
        scene(client, [FLOOR, ball("ball", 0)])
        account = Account()
        account.add_list(advance(client, 0.01, contactState="account"))
        reply = client.post(STATE, {"time": 1, "poses": {"ids": ["ball"], "positions": [[0, 0, 1.5]]}}).must(200).json
        equal([c["pair"] for c in reply["ended"]], list(account.open), "ended")
        for record in reply["ended"]:
            account.add("ended", record["pair"], record["pairId"])
        reply = advance(client, 0.5, contactState="account")
        account.add_list(reply)
        near(reply["eventList"][0]["time"], math.sqrt(2 / G), 1.5e-3, "begin")
        state = client.get(STATE).must(200).json
        near(state["time"], 1.5, 1e-12, "time")
    with_daemon(fact)


@suite.fact
def a_write_of_poses_reports_what_began_persisted_and_ended():
    """The reply is that of an event of the contact state, by PATCH and by PUT; without contactState it is that of a
    write."""
    def fact(daemon, client):
        path = "/v1/scenes/s"
        scene(client, [FLOOR, ball("low", 0), ball("high", 1, x=4)])
        first = client.patch(f"{path}/poses", {"ids": ["low"], "linearVelocities": [[1, 0, 0]], "contactState": "account"}).must(200).json
        equal(([c["b"] for c in first["began"]], first["persisted"], first["ended"], first["contactState"]), (["low"], [], [], "account"), "first")
        with Stream(daemon, "s", contact_state="account") as stream:
            stream.next("revision")
            poses = {"ids": ["high"], "positions": [[4, 0, 0.5]], "linearVelocities": [[0, 0, -3]]}
            second = client.patch(f"{path}/poses", {**poses, "contactState": "account", "persisted": "pairs"}).must(200).json
            equal(([(c["b"], c["normalVelocity"]) for c in second["began"]], second["persisted"], second["ended"]),
                  ([("high", -3)], [first["began"][0]["pair"]], []), "second")
            equal(stream.next("revision").data["revision"], second["revision"], "revision")
            equal(stream.next("began").data["contact"], second["began"][0], "on the stream")
            plain = client.patch(f"{path}/poses", {"ids": ["low"], "positions": [[0, 0, 3]]}).must(200).json
            equal(sorted(plain), ["durability", "revision"], "a write without contactState")
            stream.next("revision")
            everything = {"ids": ["floor", "low", "high"], "positions": [[0, 0, 0], [0, 0, 3], [4, 0, 0.5]]}
            third = client.put(f"{path}/poses", {**everything, "contactState": "account"}).must(200).json
            equal(([c["pair"] for c in third["ended"]], [c["pair"] for c in third["persisted"]]),
                  ([first["began"][0]["pair"]], [second["began"][0]["pair"]]), "third")
            stream.next("revision")
            equal(stream.next("ended").data["contact"], third["ended"][0], "on the stream")
        equal(client.get(STATE).must(200).json["events"], 3, "events")
        reply = advance(client, 0.01, contactState="account", gravity=[0, 0, 0], mode="eventImpulses")
        equal([(e["event"], e["pair"]) for e in reply["eventList"]], [(name, second["began"][0]["pair"]) for name in ("impact", "ended")],
              "advance after writes of poses")
        for value in (5, "", None):
            problem = client.patch(f"{path}/poses", {**poses, "contactState": value}).must(422).json
            equal(problem["errors"][0]["pointer"], "/contactState", f"pointer for {value!r}")
        client.patch(f"{path}/poses", {**poses, "contactState": "account", "persisted": "all"}).must(422)
        client.patch(f"{path}/poses", {**poses, "contactState": "account"}, headers={"If-Match": '"r1"'}).must(412)
    with_daemon(fact)


@suite.fact
def a_refused_advance_changes_no_contact_state():
    def fact(daemon, client):
        scene(client, [FLOOR, ball("ball", 0)])
        advance(client, 0.01, contactState="account")
        before = client.get(STATE).must(200).json
        client.post("/v1/scenes/s/advance", {"duration": 1000, "contactState": "account", "deadlineMs": 1}).must(504)
        equal(client.get(STATE).must(200).json, before, "state")
        for value, status, pointer in ((5, 422, "/contactState"), ("", 422, "/contactState"), ("a" * 300, 422, "/contactState"),
                                       (None, 422, "/contactState")):
            problem = client.post("/v1/scenes/s/advance", {"duration": 0.01, "contactState": value}).must(status).json
            equal(problem["errors"][0]["pointer"], pointer, f"pointer for {value!r:.20}")
        for i in range(15):
            client.post(f"/v1/scenes/s/contactStates/more{i}").must(201)
        problem = client.post("/v1/scenes/s/advance", {"duration": 0.01, "contactState": "another"}).must(422).json
        equal(problem["type"], "/problems/limit-exceeded", "too many")
        advance(client, 0.01, contactState="account")
    with_daemon(fact)


@suite.fact
def more_contacts_than_records_are_refused_by_the_limit_of_records():
    """900 pairs of kinematic and fixed bodies: contacts of the state, but none of the motion."""
    def fact(daemon, client):
        sphere = [{"sphere": {"radius": 1}}]
        fixed = [{"id": f"f{i}", "colliders": sphere} for i in range(30)]
        driven = [{"id": f"k{i}", "colliders": sphere, "motion": {"isKinematic": True}} for i in range(30)]
        scene(client, [*fixed, *driven])
        details = [client.post(path, body).problem(422, "limit-exceeded").json["detail"]
                   for path, body in (("/v1/scenes/s/advance", {"duration": 0.01, "contactState": "account"}), (f"{STATE}", {}))]
        equal(details[0], details[1], "detail of the advance and of the event")
        check("An event has more than" in details[0] and "requestMemoryBytes" in details[0], details[0])
    with_daemon(fact, "--limit", "requestMemoryBytes=1048576")


# ---- the stream -----------------------------------------------------------------------------


def stream_of(reply, start):
    """The events of the stream that an advance with this reply sends."""
    return [(e["event"], e["pair"], start + e["time"], e.get("normalVelocity") if "impulse" in e else None)
            for e in reply["eventList"] if e["event"] != "impact"]


def read_contacts(stream, count):
    events = [stream.next("began", "ended") for unused in range(count)]
    return [(e.name, e.data["contact"]["pair"], e.data["time"], e.data.get("normalVelocity")) for e in events]


@suite.fact
def the_stream_has_the_begins_and_ends_of_the_reply():
    def fact(daemon, client):
        scene(client, [FLOOR, *(ball(f"b{i}", 0.1 * i, x=2 * i) for i in range(5))])
        client.post(STATE).must(201)
        for mode in ("timeStepping", "eventImpulses"):
            start = client.get(STATE).must(200).json["time"]
            with Stream(daemon, "s", contact_state="account") as stream, Stream(daemon, "s") as plain:
                stream.next("revision")
                plain.next("revision")
                reply = advance(client, 0.3, mode=mode, contactState="account", timeStep=1e-3)
                stream.next("revision")
                events = stream_of(reply, start)
                check(len(events) > 4, f"{mode}: {len(events)} events")
                equal(read_contacts(stream, len(events)), events, f"{mode}: events")
                client.patch("/v1/scenes/s/poses", {"ids": ["b1"], "linearVelocities": [[0, 0, 2]]}).must(200)
                stream.next("revision")
                for unused in range(2):
                    plain.next("revision")
    with_daemon(fact)


@suite.fact
def more_events_than_the_ring_are_one_reset():
    def fact(daemon, client):
        scene(client, [FLOOR, *(ball(f"b{i}", 0.01, x=2 * i) for i in range(20))])
        client.post(STATE).must(201)
        with Stream(daemon, "s", contact_state="account") as stream:
            stream.next("revision")
            advance(client, 0.2, contactState="account")
            stream.next("revision")
            stream.next("reset")
            advance(client, 0.001, contactState="account")
            stream.next("revision")
    with_daemon(fact, "--limit", "eventRing=10")


# ---- random lives ---------------------------------------------------------------------------


def some_place(rng, mode, number, row=0):
    """Anywhere near the others; for the elastic law, where a body overlaps no other one: each has its own x, and each
    write its own y."""
    if mode == "eventCompliant":
        return [0.7 * number, 2.0 * row, rng.uniform(0.31, 0.6)]
    return [rng.uniform(-0.8, 0.8), rng.uniform(-0.8, 0.8), rng.uniform(0.3, 1.5)]


def some_bodies(rng, mode):
    bodies = [FLOOR]
    for i in range(rng.randint(2, 5)):
        at = some_place(rng, mode, i)
        speed = [rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-3, 1)]
        kind = {"sphere": {"radius": rng.uniform(0.15, 0.3)}}
        if mode == "timeStepping" and rng.random() < 0.5:
            kind = {"box": {"size": [rng.uniform(0.2, 0.5) for unused in range(3)]}}
        bodies.append({"id": f"b{i}", "position": at, "colliders": [kind], "motion": {"mass": rng.uniform(0.5, 2), "linearVelocity": speed}})
    return bodies


class Reader:
    """A stream that names the contact state, and the account of what it reports."""

    def __init__(self, daemon, name, contacts=()):
        self.stream = Stream(daemon, name, contact_state="account")
        self.account, self.events = Account(), []
        for record in contacts:
            self.account.add("began", record["pair"], record["pairId"])
        self.revision = self.stream.next("revision").data["revision"]

    def read_to(self, revision):
        while self.revision < revision:
            event = self.stream.next("revision", "began", "ended")
            if event.name == "revision":
                self.revision = event.data["revision"]
                continue
            contact = event.data["contact"]
            self.account.add(event.name, contact["pair"], contact["pairId"])
            self.events.append((event.data["revision"], event.name, contact["pair"], event.data["time"]))
        self.stream.close()


def random_write(client, rng, path, mode, account, row):
    """One write of poses, event of the state, or advance. Returns its reply."""
    what = rng.random()
    number = rng.randint(0, 1)
    poses = {"ids": [f"b{number}"], "positions": [some_place(rng, mode, number, row)]}
    if what < 0.2:
        return client.patch(f"{path}/poses", poses).must(200)
    if what < 0.35:
        reply = client.post(f"{path}/contactStates/account", {"poses": poses}).must(200)
        for event in ("ended", "began"):
            for record in reply.json[event]:
                account.add(event, record["pair"], record["pairId"])
        return reply
    members = {"duration": rng.choice((0.02, 0.1, 0.2)), "mode": mode, "timeStep": 0.002, "contactState": "account", "include": ["events"],
               "deadlineMs": 30000 * SLOWER}
    reply = client.post(f"{path}/advance", members).must(200)
    account.add_list(reply.json)
    return reply


def live(client, daemon, rng, mode, name):
    """One random history of a scene. Returns the texts of its replies."""
    path, account, texts = f"/v1/scenes/{name}", Account(), []
    # The elastic law needs steps of 1e-8 s for bodies that overlap at rest: there, nothing pulls them to the floor.
    elastic = mode == "eventCompliant"
    material = {"restitution": rng.choice((0.3, 0.5, 0.8) if elastic else (0, 0.3, 0.8)), "staticFriction": 0.3, **SOFT}
    client.put(path, {"bodies": some_bodies(rng, mode), "materials": {"default": material}, "gravity": [0, 0, 0 if elastic else -G]}).must(201)
    first = client.post(f"{path}/contactStates/account").must(201).json["began"]
    for record in first:
        account.add("began", record["pair"], record["pairId"])
    readers = [Reader(daemon, name, first)]
    for row in range(1, rng.randint(3, 5)):
        texts.append(random_write(client, rng, path, mode, account, row).text)
        contacts = client.get(f"{path}/contactStates/account").must(200).json["contacts"]
        equal(sorted(c["pair"] for c in contacts), sorted(account.open), f"{name}: contacts of the state")
        readers.append(Reader(daemon, name, contacts))
    # Deleting the state ends all of its contacts.
    client.delete(f"{path}/contactStates/account").must(200)
    last = client.patch(path, {"user": "last"}).must(200).json["revision"]
    for reader in readers:
        reader.read_to(last)
        equal(reader.account.open, set(), f"{name}: contacts without an end")
    for reader in readers[1:]:
        equal(reader.events, readers[0].events[len(readers[0].events) - len(reader.events):], f"{name}: a reader that joins late")
    equal(len(readers[0].account.begun), len(account.begun), f"{name}: begins in replies and on the stream")
    client.delete(path).must(200)
    return texts


@suite.fact
def every_begin_has_one_end_over_random_lives_with_any_number_of_workers():
    """Replies, contact state and streams agree after every write, and all workers give the same bytes."""
    for mode in MODES:
        texts = []
        for workers in (1, 2, 4):
            with Daemon("--workers", str(workers)) as daemon:
                client = KeepAlive(daemon)
                seeds = [f"{mode}{i}" if i < COMMON else f"{mode}{i} {workers}" for i in range(LIVES)]
                lives = [live(client, daemon, random.Random(seed), mode, f"{mode}{i}") for i, seed in enumerate(seeds)]
                texts.append(lives[:COMMON])
                client.close()
        for other in texts[1:]:
            equal(other, texts[0], f"{mode}: replies by the number of workers")


suite.main()
