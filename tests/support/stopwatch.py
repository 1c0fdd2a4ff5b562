"""Wall-clock time in tests. How long something takes says as much about the machine as about the daemon, so a test never compares a
time with a constant: `Elapsed` compares only with another `Elapsed` of the same run, or with a lower bound, which no slow machine can
break. Outside tests/support and tests/bench no test reads a clock itself (tests/house/lint.py).

    watch = Stopwatch()
    ...
    check(watch.read() < control / 2, ...)         a ratio to a control in the same run
    check(watch.read().lasted(1), ...)             not sooner than a configured second
    wait_until(lambda: ..., "what is missing")     ends what hangs
"""
import functools
import time

from support.checks import Failure
from support.pace import SLOWER

HANG_SECONDS = 120 * SLOWER  # without progress for this long: the test hangs, however slow the machine is


@functools.total_ordering
class Elapsed:
    """A wall-clock duration. Supports +, products and quotients with numbers, ratios, and comparison with other
    durations."""

    def __init__(self, seconds):
        self._seconds = seconds

    def __eq__(self, other):
        return self._seconds == _seconds(other)

    def __lt__(self, other):
        return self._seconds < _seconds(other)

    __hash__ = None

    def __add__(self, other):
        return Elapsed(self._seconds + _seconds(other))

    def __mul__(self, factor):
        return Elapsed(self._seconds * factor)

    __rmul__ = __mul__

    def __truediv__(self, other):
        """A ratio by another duration; a duration by a number."""
        if isinstance(other, Elapsed):
            return self._seconds / other._seconds
        return Elapsed(self._seconds / other)

    def lasted(self, seconds):
        """True if it is at least so many seconds, as a configured time demands."""
        return self._seconds >= seconds

    def covers(self, seconds):
        """True if a duration that the daemon reports fits into this one, which was measured around it."""
        return self._seconds >= seconds

    def times_in(self, seconds):
        """The number of such durations that fit into `seconds`: as many repetitions last at least as long."""
        return int(seconds / self._seconds)

    def milliseconds(self, share=1.0):
        """A whole number of milliseconds, for a deadline that is a share of a measured time."""
        return max(1, round(1000 * self._seconds * share))

    def __repr__(self):
        return f"{1000 * self._seconds:.1f} ms"


def _seconds(other):
    if not isinstance(other, Elapsed):
        raise TypeError(f"a time compares with a time of the same run, not with {other!r}")
    return other._seconds


class Stopwatch:
    def __init__(self):
        self.begin = time.monotonic()

    def read(self):
        return Elapsed(time.monotonic() - self.begin)

    def hangs(self, seconds=HANG_SECONDS):
        """True when a loop has waited so long that its condition will not come true any more."""
        return time.monotonic() - self.begin > seconds


def utc_seconds():
    """The date, for clocks that a test sets; not for durations."""
    return time.time()


def timed(call):
    """What call() returns, and how long it took."""
    watch = Stopwatch()
    result = call()
    return result, watch.read()


def wait_until(condition, what, seconds=HANG_SECONDS, pause=0.01):
    """Waits until condition() is true; returns how long that took."""
    watch = Stopwatch()
    while not condition():
        if watch.hangs(seconds):
            raise Failure(f"{what}, still after {seconds} s")
        time.sleep(pause)
    return watch.read()
