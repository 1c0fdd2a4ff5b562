"""Several daemons with one Redis: a write that one daemon acknowledged is visible at all others, whichever daemon or
Redis is killed, stopped or cut off. Histories of concurrent reads and writes are checked by support/history.py.
CONTACTD_FULL=1: a minute under load, with repeated kills and stops."""
import http.client
import json
import os
import random
import signal
import statistics
import threading
import time
from urllib.parse import quote

from support.checks import Suite, check, equal
from support.client import KeepAlive
from support.events import Stream
from support.history import ABSENT, History
from support.metrics import Metrics
from support.pace import SLOWER
from support.redis import CUBE, OBJ, Redis, ball, move, number_of, place, revision_of
from support.stopwatch import Stopwatch, timed, wait_until

suite = Suite()
FULL = bool(os.environ.get("CONTACTD_FULL"))
SECONDS = 30 * SLOWER


# ---- one store, many daemons ---------------------------------------------------------------------------------------------------


@suite.fact
def acknowledged_writes_are_visible_at_all_daemons_at_once():
    a, b, c = Redis(suite).daemons(3)
    equal(a.client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201).json["durability"], "redis", "durability")
    for i in range(1, 30):
        writer, reader = ((a, b), (b, c), (c, a))[i % 3]
        written = writer.client.patch("/v1/scenes/s/poses", move(i)).must(200)
        read = reader.client.get("/v1/scenes/s/poses").must(200)
        equal((place(read), revision_of(read)), (i, written.json["revision"]), f"place and revision after write {i}")
    equal([x["id"] for x in b.client.get("/v1/scenes").must(200).json["scenes"]], ["s"], "scenes")
    c.client.delete("/v1/scenes/s").must(200)
    a.client.get("/v1/scenes/s").problem(404, "scene-not-found")
    b.client.post("/v1/scenes/s/query/distance", {}).problem(404, "scene-not-found")
    equal(b.client.get("/v1/scenes").must(200).json["total"], 0, "scenes")


