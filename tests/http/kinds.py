"""Cylinders, cones, ellipsoids, rounding and margin by curl: distances, relations and masses in closed form,
documents read back, bounding boxes."""
import math

from support.checks import Suite, check, equal, near, near_list
from support.client import Curl
from support.daemon import Daemon

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = Curl(daemon)

PI = math.pi
CUBE = {"vertices": [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]}
# Shapes that extend from -1 to 1 along z, with a flat or round end.
UPRIGHT = [{"sphere": {"radius": 1}}, {"box": {"size": [2, 2, 2]}}, {"capsule": {"radius": 0.5, "height": 1}},
           {"cylinder": {"radius": 0.75, "height": 2}}, {"cone": {"radius": 1, "height": 2, "radiusTop": 0.5}},
           {"ellipsoid": {"radii": [2, 1.5, 1]}}, {"convex": CUBE}]


def distance(a, b):
    return client.post("/v1/query/distance", {"a": a, "b": b}).must(200).json["results"][0]


def mass(*colliders, **motion):
    request = {"a": {"colliders": list(colliders), "motion": motion or {"density": 1}}}
    return client.post("/v1/query/massProperties", request).must(200).json["results"][0]


@suite.fact
def stacked_kinds_have_the_distance_of_their_ends():
    for low in UPRIGHT:
        for high in UPRIGHT:
            for gap in (0.5, -0.25):
                result = distance(low, dict(high, position=[0, 0, 2 + gap]))
                near(result["distance"], gap, 1e-14, f"{list(low)[0]} {list(high)[0]}")
                near_list(result["normal"], [0, 0, 1], 1e-8, "normal")
                equal(result["relation"], "separated" if gap > 0 else "penetrating", "relation")
                check(result["lowerBound"] <= gap <= result["upperBound"], "the bounds miss the truth")


@suite.fact
def the_distance_of_a_ball_beside_a_cone_is_to_its_slanted_side():
    # The side of the cone of radius 3 and height 4 has the normal (4, 0, 3)/5; the ball's centre is 2 m from the middle
    # of the side.
    ball = {"sphere": {"radius": 0.5}, "position": [1.5 + 2 * 0.8, 0, 2 * 0.6]}
    result = distance({"cone": {"radius": 3, "height": 4}}, ball)
    near(result["distance"], 1.5, 1e-15, "distance")
    near_list(result["normal"], [0.8, 0, 0.6], 1e-15, "normal")
    near_list(result["pointA"], [1.5, 0, 0], 1e-15, "pointA")


@suite.fact
def margins_and_added_rounding_reduce_the_distance():
    for shape in UPRIGHT:
        for other in UPRIGHT:
            result = distance(dict(shape, margin=0.25), dict(other, roundingRadius=0.125, roundingMode="add", position=[0, 0, 3]))
            near(result["distance"], 0.625, 1e-14, f"{list(shape)[0]} {list(other)[0]}")
    near(distance({"plane": {}, "margin": 0.5}, {"sphere": {"radius": 1}, "position": [0, 0, 3]})["distance"], 1.5, 1e-15, "plane")


@suite.fact
def inset_rounding_keeps_faces_and_cuts_corners():
    box = {"box": {"size": [2, 2, 2]}, "roundingRadius": 0.25}
    hull = {"convex": CUBE, "roundingRadius": 0.25}
    for shape in (box, hull):
        above = distance(shape, {"sphere": {"radius": 0.5}, "position": [0, 0, 2]})
        near(above["distance"], 0.5, 1e-14, "over a face")
        corner = distance(shape, {"sphere": {"radius": 0.5}, "position": [2, 2, 2]})
        near(corner["distance"], 1.25 * math.sqrt(3) - 0.25 - 0.5, 1e-14, "at a corner")
        edge = distance(shape, {"sphere": {"radius": 0.5}, "position": [2, 2, 0]})
        near(edge["distance"], 1.25 * math.sqrt(2) - 0.25 - 0.5, 1e-14, "at an edge")
    # The rim of the cylinder becomes a torus of radius 0.75 and 0.25.
    rim = distance({"cylinder": {"radius": 1, "height": 2}, "roundingRadius": 0.25}, {"sphere": {"radius": 0.5}, "position": [2, 0, 2]})
    near(rim["distance"], 1.25 * math.sqrt(2) - 0.25 - 0.5, 1e-14, "at the rim")


