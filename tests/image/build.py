#!/usr/bin/python3
"""The images of docker/Dockerfile, built as it is: contactd, and contactd:slim with a shell.

As a program: leaves them in the engine that runs, else as build/image/contactd.tar for `docker load`. A base image that cannot be pulled
is made (base.sh), under the tag that the Dockerfile names, as those of compose.yaml are (standins.Dockerfile); a running engine loses those
tags at the end.
"""
import hashlib
import os
import pathlib
import re
import sys
import time

from engine import BUILD_SECONDS, Engine, run
from support.checks import Failure, Skip

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "tests/image"
KEPT = ROOT / os.environ.get("BUILD", "build") / "image"
IMAGE, SLIM, BASE = "contactd:latest", "contactd:slim", "debian:bookworm-slim"
# A base that was made here is made again after a week, with the security updates since.
BASE_SECONDS = 7 * 86400
PULL_SECONDS = 120
# What the build sees of the tree, by .dockerignore, and what tells it how.
SOURCES = ("Makefile", "LICENSE", "engine", "api", "server", "docker/Dockerfile", "docker/rootfs.sh")


def version():
    return re.search(r"^VERSION\s*:=\s*(\S+)$", (ROOT / "Makefile").read_text(), re.M).group(1)


def git_revision():
    """The commit that the tree is at, or "unknown" where it is none's."""
    head = run(["git", "-C", str(ROOT), "rev-parse", "HEAD"])
    changed = run(["git", "-C", str(ROOT), "status", "--porcelain", "--", *SOURCES])
    return head.stdout.strip() if head.returncode == 0 and not changed.stdout else "unknown"


def digest_of_sources():
    total = hashlib.sha256()
    for name in SOURCES:
        path = ROOT / name
        for file in [path] if path.is_file() else sorted(p for p in path.glob("**/*") if p.is_file()):
            total.update(f"{file.relative_to(ROOT)}\0{file.stat().st_mode & 0o111}\0".encode() + file.read_bytes())
    return total.hexdigest()


def pulled(engine, tag):
    try:
        return engine.has(tag) or engine.call("pull", "--quiet", tag, seconds=PULL_SECONDS).returncode == 0
    except Failure:
        return False


def need_base(engine):
    """Debian, which all images here begin with: pulled, else made."""
    if pulled(engine, BASE):
        return
    kept = KEPT / "base.tar"
    if not kept.exists() or time.time() - kept.stat().st_mtime > BASE_SECONDS:
        KEPT.mkdir(parents=True, exist_ok=True)
        made = KEPT / f"base-{os.getpid()}.tar"
        done = run(["sh", str(HERE / "base.sh"), str(made)], BUILD_SECONDS)
        if done.returncode:
            made.unlink(missing_ok=True)
            raise Failure(f"no image can be pulled, and making one ended with {done.returncode}: {done.stderr[-800:]}")
        made.rename(kept)
    engine.must("import", str(kept), BASE)
    engine.made_tags.append(BASE)


def build_both(engine):
    need_base(engine)
    given = [f"--build-arg=VERSION={version()}", f"--build-arg=REVISION={git_revision()}"]
    engine.build(IMAGE, ROOT / "docker/Dockerfile", ROOT, *given)
    engine.build(SLIM, ROOT / "docker/Dockerfile", ROOT, *given, "--target=slim")


def need_images(engine):
    """Both images, in an engine that can run them. One of our own takes those that were built of the same sources before."""
    if not engine.own:
        build_both(engine)
        return
    digest, archive, stamp = digest_of_sources(), KEPT / "contactd.tar", KEPT / "contactd.sources"
    if archive.exists() and stamp.exists() and stamp.read_text() == digest:
        engine.start("own").must("load", "--input", str(archive))
        return
    stamp.unlink(missing_ok=True)
    build_both(engine.start("host"))
    KEPT.mkdir(parents=True, exist_ok=True)
    engine.must("save", "--output", str(archive), IMAGE, SLIM)
    stamp.write_text(digest)
    engine.start("own")


def main():
    engine = None
    try:
        engine = Engine()
        need_images(engine)
        size = int(engine.inspect(IMAGE, "{{.Size}}"))
        where = f"{os.path.relpath(KEPT, ROOT)}/contactd.tar, for docker load" if engine.own else "in the engine"
        print(f"{IMAGE}, {size / 1e6:.1f} MB, and {SLIM}: {where}")
        return 0
    except (Skip, Failure) as why:
        print(f"no image: {why}", file=sys.stderr)
        return 1
    finally:
        if engine:
            engine.close()


if __name__ == "__main__":
    sys.exit(main())
