"""Work on the pool of workers: deadlines, clients that disconnect, full queues, fairness between scenes, order of
writes.
The slow query: all pairs of n long thin ellipsoids whose boxes all overlap, and no pair of which is within the
clearance."""
import atexit
import http.client
import json
import math
import os
import random
import select
import threading
import time

from support.checks import Suite, check, equal
from support.daemon import SANITIZER, Daemon
from support.pace import SLOWER, unchanging
from support.raw import Raw, ask, request
from support.stopwatch import Stopwatch, timed, wait_until

JSON_TYPE = [("Content-Type", "application/json")]
BARS = 5000
# Bars whose pairs are below the limit `pairs`, so that a query of them is not refused however long it runs.
BARS_WITHIN_LIMIT = 4400
TINY = '{"a":{"sphere":{"radius":1}},"b":{"sphere":{"radius":1},"position":[3,0,0]}}'
suite = Suite()


def bars(count):
    turned = [0, 0, 0.3826834323650898, 0.9238795325112867]
    return {"bodies": [{"id": f"bar-{i}", "position": [0.005 * i, -0.005 * i, 0], "rotation": turned,
                        "colliders": [{"ellipsoid": {"radii": [50, 0.0005, 0.0005]}}]} for i in range(count)]}


def slow_query(deadline_ms=60000, scene="slow"):
    return request("POST", f"/v1/scenes/{scene}/query/distance", json.dumps({"clearance": 0.001, "deadlineMs": deadline_ms}), JSON_TYPE)


def load(daemon, scene="slow", count=BARS):
    equal(ask(daemon.port, "PUT", f"/v1/scenes/{scene}", json.dumps(bars(count)), JSON_TYPE).status, 201, "status of the scene")


def open_files(daemon):
    return len(os.listdir(f"/proc/{daemon.pid}/fd"))


def ask_tiny(connection):
    connection.send(request("POST", "/v1/query/distance", TINY, JSON_TYPE))
    equal(connection.reply().status, 200, "status")


def answered(connections):
    """The connections on which a reply, or its beginning, has arrived."""
    ready = select.select([connection.socket for connection in connections], [], [], 0)[0]
    return [connection for connection in connections if connection.socket in ready]


def slow_answer(daemon, scene="slow"):
    """Duration of the slow query without a deadline that ends it."""
    reply, took = timed(lambda: ask(daemon.port, "POST", f"/v1/scenes/{scene}/query/distance",
                                    json.dumps({"clearance": 0.001, "deadlineMs": 600000}), JSON_TYPE))
    check(reply.status in (200, 422), f"the status of the slow query is {reply.status}")
    return took


daemon = Daemon("--log", "off", "--workers", "2").start()
atexit.register(daemon.kill)
suite.cleanup(daemon.stop)
load(daemon)


@suite.fact
def a_deadline_ends_a_query_long_before_its_answer():
    whole = slow_answer(daemon)
    for share in (0.02, 0.05, 0.1):
        wanted = whole.milliseconds(share)
        with Raw(daemon.port) as connection:
            watch = Stopwatch()
            connection.send(slow_query(wanted))
            reply = connection.reply()
            took = watch.read()
            equal(reply.status, 504, "status")
            equal(json.loads(reply.body)["type"], "/problems/deadline-exceeded", "type")
            check(took.lasted(wanted / 1000), f"answered after {took}, before its deadline of {wanted} ms")
            check(took < whole / 2, f"answered after {took} of {whole}; its deadline was {wanted} ms")
            connection.send(request("GET", "/v1/limits"))
            equal(connection.reply().status, 200, "the next request on the connection")


@suite.fact
def deadlines_are_kept_while_all_workers_are_busy():
    busy = [Raw(daemon.port) for unused in range(6)]
    for connection in busy:
        connection.send(slow_query())
    daemon.works(0.1)
    waiting = [Raw(daemon.port) for unused in range(4)]
    for connection in waiting:
        connection.send(slow_query(100))
    for connection in waiting:
        equal(connection.reply().status, 504, "status")
    check(len(answered(busy)) < len(busy), "the deadlines were reported after all earlier queries had been answered")
    for connection in waiting + busy:
        connection.close()


