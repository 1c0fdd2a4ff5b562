"""Real closed meshes of thousands of triangles that overlap (dart-doc): volume, contacts and features of each pair.
Truth: volumes by CGAL and by lines through both meshes, distances of points over all triangles, winding numbers by
solid angles."""
import math
import os
import random

from support import real_meshes, triangles
from support.checks import Suite, check, equal, near, near_list
from support.client import KeepAlive
from support.daemon import Daemon

LINES = 500 if os.environ.get("CONTACTD_FULL") else 100
VERTICES = 20 if os.environ.get("CONTACTD_FULL") else 6
suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)
shapes = real_meshes.post(client)
PAIRS = real_meshes.pairs()


def ask(kind, pair, **rest):
    request = pair.request(shapes, deadlineMs=60000, **rest)
    answer = client.post(f"/v1/query/{kind}", request).must(200).json
    check(answer["complete"], f"{kind} of {pair.name} is not complete")
    return answer["results"]


def size(pair):
    return max(abs(c) for t in pair.first + pair.second for v in t for c in v)


@suite.fact
def volumes_are_those_of_lines_through_both():
    """The error of a sum over n x n lines is that of the cells which the outline cuts, and these partly cancel:
    about 1/n^1.5."""
    for pair in PAIRS:
        answer, = ask("volume", pair)
        volume, centroid = triangles.common_volume(pair.first, pair.second, LINES)
        equal(answer["status"], "ok", f"status of {pair.name}")
        near(answer["volume"] / volume, 1, 4 / LINES ** 1.5, f"volume of {pair.name}, of that of lines")
        near_list(answer["centroid"], centroid, 0.4 * size(pair) / LINES ** 1.5, f"centroid of {pair.name}")
        check(answer["gap"] < 0 and answer["rawGap"] < 0 and answer["depthAlongNormal"] > 0, f"gaps of {pair.name}: {answer}")
        check(0 < answer["patchArea"] <= answer["area"], f"areas of {pair.name}: {answer}")


@suite.fact
def volumes_and_surfaces_are_those_of_cgal():
    for pair in PAIRS:
        answer, = ask("volume", pair)
        near(answer["volume"] / pair.volume, 1, 1e-12, f"volume of {pair.name}, of CGAL's")
        near(2 * answer["area"] / pair.surface, 1, 1e-12, f"surface of {pair.name}, of CGAL's")


@suite.fact
def triangles_of_the_common_surface_have_its_area_and_enclose_its_volume():
    for pair in PAIRS:
        answer, = ask("volume", pair, triangles=True)
        volume, area, owners = 0.0, 0.0, set()
        for told in answer["triangles"]:
            p, q, r = (triangles.sub(v, answer["position"]) for v in told["vertices"])
            normal = triangles.cross(triangles.sub(q, p), triangles.sub(r, p))
            volume += triangles.dot(p, normal) / 6
            area += math.sqrt(triangles.dot(normal, normal)) / 2
            owners.add(told["owner"])
        near(volume / answer["volume"], 1, 1e-9, f"volume in the triangles of {pair.name}")
        near(area / (2 * answer["area"]), 1, 1e-9, f"area of the triangles of {pair.name}")
        equal(owners, {"a", "b"}, f"owners of {pair.name}")


@suite.fact
def volumes_do_not_depend_on_the_order_of_bodies_or_the_weighting():
    for pair in PAIRS:
        answer, = ask("volume", pair)
        turned = pair.request(shapes, deadlineMs=60000)
        turned["a"], turned["b"] = turned["b"], turned["a"]
        mirror = client.post("/v1/query/volume", turned).must(200).json["results"][0]
        for name in ("volume", "area", "gap", "rawGap", "position", "centroid"):
            equal(mirror[name], answer[name], f"{name} of {pair.name}, swapped")
        equal([-c + 0.0 for c in mirror["normal"]], answer["normal"], f"normal of {pair.name}, swapped")
        for weighting in ("squared", "squaredFace"):
            other, = ask("volume", pair, normalWeighting=weighting)
            equal(other["volume"], answer["volume"], f"volume of {pair.name} with {weighting}")


@suite.fact
def a_mesh_inside_a_box_has_its_own_volume_in_common_with_it():
    for name, shape in shapes.items():
        report = client.get(f"/v1/shapes/{shape}").must(200).json
        request = {"a": {"shape": shape}, "b": {"box": {"size": [4, 4, 4]}}}
        answer = client.post("/v1/query/volume", request).must(200).json["results"][0]
        near(answer["volume"], report["volume"], 1e-15, f"volume of {name}")
        near(2 * answer["area"], report["area"], 1e-14, f"area of {name}")
        check("normalFallback" in answer["flags"], f"{name} in a box: {answer}")


@suite.fact
def contact_points_are_on_both_surfaces():
    for pair in PAIRS:
        patches = ask("contacts", pair)
        points = [p for patch in patches for p in patch["points"]]
        check(points, f"{pair.name} has no contact points")
        for point in points[:40]:
            for name, mesh in (("pointA", pair.first), ("pointB", pair.second)):
                gap, _ = triangles.surface_gap(point[name], mesh)
                near(gap, 0, 1e-12, f"{name} of {pair.name} {point['id']}, from its surface")
            way = [b - a for a, b in zip(point["pointA"], point["pointB"])]
            near_list(way, [point["distance"] * c for c in point["normal"]], 1e-12, f"points of {pair.name}")


def is_told(point, told):
    return any(math.dist(point, p) <= 1e-12 for p in told)


@suite.fact
def features_are_the_vertices_inside_the_other_mesh():
    """Of randomly drawn vertices exactly those whose winding number in the other mesh is 1 have a feature. The
    feature's point on the other mesh lies on the named triangle, at its barycentric coordinates."""
    draw = random.Random(9)
    for pair in PAIRS:
        features = ask("features", pair, limit=100000)
        check(features, f"{pair.name} has no features")
        for kind, own, other, side in (("vertexA", pair.first, pair.second, "AB"), ("vertexB", pair.second, pair.first, "BA")):
            told = [f["point" + side[0]] for f in features if f["kind"] == kind]
            corners = sorted({tuple(v) for t in own for v in t})
            for corner in draw.sample(corners, VERTICES):
                inside = triangles.winding(other, corner) > 0.5
                equal(is_told(corner, told), inside, f"{kind} of {pair.name} at {corner} is a feature")
            for f in draw.sample(told, min(len(told), VERTICES)):
                check(triangles.winding(other, f) > 0.5, f"{kind} of {pair.name} at {f} is not inside")
            for f in features:
                if f["kind"] != kind:
                    continue
                face, weights = other[f["face" + side[1]]], f["barycentric" + side[1]]
                at = [sum(w * v[k] for w, v in zip(weights, face)) for k in range(3)]
                near_list(at, f["point" + side[1]], 1e-12, f"point of {kind} of {pair.name} by its barycentric coordinates")
                near(triangles.triangle_gap(f["point" + side[1]], face), 0, 1e-12, f"point of {kind} of {pair.name}, from its triangle")


suite.main()
