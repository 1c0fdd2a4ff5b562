"""The start of a daemon with Redis: faults that end it with one sentence, and those that it outlasts while it serves
(Redis not reachable, its name not resolvable).
CONTACTD_FULL=1: each command that a user of Redis may lack, instead of some."""
import json
import os
import pathlib
import socketserver
import subprocess
import tempfile
import threading

from support.checks import Skip, Suite, check, equal
from support.daemon import SANITIZER, binary, clean_environment
from support.redis import CUBE, OBJ, Redis, Spoiler, ball, free_port, move, place, revision_of, wait_ready
from support.stopwatch import wait_until

suite = Suite()
FULL = bool(os.environ.get("CONTACTD_FULL"))
# A start without Redis waits for two command timeouts.
SOON = "?commandMs=300"


def refused(url, *options):
    """The message of a daemon that ends at once."""
    ended = subprocess.run([str(binary()), "--port", "0", "--store", url, *map(str, options)], capture_output=True, text=True, timeout=60,
                           check=False, env=clean_environment())
    equal((ended.returncode, ended.stdout), (2, ""), f"exit status and output; it said {ended.stderr}")
    equal(ended.stderr.count("\n"), 1, f"lines of {ended.stderr}")
    return ended.stderr


@suite.fact
def a_daemon_starts_without_redis_and_is_ready_when_redis_is():
    redis = Redis(suite)
    before = redis.daemon()
    revision = before.client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201).json["revision"]
    shape = before.client.post("/v1/shapes?unit=m", CUBE, content_type=OBJ).must(201).json["id"]
    redis.forget(before)
    before.stop()
    redis.kill()
    node = redis.daemon(url=redis.url + SOON, ready=False)
    for unused in range(2):
        for path in ("/livez", "/v1/version"):
            node.client.get(path).must(200)
        check(node.client.get("/readyz").problem(503, "store-unavailable").headers.get("retry-after"), "no Retry-After")
        for method, path, body in (("GET", "/v1/scenes/s", None), ("GET", "/v1/scenes", None), ("PUT", "/v1/scenes/t", {"bodies": []}),
                                   ("POST", "/v1/scenes", {"bodies": []}), ("GET", f"/v1/shapes/{shape}", None),
                                   ("DELETE", "/v1/scenes/s", None)):
            reply = node.client.request(method, path, body).problem(503, "store-unavailable")
            check(reply.headers.get("retry-after"), f"{method} {path}: no Retry-After")
        node.client.post("/v1/query/distance", {"a": {"sphere": {"radius": 1}}, "b": {"sphere": {"radius": 1}}}).must(200)
    # The log reports it with the second attempt, which does not occur if Redis returns at once.
    wait_until(lambda: '"storeUnavailable"' in node.log_text(), "the log does not tell that Redis is away")
    redis.start()
    wait_ready(node)
    equal(node.client.get("/readyz").json["scenes"], {"loaded": 0, "stored": 1, "corrupt": 0}, "scenes of /readyz")
    equal(revision_of(node.client.get("/v1/scenes/s").must(200)), revision, "revision")
    node.client.get(f"/v1/shapes/{shape}").must(200)
    equal(node.client.patch("/v1/scenes/s/poses", move(1)).must(200).json["durability"], "redis", "durability")
    # The log is complete when the daemon has ended.
    redis.forget(node)
    node.stop()
    log = node.log_text()
    equal((log.count('"storeUnavailable"'), log.count('"storeBack"')), (1, 1), f"times that it is told: {log}")


@suite.fact
def readyz_is_200_only_when_all_scenes_are_listed():
    redis = Redis(suite)
    before = redis.daemon()
    before.client.put("/v1/scenes/s", {"bodies": []}).must(201)
    redis.forget(before)
    before.stop()
    between = Spoiler(suite, redis, 0)
    between.delay = 0.05
    redis.kill()
    node = redis.daemon(url=between.url + SOON, ready=False)
    redis.start()
    wait_ready(node)
    equal(node.client.get("/readyz").json["scenes"], {"loaded": 0, "stored": 1, "corrupt": 0}, "scenes of /readyz")


