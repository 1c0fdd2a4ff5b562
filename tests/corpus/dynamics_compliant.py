"""The ball of the reference corpus that bounces by the elastic law (bouncing_ball_compliant of dynamics.jsonl),
integrated by `advance` over HTTP: every impact, its speed and its duration to 1e-8.
Together with dynamics.py and dynamics_forces.py these are all cases inside the model: 71 of 76."""
from support import corpus
from support.checks import Suite, check, equal, near
from support.client import KeepAlive
from support.daemon import Daemon

ALLOWED = 1e-8
CASES, OUTSIDE, ALL = 1, 5, 76
KIND = "bouncing_ball_compliant"
OUT_OF_MODEL = ("falling_rod_hinged", "hinged_rod_hits_peg", "spinning_disc_stops")
suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)


def close(actual, expected, what):
    near(actual / expected, 1, ALLOWED, f"{what}, relative")


def events_of(given, expect, time_step):
    """(begun, ended) of each contact, up to shortly after the last impact of the case."""
    radius, end = given["shape"]["radius"], expect["impact_times"][-1] + 1e-7
    steel = {"youngsModulus": given["youngs_modulus"], "poissonRatio": given["poissons_ratio"], "restitution": given["restitution_parameter"]}
    ball = {"id": "ball", "position": [0, 0, given["fall_height"] + radius], "colliders": [{"sphere": {"radius": radius}}],
            "motion": {"mass": given["mass"]}}
    bodies = [{"id": "floor", "colliders": [{"plane": {}}]}, ball]
    client.put("/v1/scenes/fall", {"gravity": [0, 0, -given["gravity"]], "materials": {"default": steel}, "bodies": bodies})
    members = {"duration": end, "mode": "eventCompliant", "timeStep": time_step, "include": ["events"]}
    told = client.post("/v1/scenes/fall/advance", members).must(200).json
    equal((told["notConverged"], told["events"]), (0, len(told["eventList"])), "steps that are not good enough, events")
    equal([e["event"] for e in told["eventList"]], ["began", "ended"] * given["impacts"] + ["began"], "events")
    return [e for e in told["eventList"] if e["event"] == "began"], [e for e in told["eventList"] if e["event"] == "ended"]


def look_at(given, expect, time_step):
    begun, ended = events_of(given, expect, time_step)
    equal(len(begun), len(expect["impact_times"]), "impacts")
    for k, (time, speed) in enumerate(zip(expect["impact_times"], expect["speed_before"])):
        close(begun[k]["time"], time, f"time of impact {k}")
        close(-begun[k]["normalVelocity"], speed, f"speed of impact {k}")
    for k, duration in enumerate(expect["contact_durations"]):
        close(ended[k]["time"] - begun[k]["time"], duration, f"duration of contact {k}")
        # Gravity during the contact changes the ratio by less than the ratio of its impulse to that of the contact.
        part = given["gravity"] * duration / expect["speed_before"][k]
        near(ended[k]["normalVelocity"] / expect["speed_before"][k], expect["effective_restitution_without_gravity"], 2 * part + ALLOWED,
             f"restitution of contact {k}")


path = corpus.folder() / "dynamics.jsonl"
every = list(corpus.lines(path)) if path.exists() else []
cases = [case for case in every if case["kind"] == KIND]


if len(every) == ALL:
    @suite.fact
    def seventy_one_of_seventy_six_cases_are_inside_the_model():
        equal(sum(case["kind"] in OUT_OF_MODEL for case in every), OUTSIDE, "cases outside the model")
        check(len(cases) == CASES, f"{len(cases)} cases of {KIND}")


for step in (0.05, 0.003):
    suite.table("case", ((f"{case['id']} {case['kind']}, steps of {step} s at most",
                          lambda case=case, step=step: look_at(case["given"], case["expect"], step)) for case in cases))
if len(cases) < CASES:
    print(f"{CASES - len(cases)} cases of the full corpus are not here (CONTACTD_CORPUS)")
    suite.add(skipped=CASES - len(cases))
suite.main()
