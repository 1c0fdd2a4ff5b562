"""Real models out of Debian packages that `make test` installs. Where the machine leaves documentation out when it installs (images of
containers do), the package is fetched once more and unpacked into the build folder. Without the model a fact fails: it is not skipped."""
import pathlib
import subprocess
import tempfile

from support.checks import Failure, short
from support.daemon import BUILD, ROOT

DART = "usr/share/doc/dart/data"


def fetched(package, folder):
    """The package as the archive has it, in a file of the folder."""
    run = subprocess.run(["apt-get", "download", "-qq", package], cwd=folder, capture_output=True, text=True)
    files = sorted(folder.glob("*.deb"))
    if run.returncode or not files:
        raise Failure(f"{package} is neither installed with its files nor to be had: {short(run.stderr)}")
    return files[0]


def unpacked(package, root=None, fetch=fetched):
    """A folder in which the package's files lie as they would below /. Programs that run side by side may ask for it at the same
    time: each unpacks for itself, and the first that is done gives the folder its name, whole."""
    root = root or (BUILD if BUILD.is_absolute() else ROOT / BUILD) / "debian"
    folder = root / package
    if not folder.exists():
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=package, dir=root) as own:
            own = pathlib.Path(own)
            subprocess.run(["dpkg-deb", "-x", fetch(package, own), own / "files"], check=True)
            try:
                (own / "files").rename(folder)
            except OSError:
                if not folder.exists():
                    raise
    return folder


def dart(path):
    """A file or folder of dart-doc's data, such as urdf/KR5."""
    installed = pathlib.Path("/") / DART / path
    if installed.exists():
        return installed
    found = unpacked("dart-doc") / DART / path
    if not found.exists():
        raise Failure(f"dart-doc has no {path}")
    return found
