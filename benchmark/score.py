#!/usr/bin/env python3
"""Scores the answers of any program.

usage: score.py FOLDER ANSWERS.jsonl... [--json FILE --machine TEXT --note TEXT..]

FOLDER has the problems and certificates. Each answer is a line
    {"name": .., "verdict": "clear"|"contact"|"overlapping"|"undecided"|"error", "time": t or [lo, hi], "seconds": s}
with "time" for "contact" only; "seconds" is optional. The first line of a file may describe the program instead:
    {"program": "name and version", "how": "how it was run", "tolerance": metres}
A program may report surfaces within its tolerance as touching.

    right              the verdict and, for a contact, a time whose enclosure intersects the certified enclosure, up to
                       1e-6 of the motion
    missed             clear, but the surfaces intersect
    late               a contact after the certified one
    early              a contact, or overlap, before the certified one
    false              a contact, but the bodies are clear
    within tolerance   a false or early contact, but the distance of the surfaces is within the program's tolerance
    undecided          the program's own answer
    no answer          an error, or no line
"""
import argparse
import datetime
import json
import math
import statistics
import sys
from pathlib import Path

import check

WORDS = ["right", "missed", "late", "early", "false", "within tolerance", "undecided", "no answer"]
SAME_TIME = 1e-6  # As a fraction of the motion.


def judge(certificate, answer, duration, tolerance, gap_at=lambda time: float("inf")):
    claimed = answer and answer.get("verdict")
    if claimed not in ("clear", "contact", "overlapping", "undecided"):
        return "no answer"
    if claimed == "undecided":
        return "undecided"
    truth = certificate["verdict"]
    if truth == "clear":
        near = certificate.get("meet", {}).get("near", [float("inf")])[-1]
        return "right" if claimed == "clear" else "within tolerance" if near <= tolerance else "false"
    lo, hi = certificate.get("time", [0, 0])
    if claimed == "clear":
        return "right" if truth == "touching" else "missed"
    time = answer.get("time", 0) if claimed == "contact" else 0
    first, last = time if isinstance(time, list) else (time, time)
    slack = SAME_TIME * duration
    if first > hi + slack:
        return "right" if truth == "touching" else "late"
    if last >= lo - slack:
        return "right"
    return "within tolerance" if gap_at(last) <= tolerance else "early"


def between(p, q):
    """The distance of two triangles that do not intersect: of a corner and a face, or of two edges."""
    def less(a, b):
        return [x - y for x, y in zip(a, b)]

    def at(a, u, l):
        return [x + u * y for x, y in zip(a, l)]

    def edges(a, l, c, m):
        r, ll, mm, lm = less(a, c), check.dot(l, l), check.dot(m, m), check.dot(l, m)
        best = float("inf")
        inner = ll * mm - lm * lm
        starts = [0.0, 1.0] + ([(lm * check.dot(m, r) - mm * check.dot(l, r)) / inner] if inner > 0 else [])
        for u in (min(max(x, 0.0), 1.0) for x in starts):
            for _ in range(2):  # Project to the other edge, and back.
                v = min(max((check.dot(m, r) + u * lm) / mm, 0.0), 1.0) if mm else 0.0
                u = min(max((v * lm - check.dot(l, r)) / ll, 0.0), 1.0) if ll else 0.0
            best = min(best, math.dist(at(a, u, l), at(c, v, m)))
        return best

    def corner(a, t):
        n = check.cross(less(t[1], t[0]), less(t[2], t[0]))
        size = math.sqrt(check.dot(n, n))
        over = size and all(check.dot(n, check.cross(less(t[i - 2], t[i]), less(a, t[i]))) >= 0 for i in range(3))
        return abs(check.dot(n, less(a, t[0]))) / size if over else float("inf")
    sides = [(p[i], less(p[i - 2], p[i]), q[j], less(q[j - 2], q[j])) for i in range(3) for j in range(3)]
    return min([edges(*s) for s in sides] + [corner(a, q) for a in p] + [corner(a, p) for a in q])


def gap_of(problem, certificate, folder):
    """A function of time: the distance of the two triangles of the certificate's contact, in doubles."""
    def gap(time):
        bodies, pairs, _ = check.bodies_of(problem, folder)
        (kind, what), = certificate["meet"].items()
        i, j = pairs[certificate.get("pair", 0)]
        f, g = (what[0], what[2]) if kind == "near" else (what[1], what[3])
        if kind != "near" and what[0] == "b":
            f, g = g, f
        t = check.exact(float(time))
        corners = [bodies[k].corners(h, t, t) for k, h in ((i, f), (j, g))]
        return between(*([[x.m / check.ONE for x in p] for p in c] for c in corners))
    return gap


def duration_of(problem, folder):
    if "path" not in problem:
        return 1.0
    rows = (folder / problem["path"]).read_text().splitlines()[1:]
    return float(rows[-1].split(",")[0]) - float(rows[0].split(",")[0])


def score(folder, path):
    """The score of a file of answers: counts by family, times, and the names of wrong answers."""
    answers = check.lines(path)
    about = answers.pop(0) if "program" in answers[0] else {"program": path.stem, "how": "", "tolerance": 0}
    answers = {a["name"]: a for a in answers}
    result = {**about, "families": {}}
    for problems in sorted(p for p in folder.glob("*.jsonl") if not p.stem.endswith(".certified")):
        queried = check.lines(problems)
        if about.get("families") and problems.stem not in about["families"]:
            continue  # Families that the program did not run do not count.
        counts, wrong, seconds = dict.fromkeys(WORDS, 0), [], []
        for problem, certificate in zip(queried, check.lines(problems.with_suffix(".certified.jsonl"))):
            answer = answers.get(problem["name"])
            word = judge(certificate, answer, duration_of(problem, folder), about.get("tolerance", 0),
                         gap_of(problem, certificate, folder))
            counts[word] += 1
            if word not in ("right", "undecided"):
                wrong.append([problem["name"], word])
            if answer and "seconds" in answer:
                seconds.append(answer["seconds"])
        times = {"median": statistics.median(seconds), "longest": max(seconds)} if seconds else {}
        result["families"][problems.stem] = {"problems": len(queried), **counts, **times, "wrong": wrong}
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("answers", type=Path, nargs="+")
    parser.add_argument("--json", type=Path, help="write the scores there, for page.py")
    parser.add_argument("--machine", default="", help="where it was measured")
    parser.add_argument("--note", action="append", default=[], help="what a reader must know")
    options = parser.parse_args()
    scores = [score(options.folder, path) for path in options.answers]
    for result in scores:
        print(f"{result['program']} ({result.get('how', '')})")
        for family, counts in result["families"].items():
            found = ", ".join(f"{counts[w]} {w}" for w in WORDS if counts[w])
            time = f"; median {counts['median']:.3g} s" if "median" in counts else ""
            print(f"  {family}: {counts['problems']} problems: {found}{time}")
    if options.json:
        measured = {"date": str(datetime.date.today()), "machine": options.machine, "notes": options.note}
        options.json.write_text(json.dumps(measured | {"scores": scores}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
