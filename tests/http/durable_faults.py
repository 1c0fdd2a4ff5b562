"""Acknowledged writes survive: kill -9 while the daemon writes, a full or failing disk, SIGTERM, many clients at
once. A small change of a large scene writes few bytes.
CONTACTD_KILLS sets the rounds of the kill -9 loop: 5 by default, 300 with CONTACTD_FULL=1."""
import concurrent.futures
import http.client
import json
import os
import pathlib
import random
import resource
import sqlite3
import tempfile
import threading
import time

from support.checks import Skip, Suite, check, equal
from support.client import KeepAlive, ndjson
from support.daemon import SANITIZER, Daemon
from support.events import Stream
from support.lives import Lives, connection
from support.pace import SLOWER, unchanging
from support.scenes import many_bodies
from support.stopwatch import Stopwatch, wait_until

suite = Suite()
KILLS = int(os.environ.get("CONTACTD_KILLS") or (300 if os.environ.get("CONTACTD_FULL") else 5))
SECONDS = 30 * SLOWER


def ball(name, x=0.0, **rest):
    return {"id": name, "position": [x, 0, 0.5], "motion": {"mass": 1}, "colliders": [{"sphere": {"radius": 0.5}}], **rest}


FLOOR = {"id": "floor", "colliders": [{"plane": {}}]}


# ---- kill -9 -------------------------------------------------------------------------------------------------------------------


class Writer(threading.Thread):
    """Writes to scenes of its own until the daemon has ended. Every write sets all bodies of a scene to one number,
    so that a partial write would be detected. Records what was sent and what was acknowledged."""

    def __init__(self, number, known):
        super().__init__()
        self.number, self.known = number, known
        self.failure, self.acknowledged = None, 0

    def run(self):
        try:
            self.write()
        except (OSError, http.client.HTTPException):
            pass
        except Exception as why:  # reported by the test
            self.failure = repr(why)

    def begin(self, port):
        self.connection = connection(port, SECONDS)
        self.start()

    def send(self, method, path, body):
        self.connection.request(method, path, body and json.dumps(body), {"Content-Type": "application/json"} if body else {})
        reply = self.connection.getresponse()
        return reply.status, json.loads(reply.read())

    def write(self):
        rng = random.Random()
        while True:
            name = f"w{self.number}-{rng.randrange(3)}"
            state = self.known.setdefault(name, {"revision": 0, "value": None, "sent": None, "count": 0, "low": 0})
            value = state["next"] = state.get("next", 0) + 1
            state["sent"] = value
            if state["value"] is None or rng.random() < 0.1:
                kind, count = "put", rng.randrange(1, 12)
                body = {"user": value, "bodies": [ball(f"b{i}", float(value)) for i in range(count)]}
                state["count_sent"] = count
                status, reply = self.send("PUT", f"/v1/scenes/{name}", body)
            elif rng.random() < 0.05:
                kind = "delete"
                state["count_sent"] = None
                status, reply = self.send("DELETE", f"/v1/scenes/{name}", None)
            else:
                kind, count = "poses", state["count"]
                state["count_sent"] = count
                body = {"ids": [f"b{i}" for i in range(count)], "positions": [[float(value), 0, 0.5]] * count}
                status, reply = self.send("PATCH", f"/v1/scenes/{name}/poses", body)
            if status == 503 and reply["type"] == "/problems/draining":
                state["sent"] = None
                return
            if status not in (200, 201):
                raise AssertionError(f"{kind} of {name}: {status} {reply}")
            if reply["revision"] <= state["revision"]:
                raise AssertionError(f"revision {reply['revision']} of {name} after {state['revision']}")
            self.acknowledged += 1
            state.update(revision=reply["revision"], sent=None)
            if kind == "delete":
                state.update(value=None, count=0)
            else:
                state.update(value=value, count=count)


def value_of(reply):
    """The number that all bodies of the scene have, and the number of bodies."""
    if reply.status == 404:
        return None, 0
    document = reply.must(200).json
    values = {body["position"][0] for body in document["bodies"]}
    check(len(values) == 1, f"part of a write: {sorted(values)}")
    return int(values.pop()), len(document["bodies"])