@suite.fact
def the_larger_of_two_kinds_contains_the_smaller():
    for big in UPRIGHT:
        for small in ({"cylinder": {"radius": 0.1, "height": 0.2}}, {"cone": {"radius": 0.1, "height": 0.2}},
                      {"ellipsoid": {"radii": [0.1, 0.15, 0.2]}}, {"box": {"size": [0.2, 0.2, 0.2]}, "roundingRadius": 0.05}):
            equal(distance(big, small)["relation"], "containing", f"{list(big)[0]} {list(small)[0]}")
            equal(distance(small, big)["relation"], "contained", f"{list(small)[0]} {list(big)[0]}")
    # The rim of the cylinder is outside the ball that contains its middle.
    equal(distance({"sphere": {"radius": 1}}, {"cylinder": {"radius": 0.8, "height": 1.4}})["relation"], "penetrating", "rim")


@suite.fact
def masses_of_the_curved_kinds_are_the_closed_forms():
    cases = [({"cylinder": {"radius": 0.5, "height": 1.2}}, 0.9424777961, 0.0, [0.1825, 0.1825, 0.125]),
             ({"cone": {"radius": 0.5, "height": 1.2}}, 0.3141592654, -0.3, [0.0915, 0.0915, 0.075]),
             ({"cone": {"radius": 0.5, "radiusTop": 0.2, "height": 1.2}}, 0.4900884540, -0.1615384615,
              [0.1390976331, 0.1390976331, 0.0793076923]),
             ({"ellipsoid": {"radii": [0.5, 0.3, 0.8]}}, 0.5026548246, 0.0, [0.146, 0.178, 0.068])]
    for shape, volume, height, moments in cases:
        for rounding in ({}, {"margin": 0.3}, *([] if "ellipsoid" in shape else [{"roundingRadius": 0.1}])):
            result = mass({**shape, **rounding}, mass=3)
            near(result["volume"], volume, 1e-10, "volume")
            near_list(result["centerOfMass"], [0, 0, height], 1e-10, "centerOfMass")
            near_list(sorted(m / 3 for m in result["principalMoments"]), sorted(moments), 1e-10, "principalMoments")


@suite.fact
def a_box_with_added_rounding_has_the_mass_of_its_parts():
    a, b, c, p = 0.5, 1.0, 1.5, 0.25
    result = mass({"box": {"size": [2 * a, 2 * b, 2 * c]}, "roundingRadius": p, "roundingMode": "add"})
    volume = 8 * a * b * c + 8 * p * (a * b + b * c + c * a) + 2 * PI * p * p * (a + b + c) + 4 / 3 * PI * p ** 3
    near(result["volume"], volume, 1e-14, "volume")
    near(result["mass"], volume, 1e-14, "mass")


@suite.fact
def a_compound_of_curved_kinds_has_the_mass_of_its_parts():
    # A cylinder of height 4, a cone of height 2 on top of it, and a ball below it.
    result = mass({"cylinder": {"radius": 0.5, "height": 4}}, {"cone": {"radius": 0.5, "height": 2}, "position": [0, 0, 3]},
                  {"ellipsoid": {"radii": [0.5, 0.5, 0.25]}, "position": [0, 0, -2.25]})
    parts = [(PI * 0.25 * 4, 0.0), (PI * 0.25 * 2 / 3, 2.5), (4 / 3 * PI * 0.25 * 0.25, -2.25)]
    total = sum(m for m, unused in parts)
    center = sum(m * z for m, z in parts) / total
    near(result["mass"], total, 1e-14, "mass")
    near_list(result["centerOfMass"], [0, 0, center], 1e-14, "centerOfMass")
    along = parts[0][0] * 0.125 + parts[1][0] * 0.075 + parts[2][0] * 0.1
    own = [parts[0][0] * (0.25 / 4 + 16 / 12), parts[1][0] * (3 * 0.25 / 20 + 3 * 4 / 80), parts[2][0] * (0.25 + 0.0625) / 5]
    across = sum(i + m * (z - center) ** 2 for i, (m, z) in zip(own, parts))
    near_list(sorted(result["principalMoments"]), sorted([across, across, along]), 1e-13, "principalMoments")


