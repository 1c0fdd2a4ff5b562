#!/usr/bin/python3
"""The files of docker/ that others read, by those who read them: Kubernetes' schemas (npm's kubernetes-models), docker-compose, HAProxy
and promtool; and that they speak of the same nodes and ports. No engine is needed."""
import copy
import json
import os
import pathlib
import re
import shutil

import yaml

from container import once
from engine import run
from support.checks import Failure, Suite, check, equal, holds

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCKER = ROOT / "docker"
# npm's folder is made of the lock file alone, whose digests it checks.
CHECKER = ROOT / "tests/image/kubernetes"
KEPT = (ROOT / os.environ.get("BUILD", "build") / "image/kubernetes").resolve()
NPM_SECONDS = 600
NODES = ["node1", "node2", "node3"]
# The daemon's own, where the files say nothing.
DRAIN_SECONDS, CONNECTIONS, CONNECTIONS_PER_ADDRESS = 10, 1024, 64
# Of the limit of its memory, what Redis may keep: a rewrite of its log has up to all of it twice, and buffers come on top.
MAXMEMORY_SHARE = 0.6
suite = Suite()


def must(command, **rest):
    done = run(command, **rest)
    if done.returncode:
        raise Failure(f"{' '.join(command)[:200]} ended with {done.returncode}: {(done.stdout + done.stderr)[-1500:]}")
    return done.stdout


@once
def kubernetes():
    return list(yaml.safe_load_all((DOCKER / "kubernetes.yaml").read_text()))


def of_kind(kind, name="contactd"):
    return next(d for d in kubernetes() if d["kind"] == kind and d["metadata"]["name"] == name)


@once
def compose():
    return yaml.safe_load(must(["docker-compose", "-f", str(DOCKER / "compose.yaml"), "config"]))["services"]


def said_of(documents):
    """What Kubernetes' schemas say of each: None, or what is wrong."""
    KEPT.mkdir(parents=True, exist_ok=True)
    for path in CHECKER.iterdir():
        shutil.copy(path, KEPT)
    must(["npm", "ci", "--prefix", str(KEPT), "--no-audit", "--no-fund", "--ignore-scripts"], seconds=NPM_SECONDS)
    return json.loads(must(["node", "check.mjs"], given=json.dumps(documents), cwd=KEPT))


@suite.fact
def kubernetes_takes_every_document():
    """And refuses what is wrong: else its word were worth nothing."""
    wrong = [copy.deepcopy(of_kind("StatefulSet")) for unused in range(3)]
    wrong[0]["spec"]["replicas"] = "three"
    wrong[1]["spec"]["template"]["spec"]["containers"][0]["ports"][0].pop("containerPort")
    wrong[2]["spec"]["template"]["spec"]["containers"][0]["livenes"] = {}
    said = said_of(kubernetes() + wrong)
    for document, what in zip(kubernetes(), said):
        equal(what, None, f"what is said of {document['kind']} {document['metadata']['name']}")
    for i, what in enumerate(said[len(kubernetes()):]):
        check(what, f"wrong document {i} is taken")


@suite.fact
def kubernetes_documents_fit_each_other():
    labels = {}
    for document in kubernetes():
        if document["kind"] == "StatefulSet":
            template = document["spec"]["template"]
            equal(document["spec"]["selector"]["matchLabels"], template["metadata"]["labels"], "labels of the pods")
            labels[document["metadata"]["name"]] = template["metadata"]["labels"]
            ports = {port["name"] for container in template["spec"]["containers"] for port in container["ports"]}
            service = of_kind("Service", document["spec"]["serviceName"])
            equal(service["spec"]["clusterIP"], "None", f"address of {document['spec']['serviceName']}")
            check(ports >= {port["targetPort"] for port in service["spec"]["ports"]}, f"ports of {service['metadata']['name']}")
    for document in kubernetes():
        if document["kind"] == "Service":
            check(document["spec"]["selector"] in labels.values(), f"{document['metadata']['name']} selects no pods")
    budget = of_kind("PodDisruptionBudget")["spec"]
    equal(budget["selector"]["matchLabels"], labels["contactd"], "pods that the budget is about")
    check(budget["minAvailable"] < of_kind("StatefulSet")["spec"]["replicas"], "no pod may ever be moved")


