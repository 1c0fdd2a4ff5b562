"""Start, settings, log and end of the daemon."""
import json
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import tempfile
import time

from support.checks import Failure, Suite, check, equal
from support.daemon import Daemon, ROOT, binary, clean_environment
from support.events import Stream
from support.machine_memory import least_memory_limit
from support.pace import SLOWER
from support.raw import Raw, ask, request
from support.stopwatch import HANG_SECONDS, Stopwatch, timed, wait_until

JSON_TYPE = [("Content-Type", "application/json")]
suite = Suite()
folder = tempfile.TemporaryDirectory()
suite.cleanup(folder.cleanup)


def begun(*options):
    """A daemon that the test itself ends; if the test fails earlier, the daemon is killed at the end."""
    daemon = Daemon(*options).start()
    suite.cleanup(daemon.kill)
    return daemon


def run(*options, **environment):
    """A daemon that is expected to end by itself."""
    return subprocess.run([str(binary()), *options], capture_output=True, text=True, timeout=HANG_SECONDS, cwd=ROOT, check=False,
                          env=clean_environment(**environment))


def file_of(name, text, mode=0o600):
    path = pathlib.Path(folder.name) / name
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def refused(options, *words, **environment):
    """The daemon ends with status 2 and one sentence that contains the words."""
    def fact():
        result = run(*options, **environment)
        equal(result.returncode, 2, "exit status")
        equal(result.stdout, "", "standard output")
        lines = result.stderr.strip().split("\n")
        equal(len(lines), 1, "lines on standard error")
        check(lines[0].startswith("contactd: "), f"the sentence is {lines[0]!r}")
        check(lines[0].endswith((".", "?")), f"the sentence does not end: {lines[0]!r}")
        for word in words:
            check(word in lines[0], f"{word!r} is not in {lines[0]!r}")
    return fact


def pipe():
    """A named pipe without a writer: opening it for reading blocks."""
    path = pathlib.Path(folder.name) / "pipe"
    if not path.exists():
        os.mkfifo(path, 0o600)
    return str(path)


