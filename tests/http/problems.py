"""Bad input: a table over every documented problem type. Each request gets the right status, type and JSON pointer,
and leaves the scene as it was: the same ETag and the same bytes.
Problem types that need more than one request are tested by other programs, named in ELSEWHERE; a fact checks that
every type is tested."""
import json
import math
import re

from support import conflict_problems, motion_problems, text_problems
from support.checks import Suite, check, equal
from support.client import NDJSON, Curl, KeepAlive, ndjson
from support.daemon import ROOT, Daemon

suite = Suite()
OPTIONS = ("jsonBytes=65536", "lineBytes=4096", "ndjsonBytes=262144", "bodies=50", "pairs=1000", "scenes=40", "batch=10",
           "variants=20", "rays=8", "points=9", "nearest=7",
           "userBytes=256", "colliders=30", "hullPoints=1000", "pageMax=5000", "deadlineMaxMs=20000")
daemon = Daemon(*[word for option in OPTIONS for word in ("--limit", option)]).start()
suite.cleanup(daemon.stop)
client = Curl(daemon)
looking = KeepAlive(daemon)  # path of the scene, read before and after each request

SCENE = "/v1/scenes/victim"
ELSEWHERE = {  # problem: program that tests it
    "idempotency-key-reused": "idempotency.py",
    "busy": "server_pool.py: full queues", "draining": "server_lifecycle.py: SIGTERM",
    "out-of-memory": "needs a failing malloc: unit tests", "material-in-use": "materials.py", "scene-moved": "advance.py", "precondition-required": "forces.py",
    "internal": "a bug: never reachable from input", "unauthorized": "server_guard.py: --token-file",
    "too-many-requests": "server_guard.py: failed tokens", "origin-denied": "server_guard.py",
    "corrupt": "durable.py: flipped bits", "recovering": "durable.py: a large shape", "storage-full": "durable_faults.py",
    "storage-failed": "durable_faults.py", "store-unavailable": "redis.py, durable_faults.py",
    "bad-request": "guard_probe.py: raw sockets",
    "headers-too-large": "server_guard.py", "revision-gone": "queries.py: a cursor after its time",
}


def ball(name, **rest):
    return {"id": name, "colliders": [{"sphere": {"radius": 0.5}}], **rest}


def solid(**shape):
    """PUT of one body with this collider."""
    return {"colliders": [shape]}


def setup():
    bodies = [ball("a", position=[0, 0, 0], motion={"mass": 1}), ball("b", position=[0.5, 0, 0], user={"k": 1}),
              {"id": "c", "colliders": [{"box": {"size": [1, 1, 1]}}], "groups": ["g"]}]
    client.put(SCENE, {"bodies": bodies, "filters": {"groups": {"g": {"notCollideWith": ["g"]}}, "pairs": []}})
    client.post(SCENE + "/contactStates/held", {"time": 2}).must(201)
    made = client.post("/v1/shapes", {"sphere": {"radius": 0.5}}).json["id"]
    client.put("/v1/scenes/holder", {"bodies": [{"id": "x", "colliders": [{"shape": made}]}]})
    return "/v1/shapes/" + made


HELD = setup()
ONE = SCENE + "/bodies/new"
BODIES = SCENE + "/bodies"
DISTANCE = SCENE + "/query/distance"
CONTACTS = SCENE + "/query/contacts"
VOLUME = SCENE + "/query/volume"
FREE = "/v1/query/distance"
SHAPES = "/v1/shapes"
STATE = SCENE + "/contactStates/held"
CROSSINGS = SCENE + "/query/zeroCrossings"
BALL = {"sphere": {"radius": 1}}
RAYCAST = SCENE + "/query/raycast"
RAY = {"origin": [0, 0, 0], "direction": [1, 0, 0]}
rows = []


def row(problem, status, name, method, path, body=None, pointer=None, **rest):
    rows.append((problem, status, name, method, path, body, pointer, rest))


def detail_has(*words):
    def look(reply):
        text = json.dumps(reply.json)
        for word in words:
            check(word in text, f"{word!r} is not in {text}")
    return look


# ---- 400: not JSON -------------------------------------------------------------------------------------------------------

for name, text in text_problems.NOT_JSON:
    row("malformed-json", 400, name, "PUT", ONE, text)
for problem, name, text, pointer in text_problems.NOT_KEPT:
    row(problem, 422, name, "PUT", ONE, text, pointer)
    row(problem, 422, name + ", in the second line", "POST", BODIES, ndjson([ball("x")]) + text, "/1" + pointer, content_type=NDJSON)
row("malformed-json", 400, "names line, column and byte", "PUT", ONE, '{\n  "colliders": [\n    {]\n}', None,
    also=detail_has("Line 3", "column", "byte"))
row("malformed-json", 400, "in an NDJSON line", "POST", BODIES, ndjson([ball("x")]) + "{\n", None, content_type=NDJSON)
row("malformed-json", 400, "zero byte in an NDJSON line", "POST", BODIES, ndjson([ball("x")]).replace("0.5", "0.5\0"), None,
    content_type=NDJSON, also=detail_has("Line 1", "a zero byte"))
for method, path in (("POST", "/v1/scenes"), ("PUT", SCENE), ("PATCH", SCENE), ("POST", BODIES), ("PATCH", BODIES),
                     ("PATCH", BODIES + "/a"),
                     ("PUT", SCENE + "/poses"), ("PATCH", SCENE + "/poses"), ("PUT", SCENE + "/filters"), ("POST", DISTANCE),
                     ("POST", SCENE + "/query"),
                     ("POST", FREE), ("POST", "/v1/query"), ("POST", STATE), ("POST", SHAPES), ("POST", "/v1/solve/lcp"),
                     ("POST", "/v1/solve/friction"), ("POST", SCENE + "/advance")):
    row("malformed-json", 400, f"{method} {path}", method, path, '{"a" 1}')
    row("out-of-range", 422, f"beyond double, {method} {path}", method, path, '{"a": [{}, 1e999]}', "/a/1")
row("too-deep", 400, "33 levels", "PUT", ONE, "[" * 33 + "]" * 33)
row("too-deep", 400, "20,000 levels of arrays", "POST", FREE, "[" * 20000 + "]" * 20000)
row("too-deep", 400, "10,000 levels of objects", "POST", FREE, '{"a":' * 10000 + "1" + "}" * 10000)
row("too-deep", 400, "in a line", "POST", BODIES, "[" * 40 + "]" * 40 + "\n", None, content_type=NDJSON)
for kind, text in (("model/stl", b"solid x\nfacet"), ("model/stl", b"\0" * 90), ("model/obj", b"v 0\n"), ("model/obj", b"<html>")):
    row("malformed-file", 400, f"{kind} {text[:20]}", "POST", SHAPES + "?unit=m", text, content_type=kind)
for name in (".", "..", "%2e%2E", "%0A", "a%7F", "%C2%9F", "a%00b", "x" * 257, "%C3%A9" * 129, "a%", "a%zz", "%C3", "%C0%AF", "%ED%A0%80"):
    row("bad-id", 400, f"scene {name[:20]}", "GET", "/v1/scenes/" + name)
row("bad-id", 400, "body", "GET", BODIES + "/%FF")
row("bad-id", 400, "contact state", "POST", SCENE + "/contactStates/..", {})
for path in ("/v1/scenes", BODIES, SHAPES):
    for query in ("nonsense=1", "Limit=1", "limit=1&offset=2", "limit=1&limit=2", "limit=1&limit=1", "cursor=a&cursor=a", "limit", "=1",
                  "limit=%zz", "cursor=" + "x" * 801):
        row("bad-parameter", 400, f"{path} {query[:30]}", "GET", f"{path}?{query}")
    for value in ("0", "-1", "x", "1.5", "5001", "", "99999999999999999999", "+1", "1e1"):
        row("bad-parameter", 400, f"{path} limit {value!r}", "GET", f"{path}?limit={value}")