@suite.fact
def every_container_is_hardened_and_limited():
    for document in (d for d in kubernetes() if d["kind"] == "StatefulSet"):
        pod = document["spec"]["template"]["spec"]
        holds(pod, {"automountServiceAccountToken": False, "securityContext": {"runAsNonRoot": True}})
        check(pod["securityContext"]["runAsUser"] > 0, "the pod runs as root")
        for container in pod["containers"]:
            holds(container["securityContext"], {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                                 "capabilities": {"drop": ["ALL"]}})
            equal(set(container["resources"]["limits"]), {"cpu", "memory"}, f"limits of {container['name']}")
            for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
                check(probe in container, f"{container['name']} has no {probe}")
    for name, service in compose().items():
        holds(service, {"read_only": True, "cap_drop": ["ALL"], "security_opt": ["no-new-privileges:true"]})
        check(service.get("mem_limit") and service.get("pids_limit"), f"{name} has no limits")
        for port in service.get("ports", ()):
            check(str(port).startswith("127.0.0.1:"), f"{name} is published at {port}")


def seconds(text):
    """Of "500ms", "20s" and the like."""
    number, unit = re.fullmatch(r"(\d+)(ms|s)", text).groups()
    return int(number) / (1000 if unit == "ms" else 1)


def limit(arguments, name, standard):
    return int(next((a.rpartition("=")[2] for a in arguments if a.startswith(f"--limit={name}=")), standard))


def time_to_end(arguments):
    """What the daemon may take from SIGTERM on, s: leaveSeconds, drainSeconds, and the end of what does not end in time."""
    return limit(arguments, "leaveSeconds", 0) + limit(arguments, "drainSeconds", DRAIN_SECONDS) + 2


@suite.fact
def a_pod_whose_redis_is_away_is_not_ended():
    """It waits for it: one that is not ready is asked for nothing, and only one that does not even say that it lives is ended."""
    container, = of_kind("StatefulSet")["spec"]["template"]["spec"]["containers"]
    for probe in ("startupProbe", "livenessProbe"):
        equal(container[probe]["httpGet"]["path"], "/livez", f"what the {probe} asks")
    equal(container["readinessProbe"]["exec"]["command"][1:], ["--healthcheck"], "what the readinessProbe asks")


@suite.fact
def a_node_that_ends_is_given_the_time():
    """The checks see that it leaves before it refuses; it is not killed before it has ended."""
    server = re.search(r"inter (\S+) fall (\d+)", (DOCKER / "haproxy.cfg").read_text())
    noticed = seconds(server[1]) * int(server[2])
    for node in NODES:
        leaves = limit(compose()[node]["command"], "leaveSeconds", 0)
        check(leaves >= 2 * noticed, f"{node} takes requests for {leaves} s, and HAProxy looks away after {noticed} s")
        check(seconds(compose()[node]["stop_grace_period"]) > time_to_end(compose()[node]["command"]), f"{node} is killed before it has ended")
    pod = of_kind("StatefulSet")["spec"]["template"]["spec"]
    arguments = pod["containers"][0]["args"]
    check(limit(arguments, "leaveSeconds", 0) > 0, "a pod refuses requests before those who send them have heard that it goes")
    check(pod["terminationGracePeriodSeconds"] > time_to_end(arguments), "a pod is killed before it has ended")


@suite.fact
def haproxy_sends_no_node_more_than_it_takes():
    most = sum(int(n) for n in re.findall(r"default-server .*\bmaxconn (\d+)", (DOCKER / "haproxy.cfg").read_text()))
    check(most > 0, "HAProxy knows no most")
    for node in NODES:
        for name, standard in (("connections", CONNECTIONS), ("connectionsPerAddress", CONNECTIONS_PER_ADDRESS)):
            check(most < limit(compose()[node]["command"], name, standard), f"HAProxy opens {most} connections to {node}, more than its {name}")


def memory(text, units):
    """Bytes of "2g", "2Gi" and the like."""
    number, unit = re.fullmatch(r"(\d+)([A-Za-z]*)", str(text)).groups()
    check(unit in units, f"{text} is no amount of memory that is known here")
    return int(number) * units[unit]


