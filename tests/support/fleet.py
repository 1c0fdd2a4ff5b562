"""A fleet as in docker/haproxy.cfg: three daemons with one Redis behind HAProxy; all ended with the suite by their own pids.

    fleet = Fleet(suite)              fleet.port: HAProxy's; options of the daemons, and redis=(...) of Redis, may follow
    fleet.nodes[0].kill(); fleet.nodes[0].start()
    fleet.wait_up()                   until HAProxy sends requests to all of them
"""
import concurrent.futures
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import urllib.request

from support.checks import Failure, check, equal
from support.client import KeepAlive
from support.daemon import ROOT, Daemon
from support.pace import SLOWER
from support.redis import Redis, free_port

NAMES = ("node1", "node2", "node3")
START_SECONDS = 60 * SLOWER
CONFIGURATION = ROOT / "docker/haproxy.cfg"


class Node:
    """Consecutive daemons on one port."""

    def __init__(self, name, url, options):
        self.name, self.url, self.options, self.port, self.daemon = name, url, options, free_port(), None
        self.start()

    def start(self):
        self.daemon = Daemon("--store", self.url, "--workers", "2", "--port", self.port, "--log", "off", *self.options, durability=None)
        self.daemon.start()
        return self

    def signal(self, name):
        self.daemon.process.send_signal(getattr(signal, f"SIG{name}"))

    def kill(self):
        self.signal("KILL")
        self.daemon.process.wait()
        self.daemon.kill()

    def stop(self):
        """SIGTERM, and a clean end."""
        self.daemon.stop()

    def wait_end(self):
        """Waits for a clean end after a signal that the test sent."""
        wait_until(lambda: self.daemon.process.poll() is not None, f"{self.name} ends")
        equal(self.daemon.process.returncode, 0, "exit status")
        self.daemon.kill()

    def client(self, document=None):
        return KeepAlive(self.daemon, document)

    def wait_ready(self):
        client = self.client()
        wait_until(lambda: client.get("/readyz").status == 200, f"{self.name} is ready")
        client.close()
        return self

    def end(self):
        if self.daemon.process.poll() is None:
            self.signal("CONT")
            self.stop()


def wait_until(true, what, seconds=START_SECONDS):
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise Failure(f"in {seconds} s it did not come true that {what}")
        time.sleep(0.01)


class Fleet:
    def __init__(self, suite, *options, redis=()):
        self.redis = Redis(suite, *redis)
        self.port, self.metrics_port = free_port(), free_port()
        self.nodes, self.proxy = [], None
        suite.cleanup(self.end)
        for name in NAMES:
            self.nodes.append(Node(name, self.redis.url, options))
        for node in self.nodes:
            node.wait_ready()
        self.log = tempfile.TemporaryFile()
        self.start_proxy()

    @property
    def base(self):
        return f"http://127.0.0.1:{self.port}"

    def configuration(self):
        """The file of docker/ with other addresses and ports."""
        text = CONFIGURATION.read_text()
        changes = [(f"server {n.name} {n.name}:7077", f"server {n.name} 127.0.0.1:{n.port}", 3) for n in self.nodes]
        changes += [("bind :7077\n", f"bind 127.0.0.1:{self.port}\n", 1), ("bind :8404\n", f"bind 127.0.0.1:{self.metrics_port}\n", 1),
                    (" abns@contactd ", f" abns@contactd-{self.port} ", 2)]
        for old, new, times in changes:
            equal(text.count(old), times, f"places of {old.strip()!r} in {CONFIGURATION.name}")
            text = text.replace(old, new)
        return text

    def start_proxy(self):
        self.file = tempfile.NamedTemporaryFile("w", suffix=".cfg")
        self.file.write(self.configuration())
        self.file.flush()
        self.proxy = subprocess.Popen(["haproxy", "-W", "-f", self.file.name], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        try:
            self.wait_up()
        except Failure as why:
            raise Failure(f"{why}; HAProxy: {self.log_text()[-800:]}") from None

    def reload_proxy(self):
        """A new worker with the same file replaces the old one."""
        before = self.log_text().count("Loading success")
        self.proxy.send_signal(signal.SIGUSR2)
        wait_until(lambda: self.log_text().count("Loading success") > before, "HAProxy has read its file again")

    def log_text(self):
        return pathlib.Path(f"/proc/self/fd/{self.log.fileno()}").read_text(errors="replace")

    def states(self):
        """HAProxy's state of each node: UP, DOWN, ..."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics?scope=server", timeout=10) as reply:
                text = reply.read().decode()
        except OSError:
            check(self.proxy.poll() is None, "HAProxy has ended")
            return {}
        found = re.findall(r'^haproxy_server_status\{proxy="scene",server="(\w+)",state="(\w+)"\} 1$', text, re.M)
        return dict(found)

    def wait_up(self, *nodes):
        """Waits until HAProxy sends requests to these nodes, or to all."""
        names = {n.name for n in nodes} or set(NAMES)
        wait_until(lambda: all(self.states().get(name) == "UP" for name in names), f"HAProxy has {', '.join(sorted(names))}")

    def end(self):
        if self.proxy and self.proxy.poll() is None:
            self.proxy.terminate()
            self.proxy.wait()
        if self.redis.process.poll() is None:
            self.redis.signal("CONT")
        # In parallel: each may take leaveSeconds.
        with concurrent.futures.ThreadPoolExecutor(len(NAMES)) as pool:
            failures = [str(ended.exception()) for ended in [pool.submit(n.end) for n in self.nodes] if ended.exception()]
        check(not failures, "; ".join(failures))
