"""Clients of a fleet that write, read, query, create and delete scenes until they are ended, and record each reply and its time.

    load = Load(port, document)
    load.goes_on("a fault")      until every client has had replies again
    load.finish(clients)         ends it, reads every scene by each of these clients and reports the faults
"""
import collections
import http.client
import json
import random
import threading
import time

from support.checks import Failure, check, equal
from support.client import Reply
from support.events import Stream
from support.history import ABSENT, History
from support.pace import SLOWER

SECONDS = 60 * SLOWER
BODIES = 3
JSON = "application/json"


def bodies(value):
    """All have the number of the write as position, so that a partial write is detected; their distance from the
    first body also shows it."""
    ball = [{"sphere": {"radius": 0.5}}]
    return [{"id": "origin", "colliders": ball}, *({"id": f"b{i}", "position": [value, 10.0 * i, 0], "colliders": ball} for i in range(BODIES))]


def poses(value):
    return {"ids": [f"b{i}" for i in range(BODIES)], "positions": [[value, 10.0 * i, 0] for i in range(BODIES)]}


def value_of_poses(answer):
    return one_value([p[0] for p in answer["positions"][1:]])


def value_of_scene(answer):
    return one_value([b["position"][0] for b in answer["bodies"][1:]])


def one_value(values):
    check(len(values) == BODIES and len(set(values)) == 1, f"part of a write: {values}")
    return int(values[0])


def revision_of(reply):
    return int(reply.headers["etag"].strip('"r'))


class Scene:
    def __init__(self, name):
        self.name, self.history = name, History()
        # Approximately the newest revision that any client has read.
        self.revision = None


class Load:
    def __init__(self, port, document, clients=6, scenes=5, seed=1):
        self.port, self.document = port, document
        self.scenes = [Scene(f"s{i}") for i in range(scenes)]
        self.ends, self.lock = threading.Event(), threading.Lock()
        self.numbers, self.made, self.last_revision = 0, {}, None
        self.clients = [Client(self, f"{seed}-{i}") for i in range(clients)]
        self.listener = Listener(self, self.scenes[0])
        for thread in (*self.clients, self.listener):
            thread.start()

    def number(self):
        with self.lock:
            self.numbers += 1
            return self.numbers

    def strange(self):
        """Replies that must not occur, and connections that HAProxy closed during a request."""
        return [s for c in self.clients for s in c.strange + c.broken] + self.listener.strange

    def kinds(self):
        """The number of replies of each kind."""
        return sum((c.kinds for c in self.clients), collections.Counter())

    def goes_on(self, what, seconds, answers=3):
        """Within this time every client has this many more replies to reads and to writes."""
        end = time.monotonic() + seconds
        before = [(c.reads, c.writes) for c in self.clients]
        while any(c.reads < r + answers or c.writes < w + answers for c, (r, w) in zip(self.clients, before)):
            check(not self.strange(), f"after {what}: {self.strange()[:3]}")
            check(time.monotonic() < end, f"in {seconds} s not all clients were answered after {what}: {self.kinds()}")
            time.sleep(0.005)

    def outage(self):
        """The longest time without a good reply of any client since the last call."""
        longest = max(c.outage for c in self.clients)
        for c in self.clients:
            c.outage = 0.0
        return longest

    def finish(self, clients):
        """After the last write: every acknowledged write since the first event has one event, in order."""
        self.ends.set()
        for c in self.clients:
            c.join()
        for client in clients:
            for scene in self.scenes:
                self.read_last(client, scene)
        for scene in self.scenes:
            equal(scene.history.faults()[:3], [], f"faults of the history of {scene.name}")
        self.look_at_made(clients[0])
        self.listener.finish()
        equal(self.strange()[:3], [], "strange replies")

    def read_last(self, client, scene):
        with scene.history.read() as r:
            reply = client.get(f"/v1/scenes/{scene.name}/poses")
            if reply.status == 404:
                r.absent()
            else:
                r.found(revision_of(reply.must(200)), value_of_poses(reply.json))

    def look_at_made(self, client):
        """Each key has one scene: the acknowledged one, if there was one and it was not deleted since."""
        found = collections.defaultdict(list)
        for scene in client.get("/v1/scenes?limit=10000").must(200).json["scenes"]:
            if scene["id"].startswith("key-"):
                found[client.get(f"/v1/scenes/{scene['id']}").must(200).json["user"]].append(scene["id"])
        for key, state in self.made.items():
            here = found.pop(key, [])
            check(len(here) <= 1 and len(state["ids"]) <= 1, f"{key} has made {here}, and {state['ids']} were acknowledged")
            if state["ids"] and not state["deleted"]:
                equal(here, list(state["ids"]), f"scenes of {key}")
        equal(dict(found), {}, "scenes that nobody has made")


