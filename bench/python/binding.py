"""Runs the queries of the bench `python` through the Python package.

    binding.py FOLDER

FOLDER/SET holds queries that the bench wrote: the bodies `0` and `1` as `i.points` (f64, three a vertex) and
`i.triangles` (u32, three a triangle), and `starts` and `ends` (f64, seven a pose: x, y, z, qw, qx, qy, qz).
FOLDER/edges holds `from` and `to` (f64, a configuration a row). All little-endian.

Each line read is the name of a method of `Calls` and its arguments, with tabs between; each line written is a JSON
object. Answers and lists of times are written to FOLDER, as the files `answers` and `times`. Times are seconds of wall
time, `processor` is the CPU time of all threads of this process.
"""

import gc
import importlib.metadata
import json
import os
import platform
import sys
import time
from pathlib import Path

import chasles
import numpy as np

KINDS = ["vertex-face", "face-vertex", "edge-edge"]
REPEATS = 3
# Queries that are repeated while resident memory is measured.
FEW = 1000


def as_pose(row):
    return chasles.Pose(row[:3], row[3:])


# The forms in which poses are passed.
FORMS = {
    "arrays": lambda rows: rows,
    "matrices": lambda rows: np.array([as_pose(row).matrix for row in rows]),
    "objects": lambda rows: [as_pose(row) for row in rows],
    "tuples": lambda rows: [(row[:3], row[3:]) for row in rows],
}


def mesh(folder, name):
    points = np.fromfile(folder / f"{name}.points", "<f8").reshape(-1, 3)
    return chasles.Mesh(points, np.fromfile(folder / f"{name}.triangles", "<u4").reshape(-1, 3))


def in_form(starts, ends, form):
    """The arguments that pass these motions."""
    if form == "screws":
        return ([chasles.Screw.between(start, end) for start, end in zip(starts, ends)],)
    return FORMS[form](starts), FORMS[form](ends)


