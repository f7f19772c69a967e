"""A roadmap for a planner, whose 100,000 edges are proven free, or not, on a cluster.

    pip install chasles[dask]
    python roadmap_on_a_cluster.py                          # on this machine: two workers
    python roadmap_on_a_cluster.py --edges 2000             # fewer
    python roadmap_on_a_cluster.py --scheduler tcp://10.0.0.5:8786

An arm of three joints has to fold to get past a wall and two posts. Configurations are drawn at random. The free ones
are joined to their nearest neighbours, and the straight lines in joint space between them are the edges. An edge
counts as free where that is proven for the whole edge: no step is too long. At the end the example finds a path through
the roadmap and checks it as a whole.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import pathlib
import tempfile
import time
from typing import Any

import distributed
import numpy as np
import numpy.typing as npt

import chasles
import chasles.dask

# Large parts of distributed have no types.
Client: Any = distributed.Client
LocalCluster: Any = distributed.LocalCluster

ARM = """<robot name="arm">
  <link name="base"><collision>
    <geometry><cylinder radius="0.12" length="0.2"/></geometry></collision></link>
  <link name="upper"><collision><origin xyz="0.25 0 0"/>
    <geometry><box size="0.5 0.08 0.08"/></geometry></collision></link>
  <link name="fore"><collision><origin xyz="0.2 0 0"/>
    <geometry><box size="0.4 0.06 0.06"/></geometry></collision></link>
  <link name="hand"><collision><origin xyz="0.1 0 0"/>
    <geometry><capsule radius="0.03" length="0.2"/></geometry></collision></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.3"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="2" effort="50"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0.5 0 0.1"/>
    <axis xyz="0 0 1"/><limit lower="-2.6" upper="2.6" velocity="2" effort="50"/></joint>
  <joint name="wrist" type="revolute"><parent link="fore"/><child link="hand"/><origin xyz="0.4 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-1.5" upper="1.5" velocity="2" effort="50"/></joint>
</robot>
"""


def cell() -> chasles.Robot:
    """The arm, with posts and a wall around it."""
    world = chasles.Scene(1.0)
    world.add("wall", chasles.Box([0.6, 0.04, 0.8]), ([0.9, 0.0, 0.2], [1, 0, 0, 0]))
    world.add("left post", chasles.Cylinder(0.05, 1.2), ([0.5, 0.6, 0.5], [1, 0, 0, 0]))
    world.add("right post", chasles.Cylinder(0.05, 1.2), ([0.5, -0.6, 0.5], [1, 0, 0, 0]))
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "arm.urdf"
        file.write_text(ARM)
        return chasles.Robot.load(file, world=world)


def roadmap(robot: chasles.Robot, edges: int, neighbours: int = 20) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Free configurations (N, J), and edges (K, 2) as pairs of their numbers.

    The path begins at the first configuration and ends at the second.
    """
    rng = np.random.default_rng(1)
    low, high = robot.limits.T
    ends = np.array([[-1.5, 0.0, 0.0], [1.5, 0.0, 0.0]])
    drawn = np.concatenate([ends, rng.uniform(low, high, (max(edges // neighbours, 50) * 4, len(low)))])
    free = robot.configurations_free(drawn)
    assert free[:2].all(), "the path begins or ends in a collision"
    configurations = drawn[free][: max(edges // neighbours, 50) + 2]
    pairs: set[tuple[int, int]] = set()
    for number, configuration in enumerate(configurations):
        away = np.abs(configurations - configuration).max(axis=1)
        nearest = np.argsort(away, kind="stable")[1 : 2 * neighbours + 1]
        pairs.update((min(number, other), max(number, other)) for other in nearest.tolist())
    joined = np.array(sorted(pairs))
    lengths = np.abs(configurations[joined[:, 0]] - configurations[joined[:, 1]]).max(axis=1)
    return configurations, joined[np.argsort(lengths, kind="stable")[:edges]]


def way(edges: npt.NDArray[Any], first: int, last: int) -> list[int] | None:
    """The configurations on a path with the fewest edges."""
    beside = collections.defaultdict(list)
    for a, b in edges.tolist():
        beside[a].append(b)
        beside[b].append(a)
    before = {first: first}
    front = collections.deque([first])
    while front:
        here = front.popleft()
        for there in beside[here]:
            if there not in before:
                before[there] = here
                front.append(there)
    if last not in before:
        return None
    found = [last]
    while found[-1] != first:
        found.append(before[found[-1]])
    return found[::-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edges", type=int, default=100_000, help="how many edges (100,000)")
    parser.add_argument("--workers", type=int, default=2, help="workers on this machine (2)")
    parser.add_argument("--scheduler", help="the address of a cluster that is there")
    asked = parser.parse_args()
    robot = cell()
    configurations, edges = roadmap(robot, asked.edges)
    q0, q1 = configurations[edges[:, 0]], configurations[edges[:, 1]]
    with contextlib.ExitStack() as stack:
        address = asked.scheduler or stack.enter_context(LocalCluster(n_workers=asked.workers, threads_per_worker=1))
        client = stack.enter_context(Client(address))
        begin = time.perf_counter()
        free = chasles.dask.edges_free(robot, q0, q1, client=client)
        took = time.perf_counter() - begin
    print(f"{len(edges)} edges between {len(configurations)} configurations in {took:.1f} s: {free.sum()} free")
    # The bits do not depend on where they were computed.
    some = np.linspace(0, len(edges) - 1, min(len(edges), 500)).astype(int)
    assert (robot.edges_free(q0[some], q1[some]) == free[some]).all()
    assert 0 < free.sum() < len(edges)
    found = way(edges[free], 0, 1)
    assert found is not None, "the roadmap has no way from one side of the wall to the other"
    report = robot.check_path(np.arange(len(found), dtype=float), configurations[found])
    print(f"a way over {len(found) - 1} edges: {report.verdict}")
    assert report.verdict == "clear"


if __name__ == "__main__":
    # Workers are processes that import this file.
    main()
