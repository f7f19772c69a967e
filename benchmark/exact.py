"""Exact arithmetic for check.py: integers in units of 2^-192, Balls, Jets and maps. Standard library only.

A number in a file means its nearest double, which is represented exactly. A computed value (sin, cos, square root,
quotient) is a Ball: a centre and a radius that enclose the true value. A function of time is a Jet: over a time
interval, with time s in [-1, 1], three Balls k0, k1, k2 with value(s) = k0 + k1 s + k(s) s^2 for some k(s) in k2.
"""
import math

BITS = 192
ONE = 1 << BITS


class Refused(Exception):
    """The certificate does not prove what it claims."""


def need(condition, reason):
    if not condition:
        raise Refused(reason)


class Ball:
    __slots__ = ("m", "r")

    def __init__(self, m, r=0):
        self.m, self.r = m, r

    def __add__(a, b):
        return Ball(a.m + b.m, a.r + b.r)

    def __sub__(a, b):
        return Ball(a.m - b.m, a.r + b.r)

    def __neg__(a):
        return Ball(-a.m, a.r)

    def __mul__(a, b):
        return Ball(a.m * b.m >> BITS, (abs(a.m) * b.r + a.r * (abs(b.m) + b.r) >> BITS) + 2)

    def sign(a):
        return (a.m > a.r) - (a.m < -a.r)  # 0 means unknown.

    def either_sign(a):
        return Ball(0, abs(a.m) + a.r)  # a times an unknown number in [-1, 1].


ZERO, UNIT, HALF = Ball(0), Ball(ONE), Ball(ONE >> 1)


def exact(x):
    need(type(x) in (int, float), f"{x!r} is no number")
    n, d = x.as_integer_ratio()
    need(d <= ONE and abs(n) < d << 100, f"{x!r} is too small or too large")
    return n * (ONE // d)


def vector(xs, length=3):
    need(len(xs) == length, f"{xs!r} should have {length} numbers")
    return [exact(x) for x in xs]


def quotient(n, d):
    return Ball((n << BITS) // d, 1)  # The quotient of two integers in the same unit.


def sin_cos(x):
    need(abs(x.m) <= 64 * ONE, "an angle beyond 64 radians")
    # Each term's error is at most e^64 < 2^93 units of the finer grid per step, so all 400 sum to less than 2^-192.
    fine, term, k, sums = x.m << 128, ONE << 128, 0, [0, 0]
    while abs(term) > 1 or k << BITS < 2 * abs(x.m):
        sums[k & 1] += -term if k & 2 else term
        k += 1
        term = (term * fine >> BITS + 128) // k
    return Ball(sums[1] >> 128, x.r + 2), Ball(sums[0] >> 128, x.r + 2)


# Jets, and maps: three rows of Jets, with a coefficient for each coordinate of a point and a constant last.

def plus(a, b):
    return [x + y for x, y in zip(a, b)]


def times(a, b):
    for constant, other in ((a, b), (b, a)):
        if constant[1] is ZERO and constant[2] is ZERO:
            return [ZERO if k is ZERO else constant[0] * k for k in other]
    return [a[0] * b[0], a[0] * b[1] + a[1] * b[0],
            a[0] * b[2] + a[1] * b[1] + a[2] * b[0]
            + (a[1] * b[2] + a[2] * b[1]).either_sign() + (a[2] * b[2]).either_sign()]


def scaled(ball, jet):
    return [ball * k for k in jet]


def fixed(rows):
    return [[[x, ZERO, ZERO] for x in row] for row in rows]


def compose(outer, inner):
    rows = []
    for o in outer:
        row = [plus(plus(times(o[0], inner[0][j]), times(o[1], inner[1][j])), times(o[2], inner[2][j]))
               for j in range(len(inner[0]))]
        row[-1] = plus(row[-1], o[3])
        rows.append(row)
    return rows


def helix(axis, point, angle, slide):
    """A rotation about the axis through the point, and a slide along it; angle and slide are Jets, linear in time."""
    length = math.isqrt(sum(x * x for x in axis))
    need(length > 0, "an axis without direction")
    u = [Ball((x << BITS) // length, (abs(x) << BITS) // length ** 2 + 2) for x in axis]
    s, c = sin_cos(angle[0])
    w = angle[1]
    bend, swing = HALF * w * w, Ball(0, abs(w.m) + w.r)
    sin = [s, w * c, -(bend * (s + swing))]
    rest = [UNIT - c, w * s, bend * (c + swing)]  # 1 - cos.
    cross = [[ZERO, -u[2], u[1]], [u[2], ZERO, -u[0]], [-u[1], u[0], ZERO]]
    rows = []
    for i in range(3):
        unit = [UNIT if i == j else ZERO for j in range(3)]
        row = [plus(plus([unit[j], ZERO, ZERO], scaled(cross[i][j], sin)), scaled(u[i] * u[j] - unit[j], rest))
               for j in range(3)]
        last = plus([Ball(point[i]), ZERO, ZERO], scaled(u[i], slide))
        rows.append(row + [plus(last, [-sum((row[j][k] * Ball(point[j]) for j in range(3)), ZERO) for k in range(3)])])
    return rows


def rotation(w, x, y, z):
    n = w * w + x * x + y * y + z * z
    need(n > 0, "a quaternion of length 0")
    rows = [[w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z]]
    return [[quotient(e, n) for e in row] for row in rows]


def along(knots, values, start, end):
    """The Jet of a piecewise linear function of time, over an interval between two knots."""
    for k in range(len(knots) - 1):
        if knots[k] <= start and end <= knots[k + 1]:
            slope = quotient(values[k + 1] - values[k], knots[k + 1] - knots[k])
            middle = start + end >> 1
            return [Ball(values[k]) + slope * Ball(middle - knots[k]), slope * Ball((end - start >> 1) + 1), ZERO]
    raise Refused("a time interval reaches over a waypoint or out of the motion")
