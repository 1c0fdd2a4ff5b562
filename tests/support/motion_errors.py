"""Errors of the daemon's motions against references, and the errors that a method of an order may have.

Each motion is run with three steps: h = 1/50, 1/100 and 1/200 of its own time (Setup.time, such as the time of a fall or of a radian). T is
the time at which a value is read. The error allowed is, in units of the value's scale (Setup.scales):

    timeStepping    (h / time) (1 + T / time): first order, growing with the time as the phase of an oscillation does
    eventImpulses   (h / time)^2 (1 + T / time) + 1e-6: second order, and a contact tolerance of a millionth of the radius
    eventCompliant  1e-6 of the value, the tolerance of the mode

The readers of times of events (support/motion_values.py) extrapolate with errors below these.
"""
import math

from support.checks import Failure
from support.motion_runs import Overdue, Refused, advance, step_of
from support.motion_scenes import setup_of
from support.motion_values import READERS

LEVELS = (0, 1, 2)
ORDER = {"timeStepping": 1, "eventImpulses": 2}
CONTACT_TOLERANCE, ELASTIC_TOLERANCE = 1e-6, 1e-6
# Deadline of one run, ms. Runs that pass take a second or two.
DEADLINE_MS = 30000


def label(expected):
    return expected["quantity"] + (f" @{expected['time']:.6g}" if expected["time"] is not None else "")


class Runner:
    """setup -> Trajectory, in one mode and at one level; remembers the trajectory of the case's own setup."""

    def __init__(self, client, mode, level):
        self.client, self.mode, self.level, self.track = client, mode, level, None
        self.order = ORDER.get(mode, 1)

    def __call__(self, setup):
        self.track = advance(self.client, setup, self.mode, self.level, DEADLINE_MS)
        return self.track


class Cell:
    """One case in one mode: the values at each level, or why there are none. `is_refused`: because the daemon replied with a problem."""

    def __init__(self, client, case, mode, levels=LEVELS):
        self.case, self.mode = case, mode
        self.setup = setup_of(case)
        self.values, self.tracks, self.fault, self.is_refused = [], [], None, False
        for level in levels if mode != "eventCompliant" else (0,):
            runner = Runner(client, mode, level)
            try:
                self.values.append(READERS[case["kind"]](case, setup_of(case), runner))
            except (Failure, StopIteration, IndexError, ZeroDivisionError) as why:
                self.fault = f"{'overdue: ' if isinstance(why, Overdue) else ''}{str(why) or type(why).__name__}"
                self.is_refused = isinstance(why, Refused)
                break
            finally:
                self.tracks += [runner.track] if runner.track else []

    def scale(self, k):
        expected = self.case["expect"][k]
        if self.mode == "eventCompliant":
            return abs(expected["value"])
        return self.setup.scales()[self.values[0][k].scale]

    def errors(self, k):
        return [abs(values[k].actual - self.case["expect"][k]["value"]) for values in self.values]

    def allowed(self, k, level):
        if self.mode == "eventCompliant":
            return ELASTIC_TOLERANCE * self.scale(k)
        expected, time = self.case["expect"][k], self.setup.time
        last = expected["time"] if expected["time"] is not None else self.setup.duration
        part = (step_of(self.setup, level) / time) ** ORDER[self.mode] * (1.0 + last / time)
        return (part + (CONTACT_TOLERANCE if self.mode == "eventImpulses" else 0.0)) * self.scale(k)

    def wrong(self, k):
        """Why a value is not as promised; empty: it is."""
        if self.fault:
            return self.fault
        for level, error in enumerate(self.errors(k)):
            if not error <= self.allowed(k, level):
                return (f"at level {level} the error is {error:.3g}, allowed {self.allowed(k, level):.3g}; "
                        f"errors {', '.join(f'{e:.3g}' for e in self.errors(k))}")
        return ""

    def order(self, k):
        """The observed order; inf if the errors vanish, nan without them."""
        errors = self.errors(k)
        if len(errors) < 3:
            return math.nan
        return math.log2(errors[0] / errors[2]) / 2.0 if errors[0] > 0.0 and errors[2] > 0.0 else math.inf
