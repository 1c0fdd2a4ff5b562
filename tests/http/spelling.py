"""No misspelling passes silently, and the probably intended name is suggested: ids, groups, routes, methods, URL
parameters, options, entity tags, content types. A suggestion differs by one or two letters; for anything farther
none is made."""
import random
import string
import struct
import subprocess

from support.checks import Suite, check, equal
from support.client import Curl, KeepAlive
from support.daemon import Daemon, binary, clean_environment

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client, curl = KeepAlive(daemon), Curl(daemon)
CELL = "/v1/scenes/robot-cell"
BALL = {"sphere": {"radius": 0.5}}
client.put(CELL, {"materials": {"steel": {"staticFriction": 0.5}}, "bodies": [
    {"id": "gripper", "colliders": [dict(BALL, id="finger")], "groups": ["arm"]},
    {"id": "workpiece", "position": [3, 0, 0], "colliders": [BALL], "motion": {"mass": 1}, "groups": ["payload"]}]}).must(201)
client.post(CELL + "/contactStates/assembly").must(201)
SHAPE = client.post("/v1/shapes", BALL).must(201).json["id"]


def suggested(reply):
    """The suggestions of a reply, at the top or in its errors."""
    found = [reply.json.get("suggestion")] + [e.get("suggestion") for e in reply.json.get("errors", [])]
    return [word for word in found if word]


def words(method, path, body, status, word, **rest):
    """The reply has the status and suggests exactly this word, also in the detail."""
    def fact():
        reply = client.request(method, path, body, **rest).must(status)
        equal(suggested(reply), [word] if word else [], f"suggestions in {reply.text}")
        if word:
            check(f'did you mean "{word}"?' in reply.json["detail"], reply.json["detail"])
    return fact


def rows():
    quote = {"a": "gripper", "b": "workpeice", "collide": False}
    touch = {"a": "gripper", "b": "workpiece", "colliderA": "fingre", "position": [0, 0, 0], "normal": [0, 0, 1]}
    body = {"colliders": [dict(BALL, material="steal")]}
    state = {"contactState": "asembly"}
    poses = {"ids": ["workpice"], "positions": [[0, 0, 0]]}
    for name, method, path, sent, status, word in (
            ("a scene", "GET", "/v1/scenes/robot-cel", None, 404, "robot-cell"),
            ("a scene of a query", "POST", "/v1/scenes/robotcell/query/overlap", {}, 404, "robot-cell"),
            ("a scene far from all", "GET", "/v1/scenes/warehouse", None, 404, None),
            ("a body in a path", "GET", CELL + "/bodies/Gripper", None, 404, "gripper"),
            ("a body of a patch", "PATCH", CELL + "/bodies", [{"id": "griper"}], 422, "gripper"),
            ("a body to delete", "DELETE", CELL + "/bodies?id=grippers", None, 422, "gripper"),
            ("a body of poses", "PATCH", CELL + "/poses", poses, 422, "workpiece"),
            ("a body of what-if poses", "POST", CELL + "/query/overlap", {"poses": poses}, 422, "workpiece"),
            ("a body of a pair", "POST", CELL + "/query/overlap", {"pairs": [["gripper", "workpeice"]]}, 422, "workpiece"),
            ("a body of a rule", "PUT", CELL + "/filters", {"pairs": [quote]}, 422, "workpiece"),
            ("a body of an explanation", "GET", CELL + "/filters/effective?a=griper&b=workpiece", None, 422, "gripper"),
            ("a body far from all", "GET", CELL + "/bodies/conveyor", None, 404, None),
            ("a collider of a contact", "POST", CELL + "/query/impulse", {"contacts": [touch]}, 422, "finger"),
            ("a material", "PUT", CELL + "/bodies/new", body, 422, "steel"),
            ("a contact state in a path", "GET", CELL + "/contactStates/assemblY", None, 404, "assembly"),
            ("a contact state of a query", "POST", CELL + "/query/zeroCrossings", state, 422, "assembly"),
            ("a contact state of forces", "POST", CELL + "/query/compliantForces", state, 422, "assembly"),
            ("a contact state of a stream", "GET", CELL + "/events?contactState=asembly", None, 404, "assembly"),
            ("a shape", "PUT", CELL + "/bodies/new", {"colliders": [{"shape": SHAPE[:-1]}]}, 422, SHAPE),
            ("a route", "GET", CELL + "/body", None, 404, None),
            ("a route's plural", "GET", "/v1/scene", None, 404, "/v1/scenes"),
            ("a route's case", "POST", CELL + "/contactstates/assembly", {}, 404, CELL + "/contactStates/assembly"),
            ("a route of a kind", "POST", CELL + "/query/overlaps", {}, 404, CELL + "/query/overlap"),
            ("a route of a kind, without a scene", "POST", "/v1/query/distanse", {}, 404, "/v1/query/distance"),
            ("a route without its version", "GET", "/scenes/robot-cell", None, 404, CELL),
            ("a slash at the end", "GET", "/v1/scenes/", None, 404, "/v1/scenes"),
            ("a route of the process", "GET", "/metric", None, 404, "/metrics"),
            ("a route of a probe", "GET", "/readz", None, 404, "/readyz"),
            ("a name of a problem", "GET", "/problems/unknown-menber", None, 404, "unknown-member"),
            ("two letters swapped", "PATCH", CELL + "/bodies", [{"di": "gripper"}], 422, "id"),
            ("two other letters", "PATCH", CELL + "/bodies", [{"ix": "gripper"}], 422, None),
            ("the kind of a body", "POST", "/v1/query/massProperties", {"a": {"id": "a", "coliders": [BALL]}, "b": BALL}, 422, "colliders"),
            ("a shape that is a body", "POST", "/v1/query/massProperties", {"a": {"id": "a", "cylider": {"radius": 1, "height": 1}}}, 422, "cylinder"),
            ("a parameter", "GET", CELL + "/bodies?limt=3", None, 400, "limit"),
            ("a parameter's case", "POST", "/v1/shapes?Unit=m", BALL, 400, "unit"),
            ("a parameter where there is none", "GET", CELL + "?limit=3", None, 400, None)):
        yield name, words(method, path, sent, status, word)


