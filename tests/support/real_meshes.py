"""Overlapping pairs of real closed meshes of thousands of triangles from dart-doc: a Barrett WAM's base, a Fetch's
base and a KUKA KR5's palm. Used by http/real_meshes.py and by the pictures of its answers."""
from support import models, triangles, urdf

FILES = {"wam_base": ("urdf/wam/meshes/wam/wam_base.STL", 4548),
         "fetch_base": ("mjcf/openai/robotics/stls/fetch/base_link_collision.stl", 4720),
         "kr5_palm": ("urdf/KR5/meshes/palm.STL", 2266)}
# a, b, position of a, its rotation as [w, x, y, z]; b is placed as in its file. Then volume and surface area of the
# intersection of the same triangles by CGAL 5.5.1, corefine_and_compute_intersection with exact predicates.
PAIRS = (("wam_base", "fetch_base", [0.1, -0.15, 0.22], [0.9, 0.2, 0.3, 0.1], 0.0010307915460975728, 0.23296053779779607),
         ("kr5_palm", "wam_base", [0.07, 0.23, 0.13], [0.9, 0.3, 0.2, 0.1], 1.9280806356567542e-05, 0.0059722831554989255),
         ("kr5_palm", "fetch_base", [0.23, 0.15, 0.23], [0.9, 0.3, 0.2, 0.1], 4.5300816493577085e-05, 0.010180503418137211))


def unit(q):
    length = sum(c * c for c in q) ** 0.5
    return [c / length for c in q]


class Pair:
    """Two of the meshes, placed: the request to the daemon, and the triangles in the world."""

    def __init__(self, a, b, position, wxyz, volume, surface):
        self.a, self.b, self.position, self.wxyz, self.volume, self.surface = a, b, position, unit(wxyz), volume, surface
        rows = urdf.matrix(self.wxyz)
        self.first = triangles.placed(urdf.stl_triangles(models.dart(FILES[a][0])), rows, position)
        self.second = triangles.placed(urdf.stl_triangles(models.dart(FILES[b][0])), urdf.matrix([1, 0, 0, 0]), [0, 0, 0])
        self.name = f"{a}-{b}"

    def request(self, shapes, **rest):
        return {"a": {"shape": shapes[self.a], "position": self.position, "rotationWxyz": self.wxyz}, "b": {"shape": shapes[self.b]}, **rest}


def post(client):
    """The ids of the shapes, which must be solids."""
    ids = {}
    for name, (path, count) in FILES.items():
        reply = client.request("POST", "/v1/shapes?unit=m", models.dart(path).read_bytes(), content_type="model/stl").must(201).json
        assert reply["triangles"] == count and reply["solid"], reply
        ids[name] = reply["id"]
    return ids


def pairs():
    return [Pair(*row) for row in PAIRS]
