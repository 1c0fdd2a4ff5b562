"""Checkpoints of an advance with several daemons and one Redis: each is a write that all daemons have."""
import threading

from support.checks import Suite, check, equal
from support.events import Stream
from support.pace import SLOWER
from support.redis import Redis

suite = Suite()


def bouncing(count):
    """Balls that bounce for minutes."""
    balls = [{"id": f"b{i}", "position": [2 * i, 0, 0.6 + 0.05 * i], "motion": {"mass": 1}, "colliders": [{"sphere": {"radius": 0.5}}]}
             for i in range(count)]
    return {"bodies": [{"id": "floor", "colliders": [{"plane": {}}]}, *balls], "materials": {"default": {"restitution": 0.95}}}


@suite.fact
def checkpoints_and_their_contacts_are_at_every_daemon():
    """Each checkpoint of an advance is a write of the store. A stream at the other daemon has its contacts."""
    a, b = Redis(suite).daemons(2)
    a.client.put("/v1/scenes/s", bouncing(4)).must(201)
    a.client.post("/v1/scenes/s/contactStates/drops").must(201)
    with Stream(b, "s", contact_state="drops") as there:
        there.next("revision")
        members = {"duration": 1, "checkpointEvery": 0.125, "contactState": "drops", "include": ["events"]}
        reply = a.client.post("/v1/scenes/s/advance", members).must(200).json
        revision, events, revisions = 0, [], 0
        while revision < reply["revision"] or len(events) < len(reply["eventList"]):
            event = there.next("revision", "began", "ended")
            revision = event.data["revision"]
            if event.name == "revision":
                revisions += 1
            else:
                events.append((event.name, event.data["contact"]["pair"], event.data["time"]))
    equal((reply["checkpoints"], revisions), (7, 8), "checkpoints")
    equal(events, [(e["event"], e["pair"], e["time"]) for e in reply["eventList"]], "events")
    states = [each.client.get("/v1/scenes/s/contactStates/drops").must(200).json["contacts"] for each in (a, b)]
    equal(states[0], states[1], "contacts")
    equal(b.client.get("/v1/scenes/s").must(200).json["time"], 1, "time")


@suite.fact
def a_write_at_another_daemon_ends_an_advance_and_keeps_its_checkpoints():
    a, b = Redis(suite).daemons(2)
    a.client.put("/v1/scenes/s", bouncing(40)).must(201)
    replies = []
    # The next checkpoint is so far away that the write is not refused as outdated time after time.
    members = {"duration": 1e4, "checkpointEvery": 2, "deadlineMs": 30000 * SLOWER}
    thread = threading.Thread(target=lambda: replies.append(a.client.post("/v1/scenes/s/advance", members)))
    with Stream(b, "s") as there:
        there.next("revision")
        thread.start()
        there.next("revision")
        written = b.client.patch("/v1/scenes/s/poses", {"ids": ["b0"], "positions": [[0, 0, 7]]}).must(200).json["revision"]
    thread.join()
    replies[0].problem(409, "scene-moved")
    for each in (a, b):
        scene = each.client.get("/v1/scenes/s").must(200)
        equal((int(scene.etag.strip('"r')), scene.json["bodies"][1]["position"]), (written, [0, 0, 7]), "revision and pose")
        check(scene.json["time"] > 0, "time of the last checkpoint")


suite.main()
