#!/usr/bin/python3
"""docker/compose.yaml as it is: HAProxy, three daemons, Redis, Prometheus. Without an engine that can run it, and without what one of
our own needs, every fact is skipped with the reason."""
import collections
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import time

from build import HERE, need_base, need_images, pulled
from container import Beside, once
from engine import Engine, run
from support.checks import Failure, Skip, Suite, check, equal
from support.scenes import cell

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "docker/compose.yaml"
NODES = ("node1", "node2", "node3")
# The tags that compose.yaml names, by the target of standins.Dockerfile that may stand in for them.
STANDINS = {"haproxy": "haproxy:2.6", "redis": "redis:7.0", "prometheus": "prom/prometheus:v2.42.0"}
UP_SECONDS = 300
# HAProxy looks every half second, Prometheus every 5 s.
NOTICED_SECONDS = 60
# Statuses of clients that write and delete the same scenes: one of two that meet hears 409 or 412, who comes too late 404.
ANSWERED = ("200", "201", "204", "404", "409", "412")
# More than connectionsPerAddress is by itself, fewer than eventStreams.
STREAMS, STREAM_SECONDS = 90, 10
suite = Suite()


def need_standins(engine):
    for target, tag in STANDINS.items():
        if pulled(engine, tag):
            continue
        need_base(engine)
        engine.build(tag, HERE / "standins.Dockerfile", HERE, f"--target={target}")
        engine.made_tags.append(tag)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Fleet:
    """What the file brings up; base, port: HAProxy's."""

    def __init__(self, engine):
        self.engine = engine
        self.tool = ["docker-compose"] if shutil.which("docker-compose") else ["docker", "compose"]
        if run([*self.tool, "version"], env=engine.env).returncode:
            raise Skip("neither docker-compose nor docker compose is there")
        # In a network of its own the file's ports are free.
        self.port, self.prometheus = (7077, 9090) if engine.own else (free_port(), free_port())
        self.env = dict(engine.env) if engine.own else dict(engine.env, CONTACTD_PORT=str(self.port), PROMETHEUS_PORT=str(self.prometheus))
        self.base = f"http://127.0.0.1:{self.port}"

    def compose(self, *arguments):
        done = run([*self.tool, "-p", f"contactd{os.getpid()}", "-f", str(FILE), *arguments], UP_SECONDS, self.env)
        if done.returncode:
            raise Failure(f"compose {' '.join(arguments)} ended with {done.returncode}: {(done.stdout + done.stderr)[-1500:]}")
        return done.stdout

    def up(self):
        try:
            self.compose("up", "-d", "--no-build")
        except Failure as why:
            raise Failure(f"{why}\n{self.compose('logs', '--no-color', '--tail=5')[-1500:]}") from None

    def down(self):
        self.compose("down", "--volumes")

    def container(self, service):
        return self.compose("ps", "-q", service).strip()

    def settings(self, service):
        return json.loads(self.engine.must("inspect", self.container(service)))[0]

    def client(self):
        return Beside(self)

    def states(self):
        """What HAProxy thinks of each node: UP, DOWN, ... Its frontend of metrics is not published."""
        address = self.engine.inspect(self.container("haproxy"), "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}")
        done = run(self.engine.inside("curl", "-sS", "--noproxy", "*", f"http://{address}:8404/metrics?scope=server"))
        return dict(re.findall(r'^haproxy_server_status\{proxy="scene",server="(\w+)",state="(\w+)"\} 1$', done.stdout, re.M))

    def has(self, *nodes):
        """HAProxy sends requests to these, and the engine calls them healthy."""
        found = self.states()
        return all(found.get(node) == "UP" and self.settings(node)["State"]["Health"]["Status"] == "healthy" for node in nodes)

    def targets(self):
        """Prometheus' word on each target of the job contactd: up, down or unknown."""
        done = run(self.engine.inside("curl", "-sS", "--noproxy", "*", f"http://127.0.0.1:{self.prometheus}/api/v1/targets"))
        found = json.loads(done.stdout)["data"]["activeTargets"] if done.returncode == 0 else []
        return {t["labels"]["instance"].split(":")[0]: t["health"] for t in found if t["labels"]["job"] == "contactd"}


