"""Scenes and reports as recordings for the rerun viewer: bodies in motion, and each contact while it lasts.

>>> chasles.rerun.save(scene.check(), "cell.rrd")

Needs rerun: ``pip install chasles[rerun]``. Open the file with ``rerun cell.rrd``.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from chasles import _chasles
from chasles._extra import extra
from chasles._playback import _PALETTE, _RED, _Body, _Contact, _Playback, _Surface

__all__ = ["save"]

_FRAMES: Final = 300
"""The minimum number of evenly spaced times: rerun's viewer does not interpolate, but shows the last known pose."""

_MOST_KEYS: Final = 20_000
"""Up to this number of keys, a body has poses at its keys too; with more, only at the evenly spaced times."""

_TIMELINE: Final = "time"


def save(x: _chasles.Scene | _chasles.Report, path: str | os.PathLike[str]) -> None:
    """Writes a scene or a report to a recording of rerun, with poses over time.

    ``x``: a ``Scene``, or a ``Report`` of a scene or of a robot on a path. For a report, its contacts are written too,
    as points and arrows along the normal from A to B, each for the duration of its interval. The timeline ``time`` is
    in seconds, lengths are in metres, and the up axis is the file's. Bodies are at ``bodies/NAME``, contacts at
    ``contacts``. ``path``: usually with the extension ``.rrd``; an older file is replaced when the new one is complete.

    The recording is only an illustration, not a proof: 300 poses of each body, and the poses at its keys and at
    contacts, are exact to single precision, and round bodies are meshes, as in the viewer of chasles.

    Other objects than a Scene or a Report: TypeError; a scene without bodies: ValueError; no rerun: ImportError; a
    missing folder: FileNotFoundError.
    """
    rr = extra("rerun", "rerun")
    playback = _Playback.of(x)
    folder, name = os.path.split(os.path.abspath(os.fspath(path)))
    if not os.path.isdir(folder):
        raise FileNotFoundError(2, "No such file or directory", os.fspath(path))
    temporary = os.path.join(folder, f".{name}.{uuid.uuid4().hex}.tmp")
    try:
        recording = rr.RecordingStream("chasles")
        recording.save(temporary)
        _write(rr, recording, playback)
        recording.flush()
        recording.disconnect()
        os.replace(temporary, os.path.join(folder, name))
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


def _write(rr: Any, recording: Any, playback: _Playback) -> None:
    """Writes bodies and contacts."""
    up = rr.ViewCoordinates.RIGHT_HAND_Y_UP if playback.up == "y" else rr.ViewCoordinates.RIGHT_HAND_Z_UP
    recording.log("/", up, static=True)
    if playback.verdict is not None:
        told = [f"# {playback.verdict}", *(f"- {contact.label}" for contact in playback.contacts)]
        text = rr.TextDocument("\n".join(told), media_type="text/markdown")
        recording.log("report", text, static=True)
    moments = np.array([contact.begin for contact in playback.contacts])
    even = np.linspace(playback.begin, playback.end, _FRAMES + 1)
    for number, body in enumerate(playback.bodies):
        # A slash in a name must not become a folder, and bodies with equal names must both be displayed.
        place = (
            [body.name] if all(own.name != body.name for own in playback.bodies[:number]) else [body.name, str(number)]
        )
        _write_body(rr, recording, body, ["bodies", *place], _PALETTE[number % len(_PALETTE)], (even, moments))
    for number, contact in enumerate(playback.contacts):
        _write_contact(rr, recording, contact, ["contacts", str(number)], playback)


def _write_body(
    rr: Any,
    recording: Any,
    body: _Body,
    place: list[str],
    colour: tuple[int, int, int],
    times: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]],
) -> None:
    for number, part in enumerate(body.parts):
        own = [*place, str(number)]
        recording.log(own, rr.Transform3D(translation=part.pose[:3], quaternion=_xyzw(rr, part.pose)), static=True)
        if part.frames is None:
            recording.log(own, _mesh(rr, part, part.vertices, colour), static=True)
            continue
        # The viewer does not interpolate vertices between two frames.
        for at in np.unique(np.concatenate([times[0], part.frames[0]])):
            _at(recording, float(at))
            recording.log(own, _mesh(rr, part, part.at(float(at)), colour))
    keys = body.keys[:, 0]
    if len(keys) == 1:
        pose = body.keys[0, 1:]
        recording.log(place, rr.Transform3D(translation=pose[:3], quaternion=_xyzw(rr, pose)), static=True)
        return
    own_times = np.unique(np.concatenate([*times, keys if len(keys) <= _MOST_KEYS else keys[:1]]))
    poses = body.poses(own_times)
    columns = rr.Transform3D.columns(translation=poses[:, :3], quaternion=poses[:, [4, 5, 6, 3]])
    recording.send_columns(_path(rr, place), indexes=[rr.TimeColumn(_TIMELINE, duration=own_times)], columns=columns)


def _write_contact(rr: Any, recording: Any, contact: _Contact, place: list[str], playback: _Playback) -> None:
    radius, length = 0.01 * playback.size, 0.12 * playback.size
    _at(recording, contact.begin)
    recording.log(
        [*place, "point"], rr.Points3D([contact.point], radii=[radius], colors=[_RED], labels=[contact.label])
    )
    arrow = rr.Arrows3D(vectors=[contact.normal * length], origins=[contact.point], radii=[0.3 * radius], colors=[_RED])
    recording.log([*place, "normal"], arrow)
    if contact.end < playback.end:
        # The viewer shows the last known state until it is cleared. Its times are whole nanoseconds.
        _at(recording, max(contact.end, contact.begin + 2e-9))
        recording.log(place, rr.Clear(recursive=True))


def _mesh(rr: Any, part: _Surface, vertices: npt.NDArray[np.float32], colour: tuple[int, int, int]) -> Any:
    own = part.colour or colour
    normals = _normals(vertices, part.faces)
    return rr.Mesh3D(
        vertex_positions=vertices, triangle_indices=part.faces, vertex_normals=normals, albedo_factor=[*own, 255]
    )


def _normals(vertices: npt.NDArray[np.float32], faces: npt.NDArray[np.uint32]) -> npt.NDArray[np.float32]:
    """Normals of vertices, for shading: the means of their faces' normals, weighted by area."""
    corners = vertices[faces]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros_like(vertices)
    for corner in range(3):
        np.add.at(normals, faces[:, corner], areas)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    np.divide(normals, lengths, out=normals, where=lengths > 0)
    return normals


def _xyzw(rr: Any, pose: npt.NDArray[np.float64]) -> Any:
    """A quaternion in rerun's order."""
    return rr.Quaternion(xyzw=pose[[4, 5, 6, 3]])


def _path(rr: Any, place: list[str]) -> str:
    """Parts of a path joined to one text, with special characters escaped."""
    text: str = rr.new_entity_path(place)
    return text


def _at(recording: Any, when: float) -> None:
    recording.set_time(_TIMELINE, duration=when)
