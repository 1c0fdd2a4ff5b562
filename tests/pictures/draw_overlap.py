#!/usr/bin/python3
"""Draws pairs of real meshes in overlap, and what the daemon answers about them, as PNG pictures beside this file.

    make build && CONTACTD_BIN=build/contactd PYTHONPATH=tests tests/pictures/draw_overlap.py

Parallel projection, a line of sight through each pixel. The first body is blue, the second sand, both as glass; where a line is
inside both, what they share is red. Black: contact points; green: features; white: the position and normal of the volumetric contact.
Python's standard library alone; the same bytes each time.
"""
import math
import pathlib
import struct
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from support import real_meshes  # noqa: E402
from support.client import KeepAlive  # noqa: E402
from support.daemon import Daemon  # noqa: E402
from support.triangles import cross, dot, sub  # noqa: E402

WIDTH, HEIGHT = 640, 480
AZIMUTH, ELEVATION = math.radians(-60.0), math.radians(28.0)
BODY, SHARED = ((86, 134, 196), (206, 172, 110)), (200, 36, 30)
GLASS = 0.42  # how much a surface of one body hides
RIGHT = [-math.sin(AZIMUTH), math.cos(AZIMUTH), 0.0]
TOWARDS = [math.cos(AZIMUTH) * math.cos(ELEVATION), math.sin(AZIMUTH) * math.cos(ELEVATION), math.sin(ELEVATION)]
UP = cross(TOWARDS, RIGHT)
LIGHT = [dot([-0.35, -0.55, 0.76], axis) for axis in (RIGHT, UP, TOWARDS)]


def seen(p):
    return [dot(p, RIGHT), dot(p, UP), dot(p, TOWARDS)]


class View:
    """Where on the picture a seen point is."""

    def __init__(self, meshes):
        boxes = [[(min(v[k] for t in m for v in t), max(v[k] for t in m for v in t)) for k in (0, 1)] for m in meshes]
        sizes = [max(high - low for low, high in box) for box in boxes]
        small = sizes.index(min(sizes))
        grown = 0.8 if max(sizes) > 3 * min(sizes) else None  # a small body is looked at from near
        spans = []
        for k in (0, 1):
            low, high = boxes[small][k] if grown else (min(b[k][0] for b in boxes), max(b[k][1] for b in boxes))
            margin = (grown or 0.05) * (high - low)
            spans.append((low - margin, high + margin))
        self.scale = min(WIDTH / (spans[0][1] - spans[0][0]), HEIGHT / (spans[1][1] - spans[1][0]))
        self.middle = [0.5 * (low + high) for low, high in spans]

    def place(self, p):
        return [0.5 * WIDTH + (p[0] - self.middle[0]) * self.scale, 0.5 * HEIGHT - (p[1] - self.middle[1]) * self.scale, p[2]]


def lines_of_sight(meshes, view):
    """{pixel: [(height, body, +1 into it or -1, shade), ...]} of a line through the middle of each pixel."""
    hits = {}
    for body, mesh in enumerate(meshes):
        for t in mesh:
            n = cross(sub(t[1], t[0]), sub(t[2], t[0]))
            length = math.sqrt(dot(n, n))
            a, b, c = (view.place(v) for v in t)
            turn = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
            if turn == 0 or length == 0:
                continue
            shade = 0.55 + 0.45 * abs(dot(n, LIGHT)) / length
            way = 1 if n[2] > 0 else -1
            for x in range(max(math.ceil(min(a[0], b[0], c[0]) - 0.5), 0), min(math.floor(max(a[0], b[0], c[0]) - 0.5), WIDTH - 1) + 1):
                for y in range(max(math.ceil(min(a[1], b[1], c[1]) - 0.5), 0),
                               min(math.floor(max(a[1], b[1], c[1]) - 0.5), HEIGHT - 1) + 1):
                    px, py = x + 0.5 - a[0], y + 0.5 - a[1]
                    u = (px * (c[1] - a[1]) - py * (c[0] - a[0])) / turn
                    v = ((b[0] - a[0]) * py - (b[1] - a[1]) * px) / turn
                    if u >= 0 and v >= 0 and u + v <= 1:
                        hits.setdefault((x, y), []).append((-(a[2] + u * (b[2] - a[2]) + v * (c[2] - a[2])), body, way, shade))
    return hits


def colour_of(hits):
    """Front to back: glass, until a line is in both bodies."""
    colour, clear, windings = [0.0, 0.0, 0.0], 1.0, [0, 0]
    for _, body, way, shade in sorted(hits):
        windings[body] += way
        both = windings[0] >= 1 and windings[1] >= 1
        hides = 1.0 if both else GLASS if way > 0 else 0.0
        paint = SHARED if both else BODY[body]
        colour = [c + clear * hides * shade * p for c, p in zip(colour, paint)]
        clear *= 1.0 - hides
        if both:
            break
    return [round(min(c + 255.0 * clear, 255.0)) for c in colour]


def disc(rows, at, radius, colour):
    for y in range(max(int(at[1] - radius), 0), min(int(at[1] + radius) + 2, HEIGHT)):
        for x in range(max(int(at[0] - radius), 0), min(int(at[0] + radius) + 2, WIDTH)):
            if (x + 0.5 - at[0]) ** 2 + (y + 0.5 - at[1]) ** 2 <= radius * radius:
                rows[y][3 * x:3 * x + 3] = bytes(colour)


def stroke(rows, a, b, radius, colour):
    steps = max(int(2 * math.dist(a[:2], b[:2])), 1)
    for i in range(steps + 1):
        disc(rows, [a[k] + (b[k] - a[k]) * i / steps for k in (0, 1)], radius, colour)


def png(rows):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    pixels = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows), 9)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)) + chunk(b"IDAT", pixels)
            + chunk(b"IEND", b""))


def draw(pair, volume, contacts, features):
    meshes = [[[seen(v) for v in t] for t in mesh] for mesh in (pair.first, pair.second)]
    view = View(meshes)
    rows = [bytearray(b"\xff" * 3 * WIDTH) for _ in range(HEIGHT)]
    for (x, y), hits in lines_of_sight(meshes, view).items():
        rows[y][3 * x:3 * x + 3] = bytes(colour_of(hits))

    def at(p):
        return view.place(seen(p))
    for feature in features:
        disc(rows, at(feature["pointA"]), 1.5, (20, 130, 50))
    for patch in contacts:
        for point in patch["points"]:
            disc(rows, at(point["position"]), 2.6, (0, 0, 0))
    tip = [c + n * 60 / view.scale for c, n in zip(volume["position"], volume["normal"])]
    for radius, colour in ((3.4, (0, 0, 0)), (2.0, (255, 255, 255))):
        stroke(rows, at(volume["position"]), at(tip), 0.6 * radius, colour)
        disc(rows, at(volume["position"]), 2.0 * radius, colour)
    return png(rows)


def main():
    daemon = Daemon().start()
    try:
        client = KeepAlive(daemon)
        shapes = real_meshes.post(client)
        for pair in real_meshes.pairs():
            volume, contacts, features = (
                client.post(f"/v1/query/{kind}", pair.request(shapes, deadlineMs=60000, **rest)).must(200).json["results"]
                for kind, rest in (("volume", {}), ("contacts", {}), ("features", {"limit": 100000})))
            (pathlib.Path(__file__).parent / f"{pair.name}.png").write_bytes(draw(pair, volume[0], contacts, features))
            points = sum(len(patch["points"]) for patch in contacts)
            print(f"{pair.name}: {volume[0]['volume'] * 1e6:.4g} cm3, {points} contact points, {len(features)} features")
    finally:
        daemon.stop()


main()
