"""The daemon under a service manager: datagrams for readiness, watchdog and shutdown, passed sockets, and the
shipped units, checked by systemd's own tools."""
import concurrent.futures
import http.client
import itertools
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from support.checks import Suite, check, equal
from support.client import KeepAlive
from support.daemon import ROOT, START_SECONDS, Daemon, binary, clean_environment
from support.lives import Lives
from support.pace import SLOWER
from support.raw import Raw
from support.stopwatch import Stopwatch, timed, wait_until

suite = Suite()
folder = tempfile.TemporaryDirectory(prefix="contactd-systemd-")
suite.cleanup(folder.cleanup)
numbers = itertools.count()
GET = "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


class Manager:
    """The socket on which a service manager receives datagrams."""

    def __init__(self, name):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("\0" + name[1:] if name[0] == "@" else name)
        self.name = name

    def hear(self, seconds=START_SECONDS):
        """The next message, as a dict; None if none arrives in time."""
        self.socket.settimeout(seconds)
        try:
            text = self.socket.recv(4096).decode()
        except TimeoutError:
            return None
        return dict(line.split("=", 1) for line in text.splitlines())

    def hear_until(self, name):
        """Messages up to the first one with this variable."""
        heard = []
        while not heard or name not in heard[-1]:
            heard.append(self.hear())
            check(heard[-1] is not None, f"{name} has not come, only {heard[:-1]}")
        return heard


def manager(name=None):
    made = Manager(name or str(pathlib.Path(folder.name) / f"notify-{next(numbers)}"))
    suite.cleanup(made.socket.close)
    return made


def told(heard, *options, **environment):
    """A daemon that notifies the manager."""
    return Daemon("--log", "off", *options, env=clean_environment(NOTIFY_SOCKET=heard.name, **environment))


# ---- messages --------------------------------------------------------------------------------------------------------------

@suite.fact
def a_manager_is_notified_of_the_start_and_the_end():
    for name in (None, f"@contactd-test-{os.getpid()}"):
        heard = manager(name)
        with told(heard) as d:
            equal(heard.hear()["READY"], "1", "the first message")
            equal(KeepAlive(d).get("/readyz").status, 200, "/readyz then")
        last = heard.hear()
        equal((last["STOPPING"], last["STATUS"]), ("1", "No new requests are accepted."), "the last message")
        equal(heard.hear(0.05), None, "a message after it")


@suite.fact
def a_manager_is_notified_of_both_stages_of_the_shutdown():
    heard = manager()
    d = told(heard, "--limit", "leaveSeconds=1").start()
    suite.cleanup(d.kill)
    heard.hear()
    d.process.terminate()
    equal(heard.hear(), {"STOPPING": "1", "STATUS": "The daemon is shutting down; requests are still accepted."}, "the message at its end")
    equal(heard.hear(), {"STATUS": "No new requests are accepted."}, "the message after that")
    equal(d.process.wait(START_SECONDS), 0, "exit status")


@suite.fact
def ready_is_sent_when_the_store_has_been_read():
    lives = Lives(suite)
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    for i in range(20):
        lives.client.post("/v1/shapes", {"convex": {"vertices": [[x, y, z * (1 + i)] for x, y, z in corners]}}).must(201)
    lives.down()
    for unused in range(2):
        heard = manager()
        daemon = Daemon("--data", lives.folder, durability="disk", env=clean_environment(NOTIFY_SOCKET=heard.name)).start()
        suite.cleanup(daemon.kill)
        heard.hear_until("READY")
        equal(KeepAlive(daemon).get("/readyz").status, 200, "/readyz when READY has come")
        daemon.stop()
        daemon.process = None


def watchdog_gap(heard, count):
    """Waits for watchdog messages; returns the shortest time between two."""
    heard.hear_until("WATCHDOG")
    return min(timed(lambda: heard.hear_until("WATCHDOG"))[1] for unused in range(count))


@suite.fact
def watchdog_messages_come_from_the_loop_at_a_fraction_of_the_timeout():
    heard = manager()
    with told(heard, WATCHDOG_USEC="2000000"):
        heard.hear_until("READY")
        slow = watchdog_gap(heard, 2)
    heard = manager()
    with told(heard, WATCHDOG_USEC="400000") as d:
        heard.hear_until("READY")
        quick = watchdog_gap(heard, 5)
        check(2 < slow / quick < 10, f"messages come every {quick} for 0.4 s, and every {slow} for 2 s")
        allowed = timed(lambda: time.sleep(2))[1]
        check(slow < allowed, f"a message every {slow} for a watchdog of {allowed}")
        d.process.send_signal(signal.SIGSTOP)
        time.sleep(0.05)
        while heard.hear(0.01):
            pass
        equal(heard.hear(0.6), None, "a message of a daemon that stands still")
        d.process.send_signal(signal.SIGCONT)
        heard.hear_until("WATCHDOG")


