"""Every kind of shape with every other, separated, touching and overlapping, upright and rotated, in every query on
pairs.
`unsupported` is allowed only for two half-spaces that overlap and, where a query needs a solid, for open meshes.
Upright pairs stand on each other, so that their distance is known, and the same pair rotated as a whole has the same
distance. Pairs in general position are proven with the functions of support/solids.py: separated, the points are on
both surfaces and the planes across the normal prove that none are nearer; overlapping, no direction separates them
by less."""
import itertools
import random

from support.checks import Suite, check, equal, near, near_list
from support.client import KeepAlive
from support.daemon import Daemon
from support.solids import SHAPES, Placed, add, dot, length, rotated, rotation, scaled, sub, times, unit

GAPS = {"apart": 0.5, "touching": 0.0, "overlapping": -0.25}
APART, CURVED_DEPTH = 1e-10, 1e-8  # relative to the size, here 1 m
UPRIGHT, OVER = [0, 0, 0, 1], [1, 0, 0, 0]
STEP, SLOPE = 1e-6, 2e-6  # m and rad, of slopes by differences; some distances are only once differentiable, others curve strongly
DIRECTIONS = 60
PLANE_DEPTH, INSIDE = 0.2, 0.85
suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)


def ask(kind, a, b, **rest):
    """Results of a query. Request and reply are compared with the OpenAPI document for upright pairs only, since
    that takes longer than the answer."""
    shown = a.get("rotation", UPRIGHT) == UPRIGHT
    return client.post(f"/v1/query/{kind}", dict(rest, a=a, b=b), check=shown).must(200).json["results"]


def reading(name):
    return SHAPES[name].reading


def is_surface(name):
    return reading(name) in ("surface", "open")


def are_convex(*names):
    """True if neither is a mesh: the depth is then the least translation that separates them."""
    return not any("mesh" in name for name in names)


def kind_of_depth(name_a, name_b):
    """Expected depthKind of two shapes that overlap, neither a half-space."""
    if is_surface(name_a) or is_surface(name_b):
        return "none"
    if are_convex(name_a, name_b):
        return "minimal"
    fine = [bool(SHAPES[name].elements) or are_convex(name) for name in (name_a, name_b)]
    return "element" if all(fine) else "feature"


def seeded(*words):
    return random.Random("/".join(words))


# ---- on top of each other ------------------------------------------------------------------------------------------------------


def look(below, above, a, b, gap, up):
    """Checks all queries of a pair that is stacked along `up` with this gap."""
    answer = ask("distance", a, b, include=["gradient"])[0]
    overlap = ask("overlap", a, b)[0]
    check(answer["status"] in ("ok", "degenerate"), f"status {answer['status']}")
    crossing = not are_convex(below, above) and gap < 0 and "plane" not in (below, above)
    if not crossing:
        near(answer["distance"], gap, CURVED_DEPTH if gap < 0 else APART, "distance")
        if gap > 0 or are_convex(below, above):
            near(dot(answer["normal"], up), 1.0, 1e-8, "normal along the stack")
    elif is_surface(below) or is_surface(above):
        equal((answer["distance"], answer["depthKind"]), (0, "none"), "crossing surfaces")
    else:
        check(answer["distance"] <= 0 and answer["depthKind"] == kind_of_depth(below, above), f"solids that overlap: {answer}")
    if gap:
        equal(overlap["overlap"], gap < 0, "overlap")
        equal(answer["relation"] == "separated", gap > 0, "separated")
    contacts = ask("contacts", a, b, detail="full")
    if gap < 0:
        check(contacts and contacts[0]["points"], "no contact")
    for contact in contacts:
        check(contact["status"] in ("ok", "degenerate"), f"contact status {contact['status']}")


def stacked(below, above, word):
    """Upright; then each body spun about the axis and the pair rotated as a whole. An upper half-space is turned
    over, since it is solid below."""
    gap, rng = GAPS[word], seeded(below, above, word)
    over = OVER if above == "plane" else UPRIGHT
    look(below, above, Placed(below, [0, 0, 0], UPRIGHT).body(), Placed(above, [0, 0, 2 + gap], over).body(), gap, [0, 0, 1])
    if below == above == "plane":
        return  # rotated, the two would not be parallel
    spin = lambda: unit([0, 0, rng.uniform(-1, 1), rng.uniform(-1, 1)])
    whole, at = rotation(rng), [rng.uniform(-3, 3) for unused in range(3)]
    a = Placed(below, at, times(whole, spin()))
    b = Placed(above, add(at, rotated(whole, [0, 0, 2 + gap])), times(times(whole, spin()), over))
    look(below, above, a.body(), b.body(), gap, rotated(whole, [0, 0, 1]))


