"""Random everyday scenes: bodies of all kinds that stand, fall or are thrown, on a floor, in a tray, on steps or in free flight, with mass
properties in closed form. Shares nothing with the engine.

    scene = Scene(seed, least=6, most=40)
    scene.document()            for PUT of a scene
    scene.energy(poses)         (kinetic, potential) of a PosesDocument with velocities, J
"""
import math
import random

from support.solids import cross, dot, length, rotated, rotated_back, rotation

GRAVITY = 9.81  # m/s^2, the daemon's default, along -z
GROUNDS = {"floor": 4, "tray": 3, "steps": 2, "flight": 1}  # weights
SIZES = 0.05, 0.5  # m, the largest extent of a body along its axes
DENSITIES = 200.0, 8000.0  # kg/m^3
FRICTIONS, RESTITUTIONS = (0.2, 0.8), (0.0, 0.6)
STIFFNESSES = 1e6, 1e9  # Pa
SPEED, SPIN = 3.0, 5.0  # m/s and rad/s, at most, of thrown bodies
GAP = 1e-5  # m, between the bodies of a stack at the start
GAUSS = (-math.sqrt(0.6), 5 / 9), (0.0, 8 / 9), (math.sqrt(0.6), 5 / 9)  # exact to degree 5


class Moments:
    """Volume, centroid and second moments about the centroid, as a 3 x 3 matrix, of one part of a body."""

    def __init__(self, volume, centroid=(0.0, 0.0, 0.0), second=None, diagonal=None):
        self.volume, self.centroid = volume, list(centroid)
        self.second = second or [[diagonal[i] if i == j else 0.0 for j in range(3)] for i in range(3)]

    def moved(self, offset):
        return Moments(self.volume, [c + o for c, o in zip(self.centroid, offset)], self.second)


def union(parts):
    """Of parts that do not overlap."""
    volume = sum(p.volume for p in parts)
    centroid = [sum(p.volume * p.centroid[i] for p in parts) / volume for i in range(3)]
    away = [[p.centroid[i] - centroid[i] for i in range(3)] for p in parts]
    second = [[sum(p.second[i][j] + p.volume * d[i] * d[j] for p, d in zip(parts, away)) for j in range(3)] for i in range(3)]
    return Moments(volume, centroid, second)


def of_frustum(bottom, top, height):
    """By slices across z; the origin is at half height."""
    sums = [0.0] * 4
    for t, weight in GAUSS:
        z, r = 0.5 * height * t, 0.5 * (bottom + top) - 0.5 * (bottom - top) * t
        area = 0.5 * height * weight * math.pi * r * r
        sums = [s + area * x for s, x in zip(sums, (1.0, z, z * z, r * r / 4))]
    volume, first, along, across = sums
    return Moments(volume, [0, 0, first / volume], diagonal=[across, across, along - first * first / volume])


def of_capsule(radius, height):
    tube, ball = math.pi * radius ** 2 * height, 4 / 3 * math.pi * radius ** 3
    across = tube * radius ** 2 / 4 + ball * radius ** 2 / 5
    along = tube * height ** 2 / 12 + ball * (radius ** 2 / 5 + height ** 2 / 4 + 3 * height * radius / 8)
    return Moments(tube + ball, diagonal=[across, across, along])


def of_box(size):
    volume = math.prod(size)
    return Moments(volume, diagonal=[volume * e * e / 12 for e in size])


def of_ellipsoid(radii):
    volume = 4 / 3 * math.pi * math.prod(radii)
    return Moments(volume, diagonal=[volume * r * r / 5 for r in radii])


def of_polyhedron(points, triangles):
    """By the tetrahedra between the origin and the triangles."""
    volume, first, second = 0.0, [0.0] * 3, [[0.0] * 3 for unused in range(3)]
    for corners in triangles:
        v = [points[i] for i in corners]
        part = dot(v[0], cross(v[1], v[2])) / 6
        total = [sum(c) for c in zip(*v)]
        volume += part
        first = [f + part * t / 4 for f, t in zip(first, total)]
        second = [[second[i][j] + part / 20 * (sum(c[i] * c[j] for c in v) + total[i] * total[j]) for j in range(3)] for i in range(3)]
    centroid = [f / volume for f in first]
    return Moments(volume, centroid, [[second[i][j] - volume * centroid[i] * centroid[j] for j in range(3)] for i in range(3)])