SCENE = json.dumps({"id": "one", "bodies": [{"id": "b", "colliders": [{"sphere": {"radius": 1}}]}]})
suite.table("settings that cannot be are refused", [
    ("a port beyond the last", refused(["--port", "65536"], "--port", "65536", "65535")),
    ("a port that is no number", refused(["--port", "http"], "--port", "http")),
    ("a negative port", refused(["--port=-1"], "--port", "-1")),
    ("no port", refused(["--port"], "--port", "needs a value")),
    ("an empty port", refused(["--port="], "--port")),
    ("a number beyond every number", refused(["--port", "9" * 30], "--port")),
    ("no worker", refused(["--workers", "0"], "--workers", "1")),
    ("an unknown option", refused(["--prot", "1"], "--prot")),
    ("a word that is no option", refused(["serve"], "serve")),
    ("an unknown durability", refused(["--durability", "tape"], "--durability", "tape", "memory disk")),
    ("no folder for what is to be kept", refused(["--durability", "disk"], "--durability", "disk", "--data", "memory")),
    ("an unknown log", refused(["--log", "file"], "--log", "stderr")),
    ("a flag with a value", refused(["--insecure=yes"], "--insecure")),
    ("a limit without a value", refused(["--limit", "queue"], "queue")),
    ("an unknown limit", refused(["--limit", "qeue=3"], "qeue")),
    ("a limit below its least", refused(["--limit", "jsonDepth=7"], "jsonDepth", "8", "512")),
    ("a limit above its greatest", refused(["--limit", "bodies=1000001"], "bodies", "1000000")),
    ("a bad variable", refused([], "CONTACTD_PORT", "70000", CONTACTD_PORT="70000")),
    ("a bad variable of a limit", refused([], "CONTACTD_JSON_DEPTH", CONTACTD_JSON_DEPTH="x")),
    ("a bad flag variable", refused([], "CONTACTD_INSECURE", CONTACTD_INSECURE="yes")),
    ("an address that is none", refused(["--port", "0", "--address", "nowhere"], "--address", "nowhere")),
    ("an address of others", refused(["--port", "0", "--address", "192.0.2.1", "--insecure"], "192.0.2.1")),
    ("an open address without a token", refused(["--port", "0", "--address", "0.0.0.0"], "--token-file", "--insecure")),
    ("an open IPv6 address without a token", refused(["--port", "0", "--address", "::"], "--token-file", "--insecure")),
    ("a token file that is not there", refused(["--port", "0", "--token-file", "/nowhere"], "--token-file", "/nowhere")),
    ("a token file that all can read", refused(["--port", "0", "--token-file", file_of("open", "a-long-token", 0o644)], "others")),
    ("a short token", refused(["--port", "0", "--token-file", file_of("short", "abc")], "8")),
    ("a token of two words", refused(["--port", "0", "--token-file", file_of("words", "two words here")], "blanks")),
    ("a folder as token file", refused(["--port", "0", "--token-file", "/"], "regular")),
    ("a pipe as token file", refused(["--port", "0", "--token-file", pipe()], "--token-file", "regular")),
    ("a pipe as a scene's file", refused(["--port", "0", "--scene", pipe()], "--scene", "regular")),
    ("a folder as a scene's file", refused(["--port", "0", "--scene", "/"], "--scene", "regular")),
    ("reads that are older than nobody's writes", refused(["--stale-reads"], "--stale-reads", "--store")),
    ("such reads by a variable", refused([], "CONTACTD_STALE_READS", "--store", CONTACTD_STALE_READS="1")),
    ("a password of no store", refused(["--store-password-file", "/nowhere"], "--store-password-file", "of --store, which")),
    ("a password of no store by a variable", refused(["--durability", "memory"], "CONTACTD_STORE_PASSWORD_FILE", "of --store, which",
                                                     CONTACTD_STORE_PASSWORD_FILE="/nowhere")),
    ("a bad token file by a variable", refused(["--port", "0"], "CONTACTD_TOKEN_FILE: /nowhere", CONTACTD_TOKEN_FILE="/nowhere")),
    ("a bad address by a variable", refused(["--port", "0"], "CONTACTD_ADDRESS", "'nowhere'", CONTACTD_ADDRESS="nowhere")),
    ("a bad scene file by a variable", refused(["--port", "0"], "CONTACTD_SCENE: /nowhere", CONTACTD_SCENE="/nowhere")),
    ("a bad token file by a file", refused(["--port", "0", "--config", file_of("token.conf", "\ntoken-file = /nowhere\n")],
                                           "token.conf:2: token-file: /nowhere")),
    ("a bad scene file by a file", refused(["--port", "0", "--config", file_of("scene.conf", "scene = /nowhere\n")],
                                           "scene.conf: scene: /nowhere")),
    ("no folder for what a file says is to be kept", refused(["--config", file_of("disk.conf", "durability = disk\n")],
                                                             "disk.conf:1: durability", "--data")),
    ("commas without a host", refused(["--port", "0"], "CONTACTD_ALLOW_HOST", "commas", CONTACTD_ALLOW_HOST=",,")),
    *((f"the host {host!r}, which no request has", refused(["--port", "0", "--allow-host", host], "--allow-host", f"'{host}'"))
      for host in ("a/b", "a, b", " a", "a b", "http://a", "*.a", "::1", "[::1", "[]", "a:", "a:x", "a:123456", "b\u00fccher.example")),
    ("a scene file that is not there", refused(["--port", "0", "--scene", "/nowhere.json"], "/nowhere.json")),
    ("a scene without an id", refused(["--port", "0", "--scene", file_of("noid.json", '{"bodies":[]}')], "id")),
    ("a scene with a bad id", refused(["--port", "0", "--scene", file_of("badid.json", '{"id":"..","bodies":[]}')], "id")),
    ("a scene that is not JSON", refused(["--port", "0", "--scene", file_of("bad.json", '{"id":"a","bodies":[}')], "400", "bad.json", "Line 1")),
    ("an empty file of a scene", refused(["--port", "0", "--scene", file_of("empty.json", "")], "400", "empty.json")),
    ("a scene that is a list", refused(["--port", "0", "--scene", file_of("list.json", "[]")], "list.json", "object")),
    ("an id that is a number", refused(["--port", "0", "--scene", file_of("number.json", '{"id":5,"bodies":[]}')], "/id: ", "string")),
    ("a body whose id is none", refused(["--port", "0", "--scene", file_of("body.json", '{"id":"a","bodies":[{"id":"..","colliders":[]}]}')],
                                        '422: /bodies/0/', '".." has a meaning in paths', 'nor "..".')),
    ("two scenes with one id", refused(["--port", "0", "--scene", file_of("one.json", SCENE), "--scene", file_of("two.json", SCENE)],
                                       "two.json", "before", "same id.")),
    ("a scene that names a posted shape", refused(["--port", "0", "--scene", file_of("shape.json", json.dumps(
        {"id": "a", "bodies": [{"id": "b", "colliders": [{"shape": "s-0123456789abcdef0123456789abcdef"}]}]}))],
        "422: /bodies/0/colliders/0/shape: ", "--scene cannot refer to posted shapes")),
    ("a scene with a misspelt member", refused(["--port", "0", "--scene", file_of("miss.json", '{"id":"a","bodeis":[]}')], "422")),
])


