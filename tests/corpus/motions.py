"""Every value of the reference motions (motion_references.jsonl) in every mode of `advance` that it applies to.

    tests/corpus/motions.py              the facts; CONTACTD_FULL=1 also runs the open values (NOT_YET)
    tests/corpus/motions.py table WORD   a table: error and observed order of each value, and of each run energy, penetration, `converged`
    tests/corpus/motions.py open WORD    the values that are wrong now, as lines of NOT_YET

Steps, scales and the errors allowed: support/motion_errors.py.
"""
import os
import sys

from support import corpus
from support.checks import Suite, check
from support.client import KeepAlive
from support.daemon import Daemon
from support.motion_errors import Cell, label
from support.motion_values import READERS

CASES, VALUES = 42, 193
FULL = bool(os.environ.get("CONTACTD_FULL"))

# Values that a mode does not compute as exactly as promised above: (case, mode): (why, labels). They are run with CONTACTD_FULL=1, and printed
# as "open"; one that has become right fails the program until its label is removed. ALL: every value of the case.
ALL = ("*",)
TOLERATED_IMPACTS = "impacts below the velocity tolerance are not computed"
LATE_IMPACTS = "each bounce is off by up to a step, and its speed by gravity times the step"
SHORT_STEPS = "a step's displacement is below the round-off of the position, 3e-17 m"
NOT_YET = {
    ("m-zeno-0", "timeStepping"): (LATE_IMPACTS, ALL),
    ("m-zeno-1", "timeStepping"): (LATE_IMPACTS, ALL),
    ("m-zeno-0", "eventImpulses"): (TOLERATED_IMPACTS, ("Zeno time",)),
    ("m-zeno-1", "eventImpulses"): (TOLERATED_IMPACTS, ("Zeno time",)),
    ("m-patch-rest-0", "eventCompliant"): (SHORT_STEPS, ALL),
}

suite = Suite()
daemon = Daemon("--limit", "eventBacklogBytes=1073741824").start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon, timeout=600)


cells = {}


def cell_of(case, mode):
    key = case["id"], mode
    if key not in cells:
        cells[key] = Cell(client, case, mode)
    return cells[key]


def is_open(case, mode, name):
    unused, labels = NOT_YET.get((case["id"], mode), ("", ()))
    return labels == ALL or name in labels


def check_value(case, mode, k):
    why = cell_of(case, mode).wrong(k)
    check(not why, why)


def check_open(case, mode, k):
    """An open value that is right fails: its label must leave the table. One without a value fails, too."""
    why = cell_of(case, mode).wrong(k)
    check(not cell_of(case, mode).fault, why)
    check(why, "is right now: remove it from NOT_YET")
    print(f"open {case['id']} {mode} {label(case['expect'][k])}: {why}")


def pairs(word=""):
    return [(case, mode) for case in cases for mode in case["modes"].split(",") if word in f"{case['id']} {mode}"]


def print_table(word):
    for case, mode in pairs(word):
        cell = cell_of(case, mode)
        print(f"\n{case['id']} {mode} ({case['kind']})" + (f": {cell.fault}" if cell.fault else ""))
        for level, track in enumerate(cell.tracks):
            print(f"    h {track.step:.3g}  steps {track.end['steps']}  converged {track.converged()}  guarded {track.end['guarded']}  "
                  f"penetration {track.penetration():.3g}  energy gain {track.energy_gain():.3g}")
        for k, expected in enumerate(case["expect"]):
            if cell.values:
                errors = cell.errors(k)
                print(f"  {'ok   ' if not cell.wrong(k) else 'WRONG'} {label(expected):45} {expected['value']:12.6g} "
                      f"scale {cell.scale(k):8.3g}  errors {'  '.join(f'{e:9.3g}' for e in errors)}  "
                      f"allowed {cell.allowed(k, len(errors) - 1):8.3g}  order {cell.order(k):5.2f}")
        sys.stdout.flush()


def print_open(word):
    for case, mode in pairs(word):
        wrong = [label(expected) for k, expected in enumerate(case["expect"]) if cell_of(case, mode).wrong(k)]
        if wrong:
            labels = "ALL" if len(wrong) == len(case["expect"]) else "(" + "".join(f'"{name}", ' for name in wrong).rstrip() + ")"
            print(f'    ("{case["id"]}", "{mode}"): ("", {labels}),', flush=True)


path = corpus.folder() / "motion_references.jsonl"
cases = list(corpus.lines(path)) if path.exists() else []

if sys.argv[1:2] in (["table"], ["open"]):
    try:
        (print_table if sys.argv[1] == "table" else print_open)(" ".join(sys.argv[2:]))
    finally:
        daemon.stop()
    sys.exit(0)

if cases:
    @suite.fact
    def every_value_of_the_reference_motions_has_a_reader():
        check(len(cases) == CASES, f"{len(cases)} cases, should be {CASES}")
        found = sum(len(case["expect"]) for case in cases)
        check(found == VALUES, f"{found} values, should be {VALUES}")
        check(all(case["kind"] in READERS for case in cases), "a kind without a reader")

    @suite.fact
    def every_open_value_is_one_of_the_references():
        known = {(case["id"], mode): {label(expected) for expected in case["expect"]} for case, mode in pairs()}
        for key, (unused, labels) in NOT_YET.items():
            check(key in known and (labels == ALL or set(labels) <= known[key]), f"{key} with {labels} is not a cell")

for case, mode in pairs():
    for k, expected in enumerate(case["expect"]):
        name = label(expected)
        if not is_open(case, mode, name):
            suite.table("value", [(f"{case['id']} {mode}: {name}", lambda case=case, mode=mode, k=k: check_value(case, mode, k))])
        elif FULL:
            suite.table("open", [(f"{case['id']} {mode}: {name}", lambda case=case, mode=mode, k=k: check_open(case, mode, k))])
if not cases:
    print(f"{CASES} cases of the full corpus are not here (CONTACTD_CORPUS)")
    suite.add(skipped=CASES)
suite.main()