class Listener(threading.Thread):
    """Reads a scene's event stream through HAProxy, and reconnects with the last id where a stream ends."""

    def __init__(self, load, scene):
        super().__init__(daemon=True)
        self.load, self.scene = load, scene
        self.last, self.streams, self.resets = None, 0, 0
        self.revisions, self.strange = [], []

    def run(self):
        while not self.heard_all():
            try:
                with Stream(self.load, self.scene.name, self.last) as stream:
                    self.listen(stream)
            except OSError:
                pass
            except Failure as why:  # reported at the end
                self.strange.append(f"a stream: {why}")
                return
            time.sleep(0.05)

    def listen(self, stream):
        stream.socket.settimeout(0.2)
        self.streams += 1
        while not stream.ended and not stream.complete and not self.heard_all():
            try:
                stream.read()
            except TimeoutError:
                continue
            if stream.status not in (None, 200):
                check(stream.status in (404, 503), f"status {stream.status}")
                return
            for event in stream.events:
                self.hear(event)
            stream.events.clear()

    def hear(self, event):
        if event.id is not None:
            # A daemon that subscribes again repeats the state: under the same number, if no write came in between.
            is_same_state = event.name == "reset" and event.id == self.last
            check(self.last is None or event.id > self.last or is_same_state, f"{event} came after {self.last}")
            self.last = event.id
        if event.name == "reset":
            self.resets += 1
            self.revisions.clear()
        if event.name in ("reset", "revision"):
            revision = event.data["revision"]
            check(not self.revisions or revision > self.revisions[-1], f"{event} came after revision {self.revisions[-1:]}")
            self.revisions.append(revision)

    def __str__(self):
        return f"{len(self.revisions)} revisions heard on {self.streams} streams with {self.resets} resets"

    def heard_all(self):
        return self.load.last_revision is not None and bool(self.revisions) and self.revisions[-1] >= self.load.last_revision

    def finish(self):
        """After the last write: all that has been acknowledged since the first event is heard, once, in order."""
        self.load.last_revision = max(e.revision for e in self.scene.history.entries if e.outcome == "good")
        self.join(SECONDS)
        check(not self.is_alive() and not self.strange, f"heard up to {self.revisions[-1:]}, not {self.load.last_revision}: {self.strange}")
        heard = set(self.revisions)
        lost = [w for w in self.scene.history.good("write") if w.revision >= self.revisions[0] and w.revision not in heard]
        equal([str(w) for w in lost[:3]], [], f"writes of which no event was heard; {self}")


