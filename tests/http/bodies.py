"""Bodies, poses and filters by curl: arrays and NDJSON, merge patches, packed poses, and the rule that excludes a
pair."""
from support.checks import Suite, check, equal, holds, near_list
from support.client import NDJSON, Curl, ndjson
from support.daemon import Daemon

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = Curl(daemon)
numbers = iter(range(1000))


def ball(name, position=(0, 0, 0), **rest):
    return {"id": name, "position": list(position), "colliders": [{"sphere": {"radius": 0.5}}], **rest}


def scene(*bodies):
    path = f"/v1/scenes/s{next(numbers)}"
    client.put(path, {"bodies": list(bodies)}).must(201)
    return path


def ids(path):
    return [b["id"] for b in client.get(path + "/bodies").must(200).json["bodies"]]


def unchanged(path, action):
    """Runs an action that must not change the scene."""
    before = client.get(path)
    action()
    after = client.get(path)
    equal(after.etag, before.etag, "ETag")
    equal(after.body, before.body, "document")


@suite.fact
def an_array_adds_bodies_in_order_in_one_revision():
    path = scene(ball("a"))
    reply = client.post(path + "/bodies", [ball("c"), ball("b")]).must(201)
    equal(reply.json["count"], 2, "count")
    equal(ids(path), ["a", "c", "b"], "ids")


@suite.fact
def a_body_whose_colliders_have_no_volume_is_accepted_with_the_members_that_the_refusal_names():
    """One triangle has no volume, so that nothing can be computed; the refusal names every member that must be given."""
    sheet = {"mesh": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [[0, 1, 2]]}}
    advice = {"mass": 1, "inertiaDiagonal": [1, 1, 1], "centerOfMass": [0, 0, 0]}
    path = scene() + "/bodies/sheet"
    for missing in advice:
        motion = {name: value for name, value in advice.items() if name != missing} | ({"density": 1} if missing == "mass" else {})
        detail = client.put(path, {"colliders": [sheet], "motion": motion}).problem(422, "bad-mass", "/motion").json["detail"]
        check(all(name in detail for name in advice), f"without {missing}: {detail}")
    client.put(path, {"colliders": [sheet], "motion": advice}).must(201)


@suite.fact
def ndjson_adds_the_same_as_an_array():
    many = [ball(f"n{i}", (i, 0, 0), user={"i": i}) for i in range(50)]
    first, second = scene(), scene()
    client.post(first + "/bodies", many).must(201)
    equal(client.post(second + "/bodies", ndjson(many), content_type=NDJSON).must(201).json["count"], 50, "count")
    equal(client.get(first + "/bodies").json["bodies"], client.get(second + "/bodies").json["bodies"], "bodies")


@suite.fact
def ndjson_takes_blank_lines_carriage_returns_and_no_last_newline():
    path = scene()
    text = ndjson([ball("a")]) + "\r\n\n" + ndjson([ball("b")]).strip() + "\r\n" + ndjson([ball("c")]).rstrip("\n")
    client.post(path + "/bodies", text, content_type=NDJSON).must(201)
    equal(ids(path), ["a", "b", "c"], "ids")


@suite.fact
def one_bad_line_fails_the_whole_call_and_is_named_by_its_pointer():
    path = scene(ball("a"))
    lines = ndjson([ball("b"), ball("c")])
    bad = ndjson([{"id": "d", "colliders": [{"sphere": {"radius": -1}}]}])
    unchanged(path, lambda: client.post(path + "/bodies", lines + bad, content_type=NDJSON)
              .problem(422, "out-of-range", "/2/colliders/0/sphere/radius"))
    unchanged(path, lambda: client.post(path + "/bodies", lines + '{"id": \n', content_type=NDJSON).problem(400, "malformed-json"))