def look(client, name, state):
    """Checks that the scene is as the last acknowledged write left it, or as the one later write whose reply was not
    received would have."""
    reply = client.get(f"/v1/scenes/{name}")
    value, count = value_of(reply)
    possible = [(state["value"], state["count"])]
    if state["sent"] is not None:
        possible.append((None, 0) if state["count_sent"] is None else (state["sent"], state["count_sent"]))
    check((value, count) in possible, f"{name} has {value} in {count} bodies, could have {possible}")
    if reply.status == 200:
        revision = int(reply.etag.strip('"r'))
        check(revision >= state["revision"], f"{name} is at revision {revision}, {state['revision']} was acknowledged")
        if (value, count) == possible[0] and len(possible) == 1:
            equal(revision, state["revision"], f"revision of {name}")
        state["revision"] = revision
    state.update(value=value, count=count, sent=None)


@suite.fact
def nothing_acknowledged_is_lost_by_kill_9():
    """F1: each round ends the daemon during writes, by SIGKILL or sometimes by SIGTERM."""
    lives, known, acknowledged = Lives(suite), {}, 0
    rng = random.Random(1)
    for round_number in range(KILLS):
        writers = [Writer(i, known) for i in range(4)]
        for writer in writers:
            writer.begin(lives.daemon.port)
        time.sleep(rng.uniform(0.02, 0.2))
        lives.down("TERM" if round_number % 5 == 4 else "KILL")
        for writer in writers:
            writer.join(SECONDS)
            check(writer.failure is None, f"round {round_number}: {writer.failure}")
            acknowledged += writer.acknowledged
        lives.start(ready=False)
        for name, state in sorted(known.items()):
            look(lives.client, name, state)
    check(acknowledged > 5 * KILLS, f"only {acknowledged} writes were acknowledged")
    lives.down()


# ---- a full disk ------------------------------------------------------------------------------------------------------------------


@suite.fact
def a_full_disk_refuses_writes_and_nothing_else():
    """F3: 507, nothing is written in part, reads continue, and when there is room again writes succeed without a
    restart. A limit on the file's size stands for a full disk: the store treats both alike
    (tests/store/test_store_faults.c has both)."""
    lives = Lives(suite)
    resource.prlimit(lives.daemon.pid, resource.RLIMIT_FSIZE, (3 << 20, resource.RLIM_INFINITY))
    lives.client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201)
    text, full = "x" * 4000, None
    for i in range(400):
        reply = lives.client.put(f"/v1/scenes/fill{i}", {"bodies": [ball(f"b{j}", user=text) for j in range(20)]})
        if reply.status != 201:
            full = i
            break
    check(full is not None, "the disk never was full")
    reply.problem(507, "storage-full")
    lives.client.get(f"/v1/scenes/fill{full}").problem(404, "scene-not-found")
    for i in range(full):
        equal(len(lives.client.get(f"/v1/scenes/fill{i}").must(200).json["bodies"]), 20, "bodies")
    equal(lives.client.get("/v1/scenes/s").must(200).etag, '"r1"', "the first scene")
    lives.client.post("/v1/scenes/s/query/overlap", {}).must(200)
    equal(lives.client.get("/readyz").status, 200, "/readyz of one that can be read from")
    resource.prlimit(lives.daemon.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    lives.client.put(f"/v1/scenes/fill{full}", {"bodies": [ball("b")]}).must(201)
    lives.again("KILL")
    equal(lives.client.get("/v1/scenes").json["total"], full + 2, "scenes after all that")
    lives.down()


@suite.fact
def a_disk_that_fails_refuses_writes_until_the_next_start():
    """F4: writes and /readyz are 503 at once and until the next start; reads continue."""
    if SANITIZER:
        raise Skip("a sanitizer's library must be the first")
    lives = Lives(suite)
    lives.client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201)
    with tempfile.TemporaryDirectory() as folder:
        mark = pathlib.Path(folder) / "fails"
        lives.again(fails=mark)
        lives.client.put("/v1/scenes/t", {"bodies": [ball("b")]}).must(201)
        mark.touch()
        shape = json.dumps({"sphere": {"radius": 1}})
        lives.client.put("/v1/scenes/u", {"bodies": []}).problem(503, "storage-failed")
        mark.unlink()
        for unused in range(2):
            lives.client.patch("/v1/scenes/s", {"user": 1}).problem(503, "storage-failed")
            lives.client.delete("/v1/scenes/s").problem(503, "storage-failed")
            lives.client.post("/v1/shapes", shape).problem(503, "storage-failed")
            lives.client.get("/readyz").problem(503, "storage-failed")
        lives.client.get("/v1/scenes/u").problem(404, "scene-not-found")
        equal(lives.client.get("/v1/scenes/s").must(200).etag, '"r1"', "the scene that is read")
        last = lives.daemon
        lives.again()
    equal(last.log_text().count('"event":"storageFailed"'), 1, "lines in the log")
    equal({s["id"] for s in lives.client.get("/v1/scenes").json["scenes"]} - {"u"}, {"s", "t"}, "what was acknowledged")
    lives.client.patch("/v1/scenes/s", {"user": 1}).must(200)
    lives.down()


