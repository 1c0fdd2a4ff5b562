"""Pages of answers: the total on every page, cursors that continue without the request, limits beside raw boxes.
Truth: the concatenated pages are the answer without pages; boxes by integers in Python."""
import random
import time

from support.checks import Suite, check, equal, holds
from support.client import Curl, KeepAlive
from support.daemon import Daemon
from support.scenes import crowd

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)
numbers = iter(range(1000))
TETRAHEDRON = {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "triangles": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]}


def ball(name, x, y=0.0, z=0.0, **rest):
    return {"id": name, "position": [x, y, z], "colliders": [{"sphere": {"radius": 0.5}}], **rest}


def row_scene(path=None):
    """Eight balls of mass 1 in a row, each overlapping its neighbours by 0.05, and three intersecting meshes."""
    path = path or f"/v1/scenes/row{next(numbers)}"
    bodies = [ball(f"b{i}", 0.95 * i, motion={"mass": 1}) for i in range(8)]
    bodies += [{"id": f"m{i}", "position": [0.2 * i, 5, 0.1 * i], "colliders": [{"mesh": TETRAHEDRON}]} for i in range(3)]
    client.put(path, {"bodies": bodies, "materials": {"default": {"youngsModulus": 1e9, "poissonRatio": 0.3}}}).must(201)
    return path


DOWN = {"duration": 1, "motions": [{"id": f"b{i}", "twist": {"linearVelocity": [0, 0.1 * i, 0]}} for i in range(8)]}
RAYS = [{"origin": [-1 - i, 0, 0.01 * i], "direction": [1, 0, 0]} for i in range(3)]
KINDS = {"pairs": {}, "overlap": {}, "distance": {"clearance": 3}, "contacts": {"clearance": 0.1}, "volume": {}, "features": {},
         "massProperties": {}, "raycast": {"rays": RAYS, "hits": "all"}, "nearest": {"points": [[0, 0, 0], [2, 0, 0]], "k": 4},
         "point": {"points": [[0.475, 0, 0], [2.3, 0, 0]]}, "region": {"region": {"min": [-1, -1, -1], "max": [9, 9, 9]}},
         "sweep": DOWN, "timeline": {**DOWN, "duration": 8}, "restingForces": {"gravity": [0, 0, 0]}, "impulse": {}, "compliantForces": {},
         "volume sparsify": {"sparsify": {"threshold": 0.1}}, "sweep earliest": {**DOWN, "earliest": True},
         "distance pairs": {"pairs": [["b0", "b5"], ["b3", "b1"], ["b2", "b7"]]},
         "overlap brute force": {"broadphase": "bruteForce"}, "overlap where": {"where": {"a": {"ids": ["b3"]}}}}


def pages(path, kind, request, limit):
    """All pages; each after the first is requested with its cursor alone."""
    page = client.post(f"{path}/query/{kind}", {**request, "limit": limit}).must(200).json
    out = [page]
    while not page["complete"]:
        page = client.post(f"{path}/query/{kind}", {"cursor": page["nextCursor"]}).must(200).json
        out.append(page)
    return out


def every_page_has_the_total(name, request):
    kind = name.split()[0]
    path = row_scene(f"/v1/scenes/row-{name.replace(' ', '-')}")
    whole = client.post(f"{path}/query/{kind}", request).must(200).json
    holds(whole, {"complete": True, "total": whole["count"]})
    check(whole["count"] >= (1 if kind in ("restingForces", "impulse") or name == "sweep earliest" else 2), f"only {whole['count']} results")
    for limit in (1, 2):
        found = pages(path, kind, request, limit)
        equal([p["total"] for p in found], [whole["count"]] * len(found), f"totals of pages of {limit}")
        equal([p["count"] for p in found[:-1]], [limit] * (len(found) - 1), "counts of pages")
        equal(sum((p["results"] for p in found), []), whole["results"], f"results on pages of {limit}")


