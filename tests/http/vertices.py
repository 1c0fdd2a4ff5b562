"""PATCH of vertices. Truth: a scene whose bodies were put with the new vertices from the beginning. It answers the
same apart from the last bits of sums and from choices among several right answers, such as a common point: these
depend on the order of a tree's leaves.
A daemon that was ended and started again answers the same bytes."""
import json
import math
import tempfile

from support.checks import Suite, check, equal
from support.client import KeepAlive
from support.daemon import Daemon
from support.events import Stream

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)

CORNERS = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]
FACES = [[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7], [0, 1, 5], [0, 5, 4], [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6], [3, 0, 4], [3, 4, 7]]
TETS = [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]]
SHAPES = {"mesh": {"vertices": CORNERS, "triangles": FACES},
          "tetmesh": {"vertices": CORNERS, "tetrahedra": TETS},
          "hexmesh": {"vertices": CORNERS, "hexahedra": [list(range(8))], "surfaceIds": [1, 2, 3, 4, 5, 6]},
          "elementmesh": {"vertices": CORNERS, "elements": [[0, 1, 2, 4, 5, 6], [2, 3, 0, 6, 7, 4]], "surfaceIds": list(range(8))}}
QUERIES = ("features", "contacts", "distance", "volume", "massProperties", "overlap")


def bent(amount):
    return [[x + amount * y * z, y - amount * x * z, z + 0.5 * amount * x * y] for x, y, z in CORNERS]


def flat(vectors):
    return [c for v in vectors for c in v]


def bodies(kind, vertices, normals=None):
    shape = dict(SHAPES[kind], vertices=vertices, **({"normals": normals} if normals else {}))
    soft = {"id": "soft", "motion": {"density": 500}, "groups": ["g"], "user": [1], "position": [.125, .25, .5],
            "colliders": [{"id": "feeler", "sphere": {"radius": .25}, "position": [0, 0, 4]}, {"id": "skin", kind: shape, "material": "gel"}]}
    other = {"id": "other", "colliders": [{"mesh": SHAPES["mesh"]}], "position": [.5, .5, 1]}
    return {"bodies": [soft, other], "materials": {"default": {"staticFriction": 0.5}, "gel": {"staticFriction": 0.25}}}


def answers(a_client, scene):
    # Revision numbers are not compared.
    replies = [a_client.get(f"/v1/scenes/{scene}/bodies/soft").must(200).text]
    for kind in QUERIES:
        reply = a_client.post(f"/v1/scenes/{scene}/query/{kind}", {}).must(200).json
        replies.append(json.dumps({k: v for k, v in reply.items() if k != "revision"}))
    return replies


def move(scene, items, **more):
    return client.patch(f"/v1/scenes/{scene}/vertices", {"meshes": items}, **more)


def alike(got, wanted, what):
    """The same apart from round-off; the number of iterations of a search is not compared."""
    if isinstance(wanted, dict):
        equal(sorted(got), sorted(wanted), f"members of {what}")
        for key in set(wanted) - {"iterations", "revision"}:
            alike(got[key], wanted[key], f"{what}/{key}")
    elif isinstance(wanted, list):
        equal(len(got), len(wanted), f"length of {what}")
        for i, value in enumerate(wanted):
            alike(got[i], value, f"{what}/{i}")
    elif isinstance(wanted, float) and isinstance(got, (int, float)):
        check(abs(got - wanted) <= 1e-12 * (1 + abs(wanted)), f"{what}: {got} is not {wanted}")
    else:
        equal(got, wanted, what)


# Choices among several right answers: a common point of overlapping bodies, the named one of several crossing
# triangles, the contact points that represent a patch.
CHOSEN = {"overlap": {"position"}, "distance": {"triangleA", "triangleB", "elementA", "elementB"},
          "contacts": {"points", "triangleA", "triangleB", "elementA", "elementB"}}


