"""Corrupt replies of Redis, records that differ from those written, and the durability that Redis' settings promise,
which the daemon queries and does not assume.
CONTACTD_FULL=1: forty kinds of corruption instead of one."""
import itertools
import os
import pathlib
import signal

from support.checks import Suite, check, equal
from support.redis import CUBE, OBJ, Redis, Spoiler, ball, move, place, wait_ready
from support.stopwatch import Stopwatch, wait_until

suite = Suite()
numbers = itertools.count()
FULL = bool(os.environ.get("CONTACTD_FULL"))


@suite.fact
def a_daemon_survives_corrupt_replies_of_redis():
    """A relay corrupts replies: each request still has an answer, mostly 503, and afterwards all is as before."""
    for seed in range(40 if FULL else 1):
        redis = Redis(suite)
        spoiler = Spoiler(suite, redis, seed)
        node = redis.daemon(url=spoiler.url)
        node.client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201)
        shape = node.client.post("/v1/shapes?unit=m", CUBE, content_type=OBJ).must(201).json["id"]
        spoiler.spoils = True
        watch, statuses = Stopwatch(), set()
        while not watch.read().lasted(2) or spoiler.spoiled < 5:
            for method, path, body in (("GET", "/v1/scenes/s/poses", None), ("PATCH", "/v1/scenes/s/poses", move(1)), ("GET", "/v1/scenes", None),
                                       ("GET", f"/v1/shapes/{shape}", None), ("PUT", "/v1/scenes/t", {"bodies": []})):
                statuses.add(node.client.request(method, path, body, check=False).status)
        check(503 in statuses, f"statuses are {statuses}, and none was refused")
        spoiler.spoils = False
        wait_until(lambda node=node: node.client.get("/v1/scenes/s/poses").status == 200, "it does not recover")
        direct = redis.daemon().client.get("/v1/scenes/s/poses").must(200)
        read = node.client.get("/v1/scenes/s/poses").must(200)
        equal((place(read), read.etag), (place(direct), direct.etag), "place and revision by this daemon and by a new one")


# ---- records ---------------------------------------------------------------------------------------------------------------------------

# Each script damages what Redis stores of a scene: KEYS are the lists of its parts and of its heads; the part of the
# last change is the last element.
SPOILT = {
    "a bit": "local v = redis.call('LINDEX', KEYS[1], -1) local n = math.floor(#v / 2)"
             " redis.call('LSET', KEYS[1], -1, v:sub(1, n - 1) .. string.char(bit.bxor(v:byte(n), 4)) .. v:sub(n + 1))",
    "a bit of the base": "local v = redis.call('LINDEX', KEYS[1], 0)"
                         " redis.call('LSET', KEYS[1], 0, v:sub(1, #v - 1) .. string.char(bit.bxor(v:byte(#v), 1)))",
    "another record": "redis.call('LSET', KEYS[1], -1, redis.call('LINDEX', KEYS[1], 1))",
    "another order": "local v = redis.call('LINDEX', KEYS[1], 1) redis.call('LSET', KEYS[1], 1, redis.call('LINDEX', KEYS[1], 2))"
                     " redis.call('LSET', KEYS[1], 2, v)",
    "a byte less": "local v = redis.call('LINDEX', KEYS[1], -1) redis.call('LSET', KEYS[1], -1, v:sub(1, -2))",
    "a part less": "redis.call('RPOP', KEYS[1])",
    "a part more": "redis.call('RPUSH', KEYS[1], 'more')",
    "no parts": "redis.call('DEL', KEYS[1])",
    "a head less": "redis.call('LPOP', KEYS[2])",
    "a head that is none": "redis.call('LSET', KEYS[2], 0, '1 0 1 99999999999999999999')",
    "many parts": "redis.call('LSET', KEYS[2], 0, '1 0 18446744073709551615 10')",
    "no list": "redis.call('DEL', KEYS[2]) redis.call('SET', KEYS[2], 'mine')",
    "none of ours": "redis.call('DEL', KEYS[1], KEYS[2]) redis.call('RPUSH', KEYS[1], 'mine') redis.call('RPUSH', KEYS[2], 'mine')",
}


