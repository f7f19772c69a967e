"""The content of viewers: the document of chasles' page, as arrays."""

from __future__ import annotations

import base64
import dataclasses
import json
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from chasles import _chasles

_Array = npt.NDArray[np.float64]

_RED: Final = (215, 45, 40)

_PALETTE: Final = ((150, 170, 190), (230, 170, 80), (110, 170, 120), (190, 130, 180), (120, 140, 210), (200, 190, 110))
"""Colours of bodies without their own colour, in turn. They differ from the colour of contacts."""


@dataclasses.dataclass(frozen=True)
class _Surface:
    """Triangles of one colour on a body, with their pose in its frame: x, y, z, qw, qx, qy, qz."""

    vertices: npt.NDArray[np.float32]
    faces: npt.NDArray[np.uint32]
    colour: tuple[int, int, int] | None
    pose: _Array
    frames: tuple[_Array, npt.NDArray[np.float32]] | None
    """For a deforming surface: times (F,), in seconds, and vertices (F, N, 3)."""

    def at(self, when: float) -> npt.NDArray[np.float32]:
        """The vertices at a time, interpolated linearly between two frames."""
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
    """Times, in seconds, and poses in the world (K, 8), joined by screws."""

    def poses(self, times: _Array) -> _Array:
        """The poses at times (T,): x, y, z, qw, qx, qy, qz (T, 7). At a jump, the pose after it."""
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
    """A contact of two bodies, with its start and end in seconds."""

    label: str
    begin: float
    end: float
    point: _Array
    normal: _Array


@dataclasses.dataclass(frozen=True)
class _Playback:
    """The displayed content of a scene or a report."""

    begin: float
    end: float
    up: str
    bodies: list[_Body]
    contacts: list[_Contact]
    verdict: str | None
    size: float
    """The diagonal of the largest body, in metres."""

    @classmethod
    def of(cls, x: Any) -> _Playback:
        """The displayed content of a Scene or Report."""
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


def _body(document: dict[str, Any], meshes: list[dict[str, Any]]) -> _Body:
    parts = []
    colours = [colour for count, colour in document["colours"] for _ in range(count)]
    first = 0
    for number, pose in zip(document["mesh"], document["frames"]):
        mesh = meshes[number]
        vertices = _packed(mesh["positions"], "<f4").reshape(-1, 3)
        faces = _packed(mesh["triangles"], "<u4").reshape(-1, 3)
        own = colours[first : first + len(faces)]
        first += len(faces)
        frames = _frames(document["deforming"], len(vertices))
        # Vertices are relative to an origin of their own, so that single precision suffices.
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
    keys = _packed(document["keys"], "<f8").reshape(-1, 8)
    return _Body(document["name"], [part for part in parts if len(part.faces)], keys)


def _frames(document: dict[str, Any] | None, count: int) -> tuple[_Array, npt.NDArray[np.float32]] | None:
    """The frames of a deforming body, if they are given."""
    if document is None or document["frames"] is None:
        return None
    return _packed(document["times"], "<f8"), _packed(document["frames"], "<f4").reshape(-1, count, 3)


def _packed(text: str, kind: str) -> npt.NDArray[Any]:
    return np.frombuffer(base64.b64decode(text), dtype=kind)


def _rgb(colour: str | None) -> tuple[int, int, int] | None:
    return None if colour is None else (int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16))


def _contacts(report: _chasles.Report, end: float) -> list[_Contact]:
    """The contacts of a report, by time. Intervals that start at time 0, or at a jump, have no point."""
    found = []
    for pair in report.pairs:
        for interval in pair.intervals:
            if interval.contact is not None:
                last = end if interval.exit is None else interval.exit[1]
                label = f"{interval.enter[0]:.6g} s: {pair.a}, {pair.b}"
                point, normal = (np.asarray(v, dtype=float) for v in (interval.contact.point, interval.contact.normal))
                found.append(_Contact(label, interval.enter[0], last, point, normal))
    return sorted(found, key=lambda contact: contact.begin)
