"""State carried across a scene's variants: pairs that begin and end, sweep and prune from frame to frame, cached
separating planes.
Truth: boxes by integers in Python."""
import random

from support.checks import Suite, check, equal, holds
from support.client import Curl
from support.daemon import Daemon

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = Curl(daemon)
METHODS = ("auto", "tree", "sweep", "sweepSingleAxis", "hybrid", "grid", "bruteForce")
COUNT = 40


def scene_of(name, count=COUNT, size=1):
    bodies = [{"id": f"b{i:03}", "colliders": [{"box": {"size": [size, size, size]}}]} for i in range(count)]
    client.put(f"/v1/scenes/{name}", {"bodies": bodies}).must(201)
    return [b["id"] for b in bodies]


def walk(seed, frames, count=COUNT, span=10, movers=COUNT):
    """Frames of cube corners on a grid of halves; the first `movers` move by up to a half per frame."""
    r = random.Random(seed)
    now = [[r.randrange(span) for _ in range(3)] for _ in range(count)]
    out = []
    for _ in range(frames):
        out.append([list(p) for p in now])
        for p in now[:movers]:
            for k in range(3):
                p[k] += r.randint(-1, 1)
    return out


def variants_of(ids, frames):
    return [{"ids": ids, "positions": [[x / 2 for x in p] for p in frame]} for frame in frames]


def truth(ids, frame):
    """Overlapping pairs of closed unit cubes with corners in halves."""
    return [[ids[i], ids[j]] for i in range(len(frame)) for j in range(i + 1, len(frame))
            if all(abs(p - q) <= 2 for p, q in zip(frame[i], frame[j]))]


def ask(name, kind, request):
    return client.post(f"/v1/scenes/{name}/query/{kind}", request).must(200).json


@suite.fact
def every_broadphase_reports_the_same_pairs_and_changes():
    ids = scene_of("pairs")
    frames = walk(1, 12, span=14)
    for method in METHODS:
        reply = ask("pairs", "pairs", {"variants": variants_of(ids, frames), "broadphase": method, "include": ["changes"], "limit": 100000})
        before = []
        for k, (variant, frame) in enumerate(zip(reply["results"], frames)):
            wanted = truth(ids, frame)
            equal([[r["a"], r["b"]] for r in variant["results"]], wanted, f"{method}: pairs of frame {k}")
            equal(variant["begun"], [p for p in wanted if p not in before], f"{method}: begun in frame {k}")
            equal(variant["ended"], [p for p in before if p not in wanted], f"{method}: ended in frame {k}")
            holds(variant["statistics"], {"pairs": len(wanted), "begun": len(variant["begun"]), "ended": len(variant["ended"])})
            check(method == "auto" or variant["broadphase"] == method, f"{method}: {variant['broadphase']}")
            before = wanted


@suite.fact
def variants_find_the_pairs_of_single_queries():
    """A floor, a compound, filters, where and a clearance: each variant equals the single query at its poses."""
    cube = {"box": {"size": [1, 1, 1]}}
    bodies = [{"id": "floor", "colliders": [{"plane": {}}]},
              {"id": "pole", "colliders": [cube, {**cube, "position": [0, 0, 3]}]}]
    bodies += [{"id": f"c{i}", "colliders": [cube], "groups": ["even"] if i % 2 == 0 else []} for i in range(12)]
    scene = {"bodies": bodies, "filters": {"groups": {"even": {"notCollideWith": ["even"]}}, "pairs": []}}
    client.put("/v1/scenes/mixed", scene).must(201)
    r = random.Random(6)
    ids = [b["id"] for b in bodies[1:]]
    variants = [{"ids": ids, "positions": [[r.randrange(-2, 3) / 2, r.randrange(-2, 3) / 2, r.randrange(1, 9) / 2] for _ in ids]}
                for _ in range(6)]
    for more in ({"clearance": 0.25}, {"where": {"a": {"ids": ["pole"]}}}):
        wanted = [ask("mixed", "pairs", {**more, "poses": v, "broadphase": "bruteForce"})["results"] for v in variants]
        check(min(len(w) for w in wanted) > 0 and max(len(w) for w in wanted) < 60, "some pairs")
        for method in METHODS:
            found = ask("mixed", "pairs", {**more, "variants": variants, "broadphase": method})["results"]
            equal([v["results"] for v in found], wanted, f"{method} {more}")
            equal([v["statistics"]["pairs"] for v in found], [len(w) for w in wanted], f"{method}: pairs")


