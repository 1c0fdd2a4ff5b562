"""Hulls of as many points as the limit allows, by HTTP: all of them vertices, all on a grid, all equal. The daemon's
memory is compared with the budget of a request, and the times with each other: twice the points take at most two and
a half times as long.
A million points under CONTACTD_FULL=1 (make acceptance), by default a quarter with a quarter of the budget."""
import json
import math
import os

from support.checks import Suite, check, equal, near
from support.client import KeepAlive
from support.daemon import SANITIZER, Daemon

MOST = 50000 if SANITIZER else 1000000 if os.environ.get("CONTACTD_FULL") else 250000
BUDGET = 512 * 2 ** 20 * MOST // 1000000  # requestMemoryBytes, for a million points
SLACK = 64 * 2 ** 20  # the request's body, and memory that the C library retains
GROWTH = 2.5  # ratio of the times for twice the points
GOLDEN = math.pi * (3 - math.sqrt(5))
suite = Suite()
daemon = Daemon("--limit", f"hullPoints={MOST}", "--limit", f"jsonBytes={2 ** 28}", "--workers", "1").start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon, timeout=300)


def spiral(count):
    """Points on the unit sphere, each a vertex of the hull: in doubles none of them lies below a chord of its
    neighbours."""
    for k in range(count):
        z = 1 - (2 * k + 1) / count
        r = math.sqrt(1 - z * z)
        yield [r * math.cos(GOLDEN * k), r * math.sin(GOLDEN * k), z]


def grid(count):
    side = round(count ** (1 / 3))
    return ([x, y, z] for x in range(side) for y in range(side) for z in range(side))


def post(points, **rest):
    text = json.dumps({"convex": {"vertices": points}}).encode()
    start = daemon.processor_seconds()
    reply = client.post("/v1/shapes?deadlineMs=300000", text, check=False, **rest)
    return reply, daemon.processor_seconds() - start, len(text)


@suite.fact
def all_points_of_a_sphere_are_corners_within_time_and_memory():
    half, half_seconds, unused = post(list(spiral(MOST // 2)))
    equal(half.must(201).json["vertices"], MOST // 2, "corners")
    client.delete("/v1/shapes/" + half.json["id"]).must(200)
    daemon.reset_peak()
    before = daemon.status_bytes("VmHWM")
    whole, seconds, length = post(list(spiral(MOST)))
    report, peak = whole.must(201).json, daemon.status_bytes("VmHWM") - before
    print(f"{MOST} points: {half_seconds:.1f} s for half, {seconds:.1f} s; {length / 1e6:.0f} MB of text, {peak / 1e6:.0f} MB more at the peak")
    equal(report["vertices"], MOST, "corners")
    check(report["faces"] <= 2 * MOST - 4, f"{report['faces']} faces of {MOST} corners")
    near(report["volume"], 4 / 3 * math.pi, 40.0 / MOST, "volume")
    check(seconds < GROWTH * half_seconds + 1.0, f"{seconds:.1f} s, and {half_seconds:.1f} s for half the points")
    if not SANITIZER:
        check(peak < BUDGET + SLACK + length, f"{peak / 1e6:.0f} MB more at the peak")
    client.delete("/v1/shapes/" + report["id"]).must(200)


@suite.fact
def points_on_a_grid_leave_the_corners_of_a_cube():
    side = int(MOST ** (1 / 3) + 1e-9)
    reply, seconds, unused = post(list(grid(side ** 3)))
    report = reply.must(201).json
    print(f"{side ** 3} points of a grid: {seconds:.1f} s")
    equal((report["vertices"], report["faces"], report["volume"]), (8, 6, (side - 1.0) ** 3), "corners, faces, volume")
    client.delete("/v1/shapes/" + report["id"]).must(200)


@suite.fact
def points_without_a_volume_are_refused_in_any_number():
    total = client.get("/v1/shapes").must(200).json["total"]
    for rank, points in ((0, [[1, 2, 3]] * MOST), (1, [[k, 2 * k, -k] for k in range(MOST)]), (2, [[k % 997, k // 997, 0] for k in range(MOST)])):
        reply, seconds, unused = post(points)
        reply.problem(422, "degenerate-hull", "/convex/vertices")
        equal([e.get("actual") for e in reply.json["errors"]], [rank], "rank")
        print(f"{MOST} points of rank {rank}: {seconds:.1f} s")
    reply, seconds, unused = post([[k % 100, k // 100 % 100, k // 10000] for k in range(MOST + 1)])
    reply.problem(422, "limit-exceeded", "/convex/vertices")
    equal(client.get("/v1/shapes").must(200).json["total"], total, "shapes kept")


@suite.fact
def the_computation_of_a_hull_stops_at_its_deadline():
    points = list(spiral(MOST // 10))
    client.post("/v1/shapes?deadlineMs=2", {"convex": {"vertices": points}}, check=False).problem(504, "deadline-exceeded")
    client.post("/v1/query/overlap", {"a": {"convex": {"vertices": points}}, "b": {"sphere": {"radius": 1}}, "deadlineMs": 2},
                check=False).problem(504, "deadline-exceeded")


suite.main()
