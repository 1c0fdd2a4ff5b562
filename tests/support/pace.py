"""How much slower than an ordinary build the daemon under test runs: limits of time in tests are multiplied by this."""
import os

SLOWER = {"": 1, "asan": 4, "tsan": 12}.get(os.environ.get("CONTACTD_SANITIZER", ""), 4)
