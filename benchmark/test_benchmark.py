#!/usr/bin/env python3
"""Tests that the checker accepts every certificate of the small set, and rejects forgeries of all kinds.

usage: python3 benchmark/test_benchmark.py      takes half a minute; needs only Python and benchmark/small
"""
import contextlib
import copy
import io
import json
import shutil
import tempfile
import unittest
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from pathlib import Path

import check
import exact
import make
import score

SMALL = Path(__file__).parent / "small"


def read(family):
    problems, certificates = (check.lines(SMALL / f"{family}{end}.jsonl") for end in ("", ".certified"))
    return list(zip(problems, certificates))


ALL = {family: read(family) for family in ("screws", "features", "cloths", "robots")}


def find(family, verdict, kind=None, large=True):
    """A problem with this verdict and this kind of proof, with many planes or with few."""
    fitting = [(p, c) for p, c in ALL[family] if c["verdict"] == verdict and (not kind or kind in c.get("meet", {}))]
    size = lambda case: sum(len(a["planes"]) for a in case[1].get("apart", []))  # noqa: E731
    fitting = sorted((case for case in fitting if not large or 8 < size(case)), key=size)
    return copy.deepcopy(fitting[len(fitting) // 2])


def forgeries():
    """Name, problem and certificate of each forgery: a wrong answer, or a proof with a gap."""
    def forged(name, case, change):
        problem, certificate = copy.deepcopy(case)
        changed = change(problem, certificate)
        return name, *(changed or (problem, certificate))

    def at(*path):
        """Sets the value at a path in the certificate to the last argument, a value or a function of the old value."""
        *path, last, value = path

        def change(_, c):
            for key in path:
                c = c[key]
            c[last] = value(c[last]) if callable(value) else value
        return change

    def verdict(word, **others):
        def change(_, c):
            for key in ("time", "meet", "pair", "near_at"):
                c.pop(key, None)
            c.update(verdict=word, **others)
        return change

    hit, clear = find("screws", "contact", "cross"), find("screws", "clear")
    miss, start = find("screws", "clear", "near"), find("screws", "overlapping", large=False)
    touch = find("screws", "touching", large=False)
    passes, swaps = find("features", "contact", "pass", False), find("features", "contact", "swap", False)
    cloth, robot = find("cloths", "contact"), find("robots", "clear")
    lo, hi = hit[1]["time"]
    other = next(case for case in ALL["screws"]
                 if case[1]["verdict"] == "clear" and case[0]["name"] != clear[0]["name"])
    tree, planes = ("apart", 0, "tree"), ("apart", 0, "planes")
    yield forged("a contact is said to be clear", hit, verdict("clear"))
    yield forged("a contact later than the first", hit, at("time", [min(hi + 0.05, 0.99), min(hi + 0.06, 1)]))
    yield forged("a contact before there is one", hit, at("time", [lo - 1e-6, lo - 1e-9]))
    yield forged("the end of the enclosure at its start", hit, at("time", 1, lo))
    yield forged("an enclosure that ends before it begins", hit, at("time", [hi, lo]))
    yield forged("a time beyond the motion", hit, at("time", 1, 1.5))
    yield forged("an enclosure that says next to nothing", hit, at("time", 0, max(lo - 1e-3, 0)))
    yield forged("a time that is no number", hit, at("time", 0, float("nan")))
    yield forged("nothing is examined before the contact", hit, at("time", 0, 0))
    yield forged("a branch of the tree is left out", clear, at(*tree, lambda t: t[:-1]))
    yield forged("the tree ends after one plane", clear, lambda _, c: c.update(
        apart=[{"tree": "P", "planes": c["apart"][0]["planes"][:1]}]))
    yield forged("a second tree behind the tree", clear, at(*tree, lambda t: t + t))
    yield forged("an unknown letter in the tree", clear, at(*tree, lambda t: t.replace("P", "Q", 1)))
    yield forged("a plane is left out", clear, at(*planes, lambda ps: ps[:-1]))
    yield forged("a plane too many", clear, at(*planes, lambda ps: ps + ps[:1]))
    yield forged("a plane with its sides exchanged", clear, at(*planes, 0, lambda p: [-x for x in p]))
    yield forged("a plane at a wrong place", clear, at(*planes, 3, lambda p: p[:3] + [p[3] + 9] + p[4:]))
    yield forged("a plane without direction", clear, at(*planes, 0, [0, 0, 0, 0]))
    yield forged("a plane that is no number", clear, at(*planes, 0, [float("nan")] * 4))
    yield forged("a plane at infinity", clear, at(*planes, 0, [float("inf"), 0, 0, 0]))
    yield forged("planes in another order", clear, at(*planes, lambda ps: ps[::-1]))
    yield forged("the proof of another problem", clear, lambda p, _: (p, other[1]))
    yield forged("the motion goes on", clear, lambda p, _: p["screw"].update(b=p["screw"]["b"] * 1.5 + 1, p=[0, 0, 0]))
    yield forged("another mesh", hit, lambda p, _: p.update(b={"mesh": "meshes/needle.obj"}))
    yield forged("an edge that crosses another triangle", hit, at("meet", "cross", 3, lambda t: t ^ 1))
    yield forged("another edge of the triangle", hit, at("meet", "cross", 2, lambda k: (k + 1) % 3))
    yield forged("a triangle counted from the end", hit, at("meet", "cross", 1, lambda t: t - 10**6))
    yield forged("a corner that a triangle has not", hit, at("meet", "cross", 2, 3))
    yield forged("the edge of the other body", hit, at("meet", "cross", 0, lambda w: "ab"["ba".index(w)]))
    yield forged("overlap where there is none", hit, lambda _, c: (c.pop("time"), c.update(verdict="overlapping"))[2:])
    yield forged("a start in overlap is said to be clear", start, verdict("clear", apart=clear[1]["apart"]))
    yield forged("a near miss is said to touch", miss, lambda _, c: c.update(
        verdict="contact", time=[c["near_at"]] * 2))
    yield forged("nearer than it is", miss, at("meet", "near", 4, lambda g: g * 0.9))
    yield forged("a point outside of its triangle", miss, at(
        "meet", "near", 1, lambda w: [w[0] - 2**54, w[1] + 2**54, w[2]]))
    yield forged("a negative distance", miss, at("meet", "near", 4, lambda g: -g))
    yield forged("a touch from afar", touch, lambda _, c: c["meet"]["near"].__setitem__(4, 1e-3))
    yield forged("a vertex that passes through at another time", passes, lambda _, c: c.update(
        time=[0, c["time"][0] / 2]))
    yield forged("a vertex that passes beside the face", passes, lambda p, _: p["vertex_face"].__setitem__(
        slice(0, 5, 4), [[x + 3 for x in p["vertex_face"][k]] for k in (0, 4)]))
    yield forged("edges of which one is too short", swaps, lambda p, _: [p["edge_edge"].__setitem__(
        k + 1, p["edge_edge"][k][:2] + [p["edge_edge"][k][2] + 1e-3]) for k in (0, 4)][2:])
    yield forged("a cloth that stops later", cloth, at("time", lambda t: [t[1], t[1] + 1e-9]))
    yield forged("a pair of a robot is left out", robot, at("apart", lambda a: a[:-1]))
    yield forged("pairs of a robot are exchanged", robot, at("apart", lambda a: a[::-1]))
    yield forged("a pair that a robot has not", find("robots", "contact", large=False), at("pair", -1))


def refused(task):
    problem, certificate = task
    try:
        check.check(problem, certificate, SMALL)
        return None
    except make.FAILURES as reason:
        return str(reason) or type(reason).__name__


class Certificates(unittest.TestCase):
    def test_the_checker_accepts_every_certificate(self):
        tasks = [case for cases in ALL.values() for case in cases]
        with ProcessPoolExecutor() as pool:
            for (problem, _), reason in zip(tasks, pool.map(refused, tasks, chunksize=8)):
                self.assertIsNone(reason, problem["name"])
        self.assertGreater(len(tasks), 150)

    def test_the_checker_refuses_every_forgery(self):
        names = set()
        for name, problem, certificate in forgeries():
            with self.subTest(name):
                self.assertIsNotNone(refused((problem, certificate)), name)
                names.add(name)
        self.assertGreaterEqual(len(names), 20)

    def test_the_forgeries_are_forgeries_of_what_is_accepted(self):
        for case in (find("screws", "contact", "cross"), find("robots", "clear")):
            self.assertIsNone(refused(case))

    def test_files_are_as_they_were_made(self):
        self.assertEqual(make.main("sums", "small"), 0)

    def test_what_is_not_as_it_was_made_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            other = Path(shutil.copytree(SMALL, Path(folder) / "small"))
            (other / "MADE").write_text("changed")
            (other / "cloths.jsonl").unlink()
            (other / "more").write_text("")
            found = io.StringIO()
            with contextlib.redirect_stdout(found):
                self.assertEqual(make.main("sums", "small", other), 1)
            self.assertRegex(found.getvalue(), r"^3 of \d+ files differ from small.sha256 MADE cloths.jsonl more$")
        self.assertLess(sum(path.stat().st_size for path in SMALL.rglob("*")), 5e6)

    def test_problems_and_certificates_belong_together(self):
        with tempfile.TemporaryDirectory() as folder:
            for cut, end in ((None, ""), (1, ".certified")):
                text = (SMALL / f"features{end}.jsonl").read_text().splitlines(True)[cut:]
                (Path(folder) / f"features{end}.jsonl").write_text("".join(text))
            with self.assertRaises(SystemExit):
                check.main([folder])


class Arithmetic(unittest.TestCase):
    def test_sin_and_cos_are_enclosed(self):
        # An independent computation: the addition theorem, from a small angle, in fractions.
        for angle in (0.0, 1e-9, -0.5, 3.141592653589793, -17.25, 60.0):
            sin, cos = exact.sin_cos(exact.Ball(exact.exact(angle)))
            parts = 2 ** 12
            x = Fraction(angle) / parts
            s = x - x**3 / 6 + x**5 / 120 - x**7 / 5040 + x**9 / 362880 - x**11 / 39916800
            c = 1 - x**2 / 2 + x**4 / 24 - x**6 / 720 + x**8 / 40320 - x**10 / 3628800
            grid = 2 ** 400
            s, c = (round(v * grid) for v in (s, c))
            for _ in range(12):
                s, c = 2 * s * c // grid, (c * c - s * s) // grid
            for ball, value in ((sin, s), (cos, c)):
                self.assertLess(abs(Fraction(ball.m, exact.ONE) - Fraction(value, grid)), Fraction(1, 10**16))
                self.assertLessEqual(ball.r, 2)

    def test_products_of_balls_and_jets_enclose(self):
        third = exact.Ball(exact.ONE // 3, 1)
        nine = third * third
        self.assertLessEqual(abs(Fraction(nine.m, exact.ONE) - Fraction(1, 9)), Fraction(nine.r, exact.ONE))
        a = [exact.Ball(exact.ONE * k) for k in (1, -2, 3)]
        b = [exact.Ball(exact.ONE * k) for k in (2, 5, -4)]
        product = exact.times(a, b)
        value = lambda jet, s: sum(Fraction(k.m, exact.ONE) * s**i for i, k in enumerate(jet))  # noqa: E731
        for s in (Fraction(k, 8) for k in range(-8, 9)):
            off = value(a, s) * value(b, s) - value(product, s)
            self.assertLessEqual(abs(off), s * s * Fraction(product[2].r, exact.ONE) + Fraction(1, 10**50))

    def test_numbers_are_doubles_held_exactly(self):
        self.assertEqual(Fraction(exact.exact(0.1), exact.ONE), Fraction(0.1))
        for wrong in (True, "1", None, float("nan"), float("inf"), 1e300, 1e-300):
            with self.assertRaises(make.FAILURES):
                exact.exact(wrong)


class Scores(unittest.TestCase):
    def test_answers_are_told_apart(self):
        contact = {"name": "c", "verdict": "contact", "time": [0.5, 0.5]}
        clear = {"name": "f", "verdict": "clear", "meet": {"near": [0, 0, 0, 0, 1e-10]}}

        def judge(certificate, tolerance=0, **answer):
            return score.judge(certificate, answer, 1.0, tolerance)
        self.assertEqual(judge(contact, verdict="contact", time=[0.5, 0.5]), "right")
        self.assertEqual(judge(contact, verdict="contact", time=0.51), "late")
        self.assertEqual(judge(contact, verdict="contact", time=0.4), "early")
        self.assertEqual(judge(contact, verdict="clear"), "missed")
        self.assertEqual(judge(contact, verdict="undecided"), "undecided")
        self.assertEqual(judge(clear, verdict="contact", time=0.5), "false")
        self.assertEqual(judge(clear, 1e-9, verdict="contact", time=0.5), "within tolerance")
        self.assertEqual(judge(clear, verdict="clear"), "right")
        self.assertEqual(score.judge(clear, None, 1.0, 0), "no answer")
        early = {"verdict": "contact", "time": [0.4, 0.4]}
        self.assertEqual(score.judge(contact, early, 1.0, 1e-9, lambda t: 1e-10), "within tolerance")

    def test_distances_of_triangles(self):
        flat = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
        for other, distance in (([[0.2, 0.2, 0.5], [0.3, 0.2, 2.0], [0.2, 0.3, 2.0]], 0.5),
                                ([[2.0, 0.0, 0.0], [3.0, 0.0, 0.0], [3.0, 1.0, 0.0]], 1.0),
                                ([[0.5, -1.0, 1.0], [0.5, -1.0, -1.0], [0.5, -3.0, 0.0]], 1.0)):
            self.assertAlmostEqual(score.between(flat, other), distance)
            self.assertAlmostEqual(score.between(other, flat), distance)


if __name__ == "__main__":
    unittest.main(verbosity=2)
