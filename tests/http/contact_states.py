"""Contact states by curl: event instants that write poses and contacts as one revision, and zero-crossing functions.
Truth: a ball over a half-space has the distance height less radius."""
import json
import math
import re

from support.checks import Suite, check, equal, holds, near, near_list
from support.client import Curl, KeepAlive
from support.daemon import Daemon
from support.events import Stream

suite = Suite()
daemon = Daemon("--workers", "2", "--limit", "contactStates=3").start()
suite.cleanup(daemon.stop)
client = Curl(daemon)
numbers = iter(range(1000))
ETA = 1e-16


def ball(name, x, height, radius=0.5, **rest):
    """A ball whose lowest point is at the height; along x the balls are far from each other."""
    return {"id": name, "position": [x, 0, height + radius], "motion": {"mass": 1},
            "colliders": [{"sphere": {"radius": radius}}], **rest}


FLOOR = {"id": "floor", "colliders": [{"plane": {}}]}


def scene(bodies, **settings):
    path = f"/v1/scenes/c{next(numbers)}"
    client.put(path, {"bodies": [FLOOR, *bodies], **settings}).must(201)
    return path


def row_of(*heights):
    """Balls b0, b1 ... at distances of 10 m."""
    return [ball(f"b{i}", 10 * i, h) for i, h in enumerate(heights)]


def to(heights, velocities=None):
    """Poses that put balls of radius 0.5 at heights: {"b0": 0.25}."""
    names = list(heights)
    poses = {"ids": names, "positions": [[10 * int(n[1:]), 0, heights[n] + 0.5] for n in names]}
    if velocities:
        poses["linearVelocities"] = [[0, 0, v] for v in velocities]
    return poses


def event(path, state="s", status=200, where=None, headers=None, **members):
    reply = (where or client).post(f"{path}/contactStates/{state}", members or None, headers=headers)
    return reply.must(status).json


def crossings(path, where=None, state="s", **members):
    return (where or client).post(f"{path}/query/zeroCrossings", {"contactState": state, **members}).must(200).json


def names(records):
    return [r["b"] for r in records]


def revision(path):
    return client.get(f"{path}/poses").must(200).etag


@suite.fact
def events_report_contacts_that_ended_persisted_and_began():
    """T8.5, rows 19 and 23: contacts {P1, P2}, then {P2, P3}: P1 ends, P2 persists, P3 begins."""
    path = scene(row_of(-0.125, -0.25, 0.5))
    first = event(path, status=201, time=1, poses=to({"b0": -0.125}, [-3]))
    holds(first, {"contactState": "s", "time": 1, "contactEpsilon": ETA, "events": 1, "persisted": [], "ended": []})
    equal([(r["a"], r["b"], r["cause"], r["begun"]) for r in first["began"]],
          [("floor", "b0", "init", 1), ("floor", "b1", "init", 1)], "began")
    holds(first["began"][0], {"normalVelocity": -3, "normal": [0, 0, 1], "pointA": [0, 0, 0], "pointB": [0, 0, -0.125],
                              "position": [0, 0, -0.0625], "signedDistance": -0.125, "status": "ok"})
    near(first["began"][0]["distance"], -0.125 - ETA, 1e-17, "distance with hysteresis")
    second = event(path, time=2.5, poses=to({"b0": 0.25, "b2": -0.5}, [4, -6]))
    equal((second["time"], second["events"]), (2.5, 2), "time and events")
    equal((names(second["ended"]), names(second["persisted"]), names(second["began"])), (["b0"], ["b1"], ["b2"]), "what changed")
    holds(second["ended"][0], {"pair": first["began"][0]["pair"], "cause": "z1", "begun": 1, "normalVelocity": -3})
    near(second["ended"][0]["distance"], 0.25 - ETA, 1e-16, "distance at the end")
    equal(second["persisted"][0], first["began"][1], "what went on has not moved")
    holds(second["began"][0], {"cause": "z2", "begun": 2.5, "normalVelocity": -6})
    kept = client.get(f"{path}/contactStates/s").must(200).json
    holds(kept, {"contactState": "s", "time": 2.5, "contactEpsilon": ETA, "events": 2, "count": 2})
    equal(kept["contacts"], [second["persisted"][0], second["began"][0]], "contacts kept, in the order of the scene")


@suite.fact
def persisting_contacts_may_be_reported_by_their_pairs_alone():
    path = scene(row_of(-0.125, -0.25, 0.5))
    pairs = [r["pair"] for r in event(path, status=201)["began"]]
    short = event(path, persisted="pairs", poses=to({"b2": -0.5}))
    equal((short["persisted"], names(short["began"])), (pairs, ["b2"]), "two go on, one begins")
    pairs.append(short["began"][0]["pair"])
    whole = event(path, persisted="records")
    equal([r["pair"] for r in whole["persisted"]], pairs, "pairs of the records")
    equal(whole["persisted"], client.get(f"{path}/contactStates/s").must(200).json["contacts"], "records")
    equal(event(path, persisted="pairs", poses=to({"b0": 1.0}))["persisted"], pairs[1:], "pairs of those that are left")
    client.post(f"{path}/contactStates/s", {"persisted": "pair"}).problem(422, "bad-value", "/persisted")


