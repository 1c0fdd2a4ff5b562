"""A daemon with a store on disk that is ended and started again: one folder, many lives.

    lives = Lives(suite)
    lives.client.put(...)
    lives.again("KILL")     a new daemon on the same folder; "TERM" ends the one before cleanly
"""
import http.client
import signal
import subprocess
import tempfile
import time

from support import metrics
from support.checks import Failure
from support.client import KeepAlive
from support.daemon import Daemon, binary, clean_environment
from support.pace import SLOWER

READY_SECONDS = 60 * SLOWER


class Lives:
    """The folder goes with the suite."""

    def __init__(self, suite, *options):
        self.options = options
        self.own = tempfile.TemporaryDirectory(prefix="contactd-")
        self.folder = self.own.name
        self.daemon = self.client = None
        suite.cleanup(self.end)
        self.start()

    def start(self, ready=True, **rest):
        """rest: of Daemon."""
        self.daemon = Daemon("--data", self.folder, *self.options, durability="disk", **rest).start()
        self.client = KeepAlive(self.daemon)
        if ready:
            self.wait_ready()
        return self

    def try_start(self, before=()):
        """None: it serves. Else what the daemon that did not begin has said and ended with."""
        try:
            self.start(ready=False, before=before)
            return None
        except Failure:
            command = ["--data", self.folder, *self.options]
            return subprocess.run([*before, str(binary()), "--port", "0", "--durability", "disk", *command], capture_output=True, text=True,
                                  timeout=READY_SECONDS, check=False, env=clean_environment())

    def wait_ready(self, loaded=False):
        """Until /readyz says so; loaded: until no scene is left to be loaded, too."""
        end = time.monotonic() + READY_SECONDS
        while time.monotonic() < end:
            reply = self.client.get("/readyz")
            if reply.status == 200 and not (loaded and reply.json["scenes"]["stored"]):
                return reply.json
            time.sleep(0.002)
        raise Failure(f"not ready in {READY_SECONDS} s: {reply.text}; {self.daemon.log_text()[-800:]}")

    def wait_given(self, count, behind=0):
        """Until so many requests of others have been begun and only the store is left to answer them, but for those that wait for a write
        before theirs: syncs are held. Seen twice: what a worker has just ended the loop gives to the store before it answers again."""
        seen, end = 0, time.monotonic() + READY_SECONDS
        while seen < 2:
            if time.monotonic() > end:
                raise Failure(f"in {READY_SECONDS} s {count} requests were not given to the store: {figures}")
            now = metrics.read(self.client)
            figures = [now[name] for name in ("contactd_requests_active", "contactd_queue_depth", "contactd_workers_busy")]
            seen = seen + 1 if figures == [count + behind + 1, behind, 0] else 0

    def down(self, how="TERM"):
        self.client.close()
        if how == "TERM":
            self.daemon.stop()
        else:
            self.daemon.process.send_signal(getattr(signal, f"SIG{how}"))
            self.daemon.process.wait()
            self.daemon.kill()
        self.daemon = None

    def again(self, how="TERM", **rest):
        self.down(how)
        return self.start(**rest)

    def end(self):
        daemon, self.daemon = self.daemon, None
        if self.client:
            self.client.close()
        try:
            if daemon:
                daemon.stop()
        finally:
            self.own.cleanup()


def connection(port, seconds=READY_SECONDS):
    return http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
