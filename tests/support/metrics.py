"""Prometheus' text format, as far as the tests need it: series by name and labels."""
import re

from support.checks import Failure, check

LINE = re.compile(r'^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\.)*)"(?:,|$)')


class Metrics:
    """Metrics(text)["contactd_requests_total", "route", "/livez", "method", "GET", "status", "2xx"]; a name alone sums its series."""

    def __init__(self, text):
        self.text, self.series, self.types = text, {}, {}
        check(text.endswith("\n"), "the last line does not end")
        for line in text.splitlines():
            if line.startswith("# TYPE "):
                name, kind = line[7:].split(" ")
                check(name not in self.types, f"{name} has two types")
                self.types[name] = kind
            if line.startswith("#"):
                continue
            match = LINE.match(line)
            check(match, f"no series: {line!r}")
            labels = frozenset(LABEL.findall(match.group(2) or ""))
            check((match.group(1), labels) not in self.series, f"twice: {line!r}")
            self.series[match.group(1), labels] = float(match.group(3))

    def __getitem__(self, key):
        name, *labels = key if isinstance(key, tuple) else (key,)
        wanted = set(zip(labels[::2], labels[1::2]))
        found = [value for (other, have), value in self.series.items() if other == name and wanted <= have]
        if not found and name not in self.types and re.sub("_(bucket|sum|count)$", "", name) not in self.types:
            raise Failure(f"there is no metric {name}")
        return sum(found)

    def buckets(self, name, *labels):
        """[(bound, count up to the bound)] in ascending order."""
        wanted = set(zip(labels[::2], labels[1::2]))
        found = [(float(dict(have)["le"]), value) for (other, have), value in self.series.items()
                 if other == name + "_bucket" and wanted <= have]
        return sorted(found)


def read(client):
    """The current figures. A figure that the daemon counts at the end of a request is included once a later request
    on the same connection was answered."""
    return Metrics(client.get("/metrics").must(200).text)
