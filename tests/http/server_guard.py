"""Access: Host, Origin, token, encoding, size of the request head. Over raw sockets, since HTTP clients set these
headers themselves."""
import json
import pathlib
import tempfile

from support.checks import Suite, check, equal
from support.daemon import Daemon
from support.raw import Raw, ask, request

suite = Suite()
daemon = Daemon("--log", "off", "--allow-host", "contact.example", "--allow-host", "10.1.2.3").start()
suite.cleanup(daemon.stop)
folder = tempfile.TemporaryDirectory()
suite.cleanup(folder.cleanup)
PATH = "/v1/limits"
PORT = daemon.port
TOKEN = "a-token-of-some-length"


def token_file(name, text=TOKEN, mode=0o600):
    path = pathlib.Path(folder.name) / name
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def problem(reply, status, name):
    equal(reply.status, status, "status")
    equal(json.loads(reply.body)["type"], f"/problems/{name}", "type")
    equal(reply.headers["content-type"], "application/problem+json", "content type")


def host_case(host, status):
    def fact():
        reply = ask(PORT, "GET", PATH, host=host)
        equal(reply.status, status, "status")
        if status == 421:
            problem(reply, 421, "host-not-allowed")
    return fact


suite.table("Host", [(repr(host), host_case(host, status)) for host, status in (
    ("localhost", 200), ("LocalHost", 200), (f"localhost:{PORT}", 200), ("localhost:1", 200), ("127.0.0.1", 200),
    (f"127.0.0.1:{PORT}", 200), ("[::1]", 200), (f"[::1]:{PORT}", 200), ("contact.example", 200), ("CONTACT.example:8080", 200),
    ("10.1.2.3", 200),
    ("evil.example", 421), ("localhost.evil.example", 421), ("127.0.0.1.evil.example", 421), ("localhost.", 421), ("notlocalhost", 421),
    ("contact.example.evil", 421), ("127.0.0.2", 421), ("127.1", 421), ("0.0.0.0", 421), ("::1", 421), ("[::2]", 421),
    ("user@localhost", 421), ("localhost@evil", 421), ("localhost:", 421), ("localhost:80:80", 421), ("localhost:port", 421),
    ("localhost:123456", 421), ("localhost, evil", 421), ("localhost evil", 421), ("http://localhost", 421),
    (None, 400), ("", 400))])


@suite.fact
def two_host_lines_are_refused():
    for second in ("localhost", "evil.example"):
        problem(ask(PORT, "GET", PATH, headers=[("Host", second)]), 400, "bad-request")


def origin_case(method, origin, status):
    def fact():
        reply = ask(PORT, method, PATH, headers=[("Origin", origin)], host=f"localhost:{PORT}")
        equal(reply.status, status, "status")
        check(not any(name.startswith("access-control") for name in reply.headers), "the reply allows other origins")
        if status == 403:
            problem(reply, 403, "origin-denied")
    return fact


suite.table("Origin", [(f"{method} {origin}", origin_case(method, origin, status)) for method, origin, status in (
    ("GET", f"http://localhost:{PORT}", 200), ("GET", f"https://localhost:{PORT}", 200), ("GET", f"HTTP://LOCALHOST:{PORT}", 200),
    ("GET", "null", 403), ("GET", "http://evil.example", 403), ("GET", f"http://localhost.evil.example:{PORT}", 403),
    ("GET", "http://127.0.0.1.evil.example", 403), ("GET", f"http://127.0.0.1:{PORT}", 403), ("GET", "http://localhost:1", 403),
    ("GET", "http://localhost", 403), ("GET", f"file://localhost:{PORT}", 403), ("GET", f"localhost:{PORT}", 403), ("GET", "", 403),
    ("OPTIONS", "http://evil.example", 403), ("OPTIONS", f"http://localhost:{PORT}", 403))])


@suite.fact
def a_repeated_origin_is_refused():
    good = ("Origin", f"http://localhost:{PORT}")
    problem(ask(PORT, "GET", PATH, headers=[good, ("Origin", "http://evil.example")], host=f"localhost:{PORT}"), 400, "bad-request")


@suite.fact
def a_foreign_page_writes_nothing():
    scene = "/v1/scenes/by-a-page"
    for headers, host in (([("Origin", "http://evil.example")], "localhost"), ([], "evil.example")):
        reply = ask(PORT, "PUT", scene, '{"bodies":[]}', headers, host=host)
        check(reply.status in (403, 421), f"status is {reply.status}")
    equal(ask(PORT, "GET", scene).status, 404, "status of the scene")


