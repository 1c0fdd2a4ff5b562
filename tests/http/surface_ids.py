"""Surface ids of primitives by curl: read back as given, in bodies, posted shapes, copies, additions, variants and
the store; reported by contacts, distances, volumes, rays and nearest points; refused where their number differs from
that of the faces.
Truth: the face of a contact is known from the placement of the bodies."""
import json

from support.checks import Suite, check, equal
from support.client import KeepAlive
from support.daemon import Daemon
from support.lives import Lives

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)
numbers = iter(range(1000))
QUARTER = 0.7071067811865476
# Each kind with ids, and the same with one id more or less.
KINDS = [{"sphere": {"radius": 0.5, "surfaceIds": [7]}}, {"box": {"size": [1, 2, 3], "surfaceIds": [1, 2, 3, 4, 5, 4294967295]}},
         {"capsule": {"radius": 0.5, "height": 1, "surfaceIds": [1, 2, 3]}},
         {"capsule": {"radiusBottom": 0.5, "radiusTop": 0.5, "height": 1, "surfaceIds": [4, 5, 6]}},
         {"capsule": {"radiusBottom": 0.5, "radiusTop": 0.25, "height": 1, "surfaceIds": [4, 5, 6]}},
         {"cylinder": {"radius": 0.5, "height": 1, "surfaceIds": [0, 0, 9]}},
         {"cone": {"radius": 0.5, "height": 1, "surfaceIds": [1, 2, 3]}},
         {"cone": {"radius": 0.5, "height": 1, "radiusTop": 0, "surfaceIds": [1, 2, 3]}},
         {"cone": {"radius": 0.5, "height": 1, "radiusTop": 0.25, "surfaceIds": [1, 2, 3]}},
         {"ellipsoid": {"radii": [1, 2, 3], "surfaceIds": [8]}}, {"plane": {"surfaceIds": [6]}}]
FLOOR = {"id": "floor", "colliders": [{"plane": {"surfaceIds": [100]}}]}
ROD = {"cylinder": {"radius": 0.5, "height": 2, "surfaceIds": [10, 11, 12]}}
LYING = [0, QUARTER, 0, QUARTER]


def put(*bodies, of=client):
    path = f"/v1/scenes/i{next(numbers)}"
    of.put(path, {"bodies": list(bodies)}).must(201)
    return path


def rod(name, z, **rest):
    return {"id": name, "position": [0, 0, z], "colliders": [ROD], **rest}


def pair(kind, a, b, **rest):
    return client.post(f"/v1/query/{kind}", {"a": a, "b": b, **rest}).must(200).json["results"][0]


def colliders_of(path, body, of=client):
    return of.get(f"{path}/bodies/{body}").must(200).json["colliders"]


@suite.fact
def ids_are_read_back_as_they_were_given():
    path = put({"id": "all", "colliders": KINDS}, {"id": "without", "colliders": [{"box": {"size": [1, 1, 1]}}]})
    equal(colliders_of(path, "all"), KINDS, "colliders")
    check("surfaceIds" not in colliders_of(path, "without")[0]["box"], "a box without ids has some")
    client.patch(f"{path}/bodies/all", {"user": {"k": 1}}).must(200)
    equal(colliders_of(path, "all"), KINDS, "colliders after a PATCH of something else")
    turned = [{"box": {"size": [1, 2, 3], "surfaceIds": [6, 5, 4, 3, 2, 1]}, "roundingRadius": 0.25}]
    client.patch(f"{path}/bodies/all", {"colliders": turned}).must(200)
    equal(colliders_of(path, "all"), turned, "colliders after a PATCH of them")
    # A body is copied by sending the document of a GET.
    whole = client.get(f"{path}/bodies/all").must(200).json
    client.put(f"{path}/bodies/copy", {"colliders": whole["colliders"]}).must(201)
    equal(colliders_of(path, "copy"), turned, "colliders of a copy")


@suite.fact
def another_number_of_ids_than_faces_is_refused():
    for shape in KINDS:
        (kind, value), = shape.items()
        given = value["surfaceIds"]
        for ids in (given + [1], given[1:]):
            reply = client.post("/v1/query/distance", {"a": {kind: dict(value, surfaceIds=ids)}, "b": {"sphere": {"radius": 1}}}, check=False)
            equal(reply.status, 422, f"{kind} with {len(ids)} ids")
            error = reply.json["errors"][0]
            equal(error["pointer"], f"/a/{kind}/surfaceIds", "pointer")
            if ids:
                equal((error["limit"], error["actual"]), (len(given), len(ids)), "limit and actual")
                check(f"({len(given)}), got {len(ids)}" in error["detail"], f"the detail names no numbers: {error['detail']}")
        for wrong in (-1, 0.5, "one", 4294967296):
            reply = client.post("/v1/query/distance", {"a": {kind: dict(value, surfaceIds=given[:-1] + [wrong])}, "b": {"sphere": {"radius": 1}}},
                                check=False)
            equal((reply.status, reply.json["errors"][0]["pointer"]), (422, f"/a/{kind}/surfaceIds/{len(given) - 1}"), f"{kind} {wrong}")


