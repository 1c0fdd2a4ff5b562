"""Random variants of the reference motions with a closed form or a Runge-Kutta reference: cases as in motion_references.jsonl. The references
are written here from the laws of mechanics and share no code with the daemon or with the readers."""
import math

GRAVITY = 9.81
MODES = "timeStepping,eventImpulses"


def case_of(number, kind, given, expect, modes=MODES):
    return {"id": f"v-{number}", "kind": kind, "given": given, "modes": modes,
            "expect": [{"quantity": name, "time": time, "value": value} for name, time, value in expect]}


def runge_kutta(derivative, state, time, steps):
    """The classical fourth-order method with a fixed number of steps."""
    h = time / steps
    for k in range(steps):
        t = k * h
        k1 = derivative(t, state)
        k2 = derivative(t + h / 2, [x + h / 2 * d for x, d in zip(state, k1)])
        k3 = derivative(t + h / 2, [x + h / 2 * d for x, d in zip(state, k2)])
        k4 = derivative(t + h, [x + h * d for x, d in zip(state, k3)])
        state = [x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(state, k1, k2, k3, k4)]
    return state


def bisected(function, low, high):
    """The root of a function that rises through 0."""
    for unused in range(60):
        middle = 0.5 * (low + high)
        if function(middle) < 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def sphere_slide_to_roll(random):
    """Friction mu m g against the slip, whose direction does not change, until 2 |u| / (7 mu g)."""
    radius, mass, mu = random.uniform(0.02, 0.5), random.uniform(0.1, 10), random.uniform(0.1, 0.8)
    v = [random.uniform(-2, 2), random.uniform(-2, 2), 0.0]
    w = [random.uniform(-2, 2) / radius, random.uniform(-2, 2) / radius, random.uniform(-5, 5)]
    u = (v[0] - radius * w[1], v[1] + radius * w[0])
    slip = math.hypot(*u)
    stop = 2 * slip / (7 * mu * GRAVITY)
    time = 1.5 * stop
    change = [-mu * GRAVITY * stop * x / slip for x in u]
    end = [v[0] + change[0], v[1] + change[1]]
    place = [(v[i] + end[i]) / 2 * stop + end[i] * (time - stop) for i in (0, 1)]
    given = {"shape": {"type": "sphere", "radius": radius}, "mass": mass, "friction": mu, "gravity": [0, 0, -GRAVITY],
             "center": [0, 0, radius], "velocity": v, "angular_velocity": w}
    return given, [("time when rolling begins", None, stop), ("velocity.x", time, end[0]), ("velocity.y", time, end[1]),
                   ("center.x", time, place[0]), ("center.y", time, place[1]), ("angular_velocity.x", time, -end[1] / radius),
                   ("angular_velocity.y", time, end[0] / radius)]


def ball_on_turntable(random):
    """The velocity of the centre turns with 2/7 of the table's angular velocity."""
    radius, omega = random.uniform(0.02, 0.2), random.choice((-1, 1)) * random.uniform(0.5, 4)
    x, y, time = random.uniform(0.2, 1), random.uniform(-0.5, 0.5), random.uniform(1, 3)
    v = [random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3)]
    rate = 2 * omega / 7
    # Rolling: v - r w_y = -omega y, v_y + r w_x = omega x.
    w = [(omega * x - v[1]) / radius, (v[0] + omega * y) / radius, 0.0]
    c, s = math.cos(rate * time), math.sin(rate * time)
    end = [c * v[0] - s * v[1], s * v[0] + c * v[1]]
    place = [x + (s * v[0] + (c - 1) * v[1]) / rate, y + ((1 - c) * v[0] + s * v[1]) / rate]
    given = {"shape": {"type": "sphere", "radius": radius}, "mass": random.uniform(0.1, 10), "gravity": [0, 0, -GRAVITY],
             "table_angular_velocity": [0, 0, omega], "center": [x, y, radius], "velocity": [*v, 0.0], "angular_velocity": w,
             "friction_at_least": 2 * abs(rate) * math.hypot(*v) / GRAVITY}
    return given, [("center.x", time, place[0]), ("center.y", time, place[1]), ("velocity.x", time, end[0]), ("velocity.y", time, end[1]),
                   ("angular_velocity.x", time, (omega * place[0] - end[1]) / radius),
                   ("angular_velocity.y", time, (end[0] + omega * place[1]) / radius)]


