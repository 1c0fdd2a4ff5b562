"""GET /metrics: the format by Prometheus' promtool; the figures against the requests sent, the kernel's figures and
the replies."""
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time

from support.checks import Skip, Suite, check, equal, near
from support.client import KeepAlive
from support.daemon import SANITIZER, Daemon
from support.lives import Lives
from support.metrics import Metrics, read
from support.pace import SLOWER
from support.raw import Raw
from support.stopwatch import Stopwatch, timed

suite = Suite()
folder = tempfile.TemporaryDirectory(prefix="contactd-metrics-")
suite.cleanup(folder.cleanup)
daemon = Daemon("--workers", "2", "--log", "off").start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)
BALL = {"colliders": [{"sphere": {"radius": 0.5}}]}
ROUTE = "contactd_requests_total"


def promtool(text):
    """(exit status, output) of `promtool check metrics`."""
    run = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, timeout=60, check=False)
    return run.returncode, run.stdout + run.stderr


def scene(count, first=0):
    return {"bodies": [{"id": f"b{first + i}", "position": [2.0 * i, 0, 0], **BALL} for i in range(count)]}


def line_of(port, text, method="GET"):
    with Raw(port) as connection:
        connection.send(text)
        return connection.reply(method)


def head(method, path, *lines):
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: localhost", *lines, "", ""])


# ---- the format ----------------------------------------------------------------------------------------------------------