@once
def fleet():
    engine = Engine()
    suite.cleanup(engine.close)
    need_standins(engine.start("host"))
    need_images(engine)
    made = Fleet(engine)
    suite.cleanup(made.down)
    made.up()
    wait_until(lambda: made.client().get("/readyz", check=False).status == 200, "HAProxy answers for a node")
    return made


def wait_until(true, what, seconds=NOTICED_SECONDS):
    end = time.monotonic() + seconds
    while True:
        try:
            if true():
                return
        except Failure:  # nobody listens yet
            pass
        if time.monotonic() > end:
            raise Failure(f"in {seconds} s it did not come true that {what}")
        time.sleep(0.2)


def seen(path):
    replies = [fleet().client().get(path), fleet().client().get(f"{path}/poses"), fleet().client().post(f"{path}/query/contacts", {})]
    return [(reply.must(200).etag, reply.body) for reply in replies]


def outlives(way):
    """A scene is written through HAProxy, its node ends, and another goes on with it."""
    client = fleet().client()
    document = cell(ROOT)
    document.pop("id")
    made = client.post("/v1/scenes", document).must(201).json
    path = f"/v1/scenes/{made['id']}"
    body = document["bodies"][-1]["id"]

    def move(height):
        return client.patch(f"{path}/poses", {"ids": [body], "positions": [[0.1, 0.2, height]]})

    equal(move(3).must(200).json["revision"], 2, "revision of the first move")
    before, node = seen(path), client.get(path).headers["x-served-by"]
    check(node in NODES, f"the node is {node!r}")
    fleet().compose(*way, node)
    equal(seen(path), before, f"the scene when {node} has gone")
    other = client.get(path).headers["x-served-by"]
    check(other in NODES and other != node, f"{other} serves the scene of {node}")
    moved = move(3.5).must(200)
    equal(moved.json["revision"], 3, "revision of the next move")
    fleet().compose("start", node)
    wait_until(lambda: client.get(path).headers.get("x-served-by") == node, f"{node} has its scene again")
    equal(client.get(path).must(200).etag, moved.etag, "revision that it has")


class Clients:
    """A small load through HAProxy (clients.py)."""

    def __init__(self, of):
        command = of.engine.inside("env", f"PYTHONPATH={ROOT / 'tests'}", "/usr/bin/python3", str(HERE / "clients.py"), str(of.port))
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        suite.cleanup(self.process.kill)
        self.go_on("the beginning")

    def go_on(self, what):
        """Until each has had answers since."""
        self.process.stdin.write(f"{what}\n")
        self.process.stdin.flush()
        equal(self.process.stdout.readline().strip(), "on", f"clients after {what}")

    def end(self):
        """How often each kind of answer was heard, by its status and problem; and what else there was to tell."""
        self.process.stdin.close()
        said = json.loads(self.process.stdout.readline())
        equal(self.process.wait(), 0, "exit status of the clients")
        return said["kinds"], said["wrong"]


# ---- facts ---------------------------------------------------------------------------------------------------------------------

@suite.fact
def it_comes_up_without_rights():
    for service in (*NODES, "haproxy", "redis", "prometheus"):
        settings = fleet().settings(service)
        host = settings["HostConfig"]
        equal(settings["State"]["Running"], True, f"{service} runs")
        equal((host["ReadonlyRootfs"], host["CapDrop"], host["Privileged"]), (True, ["ALL"], False), f"rights of {service}")
        check("no-new-privileges:true" in host["SecurityOpt"], f"{service} may gain privileges")
        check(host["Memory"] and host["PidsLimit"], f"{service} has no limits")
        check(settings["Config"]["User"].split(":")[0] not in ("", "0", "root"), f"{service} runs as {settings['Config']['User']!r}")


