"""A daemon with a store on disk that is ended and started again answers like a daemon that never ended.
Truth: a daemon in memory that gets the same requests and is not ended. Also lazy loading, --scene-memory, damaged
records, and the life of posted shapes."""
import json
import math
import pathlib
import random
import subprocess
import tempfile
import threading
import time

from support.checks import Skip, Suite, check, equal
from support.client import KeepAlive, ndjson
from support.daemon import SANITIZER, Daemon, binary, clean_environment
from support.events import Stream
from support.lives import Lives, connection
from support.metrics import Metrics
from support.scenes import crowd
from support.stopwatch import Stopwatch, wait_until

suite = Suite()
OBJ = "model/obj"
CUBE = b"""v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1
f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n"""
FLOOR = {"id": "floor", "colliders": [{"plane": {}}]}


def ball(name, x=0.0, height=0.0, radius=0.5, **rest):
    return {"id": name, "position": [x, 0, height + radius], "motion": {"mass": 1}, "colliders": [{"sphere": {"radius": radius}}],
            **rest}


def poses(heights):
    return {"ids": list(heights), "positions": [[10 * i, 0, h + 0.5] for i, h in enumerate(heights.values())]}


# ---- against a daemon that never ended -----------------------------------------------------------------------------------------

RICH = {"bodies": [FLOOR, *[ball(f"b{i}", 10 * i, 0.25) for i in range(4)],
                   {"id": "hull", "position": [0, 5, 3], "user": {"note": "as it was spelled: \u00e9 1.50"},
                    "motion": {"mass": 2, "linearVelocity": [0.1, 0, 0]}, "colliders": [
                        {"id": "c", "convex": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}, "margin": 0.01},
                        {"box": {"size": [0.1, 0.2, 0.3]}, "material": "ice", "roundingRadius": 0.01}]}],
        "materials": {"default": {"staticFriction": 0.5}, "ice": {"staticFriction": 0.05}}, "user": [1, 2.50, "x"]}
CALLS = [
    ("POST", "/v1/shapes?unit=m", CUBE, OBJ),
    ("PUT", "/v1/scenes/rich", RICH, None),
    ("PUT", "/v1/scenes/gone", {"bodies": [ball("b")]}, None),
    ("POST", "/v1/scenes/rich/contactStates/s", {"time": 1, "poses": poses({"b0": -0.1, "b1": -0.2, "b2": 0.5})}, None),
    ("PATCH", "/v1/scenes/rich/poses", {"ids": ["hull"], "positions": [[0, 5, 2.5]]}, None),
    ("POST", "/v1/scenes/rich/contactStates/s", {"time": 2, "poses": poses({"b0": 0.3, "b1": -0.1, "b2": -0.4})}, None),
    ("POST", "/v1/scenes/rich/bodies", ndjson([ball("n1", 50, 1), ball("n0", 60, 1)]), "application/x-ndjson"),
    ("DELETE", "/v1/scenes/rich/bodies/n1", None, None),
    ("PUT", "/v1/scenes/rich/bodies/cube", {"position": [80, 0, 4], "motion": {"mass": 1}, "colliders": [{"shape": None, "scale": 2}]},
     None),
    ("PATCH", "/v1/scenes/rich", {"materials": {"steel": {"staticFriction": 0.3}}}, None),
    ("PATCH", "/v1/scenes/rich/bodies/b3", {"colliders": [{"box": {"size": [1, 1, 1]}, "material": "steel"}]}, None),
    ("DELETE", "/v1/scenes/gone", None, None),
    ("PUT", "/v1/scenes/gone", {"bodies": []}, None),
    ("POST", "/v1/scenes/rich/impulses", {}, None),
    ("POST", "/v1/scenes/rich/advance", {"duration": 0.05, "timeStep": 0.01}, None),
    ("POST", "/v1/scenes/rich/contactStates/t", {"time": 0}, None),
    ("POST", "/v1/scenes/rich/contactStates/s", {"time": 3, "poses": poses({"b0": -0.3, "b1": 0.4, "b2": -0.1})}, None),
    ("DELETE", "/v1/scenes/rich/contactStates/t", None, None),
    ("POST", "/v1/scenes/rich/contactStates/t", {"time": 4, "method": "mpr", "mprTolerance": 1e-5, "supportPoints": True}, None),
    ("POST", "/v1/scenes/rich/contactStates/t", {"time": 5, "poses": poses({"b1": 0.4})}, None),
    ("PUT", "/v1/scenes/rich/filters", {"pairs": [{"a": "b0", "b": "b1", "collide": False}]}, None),
    ("DELETE", "/v1/shapes/{shape}", None, None),
    ("PUT", "/v1/scenes/rich/bodies/last", ball("last", 90, 1), None),
]
LOOKS = ("/v1/scenes", "/v1/scenes/rich", "/v1/scenes/gone", "/v1/scenes/rich/poses", "/v1/scenes/rich/bodies?limit=3",
         "/v1/scenes/rich/contactStates/s", "/v1/scenes/rich/contactStates/t", "/v1/shapes", "/v1/shapes/{shape}",
         "/v1/scenes/rich/filters")
