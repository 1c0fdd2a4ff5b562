"""The reference scenes (robots, planning scenes, piles) through the HTTP API: every pair within the scene's threshold as listed.

Bodies of one group are filtered out, as the reference does. Distances within 1e-10 of the larger of |distance| and the sum of the
two bounding radii (a plane counts 0); a listed touch may be answered either way; a pair whose listed distance is within that
allowance of the threshold may be there or not.
"""
import math

from support import corpus
from support.checks import Suite, check, equal
from support.client import KeepAlive
from support.daemon import Daemon

ALLOWED = 1e-10
suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)


def plain(name):
    """Ids and groups in the grammar of ids."""
    return name.replace("/", ":").replace("#", ":").replace(" ", "_")


def scene_of(reference):
    bodies, groups = [], []
    for index, body in enumerate(reference["bodies"]):
        out = corpus.body(f"{index}:{plain(body['id'])}", body)
        if body.get("group") is not None:
            out["groups"] = [plain(str(body["group"]))]
            groups += out["groups"]
        if body.get("mass") and not body.get("fixed") and body["shape"]["type"] not in ("half_space", "mesh"):
            out["motion"] = {"mass": body["mass"]}
        bodies.append(out)
    rules = {group: {"notCollideWith": [group]} for group in sorted(set(groups))}
    return {"bodies": bodies, "filters": {"groups": rules}}


def radius(shape):
    """Of a ball about the shape's own origin or, for vertices, half the diagonal of their box; a plane counts 0."""
    kind = shape["type"]
    if kind == "sphere":
        return shape["radius"]
    if kind == "box":
        return math.hypot(*shape["half_extents"])
    if kind == "capsule":
        return shape["radius"] + shape["half_length"]
    if kind in ("cylinder", "cone"):
        return math.hypot(shape["radius"], shape["half_length"])
    if kind == "ellipsoid":
        return max(shape["radii"])
    if kind == "half_space":
        return 0.0
    return 0.5 * math.hypot(*(max(v[i] for v in shape["vertices"]) - min(v[i] for v in shape["vertices"]) for i in range(3)))


def compare(reference, results):
    expect = reference["expect"]
    bodies = reference["bodies"]
    listed = {(pair["a"], pair["b"]): pair for pair in expect["pairs"]}
    answered = {}
    for result in results:
        key = tuple(int(result[side].split(":")[0]) for side in "ab")
        check(key not in answered and key[0] < key[1], f"{key} is answered twice or out of order")
        answered[key] = result
    faults, worst = [], 0.0
    for key, pair in listed.items():
        truth = pair.get("signed_distance", pair.get("distance"))
        size = max(abs(truth), sum(radius(bodies[i]["shape"]) for i in key))
        if key not in answered:
            if truth < expect["distance_threshold"] - ALLOWED * size:
                faults.append(f"{key} at {truth} is missing")
            continue
        got = answered[key]["distance"]
        worst = max(worst, abs(got - truth) / size)
        if abs(got - truth) > ALLOWED * size:
            faults.append(f"{key}: {got}, should be {truth} ({abs(got - truth) / size:.2g} of the size)")
        if not pair.get("touching") and (got <= 0) != (truth <= 0):
            faults.append(f"{key}: {got} and {truth} are on different sides")
    for key, result in answered.items():
        if key not in listed and result["distance"] < expect["distance_threshold"] * (1 - 1e-9):
            faults.append(f"{key} at {result['distance']} is not listed")
    check(not faults, f"{len(faults)} faults: " + "; ".join(faults[:8]))
    return worst


def one(path):
    reference = corpus.document(path)
    name = plain(reference["name"])
    client.put(f"/v1/scenes/{name}", scene_of(reference)).must(201)
    request = {"clearance": reference["expect"]["distance_threshold"], "limit": 100000}
    reply = client.post(f"/v1/scenes/{name}/query/distance", request).must(200).json
    worst = compare(reference, reply["results"])
    touching = client.post(f"/v1/scenes/{name}/query/overlap", {"limit": 100000}).must(200).json
    overlapping = {(r["a"], r["b"]) for r in reply["results"] if r["distance"] <= 0}
    equal({(r["a"], r["b"]) for r in touching["results"]}, overlapping, "pairs of overlap against those of distance <= 0")
    print(f"  {name:24}{len(reference['bodies']):4} bodies {reply['count']:5} pairs, worst {worst:.2g} of the size")


paths, left_out = corpus.scenes()
suite.table("scene", ((path.stem, lambda path=path: one(path)) for path in paths))
if left_out:
    print(f"{left_out} scenes of the full corpus are not here (CONTACTD_CORPUS)")
    suite.add(skipped=left_out)
suite.main()
