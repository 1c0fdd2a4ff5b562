"""Daemons whose Redis refuses commands, hangs, or is replaced by another one: each fault has its own problem,
requests without the store are served, and service recovers with Redis."""
import os
import pathlib
import shutil
import subprocess
import tempfile

from support import metrics
from support.checks import Suite, check, equal
from support.pace import SLOWER
from support.redis import Redis, Spoiler, ball, free_port, move, place, revision_of, wait_ready
from support.stopwatch import wait_until

suite = Suite()
SECONDS = 30 * SLOWER


# ---- another Redis in its place ----------------------------------------------------------------------------------------------------------


@suite.fact
def writes_that_a_promoted_replica_lacks_are_counted_and_logged():
    """F20: a replica that was cut off before the last writes takes the place of its primary."""
    first, second = (Redis(suite, "--repl-diskless-sync-delay", 0) for unused in range(2))
    ways = [Spoiler(suite, first, 0) for unused in range(2)]
    a, b = (first.daemon(url=way.url) for way in ways)
    a.client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201)
    a.client.put("/v1/scenes/still", {"bodies": [ball("b")]}).must(201)
    a.client.put("/v1/scenes/gone", {"bodies": []}).must(201)
    a.client.patch("/v1/scenes/s/poses", move(1)).must(200)
    kept = place(b.client.get("/v1/scenes/s/poses").must(200))
    second.say("replicaof", "127.0.0.1", first.port)
    wait_until(lambda: "master_link_status:up" in second.say("info", "replication") and
               second.say("hgetall", "contactd:scenes") == first.say("hgetall", "contactd:scenes"), "the replica has not all")
    second.say("replicaof", "no", "one")
    for i in range(2, 5):
        a.client.patch("/v1/scenes/s/poses", move(i)).must(200)
    a.client.put("/v1/scenes/new", {"bodies": []}).must(201)
    a.client.delete("/v1/scenes/gone").must(200)
    equal(place(b.client.get("/v1/scenes/s/poses").must(200)), 4, "place by the other daemon")
    equal(len(b.client.get("/v1/scenes").must(200).json["scenes"]), 3, "scenes")
    for node in (a, b):
        equal(metrics.read(node.client)["contactd_store_lost_writes_total"], 0, "lost writes before")
    ways[0].redis = ways[1].redis = second
    first.kill()
    for node in (a, b):
        wait_until(lambda node=node: node.client.get("/v1/scenes/s/poses").status == 200, "it does not find the new primary")
        equal(place(node.client.get("/v1/scenes/s/poses").must(200)), kept, "place by the new primary")
        equal([x["id"] for x in node.client.get("/v1/scenes").must(200).json["scenes"]], ["gone", "s", "still"], "scenes")
        # Three of scene s, the new scene, and the deletion.
        equal(metrics.read(node.client)["contactd_store_lost_writes_total"], 5, "lost writes")
        wait_until(lambda node=node: node.log_text().count('"storeLostWrites"') == 3, f"it is not told three times: {node.log_text()}")
        equal(place(node.client.get("/v1/scenes/still/poses").must(200)), 0, "place of what has lost nothing")
    # From here on both are one store again.
    written = a.client.patch("/v1/scenes/s/poses", move(9)).must(200)
    equal((place(got := b.client.get("/v1/scenes/s/poses").must(200)), revision_of(got)), (9, written.json["revision"]), "place and revision")
    for node in (a, b):
        equal(metrics.read(node.client)["contactd_store_lost_writes_total"], 5, "lost writes afterwards")
    # The former primary comes back, and one daemon connects to it: revisions that this daemon knows must not be
    # overwritten there.
    for unused in range(4):
        etag = a.client.patch("/v1/scenes/s/poses", move(10)).must(200).etag
    first.start()
    ways[0].redis = first
    second.say("client", "kill", "type", "normal")
    wait_until(lambda: a.client.get("/v1/scenes").status == 200, "it does not find the primary of before")
    a.client.patch("/v1/scenes/s/poses", move(11), headers={"If-Match": etag}).problem(412, "revision-mismatch")
    check(metrics.read(a.client)["contactd_store_lost_writes_total"] > 5, "nothing is told of a primary that is left behind")
    # As a replica the former primary refuses writes. Once the daemon reaches the primary again it recovers without
    # help.
    first.say("replicaof", "127.0.0.1", second.port)
    wait_until(lambda: first.say("hgetall", "contactd:scenes") == second.say("hgetall", "contactd:scenes"), "the replica has not all")
    wait_until(lambda: a.client.patch("/v1/scenes/s/poses", move(11)).status == 503 and
               place(a.client.get("/v1/scenes/s/poses").must(200)) == 10, "a replica takes writes")
    ways[0].redis = second
    wait_until(lambda: a.client.patch("/v1/scenes/s/poses", move(12)).status == 200, "the primary is not found")
    equal(place(b.client.get("/v1/scenes/s/poses").must(200)), 12, "place by the other daemon")


