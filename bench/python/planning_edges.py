"""Edges of a planner that the bench `edges` proved, compared with sampling by python-fcl and coal.

    planning_edges.py CASES --robot ROBOT.urdf --srdf ROBOT.srdf --out FOLDER

CASES is the folder that `edges --cases CASES` wrote with the same robot: edges.csv and world.toml. FOLDER gets
<date>-edges-sampled.md and .csv: the time of sampling until the first pose in contact, with poses between which the
fastest joint rotates by a degree, beside the times of the proven answers; and the answers that differ. Needs numpy,
python-fcl and coal.
"""

import argparse
import csv
import os
from datetime import date
from pathlib import Path

import numpy as np

from arm import JointPath
from arm_cell import Cell
from arm_sampling import Coal, Fcl, poses
from planning_table import table

SAMPLERS = {"fcl": Fcl, "coal": Coal}
REPEATS = 3


class Edge:
    """A straight line between two configurations, and the proven answer."""

    def __init__(self, row):
        self.set, self.outcome, self.seconds = row["set"], row["outcome"], float(row["seconds"])
        self.pair = (row["a"], row["b"])
        self.until = float(row["until"]) if row["until"] else None
        names = [key.removeprefix("from ") for key in row if key.startswith("from ")]
        ends = [[float(row[f"{end} {name}"]) for name in names] for end in ("from", "to")]
        self.path = JointPath(names, [0, 1], ends)


def halving(count):
    """0 to count - 1: the ends, then midpoints before the points between them: ends are free, so contacts mostly lie in
    the middle."""
    order, intervals = [0, count - 1][:count], [(0, count - 1)]
    for low, high in intervals:
        if high - low > 1:
            middle = (low + high) // 2
            order.append(middle)
            intervals += [(low, middle), (middle, high)]
    return order


def edge_row(edge, cell, samplers, degrees):
    """The answers of the samplers for an edge, and their minimum seconds; the exact test of their contacts."""
    times = poses(edge.path, degrees)
    times = times[halving(len(times))]
    places = cell.places(edge.path, times)
    found = {"set": edge.set, "outcome": edge.outcome, "chasles": edge.seconds, "poses": len(times)}
    for name, sampler in samplers.items():
        runs = [sampler.first(places, cell.pairs) for _ in range(REPEATS)]
        found[name], hit = min(seconds for _, seconds in runs), runs[0][0]
        found[f"{name}_meets"] = hit is not None
        found[f"{name}_right"] = hit is None or cell.meet(hit[1], edge.path, times[hit[0]])
    if edge.until is not None:
        pair = edge.pair if edge.pair in cell.pairs else edge.pair[::-1]
        found["exact"] = pair in cell.pairs and cell.meet(pair, edge.path, edge.until)
    return found


def us(seconds):
    value = 1e6 * seconds
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def times_of(rows):
    for name, outcome, chosen in groups(rows):
        seconds = {who: np.array([row[who] for row in chosen]) for who in ("chasles", *SAMPLERS)}
        cells = [us(value) for who in seconds for value in
                 (seconds[who].mean(), np.median(seconds[who]), np.quantile(seconds[who], 0.95))]
        ratios = [f"{seconds[who].mean() / seconds['chasles'].mean():.0f}" for who in SAMPLERS]
        yield [f"{name}, {outcome}", str(len(chosen)), f"{np.median([row['poses'] for row in chosen]):.0f}", *cells, *ratios]


def answers(rows):
    for name in dict.fromkeys(row["set"] for row in rows):
        chosen = {outcome: [row for row in rows if row["set"] == name and row["outcome"] == outcome]
                  for outcome in ("free", "blocked", "undecided")}
        cells = [len(of) for of in chosen.values()]
        cells.append(sum(row["exact"] for row in chosen["blocked"]))
        for who in SAMPLERS:
            cells.append(sum(not row[f"{who}_meets"] for row in chosen["blocked"]))
            cells.append(sum(row[f"{who}_meets"] for row in chosen["free"]))
            cells.append(sum(not row[f"{who}_right"] for row in rows if row["set"] == name))
        yield [name, *map(str, cells)]


