"""100,000 bodies in one call: one revision, and no parsed tree of the whole text in memory. 10,000 poses in one call
while a query runs on the previous revision.
Peaks of memory are the kernel's; retained memory is counted on the heap."""
import threading

from support import scenes
from support.checks import Skip, Suite, check, equal
from support.client import NDJSON, KeepAlive, ndjson
from support.daemon import SANITIZER, Daemon
from support.pace import unchanging
from support.stopwatch import Stopwatch

COUNT = 20000 if SANITIZER else 100000
GROWTH_MAX = 4.0  # times the text
COPIED_MAX = 20e6  # bytes
HELD = 6  # revisions that cursors retain
QUERY_SECONDS = 3  # processor time of the query that a write overtakes
OVERLAP = {"limit": 1000000, "deadlineMs": 600000}
PATH = "/v1/scenes/bulk"

suite = Suite()
daemon = Daemon("--workers", "2", heap=not SANITIZER).start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)
bodies = scenes.many_bodies(COUNT)
text = ndjson(bodies).encode()
state = {}


def post():
    """The call, once: its reply and the growth of the peak."""
    if not state:
        state["empty"] = client.put(PATH, {"bodies": []}).must(201).json["revision"]
        before = daemon.status_bytes("VmRSS")
        daemon.reset_peak()
        state["reply"] = client.post(PATH + "/bodies", text, content_type=NDJSON)
        state["growth"] = (daemon.status_bytes("VmHWM") - before) / len(text)
    return state


@suite.fact
def lines_are_about_150_bytes():
    check(120 <= len(text) / COUNT <= 180, f"a line has {len(text) / COUNT:.0f} bytes")


@suite.fact
def the_call_makes_one_revision():
    reply = post()["reply"].must(201)
    equal(reply.json["revision"], state["empty"] + 1, "revision")
    equal(reply.json["count"], COUNT, "count")
    page = client.get(PATH + "/bodies?limit=2").must(200).json
    equal(page["total"], COUNT, "bodies")


@suite.fact
def the_peak_grows_by_at_most_four_times_the_text():
    if SANITIZER:
        raise Skip("memory is not the program's own under a sanitizer")
    growth = post()["growth"]
    print(f"peak growth: {growth:.2f} times the text of {len(text) / 1e6:.1f} MB")
    check(growth <= GROWTH_MAX, f"the peak grew by {growth:.2f} times the text")


def spheres_touch(a, b):
    reach = a["colliders"][0]["sphere"]["radius"] + b["colliders"][0]["sphere"]["radius"]
    return sum((x - y) ** 2 for x, y in zip(a["position"], b["position"])) <= reach * reach


@suite.fact
def all_pairs_find_every_pair_of_overlapping_balls():
    post()["reply"].must(201)
    reply = client.post(PATH + "/query/overlap", OVERLAP, check=False).must(200).json
    check(reply["complete"], "the answer is not complete")
    found = {(r["a"], r["b"]) for r in reply["results"]}
    equal(len(found), reply["count"], "distinct pairs")
    # Truth: balls by brute force over a grid of cells of 1 m; two that overlap are at most 0.9 m apart.
    cells = {}
    for body in bodies:
        if "sphere" in body["colliders"][0]:
            cells.setdefault(tuple(int(c // 1) for c in body["position"]), []).append(body)
    expected = set()
    for (x, y, z), here in cells.items():
        near = [b for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1) for b in cells.get((x + i, y + j, z + k), [])]
        expected |= {(a["id"], b["id"]) for a in here for b in near if a["id"] < b["id"] and spheres_touch(a, b)}
    balls = {b["id"] for b in bodies if "sphere" in b["colliders"][0]}
    check(len(expected) > COUNT // 1000, f"only {len(expected)} pairs of balls")
    equal({p for p in found if p[0] in balls and p[1] in balls}, expected, "pairs of balls")


@suite.fact
def ten_thousand_poses_are_written_while_a_query_runs_on_the_old_revision():
    post()["reply"].must(201)
    other = KeepAlive(daemon)
    # Many variants that change nothing: the query takes long enough to be overtaken by the write.
    still = {"ids": [bodies[0]["id"]], "positions": [bodies[0]["position"]]}
    start = daemon.processor_seconds()
    before = other.post(PATH + "/query/overlap", {**OVERLAP, "variants": [still] * 10}, check=False).must(200)
    ten = daemon.processor_seconds() - start
    question = {**OVERLAP, "variants": [still] * min(1000, max(20, int(10 * QUERY_SECONDS / ten)))}
    answer, ended = [], []

    def hold():
        answer.append(other.post(PATH + "/query/overlap", question, check=False))
        ended.append(watch.read())

    holder = threading.Thread(target=hold)
    watch = Stopwatch()
    holder.start()
    daemon.works(0.2)  # of QUERY_SECONDS: the query is running
    written = client.patch(PATH + "/poses", scenes.moved(bodies[::COUNT // 10000], 0.5)).must(200).json["revision"]
    done = watch.read()
    holder.join()
    check(done < ended[0], f"the write was answered after {done}, the query after {ended[0]}")
    equal(answer[0].must(200).json["revision"], written - 1, "revision of the query that was running")
    equal(answer[0].json["results"][:10], before.json["results"], "answer of the old revision")
    after = other.post(PATH + "/query/overlap", OVERLAP, check=False).must(200)
    check(after.json["results"] != before.json["results"][0]["results"], "the poses changed nothing")
    other.close()


@suite.fact
def ten_thousand_poses_copy_less_than_20_mb_of_a_retained_revision():
    if SANITIZER:
        raise Skip("memory is not the program's own under a sanitizer")
    post()["reply"].must(201)
    # A cursor retains each revision, so no memory is returned: the growth of the heap over several writes is what they
    # copied. The first write is left out, since caches of the queries grow with it.
    held = []
    for i in range(HELD + 1):
        page = client.post(PATH + "/query/overlap", {"limit": 1}).must(200).json
        check("nextCursor" in page, "no cursor holds the revision")
        client.patch(PATH + "/poses", scenes.moved(bodies[::COUNT // 10000], 0.1 * i)).must(200)
        held.append(unchanging(daemon.heap)[0])
    client.post(PATH + "/query/overlap", {"limit": 1, "cursor": page["nextCursor"]}).must(200)
    each = (held[-1] - held[0]) / HELD
    print(f"10,000 poses beside a revision that is held: {each / 1e6:.1f} MB more of heap")
    check(1e5 < each < COPIED_MAX, f"{each / 1e6:.1f} MB more of heap")


@suite.fact
def bodies_are_read_back_as_they_were_sent():
    post()["reply"].must(201)
    page = client.get(PATH + "/bodies?limit=1000").must(200).json
    for got, sent in list(zip(page["bodies"], bodies))[1:1000:101]:
        equal(got["id"], sent["id"], "id")
        equal(got["colliders"], sent["colliders"], "colliders")


suite.main()
