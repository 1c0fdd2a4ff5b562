"""Queries by curl: kinds, selections, hypothetical poses, variants, batches, paging, stateless forms. Truth: closed
forms."""
import json
import math
import time

from support.checks import Suite, check, equal, holds, near, near_list
from support.client import Curl
from support.daemon import Daemon

METHODS = ("tree", "sweep", "sweepSingleAxis", "hybrid", "grid", "bruteForce", "auto")
suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = Curl(daemon)
numbers = iter(range(1000))


def ball(name, x, y=0.0, z=0.0, radius=0.5, **rest):
    return {"id": name, "position": [x, y, z], "colliders": [{"sphere": {"radius": radius}}], **rest}


def row(count, pitch):
    """Balls of radius 0.5 along x: neighbours are pitch - 1 apart."""
    return [ball(f"b{i:02}", pitch * i) for i in range(count)]


def scene(bodies, **settings):
    path = f"/v1/scenes/q{next(numbers)}"
    client.put(path, {"bodies": list(bodies), **settings}).must(201)
    return path


def ask(path, kind, request=None, **rest):
    return client.post(f"{path}/query/{kind}", request or {}, **rest).must(200).json


def names(results):
    return [[r["a"], r["b"]] for r in results]


@suite.fact
def the_answer_of_the_design_page():
    request = {"a": {"box": {"size": [1, 1, 1]}}, "b": {"sphere": {"radius": 0.5}, "position": [0.9, 0, 0]}}
    answer = client.post("/v1/query/distance", request).must(200).json
    holds(answer, {"count": 1, "complete": True})
    result = answer["results"][0]
    holds(result, {"a": "a", "b": "b", "normal": [1, 0, 0], "relation": "penetrating", "status": "ok"})
    near(result["distance"], -0.1, 1e-15, "distance")
    near_list(result["pointA"], [0.5, 0, 0], 1e-15, "pointA")
    near_list(result["pointB"], [0.4, 0, 0], 1e-15, "pointB")
    near_list(result["position"], [0.45, 0, 0], 1e-15, "position")


@suite.fact
def a_query_without_a_body_uses_every_default():
    path = scene(row(4, 0.75))
    for kind in ("pairs", "overlap", "distance", "massProperties"):
        bare = client.request("POST", f"{path}/query/{kind}").must(200)
        equal(bare.text, client.post(f"{path}/query/{kind}", {}).must(200).text, f"answer to {kind}")
    client.request("POST", "/v1/query/distance").problem(400, "malformed-json")
    made = client.request("POST", "/v1/scenes").must(201).json
    equal(client.get(f"/v1/scenes/{made['id']}").must(200).json["bodies"], [], "bodies of a scene made of nothing")


@suite.fact
def distance_lists_the_pairs_within_clearance_in_scene_order():
    path = scene(row(5, 1.25))
    equal(ask(path, "distance")["results"], [], "results without clearance")
    found = ask(path, "distance", {"clearance": 0.25})["results"]
    equal(names(found), [["b00", "b01"], ["b01", "b02"], ["b02", "b03"], ["b03", "b04"]], "pairs at a quarter")
    equal([r["distance"] for r in found], [0.25] * 4, "distances")
    equal(len(ask(path, "distance", {"clearance": 1.5})["results"]), 7, "pairs at one and a half")


@suite.fact
def pairs_are_candidates_of_boxes():
    path = scene([ball("a", 0), ball("b", 0.9, 0.9), ball("c", 5)])
    answer = ask(path, "pairs")
    # The boxes of a and b overlap, the balls do not: sqrt(2) 0.9 > 1.
    equal(names(answer["results"]), [["a", "b"]], "candidates")
    equal(ask(path, "overlap")["results"], [], "overlapping")


@suite.fact
def every_broadphase_gives_the_same_pairs():
    path = scene([ball(f"n{i}", (i * 37 % 11) * 0.7, (i * 17 % 7) * 0.7, (i * 5 % 3) * 0.7) for i in range(60)])
    answers = [ask(path, "overlap", {"broadphase": method})["results"] for method in METHODS]
    check(len(answers[0]) > 20, f"only {len(answers[0])} pairs")
    for method, found in zip(METHODS, answers):
        equal(found, answers[0], method)
    reply = ask(path, "pairs", {"broadphase": "sweep"})
    equal(reply["broadphase"], "sweep", "the method used")
    equal(reply["statistics"]["candidates"], reply["count"], "candidates")