@suite.fact
def z1_and_z2_are_those_of_the_definition():
    """Row 24: contacts at -1e-6 and -2e-9, others at 0.3 and 0.01. Balls of 1e-6 m make distances exact to 1e-21; where the boxes
    are apart, theirs is a lower bound to rounding."""
    r = 1e-6
    heights = {"p": -1e-6, "q": -2e-9, "u": 0.3, "v": 0.01}
    path = scene([{**ball(name, i, 0, r), "position": [0.1 * i, 0, h + r]} for i, (name, h) in enumerate(heights.items())])
    event(path, status=201)
    answer = crossings(path)["results"][0]
    near(answer["z"][0], -2e-9 - 2e-16, 1e-21, "z1")
    near(answer["z"][1], 0.01 - 1e-16, 1e-14, "z2")
    check(answer["z"][1] < 0.01, "z2 is no lower bound")
    equal((answer["z1"]["value"], answer["z1"]["a"], answer["z1"]["b"]), (answer["z"][0], "floor", "q"), "z1 and whose it is")
    equal((answer["z2"]["value"], answer["z2"]["a"], answer["z2"]["b"]), (answer["z"][1], "floor", "v"), "z2 and whose it is")
    moved = crossings(path, poses={"ids": ["p", "q", "u", "v"], "positions": [[0.1 * i, 0, 5.0] for i in range(4)]})["results"][0]
    check(moved["z"][0] > 0 and moved["z"][1] > 0, f"all have left: {moved['z']}")


@suite.fact
def without_a_contact_z1_is_its_constant_and_without_other_pairs_z2():
    alone = scene(row_of(1.0))
    event(alone, status=201)
    equal(crossings(alone)["results"][0]["z1"], {"value": -42}, "no contact")
    event(alone, poses=to({"b0": -0.25}))
    answer = crossings(alone)["results"][0]
    equal((answer["z2"], answer["z"][1]), ({"value": 42}, 42), "no other pair")
    near(answer["z"][0], -0.25 - 2 * ETA, 1e-16, "z1")


@suite.fact
def no_function_is_zero_after_an_event():
    """Rows 21 and 24: at any height at the event, z1 < 0 and z2 > 0 afterwards."""
    path = scene(row_of(1.0))
    event(path, status=201)
    for height in (0.0, 1e-300, 5e-17, 1e-16, 1.2e-16, 2e-16, 3e-16, 1e-12, -1e-16, -1e-9, 0.5, 0.0):
        event(path, poses=to({"b0": height}))
        z = crossings(path)["results"][0]["z"]
        check(z[0] < 0 < z[1], f"z is {z} after an event at {height}")


@suite.fact
def separated_boxes_give_a_lower_bound_of_z2():
    """Row 22: for bodies far apart z2 is the distance of their bounding boxes, a lower bound, and is marked
    lowerBoundOfBoxes."""
    block = {"id": "block", "position": [0, 0, 1], "colliders": [{"box": {"size": [1, 1, 1]}}]}
    path = f"/v1/scenes/c{next(numbers)}"
    client.put(path, {"bodies": [block, {**ball("ball", 0, 0), "position": [3, 3, 3]}]}).must(201)
    event(path, status=201)
    answer = crossings(path)["results"][0]
    holds(answer["z2"], {"a": "block", "b": "ball", "lowerBoundOfBoxes": True})
    near(answer["z2"]["value"], math.sqrt(2 * 2.0 ** 2 + 1.0 ** 2), 1e-13, "distance of the boxes")
    true = client.post(f"{path}/query/distance", {"pairs": [["block", "ball"]]}).must(200).json["results"][0]["distance"]
    check(0 < answer["z2"]["value"] <= true, f"{answer['z2']['value']} is no lower bound of {true}")
    equal((answer["statistics"]["narrow"], answer["statistics"]["boxes"]), (0, 1), "what was computed")


