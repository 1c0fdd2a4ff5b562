"""Posted shapes of several daemons with one Redis: a scene at one daemon can name shapes posted at another, in every
form of request body. Damaged shapes, and lists."""
import json
import threading

from support.checks import Suite, check, equal
from support.raw import Raw, request
from support.redis import Redis, ball, revision_of, wait_ready
from support.stopwatch import wait_until

suite = Suite()
NDJSON = "application/x-ndjson"
BODIES = "/v1/scenes/s/bodies"
# Lines of about 300 bytes: several of the pieces of 256 KiB in which a body is read.
MANY = 3000
PIECE = 262144
SENDERS = 6


def post(node, size=1.0):
    """Posts a new shape; returns its id."""
    return node.client.post("/v1/shapes", {"box": {"size": [1, 1, size]}}).must(201).json["id"]


def named(name, shape):
    return {"id": name, "colliders": [{"shape": shape}]}


def lines(items, width=0):
    """NDJSON with a blank at every place between two tokens where one is allowed."""
    return "".join(json.dumps(item).ljust(width) + "\n" for item in items).encode()


def head(method, length, path=BODIES):
    return request(method, path, headers=(("Content-Type", NDJSON), ("Content-Length", length)))


# ---- bodies that are read in pieces --------------------------------------------------------------------------------------------


@suite.fact
def ndjson_can_name_shapes_posted_at_another_daemon():
    a, b = Redis(suite).daemons(2)
    b.client.put("/v1/scenes/s", {"bodies": []}).must(201)
    shapes = [post(a, i) for i in (1, 2)]
    b.client.post(BODIES, lines([named("x", shapes[0]), named("y", shapes[1])]), content_type=NDJSON).must(201)
    shape = post(a, 3)
    b.client.patch(BODIES, lines([named("x", shape)]), content_type=NDJSON).must(200)
    equal(b.client.get(f"{BODIES}/x").must(200).json["colliders"][0]["shape"], shape, "shape after PATCH")
    equal(a.client.get(f"{BODIES}/y").must(200).json["colliders"][0]["shape"], shapes[1], "shape by the other daemon")
    # A shape deleted at another daemon cannot be named.
    b.client.delete(f"{BODIES}/y").must(200)
    b.client.delete(f"/v1/shapes/{shapes[1]}").must(200)
    a.client.post(BODIES, lines([named("z", shapes[1])]), content_type=NDJSON).problem(422, "unknown-id")


@suite.fact
def long_ndjson_can_name_shapes_posted_at_another_daemon():
    a, b = Redis(suite).daemons(2)
    b.client.put("/v1/scenes/s", {"bodies": []}).must(201)
    for method, status, size in (("POST", 201, 1), ("PATCH", 200, 2)):
        shape = post(a, size)
        body = lines([named(f"b{i}", shape) for i in range(MANY)], 300)
        b.client.request(method, BODIES, body, content_type=NDJSON).must(status)
        # The same body in pieces: the first two are short, the third ends within a line.
        shape = post(a, 10 + size)
        body = lines([named(f"{method}{i}" if status == 201 else f"b{i}", shape) for i in range(MANY)], 300)
        with Raw(b.port) as raw:
            raw.send(head(method, len(body)))
            for start, end in ((0, 10), (10, 300), (300, PIECE + 450), (PIECE + 450, len(body))):
                raw.send(body[start:end])
            equal(raw.reply().status, status, f"status of a {method} in pieces")
    equal(len(a.client.get("/v1/scenes/s").must(200).json["bodies"]), 2 * MANY, "bodies by the other daemon")


@suite.fact
def ndjson_is_refused_without_effect_while_redis_is_unreachable():
    redis = Redis(suite)
    node = redis.daemon()
    before = revision_of(node.client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201))
    redis.kill()
    wait_until(lambda: node.client.get("/readyz").status == 503, "it is ready")
    for count in (1, MANY):
        for method, name in (("POST", "n"), ("PATCH", "b")):
            reply = node.client.request(method, BODIES, lines([ball(f"{name}{i}", 2.0 * i) for i in range(count)], 300), content_type=NDJSON)
            check(reply.problem(503, "store-unavailable").headers.get("retry-after"), f"no Retry-After after {method} of {count}")
    redis.start()
    wait_ready(node)
    equal(revision_of(node.client.get("/v1/scenes/s").must(200)), before, "revision")
    node.client.post(BODIES, lines([ball("c", 2)]), content_type=NDJSON).must(201)


