"""Hypothetical scenes: queries with bodies that are not in the scene, or with other filters; and summaries of
variants.
Truth: the same query of a scene to which the bodies were added and whose filters were replaced; the replies are
equal in all bytes but the revision. Summaries: the results that the query without a summary lists."""
import json
import random
import re

from support.checks import Suite, check, equal, holds
from support.client import KeepAlive
from support.daemon import Daemon
from support.scenes import crowd

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)
numbers = iter(range(1000))
TETRAHEDRON = {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "triangles": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]}


def ball(name, x, **rest):
    return {"id": name, "position": [x, 0, 0], "colliders": [{"sphere": {"radius": 0.5}}], **rest}


def put(bodies, **settings):
    path = f"/v1/scenes/w{next(numbers)}"
    client.put(path, {"bodies": bodies, **settings}).must(201)
    return path


def bytes_of(reply):
    """The reply without revisions and cursors."""
    return re.sub(r'"nextCursor":"[^"]*"', "", re.sub(r'"revision":\d+', "", reply.must(200).text))


MATERIALS = {"default": {"youngsModulus": 1e9, "poissonRatio": 0.3}, "ice": {"dynamicFriction": 0.1, "youngsModulus": 1e9, "poissonRatio": 0.3}}
THERE = [ball(f"b{i}", 0.95 * i, motion={"mass": 1}, groups=["even" if i % 2 == 0 else "odd"]) for i in range(5)]
THERE += [{"id": "mesh", "position": [0, 3, 0], "colliders": [{"mesh": TETRAHEDRON}]}, {"id": "floor", "position": [0, 0, -0.45], "colliders": [{"plane": {}}]}]
ADDED = [ball("new", 1.5, motion={"mass": 2}), {"id": "crossing", "position": [0.1, 3.1, 0.1], "colliders": [{"mesh": TETRAHEDRON}]},
         {"id": "brick", "position": [3, 0.5, 0], "motion": {"mass": 1}, "groups": ["odd"], "colliders": [{"box": {"size": [1, 1, 1]}, "material": "ice"}]}]
FILTERS = {"groups": {"even": {"notCollideWith": ["odd"]}}, "pairs": [{"a": "new", "b": "b2", "collide": False, "reason": "held"}]}
DOWN = {"duration": 1, "motions": [{"id": "new", "twist": {"linearVelocity": [0.5, 0, 0]}}]}
MOVED = {"ids": ["new", "b0"], "positions": [[0.4, 0.1, 0], [0, 0.2, 0]]}
KINDS = {"pairs": {}, "overlap": {}, "distance": {"clearance": 1}, "contacts": {"clearance": 0.1}, "volume": {}, "features": {},
         "sweep": DOWN, "timeline": DOWN, "restingForces": {"gravity": [0, 0, 0]}, "impulse": {}, "compliantForces": {},
         "massProperties": {}, "raycast": {"rays": [{"origin": [-5, 0, 0], "direction": [1, 0, 0]}], "hits": "all"},
         "nearest": {"points": [[1.5, 1, 0]], "k": 3}, "point": {"points": [[1.5, 0, 0]]},
         "region": {"region": {"min": [1, -1, -1], "max": [3, 9, 9]}},
         "distance closest": {"closest": True, "where": {"a": {"ids": ["brick"]}}}, "overlap pairs": {"pairs": [["new", "b0"], ["b1", "brick"]]},
         "overlap poses": {"poses": MOVED}, "overlap variants": {"variants": [MOVED, {"ids": ["brick"], "positions": [[0, 9, 0]]}]},
         "distance page": {"clearance": 1, "limit": 3}}
UNFILTERED = ("massProperties", "raycast", "nearest", "point", "region")


