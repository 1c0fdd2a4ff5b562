"""Whole scenes by curl: create, read, replace, settings, delete, list; entity tags, preconditions, revisions."""
from support.checks import Suite, check, equal, holds
from support.client import Curl
from support.daemon import Daemon

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = Curl(daemon)

BALL = {"id": "ball", "position": [0, 0, 1], "colliders": [{"sphere": {"radius": 0.5}}]}
GROUND = {"id": "ground", "colliders": [{"plane": {}}]}


def revision(reply):
    value = reply.json["revision"]
    equal(reply.json["durability"], "memory", "durability")
    equal(reply.etag, f'"r{value}"', "ETag")
    return value


def made(name, bodies=(GROUND, BALL)):
    path = f"/v1/scenes/{name}"
    return path, revision(client.put(path, {"bodies": list(bodies)}).must(201))


@suite.fact
def put_makes_a_scene_and_get_gives_it_back():
    path, number = made("give")
    reply = client.get(path).must(200)
    equal(reply.etag, f'"r{number}"', "ETag")
    holds(reply.json, {"id": "give"})
    equal([b["id"] for b in reply.json["bodies"]], ["ground", "ball"], "ids")
    holds(reply.json["bodies"][1], {"position": [0, 0, 1], "colliders": [{"sphere": {"radius": 0.5}}]})


@suite.fact
def what_get_gives_can_be_put_again_with_the_same_bytes():
    path, unused = made("again")
    first = client.get(path).must(200)
    client.put(path, first.body).must(200)
    equal(client.get(path).must(200).body, first.body, "document")


@suite.fact
def rotations_come_back_as_x_y_z_w_whatever_form_they_had():
    turned = [{"rotation": [0, 0, 1, 0]}, {"rotationWxyz": [0, 0, 0, 1]}, {"matrix": [[-1, 0, 0], [0, -1, 0], [0, 0, 1]]}]
    bodies = [dict(BALL, id=f"b{i}", **form) for i, form in enumerate(turned)]
    path, unused = made("forms", bodies)
    for body in client.get(path).must(200).json["bodies"]:
        equal(sorted(k for k in body if k in ("rotation", "rotationWxyz", "rpy", "matrix")), ["rotation"], "rotation members")
        equal([abs(c) for c in body["rotation"]], [0, 0, 1, 0], "rotation")


@suite.fact
def roll_pitch_yaw_is_about_fixed_axes_in_radians():
    quarter = 1.5707963267948966
    path, unused = made("rpy", [dict(BALL, rpy=[quarter, 0, quarter])])
    x, y, z, w = client.get(path).must(200).json["bodies"][0]["rotation"]
    # Roll about x, then yaw about the fixed z: q = z(90) x(90) = (1, 1, 1, 1) / 2.
    check(all(abs(c - 0.5) < 1e-15 for c in (x, y, z, w)), f"rotation is {[x, y, z, w]}")


@suite.fact
def put_again_replaces_the_scene_in_the_next_revision():
    path, number = made("replace")
    later = revision(client.put(path, {"bodies": [BALL]}).must(200))
    equal(later, number + 1, "revision")
    equal([b["id"] for b in client.get(path).json["bodies"]], ["ball"], "ids")


@suite.fact
def post_makes_an_id_and_returns_the_location():
    reply = client.post("/v1/scenes", {"bodies": [BALL]}).must(201)
    equal(reply.headers["location"], "/v1/scenes/" + reply.json["id"], "Location")
    again = client.post("/v1/scenes", {"bodies": [BALL]}).must(201)
    check(again.json["id"] != reply.json["id"], "two scenes have one id")
    equal(client.get(reply.headers["location"]).must(200).json["bodies"][0]["id"], "ball", "id")


@suite.fact
def post_with_an_id_of_its_own_is_refused():
    client.post("/v1/scenes", {"id": "mine", "bodies": []}).problem(422, "bad-value", "/id")


@suite.fact
def head_has_the_headers_of_get_and_no_body():
    path, number = made("head")
    reply = client.head(path).must(200)
    equal(reply.body, b"", "body")
    equal(reply.etag, f'"r{number}"', "ETag")
    equal(int(reply.headers["content-length"]), len(client.get(path).body), "Content-Length")


@suite.fact
def get_with_the_current_tag_is_304():
    path, number = made("cached")
    reply = client.get(path, headers={"If-None-Match": f'"r{number}"'}).must(304)
    equal(reply.body, b"", "body")
    equal(reply.etag, f'"r{number}"', "ETag")
    client.get(path, headers={"If-None-Match": f'"r{number + 1}"'}).must(200)
    client.get(path, headers={"If-None-Match": f'"other", W/"r{number}"'}).must(304)


@suite.fact
def a_write_with_a_stale_tag_is_412_names_the_current_revision_and_changes_nothing():
    path, number = made("guarded")
    before = client.get(path).body
    current = revision(client.patch(path, {"user": {"n": 1}}, headers={"If-Match": f'"r{number}"'}).must(200))
    changed = client.get(path).body
    check(changed != before, "the guarded write did nothing")
    for method, body in (("PUT", {"bodies": []}), ("PATCH", {"user": 2}), ("DELETE", None)):
        reply = client.request(method, path, body, headers={"If-Match": f'"r{number}"'}).problem(412, "revision-mismatch")
        equal(reply.etag, f'"r{current}"', "ETag")
    equal(client.get(path).body, changed, "document")


@suite.fact
def put_if_none_match_star_only_creates():
    client.put("/v1/scenes/fresh", {"bodies": []}, headers={"If-None-Match": "*"}).must(201)
    client.put("/v1/scenes/fresh", {"bodies": [BALL]}, headers={"If-None-Match": "*"}).problem(412, "revision-mismatch")
    equal(client.get("/v1/scenes/fresh").json["bodies"], [], "bodies")


