"""Joint paths through `chasles check`, timed beside sampling, and compared with dense sampling.

    planning.py measure INDEX.jsonl --program CHASLES --out FOLDER     answers and times, by path
    planning.py folder INDEX.jsonl --program CHASLES --out FOLDER      time of a path among many in one run
    planning.py truth INDEX.jsonl --program CHASLES --out FOLDER       answers against 10,000 poses a segment
    planning.py table --name NAME --out FOLDER                         both as NAME.md and NAME.csv

INDEX.jsonl has a line for each path: name, robot, path and optionally kind, srdf, world; file names are relative to it.
`planning_problems.py` writes one. FOLDER gets measure.jsonl and so on, a line a path as soon as it is done; paths
already in these files are not run again. Needs numpy, python-fcl and coal.
"""

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from arm import JointPath
from arm_cell import Cell
from arm_sampling import Coal, Fcl, poses
from planning_table import write

COPIES = 8  # of a path in one run
DEGREES = 1.0  # by which the fastest joint rotates from sample to sample
DENSE = 10_000  # poses a segment
SLACK = 1e-6  # seconds by which a sample and the end of an interval may differ


class Case:
    """A path in its cell; `pairs` are tested."""

    def __init__(self, line, folder):
        self.line = line
        files = {key: str(folder / line[key]) for key in ("robot", "path", "srdf", "world") if key in line}
        self.arguments = [files["robot"], *(x for key in ("srdf", "world") if key in files for x in (f"--{key}", files[key]))]
        self.file, self.path = files["path"], JointPath.read(files["path"])
        self.cell = Cell(files["robot"], files.get("srdf"), files.get("world"), self.path.moving())
        self.pairs = self.cell.pairs

    def places(self, times):
        return self.cell.places(self.path, times)

    def meet(self, pair, at):
        return self.cell.meet(pair, self.path, at)


