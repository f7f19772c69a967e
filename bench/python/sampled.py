"""Peers that are called through Python, on cases that the bench wrote.

    sampled.py check                       names and versions of the libraries that can be imported
    sampled.py ask FOLDER PEER SECONDS     answers the cases in FOLDER in order, for SECONDS

FOLDER holds for each body i the files i.points (f64, three a vertex) and i.triangles (u32, three a triangle), and cases
(f64): their number, then for each case the numbers of A and B, and poses of A at even times from 0 to 1 as x, y, z,
qw, qx, qy, qz. All little-endian.

A line is printed for each case that was answered: its number, the time of contact or "none", and CPU seconds: the
fastest of three, or the first of a slow query.
"""

import sys
import time
from pathlib import Path

import numpy as np

REPEATS = 3
SLOW = 0.1  # Seconds beyond which a query is not repeated.


def read(folder):
    """Bodies by number, and the pair and the poses of each case."""
    cases = np.fromfile(folder / "cases", "<f8")
    cases = cases[1:].reshape(int(cases[0]), -1)
    pairs, poses = cases[:, :2].astype(int), cases[:, 2:].reshape(len(cases), -1, 7)
    bodies = {}
    for i in sorted(set(pairs.ravel().tolist())):
        points = np.fromfile(folder / f"{i}.points", "<f8").reshape(-1, 3)
        triangles = np.fromfile(folder / f"{i}.triangles", "<u4").reshape(-1, 3).astype(np.int64)
        bodies[i] = (points, triangles)
    return bodies, pairs, poses


def rotation(pose):
    w, x, y, z = pose[3:]
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])


class Fcl:
    """FCL's tree of OBBRSS, the only kind that its Python package builds."""

    def __init__(self):
        import fcl

        self.fcl = fcl

    def body(self, points, triangles):
        model = self.fcl.BVHModel()
        model.beginModel(len(points), len(triangles))
        model.addSubModel(points, triangles)
        model.endModel()
        return model

    def objects(self, a, b, poses):
        fcl = self.fcl
        places = [fcl.Transform(rotation(p), p[:3]) for p in poses]
        return fcl.CollisionObject(a, places[0]), fcl.CollisionObject(b), places


class FclSampled(Fcl):
    """The static test at each pose, in a loop of Python."""

    def query(self, a, b, poses):
        fcl = self.fcl
        moving, static_body, places = self.objects(a, b, poses)
        request = fcl.CollisionRequest(num_max_contacts=1)

        def run():
            for i, place in enumerate(places):
                moving.setTransform(place)
                if fcl.collide(moving, static_body, request, fcl.CollisionResult()):
                    return i / (len(places) - 1)
            return None

        return run


class FclContinuous(Fcl):
    """A continuous query along the screw between the ends."""

    def query(self, a, b, poses):
        fcl = self.fcl
        moving, static_body, places = self.objects(a, b, poses)
        request = fcl.ContinuousCollisionRequest(
            ccd_motion_type=fcl.CCDMotionType.CCDM_SCREW, **self.solver(len(places)))
        still = fcl.Transform()

        def run():
            result = fcl.ContinuousCollisionResult()
            fcl.continuousCollide(moving, places[-1], static_body, still, request, result)
            return result.time_of_contact if result.is_collide else None

        return run


class FclNaive(FclContinuous):
    """FCL's own sampling along the screw."""

    def solver(self, poses):
        naive = self.fcl.CCDSolverType.CCDC_NAIVE
        return {"num_max_iterations": poses, "toc_err": 1e-9, "ccd_solver_type": naive}


class FclAdvancement(FclContinuous):
    """FCL's conservative advancement."""

    def solver(self, _poses):
        advancement = self.fcl.CCDSolverType.CCDC_CONSERVATIVE_ADVANCEMENT
        return {"num_max_iterations": 1000, "toc_err": 1e-6, "ccd_solver_type": advancement}


class CoalSampled:
    """The static test at each pose, in a loop of Python."""

    def __init__(self):
        import coal

        self.coal = coal

    def body(self, points, triangles):
        model = self.coal.BVHModelOBBRSS()
        model.beginModel(len(triangles), len(points))
        model.addVertices(points)
        model.addTriangles(triangles)
        model.endModel()
        return model

    def query(self, a, b, poses):
        coal = self.coal
        places = [coal.Transform3s(rotation(p), p[:3]) for p in poses]
        still, request, result = coal.Transform3s(), coal.CollisionRequest(), coal.CollisionResult()
        request.num_max_contacts, request.enable_contact = 1, False

        def run():
            for i, place in enumerate(places):
                result.clear()
                if coal.collide(a, place, b, still, request, result):
                    return i / (len(places) - 1)
            return None

        return run


PEERS = {
    "fcl-sampled": FclSampled,
    "fcl-naive": FclNaive,
    "fcl-advancement": FclAdvancement,
    "coal-sampled": CoalSampled,
}


def run(folder, name, limit):
    bodies, pairs, poses = read(folder)
    peer = PEERS[name]()
    bodies = {i: peer.body(*raw) for i, raw in bodies.items()}
    until = time.monotonic() + limit
    for number, ((a, b), along) in enumerate(zip(pairs.tolist(), poses)):
        if time.monotonic() > until:
            break
        query = peer.query(bodies[a], bodies[b], along)
        fastest = np.inf
        for _ in range(REPEATS):
            start = time.thread_time()
            answer = query()
            fastest = min(fastest, time.thread_time() - start)
            if fastest > SLOW:
                break
        print(number, "none" if answer is None else repr(float(answer)), fastest, flush=True)


def check():
    import importlib

    for library in ("fcl", "coal"):
        try:
            print(library, importlib.import_module(library).__version__)
        except ImportError:
            pass


if sys.argv[1] == "check":
    check()
else:
    run(Path(sys.argv[2]), sys.argv[3], float(sys.argv[4]))