QUESTIONS = (("contacts", {}), ("distance", {}), ("zeroCrossings", {"contactState": "s"}))


def told(reply):
    """Status, entity tag, location and text of a reply, without the place where the write is persisted."""
    etag = reply.headers.get("etag")
    return reply.status, etag, reply.headers.get("location"), reply.text.replace('"durability":"disk"', '"durability":"memory"')


def call(client, method, path, body, kind, shape):
    if isinstance(body, dict):
        body = json.loads(json.dumps(body).replace('"shape": null', f'"shape": "{shape}"'))
    headers = {"If-Match": client.get("/v1/scenes/rich/poses").etag} if path.endswith("impulses") else None
    return client.request(method, path.replace("{shape}", shape), body, headers=headers, content_type=kind or "application/json")


def everything(client, shape):
    looks = [told(client.get(p.replace("{shape}", shape))) for p in LOOKS]
    return looks + [told(client.post(f"/v1/scenes/rich/query/{kind}", body)) for kind, body in QUESTIONS]


def same_as_one_that_never_ended(ways):
    """`ways` gives the signal that ends the daemon after call i; None: it runs on."""
    lives = Lives(suite, "--workers", "2")
    with Daemon("--workers", "2") as other:
        twin, shape = KeepAlive(other), ""
        for i, step in enumerate(CALLS):
            expected, way = call(twin, *step, shape), ways(i)
            check(expected.status < 300 or "{shape}" in step[1], f"{step[:2]}: {expected.text}")
            equal(told(call(lives.client, *step, shape)), told(expected), f"reply {i} to {step[:2]}")
            if i == 0:
                shape = expected.json["id"]
            if way:
                lives.again(way)
            if way or i == len(CALLS) - 1:
                lives.wait_ready(loaded=True)
                for mine, his in zip(everything(lives.client, shape), everything(twin, shape)):
                    equal(mine, his, f"after {way} behind {step[:2]}")
        twin.close()
    lives.down()


@suite.fact
def a_daemon_ended_after_each_call_answers_as_one_that_never_ended():
    """Scenes, revisions, order of bodies, texts, contact states with their pairs, shapes, filters."""
    same_as_one_that_never_ended(lambda i: ("TERM", "KILL")[i % 2])


@suite.fact
def a_daemon_ended_after_all_calls_answers_as_one_that_never_ended():
    same_as_one_that_never_ended(lambda i: "KILL" if i == len(CALLS) - 1 else None)


@suite.fact
def a_scene_of_many_kinds_answers_the_same_after_a_restart():
    lives = Lives(suite)
    lives.client.put("/v1/scenes/crowd", {"bodies": crowd(120)}).must(201)
    before = [lives.client.get("/v1/scenes/crowd").body] + [lives.client.post(f"/v1/scenes/crowd/query/{kind}", {}).body
                                                            for kind in ("contacts", "overlap")]
    lives.again("KILL")
    after = [lives.client.get("/v1/scenes/crowd").body] + [lives.client.post(f"/v1/scenes/crowd/query/{kind}", {}).body
                                                           for kind in ("contacts", "overlap")]
    for mine, his in zip(after, before):
        equal(mine, his, "reply")
    lives.down()


@suite.fact
def revision_numbers_of_deleted_scenes_are_never_reused():
    lives = Lives(suite)
    for i in range(5):
        lives.client.put("/v1/scenes/s", {"bodies": []}).must(201 if i == 0 else 200)
    equal(lives.client.delete("/v1/scenes/s").must(200).json["revision"], 6, "revision of the deletion")
    lives.again("KILL")
    equal(lives.client.put("/v1/scenes/s", {"bodies": []}).must(201).json["revision"], 7, "revision after it")
    lives.client.put("/v1/scenes/other", {"bodies": []}, headers={"If-Match": '"r7"'}).problem(412, "revision-mismatch")
    lives.down()


@suite.fact
def writes_report_durability_disk():
    lives = Lives(suite)
    replies = [lives.client.put("/v1/scenes/s", {"bodies": [ball("b")]}), lives.client.post("/v1/shapes?unit=m", CUBE, content_type=OBJ),
               lives.client.patch("/v1/scenes/s", {"user": 1}), lives.client.delete("/v1/scenes/s")]
    for reply in replies:
        equal(reply.json["durability"], "disk", "durability")
    equal(lives.client.get("/v1/version").json["durability"], "disk", "durability")
    lives.down()


# ---- after a start -------------------------------------------------------------------------------------------------------------


