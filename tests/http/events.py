"""Streams of a scene's events: order, numbers, resumption, heartbeats, clients that disconnect or do not read, ends.
Time limits are the documented ones: an event reaches 100 clients within 50 ms of its write, and the connection of a
client that has gone is closed within a second of the next heartbeat. Bounds of memory are the documented limits plus
the process's own memory."""
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import tempfile

from support.checks import Skip, Suite, check, equal
from support.client import KeepAlive, Reply
from support.daemon import ROOT, SANITIZER, Daemon
from support.events import HEARTBEAT, SECONDS, Stream, gather
from support.pace import SLOWER
from support.raw import Raw, ask, request
from support.stopwatch import Stopwatch, wait_until

suite = Suite()
FULL = os.environ.get("CONTACTD_FULL") == "1"
BALL = {"colliders": [{"sphere": {"radius": 0.5}}]}
LONG = "s" + "c" * 127  # an id that makes events long


def daemon_with(*options, heap=False, **limits):
    return Daemon(*options, *[word for name, value in limits.items() for word in ("--limit", f"{name}={value}")], heap=heap)


def scene_of(daemon, name="cell", bodies=0):
    """A client, and the revision of a new scene."""
    client = KeepAlive(daemon)
    scene = {"bodies": [dict(BALL, id=f"b{i}") for i in range(bodies)]}
    return client, client.put(f"/v1/scenes/{name}", scene).must(201).json["revision"]


def write(client, name="cell", check_reply=True):
    """Writes one more revision; returns its number."""
    return client.patch(f"/v1/scenes/{name}", {"user": {}}, check=check_reply).must(200).json["revision"]


def revisions(events):
    return [e.data["revision"] for e in events]


def sockets_of(daemon):
    count = 0
    for entry in os.listdir(f"/proc/{daemon.pid}/fd"):
        try:
            count += os.readlink(f"/proc/{daemon.pid}/fd/{entry}").startswith("socket:")
        except FileNotFoundError:
            pass
    return count


# ---- contents --------------------------------------------------------------------------------------------------------------------

@suite.fact
def a_stream_begins_with_the_current_revision():
    with daemon_with() as daemon:
        client, unused = scene_of(daemon, bodies=3)
        last = write(client)
        with Stream(daemon, "cell") as stream:
            event = stream.next("revision")
            equal(event.data, {"scene": "cell", "revision": last, "bodies": 3}, "data")
            check(event.id is not None and stream.retry == 2000, f"id {event.id}, retry {stream.retry}")
            equal((stream.status, stream.headers["content-type"]), (200, "text/event-stream"), "head")
            equal(stream.headers["cache-control"], "no-store", "Cache-Control")


@suite.fact
def every_committed_write_is_an_event_in_order():
    with daemon_with() as daemon:
        client, unused = scene_of(daemon)
        path = "/v1/scenes/cell"
        client.post(path + "/contactStates/drops").must(201)
        with Stream(daemon, "cell") as stream, Stream(daemon, "cell", contact_state="drops") as named:
            numbers = [stream.next("revision").id]
            named.next("revision")
            writes = [lambda: client.put(f"{path}/bodies/a", BALL), lambda: client.post(f"{path}/bodies", [dict(BALL, id="b")]),
                      lambda: client.patch(f"{path}/bodies/a", {"position": [1, 0, 0]}),
                      lambda: client.patch(f"{path}/poses", {"ids": ["a"], "positions": [[2, 0, 0]]}),
                      lambda: client.put(f"{path}/filters", {"groups": {}, "pairs": []}),
                      lambda: client.patch(path, {"user": {"x": 1}}), lambda: client.delete(f"{path}/bodies/b"),
                      lambda: client.delete(f"{path}/bodies?prefix=a"), lambda: client.put(path, {"bodies": []})]
            bodies = (1, 2, 2, 2, 2, 2, 1, 0, 0)
            for one, count in zip(writes, bodies):
                revision = one().json["revision"]
                event = stream.next("revision")
                equal(event.data, {"scene": "cell", "revision": revision, "bodies": count}, "data")
                equal(named.next("revision").data, event.data, "data of the stream that names a contact state")
                numbers.append(event.id)
            equal(numbers, list(range(numbers[0], numbers[0] + len(numbers))), "ids")
            client.patch(path, {"user": 7, "bodies": 3}).must(422)
            client.patch(path, {"user": {}}, headers={"If-Match": '"r1"'}).must(412)
            client.post(f"{path}/query/overlap").must(200)
            client.put("/v1/scenes/other", {}).must(201)
            equal(stream.next("revision").data["revision"] if write(client) else None, revision + 1, "revision after what wrote nothing")


