"""The reference pairs with triangle meshes through the HTTP API, each in both readings.
Surface reading (`solid: false`): the corpus' distance within the allowance of support/measure.py, with points,
vector, normal and bounds; meshes that cross have distance 0, one common point, and `depthKind: none`. Solid reading
(`solid: true`): `solid_overlap` and containment; separated solids answer like surfaces to the bit, overlapping ones
have a distance of at most 0."""
import json

from support import corpus, exact
from support.checks import Suite, check, equal
from support.client import KeepAlive
from support.daemon import Daemon
from support.measure import Allowance, Table, faults_of, measure

suite = Suite()
cases, left_out = corpus.cases("meshes", corpus.mesh_pair)
files, files_left_out = corpus.mesh_files()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)
worst = Table()


def ask(kind, case, solid):
    request = {side: corpus.placed(case[side], solid) for side in "ab"}
    reply = client.post(f"/v1/query/{kind}", request).must(200).json
    equal(reply["count"], 1, "results")
    return reply["results"][0]


def same_side(answer, overlap):
    """distance and overlap agree."""
    equal(overlap["overlap"], answer["distance"] <= 0, f"overlap beside the distance {answer['distance']}")
    equal(answer["relation"] == "separated", answer["distance"] > 0, "separated")


def surfaces(case):
    expect, answer = case["expect"], ask("distance", case, False)
    overlap = ask("overlap", case, False)
    same_side(answer, overlap)
    equal(overlap["overlap"], expect["overlap"], "overlap")
    if expect["overlap"]:
        crossing(case, answer)
    else:
        close(case, answer)


def close(case, answer):
    errors = measure(case, answer, convex=False)
    worst.add(case, errors)
    check(not faults_of(errors), "; ".join(faults_of(errors)) + f" (answer {json.dumps(answer)})")


def crossing(case, answer):
    """The common point is on the meshes; a convex partner is solid and may contain it."""
    equal((answer["distance"], answer["depthKind"]), (0, "none"), "crossing surfaces")
    equal(answer["pointA"], answer["pointB"], "the point of crossing surfaces")
    errors = measure(case, answer, convex=False)
    off = [exact.Placed(case[side]["shape"], case[side]["pose"]).off_surface(exact.vector(answer["pointA"]))
           for side in "ab" if case[side]["shape"]["type"] == "mesh"]
    errors["points"] = float(max(off)) / Allowance(case).all
    worst.add(case, errors)
    check(not faults_of(errors), "; ".join(faults_of(errors)) + f" (answer {json.dumps(answer)})")


def solids(case):
    expect, answer = case["expect"], ask("distance", case, True)
    if expect.get("solid_overlap") is None:
        return
    same_side(answer, ask("overlap", case, True))
    equal(answer["distance"] <= 0, expect["solid_overlap"], "overlap of the solids")
    if expect["solid_overlap"]:
        equal(answer["depthKind"], "feature", "depthKind")
    else:
        same = ask("distance", case, False)
        equal({k: answer[k] for k in ("distance", "pointA", "pointB", "normal")},
              {k: same[k] for k in ("distance", "pointA", "pointB", "normal")}, "solids apart")
    if expect.get("a_inside_b"):
        equal(answer["relation"], "contained", "relation")
    if expect.get("b_inside_a"):
        equal(answer["relation"], "containing", "relation")
    if expect.get("a_inside_b") is False and expect["solid_overlap"] is False:
        equal(answer["relation"], "separated", "relation")


def of_files(case):
    """Shapes are posted once and named in the queries."""
    expect = case["expect"]
    body = {side: dict(corpus.placed_pose(case[side]), shape=posted(case[side]["shape"]["file"])) for side in "ab"}
    answer = client.post("/v1/query/distance", body).must(200).json["results"][0]
    same_side(answer, client.post("/v1/query/overlap", body).must(200).json["results"][0])
    equal(answer["distance"] <= 0, expect["overlap"], "overlap")
    (crossing if expect["overlap"] else close)(corpus.with_files(case), answer)


ids = {}


def posted(name):
    if name not in ids:
        text = (corpus.folder() / name).read_bytes()
        reply = client.request("POST", "/v1/shapes?unit=m&solid=false", text, content_type="model/obj").must(201).json
        ids[name] = reply["id"]
    return ids[name]


suite.table("surface", ((case["id"], lambda case=case: surfaces(case)) for case in cases))
suite.table("solid", ((case["id"], lambda case=case: solids(case)) for case in cases))
suite.table("file", ((case["id"], lambda case=case: of_files(case)) for case in files))
suite.cleanup(worst.show)
if left_out or files_left_out:
    print(f"{left_out} pairs and {files_left_out} files of the full corpus are not here (CONTACTD_CORPUS); the synthetic ones run")
    suite.add(skipped=2 * left_out + files_left_out)
suite.main()
