"""Every kind of shape, in random rotations, in queries with rays, points and regions.
Truth: the signed distance of each shape (support/solids.py). Along a ray it is a convex function for a convex shape:
its minimum is found by golden section, its two zeros by bisection. A region is tested for every kind with every
kind, and with either ten times as large by `scale` of the posted shape."""
import itertools
import math
import random

from support.checks import Suite, check, equal, near, near_list
from support.client import KeepAlive
from support.daemon import Daemon
from support.solids import SHAPES, Placed, add, dot, length, rotated, rotated_back, rotation, scaled, sub, unit, zero

TOLERANCE = 1e-10  # m; the shapes are about 1 m large
POINTS, RAYS, LARGE = 30, 16, 10.0
GRAZING = 1e-6  # rays that pass nearer to a surface, and points that are nearer to one, are not judged
suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)


def ask(kind, *bodies, **rest):
    scene = {"bodies": [body.body(id=body.name.replace(" ", "-")) for body in bodies]}
    # Of the region queries only those on a box are compared with the OpenAPI document.
    shown = kind != "region" or bodies[0].name == "box"
    return client.post(f"/v1/query/{kind}", dict(rest, scene=scene), check=shown).must(200).json["results"]


def placed(name, rng):
    return Placed(name, [rng.uniform(-2, 2) for unused in range(3)], rotation(rng))


def cloud(body, count, rng):
    """Random points inside and around the body, none within round-off of its surface."""
    points = []
    while len(points) < count:
        p = add(body.position, [rng.uniform(-1.25, 1.25) for unused in range(3)])
        if abs(body.distance(p)) > GRAZING:
            points.append(p)
    return points


# ---- points --------------------------------------------------------------------------------------------------------------------


def at(body, point, answer):
    distance = body.distance(point)
    near(answer["distance"], distance, TOLERANCE, "distance")
    near(length(answer["normal"]), 1.0, 1e-14, "length of the normal")
    near_list(answer["position"], sub(point, scaled(answer["normal"], answer["distance"])), 1e-12, "position")
    near(body.distance(answer["position"]), 0.0, TOLERANCE, "position off the surface")
    check(answer["status"] in ("ok", "degenerate"), f"status {answer['status']}")


def nearest(name):
    rng = random.Random("nearest" + name)
    body = placed(name, rng)
    points = cloud(body, POINTS, rng)
    answers = ask("nearest", body, points=points, k=1)
    equal([a["point"] for a in answers], list(range(POINTS)), "points that have an answer")
    for point, answer in zip(points, answers):
        at(body, point, answer)


def holders(name):
    rng = random.Random("point" + name)
    body = placed(name, rng)
    points = cloud(body, POINTS, rng)
    inside = [] if body.solid.reading in ("surface", "open") else [k for k, p in enumerate(points) if body.distance(p) < 0]
    check(inside or SHAPES[name].reading in ("surface", "open"), "no point is inside")
    answers = ask("point", body, points=points)
    equal([a["point"] for a in answers], inside, "points within")
    for answer in answers:
        at(body, points[answer["point"]], answer)


# ---- rays ----------------------------------------------------------------------------------------------------------------------


def convex_distance(body, p):
    """Signed distance of the filled shape, also for a mesh that is a surface; an open mesh is closed by its missing
    side."""
    local = rotated_back(body.turn, sub(p, body.position))
    form = SHAPES["solid mesh"].form if body.solid.reading == "open" else body.solid.form
    return form.distance(local)


def crossings(body, ray):
    """[(distance, entering)] of the ray, or None where it grazes."""
    d = unit(ray["direction"])
    f = lambda t: convex_distance(body, add(ray["origin"], scaled(d, t)))
    low, high, golden = -20.0, 20.0, (math.sqrt(5) - 1) / 2
    for unused in range(50):
        u, v = high - golden * (high - low), low + golden * (high - low)
        if f(u) < f(v):
            high = v
        else:
            low = u
    deepest = 0.5 * (low + high)
    if abs(f(deepest)) < GRAZING or abs(f(0.0)) < GRAZING:
        return None
    ends = []
    if f(deepest) < 0:
        ends = [(zero(f, end, deepest), entering) for end, entering in ((-20.0, True), (20.0, False)) if f(end) > 0]
    return [(t, entering) for t, entering in ends if t >= 0 and not through_the_gap(body, add(ray["origin"], scaled(d, t)))]


def through_the_gap(body, p):
    return body.solid.reading == "open" and body.distance(p) > GRAZING


def rays(name):
    rng = random.Random("raycast" + name)
    body = placed(name, rng)
    asked, truth = [], []
    while len(asked) < RAYS:
        origin = add(body.position, [rng.uniform(-3, 3) for unused in range(3)])
        aim = add(body.position, [rng.uniform(-1, 1) for unused in range(3)])
        ray = {"origin": origin, "direction": scaled(sub(aim, origin), rng.uniform(0.1, 10))}
        hits = crossings(body, ray)
        if hits is not None:
            asked.append(ray)
            truth.append(hits)
    every = ask("raycast", body, rays=asked, hits="all")
    equal([(h["ray"], h["entering"]) for h in every], [(k, entering) for k, hits in enumerate(truth) for unused, entering in hits], "crossings")
    for hit, distance in zip(every, (t for hits in truth for t, unused in hits)):
        ray = asked[hit["ray"]]
        near(hit["distance"], distance, TOLERANCE, "distance")
        near_list(hit["position"], add(ray["origin"], scaled(unit(ray["direction"]), hit["distance"])), 1e-12, "position")
        outward(body, hit)
    first = [next(h for h in every if h["ray"] == k) for k, hits in enumerate(truth) if hits]
    equal(ask("raycast", body, rays=asked), first, "first crossings")
    near_hits = [h for h in first if h["distance"] <= 2.0]
    equal(ask("raycast", body, rays=[{**ray, "maxDistance": 2.0} for ray in asked]), near_hits, "first crossings within 2 m")