suite.table("total_and_cursor_alone", ((name, lambda n=name, r=request: every_page_has_the_total(n, r)) for name, request in KINDS.items()))


@suite.fact
def variants_are_continued_by_the_cursor_alone():
    path = row_scene()
    variants = [{"ids": ["b0"], "positions": [[0.5 * i, 0, 0.01 * i]]} for i in range(40)]
    request = {"variants": variants}
    whole = client.post(f"{path}/query/overlap", request).must(200).json
    holds(whole, {"count": 40, "total": 40})
    joined = {}
    for page in pages(path, "overlap", request, 7):
        equal(page["total"], 40, "variants in all")
        for part in page["results"]:
            joined.setdefault(part["variant"], []).extend(part["results"])
    equal(joined, {v["variant"]: v["results"] for v in whole["results"]}, "results of all pages")


@suite.fact
def a_large_query_is_continued_by_the_cursor_alone():
    """8,000 variants, whose answer is read in pages of 100 results."""
    path = row_scene()
    variants = [{"ids": ["b0"], "positions": [[0.5 * (i % 16), 0, 0.3]]} for i in range(8000)]
    request = {"variants": variants, "where": {"a": {"ids": ["b0"]}}}
    page = client.post(f"{path}/query/overlap", {**request, "limit": 100}).must(200).json
    for unused in range(3):
        sent = {**request, "cursor": page["nextCursor"], "limit": 100}
        alone = client.post(f"{path}/query/overlap", {"cursor": page["nextCursor"]}).must(200)
        equal(alone.text, client.post(f"{path}/query/overlap", sent).must(200).text, "page by the cursor alone")
        page = alone.json


@suite.fact
def a_page_may_have_its_own_limit():
    path = row_scene()
    page = client.post(f"{path}/query/overlap", {"limit": 3, "deadlineMs": 5000}).must(200).json
    after = client.post(f"{path}/query/overlap", {"cursor": page["nextCursor"], "limit": 2, "deadlineMs": 1000}).must(200).json
    holds(after, {"count": 2, "total": page["total"], "truncated": True})
    last = client.post(f"{path}/query/overlap", {"cursor": after["nextCursor"]}).must(200).json
    equal(last["count"], 2, "results on a page as long as the one before")


@suite.fact
def a_cursor_alone_continues_at_its_revision():
    path = row_scene()
    page = client.post(f"{path}/query/distance", {"clearance": 0.5, "limit": 2}).must(200).json
    client.patch(f"{path}/poses", {"ids": ["b7"], "positions": [[100, 0, 0]]}).must(200)
    after = client.post(f"{path}/query/distance", {"cursor": page["nextCursor"]}).must(200)
    equal(after.json["revision"], page["revision"], "revision of the second page")


@suite.fact
def a_cursor_of_another_kind_or_scene_is_refused():
    path = row_scene()
    page = client.post(f"{path}/query/distance", {"clearance": 0.5, "limit": 2}).must(200).json
    client.post(f"{path}/query/overlap", {"cursor": page["nextCursor"]}).problem(422, "bad-cursor", "/cursor")
    client.put("/v1/scenes/other", {"bodies": []}).must(201)
    client.post("/v1/scenes/other/query/distance", {"cursor": page["nextCursor"]}).problem(410, "revision-gone")
    client.post(f"{path}/query/distance", {"cursor": "nonsense"}).problem(422, "bad-cursor", "/cursor")
    client.post(f"{path}/query/distance", {"cursor": page["nextCursor"], "clearance": 0.4}).problem(422, "bad-cursor", "/cursor")


