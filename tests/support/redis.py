"""A redis-server of a test's own that persists every acknowledged write, and daemons that use it.

    redis = Redis(suite)              a free loopback port, a temporary folder; ended with the suite by its own pid
    a, b = redis.daemons(2)           each with .client
"""
import os
import pathlib
import queue
import random
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

from support.checks import Failure
from support.client import KeepAlive
from support.daemon import Daemon
from support.pace import SLOWER

START_SECONDS = 60 * SLOWER
OBJ = "model/obj"
CUBE = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1)) + \
    "f 1 2 4\nf 1 4 3\nf 5 7 8\nf 5 8 6\nf 1 5 6\nf 1 6 2\nf 3 4 8\nf 3 8 7\nf 1 3 7\nf 1 7 5\nf 2 6 8\nf 2 8 4\n"


def free_port():
    """A port below those that the system assigns to clients: none can take it while the server on it is restarted."""
    least = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = random.randrange(least - 10000, least) if least > 20000 else 0
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
                return s.getsockname()[1]
            except OSError:
                pass


def ball(name, x=0.0):
    return {"id": name, "position": [x, 0, 0], "colliders": [{"sphere": {"radius": 0.5}}]}


def move(x):
    return {"ids": ["b"], "positions": [[x, 0, 0]]}


def number_of(etag):
    return int(etag.strip('"r'))


def revision_of(reply):
    return number_of(reply.headers["etag"])


def place(reply):
    return reply.json["positions"][0][0]


class Redis:
    def __init__(self, suite, *options, env=None):
        self.env = env
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

    def start(self, loading=False):
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder, "--save", "", "--appendonly", "yes",
             "--appendfsync", "always", *self.options], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=self.env)
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise Failure(f"redis-server ended with {self.process.returncode}")
            said = self.say("ping", check=False)
            if said in ("PONG", "NOAUTH Authentication required.") or (loading and said.startswith("LOADING")):
                return
            time.sleep(0.02)
        raise Failure(f"redis-server does not answer in {START_SECONDS} s")

    def say(self, *words, check=True, password=None):
        run = subprocess.run(["redis-cli", "-p", str(self.port), *(str(w) for w in words)], capture_output=True, text=True, timeout=60,
                             check=False, env={**os.environ, "REDISCLI_AUTH": password} if password else None)
        if check and (run.returncode or run.stdout.startswith(("ERR", "WRONG"))):
            raise Failure(f"redis-cli {words}: {run.stdout}{run.stderr}")
        return run.stdout.strip()

    def signal(self, name):
        self.process.send_signal(getattr(signal, f"SIG{name}"))

    def kill(self):
        self.signal("KILL")
        self.process.wait()

    def daemon(self, *options, url=None, ready=True, workers=2, **rest):
        daemon = Daemon("--store", url or self.url, "--workers", workers, *options, durability=None, **rest).start()
        self.nodes.append(daemon)
        daemon.client = KeepAlive(daemon)
        if ready:
            wait_ready(daemon)
        return daemon

    def daemons(self, count, *options, **rest):
        return [self.daemon(*options, **rest) for unused in range(count)]

    def forget(self, daemon):
        """For a daemon that the test has ended itself."""
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


class Spoiler:
    """A relay between daemons and Redis. spoils: some pieces of Redis' replies are changed: bits, bytes added or
    removed, all of it. delay: seconds that a piece takes in either direction. holds: nothing is relayed, and
    connections stay open. keep, let_go: data that a daemon has sent reaches Redis after the daemon has given it up."""

    def __init__(self, suite, redis, seed):
        self.redis, self.choice, self.spoils, self.spoiled = redis, random.Random(seed), False, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self.listener.getsockname()[1]}/0"
        self.ends, self.delay, self.holds = False, 0, False
        self.word, self.kept, self.goes, self.answers = None, threading.Event(), threading.Event(), queue.Queue()
        suite.cleanup(self.end)
        self.threads = [threading.Thread(target=self.accept)]
        self.threads[0].start()

    def accept(self):
        while not self.ends:
            if select.select([self.listener], [], [], 0.05)[0]:
                thread = threading.Thread(target=self.pass_on, args=(self.listener.accept()[0],))
                self.threads.append(thread)
                thread.start()

    def pass_on(self, client):
        try:
            with client, socket.create_connection(("127.0.0.1", self.redis.port)) as server:
                while not self.ends:
                    for ready in select.select([client, server], [], [], 0.05)[0]:
                        piece = ready.recv(65536)
                        if not piece:
                            return
                        time.sleep(self.delay)
                        if self.holds:
                            continue
                        if ready is client and self.word and self.word in piece:
                            self.keep_back(client, server, piece)
                            return
                        if ready is client:
                            server.sendall(piece)
                        else:
                            client.sendall(self.spoil(piece) if self.spoils else piece)
        except OSError:
            pass

    def keep(self, word):
        """The next piece with this word is held back, and all later data of its connection."""
        self.kept.clear()
        self.goes.clear()
        self.word = word

    def keep_back(self, client, server, kept):
        """Holds back a connection's data from such a piece on, whether the daemon closes the connection or not,
        until let_go."""
        self.word = None
        self.kept.set()
        while not self.goes.is_set():
            if select.select([client], [], [], 0.05)[0]:
                piece = client.recv(65536)
                kept += piece
                if not piece:
                    self.goes.wait()
        server.sendall(kept)
        server.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := server.recv(65536):
            answer += piece
        self.answers.put(answer)

    def let_go(self):
        """Sends the held data to Redis; returns Redis' reply."""
        self.goes.set()
        return self.answers.get(timeout=START_SECONDS)

    def spoil(self, piece):
        choice, kind = self.choice, self.choice.randrange(12)
        at = choice.randrange(len(piece))
        self.spoiled += kind < 7
        if kind == 0:
            return piece[:at] + bytes([piece[at] ^ (1 << choice.randrange(8))]) + piece[at + 1:]
        if kind == 1:
            return piece[:at] + choice.randbytes(choice.randrange(1, 40)) + piece[at:]
        if kind == 2:
            return piece[:at] + piece[at + choice.randrange(1, 9):]
        if kind == 3:
            return piece + b"+OK\r\n*3\r\n:1\r\n$-1\r\n*0\r\n"
        if kind == 4:
            return choice.choice([b"*2147483647\r\n", b"$9999999999\r\n", b"*-5\r\n", b":99999999999999999999\r\n", b"$5\r\nab\r\n", b"-\r\n",
                                  b"*1\r\n" * 20, b"*1\r\n$-1\r\n", b"*-1\r\n", b"$-1\r\n", b":7\r\n", b"+MOVED\r\n", b"*3\r\n$5\r\nMOVED\r\n$-1\r\n:1\r\n"])
        if kind == 5:
            return choice.randbytes(len(piece))
        if kind == 6:
            return piece * 2
        return piece

    def end(self):
        self.ends = True
        self.goes.set()
        for thread in self.threads:
            thread.join()
        self.listener.close()
