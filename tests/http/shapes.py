"""Posted shapes by curl: ids by content, reports, colliders that name a shape, scenes read back, limits, files of
robots."""
import hashlib
import json
import math
import struct

from support import metrics, models
from support.checks import Suite, check, equal, holds, near
from support.client import Curl, ndjson
from support.daemon import Daemon
from support.raw import Raw
from support.stopwatch import wait_until

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = Curl(daemon)

STL, OBJ = "model/stl", "model/obj"
LINKS = ("base_link", "bicep", "elbow", "forearm", "palm", "shoulder", "wrist")  # files of the KUKA KR5
CORNERS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
CUBE = [(0, 2, 1), (0, 3, 2), (4, 5, 6), (4, 6, 7), (0, 1, 5), (0, 5, 4), (1, 2, 6), (1, 6, 5), (2, 3, 7), (2, 7, 6), (3, 0, 4), (3, 4, 7)]


def cube_points(side=1.0, at=(0.0, 0.0, 0.0)):
    return [[at[i] + side * c[i] for i in range(3)] for c in CORNERS]


def stl_of(points, triangles, head=b"made by a test"):
    """Binary STL; its numbers are floats."""
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *points[a], *points[b], *points[c], 0) for a, b, c in triangles)
    return head.ljust(80, b" ") + struct.pack("<I", len(triangles)) + body


def obj_of(points, triangles):
    lines = ["v {!r} {!r} {!r}".format(*p) for p in points] + ["f {} {} {}".format(*(i + 1 for i in t)) for t in triangles]
    return ("\n".join(lines) + "\n").encode()


def post(body, kind=None, query="", **rest):
    return client.post("/v1/shapes" + query, body, content_type=kind or "application/json", **rest)


def made(body, kind=None, query=""):
    reply = post(body, kind, query)
    return reply.must(reply.status if reply.status in (200, 201) else 201).json["id"]


def scene_with(name, *colliders):
    return client.put(f"/v1/scenes/{name}", {"bodies": [{"id": f"b{i}", "colliders": [c]} for i, c in enumerate(colliders)]})


def distance(a, b):
    return client.post("/v1/query/distance", {"a": a, "b": b}).must(200).json["results"][0]


# ---- ids ---------------------------------------------------------------------------------------------------------------------


@suite.fact
def an_id_is_made_of_the_content():
    body = stl_of(cube_points(), CUBE)
    first = post(body, STL, "?unit=mm").must(201)
    equal(first.headers["location"], "/v1/shapes/" + first.json["id"], "Location")
    again = post(body, STL, "?unit=mm").must(200)
    equal(again.json["id"], first.json["id"], "id of the same bytes")
    check("location" not in again.headers, "a shape that was there is told as new")
    ids = {first.json["id"], made(body, STL, "?unit=m"), made(body, STL, "?unit=mm&solid=true"), made(body, STL, "?unit=mm&solid=false"),
           made(stl_of(cube_points(2.0), CUBE), STL, "?unit=mm"), made(obj_of(cube_points(), CUBE), OBJ, "?unit=mm")}
    equal(len(ids), 6, "different ids of different content")


@suite.fact
def the_id_is_the_start_of_a_sha_256():
    body = json.dumps({"sphere": {"radius": 0.125}}).encode()
    equal(made(body), "s-" + hashlib.sha256(b"json m\0" + body).hexdigest()[:32], "id")
    file = stl_of(cube_points(3.0), CUBE)
    equal(made(file, STL, "?unit=in"), "s-" + hashlib.sha256(b"stl in\0" + file).hexdigest()[:32], "id")


@suite.fact
def a_listing_goes_page_by_page_in_ascending_order():
    ids = [made({"sphere": {"radius": r}}) for r in (1.5, 2.5, 3.5, 4.5)]
    listed, cursor = [], None
    while True:
        page = client.get("/v1/shapes?limit=3" + (f"&cursor={cursor}" if cursor else "")).must(200).json
        equal(page["count"], len(page["shapes"]), "count")
        listed += [s["id"] for s in page["shapes"]]
        cursor = page.get("nextCursor")
        if not cursor:
            break
    equal(listed, sorted(listed), "order")
    check(set(ids) <= set(listed), "a shape is not listed")
    equal(len(listed), page["total"], "total")
    client.get("/v1/shapes?cursor=-").problem(422, "bad-cursor")
    client.get("/v1/shapes?limit=0").problem(400, "bad-parameter")


# ---- reports -----------------------------------------------------------------------------------------------------------------


