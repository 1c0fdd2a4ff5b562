"""Three daemons behind HAProxy with the file of docker/ and one Redis, under load, while daemons and Redis are
killed, stopped and restarted: no acknowledged write is lost, no client reads an older revision than was acknowledged
to any, every event stream has each write once and in order, failures are 503 with Retry-After, and service recovers
by itself.
CONTACTD_KILLS sets the rounds of faults: each fault once by default, 300 with CONTACTD_FULL=1. FLEET_SEED chooses
their order."""
import collections
import http.client
import json
import os
import random
import socket
import time
import urllib.request

from support import metrics
from support.checks import Failure, Suite, check, equal
from support.client import KeepAlive
from support.fleet import Fleet, wait_until
from support.load import Load
from support.pace import SLOWER

suite = Suite()
FULL = bool(os.environ.get("CONTACTD_FULL"))
SEED = int(os.environ.get("FLEET_SEED") or 1)
# Time within which all clients are answered after any fault: a daemon tries Redis again after 5 s at most, and HAProxy
# checks twice a second. The limit proves recovery, not speed: the time taken is printed.
RECOVERY_SECONDS = 30 * SLOWER
# As in docker/: longer than HAProxy needs to notice that a daemon is leaving.
LEAVE_SECONDS = 3
CYCLES = 10 if FULL else 1


# ---- faults ----------------------------------------------------------------------------------------------------------------------


class Faults:
    """Each fault breaks something and repairs it as an operator would; `kinds` has the weight of each."""

    def __init__(self, fleet, load, choice):
        self.fleet, self.load, self.choice = fleet, load, choice
        self.kinds = {self.kill_daemon: 6, self.kill_daemon_for_long: 1, self.kill_redis: 3, self.restart_redis: 2, self.stop_redis: 2,
                      self.stop_redis_for_long: 1, self.stop_daemon: 2, self.stop_daemon_for_long: 1, self.kill_both: 2}

    def rounds(self, count):
        """Each kind once, then at random by weight."""
        kinds, weights = list(self.kinds), list(self.kinds.values())
        for i in range(count):
            yield kinds[i] if i < len(kinds) else self.choice.choices(kinds, weights)[0]

    def kill_daemon(self):
        node = self.choice.choice(self.fleet.nodes)
        node.kill()
        time.sleep(self.choice.uniform(0, 0.3))
        node.start()

    def kill_daemon_for_long(self):
        node = self.choice.choice(self.fleet.nodes)
        node.kill()
        wait_until(lambda: self.fleet.states().get(node.name) == "DOWN", f"HAProxy sees that {node.name} is not there")
        node.start()

    def kill_redis(self):
        self.fleet.redis.kill()
        time.sleep(self.choice.uniform(0, 0.2))
        self.fleet.redis.start()

    def restart_redis(self):
        self.fleet.redis.signal("TERM")
        self.fleet.redis.process.wait()
        self.fleet.redis.start()

    def stop_redis(self, seconds=None):
        self.fleet.redis.signal("STOP")
        time.sleep(self.choice.uniform(0.05, 0.5) if seconds is None else seconds)
        self.fleet.redis.signal("CONT")

    def stop_redis_for_long(self):
        """Longer than any request waits."""
        self.stop_redis(1.3)

    def stop_daemon(self):
        node = self.choice.choice(self.fleet.nodes)
        node.signal("STOP")
        time.sleep(self.choice.uniform(0.05, 0.5))
        node.signal("CONT")

    def stop_daemon_for_long(self):
        """HAProxy removes it and answers its waiting clients; when it continues, other daemons have overtaken its
        writes."""
        node = self.choice.choice(self.fleet.nodes)
        node.signal("STOP")
        wait_until(lambda: self.fleet.states().get(node.name) == "DOWN", f"HAProxy sees that {node.name} hangs")
        self.load.goes_on(f"{node.name} hangs", RECOVERY_SECONDS)
        node.signal("CONT")

    def kill_both(self):
        node = self.choice.choice(self.fleet.nodes)
        self.fleet.redis.kill()
        node.kill()
        self.fleet.redis.start()
        node.start()

    def count(self):
        return int(os.environ.get("CONTACTD_KILLS") or (300 if FULL else len(self.kinds)))


