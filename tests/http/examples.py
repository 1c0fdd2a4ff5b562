"""The examples of operations in the OpenAPI document that change something, each with a daemon of its own
(support/example_runs.py).
The others: examples_query.py. The members that examples have: tests/house/members.py."""
from support.checks import Suite
from support.example_runs import document, only_reads, run_alone
from support.examples import cases

suite = Suite()
suite.table("example", ((case.title, lambda c=case: run_alone(c)) for case in cases(document) if not only_reads(case)))


if __name__ == "__main__":
    suite.main()