@suite.fact
def a_scene_outlives_the_stop_of_its_node():
    outlives(["stop"])


@suite.fact
def a_scene_outlives_the_kill_of_its_node():
    outlives(["kill", "-s", "SIGKILL"])


@suite.fact
def a_scene_outlives_redis():
    client = fleet().client()
    path = "/v1/scenes/kept"
    client.put(path, cell(ROOT) | {"id": "kept"}).must(201)
    before = seen(path)
    fleet().compose("kill", "-s", "SIGKILL", "redis")
    fleet().compose("start", "redis")
    wait_until(lambda: client.get(path).status == 200, "the scene is answered for again")
    equal(seen(path), before, "the scene when Redis has been killed")


@suite.fact
def a_node_that_begins_without_redis_waits_for_it():
    client = fleet().client()
    path = "/v1/scenes/waited-for"
    client.put(path, cell(ROOT) | {"id": "waited-for"}).must(201)
    before = seen(path)
    fleet().compose("stop", "redis")
    fleet().compose("restart", NODES[1])
    # Whoever answers, a node that has just seen that Redis has gone or HAProxy that has no node, says when to come back.
    reply = client.get(path, check=False).must(503)
    check(reply.headers.get("retry-after"), "503 without Retry-After")
    fleet().compose("start", "redis")
    wait_until(lambda: fleet().has(*NODES), "all nodes are up")
    equal([fleet().settings(node)["RestartCount"] for node in NODES], [0, 0, 0], "how often the engine had to begin each node again")
    equal(seen(path), before, "the scene when Redis is back")


@suite.fact
def streams_behind_haproxy_are_more_than_one_address_may_have_elsewhere():
    fleet().client().put("/v1/scenes/heard", cell(ROOT) | {"id": "heard"}).must(201)
    # So many at once: each is open until time is up. curl does not send what is behind the #, which makes the addresses differ.
    done = run(fleet().engine.inside("curl", "-q", "-sS", "--noproxy", "*", "--parallel", "--parallel-immediate", "--parallel-max", str(STREAMS),
                                     "--max-time", str(STREAM_SECONDS), "--output", "/dev/null", "--write-out", "%{http_code}\n",
                                     f"{fleet().base}/v1/scenes/heard/events#[1-{STREAMS}]"))
    equal(collections.Counter(done.stdout.split()), {"200": STREAMS}, "statuses")


@suite.fact
def nodes_restarted_one_after_the_other_and_haproxy_that_reads_its_file_again_fail_no_request():
    wait_until(lambda: fleet().has(*NODES), "all nodes are up")
    clients = Clients(fleet())
    # The last one as it is done with a new image.
    for way, node in zip((["restart"], ["restart"], ["up", "-d", "--no-deps", "--no-build", "--force-recreate"]), NODES):
        fleet().compose(*way, node)
        clients.go_on(f"the restart of {node}")
        wait_until(lambda: fleet().has(node), f"{node} is up again")
    clients.go_on("the last restart")
    before = fleet().compose("logs", "haproxy").count("Loading success")
    fleet().compose("kill", "-s", "SIGUSR2", "haproxy")
    wait_until(lambda: fleet().compose("logs", "haproxy").count("Loading success") > before, "HAProxy has read its file again")
    clients.go_on("the reading")
    kinds, wrong = clients.end()
    equal(wrong, [], "what went wrong")
    failed = [kind for kind in kinds if kind.split()[0] not in ANSWERED]
    equal(failed, [], f"requests that failed, of {kinds}")
    equal(fleet().settings("haproxy")["RestartCount"], 0, "how often the engine had to begin HAProxy again")


@suite.fact
def prometheus_scrapes_every_node():
    wait_until(lambda: fleet().targets() == {node: "up" for node in NODES}, "Prometheus scrapes every node")


suite.main()
