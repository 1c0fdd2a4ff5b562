"""A Redis that hangs, or a network to it that is slow or cut: requests that need the store fail soon, others are
served, and no queue or memory grows. Also clocks that jump.
CONTACTD_FULL=1: twenty seconds of a hang instead of two."""
import http.client
import json
import os
import signal
import statistics
import struct
import tempfile
import threading
import time

from support import metrics
from support.checks import Skip, Suite, check, equal
from support.client import KeepAlive
from support.daemon import SANITIZER, Daemon
from support.pace import SLOWER
from support.redis import CUBE, OBJ, Redis, Spoiler, ball, move, place, wait_ready
from support.stopwatch import Stopwatch, timed, utc_seconds, wait_until

suite = Suite()
FULL = bool(os.environ.get("CONTACTD_FULL"))
CLIENTS = 48
BALL = {"sphere": {"radius": 1}}
ASKED = (("GET", "/v1/scenes/s/poses", None), ("PATCH", "/v1/scenes/s/poses", move(1)), ("PUT", "/v1/scenes/t", {"bodies": []}),
         ("GET", "/v1/scenes", None), ("POST", "/v1/scenes", {"bodies": []}), ("GET", "/v1/shapes", None))
FREE = ("GET", "/v1/version", None)


class Crowd:
    """Clients that repeat requests that need the store, and sometimes one that does not, until the fact ends."""

    def __init__(self, node):
        self.node, self.ends, self.heard, self.free = node, threading.Event(), [], []
        self.threads = [threading.Thread(target=self.run, args=(i,)) for i in range(CLIENTS)]
        for t in self.threads:
            t.start()

    def run(self, i):
        connection = http.client.HTTPConnection("127.0.0.1", self.node.port, timeout=30 * SLOWER)
        while not self.ends.is_set():
            i += 1
            method, path, body = asked = (*ASKED, FREE)[i % (len(ASKED) + 1)]
            watch = Stopwatch()
            connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"} if body else {})
            reply = connection.getresponse()
            reply.read()
            (self.free if asked is FREE else self.heard).append((watch.read(), reply.status, reply.headers.get("Retry-After")))
            time.sleep(0.02)
        connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.ends.set()
        for t in self.threads:
            t.join()


@suite.fact
def queues_and_memory_do_not_grow_while_redis_hangs():
    """F19: the first requests wait for the command timeout; later ones are refused at once, workers are idle, and
    other requests are served."""
    redis = Redis(suite)
    node = redis.daemon()
    node.client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201)
    idle = metrics.read(node.client)
    redis.signal("STOP")
    reply, waited = timed(lambda: node.client.get("/v1/scenes/s/poses"))
    reply.problem(503, "store-unavailable")
    wait_until(lambda: node.client.get("/readyz").status == 503, "/readyz is 200")
    watch = Stopwatch()
    depth, busy, active, resident = [], [], [], []
    with Crowd(node) as crowd:
        while not watch.read().lasted(20 if FULL else 2) or len(crowd.heard) < 6 * CLIENTS:
            check(not watch.hangs(), f"{len(crowd.heard)} refusals in the time")
            node.client.post("/v1/query/distance", {"a": BALL, "b": {"box": {"size": [1, 1, 1]}}}).must(200)
            now = metrics.read(node.client)
            depth.append(now["contactd_queue_depth"])
            busy.append(now["contactd_workers_busy"])
            active.append(now["contactd_requests_active"])
            resident.append(now["process_resident_memory_bytes"])
            time.sleep(0.05)
    statuses = {status for unused, status, unused in crowd.heard}
    equal(statuses, {503}, f"statuses of {len(crowd.heard)} requests")
    check(all(after for unused, unused, after in crowd.heard), "a 503 without Retry-After")
    # Refused at once, not after the command timeout; compared with requests that need no store, which only the machine
    # delays.
    refused, free = (statistics.median(took for took, *unused in those) for those in (crowd.heard, crowd.free))
    check(refused < free + waited / 2, f"half of the refusals took {refused}, half of what needs no store {free}, the first refusal {waited}")
    equal({status for unused, status, unused in crowd.free}, {200}, "statuses of what needs no store")
    equal((statistics.median(depth), statistics.median(busy)), (0, 0), "requests that wait for a worker, workers at work")
    check(max(active) <= CLIENTS + 1, f"{max(active)} requests under way, of {CLIENTS} clients")
    # A sanitizer retains freed memory.
    check(SANITIZER or max(resident) - idle["process_resident_memory_bytes"] < 32 * 2 ** 20, f"memory rose from {idle['process_resident_memory_bytes']} to {max(resident)}")
    redis.signal("CONT")
    wait_ready(node)
    equal(place(node.client.get("/v1/scenes/s/poses").must(200)), 0, "place")
    node.client.patch("/v1/scenes/s/poses", move(2)).must(200)
    equal(metrics.read(node.client)["contactd_requests_active"], 1, "requests under way")


