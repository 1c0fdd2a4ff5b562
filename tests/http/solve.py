"""POST /v1/solve/lcp and /v1/solve/friction: closed forms, both forms of a matrix, problems without a solution, bad
input by a table, deadlines."""
import random
import threading
from fractions import Fraction

from support.checks import Suite, check, equal, near_list
from support.client import Curl, KeepAlive
from support.daemon import Daemon
from support.stopwatch import timed

suite = Suite()
daemon = Daemon("--limit", "deadlineMaxMs=600000").start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)
LCP, FRICTION = "/v1/solve/lcp", "/v1/solve/friction"
DIRECT = ("auto", "dantzig", "blockPivoting", "lemke", "enumeration")


def lcp(m, q, **more):
    return client.post(LCP, dict(M=m, q=q, **more)).must(200).json


def places(rows, shuffled=None):
    entries = [(i, j, v) for i, row in enumerate(rows) for j, v in enumerate(row) if v]
    if shuffled:
        shuffled.shuffle(entries)
    return {"n": len(rows), **{name: [e[k] for e in entries] for k, name in enumerate(("rows", "cols", "values"))}}


@suite.fact
def every_method_gives_the_closed_form():
    """T11.7"""
    for method in DIRECT:
        answer = lcp([[2, 1], [1, 2]], [-5, -6], method=method)
        near_list(answer["z"], [4 / 3, 7 / 3], 1e-14, f"z by {method}")
        equal((answer["converged"], answer["status"]), (True, "ok"), method)
        equal(answer["method"], method if method != "auto" else answer["method"], "method")


@suite.fact
def a_sparse_matrix_is_solved_like_the_dense_one():
    shuffled = random.Random(1)
    for n in (1, 3, 8, 20):
        rows = [[shuffled.choice((0, 0, 1, -1, 2.5)) + (4 if i == j else 0) for j in range(n)] for i in range(n)]
        q = [shuffled.uniform(-1, 1) for _ in range(n)]
        equal(lcp(places(rows, shuffled), q), lcp(rows, q), f"answer of {n} rows")


@suite.fact
def a_problem_without_a_solution_has_a_certificate():
    """T11.8; the certificate's inequalities in exact fractions."""
    for rows, q in (([[1, -1], [-1, 1]], [-1, -1]), ([[-1, -2], [0, -3]], [-1, 4]), ([[0, 0], [0, 0]], [3, -0.1])):
        for method in ("auto", "lemke"):
            answer = lcp(rows, q, method=method)
            equal((answer["converged"], answer["status"]), (False, "infeasible"), f"{rows} by {method}")
            y = [Fraction(v) for v in answer["certificate"]]
            check(min(y) >= 0, "y has a negative entry")
            check(all(sum(Fraction(row[j]) * v for row, v in zip(rows, y)) <= 0 for j in range(2)), f"M'y of {y}")
            check(sum(Fraction(a) * b for a, b in zip(q, y)) < 0, f"q'y of {y}")


@suite.fact
def a_feasible_problem_without_a_solution_is_exhausted():
    """w1 = z2 - 1, w2 = z1 - z2 - 1, w3 = z1 - 3: z2 > 0, so w2 = 0, so z1 > 0, so w1 = 0, so w3 = -1; (5, 2, 0) is feasible."""
    rows, q = [[0, 1, 0], [1, -1, 0], [1, 0, 0]], [-1, -1, -3]
    answer = lcp(rows, q)
    equal((answer["status"], answer["method"], answer["iterations"]), ("exhausted", "enumeration", 8), "auto")
    check("certificate" not in answer, "a certificate")
    equal(lcp(rows, q, method="lemke")["status"], "ray", "lemke")


def residual_of(rows, q, z):
    """max |min(z, w)|, in fractions."""
    w = [Fraction(b) + sum(Fraction(a) * Fraction(x) for a, x in zip(row, z)) for row, b in zip(rows, q)]
    return max(abs(min(Fraction(x), y)) for x, y in zip(z, w))


