"""Motions of one scene as the daemon computes them: a state at the end of every step, and the events."""
import bisect
import json
import math

from support.checks import Failure
from support.motion_scenes import add, cross, rotated

# Steps per unit of the problem's time (Setup.time) at level 0; each level halves the step.
STEPS = 50
SCENE = "/v1/scenes/motion"
DEADLINE_MS = 120000


class Refused(Failure):
    """The daemon replied with a problem."""


class Overdue(Refused):
    """The daemon did not finish before the deadline of the request."""


class State:
    """One body at one time: frame and velocities; `center` is the centre of mass."""

    def __init__(self, time, poses, index, center):
        self.time = time
        self.position = tuple(poses["positions"][index])
        x, y, z, w = poses["rotations"][index]
        self.rotation = (w, x, y, z)
        self.velocity = tuple(poses["linearVelocities"][index])
        self.angular = tuple(poses["angularVelocities"][index])
        self.center = add(self.position, rotated(self.rotation, center))

    def axis(self, name="z"):
        return rotated(self.rotation, tuple(float(name == other) for other in "xyz"))

    def velocity_at(self, point):
        return add(self.velocity, cross(self.angular, add(point, self.center, -1.0)))


class Trajectory:
    """`again`: a function from a duration to the trajectory of the same motion with it."""

    def __init__(self, setup, step, lines, again):
        self.setup, self.step, self.lines, self.again, self.shorter = setup, step, lines, again, {}
        self.times = [line["time"] for line in lines]
        self.events = [event for line in lines for event in line.get("eventList", [])]
        self.end = lines[-1]

    def index_of(self, name):
        return self.end["poses"]["ids"].index(name)

    def center_in(self, name):
        return self.setup.center if name == "body" else (0.0, 0.0, 0.0)

    def states(self, name="body"):
        index, center = self.index_of(name), self.center_in(name)
        return [State(line["time"], line["poses"], index, center) for line in self.lines]

    def ending_at(self, time):
        """The trajectory, or one to this time if no step of this one ends there: the modes with events end steps at events."""
        k = min(range(len(self.times)), key=lambda i: abs(self.times[i] - time))
        if abs(self.times[k] - time) <= 1e-9 * max(time, self.step):
            return self, k
        if time not in self.shorter:
            self.shorter[time] = self.again(time)
        return self.shorter[time], len(self.shorter[time].lines) - 1

    def line_at(self, time):
        """The line of the step that ends at this time."""
        track, k = self.ending_at(time)
        return track.lines[k]

    def at(self, time, name="body"):
        line = self.line_at(time)
        return State(line["time"], line["poses"], self.index_of(name), self.center_in(name))

    def interpolated(self, time, name="body"):
        """(centre, velocity) at any time: the cubic through positions and velocities at the ends of the step."""
        k = min(max(bisect.bisect_left(self.times, time), 1), len(self.times) - 1)
        index, center = self.index_of(name), self.center_in(name)
        a, b = (State(self.times[i], self.lines[i]["poses"], index, center) for i in (k - 1, k))
        h = b.time - a.time
        s = (time - a.time) / h
        place = tuple((1 + 2 * s) * (1 - s) ** 2 * p + s * s * (3 - 2 * s) * q + h * s * (1 - s) ** 2 * u - h * s * s * (1 - s) * v
                      for p, q, u, v in zip(a.center, b.center, a.velocity, b.velocity))
        speed = tuple((1 - s) * u + s * v for u, v in zip(a.velocity, b.velocity))
        return place, speed

    def converged(self):
        return self.end["converged"]

    def penetration(self):
        return max(line["penetration"] for line in self.lines)

    def energy_gain(self):
        """Greatest rise of energy above its value after the first step, beyond the work of driven bodies and loads, J."""
        balance = [line["kineticEnergy"] + line["potentialEnergy"] - line["work"] for line in self.lines]
        return max(balance) - balance[0]


def step_of(setup, level):
    """The step of a level: Setup.time / STEPS at level 0, and shorter so that steps end at multiples of Setup.unit."""
    step = setup.time / STEPS
    if setup.unit:
        step = setup.unit / math.ceil(setup.unit / step - 1e-9)
    return step / 2 ** level


def advance(client, setup, mode, level, deadline_ms=DEADLINE_MS, duration=None):
    """The trajectory of the setup in a mode; Refused, after the deadline Overdue."""
    step = step_of(setup, level)
    client.put(SCENE, setup.scene()).must(client_status(client))
    # Half of a step: a line for every step, even if round-off ends it early.
    members = {"duration": duration or setup.duration, "mode": mode, "timeStep": step, "progressEvery": max(0.5 * step, 1e-9),
               "include": ["poses"] if mode == "timeStepping" else ["poses", "events"], "deadlineMs": deadline_ms}
    if mode == "eventCompliant":
        members |= setup.options
    reply = client.post(SCENE + "/advance", members, check=False)
    lines = [json.loads(line) for line in reply.text.splitlines()]
    problem = lines[-1].get("problem") or (lines[-1] if reply.status != 200 else None)
    if problem:
        kind = Overdue if problem.get("status") == 504 else Refused
        raise kind(f"{problem.get('title')}: {problem.get('detail')}")
    return Trajectory(setup, step, lines, lambda time: advance(client, setup, mode, level, deadline_ms, time))


def client_status(client):
    """201 for the first scene of a daemon, 200 afterwards."""
    seen = getattr(client, "has_motion_scene", False)
    client.has_motion_scene = True
    return 200 if seen else 201