@suite.fact
def promtool_finds_nothing_wrong():
    client.put("/v1/scenes/format", scene(3)).must(201)
    client.post("/v1/scenes/format/query/distance", {}).must(200)
    client.get("/v1/nothing").must(404)
    reply = client.get("/metrics").must(200)
    equal(reply.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8", "content type")
    equal(promtool(reply.text), (0, ""), "promtool's verdict")
    client.delete("/v1/scenes/format").must(200)


@suite.fact
def promtool_rejects_a_damaged_text():
    text = client.get("/metrics").text
    for broken in (text.replace("# TYPE contactd_requests_total counter", "# TYPE contactd_requests_total gauge"),
                   text.replace("contactd_connections ", "contactd_connections x"),
                   text.replace("# HELP contactd_scenes ", "# NOTE ")):
        check(broken != text and promtool(broken)[0] != 0, "a broken text passes")


@suite.fact
def every_histogram_adds_up():
    metrics = read(client)
    names = [name for name, kind in metrics.types.items() if kind == "histogram"]
    check(len(names) >= 3, f"histograms are {names}")
    for (name, labels), count in metrics.series.items():
        if not name.endswith("_count") or name[:-6] not in names:
            continue
        flat = [part for pair in labels for part in pair]
        buckets = metrics.buckets(name[:-6], *flat)
        equal([n for unused, n in buckets], sorted(n for unused, n in buckets), f"buckets of {name} {flat}")
        equal(buckets[-1], (float("inf"), count), f"last bucket of {name} {flat}")
        total = metrics[(name[:-6] + "_sum", *flat)]
        least = sum((n - before) * bound for (bound, before), (unused, n) in zip(buckets, buckets[1:]))
        check(total >= least * (1 - 1e-12), f"{name[:-6]} {flat}: the sum {total} is below what the buckets hold, {least}")


# ---- access ----------------------------------------------------------------------------------------------------------------

@suite.fact
def metrics_need_a_token_host_and_origin_like_other_requests():
    token = pathlib.Path(folder.name) / "token"
    token.write_text("a-token-of-some-length\n")
    token.chmod(0o600)
    with Daemon("--log", "off", "--token-file", token) as d:
        equal(line_of(d.port, head("GET", "/metrics")).status, 401, "status without the token")
        equal(line_of(d.port, head("GET", "/livez")).status, 200, "status of /livez without it")
        reply = line_of(d.port, head("GET", "/metrics", "Authorization: Bearer a-token-of-some-length"))
        equal(reply.status, 200, "status with it")
        equal(Metrics(reply.text)[ROUTE, "route", "none", "status", "4xx"], 1, "refused requests")
        check("a-token" not in reply.text, "the token is told")
        equal(line_of(d.port, "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n").status, 421, "status of another host")
        equal(line_of(d.port, head("GET", "/metrics", "Origin: http://evil.example")).status, 403, "status of another origin")


@suite.fact
def metrics_accept_get_and_head_only():
    client.post("/metrics", {}).problem(405, "method-not-allowed")
    reply = line_of(daemon.port, head("HEAD", "/metrics"), "HEAD")
    equal((reply.status, int(reply.headers["content-length"]) > 1000), (200, True), "status and length of HEAD")


@suite.fact
def metrics_are_served_while_the_daemon_drains():
    d = Daemon("--log", "off").start()
    suite.cleanup(d.kill)
    with Raw(d.port) as connection:
        connection.send(head("GET", "/livez"))
        connection.reply()
        d.process.send_signal(signal.SIGTERM)
        connection.send(head("GET", "/metrics"))
        equal(connection.reply().status, 200, "status")
    equal(d.process.wait(60 * SLOWER), 0, "exit status")


# ---- requests --------------------------------------------------------------------------------------------------------------

@suite.fact
def requests_are_counted_by_route_method_and_class_of_status():
    before = read(client)
    for unused in range(3):
        client.get("/v1/version").must(200)
    client.put("/v1/scenes/counted", scene(2)).must(201)
    client.put("/v1/scenes/counted", scene(2)).must(200)
    client.get("/v1/scenes/counted").must(200)
    client.get("/v1/scenes/absent").must(404)
    client.delete("/v1/scenes/counted").must(200)
    client.get("/v1/nothing").must(404)
    equal(line_of(daemon.port, head("OPTIONS", "/v1/version")).status // 100, 4, "class of OPTIONS")
    equal(line_of(daemon.port, head("BREW", "/v1/version")).status // 100, 4, "class of BREW")
    after = read(client)
    one = "/v1/scenes/{s}"
    for key, count in ((("/v1/version", "GET", "2xx"), 3), ((one, "PUT", "2xx"), 2), ((one, "GET", "2xx"), 1), ((one, "GET", "4xx"), 1),
                       ((one, "DELETE", "2xx"), 1), (("none", "GET", "4xx"), 1), (("none", "OPTIONS", "4xx"), 1),
                       (("none", "other", "4xx"), 1), (("/metrics", "GET", "2xx"), 1)):
        labels = [part for pair in zip(("route", "method", "status"), key) for part in pair]
        equal(after[(ROUTE, *labels)] - before[(ROUTE, *labels)], count, f"requests of {key}")
    equal(after["contactd_request_seconds_count", "route", "/v1/version"], after[ROUTE, "route", "/v1/version"], "times taken")


@suite.fact
def no_request_makes_more_series_than_there_are_routes():
    def known():
        return {(name, labels) for name, labels in read(client).series}
    client.get("/v1/scenes/x/bodies/y")
    client.get("/v1/scenes/x").must(404)
    client.get("/v1/any").must(404)
    client.put("/v1/scenes/any", {"bodies": []}).must(201)
    client.delete("/v1/scenes/any").must(200)
    before = known()
    for i in range(200):
        client.get(f"/v1/scenes/x{i}/bodies/y{i}?z={i}")
        client.get(f"/v1/n{i}/x{i}").must(404)
        client.put(f"/v1/scenes/s{i}", {"bodies": []}).must(201)
        client.delete(f"/v1/scenes/s{i}").must(200)
    equal(known() - before, set(), "new series")


def hard(count, **members):
    """Long work: every pair of a cluster of hulls."""
    points = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    bodies = [{"id": f"h{i}", "position": [0.01 * i, 0, 0], "colliders": [{"convex": {"vertices": points}}]} for i in range(count)]
    return {"scene": {"bodies": bodies}, "limit": 1000000, **members}


@suite.fact
def a_long_request_is_counted_in_the_bucket_of_its_duration():
    before = read(client)
    reply, took = timed(lambda: client.post("/v1/query/distance", hard(700, deadlineMs=300)))
    after = read(client)
    reply.must(504)
    route = ("route", "/v1/query/distance")
    equal(after[(ROUTE, *route, "status", "5xx")] - before[(ROUTE, *route, "status", "5xx")], 1, "requests")
    spent = after[("contactd_request_seconds_sum", *route)] - before[("contactd_request_seconds_sum", *route)]
    check(spent >= 0.3 and took.covers(spent), f"the reported time is {spent} s, the client waited {took}")
    below = dict(after.buckets("contactd_request_seconds", *route))[0.25] - dict(before.buckets("contactd_request_seconds", *route)).get(0.25, 0)
    equal(below, 0, "requests up to 0.25 s")


@suite.fact
def requests_of_clients_that_disconnect_are_counted_separately():
    labels = ("route", "/v1/query/distance", "status", "none")
    before = read(client)[(ROUTE, *labels)]
    with Raw(daemon.port) as connection:
        body = json.dumps(hard(700, deadlineMs=20000)).encode()
        connection.send(head("POST", "/v1/query/distance", "Content-Type: application/json", f"Content-Length: {len(body)}").encode() + body)
        daemon.works()
    watch = Stopwatch()
    while read(client)[(ROUTE, *labels)] == before and not watch.hangs():
        time.sleep(0.02)
    equal(read(client)[(ROUTE, *labels)] - before, 1, "requests whose client has left")


# ---- work ------------------------------------------------------------------------------------------------------------------

@suite.fact
def the_time_of_the_workers_agrees_with_the_kernel():
    """Apart from reading, the daemon does only this query: most of its processor time is the workers'."""
    before, used = read(client), daemon.processor_seconds()
    client.post("/v1/query/distance", hard(250, limit=1)).must(200)
    after, used = read(client), daemon.processor_seconds() - used
    busy = after["contactd_worker_busy_seconds_total"] - before["contactd_worker_busy_seconds_total"]
    loop = after["contactd_loop_cpu_seconds_total"] - before["contactd_loop_cpu_seconds_total"]
    check(busy >= 0.8 * (used - loop) - 0.02, f"workers were busy for {busy} s, the process used {used} s, of it the loop {loop} s")
    equal(after["contactd_queue_wait_seconds_count"] - before["contactd_queue_wait_seconds_count"], 1, "requests that waited for a worker")
    equal((after["contactd_workers"], after["contactd_queue_depth"]), (2, 0), "workers, and who waits")


@suite.fact
def requests_that_wait_for_a_worker_are_in_the_queue():
    with Daemon("--workers", "1", "--log", "off") as d:
        other = KeepAlive(d)
        body = json.dumps(hard(700, deadlineMs=4000)).encode()
        text = head("POST", "/v1/query/distance", "Content-Type: application/json", f"Content-Length: {len(body)}").encode() + body
        crowd = [Raw(d.port) for unused in range(12)]
        for connection in crowd:
            connection.send(text)
        deepest, busiest, watch = 0, 0, Stopwatch()
        while not watch.hangs() and not (deepest and busiest):
            now = read(other)
            deepest, busiest = max(deepest, now["contactd_queue_depth"]), max(busiest, now["contactd_workers_busy"])
        for connection in crowd:
            connection.close()
        check(1 <= deepest <= 12 and busiest == 1, f"{deepest} in the queue, {busiest} workers busy")


@suite.fact
def rounds_of_the_loop_cover_its_processor_time():
    """Rounds include all processor time of the loop thread, and add up to no more than the elapsed time. They are
    measured in rounded ms."""
    watch, before = Stopwatch(), read(client)
    for unused in range(500):
        client.get("/v1/limits").must(200)
    after, took = read(client), watch.read()
    rounds, spent, loop = (after[name] - before[name] for name in (
        "contactd_loop_round_seconds_count", "contactd_loop_round_seconds_sum", "contactd_loop_cpu_seconds_total"))
    check(rounds >= 500, f"{rounds} rounds for 501 requests")
    check(0.5 * loop - 0.005 <= spent and took.covers(spent), f"rounds are {spent} s long, the loop has used {loop} s of {took}")


def counted(ask):
    """Increase of the solvers' figures while `ask` runs, and its result."""
    names = [f"contactd_solver_{name}_total" for name in ("problems", "iterations", "failures")]
    before = read(client)
    given = ask()
    after = read(client)
    return [after[name] - before[name] for name in names], given


@suite.fact
def iterations_of_solvers_are_those_of_the_replies():
    lcp = {"M": [[2, 1], [1, 2]], "q": [-5, -6]}
    figures, reply = counted(lambda: client.post("/v1/solve/lcp", lcp).must(200).json)
    equal(figures, [1, reply["iterations"], 0], "figures of a problem that is solved")
    row = [[2.0 if i == j else -0.999 if abs(i - j) == 1 else 0.0 for j in range(40)] for i in range(40)]
    ridge = {"M": row, "q": [-1.0] * 40, "method": "pgs", "maxIterations": 1}
    figures, reply = counted(lambda: client.post("/v1/solve/lcp", ridge).must(200).json)
    equal((figures, reply["converged"]), ([1, reply["iterations"], 1], False), "figures of one that is given up")
    never = {"M": [[-1]], "q": [-1]}
    figures, reply = counted(lambda: client.post("/v1/solve/lcp", never).must(200).json)
    equal((figures[0], figures[2], reply["converged"]), (1, 0 if reply["status"] == "infeasible" else 1, False),
          f"figures of one without a solution ({reply['status']})")


@suite.fact
def islands_are_counted_one_by_one():
    def body(name, x, speed):
        return {"id": name, "position": [x, 0, 0], "motion": {"mass": 1, "linearVelocity": [speed, 0, 0]},
                "colliders": [{"sphere": {"radius": 0.5}}]}
    bodies = [body(f"{i}{side}", 10.0 * i + at, speed) for i in range(3) for side, at, speed in (("l", 0, 1), ("r", 1, -1))]
    figures, reply = counted(lambda: client.post("/v1/query/impulse", {"scene": {"bodies": bodies}}).must(200).json)
    equal(len(reply["results"]), 3, "islands")
    equal(figures, [3, sum(r["iterations"] for r in reply["results"]), 0], "figures")


@suite.fact
def a_motion_is_counted_step_by_step():
    ground = {"id": "ground", "colliders": [{"plane": {}}]}
    boxes = [{"id": f"c{i}", "position": [0, 0, 0.5 + i], "motion": {"mass": 1}, "colliders": [{"box": {"size": [1, 1, 1]}}]}
             for i in range(3)]
    flying = {"bodies": [{**boxes[0], "position": [0, 0, 50]}]}
    client.put("/v1/scenes/falls", {"bodies": [ground, *boxes]}).must(201)
    client.put("/v1/scenes/flies", flying).must(201)

    def go(scene, mode, duration):
        return counted(lambda: client.post(f"/v1/scenes/{scene}/advance", {"duration": duration, "timeStep": 0.01, "mode": mode}).must(200).json)
    for mode in ("timeStepping", "eventImpulses"):
        figures, state = go("falls", mode, 0.1)
        equal((figures[0], figures[2]), (state["steps"], state["notConverged"]), f"steps, and those not converged, of {mode}")
        check(figures[1] >= 1, f"{mode} holds a stack with {figures[1]} iterations")
        figures, state = go("flies", mode, 0.1)
        equal(figures, [state["steps"], 0, 0], f"figures of {mode} where nothing touches")
    wall, piston = ({"id": name, "position": [x, 0, 0], "colliders": [{"box": {"size": [1, 4, 4]}}], **motion} for name, x, motion in (
        ("wall", -1, {}), ("piston", 1, {"motion": {"isKinematic": True, "linearVelocity": [-1, 0, 0]}})))
    client.put("/v1/scenes/squeezed", {"gravity": [0, 0, 0], "bodies": [wall, {**boxes[0], "position": [0, 0, 0]}, piston]}).must(201)
    figures, state = go("squeezed", "timeStepping", 0.1)
    equal((state["notConverged"] > 0, figures[2]), (True, state["notConverged"] - state["contradictory"]), "steps of a squeeze that failed")
    for scene in ("falls", "flies", "squeezed"):
        client.delete(f"/v1/scenes/{scene}").must(200)


# ---- state -----------------------------------------------------------------------------------------------------------------

@suite.fact
def scenes_bodies_and_revisions_are_counted():
    before = read(client)
    client.put("/v1/scenes/one", scene(5)).must(201)
    client.put("/v1/scenes/two", scene(7)).must(201)
    client.put("/v1/scenes/two", scene(4)).must(200)
    client.delete("/v1/scenes/one/bodies/b0").must(200)
    client.post("/v1/scenes/one/bodies", {"id": "b0"}).must(422)
    grown = [read(client)[name] - before[name] for name in ("contactd_scenes", "contactd_bodies", "contactd_revisions_total")]
    equal(grown, [2, 8, 4], "scenes, bodies and revisions more")
    for name in ("one", "two"):
        client.delete(f"/v1/scenes/{name}").must(200)
    grown = [read(client)[name] - before[name] for name in ("contactd_scenes", "contactd_bodies", "contactd_revisions_total")]
    equal(grown, [0, 0, 4], "the same when they have gone")


@suite.fact
def shapes_streams_and_connections_are_counted():
    before = read(client)
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    posted = client.post("/v1/shapes", {"convex": {"vertices": corners}}).must(201).json["id"]
    client.put("/v1/scenes/told", scene(1)).must(201)
    with socket.create_connection(("127.0.0.1", daemon.port)) as stream:
        stream.sendall(head("GET", "/v1/scenes/told/events").encode())
        stream.recv(1000)
        after = read(client)
    equal(after["contactd_shapes"] - before["contactd_shapes"], 1, "shapes more")
    check(after["contactd_shapes_bytes"] - before["contactd_shapes_bytes"] >= 4 * 24, "the shape's corners alone weigh more")
    equal((after["contactd_event_streams"], before["contactd_event_streams"]), (1, 0), "streams")
    equal(after["contactd_connections"] - before["contactd_connections"], 1, "connections more")
    equal(after["contactd_connections_total"] - before["contactd_connections_total"], 1, "connections accepted")
    client.delete("/v1/scenes/told").must(200)
    client.delete(f"/v1/shapes/{posted}").must(200)


@suite.fact
def memory_agrees_with_the_kernel():
    metrics = read(client)
    near(metrics["process_resident_memory_bytes"], daemon.status_bytes("VmRSS"), 4e6, "resident memory")
    near(metrics["process_virtual_memory_bytes"], daemon.status_bytes("VmSize"), 1e8, "virtual memory")
    near(metrics["process_cpu_seconds_total"], daemon.processor_seconds(), 0.2 * SLOWER, "processor time")
    near(metrics["process_start_time_seconds"], os.stat(f"/proc/{daemon.pid}").st_ctime, 600, "start")
    equal(metrics["contactd_request_bodies_bytes"], 0, "bytes of bodies when nobody sends one")


@suite.fact
def a_partly_received_body_is_counted():
    with Raw(daemon.port) as connection:
        connection.send(head("PUT", "/v1/scenes/slow", "Content-Type: application/json", "Content-Length: 1000000").encode() + b" " * 300000)
        watch, held = Stopwatch(), 0
        while held < 300000 and not watch.hangs():
            held = read(client)["contactd_request_bodies_bytes"]
        check(300000 <= held <= 1000000, f"{held} bytes are told")


@suite.fact
def limits_are_those_that_are_served():
    served, metrics = client.get("/v1/limits").must(200).json, read(client)
    named = {dict(labels)["name"]: value for (name, labels), value in metrics.series.items() if name == "contactd_limit"}
    check(len(named) >= 30, f"only {len(named)} limits")
    for name, value in named.items():
        found = served["limits"][name] if "limits" in served else served[name]
        equal(found["value"] if isinstance(found, dict) else found, value, name)


# ---- the store -------------------------------------------------------------------------------------------------------------

@suite.fact
def without_a_store_there_are_no_metrics_of_one():
    check("contactd_store" not in client.get("/metrics").text, "a store is told of")


@suite.fact
def commits_are_counted_and_timed():
    lives = Lives(suite)
    begun = read(lives.client)
    lives.client.put("/v1/scenes/kept", scene(50)).must(201)
    for i in range(4):
        lives.client.patch("/v1/scenes/kept/bodies/b0", {"position": [0, 0, i]}).must(200)
    lives.client.patch("/v1/scenes/kept/bodies/absent", {"position": [0, 0, 0]}).must(404)
    lives.client.delete("/v1/scenes/kept").must(200)
    after = read(lives.client)
    equal(promtool(after.text), (0, ""), "promtool's verdict")
    name = "contactd_store_commits_total"
    equal(after[name, "status", "ok"] - begun[name, "status", "ok"], 6, "commits")
    equal(after[name], after[name, "status", "ok"], "commits of all outcomes")
    equal(after["contactd_store_commit_seconds_count"] - begun["contactd_store_commit_seconds_count"], 6, "commits timed")
    written = after["contactd_store_commit_bytes_total"] - begun["contactd_store_commit_bytes_total"]
    check(50 * 8 <= written <= 50 * 4096, f"{written} bytes of records")
    equal(after["contactd_store_healthy"], 1, "health")
    lives.down()


@suite.fact
def scenes_weigh_what_the_heap_grows_by():
    """With a store, which keeps nothing of a scene in memory but its name and numbers."""
    if SANITIZER:
        raise Skip("a sanitizer has its own heap")
    name, count = "contactd_scenes_bytes", 10000
    lives = Lives(suite, "--log", "off").again("TERM", heap=True)
    lives.client.put("/v1/scenes/small", scene(1)).must(201)

    def settled():
        """(gauge, heap) once the heap has not changed for 0.2 s: calls and replaced revisions are freed after the reply."""
        watch, seen = Stopwatch(), []
        while len(seen) < 5 or len(set(seen[-5:])) > 1:
            check(not watch.hangs(), f"the heap does not settle: {seen[-5:]}")
            time.sleep(0.05)
            seen.append((read(lives.client)[name], lives.daemon.heap()[0] // 65536))
        return seen[-1][0], lives.daemon.heap()[0]

    begun, free = settled()
    lives.client.put("/v1/scenes/large", scene(count)).must(201)
    weight, held = settled()
    check(0.8 * (held - free) <= weight - begun <= 1.25 * (held - free), f"the gauge grew by {weight - begun} bytes, the heap by {held - free}")
    lives.client.put("/v1/scenes/large", scene(count // 2)).must(200)
    half = settled()[0]
    check(0.45 * (weight - begun) <= half - begun <= 0.55 * (weight - begun), f"{half - begun} bytes of half of the bodies, {weight - begun} of all")
    lives.client.delete("/v1/scenes/large").must(200)
    equal(settled()[0], begun, "bytes when the scene has gone")
    lives.down()


@suite.fact
def commits_that_fail_are_counted_by_their_outcome():
    if SANITIZER:
        raise Skip("a sanitizer's runtime must be loaded before all else")
    fails = pathlib.Path(folder.name) / "fails"
    lives = Lives(suite).again("TERM", fails=fails)
    lives.client.put("/v1/scenes/kept", scene(1)).must(201)
    fails.touch()
    lives.client.put("/v1/scenes/lost", scene(1)).must(503)
    after = read(lives.client)
    equal(after["contactd_store_commits_total", "status", "failed"], 1, "commits that failed")
    equal(after["contactd_store_healthy"], 0, "health")
    fails.unlink()
    lives.down()


suite.main()
