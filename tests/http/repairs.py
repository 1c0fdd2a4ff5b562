"""Meshes that are open: results against surfaces say so, reports list what keeps a mesh open, repairs are asked for and reported, and
the 92 STL files of dart-doc's robots (the folders urdf and sdf) have their reports. Holes, edges and volumes are worked out here.
"""
import collections
import json
import math

from support import models, urdf
from support.checks import Suite, check, equal, near
from support.client import KeepAlive
from support.daemon import Daemon
from support.lives import Lives

STL = "model/stl"
WELD = 1e-7
REPAIR = f"&weld={WELD}&capHoles=true&keepDuplicates=true"
LID = [0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]
WALLS = [[0, 2, 1], [0, 3, 2], [0, 1, 5], [0, 5, 4], [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6], [3, 0, 4], [3, 4, 7]]
OPEN_BOX = {"vertices": [list(p) for p in LID], "triangles": WALLS}
suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)


def files():
    root = models.dart("urdf").parent
    found = sorted(p for folder in ("sdf", "urdf") for p in (root / folder).rglob("*") if p.suffix.lower() == ".stl")
    return [p for p in found if p.name != "invalid_mesh.stl"]


def corners(path):
    return [(t[0:3], t[3:6], t[6:9]) for t in urdf.stl_triangles(path)]


def post(path, query=""):
    reply = client.request("POST", f"/v1/shapes?unit=m&deadlineMs=60000{query}", path.read_bytes(), content_type=STL)
    check(reply.status in (200, 201), f"{path.name}{query}: {reply.status} {reply.text[:300]}")
    return reply.json


# ---- the same, worked out here -----------------------------------------------------------------------------------------------


class Soup:
    """Triangles of a file by points, joined where they are equal, or within a tolerance: then by chains of neighbours."""

    def __init__(self, corners, weld=0.0):
        self.points, self.corners, number = [], corners, {}
        self.all = []
        for triangle in corners:
            ids = []
            for p in triangle:
                key = tuple(c + 0.0 for c in p)
                if key not in number:
                    number[key] = len(self.points)
                    self.points.append(key)
                ids.append(number[key])
            self.all.append(ids)
        if weld:
            root = self.chains(weld)
            self.all = [[root[i] for i in t] for t in self.all]
        seen, self.live = set(), []
        for a, b, c in self.all:
            key = min((a, b, c), (b, c, a), (c, a, b))
            if len({a, b, c}) == 3 and key not in seen:
                seen.add(key)
                self.live.append((a, b, c))
        self.edges = collections.defaultdict(list)
        for t, triangle in enumerate(self.live):
            for k in range(3):
                a, b = triangle[k], triangle[(k + 1) % 3]
                self.edges[min(a, b), max(a, b)].append((t, a < b))

    def chains(self, weld):
        cells, root = collections.defaultdict(list), list(range(len(self.points)))

        def find(i):
            while root[i] != i:
                i = root[i]
            return i
        for i, p in enumerate(self.points):
            cell = [math.floor(c / weld) for c in p]
            for k in range(27):
                for j in cells[cell[0] + k % 3 - 1, cell[1] + k // 3 % 3 - 1, cell[2] + k // 9 - 1]:
                    if math.dist(p, self.points[j]) <= weld:
                        a, b = find(i), find(j)
                        root[max(a, b)] = min(a, b)
            cells[tuple(cell)].append(i)
        return [find(i) for i in range(len(root))]

    def counts(self):
        uses = [len(u) for u in self.edges.values()]
        return sum(u == 1 for u in uses), sum(u > 2 for u in uses)

    def loops(self):
        """Loops of open edges, against their triangles: at a vertex on through the triangles around it, cut where they come back."""
        after = collections.defaultdict(list)
        for (low, high), uses in self.edges.items():
            if len(uses) == 1:
                t, up = uses[0]
                a, b = (low, high) if up else (high, low)
                after[b].append((t, a))
        loops = []
        while after:
            path = [min(after)]
            way = None
            while path:
                here = path[-1]
                options = after.get(here)
                if not options:
                    return None
                best = self.turn(here, way, options) if way is not None and len(options) > 1 else options[0]
                options.remove(best)
                if not options:
                    del after[here]
                way, to = best
                if to in path:
                    at = path.index(to)
                    loops.append(path[at:])
                    path = path[:at + 1] if at else []
                else:
                    path.append(to)
        return loops

    def turn(self, vertex, triangle, options):
        """The open edge at the vertex in the fan of the triangle."""
        fan, work = {triangle}, [triangle]
        while work:
            t = work.pop()
            for k in range(3):
                a, b = self.live[t][k], self.live[t][(k + 1) % 3]
                if vertex in (a, b):
                    for other, _ in self.edges[min(a, b), max(a, b)]:
                        if other not in fan:
                            fan.add(other)
                            work.append(other)
        return next((o for o in options if o[0] in fan), options[0])


def six_times(a, b, c):
    return (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]))


