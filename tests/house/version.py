#!/usr/bin/python3
"""The version is the same in the Makefile, the OpenAPI document, the Dockerfile and the changelog; a tag of this commit agrees with it.
The changelog has the formats of this version's stores.

Prints the version, what differs, and "N passed, N failed, N skipped".
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def found(path, pattern):
    match = re.search(pattern, (ROOT / path).read_text(), re.M)
    return match[1] if match else None


def faults(version):
    yield None if re.fullmatch(r"\d+\.\d+\.\d+", version) else f"Makefile: VERSION is {version!r}, expected three numbers"
    for path, other in (("api/openapi.json", json.loads((ROOT / "api/openapi.json").read_text())["info"]["version"]),
                        ("docker/Dockerfile", found("docker/Dockerfile", r"^ARG VERSION=(\S+)$")),
                        (".github/CHANGELOG.md", found(".github/CHANGELOG.md", r"^## (\d\S*?),? "))):
        yield None if other == version else f"{path}: version {other}, the Makefile has {version}"
    abi = found("Makefile", r"^SONAME +:= libcontact\.so\.(\d+)$")
    yield None if abi is not None else "Makefile: SONAME has no number"
    tags = subprocess.run(["git", "tag", "--points-at", "HEAD", "v*"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    for tag in tags:
        yield None if tag == f"v{version}" else f"tag {tag}: the Makefile has version {version}"
        yield f"tag {tag}: the changelog still says unreleased" if found(".github/CHANGELOG.md", rf"^## {re.escape(version)}, (unreleased)$") else None


def formats():
    """The formats of stores, as the changelog writes them."""
    records = found("api/include/api/record.h", r"^#define API_RECORD_FORMAT (\d+)$")
    redis = found("server/store/store_redis.h", r'^#define SRV_REDIS_FORMAT "(\d+)"$')
    steps = found("server/store/store_sqlite_format.c", r"^static const char \*const steps\[\] = \{([^}]*)\};$") or ""
    return f"Formats: records {records}, file {len(steps.split(','))}, Redis {redis}."


def format_fault():
    listed = found(".github/CHANGELOG.md", r"^(Formats: [^(]*\.)")
    return None if listed == formats() else f".github/CHANGELOG.md: {listed}, the sources have: {formats()}"


def main():
    version = found("Makefile", r"^VERSION +:= (\S+)$") or ""
    print(f"contactd {version}")
    results = [*faults(version), format_fault()]
    for fault in filter(None, results):
        print(f"FAILED {fault}")
    failed = sum(fault is not None for fault in results)
    print(f"{len(results) - failed} passed, {failed} failed, 0 skipped")
    return failed != 0


sys.exit(main())
