"""A store of each format that was ever written: this version opens it and answers like a daemon that gets the same
calls now.
tests/fixtures/store has, for each format, the file as the last version with that format left it (gzip) and the calls
that made it. format-1-records-2 and format-1-records-3 are files of format 1 with records of format 2 and 3; the
latter has soft bodies that moved. format-1-elementmesh has records of format 3 with elements of all types.
Stores of older formats never change. CONTACTD_MAKE_STORE=1 tests/http/durable_formats.py writes the newest."""
import gzip
import json
import os
import pathlib
import sqlite3
import tempfile

from support.checks import Suite, check, equal
from support.client import KeepAlive
from support.daemon import Daemon
from support.lives import Lives

suite = Suite()
STORES = pathlib.Path(__file__).parent.parent / "fixtures" / "store"
SHAPE = "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
POSES = {"ids": ["a", "b"], "positions": [[0, 0, 0.4], [3, 0, 0.7]]}
# Bodies with every member that a record may have: shapes of each kind, posted ones, texts as they were spelled,
# materials, motion, contact states.
CALLS = [
    ["POST", "/v1/shapes?unit=mm", SHAPE, "model/obj"],
    ["POST", "/v1/shapes", {"convex": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}}, "application/json"],
    ["PUT", "/v1/scenes/rich", {"user": {"text": "1.50 \u00e9"}, "materials": {"default": {"staticFriction": 0.5}}, "bodies": [
        {"id": "floor", "colliders": [{"plane": {}}]},
        {"id": "a", "position": [0, 0, 0.6], "motion": {"mass": 1, "linearVelocity": [0.1, 0, 0]},
         "colliders": [{"sphere": {"radius": 0.5}}]},
        {"id": "b", "position": [3, 0, 1], "motion": {"mass": 2}, "colliders": [{"box": {"size": [1, 1, 1]}, "margin": 0.01}]},
        {"id": "c", "position": [9, 0, 5], "colliders": [{"capsule": {"radius": 0.1, "height": 1}}]},
        {"id": "d", "position": [20, 0, 5], "colliders": [{"shape": "{0}", "scale": 2}, {"shape": "{1}"}]}]}, "application/json"],
    ["PATCH", "/v1/scenes/rich/poses", POSES, "application/json"],
    ["POST", "/v1/scenes/rich/contactStates/s", {"time": 1, "poses": POSES}, "application/json"],
    ["PATCH", "/v1/scenes/rich", {"materials": {"ice": {"staticFriction": 0.05}}}, "application/json"],
    ["DELETE", "/v1/scenes/rich/bodies/c", None, "application/json"],
    ["PUT", "/v1/scenes/rich/filters", {"pairs": [{"a": "a", "b": "b", "collide": False}]}, "application/json"],
    ["PUT", "/v1/scenes/gone", {"bodies": []}, "application/json"],
    ["DELETE", "/v1/scenes/gone", None, "application/json"],
    ["PUT", "/v1/scenes/empty", {"bodies": []}, "application/json"],
    ["PUT", "/v1/scenes/large", {"bodies": [{"id": f"b{i}", "position": [2 * i, 0, 0], "user": "u" * 60, "colliders": [
        {"sphere": {"radius": 0.5}}]} for i in range(60)]}, "application/json"],
]
LOOKS = ("/v1/scenes", "/v1/scenes/rich", "/v1/scenes/rich/contactStates/s", "/v1/scenes/rich/filters", "/v1/scenes/empty",
         "/v1/scenes/large", "/v1/shapes", "/v1/shapes/{0}", "/v1/shapes/{1}")


SOFT_LOOKS = ("distance", "contacts", "volume", "massProperties")  # of the scene soft, which stores of records 3 and later have


def tell(client, calls):
    """Makes the calls; returns the shapes' ids."""
    shapes = []
    for method, path, body, kind in calls:
        text = body if isinstance(body, str) or body is None else json.dumps(body)
        for i, shape in enumerate(shapes):
            text = text and text.replace(f"{{{i}}}", shape)
        reply = client.request(method, path, text and text.encode(), content_type=kind)
        check(reply.status in (200, 201), f"{method} {path}: {reply.status} {reply.text}")
        if path.startswith("/v1/shapes"):
            shapes.append(reply.json["id"])
    return shapes


def looks(client, shapes):
    paths = [path.replace("{0}", shapes[0]).replace("{1}", shapes[1]) for path in LOOKS]
    replies = [client.get(path).must(200) for path in paths] + [client.post("/v1/scenes/rich/query/distance", {}).must(200)]
    if client.get("/v1/scenes/soft").status == 200:
        replies += [client.get("/v1/scenes/soft").must(200)] + [client.post(f"/v1/scenes/soft/query/{kind}", {}).must(200) for kind in SOFT_LOOKS]
    return [(reply.etag, reply.text) for reply in replies]


def make():
    lives = Lives(suite)
    tell(lives.client, CALLS)
    lives.down()
    path = pathlib.Path(lives.folder) / "contactd.db"
    with sqlite3.connect(path) as db:
        number = db.execute("PRAGMA user_version").fetchone()[0]
    STORES.mkdir(exist_ok=True)
    (STORES / f"format-{number}.db.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    (STORES / f"format-{number}.json").write_text(json.dumps(CALLS, indent=1) + "\n")


@suite.fact
def a_store_of_each_format_answers_as_it_did():
    formats = sorted(STORES.glob("format-*.json"))
    check(formats, "there is no store")
    for path in formats:
        calls = json.loads(path.read_text())
        lives = Lives(suite)
        lives.down()
        folder = pathlib.Path(lives.folder)
        (folder / "contactd.lock").unlink()
        (folder / "contactd.db").write_bytes(gzip.decompress(path.with_suffix(".db.gz").read_bytes()))
        lives.start()
        with Daemon() as other:
            twin = KeepAlive(other)
            shapes = tell(twin, calls)
            lives.wait_ready(loaded=True)
            equal(looks(lives.client, shapes), looks(twin, shapes), f"answers of {path.stem}")
            for client in (twin, lives.client):
                client.put("/v1/scenes/new", {"bodies": []}).must(201)
                client.patch("/v1/scenes/rich/poses", POSES).must(200)
            for kill in (False, True):
                if kill:
                    lives.again("KILL")
                    lives.wait_ready(loaded=True)
                equal(looks(lives.client, shapes), looks(twin, shapes), f"answers after writes to {path.stem}")
            twin.close()
        lives.down()


@suite.fact
def the_newest_format_has_its_store():
    """A change of the format must add a store, so that later versions still read it."""
    with tempfile.TemporaryDirectory() as folder:
        with Daemon("--data", folder, durability="disk"):
            pass
        with sqlite3.connect(pathlib.Path(folder) / "contactd.db") as db:
            number = db.execute("PRAGMA user_version").fetchone()[0]
    for i in range(1, number + 1):
        check((STORES / f"format-{i}.db.gz").is_file(), f"there is no store of format {i}")


if os.environ.get("CONTACTD_MAKE_STORE"):
    make()
suite.main()