def all_alike(got, wanted, what):
    """Compares a body and the queries of two scenes."""
    alike(json.loads(got[0]), json.loads(wanted[0]), f"{what}: body")
    for kind, one, other in zip(QUERIES, got[1:], wanted[1:]):
        one, other = json.loads(one), json.loads(other)
        for reply in (one, other):
            for result in reply["results"]:
                if kind == "distance" and result.get("distance", 1) > 0:
                    continue
                for member in CHOSEN.get(kind, ()):
                    result.pop(member, None)
        alike(one, other, f"{what}: {kind}")


NORMALS = [[2 * c - 1 for c in v] for v in CORNERS]


def moved_as_put(kind):
    for vectors, normals in ((bent(.25), None), (bent(-.125), NORMALS), (CORNERS, None)):
        for form in (lambda v: v, flat):
            before = client.put("/v1/scenes/moved", bodies(kind, CORNERS)).json["revision"]
            item = {"body": "soft", "vertices": form(vectors), **({"normals": form(normals)} if normals else {})}
            reply = move("moved", [item]).must(200).json
            equal((reply["count"], reply["revision"]), (1, before + 1), "one revision")
            client.put("/v1/scenes/fresh", bodies(kind, vectors, normals))
            all_alike(answers(client, "moved"), answers(client, "fresh"), kind)
    client.delete("/v1/scenes/moved").must(200)


suite.table("moved vertices answer as if they had been put", ((kind, lambda kind=kind: moved_as_put(kind)) for kind in SHAPES))


def ball(rings, sectors):
    """A sphere's vertices and triangles: enough that a refitted tree differs from a newly built one."""
    points = [[0, 0, 1], [0, 0, -1]] + [[math.sin(math.pi * i / rings) * math.cos(2 * math.pi * j / sectors),
                                         math.sin(math.pi * i / rings) * math.sin(2 * math.pi * j / sectors),
                                         math.cos(math.pi * i / rings)] for i in range(1, rings) for j in range(sectors)]
    faces, last = [], 2 + (rings - 2) * sectors
    for j in range(sectors):
        k = (j + 1) % sectors
        faces += [[0, 2 + j, 2 + k], [1, last + k, last + j]]
        for a in range(2, last, sectors):
            faces += [[a + j, a + sectors + j, a + sectors + k], [a + j, a + sectors + k, a + k]]
    return points, faces


def grid(n):
    """Unit cells of an n x n x n block, as hexahedra and as tetrahedra."""
    points = [[x / n, y / n, z / n] for z in range(n + 1) for y in range(n + 1) for x in range(n + 1)]
    hexes = []
    for z in range(n):
        for y in range(n):
            for x in range(n):
                a = x + (n + 1) * (y + (n + 1) * z)
                low = [a, a + 1, a + n + 2, a + n + 1]
                hexes.append(low + [i + (n + 1) ** 2 for i in low])
    kuhn = [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]]
    return points, hexes, [[h[i] for i in t] for h in hexes for t in kuhn]


def twisted(points, amount):
    return [[math.cos(amount * z) * x - math.sin(amount * z) * y, math.sin(amount * z) * x + math.cos(amount * z) * y, z + 0.1 * amount * x]
            for x, y, z in points]


def large_shapes():
    points, faces = ball(10, 14)
    cells, hexes, tets = grid(3)
    return {"mesh": (points, {"triangles": faces}), "tetmesh": (cells, {"tetrahedra": tets}), "hexmesh": (cells, {"hexahedra": hexes})}


