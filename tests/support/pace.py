"""How much slower the daemon under test is than an ordinary build: time limits in tests are multiplied by SLOWER."""
import os
import time

SLOWER = {"": 1, "asan": 4, "tsan": 12}.get(os.environ.get("CONTACTD_SANITIZER", ""), 4)


def unchanging(read, seconds=0.3):
    """Returns the value of `read` once it has stayed the same for this long."""
    value, since = read(), time.monotonic()
    while time.monotonic() - since < seconds:
        time.sleep(0.01)
        now = read()
        if now != value:
            value, since = now, time.monotonic()
    return value
