"""Schemas of the OpenAPI document as functions from a JSON value to a bool: a hundred times as fast as jsonschema. A
value that is refused here is judged by jsonschema (support/schema.py); tests/http/documents.py compares the two.
Values are those of json.loads. A keyword without a rule here is a Failure, not ignored."""
import re
import threading

from support.checks import Failure

TELLS_NOTHING = {"description", "title", "default", "example", "examples", "deprecated"}
OF_OBJECTS = {"properties", "required", "additionalProperties", "propertyNames", "minProperties", "maxProperties", "dependentRequired"}
OF_ARRAYS = {"items", "minItems", "maxItems"}
OF_STRINGS = {"pattern", "minLength", "maxLength"}
OF_NUMBERS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
TYPES = {"object": (dict,), "array": (list,), "string": (str,), "boolean": (bool,), "null": (type(None),), "number": (int, float),
         "integer": (int,)}
INFINITY = float("inf")


def same(value, other):
    """Equal as JSON: true is not 1, 1.0 is."""
    if type(value) is list and type(other) is list:
        return len(value) == len(other) and all(map(same, value, other))
    if type(value) is dict and type(other) is dict:
        return value.keys() == other.keys() and all(same(value[name], other[name]) for name in value)
    return value == other and (type(value) is bool) == (type(other) is bool)


def of_type(names):
    kinds = frozenset(kind for name in names for kind in TYPES[name])
    if "integer" in names and "number" not in names:
        return lambda value: type(value) in kinds or (type(value) is float and value.is_integer())
    return lambda value: type(value) in kinds


def of_value(values):
    if all(isinstance(value, str) for value in values):
        words = frozenset(values)
        return lambda value: type(value) is str and value in words
    return lambda value: any(same(value, other) for other in values)


def of_numbers(schema):
    low, high = schema.get("minimum", -INFINITY), schema.get("maximum", INFINITY)
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")

    def check(value):
        if type(value) is not int and type(value) is not float:
            return True
        return low <= value <= high and (above is None or value > above) and (below is None or value < below)

    return check


def of_strings(schema):
    least, most = schema.get("minLength", 0), schema.get("maxLength", INFINITY)
    pattern = re.compile(schema["pattern"]) if "pattern" in schema else None
    return lambda value: type(value) is not str or (least <= len(value) <= most and (not pattern or bool(pattern.search(value))))


class Quick:
    """Quick(document).check(schema) is the function of a schema of that document."""

    def __init__(self, document):
        self.document = document
        self.made = {}  # id of a schema -> (schema, function); the reference to the schema keeps its id from being reused
        self.making = threading.RLock()  # a function that one thread has begun must not be used by another

    def check(self, schema):
        if schema is True:
            return lambda value: True
        if schema is False:
            return lambda value: False
        with self.making:
            if id(schema) not in self.made:
                # Schemas may be recursive: until the function is complete, references look it up at each use.
                self.made[id(schema)] = (schema, lambda value: self.made[id(schema)][1](value))
                try:
                    self.made[id(schema)] = (schema, self.make(schema))
                except Failure:
                    del self.made[id(schema)]
                    raise
            return self.made[id(schema)][1]

    def make(self, schema):
        rules, left = [], set(schema) - TELLS_NOTHING
        if "type" in left:
            rules.append(of_type([schema["type"]] if isinstance(schema["type"], str) else schema["type"]))
        if "const" in left:
            rules.append(of_value([schema["const"]]))
        if "enum" in left:
            rules.append(of_value(schema["enum"]))
        for words, rule in ((OF_NUMBERS, of_numbers), (OF_STRINGS, of_strings), (OF_ARRAYS, self.of_arrays), (OF_OBJECTS, self.of_objects)):
            if left & words:
                rules.append(rule(schema))
        if "$ref" in left:
            rules.append(self.check(self.target(schema["$ref"])))
        if "allOf" in left:
            rules += [self.check(part) for part in schema["allOf"]]
        if "anyOf" in left:
            rules.append(self.any_of(schema["anyOf"]))
        if "oneOf" in left:
            rules.append(self.one_of(schema["oneOf"]))
        unknown = left - OF_OBJECTS - OF_ARRAYS - OF_STRINGS - OF_NUMBERS - {"type", "const", "enum", "$ref", "allOf", "anyOf", "oneOf"}
        if unknown:
            raise Failure(f"{sorted(unknown)} in a schema have no rule in support/quick_schema.py")
        if len(rules) == 1:
            return rules[0]

        def check(value):
            for rule in rules:
                if not rule(value):
                    return False
            return True

        return check

    def target(self, reference):
        node = self.document
        for part in reference.lstrip("#/").split("/"):
            node = node[part.replace("~1", "/").replace("~0", "~")]
        return node

    def any_of(self, schemas):
        parts = [self.check(schema) for schema in schemas]
        return lambda value: any(part(value) for part in parts)

    def one_of(self, schemas):
        parts = [self.check(schema) for schema in schemas]
        return lambda value: sum(part(value) for part in parts) == 1

    def of_arrays(self, schema):
        least, most = schema.get("minItems", 0), schema.get("maxItems", INFINITY)
        items = schema.get("items", True)
        # Most data in requests is long lists of numbers.
        plain = isinstance(items, dict) and set(items) - TELLS_NOTHING == {"type"} and items["type"] == "number"
        of_item = self.check(items)

        def check(value):
            if type(value) is not list:
                return True
            if not least <= len(value) <= most:
                return False
            if plain:
                return {int, float}.issuperset(map(type, value))
            for item in value:
                if not of_item(item):
                    return False
            return True

        return check

    def of_objects(self, schema):
        members = {name: self.check(part) for name, part in schema.get("properties", {}).items()}
        required = schema.get("required", [])
        others = self.check(schema.get("additionalProperties", True))
        names = self.check(schema.get("propertyNames", True))
        least, most = schema.get("minProperties", 0), schema.get("maxProperties", INFINITY)
        together = schema.get("dependentRequired", {})

        def check(value):
            if type(value) is not dict:
                return True
            if not least <= len(value) <= most:
                return False
            for name in required:
                if name not in value:
                    return False
            for name, member in value.items():
                if not members.get(name, others)(member) or not names(name):
                    return False
            return all(other in value for name, needed in together.items() if name in value for other in needed)

        return check