suite.table("what was meant", rows())


@suite.fact
def an_unknown_path_is_answered_with_the_place_of_the_documentation():
    for path in ("/", "/index.html"):
        detail = client.get(path).problem(404, "not-found").json["detail"]
        check("/openapi.json" in detail and "api/README.md" in detail, detail)


@suite.fact
def an_unsupported_method_is_answered_with_the_supported_ones():
    reply = client.get(CELL + "/query/distance").problem(405, "method-not-allowed")
    check("POST" in reply.json["detail"], reply.json["detail"])
    equal(reply.headers["allow"], "POST", "Allow")
    equal(suggested(curl.request("PSOT", CELL + "/query/distance", {}, check=False).must(405)), ["POST"], "suggestion")


@suite.fact
def empty_groups_are_warned_of():
    groups = {"arm": {"notCollideWith": ["paylaod"]}, "conveyor": {"notCollideWith": ["arm"]}}
    for method, path, body, at in (("PUT", CELL + "/filters", {"groups": groups}, "/groups"),
                                   ("PATCH", CELL, {"filters": {"groups": groups}}, "/filters/groups")):
        warnings = client.request(method, path, body).must(200).json["warnings"]
        equal([(w["type"], w["pointer"]) for w in warnings],
              [("unknownGroup", at + "/conveyor"), ("unknownGroup", at + "/arm/notCollideWith/0")], "warnings")
        check('did you mean "payload"?' in warnings[1]["detail"], warnings[1]["detail"])
        check("did you mean" not in warnings[0]["detail"], warnings[0]["detail"])
    body = {"bodies": [{"id": "a", "colliders": [BALL], "groups": ["g"]}], "filters": {"groups": {"G": {"notCollideWith": ["g"]}}}}
    equal(client.put("/v1/scenes/whole", body).must(201).json["warnings"][0]["pointer"], "/filters/groups/G", "pointer")
    for method, path, sent in (("PUT", CELL + "/filters", {"groups": {"arm": {"notCollideWith": ["payload", "arm"]}}}),
                               ("PATCH", "/v1/scenes/whole", {"user": 1})):
        check("warnings" not in client.request(method, path, sent).must(200).json, f"{method} {path} warns")


