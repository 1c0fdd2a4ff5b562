#!/usr/bin/python3
"""docker/compose.yaml as it is: HAProxy, three daemons, Redis, Prometheus. Without an engine that can run it, and without what one of
our own needs, every fact is skipped with the reason."""
import json
import os
import pathlib
import shutil
import socket
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
def prometheus_scrapes_every_node():
    wait_until(lambda: fleet().targets() == {node: "up" for node in NODES}, "Prometheus scrapes every node")


suite.main()
