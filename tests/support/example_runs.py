"""Runs the examples of the OpenAPI document's operations and compares each reply with the documented one of the same name.

Every example stands for a daemon that holds just the scene of the example of PUT /v1/scenes/{s}, and then was sent what x-before lists.
Revisions count from 1 in the examples; here they begin elsewhere, as in a daemon that has deleted scenes before, and take their
beginning from the reply. Examples of a posted shape stand for a daemon that also holds the shape of the JSON example of POST /v1/shapes.
A cursor that is sent is the nextCursor of the last reply before. What differs from daemon to daemon is listed as JSON pointers in
x-varies, beside the documented reply. A parameter of the URL with x-with is sent with the content types that it lists.
Which members the examples have: tests/house/members.py.
"""
import copy
import json
import re

from support.checks import check, equal
from support.client import Curl, ndjson
from support.daemon import ROOT, Daemon
from support.events import first_events
from support.examples import DEFAULT, NDJSON, cases, examples_of, lines_of
from support.schema import Document, resolve

document = Document(json.loads((ROOT / "api/openapi.json").read_text()))
VARIES = "x-varies"
SCENE = examples_of(document.document["components"]["parameters"]["scene"])[DEFAULT]


def without(value, pointer):
    """Removes the value at the pointer; * stands for every element."""
    *path, last = pointer.strip("/").split("/")
    nodes = [value]
    for part in path:
        nodes = [child for node in nodes for child in (node if part == "*" else [node[int(part)]] if isinstance(node, list) else
                                                       [node[part]] if part in node else [])]
    for node in nodes:
        if isinstance(node, dict):
            node.pop(last, None)


def demo_scene(client, earlier=2):
    """The difference between the scene's revisions and those of the examples."""
    for unused in range(earlier):
        client.put("/v1/scenes/earlier", {}).must(201)
        client.delete("/v1/scenes/earlier").must(200)
    scene = examples_of(document.document["paths"]["/v1/scenes/{s}"]["put"]["requestBody"]["content"]["application/json"])[DEFAULT]
    above = client.put(f"/v1/scenes/{SCENE}", scene).must(201).json["revision"] - 1
    check(above > 0 or not earlier, "a scene after others that were deleted begins at revision 1")
    return above


def shifted(value, above):
    """The value with every revision increased by the difference; also in texts of headers and streams."""
    if isinstance(value, dict):
        return {k: v + above if k == "revision" and isinstance(v, int) else shifted(v, above) for k, v in value.items()}
    if isinstance(value, list):
        return [shifted(v, above) for v in value]
    if isinstance(value, str):
        return re.sub(r'(^"r|"revision": ?)(\d+)', lambda m: m.group(1) + str(int(m.group(2)) + above), value)
    return value


def demo_shape(client):
    media = document.document["paths"]["/v1/shapes"]["post"]["requestBody"]["content"]["application/json"]
    made = client.post("/v1/shapes", next(iter(examples_of(media).values()))).must(201)
    equal(made.json["id"], document.document["components"]["parameters"]["shape"]["example"], "id of the demo shape")


def demo_elements(client):
    """The body whose vertices are moved."""
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    jelly = {"colliders": [{"tetmesh": {"vertices": corners, "tetrahedra": [[0, 1, 2, 3]]}}]}
    client.put(f"/v1/scenes/{SCENE}/bodies/jelly", jelly).must(201)


def demo_event(client):
    """The contact state of the examples; the example of its POST creates it itself."""
    event = next(case for case in cases(document) if case.template.endswith("/contactStates/{c}") and case.method == "POST")
    client.post(event.address(), event.body).must(201)


def needs(case):
    """What the daemon has besides the demo scene: a list of functions of the client."""
    if case.before():
        return []
    if case.template.endswith("/vertices"):
        return [demo_elements]
    if case.template == "/v1/shapes/{id}":
        return [demo_shape]
    if "/contactStates" in case.template and case.method != "POST" or case.template.endswith("/query/zeroCrossings"):
        return [demo_event]
    return []


def body_before(request):
    """The body of a request of x-before: its own, or the example of its operation that it names."""
    if "example" not in request:
        return request.get("body")
    template, unused = document.template(request["path"], request["method"])
    return next(case.body for case in cases(document) if (case.template, case.method, case.name) ==
                (template, request["method"], request["example"]))


def send_before(client, case):
    """Sends what x-before lists. The last reply's cursor."""
    cursor = None
    for each in case.before():
        reply = client.request(each["method"], each["path"], body_before(each))
        check(200 <= reply.status < 300, f"{each['method']} {each['path']} before it: {reply.status} {reply.text}")
        cursor = reply.json.get("nextCursor")
    return cursor


def with_cursor(value, cursor):
    """The value with this cursor in place of the documented one."""
    if isinstance(value, dict):
        return {k: cursor if k == "cursor" else with_cursor(v, cursor) for k, v in value.items()}
    return re.sub(r"cursor=[^&]*", f"cursor={cursor}", value) if isinstance(value, str) else value


def documented_of(case, reply):
    """(media, example) of the reply."""
    documented = resolve(document.document, case.operation["responses"][str(reply.status)])
    media = documented.get("content", {}).get(reply.headers.get("content-type", "").split(";")[0], {})
    return media, examples_of(media).get(case.name)


def ask(client, case, above):
    """Sends the example after the requests that precede it."""
    for prepare in needs(case):
        prepare(client)
    cursor, address, body = send_before(client, case), case.address(), copy.deepcopy(case.body)
    if cursor:
        address, body = with_cursor(address, cursor), with_cursor(body, cursor)
    check(case.content_type is None or body is not None, "the request has no example")
    if case.content_type == NDJSON and not isinstance(body, str):
        body = ndjson(body)
    return client.request(case.method, address, body, content_type=case.content_type, headers=shifted(case.headers(), above))


def compare(case, reply, above):
    check(200 <= reply.status < 300 or reply.status == 304, f"status is {reply.status}: {reply.text}")
    if case.method == "HEAD" or not reply.body or case.template == "/openapi.json":
        return
    media, expected = documented_of(case, reply)
    check(expected is not None, f"the reply {reply.status} has no example of the name {case.name}; it is {reply.text[:1500]}")
    expected = shifted(copy.deepcopy(expected), above)
    if "json" not in reply.headers["content-type"]:
        equal(reply.text[:len(expected)], expected, "beginning of the reply")
        return
    lines = NDJSON in reply.headers["content-type"]
    got, expected = lines_of(reply.text) if lines else json.loads(reply.body), lines_of(expected) if lines else expected
    for pointer in media.get(VARIES, case.operation.get(VARIES, [])):
        without(got, pointer), without(expected, pointer)
    equal(got, expected, "reply")


def run_stream(daemon, client, case, above):
    """A stream does not end: it is read as far as the example goes; the ids differ."""
    send_before(client, case)
    expected = shifted(examples_of(case.operation["responses"]["200"]["content"]["text/event-stream"])[case.name], above)
    equal(first_events(daemon, case.address(), expected.count("\n\n")), re.sub(r"^id: \d+$", "id: 0", expected, flags=re.M), "stream")


def only_reads(case):
    """True if the example changes nothing and needs only the demo scene, so that such examples can share a daemon."""
    return not case.before() and not needs(case) and ("/query" in case.template or "/solve/" in case.template)


def run_alone(case):
    with Daemon() as daemon:
        client = Curl(daemon, document)
        above = demo_scene(client)
        if case.template.endswith("/events"):
            run_stream(daemon, client, case, above)
        else:
            compare(case, ask(client, case, above), above)
