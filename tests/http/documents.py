"""The daemon's description of itself: health, limits, version, problem types, the OpenAPI document."""
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import threading

import jsonschema

from support.checks import Suite, check, equal, near, near_list
from support.client import Curl
from support.daemon import ROOT, Daemon, binary, clean_environment
from support.instances import Maker, schemas_of
from support.quick_schema import Quick

suite = Suite()
daemon = Daemon("--workers", "3", "--limit", "jsonBytes=65536").start()
suite.cleanup(daemon.stop)
client = Curl(daemon)


def problems_of_source():
    """(name, status, title) of every row of problems.def."""
    text = (ROOT / "api/include/api/problems.def").read_text()
    return [(n, int(s), t) for n, s, t in re.findall(r'^X\(\w+, "([^"]+)", (\d+), "([^"]+)"', text, re.M)]


def limits_of_source():
    text = (ROOT / "api/include/api/api.h").read_text()
    return re.findall(r'^\s*X\(\w+, "(\w+)", (\d+),', text, re.M)


@suite.fact
def the_daemon_is_alive_and_ready():
    client.get("/livez").must(200)
    client.get("/readyz").must(200)


@suite.fact
def all_limits_are_listed_with_their_values_in_force():
    limits = client.get("/v1/limits").must(200).json
    flat = json.dumps(limits)
    for name, standard in limits_of_source():
        check(f'"{name}"' in flat, f"{name} is not shown")
    check("65536" in flat, "the value given at start is not shown")


@suite.fact
def version_is_that_of_the_makefile():
    version = re.search(r"^VERSION\s*:?=\s*(\S+)", (ROOT / "Makefile").read_text(), re.M).group(1)
    equal(client.get("/v1/version").must(200).json["version"], version, "version")
    equal(client.get("/openapi.json").json["info"]["version"], version, "version of the OpenAPI document")


@suite.fact
def every_problem_type_has_a_page():
    rows = problems_of_source()
    check(len(rows) > 30, f"only {len(rows)} problems found")
    for name, status, title in rows:
        reply = client.get(f"/problems/{name}").must(200)
        check(title in reply.text and str(status) in reply.text, f"the page of {name} lacks its title or status: {reply.text}")
    client.get("/problems/no-such-problem").problem(404, "not-found")


@suite.fact
def every_problem_is_in_the_openapi_document():
    text = json.dumps(client.get("/openapi.json").json)
    for name, unused, title in problems_of_source():
        check(f"/problems/{name}" in text, f"{name} is not in the OpenAPI document")


@suite.fact
def the_openapi_document_is_the_one_of_the_tree_and_its_schemas_are_schemas():
    reply = client.get("/openapi.json").must(200)
    document = reply.json
    equal(document, json.loads((ROOT / "api/openapi.json").read_text()), "document")
    equal(document["openapi"].rsplit(".", 1)[0], "3.1", "openapi")
    for name, schema in document["components"]["schemas"].items():
        try:
            jsonschema.Draft202012Validator.check_schema(schema)
        except jsonschema.SchemaError as why:
            check(False, f"schema {name}: {why.message}")


def references(node):
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


@suite.fact
def every_reference_of_the_openapi_document_resolves():
    document = client.get("/openapi.json").json
    for reference in set(references(document)):
        node = document
        for part in reference.lstrip("#/").split("/"):
            part = part.replace("~1", "/").replace("~0", "~")
            check(isinstance(node, dict) and part in node, f"{reference} leads nowhere")
            node = node[part]


@suite.fact
def quick_schema_decides_like_jsonschema():
    """support/quick_schema.py checks every reply in these tests first: on random values it decides like jsonschema."""
    document, rng, told = client.document, random.Random(7), []
    for schema in schemas_of(document.document):
        for i in range(400 if os.environ.get("CONTACTD_FULL") else 10):
            value = Maker(document.document, rng, (0, 0.01, 0.1, 0.3)[i % 4]).value(schema)
            told.append(document.quick.check(schema)(value))
            error = document.judge(schema, value)
            equal(told[-1], error is None, f"verdict ({error and error.message}) of {json.dumps(schema)[:200]} on {json.dumps(value)}")
    check(min(told.count(True), told.count(False)) > len(told) / 4, f"{told.count(True)} of {len(told)} are good")


@suite.fact
def quick_schemas_may_be_compiled_by_several_threads_at_once():
    """Clients in threads share one document; the first ones compile its schemas concurrently."""
    document, rng = client.document, random.Random(8)
    schemas = [s for s in schemas_of(document.document) if "$ref" in json.dumps(s)]
    questions = [(schema, Maker(document.document, rng, 0.1).value(schema)) for schema in schemas]
    expected = [document.quick.check(schema)(value) for schema, value in questions]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for unused in range(10):
                quick, start = Quick(document.document), threading.Barrier(8)

                def judge(unused, quick=quick, start=start):
                    start.wait()
                    return [quick.check(schema)(value) for schema, value in questions]

                for verdicts in pool.map(judge, range(8)):
                    equal(verdicts, expected, "verdicts of a thread")
    finally:
        sys.setswitchinterval(interval)