@suite.fact
def a_sweep_is_incremental_from_the_frame_before():
    """T2.3 in a scene: at rest no swaps; auto uses the sweep for boxes that were expensive in the previous frame."""
    ids = scene_of("rest")
    frames = walk(2, 1) * 4
    still = ask("rest", "pairs", {"variants": variants_of(ids, frames), "broadphase": "sweep", "limit": 100000})["results"]
    equal([v["statistics"]["fullSorts"] for v in still], [1, 0, 0, 0], "sorted anew")
    equal([v["statistics"]["swaps"] for v in still], [0, 0, 0, 0], "swaps")
    equal([v["statistics"]["begun"] for v in still[1:]], [0, 0, 0], "begun")
    moved = ask("rest", "pairs", {"variants": variants_of(ids, walk(3, 4, movers=3)), "broadphase": "sweep", "limit": 100000})["results"]
    check(all(v["statistics"]["swaps"] > 0 and v["statistics"]["fullSorts"] == 0 for v in moved[1:]), "moved boxes swap")
    ids = scene_of("hard", 64, 0.25)
    apart = [[[i, 2 * i % 7, i % 5] for i in range(64)]] * 70
    chosen = ask("hard", "pairs", {"variants": variants_of(ids, apart)})["results"]
    methods = [v["broadphase"] for v in chosen]
    check(methods[0] != "sweep", f"the first frame has no lists: {methods[0]}")
    equal(methods[1:64], [methods[1]] * 63, "alike frames are alike within a block")


@suite.fact
def two_intervals_that_pass_each_other_swap_four_times():
    """An exchange of two intervals is four swaps of their ends, on each axis along which they pass."""
    ids = scene_of("two", 10)
    others = [[-8 * k, 4 * k, 40 * k] for k in range(1, 9)]
    there, back = [[0, 0, 0], [6, 0, 0]] + others, [[12, 0, 0], [6, 0, 0]] + others
    reply = ask("two", "pairs", {"variants": variants_of(ids, [there, back, there]), "broadphase": "sweep"})
    equal([v["statistics"]["fullSorts"] for v in reply["results"]], [1, 0, 0], "sorted anew")
    equal([v["statistics"]["swaps"] for v in reply["results"]], [0, 4, 4], "swaps")


@suite.fact
def pages_and_workers_do_not_change_variants():
    """On any page, a variant that the page contains completely is the variant of the whole answer."""
    ids = scene_of("pages", 14)
    for kind, more in (("pairs", {"broadphase": "sweep", "include": ["changes"]}), ("pairs", {"include": ["changes"]}),
                       ("overlap", {"method": "separatingAxis"}),
                       ("distance", {"method": "separatingAxis", "include": ["separatingPlane"], "clearance": 0.6})):
        request = {"variants": variants_of(ids, walk(4, 140, 14, span=9)), **more}
        whole = ask("pages", kind, {**request, "limit": 1000000})
        check("nextCursor" not in whole, "one page")
        by_number = {v["variant"]: v for v in whole["results"]}
        found, cursor, told = {}, None, 0
        while True:
            page = ask("pages", kind, {**request, "limit": 999, **({"cursor": cursor} if cursor else {})})
            for v in page["results"]:
                found.setdefault(v["variant"], []).extend(v["results"])
                if "statistics" in v:
                    told += 1
                    equal(v, by_number[v["variant"]], f"{kind}: variant {v['variant']} of a page")
            cursor = page.get("nextCursor")
            if not cursor:
                break
        equal(found, {n: v["results"] for n, v in by_number.items()}, f"{kind}: results of all pages")
        check(told > 70, f"{kind}: {told} variants told whole")