# ---- shapes: (colliders, moments of the parts, whether both ends are flat) -----------------------------------------------------------


def prism(outline, height, top=1.0, center=0):
    """(points, triangles) of a prism or frustum; the caps are fans around the corner `center`."""
    count = len(outline)
    points = [[s * x, s * y, z] for z, s in ((-height / 2, 1.0), (height / 2, top)) for x, y in outline]
    fan = [[center, (center + i) % count, (center + i + 1) % count] for i in range(1, count - 1)]
    sides = [t for i, j in ((i, (i + 1) % count) for i in range(count)) for t in ([i, j, count + j], [i, count + j, count + i])]
    return points, [[a, c, b] for a, b, c in fan] + [[count + a, count + b, count + c] for a, b, c in fan] + sides


def sphere(rng, size):
    return [{"sphere": {"radius": size / 2}}], [of_ellipsoid([size / 2] * 3)], [size] * 3, False


def box(rng, size):
    edges = [size] + [size * rng.uniform(0.4, 1) for unused in range(2)]
    rng.shuffle(edges)
    return [{"box": {"size": edges}}], [of_box(edges)], edges, True


def capsule(rng, size):
    radius = size * rng.uniform(0.15, 0.4)
    height = size - 2 * radius
    return [{"capsule": {"radius": radius, "height": height}}], [of_capsule(radius, height)], [2 * radius, 2 * radius, size], False


def cylinder(rng, size):
    wide, high = rng.choice(((size, size * rng.uniform(0.3, 1)), (size * rng.uniform(0.4, 1), size)))
    return [{"cylinder": {"radius": wide / 2, "height": high}}], [of_frustum(wide / 2, wide / 2, high)], [wide, wide, high], True


def cone(rng, size):
    wide, high = rng.choice(((size, size * rng.uniform(0.6, 1)), (size * rng.uniform(0.6, 1), size)))
    top = rng.choice((0.0, rng.uniform(0.3, 0.8))) * wide / 2
    shape = {"radius": wide / 2, "height": high} | ({"radiusTop": top} if top else {})
    return [{"cone": shape}], [of_frustum(wide / 2, top, high)], [wide, wide, high], bool(top)


def ellipsoid(rng, size):
    radii = [size / 2] + [size / 2 * rng.uniform(0.4, 1) for unused in range(2)]
    rng.shuffle(radii)
    return [{"ellipsoid": {"radii": radii}}], [of_ellipsoid(radii)], [2 * r for r in radii], False


def convex(rng, size):
    count, high, wide = rng.randint(3, 7), size * rng.uniform(0.4, 1), size * rng.uniform(0.7, 1)
    outline = [[wide / 2 * math.cos(2 * math.pi * i / count), wide / 2 * math.sin(2 * math.pi * i / count)] for i in range(count)]
    points, triangles = prism(outline, high, rng.uniform(0.4, 1))
    return [{"convex": {"vertices": points}}], [of_polyhedron(points, triangles)], [wide, wide, high], True


def rounded(rng, size):
    """The mass of a rounded shape is that of the sharp one."""
    colliders, parts, extents, flat = rng.choice((box, cylinder, convex))(rng, size)
    return [{**colliders[0], "roundingRadius": min(extents) * rng.uniform(0.04, 0.1)}], parts, extents, flat


def compound(rng, size):
    if rng.random() < 0.5:  # T: a beam on a leg
        wide = size * rng.uniform(0.2, 0.35)
        beam, leg, rise = [size, wide, wide], [wide, wide, size * rng.uniform(0.3, 0.7)], wide / 2
        drop = -leg[2] / 2
        return ([{"box": {"size": beam}, "position": [0, 0, rise]}, {"box": {"size": leg}, "position": [0, 0, drop]}],
                [of_box(beam).moved([0, 0, rise]), of_box(leg).moved([0, 0, drop])], [size, wide, wide + leg[2]], False)
    ball, thin = size * rng.uniform(0.15, 0.22), size * rng.uniform(0.1, 0.2)  # dumbbell
    high = size - 4 * ball
    away = high / 2 + ball
    return ([{"cylinder": {"radius": thin / 2, "height": high}}] + [{"sphere": {"radius": ball}, "position": [0, 0, s * away]} for s in (-1, 1)],
            [of_frustum(thin / 2, thin / 2, high)] + [of_ellipsoid([ball] * 3).moved([0, 0, s * away]) for s in (-1, 1)],
            [2 * ball, 2 * ball, size], False)


