"""Volumetric contacts that are reported element by element have sums for their pair.
Truth: common volumes and centroids of boxes in closed form; the sums over the listed contacts."""
import json

from support.checks import Suite, check, equal, near, near_list
from support.client import KeepAlive
from support.daemon import Daemon

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)
numbers = iter(range(1000))
KUHN = [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]]


def block(kind, nx, ny, nz, size=1.0):
    """A brick of cells of this size, as hexahedra or six tetrahedra each, from the origin."""
    at = lambda x, y, z: (z * (ny + 1) + y) * (nx + 1) + x
    vertices = [[size * x, size * y, size * z] for z in range(nz + 1) for y in range(ny + 1) for x in range(nx + 1)]
    cells = [[at(x + i, y + j, z + k) for k in (0, 1) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))]
             for z in range(nz) for y in range(ny) for x in range(nx)]
    if kind == "hexmesh":
        return {"hexmesh": {"vertices": vertices, "hexahedra": cells}}
    return {"tetmesh": {"vertices": vertices, "tetrahedra": [[cell[i] for i in tet] for cell in cells for tet in KUHN]}}


def put(bodies):
    path = f"/v1/scenes/v{next(numbers)}"
    client.put(path, {"bodies": bodies}).must(201)
    return path


def ask(path, request=None):
    return client.post(f"{path}/query/volume", request or {}).must(200).json


def two(kind, position=(0.7, 0.35, 1.6), turn=None):
    """A brick of 3 x 2 x 2 cells, and a box of 2 x 2 x 2 m at the position."""
    box = {"id": "box", "position": [p + 1 for p in position], "colliders": [{"box": {"size": [2, 2, 2]}}]}
    return [{"id": "mesh", "colliders": [block(kind, 3, 2, 2)]}, box]


def listed(results):
    volume = sum(r["volume"] for r in results)
    return volume, [sum(r["volume"] * r["centroid"][k] for r in results) / volume for k in range(3)], sum(r["patchArea"] for r in results)


@suite.fact
def sums_are_the_common_solid_of_the_pair():
    for kind in ("hexmesh", "tetmesh"):
        reply = ask(put(two(kind)))
        total, = reply["sums"]
        equal([total["a"], total["b"], total["contacts"], total["status"]], ["mesh", "box", reply["count"], "ok"], "sums")
        # [0.7, 2.7] x [0.35, 2] x [1.6, 2]
        near(total["volume"], 2 * 1.65 * 0.4, 1e-13, f"volume of {kind}")
        near_list(total["centroid"], [1.7, 1.175, 1.8], 1e-13, f"centroid of {kind}")
        volume, centroid, patch = listed(reply["results"])
        near(total["volume"], volume, 1e-13, "volume listed")
        near_list(total["centroid"], centroid, 1e-13, "centroid listed")
        near(total["patchArea"], patch, 1e-12, "patch area listed")


@suite.fact
def sums_are_of_the_whole_pair_on_every_page():
    path = put(two("tetmesh"))
    whole = ask(path)
    page, pages = ask(path, {"limit": 5}), 1
    while True:
        equal(page["sums"], whole["sums"], f"sums of page {pages}")
        if page["complete"]:
            break
        page = ask(path, {"cursor": page["nextCursor"]})
        pages += 1
    check(pages > 3, f"only {pages} pages")


@suite.fact
def pages_have_the_sums_of_their_own_pairs():
    """Three boxes in one mesh: three pairs with sums; and two balls, which have none."""
    bodies = two("hexmesh", (2.5, 1.5, -1.5)) + [{"id": f"box{i}", "position": [0.5 + i, 0.5, 2], "colliders": [{"box": {"size": [0.5, 0.5, 0.5]}}]} for i in range(2)]
    bodies += [{"id": f"ball{i}", "position": [20 + 0.5 * i, 0, 0], "colliders": [{"sphere": {"radius": 1}}]} for i in range(2)]
    path = put(bodies)
    whole = ask(path)
    equal([s["b"] for s in whole["sums"]], ["box", "box0", "box1"], "pairs with sums")
    for s, volume in zip(whole["sums"], (0.5 * 0.5 * 0.5, 0.5 * 0.5 * 0.25, 0.5 * 0.5 * 0.25)):
        near(s["volume"], volume, 1e-14, f"volume of {s['b']}")
    page, found = ask(path, {"limit": 1}), []
    while True:
        there = {r["b"] for r in page["results"] if r["a"] == "mesh"}
        equal({s["b"] for s in page.get("sums", [])}, there, "pairs of the page")
        found += page.get("sums", [])
        if page["complete"]:
            break
        page = ask(path, {"cursor": page["nextCursor"]})
    for s in whole["sums"]:
        check(s in found, f"the sums of {s['b']} are on no page")
    check("sums" not in ask(path, {"where": {"a": {"ids": ["ball0"]}}}), "balls have sums")


