"""ipc-toolkit on one step of a surface against itself, as the bench wrote it.

    moving_surfaces.py FILE METHOD

FILE holds the numbers of vertices and faces and the corners of the faces (u32, little-endian), then the vertices before
and after the step (f64). METHOD is tight or additive. Printed: the number of candidates, the seconds to find
them and the first time of contact, and the fraction of the step that is safe.
"""

import sys
import time

import numpy as np


def main(file, method):
    import ipctk

    peer = {"tight": ipctk.TightInclusionCCD, "additive": ipctk.AdditiveCCD}[method]()
    data = open(file, "rb").read()
    vertices, faces = np.frombuffer(data, "<u4", 2)
    corners = np.frombuffer(data, "<u4", 3 * faces, 8).reshape(-1, 3).astype(np.int32)
    places = np.frombuffer(data, "<f8", 6 * vertices, 8 + 12 * int(faces)).reshape(2, -1, 3)
    start, end = (np.asfortranarray(p) for p in places)
    mesh = ipctk.CollisionMesh(start, ipctk.edges(corners), corners)
    started = time.perf_counter()
    candidates = ipctk.Candidates()
    candidates.build(mesh, start, end)
    fraction = candidates.compute_collision_free_stepsize(mesh, start, end, 0.0, peer)
    print(len(candidates), time.perf_counter() - started, fraction)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
