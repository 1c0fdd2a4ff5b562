"""The examples of the OpenAPI document: their requests, and the members of schemas that they have.
Examples of one operation with the same name belong together: of the body, of parameters, of the reply. One without a
name is called default. x-before of an operation lists, by name, the requests that were sent before."""
import json
from urllib.parse import quote

from support.checks import check
from support.quick_schema import Quick
from support.schema import resolve

DEFAULT = "default"
BEFORE = "x-before"
NDJSON = "application/x-ndjson"


def examples_of(node):
    """Name: value, of a media type or a parameter."""
    return {DEFAULT: node["example"]} if "example" in node else {k: e["value"] for k, e in node.get("examples", {}).items()}


def lines_of(value):
    """The elements of an example of NDJSON, which is an array or a text."""
    return [json.loads(line) for line in value.splitlines()] if isinstance(value, str) else value


class Case:
    """One request: an operation, a content type (None without a body) and the name of an example."""

    def __init__(self, document, template, method, operation, content_type, name):
        self.document, self.template, self.method, self.operation = document, template, method, operation
        self.content_type, self.name = content_type, name
        self.title = " ".join(word for word in (method, template, content_type, name) if word)

    @property
    def body(self):
        return examples_of(content_of(self.document, self.operation).get(self.content_type, {})).get(self.name)

    def before(self):
        return self.operation.get(BEFORE, {}).get(self.name, [])

    def parameters(self):
        """(parameter, value) of those that are sent. A value without a name belongs to every example of the content
        types in x-with; a required parameter has one for the examples that have none of their own."""
        for parameter in parameters_of(self.document, self.document.document["paths"][self.template], self.operation):
            values = examples_of(parameter)
            if self.content_type not in parameter.get("x-with", [self.content_type]):
                continue
            if self.name in values:
                yield parameter, values[self.name]
            elif DEFAULT in values and ("example" in parameter or parameter.get("required")):
                yield parameter, values[DEFAULT]
            else:
                check(not parameter.get("required"), f"{self.template}: the parameter {parameter['name']} has no example")

    def address(self):
        path, query = self.template, []
        for parameter, value in self.parameters():
            if parameter["in"] == "path":
                path = path.replace("{" + parameter["name"] + "}", quote(value, safe=""))
            elif parameter["in"] == "query":
                query += [f"{parameter['name']}={quote(text(v))}" for v in (value if isinstance(value, list) else [value])]
        return path + ("?" + "&".join(query) if query else "")

    def headers(self):
        return {parameter["name"]: value for parameter, value in self.parameters() if parameter["in"] == "header"}


def text(value):
    """The value in a URL."""
    return value if isinstance(value, str) else json.dumps(value)


def content_of(document, operation):
    return resolve(document.document, operation.get("requestBody", {})).get("content", {})


def replies_of(document, operation):
    """(status, content type, media) of documented replies other than problems."""
    for status, reply in operation["responses"].items():
        if status[0] in "23":
            for content_type, media in resolve(document.document, reply).get("content", {}).items():
                yield status, content_type, media


def parameters_of(document, item, operation):
    return [resolve(document.document, parameter) for parameter in item.get("parameters", []) + operation.get("parameters", [])]


def names_of(document, item, operation):
    """Names of the examples of an operation without a body: those of its reply, of URL parameters and of x-before."""
    nodes = [media for unused, unused, media in replies_of(document, operation)]
    nodes += [p for p in parameters_of(document, item, operation) if p["in"] == "query"]
    names = [name for node in nodes for name in examples_of(node)] + list(operation.get(BEFORE, {}))
    return list(dict.fromkeys(names)) or [DEFAULT]


def cases(document):
    """Every example of the document as a Case."""
    for template, method, operation in document.operations():
        content = content_of(document, operation)
        for content_type, media in content.items() or [(None, None)]:
            names = names_of(document, document.document["paths"][template], operation) if media is None else examples_of(media)
            for name in names or [DEFAULT]:
                yield Case(document, template, method, operation, content_type, name)


class Members:
    """Members of the schemas of requests and replies, and parameters. A member (name, schema and description) that
    occurs in several schemas counts once; in requests and in replies it counts separately."""

    def __init__(self, document):
        self.document = document
        self.quick = Quick(document.document)
        self.places = {}  # member -> pointers
        self.met = {}  # member -> titles of examples
        self.collected = set()

    def key(self, side, name, definition):
        return side, name, json.dumps(definition, sort_keys=True)

    def parts(self, pointer, schema):
        """(pointer, schema, keywords) of the schemas that a schema is composed of; keywords: how it applies."""
        if "$ref" in schema:
            yield schema["$ref"], resolve(self.document.document, {"$ref": schema["$ref"]}), "$ref"
        for word in ("allOf", "oneOf", "anyOf"):
            for i, part in enumerate(schema.get(word, [])):
                yield f"{pointer}/{word}/{i}", part, word

    def collect(self, side, pointer, schema):
        """Adds the members of a schema and of those below it."""
        if not isinstance(schema, dict) or (side, pointer) in self.collected:
            return
        self.collected.add((side, pointer))
        for below, part, unused in self.parts(pointer, schema):
            self.collect(side, below, part)
        for name, definition in schema.get("properties", {}).items():
            self.places.setdefault(self.key(side, name, definition), []).append(f"{pointer}/properties/{name}")
            self.collect(side, f"{pointer}/properties/{name}", definition)
        for word in ("items", "additionalProperties"):
            self.collect(side, f"{pointer}/{word}", schema.get(word))

    def meet(self, side, schema, value, title):
        """Records the members that a value has."""
        if not isinstance(schema, dict):
            return
        for unused, part, word in self.parts("", schema):
            if word in ("$ref", "allOf") or self.quick.check(part)(value):
                self.meet(side, part, value, title)
        if isinstance(value, dict):
            for name, member in value.items():
                definition = schema.get("properties", {}).get(name)
                if definition is None:
                    self.meet(side, schema.get("additionalProperties"), member, title)
                    continue
                self.met.setdefault(self.key(side, name, definition), set()).add(title)
                self.meet(side, definition, member, title)
        for element in value if isinstance(value, list) else []:
            self.meet(side, schema.get("items"), element, title)

    def media(self, side, pointer, content_type, media, examples):
        """Collects the members of a media type and records those of its examples, (title, value)."""
        if not content_type.endswith("json"):
            return
        self.collect(side, pointer, media.get("schema"))
        for title, value in examples:
            for each in lines_of(value) if content_type == NDJSON else [value]:
                self.meet(side, media.get("schema"), each, title)

    def parameter(self, parameter, title=None):
        definition = {k: v for k, v in parameter.items() if not k.startswith("example")}
        key = self.key(parameter["in"], parameter["name"], definition)
        self.places.setdefault(key, []).append(f"{parameter['in']} {parameter['name']}")
        if title:
            self.met.setdefault(key, set()).add(title)
