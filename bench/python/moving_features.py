"""ipc-toolkit on features whose vertices move evenly along straight lines, for queries that the bench wrote.

    moving_features.py FILE METHOD SECONDS

FILE holds for each query 25 numbers (f64, little-endian): 0 for a vertex and a face, 1 for two edges; then the eight points,
four at the start and four at the end. METHOD is tight or additive. A line is printed for each query that was answered
within SECONDS: 1 if a collision is reported, else 0, and the time in seconds: the fastest of three, or the first of a
slow query.
"""

import sys
import time

import numpy as np

REPEATS = 3
SLOW = 0.01  # Seconds beyond which a query is not repeated.


def main(file, method, seconds):
    import ipctk

    peer = {"tight": ipctk.TightInclusionCCD, "additive": ipctk.AdditiveCCD}[method]()
    queries = np.fromfile(file, "<f8").reshape(-1, 25)
    start = time.perf_counter()
    for query in queries:
        points = list(query[1:].reshape(8, 3))
        run = peer.edge_edge_ccd if query[0] else peer.point_triangle_ccd
        best = float("inf")
        for _ in range(REPEATS):
            started = time.perf_counter()
            hit, _ = run(*points)
            best = min(best, time.perf_counter() - started)
            if best > SLOW:
                break
        print(int(hit), f"{best:.9f}")
        if time.perf_counter() - start > seconds:
            break


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