@suite.fact
def lost_contents_are_not_served_under_a_reused_revision_number():
    """An old copy of Redis is restored, and another daemon writes before the one that knew the lost writes queries,
    so revision numbers alone do not show the loss. Every daemon has one content per revision, no write follows a
    lost one, and the daemon that knew the lost writes counts them."""
    redis = Redis(suite)
    a, b = redis.daemons(2)
    scenes = {"fewer": 2, "equal": 3, "more": 5}
    for scene in scenes:
        a.client.put(f"/v1/scenes/{scene}", {"bodies": [ball("b"), ball("other", 5)]}).must(201)
        b.client.get(f"/v1/scenes/{scene}/poses").must(200)
    log, copy = (os.path.join(redis.folder, name) for name in ("appendonlydir", "copy"))
    shutil.copytree(log, copy)
    for scene in scenes:
        for i in range(3):
            a.client.patch(f"/v1/scenes/{scene}/poses", move(100 + i)).must(200)
    page = a.client.get("/v1/scenes/equal/bodies?limit=1").must(200).json
    redis.kill()
    shutil.rmtree(log)
    shutil.move(copy, log)
    redis.start()
    for scene, count in scenes.items():
        wait_until(lambda scene=scene: b.client.get(f"/v1/scenes/{scene}").status == 200, "Redis is not found again")
        for i in range(count):
            b.client.patch(f"/v1/scenes/{scene}/poses", move(200 + i)).must(200)
    wait_ready(a)
    lost = 0
    for scene, count in scenes.items():
        kept = b.client.get(f"/v1/scenes/{scene}/poses").must(200)
        equal(place(kept), 200 + count - 1, f"place of {scene} by who has written")
        found = a.client.get(f"/v1/scenes/{scene}/poses").must(200)
        equal((found.headers["etag"], found.json), (kept.headers["etag"], kept.json), f"{scene} by who knew of the lost writes")
        lost += 1
        equal(metrics.read(a.client)["contactd_store_lost_writes_total"], lost, f"lost writes after {scene}")
        # This write follows the store's revision.
        a.client.patch(f"/v1/scenes/{scene}/poses", {"ids": ["other"], "positions": [[0, 0, 7]]}).must(200)
        for node in (a, b):
            read = node.client.get(f"/v1/scenes/{scene}/poses").must(200)
            equal((read.json["positions"], revision_of(read)), ([[200 + count - 1, 0, 0], [0, 0, 7]], revision_of(kept) + 1), f"{scene} after a write")
    a.client.get(f"/v1/scenes/equal/bodies?limit=1&cursor={page['nextCursor']}").problem(410, "revision-gone")
    wait_until(lambda: a.log_text().count('"storeLostWrites"') == 3, f"it is not told three times: {a.log_text()}")
    equal(metrics.read(b.client)["contactd_store_lost_writes_total"], 0, "lost writes of who knew of none")


# ---- refusals by Redis -------------------------------------------------------------------------------------------------------------


def hog(redis):
    """A script that runs without end."""
    subprocess.Popen(["redis-cli", "-p", str(redis.port), "eval", "while true do end", "0"], stdout=subprocess.DEVNULL)  # ends with the script
    wait_until(lambda: redis.say("ping").startswith("BUSY"), "Redis is not busy")


