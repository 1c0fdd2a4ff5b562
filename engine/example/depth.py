#!/usr/bin/python3
"""How deep is a tilted box in another one? The shared library, called through ctypes.

    python3 depth.py [path of libcontact.so.0]
"""
import ctypes
import math
import sys
from ctypes import POINTER, Structure, byref, c_bool, c_double, c_int, c_uint32, c_void_p


class Vec3(Structure):
    _fields_ = [(name, c_double) for name in "xyz"]


class Frame(Structure):  # rows of the rotation matrix, position
    _fields_ = [("rx", Vec3), ("ry", Vec3), ("rz", Vec3), ("position", Vec3)]


class Shape(Structure):  # of the union's members the box alone, which is the largest
    _fields_ = [("kind", c_int), ("inset", c_bool), ("lent", c_bool), ("half", Vec3), ("rounding", c_double),
                ("margin", c_double), ("surface_ids", c_void_p)]


class Placed(Structure):
    _fields_ = [("shape", POINTER(Shape)), ("frame", POINTER(Frame))]


class Options(Structure):
    _fields_ = [("tolerance", c_double), ("threshold", c_double)]


class Result(Structure):
    _fields_ = [("distance", c_double), ("lower_bound", c_double), ("upper_bound", c_double),
                ("normal", Vec3), ("point_a", Vec3), ("point_b", Vec3), ("relation", c_int), ("status", c_int),
                ("flags", c_uint32), ("iterations", c_uint32), ("depth_kind", c_int),
                ("triangles", c_uint32 * 2), ("elements", c_uint32 * 2), ("element_pairs", c_uint32)]


def load(path):
    library = ctypes.CDLL(path)
    library.ct_workspace_create.restype = c_void_p
    library.ct_workspace_destroy.argtypes = [c_void_p]
    library.ct_workspace_destroy.restype = None
    library.ct_pair_options_default.restype = Options
    library.ct_pair_distance.argtypes = [Placed, Placed, POINTER(Options), c_void_p, POINTER(Result)]
    library.ct_pair_distance.restype = None
    return library


def main():
    library = load(sys.argv[1] if len(sys.argv) > 1 else "libcontact.so.0")
    box = Shape(kind=1, half=Vec3(1.0, 1.0, 1.0))
    c = s = math.sqrt(0.5)
    level = Frame(Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(0, 0, 0))
    tilted = Frame(Vec3(c, -s, 0), Vec3(s, c, 0), Vec3(0, 0, 1), Vec3(2.2, 0, 0))  # 45 degrees about z
    options, result = library.ct_pair_options_default(), Result()
    workspace = library.ct_workspace_create()
    library.ct_pair_distance(Placed(ctypes.pointer(box), ctypes.pointer(level)),
                             Placed(ctypes.pointer(box), ctypes.pointer(tilted)), byref(options), workspace, byref(result))
    library.ct_workspace_destroy(workspace)
    expected = 1.0 + math.sqrt(2.0) - 2.2  # the edge at x = 2.2 - sqrt 2 is in the face x = 1
    print(f"depth {-result.distance:.12f} m along ({result.normal.x:.0f}, {result.normal.y:.0f}, {result.normal.z:.0f})")
    print(f"closed form: 1 + sqrt 2 - 2.2 = {expected:.12f} m")
    return not (abs(-result.distance - expected) < 1e-12 and abs(result.normal.x - 1.0) < 1e-12)


if __name__ == "__main__":
    sys.exit(main())
