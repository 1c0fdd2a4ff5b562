"""A pile of boxes and hulls between four walls that comes to rest by `advance` over HTTP: at every step the impulses
of floor and walls equal the weight and the change of momentum; at rest no body moves any more, and restingForces
proves it.
The masses are given, so the weight is known without the daemon. CONTACTD_FULL=1: 324 bodies and 10,000 steps after
they have come to rest; else 40 and 500."""
import functools
import json
import math
import os

from support import scenes
from support.checks import Suite, check, equal, near, near_list
from support.client import KeepAlive
from support.daemon import Daemon
from support.stopwatch import Stopwatch

suite = Suite()
FULL = bool(os.environ.get("CONTACTD_FULL"))
COUNT, SIDE, STEPS_AFTER = (324, 8, 10000) if FULL else (40, 3, 500)
STEP = 1 / 256  # s: times are exact
TOUCHES = 1e-6  # m: bodies within this distance are in contact
PATIENCE = 20  # s of the scene after which all must be at rest
SMALLEST = 0.15  # m, the smallest body
G = 9.81

daemon = Daemon("--workers", "2").start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon, timeout=700)
document = scenes.pile(COUNT, SIDE)
masses = {b["id"]: b["motion"]["mass"] for b in document["bodies"] if "motion" in b}
weight = G * sum(masses.values())


def advance(where, path, seconds, **members):
    """The reply's bytes; lines of every step are too many to compare with their schema."""
    members = {"duration": seconds, "timeStep": STEP, "contactTolerance": TOUCHES, "deadlineMs": 600000, **members}
    return where.post(f"{path}/advance", members, check="progressEvery" not in members).must(200).text


def steps_of(path, seconds):
    """The lines of all steps."""
    lines = [json.loads(line) for line in advance(client, path, seconds, progressEvery=STEP).splitlines()]
    check(lines[-1].get("done") and "problem" not in lines[-1], f"the last line is {lines[-1]}")
    return lines


def energy(line):
    return line["kineticEnergy"] + line["potentialEnergy"]


def poses_of(where, path):
    return where.get(f"{path}/poses").must(200).json


@functools.cache
def settled():
    """(path of the scene, final poses, lines of all steps until no body moved); lines of one request follow each
    other."""
    path, runs = "/v1/scenes/pile", []
    client.put(path, document).must(201)
    watch = Stopwatch()
    while not runs or not (runs[-1][-1]["kineticEnergy"] == 0 and runs[-1][-1]["contacts"] > COUNT):
        check(len(runs) < PATIENCE, f"after {len(runs)} s it still moves: {runs[-1:] and runs[-1][-1]}")
        runs.append(steps_of(path, 1))
    steps = len(runs) / STEP
    print(f"  {COUNT} bodies come to rest within {len(runs)} s; {watch.read() / steps} a step; "
          f"{runs[-1][-1]['contacts']} contacts, the deepest {max(run[-1]['penetration'] for run in runs):.1e} m")
    return path, poses_of(client, path), runs


def balanced(lines, start):
    """In each step the impulses of immovable bodies equal the impulse of the weight plus the change of momentum.
    Lines that the daemon omitted are skipped."""
    worst, looked, before = 0.0, 0, start
    for line in lines:
        if line["steps"] == before["steps"] + 1:
            rate = [(p - q) / STEP for p, q in zip(line["momentum"], before["momentum"])]
            off = [i / STEP - r - w for i, r, w in zip(line["contactImpulse"], rate, (0, 0, weight))]
            worst = max(worst, *(abs(x) for x in off))
            looked += 1
        before = line
    check(looked > len(lines) / 2, f"{looked} of {len(lines)} lines follow each other")
    check(worst <= 1e-9 * weight, f"{worst} N of {weight} N are missing")
    return worst / weight


@suite.fact
def at_every_step_floor_and_walls_balance_weight_and_momentum():
    unused, unused_too, runs = settled()
    worst, before = 0.0, {"momentum": [0, 0, 0]}
    for run in runs:
        worst = max(worst, balanced(run, {**before, "steps": 0}))
        before = run[-1]
    print(f"  momentum: {worst:.1e} of the weight missing in the worst of {sum(map(len, runs))} steps")


