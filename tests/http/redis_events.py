"""Event streams of several daemons with one Redis: whichever daemon writes, all streams have the same events, and a
stream is resumed at another daemon. Truth: the complete sequence of revisions, with one event for each acknowledged
write.
CONTACTD_FULL=1: more rounds of each."""
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import tempfile
import threading
import time

from support.checks import Suite, check, equal
from support.client import KeepAlive
from support.events import HEARTBEAT, SECONDS, Stream, gather
from support.fleet import Fleet
from support.redis import Redis, Spoiler
from support.stopwatch import Elapsed, Stopwatch, timed, wait_until

suite = Suite()
FULL = bool(os.environ.get("CONTACTD_FULL"))
# Limits for a reader that starts when all is written: many thousand events, where daemon and Redis are fast.
LATE_READER = {"eventRing": 100000, "eventBacklogBytes": 268435456}
LONG = "s" + "c" * 127  # an id that makes events long


class Client:
    """A client with the interface of a daemon."""

    def __init__(self, client):
        self.client = client


def limits(**values):
    return [word for name, value in values.items() for word in ("--limit", f"{name}={value}")]


def scene_at(node, name="s"):
    """Creates a scene; returns its revision."""
    return node.client.put(f"/v1/scenes/{name}", {"bodies": []}).must(201).json["revision"]


def write(node, name="s", check_reply=True):
    return node.client.patch(f"/v1/scenes/{name}", {"user": {}}, check=check_reply).must(200).json["revision"]


def revisions(events):
    return [e.data["revision"] for e in events]


def seen(events):
    return [(e.name, e.id, e.data) for e in events]


def take(stream, count):
    return [stream.next("revision") for unused in range(count)]


def follow(first, events, count):
    """Checks that numbers and revisions are consecutive after an event."""
    equal([(e.id - first.id, e.data["revision"] - first.data["revision"]) for e in events], [(i, i) for i in range(1, count + 1)],
          "numbers and revisions after the first")


# ---- delivery ------------------------------------------------------------------------------------------------------------------


@suite.fact
def a_stream_at_any_daemon_has_the_writes_of_all_daemons():
    a, b, c = Redis(suite).daemons(3)
    scene_at(a)
    a.client.post("/v1/scenes/s/contactStates/x").must(201)
    with Stream(a, "s") as one, Stream(b, "s") as two, Stream(b, "s", contact_state="x") as three:
        first = [each.next("revision") for each in (one, two, three)]
        equal(seen(first[1:]), seen(first[:1] * 2), "how the scene stands")
        for i in range(40):
            write((a, b, c)[i % 3])
        heard = [take(each, 40) for each in (one, two, three)]
        follow(first[0], heard[0], 40)
        equal([seen(h) for h in heard[1:]], [seen(heard[0])] * 2, "what is heard at the others")