@suite.fact
def the_report_of_a_cube_is_that_of_a_cube():
    report = post(stl_of(cube_points(250.0), CUBE), STL, "?unit=mm").must(201).json
    holds(report, {"kind": "mesh", "unit": "mm", "bytes": 84 + 50 * 12, "triangles": 12, "vertices": 8, "welded": 28, "degenerateDropped": 0,
                   "duplicatesDropped": 0, "components": 1, "closed": True, "oriented": True, "manifold": True, "watertight": True,
                   "selfIntersecting": False, "solid": True, "flipped": False, "references": 0, "warnings": [], "box": {"min": [0, 0, 0], "max": [0.25, 0.25, 0.25]}})
    near(report["volume"], 0.25 ** 3, 1e-16, "volume")
    near(report["area"], 6 * 0.25 ** 2, 1e-15, "area")
    got = client.get("/v1/shapes/" + report["id"]).must(200).json
    equal(got, {k: v for k, v in report.items() if k != "durability"}, "GET")
    equal(client.head("/v1/shapes/" + report["id"]).status, 200, "HEAD")


@suite.fact
def every_unit_is_its_length():
    for unit, metres in (("m", 1.0), ("mm", 0.001), ("cm", 0.01), ("um", 1e-6), ("in", 0.0254), ("ft", 0.3048)):
        for body, kind in ((stl_of(cube_points(), CUBE), STL), (obj_of(cube_points(), CUBE), OBJ)):
            equal(post(body, kind, f"?unit={unit}").json["box"]["max"], [metres] * 3, f"box in {unit}")


@suite.fact
def an_unusual_size_is_warned_of():
    for side, unit, warned in ((1.0, "um", True), (1.0, "m", False), (0.5, "mm", True), (150.0, "m", True), (150.0, "mm", False),
                               (99.0, "m", False)):
        warnings = post(stl_of(cube_points(side), CUBE), STL, f"?unit={unit}").json["warnings"]
        equal([w["type"] for w in warnings], ["unit"] if warned else [], f"warnings of {side} {unit}")


@suite.fact
def primitives_and_hulls_report_volume_and_box():
    for body, volume, corner in (({"sphere": {"radius": 0.5}}, math.pi / 6, [0.5] * 3), ({"box": {"size": [1, 2, 4]}}, 8, [0.5, 1, 2]),
                                 ({"capsule": {"radius": 1, "height": 2}}, math.pi * (2 + 4 / 3), [1, 1, 2]),
                                 ({"convex": {"vertices": cube_points(2.0)}}, 8, [2, 2, 2])):
        report = post(body).must(201).json
        equal(report["kind"], list(body)[0], "kind")
        near(report["volume"], volume, 1e-14, "volume")
        for got, wanted in zip(report["box"]["max"], corner):
            near(got, wanted, 1e-15 * (1 + wanted), "corner")
    report = post({"plane": {}}).must(201).json
    check("volume" not in report and "box" not in report, "a half-space has neither volume nor box")


# ---- colliders that name a shape ---------------------------------------------------------------------------------------------


@suite.fact
def a_collider_that_names_a_shape_is_that_shape():
    own = {"convex": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3], [0.1, 0.1, 0.1]]}}
    shape = made(own)
    other = {"sphere": {"radius": 0.25}, "position": [2, 1, 1]}
    equal(distance({"shape": shape, "rpy": [0.1, 0.2, 0.3]}, other), distance({**own, "rpy": [0.1, 0.2, 0.3]}, other), "answer")


@suite.fact
def a_scaled_shape_is_the_shape_with_scaled_lengths():
    cases = [({"sphere": {"radius": 1}}, {"sphere": {"radius": 2.5}}), ({"box": {"size": [1, 2, 3]}}, {"box": {"size": [2.5, 5, 7.5]}}),
             ({"capsule": {"radiusBottom": 1, "radiusTop": 2, "height": 2}}, {"capsule": {"radiusBottom": 2.5, "radiusTop": 5, "height": 5}}),
             ({"convex": {"vertices": cube_points()}}, {"convex": {"vertices": cube_points(2.5)}}), ({"plane": {}}, {"plane": {}})]
    probe = {"sphere": {"radius": 0.5}, "position": [3.5, 4.25, 6.5]}
    for small, large in cases:
        named = {"shape": made(small), "scale": 2.5}
        equal(distance(named, probe), distance(large, probe), f"answer of {list(small)[0]}")


