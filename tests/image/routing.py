#!/usr/bin/python3
"""docker/haproxy.cfg as it is, before three nodes that reply with their names and fail on command: which node gets which request, which
requests are sent again, and the reply when no node can answer. In a network of its own, which only root can make."""
import collections
import contextlib
import http.client
import http.server
import json
import os
import pathlib
import resource
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from urllib.parse import quote

from container import once
from support.checks import Failure, Skip, Suite, check, equal

ROOT = pathlib.Path(__file__).resolve().parents[2]
ADDRESSES = {"node1": "10.77.0.1", "node2": "10.77.0.2", "node3": "10.77.0.3"}
PORT = 7077
# HAProxy checks every half second; two checks in a row change the state of a node.
NOTICED_SECONDS = 60
# HAProxy's maxconn, and its time limit for a request (timeout http-request).
ALL_CONNECTIONS, SILENCE_SECONDS = 8192, 10
INSIDE = "CONTACTD_ROUTING_INSIDE"
SCENES = [f"s{i}" for i in range(300)]
suite = Suite()


class Node(http.server.ThreadingHTTPServer):
    """Answers with its name. hang_up: so many requests are read and their connections closed; reset: the same, but their bodies are not
    read, as by a node that is killed; refuse: so many are answered 503, and all while it is not ready."""
    daemon_threads = True
    hang_up = reset = refuse = 0
    ready = True
    forwarded = None

    def __init__(self, name):
        self.name, self.seen, self.lock = name, [], threading.Lock()
        super().__init__((ADDRESSES[name], PORT), Answer)

    def server_bind(self):
        # HAProxy listens at the same port of all addresses.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        super().server_bind()

    def handle_error(self, *unused):
        """HAProxy closes when it has read the status of a check."""

    def fate(self, request):
        with self.lock:
            self.seen.append(request)
            if self.hang_up or self.reset:
                self.hang_up, self.reset = max(self.hang_up - 1, 0), max(self.reset - 1, 0)
                return None
            if self.refuse:
                self.refuse -= 1
                return 503
            return 200 if self.ready else 503


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *unused):
        pass

    def answer(self):
        if self.server.reset and self.path not in ("/readyz", "/livez"):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.forwarded = self.headers.get_all("X-Forwarded-For")
        if self.path in ("/readyz", "/livez"):
            status = 200 if self.server.ready or self.path == "/livez" else 503
        else:
            status = self.server.fate((self.command, self.path))
        if status is None:
            self.close_connection = True
            return
        body = self.server.name.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = answer


class Reply:
    def __init__(self, answer):
        self.status, self.headers, self.text = answer.status, answer.headers, answer.read().decode()


def send(method, path, body=b"{}"):
    data = None if method in ("GET", "HEAD", "DELETE") else body
    try:
        with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{PORT}{path}", data, method=method), timeout=30) as answer:
            return Reply(answer)
    except urllib.error.HTTPError as answer:
        return Reply(answer)


def node_of(scene):
    return send("GET", f"/v1/scenes/{scene}").text


@once
def nodes():
    """The nodes by name, with HAProxy before them, all ready."""
    if os.environ.get(INSIDE) is None:
        raise Skip("only root can make a network of its own")
    made = {name: serve(name) for name in ADDRESSES}
    log = tempfile.TemporaryFile()
    proxy = subprocess.Popen(["haproxy", "-f", str(ROOT / "docker/haproxy.cfg")], stdout=log, stderr=log)

    def end():
        proxy.terminate()
        proxy.wait()

    suite.cleanup(end)
    wait_until(lambda: {node_of(scene) for scene in SCENES[:20]} == set(ADDRESSES), "all nodes have requests")
    return made


def address(what, name):
    """HAProxy listens at all addresses; where a node has gone, its address has, too."""
    subprocess.run(["ip", "address", what, f"{ADDRESSES[name]}/32", "dev", "lo"], check=True)


def serve(name):
    address("add", name)
    node = Node(name)
    threading.Thread(target=node.serve_forever, daemon=True).start()
    return node