for method, path, body in (("GET", SCENE, None), ("GET", BODIES + "/a", None), ("GET", SCENE + "/poses", None), ("GET", SCENE + "/filters", None),
                           ("GET", HELD, None), ("GET", "/v1/limits", None), ("GET", "/v1/version", None), ("GET", "/openapi.json", None),
                           ("POST", DISTANCE, {}), ("POST", SCENE + "/query", {"queries": []}), ("POST", BODIES, []), ("DELETE", HELD, None),
                           ("POST", STATE, {}), ("GET", STATE, None), ("DELETE", STATE, None), ("GET", SCENE + "/contactStates", None),
                           ("PUT", SCENE, {"bodies": []}), ("PATCH", SCENE, {}), ("DELETE", SCENE, None)):
    row("bad-parameter", 400, f"a parameter of {method} {path}", method, path + "?limit=1", body)
row("bad-parameter", 400, "a file without its unit", "POST", SHAPES, b"v 0 0 0\n", content_type="model/obj")
row("bad-parameter", 400, "a unit of JSON", "POST", SHAPES + "?unit=mm", {"sphere": {"radius": 1}})
row("bad-parameter", 400, "neither id nor prefix", "DELETE", BODIES)
row("bad-parameter", 400, "empty prefix", "DELETE", BODIES + "?prefix=")
row("bad-parameter", 400, "id and prefix", "DELETE", BODIES + "?id=a&prefix=b")
row("bad-parameter", 400, "effective without b", "GET", SCENE + "/filters/effective?a=a")

# ---- 404, 405, 409, 412, 413, 415, 421 -----------------------------------------------------------------------------------

for path in ("/", "/v1", "/v1/", "/v2/scenes", SCENE + "/nothing", SCENE + "/query/nothing", "/v1/query/nothing", BODIES + "/a/b", STATE + "/b",
             "/problems/nothing", "/openapi.yaml"):
    row("not-found", 404, path, "GET", path)
for method, rest, body in (("GET", "", None), ("PATCH", "", {}), ("DELETE", "", None), ("GET", "/bodies", None),
                           ("POST", "/bodies", []), ("GET", "/poses", None),
                           ("PATCH", "/poses", {"ids": []}), ("GET", "/filters", None), ("POST", "/query/overlap", {}),
                           ("POST", "/query", {"queries": []}), ("GET", "/contactStates", None), ("POST", "/contactStates/s", {}),
                           ("GET", "/contactStates/s", None), ("DELETE", "/contactStates/s", None)):
    row("scene-not-found", 404, f"{method} {rest}", method, "/v1/scenes/nobody" + rest, body)
for method, body in (("GET", None), ("PATCH", {"position": [0, 0, 0]}), ("DELETE", None)):
    row("body-not-found", 404, method, method, BODIES + "/nobody", body)
for method in ("GET", "DELETE"):
    row("contact-state-not-found", 404, method, method, SCENE + "/contactStates/nobody")
    row("shape-not-found", 404, method, method, SHAPES + "/s-nobody")
row("shape-in-use", 409, "a collider of another scene", "DELETE", HELD)


def allows(*methods):
    def look(reply):
        listed = {m.strip() for m in reply.headers.get("allow", "").split(",")}
        check(set(methods) <= listed, f"Allow is {sorted(listed)}")
    return look


row("method-not-allowed", 405, "PUT of the list", "PUT", "/v1/scenes", {}, None, also=allows("GET", "POST"))
row("method-not-allowed", 405, "POST of a scene", "POST", SCENE, {}, None, also=allows("GET", "PUT", "PATCH", "DELETE"))
row("method-not-allowed", 405, "GET of a query", "GET", DISTANCE, None, None, also=allows("POST"))
row("method-not-allowed", 405, "DELETE of limits", "DELETE", "/v1/limits", None, None, also=allows("GET"))
row("method-not-allowed", 405, "PUT of a contact state", "PUT", STATE, {}, None, also=allows("GET", "POST", "DELETE"))
row("not-found", 404, "a contact state without a scene", "POST", "/v1/query/zeroCrossings", {"contactState": "held"})
row("method-not-allowed", 405, "a method of its own", "BREW", SCENE)
row("id-in-use", 409, "of an array", "POST", BODIES, [ball("new"), ball("b")], "/1/id")
row("id-in-use", 409, "of a line", "POST", BODIES, ndjson([ball("new"), ball("b")]), "/1/id", content_type=NDJSON)
for method, path, body in (("PUT", SCENE, {"bodies": []}), ("PATCH", SCENE, {"user": 1}), ("DELETE", SCENE, None),
                           ("POST", BODIES, [ball("new")]), ("PUT", ONE, solid(**BALL)),
                           ("PATCH", BODIES + "/a", {"user": 1}), ("DELETE", BODIES + "/a", None),
                           ("PATCH", SCENE + "/poses", {"ids": ["a"], "positions": [[1, 1, 1]]}),
                           ("PUT", SCENE + "/filters", {"groups": {}, "pairs": []}), ("POST", DISTANCE, {}),
                           ("POST", STATE, {}), ("DELETE", STATE, None), ("POST", CROSSINGS, {"contactState": "held"})):
    row("revision-mismatch", 412, f"{method} {path}", method, path, body, None, headers={"If-Match": '"r0"'})
row("revision-mismatch", 412, "not even a tag", "DELETE", SCENE, None, None, headers={"If-Match": "r1"})
row("body-too-large", 413, "beyond jsonBytes", "PUT", SCENE, '{"user": "' + "x" * 70000 + '"}')
row("body-too-large", 413, "beyond ndjsonBytes", "POST", BODIES, ndjson([ball("x")]) + "\n" * 270000, None, content_type=NDJSON)
row("body-too-large", 413, "a line beyond lineBytes", "POST", BODIES, ndjson([ball("x", user="y" * 5000)]), None,
    content_type=NDJSON)
for kind in ("text/html", "application/xml", "model/stl", "multipart/form-data; boundary=x", "application/x-ndjson"):
    row("unsupported-media-type", 415, f"{kind} for a scene", "PUT", SCENE, "{}", None, content_type=kind)
row("unsupported-media-type", 415, "PLY for a shape", "POST", SHAPES + "?unit=m", "ply", None, content_type="model/ply")
row("unsupported-media-type", 415, "gzip", "PUT", SCENE, "{}", None, headers={"Content-Encoding": "gzip"})
row("host-not-allowed", 421, "another name", "GET", SCENE, None, None, headers={"Host": "evil.example"})

# ---- 422: members --------------------------------------------------------------------------------------------------------


def suggests(word):
    return lambda reply: check(word in [e.get("suggestion") for e in reply.json["errors"]],
                               f"{word} is not suggested: {reply.text}")


def lists(*words):
    """The message lists all allowed names, to the last one."""
    def told(reply):
        detail = reply.json["errors"][0]["detail"]
        names = detail.partition("members: ")[2].rstrip(".").split(", ")
        check(set(words) <= set(names), f"{words} are not all in {names}")
        check(detail.endswith(".") and not detail.endswith("..."), detail)
    return told


def counts_pairs(reply):
    error = reply.json["errors"][0]
    equal((error["limit"], error["actual"]), (1000, 1001), "pairs allowed, and where the search stopped")


CROWD = {"bodies": [ball(f"n{i}") for i in range(50)]}  # 1225 pairs