@suite.fact
def overlap_is_closed_and_has_a_point_of_both():
    path = scene([ball("a", 0), ball("b", 1.0), ball("c", 2.5), ball("d", 2.75)])
    found = ask(path, "overlap")["results"]
    equal(names(found), [["a", "b"], ["c", "d"]], "pairs")
    for result, centres in zip(found, ([0, 1.0], [2.5, 2.75])):
        equal(result["overlap"], True, "overlap")
        for x in centres:
            check(math.dist(result["position"], [x, 0, 0]) <= 0.5 + 1e-15, f"{result['position']} is not in the ball at {x}")


@suite.fact
def explicit_pairs_are_all_answered_in_their_order_and_direction():
    path = scene(row(4, 3.0), filters={"groups": {}, "pairs": [{"a": "b00", "b": "b03", "collide": False}]})
    wanted = [["b03", "b00"], ["b01", "b02"], ["b00", "b03"]]
    found = ask(path, "distance", {"pairs": wanted})["results"]
    equal(names(found), wanted, "pairs")
    equal([r["distance"] for r in found], [8.0, 2.0, 8.0], "distances")
    equal([r["normal"] for r in found], [[-1, 0, 0], [1, 0, 0], [1, 0, 0]], "normals")
    equal([r["overlap"] for r in ask(path, "overlap", {"pairs": wanted})["results"]], [False, False, False], "overlaps")


@suite.fact
def where_narrows_by_ids_groups_and_prefix():
    bodies = [ball("arm-1", 0, groups=["arm"]), ball("arm-2", 0.1, groups=["arm"]), ball("box-1", 0.2, groups=["box"]),
              ball("box-2", 0.3)]
    path = scene(bodies)
    cases = [({"a": {"groups": ["arm"]}, "b": {"prefix": "box"}}, 4), ({"a": {"ids": ["box-2"]}}, 3),
             ({"a": {"prefix": "arm"}, "b": {"prefix": "arm"}}, 1),
             ({"a": {"groups": ["arm", "box"]}, "b": {"ids": ["arm-1"]}}, 2), ({}, 6)]
    for where, count in cases:
        equal(ask(path, "overlap", {"where": where})["count"], count, f"pairs where {where}")


@suite.fact
def an_empty_selection_is_answered_with_a_warning():
    answer = ask(scene(row(2, 0.5)), "overlap", {"where": {"a": {"groups": ["nosuch"]}}})
    equal(answer["results"], [], "results")
    equal(len(answer["warnings"]), 1, "number of warnings")


@suite.fact
def half_spaces_are_solid_on_their_side():
    path = scene([{"id": "floor", "colliders": [{"plane": {}}]}, ball("above", 0, 0, 2), ball("deep", 9, 0, -3)])
    found = ask(path, "distance", {"clearance": 2})["results"]
    equal([(r["a"], r["b"], r["distance"], r["normal"]) for r in found],
          [("floor", "above", 1.5, [0, 0, 1]), ("floor", "deep", -3.5, [0, 0, 1])], "results")


@suite.fact
def tolerance_changes_only_the_relation_touching():
    path = scene(row(2, 1.0009765625))
    pair = {"pairs": [["b00", "b01"]]}
    apart = ask(path, "distance", pair)["results"][0]
    near_by = ask(path, "distance", {**pair, "tolerance": 0.001})["results"][0]
    equal((apart["relation"], near_by["relation"]), ("separated", "touching"), "relations")
    apart.pop("relation"), near_by.pop("relation")
    equal(near_by, apart, "the rest of the answer")
    equal(ask(scene(row(2, 1.0)), "distance", pair)["results"][0]["relation"], "touching", "relation at distance 0")


