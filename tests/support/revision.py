"""An earlier revision of the tree, and builds of it by its own Makefile."""
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build")


def git(*arguments):
    return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True).stdout


def commit_of(revision):
    return git("rev-parse", "--verify", f"{revision}^{{commit}}").strip()


def extract(commit, folder):
    """The commit's files, in a folder within `folder` that is named by the commit."""
    tree = pathlib.Path(folder) / f"tree-{commit[:12]}"
    if not tree.exists():
        partial = tree.with_suffix(".partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        with subprocess.Popen(["git", "-C", str(ROOT), "archive", commit], stdout=subprocess.PIPE) as archive:
            subprocess.run(["tar", "-x", "-C", str(partial)], stdin=archive.stdout, check=True)
        partial.rename(tree)
    return tree


def build(tree, folder, targets, flags=""):
    """Builds targets (paths within the build folder) of a tree by its own Makefile, in `folder`. Ends the program if that fails."""
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS", "MAKELEVEL", "BASE", "BUILD", "CC", "OPT")}
    variables = [f"{name}={os.environ[name]}" for name in ("CC", "OPT") if os.environ.get(name)]
    run = subprocess.run(["make", "-C", str(tree), "-j2", f"BUILD={folder}", *([f"EXTRA_CFLAGS={flags}"] if flags else []), *variables,
                          *(f"{folder}/{target}" for target in targets)],
                         env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if run.returncode:
        print(f"{run.stdout}FAILED {tree}: does not compile\n0 passed, 1 failed, 0 skipped")
        sys.exit(1)
