"""Settings by option, environment and file: precedence, messages of refusals, the form of the file, and the output
of --print-config."""
import json
import os
import pathlib
import re
import subprocess
import tempfile

from support.checks import Suite, check, equal
from support.client import KeepAlive
from support.daemon import ROOT, Daemon, binary, clean_environment
from support.pace import SLOWER

suite = Suite()
folder = tempfile.TemporaryDirectory(prefix="contactd-config-")
suite.cleanup(folder.cleanup)
SHOWN = re.compile(r"^(?P<mark># )?(?P<name>[a-z-]+) = (?P<value>.*?) +# (?P<origin>default|file|environment|flag)(?P<note>, .*)?$")


def run(*options, **environment):
    return subprocess.run([str(binary()), *options], capture_output=True, text=True, timeout=60 * SLOWER, cwd=ROOT, check=False,
                          env=clean_environment(**environment))


def file_of(text, name="contactd.conf"):
    path = pathlib.Path(folder.name) / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


def shown(*options, **environment):
    """{option: (values, origin)} of --print-config; limits as "limit jsonBytes"."""
    result = run(*options, "--print-config", **environment)
    equal((result.returncode, result.stderr), (0, ""), "exit status and standard error")
    settings = {}
    for line in result.stdout.splitlines()[1:]:
        match = SHOWN.match(line)
        check(match, f"no setting: {line!r}")
        name, value = match["name"], match["value"]
        if name == "limit":
            name, value = "limit " + value.split("=")[0], value.split("=")[1]
        values, origin = settings.setdefault(name, ([], match["origin"]))
        equal(match["origin"], origin, f"origin of {name}")
        if not (match["note"] or "").startswith(", none"):
            values.append(value)
    return settings


# ---- precedence ------------------------------------------------------------------------------------------------------------

FILE = "port = 1\nallow-host = file.example\nallow-host = file-too.example\ninsecure = 1\nlog = off\nlimit = queue=11\naddress = ::1\n"
ENVIRONMENT = {"CONTACTD_PORT": "2", "CONTACTD_ALLOW_HOST": "e.example,e2.example", "CONTACTD_INSECURE": "0", "CONTACTD_LOG": "stderr",
               "CONTACTD_QUEUE": "22", "CONTACTD_ADDRESS": "127.0.0.2"}
FLAGS = ("--port", "3", "--allow-host", "flag.example", "--insecure", "--log=off", "--limit", "queue=33", "--address", "127.0.0.3")
ORDER = {
    "port": (["1"], ["2"], ["3"], ["7077"]),
    "allow-host": (["file.example", "file-too.example"], ["e.example", "e2.example"], ["flag.example"], []),
    "insecure": (["1"], ["0"], ["1"], ["0"]),
    "log": (["off"], ["stderr"], ["off"], ["stderr"]),
    "limit queue": (["11"], ["22"], ["33"], ["256"]),
    "address": (["::1"], ["127.0.0.2"], ["127.0.0.3"], ["127.0.0.1"]),
}


def comes_first(sources):
    """The setting of the last source in the order file, environment, option is in force."""
    def fact():
        options = (*FLAGS,) if "flag" in sources else ()
        if "file" in sources:
            options = ("--config", file_of(FILE), *options)
        settings = shown(*options, **(ENVIRONMENT if "environment" in sources else {}))
        order = ["file", "environment", "flag"]
        holds = max(sources, key=order.index) if sources else "default"
        for name, values in ORDER.items():
            equal(settings[name], (values[order.index(holds) if sources else 3], holds), name)
    return fact


suite.table("settings by", [(" and ".join(s) or "default", comes_first(s)) for s in (
    [], ["file"], ["environment"], ["flag"], ["file", "environment"], ["file", "flag"], ["environment", "flag"],
    ["file", "environment", "flag"])])


@suite.fact
def the_file_is_named_by_a_flag_or_by_the_environment():
    one, other = file_of("port = 1\n", "one.conf"), file_of("port = 2\n", "other.conf")
    equal(shown(CONTACTD_CONFIG=one)["port"], (["1"], "file"), "port by the environment's file")
    equal(shown("--config", other, CONTACTD_CONFIG=one)["port"], (["2"], "file"), "port by the flag's file")
    equal(shown("--config", one)["config"], ([one], "flag"), "the file itself")
    equal(shown(f"--config={one}", "--config", other)["port"], (["2"], "file"), "port by the last flag's file")