@suite.fact
def an_id_in_use_is_409_and_an_id_twice_is_422():
    path = scene(ball("a"))
    unchanged(path, lambda: client.post(path + "/bodies", [ball("b"), ball("a")]).problem(409, "id-in-use", "/1/id"))
    unchanged(path, lambda: client.post(path + "/bodies", [ball("b"), ball("b")]).problem(422, "duplicate-id", "/1/id"))


@suite.fact
def single_bodies_are_made_read_replaced_and_removed():
    path = scene()
    body = {"position": [1, 2, 3], "colliders": [{"id": "c", "box": {"size": [1, 2, 3]}}], "groups": ["g"], "user": {"k": [1, "x"]}}
    reply = client.put(path + "/bodies/one", body).must(201)
    equal(reply.headers["location"], path + "/bodies/one", "Location")
    got = client.get(path + "/bodies/one").must(200)
    holds(got.json, {"id": "one", "position": [1, 2, 3], "groups": ["g"], "user": {"k": [1, "x"]}})
    equal(got.etag, reply.etag, "ETag")
    client.put(path + "/bodies/one", got.body).must(200)
    equal(client.get(path + "/bodies/one").body, got.body, "body")
    client.delete(path + "/bodies/one").must(200)
    client.get(path + "/bodies/one").problem(404, "body-not-found")
    client.delete(path + "/bodies/one").problem(404, "body-not-found")


@suite.fact
def put_with_another_id_in_the_document_is_refused():
    path = scene()
    client.put(path + "/bodies/one", ball("two")).problem(422, "bad-value", "/id")


@suite.fact
def a_merge_patch_changes_only_what_it_names():
    motion = {"mass": 2, "linearVelocity": [1, 0, 0]}
    path = scene(ball("a", (1, 1, 1), motion=motion, user={"x": 1, "y": 2}))
    client.patch(path + "/bodies/a", {"position": [2, 2, 2], "user": {"y": None, "z": 3}}).must(200)
    body = client.get(path + "/bodies/a").json
    holds(body, {"position": [2, 2, 2], "user": {"x": 1, "z": 3}})
    holds(body["motion"], {"mass": 2, "linearVelocity": [1, 0, 0]})
    client.patch(path + "/bodies/a", {"motion": None}).must(200)
    check("motion" not in client.get(path + "/bodies/a").json, "motion is still there")


@suite.fact
def a_patch_of_the_shape_changes_the_answers():
    path = scene(ball("a"), ball("b", (2, 0, 0)))
    question = {"pairs": [["a", "b"]]}
    equal(client.post(path + "/query/distance", question).json["results"][0]["distance"], 1.0, "distance")
    client.patch(path + "/bodies/b", {"colliders": [{"sphere": {"radius": 1.0}}]}).must(200)
    equal(client.post(path + "/query/distance", question).json["results"][0]["distance"], 0.5, "distance")


@suite.fact
def bulk_patches_by_array_and_by_line_and_a_missing_id_fails_all():
    path = scene(ball("a"), ball("b"), ball("c"))
    client.patch(path + "/bodies", [{"id": "a", "position": [1, 0, 0]}, {"id": "c", "position": [3, 0, 0]}]).must(200)
    client.patch(path + "/bodies", ndjson([{"id": "b", "position": [2, 0, 0]}]), content_type=NDJSON).must(200)
    equal([b["position"] for b in client.get(path + "/bodies").json["bodies"]], [[1, 0, 0], [2, 0, 0], [3, 0, 0]], "positions")
    lost = [{"id": "a", "position": [9, 0, 0]}, {"id": "nobody", "position": [9, 0, 0]}]
    unchanged(path, lambda: client.patch(path + "/bodies", lost).problem(422, "unknown-id", "/1/id"))
    unchanged(path, lambda: client.patch(path + "/bodies", ndjson(lost), content_type=NDJSON).problem(422, "unknown-id", "/1/id"))


