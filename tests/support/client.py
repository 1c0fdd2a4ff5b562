"""Two thin clients: Curl (libcurl, one connection per request, the bytes that a user of curl would see) and
KeepAlive (http.client, for bulk).
Every reply through either is checked against the OpenAPI document that the daemon serves; so is every accepted
request. check=False omits the check for one request (giant lists only)."""
import http.client
import io
import json
import os
import subprocess
import threading

import pycurl

from support.checks import Failure, short
from support.schema import Document

CURL_SECONDS = 120
JSON = "application/json"
NDJSON = "application/x-ndjson"
DOCUMENTS = {}  # port -> Document
# File for the requests of this program, one JSON array per line: tests/house/same_answers.py sends them again.
RECORD = os.environ.get("RECORD_REQUESTS")
RECORDING = threading.Lock()


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body
        self.parsed = None

    @property
    def text(self):
        return self.body.decode("utf-8", errors="replace")

    @property
    def json(self):
        if self.parsed is None:
            try:
                self.parsed = json.loads(self.body, parse_constant=refuse_constant)
            except ValueError as why:
                raise Failure(f"the reply is not JSON ({why}): {short(self.text)}") from None
        return self.parsed

    @property
    def etag(self):
        return self.headers.get("etag")

    def must(self, status):
        if self.status != status:
            raise Failure(f"status is {self.status}, should be {status}: {short(self.text)}")
        return self

    def problem(self, status, name, pointer=None):
        """Checks that the reply is this problem; with a pointer, that one of its errors has it."""
        self.must(status)
        if self.headers.get("content-type", "").split(";")[0] != "application/problem+json":
            raise Failure(f"content type is {self.headers.get('content-type')}")
        if self.json.get("type") != f"/problems/{name}" or self.json.get("status") != status:
            raise Failure(f"problem is {self.json.get('type')} {self.json.get('status')}, should be {name}: {short(self.text)}")
        if pointer is not None:
            pointers = [e.get("pointer") for e in self.json.get("errors", [])]
            if pointer not in pointers:
                raise Failure(f"pointers are {pointers}, should hold {pointer!r}: {short(self.text)}")
        return self


def refuse_constant(word):
    raise ValueError(f"{word} is not JSON")


def encode(body):
    if body is None or isinstance(body, bytes):
        return body
    if isinstance(body, str):
        return body.encode("utf-8")
    return json.dumps(body).encode("utf-8")


def ndjson(items):
    return "".join(json.dumps(item, separators=(",", ":")) + "\n" for item in items)


def record(daemon, method, path, data, headers):
    line = [daemon.port, getattr(daemon, "pid", 0), getattr(daemon, "command", []), method, path, None if data is None else data.decode("latin-1"), headers]
    with RECORDING, open(f"{RECORD}.{os.getpid()}", "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


class Client:
    def __init__(self, daemon, document=None):
        self.daemon = daemon
        self.base = daemon.base
        if document is None and daemon.port not in DOCUMENTS:
            reply = self.send("GET", "/openapi.json", None, {})
            DOCUMENTS[daemon.port] = Document(reply.must(200).json)
        self.document = document or DOCUMENTS[daemon.port]

    def request(self, method, path, body=None, headers=None, content_type=JSON, check=True):
        data = encode(body)
        head = dict(headers or {})
        if data is not None and content_type is not None:
            head.setdefault("Content-Type", content_type)
        if RECORD:
            record(self.daemon, method, path, data, head)
        reply = self.send(method, path, data, head)
        if check:
            self.document.check_reply(method, path, reply)
            if data and 200 <= reply.status < 300:
                self.document.check_request(method, path, head.get("Content-Type"), data)
        return reply

    def get(self, path, **rest):
        return self.request("GET", path, **rest)

    def head(self, path, **rest):
        return self.request("HEAD", path, **rest)

    def put(self, path, body=None, **rest):
        return self.request("PUT", path, body, **rest)

    def post(self, path, body=None, **rest):
        return self.request("POST", path, body, **rest)

    def patch(self, path, body=None, **rest):
        return self.request("PATCH", path, body, **rest)

    def delete(self, path, **rest):
        return self.request("DELETE", path, **rest)


def parse_curl(output):
    """The last response in what `curl -i` printed (a 100 Continue may stand before it)."""
    while True:
        head, separator, body = output.partition(b"\r\n\r\n")
        if not separator or not head.startswith(b"HTTP/"):
            raise Failure(f"curl printed no response: {short(output.decode(errors='replace'))}")
        lines = head.decode("latin-1").split("\r\n")
        status = int(lines[0].split(" ")[1])
        if status == 100:
            output = body
            continue
        headers = {}
        for line in lines[1:]:
            name, unused, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        return Reply(status, headers, body)


class Curl(Client):
    """By libcurl in this process: a process per request would take ten times as long."""

    def send(self, method, path, data, headers):
        handle, output = pycurl.Curl(), io.BytesIO()
        options = {pycurl.URL: (self.base + path).encode(), pycurl.CUSTOMREQUEST: method, pycurl.NOPROXY: "*", pycurl.NOSIGNAL: 1,
                   pycurl.HTTP_VERSION: pycurl.CURL_HTTP_VERSION_1_1, pycurl.PATH_AS_IS: 1, pycurl.TIMEOUT: CURL_SECONDS,
                   pycurl.WRITEDATA: output, pycurl.HEADERFUNCTION: output.write}
        if method == "HEAD":
            options[pycurl.NOBODY] = 1
        head = [f"{name}: {value}" if value else f"{name};" for name, value in headers.items()]
        if data is not None:
            options |= {pycurl.POSTFIELDSIZE_LARGE: len(data), pycurl.POSTFIELDS: data}
            head += ["Expect:"] + ["Content-Type:"] * ("Content-Type" not in headers)
        for option, value in (options | {pycurl.HTTPHEADER: head}).items():
            handle.setopt(option, value)
        try:
            handle.perform()
        except pycurl.error as why:
            raise Failure(f"libcurl ended with {why.args[0]}: {why.args[1]}") from None
        finally:
            handle.close()
        return parse_curl(output.getvalue())


class CurlProcess(Client):
    """By one curl process per request."""
    before = ()  # command prefix that runs curl elsewhere, e.g. in a container

    def send(self, method, path, data, headers):
        command = ["curl", "-q", "-sS", "-i", "-g", "--path-as-is", "--http1.1", "--noproxy", "*", "--max-time", str(CURL_SECONDS)]
        command += ["-I"] if method == "HEAD" else ["-X", method]
        head = dict(headers)
        if data is not None:
            command += ["--data-binary", "@-", "-H", "Expect:"]
            if "Content-Type" not in head:
                command += ["-H", "Content-Type:"]
        for name, value in head.items():
            command += ["-H", f"{name}: {value}" if value else f"{name};"]
        run = subprocess.run([*self.before, *command, self.base + path], input=data or b"", capture_output=True, env=curl_environment())
        if run.returncode:
            raise Failure(f"curl ended with {run.returncode}: {run.stderr.decode(errors='replace').strip()}")
        return parse_curl(run.stdout)


def curl_environment():
    env = dict(os.environ)
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        env.pop(name, None)
    return env


class KeepAlive(Client):
    """One connection for many requests. Not for requests that http.client would correct."""

    def __init__(self, daemon, document=None, timeout=CURL_SECONDS):
        self.connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=timeout)
        super().__init__(daemon, document)

    def send(self, method, path, data, headers):
        self.connection.request(method, path, body=data, headers=headers)
        response = self.connection.getresponse()
        body = response.read()
        return Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, body)

    def close(self):
        self.connection.close()