# ---- in general position -------------------------------------------------------------------------------------------------------


def tilted(name_a, name_b, rng, gap=None):
    """A pair in random rotations: with a gap between its supports along a random direction, or overlapping for
    certain."""
    a, b = Placed(name_a, [0, 0, 0], rotation(rng)), Placed(name_b, [0, 0, 0], rotation(rng))
    along = rotated(rotation(rng), [0, 0, 1])
    if name_a == "plane":
        along = rotated(a.turn, [0, 0, 1])
        start = add(a.position, along)
    elif name_b == "plane":
        along = scaled(rotated(b.turn, [0, 0, 1]), -1)
        start = a.support(along)
    else:
        # Away from the missing side of an open mesh.
        for which, sign in ((a, 1), (b, -1)):
            if which.name == "open mesh" and dot(rotated(which.turn, [1, 0, 0]), along) * sign > 0:
                which.turn = times(which.turn, [0, 0, 1, 0])
        start = a.support(along)
    end = add(b.position, scaled(along, -1)) if name_b == "plane" else b.support(scaled(along, -1))
    if gap is not None:
        b.position = scaled(along, dot(sub(start, end), along) + gap)
    elif "plane" in (name_a, name_b):
        b.position = scaled(along, dot(sub(start, end), along) - PLANE_DEPTH)
    else:
        # Each shape is convex about its origin, or the surface of such a shape: 85 % of the way to a support point is
        # well inside. The two inner points coincide.
        b.position = sub(scaled(start, INSIDE), scaled(end, INSIDE))
    return a, b


def width(a, b, n):
    """Displacement of b along n after which a plane across n separates them; negative: the present gap along n."""
    top = lambda body, d: dot(add(body.position, rotated(body.turn, [0, 0, 1])), d) if body.name == "plane" else dot(body.support(d), d)
    return top(a, n) + top(b, scaled(n, -1))


def proven(a, b, answer):
    """The points are on the surfaces, and their difference is the distance along the normal."""
    check(answer["status"] in ("ok", "degenerate"), f"status {answer['status']}")
    check(answer["lowerBound"] <= answer["distance"] <= answer["upperBound"], "bounds")
    near(length(answer["normal"]), 1.0, 1e-14, "length of the normal")
    near_list(sub(answer["pointB"], answer["pointA"]), scaled(answer["normal"], answer["distance"]), 1e-12, "from point to point")
    tolerance = APART if answer["distance"] >= 0 else CURVED_DEPTH
    for body, point in ((a, answer["pointA"]), (b, answer["pointB"])):
        off = body.distance(point)
        check(abs(off) <= tolerance, f"{off} m off the surface of {body.name}")


def general_apart(name_a, name_b):
    a, b = tilted(name_a, name_b, seeded(name_a, name_b), 0.3)
    answer = ask("distance", a.body(), b.body(), include=["gradient"])[0]
    proven(a, b, answer)
    near(-width(a, b, answer["normal"]), answer["distance"], APART, "what the planes across the normal leave")
    equal((answer["relation"], ask("overlap", a.body(), b.body())[0]["overlap"]), ("separated", False), "relation")
    slopes_agree(a, b, answer)
    near_contacts(a, b, answer)


def general_overlap(name_a, name_b):
    rng = seeded(name_a, name_b, "deep")
    a, b = tilted(name_a, name_b, rng)
    answer = ask("distance", a.body(), b.body(), include=["gradient"])[0]
    equal((answer["relation"], ask("overlap", a.body(), b.body())[0]["overlap"]), ("penetrating", True), "relation")
    if is_surface(name_a) and name_b != "plane" or is_surface(name_b) and name_a != "plane":
        equal((answer["distance"], answer["depthKind"]), (0, "none"), "crossing surfaces")
        near(a.distance(answer["pointA"]), 0.0, 1e-12, "the crossing off a") if is_surface(name_a) else None
        near(b.distance(answer["pointB"]), 0.0, 1e-12, "the crossing off b") if is_surface(name_b) else None
        return
    kind = "minimal" if "plane" in (name_a, name_b) else kind_of_depth(name_a, name_b)
    equal(answer["depthKind"], kind, "kind of depth")
    deep_a, deep_b = a.part(answer.get("elementA")), b.part(answer.get("elementB"))
    if kind != "element":
        deep_a, deep_b = a, b
    proven(deep_a, deep_b, answer)
    depth, n = -answer["distance"], answer["normal"]
    check(depth > 0, f"depth {depth}")
    if "plane" in (name_a, name_b):
        near(depth, PLANE_DEPTH, CURVED_DEPTH, "depth")
    elif kind != "feature":
        near(width(deep_a, deep_b, n), depth, CURVED_DEPTH, "what parts them along the normal")
        for k in range(DIRECTIONS):
            other = [rng.uniform(-1, 1) for unused in range(3)]
            v = unit(other if k % 2 else add(n, scaled(other, 0.01)))
            parted = width(deep_a, deep_b, v)
            check(parted >= depth - CURVED_DEPTH, f"along {v} they are parted by {parted}, depth is {depth}")
        if kind == "minimal" or "gradient" in answer:
            slopes_agree(a, b, answer)
    near_contacts(a, b, answer)


