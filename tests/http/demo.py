"""The demo that `make run` loads: the file equals the output of its generator, and its collisions are the intended
ones. Every clearance that the daemon reports is proven in 60-digit arithmetic by its points on both surfaces and a
separating plane."""
import subprocess
from decimal import Decimal

from support import exact, scenes
from support.checks import Suite, check, equal
from support.client import Curl
from support.daemon import ROOT, Daemon

suite = Suite()
daemon = Daemon("--scene", ROOT / scenes.CELL).start()
suite.cleanup(daemon.stop)
client = Curl(daemon)
cell = scenes.cell(ROOT)
bodies = {b["id"]: b for b in cell["bodies"]}
MEANT = [["gripper-finger-left", "part-held-block"], ["gripper-finger-right", "part-held-block"], ["bin-scrap", "part-offcut"],
         ["part-nut-2", "part-nut-4"], ["part-ball-4", "part-ball-5"], ["part-carton-2", "part-carton-3"]]
ALLOWANCE = Decimal("1e-12")  # of a cell of 3 m


def rows_times(a, b):
    return tuple(tuple(sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)) for i in range(3))


def wxyz(node):
    x, y, z, w = node.get("rotation", [0, 0, 0, 1])
    return [w, x, y, z]


class Collider:
    """A collider of the cell as an exact shape in the world."""

    def __init__(self, body, which):
        colliders = body["colliders"]
        node = next(c for i, c in enumerate(colliders) if which in (None, i, c.get("id")))
        self.shape = self.exact_shape(node)
        outer = exact.matrix(wxyz(body))
        self.rows = rows_times(outer, exact.matrix(wxyz(node)))
        inner = exact.vector(node.get("position", [0, 0, 0]))
        at = exact.vector(body.get("position", [0, 0, 0]))
        self.position = tuple(at[i] + exact.dot(outer[i], inner) for i in range(3))

    @staticmethod
    def exact_shape(node):
        if "sphere" in node:
            return exact.Sphere(node["sphere"])
        if "box" in node:
            return exact.Box({"half_extents": [s / 2 for s in node["box"]["size"]]})
        if "convex" in node:
            return exact.Convex(node["convex"])
        capsule = node["capsule"]
        if "radius" in capsule:
            return exact.Capsule({"radius": capsule["radius"], "half_length": capsule["height"] / 2})
        return Taper(capsule)

    def local(self, v):
        return tuple(sum(self.rows[k][i] * v[k] for k in range(3)) for i in range(3))

    def off_surface(self, p):
        return self.shape.off_surface(self.local(exact.sub(p, self.position)))

    def reach(self, d):
        return self.shape.reach(self.local(d)) + exact.dot(d, self.position)


class Taper:
    """A capsule of two radii: the union of balls along its axis, radius linear between the ends."""

    def __init__(self, capsule):
        self.bottom, self.top = Decimal(capsule["radiusBottom"]), Decimal(capsule["radiusTop"])
        self.height = Decimal(capsule["height"])

    def off_surface(self, p):
        # Distance to the profile in the half plane (radius, z): the ball that is nearest is where the slant is perpendicular.
        r, z = (p[0] * p[0] + p[1] * p[1]).sqrt(), p[2] + self.height / 2
        slope = (self.top - self.bottom) / self.height
        t = min(max((z + r * slope / (1 - slope * slope).sqrt()) / self.height, Decimal(0)), Decimal(1))
        centre = t * self.height
        return abs((r * r + (z - centre) ** 2).sqrt() - (self.bottom + slope * centre))

    def reach(self, d):
        size = exact.length(d)
        return max(self.bottom * size - d[2] * self.height / 2, self.top * size + d[2] * self.height / 2)


@suite.fact
def the_demo_file_equals_the_output_of_its_generator():
    run = subprocess.run([str(ROOT / "server/demo/make_cell.py"), "--check"], capture_output=True, text=True, timeout=30)
    equal(run.returncode, 0, "exit status of make_cell.py --check")


@suite.fact
def the_demo_has_about_60_bodies_of_all_kinds():
    check(55 <= len(bodies) <= 75, f"{len(bodies)} bodies")
    kinds = {k for b in bodies.values() for c in b["colliders"] for k in c if k in ("sphere", "box", "capsule", "convex", "plane")}
    equal(sorted(kinds), ["box", "capsule", "convex", "plane", "sphere"], "kinds")
    check(all(len(b["colliders"]) >= 2 for n, b in bodies.items() if n.startswith("arm-")), "a link has one collider only")


@suite.fact
def the_daemon_serves_the_demo_from_the_start():
    got = client.get("/v1/scenes/cell").must(200).json
    equal([b["id"] for b in got["bodies"]], list(bodies), "ids")
    equal(got["filters"], cell["filters"], "filters")


@suite.fact
def the_collisions_of_the_demo_are_the_intended_ones():
    for method in ("tree", "bruteForce"):
        found = client.post("/v1/scenes/cell/query/overlap", {"broadphase": method}).must(200).json["results"]
        equal([[r["a"], r["b"]] for r in found], MEANT, f"colliding pairs by {method}")


@suite.fact
def every_clearance_under_5_cm_has_a_certificate():
    results = client.post("/v1/scenes/cell/query/distance", {"clearance": 0.05}).must(200).json["results"]
    check(len(results) >= 30, f"only {len(results)} pairs")
    equal([[r["a"], r["b"]] for r in results if r["distance"] <= 0], MEANT, "pairs that touch")
    for r in results:
        a, b = Collider(bodies[r["a"]], r.get("colliderA")), Collider(bodies[r["b"]], r.get("colliderB"))
        name, distance = f"{r['a']}, {r['b']}", Decimal(r["distance"])
        check(r["distance"] <= 0.05, f"{name}: {distance} is beyond the clearance")
        point_a, point_b, normal = (exact.vector(r[key]) for key in ("pointA", "pointB", "normal"))
        off = max(a.off_surface(point_a), b.off_surface(point_b))
        check(off <= ALLOWANCE, f"{name}: a point is {float(off):.3g} off its surface")
        gap = exact.sub(exact.sub(point_b, point_a), exact.scaled(normal, distance))
        check(exact.length(gap) <= ALLOWANCE, f"{name}: the points are not distance normal apart")
        size = exact.length(normal)
        unit = exact.scaled(normal, 1 / size)
        planes = -(a.reach(unit) + b.reach(exact.scaled(unit, -1)))
        check(abs(planes - distance) <= ALLOWANCE, f"{name}: the planes are {float(planes)} apart, not {distance}")


@suite.fact
def adjacent_links_are_left_out_with_a_reason():
    for rule in cell["filters"]["pairs"]:
        verdict = client.get(f"/v1/scenes/cell/filters/effective?a={rule['a']}&b={rule['b']}").must(200).json
        equal((verdict["collide"], verdict["decidedBy"], verdict["reason"]), (False, "pair", rule["reason"]), f"verdict on {rule}")


suite.main()