def long_question(deadline_ms):
    """A query of about 12 MB that takes long to parse and has its deadline as the last member."""
    rng = random.Random(5)
    vertices = ",".join(f"[{rng.uniform(-1, 1):.15f},{rng.uniform(-1, 1):.15f},{rng.uniform(-1, 1):.15f}]" for unused in range(200000))
    decoy = '"user":{"deadlineMs":7},"name":"\\",\\"deadlineMs\\":7,\\""'
    return f'{{"a":{{"convex":{{"vertices":[{vertices}]}},{decoy}}},"b":{{"sphere":{{"radius":1}}}},"deadlineMs":{deadline_ms}}}'


def unread(connection):
    """Bytes in the kernel's buffers between this end of a connection and the daemon."""
    own, other = (f":{port:04X}" for port in (connection.socket.getsockname()[1], connection.socket.getpeername()[1]))
    held = 0
    with open("/proc/net/tcp", encoding="ascii") as table:
        for fields in map(str.split, table):
            sent, received = fields[4].split(":") if ":" in fields[4] else ("0", "0")
            if fields[1].endswith(own) and fields[2].endswith(other):
                held += int(sent, 16)
            elif fields[1].endswith(other) and fields[2].endswith(own):
                held += int(received, 16)
    return held


@suite.fact
def a_deadline_at_the_end_of_a_large_body_is_kept():
    # The deadline counts from the last byte: data that is still in the kernel is read first, and its reading does not
    # count.
    data = request("POST", "/v1/query/distance", long_question(100), JSON_TYPE)
    check(len(data) > 8 << 20, f"the body has only {len(data)} bytes")
    def sent(text):
        """The reply, and the time since the daemon read the last byte."""
        with Raw(daemon.port) as connection:
            connection.send(text)
            while unread(connection):
                time.sleep(0.001)
            watch = Stopwatch()
            reply = connection.reply()
            return reply, watch.read()

    reply, whole = sent(request("POST", "/v1/query/distance", long_question(600000), JSON_TYPE))
    equal(reply.status, 422, "status without a deadline, of a body with an unknown member")
    quickest = None
    for unused in range(3):
        reply, took = sent(data)
        equal(reply.status, 504, "status")
        check(" 100 ms" in json.loads(reply.body)["detail"], f"the detail is {json.loads(reply.body)['detail']!r}")
        quickest = min(took, quickest or took)
    check(quickest < whole / 2, f"the 504 took {quickest}; the answer takes {whole}")


@suite.fact
def a_deadline_at_the_end_of_a_large_body_replaces_the_default_before_it_is_read():
    # The default deadline of 50 ms passes while the body is read.
    data = request("POST", "/v1/query/distance", long_question(600000), JSON_TYPE)  # before the head's time limit begins
    with Daemon("--log", "off", "--limit", "deadlineMs=50") as d, Raw(d.port) as connection:
        connection.send(data)
        reply = connection.reply()
        check(reply.status != 504, f"the reply is {reply.text}")


@suite.fact
def a_client_that_disconnects_frees_its_workers():
    before = daemon.processor_seconds()
    slow_answer(daemon)
    whole = daemon.processor_seconds() - before
    for how in ("close", "reset", "half"):
        gone = [Raw(daemon.port) for unused in range(2)]
        for connection in gone:
            connection.send(slow_query())
        daemon.works()
        before = daemon.processor_seconds()
        for connection in gone:
            if how == "half":
                connection.socket.shutdown(1)
            elif how == "reset":
                connection.socket.setsockopt(1, 13, b"\1\0\0\0\0\0\0\0")
            if how != "half":
                connection.close()
        used = unchanging(daemon.processor_seconds, 0.5) - before
        check(used <= 0.5 * whole, f"after a {how} the daemon used {used:.2f} s of CPU for two queries that take {whole:.2f} s each")
        for connection in gone:
            connection.close()


def balls(count, seed, apart):
    """A body of small balls: every pair of balls of two such bodies has nearly the same distance."""
    rng = random.Random(seed)
    colliders = ",".join(f'{{"sphere":{{"radius":1}},"position":[{rng.uniform(0, 1e-3):.9f},{rng.uniform(0, 1e-3):.9f},0]}}'
                         for unused in range(count))
    return f'{{"id":"b{seed}","position":[{apart},0,0],"colliders":[{colliders}]}}'


