"""Any UTF-8 without control characters is an id: `/wam1`, `base#1`, `left finger`. A scene, body or state with such
an id is found by its percent-encoded path and by no other, in lists, pages, streams, contact states, logs, and after
a restart.
Random ids with a fixed seed; CONTACTD_FULL=1 takes 20 times as many with a fresh one, seed=N repeats one."""
import json
import os
import random
import sys
import tempfile
from urllib.parse import quote, unquote_to_bytes

from support.checks import Suite, check, equal
from support.client import KeepAlive, ndjson, NDJSON
from support.daemon import Daemon
from support.events import Stream
from support.lives import Lives

FULL = bool(os.environ.get("CONTACTD_FULL"))
SEED = next((int(word[5:]) for word in sys.argv if word.startswith("seed=")), random.randrange(2 ** 32) if FULL else 15)
sys.argv = [word for word in sys.argv if not word.startswith("seed=")]
COUNT = 2000 if FULL else 100
BALL = {"sphere": {"radius": 0.5}}
NAMES = ["/wam1", "base#1", "left finger", "/", "//", "a/../b", "...", ".a", "%2F", "%", "a+b", "?x=1&y=2", "\"quoted\"", "back\\slash",
         "\u00e9", "e\u0301", "\u4e2d\u6587", "\U0001f916", "\ud7ff\ue000\uffff", " ", "  ", "~0~1", "-", "null", "0", "{}", "a,b;c=d", "'", "<&>",
         "\u2028", "\u00a0", "x" * 256, "\u00e9" * 128, "\U0001f916" * 64, "x" * 255 + "/"]
daemon = Daemon().start()
suite = Suite()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)


def url(name):
    return quote(name, safe="")


def random_name(rng):
    """A name of random length from all Unicode planes; no control characters, no surrogates."""
    most, text, size = rng.choice((3, 20, 256)), "", 0
    while True:
        code = rng.choice((rng.randrange(0x20, 0x7f), rng.randrange(0xa0, 0x800), rng.randrange(0x800, 0xd800), rng.randrange(0x10000, 0x110000),
                           ord(rng.choice("/%?#.~+& :"))))
        step = len(chr(code).encode())
        if size + step > most:
            return text if text not in ("", ".", "..") else "_"
        text, size = text + chr(code), size + step


def sloppy(rng, name):
    """Another valid spelling of the id in a path: any byte may be escaped, in either case."""
    raw = ""
    for byte in name.encode():
        if chr(byte).isalnum() and byte < 128 and rng.random() < 0.7:
            raw += chr(byte)
        else:
            raw += f"%{byte:02x}" if rng.random() < 0.5 else f"%{byte:02X}"
    return raw


def names(count=COUNT):
    rng = random.Random(SEED)
    return list(dict.fromkeys(NAMES + [random_name(rng) for unused in range(count)]))


@suite.fact
def a_scene_of_any_name_is_found_by_its_path_alone():
    rng = random.Random(SEED + 1)
    every = names()
    for name in every:
        made = client.put(f"/v1/scenes/{url(name)}", {"id": name, "bodies": []}).must(201)
        equal(unquote_to_bytes(made.headers["location"]).decode(), f"/v1/scenes/{name}", "Location")
        equal(made.headers["location"].count("/"), 3, "slashes of Location")
        equal(made.json["id"], name, "id")
        for path in (made.headers["location"], f"/v1/scenes/{sloppy(rng, name)}"):
            equal(client.get(path).must(200).json["id"], name, f"id of {path}")
    listed, cursor = [], ""
    while True:
        page = client.get(f"/v1/scenes?limit=7{cursor}").must(200).json
        listed += [scene["id"] for scene in page["scenes"]]
        if "nextCursor" not in page:
            break
        check(page["nextCursor"].replace("~", "").replace("-", "").replace(".", "").replace("_", "").isalnum(), page["nextCursor"])
        cursor = "&cursor=" + page["nextCursor"]
    equal(listed, sorted(every, key=lambda n: n.encode()), "the list, in the order of bytes")
    for name in every:
        client.delete(f"/v1/scenes/{url(name)}").must(200)
        gone = client.get(f"/v1/scenes/{url(name)}").problem(404, "scene-not-found")
        check(name.encode()[:20].decode(errors="ignore") in gone.json["detail"], gone.json["detail"])