@suite.fact
def every_kind_of_result_names_the_face():
    lying = dict(ROD, rotation=LYING, position=[0, 0, 0.5])
    for kind in ("distance", "contacts"):
        for a, face in ((lying, 12), (dict(ROD, position=[0, 0, 1]), 10), (dict(ROD, position=[0, 0, 1], rotation=[1, 0, 0, 0]), 11)):
            result = pair(kind, a, {"plane": {"surfaceIds": [100]}})
            for point in result.get("points", [result]):
                equal((point["surfaceA"], point["surfaceB"]), (face, 100), f"{kind}")
    deeper = dict(lying, position=[0, 0, 0.4])
    result = pair("volume", deeper, {"plane": {"surfaceIds": [100]}})
    equal((result["surfaceA"], result["surfaceB"]), (12, 100), "volume")
    rays = [{"origin": [x, 0, z], "direction": [-x, 0, -z]} for x, z in ((0, 5), (0, -5), (5, 0))]
    hits = client.post("/v1/query/raycast", {"a": ROD, "rays": rays}).must(200).json["results"]
    equal([hit["surfaceId"] for hit in hits], [11, 10, 12], "rays")
    points = [[0, 0, 3], [0, 0, -3], [3, 0, 0]]
    hits = client.post("/v1/query/nearest", {"a": ROD, "points": points}).must(200).json["results"]
    equal([hit["surfaceId"] for hit in hits], [11, 10, 12], "nearest")
    # Shapes without ids: volumes report the number of the face, other queries nothing.
    plain = {"cylinder": {"radius": 0.5, "height": 2}, "rotation": LYING, "position": [0, 0, 0.4]}
    equal(pair("volume", plain, {"plane": {}})["surfaceA"], 2, "number of the side")
    check("surfaceA" not in json.dumps(pair("contacts", plain, {"plane": {}})), "a contact names a face without ids")
    hull = {"convex": {"planes": [[1, 0, 0, -1], [-1, 0, 0, -1], [0, 1, 0, -1], [0, -1, 0, -1], [0, 0, 1, -1], [0, 0, -1, -1]],
                       "surfaceIds": [1, 2, 3, 4, 5, 6]}, "position": [0, 0, 1]}
    for kind in ("distance", "contacts"):
        result = pair(kind, hull, {"plane": {}})
        for point in result.get("points", [result]):
            equal(point["surfaceA"], 6, f"{kind} of a hull")


@suite.fact
def posted_shapes_additions_and_variants_have_their_ids():
    shape = client.post("/v1/shapes", ROD).must(201).json["id"]
    named = {"id": "named", "position": [0, 0, 1], "colliders": [{"shape": shape, "scale": 0.5, "position": [0, 0, -0.5]}]}
    path = put(FLOOR, named)
    points = client.post(f"{path}/query/contacts", {}).must(200).json["results"][0]["points"]
    equal({(p["surfaceA"], p["surfaceB"]) for p in points}, {(100, 10)}, "a scaled posted shape")
    added = client.post(f"{path}/query/contacts", {"add": [rod("new", 1)], "pairs": [["new", "floor"]]}).must(200).json["results"]
    equal({p["surfaceA"] for p in added[0]["points"]}, {10}, "an added body")
    path = put(FLOOR, rod("rod", 1))
    variants = [{"ids": ["rod"], "positions": [[0, 0, z]], "rotations": [turn]}
                for z, turn in ((1, [0, 0, 0, 1]), (1, [1, 0, 0, 0]), (0.5, LYING))]
    for kind in ("contacts", "distance"):
        results = client.post(f"{path}/query/{kind}", {"variants": variants, "clearance": 0.01}).must(200).json["results"]
        found = []
        for result in results:
            for answer in result.get("results", [result]):
                found.append({p["surfaceB"] for p in answer.get("points", [answer])})
        equal(found, [{10}, {11}, {12}], f"{kind} of variants")
    down = {"rays": [{"origin": [0, 0, 9], "direction": [0, 0, -1]}]}
    found = [[hit["surfaceId"] for hit in client.post(f"{path}/query/raycast", {**down, "poses": poses}).must(200).json["results"]]
             for poses in variants]
    equal(found, [[11], [10], [12]], "rays, bodies being elsewhere")


@suite.fact
def surface_ids_are_the_same_after_a_restart():
    lives = Lives(suite)
    of = lives.client
    shape = of.post("/v1/shapes", ROD).must(201).json["id"]
    path = put({"id": "all", "colliders": KINDS + [{"shape": shape}]}, of=of)
    of.patch(f"{path}/bodies/all", {"user": 2}).must(200)
    before = of.get(path).must(200).text
    lives.again("TERM")
    lives.wait_ready(loaded=True)
    of = lives.client
    equal(of.get(path).must(200).text, before, "the scene after a restart")
    found = of.post(f"{path}/query/raycast", {"rays": [{"origin": [0, 0, 9], "direction": [0, 0, -1]}], "hits": "all"}).must(200).json
    equal({hit["surfaceId"] for hit in found["results"] if hit["collider"] == len(KINDS)}, {10, 11}, "ids of a posted shape")


suite.main()
