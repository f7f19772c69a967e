"""A scene or a report in the viewer viser: meshes, a slider for the time, contacts.

Needs ``pip install chasles[viser]``. A body that deforms is shown in its first shape.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from chasles._chasles import Report, Scene
from chasles._tables import extra

__all__ = ["show"]

_STEPS: Final = 600
_COLOURS: Final = ((120, 144, 168), (214, 137, 74), (111, 162, 105), (176, 114, 150), (199, 178, 92), (110, 160, 170))
_RED: Final = (210, 40, 40)


def show(server: Any, x: Scene | Report) -> Any:
    """Adds the bodies of a scene, or of what a report is about, to a ``viser.ViserServer``, and returns the slider of the time.

    The slider moves the bodies along their motion, in 600 steps: between two of them nothing is drawn, though all is
    proven. Contacts of a report are red balls, at the places where they begin. Errors: TypeError where ``x`` is
    neither; ImportError where viser is missing.
    """
    extra("viser", "viser")
    if not isinstance(x, Scene | Report):
        raise TypeError(f"x: found {type(x).__name__}, expected a Scene or a Report")
    begin, end = x._span
    times = np.linspace(begin, end, _STEPS + 1)
    bodies = x._shown(times)
    handles = []
    diagonal = 0.0
    for number, (name, mesh, _) in enumerate(bodies):
        diagonal = max(diagonal, float(np.linalg.norm(np.ptp(mesh.vertices, axis=0))))
        colour = _COLOURS[number % len(_COLOURS)]
        place = f"/chasles/{number}_{name.replace('/', '_')}"
        handles.append(server.scene.add_mesh_simple(place, mesh.vertices, mesh.faces.astype(np.int64), color=colour))
    contacts = x.pairs if isinstance(x, Report) else []
    for number, (pair, interval) in enumerate((p, i) for p in contacts for i in p.intervals if i.contact):
        place = f"/chasles/contacts/{number}_{pair.a}_{pair.b}".replace(" ", "_")
        point = interval.contact.point if interval.contact is not None else None
        server.scene.add_icosphere(place, radius=0.01 * diagonal, color=_RED, position=point)
    slider = server.gui.add_slider("time (s)", min=begin, max=end, step=(end - begin) / _STEPS, initial_value=begin)

    def move(_: Any = None) -> None:
        step = int(round((float(slider.value) - begin) / (end - begin) * _STEPS))
        for handle, (_, _, poses) in zip(handles, bodies):
            pose = poses[min(max(step, 0), _STEPS)]
            handle.wxyz, handle.position = _quaternion(pose), pose[:3, 3]

    slider.on_update(move)
    move()
    return slider


def _quaternion(pose: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    from chasles._chasles import Pose

    return Pose.from_matrix(pose).quaternion