@suite.fact
def records_of_persisting_contacts_are_the_same_to_the_byte():
    """Row 20: while nothing moves, the whole record; when a body moves, the values stored at the beginning."""
    path = scene(row_of(-0.1, -0.3))
    text = client.post(f"{path}/contactStates/s", {"poses": to({"b0": -0.1, "b1": -0.3}, [-0.7, 1 / 3])}).must(201).text
    began = re.search(r'"began":(\[.*?\]),"persisted"', text).group(1)
    again = client.post(f"{path}/contactStates/s", {"time": 1}).must(200).text
    equal(re.search(r'"persisted":(\[.*?\]),"ended"', again).group(1), began, "persisted")
    equal(re.search(r'"contacts":(\[.*\])', client.get(f"{path}/contactStates/s").text).group(1), began, "kept")
    stored = re.findall(r'"begun":[^,]*,"cause":[^,]*,"normalVelocity":[^,]*', began)
    for k in range(1, 6):
        moved = client.post(f"{path}/contactStates/s", {"time": 1 + k, "poses": to({"b0": -0.1 / k, "b1": -0.2}, [k, -k])}).text
        equal(re.findall(r'"begun":[^,]*,"cause":[^,]*,"normalVelocity":[^,]*', moved), stored, "what was stored at the beginning")


@suite.fact
def a_pair_number_is_never_reused():
    """Neither to a pair that comes into contact again nor to a body that is added again under its id: z2 could not
    announce either."""
    bottom = {k: v for k, v in ball("b0", 0, -0.25).items() if k != "id"}
    path = scene(row_of(-0.25, -0.25))
    used = [r["pair"] for r in event(path, status=201)["began"]]
    event(path, time=1, poses=to({"b0": 1.0}))
    again = event(path, time=2, poses=to({"b0": -0.25}))["began"]
    equal([(r["b"], r["cause"]) for r in again], [("b0", "z2")], "meets anew")
    used.append(again[0]["pair"])
    client.delete(f"{path}/bodies/b0").must(200)
    gone = event(path, time=3)
    holds(gone["ended"][0], {"pair": used[-1], "b": "b0", "cause": "body", "begun": 2})
    check("distance" not in gone["ended"][0], "there is no distance to a body that is gone")
    client.put(f"{path}/bodies/b0", bottom).must(201)
    new = event(path, time=4)["began"]
    equal([(r["b"], r["cause"]) for r in new], [("b0", "time")], "the new one begins")
    used.append(new[0]["pair"])
    client.delete(f"{path}/bodies/b0").must(200)
    client.put(f"{path}/bodies/b0", bottom).must(201)
    both = event(path, time=5)
    equal([(r["b"], r["pair"], r["cause"]) for r in both["ended"]], [("b0", used[-1], "body")], "one goes")
    used.append(both["began"][0]["pair"])
    equal(len(set(used)), len(used), "different numbers")
    client.put(f"{path}/bodies/b0", bottom).must(200)
    equal([r["pair"] for r in event(path, time=6)["persisted"] if r["b"] == "b0"], used[-1:], "a body that is replaced stays")


@suite.fact
def filtered_pairs_and_pairs_of_static_bodies_are_left_out():
    fixed = {"id": "fixed", "position": [0, 0, 0.25], "colliders": [{"sphere": {"radius": 0.5}}]}
    path = scene([fixed, *row_of(5.0, -0.25)])
    equal(names(event(path, status=201)["began"]), ["b1"], "floor and fixed do not move")
    client.put(f"{path}/filters", {"groups": {}, "pairs": [{"a": "floor", "b": "b1", "collide": False, "reason": "held"}]}).must(200)
    ended = event(path, time=1)["ended"]
    equal([(r["b"], r["cause"]) for r in ended], [("b1", "body")], "the filter parts them")
    still = scene([fixed])
    reply = event(still, status=201)
    equal([w["type"] for w in reply["warnings"]], ["noMotion"], "warning of an event")
    equal(reply["began"], [], "no pair")
    check("motion" in crossings(still)["warnings"][0], "a question warns too")
    check("warnings" not in crossings(path), "there is motion")


@suite.fact
def colliders_are_named_and_have_pairs_of_their_own():
    hand = {"id": "hand", "position": [0, 0, 0.5], "motion": {"mass": 1},
            "colliders": [{"id": "thumb", "sphere": {"radius": 0.625}}, {"sphere": {"radius": 0.75}, "position": [5, 0, 0]}]}
    path = scene([hand])
    began = event(path, status=201)["began"]
    equal([r["colliderB"] for r in began], ["thumb", 1], "colliders")
    check("colliderA" not in began[0] and began[0]["pair"] != began[1]["pair"], "the floor has one; pairs are of colliders")
    client.put(f"{path}/bodies/hand", {"position": [0, 0, 0.5], "motion": {"mass": 1},
                                       "colliders": [{"id": "thumb", "sphere": {"radius": 0.625}}]}).must(200)
    kept = client.get(f"{path}/contactStates/s").must(200).json["contacts"]
    equal([r.get("colliderB") for r in kept], ["thumb", 1], "as they were named when they began")
    after = event(path, time=1)
    equal(([r["pair"] for r in after["persisted"]], [(r["pair"], r["cause"]) for r in after["ended"]]),
          ([began[0]["pair"]], [(began[1]["pair"], "body")]), "the replaced body keeps its first collider's contact")


