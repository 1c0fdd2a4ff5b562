"""Streams that name a contact state: each contact that ended or began is one event. Truth: the reply of the event
instant."""
import random

from support.checks import Suite, check, equal
from support.client import KeepAlive
from support.daemon import Daemon
from support.events import Stream

suite = Suite()
FLOOR = {"id": "floor", "colliders": [{"plane": {}}]}


def balls(count):
    """A floor, and balls high above it and far from each other."""
    return {"bodies": [FLOOR] + [{"id": f"b{i}", "position": [10 * i, 0, 5], "motion": {"mass": 1},
                                  "colliders": [{"sphere": {"radius": 0.5}}]} for i in range(count)]}


def client_of(daemon, count):
    client = KeepAlive(daemon)
    client.put("/v1/scenes/cell", balls(count)).must(201)
    for state in ("drops", "others"):  # a stream that names an absent state is refused
        client.post(f"/v1/scenes/cell/contactStates/{state}").must(201)
    return client


def instant(client, touching, count, state="drops", status=(200, 201), **members):
    """An event instant at which exactly these balls touch the floor."""
    poses = {"ids": [f"b{i}" for i in range(count)], "positions": [[10 * i, 0, 0.25 if i in touching else 2] for i in range(count)]}
    reply = client.post(f"/v1/scenes/cell/contactStates/{state}", {"poses": poses, **members})
    check(reply.status in status, f"status is {reply.status}: {reply.text}")
    return reply.json


def told(stream, reply, state="drops"):
    """Checks that the stream has the revision, the ended contacts and the begun ones of a reply, in order."""
    first = stream.next("revision")
    equal(first.data["revision"], reply["revision"], "revision")
    expected = [("ended", record) for record in reply["ended"]] + [("began", record) for record in reply["began"]]
    events = [stream.next() for unused in expected]
    frame = {"scene": "cell", "revision": reply["revision"], "contactState": state, "time": reply["time"]}
    equal([(e.name, e.data) for e in events], [(name, {**frame, "contact": record}) for name, record in expected], "events")
    equal([e.id for e in events], list(range(first.id + 1, first.id + 1 + len(events))), "ids")
    return [first, *events]


@suite.fact
def only_streams_that_name_a_contact_state_have_its_contacts():
    with Daemon() as daemon:
        client = client_of(daemon, 3)
        with Stream(daemon, "cell") as plain, Stream(daemon, "cell", contact_state="drops") as named, \
                Stream(daemon, "cell", contact_state="others") as others:
            for stream in (plain, named, others):
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
def a_refused_event_instant_sends_no_event():
    with Daemon() as daemon:
        client = client_of(daemon, 2)
        with Stream(daemon, "cell", contact_state="drops") as stream:
            stream.next("revision")
            told(stream, instant(client, {0}, 2, time=1))
            instant(client, {1}, 2, time=0.5, status=(422,))
            client.post("/v1/scenes/cell/contactStates/drops", {"time": 3}, headers={"If-Match": '"r1"'}).must(412)
            told(stream, instant(client, {1}, 2, time=2))


@suite.fact
def a_stream_can_be_resumed_between_two_events_of_one_write():
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
def one_write_with_more_events_than_the_backlog_drops_no_stream():
    count = 20
    with Daemon("--limit", "eventBacklogBytes=4096") as daemon:
        client = client_of(daemon, count)
        with Stream(daemon, "cell", contact_state="drops") as stream:
            stream.next("revision")
            for touching in (set(range(count)), {1, 2}, {0, 1, 2}):
                told(stream, instant(client, touching, count))
            check(len(stream.said) > 2 * 4096, f"only {len(stream.said)} bytes were told")


@suite.fact
def one_write_with_more_events_than_the_ring_is_a_reset_for_streams_of_the_state():
    """Other streams lose nothing, open or resumed; neither does a stream that is resumed where exactly as many
    events as the ring has were written."""
    count, ring = 30, 10
    for touching in (ring - 1, ring, count):
        with Daemon("--limit", f"eventRing={ring}") as daemon:
            client = client_of(daemon, count)
            with Stream(daemon, "cell", contact_state="drops") as stream, Stream(daemon, "cell") as plain, \
                    Stream(daemon, "cell", contact_state="others") as others:
                first = [each.next("revision") for each in (stream, plain, others)][0]
                reply = instant(client, set(range(touching)), count)
                whole = touching < ring
                if whole:
                    events = told(stream, reply)
                else:
                    events = [stream.next("revision"), stream.next("reset")]
                    equal([e.id for e in events], [first.id + 1, first.id + 2], "ids")
                    equal(events[1].data, events[0].data, "data of the reset")
                equal(events[0].data["revision"], reply["revision"], "revision")
                for each in (plain, others):
                    event = each.next("revision")
                    equal((event.id, event.data), (events[0].id, events[0].data), "the revision elsewhere")
                for state, expected in ((None, events[:1]), ("others", events[:1]), ("drops", events)):
                    with Stream(daemon, "cell", contact_state=state, last=first.id) as again:
                        equal([(e.id, e.name, e.data) for e in (again.next() for unused in expected)],
                              [(e.id, e.name, e.data) for e in expected], f"what one who names {state} comes back to")
                after = instant(client, set(range(1, touching)), count)
                equal([r["pair"] for r in after["ended"]], [1], "what ended")
                follows = told(stream, after)[0]
                for each in (plain, others):
                    event = each.next("revision")
                    equal((event.id, event.data), (follows.id, follows.data), "what follows")