def ask_worker(connection):
    """Duration of a small query that needs a worker."""
    watch = Stopwatch()
    members = {"clearance": 1e-9, "deadlineMs": 600000}
    connection.send(request("POST", "/v1/scenes/small/query/distance", json.dumps(members), JSON_TYPE))
    equal(connection.reply().status, 200, "status")
    return watch.read()


def freed_after(question, deadline_ms, *limits):
    """One worker, and a query that takes far longer than the deadline: the longer of the times until the worker
    answers a small query, after the deadline and after the client disconnected."""
    with Daemon("--log", "off", "--workers", "1", *[word for limit in limits for word in ("--limit", limit)]) as d:
        load(d, "small", 60)
        with Raw(d.port) as other:
            ask_worker(other)
            with Raw(d.port) as connection:
                connection.send(request("POST", "/v1/query/distance", question(deadline_ms), JSON_TYPE))
                equal(connection.reply().status, 504, "status")
                after_deadline = ask_worker(other)
            data = request("POST", "/v1/query/distance", question(600000), JSON_TYPE)
            with Raw(d.port) as connection:
                connection.send(data)
                time.sleep(deadline_ms / 1000)
                d.works(0.02)
            return max(after_deadline, ask_worker(other))


@suite.fact
def a_query_on_two_bodies_of_20000_colliders_stops_at_its_deadline():
    # All 400 million pairs overlap, so none can be skipped. Control: a 1,600th of the pairs.
    def question(count):
        a, b = balls(count, 1, 0), balls(count, 2, 0.5)
        return lambda ms: f'{{"a":{a},"b":{b},"deadlineMs":{ms}}}'

    control, took = timed(lambda: ask(daemon.port, "POST", "/v1/query/distance", question(500)(600000), JSON_TYPE))
    equal(control.status, 200, "status of the control")
    freed = freed_after(question(20000), 600, "colliders=20000")
    check(freed < 100 * took, f"the worker was free again after {freed}; a 1,600th of the pairs takes {took}")


@suite.fact
def two_separated_bodies_of_20000_colliders_take_little_more_than_parsing():
    def cloud(seed, x):
        rng = random.Random(seed)
        return {"id": f"c{seed}", "position": [x, 0, 0], "colliders": [
            {"sphere": {"radius": 0.01}, "position": [rng.random(), rng.random(), rng.random()]} for unused in range(20000)]}

    bodies = {"a": cloud(1, 0), "b": cloud(2, 5)}
    with Daemon("--log", "off", "--workers", "1", "--limit", "colliders=20000", "--limit", "deadlineMs=600000") as d:
        def asked(question, status):
            reply, took = timed(lambda: ask(d.port, "POST", "/v1/query/distance", json.dumps(question), JSON_TYPE))
            equal(reply.status, status, "status")
            return took

        reading = min(asked({**bodies, "unknown": 1}, 422) for unused in range(3))
        answer = min(asked(bodies, 200) for unused in range(3))
    # Testing all pairs of boxes would take ten times as long.
    check(answer < 5 * reading, f"the answer takes {answer}, reading {reading}")


@suite.fact
def building_a_hull_of_250000_points_stops_at_the_deadline():
    rng = random.Random(6)
    points = []
    while len(points) < (250000 if SLOWER == 1 else 40000):
        p = [rng.uniform(-1, 1) for unused in range(3)]
        n = sum(c * c for c in p) ** 0.5
        if 0.1 < n < 1:
            points.append(f"[{p[0] / n:.15f},{p[1] / n:.15f},{p[2] / n:.15f}]")
    shape = f'{{"convex":{{"vertices":[{",".join(points)}]}}}}'

    def question(deadline_ms):
        return f'{{"a":{shape},"b":{{"sphere":{{"radius":1}}}},"deadlineMs":{deadline_ms}}}'

    reply, whole = timed(lambda: ask(daemon.port, "POST", "/v1/query/distance", question(600000), JSON_TYPE))
    equal(reply.status, 200, "status")
    # The first quarter is parsing.
    for part in (0.2, 0.35, 0.5):
        freed = freed_after(question, whole.milliseconds(part))
        check(freed < (1 - part) * whole, f"the worker was free again after {freed}; {1 - part} of {whole} were left to do")