def query(program, arguments):
    """The report, and the CPU and wall seconds of the whole process."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as answer:
        started = time.monotonic()
        child = subprocess.Popen([program, "check", *arguments, "--json", "--threads", "1"], stdout=out, stderr=answer)
        _, status, used = os.wait4(child.pid, 0)
        wall = time.monotonic() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 1, 3):
            answer.seek(0)
            raise RuntimeError(f"exit status {child.returncode}: {arguments}\n{answer.read().decode()}")
        out.seek(0)
        return json.load(out), used.ru_utime + used.ru_stime, wall


def check(case, program):
    """The report on the path, and CPU times: of the whole process, and without reading; wall times likewise.
    `first`: the same of a run that ends with the first contact, and whether it agrees with the whole report.

    Reading is a run on the same cell without motion, so that no pair is tested.
    """
    with tempfile.TemporaryDirectory() as folder:
        still = Path(folder) / "still.csv"
        rows = Path(case.file).read_text().split()
        still.write_text("\n".join([rows[0], rows[1], "1e9," + rows[1].split(",", 1)[1]]) + "\n")
        _, read, read_wall = query(program, [*case.arguments, "--path", str(still)])
    report, whole, wall = query(program, [*case.arguments, "--path", case.file])
    first, until, _ = query(program, [*case.arguments, "--path", case.file, "--first"])
    starts, whole_starts = earliest(first), earliest(report)
    same = first["verdict"] == report["verdict"] and len(starts) == len(whole_starts) and (
        not starts or starts[0] <= whole_starts[1] and whole_starts[0] <= starts[1])
    return report, {"process": whole, "process_wall": wall, "check": whole - read, "check_wall": wall - read_wall,
                    "first": until - read, "first_same": same}


def earliest(report):
    """The time at which the first contact starts, `[]` without a contact."""
    starts = [i["enter"] for pair in report["pairs"] for i in pair["intervals"]]
    return min(starts, key=lambda enter: enter[1], default=[])


def folder(case, args):
    """Time of a path among copies of itself in one run, and of the path alone; whether all reports are the same."""
    report, one = check(case, args.program)
    with tempfile.TemporaryDirectory() as copies:
        for i in range(COPIES):
            shutil.copy(case.file, Path(copies) / f"{i}.csv")
        reports, many, _ = query(args.program, [*case.arguments, "--path", copies])
    same = all(found["pairs"] == report["pairs"] for found in reports["paths"])
    return {**one, "copies": COPIES, "each": many / COPIES, "same": same}


def report_file(args, case):
    """The file in which a report is kept."""
    return args.out / "reports" / f"{case.line['name']}.json"


def spans(report):
    """Intervals by pair as (enter, exit, touching), exit infinite if there is none."""
    found = {}
    for pair in report["pairs"]:
        found[pair["a"], pair["b"]] = [
            (i["enter"], i["exit"] or [np.inf, np.inf], i["touching"]) for i in pair["intervals"]]
    return found


def unseen(report, hits, end):
    """Lengths of the intervals that contain no sample in contact."""
    lengths = []
    for pair, intervals in spans(report).items():
        times = np.array(hits.get(pair, []))
        for enter, leave, _ in intervals:
            if not ((times >= enter[0] - SLACK) & (times <= leave[1] + SLACK)).any():
                lengths.append(min(leave[1], end) - enter[0])
    return lengths


def stray(report, hits):
    """Samples in contact outside all intervals."""
    known = spans(report)
    return sum(not any(e[0] - SLACK <= t <= x[1] + SLACK for e, x, _ in known.get(pair, []))
               for pair, times in hits.items() for t in times)


def measure(case, args):
    report, times = check(case, args.program)
    report_file(args, case).write_text(json.dumps(report))
    instants = np.linspace(*case.path.times[[0, -1]], args.poses) if args.poses else poses(case.path, DEGREES)
    places = case.places(instants)
    found = {
        "pairs_tested": report["pairs_tested"], "pairs_expected": len(case.pairs), "verdict": report["verdict"],
        "contacts": sum(map(len, spans(report).values())), "pairs_met": len(report["pairs"]),
        "load": os.getloadavg()[0],
        "segments": len(case.path.times) - 1, "poses": len(instants), **times,
    }
    for name, sampler in (("fcl", Fcl), ("coal", Coal)):
        hits, first, seconds = sampler(case.cell).sample(instants, places, case.pairs)
        found[name] = {"first": first, "all": seconds, "meets": bool(hits), "stray": stray(report, hits),
                       "unseen": unseen(report, hits, case.path.times[-1])}
    return found


def truth(case, args):
    """Compares the report with DENSE poses a segment, tested with coal, and with poses near the ends of intervals.

    If coal, which iterates to some 1e-6 m, disagrees with the report, `arm_exact` decides.
    """
    if report_file(args, case).exists():
        report = json.loads(report_file(args, case).read_text())
    else:
        report, _, _ = query(args.program, [*case.arguments, "--path", case.file])
        report_file(args, case).write_text(json.dumps(report))
    known, coal, started = spans(report), Coal(case.cell), time.thread_time()
    times = np.unique(np.concatenate([
        np.linspace(*case.path.times[i:i + 2], DENSE) for i in range(len(case.path.times) - 1)]))
    places = case.places(times)
    wrong, contact, queried = [], 0, 0
    for pair in case.pairs:
        hit = coal.meets(pair, places)
        # Certainly inside, and certainly outside.
        inside, outside = np.zeros(len(times), bool), np.ones(len(times), bool)
        for enter, leave, _ in known.get(pair, []):
            inside |= (times > enter[1] + SLACK) & (times < leave[0] - SLACK)
            outside &= (times < enter[0] - SLACK) | (times > leave[1] + SLACK)
        contact += int(hit.sum())
        for what, where in (("missed", hit & outside), ("invented", inside & ~hit)):
            which = np.nonzero(where)[0]
            queried += len(which)
            which = [i for i in which if case.meet(pair, times[i]) == (what == "missed")]
            if which:
                wrong.append({"what": what, "pair": pair, "samples": len(which), "first": times[which[0]]})
        wrong += [{"pair": pair, **bad} for bad in ends(case, pair, known.get(pair, []))]
    extra = [pair for pair in known if pair not in set(case.pairs)]
    wrong += [{"what": "not expected", "pair": pair} for pair in extra]
    return {"verdict": report["verdict"], "pairs": len(case.pairs), "pairs_tested": report["pairs_tested"],
            "samples": len(case.pairs) * len(times), "met": contact, "coal_differs": queried,
            "intervals": sum(map(len, known.values())), "wrong": wrong,
            "undecided": sum(p["verdict"] == "undecided" for p in report["pairs"]), "seconds": time.thread_time() - started}


def ends(case, pair, intervals):
    """Errors around the ends of intervals: pairs must be separated right outside, and intersect right inside and at
    least somewhere.

    Surfaces that only touch come within Chasles' tolerance, which the exact test does not have.
    """
    start, end = case.path.times[0], case.path.times[-1]
    for i, (enter, leave, touching) in enumerate(intervals):
        before = intervals[i - 1][1][1] if i > 0 else start
        after = intervals[i + 1][0][0] if i + 1 < len(intervals) else end
        tests = [(enter[0] - SLACK, False, "enters late"), (enter[1] + SLACK, True, "enters early"),
                 (leave[0] - SLACK, True, "leaves late"), (leave[1] + SLACK, False, "leaves early")]
        contact = False
        for t, meets, what in tests:
            if (enter[1] < t < min(leave[0], end)) if meets else (before < t < enter[0] or leave[1] < t < after):
                found = case.meet(pair, t)
                contact |= meets and found
                if found != meets:
                    yield {"what": what, "first": t, "interval": [enter, leave]}
        if not touching and not contact and not any(case.meet(pair, t) for t in np.linspace(enter[0], min(leave[1], end), 101)):
            yield {"what": "no pose intersects", "interval": [enter, leave]}


def over(args, what):
    """One line of results for each case, appended as it is done."""
    file = args.out / f"{what.__name__}.jsonl"
    (args.out / "reports").mkdir(parents=True, exist_ok=True)
    done = {json.loads(line)["name"] for line in file.read_text().splitlines()} if file.exists() else set()
    cases = [json.loads(line) for line in args.index.read_text().splitlines()]
    cases = [case for case in cases if not args.way or case.get("way") == args.way]
    until = time.monotonic() + args.seconds
    with file.open("a") as out:
        for line in cases[::args.every]:
            if line["name"] in done or time.monotonic() > until:
                continue
            found = what(Case(line, args.index.parent), args)
            row = {"name": line["name"], "kind": line.get("kind", args.index.stem), "way": line.get("way", ""), **found}
            out.write(json.dumps(row) + "\n")
            out.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["measure", "folder", "truth", "table"])
    parser.add_argument("index", type=Path, nargs="?")
    parser.add_argument("--program", default="chasles")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", default="planning")
    parser.add_argument("--note", action="append", default=[], help="a line for the top of the table")
    parser.add_argument("--way", help="only paths of this kind of route")
    parser.add_argument("--poses", type=int, help="sample so many poses, evenly in time, instead of one a degree")
    parser.add_argument("--every", type=int, default=1, help="only every so manieth path")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="start no path after this time")
    given = parser.parse_args()
    if given.command == "table":
        write(given.out, given.name, given.note)
    else:
        over(given, {"measure": measure, "folder": folder, "truth": truth}[given.command])
