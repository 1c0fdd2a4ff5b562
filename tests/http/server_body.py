"""Request bodies and connections over raw sockets: Expect, chunks, size limits, NDJSON, pipelining, HEAD, slow
clients."""
import json

from support.checks import Failure, Suite, check, equal
from support.daemon import Daemon
from support.raw import Raw, ask, request
from support.stopwatch import Stopwatch

JSON_TYPE = [("Content-Type", "application/json")]
LINES_TYPE = [("Content-Type", "application/x-ndjson")]
PATH = "/v1/query/distance"
TINY = '{"a":{"sphere":{"radius":1}},"b":{"sphere":{"radius":1},"position":[3,0,0]}}'
suite = Suite()
daemon = Daemon("--log", "off", "--limit", "jsonBytes=1048576", "--limit", "ndjsonBytes=8388608").start()
suite.cleanup(daemon.stop)
# A large body may take longer than these times on a loaded machine, so only slow clients use this daemon.
hasty = Daemon("--log", "off", "--limit", "headerSeconds=1", "--limit", "bodySeconds=2").start()
suite.cleanup(hasty.stop)


def chunked(body, size):
    pieces = [body[i:i + size] for i in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n"


def head(method, path, *headers):
    return request(method, path, None, headers)


def lines(count, first=0):
    return b"".join(b'{"id":"b%d","colliders":[{"sphere":{"radius":0.4}}],"position":[%d,0,0]}\n' % (i, i)
                    for i in range(first, first + count))


def too_large(reply):
    equal(reply.status, 413, "status")
    equal(json.loads(reply.body)["type"], "/problems/body-too-large", "type")


@suite.fact
def expect_is_answered_before_the_body():
    with Raw(daemon.port) as connection:
        connection.send(head("POST", PATH, ("Expect", "100-continue"), ("Content-Length", len(TINY))))
        equal(connection.reply().status, 100, "first status")
        connection.send(TINY)
        equal(connection.reply().status, 200, "status")


@suite.fact
def expect_with_a_body_that_is_too_large_is_answered_413_without_it():
    with Raw(daemon.port) as connection:
        connection.send(head("POST", PATH, ("Expect", "100-continue"), ("Content-Length", 1048577)))
        too_large(connection.reply())
        connection.ends()


@suite.fact
def expect_on_an_unknown_path_is_answered_404_without_the_body():
    with Raw(daemon.port) as connection:
        connection.send(head("POST", "/v1/nothing", ("Expect", "100-continue"), ("Content-Length", 10)))
        equal(connection.reply().status, 404, "status")


@suite.fact
def an_announced_length_beyond_the_limit_is_refused():
    with Raw(daemon.port) as connection:
        connection.send(head("POST", PATH, ("Content-Length", 1048577)))
        too_large(connection.reply())
    body = TINY.encode() + b" " * (1048576 - len(TINY))
    equal(ask(daemon.port, "POST", PATH, body).status, 200, "status at the limit")


@suite.fact
def a_chunked_body_beyond_the_limit_is_answered_413():
    with Raw(daemon.port) as connection:
        connection.send(head("POST", PATH, ("Transfer-Encoding", "chunked")))
        connection.send(chunked(b" " * 3000000, 100000))
        reply = connection.reply()
        too_large(reply)
        equal(reply.headers["connection"], "close", "Connection")
        connection.ends()


@suite.fact
def an_endless_chunked_body_is_cut():
    with Raw(daemon.port) as connection:
        connection.send(head("POST", PATH, ("Transfer-Encoding", "chunked")))
        piece = b"100000\r\n" + b" " * 1048576 + b"\r\n"
        sent = 0
        while sent < 200 and connection.send(piece):
            sent += 1
        check(sent < 200, "200 MiB were taken")


@suite.fact
def chunks_of_every_size_make_the_same_body():
    whole = ask(daemon.port, "POST", PATH, TINY).body
    for size in (1, 2, 7, 64, 1000):
        with Raw(daemon.port) as connection:
            connection.send(head("POST", PATH, ("Transfer-Encoding", "chunked")) + chunked(TINY.encode(), size))
            equal(connection.reply().body, whole, f"reply to chunks of {size}")


@suite.fact
def a_request_in_pieces_of_one_byte_is_understood():
    with Raw(daemon.port) as connection:
        for byte in request("POST", PATH, TINY):
            connection.send(bytes([byte]))
        equal(connection.reply().status, 200, "status")


@suite.fact
def a_stream_of_lines_is_one_revision_however_it_is_cut():
    count = 20000
    text = lines(count)
    revisions = []
    for i, data in enumerate((request("POST", "/v1/scenes/s/bodies", text, LINES_TYPE),
                              head("POST", "/v1/scenes/s/bodies", *LINES_TYPE, ("Transfer-Encoding", "chunked")) + chunked(text, 70001))):
        ask(daemon.port, "DELETE", "/v1/scenes/s")
        made = json.loads(ask(daemon.port, "PUT", "/v1/scenes/s", '{"bodies":[]}', JSON_TYPE).body)["revision"]
        with Raw(daemon.port) as connection:
            connection.send(data)
            reply = connection.reply()
            check(reply.status in (200, 201), f"status is {reply.status}: {reply.text[:300]}")
            revisions.append(json.loads(reply.body)["revision"] - made)
            connection.send(request("GET", f"/v1/scenes/s/bodies/b{count - 1}"))
            equal(connection.reply().status, 200, f"status of the last body, way {i}")
    equal(revisions, [1, 1], "revisions made")


@suite.fact
def a_stream_beyond_the_limit_changes_nothing():
    ask(daemon.port, "PUT", "/v1/scenes/t", '{"bodies":[]}', JSON_TYPE)
    before = ask(daemon.port, "GET", "/v1/scenes/t").body
    text = lines(140000)
    check(len(text) > 8388608, "the text is not over the cap")
    with Raw(daemon.port) as connection:
        connection.send(head("POST", "/v1/scenes/t/bodies", *LINES_TYPE, ("Transfer-Encoding", "chunked")) + chunked(text, 100000))
        too_large(connection.reply())
    with Raw(daemon.port) as connection:
        connection.send(head("POST", "/v1/scenes/t/bodies", *LINES_TYPE, ("Content-Length", len(text))))
        too_large(connection.reply())
    equal(ask(daemon.port, "GET", "/v1/scenes/t").body, before, "scene")


@suite.fact
def a_stream_with_a_bad_line_changes_nothing_and_keeps_the_connection():
    ask(daemon.port, "PUT", "/v1/scenes/u", '{"bodies":[]}', JSON_TYPE)
    text = lines(100) + b'{"id":"b100","colliders":[]\n' + lines(30000, 101)
    with Raw(daemon.port) as connection:
        connection.send(request("POST", "/v1/scenes/u/bodies", text, LINES_TYPE))
        equal(connection.reply().status, 400, "status")
        connection.send(request("GET", "/v1/scenes/u"))
        equal(json.loads(connection.reply().body)["bodies"], [], "bodies")


@suite.fact
def pipelined_requests_are_answered_in_order():
    with Raw(daemon.port) as connection:
        paths = ["/v1/version", "/livez", "/v1/nothing", "/v1/limits"] * 50
        connection.send(b"".join(request("GET", path) for path in paths))
        statuses = [connection.reply().status for unused in paths]
        equal(statuses, [200, 200, 404, 200] * 50, "statuses")


@suite.fact
def pipelined_requests_wait_for_those_on_workers():
    ask(daemon.port, "PUT", "/v1/scenes/p", json.dumps({"bodies": [
        {"id": f"b{i}", "position": [i, 0, 0], "colliders": [{"box": {"size": [1, 1, 1]}}]} for i in range(200)]}), JSON_TYPE)
    with Raw(daemon.port) as connection:
        one = request("POST", "/v1/scenes/p/query/overlap", "{}", JSON_TYPE) + request("POST", PATH, TINY, JSON_TYPE)
        connection.send(one * 20)
        kinds = [json.loads(connection.reply().body)["kind"] for unused in range(40)]
        equal(kinds, ["overlap", "distance"] * 20, "kinds")


@suite.fact
def head_is_get_without_the_body():
    for path in ("/v1/limits", "/openapi.json", "/v1/scenes", "/livez"):
        with Raw(daemon.port) as connection:
            connection.send(request("HEAD", path) + request("GET", path))
            first, second = connection.reply("HEAD"), connection.reply()
            equal((first.status, second.status), (200, 200), path)
            equal(first.headers["content-length"], second.headers["content-length"], "Content-Length")


@suite.fact
def a_refused_request_with_a_short_body_keeps_the_connection():
    with Raw(daemon.port) as connection:
        for path, status in (("/v1/nothing", 404), ("/v1/limits", 405), (PATH, 200)):
            connection.send(request("POST", path, TINY))
            equal(connection.reply().status, status, path)


@suite.fact
def the_connection_ends_when_the_client_asks_for_it():
    for data in (request("GET", "/v1/limits", headers=[("Connection", "close")]), request("GET", "/v1/limits", version="HTTP/1.0")):
        with Raw(daemon.port) as connection:
            connection.send(data)
            equal(connection.reply().status, 200, "status")
            connection.ends()


@suite.fact
def every_request_has_its_own_id():
    with Raw(daemon.port) as connection:
        ids = set()
        for unused in range(100):
            connection.send(request("GET", "/livez"))
            ids.add(connection.reply().headers["x-request-id"])
        equal(len(ids), 100, "ids")


@suite.fact
def a_large_reply_is_sent_completely():
    text = lines(60000)
    ask(daemon.port, "PUT", "/v1/scenes/large", '{"bodies":[]}', JSON_TYPE)
    check(ask(daemon.port, "POST", "/v1/scenes/large/bodies", text, LINES_TYPE).status < 300, "the bodies were not taken")
    with Raw(daemon.port) as connection:
        connection.send(request("GET", "/v1/scenes/large"))
        equal(len(json.loads(connection.reply().body)["bodies"]), 60000, "bodies")
        connection.send(request("GET", "/livez"))
        equal(connection.reply().status, 200, "status")
    for unused in range(3):
        with Raw(daemon.port) as connection:  # disconnects in the middle of it
            connection.send(request("GET", "/v1/scenes/large"))
            connection.more()


def slowly(data, pause, first=b""):
    """Sends `first` at once, then the rest byte by byte; returns the time until the daemon closed the connection."""
    watch = Stopwatch()
    with Raw(hasty.port) as connection:
        connection.send(first)
        connection.socket.settimeout(pause)
        for byte in data:
            if not connection.send(bytes([byte])):
                return watch.read()
            try:
                if not connection.more():
                    return watch.read()
            except TimeoutError:
                pass
    raise Failure("the data has ended, and the connection is open")


@suite.fact
def a_head_that_trickles_in_is_cut_off_at_its_deadline():
    took = slowly(b"GET /v1/limits HTTP/1.1\r\nHost: localhost\r\nX-A: " + b"a" * 1000, 0.1)
    check(took.lasted(1), f"cut off after {took}")


@suite.fact
def a_connection_without_a_request_is_closed():
    watch = Stopwatch()
    with Raw(hasty.port) as connection:
        connection.ends()
        check(watch.read().lasted(1), f"cut off after {watch.read()}")


@suite.fact
def a_body_that_trickles_in_is_cut_off_at_its_deadline():
    took = slowly(b" " * 1000, 0.05, head("POST", PATH, ("Content-Length", 5000)))
    check(took.lasted(2), f"cut off after {took}")


@suite.fact
def other_clients_are_served_while_many_are_slow():
    slow = [Raw(hasty.port) for unused in range(200)]
    for i, connection in enumerate(slow):
        connection.send(b"POST /v1/query/distance HTTP/1.1\r\nHost: localhost\r\n" + (b"Content-Length: 90\r\n\r\n{" if i % 2 else b"X: "))
    for unused in range(50):
        equal(ask(hasty.port, "POST", PATH, TINY).status, 200, "status")
    for connection in slow:
        connection.close()


suite.main()
