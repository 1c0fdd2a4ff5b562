#!/usr/bin/python3
"""The image of docker/Dockerfile, built as it is and run as it should be: see container.py. Without an engine, and without what one of
our own needs, every fact is skipped with the reason."""
import hashlib
import io
import json
import os
import pathlib
import re
import tarfile
import tempfile

from build import IMAGE, SLIM, need_images, version
from container import MEMORY, Beside, Container, once
from engine import Engine
from support.checks import Suite, check, equal, holds
from support.scenes import cell

ROOT = pathlib.Path(__file__).resolve().parents[2]
USER = 65532
BYTES_MAX = 15_000_000
LIST = "usr/share/doc/contactd/spdx.json"
suite = Suite()


@once
def engine():
    made = Engine()
    suite.cleanup(made.close)
    need_images(made)
    return made


def name(word):
    return f"contactd-image-{os.getpid()}-{word}"


def container(word, *options, **rest):
    made = Container(engine(), name(word), IMAGE, *options, **rest)
    suite.cleanup(made.remove)
    return made


@once
def served():
    """One container for all facts that leave it as it is."""
    return container("served").wait_healthy()


@once
def files():
    """The image's files by path: (how the archive describes it, bytes). A later layer's stand before an earlier one's."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        engine().must("save", "--output", f"{folder}/image.tar", IMAGE)
        with tarfile.open(f"{folder}/image.tar") as image:
            manifest = json.load(image.extractfile("manifest.json"))[0]
            for layer in manifest["Layers"]:
                with tarfile.open(fileobj=io.BytesIO(image.extractfile(layer).read())) as archive:
                    for item in archive:
                        found[item.name.strip("/")] = (item, archive.extractfile(item).read() if item.isfile() else b"")
    return found


@once
def spdx():
    return json.loads(files()[LIST][1])


# ---- what is in it -------------------------------------------------------------------------------------------------------------

@suite.fact
def it_is_small():
    size = int(engine().inspect(IMAGE, "{{.Size}}"))
    print(f"the image has {size:,} bytes, {size / 1e6:.1f} MB")
    check(size < BYTES_MAX, f"the image has {size} bytes, aim: less than {BYTES_MAX}")


@suite.fact
def it_holds_the_binary_its_libraries_and_their_licences_and_no_more():
    """No shell and no tool: of programs it has the daemon, and the loader that every binary names."""
    programs = []
    for path, (item, data) in files().items():
        if not item.isfile():
            continue
        if path.startswith(("usr/share/doc/", "usr/share/common-licenses/")):
            check(b"\x7fELF" not in data[:4] and not item.mode & 0o111, f"{path} is a program among the texts")
        else:
            equal(data[:4], b"\x7fELF", f"the first bytes of {path}")
            if not re.search(r"\.so(\.[0-9]+)*$", path):
                programs.append(path)
    equal(programs, ["usr/local/bin/contactd"], "programs")


@suite.fact
def nobody_but_root_may_write_but_to_its_data():
    for path, (item, unused) in files().items():
        if path in ("", "."):
            continue
        owner = USER if path == "data" else 0
        equal((item.uid, item.gid), (owner, owner), f"owner of {path}")
        check(item.issym() or not item.mode & 0o6022, f"{path} has mode {item.mode:o}")
    equal(files()["data"][0].mode & 0o7777, 0o700, "mode of the folder of the data")


@suite.fact
def the_list_of_parts_is_whole_and_true():
    """SPDX 2.3: every file that is loaded, by its digests, in a package with its version."""
    holds(spdx(), {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT"})
    check(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", spdx()["creationInfo"]["created"]), "the list has no date")
    listed = {file["fileName"].removeprefix("./"): file for file in spdx()["files"]}
    equal(set(listed), {path for path, (item, data) in files().items() if data[:4] == b"\x7fELF"}, "files of the list")
    for path, file in listed.items():
        for given in file["checksums"]:
            method = {"SHA1": hashlib.sha1, "SHA256": hashlib.sha256}[given["algorithm"]]
            equal(given["checksumValue"], method(files()[path][1]).hexdigest(), f"{given['algorithm']} of {path}")
    packages = {package["SPDXID"]: package for package in spdx()["packages"]}
    relations = [(r["spdxElementId"], r["relationshipType"], r["relatedSpdxElement"]) for r in spdx()["relationships"]]
    equal(relations[0], ("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-contactd"), "first relation")
    for file in listed.values():
        holders = [a for a, kind, b in relations if kind == "CONTAINS" and b == file["SPDXID"]]
        equal(len(holders), 1, f"packages that contain {file['fileName']}")
        check(packages[holders[0]]["versionInfo"], f"{holders[0]} has no version")
    needed = {b for a, kind, b in relations if (a, kind) == ("SPDXRef-contactd", "DEPENDS_ON")}
    equal(needed | {"SPDXRef-contactd"}, set(packages), "packages that the daemon depends on, and itself")


@suite.fact
def every_part_comes_with_its_licence():
    texts = {path: data.decode("utf-8", errors="replace") for path, (item, data) in files().items() if item.isfile() and data[:4] != b"\x7fELF"}
    for package in spdx()["packages"]:
        text = texts.get(f"usr/share/doc/{package['name']}/copyright", "")
        check(re.search("copyright", text, re.I), f"{package['name']} has no licence text")
        for common in re.findall(r"/usr/share/common-licenses/([A-Z][A-Za-z]*-[0-9.]*[0-9])", text):
            if pathlib.Path("/usr/share/common-licenses", common).exists():
                check(f"usr/share/common-licenses/{common}" in texts, f"{package['name']} names {common}, which is not there")
    equal(texts["usr/share/doc/contactd/copyright"], (ROOT / "LICENSE").read_text(), "the daemon's own licence")


@suite.fact
def its_labels_and_settings_say_what_it_is():
    settings, slim = (json.loads(engine().must("image", "inspect", tag))[0]["Config"] for tag in (IMAGE, SLIM))
    said = engine().must("run", "--rm", IMAGE, "--version")
    equal(said, f"contactd {version()}", "what --version says")
    equal(slim["Labels"], settings["Labels"], "labels of the slim image")
    holds(settings["Labels"], {"org.opencontainers.image.title": "contactd", "org.opencontainers.image.licenses": "MIT",
                               "org.opencontainers.image.version": version()})
    revision = settings["Labels"]["org.opencontainers.image.revision"]
    check(re.fullmatch(r"[0-9a-f]{40}|unknown", revision), f"the label's revision is {revision!r}")
    holds(settings, {"User": f"{USER}:{USER}", "Volumes": {"/data": {}}, "ExposedPorts": {"7077/tcp": {}}, "StopSignal": "SIGTERM"})
    equal(settings["Healthcheck"]["Test"], ["CMD", "/usr/local/bin/contactd", "--healthcheck"], "health check")


# ---- how it runs ---------------------------------------------------------------------------------------------------------------

@suite.fact
def it_runs_without_any_right():
    """Seen from outside by the kernel's own account of the process: user, capabilities, system calls, root file system."""
    process = served().process()
    for ids in ("Uid", "Gid"):
        equal(process[ids].split(), [str(USER)] * 4, ids)
    for kind in ("Inh", "Prm", "Eff", "Bnd", "Amb"):
        equal(int(process[f"Cap{kind}"], 16), 0, f"Cap{kind}")
    equal(process["NoNewPrivs"].strip(), "1", "NoNewPrivs")
    equal(process["Seccomp"].strip(), "2", "Seccomp")
    mounts = {line.split()[4]: line.split()[5].split(",") for line in served().read("/proc/{pid}/mountinfo").strip().split("\n")}
    check("ro" in mounts["/"], f"the root file system is mounted {mounts['/']}")
    check("rw" in mounts["/data"], f"the data are mounted {mounts['/data']}")
    equal(served().memory_limit(), MEMORY, "memory that the kernel allows")


