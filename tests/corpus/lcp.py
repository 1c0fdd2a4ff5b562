"""The reference problems of linear complementarity through POST /v1/solve/lcp.
Residuals are computed here in exact fractions from the doubles of the problem and of the answer. A certificate is
exact as it stands; or, where no exact one consists of doubles, it determines an exact vertex: the inequalities that
it satisfies with equality, solved in fractions, give a certificate that differs from it by round-off."""
from fractions import Fraction

from support import corpus
from support.checks import Suite, check, equal
from support.client import KeepAlive
from support.daemon import Daemon

suite = Suite()
cases, left_out = corpus.cases("lcp")
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)
RESIDUAL = Fraction(1, 10**10)  # times 1 + |q|
ROUND_OFF = 1e-12  # of a certificate's products, relative
BASES_MAX = 11  # rows up to which every basis is tested here


def entries(case):
    """{row: {column: Fraction}}"""
    rows = [{} for _ in range(case["n"])]
    if "A" in case:
        for row, values in zip(rows, case["A"]):
            row.update((j, Fraction(v)) for j, v in enumerate(values) if v)
    else:
        for i, j, v in zip(*(case["A_sparse"][k] for k in ("rows", "cols", "values"))):
            rows[i][j] = Fraction(v)
    return rows


def solve(case, method):
    return client.post("/v1/solve/lcp", dict(corpus.complementarity(case), method=method)).must(200).json


def check_solution(case, answer, rows):
    z = [Fraction(v) for v in answer["z"]]
    equal(len(z), case["n"], "length of z")
    check(min(z) >= 0, "z has a negative entry")
    worst, sizes = Fraction(0), max(map(abs, case["b"]))
    for i, row in enumerate(rows):
        w = sum((v * z[j] for j, v in row.items() if z[j]), Fraction(case["b"][i]))
        worst = max(worst, abs(min(w, z[i])))
        check(abs(w - Fraction(answer["w"][i])) <= RESIDUAL * (1 + Fraction(sizes)), f"w[{i}]")
    check(worst <= RESIDUAL * (1 + Fraction(sizes)), f"residual {float(worst):.3g} of {sizes:.3g}")
    check(abs(float(worst) - answer["residual"]) <= 1e-12 * (1 + sizes), f"told {answer['residual']}, is {float(worst)}")
    check(answer["converged"], "not converged")


def columns_of(rows):
    columns = [{} for _ in rows]
    for i, row in enumerate(rows):
        for j, v in row.items():
            columns[j][i] = v
    return columns


def proves(y, columns, q):
    return (min(y) >= 0 and sum(a * Fraction(b) for a, b in zip(y, q)) < 0
            and all(sum(v * y[i] for i, v in column.items()) <= 0 for column in columns))


def vertex_of(y, columns):
    """The exact y near this one: its zeros, and the products that vanish up to round-off, vanish exactly."""
    support = [i for i, v in enumerate(y) if v > 0]
    tight = []
    for column in columns:
        terms = [v * y[i] for i, v in column.items() if y[i]]
        if terms and abs(sum(terms)) <= Fraction(ROUND_OFF) * sum(map(abs, terms)):
            tight.append([column.get(i, Fraction(0)) for i in support])
    pivots = []
    for c in range(len(support)):
        row = next((r for r in range(len(pivots), len(tight)) if tight[r][c]), None)
        if row is None:
            continue
        k = len(pivots)
        tight[k], tight[row] = tight[row], tight[k]
        tight[k] = [v / tight[k][c] for v in tight[k]]
        for r, other in enumerate(tight):
            if r != k and other[c]:
                tight[r] = [a - other[c] * b for a, b in zip(other, tight[k])]
        pivots.append(c)
    exact = list(y)
    free = [c for c in range(len(support)) if c not in pivots]
    for k, c in enumerate(pivots):
        exact[support[c]] = -sum(tight[k][f] * y[support[f]] for f in free)
    return exact


def check_certificate(case, answer, rows):
    y = [Fraction(v) for v in answer["certificate"]]
    columns, q = columns_of(rows), case["b"]
    if proves(y, columns, q):
        return
    exact = vertex_of(y, columns)
    check(proves(exact, columns, q), "the certificate proves nothing")
    off = max(abs(float(a - b)) for a, b in zip(exact, y))
    check(off <= ROUND_OFF * float(max(y)), f"the certificate is off by {off}")


def look_at(case, method):
    answer, rows = solve(case, method), entries(case)
    if case["expect"]["solvable"]:
        equal(answer["status"], "ok", "status")
        check_solution(case, answer, rows)
        if case["expect"]["w_unique"]:
            far = max(abs(a - b) for a, b in zip(answer["w"], case["expect"]["w"]))
            check(far <= 1e-8 * (1 + max(map(abs, case["b"]))), f"w is another by {far}")
    else:
        check(not answer["converged"], "converged")
        check(answer["status"] in ("infeasible", "exhausted"), f"status {answer['status']}")
        if answer["status"] == "infeasible":
            check_certificate(case, answer, rows)


suite.table("auto", ((f"{case['id']} {case['category']}", lambda case=case: look_at(case, "auto")) for case in cases))
suite.table("lemke", ((f"{case['id']} {case['category']}", lambda case=case: look_at(case, "lemke")) for case in cases))
suite.table("bases", ((f"{case['id']} {case['category']}", lambda case=case: look_at(case, "enumeration"))
                      for case in cases if case["n"] <= BASES_MAX))
if left_out:
    print(f"{left_out} cases of the full corpus are not here (CONTACTD_CORPUS)")
    suite.add(skipped=left_out)
suite.main()