def box_on_accelerating_lift(random):
    half = [random.uniform(0.1, 0.5), random.uniform(0.1, 0.5), random.uniform(0.02, 0.05)]
    mass, mu, time = random.uniform(0.1, 10), random.uniform(0.2, 0.8), random.uniform(0.5, 2)
    across, up = random.uniform(0, 8), random.uniform(-3, 5)
    normal = GRAVITY + up
    own = min(across, mu * normal)
    # Normal force times the platform's rise, friction times its way across.
    work = mass * (normal * up + own * across) * time ** 2 / 2
    given = {"shape": {"type": "box", "half_extents": half}, "mass": mass, "friction": mu, "gravity": [0, 0, -GRAVITY],
             "platform_acceleration": [across, 0, up]}
    return given, [("center.x - start", time, own * time ** 2 / 2), ("center.z - start", time, up * time ** 2 / 2),
                   ("velocity.x", time, own * time), ("normal force", time, mass * normal),
                   ("work of the platform on the box (normal and friction)", time, work), ("penetration", time, 0.0)]


def block_on_slope(random):
    """Up with g (sin + mu cos) against it, then down with g (sin - mu cos), or at rest."""
    mu, speed, time = random.uniform(0.1, 0.7), random.choice((0.0, random.uniform(0, 3))), 2.0
    angle = math.atan(mu) + random.uniform(-0.2, 0.3)
    angle = max(angle, 0.05)
    braking = GRAVITY * (math.sin(angle) + mu * math.cos(angle))
    pull = max(0.0, GRAVITY * (math.sin(angle) - mu * math.cos(angle)))
    stop = min(time, speed / braking)
    way = -(speed * stop - braking * stop ** 2 / 2) + pull * (time - stop) ** 2 / 2
    end = pull * (time - stop) if stop < time else -(speed - braking * time)
    return {"friction": mu, "angle": angle, "gravity": GRAVITY, "speed_up_slope": speed}, [
        ("s", time, way), ("velocity down the slope", time, end)]


def block_slides_to_rest(random):
    mu, speed, mass = random.uniform(0.1, 1), random.uniform(0.5, 5), random.uniform(0.1, 10)
    return {"friction": mu, "speed": speed, "mass": mass, "gravity": GRAVITY}, [
        ("time of rest", None, speed / (mu * GRAVITY)), ("way", None, speed ** 2 / (2 * mu * GRAVITY)),
        ("energy lost to friction", None, mass * speed ** 2 / 2)]


def tilting_board(random):
    """In the frame of the board: N / m = 2 s' w - h w^2 + g cos, friction / m = s'' - s w^2 + g sin."""
    mu, rate, s, h = random.uniform(0.2, 0.7), random.uniform(0.1, 0.4), random.uniform(0.3, 1), random.uniform(0.02, 0.06)

    def excess(phi):
        return GRAVITY * math.sin(phi) - s * rate ** 2 - mu * (GRAVITY * math.cos(phi) - h * rate ** 2)

    phi = bisected(excess, 0.0, 1.4)

    def derivative(t, state):
        angle = phi + rate * t
        normal = 2 * state[1] * rate - h * rate ** 2 + GRAVITY * math.cos(angle)
        return [state[1], state[0] * rate ** 2 - GRAVITY * math.sin(angle) + mu * normal]

    end = runge_kutta(derivative, [s, 0.0], 0.5, 2000)
    slip = phi / rate
    return {"friction": mu, "rate": rate, "s": s, "h": h, "gravity": GRAVITY}, [
        ("phi_s", None, phi), ("time of slip", None, slip), ("s, dt after slip", slip + 0.5, end[0]),
        ("ds/dt, dt after slip", slip + 0.5, end[1])]


def bouncing_ball(random):
    gap, e = random.uniform(0.2, 2), random.uniform(0.2, 0.9)
    # Impacts of a hundredth of the first one's speed, far above the velocity tolerance.
    number = random.randrange(1, 2 + min(10, int(math.log(0.01) / math.log(e))))
    fall = math.sqrt(2 * gap / GRAVITY)
    times = [fall * (1 + 2 * sum(e ** j for j in range(1, k))) for k in range(1, number + 1)]
    return {"gap": gap, "restitution": e, "gravity": GRAVITY, "impact_number": number}, [
        ("Zeno time", None, fall * (1 + e) / (1 - e)), (f"time of impact {number}", None, times[-1])]