def mesh(rng, size):
    """A prism with the profile L."""
    arm, high = size * rng.uniform(0.3, 0.6), size * rng.uniform(0.4, 1)
    outline = [[x - size / 2, y - size / 2] for x, y in ((0, 0), (size, 0), (size, arm), (arm, arm), (arm, size), (0, size))]
    points, triangles = prism(outline, high, center=3)
    return [{"mesh": {"vertices": points, "triangles": triangles}}], [of_polyhedron(points, triangles)], [size, size, high], True


KINDS = {"sphere": sphere, "box": box, "capsule": capsule, "cylinder": cylinder, "cone": cone, "ellipsoid": ellipsoid, "convex": convex,
         "rounded": rounded, "compound": compound, "mesh": mesh}


class Body:
    """`reach`: radius about the frame's origin that contains the body, m."""

    def __init__(self, rng, name, kind, size, material):
        self.name, self.kind = name, kind
        self.colliders, parts, self.extents, self.flat = KINDS[kind](rng, size)
        for collider in self.colliders:
            collider["material"] = material
        self.reach = length(self.extents) * (0.6 if kind == "compound" else 0.5)  # the frame of a T is not in its middle
        self.density = math.exp(rng.uniform(*map(math.log, DENSITIES)))
        self.moments = union(parts)
        self.mass = self.density * self.moments.volume
        self.position, self.turn, self.velocity, self.spin = [0.0] * 3, [0.0, 0.0, 0.0, 1.0], [0.0] * 3, [0.0] * 3

    def document(self):
        return {"id": self.name, "position": self.position, "rotation": self.turn, "colliders": self.colliders,
                "motion": {"density": self.density, "linearVelocity": self.velocity, "angularVelocity": self.spin}}

    def center(self, position, turn):
        return [p + c for p, c in zip(position, rotated(turn, self.moments.centroid))]

    def angular_momentum(self, turn, spin):
        """About the centre of mass."""
        local = rotated_back(turn, spin)
        second = self.moments.second
        trace = sum(second[i][i] for i in range(3))
        return rotated(turn, [self.density * (trace * local[i] - dot(second[i], local)) for i in range(3)])

    def energy(self, position, turn, velocity, spin):
        """(kinetic, potential)"""
        kinetic = 0.5 * self.mass * dot(velocity, velocity) + 0.5 * dot(spin, self.angular_momentum(turn, spin))
        return kinetic, self.mass * GRAVITY * self.center(position, turn)[2]