def spoil_saves(redis):
    """The name of the dump file is that of a folder, so saving fails."""
    os.mkdir(os.path.join(redis.folder, "no-file"))
    redis.say("config", "set", "save", "3600 1")
    redis.say("bgsave")
    wait_until(lambda: "rdb_last_bgsave_status:err" in redis.say("info", "persistence"), "Redis can save")


@suite.fact
def each_refusal_of_redis_is_a_problem_of_its_own():
    """F21. A refused write has no effect, readable data is read, nothing is reported as not found, and service
    recovers when the cause is removed."""
    redis = Redis(suite, "--dbfilename", "no-file", "--busy-reply-threshold", 20)
    node = redis.daemon(url=redis.url + "?commandMs=500")
    node.client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201)
    nobody = f"replicaof 127.0.0.1 {free_port()}"
    cases = (("config set maxmemory 1", "config set maxmemory 0", 507, "storage-full", "maxmemory", True),
             (nobody, "replicaof no one", 503, "store-unavailable", "replica", True),
             ("config set min-replicas-to-write 2", "config set min-replicas-to-write 0", 503, "store-unavailable", "replicas", True),
             (spoil_saves, "config set save ", 503, "store-unavailable", "save", True),
             (hog, "script kill", 503, "store-unavailable", "busy with a script", False),
             ("client pause 100000 write", "client unpause", 503, "store-unavailable", "Redis", False),
             ("config set replica-serve-stale-data no|" + nobody, "replicaof no one|config set replica-serve-stale-data yes", 503, "store-unavailable",
              "without its primary", False))
    for on, off, status, name, word, readable in cases:
        if callable(on):
            on(redis)
        else:
            for words in on.split("|"):
                redis.say(*words.split())
        for method, path, body in (("PATCH", "/v1/scenes/s/poses", move(5)), ("PUT", "/v1/scenes/new", {"bodies": []}),
                                   ("POST", "/v1/scenes", {"bodies": []})):
            reply = node.client.request(method, path, body).problem(status, name)
            check(word in reply.json["detail"], f"{on}: detail of {method} {path} is {reply.json['detail']}")
            check("in time" not in reply.json["detail"], f"{on}: Redis has answered, and detail of {method} {path} is {reply.json['detail']}")
            check(status != 503 or reply.headers.get("retry-after"), f"{on}: no Retry-After")
        read = node.client.get("/v1/scenes/s/poses")
        equal(place(read.must(200)) if readable else read.problem(503, name).status, 0 if readable else 503, f"read while {on}")
        # A daemon that answers reads stays in its balancer.
        check(node.client.get("/readyz").status == 200 or not readable, f"/readyz while {on}")
        for words in off.split("|"):
            redis.say(*words.split(" "))
        wait_until(lambda: node.client.get("/v1/scenes/s/poses").status == 200, f"no read after {off}")
        equal(place(node.client.get("/v1/scenes/s/poses").must(200)), 0, f"place after {off}")
        node.client.get("/v1/scenes/new").problem(404, "scene-not-found")
        wait_until(lambda: node.client.put("/v1/scenes/again", {"bodies": []}).status in (200, 201), f"no write after {off}")
        wait_ready(node)
    redis.say("script", "flush")
    node.client.patch("/v1/scenes/s/poses", move(6)).must(200)