@suite.fact
def an_unused_data_folder_is_logged():
    for options, told in (((), True), (("--durability", "memory"), False)):
        with Daemon("--data", folder.name, *options, durability=None) as d:
            equal(ask(d.port, "GET", "/readyz").status, 200, "status")
        equal('"event":"dataNotUsed"' in d.log_text(), told, f"told with {options}")
    equal(os.path.exists(os.path.join(folder.name, "contactd.lock")), False, "a lock in the folder")


@suite.fact
def allow_host_accepts_names_with_ports_and_addresses():
    hosts = ("a.example", "a-b_c.example.", "a.example:8080", "192.0.2.1", "[2001:db8::1]", "[2001:db8::1]:80")
    with Daemon("--log", "off", *(word for host in hosts for word in ("--allow-host", host))) as d:
        for host in hosts:
            equal(ask(d.port, "GET", "/livez", host=host).status, 200, f"status for {host}")
        equal(ask(d.port, "GET", "/livez", host="b.example").status, 421, "status for another")


@suite.fact
def help_lists_every_option_with_its_variable_and_the_limits():
    result = run("--help")
    equal((result.returncode, result.stderr), (0, ""), "exit status and standard error")
    for option in ("port", "address", "workers", "durability", "token-file", "allow-host", "insecure", "scene", "log"):
        check(f"--{option}" in result.stdout, f"--{option} is missing")
        check("CONTACTD_" + option.upper().replace("-", "_") in result.stdout, f"the variable of --{option} is missing")
    check("--healthcheck" in result.stdout, "--healthcheck is missing")
    check("CONTACTD_HEALTHCHECK" not in result.stdout, "a variable would turn every start into a check")
    with Daemon("--log", "off") as d:
        limits = json.loads(ask(d.port, "GET", "/v1/limits").body)
    shown = set(re.findall(r"--limit (\w+)=N", result.stdout))
    check(len(shown) >= 20, f"only {len(shown)} limits are listed")
    text = json.dumps(limits)
    for name in shown:
        check(f'"{name}"' in text, f"/v1/limits has no {name}")


@suite.fact
def the_version_is_the_one_that_is_served():
    result = run("--version")
    equal(result.returncode, 0, "exit status")
    with Daemon("--log", "off") as d:
        check(result.stdout.split()[-1] in ask(d.port, "GET", "/v1/version").text, f"--version says {result.stdout!r}")


