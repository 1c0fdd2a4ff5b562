"""A container of the daemon as it should be run: read-only, without capabilities, in 256 MiB; and curl beside it."""
import json
import os
import pathlib
import time

from engine import run
from support.checks import Failure, Skip
from support.client import CurlProcess

MEMORY = 256 * 1024 * 1024
HARDENED = ("--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges", f"--memory={MEMORY}", f"--memory-swap={MEMORY}",
            "--pids-limit=128")
HEALTHY_SECONDS = 120
STOP_SECONDS = 20


class Beside(CurlProcess):
    """curl where the engine's published ports are."""

    def __init__(self, container):
        self.before = container.engine.inside()
        super().__init__(container)


class Container:
    """base, port: of the daemon, once it has started"""

    def __init__(self, engine, name, image, *options, command=("--insecure",)):
        self.engine, self.name, self.base, self.port = engine, name, None, None
        engine.must("run", "--detach", f"--name={name}", *HARDENED, "--publish=127.0.0.1::7077", *options, image, *command)
        self.find_port()

    def find_port(self):
        """A free one, which a start chooses anew."""
        published = self.engine.must("port", self.name, "7077/tcp").split("\n")[0]
        self.port = int(published.rpartition(":")[2])
        self.base = f"http://127.0.0.1:{self.port}"

    def state(self, form):
        return self.engine.inspect(self.name, "{{.State." + form + "}}")

    def log(self):
        done = self.engine.call("logs", self.name)
        return done.stdout + done.stderr

    def wait_healthy(self):
        """Until the image's own check says so."""
        end = time.monotonic() + HEALTHY_SECONDS
        while (health := self.state("Health.Status")) != "healthy":
            if self.state("Running") != "true" or time.monotonic() > end:
                raise Failure(f"the container is {health}, not healthy: {self.log()[-800:]}")
            time.sleep(0.2)
        return self

    def kill(self):
        self.engine.must("kill", "--signal=KILL", self.name)
        self.engine.must("wait", self.name)

    def again(self):
        self.engine.must("start", self.name)
        self.find_port()
        return self.wait_healthy()

    def stop(self):
        """Its exit status after SIGTERM."""
        self.engine.must("stop", "-t", str(STOP_SECONDS), self.name)
        return int(self.state("ExitCode"))

    def remove(self):
        self.engine.call("rm", "--force", "--volumes", self.name)

    def read(self, path):
        """A file of the machine, or of /proc as the engine's processes see it; {pid} is the daemon's."""
        done = run(self.engine.inside("cat", path.format(pid=self.state("Pid"))))
        if done.returncode and os.geteuid() != 0:
            raise Skip(f"only root may look at another's process: {done.stderr.strip()}")
        if done.returncode:
            raise Failure(f"{path}: {done.stderr.strip()}")
        return done.stdout

    def process(self):
        """Members of /proc/<pid>/status by name."""
        return dict(line.split(":\t", 1) for line in self.read("/proc/{pid}/status").strip().split("\n"))

    def memory_limit(self):
        """That the kernel holds the daemon to, in bytes."""
        for line in self.read("/proc/{pid}/cgroup").strip().split("\n"):
            number, names, path = line.split(":", 2)
            if names == "memory":
                return int(self.read(f"/sys/fs/cgroup/memory{path}/memory.limit_in_bytes"))
            if number == "0" and pathlib.Path(f"/sys/fs/cgroup{path}/memory.max").exists():
                return int(self.read(f"/sys/fs/cgroup{path}/memory.max"))
        raise Failure("the daemon is in no control group of memory")

    def settings(self):
        return json.loads(self.engine.must("inspect", self.name))[0]


def once(function):
    """The first call's result, or what it raised, for all calls."""
    kept = []

    def call():
        if not kept:
            try:
                kept.append((function(), None))
            except Exception as raised:  # every fact that needs it says so
                kept.append((None, raised))
        value, raised = kept[0]
        if raised:
            raise raised
        return value

    return call