def hypothetical_equals_added(name, request):
    kind = name.split()[0]
    # Bodies b0 to b3 keep their places; a removed body leaves an empty row.
    path = put(THERE + [ball("gone", 50)], materials=MATERIALS)
    client.delete(f"{path}/bodies/gone").must(200)
    before = client.get(path).must(200).text
    truth = put(THERE + [ball("gone", 50)], materials=MATERIALS)
    client.delete(f"{truth}/bodies/gone").must(200)
    client.post(f"{truth}/bodies", ADDED).must(201)
    supposed = {"add": ADDED}
    for unused in range(2):
        equal(bytes_of(client.post(f"{path}/query/{kind}", {**request, **supposed})), bytes_of(client.post(f"{truth}/query/{kind}", request)),
              f"{name} with {list(supposed)}")
        if kind in UNFILTERED:
            break
        supposed["filters"] = FILTERS
        client.put(f"{truth}/filters", FILTERS).must(200)
    reply = client.post(f"{path}/query", {**supposed, "queries": [{"kind": kind, **request}]}).must(200).json["results"][0]["result"]
    alone = client.post(f"{path}/query/{kind}", {**request, **supposed}).must(200).json
    equal({k: v for k, v in reply.items() if k != "nextCursor"}, {k: v for k, v in alone.items() if k != "nextCursor"}, "in a batch")
    equal(client.get(path).must(200).text, before, "the scene afterwards")


suite.table("hypothetical_equals_added", ((name, lambda n=name, r=request: hypothetical_equals_added(n, r)) for name, request in KINDS.items()))


@suite.fact
def filters_of_a_query_replace_those_of_the_scene():
    path = put(THERE[:5], filters={"groups": {"even": {"notCollideWith": ["odd"]}}})
    equal(client.post(f"{path}/query/overlap", {}).must(200).json["count"], 0, "overlaps with the scene's filters")
    equal(client.post(f"{path}/query/overlap", {"filters": {}}).must(200).json["count"], 4, "overlaps without filters")


@suite.fact
def pages_of_a_hypothetical_scene_continue_by_their_cursor():
    path = put(THERE[:5])
    request = {"add": [ball("new", 1.5)], "limit": 2}
    whole = client.post(f"{path}/query/overlap", {**request, "limit": 100}).must(200).json
    page = client.post(f"{path}/query/overlap", request).must(200).json
    client.put(f"{path}/bodies/new", ball("new", 100)).must(201)  # the scene is written, and has a body with that id now
    joined = page["results"]
    while not page["complete"]:
        page = client.post(f"{path}/query/overlap", {"cursor": page["nextCursor"]}).must(200).json
        holds(page, {"revision": whole["revision"], "total": whole["total"]})
        joined = joined + page["results"]
    equal(joined, whole["results"], "pages")


@suite.fact
def contact_states_are_evaluated_in_hypothetical_scenes():
    path = put(THERE[:2] + [ball("far", 10, motion={"mass": 1})])
    client.post(f"{path}/contactStates/s", {"time": 0}).must(201)
    alone = client.post(f"{path}/query/zeroCrossings", {"contactState": "s"}).must(200).json["results"][0]
    with_new = client.post(f"{path}/query/zeroCrossings", {"contactState": "s", "add": [ball("new", 8.5, motion={"mass": 1})]}).must(200).json["results"][0]
    check(alone["z2"]["value"] > 1 and abs(with_new["z2"]["value"] - 0.5) < 1e-6, f"z2 is {alone['z2']} and {with_new['z2']}")


@suite.fact
def queries_of_a_batch_add_to_the_hypotheses_of_the_batch():
    path = put(THERE[:3])
    reply = client.post(f"{path}/query", {"add": [ball("one", 10)], "filters": {"pairs": [{"a": "b0", "b": "b1", "collide": False}]},
                                          "poses": {"ids": ["one"], "positions": [[20, 0, 0]]},
                                          "queries": [{"kind": "overlap"}, {"kind": "overlap", "add": [ball("two", 20.5)]},
                                                      {"kind": "overlap", "filters": {}}, {"kind": "overlap", "add": [ball("one", 0)]}]}).must(200).json
    names = [[[r["a"], r["b"]] for r in a["result"]["results"]] for a in reply["results"][:3]]
    equal(names, [[["b1", "b2"]], [["b1", "b2"], ["one", "two"]], [["b0", "b1"], ["b1", "b2"]]], "overlaps")
    equal(reply["results"][3]["problem"]["errors"][0]["pointer"], "/queries/3/add/0/id", "pointer")


