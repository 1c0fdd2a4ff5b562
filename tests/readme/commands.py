"""Runs every command of every document (*.md) and compares its output with the document.

A block fenced as `sh`, `python` or `js` that a block fenced as `json` or `text` follows at once is
a program with its exact output: JSON is compared as JSON, text line by line; revision numbers are
not compared, and no scene begins at revision 1. A `sh` block without output must succeed.

Each document has its own daemon, so that a reader may begin with any of them: its blocks run in
order, against a daemon started as `make run` starts it, on a free port in place of 7077, with an
empty data folder. Free ports also replace those of a fleet, and the tested program replaces
build/release/contactd. Programs that a block leaves running are ended with it. `sh` blocks without output
that begin with make, docker, git, apt or cd are instructions for the reader and are not run.
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
from support.text import blocks_of, documents

INSTRUCTION = re.compile(
    r"^\s*(\$ )?(sudo )?(make|docker|git|apt|apt-get|cd|gcc|cc|build/release/contactd)\b")
PORT = 7077
FLEET_PORTS = 6390, 7080, 7081, 7082, 7083, 7084
SHELL = ["bash", "-eo", "pipefail", "-c"]
INTERPRETERS = {"sh": SHELL, "bash": SHELL, "console": SHELL, "python": ["/usr/bin/python3", "-c"],
                "js": ["node", "--input-type=module", "-e"]}

suite = Suite()
scratch = tempfile.TemporaryDirectory(prefix="contactd-", ignore_cleanup_errors=True)
suite.cleanup(scratch.cleanup)


class Example:
    """A program in a document, with the kind and text of its output or None."""

    def __init__(self, block, output):
        self.line, self.language = block.line, block.language
        self.text = re.sub(r"^\$ ", "", block.text, flags=re.M)
        self.kind, self.expected = (output.language, output.text) if output else (None, None)

    def is_run(self):
        """Programs without output are run elsewhere, and instructions by the reader."""
        if self.expected is not None:
            return True
        return INTERPRETERS[self.language] is SHELL and not INSTRUCTION.match(self.text)


def examples(document):
    blocks = blocks_of(document)
    for i, block in enumerate(blocks):
        if block.language in INTERPRETERS:
            after = blocks[i + 1] if i + 1 < len(blocks) else None
            followed = after and after.language in ("json", "text") and after.follows_at_once
            yield Example(block, after if followed else None)


def run_options(data):
    """The options of `make run`, and the durability among them."""
    makefile = (ROOT / "Makefile").read_text()
    recipe = re.search(r"^\t(?:env .*)?\$\(RELEASE_BUILD\)/contactd (.*)$", makefile, re.M).group(1)
    words = shlex.split(recipe.replace("$(BUILD)/data", data))
    options = [word for word in words if not word.startswith("$(")]
    durability = None
    if "--durability" in options:
        at = options.index("--durability")
        durability = options[at + 1]
        del options[at:at + 2]
    return options, durability


def without_revisions(text):
    """Revision numbers depend on which scenes were deleted before."""
    return re.sub(r'("revision": ?)\d+', r"\g<1>0", text)


def json_values(text):
    try:
        return json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines()]


def compare(example, printed, port):
    printed, expected = without_revisions(printed), without_revisions(example.expected)
    if example.kind == "json":
        equal(json_values(printed), json_values(expected), "answer")
        return
    lines = [[line.rstrip() for line in text.strip("\n").replace(str(port), str(PORT)).splitlines()]
             for text in (printed, expected)]
    for i, (got, wanted) in enumerate(zip(*lines), 1):
        equal(got, wanted, f"line {i} of the answer")
    equal(len(lines[0]), len(lines[1]), "number of lines of the answer")


def localized(program, port):
    """The program with the ports and the daemon of this run in place of the document's."""
    program = program.replace(f"//127.0.0.1:{PORT}", f"//127.0.0.1:{port}")
    if "build/release/contactd" in program:
        program = program.replace("build/release/contactd", shlex.quote(str(binary())))
        for fleet_port in FLEET_PORTS:
            program = re.sub(rf"\b{fleet_port}\b", str(free_port()), program)
    return program


def execute(program, interpreter=SHELL):
    """Runs a program in a process group that ends with it: nothing that it starts stays behind."""
    environment = clean_environment(curl_environment(), TMPDIR=scratch.name)
    with subprocess.Popen([*interpreter, program], cwd=ROOT, env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=60)
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    return subprocess.CompletedProcess(program, process.returncode, out, err)


class Documented:
    """A document, its examples, and the daemon of its programs, which the first of them starts."""

    def __init__(self, path):
        self.path = path
        self.examples = [e for e in examples(path) if e.is_run()]
        self.daemon = None

    def start(self):
        folder = tempfile.TemporaryDirectory(prefix="contactd-")
        suite.cleanup(folder.cleanup)
        options, durability = run_options(folder.name)
        self.daemon = Daemon(*options, durability=durability).start()
        suite.cleanup(self.daemon.stop)
        for unused in range(2):  # so that no scene of the document begins at revision 1
            for request in ("PUT -d '{}'", "DELETE"):
                url = f"{self.daemon.base}/v1/scenes/earlier"
                done = execute(f"curl -sf {url} -X {request}")
                check(done.returncode == 0, f"{request} of a scene: {done.stderr} {done.stdout}")

    def run(self, example):
        if self.daemon is None:
            self.start()
        program = localized(example.text, self.daemon.port)
        done = execute(program, INTERPRETERS[example.language])
        printed = f"{short(done.stderr)} {short(done.stdout)}"
        check(done.returncode == 0, f"exit status {done.returncode}: {printed}")
        if example.expected is None:
            check('"/problems/' not in done.stdout, f"the command was refused: {printed}")
        else:
            compare(example, done.stdout, self.daemon.port)


documented = [d for d in map(Documented, documents()) if d.examples]
for each in documented:
    suite.table(str(each.path), ((f"line {e.line}", lambda d=each, e=e: d.run(e))
                                 for e in each.examples))


def shown(language):
    return [e for d in documented for e in d.examples
            if e.expected is not None and e.language == language]


@suite.fact
def the_commands_of_the_documents_have_the_documented_output():
    commands = shown("sh")
    check(len(commands) >= 40, f"only {len(commands)} commands with an answer")
    check(any("/query/overlap" in e.text for e in commands), "no command queries overlaps")
    check(any('"clearance"' in e.text and "0.05" in e.text for e in commands),
          "no command queries the clearances under 5 cm")
    check(shown("python"), "no program in Python with an answer")
    check(shown("js"), "no program in JavaScript with an answer")


@suite.fact
def the_readme_has_the_same_query_in_three_languages():
    first = [e for d in documented if str(d.path) == "README.md" for e in d.examples][:3]
    equal([e.language for e in first], ["sh", "python", "js"], "languages of the first programs")
    for example in first:
        for word in ("/v1/query/distance", "box", "[1, 1, 1]", "sphere", "0.5", "[0.875, 0, 0]"):
            check(word in example.text, f"{word} is not in the program in {example.language}")


suite.main()
