"""Three daemons behind HAProxy with the file of docker/ at one Redis, under load, while daemons and Redis are killed, stopped and started
anew: nothing acknowledged is lost, nobody reads an older revision than anybody has been told of, what fails is 503 with Retry-After, and
all goes on by itself.

CONTACTD_KILLS sets the rounds of the loop of faults: each fault once by default, 300 with CONTACTD_FULL=1. FLEET_SEED chooses their order."""
import collections
import http.client
import json
import os
import random
import time

from support.checks import Suite, check
from support.fleet import Fleet, wait_until
from support.load import Load
from support.pace import SLOWER

suite = Suite()
FULL = bool(os.environ.get("CONTACTD_FULL"))
SEED = int(os.environ.get("FLEET_SEED") or 1)
# After any fault all clients are answered again within this time: Redis is looked for every 5 s at the latest.
RECOVERY_SECONDS = 10 * SLOWER


# ---- faults ----------------------------------------------------------------------------------------------------------------------


class Faults:
    """Each breaks something and mends it, as whoever watches over the fleet would; the second word is how often, among all."""

    def __init__(self, fleet, choice):
        self.fleet, self.choice = fleet, choice
        self.kinds = {self.kill_daemon: 6, self.kill_daemon_for_long: 1, self.kill_redis: 3, self.restart_redis: 2, self.stop_redis: 2,
                      self.stop_redis_for_long: 1, self.stop_daemon: 2, self.stop_daemon_for_long: 1, self.kill_both: 2}

    def rounds(self, count):
        """All kinds, then by chance."""
        kinds, weights = list(self.kinds), list(self.kinds.values())
        for i in range(count):
            yield kinds[i] if i < len(kinds) else self.choice.choices(kinds, weights)[0]

    def kill_daemon(self, seconds=None):
        node = self.choice.choice(self.fleet.nodes)
        node.kill()
        time.sleep(self.choice.uniform(0, 0.3) if seconds is None else seconds)
        node.start()

    def kill_daemon_for_long(self):
        """HAProxy sees that it is not there."""
        self.kill_daemon(1.6)

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
        """Nobody waits for it that long."""
        self.stop_redis(1.6)

    def stop_daemon(self, seconds=None):
        node = self.choice.choice(self.fleet.nodes)
        node.signal("STOP")
        time.sleep(self.choice.uniform(0.05, 0.5) if seconds is None else seconds)
        node.signal("CONT")

    def stop_daemon_for_long(self):
        """HAProxy takes it out, and it wakes up with writes that others have overtaken."""
        self.stop_daemon(2.5)

    def kill_both(self):
        node = self.choice.choice(self.fleet.nodes)
        self.fleet.redis.kill()
        node.kill()
        self.fleet.redis.start()
        node.start()

    def count(self):
        return int(os.environ.get("CONTACTD_KILLS") or (300 if FULL else len(self.kinds)))


@suite.fact
def nothing_acknowledged_is_lost_and_nothing_goes_back_whoever_is_killed_stopped_or_restarted():
    fleet = Fleet(suite)
    load = Load(fleet.port, fleet.nodes[0].client().document, seed=SEED)
    faults = Faults(fleet, random.Random(SEED))
    longest, rounds = collections.Counter(), collections.Counter()
    load.goes_on("the beginning", RECOVERY_SECONDS)
    for fault in faults.rounds(faults.count()):
        load.outage()
        fault()
        load.goes_on(f"{fault.__name__} in round {rounds.total()} of seed {SEED}", RECOVERY_SECONDS)
        rounds[fault.__name__] += 1
        longest[fault.__name__] = max(longest[fault.__name__], load.outage())
    load.finish([n.client() for n in fleet.nodes])
    print(f"{rounds.total()} rounds, {load.kinds().total()} answers: {dict(load.kinds())}")
    print("; ".join(f"{name} {rounds[name]} times, longest without an answer {longest[name]:.2f} s" for name in rounds))
    check(set(load.kinds()) & {"503 about:blank", "503 store-unavailable"}, "none of the faults was noticed")
    fleet.end()


# ---- clients that leave ------------------------------------------------------------------------------------------------------------


def bars(count):
    """Each touches most of the others."""
    turned, collider = [0, 0, 0.3826834323650898, 0.9238795325112867], {"box": {"size": [100, 0.001, 0.001]}}
    return [{"id": f"bar-{i}", "position": [0.005 * i, -0.005 * i, 0], "rotation": turned, "colliders": [collider]} for i in range(count)]


def long_question(fleet):
    """A connection on which one is being answered, which takes minutes."""
    connection = http.client.HTTPConnection("127.0.0.1", fleet.port, timeout=60 * SLOWER)
    body = json.dumps({"clearance": 0.001, "deadlineMs": 120000 * SLOWER})
    connection.request("POST", "/v1/scenes/slow/query/distance", body, {"Content-Type": "application/json"})
    return connection


def busy(fleet, seconds=0.3):
    """The nodes that have used most of this time."""
    before = [n.daemon.processor_seconds() for n in fleet.nodes]
    time.sleep(seconds)
    return [n for n, b in zip(fleet.nodes, before) if n.daemon.processor_seconds() - b > seconds / 4]


@suite.fact
def a_client_that_leaves_is_waited_for_by_no_daemon():
    fleet = Fleet(suite)
    client = fleet.nodes[0].client()
    client.put("/v1/scenes/slow", {"bodies": bars(4000)}).must(201)
    connection = long_question(fleet)
    wait_until(lambda: len(busy(fleet)) == 1, "one daemon works")
    connection.close()
    wait_until(lambda: not busy(fleet), "no daemon works")
    fleet.end()


suite.main()