@suite.fact
def a_question_is_answered():
    """Two unit balls whose centres are 3 apart are 1 apart."""
    ball = {"sphere": {"radius": 1}}
    reply = Beside(served()).post("/v1/query/distance", {"a": ball, "b": {**ball, "position": [3, 0, 0]}})
    equal(reply.must(200).json["results"][0]["distance"], 1, "distance")


@suite.fact
def a_killed_container_has_its_scenes_when_it_starts_again():
    """SIGKILL right after the last acknowledgement: once with the same container, once with a new one on the volume."""
    volume = name("volume")
    engine().must("volume", "create", volume)
    suite.cleanup(lambda: engine().call("volume", "rm", "--force", volume))
    first = container("first", f"--volume={volume}:/data").wait_healthy()
    client = Beside(first)
    document = cell(ROOT)
    document.pop("id")
    made = client.post("/v1/scenes", document).must(201).json
    equal((made["revision"], made["durability"]), (1, "disk"), "revision and durability of the new scene")
    path = f"/v1/scenes/{made['id']}"
    body = document["bodies"][-1]["id"]

    def move(by, height):
        return by.patch(f"{path}/poses", {"ids": [body], "positions": [[0.1, 0.2, height]]}).must(200).json["revision"]

    def seen(by):
        replies = [by.get("/v1/scenes"), by.get(path), by.get(f"{path}/poses"), by.post(f"{path}/query/contacts", {})]
        return [(reply.must(200).etag, reply.json.get("scenes", reply.body)) for reply in replies]

    equal(move(client, 3), 2, "revision of the first move")
    before = seen(client)
    equal(move(client, 3.5), 3, "revision of the second move")
    after = seen(client)
    check(before != after, "the second move changes nothing that is looked at")
    first.kill()
    client = Beside(first.again())
    client.get(path).must(200)
    equal(seen(client), after, "what is there after SIGKILL and a start")
    equal(move(client, 4), 4, "revision of the next move")
    after = seen(client)
    first.kill()
    second = container("second", f"--volume={volume}:/data").wait_healthy()
    client = Beside(second)
    client.get(path).must(200)
    equal(seen(client), after, "what is there in a new container on the volume")
    equal(move(client, 4.5), 5, "revision of the next move")


@suite.fact
def sigterm_ends_it_with_status_0():
    ended = container("ended").wait_healthy()
    equal(ended.stop(), 0, "exit status")


@suite.fact
def without_a_token_it_does_not_listen_to_others():
    done = engine().call("run", "--rm", IMAGE)
    equal(done.returncode, 2, "exit status")
    check(len(done.stderr.strip().split("\n")) == 1 and "--token-file" in done.stderr, f"it says {done.stderr!r}")


@suite.fact
def the_slim_image_is_the_same_with_a_shell():
    said = engine().must("run", "--rm", "--entrypoint=sh", SLIM, "-c", "id -u; contactd --version; sha256sum /usr/local/bin/contactd")
    binary = next(file for file in spdx()["files"] if file["fileName"] == "./usr/local/bin/contactd")
    digest = next(given["checksumValue"] for given in binary["checksums"] if given["algorithm"] == "SHA256")
    equal(said.split("\n"), [str(USER), f"contactd {version()}", f"{digest}  /usr/local/bin/contactd"], "what its shell says")
    slim = Container(engine(), name("slim"), SLIM)
    suite.cleanup(slim.remove)
    slim.wait_healthy()
    equal(slim.process()["Uid"].split(), [str(USER)] * 4, "Uid")


suite.main()
