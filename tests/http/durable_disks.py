"""The whole daemon on file systems of its own that fill up or become read-only, and with selected system calls that
fail or are interrupted (strace). Acknowledged writes are there afterwards, refused ones are not.
Where the machine does not allow mounts or tracing, a limit on the file size (RLIMIT_FSIZE) replaces them.
tests/store/test_store_faults.c has the same faults below the store's own calls, on every machine. CONTACTD_FULL=1
fails each call in turn, otherwise a selection."""
import functools
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile

from support.checks import Skip, Suite, check, equal
from support.client import KeepAlive
from support.daemon import SANITIZER, Daemon, binary, clean_environment
from support.lives import Lives

suite = Suite()
FULL = bool(os.environ.get("CONTACTD_FULL"))
NAMES = [f"s{i}" for i in range(4)]


def ball(name, **rest):
    return {"id": name, "position": [0, 0, 0], "colliders": [{"sphere": {"radius": 0.5}}], **rest}


# ---- what is acknowledged -----------------------------------------------------------------------------------------------------------


class Ledger:
    """Writes to a few scenes in turn, each with the next number as its scene's `user`, and records which were
    acknowledged."""

    def __init__(self, lives):
        self.lives, self.values, self.count, self.refused = lives, {}, 0, []

    def write(self, problems=(), bodies=0):
        """Sends one write, with `bodies` to a new scene of that many bodies of 3 KiB. Returns True if it was
        acknowledged; otherwise its problem must be one of `allowed`."""
        self.count += 1
        name, user = NAMES[self.count % len(NAMES)] if not bodies else f"large{self.count}", self.count
        if name in self.values:
            reply = self.lives.client.patch(f"/v1/scenes/{name}", {"user": user})
        else:
            document = {"bodies": [ball(f"b{i}", user="x" * 3000) for i in range(bodies)], "user": user}
            reply = self.lives.client.put(f"/v1/scenes/{name}", document)
        if reply.status in (200, 201):
            self.values[name] = user
            return True
        problem = reply.json["type"].rpartition("/")[2]
        check((reply.status, problem) in problems, f"write {self.count}: {reply.status} {reply.text}")
        self.refused.append(problem)
        return False

    def look(self):
        """Checks that the scenes read are the acknowledged ones."""
        listed = {scene["id"]: scene["bodies"] for scene in self.lives.client.get("/v1/scenes").must(200).json["scenes"]}
        equal(set(listed), set(self.values), "scenes")
        for name, user in self.values.items():
            if name in NAMES:
                equal(self.lives.client.get(f"/v1/scenes/{name}").must(200).json["user"], user, f"what {name} was told last")
                self.lives.client.post(f"/v1/scenes/{name}/query/overlap", {}).must(200)
            else:
                last = self.lives.client.get(f"/v1/scenes/{name}/bodies/b{listed[name] - 1}").must(200).json
                equal(last["user"], "x" * 3000, f"the last body of {name}")


FULL_DISK, FAILED = (507, "storage-full"), (503, "storage-failed")


# ---- machines without mounts or tracing ------------------------------------------------------------------------------------------------


class Impossible(Exception):
    """The machine does not allow the test's means: mounts, or tracing."""


def instead(fact):
    """Decorates a fact that may raise Impossible: it then runs with a limit on the size of the daemon's file."""
    @functools.wraps(fact)
    def tried():
        try:
            fact()
        except Impossible as why:
            print(f"{fact.__name__}: {why}: the limit of a file's size stands for it")
            lives = Lives(suite)
            limit = functools.partial(resource.prlimit, lives.daemon.pid, resource.RLIMIT_FSIZE)
            limit((2 << 20, resource.RLIM_INFINITY))
            ledger = fills_and_recovers(lives, lambda: limit((resource.RLIM_INFINITY, resource.RLIM_INFINITY)))
            lives.again("KILL")
            ledger.look()
            lives.down()
    return tried


# ---- file systems -------------------------------------------------------------------------------------------------------------------