@suite.fact
def bulk_delete_by_ids_and_by_prefix():
    path = scene(*[ball(n) for n in ("a1", "a2", "b1", "b2", "c")])
    equal(client.delete(path + "/bodies?id=b1&id=c").must(200).json["count"], 2, "count")
    equal(ids(path), ["a1", "a2", "b2"], "ids")
    equal(client.delete(path + "/bodies?prefix=a").must(200).json["count"], 2, "count")
    equal(ids(path), ["b2"], "ids")
    unchanged(path, lambda: client.delete(path + "/bodies?id=b2&id=nobody").problem(422, "unknown-id"))
    unchanged(path, lambda: client.delete(path + "/bodies").problem(400, "bad-parameter"))


@suite.fact
def the_listing_pages_through_one_revision():
    path = scene(*[ball(f"b{i:02}") for i in range(10)])
    page = client.get(path + "/bodies?limit=4").must(200).json
    equal((page["count"], page["total"], page["truncated"]), (4, 10, True), "first page")
    client.delete(path + "/bodies?prefix=b0").must(200)
    names = [b["id"] for b in page["bodies"]]
    for unused in range(5):
        if "nextCursor" not in page:
            break
        page = client.get(path + "/bodies?limit=4&cursor=" + page["nextCursor"]).must(200).json
        names += [b["id"] for b in page["bodies"]]
    equal(names, [f"b{i:02}" for i in range(10)], "ids of the pages")


@suite.fact
def poses_are_packed_columns():
    path = scene(ball("a", (1, 2, 3), motion={"mass": 1}), ball("b", (4, 5, 6)))
    poses = client.get(path + "/poses").must(200).json
    holds(poses, {"ids": ["a", "b"], "positions": [[1, 2, 3], [4, 5, 6]], "rotations": [[0, 0, 0, 1], [0, 0, 0, 1]]})
    client.patch(path + "/poses", {"ids": ["b"], "positions": [[7, 8, 9]]}).must(200)
    equal(client.get(path + "/poses").json["positions"], [[1, 2, 3], [7, 8, 9]], "positions")
    whole = {"ids": ["b", "a"], "positions": [[0, 0, 1], [0, 0, 2]], "rotations": [[1, 0, 0, 0], [0, 1, 0, 0]]}
    client.put(path + "/poses", whole).must(200)
    holds(client.get(path + "/poses").json, {"ids": ["a", "b"], "positions": [[0, 0, 2], [0, 0, 1]],
                                             "rotations": [[0, 1, 0, 0], [1, 0, 0, 0]]})


@suite.fact
def velocities_go_through_poses_and_bodies():
    path = scene(ball("a", motion={"mass": 1}))
    client.patch(path + "/poses", {"ids": ["a"], "linearVelocities": [[1, 2, 3]], "angularVelocities": [[0, 0, 4]]}).must(200)
    holds(client.get(path + "/bodies/a").json["motion"], {"linearVelocity": [1, 2, 3], "angularVelocity": [0, 0, 4]})
    equal(client.get(path + "/poses").json["linearVelocities"], [[1, 2, 3]], "linearVelocities")


@suite.fact
def put_of_poses_names_every_body_and_patch_only_existing_bodies():
    path = scene(ball("a"), ball("b"))
    one = {"ids": ["a"], "positions": [[1, 1, 1]]}
    unchanged(path, lambda: client.put(path + "/poses", one).problem(422, "missing-member"))
    lost = {"ids": ["a", "nobody"], "positions": [[1, 1, 1], [2, 2, 2]]}
    unchanged(path, lambda: client.patch(path + "/poses", lost).problem(422, "unknown-id", "/ids/1"))
    twice = {"ids": ["a", "a"], "positions": [[1, 1, 1], [2, 2, 2]]}
    unchanged(path, lambda: client.patch(path + "/poses", twice).problem(422, "duplicate-id", "/ids/1"))