@suite.fact
def an_invalid_hypothesis_is_refused():
    path = put(THERE[:3])
    url = f"{path}/query/overlap"
    client.post(url, {"add": [ball("b1", 0)]}).problem(422, "duplicate-id", "/add/0/id")
    client.post(url, {"add": [ball("x", 0), ball("x", 1)]}).problem(422, "duplicate-id", "/add/1/id")
    client.post(url, {"add": [{"id": "x", "colliders": [{"sphere": {"radius": 1}, "material": "gold"}]}]}).problem(422, "unknown-id", "/add/0/colliders/0/material")
    client.post(url, {"add": [{"id": "x", "colliders": [{"sphere": {"radius": -1}}]}]}).problem(422, "out-of-range", "/add/0/colliders/0/sphere/radius")
    client.post(url, {"add": {}}).problem(422, "wrong-type", "/add")
    client.post(url, {"filters": {"pairs": [{"a": "b0", "b": "nobody"}]}}).problem(422, "unknown-id", "/filters/pairs/0/b")
    client.post(f"{path}/query/raycast", {"filters": {}, "rays": []}).problem(422, "unknown-member", "/filters")
    client.post("/v1/query/overlap", {"scene": {"bodies": []}, "add": []}).problem(422, "unknown-member", "/add")
    client.post("/v1/query", {"queries": [], "add": []}).problem(422, "conflicting-members", "/add")
    client.post(f"{path}/query", {"queries": [], "add": [ball("b0", 0)]}).problem(422, "duplicate-id", "/add/0/id")
    with Daemon("--limit", "bodies=3") as small:
        other = KeepAlive(small)
        other.put("/v1/scenes/s", {"bodies": THERE[:3]}).must(201)
        other.post("/v1/scenes/s/query/overlap", {"add": [ball("x", 0)]}).problem(422, "limit-exceeded", "/add/0")


# ---- variants with scenes of their own ------------------------------------------------------------------------------------


VARIANTS = [{"ids": ["b0"], "positions": [[0.2, 0.1, 0]]},
            {"add": [ball("extra", 0.5, groups=["odd"]), {"id": "mesh2", "position": [0.1, 3.2, 0.2], "colliders": [{"mesh": TETRAHEDRON}]}]},
            {"add": [ball("extra", 2.5, motion={"mass": 1})], "ids": ["extra", "b1"], "positions": [[2.6, 0, 0.1], [1, 0.1, 0]]},
            {"filters": {"groups": {"even": {"notCollideWith": ["even", "odd"]}}}},
            {"ids": ["b1"], "positions": [[0.7, 0, 0]]},
            {"add": [{"id": "extra", "position": [1, 0, 0.4], "colliders": [{"box": {"size": [2, 1, 1]}}]}],
             "filters": {"pairs": [{"a": "extra", "b": "b1", "collide": False}]}},
            {"add": [], "ids": ["b4"], "positions": [[0, 0, 0]]}]
OF_VARIANTS = {"pairs": {}, "overlap": {}, "distance": {"clearance": 1}, "contacts": {"clearance": 0.1, "include": ["velocity"]}, "volume": {},
               "features": {}, "overlap by planes": {"method": "separatingAxis"}, "pairs bruteForce": {"broadphase": "bruteForce"},
               "distance closest": {"closest": True}, "distance where": {"clearance": 2, "where": {"a": {"prefix": "b"}, "b": {"groups": ["odd"]}}},
               "overlap pairs": {"pairs": [["b0", "b1"], ["b1", "b2"]]}, "overlap poses": {"poses": {"ids": ["b2"], "positions": [[1.2, 0, 0]]}}}