def ball_mesh(rings, sectors):
    """A sphere of quadrilaterals, each split into two triangles."""
    points = [[0, 0, 1], [0, 0, -1]]
    for i in range(1, rings):
        for j in range(sectors):
            theta, phi = math.pi * i / rings, 2 * math.pi * j / sectors
            points.append([math.sin(theta) * math.cos(phi), math.sin(theta) * math.sin(phi), math.cos(theta)])
    triangles, last = [], 2 + (rings - 2) * sectors
    for j in range(sectors):
        k = (j + 1) % sectors
        triangles += [[0, 2 + j, 2 + k], [1, last + k, last + j]]
        for a in range(2, last, sectors):
            triangles += [[a + j, a + sectors + j, a + sectors + k], [a + j, a + sectors + k, a + k]]
    return {"mesh": {"vertices": points, "triangles": triangles}}


def check_others_are_answered(port, path, question, deadline_ms):
    """Sends a query that reaches its deadline; /livez must be answered several times before the 504."""
    alive = 0
    with Raw(port) as asking, Raw(port) as other:
        watch = Stopwatch()
        asking.send(request("POST", path, json.dumps({**question, "deadlineMs": deadline_ms}), JSON_TYPE))
        while not answered([asking]):
            other.send(request("GET", "/livez"))
            equal(other.reply().status, 200, "status of /livez")
            alive += not answered([asking])
        reply = asking.reply()
        took = watch.read()
    equal(reply.status, 504, f"status of {path}")
    equal(json.loads(reply.body)["type"], "/problems/deadline-exceeded", "type")
    check(took.lasted(deadline_ms / 1000), f"{path}: the 504 took {took}, less than the deadline")
    check(alive >= 5, f"{path}: /livez was answered {alive} times before the question")


@suite.fact
def short_queries_on_large_meshes_run_on_workers_and_keep_their_deadlines():
    # About 40,000 triangles against themselves: up to seconds of work for a request of a few bytes without a scene.
    with Daemon("--log", "off", "--workers", "2") as d:
        posted = ask(d.port, "POST", "/v1/shapes?deadlineMs=300000", json.dumps(ball_mesh(100, 200)), JSON_TYPE)
        equal(posted.status, 201, "status of the shape")
        shape = {"shape": json.loads(posted.body)["id"]}
        aside = {**shape, "position": [0.001, 0, 0]}
        body = {"id": "b", "colliders": [shape]}
        for path, question in (("/v1/query/distance", {"a": shape, "b": shape}),
                               ("/v1/query/distance", {"a": shape, "b": aside}),
                               ("/v1/query/region", {"scene": {"bodies": [body]}, "region": shape})):
            unused, most = timed(lambda path=path, question=question:
                                 ask(d.port, "POST", path, json.dumps({**question, "deadlineMs": 900}), JSON_TYPE))
            check_others_are_answered(d.port, path, question, min(300, most.milliseconds(1 / 3)))


@suite.fact
def a_short_event_on_many_contacts_runs_on_a_worker_and_keeps_its_deadline():
    # Two bodies of 450 balls each, all in contact with all of the other body: 200,000 distances, although no boxes
    # overlap after the move.
    state, balls = "/v1/scenes/s/contactStates/c", [{"sphere": {"radius": 1}}] * 450
    with Daemon("--log", "off", "--workers", "2") as d:
        bodies = [{"id": name, "motion": {"mass": 1}, "colliders": balls} for name in "ab"]
        equal(ask(d.port, "PUT", "/v1/scenes/s", json.dumps({"bodies": bodies}), JSON_TYPE).status, 201, "status of the scene")
        first = http.client.HTTPConnection("127.0.0.1", d.port)
        first.request("POST", state, json.dumps({"deadlineMs": 600000}), dict(JSON_TYPE))
        reply = first.getresponse()
        equal((reply.status, len(reply.read()) > 1 << 25), (201, True), "status of the first event, and is it large")
        first.close()
        before = ask(d.port, "GET", "/v1/scenes/s/contactStates").body
        equal(json.loads(before)["contactStates"][0]["contacts"], 450 ** 2, "contacts")
        check_others_are_answered(d.port, state, {"poses": {"ids": ["b"], "positions": [[50, 0, 0]]}}, 50)
        equal(ask(d.port, "GET", "/v1/scenes/s/contactStates").body, before, "the states after an event that was stopped")


