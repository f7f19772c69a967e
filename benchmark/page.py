#!/usr/bin/env python3
"""Makes results/index.html from results/scores.json, which score.py writes, with the conditions of each measurement.

usage: page.py      writes benchmark/results/index.html: one file, no scripts, no external resources
"""
import html
import json
from pathlib import Path

from score import WORDS

HERE = Path(__file__).parent
COLOURS = {"right": "#3a8f5c", "missed": "#c0392b", "late": "#d98a2b", "early": "#c9b037", "false": "#8e44ad",
           "within tolerance": "#9ccfae", "undecided": "#9aa5b1", "no answer": "#4a4a4a"}
FAMILIES = {"screws": "Two meshes, one on a screw", "features": "A vertex and a face, or two edges, that move evenly",
            "cloths": "A sheet that deforms, past a body", "robots": "An arm on a path, among bodies"}
STYLE = """
:root { --ink: #1d2733; --faint: #5d6b7a; --line: #d9dfe5; --paper: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ebf0; --faint: #9aa8b5; --line: #36424e; --paper: #171d23; } }
body { font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; color: var(--ink); background: var(--paper);
       max-width: 66rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .5rem; }
p { max-width: 46rem; } .faint { color: var(--faint); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { text-align: right; padding: .4rem .35rem; border-top: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; border-top: 0; } th:first-child, td:first-child { text-align: left; }
td:first-child { min-width: 12rem; } .key { max-width: none; }
td small { color: var(--faint); display: block; } td.zero { color: var(--faint); }
.bar { display: flex; height: .7rem; width: 7rem; border-radius: .2rem; overflow: hidden; margin-top: .35rem; }
.key span { display: inline-block; margin-right: 1.2rem; white-space: nowrap; }
.key i { display: inline-block; width: .8rem; height: .8rem; border-radius: .2rem; margin-right: .35rem;
         vertical-align: -.08rem; }
.wide { overflow-x: auto; } details { margin-top: .5rem; } summary { cursor: pointer; color: var(--faint); }
"""


def seconds(x):
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if x >= size:
            return f"{x / size:.3g} {unit}"
    return f"{x / 1e-9:.3g} ns"


def bar(counts):
    parts = (f'<i title="{counts[w]} {w}" style="flex:{counts[w]};background:{COLOURS[w]}"></i>'
             for w in WORDS if counts[w])
    found = f'{counts["right"]} of {counts["problems"]} right'
    return f'<div class="bar" role="img" aria-label="{found}">{"".join(parts)}</div>'


def table(scores, family):
    rows, wrong = [], []
    for result in scores:
        counts = result["families"].get(family)
        if not counts:
            continue
        program, how = html.escape(result["program"]), html.escape(result.get("how", ""))
        cells = "".join(f'<td{"" if counts[w] else " class=zero"}>{counts[w]}</td>' for w in WORDS)
        time = seconds(counts["median"]) if "median" in counts else ""
        rows.append(f"<tr><td>{program}<small>{how}</small></td><td>{bar(counts)}</td>{cells}<td>{time}</td></tr>")
        names = ", ".join(f"{html.escape(n)} ({w})" for n, w in counts["wrong"])
        if names:
            wrong.append(f"<p><b>{program}</b>, {how}: {names}</p>")
    heads = "".join(f"<th>{w}</th>" for w in WORDS)
    found = f"<details><summary>Problems that were not answered right</summary>{''.join(wrong)}</details>"
    problems = next(r["families"][family]["problems"] for r in scores if family in r["families"])
    return (f"<h2>{FAMILIES[family]}: {problems} problems</h2><div class=wide><table><tr><th>program</th><th></th>"
            f'{heads}<th>median time</th></tr>{"".join(rows)}</table></div>{found if wrong else ""}')


def page(measured):
    scores = measured["scores"]
    key = "".join(f'<span><i style="background:{COLOURS[w]}"></i>{w}</span>' for w in WORDS)
    families = [f for f in FAMILIES if any(f in r["families"] for r in scores)]
    notes = "".join(f"<p>{html.escape(note)}</p>" for note in measured["notes"])
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>The Chasles benchmark</title><style>{STYLE}</style>
<h1>The Chasles benchmark</h1>
<p class="faint">{html.escape(measured["date"])}, {html.escape(measured["machine"])}</p>
<p>When do moving bodies first touch? Each problem has a certificate: a cover of time by planes that separate the
bodies, and an edge that crosses a triangle. An independent checker with exact integers has accepted all certificates. A
program is compared with the proven answers, not with another program.</p>
<p class="key">{key}</p>
{"".join(table(scores, f) for f in families)}
<h2>How it was measured</h2>
{notes}
</html>
"""


def main():
    measured = json.loads((HERE / "results" / "scores.json").read_text())
    (HERE / "results" / "index.html").write_text(page(measured))


if __name__ == "__main__":
    main()