def variants_equal_scenes(name, request):
    """Each variant equals a scene into which its additions, poses and filters were written."""
    kind = name.split()[0]
    path = put(THERE, materials=MATERIALS, filters=FILTERS_THERE)
    one_by_one = []
    for variant in VARIANTS:
        truth = put(THERE + [ball("own", 4.4)] + variant.get("add", []), materials=MATERIALS, filters=variant.get("filters", FILTERS_THERE))
        poses = {k: v for k, v in variant.items() if k not in ("add", "filters")}
        both = {**request, "variants": [poses]} if poses else {**request, "variants": [{"ids": [], "positions": []}]}
        one_by_one.append(client.post(f"{truth}/query/{kind}", both).must(200).json["results"][0])
    whole = {**request, "add": [ball("own", 4.4)], "variants": VARIANTS}
    found = client.post(f"{path}/query/{kind}", whole).must(200).json
    for i, (entry, truth) in enumerate(zip(found["results"], one_by_one)):
        equal(entry["results"], truth["results"], f"results of variant {i}")
    batch = client.post(f"{path}/query", {"queries": [{"kind": kind, **whole}]}).must(200).json["results"][0]["result"]
    equal(batch["results"], found["results"], "in a batch")
    if not set(request) & {"include", "closest", "pairs"}:
        equal(summaries(path, kind, whole, "count"), [v["count"] for v in found["results"]], "counts")
    joined, page = [], client.post(f"{path}/query/{kind}", {**whole, "limit": 2}).must(200).json
    while True:
        joined += [(v["variant"], r) for v in page["results"] for r in v["results"]]
        if page["complete"]:
            break
        page = client.post(f"{path}/query/{kind}", {"cursor": page["nextCursor"]}).must(200).json
    equal(joined, [(v["variant"], r) for v in found["results"] for r in v["results"]], "pages")


FILTERS_THERE = {"pairs": [{"a": "b3", "b": "b4", "collide": False}]}
suite.table("variants_equal_scenes", ((name, lambda n=name, r=request: variants_equal_scenes(n, r)) for name, request in OF_VARIANTS.items()))


@suite.fact
def where_and_pairs_name_bodies_that_variants_add():
    path = put(THERE[:5])
    tools = [{"add": [ball("tool", x)]} for x in (0.5, 30, 2)]
    equal(summaries(path, "overlap", {"variants": tools, "where": {"a": {"ids": ["tool"]}}}, "count"), [2, 0, 2], "where")
    equal(summaries(path, "overlap", {"variants": tools, "pairs": [["tool", "b0"], ["b3", "tool"]]}, "count"), [1, 0, 1], "pairs")
    closest = summaries(path, "distance", {"variants": tools, "where": {"a": {"ids": ["tool"]}}}, "closest")
    equal([round(c["distance"], 12) for c in closest], [-0.55, 25.2, -0.9], "closest")
    url, bare = f"{path}/query/overlap", [{"ids": ["b0"], "positions": [[0, 0, 0]]}]
    client.post(url, {"variants": tools + bare, "where": {"a": {"ids": ["tool"]}}}).problem(422, "unknown-id", "/where/a/ids/0")
    lacks = client.post(url, {"variants": tools + [{"add": []}], "pairs": [["b0", "tool"]]}).problem(422, "unknown-id", "/pairs/0/1")
    check("variant 3" in lacks.json["errors"][0]["detail"], lacks.json["errors"][0]["detail"])


@suite.fact
def contact_states_are_evaluated_in_scenes_of_variants():
    path = put(THERE[:2] + [ball("far", 10, motion={"mass": 1})])
    client.post(f"{path}/contactStates/s", {"time": 0}).must(201)
    variants = [{"add": []}, {"add": [ball("new", 8.5, motion={"mass": 1})]}]
    apart, near = client.post(f"{path}/query/zeroCrossings", {"contactState": "s", "variants": variants}).must(200).json["results"]
    z2 = [v["results"][0]["z2"]["value"] for v in (apart, near)]
    check(z2[0] > 1 and abs(z2[1] - 0.5) < 1e-6, f"z2 is {z2}")