def outward(body, hit):
    """A step along the normal increases the distance by the length of the step."""
    step = 1e-6
    away = convex_distance(body, add(hit["position"], scaled(hit["normal"], step)))
    near(away, step, 1e-8, "distance after a step along the normal")


# ---- regions -------------------------------------------------------------------------------------------------------------------


OWN = ("roundingRadius", "margin")  # lengths of the collider, which are not part of the posted shape
IDS = {}


def posted(name):
    if name not in IDS:
        shape = {k: v for k, v in SHAPES[name].collider.items() if k not in (*OWN, "roundingMode", "position")}
        IDS[name] = client.post("/v1/shapes", shape).json["id"]
    return IDS[name]


class Large(Placed):
    """Ten times as large, by `scale` of the posted shape; its distance at p is ten times the shape's at p / 10."""

    def collider(self):
        small = self.solid.collider
        rest = {k: LARGE * small[k] for k in OWN if k in small} | {k: small[k] for k in ("roundingMode",) if k in small}
        return {"shape": posted(self.name), "scale": LARGE, "position": scaled(small.get("position", [0, 0, 0]), LARGE), **rest}

    def body(self, **rest):
        return {"position": self.position, "rotation": self.turn, "colliders": [self.collider()], **rest}

    def depth(self, p):
        return -LARGE * self.solid.form.distance(scaled(rotated_back(self.turn, sub(p, self.position)), 1 / LARGE))


def as_region(body):
    """The region's collider in the pose of the body's collider."""
    collider = body.collider() if isinstance(body, Large) else body.solid.collider
    lift = collider.get("position", [0, 0, 0])
    return {**collider, "position": add(body.position, rotated(body.turn, lift)), "rotation": body.turn}


def within(region, body, expected):
    answers = ask("region", body, region=as_region(region))
    equal([a["inside"] for a in answers], expected, "answer")
    wholly = ask("region", body, region=as_region(region), mode="inside")
    equal([a["inside"] for a in wholly], [True] if expected == [True] else [], "with mode inside")


def beside(region, body, rng, gap):
    """Moves the body so that its support and the region's leave this gap along a random direction; without a gap
    they overlap."""
    along = rotated(rotation(rng), [0, 0, 1])
    if region.name == "plane":
        along = rotated(region.turn, [0, 0, 1])
    if body.name == "plane":
        along = scaled(rotated(body.turn, [0, 0, 1]), -1)
    top = lambda b, d: add(b.position, rotated(b.turn, [0, 0, 1])) if b.name == "plane" else b.support(d)
    start, end = top(region, along), sub(top(body, scaled(along, -1)), body.position)
    if gap is not None:
        start = add(start, scaled(along, gap))
        body.position = sub(start, end)
    else:
        # 15 % of the way from each surface to the origins, which are both inside.
        body.position = sub(add(region.position, scaled(sub(start, region.position), 0.85)), scaled(end, 0.85))


def regions(name_region, name_body):
    rng = random.Random(name_region + "/" + name_body)
    region, body = placed(name_region, rng), placed(name_body, rng)
    region_hollow, body_hollow = (SHAPES[n].reading in ("surface", "open") for n in (name_region, name_body))
    if (name_region, name_body) == ("plane", "plane"):
        return within(region, body, [False])  # two half-spaces in random rotations cross
    beside(region, body, rng, 0.25)
    within(region, body, [])
    beside(region, body, rng, None)
    if "open mesh" not in (name_region, name_body):
        within(region, body, [False])
    if name_body != "plane":
        # The body lies within 2.7 m of its origin.
        large = Large(name_region, region.position, region.turn)
        deep = sub(region.position, rotated(region.turn, [0, 0, 10])) if name_region == "plane" else region.position
        body.position = add(deep, scaled(rotated(rotation(rng), [0, 0, 1]), 0.2))
        check(large.depth(body.position) > 2.7, f"depth is {large.depth(body.position)}")
        within(large, body, [] if region_hollow else [True])
    if name_region != "plane":
        large = Large(name_body, body.position, body.turn)
        deep = sub(body.position, rotated(body.turn, [0, 0, 10])) if name_body == "plane" else body.position
        region.position = add(deep, scaled(rotated(rotation(rng), [0, 0, 1]), 0.2))
        within(region, large, [] if body_hollow else [False])
    return None


suite.table("nearest", ((name, lambda name=name: nearest(name)) for name in SHAPES))
suite.table("point", ((name, lambda name=name: holders(name)) for name in SHAPES))
suite.table("ray", ((name, lambda name=name: rays(name)) for name in SHAPES))
suite.table("region", ((f"{a} {b}", lambda a=a, b=b: regions(a, b)) for a, b in itertools.product(SHAPES, repeat=2)))
suite.main()