@suite.fact
def writes_at_once_come_in_the_order_of_their_revisions():
    with daemon_with() as daemon:
        client, first = scene_of(daemon)
        with Stream(daemon, "cell") as stream:
            stream.next("revision")
            writers = [Raw(daemon.port) for unused in range(8)]
            for unused in range(5):
                for writer in writers:
                    writer.send(request("PATCH", "/v1/scenes/cell", '{"user":{}}'))
            equal(revisions(stream.next("revision") for unused in range(40)), list(range(first + 1, first + 41)), "revisions")
            for writer in writers:
                writer.close()
        client.close()


# ---- refusals --------------------------------------------------------------------------------------------------------------------

shared = []  # a daemon with a scene, and its client


def refusal(method, path, status, headers=(), host="localhost", **answer):
    def fact():
        if not shared:
            shared.append(daemon_with().start())
            suite.cleanup(shared[0].stop)
            shared.append(scene_of(shared[0])[0])
        daemon, client = shared
        reply = ask(daemon.port, method, path, headers=headers, host=host)
        equal(reply.status, status, "status")
        for name, value in answer.items():
            equal(reply.headers.get(name), value, name)
        client.document.check_reply(method, path, Reply(reply.status, reply.headers, reply.body))
    return fact


EVENTS = "/v1/scenes/cell/events"
suite.table("no stream", [
    ("of no scene", refusal("GET", "/v1/scenes/other/events", 404)),
    ("of a bad id", refusal("GET", "/v1/scenes/a%0Ab/events", 400)),
    ("of a bad contact state", refusal("GET", EVENTS + "?contactState=a%0Ab", 400)),
    ("of a contact state that there is not", refusal("GET", EVENTS + "?contactState=dropss", 404)),
    ("of an empty contact state", refusal("GET", EVENTS + "?contactState=", 400)),
    ("of two contact states", refusal("GET", EVENTS + "?contactState=a&contactState=b", 400)),
    ("with an unknown parameter", refusal("GET", EVENTS + "?since=3", 400)),
    ("for a POST", refusal("POST", EVENTS, 405, allow="GET, HEAD")),
    ("for a head alone", refusal("HEAD", EVENTS, 200, **{"content-type": "text/event-stream"})),
    ("of a foreign page", refusal("GET", EVENTS, 403, [("Origin", "http://evil.example")])),
    ("of a foreign host", refusal("GET", EVENTS, 421, host="evil.example")),
])


@suite.fact
def a_stream_needs_a_token_like_any_request():
    with tempfile.TemporaryDirectory() as folder:
        token = pathlib.Path(folder) / "token"
        token.write_text("a-token-of-some-length\n")
        token.chmod(0o600)
        bearer = ("Authorization", "Bearer a-token-of-some-length")
        with Daemon("--token-file", token) as daemon:
            equal(ask(daemon.port, "PUT", "/v1/scenes/cell", "{}", [bearer]).status, 201, "status of the scene")
            with Stream(daemon, "cell") as stream:
                equal(stream.head().status, 401, "status without a token")
            with Stream(daemon, "cell", headers=[bearer]) as stream:
                stream.next("revision")


@suite.fact
def one_stream_more_than_the_limit_is_refused_until_another_has_ended():
    with daemon_with(eventStreams=2) as daemon:
        client, unused = scene_of(daemon)
        with Stream(daemon, "cell") as first, Stream(daemon, "cell") as second:
            first.next("revision"), second.next("revision")
            with Stream(daemon, "cell") as third:
                equal(third.head().status, 503, "status")
                check(int(third.headers["retry-after"]) > 0, "there is no Retry-After")
            equal(ask(daemon.port, "HEAD", EVENTS).status, 200, "status of HEAD")
        wait_until(lambda: accepted(daemon), "a stream after others have left")
        write(client)


