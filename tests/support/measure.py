"""Errors of an answer about a pair in units of what is allowed, in 60-digit arithmetic, and the table of the worst.

With eps = 2^-52, scale as the corpus gives it and M the largest coordinate of the two positions, the allowance of a case is
k scale + 8 eps M. k is 1e-12 for separated pairs of polytopes, spheres, capsules and planes, 1e-10 for their depths and for other
separated pairs, 1e-8 for depths of other curved pairs.
  distance      |distance - truth| <= allowance
  bracket       lowerBound <= truth <= upperBound, within 8 eps M
  width         upperBound - lowerBound <= 2 k scale
  points        pointA on the surface of a, pointB of b, within the allowance
  vector        |pointB - pointA - distance normal| <= allowance
  normal        ||normal| - 1| <= 4 eps
  certificate   the gap between the supporting planes along the normal equals the truth within the allowance (convex pairs)
"""
from decimal import Decimal

from support import corpus, exact

EPS = 2.0 ** -52
MEASURES = ("distance", "bracket", "width", "points", "vector", "normal", "certificate")


class Allowance:
    def __init__(self, case):
        truth = truth_of(case)
        plain = all(case[side]["shape"]["type"] in corpus.POLYTOPES for side in "ab")
        self.k = (1e-12 if truth > 0 else 1e-10) if plain else (1e-10 if truth > 0 else 1e-8)
        self.scale = case["scale"]
        self.largest = max(abs(x) for side in "ab" for x in case[side]["pose"]["position"])
        self.rounding = 8 * EPS * self.largest
        self.all = self.k * self.scale + self.rounding


def truth_of(case):
    """For meshes the corpus has the distance of the surfaces."""
    signed = case["expect"].get("signed_distance")
    return case["expect"]["distance"] if signed is None else signed


def measure(case, answer, convex=True):
    """Each error in units of the allowance: above 1 is a failure."""
    allow = Allowance(case)
    truth = Decimal(truth_of(case))
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
    out["certificate"] = certificate(a, b, exact.scaled(normal, 1 / size), truth, allow) if convex else Decimal(0)
    return {name: float(value) for name, value in out.items()}


def certificate(a, b, normal, truth, allow):
    reach_a, reach_b = a.reach(normal), b.reach(exact.scaled(normal, -1))
    if reach_a is not None and reach_b is not None:
        return abs(-(reach_a + reach_b) - truth) / Decimal(allow.all)
    # A half-space is unbounded along any normal but its own.
    plane, sign = (a, 1) if reach_a is None else (b, -1)
    return exact.length(exact.sub(normal, exact.scaled(plane.axis(), sign))) / Decimal(8 * EPS)


class Table:
    """Worst errors by pair of kinds and by category."""

    def __init__(self):
        self.worst = {"type": {}, "category": {}}
        self.counts = {"type": {}, "category": {}}

    def add(self, case, errors):
        kinds = sorted((case[side]["shape"]["type"] for side in "ab"), key=list(exact.SHAPES).index)
        for table, key in (("type", " ".join(kinds)), ("category", case["category"])):
            row = self.worst[table].setdefault(key, dict.fromkeys(MEASURES, 0.0))
            self.counts[table][key] = self.counts[table].get(key, 0) + 1
            for name in MEASURES:
                row[name] = max(row[name], errors[name])

    def show(self):
        for table, title in (("type", "pair of kinds"), ("category", "category")):
            print(f"worst errors by {title}, in units of what is allowed")
            print(f"  {title:22}{'cases':>6}" + "".join(f"{name:>13}" for name in MEASURES))
            for key in sorted(self.worst[table]):
                row = self.worst[table][key]
                print(f"  {key:22}{self.counts[table][key]:6}" + "".join(f"{row[name]:13.3g}" for name in MEASURES))


def faults_of(errors):
    return [f"{name} is {errors[name]:.3g} times the allowance" for name in MEASURES if not errors[name] <= 1.0]