def slopes_agree(a, b, answer):
    """The gradient equals the central differences of the distance by moving and rotating each body."""
    variants = []
    for name, body in (("a", a), ("b", b)):
        for axis, step in itertools.product(range(3), (STEP, -STEP)):
            moved = [step if k == axis else 0.0 for k in range(3)]
            variants.append({"ids": [name], "positions": [add(body.position, moved)], "rotations": [body.turn]})
        for axis, step in itertools.product(range(3), (STEP, -STEP)):
            turn = unit([step / 2 if k == axis else 0.0 for k in range(3)] + [1.0])
            variants.append({"ids": [name], "positions": [body.position], "rotations": [times(turn, body.turn)]})
    scene = {"bodies": [a.body(id="a"), b.body(id="b")]}
    request = {"scene": scene, "pairs": [["a", "b"]], "variants": variants}
    answers = client.post("/v1/query/distance", request, check=False)
    d = [each["results"][0]["distance"] for each in answers.must(200).json["results"]]
    slopes = [(x - y) / (2 * STEP) for x, y in zip(d[0::2], d[1::2])]
    given = [x for body in "ab" for part in ("translation", "rotation") for x in answer["gradient"][body][part]]
    near_list(given, slopes, SLOPE, "gradient")


def near_contacts(a, b, answer):
    """Manifolds: the deepest point has the distance of the pair, and each point has its distance along its normal."""
    for detail in ("deepest", "manifold", "full"):
        contacts = ask("contacts", a.body(), b.body(), detail=detail, clearance=2.0)
        check(contacts and contacts[0]["points"], f"{detail}: no contact")
        for contact in contacts:
            check(contact["status"] in ("ok", "degenerate"), f"{detail}: status {contact['status']}")
            if answer.get("depthKind") == "element":
                check(contact["distance"] < 0 and contact["depthKind"] == "feature", f"{detail}: the surfaces are {contact['distance']} apart")
            else:
                near(contact["distance"], answer["distance"], CURVED_DEPTH, f"{detail}: distance")
            for point in contact["points"]:
                near_list(sub(point["pointB"], point["pointA"]), scaled(point["normal"], point["distance"]), 1e-9, f"{detail}: points")


# ---- mass ----------------------------------------------------------------------------------------------------------------------


def mass(name):
    """The volume does not depend on the rotation."""
    rng, hollow = seeded(name), is_surface(name) or name in ("plane", "rounded cylinder")
    volumes = []
    for turn in (UPRIGHT, rotation(rng)):
        answer = client.post("/v1/query/massProperties", {"a": Placed(name, [0, 0, 0], turn).body()}).must(200).json["results"][0]
        equal(answer["status"], "unsupported" if hollow else "ok", "status of the mass")
        volumes.append(answer.get("volume", 1.0))
    check(volumes[0] > 0.5, f"volume {volumes[0]}")
    near(volumes[1], volumes[0], 1e-13 * volumes[0], "volume, turned")


@suite.fact
def half_spaces_that_cross_overlap_without_a_depth():
    answer = ask("distance", {"plane": {}}, {"plane": {}, "rotationWxyz": [0.8, 0.6, 0, 0]})[0]
    equal((answer["status"], answer["overlap"]), ("unsupported", True), "half-spaces that cross")


PAIRS = list(itertools.product(SHAPES, repeat=2))
suite.table("stacked", ((f"{a} {b} {word}", lambda a=a, b=b, word=word: stacked(a, b, word)) for (a, b), word in itertools.product(PAIRS, GAPS)))
suite.table("general", ((f"{a} {b} {how.__name__}", lambda a=a, b=b, how=how: how(a, b)) for (a, b), how in
                        itertools.product(PAIRS, (general_apart, general_overlap)) if (a, b) != ("plane", "plane")))
suite.table("mass", ((name, lambda name=name: mass(name)) for name in SHAPES))
suite.main()