@suite.fact
def a_watchdog_of_another_process_gets_no_messages():
    heard = manager()
    with told(heard, WATCHDOG_USEC="10000", WATCHDOG_PID="1"):
        heard.hear_until("READY")
        equal(heard.hear(0.2), None, "a message after READY")


@suite.fact
def a_manager_that_has_ended_does_not_disturb_the_daemon():
    heard = manager()
    heard.socket.close()
    with told(heard, WATCHDOG_USEC="20000") as d:
        equal(KeepAlive(d).get("/livez").status, 200, "status")
        time.sleep(0.1)
        equal(KeepAlive(d).get("/livez").status, 200, "status later")


def refused(*words, **environment):
    def fact():
        result = subprocess.run([str(binary()), "--port", "0"], capture_output=True, text=True, timeout=60 * SLOWER, cwd=ROOT, check=False,
                                env=clean_environment(**environment))
        equal((result.returncode, result.stdout, result.stderr.count("\n")), (2, "", 1), "exit status, output and lines")
        for word in words:
            check(word in result.stderr, f"{word!r} is not in {result.stderr!r}")
    return fact


suite.table("refused:", [
    ("a place that is none", refused("NOTIFY_SOCKET", "vsock:2:1", NOTIFY_SOCKET="vsock:2:1")),
    ("a name that is too long", refused("NOTIFY_SOCKET", NOTIFY_SOCKET="/" + "x" * 200)),
    ("a time that is none", refused("WATCHDOG_USEC", "soon", NOTIFY_SOCKET="/x", WATCHDOG_USEC="soon")),
    ("no time", refused("WATCHDOG_USEC", NOTIFY_SOCKET="/x", WATCHDOG_USEC="0")),
    ("a process that is none", refused("WATCHDOG_PID", NOTIFY_SOCKET="/x", WATCHDOG_USEC="1000", WATCHDOG_PID="me")),
])


# ---- passed sockets ----------------------------------------------------------------------------------------------------------

# Becomes the daemon, with the socket as descriptor 3, as systemd passes it.
LAUNCH = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ["LISTEN_PID"] = sys.argv[3] if sys.argv[3] != "own" else str(os.getpid())
os.environ["LISTEN_FDS"] = sys.argv[2]
os.execv(sys.argv[4], sys.argv[4:])
"""


class Handed(Daemon):
    """A daemon that is passed the socket; its first line names the socket's port."""

    def __init__(self, handed, *options, count="1", pid="own"):
        super().__init__("--log", "off", *options)
        self.handed = handed
        self.command = [sys.executable, "-c", LAUNCH, str(handed.fileno()), count, pid, *self.command]

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, env=self.env,
                                        pass_fds=(self.handed.fileno(),))
        self.line = self.first_line()
        self.port = int(self.line.rsplit(":", 1)[1]) if ":" in self.line else None
        self.pid = self.process.pid
        return self


def listening(address="127.0.0.1", kind=socket.SOCK_STREAM):
    made = socket.socket(socket.AF_INET, kind)
    made.bind((address, 0))
    if kind == socket.SOCK_STREAM:
        made.listen(64)
    suite.cleanup(made.close)
    return made


def asked(port, path="/livez"):
    connection = Raw(port)
    connection.send(GET.format(path=path))
    return connection


@suite.fact
def a_passed_socket_is_served():
    handed = listening()
    port = handed.getsockname()[1]
    with Handed(handed) as d:
        equal(d.line, f"contactd listening on http://127.0.0.1:{port}\n", "first line")
        with asked(port) as connection:
            equal(connection.reply().status, 200, "status")
        environment = pathlib.Path(f"/proc/{d.pid}/fd")
        check((environment / "3").exists(), "descriptor 3 is not there")


@suite.fact
def connections_made_while_no_daemon_runs_are_answered_by_the_next():
    handed = listening()
    port = handed.getsockname()[1]
    with asked(port) as early:
        with Handed(handed):
            equal(early.reply().status, 200, "status of who came before the first daemon")
        with asked(port) as between:
            with Handed(handed):
                equal(between.reply().status, 200, "status of who came between two daemons")


