"""A container engine for the tests: one that runs already, else a dockerd of our own.

Our own dockerd lives in namespaces of its own (mounts, processes; with network="own" the network, too), on a socket in a folder of its
own. What it makes there (bridges, firewall rules, mounts, containers' processes) ends with it, and nothing on the machine is touched.
It builds with network="host", since a network of its own leads nowhere, and runs containers with network="own": there published ports
collide with nobody's. Both see the same images: the folder outlives it until Engine.close().
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from support.checks import Failure, Skip

START_SECONDS = 60
STOP_SECONDS = 60
# An engine's call that takes longer does not work; a build has a time of its own.
CALL_SECONDS = 300
BUILD_SECONDS = 1800


def run(command, seconds=CALL_SECONDS, env=None, given=None, cwd=None):
    """The finished process; what it says is kept as text."""
    try:
        return subprocess.run(command, input=given, capture_output=True, text=True, timeout=seconds, env=env, cwd=cwd)
    except subprocess.TimeoutExpired:
        raise Failure(f"{' '.join(command[:6])} was not done within {seconds} s") from None


class Engine:
    def __init__(self):
        self.folder = self.process = self.child = None
        self.made_tags = []
        self.env = dict(os.environ)
        self.own = not self.answers()
        if not self.own:
            return
        self.env.pop("DOCKER_CONTEXT", None)
        if os.geteuid() != 0:
            raise Skip("no container engine answers, and only root can start one of its own")
        for program in ("docker", "dockerd", "unshare", "nsenter", "setpriv", "ip"):
            if not shutil.which(program):
                raise Failure(f"no container engine answers, and {program}, which one of its own needs, was not installed")
        signal.signal(signal.SIGTERM, lambda *unused: sys.exit(1))  # by way of all that is to be done at the end
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="contactd-image-"))
        # The builder without BuildKit: the only one that needs no more than Debian's packages.
        self.env.update(DOCKER_HOST=f"unix://{self.folder}/socket", DOCKER_BUILDKIT="0")

    def answers(self):
        return shutil.which("docker") is not None and run(["docker", "info"], env=self.env).returncode == 0

    # ---- a dockerd of our own --------------------------------------------------------------------------------------------

    def start(self, network):
        """Has the engine run with this network: "host" to build, "own" to run containers. Nothing to do where one runs anyway."""
        if not self.own:
            return self
        self.stop()
        options = ["--host", f"unix://{self.folder}/socket", "--data-root", f"{self.folder}/data", "--exec-root", f"{self.folder}/exec",
                   "--pidfile", f"{self.folder}/pid", "--cgroup-parent", f"/contactd-image-{os.getpid()}"]
        if network == "host":
            options += ["--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false"]
        with_us = ["setpriv", "--pdeathsig", "KILL"]
        spaces = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"] + (["--net"] if network == "own" else [])
        script = ("ip link set lo up && " if network == "own" else "") + 'exec dockerd "$@"'
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen([*with_us, "unshare", *spaces, "sh", "-c", script, "dockerd", *options],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        end = time.monotonic() + START_SECONDS
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > end:
                said = (self.folder / "log").read_text(errors="replace").strip().split("\n")[-1]
                self.stop()
                raise Skip(f"no container engine answers, and one of its own does not start: {said[:300]}")
            time.sleep(0.2)
        self.child = int(pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()[0])
        return self

    def stop(self):
        """Ends our own dockerd: SIGTERM, so that it lets go of its containers; whatever of it is left ends with its processes."""
        if not self.process:
            return
        if self.child and self.process.poll() is None:
            os.kill(self.child, signal.SIGTERM)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = self.child = None

    def close(self):
        for tag in self.made_tags if not self.own else ():
            self.call("image", "rm", "--force", tag)
        self.stop()
        if self.folder:
            for parent in pathlib.Path("/sys/fs/cgroup").glob(f"**/contactd-image-{os.getpid()}"):
                for path in sorted(parent.glob("**/"), reverse=True):
                    path.rmdir()
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder = None

    def inside(self, *command):
        """The command as it is run beside the engine's containers."""
        if not self.own:
            return list(command)
        return ["nsenter", f"--target={self.child}", "--mount", "--pid", "--net", "--", *command]

    # ---- calls -----------------------------------------------------------------------------------------------------------

    def call(self, *arguments, seconds=CALL_SECONDS):
        return run(["docker", *arguments], seconds, self.env)

    def must(self, *arguments, seconds=CALL_SECONDS):
        """What the call prints; a call that fails is a failure."""
        done = self.call(*arguments, seconds=seconds)
        if done.returncode:
            raise Failure(f"docker {' '.join(arguments)[:200]} ended with {done.returncode}: {(done.stdout + done.stderr)[-1500:]}")
        return done.stdout.strip()

    def inspect(self, what, form):
        return self.must("inspect", "--format", form, what)

    def has(self, tag):
        return self.call("image", "inspect", tag).returncode == 0

    def build(self, tag, dockerfile, folder, *options):
        """Builds from a file as it is; options are those of docker build."""
        network = ["--network", "host"] if self.own else []
        return self.must("build", *network, "--tag", tag, "--file", str(dockerfile), *options, str(folder), seconds=BUILD_SECONDS)
