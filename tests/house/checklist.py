#!/usr/bin/python3
"""Required behaviours and the tests that prove them: a table of checklist row -> fact -> passed.

    tests/house/checklist.py             every row is named by a fact; nothing is run
    tests/house/checklist.py run [row]   runs just the facts that name a row, and prints the table

A fact names its rows ("row 9", "rows 30, 31") in its name, or in the comment right above its function; of Python also in the
docstring. BUILD names the build folder. The last line is the sum: of rows, or of facts that were run.
"""
import ast
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", "build"))
SECONDS = 240
ROWS = {
    1: "one volumetric contact for each pair of convex bodies or elements",
    2: "polyhedra by vertices, and by planes as (n, d) or (normal, point); faces, planes and adjacency of their hulls",
    3: "closest points by GJK; no contact of bodies apart",
    4: "a point strictly inside both bodies, with its margin",
    5: "planes moved to that point and scaled: dual points at 1 / distance",
    6: "the hull of the dual points, requested by name",
    7: "the polar of that hull; the polar of a polar",
    8: "the intersection moved back, as closed triangles",
    9: "contact point, normal by squared areas, area",
    10: "refused when the point is outside of a body",
    11: "the surfaces nearest to the point",
    12: "the gap along the normal, and its correction",
    13: "contacts thinned out: least area, threshold, distance, only new ones; an assembly and its forces at those left",
    14: "more contacts than bodies need: a singular matrix, the shortest forces, its rank",
    15: "a box for each body or element, every broad phase the same pairs, frame by frame",
    16: "a geometric epsilon that can be set, relative to the features",
    17: "convex bodies, elements of tet and hex meshes, balls, ellipsoids: each with each",
    18: "nearness, hulls and intersections, tested by their properties",
    19: "an event at the begin and at the end of every penetration",
    20: "the normal velocity at its begin, kept while a contact lasts",
    21: "zero-crossing functions, none of them zero at a restart",
    22: "distances from the narrow phase, or of boxes: lower bounds",
    23: "contacts by pair since the last event: points, normal, bodies, distance with hysteresis, three supports of each",
    24: "z1 and z2, what stands for none, the hysteresis of 1e-16",
    25: "what the log says of each begin and end",
    26: "all distances for zero crossings, only those of contacts between",
    27: "portals: relative tolerance, most iterations, what is left then",
    28: "portal refinement: normal, points, distance",
    29: "elastic contacts: stiffness of two materials, damping by the approach, the force law",
    30: "two surface meshes, the caller's indices untouched",
    31: "vertex normals that are given, interpolated across a face",
    32: "vertices inside the other mesh, rays along their normals, both ways round",
    33: "points, faces, barycentrics, normals and ids of each pair of features",
    34: "edges against edges, in the same form",
    35: "other directions: forward, closest point, both",
    36: "vertex to face, edge to edge; aligned meshes neither lose nor double",
    37: "normals become opposite as meshes are refined",
    38: "an impact within a tolerance; bisection to its instant",
    39: "sorted lists swept, the active list, three axes, coherence by insertion",
    40: "a plane separates or none does: faces, edges, kept from frame to frame",
    41: "contact points of vertex and face, of edge and edge",
    42: "velocities of points, relative velocity along the normal, three classes",
    43: "an impulse is the integral of a force: the harder the contact, the shorter",
    44: "impulses change momentum, and with their arms angular momentum",
    45: "restitution 0, 1/2, 1, and the impulse that follows",
    46: "resting contacts: no force pulls, no gap closes, no force where one opens, all at once",
    47: "the gap, its velocity, its acceleration A f + b with the turning normal",
    48: "forces by quadratic programming: the same as by complementarity",
    49: "dry friction: static and kinetic coefficients, the cone",
    50: "a wider cone holds more; kinetic friction does not depend on speed",
    51: "friction in a collision as an impulse: sticks, or slides by mu times the normal one; the rule of points",
    52: "a rotation turns as its angular velocity says; inertia in the world is R I R'",
    53: "the algorithms of the literature are named, and asked for by their words",
}