@suite.fact
def energy_does_not_grow():
    """Energy may grow only by the time-stepping error of a contact that separates at the beginning of a step and is
    closed at its end: m g times the distance at its speed in half a step (contact/advance.h), summed by Cauchy and
    Schwarz."""
    unused, unused_too, runs = settled()
    lines = [line for run in runs for line in run]
    mass, most = sum(masses.values()), 0.0
    for a, b in zip(lines, lines[1:]):
        most = max(most, energy(b) - energy(a))
        check(energy(b) - energy(a) <= G * STEP / 2 * math.sqrt(2 * mass * a["kineticEnergy"]) + 1e-12 * energy(a),
              f"energy grows from {energy(a)!r} J to {energy(b)!r} J at {b['steps']}")
        check(energy(b) <= energy(lines[0]) * (1 + 1e-12), f"{energy(b)} J at {b['steps']} are more than at the beginning")
    print(f"  energy: grows by {max(most, 0) / energy(lines[0]):.1e} of {energy(lines[0]):.0f} J in the worst step")
    check(all(line["work"] == 0 for line in lines), "floor and walls do work")


@suite.fact
def a_pile_at_rest_stays_at_rest():
    path, poses, runs = settled()
    before, worst = runs[-1][-1], 0.0
    for unused in range(math.ceil(STEPS_AFTER * STEP)):
        lines = steps_of(path, 1)
        worst = max(worst, balanced(lines, {**before, "steps": 0}))
        equal(lines[-1]["notConverged"], 0, "steps of another advance whose solver did not end")
        for line in lines:
            check(energy(line) <= energy(before), f"energy grew from {energy(before)!r} to {energy(line)!r} J")
            near_list([x / STEP for x in line["contactImpulse"]], [0, 0, weight], 1e-6 * weight, "forces of floor and walls")
            before = line
    later = poses_of(client, path)
    equal(later["ids"], poses["ids"], "ids")
    drift = max(abs(x - y) for p, q in zip(poses["positions"], later["positions"]) for x, y in zip(p, q))
    turn = max(abs(x - y) for p, q in zip(poses["rotations"], later["rotations"]) for x, y in zip(p, q))
    print(f"  after {STEPS_AFTER} more steps: drift {drift:.1e} m, turn {turn:.1e}, {worst:.1e} of the weight missing")
    check(drift < 1e-6 * SMALLEST and turn < 1e-6, f"drift {drift} m, turn {turn}")


def forces_on(results):
    """Body -> sum of its contact forces: as reported for b, negated for a."""
    sums = {}
    for contact in (c for r in results for c in r["contacts"]):
        for body, sign in ((contact["a"], -1), (contact["b"], 1)):
            old = sums.get(body, [0, 0, 0])
            sums[body] = [s + sign * f for s, f in zip(old, contact["force"])]
    return sums


@suite.fact
def resting_forces_balance_every_body_and_prove_stability():
    path, unused, unused_too = settled()
    reply = client.post(f"{path}/query/restingForces", {"contactTolerance": TOUCHES, "limit": 10000, "deadlineMs": 600000}).must(200).json
    equal((reply["complete"], reply["converged"], reply["stable"]), (True, True, True), "complete, converged, stable")
    check(all(r["stable"] and r["converged"] for r in reply["results"]), "an island does not stay")
    sums = forces_on(reply["results"])
    for body, mass in masses.items():
        near_list(sums[body], [0, 0, G * mass], 1e-6 * G * mass, f"contact forces on {body}")
    ground = [sum(-sums.get(b, (0, 0, 0))[k] for b in ("floor", "wall-0", "wall-1", "wall-2", "wall-3")) for k in range(3)]
    near_list(ground, [0, 0, weight], 1e-6 * weight, "forces of floor and walls")
    for contact in (c for r in reply["results"] for c in r["contacts"]):
        normal, slip = contact["normalForce"], sum(x * x for x in contact["tangentialForce"]) ** 0.5
        check(normal >= 0 and slip <= 0.5 * normal * (1 + 1e-9) + 1e-9 * weight, f"outside of the cone: {contact}")
    print(f"  restingForces: {len(reply['results'])} islands, {sum(len(r['contacts']) for r in reply['results'])} contacts, "
          f"residual {max(r['residual'] for r in reply['results']):.1e}, "
          f"{max(abs(g - w) for g, w in zip(ground, (0, 0, weight))) / weight:.1e} of the weight missing")


@suite.fact
def a_second_run_and_any_number_of_workers_give_the_same_bytes():
    small = scenes.pile(COUNT if FULL else 18, SIDE)
    texts = set()
    for workers in (1, 2, 4):
        with Daemon("--workers", workers) as other:
            connection = KeepAlive(other, timeout=700)
            for name in ("one", "two")[:1 if workers > 1 else 2]:
                path = f"/v1/scenes/{name}"
                connection.put(path, small).must(201)
                told = advance(connection, path, 1, include=["poses"], progressEvery=0.25)
                forces = connection.post(f"{path}/query/restingForces", {"contactTolerance": TOUCHES, "deadlineMs": 600000}).must(200)
                texts.add(told + forces.text)
            connection.connection.close()
    equal(len(texts), 1, "different answers")


suite.main()