def wait_until(true, what):
    end = time.monotonic() + NOTICED_SECONDS
    while True:
        try:
            if true():
                return
        except OSError:  # HAProxy does not listen yet
            pass
        if time.monotonic() > end:
            raise Failure(f"in {NOTICED_SECONDS} s it did not come true that {what}")
        time.sleep(0.1)


def send_and_count(method, path, body=b"{}", **fate):
    """The reply, and how often a node had the request, when each node has this fate in store."""
    for node in nodes().values():
        node.seen.clear()
        node.__dict__.update(fate)
    reply = send(method, path, body)
    for node in nodes().values():
        node.hang_up = node.reset = node.refuse = 0
    return reply, sum(len(node.seen) for node in nodes().values())


# ---- facts ---------------------------------------------------------------------------------------------------------------------

@suite.fact
def all_requests_of_a_scene_go_to_one_node():
    nodes()
    homes = {scene: node_of(scene) for scene in SCENES}
    for scene, home in homes.items():
        for method, rest in (("POST", "/query/contacts"), ("PATCH", "/poses"), ("PUT", "/bodies/b"), ("DELETE", "/bodies/b"), ("GET", "?limit=1")):
            equal(send(method, f"/v1/scenes/{scene}{rest}").text, home, f"node of {method} {scene}{rest}")
    for name, count in collections.Counter(homes.values()).items():
        check(count > len(SCENES) / 6, f"{name} has {count} of {len(SCENES)} scenes")


@suite.fact
def what_names_no_scene_goes_to_whoever_is_least_busy():
    nodes()
    for method, path in (("POST", "/v1/query/distance"), ("POST", "/v1/solve/lcp"), ("POST", "/v1/shapes"), ("POST", "/v1/scenes")):
        counts = collections.Counter(send(method, path).text for unused in range(30))
        equal(dict(counts), {name: 10 for name in ADDRESSES}, f"nodes of {method} {path}")


def repeated(method, path):
    for fate in ({"hang_up": 1}, {"reset": 1}, {"refuse": 1}):
        reply, times = send_and_count(method, path, **fate)
        check(reply.status == 200 and times > 1, f"{method} {path} is answered {reply.status} after {times} tries with {fate}")


def sent_once(method, path):
    for fate in ({"hang_up": 1}, {"reset": 1}):
        reply, times = send_and_count(method, path, **fate)
        equal((reply.status, times), (503, 1), f"status and tries of {method} {path} with {fate}")
        equal((reply.headers["Retry-After"], reply.headers["Content-Type"]), ("1", "application/problem+json"), "headers")
        equal(json.loads(reply.text)["status"], 503, "status in the problem")
    reply, times = send_and_count(method, path, refuse=1)
    equal((reply.status, times), (503, 1), f"status and tries of {method} {path} when its node refuses")


suite.table("changes nothing and is sent again", (
    (f"{method} {path}", lambda method=method, path=path: repeated(method, path)) for method, path in (
        ("GET", "/v1/scenes/s0"), ("HEAD", "/v1/scenes/s0"), ("GET", "/v1/scenes"), ("POST", "/v1/scenes/s0/query"),
        ("POST", "/v1/scenes/s0/query/contacts"), ("POST", "/v1/query/distance"), ("POST", "/v1/query"), ("POST", "/v1/solve/lcp"))))
suite.table("may change something and is sent once", (
    (f"{method} {path}", lambda method=method, path=path: sent_once(method, path)) for method, path in (
        ("POST", "/v1/scenes"), ("PUT", "/v1/scenes/s0"), ("PATCH", "/v1/scenes/s0/poses"), ("DELETE", "/v1/scenes/s0"),
        ("POST", "/v1/scenes/s0/advance"), ("POST", "/v1/scenes/query"), ("POST", "/v1/scenes/s0/contactStates/query"),
        ("POST", "/v1/shapes"), ("PUT", "/v1/scenes/query/bodies/query"))))