@suite.fact
def a_contact_keeps_its_pair_number_when_colliders_are_reordered():
    """A hand whose pad is in contact and whose core is not. Then the colliders are reordered, then the pad is
    removed."""
    hand = {"core": {"id": "core", "sphere": {"radius": 0.125}}, "pad": {"id": "pad", "sphere": {"radius": 0.625}}}

    def with_colliders(*order):
        return {"position": [0, 0, 0.5], "motion": {"mass": 1}, "colliders": [hand[name] for name in order]}

    path = scene([{"id": "hand", **with_colliders("core", "pad")}])
    began = event(path, status=201)["began"]
    equal([r["colliderB"] for r in began], ["pad"], "what touches")
    client.put(f"{path}/bodies/hand", with_colliders("pad", "core")).must(200)
    after = event(path, time=1)
    equal((after["began"], after["persisted"], after["ended"]), ([], began, []), "another order of colliders")
    for found in (client.get(f"{path}/contactStates/s").must(200).json, crossings(path, evaluation="sample")["results"][0]):
        equal([(r["pair"], r["colliderB"]) for r in found["contacts"]], [(1, "pad")], "contacts")
    client.put(f"{path}/bodies/hand", with_colliders("core")).must(200)
    equal([(r["pair"], r["colliderB"], r["cause"]) for r in event(path, time=2)["ended"]], [(1, "pad", "body")], "without a pad")
    client.put(f"{path}/bodies/hand", with_colliders("core", "pad")).must(200)
    equal([(r["pair"], r["colliderB"]) for r in event(path, time=3)["began"]], [(2, "pad")], "with one again")
    client.delete(f"{path}/bodies/hand").must(200)
    equal([(r["pair"], r["colliderB"], r["cause"]) for r in event(path, time=4)["ended"]], [(2, "pad", "body")], "without a body")


@suite.fact
def support_points_are_on_the_surfaces_of_convex_bodies():
    """Row 23: three points of each convex body, which lie on its surface; a half-space has none."""
    box = {"id": "box", "colliders": [{"box": {"size": [2, 2, 2]}}]}
    path = scene([box, {**ball("ball", 0, 0), "position": [0.1, 0.2, 1.4]}, ball("low", 20, -0.25)])
    began = event(path, status=201, supportPoints=True)["began"]
    by = {(r["a"], r["b"]): r for r in began}
    check("supportA" not in by["floor", "low"], "a half-space is not bounded")
    record = by["box", "ball"]
    for point in record["supportA"]:
        near(max(abs(c) for c in point), 1.0, 1e-12, "support point of the box")
    for point in record["supportB"]:
        near(math.dist(point, [0.1, 0.2, 1.4]), 0.5, 1e-12, "support point of the ball")
    check("supportA" not in event(path, time=1)["persisted"][0], "only where it is asked for")


@suite.fact
def states_of_one_scene_are_independent():
    path = scene(row_of(-0.25, 0.5))
    event(path, "slow", 201, time=10, contactEpsilon=1e-4)
    event(path, "fast", 201, time=0, poses=to({"b0": 0.5, "b1": -0.25}))
    equal(client.get(f"{path}/contactStates").must(200).json["contactStates"],
          [{"id": "fast", "time": 0, "events": 1, "contacts": 1}, {"id": "slow", "time": 10, "events": 1, "contacts": 1}], "list")
    equal([names(client.get(f"{path}/contactStates/{s}").json["contacts"]) for s in ("fast", "slow")], [["b1"], ["b0"]], "contacts")
    near(crossings(path, state="slow")["results"][0]["z"][0], 0.5 - 2e-4, 1e-15, "z1 by the hysteresis of the state")
    third = event(path, "third", 201)
    equal(third["events"], 1, "first event")
    client.post(f"{path}/contactStates/fourth", {}).problem(422, "limit-exceeded")
    client.delete(f"{path}/contactStates/fast").must(200)
    event(path, "fourth", 201)
    equal([s["id"] for s in client.get(f"{path}/contactStates").json["contactStates"]], ["fourth", "slow", "third"], "list")