for body, pointer, word in (
        ({"colliders": [BALL], "positon": [0, 0, 0]}, "/positon", "position"),
        ({"colliders": [BALL], "rotaton": [0, 0, 0, 1]}, "/rotaton", "rotation"),
        ({"colliders": [BALL], "motion": {"mas": 1}}, "/motion/mas", "mass"),
        ({"colliders": [{"sphere": {"raduis": 1}}]}, "/colliders/0/sphere/raduis", "radius"),
        ({"colliders": [{"spere": {"radius": 1}}]}, "/colliders/0/spere", "sphere"),
        ({"colliders": [{"box": {"sise": [1, 1, 1]}}]}, "/colliders/0/box/sise", "size"),
        ({"coliders": [BALL]}, "/coliders", "colliders")):
    row("unknown-member", 422, pointer, "PUT", ONE, body, pointer, also=suggests(word))
row("unknown-member", 422, "of a query", "POST", DISTANCE, {"clearence": 1}, "/clearence", also=suggests("clearance"))
row("unknown-member", 422, "of volumes", "POST", VOLUME, {"foo": 1}, "/foo", also=lists("sparsify", "normalWeighting", "variants"))
row("unknown-member", 422, "of a question without a scene", "POST", FREE, {"foo": 1}, "/foo",
    also=lists("where", "scene", "maxIterations", "cache"))
row("unknown-member", 422, "of a collider", "PUT", ONE, solid(foo=1), "/colliders/0/foo", also=lists("sphere", "hexmesh", "margin"))
row("unknown-member", 422, "of a scene", "PUT", SCENE, {"bodys": []}, "/bodys", also=suggests("bodies"))
row("unknown-member", 422, "in the third body", "POST", BODIES, [ball("x"), ball("y"), ball("z", mass=1)], "/2/mass")
row("unknown-member", 422, "in the second line", "POST", BODIES, ndjson([ball("x"), ball("z", mass=1)]), "/1/mass",
    content_type=NDJSON)
row("unknown-member", 422, "with a slash and a tilde", "PUT", ONE, {"colliders": [BALL], "a/b~c": 1}, "/a~1b~0c")
row("unknown-member", 422, "of poses", "PATCH", SCENE + "/poses", {"ids": ["a"], "position": [[0, 0, 0]]}, "/position",
    also=suggests("positions"))
row("unknown-member", 422, "of filters", "PUT", SCENE + "/filters", {"pairs": [{"a": "a", "b": "b", "colide": False}]},
    "/pairs/0/colide", also=suggests("collide"))
row("unknown-member", 422, "that a patch of a body takes away", "PATCH", BODIES + "/a", {"positoin": None}, "/positoin", also=suggests("position"))
row("unknown-member", 422, "that a patch takes from a motion", "PATCH", BODIES + "/a", {"motion": {"maas": None}}, "/motion/maas")
row("unknown-member", 422, "that a patch of the settings takes away", "PATCH", SCENE, {"gravty": None}, "/gravty", also=suggests("gravity"))
row("unknown-member", 422, "a misspelt shape in the short form", "POST", FREE,
    {"a": {"Sphere": {"radius": 1}}, "b": {"sphere": {"radius": 1}}}, "/a/Sphere", also=suggests("sphere"))
row("malformed-json", 400, "of lines that hold nothing", "POST", BODIES, b"\n\n", content_type="application/x-ndjson")
row("unknown-member", 422, "of a kind that there is not", "PUT", ONE, {"colliders": [{"torus": {"radius": 1, "height": 1}}]},
    "/colliders/0/torus")
for body, pointer in (({}, ""), ({"colliders": []}, "/colliders"), ({"colliders": [{}]}, "/colliders/0"),
                      ({"colliders": [{"sphere": {}}]}, "/colliders/0/sphere/radius"),
                      ({"colliders": [{"capsule": {"radius": 1}}]}, "/colliders/0/capsule/height"),
                      ({"colliders": [{"cylinder": {"radius": 1}}]}, "/colliders/0/cylinder/height"),
                      ({"colliders": [{"cone": {"height": 1}}]}, "/colliders/0/cone/radius"),
                      ({"colliders": [{"ellipsoid": {}}]}, "/colliders/0/ellipsoid/radii"),
                      ({"colliders": [{"convex": {}}]}, "/colliders/0/convex")):
    expected = "/colliders" if body == {} else pointer
    row("missing-member", 422, json.dumps(body), "PUT", ONE, body, expected)
row("missing-member", 422, "id of a body of the array", "POST", BODIES, [{"colliders": [BALL]}], "/0/id")
row("missing-member", 422, "a without b", "POST", FREE, {"a": BALL}, None)
row("missing-member", 422, "poses that leave out bodies", "PUT", SCENE + "/poses", {"ids": ["a"], "positions": [[0, 0, 0]]}, None)
row("missing-member", 422, "id of a patch", "PATCH", BODIES, [{"position": [0, 0, 0]}], "/0/id")
for name, method, path, body, pointer in conflict_problems.ROWS:
    row("conflicting-members", 422, name, method, path.replace("{s}", SCENE), body, pointer)
row("missing-member", 422, "neither ids nor groups nor prefix", "POST", DISTANCE, {"where": {"a": {}}}, "/where/a")

# ---- 422: shapes ---------------------------------------------------------------------------------------------------------

CUBE = {"mesh": {"vertices": [[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)],
                 "triangles": [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]]}}
FEATURES = "/v1/query/features"
row("no-triangles", 422, "features of a ball", "POST", FEATURES, {"a": CUBE, "b": BALL}, "/b")
row("no-triangles", 422, "features of a hull", "POST", FEATURES, {"a": {"convex": {"vertices": CUBE["mesh"]["vertices"]}}, "b": CUBE}, "/a")
row("no-triangles", 422, "features of a mesh read as its hull", "POST", FEATURES, {"a": {"mesh": dict(CUBE["mesh"], convexHull=True)}, "b": CUBE}, "/a")
row("no-triangles", 422, "features of a pair of a scene", "POST", SCENE + "/query/features", {"pairs": [["b", "a"]]}, "/pairs/0/0")
row("bad-value", 422, "a mode of features that there is not", "POST", FEATURES, {"a": CUBE, "b": CUBE, "mode": "sideways"}, "/mode")
row("bad-value", 422, "a mode of regions", "POST", FEATURES, {"a": CUBE, "b": CUBE, "mode": "inside"}, "/mode")
row("wrong-type", 422, "a mode of another type", "POST", FEATURES, {"a": CUBE, "b": CUBE, "mode": 1}, "/mode")
for depth in (0, -1, 5e-10, 2e9):
    row("out-of-range", 422, f"edgeDepth {depth}", "POST", FEATURES, {"a": CUBE, "b": CUBE, "edgeDepth": depth}, "/edgeDepth")
row("unknown-member", 422, "clearance of features", "POST", FEATURES, {"a": CUBE, "b": CUBE, "clearance": 1}, "/clearance")
row("unknown-member", 422, "edgeDepth of contacts", "POST", CONTACTS, {"edgeDepth": 1}, "/edgeDepth")
row("missing-member", 422, "features of a alone", "POST", FEATURES, {"a": CUBE}, None)
row("bad-cursor", 422, "of features", "POST", FEATURES, {"a": CUBE, "b": CUBE, "cursor": "x"}, "/cursor")

for problem, name, path, body, pointer in motion_problems.rows(SCENE):
    row(problem, 422, name, "POST", path, body, pointer)
row("pair-limit", 422, "swept boxes of a crowd", "POST", "/v1/query/sweep", motion_problems.all_move(CROWD), None, also=counts_pairs)

