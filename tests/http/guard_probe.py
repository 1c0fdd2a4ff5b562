"""Request framing over raw sockets: a request that two parsers could delimit differently is refused, and the number
of replies is the number of intended requests. A refusal of the framing closes the connection.
Of faults that libmicrohttpd hides from the guard (bare LF, a NUL in the path) only the number of replies is checked."""
import json

from support.checks import Suite, check, equal
from support.daemon import Daemon
from support.raw import Raw, ask, request

suite = Suite()
daemon = Daemon("--log", "off").start()
suite.cleanup(daemon.stop)

PATH = "/v1/query/distance"
BODY = '{"a":{"sphere":{"radius":1}},"b":{"sphere":{"radius":1},"position":[3,0,0]}}'
SIZE = len(BODY)
SMUGGLED = "GET /v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n"
CHUNKS = f"{SIZE:x}\r\n{BODY}\r\n0\r\n\r\n"


def post(*lines, body=BODY, version="HTTP/1.1"):
    return "\r\n".join((f"POST {PATH} {version}", "Host: localhost") + lines) + "\r\n\r\n" + body


def get(target, *lines, version="HTTP/1.1"):
    return "\r\n".join((f"GET {target} {version}", "Host: localhost") + lines) + "\r\n\r\n"


def outcome(data):
    with Raw(daemon.port) as connection:
        connection.send(data)
        replies = connection.replies()
        return [reply.status for reply in replies], connection.closed, replies


def refused(data, status=400):
    """One reply of this status; the rest of the connection's data is not processed."""
    def fact():
        statuses, closed, replies = outcome(data)
        equal(statuses, [status], "replies")
        check(closed, "the connection is still open")
        if replies[0].headers.get("content-type") == "application/problem+json":
            check(replies[0].headers.get("connection") == "close", "the reply does not say that the connection ends")
    return fact


def answered(data, *wanted):
    """These replies, and the connection stays open."""
    def fact():
        statuses, closed, unused = outcome(data)
        equal(statuses, list(wanted), "replies")
        check(not closed, "the connection is closed")
    return fact


def at_most_one(data):
    """The second request that is hidden in the data is not answered."""
    def fact():
        statuses, unused, replies = outcome(data)
        check(len(statuses) <= 1, f"replies are {statuses}")
        check(all(b'"version"' not in reply.body for reply in replies), "the hidden request was answered")
    return fact