@suite.fact
def no_acknowledged_write_is_lost_and_no_read_goes_back_under_faults():
    fleet = Fleet(suite)
    load = Load(fleet.port, fleet.nodes[0].client().document, seed=SEED)
    faults = Faults(fleet, load, random.Random(SEED))
    longest, rounds = collections.Counter(), collections.Counter()
    load.goes_on("the beginning", RECOVERY_SECONDS)
    for fault in faults.rounds(faults.count()):
        load.outage()
        fault()
        load.goes_on(f"{fault.__name__} in round {rounds.total()} of seed {SEED}", RECOVERY_SECONDS)
        rounds[fault.__name__] += 1
        longest[fault.__name__] = max(longest[fault.__name__], load.outage())
    for node in fleet.nodes:
        node.wait_ready()
    load.finish([n.client() for n in fleet.nodes])
    print(f"{rounds.total()} rounds, {load.kinds().total()} answers: {dict(load.kinds())}, {load.listener}")
    print("; ".join(f"{name} {rounds[name]} times, longest without an answer {longest[name]:.2f} s" for name in rounds))
    check(set(load.kinds()) & {"503 about:blank", "503 store-unavailable"}, "none of the faults was noticed")
    fleet.end()


@suite.fact
def a_redis_that_loses_acknowledged_writes_is_detected():
    """Control: with a Redis that loses data the checks of the fact above fail."""
    fleet = Fleet(suite, redis=("--appendonly", "no"))
    load = Load(fleet.port, fleet.nodes[0].client().document, seed=SEED)
    load.goes_on("the beginning", RECOVERY_SECONDS)
    fleet.redis.kill()
    fleet.redis.start()
    try:
        load.goes_on("the loss", RECOVERY_SECONDS)
        for node in fleet.nodes:
            node.wait_ready()
        load.finish([n.client() for n in fleet.nodes])
    except Failure as why:
        check("faults of the history" in str(why) or "came after revision" in str(why), f"found: {why}")
    else:
        raise Failure("nothing was found")
    load.ends.set()
    fleet.end()


# ---- restarts one after the other --------------------------------------------------------------------------------------------------


def bars(count):
    """Bodies whose bounding boxes all overlap."""
    turned, collider = [0, 0, 0.3826834323650898, 0.9238795325112867], {"ellipsoid": {"radii": [50, 0.0005, 0.0005]}}
    return [{"id": f"bar-{i}", "position": [0.005 * i, -0.005 * i, 0], "rotation": turned, "colliders": [collider]} for i in range(count)]


class SlowWrite:
    """A PUT of a scene whose second half is sent later."""

    def __init__(self, fleet, name):
        self.name = name
        self.body = json.dumps({"user": "u" * 3000, "bodies": bars(200)}).encode()
        self.socket = socket.create_connection(("127.0.0.1", fleet.port), timeout=60 * SLOWER)
        head = f"PUT /v1/scenes/{name} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(self.body)}\r\n\r\n"
        self.socket.sendall(head.encode() + self.body[:-1])

    def reply(self):
        self.socket.sendall(self.body[-1:])
        answer = http.client.HTTPResponse(self.socket, method="PUT")
        answer.begin()
        answer.read()
        self.socket.close()
        return answer


def scene_of(fleet, node):
    """The name of a scene that HAProxy routes to this node."""
    for i in range(1000):
        with urllib.request.urlopen(urllib.request.Request(f"{fleet.base}/v1/scenes/slow{i}", b'{"bodies": []}', method="PUT")) as reply:
            if reply.headers["X-Served-By"] == node.name:
                return f"slow{i}"
    raise Failure(f"no scene goes to {node.name}")


@suite.fact
def no_request_fails_while_the_daemons_are_restarted_one_after_the_other():
    """Requests that take longer than a daemon needs to leave are finished, too, although HAProxy moves its other
    clients."""
    fleet = Fleet(suite, "--limit", f"leaveSeconds={LEAVE_SECONDS}", "--limit", f"drainSeconds={60 * SLOWER}")
    load = Load(fleet.port, fleet.nodes[0].client().document, seed=SEED)
    for cycle in range(CYCLES):
        for node in fleet.nodes:
            load.goes_on(f"restarts of cycle {cycle}", RECOVERY_SECONDS)
            slow = SlowWrite(fleet, scene_of(fleet, node)) if FULL or node is fleet.nodes[0] else None
            node.signal("TERM")
            if slow:
                time.sleep(LEAVE_SECONDS + 1.5)
                answer = slow.reply()
                equal((answer.status, answer.headers["X-Served-By"]), (200, node.name), "a write that a daemon ends with")
            node.wait_end()
            node.start().wait_ready()
            fleet.wait_up(node)
    load.goes_on("the restarts", RECOVERY_SECONDS)
    longest = load.outage()
    load.finish([n.client() for n in fleet.nodes])
    print(f"{3 * CYCLES} restarts, {load.kinds().total()} answers: {dict(load.kinds())}, {load.listener}, longest without an answer {longest:.2f} s")
    check(all(kind.startswith(("200", "201", "404", "412")) for kind in load.kinds()), f"there were failures: {load.kinds()}")
    fleet.end()