THREE = b"v 0 0 0\nv 1 0 0\nv 0 1 0\n"
row("bad-index", 422, "a face of OBJ", "POST", SHAPES + "?unit=m", THREE + b"f 1 2 4\n", content_type="model/obj")
row("open-mesh", 422, "a triangle that must be a solid", "POST", SHAPES + "?unit=m&solid=true", THREE + b"f 1 2 3\n", content_type="model/obj")
row("degenerate-mesh", 422, "a point thrice", "POST", SHAPES + "?unit=m", THREE + b"f 1 1 1\n", content_type="model/obj")
CELL = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]


def tets(*tetrahedra, vertices=None, **more):
    return {"tetmesh": dict(vertices=vertices or CELL, tetrahedra=list(tetrahedra), **more)}


def hexes(*hexahedra, vertices=None):
    return {"hexmesh": {"vertices": vertices or CELL, "hexahedra": list(hexahedra)}}


for name, shape, pointer in (
        ("a tetrahedron inside out", tets([0, 1, 2, 6], [0, 2, 1, 5]), "/tetmesh/tetrahedra/1"),
        ("a flat tetrahedron", tets([0, 1, 2, 3]), "/tetmesh/tetrahedra/0"),
        ("a tetrahedron with two corners in one point", tets([0, 1, 8, 4], vertices=CELL + [[1, 0, -0.0]]), "/tetmesh/tetrahedra/0/2"),
        ("a tetrahedron given twice", tets([0, 1, 2, 6], [0, 1, 2, 6]), "/tetmesh/tetrahedra/1"),
        ("three tetrahedra on one face", tets([0, 1, 2, 6], [0, 1, 2, 5], [0, 1, 2, 4]), "/tetmesh/tetrahedra/2"),
        ("a hexahedron upside down", hexes([4, 5, 6, 7, 0, 1, 2, 3]), "/hexmesh/hexahedra/0"),
        ("a hexahedron with crossed sides", hexes([1, 0, 2, 3, 4, 5, 6, 7]), "/hexmesh/hexahedra/0"),
        ("a hexahedron pressed flat", hexes([0, 1, 2, 3, 4, 5, 6, 7], vertices=[[x, y, 0] for x, y, unused in CELL[:4]] +
                                            [[x + 2, y, 0] for x, y, unused in CELL[4:]]), "/hexmesh/hexahedra/0")):
    row("bad-element", 422, name, "POST", SHAPES, shape, pointer)
    row("bad-element", 422, name + ", of a body", "PUT", ONE, {"colliders": [shape]}, "/colliders/0" + pointer)


def volume_of_element(actual, *words):
    """The fault has the volume and the words."""
    def look(reply):
        fault, = reply.json["errors"]
        equal((fault["limit"], round(12 * fault["actual"], 12)), (0, 12 * actual), "volume in twelfths")
        for word in words:
            check(word in fault["detail"], f"{word!r} is not in {fault['detail']!r}")
    return look


row("bad-element", 422, "the volume of a tetrahedron inside out", "POST", SHAPES, tets([0, 2, 1, 6]), "/tetmesh/tetrahedra/0",
    also=volume_of_element(-1 / 6, "inside out"))
row("bad-element", 422, "the volume of a flat tetrahedron", "POST", SHAPES, tets([0, 1, 2, 3]), "/tetmesh/tetrahedra/0",
    also=volume_of_element(0, "no volume"))
row("bad-element", 422, "the volume of a hexahedron upside down", "POST", SHAPES, hexes([4, 5, 6, 7, 0, 1, 2, 3]), "/hexmesh/hexahedra/0",
    also=volume_of_element(-1 / 6, "inside out", "vertices"))
# Half of the bottom, and the corner above it moved below it.
row("bad-element", 422, "the tetrahedron of a hexahedron inside out in part", "POST", SHAPES,
    hexes([0, 1, 2, 3, 4, 5, 6, 7], vertices=CELL[:6] + [[1, 1, -0.5]] + CELL[7:]), "/hexmesh/hexahedra/0",
    also=volume_of_element(-1 / 12, "in part"))
row("bad-element", 422, "the earlier of two tetrahedra on a side of a face", "POST", SHAPES, tets([0, 1, 3, 4], [5, 7, 6, 2], [0, 1, 3, 6]),
    "/tetmesh/tetrahedra/2", also=detail_has("element 0"))
row("bad-index", 422, "a tetrahedron of a vertex that is not there", "POST", SHAPES, tets([0, 1, 2, 8]), "/tetmesh/tetrahedra/0/3")
row("bad-index", 422, "a tetrahedron that names a vertex twice", "POST", SHAPES, tets([0, 1, 2, 6], [0, 2, 3, 2]), "/tetmesh/tetrahedra/1/3")
row("bad-index", 422, "a hexahedron that names a vertex twice", "POST", SHAPES, hexes([0, 1, 2, 3, 4, 5, 6, 6]), "/hexmesh/hexahedra/0/7")
row("wrong-type", 422, "a tetrahedron of three", "POST", SHAPES, tets([0, 1, 2]), "/tetmesh/tetrahedra/0")
row("wrong-type", 422, "a hexahedron of nine", "POST", SHAPES, hexes([0, 1, 2, 3, 4, 5, 6, 7, 0]), "/hexmesh/hexahedra/0")
row("wrong-type", 422, "surface ids for three of four faces", "POST", SHAPES, tets([0, 1, 2, 6], surfaceIds=[1, 2, 3]), "/tetmesh/surfaceIds")
row("wrong-type", 422, "surface ids for five of four faces", "POST", SHAPES, tets([0, 1, 2, 6], surfaceIds=[1, 2, 3, 4, 5]),
    "/tetmesh/surfaceIds", also=detail_has("per outer face (4), got 5"))
row("wrong-type", 422, "a surface id of a half", "POST", SHAPES, tets([0, 1, 2, 6], surfaceIds=[1, 2, 0.5, 3]), "/tetmesh/surfaceIds/2")
row("wrong-type", 422, "normals of other vertices", "POST", SHAPES, tets([0, 1, 2, 6], normals=[[0, 0, 1]] * 7), "/tetmesh/normals")
row("missing-member", 422, "a tetmesh without elements", "POST", SHAPES, tets(), "/tetmesh/tetrahedra")
row("missing-member", 422, "a hexmesh of tetrahedra", "POST", SHAPES, {"hexmesh": {"vertices": CELL}}, "/hexmesh/hexahedra")
row("unknown-member", 422, "a tetmesh that is solid", "POST", SHAPES, tets([0, 1, 2, 6], solid=True), "/tetmesh/solid")
row("missing-member", 422, "no shape", "POST", SHAPES, {}, "")
row("unknown-member", 422, "a pose", "POST", SHAPES, {"sphere": {"radius": 1}, "position": [0, 0, 0]}, "/position")
row("wrong-type", 422, "a list for a shape", "POST", SHAPES, [], "")
row("unknown-id", 422, "a shape that is not there", "PUT", ONE, solid(shape="s-nobody"), "/colliders/0/shape")
row("out-of-range", 422, "a scale of nothing", "PUT", ONE, solid(shape="s-nobody", scale=0), "/colliders/0/scale")

# ---- 422: types and ranges -----------------------------------------------------------------------------------------------

OTHERS = [None, True, "1", {}, [], 7]


def wrong_types(field, kinds, body_of, pointer):
    """Every JSON type that the field does not accept."""
    for value in OTHERS:
        if type(value).__name__ not in kinds:
            row("wrong-type", 422, f"{field} = {json.dumps(value)}", "PUT", ONE, body_of(value), pointer)