def refitted(kind):
    """Consecutive moves, the last ones so large that trees are rebuilt: against the same mesh sent by PUT, and against
    the same after a restart."""
    points, connectivity = large_shapes()[kind]

    def scene(vertices):
        return {"bodies": [{"id": "soft", "motion": {"density": 500}, "colliders": [{kind: {"vertices": vertices, **connectivity}}]},
                           {"id": "other", "position": [0.5, 0.25, 0.75], "colliders": [{"mesh": SHAPES["mesh"]}]},
                           {"id": "box", "position": [-0.4, 0.3, 0.3], "colliders": [{"box": {"size": [0.5, 1, 0.75]}}]}]}

    with tempfile.TemporaryDirectory() as folder:
        with Daemon("--data", folder, durability="disk") as first:
            a_client = KeepAlive(first)
            a_client.put("/v1/scenes/moved", scene(points)).must(201)
            for amount in (0.1, 0.25, 0.4, 0.9, 1.6, 1.7):
                vertices = twisted(points, amount)
                a_client.patch("/v1/scenes/moved/vertices", {"meshes": [{"body": "soft", "vertices": flat(vertices)}]}).must(200)
                a_client.put("/v1/scenes/fresh", scene(vertices))
                all_alike(answers(a_client, "moved"), answers(a_client, "fresh"), f"{kind} twisted by {amount}")
                a_client.put(f"/v1/scenes/kept{int(100 * amount)}", scene(points)).must(201)
                a_client.patch(f"/v1/scenes/kept{int(100 * amount)}/vertices", {"meshes": [{"body": "soft", "vertices": vertices}]}).must(200)
            names = ["moved"] + [f"kept{k}" for k in (10, 25, 40, 90, 160, 170)]
            wanted = {name: answers(a_client, name) for name in names}
            a_client.close()
        with Daemon("--data", folder, durability="disk") as second:
            a_client = KeepAlive(second)
            for name in names:
                for got, truth in zip(answers(a_client, name), wanted[name]):
                    equal(got, truth, f"{name} after a restart")
            a_client.close()


suite.table("trees that are fitted answer as those of meshes sent by PUT, and to the byte after a restart",
            ((kind, lambda kind=kind: refitted(kind)) for kind in large_shapes()))


@suite.fact
def many_colliders_of_one_body_are_moved_in_one_write():
    count = 300
    skin = [{"id": f"c{i}", "mesh": SHAPES["mesh"], "position": [2 * i, 0, 0]} for i in range(count)]
    client.put("/v1/scenes/skins", {"bodies": [{"id": "soft", "motion": {"density": 1}, "colliders": skin}]}).must(201)
    items = [{"body": "soft", "collider": f"c{i}", "vertices": flat([[x, y, (1 + i / 256) * z] for x, y, z in CORNERS])}
             for i in reversed(range(count))]
    equal(move("skins", items).must(200).json["count"], count, "count")
    mass, = client.post("/v1/scenes/skins/query/massProperties", {}).must(200).json["results"]
    check(abs(mass["volume"] - sum(1 + i / 256 for i in range(count))) < 1e-9, "volume of all")
    before = client.get("/v1/scenes/skins").must(200).text
    reply = move("skins", items + [dict(items[0], collider=count - 1), items[5]])
    equal([e["pointer"] for e in reply.problem(422, "duplicate-id").json["errors"]], [f"/meshes/{count + 1}", f"/meshes/{count}"], "the second ones")
    equal(client.get("/v1/scenes/skins").must(200).text, before, "unchanged")


@suite.fact
def several_meshes_are_one_revision_and_one_event():
    scene = bodies("mesh", CORNERS)
    scene["bodies"][1]["colliders"].append({"id": "more", "tetmesh": SHAPES["tetmesh"], "position": [0, 0, 2]})
    revision = client.put("/v1/scenes/many", scene).must(201).json["revision"]
    with Stream(daemon, "many") as stream:
        stream.next("revision")
        reply = move("many", [{"body": "soft", "vertices": flat(bent(.25))}, {"body": "other", "collider": 0, "vertices": flat(bent(.125))},
                              {"body": "other", "collider": "more", "vertices": bent(.0625)}]).must(200).json
        equal((reply["count"], reply["revision"]), (3, revision + 1), "reply")
        equal(stream.next("revision").data["revision"], revision + 1, "event")
    got = client.get("/v1/scenes/many/bodies/other").must(200).json["colliders"]
    equal([got[0]["mesh"]["vertices"], got[1]["tetmesh"]["vertices"]], [bent(.125), bent(.0625)], "both")


