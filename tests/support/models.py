"""Real models of Debian packages that `make test` installs. Where the machine's package manager omits documentation
(in container images), the package is downloaded again and unpacked into the build folder. Without the model a fact
fails; it is not skipped."""
import pathlib
import subprocess
import tempfile

from support.checks import Failure, short
from support.daemon import BUILD, ROOT

DART = "usr/share/doc/dart/data"


def fetched(package, folder):
    """Downloads the package from the archive into the folder."""
    run = subprocess.run(["apt-get", "download", "-qq", package], cwd=folder, capture_output=True, text=True)
    files = sorted(folder.glob("*.deb"))
    if run.returncode or not files:
        raise Failure(f"{package} is neither installed with its files nor to be had: {short(run.stderr)}")
    return files[0]


def unpacked(package, root=None, fetch=fetched):
    """A folder with the package's files in their paths below /. Programs may request it concurrently: each unpacks
    its own copy, and the first that is complete is renamed to the final name."""
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