@suite.fact
def a_full_redis_loses_no_write_and_accepts_writes_after_deletions():
    """Its memory ends during writes, also during those whose record is sent in parts."""
    redis = Redis(suite, "--maxmemory", "12mb", "--maxmemory-policy", "noeviction")
    a, b = redis.daemons(2)
    begun = redis.process.pid

    def scene(i):
        return {"bodies": [{**ball(f"b{k}", i), "user": "u" * 4000} for k in range((20, 600)[i % 2])]}

    kept, refused = {}, 0
    for i in range(200):
        reply = a.client.put(f"/v1/scenes/s{i}", scene(i))
        if reply.status != 201:
            reply.problem(507, "storage-full")
            check("maxmemory" in reply.json["detail"] and "nothing has changed" in reply.json["detail"], f"detail: {reply.json['detail']}")
            refused += 1
            if refused == 6:
                break
            continue
        equal(reply.json["durability"], "redis", "durability")
        kept[f"s{i}"] = reply.json["revision"]
    equal(refused, 6, "writes that were refused")
    check({int(name[1:]) % 2 for name in kept} == {0, 1}, f"scenes of both kinds: {sorted(kept)}")

    def all_is_there(node):
        equal(sorted(x["id"] for x in node.client.get("/v1/scenes?limit=1000").must(200).json["scenes"]), sorted(kept), "scenes")
        for name, revision in kept.items():
            got = node.client.get(f"/v1/scenes/{name}").must(200)
            wanted = scene(int(name[1:]))["bodies"]
            equal((revision_of(got), len(got.json["bodies"]), got.json["bodies"][-1]["position"]), (revision, len(wanted), wanted[-1]["position"]),
                  f"revision, bodies and last place of {name}")

    for node in (a, b):
        wait_ready(node)
        all_is_there(node)
    check(redis.process.poll() is None and redis.process.pid == begun, "Redis has ended")
    # Also by a daemon that starts with a full Redis.
    all_is_there(redis.daemon())
    gone = next(name for name in kept if int(name[1:]) % 2)
    b.client.delete(f"/v1/scenes/{gone}").must(200)
    del kept[gone]
    kept["s0"] = a.client.put("/v1/scenes/s0", scene(0)).must(200).json["revision"]
    kept["s1000"] = b.client.put("/v1/scenes/s1000", scene(1000)).must(201).json["revision"]
    redis.kill()
    redis.start()
    for node in (a, b):
        wait_ready(node)
        all_is_there(node)


@suite.fact
def requests_are_503_while_redis_loads_its_data():
    """F21, LOADING: while Redis loads its data nothing is reported as not found."""
    redis = Redis(suite)
    node = redis.daemon()
    node.client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201)
    redis.say("eval", "for i = 1, 60000 do redis.call('set', 'x' .. i, 1) end", "0")
    redis.kill()
    redis.options += ["--key-load-delay", "200"]
    redis.start(loading=True)

    def says_so():
        reply = node.client.get("/v1/scenes/s/poses").problem(503, "store-unavailable")
        return "reading its data" in reply.json["detail"]

    wait_until(says_so, "it does not tell that Redis reads its data")
    check(redis.say("ping").startswith("LOADING"), "Redis has read its data already")
    redis.say("config", "set", "key-load-delay", "0")
    wait_until(lambda: node.client.get("/v1/scenes/s/poses").status == 200, "it does not find Redis again")
    equal(place(node.client.get("/v1/scenes/s/poses").must(200)), 0, "place")
    node.client.patch("/v1/scenes/s/poses", move(1)).must(200)


@suite.fact
def a_password_that_changes_is_read_again():
    redis = Redis(suite, "--requirepass", "first")
    with tempfile.TemporaryDirectory() as folder:
        word = pathlib.Path(folder, "word")
        word.write_text("first\n")
        node = redis.daemon("--store-password-file", word)
        node.client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201)
        redis.say("config", "set", "requirepass", "second", password="first")
        redis.say("client", "kill", "type", "normal", password="second")
        wait_until(lambda: "password" in node.client.get("/readyz").text, "/readyz does not tell of the password")
        check(node.client.get("/readyz").problem(503, "store-unavailable").headers.get("retry-after"), "/readyz: no Retry-After")
        reply = node.client.patch("/v1/scenes/s/poses", move(1)).problem(503, "store-unavailable")
        check(reply.headers.get("retry-after"), "a write: no Retry-After")
        word.write_text("second\n")
        wait_ready(node)
        node.client.patch("/v1/scenes/s/poses", move(1)).must(200)
        check("second" not in node.log_text() and "first" not in node.log_text(), "the password is in the log")


suite.main()