@suite.fact
def a_cursor_alone_is_refused_in_batches_and_without_a_scene():
    path = row_scene()
    page = client.post(f"{path}/query", {"queries": [{"kind": "distance", "clearance": 0.5, "limit": 2}]}).must(200).json["results"][0]["result"]
    reply = client.post(f"{path}/query", {"queries": [{"kind": "distance", "cursor": page["nextCursor"]}]}).must(200).json
    equal(reply["results"][0]["problem"]["type"], "/problems/bad-cursor", "in a batch")
    sent = client.post(f"{path}/query", {"queries": [{"kind": "distance", "clearance": 0.5, "cursor": page["nextCursor"]}]}).must(200).json
    equal(sent["results"][0]["result"]["total"], page["total"], "total of the second page")
    boxes = [[i, 0, 0, i + 1, 1, 1] for i in range(5)]
    page = client.post("/v1/query/pairs", {"boxes": boxes, "limit": 2}).must(200).json
    client.post("/v1/query/pairs", {"cursor": page["nextCursor"]}).must(422)


@suite.fact
def continued_queries_are_stored_within_limits_and_expire():
    with Daemon("--limit", "cursorSeconds=2", "--limit", "cursorsPerScene=2") as short:
        other = Curl(short)
        other.put("/v1/scenes/s", {"bodies": [ball(f"b{i}", 0.9 * i) for i in range(9)]}).must(201)
        cursors = [other.post("/v1/scenes/s/query/distance", {"clearance": c, "limit": 2}).must(200).json["nextCursor"] for c in (1, 2, 3)]
        other.post("/v1/scenes/s/query/distance", {"cursor": cursors[0]}).problem(410, "revision-gone")
        other.post("/v1/scenes/s/query/distance", {"clearance": 1, "cursor": cursors[0]}).must(200)
        for cursor in cursors[2:]:
            other.post("/v1/scenes/s/query/distance", {"cursor": cursor}).must(200)
        time.sleep(4)
        other.post("/v1/scenes/s/query/distance", {"cursor": cursors[2]}).problem(410, "revision-gone")
    with Daemon("--limit", "cursorsBytes=300") as small:
        other = Curl(small)
        other.put("/v1/scenes/s", {"bodies": [ball(f"b{i}", 0.9 * i) for i in range(9)]}).must(201)
        short_one = other.post("/v1/scenes/s/query/overlap", {"limit": 2}).must(200).json["nextCursor"]
        other.post("/v1/scenes/s/query/overlap", {"cursor": short_one}).must(200)
        pairs = [["b0", f"b{i % 8 + 1}"] for i in range(60)]
        long_one = other.post("/v1/scenes/s/query/overlap", {"limit": 2, "pairs": pairs}).must(200).json["nextCursor"]
        other.post("/v1/scenes/s/query/overlap", {"cursor": long_one}).problem(410, "revision-gone")
        other.post("/v1/scenes/s/query/overlap", {"cursor": long_one, "pairs": pairs}).must(200)


@suite.fact
def a_total_is_counted_only_if_requested():
    path = row_scene()
    page = client.post(f"{path}/query/overlap", {"limit": 2, "total": False}).must(200).json
    check("total" not in page, "a total was counted")
    check("total" not in client.post(f"{path}/query/overlap", {"cursor": page["nextCursor"]}).must(200).json, "the next page has one")
    client.post(f"{path}/query/overlap", {"total": 1}).problem(422, "wrong-type", "/total")


@suite.fact
def more_candidates_than_the_limit_have_no_total():
    with Daemon("--limit", "pairs=20") as narrow:
        other = Curl(narrow)
        other.put("/v1/scenes/s", {"bodies": [ball(f"b{i}", 0.01 * i) for i in range(9)]}).must(201)  # 36 pairs
        page = other.post("/v1/scenes/s/query/overlap", {"limit": 5}).must(200).json
        holds(page, {"count": 5, "total": None, "truncated": True})
        holds(other.post("/v1/scenes/s/query/overlap", {"cursor": page["nextCursor"]}).must(200).json, {"count": 5, "total": None})


