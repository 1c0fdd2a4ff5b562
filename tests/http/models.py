"""Models of Debian packages (support/models.py): programs that request a package at the same time all get it whole."""
import concurrent.futures
import pathlib
import subprocess
import tempfile
import threading

from support import models
from support.checks import Suite, equal
from support.stopwatch import Stopwatch

FILES, ASKERS = 300, 6
suite = Suite()


def package_in(folder):
    """A package of small files, built by this test."""
    control = folder / "tree/DEBIAN/control"
    control.parent.mkdir(parents=True)
    control.write_text("Package: many\nVersion: 1\nArchitecture: all\nMaintainer: none <none@localhost>\nDescription: files\n")
    for i in range(FILES):
        (folder / f"tree/file-{i}").write_text(str(i))
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", "tree", "many.deb"], cwd=folder, check=True, capture_output=True)
    return folder / "many.deb"


@suite.fact
def a_package_requested_by_several_programs_at_once_is_whole():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        package, root, start = package_in(folder), folder / "debian", threading.Barrier(ASKERS)

        def ask(number):
            start.wait()
            watch = Stopwatch()
            while number % 2 and not any(root.glob("*")) and not watch.hangs():
                pass  # these request it while the others unpack
            found = models.unpacked("many", root, lambda unused, unused_too: package)
            return len(list(found.glob("file-*")))

        with concurrent.futures.ThreadPoolExecutor(ASKERS) as pool:
            equal(list(pool.map(ask, range(ASKERS))), [FILES] * ASKERS, "files seen")
        equal(sorted(path.name for path in root.iterdir()), ["many"], "what is left")


suite.main()