@suite.fact
def an_invalid_hypothesis_of_a_variant_is_refused():
    path = put(THERE[:3])
    url = f"{path}/query/overlap"
    for variant, problem, pointer in (({"add": [ball("b1", 0)]}, "duplicate-id", "/variants/1/add/0/id"),
                                      ({"add": [ball("own", 0)]}, "duplicate-id", "/variants/1/add/0/id"),
                                      ({"add": [ball("x", 0), ball("x", 1)]}, "duplicate-id", "/variants/1/add/1/id"),
                                      ({"filters": {"pairs": [{"a": "b0", "b": "x"}]}}, "unknown-id", "/variants/1/filters/pairs/0/b"),
                                      ({"add": [], "positions": [[0, 0, 0]]}, "missing-member", "/variants/1/ids"),
                                      ({"ids": ["x"], "positions": [[0, 0, 0]], "add": []}, "unknown-id", "/variants/1/ids/0"),
                                      ({}, "missing-member", "/variants/1/ids"), ({"ad": []}, "unknown-member", "/variants/1/ad")):
        reply = client.post(url, {"add": [ball("own", 9)], "variants": [{"add": [ball("x", 5)]}, variant]}).problem(422, problem, pointer)
        # Any of three members makes a variant, so for an empty one no single missing member is named.
        check(variant or "ids, add and filters" in reply.json["detail"], reply.json["detail"])
    client.post(f"{path}/query/pairs", {"include": ["changes"], "variants": [{"add": []}]}).problem(422, "conflicting-members", "/include")


@suite.fact
def scenes_of_variants_do_not_depend_on_the_number_of_workers():
    bodies, texts = crowd(150, 23), []
    variants = [{"add": [ball("new", 0.05 * i)], "ids": ["b0000"], "positions": [[1, 0.1 * i, 1]]} if i % 3 else
                {"ids": ["b0004"], "positions": [[0.1 * i, 1, 1]]} for i in range(150)]
    for workers in ("1", "4"):
        with Daemon("--workers", workers) as other:
            asked = KeepAlive(other)
            asked.put("/v1/scenes/s", {"bodies": bodies}).must(201)
            texts.append([asked.post(f"/v1/scenes/s/query/{kind}", {"variants": variants, "deadlineMs": 600000, **more}).must(200).text
                          for kind, more in (("pairs", {}), ("overlap", {"method": "separatingAxis", "cache": True}), ("distance", {"limit": 70}))])
    equal(texts[1], texts[0], "replies of four workers")


# ---- summaries --------------------------------------------------------------------------------------------------------------


def summaries(path, kind, request, summary):
    reply = client.post(f"{path}/query/{kind}", {**request, "summary": summary}).must(200).json
    holds(reply, {"summary": summary, "complete": True, "count": len(reply["results"]), "total": len(reply["results"])})
    return reply["results"]


@suite.fact
def a_summary_is_the_count_minimum_or_presence_of_the_results():
    r = random.Random(17)
    bodies = crowd(60, 21)
    path = put(bodies, filters={"pairs": [{"a": "b0000", "b": "b0001", "collide": False}]})
    ids = [b["id"] for b in bodies]
    variants = [{"ids": ids[:4], "positions": [[r.uniform(-2, 6) for k in range(3)] for i in range(4)]} for unused in range(70)]
    pairs = [[a, b] for a in ids[:4] for b in ids[10:14]]
    for kind, more in (("pairs", {}), ("pairs", {"clearance": 0.1}), ("overlap", {}), ("overlap", {"clearance": 0.2}),
                       ("overlap", {"method": "separatingAxis"}), ("distance", {}), ("distance", {"clearance": 0.2}), ("contacts", {"clearance": 0.05}),
                       ("volume", {})):
        request = {**more, "variants": variants, "where": {"a": {"ids": ids[:4]}}}
        lists = [v["results"] for v in client.post(f"{path}/query/{kind}", request).must(200).json["results"]]
        equal(summaries(path, kind, request, "count"), [len(x) for x in lists], f"counts of {kind} {more}")
        equal(summaries(path, kind, request, "any"), [len(x) > 0 for x in lists], f"any of {kind} {more}")
        # Explicit pairs are counted like pairs that are found.
        named = {**more, "variants": variants, "pairs": pairs}
        wanted = [sum([x["a"], x["b"]] in pairs for x in results) for results in lists]
        equal(summaries(path, kind, named, "count"), wanted, f"counts of {kind} {more} of named pairs")
    request = {"variants": variants, "where": {"a": {"ids": ids[:4]}}}
    lists = [v["results"] for v in client.post(f"{path}/query/distance", {**request, "closest": True}).must(200).json["results"]]
    wanted = [{k: x[k] for k in ("a", "b", "distance")} for x, in lists]
    equal(summaries(path, "distance", request, "closest"), wanted, "closest")


