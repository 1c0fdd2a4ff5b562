#!/usr/bin/python3
"""A sphere bounces on the ground: an integrator outside of the daemon, which computes distances,
contacts and events.

    api/example/bouncing_sphere.py [--law daemon] [URL of the daemon] [time to end at, s]

The model is "bouncing sphere" of Modia3D: a steel sphere with a diameter of 0.2 m falls from
y = 1 m on a steel box with its top at y = -0.1 m. This program computes the force law; the daemon
only needs shapes, poses and velocities. With --law daemon the daemon computes the force law, too,
from the materials of the bodies and the normal velocity at the beginning of the contact. Requests:

  POST contactStates/fall            at an event: sends pose and velocity of the sphere, returns the
                                     contacts that began and ended
  POST query/zeroCrossings, sample   at each stage of a step in contact: returns the depth
       query/compliantForces         or, with --law daemon: returns the force
  POST query/zeroCrossings           at the end of each step: returns z1 and z2. If one has changed
                                     its sign, each further call evaluates many times within the
                                     step (variants), until the first double with the new sign is
                                     found
"""
import http.client
import json
import math
import sys
from argparse import ArgumentParser
from urllib.parse import urlsplit

SCENE = "/v1/scenes/bouncing-sphere"
STATE = "fall"
GROUND = {"id": "ground", "position": [0, -0.15, 0], "colliders": [{"box": {"size": [4, 0.1, 0.7]}}]}
SPHERE = {"id": "sphere", "position": [0, 1, 0], "colliders": [{"sphere": {"radius": 0.1}}], "motion": {"mass": 0.001}}

MASS, GRAVITY = 0.001, [0.0, -9.81, 0.0]  # kg, m/s^2
YOUNG, POISSON = 2e11, 0.3  # of steel, Pa
RESTITUTION, V_SMALL, DAMPING_MAX = 0.7, 0.01, 2000.0  # -, m/s, s/m
RADIUS = 0.1  # of the sphere, m: that of the contact, since the ground is flat
STEEL = {"youngsModulus": YOUNG, "poissonRatio": POISSON, "restitution": RESTITUTION}

TOLERANCE = 1e-7  # of a step, relative
LEAST = [1e-8, 1e-3]  # m, m/s: below these it is absolute
STEP_MAX = 0.02  # s: at 4.5 m/s the sphere does not pass through the ground within one
STEP_AT_CONTACT = 1e-7  # s
SECTIONS = 64  # of an interval, evaluated in one call


class Daemon:
    """A persistent connection. Ends the run unless the reply is a success with a JSON object."""

    def __init__(self, url):
        self.connection = http.client.HTTPConnection(urlsplit(url).netloc)
        self.calls = 0

    def send(self, method, path, body):
        self.calls += 1
        self.connection.request(method, path, json.dumps(body), {"Content-Type": "application/json"})
        reply = self.connection.getresponse()
        text = reply.read()
        if reply.status >= 300:
            raise SystemExit(f"{method} {path}: {reply.status} {text.decode()}")
        return json.loads(text)

    def event(self, time, state):
        return self.send("POST", f"{SCENE}/contactStates/{STATE}", {"time": time, "poses": poses_of(state)})

    def forces(self, state):
        """By the elastic law. Contacts that separate fast may pull, as in Modia3D."""
        members = {"contactState": STATE, "poses": poses_of(state), "elastic": {"pull": True}}
        return self.send("POST", f"{SCENE}/query/compliantForces", members)

    def zero_crossings(self, states, **members):
        """Zero crossings at each of the states."""
        variants = [{"ids": ["sphere"], "positions": [state[:3]]} for state in states]
        reply = self.send("POST", f"{SCENE}/query/zeroCrossings", {"contactState": STATE, "variants": variants, **members})
        return [variant["results"][0] for variant in reply["results"]]


def poses_of(state):
    return {"ids": ["sphere"], "positions": [state[:3]], "linearVelocities": [state[3:]]}


