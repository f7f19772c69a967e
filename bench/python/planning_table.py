"""The results of `planning.py` as tables, for people (.md) and for programs (.csv)."""

import csv
import json
import os
from datetime import date

import numpy as np


def rows_of(out, what):
    file = out / f"{what}.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def write(out, name, notes):
    measured, held, many = (rows_of(out, what) for what in ("measure", "truth", "folder"))
    loads = [row["load"] for row in measured]
    lines = [
        "# Planning problems", "",
        f"* date: {date.today()}", f"* machine: {os.cpu_count()} processors, shared with other work",
        *([f"* load: {min(loads):.1f} to {max(loads):.1f}"] if loads else []),
        *(f"* {note}" for note in notes), "",
        "## Time of a path", "",
        "Processor time in ms, median and 95th percentile over the paths, one thread. *Chasles*: `chasles check` on the path, less "
        "a run on the same cell in which nothing moves, which is *reading*. *First*: `chasles check --first`; until a sample intersected for the "
        "first time, or all were seen. *Ratio*: Chasles over the sampler, median of the paths' ratios; *p95*: of the 95th percentiles.", "",
        *table(["kind", "paths", "poses", "reading", "chasles", "p95", "chasles, first", "p95", "by the wall", "FCL", "p95",
                "FCL, first", "coal", "p95", "coal, first", "ratio to FCL", "p95", "ratio to coal", "p95", "first to FCL",
                "first to coal"], times(measured)), "",
        "## Time of a path by its verdict", "",
        *table(["contact intervals", "paths", "chasles", "p95", "FCL", "coal", "ratio to FCL", "ratio to coal"], by_contacts(measured)), "",
        "## Answers, and what sampling missed", "",
        f"The first contact alone (`--first`) is that of the whole report on {sum(row['first_same'] for row in measured)} of {len(measured)} "
        "paths. *Missed paths*: Chasles proves a contact, and no sample intersects. *Missed intervals*: contact intervals of a pair without an intersecting sample in "
        "them, and the longest in seconds. *Beyond*: intersecting samples where Chasles proves the pair separated.", "",
        *table(["kind", "paths", "free", "contact", "overlapping", "undecided", "intervals", "FCL: missed paths", "missed intervals",
                "longest", "beyond", "coal: missed paths", "missed intervals", "longest", "beyond"], answers(measured)), "",
    ]
    if held:
        lines += [
            "## Against dense sampling", "",
            "10,000 poses a segment with coal. *Differs*: samples on which coal, which iterates to some 1e-6 m, is of another opinion; "
            "there triangles are compared one by one (`arm_exact`). *Missed*, *invented*: samples on which this is of another opinion, "
            "too. *Ends*: intervals whose ends are wrong by more than 1e-6 s, so tested.", "",
            *table(["kind", "paths", "pairs and poses", "intersecting", "intervals", "differs", "missed", "invented", "ends", "undecided"],
                   truths(held)), "",
        ]
    if many:
        lines += [
            "## Many paths in one run", "",
            "A path among copies of itself in one run on one thread: ms of processor time for each path of the run, reading the robot included, and "
            "for the path alone, with and without reading.", "",
            *table(["path", "copies", "each", "alone", "without reading", "reports"], [
                [row["name"], str(row["copies"]), ms(row["each"]), ms(row["process"]), ms(row["check"]),
                 "same" if row["same"] else "DIFFER"] for row in many]), "",
        ]
    (out / f"{name}.md").write_text("\n".join(lines).rstrip() + "\n")
    write_csv(out / f"{name}.csv", measured, {row["name"]: row for row in held})


def write_csv(file, measured, held):
    with file.open("w", newline="") as out:
        to = csv.writer(out, lineterminator="\n")
        to.writerow(["path", "kind", "verdict", "pairs", "spans", "poses", "reading_s", "check_s", "check_first_s", "check_wall_s", "fcl_s",
                     "fcl_first_s", "coal_s", "coal_first_s", "fcl_missed", "coal_missed", "load", "truth_wrong"])
        for row in measured:
            wrong = len(held[row["name"]]["wrong"]) if row["name"] in held else ""
            fcl, coal = row["fcl"], row["coal"]
            seconds = [row["process"] - row["check"], row["check"], row["first"], row["check_wall"], fcl["all"], fcl["first"], coal["all"], coal["first"]]
            to.writerow([row["name"], row["kind"], row["verdict"], row["pairs_tested"], row["contacts"], row["poses"],
                         *(f"{s:.6f}" for s in seconds), len(fcl["unseen"]), len(coal["unseen"]), f"{row['load']:.1f}", wrong])


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|---|" + "--:|" * (len(head) - 1), *("| " + " | ".join(row) + " |" for row in rows)]