def divergence(points, triangles):
    return math.fsum(six_times(*(points[i] for i in t)) for t in triangles) / 6


def area(points, triangles):
    total = 0.0
    for a, b, c in triangles:
        p, q, r = points[a], points[b], points[c]
        u, v = [y - x for x, y in zip(p, q)], [y - x for x, y in zip(p, r)]
        total += math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2
    return total


def cones(points, loops):
    """Caps that are cones about the loops' middles: their triangles' volumes, and by how much bent loops may make others differ."""
    volume = slack = 0.0
    for loop in loops:
        middle = [math.fsum(points[i][k] for i in loop) / len(loop) for k in range(3)]
        fan = [(points[loop[i - 1]], points[loop[i]], middle) for i in range(len(loop))]
        volume += math.fsum(six_times(*t) for t in fan) / 6
        corners = [p for t in fan for p in t]
        own = area(corners, [(3 * i, 3 * i + 1, 3 * i + 2) for i in range(len(fan))])
        slack += own * 0.02 * max(math.dist(points[i], points[j]) for i in loop for j in loop)
    return volume, slack


def parts(triangles):
    """Closed parts in the order of the file: as soon as the edges of what was read balance, a part ends. Equal ones count once."""
    found, balance, begin = {}, collections.Counter(), 0
    for i, t in enumerate(triangles):
        for k in range(3):
            a, b = t[k], t[(k + 1) % 3]
            key = (min(a, b), max(a, b))
            balance[key] += 1 if a < b else -1
            if balance[key] == 0:
                del balance[key]
        if not balance:
            part = triangles[begin:i + 1]
            found[frozenset(min((a, b, c), (b, c, a), (c, a, b)) for a, b, c in part)] = part
            begin = i + 1
    return list(found.values())


# ---- files of robots ----------------------------------------------------------------------------------------------------------


@suite.fact
def files_of_robots_report_what_keeps_them_open():
    """49 of 92 are surfaces; edges and holes are those counted here."""
    names = files()
    equal(len(names), 92, "files")
    surfaces = 0
    for path in names:
        report, soup = post(path), Soup(corners(path))
        surfaces += not report["solid"]
        open_edges, crowded = soup.counts()
        equal("defects" in report, not report["watertight"], f"{path.name} has defects")
        if report["watertight"]:
            equal((open_edges, crowded), (0, 0), f"{path.name}: edges of a watertight mesh")
            continue
        defects, loops = report["defects"], soup.loops()
        equal((defects["openEdges"], defects["nonManifoldEdges"]), (open_edges, crowded), f"{path.name}: open, crowded edges")
        equal(defects["holes"], len(loops), f"{path.name}: holes")
        largest = sorted((sum(math.dist(soup.points[loop[i - 1]], soup.points[loop[i]]) for i in range(len(loop))) for loop in loops),
                         reverse=True)[:16]
        met = collections.Counter(i for loop in loops for i in loop)
        for reported, own in zip(defects["largestHoles"], largest, strict=True):
            if max(met.values()) > 1:
                break  # where holes touch, which is which is a matter of taste
            near(reported["perimeter"] / own, 1, 1e-12, f"{path.name}: perimeter of a hole")
        bad = sum(len(uses) != 2 for uses in soup.edges.values())
        equal(len(defects["firstEdges"]), min(10, bad), f"{path.name}: first edges")
        points = set(soup.points)
        for edge in defects["firstEdges"]:
            check(tuple(edge["from"]) in points and tuple(edge["to"]) in points, f"{path.name}: {edge} is at no points of the file")
    equal(surfaces, 49, "files read as surfaces")


