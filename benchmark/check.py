#!/usr/bin/env python3
"""Checks certificates of the Chasles benchmark. Needs only Python 3.9; shares no code with Chasles.

usage: check.py FOLDER..       folders with NAME.jsonl (problems) and NAME.certified.jsonl; README.md has the format

exact.py has the arithmetic, problems.py reads problems; this file has the statements that a certificate must prove.
"""
import json
import sys
from pathlib import Path

from exact import BITS, ONE, ZERO, Ball, Refused, exact, need, plus, quotient, times, vector
from problems import bodies_of

TOLERANCE = 1e-9  # In metres: surfaces within this distance may have the verdict "touching".
WIDEST = 1e-6  # The maximum width of the enclosure of a contact's time, as a fraction of the motion.


def one_side(plane, body, hull, piece, side):
    """Whether n(s).x - c(s) has sign `side` for all points of the hull and all times; a plane is c and n, as Jets."""
    (points, size), rows, r = hull, [], [0, 0, 0]
    for j in range(len(points[0]) + 1):
        jets = [times(plane[i], row[j]) for i, row in enumerate(body.map(*piece))]
        jet = plus(plus(jets[0], jets[1]), jets[2])
        if j == len(points[0]):
            jet = [a - b for a, b in zip(jet, plane[3])]
        rows.append([side * k.m for k in jet])
        r = [x + k.r * (size if j < len(points[0]) else ONE) for x, k in zip(r, jet)]
    *columns, last = rows
    for x in points:
        a, b, c = ((last[k] << BITS) + sum(map(int.__mul__, [q[k] for q in columns], x)) for k in range(3))
        a, c = a - r[0] - r[1], c - r[2]
        if not (4 * a * c > b * b if 2 * c > abs(b) else a + c > abs(b)):
            return False
    return True


def apart(a, b, proof, start, end, knots):
    """Walks the tree that divides triangles and time until planes separate them, so every pair and time is covered."""
    todo, planes = [(0, len(a.triangles), 0, len(b.triangles), start, end)], iter(proof["planes"])
    for token in proof["tree"]:
        need(todo, "the tree goes on after its end")
        i, j, k, l, s, e = todo.pop()
        if token == "A":
            need(j - i > 1, "a triangle of A is divided")
            todo += [(i + j >> 1, j, k, l, s, e), (i, i + j >> 1, k, l, s, e)]
        elif token == "B":
            need(l - k > 1, "a triangle of B is divided")
            todo += [(i, j, k + l >> 1, l, s, e), (i, j, k, k + l >> 1, s, e)]
        elif token == "T":
            middle = next((t for t in knots if s < t < e), s + e >> 1)
            need(s < middle < e, "an instant is divided")
            todo += [(i, j, k, l, middle, e), (i, j, k, l, s, middle)]
        else:
            need(token == "P", f"{token!r} in a tree")
            numbers = next(planes, None)
            need(numbers and len(numbers) in (4, 8, 12), "a plane is missing, or has not 4, 8 or 12 numbers")
            numbers = [Ball(exact(x)) for x in numbers] + [ZERO] * (12 - len(numbers))
            plane = [[numbers[d], numbers[4 + d], numbers[8 + d]] for d in range(4)]
            need(one_side(plane, a, a.hull(i, j), (s, e), 1) and one_side(plane, b, b.hull(k, l), (s, e), -1),
                 f"plane {numbers[0].m / ONE:.3g}.. does not part triangles {i}:{j} and {k}:{l}")
    need(not todo, "the tree ends too early: pairs of triangles or times are left out")
    need(next(planes, None) is None, "planes are left over")


def minus(p, q):
    return [x - y for x, y in zip(p, q)]


def dot(p, q):
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]


def cross(p, q):
    return [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]


def volume(p, a, b, c):
    return dot(minus(a, p), cross(minus(b, p), minus(c, p)))


