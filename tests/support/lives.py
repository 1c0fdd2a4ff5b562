"""A daemon with a store on disk that is ended and started again on the same folder.

    lives = Lives(suite)
    lives.client.put(...)
    lives.again("KILL")     ends the daemon by SIGKILL and starts a new one; "TERM" ends it cleanly
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
    """The folder is deleted with the suite."""

    def __init__(self, suite, *options):
        self.options = options
        self.own = tempfile.TemporaryDirectory(prefix="contactd-")
        self.folder = self.own.name
        self.daemon = self.client = None
        suite.cleanup(self.end)
        self.start()

    def start(self, ready=True, **rest):
        """`rest`: arguments of Daemon."""
        self.daemon = Daemon("--data", self.folder, *self.options, durability="disk", **rest).start()
        self.client = KeepAlive(self.daemon)
        if ready:
            self.wait_ready()
        return self

    def try_start(self, before=()):
        """None if the daemon serves; else the output and exit status of the refused start."""
        try:
            self.start(ready=False, before=before)
            return None
        except Failure:
            command = ["--data", self.folder, *self.options]
            return subprocess.run([*before, str(binary()), "--port", "0", "--durability", "disk", *command], capture_output=True, text=True,
                                  timeout=READY_SECONDS, check=False, env=clean_environment())

    def wait_ready(self, loaded=False):
        """Waits for /readyz; with `loaded` also until every scene is loaded."""
        end = time.monotonic() + READY_SECONDS
        while time.monotonic() < end:
            reply = self.client.get("/readyz")
            if reply.status == 200 and not (loaded and reply.json["scenes"]["stored"]):
                return reply.json
            time.sleep(0.002)
        raise Failure(f"not ready in {READY_SECONDS} s: {reply.text}; {self.daemon.log_text()[-800:]}")

    def wait_given(self, count, behind=0):
        """Waits until this many requests wait for the store alone, while syncs are held; `behind` more wait for an
        earlier write. The state must be seen twice, since the loop hands over finished work of a worker before its
        next reply."""
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