@suite.fact
def every_route_is_documented_and_nothing_else():
    source = (ROOT / "api/routes/routes.c").read_text().replace('SCENE "', '"/v1/scenes/{s}').replace("SCENE,", '"/v1/scenes/{s}",')
    routes = set(re.findall(r'\{"([A-Z]+)",\s*"([^"]+)",', source))
    # The routes of a kind of query follow from its row in the list of kinds.
    kinds = re.findall(r'^ +X\(\w+, \w+, "(\w+)", (BOTH|SCENE)\)', (ROOT / "api/queries/query_kind.h").read_text(), re.M)
    check(len(kinds) > 15, f"only {len(kinds)} kinds found")
    routes |= {("POST", "/v1/scenes/{s}/query/" + word) for word, unused in kinds}
    routes |= {("POST", "/v1/query/" + word) for word, where in kinds if where == "BOTH"}
    check(len(routes) > 30, f"only {len(routes)} routes found")
    shape = lambda path: re.sub(r"\{\w+\}", "{}", path)
    documented = {(method, shape(path)) for path, method, unused in client.document.operations()}
    served = {(method, shape(path)) for method, path in routes} | {("GET", "/livez"), ("GET", "/readyz"), ("GET", "/metrics")}
    equal(sorted(served - documented), [], "routes that are not documented")
    equal(sorted(documented - served), [], "operations that are not served")


@suite.fact
def every_operation_has_a_summary_an_id_of_its_own_and_problems():
    ids = []
    for path, method, operation in client.document.operations():
        check(operation.get("summary"), f"{method} {path} has no summary")
        ids.append(operation.get("operationId"))
        check(any(status[0] == "2" for status in operation["responses"]), f"{method} {path} documents no success")
    check(None not in ids and len(set(ids)) == len(ids), "operation ids are missing or twice")


@suite.fact
def a_path_that_is_not_implemented_is_not_found():
    for path in ("/viewer/", "/metrics/", "/v1/shapes/a/b", "/v1/solve", "/v1/scenes/x/step", "/v1"):
        client.get(path).problem(404, "not-found")


BALL, BLOCK = {"sphere": {"radius": 1}}, {"box": {"size": [2, 2, 2]}, "position": [0.5, 0.5, 0.5]}
CUBE = {"box": {"size": [2, 2, 2]}}
BOXES = [[0, 0, 0, 2, 2, 2], [1, 1, 1, 3, 3, 3], [5, 5, 5, 6, 6, 6]]
TETRAHEDRON = {"mesh": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
                        "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]}}


@suite.fact
def algorithms_of_the_literature_can_be_selected_by_name():
    """Row 53."""
    document = client.get("/openapi.json").text
    for names in ("Muller, Preparata", "quickhull", "Gilbert, Johnson, Keerthi", "Zomorodian, Edelsbrunner", "Minkowski portal refinement",
                  "Duriez", "Baraff"):
        check(names in document, f"{names}: not in the document")
    volume = client.post("/v1/query/volume", {"a": CUBE, "b": BLOCK, "method": "dualHull"}).must(200).json
    near(volume["results"][0]["volume"], 1.5 ** 3, 1e-12, "volume")
    for method in ("gjkEpa", "mpr"):
        distance = client.post("/v1/query/distance", {"a": BALL, "b": {**BALL, "position": [3, 0, 0]}, "method": method}).must(200).json
        near(distance["results"][0]["distance"], 1, 1e-6, method)
    pairs = client.post("/v1/query/pairs", {"boxes": BOXES, "broadphase": "hybrid"}).must(200).json
    equal(pairs["pairs"], [[0, 1]], "pairs")
    features = client.post("/v1/query/features", {"a": TETRAHEDRON, "b": {**TETRAHEDRON, "position": [0.2, 0.2, 0.2]}}).must(200).json
    check(features["count"] >= 1, "no features")
    solved = client.post("/v1/solve/lcp", {"M": [[2, 1], [1, 2]], "q": [-5, -6], "method": "dantzig"}).must(200).json
    near_list(solved["z"], [4 / 3, 7 / 3], 1e-14, "z")


@suite.fact
def options_of_the_command_line_are_printed_and_checked():
    run = subprocess.run([str(binary()), "--help"], capture_output=True, text=True, timeout=60)
    equal(run.returncode, 0, "exit status")
    for word in ("--port", "--workers", "--durability", "--token-file", "--allow-host", "--insecure", "--scene", "CONTACTD_PORT"):
        check(word in run.stdout, f"--help lacks {word}")
    for wrong in (["--nonsense"], ["--port", "70000"], ["--port", "x"], ["--limit", "jsonBytes=1"], ["--durability", "wishful"]):
        run = subprocess.run([str(binary()), *wrong], capture_output=True, text=True, timeout=60, env=clean_environment())
        check(run.returncode != 0 and run.stdout == "" and run.stderr, f"{wrong} is not refused")


@suite.fact
def the_environment_sets_options_that_the_command_line_omits():
    run = subprocess.run([str(binary())], capture_output=True, text=True, timeout=60, env=clean_environment(CONTACTD_PORT="70000"))
    check(run.returncode != 0 and "70000" in run.stderr, f"CONTACTD_PORT is not read: {run.stderr}")


suite.main()