def groups(rows):
    """Rows by kind, with paths through waypoints and straight paths in separate rows, and all together."""
    found = {}
    for row in rows:
        around = ", detours" if row["way"].startswith("detour") else ""
        found.setdefault(row["kind"] + around, []).append(row)
    return [*sorted(found.items()), ("all", rows)] if len(found) > 1 else list(found.items())


def ms(seconds):
    value = 1e3 * float(seconds)
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def middle(values):
    return ms(np.median(values))


def high(values):
    return ms(np.quantile(values, 0.95))


def ratio(rows, name, ours="check", theirs="all"):
    return f"{np.median([row[ours] / row[name][theirs] for row in rows]):.1f}"


def high_ratio(rows, name):
    ours, theirs = (np.quantile(values, 0.95) for values in ([r["check"] for r in rows], [r[name]["all"] for r in rows]))
    return f"{ours / theirs:.1f}"


def times(measured):
    for kind, rows in groups(measured):
        of = {name: {part: [row[name][part] for row in rows] for part in ("all", "first")} for name in ("fcl", "coal")}
        check = [row["check"] for row in rows]
        yield [kind, str(len(rows)), f"{np.median([row['poses'] for row in rows]):.0f}",
               middle([row["process"] - row["check"] for row in rows]), middle(check), high(check),
               middle([row["first"] for row in rows]), high([row["first"] for row in rows]),
               middle([row["check_wall"] for row in rows]),
               *(cell for name in ("fcl", "coal") for cell in (
                   middle(of[name]["all"]), high(of[name]["all"]), middle(of[name]["first"]))),
               *(cell for name in ("fcl", "coal") for cell in (ratio(rows, name), high_ratio(rows, name))),
               *(ratio(rows, name, "first", "first") for name in ("fcl", "coal"))]


def by_contacts(measured):
    for low, above in ((0, 1), (1, 2), (2, 5), (5, 20), (20, 50), (50, 10**9)):
        rows = [row for row in measured if low <= row["contacts"] < above]
        if rows:
            name = str(low) if above == low + 1 else f"{low} to {above - 1}" if above < 10**9 else f"{low} and more"
            check = [row["check"] for row in rows]
            yield [name, str(len(rows)), middle(check), high(check), *(middle([row[s]["all"] for row in rows]) for s in ("fcl", "coal")),
                   ratio(rows, "fcl"), ratio(rows, "coal")]


def answers(measured):
    for kind, rows in groups(measured):
        verdicts = [row["verdict"] for row in rows]
        cells = [str(verdicts.count(word)) for word in ("clear", "contact", "overlapping", "undecided")]
        cells.append(str(sum(row["contacts"] for row in rows)))
        for name in ("fcl", "coal"):
            unseen = [length for row in rows for length in row[name]["unseen"]]
            missed = sum(row["contacts"] > 0 and not row[name]["meets"] for row in rows)
            cells += [str(missed), str(len(unseen)), f"{max(unseen, default=0):.2g}", str(sum(row[name]["stray"] for row in rows))]
        yield [kind, str(len(rows)), *cells]


def truths(held):
    for kind, rows in groups(held):
        wrong = [bad for row in rows for bad in row["wrong"]]
        samples = {what: sum(bad["samples"] for bad in wrong if bad["what"] == what) for what in ("missed", "invented")}
        others = sum(bad["what"] not in samples for bad in wrong)
        yield [kind, *(f"{n:,}" for n in (len(rows), *(sum(row[key] for row in rows) for key in
                       ("samples", "met", "intervals", "coal_differs")), samples["missed"], samples["invented"], others,
                       sum(row["undecided"] for row in rows)))]
