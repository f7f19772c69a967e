#!/usr/bin/env python3
"""Runs the program chasles, as its users do, and writes its answers for score.py.

usage: chasles.py PROGRAM FOLDER [--tolerance METRES] > ANSWERS.jsonl

Seconds are processor time. For screws and features: the time of a whole `chasles batch --threads 1`, including the
reading of files, divided evenly by its problems. For cloths and robots: one `chasles check` each, including its start.
"""
import argparse
import csv
import json
import resource
import subprocess
import tempfile
from pathlib import Path


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def spent():
    """Processor seconds of all programs that have run."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def batch(program, path, options):
    start = spent()
    run = subprocess.run([program, "batch", path, "--threads", "1", *options], text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    seconds = (spent() - start) / max(len(answers), 1)
    return [{k: a[k] for k in ("name", "verdict", "time") if k in a} | {"seconds": seconds} for a in answers]


def check(program, name, arguments):
    start = spent()
    run = subprocess.run([program, "check", *arguments, "--json"], text=True, capture_output=True)
    answer = {"name": name, "seconds": spent() - start}
    if run.returncode == 2 or not run.stdout:
        return answer | {"verdict": "error", "error": run.stderr[-200:]}
    report = json.loads(run.stdout)
    enters = [i["enter"] for pair in report["pairs"] for i in pair.get("intervals", [])]
    # The check has no clearance, so "near" is no possible verdict.
    answer["verdict"] = report["verdict"]
    if report["verdict"] in ("contact", "overlapping") and enters:
        answer["time"] = min(enters)
    return answer


def body(name, mesh):
    return f'[[body]]\nname = "{name}"\nmesh = "{mesh}"\n'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tolerance", type=float)
    options = parser.parse_args()
    program, folder = options.program.resolve(), options.folder.resolve()
    version = subprocess.run([program, "--version"], text=True, stdout=subprocess.PIPE).stdout.strip()
    given = ["--tolerance", str(options.tolerance)] if options.tolerance is not None else []
    # The default tolerance is 1e-9 of the larger body; these bodies are smaller than 4 m.
    how = f"--tolerance {options.tolerance}" if given else "as it comes: tolerance 1e-9 of the larger body"
    print(json.dumps({"program": version, "how": how, "tolerance": options.tolerance if given else 4e-9}))
    for family in ("screws", "features"):
        if (folder / f"{family}.jsonl").exists():
            for answer in batch(program, folder / f"{family}.jsonl", given):
                print(json.dumps(answer))
    scene_tolerance = f"tolerance = {options.tolerance}\n" if given else ""
    with tempfile.TemporaryDirectory() as scratch:
        scene = Path(scratch) / "scene.toml"
        for problem in lines(folder / "cloths.jsonl"):
            start, end = folder / problem["a"]["start"], folder / problem["a"]["end"]
            scene.write_text(f"format = 1\nduration = 1.0\n{scene_tolerance}" + '[[body]]\nname = "a"\n[body.motion]\n'
                             + f'kind = "deforming"\nmeshes = ["{start}", "{end}"]\ntimes = [0.0, 1.0]\n'
                             + body("b", folder / problem["b"]["mesh"]))
            print(json.dumps(check(program, problem["name"], [scene])))
        for problem in lines(folder / "robots.jsonl"):
            with open(folder / problem["path"], newline="") as file:
                times = [float(row[0]) for row in list(csv.reader(file))[1:]]
            scene.write_text(f"format = 1\nduration = {times[-1]}\n{scene_tolerance}" + "".join(
                body(f"world{i}", folder / world["mesh"]) for i, world in enumerate(problem["world"])))
            print(json.dumps(check(program, problem["name"], [
                folder / problem["robot"], "--path", folder / problem["path"], "--world", scene])))


if __name__ == "__main__":
    main()