@suite.fact
def a_scene_returns_the_collider_that_names_a_shape_as_it_was_sent():
    shape = made({"box": {"size": [0.5, 0.25, 0.125]}})
    forms = [{"shape": shape}, {"shape": shape, "scale": 2}, {"shape": shape, "scale": 1}, {"shape": shape, "id": "x", "position": [1, 0, 0]}]
    scene_with("spelled", *forms).must(201)
    document = client.get("/v1/scenes/spelled").must(200)
    for form, body in zip(forms, document.json["bodies"]):
        equal(body["colliders"][0], form, "collider")
    client.put("/v1/scenes/spelled", document.body).must(200)
    equal(client.get("/v1/scenes/spelled").body, document.body, "document")


@suite.fact
def every_kind_of_write_may_name_a_shape():
    shape = made({"sphere": {"radius": 0.75}})
    body = {"id": "n", "colliders": [{"shape": shape}]}
    path = "/v1/scenes/writes"
    client.put(path, {"bodies": []}).must(201)
    client.post(path + "/bodies", [body]).must(201)
    client.post(path + "/bodies", ndjson([{**body, "id": "line"}]), content_type="application/x-ndjson").must(201)
    client.put(path + "/bodies/one", {"colliders": [{"shape": shape}]}).must(201)
    client.patch(path + "/bodies/one", {"colliders": [{"shape": shape, "scale": 2}]}).must(200)
    client.patch(path + "/bodies", [{"id": "one", "position": [1, 1, 1]}]).must(200)
    equal(client.get(path + "/bodies/one").json["colliders"], [{"shape": shape, "scale": 2}], "colliders after patches")
    client.post("/v1/query/overlap", {"scene": {"bodies": [body, {**body, "id": "m"}]}}).must(200)
    equal(client.get("/v1/shapes/" + shape).json["references"], 3, "references")


@suite.fact
def references_are_the_colliders_of_all_scenes_now():
    shape, other = made({"sphere": {"radius": 0.3}}), made({"sphere": {"radius": 0.31}})
    count = lambda: client.get("/v1/shapes/" + shape).json["references"]
    equal(count(), 0, "references")
    scene_with("r1", {"shape": shape}, {"shape": shape, "scale": 2}, {"shape": other}).must(201)
    scene_with("r2", {"shape": shape}).must(201)
    equal(count(), 3, "references")
    equal(post({"sphere": {"radius": 0.3}}).must(200).json["references"], 3, "references of a POST again")
    refusal = client.delete("/v1/shapes/" + shape).problem(409, "shape-in-use")
    check("3 colliders" in refusal.json["detail"], refusal.text)
    client.delete("/v1/scenes/r1").must(200)
    client.delete("/v1/shapes/" + shape).problem(409, "shape-in-use")
    client.delete("/v1/scenes/r2/bodies/b0").must(200)
    holds(client.delete("/v1/shapes/" + shape).must(200).json, {"id": shape})
    client.get("/v1/shapes/" + shape).problem(404, "shape-not-found")
    client.delete("/v1/shapes/" + shape).problem(404, "shape-not-found")
    scene_with("r3", {"shape": shape}).problem(422, "unknown-id", "/bodies/0/colliders/0/shape")
    equal(made({"sphere": {"radius": 0.3}}), shape, "id of the shape made again")
    scene_with("r3", {"shape": shape}).must(201)


@suite.fact
def a_bad_reference_to_a_shape_is_refused_with_its_pointer():
    shape, tiny = made({"sphere": {"radius": 1}}), made({"convex": {"vertices": cube_points(1e-7)}})
    at = "/a/shape"
    for collider, problem, pointer in (
            ({"shape": "s-unknown"}, "unknown-id", at), ({"shape": "no\nid"}, "bad-value", at), ({"shape": 7}, "wrong-type", at),
            ({"shape": shape, "sphere": {"radius": 1}}, "conflicting-members", "/a"), ({"sphere": {"radius": 1}, "scale": 2}, "conflicting-members", "/a/scale"),
            ({"shape": shape, "scale": 0}, "out-of-range", "/a/scale"), ({"shape": shape, "scale": -1}, "out-of-range", "/a/scale"),
            ({"shape": shape, "scale": 1e7}, "out-of-range", "/a/scale"), ({"shape": shape, "scale": "2"}, "wrong-type", "/a/scale"),
            ({"shape": shape, "scale": [1, 2, 3]}, "wrong-type", "/a/scale"), ({"shape": tiny, "scale": 1e-3}, "out-of-range", "/a/scale"),
            ({"shape": made({"sphere": {"radius": 1e4}}), "scale": 1e6}, "out-of-range", "/a/scale"),
            ({"shape": made({"convex": {"vertices": cube_points(1e4)}}), "scale": 1e6}, "out-of-range", "/a/scale")):
        client.post("/v1/query/distance", {"a": collider, "b": {"sphere": {"radius": 1}}}).problem(422, problem, pointer)
    path = "/v1/scenes/wrong"
    client.put(path, {"bodies": []}).must(201)
    client.post(path + "/bodies", ndjson([{"id": "x", "colliders": [{"shape": "gone"}]}]), content_type="application/x-ndjson").problem(
        422, "unknown-id", "/0/colliders/0/shape")


