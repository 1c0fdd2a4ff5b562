"""A robot from its URDF: links with meshes, joints, and the poses of the links for given joint angles."""
import math
import pathlib
import struct
import xml.etree.ElementTree as xml


def numbers(text):
    return [float(x) for x in text.split()]


def quaternion_product(a, b):
    """[w, x, y, z]"""
    return [a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]]


def about(axis, angle):
    s = math.sin(angle / 2) / math.sqrt(sum(x * x for x in axis))
    return [math.cos(angle / 2)] + [s * x for x in axis]


def of_rpy(rpy):
    roll, pitch, yaw = (about([i == 0, i == 1, i == 2], angle) for i, angle in enumerate(rpy))
    return quaternion_product(quaternion_product(yaw, pitch), roll)


def matrix(q):
    """Rows of the rotation of q/|q|."""
    w, x, y, z = q
    s = 2 / (w * w + x * x + y * y + z * z)
    return [[1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
            [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
            [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)]]


class Pose:
    def __init__(self, position=(0.0, 0.0, 0.0), wxyz=(1.0, 0.0, 0.0, 0.0)):
        self.position, self.wxyz = list(position), list(wxyz)

    def __mul__(self, child):
        rows = matrix(self.wxyz)
        place = [sum(rows[i][k] * child.position[k] for k in range(3)) + self.position[i] for i in range(3)]
        return Pose(place, quaternion_product(self.wxyz, child.wxyz))


class Robot:
    def __init__(self, path):
        self.folder = pathlib.Path(path).parent
        root = xml.parse(path).getroot()
        self.meshes = {}  # link -> file of its collision mesh
        for link in root.findall("link"):
            mesh = link.find("collision/geometry/mesh")
            if mesh is not None:
                self.meshes[link.get("name")] = self.folder / mesh.get("filename")
        self.joints = []  # parents before children, as in the file
        for joint in root.findall("joint"):
            origin, axis, limit = joint.find("origin"), joint.find("axis"), joint.find("limit")
            self.joints.append({
                "parent": joint.find("parent").get("link"), "child": joint.find("child").get("link"),
                "origin": Pose(numbers(origin.get("xyz")), of_rpy(numbers(origin.get("rpy")))),
                "axis": numbers(axis.get("xyz")) if joint.get("type") != "fixed" else None,
                "limits": (float(limit.get("lower")), float(limit.get("upper"))) if limit is not None else None})

    def moving(self):
        return [joint for joint in self.joints if joint["axis"]]

    def adjacent(self):
        return {frozenset((joint["parent"], joint["child"])) for joint in self.joints}

    def place(self, angles):
        """link -> Pose in the world, for one angle per moving joint."""
        poses, angle = {}, iter(angles)
        for joint in self.joints:
            turn = Pose(wxyz=about(joint["axis"], next(angle))) if joint["axis"] else Pose()
            poses[joint["child"]] = poses.get(joint["parent"], Pose()) * joint["origin"] * turn
        return poses


def stl_triangles(path):
    """[[9 numbers], ...] of a binary STL."""
    data = pathlib.Path(path).read_bytes()
    count = struct.unpack_from("<I", data, 80)[0]
    return [list(struct.unpack_from("<9f", data, 84 + 50 * i + 12)) for i in range(count)]