def accepted(daemon):
    with Stream(daemon, "cell") as stream:
        return stream.head().status == 200


# ---- resumption ------------------------------------------------------------------------------------------------------------------

@suite.fact
def a_client_that_reconnects_gets_each_event_once():
    with daemon_with(eventRing=64) as daemon:
        client, unused = scene_of(daemon)
        with Stream(daemon, "cell") as stream:
            last = stream.next("revision")
        seen, round_sizes = [], (0, 1, 5, 40, 64)
        written = []
        for size in round_sizes:
            written += [write(client) for unused in range(size)]
            with Stream(daemon, "cell", last=last.id) as stream:
                for unused in range(size):
                    last = stream.next("revision")
                    seen.append(last)
                written.append(write(client))  # nothing comes between the missed events and the new ones
                last = stream.next("revision")
                seen.append(last)
        equal(revisions(seen), written, "revisions")
        equal([e.id for e in seen], list(range(seen[0].id, seen[0].id + len(seen))), "ids")


@suite.fact
def a_stream_can_be_resumed_after_any_event():
    with daemon_with() as daemon:
        client, first = scene_of(daemon)
        with Stream(daemon, "cell") as stream:
            events = [stream.next("revision")]
            for unused in range(12):
                write(client)
                events.append(stream.next("revision"))
        for i in range(len(events)):
            with Stream(daemon, "cell", last=events[i].id) as again:
                later = [again.next("revision") for unused in events[i + 1:]]
                equal([(e.id, e.data) for e in later], [(e.id, e.data) for e in events[i + 1:]], f"events after {events[i]}")
                revision = write(client)
                events.append(again.next("revision"))
                equal(events[-1].data["revision"], revision, "revision after them")


@suite.fact
def a_client_that_missed_more_than_the_ring_gets_a_reset():
    with daemon_with(eventRing=8) as daemon:
        client, unused = scene_of(daemon, bodies=2)
        with Stream(daemon, "cell") as stream:
            first = stream.next("revision").id
        current = [write(client) for unused in range(20)][-1]
        newest = first + 20
        for kept, resets in ((newest - 8, False), (newest - 9, True), (first, True), (first - 1, True), (newest, False),
                             (newest + 1, True), (0, True), (2 ** 64, True), ("x", True), ("-1", True), (f"{newest}x", True)):
            with Stream(daemon, "cell", last=kept) as stream:
                if resets:
                    event = stream.next("reset")
                    equal((event.id, event.data), (newest, {"scene": "cell", "revision": current, "bodies": 2}), f"event for {kept}")
                else:
                    equal([stream.next("revision").id for unused in range(newest - kept)], list(range(kept + 1, newest + 1)),
                          f"ids for {kept}")
        with Stream(daemon, "cell", last=newest) as stream:
            revision = write(client)
            event = stream.next("revision")
            equal((event.id, event.data["revision"]), (newest + 1, revision), "what follows a reset")


@suite.fact
def a_ring_is_bounded_in_bytes_too():
    with daemon_with(eventRing=1000, eventBacklogBytes=4096) as daemon:
        client, unused = scene_of(daemon, LONG)
        with Stream(daemon, LONG) as stream:
            stream.next("revision")
            first = stream.next("revision").id if write(client, LONG) else 0
            size = len(stream.said.split(b"\n\n")[-2]) + 2
        kept = 4 * 4096 // size
        for unused in range(kept):
            write(client, LONG)
        with Stream(daemon, LONG, last=first) as stream:
            equal(stream.next("revision").id, first + 1, "id where the ring is just full")
        write(client, LONG)
        with Stream(daemon, LONG, last=first) as stream:
            stream.next("reset")


@suite.fact
def a_recreated_scene_does_not_reuse_event_ids():
    with daemon_with() as daemon:
        client, unused = scene_of(daemon)
        old = []
        for unused in range(3):
            with Stream(daemon, "cell") as stream:
                old.append(stream.next("revision").id)
                write(client)
                old.append(stream.next("revision").id)
                client.delete("/v1/scenes/cell").must(200)
                old.append(stream.next("deleted").id)
            revision = client.put("/v1/scenes/cell", {}).must(201).json["revision"]
            with Stream(daemon, "cell") as stream:  # the new ring is as long as the old one
                check(stream.next("revision").id > max(old), f"an id of the new scene is not above {max(old)}")
                for unused in range(3):
                    revision = write(client)
                    check(stream.next("revision").id > max(old), "an id is used again")
            for number in old:
                with Stream(daemon, "cell", last=number) as stream:
                    equal(stream.next("reset").data["revision"], revision, f"revision after {number}")