def ask_again(connections):
    for connection in connections:
        connection.request("GET", "/v1/version")
        answer = connection.getresponse()
        answer.read()
        equal(answer.status, 200, "status of what is asked on a connection that was idle")


@suite.fact
def no_request_fails_while_haproxy_reads_its_file_again():
    """Neither on idle connections."""
    fleet = Fleet(suite)
    load = Load(fleet.port, fleet.nodes[0].client().document, seed=SEED)
    for unused in range(CYCLES):
        load.goes_on("a reload", RECOVERY_SECONDS)
        idle = [http.client.HTTPConnection("127.0.0.1", fleet.port, timeout=60 * SLOWER) for unused in range(20)]
        ask_again(idle)
        fleet.reload_proxy()
        # In full runs, until all connections of the old worker are closed.
        time.sleep(6 if FULL else 2)
        ask_again(idle)
    load.finish([n.client() for n in fleet.nodes])
    print(f"{CYCLES} reloads, {load.kinds().total()} answers: {dict(load.kinds())}, {load.listener}")
    check(all(kind.startswith(("200", "201", "404", "412")) for kind in load.kinds()), f"there were failures: {load.kinds()}")
    fleet.end()


# ---- clients that disconnect -------------------------------------------------------------------------------------------------------


def long_question(fleet):
    """A connection with a query in progress that takes seconds of processor time."""
    connection = http.client.HTTPConnection("127.0.0.1", fleet.port, timeout=60 * SLOWER)
    body = json.dumps({"clearance": 0.001, "deadlineMs": 120000 * SLOWER})
    connection.request("POST", "/v1/scenes/slow/query/distance", body, {"Content-Type": "application/json"})
    return connection


def busy(clients):
    """Number of daemons with busy workers, of those of these clients."""
    return sum(metrics.read(client)["contactd_workers_busy"] > 0 for client in clients)


@suite.fact
def scenes_are_read_at_their_own_nodes_while_redis_is_down():
    """With --stale-reads; HAProxy sends each read to the node that has the scene in memory."""
    fleet = Fleet(suite, "--stale-reads")
    client = KeepAlive(fleet, fleet.nodes[0].client().document)
    names = [f"s{i}" for i in range(24)]
    for name in names:
        client.put(f"/v1/scenes/{name}", {"bodies": bars(2)}).must(201)
    homes = {name: client.get(f"/v1/scenes/{name}/poses").must(200).headers["x-served-by"] for name in names}
    equal(len(set(homes.values())), len(fleet.nodes), "nodes that have scenes")
    fleet.redis.kill()
    wait_until(lambda: "UP" not in fleet.states().values(), "HAProxy sees that no node is ready")
    for name, home in homes.items():
        for reply in (client.get(f"/v1/scenes/{name}/poses"), client.post(f"/v1/scenes/{name}/query/overlap", {})):
            reply.must(200)
            equal((reply.headers["x-served-by"], reply.headers["x-stale-reads"]), (home, "1"), f"node and header for {name}")
        client.put(f"/v1/scenes/{name}/bodies/bar-0", bars(1)[0]).problem(503, "store-unavailable")
    fleet.redis.start()
    fleet.wait_up()
    for name in names:
        client.put(f"/v1/scenes/{name}/bodies/bar-0", bars(1)[0]).must(200)
    fleet.end()


@suite.fact
def the_query_of_a_client_that_disconnects_is_cancelled_at_its_daemon():
    fleet = Fleet(suite)
    clients = [node.client() for node in fleet.nodes]
    clients[0].put("/v1/scenes/slow", {"bodies": bars(5000)}).must(201)
    connection = long_question(fleet)
    used = lambda: sum(node.daemon.processor_seconds() for node in fleet.nodes)
    wait_until(lambda: busy(clients) == 1, "one daemon works")
    before = used()
    wait_until(lambda: used() > before + 0.5, "what it does is the question")
    equal(busy(clients), 1, "daemons at work")
    connection.close()
    wait_until(lambda: busy(clients) == 0, "no daemon works")
    fleet.end()


suite.main()
