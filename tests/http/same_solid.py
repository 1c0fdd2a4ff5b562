"""One solid as a box, a hull, a mesh and a hexmesh: rays cross each form at the same distances, when put, after a
move and after a restart, and edges of its meshes cross others alike.
Truth: exact crossings of the rays. The solids are cells of a grid of twos, the rays pass through grid points in
small integer steps, and the intervals of the line in the cells are united in fractions."""
import random
import tempfile
from fractions import Fraction

from support.checks import Suite, check, equal, near
from support.client import KeepAlive
from support.daemon import Daemon

suite = Suite()
folder = tempfile.TemporaryDirectory()
suite.cleanup(folder.cleanup)


class Served:
    """The running daemon, with a store."""
    def __init__(self):
        self.start()
        suite.cleanup(lambda: self.daemon.stop())

    def start(self):
        self.daemon = Daemon("--data", folder.name, durability="disk").start()
        self.client = KeepAlive(self.daemon)

    def restart(self):
        self.daemon.stop()
        self.start()

    def ask(self, path, body):
        return self.client.post(path, body).must(200).json


served = Served()
CORNERS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
SQUARES = {(0, 0, -1): (0, 3, 2, 1), (0, 0, 1): (4, 5, 6, 7), (0, -1, 0): (0, 1, 5, 4),
           (1, 0, 0): (1, 2, 6, 5), (0, 1, 0): (2, 3, 7, 6), (-1, 0, 0): (3, 0, 4, 7)}


def corner(cell, k):
    return tuple(2 * (cell[i] + CORNERS[k][i]) for i in range(3))


def hexmesh(cells):
    points = sorted({corner(cell, k) for cell in cells for k in range(8)})
    at = {p: i for i, p in enumerate(points)}
    hexahedra = [[at[corner(cell, k)] for k in range(8)] for cell in cells]
    return {"hexmesh": {"vertices": [list(p) for p in points], "hexahedra": hexahedra}}


def mesh(cells):
    squares = [[corner(cell, k) for k in square]
               for cell in cells for step, square in SQUARES.items()
               if tuple(cell[i] + step[i] for i in range(3)) not in cells]
    points = sorted({p for square in squares for p in square})
    at = {p: i for i, p in enumerate(points)}
    triangles = [[at[s[0]], at[s[i]], at[s[i + 1]]] for s in squares for i in (1, 2)]
    return {"mesh": {"vertices": [list(p) for p in points], "triangles": triangles}}


def forms(cells):
    """Every form of a solid, as the colliders of one body."""
    out = {"mesh": [mesh(cells)], "hexmesh": [hexmesh(cells)]}
    if len(cells) == 1:
        middle = [2 * x + 1 for x in cells[0]]
        out["box"] = [{"box": {"size": [2, 2, 2]}, "position": middle}]
        out["hull"] = [{"convex": {"vertices": [list(corner(cells[0], k)) for k in range(8)]}}]
    return out


def spans(cells, origin, step):
    """Intervals of the line inside the closed solid, united, in fractions."""
    found = []
    for cell in cells:
        low, high = Fraction(-10**9), Fraction(10**9)
        for o, d, c in zip(origin, step, cell):
            if d == 0:
                if not 2 * c <= o <= 2 * c + 2:
                    high = low
                continue
            ends = sorted((Fraction(2 * c - o, d), Fraction(2 * c + 2 - o, d)))
            low, high = max(low, ends[0]), min(high, ends[1])
        if low < high:
            found.append([low, high])
    merged = []
    for low, high in sorted(found):
        if merged and low <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], high)
        else:
            merged.append([low, high])
    return merged


def random_ray(r):
    while True:
        step = [r.randint(-2, 2) for _ in range(3)]
        through = [r.randint(0, 4) for _ in range(3)]
        if any(step):
            return [p - 7 * d for p, d in zip(through, step)], step


def check_rays(replies, cells, rays, shift, what):
    for k, (origin, step) in enumerate(rays):
        got = [(hit["distance"], hit["entering"]) for hit in replies if hit["ray"] == k]
        length = sum(d * d for d in step) ** 0.5
        way = spans(cells, [o - s for o, s in zip(origin, shift)], step)
        wanted = [(float(t) * length, i == 0) for span in way for i, t in enumerate(span) if t >= 0]
        ray = f"{what}: ray {origin} along {step}"
        equal([entering for _, entering in got], [entering for _, entering in wanted], ray)
        for (a, _), (b, _) in zip(got, wanted):
            near(a, b, 1e-13 * (20 + b), ray)


SOLIDS = [[(0, 0, 0)], [(0, 0, 0), (1, 0, 0), (0, 1, 0)],
          [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)],
          [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
          [(x, y, 0) for x in range(2) for y in range(2)]]


@suite.fact
def rays_cross_every_form_of_a_solid_alike_after_moves_and_a_restart():
    r = random.Random(16)
    rays = {}
    for n, cells in enumerate(SOLIDS):
        for word, colliders in forms(cells).items():
            scene = {"bodies": [{"id": "s", "colliders": colliders}]}
            served.client.put(f"/v1/scenes/{n}-{word}", scene).must(201)
        rays[n] = [random_ray(r) for _ in range(60)]
    for stage, shift in (("as put", [0, 0, 0]), ("moved", [4, -2, 6]), ("restarted", [4, -2, 6])):
        if stage == "restarted":
            served.restart()
        for n, cells in enumerate(SOLIDS):
            moved = [([o + s for o, s in zip(origin, shift)], step) for origin, step in rays[n]]
            body = {"rays": [{"origin": origin, "direction": step} for origin, step in moved],
                    "hits": "all", "limit": 1000}
            for word in forms(cells):
                if stage == "moved":
                    path = f"/v1/scenes/{n}-{word}/bodies/s"
                    served.client.patch(path, {"position": shift}).must(200)
                reply = served.ask(f"/v1/scenes/{n}-{word}/query/raycast", body)
                check(reply["complete"], "all crossings on one page")
                check_rays(reply["results"], cells, moved, shift, f"{stage}, {word} of {n}")


def crossings(a, b, at):
    """Edge-edge features as sorted (depth, point)."""
    reply = served.ask("/v1/query/features", {"a": dict(a), "b": dict(b, position=at), "limit": 1000})
    check(reply["complete"], "all features on one page")
    found = [f for f in reply["results"] if f["kind"] == "edgeEdge"]
    return sorted((round(f["distance"], 9), *(round(x, 9) for x in f["pointA"])) for f in found)


@suite.fact
def edges_of_meshes_and_of_hexmeshes_cross_alike():
    r = random.Random(17)
    some = 0
    for _ in range(40):
        first, second = r.choice(SOLIDS), r.choice(SOLIDS)
        at = [r.randint(-3, 3), r.randint(-3, 3), r.randint(-3, 3)]
        answers = [crossings(a, b, at) for a in (mesh(first), hexmesh(first))
                   for b in (mesh(second), hexmesh(second))]
        some += len(answers[0]) > 0
        for other in answers[1:]:
            equal(other, answers[0], f"crossings of {first} and {second} at {at}")
    check(some > 5, "some cross")


suite.main()
