"""Posted shapes whose record in the store is damaged: they are missing until they are posted again, and then survive
restarts. Also scenes that no longer name a deleted shape, and a shape that is deleted and posted again."""
import pathlib
import time

from support.checks import Suite, check, equal
from support.lives import Lives
from support.redis import Redis
from support.stopwatch import Stopwatch, wait_until

suite = Suite()
OBJ = "model/obj"
TETRA = b"v 0.5 0 0\nv 1.23456 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def post(client, unit="m"):
    return client.post(f"/v1/shapes?unit={unit}", TETRA, content_type=OBJ)


def naming(shape):
    return {"bodies": [{"id": "b", "colliders": [{"shape": shape}]}]}


def damage(folder, mark, count):
    """Flips a bit of each upload in the store's files."""
    found = 0
    for path in pathlib.Path(folder).glob("contactd.db*"):
        data = bytearray(path.read_bytes())
        at = data.find(mark)
        while at >= 0:
            data[at + 2] ^= 1
            found += 1
            at = data.find(mark, at + 1)
        path.write_bytes(data)
    check(found >= count, f"the store holds {found} uploads, {count} were posted")


def status_of(client, name, expected):
    """Waits while the scene is being loaded."""
    watch = Stopwatch()
    while not watch.hangs():
        entry = next(s for s in client.get("/v1/scenes").must(200).json["scenes"] if s["id"] == name)
        if entry.get("status") == expected:
            return
        time.sleep(0.01)
    equal(entry.get("status"), expected, f"status of {name}")


def corrupt_shapes(client):
    count = client.get("/readyz").must(200).json["shapes"]["corrupt"]
    check(f"\ncontactd_shapes_corrupt {count}\n" in client.get("/metrics").must(200).text, "/metrics tells another number")
    return count


@suite.fact
def a_damaged_shape_posted_again_survives_restarts():
    """F7: the shape is on the disk once it is acknowledged, and scenes that lacked it are as before, also after a
    restart."""
    lives = Lives(suite)
    shape = post(lives.client).must(201).json["id"]
    lives.client.put("/v1/scenes/named", naming(shape)).must(201)
    lives.client.put("/v1/scenes/plain", {"bodies": []}).must(201)
    scene, report = (lives.client.get(path).must(200).body for path in ("/v1/scenes/named", f"/v1/shapes/{shape}"))
    lives.down()
    damage(lives.folder, b"1.23456", 1)
    lives.start()
    lives.wait_ready(loaded=True)
    lives.client.get(f"/v1/shapes/{shape}").problem(404, "shape-not-found")
    lives.client.get("/v1/scenes/named").problem(500, "corrupt")
    equal(corrupt_shapes(lives.client), 1, "shapes that cannot be read")
    equal(post(lives.client).must(201).json["durability"], "disk", "durability")
    status_of(lives.client, "named", None)
    equal(corrupt_shapes(lives.client), 0, "shapes that cannot be read when it is posted again")
    for life in range(3):
        equal(lives.client.get("/v1/scenes/named").must(200).body, scene, f"scene in life {life}")
        equal(lives.client.get(f"/v1/shapes/{shape}").must(200).body, report, f"shape in life {life}")
        lives.client.put(f"/v1/scenes/more{life}", naming(shape)).must(201)
        report = lives.client.get(f"/v1/shapes/{shape}").must(200).body
        lives.again("KILL")
        equal(lives.wait_ready(loaded=True)["scenes"]["corrupt"], 0, "scenes that cannot be read")
        equal(corrupt_shapes(lives.client), 0, f"shapes that cannot be read in life {life + 1}")
    lives.client.delete(f"/v1/shapes/{shape}").problem(409, "shape-in-use")
    lives.down()


@suite.fact
def a_damaged_shape_is_deleted_unless_a_scene_names_it():
    """A scene that cannot be read because of the shape still names it."""
    lives = Lives(suite)
    named, free = (post(lives.client, unit).must(201).json["id"] for unit in ("m", "mm"))
    lives.client.put("/v1/scenes/named", naming(named)).must(201)
    lives.down()
    damage(lives.folder, b"1.23456", 2)
    lives.start()
    lives.wait_ready(loaded=True)
    equal(lives.client.get("/v1/shapes").must(200).json["total"], 0, "shapes that can be read")
    lives.client.delete(f"/v1/shapes/{named}").problem(409, "shape-in-use")
    equal(corrupt_shapes(lives.client), 2, "shapes that cannot be read")
    equal(lives.client.delete(f"/v1/shapes/{free}").must(200).json, {"id": free, "durability": "disk"}, "reply")
    equal(corrupt_shapes(lives.client), 1, "shapes that cannot be read when one has gone")
    lives.client.delete(f"/v1/shapes/{free}").problem(404, "shape-not-found")
    lives.client.delete("/v1/shapes/s-none").problem(404, "shape-not-found")
    lives.client.delete("/v1/scenes/named").must(200)
    lives.client.delete(f"/v1/shapes/{named}").must(200)
    equal(post(lives.client, "cm").must(201).json["durability"], "disk", "durability of another")
    equal(corrupt_shapes(lives.client), 0, "shapes that cannot be read when both have gone")
    lives.again("KILL")
    check("shapeCorrupt" not in lives.daemon.log_text(), "a shape that was deleted is read again")
    equal(post(lives.client, "mm").must(201).json["id"], free, "id of the same bytes")
    lives.again("KILL")
    lives.client.get(f"/v1/shapes/{free}").must(200)
    lives.down()


