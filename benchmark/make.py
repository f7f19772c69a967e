#!/usr/bin/env python3
"""Makes a set of problems with certificates, in one command: generates it, checks every certificate, drops problems
whose certificates the exact arithmetic rejects, and compares the result with the stored checksums.

usage: make.py small|large [FOLDER]           small goes to benchmark/small (which is stored), large to benchmark/large
       make.py sums small|large [FOLDER]      compares a folder with benchmark/small.sha256 or benchmark/large.sha256
       make.py store small|large [FOLDER]     rewrites that list, after a change of the generator
"""
import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import check

HERE = Path(__file__).parent
FAILURES = (check.Refused, ArithmeticError, LookupError, TypeError, ValueError, AttributeError, OSError)


def accepted(task):
    problem, certificate, folder = task
    try:
        bodies = check.check(json.loads(problem), json.loads(certificate), folder)
        return sum(len(b.triangles) for b in bodies), None
    except FAILURES as reason:
        return 0, str(reason)


def confirm(folder):
    """Keeps the problems whose certificates are accepted. Returns their number, and the others' names with reasons."""
    kept, refused = {}, {}
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        for path in sorted(p for p in folder.glob("*.jsonl") if not p.stem.endswith(".certified")):
            certified = path.with_suffix(".certified.jsonl")
            queried, given = (p.read_text().splitlines() for p in (path, certified))
            good = []
            tasks = [(p, c, folder) for p, c in zip(queried, given)]
            answers = enumerate(zip(tasks, pool.map(accepted, tasks)), 1)
            for count, ((problem, certificate, _), (_, reason)) in answers:
                if sys.stderr.isatty():
                    end = "\n" if count == len(tasks) else ""
                    print(f"\rchecked: {count} of {len(tasks)} {path.stem}", end=end, file=sys.stderr)
                if reason is None:
                    good.append((problem, certificate))
                else:
                    refused[json.loads(problem)["name"]] = reason
            path.write_text("".join(p + "\n" for p, _ in good))
            certified.write_text("".join(c + "\n" for _, c in good))
            kept[path.stem] = len(good)
    return kept, refused


def files(folder):
    return sorted(p for p in folder.rglob("*") if p.is_file())


def digests(folder):
    return {p.relative_to(folder).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in files(folder)}


def stored(which):
    return HERE / f"{which}.sha256"


def compare(which, folder):
    """Prints the names of files that differ from the stored checksums, are missing, or are not listed."""
    if not stored(which).exists():
        print(f"there is no {stored(which).name}: make.py store {which}")
        return 1
    lines = stored(which).read_text().splitlines()
    expected = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    found = digests(folder)
    wrong = sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))
    print(f"{len(wrong)} of {len(expected)} files differ from {stored(which).name}", *wrong)
    return 1 if wrong else 0


def unused(folder):
    """Removes meshes that no problem names."""
    text = "".join(p.read_text() for p in files(folder) if p.suffix in (".jsonl", ".urdf"))
    for path in files(folder):
        if path.suffix in (".obj", ".urdf", ".csv") and path.name not in text:
            path.unlink()


def make(which, folder):
    made = subprocess.run(["cargo", "run", "--release", "--quiet", "--locked", "--manifest-path", HERE / "Cargo.toml",
                           "--bin", "chasles-benchmark", "--", which, folder],
                          check=True, text=True, stdout=subprocess.PIPE)
    kept, refused = confirm(folder)
    unused(folder)
    summary = [line for line in made.stdout.splitlines() if line.startswith("not taken")]
    summary += [f"not taken: {name}: refused: {reason}" for name, reason in refused.items()]
    summary += [f"taken: {count} {family}" for family, count in kept.items()]
    (folder / "MADE").write_text("".join(line + "\n" for line in summary))
    print(*summary, sep="\n")


def main(order, which, folder=None):
    folder = Path(folder or HERE / which)
    if order == "store":
        stored(which).write_text("".join(f"{digest}  {name}\n" for name, digest in digests(folder).items()))
        return 0
    if order == "make":
        make(which, folder)
    return compare(which, folder)


if __name__ == "__main__":
    words = sys.argv[1:] if sys.argv[1:2] in (["sums"], ["store"]) else ["make", *sys.argv[1:]]
    if len(words) not in (2, 3) or words[1] not in ("small", "large"):
        sys.exit(__doc__)
    sys.exit(main(*words))