@suite.fact
def an_event_is_one_revision_with_poses_and_velocities():
    path = scene(row_of(1.0, 2.0))
    before = int(revision(path)[2:-1])
    reply = client.post(f"{path}/contactStates/s", {"poses": to({"b1": -0.25}, [-7])}).must(201)
    equal((reply.etag, reply.json["revision"]), (f'"r{before + 1}"', before + 1), "revision")
    equal(reply.headers["location"], f"{path}/contactStates/s", "location")
    poses = client.get(f"{path}/poses").must(200)
    equal(poses.etag, reply.etag, "tag of the poses")
    at = poses.json["ids"].index("b1")
    equal((poses.json["positions"][at], poses.json["linearVelocities"][at]), ([10, 0, 0.25], [0, 0, -7]), "written")
    stale = {"If-Match": f'"r{before}"'}
    client.post(f"{path}/contactStates/s", {"poses": to({"b1": 3.0})}, headers=stale).problem(412, "revision-mismatch")
    client.delete(f"{path}/contactStates/s", headers=stale).problem(412, "revision-mismatch")
    client.post(f"{path}/contactStates/s", {}, headers={"If-None-Match": "*"}).problem(412, "revision-mismatch")
    client.post(f"{path}/contactStates/new", {}, headers={"If-None-Match": "*"}).must(201)
    equal(event(path, headers={"If-Match": f'"r{before + 2}"'})["revision"], before + 3, "revision")
    got = client.get(f"{path}/contactStates/s").must(200)
    equal(client.get(f"{path}/contactStates/s", headers={"If-None-Match": got.etag}).status, 304, "unchanged")
    equal(client.get(f"{path}/contactStates", headers={"If-None-Match": got.etag}).status, 304, "unchanged list")


@suite.fact
def a_refused_event_changes_nothing():
    path = scene(row_of(-0.25, 1.0))
    event(path, status=201, time=5)
    before, state = revision(path), client.get(f"{path}/contactStates/s").text
    move = to({"b0": 2.0})
    for members, pointer in (({"time": 4.75, "poses": move}, "/time"), ({"contactEpsilon": 1e-9, "poses": move}, "/contactEpsilon"),
                             ({"poses": {"ids": ["b0", "nobody"], "positions": [[0, 0, 9], [0, 0, 9]]}}, "/poses/ids/1"),
                             ({"poses": {**move, "linearVelocities": [[1e10, 0, 0]]}}, "/poses/linearVelocities/0/0"),
                             ({"poses": {"ids": ["b0", "floor"], "linearVelocities": [[0, 0, 1], [0, 0, 1]]}},
                              "/poses/linearVelocities/1")):
        reply = client.post(f"{path}/contactStates/s", members)
        equal((reply.status, reply.json["errors"][0]["pointer"]), (422, pointer), f"{members}")
        equal((revision(path), client.get(f"{path}/contactStates/s").text), (before, state), "nothing has changed")
    equal(event(path, time=5, contactEpsilon=ETA)["events"], 2, "the same time, and the hysteresis that it has")


@suite.fact
def a_stream_has_the_contact_events_of_the_state_that_it_names():
    """The stream has the write, then the contacts that ended and that began, as in the reply of the event, and
    nothing of other states."""
    path = scene(row_of(-0.25, -0.25, 1.0, 1.0))
    event(path, status=201)
    name = path.rsplit("/", 1)[1]
    with Stream(daemon, name, contact_state="s") as stream, Stream(daemon, name) as deaf:
        stream.next("revision"), deaf.next("revision")
        event(path, "other", 201, poses=to({"b0": 1.0, "b1": 1.0}))
        stream.next("revision"), deaf.next("revision")
        reply = event(path, time=0.5, poses=to({"b2": -0.125, "b3": -0.5}, [-1, -2]))
        equal((len(reply["ended"]), len(reply["began"])), (2, 2), "what changed")
        equal(stream.next("revision").data["revision"], reply["revision"], "the write comes first")
        common = {"scene": name, "revision": reply["revision"], "contactState": "s", "time": 0.5}
        for kind in ("ended", "began"):
            for contact in reply[kind]:
                equal(stream.next(kind).data, {**common, "contact": contact}, kind)
        client.post(f"{path}/contactStates/s", {"time": 0.25}).problem(422, "out-of-range")
        client.delete(f"{path}/contactStates/s").must(200)
        equal(stream.next("revision").data["revision"], reply["revision"] + 1, "a fault tells nothing")
        equal([deaf.next("revision").data["revision"] for unused in range(2)], [reply["revision"], reply["revision"] + 1], "the other")


@suite.fact
def other_writes_keep_the_states_and_new_contents_drop_them():
    path = scene(row_of(-0.25, 1.0))
    event(path, status=201, time=1, poses=to({"b0": -0.25}, [-2]))
    kept = json.loads(client.get(f"{path}/contactStates/s").text)
    for method, rest, body in (("PATCH", "", {"user": {"k": 1}}), ("PATCH", "/poses", to({"b0": 1.0})),
                               ("POST", "/bodies", [ball("b2", 20, -0.5)]), ("PATCH", "/bodies/b2", {"user": 2}),
                               ("DELETE", "/bodies/b2", None), ("PUT", "/filters", {"groups": {}, "pairs": []}),
                               ("PUT", "/bodies/b1", {k: v for k, v in ball("b1", 10, -0.5).items() if k != "id"}),
                               ("DELETE", "/bodies/b0", None)):
        client.request(method, path + rest, body)
        now = client.get(f"{path}/contactStates/s").must(200).json
        equal({**now, "revision": 0}, {**kept, "revision": 0}, f"state after {method} {rest}")
    equal(crossings(path)["results"][0]["z1"], {"value": -42}, "the contact's body is gone")
    equal(crossings(path, evaluation="sample")["results"][0]["contacts"], [], "and is not among the contacts")
    check("contactStates" not in client.get(path).json, "the scene's document has none")
    client.put(path, {"bodies": [FLOOR, *row_of(-0.25)]}).must(200)
    client.get(f"{path}/contactStates/s").problem(404, "contact-state-not-found")
    equal(client.get(f"{path}/contactStates").json["contactStates"], [], "none is left")
    event(path, status=201)
    client.delete(f"{path}/contactStates/s").must(200)
    for method in ("GET", "DELETE"):
        client.request(method, f"{path}/contactStates/s").problem(404, "contact-state-not-found")