@suite.fact
def moving_the_vertices_of_a_posted_shape_makes_a_copy():
    shape = client.post("/v1/shapes", {"mesh": SHAPES["mesh"]}).json["id"]
    client.put("/v1/scenes/posted", {"bodies": [{"id": i, "colliders": [{"shape": shape, "scale": 2}]} for i in ("a", "b")]}).must(201)
    move("posted", [{"body": "a", "vertices": flat(bent(.25))}]).must(200)
    equal(client.get("/v1/scenes/posted/bodies/a").json["colliders"], [{"mesh": {"vertices": bent(.25), "triangles": FACES, "solid": True}}], "own")
    equal(client.get("/v1/scenes/posted/bodies/b").json["colliders"], [{"shape": shape, "scale": 2}], "the other one")
    equal(client.post("/v1/scenes/posted/query/massProperties", {}).json["results"][1].get("volume"), 8, "volume of b")


@suite.fact
def refused_vertices_change_nothing_and_are_explained():
    seam = {"vertices": [v for f in FACES for v in (CORNERS[k] for k in f)], "triangles": [[3 * i, 3 * i + 1, 3 * i + 2] for i in range(12)]}
    scene = {"bodies": [{"id": "box", "colliders": [{"box": {"size": [1, 1, 1]}}]},
                        {"id": "tets", "colliders": [{"tetmesh": SHAPES["tetmesh"]}]},
                        {"id": "hex", "colliders": [{"hexmesh": SHAPES["hexmesh"]}]},
                        {"id": "seams", "colliders": [{"mesh": seam}]},
                        {"id": "two", "colliders": [{"id": "p", "mesh": SHAPES["mesh"]}, {"id": "q", "mesh": SHAPES["mesh"]}]},
                        {"id": "one", "colliders": [{"mesh": SHAPES["mesh"]}]}]}
    client.put("/v1/scenes/refused", scene).must(201)
    before = client.get("/v1/scenes/refused").must(200).text
    good = {"body": "one", "vertices": flat(bent(.25))}
    inverted = [[x, y, -z] for x, y, z in CORNERS]
    torn = [list(v) for v in seam["vertices"]]
    torn[0][0] -= .25
    pressed = [[x, y, 0] for x, y, z in CORNERS]
    huge = flat(CORNERS)
    huge[7] = 2e9
    for item, problem, pointer in (
            ({"body": "nobody", "vertices": CORNERS}, "unknown-id", "/meshes/1/body"),
            ({"body": "two", "vertices": CORNERS}, "missing-member", "/meshes/1/collider"),
            ({"body": "two", "collider": "r", "vertices": CORNERS}, "unknown-id", "/meshes/1/collider"),
            ({"body": "two", "collider": 2, "vertices": CORNERS}, "unknown-id", "/meshes/1/collider"),
            ({"body": "box", "vertices": CORNERS}, "no-triangles", "/meshes/1/body"),
            ({"body": "box", "collider": 0, "vertices": CORNERS}, "no-triangles", "/meshes/1/collider"),
            ({"body": "one", "vertices": CORNERS}, "duplicate-id", "/meshes/1"),
            ({"body": "tets", "vertices": CORNERS[:7]}, "wrong-type", "/meshes/1/vertices"),
            ({"body": "tets", "vertices": flat(CORNERS)[:23]}, "wrong-type", "/meshes/1/vertices"),
            ({"body": "tets", "vertices": 1}, "wrong-type", "/meshes/1/vertices"),
            ({"body": "tets", "vertices": []}, "wrong-type", "/meshes/1/vertices"),
            ({"body": "tets", "vertices": huge}, "out-of-range", "/meshes/1/vertices/7"),
            ({"body": "tets", "vertices": flat(CORNERS)[:5] + ["1"] + flat(CORNERS)[6:]}, "wrong-type", "/meshes/1/vertices/5"),
            ({"body": "tets", "vertices": CORNERS[:5] + [[0, 0]] + CORNERS[6:]}, "wrong-type", "/meshes/1/vertices/5"),
            ({"body": "tets", "vertices": CORNERS, "normals": NORMALS[:3]}, "wrong-type", "/meshes/1/normals"),
            ({"body": "tets", "vertices": CORNERS, "normals": flat(NORMALS[:2] + [[0, 0, 0]] + NORMALS[3:])}, "out-of-range", "/meshes/1/normals/6"),
            ({"body": "tets", "vertices": CORNERS, "normals": NORMALS[:2] + [[0, 0, 0]] + NORMALS[3:]}, "out-of-range", "/meshes/1/normals/2"),
            ({"body": "tets", "vertices": inverted}, "bad-element", "/meshes/1/vertices"),
            ({"body": "hex", "vertices": inverted}, "bad-element", "/meshes/1/vertices"),
            ({"body": "tets", "vertices": pressed}, "bad-element", "/meshes/1/vertices"),
            ({"body": "seams", "vertices": torn}, "open-mesh", "/meshes/1/vertices"),
            ({"body": "two", "collider": "q", "vertices": pressed}, "open-mesh", "/meshes/1/vertices"),
            ({"body": "two", "collider": "q", "vertices": [[0, 0, 0]] * 8}, "degenerate-mesh", "/meshes/1/vertices"),
            ({"body": "tets", "vertices": CORNERS, "vertexes": 1}, "unknown-member", "/meshes/1/vertexes"),
            ({"body": "tets"}, "missing-member", "/meshes/1/vertices")):
        reply = move("refused", [good, item])
        equal(reply.status, 422, f"{item['body']} {problem}")
        error = reply.json
        equal((error["type"], error["errors"][0]["pointer"]), ("/problems/" + problem, pointer), f"{item}: {error}")
    # The pointer ends at the vertices; the detail names the element, here the second of those that share the diagonal 0
    # 6.
    beside = [*CORNERS[:3], [2, 0, 0], *CORNERS[4:]]
    same = [*CORNERS[:3], CORNERS[2], *CORNERS[4:]]
    sunk = [*CORNERS[:6], [2, 3, 0], CORNERS[7]]
    for vertices, element in ((sunk, "Element 0 has no volume"), (beside, "Element 1 is inside out"), (same, "Corner 2 of element 1 ")):
        detail = move("refused", [{"body": "tets", "vertices": vertices}]).problem(422, "bad-element", "/meshes/0/vertices").json["detail"]
        check(element in detail, f"{element}: {detail}")
    for body in ({}, {"meshes": []}, {"meshes": [good] * 2000}, []):
        equal(client.patch("/v1/scenes/refused/vertices", body).status, 422, "no list")
    equal(move("refused", [good], headers={"If-Match": '"r1"'}).status, 412, "another revision")
    equal(move("nowhere", [good]).status, 404, "no scene")
    equal(client.get("/v1/scenes/refused").must(200).text, before, "unchanged")
    # A mesh that is inverted as a whole is flipped, as when it is put.
    reply = move("refused", [{"body": "two", "collider": "p", "vertices": inverted}]).must(200).json
    equal([w["type"] for w in reply["warnings"]], ["flipped"], "warning")


@suite.fact
def a_daemon_that_ends_and_starts_again_answers_the_same():
    with tempfile.TemporaryDirectory() as folder:
        with Daemon("--data", folder, durability="disk") as first:
            a_client = KeepAlive(first)
            for kind in SHAPES:
                a_client.put(f"/v1/scenes/{kind}", bodies(kind, CORNERS)).must(201)
                for amount in (.5, .25, -.125):
                    reply = a_client.patch(f"/v1/scenes/{kind}/vertices", {"meshes": [{"body": "soft", "vertices": flat(bent(amount))}]})
                    equal(reply.must(200).json["durability"], "disk", "durability")
            wanted = {kind: answers(a_client, kind) for kind in SHAPES}
            a_client.close()
        with Daemon("--data", folder, durability="disk") as second:
            a_client = KeepAlive(second)
            for kind in SHAPES:
                for got, truth in zip(answers(a_client, kind), wanted[kind]):
                    equal(got, truth, kind)
            a_client.close()


suite.main()