def groups(rows):
    """Rows by set and proven answer, if there are any."""
    for name in dict.fromkeys(row["set"] for row in rows):
        for outcome in ("free", "blocked", "undecided"):
            chosen = [row for row in rows if (row["set"], row["outcome"]) == (name, outcome)]
            if chosen:
                yield name, outcome, chosen


def write(rows, cell, args):
    lines = [
        "# Edges for planners beside samplers", "",
        f"* date: {date.today()}", f"* machine: {os.cpu_count()} processors, shared with other work",
        f"* load: {os.getloadavg()[0]:.1f}",
        f"* robot: {args.robot.name}, {sum(len(s.triangles) for s in cell.arm.shapes.values()):,} triangles; {len(cell.pairs)} pairs",
        f"* samples: the fastest joint turns by at most {args.degrees:g} degree{'s' * (args.degrees != 1)} from one to the next",
        *(f"* {note}" for note in args.note), "",
        "## Time of an edge", "",
        "Microseconds on one thread: mean, median and 95th percentile. *Chasles*: `EdgeChecker::edge`, which proves its answer, by "
        f"the bench `edges`. FCL and coal, called from Python, the fastest of {REPEATS} runs: boxes of all links and bodies at all "
        "poses, compared by numpy, then pairs whose boxes overlap, until one pair intersects; poses in the middle of others come first, since "
        "both ends are free. Placing the links is not in it. *Ratio*: of the means.", "",
        *table(["edges, proven", "edges", "poses", *(f"{who}{what}" for who in ("Chasles", "FCL", "coal")
                for what in (", mean", ", median", ", p95")), "FCL / Chasles", "coal / Chasles"], times_of(rows)), "",
        "## Answers", "",
        "*Confirmed*: blocked edges on which the surfaces that Chasles names intersect at the end of the reported interval, triangle by "
        "triangle (`arm_exact`). *Missed*: blocked edges on which no sample intersects. *Beyond*: free edges on which one does. *Wrong*: "
        "samples reported as intersecting that do not intersect, triangle by triangle.", "",
        *table(["edges", "free", "blocked", "undecided", "confirmed", *(f"{who}: {what}" for who in ("FCL", "coal")
                for what in ("missed", "beyond", "wrong"))], answers(rows)), "",
    ]
    args.out.mkdir(parents=True, exist_ok=True)
    file = args.out / f"{date.today()}-edges-sampled.md"
    file.write_text("\n".join(lines).rstrip() + "\n")
    with file.with_suffix(".csv").open("w", newline="") as out:
        keys = ["set", "outcome", "poses", "chasles", "fcl", "coal", "fcl_meets", "coal_meets", "fcl_right", "coal_right", "exact"]
        to = csv.DictWriter(out, keys, lineterminator="\n")
        to.writeheader()
        for row in rows:
            to.writerow({key: f"{value:.3e}" if isinstance(value, float) else value for key, value in row.items()})
    print(file.read_text())


def main(args):
    with (args.cases / "edges.csv").open(newline="") as file:
        edges = [Edge(row) for row in csv.DictReader(file)]
    cell = Cell(args.robot, args.srdf, args.cases / "world.toml", set(edges[0].path.names))
    samplers = {name: sampler(cell) for name, sampler in SAMPLERS.items()}
    rows, count = [], {}
    for edge in edges:
        kind = (edge.set, edge.outcome)
        count[kind] = count.get(kind, 0) + 1
        if count[kind] <= args.edges:
            rows.append(edge_row(edge, cell, samplers, args.degrees))
    write(rows, cell, args)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--robot", type=Path, required=True)
    parser.add_argument("--srdf", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--edges", type=int, default=300, help="the first so many of each set and each proven answer")
    parser.add_argument("--degrees", type=float, default=1.0)
    parser.add_argument("--note", action="append", default=[], help="a line for the top of the report")
    main(parser.parse_args())