def refused_below(data):
    """The library's own 400 or 413 (0.9.75 writes the head of that reply twice), then the end of the connection."""
    def fact():
        with Raw(daemon.port) as connection:
            connection.send(data)
            connection.ends(5)
            check(connection.buffer.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 413 ")), f"the reply is {connection.buffer[:80]!r}")
            check(b"HTTP/1.1 200" not in connection.buffer and b"{" not in connection.buffer, "a hidden request was answered")
    return fact


suite.table("a well-formed message", [
    ("GET", answered(get("/v1/limits"), 200)),
    ("two in one piece", answered(get("/v1/limits") + get("/v1/version"), 200, 200)),
    ("POST with a length", answered(post(f"Content-Length: {SIZE}"), 200)),
    ("POST in chunks", answered(post("Transfer-Encoding: chunked", body=CHUNKS), 200)),
    ("chunked in capitals", answered(post("Transfer-Encoding: CHUNKED", body=CHUNKS), 200)),
    ("chunks with an extension", answered(post("Transfer-Encoding: chunked", body=CHUNKS.replace("\r\n", ";x=1\r\n", 1)), 200)),
    ("a trailer", answered(post("Transfer-Encoding: chunked", body=CHUNKS[:-2] + "X-Sum: 1\r\n\r\n"), 200)),
    ("blanks before a length", answered(post(f"Content-Length:   {SIZE}"), 200)),
    ("two POSTs in one piece", answered(post(f"Content-Length: {SIZE}") * 2, 200, 200)),
    ("a query string", answered(get("/v1/scenes?limit=3"), 200)),
    ("blanks around values", answered(get("/v1/limits", "X:  \t a \t ", "Y:", "Z: "), 200)),
    ("lines that end in a bare LF", answered(post("X: a", f"Content-Length: {SIZE}", body="").replace("\r\n", "\n") + BODY, 200)),
    ("the first line alone ends so", answered(get("/v1/limits", "X: a").replace("\r\n", "\n", 1), 200)),
    ("the last line alone ends so", answered(get("/v1/limits", "X: a")[:-4] + "\n\r\n", 200)),
])

suite.table("lengths that contradict each other are refused", [
    ("two different", refused(post(f"Content-Length: {SIZE}", f"Content-Length: {SIZE + len(SMUGGLED)}", body=BODY + SMUGGLED))),
    ("two equal", refused(post(f"Content-Length: {SIZE}", f"Content-Length: {SIZE}", body=BODY + SMUGGLED))),
    ("short then long", refused(post("Content-Length: 0", f"Content-Length: {SIZE}", body=SMUGGLED))),
    ("length and chunks", refused(post(f"Content-Length: {SIZE}", "Transfer-Encoding: chunked", body=CHUNKS + SMUGGLED))),
    ("chunks and length", refused(post("Transfer-Encoding: chunked", "Content-Length: 4", body=CHUNKS + SMUGGLED))),
    ("chunked twice", refused(post("Transfer-Encoding: chunked", "Transfer-Encoding: chunked", body=CHUNKS + SMUGGLED))),
    ("chunked and identity", refused(post("Transfer-Encoding: chunked", "Transfer-Encoding: identity", body=CHUNKS + SMUGGLED))),
    ("a list of codings", refused(post("Transfer-Encoding: chunked, identity", body=CHUNKS + SMUGGLED))),
    ("gzip, chunked", refused(post("Transfer-Encoding: gzip, chunked", body=CHUNKS))),
    ("identity", refused(post("Transfer-Encoding: identity", body=CHUNKS + SMUGGLED))),
    ("xchunked", refused(post("Transfer-Encoding: xchunked", body=CHUNKS + SMUGGLED))),
    ("empty coding", refused(post("Transfer-Encoding:", body=CHUNKS + SMUGGLED))),
    ("chunks in HTTP/1.0", refused(post("Transfer-Encoding: chunked", body=CHUNKS, version="HTTP/1.0"))),
])

# libmicrohttpd refuses these itself, before the guard.
suite.table("a length that is no number is refused", [
    (f"'{text}'", refused_below(post(f"Content-Length: {text}", body=BODY + SMUGGLED))) for text in
    (f"+{SIZE}", f"-{SIZE}", f"{SIZE}a", hex(SIZE), f"{SIZE},{SIZE}", f"{SIZE} {SIZE}", f"{SIZE};", "", "1e2",
     "18446744073709551616", "18446744073709551693", "9" * 40)])

suite.table("header lines that are none are refused", [
    ("blank before the colon", refused(post(f"Content-Length : {SIZE}", body=SMUGGLED))),
    ("blank in a name", refused(get("/v1/limits", "X Y: 1"))),
    ("tab in a name", refused(get("/v1/limits", "X\tY: 1"))),
    ("brackets in a name", refused(get("/v1/limits", "X(Y): 1"))),
    ("a name beyond ASCII", refused(get("/v1/limits", "X\xe9: 1"))),
    ("a control character in a value", refused(get("/v1/limits", "X-Y: a\x01b"))),
    ("a value that goes on in the next line", refused(get("/v1/limits", "X-Y: a", " b", "X-Z: c"))),
    ("the last value goes on", refused(get("/v1/limits", "X-Y: a", "\tb"))),
    ("DEL in a value", refused(get("/v1/limits", "X-Y: a\x7fb"))),
    ("a repeated Content-Type", refused(post(f"Content-Length: {SIZE}", "Content-Type: a/b", "Content-Type: application/json"))),
    ("a repeated Authorization", refused(get("/v1/limits", "Authorization: Bearer a", "Authorization: Bearer b"))),
    ("a repeated If-Match", refused(get("/v1/limits", 'If-Match: "r1"', 'If-Match: "r2"'))),
])

def refused_naming(name, data):
    def fact():
        statuses, closed, replies = outcome(data)
        equal((statuses, closed), ([400], True), "replies, and whether the connection is closed")
        detail = json.loads(replies[0].body)["detail"]
        check(detail.startswith(f"{name}: "), f"{name} is not named: {detail}")
    return fact


def create(*lines):
    return "\r\n".join(("POST /v1/scenes HTTP/1.1", "Host: localhost", *lines, "Content-Length: 2", "Content-Type: application/json")) + "\r\n\r\n{}"


# Keys that differ only after a NUL byte would be one key, and the second scene the first one.
suite.table("the header that is refused is named", [
    ("a zero byte in a key", refused_naming("Idempotency-Key", create("Idempotency-Key: a\0b"))),
    ("a zero byte at its end", refused_naming("Idempotency-Key", create("Idempotency-Key: a\0"))),
    ("two of them", refused_naming("Idempotency-Key", create("Idempotency-Key: a\0\0"))),
    ("in the last line", refused_naming("X-Y", get("/v1/limits", "X-Y: a\0b"))),
    ("two in the last line", refused_naming("X-Y", get("/v1/limits", "X-Y: a\0\0b"))),
    ("in a line before a bare LF", refused_naming("X-Y", get("/v1/limits", "X-Y: a\0b").replace("\r\n", "\n"))),
    ("a control character", refused_naming("X-Y", get("/v1/limits", "X-Y: a\x01b"))),
    ("a repeated one", refused_naming("If-Match", get("/v1/limits", 'If-Match: "r1"', 'If-Match: "r2"'))),
])

suite.table("request targets that are no path are refused", [
    ("absolute URI", refused(get("http://localhost/v1/limits"))),
    ("asterisk", refused("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n")),
    ("no slash", refused(get("v1/limits"))),
    ("a blank", refused(get("/v1/lim its"))),
    ("backslash", refused(get("/v1\\limits"))),
    ("a byte beyond ASCII", refused(get("/v1/limits\xe9"))),
    ("a control character", refused(get("/v1/limits\x01"))),
    ("a control character in the query", refused(get("/v1/scenes?limit=\x02"))),
    ("a method that is no word", refused("GE(T /v1/limits HTTP/1.1\r\nHost: localhost\r\n\r\n")),
])

suite.table("a body where none belongs is not read as a request", [
    ("GET", refused(get("/v1/limits", f"Content-Length: {len(SMUGGLED)}") + SMUGGLED)),
    ("GET in chunks", refused(get("/v1/limits", "Transfer-Encoding: chunked") + "0\r\n\r\n" + SMUGGLED)),
])

suite.table("a hidden request is not answered", [
    ("chunk size with 0x", at_most_one(post("Transfer-Encoding: chunked", body="0x" + CHUNKS + SMUGGLED))),
    ("negative chunk size", at_most_one(post("Transfer-Encoding: chunked", body="-1\r\n" + CHUNKS + SMUGGLED))),
    ("chunk size beyond every number", at_most_one(post("Transfer-Encoding: chunked", body="1" + "0" * 16 + "\r\n" + SMUGGLED))),
    ("chunk longer than its size", at_most_one(post("Transfer-Encoding: chunked", body=f"4\r\n{BODY}\r\n0\r\n\r\n{SMUGGLED}"))),
    ("chunk without its end", at_most_one(post("Transfer-Encoding: chunked", body=f"{SIZE:x}\r\n{BODY}0\r\n\r\n{SMUGGLED}"))),
    ("a folded length", at_most_one(post("X: a", f" Content-Length: {SIZE}", body=""))),
    ("a line without a colon", at_most_one(get("/v1/limits", "nonsense"))),
    ("a folded first line", at_most_one(get("/v1/limits", " folded: x"))),
    ("a name without letters", at_most_one(get("/v1/limits", ": x"))),
    ("NUL in the path", at_most_one(get("/v1/version\0/x").replace("version", "limits"))),
    ("bare CR in a value", at_most_one(post(f"X: a\rContent-Length: {SIZE}", body=""))),
    ("bare LF in place of CRLF", at_most_one(get("/v1/limits").replace("\r\n", "\n"))),
    ("HTTP/0.9", at_most_one("GET /v1/limits\r\n\r\n")),
    ("HTTP/2.0", at_most_one(get("/v1/limits", version="HTTP/2.0"))),
    ("HTTP/1.15", at_most_one(get("/v1/limits", version="HTTP/1.15"))),
])


def library_page(status, data):
    """As openapi.json describes: a short HTML body, and the end of the connection."""
    def fact():
        with Raw(daemon.port) as connection:
            connection.send(data)
            connection.ends(10)
            head, unused, page = connection.buffer.rpartition(b"\r\n\r\n")
            check(head.startswith(f"HTTP/1.1 {status} ".encode()), f"the reply is {head[:80]!r}")
            check(b"content-type" not in head.lower() and b"x-request-id" not in head.lower(), f"the head is {head!r}")
            check(page.startswith(b"<html>") and page.endswith(b"</html>") and len(page) < 1000, f"the page is {page[:200]!r}")
            said = ask(daemon.port, "GET", "/openapi.json").text
            check(f" {status}: " in json.loads(said)["info"]["description"], f"openapi.json does not tell of {status}")
    return fact


suite.table("what the library refuses is a page of HTML", [
    ("a request line above 32 KiB", library_page(414, get("/v1/limits?" + "a" * 40000))),
    ("a header line above 32 KiB", library_page(431, get("/v1/limits", "X: " + "a" * 40000))),
    ("header lines above 32 KiB", library_page(431, get("/v1/limits", *(f"X-{i}: " + "a" * 1000 for i in range(40))))),
    ("a line without a version", library_page(400, "GET /v1/limits\r\n\r\n")),
    ("a line without a colon", library_page(400, get("/v1/limits", "nonsense"))),
    ("a chunk size that is none", library_page(400, post("Transfer-Encoding: chunked", body="zz\r\nabc\r\n"))),
    ("a length that is none", library_page(400, post("Content-Length: x", body=""))),
    ("a length beyond 64 bits", library_page(413, post("Content-Length: " + "9" * 23, body=""))),
    ("a chunk size beyond 64 bits", library_page(413, post("Transfer-Encoding: chunked", body="f" * 20 + "\r\nabc\r\n"))),
    ("HTTP/2.0", library_page(505, get("/v1/limits", version="HTTP/2.0"))),
    ("HTTP/0.8", library_page(505, get("/v1/limits", version="HTTP/0.8"))),
])

suite.table("segments are decoded once", [
    (target, lambda target=target, status=status: equal(ask(daemon.port, "GET", target).status, status, "status")) for target, status in
    (("/v1/scenes/a%2fb", 404), ("/v1/scenes/a%00b", 400), ("/v1/scenes/%2e%2e", 400), ("/v1/scenes/..", 400), ("/v1/scenes/a%zz", 400),
     ("/v1/scenes/a%5cb", 404), ("/v1/scenes/a%2561", 404), ("/v1/scenes/%61bsent", 404), ("/v1%2flimits", 404), ("/v1//limits", 404),
     ("/v1/./limits", 404), ("/v1/limits/", 404), ("/%76%31/limits/..", 404))])


@suite.fact
def a_path_without_an_id_is_refused_with_the_rule_for_ids():
    detail = json.loads(ask(daemon.port, "GET", "/v1/scenes/" + "a" * 257).body)["detail"]
    check("Segment 3 " in detail and "256" in detail and "UTF-8" in detail, f"detail is {detail}")


@suite.fact
def the_daemon_still_answers():
    for unused in range(3):
        equal(ask(daemon.port, "POST", PATH, BODY).status, 200, "status")
    with Raw(daemon.port) as connection:
        connection.send(request("GET", "/livez"))
        equal(connection.reply().status, 200, "status")


suite.main()