NEAR = {"where": {"a": {"groups": ["payload", "payloads"]}, "b": {"prefix": "grippre"}}}
SAID = ['/where/a/groups/1: no body is in the group "payloads"; did you mean "payload"?',
        '/where/b/prefix: no body\'s id begins with "grippre"; did you mean "gripper"?']
MOTION = {"duration": 1, "motions": []}


def selections():
    """Every kind of query with a selection, at each place where a selection may be."""
    for kind, more in (("pairs", {}), ("overlap", {}), ("distance", {}), ("contacts", {}), ("volume", {}), ("features", {}), ("sweep", MOTION),
                       ("timeline", MOTION), ("impulse", {}), ("restingForces", {}), ("compliantForces", {"elastic": {"youngsModulus": 1e9, "poissonRatio": 0.3}})):
        yield kind, {**more, **NEAR}, SAID
    for kind, more in (("raycast", {"rays": []}), ("nearest", {"points": []}), ("point", {"points": []}),
                       ("region", {"region": {"min": [0, 0, 0], "max": [1, 1, 1]}})):
        yield kind, {**more, "where": {"groups": ["pay-load"]}}, ['/where/groups/0: no body is in the group "pay-load"; did you mean "payload"?']


def warned(kind, request, said):
    scene = client.get(CELL).must(200).json
    inline = {"bodies": scene["bodies"]}
    equal(client.post(f"{CELL}/query/{kind}", request).must(200).json["warnings"], said, "of a scene")
    equal(client.post(f"/v1/query/{kind}", {**request, "scene": inline}).must(200).json["warnings"], said, "of a scene inline")
    reply = client.post(CELL + "/query", {"queries": [{"kind": "pairs"}, {"kind": kind, **request}]}).must(200).json["results"]
    equal([r["result"].get("warnings") for r in reply], [None, ["/queries/1" + s for s in said]], "in a batch")


suite.table("selections_of_nobody_are_warned_of", ((k, lambda k=k, r=r, s=s: warned(k, r, s)) for k, r, s in selections()))


@suite.fact
def hypothetical_filters_warn_of_empty_groups():
    filters = {"groups": {"arm": {"notCollideWith": ["paylaod"]}}}
    said = ': No body is in the group "paylaod"; did you mean "payload"?'
    at = "/filters/groups/arm/notCollideWith/0"
    for kind, more in (("pairs", {}), ("distance", {}), ("sweep", MOTION), ("restingForces", {})):
        equal(client.post(f"{CELL}/query/{kind}", {**more, "filters": filters}).must(200).json["warnings"], [at + said], kind)
        scene = {"bodies": client.get(CELL).must(200).json["bodies"], "filters": filters}
        equal(client.post(f"/v1/query/{kind}", {**more, "scene": scene}).must(200).json["warnings"], ["/scene" + at + said], f"{kind} inline")
    named = {"id": "new", "groups": ["paylaod"], "colliders": [BALL]}
    queries = [{"kind": "pairs"}, {"kind": "raycast", "rays": []}, {"kind": "pairs", "add": [named]}, {"kind": "pairs", "filters": filters},
               {"kind": "pairs", "filters": {}}]
    reply = client.post(CELL + "/query", {"filters": filters, "queries": queries}).must(200).json["results"]
    equal([r["result"].get("warnings") for r in reply], [[at + said], None, None, ["/queries/3" + at + said], None], "in a batch")
    variants = [{"filters": {}}, {"filters": filters}, {"filters": filters, "add": [named]}]
    equal(client.post(CELL + "/query/overlap", {"variants": variants}).must(200).json["warnings"], ["/variants/1" + at + said], "of variants")
    many = client.post(CELL + "/query/overlap", {"variants": [{"filters": filters}] * 25}).must(200).json["warnings"]
    equal((many[0], many[19:]), ("/variants/0" + at + said, ["/variants/19" + at + said, "5 more warnings are not listed."]), "of many variants")