ENDED = ("pair", "pairId", "a", "b", "begun", "normalVelocity")  # members of the begin event that the end event repeats


def ended_with(stream, write, state, records):
    """Checks that the stream has the write's revision and the end of all contacts of the state, in the order of pair
    numbers."""
    revision = write.must(200).json["revision"]
    equal(stream.next("revision").data["revision"], revision, "revision")
    for record in sorted(records, key=lambda r: r["pair"]):
        data = stream.next("ended").data
        equal((data["revision"], data["contactState"], data["time"]), (revision, state, 1), "frame")
        kept = {k: record[k] for k in ENDED}
        equal(data["contact"], {**kept, "cause": "state"}, "contact")


def ways_to_drop(client):
    """(write that removes the state, whether it removes all other states) of each way."""
    path = "/v1/scenes/cell"
    return (lambda: client.delete(f"{path}/contactStates/drops"), False), (lambda: client.put(path, balls(4)), True)


@suite.fact
def deleting_a_state_ends_its_contacts_and_pair_numbers_are_not_reused():
    with Daemon() as daemon:
        client = client_of(daemon, 4)
        with Stream(daemon, "cell", contact_state="drops") as stream, Stream(daemon, "cell", contact_state="others") as others:
            stream.next("revision"), others.next("revision")
            ever = set()
            for drop, all_go in ways_to_drop(client):
                told(stream, instant(client, {1, 2}, 4, time=0))
                held = instant(client, {0, 1, 2}, 4, time=1)  # the order of pairs differs from that of the scene
                told(stream, held)
                elsewhere = instant(client, {3}, 4, state="others", time=1)
                stream.next("revision")
                records = client.get("/v1/scenes/cell/contactStates/drops").must(200).json["contacts"]
                pairs = {r["pair"] for r in records + elsewhere["began"]}
                check(len(pairs) == 4 and not pairs & ever, f"pairs {pairs} after {ever}")
                ever |= pairs
                ended_with(stream, drop(), "drops", records)
                equal([others.next("revision").data["revision"] for unused in range(2)],
                      [held["revision"] - 1, held["revision"]], "revisions elsewhere")
                told(others, elsewhere, "others")
                if all_go:
                    others.next("revision")
                else:
                    client.delete("/v1/scenes/cell/contactStates/others").must(200)
                    others.next("revision"), others.next("revision"), stream.next("revision")
                equal(others.next("ended").data["contact"], {**{k: v for k, v in elsewhere["began"][0].items() if k in ENDED},
                                                             "cause": "state"}, "what ended in the other")


@suite.fact
def deleting_a_state_with_more_contacts_than_the_ring_is_a_reset():
    with Daemon("--limit", "eventRing=3") as daemon:
        client = client_of(daemon, 4)
        for drop, all_go in ways_to_drop(client):
            instant(client, {0, 1, 2, 3}, 4, time=1)
            at = instant(client, {3}, 4, state="others", time=1)
            other = at["began"] + at["persisted"]
            with Stream(daemon, "cell", contact_state="drops") as stream, Stream(daemon, "cell", contact_state="others") as others, \
                    Stream(daemon, "cell") as plain:
                for each in (stream, others, plain):
                    each.next("revision")
                revision = drop().must(200).json["revision"]
                events = [each.next("revision") for each in (stream, others, plain)]
                equal([e.data["revision"] for e in events], [revision] * 3, "revisions")
                equal(stream.next("reset").data, events[0].data, "data of the reset")
                if all_go:
                    equal(others.next("ended").data["contact"]["pair"], other[0]["pair"], "what ended elsewhere")
                client.patch("/v1/scenes/cell", {"user": {}}).must(200)
                for each in (stream, others, plain):
                    equal(each.next("revision").data["revision"], revision + 1, "what follows")


@suite.fact
def the_events_of_a_stream_add_up_to_the_contact_state():
    """After any sequence of events, the contacts that began and did not end are those of the contact state; pair
    numbers are never reused."""
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