@suite.fact
def a_damaged_record_makes_one_scene_corrupt():
    """F22, F7: 500 corrupt for that scene until it is replaced or deleted; all others are served."""
    redis = Redis(suite)
    writer = redis.daemon()
    shape = writer.client.post("/v1/shapes?unit=m", CUBE, content_type=OBJ).must(201).json["id"]
    writer.client.put("/v1/scenes/named", {"bodies": [{"id": "b", "colliders": [{"shape": shape}]}]}).must(201)
    writer.client.put("/v1/scenes/good", {"bodies": [ball("b")]}).must(201)
    ids = {f"s{i}": what for i, what in enumerate(SPOILT)}
    for i in ids:
        writer.client.put(f"/v1/scenes/{i}", {"bodies": [ball("b")]}).must(201)
        for x in (1, 2, 3):
            writer.client.patch(f"/v1/scenes/{i}/poses", move(x)).must(200)
    for i, what in ids.items():
        redis.say("eval", SPOILT[what], "2", f"contactd:parts:scenes:{i}", f"contactd:heads:scenes:{i}")
    redis.say("eval", SPOILT["a bit"], "1", f"contactd:parts:shapes:{shape}")
    node = redis.daemon()
    for i, what in ids.items():
        reply = node.client.get(f"/v1/scenes/{i}/poses").problem(500, "corrupt")
        check(f'"{i}"' in reply.json["detail"], f"{what}: detail is {reply.json['detail']}")
        node.client.patch(f"/v1/scenes/{i}/poses", move(9)).problem(500, "corrupt")
    node.client.get(f"/v1/shapes/{shape}").problem(404, "shape-not-found")
    node.client.get("/v1/scenes/named").problem(500, "corrupt")
    equal(place(node.client.get("/v1/scenes/good/poses").must(200)), 0, "place in the good scene")
    listed = {x["id"]: x.get("status") for x in node.client.get("/v1/scenes").must(200).json["scenes"]}
    equal({i for i, status in listed.items() if status == "corrupt"}, {*ids, "named"}, "scenes that are listed as corrupt")
    for k, i in enumerate(ids):
        if k % 2:
            node.client.delete(f"/v1/scenes/{i}").must(200)
            writer.client.get(f"/v1/scenes/{i}").problem(404, "scene-not-found")
        else:
            node.client.put(f"/v1/scenes/{i}", {"bodies": [ball("b", 7)]}).must(201)
            equal(place(writer.client.get(f"/v1/scenes/{i}/poses").must(200)), 7, "place by the other daemon")


@suite.fact
def a_damaged_scene_is_corrupt_at_daemons_with_an_older_revision():
    """An older revision in memory is not the acknowledged one, so it is not served; and it must not prevent a
    replacement of the scene."""
    redis = Redis(suite)
    writer, reader = redis.daemons(2)
    for i, what in enumerate(SPOILT):
        scene = f"/v1/scenes/s{i}"
        writer.client.put(scene, {"bodies": [ball("b")]}).must(201)
        reader.client.get(scene).must(200)
        for x in (1, 2, 3):
            writer.client.patch(f"{scene}/poses", move(x)).must(200)
        redis.say("eval", SPOILT[what], "2", f"contactd:parts:scenes:s{i}", f"contactd:heads:scenes:s{i}")
        reader.client.get(f"{scene}/poses").problem(500, "corrupt")
        reader.client.patch(f"{scene}/poses", move(9)).problem(500, "corrupt")
        listed = {x["id"]: x.get("status") for x in reader.client.get("/v1/scenes").must(200).json["scenes"]}
        equal(listed[f"s{i}"], "corrupt", f"status in the list: {what}")
        if i % 2:
            reader.client.delete(scene).must(200)
            writer.client.get(scene).problem(404, "scene-not-found")
        else:
            reader.client.put(scene, {"bodies": [ball("b", 7)]}).must(201)
            equal(place(writer.client.get(f"{scene}/poses").must(200)), 7, "place by the other daemon")


ALL_OF_IT = "local t = {} for i, k in ipairs(KEYS) do t[i] = redis.call('EXISTS', k) == 1 and redis.call('DUMP', k) or '' end" \
            " return redis.sha1hex(table.concat(t))"