@suite.fact
def a_query_without_variants_has_one_summary():
    path = put(THERE[:5])
    equal(summaries(path, "overlap", {}, "any"), [True], "any")
    equal(summaries(path, "overlap", {}, "count"), [4], "count")
    equal(summaries(path, "distance", {"poses": {"ids": ["b0"], "positions": [[-9, 0, 0]]}, "where": {"a": {"ids": ["b0"]}}}, "closest"),
          [{"a": "b0", "b": "b1", "distance": 8.95}], "closest")
    equal(summaries(path, "distance", {"pairs": []}, "closest"), [None], "closest of no pairs")
    equal(summaries(path, "distance", {"variants": []}, "closest"), [], "no variants")
    equal(summaries(path, "overlap", {"add": [ball("new", 0.5)]}, "count"), [6], "count of a supposed scene")


@suite.fact
def summaries_are_short_and_on_one_page():
    """36,000 booleans in one array, on one page."""
    path = put(THERE[:5])
    variants = [{"ids": ["b0"], "positions": [[0.25 * (i % 9) - 1.25, 0, 0]]} for i in range(36000)]
    request = {"variants": variants, "where": {"a": {"ids": ["b0"]}}, "summary": "any", "deadlineMs": 600000}
    reply = client.post(f"{path}/query/overlap", request).must(200)
    holds(reply.json, {"count": 36000, "complete": True})
    equal(reply.json["results"], [i % 9 > 4 for i in range(36000)], "answers")  # balls of radius 0.5 at 0.95, 1.9 ...; b0 from -1.25 on
    check(len(reply.body) < 36000 * 6 + 200, f"{len(reply.body)} bytes")


@suite.fact
def concatenated_pages_of_summaries_are_the_whole():
    path = put(THERE[:5])
    request = {"variants": [{"ids": ["b0"], "positions": [[0.3 * i - 3, 0, 0]]} for i in range(20)], "summary": "count"}
    whole = summaries(path, "overlap", {k: v for k, v in request.items() if k != "summary"}, "count")
    page = client.post(f"{path}/query/overlap", {**request, "limit": 6}).must(200).json
    joined = page["results"]
    while not page["complete"]:
        page = client.post(f"{path}/query/overlap", {"cursor": page["nextCursor"]}).must(200).json
        holds(page, {"summary": "count", "total": 20})
        joined = joined + page["results"]
    equal(joined, whole, "pages of summaries")


@suite.fact
def summaries_do_not_depend_on_the_number_of_workers():
    bodies, texts = crowd(150, 22), []
    variants = [{"ids": ["b0000", "b0004"], "positions": [[0.1 * i, 1, 1], [1, 0.1 * i, 1]]} for i in range(150)]
    for workers in ("1", "4"):
        with Daemon("--workers", workers) as other:
            asked = KeepAlive(other)
            asked.put("/v1/scenes/s", {"bodies": bodies}).must(201)
            texts.append([asked.post(f"/v1/scenes/s/query/{kind}", {"summary": summary, "variants": variants, "deadlineMs": 600000,
                                                                    "add": [ball("new", 2)], "limit": 120}).must(200).text
                          for kind, summary in (("pairs", "count"), ("overlap", "any"), ("distance", "closest"))])
    equal(texts[1], texts[0], "replies of four workers")


@suite.fact
def members_without_effect_on_a_summary_are_refused():
    path = put(THERE[:2])
    for kind, more, pointer in (("distance", {"include": ["gradient"]}, "/include"), ("distance", {"method": "mpr"}, "/method"),
                                ("volume", {"triangles": True}, "/triangles"), ("distance", {"closest": True}, "/closest"),
                                ("overlap", {"method": "separatingAxis", "variants": [], "cache": True}, "/cache")):
        client.post(f"{path}/query/{kind}", {"summary": "any", **more}).problem(422, "conflicting-members", pointer)
    client.post(f"{path}/query/overlap", {"summary": "closest"}).problem(422, "bad-value", "/summary")
    client.post(f"{path}/query/raycast", {"summary": "any", "rays": []}).problem(422, "unknown-member", "/summary")
    check(json.loads(client.post(f"{path}/query/distance", {"summary": "closest", "closest": True}).must(200).text)["count"] == 1, "closest twice")


suite.main()