@suite.fact
def a_restarted_daemon_does_not_reuse_event_ids():
    old = 0
    for unused in range(2):
        with daemon_with() as daemon:
            client, unused = scene_of(daemon)
            if old:
                with Stream(daemon, "cell", last=old) as stream:
                    stream.next("reset")
            with Stream(daemon, "cell") as stream:
                stream.next("revision")
                write(client)
                old = stream.next("revision").id


@suite.fact
def rings_without_streams_are_bounded():
    with daemon_with(eventStreams=2) as daemon:
        client = KeepAlive(daemon)
        last = {}
        for name in ("one", "two", "three"):
            client.put(f"/v1/scenes/{name}", {}).must(201)
            with Stream(daemon, name) as stream:
                last[name] = stream.next("revision").id
            wait_until(lambda: sockets_of(daemon) == baseline(), "the stream's connection is open")
            write(client, name)
        for name, expected in (("two", "revision"), ("three", "revision"), ("one", "reset")):
            with Stream(daemon, name, last=last[name]) as stream:
                stream.next(expected)
            wait_until(lambda: sockets_of(daemon) == baseline(), "the stream's connection is open")


own_sockets = []  # of a daemon without connections


def baseline(connections=1):
    """Sockets of a daemon with this many connections."""
    if not own_sockets:
        with Daemon() as other, Raw(other.port) as connection:
            connection.send(request("GET", "/livez"))
            connection.reply()
            own_sockets.append(sockets_of(other) - 1)
    return own_sockets[0] + connections


# ---- heartbeats, and clients that disconnect ----------------------------------------------------------------------------------------

@suite.fact
def an_idle_stream_has_heartbeats_and_outlasts_the_time_limits_of_requests():
    with daemon_with(heartbeatSeconds=1, headerSeconds=1, bodySeconds=1) as daemon:
        client, unused = scene_of(daemon)
        watch = Stopwatch()  # older than the daemon's own timer
        with Stream(daemon, "cell") as stream:
            stream.next("revision")
            for k in (1, 2):
                stream.next(HEARTBEAT)
                check(watch.read().lasted(k), f"heartbeat {k} came after {watch.read()}")
            revision = write(client)
            equal(stream.next("revision").data["revision"], revision, "revision")
            check("eventsNotTaken" not in daemon.log_text() and "Late" not in daemon.log_text(), "a time was held against it")


if FULL:
    @suite.fact
    def a_stream_outlasts_half_a_minute_of_silence():
        with daemon_with(heartbeatSeconds=3600) as daemon:
            client, unused = scene_of(daemon)
            with Stream(daemon, "cell") as stream:
                stream.next("revision")
                equal(select.select([stream.socket], [], [], 35)[0], [], "what comes within 35 s")
                revision = write(KeepAlive(daemon))
                equal(stream.next("revision").data["revision"], revision, "revision")

    @suite.fact
    def a_client_that_reads_nothing_for_half_a_minute_is_dropped():
        with daemon_with(eventBacklogBytes=8388608) as daemon:
            client, unused = scene_of(daemon, LONG)
            with Stream(daemon, LONG, receive_buffer=4096) as slow:
                slow.next("revision")
                for unused in range(1500):
                    write(client, LONG, check_reply=False)
                client.close()
                wait_until(lambda: sockets_of(daemon) == baseline(), "the connection of the other client is open")
                took = wait_until(lambda: sockets_of(daemon) == baseline(0), "the client is not dropped")
                check(took.lasted(20), f"it is dropped after {took}")


@suite.fact
def a_client_of_http_1_0_gets_no_chunks():
    with daemon_with() as daemon:
        client, unused = scene_of(daemon)
        with Stream(daemon, "cell", version="HTTP/1.0") as stream:
            stream.next("revision")
            check(not stream.chunked, "the stream is in chunks")
            revision = write(client)
            equal(stream.next("revision").data["revision"], revision, "revision")


