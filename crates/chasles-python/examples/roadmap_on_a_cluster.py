"""The edges of a roadmap, checked on the cores of this machine by Dask: 100,000, or as many as are asked for.

    python roadmap_on_a_cluster.py [EDGES]

Another client, of a cluster, is all that has to be changed for more machines.
"""

from __future__ import annotations

import pathlib
import sys
import time

import numpy as np
from distributed import Client, LocalCluster

import chasles
import chasles.dask

SCENES = pathlib.Path(__file__).resolve().parents[3] / "scenes" / "robots"


def main(count: int) -> None:
    robot = chasles.Robot.load(SCENES / "arm.urdf", world=SCENES / "wire.toml")
    # Postures at random, each joined with one near it.
    rng = np.random.default_rng(1)
    least, greatest = np.clip(robot.limits.T, -np.pi, np.pi)
    q0 = rng.uniform(least, greatest, (count, len(robot.joints)))
    q1 = np.clip(q0 + 0.05 * (greatest - least) * rng.uniform(-1, 1, q0.shape), least, greatest)
    with LocalCluster(threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        begin = time.perf_counter()
        free = chasles.dask.edges_free(robot, q0, q1, client=client, shard=max(count // 50, 1))
        took = time.perf_counter() - begin
        print(f"{count} edges on {len(cluster.workers)} workers in {took:.2f} s: {(free == chasles.CLEAR).sum()} free")
    # The same bits as here, without a cluster.
    some = slice(0, 200)
    assert (robot.edges_free(q0[some], q1[some]) == free[some]).all()
    assert set(free.tolist()) <= {chasles.CLEAR, chasles.CONTACT, chasles.UNDECIDED}


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
