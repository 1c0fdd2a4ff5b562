"""Members that cannot be combined, or that require another one, as rows of problems.py: (name, method, path, body,
pointer). One row per rule; `{s}` is a scene whose bodies are a, b and c."""
BALL = {"sphere": {"radius": 1}}
CUBE = [[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)]
TWO = {"a": BALL, "b": BALL}
CONTACT = {"a": "a", "b": "b", "position": [0, 0, 0], "normal": [0, 0, 1]}
MESH = {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]}
LCP = {"M": [[1]], "q": [1]}
FRICTION = {"W": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "q": [1, 0, 0], "mu": [0.5]}


def of_body(**members):
    return "PUT", "{s}/bodies/new", {"colliders": [BALL], **members}


def of_collider(**members):
    return "PUT", "{s}/bodies/new", {"colliders": [members]}


def query(kind, **members):
    return "POST", "{s}/query/" + kind, members


def given(kind, **members):
    return "POST", "/v1/query/" + kind, {**TWO, **members}


ROWS = (
    # Cannot be combined.
    ("two shapes", *of_collider(**BALL, box={"size": [1, 1, 1]}), "/colliders/0"),
    ("a shape and a posted one", *of_collider(**BALL, shape="s-1"), "/colliders/0"),
    ("vertices and planes", *of_collider(convex={"vertices": CUBE, "planes": []}), "/colliders/0/convex"),
    ("one radius of a capsule and two", *of_collider(capsule={"radius": 1, "radiusBottom": 1, "radiusTop": 1, "height": 1}),
     "/colliders/0/capsule"),
    ("solid and convexHull", *of_collider(mesh={**MESH, "convexHull": True, "solid": True}), "/colliders/0/mesh/solid"),
    ("normals and convexHull", *of_collider(mesh={**MESH, "convexHull": True, "normals": MESH["vertices"]}), "/colliders/0/mesh/normals"),
    ("two rotations", *of_body(rotation=[0, 0, 0, 1], rpy=[0, 0, 0]), ""),
    ("two rotations of a collider", *of_collider(**BALL, rotation=[0, 0, 0, 1], rotationWxyz=[1, 0, 0, 0]), "/colliders/0"),
    ("mass and density", *of_body(motion={"mass": 1, "density": 1}), "/motion"),
    ("ids and groups of a side", *query("distance", where={"a": {"ids": [], "groups": []}}), "/where/a"),
    ("where and pairs", *query("distance", where={}, pairs=[]), "/where"),
    ("where and pairs of a sweep", *query("sweep", duration=1, where={}, pairs=[]), "/where"),
    ("where and pairs of resting forces", *query("restingForces", where={}, pairs=[]), "/where"),
    ("pairs and contacts", *query("impulse", pairs=[], contacts=[CONTACT]), "/pairs"),
    ("changes and pairs", *query("pairs", include=["changes"], pairs=[], variants=[]), "/include"),
    ("two motions of a body", *query("sweep", duration=1, motions=[{"id": "a", "twist": {}, "to": {}}]), "/motions/0"),
    ("a limit of two bodies", *given("distance", limit=1), "/limit"),
    ("pairs of two bodies", *given("sweep", duration=1, motions=[]), "/motions"),
    ("a scene and two bodies", *given("distance", scene={"bodies": []}), "/a"),
    ("boxes and bodies", *given("pairs", boxes=[]), "/a"),
    ("a material of a region", *query("region", region={**BALL, "material": "steel"}), "/region/material"),
    ("friction and another one's method", *query("restingForces", friction="none", method="nsgs"), "/method"),
    ("friction cone and lemke", *query("restingForces", friction="cone", method="lemke"), "/method"),
    # Require another one.
    ("roundingMode without a radius", *of_collider(**BALL, roundingMode="add"), "/colliders/0/roundingMode"),
    ("scale without shape", *of_collider(**BALL, scale=2), "/colliders/0/scale"),
    ("inertiaOrientation without inertiaDiagonal", *of_body(motion={"mass": 1, "inertiaOrientation": [0, 0, 0, 1]}),
     "/motion/inertiaOrientation"),
    ("an acceleration of a dynamic body", *of_body(motion={"mass": 1, "linearAcceleration": [0, 0, 1]}), "/motion/linearAcceleration"),
    ("angularAcceleration of a dynamic body", *of_body(motion={"mass": 1, "angularAcceleration": [0, 0, 1]}), "/motion/angularAcceleration"),
    ("mprTolerance without mpr", *query("distance", mprTolerance=1e-6), "/mprTolerance"),
    ("maxIterations without mpr", *query("distance", maxIterations=5), "/maxIterations"),
    ("supportPoints without mpr", *query("distance", include=["supportPoints"]), "/include"),
    ("separatingPlane without separatingAxis", *query("overlap", include=["separatingPlane"]), "/include"),
    ("cache without separatingAxis", *query("overlap", cache=True, variants=[]), "/cache"),
    ("cache without variants", *query("overlap", cache=True, method="separatingAxis"), "/cache"),
    ("changes without variants", *query("pairs", include=["changes"]), "/include"),
    ("changes of boxes without frames", "POST", "/v1/query/pairs", {"boxes": [], "include": ["changes"]}, "/include"),
    ("velocityTolerance without velocity", *query("contacts", velocityTolerance=1), "/velocityTolerance"),
    ("distanceTolerance without bisection", *query("sweep", duration=1, distanceTolerance=1e-6), "/distanceTolerance"),
    ("epsilon without a use", *query("volume", epsilon=1e-6), "/epsilon"),
    ("at without force", *query("restingForces", loads=[{"body": "a", "torque": [0, 0, 1], "at": [0, 0, 0]}]), "/loads/0/at"),
    ("directions of cones", *query("restingForces", friction="cone", directions=8), "/directions"),
    ("circumscribed of no pyramids", *query("restingForces", circumscribed=True), "/circumscribed"),
    ("tie of pyramids", *query("restingForces", friction="polyhedral", tie="any"), "/tie"),
    ("timeStep of accelerations", *query("restingForces", level="acceleration", timeStep=0.01), "/timeStep"),
    ("persisted without contactState", "PATCH", "{s}/poses", {"ids": ["a"], "positions": [[0, 0, 0]], "persisted": "pairs"}, "/persisted"),
    ("elastic of time steps", "POST", "{s}/advance", {"duration": 1, "mode": "timeStepping", "elastic": {}}, "/elastic"),
    ("poses of a batch without a scene", "POST", "/v1/query", {"queries": [], "poses": {"ids": [], "positions": []}}, "/poses"),
    ("relaxation without pgs", "POST", "/v1/solve/lcp", {**LCP, "relaxation": 1.5}, "/relaxation"),
    ("start of a direct method", "POST", "/v1/solve/lcp", {**LCP, "start": [0], "method": "lemke"}, "/start"),
    ("tie of sweeps", "POST", "/v1/solve/lcp", {**LCP, "tie": "minNorm", "method": "pgs"}, "/tie"),
    ("directions without polyhedral", "POST", "/v1/solve/friction", {**FRICTION, "directions": 6}, "/directions"),
    ("circumscribed without polyhedral", "POST", "/v1/solve/friction", {**FRICTION, "circumscribed": True}, "/circumscribed"),
    ("start of pyramids", "POST", "/v1/solve/friction", {**FRICTION, "start": [0, 0, 0], "method": "polyhedral"}, "/start"))
