"""What support/machine.py says of times: that what the machine withholds is left out of them, and what the daemon does is not."""
import json
import os
import signal
import time

from support import machine
from support.checks import Suite, check, equal, near
from support.daemon import Daemon
from support.pace import SLOWER
from support.raw import Raw, ask, request

JSON_TYPE = [("Content-Type", "application/json")]
LIMIT = 0.025 * SLOWER  # of lateness, as in server_pool.py
suite = Suite()


@suite.fact
def what_a_core_does_not_give_is_withheld():
    # A process that is stopped has nothing of its core, as if something else ran there.
    for core in machine.cores:
        begin = time.monotonic()
        time.sleep(0.05)
        os.kill(core.process.pid, signal.SIGSTOP)
        try:
            stopped = time.monotonic()
            time.sleep(0.2)
            going_on = time.monotonic()
        finally:
            os.kill(core.process.pid, signal.SIGCONT)
        time.sleep(0.05)
        end = time.monotonic()
        # A stop within a tick is seen at the end of it.
        given = machine.given(stopped, going_on)
        check(given <= 2 * machine.USUAL, f"{1e3 * given:.2f} ms of a stop are said to be given")
        all_of_it = machine.given(begin, end)
        check(all_of_it <= end - begin - 0.2 + 2 * machine.USUAL, f"{all_of_it} s of {end - begin} are said to be given")
        near(machine.given(begin, stopped) + given + machine.given(going_on, end), all_of_it, 1e-9, "the sum of the parts")


@suite.fact
def what_two_cores_withhold_at_once_counts_once():
    begin = time.monotonic()
    while machine.given(begin, time.monotonic()) < 0.1:
        time.sleep(0.01)
    end = time.monotonic()
    stretches = machine.withheld(begin, end)
    check(all(begin <= first < last <= end for first, last in stretches), f"{stretches} are not in {begin, end}")
    check(all(one[1] < other[0] for one, other in zip(stretches, stretches[1:])), f"{stretches} are not apart")
    given = machine.given(begin, end)
    near(given + sum(last - first for first, last in stretches), end - begin, 1e-9, "given and withheld")
    for core in machine.cores:
        alone = sum(last - first for first, last in core.withheld(begin, end))
        check(alone <= end - begin - given + 1e-9, f"{core.process.pid} tells of more than both")


@suite.fact
def ticks_are_as_short_as_is_said():
    # The shortest tenth: how many are disturbed is the machine's affair.
    for core in machine.cores:
        count = core.past(time.monotonic() + 0.5)
        ticks = sorted(core.ticks[i + 1] - core.ticks[i] for i in range(1, min(count, machine.COUNT) - 1))
        check(machine.TICK <= ticks[len(ticks) // 10] <= machine.ODD, f"a tick takes {1e3 * ticks[len(ticks) // 10]:.2f} ms")


def lateness(stretches, wanted, end):
    return machine.late_beside(stretches, 0, end, wanted)


@suite.fact
def lateness_is_what_was_given_outside_of_the_time_wanted():
    for name, stretches, wanted, end, late in (
            ("undisturbed", [], 3, 4, 1), ("too soon", [], 3, 2.5, -0.5), ("too soon beside a stretch", [[0, 2]], 3, 2.5, -0.5),
            ("withheld when it was due", [[3, 4]], 3, 4, 0), ("withheld around that", [[2, 3.5]], 3, 4, 0.5),
            ("withheld before it was heard", [[0, 1]], 3, 4, 0), ("withheld while nothing was due", [[1, 2]], 3, 4, 1),
            ("withheld at both ends", [[0, 1], [4, 6]], 3, 6.5, 0.5), ("withheld throughout", [[0, 9]], 3, 9, 0),
            ("given for a while on the way", [[0, 1], [2, 9]], 3, 9, 0), ("given for a while too late", [[0, 1], [5, 9]], 3, 9, 1)):
        near(lateness(stretches, wanted, end), late, 1e-12, name)


@suite.fact
def a_daemon_that_stands_still_is_late():
    """For as long as it takes until the machine, which goes on, has given twice the limit since the deadline."""
    turned = [0, 0, 0.3826834323650898, 0.9238795325112867]
    bars = [{"id": f"bar-{i}", "position": [0.005 * i, -0.005 * i, 0], "rotation": turned,
             "colliders": [{"box": {"size": [100, 0.001, 0.001]}}]} for i in range(3000)]
    question = request("POST", "/v1/scenes/s/query/distance", json.dumps({"clearance": 0.001, "deadlineMs": 300}), JSON_TYPE)
    with Daemon("--log", "off", "--workers", "1") as daemon:
        equal(ask(daemon.port, "PUT", "/v1/scenes/s", json.dumps({"bodies": bars}), JSON_TYPE).status, 201, "status of the scene")
        with Raw(daemon.port) as connection:
            begin = time.monotonic()
            connection.send(question)
            time.sleep(0.2)
            os.kill(daemon.pid, signal.SIGSTOP)
            try:
                while machine.late(begin, time.monotonic(), 0.3) < 2 * LIMIT:
                    check(time.monotonic() - begin < 600, "the machine is said to have given nothing for ten minutes")
                    time.sleep(0.005)
            finally:
                os.kill(daemon.pid, signal.SIGCONT)
            equal(connection.reply().status, 504, "status")
            late = machine.late(begin, time.monotonic(), 0.3)
    check(late > LIMIT, f"late by {1e3 * late:.1f} ms only")


suite.main()