LISTEN = "import sys; from support.events import Stream; s = Stream(type('', (), {'port': int(sys.argv[1])}), sys.argv[2], " \
         "receive_buffer=4096)\ns.next('revision'); print('in', flush=True)\nwhile len(sys.argv) < 4 and s.read(): pass\nsys.stdin.read()"


def listener(daemon, name, *words):
    """A client in a process of its own; with a third argument it stops reading after the first event."""
    process = subprocess.Popen([sys.executable, "-c", LISTEN, str(daemon.port), name, *words], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, env=dict(os.environ, PYTHONPATH=str(ROOT / "tests")), cwd=ROOT)
    equal(process.stdout.readline(), b"in\n", "what the listener says")
    return process


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdin.close(), process.stdout.close()


@suite.fact
def the_connection_of_a_lost_client_is_closed_by_the_next_heartbeat():
    with daemon_with(heartbeatSeconds=1) as daemon:
        client, unused = scene_of(daemon, LONG)
        for case in ("closed", "killed", "killed while it did not read"):
            if case == "closed":
                stream = Stream(daemon, LONG)
                stream.next("revision")
                leave = stream.close
            else:
                process = listener(daemon, LONG, *(["deaf"] if case != "killed" else []))
                leave = lambda process=process: kill(process)
            for unused in range(400 if case == "killed while it did not read" else 1):
                write(client, LONG, check_reply=False)
            equal(sockets_of(daemon), baseline() + 1, "sockets while it listens")
            leave()
            with Stream(daemon, LONG) as other:
                # The next heartbeat of the closed stream comes before the second one of a stream that begins now.
                other.next("revision")
                for unused in range(2):
                    other.next(HEARTBEAT)
                equal(sockets_of(daemon), baseline() + 1, f"sockets after the heartbeats, of a client that was {case} none")
            wait_until(lambda: sockets_of(daemon) == baseline(), "the stream's connection is open")
            write(client, LONG)


def drops(daemon, client, stream):
    """Writes until the daemon has dropped the stream, which is not read; returns the number of writes."""
    before = sockets_of(daemon)
    writes = 0
    while sockets_of(daemon) == before:
        for unused in range(20):
            write(client, LONG, check_reply=False)
        writes += 20
        check(writes < 40000, "the stream is not dropped")
    return writes


@suite.fact
def a_client_that_stops_reading_is_dropped_once_its_backlog_passes_the_limit():
    limit = 65536
    with daemon_with(eventBacklogBytes=limit) as daemon:
        client, unused = scene_of(daemon, LONG)
        with Stream(daemon, LONG) as good, Stream(daemon, LONG, receive_buffer=4096) as slow:
            first = good.next("revision")
            slow.next("revision")
            writes = drops(daemon, client, slow)
            events = [good.next("revision") for unused in range(writes)] if not good_was_reset(good) else []
            size = len(good.said.split(b"\n\n")[-2]) + 2
            taken = revisions(slow.rest())
            check(not slow.complete, "the stream that was dropped looks complete")
            equal(taken, list(range(first.data["revision"] + 1, first.data["revision"] + 1 + len(taken))), "what it had got")
            unread = (writes - len(taken)) * size
            # The kernel holds at most both buffers of the connection, which it doubles, of data that was sent but not
            # delivered.
            check(limit < unread < limit + 262144, f"dropped with {unread} bytes unread")
            wait_until(lambda: "eventsNotTaken" in daemon.log_text(), "the line about it in the log")
            equal(len(re.findall('"event":"eventsNotTaken"', daemon.log_text())), 1, "lines about it in the log")
            equal(revisions(events), list(range(first.data["revision"] + 1, first.data["revision"] + 1 + writes)), "what the other got")


def good_was_reset(stream):
    return any(e.name == "reset" for e in stream.events)