def limit_of(d, name):
    document = json.loads(ask(d.port, "GET", "/v1/limits").body)
    stack = [document]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            if name in value:
                found = value[name]
                return found.get("value", found) if isinstance(found, dict) else found
            if value.get("name") == name:
                return value["value"]
            stack += value.values()
        elif isinstance(value, list):
            stack += value
    raise Failure(f"/v1/limits has no {name}")


@suite.fact
def an_option_wins_over_its_variable():
    class Inheriting(Daemon):
        def start(self):
            self.env.update(CONTACTD_JSON_DEPTH="16", CONTACTD_QUEUE="17", CONTACTD_ALLOW_HOST="one.example,two.example",
                            CONTACTD_LOG="off")
            return super().start()

    with Inheriting("--limit", "queue=18") as d:
        equal(limit_of(d, "jsonDepth"), 16, "jsonDepth")
        equal(limit_of(d, "queue"), 18, "queue")
        for host, status in (("one.example", 200), ("two.example", 200), ("three.example", 421)):
            equal(ask(d.port, "GET", "/livez", host=host).status, status, host)
    with Inheriting("--allow-host", "three.example") as d:
        for host, status in (("one.example", 421), ("three.example", 200)):
            equal(ask(d.port, "GET", "/livez", host=host).status, status, host)


@suite.fact
def a_port_in_use_is_refused():
    with Daemon("--log", "off") as d:
        refused(["--port", str(d.port)], str(d.port), "in use")()


@suite.fact
def ipv6_is_served():
    try:
        probe = socket.socket(socket.AF_INET6)
        probe.bind(("::1", 0))
        probe.close()
    except OSError:
        return  # no IPv6 on this machine: the daemon cannot bind the address
    process = subprocess.Popen([str(binary()), "--port", "0", "--address", "::1", "--log", "off"], stdout=subprocess.PIPE, text=True,
                               env=clean_environment())
    try:
        line = process.stdout.readline()
        match = re.match(r"contactd listening on http://\[::1\]:(\d+)$", line.strip())
        check(match, f"the first line is {line!r}")
        with Raw(int(match.group(1)), "::1") as connection:
            connection.send(request("GET", "/livez", host="[::1]"))
            equal(connection.reply().status, 200, "status")
    finally:
        process.send_signal(signal.SIGTERM)
        equal(process.wait(HANG_SECONDS), 0, "exit status")
        process.stdout.close()


@suite.fact
def scenes_given_at_start_are_there():
    two = json.dumps({"user": {"id": "no", "a": ["\"id\":\"no\"", "}"]}, "bodies": [], "id": "two"})
    with Daemon("--log", "off", "--scene", file_of("one.json", SCENE), "--scene", file_of("two.json", two)) as d:
        listed = json.loads(ask(d.port, "GET", "/v1/scenes").body)["scenes"]
        equal([(s["id"], s["bodies"]) for s in listed], [("one", 1), ("two", 0)], "scenes")


def log_lines(d):
    return [json.loads(line) for line in d.log_text().splitlines() if line.startswith("{")]


