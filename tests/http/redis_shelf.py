"""Expiry of posted shapes where several daemons share one Redis: --shape-seconds after a shape was last posted, or
after the last scene that named it was removed, at any daemon. A shape that expires too early is a failure, however
slow the machine is; its expiry in the end is awaited."""
import threading
import time

from support.checks import Suite, check, equal
from support.client import KeepAlive
from support.metrics import read
from support.redis import CUBE, OBJ, Redis
from support.stopwatch import Stopwatch, wait_until

suite = Suite()
SECONDS = 1


def post(node, unit="m"):
    return node.client.post(f"/v1/shapes?unit={unit}", CUBE, content_type=OBJ)


def is_there(redis, shape):
    return redis.say("hexists", "contactd:shapes", shape) == "1"


def outcomes(node, status):
    return read(node.client)["contactd_store_commits_total", "status", status]


@suite.fact
def a_shape_posted_again_at_another_daemon_stays():
    redis = Redis(suite)
    a, b = redis.daemons(2, "--shape-seconds", SECONDS)
    shape = post(a).must(201).json["id"]
    whole = before = Stopwatch()
    while not whole.read().lasted(4 * SECONDS):
        asked = Stopwatch()
        reply = post(b)
        check(reply.status == 200 or before.read().lasted(SECONDS), f"{reply.status} {before.read()} after it was posted")
        before = asked
        time.sleep(SECONDS / 20)
    # A new daemon still reads it; it expires when it is not posted any more.
    redis.daemon().client.get(f"/v1/shapes/{shape}").must(200)
    watch = Stopwatch()
    post(b).must(200)
    wait_until(lambda: not is_there(redis, shape), "the shape has not gone")
    check(watch.read().lasted(SECONDS), f"it expired {watch.read()} after it was posted")
    for node in (a, b):
        node.client.get(f"/v1/shapes/{shape}").problem(404, "shape-not-found")
    wait_until(lambda: '"shapeExpired"' in a.log_text() + b.log_text(), "it is not told that the shape has gone")
    post(b).must(201)


@suite.fact
def a_shape_expires_after_the_last_scene_that_named_it():
    redis = Redis(suite)
    a, b = redis.daemons(2, "--shape-seconds", SECONDS)
    ways = {"deleted": ("DELETE", "/v1/scenes/s", None), "without its body": ("DELETE", "/v1/scenes/s/bodies/b", None),
            "put anew": ("PUT", "/v1/scenes/s", {"bodies": []})}
    for way, write in ways.items():
        shape = post(a).json["id"]
        b.client.put("/v1/scenes/s", {"bodies": [{"id": "b", "colliders": [{"shape": shape}]}]})
        # A daemon without the scene tries to remove the shape and is refused; its next attempt would come soon after.
        refused = outcomes(a, "named")
        wait_until(lambda: outcomes(a, "named") > refused, "no removal was tried")
        time.sleep(0.8 * SECONDS)
        check(is_there(redis, shape), "a shape that a scene names has gone")
        watch = Stopwatch()
        b.client.request(*write).must(200)
        wait_until(lambda: not is_there(redis, shape), "the shape has not gone")
        check(watch.read().lasted(SECONDS), f"the scene {way}: the shape expired after {watch.read()}")


@suite.fact
def repeated_posts_of_a_shape_write_to_redis_rarely():
    redis = Redis(suite)
    a, b = redis.daemons(2, "--shape-seconds", 36000)
    shape = post(a).must(201).json["id"]
    for node in (a, b):
        written = outcomes(node, "ok")
        for unused in range(20):
            equal(post(node).must(200).json["id"], shape, "id")
        equal(outcomes(node, "ok") - written, 1, "writes of 20 posts")
    entry = redis.say("hget", "contactd:shapes", shape)
    # An entry of an earlier version has no such number, and is valid.
    redis.say("hset", "contactd:shapes", shape, " ".join((entry.split()[0], "0", entry.split()[2])))
    redis.daemon().client.get(f"/v1/shapes/{shape}").must(200)
    c = redis.daemon("--shape-seconds", 36000)
    post(c).must(200)
    check(redis.say("hget", "contactd:shapes", shape).split()[1] != "0", "Redis was not told")


@suite.fact
def a_shape_removed_while_it_is_posted_again_exists_afterwards():
    """Removals and posts alternate; after a post that was answered 200 or 201 last, the shape exists."""
    redis = Redis(suite)
    a, b = redis.daemons(2, "--shape-seconds", SECONDS)
    shape = post(a).must(201).json["id"]
    until, seen = threading.Event(), []

    def remove():
        client = KeepAlive(b)
        while not until.is_set():
            seen.append(client.request("DELETE", f"/v1/shapes/{shape}", check=False).status)

    thread = threading.Thread(target=remove)
    thread.start()
    posted = []
    try:
        wait_until(lambda: posted.append(post(a).status) or (len(posted) > 300 and posted.count(201) > 20), "posts are not carried out")
    finally:
        until.set()
        thread.join()
    check(set(posted) <= {200, 201}, f"posts were answered {set(posted)}")
    check(set(seen) <= {200, 404}, f"removals were answered {set(seen)}")
    post(a)
    b.client.get(f"/v1/shapes/{shape}").must(200)


suite.main()