@suite.fact
def scenes_of_other_daemons_are_listed_and_revision_numbers_never_reused():
    a, b = Redis(suite).daemons(2)
    for i in range(5):
        (a, b)[i % 2].client.put(f"/v1/scenes/s{i}", {"bodies": [ball(f"b{k}", 2 * k) for k in range(i)]}).must(201)
    for node in (a, b):
        listed = node.client.get("/v1/scenes").must(200).json["scenes"]
        equal([(x["id"], x["bodies"]) for x in listed], [(f"s{i}", i) for i in range(5)], "list")
    for i in range(6):
        last = (b, a)[i % 2].client.put("/v1/scenes/again", {"bodies": []}).must(201).json["revision"]
        (a, b)[i % 2].client.patch("/v1/scenes/again", {"materials": {}}, check=False)
        (a, b)[i % 2].client.delete("/v1/scenes/again").must(200)
        after = (a, b)[i // 2 % 2].client.put("/v1/scenes/again", {"bodies": []}).must(201).json["revision"]
        check(after > last + 1, f"revision {after} of a new life after {last}")
        (b, a)[i % 2].client.delete("/v1/scenes/again").must(200)


@suite.fact
def shapes_posted_at_one_daemon_can_be_named_at_others_and_stay_while_named():
    a, b, c = Redis(suite).daemons(3)
    shape = a.client.post("/v1/shapes?unit=m", CUBE, content_type=OBJ).must(201).json["id"]
    equal([x["id"] for x in b.client.get("/v1/shapes").must(200).json["shapes"]], [shape], "shapes")
    b.client.put("/v1/scenes/s", {"bodies": [{"id": "b", "colliders": [{"shape": shape}]}]}).must(201)
    c.client.get("/v1/scenes/s").must(200)
    c.client.delete(f"/v1/shapes/{shape}").problem(409, "shape-in-use")
    c.client.delete("/v1/scenes/s").must(200)
    c.client.delete(f"/v1/shapes/{shape}").must(200)
    a.client.get(f"/v1/shapes/{shape}").problem(404, "shape-not-found")
    a.client.put("/v1/scenes/t", {"bodies": [{"id": "b", "colliders": [{"shape": shape}]}]}).problem(422, "unknown-id")


@suite.fact
def lists_of_shapes_follow_posts_and_deletions_at_other_daemons():
    a, b = Redis(suite).daemons(2)

    def post(node, size):
        return node.client.post("/v1/shapes", {"box": {"size": [1, 1, size]}}).must(201).json["id"]

    def compare():
        for node in (a, b):
            equal([x["id"] for x in node.client.get("/v1/shapes").must(200).json["shapes"]], there, "shapes")

    there = sorted(post(a, i) for i in range(1, 13))
    compare()
    # The first, the last, some between; one deleted while another is posted, so that the number stays the same; all.
    for gone, posted in ((there[:1], 0), (there[-1:], 0), (there[2:7:2], 0), (there[5:6], 1), (there[7:9], 2), (there, 3)):
        gone = [shape for shape in gone if shape in there]
        for shape in gone:
            b.client.delete(f"/v1/shapes/{shape}").must(200)
        there = sorted([shape for shape in there if shape not in gone] + [post(b, 20 + 10 * posted + i) for i in range(posted)])
        compare()


def in_threads(work, count):
    failures = []

    def one(i):
        try:
            work(i)
        except Exception as why:  # reported below
            failures.append(repr(why))

    threads = [threading.Thread(target=one, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    equal(failures, [], "failures of threads")


@suite.fact
def of_concurrent_writes_with_one_if_match_one_succeeds():
    nodes = Redis(suite).daemons(3)
    nodes[0].client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201)
    clients = [KeepAlive(n) for n in nodes]
    for i in range(15):
        etag = nodes[i % 3].client.get("/v1/scenes/s").must(200).etag
        statuses = [None] * 3

        def one(k, etag=etag, statuses=statuses, i=i):
            statuses[k] = clients[k].patch("/v1/scenes/s/poses", move(i * 3 + k + 1), headers={"If-Match": etag}).status

        in_threads(one, 3)
        equal(sorted(statuses), [200, 412, 412], f"statuses of round {i}")
        equal(place(nodes[0].client.get("/v1/scenes/s/poses")), i * 3 + statuses.index(200) + 1, "place")


@suite.fact
def no_concurrent_write_of_several_daemons_to_one_scene_is_lost():
    """Each client adds bodies of its own; a daemon retries a write that another one overtook."""
    nodes = Redis(suite).daemons(2)
    nodes[0].client.put("/v1/scenes/s", {"bodies": []}).must(201)
    clients, revisions, lost = [KeepAlive(nodes[i % 2]) for i in range(4)], [], []

    def one(k):
        for i in range(25):
            reply = clients[k].put(f"/v1/scenes/s/bodies/b{k}-{i}", {"colliders": [{"sphere": {"radius": 1}}]})
            if reply.status == 201:
                revisions.append(reply.json["revision"])
            else:
                reply.problem(409, "scene-moved")
                lost.append(f"b{k}-{i}")

    in_threads(one, 4)
    equal(len(set(revisions)), len(revisions), "different revisions")
    expected = sorted(f"b{k}-{i}" for k in range(4) for i in range(25) if f"b{k}-{i}" not in lost)
    for node in nodes:
        found = node.client.get("/v1/scenes/s").must(200)
        equal(sorted(b["id"] for b in found.json["bodies"]), expected, "bodies")
        equal(revision_of(found), max(revisions), "revision")
    check(len(lost) < 50, f"{len(lost)} of 100 writes were refused as moved")


@suite.fact
def queued_writes_to_a_scene_that_others_delete_and_recreate():
    """A queued write may find its scene deleted, or recreated and not yet read here: it waits, or is refused with
    the reason."""
    nodes = Redis(suite).daemons(3)
    bodies = [ball(f"b{k}", 3.0 * k) for k in range(400)]
    move_one = {"position": [0.5, 0, 0]}
    allowed = {"PATCH": {200, 404, 409}, "DELETE": {200, 404, 409}, "PUT": {200, 201, 409}}
    nodes[0].client.put("/v1/scenes/s", {"bodies": bodies}).must(201)
    clients, seen, wrong = [KeepAlive(nodes[i % 3]) for i in range(9)], set(), []

    def one(k):
        rng = random.Random(k)
        for _ in range(60):
            what = rng.choice(["PATCH"] * 6 + ["DELETE", "PUT", "PUT"])
            path = "/v1/scenes/s/bodies/b0" if what == "PATCH" else "/v1/scenes/s"
            body = {"PATCH": move_one, "PUT": {"bodies": bodies}, "DELETE": None}[what]
            reply = clients[k].request(what, path, body, check=False)
            seen.add((what, reply.status))
            if reply.status not in allowed[what]:
                wrong.append((what, reply.status, reply.text[:200]))

    in_threads(one, 9)
    equal(wrong[:3], [], f"{len(wrong)} replies that should not be")
    check({("PATCH", 200), ("PATCH", 404), ("DELETE", 200), ("PUT", 201), ("PUT", 200)} <= seen, f"seen: {sorted(seen)}")
    for node in nodes:
        node.client.put("/v1/scenes/s", {"bodies": [ball("b", 7)]}, check=False)
        equal(place(node.client.get("/v1/scenes/s/poses").must(200)), 7, "place")


@suite.fact
def the_same_idempotency_key_is_the_same_scene_at_any_daemon():
    redis = Redis(suite)
    nodes = redis.daemons(2)
    clients, replies = [KeepAlive(nodes[i % 2]) for i in range(6)], [None] * 6
    body, key = {"bodies": [ball("b", 1)]}, {"Idempotency-Key": "order 66"}

    def one(k):
        replies[k] = clients[k].post("/v1/scenes", body, headers=key).must(201)

    in_threads(one, 6)
    equal(len({(r.json["id"], r.json["revision"], r.etag, r.headers["location"]) for r in replies}), 1, "different scenes")
    equal(nodes[0].client.get("/v1/scenes").must(200).json["total"], 1, "scenes")
    path = replies[0].headers["location"]
    equal(len({place(n.client.get(path + "/poses").must(200)) for n in nodes}), 1, "different places")
    nodes[0].client.patch(path + "/poses", move(9)).must(200)
    nodes[1].process.send_signal(signal.SIGKILL)
    nodes[1].process.wait()
    redis.forget(nodes[1])
    nodes[1].kill()
    late = redis.daemon().client
    late.post("/v1/scenes", {"bodies": [ball("b", 2)]}, headers=key).problem(422, "idempotency-key-reused")
    again = late.post("/v1/scenes", body, headers=key).must(201)
    equal((again.json["id"], again.json["revision"]), (replies[0].json["id"], replies[0].json["revision"] + 1), "scene and revision")
    other = nodes[0].client.post("/v1/scenes", headers={"Idempotency-Key": "order 67"}).must(201)
    check(other.json["id"] != again.json["id"], "another key is the same scene")
    nodes[0].client.delete(path).must(200)
    new = nodes[0].client.post("/v1/scenes", headers=key).must(201)
    check(new.json["revision"] > again.json["revision"] + 1, "a new scene begins above the old one")
    nodes[0].client.post("/v1/scenes", headers={"Idempotency-Key": "x" * 256}).problem(400, "bad-request")


@suite.fact
def ids_of_any_characters_work_at_every_daemon():
    redis = Redis(suite)
    a, b = redis.daemons(2)
    for name in ("/wam1", "base#1", "left finger", "*?[a]\\", "%s:{x}", "\u4e2d\U0001f916", "x" * 256, "\u00e9" * 128):
        path = "/v1/scenes/" + quote(name, safe="")
        a.client.put(path, {"bodies": [ball(name, 1)]}).must(201)
        with Stream(b, quote(name, safe="")) as stream:
            stream.next("revision")
            a.client.post(f"{path}/contactStates/{quote(name, safe='')}").must(201)
            equal(stream.next("revision").data["scene"], name, "scene of an event")
        equal(b.client.get(path).must(200).text, a.client.get(path).must(200).text, "the scene")
        equal(b.client.get(f"{path}/contactStates/{quote(name, safe='')}").must(200).json["contactState"], name, "the contact state")
        b.client.delete(f"{path}/bodies/{quote(name, safe='')}").must(200)
        equal(a.client.get(path).must(200).json["bodies"], [], "bodies")
        b.client.delete(path).must(200)
        a.client.get(path).problem(404, "scene-not-found")


@suite.fact
def event_streams_keep_no_scene_in_memory():
    redis = Redis(suite)
    node, other = redis.daemon("--scene-memory", "1000000"), redis.daemon()
    names, bodies = [f"s{i}" for i in range(12)], [ball(f"b{i}", 3 * i) for i in range(400)]
    streams = []
    try:
        for name in names:
            node.client.put(f"/v1/scenes/{name}", {"bodies": bodies}).must(201)
            streams.append(Stream(node, name))
            streams[-1].next("revision")
        node.client.get("/v1/scenes/s0").must(200)
        loaded = node.client.get("/readyz").must(200).json["scenes"]["loaded"]
        check(loaded < 8, f"{loaded} of 12 scenes are in memory, with room for some 4")
        for i, name in enumerate(names):
            last = (node, other)[i % 2].client.patch(f"/v1/scenes/{name}", {"user": {}}).must(200).json["revision"]
            equal(streams[i].next("revision").data["revision"], last, f"revision of {name}")
        with Stream(node, "s0") as more:
            equal(more.next("revision").data["bodies"], 400, "bodies")
        node.client.delete("/v1/scenes/s1").must(200)
        streams[1].next("deleted")
    finally:
        for stream in streams:
            stream.close()


@suite.fact
def outdated_scenes_are_evicted_like_others():
    """Their revision in this daemon's memory is older than the store's, and they may never be requested again."""
    redis = Redis(suite)
    node, other = redis.daemon("--scene-memory", "500000"), redis.daemon()
    bodies = [ball(f"b{i}", 3 * i) for i in range(300)]
    figure = lambda name: Metrics(node.client.get("/metrics").text)[name]
    for i in range(8):
        node.client.put(f"/v1/scenes/s{i}", {"bodies": bodies}).must(201)
    full = figure("contactd_scenes_loaded")
    check(2 <= full < 8, f"{full} of 8 scenes are in memory")
    last = [other.client.patch(f"/v1/scenes/s{i}/poses", {"ids": ["b0"], "positions": [[0, 9, 0]]}).must(200).json["revision"]
            for i in range(8)]
    # By the list this daemon learns that all of its scenes are outdated.
    listed = node.client.get("/v1/scenes").must(200).json["scenes"]
    equal([s["revision"] for s in listed], last, "revisions in the list")
    equal(node.client.get("/readyz").must(200).json["scenes"]["loaded"], 0, "scenes in memory that are what the store has")
    for i in range(8):
        node.client.put(f"/v1/scenes/t{i}", {"bodies": bodies[:75]}).must(201)
    before = figure("contactd_scenes_let_go_total")
    for unused in range(3):
        for i in range(8):
            equal(len(node.client.get(f"/v1/scenes/t{i}/poses").must(200).json["ids"]), 75, "bodies")
    equal(figure("contactd_scenes_let_go_total"), before, "scenes let go of, though all that are in use have room")
    listed = node.client.get("/v1/scenes").must(200).json["scenes"]
    equal([(s["revision"], s["bodies"]) for s in listed], [(n, 300) for n in last] + [(1, 75)] * 8, "the list")
    equal(node.client.get("/v1/scenes/s0/bodies/b0").must(200).json["position"], [0, 9, 0], "position")


# ---- histories -------------------------------------------------------------------------------------------------------------------


class Load:
    """Clients that write and read one scene through any of the daemons, and record the replies."""

    def __init__(self, redis, nodes, clients=4):
        self.redis, self.nodes, self.history = redis, nodes, History()
        self.ends = threading.Event()
        self.next, self.lock = 1, threading.Lock()
        self.strange = []
        with self.history.write(0) as w:
            w.acknowledged(nodes[0].client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201).json["revision"])
        self.threads = []
        # If a fact fails, the threads must still end.
        suite.cleanup(self.ends.set)
        self.add(nodes, clients)

    def add(self, nodes, clients):
        """Adds clients of some of the daemons."""
        more = [threading.Thread(target=self.run, args=(nodes, len(self.threads) + i), daemon=True) for i in range(clients)]
        self.threads += more
        for t in more:
            t.start()

    def number(self):
        with self.lock:
            self.next += 1
            return self.next

    def run(self, nodes, seed):
        choice = random.Random(seed)
        while not self.ends.is_set():
            node = choice.choice(nodes)
            connection = http.client.HTTPConnection("127.0.0.1", node.port, timeout=SECONDS)
            try:
                for unused in range(choice.randint(1, 8)):
                    self.write(connection) if choice.random() < 0.5 else self.read(connection)
            except (OSError, http.client.HTTPException):
                time.sleep(0.01)
            except Exception as why:  # reported at the end
                self.strange.append(repr(why))
                return
            finally:
                connection.close()

    def ask(self, connection, method, body=None):
        connection.request(method, "/v1/scenes/s/poses", body, {"Content-Type": "application/json"} if body else {})
        reply = connection.getresponse()
        text = reply.read()
        if reply.status == 503 and not reply.headers.get("Retry-After"):
            self.strange.append(f"503 without Retry-After: {text[:200]}")
        if reply.status not in (200, 503, 409):
            self.strange.append(f"{reply.status}: {text[:200]}")
        if reply.status == 503:
            time.sleep(0.05)
        return reply, text

    def write(self, connection):
        value = self.number()
        with self.history.write(value) as w:
            reply, text = self.ask(connection, "PATCH", json.dumps(move(value)))
            if reply.status == 200:
                w.acknowledged(json.loads(text)["revision"])
            elif reply.status == 409:
                w.refused()

    def read(self, connection):
        with self.history.read() as r:
            reply, text = self.ask(connection, "GET")
            if reply.status == 200:
                r.found(number_of(reply.headers["ETag"]), json.loads(text)["positions"][0][0])

    def acknowledged(self):
        return len(self.history.good("write"))

    def goes_on(self, what):
        """Waits until more writes are acknowledged: the service recovered by itself."""
        before, watch = self.acknowledged(), Stopwatch()
        while self.acknowledged() < before + 10:
            check(not watch.hangs() and not self.strange, f"nothing is acknowledged any more after {what}: {self.strange[:3]}")
            time.sleep(0.01)

    def finish(self):
        self.ends.set()
        for t in self.threads:
            t.join()
        for node in self.nodes:
            # The writes that goes_on waits for may all be of other daemons: this one may still be without Redis.
            wait_until(lambda node=node: node.client.get("/readyz").status == 200, "a daemon does not recover")
            with self.history.read() as r:
                reply = node.client.get("/v1/scenes/s/poses").must(200)
                r.found(revision_of(reply), place(reply))
        equal(self.history.faults()[:3], [], "faults of the history")
        equal(self.strange[:3], [], "strange replies")


@suite.fact
def no_acknowledged_write_is_lost_when_a_daemon_is_killed():
    redis = Redis(suite)
    nodes = redis.daemons(3)
    load = Load(redis, nodes)
    for i in range(6 if FULL else 2):
        load.goes_on("the beginning" if i == 0 else "a kill")
        victim = nodes[i % 3]
        victim.process.send_signal(signal.SIGKILL)
        victim.process.wait()
        redis.forget(victim)
        victim.kill()
        nodes[i % 3] = redis.daemon()
    load.goes_on("the kills")
    load.finish()


@suite.fact
def no_acknowledged_write_is_lost_when_redis_is_killed():
    redis = Redis(suite)
    load = Load(redis, redis.daemons(3))
    for i in range(10 if FULL else 2):
        load.goes_on(f"restart {i} of Redis")
        redis.kill()
        time.sleep(0.3)
        redis.start()
    load.goes_on("the restarts")
    load.finish()


@suite.fact
def requests_are_503_while_redis_hangs_and_recover_by_themselves():
    redis = Redis(suite)
    nodes = redis.daemons(2)
    load = Load(redis, nodes)
    load.goes_on("the beginning")
    redis.signal("STOP")
    client = KeepAlive(nodes[0])
    reply, waited = timed(lambda: client.get("/v1/scenes/s/poses"))
    reply.problem(503, "store-unavailable")
    check(reply.headers.get("retry-after"), "no Retry-After")
    client.patch("/v1/scenes/s/poses", move(-1)).problem(503, "store-unavailable")
    # After the first timeout no request waits, and requests that need no store are answered as usual.
    took = []
    for unused in range(10):
        reply, seconds = timed(lambda: client.get("/v1/scenes/s"))
        reply.problem(503, "store-unavailable")
        took.append(seconds)
        client.get("/v1/version").must(200)
    check(statistics.median(took) < waited / 2, f"refusals took {took}, the first one {waited}")
    nodes[0].client.get("/readyz").problem(503, "store-unavailable")
    redis.signal("CONT")
    load.history.write(-1).__enter__().__exit__(None, None, None)
    load.goes_on("a hang")
    load.finish()


@suite.fact
def a_daemon_that_was_stopped_while_others_wrote_is_fenced():
    redis = Redis(suite)
    nodes = redis.daemons(3)
    load = Load(redis, nodes[1:], clients=3)
    load.add(nodes[:1], 2)
    for unused in range(4 if FULL else 2):
        load.goes_on("a sleep")
        nodes[0].process.send_signal(signal.SIGSTOP)
        time.sleep(0.2)
        load.goes_on("a daemon was stopped")
        nodes[0].process.send_signal(signal.SIGCONT)
    load.goes_on("the sleeps")
    load.nodes = nodes
    load.finish()


@suite.fact
def stale_reads_are_marked_and_catch_up():
    redis = Redis(suite)
    fresh, stale = redis.daemon(), redis.daemon("--stale-reads")
    fresh.client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201)
    reply = stale.client.get("/v1/scenes/s/poses").must(200)
    equal((reply.headers.get("x-stale-reads"), place(reply)), ("1", 0), "header and place")
    equal(fresh.client.get("/v1/scenes/s/poses").must(200).headers.get("x-stale-reads"), None, "header of the other")
    fresh.client.patch("/v1/scenes/s/poses", move(4)).must(200)
    wait_until(lambda: place(stale.client.get("/v1/scenes/s/poses").must(200)) == 4, "it is stale")