# ---- the elastic law ---------------------------------------------------------------------------------------------------------

C_RES = 0.5 * YOUNG / (1 - POISSON ** 2)  # N/m^2, of two equal materials
C_GEO = 4 / 3 * math.sqrt(RADIUS)


def damping(normal_velocity):
    """d_res of a contact, from how fast it began, s/m."""
    speed = abs(normal_velocity)
    if speed <= V_SMALL:
        return DAMPING_MAX
    return min(DAMPING_MAX, 8 * (1 - RESTITUTION) / (5 * RESTITUTION * speed))


def added(a, b):
    return [x + y for x, y in zip(a, b)]


class OwnLaw:
    """Forces computed here from the depths that the daemon returns."""

    def __init__(self, daemon):
        self.daemon = daemon

    def force(self, state, contacts=None):
        """On the sphere, which is body b of each contact: along its normal."""
        if contacts is None:
            contacts = self.daemon.zero_crossings([state], evaluation="sample")[0]["contacts"]
        total = [0.0] * 3
        for contact in contacts:
            depth = max(0.0, -contact["signedDistance"])
            closing = -sum(n * v for n, v in zip(contact["normal"], state[3:]))
            size = C_RES * C_GEO * depth ** 1.5 * (1 + damping(contact["normalVelocity"]) * closing)
            total = added(total, [size * n for n in contact["normal"]])
        return total

    def coefficients(self, contact, _):
        return C_RES, damping(contact["normalVelocity"])


class DaemonLaw:
    """Forces computed by the daemon, with the moduli of the scene and the normal velocities of the
    contact state."""

    def __init__(self, daemon):
        self.daemon = daemon

    def force(self, state, contacts=None):
        bodies = [] if contacts == [] else self.daemon.forces(state)["bodies"]
        return bodies[0]["force"] if bodies else [0.0] * 3

    def coefficients(self, contact, state):
        pair = contact["a"], contact["b"]
        found = next(c for c in self.daemon.forces(state)["results"] if (c["a"], c["b"]) == pair)
        return found["cRes"], found["dRes"]


LAWS = {"own": OwnLaw, "daemon": DaemonLaw}


def derivative(state, force):
    """Of position and velocity."""
    return state[3:] + [g + f / MASS for g, f in zip(GRAVITY, force)]


# ---- one step: Dormand and Prince, order 5, with the error of order 4 ----------------------------------------------------------

