"""README.md keeps its word: its commands give the answers printed under them, and its table of files is that of the tree.

A block fenced as `sh` that a block fenced as `json` or `text` follows at once is a command with its exact output: JSON is
compared as JSON, text line by line; numbers of revisions are not compared, and no scene begins at 1. A `sh` block of curl commands without output must succeed. The blocks run in order against
one daemon, started as `make run` starts it but on a free port, which takes the place of 7077, and with an empty folder of its own for
the store. Free ports take the place of those of a fleet, too, and the program that is tested that of build/contactd; what a block leaves
running is ended with it. Blocks that begin with make, docker, git, apt or cd are instructions and are left to the reader.
"""
import json
import os
import re
import shlex
import signal
import subprocess
import tempfile

from support.checks import Suite, check, equal, short
from support.client import curl_environment
from support.daemon import ROOT, Daemon, binary, clean_environment
from support.redis import free_port

BLOCK = re.compile(r"^```(\w*)[ \t]*\n(.*?)^```[ \t]*$", re.M | re.S)
INSTRUCTION = re.compile(r"^\s*(\$ )?(sudo )?(make|docker|git|apt|apt-get|cd|gcc|cc|build/contactd)\b")
PORT = 7077
FLEET_PORTS = 6390, 7080, 7081, 7082, 7083, 7084

suite = Suite()
folder = tempfile.TemporaryDirectory(prefix="contactd-")
suite.cleanup(folder.cleanup)
scratch = tempfile.TemporaryDirectory(prefix="contactd-", ignore_cleanup_errors=True)
suite.cleanup(scratch.cleanup)
readme = (ROOT / "README.md").read_text() if (ROOT / "README.md").exists() else ""


def examples():
    """(line, command, kind of output or None, output)"""
    blocks = [(m.start(), m.end(), m.group(1), m.group(2)) for m in BLOCK.finditer(readme)]
    for i, (start, end, kind, text) in enumerate(blocks):
        if kind not in ("sh", "bash", "console"):
            continue
        line = readme.count("\n", 0, start) + 2
        output = None, None
        if i + 1 < len(blocks):
            after = blocks[i + 1]
            if after[2] in ("json", "text") and readme[end:after[0]].strip() == "":
                output = after[2], after[3]
        yield line, re.sub(r"^\$ ", "", text, flags=re.M), *output


def run_options():
    """What `make run` gives the daemon."""
    recipe = re.search(r"^\t(?:env .*)?\$\(BUILD\)/contactd (.*)$", (ROOT / "Makefile").read_text(), re.M).group(1)
    words = shlex.split(recipe.replace("$(BUILD)/data", folder.name))
    return [word for word in words if not word.startswith("$(")]


def any_revision(text):
    """Numbers of revisions depend on which scenes were deleted before."""
    return re.sub(r'("revision": ?)\d+', r"\g<1>0", text)


def compare(kind, printed, expected):
    printed, expected = any_revision(printed), any_revision(expected)
    if kind == "json":
        try:
            got = json.loads(printed)
        except ValueError:
            got = [json.loads(line) for line in printed.splitlines()]
        try:
            wanted = json.loads(expected)
        except ValueError:
            wanted = [json.loads(line) for line in expected.splitlines()]
        equal(got, wanted, "answer")
    else:
        lines = [[line.rstrip() for line in text.strip("\n").replace(str(daemon.port), str(PORT)).splitlines()]
                 for text in (printed, expected)]
        for i, (got, wanted) in enumerate(zip(*lines), 1):
            equal(got, wanted, f"line {i} of the answer")
        equal(len(lines[0]), len(lines[1]), "number of lines of the answer")


def here(command):
    """The command with this run's ports and program in place of README's."""
    command = command.replace(f"//127.0.0.1:{PORT}", f"//127.0.0.1:{daemon.port}")
    if "build/contactd" in command:
        command = command.replace("build/contactd", shlex.quote(str(binary())))
        for port in FLEET_PORTS:
            command = re.sub(rf"\b{port}\b", str(free_port()), command)
    return command


def shell(command):
    """What bash says of it. Its group is ended with it: no block leaves a program behind."""
    with subprocess.Popen(["bash", "-eo", "pipefail", "-c", command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=clean_environment(curl_environment(), TMPDIR=scratch.name), start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=60)
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def run(command, kind, expected):
    done = shell(here(command))
    check(done.returncode == 0, f"exit status {done.returncode}: {short(done.stderr)} {short(done.stdout)}")
    if expected is None:
        check('"/problems/' not in done.stdout, f"the command was refused: {short(done.stdout)}")
    else:
        compare(kind, done.stdout, expected)


options = run_options()
durability = options[options.index("--durability") + 1] if "--durability" in options else None
if durability:
    at = options.index("--durability")
    del options[at:at + 2]
daemon = Daemon(*options, durability=durability).start()
suite.cleanup(daemon.stop)
for unused in range(2):  # so that no scene of README begins at revision 1
    for method in ("PUT", "DELETE"):
        done = shell(here(f"curl -sf -X {method} http://127.0.0.1:{PORT}/v1/scenes/earlier" + (" -d '{}'" if method == "PUT" else "")))
        check(done.returncode == 0, f"{method} of an earlier scene: {done.stderr} {done.stdout}")
found = [e for e in examples() if e[3] is not None or not INSTRUCTION.match(e[1])]
suite.table("README.md", ((f"line {line}", lambda c=command, k=kind, e=output: run(c, k, e)) for line, command, kind,
                          output in found))


@suite.fact
def the_readme_shows_commands_with_their_answers():
    shown = [e for e in found if e[3] is not None]
    check(len(shown) >= 5, f"only {len(shown)} commands with an answer")
    check(any("/query/overlap" in e[1] for e in shown), "no command asks for the colliding pairs")
    check(any('"clearance"' in e[1] and "0.05" in e[1] for e in shown), "no command asks for the clearances under 5 cm")


@suite.fact
def the_table_of_files_is_that_of_the_tree():
    rows = re.findall(r"^\|\s*`([^`]+)`\s*\|", readme, re.M)
    paths = [r for r in rows if re.fullmatch(r"[\w.][\w./-]*", r) and (r.endswith("/") or "." in r or (ROOT / r).exists())]
    check(len(paths) >= 10, f"only {len(paths)} paths are in the table")
    for path in paths:
        there = (ROOT / path).is_dir() if path.endswith("/") else (ROOT / path).exists()
        check(there, f"{path} is in the table and not in the tree")
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    check(tracked, "git lists no files")
    missing = [f for f in tracked if "/" in f and not f.startswith(".")
               and not any(f == p or f.startswith(p.rstrip("/") + "/") for p in paths)]
    equal(missing, [], "files that no row of the table covers")
    rooms = sorted({os.path.dirname(f) + "/" for f in tracked if f.startswith("engine/") and f.count("/") == 2
                    and f.endswith(".c")})
    equal([r for r in rooms if r not in paths], [], "rooms of the engine that have no row")


@suite.fact
def links_to_files_lead_somewhere():
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", readme):
        check((ROOT / target).exists(), f"{target} is linked and not there")


suite.main()