@suite.fact
def sample_evaluates_contacts_only():
    """Row 26: a zero crossing evaluates all pairs, a sample between events only those in contact."""
    path = scene(row_of(*[-0.25] * 3, *[0.5] * 40))
    event(path, status=201)
    monitor = crossings(path, include=["contacts"])["results"][0]
    sample = crossings(path, evaluation="sample")["results"][0]
    equal(sample["contacts"], monitor["contacts"], "contacts")
    equal(sorted(sample), ["contacts", "statistics"], "members of a sample")
    equal(sample["statistics"], {"narrow": 3, "boxes": 0}, "computed by a sample")
    equal(sum(monitor["statistics"].values()), 43 + 43 * 42 // 2, "every pair counts for z1 or z2")
    check("contacts" not in crossings(path)["results"][0], "only where they are asked for")
    moved = crossings(path, evaluation="sample", poses=to({"b1": 0.125}))["results"][0]["contacts"]
    equal(names(moved), ["b0", "b1", "b2"], "membership is frozen")
    near(moved[1]["distance"], 0.125 - ETA, 1e-16, "distance at the other pose")
    near_list(moved[1]["position"], [10, 0, 0.0625], 1e-16, "position")


@suite.fact
def variants_and_batches_answer_as_single_questions():
    path = scene(row_of(-0.25, 0.5, 0.75))
    event(path, status=201)
    heights = [{"b0": -0.5 + k / 16, f"b{1 + k % 2}": 1 - k / 8} for k in range(20)]
    for members in ({}, {"include": ["contacts"]}, {"evaluation": "sample"}):
        singles = [crossings(path, poses=to(h), **members)["results"] for h in heights]
        many = crossings(path, variants=[to(h) for h in heights], **members)
        equal([v["results"] for v in many["results"]], singles, f"variants with {members}")
        equal([(v["variant"], v["count"]) for v in many["results"]], [(k, 1) for k in range(20)], "variants")
        over = crossings(path, poses=to({"b0": 9.0, "b2": 3.0}), variants=[to(h) for h in heights], **members)
        equal(over["results"][1]["results"], crossings(path, poses=to({"b2": 3.0, **heights[1]}), **members)["results"], "over poses")
        questions = [{"kind": "zeroCrossings", "contactState": "s", "poses": to(h), **members} for h in heights]
        batch = client.post(f"{path}/query", {"queries": questions}).must(200).json
        equal([r["result"]["results"] for r in batch["results"]], singles, "batch")
        pages, cursor = [], {}
        while cursor is not None:
            page = crossings(path, variants=[to(h) for h in heights], limit=7, **members, **cursor)
            pages += [r for v in page["results"] for r in v["results"]]
            cursor = {"cursor": page["nextCursor"]} if not page["complete"] else None
        equal(pages, [s[0] for s in singles], "page by page")
    mixed = client.post(f"{path}/query", {"poses": to({"b1": -0.125}), "queries": [
        {"kind": "zeroCrossings", "contactState": "s"}, {"kind": "overlap"}, {"kind": "zeroCrossings", "contactState": "x"}]}).must(200).json
    check(mixed["results"][0]["result"]["results"][0]["z"][1] < 0, "z2 at the batch's poses")
    equal([mixed["results"][1]["result"]["count"], mixed["results"][2]["httpStatus"]], [2, 422], "the others")


@suite.fact
def bytes_are_the_same_for_any_number_of_workers():
    rows = row_of(*[(k % 7 - 2) / 8 for k in range(60)])
    variants = [to({f"b{k}": (k % 5 - 2) / 16 for k in range(j % 3, 60, 3)}) for j in range(90)]
    replies = []
    for workers in (1, 2, 4):
        with Daemon("--workers", str(workers)) as other:
            there = KeepAlive(other)
            there.put("/v1/scenes/w", {"bodies": [FLOOR, *rows]}, check=False).must(201)
            text = there.post("/v1/scenes/w/contactStates/s", {}).must(201).text
            asked = {"contactState": "s", "variants": variants, "include": ["contacts"]}
            replies.append((text, there.post("/v1/scenes/w/query/zeroCrossings", asked, check=False).must(200).text))
            there.close()
    equal(replies[1:], replies[:1] * 2, "replies")


def waited_for_a_worker(reply):
    """Whether the request was queued: the queue time of a request answered on the loop thread is 0 us."""
    return float(re.search(r"queue;dur=([\d.]+)", reply.headers["server-timing"]).group(1)) > 0.0


@suite.fact
def a_small_event_is_answered_without_a_worker():
    path = scene(row_of(-0.25, 1.0))
    event(path, status=201)
    reply = client.post(f"{path}/contactStates/s", {"poses": to({"b1": -0.25})}).must(200)
    check(not waited_for_a_worker(reply), f"two balls over a floor went to a worker: {reply.headers['server-timing']}")


@suite.fact
def a_large_state_is_written_out_by_a_worker():
    path = scene([{**ball("b0", 0, -0.25), "colliders": [{"sphere": {"radius": 0.5}}] * 40}])
    event(path, status=201)
    large = client.get(f"{path}/contactStates/s").must(200)
    equal(large.json["count"], 40, "contacts")
    check(waited_for_a_worker(large), f"the loop thread was held up: {large.headers['server-timing']}")
    event(path, poses=to({"b0": 1.0}))
    small = client.get(f"{path}/contactStates/s").must(200)
    equal(small.json["count"], 0, "contacts")
    check(not waited_for_a_worker(small), f"an empty state went to a worker: {small.headers['server-timing']}")


@suite.fact
def an_event_past_its_deadline_has_changed_nothing():
    """8,000 balls in contact take far longer than the deadline of 1 ms."""
    path = f"/v1/scenes/c{next(numbers)}"
    side = 20
    heap = [{"id": f"h{i}", "position": [i % side * 0.9, i // side % side * 0.9, i // side // side * 0.9], "motion": {"mass": 1},
             "colliders": [{"sphere": {"radius": 0.5}}]} for i in range(side ** 3)]
    there = KeepAlive(daemon)
    there.put(path, {"bodies": heap}, check=False).must(201)
    before = revision(path)
    there.post(f"{path}/contactStates/s", {"deadlineMs": 1, "poses": {"ids": ["h0"], "positions": [[0, 0, 9]]}}).problem(504, "deadline-exceeded")
    equal(revision(path), before, "revision")
    there.get(f"{path}/contactStates/s").problem(404, "contact-state-not-found")
    large = there.post(f"{path}/contactStates/s", {"deadlineMs": 60000}, check=False).must(201)
    check(waited_for_a_worker(large), f"the loop thread was held up: {large.headers['server-timing']}")
    equal(there.get(f"{path}/contactStates").json["contactStates"][0]["contacts"], 3 * side * side * (side - 1), "neighbours touch")
    there.close()


# ---- methods, ids of pairs, stiffness ------------------------------------------------------------------------------------------

BLOCK = {"id": "block", "colliders": [{"box": {"size": [2, 2, 2]}}]}


def tilted_box(x, height):
    """Its lowest corner is near the height; no face is parallel to one of the block."""
    return {"id": f"t{x}", "position": [0.3, 0.2 + 1e-3 * x, height], "rotation": [0.1826, 0.3651, 0.5477, 0.7303],
            "motion": {"mass": 1}, "colliders": [{"box": {"size": [0.5, 0.6, 0.7]}}]}


@suite.fact
def a_state_may_use_mpr_and_keeps_its_tolerance():
    """Row 27. The contact's distance equals that of query distance with the same method and tolerance."""
    how = {"method": "mpr", "mprTolerance": 1e-4, "maxIterations": 30}
    path = scene([BLOCK, tilted_box(0, 1.2)])
    first = event(path, status=201, **how)
    holds(first, how)
    record = first["began"][0]
    asked = client.post(f"{path}/query/distance", {"pairs": [["block", "t0"]], **how}).must(200).json["results"][0]
    for ours, its in (("signedDistance", "distance"), ("normal", "normal"), ("pointA", "pointA"), ("pointB", "pointB")):
        equal(record[ours], asked[its], ours)
    exact = client.post(f"{path}/query/distance", {"pairs": [["block", "t0"]]}).must(200).json["results"][0]["distance"]
    check(record["signedDistance"] <= exact + 1e-12, "a portal's depth is no less deep than the exact one")
    z = crossings(path)["results"][0]["z"]
    check(z[0] < 0 < z[1], f"z after an event is {z}")
    # Later events repeat it or leave it out; the state reports it.
    holds(event(path, time=1, **how), how)
    holds(event(path, time=2), how)
    holds(client.get(f"{path}/contactStates/s").must(200).json, how)
    # A pair that MPR does not handle is answered by the usual method.
    floor = event(scene(row_of(-0.25)), status=201, **how)["began"][0]
    near(floor["signedDistance"], -0.25, 1e-15, "distance of a ball in a half-space")


@suite.fact
def the_method_of_a_state_cannot_change():
    path = scene([BLOCK, tilted_box(0, 1.2)])
    state = f"{path}/contactStates/s"
    client.post(state, {"mprTolerance": 1e-4}).problem(422, "conflicting-members", "/mprTolerance")
    event(path, status=201, method="mpr", mprTolerance=1e-4)
    for change, pointer in (({"method": "auto"}, "/method"), ({"mprTolerance": 1e-5}, "/mprTolerance"), ({"maxIterations": 7}, "/maxIterations")):
        before = revision(path)
        client.post(state, change).problem(422, "bad-value", pointer)
        equal(revision(path), before, "revision")
    event(path, state="plain", status=201)
    client.post(f"{path}/contactStates/plain", {"method": "mpr"}).problem(422, "bad-value", "/method")


@suite.fact
def two_objects_have_one_pair_id_in_every_contact_and_state():
    path = scene(row_of(-0.1, -0.1))
    ids = {}
    for time, height in enumerate((-0.1, 1, -0.1, 1, -0.1)):
        for state in ("s", "other"):
            reply = event(path, state=state, status=201 if time == 0 else 200, time=time, poses=to({"b0": height}))
            for record in reply["began"] + reply["persisted"] + reply["ended"]:
                ids.setdefault(record["b"], set()).add((record["pairId"]))
    equal({name: len(found) for name, found in ids.items()}, {"b0": 1, "b1": 1}, "ids of each pair")
    check(ids["b0"] != ids["b1"], "two pairs share an id")
    # Bodies of several colliders: the pair id follows the collider's id, not its index. A new body has pair ids of its
    # own.
    def hand(*colliders):
        return {**ball("hand", 30, -0.1), "colliders": [{"sphere": {"radius": 0.5}, **c} for c in colliders]}

    def ids_of(reply):
        return {r.get("colliderB"): r["pairId"] for r in reply["began"] + reply["persisted"] if r["b"] == "hand"}

    client.put(f"{path}/bodies/hand", hand({"id": "a-b"}, {"id": "0"}, {})).must(201)
    first = ids_of(event(path, time=6))
    equal(len(set(first.values())), 3, f"ids of three colliders: {first}")
    client.put(f"{path}/bodies/hand", hand({"id": "0"}, {"id": "a-b"}, {})).must(200)
    equal(ids_of(event(path, time=7)), first, "ids when the colliders are in another order")
    client.delete(f"{path}/bodies/hand").must(200)
    client.put(f"{path}/bodies/hand", hand({"id": "a-b"}, {"id": "0"}, {})).must(201)
    check(not set(ids_of(event(path, time=8)).values()) & set(first.values()), "a new body has ids of an old one")


@suite.fact
def new_contacts_report_stiffness_and_damping():
    """Row 29. Hertz: 1 / cRes is the sum of (1 - nu^2) / E; Flores: dRes = 8 (1 - e) / (5 e v)."""
    modulus, ratio, e, v = 2e11, 0.3, 0.7, 1.25
    settings = {"materials": {"default": {"youngsModulus": modulus, "poissonRatio": ratio, "restitution": e}}}
    path = scene([{**ball("b0", 0, -0.1), "motion": {"mass": 1, "linearVelocity": [0, 0, -v]}}], **settings)
    first = event(path, status=201)
    record = first["began"][0]
    near(record["cRes"], modulus / (2 * (1 - ratio ** 2)), 1e-4, "cRes")
    near(record["dRes"], 8 * (1 - e) / (5 * e * v), 1e-12, "dRes")
    equal(first["elastic"], {"smallVelocity": 0.01, "smallAngularVelocity": 0.01, "stiffnessFactor": 1, "dampingMax": 2000, "pull": False},
          "the options of the law")
    # Equal to query compliantForces with this state, and unchanged after the ball has slowed down.
    later = event(path, time=1, poses=to({"b0": -0.2}, [-0.1]))
    equal([later["persisted"][0][k] for k in ("cRes", "dRes")], [record["cRes"], record["dRes"]], "stiffness and damping later")
    forces = client.post(f"{path}/query/compliantForces", {"contactState": "s"}).must(200).json
    equal([forces["results"][0][k] for k in ("cRes", "dRes")], [record["cRes"], record["dRes"]], "of compliantForces")
    equal(forces["elastic"], first["elastic"], "options of compliantForces")
    plain = event(scene(row_of(-0.1)), status=201)
    check("elastic" not in plain and "cRes" not in plain["began"][0], "materials without moduli have no stiffness")


suite.main()