def globe(rows, columns):
    """A sphere in OBJ."""
    turns = [(math.pi * i / rows, 2 * math.pi * j / columns) for i in range(1, rows) for j in range(columns)]
    points = [(0, 0, 1), *((math.sin(u) * math.cos(v), math.sin(u) * math.sin(v), math.cos(u)) for u, v in turns), (0, 0, -1)]
    last = len(points)
    triangles = []
    for j in range(columns):
        k = (j + 1) % columns
        triangles += [(1, 2 + j, 2 + k), (last, last - columns + k, last - columns + j)]
        for i in range(rows - 2):
            a, b = 2 + i * columns, 2 + (i + 1) * columns
            triangles += [(a + j, b + j, b + k), (a + j, b + k, a + k)]
    lines = ["v {:.17g} {:.17g} {:.17g}".format(*point) for point in points] + ["f {} {} {}".format(*t) for t in triangles]
    return ("\n".join(lines) + "\n").encode()


def sent(port, method, path, body):
    """Sends a request and returns its connection, without reading the reply. A text body is sent as it is."""
    line = connection(port)
    line.request(method, path, body if body is None or isinstance(body, str) else json.dumps(body), {"Content-Type": "application/json"})
    return line


@suite.fact
def requests_wait_for_the_shapes_that_they_need():
    """Requests to a shape that is being loaded, or to a scene that names it, wait; so does the list of shapes. A
    stream of bodies could not wait in its middle: 503. Other requests do not wait, and /readyz counts."""
    lives = Lives(suite, "--workers", "2", "--limit", "deadlineMs=30000")
    shape = lives.client.post("/v1/shapes?unit=m&deadlineMs=60000", globe(120, 240), content_type=OBJ).must(201).json["id"]
    naming = {"bodies": [{"id": "b", "colliders": [{"shape": shape}]}]}
    lives.client.put("/v1/scenes/s", naming).must(201)
    lives.client.put("/v1/scenes/plain", {"bodies": [ball("b")]}).must(201)
    # Only the second start is measured: the client's schemas are compiled by then. On a busy machine the shape may be
    # loaded before the requests are sent, hence up to five starts.
    for unused in range(5):
        lives.again("KILL")
        lives.client.patch("/v1/scenes/plain", {"user": 1}).must(200)
        equal(lives.client.get("/v1/scenes/plain/bodies/b").must(200).json["id"], "b", "a scene that names no shape")
        stream = lives.client.post("/v1/scenes/s/bodies", ndjson([{}]), content_type="application/x-ndjson")
        lives.client.post("/v1/scenes/s/query/overlap", {"deadlineMs": 1})
        shapes = lives.client.get("/readyz").must(200).json["shapes"]
        equal(shapes["loaded"] + shapes["stored"], 1, "shapes of /readyz")
        if shapes["stored"]:
            break
    equal(shapes["stored"], 1, "shapes that are not here when others have been served")
    stream.problem(503, "recovering")
    lives.client.post("/v1/scenes/s/query/overlap", {"deadlineMs": 1}).problem(504, "deadline-exceeded")
    lives.client.put("/v1/scenes/t", {**naming, "deadlineMs": 1}).problem(504, "deadline-exceeded")
    listing = sent(lives.daemon.port, "GET", "/v1/shapes", None)
    waits = [sent(lives.daemon.port, *what) for what in (("PUT", "/v1/scenes/t", naming),
                                                         ("PUT", "/v1/scenes/u", json.dumps(naming).replace("s-", "\\u0073-")),
                                                         ("GET", f"/v1/shapes/{shape}", None))]
    equal(lives.client.post("/v1/scenes/s/query/overlap", {"deadlineMs": 60000}).must(200).json["results"], [], "an answer that has waited")
    equal([line.getresponse().status for line in waits], [201, 201, 200], "calls that have waited")
    equal([item["id"] for item in json.load(listing.getresponse())["shapes"]], [shape], "a list that has waited")
    counts = lives.client.get("/readyz").must(200).json
    equal((counts["scenes"], counts["shapes"]), ({"loaded": 4, "stored": 0, "corrupt": 0}, {"loaded": 1, "stored": 0, "corrupt": 0}), "/readyz")
    lives.again("KILL")
    lives.client.delete("/v1/scenes/s").must(200)
    equal(lives.client.get("/v1/scenes").json["total"], 3, "scenes when one has gone before its shape was here")
    for how in ("TERM", "KILL"):
        sent(lives.daemon.port, "GET", "/v1/scenes/t", None).close()
        lives.again(how)
    lives.wait_ready(loaded=True)
    lives.client.get("/v1/scenes/t").must(200)
    lives.down()


@suite.fact
def scenes_are_listed_at_once_and_loaded_when_they_are_needed():
    lives = Lives(suite, "--workers", "2")
    for i in range(40):
        lives.client.put(f"/v1/scenes/s{i:02}", {"bodies": [ball(f"b{j}", 3 * j) for j in range(i)]}).must(201)
    expected = lives.client.get("/v1/scenes").json
    lives.again("KILL", ready=False)
    listed = lives.client.get("/v1/scenes").must(200).json
    check(all(s.pop("status", "stored") == "stored" for s in listed["scenes"]), "a scene is neither loaded nor to be loaded")
    equal(listed, expected, "the list right after the start")
    equal(len(lives.client.get("/v1/scenes/s39").must(200).json["bodies"]), 39, "bodies of the last scene")
    equal(lives.wait_ready(loaded=True), {"status": "ok", "scenes": {"loaded": 40, "stored": 0, "corrupt": 0},
                                         "shapes": {"loaded": 0, "stored": 0, "corrupt": 0}}, "/readyz")
    equal(lives.client.get("/v1/scenes").json, expected, "the list when all are loaded")
    lives.down()