# ---- the checker ---------------------------------------------------------------------------------------------------------------------


def story(*lines):
    """Faults of a history; each line: kind, start, end, revision or None or "absent" or "overtaken", value, and the
    revision that a write had to follow."""
    history = History()
    for kind, start, end, revision, value, *after in lines:
        entry = history.write(value, *after) if kind == "write" else history.read()
        entry.start, entry.end = start, end
        if revision in ("absent", "overtaken"):
            getattr(entry, revision)()
        elif revision is not None:
            entry.found(revision, value)
    return history.faults()


@suite.fact
def the_checker_of_histories_finds_every_kind_of_violation():
    good = [("write", 0, 1, 1, "a"), ("read", 2, 3, 1, "a"), ("write", 2, 5, 2, "b"), ("read", 3, 4, 2, "b"), ("write", 6, 7, None, "c"),
            ("read", 8, 9, 3, "c"), ("write", 6, 12, 4, "d")]
    equal(story(*good), [], "faults of a good history")
    bad = {"a lost write": ("read", 6, 7, 1, "a"), "a step back": ("read", 9.5, 10, 2, "b"), "two authors": ("write", 6, 7, 2, "e"),
           "another value": ("read", 8, 9, 2, "x"), "from nowhere": ("read", 8, 9, 9, "y"), "from the future": ("read", 1, 2, 3, "c"),
           "a write in the past": ("write", 10, 11, 1.5, "z"), "one write twice": ("read", 20, 21, 9, "c"),
           "a scene that is lost": ("read", 8, 9, "absent", None), "a refusal where nobody writes": ("write", 20, 21, "overtaken", "v", 4)}
    for name, line in bad.items():
        check(story(*good, line), f"{name} is not found")