def in_its_own_mounts(script, *words):
    """Command prefix that runs a command in a mount namespace of its own, after the script; $1, $2 ... of the script
    are `words`."""
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    if not shutil.which("unshare"):
        raise Impossible("there is no unshare")
    here = ["unshare", *user, "--mount", "sh", "-ec", f'{script}; shift {len(words)}; exec "$@"', "sh", *map(str, words)]
    run = subprocess.run([*here, "true"], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise Impossible(f"nothing can be mounted: {run.stderr.strip()[:200]}")
    return here


class Mounted(Lives):
    """A store on a file system of its own, which only the daemon sees."""

    def __init__(self, script, *words):
        self.before = ()
        super().__init__(suite)
        self.down()
        self.before = in_its_own_mounts(script, self.folder, *words)
        self.start()

    def start(self, **rest):
        return super().start(before=self.before, **rest)

    def inside(self, name=""):
        return pathlib.Path(f"/proc/{self.daemon.pid}/root{self.folder}") / name

    def device(self):
        for line in (pathlib.Path("/proc") / str(self.daemon.pid) / "mounts").read_text().splitlines():
            if line.split()[1] == self.folder:
                return line.split()[0]
        return None


def fills_and_recovers(lives, make_room, bodies=20):
    ledger = Ledger(lives)
    for unused in range(400):
        if not ledger.write([FULL_DISK], bodies):
            break
    check(ledger.refused, "the disk never was full")
    ledger.look()
    equal(lives.client.get("/readyz").status, 200, "/readyz of one that can be read from")
    make_room()
    for unused in range(8):
        check(ledger.write(bodies=bodies), "there is room again, and no write is taken")
    ledger.look()
    return ledger


@suite.fact
@instead
def a_file_system_in_memory_fills_and_is_made_larger():
    """F3: tmpfs of 2 MiB."""
    if os.geteuid() != 0:
        raise Impossible("only root enters the daemon's mounts")
    lives = Mounted("mount -t tmpfs -o size=2m none $1")
    enter = ["nsenter", "--target", str(lives.daemon.pid), "--mount"]
    fills_and_recovers(lives, lambda: subprocess.run([*enter, "mount", "-o", "remount,size=16m", lives.folder], check=True))
    lives.down()


def image():
    """A file with an empty ext4 of 16 MiB. Mounting it needs root."""
    if os.geteuid() != 0 or not shutil.which("mkfs.ext4"):
        raise Impossible("an ext4 can only be mounted by root, where e2fsprogs are installed")
    file = tempfile.NamedTemporaryFile(prefix="contactd-", suffix=".ext4", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    file.truncate(16 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", file.name], check=True)
    return file


@suite.fact
@instead
def an_ext4_fills_and_has_room_again():
    """F3: a loop-mounted ext4 of 16 MiB, filled mostly by a file of another program. The daemon is also killed while
    the disk is full."""
    with image() as file:
        lives = Mounted("mount -o loop $2 $1; fallocate -l 8M $1/filler 2> /dev/null || true", file.name)
        ledger = fills_and_recovers(lives, lambda: lives.inside("filler").unlink(), 120)
        while ledger.write([FULL_DISK], 120):
            pass
        lives.again("KILL")
        ledger.look()
        lives.down()


@suite.fact
@instead
def a_file_system_that_becomes_read_only_ends_writing():
    """F5: ext4 does so by itself on an error (errors=remount-ro); while a file is open for writing it cannot be
    remounted otherwise."""
    with image() as file:
        lives = Mounted("mount -o loop,errors=remount-ro $2 $1", file.name)
        ledger = Ledger(lives)
        for unused in range(8):
            check(ledger.write(), "a write was refused")
        trigger = pathlib.Path("/sys/fs/ext4") / pathlib.Path(lives.device()).name / "trigger_fs_error"
        if not trigger.exists():
            lives.down()
            raise Impossible("this kernel triggers no errors")
        trigger.write_text("1")
        for unused in range(4):
            check(not ledger.write([FAILED]), "a write was taken by a file system that is read-only")
        lives.client.get("/readyz").problem(503, "storage-failed")
        ledger.look()
        lives.down("KILL")
        lives.start()
        ledger.look()
        check(ledger.write(), "a write was refused after the start")
        lives.down()


def refused_at_start(folder, before=()):
    """The daemon ends at once, with status 2 and one sentence."""
    command = [*before, str(binary()), "--port", "0", "--durability", "disk", "--data", str(folder)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=clean_environment())
    equal((run.returncode, run.stdout, run.stderr.count("\n"), run.stderr[:10]), (2, "", 1, "contactd: "), f"end: {run.stderr}")


@suite.fact
@instead
def places_that_cannot_be_written_are_refused_at_start():
    """F5: a missing folder, a read-only file system with and without a store, a folder of another user."""
    with tempfile.TemporaryDirectory() as folder:
        refused_at_start(pathlib.Path(folder) / "none")
        before = in_its_own_mounts("mount --bind $1 $1; mount -o remount,bind,ro $1", folder)
        refused_at_start(folder, before)
        with Daemon("--data", folder, durability="disk") as daemon:
            KeepAlive(daemon).put("/v1/scenes/s", {"bodies": []}).must(201)
        refused_at_start(folder, before)
        if os.geteuid() == 0 and shutil.which("setpriv"):
            refused_at_start(folder, ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
        with Daemon("--data", folder, durability="disk") as daemon:
            KeepAlive(daemon).get("/v1/scenes/s").must(200)


# ---- selected calls fail -------------------------------------------------------------------------------------------------------------


def injected(what):
    """Command prefix under which strace makes the system calls of `what` fail. With -D the daemon stays the child of
    this process."""
    if SANITIZER:
        raise Skip("a sanitizer's report of leaks cannot be traced")
    if not shutil.which("strace"):
        raise Impossible("strace is not installed")
    calls = what.partition(":")[0]
    words = ["strace", "-D", "-f", "-qqq", "-o", "/dev/null", "-e", f"trace={calls}", "-e", f"inject={what}"]
    run = subprocess.run([*words, "true"], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise Impossible(f"nothing can be traced: {run.stderr.strip()[:200]}")
    return words


def live_with(what, allowed):
    """Runs the daemon while calls fail. Returns the number of refused writes, or None if the daemon refused to start
    with a message."""
    lives = Lives(suite)
    ledger = Ledger(lives)
    for unused in range(3):
        check(ledger.write(), "a write was refused by a sound disk")
    lives.down()
    run = lives.try_start(before=injected(what))
    if run is None:
        lives.wait_ready()
        failed = False
        for unused in range(10):
            good = ledger.write(allowed, 3)
            check(not (failed and good), "a write was taken after the device had failed")
            failed = failed or (not good and FAILED in allowed)
        if failed:
            lives.client.get("/readyz").problem(503, "storage-failed")
        ledger.look()
        log = lives.daemon
        lives.down()
        equal(log.log_text().count('"event":"storageFailed"'), int(failed), "lines in the log")
    else:
        equal((run.returncode, run.stdout, run.stderr[:10], run.stderr.count("\n")), (2, "", "contactd: ", 1), f"the refusal: {run.stderr}")
    lives.start()
    ledger.look()
    check(ledger.write(), "a write was refused after the start")
    lives.down()
    return None if run else len(ledger.refused)


def each_of(what, allowed, some):
    """Fails the k-th call for the given k; in full for k = 1, 2, ... until no write is refused."""
    seen = []
    for k in (range(1, 200) if FULL else some):
        seen.append(live_with(what.format(k), allowed))
        if FULL and seen[-3:] == [0, 0, 0]:
            break
    check(any(seen), f"no write was refused: {seen}")
    check(not FULL or seen[-1] == 0, f"it never ended: {seen}")


@suite.fact
@instead
def a_sync_that_fails_ends_writing():
    """F4: the k-th sync of any kind ends with EIO."""
    each_of("fsync,fdatasync,msync:error=EIO:when={}", [FAILED], (4,))


@suite.fact
@instead
def a_write_that_fails_ends_writing():
    """F4, F5: every write from the k-th on is refused, as by a file system that has become read-only."""
    each_of("pwrite64,fdatasync:error=EROFS:when={}+", [FAILED], (12,))


@suite.fact
@instead
def a_disk_that_is_full_for_a_while_takes_writes_again():
    """F3: the k-th write of a thread and those after it up to the sixtieth fail with ENOSPC."""
    each_of("pwrite64:error=ENOSPC:when={}..60", [FULL_DISK], (25,))


# ---- interrupted ----------------------------------------------------------------------------------------------------------------------


@suite.fact
def interrupted_and_partial_reads_and_writes_are_continued():
    """F6: a timer's signal every millisecond; of five reads and writes of files one ends with EINTR and one
    transfers half."""
    if SANITIZER:
        raise Skip("a sanitizer's library must be the first")
    lives = Lives(suite)
    lives.again(short=True)
    ledger = Ledger(lives)
    for unused in range(40):
        check(ledger.write(bodies=7), "a write was refused")
    ledger.look()
    lives.again("KILL", short=True)
    ledger.look()
    for unused in range(40):
        check(ledger.write(bodies=7), "a write was refused")
    lives.again("TERM")
    ledger.look()
    lives.down()


suite.main()