@suite.fact
def containment_is_a_relation():
    path = scene([ball("big", 0, radius=2), ball("small", 0.25, radius=0.5)])
    result = ask(path, "distance", {"pairs": [["big", "small"], ["small", "big"]]})["results"]
    equal([r["relation"] for r in result], ["containing", "contained"], "relations")
    equal([r["distance"] for r in result], [-2.25, -2.25], "distances")


@suite.fact
def poses_of_a_query_change_the_answer_and_not_the_scene():
    path = scene(row(3, 2.0))
    before = client.get(path)
    moved = {"ids": ["b02"], "positions": [[1.0, 0, 0]]}
    found = ask(path, "distance", {"poses": moved, "clearance": 0.5})["results"]
    equal([(r["a"], r["b"], r["distance"]) for r in found], [("b00", "b02", 0.0), ("b01", "b02", 0.0)], "results")
    after = client.get(path)
    equal((after.etag, after.body), (before.etag, before.body), "scene")


@suite.fact
def variants_are_answered_in_order():
    path = scene(row(2, 5.0))
    variants = [{"ids": ["b01"], "positions": [[x, 0, 0]]} for x in (1.5, 0.75, 3.0)] + [{"ids": [], "positions": []}]
    results = ask(path, "distance", {"variants": variants, "pairs": [["b00", "b01"]]})["results"]
    equal([r["variant"] for r in results], [0, 1, 2, 3], "variants")
    equal([r["results"][0]["distance"] for r in results], [0.5, -0.25, 2.0, 4.0], "distances")
    sparse = ask(path, "overlap", {"variants": variants})["results"]
    equal([len(r["results"]) for r in sparse], [0, 1, 0, 0], "number of overlaps by variant")


@suite.fact
def a_variant_answers_what_the_scene_would_after_the_move():
    path = scene(row(4, 0.9))
    moved = {"ids": ["b01", "b03"], "positions": [[0.4, 0.3, 0], [1.0, 1.0, 1.0]], "rotations": [[0, 0, 1, 0], [1, 0, 0, 0]]}
    as_variant = ask(path, "distance", {"variants": [moved], "clearance": 3})["results"][0]["results"]
    as_poses = ask(path, "distance", {"poses": moved, "clearance": 3})["results"]
    client.patch(path + "/poses", moved).must(200)
    as_scene = ask(path, "distance", {"clearance": 3})["results"]
    equal(as_variant, as_scene, "variant")
    equal(as_poses, as_scene, "poses")


@suite.fact
def a_batch_answers_mixed_queries_at_one_revision_in_order():
    path = scene(row(3, 0.75))
    queries = [{"id": "o", "kind": "overlap"}, {"id": "d", "kind": "distance", "pairs": [["b00", "b02"]]},
               {"id": "bad", "kind": "distance", "clearence": 1},
               {"kind": "massProperties", "bodies": ["b00"]}, {"id": "p", "kind": "pairs"}]
    reply = client.post(path + "/query", {"queries": queries}).must(200).json
    results = reply["results"]
    equal([r.get("id") for r in results], ["o", "d", "bad", None, "p"], "ids")
    equal([r["httpStatus"] for r in results], [200, 200, 422, 200, 200], "statuses")
    equal(results[0]["result"]["count"], 2, "overlaps")
    equal(results[1]["result"]["results"][0]["distance"], 0.5, "distance")
    holds(results[2]["problem"], {"type": "/problems/unknown-member", "status": 422})
    equal(results[2]["problem"]["errors"][0]["suggestion"], "clearance", "suggestion")
    near(results[3]["result"]["results"][0]["volume"], math.pi / 6, 1e-15, "volume")
    alone = ask(path, "overlap")
    equal(results[0]["result"]["results"], alone["results"], "the same question alone")


@suite.fact
def the_poses_of_a_batch_apply_to_all_its_queries():
    path = scene(row(2, 4.0))
    batch = {"poses": {"ids": ["b01"], "positions": [[1.5, 0, 0]]},
             "queries": [{"kind": "distance", "clearance": 1}, {"kind": "distance", "clearance": 9,
                                                                "poses": {"ids": ["b01"], "positions": [[3, 0, 0]]}}]}
    results = client.post(path + "/query", batch).must(200).json["results"]
    equal([r["result"]["results"][0]["distance"] for r in results], [0.5, 2.0], "distances")