@suite.fact
def a_value_that_looks_like_an_option_is_not_read_as_config():
    settings = shown("--allow-host", "--config", "--scene=--config=x")
    equal((settings["allow-host"][0], settings["config"][0]), (["--config"], []), "host and file")


@suite.fact
def a_daemon_has_the_settings_of_its_file():
    path = file_of("# of a test\nworkers = 1\nlimit = jsonBytes=2048\nlimit = deadlineMs=1234\n")
    with Daemon("--config", path) as d:
        limits = json.dumps(KeepAlive(d).get("/v1/limits").must(200).json)
    check("2048" in limits and "1234" in limits, f"the limits are {limits}")


# ---- the file's form -------------------------------------------------------------------------------------------------------

def read_as(text, **expected):
    def fact():
        settings = shown("--config", file_of(text))
        for name, value in expected.items():
            equal(settings[name.replace("_", "-")][0], value if isinstance(value, list) else [value], name)
    return fact


suite.table("a file", [
    ("of nothing", read_as("", port="7077")),
    ("of blank lines and comments", read_as("\n  \n# a\n\t# b = c\n#port = 1\n", port="7077")),
    ("without a last line's end", read_as("port = 9", port="9")),
    ("with lines that end as on other systems", read_as("port = 9\r\nlog = off\r\n", port="9", log="off")),
    ("without blanks", read_as("port=9\nallow-host=a.example\n", port="9", allow_host="a.example")),
    ("with many blanks", read_as("\t port\t =  9 \t\n", port="9")),
    ("with comments behind values", read_as("port = 9 # not 10\nlog = off\t#\n", port="9", log="off")),
    ("with a sign in a value that is no comment", read_as("token-file = /a#b\ndata = /c=d\n", token_file="/a#b", data="/c=d")),
    ("with blanks in a value", read_as("data = /my data/here\n", data="/my data/here")),
])


def refused(text, *words, name="bad.conf"):
    def fact():
        path = file_of(text, name)
        result = run("--config", path, "--print-config")
        equal((result.returncode, result.stdout), (2, ""), "exit status and standard output")
        lines = result.stderr.strip().split("\n")
        equal(len(lines), 1, f"lines of {lines}")
        check(lines[0].startswith("contactd: ") and lines[0][-1] in ".?", f"no sentence: {lines[0]!r}")
        for word in (path, *words):
            check(word in lines[0], f"{word!r} is not in {lines[0]!r}")
    return fact


suite.table("refused: a file with", [
    ("an unknown option", refused("\nprot = 1\n", ":2:", "prot")),
    ("an unknown limit", refused("limit = qeue=1\n", ":1:", "limit", "qeue")),
    ("a limit without its name", refused("limit = 12\n", ":1:", "limit", "12")),
    ("a limit's name as if it were an option", refused("jsonBytes = 2048\n", ":1:", "jsonBytes")),
    ("a value out of range", refused("# a\n# b\nport = 70000\n", ":3:", "port", "70000", "65535")),
    ("a limit out of range", refused("limit = jsonDepth=7\n", ":1:", "jsonDepth", "8", "512")),
    ("a word that is none", refused("log = file\n", ":1:", "log", "stderr")),
    ("a flag that is neither", refused("insecure = yes\n", ":1:", "insecure", "0", "1")),
    ("a bare flag", refused("insecure\n", ":1:", "NAME = VALUE")),
    ("no name", refused("= 5\n", ":1:", "no option is named")),
    ("no value", refused("address =\n", ":1:", "address", "empty")),
    ("only a comment as value", refused("address = # here\n", ":1:", "address", "empty")),
    ("an option that is set twice", refused("port = 1\nport = 1\n", ":2:", "port", "twice")),
    ("a limit that is set twice", refused("limit = queue=1\nlog = off\nlimit = queue=1\n", ":3:", "limit", "twice")),
    ("dashes", refused("--port = 1\n", ":1:", "--port")),
    ("another file", refused("config = /x\n", ":1:", "config", "command line")),
    ("an action", refused("healthcheck = 1\n", ":1:", "healthcheck", "command line")),
    ("a zero byte", refused(b"port = 1\0\n", "zero byte")),
    ("more than a file has", refused("#" * 1100000, "1 MiB")),
])


@suite.fact
def a_file_that_cannot_be_read_is_refused():
    pipe = os.path.join(folder.name, "pipe")
    os.mkfifo(pipe, 0o600)
    for path, word in (("/nowhere/contactd.conf", "No such file"), ("/", "directory"), (pipe, "not a regular file")):
        for given, result in (("--config", run("--config", path)), ("CONTACTD_CONFIG", run(CONTACTD_CONFIG=path))):
            equal((result.returncode, result.stdout, result.stderr.count("\n")), (2, "", 1), "exit status, output, lines")
            check(f"contactd: {given}: {path}" in result.stderr and word in result.stderr, f"it says {result.stderr!r}")


