"""Each operation's examples in the OpenAPI document are run, and the reply compared with the documented one of the same name.

Every example stands for a daemon that holds just the scene of the example of PUT /v1/scenes/{s}. Its revisions count from 1 in the
examples; here they begin elsewhere, as in a daemon that has deleted scenes before, and take their beginning from the reply. Those of a
posted shape stand for one that also holds the shape of the JSON example of POST /v1/shapes. What differs from daemon to daemon is listed as JSON
pointers in x-varies, beside the documented reply. A parameter of the URL with x-with is sent with the content types that it lists.
"""
import json
import re
from urllib.parse import quote

from support.checks import Suite, check, equal
from support.client import Curl, ndjson
from support.daemon import ROOT, Daemon
from support.events import first_events
from support.schema import Document, resolve

suite = Suite()
document = Document(json.loads((ROOT / "api/openapi.json").read_text()))
VARIES = "x-varies"


def examples_of(media):
    """Name: value. One without a name stands under None."""
    return {None: media["example"]} if "example" in media else {k: e["value"] for k, e in media.get("examples", {}).items()}


def example_of(media, name=None):
    """The example of the name, else the first; None where there is none."""
    examples = examples_of(media)
    return examples.get(name, next(iter(examples.values()), None))


def request_media(operation):
    """(content type, name, example) of every example of the request's body, in all its forms; a form without one, and an operation
    without a body, count once."""
    content = resolve(document.document, operation.get("requestBody", {})).get("content", {})
    return [(form, name, value) for form, media in content.items() for name, value in (examples_of(media) or {None: None}).items()] \
        or [(None, None, None)]


def address(template, operation, item, content_type):
    """The path with its parameters' examples; query parameters that have one too."""
    query = []
    for parameter in item.get("parameters", []) + operation.get("parameters", []):
        parameter = resolve(document.document, parameter)
        value = parameter.get("example")
        if content_type not in parameter.get("x-with", [content_type]):
            continue
        if parameter["in"] == "path":
            check(value is not None, f"{template}: the parameter {parameter['name']} has no example")
            template = template.replace("{" + parameter["name"] + "}", quote(value))
        elif parameter["in"] == "query" and value is not None:
            query += [f"{parameter['name']}={quote(str(v))}" for v in (value if isinstance(value, list) else [value])]
        elif parameter["in"] == "query":
            check(not parameter.get("required"), f"{template}: the parameter {parameter['name']} has no example")
    return template + ("?" + "&".join(query) if query else "")


def required_headers(operation):
    parameters = [resolve(document.document, parameter) for parameter in operation.get("parameters", [])]
    return {p["name"]: p["example"] for p in parameters if p["in"] == "header" and p.get("required")}


def without(value, pointer):
    """Takes the value at the pointer out; * stands for every element."""
    *path, last = pointer.strip("/").split("/")
    nodes = [value]
    for part in path:
        nodes = [child for node in nodes for child in (node if part == "*" else [node[int(part)]] if isinstance(node, list) else
                                                       [node[part]] if part in node else [])]
    for node in nodes:
        if isinstance(node, dict):
            node.pop(last, None)


def demo_scene(client):
    """How far its revisions are above those of the examples."""
    for unused in range(2):
        client.put("/v1/scenes/earlier", {}).must(201)
        client.delete("/v1/scenes/earlier").must(200)
    scene = example_of(document.document["paths"]["/v1/scenes/{s}"]["put"]["requestBody"]["content"]["application/json"])
    name = document.document["components"]["parameters"]["scene"]["example"]
    above = client.put(f"/v1/scenes/{name}", scene).must(201).json["revision"] - 1
    check(above > 0, "a scene after others that were deleted begins at revision 1")
    return above


def shifted(value, above):
    """The value with every revision so much greater; texts of headers and streams too."""
    if isinstance(value, dict):
        return {k: v + above if k == "revision" and isinstance(v, int) else shifted(v, above) for k, v in value.items()}
    if isinstance(value, list):
        return [shifted(v, above) for v in value]
    if isinstance(value, str):
        return re.sub(r'(^"r|"revision": ?)(\d+)', lambda m: m.group(1) + str(int(m.group(2)) + above), value)
    return value


def demo_shape(client):
    media = document.document["paths"]["/v1/shapes"]["post"]["requestBody"]["content"]["application/json"]
    made = client.post("/v1/shapes", example_of(media)).must(201)
    equal(made.json["id"], document.document["components"]["parameters"]["shape"]["example"], "id of the demo shape")


def demo_elements(client):
    """The body whose vertices are moved."""
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    client.put("/v1/scenes/" + document.document["components"]["parameters"]["scene"]["example"] + "/bodies/jelly",
               {"colliders": [{"tetmesh": {"vertices": corners, "tetrahedra": [[0, 1, 2, 3]]}}]}).must(201)


def run_stream(daemon, path, documented, above):
    """A stream has no end: it is read as far as the example goes; the ids differ."""
    expected = shifted(example_of(documented), above)
    equal(first_events(daemon, path, expected.count("\n\n")), re.sub(r"^id: \d+$", "id: 0", expected, flags=re.M), "stream")


def demo_event(client):
    """The contact state of the examples; that of the POST itself makes it."""
    template = "/v1/scenes/{s}/contactStates/{c}"
    operation = document.document["paths"][template]["post"]
    media = operation["requestBody"]["content"]["application/json"]
    client.post(address(template, operation, document.document["paths"][template], None), example_of(media)).must(201)


def run(template, method, operation, content_type, name, body):
    item = document.document["paths"][template]
    path = address(template, operation, item, content_type)
    with Daemon() as daemon:
        client = Curl(daemon, document)
        above = demo_scene(client)
        stream = operation["responses"].get("200", {}).get("content", {}).get("text/event-stream")
        if stream:
            run_stream(daemon, path, stream, above)
            return
        if template.endswith("/vertices"):
            demo_elements(client)
        if template == "/v1/shapes/{id}":
            demo_shape(client)
        if (("/contactStates" in template and method != "POST") or template.endswith("/query/zeroCrossings")):
            demo_event(client)
        if content_type:
            check(body is not None, "the request has no example")
            if content_type == "application/x-ndjson" and not isinstance(body, str):
                body = ndjson(body)
            reply = client.request(method, path, body, content_type=content_type, headers=shifted(required_headers(operation), above))
        else:
            reply = client.request(method, path)
        check(200 <= reply.status < 300, f"status is {reply.status}: {reply.text}")
        documented = resolve(document.document, operation["responses"][str(reply.status)])
        media = documented.get("content", {}).get(reply.headers.get("content-type", "").split(";")[0])
        if method == "HEAD" or not reply.body or template == "/openapi.json":
            return
        expected = example_of(media, name)
        check(expected is not None, f"the reply {reply.status} has no example; it is {reply.text[:1500]}")
        if "json" not in reply.headers["content-type"]:
            expected = shifted(expected, above)
            equal(reply.text[:len(expected)], expected, "beginning of the reply")
            return
        got, expected = json.loads(reply.body), shifted(json.loads(json.dumps(expected)), above)
        for pointer in media.get(VARIES, documented.get(VARIES, operation.get(VARIES, []))):
            without(got, pointer), without(expected, pointer)
        equal(got, expected, "reply")


def table():
    for template, method, operation in document.operations():
        for content_type, example, body in request_media(operation):
            name = " ".join(word for word in (method, template, content_type, example) if word)
            yield name, lambda a=(template, method, operation, content_type, example, body): run(*a)


suite.table("example", table())
suite.main()