@suite.fact
def a_write_may_be_the_first_request_to_a_stored_scene():
    lives = Lives(suite)
    for i in range(20):
        lives.client.put(f"/v1/scenes/s{i:02}", {"bodies": [ball("b")]}).must(201)
    lives.again("KILL", ready=False)
    reply = lives.client.patch("/v1/scenes/s19/poses", {"ids": ["b"], "positions": [[1, 2, 3]]}, headers={"If-Match": '"r1"'})
    equal(reply.must(200).json["revision"], 2, "revision")
    equal(lives.client.delete("/v1/scenes/s18").must(200).json["revision"], 2, "revision of the deletion")
    equal(lives.client.put("/v1/scenes/s17", {"bodies": []}).must(200).json["revision"], 2, "revision of what was put anew")
    lives.down()


@suite.fact
def scene_memory_limits_the_scenes_in_memory():
    """With --scene-memory all scenes are listed, and loaded when a request needs them; the least recently used ones
    are evicted. Replies are the same as without the limit."""
    lives = Lives(suite, "--workers", "2", "--scene-memory", "400000")
    names = [f"s{i:02}" for i in range(12)]
    for i, name in enumerate(names):
        lives.client.put(f"/v1/scenes/{name}", {"bodies": [ball(f"b{j}", 3 * j) for j in range(200 + i)]}).must(201)
    expected = {name: lives.client.get(f"/v1/scenes/{name}").body for name in names}
    listed = [(s["id"], s["revision"], s["bodies"]) for s in lives.client.get("/v1/scenes").json["scenes"]]
    lives.again("KILL")
    figures = lambda: Metrics(lives.client.get("/metrics").text)
    watch = Stopwatch()
    while lives.client.get("/readyz").json["scenes"]["loaded"] < 2 and not watch.hangs():
        time.sleep(0.01)
    time.sleep(0.3)
    counts = lives.client.get("/readyz").json["scenes"]
    check(2 <= counts["loaded"] < 6 and counts["loaded"] + counts["stored"] == 12, f"right after the start: {counts}")
    for round_number in range(2):
        for name in names:
            equal(lives.client.get(f"/v1/scenes/{name}").must(200).body, expected[name], name)
            loaded = figures()["contactd_scenes_loaded"]
            check(loaded < 6, f"{loaded} scenes are in memory")
        equal([(s["id"], s["revision"], s["bodies"]) for s in lives.client.get("/v1/scenes").json["scenes"]], listed, "the list")
    check(figures()["contactd_scenes_let_go_total"] > 12, "no scene made room for others")
    for name in names:
        equal(lives.client.patch(f"/v1/scenes/{name}/poses", {"ids": ["b0"], "positions": [[-9, 0, 1]]},
                                 headers={"If-Match": '"r1"'}).must(200).json["revision"], 2, f"revision of {name}")
    equal(lives.client.delete("/v1/scenes/s00").must(200).json["revision"], 3, "revision of the deletion")
    for name in names[1:]:
        equal(lives.client.get(f"/v1/scenes/{name}/bodies/b0").must(200).json["position"], [-9, 0, 1], f"position in {name}")
    lives.down()