@suite.fact
def a_hanging_resolver_blocks_neither_workers_nor_the_end():
    if SANITIZER:
        raise Skip("a sanitizer's library must be the first")
    redis = Redis(suite)
    with tempfile.TemporaryDirectory() as folder:
        names = pathlib.Path(folder, "names")
        names.write_text("100000 127.0.0.1")
        node = redis.daemon(url=f"redis://redis.test:{redis.port}{SOON}", ready=False, workers=1, names=names)
        points = [[x, y, (x * x + y * y) * 0.01] for x in range(40) for y in range(40)]
        many = {"a": {"convex": {"vertices": points}}, "b": {"sphere": {"radius": 1}}}
        for unused in range(4):
            node.client.post("/v1/query/distance", many).must(200)
        wait_until(lambda: "name" in node.client.get("/readyz").problem(503, "store-unavailable").json["detail"], "/readyz does not tell why")
        redis.forget(node)
        node.stop()
        seen = pathlib.Path(folder, "names.seen")
        equal(seen.read_text(), "b", "lookups: one that was begun, and had not ended when all this had")
        # The first address refuses connections; and a name that does not exist yet may be added.
        seen.unlink()
        names.write_text("0")
        node = redis.daemon(url=f"redis://redis.test:{redis.port}{SOON}", ready=False, names=names)
        wait_until(lambda: "cannot be resolved" in node.client.get("/readyz").text, "/readyz does not tell why")
        names.write_text("300 ::1 127.0.0.1")
        wait_ready(node)
        check("bb" not in (said := seen.read_text()) and len(said) >= 4, f"lookups: {said}")


@suite.fact
def permanent_faults_of_redis_end_the_start_with_one_sentence():
    redis = Redis(suite)
    for words, part in ((("hset", "contactd:store", "format", "1"), "another format than 2, the format of this program: 1"),
                        (("hset", "contactd:store", "format", "3"), "another format than 2, the format of this program: 3"),
                        (("set", "contactd:store", "mine"), "the key contactd:store does not have contactd's type"),
                        (("set", "contactd:scenes", "mine"), "the key contactd:scenes does not have contactd's type"),
                        (("hset", "contactd:scenes", "s", "mine"), "was not written by contactd")):
        redis.say(*words)
        check(part in (said := refused(redis.url)), f"{words}: {said}")
        redis.say("flushall")
    check("cluster" in (said := refused(Redis(suite, "--cluster-enabled", "yes", "--cluster-port", free_port()).url)), f"said: {said}")
    check("DB index" in (said := refused(f"redis://127.0.0.1:{redis.port}/99")), f"said: {said}")


@suite.fact
def a_start_with_a_scene_requires_redis():
    """With --scene the daemon ends instead; a service manager restarts it until Redis is reachable."""
    redis = Redis(suite)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "scene.json")
        path.write_text(json.dumps({"id": "given", "bodies": [ball("b")]}))
        redis.kill()
        said = refused(redis.url + SOON, "--log", "off", "--scene", path)
        for word in ("--scene", str(path), "cannot be written while the store is unreachable", "refused"):
            check(word in said, f"{word} is not in {said}")
        redis.start()
        node = redis.daemon("--scene", path)
        equal(node.client.get("/v1/scenes/given/poses").must(200).json["ids"], ["b"], "bodies")


@suite.fact
def a_peer_that_is_not_redis_ends_the_start():
    """Not so a peer that closes connections without data: it may be a proxy whose Redis is not up yet."""
    class Other(socketserver.BaseRequestHandler):
        def handle(self):
            self.request.recv(65536)
            self.request.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Other) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        said = refused(f"redis://127.0.0.1:{other.server_address[1]}")
        other.shutdown()
    check("is not Redis" in said, f"said: {said}")


@suite.fact
def an_invalid_url_is_refused_with_the_reason_and_without_its_password():
    for url, part in ((f"redis://{'h' * 256}", "255"), ("redis://h h/0", "printable ASCII"), ("redis://h\n/0", "printable ASCII"),
                      ("redis://" + "h" * 400, "407"),
                      (f"redis://{'u' * 64}@h", "63"), ("redis://u@h", "--store-password-file"), ("redis:///0", "no host")):
        check(part in (said := refused(url)), f"{url[:40]}: {said}")
    for url in ("redis://:secret@h/0", "redis://u:secret@h/0", "redis://u:se@cret@h", "rediss://:secret@h", "u:secret@h", "redis://u:secret/x?y@h"):
        said = refused(url)
        check("cret" not in said and "@h" in said, f"{url}: {said}")
        shown = subprocess.run([str(binary()), "--store", url, "--print-config"], capture_output=True, text=True, timeout=60, check=False,
                               env=clean_environment())
        check("cret" not in shown.stdout + shown.stderr, f"{url} is printed: {shown.stdout}{shown.stderr}")