@suite.fact
def a_slow_client_that_falls_behind_the_ring_gets_a_reset():
    with daemon_with(eventRing=10, eventBacklogBytes=8388608) as daemon:
        client, unused = scene_of(daemon, LONG)
        with Stream(daemon, LONG, receive_buffer=4096) as slow:
            first = slow.next("revision")
            writes = [write(client, LONG, check_reply=False) for unused in range(1500)]
            events = [slow.next("revision", "reset")]
            while events[-1].name != "reset":
                events.append(slow.next("revision", "reset"))
            last = events.pop()
            got = revisions(events)
            equal(got, list(range(first.data["revision"] + 1, first.data["revision"] + 1 + len(got))), "events before the gap")
            check(len(got) < len(writes) - 10, "there is no gap")
            equal((last.id, last.data["revision"]), (first.id + len(writes), writes[-1]), "the reset")
            revision = write(client, LONG)
            event = slow.next("revision")
            equal((event.id, event.data["revision"]), (last.id + 1, revision), "what follows the reset")


# ---- many ------------------------------------------------------------------------------------------------------------------------

@suite.fact
def a_hundred_streams_get_every_write():
    """The stream has the revision and the contact that begins or ends: a ball moves down to a floor and up again."""
    writes = 40
    with daemon_with(heartbeatSeconds=1, eventRing=1000) as daemon:
        client, unused = scene_of(daemon, bodies=2)
        client.put("/v1/scenes/cell/bodies/floor", {"colliders": [{"plane": {}}]}).must(201)
        client.put("/v1/scenes/cell/bodies/b0", dict(BALL, position=[10, 0, 5], motion={"mass": 1})).must(200)
        first = client.post("/v1/scenes/cell/contactStates/drops").must(201).json["revision"]
        memory = daemon.status_bytes("VmRSS")
        slow = Stream(daemon, "cell", receive_buffer=4096)
        process = listener(daemon, "cell")
        streams = [Stream(daemon, "cell", contact_state="drops") for unused in range(98)]
        slow.next("revision")
        gather(streams, lambda s: s.events)
        with Stream(daemon, "cell") as more:
            equal(more.head().status, 503, "status of the stream after the last")
        for stream in streams:
            stream.next("revision")
        for i in range(writes):
            if i == writes // 2:
                kill(process)
            name, height = ("ended", 5) if i % 2 else ("began", 0.25)
            poses = {"ids": ["b0"], "positions": [[10, 0, height]]}
            revision = client.post("/v1/scenes/cell/contactStates/drops", {"poses": poses}, check=False).json["revision"]
            gather(streams, lambda s: any(e.name == name for e in s.events))
            for s in streams:
                equal(s.next("revision").data["revision"], revision, "revision")
            for s in streams:
                s.next(name)
        equal(revision, first + writes, "last revision")
        wait_until(lambda: sockets_of(daemon) == baseline() + 99, "the connection of the killed client is open")
        grown = daemon.status_bytes("VmRSS") - memory
        print(f"{grown / 1024:.0f} KiB more than without them")
        # 32 KiB of each connection for its request head, and as much again for the rest.
        check(grown < (8 << 20) * SLOWER, f"{grown} bytes more than without them")
        client.delete("/v1/scenes/cell").must(200)
        for stream in streams:
            equal([e.name for e in stream.rest()], ["deleted"], "what is left")
        equal(revisions(slow.rest()), list(range(first + 1, first + writes + 2)), "what the one that did not read gets in the end")
        slow.close()
        for stream in streams:
            stream.close()


@suite.fact
def memory_is_bounded_when_no_stream_reads_its_events():
    if SANITIZER:
        raise Skip("a sanitizer has a malloc of its own, and keeps what is freed")
    with daemon_with("--log", "off", heap=True, eventBacklogBytes=16384, eventStreams=40) as daemon:
        client, unused = scene_of(daemon, LONG)
        write(client, LONG)
        streams = [Stream(daemon, LONG, receive_buffer=4096) for unused in range(40)]
        for stream in streams:
            stream.next("revision")
        before = sockets_of(daemon)
        for unused in range(100):
            write(client, LONG, check_reply=False)
        memory = daemon.heap()[0]
        for unused in range(1500):
            write(client, LONG, check_reply=False)
        grown = daemon.heap()[0] - memory
        # One ring of 64 KiB is shared by all streams, with a head for each event; a copy for each stream would be 14
        # MB.
        check(grown < 98304, f"memory has grown by {grown} bytes")
        wait_until(lambda: sockets_of(daemon) == before - 40, "connections of clients that do not read are open")
        for stream in streams:
            stream.close()