@suite.fact
def files_of_robots_are_repaired_to_solids():
    """42 of the 49: 9 by welding, 20 by duplicates that their parts share, 13 by caps; 4 more where bent holes are capped. Volumes:
    divergence sums of the file's triangles, with cones for caps, or of its parts."""
    solids = bent = 0
    for path in files():
        if post(path)["solid"]:
            continue
        report, soup = post(path, REPAIR), Soup(corners(path), WELD)
        done = report["repair"]
        check(done["maxDisplacement"] <= WELD, f"{path.name} moved by {done['maxDisplacement']}")
        equal(report["solid"], done["holesLeft"] == 0, f"{path.name} is a solid")
        if not report["solid"]:
            check(all(h["outcome"] in ("notPlanar", "crossesItself") for h in done["holes"][:done["holesLeft"]]), f"{path.name}: {done}")
            bent += post(path, REPAIR + "&planarity=0.35")["solid"]
            continue
        solids += 1
        loops = soup.loops()
        equal(done["holesCapped"], len(loops), f"{path.name}: holes capped")
        pieces = parts(soup.live if loops else [tuple(t) for t in soup.all if len(set(t)) == 3])
        caps, slack = cones(soup.points, loops)
        triangles = soup.live if loops else [t for piece in pieces for t in piece]
        own = divergence(soup.points, triangles) + caps
        slack += WELD * area(soup.points, triangles) + 1e-12 * abs(own)
        near(report["volume"], abs(own), slack, f"{path.name}: volume")
    equal((solids, bent), (42, 4), "files that become solids, and with bent holes")


# ---- results against surfaces -------------------------------------------------------------------------------------------------


@suite.fact
def a_body_inside_a_surface_is_told_that_it_is_one():
    """A ball in a box without a lid is separated from it; every kind of query says against what."""
    box, ball = {"mesh": OPEN_BOX}, {"sphere": {"radius": 0.1}, "position": [0.5, 0.5, 0.5]}
    touching = {"sphere": {"radius": 0.1}, "position": [0.5, 0.5, 0.05]}
    shut = {"mesh": {**OPEN_BOX, "repair": {"capHoles": True}}}
    for kind in ("overlap", "distance", "contacts", "volume"):
        for other in (ball, touching):
            results = client.post(f"/v1/query/{kind}", {"a": box, "b": other, **({"clearance": 1} if kind == "contacts" else {})}).must(200)
            check(all(r.get("surface") is True for r in results.json["results"]), f"{kind}: {results.json}")
            closed = client.post(f"/v1/query/{kind}", {"a": shut, "b": other}).must(200).json["results"]
            check(all("surface" not in r for r in closed), f"{kind} of a solid: {closed}")
    result, = client.post("/v1/query/distance", {"a": box, "b": ball}).must(200).json["results"]
    equal((result["relation"], result["surface"]), ("separated", True), "a ball in a surface")
    result, = client.post("/v1/query/distance", {"a": shut, "b": ball}).must(200).json["results"]
    equal(result["relation"], "containing", "a ball in the capped box")


STEEL = {"youngsModulus": 2e11, "poissonRatio": 0.3, "restitution": 0.7}
DYNAMIC = {"mass": 1, "inertiaDiagonal": [1, 1, 1], "linearVelocity": [0, 0, -1]}


def marks_of(value):
    """Every object that names the body `open`, as one of a pair or by itself, and whether it is marked."""
    if isinstance(value, dict):
        if "open" in (value.get("a"), value.get("b"), value.get("id")):
            yield value.get("surface")
        for child in value.values():
            yield from marks_of(child)
    if isinstance(value, list):
        for child in value:
            yield from marks_of(child)