@suite.fact
def unique_is_false_where_an_indefinite_matrix_has_a_second_solution():
    """Closed forms: z = 0 and z = 2; (1, 0), (0, 1) and (1/3, 1/3); z = 0 alone, since M is copositive and q > 0."""
    for rows, q in (([[-1]], [2]), ([[1, 2], [2, 1]], [-1, -1]), ([[0, -1], [-1, 0]], [1, 1])):
        answer = lcp(rows, q)
        equal(answer["unique"], False, f"unique of {rows}")
        check(answer["alternative"] != answer["z"], "the alternative is the same")
        for name in ("z", "alternative"):
            check(residual_of(rows, q, answer[name]) <= 1e-15, f"{name} of {rows}")
    equal(lcp([[1, 2], [2, 1]], [1, 1])["unique"], True, "copositive, q > 0")
    equal(lcp([[2, 1], [1, 2]], [-4, -5])["unique"], True, "definite")
    # Four forces at one point: any distribution is a solution. With `tie` any, solutions are not compared.
    ones = [[1] * 4] * 4
    equal(lcp(ones, [-1] * 4)["unique"], False, "semidefinite")
    equal(lcp(ones, [-1] * 4, tie="any")["unique"], None, "with tie any")
    check("unique" not in lcp([[1, -1], [-1, 1]], [-1, -1]), "unique of no solution")


@suite.fact
def lemke_takes_the_exponential_path_of_murtys_problem():
    """T11.7: 2^6 - 1 pivots, and no more than it is allowed."""
    rows = [[1 if i == j else 2 if j > i else 0 for j in range(6)] for i in range(6)]
    q = [-126, -124, -120, -112, -96, -64]
    answer = lcp(rows, q, method="lemke")
    equal((answer["z"], answer["iterations"]), ([0, 0, 0, 0, 0, 64], 63), "z and pivots")
    answer = lcp(rows, q, method="lemke", maxIterations=9)
    equal((answer["converged"], answer["status"], answer["iterations"]), (False, "iterationLimit", 9), "with 9 pivots")


@suite.fact
def one_contact_slides_or_sticks():
    """T12.3"""
    w = [[15, -1, -2], [-1, 14, 1], [-2, 1, 16]]
    answer = client.post(FRICTION, {"W": w, "q": [-1, 2, 3], "mu": [0.1]}).must(200).json
    check(answer["converged"], "not converged")
    near_list(answer["r"], [0.06569568, -0.00367861, -0.00544307], 1e-8, "r")
    near_list(answer["u"], [0, 1.8773606, 2.7778409], 1e-7, "u")
    equal(client.post(FRICTION, {"W": places(w), "q": [-1, 2, 3], "mu": [0.1]}).must(200).json, answer, "by places")
    answer = client.post(FRICTION, {"W": [[2, 0], [0, 2]], "q": [-4, 0.5], "mu": [0.5], "dimension": 2}).must(200).json
    near_list(answer["r"] + answer["u"], [2, -0.25, 0, 0], 1e-15, "what sticks")


@suite.fact
def an_empty_problem_is_solved():
    answer = lcp([], [])
    equal((answer["z"], answer["w"], answer["converged"], answer["residual"]), ([], [], True, 0), "no rows")
    equal(lcp({"n": 0, "rows": [], "cols": [], "values": []}, [])["z"], [], "by places")
    answer = client.post(FRICTION, {"W": [], "q": [], "mu": []}).must(200).json
    equal((answer["r"], answer["u"], answer["converged"]), ([], [], True), "no contacts")


EXTREMES = (0, 1, -1, 1e308, -1e308, 1e-308, 5e-324, 1e200, -1e200, 1e-200, 1e154, -1e154, 1e300)
METHODS = {LCP: DIRECT + ("pgs", "quadratic"), FRICTION: ("auto", "nsgs", "newton", "gradient", "polyhedral")}