@suite.fact
def put_if_match_star_only_replaces():
    client.put("/v1/scenes/absent", {"bodies": []}, headers={"If-Match": "*"}).problem(412, "revision-mismatch")
    client.get("/v1/scenes/absent").problem(404, "scene-not-found")


@suite.fact
def revisions_never_restart_under_one_id():
    path, number = made("phoenix")
    for unused in range(3):
        number = revision(client.patch(path, {"user": number}).must(200))
    client.delete(path).must(200)
    client.get(path).problem(404, "scene-not-found")
    unused, again = made("phoenix")
    check(again > number, f"revision {again} follows {number}")


@suite.fact
def every_write_makes_exactly_one_revision():
    path, number = made("steps")
    writes = [("PATCH", "", {"user": 1}), ("POST", "/bodies", [dict(BALL, id="x"), dict(BALL, id="y")]),
              ("PUT", "/bodies/z", {"colliders": [{"sphere": {"radius": 1}}]}), ("PATCH", "/bodies/z", {"position": [1, 0, 0]}),
              ("PATCH", "/poses", {"ids": ["x", "y"], "positions": [[1, 0, 0], [2, 0, 0]]}), ("DELETE", "/bodies/x", None),
              ("PUT", "/filters", {"groups": {}, "pairs": []}), ("DELETE", "/bodies?prefix=y", None)]
    for method, rest, body in writes:
        reply = client.request(method, path + rest, body)
        check(reply.status in (200, 201), f"{method} {rest}: {reply.status} {reply.text}")
        number += 1
        equal(revision(reply), number, f"revision after {method} {rest}")


@suite.fact
def patch_merges_settings_and_null_removes():
    path, unused = made("settings")
    client.patch(path, {"user": {"a": 1, "b": {"c": 2}}}).must(200)
    client.patch(path, {"user": {"b": {"d": 3}, "a": None}}).must(200)
    equal(client.get(path).json["user"], {"b": {"c": 2, "d": 3}}, "user")
    client.patch(path, {"user": None}).must(200)
    check("user" not in client.get(path).json, "user is still there")
    equal(len(client.get(path).json["bodies"]), 2, "number of bodies")


@suite.fact
def patch_cannot_move_a_scene_or_its_bodies():
    path, unused = made("fixed")
    client.patch(path, {"id": "other"}).problem(422, "bad-value", "/id")
    client.patch(path, {"bodies": []}).problem(422, "unknown-member", "/bodies")


@suite.fact
def delete_removes_the_scene_and_returns_a_revision():
    path, number = made("gone")
    reply = client.delete(path).must(200)
    equal(reply.json["revision"], number + 1, "revision")
    client.get(path).problem(404, "scene-not-found")
    client.delete(path).problem(404, "scene-not-found")


@suite.fact
def the_list_is_in_order_of_ids_and_continues_with_a_cursor():
    for name in ("list-c", "list-a", "list-b", "list-d"):
        client.put(f"/v1/scenes/{name}", {"bodies": [BALL]})
    names, path = [], "/v1/scenes?limit=3"
    for unused in range(100):
        page = client.get(path).must(200).json
        equal(page["count"], len(page["scenes"]), "count")
        names += [s["id"] for s in page["scenes"]]
        if "nextCursor" not in page:
            break
        check(page["truncated"] is True and page["count"] == 3, "a page with a cursor is full and truncated")
        path = f"/v1/scenes?limit=3&cursor={page['nextCursor']}"
    equal(names, sorted(names), "order")
    equal([n for n in names if n.startswith("list-")], ["list-a", "list-b", "list-c", "list-d"], "scenes")
    equal(len(names), page["total"], "total")


@suite.fact
def the_list_continues_after_its_last_scene_was_deleted():
    for name in ("go-a", "go-b", "go-c"):
        client.put(f"/v1/scenes/{name}", {"bodies": []})
    page = client.get("/v1/scenes?limit=1").must(200).json
    while page["scenes"][0]["id"] != "go-b":
        page = client.get(f"/v1/scenes?limit=1&cursor={page['nextCursor']}").must(200).json
    client.delete("/v1/scenes/go-b").must(200)
    equal(client.get(f"/v1/scenes?limit=1&cursor={page['nextCursor']}").must(200).json["scenes"][0]["id"], "go-c", "next scene")
    client.get(f"/v1/shapes?cursor={page['nextCursor']}").problem(422, "bad-cursor")


@suite.fact
def ids_may_have_every_character_of_the_alphabet_and_are_decoded_once():
    name = "A9_z.~:@-"
    client.put(f"/v1/scenes/{name}", {"bodies": []}).must(201)
    client.get("/v1/scenes/A9%5Fz.%7E%3A%40-").must(200)
    client.get("/v1/scenes/A9%255Fz.~:@-").problem(404, "scene-not-found")
    client.put("/v1/scenes/" + "x" * 256, {"bodies": []}).must(201)
    client.put("/v1/scenes/" + "x" * 257, {"bodies": []}).problem(400, "bad-id")


@suite.fact
def bodies_keep_their_place_when_replaced():
    path, unused = made("places", [dict(BALL, id=n) for n in "abc"])
    client.put(path + "/bodies/b", {"colliders": [{"box": {"size": [1, 1, 1]}}]}).must(200)
    client.put(path + "/bodies/d", {"colliders": [{"box": {"size": [1, 1, 1]}}]}).must(201)
    equal([b["id"] for b in client.get(path).json["bodies"]], ["a", "b", "c", "d"], "order")


suite.main()
