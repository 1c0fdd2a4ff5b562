"""The example of an outside integrator, run as a reader would: the bouncing sphere of the Modia3D documents, with
its own force law and with the daemon's. Truth: a reference integration of every contact up to 2.393 s (flight in
closed form, contact by order 8 at a relative 1e-12); and its README."""
import math
import re
import subprocess

from support.checks import Suite, check, equal, near, near_list
from support.daemon import ROOT, Daemon

PROGRAM = ROOT / "api/example/bouncing_sphere.py"
END = 2.393
# contact: begin (s), normal velocity (m/s), damping (s/m), duration (s), velocity after it (m/s)
CONTACTS = {1: (0.4515236410, 4.42944692, 0.1548, 8.595746e-6, 3.02610933), 2: (1.0684760356, 3.02610933, 0.2266, 9.276359e-6, 2.06736978),
            3: (1.4899674280, 2.06736978, 0.3317, 1.001088e-5, 1.41237246), 6: (2.1090476732, 0.65916996, 1.0403, 1.258255e-5, 0.45030696),
            10: (2.3357226382, 0.14351889, 4.7779, 1.707147e-5, 0.09801247), 15: (2.3894416806, 0.02123552, 32.2909, 2.506906e-5, 0.01445279),
            16: (2.3924132920, 0.01445279, 47.4451, 2.711109e-5, 0.00981439)}
NUMBER = r"(-?[\d.]+(?:e-?\d+)?)"
VECTOR = r"\[(.*?)\]"
# The lines of the document, field by field.
BEGIN = re.compile(rf"State event \(zero-crossing\) at time = {NUMBER} s \(due to z\[2\]\)\n"
                   rf"   distance\(ground,sphere\) = {NUMBER} became <= 0\n"
                   rf"       contact normal = {VECTOR}, contact position = {VECTOR}, c_res = {NUMBER} d_res = {NUMBER}\n"
                   rf"   restart = Restart\n")
END_OF_CONTACT = re.compile(rf"State event \(zero-crossing\) at time = {NUMBER} s \(due to z\[1\]\)\n"
                            rf"   distance\(ground,sphere\) = {NUMBER} became > 0\n"
                            rf"   restart = Restart\n")

suite = Suite()
daemon = Daemon("--workers", "1").start()
suite.cleanup(daemon.stop)
LAWS = {"own": [], "daemon": ["--law", "daemon"]}
printed = {}


def blocks(law):
    """Output of the program, one block per event; it runs once with each law."""
    if law not in printed:
        done = subprocess.run(["/usr/bin/python3", str(PROGRAM), *LAWS[law], daemon.base, str(END)], capture_output=True, text=True, timeout=600)
        check(done.returncode == 0, f"the program ended with {done.returncode}: {done.stderr[-800:]}")
        printed[law] = [block + "\n" for block in done.stdout.rstrip("\n").split("\n\n")]
    return printed[law]


def pairs(law):
    """(begin, end) of each contact as regular-expression matches."""
    found = []
    equal(len(blocks(law)) % 2, 0, "events, begin and end in turn")
    for begin, end in zip(blocks(law)[::2], blocks(law)[1::2]):
        found.append((BEGIN.fullmatch(begin), END_OF_CONTACT.fullmatch(end)))
        check(all(found[-1]), f"not the lines of a contact: {begin}{end}")
    return found


def has_the_fields_of_the_document(law):
    last = 0.0
    for begin, end in pairs(law):
        check(last < float(begin[1]) < float(end[1]) < END, f"times {last}, {begin[1]}, {end[1]}")
        last = float(end[1])
        check(-1e-15 <= float(begin[2]) <= 0.0 < float(end[2]) <= 1e-15, f"distances {begin[2]}, {end[2]}")
        near_list([float(x) for x in begin[3].split(",")], [0.0, 1.0, 0.0], 1e-15, "normal")
        near_list([float(x) for x in begin[4].split(",")], [0.0, -0.1, 0.0], 1e-15, "position")
        near(float(begin[5]), 1.0989011e11, 0.005e11, "c_res, two digits of it")


