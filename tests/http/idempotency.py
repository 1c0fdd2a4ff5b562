"""An Idempotency-Key identifies one request: repeated, it returns the same scene; with another body it is refused.
This holds after writes to the scene, after restarts of the daemon, and for scenes of stores without fingerprints.
Several daemons: redis.py."""
import hashlib

from support.checks import Suite, check, equal
from support.client import KeepAlive
from support.daemon import Daemon
from support.lives import Lives

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)
BODY = {"bodies": [{"id": "a", "colliders": [{"sphere": {"radius": 0.5}}]}]}
OTHER = {"bodies": [{"id": "a", "colliders": [{"sphere": {"radius": 0.6}}]}]}


def key(word):
    return {"Idempotency-Key": word}


def reused(who, body, word):
    reply = who.post("/v1/scenes", body, headers=key(word)).problem(422, "idempotency-key-reused")
    check(len(reply.json["detail"]) > 40, reply.text)


@suite.fact
def a_key_with_another_body_is_refused():
    first = client.post("/v1/scenes", BODY, headers=key("one")).must(201)
    again = client.post("/v1/scenes", BODY, headers=key("one")).must(201)
    equal((again.json, again.headers["location"], again.etag), (first.json, first.headers["location"], first.etag), "the reply")
    before = client.get(first.headers["location"]).must(200).text
    for other in (OTHER, {}, b"", '{"bodies": [] }', "not json"):
        reused(client, other, "one")
    equal(client.get(first.headers["location"]).must(200).text, before, "the scene")
    client.post("/v1/scenes", OTHER, headers=key("two")).must(201)


@suite.fact
def a_large_body_is_recognised_when_it_is_repeated():
    body = {"bodies": [{"id": f"b{i}", "user": "x" * 900, "colliders": [{"sphere": {"radius": 0.5}}]} for i in range(2000)]}
    first = client.post("/v1/scenes", body, headers=key("large")).must(201)
    equal(client.post("/v1/scenes", body, headers=key("large")).must(201).json["id"], first.json["id"], "id")
    body["bodies"][1000]["user"] = "y"
    reused(client, body, "large")


@suite.fact
def a_request_that_was_refused_leaves_its_key_free():
    client.post("/v1/scenes", {"bodys": []}, headers=key("three")).problem(422, "unknown-member")
    client.post("/v1/scenes", {"bodies": []}, headers=key("three")).must(201)
    reused(client, BODY, "three")


@suite.fact
def the_key_is_known_after_writes_until_the_scene_is_deleted():
    path = client.post("/v1/scenes", BODY, headers=key("four")).must(201).headers["location"]
    client.patch(path, {"user": 1}).must(200)
    client.delete(path + "/bodies/a").must(200)
    client.put(path, {"bodies": []}).must(200)
    reused(client, {"bodies": []}, "four")
    equal(client.post("/v1/scenes", BODY, headers=key("four")).must(201).json["revision"],
          client.get(path, check=False).must(200).etag and int(client.get(path).etag[2:-1]), "revision")
    client.delete(path).must(200)
    client.post("/v1/scenes", OTHER, headers=key("four")).must(201)


@suite.fact
def a_store_persists_the_fingerprint_of_the_body():
    lives = Lives(suite)
    path = lives.client.post("/v1/scenes", BODY, headers=key("five")).must(201).headers["location"]
    for how in ("TERM", "KILL"):
        lives.again(how)
        reused(lives.client, OTHER, "five")
        lives.client.post("/v1/scenes", BODY, headers=key("five")).must(201)
        lives.client.patch(path, {"user": how}).must(200)
    lives.client.put(path, {"bodies": []}).must(200)
    lives.again("KILL")
    reused(lives.client, OTHER, "five")
    lives.down()


@suite.fact
def a_scene_without_a_fingerprint_accepts_any_body():
    name = "key-" + hashlib.sha256(b"six").hexdigest()[:32]
    client.put(f"/v1/scenes/{name}", BODY).must(201)
    for body in (BODY, OTHER):
        equal(client.post("/v1/scenes", body, headers=key("six")).must(201).json["id"], name, "id")


@suite.fact
def other_requests_must_not_have_a_key():
    path = client.post("/v1/scenes", BODY, headers=key("seven")).must(201).headers["location"]
    before = client.get(path).must(200).text
    for method, where, body in (("PUT", path, OTHER), ("PATCH", path, {"user": 1}), ("POST", path + "/bodies", []), ("DELETE", path, None),
                                ("POST", path + "/advance", {"duration": 1}), ("POST", "/v1/query/distance", {}), ("GET", path, None)):
        reply = client.request(method, where, body, headers=key("eight")).problem(400, "bad-request")
        check("Idempotency-Key" in reply.json["detail"] and "If-Match" in reply.json["detail"], reply.text)
    equal(client.get(path).must(200).text, before, "the scene")


suite.main()