@suite.fact
def a_stateless_batch_answers_pairs_of_its_own():
    a, b = {"sphere": {"radius": 1}}, {"sphere": {"radius": 1}, "position": [3, 0, 0]}
    results = client.post("/v1/query", {"queries": [{"kind": "distance", "a": a, "b": b},
                                                    {"kind": "overlap", "a": a, "b": b}]}).must(200).json["results"]
    equal(results[0]["result"]["results"][0]["distance"], 1, "distance")
    equal(results[1]["result"]["results"][0]["overlap"], False, "overlap")


@suite.fact
def an_inline_scene_is_answered_like_a_stored_one():
    bodies = row(4, 0.9)
    kept = ask(scene(bodies), "distance", {"clearance": 1})["results"]
    inline = client.post("/v1/query/distance", {"scene": {"bodies": bodies}, "clearance": 1}).must(200).json
    equal(inline["results"], kept, "results")
    check("revision" not in inline, "a stateless answer names a revision")


@suite.fact
def concatenated_pages_of_pairs_are_the_whole_answer():
    path = scene(row(12, 0.4))
    for kind, extra in (("overlap", {}), ("distance", {"clearance": 0.2}), ("pairs", {})):
        whole = ask(path, kind, extra)
        joined, request = [], {**extra, "limit": 5}
        for unused in range(50):
            page = ask(path, kind, request)
            joined += page["results"]
            equal(page["count"], len(page["results"]), "count")
            if "nextCursor" not in page:
                break
            check(page["truncated"] and page["count"] == 5, "a page with a cursor is full and truncated")
            request = {**extra, "limit": 5, "cursor": page["nextCursor"]}
        equal(joined, whole["results"], f"pages of {kind}")


@suite.fact
def concatenated_pages_of_variants_are_the_whole_answer():
    path = scene(row(6, 0.4))
    variants = [{"ids": ["b05"], "positions": [[x, 0, 0]]} for x in (2.0, 9.0, 0.1)]
    whole = ask(path, "overlap", {"variants": variants})["results"]
    joined, request = {}, {"variants": variants, "limit": 4}
    for unused in range(50):
        page = ask(path, "overlap", request)
        for part in page["results"]:
            joined.setdefault(part["variant"], []).extend(part["results"])
        if "nextCursor" not in page:
            break
        request = {"variants": variants, "limit": 4, "cursor": page["nextCursor"]}
    equal([joined.get(r["variant"], []) for r in whole], [r["results"] for r in whole], "results by variant")


@suite.fact
def a_cursor_keeps_its_revision_while_the_scene_is_written():
    path = scene(row(8, 0.4))
    whole = ask(path, "overlap")["results"]
    page = ask(path, "overlap", {"limit": 3})
    client.delete(path + "/bodies?prefix=b0").must(200)
    after = ask(path, "overlap", {"limit": 1000, "cursor": page["nextCursor"]})
    equal(page["results"] + after["results"], whole, "pages")
    equal(after["revision"], page["revision"], "revision")


@suite.fact
def a_cursor_that_is_not_used_expires():
    with Daemon("--limit", "cursorSeconds=2") as short:
        other = Curl(short)
        other.put("/v1/scenes/s", {"bodies": row(8, 0.4)}).must(201)
        page = other.post("/v1/scenes/s/query/overlap", {"limit": 3}).must(200).json
        other.delete("/v1/scenes/s/bodies?prefix=b0").must(200)
        time.sleep(3.5)
        other.post("/v1/scenes/s/query/overlap", {"limit": 1000, "cursor": page["nextCursor"]}).problem(410, "revision-gone")


@suite.fact
def if_match_pins_a_query_to_the_revision():
    path = scene(row(2, 0.5))
    tag = client.get(path).etag
    equal(ask(path, "overlap", headers={"If-Match": tag})["count"], 1, "count")
    client.patch(path, {"user": 1}).must(200)
    client.post(path + "/query/overlap", {}, headers={"If-Match": tag}).problem(412, "revision-mismatch")