@suite.fact
def new_requests_do_not_hide_that_redis_hangs():
    """Some command is always younger than a second; the hang is detected by the older ones without a reply."""
    redis = Redis(suite)
    node = redis.daemon()
    node.client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201)
    ends, answers = threading.Event(), []

    def ask(i):
        client = KeepAlive(node)
        time.sleep(0.15 * i)
        while not ends.is_set():
            answers.append(timed(lambda: client.get("/v1/scenes/s"))[1])
        client.close()

    redis.signal("STOP")
    threads = [threading.Thread(target=ask, args=(i,), daemon=True) for i in range(7)]
    for thread in threads:
        thread.start()
    time.sleep(1.2)

    def is_refused_at_once():
        reply, took = timed(lambda: node.client.get("/v1/scenes/s"))
        reply.problem(503, "store-unavailable")
        return answers and took < max(answers) / 2

    try:
        wait_until(is_refused_at_once, "whoever asks is let wait")
    finally:
        ends.set()
        redis.signal("CONT")
    for thread in threads:
        thread.join()


@suite.fact
def a_stopped_daemon_reads_replies_of_redis_before_it_checks_timeouts():
    """As on an overloaded machine: the reply has arrived although the command timeout has passed."""
    redis = Redis(suite)
    node = redis.daemon(url=redis.url + "?commandMs=2000")
    node.client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201)
    asking = [http.client.HTTPConnection("127.0.0.1", node.port, timeout=30 * SLOWER) for unused in range(2)]
    redis.signal("STOP")
    for connection, (method, path, body) in zip(asking, ASKED):
        connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"} if body else {})
    time.sleep(0.2)
    node.process.send_signal(signal.SIGSTOP)
    redis.signal("CONT")
    time.sleep(2.5)
    node.process.send_signal(signal.SIGCONT)
    equal([connection.getresponse().status for connection in asking], [200, 200], "statuses of a read and of a write")
    check("storeUnavailable" not in node.log_text(), "it is said that Redis is away")
    for connection in asking:
        connection.close()


@suite.fact
def a_slow_network_is_tolerated_and_a_cut_one_is_detected():
    """F23: a relay between a daemon and Redis delays or drops data without closing the connections."""
    redis = Redis(suite)
    way = Spoiler(suite, redis, 0)
    node, other = redis.daemon(url=way.url), redis.daemon()
    node.client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201)
    way.delay = 0.1
    for i in range(1, 4):
        node.client.patch("/v1/scenes/s/poses", move(i)).must(200)
        equal(place(node.client.get("/v1/scenes/s/poses").must(200)), i, "place over a slow network")
    way.delay, way.holds = 0, True
    reply = node.client.patch("/v1/scenes/s/poses", move(5)).problem(503, "store-unavailable")
    check(reply.headers.get("retry-after"), "no Retry-After")
    node.client.get("/readyz").problem(503, "store-unavailable")
    equal(place(other.client.get("/v1/scenes/s/poses").must(200)), 3, "place by the other daemon")
    other.client.patch("/v1/scenes/s/poses", move(7)).must(200)
    way.holds = False
    wait_ready(node)
    equal(place(node.client.get("/v1/scenes/s/poses").must(200)), 7, "place after the cut")
    node.client.patch("/v1/scenes/s/poses", move(8)).must(200)
    equal(place(other.client.get("/v1/scenes/s/poses").must(200)), 8, "place by the other daemon")