def redis_commands():
    """Of each file: how Redis is begun, and the limit of its container's memory in bytes."""
    composed = compose()["redis"]
    pod, = of_kind("StatefulSet", "contactd-redis")["spec"]["template"]["spec"]["containers"]
    return ((composed["command"], memory(composed["mem_limit"], {"": 1, "m": 1 << 20, "g": 1 << 30})),
            (pod["args"], memory(pod["resources"]["limits"]["memory"], {"": 1, "Mi": 1 << 20, "Gi": 1 << 30})))


@suite.fact
def redis_has_on_disk_what_it_acknowledges():
    for command, unused in redis_commands():
        said = " ".join(command)
        for words in ("--appendonly yes", "--appendfsync always", "--maxmemory-policy noeviction"):
            check(words in said, f"Redis is not told {words}: {said}")
    check(any(str(volume).startswith("redis:/data") for volume in compose()["redis"]["volumes"]), "Redis has no volume")


@suite.fact
def redis_is_full_before_its_memory_ends():
    """It refuses writes then, and can still make its log anew, which may take as much again."""
    for command, container in redis_commands():
        check("--maxmemory" in command, f"Redis may take what it wants: {command}")
        most = memory(command[command.index("--maxmemory") + 1], {"": 1, "mb": 1 << 20, "gb": 1 << 30})
        check(0 < most <= MAXMEMORY_SHARE * container, f"Redis may keep {most} bytes, and its container has {container}")
        equal(command[command.index("--maxmemory-policy") + 1], "noeviction", "what a full Redis deletes")


@suite.fact
def every_image_has_the_same_labels():
    """Image.py sees what they say, where an engine runs."""
    stages = re.split(r"^FROM ", (DOCKER / "Dockerfile").read_text(), flags=re.M)[1:]
    images = [stage for stage in stages if re.search("^ENTRYPOINT ", stage, re.M)]
    words = [re.findall(r'\borg\.opencontainers\.image\.(\w+)="\$\{(\w+)\}"', stage) for stage in images]
    names = ["title", "description", "licenses", "version", "revision"]
    equal(words, [[(name, name.upper()) for name in names]] * 2, "labels of the images, and the arguments that they say")
    for stage in images:
        equal(re.findall(r"^ARG (\w+)$", stage, re.M), ["VERSION", "REVISION", "TITLE", "DESCRIPTION", "LICENSES"], "arguments of an image")


@suite.fact
def haproxy_takes_its_file():
    must(["haproxy", "-c", "-f", str(DOCKER / "haproxy.cfg")])


@suite.fact
def prometheus_takes_its_file():
    must(["promtool", "check", "config", str(DOCKER / "prometheus.yml")])
    volumes = [str(volume) for volume in compose()["prometheus"]["volumes"]]
    for name in ["prometheus.yml", *yaml.safe_load((DOCKER / "prometheus.yml").read_text())["rule_files"]]:
        check(any(name in volume and f"/etc/prometheus/{name}" in volume for volume in volumes), f"{name} is not mounted")


@suite.fact
def the_rules_are_those_of_the_document():
    """alerts.yml has every rule of the table, in its order; only the limit of memory is that of compose.yaml."""
    table = (DOCKER / "README.md").read_text().split("\n### Alerts\n")[1].split("\n#")[0]
    expected = re.findall(r"^\|.*\| `([^`]+)` \|$", table, re.M)
    rules = [rule["expr"] for group in yaml.safe_load((DOCKER / "alerts.yml").read_text())["groups"] for rule in group["rules"]]
    equal(rules, [rule.replace("268435456", "1073741824") for rule in expected], "rules of alerts.yml")


@suite.fact
def all_speak_of_the_same_nodes():
    equal(sorted(name for name, service in compose().items() if service["image"].startswith("contactd")), NODES, "nodes of compose.yaml")
    for node in NODES:
        check(f"--allow-host={node}" in compose()[node]["command"], f"{node} does not serve under its name")
    servers = re.findall(r"^\s*server (\S+) (\S+:\d+)\b", (DOCKER / "haproxy.cfg").read_text(), re.M)
    equal(servers, [(node, f"{node}:7077") for node in NODES] * 3, "servers of haproxy.cfg")
    jobs = {job["job_name"]: job for job in yaml.safe_load((DOCKER / "prometheus.yml").read_text())["scrape_configs"]}
    equal(jobs["contactd"]["static_configs"][0]["targets"], [f"{node}:7077" for node in NODES], "targets of prometheus.yml")


suite.main()