@suite.fact
def the_removal_of_an_absent_name_is_warned_of():
    warned = client.delete(CELL + "/bodies?prefix=griper").must(200).json
    equal((warned["count"], [(w["type"], w["detail"]) for w in warned["warnings"]]),
          (0, [("noBody", 'No body\'s id begins with "griper"; did you mean "gripper"?')]), "a prefix")
    client.patch(CELL, {"filters": {"groups": {"arm": {"notCollideWith": ["arm"]}}}}).must(200)
    for patch, pointer, detail in (
            ({"materials": {"steal": None}}, "/materials/steal", 'There is no material "steal" to remove; did you mean "steel"?'),
            ({"materials": {"wood": None}}, "/materials/wood", 'There is no material "wood" to remove.'),
            ({"filters": {"groups": {"amr": None}}}, "/filters/groups/amr", 'There is no group "amr" to remove; did you mean "arm"?')):
        warnings = client.patch(CELL, patch).must(200).json["warnings"]
        equal([(w["pointer"], w["detail"]) for w in warnings], [(pointer, detail)], "warnings")
    for patch in ({"materials": {"copper": {}}}, {"materials": {"copper": None}}, {"filters": {"groups": {"arm": None}}}, {"materials": None}):
        check("warnings" not in client.patch(CELL, patch).must(200).json, f"{patch} warns")


@suite.fact
def omitted_warnings_of_empty_groups_cost_little():
    """Searching the nearest group for each of the warnings that are omitted would take longer than the deadline."""
    rng = random.Random(1)

    def word():
        return "".join(rng.choices(string.ascii_lowercase + string.digits, k=64))
    bodies = [{"id": f"b{i}", "colliders": [BALL], "groups": [word()]} for i in range(2000)]
    groups = {word(): {"notCollideWith": [word()]} for _ in range(150)}
    document = {"bodies": bodies, "filters": {"groups": groups}}
    reply = client.put("/v1/scenes/groups", document).must(201).json
    equal((len(reply["warnings"]), reply["warningsOmitted"]), (20, 280), "warnings")
    client.delete("/v1/scenes/groups").must(200)


@suite.fact
def an_entity_tag_without_quotes_is_answered_with_a_hint():
    revision = int(client.get(CELL).etag[2:-1])
    before = client.get(CELL).text
    for tag in (f"r{revision}", f"r{revision}, r{revision + 1}", str(revision), f"'r{revision}'", f'"r{revision}'):
        for method, path, body in (("PATCH", CELL, {"user": 1}), ("DELETE", CELL, None), ("POST", CELL + "/query/overlap", {})):
            reply = client.request(method, path, body, headers={"If-Match": tag}).problem(412, "revision-mismatch")
            check(f'needs quotes: "r{revision}"' in reply.json["detail"], f"{tag}: {reply.json['detail']}")
        for method, path, body in (("PUT", CELL, {"bodies": []}), ("GET", CELL, None)):
            reply = client.request(method, path, body, headers={"If-None-Match": tag}).problem(400, "bad-request")
            check("needs quotes" in reply.json["detail"], reply.json["detail"])
    equal(client.get(CELL).text, before, "the scene")
    for tag in (f'"r{revision}"', f'"x", "r{revision}"', "*", f'W/"x" , "r{revision}" '):
        client.post(CELL + "/query/overlap", {}, headers={"If-Match": tag}).must(200)
        client.get(CELL, headers={"If-None-Match": tag}).must(304)


@suite.fact
def a_misspelt_header_of_a_precondition_is_refused():
    before = client.get(CELL).text
    for name, meant in (("If-Macth", "If-Match"), ("If_Match", "If-Match"), ("ifmatch", "If-Match"), ("If-NoneMatch", "If-None-Match"),
                        ("Idempotency_Key", "Idempotency-Key"), ("X-Idempotency-Key", "Idempotency-Key"),
                        ("Last-EventID", "Last-Event-ID"), ("Contnet-Type", "Content-Type")):
        for method, path, body in (("PATCH", CELL, {"user": 1}), ("GET", CELL, None), ("POST", CELL + "/query/overlap", {})):
            reply = client.request(method, path, body, headers={name: '"r1"'}).problem(400, "bad-request")
            equal(reply.json["detail"], f"{name}: The header is not known; did you mean {meant}?", "detail")
    equal(client.get(CELL).text, before, "the scene")
    for name in ("If-Range", "Content-Range", "If-Modified-Since", "Content-Language", "X-Match", "Via", "TE", "X-Request-Id"):
        client.post(CELL + "/query/overlap", {}, headers={name: '"r1"'}).must(200)