@suite.fact
def writes_to_a_damaged_scene_change_nothing():
    """500 corrupt, "nothing has changed", which is compared with Redis' data; a scene can be replaced or deleted if
    only its own records are damaged."""
    redis = Redis(suite)
    node = redis.daemon()
    shape = node.client.post("/v1/shapes?unit=m", CUBE, content_type=OBJ).must(201).json["id"]
    bodies = [ball("b"), *(ball(f"b{i}", 2.0 * i) for i in range(1, 40)), {"id": "c", "colliders": [{"shape": shape}]}]
    scene, named = "/v1/scenes/s", {"bodies": bodies}
    heads, parts, names, uses = "contactd:heads:scenes:s", "contactd:parts:scenes:s", "contactd:names", "contactd:uses"
    keys = (heads, parts, names, uses, "contactd:scenes", "contactd:shapes", "contactd:store")
    patch, put, delete = ("PATCH", scene + "/poses", move(1)), ("PUT", scene, {"bodies": [ball("b")]}), ("DELETE", scene)
    # The damaged key, how it is damaged, and the writes that it stops; the other writes repair it.
    cases = [(heads, ("del", heads), [patch]), (parts, ("del", parts), [patch]), (heads, ("rpop", heads), [patch]),
             (heads, ("lset", heads, -1, "mine"), [patch]), (heads, ("set", heads, "x"), [patch]), (parts, ("set", parts, "x"), [patch]),
             (names, ("set", names, "x"), [put, delete]), (uses, ("set", uses, "x"), [put, delete]),
             (uses, ("hset", uses, shape, "x"), [put, delete])]
    for key, words, stopped in cases:
        check(node.client.put(scene, named).status in (200, 201), "the scene cannot be put anew")
        if words[0] == "set":
            redis.say("rename", key, "aside")
        redis.say(*words)
        before = redis.say("eval", ALL_OF_IT, "7", *keys)
        for write in stopped:
            reply = node.client.request(*write).problem(500, "corrupt")
            check("nothing has changed" in reply.json["detail"], f"{write[0]} after {words}: {reply.json['detail']}")
            equal(redis.say("eval", ALL_OF_IT, "7", *keys), before, f"what is in Redis after {write[0]} after {words}")
        for write in (patch, put, delete):
            if write not in stopped:
                equal(node.client.request(*write).status, 200, f"status of {write[0]} after {words}")
        if words[0] == "hset":
            redis.say("hset", key, shape, 1)
        elif put in stopped:
            redis.say("rename", "aside", key)
    node.client.delete(scene).must(200)
    node.client.delete(f"/v1/shapes/{shape}").must(200)


@suite.fact
def a_revision_out_of_range_is_corrupt_until_it_is_repaired():
    """No revision number is derived from it: once Redis is repaired all is as before, also for the daemon that read
    it."""
    redis = Redis(suite)
    node = redis.daemon()
    node.client.put("/v1/scenes/s", {"bodies": []}).must(201)
    for words, mend, part in ((("hset", "contactd:scenes", "big", f"{2**64 - 1} 0 5"), ("hdel", "contactd:scenes", "big"), "entry"),
                              (("hset", "contactd:scenes", "big", f"{2**63} 0 5"), ("hdel", "contactd:scenes", "big"), "entry"),
                              (("hset", "contactd:store", "last", 2**64 - 1), ("hdel", "contactd:store", "last"), "contactd:store")):
        redis.say(*words)
        for method in ("GET", "DELETE"):
            reply = node.client.request(method, "/v1/scenes/big").problem(500, "corrupt")
            check(part in reply.json["detail"], f"{method} with {words}: {reply.json['detail']}")
        listed = node.client.get("/v1/scenes").problem(500, "corrupt")
        check("big" in listed.json["detail"] or part in listed.json["detail"], f"the list with {words}: {listed.json['detail']}")
        redis.say(*mend)
        reply = node.client.put("/v1/scenes/t", {"bodies": []}).must(201)
        check(reply.json["revision"] < 20, f"revision {reply.json['revision']} after {words}")
        node.client.delete("/v1/scenes/t").must(200)


# ---- durability ----------------------------------------------------------------------------------------------------------------------


@suite.fact
def durability_is_redis_only_if_its_settings_promise_it():
    redis = Redis(suite)
    node = redis.daemon()

    def word():
        word.count += 1
        return node.client.put(f"/v1/scenes/s{word.count}", {"bodies": []}).must(201).json["durability"]

    word.count = 0
    equal((word(), '"storeNotDurable"' in node.log_text()), ("redis", False), "the word, and whether another was told")
    # At a new connection and at an existing one. Data that Redis may evict for lack of memory is not durable either.
    kept = {"appendfsync": "always", "appendonly": "yes", "maxmemory-policy": "volatile-lru", "no-appendfsync-on-rewrite": "no"}
    for setting in (("appendfsync", "everysec"), ("appendfsync", "no"), ("appendonly", "no"), ("maxmemory-policy", "allkeys-lru"),
                    ("no-appendfsync-on-rewrite", "yes")):
        redis.say("config", "set", *setting)
        wait_until(lambda: word() == "memory", f"the word is not memory with {setting}")
        redis.say("client", "kill", "type", "normal")
        wait_ready(node)
        equal(word(), "memory", f"the word at a new connection with {setting}")
        redis.say("config", "set", setting[0], kept[setting[0]])
        wait_until(lambda: word() == "redis", f"the word is not redis after {setting}")
        redis.say("client", "kill", "type", "normal")
        wait_ready(node)
        equal(word(), "redis", f"the word at a new connection after {setting}")
    wait_until(lambda: node.log_text().count('"storeNotDurable"') == 5 == node.log_text().count('"storeDurable"'),
               "what has changed is not in the log")
    # Settings from the start of Redis.
    for options in (("--rename-command", "config", ""), ("--appendonly", "no"), ("--appendfsync", "everysec")):
        node = Redis(suite, *options).daemon()
        equal(word(), "memory", f"the word with {options}")
        wait_until(lambda: '"storeNotDurable"' in node.log_text(), f"it is not told with {options}")


