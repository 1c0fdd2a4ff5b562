"""The reference pairs through the HTTP API: every case of the kinds built, none excluded, each a fact of its own.

With eps = 2^-52, k = 1e-12 for separated pairs and 1e-10 for depths, scale as the corpus gives it and M the largest coordinate of
the two positions, the allowance of a case is  k scale + 8 eps M.  Checked per case, in 60-digit arithmetic:
  distance      |distance - truth| <= allowance
  bracket       lowerBound <= truth <= upperBound, within 8 eps M
  width         upperBound - lowerBound <= 2 k scale
  points        pointA on the surface of a, pointB of b, within the allowance
  vector        |pointB - pointA - distance normal| <= allowance
  normal        ||normal| - 1| <= 4 eps
  certificate   the gap between the supporting planes along the normal equals the truth within the allowance
  overlap       yes or no as the corpus says; where it leaves both open, as the sign of the answered distance
The same question in a scene (one call, all pairs) and stateless (one call a case) must have the same answer, bit for bit.
"""
from decimal import Decimal

from support import corpus, exact
from support.checks import Suite, check
from support.client import KeepAlive
from support.daemon import Daemon

EPS = 2.0 ** -52
MEASURES = ("distance", "bracket", "width", "points", "vector", "normal", "certificate")

suite = Suite()
cases, left_out = corpus.cases("pairs", corpus.known_pair)
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)
worst = {"type": {}, "category": {}}
counts = {"type": {}, "category": {}}


class Allowance:
    def __init__(self, case):
        truth = case["expect"]["signed_distance"]
        self.k = 1e-12 if truth > 0 else 1e-10
        self.scale = case["scale"]
        self.largest = max(abs(x) for side in "ab" for x in case[side]["pose"]["position"])
        self.rounding = 8 * EPS * self.largest
        self.all = self.k * self.scale + self.rounding


def measure(case, answer):
    """Each error in units of what is allowed: above 1 is a failure."""
    allow = Allowance(case)
    truth = Decimal(case["expect"]["signed_distance"])
    distance, low, high = (Decimal(answer[name]) for name in ("distance", "lowerBound", "upperBound"))
    a, b = (exact.Placed(case[side]["shape"], case[side]["pose"]) for side in "ab")
    point_a, point_b, normal = (exact.vector(answer[name]) for name in ("pointA", "pointB", "normal"))
    allowed = Decimal(allow.all)
    out = {"distance": abs(distance - truth) / allowed}
    outside = max(low - truth, truth - high, Decimal(0))
    slack = Decimal(allow.rounding)
    out["bracket"] = outside / slack if slack else (Decimal(0) if outside == 0 else Decimal("Infinity"))
    out["width"] = (high - low) / (2 * Decimal(allow.k) * Decimal(allow.scale))
    out["points"] = max(a.off_surface(point_a), b.off_surface(point_b)) / allowed
    apart = exact.sub(exact.sub(point_b, point_a), exact.scaled(normal, distance))
    out["vector"] = exact.length(apart) / allowed
    size = exact.length(normal)
    out["normal"] = abs(size - 1) / Decimal(4 * EPS)
    out["certificate"] = certificate(a, b, exact.scaled(normal, 1 / size), truth, allow)
    return {name: float(value) for name, value in out.items()}


def certificate(a, b, normal, truth, allow):
    reach_a, reach_b = a.reach(normal), b.reach(exact.scaled(normal, -1))
    if reach_a is not None and reach_b is not None:
        return abs(-(reach_a + reach_b) - truth) / Decimal(allow.all)
    # A half space reaches without end along any normal but its own.
    plane, sign = (a, 1) if reach_a is None else (b, -1)
    return exact.length(exact.sub(normal, exact.scaled(plane.axis(), sign))) / Decimal(8 * EPS)


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


def record(case, errors):
    kinds = sorted((case[side]["shape"]["type"] for side in "ab"), key=corpus.KINDS.index)
    for table, key in (("type", " ".join(kinds)), ("category", case["category"])):
        row = worst[table].setdefault(key, dict.fromkeys(MEASURES, 0.0))
        counts[table][key] = counts[table].get(key, 0) + 1
        for name in MEASURES:
            row[name] = max(row[name], errors[name])


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
    record(case, errors)
    faults = [f"{name} is {errors[name]:.3g} times the allowance" for name in MEASURES if not errors[name] <= 1.0]
    if expect["overlap"] is not None and overlap["overlap"] != expect["overlap"]:
        faults.append(f"overlap is {overlap['overlap']}")
    if overlap["overlap"] != (distance["distance"] <= 0):
        faults.append(f"overlap {overlap['overlap']} contradicts the distance {distance['distance']}")
    if (distance["relation"] == "separated") != (distance["distance"] > 0):
        faults.append(f"relation {distance['relation']} contradicts the distance {distance['distance']}")
    check(not faults, f"{case['category']} {case['a']['shape']['type']} {case['b']['shape']['type']}: " + "; ".join(faults) +
          f" (truth {expect['signed_distance']}, answer {distance['distance']}, status {distance['status']})")


def show():
    for table, title in (("type", "pair of kinds"), ("category", "category")):
        print(f"worst errors by {title}, in units of what is allowed")
        print(f"  {title:22}{'cases':>6}" + "".join(f"{name:>13}" for name in MEASURES))
        for key in sorted(worst[table]):
            print(f"  {key:22}{counts[table][key]:6}" + "".join(f"{worst[table][key][name]:13.3g}" for name in MEASURES))


loaded = {}


@suite.fact
def all_cases_answered_in_one_call():
    loaded.update(load())


def one(i):
    if not loaded:  # this fact was picked alone
        loaded.update(load())
    look_at(cases[i], loaded["distance"][i], loaded["overlap"][i])


suite.table("pair", ((case["id"], lambda i=i: one(i)) for i, case in enumerate(cases)))
suite.cleanup(show)
if left_out:
    print(f"{left_out} cases of the full corpus are not here (CONTACTD_CORPUS); the committed synthetic ones run")
    suite.add(skipped=left_out)
suite.main()
