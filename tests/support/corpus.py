"""The place of the reference corpus, and its shapes and poses in the notation of the API.
CONTACTD_CORPUS names the folder; the default is ../shared/corpus beside the project. Without it the tests run the
committed synthetic cases and print how many of the full set they leave out."""
import json
import os
import pathlib

from support import exact
from support.daemon import ROOT

KINDS = ("sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "convex", "half_space")
POLYTOPES = ("sphere", "box", "capsule", "convex", "half_space", "mesh")  # and rounded bodies with a polytope as core
# Cases of the full set.
FULL = {"pairs": 2875, "broadphase": 21, "meshes": 64, "tetmeshes": 96, "mesh_pairs": 30, "scenes": 13, "intersections": 500, "softmesh": 60,
        "lcp": 169}
SAMPLES = {"pairs": ROOT / "tests/corpus/synthetic_pairs.jsonl", "broadphase": ROOT / "tests/corpus/synthetic_broadphase.jsonl",
           "meshes": ROOT / "tests/corpus/synthetic_pairs.jsonl", "tetmeshes": ROOT / "tests/corpus/synthetic_pairs.jsonl",
           "softmesh": ROOT / "tests/corpus/synthetic_softmesh.jsonl",
           "intersections": ROOT / "tests/corpus/synthetic_intersections.jsonl", "lcp": ROOT / "tests/corpus/synthetic_lcp.jsonl"}


def folder():
    return pathlib.Path(os.environ.get("CONTACTD_CORPUS", ROOT / "../shared/corpus")).resolve()


def lines(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def cases(name, chosen=lambda case: True):
    """(list of cases, number left out)."""
    path = folder() / f"{'pairs' if name in ('meshes', 'tetmeshes') else name}.jsonl"
    if path.exists():
        return [case for case in lines(path) if chosen(case)], 0
    sample = [case for case in lines(SAMPLES[name]) if chosen(case)]
    return sample, max(FULL[name] - len(sample), 0)


def known_pair(case):
    """Convex kinds and half-spaces; a mesh only against a half-space, where its distance is signed."""
    kinds = [case[side]["shape"]["type"] for side in "ab"]
    return all(kind in KINDS for kind in kinds) or sorted(kinds) == ["half_space", "mesh"]


def mesh_pair(case):
    """A mesh against a mesh or a convex kind."""
    kinds = [case[side]["shape"]["type"] for side in "ab"]
    return "mesh" in kinds and all(kind in KINDS[:-1] + ("mesh",) for kind in kinds)


def tetmesh_pair(case):
    """A tetmesh against anything."""
    return "tetmesh" in (case[side]["shape"]["type"] for side in "ab")


def collider(shape, solid=None):
    """The shape in the notation of the API; a mesh in the requested reading."""
    kind = shape["type"]
    if kind == "sphere":
        return {"sphere": {"radius": shape["radius"]}}
    if kind == "box":
        return {"box": {"size": [2 * h for h in shape["half_extents"]]}}
    if kind == "capsule":
        return {"capsule": {"radius": shape["radius"], "height": 2 * shape["half_length"]}}
    if kind == "cylinder":
        return {"cylinder": {"radius": shape["radius"], "height": 2 * shape["half_length"]}}
    if kind == "cone":
        return {"cone": {"radius": shape["radius"], "height": 2 * shape["half_length"]}}
    if kind == "ellipsoid":
        return {"ellipsoid": {"radii": shape["radii"]}}
    if kind == "convex":
        return {"convex": {"vertices": shape["vertices"]}}
    if kind == "mesh":
        reading = {} if solid is None else {"solid": solid and shape.get("closed", False)}
        return {"mesh": dict(vertices=shape["vertices"], triangles=shape["triangles"], **reading)}
    if kind == "tetmesh":
        return {"tetmesh": {"vertices": shape["vertices"], "tetrahedra": shape["tetrahedra"]}}
    return {"plane": {}}


def placed_pose(side):
    return {"position": side["pose"]["position"], "rotationWxyz": side["pose"]["orientation"]}


def placed(side, solid=None):
    """Collider and pose for a stateless query."""
    return dict(collider(side["shape"], solid), **placed_pose(side))


def body(name, side):
    return {"id": name, "position": side["pose"]["position"], "rotationWxyz": side["pose"]["orientation"],
            "colliders": [collider(side["shape"])]}


def exact_of(placed):
    """The exact geometry of an API collider in its pose."""
    kind = next(k for k in ("sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "convex", "mesh", "plane") if k in placed)
    shape = dict(placed[kind], type="half_space" if kind == "plane" else kind)
    if kind == "box":
        shape["half_extents"] = [0.5 * edge for edge in shape["size"]]
    if "height" in shape:
        shape["half_length"] = 0.5 * shape["height"]
    pose = {"position": placed.get("position", [0, 0, 0]), "orientation": placed.get("rotationWxyz", [1, 0, 0, 0])}
    body = exact.Placed(shape, pose)
    if "matrix" in placed:
        body.rows = tuple(exact.vector(row) for row in placed["matrix"])
    return body


def mesh_files():
    """Cases with meshes in files beside them."""
    path = folder() / "mesh_pairs.jsonl"
    return (list(lines(path)), 0) if path.exists() else ([], FULL["mesh_pairs"])


def with_files(case):
    """The same case with the meshes' numbers inserted."""
    out = dict(case, category="file", scale=max(abs(case["expect"]["distance"]), mesh_size(case)))
    for side in "ab":
        out[side] = dict(case[side], shape=dict(obj_file(case[side]["shape"]["file"]), type="mesh"))
    return out


OBJ = {}  # file -> shape


def obj_file(name):
    if name not in OBJ:
        rows = [line.split() for line in (folder() / name).read_text().splitlines()]
        vertices = [[float(x) for x in row[1:4]] for row in rows if row and row[0] == "v"]
        faces = [[int(item.split("/")[0]) - 1 for item in row[1:]] for row in rows if row and row[0] == "f"]
        OBJ[name] = {"vertices": vertices, "triangles": [[f[0], f[i], f[i + 1]] for f in faces for i in range(1, len(f) - 1)]}
    return OBJ[name]


def mesh_size(case):
    """The sum of half the box diagonals of the two meshes."""
    total = 0.0
    for side in "ab":
        v = obj_file(case[side]["shape"]["file"])["vertices"]
        total += 0.5 * sum((max(p[i] for p in v) - min(p[i] for p in v)) ** 2 for i in range(3)) ** 0.5
    return total


def scenes():
    """(files, number left out)"""
    paths = sorted((folder() / "scenes").glob("*.json")) or sorted((ROOT / "tests/corpus/synthetic_scenes").glob("*.json"))
    return paths, max(FULL["scenes"] - len(paths), 0)


def document(path):
    return json.loads(path.read_text(encoding="utf-8"))


def synthetic(case):
    """Only generated shapes may be copied: with generated parameters, or with a source that says so."""
    if "rays_from_a" in case.get("expect", {}):
        return all(case[side]["shape"]["type"] == "mesh" and case[side]["shape"]["source"].startswith("synthetic") for side in "ab")
    if "aabbs" in case:
        return case["origin"].startswith("synthetic") and case["n"] <= 1000
    sources = [case[side]["shape"].get("source", "synthetic") for side in "ab"]
    return (known_pair(case) or mesh_pair(case) or tetmesh_pair(case)) and all(source.startswith("synthetic") for source in sources)


def first_synthetic(name, most):
    """This many synthetic cases of every pair of kinds and category, with hulls of at most 40 points."""
    seen, kept = {}, []
    for case in lines(folder() / f"{name}.jsonl"):
        if not synthetic(case) or any(len(case[side]["shape"].get("vertices", [])) > 40 for side in "ab"):
            continue
        key = (tuple(sorted(case[side]["shape"]["type"] for side in "ab")), case["category"])
        seen[key] = seen.get(key, 0) + 1
        if seen[key] <= most:
            kept.append(case)
    return kept


def complementarity(case):
    """The problem in the API's notation: dense rows, or sparse entries."""
    if "A" in case:
        return {"M": case["A"], "q": case["b"]}
    return {"M": {"n": case["n"], **{name: case["A_sparse"][name] for name in ("rows", "cols", "values")}}, "q": case["b"]}


def few_rows():
    """The first four synthetic problems of each category, of at most 20 rows."""
    seen = {}
    for case in lines(folder() / "lcp.jsonl"):
        if case["source"].startswith("synthetic") and case["n"] <= 20 and seen.setdefault(case["category"], 0) < 4:
            seen[case["category"]] += 1
            yield case


def write_samples():
    """Writes the first two synthetic pairs and six intersections of each kind, the small sets of boxes, and small
    complementarity problems."""
    for name, chosen in (("pairs", first_synthetic("pairs", 2)), ("intersections", first_synthetic("intersections", 6)),
                         ("broadphase", [c for c in lines(folder() / "broadphase.jsonl") if synthetic(c)]),
                         ("softmesh", [c for c in lines(folder() / "softmesh.jsonl") if synthetic(c)]), ("lcp", list(few_rows()))):
        SAMPLES[name].write_text("".join(json.dumps(case, separators=(",", ":")) + "\n" for case in chosen))
        print(f"{SAMPLES[name].name}: {len(chosen)} cases")


if __name__ == "__main__":
    write_samples()
