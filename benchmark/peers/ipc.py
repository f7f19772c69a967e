#!/usr/bin/env python3
"""Runs ipc-toolkit on features and cloths; writes answers for score.py. Needs `pip install numpy ipctk`.

usage: ipc.py FOLDER > ANSWERS.jsonl

Tight Inclusion, ipc-toolkit's default method, has default settings: tolerance 1e-6, 10^7 iterations, conservative
rescaling 0.8. Its times are lower bounds by design: a simulation must stop before a contact, so it is early on purpose,
and must never be late. For a cloth, the query is the largest step without contact. Seconds are processor time.
"""
import argparse
import json
import time
from importlib.metadata import version
from pathlib import Path

import ipctk
import numpy as np
from sampled import lines, mesh


def feature(problem):
    kind = "vertex_face" if "vertex_face" in problem else "edge_edge"
    p = np.array(problem[kind])
    ccd = ipctk.TightInclusionCCD()
    query = ccd.point_triangle_ccd if kind == "vertex_face" else ccd.edge_edge_ccd
    start = time.process_time()
    contact, toi = query(*p)[:2]
    return toi if contact else None, time.process_time() - start


def cloth(problem, folder):
    (first, faces), (last, _) = (mesh(folder / problem["a"][e]) for e in ("start", "end"))
    other, others = mesh(folder / problem["b"]["mesh"])
    n = len(first)
    faces = np.vstack([faces, others + n])
    surface = ipctk.CollisionMesh(np.vstack([first, other]), ipctk.edges(faces), faces)
    # Self-collisions of the cloth are left out.
    surface.can_collide = ipctk.make_vertex_patches_filter(np.array([0] * n + [1] * len(other)))
    start = time.process_time()
    step = ipctk.compute_collision_free_stepsize(surface, np.vstack([first, other]), np.vstack([last, other]))
    return step if step < 1 else None, time.process_time() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    print(json.dumps({"program": f"ipc-toolkit (ipctk {version('ipctk')})", "tolerance": 1e-6,
                      "how": "tight inclusion, as it comes: early on purpose", "families": ["features", "cloths"]}))
    for family in ("features", "cloths"):
        for problem in lines(folder / f"{family}.jsonl"):
            contact, seconds = feature(problem) if family == "features" else cloth(problem, folder)
            answer = {"name": problem["name"], "verdict": "clear" if contact is None else "contact", "seconds": seconds}
            print(json.dumps(answer | ({} if contact is None else {"time": contact})))


if __name__ == "__main__":
    main()