def come_and_go(daemon, client):
    """A scene with streams that end in every way."""
    client.put(f"/v1/scenes/{LONG}", {}, check=False).must(201)
    streams = [Stream(daemon, LONG, receive_buffer=4096, last=last) for last in (None, 7, None, None)]
    for stream in streams:
        stream.next("revision", "reset")
    streams[0].close()
    Raw(daemon.port).send(request("GET", f"/v1/scenes/{LONG}/events"))  # does not even wait for the reply
    for unused in range(700):
        write(client, LONG, check_reply=False)
    streams[1].close()
    streams[2].rest()
    client.delete(f"/v1/scenes/{LONG}", check=False).must(200)
    streams[3].rest()
    streams[2].close(), streams[3].close()
    wait_until(lambda: sockets_of(daemon) == baseline(), "connections of streams are open")


def heap_at_rest(daemon):
    """Bytes and blocks of the heap after background jobs have finished: unchanged for 0.2 s."""
    seen = []

    def is_unchanged():
        seen.append(daemon.heap())
        return len(seen) >= 20 and len(set(seen[-20:])) == 1

    wait_until(is_unchanged, "the heap changes")
    return seen[-1]


@suite.fact
def streams_that_ended_leak_nothing():
    if SANITIZER:
        with daemon_with("--log", "off", eventBacklogBytes=4096) as daemon:  # which reports leaks when the daemon ends
            come_and_go(daemon, KeepAlive(daemon))
        return
    with daemon_with("--log", "off", heap=True, eventBacklogBytes=4096) as daemon:
        client = KeepAlive(daemon)
        for unused in range(2):
            come_and_go(daemon, client)
        before = heap_at_rest(daemon)
        for unused in range(3):
            come_and_go(daemon, client)
        equal(heap_at_rest(daemon), before, "bytes and blocks of the heap")


# ---- ends ------------------------------------------------------------------------------------------------------------------------

@suite.fact
def the_deletion_of_the_scene_is_the_last_event():
    with daemon_with() as daemon:
        client, unused = scene_of(daemon)
        client.post("/v1/scenes/cell/contactStates/c").must(201)
        with Stream(daemon, "cell") as stream, Stream(daemon, "cell", contact_state="c") as named:
            number = stream.next("revision").id
            named.next("revision")
            write(client)
            revision = client.delete("/v1/scenes/cell").must(200).json["revision"]
            client.put("/v1/scenes/cell", {}).must(201)
            for each in (stream, named):
                events = each.rest()
                equal([(e.name, e.id, e.data["revision"]) for e in events],
                      [("revision", number + 1, revision - 1), ("deleted", number + 2, revision)], "events")
                check(each.complete, "the stream is cut off")


def ends_at_sigterm(busy):
    def fact():
        daemon = daemon_with(drainSeconds=3600).start()
        suite.cleanup(daemon.kill)
        client, unused = scene_of(daemon, LONG)
        good = [Stream(daemon, LONG) for unused in range(10)]
        slow = Stream(daemon, LONG, receive_buffer=4096)
        for stream in (*good, slow):
            stream.next("revision")
        for unused in range(600 if busy else 1):  # more than the kernel buffers, less than the limit
            revision = write(client, LONG, check_reply=False)
        gather(good, lambda s: s.events and s.events[-1].data.get("revision") == revision)
        os.kill(daemon.pid, signal.SIGTERM)
        for stream in good:
            events = stream.rest()
            equal((events[-1].name, events[-1].id), ("shutdown", None), "last event")
            equal(revisions(events[:-1])[-1], revision, "last revision")
            check(stream.complete, "the stream is cut off")
        equal(daemon.process.wait(SECONDS), 0, "exit status")
        events = slow.rest()
        check(busy or events[-1].name == "shutdown", f"the slow one ends with {events[-1]}")
        daemon.process.stdout.close()
        for stream in (*good, slow):
            stream.close()
    return fact


suite.table("SIGTERM ends all streams", [("with a client that reads late", ends_at_sigterm(False)),
                                              ("with a client that does not read", ends_at_sigterm(True))])

suite.main()