@suite.fact
def totals_do_not_depend_on_the_number_of_workers():
    bodies, replies = crowd(1200), []
    for workers in ("1", "4"):
        with Daemon("--workers", workers) as other:
            asked = KeepAlive(other)
            asked.put("/v1/scenes/crowd", {"bodies": bodies}).must(201)
            replies.append([asked.post(f"/v1/scenes/crowd/query/{kind}", request).must(200).text for kind, request in (
                ("overlap", {"limit": 1}), ("distance", {"clearance": 0.1, "limit": 50}), ("contacts", {"limit": 10}),
                ("sweep", {"duration": 0.1, "limit": 3, "motions": [{"id": "b0000", "twist": {"linearVelocity": [9, 9, 9]}}]}))])
            whole = asked.post("/v1/scenes/crowd/query/overlap", {"limit": 1000000}).must(200).json
            equal(asked.post("/v1/scenes/crowd/query/overlap", {"limit": 1}).json["total"], whole["count"], "total")
    equal(replies[1], replies[0], "replies of four workers")


@suite.fact
def a_limit_works_beside_raw_boxes():
    r = random.Random(16)
    boxes = []
    for unused in range(60):
        low = [r.randrange(6) for k in range(3)]
        boxes.append(low + [c + r.randrange(1, 3) for c in low])
    truth = [[i, j] for i in range(60) for j in range(i + 1, 60)
             if all(boxes[i][k] <= boxes[j][k + 3] and boxes[j][k] <= boxes[i][k + 3] for k in range(3))]
    for method in ("auto", "sweep", "grid"):
        request, joined, count = {"boxes": boxes, "broadphase": method, "limit": 17}, [], 0
        while True:
            page = client.post("/v1/query/pairs", request).must(200).json
            joined += page["pairs"]
            equal(page["total"], len(truth), "total")
            count += 1
            if page["complete"]:
                break
            equal(page["count"], 17, "count of a page")
            request["cursor"] = page["nextCursor"]
        equal(joined, truth, f"pairs by {method}")
        equal(count, -(-len(truth) // 17), "pages")
    whole = client.post("/v1/query/pairs", {"boxes": boxes, "limit": 1000000}).must(200).json
    holds(whole, {"complete": True, "count": len(truth), "pairs": truth})


@suite.fact
def frames_of_boxes_are_on_the_first_page():
    boxes = [[i, 0, 0, i + 1, 1, 1] for i in range(6)]
    request = {"boxes": boxes, "frames": [boxes], "limit": 2}
    page = client.post("/v1/query/pairs", request).must(200).json
    holds(page, {"count": 2, "total": 5, "complete": False})
    equal([f["count"] for f in page["frames"]], [5], "frames")
    after = client.post("/v1/query/pairs", {**request, "cursor": page["nextCursor"]}).must(200).json
    equal(after["pairs"], [[2, 3], [3, 4]], "second page")
    check("frames" not in after, "frames on the second page")


@suite.fact
def a_page_that_just_fits_into_the_memory_has_the_total():
    """The page ends within a range of pairs whose text may continue beyond the page; later ranges are only counted."""
    small = Daemon("--workers", "1", "--limit", "requestMemoryBytes=1048576").start()
    try:
        rest = KeepAlive(small)
        bodies = [ball(f"b{i:03}" + "x" * 200, 0.3 * (i % 100), 0.3 * (i // 100))
                  for i in range(500)]
        rest.put("/v1/scenes/large", {"bodies": bodies[:100]}).must(201)
        for i in range(100, len(bodies), 100):
            rest.post("/v1/scenes/large/bodies", bodies[i:i + 100]).must(201)
        total = rest.post("/v1/scenes/large/query/distance", {"limit": 1}).must(200).json["total"]
        for limit in range(1320, 1393, 12):
            page = rest.post("/v1/scenes/large/query/distance", {"limit": limit})
            check(page.must(200) and 2 * len(page.text) > 1048576, f"only {len(page.text)} bytes")
            holds(page.json, {"count": limit, "total": total, "complete": False})
    finally:
        small.stop()


suite.main()
