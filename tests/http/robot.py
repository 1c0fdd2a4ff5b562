"""A real robot, KUKA KR5 (dart-doc) from URDF and STL, with its configurations in one call, against FCL on the same
meshes.
Links and obstacles are posted with solid=false, since FCL treats meshes as surfaces. Overlap must agree unless
|distance| < 1e-9 m; distances of separated pairs agree within 1e-9 m."""
import os
import random
import subprocess

from support import models, urdf
from support.checks import Suite, check, equal
from support.client import KeepAlive
from support.daemon import BUILD, Daemon

CONFIGURATIONS = 1000 if os.environ.get("CONTACTD_FULL") else 10 if os.environ.get("CONTACTD_SANITIZER") else 100
NEAR = 1e-9  # m
suite = Suite()
daemon = Daemon().start()
suite.cleanup(daemon.stop)
client = KeepAlive(daemon)


def box_mesh(size):
    """A closed box as a mesh: vertices, triangles."""
    vertices = [[size[k] * (0.5 if i >> k & 1 else -0.5) for k in range(3)] for i in range(8)]
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return {"vertices": vertices, "triangles": [t for a, b, c, d in quads for t in ([a, b, c], [a, c, d])]}


OBSTACLES = {"table": (box_mesh([1.2, 0.05, 0.8]), [0.5, -0.55, 0.0]), "post": (box_mesh([0.1, 1.5, 0.1]), [0.35, 0.2, 0.35]),
             "shelf": (box_mesh([0.6, 0.03, 0.3]), [0.4, 0.25, -0.35])}


def corners(mesh):
    return [sum((mesh["vertices"][i] for i in t), []) for t in mesh["triangles"]]


class Cell:
    """The robot, its obstacles, the pairs queried, and the random configurations."""

    def __init__(self):
        self.robot = urdf.Robot(models.dart("urdf/KR5/KR5 sixx R650.urdf"))
        self.links = list(self.robot.meshes)
        adjacent = self.robot.adjacent()
        self.pairs = [(a, b) for i, a in enumerate(self.links) for b in self.links[i + 1:] if frozenset((a, b)) not in adjacent]
        self.pairs += [(link, name) for link in self.links for name in OBSTACLES]
        draw = random.Random(5)
        limits = [joint["limits"] for joint in self.robot.moving()]
        self.poses = [self.robot.place([draw.uniform(*limit) for limit in limits]) for _ in range(CONFIGURATIONS)]

    def scene(self):
        bodies = []
        for link in self.links:
            reply = client.request("POST", "/v1/shapes?unit=m&solid=false", self.robot.meshes[link].read_bytes(),
                                   content_type="model/stl").must(201).json
            equal(reply["triangles"] + reply["degenerateDropped"] + reply["duplicatesDropped"],
                  len(urdf.stl_triangles(self.robot.meshes[link])), f"triangles of {link}")
            pose = self.poses[0][link]
            bodies.append({"id": link, "position": pose.position, "rotationWxyz": pose.wxyz, "colliders": [{"shape": reply["id"]}]})
        for name, (mesh, position) in OBSTACLES.items():
            bodies.append({"id": name, "position": position, "colliders": [{"mesh": dict(mesh, solid=False)}]})
        return {"bodies": bodies}

    def variants(self):
        return [{"ids": self.links, "positions": [poses[link].position for link in self.links],
                 "rotations": [poses[link].wxyz[1:] + poses[link].wxyz[:1] for link in self.links]} for poses in self.poses]

    def peer(self):
        """[(overlap, distance)] by FCL for each configuration."""
        names = self.links + list(OBSTACLES)
        meshes = [urdf.stl_triangles(self.robot.meshes[link]) for link in self.links]
        meshes += [corners(mesh) for mesh, _ in OBSTACLES.values()]
        text = [f"mesh {len(m)}\n" + "\n".join(" ".join(map(repr, t)) for t in m) for m in meshes]
        fixed = {name: urdf.Pose(position) for name, (_, position) in OBSTACLES.items()}
        for poses in self.poses:
            placed = {name: words(pose) for name, pose in {**poses, **fixed}.items()}
            text += [f"pair {names.index(a)} {names.index(b)} {placed[a]} {placed[b]}" for a, b in self.pairs]
        run = subprocess.run([BUILD / "tests/peers/fcl_meshes"], input="\n".join(text), capture_output=True, text=True, check=True)
        rows = [line.split() for line in run.stdout.splitlines()]
        return [(row[0] == "1", float(row[1])) for row in rows]


def words(pose):
    return " ".join(map(repr, sum(urdf.matrix(pose.wxyz), []) + pose.position))


@suite.fact
def all_configurations_agree_with_fcl():
    cell = Cell()
    client.put("/v1/scenes/kr5", cell.scene()).must(201)
    request = {"pairs": cell.pairs, "variants": cell.variants(), "deadlineMs": 600000, "limit": len(cell.pairs) * CONFIGURATIONS}
    reply = client.post("/v1/scenes/kr5/query/distance", request, check=False).must(200).json
    equal(len(reply["results"]), CONFIGURATIONS, "variants answered")
    truth, faults, worst, meeting = iter(cell.peer()), [], 0.0, 0
    for variant in reply["results"]:
        equal(len(variant["results"]), len(cell.pairs), "pairs answered")
        for pair, answer in zip(cell.pairs, variant["results"]):
            meet, distance = next(truth)
            meeting += meet
            if (answer["distance"] <= 0) != meet and max(abs(answer["distance"]), distance) >= NEAR:
                faults.append(f"variant {variant['variant']} {pair}: {answer['distance']} here, FCL {meet} {distance}")
            elif not meet:
                worst = max(worst, abs(answer["distance"] - distance))
                if abs(answer["distance"] - distance) > NEAR:
                    faults.append(f"variant {variant['variant']} {pair}: {answer['distance']} here, FCL {distance}")
    print(f"  {CONFIGURATIONS} configurations, {len(cell.pairs)} pairs each, {meeting} meet; worst difference {worst:.2g} m")
    # Summaries of the same variants agree with them, in one array.
    short = {summary: client.post(f"/v1/scenes/kr5/query/{kind}", {**request, "summary": summary}).must(200)
             for kind, summary in (("overlap", "any"), ("distance", "count"), ("distance", "closest"))}
    lists = [variant["results"] for variant in reply["results"]]
    equal(short["any"].json["results"], [any(a["distance"] <= 0 for a in answers) for answers in lists], "any")
    equal(short["count"].json["results"], [sum(a["distance"] <= 0 for a in answers) for answers in lists], "count")
    equal([a["distance"] for a in short["closest"].json["results"]], [min(a["distance"] for a in answers) for answers in lists], "closest")
    print(f"  any: {len(short['any'].body)} bytes for {CONFIGURATIONS * len(cell.pairs)} yes or no; closest: {len(short['closest'].body)}")
    check(not faults, f"{len(faults)} disagree: " + "; ".join(faults[:5]))
    check(meeting > 0, "no configuration collides: the comparison is empty")


suite.main()