class Scene:
    def __init__(self, seed, least=6, most=40):
        rng = random.Random(f"everyday {seed}")
        self.seed, self.ground, count = seed, rng.choices(*zip(*GROUNDS.items()))[0], rng.randint(least, most)
        largest = math.exp(rng.uniform(math.log(2 * SIZES[0]), math.log(SIZES[1])))
        self.materials = {name: self.material(rng) for name in ("default", "m1", "m2")}
        self.bodies = [Body(rng, f"b{i:02d}", rng.choice(list(KINDS)), rng.uniform(max(SIZES[0], 0.3 * largest), largest),
                            rng.choice(list(self.materials))) for i in range(count)]
        self.pitch = 2.2 * max(b.reach for b in self.bodies)
        self.side = max(2, math.ceil(math.sqrt(count / rng.uniform(1.5, 4))))
        self.rise = rng.uniform(0.05, 0.15) if self.ground == "steps" else 0.0
        self.fill(rng)
        self.mass = sum(b.mass for b in self.bodies)
        self.start = {"ids": [b.name for b in self.bodies], "positions": [b.position for b in self.bodies],
                      "rotations": [b.turn for b in self.bodies], "linearVelocities": [b.velocity for b in self.bodies],
                      "angularVelocities": [b.spin for b in self.bodies]}
        heights = [b.position[2] for b in self.bodies]
        low = 0.0 if self.ground != "flight" else min(h - b.reach for h, b in zip(heights, self.bodies))
        self.height = max(h + b.reach for h, b in zip(heights, self.bodies)) - low
        # The scale of the energy limits, J: initial kinetic energy + m g times the scene's height.
        self.scale = self.energy(self.start)[0] + self.mass * GRAVITY * self.height
        self.smallest = min(min(b.extents) for b in self.bodies)

    @staticmethod
    def material(rng):
        return {"staticFriction": rng.uniform(*FRICTIONS), "restitution": rng.uniform(*RESTITUTIONS), "poissonRatio": 0.3,
                "youngsModulus": math.exp(rng.uniform(*map(math.log, STIFFNESSES)))}

    def fill(self, rng):
        """Columns of a square: stacks of flat bodies first, then bodies above them that fall or are thrown to the middle."""
        columns = [[i, j, i * self.rise] for i in range(self.side) for j in range(self.side)]
        rng.shuffle(columns)
        stacks = columns[:len(columns) // 2] if self.ground != "flight" else []
        middle = (self.side - 1) / 2 * self.pitch
        for body in sorted(self.bodies, key=lambda b: not b.flat):
            if body.flat and stacks and rng.random() < 0.6:
                column = rng.choice(stacks)
                yaw, half = rng.uniform(0, math.pi), body.extents[2] / 2
                body.turn = [0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)]
                reach = half + GAP
            else:
                column = rng.choice(columns)
                stacks = [c for c in stacks if c is not column]
                body.turn, reach = rotation(rng), body.reach + rng.uniform(0.01, 0.2)
                if self.ground == "flight" or rng.random() < 0.5:
                    aim = [middle - column[0] * self.pitch, middle - column[1] * self.pitch]
                    speed = rng.uniform(0.2, 1) * SPEED / max(1e-9, math.hypot(*aim), self.pitch)
                    body.velocity = [speed * aim[0], speed * aim[1], rng.uniform(-1, 1)]
                    body.spin = [rng.uniform(-SPIN, SPIN) / math.sqrt(3) for unused in range(3)]
            shift = [rng.uniform(-0.04, 0.04) * self.pitch for unused in range(2)]
            body.position = [column[0] * self.pitch + shift[0], column[1] * self.pitch + shift[1], column[2] + reach]
            column[2] += 2 * reach

    def immovable(self):
        wide = self.side * self.pitch
        middle = (wide - self.pitch) / 2
        under = {"id": "floor", "colliders": [{"plane": {}, "position": [0, 0, -0.2]}]}  # for bodies that leave tray or steps
        if self.ground == "floor":
            return [{"id": "floor", "colliders": [{"plane": {}}]}]
        if self.ground == "tray":
            walls = [{"box": {"size": [wide + 0.2, 0.1, 0.6] if y else [0.1, wide, 0.6]},
                      "position": [x * (wide / 2 + 0.05), y * (wide / 2 + 0.05), 0.3]} for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))]
            base = {"box": {"size": [wide + 0.2, wide + 0.2, 0.1]}, "position": [0, 0, -0.05]}
            return [under, {"id": "tray", "position": [middle, middle, 0], "colliders": [base, *walls]}]
        if self.ground == "steps":
            steps = [{"box": {"size": [self.pitch, wide, i * self.rise + 0.1]}, "position": [i * self.pitch, middle, (i * self.rise - 0.1) / 2]}
                     for i in range(self.side)]
            return [under, {"id": "steps", "colliders": steps}]
        return []

    def document(self):
        return {"materials": self.materials, "bodies": self.immovable() + [b.document() for b in self.bodies]}

    def rows(self, poses):
        index = {name: i for i, name in enumerate(poses["ids"])}
        for body in self.bodies:
            i = index[body.name]
            yield body, *(poses[member][i] for member in ("positions", "rotations", "linearVelocities", "angularVelocities"))

    def energy(self, poses):
        """(kinetic, potential) of all bodies, J."""
        return tuple(map(sum, zip(*(body.energy(*state) for body, *state in self.rows(poses)))))

    def momentum(self, poses):
        return [sum(body.mass * velocity[i] for body, unused, unused, velocity, unused in self.rows(poses)) for i in range(3)]

    def momentum_scale(self, time):
        """Sum of the magnitudes of the momenta, and of the impulse of the weight, N s."""
        return sum(b.mass * length(b.velocity) for b in self.bodies) + self.mass * GRAVITY * time