@suite.fact
def small_requests_are_answered_while_all_workers_are_busy():
    busy = [Raw(daemon.port) for unused in range(4)]
    for connection in busy:
        connection.send(slow_query())
    daemon.works(0.1)
    with Raw(daemon.port) as connection:
        for unused in range(50):
            ask_tiny(connection)
    check(len(answered(busy)) < len(busy), "the small ones were answered after all slow ones")
    for connection in busy:
        connection.close()


def busy(reply, limit="queuePerScene"):
    equal(reply.status, 503, f"status of {reply.body!r}")
    problem = json.loads(reply.body)
    equal(problem["type"], "/problems/busy", "type")
    check(f"(limit {limit})" in problem["detail"], f"the detail names another limit than {limit}: {problem['detail']}")
    check(int(reply.headers["retry-after"]) >= 1, "Retry-After")


def fill(port, most, limit="queuePerScene"):
    """Sends slow queries until `most` are unanswered and three more in a row were refused; returns the connections
    of the unanswered ones. Places in the queue are freed while queries begin, so a refusal before the last place is
    taken does not prove that the queue is full."""
    standing, refused, watch = [], 0, Stopwatch()
    while refused < 3:
        check(not watch.hangs(), f"{len(standing)} questions stand unanswered instead of {most}")
        if len(standing) <= most:
            standing.append(Raw(port, seconds=600))
            standing[-1].send(slow_query(600000))
        answered = select.select([connection.socket for connection in standing], [], [], 0.05)[0]
        for connection in [c for c in standing if c.socket in answered]:
            busy(connection.reply(), limit)
            connection.close()
            refused = refused + 1 if connection is standing[-1] and len(standing) == most + 1 else 0
            standing.remove(connection)
    return standing


@suite.fact
def a_full_queue_is_answered_503_at_once():
    # One worker: begun queries may take half of the eight places, and one more; four more wait.
    with Daemon("--log", "off", "--workers", "1", "--limit", "queue=8", "--limit", "queuePerScene=4") as d:
        load(d, count=BARS_WITHIN_LIMIT)
        crowd = fill(d.port, 9)
        for unused in range(20):
            with Raw(d.port) as connection:
                connection.send(slow_query(600000))
                busy(connection.reply())
        # Requests that need no worker are still answered.
        with Raw(d.port) as connection:
            ask_tiny(connection)
        equal(answered(crowd), [], "questions answered meanwhile")
        for connection in crowd:
            connection.close()


@suite.fact
def a_refusal_names_the_limit_that_is_reached():
    """`queuePerScene` in the fact above; here the queue of all scenes is the shorter one."""
    with Daemon("--log", "off", "--workers", "1", "--limit", "queue=4") as d:
        load(d, count=BARS_WITHIN_LIMIT)
        for connection in fill(d.port, 9, "queue"):
            connection.close()


@suite.fact
def many_queries_on_one_scene_do_not_starve_another():
    with Daemon("--log", "off", "--workers", "2") as d:
        load(d, "slow", 1500)
        load(d, "small", 150)
        flood = [Raw(d.port) for unused in range(40)]
        for connection in flood:
            connection.send(slow_query(scene="slow"))
        d.works(0.1)
        with Raw(d.port) as connection:
            connection.send(slow_query(scene="small"))
            equal(connection.reply().status, 200, "status")
        before = len(answered(flood))
        for connection in flood:
            connection.close()
        check(before <= len(flood) / 2, f"{before} of {len(flood)} queries of the other scene were answered before it")