@suite.fact
def the_checker_of_histories_judges_deletions_and_preconditions():
    good = [("read", 0, 1, "absent", None), ("write", 0.5, 2, 1, "a"), ("write", 3, 4, 2, "b", 1), ("write", 3, 5, "overtaken", "c", 1),
            ("write", 6, 8, 4, ABSENT), ("read", 7, 9, 2, "b"), ("read", 7, 9, "absent", None), ("write", 9, 10, "absent", "d", 2),
            ("write", 11, 12, 7, "e"), ("read", 11, 13, "absent", None), ("write", 13, 14, 8, "f", 7), ("read", 15, 16, 8, "f")]
    equal(story(*good), [], "faults of a good history")
    bad = {"absent before its deletion": ("read", 4.5, 5, "absent", None), "absent after a write": ("read", 15, 16, "absent", None),
           "back after its deletion": ("read", 10.5, 11, 2, "b"), "two that follow one": ("write", 11, 15, 9, "g", 7),
           "overtaken by nobody": ("write", 15, 16, "overtaken", "h", 8)}
    for name, line in bad.items():
        check(story(*good, line), f"{name} is not found")
    # Once an absence was read, the deletion has begun.
    seen = [*good[:5], ("read", 5.5, 6.5, "absent", None)]
    equal(story(*seen), [], "faults of a deletion that was seen early")
    check(story(*seen, ("read", 7, 8, 2, "b")), "back after an absence that was seen is not found")
    unknown = [*good[:4], ("write", 6, 7, None, ABSENT)]
    for line in (("read", 8, 9, "absent", None), ("read", 8, 9, 2, "b")):
        equal(story(*unknown, line), [], f"faults where nobody knows of a deletion, and {line}")
    check(story(*unknown, ("read", 4.5, 5, "absent", None)), "absent before any deletion has begun is not found")


suite.main()