@suite.fact
def many_small_scenes_keep_the_bound_while_they_are_made_and_after_a_start():
    """Scenes of one body each; each counts 600 bytes and its records."""
    bound, count, hands = 65536, 2000 if not SANITIZER else 600, 4
    lives = Lives(suite, "--workers", "1", "--log", "off", "--scene-memory", str(bound))
    body = {"bodies": [{"id": "b", "colliders": [{"sphere": {"radius": 1}}]}]}
    loaded = lambda: Metrics(lives.client.get("/metrics").text)["contactd_scenes_loaded"]
    seen, failed = [], []

    def make(first):
        client = KeepAlive(lives.daemon)
        for i in range(first, count, hands):
            failed.extend([i] if client.put(f"/v1/scenes/s{i:05}", body, check=False).status != 201 else [])
            if i % 500 == 0:
                seen.append(Metrics(client.get("/metrics").text)["contactd_scenes_loaded"])

    threads = [threading.Thread(target=make, args=(i,)) for i in range(hands)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seen.append(loaded())
    equal(failed, [], "scenes that were not made")
    # The scenes that the other clients use at this moment count in addition.
    check(max(seen) <= bound / 600 + hands, f"{seen} scenes were in memory while {count} were made")
    for i in (0, count // 2, count - 1, 0):
        equal(lives.client.get(f"/v1/scenes/s{i:05}").must(200).json["bodies"][0]["id"], "b", f"body of scene {i}")
    # After a start as many scenes are loaded as have room; the others stay in the store.
    lives.again("KILL")
    lives.client.get("/livez").must(200)
    watch = Stopwatch()
    while loaded() < 10 and not watch.hangs():
        time.sleep(0.01)
    counts = lives.client.get("/readyz").must(200).json["scenes"]
    check(10 <= counts["loaded"] <= bound / 600 and counts["loaded"] + counts["stored"] == count, f"right after the start: {counts}")
    for i in range(0, count, count // 50):
        equal(lives.client.get(f"/v1/scenes/s{i:05}").must(200).json["bodies"][0]["id"], "b", f"body of scene {i}")
    check(loaded() <= bound / 600 + 1, f"{loaded()} scenes are in memory")
    lives.down()


@suite.fact
def after_a_start_loading_stops_at_the_first_scene_without_room():
    """Examining the rest would block the loop thread, so smaller scenes behind it stay unloaded."""
    lives = Lives(suite, "--workers", "1", "--scene-memory", "200000")
    for name, bodies in (("a", 3), ("b", 2000), *((f"c{i}", 3) for i in range(8))):
        lives.client.put(f"/v1/scenes/{name}", {"bodies": [ball(f"b{j}", 3 * j) for j in range(bodies)]}).must(201)
    lives.again("KILL")
    watch = Stopwatch()
    while lives.client.get("/readyz").json["scenes"]["loaded"] < 1 and not watch.hangs():
        time.sleep(0.01)
    time.sleep(0.3)
    equal(lives.client.get("/readyz").json["scenes"], {"loaded": 1, "stored": 9, "corrupt": 0}, "scenes right after the start")
    equal(len(lives.client.get("/v1/scenes/c7").must(200).json["bodies"]), 3, "bodies of one that is asked for")
    equal(lives.client.get("/readyz").json["scenes"]["loaded"], 2, "scenes then")
    lives.down()


@suite.fact
def the_least_recently_used_scene_is_evicted_and_none_in_use():
    lives = Lives(suite, "--workers", "1", "--scene-memory", "140000")
    names = [f"s{i}" for i in range(8)]
    for name in names:
        lives.client.put(f"/v1/scenes/{name}", {"bodies": [ball(f"b{j}", 3 * j) for j in range(60)]}).must(201)
    statuses = lambda: {s["id"]: s.get("status") for s in lives.client.get("/v1/scenes").json["scenes"]}
    in_memory = lambda: [name for name in names if statuses()[name] != "stored"]
    room = len(in_memory())
    check(1 < room < 7, f"{room} scenes have room")
    equal(in_memory(), names[8 - room:], "scenes in memory after they were made one after the other")
    with Stream(lives.daemon, "s0") as stream:
        stream.head()
        for name in names[1:]:
            lives.client.get(f"/v1/scenes/{name}").must(200)
        check("s0" in in_memory(), "a scene with a stream was let go of")
        equal(in_memory(), ["s0", *names[9 - room:]], "scenes in memory while one has a stream")
    lives.client.get("/v1/scenes/s7").must(200)
    for name in names[1:room + 1]:
        lives.client.get(f"/v1/scenes/{name}").must(200)
        lives.client.get("/v1/scenes/s7").must(200)
    check("s7" in in_memory(), "one that is used again and again was let go of")
    lives.down()


@suite.fact
def an_event_id_from_before_a_restart_is_answered_by_a_reset():
    lives = Lives(suite)
    lives.client.put("/v1/scenes/s", {"bodies": [ball("b")]}).must(201)
    with Stream(lives.daemon, "s") as stream:
        stream.next("revision")
        lives.client.patch("/v1/scenes/s", {"user": 1}).must(200)
        last = stream.next("revision")
    lives.again("KILL")
    with Stream(lives.daemon, "s", last=last.id) as stream:
        reset = stream.next("reset")
        equal(reset.data["revision"], 2, "revision of the reset")
        check(int(reset.id) > int(last.id), f"event {reset.id} after a start is not above {last.id} before it")
    lives.down()


@suite.fact
def a_scene_of_the_command_line_does_not_replace_a_stored_one():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "one.json"
        path.write_text(json.dumps({"id": "one", "bodies": [ball("b")]}))
        lives = Lives(suite, "--scene", str(path))
        figures = Metrics(lives.client.get("/metrics").text)
        equal((figures["contactd_store_commits_total", "status", "ok"], figures["contactd_revisions_total"]), (1, 1), "commits, revisions")
        equal(lives.client.delete("/v1/scenes/one/bodies/b").must(200).json["revision"], 2, "revision")
        lives.again("KILL")
        equal(lives.client.get("/v1/scenes/one").must(200).json["bodies"], [], "bodies")
        last = lives.daemon
        lives.down()
        check('"event":"sceneKept"' in last.log_text(), "the log does not say that the store's scene was kept")


@suite.fact
def a_second_daemon_on_the_same_store_is_refused():
    lives = Lives(suite)
    other = subprocess.run([str(binary()), "--port", "0", "--durability", "disk", "--data", lives.folder], capture_output=True, text=True,
                           timeout=60, check=False, env=clean_environment())
    equal((other.returncode, other.stdout, other.stderr.count("\n")), (2, "", 1), "exit status, output and lines of the refusal")
    lives.again("KILL")
    lives.down()


@suite.fact
def a_write_never_overwrites_the_revision_of_another_daemon():
    """Two daemons on one store, which the lock file prevents and the test removes. A write to a revision that is no
    longer current is judged again by the current one."""
    lives = Lives(suite)
    for name in ("s", "t"):
        lives.client.put(f"/v1/scenes/{name}", {"bodies": []}).must(201)
    (pathlib.Path(lives.folder) / "contactd.lock").rename(pathlib.Path(lives.folder) / "taken.away")
    with Daemon("--data", lives.folder, durability="disk") as other:
        client = KeepAlive(other)
        client.patch("/v1/scenes/s", {"user": "other"}).must(200)
        client.delete("/v1/scenes/t").must(200)
        client.put("/v1/scenes/u", {"bodies": []}).must(201)
        client.close()
    reply = lives.client.patch("/v1/scenes/s", {"user": "mine"}, headers={"If-Match": '"r1"'})
    equal(reply.problem(412, "revision-mismatch").etag, '"r2"', "ETag of the refusal")
    equal(lives.client.get("/v1/scenes/s").must(200).json["user"], "other", "what is read")
    lives.client.patch("/v1/scenes/t", {"user": "mine"}).problem(404, "scene-not-found")
    reply = lives.client.put("/v1/scenes/u", {"bodies": []}, headers={"If-None-Match": "*"})
    equal(reply.problem(412, "revision-mismatch").etag, '"r3"', "ETag of the refusal")
    equal([(s["id"], s["revision"]) for s in lives.client.get("/v1/scenes").json["scenes"]], [("s", 2), ("u", 3)], "scenes")
    lives.down()


# ---- damage ------------------------------------------------------------------------------------------------------------------


def flip_where(folder, mark):
    """Flips a bit at each occurrence of the mark in the store's files, and counts them."""
    count = 0
    for path in pathlib.Path(folder).glob("contactd.db*"):
        data = bytearray(path.read_bytes())
        at = data.find(mark)
        while at >= 0:
            data[at] ^= 0x10
            count += 1
            at = data.find(mark, at + 1)
        path.write_bytes(data)
    return count


@suite.fact
def a_damaged_scene_is_reported_corrupt_and_others_are_served():
    """F7: that scene alone is 500 corrupt; it can be replaced and deleted, and its revision numbers continue."""
    lives = Lives(suite)
    for name in ("bad", "worse", "good"):
        lives.client.put(f"/v1/scenes/{name}", {"bodies": [*[ball(f"b{i}", user="u" * 4000) for i in range(5)],
                                                            ball(f"mark-of-{name}")]}).must(201)
    lives.client.patch("/v1/scenes/bad", {"user": 2}).must(200)
    good = lives.client.get("/v1/scenes/good").body
    lives.down()
    check(flip_where(lives.folder, b"mark-of-bad") and flip_where(lives.folder, b"mark-of-worse"), "the store does not hold the marks")
    lives.start()
    equal(lives.client.get("/v1/scenes/good").must(200).body, good, "the scene beside it")
    equal(lives.wait_ready(loaded=True)["scenes"], {"loaded": 1, "stored": 0, "corrupt": 2}, "/readyz")
    check("\ncontactd_scenes_corrupt 2\n" in lives.client.get("/metrics").must(200).text, "/metrics does not count corrupt scenes")
    for path, body in (("", None), ("/poses", None), ("/query/overlap", {})):
        reply = lives.client.post(f"/v1/scenes/bad{path}", body) if body is not None else lives.client.get(f"/v1/scenes/bad{path}")
        check('"bad"' in reply.problem(500, "corrupt").json["detail"], f"the problem does not name the scene: {reply.text}")
    lives.client.patch("/v1/scenes/bad", {"user": 3}).problem(500, "corrupt")
    listed = {s["id"]: s for s in lives.client.get("/v1/scenes").must(200).json["scenes"]}
    equal(listed["bad"], {"id": "bad", "revision": 2, "bodies": 6, "status": "corrupt"}, "entry of the list")
    lives.client.put("/v1/scenes/bad", {"bodies": []}, headers={"If-Match": '"r1"'}).problem(412, "revision-mismatch")
    equal(lives.client.put("/v1/scenes/bad", {"bodies": []}, headers={"If-Match": '"r2"'}).must(201).json["revision"], 3, "revision")
    equal(lives.client.delete("/v1/scenes/worse").must(200).json["revision"], 2, "revision of the deletion")
    lives.client.get("/v1/scenes/worse").problem(404, "scene-not-found")
    lives.again("KILL")
    equal([(s["id"], s["revision"]) for s in lives.client.get("/v1/scenes").json["scenes"]], [("bad", 3), ("good", 1)], "scenes")
    equal(lives.client.get("/v1/scenes/bad").must(200).json["bodies"], [], "bodies")
    lives.down()


@suite.fact
def damage_where_new_records_would_go_is_logged_once():
    """New records are written to another place, and the log reports the damage once."""
    lives = Lives(suite, "--log", "stderr")
    lives.client.put("/v1/scenes/bad", {"bodies": [ball("mark-of-bad")]}).must(201)
    lives.down()
    check(flip_where(lives.folder, b"mark-of-bad"), "the store does not hold the mark")
    lives.start()
    for name in ("one", "two"):
        lives.client.put(f"/v1/scenes/{name}", {"bodies": [ball("b")]}).must(201)
    lives.client.get("/readyz").must(200)
    daemon = lives.daemon
    lives.down()
    equal(daemon.log_text().count('"event":"storageDamaged"'), 1, "lines in the log")


@suite.fact
def flipped_bytes_are_detected_or_harmless():
    """F7: each answer is the scene as it was, or a problem; never another scene."""
    lives = Lives(suite)
    names = [f"s{i}" for i in range(6)]
    for name in names:
        lives.client.put(f"/v1/scenes/{name}", {"bodies": [ball(f"b{j}", 3 * j) for j in range(30)], "user": name}).must(201)
    expected = {name: lives.client.get(f"/v1/scenes/{name}").body for name in names}
    lives.down()
    path = pathlib.Path(lives.folder) / "contactd.db"
    whole = path.read_bytes()
    rng, served, refused = random.Random(5), 0, 0
    for unused in range(8):
        data = bytearray(whole)
        for unused in range(4):
            data[rng.randrange(4096, len(data))] ^= 1 << rng.randrange(8)
        path.write_bytes(data)
        run = lives.try_start()
        if run:
            equal((run.returncode, run.stdout, run.stderr[:10]), (2, "", "contactd: "), "exit status, output, beginning of the refusal")
            refused += 1
            continue
        for name in names:
            reply = lives.client.get(f"/v1/scenes/{name}")
            if reply.status == 200:
                equal(reply.body, expected[name], f"scene {name}")
                served += 1
            else:
                reply.problem(500, "corrupt")
                refused += 1
        lives.down()
    check(served > 0 and refused > 0, f"{served} scenes were served, {refused} refused")


# ---- shapes ------------------------------------------------------------------------------------------------------------------


@suite.fact
def named_shapes_stay_and_others_can_be_deleted():
    lives = Lives(suite)
    shape = lives.client.post("/v1/shapes?unit=m", CUBE, content_type=OBJ).must(201).json["id"]
    lives.client.put("/v1/scenes/s", {"bodies": [{"id": "b", "colliders": [{"shape": shape}]}]}).must(201)
    report = lives.client.get(f"/v1/shapes/{shape}").must(200).json
    lives.again("KILL")
    lives.wait_ready(loaded=True)
    equal(lives.client.get(f"/v1/shapes/{shape}").must(200).json, report, "report")
    lives.client.delete(f"/v1/shapes/{shape}").problem(409, "shape-in-use")
    equal(lives.client.post("/v1/shapes?unit=m", CUBE, content_type=OBJ).must(200).json["id"], shape, "id of the same bytes")
    lives.client.delete("/v1/scenes/s/bodies/b").must(200)
    lives.client.delete(f"/v1/shapes/{shape}").must(200)
    lives.again("KILL")
    lives.client.get(f"/v1/shapes/{shape}").problem(404, "shape-not-found")
    lives.down()


@suite.fact
def unnamed_shapes_expire():
    """--shape-seconds counts from the last time at which a shape was posted or named; scenes that are not in memory
    name shapes, too."""
    lives = Lives(suite, "--shape-seconds", "1")
    watch = Stopwatch()
    named, free = [lives.client.post(f"/v1/shapes?unit={unit}", CUBE, content_type=OBJ).must(201).json["id"] for unit in ("m", "mm")]
    lives.client.put("/v1/scenes/s", {"bodies": [{"id": "b", "colliders": [{"shape": named}]}]}).must(201)
    wait_until(lambda: lives.client.get("/v1/shapes").must(200).json["total"] < 2, "the shape is there", pause=0.05)
    check(watch.read().lasted(1), f"the shape expired after {watch.read()}")
    lives.client.get(f"/v1/shapes/{free}").problem(404, "shape-not-found")
    lives.client.get(f"/v1/shapes/{named}").must(200)
    lives.again("KILL")
    equal([s["id"] for s in lives.client.get("/v1/shapes").must(200).json["shapes"]], [named], "shapes")
    lives.client.delete("/v1/scenes/s").must(200)
    watch = Stopwatch()
    while lives.client.get("/v1/shapes").must(200).json["total"] == 1:
        check(not watch.hangs(), "the shape is there, and its scene is not")
        time.sleep(0.05)
    lives.down()


def naming_writers(port, shape, until, failures, count=4):
    """Threads, each of which puts a scene that names the shape again and again."""
    body = json.dumps({"bodies": [{"id": f"b{i}", "position": [3 * i, 0, 0], "colliders": [{"shape": shape}]} for i in range(20)]})

    def one(number):
        line = connection(port)
        while not until.is_set():
            line.request("PUT", f"/v1/scenes/n{number}", body, {"Content-Type": "application/json"})
            reply = line.getresponse()
            text = reply.read()
            if reply.status not in (200, 201):
                failures.append(text)
                return
        line.close()

    threads = [threading.Thread(target=one, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    return threads


@suite.fact
def a_shape_can_be_deleted_while_writes_name_others():
    """A removal is refused only if a scene names this shape, and it waits for no write."""
    lives = Lives(suite, "--workers", "2")
    named, free = [lives.client.post(f"/v1/shapes?unit={unit}", CUBE, content_type=OBJ).must(201).json["id"] for unit in ("m", "mm")]
    until, failures = threading.Event(), []
    threads = naming_writers(lives.daemon.port, named, until, failures)
    while lives.client.get("/v1/scenes").json["total"] < 4:
        time.sleep(0.001)
    try:
        for unused in range(10):
            lives.client.delete(f"/v1/shapes/{named}").problem(409, "shape-in-use")
            lives.client.delete(f"/v1/shapes/{free}").must(200)
            lives.client.post("/v1/shapes?unit=mm", CUBE, content_type=OBJ).must(201)
    finally:
        until.set()
        for thread in threads:
            thread.join()
    equal(failures, [], "writes that name the shape that stays")
    lives.down()


@suite.fact
def of_a_removal_and_a_write_that_names_the_shape_one_is_refused():
    """Of a removal and a write that names its shape the first one succeeds and the other is refused; no scene names
    a deleted shape."""
    lives = Lives(suite, "--workers", "2")
    shape = lives.client.post("/v1/shapes?unit=m", CUBE, content_type=OBJ).must(201).json["id"]
    body, seen, until = {"bodies": [{"id": "b", "colliders": [{"shape": shape}]}]}, [], threading.Event()

    def write():
        client = KeepAlive(lives.daemon)
        while not until.is_set():
            reply = client.put("/v1/scenes/s", body)
            if reply.status in (200, 201):
                client.delete("/v1/scenes/s").must(200)
            else:
                reply.problem(422, "unknown-id")
            seen.append(reply.status)
        client.close()

    thread = threading.Thread(target=write)
    thread.start()
    removed = refused = 0
    watch = Stopwatch()
    try:
        while (removed < 5 or refused < 5) and not watch.hangs():
            reply = lives.client.delete(f"/v1/shapes/{shape}")
            if reply.status == 200:
                removed += 1
                lives.client.get(f"/v1/shapes/{shape}").problem(404, "shape-not-found")
            else:
                refused += 1
                reply.problem(409, "shape-in-use")
            check(lives.client.post("/v1/shapes?unit=m", CUBE, content_type=OBJ).status in (200, 201), "the shape is posted again")
            lives.client.get(f"/v1/shapes/{shape}").must(200)
    finally:
        until.set()
        thread.join()
    check(removed > 0 and refused > 0 and 201 in seen, f"{removed} removals were taken, {refused} refused, writes: {set(seen)}")
    lives.again("KILL")
    equal(lives.wait_ready(loaded=True)["scenes"]["corrupt"], 0, "scenes that cannot be read")
    lives.down()


@suite.fact
def a_shape_posted_during_its_removal_exists_afterwards():
    if SANITIZER:
        raise Skip("a sanitizer's library must be the first")
    lives = Lives(suite, "--workers", "2")
    with tempfile.TemporaryDirectory() as folder:
        mark = pathlib.Path(folder) / "slow"
        lives.again(fails=mark)
        shape = lives.client.post("/v1/shapes?unit=m", CUBE, content_type=OBJ).must(201).json["id"]
        mark.write_text("hold")
        removal, upload = (connection(lives.daemon.port) for unused in range(2))
        removal.request("DELETE", f"/v1/shapes/{shape}")
        lives.wait_given(1)
        upload.request("POST", "/v1/shapes?unit=m", CUBE, {"Content-Type": OBJ})
        lives.wait_given(2)
        mark.unlink()
        equal(json.loads(upload.getresponse().read())["id"], shape, "id of the same bytes")
        equal(removal.getresponse().status, 200, "status of the removal")
        lives.client.get(f"/v1/shapes/{shape}").must(200)
    lives.again("KILL")
    lives.client.get(f"/v1/shapes/{shape}").must(200)
    lives.down()


suite.main()