@suite.fact
def writes_of_one_scene_are_in_order_and_each_is_one_revision():
    path = "/v1/scenes/ordered"
    equal(ask(daemon.port, "PUT", path, '{"bodies":[]}', JSON_TYPE).status, 201, "status")
    first = json.loads(ask(daemon.port, "GET", "/v1/scenes").body)
    revision = next(s["revision"] for s in first["scenes"] if s["id"] == "ordered")
    count = 40
    seen, lock = [], threading.Lock()

    def write(i):
        body = {"colliders": [{"sphere": {"radius": 1}}], "position": [i, 0, 0]}
        with Raw(daemon.port) as connection:
            connection.send(request("PUT", f"{path}/bodies/b{i}", json.dumps(body), JSON_TYPE))
            mine = json.loads(connection.reply().body)["revision"]
            # A read after the reply sees the write.
            connection.send(request("GET", f"{path}/bodies/b{i}"))
            reply = connection.reply()
            with lock:
                seen.append((mine, reply.status, int(reply.headers["etag"].strip('"r'))))

    threads = [threading.Thread(target=write, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    equal(sorted(mine for mine, unused, unused_too in seen), list(range(revision + 1, revision + 1 + count)), "revisions")
    check(all(status == 200 and at >= mine for mine, status, at in seen), "a read after a write did not see it")


@suite.fact
def writes_on_one_connection_follow_each_other():
    path = "/v1/scenes/chain"
    bodies = [{"colliders": [{"sphere": {"radius": 1}}], "position": [i, 0, 0]} for i in range(20)]
    data = request("PUT", path, '{"bodies":[]}', JSON_TYPE)
    data += b"".join(request("PUT", f"{path}/bodies/b", json.dumps(body), JSON_TYPE) for body in bodies)
    with Raw(daemon.port) as connection:
        connection.send(data + request("GET", f"{path}/bodies/b"))
        revisions = [json.loads(connection.reply().body)["revision"] for unused in range(21)]
        equal(revisions, list(range(revisions[0], revisions[0] + 21)), "revisions")
        equal(json.loads(connection.reply().body)["position"], [19, 0, 0], "last position")


@suite.fact
def a_write_that_is_cut_off_changes_nothing():
    path = "/v1/scenes/cut"
    document = json.dumps(bars(40000))
    equal(ask(daemon.port, "PUT", path, '{"bodies":[]}', JSON_TYPE).status, 201, "status")
    before = ask(daemon.port, "GET", path)
    for delay in (0.0, 0.005, 0.02):
        connection = Raw(daemon.port)
        connection.send(request("PUT", path, document, JSON_TYPE))
        time.sleep(delay)
        connection.close()
        with Raw(daemon.port) as half:
            half.send(request("PUT", path, document, JSON_TYPE)[:-1000])
    unchanging(daemon.processor_seconds, 0.3 * SLOWER)
    after = ask(daemon.port, "GET", path)
    equal(after.headers["etag"], before.headers["etag"], "ETag")
    equal(after.body, before.body, "scene")


@suite.fact
def revisions_do_not_restart_when_a_scene_is_made_again():
    path = "/v1/scenes/again"
    last = 0
    for unused in range(4):
        made = ask(daemon.port, "PUT", path, '{"bodies":[]}', JSON_TYPE)
        equal(made.status, 201, "status")
        first = json.loads(made.body)["revision"]
        check(first > last, f"revision {first} after {last}")
        json_body = json.dumps({"colliders": [{"sphere": {"radius": 1}}]})
        second = json.loads(ask(daemon.port, "PUT", f"{path}/bodies/b", json_body, JSON_TYPE).body)["revision"]
        check(second > first, "a write did not raise the revision")
        last = json.loads(ask(daemon.port, "DELETE", path).body)["revision"]
        check(last > second, "the deletion did not raise the revision")
        equal(ask(daemon.port, "GET", path).status, 404, "status after the deletion")


@suite.fact
def a_deleted_scene_does_not_disturb_a_running_query():
    equal(ask(daemon.port, "PUT", "/v1/scenes/doomed", json.dumps(bars(1200)), JSON_TYPE).status, 201, "status")
    with Raw(daemon.port) as connection:
        connection.send(slow_query(scene="doomed"))
        daemon.works(0.02)
        equal(ask(daemon.port, "DELETE", "/v1/scenes/doomed").status, 200, "status")
        reply = connection.reply()
        equal(reply.status, 200, "status of the query")
        equal(json.loads(reply.body)["complete"], True, "complete")


def worker_seconds(daemon):
    """Processor time of all threads except the loop thread."""
    metrics = dict(line.rsplit(" ", 1) for line in ask(daemon.port, "GET", "/metrics").text.splitlines() if not line.startswith("#"))
    return daemon.processor_seconds() - float(metrics["contactd_loop_cpu_seconds_total"])


@suite.fact
def a_large_retained_revision_is_freed_by_a_worker():
    """Only a cursor retains the revision; when the cursor expires, the loop thread must not spend the time of
    freeing it."""
    hull = b'{"convex":{"vertices":[[0,0,0],[1,0,0],[0,1,0],[0,0,%d]]}}'
    count = 50000 if SLOWER == 1 else 10000  # about 40 ms of freeing in an ordinary build
    text = b"".join(b'{"id":"b%d","colliders":[' % i + b",".join(hull % (4 * i + j) for j in range(1, 5)) + b"]}\n" for i in range(count))
    path = "/v1/scenes/kept"
    with Daemon("--log", "off", "--workers", "2", "--limit", "cursorSeconds=2") as d:
        ask(d.port, "PUT", path, '{"bodies":[]}', JSON_TYPE)
        equal(ask(d.port, "POST", path + "/bodies", text, [("Content-Type", "application/x-ndjson")]).status, 201, "status of the bodies")
        page = json.loads(ask(d.port, "GET", path + "/bodies?limit=5").body)
        check("nextCursor" in page, "the page names no cursor")
        equal(ask(d.port, "PUT", path, '{"bodies":[]}', JSON_TYPE).status, 200, "status of the empty scene")
        before, all_before = worker_seconds(d), d.processor_seconds()
        time.sleep(3)  # the time of the cursor, and of the reaper
        unchanging(d.processor_seconds, 0.5)
        workers, everything = worker_seconds(d) - before, d.processor_seconds() - all_before
        equal(ask(d.port, "GET", path + f"/bodies?limit=5&cursor={page['nextCursor']}").status, 410, "status of the cursor")
    check(workers > 0.5 * everything, f"of {everything:.2f} s of processor time workers took {workers:.2f} s")


@suite.fact
def concurrent_creations_keep_the_limit_of_scenes():
    with Daemon("--log", "off", "--limit", "scenes=5") as d:
        connections = [Raw(d.port) for unused in range(20)]
        document = json.dumps(bars(2000))
        for i, connection in enumerate(connections):
            connection.send(request("POST", "/v1/scenes", document, JSON_TYPE))
        statuses = sorted(connection.reply().status for connection in connections)
        for connection in connections:
            connection.close()
        equal(statuses, [201] * 5 + [422] * 15, "statuses")
        equal(json.loads(ask(d.port, "GET", "/v1/scenes").body)["total"], 5, "scenes")


LINES = "".join(f'{{"id":"line-{i}","colliders":[{{"sphere":{{"radius":1}}}}],"position":[{i},0,0]}}\n' for i in range(4500))
ABORTED = (slow_query(), slow_query()[:-7], request("POST", "/v1/query/distance", TINY * 1000), request("POST", "/v1/query/distance", TINY * 1000)[:-7],
           request("POST", "/v1/scenes/slow/bodies", LINES, [("Content-Type", "application/x-ndjson")])[:-7])


def aborted(port, count):
    """Sends complete and truncated queries, and a truncated NDJSON text longer than the pieces in which it is read;
    closes each connection without waiting for a reply."""
    for i in range(count):
        connection = Raw(port)
        connection.send(ABORTED[i % len(ABORTED)])
        connection.close()


@suite.fact
def many_aborted_requests_leak_nothing():
    # Counted by a malloc in front of the C library's. A sanitizer has its own, and reports leaks when the daemon ends.
    counted = not SANITIZER
    with Daemon("--log", "off", "--workers", "2", heap=counted) as d:
        def held():
            """Open files; bytes and blocks of the heap."""
            return (open_files(d), *(d.heap() if counted else ()))

        load(d)
        # Workers keep their arenas for the next query: two per worker, all allocated by these queries.
        crowd = [Raw(d.port) for unused in range(8)]
        for connection in crowd:
            connection.send(slow_query(300))
        for connection in crowd:
            equal(connection.reply().status, 504, "status")
            connection.close()
        aborted(d.port, 300)
        before = unchanging(held)
        for unused in range(4):
            aborted(d.port, 300)
            # Connections that ended within a body are closed with a delay, hence the wait; leaked memory would never be
            # freed.
            wait_until(lambda: all(now <= then for now, then in zip(held(), before)),
                       f"open files, bytes and blocks of the heap: more than {before}", pause=0.02)


@suite.fact
def unread_replies_are_bounded_in_bytes():
    with Daemon("--log", "off", "--limit", "repliesBytes=40000000") as small:
        balls = [{"id": f"b{i}", "position": [0.001 * i, 0, 0], "colliders": [{"sphere": {"radius": 1}}]} for i in range(400)]
        equal(ask(small.port, "PUT", "/v1/scenes/s", json.dumps({"bodies": balls}), JSON_TYPE).status, 201, "status of the scene")
        question = request("POST", "/v1/scenes/s/query/distance", json.dumps({"limit": 1000000, "deadlineMs": 60000}), JSON_TYPE)
        before = open_files(small)
        idle = [Raw(small.port) for unused in range(3)]
        for connection in idle:  # each reply takes about 25 MB, more than the sockets hold, and has begun before the next query
            connection.send(question)
            check(select.select([connection.socket], [], [], 60 * SLOWER)[0], "no answer begins")
        with Raw(small.port) as connection:
            connection.send(question)
            reply = connection.reply()
            equal(reply.status, 503, "status while others do not read")
            equal(reply.headers.get("retry-after"), "1", "Retry-After")
            for other in idle:
                other.close()
            wait_until(lambda: open_files(small) <= before + 1, "connections that were closed are open")
            connection.send(question)
            equal(connection.reply().status, 200, "status when they are gone")


@suite.fact
def a_write_without_room_for_its_long_reply_is_refused_and_short_ones_succeed():
    # The reply of the event has 90,000 contacts in about 22 MB.
    state, balls = "/v1/scenes/s/contactStates/", [{"sphere": {"radius": 1}}] * 300
    with Daemon("--log", "off", "--limit", "repliesBytes=30000000") as small:
        bodies = [{"id": name, "motion": {"mass": 1}, "colliders": balls} for name in "ab"]
        equal(ask(small.port, "PUT", "/v1/scenes/s", json.dumps({"bodies": bodies}), JSON_TYPE).status, 201, "status of the scene")
        event = json.dumps({"deadlineMs": 60000, "poses": {"ids": ["b"], "positions": [[0.5, 0, 0]]}})
        with Raw(small.port) as idle:
            idle.send(request("POST", state + "c", event, JSON_TYPE))
            check(select.select([idle.socket], [], [], 60 * SLOWER)[0], "no answer begins")
            before = [ask(small.port, "GET", path).body for path in ("/v1/scenes/s/contactStates", "/v1/scenes/s/poses")]
            for name in ("c", "d"):
                reply = ask(small.port, "POST", state + name, event, JSON_TYPE)
                equal((reply.status, json.loads(reply.body)["type"]), (503, "/problems/busy"), "status while the other does not read")
                check("nothing has changed" in json.loads(reply.body)["detail"], f"the detail is {json.loads(reply.body)['detail']!r}")
                equal(reply.headers.get("retry-after"), "1", "Retry-After")
            now = [ask(small.port, "GET", path).body for path in ("/v1/scenes/s/contactStates", "/v1/scenes/s/poses")]
            equal(now, before, "states and poses after events that were refused")
            away = json.dumps({"ids": ["b"], "positions": [[50, 0, 0]]})
            equal(ask(small.port, "PATCH", "/v1/scenes/s/poses", away, JSON_TYPE).status, 200, "status of a write with a short reply")


@suite.fact
def waiting_for_a_worker_counts_as_queue_not_as_run():
    draw, points = random.Random(5), []
    for unused in range(150000):  # on a sphere, all of them vertices of the hull
        p = [draw.gauss(0, 1) for unused_too in range(3)]
        n = math.dist(p, (0, 0, 0))
        points.append([c / n for c in p])
    large = json.dumps({"a": {"convex": {"vertices": points}}, "b": {"sphere": {"radius": 1}, "position": [9, 0, 0]}, "deadlineMs": 600000})
    with Daemon("--log", "off", "--workers", "1") as single:
        pairs = json.dumps({"pairs": [["bar-0", "bar-1"]] * 400, "deadlineMs": 600000})
        equal(ask(single.port, "PUT", "/v1/scenes/few", json.dumps(bars(3)), JSON_TYPE).status, 201, "status of the scene")
        with Raw(single.port) as busy:
            busy.send(request("POST", "/v1/query/distance", large, JSON_TYPE))  # one uninterrupted job, parsing and hull
            single.works(0.1 * SLOWER)  # longer than the body takes to arrive, shorter than the job
            reply = ask(single.port, "POST", "/v1/scenes/few/query/distance", pairs, JSON_TYPE)
            equal(reply.status, 200, "status of the question that waited")
            timing = reply.headers["server-timing"]
            equal(busy.reply().status, 200, "status of the large question")
        queue, run = (float(part.rsplit("=", 1)[1]) for part in timing.split(", "))
        check(queue > run, f"Server-Timing is {timing}")


suite.main()
