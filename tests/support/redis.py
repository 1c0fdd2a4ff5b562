"""A redis-server of a test's own, with everything acknowledged on its disk, and daemons at it.

    redis = Redis(suite)              a free loopback port, a temporary folder; ended with the suite by its own pid
    a, b = redis.daemons(2)           each with .client
"""
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from support.checks import Failure
from support.client import KeepAlive
from support.daemon import Daemon
from support.pace import SLOWER

START_SECONDS = 20 * SLOWER


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Redis:
    def __init__(self, suite, *options):
        self.options = [str(o) for o in options]
        self.folder = tempfile.mkdtemp(prefix="redis-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        self.port = free_port()
        self.nodes = []
        self.process = None
        suite.cleanup(self.end)
        self.start()

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self):
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder, "--save", "", "--appendonly", "yes",
             "--appendfsync", "always", *self.options], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise Failure(f"redis-server ended with {self.process.returncode}")
            if self.say("ping", check=False) in ("PONG", "NOAUTH Authentication required."):
                return
            time.sleep(0.02)
        raise Failure(f"redis-server does not answer in {START_SECONDS} s")

    def say(self, *words, check=True):
        run = subprocess.run(["redis-cli", "-p", str(self.port), *(str(w) for w in words)], capture_output=True, text=True, timeout=60,
                             check=False)
        if check and (run.returncode or run.stdout.startswith(("ERR", "WRONG"))):
            raise Failure(f"redis-cli {words}: {run.stdout}{run.stderr}")
        return run.stdout.strip()

    def signal(self, name):
        self.process.send_signal(getattr(signal, f"SIG{name}"))

    def kill(self):
        self.signal("KILL")
        self.process.wait()

    def daemon(self, *options, url=None):
        daemon = Daemon("--store", url or self.url, "--workers", "2", *options, durability=None).start()
        self.nodes.append(daemon)
        daemon.client = KeepAlive(daemon)
        wait_ready(daemon)
        return daemon

    def daemons(self, count, *options, **rest):
        return [self.daemon(*options, **rest) for unused in range(count)]

    def forget(self, daemon):
        """Of a daemon that the test has ended itself."""
        self.nodes.remove(daemon)
        daemon.client.close()

    def end(self):
        nodes, self.nodes = self.nodes, []
        try:
            for node in nodes:
                node.process.send_signal(signal.SIGCONT)
                node.client.close()
                node.stop()
        finally:
            for node in nodes:
                node.kill()
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGCONT)
                self.kill()
            shutil.rmtree(self.folder, ignore_errors=True)


def wait_ready(daemon, seconds=START_SECONDS):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        reply = daemon.client.get("/readyz")
        if reply.status == 200:
            return
        time.sleep(0.02)
    raise Failure(f"not ready in {seconds} s: {reply.text}; {daemon.log_text()[-800:]}")
