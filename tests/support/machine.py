"""What the machine withheld: time by the clock in which it gave nothing to anybody, because it ran other machines or other programs.

Limits of time are about the daemon, clocks are about the machine as well. So a small process on each core does next to nothing, again
and again: it sleeps for a millisecond, works for a few hundredths of one, and notes when it was done. Whenever that takes long, the core
was withheld from it, as it was from whatever else was to run there; that time is left out of what a limit is held against. It is
not left out that the daemon makes others wait: the process shares nothing with it but the core, and is woken before whoever works on.

    given(begin, end)           of the seconds between two moments of time.monotonic(), those that the machine gave
    late(begin, end, wanted)    of those, the ones beyond the `wanted` that were to pass by the clock
    sleep(seconds)              returns when the machine has given so many

They wait until the processes have told of `end`, a millisecond as a rule. Only the first two cores are used, also by what is started
after this is imported: of many, one or the other would always be withheld.
"""
import atexit
import mmap
import os
import subprocess
import sys
import time

from support.checks import Failure

CORES = 2
TICK = 0.001     # asleep
USUAL = 0.00125  # s, of a tick with its work, and what the kernel allows itself
ODD = 0.002      # s: shorter ticks are as they should be
WORK = 1000      # turns of a loop: some hundredths of a millisecond
COUNT = 1 << 19  # ticks that are kept: ten minutes
DEAD_SECONDS = 120  # without a tick: only if the process is dead


class Core:
    """The process that ticks on one core."""

    def __init__(self, number):
        descriptor = os.memfd_create("ticks")
        os.ftruncate(descriptor, 8 * (COUNT + 1))
        self.ticks = memoryview(mmap.mmap(descriptor, 0)).cast("d")  # how many; when each was done, in turn
        command = [sys.executable, __file__, str(number), str(descriptor), str(os.getpid())]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=[descriptor])
        os.close(descriptor)
        self.past(time.monotonic())

    def end(self):
        self.process.kill()
        self.process.wait()

    def past(self, moment):
        """Waits for a tick after the moment; how many there have been."""
        end = time.monotonic() + DEAD_SECONDS
        while True:
            count = int(self.ticks[0])
            if count and self.ticks[1 + (count - 1) % COUNT] > moment:
                return count
            if self.process.poll() is not None or time.monotonic() > end:
                raise Failure(f"the process that measures the machine does not tick: {self.process.returncode}")
            time.sleep(TICK / 2)

    def withheld(self, begin, end):
        """The stretches of [begin, end] in which a tick should have been done and was not, latest first."""
        count = self.past(end)
        least = max(1, count - COUNT + 1000)  # what is written meanwhile is not read
        for i in range(count - 1, least - 1, -1):
            before, done = self.ticks[1 + (i - 1) % COUNT], self.ticks[1 + i % COUNT]
            if done <= begin:
                return
            if done - before > ODD and before + USUAL < end:
                yield max(begin, before + USUAL), min(end, done)
        first = self.ticks[1 + (least - 1) % COUNT]
        if first > begin:
            raise Failure(f"what was withheld is not known of the first {first - begin:.1f} s")


cores = []


def start():
    mine = sorted(os.sched_getaffinity(0))[:CORES]
    os.sched_setaffinity(0, mine)
    for number in mine:
        cores.append(Core(number))
        atexit.register(cores[-1].end)


def withheld(begin, end):
    """The stretches of [begin, end] in which one core or the other was withheld, in order, none touching the next."""
    joined = []
    for first, last in sorted(stretch for core in cores for stretch in core.withheld(begin, end) if stretch[0] < stretch[1]):
        if joined and first <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], last)
        else:
            joined.append([first, last])
    return joined


def left(stretches, begin, end):
    """Of [begin, end], what is in no stretch; negative when it ends before it begins."""
    return end - begin - sum(max(0.0, min(end, last) - max(begin, first)) for first, last in stretches)


def given(begin, end):
    return left(withheld(begin, end), begin, end)


def late(begin, end, wanted):
    """Who asks at `begin` to be answered after `wanted` seconds, and is answered at `end`, has been heard at some moment between, and
    the answer was due `wanted` seconds later, however the machine was then. What was given before the one and after the other is the
    lateness; of all moments that may have been it, the one that leaves least counts. Negative: the answer came too soon."""
    return late_beside(withheld(begin, end), begin, end, wanted)


def late_beside(stretches, begin, end, wanted):
    if end - begin <= wanted:
        return end - begin - wanted
    latest = end - wanted
    moments = [begin, latest, *(last for unused, last in stretches), *(first - wanted for first, unused in stretches)]
    return min(left(stretches, begin, moment) + left(stretches, moment + wanted, end) for moment in moments if begin <= moment <= latest)


def sleep(seconds):
    begin, missing = time.monotonic(), seconds
    while missing > 0:
        time.sleep(missing)
        missing = seconds - given(begin, time.monotonic())


def tick(core, descriptor, parent):
    os.sched_setaffinity(0, {core})
    ticks = memoryview(mmap.mmap(descriptor, 0)).cast("d")
    count = 0
    while os.getppid() == parent:
        time.sleep(TICK)
        for unused in range(WORK):
            pass
        ticks[1 + count % COUNT] = time.monotonic()
        count += 1
        ticks[0] = count


if __name__ == "__main__":
    tick(*(int(word) for word in sys.argv[1:]))
else:
    start()