@suite.fact
def a_request_whose_node_goes_is_answered_also_where_others_have_gone_before_it_on_its_connection():
    """Where the connection is closed without a word, many clients send again by themselves."""
    nodes()
    for method, body, fate in (("PATCH", b"{}", "hang_up"), ("PATCH", b"{}", "reset"), ("PATCH", b" " * 100000, "hang_up"),
                               ("DELETE", None, "hang_up"), ("DELETE", None, "reset")):
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=30)
        for count, status in ((0, 200), (0, 200), (1, 503)):
            for node in nodes().values():
                node.seen.clear()
                node.__dict__[fate] = count
            connection.request(method, "/v1/scenes/s0", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            equal((answer.status, answer.headers["Retry-After"]), (status, "1" if count else None), f"reply to {method} with {fate}")
            equal(sum(len(node.seen) for node in nodes().values()), 1, f"tries of {method} with {fate}")
        connection.close()
        for node in nodes().values():
            node.__dict__[fate] = 0


@suite.fact
def a_scene_has_one_node_however_its_id_is_spelled_in_the_path():
    """Robots name their parts /wam1, base#1, left finger; each byte may be percent-encoded, in either case."""
    nodes()
    homes = set()
    for name in ("/wam1", "base#1", "left finger", "\u4e2d\u6587", "a.b~c", "%2F", "a/b/query/c", *(f"/link {i}" for i in range(20))):
        raw = name.encode()
        spellings = (quote(name, safe=""), "".join(f"%{b:02x}" for b in raw), "".join(f"%{b:02X}" for b in raw),
                     quote(name, safe="").replace("%2F", "%2f"))
        paths = [spelling + rest for spelling in spellings for rest in ("", "/poses", "/bodies/base%231", "/query/overlap")]
        answers = {node_of(path) for path in paths}
        equal(len(answers), 1, f"nodes of {name!r}")
        homes |= answers
    equal(homes, set(ADDRESSES), "nodes of all")


@suite.fact
def a_request_that_the_node_of_a_scene_refuses_is_sent_to_one_other():
    """So a scene has as many streams of events as two nodes have."""
    for scene in SCENES[:10]:
        home = node_of(scene)
        reply, times = send_and_count("GET", f"/v1/scenes/{scene}/events", refuse=4)
        equal((reply.status, times), (503, 4), "status and tries")
        seen = {name for name, node in nodes().items() if node.seen}
        check(home in seen and len(seen) == 2, f"the nodes that have the request for {scene} of {home} are {seen}")


@suite.fact
def nodes_have_the_address_of_the_client_once():
    send("GET", "/v1/scenes/s0")
    equal([n.forwarded for n in nodes().values() if n.name == node_of("s0")], [["127.0.0.1"]], "X-Forwarded-For")


@suite.fact
def when_a_node_goes_its_scenes_alone_move_and_no_request_fails():
    """Writes, too: a connection that does not come about has carried nothing."""
    before = {scene: node_of(scene) for scene in SCENES}
    nodes()["node2"].shutdown()
    nodes()["node2"].server_close()
    address("delete", "node2")
    for scene in SCENES:
        reply = send("PATCH", f"/v1/scenes/{scene}/poses")
        equal(reply.status, 200, f"status of a write to {scene}")
        check(reply.text == before[scene] or before[scene] == "node2", f"{scene} has moved from {before[scene]} to {reply.text}")
    moved = {node_of(scene) for scene in SCENES if before[scene] == "node2"}
    equal(moved, {"node1", "node3"}, "nodes that have the scenes of the one that has gone")
    nodes()["node2"] = serve("node2")
    wait_until(lambda: all(node_of(scene) == home for scene, home in before.items()), "every scene is where it was")


@suite.fact
def a_node_that_is_not_ready_has_no_requests():
    nodes()["node3"].ready = False
    wait_until(lambda: "node3" not in {node_of(scene) for scene in SCENES[:40]}, "node3 is left out")
    nodes()["node3"].ready = True
    wait_until(lambda: "node3" in {node_of(scene) for scene in SCENES[:40]}, "node3 has requests again")


@suite.fact
def while_no_node_is_ready_a_scene_is_read_at_its_own_node():
    """Only that node has the scene in memory. Writes have one sender, which reports the reason."""
    before = {scene: node_of(scene) for scene in SCENES}
    for node in nodes().values():
        node.ready = False
    # While one of them is still in use, it gets all requests, and a read that it refuses is sent again.
    wait_until(lambda: send_and_count("GET", "/v1/scenes/s0")[1] == 1, "HAProxy sees that no node is ready")
    for scene, home in before.items():
        for method, rest in (("GET", ""), ("HEAD", "/poses"), ("POST", "/query/contacts")):
            reply, times = send_and_count(method, f"/v1/scenes/{scene}{rest}")
            equal((reply.headers["X-Served-By"], times), (home, 1), f"node and tries of {method} {scene}{rest}")
    for node in nodes().values():
        node.ready = True
    wait_until(lambda: all(send("PUT", f"/v1/scenes/{scene}").text == home for scene, home in before.items()), "every scene is where it was")


@suite.fact
def clients_that_take_all_connections_leave_those_that_were_there_before_theirs():
    """Each request needs a second connection, and none of them gets the last."""
    nodes()
    resource.setrlimit(resource.RLIMIT_NOFILE, (2 * ALL_CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=SILENCE_SECONDS / 2)
    with contextlib.closing(connection), contextlib.ExitStack() as silent:
        for most in (0, ALL_CONNECTIONS):
            # Those that HAProxy does not take wait for it, until no more may.
            with contextlib.suppress(TimeoutError):
                for unused in range(most):
                    silent.enter_context(socket.create_connection(("127.0.0.1", PORT), timeout=0.5))
            connection.request("GET", "/v1/scenes/s0")
            equal(connection.getresponse().read().decode() in ADDRESSES, True, f"a reply beside {most} others")


@suite.fact
def when_no_node_is_ready_one_says_so_whatever_it_is_sent():
    """The reply of HAProxy would be lost with the connection where it comes before all has been sent."""
    for node in nodes().values():
        node.ready = False
    wait_until(lambda: send_and_count("GET", "/v1/scenes/s0")[1] == 1, "no other node has the request in vain")
    for path in ("/v1/scenes/s0", "/v1/shapes"):
        for size in (2, 20000, 1000000):
            for unused in range(10):
                reply, times = send_and_count("PUT", path, b" " * size)
                equal((reply.status, reply.text in ADDRESSES, times), (503, True, 1), f"status, sender and tries of a write of {size} bytes")
    nodes()["node1"].ready = True
    wait_until(lambda: {send("PUT", f"/v1/scenes/{scene}").text for scene in SCENES} == {"node1"}, "only the one that is ready has requests")


@suite.fact
def when_no_node_is_there_it_says_when_to_come_back():
    for name, node in nodes().items():
        node.shutdown()
        node.server_close()
        address("delete", name)
    for seconds in (0, 2):  # before HAProxy has noticed, and after
        time.sleep(seconds)
        reply = send("PUT", "/v1/scenes/s0")
        equal((reply.status, reply.headers["Retry-After"], reply.headers["Content-Type"]), (503, "1", "application/problem+json"), "the reply")
        equal(json.loads(reply.text)["status"], 503, "status in the problem")


def enter():
    """This program again, in a network of its own where the nodes' names are known; it ends with this one."""
    if os.geteuid() != 0 or not all(shutil.which(tool) for tool in ("unshare", "setpriv", "ip")) or os.environ.get(INSIDE):
        return
    with tempfile.NamedTemporaryFile("w", suffix=".hosts") as hosts:
        hosts.write("127.0.0.1 localhost\n" + "".join(f"{address} {name}\n" for name, address in ADDRESSES.items()))
        hosts.flush()
        script = f'ip link set lo up && mount --bind {hosts.name} /etc/hosts && exec setpriv --pdeathsig KILL "$@"'
        run = subprocess.run(["unshare", "--net", "--mount", "sh", "-c", script, "sh", sys.executable, *sys.argv],
                             env=dict(os.environ, **{INSIDE: "1"}), check=False)
    sys.exit(run.returncode)


enter()
suite.main()
