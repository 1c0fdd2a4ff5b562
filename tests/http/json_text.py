"""JSON of RFC 8259 is read as JSON: random texts at every place that accepts one, judged by Python's parser.
A text that Python refuses is `malformed-json`. One that it accepts is stored with the same values, or refused with
422 at the pointer of the value that no double or string can represent. CONTACTD_FULL=1 runs 20 times as many, with a
fresh seed. An argument of the form seed=N repeats a seed."""
import json
import os
import random
import sys

from support.checks import Suite, check, equal
from support.client import NDJSON, KeepAlive, ndjson
from support.daemon import Daemon

FULL = bool(os.environ.get("CONTACTD_FULL"))
SEED = next((int(word[5:]) for word in sys.argv if word.startswith("seed=")), random.randrange(2 ** 32) if FULL else 16)
sys.argv = [word for word in sys.argv if not word.startswith("seed=")]
TEXTS = 8000 if FULL else 400
BALL = {"sphere": {"radius": 0.5}}
GOOD = ["0", "-0", "0.0", "-1e-400", "9007199254740993", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
        "-9223372036854775809", "18446744073709551615", "18446744073709551616", "1" + "0" * 30, "-" + "9" * 40, "1" + "0" * 308,
        "0." + "0" * 300 + "1", "123456789012345678901234567890.5e-20", "1E5", "1e+5", "2.5e-3", "1" + "0" * 400 + "e-400", "0e99999",
        "true", "false", '""', '"\\u00e9\\ud83d\\ude00"', '"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\u007f\uffff\ufdd0"', '"\\ufffe"', "[]", "{}"]
ODD = ["1e309", "-1e999", "1" + "0" * 309, "-" + "9" * 500, "1.8e308", "0.1e400", '"\\u0000"', '"a\\u0000"', '"\\ud800"', '"\\udfff"',
       '"\\ud800\\u0041"', '"\\ude00\\ud83d"', '"\\ud83d\\\\ude00"', "1" * 1101]
daemon = Daemon("--limit", "userBytes=1048576").start()
suite = Suite()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)
client.put("/v1/scenes/s", {"bodies": [{"id": "a", "colliders": [BALL]}, {"id": "b", "colliders": [BALL]}]}).must(201)


def token(name):
    return name.replace("~", "~0").replace("/", "~1")


class Writer:
    """Random JSON texts with one given literal at a random place."""

    def __init__(self, rng):
        self.rng = rng

    def blank(self):
        return self.rng.choice(["", "", "", " ", "\n", "\t\r\n "])

    def name(self, n):
        return self.rng.choice(["a", "b/c", "d~e", "", "\u00e9", "\U0001f600", 'q"', "back\\slash", " ", "[{"]) + str(n)

    def write(self, depth, odd):
        """Returns (text, pointer of the literal or None)."""
        rng, blank = self.rng, self.blank
        if depth == 0 or rng.random() < 0.2:
            return (odd, "") if odd else (rng.choice(GOOD), None)
        count = rng.randint(1 if odd else 0, 4)
        where = rng.randrange(count) if odd else -1
        parts, pointer = [], None
        is_object = rng.random() < 0.5
        for i in range(count):
            text, deeper = self.write(depth - 1, odd if i == where else None)
            name = self.name(i)
            if i == where:
                pointer = "/" + (token(name) if is_object else str(i)) + deeper
            key = json.dumps(name, ensure_ascii=rng.random() < 0.5) + blank() + ":" + blank() if is_object else ""
            parts.append(blank() + key + text + blank())
        opening, closing = "{}" if is_object else "[]"
        return opening + ",".join(parts) + closing, pointer


def values(text):
    """The values of a text by Python's parser: every number as a double, as in I-JSON, except integers of 64 bits."""
    def integer(digits):
        exact = int(digits)
        return exact if -2 ** 63 <= exact < 2 ** 63 else float(digits)
    return json.loads(text, parse_int=integer)