class HeldUpload:
    """An NDJSON upload whose first lines a worker has read while the rest is not sent yet."""

    def __init__(self, scene, lines):
        before = metrics.read(client)["contactd_worker_busy_seconds_total"]
        self.raw = Raw(daemon.port)
        self.raw.send(f"POST /v1/scenes/{scene}/bodies HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
                      "Transfer-Encoding: chunked\r\n\r\n")
        self.send(lines)
        wait_until(lambda: self.is_read(len(ndjson(lines)), before), "no worker has read the first lines")

    @staticmethod
    def is_read(length, before):
        now = metrics.read(client)
        return (now["contactd_request_bodies_bytes"] >= length and now["contactd_workers_busy"] == 0
                and now["contactd_worker_busy_seconds_total"] > before)

    def send(self, lines):
        data = ndjson(lines)
        data = data if isinstance(data, bytes) else data.encode()
        self.raw.send(b"%x\r\n%s\r\n" % (len(data), data))

    def end(self):
        self.raw.send(b"0\r\n\r\n")
        reply = self.raw.reply()
        self.raw.close()
        return reply


def many_bodies(first, count, shape):
    return [{"id": f"{first}{i}", "colliders": [{"shape": shape}]} for i in range(count)]


@suite.fact
def a_shape_stays_while_an_upload_may_name_it():
    shape = made({"sphere": {"radius": 0.3125}})
    client.put("/v1/scenes/held", {"bodies": []}).must(201)
    upload = HeldUpload("held", many_bodies("a", 6000, shape))
    client.delete("/v1/shapes/" + shape).problem(409, "shape-in-use")
    upload.send(many_bodies("b", 10, shape))
    equal(upload.end().status, 201, "upload")
    equal(client.get("/v1/shapes/" + shape).must(200).json["references"], 6010, "references")
    document = client.get("/v1/scenes/held").must(200).json
    client.put("/v1/scenes/again", {"bodies": document["bodies"]}).must(201)
    for scene in ("held", "again"):
        client.delete("/v1/shapes/" + shape).problem(409, "shape-in-use")
        client.delete("/v1/scenes/" + scene).must(200)
    client.delete("/v1/shapes/" + shape).must(200)


@suite.fact
def an_aborted_upload_releases_its_shapes():
    shape = made({"sphere": {"radius": 0.328125}})
    client.put("/v1/scenes/broken", {"bodies": []}).must(201)
    upload = HeldUpload("broken", many_bodies("a", 6000, shape))
    client.delete("/v1/shapes/" + shape).problem(409, "shape-in-use")
    upload.raw.close()
    wait_until(lambda: client.delete("/v1/shapes/" + shape).status == 200, "the shape is held though the upload has gone")


@suite.fact
def an_upload_may_name_only_shapes_posted_before_it_began():
    shape = made({"sphere": {"radius": 0.34375}})
    client.put("/v1/scenes/moment", {"bodies": []}).must(201)
    upload = HeldUpload("moment", many_bodies("a", 6000, shape))
    late = made({"sphere": {"radius": 0.359375}})
    upload.send(many_bodies("b", 6000, late))
    reply = upload.end()
    equal(reply.status, 422, "upload that names a shape made after it began")
    equal(json.loads(reply.body)["errors"][0]["pointer"], "/6000/colliders/0/shape", "pointer")
    client.delete("/v1/shapes/" + late).must(200)
    client.delete("/v1/shapes/" + shape).must(200)


# ---- limits ------------------------------------------------------------------------------------------------------------------


