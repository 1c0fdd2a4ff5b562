"""The bytes of the answers are the same for any number of workers, at -O0 and -O2, with gcc and with clang.
A fixed list of requests runs against each daemon; the replies are compared byte for byte with those of one worker of
the build under test (by default gcc -O2). The other builds are made here: `determinism.py "clang -O2"` makes and
compares that one (.ci/run does so with both of clang), CONTACTD_FULL=1 (make acceptance) all four. clang -O2 is the
build of `make warnings`, in build/clang. With CONTACTD_SANITIZER set other builds are left out."""
import os
import subprocess
import sys

from support import corpus, scenes
from support.checks import Skip, Suite, check, equal
from support.client import NDJSON, KeepAlive, ndjson
from support.daemon import BUILD, ROOT, SANITIZER, Daemon

suite = Suite()
VARIANTS = (("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O0"), ("clang", "-O2"))
MAKE_SECONDS = 1100  # about a minute on an idle machine


def heap():
    """Stacks of one to three bodies that are slightly inclined and fall, and a ball on each."""
    bodies = [{"id": "ground", "colliders": [{"plane": {}}]}]
    for i in range(12):
        x, y = 3.0 * (i % 4), 3.0 * (i // 4)
        for k in range(1 + i % 3):
            bodies.append({"id": f"b{i}-{k}", "position": [x + 0.07 * k, y, 0.5 + k], "rpy": [0, 0, 0.1 * i + 0.3 * k],
                           "motion": {"mass": 1 + 0.3 * k, "linearVelocity": [0.02 * i, 0, -0.1], "angularVelocity": [0, 0, 0.03 * k]},
                           "colliders": [{"box": {"size": [1, 1, 1]}}]})
        bodies.append({"id": f"ball{i}", "position": [x + 0.1, y, 1.25 + i % 3], "motion": {"mass": 2, "linearVelocity": [0, 0.3, -1]},
                       "colliders": [{"sphere": {"radius": 0.25}}]})
    return {"bodies": bodies, "materials": {"default": {"staticFriction": 0.4, "dynamicFriction": 0.3, "restitution": 0.3}}}


def requests():
    """(method, path, body, content type) in order."""
    cases, unused = corpus.cases("pairs", corpus.known_pair)
    bodies = [corpus.body(f"{c['id']}.{s}", c[s]) for c in cases for s in "ab"]
    pairs = [[c["id"] + ".a", c["id"] + ".b"] for c in cases]
    json_type = "application/json"
    yield "PUT", "/v1/scenes/corpus", {"bodies": bodies}, json_type
    for kind in ("distance", "overlap", "pairs", "volume"):
        yield "POST", f"/v1/scenes/corpus/query/{kind}", {"pairs": pairs, "limit": 100000}, json_type
    yield "POST", "/v1/scenes/corpus/query/massProperties", {}, json_type
    yield "GET", "/v1/scenes/corpus", None, None
    yield "PUT", "/v1/scenes/cell", scenes.cell(ROOT), json_type
    yield "GET", "/v1/scenes/cell", None, None
    yield "POST", "/v1/scenes/cell/query/overlap", {}, json_type
    yield "POST", "/v1/scenes/cell/query/distance", {"clearance": 0.3}, json_type
    yield "POST", "/v1/scenes/cell/query/volume", {"triangles": True, "sparsify": {"threshold": 0.2}}, json_type
    yield "PUT", "/v1/scenes/crowd", {"bodies": []}, json_type
    yield "POST", "/v1/scenes/crowd/bodies", ndjson(scenes.crowd(700)), NDJSON
    for kind, extra in (("pairs", {}), ("overlap", {}), ("distance", {"clearance": 0.05}), ("overlap", {"limit": 100}),
                        ("distance", {"clearance": 0.2, "limit": 333})):
        for method in ("tree", "bruteForce", "auto"):
            yield "POST", f"/v1/scenes/crowd/query/{kind}", {**extra, "broadphase": method, "deadlineMs": 600000}, json_type
    variants = [{"ids": ["b0000", "b0007"], "positions": [[0.1 * i, 0.2, 0.3], [1.0, 0.1 * i, 2.0]]} for i in range(60)]
    yield "POST", "/v1/scenes/crowd/query/distance", {"variants": variants, "clearance": 0.1,
                                                      "where": {"a": {"ids": ["b0000", "b0007"]}}, "deadlineMs": 600000}, json_type
    few = [{"ids": ["b0000", "b0007"], "positions": [[0.1 * i, 0.2, 0.3], [1.0, 0.1 * i, 2.0]]} for i in range(40)]
    for method in ("auto", "sweep", "grid"):
        yield "POST", "/v1/scenes/crowd/query/pairs", {"variants": few, "broadphase": method, "include": ["changes"],
                                                       "limit": 1000000, "deadlineMs": 600000}, json_type
    for method in ("gjkEpa", "mpr", "separatingAxis"):
        yield "POST", "/v1/scenes/crowd/query/overlap", {"variants": variants + variants, "method": method, "limit": 1000000,
                                                         "where": {"a": {"ids": ["b0000", "b0007"]}}, "deadlineMs": 600000}, json_type
    new = {"id": "new", "position": [1, 1, 1], "colliders": [{"sphere": {"radius": 0.3}}]}
    for kind, extra in (("distance", {"closest": True}), ("distance", {"summary": "closest"}), ("overlap", {"summary": "any"}),
                        ("contacts", {"summary": "count"}), ("overlap", {"limit": 3, "filters": {}})):
        yield "POST", f"/v1/scenes/crowd/query/{kind}", {**extra, "add": [new], "variants": few[:10], "deadlineMs": 600000}, json_type
    motions = [{"id": f"b{i:04}", "twist": {"linearVelocity": [1, 0.1 * (i % 7), 0.3], "angularVelocity": [0.2, 0.1 * (i % 5), 1]}}
               for i in range(0, 60, 2)]
    for kind, extra in (("sweep", {}), ("sweep", {"limit": 37}), ("sweep", {"earliest": True, "from": 0.1}), ("timeline", {})):
        yield "POST", f"/v1/scenes/crowd/query/{kind}", {"duration": 0.5, "motions": motions, **extra, "deadlineMs": 600000}, json_type
    yield "POST", "/v1/scenes/crowd/query", {"queries": [{"kind": k}
                                                         for k in ("overlap", "pairs", "massProperties")] + [{"kind": "distance",
                                                                 "pairs": []}]}, json_type
    yield "POST", "/v1/scenes/crowd/query/overlap", {"nonsense": 1}, json_type
    for case in corpus.cases("lcp", lambda case: case["n"] <= 60)[0]:
        for method in ("auto", "lemke"):
            yield "POST", "/v1/solve/lcp", {**corpus.complementarity(case), "method": method, "deadlineMs": 600000}, json_type
    w = [[(5 if i == j else 0) + sum((7 * i * k + 3) % 11 * ((7 * j * k + 3) % 11) for k in range(1, 7)) / 50 for j in range(18)]
         for i in range(18)]
    for method in ("auto", "nsgs", "newton", "gradient", "polyhedral"):
        yield "POST", "/v1/solve/friction", {"W": w, "q": [(5 * i) % 7 - 4 for i in range(18)], "mu": [0.3] * 6, "method": method,
                                             "deadlineMs": 600000}, json_type
    yield "PUT", "/v1/scenes/heap", heap(), json_type
    yield "POST", "/v1/scenes/heap/query/contacts", {"include": ["velocity"]}, json_type
    for members in ({}, {"law": "integrated"}, {"law": "energetic", "simultaneous": "sequential"}, {"simultaneous": "poisson"},
                    {"friction": False}, {"limit": 3}):
        yield "POST", "/v1/scenes/heap/query/impulse", {**members, "deadlineMs": 600000}, json_type
    for members in ({"friction": "none", "include": ["A", "b"]}, {"friction": "cone"}, {"friction": "polyhedral"}, {"limit": 3}):
        yield "POST", "/v1/scenes/heap/query/restingForces", {"velocityTolerance": 1, **members, "deadlineMs": 600000}, json_type
    for members in ({}, {"limit": 3}):
        yield "POST", "/v1/scenes/heap/query/compliantForces", {"elastic": {"youngsModulus": 1e6, "poissonRatio": 0.3}, **members,
                                                                "deadlineMs": 600000}, json_type
    yield "POST", "/v1/query/distance", {"a": {"box": {"size": [1, 1, 1]}},
                                         "b": {"sphere": {"radius": 0.5}, "position": [0.9, 0, 0]}}, json_type


def answers(workers, program=None):
    with Daemon("--workers", workers, program=program) as daemon:
        client = KeepAlive(daemon)
        out = []
        for method, path, body, content_type in REQUESTS:
            reply = client.request(method, path, body, content_type=content_type, check=False)
            out.append((f"{method} {path}", reply.status, reply.etag, reply.body))
        client.close()
    return out


REQUESTS = list(requests())
kept = {}


def reference():
    if not kept:
        kept["one"] = answers(1)
        statuses = [status for unused, status, tag, body in kept["one"]]
        equal(sorted(set(statuses)), [200, 201, 422], "statuses of the requests")
        check(sum(len(body) for *unused, body in kept["one"]) > 1000000, "the replies are small")
    return kept["one"]


def compare(found):
    for one, other in zip(reference(), found):
        if one == other:
            continue
        at = next((i for i, (x, y) in enumerate(zip(one[3], other[3])) if x != y), min(len(one[3]), len(other[3])))
        check(False, f"{one[0]}: {other[1:3]} instead of {one[1:3]}; bytes differ at {at}: {other[3][max(0, at - 150):at + 60]!r} "
                     f"instead of {one[3][max(0, at - 150):at + 60]!r}")


def build(compiler, level):
    """A daemon built with this compiler and these options, warnings as errors."""
    folder = ROOT / "build/clang" if (compiler, level) == ("clang", "-O2") else BUILD / "variants" / f"{compiler}{level}"
    command = ["make", "--no-print-directory", "-j1", f"BUILD={folder}", "RELEASE=1", f"CC={compiler}", f"OPT={level}", f"{folder}/contactd"]
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "BUILD", "CC", "OPT")}
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=MAKE_SECONDS, env=env)
    check(run.returncode == 0, f"make failed: {run.stderr[-1500:]}")
    program = folder / "contactd"
    return program if program.is_absolute() else ROOT / program


def with_build(compiler, level):
    if SANITIZER:
        raise Skip("other builds are compared without sanitizers")
    compare(answers(2, build(compiler, level)))


suite.table("the same bytes", ((f"{n} workers", lambda n=n: compare(answers(n))) for n in (1, 2, 4, 8)))
suite.table("the same bytes", ((f"{c} {o}", lambda c=c, o=o: with_build(c, o)) for c, o in VARIANTS
                               if os.environ.get("CONTACTD_FULL") or f"{c} {o}" in sys.argv[1:]))
suite.main()