def ask_until(over, port, statuses):
    """Requests on connections that are reused until the daemon closes them; one that is closed before a byte of the reply is repeated."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60 * SLOWER)
    while not over.is_set():
        for attempt in (1, 2):
            try:
                connection.request("POST", "/v1/query/overlap", '{"a": {"sphere": {"radius": 1}}, "b": {"sphere": {"radius": 1}}}')
                reply = connection.getresponse()
                reply.read()
                statuses.append(reply.status)
                break
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                connection.close()
                check(attempt == 1, "a new connection was closed without a reply")
    connection.close()


@suite.fact
def no_request_on_a_socket_that_is_handed_over_is_refused_during_restarts():
    handed, over = listening(), threading.Event()
    lists = [[] for unused in range(4)]
    for options in ((), ("--limit", "leaveSeconds=1")):
        d = Handed(handed, *options).start()
        with concurrent.futures.ThreadPoolExecutor(len(lists)) as pool:
            over.clear()
            clients = [pool.submit(ask_until, over, handed.getsockname()[1], statuses) for statuses in lists]
            for unused in range(3):
                answered = [len(statuses) for statuses in lists]
                wait_until(lambda: all(len(s) > n + 20 for s, n in zip(lists, answered)), "the clients are not answered", pause=0.01)
                d.stop()
                d = Handed(handed, *options).start()
            over.set()
            for client in clients:
                client.result()
        d.stop()
    equal({status for statuses in lists for status in statuses}, {200}, "statuses")


@suite.fact
def a_socket_passed_to_another_process_is_not_used():
    handed = listening()
    with Handed(handed, pid="1") as d:
        check(d.port != handed.getsockname()[1], "the daemon serves it")
        with asked(d.port) as connection:
            equal(connection.reply().status, 200, "status at its own address")


@suite.fact
def a_socket_that_cannot_be_served_is_refused():
    quiet = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    local = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    local.bind(str(pathlib.Path(folder.name) / "local"))
    local.listen()
    plain = open("/dev/null", "rb")
    for made in (quiet, local, plain):
        suite.cleanup(made.close)
    for handed, count, word in ((listening(kind=socket.SOCK_DGRAM), "1", "TCP"), (quiet, "1", "TCP"), (local, "1", "TCP"),
                                (plain, "1", "TCP"), (listening(), "2", "'2'"), (listening(), "x", "'x'"),
                                (listening("0.0.0.0"), "1", "--token-file")):
        d = Handed(handed, count=count).start()
        equal((d.line, d.process.wait(60 * SLOWER)), ("", 2), "first line and exit status")
        d.process.stdout.close()
        text = d.log_text()
        check(word in text and text.count("\n") == 1, f"{word} is not in {text!r}")


@suite.fact
def systemd_socket_activate_starts_the_daemon():
    """systemd-socket-activate listens, and starts the daemon at the first connection."""
    address = f"127.{os.getpid() >> 16 & 127}.{os.getpid() >> 8 & 255}.{os.getpid() & 255 or 1}"
    address = re.sub(r"^127\.0\.0\.", "127.1.0.", address)
    command = ["systemd-socket-activate", "-l", f"{address}:7077", str(binary()), "--log", "off"]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=clean_environment())
    suite.cleanup(process.kill)
    watch, connection = Stopwatch(), None
    while connection is None and not watch.hangs():
        try:
            connection = Raw(7077, address)
        except ConnectionRefusedError:
            time.sleep(0.01)
    with connection:
        connection.send(f"GET /v1/version HTTP/1.1\r\nHost: {address}:7077\r\nConnection: close\r\n\r\n")
        equal(connection.reply().status, 200, "status")
    process.send_signal(signal.SIGTERM)
    equal(process.wait(60 * SLOWER), 0, "exit status")


# ---- units -------------------------------------------------------------------------------------------------------------------

def verified(change=lambda name, text: text, program=True, drop_in=None):
    """(exit status, text) of `systemd-analyze verify` for the units in a tree of its own, changed as by `systemctl
    edit`."""
    with tempfile.TemporaryDirectory(prefix="contactd-units-") as made:
        tree = pathlib.Path(made)
        shutil.copytree("/lib/systemd/system", tree / "lib/systemd/system", symlinks=True)
        units = tree / "etc/systemd/system"
        units.mkdir(parents=True)
        for name in ("contactd.service", "contactd.socket"):
            (units / name).write_text(change(name, (ROOT / "docker" / name).read_text()))
        if drop_in:
            (units / "contactd.service.d").mkdir()
            (units / "contactd.service.d/override.conf").write_text(drop_in)
        if program:
            (tree / "usr/local/bin").mkdir(parents=True)
            shutil.copy(binary(), tree / "usr/local/bin/contactd")
        run = subprocess.run(["systemd-analyze", "verify", "--man=no", f"--root={tree}", str(units / "contactd.service"),
                              str(units / "contactd.socket")], capture_output=True, text=True, timeout=60, check=False)
        return run.returncode, run.stdout + run.stderr


@suite.fact
def systemd_analyze_accepts_the_units():
    equal(verified(), (0, ""), "what systemd-analyze verify says")


@suite.fact
def systemd_analyze_rejects_damaged_units():
    faults = {"contactd.socket": {"Backlog=": "Baklog="}, "contactd.service": {"UMask=0077": "UMask=0999", "ProtectHome=": "ProtectHouse="}}

    def change(unit, text):
        for right, wrong in faults[unit].items():
            check(right in text, f"{unit} has no {right}")
            text = text.replace(right, wrong)
        return text
    said = verified(change, program=False)[1]
    for word in ("Baklog", "0999", "ProtectHouse", "executable"):
        check(word in said, f"{word} is not in {said!r}")


@suite.fact
def the_documented_drop_in_for_a_remote_redis_is_accepted():
    """The drop-in of docker/README.md, and the settings beside it, with the same address and the password where
    systemd puts it."""
    blocks = dict(re.findall(r"^```\n# (systemctl edit contactd|/etc/contactd\.conf)\n(.*?)^```$", (ROOT / "docker/README.md").read_text(), re.M | re.S))
    drop_in, settings = blocks["systemctl edit contactd"], blocks["/etc/contactd.conf"]
    equal(verified(drop_in=drop_in), (0, ""), "what systemd-analyze verify says of it")
    said = verified(drop_in=drop_in.replace("IPAddressAllow=", "IPAddressAllow=redis.").replace("LoadCredential=", "LoadCredentials="))[1]
    for word in ("redis.", "LoadCredentials"):
        check(word in said, f"it is not read: {word} is not in {said!r}")
    address = re.search(r"^IPAddressAllow=(\S+)$", drop_in, re.M)[1]
    credential = re.search(r"^LoadCredential=([^:]+):/", drop_in, re.M)[1]
    check(f"store = redis://{address}:6379/0\n" in settings, f"the store has another address: {settings}")
    check(f"store-password-file = /run/credentials/contactd.service/{credential}\n" in settings, f"the password is elsewhere: {settings}")
    path = pathlib.Path(folder.name) / "redis.conf"
    path.write_text(settings)
    run = subprocess.run([str(binary()), "--config", str(path), "--print-config"], capture_output=True, text=True, timeout=60 * SLOWER,
                         check=False, env=clean_environment())
    equal((run.returncode, run.stderr), (0, ""), "exit status and standard error")


@suite.fact
def the_service_is_hardened():
    run = subprocess.run(["systemd-analyze", "security", "--offline=true", str(ROOT / "docker/contactd.service")], capture_output=True,
                         text=True, timeout=60, check=False)
    level = re.search(r"Overall exposure level for contactd\.service: ([0-9.]+)", run.stdout)
    check(level, f"it says {run.stdout[-400:]} {run.stderr}")
    check(float(level.group(1)) <= 1.5, f"the exposure level is {level.group(1)}, should be at most 1.5")


@suite.fact
def the_settings_file_of_the_unit_is_accepted():
    """The settings file of the service, also with its comments uncommented."""
    shipped = (ROOT / "docker/contactd.conf").read_text()
    for text in (shipped, re.sub(r"^# (?=[a-z-]+ = )", "", shipped, flags=re.M)):
        path = pathlib.Path(folder.name) / "contactd.conf"
        path.write_text(text)
        run = subprocess.run([str(binary()), "--config", str(path), "--print-config"], capture_output=True, text=True, timeout=60 * SLOWER,
                             check=False, env=clean_environment())
        equal((run.returncode, run.stderr), (0, ""), "exit status and standard error")
    start = re.search(r"^ExecStart=\S+ (.*)$", (ROOT / "docker/contactd.service").read_text(), re.M)
    equal(start.group(1), "--config /etc/contactd.conf", "options of the service")
    state = re.search(r"^StateDirectory=(\S+)$", (ROOT / "docker/contactd.service").read_text(), re.M)
    check(f"data = /var/lib/{state.group(1)}\n" in shipped, "the service's folder is not the one that is named")


suite.main()