def version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def resident():
    """Bytes of this process that are in memory."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def timed(query):
    """The result of a call, and its time."""
    started, processor = time.perf_counter(), time.process_time()
    found = query()
    return found, {"seconds": time.perf_counter() - started, "processor": time.process_time() - processor}


def as_row(found):
    """An answer as a row of an array has it."""
    row = np.zeros((), chasles.PREDICTION)
    row["verdict"] = chasles.VERDICTS.index(found.verdict)
    row["clear_until"] = found.clear_until
    contact = found.contact
    if contact is None:
        row["kind"], row["a"], row["b"] = 255, -1, -1
        row["time"], row["point"], row["normal"] = np.nan, np.nan, np.nan
        return row
    row["time"], row["kind"] = contact.time, KINDS.index(contact.kind)
    for side, numbers in (("a", contact.a), ("b", contact.b)):
        row[side] = (*numbers, -1)[:2]
    row["point"], row["normal"], row["touching"] = contact.point, contact.normal, contact.touching
    return row


class Calls:
    def __init__(self, folder):
        self.folder = folder
        self.bodies = self.motions = self.answers = self.robot = self.edges = self.client = None

    def versions(self):
        built = os.path.getmtime(chasles._chasles.__file__)
        return {
            "python": platform.python_version(),
            "chasles": chasles.__version__,
            "built": time.strftime("%Y-%m-%d %H:%M", time.gmtime(built)),
            "numpy": np.__version__,
            "distributed": version("distributed"),
        }

    def prepare(self, name, form, count):
        """The queries, repeated until the count is reached."""
        folder, count = self.folder / name, int(count)
        self.bodies = self.motions = self.answers = None
        ends = [np.fromfile(folder / end, "<f8").reshape(-1, 7) for end in ("starts", "ends")]
        self.bodies = [chasles.Body(mesh(folder, number)) for number in "01"]
        self.motions = in_form(*(np.resize(rows, (count, 7)) for rows in ends), form)
        return {}

    def many(self, threads):
        self.answers = None
        self.answers, times = timed(
            lambda: chasles.first_contact_many(*self.bodies, *self.motions, threads=int(threads))
        )
        return times

    def single(self):
        (a, b), query, motions = self.bodies, chasles.first_contact, list(zip(*self.motions))

        def all_in_turn():
            if len(self.motions) == 1:
                for (screw,) in motions:
                    query(a, b, screw)
            else:
                for start, end in motions:
                    query(a, b, start, end)

        return timed(all_in_turn)[1]

    def answer_singles(self):
        answers = [as_row(chasles.first_contact(*self.bodies, *motion)) for motion in zip(*self.motions)]
        self.answers = np.array(answers, chasles.PREDICTION)
        return {}

    def each(self):
        """CPU seconds of each query, the fastest of three, as python/sampled.py measures its own."""
        times = []
        for motion in zip(*self.motions):
            minimum = np.inf
            for _ in range(REPEATS):
                started = time.thread_time()
                chasles.first_contact(*self.bodies, *motion)
                minimum = min(minimum, time.thread_time() - started)
            times.append(minimum)
        np.array(times, "<f8").tofile(self.folder / "times")
        return {}

    def keep(self):
        """Writes the answers to the folder."""
        self.answers.tofile(self.folder / "answers")
        return {}

    def load(self, robot, world):
        """A robot, and how long it takes to prepare its first edge."""
        self.robot = chasles.Robot.load(robot, world=world)
        joints = len(self.robot.joints)
        self.edges = [np.fromfile(self.folder / "edges" / end, "<f8").reshape(-1, joints) for end in ("from", "to")]
        return timed(lambda: self.robot.check_edges(self.edges[0][:1], self.edges[1][:1], threads=1))[1]

    def check_edges(self, times):
        """Checks all edges, this number of times."""

        def query():
            for _ in range(int(times)):
                self.answers = self.robot.check_edges(*self.edges, threads=1)

        return timed(query)[1]

    def memory(self, call, calls):
        """Resident memory before and after the calls; a tenth as many calls come first."""
        query, calls = getattr(self, f"_{call}"), int(calls)
        motions = list(zip(*self.motions))[:FEW] if self.motions else []

        def go(calls):
            for number in range(calls):
                query(number, motions[number % len(motions)] if motions else None)

        go(calls // 10)
        before = resident()
        _, times = timed(lambda: go(calls))
        return {"before": before, "after": resident(), **times}

    def _first_contact(self, _number, motion):
        found = chasles.first_contact(*self.bodies, *motion)
        if found.contact is not None:
            found.contact.point, found.contact.normal

    def _first_contact_many(self, number, _motion):
        first = 10 * number % FEW
        chasles.first_contact_many(*self.bodies, *(part[first : first + 10] for part in self.motions))

    def _refused(self, _number, _motion):
        try:
            chasles.first_contact(*self.bodies, [np.nan] * 7, [0, 0, 0, 1, 0, 0, 0])
        except ValueError:
            return
        raise AssertionError("a pose of NaN was taken")

    def _body(self, _number, _motion):
        chasles.Body(self.bodies[0].mesh)

    def _check_edges(self, number, _motion):
        row = number % len(self.edges[0])
        self.robot.check_edges(*(end[row] for end in self.edges), threads=1)

    def cluster(self):
        """Starts two workers of one thread, in processes of their own."""
        from distributed import Client, LocalCluster

        def start():
            cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
            return Client(cluster)

        self.client, times = timed(start)
        return times

    def dask(self):
        import chasles.dask

        self.answers = None
        self.answers, times = timed(
            lambda: chasles.dask.first_contact_many(*self.bodies, *self.motions, client=self.client)
        )
        return times

    def close(self):
        cluster = self.client.cluster
        self.client.close()
        cluster.close()
        return {}


def main():
    calls = Calls(Path(sys.argv[1]))
    for line in sys.stdin:
        method, *arguments = line.rstrip("\n").split("\t")
        print(json.dumps(getattr(calls, method)(*arguments)), flush=True)


if __name__ == "__main__":
    main()
