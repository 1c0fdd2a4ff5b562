"""The examples of queries and solvers in the OpenAPI document, all with one daemon (support/example_runs.py)."""
from support.checks import Suite
from support.client import Curl
from support.daemon import Daemon
from support.example_runs import ask, compare, demo_scene, document, only_reads
from support.examples import cases

suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = Curl(daemon, document)
above = demo_scene(client)
suite.table("example", ((case.title, lambda c=case: compare(c, ask(client, c, above), above)) for case in cases(document) if only_reads(case)))


if __name__ == "__main__":
    suite.main()
