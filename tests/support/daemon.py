"""Starts and stops build/contactd for a test: a free port, the options asked for, an end by its own pid.

The environment names another program (CONTACTD_BIN) or another build folder (BUILD). A daemon that ends by itself, or writes a
sanitizer's report, is a failure of the program that used it.
"""
import os
import pathlib
import re
import select
import signal
import struct
import subprocess
import tempfile
import time

from support.checks import Failure

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", "build"))
SANITIZER = os.environ.get("CONTACTD_SANITIZER", "")
# Ends a hanging test, with room for a machine that is several times slower.
START_SECONDS = STOP_SECONDS = 60
FIRST_LINE = re.compile(r"^contactd listening on http://127\.0\.0\.1:(\d+)\s*$")
REPORT = re.compile(r"(ERROR: AddressSanitizer|WARNING: ThreadSanitizer|runtime error:|ERROR: LeakSanitizer|Assertion .* failed)")


def binary():
    path = pathlib.Path(os.environ.get("CONTACTD_BIN", BUILD / "contactd"))
    return path if path.is_absolute() else ROOT / path


def clean_environment(env=None, **more):
    """The environment without the variables of the tests and CONTACTD_* variables of the caller: the daemon refuses
    unknown ones."""
    environment = {name: value for name, value in (os.environ if env is None else env).items() if not name.startswith("CONTACTD_")}
    environment.update(more)
    return environment


class Daemon:
    """with Daemon("--workers", "2") as d: d.port, d.pid, d.base; with heap=True also d.heap(), not under a sanitizer;
    fails: a file that makes its syncs fail, or slow, or holds them (failing_sync.c), not under a sanitizer; short: its calls are interrupted, and do
    half (short_io.c), nor this; names: a file that tells what is found of a host (slow_names.c), nor this; before: words in front of the
    command, of a program that becomes the daemon"""

    def __init__(self, *options, program=None, env=None, cwd=ROOT, durability="memory", heap=False, fails=None, short=False, names=None,
                 before=()):
        self.command = [*before, str(program or binary()), "--port", "0"]
        if durability:
            self.command += ["--durability", durability]
        self.command += [str(o) for o in options]
        self.env = clean_environment(env)
        self.counts = None
        if heap:
            self.count_heap()
        if fails:
            self.env.update(LD_PRELOAD=self.library("failing_sync"), FAILING_SYNC=str(fails))
        if short:
            self.env.update(LD_PRELOAD=self.library("short_io"))
        if names:
            self.env.update(LD_PRELOAD=self.library("slow_names"), SLOW_NAMES=str(names))
        self.cwd = cwd
        self.process = None
        self.log = tempfile.TemporaryFile()

    def __enter__(self):
        return self.start()

    def __exit__(self, *unused):
        self.stop()

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log,
                                        cwd=self.cwd, env=self.env)
        line = self.first_line()
        match = FIRST_LINE.match(line)
        if not match:
            self.kill()
            raise Failure(f"first line of {self.command[0]} is {line!r}; its log: {self.log_text()[-800:]}")
        self.port = int(match.group(1))
        self.pid = self.process.pid
        self.base = f"http://127.0.0.1:{self.port}"
        return self

    def first_line(self):
        line, end = b"", time.monotonic() + START_SECONDS
        out = self.process.stdout.fileno()
        while not line.endswith(b"\n") and time.monotonic() < end:
            if select.select([out], [], [], 0.1)[0]:
                piece = os.read(out, 1)
                if not piece:
                    break
                line += piece
        return line.decode(errors="replace")

    def log_text(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.process:
            self.process.stdout.close()

    def stop(self):
        """SIGTERM, a clean end within STOP_SECONDS, status 0, no sanitizer report."""
        if self.process is None:
            return
        if self.process.poll() is not None:
            self.process.stdout.close()
            raise Failure(f"the daemon ended by itself with {self.process.returncode}: {self.log_text()[-2000:]}")
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Failure(f"the daemon did not end within {STOP_SECONDS} s of SIGTERM: {self.log_text()[-800:]}") from None
        self.process.stdout.close()
        log = self.log_text()
        report = REPORT.search(log)
        if report:
            raise Failure("the daemon's log holds a report: " + log[max(0, report.start() - 200):report.start() + 2500])
        if self.process.returncode != 0:
            raise Failure(f"the daemon's exit status is {self.process.returncode}: {log[-800:]}")

    def count_heap(self):
        """Starts the daemon with support/heap_count.c in front of the C library's malloc."""
        self.counts = tempfile.NamedTemporaryFile()
        self.env.update(LD_PRELOAD=self.library("heap_count"), HEAP_COUNT=self.counts.name)

    @staticmethod
    def library(name):
        path = (ROOT / BUILD / f"tests/support/{name}.so").resolve()
        if not path.exists():
            raise Failure(f"{path} is not there; make test-programs builds it")
        return str(path)

    def heap(self):
        """The allocated heap of the daemon: (bytes, blocks)."""
        self.counts.seek(0)
        counts = self.counts.read()
        if not counts:
            raise Failure(f"nothing is counted: {self.log_text()[-800:]}")
        return struct.unpack("@2l", counts)

    def processor_seconds(self):
        """Processor time of all its threads, in steps of 10 ms."""
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def works(self, used=0.05, seconds=START_SECONDS):
        """Waits until the daemon has used this much more processor time: the request is running."""
        end, before = time.monotonic() + seconds, self.processor_seconds()
        while self.processor_seconds() - before < used:
            if time.monotonic() > end:
                raise Failure(f"in {seconds} s the daemon did not use {used} s of processor time")
            time.sleep(0.005)

    def status_bytes(self, name):
        """A figure of /proc/<pid>/status in bytes: VmHWM (peak resident), VmRSS."""
        text = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(rf"^{name}:\s+(\d+) kB", text, re.M).group(1)) * 1024

    def reset_peak(self):
        """Sets VmHWM to the present resident memory."""
        pathlib.Path(f"/proc/{self.pid}/clear_refs").write_text("5")