STAGES = [[1 / 5], [3 / 40, 9 / 40], [44 / 45, -56 / 15, 32 / 9], [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
          [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
          [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]]
ERROR = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40]


def weights_within(p):
    """Of the slopes, for the state at a part of the step: order 4."""
    return [p * (1 + p * (-1337 / 480 + p * (1039 / 360 - p * 1163 / 1152))), 0,
            100 / 3 * p * p * (1054 / 9275 + p * (-4682 / 27825 + p * 379 / 5565)),
            -5 / 2 * p * p * (27 / 40 + p * (-9 / 5 + p * 83 / 96)),
            18225 / 848 * p * p * (-3 / 250 + p * (22 / 375 - p * 37 / 600)),
            -22 / 7 * p * p * (-3 / 10 + p * (29 / 30 - p * 17 / 24))]


def moved(state, h, weights, slopes):
    return [x + h * sum(w * k[i] for w, k in zip(weights, slopes)) for i, x in enumerate(state)]


class Step:
    """A step from (time, state) by h, with the zero-crossing functions at its end. It is accepted if
    error <= 1."""

    def __init__(self, law, time, state, slope, h, in_contact):
        slopes, at = [slope], state
        for number, weights in enumerate(STAGES):
            at = moved(state, h, weights, slopes)
            contacts = None if in_contact else []
            if number + 1 == len(STAGES):
                answer = law.daemon.zero_crossings([at], include=["contacts"])[0]
                self.z, contacts = answer["z"], answer["contacts"]
            slopes.append(derivative(at, law.force(at, contacts)))
        self.time, self.h, self.state, self.end = time, h, state, at
        self.slopes = slopes
        errors = moved([0.0] * 6, h, ERROR, slopes)
        self.error = max(abs(e) / (TOLERANCE * (max(abs(a), abs(b)) + LEAST[i >= 3]))
                         for i, (e, a, b) in enumerate(zip(errors, state, at)))

    def within(self, part):
        return moved(self.state, self.h, weights_within(part), self.slopes)


def crossed(z, which):
    """True if z1 or z2 has changed its sign: z1 < 0 and z2 > 0 while the contacts are unchanged."""
    return z[0] >= 0 if which == 1 else z[1] <= 0


def locate(daemon, step, which):
    """(time, state) of the first double at which z1 or z2 has its new sign."""
    low, high, state = 0.0, 1.0, step.end
    while True:
        parts = [p for p in (low + (high - low) * k / SECTIONS for k in range(1, SECTIONS)) if low < p < high]
        if not parts or (high - low) * step.h < 1e-18:
            return step.time + high * step.h, state
        states = [step.within(p) for p in parts]
        changed = [crossed(answer["z"], which) for answer in daemon.zero_crossings(states)]
        first = changed.index(True) if True in changed else len(parts)
        if first < len(parts):
            high, state = parts[first], states[first]
        if first > 0:
            low = parts[first - 1]


# ---- the simulation --------------------------------------------------------------------------------------------------------------


def rounded(value):
    return f"{value:.3g}".replace("e+", "e")


def print_event(law, time, state, which, event):
    print(f"State event (zero-crossing) at time = {time!r} s (due to z[{which}])")
    for c in event["ended"]:
        print(f"   distance({c['a']},{c['b']}) = {c['distance']!r} became > 0")
    for c in event["began"]:
        print(f"   distance({c['a']},{c['b']}) = {c['distance']!r} became <= 0")
        normal, position = ([float(x) for x in c[name]] for name in ("normal", "position"))
        c_res, d_res = law.coefficients(c, state)
        print(f"       contact normal = {normal}, contact position = {position}, "
              f"c_res = {rounded(c_res)} d_res = {rounded(d_res)}")
    print("   restart = Restart\n")


def simulate(law, end):
    daemon = law.daemon
    daemon.send("PUT", SCENE, {"bodies": [GROUND, SPHERE], "materials": {"default": STEEL}})
    time, state, h = 0.0, SPHERE["position"] + [0.0, 0.0, 0.0], 1e-3
    event = daemon.event(time, state)
    contacts = event["began"]
    slope = derivative(state, law.force(state, contacts))
    while time < end:
        step = Step(law, time, state, slope, min(h, STEP_MAX, end - time), bool(contacts))
        h = step.h * min(5.0, max(0.2, 0.9 * max(step.error, 1e-10) ** -0.2))
        if step.error > 1:
            continue
        which = next((w for w in (1, 2) if crossed(step.z, w)), None)
        if which is None:
            time, state, slope = time + step.h, step.end, step.slopes[-1]
            continue
        time, state = locate(daemon, step, which)
        event = daemon.event(time, state)
        print_event(law, time, state, which, event)
        contacts = event["began"] + event["persisted"]
        slope = derivative(state, law.force(state, contacts))
        h = STEP_AT_CONTACT if contacts else 1e-3


def main():
    parser = ArgumentParser(description="A sphere bounces on the ground; a daemon computes its contacts.")
    parser.add_argument("--law", choices=LAWS, default="own", help="who computes forces")
    parser.add_argument("url", nargs="?", default="http://127.0.0.1:7077")
    parser.add_argument("end", nargs="?", type=float, default=2.393, help="s")
    given = parser.parse_args()
    daemon = Daemon(given.url)
    simulate(LAWS[given.law](daemon), given.end)
    print(f"{daemon.calls} calls", file=sys.stderr)


if __name__ == "__main__":
    main()