@suite.fact
def row_40_a_cache_changes_no_overlap():
    """Random motions of rotated boxes, hulls and balls: the same overlaps with cached planes, without, and by auto."""
    r = random.Random(5)
    shapes = [{"box": {"size": [1, 1.5, 0.5]}}, {"sphere": {"radius": 0.5}},
              {"convex": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.75, 0.75, 0.75]]}}]
    bodies = [{"id": f"m{i:02}", "colliders": [shapes[i % 3]]} for i in range(9)]
    client.put("/v1/scenes/motions", {"bodies": bodies}).must(201)
    ids = [b["id"] for b in bodies]
    places = [[r.uniform(0, 2) for _ in range(3)] for _ in ids]
    turns = [[r.uniform(-1, 1) for _ in range(4)] for _ in ids]
    variants = []
    for _ in range(70):
        variants.append({"ids": ids, "positions": [list(p) for p in places],
                         "rotations": [[x / sum(c * c for c in t) ** 0.5 for x in t] for t in turns]})
        for p in places + turns:
            for k in range(len(p)):
                p[k] += r.uniform(-0.05, 0.05)
    pairs = [[a, b] for i, a in enumerate(ids) for b in ids[i + 1:]]
    answers = {}
    for name, more in (("on", {"method": "separatingAxis"}), ("off", {"method": "separatingAxis", "cache": False}), ("auto", {}),
                       ("general", {"method": "gjkEpa"})):
        reply = ask("motions", "overlap", {"variants": variants, "pairs": pairs, "limit": 1000000, **more})
        answers[name] = [[result["overlap"] for result in v["results"]] for v in reply["results"]]
        if name == "on":
            total = reply["statistics"]
            equal(sum(total.values()), len(pairs) * len(variants), "every pair is counted once")
            for word in ("hits", "repairs", "searches"):
                equal(sum(v["statistics"][word] for v in reply["results"]), total[word], word)
            check(total["hits"] > 10 * total["repairs"] > 0, f"{total}")
            equal(reply["results"][64]["statistics"]["searches"], len(pairs), "planes are remembered within 64 variants")
        else:
            check("statistics" not in reply, "no planes are remembered")
    check(answers["on"] == answers["off"] == answers["auto"] == answers["general"], "the same yes and no")
    overlapping = sum(sum(v) for v in answers["auto"])
    check(100 < overlapping < len(pairs) * len(variants) / 2, f"{overlapping} overlap")


@suite.fact
def row_40_a_sliding_box_needs_one_search():
    """T3.6: half cubes, b slides along the face +x of a: one search, then ten cache hits; the plane is 0.2 away."""
    scene = {"bodies": [{"id": x, "colliders": [{"box": {"size": [1, 1, 1]}}]} for x in "ab"]}
    variants = [{"ids": ["b"], "positions": [[1.2, frame / 10, 0]]} for frame in range(11)]
    for kind in ("overlap", "distance"):
        reply = client.post(f"/v1/query/{kind}", {"scene": scene, "pairs": [["a", "b"]], "variants": variants, "method": "separatingAxis",
                                                  "include": ["separatingPlane"]}).must(200).json
        equal(reply["statistics"], {"hits": 10, "repairs": 0, "searches": 1}, kind)
        for v in reply["results"]:
            plane = v["results"][0]["separatingPlane"]
            holds(plane, {"kind": "faceA", "featureA": 1, "normal": [1, 0, 0]})
            check(abs(plane["separation"] - 0.2) < 1e-15, f"{plane['separation']}")


@suite.fact
def members_that_need_variants_are_refused_without_them():
    scene = {"bodies": [{"id": x, "colliders": [{"box": {"size": [1, 1, 1]}}]} for x in "ab"]}
    for kind, request, pointer in (("pairs", {"include": ["changes"]}, "/include"),
                                   ("pairs", {"include": ["changes"], "variants": [{"ids": [], "positions": []}], "pairs": [["a", "b"]]}, "/include"),
                                   ("overlap", {"method": "separatingAxis", "cache": True}, "/cache"),
                                   ("overlap", {"method": "mpr", "cache": True, "variants": [{"ids": [], "positions": []}]}, "/cache")):
        problem = client.post(f"/v1/query/{kind}", {"scene": scene, **request}).must(422).json
        equal(problem["errors"][0]["pointer"], pointer, "pointer")


suite.main()
