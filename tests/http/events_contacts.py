"""Streams that name a contact state: what ended and began comes contact by contact, as the reply of the event instant has it."""
import random

from support.checks import Suite, check, equal
from support.client import KeepAlive
from support.daemon import Daemon
from support.events import Stream

suite = Suite()
FLOOR = {"id": "floor", "colliders": [{"plane": {}}]}


def balls(count):
    """A floor and balls high above it, far from each other."""
    return {"bodies": [FLOOR] + [{"id": f"b{i}", "position": [10 * i, 0, 5], "motion": {"mass": 1},
                                  "colliders": [{"sphere": {"radius": 0.5}}]} for i in range(count)]}


def client_of(daemon, count):
    client = KeepAlive(daemon)
    client.put("/v1/scenes/cell", balls(count)).must(201)
    return client


def instant(client, touching, count, state="drops", status=(200, 201), **members):
    """An event at which just these balls touch the floor."""
    poses = {"ids": [f"b{i}" for i in range(count)], "positions": [[10 * i, 0, 0.25 if i in touching else 2] for i in range(count)]}
    reply = client.post(f"/v1/scenes/cell/contactStates/{state}", {"poses": poses, **members})
    check(reply.status in status, f"status is {reply.status}: {reply.text}")
    return reply.json


def told(stream, reply, state="drops"):
    """What the stream has of one event instant is what its reply has, in order: the revision, what ended, what began."""
    first = stream.next("revision")
    equal(first.data["revision"], reply["revision"], "revision")
    expected = [("ended", record) for record in reply["ended"]] + [("began", record) for record in reply["began"]]
    events = [stream.next() for unused in expected]
    frame = {"scene": "cell", "revision": reply["revision"], "contactState": state, "time": reply["time"]}
    equal([(e.name, e.data) for e in events], [(name, {**frame, "contact": record}) for name, record in expected], "events")
    equal([e.id for e in events], list(range(first.id + 1, first.id + 1 + len(events))), "ids")
    return [first, *events]


@suite.fact
def who_names_a_contact_state_hears_of_its_contacts_and_nobody_else():
    with Daemon() as daemon:
        client = client_of(daemon, 3)
        with Stream(daemon, "cell") as plain, Stream(daemon, "cell", contact_state="drops") as named, \
                Stream(daemon, "cell", contact_state="others") as others:
            for stream in (plain, named, others):  # the state does not exist yet
                stream.next("revision")
            replies = [instant(client, {0, 1}, 3, time=1), instant(client, {1, 2}, 3, time=2), instant(client, {1, 2}, 3),
                       instant(client, set(), 3, time=2.5)]
            equal([[len(r["ended"]), len(r["began"])] for r in replies], [[0, 2], [1, 1], [0, 0], [2, 0]], "what the replies tell")
            for reply in replies:
                event = told(named, reply)[0]
                for stream in (plain, others):
                    other = stream.next("revision")
                    equal((other.id, other.data), (event.id, event.data), "the revision elsewhere")
            reply = instant(client, {0}, 3, state="others")
            told(others, reply, "others")
            revision = client.delete("/v1/scenes/cell/contactStates/drops").must(200).json["revision"]
            for stream in (plain, named):
                equal([stream.next("revision").data["revision"] for unused in range(2)], [reply["revision"], revision], "revisions")


@suite.fact
def an_instant_that_is_refused_tells_nothing():
    with Daemon() as daemon:
        client = client_of(daemon, 2)
        with Stream(daemon, "cell", contact_state="drops") as stream:
            stream.next("revision")
            told(stream, instant(client, {0}, 2, time=1))
            instant(client, {1}, 2, time=0.5, status=(422,))
            client.post("/v1/scenes/cell/contactStates/drops", {"time": 3}, headers={"If-Match": '"r1"'}).must(412)
            told(stream, instant(client, {1}, 2, time=2))


@suite.fact
def a_stream_is_taken_up_between_two_events_of_one_write():
    with Daemon() as daemon:
        client = client_of(daemon, 4)
        with Stream(daemon, "cell", contact_state="drops") as stream:
            stream.next("revision")
            events = told(stream, instant(client, {0, 1}, 4)) + told(stream, instant(client, {2, 3}, 4))
        equal([e.name for e in events], ["revision", "began", "began", "revision", "ended", "ended", "began", "began"], "events")
        for i, event in enumerate(events[:-1]):
            with Stream(daemon, "cell", contact_state="drops", last=event.id) as again:
                equal([(e.id, e.name, e.data) for e in (again.next() for unused in events[i + 1:])],
                      [(e.id, e.name, e.data) for e in events[i + 1:]], f"what follows {event}")


@suite.fact
def one_write_that_tells_more_than_may_be_unread_drops_nobody():
    count = 20
    with Daemon("--limit", "eventBacklogBytes=4096") as daemon:
        client = client_of(daemon, count)
        with Stream(daemon, "cell", contact_state="drops") as stream:
            stream.next("revision")
            for touching in (set(range(count)), {1, 2}, {0, 1, 2}):
                told(stream, instant(client, touching, count))
            check(len(stream.said) > 2 * 4096, f"only {len(stream.said)} bytes were told")


@suite.fact
def one_write_that_tells_more_than_is_kept_is_a_reset():
    count = 30
    with Daemon("--limit", "eventRing=10") as daemon:
        client = client_of(daemon, count)
        with Stream(daemon, "cell", contact_state="drops") as stream, Stream(daemon, "cell") as plain:
            first = stream.next("revision").id
            plain.next("revision")
            reply = instant(client, set(range(count)), count)
            event = stream.next("reset")
            check(event.id > first, "the reset's id is not above those before it")
            equal(event.data["revision"], reply["revision"], "revision of the reset")
            plain.next("reset")
            told(stream, instant(client, set(range(1, count)), count))
            equal(plain.next("revision").id, event.id + 1, "what follows")


@suite.fact
def who_follows_the_stream_knows_the_contacts():
    """Whatever happens, what began and has not ended is what the contact state holds; pair numbers are never used again."""
    count, random_of = 12, random.Random(19)
    with Daemon() as daemon:
        client = client_of(daemon, count)
        with Stream(daemon, "cell", contact_state="drops") as stream:
            stream.next("revision")
            known, ever = {}, set()
            for unused in range(40):
                reply = instant(client, {i for i in range(count) if random_of.random() < 0.5}, count)
                for event in told(stream, reply)[1:]:
                    pair = event.data["contact"]["pair"]
                    if event.name == "ended":
                        known.pop(pair)
                    else:
                        check(pair not in ever, f"the number {pair} is used again")
                        ever.add(pair)
                        known[pair] = event.data["contact"]["b"]
                kept = client.get("/v1/scenes/cell/contactStates/drops").must(200).json["contacts"]
                equal(known, {record["pair"]: record["b"] for record in kept}, "contacts")


suite.main()