@suite.fact
def every_request_has_one_line_in_the_log():
    d = begun()
    reply = ask(d.port, "PUT", "/v1/scenes/logged", SCENE.replace('"one"', '"logged"'), JSON_TYPE)
    query = ask(d.port, "POST", "/v1/scenes/logged/query/overlap", "{}", JSON_TYPE)
    ask(d.port, "GET", "/v1/no%0d%0a%22path\"<>{}")
    ask(d.port, "GET", "/livez", host="evil.example")
    d.stop()
    entries = [entry for entry in log_lines(d) if "method" in entry]
    equal(len(entries), 4, "lines")
    first, second, third, fourth = entries
    equal(first["id"], reply.headers["x-request-id"], "id")
    equal([first[k] for k in ("method", "route", "path", "status", "scene", "client")],
          ["PUT", "/v1/scenes/{s}", "/v1/scenes/logged", 201, "logged", "127.0.0.1"], "line")
    equal(first["revision"], json.loads(reply.body)["revision"], "revision")
    equal(first["bytesOut"], len(reply.body), "bytesOut")
    equal(first["bytesIn"], len(SCENE.replace('"one"', '"logged"')), "bytesIn")
    check(first["queueMs"] >= 0 and first["runMs"] >= 0, "times are negative")
    check(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", first["time"]), "time")
    equal((second["route"], second["revision"]), ("/v1/scenes/{s}/query/overlap", json.loads(query.body)["revision"]), "second line")
    equal((third["path"], third["status"]), ("/v1/no%0d%0a%22path\"<>{}", 404), "third line")
    equal(fourth["status"], 421, "status of the fourth line")
    equal([entry.get("problem") for entry in entries], [None, None, "not-found", "host-not-allowed"], "problems")


@suite.fact
def a_line_of_a_failed_request_names_its_problem_and_its_time():
    """Also if the fault is found after the request was read, and if a worker runs the request until its deadline."""
    d = begun("--workers", "1")
    equal(ask(d.port, "PUT", "/v1/scenes/slow", bars(5000), JSON_TYPE).status, 201, "status")
    equal(ask(d.port, "PUT", "/v1/scenes/bad", '{"bodis": []}', JSON_TYPE).status, 422, "status")
    with Raw(d.port) as connection:
        connection.send(slow_query(50))
        equal(connection.reply().status, 504, "status")
    d.stop()
    entries = [entry for entry in log_lines(d) if "method" in entry]
    equal([entry.get("problem") for entry in entries], [None, "unknown-member", "deadline-exceeded"], "problems")
    check(entries[2]["queueMs"] + entries[2]["runMs"] >= 50 > entries[2]["queueMs"], f"times of the last line: {entries[2]}")


@suite.fact
def a_log_of_errors_has_events_and_failures_of_the_daemon_only():
    d = begun("--workers", "1", "--log", "errors")
    equal(ask(d.port, "PUT", "/v1/scenes/slow", bars(5000), JSON_TYPE).status, 201, "status")
    equal(ask(d.port, "GET", "/readyz").status, 200, "status")
    equal(ask(d.port, "GET", "/v1/nothing").status, 404, "status")
    with Raw(d.port) as connection:
        connection.send(slow_query(50))
        equal(connection.reply().status, 504, "status")
    d.stop()
    entries = log_lines(d)
    equal([entry["status"] for entry in entries if "method" in entry], [504], "statuses in the log")
    check("draining" in [entry.get("event") for entry in entries], "the log has no event")


@suite.fact
def a_log_that_is_not_read_does_not_block_requests():
    reader, writer = os.pipe()
    process = subprocess.Popen([str(binary()), "--port", "0"], stdout=subprocess.PIPE, stderr=writer, text=True, env=clean_environment())
    os.close(writer)
    try:
        port = int(process.stdout.readline().rsplit(":", 1)[1])
        with Raw(port) as connection:
            for unused in range(60):
                connection.send(request("GET", "/v1/" + "x" * 200) * 100)
                for unused_too in range(100):
                    equal(connection.reply().status, 404, "status")
        text = []
        os.set_blocking(reader, False)

        def says_that_lines_were_dropped():
            try:
                text.append(os.read(reader, 65536))
            except BlockingIOError:
                ask(port, "GET", "/livez")
            return b"linesDropped" in b"".join(text)

        wait_until(says_that_lines_were_dropped, "the log does not say that lines were dropped", pause=0.02)
    finally:
        process.send_signal(signal.SIGTERM)
        equal(process.wait(HANG_SECONDS), 0, "exit status")
        process.stdout.close()
        os.close(reader)


# ---- shutdown ----------------------------------------------------------------------------------------------------------------

def bars(count):
    turned = [0, 0, 0.3826834323650898, 0.9238795325112867]
    return json.dumps({"bodies": [{"id": f"bar-{i}", "position": [0.005 * i, -0.005 * i, 0], "rotation": turned,
                                   "colliders": [{"ellipsoid": {"radii": [50, 0.0005, 0.0005]}}]} for i in range(count)]})


def slow_query(deadline_ms=60000):
    body = json.dumps({"clearance": 0.001, "deadlineMs": deadline_ms})
    return request("POST", "/v1/scenes/slow/query/distance", body, JSON_TYPE)


@suite.fact
def requests_that_run_are_finished_after_sigterm():
    d = begun("--workers", "2", "--limit", "drainSeconds=3600")
    equal(ask(d.port, "PUT", "/v1/scenes/slow", bars(1200), JSON_TYPE).status, 201, "status")
    running, kept, idle = [Raw(d.port, seconds=HANG_SECONDS) for unused in range(10)], Raw(d.port), Raw(d.port)
    for connection in running:
        connection.send(slow_query())
    kept.send(request("GET", "/readyz"))
    equal(kept.reply().status, 200, "/readyz before")
    time.sleep(0.05)
    d.process.send_signal(signal.SIGTERM)
    time.sleep(0.05)
    kept.send(request("GET", "/readyz"))
    reply = kept.reply()
    equal(reply.status, 503, "/readyz after")
    equal(reply.headers["connection"], "close", "Connection")
    kept.ends()
    idle.send(request("GET", "/v1/version"))
    equal(json.loads(idle.reply().body)["type"], "/problems/draining", "a new request")
    try:
        Raw(d.port).close()
        raise Failure("a new connection was accepted")
    except ConnectionRefusedError:
        pass
    for connection in running:
        reply = connection.reply()
        equal((reply.status, reply.headers["connection"]), (200, "close"), "a running request")
        connection.close()
    equal(d.process.wait(HANG_SECONDS), 0, "exit status")
    d.process.stdout.close()


@suite.fact
def requests_that_run_too_long_are_answered_503_at_the_limit():
    d = begun("--workers", "1", "--limit", "drainSeconds=1", "--limit", "bodySeconds=600")
    equal(ask(d.port, "PUT", "/v1/scenes/slow", bars(4000), JSON_TYPE).status, 201, "status")
    running = [Raw(d.port) for unused in range(3)]
    for connection in running:
        connection.send(slow_query())
    upload = Raw(d.port)
    upload.send(b"POST /v1/query/distance HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90\r\n\r\n{")
    d.works(0.05)
    watch = Stopwatch()
    d.process.send_signal(signal.SIGTERM)
    for connection in running:
        reply = connection.reply()
        equal(json.loads(reply.body)["type"], "/problems/draining", "type")
    check(watch.read().lasted(1), f"running requests were given {watch.read()}")
    upload.ends()
    equal(d.process.wait(HANG_SECONDS), 0, "exit status")
    d.process.stdout.close()


@suite.fact
def requests_are_accepted_for_a_while_after_readyz_is_503():
    leave = 5 * SLOWER  # long enough for all that follows
    d = begun("--workers", "1", "--limit", f"leaveSeconds={leave}")
    equal(ask(d.port, "PUT", "/v1/scenes/s", bars(1), JSON_TYPE).status, 201, "status before")
    kept = Raw(d.port)
    with Stream(d, "s") as stream:
        stream.next("revision")
        watch = Stopwatch()
        d.process.send_signal(signal.SIGTERM)
        wait_until(lambda: ask(d.port, "GET", "/readyz").status == 503, "/readyz does not say that the end comes")
        for connection in (kept, Raw(d.port)):
            connection.send(request("PUT", "/v1/scenes/s", bars(1), JSON_TYPE))
            reply = connection.reply()
            equal((reply.status, reply.headers["connection"]), (200, "close"), "a new request")
            connection.ends()
            stream.next("revision")
        equal(ask(d.port, "GET", "/livez").status, 200, "/livez")
        stream.next("shutdown")
        check(watch.read().lasted(leave), f"requests were taken for {watch.read()}")
    equal(d.process.wait(HANG_SECONDS), 0, "exit status")
    d.process.stdout.close()


@suite.fact
def readyz_is_answered_while_requests_run_during_the_shutdown():
    """A balancer whose connection for /readyz is refused considers the daemon dead, and its running requests failed."""
    d = begun("--workers", "1", "--limit", "leaveSeconds=1", "--limit", "drainSeconds=3600")
    equal(ask(d.port, "PUT", "/v1/scenes/slow", bars(1200), JSON_TYPE).status, 201, "status before")
    alone = Raw(d.port)
    watch = Stopwatch()
    alone.send(slow_query())
    equal(alone.reply().status, 200, "a request alone")
    # One after the other, they take longer than leaveSeconds on any machine.
    running = [Raw(d.port) for unused in range(1 + watch.read().times_in(2.5))]
    for connection in running:
        connection.send(slow_query())
    d.works(0.05)
    d.process.send_signal(signal.SIGTERM)
    refused, sockets = 0, [connection.socket for connection in running]
    while len(select.select(sockets, [], [], 0.05)[0]) < len(sockets):
        try:
            equal(ask(d.port, "GET", "/readyz").status, 503, "/readyz")
            refused += ask(d.port, "GET", "/v1/version").status == 503
        except ConnectionRefusedError:
            equal(len(select.select(sockets, [], [], 0)[0]), len(sockets), "/readyz is refused, and so many requests have their answer")
    check(refused, "the running requests have not outlasted the leave")
    equal([connection.reply().status for connection in running], [200] * len(running), "the running requests")
    equal(d.process.wait(HANG_SECONDS), 0, "exit status")
    d.process.stdout.close()


@suite.fact
def an_idle_daemon_does_not_wait_for_idle_connections():
    for number in (signal.SIGTERM, signal.SIGINT):
        d = begun("--log", "off", "--limit", "drainSeconds=3600", "--limit", "headerSeconds=3600")
        idle = [Raw(d.port) for unused in range(20)]
        d.process.send_signal(number)
        equal(d.process.wait(HANG_SECONDS), 0, "exit status")
        d.process.stdout.close()
        for connection in idle:
            connection.close()


@suite.fact
def a_second_signal_ends_at_once_with_status_1():
    d = begun("--workers", "1", "--limit", "drainSeconds=3600")
    equal(ask(d.port, "PUT", "/v1/scenes/slow", bars(4000), JSON_TYPE).status, 201, "status")
    with Raw(d.port) as connection:
        for unused in range(20):  # more work than could be finished during the test
            connection.send(slow_query())
        d.works(0.05)
        d.process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        check(d.process.poll() is None, "the first signal did not wait")
        d.process.send_signal(signal.SIGTERM)
        equal(d.process.wait(HANG_SECONDS), 1, "exit status")
    d.process.stdout.close()


@suite.fact
def no_request_is_lost_when_the_end_comes_under_load():
    for unused in range(3):
        d = begun("--log", "off")
        connections = [Raw(d.port) for unused_too in range(30)]
        for connection in connections:
            connection.send(request("GET", "/v1/version"))
        d.process.send_signal(signal.SIGTERM)
        statuses = [connection.reply().status for connection in connections]
        check(set(statuses) <= {200, 503}, f"statuses are {statuses}")
        equal(d.process.wait(HANG_SECONDS), 0, "exit status")
        d.process.stdout.close()
        for connection in connections:
            connection.close()


@suite.fact
def few_open_files_mean_fewer_connections():
    def narrow():
        import resource
        resource.setrlimit(resource.RLIMIT_NOFILE, (96, 96))
    process = subprocess.Popen([str(binary()), "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=clean_environment(), preexec_fn=narrow)
    try:
        port = int(process.stdout.readline().rsplit(":", 1)[1])
        crowd = [Raw(port) for unused in range(60)]
        crowd[0].send(request("GET", "/v1/limits"))
        text = crowd[0].reply().text
        for connection in crowd:
            connection.close()
        equal(ask(port, "GET", "/livez").status, 200, "status after the crowd")
    finally:
        process.send_signal(signal.SIGTERM)
        equal(process.wait(HANG_SECONDS), 0, "exit status")
    check("limited to 32" in process.stderr.read(), "the log does not say that connections are fewer")
    check("32" in text, "/v1/limits does not show the fewer connections")
    process.stdout.close()
    process.stderr.close()


def checked(port, *options, **environment):
    result = run("--healthcheck", "--port", str(port), *options, **environment)
    equal(result.stdout, "", "standard output")
    equal(result.stderr.count("\n"), 0 if result.returncode == 0 else 1, "lines on standard error")
    return result.returncode


@suite.fact
def the_health_check_fails_unless_the_daemon_is_ready():
    d = begun("--log", "off", "--token-file", file_of("health", "a-token-of-some-length"))
    for address in ("127.0.0.1", "localhost", "0.0.0.0"):
        equal(checked(d.port, "--address", address), 0, f"status at {address}")
    result = run("--healthcheck", CONTACTD_PORT=str(d.port))
    equal(result.returncode, 0, "status by the environment")
    d.stop()
    d.process = None
    equal(checked(d.port), 1, "status when it has ended")
    equal(checked(0), 1, "status of no port")


@suite.fact
def the_health_check_waits_two_seconds_and_requires_200():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        status, took = timed(lambda: checked(silent.getsockname()[1]))
        equal(status, 1, "status of a server that says nothing")
        check(took.lasted(2), f"it waited {took}")
    for answer, status in ((b"HTTP/1.1 200 OK\r\n\r\n", 0), (b"HTTP/1.1 503 No\r\n\r\n", 1), (b"HTTP/1.1 2", 1), (b"", 1)):
        with socket.create_server(("127.0.0.1", 0)) as server:
            process = subprocess.Popen([str(binary()), "--healthcheck", "--port", str(server.getsockname()[1])],
                                       stderr=subprocess.DEVNULL, env=clean_environment())
            server.settimeout(HANG_SECONDS)
            connection, unused = server.accept()
            with connection:
                asked = connection.recv(1000)
                connection.sendall(answer)
            equal(process.wait(HANG_SECONDS), status, f"status after {answer!r}")
            check(asked.startswith(b"GET /readyz HTTP/1.1\r\n"), f"it asked {asked!r}")


@suite.fact
def a_request_may_use_a_quarter_of_the_control_groups_memory():
    most = 1099511627776
    with Daemon("--log", "off", "--limit", f"requestMemoryBytes={most}") as d:
        equal(limit_of(d, "requestMemoryBytes"), min(most, least_memory_limit() // 4), "requestMemoryBytes")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port, process):
    """Waits until the daemon answers; with standard output closed nothing reports its start."""
    watch = Stopwatch()
    while not watch.hangs() and process.poll() is None:
        try:
            return equal(ask(port, "GET", "/livez").status, 200, "status of /livez")
        except OSError:
            time.sleep(0.02)
    raise Failure(f"no answer; the exit status is {process.poll()}")


def closed(redirections, numbers, *options):
    """The daemon's own files do not get the numbers of the closed standard descriptors, and it ends normally."""
    def fact():
        port = free_port()
        command = ["sh", "-c", f'exec "$@" {redirections}', "sh", str(binary()), "--port", str(port), "--log", "off", *options]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=clean_environment()) as process:
            try:
                answers(port, process)
                equal(ask(port, "PUT", "/v1/scenes/one", SCENE, JSON_TYPE).status, 201, "status of a write")
                for number in numbers:
                    equal(os.readlink(f"/proc/{process.pid}/fd/{number}"), "/dev/null", f"descriptor {number}")
                process.terminate()
                equal(process.wait(HANG_SECONDS), 0, "exit status")
            finally:
                process.kill()
    return fact


suite.table("standard descriptors that are closed", [
    ("input", closed("<&-", (0,))),
    ("output", closed(">&-", (1,))),
    ("error", closed("2>&-", (2,))),
    ("all", closed("<&- >&- 2>&-", (0, 1, 2))),
    ("all, and a store", closed("<&- >&- 2>&-", (0, 1, 2), "--durability", "disk", "--data", tempfile.mkdtemp(dir=folder.name)))])


suite.main()