@suite.fact
def a_daemon_starts_although_redis_fails_during_its_start():
    """F27: the start meets a silent relay, corrupt replies and a killed Redis, and succeeds in the end."""
    redis = Redis(suite)
    writer = redis.daemon()
    for i in range(5):
        writer.client.put(f"/v1/scenes/s{i}", {"bodies": [ball("b")]}).must(201)
    way = Spoiler(suite, redis, 1)
    way.holds = True
    node = redis.daemon(url=way.url + "?commandMs=200", ready=False)
    way.holds, way.spoils = False, True
    time.sleep(0.3)
    redis.kill()
    way.spoils = False
    time.sleep(0.2)
    node.client.get("/readyz").problem(503, "store-unavailable")
    redis.start()
    wait_ready(node)
    equal(node.client.get("/v1/scenes").must(200).json["total"], 5, "scenes")
    node.client.patch("/v1/scenes/s3/poses", move(1)).must(200)
    equal(place(writer.client.get("/v1/scenes/s3/poses").must(200)), 1, "place by the other daemon")


class Clock:
    """The environment of a program whose wall clock the test moves (jump_clock.c)."""

    def __init__(self):
        self.file = tempfile.NamedTemporaryFile(buffering=0)
        self.file.write(struct.pack("@q", 0))
        self.env = {**os.environ, "LD_PRELOAD": Daemon.library("jump_clock"), "JUMP_CLOCK": self.file.name}

    def jump(self, seconds):
        self.file.seek(0)
        self.file.write(struct.pack("@q", seconds))


@suite.fact
def clocks_that_jump_by_days_have_no_effect():
    """F17: the clocks of the daemon and of Redis jump forwards and back: no time limit, expiry or fencing depends on
    the wall clock."""
    if SANITIZER:
        raise Skip("a sanitizer's library must be the first")
    clock, clock_of_redis = Clock(), Clock()
    redis = Redis(suite, env=clock_of_redis.env)
    node = redis.daemon("--shape-seconds", "3600", env=clock.env)
    day = 86400
    shape = node.client.post("/v1/shapes?unit=m", CUBE, content_type=OBJ).must(201).json["id"]
    key = {"Idempotency-Key": "once"}
    once = node.client.post("/v1/scenes", {"bodies": []}, headers=key).must(201).json["id"]
    revision = node.client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201).json["revision"]
    for i, (of_node, of_redis) in enumerate(((day, 0), (-day, 0), (-day, day), (-day, -day), (400 * day, -2 * day), (0, 400 * day), (0, 0)), 1):
        clock.jump(of_node)
        clock_of_redis.jump(of_redis)
        told = int(redis.say("time").split()[0]) - utc_seconds()
        check(abs(told - of_redis) < 60, f"the clock of Redis was moved by {told} s instead of {of_redis}")
        written = node.client.patch("/v1/scenes/s/poses", move(i)).must(200).json["revision"]
        equal(written, revision + 1, "revision")
        revision = written
        equal(place(node.client.get("/v1/scenes/s/poses").must(200)), i, "place")
        node.client.post("/v1/query/distance", {"a": BALL, "b": BALL, "deadlineMs": 10000}).must(200)
        equal(node.client.post("/v1/scenes", {"bodies": []}, headers=key).must(201).json["id"], once, "scene of the key")
        # So long that the record is sent in parts, which Redis stores for a minute.
        many = [{**ball(f"b{k}", k), "user": "u" * 4000} for k in range(300)]
        node.client.put(f"/v1/scenes/long{i}", {"bodies": many}).must(201)
        node.client.get(f"/v1/shapes/{shape}").must(200)
    wait_ready(node)
    other = redis.daemon()
    equal(place(other.client.get("/v1/scenes/s/poses").must(200)), 7, "place by a daemon that has just begun")
    equal(other.client.get("/v1/scenes/long7").must(200).json["bodies"][299]["id"], "b299", "last body")
    # Log lines are written shortly after the replies.
    wait_until(lambda: len({json.loads(line)["time"][:4] for line in node.log_text().splitlines(True) if line.startswith("{") and line.endswith("\n")}) > 1,
               "the log tells no other year: the daemon's clock was not moved")


suite.main()