@suite.fact
def only_the_identity_encoding_is_accepted():
    body = '{"a":{"sphere":{"radius":1}},"b":{"sphere":{"radius":1}}}'
    for coding, status in (("identity", 200), ("gzip", 415), ("br", 415), ("deflate", 415), ("gzip, gzip", 415)):
        equal(ask(PORT, "POST", "/v1/query/overlap", body, [("Content-Encoding", coding)]).status, status, coding)


@suite.fact
def a_large_head_is_refused():
    problem(ask(PORT, "GET", PATH, headers=[(f"X-{i}", "1") for i in range(64)]), 431, "headers-too-large")
    equal(ask(PORT, "GET", PATH, headers=[(f"X-{i}", "1") for i in range(60)]).status, 200, "status")
    with Raw(PORT) as connection:
        connection.send(request("GET", PATH, headers=[("X", "a" * 40000)]))
        equal(connection.reply().status, 431, "status")
    with Raw(PORT) as connection:
        connection.send(request("GET", PATH + "?" + "a" * 40000))
        check(connection.reply().status in (414, 431), "a long URL is not refused")


@suite.fact
def every_reply_forbids_sniffing_and_storing():
    for method, path in (("GET", PATH), ("GET", "/nothing"), ("GET", "/livez"), ("PUT", PATH)):
        reply = ask(PORT, method, path)
        equal(reply.headers["x-content-type-options"], "nosniff", path)
        equal(reply.headers["cache-control"], "no-store", path)
        check(len(reply.headers["x-request-id"]) >= 8, "the request id is short")


@suite.fact
def a_token_is_required_except_at_the_health_checks():
    with Daemon("--log", "off", "--token-file", token_file("token", TOKEN + "\n")) as d:
        good = [("Authorization", f"Bearer {TOKEN}")]
        for path in ("/livez", "/readyz"):
            equal(ask(d.port, "GET", path).status, 200, path)
        for path in (PATH, "/v1/scenes", "/openapi.json"):
            equal(ask(d.port, "GET", path, headers=good).status, 200, path)
        equal(ask(d.port, "GET", PATH, headers=[("Authorization", f"bearer  {TOKEN}")]).status, 200, "lower case")
        reply = ask(d.port, "GET", "/v1/scenes")
        problem(reply, 401, "unauthorized")
        check(reply.headers["www-authenticate"].startswith("Bearer"), "no WWW-Authenticate")
        problem(ask(d.port, "GET", "/no/such/path"), 401, "unauthorized")
        wrong = (f"Basic {TOKEN}", "Bearer", "Bearer ", f"Bearer {TOKEN[:-1]}", f"Bearer {TOKEN}x", "Bearer " + "x" * 300, TOKEN)
        for value in wrong:
            equal(ask(d.port, "GET", PATH, headers=[("Authorization", value)]).status, 401, value)


@suite.fact
def after_ten_wrong_tokens_in_a_minute_an_address_needs_the_right_one():
    with Daemon("--token-file", token_file("locked")) as d:
        for unused in range(10):
            equal(ask(d.port, "GET", PATH, headers=[("Authorization", "Bearer wrong-wrong-wrong")]).status, 401, "status")
        for headers in ([("Authorization", "Bearer wrong-wrong-wrong")], []):
            reply = ask(d.port, "GET", PATH, headers=headers)
            problem(reply, 429, "too-many-requests")
            check(1 <= int(reply.headers["retry-after"]) <= 60, "Retry-After is not within the minute")
            equal(ask(d.port, "GET", PATH, headers=[("Authorization", f"Bearer {TOKEN}")]).status, 200, "status with the token")
        equal(ask(d.port, "GET", "/livez").status, 200, "status of /livez")
        d.stop()
        check(TOKEN not in d.log_text() and "wrong-wrong" not in d.log_text(), "the log holds a token")
        d.process = None


@suite.fact
def a_token_with_a_body_keeps_the_connection():
    with Daemon("--log", "off", "--token-file", token_file("body")) as d, Raw(d.port) as connection:
        body = '{"a":{"sphere":{"radius":1}},"b":{"sphere":{"radius":1}}}'
        connection.send(request("POST", "/v1/query/overlap", body))
        equal(connection.reply().status, 401, "status")
        connection.send(request("POST", "/v1/query/overlap", body, [("Authorization", f"Bearer {TOKEN}")]))
        equal(connection.reply().status, 200, "status")



suite.main()