NAMED = re.compile(r"\b[Rr]ows?[ _]((?:\d+)(?:(?:, | and |, and | to )\d+)*)")


def rows_in(text):
    """The rows that a text names: row 9, rows 1, 3 and 4, rows 30 to 33. In a comment of several lines they may be on two of them."""
    text = re.sub(r"\s*\n\s*[*#]?\s*", " ", text)
    found = set()
    for match in NAMED.finditer(text):
        parts = re.split(r"(, | and |, and | to )", match.group(1))
        numbers = [int(n) for n in parts[::2]]
        for i, n in enumerate(numbers):
            found.update(range(numbers[i - 1], n + 1) if i > 0 and parts[2 * i - 1] == " to " else [n])
    return found & set(ROWS)


def facts_of_c(path):
    """(fact, rows): its name in the table of tests, and the comment above its function."""
    text = path.read_text(encoding="utf-8")
    above = {name: comment for comment, name in re.findall(r"(/\*(?:(?!\*/).)*\*/)\nstatic void (\w+)\(void\)", text, re.S)}
    for name, function in re.findall(r'\{\s*"([^"]+)",\s*(\w+)\s*\}', text):
        yield name, rows_in(name) | rows_in(above.get(function, ""))


def facts_of_python(path):
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef) or not any(ast.unparse(d) == "suite.fact" for d in node.decorator_list):
            continue
        start = node.decorator_list[0].lineno - 1
        comments = []
        while start > 0 and lines[start - 1].startswith("#"):
            start -= 1
            comments.append(lines[start])
        yield node.name, rows_in(node.name) | rows_in(ast.get_docstring(node) or "") | rows_in("\n".join(reversed(comments)))


def facts():
    """(row, program, fact, command), sorted."""
    found = []
    for group in ("unit", "oracle", "property", "store"):
        for path in sorted((ROOT / "tests" / group).glob("test_*.c")):
            command = [str(BUILD / "tests" / group / path.stem)]
            found += [(row, f"{group}/{path.stem}", name, command) for name, rows in facts_of_c(path) for row in rows]
    for group in ("http", "corpus"):
        for path in sorted((ROOT / "tests" / group).glob("*.py")):
            command = ["/usr/bin/python3", str(path)]
            found += [(row, f"{group}/{path.name}", name, command) for name, rows in facts_of_python(path) for row in rows]
    return sorted(found)


def passes(name, command):
    """Runs one fact, and reads its closing line."""
    env = dict(os.environ, PYTHONPATH=str(ROOT / "tests"), PYTHONDONTWRITEBYTECODE="1", BUILD=str(BUILD))
    try:
        done = subprocess.run([*command, name], cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as why:
        return f"failed: {why}"
    last = done.stdout.decode(errors="replace").rstrip("\n").split("\n")[-1]
    closing = re.fullmatch(r"(\d+) passed, (\d+) failed, (\d+) skipped", last)
    if closing and done.returncode == 0 and int(closing[1]) > 0 and closing[2] == closing[3] == "0":
        return "passed"
    return f"failed: {last}"


def table(found, only):
    """Prints the table; returns the numbers of facts."""
    known, counts = {}, [0, 0]
    print("| row | required behaviour | fact | |\n| --- | --- | --- | --- |")
    for row, program, name, command in found:
        if only and row not in only:
            continue
        if (program, name) not in known:
            known[program, name] = passes(name, command)
            counts[known[program, name] != "passed"] += 1
        print(f"| {row} | {ROWS[row]} | {program}: {name} | {known[program, name]} |", flush=True)
    return counts


def main():
    found = facts()
    absent = [row for row in ROWS if not any(f[0] == row for f in found)]
    running = sys.argv[1:2] == ["run"]
    passed, failed = table(found, [int(n) for n in sys.argv[2:]]) if running else (len(ROWS) - len(absent), 0)
    for row in absent:
        print(f"FAILED row {row}: no fact names it ({ROWS[row]})")
    print(f"{passed} passed, {failed + len(absent)} failed, 0 skipped")
    return bool(failed or absent)


sys.exit(main())