def billiard(random):
    radius, m1, m2 = random.uniform(0.02, 0.1), random.uniform(0.1, 1), random.uniform(0.1, 1)
    e, speed, mu = random.uniform(0.3, 1), random.uniform(1, 3), random.uniform(0.1, 0.4)
    offset = random.uniform(-1.2, 1.2) * radius
    normal = (math.sqrt(1 - (offset / (2 * radius)) ** 2), offset / (2 * radius))
    impulse = (1 + e) * speed * normal[0] / (1 / m1 + 1 / m2)
    v1 = [speed - impulse / m1 * normal[0], -impulse / m1 * normal[1]]
    v2 = [impulse / m2 * n for n in normal]
    start = math.hypot(*v2)
    rolls = 2 * start / (7 * mu * GRAVITY)
    sliding = min(rolls, 1.0)
    way = start * sliding - mu * GRAVITY * sliding ** 2 / 2 + 5 / 7 * start * (1.0 - sliding)
    given = {"radius": radius, "m1": m1, "m2": m2, "restitution": e, "speed": speed, "offset": offset, "table_friction": mu, "gravity": GRAVITY}
    return given, [("v1.x after", None, v1[0]), ("v1.y after", None, v1[1]), ("v2.x after", None, v2[0]), ("v2.y after", None, v2[1]),
                   ("ball 2: time until it rolls", None, rolls), ("ball 2: way", 1.0, way)]


def newtons_cradle_gaps(random):
    given = {"radius": random.uniform(0.02, 0.1), "balls": random.randrange(2, 7), "gap": random.uniform(0.005, 0.03),
             "restitution": random.uniform(0.5, 1), "speed": random.uniform(0.5, 3)}
    time, speed, expect = 0.0, given["speed"], []
    for k in range(1, given["balls"]):
        time += given["gap"] / speed
        speed *= (1 + given["restitution"]) / 2
        expect.append((f"time of the first impact of ball {k} on ball {k + 1}", None, time))
    return given, [*expect, ("speed of the last ball after its first impact", None, speed)]


def tipping_box(random):
    """Pendulum about the edge, I = 4/3 m r^2; the plastic impact on the other edge has Housner's ratio."""
    half, height = random.uniform(0.05, 0.3), random.uniform(0.1, 0.4)
    # A block that rocks back by a small part of its speed comes to rest before this can be read: such blocks are made higher.
    if 0.0 < 1 - 1.5 * math.sin(math.atan(half / height)) ** 2 < 0.1:
        height *= 1.3
    balance = math.atan(half / height)
    tilt, radius = balance * random.uniform(0.2, 0.8), math.hypot(half, height)

    def derivative(unused, state):
        return [state[1], -0.75 * GRAVITY / radius * math.sin(balance - state[0])]

    time = bisected(lambda t: -runge_kutta(derivative, [tilt, 0.0], t, 400)[0], 0.0, 5.0 * math.sqrt(radius / GRAVITY))
    before = -runge_kutta(derivative, [tilt, 0.0], time, 2000)[1]
    after = before * max(0.0, 1 - 1.5 * math.sin(balance) ** 2)
    given = {"half_width": half, "half_height": height, "mass": random.uniform(0.1, 10), "tilt": tilt, "gravity": GRAVITY,
             "balance_angle": balance}
    return given, [("time of impact", None, time), ("angular speed before impact", None, before), ("angular speed after impact", None, after)]


VARIANTS = {function.__name__: function for function in (
    sphere_slide_to_roll, ball_on_turntable, box_on_accelerating_lift, block_on_slope, block_slides_to_rest, tilting_board, bouncing_ball,
    billiard, newtons_cradle_gaps, tipping_box)}


def variants(count, random):
    """`count` random cases, the kinds in turn."""
    for number in range(count):
        kind = list(VARIANTS)[number % len(VARIANTS)]
        yield case_of(number, kind, *VARIANTS[kind](random))