@suite.fact
def an_invalid_value_in_the_url_is_refused_with_the_reason():
    for value in ("%00", "%4", "%zz", "9" * 1000):
        reply = client.get(f"/v1/scenes?limit={value}").problem(400, "bad-parameter")
        for part in ('"limit"', "hexadecimal", "zero byte", "800 bytes"):
            check(part in reply.json["detail"], reply.json["detail"])


POINTS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
TRIANGLES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
BINARY = b"made by hand".ljust(80, b" ") + struct.pack("<I", 4) + b"".join(
    struct.pack("<12fH", 0, 0, 0, *(c for k in t for c in POINTS[k]), 0) for t in TRIANGLES)
TEXT = ("solid part\n" + "".join("facet normal 0 0 0\nouter loop\n" + "".join("vertex %g %g %g\n" % POINTS[k] for k in t)
                                 + "endloop\nendfacet\n" for t in TRIANGLES) + "endsolid part\n").encode()
OBJ = ("# a part\n" + "".join("v %g %g %g\n" % p for p in POINTS) + "".join("f %d %d %d\n" % tuple(k + 1 for k in t) for t in TRIANGLES)).encode()


@suite.fact
def a_file_under_another_content_type_is_answered_with_a_hint():
    files = (("STL", "model/stl", BINARY), ("STL", "model/stl", TEXT), ("OBJ", "model/obj", OBJ), ("OBJ", "model/obj", OBJ[9:]))
    for kind, right, body in files:
        check(client.post("/v1/shapes?unit=m", body, content_type=right).status in (200, 201), f"a good {kind} file is refused")
        for wrong in ("application/x-www-form-urlencoded", "application/json", "text/plain", None,
                      "model/obj" if kind == "STL" else "model/stl"):
            for query in ("", "?unit=mm"):
                reply = client.post("/v1/shapes" + query, body, content_type=wrong, check=False)
                check(reply.status == 400, f"{kind} as {wrong}{query}: {reply.text}")
                check(f"looks like an {kind} file" in reply.json["detail"] and f"Content-Type: {right}" in reply.json["detail"] or not query
                      and reply.json["type"] == "/problems/bad-parameter", f"{kind} as {wrong}{query}: {reply.json['detail']}")
        reply = client.put(CELL, body, content_type="application/json").problem(400, "malformed-json")
        check(f"looks like an {kind} file" in reply.json["detail"], reply.json["detail"])
        for other in ("application/octet-stream", "application/sla", "model/x.stl-binary"):
            reply = client.post("/v1/shapes?unit=m", body, content_type=other).problem(415, "unsupported-media-type")
            check("model/stl for an STL file" in reply.json["detail"], reply.json["detail"])
    for body in ("{", "hello", "vertices", "solid", "[1,"):
        check("looks like" not in client.put(CELL, body).problem(400, "malformed-json").json["detail"], f"{body} is no file")
        hints = client.post("/v1/shapes", body).problem(400, "malformed-json").json["detail"].count("(curl --data-binary @file)")
        equal(hints, 1, f"hints for {body} as a shape")


def run(*arguments, **variables):
    return subprocess.run([str(binary()), *arguments], capture_output=True, text=True, timeout=60, check=False,
                          env={**clean_environment(), **variables})


@suite.fact
def options_are_suggested_and_h_is_help():
    helps = run("-h"), run("--help")
    equal([(r.returncode, r.stderr) for r in helps], [(0, "")] * 2, "-h and --help")
    equal(helps[0].stdout, helps[1].stdout, "the text")
    for arguments, variables, word in ((("--prot", "0"), {}, "--port"), (("--workes=3",), {}, "--workers"), (("-port", "0"), {}, "--port"),
                                       (("--limit", "jsonBites=1024"), {}, "jsonBytes"), ((), {"CONTACTD_WROKERS": "2"}, "CONTACTD_WORKERS"),
                                       (("--durabilty", "disk"), {}, "--durability"), (("--frobnicate",), {}, None)):
        said = run(*arguments, **variables)
        equal(said.returncode, 2, f"status of {arguments}")
        check((f"did you mean {word}?" in said.stderr) if word else "did you mean" not in said.stderr, said.stderr)
        equal(said.stderr.count("\n"), 1, "lines")


suite.main()
