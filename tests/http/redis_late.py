"""Writes that were answered 503 and take effect later: their bytes were on the way to Redis when the daemon gave up.
Until then reads at every daemon show the store without them. Retried as docker/README.md describes, each takes
effect once, whichever of the two attempts comes first."""
import json
import signal

from support.checks import Suite, check, equal
from support.daemon import ROOT
from support.pace import SLOWER
from support.raw import Raw
from support.redis import CUBE, OBJ, Redis, Spoiler, ball, move, number_of, place
from support.stopwatch import wait_until

suite = Suite()
# Command timeout of the daemon.
SOON = f"?commandMs={300 * SLOWER}"
FLYING = {**ball("b"), "motion": {"mass": 1, "linearVelocity": [1, 0, 0]}}
CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
SOFT = {"id": "soft", "position": [20, 0, 0], "colliders": [{"mesh": {
    "vertices": CORNERS, "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]}}]}
MOVED = {"meshes": [{"body": "soft", "vertices": CORNERS[:3] + [[0, 0, 2]]}]}
SCENE = {"bodies": [FLYING, ball("other", 9), SOFT]}
ON = {"duration": 1, "timeStep": 0.25, "gravity": [0, 0, 0]}
# Every kind of write to a scene: the path below the scene's, and the body.
WRITES = (("PUT", "", {"bodies": []}), ("PATCH", "", {"user": {"n": 1}}), ("DELETE", "", None), ("POST", "/bodies", [ball("new")]),
          ("PATCH", "/bodies", [{"id": "b", "position": [2, 0, 0]}]), ("DELETE", "/bodies?id=other", None), ("PUT", "/bodies/b", ball("b", 3)),
          ("PATCH", "/bodies/b", {"position": [4, 0, 0]}), ("DELETE", "/bodies/b", None),
          ("PUT", "/poses", {"ids": ["b", "other", "soft"], "positions": [[1, 0, 0], [2, 0, 0], [20, 0, 0]]}), ("PATCH", "/poses", move(5)), ("PUT", "/filters", {}),
          ("POST", "/contactStates/c", {"time": 0}), ("DELETE", "/contactStates/kept", None), ("PATCH", "/vertices", MOVED),
          ("POST", "/impulses", {}), ("POST", "/advance", ON))
ORDERS = ("late first", "again first")


class Late:
    """A daemon whose writes to Redis can be held back by a relay, and a second daemon without one."""

    def __init__(self):
        redis = Redis(suite)
        self.way = Spoiler(suite, redis, 0)
        self.a, self.b = redis.daemon(url=self.way.url + SOON), redis.daemon()

    def lose(self, method, path, body, shown, **rest):
        """Sends a write that the daemon gives up while its bytes are held back. Afterwards the daemon serves again:
        `shown` is read without the write."""
        before = seen(self.b, shown)
        wait_until(lambda: seen(self.a, shown) == before, "the daemon does not answer")
        self.way.keep(b"EVALSHA")
        reply = self.a.client.request(method, path, body, **rest).problem(503, "store-unavailable")
        check(reply.headers.get("retry-after") and self.way.kept.is_set(), f"{method} {path}: the write is not on its way: {reply.text}")
        wait_until(lambda: self.a.client.get(shown).status != 503, "the daemon does not find Redis again")
        for node in (self.a, self.b):
            equal(seen(node, shown), before, f"what is read after the 503 of {method} {path}")

    def same(self, shown, what, contents=None):
        """Both daemons answer the same for `shown`; `what` names the check."""
        states = [seen(node, shown) for node in (self.a, self.b)]
        equal(states[0], states[1], f"{what}: what one daemon reads, and the other")
        equal(states[0], contents or states[0], what)
        return states[0]


def seen(node, path):
    """Status, ETag and contents."""
    reply = node.client.get(path)
    for scene in reply.json.get("scenes", ()):
        scene.pop("status", None)  # whether that daemon has it in memory
    return reply.status, reply.headers.get("etag"), reply.json


def made(node, path):
    node.client.put(path, SCENE).must(201)
    return node.client.post(f"{path}/contactStates/kept", {"time": 0}).must(201).etag


@suite.fact
def every_write_to_a_scene_is_tested():
    """Every write to a scene in the OpenAPI document takes If-Match and is in WRITES."""
    wanted = set()
    for path, calls in json.loads((ROOT / "api/openapi.json").read_text())["paths"].items():
        for method in set(calls) & {"put", "patch", "delete", "post"}:
            if path.startswith("/v1/scenes/{s}") and "/query" not in path:
                wanted.add((method.upper(), path))
                names = {parameter.get("$ref", "").rpartition("/")[2] for parameter in calls[method]["parameters"]}
                check(names & {"ifMatch", "ifMatchRequired"}, f"{method} {path} takes no If-Match")
    tried = set()
    for method, path, unused in WRITES:
        words = path.partition("?")[0].split("/")[1:]
        tried.add((method, "/".join(["/v1/scenes/{s}", *words[:1], *(f"{{{words[0][0]}}}" for unused in words[1:])])))
    equal(sorted(tried), sorted(wanted), "writes that are tried")


@suite.fact
def a_write_to_a_scene_retried_with_if_match_takes_effect_once():
    late = Late()
    for i, (method, path, body) in enumerate(WRITES):
        wanted = made(late.b, f"/v1/scenes/wanted{i}")
        late.b.client.request(method, f"/v1/scenes/wanted{i}{path}", body, headers={"If-Match": wanted})
        wanted = without_id(seen(late.b, f"/v1/scenes/wanted{i}"))
        for k, order in enumerate(ORDERS):
            scene, what = f"/v1/scenes/s{i}-{k}", f"{method} {path or 'scene'}, {order}"
            before = made(late.b, scene)
            match = {"If-Match": before}
            # The first attempt has If-Match only where it is required.
            late.lose(method, scene + path, body, scene, headers=match if path == "/impulses" else None)
            if order == "late first":
                check(b"OK" in late.way.let_go(), f"{what}: the late one has not landed")
                once = late.same(scene, what)
                again = late.b.client.request(method, scene + path, body, headers=match)
                # A deleted scene or body is not found.
                equal(again.status, 404 if method == "DELETE" and "?" not in path else 412, f"{what}: status")
            else:
                check(late.b.client.request(method, scene + path, body, headers=match).status in (200, 201), f"{what}: it is not taken")
                once = late.same(scene, what)
                check(b"MOVED" in late.way.let_go(), f"{what}: the late one is taken, too")
            late.same(scene, f"{what}: in the end", once)
            equal(without_id(once), wanted, f"{what}: contents, and what one write makes")
            check(once[0] == 404 or number_of(once[1]) == number_of(before) + 1, f"{what}: {before} has become {once[1]}")
    equal(place(late.a.client.get(f"/v1/scenes/s{len(WRITES) - 1}-0/poses").must(200)), 1, "place of what flies for a second, once")


def without_id(state):
    """Status and contents, without id and revision of the scene."""
    status, unused, contents = state
    return status, {k: v for k, v in contents.items() if k not in ("id", "revision", "detail", "suggestion")}


def in_both_orders(late, shown, first, again, answer):
    """first(k) loses a write; again(k) repeats it, before or after the late one takes effect. shown(k): what must
    exist once; answer: statuses of again()."""
    for k, order in enumerate(ORDERS):
        first(k)
        if order == "late first":
            check(b"OK" in late.way.let_go(), f"{order}: the late one has not landed")
            once = late.same(shown(k), order)
            equal(again(k).status, answer[0], f"{order}: status")
        else:
            equal(again(k).status, answer[1], f"{order}: status")
            once = late.same(shown(k), order)
            check(b"MOVED" in late.way.let_go(), f"{order}: the late one is taken, too")
        late.same(shown(k), f"{order}: in the end", once)


@suite.fact
def a_retried_creation_of_a_scene_creates_one():
    """PUT with If-None-Match: *, POST with the same Idempotency-Key."""
    late = Late()
    new = {"If-None-Match": "*"}
    in_both_orders(late, lambda k: f"/v1/scenes/new{k}", lambda k: late.lose("PUT", f"/v1/scenes/new{k}", SCENE, f"/v1/scenes/new{k}"),
                   lambda k: late.b.client.put(f"/v1/scenes/new{k}", SCENE, headers=new), (412, 201))

    def post(k, by):
        return by("POST", "/v1/scenes", SCENE, headers={"Idempotency-Key": f"order-{k}"})

    in_both_orders(late, lambda k: "/v1/scenes", lambda k: post(k, lambda *words, **rest: late.lose(*words, "/v1/scenes", **rest)),
                   lambda k: post(k, late.b.client.request), (201, 201))
    equal(late.b.client.get("/v1/scenes").must(200).json["total"], 4, "scenes")


@suite.fact
def a_retried_post_or_deletion_of_a_shape_takes_effect_once():
    late = Late()
    sizes = (CUBE, CUBE.replace("1", "2"))
    in_both_orders(late, lambda k: "/v1/shapes", lambda k: late.lose("POST", "/v1/shapes?unit=m", sizes[k], "/v1/shapes", content_type=OBJ),
                   lambda k: late.b.client.post("/v1/shapes?unit=m", sizes[k], content_type=OBJ), (200, 201))
    paths = [f"/v1/shapes/{x['id']}" for x in late.b.client.get("/v1/shapes").must(200).json["shapes"]]
    equal(len(paths), 2, "shapes")
    in_both_orders(late, lambda k: "/v1/shapes", lambda k: late.lose("DELETE", paths[k], None, "/v1/shapes"),
                   lambda k: late.b.client.delete(paths[k]), (404, 200))
    equal(late.b.client.get("/v1/shapes").must(200).json["shapes"], [], "shapes")


@suite.fact
def a_late_request_of_a_stopped_daemon_is_refused_by_its_if_match():
    """The daemon is stopped with the unread request; a balancer would answer 503. The daemon reads the request when
    it continues."""
    late = Late()
    etag = made(late.b, "/v1/scenes/s")
    late.a.client.get("/v1/scenes/s").must(200)
    with Raw(late.a.port) as first:
        late.a.process.send_signal(signal.SIGSTOP)
        body = json.dumps(ON)
        first.send(f"POST /v1/scenes/s/advance HTTP/1.1\r\nHost: localhost\r\nIf-Match: {etag}\r\nContent-Type: application/json\r\n"
                   f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}")
        late.b.client.post("/v1/scenes/s/advance", ON, headers={"If-Match": etag}).must(200)
        late.a.process.send_signal(signal.SIGCONT)
        equal(first.reply().status, 412, "status of the one that comes late")
    equal(place(late.b.client.get("/v1/scenes/s/poses").must(200)), 1, "place of what flies for a second, once")


suite.main()
