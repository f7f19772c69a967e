"""A scene or a report as a recording of the viewer Rerun.

Needs ``pip install chasles[rerun]``. A body that deforms is shown in its first shape.
"""

from __future__ import annotations

import os
from typing import Any, Final

import numpy as np

from chasles._chasles import Report, Scene
from chasles._tables import extra

__all__ = ["save"]

_STEPS: Final = 600
_COLOURS: Final = ((120, 144, 168), (214, 137, 74), (111, 162, 105), (176, 114, 150), (199, 178, 92), (110, 160, 170))


def save(x: Scene | Report, path: str | os.PathLike[str]) -> None:
    """Writes a scene, or what a report is about, as a recording (``.rrd``) that ``rerun PATH`` plays.

    The timeline ``time`` is in seconds. Bodies have their poses at 600 steps; contacts of a report are points and arrows
    along their normals, from the times on at which they begin. Errors: TypeError where ``x`` is neither; ImportError
    where rerun is missing; OSError where the file cannot be written.
    """
    rr: Any = extra("rerun", "rerun")
    if not isinstance(x, Scene | Report):
        raise TypeError(f"x: found {type(x).__name__}, expected a Scene or a Report")
    with open(path, "ab"):
        pass  # An OSError comes before the work.
    begin, end = x._span
    times = np.linspace(begin, end, _STEPS + 1)
    bodies = x._shown(times)
    recording = rr.RecordingStream("chasles")
    recording.save(os.fspath(path))
    recording.log("bodies", rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
    diagonal = 0.0
    for number, (name, mesh, poses) in enumerate(bodies):
        diagonal = max(diagonal, float(np.linalg.norm(np.ptp(mesh.vertices, axis=0))))
        place = f"bodies/{rr.escape_entity_path_part(f'{number} {name}')}"
        colour = _COLOURS[number % len(_COLOURS)]
        shape = rr.Mesh3D(vertex_positions=mesh.vertices, triangle_indices=mesh.faces, albedo_factor=colour)
        recording.log(place, shape, static=True)
        for time, pose in zip(times, poses):
            recording.set_time("time", duration=float(time))
            recording.log(place, rr.Transform3D(translation=pose[:3, 3], mat3x3=pose[:3, :3]))
    pairs = x.pairs if isinstance(x, Report) else []
    for number, (pair, interval) in enumerate((p, i) for p in pairs for i in p.intervals):
        if interval.contact is None:
            continue
        place = f"contacts/{rr.escape_entity_path_part(f'{number} {pair.a} {pair.b}')}"
        recording.set_time("time", duration=float(interval.contact.time[0]))
        normal = 0.1 * diagonal * interval.contact.normal
        arrow = rr.Arrows3D(origins=[interval.contact.point], vectors=[normal], colors=[(210, 40, 40)])
        recording.log(place, arrow)
    recording.flush()