@suite.fact
def mass_properties_of_closed_forms():
    solids = [({"sphere": {"radius": 2}}, 4 / 3 * math.pi * 8, [0.4 * 4] * 3),
              ({"box": {"size": [1, 2, 3]}}, 6.0, [(4 + 9) / 12, (1 + 9) / 12, (1 + 4) / 12]),
              ({"convex": {"vertices": [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]}}, 8.0, [2 / 3] * 3)]
    for shape, volume, per_mass in solids:
        result = client.post("/v1/query/massProperties", {"a": {"colliders": [shape],
                                                                "motion": {"mass": 5}}}).must(200).json["results"][0]
        near(result["volume"], volume, 1e-14 * volume, "volume")
        equal(result["mass"], 5, "mass")
        near_list(result["centerOfMass"], [0, 0, 0], 1e-15, "centerOfMass")
        near_list(sorted(result["principalMoments"]), sorted(5 * m for m in per_mass), 1e-13, "principalMoments")


@suite.fact
def the_tetrahedron_has_its_centre_at_the_mean_of_its_corners():
    shape = {"convex": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}}
    result = client.post("/v1/query/massProperties", {"a": {"colliders": [shape],
                                                            "motion": {"density": 6}}}).must(200).json["results"][0]
    near(result["mass"], 1.0, 1e-15, "mass")
    near_list(result["centerOfMass"], [0.25, 0.25, 0.25], 1e-15, "centerOfMass")


@suite.fact
def a_compound_has_the_mass_of_its_parts_about_the_common_centre():
    colliders = [{"sphere": {"radius": 1}, "position": [-2, 0, 0]}, {"sphere": {"radius": 1}, "position": [2, 0, 0]}]
    ball_mass = 4 / 3 * math.pi
    result = client.post("/v1/query/massProperties", {"a": {"colliders": colliders,
                                                            "motion": {"density": 1}}}).must(200).json["results"][0]
    near(result["mass"], 2 * ball_mass, 1e-14, "mass")
    along, across = 2 * 0.4 * ball_mass, 2 * (0.4 + 4) * ball_mass
    near_list(sorted(result["principalMoments"]), [along, across, across], 1e-13, "principalMoments")


@suite.fact
def mass_properties_leave_out_half_spaces():
    path = scene([{"id": "floor", "colliders": [{"plane": {}}]}, ball("a", 0, motion={"mass": 3}), ball("s", 5)])
    found = ask(path, "massProperties")["results"]
    equal([r["id"] for r in found], ["a", "s"], "bodies")


@suite.fact
def numbers_are_the_shortest_that_read_back():
    path = scene([ball("a", 0.1, 0.2, 0.3), ball("b", 7.7, 0.2, 0.3, radius=0.1)])
    text = client.post(path + "/query/distance", {"pairs": [["a", "b"]]}).must(200).text
    for word in json.loads(text, parse_float=lambda s: s, parse_int=lambda s: s)["results"][0]["pointB"]:
        value = float(word)
        check(len(word) <= len(repr(value)), f"{word} is longer than {value!r}")
        check("e+" not in word and word != "-0", f"{word} is not canonical")


@suite.fact
def a_body_that_is_not_json_typed_by_curl_is_read_as_json():
    request = {"a": {"sphere": {"radius": 1}}, "b": {"sphere": {"radius": 1}, "position": [3, 0, 0]}}
    reply = client.post("/v1/query/distance", request, content_type="application/x-www-form-urlencoded").must(200)
    equal(reply.json["results"][0]["distance"], 1, "distance")
    equal(client.post("/v1/query/distance", request, content_type=None).must(200).json["results"][0]["distance"], 1, "distance")


@suite.fact
def times_are_in_headers_only():
    path = scene(row(2, 0.5))
    first = client.post(path + "/query/overlap", {}).must(200)
    second = client.post(path + "/query/overlap", {}).must(200)
    equal(second.body, first.body, "body")
    check("server-timing" in first.headers, "no Server-Timing")
    check(first.headers["x-request-id"] != second.headers["x-request-id"], "two requests have one id")


suite.main()
