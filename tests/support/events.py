"""A client of server-sent events on a bare socket: the head, the chunks, the events, each with the time of its
arrival.
Every event's data is checked against its schema in the OpenAPI document. A stream reads only on request, so a test
can leave one unread."""
import json
import re
import select
import socket
import time

from support.checks import Failure, check
from support.daemon import ROOT
from support.pace import SLOWER
from support.raw import request
from support.schema import Document

SECONDS = 60 * SLOWER  # for every wait: ends a hanging test
HEARTBEAT = ":heartbeat"
STREAM = "/v1/scenes/{s}/events"
document = Document(json.loads((ROOT / "api/openapi.json").read_text()))
media = document.document["paths"][STREAM]["get"]["responses"]["200"]["content"]["text/event-stream"]


class Event:
    def __init__(self, name, number, data, at):
        self.name, self.id, self.data, self.at = name, number, data, at

    def __repr__(self):
        return f"{self.name}#{self.id} {self.data}"


class Stream:
    """with Stream(daemon, "cell") as s: s.next("revision")"""

    def __init__(self, daemon, scene, last=None, contact_state=None, headers=(), receive_buffer=None, **more):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(SECONDS)
        self.socket.connect(("127.0.0.1", daemon.port))
        path = f"/v1/scenes/{scene}/events" + (f"?contactState={contact_state}" if contact_state else "")
        headers = list(headers) + ([("Last-Event-ID", str(last))] if last is not None else [])
        self.socket.sendall(request("GET", path, headers=headers, **more))
        self.status, self.headers = None, {}
        self.raw = self.text = self.said = b""  # raw bytes; without the chunks: not parsed yet; all of it
        self.chunked = self.ended = self.complete = False
        self.retry = None
        self.events = []  # received, not consumed yet
        self.count = 0

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.socket.close()

    def close(self):
        self.socket.close()

    # ---- receiving -----

    def read(self):
        """Waits for data and parses it. False: the connection has ended."""
        try:
            piece = self.socket.recv(262144)
        except ConnectionResetError:
            piece = b""
        at = time.monotonic()
        if not piece:
            self.ended = True
            return False
        self.raw += piece
        if self.status is None and not self.take_head():
            return True
        self.take_chunks()
        self.take_events(at)
        return True

    def take_head(self):
        head, separator, rest = self.raw.partition(b"\r\n\r\n")
        if not separator:
            return False
        lines = head.decode("latin-1").split("\r\n")
        self.status = int(lines[0].split()[1])
        self.headers = {line.split(":", 1)[0].lower(): line.split(":", 1)[1].strip() for line in lines[1:]}
        self.chunked = self.headers.get("transfer-encoding") == "chunked"
        self.raw = rest
        return True

    def take_chunks(self):
        if not self.chunked:
            self.say(self.raw)
            self.raw = b""
            return
        while True:
            size, separator, rest = self.raw.partition(b"\r\n")
            if not separator:
                return
            length = int(size, 16)
            if len(rest) < length + 2:
                return
            self.complete = length == 0
            self.say(rest[:length])
            self.raw = rest[length + 2:]

    def say(self, text):
        self.text += text
        self.said += text

    def take_events(self, at):
        while b"\n\n" in self.text:
            block, unused, self.text = self.text.partition(b"\n\n")
            event = self.event_of(block.decode().split("\n"), at)
            if event:
                self.events.append(event)
                self.count += 1

    def event_of(self, lines, at):
        if lines[0].startswith(":"):
            return Event(":" + lines[0][1:].strip(), None, None, at)
        fields = {}
        for line in lines:
            name, unused, value = line.partition(": ")
            check(name not in fields, f"the field {name} comes twice in {lines}")
            fields[name] = value
        if "retry" in fields:
            self.retry = int(fields.pop("retry"))
            check(not fields, f"retry stands with {fields}")
            return None
        check(set(fields) <= {"id", "event", "data"}, f"fields are {sorted(fields)}")
        data = json.loads(fields["data"])
        check(fields["event"] in media["x-events"], f"the event {fields['event']} is not documented")
        document.validate(media["x-events"][fields["event"]], data, f"data of {fields['event']}")
        return Event(fields["event"], int(fields["id"]) if "id" in fields else None, data, at)

    # ---- waiting ---------------

    def head(self):
        while self.status is None:
            if not self.read():
                raise Failure("the connection ended without a head")
        return self

    def next(self, *names):
        """The next event, without heartbeats unless requested; with names, it must be one of them."""
        end = time.monotonic() + SECONDS  # heartbeats may continue for ever
        while True:
            check(time.monotonic() < end, f"{names or 'an event'} does not come")
            while not self.events:
                if not self.read():
                    raise Failure(f"the stream has ended; {names or 'an event'} should come")
            event = self.events.pop(0)
            if event.name == HEARTBEAT and HEARTBEAT not in names:
                continue
            check(not names or event.name in names, f"the event is {event}, should be {names}")
            return event

    def rest(self):
        """All events to the stream's end."""
        while self.read():
            pass
        events, self.events = [e for e in self.events if e.name != HEARTBEAT], []
        return events


def gather(streams, ready, seconds=SECONDS):
    """Reads all streams until ready(stream) is true for each."""
    waiting = {s.socket.fileno(): s for s in streams if not ready(s)}
    poll = select.poll()
    for number in waiting:
        poll.register(number, select.POLLIN)
    end = time.monotonic() + seconds
    while waiting:
        left = end - time.monotonic()
        if left <= 0:
            raise Failure(f"{len(waiting)} of {len(streams)} streams do not have it after {seconds} s")
        for number, unused in poll.poll(left * 1000):
            stream = waiting[number]
            if not stream.read() and not ready(stream):
                raise Failure("a stream has ended")
            if ready(stream):
                poll.unregister(number)
                del waiting[number]


def first_events(daemon, path, count):
    """The text of a stream up to its count-th blank line, with ids as 0: compared with documented streams."""
    scene, contact_state = re.fullmatch(r"/v1/scenes/([^/?]+)/events(?:\?contactState=(.*))?", path).groups()
    with Stream(daemon, scene, contact_state=contact_state) as stream:
        while stream.said.count(b"\n\n") < count:
            check(stream.read(), "the stream has ended")
        check(stream.status == 200, f"status is {stream.status}")
        return re.sub(r"^id: \d+$", "id: 0", stream.said.decode(), flags=re.M)
