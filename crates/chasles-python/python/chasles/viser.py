"""Scenes and reports in the browser, by viser: bodies that a slider moves through time, and each contact while it
lasts.

>>> server = viser.ViserServer()
>>> shown = chasles.viser.show(server, scene.check())
>>> shown.time = 0.5

Needs viser: ``pip install chasles[viser]``.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import importlib
import json
import math
import threading
import time
import weakref
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from chasles import _chasles

__all__ = ["Shown", "show"]

_Array = npt.NDArray[np.float64]


def show(server: Any, x: _chasles.Scene | _chasles.Report, *, name: str = "chasles") -> Shown:
    """Shows a scene or a report on a ``viser.ViserServer``: bodies, and a slider for the time, in seconds.

    ``x``: a ``Scene``, or a ``Report`` of a scene or of a robot on a path; of a report its contacts are shown too,
    each while its interval lasts, as a needle at the point, along the normal from A to B. Lengths are in metres, and
    the axis that points upward is that of the file. ``name``: where it stands in viser's tree; what was shown there
    before is removed.

    It is a picture: poses are exact to rounding, surfaces are those meshes of round bodies that the viewer of chasles
    has, in single precision, and nothing is proven by it.

    Other things than a Scene or a Report: TypeError; a scene without bodies: ValueError; no viser: ImportError.
    """
    try:
        importlib.import_module("viser")
    except ImportError as error:
        raise ImportError("viser is not installed: pip install chasles[viser]") from error
    playback = _Playback.of(x)
    known = _shown.setdefault(server, {})
    if name in known:
        known.pop(name).remove()
    known[name] = Shown(server, playback, name)
    return known[name]


class Shown:
    """A scene or a report that a server shows: ``time`` moves it, ``remove`` takes it away. ``show`` makes it."""

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
        """The time that is shown, in seconds. Set it to move everything; beyond begin and end the nearer is shown."""
        return self._time

    @time.setter
    def time(self, value: float) -> None:
        if not math.isfinite(value):
            raise ValueError(f"time: found {value}, expected a finite number")
        at = min(max(float(value), self._playback.begin), self._playback.end)
        with self._lock:
            if self._is_there:
                # The slider knows fewer times, and would have its own: so it moves first.
                self._slider.value = at
                self._move(at)

    def remove(self) -> None:
        """Takes everything from the server that ``show`` has put there."""
        with self._lock:
            if not self._is_there:
                return
            self._is_there = False
            self._folder.remove()
            # viser takes away what is below a node with it.
            self._root.remove()

    def _add_body(self, number: int, root: str) -> tuple[Any, list[Any]]:
        scene, body = self._server.scene, self._playback.bodies[number]
        # A slash would put a body below another.
        path = f"{root}/{number} {body.name.replace('/', '|')}"
        frame = scene.add_frame(path, show_axes=False)
        meshes = []
        for place, part in enumerate(body.parts):
            mesh = scene.add_mesh_simple(
                f"{path}/{place}",
                vertices=part.vertices,
                faces=part.faces,
                color=part.colour or _PALETTE[number % len(_PALETTE)],
                # Surfaces may be open, and are seen from both sides then.
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
        """Plays in real time, until the end, or until somebody stops it. At the end it begins again."""
        begin, end = self._playback.begin, self._playback.end
        start, first = time.monotonic(), self._time if self._time < end else begin
        while self._is_there and self._play.value:
            at = first + time.monotonic() - start
            # A server that was stopped takes no more.
            with contextlib.suppress(RuntimeError):
                self.time = at
            if at >= end:
                self._play.value = False
                return
            time.sleep(1 / 30)


_shown: weakref.WeakKeyDictionary[Any, dict[str, Shown]] = weakref.WeakKeyDictionary()

_RED: Final = (215, 45, 40)

_PALETTE: Final = ((150, 170, 190), (230, 170, 80), (110, 170, 120), (190, 130, 180), (120, 140, 210), (200, 190, 110))
"""Colours of bodies that have none of their own, in turn; none is that of contacts."""

_MOST_LISTED: Final = 200
"""So many contacts can be chosen from a list, by time; a longer one is of no use."""


def _needle(point: _Array, normal: _Array, size: float) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.uint32]]:
    """A needle at a contact: thick at the point, its tip along the normal; its size goes with that of the bodies."""
    axis = np.eye(3)[np.argmin(np.abs(normal))]
    side = np.cross(normal, axis)
    side /= np.linalg.norm(side)
    across = np.cross(normal, side)
    thick, long = 0.01 * size, 0.12 * size
    corners = [side * thick, across * thick, -side * thick, -across * thick, -normal * thick, normal * long]
    around = [(k, (k + 1) % 4) for k in range(4)]
    faces = [(b, a, 4) for a, b in around] + [(a, b, 5) for a, b in around]
    return (point + np.array(corners)).astype(np.float32), np.array(faces, dtype=np.uint32)


# What is shown, by viser and by rerun: the document that the viewer of chasles is given.


@dataclasses.dataclass(frozen=True)
class _Surface:
    """Triangles of one colour on a body, and where they stand on it: x, y, z, qw, qx, qy, qz."""

    vertices: npt.NDArray[np.float32]
    faces: npt.NDArray[np.uint32]
    colour: tuple[int, int, int] | None
    pose: _Array
    frames: tuple[_Array, npt.NDArray[np.float32]] | None
    """Of a surface that deforms: times (F,), in seconds, and vertices (F, N, 3)."""

    def at(self, when: float) -> npt.NDArray[np.float32]:
        """The vertices at a time: between two frames they move evenly."""
        if self.frames is None:
            return self.vertices
        times, vertices = self.frames
        after = min(int(np.searchsorted(times, when, side="right")), len(times) - 1)
        before = max(after - 1, 0)
        span = times[after] - times[before]
        share = min(max((when - times[before]) / span, 0.0), 1.0) if span > 0 else 0.0
        between: npt.NDArray[np.float32] = (1 - share) * vertices[before] + share * vertices[after]
        return between.astype(np.float32)


@dataclasses.dataclass(frozen=True, eq=False)
class _Body:
    name: str
    parts: list[_Surface]
    keys: _Array
    """Times, in seconds, and poses in the world (K, 8); screws in between."""

    def poses(self, times: _Array) -> _Array:
        """Where it is at times (T,): x, y, z, qw, qx, qy, qz (T, 7). At a jump it is after it."""
        found = np.empty((len(times), 7))
        before = np.clip(np.searchsorted(self.keys[:, 0], times, side="right") - 1, 0, len(self.keys) - 1)
        for key in np.unique(before):
            own = np.flatnonzero(before == key)
            first, after = self.keys[key], self.keys[min(key + 1, len(self.keys) - 1)]
            if after[0] <= first[0]:
                found[own] = first[1:]
                continue
            shares = np.clip((times[own] - first[0]) / (after[0] - first[0]), 0, 1)
            for row, matrix in zip(own, _chasles.Screw.between(first[1:], after[1:]).at(shares)):
                pose = _chasles.Pose.from_matrix(matrix)
                found[row, :3], found[row, 3:] = pose.position, pose.quaternion
        return found


@dataclasses.dataclass(frozen=True)
class _Contact:
    """Where two bodies meet, from the first moment to the last, in seconds."""

    label: str
    begin: float
    end: float
    point: _Array
    normal: _Array


@dataclasses.dataclass(frozen=True)
class _Playback:
    """All that can be seen of a scene or a report."""

    begin: float
    end: float
    up: str
    bodies: list[_Body]
    contacts: list[_Contact]
    verdict: str | None
    size: float
    """How far it is across the largest body, in metres."""

    @classmethod
    def of(cls, x: Any) -> _Playback:
        """What can be seen of it."""
        if not isinstance(x, (_chasles.Scene, _chasles.Report)):
            raise TypeError(f"x: found {type(x).__name__}, expected a Scene or a Report")
        if isinstance(x, _chasles.Scene) and not x.names:
            raise ValueError("x: found a Scene without bodies, expected one with something to be seen")
        document = json.loads(x._playback())
        end = float(document["end"])
        bodies = [_body(body, document["meshes"]) for body in document["bodies"]]
        surfaces = [part.vertices for body in bodies for part in body.parts if len(part.vertices)]
        size = max((float(np.linalg.norm(np.ptp(vertices, axis=0))) for vertices in surfaces), default=1.0)
        contacts = _contacts(x, end) if isinstance(x, _chasles.Report) else []
        verdict = x.verdict if isinstance(x, _chasles.Report) else None
        return cls(float(document["begin"]), end, str(document["up"]), bodies, contacts, verdict, size)


def _body(told: dict[str, Any], meshes: list[dict[str, Any]]) -> _Body:
    parts = []
    colours = [colour for count, colour in told["colours"] for _ in range(count)]
    first = 0
    for number, pose in zip(told["mesh"], told["frames"]):
        mesh = meshes[number]
        vertices = _packed(mesh["positions"], "<f4").reshape(-1, 3)
        faces = _packed(mesh["triangles"], "<u4").reshape(-1, 3)
        own = colours[first : first + len(faces)]
        first += len(faces)
        frames = _frames(told["deforming"], len(vertices))
        # Vertices are told from an origin of their own, so that single precision is enough.
        at = _chasles.Pose(pose[:3], pose[3:])
        place = np.array([*at.transform(np.array(mesh["origin"])), *pose[3:]])
        for colour in dict.fromkeys(own) or [None]:
            mine = (
                faces if colour is None else faces[[one == colour for one in own] + [False] * (len(faces) - len(own))]
            )
            used, again = np.unique(mine, return_inverse=True)
            cut = None if frames is None else (frames[0], frames[1][:, used])
            own_faces = again.reshape(-1, 3).astype(np.uint32)
            parts.append(_Surface(vertices[used], own_faces, _rgb(colour), place, cut))
    keys = _packed(told["keys"], "<f8").reshape(-1, 8)
    return _Body(told["name"], [part for part in parts if len(part.faces)], keys)


def _frames(told: dict[str, Any] | None, count: int) -> tuple[_Array, npt.NDArray[np.float32]] | None:
    """The frames of a body that deforms, where they are given."""
    if told is None or told["frames"] is None:
        return None
    return _packed(told["times"], "<f8"), _packed(told["frames"], "<f4").reshape(-1, count, 3)


def _packed(text: str, kind: str) -> npt.NDArray[Any]:
    return np.frombuffer(base64.b64decode(text), dtype=kind)


def _rgb(colour: str | None) -> tuple[int, int, int] | None:
    return None if colour is None else (int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16))


def _contacts(report: _chasles.Report, end: float) -> list[_Contact]:
    """The contacts of a report, by time. Intervals that begin at the start, or at a jump, have no point."""
    found = []
    for pair in report.pairs:
        for interval in pair.intervals:
            if interval.contact is not None:
                last = end if interval.exit is None else interval.exit[1]
                label = f"{interval.enter[0]:.6g} s: {pair.a}, {pair.b}"
                point, normal = (np.asarray(v, dtype=float) for v in (interval.contact.point, interval.contact.normal))
                found.append(_Contact(label, interval.enter[0], last, point, normal))
    return sorted(found, key=lambda contact: contact.begin)
