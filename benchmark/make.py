#!/usr/bin/env python3
"""Makes a set of problems with certificates, in one command: generates, checks every certificate, drops those that the
exact arithmetic refuses, and writes checksums.

usage: make.py small|large [FOLDER]     small goes to benchmark/small (which is stored), large to benchmark/large
       make.py sums FOLDER              holds a folder against its SHA256SUMS
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
    except FAILURES as why:
        return 0, str(why)


def confirm(folder):
    """Keeps the problems whose certificates are accepted; returns how many, and names of the others with the reason."""
    kept, refused = {}, {}
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        for path in sorted(p for p in folder.glob("*.jsonl") if not p.stem.endswith(".certified")):
            certified = path.with_suffix(".certified.jsonl")
            asked, given = (p.read_text().splitlines() for p in (path, certified))
            good = []
            tasks = [(p, c, folder) for p, c in zip(asked, given)]
            for (problem, certificate, _), (_, why) in zip(tasks, pool.map(accepted, tasks)):
                if why is None:
                    good.append((problem, certificate))
                else:
                    refused[json.loads(problem)["name"]] = why
            path.write_text("".join(p + "\n" for p, _ in good))
            certified.write_text("".join(c + "\n" for _, c in good))
            kept[path.stem] = len(good)
    return kept, refused


def files(folder):
    return sorted(p for p in folder.rglob("*") if p.is_file() and p.name != "SHA256SUMS")


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def unused(folder):
    """Removes meshes that no problem names."""
    text = "".join(p.read_text() for p in files(folder) if p.suffix in (".jsonl", ".urdf"))
    for path in files(folder):
        if path.suffix in (".obj", ".urdf", ".csv") and path.name not in text:
            path.unlink()


def main(which, folder=None):
    folder = Path(folder or HERE / which)
    if which == "sums":
        lines = (line.split("  ", 1) for line in (folder / "SHA256SUMS").read_text().splitlines())
        wrong = [name for sum, name in lines if digest(folder / name) != sum]
        print(f"{len(wrong)} files differ", *wrong)
        return 1 if wrong else 0
    made = subprocess.run(["cargo", "run", "--release", "--quiet", "--locked", "--manifest-path", HERE / "Cargo.toml",
                           "--bin", "chasles-benchmark", "--", which, folder],
                          check=True, text=True, stdout=subprocess.PIPE)
    kept, refused = confirm(folder)
    unused(folder)
    told = [line for line in made.stdout.splitlines() if line.startswith("not taken")]
    told += [f"not taken: {name}: refused: {why}" for name, why in refused.items()]
    told += [f"taken: {count} {family}" for family, count in kept.items()]
    (folder / "MADE").write_text("".join(line + "\n" for line in told))
    sums = [f"{digest(path)}  {path.relative_to(folder).as_posix()}\n" for path in files(folder)]
    (folder / "SHA256SUMS").write_text("".join(sums))
    print(*told, sep="\n")
    return 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in ("small", "large", "sums"):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