wrong_types("radius", ("int",), lambda v: solid(sphere={"radius": v}), "/colliders/0/sphere/radius")
wrong_types("size", (), lambda v: solid(box={"size": v}), "/colliders/0/box/size")
wrong_types("cylinder", ("dict",), lambda v: solid(cylinder=v), "/colliders/0/cylinder")
wrong_types("radiusTop", ("int",), lambda v: solid(cone={"radius": 1, "height": 1, "radiusTop": v}), "/colliders/0/cone/radiusTop")
wrong_types("radii", (), lambda v: solid(ellipsoid={"radii": v}), "/colliders/0/ellipsoid/radii")
wrong_types("roundingRadius", ("int",), lambda v: solid(**BALL, roundingRadius=v), "/colliders/0/roundingRadius")
wrong_types("roundingMode", ("str",), lambda v: solid(**BALL, roundingRadius=0.1, roundingMode=v), "/colliders/0/roundingMode")
wrong_types("margin", ("int",), lambda v: solid(**BALL, margin=v), "/colliders/0/margin")
wrong_types("position", (), lambda v: {"colliders": [BALL], "position": v}, "/position")
wrong_types("colliders", ("list",), lambda v: {"colliders": v}, "/colliders")
wrong_types("collider", ("dict",), lambda v: {"colliders": [v]}, "/colliders/0")
wrong_types("sphere", ("dict",), lambda v: solid(sphere=v), "/colliders/0/sphere")
wrong_types("motion", ("dict",), lambda v: {"colliders": [BALL], "motion": v}, "/motion")
wrong_types("isKinematic", ("bool",), lambda v: {"colliders": [BALL], "motion": {"mass": 1, "isKinematic": v}},
            "/motion/isKinematic")
wrong_types("groups", ("list",), lambda v: {"colliders": [BALL], "groups": v}, "/groups")
wrong_types("vertices", ("list",), lambda v: solid(convex={"vertices": v}), "/colliders/0/convex/vertices")
row("wrong-type", 422, "position of two", "PUT", ONE, {"colliders": [BALL], "position": [1, 2]}, "/position")
row("wrong-type", 422, "text in a position", "PUT", ONE, {"colliders": [BALL], "position": [1, "2", 3]}, "/position/1")
row("wrong-type", 422, "rotation of three", "PUT", ONE, {"colliders": [BALL], "rotation": [0, 0, 1]}, "/rotation")
row("wrong-type", 422, "a scene that is an array", "PUT", SCENE, [], "")
row("wrong-type", 422, "bodies that are an object", "POST", BODIES, {"bodies": []}, "")
row("wrong-type", 422, "columns of unequal length", "PATCH", SCENE + "/poses", {"ids": ["a", "b"], "positions": [[0, 0, 0]]},
    "/positions")
row("wrong-type", 422, "limit of one and a half", "POST", DISTANCE, {"limit": 1.5}, "/limit")
row("wrong-type", 422, "pair of three", "POST", DISTANCE, {"pairs": [["a", "b", "c"]]}, "/pairs/0")
row("wrong-type", 422, "box of five", "POST", "/v1/query/pairs", {"boxes": [[0, 0, 0, 1, 1]]}, "/boxes/0")
for name, value in (("zero", 0), ("negative", -1), ("below 1e-9", 0.9e-9), ("denormal", 5e-324), ("tiny", 1e-300),
                    ("above 1e9", 1.0000001e9), ("huge", 1e308)):
    row("out-of-range", 422, f"radius {name}", "PUT", ONE, solid(sphere={"radius": value}), "/colliders/0/sphere/radius")
    row("out-of-range", 422, f"radius of a cone {name}", "PUT", ONE, solid(cone={"radius": value, "height": 1}),
        "/colliders/0/cone/radius")
    row("out-of-range", 422, f"height of a cylinder {name}", "PUT", ONE, solid(cylinder={"radius": 1, "height": value}),
        "/colliders/0/cylinder/height")
    row("out-of-range", 422, f"radius of an ellipsoid {name}", "PUT", ONE, solid(ellipsoid={"radii": [1, 1, value]}),
        "/colliders/0/ellipsoid/radii/2")
    if value:
        row("out-of-range", 422, f"margin {name}", "PUT", ONE, solid(**BALL, margin=value), "/colliders/0/margin")
        row("out-of-range", 422, f"added rounding {name}", "PUT", ONE, solid(**BALL, roundingRadius=value, roundingMode="add"),
            "/colliders/0/roundingRadius")
    row("out-of-range", 422, f"size {name}", "PUT", ONE, solid(box={"size": [1, value, 1]}), "/colliders/0/box/size/1")
row("out-of-range", 422, "radius written 1e-400", "PUT", ONE, '{"colliders": [{"sphere": {"radius": 1e-400}}]}',
    "/colliders/0/sphere/radius")