@suite.fact
def a_body_of_any_name_is_found_by_every_route():
    every = names()
    scene = "/v1/scenes/" + url("cell /#1")
    client.put(scene, {"bodies": []}).must(201)
    half = len(every) // 2
    for i, name in enumerate(every[:half]):
        made = client.put(f"{scene}/bodies/{url(name)}", {"id": name, "colliders": [dict(BALL, id=name)], "position": [3 * i, 0, 0],
                                                          "groups": [name]}).must(201)
        equal(client.get(made.headers["location"]).must(200).json["colliders"][0]["id"], name, "id of a collider")
    more = [{"id": name, "colliders": [BALL], "position": [3 * (half + i), 0, 0], "motion": {"mass": 1}} for i, name in enumerate(every[half:])]
    client.request("POST", scene + "/bodies", ndjson(more), content_type=NDJSON).must(201)
    equal([b["id"] for b in client.get(scene + "/bodies").must(200).json["bodies"]], every, "the list")
    client.patch(scene + "/poses", {"ids": every, "positions": [[4 * i, 0, 0] for i in range(len(every))]}).must(200)
    equal(client.get(scene + "/poses").must(200).json["ids"], every, "ids of poses")
    hits = client.post(scene + "/query/raycast", {"rays": [{"origin": [-1, 0, 0], "direction": [1, 0, 0]}], "hits": "all"}).must(200).json
    text = json.dumps(hits)
    check(all(json.dumps(name) in text for name in every), "a ray meets all")
    for a, b in zip(every, every[1:]):
        pair = client.post(scene + "/query/distance", {"pairs": [[a, b]]}).must(200).json["results"][0]
        equal((pair["a"], pair["b"], round(pair["distance"], 9)), (a, b, 3), "a pair")
        equal(client.get(f"{scene}/filters/effective?a={url(a)}&b={url(b)}").must(200).json["collide"], True, "a pair's verdict")
        client.patch(f"{scene}/bodies/{url(a)}", {"user": b}).must(200)
        equal(client.get(f"{scene}/bodies/{url(a)}").must(200).json["user"], b, "user")
    for name in every[:half]:
        sides = {"a": {"ids": [name]}, "b": {"groups": [name]}}
        client.post(scene + "/query/overlap", {"where": sides}).must(200)
    rules = [{"a": a, "b": b, "collide": False, "reason": a[:20]} for a, b in zip(every, every[1:])]
    groups = {name: {"notCollideWith": every[:3]} for name in every[:20]}
    client.put(scene + "/filters", {"pairs": rules, "groups": groups}).must(200)
    equal(client.get(scene + "/filters").must(200).json["pairs"], rules, "rules")
    for name in every[:half]:
        client.delete(f"{scene}/bodies/{url(name)}").must(200)
    for name in every[half:]:
        client.delete(f"{scene}/bodies?id={url(name)}").must(200)
    equal(client.get(scene + "/bodies").must(200).json["total"], 0, "bodies")


@suite.fact
def materials_and_contact_states_may_have_any_name():
    chosen = names(0)
    scene = "/v1/scenes/materials"
    client.put(scene, {"materials": {name: {"staticFriction": 0.5} for name in chosen}, "materialPairs": [
        {"a": a, "b": b, "restitution": 0.5} for a, b in zip(chosen, chosen[1:])], "bodies": [
            {"id": str(i), "colliders": [dict(BALL, material=name)]} for i, name in enumerate(chosen)]}).must(201)
    equal(set(client.get(scene).must(200).json["materials"]), set(chosen), "materials")
    for name in chosen[:12]:
        path = f"{scene}/contactStates/{url(name)}"
        made = client.post(path, {"time": 1}).must(201)
        equal(unquote_to_bytes(made.headers["location"]).decode(), f"{scene}/contactStates/{name}", "Location")
        equal(client.get(path).must(200).json["contactState"], name, "the state")
        client.post(scene + "/query/zeroCrossings", {"contactState": name}).must(200)
    equal({s["id"] for s in client.get(scene + "/contactStates").must(200).json["contactStates"]}, set(chosen[:12]), "the list")
    for name in chosen[:12]:
        client.delete(f"{scene}/contactStates/{url(name)}").must(200)


@suite.fact
def events_name_scene_and_state_as_they_are():
    for scene, state in (("/wam1", "left finger"), ("\u4e2d #1", "\U0001f916/~"), ("x" * 256, "\u00e9" * 128)):
        path = f"/v1/scenes/{url(scene)}"
        client.put(path, {"bodies": [{"id": "floor", "colliders": [{"plane": {}}]},
                                     {"id": "base#1", "position": [0, 0, 5], "motion": {"mass": 1}, "colliders": [BALL]}]}).must(201)
        client.post(f"{path}/contactStates/{url(state)}").must(201)
        with Stream(daemon, url(scene), contact_state=url(state)) as stream:
            equal(stream.next("revision").data["scene"], scene, "scene")
            poses = {"ids": ["base#1"], "positions": [[0, 0, 0.25]]}
            client.post(f"{path}/contactStates/{url(state)}", {"poses": poses}).must(200)
            stream.next("revision")
            began = stream.next("began").data
            equal((began["scene"], began["contactState"], "base#1" in json.dumps(began)), (scene, state, True), "what began")


