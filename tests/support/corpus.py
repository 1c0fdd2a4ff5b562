"""Where the reference corpus is, and its shapes and poses in the words of the API.

CONTACTD_CORPUS names the folder; the default is ../shared/corpus beside the project. Where there is none, the tests run the
committed synthetic cases and say how many of the full set they leave out.
"""
import json
import os
import pathlib

from support.daemon import ROOT

KINDS = ("sphere", "box", "capsule", "convex", "half_space")
FULL = {"pairs": 1042, "broadphase": 21}  # cases of the full set that these kinds answer
SAMPLES = {"pairs": ROOT / "tests/corpus/synthetic_pairs.jsonl", "broadphase": ROOT / "tests/corpus/synthetic_broadphase.jsonl",
           "softmesh": ROOT / "tests/corpus/synthetic_softmesh.jsonl"}


def folder():
    return pathlib.Path(os.environ.get("CONTACTD_CORPUS", ROOT / "../shared/corpus")).resolve()


def lines(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def cases(name, chosen=lambda case: True):
    """(list of cases, number left out)."""
    path = folder() / f"{name}.jsonl"
    if path.exists():
        return [case for case in lines(path) if chosen(case)], 0
    sample = [case for case in lines(SAMPLES[name]) if chosen(case)]
    return sample, max(FULL[name] - len(sample), 0)


def known_pair(case):
    return all(case[side]["shape"]["type"] in KINDS for side in "ab")


def collider(shape):
    """The shape as the API spells it."""
    kind = shape["type"]
    if kind == "sphere":
        return {"sphere": {"radius": shape["radius"]}}
    if kind == "box":
        return {"box": {"size": [2 * h for h in shape["half_extents"]]}}
    if kind == "capsule":
        return {"capsule": {"radius": shape["radius"], "height": 2 * shape["half_length"]}}
    if kind == "convex":
        return {"convex": {"vertices": shape["vertices"]}}
    return {"plane": {}}


def placed(side):
    """Collider and pose for a stateless query."""
    out = collider(side["shape"])
    out["position"] = side["pose"]["position"]
    out["rotationWxyz"] = side["pose"]["orientation"]
    return out


def body(name, side):
    return {"id": name, "position": side["pose"]["position"], "rotationWxyz": side["pose"]["orientation"],
            "colliders": [collider(side["shape"])]}


def synthetic(case):
    """Only shapes made for the corpus may be copied: generated parameters, or a source that says so."""
    if "rays_from_a" in case.get("expect", {}):
        return all(case[side]["shape"]["type"] == "mesh" and case[side]["shape"]["source"].startswith("synthetic") for side in "ab")
    if "aabbs" in case:
        return case["origin"].startswith("synthetic") and case["n"] <= 1000
    return known_pair(case) and all(case[side]["shape"].get("source", "synthetic").startswith("synthetic") for side in "ab")


def write_samples():
    """The first two synthetic cases of every pair of kinds and category (hulls of at most 40 points), and the small sets of
    boxes."""
    seen, kept = {}, []
    for case in lines(folder() / "pairs.jsonl"):
        if not synthetic(case) or any(len(case[side]["shape"].get("vertices", [])) > 40 for side in "ab"):
            continue
        key = (tuple(sorted(case[side]["shape"]["type"] for side in "ab")), case["category"])
        seen[key] = seen.get(key, 0) + 1
        if seen[key] <= 2:
            kept.append(case)
    for name, chosen in (("pairs", kept), ("broadphase", [c for c in lines(folder() / "broadphase.jsonl") if synthetic(c)]),
                         ("softmesh", [c for c in lines(folder() / "softmesh.jsonl") if synthetic(c)])):
        SAMPLES[name].write_text("".join(json.dumps(case, separators=(",", ":")) + "\n" for case in chosen))
        print(f"{SAMPLES[name].name}: {len(chosen)} cases")


if __name__ == "__main__":
    write_samples()