@suite.fact
def a_variable_of_no_option_is_refused():
    for name in ("CONTACTD_PROT", "CONTACTD_", "CONTACTD_PORT_", "CONTACTD_LIMIT", "CONTACTD_HEALTHCHECK", "CONTACTD_PRINT_CONFIG",
                 "CONTACTD_SERVICE_HOST"):
        result = run("--print-config", **{name: "1"})
        equal((result.returncode, result.stdout, result.stderr.count("\n")), (2, "", 1), f"status, output and lines with {name}")
        check(f"{name}:" in result.stderr, f"it says {result.stderr!r}")
    equal(run("--print-config", CONTACT_PORT="1", contactd_port="1").returncode, 0, "status with variables of others")


@suite.fact
def help_and_version_work_with_invalid_settings():
    for option in ("--help", "--version"):
        equal(run(option, CONTACTD_PROT="1", CONTACTD_PORT="x").returncode, 0, f"status of {option}")


# ---- --print-config --------------------------------------------------------------------------------------------------------

@suite.fact
def every_option_and_limit_is_shown():
    listed = set(re.findall(r"^  --([a-z-]+)", run("--help").stdout, re.M)) - {"limit", "help", "version", "healthcheck", "print-config"}
    limits = {f"limit {name}" for name in re.findall(r"--limit (\w+)=N", run("--help").stdout)}
    check(len(listed) >= 10 and len(limits) >= 30, f"--help lists {listed}")
    equal(set(shown()), listed | limits, "options shown")


@suite.fact
def the_output_of_print_config_is_a_file_with_the_same_settings():
    options = (*FLAGS, "--config", file_of(FILE), "--scene", "a b.json", "--token-file", "/x")
    first = shown(*options, CONTACTD_WORKERS="3")
    text = run(*options, "--print-config", CONTACTD_WORKERS="3").stdout
    again = shown("--config", file_of(text, "again.conf"))
    for name, (values, unused) in first.items():
        if name != "config":
            equal(again[name][0], values, name)
            equal(again[name][1], "file" if values else "default", f"origin of {name}")


@suite.fact
def a_value_that_a_file_cannot_express_is_refused_by_print_config():
    for value in ("/a #b", "#a", " /a", "/a ", "/a\t", "/a\nport = 1", "/a\rb"):
        for given, result in (("--data", run("--data", value, "--print-config")), ("--scene", run("--scene", value, "--print-config")),
                              ("CONTACTD_DATA", run("--print-config", CONTACTD_DATA=value))):
            equal((result.returncode, result.stdout, result.stderr.count("\n")), (2, "", 1), f"status, output and lines with {value!r}")
            check(f"contactd: {given}: " in result.stderr, f"it says {result.stderr!r}")
    for value in ("/a#b", "/a b", "a = b", "=", '"a"', "/\u00e4"):
        equal(shown("--config", file_of(run("--data", value, "--print-config").stdout, "again.conf"))["data"], ([value], "file"), "data")


@suite.fact
def a_limit_that_another_limit_lowers_is_marked():
    text = run("--limit", "deadlineMaxMs=1000", "--print-config").stdout
    check(re.search(r"^limit = deadlineMs=1000 +# default, lowered from 5000$", text, re.M), f"deadlineMs is shown as {text}")


@suite.fact
def the_token_is_not_printed():
    token = pathlib.Path(folder.name) / "token"
    token.write_text("the-secret-itself\n")
    token.chmod(0o600)
    result = run("--token-file", str(token), "--print-config")
    check(str(token) in result.stdout, "the file is not named")
    check("the-secret-itself" not in result.stdout + result.stderr, "the token is shown")


@suite.fact
def a_value_with_a_line_break_is_not_printed_as_two_lines():
    result = run("--print-config", CONTACTD_DATA="/x\nport = 1")
    check("\nport = 1" not in result.stdout, "a value stands on two lines")


@suite.fact
def print_config_serves_nothing_and_creates_no_file():
    place = pathlib.Path(folder.name) / "made"
    place.mkdir()
    equal(run("--durability", "disk", "--data", str(place), "--print-config").returncode, 0, "exit status")
    equal(os.listdir(place), [], "files in the folder")


suite.main()
