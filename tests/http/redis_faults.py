"""What becomes of daemons whose Redis refuses, hangs, is replaced or answers rubbish: each fault has its own answer, what needs no
store goes on, and when Redis is itself again so is everything.

CONTACTD_FULL=1: forty ways of rubbish instead of one."""
import os
import time

from support.checks import Suite, check, equal
from support.pace import SLOWER
from support.redis import CUBE, OBJ, Redis, Spoiler, ball, free_port, move, place

suite = Suite()
FULL = bool(os.environ.get("CONTACTD_FULL"))
SECONDS = 30 * SLOWER


# ---- what Redis says when it will not ----------------------------------------------------------------------------------------------


@suite.fact
def each_refusal_of_redis_is_a_problem_of_its_own():
    redis = Redis(suite)
    node = redis.daemon()
    node.client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201)
    cases = (("config set maxmemory 1", "config set maxmemory 0", 507, "storage-full", "maxmemory"),
             (f"replicaof 127.0.0.1 {free_port()}", "replicaof no one", 503, "store-unavailable", "replica"),
             ("config set min-replicas-to-write 2", "config set min-replicas-to-write 0", 503, "store-unavailable", "replicas"))
    for on, off, status, name, word in cases:
        redis.say(*on.split())
        reply = node.client.patch("/v1/scenes/s/poses", move(5)).problem(status, name)
        check(word in reply.json["detail"], f"detail is {reply.json['detail']}")
        check(status != 503 or reply.headers.get("retry-after"), "no Retry-After")
        equal(place(node.client.get("/v1/scenes/s/poses").must(200)), 0, f"place while {on}")
        redis.say(*off.split())
        equal(place(node.client.get("/v1/scenes/s/poses").must(200)), 0, f"place after {off}")
    node.client.patch("/v1/scenes/s/poses", move(6)).must(200)


@suite.fact
def whatever_redis_answers_the_daemon_lives_and_goes_on_by_itself():
    """Each request has an answer of its own, 503 most of the time, and when Redis is itself again all is as before."""
    for seed in range(40 if FULL else 1):
        redis = Redis(suite)
        spoiler = Spoiler(suite, redis, seed)
        node = redis.daemon(url=spoiler.url)
        node.client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201)
        shape = node.client.post("/v1/shapes?unit=m", CUBE, content_type=OBJ).must(201).json["id"]
        spoiler.spoils = True
        end, statuses = time.monotonic() + 2, set()
        while time.monotonic() < end or spoiler.spoiled < 5:
            for method, path, body in (("GET", "/v1/scenes/s/poses", None), ("PATCH", "/v1/scenes/s/poses", move(1)), ("GET", "/v1/scenes", None),
                                       ("GET", f"/v1/shapes/{shape}", None), ("PUT", "/v1/scenes/t", {"bodies": []})):
                statuses.add(node.client.request(method, path, body, check=False).status)
        check(503 in statuses, f"statuses are {statuses}, and none was refused")
        spoiler.spoils = False
        end = time.monotonic() + SECONDS
        while node.client.get("/v1/scenes/s/poses").status != 200:
            check(time.monotonic() < end, "it does not recover")
            time.sleep(0.02)
        direct = redis.daemon().client.get("/v1/scenes/s/poses").must(200)
        read = node.client.get("/v1/scenes/s/poses").must(200)
        equal((place(read), read.etag), (place(direct), direct.etag), "place and revision by this daemon and by a new one")


suite.main()
