"""How much slower than an ordinary build the daemon under test runs: limits of time in tests are multiplied by SLOWER."""
import os
import time

SLOWER = {"": 1, "asan": 4, "tsan": 12}.get(os.environ.get("CONTACTD_SANITIZER", ""), 4)


def unchanging(read, seconds=0.3):
    """What `read` returns once it has been the same for so long."""
    value, since = read(), time.monotonic()
    while time.monotonic() - since < seconds:
        time.sleep(0.01)
        now = read()
        if now != value:
            value, since = now, time.monotonic()
    return value
