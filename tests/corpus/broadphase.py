"""Raw boxes through POST /v1/query/pairs: count and SHA-256 of the sorted pair list, for every method, against the reference."""
import hashlib

from support import corpus
from support.checks import Suite, equal
from support.client import KeepAlive
from support.daemon import Daemon

METHODS = ("tree", "sweep", "sweepSingleAxis", "hybrid", "grid", "bruteForce", "auto", None)
suite = Suite()
cases, left_out = corpus.cases("broadphase")
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)


def run(case, method):
    request = {"boxes": case["aabbs"]}
    if method:
        request["broadphase"] = method
    large = case["expect"]["pairs"] > 20000
    reply = client.post("/v1/query/pairs", request, check=not large).must(200).json
    pairs = reply["pairs"]
    equal(reply["count"], case["expect"]["pairs"], "count")
    equal(len(pairs), case["expect"]["pairs"], "number of pairs listed")
    equal(pairs[:5], case["expect"].get("first_pairs", pairs[:5])[:5], "first pairs")
    text = "".join(f"{i} {j}\n" for i, j in pairs)
    equal(hashlib.sha256(text.encode()).hexdigest(), case["expect"]["sha256"], "hash of the list")


def table():
    for case in cases:
        for method in METHODS:
            yield f"{case['id']} {case['name']} {method or 'default'}", lambda c=case, m=method: run(c, m)


suite.table("pairs of boxes", table())
if left_out:
    print(f"{left_out} cases of the full corpus are not here (CONTACTD_CORPUS); the committed synthetic ones run")
    suite.add(skipped=len(METHODS) * left_out)
suite.main()