@suite.fact
def events_of_many_writers_are_in_the_order_of_revisions():
    nodes = Redis(suite).daemons(3)
    first = scene_at(nodes[0])
    with Stream(nodes[0], "s") as one, Stream(nodes[1], "s") as two:
        start = [take(each, 1)[0] for each in (one, two)]

        def work(node):
            client = KeepAlive(node)
            for unused in range(20):
                client.patch("/v1/scenes/s", {"user": {}}, check=False)

        threads = [threading.Thread(target=work, args=(nodes[i % 3],)) for i in range(6)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        last = nodes[2].client.get("/v1/scenes/s").must(200).etag
        count = int(last.strip('"r')) - first
        check(count > 60, f"only {count} of 120 writes were acknowledged")
        heard = [take(each, count) for each in (one, two)]
        follow(start[0], heard[0], count)
        equal(seen(heard[0]), seen(heard[1]), "what is heard at the other")


@suite.fact
def contact_events_are_sent_by_the_other_daemon():
    """A stream can also be resumed at the other daemon between two events of one write."""
    a, b = Redis(suite).daemons(2)
    floor = {"id": "floor", "colliders": [{"plane": {}}]}
    balls = [{"id": f"b{i}", "position": [10 * i, 0, 5], "motion": {"mass": 1}, "colliders": [{"sphere": {"radius": 0.5}}]} for i in range(4)]
    a.client.put("/v1/scenes/s", {"bodies": [floor, *balls]}).must(201)
    a.client.post("/v1/scenes/s/contactStates/drops").must(201)
    with Stream(a, "s", contact_state="drops") as here, Stream(b, "s", contact_state="drops") as there, Stream(b, "s") as plain:
        for each in (here, there, plain):
            each.next("revision")
        expected, instants = [], ({0, 1}, {1, 2, 3}, set())
        for i, touching in enumerate(instants):
            poses = {"ids": [f"b{k}" for k in range(4)], "positions": [[10 * k, 0, 0.25 if k in touching else 2] for k in range(4)]}
            reply = (a, b)[i % 2].client.post("/v1/scenes/s/contactStates/drops", {"poses": poses, "time": i}).json
            frame = {"scene": "s", "revision": reply["revision"], "contactState": "drops", "time": i}
            expected.append(("revision", {"scene": "s", "revision": reply["revision"], "bodies": 5}))
            expected += [(name, {**frame, "contact": record}) for name in ("ended", "began") for record in reply[name]]
        events = [there.next() for unused in expected]
        equal([(e.name, e.data) for e in events], expected, "events")
        equal(seen(here.next() for unused in expected), seen(events), "events at the first daemon")
        equal(seen(take(plain, 3)), seen(e for e in events if e.name == "revision"), "events of who names no state")
        check(len(events) == 11, f"{len(events)} events")
        for i in range(len(events)):
            with Stream((a, b)[i % 2], "s", contact_state="drops", last=events[i].id) as again:
                equal(seen(again.next() for unused in events[i + 1:]), seen(events[i + 1:]), f"what follows {events[i]}")


@suite.fact
def contact_events_are_sent_to_redis_only_with_open_streams():
    """An event instant with 40 contacts costs Redis few bytes without a stream, and the events with one."""
    count = 40
    redis = Redis(suite)
    a, b = redis.daemons(2)
    balls = [{"id": f"b{i}", "position": [10 * i, 0, 5], "motion": {"mass": 1}, "colliders": [{"sphere": {"radius": 0.5}}]} for i in range(count)]
    a.client.put("/v1/scenes/s", {"bodies": [{"id": "floor", "colliders": [{"plane": {}}]}, *balls]}).must(201)

    def instant(time_now, height):
        """Makes an event instant; returns the bytes that Redis received and the reply."""
        poses = {"ids": [f"b{k}" for k in range(count)], "positions": [[10 * k, 0, height] for k in range(count)]}
        before = received()
        reply = a.client.post("/v1/scenes/s/contactStates/drops", {"poses": poses, "time": time_now})
        return received() - before, reply.json

    def received():
        return int(dict(line.split(":") for line in redis.say("info", "stats").split("\n")[1:])["total_net_input_bytes"])

    instant(0, 2)
    quiet, unused = instant(1, 0.25)
    instant(2, 2)
    with Stream(b, "s", contact_state="drops") as stream:
        stream.next("revision")
        told, reply = instant(3, 0.25)
        first = stream.next("revision")
        events = [stream.next("began") for unused in range(count)]
        equal([e.data["contact"] for e in events], reply["began"], "events")
        equal([e.id for e in events], list(range(first.id + 1, first.id + 1 + count)), "numbers")
        size = sum(len(json.dumps(e.data, separators=(",", ":"))) for e in events)
        # The record of the write is sent twice there, since Redis refuses it once.
        check(size > 8192 and told > quiet + size, f"{told} bytes where somebody listens, {quiet} where nobody does, {size} of events")
    check(quiet < told / 2, f"{quiet} bytes where nobody listens")


# ---- resumption ----------------------------------------------------------------------------------------------------------------


class Writers:
    """Clients that write one scene at some of the daemons, in threads, and record the acknowledged revisions."""

    def __init__(self, nodes, count, name="s"):
        self.ends, self.acknowledged, self.name = threading.Event(), [], name
        # The threads must not keep the program running when a fact fails.
        self.threads = [threading.Thread(target=self.run, args=(nodes[i % len(nodes)],), daemon=True) for i in range(count)]
        for t in self.threads:
            t.start()

    def run(self, node):
        while not self.ends.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", node.port, timeout=SECONDS)
            try:
                while not self.ends.is_set():
                    connection.request("PATCH", f"/v1/scenes/{self.name}", '{"user":{}}', {"Content-Type": "application/json"})
                    reply = connection.getresponse()
                    text = reply.read()
                    if reply.status == 200:
                        self.acknowledged.append(json.loads(text)["revision"])
                    elif reply.status == 503:
                        time.sleep(0.02)
            except (OSError, http.client.HTTPException):
                time.sleep(0.02)
            finally:
                connection.close()

    def go_on(self, more, what):
        before = len(self.acknowledged)
        wait_until(lambda: len(self.acknowledged) >= before + more, what)

    def end(self):
        self.ends.set()
        for t in self.threads:
            t.join()


def last_revision(node):
    """The scene's revision, once the daemon has found Redis again."""
    wait_until(lambda: node.client.get("/v1/scenes/s").status != 503, "there is no answer")
    return int(node.client.get("/v1/scenes/s").must(200).etag.strip('"r'))


def heard_whole(writers, start, events):
    """Checks that each revision has one event, and that every acknowledged one is among them."""
    follow(start, events, len(events))
    missed = set(writers.acknowledged) - {e.data["revision"] for e in events}
    equal(sorted(missed)[:3], [], "acknowledged revisions that were not heard")


@suite.fact
def a_client_that_moves_between_daemons_gets_each_event_once():
    # All writes made while the reader moves are retained in the ring, however fast they are.
    nodes = Redis(suite).daemons(3, *limits(**LATE_READER))
    scene_at(nodes[0])
    with Stream(nodes[0], "s") as stream:
        start = stream.next("revision")
    writers, choice, events = Writers(nodes, 3), random.Random(5), [start]
    for unused in range(60 if FULL else 20):
        with Stream(choice.choice(nodes), "s", last=events[-1].id) as stream:
            events += take(stream, choice.choice((1, 1, 2, 5, 30)))
    writers.end()
    last = last_revision(nodes[0])
    with Stream(nodes[1], "s", last=events[-1].id) as stream:
        events += take(stream, last - events[-1].data["revision"])
    heard_whole(writers, start, events[1:])


@suite.fact
def no_event_is_missing_when_the_daemon_of_writer_or_stream_is_killed():
    redis = Redis(suite)
    nodes = redis.daemons(3, *limits(**LATE_READER))
    scene_at(nodes[0])
    with Stream(nodes[0], "s") as far, Stream(nodes[1], "s") as near:
        start = far.next("revision")
        equal(seen([near.next("revision")]), seen([start]), "how the scene stands")
        for i in range(8 if FULL else 2):
            writers = Writers(nodes[1:], 4)
            writers.go_on(20, "writes")
            victim = nodes[1 + i % 2]
            victim.process.send_signal(signal.SIGKILL)
            victim.process.wait()
            redis.forget(victim)
            victim.kill()
            nodes[1 + i % 2] = redis.daemon(*limits(**LATE_READER))
            writers.end()
            last = last_revision(nodes[0])
            events = take(far, last - start.data["revision"])
            heard_whole(writers, start, events)
            known = near.rest() if i == 0 else []
            with Stream(nodes[2 - i % 2], "s", last=(known or [start])[-1].id) as again:
                equal(seen(known + take(again, len(events) - len(known))), seen(events), "what is heard by who has gone elsewhere")
            start = events[-1]


@suite.fact
def streams_outlast_a_redis_that_ends_or_hangs():
    """The streams stay open, with heartbeats, while Redis is killed or hangs."""
    redis = Redis(suite)
    nodes = redis.daemons(2, *limits(heartbeatSeconds=1, **LATE_READER))
    beats = lambda stream: sum(e.name == HEARTBEAT for e in stream.events)
    scene_at(nodes[0])
    with Stream(nodes[0], "s") as one, Stream(nodes[1], "s") as two:
        start = one.next("revision")
        two.next("revision")
        writers = Writers(nodes, 3)
        for i in range(6 if FULL else 2):
            writers.go_on(20, f"writes, round {i}")
            if i % 2:
                redis.signal("STOP")
                gather([one], lambda s, before=beats(one): beats(s) > before + 1)
                redis.signal("CONT")
            else:
                redis.kill()
                time.sleep(0.3)
                redis.start()
        writers.go_on(20, "writes after all")
        writers.end()
        last = last_revision(nodes[0])
        events = take(one, last - start.data["revision"])
        heard_whole(writers, start, events)
        equal(seen(take(two, len(events))), seen(events), "what is heard at the other")


def follow_anywhere(port_of, start, last):
    """Follows a stream like a browser: reconnects with the last id wherever it ends, until the event of the last
    revision."""
    events, watch = [start], Stopwatch()
    goes_on = lambda: not last or events[-1].data["revision"] < last[0]
    while goes_on():
        check(not watch.hangs(), f"{events[-1]} is the last that was heard, of {last}")
        try:
            with Stream(port_of, "s", last=events[-1].id) as stream:
                while not (stream.ended or stream.complete) and stream.status in (None, 200) and goes_on():
                    stream.read()
                    told, stream.events = [e for e in stream.events if e.name not in (HEARTBEAT, "shutdown")], []
                    check(all(e.name == "revision" for e in told), f"what comes is {told}")
                    events += told
                    watch = Stopwatch() if told else watch
        except OSError:
            pass
        time.sleep(0.02)
    return events[1:]


@suite.fact
def behind_a_balancer_a_stream_is_resumed_at_a_remaining_daemon():
    fleet = Fleet(suite)
    client = KeepAlive(fleet)
    scene_at(Client(client))
    with Stream(fleet, "s") as stream:
        start = stream.next("revision")
    writers, heard = Writers([fleet], 2), []
    last = []
    listener = threading.Thread(target=lambda: heard.append(follow_anywhere(fleet, start, last)), daemon=True)
    listener.start()
    for i in range(6 if FULL else 3):
        writers.go_on(20, f"writes, round {i}")
        node = fleet.nodes[i % 3]
        node.kill() if i % 2 else node.stop()
        writers.go_on(20, f"writes without {node.name}")
        node.start().wait_ready()
    writers.end()
    last.append(write(Client(client)))
    write(Client(client))  # the stream may have had the other deletion, and waits
    listener.join()
    check(heard, "the listener has failed")
    heard_whole(writers, start, heard[0])


# ---- the ring ------------------------------------------------------------------------------------------------------------------


@suite.fact
def a_resumption_beyond_the_ring_is_a_reset_at_any_daemon():
    ring = 8
    a, b, c = Redis(suite).daemons(3, *limits(eventRing=ring))
    scene_at(a)
    with Stream(a, "s") as stream:
        first = stream.next("revision")
    last = [write((a, b)[i % 2]) for i in range(20)][-1]
    newest = first.id + 20
    for node in (a, b, c):
        for kept, resets in ((newest - ring, False), (newest - ring - 1, True), (first.id, True), (newest, False), (newest + 1, True),
                             (0, True), ("x", True), (2 ** 63, True)):
            with Stream(node, "s", last=kept) as stream:
                if resets:
                    event = stream.next("reset")
                    equal((event.id, event.data), (newest, {"scene": "s", "revision": last, "bodies": 0}), f"event for {kept}")
                else:
                    equal([e.id for e in take(stream, newest - kept)], list(range(kept + 1, newest + 1)), f"ids for {kept}")


@suite.fact
def redis_stores_events_only_of_scenes_with_streams_and_within_limits():
    redis = Redis(suite)
    a, b = redis.daemons(2, *limits(eventRing=100, eventBacklogBytes=4096))
    keys = lambda: sorted(k for k in redis.say("keys", "contactd:*").split() if "listened" in k or "told" in k)
    for name in ("quiet", "s", LONG):
        scene_at(a, name)
        write(a, name)
    equal(keys(), [], "keys while nobody listens")
    with Stream(a, "s") as one, Stream(b, LONG) as two:
        one.next("revision"), two.next("revision")
        for i in range(120):
            write((a, b)[i % 2], "s", check_reply=False)
            write((b, a)[i % 2], LONG, check_reply=False)
        write(a, "quiet")
        equal(keys(), sorted(f"contactd:{kind}:{name}" for kind in ("listened", "told") for name in ("s", LONG)), "keys")
        equal(int(redis.say("xlen", "contactd:told:s")), 100, "writes that are kept")
        # 4 times 4096 bytes; an event of this id takes about 200.
        kept = int(redis.say("xlen", f"contactd:told:{LONG}"))
        size = int(redis.say("hget", f"contactd:listened:{LONG}", "bytes"))
        check(80 < kept < 100 and size <= 4 * 4096, f"{kept} writes are kept, {size} bytes")
        for key in keys():
            check(0 < int(redis.say("ttl", key)) <= 300, f"{key} stays for {redis.say('ttl', key)} s")
        take(one, 120)
        check(int(redis.say("memory", "usage", f"contactd:told:{LONG}")) < 65536, "the stream takes too much memory")


@suite.fact
def events_of_scenes_without_streams_expire_in_redis():
    redis = Redis(suite)
    a, b = redis.daemons(2)
    scene_at(a)
    with Stream(a, "s") as stream:
        first = stream.next("revision")
    write(b)
    for kind in ("listened", "told"):  # let the keys expire
        redis.say("pexpire", f"contactd:{kind}:s", 1)
    wait_until(lambda: redis.say("exists", "contactd:listened:s", "contactd:told:s") == "0", "the keys are there")
    last = write(b)
    equal(redis.say("exists", "contactd:told:s"), "0", "what is kept of a scene that nobody listens to")
    with Stream(b, "s", last=first.id) as stream:
        event = stream.next("reset")
        equal(event.data["revision"], last, "revision")
        check(event.id > first.id + 2, f"the number {event.id} may be an old one")


@suite.fact
def events_that_redis_lost_are_a_reset():
    redis = Redis(suite)
    a, b = redis.daemons(2)
    scene_at(a)
    with Stream(a, "s") as stream, Stream(b, "s") as other:
        start = stream.next("revision")
        other.next("revision")
        write(a)
        equal(seen(take(stream, 1)), seen(take(other, 1)), "event")
        redis.say("del", "contactd:listened:s", "contactd:told:s")
        last = write(b)
        with Stream(a, "s") as more, Stream(b, "s", last=start.id + 1) as back:  # a new stream makes the daemon query Redis
            events = [stream.next("reset"), back.next("reset"), other.next("reset"), more.next("revision")]
            equal([e.data["revision"] for e in events], [last] * 4, "revisions")
            equal(len({e.id for e in events}), 1, f"numbers of {events}")
            check(events[0].id > start.id + 2, "an old number comes again")
            last = write(a)
            for each in (stream, other, more, back):
                equal(each.next("revision").data["revision"], last, "revision")


@suite.fact
def lost_events_are_a_reset_even_if_their_numbers_were_reused():
    """An old copy of Redis is restored, and another daemon writes as many revisions again, or more, before the
    daemon of the streams queries."""
    redis = Redis(suite)
    a, b = redis.daemons(2)
    log, copy = (os.path.join(redis.folder, name) for name in ("appendonlydir", "copy"))
    scene_at(a, "equal")
    scene_at(a, "more")
    with Stream(a, "equal") as equal_stream, Stream(a, "more") as more_stream:
        streams = ((equal_stream, "equal", 3), (more_stream, "more", 5))
        for stream, name, unused in streams:
            stream.next("revision")
            write(a, name)
            take(stream, 1)
        shutil.copytree(log, copy)
        lost = {}
        for stream, name, unused in streams:
            for unused in range(3):
                write(a, name)
            lost[name] = take(stream, 3)[-1]
        a.process.send_signal(signal.SIGSTOP)
        redis.kill()
        shutil.rmtree(log)
        shutil.move(copy, log)
        redis.start()
        for stream, name, count in streams:
            wait_until(lambda name=name: b.client.get(f"/v1/scenes/{name}").status == 200, "Redis is not found again")
            for unused in range(count):
                last = write(b, name)
            equal(last, lost[name].data["revision"] + count - 3, "revision")
        a.process.send_signal(signal.SIGCONT)
        for stream, name, count in streams:
            first = stream.next("reset")
            while first.data["revision"] < lost[name].data["revision"] + count - 3:
                first = stream.next()
            last = write(b, name)
            equal(stream.next("revision").data["revision"], last, "revision after the reset")


@suite.fact
def a_write_to_an_emptied_redis_resets_the_streams_of_its_daemon_at_once():
    """Redis loses everything, and the scene is written again. The daemon of the writer notices at once, another one
    with its next query for events, which it sends every 5 s. Three times in a row: none waits for such a query."""
    redis = Redis(suite)
    a, b = redis.daemons(2)
    scene_at(a)
    with Stream(a, "s") as stream, Stream(b, "s") as other:
        stream.next("revision")
        other.next("revision")
        took = Elapsed(0)
        for unused in range(3):
            redis.say("flushall")
            last = scene_at(a)
            reset, waited = timed(lambda: stream.next("reset"))
            equal(reset.data["revision"], last, "revision")
            took += waited
            last = write(a)
            equal(stream.next("revision").data["revision"], last, "revision")
        # Three such queries are at least 10 s apart.
        pause = timed(lambda: time.sleep(3))[1]
        check(took < pause, f"the resets took {took} in all")
        reset = other.next("reset")
        while reset.data["revision"] < last:
            reset = other.next()


@suite.fact
def with_a_full_redis_deletions_are_events_and_other_events_follow_later():
    redis = Redis(suite)
    a, b = redis.daemons(2)
    for name in ("s", "t"):
        scene_at(a, name)
    with Stream(a, "s") as one, Stream(b, "s") as two:
        start = one.next("revision")
        two.next("revision")
        redis.say("config", "set", "maxmemory", 1)
        a.client.patch("/v1/scenes/s", {"user": {}}).problem(507, "storage-full")
        with Stream(b, "t") as new:
            a.client.delete("/v1/scenes/s").must(200)
            ends = [one.rest(), two.rest()]
            equal([(e.name, e.id) for e in ends[0]], [("deleted", start.id + 1)], "the end")
            equal(seen(ends[0]), seen(ends[1]), "the end at the other")
            redis.say("config", "set", "maxmemory", 0)
            new.next("revision")
            last = write(a, "t")
            equal(new.next("revision").data["revision"], last, "revision")


@suite.fact
def damaged_event_keys_in_redis_do_not_stop_writes():
    redis = Redis(suite)
    a, b = redis.daemons(2)
    scene_at(a)
    for key, breaks in (("told", ("set", "contactd:told:s", "x")), ("listened", ("set", "contactd:listened:s", "x")),
                        ("told", ("xadd", "contactd:told:s", "9007199254740991-0", "a", "b"))):
        with Stream(a, "s") as stream:
            stream.next("revision")
        redis.say("del", f"contactd:{key}:s") if breaks[0] == "set" else None
        redis.say(*breaks)
        last = write(b)
        equal(last_revision(a), last, f"revision with another {key}")
        redis.say("del", "contactd:told:s", "contactd:listened:s")


@suite.fact
def streams_recover_from_damaged_event_keys_in_redis():
    redis = Redis(suite)
    a, b = redis.daemons(2)
    scene_at(a)
    scene_at(a, "t")
    told, listened = "contactd:told:s", "contactd:listened:s"
    with Stream(a, "t") as neighbour:
        neighbour.next("revision")
        for words in (("set", listened, "x"), ("set", told, "x"), ("hset", listened, "last", "x"), ("hset", listened, "first", "9" * 40)):
            with Stream(a, "s") as stream:
                stream.next("revision")
                redis.say("del", words[1]) if words[0] == "set" else None
                redis.say(*words)
                with Stream(a, "s") as more:  # a new stream makes the daemon query Redis
                    more.next("revision")
                    stream.next("reset")
                    last = write(b)
                    for each in (stream, more):
                        equal(each.next("revision").data["revision"], last, f"revision after {words}")
                    last = write(b, "t")
                    equal(neighbour.next("revision").data["revision"], last, "revision of the other scene")
    check("eventsNotHeard" not in a.log_text(), "it is told that Redis refuses")


@suite.fact
def a_daemon_without_the_right_to_read_events_logs_it_and_recovers():
    redis = Redis(suite)
    redis.say("acl", "setuser", "deaf", "on", ">open sesame", "~*", "+@all", "-xread", "-xadd")
    with tempfile.TemporaryDirectory() as folder:
        password = pathlib.Path(folder, "password")
        password.write_text("open sesame\n")
        node = redis.daemon("--store-password-file", password, url=f"redis://deaf@127.0.0.1:{redis.port}/0")
        scene_at(node)
        with Stream(node, "s") as stream:
            start = stream.next("revision")
            last = write(node)
            wait_until(lambda: "eventsNotHeard" in node.log_text(), "the log does not say it")
            equal(node.log_text().count("eventsNotHeard"), 1, "lines about it in the log")
            redis.say("acl", "setuser", "deaf", "+xread", "+xadd")
            equal(stream.next("reset").data["revision"], last, "revision")
            last = write(node)
            equal(stream.next("revision").data["revision"], last, "revision")
            check(start.data["revision"] == last - 2, "a write is missing")


@suite.fact
def only_a_stream_that_is_not_read_is_dropped():
    a, b = Redis(suite).daemons(2, *limits(eventBacklogBytes=32768))
    scene_at(a, LONG)
    with Stream(a, LONG) as good, Stream(a, LONG, receive_buffer=4096) as slow, Stream(b, LONG) as far:
        start = [each.next("revision") for each in (good, slow, far)][0]
        written = 0
        while "eventsNotTaken" not in a.log_text():
            for unused in range(50):
                write(b, LONG, check_reply=False)
            written += 50
            for each in (good, far):
                gather([each], lambda s, written=written: s.count >= written + 1)
            check(written < 20000, "it is not dropped")
        events = take(good, written)
        follow(start, events, written)
        equal(seen(take(far, written)), seen(events), "what is heard at the other")
        slow.rest()
        check(not slow.complete, "the stream that was dropped looks complete")
    check("eventsNotTaken" not in b.log_text(), "somebody was dropped at the other daemon")


# ---- ends ----------------------------------------------------------------------------------------------------------------------


@suite.fact
def a_deletion_at_one_daemon_ends_the_streams_at_all_daemons():
    a, b, c = Redis(suite).daemons(3)
    old = []
    for i in range(4):
        writer, other, maker = ((a, b, c), (b, c, a), (c, a, b))[i % 3]
        scene_at(maker)
        with Stream(a, "s") as one, Stream(b, "s") as two:
            start = one.next("revision")
            two.next("revision")
            check(start.id > max([0, *old]), f"the number {start.id} is not above {old}")
            for kept in old:
                with Stream(other, "s", last=kept) as stream:
                    equal(stream.next("reset").id, start.id, f"number for who has kept {kept}")
            write(other)
            revision = writer.client.delete("/v1/scenes/s").must(200).json["revision"]
            ends = [one.rest(), two.rest()]
            equal([(e.name, e.id - start.id, e.data["revision"]) for e in ends[0]], [("revision", 1, revision - 1), ("deleted", 2, revision)],
                  "events to the end")
            equal(seen(ends[0]), seen(ends[1]), "events at the other")
            check(one.complete and two.complete, "a stream is cut off")
            old += [start.id, *(e.id for e in ends[0])]
        with Stream(other, "s") as stream:
            equal(stream.head().status, 404, "status of a stream of no scene")


@suite.fact
def a_scene_recreated_at_once_has_streams_of_its_own():
    a, b = Redis(suite).daemons(2)
    scene_at(a)
    for i in range(12 if FULL else 4):
        with Stream(a, "s") as old:
            start = old.next("revision")
            b.client.delete("/v1/scenes/s").must(200)
            revision = scene_at(b)
            with Stream(a, "s") as new, Stream(b, "s") as other:
                events = [new.next("revision"), other.next("revision")]
                equal([e.data["revision"] for e in events], [revision] * 2, f"revision of the new scene, round {i}")
                equal(events[0].id, events[1].id, "numbers")
                equal([(e.name, e.id) for e in old.rest()], [("deleted", start.id + 1)], "the end of the old one")
                revision = write(a)
                for each in (new, other):
                    equal(each.next("revision").data["revision"], revision, "revision")


@suite.fact
def streams_recover_from_corrupt_replies_of_redis():
    for seed in range(20 if FULL else 1):
        redis = Redis(suite)
        spoiler = Spoiler(suite, redis, seed)
        good, node = redis.daemon(*limits(**LATE_READER)), redis.daemon(url=spoiler.url)
        scene_at(good)
        with Stream(good, "s") as witness:
            start = witness.next("revision")
            writers = Writers([good], 1)
            spoiler.spoils, watch = True, Stopwatch()
            while not watch.read().lasted(1.5) or spoiler.spoiled < 5:
                with Stream(node, "s") as stream:  # any bytes may arrive
                    stream.socket.settimeout(0.1)
                    try:
                        stream.socket.recv(65536)
                    except OSError:
                        pass
            spoiler.spoils = False
            writers.end()
            # Corrupt replies may have made the other daemon store and request anything; events may be reset but never
            # missing silently.
            event, last = start, last_revision(good)
            while event.data["revision"] < last:
                before, event = event, witness.next("revision", "reset")
                check(event.name == "reset" or (event.id, event.data["revision"]) == (before.id + 1, before.data["revision"] + 1),
                      f"{event} follows {before}")
            equal(last_revision(node), last, "revision at the other")
            with Stream(node, "s") as stream:
                event = stream.next("revision")
                equal(event.data["revision"], last_revision(good), "revision")
                for unused in range(5):
                    write(good)
                follow(event, take(stream, 5), 5)


suite.main()