@suite.fact
def ndjson_waits_for_a_slow_redis_within_its_deadline_and_memory():
    """Data that arrives while the daemon waits stays in the clients' sockets: all of it would exceed the memory
    limit."""
    redis = Redis(suite)
    slow, room = f"{redis.url}?commandMs=60000", ("--limit", "requestMemoryBytes=8388608")
    hasty = redis.daemon("--limit", "deadlineMs=300", url=slow)
    patient = redis.daemon(*room, "--limit", "deadlineMs=600000", "--limit", "deadlineMaxMs=600000", url=slow)
    for k in range(SENDERS):
        patient.client.put(f"/v1/scenes/s{k}", {"bodies": [ball("b")]}).must(201)
    body = lines([ball(f"b{i}", 2.0 * i) for i in range(1, MANY)], 2000)
    redis.signal("STOP")
    try:
        # One request whose deadline passes, and one client that disconnects in the middle.
        hasty.client.post(BODIES, lines([ball("c", -2)]), content_type=NDJSON).problem(504, "deadline-exceeded")
        with Raw(hasty.port) as raw:
            raw.send(head("POST", len(body)) + body[:PIECE + 1000])
        raws = [Raw(patient.port) for unused in range(SENDERS)]
        senders = [threading.Thread(target=raw.send, args=(head("POST", len(body), f"/v1/scenes/s{k}/bodies") + body,))
                   for k, raw in enumerate(raws)]
        for sender in senders:
            sender.start()
        patient.client.get("/v1/version").must(200)
        redis.signal("CONT")
        equal([raw.reply().status for raw in raws], [201] * SENDERS, "statuses when Redis goes on")
        for sender, raw in zip(senders, raws):
            sender.join()
            raw.close()
    finally:
        redis.signal("CONT")
    equal([x["bodies"] for x in hasty.client.get("/v1/scenes").must(200).json["scenes"]], [MANY] * SENDERS, "bodies")


# ---- absent and damaged shapes -----------------------------------------------------------------------------------------------------

SPOIL = "local v = redis.call('LINDEX', KEYS[1], -1) redis.call('LSET', KEYS[1], -1, v:sub(1, -2) .. ARGV[1])"


@suite.fact
def a_shape_damaged_in_redis_is_logged_once_and_recovers_when_posted_or_repaired():
    redis = Redis(suite)
    writer = redis.daemon()
    shapes = [post(writer, i) for i in range(1, 6)]
    parts = {shape: f"contactd:parts:shapes:{shape}" for shape in shapes}
    wholes = {shape: redis.say("eval", "return string.byte(redis.call('LINDEX', KEYS[1], -1), -1)", "1", parts[shape]) for shape in shapes}
    good = {shapes[1], shapes[3]}
    for shape in shapes:
        if shape not in good:
            redis.say("eval", SPOIL, "1", parts[shape], "?")
    node = redis.daemon()

    def reads():
        return next(int(line.split("calls=")[1].split(",")[0]) for line in redis.say("info", "commandstats").split() if "_exec:" in line)

    def listed():
        return {x["id"] for x in node.client.get("/v1/shapes").must(200).json["shapes"]}

    def corrupt():
        return node.client.get("/readyz").must(200).json["shapes"]["corrupt"]

    before = reads()
    for unused in range(50):
        equal(listed(), good, "shapes that can be read")
    check(reads() - before < 75, f"{reads() - before} reads of 3 shapes for 50 requests")
    equal(corrupt(), 3, "shapes that cannot be read")
    # Posted again, it has another stamp, also if the daemon of the post lacked it.
    redis.daemon().client.post("/v1/shapes", {"box": {"size": [1, 1, 3]}}).must(201)
    good.add(shapes[2])
    equal(listed(), good, "shapes when one is posted anew")
    mend = "local v = redis.call('LINDEX', KEYS[1], -1) redis.call('LSET', KEYS[1], -1, v:sub(1, -2) .. string.char(ARGV[1]))"
    redis.say("eval", mend, "1", parts[shapes[0]], wholes[shapes[0]])
    good.add(shapes[0])
    wait_until(lambda: listed() == good, "the one that was mended is not there")
    writer.client.delete(f"/v1/shapes/{shapes[4]}").must(200)
    equal(listed(), good, "shapes when the last one has gone")
    equal(corrupt(), 0, "shapes that cannot be read, when the last one has gone")
    node.stop()
    equal(node.log_text().count("shapeCorrupt"), 3, "lines in the log")
    redis.forget(node)


@suite.fact
def with_stale_reads_lists_and_shapes_are_still_current():
    redis = Redis(suite)
    fresh, stale = redis.daemon(), redis.daemon("--stale-reads")
    for i in range(3):
        fresh.client.put(f"/v1/scenes/s{i}", {"bodies": [ball("b")]}).must(201)
        shape = post(fresh, 1 + i)
        if i:
            fresh.client.delete(f"/v1/scenes/s{i - 1}").must(200)
        replies = [stale.client.get(path).must(200) for path in ("/v1/scenes", "/v1/shapes", f"/v1/shapes/{shape}")]
        equal([x["id"] for x in replies[0].json["scenes"]], [f"s{i}"], "scenes")
        equal(replies[1].json["total"], i + 1, "shapes")
        equal([reply.headers.get("x-stale-reads") for reply in replies], [None] * 3, "headers")


suite.main()