def persistence(redis):
    return dict(line.split(":", 1) for line in redis.say("info", "persistence").split() if ":" in line)


def rewrite_slowly(redis, *words):
    """An append-only file is being rewritten and will not be completed; returns a function that kills the rewriting
    process."""
    redis.say("config", "set", "rdb-key-save-delay", 10**7)
    redis.say(*words)
    process = redis.process.pid
    child = os.pidfd_open(int(pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()[0]))

    def end():
        try:
            signal.pidfd_send_signal(child, signal.SIGKILL)
        except ProcessLookupError:
            pass

    suite.cleanup(end)
    return end


@suite.fact
def durability_is_memory_until_the_first_append_only_file_is_complete():
    """After CONFIG SET appendonly yes the data is in files that Redis does not load at a start until the first
    rewrite has finished."""
    redis = Redis(suite, "--appendonly", "no")
    nodes = redis.daemons(2)

    def put(name, node=nodes[0]):
        return node.client.put(f"/v1/scenes/{name}", {"bodies": []}).must(201).json["durability"]

    def asked():
        return sum(int(line.split("calls=")[1].split(",")[0]) for line in redis.say("info", "commandstats").splitlines()
                   if line.startswith("cmdstat_config") and "get" in line)

    def wait_asked():
        # Each daemon queries about once a second, so that among this many queries there are some of each.
        before = asked()
        wait_until(lambda: asked() >= before + 4 * len(redis.nodes), "nobody asks Redis what it keeps")

    equal(put("none"), "memory", "the word without a file")
    end = rewrite_slowly(redis, "config", "set", "appendonly", "yes")
    wait_asked()
    equal([put(f"begun{i}", node) for i, node in enumerate(nodes)], ["memory"] * 2, "the word with a file that is begun")
    redis.say("client", "kill", "type", "normal")
    # The process that writes the file holds the old connections open, so daemons detect the loss by the timeout.
    for node in nodes:
        wait_until(lambda node=node: node.client.put("/v1/scenes/again", {"bodies": []}).status in (200, 201), "no new connection is made")
    equal(put("anew"), "memory", "the word at a new connection")
    equal(put("late", redis.daemon()), "memory", "the word of a daemon that has just begun")
    said = persistence(redis)
    equal((said["aof_enabled"], said["aof_rewrite_in_progress"]), ("1", "1"), "the file is still being written")
    # A failed rewrite is repeated.
    redis.say("config", "set", "rdb-key-save-delay", 0)
    end()
    wait_until(lambda: put(f"w{next(numbers)}") == "redis", "the word is not redis")
    equal((said := persistence(redis))["aof_rewrite_in_progress"] + said["aof_rewrite_scheduled"], "00", "rewrites while the word is redis")
    # Later rewrites leave the complete file in place, and the durability stays.
    wait_until(lambda: put(f"v{next(numbers)}", nodes[1]) == "redis", "the word of the other is not redis")
    end = rewrite_slowly(redis, "bgrewriteaof")
    wait_asked()
    equal([put(f"kept{i}", node) for i, node in enumerate(nodes)], ["redis"] * 2, "the word while the file is written anew")
    equal(persistence(redis)["aof_rewrite_in_progress"], "1", "the file is still being written anew")
    redis.kill()
    end()
    redis.options = []
    redis.start()
    wait_until(lambda: nodes[0].client.get("/v1/scenes").status == 200, "Redis is not found again")
    for name in ("none", "begun0", "again", "anew", "late", "kept0", "kept1"):
        nodes[0].client.get(f"/v1/scenes/{name}").must(200)


suite.main()
