"""Scenes and reports in the browser, by viser: bodies that a slider moves through time, and each contact while it
lasts.

>>> server = viser.ViserServer()
>>> shown = chasles.viser.show(server, scene.check())
>>> shown.time = 0.5

Needs viser: ``pip install chasles[viser]``.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
import weakref
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from chasles import _chasles
from chasles._extra import extra
from chasles._playback import _Array, _Contact, _PALETTE, _Playback, _RED

__all__ = ["Shown", "show"]



def show(server: Any, x: _chasles.Scene | _chasles.Report, *, name: str = "chasles") -> Shown:
    """Shows a scene or a report on a ``viser.ViserServer``: bodies, and a slider for the time, in seconds.

    ``x``: a ``Scene``, or a ``Report`` of a scene or of a robot on a path. For a report, its contacts are shown too,
    each for the duration of its interval, as a needle at the point, along the normal from A to B. Lengths are in
    metres, and the up axis is the file's. ``name``: the node in viser's tree; earlier content of the node is removed.

    The display is only an illustration, not a proof: poses are exact to rounding, vertices are in single precision, and
    round bodies are meshes, as in the viewer of chasles.

    Other objects than a Scene or a Report: TypeError; a scene without bodies: ValueError; no viser: ImportError.
    """
    extra("viser", "viser")
    playback = _Playback.of(x)
    known = _displays.setdefault(server, {})
    if name in known:
        known.pop(name).remove()
    known[name] = Shown(server, playback, name)
    return known[name]


class Shown:
    """A scene or a report that a server shows: ``time`` moves it, ``remove`` removes it. Created by ``show``."""

    def __init__(self, server: Any, playback: _Playback, name: str) -> None:
        self._server, self._playback = server, playback
        self._lock = threading.RLock()
        self._is_there = True
        server.scene.set_up_direction(f"+{playback.up}")
        self._root = server.scene.add_frame(f"/{name}", show_axes=False)
        self._frames = [self._add_body(number, f"/{name}") for number in range(len(playback.bodies))]
        self._contacts = [
            self._add_contact(contact, f"/{name}/contacts/{n}") for n, contact in enumerate(playback.contacts)
        ]
        self._folder = server.gui.add_folder(name)
        with self._folder:
            self._add_controls(server.gui)
        self._time = playback.begin
        self._move(playback.begin)

    @property
    def time(self) -> float:
        """The displayed time, in seconds. Set it to move all bodies; the value is clamped to start and end."""
        return self._time

    @time.setter
    def time(self, value: float) -> None:
        if not math.isfinite(value):
            raise ValueError(f"time: found {value}, expected a finite number")
        at = min(max(float(value), self._playback.begin), self._playback.end)
        with self._lock:
            if self._is_there:
                # The slider has fewer times and would set the time to its own, so it moves first.
                self._slider.value = at
                self._move(at)

    def remove(self) -> None:
        """Removes from the server all that ``show`` has added."""
        with self._lock:
            if not self._is_there:
                return
            self._is_there = False
            self._folder.remove()
            # viser removes a node together with its children.
            self._root.remove()

    def _add_body(self, number: int, root: str) -> tuple[Any, list[Any]]:
        scene, body = self._server.scene, self._playback.bodies[number]
        # A slash would make a body the child of another.
        path = f"{root}/{number} {body.name.replace('/', '|')}"
        frame = scene.add_frame(path, show_axes=False)
        meshes = []
        for place, part in enumerate(body.parts):
            mesh = scene.add_mesh_simple(
                f"{path}/{place}",
                vertices=part.vertices,
                faces=part.faces,
                color=part.colour or _PALETTE[number % len(_PALETTE)],
                # Surfaces may be open, with both sides visible.
                side="double",
                flat_shading=True,
                position=part.pose[:3],
                wxyz=part.pose[3:],
            )
            meshes.append(mesh)
        return frame, meshes

    def _add_contact(self, contact: _Contact, path: str) -> Any:
        vertices, faces = _needle(contact.point, contact.normal, self._playback.size)
        return self._server.scene.add_mesh_simple(
            path, vertices=vertices, faces=faces, color=_RED, side="double", visible=False
        )

    def _add_controls(self, gui: Any) -> None:
        begin, end = self._playback.begin, self._playback.end
        self._slider = gui.add_slider("time (s)", min=begin, max=end, step=(end - begin) / 1000, initial_value=begin)
        self._slider.on_update(lambda _: self._move(float(self._slider.value)))
        self._play = gui.add_checkbox("play", initial_value=False)
        self._play.on_update(lambda _: self._start())
        places = {contact.label: contact.begin for contact in self._playback.contacts[:_MOST_LISTED]}
        if places:
            jump = gui.add_dropdown("contact", options=["", *places], initial_value="")
            jump.on_update(lambda _: self._jump(places.get(str(jump.value))))

    def _jump(self, at: float | None) -> None:
        if at is not None:
            self.time = at

    def _move(self, at: float) -> None:
        with self._lock, self._server.atomic():
            if not self._is_there:
                return
            self._time = at
            for body, (frame, meshes) in zip(self._playback.bodies, self._frames):
                pose = body.poses(np.array([at]))[0]
                frame.position, frame.wxyz = pose[:3], pose[3:]
                for part, mesh in zip(body.parts, meshes):
                    if part.frames is not None:
                        mesh.vertices = part.at(at)
            for contact, mesh in zip(self._playback.contacts, self._contacts):
                is_now = contact.begin <= at <= contact.end
                if mesh.visible != is_now:
                    mesh.visible = is_now

    def _start(self) -> None:
        if self._play.value:
            threading.Thread(target=self._run, name="chasles-viser", daemon=True).start()

    def _run(self) -> None:
        """Plays in real time, until the end or until the user stops it. At the end, it starts from the beginning."""
        begin, end = self._playback.begin, self._playback.end
        start, first = time.monotonic(), self._time if self._time < end else begin
        while self._is_there and self._play.value:
            at = first + time.monotonic() - start
            # A stopped server accepts no updates.
            with contextlib.suppress(RuntimeError):
                self.time = at
            if at >= end:
                self._play.value = False
                return
            time.sleep(1 / 30)


_displays: weakref.WeakKeyDictionary[Any, dict[str, Shown]] = weakref.WeakKeyDictionary()

_MOST_LISTED: Final = 200
"""The maximum number of contacts, by time, in the list to choose from; a longer list is of no use."""


def _needle(point: _Array, normal: _Array, size: float) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.uint32]]:
    """A needle at a contact: thick at the point, its tip along the normal; its size is relative to the bodies."""
    axis = np.eye(3)[np.argmin(np.abs(normal))]
    side = np.cross(normal, axis)
    side /= np.linalg.norm(side)
    across = np.cross(normal, side)
    thick, long = 0.01 * size, 0.12 * size
    corners = [side * thick, across * thick, -side * thick, -across * thick, -normal * thick, normal * long]
    around = [(k, (k + 1) % 4) for k in range(4)]
    faces = [(b, a, 4) for a, b in around] + [(a, b, 5) for a, b in around]
    return (point + np.array(corners)).astype(np.float32), np.array(faces, dtype=np.uint32)
