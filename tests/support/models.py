"""Real models out of Debian packages that `make test` installs. Where the machine leaves documentation out when it installs (images of
containers do), the package is fetched once more and unpacked into the build folder. Without the model a fact fails: it is not skipped."""
import pathlib
import subprocess

from support.checks import Failure, short
from support.daemon import BUILD, ROOT

DART = "usr/share/doc/dart/data"


def unpacked(package):
    """A folder in which the package's files lie as they would below /."""
    folder = (ROOT / BUILD if not BUILD.is_absolute() else BUILD) / "debian" / package
    if not folder.exists():
        fetched = folder.with_suffix(".fetched")
        fetched.mkdir(parents=True, exist_ok=True)
        run = subprocess.run(["apt-get", "download", "-qq", package], cwd=fetched, capture_output=True, text=True)
        files = sorted(fetched.glob("*.deb"))
        if run.returncode or not files:
            raise Failure(f"{package} is neither installed with its files nor to be had: {short(run.stderr)}")
        subprocess.run(["dpkg-deb", "-x", files[0], folder], check=True)
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
