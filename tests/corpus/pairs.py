"""The reference pairs through the HTTP API: every case of convex kinds and of half-spaces, none excluded, each a fact of its own.

The errors and what is allowed of them: support/measure.py. Besides:
  overlap       yes or no as the corpus says; where it leaves both open, as the sign of the answered distance
The same question in a scene (one call, all pairs) and stateless (one call a case) must have the same answer, bit for bit.
"""
from support import corpus
from support.checks import Suite, check
from support.client import KeepAlive
from support.daemon import Daemon
from support.measure import Table, faults_of, measure

suite = Suite()
cases, left_out = corpus.cases("pairs", corpus.known_pair)
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)
table = Table()


def load():
    """All cases in one scene: bodies <case>.a and <case>.b."""
    bodies = [corpus.body(f"{case['id']}.{side}", case[side]) for case in cases for side in "ab"]
    client.put("/v1/scenes/corpus", {"bodies": bodies}).must(201)
    answers = {}
    for kind in ("distance", "overlap"):
        request = {"pairs": [[case["id"] + ".a", case["id"] + ".b"] for case in cases], "limit": max(len(cases), 1)}
        reply = client.post(f"/v1/scenes/corpus/query/{kind}", request).must(200).json
        check(reply["count"] == len(cases), f"{kind}: {reply['count']} answers to {len(cases)} pairs")
        answers[kind] = reply["results"]
    return answers


def look_at(case, distance, overlap):
    expect = case["expect"]
    for answer, kind in ((distance, "distance"), (overlap, "overlap")):
        check(answer["a"] == case["id"] + ".a" and answer["b"] == case["id"] + ".b",
              f"{kind}: the answer is for {answer['a']}, {answer['b']}")
        alone = client.post(f"/v1/query/{kind}", {"a": corpus.placed(case["a"]),
                                                  "b": corpus.placed(case["b"])}).must(200).json["results"]
        check(len(alone) == 1, f"stateless {kind} has {len(alone)} results")
        same = dict(answer, a="a", b="b")
        check(alone[0] == same, f"stateless {kind} {alone[0]} differs from the scene's {same}")
    errors = measure(case, distance)
    table.add(case, errors)
    faults = faults_of(errors)
    if expect["overlap"] is not None and overlap["overlap"] != expect["overlap"]:
        faults.append(f"overlap is {overlap['overlap']}")
    if overlap["overlap"] != (distance["distance"] <= 0):
        faults.append(f"overlap {overlap['overlap']} contradicts the distance {distance['distance']}")
    if (distance["relation"] == "separated") != (distance["distance"] > 0):
        faults.append(f"relation {distance['relation']} contradicts the distance {distance['distance']}")
    check(not faults, f"{case['category']} {case['a']['shape']['type']} {case['b']['shape']['type']}: " + "; ".join(faults) +
          f" (truth {expect['signed_distance']}, answer {distance['distance']}, status {distance['status']})")


loaded = {}


@suite.fact
def all_cases_answered_in_one_call():
    loaded.update(load())


def one(i):
    if not loaded:  # this fact was selected alone
        loaded.update(load())
    look_at(cases[i], loaded["distance"][i], loaded["overlap"][i])


suite.table("pair", ((case["id"], lambda i=i: one(i)) for i, case in enumerate(cases)))
suite.cleanup(table.show)
if left_out:
    print(f"{left_out} cases of the full corpus are not here (CONTACTD_CORPUS); the committed synthetic ones run")
    suite.add(skipped=left_out)
suite.main()