@suite.fact
def a_store_persists_any_name():
    lives = Lives(suite)
    every = names(COUNT // 4)
    for name in every:
        lives.client.put(f"/v1/scenes/{url(name)}", {"bodies": [{"id": name, "colliders": [dict(BALL, id=name)], "groups": [name]}]}).must(201)
        lives.client.post(f"/v1/scenes/{url(name)}/contactStates/{url(name)}").must(201)
    texts = [lives.client.get(f"/v1/scenes/{url(name)}").must(200).text for name in every]
    for how in ("TERM", "KILL"):
        lives.again(how)
        equal([lives.client.get(f"/v1/scenes/{url(name)}").must(200).text for name in every], texts, f"scenes after {how}")
        equal([lives.client.get(f"/v1/scenes/{url(n)}/contactStates/{url(n)}").must(200).json["contactState"] for n in every], every, "states")
        lives.client.patch(f"/v1/scenes/{url(every[0])}/bodies/{url(every[0])}", {"user": how}).must(200)
        texts[0] = lives.client.get(f"/v1/scenes/{url(every[0])}").must(200).text
    for name in every:
        lives.client.delete(f"/v1/scenes/{url(name)}").must(200)
    lives.again("KILL")
    equal(lives.client.get("/v1/scenes").must(200).json["total"], 0, "scenes after their deletion")
    lives.down()


@suite.fact
def a_line_of_the_log_is_json_and_has_the_id():
    own = Daemon().start()
    asking = KeepAlive(own)
    chosen = names(20)
    for name in chosen:
        asking.put(f"/v1/scenes/{url(name)}", {"bodies": []}).must(201)
    asking.close()
    own.stop()  # the log is complete when the daemon has ended
    lines = [json.loads(line) for line in own.log_text().splitlines() if line.startswith("{")]
    equal([line["scene"] for line in lines if line.get("method") == "PUT"], chosen, "scenes of the log")


@suite.fact
def a_document_given_at_the_start_may_have_any_id():
    for name in ("/wam1", "left \"finger\"", "\u00e9\U0001f916", "back\\slash"):
        for ascii_only in (True, False):
            with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
                json.dump({"user": {"id": "x"}, "id": name, "bodies": []}, file, ensure_ascii=ascii_only)
                file.flush()
                with Daemon("--scene", file.name) as own:
                    equal(KeepAlive(own).get(f"/v1/scenes/{url(name)}").must(200).json["id"], name, "id")


@suite.fact
def an_invalid_id_is_refused_with_its_fault():
    for raw, why in (("%FF", "no UTF-8 at byte 1"), ("a%C0%AF", "no UTF-8 at byte 2"), ("%ED%A0%80", "no UTF-8"), ("%F4%90%80%80", "no UTF-8"),
                     ("ok%C3", "no UTF-8 at byte 3"), ("a%0Ab", "a control character at byte 2"), ("%7f", "a control character"),
                     ("%C2%85", "a control character"), ("x" * 257, "longer"), ("%C3%A9" * 129, "longer"), (".", "a meaning in paths"),
                     ("%2E%2E", "a meaning in paths"), ("%00", "a zero byte"), ("a%2", "hexadecimal")):
        for path in (f"/v1/scenes/{raw}", f"/v1/scenes/none/bodies/{raw}", f"/v1/scenes/none/contactStates/{raw}"):
            reply = client.get(path).problem(400, "bad-id")
            check(why in reply.json["detail"] and "UTF-8 of 1 to 256 bytes" in reply.json["detail"], f"{path}: {reply.json['detail']}")
    client.put("/v1/scenes/bad", {"bodies": []}).must(201)
    for name, why in (("", "is empty"), (".", "a meaning"), ("..", "a meaning"), ("a\nb", "control character at byte 2"),
                      ("\x7f", "control character"), ("\u0085", "control character"), ("x" * 257, "257 bytes"), ("\u00e9" * 129, "258 bytes")):
        member = client.post("/v1/scenes/bad/bodies", [{"id": name, "colliders": [BALL]}]).problem(422, "bad-value", "/0/id")
        check(why in member.json["detail"], f"{name!r}: {member.json['detail']}")
        client.put("/v1/scenes/bad/bodies/b", {"colliders": [dict(BALL, id=name)]}).problem(422, "bad-value", "/colliders/0/id")
        client.put("/v1/scenes/bad/bodies/b", {"colliders": [BALL], "groups": [name]}).problem(422, "bad-value", "/groups/0")
        client.put("/v1/scenes/bad/filters", {"groups": {name: {"notCollideWith": []}}}).problem(422, "bad-value")
        client.patch("/v1/scenes/bad", {"materials": {name: {}}}).problem(422, "bad-value")
        client.post("/v1/scenes/bad/query/zeroCrossings", {"contactState": name}).problem(422, "bad-value", "/contactState")


print(f"seed {SEED}, {COUNT} random ids")
suite.main()