@suite.fact
def mass_properties_report_unsupported_shapes():
    bodies = [{"id": "rounded", "colliders": [{"cylinder": {"radius": 1, "height": 1}, "roundingRadius": 0.1, "roundingMode": "add"}]},
              {"id": "sharp", "colliders": [{"cylinder": {"radius": 1, "height": 1}}]}]
    client.put("/v1/scenes/massless", {"bodies": bodies}).must(201)
    results = client.post("/v1/scenes/massless/query/massProperties", {}).must(200).json["results"]
    equal([[r["id"], r["status"], "mass" in r] for r in results], [["rounded", "unsupported", False], ["sharp", "ok", True]], "bodies")


@suite.fact
def the_bounding_boxes_of_rounded_bodies_are_tight():
    reach = {"sphere": 1.0, "box": 1.0, "capsule": 1.0, "cylinder": 1.0, "cone": 1.0, "ellipsoid": 1.0, "convex": 1.0}
    for shape in UPRIGHT:
        for extra, more in (({}, 0.0), ({"margin": 0.25}, 0.25), ({"roundingRadius": 0.25, "roundingMode": "add", "margin": 0.5}, 0.75)):
            for gap, found in ((0.0, 1), (2e-15, 0)):
                top = reach[list(shape)[0]] + more + gap
                bodies = [{"id": "low", "colliders": [{**shape, **extra}]},
                          {"id": "high", "position": [0, 0, top + 0.5], "colliders": [{"box": {"size": [1, 1, 1]}}]}]
                pairs = client.post("/v1/query/pairs", {"scene": {"bodies": bodies}}).must(200).json["results"]
                equal(len(pairs), found, f"{shape} {extra} {gap}")


@suite.fact
def documents_are_read_back_as_they_were_sent():
    colliders = [{"id": "a", "cylinder": {"radius": 0.1, "height": 0.2}, "roundingRadius": 0.01},
                 {"id": "b", "cone": {"radius": 0.1, "height": 0.2}, "position": [0, 0, 1], "margin": 0.5},
                 {"id": "c", "cone": {"radius": 0.1, "height": 0.2, "radiusTop": 0}},
                 {"id": "d", "cone": {"radius": 0.1, "height": 0.2, "radiusTop": 0.3}, "roundingRadius": 2, "roundingMode": "add"},
                 {"id": "e", "ellipsoid": {"radii": [0.1, 0.2, 0.3]}},
                 {"id": "f", "convex": {"planes": [[1, 0, 0, -1], [-1, 0, 0, -1], [0, 1, 0, -1], [0, -1, 0, -1], [0, 0, 2, -1],
                                                   [0, 0, -1, -1]]}, "roundingRadius": 0.125, "margin": 0.25},
                 {"id": "g", "convex": CUBE, "roundingRadius": 0.5}]
    client.put("/v1/scenes/round", {"bodies": [{"id": "x", "position": [1, 2, 3], "colliders": colliders}]}).must(201)
    body = client.get("/v1/scenes/round/bodies/x").must(200).json
    equal(body["colliders"], colliders, "colliders")
    client.put("/v1/scenes/round/bodies/x", body).must(200)
    equal(client.get("/v1/scenes/round/bodies/x").must(200).json, body, "again")


@suite.fact
def messages_name_zero_where_it_is_allowed():
    ball = {"sphere": {"radius": 1}}
    for wrong in ({"margin": -1}, {"roundingRadius": -1}, {"margin": 1e-12}):
        reply = client.post("/v1/query/overlap", {"a": dict(ball, **wrong), "b": ball})
        reply.problem(422, "out-of-range", f"/a/{list(wrong)[0]}")
        error = reply.json["errors"][0]
        equal(error["detail"], "Expected 0, or a value from 1e-9 to 1e9.", "detail")
        value = list(wrong.values())[0]
        equal((error["limit"], error["actual"]), (0 if value < 0 else 1e-9, value), "limit and actual")


suite.main()