def meets(a, b, proof, lo, hi):
    """Checks that the surfaces have a common point at some time in [lo, hi]; except for `pass`, the time is hi."""
    (kind, what), = proof.items()
    if kind == "near":
        f, weights, g, others, within = what
        need(0 <= exact(within), "a negative distance")
        points = []
        for body, triangle, w in ((a, f, weights), (b, g, others)):
            need(len(w) == 3 and all(type(x) is int and x >= 0 for x in w) and sum(w) > 0, f"weights {w}")
            corners = body.corners(triangle, hi, hi)
            points.append([sum((quotient(x, sum(w)) * p[d] for x, p in zip(w, corners)), ZERO) for d in range(3)])
        gap, bound = minus(*points), Ball(exact(within))
        need((bound * bound - dot(gap, gap)).sign() > 0, f"the points are not within {within}")
        return within
    who, f, corner, g = what
    need(who in ("a", "b") and type(corner) is int and 0 <= corner < 3, f"feature {what}")
    x, y = (a, b) if who == "a" else (b, a)
    if kind == "cross":  # An edge of one body passes through a triangle of the other at hi.
        p, t = x.corners(f, hi, hi), y.corners(g, hi, hi)
        p, q = p[corner], p[(corner + 1) % 3]
        need(volume(p, *t).sign() * volume(q, *t).sign() < 0, "the edge's ends are not on both sides")
        around = [volume(p, q, t[i], t[(i + 1) % 3]).sign() for i in range(3)]
        need(around in ([1, 1, 1], [-1, -1, -1]), "the edge does not pass inside the triangle")
    elif kind == "pass":  # A vertex passes through a triangle between lo and hi.
        sides = [volume(x.corners(f, t, t)[corner], *y.corners(g, t, t)).sign() for t in (lo, hi)]
        need(sides[0] * sides[1] < 0, "the vertex is not on both sides")
        p, t = x.corners(f, lo, hi)[corner], y.corners(g, lo, hi)
        normal = cross(minus(t[1], t[0]), minus(t[2], t[0]))
        inside = [dot(cross(minus(t[(i + 1) % 3], t[i]), minus(p, t[i])), normal).sign() for i in range(3)]
        need(inside == [1, 1, 1], "the vertex does not stay over the triangle")
    else:  # Two edges pass through each other between lo and hi; the second is the first edge of its triangle.
        need(kind == "swap", f"{kind!r} is no proof")

        def edges(s, e):
            p, q = x.corners(f, s, e), y.corners(g, s, e)
            return p[corner], minus(p[(corner + 1) % 3], p[corner]), q[0], minus(q[1], q[0])
        sides = [dot(minus(q, p), cross(l, m)).sign() for p, l, q, m in (edges(lo, lo), edges(hi, hi))]
        need(sides[0] * sides[1] < 0, "the edges do not change sides")
        p, l, q, m = edges(lo, hi)
        normal, r = cross(l, m), minus(q, p)
        for n in (dot(cross(r, m), normal), dot(cross(r, l), normal)):
            need(n.sign() > 0 and (dot(normal, normal) - n).sign() > 0, "the edges do not meet between their ends")


def check(problem, certificate, folder):
    """Raises Refused unless the certificate proves its verdict. Returns the bodies, for callers that need the sizes."""
    bodies, pairs, knots = bodies_of(problem, folder)
    first, finish = knots[0], knots[-1]
    verdict = certificate["verdict"]
    lo = hi = first
    if verdict in ("contact", "touching"):
        lo, hi = vector(certificate["time"], 2)
        need(first <= lo <= hi <= finish, "the time is not within the motion")
        need((hi - lo) * ONE <= exact(WIDEST) * (finish - first), "the enclosure of the time is too wide")
    else:
        need(verdict in ("clear", "overlapping") and "time" not in certificate, f"verdict {verdict!r}")
    if verdict != "overlapping":
        need(len(certificate["apart"]) == len(pairs), f"there are {len(pairs)} pairs to keep apart")
        for (a, b), proof in zip(pairs, certificate["apart"]):
            apart(bodies[a], bodies[b], proof, first, finish if verdict == "clear" else lo, knots)
    if verdict != "clear" or "meet" in certificate:
        pair = certificate["pair"] if len(pairs) > 1 else 0
        need(type(pair) is int and 0 <= pair < len(pairs), f"pair {pair!r}")
        if verdict == "clear":  # Not a contact, but a bound of the minimum distance.
            need(list(certificate["meet"]) == ["near"], "clear and meeting")
            hi = exact(certificate["near_at"])
            need(first <= hi <= finish, "the time is not within the motion")
        within = meets(*(bodies[i] for i in pairs[pair]), certificate["meet"], lo, hi)
        need((within is None) == (verdict in ("contact", "overlapping")), "a meeting is proven or is near, not both")
        need(verdict != "touching" or within <= TOLERANCE, f"{within} is too far for touching")
    return bodies


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def main(folders):
    good = bad = 0
    for folder in map(Path, folders):
        for problems in sorted(p for p in folder.glob("*.jsonl") if not p.stem.endswith(".certified")):
            queried, given = lines(problems), lines(problems.with_suffix(".certified.jsonl"))
            if [p["name"] for p in queried] != [c["name"] for c in given]:
                sys.exit(f"{problems}: problems and certificates are not the same")
            for problem, certificate in zip(queried, given):
                try:
                    check(problem, certificate, folder)
                    good += 1
                except (Refused, ArithmeticError, LookupError, TypeError, ValueError, AttributeError, OSError) as reason:
                    bad += 1
                    print(f"{problem['name']}: REFUSED: {reason}", flush=True)
    print(f"{good} certificates accepted, {bad} refused")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or [Path(__file__).parent / "small"]))
