"""Bad input of queries on motions, as rows of problems.py."""
BALL = {"sphere": {"radius": 1}}
# One triangle: a surface without a volume.
FLAT = {"mesh": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [[0, 1, 2]]}}
GIVEN = {"a": BALL, "b": BALL, "duration": 1}
TWIST = {"linearVelocity": [1, 0, 0]}
ONE_MOTION = {"id": "a", "twist": TWIST}
SWEEPS = (
    ("missing-member", "no duration", {"motions": []}, None),
    ("out-of-range", "a duration of nothing", {"duration": 0}, "/duration"),
    ("out-of-range", "a duration of a month", {"duration": 2592000}, "/duration"),
    ("wrong-type", "a duration in words", {"duration": "1 s"}, "/duration"),
    ("out-of-range", "from beyond the duration", {"duration": 1, "from": 1.5}, "/from"),
    ("out-of-range", "to before from", {"duration": 1, "from": 0.5, "to": 0.25}, "/to"),
    ("bad-value", "a method that there is not", {"duration": 1, "method": "mpr"}, "/method"),
    ("out-of-range", "a negative tolerance", {"duration": 1, "timeTolerance": -1}, "/timeTolerance"),
    ("out-of-range", "no iterations", {"duration": 1, "maxIterations": 0}, "/maxIterations"),
    ("bad-value", "a default that there is not", {"duration": 1, "defaultMotion": "ballistic"}, "/defaultMotion"),
    ("wrong-type", "earliest as a number", {"duration": 1, "earliest": 1}, "/earliest"),
    ("unknown-member", "variants", {"duration": 1, "variants": []}, "/variants"),
    ("unknown-member", "a clearance", {"duration": 1, "clearance": 1}, "/clearance"),
    ("unknown-member", "motionA of a scene", {"duration": 1, "motionA": {"twist": TWIST}}, "/motionA"),
    ("unknown-id", "a motion of nobody", {"duration": 1, "motions": [{"id": "nobody", "twist": {}}]}, "/motions/0/id"),
    ("duplicate-id", "two motions of one", {"duration": 1, "motions": [ONE_MOTION, ONE_MOTION]}, "/motions/1/id"),
    ("missing-member", "a motion without an id", {"duration": 1, "motions": [{"twist": TWIST}]}, "/motions/0/id"),
    ("missing-member", "a motion of no form", {"duration": 1, "motions": [{"id": "a"}]}, "/motions/0"),
    ("missing-member", "a fall without acceleration", {"duration": 1, "motions": [{"id": "a", "ballistic": {}}]},
         "/motions/0/ballistic/linearAcceleration"),
    ("unknown-member", "an acceleration of a twist", {"duration": 1, "motions": [{"id": "a", "twist": {"linearAcceleration": [0, 0, 0]}}]},
         "/motions/0/twist/linearAcceleration"),
    ("wrong-type", "a velocity of two", {"duration": 1, "motions": [{"id": "a", "twist": {"linearVelocity": [1, 2]}}]},
         "/motions/0/twist/linearVelocity"),
    ("out-of-range", "a speed beyond all", {"duration": 1, "motions": [{"id": "a", "twist": {"linearVelocity": [0, 2e9, 0]}}]},
         "/motions/0/twist/linearVelocity/1"),
    ("out-of-range", "a turn beyond all", {"duration": 1e6, "motions": [{"id": "a", "twist": {"angularVelocity": [0, 0, 2]}}]}, "/motions/0"),
    ("bad-rotation", "an end that is no rotation", {"duration": 1, "motions": [{"id": "a", "to": {"rotation": [1, 1, 0, 0]}}]},
         "/motions/0/to/rotation"),
    ("bad-cursor", "a cursor of nothing", {"duration": 1, "cursor": "x"}, "/cursor"))
TIMELINES = (("out-of-range", "no changes", {"duration": 1, "maxChanges": 0}, "/maxChanges"),
             ("out-of-range", "too many changes", {"duration": 1, "maxChanges": 10001}, "/maxChanges"),
             ("unknown-member", "a method", {"duration": 1, "method": "bisection"}, "/method"),
             ("unknown-member", "earliest", {"duration": 1, "earliest": True}, "/earliest"),
             ("missing-member", "no duration", {}, None))
OF_GIVEN = (("bad-mass", "a surface cannot turn freely", {**GIVEN, "b": FLAT, "motionB": {"torqueFree": {"angularVelocity": [1, 0, 0]}}},
             "/motionB/torqueFree"),
            ("unknown-member", "an id of a motion given", {**GIVEN, "motionA": ONE_MOTION}, "/motionA/id"),
            ("missing-member", "no duration of two bodies", {"a": BALL, "b": BALL}, None))


def rows(scene):
    """(problem, name, path, body, pointer): for a scene with bodies a, b and c, and for two bodies without a scene."""
    for kind, table in (("sweep", SWEEPS), ("timeline", TIMELINES)):
        for problem, name, body, pointer in table:
            yield problem, f"a {kind}: {name}", f"{scene}/query/{kind}", body, pointer
    for problem, name, body, pointer in OF_GIVEN:
        yield problem, name, "/v1/query/sweep", body, pointer


def all_move(scene):
    return {"scene": scene, "duration": 1, "motions": [{"id": body["id"], "twist": TWIST} for body in scene["bodies"]]}