class Client(threading.Thread):
    WHATS = ("patch", "patch_after", "put", "delete", "read_poses", "read_scene", "question", "make")
    WEIGHTS = (30, 15, 6, 2, 20, 8, 15, 4)

    def __init__(self, load, seed):
        super().__init__(daemon=True)
        self.load, self.choice, self.seed = load, random.Random(seed), seed
        self.connection = None
        self.kinds, self.strange, self.broken = collections.Counter(), [], []
        self.reads = self.writes = 0
        self.last_good, self.outage = time.monotonic(), 0.0

    def run(self):
        while not self.load.ends.is_set():
            what = self.choice.choices(self.WHATS, self.WEIGHTS)[0]
            try:
                getattr(self, what)(self.choice.choice(self.load.scenes))
            except (OSError, http.client.HTTPException) as why:
                self.kinds["broken connection"] += 1
                self.broken.append(f"{time.time():.3f} {what}: {why!r}")
                self.drop()
                time.sleep(0.01)
            except (Failure, ValueError, KeyError) as why:  # reported at the end
                self.strange.append(f"{what}: {why}")
                break
        self.drop()

    def drop(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def ask(self, method, path, body=None, **headers):
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.load.port, timeout=SECONDS)
        if body is not None:
            headers["Content-Type"] = JSON
        self.connection.request(method, path, body if body is None else json.dumps(body), headers)
        answer = self.connection.getresponse()
        reply = Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        self.look(method, path, reply)
        return reply

    def look(self, method, path, reply):
        if reply.status < 300:
            self.load.document.check_reply(method, path, reply)
            self.kinds[str(reply.status)] += 1
            now = time.monotonic()
            self.outage = max(self.outage, now - self.last_good)
            self.last_good = now
            return
        name = reply.json["type"].rpartition("/")[2]
        self.kinds[f"{reply.status} {name}"] += 1
        equal(reply.headers.get("content-type"), "application/problem+json", f"content type of {reply.status}")
        if name != "about:blank":
            self.load.document.check_reply(method, path, reply)
        if reply.status == 503:
            if not reply.headers.get("retry-after"):
                raise Failure(f"503 without Retry-After: {reply.text}")
            time.sleep(0.02)
        elif (reply.status, name) not in ((404, "scene-not-found"), (409, "scene-moved"), (412, "revision-mismatch")):
            raise Failure(f"{reply.status}: {reply.text}")

    # ---- writes

    def write(self, scene, value, method, rest, body=None, after=None):
        with scene.history.write(value, after) as w:
            reply = self.ask(method, f"/v1/scenes/{scene.name}{rest}", body, **({} if after is None else {"If-Match": f'"r{after}"'}))
            if reply.status < 300:
                self.writes += 1
                scene.revision = reply.json["revision"]
                w.acknowledged(scene.revision)
            elif reply.status == 404:
                w.absent()
            elif reply.status == 412:
                w.overtaken()
            elif reply.status == 409:
                w.refused()
        if reply.status == 404:
            self.put(scene)

    def patch(self, scene, after=None):
        value = self.load.number()
        self.write(scene, value, "PATCH", "/poses", poses(value), after)

    def patch_after(self, scene):
        self.patch(scene, scene.revision)

    def put(self, scene):
        value = self.load.number()
        self.write(scene, value, "PUT", "", {"bodies": bodies(value)})

    def delete(self, scene):
        """Any scene but the one of the listener, whose streams would end."""
        if scene is self.load.scenes[0]:
            return
        self.write(scene, ABSENT, "DELETE", "")

    def make(self, unused):
        """With one key until it is answered; sometimes once more, which must return the same scene; then it is
        usually deleted."""
        key = f"key {self.seed} {self.load.number()}"
        state = self.load.made[key] = {"ids": set(), "deleted": False}
        heard = 0
        while heard < self.choice.choice((1, 1, 2)) and not self.load.ends.is_set():
            try:
                reply = self.ask("POST", "/v1/scenes", {"user": key, "bodies": bodies(1)}, **{"Idempotency-Key": key})
            except (OSError, http.client.HTTPException) as why:
                self.kinds["broken connection"] += 1
                self.broken.append(f"{time.time():.3f} make: {why!r}")
                self.drop()
                continue
            if reply.status == 201:
                state["ids"].add(reply.json["id"])
                heard += 1
        if heard and self.choice.random() < 0.8:
            state["deleted"] = True
            self.ask("DELETE", f"/v1/scenes/{min(state['ids'])}")

    # ---- reads

    def read(self, scene, method, rest, value_of, body=None):
        with scene.history.read() as r:
            reply = self.ask(method, f"/v1/scenes/{scene.name}{rest}", body)
            if reply.status == 200:
                self.reads += 1
                scene.revision = revision_of(reply)
                r.found(scene.revision, value_of(reply.json))
            elif reply.status == 404:
                r.absent()

    def read_poses(self, scene):
        self.read(scene, "GET", "/poses", value_of_poses)

    def read_scene(self, scene):
        self.read(scene, "GET", "", value_of_scene)

    def question(self, scene):
        self.read(scene, "POST", "/query/distance", lambda answer: round(answer["results"][0]["distance"]) + 1, {"pairs": [["origin", "b0"]]})