@suite.fact
def the_limits_of_shapes_are_kept():
    with Daemon("--limit", "shapes=2", "--limit", "shapeBytes=2000", "--limit", "meshTriangles=10", "--limit", "jsonBytes=4096") as small:
        own = Curl(small)
        ask = lambda body, kind="application/json", query="": own.post("/v1/shapes" + query, body, content_type=kind)
        ask(stl_of(cube_points(), CUBE), STL, "?unit=m").problem(422, "limit-exceeded")
        ask(obj_of(cube_points(), CUBE), OBJ, "?unit=m").problem(422, "limit-exceeded")
        ask(stl_of(cube_points(), 4 * CUBE), STL, "?unit=m").problem(413, "body-too-large")
        ask({"convex": {"vertices": cube_points() * 40}}).problem(413, "body-too-large")
        equal(own.get("/v1/shapes").json["total"], 0, "shapes kept")
        ask(stl_of(cube_points(), CUBE[:10]), STL, "?unit=m").must(201)
        second = ask({"sphere": {"radius": 1}}).must(201).json["id"]
        ask({"sphere": {"radius": 2}}).problem(422, "limit-exceeded")
        ask({"sphere": {"radius": 1}}).must(200)
        own.delete("/v1/shapes/" + second).must(200)
        ask({"sphere": {"radius": 2}}).must(201)
    with Daemon("--limit", "shapesBytes=1048576") as small:
        own = Curl(small)
        n, kept = 40, 0
        grid = [(i, j, (i * j) % 7) for i in range(n) for j in range(n)]
        quads = [(i * n + j, (i + 1) * n + j, (i + 1) * n + j + 1) for i in range(n - 1) for j in range(n - 1)]
        for i in range(50):
            reply = own.post("/v1/shapes?unit=m", stl_of(grid, quads, b"copy %d" % i), content_type=STL)
            if reply.status != 201:
                break
            kept += 1
        reply.problem(422, "limit-exceeded")
        check(2 <= kept <= 20, f"{kept} meshes of {len(quads)} triangles fit into a MiB")
        equal(own.get("/v1/shapes").json["total"], kept, "shapes kept")


@suite.fact
def parameters_of_the_url_are_checked():
    body = stl_of(cube_points(), CUBE)
    for query in ("", "?unit=", "?unit=inch", "?unit=MM", "?unit=mm&unit=mm", "?unit=mm&solid=yes", "?unit=mm&solid=1", "?unit=mm&scale=2",
                  "?unit=mm&deadlineMs=0", "?unit=mm&deadlineMs=x", "?unit=mm&deadlineMs=99999999999"):
        post(body, STL, query).problem(400, "bad-parameter")
        post(obj_of(cube_points(), CUBE), OBJ, query).problem(400, "bad-parameter")
    for query in ("?unit=m", "?solid=true"):
        post({"sphere": {"radius": 1}}, query=query).problem(400, "bad-parameter")
    post(body, "application/octet-stream", "?unit=mm").problem(415, "unsupported-media-type")
    post(body, "model/stl; charset=x", "?unit=mm&deadlineMs=9000")


@suite.fact
def the_upload_of_a_large_file_stops_at_its_deadline():
    n = 700
    points = [(i, j, ((i * 7919 + j * 104729) % 1000) * 1e-3) for i in range(n) for j in range(n)]
    triangles = [(i * n + j, (i + 1) * n + j, (i + 1) * n + j + 1) for i in range(n - 1) for j in range(n - 1)]
    body = stl_of(points, triangles)
    before = client.get("/v1/shapes").json["total"]
    post(body, STL, "?unit=mm&deadlineMs=5").problem(504, "deadline-exceeded")
    equal(client.get("/v1/shapes").json["total"], before, "shapes kept")
    report = post(body, STL, "?unit=mm&deadlineMs=60000").must(201).json
    equal(report["triangles"], len(triangles), "triangles")
    # More than 250,000 triangles: self-intersection is not searched for, and the report says so.
    equal(report["selfIntersecting"], None, "selfIntersecting")
    told = [w["detail"] for w in report["warnings"] if w["type"] == "selfIntersectionUnknown"]
    check(len(told) == 1 and "250000" in told[0], f"told of it: {told}")
    equal(report["vertices"], n * n - 1, "vertices, all but the one corner that no triangle has")


# ---- files of other programs -------------------------------------------------------------------------------------------------


def kr5(link):
    body = models.dart(f"urdf/KR5/meshes/{link}.STL").read_bytes()
    triangles = struct.unpack_from("<I", body, 80)[0]
    report = post(body, STL, "?unit=m&solid=false").must(201).json
    # The points by their bits: in Python -0.0 equals 0.0.
    corners = [struct.unpack_from("<3f", body, 84 + 50 * t + 12 * c) for t in range(triangles) for c in (1, 2, 3)]
    equal(report["welded"], len(corners) - len(set(corners)), "points that were joined")
    equal(report["triangles"] + report["degenerateDropped"] + report["duplicatesDropped"], triangles, "triangles")
    used = [p for p in set(corners)]
    for i, (low, high) in enumerate(zip(report["box"]["min"], report["box"]["max"])):
        check(min(p[i] for p in used) <= low and high <= max(p[i] for p in used), "the box is larger than the points'")


suite.table("file of a robot", ((f"KR5 {link}", lambda link=link: kr5(link)) for link in LINKS))
suite.main()