@suite.fact
def variants_have_sums_of_their_own():
    path = put(two("hexmesh"))
    heights = (1.6, 1.8, 5.0, 1.9)
    variants = [{"ids": ["box"], "positions": [[1.7, 1.35, z + 1]]} for z in heights]
    reply = ask(path, {"variants": variants})
    for variant, z in zip(reply["results"], heights):
        if z > 2:
            check("sums" not in variant, "bodies apart have sums")
            continue
        near(variant["sums"][0]["volume"], 2 * 1.65 * (2 - z), 1e-13, f"volume at {z}")
    first = ask(path, {"variants": variants, "limit": 2})
    equal(first["results"][0]["sums"], reply["results"][0]["sums"], "sums of a variant on a page")
    second = ask(path, {"cursor": first["nextCursor"]})
    equal(second["results"][0]["sums"], reply["results"][0]["sums"], "sums of the same variant on the next page")


@suite.fact
def what_sparsify_leaves_out_is_in_the_sums():
    path = put(two("tetmesh"))
    reply = ask(path, {"sparsify": {"threshold": 0.9}})
    check(reply["removed"], "nothing is left out")
    equal(reply["sums"], ask(path)["sums"], "sums")
    equal(reply["sums"][0]["contacts"], reply["count"] + len(reply["removed"]), "contacts")


@suite.fact
def compounds_have_sums_for_each_pair_of_colliders():
    path = put([{"id": "mesh", "colliders": [{"id": "left", **block("hexmesh", 1, 1, 1)}, {"id": "right", **block("hexmesh", 1, 1, 2), "position": [2, 0, 0]}]},
                {"id": "bar", "position": [1.5, 0.5, 0.9], "colliders": [{"box": {"size": [4, 0.5, 0.4]}}]}])
    sums = ask(path)["sums"]
    equal([s["colliderA"] for s in sums], ["left", "right"], "colliders")
    near(sums[0]["volume"], 1 * 0.5 * 0.3, 1e-14, "left")
    near(sums[1]["volume"], 1 * 0.5 * 0.4, 1e-14, "right")


@suite.fact
def sums_count_as_bytes_of_a_page():
    """A page whose contacts alone fit into requestMemoryBytes, and with their sums do not."""
    tet = {"tetmesh": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "tetrahedra": [[0, 1, 2, 3]]}}

    def ask_row(other, count):
        shape = other.post("/v1/shapes", tet).json["id"]
        bodies = [{"id": f"tet{i:04}", "position": [2 * i, 0, 0], "colliders": [{"shape": shape}]} for i in range(count)]
        bodies.append({"id": "bar", "position": [count, 0, 0.1], "colliders": [{"box": {"size": [2 * count + 4, 4, 0.1]}}]})
        other.put("/v1/scenes/row", {"bodies": []}).must(201)
        for i in range(0, len(bodies), 100):
            other.post("/v1/scenes/row/bodies", bodies[i:i + 100]).must(201)
        return other.post("/v1/scenes/row/query/volume", {"limit": count})

    few = ask_row(client, 100).must(200)
    listed_bytes = len(json.dumps(few.json["results"], separators=(",", ":"))) / 100
    sums_bytes = len(json.dumps(few.json["sums"], separators=(",", ":"))) / 100
    count = int(2 ** 20 / (listed_bytes + sums_bytes / 2))
    with Daemon("--limit", "requestMemoryBytes=1048576") as small:
        ask_row(KeepAlive(small), count).problem(422, "limit-exceeded")


suite.main()