def square(chosen, n):
    rows = [[chosen.choice(EXTREMES) for _ in range(n)] for _ in range(n)]
    if chosen.random() < 0.6:  # symmetric, with a diagonal that is valid for friction
        rows = [[abs(rows[i][i]) if i == j else rows[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
    return rows


@suite.fact
def extreme_numbers_give_finite_answers():
    """Also where products overflow: the reply has the best iterate found and no infinity, and a solution that is
    reported as converged satisfies its tolerance."""
    chosen = random.Random(5)
    for trial in range(300):
        dimension, contacts = chosen.choice((2, 3)), chosen.randint(1, 2)
        n = chosen.randint(1, 4) if trial % 2 else dimension * contacts
        rows, q = square(chosen, n), [chosen.choice(EXTREMES) for _ in range(n)]
        if trial % 2:
            answer = lcp(rows, q, method=chosen.choice(METHODS[LCP]), deadlineMs=60000)
            check(min(answer["z"]) >= 0, "z has a negative entry")
            if answer["converged"]:
                z = [Fraction(v) for v in answer["z"]]
                w = [sum((Fraction(v) * x for v, x in zip(row, z)), Fraction(b)) for row, b in zip(rows, q)]
                worst = max(abs(min(a, b)) for a, b in zip(z, w))
                allowed = Fraction(1, 10**8 if answer["method"] in ("pgs", "quadratic") else 10**10) * (1 + max(map(abs, map(Fraction, q))))
                check(worst <= allowed, f"{answer['method']}: residual {float(worst)} of M {rows}, q {q}")
        else:
            client.post(FRICTION, {"W": rows, "q": q, "mu": [chosen.choice((0, 0.5, 1000, 5e-324)) for _ in range(contacts)],
                                   "dimension": dimension, "method": chosen.choice(METHODS[FRICTION]), "deadlineMs": 60000}).must(200)


def bad(path, name, status, problem, body, pointer, words=()):
    reply = client.post(path, body)
    reply.problem(status, problem, pointer)
    for word in words:
        check(word in reply.text, f"{word!r} is not in {reply.text}")


ONE = {"M": [[1]], "q": [1]}
TOUCH = {"W": [[1, 0], [0, 1]], "q": [1, 1], "mu": [0.5], "dimension": 2}
TWO = {"n": 2, "rows": [0, 1], "cols": [0, 1], "values": [1, 1]}
BAD = [
    (LCP, "nothing", "missing-member", {}, "/M"),
    (LCP, "no q", "missing-member", {"M": [[1]]}, "/q"),
    (LCP, "another member", "unknown-member", dict(ONE, include=["A"]), "/include"),
    (LCP, "a number for M", "wrong-type", dict(ONE, M=1), "/M"),
    (LCP, "a number for a row", "wrong-type", dict(ONE, M=[1]), "/M/0"),
    (LCP, "a short row", "wrong-type", {"M": [[1, 2], [3]], "q": [1, 2]}, "/M/1"),
    (LCP, "a text for an entry", "wrong-type", {"M": [[1, 2], [3, "4"]], "q": [1, 2]}, "/M/1/1"),
    (LCP, "q too long", "wrong-type", dict(ONE, q=[1, 2]), "/q"),
    (LCP, "null in q", "wrong-type", dict(ONE, q=[None]), "/q/0"),
    (LCP, "start too short", "wrong-type", dict(ONE, start=[]), "/start"),
    (LCP, "start below zero", "out-of-range", dict(ONE, start=[-1]), "/start/0"),
    (LCP, "another method", "bad-value", dict(ONE, method="simplex"), "/method"),
    (LCP, "another tie", "bad-value", dict(ONE, tie="first"), "/tie"),
    (LCP, "tolerance 0", "out-of-range", dict(ONE, tolerance=0), "/tolerance"),
    (LCP, "tolerance 2", "out-of-range", dict(ONE, tolerance=2), "/tolerance"),
    (LCP, "no iterations", "out-of-range", dict(ONE, maxIterations=0), "/maxIterations"),
    (LCP, "relaxation 2", "out-of-range", dict(ONE, relaxation=2), "/relaxation"),
    (LCP, "relaxation of another method", "conflicting-members", dict(ONE, relaxation=1.5, method="dantzig"), "/relaxation"),
    (LCP, "relaxation of no method", "conflicting-members", dict(ONE, relaxation=1.5), "/relaxation"),
    (LCP, "a start of a direct method", "conflicting-members", dict(ONE, start=[0], method="lemke"), "/start"),
    (LCP, "a tie of sweeps", "conflicting-members", dict(ONE, tie="minNorm", method="pgs"), "/tie"),
    (LCP, "no time", "out-of-range", dict(ONE, deadlineMs=0), "/deadlineMs"),
    (LCP, "17 rows, all bases", "limit-exceeded", {"M": [[0] * 17] * 17, "q": [1] * 17, "method": "enumeration"}, "/M",
     "at most 16 rows", '"actual":17'),
    (LCP, "1,025 rows, direct", "limit-exceeded", {"M": {"n": 1025, "rows": [], "cols": [], "values": []}, "q": [1] * 1025,
                                                   "method": "lemke"}, "/M", '"limit":1024'),
    (LCP, "more rows than any method takes", "out-of-range", {"M": dict(TWO, n=300001), "q": [1]}, "/M/n"),
    (LCP, "no n", "missing-member", {"M": {k: v for k, v in TWO.items() if k != "n"}, "q": [1, 1]}, "/M/n"),
    (LCP, "an index beyond", "out-of-range", {"M": dict(TWO, rows=[0, 2]), "q": [1, 1]}, "/M/rows/1"),
    (LCP, "an index below", "out-of-range", {"M": dict(TWO, cols=[-1, 1]), "q": [1, 1]}, "/M/cols/0"),
    (LCP, "half an index", "wrong-type", {"M": dict(TWO, cols=[0.5, 1]), "q": [1, 1]}, "/M/cols/0"),
    (LCP, "an index of no rows", "out-of-range", {"M": {"n": 0, "rows": [0], "cols": [0], "values": [1]}, "q": []}, "/M/rows/0"),
    (LCP, "fewer values than places", "wrong-type", {"M": dict(TWO, values=[1]), "q": [1, 1]}, "/M/values"),
    (LCP, "a place twice", "bad-value", {"M": {"n": 2, "rows": [1, 0, 1], "cols": [1, 0, 1], "values": [1, 1, 0]}, "q": [1, 1]},
     "/M/cols/2", "Row 1 has two entries in column 1"),
    (FRICTION, "nothing", "missing-member", {}, "/W"),
    (FRICTION, "mu below zero", "out-of-range", dict(TOUCH, mu=[-0.1]), "/mu/0"),
    (FRICTION, "mu of 1,001", "out-of-range", dict(TOUCH, mu=[1001]), "/mu/0"),
    (FRICTION, "mu a text", "wrong-type", dict(TOUCH, mu=["0.5"]), "/mu/0"),
    (FRICTION, "one dimension", "out-of-range", dict(TOUCH, dimension=1), "/dimension"),
    (FRICTION, "four dimensions", "out-of-range", dict(TOUCH, dimension=4), "/dimension"),
    (FRICTION, "rows of another dimension", "wrong-type", dict(TOUCH, dimension=3), "/W", "needs 3 rows"),
    (FRICTION, "contacts without rows", "wrong-type", dict(TOUCH, mu=[0.5, 0.5]), "/W"),
    (FRICTION, "q too short", "wrong-type", dict(TOUCH, q=[1]), "/q"),
    (FRICTION, "five directions", "bad-value", dict(TOUCH, directions=5), "/directions"),
    (FRICTION, "two directions", "out-of-range", dict(TOUCH, directions=2), "/directions"),
    (FRICTION, "directions of cones", "conflicting-members", dict(TOUCH, directions=6, method="nsgs"), "/directions"),
    (FRICTION, "a circumscribed cone", "conflicting-members", dict(TOUCH, circumscribed=False), "/circumscribed"),
    (FRICTION, "a start of pyramids", "conflicting-members", dict(TOUCH, start=[0] * len(TOUCH["q"]), method="polyhedral"), "/start"),
    (FRICTION, "an index beyond", "out-of-range", dict(TOUCH, W=dict(TWO, rows=[0, 9])), "/W/rows/1"),
    (FRICTION, "pyramids of 1,030 rows", "limit-exceeded", {"W": {"n": 309, "rows": [], "cols": [], "values": []}, "q": [-1] * 309,
                                                            "mu": [0.5] * 103, "method": "polyhedral"}, "/W", '"limit":1024', '"actual":1030'),
    (FRICTION, "another method", "bad-value", dict(TOUCH, method="lemke"), "/method"),
]
suite.table("bad input", ((f"{path[10:]}: {name}", lambda path=path, name=name, problem=problem, body=body, pointer=pointer, words=words:
                           bad(path, name, 422, problem, body, pointer, words))
                          for path, name, problem, body, pointer, *words in BAD))


@suite.fact
def the_memory_of_a_solve_counts_as_memory_of_the_request():
    with Daemon("--limit", "requestMemoryBytes=16777216") as small:
        asking = KeepAlive(small)
        body = {"M": {"n": 600, "rows": [], "cols": [], "values": []}, "q": [1] * 600}
        for method in ("auto", "lemke"):
            asking.post(LCP, dict(body, method=method)).problem(422, "limit-exceeded", "/M")
        asking.post(FRICTION, {"W": body["M"], "q": body["q"], "mu": [0.1] * 200}).problem(422, "limit-exceeded", "/W")
        check(asking.post(LCP, {"M": dict(body["M"], n=60), "q": [1] * 60}).must(200).json["converged"], "60 rows")
        asking.close()


@suite.fact
def nan_and_infinity_are_malformed_json():
    for word in ("NaN", "Infinity"):
        client.post(LCP, f'{{"M": [[{word}]], "q": [1]}}'.encode()).problem(400, "malformed-json")
    client.post(LCP, '{"M": [[1e999]], "q": [1]}').problem(422, "out-of-range", "/M/0/0")


def long_work():
    """A thousand coupled rows, for a method that takes seconds."""
    n = 1024
    chosen = random.Random(2)
    entries = {(i, i): 40.0 for i in range(n)}
    while len(entries) < 40 * n:
        entries.setdefault((chosen.randrange(n), chosen.randrange(n)), chosen.uniform(-1, 1))
    rows, cols = zip(*entries)
    return {"M": {"n": n, "rows": rows, "cols": cols, "values": list(entries.values())}, "q": [chosen.uniform(-1, 0.1) for _ in range(n)],
            "method": "lemke"}


@suite.fact
def a_long_solve_stops_at_its_deadline_and_others_are_answered():
    work = dict(long_work(), deadlineMs=50)
    stopped = []
    thread = threading.Thread(target=lambda: stopped.append(Curl(daemon).post(LCP, work, check=False)))
    thread.start()
    while thread.is_alive():
        equal(lcp([[2]], [-1])["z"], [0.5], "meanwhile")
    thread.join()
    stopped[0].problem(504, "deadline-exceeded")


@suite.fact
def a_small_problem_with_many_iterations_stops_at_its_deadline():
    """The solution, 1e-393, is no double, so all requested sweeps are made: about 20 s."""
    work = dict(M=[[1e149]], q=[-1e-244], tolerance=1e-300, maxIterations=10**9, deadlineMs=50)
    for method in ("auto", "pgs"):
        # Control: a hundredth of the iterations, without a deadline.
        unused, share = timed(lambda method=method: client.post(LCP, dict(work, method=method, maxIterations=10**7, deadlineMs=600000)).must(200))
        reply, took = timed(lambda method=method: client.post(LCP, dict(work, method=method)))
        reply.problem(504, "deadline-exceeded")
        check(took < 50 * share, f"stopped after {took}; a hundredth of the work takes {share}")


@suite.fact
def a_tolerance_below_round_off_ends_at_the_iteration_limit():
    """Sweeps and Newton steps reach a fixed point whose residual is above the tolerance, which no doubles can
    satisfy."""
    contacts = 4
    w = [[(i == j) + 0.25 * (i % 3 == j % 3) for j in range(3 * contacts)] for i in range(3 * contacts)]
    for method in ("newton", "auto"):
        answer = client.post(FRICTION, {"W": w, "q": [-1, 0.5, 0.25] * contacts, "mu": [0.5] * contacts, "dimension": 3, "method": method,
                                        "tolerance": 1e-300, "deadlineMs": 60000}).must(200).json
        equal((answer["converged"], answer["status"]), (False, "iterationLimit"), method)
        check(answer["residual"] < 1e-12, f"{method}: residual {answer['residual']}")


suite.main()