@suite.fact
def a_disk_that_fails_while_no_write_runs_is_reported_at_once():
    """F4: the log is copied into the file while no write runs, and the sync of the file fails."""
    if SANITIZER:
        raise Skip("a sanitizer's library must be the first")
    lives = Lives(suite)
    with tempfile.TemporaryDirectory() as folder:
        mark = pathlib.Path(folder) / "fails"
        lives.again(fails=mark)
        # The sync of the file alone fails: acknowledged writes are in its log.
        mark.write_text("/contactd.db")
        lives.client.put("/v1/scenes/s", {"bodies": [ball(f"b{i}", user="x" * 4000) for i in range(400)]}).must(201)
        wait_until(lambda: lives.client.get("/readyz").status == 503, "/readyz is not 503")
        lives.client.get("/readyz").problem(503, "storage-failed")
        wait_until(lambda: '"storageFailed"' in lives.daemon.log_text(), "the log does not tell")
        mark.unlink()
        lives.client.patch("/v1/scenes/s", {"user": 1}).problem(503, "storage-failed")
        last = lives.daemon
        lives.again()
    equal(last.log_text().count('"event":"storageFailed"'), 1, "lines in the log")
    equal(len(lives.client.get("/v1/scenes/s").must(200).json["bodies"]), 400, "bodies of what was acknowledged")
    lives.client.patch("/v1/scenes/s", {"user": 1}).must(200)
    lives.down()


def sent(port, method, path, body):
    """Sends a request and returns its connection, without reading the reply."""
    line = connection(port, SECONDS)
    line.request(method, path, json.dumps(body), {"Content-Type": "application/json"})
    return line


@suite.fact
def a_write_that_the_store_has_begun_is_finished_in_any_case():
    """While the disk syncs the write is not visible. Neither its deadline nor a client that disconnects nor SIGTERM
    cancels it, and the next write to the scene waits for it."""
    if SANITIZER:
        raise Skip("a sanitizer's library must be the first")
    lives = Lives(suite)
    with tempfile.TemporaryDirectory() as folder:
        mark = pathlib.Path(folder) / "slow"
        lives.again(fails=mark)
        for name in ("kept", "left", "last"):
            lives.client.put(f"/v1/scenes/{name}", {"bodies": [ball("b")]}).must(201)
        mark.write_text("hold")
        port = lives.daemon.port
        body = {"bodies": [ball("b"), ball("c", 5.0)]}
        lines = [sent(port, "PUT", f"/v1/scenes/{name}", body) for name in ("kept", "left")]
        lives.wait_given(2)
        lines[1].close()
        next_line = sent(port, "PATCH", "/v1/scenes/kept", {"user": "behind"})
        equal(lives.client.get("/v1/scenes/kept").must(200).etag, '"r1"', "what is read while the disk syncs")
        lives.client.post("/v1/scenes/kept/query/overlap", {}).must(200)
        mark.unlink()
        for line, revision in ((lines[0], 2), (next_line, 3)):
            reply = line.getresponse()
            equal((reply.status, json.loads(reply.read())["revision"]), (200, revision), "reply of a write that has waited")
        equal(lives.client.get("/v1/scenes/left").must(200).etag, '"r2"', "the scene whose writer has left")
        mark.write_text("hold")
        ending = sent(port, "PATCH", "/v1/scenes/last", {"user": 1})
        early = sent(port, "POST", "/v1/scenes/last/contactStates/s", {"deadlineMs": 60000, "time": 1})
        lives.wait_given(1, behind=1)
        last = lives.daemon
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            down = pool.submit(lives.down, "TERM")
            wait_until(lambda: '"draining"' in last.log_text(), "it does not drain")
            time.sleep(0.2)
            check(last.process.poll() is None, "the end did not wait for the disk")
            mark.unlink()
            down.result()
        for line in (ending, early):
            equal(line.getresponse().status < 300, True, "a write at the end")
        lives.start()
    equal({s["id"]: s["revision"] for s in lives.client.get("/v1/scenes").json["scenes"]}, {"kept": 3, "left": 2, "last": 3}, "revisions")
    lives.down()


