"""The reads and writes of one scene by concurrent clients, and whether a scene with one write after the other could have given
these replies.

    history = History()
    with history.write(value) as w: ... w.acknowledged(revision)    or w.refused() if nothing was written; else the outcome is unknown
    with history.write(value, after=revision) as w: ...             only if the scene is at that revision; w.overtaken(): it was not
    with history.read() as r: ... r.found(revision, value)           or nothing: no reply
    r.absent(), w.absent()                                           there was no scene; a write of ABSENT is its deletion
    history.faults()    sentences; none: every acknowledged write was visible, and no read went back

Times are those of one monotonic clock. Each write has a value of its own. Any thread may use a history.
"""
import bisect
import threading
import time

ABSENT = "no scene"


class Entry:
    __slots__ = ("kind", "value", "after", "revision", "outcome", "start", "end")

    def __init__(self, kind, value=None, after=None):
        self.kind, self.value, self.after = kind, value, after
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

    def overtaken(self):
        self.outcome = "overtaken"

    def absent(self):
        self.outcome = "absent"

    def found(self, revision, value):
        self.revision, self.value, self.outcome = revision, value, "good"

    def __str__(self):
        if self.outcome == "absent":
            return f"{self.kind} that found no scene"
        where = "" if self.after is None else f" after revision {self.after}"
        return f"{self.kind} of {self.value!r} at revision {self.revision}{where}"


class History:
    def __init__(self):
        self.entries = []
        self.lock = threading.Lock()

    def add(self, entry):
        with self.lock:
            self.entries.append(entry)
        return entry

    def write(self, value, after=None):
        return self.add(Entry("write", value, after))

    def read(self):
        return self.add(Entry("read"))

    def good(self, kind):
        return [e for e in self.entries if e.kind == kind and e.outcome == "good"]

    def faults(self):
        writes, reads = self.good("write"), self.good("read")
        return [*authors(writes), *order(self.entries), *origins(self.entries, writes, reads), *preconditions(self.entries, writes, reads)]


def authors(writes):
    """Each revision was acknowledged to one write."""
    seen = {}
    for w in writes:
        if w.revision in seen:
            yield f"{w} and {seen[w.revision]} were both acknowledged"
        seen[w.revision] = w


def order(entries):
    """An operation that begins after another has ended is not older; a write is newer. An absent scene was read
    after a deletion, or at the beginning."""
    told = [e for e in entries if e.outcome in ("good", "absent")]
    done = sorted(told, key=lambda e: e.end)
    absence = Absence(entries)
    greatest, at = None, 0
    for e in sorted(told, key=lambda e: e.start):
        while at < len(done) and done[at].end < e.start:
            if greatest is None or absence.revision(done[at]) > absence.revision(greatest):
                greatest = done[at]
            at += 1
        least = absence.revision(greatest) if greatest else 0
        if e.outcome == "absent":
            if not absence.place(e, least):
                yield f"{e} came after {greatest} had ended, and nobody has deleted it"
        elif e.revision < least or (e.kind == "write" and e.revision == least):
            yield f"{e} came after {greatest} had ended"


class Absence:
    """The revisions at which the scene was absent, and the least such revision for each entry that found it absent."""

    def __init__(self, entries):
        deletions = [e for e in entries if e.kind == "write" and e.value == ABSENT]
        self.known = sorted((e.revision, e.start) for e in deletions if e.outcome == "good")
        self.unknown_since = min((e.start for e in deletions if e.outcome == "unknown"), default=None)
        self.placed = {}

    def revision(self, entry):
        return entry.revision if entry.outcome == "good" else self.placed.get(id(entry), 0)

    def place(self, entry, least):
        """False if there is no revision for the entry."""
        if self.unknown_since is not None and self.unknown_since < entry.end:
            self.placed[id(entry)] = least
            return True
        at = bisect.bisect_left(self.known, (least,))
        while at < len(self.known) and self.known[at][1] > entry.end:
            at += 1
        self.placed[id(entry)] = self.known[at][0] if at < len(self.known) else least
        return at < len(self.known) or least == 0


def origins(entries, writes, reads):
    """Each value that was read was written: by the write of that revision, or by one of unknown outcome that had
    begun. No write took effect twice."""
    by_revision = {w.revision: w for w in writes}
    unknown = {e.value: e for e in entries if e.kind == "write" and e.outcome == "unknown"}
    values, revisions = {}, {}
    for r in reads:
        w = by_revision.get(r.revision)
        if w and w.value != r.value:
            yield f"{r}, but there was {w}"
        elif not w and (r.value not in unknown or unknown[r.value].start > r.end):
            yield f"{r}, which nobody has written"
        if values.setdefault(r.revision, r.value) != r.value:
            yield f"{r}, which was read as {values[r.revision]!r}"
        if revisions.setdefault(r.value, r.revision) != r.revision:
            yield f"{r}, which was read at revision {revisions[r.value]}, too"


def preconditions(entries, writes, reads):
    """No revision lies between the one that a write was to follow and its own; a write is refused only if another
    one has begun."""
    revisions = sorted({e.revision for e in writes + reads})
    seen = {r.value: r.revision for r in reads}
    begun = sorted((e.start, e.revision or seen.get(e.value, float("inf")))
                   for e in entries if e.kind == "write" and e.outcome in ("good", "unknown"))
    starts, newest = [b[0] for b in begun], []
    for unused, revision in begun:
        newest.append(max(revision, newest[-1] if newest else 0))
    for e in entries:
        if e.after is None:
            continue
        if e.outcome == "good":
            at = bisect.bisect_right(revisions, e.after)
            if revisions[at] != e.revision:
                yield f"{e}, but there was revision {revisions[at]}"
        elif e.outcome == "overtaken":
            at = bisect.bisect_left(starts, e.end)
            if at == 0 or newest[at - 1] <= e.after:
                yield f"{e} was refused, but nobody was writing"