def same(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and not isinstance(a, bool):
        return float(a) == float(b) if isinstance(a, float) or isinstance(b, float) else a == b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return type(a) is type(b) and a == b


def python_takes(raw):
    def refuse(word):
        raise ValueError(word)

    def floats(digits):
        return float(digits)
    try:
        json.loads(raw.decode("utf-8"), parse_constant=refuse, parse_int=floats, parse_float=floats)
    except (ValueError, UnicodeDecodeError):
        return False
    return True


@suite.fact
def texts_are_stored_as_python_reads_them():
    writer = Writer(random.Random(SEED))
    for i in range(TEXTS):
        text, unused = writer.write(5, None)
        reply = client.put("/v1/scenes/s/bodies/a", '{"colliders": [{"sphere": {"radius": 0.5}}], "user": %s}' % text, check=False)
        check(reply.status == 200, f"seed {SEED}, text {i}: {text}: {reply.text}")
        kept = client.get("/v1/scenes/s/bodies/a", check=False).must(200).json["user"]
        check(same(values(text), kept), f"seed {SEED}, text {i}: {text} is kept as {kept}")


@suite.fact
def a_literal_that_cannot_be_stored_is_named_by_its_pointer():
    writer = Writer(random.Random(SEED + 1))
    places = (("PUT", "/v1/scenes/s/bodies/a", "%s", "", None), ("POST", "/v1/scenes/s/bodies", '[{"id": "z"},%s]', "/1", None),
              ("POST", "/v1/scenes/s/bodies", ndjson([{"id": "z", "colliders": [BALL]}]) + "%s\n", "/1", NDJSON),
              ("PATCH", "/v1/scenes/s/bodies", ndjson([{"id": "a"}] * 2) + "%s\n", "/2", NDJSON),
              ("POST", "/v1/shapes", '{"x": %s}', "/x", None), ("POST", "/v1/solve/lcp", '{"q": %s}', "/q", None),
              ("POST", "/v1/query", '{"queries": [1, {"scene": %s}]}', "/queries/1/scene", None),
              ("POST", "/v1/scenes/s/query/distance", "[%s]", "/0", None), ("POST", "/v1/scenes/s/contactStates/c", "%s", "", None))
    for i in range(TEXTS):
        odd = writer.rng.choice(ODD)
        text, pointer = writer.write(5, odd)
        method, path, form, at, kind = places[i % len(places)]
        if kind == NDJSON:
            text = text.replace("\n", " ").replace("\r", " ")
        reply = client.request(method, path, form % text, content_type=kind or "application/json", check=False)
        reply.must(422)
        equal([e["pointer"] for e in reply.json["errors"]], [at + pointer], f"seed {SEED + 1}, text {i}: {form % text}: pointers")
        problem = "bad-value" if odd[0] == '"' else "limit-exceeded" if len(odd) > 1100 else "out-of-range"
        equal(reply.json["type"], "/problems/" + problem, f"{odd}: problem")


@suite.fact
def texts_with_a_changed_byte_are_json_if_python_accepts_them():
    rng = random.Random(SEED + 2)
    writer = Writer(rng)
    refused = 0
    for i in range(TEXTS):
        raw = bytearray(('{"user": %s}' % writer.write(4, None)[0]).encode())
        at = rng.randrange(len(raw))
        if rng.random() < 0.5:
            raw[at] = rng.choice(b'"\\{}[],:0159eE+-.tfn u\x00\x1f\x7f\x80\xc0\xed\xf4\xff')
        else:
            del raw[at]
        reply = client.put("/v1/scenes/s/bodies/a", bytes(raw), check=False)
        malformed = reply.json.get("type") == "/problems/malformed-json"
        check(malformed != python_takes(bytes(raw)), f"seed {SEED + 2}, text {i}: {bytes(raw)}: {reply.text}")
        refused += malformed
    check(TEXTS * 0.3 < refused < TEXTS * 0.95, f"{refused} of {TEXTS} are no JSON")


@suite.fact
def integers_beyond_64_bits_are_accepted_as_numbers():
    wide = str(10 ** 20)
    client.put("/v1/scenes/s/bodies/a", '{"colliders": [{"sphere": {"radius": 1}}], "position": [%s, 0, 0]}' % wide) \
        .problem(422, "out-of-range", "/position/0")
    client.post("/v1/scenes/s/query/distance", '{"limit": %s}' % wide).problem(422, "out-of-range", "/limit")
    answer = client.post("/v1/solve/lcp", '{"M": [[%s]], "q": [-%s]}' % (wide, wide)).must(200).json
    equal(answer["z"], [1], "z of 1e20 z = 1e20")
    made = client.post("/v1/scenes/s/query/distance", '{"poses": {"ids": ["a"], "positions": [[1%s, 0, 0]]}}' % ("0" * 400))
    made.problem(422, "out-of-range", "/poses/positions/0/0")


@suite.fact
def a_cursor_continues_a_request_with_a_wide_integer():
    clearance = "100000000000000000000e-12"
    wide = "1" + "0" * 20
    client.put("/v1/scenes/many", {"bodies": [{"id": f"m{i}", "colliders": [BALL]} for i in range(4)]}).must(201)
    first = client.post("/v1/scenes/many/query/distance", '{"clearance": %s, "limit": 2}' % clearance).must(200).json
    rest = client.post("/v1/scenes/many/query/distance", '{"clearance": %s, "cursor": "%s"}' % (clearance, first["nextCursor"]))
    equal(len(first["results"]) + len(rest.must(200).json["results"]), 6, "pairs of four bodies")
    client.post("/v1/scenes/many/query/distance", '{"clearance": %s, "cursor": "%s"}' % (wide, first["nextCursor"])).must(422)


print(f"seed {SEED}, {TEXTS} texts of each kind")
suite.main()