@suite.fact
def a_deadline_does_not_cancel_a_write_that_the_store_has_begun():
    if SANITIZER:
        raise Skip("a sanitizer's library must be the first")
    lives = Lives(suite)
    with tempfile.TemporaryDirectory() as folder:
        mark = pathlib.Path(folder) / "slow"
        lives.again(fails=mark)
        lives.client.put("/v1/scenes/s", {"bodies": [FLOOR, ball("b")]}).must(201)
        mark.write_text("hold")
        line = sent(lives.daemon.port, "POST", "/v1/scenes/s/contactStates/c", {"time": 1, "deadlineMs": 1000})
        lives.wait_given(1)
        time.sleep(1.2)
        mark.unlink()
        reply = line.getresponse()
        equal((reply.status, json.loads(reply.read())["revision"]), (201, 2), "status and revision")
        equal(lives.client.get("/v1/scenes/s").etag, '"r2"', "the scene")
    lives.down()


# ---- many at once -------------------------------------------------------------------------------------------------------------------


def write_many(port, path_of, clients, writes):
    """Each client sends its writes; returns the statuses and revisions of the replies."""
    told, failures = [[] for unused in range(clients)], []

    def one(number):
        try:
            line = connection(port, SECONDS)
            for i in range(writes):
                body = json.dumps({"ids": [f"b{number}"], "positions": [[float(i), 0, 0]]})
                line.request("PATCH", f"{path_of(number)}/poses", body, {"Content-Type": "application/json"})
                reply = line.getresponse()
                told[number].append((reply.status, json.loads(reply.read()).get("revision")))
            line.close()
        except Exception as why:  # reported below
            failures.append(repr(why))

    threads = [threading.Thread(target=one, args=(i,)) for i in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    equal(failures, [], "failures")
    return told


CLIENTS, WRITES = 64, 6


@suite.fact
def clients_that_write_to_scenes_of_their_own_share_syncs():
    lives = Lives(suite)
    for i in range(CLIENTS):
        lives.client.put(f"/v1/scenes/s{i}", {"bodies": [ball(f"b{i}")]}).must(201)
    told = write_many(lives.daemon.port, lambda i: f"/v1/scenes/s{i}", CLIENTS, WRITES)
    for replies in told:
        equal(replies, [(200, 2 + i) for i in range(WRITES)], "replies")
    lives.again("KILL")
    for i in range(CLIENTS):
        equal(lives.client.get(f"/v1/scenes/s{i}/bodies/b{i}").must(200).json["position"], [WRITES - 1, 0, 0], "position")
    lives.down()


@suite.fact
def writes_of_many_clients_to_one_scene_are_in_order():
    lives = Lives(suite, "--limit", "queuePerScene=100")
    lives.client.put("/v1/scenes/s", {"bodies": [ball(f"b{i}") for i in range(CLIENTS)]}).must(201)
    told = write_many(lives.daemon.port, lambda i: "/v1/scenes/s", CLIENTS, WRITES)
    revisions = sorted(revision for replies in told for status, revision in replies)
    equal(revisions, list(range(2, 2 + CLIENTS * WRITES)), "revisions, each once")
    lives.again("KILL")
    reply = lives.client.get("/v1/scenes/s").must(200)
    equal(reply.etag, f'"r{1 + CLIENTS * WRITES}"', "revision after all")
    equal({tuple(b["position"]) for b in reply.json["bodies"]}, {(WRITES - 1, 0, 0)}, "positions")
    lives.down()


# ---- how much is written ---------------------------------------------------------------------------------------------------------


def bytes_written(pid):
    """Bytes that the daemon passed to write calls, to all files."""
    for line in pathlib.Path(f"/proc/{pid}/io").read_text().splitlines():
        if line.startswith("wchar:"):
            return int(line.split()[1])
    return None


BODIES, CHANGES = (100000, 20) if os.environ.get("CONTACTD_FULL") else (20000, 20)
# Ids, positions and the overhead of a record; and pages of 4 KiB in the log and, later, in the file.
BYTES_MOST = 100 * 200 + 60000


@suite.fact
def a_small_change_of_a_large_scene_writes_little():
    """The poses of 100 bodies in a scene of 100,000 do not rewrite the scene."""
    lives = Lives(suite, "--log", "off")
    bodies = many_bodies(BODIES)
    lives.client.put("/v1/scenes/s", {"bodies": []}).must(201)
    lives.client.post("/v1/scenes/s/bodies", ndjson(bodies), content_type="application/x-ndjson", check=False).must(201)
    rng = random.Random(3)
    # Wait until the store has done its idle work for the large write.
    before = unchanging(lambda: bytes_written(lives.daemon.pid), 1)
    for i in range(CHANGES):
        ids = rng.sample(range(BODIES), 100)
        body = {"ids": [f"body-{j:06d}" for j in ids], "positions": [[float(i), 0, 0]] * 100}
        lives.client.patch("/v1/scenes/s/poses", body, check=False).must(200)
    written = (bytes_written(lives.daemon.pid) - before) / CHANGES
    print(f"{written:.0f} bytes for the poses of 100 of {BODIES} bodies")
    check(written <= BYTES_MOST, f"{written:.0f} bytes are written for the poses of 100 of {BODIES} bodies, at most {BYTES_MOST} should be")
    expected = lives.client.get("/v1/scenes/s/poses", check=False).body
    lives.again("KILL")
    equal(lives.client.get("/v1/scenes/s/poses", check=False).body == expected, True, "the poses are those before the kill")
    lives.down()


@suite.fact
def a_scene_whose_key_is_lost_in_the_index_is_corrupt():
    """F7: an index that is damaged on the disk while the daemon runs makes a scene corrupt, not absent."""
    lives = Lives(suite, "--workers", "1", "--log", "stderr", "--scene-memory", "65536")
    names = [f"scene-{i}" for i in range(6)]
    for name in names:
        lives.client.put(f"/v1/scenes/{name}", {"bodies": [ball(f"b{i}", 3 * i) for i in range(40)]}).must(201)
    lives.again()
    with Stream(lives.daemon, names[-1]) as stream:
        stream.next("revision")
    # The scene is evicted once no stream is open and others are used.
    wait_until(lambda: [lives.client.get(f"/v1/scenes/{name}").status for name in names[:-1]] == [200] * 5
               and lives.client.get("/v1/scenes").must(200).json["scenes"][-1].get("status") == "stored", "the scene stays in memory")
    # A write has the page in memory, and does not read the damaged one.
    lives.client.patch(f"/v1/scenes/{names[0]}", {"user": 0}).must(200)
    path = pathlib.Path(lives.folder) / "contactd.db"
    data, key, flipped = bytearray(path.read_bytes()), names[-1].encode(), 0
    for page in range(4096, len(data), 4096):
        at = data.find(key, page, page + 4096)
        if data[page] == 10 and at >= 0:  # a leaf of an index (Database File Format, 1.6)
            data[at] ^= 0x10
            flipped += 1
    check(flipped == 1, f"the key is in {flipped} pages of indices")
    with path.open("r+b") as file:
        file.write(data)
    # After a write the store reads its pages again.
    lives.client.patch(f"/v1/scenes/{names[0]}", {"user": 1}).must(200)
    for unused in range(2):
        lives.client.get(f"/v1/scenes/{names[-1]}").problem(500, "corrupt")
    listed = lives.client.get("/v1/scenes").must(200).json["scenes"]
    equal([(s["id"], s["revision"]) for s in listed], [(name, 1 + 2 * (name == names[0])) for name in names], "scenes and revisions")
    equal(listed[-1]["status"], "corrupt", "status")
    daemon = lives.daemon
    lives.down()
    check('"event":"sceneCorrupt"' in daemon.log_text(), "the log does not tell it")


@suite.fact
def a_stream_that_missed_events_of_an_unreadable_scene_ends():
    """Another daemon has deleted the scene, as on a file system without locks: a `reset` would have no revision to
    report."""
    name = "s" + "c" * 127  # makes events long
    lives = Lives(suite, "--limit", "eventRing=1", "--limit", "eventBacklogBytes=8388608")
    lives.client.put(f"/v1/scenes/{name}", {"bodies": []}).must(201)
    with Stream(lives.daemon, name, receive_buffer=4096) as slow:
        slow.next("revision")
        for i in range(1500):
            lives.client.patch(f"/v1/scenes/{name}", {"user": i}, check=False).must(200)
        lock, aside = (pathlib.Path(lives.folder) / part for part in ("contactd.lock", "aside"))
        lock.rename(aside)
        with Daemon("--data", lives.folder, durability="disk") as other:
            KeepAlive(other).delete(f"/v1/scenes/{name}").must(200)
        aside.rename(lock)
        lives.client.patch(f"/v1/scenes/{name}", {"user": 0}).problem(500, "corrupt")
        events = slow.rest()
        check(slow.complete and len(events) < 1500, f"the stream had {len(events)} events; it ends in time: {slow.complete}")
        equal({event.name for event in events}, {"revision"}, "events")
    with Stream(lives.daemon, name) as stream:
        equal(stream.head().status, 500, "status of a stream that comes now")
    lives.client.get("/livez").must(200)
    lives.down()


@suite.fact
def a_write_while_another_program_locks_the_file_is_answered_503():
    lives = Lives(suite, "--log", "off")
    lives.client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201)
    other = sqlite3.connect(pathlib.Path(lives.folder) / "contactd.db", isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        reply = lives.client.patch("/v1/scenes/s", {"user": 1}).problem(503, "store-unavailable")
        other.execute("ROLLBACK")
    finally:
        other.close()
    check(reply.headers.get("retry-after"), "no Retry-After")
    lives.client.patch("/v1/scenes/s", {"user": 2}).must(200)
    lives.down()


def stored_bytes(folder):
    return sum(p.stat().st_size for p in pathlib.Path(folder).glob("contactd.db*"))


@suite.fact
def many_changes_are_compacted_into_one_base():
    """The store does not grow without bound, and the time of a start neither."""
    lives = Lives(suite, "--log", "off")
    lives.client.put("/v1/scenes/s", {"bodies": [ball(f"b{i}", user="u" * 4000) for i in range(50)]}).must(201)
    for i in range(400):
        lives.client.patch("/v1/scenes/s/bodies", [{"id": f"b{j}", "user": f"{i}-" + "v" * 3000} for j in range(5)]).must(200)
    expected = lives.client.get("/v1/scenes/s").body
    lives.down()
    lives.start()
    lives.client.get("/v1/scenes/s")
    watch = Stopwatch()
    while stored_bytes(lives.folder) >= 8 << 20 and not watch.hangs():
        time.sleep(0.05)
    size = stored_bytes(lives.folder)
    equal(lives.client.get("/v1/scenes/s").body, expected, "the scene")
    check(size < 8 << 20, f"the store has {size} bytes after 400 changes of 15 KB each of a scene of 200 KB")
    lives.down()


suite.main()