@suite.fact
def a_shape_damaged_in_redis_is_posted_again_for_all_daemons():
    redis = Redis(suite)
    shape = post(writer := redis.daemon().client).must(201).json["id"]
    free = post(writer, "mm").must(201).json["id"]
    writer.put("/v1/scenes/named", naming(shape)).must(201)
    scene = writer.get("/v1/scenes/named").must(200).body
    for i in (shape, free):
        redis.say("eval", "local v = redis.call('LINDEX', KEYS[1], -1) redis.call('LSET', KEYS[1], -1, v:sub(1, -2) .. '?')", "1",
                  f"contactd:parts:shapes:{i}")
    a, b = (node.client for node in redis.daemons(2))
    for client in (a, b):
        client.get(f"/v1/shapes/{shape}").problem(404, "shape-not-found")
        client.get("/v1/scenes/named").problem(500, "corrupt")
        equal(corrupt_shapes(client), 2, "shapes that cannot be read")
    a.delete(f"/v1/shapes/{shape}").problem(409, "shape-in-use")
    a.delete(f"/v1/shapes/{free}").must(200)
    b.delete(f"/v1/shapes/{free}").problem(404, "shape-not-found")
    post(a).must(201)
    for client in (a, b, redis.daemon().client):
        equal(client.get("/v1/scenes/named").must(200).body, scene, "scene")
        client.get(f"/v1/shapes/{shape}").must(200)
        equal(corrupt_shapes(client), 0, "shapes that cannot be read, when it is posted again")


BALL = [{"sphere": {"radius": 1}}]
# Body that each method sends for body b; afterwards no body names the shape.
LAST_NAMES = {"DELETE": None, "PUT": {"colliders": BALL}, "PATCH": {"colliders": BALL}}


def scenes_that_named(client, shape):
    """Texts of scenes that no longer name the shape, by the method that removed the name. Other bodies, older and
    newer, are written as well."""
    texts = {}
    for method, body in LAST_NAMES.items():
        scene = f"/v1/scenes/{method}"
        client.put(scene, {"bodies": [{"id": "a", "colliders": BALL}]}).must(201)
        client.put(f"{scene}/bodies/b", naming(shape)["bodies"][0]).must(201)
        client.put(f"{scene}/bodies/c", naming(shape)["bodies"][0] | {"id": "c"}).must(201)
        client.delete(f"{scene}/bodies/c").must(200)
        client.request(method, f"{scene}/bodies/b", body).must(200)
        client.patch(f"{scene}/bodies/a", {"position": [1, 2, 3]}).must(200)
        texts[method] = client.get(scene).must(200).body
    return texts


@suite.fact
def a_scene_that_no_longer_names_a_deleted_shape_is_loaded():
    lives = Lives(suite)
    shape = post(lives.client).must(201).json["id"]
    texts = scenes_that_named(lives.client, shape)
    lives.client.delete(f"/v1/shapes/{shape}").must(200)
    lives.again("KILL")
    for method, text in texts.items():
        equal(lives.client.get(f"/v1/scenes/{method}").must(200).body, text, f"scene after {method}")
    lives.down()


@suite.fact
def a_scene_that_no_longer_names_a_deleted_shape_is_loaded_by_all_daemons():
    a, b = (node.client for node in Redis(suite).daemons(2))
    shape = post(a).must(201).json["id"]
    texts = scenes_that_named(a, shape)
    a.delete(f"/v1/shapes/{shape}").must(200)
    for method, text in texts.items():
        equal(b.get(f"/v1/scenes/{method}").must(200).body, text, f"scene after {method}")


@suite.fact
def a_shape_deleted_and_posted_again_has_its_whole_time():
    lives = Lives(suite, "--shape-seconds", "1")
    shape = post(lives.client).must(201).json["id"]
    time.sleep(0.8)  # close to its expiry
    lives.client.request("DELETE", f"/v1/shapes/{shape}")
    watch = Stopwatch()
    post(lives.client).must(201)
    wait_until(lambda: lives.client.get("/v1/shapes").must(200).json["total"] == 0, "the shape is there")
    check(watch.read().lasted(1), f"the shape expired {watch.read()} after it was posted")
    lives.down()


suite.main()