@suite.fact
def poses_are_normalised_but_exact_doubles_stay():
    path = scene(ball("a"))
    client.patch(path + "/poses", {"ids": ["a"], "positions": [[0.1, 1e-300, 123456789.123456789]],
                                   "rotations": [[0, 0, 0.6004, 0.8]]}).must(200)
    body = client.get(path + "/bodies/a").json
    equal(body["position"], [0.1, 1e-300, 123456789.123456789], "position")
    size = sum(c * c for c in body["rotation"])
    check(abs(size - 1) < 1e-15, f"|q|^2 = {size}")
    # |(0, 0, 0.6004, 0.8)|^2 = 1.00048016
    near_list(body["rotation"], [0, 0, 0.600255908, 0.799808005], 1e-9, "rotation")


@suite.fact
def filters_by_group_and_by_pair_with_a_reason():
    path = scene(ball("a", groups=["arm"]), ball("b", groups=["arm"]), ball("c", groups=["arm"]), ball("d"))
    filters = {"groups": {"arm": {"notCollideWith": ["arm"]}},
               "pairs": [{"a": "a", "b": "b", "collide": True, "reason": "checked on purpose"},
                         {"a": "d", "b": "a", "collide": False}]}
    client.put(path + "/filters", filters).must(200)
    equal(client.get(path + "/filters").json["groups"], filters["groups"], "groups")
    found = client.post(path + "/query/overlap", {}).must(200).json["results"]
    equal([[r["a"], r["b"]] for r in found], [["a", "b"], ["b", "d"], ["c", "d"]], "overlapping pairs")


@suite.fact
def effective_reports_the_rule_that_decides_about_a_pair():
    path = scene(ball("a", groups=["g"]), ball("b", groups=["h"]), ball("c"))
    client.put(path + "/filters", {"groups": {"g": {"notCollideWith": ["h"]}},
                                   "pairs": [{"a": "a", "b": "c", "collide": False, "reason": "welded"}]}).must(200)
    wanted = {("a", "b"): (False, "groups"), ("b", "a"): (False, "groups"), ("a", "c"): (False, "pair"),
              ("b", "c"): (True, "default")}
    for (a, b), (collide, why) in wanted.items():
        verdict = client.get(path + f"/filters/effective?a={a}&b={b}").must(200).json
        holds(verdict, {"a": a, "b": b, "collide": collide, "decidedBy": why})
    equal(client.get(path + "/filters/effective?a=c&b=a").json["reason"], "welded", "reason")


@suite.fact
def removing_a_body_drops_the_rules_that_name_it():
    path = scene(ball("a"), ball("b"), ball("c"))
    rules = [{"a": "a", "b": "b", "collide": False}, {"a": "b", "b": "c", "collide": False}]
    client.put(path + "/filters", {"groups": {}, "pairs": rules}).must(200)
    client.delete(path + "/bodies/a").must(200)
    left = client.get(path + "/filters").json["pairs"]
    equal([(r["a"], r["b"]) for r in left], [("b", "c")], "rules")


@suite.fact
def a_rule_that_names_an_absent_body_is_refused():
    path = scene(ball("a"))
    rule = {"groups": {}, "pairs": [{"a": "a", "b": "nobody", "collide": False}]}
    unchanged(path, lambda: client.put(path + "/filters", rule).problem(422, "unknown-id", "/pairs/0/b"))


@suite.fact
def compounds_have_colliders_with_their_own_poses():
    dumbbell = {"id": "dumbbell", "position": [0, 0, 1], "colliders": [
        {"id": "left", "sphere": {"radius": 0.25}, "position": [-1, 0, 0]},
        {"id": "right", "sphere": {"radius": 0.25}, "position": [1, 0, 0]}]}
    path = scene(dumbbell, ball("b", (3, 0, 1)))
    result = client.post(path + "/query/distance", {"pairs": [["dumbbell", "b"]]}).must(200).json["results"][0]
    holds(result, {"distance": 1.25, "colliderA": "right", "normal": [1, 0, 0], "pointA": [1.25, 0, 1], "pointB": [2.5, 0, 1]})


suite.main()
