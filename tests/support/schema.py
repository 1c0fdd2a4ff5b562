"""Replies and accepted requests against the OpenAPI document (3.1, so the schemas are JSON Schema 2020-12).

An operation is found by method and path, literal segments before parameters. A reply must be documented: its status, its content
type, its headers' presence where required, and its JSON. A request that the daemon accepted must satisfy its schema too.
"""
import json
import warnings

import jsonschema

from support.checks import Failure, short
from support.quick_schema import Quick

warnings.filterwarnings("ignore", category=DeprecationWarning)


def resolve(document, node):
    while isinstance(node, dict) and "$ref" in node:
        target = document
        for part in node["$ref"].lstrip("#/").split("/"):
            target = target[part.replace("~1", "/").replace("~0", "~")]
        node = target
    return node


class Document:
    def __init__(self, document):
        self.document = document
        self.resolver = jsonschema.RefResolver("", document)
        self.validators = {}
        self.quick = Quick(document)
        self.used = set()  # (template, method, status) of the replies so far

    def template(self, path, method):
        """(template, path item) with the fewest parameters that matches and has the method; (None, None) if there is
        none."""
        segments = path.split("?")[0].strip("/").split("/")
        best = None
        for template, item in self.document["paths"].items():
            parts = template.strip("/").split("/")
            if len(parts) != len(segments):
                continue
            if not all(p == s or (p.startswith("{") and s) for p, s in zip(parts, segments)):
                continue
            rank = (method.lower() not in item, [p.startswith("{") for p in parts])
            if best is None or rank < best[0]:
                best = (rank, template, item)
        return (best[1], best[2]) if best else (None, None)

    def operation(self, path, method):
        template, item = self.template(path, method)
        return template, (resolve(self.document, item.get(method.lower())) if item else None)

    def operations(self):
        """(template, method, operation) of the whole document."""
        for template, item in self.document["paths"].items():
            for method in ("get", "head", "post", "put", "patch", "delete"):
                if method in item:
                    yield template, method.upper(), resolve(self.document, item[method])

    def judge(self, schema, value):
        """jsonschema's verdict: None, or its most specific error."""
        key = json.dumps(schema, sort_keys=True) if len(schema) < 4 else id(schema)
        validator = self.validators.get(key)
        if validator is None:
            validator = jsonschema.Draft202012Validator(schema, resolver=self.resolver)
            self.validators[key] = validator
        return jsonschema.exceptions.best_match(validator.iter_errors(value))

    def validate(self, schema, value, what):
        if self.quick.check(schema)(value):
            return
        error = self.judge(schema, value)
        if error is None:
            raise Failure(f"{what}: support/quick_schema.py refuses what jsonschema accepts: {short(json.dumps(value))}")
        pointer = "/" + "/".join(str(p) for p in error.absolute_path)
        raise Failure(f"{what} breaks its schema at {pointer}: {short(error.message)} in {short(json.dumps(value))}")

    def media(self, content, content_type):
        name = (content_type or "").split(";")[0].strip().lower()
        return name, content.get(name) or content.get(name.split("/")[0] + "/*")

    def check_reply(self, method, path, reply):
        """Failure unless the document has this reply. A request that matches no operation may only get a problem."""
        template, operation = self.operation(path, method)
        if operation is None and method == "HEAD":
            template, operation = self.operation(path, "GET")
        if operation is None:
            if reply.body and reply.status >= 400:
                self.check_problem(method, path, reply)
                return
            if reply.status < 400:
                raise Failure(f"{method} {path} answered {reply.status} but is not in the OpenAPI document")
            return
        what = f"reply {reply.status} of {method} {template}"
        responses = operation["responses"]
        response = responses.get(str(reply.status)) or responses.get(f"{reply.status // 100}XX") or responses.get("default")
        if response is None:
            raise Failure(f"{what} is not documented: {short(reply.text)}")
        self.used.add((template, method, str(reply.status)))
        response = resolve(self.document, response)
        for name, header in response.get("headers", {}).items():
            if resolve(self.document, header).get("required") and name.lower() not in reply.headers:
                raise Failure(f"{what} lacks the header {name}")
        if method == "HEAD" or not reply.body:
            if response.get("content") and method != "HEAD" and reply.status not in (204, 304):
                raise Failure(f"{what} has no body")
            return
        name, media = self.media(response.get("content", {}), reply.headers.get("content-type"))
        if media is None:
            raise Failure(f"{what} has the undocumented content type {name!r}")
        if name.endswith("json") and not name.endswith("ndjson") and "schema" in media:
            self.validate(media["schema"], reply.json, what)
        if name == "application/x-ndjson" and "schema" in media and media["schema"].get("type") != "string":
            for line in reply.text.splitlines():
                self.validate(media["schema"], json.loads(line), "line of " + what)

    def check_problem(self, method, path, reply):
        problem = reply.json
        for member in ("type", "title", "status", "detail"):
            if member not in problem:
                raise Failure(f"the problem of {method} {path} lacks {member}: {short(reply.text)}")

    def check_request(self, method, path, content_type, body):
        """An accepted body must satisfy the documented schema."""
        template, operation = self.operation(path, method)
        if operation is None or "requestBody" not in operation:
            return
        content = resolve(self.document, operation["requestBody"]).get("content", {})
        name, media = self.media(content, content_type)
        if media is None or "schema" not in media:
            return
        if name.endswith("json") and not name.endswith("ndjson"):
            self.validate(media["schema"], json.loads(body), f"accepted request of {method} {template}")