@suite.fact
def an_invalid_password_file_is_refused_with_the_reason():
    with tempfile.TemporaryDirectory() as folder:
        os.mkfifo(pathlib.Path(folder, "fifo"))
        for name, text, part in (("missing", None, "No such file"), (".", None, "directory"), ("fifo", None, "regular"), ("empty", b"", "empty"),
                                 ("line", b"\n", "empty"), ("long", b"x" * 1025 + b"\n", "1024"), ("huge", b"x" * 100000, "1024"),
                                 ("lines", b"open\nsesame\n", "one line"), ("return", b"open\rsesame", "control"), ("zero", b"open\0", "control")):
            path = pathlib.Path(folder, name)
            if text is not None:
                path.write_bytes(text)
            said = refused("redis://127.0.0.1:1", "--store-password-file", path)
            check(said.startswith(f"contactd: --store-password-file: {path}: ") and part in said, f"{name}: {said}")
        given = subprocess.run([str(binary()), "--store", "redis://127.0.0.1:1"], capture_output=True, text=True, timeout=60, check=False,
                               env=clean_environment(CONTACTD_STORE_PASSWORD_FILE=folder))
        check(given.stderr.startswith("contactd: CONTACTD_STORE_PASSWORD_FILE: "), f"it says {given.stderr}")


@suite.fact
def the_missing_right_of_a_redis_user_is_named():
    redis = Redis(suite)
    with tempfile.TemporaryDirectory() as folder:
        word = pathlib.Path(folder, "word")
        word.write_text("open sesame\n")
        url = redis.url.replace("//", "//worker@")
        least = ("acl", "setuser", "worker", "reset", "on", ">open sesame", "~contactd:*")
        commands = ("ping", "select", "hget", "hset", "hdel", "hincrby", "hexists", "hgetall", "rpush", "rpushx", "lpush", "lrange", "ltrim", "llen",
                    "lmove", "unlink", "expire", "eval", "evalsha", "script", "multi",
                    "exec", "client")
        for missing in commands if FULL else ("ping", "hget", "rpush", "client", "exec"):
            redis.say(*least, *(f"+{c}" for c in commands if c != missing))
            said = refused(url, "--store-password-file", word)
            check(missing in said.lower() and "may not" in said, f"without {missing}: {said}")
        redis.say(*least[:-1], "~other:*", *(f"+{c}" for c in commands))
        check("may not" in (said := refused(url, "--store-password-file", word)), f"other keys: {said}")
        equal(redis.say("keys", "*"), "", "keys that the questions have left")
        # No further right is needed; without CONFIG the durability is unknown.
        redis.say(*least, *(f"+{c}" for c in commands if c not in ("client", "script")), "+client|id", "+client|unblock", "+script|load")
        # Without INFO neither, and the log reports it.
        for more, durability in ((["+config|get"], "memory"), (["+info"], "memory"), (["+config|get", "+info"], "redis"), ([], "memory")):
            redis.say("acl", "setuser", "worker", *more)
            node = redis.daemon("--store-password-file", word, url=url)
            equal(node.client.put(f"/v1/scenes/{len(redis.nodes)}", {"bodies": []}).must(201).json["durability"], durability, f"durability with {more}")
            wait_until(lambda: durability == "redis" or "INFO" in node.log_text(), f"it is not told with {more}")
            redis.say("acl", "setuser", "worker", "-config|get", "-info")
        node.client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201)
        node.client.post("/v1/shapes?unit=m", CUBE, content_type=OBJ).must(201)
        # A right that is withdrawn later is reported, too, and service recovers when it returns.
        redis.say("acl", "setuser", "worker", "-rpush")
        reply = node.client.patch("/v1/scenes/s/poses", move(1)).problem(503, "storage-failed")
        check("RPUSH" in reply.json["detail"], f"detail is {reply.json['detail']}")
        equal(place(node.client.get("/v1/scenes/s/poses").must(200)), 0, "place after half of a write was refused")
        wait_until(lambda: "RPUSH" in node.client.get("/readyz").text, "/readyz does not tell what is missing")
        node.client.get("/readyz").problem(503, "storage-failed")
        redis.say("acl", "setuser", "worker", "+rpush")
        wait_ready(node)
        node.client.patch("/v1/scenes/s/poses", move(2)).must(200)
        equal(place(redis.daemon().client.get("/v1/scenes/s/poses").must(200)), 2, "place by a daemon that has just begun")


@suite.fact
def a_password_comes_from_a_file_and_the_wrong_one_ends_the_start():
    redis = Redis(suite, "--requirepass", "open sesame")
    with tempfile.TemporaryDirectory() as folder:
        right, wrong = pathlib.Path(folder, "right"), pathlib.Path(folder, "wrong")
        right.write_text("open sesame\r\n\n")
        wrong.write_text("close sesame\n")
        node = redis.daemon("--store-password-file", right)
        equal(node.client.put("/v1/scenes/s", {"bodies": []}).must(201).json["durability"], "redis", "durability")
        for options, part in ((["--store-password-file", wrong], "password"), ([], "password")):
            check(part in (said := refused(redis.url, *options)), f"said: {said}")
            check("sesame" not in said, "the password is shown")


suite.main()
