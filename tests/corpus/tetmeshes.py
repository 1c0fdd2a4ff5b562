"""The reference pairs with tetmeshes through the HTTP API, in 60-digit arithmetic (support/measure.py).
Separated: the distance of the solids, with points, vector, normal and bounds on the boundary surface. Overlapping
with a tetmesh or a convex body: the greatest depth of a pair of elements, that pair (proven as a pair of convex
bodies, with certificate) and the number of overlapping pairs. With a mesh: whether the solids overlap, and the depth
of a feature. With a half-space: the signed distance of the lowest vertex. The swapped query has the mirrored answer."""
import json

from support import corpus
from support.checks import Suite, check, equal
from support.client import KeepAlive
from support.daemon import Daemon
from support.measure import Table, faults_of, measure

suite = Suite()
cases, left_out = corpus.cases("tetmeshes", corpus.tetmesh_pair)
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)
worst = Table()


def ask(kind, case, order="ab"):
    request = {name: corpus.placed(case[side]) for name, side in zip("ab", order)}
    reply = client.post(f"/v1/query/{kind}", request).must(200).json
    equal(reply["count"], 1, "results")
    return reply["results"][0]


def surface_of(shape):
    """The faces that belong to one tetrahedron, outward, as a mesh of the corpus."""
    faces = {}
    for i, j, k, m in shape["tetrahedra"]:
        for face in ((i, j, m), (j, k, m), (k, i, m), (i, k, j)):
            faces.setdefault(tuple(sorted(face)), []).append(face)
    return {"type": "mesh", "vertices": shape["vertices"], "triangles": [f[0] for f in faces.values() if len(f) == 1]}


def seen_as(case, change, **expect):
    """The case with its tetmeshes replaced by another form."""
    sides = {side: dict(case[side], shape=change(side, case[side]["shape"]) if case[side]["shape"]["type"] == "tetmesh"
                        else case[side]["shape"]) for side in "ab"}
    return dict(case, **sides, expect=dict(case["expect"], **expect))


def close(case, answer, convex):
    errors = measure(case, answer, convex=convex)
    worst.add(case, errors)
    check(not faults_of(errors), "; ".join(faults_of(errors)) + f" (answer {json.dumps(answer)})")


def elements(case, answer):
    """The pair of elements that the answer names, as convex bodies, has the greatest depth."""
    equal(answer["depthKind"], "element", "depthKind")
    equal(answer["overlappingElementPairs"], case["expect"]["overlapping_element_pairs"], "overlappingElementPairs")

    def element(side, shape):
        corners = shape["tetrahedra"][answer["element" + side.upper()]]
        return {"type": "convex", "vertices": [shape["vertices"][i] for i in corners]}
    for side in "ab":
        equal("element" + side.upper() in answer, case[side]["shape"]["type"] == "tetmesh", f"element of {side}")
    close(seen_as(case, element, signed_distance=-case["expect"]["deepest_element_pair_depth"]), answer, True)


def mirrored(case, answer):
    swapped = ask("distance", case, "ba")
    for name in ("distance", "lowerBound", "upperBound", "status", "depthKind", "overlappingElementPairs"):
        equal(swapped.get(name), answer.get(name), f"{name} the other way round")
    for name in ("point", "element", "triangle"):
        equal((swapped.get(name + "A"), swapped.get(name + "B")), (answer.get(name + "B"), answer.get(name + "A")), name + "s swapped")
    equal([x or 0 for x in swapped["normal"]], [-x or 0 for x in answer["normal"]], "normal the other way round")


def look_at(case):
    expect, answer, overlap = case["expect"], ask("distance", case), ask("overlap", case)
    kinds = [case[side]["shape"]["type"] for side in "ab"]
    equal(overlap["overlap"], answer["distance"] <= 0, f"overlap beside the distance {answer['distance']}")
    equal(answer["relation"] == "separated", answer["distance"] > 0, "separated")
    mirrored(case, answer)
    if "half_space" in kinds:
        close(seen_as(case, lambda side, shape: surface_of(shape)), answer, True)
    elif expect["overlap"] or expect.get("solid_overlap"):
        check(answer["distance"] <= 0, f"the distance is {answer['distance']}")
        if "mesh" in kinds:
            equal(answer["depthKind"], "feature", "depthKind")
        else:
            elements(case, answer)
    else:
        close(seen_as(case, lambda side, shape: surface_of(shape)), answer, False)
        for side in "ab":
            if case[side]["shape"]["type"] != "tetmesh":
                continue
            triangle = surface_of(case[side]["shape"])["triangles"][answer["triangle" + side.upper()]]
            corners = case[side]["shape"]["tetrahedra"][answer["element" + side.upper()]]
            check(set(triangle) <= set(corners), f"the triangle {triangle} is none of the element {corners}")
    if expect["overlap"] is not None and "mesh" not in kinds:
        equal(overlap["overlap"], expect["overlap"], "overlap")


suite.table("pair", ((case["id"], lambda case=case: look_at(case)) for case in cases))
suite.cleanup(worst.show)
if left_out:
    print(f"{left_out} cases of the full corpus are not here (CONTACTD_CORPUS); the committed synthetic ones run")
    suite.add(skipped=left_out)
suite.main()
