"""Random values for the JSON schemas of a document, most of them valid, some with a flaw: to compare two validators,
which must agree on each."""
import copy

from support.schema import resolve

DEEP = 8  # levels after which lists and optional members end
OTHERS = (None, True, False, 0, 1, -1, 1.0, 0.5, 1e400, "", "x", [], [1, 2], {}, {"x": 1}, 3000000000, -2.5)
WORDS = ("b", "a.b~1", "v1/v2", "f3/e2.1#4", " ", "")


def schemas_in(schema):
    """A schema and every schema in it, except plain references and types."""
    if not isinstance(schema, dict):
        return
    if not set(schema) <= {"$ref", "type", "description"}:
        yield schema
    parts = [schema.get("items"), schema.get("additionalProperties"), *schema.get("properties", {}).values()]
    for part in parts + [each for word in ("oneOf", "anyOf", "allOf") for each in schema.get(word, [])]:
        yield from schemas_in(part)


def schemas_of(document):
    """Every schema of an OpenAPI document: the named ones, and those of bodies and parameters."""
    for schema in document["components"]["schemas"].values():
        yield from schemas_in(schema)
    nodes = [document["paths"], {name: part for name, part in document["components"].items() if name != "schemas"}]
    while nodes:
        node = nodes.pop()
        if isinstance(node, dict):
            yield from schemas_in(node.get("schema"))
            nodes += [part for name, part in node.items() if name not in ("schema", "example", "examples")]
        elif isinstance(node, list):
            nodes += node


def merged(one, other):
    return {**one, **other} if isinstance(one, dict) and isinstance(other, dict) else other


class Maker:
    """`flaw`: the probability with which a keyword is violated."""

    def __init__(self, document, rng, flaw):
        self.document, self.rng, self.flaw = document, rng, flaw

    def breaks(self):
        return self.rng.random() < self.flaw

    def other(self):
        return copy.deepcopy(self.rng.choice(OTHERS))

    def value(self, schema, depth=0):
        if schema is True or self.breaks():
            return self.other()
        if "const" in schema:
            return self.disguised(copy.deepcopy(schema["const"]))
        if "enum" in schema:
            return self.disguised(copy.deepcopy(self.rng.choice(schema["enum"])))
        made = self.own(schema, depth) if {"type", "properties", "required"} & set(schema) else None
        parts = list(schema.get("allOf", []))
        for word in ("oneOf", "anyOf"):
            if word in schema:
                parts.append(self.rng.choice(schema[word]))
                if isinstance(made, dict) and not self.breaks():
                    # Of alternative members, one.
                    for name in {n for part in schema[word] for n in part.get("required", [])} - set(parts[-1].get("required", [])):
                        made.pop(name, None)
        if "$ref" in schema:
            parts.append(resolve(self.document, {"$ref": schema["$ref"]}))
        for part in parts:
            if set(part) - {"required", "description"}:
                made = merged(made, self.value(part, depth))
            elif isinstance(made, dict):
                for name in part["required"]:
                    made.setdefault(name, self.value(schema.get("properties", {}).get(name, True), depth + 1))
        return made if parts or {"type", "properties"} & set(schema) else self.other()

    def disguised(self, value):
        """Sometimes the value in another type's notation: 1 as 1.0, true or "1"."""
        if not self.breaks():
            return value
        return self.rng.choice((str(value), bool(value), [value], float(value) if isinstance(value, int) else None))

    def own(self, schema, depth):
        kinds = schema.get("type", "object")
        kind = self.rng.choice(kinds) if isinstance(kinds, list) else kinds
        made = {"object": self.members, "array": self.items, "string": self.text, "number": self.number, "integer": self.number,
                "boolean": lambda *unused: self.rng.random() < 0.5, "null": lambda *unused: None}[kind](schema, depth)
        return self.disguised(made)

    def number(self, schema, unused):
        low = schema.get("minimum", schema.get("exclusiveMinimum", -10))
        high = schema.get("maximum", low + 100)
        if self.breaks() or ("exclusiveMinimum" in schema and self.flaw and self.rng.random() < 0.5):
            return self.rng.choice((low - 1, high + 1, low, low, low - 1e-9, high + 0.5))
        if schema.get("type") == "integer":
            return self.rng.choice((low, high, int(self.rng.uniform(low, high)), float(int(high))))
        return self.rng.choice((high, self.rng.uniform(low, high), self.rng.uniform(low, high)))

    def text(self, schema, unused):
        most = schema.get("maxLength", 128)
        if self.breaks():
            return self.rng.choice((*WORDS, "x" * most, "x" * (most + 1)))
        return "v1/v2" if "/" in schema.get("pattern", "") else "b"

    def items(self, schema, depth):
        least = schema.get("minItems", 0)
        most = min(schema.get("maxItems", least + 2), least + 2)
        count = least if depth > DEEP else self.rng.randint(least, most)
        if self.breaks():
            count = self.rng.choice((max(0, least - 1), schema["maxItems"] + 1 if schema.get("maxItems", 99) < 50 else count))
        return [self.value(schema.get("items", True), depth + 1) for unused in range(count)]

    def members(self, schema, depth):
        properties, required = schema.get("properties", {}), schema.get("required", [])
        likely = 0.0 if depth > DEEP else 0.5 / (1 + depth)
        made = {}
        for name in [*required, *(name for name in properties if self.rng.random() < likely)]:
            if name not in made and not self.breaks():
                made[name] = self.value(properties.get(name, True), depth + 1)
        others = schema.get("additionalProperties", True)
        if isinstance(others, dict) or self.breaks():
            names = ("other", "x-1") if not self.flaw or self.rng.random() < 0.5 else ("other", "a b", "")
            for name in self.rng.sample(names, self.rng.randint(0, 2)):
                made[name] = self.value(others, depth + 1) if isinstance(others, dict) else 1
        return made
