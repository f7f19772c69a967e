"""Rows of arrays: what is one for all, and what is one for each; Dask arrays."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import pickle
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from chasles import _chasles
from chasles._extra import extra
from chasles._shards import _Parcel, _Progress, _bytes, _pack


def _numbers(value: Any) -> Any:
    """An array, which travels well; what is none is told about where it is checked."""
    try:
        return np.asarray(value)
    except ValueError:
        return value


@dataclasses.dataclass(frozen=True)
class _Part:
    """An argument of K rows, or one for all (``count`` is None).

    ``odd``: only the package itself can say what is wrong with it, if anything is.
    """

    value: Any
    count: int | None = None
    odd: bool = False

    @classmethod
    def poses(cls, value: Any, name: str) -> _Part:
        """Poses or screws in any of their forms."""
        if _is_lazy(value):
            return cls.lazy(value, name, [(7,), (4, 4)])
        if value is None or isinstance(value, (_chasles.Pose, _chasles.Screw)):
            return cls(value, None, isinstance(value, _chasles.Screw))
        if isinstance(value, (list, tuple)) and value and isinstance(value[0], (_chasles.Pose, _chasles.Screw)):
            return cls(value, len(value), any(type(own) is not type(value[0]) for own in value))
        if isinstance(value, tuple) and len(value) == 2:
            return cls(value, None, True)
        array = _numbers(value)
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "iuf":
            return cls(value, None, True)
        if array.shape in ((7,), (4, 4)):
            return cls(array, None, not _are_plain(array[None]))
        if array.shape[1:] in ((7,), (4, 4)):
            return cls(array, len(array), not _are_plain(array))
        return cls(value, None, True)

    @classmethod
    def postures(cls, value: Any, name: str, width: int) -> _Part:
        """Postures of a robot."""
        if _is_lazy(value):
            return cls.lazy(value, name, [(width,)])
        array = _numbers(value)
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "iuf":
            return cls(value, None, True)
        if array.shape == (width,):
            return cls(array)
        return cls(array, len(array)) if array.shape[1:] == (width,) else cls(value, None, True)

    @classmethod
    def lazy(cls, value: Any, name: str, shapes: list[tuple[int, ...]]) -> _Part:
        """A Dask array, with one chunk along each axis but the first."""
        if value.dtype.kind not in "iuf":
            raise TypeError(f"{name}: found numbers of dtype {value.dtype}, expected real numbers")
        if any(length != length for length in value.shape):
            message = "found chunks of unknown size, expected known ones: call .compute_chunk_sizes() before"
            raise ValueError(f"{name}: {message}")
        if value.shape[1:] not in shapes:
            expected = " or ".join(f"(K, {', '.join(map(str, shape))})" for shape in shapes)
            raise ValueError(f"{name}: found shape {value.shape}, expected {expected}")
        return cls(value.rechunk({axis: -1 for axis in range(1, value.ndim)}), value.shape[0])

    def rows(self, shard: range) -> Any:
        """What a shard has of it."""
        return self.value if self.count is None else self.value[shard.start : shard.stop]

    def is_screws(self) -> bool:
        """Whether it is a Screw, or begins with one."""
        first = self.value[0] if isinstance(self.value, (list, tuple)) and self.value else self.value
        return isinstance(first, _chasles.Screw)


def _are_plain(poses: npt.NDArray[Any]) -> bool:
    """Whether poses (K, 7) or (K, 4, 4) are good beyond doubt, far from any limit. It need not be told what others
    lack: the package says so, and whether they do."""
    with np.errstate(all="ignore"):
        if poses.ndim == 2:
            norms = np.square(poses[:, 3:], dtype=float).sum(axis=1)
            return bool(np.isfinite(poses).all() and (norms > 1e-6).all() and (norms < 1e6).all())
        turns = poses[:, :3, :3].astype(float)
        off = np.abs(turns.transpose(0, 2, 1) @ turns - np.eye(3)).max(initial=0.0)
        is_right = bool((poses[:, 3] == [0, 0, 0, 1]).all() and (np.linalg.det(turns) > 0.5).all())
        return bool(np.isfinite(poses).all() and off < 1e-7 and is_right)


def _agreed(parts: dict[str, _Part]) -> int | None:
    """How many rows there are; None where something is odd, or numbers of rows differ."""
    counts = {part.count for part in parts.values() if part.count is not None}
    if len(counts) > 1 or any(part.odd for part in parts.values()):
        return None
    return next(iter(counts), 1)


def _specks() -> tuple[_chasles.Body, _chasles.Body]:
    """Two bodies about which questions cost next to nothing: so the package is asked whether arguments are good."""
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    made = [_chasles.Body(_chasles.Mesh(corners + far, [[0, 1, 2]])) for far in (0.0, 1e30)]
    return made[0], made[1]


def _refuse_beyond(robot: _chasles.Robot, ends: dict[str, _Part]) -> None:
    """Refuses postures beyond limits. Limits have some slack, which is the robot's own affair: it is asked about all
    postures that look as if they were beyond."""
    least, most = robot.limits.T
    for name, end in ends.items():
        postures = np.atleast_2d(end.value)
        odd = np.flatnonzero(~((postures >= least) & (postures <= most)).all(axis=1))
        if odd.size:
            try:
                # No posture is this one, so that nothing is computed: it is the second to be looked at.
                robot.edges_free(postures[odd] if end.count is not None else postures[0], np.full(len(least), np.nan))
            except ValueError as error:
                found = re.match(r"q0(\[(\d+)\])?", str(error))
                if found:
                    place = f"[{odd[int(found[2])]}]" if found[1] else ""
                    raise ValueError(f"{name}{place}{str(error)[found.end() :]}") from None
                if not str(error).startswith("q1"):
                    raise


def _check_speck(**options: Any) -> None:
    """The same about options of checks."""
    scene = _chasles.Scene(1.0)
    scene.add("speck", _chasles.Sphere(1.0))
    scene.check(**options)


class _Bodies:
    """The bodies of both sides, each once, and which of them each row has."""

    def __init__(self, a: Any, b: Any) -> None:
        self.all: list[_chasles.Body] = []
        self.known: dict[int, int] = {}
        self.parts = {name: self._side(value, name) for name, value in (("a", a), ("b", b))}

    def _side(self, value: Any, name: str) -> _Part:
        if isinstance(value, (list, tuple)):
            numbers = [self._number(own, f"{name}[{row}]") for row, own in enumerate(value)]
            return _Part(np.array(numbers, dtype=np.int64), len(numbers))
        return _Part(self._number(value, name))

    def _number(self, value: Any, place: str) -> int:
        number = self.known.get(id(value))
        if number is None:
            try:
                body = value if isinstance(value, _chasles.Body) else _chasles.Body(value)
            except TypeError:
                expected = "a Body, a Mesh or a trimesh.Trimesh"
                raise TypeError(f"{place}: found {type(value).__name__}, expected {expected}") from None
            number = self.known[id(value)] = len(self.all)
            self.all.append(body)
        return number

    def numbers(self, shard: range) -> list[int]:
        """Which bodies the rows of a shard have."""
        sides = [np.atleast_1d(part.rows(shard)) for part in self.parts.values()]
        numbers: list[int] = np.unique(np.concatenate(sides)).tolist()
        return numbers

    def of_all(self, shards: Iterable[range]) -> dict[int, _chasles.Body]:
        """Those that stand in more than one shard. The others travel with the one that they are in."""
        seen = collections.Counter(number for shard in shards for number in self.numbers(shard))
        return {number: self.all[number] for number in sorted(seen) if seen[number] > 1}


def _answers(given: dict[str, Any], things: dict[int, Any], look: _Progress | None) -> npt.NDArray[Any]:
    """The answers of a shard of queries."""
    bodies = {**things, **given.get("bodies", {})}
    a, b = (bodies[n] if isinstance(n, int) else [bodies[m] for m in n.tolist()] for n in (given["a"], given["b"]))
    options = {"threads": given["threads"], "progress": look, **given["options"]}
    with _numbered(given["first"]):
        return _chasles.first_contact_many(a, b, given["starts"], given["ends"], **options)


def _free(given: dict[str, Any], things: dict[int, Any], look: _Progress | None) -> npt.NDArray[Any]:
    """The answers of a shard of edges."""
    robot: _chasles.Robot = things[0]
    options = {"threads": given["threads"], "progress": look, **given["options"]}
    with _numbered(given["first"]):
        return robot.edges_free(given["q0"], given["q1"], **options)


@contextlib.contextmanager
def _numbered(first: int) -> Iterator[None]:
    """Tells of rows of a shard by their numbers in the whole, of which it begins with ``first``."""
    try:
        yield
    except (TypeError, ValueError) as error:
        found = re.match(r"(\w+)\[(\d+)\]", str(error))
        if found is None:
            raise
        raise type(error)(f"{found[1]}[{first + int(found[2])}]{str(error)[found.end() :]}") from None


# Dask arrays.


def _is_lazy(value: Any) -> bool:
    """Whether it is a Dask array. Whoever has one has imported Dask."""
    arrays = sys.modules.get("dask.array")
    return arrays is not None and isinstance(value, arrays.Array)


def _lazy(
    answers: Callable[..., npt.NDArray[Any]],
    parts: dict[str, _Part],
    things: dict[int, Any],
    how: dict[str, Any],
    dtype: np.dtype[Any],
) -> Any:
    """The answers as a Dask array, a block of them for each block of rows."""
    da, delayed = extra("dask.array", "dask"), extra("dask", "dask").delayed
    first = next(name for name, part in parts.items() if _is_lazy(part.value))
    count, chunks = parts[first].count, parts[first].value.chunks[0]
    axes: list[Any] = []
    names, rest = [], {}
    for name, part in parts.items():
        if part.count not in (None, count):
            raise ValueError(f"{name}: found {part.count}, expected {count} as {first} has")
        value = part.value
        if part.count is not None and isinstance(value, np.ndarray):
            value = da.from_array(value, chunks=(chunks, *value.shape[1:]))
        if _is_lazy(value):
            names.append(name)
            # Letters of axes: that of the rows, and others that no other array has.
            axes += [value, (0, *(10 * len(names) + axis for axis in range(1, value.ndim)))]
        else:
            rest[name] = part
    axes += [da.arange(count, chunks=(chunks,), dtype=np.int64), (0,)]
    return da.blockwise(
        _block,
        (0,),
        *axes,
        answers=answers,
        names=names,
        rest=_bytes((rest, how)),
        parcel=delayed(_Parcel, pure=True)(_pack(things)),
        concatenate=True,
        dtype=dtype,
        meta=np.empty(0, dtype),
        token="chasles" + answers.__name__,
    )


def _block(
    *arrays: npt.NDArray[Any],
    answers: Callable[..., npt.NDArray[Any]],
    names: list[str],
    rest: bytes,
    parcel: _Parcel,
) -> npt.NDArray[Any]:
    """The answers of one block; the last array has the numbers of its rows."""
    others, how = pickle.loads(rest)
    first, count = int(arrays[-1][0]) if len(arrays[-1]) else 0, len(arrays[-1])
    rest_of = {name: part.rows(range(first, first + count)) for name, part in others.items()}
    return answers({**how, **rest_of, **dict(zip(names, arrays)), "first": first}, parcel.value(), None)
