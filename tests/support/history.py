"""What clients have written and read of one scene, and whether one scene that is written to by one after the other could have
answered so.

    history = History()
    with history.write(value) as w: ... w.acknowledged(revision)    or w.refused() where nothing was written, else it is not known
    with history.read() as r: ... r.found(revision, value)           or nothing: no answer
    history.faults()    sentences; none: every acknowledged write was there, and nothing went back

The clock is one machine's, monotonic. Each write writes a value of its own. Any thread.
"""
import threading
import time


class Entry:
    def __init__(self, kind, value=None):
        self.kind, self.value = kind, value
        self.revision = None
        self.outcome = "unknown"
        self.start = self.end = None

    def __enter__(self):
        self.start = time.monotonic()
        return self

    def __exit__(self, kind, unused, also_unused):
        self.end = time.monotonic()

    def acknowledged(self, revision):
        self.revision, self.outcome = revision, "good"

    def refused(self):
        self.outcome = "refused"

    def found(self, revision, value):
        self.revision, self.value, self.outcome = revision, value, "good"

    def __str__(self):
        return f"{self.kind} of {self.value!r} at revision {self.revision}"


class History:
    def __init__(self):
        self.entries = []
        self.lock = threading.Lock()

    def add(self, entry):
        with self.lock:
            self.entries.append(entry)
        return entry

    def write(self, value):
        return self.add(Entry("write", value))

    def read(self):
        return self.add(Entry("read"))

    def good(self, kind):
        return [e for e in self.entries if e.kind == kind and e.outcome == "good"]

    def faults(self):
        writes, reads = self.good("write"), self.good("read")
        return [*authors(writes), *order(writes, reads), *origins(self.entries, writes, reads)]


def authors(writes):
    """Each revision was acknowledged to one."""
    seen = {}
    for w in writes:
        if w.revision in seen:
            yield f"{w} and {seen[w.revision]} were both acknowledged"
        seen[w.revision] = w


def order(writes, reads):
    """What begins after something has ended is not older; a write is newer."""
    done = sorted(writes + reads, key=lambda e: e.end)
    greatest, at = None, 0
    for e in sorted(writes + reads, key=lambda e: e.start):
        while at < len(done) and done[at].end < e.start:
            if greatest is None or done[at].revision > greatest.revision:
                greatest = done[at]
            at += 1
        if greatest is None:
            continue
        if e.revision < greatest.revision or (e.kind == "write" and e.revision == greatest.revision):
            yield f"{e} came after {greatest} had ended"


def origins(entries, writes, reads):
    """What is read was written: by the write of that revision, or by one of which nobody knows whether it took place, which had begun."""
    by_revision = {w.revision: w for w in writes}
    unknown = {e.value: e for e in entries if e.kind == "write" and e.outcome == "unknown"}
    values = {}
    for r in reads:
        w = by_revision.get(r.revision)
        if w and w.value != r.value:
            yield f"{r}, but there was {w}"
        elif not w and (r.value not in unknown or unknown[r.value].start > r.end):
            yield f"{r}, which nobody has written"
        if values.setdefault(r.revision, r.value) != r.value:
            yield f"{r}, which was read as {values[r.revision]!r}"