def has_the_contacts_of_the_reference(law):
    contacts = pairs(law)
    equal(len(contacts), 16, "contacts")
    for number, (begins, speed, damping, duration, after) in CONTACTS.items():
        begin, end = contacts[number - 1]
        near(float(begin[1]), begins, 5e-6, f"begin of contact {number}")
        near((float(end[1]) - float(begin[1])) / duration, 1.0, 1e-3, f"duration of contact {number}, relative")
        near(float(begin[6]) / damping, 1.0, 5.1e-3, f"damping of contact {number}, relative")
        near(float(begin[6]), damping, 0.2, f"damping of contact {number}")
        near(0.48 / 0.7 / float(begin[6]) / speed, 1.0, 5.1e-3, f"normal velocity of contact {number}, from its damping")
        if number < 16:
            flight = float(contacts[number][0][1]) - float(end[1])
            near(flight * 9.81 / 2 / after, 1.0, 1e-4, f"velocity after contact {number}, from the flight that follows")


def loses_energy_as_the_closed_form_says(law):
    u0 = 8 * 0.3 / (5 * 0.7)
    u1 = u0 * 0.683184
    near(u0 - math.log(1 + u0), -u1 - math.log(1 - u1), 1e-6, "the ratio itself")
    times = [(float(begin[1]), float(end[1])) for begin, end in pairs(law)]
    for before, contact, after in zip(times, times[1:], times[2:]):
        came, went = contact[0] - before[1], after[0] - contact[1]
        near(went / came, 0.683184, 2 * (contact[1] - contact[0]) / came, f"flight after {contact[0]} s over the one before")


@suite.fact
def each_event_has_the_fields_of_the_document():
    """Row 25, and row 19: an event at the start and at the end of each penetration."""
    has_the_fields_of_the_document("own")


@suite.fact
def each_event_has_the_fields_by_the_daemon_s_law():
    """Row 25, row 29."""
    has_the_fields_of_the_document("daemon")


@suite.fact
def sixteen_contacts_are_those_of_the_reference():
    """T8.7, rows 19 to 21: begins within 5e-6 s, durations within 1e-3, damping within 0.2 and the rounding of three digits."""
    has_the_contacts_of_the_reference("own")


@suite.fact
def sixteen_contacts_by_the_daemon_s_law_are_the_same():
    """T8.7, rows 19 to 21, row 29: forces by the elastic law with the stored approach velocity of a contact state.
    The steps are accurate to 1e-7, so the last digits differ."""
    has_the_contacts_of_the_reference("daemon")
    for own, other in zip(pairs("own"), pairs("daemon")):
        for mine, theirs in zip(own, other):
            near(float(mine[1]), float(theirs[1]), 2e-9, "times by either law")
        equal(own[0][6], other[0][6], "damping by either law")


@suite.fact
def the_bounces_lose_energy_as_in_closed_form():
    """U0 - ln(1 + U0) = -U1 - ln(1 - U1) with U = d v: at restitution 0.7 the velocities are in the ratio 0.683184,
    apart from the effect of gravity during a contact."""
    for law in LAWS:
        loses_energy_as_the_closed_form_says(law)


@suite.fact
def its_readme_shows_the_program_as_it_is():
    text = (ROOT / "api/example/README.md").read_text()
    shown = re.search(r"```python\n(.*?)```", text, re.S).group(1)
    equal(shown, PROGRAM.read_text(), "the program in the README")
    log = re.search(r"```text\n(.*?)```", text, re.S).group(1)
    first = log.rstrip("\n").split("\n\n")
    check(BEGIN.fullmatch(first[0] + "\n") and END_OF_CONTACT.fullmatch(first[1] + "\n"), "the README shows the lines of a contact")


suite.main()
