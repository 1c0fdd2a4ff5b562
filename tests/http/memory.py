"""--scene-memory and shapesBytes against the kernel's figures: the resident memory of the daemon while scenes are
loaded and evicted, and the default limits."""
import concurrent.futures
import json
import math
import pathlib
import re
import subprocess
import tempfile
import time

from support.checks import Skip, Suite, check, equal
from support.client import Curl
from support.daemon import SANITIZER, Daemon, binary, clean_environment
from support.lives import Lives
from support.machine_memory import least_memory
from support.metrics import Metrics
from support.stopwatch import Stopwatch

suite = Suite()
MIB = 1 << 20
BOUND = 48 * MIB
# Relative to the limit: heads of blocks and memory that heaps cannot return (docker/README.md, Memory); the store's
# cache is added.
FACTOR, STORE = 1.25, 20 * MIB
# For scenes that name posted shapes: a hundred bodies name one of about 4 MiB.
OWN = 12 * MIB


def resident(pid):
    """VmRSS and its peak (VmHWM), in bytes."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        text = status.read()
    return [1024 * int(re.search(rf"^{name}:\s+(\d+) kB$", text, re.MULTILINE)[1]) for name in ("VmRSS", "VmHWM")]


def points(count, stretch):
    zs = [1 - (2 * k + 1) / count for k in range(count)]
    return [[math.cos(2.4 * k) * math.sqrt(1 - z * z), math.sin(2.4 * k) * math.sqrt(1 - z * z), z * stretch] for k, z in enumerate(zs)]


def surface(side):
    """Vertices and triangles of a curved sheet."""
    corners = [[i / side, j / side, round(0.1 * math.sin(9 * i / side), 6)] for i in range(side) for j in range(side)]
    triangles = []
    for i in range(side - 1):
        for j in range(side - 1):
            at = i * side + j
            triangles += [[at, at + 1, at + side], [at + 1, at + side + 1, at + side]]
    return corners, triangles


def boxes():
    return [{"id": f"b{k}", "position": [3 * k, 0, 0], "motion": {"mass": 1}, "colliders": [{"box": {"size": [1, 1, 1]}}]}
            for k in range(20000)]


def hulls():
    return [{"id": f"h{k}", "position": [3 * k, 0, 0], "colliders": [{"convex": {"vertices": points(500, 1 + 0.01 * k)}}]}
            for k in range(100)]


def meshes():
    corners, triangles = surface(150)
    return [{"id": "m", "colliders": [{"mesh": {"vertices": corners, "triangles": triangles}}]}]


def settles(daemon, empty, most, what):
    """Waits until freed memory is returned, which takes about a second."""
    watch = Stopwatch()
    while (now := resident(daemon.pid))[0] - empty > most and not watch.hangs():
        time.sleep(0.05)
    print(f"{what}: {(now[0] - empty) / MIB:.0f} MiB above an empty daemon's {empty / MIB:.0f}, {now[1] / MIB:.0f} at most")
    check(now[0] - empty <= most, f"{what} take {(now[0] - empty) / MIB:.0f} MiB, more than {most / MIB:.0f}")


def loaded_scenes_stay_within_scene_memory(kind, bodies, count):
    def fact():
        lives = Lives(suite, "--workers", "2", "--log", "off", "--scene-memory", str(BOUND))
        empty = resident(lives.daemon.pid)[0]
        document = json.dumps({"bodies": bodies()})
        for i in range(count):
            lives.client.put(f"/v1/scenes/s{i:02}", document, check=False).must(201)
            lives.client.post(f"/v1/scenes/s{i:02}/query/pairs", {"limit": 1}, check=False).must(200)
        loaded = Metrics(lives.client.get("/metrics").text)["contactd_scenes_loaded"]
        check(1 < loaded < count, f"{loaded} of {count} scenes are in memory: the bound is not reached, or nothing has room")
        settles(lives.daemon, empty, FACTOR * BOUND + STORE, f"{kind} that were put")
        lives.again("KILL")
        for i in range(count):
            lives.client.get(f"/v1/scenes/s{i:02}/poses", check=False).must(200)
        settles(lives.daemon, empty, FACTOR * BOUND + STORE, f"{kind} that were loaded")
        lives.down()

    fact.__name__ = f"{kind}_keep_the_bound"
    return fact


def concurrent_writes_do_not_accumulate_memory():
    """Request and revision memory is freed as fast as eight clients put scenes of 1 MB: the peak does not grow with
    their number."""
    lives = Lives(suite, "--workers", "2", "--log", "off", "--scene-memory", str(BOUND), "--limit", "deadlineMs=60000")
    document = json.dumps({"bodies": boxes()[:8000]})

    def put(k):
        client = Curl(lives.daemon)
        for i in range(8):
            client.put(f"/v1/scenes/s{k}-{i}", document, check=False).must(201)

    with concurrent.futures.ThreadPoolExecutor(8) as clients:
        list(clients.map(put, range(8)))
    most = resident(lives.daemon.pid)[1]
    print(f"at most {most / MIB:.0f} MiB")
    check(most <= 400 * MIB, f"the daemon had {most / MIB:.0f} MiB")
    lives.down()


def memory_of_one_large_request_is_returned():
    """The JSON values of one PUT take about 28 times the 2.4 MB of its text."""
    lives = Lives(suite, "--workers", "2", "--log", "off")
    empty = resident(lives.daemon.pid)[0]
    lives.client.put("/v1/scenes/s", json.dumps({"bodies": boxes()}), check=False).must(201)
    scenes = Metrics(lives.client.get("/metrics").text)["contactd_scenes_bytes"]
    check(5 * MIB < scenes < 20 * MIB, f"contactd_scenes_bytes is {scenes}")
    settles(lives.daemon, empty, FACTOR * scenes + STORE, "the bodies of one PUT")
    lives.down()


if not SANITIZER:  # sanitizers retain freed memory
    suite.fact(memory_of_one_large_request_is_returned)
    suite.fact(concurrent_writes_do_not_accumulate_memory)
    for case in (("boxes", boxes, 12), ("hulls", hulls, 10), ("meshes", meshes, 20)):
        suite.fact(loaded_scenes_stay_within_scene_memory(*case))


def obj(side, mark):
    corners, triangles = surface(side)
    lines = [f"# {mark}"] + [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in triangles]
    return ("\n".join(lines) + "\n").encode()


@suite.fact
def posted_shapes_count_once_and_not_with_the_scenes_that_name_them():
    """Scenes that each name a mesh a hundred times have room, although a tenth of the copies would not."""
    lives = Lives(suite, "--workers", "2", "--log", "off", "--scene-memory", str(OWN), "--limit", f"shapesBytes={BOUND}")
    empty = resident(lives.daemon.pid)[0]
    shapes = []
    while (reply := lives.client.post("/v1/shapes?unit=m", obj(150, len(shapes)), content_type="model/obj", check=False)).status == 201:
        shapes.append(reply.json["id"])
    reply.problem(422, "limit-exceeded")
    check(5 < len(shapes) < 40, f"{len(shapes)} shapes had room")
    scenes = min(len(shapes), 10)
    for i in range(scenes):
        bodies = [{"id": f"b{k}", "colliders": [{"shape": shapes[i]}]} for k in range(100)]
        lives.client.put(f"/v1/scenes/s{i}", {"bodies": bodies}).must(201)
    for unused in range(2):
        equal(lives.client.get("/readyz").json["scenes"], {"loaded": scenes, "stored": 0, "corrupt": 0}, "scenes")
        lives.again("KILL")
        lives.wait_ready(loaded=True)
    # A changed body still shares the shape that it names; the scaled copy belongs to the scene, once.
    lives.client.patch("/v1/scenes/s0/bodies/b0", {"groups": ["g"]}).must(200)
    equal(lives.client.get("/readyz").json["scenes"]["loaded"], scenes, "scenes with a body changed")
    scaled = [{"id": f"b{k}", "colliders": [{"shape": shapes[0], "scale": 2}]} for k in range(100)]
    lives.client.put("/v1/scenes/scaled", {"bodies": scaled}).must(201)
    equal(lives.client.get("/readyz").json["scenes"]["loaded"], scenes + 1, "scenes with one that has a scaled copy")
    if not SANITIZER:
        settles(lives.daemon, empty, FACTOR * (BOUND + OWN) + STORE, "posted meshes")
    lives.down()


def settings(*options, before=()):
    """Value and comment of each number of --print-config."""
    out = subprocess.run([*before, str(binary()), *options, "--print-config"], capture_output=True, text=True, check=True,
                         env=clean_environment())
    found = re.findall(r"^(?:limit = )?([\w-]+) ?= ?(\d+) +# (.*)$", out.stdout, re.MULTILINE)
    return {name: (int(value), note) for name, value, note in found}


@suite.fact
def the_default_limits_are_a_quarter_of_the_memory():
    quarter = least_memory() // 4
    told = settings()
    equal(told["scene-memory"], (quarter, "default"), "scene-memory")
    equal(told["shapesBytes"], (min(quarter, 4 << 30), "default"), "shapesBytes")
    with Daemon("--log", "off") as daemon:
        equal(Curl(daemon).get("/v1/limits").json["limits"]["shapesBytes"]["value"], min(quarter, 4 << 30), "shapesBytes in /v1/limits")
    # Values that are set are taken as they are, beyond the memory of the machine, too.
    told = settings("--scene-memory", str(1 << 45), "--limit", f"shapesBytes={1 << 40}")
    equal([told[name] for name in ("scene-memory", "shapesBytes")], [(1 << 45, "flag"), (1 << 40, "flag")], "what is set")


@suite.fact
def the_default_limits_follow_the_control_group():
    """A mount namespace replaces the machine's cgroup files by those of a container of 256 MiB."""
    with tempfile.TemporaryDirectory(prefix="contactd-") as folder:
        groups = pathlib.Path(folder)
        (groups / "memory").mkdir()
        (groups / "memory.max").write_text(f"{256 * MIB}\n", encoding="ascii")
        (groups / "memory" / "memory.limit_in_bytes").write_text(f"{256 * MIB}\n", encoding="ascii")
        before = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /sys/fs/cgroup && exec "$@"', folder]
        if subprocess.run([*before, "true"], capture_output=True, check=False).returncode != 0:
            raise Skip("no name space of mounts may be made here")
        told = settings(before=before)
        equal([told[name] for name in ("scene-memory", "shapesBytes")], [(64 * MIB, "default")] * 2, "bounds")
        equal(told["requestMemoryBytes"][0], 64 * MIB, "requestMemoryBytes")
        told = settings("--limit", f"shapesBytes={100 * MIB}", before=before)
        equal(told["shapesBytes"], (100 * MIB, "flag"), "shapesBytes that is set")


suite.main()
