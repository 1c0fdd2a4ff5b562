"""Raw boxes frame by frame: pairs of every method against a double loop in Python; pairs that begin and end,
statistics, and refused requests."""
import random

from support.checks import Suite, check, equal
from support.client import KeepAlive
from support.daemon import Daemon

METHODS = ("auto", "tree", "sweep", "sweepSingleAxis", "hybrid", "grid", "bruteForce")
suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)


def ask(request):
    return client.post("/v1/query/pairs", request).must(200).json


def loop(boxes):
    return [[i, j] for i in range(len(boxes)) for j in range(i + 1, len(boxes))
            if all(boxes[i][k] <= boxes[j][k + 3] and boxes[j][k] <= boxes[i][k + 3] for k in range(3))]


def walk(rng, count, frames, whole):
    """A list of boxes for each frame; on integers if `whole`, so that sides coincide, otherwise on arbitrary
    doubles."""
    number = (lambda low, high: rng.randint(int(low), int(high))) if whole else rng.uniform
    boxes = []
    for _ in range(count):
        low = [number(0, 6) for _ in range(3)]
        boxes.append(low + [v + number(0, 2) for v in low])
    found = [boxes]
    for _ in range(frames):
        boxes = [list(box) for box in boxes]
        for box in boxes:
            if rng.random() < 0.5:
                axis, by = rng.randrange(3), number(-1, 1)
                box[axis] += by
                box[axis + 3] += by
        found.append(boxes)
    return found


def check_frames(method, whole):
    frames = walk(random.Random(7), 60, 12, whole)
    reply = ask({"boxes": frames[0], "frames": frames[1:], "broadphase": method, "include": ["changes"]})
    answers = [{**reply, "begun": reply["pairs"], "ended": []}] + reply["frames"]
    equal(len(answers), len(frames), "frames")
    before = []
    for boxes, answer in zip(frames, answers):
        pairs = loop(boxes)
        equal(answer["pairs"], pairs, "pairs")
        equal(answer["begun"], [p for p in pairs if p not in before], "begun")
        equal(answer["ended"], [p for p in before if p not in pairs], "ended")
        told = answer["statistics"]
        equal([told["pairs"], told["begun"], told["ended"]], [len(answer[k]) for k in ("pairs", "begun", "ended")], "counts")
        equal(answer["count"], len(pairs), "count")
        check(answer["broadphase"] == method or method == "auto", f"answered by {answer['broadphase']}")
        before = pairs


suite.table("frames of boxes", ((f"{method} {'whole' if whole else 'uneven'}", lambda m=method, w=whole: check_frames(m, w))
                                for method in METHODS for whole in (False, True)))


@suite.fact
def boxes_at_rest_change_nothing():
    boxes = walk(random.Random(8), 40, 0, False)[0]
    frame = ask({"boxes": boxes, "frames": [boxes, boxes], "broadphase": "sweep"})["frames"][1]
    told = frame["statistics"]
    equal([told[k] for k in ("swaps", "fullSorts", "boxTests", "begun", "ended")], [0] * 5, "statistics")
    check("begun" not in frame and "ended" not in frame, "changes that nobody asked for")


@suite.fact
def auto_picks_by_the_number_of_boxes_and_by_the_cost_of_the_previous_frame():
    few = walk(random.Random(9), 40, 0, False)[0]
    even = [[x, y, z, x + 1.2, y + 1.2, z + 1.2] for x in range(5) for y in range(5) for z in range(5)]
    piled = [[i / 1000, 0, 0, 1, 1, 1] for i in range(125)]
    for boxes, methods in ((few, ["bruteForce"] * 3), (even, ["grid"] * 3), (piled, ["grid", "sweep", "sweep"])):
        reply = ask({"boxes": boxes, "frames": [boxes, boxes]})
        equal([answer["broadphase"] for answer in [reply] + reply["frames"]], methods, f"methods of {len(boxes)} boxes")
        equal(reply["frames"][1]["pairs"], loop(boxes), "pairs")


@suite.fact
def lists_without_boxes_and_without_frames_are_answered():
    equal(ask({"boxes": [], "frames": [[], []]})["frames"][1]["pairs"], [], "pairs of nothing")
    equal(ask({"boxes": [[0, 0, 0, 1, 1, 1]], "frames": []})["frames"], [], "frames")


@suite.fact
def frames_of_another_length_are_refused():
    box = [0, 0, 0, 1, 1, 1]
    for request, pointer in (({"boxes": [box], "frames": [[box], [box, box]]}, "/frames/1"),
                             ({"boxes": [box], "frames": [[[0, 0, 0, -1, 1, 1]]]}, "/frames/0/0/0"),
                             ({"boxes": [box], "frames": 5}, "/frames"),
                             ({"boxes": [box], "include": ["gradient"]}, "/include/0"),
                             ({"boxes": [box], "include": ["changes"]}, "/include")):
        reply = client.post("/v1/query/pairs", request).must(422).json
        equal(reply["errors"][0]["pointer"], pointer, "pointer")


@suite.fact
def changes_need_frames():
    box = [0, 0, 0, 1, 1, 1]
    error = client.post("/v1/query/pairs", {"boxes": [box], "include": ["changes"]}).must(422).json["errors"][0]
    check("requires frames" in error["detail"], error["detail"])
    equal(ask({"boxes": [box], "frames": [], "include": ["changes"]})["frames"], [], "frames")


@suite.fact
def a_box_whose_minimum_exceeds_its_maximum_is_refused_with_axis_and_values():
    good = [0, 0, 0, 1, 1, 1]
    for axis in range(3):
        bad = list(good)
        bad[axis], bad[axis + 3] = 2.5, -0.25
        for request, at in (({"boxes": [good, bad]}, "/boxes/1"), ({"boxes": [good], "frames": [[good], [bad]]}, "/frames/1/0")):
            error = client.post("/v1/query/pairs", request).must(422).json["errors"][0]
            equal((error["pointer"], error["limit"], error["actual"]), (f"{at}/{axis}", -0.25, 2.5), "place and values")
            name = "XYZ"[axis]
            check(f"min{name} is 2.5, max{name} is -0.25" in error["detail"], error["detail"])


suite.main()
