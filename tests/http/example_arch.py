"""The example of a sparsified arch, run as a reader would: its figures against those of the construction, its text
against the README, its picture against the committed one."""
import math
import pathlib
import re
import subprocess
import tempfile

from support.checks import Suite, check, equal, near
from support.daemon import ROOT, Daemon

FOLDER = ROOT / "api/example"
JOINTS, RADIAL, DEEP = 28, 3, 2

suite = Suite()
daemon = Daemon("--workers", "1").start()
suite.cleanup(daemon.stop)
made = {}


def run():
    """Lines and picture of one run."""
    if not made:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "arch.svg"
            done = subprocess.run(["/usr/bin/python3", str(FOLDER / "sparse_arch.py"), daemon.base, str(path)], capture_output=True,
                                  text=True, timeout=300)
            check(done.returncode == 0, f"the program ended with {done.returncode}: {done.stderr[-800:]}")
            made.update(text=done.stdout, picture=path.read_text())
    return made


@suite.fact
def row_13_slivers_of_displaced_blocks_are_removed_and_facing_elements_stay():
    """(2 n - 1) (2 m - 1) contacts of n x m elements at each joint before sparsification, n m after."""
    numbers = [int(n) for n in re.findall(r"volumetric contacts: (\d+)\nleft by sparsify: (\d+), removed: (\d+) adjacentRatio\n",
                                          run()["text"])[0]]
    before, after = JOINTS * (2 * RADIAL - 1) * (2 * DEEP - 1), JOINTS * RADIAL * DEEP
    equal(numbers, [before, after, before - after], "contacts, those left, those removed")


@suite.fact
def forces_at_the_remaining_contacts_support_the_arch():
    """The abutments carry the weight of 27 wedges; each has the area between two chords, those with odd numbers
    farther out."""
    lift, weight = (float(n) for n in re.search(r"stable, converged; the abutments carry ([\d.]+) kN of ([\d.]+) kN", run()["text"]).groups())
    angle = math.pi / 27 + 0.0006 / 10
    areas = [0.5 * math.sin(angle) * ((10.9 + s) ** 2 - (9.1 + s) ** 2) for s in (0.0012, 0.0) for _ in range(14 if s else 13)]
    near(weight, sum(areas) * 1.2 * 2400 * 9.81 / 1000, 0.06, "weight")
    equal(lift, weight, "what the abutments carry")


@suite.fact
def the_text_and_the_picture_are_those_of_the_readme():
    check("```text\n" + run()["text"] + "```" in (FOLDER / "README.md").read_text(), f"README has other figures than {run()['text']}")
    equal(run()["picture"], (FOLDER / "sparse_arch.svg").read_text(), "picture")


suite.main()