@suite.fact
def every_kind_of_query_over_a_scene_marks_surfaces():
    """Wherever a reply names the body, but for sums over bodies, it says that it is a surface."""
    ball = {"id": "ball", "colliders": [{"sphere": {"radius": 0.1}}], "position": [0.5, 0.5, 0.05], "motion": DYNAMIC}
    bodies = [{"id": "open", "colliders": [{"mesh": OPEN_BOX}]}, ball]
    client.put("/v1/scenes/s", {"bodies": bodies, "materials": {"default": STEEL}}).must(201)
    path, pair = "/v1/scenes/s/query/", {"pairs": [["open", "ball"]]}
    moves = {"duration": 1, "motions": [{"id": "ball", "twist": {"linearVelocity": [0, 0, 1]}}]}
    asked = {"overlap": pair, "distance": pair, "contacts": pair, "volume": pair, "sweep": moves, "timeline": moves,
             "raycast": {"rays": [{"origin": [0.3, 0.4, 5], "direction": [0, 0, -1]}]},
             "nearest": {"points": [[-3, 0.5, 0.9]]},
             "region": {"region": {"box": {"size": [0.5, 0.5, 0.5]}}},
             "restingForces": {}, "compliantForces": {}, "impulse": {}}
    for kind, request in asked.items():
        reply = client.post(path + kind, request).must(200).json
        marks = [m for r in [reply["results"], reply.get("initialContacts", [])] for m in marks_of(r)]
        check(marks and all(m is True for m in marks), f"{kind}: {marks} in {reply}")
    # A surface has no inside, so no point is in it: there is no result to mark.
    held = client.post(path + "point", {"points": [[0.5, 0.5, 0]]}).must(200).json["results"]
    equal([r["id"] for r in held], ["ball"], "who contains a point on the surface")
    event = client.post("/v1/scenes/s/contactStates/c", {}).must(201).json
    check([r["surface"] for r in event["began"]] == [True], f"event: {event}")
    kept = client.get("/v1/scenes/s/contactStates/c").must(200).json
    check([r["surface"] for r in kept["contacts"]] == [True], f"state: {kept}")
    crossings = client.post(path + "zeroCrossings", {"contactState": "c", "include": ["contacts"]}).must(200).json["results"][0]
    check(list(marks_of(crossings)) == [True, True], f"crossings: {crossings}")
    client.patch("/v1/scenes/s/bodies/ball", {"position": [0.5, 0.5, 0.3]}).must(200)
    reported = client.post("/v1/scenes/s/advance", {"mode": "eventImpulses", "duration": 0.5, "timeStep": 0.1, "include": ["events"]})
    marks = list(marks_of(reported.must(200).json["eventList"]))
    check(marks and all(m is True for m in marks), f"advance: {reported.json}")


# ---- hulls and repairs of posted shapes ----------------------------------------------------------------------------------------


@suite.fact
def convex_hulls_of_posted_shapes():
    """The open box's hull is the unit cube, posted so or named so; the id is another one."""
    plain = client.post("/v1/shapes", {"mesh": OPEN_BOX}).must(201).json
    hull = with_hull(OPEN_BOX).must(201).json
    check(plain["id"] != hull["id"] and hull["kind"] == "convex" and hull["volume"] == 1, f"{hull}")
    ball = {"sphere": {"radius": 0.1}, "position": [1, 1, 1]}
    named = {"shape": plain["id"], "convexHull": True, "scale": 2}
    result, = client.post("/v1/query/distance", {"a": named, "b": ball}).must(200).json["results"]
    equal(result["relation"], "containing", "a ball in the hull at twice its size")
    check("surface" not in result, f"{result}")
    client.put("/v1/scenes/h", {"bodies": [{"id": "b", "colliders": [named]}]}).must(201)
    equal(client.get("/v1/scenes/h/bodies/b").must(200).json["colliders"][0], named, "the collider, read back")
    result, = client.post("/v1/query/distance", {"a": {"shape": plain["id"]}, "b": ball}).must(200).json["results"]
    equal(result["surface"], True, "against the shape itself")
    flat = {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [[0, 1, 2]]}
    with_hull(flat).problem(422, "degenerate-hull")
    for query in ("?unit=m&convexHull=true&solid=true", "?unit=m&convexHull=true&weld=1e-6", "?unit=m&planarity=0.1", "?unit=m&weld=-1"):
        client.request("POST", "/v1/shapes" + query, b"solid x\nendsolid x\n", content_type=STL).problem(400, "bad-parameter")
    sphere = client.request("POST", "/v1/shapes?convexHull=true", b'{"sphere":{"radius":1}}').must(201).json
    equal(sphere["kind"], "sphere", "a ball is its own hull")


def with_hull(mesh):
    return client.request("POST", "/v1/shapes?convexHull=true", json.dumps({"mesh": mesh}).encode())


@suite.fact
def repairs_of_inline_meshes_are_told_and_read_back():
    mesh = {**OPEN_BOX, "repair": {"weld": 1e-6, "capHoles": True}}
    made = client.put("/v1/scenes/r", {"bodies": [{"id": "b", "colliders": [{"mesh": mesh}], "motion": {"density": 2}}]}).must(201).json
    equal([w["type"] for w in made["warnings"]], ["holesCapped"], "warnings")
    equal(client.get("/v1/scenes/r/bodies/b").must(200).json["colliders"][0]["mesh"], mesh, "the mesh, read back")
    result, = client.post("/v1/scenes/r/query/massProperties", {}).must(200).json["results"]
    near(result["mass"], 2, 1e-15, "mass of the capped box")
    warned = client.put("/v1/scenes/w", {"bodies": [{"id": "b", "colliders": [{"mesh": OPEN_BOX}]}]}).must(201).json["warnings"]
    check("1 hole, the largest of 4 edges" in warned[0]["detail"] and "The first is from (" in warned[0]["detail"], f"{warned}")
    for repair, problem in (({"weld": 0}, "out-of-range"), ({"planarity": 0.1}, "conflicting-members"), ({"caps": True}, "unknown-member")):
        client.put("/v1/scenes/x", {"bodies": [{"id": "b", "colliders": [{"mesh": {**OPEN_BOX, "repair": repair}}]}]}).problem(422, problem)