row("out-of-range", 422, "negative height", "PUT", ONE, solid(capsule={"radius": 1, "height": -1}), "/colliders/0/capsule/height")
for value in (1.0000001e9, -1e10, 1e308, -1.7976931348623157e308):
    row("out-of-range", 422, f"coordinate {value}", "PUT", ONE, {"colliders": [BALL], "position": [0, value, 0]}, "/position/1")
    row("out-of-range", 422, f"vertex {value}", "PUT", ONE,
        solid(convex={"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, value]]}), "/colliders/0/convex/vertices/3/2")
TETRAHEDRON = {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}


def inradius(number):
    """The reported limit is the inradius, less about a millionth."""
    return lambda reply: [check(0 < 1 - e["limit"] / number < 2e-6 or e["limit"] == number, f"limit {e['limit']}")
                          for e in reply.json["errors"]]


for name, shape, radius in (("a ball", {"sphere": {"radius": 0.5}}, 0.5), ("a box", {"box": {"size": [1, 2, 3]}}, 0.5),
                            ("a capsule", {"capsule": {"radiusBottom": 0.5, "radiusTop": 0.25, "height": 1}}, 0.25),
                            ("a cylinder", {"cylinder": {"radius": 2, "height": 1}}, 0.5),
                            ("a cone", {"cone": {"radius": 3, "height": 4}}, 1.5),
                            ("a frustum", {"cone": {"radius": 3, "height": 1, "radiusTop": 2}}, 0.5),
                            ("a hull", {"convex": TETRAHEDRON}, 1 / (3 + math.sqrt(3)))):
    row("out-of-range", 422, f"inset rounding of {name} too large for it", "PUT", ONE, solid(**shape, roundingRadius=radius * 1.000001),
        "/colliders/0/roundingRadius", also=inradius(radius))
for where, mode in (("roundingRadius", {}), ("roundingMode", {"roundingMode": "inset"})):
    row("bad-value", 422, f"inset rounding of an ellipsoid, told at {where}", "PUT", ONE,
        solid(ellipsoid={"radii": [1, 2, 3]}, roundingRadius=0.1, **mode), "/colliders/0/" + where, also=suggests("add"))
row("bad-value", 422, "roundingMode", "PUT", ONE, solid(**BALL, roundingRadius=0.1, roundingMode="insert"),
    "/colliders/0/roundingMode", also=suggests("inset"))
row("out-of-range", 422, "limit 0", "POST", DISTANCE, {"limit": 0}, "/limit")
row("out-of-range", 422, "limit beyond pageMax", "POST", DISTANCE, {"limit": 5001}, "/limit")
row("out-of-range", 422, "negative clearance", "POST", DISTANCE, {"clearance": -0.1}, "/clearance")
row("out-of-range", 422, "negative tolerance", "POST", DISTANCE, {"tolerance": -1e-300}, "/tolerance")
row("out-of-range", 422, "deadline beyond the greatest", "POST", DISTANCE, {"deadlineMs": 20001}, "/deadlineMs")
row("bad-value", 422, "detail", "POST", CONTACTS, {"detail": "manifolds"}, "/detail", also=suggests("manifold"))
row("wrong-type", 422, "detail of contacts", "POST", CONTACTS, {"detail": 2}, "/detail")
row("out-of-range", 422, "clearance of contacts", "POST", CONTACTS, {"clearance": -0.1}, "/clearance")
row("unknown-member", 422, "detail of a distance", "POST", DISTANCE, {"detail": "full"}, "/detail")
row("unknown-member", 422, "of contacts", "POST", CONTACTS, {"details": "full"}, "/details", also=suggests("detail"))
row("bad-value", 422, "normalWeighting", "POST", VOLUME, {"normalWeighting": "square"}, "/normalWeighting", also=suggests("squared"))
row("bad-value", 422, "method of a volume", "POST", VOLUME, {"method": "mpr"}, "/method")
row("out-of-range", 422, "negative threshold", "POST", VOLUME, {"sparsify": {"threshold": -0.1}}, "/sparsify/threshold")
row("out-of-range", 422, "threshold above 1", "POST", VOLUME, {"sparsify": {"threshold": 1.1}}, "/sparsify/threshold")
row("out-of-range", 422, "negative minArea", "POST", VOLUME, {"sparsify": {"minArea": -1e-9}}, "/sparsify/minArea")
row("out-of-range", 422, "negative minDistance", "POST", VOLUME, {"sparsify": {"minDistance": -1}}, "/sparsify/minDistance")
row("unknown-member", 422, "of sparsify", "POST", VOLUME, {"sparsify": {"mindist": 1}}, "/sparsify/mindist")
row("out-of-range", 422, "epsilon 0", "POST", VOLUME, {"method": "solfec", "epsilon": 0}, "/epsilon")
row("wrong-type", 422, "triangles", "POST", VOLUME, {"triangles": "yes"}, "/triangles")
row("unknown-member", 422, "clearance of a volume", "POST", VOLUME, {"clearance": 0.1}, "/clearance")
row("out-of-range", 422, "geometricEpsilon 0", "PATCH", SCENE, {"geometricEpsilon": 0}, "/geometricEpsilon")
row("out-of-range", 422, "negative geometricEpsilon", "PUT", SCENE, {"bodies": [], "geometricEpsilon": -1e-6}, "/geometricEpsilon")
row("bad-value", 422, "broadphase", "POST", DISTANCE, {"broadphase": "treee"}, "/broadphase", also=suggests("tree"))
row("bad-value", 422, "include", "POST", DISTANCE, {"include": ["gradiant"]}, "/include/0", also=suggests("gradient"))
row("bad-value", 422, "method", "POST", DISTANCE, {"method": "mrp"}, "/method", also=suggests("mpr"))
row("out-of-range", 422, "mprTolerance", "POST", DISTANCE, {"method": "mpr", "mprTolerance": 0}, "/mprTolerance")
row("bad-value", 422, "a gradient of contacts", "POST", CONTACTS, {"include": ["gradient"]}, "/include/0")
row("bad-value", 422, "id with a line end", "POST", BODIES, [ball("a\nb")], "/0/id")
row("bad-value", 422, "empty id", "POST", BODIES, [ball("")], "/0/id")
row("bad-value", 422, "id of 257", "POST", BODIES, [ball("x" * 257)], "/0/id")
row("bad-value", 422, "id other than the path's", "PUT", ONE, ball("other"), "/id")
row("bad-value", 422, "pair of one body", "POST", DISTANCE, {"pairs": [["a", "a"]]}, "/pairs/0")
row("bad-value", 422, "box with min > max", "POST", "/v1/query/pairs", {"boxes": [[0, 0, 0, 1, 1, 1], [1, 0, 0, 0, 1, 1]]},
    "/boxes/1/0")
row("bad-value", 422, "patch of the id", "PATCH", BODIES + "/a", {"id": "z"}, "/id")
for name, ray, problem, pointer in (("no direction", {"origin": [0, 0, 0]}, "missing-member", "/rays/0/direction"),
                                    ("zero direction", {**RAY, "direction": [0, 0, 0]}, "bad-value", "/rays/0/direction"),
                                    ("text in a direction", {**RAY, "direction": [0, "1", 0]}, "wrong-type", "/rays/0/direction/1"),
                                    ("an origin too far", {**RAY, "origin": [0, 2e9, 0]}, "out-of-range", "/rays/0/origin/1"),
                                    ("negative distance", {**RAY, "maxDistance": -1}, "out-of-range", "/rays/0/maxDistance"),
                                    ("misspelt", {**RAY, "maxdistance": 1}, "unknown-member", "/rays/0/maxdistance")):
    row(problem, 422, f"a ray: {name}", "POST", RAYCAST, {"rays": [ray]}, pointer)
row("missing-member", 422, "rays", "POST", RAYCAST, {}, "/rays")
row("missing-member", 422, "points", "POST", SCENE + "/query/nearest", {"k": 2}, "/points")
row("missing-member", 422, "region", "POST", SCENE + "/query/region", {}, "/region")
row("missing-member", 422, "max of a region", "POST", SCENE + "/query/region", {"region": {"min": [0, 0, 0]}}, "/region/max")
row("missing-member", 422, "shape of a region", "POST", SCENE + "/query/region", {"region": {}}, "/region")
row("missing-member", 422, "what a ray is cast at", "POST", "/v1/query/raycast", {"rays": [RAY]}, None)
row("bad-value", 422, "hits", "POST", RAYCAST, {"rays": [RAY], "hits": "al"}, "/hits", also=suggests("all"))
row("bad-value", 422, "mode", "POST", SCENE + "/query/region", {"region": BALL, "mode": "insid"}, "/mode", also=suggests("inside"))
row("out-of-range", 422, "k of 0", "POST", SCENE + "/query/nearest", {"points": [], "k": 0}, "/k")
row("out-of-range", 422, "k beyond nearest", "POST", SCENE + "/query/nearest", {"points": [], "k": 8}, "/k")
row("out-of-range", 422, "a flat region", "POST", SCENE + "/query/region", {"region": {"min": [0, 0, 0], "max": [1, 1, 0]}},
    "/region/max")
row("unknown-member", 422, "points of a raycast", "POST", RAYCAST, {"rays": [RAY], "points": []}, "/points")
row("unknown-member", 422, "variants of a raycast", "POST", RAYCAST, {"rays": [RAY], "variants": []}, "/variants")
row("unknown-member", 422, "sides of a probe's where", "POST", RAYCAST, {"rays": [RAY], "where": {"a": {"prefix": ""}}}, "/where/a")
row("duplicate-id", 422, "two given bodies of a probe", "POST", "/v1/query/point",
    {"a": {"id": "x", "colliders": [BALL]}, "b": {"id": "x", "colliders": [BALL]}, "points": []}, "/b")
row("unknown-id", 422, "of a probe's where", "POST", RAYCAST, {"rays": [RAY], "where": {"ids": ["nobody"]}}, "/where/ids/0")
for name, value in (("zero", [0, 0, 0, 0]), ("long", [0, 0, 0, 1.01]), ("short", [0, 0, 0, 0.99]), ("tiny", [1e-200, 0, 0, 0])):
    row("bad-rotation", 422, f"{name} quaternion", "PUT", ONE, {"colliders": [BALL], "rotation": value}, "/rotation")
    row("bad-rotation", 422, f"{name} quaternion, w first", "PUT", ONE, {"colliders": [BALL], "rotationWxyz": value},
        "/rotationWxyz")
row("bad-rotation", 422, "of a collider", "PUT", ONE, solid(**BALL, rotation=[1, 1, 0, 0]), "/colliders/0/rotation")
row("bad-rotation", 422, "of poses", "PATCH", SCENE + "/poses", {"ids": ["a", "b"], "rotations": [[0, 0, 0, 1], [0, 0, 0, 2]]},
    "/rotations/1")
row("bad-rotation", 422, "matrix that mirrors", "PUT", ONE, {"colliders": [BALL], "matrix": [[-1, 0, 0], [0, 1, 0], [0, 0, 1]]},
    "/matrix")
row("bad-rotation", 422, "matrix that shears", "PUT", ONE, {"colliders": [BALL], "matrix": [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]},
    "/matrix")
for name, motion, pointer in (("negative mass", {"mass": -1}, "/motion/mass"), ("zero mass", {"mass": 0}, "/motion/mass"),
                              ("neither mass nor density", {}, "/motion"),
                              ("negative density", {"density": -5}, "/motion/density"),
                              ("a negative moment", {"mass": 1, "inertiaDiagonal": [1, -1, 1]}, None),
                              ("moments against the triangle rule", {"mass": 1, "inertiaDiagonal": [1, 1, 3]},
                               "/motion/inertiaDiagonal/2")):
    row("bad-mass", 422, name, "PUT", ONE, {"colliders": [BALL], "motion": motion}, pointer)
for name, shape in (("a cylinder", {"cylinder": {"radius": 1, "height": 1}}), ("a cone", {"cone": {"radius": 1, "height": 1}}),
                    ("an ellipsoid", {"ellipsoid": {"radii": [1, 2, 3]}}), ("a hull", {"convex": TETRAHEDRON})):
    row("bad-mass", 422, f"density of {name} with added rounding", "PUT", ONE,
        dict(solid(**shape, roundingRadius=0.1, roundingMode="add"), motion={"density": 1000}), "/motion")


def rank(number):
    return lambda reply: equal([e.get("actual") for e in reply.json["errors"]], [number], "rank")


SQUARE = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0.5, 0.25, 0]]
for name, points, value in (("a point", [[1, 2, 3]] * 4, 0), ("a line", [[i, 2 * i, 3 * i] for i in range(5)], 1),
                            ("a plane", SQUARE, 2),
                            ("a slanted plane", [[x, y, x + y] for x, y, unused in SQUARE], 2)):
    row("degenerate-hull", 422, f"points in {name}", "PUT", ONE, solid(convex={"vertices": points}),
        "/colliders/0/convex/vertices", also=rank(value))
row("degenerate-hull", 422, "three points", "PUT", ONE, solid(convex={"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}),
    "/colliders/0/convex/vertices")
row("degenerate-hull", 422, "open planes", "PUT", ONE,
    solid(convex={"planes": [[1, 0, 0, -1], [-1, 0, 0, -1], [0, 1, 0, -1], [0, -1, 0, -1]]}), None)
row("degenerate-hull", 422, "planes without a common point", "PUT", ONE,
    solid(convex={"planes": [[1, 0, 0, 2], [-1, 0, 0, 2], [0, 1, 0, -1], [0, -1, 0, -1], [0, 0, 1, -1], [0, 0, -1, -1]]}), None)

# ---- 422: ids, limits, cursors -------------------------------------------------------------------------------------------

row("duplicate-id", 422, "bodies of an array", "POST", BODIES, [ball("x"), ball("x")], "/1/id")
row("duplicate-id", 422, "bodies of a scene", "PUT", SCENE, {"bodies": [ball("x"), ball("y"), ball("x")]}, "/bodies/2/id")
row("duplicate-id", 422, "colliders of a body", "PUT", ONE, {"colliders": [dict(BALL, id="s"), dict(BALL, id="s")]},
    "/colliders/1/id")
row("duplicate-id", 422, "poses", "PATCH", SCENE + "/poses", {"ids": ["a", "b", "a"], "positions": [[0, 0, 0]] * 3}, "/ids/2")
row("duplicate-id", 422, "two rules for a pair", "PUT", SCENE + "/filters",
    {"pairs": [{"a": "a", "b": "b", "collide": False}, {"a": "b", "b": "a", "collide": True}]}, None)
MOVE = {"ids": ["a"], "positions": [[0, 0, 1]]}
for path, body, problem, pointer in ((STATE, {"tiem": 3}, "unknown-member", "/tiem"), (STATE, {"time": "now"}, "wrong-type", "/time"),
                                     (STATE, [], "wrong-type", ""), (STATE, {"time": 1.5, "poses": MOVE}, "out-of-range", "/time"),
                                     (STATE, {"time": 1e16}, "out-of-range", "/time"), (STATE, {"supportPoints": 1}, "wrong-type", "/supportPoints"),
                                     (STATE, {"contactEpsilon": 1e-9, "poses": MOVE}, "bad-value", "/contactEpsilon"),
                                     (STATE + "2", {"contactEpsilon": 1.001e-3}, "out-of-range", "/contactEpsilon"),
                                     (STATE + "2", {"contactEpsilon": 0}, "out-of-range", "/contactEpsilon"),
                                     (STATE, {"deadlineMs": 20001}, "out-of-range", "/deadlineMs"), (STATE, {"poses": []}, "wrong-type", "/poses"),
                                     (STATE, {"poses": {"ids": ["a"]}}, "missing-member", "/poses"),
                                     (STATE + "2", {"poses": {**MOVE, "ids": ["nobody"]}}, "unknown-id", "/poses/ids/0"),
                                     (STATE, {"poses": {"ids": ["b"], "linearVelocities": [[0, 0, 1]]}}, "bad-value", "/poses/linearVelocities/0"),
                                     (CROSSINGS, {}, "missing-member", "/contactState"), (CROSSINGS, {"contactState": 1}, "wrong-type", "/contactState"),
                                     (CROSSINGS, {"contactState": ".."}, "bad-value", "/contactState"),
                                     (CROSSINGS, {"contactState": "nobody"}, "unknown-id", "/contactState"),
                                     (CROSSINGS, {"contactState": "held", "evaluation": "event"}, "bad-value", "/evaluation"),
                                     (CROSSINGS, {"contactState": "held", "include": ["gradient"]}, "bad-value", "/include/0"),
                                     (CROSSINGS, {"contactState": "held", "where": {}}, "unknown-member", "/where"),
                                     (CROSSINGS, {"contactState": "held", "variants": [MOVE, {**MOVE, "ids": ["x"]}]}, "unknown-id", "/variants/1/ids/0")):
    row(problem, 422, f"of a contact state: {json.dumps(body)[:60]}", "POST", path, body, pointer)
row("unknown-id", 422, "of a pair", "POST", DISTANCE, {"pairs": [["a", "b"], ["a", "nobody"]]}, "/pairs/1/1")
row("unknown-id", 422, "of where", "POST", DISTANCE, {"where": {"a": {"ids": ["a", "nobody"]}}}, "/where/a/ids/1")
row("unknown-id", 422, "of what-if poses", "POST", DISTANCE, {"poses": {"ids": ["nobody"], "positions": [[0, 0, 0]]}},
    "/poses/ids/0")
row("unknown-id", 422, "of a variant", "POST", DISTANCE,
    {"variants": [{"ids": [], "positions": []}, {"ids": ["nobody"], "positions": [[0, 0, 0]]}]}, "/variants/1/ids/0")
row("unknown-id", 422, "of a rule", "PUT", SCENE + "/filters", {"pairs": [{"a": "nobody", "b": "b", "collide": False}]},
    "/pairs/0/a")
row("unknown-id", 422, "of masses", "POST", SCENE + "/query/massProperties", {"bodies": ["a", "nobody"]}, "/bodies/1")
row("unknown-id", 422, "of effective", "GET", SCENE + "/filters/effective?a=a&b=nobody")
row("limit-exceeded", 422, "bodies", "POST", BODIES, [ball(f"x{i}") for i in range(48)], None)
row("limit-exceeded", 422, "colliders", "PUT", ONE, {"colliders": [BALL] * 31}, "/colliders")
row("limit-exceeded", 422, "user", "PUT", ONE, {"colliders": [BALL], "user": "x" * 300}, "/user")
row("limit-exceeded", 422, "queries of a batch", "POST", SCENE + "/query", {"queries": [{"kind": "overlap"}] * 11}, "/queries")
row("limit-exceeded", 422, "variants", "POST", DISTANCE, {"variants": [{"ids": [], "positions": []}] * 21}, "/variants")
row("limit-exceeded", 422, "rays", "POST", RAYCAST, {"rays": [RAY] * 9}, "/rays")
row("limit-exceeded", 422, "points", "POST", SCENE + "/query/point", {"points": [[0, 0, 0]] * 10}, "/points")
row("limit-exceeded", 422, "points of a hull", "PUT", ONE,
    solid(convex={"vertices": [[i, i * i % 7, i % 5] for i in range(1001)]}), "/colliders/0/convex/vertices")
row("pair-limit", 422, "candidates of boxes", "POST", "/v1/query/pairs", {"boxes": [[0, 0, 0, 1, 1, 1]] * 60}, "/boxes",
    also=counts_pairs)
row("pair-limit", 422, "candidates of a scene", "POST", "/v1/query/distance", {"scene": CROWD}, "", also=counts_pairs)
for cursor in ("x", "0", "", "0-0-0-0-0", "ff" * 20):
    row("bad-cursor", 422, f"query cursor {cursor!r}", "POST", DISTANCE, {"cursor": cursor}, "/cursor")
for path in ("/v1/scenes", BODIES, SHAPES):
    # An id of the list, one that could exist, and invalid texts.
    for cursor in ("nonsense", "a", "victim", "-", "", "victim-0123456789abcdef", "-0123456789abcdef", "x" * 800):
        row("bad-cursor", 422, f"{path} {cursor[:20]!r}", "GET", f"{path}?cursor={cursor}")


def snapshot():
    reply = looking.get(SCENE).must(200)
    return reply.etag, reply.body


def run(problem, status, method, path, body, pointer, rest):
    rest = dict(rest)
    also = rest.pop("also", None)
    before = snapshot()
    reply = client.request(method, path, body, **rest)
    reply.problem(status, problem, pointer)
    detail = reply.json["detail"]
    check(detail and len(detail) < 600, f"detail is {detail!r}")
    for error in reply.json.get("errors", []):
        check(re.fullmatch(r"(/([^~/]|~[01])*)*", error["pointer"]) and error["detail"], f"error {error}")
    if also:
        also(reply)
    equal(snapshot(), before, "scene")


suite.table("bad input", ((f"{problem}: {name}", lambda a=(problem, status, method, path, body, pointer, rest): run(*a))
                          for problem, status, name, method, path, body, pointer, rest in rows))


@suite.fact
def a_cursor_of_another_request_is_refused():
    page = client.post(SCENE + "/query/overlap", {"limit": 1}).must(200).json
    check("nextCursor" in page, "the scene has too few overlaps for two pages")
    client.post(SCENE + "/query/overlap", {"cursor": page["nextCursor"], "where": {"a": {"ids": ["a"]}}}).problem(422,
            "bad-cursor", "/cursor")
    client.post(DISTANCE, {"cursor": page["nextCursor"]}).problem(422, "bad-cursor", "/cursor")


@suite.fact
def too_many_pairs_of_a_query_in_a_batch_are_reported_at_that_query():
    queries = [{"kind": "pairs", "boxes": [[0, 0, 0, 1, 1, 1]] * n} for n in (3, 60)] + [{"kind": "overlap", "scene": CROWD}]
    first, boxes, crowd = client.post("/v1/query", {"queries": queries}).must(200).json["results"]
    equal(first["httpStatus"], 200, "status")
    for answer, pointer in ((boxes, "/queries/1/boxes"), (crowd, "/queries/2")):
        equal(answer["problem"]["type"], "/problems/pair-limit", "problem")
        equal(answer["problem"]["errors"][0]["pointer"], pointer, "pointer")


@suite.fact
def more_scenes_than_the_limit_are_refused():
    for i in range(60):
        reply = client.put(f"/v1/scenes/fill{i}", {"bodies": []})
        if reply.status != 201:
            break
    reply.problem(422, "limit-exceeded")
    equal(i, 38, "scenes made beside the first two")
    client.put(SCENE, client.get(SCENE).body).must(200)  # one that exists may still be replaced


@suite.fact
def a_deadline_is_504_and_nothing_changes():
    before = snapshot()
    cloud = [{"convex": {"vertices": [[x * 0.3, y * 0.3, z * 0.3 + s] for x in (0, 1) for y in (0, 1) for z in (0, 1)]}}
             for s in (0, 0.01)]
    bodies = [{"id": f"p{i}", "colliders": cloud} for i in range(45)]
    moves = [{"ids": ["p1"], "positions": [[i * 1e-3, 0, 0]]} for i in range(20)]
    request = {"scene": {"bodies": bodies}, "variants": moves, "deadlineMs": 1}
    client.post("/v1/query/distance", request).problem(504, "deadline-exceeded")
    equal(snapshot(), before, "scene")


@suite.fact
def several_errors_are_reported_at_once():
    body = {"colliders": [{"sphere": {"radius": -1}}, {"box": {"size": [1, 0, 1]}}], "position": [1, 2], "motoin": {}}
    pointers = {e["pointer"] for e in client.put(ONE, body).must(422).json["errors"]}
    check({"/motoin"} <= pointers, f"pointers are {pointers}")
    body.pop("motoin")
    pointers = {e["pointer"] for e in client.put(ONE, body).must(422).json["errors"]}
    check({"/colliders/0/sphere/radius", "/colliders/1/box/size/1", "/position"} <= pointers, f"pointers are {pointers}")


@suite.fact
def errors_quote_little_of_the_request():
    reply = client.put(ONE, {"colliders": [BALL], "x" * 5000: 1}).problem(422, "unknown-member")
    check("x" * 100 not in reply.text, "a name of 5,000 characters is sent back")


@suite.fact
def the_limits_themselves_are_accepted():
    good = [solid(sphere={"radius": 1e-9}), solid(sphere={"radius": 1e9}), dict(solid(**BALL), position=[1e9, -1e9, 1e9]),
            dict(solid(**BALL), position=[5e-324, -0.0, 1e-400]),
            dict(solid(**BALL), rotation=[0, 0, 0, 1.0009]), dict(solid(**BALL), motion={"mass": 1e-12}),
            dict(solid(**BALL), motion={"mass": 1e15}),
            solid(capsule={"radius": 1, "height": 0}), dict(solid(**BALL), motion={"mass": 1, "inertiaDiagonal": [1, 1, 2]})]
    for body in good:
        client.put("/v1/scenes/victim/bodies/limit", body).must(201)
        client.delete("/v1/scenes/victim/bodies/limit").must(200)


@suite.fact
def every_documented_problem_is_tested():
    source = (ROOT / "api/include/api/problems.def").read_text()
    documented = set(re.findall(r'^X\(\w+, "([^"]+)"', source, re.M))
    tried = {r[0] for r in rows} | {"deadline-exceeded"}
    equal(sorted(documented - tried - set(ELSEWHERE)), [], "problems that nothing tries")
    equal(sorted(tried - documented), [], "problems tried that are not documented")


suite.main()
