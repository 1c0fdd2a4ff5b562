#!/usr/bin/python3
"""Every member of every request and reply, and every parameter, in the OpenAPI document has an example that tests/http/examples.py or examples_query.py runs.

What can not have one is listed in WITHOUT, with the reason. No example stands in the document that is not run.
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from support.checks import Failure, Suite  # noqa: E402
from support.examples import Members, cases, content_of, examples_of, parameters_of, replies_of  # noqa: E402
from support.schema import Document  # noqa: E402

# A member, as the failures of this test name it: the reason why no example has it, and the test that covers it instead.
WITHOUT = {
    "SceneList.scenes[].status": "only a store has scenes that are not in memory: http/durable.py",
    "Ready.scenes": "only a store counts them: http/durable.py",
    "Ready.scenes.loaded": "as Ready.scenes",
    "Ready.scenes.stored": "as Ready.scenes",
    "Ready.scenes.corrupt": "as Ready.scenes",
    "Ready.shapes": "as Ready.scenes",
    "header Last-Event-ID": "ids of events begin elsewhere in each daemon: http/events.py",
    "WrittenScene.warningsOmitted": "more than 20 warnings: http/meshes.py",
    "AdvanceReply.eventsOmitted": "more than 10,000 events: http/advance_events.py",
    "Problem.suggestion": "examples succeed; api/guide/requests.md shows a problem: http/problems.py",
    "Problem.errors[].limit": "as Problem.suggestion",
    "Problem.errors[].actual": "as Problem.suggestion",
}

suite = Suite()
document = Document(json.loads((ROOT / "api/openapi.json").read_text()))
table = list(cases(document))


def members():
    """All members, and those of examples."""
    found = Members(document)
    for template, method, operation in document.operations():
        of_operation = [case for case in table if case.template == template and case.method == method]
        pointer = f"/paths/{template}/{method.lower()}"
        for content_type, media in content_of(document, operation).items():
            found.media("request", f"{pointer}/requestBody/{content_type}", content_type, media,
                        [(case.title, case.body) for case in of_operation if case.content_type == content_type and case.body is not None])
        for status, content_type, media in replies_of(document, operation):
            found.media("reply", f"{pointer}/responses/{status}/{content_type}", content_type, media,
                        [(f"{method} {template} {name}", value) for name, value in examples_of(media).items()])
        for parameter in parameters_of(document, document.document["paths"][template], operation):
            found.parameter(parameter)
        for case in of_operation:
            for parameter, unused in case.parameters():
                found.parameter(parameter, case.title)
    return found


def readable(pointer):
    return pointer.replace("#/components/schemas/", "").replace("/properties/", ".").replace("/items", "[]")


found = members()


def reason_of(places):
    """The entry of WITHOUT that matches one of the places."""
    return next((entry for entry in WITHOUT if entry in map(readable, places)), None)


@suite.fact
def every_member_has_an_example():
    lacking = [f"\n  {key[0]} member {key[1]!r}: add it to an example of one of {', '.join(map(readable, places[:4]))}"
               for key, places in found.places.items() if key not in found.met and reason_of(places) is None]
    if lacking:
        raise Failure(f"{len(lacking)} members have no example in api/openapi.json. Give a request example of api/openapi.json the member, and"
                      f" its reply example of the same name what the daemon answers:{''.join(lacking)}")


@suite.fact
def members_listed_without_an_example_have_none():
    for entry, why in WITHOUT.items():
        keys = [key for key, places in found.places.items() if reason_of(places) == entry]
        if not keys:
            raise Failure(f"{entry} is listed, but there is no such member")
        for key in keys:
            if key in found.met:
                raise Failure(f"{entry} is listed ({why}), but {sorted(found.met[key])[0]} has it: take it off the list")


@suite.fact
def every_example_is_run():
    """A reply's example is compared when a request has its name; under two statuses only one could be compared."""
    for template, method, operation in document.operations():
        names = {case.name for case in table if case.template == template and case.method == method}
        seen = {}
        for status, content_type, media in replies_of(document, operation):
            for name in examples_of(media):
                what = f"{method} {template}: the reply's example {name!r}"
                if name not in names:
                    raise Failure(f"{what} has no request of its name")
                if name in seen:
                    raise Failure(f"{what} stands under {seen[name]} and {status} {content_type}")
                seen[name] = f"{status} {content_type}"


del sys.argv[1:]  # the build folder, which this test does not need
suite.main()