# ---- stores and writes ---------------------------------------------------------------------------------------------------------

@suite.fact
def repaired_shapes_and_hulls_are_the_same_after_a_restart():
    lives = Lives(suite)
    obj = "".join(f"v {x} {y} {z}\n" for x, y, z in LID) + "".join(f"f {i + 1} {j + 1} {k + 1}\n" for i, j, k in WALLS)
    made = [lives.client.post(f"/v1/shapes?unit=m{query}", obj, content_type="model/obj").must(201).json
            for query in ("", "&capHoles=true", "&weld=1e-6&capHoles=true", "&convexHull=true", "&keepDuplicates=true")]
    made.append(lives.client.post("/v1/shapes", {"mesh": {**OPEN_BOX, "repair": {"capHoles": True}}}).must(201).json)
    ids = [shape["id"] for shape in made]
    equal(len(set(ids)), len(ids), "ids of the variants")
    inline = {"mesh": {**OPEN_BOX, "repair": {"weld": 1e-6, "capHoles": True}}}
    bodies = [{"id": f"b{i}", "colliders": [{"shape": one}], "position": [3 * i, 0, 0]} for i, one in enumerate(ids)]
    bodies += [{"id": "hull", "colliders": [{"shape": ids[0], "convexHull": True}], "position": [-3, 0, 0]},
               {"id": "inline", "colliders": [inline], "position": [-6, 0, 0]},
               {"id": "ball", "colliders": [{"sphere": {"radius": 0.1}}], "position": [0.5, 0.5, 0.5], "motion": DYNAMIC}]
    lives.client.put("/v1/scenes/s", {"bodies": bodies}).must(201)
    lives.client.post("/v1/scenes/s/contactStates/c", {"time": 1}).must(201)
    looks = ["/v1/scenes/s", "/v1/scenes/s/contactStates/c", "/v1/shapes", *(f"/v1/shapes/{one}" for one in ids)]

    def everything():
        questions = [lives.client.post(f"/v1/scenes/s/query/{kind}", {}).must(200).json for kind in ("distance", "overlap", "massProperties")]
        return [lives.client.get(path).must(200).json for path in looks] + questions

    before = everything()
    for how in ("TERM", "KILL"):
        lives.again(how)
        equal(everything(), before, f"what is read after {how}")
    lives.down()


@suite.fact
def the_vertices_of_a_mesh_with_kept_duplicates_can_be_replaced():
    """Two unit cubes with a face in common, whose triangles stand twice; truth: the same put with the moved vertices, and the volume of
    a sheared and stretched block. A daemon that starts again reads it, and it can be moved again."""
    corners = [[x, y, z] for z in (0, 1, 2) for y in (0, 1) for x in (0, 1)]
    cube = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 5], [0, 5, 4], [2, 6, 7], [2, 7, 3], [0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5]]
    mesh = {"vertices": corners, "triangles": cube + [[i + 4 for i in t] for t in cube], "repair": {"keepDuplicates": True}}
    lives = Lives(suite)

    def scene(vertices, **more):
        return {"bodies": [{"id": "b", "colliders": [{"mesh": {**mesh, "vertices": vertices, **more}}], "motion": {"density": 1}}]}

    def look(name):
        return [lives.client.post(f"/v1/scenes/{name}/query/massProperties", {}).must(200).json["results"],
                lives.client.get(f"/v1/scenes/{name}/bodies/b").must(200).json["colliders"]]

    for k, height in enumerate((1.5, 3, 0.25)):
        moved = [[x + 0.125 * z, y, height * z] for x, y, z in corners]
        if k == 0:
            lives.client.put("/v1/scenes/k", scene(corners)).must(201)
        lives.client.patch("/v1/scenes/k/vertices", {"meshes": [{"body": "b", "vertices": moved}]}).must(200)
        lives.client.put("/v1/scenes/fresh", scene(moved, solid=True))
        near(look("k")[0][0]["mass"], 2 * height, 1e-12, "mass of two blocks")
        equal(look("k"), look("fresh"), "what is answered of a mesh put so")
        before = look("k")
        lives.again("KILL")
        equal(look("k"), before, "after a restart")
    lives.down()


suite.main()
