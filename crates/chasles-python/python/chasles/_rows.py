"""Arguments with a value for each row or one value for all rows, and Dask arrays."""

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
from chasles._shards import _Payload, _Progress, _bytes, _pack


def _numbers(value: Any) -> Any:
    """An array, which is fast to send. A value that is no array stays unchanged, and a later check rejects it."""
    try:
        return np.asarray(value)
    except ValueError:
        return value


@dataclasses.dataclass(frozen=True)
class _RowArgument:
    """An argument of K rows, or one for all (``count`` is None).

    ``is_irregular``: only the package itself can check the value.
    """

    value: Any
    count: int | None = None
    is_irregular: bool = False

    @classmethod
    def poses(cls, value: Any, name: str) -> _RowArgument:
        """Poses or screws in any of their forms."""
        if _is_dask_array(value):
            return cls.dask_array(value, name, [(7,), (4, 4)])
        if value is None or isinstance(value, (_chasles.Pose, _chasles.Screw)):
            return cls(value, None, isinstance(value, _chasles.Screw))
        if isinstance(value, (list, tuple)) and value and isinstance(value[0], (_chasles.Pose, _chasles.Screw)):
            return cls(value, len(value), any(type(item) is not type(value[0]) for item in value))
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
    def configurations(cls, value: Any, name: str, width: int) -> _RowArgument:
        """Configurations of a robot."""
        if _is_dask_array(value):
            return cls.dask_array(value, name, [(width,)])
        array = _numbers(value)
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "iuf":
            return cls(value, None, True)
        if array.shape == (width,):
            return cls(array)
        return cls(array, len(array)) if array.shape[1:] == (width,) else cls(value, None, True)

    @classmethod
    def dask_array(cls, value: Any, name: str, shapes: list[tuple[int, ...]]) -> _RowArgument:
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
        """The rows of a shard."""
        return self.value if self.count is None else self.value[shard.start : shard.stop]

    def is_screws(self) -> bool:
        """Whether the value is a Screw, or a list that begins with a Screw."""
        first = self.value[0] if isinstance(self.value, (list, tuple)) and self.value else self.value
        return isinstance(first, _chasles.Screw)


def _are_plain(poses: npt.NDArray[Any]) -> bool:
    """Whether poses (K, 7) or (K, 4, 4) are certainly valid, far from any limit. The package checks all others."""
    with np.errstate(all="ignore"):
        if poses.ndim == 2:
            norms = np.square(poses[:, 3:], dtype=float).sum(axis=1)
            return bool(np.isfinite(poses).all() and (norms > 1e-6).all() and (norms < 1e6).all())
        turns = poses[:, :3, :3].astype(float)
        deviation = np.abs(turns.transpose(0, 2, 1) @ turns - np.eye(3)).max(initial=0.0)
        is_right = bool((poses[:, 3] == [0, 0, 0, 1]).all() and (np.linalg.det(turns) > 0.5).all())
        return bool(np.isfinite(poses).all() and deviation < 1e-7 and is_right)


def _row_count(parts: dict[str, _RowArgument]) -> int | None:
    """The number of rows. None: an argument is irregular, or numbers of rows differ."""
    counts = {part.count for part in parts.values() if part.count is not None}
    if len(counts) > 1 or any(part.is_irregular for part in parts.values()):
        return None
    return next(iter(counts), 1)


def _tiny_bodies() -> tuple[_chasles.Body, _chasles.Body]:
    """Two bodies whose queries are very fast. With these the package checks arguments."""
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    made = [_chasles.Body(_chasles.Mesh(corners + far, [[0, 1, 2]])) for far in (0.0, 1e30)]
    return made[0], made[1]


def _refuse_beyond(robot: _chasles.Robot, parts: dict[str, _RowArgument]) -> None:
    """Rejects configurations beyond limits. The robot itself decides about all configurations that seem to be beyond,
    because its limits have some slack."""
    lower, upper = robot.limits.T
    for name, part in parts.items():
        values = np.atleast_2d(part.value)
        suspects = np.flatnonzero(~((values >= lower) & (values <= upper)).all(axis=1))
        if suspects.size:
            try:
                # The robot reads q0 first and refuses NaN in q1, so no edge is computed.
                rows = values[suspects] if part.count is not None else values[0]
                robot.check_edges(rows, np.full(len(lower), np.nan))
            except ValueError as error:
                found = re.match(r"q0(\[(\d+)\])?", str(error))
                if found:
                    place = f"[{suspects[int(found[2])]}]" if found[1] else ""
                    raise ValueError(f"{name}{place}{str(error)[found.end() :]}") from None
                if not str(error).startswith("q1"):
                    raise


def _check_options(**options: Any) -> None:
    """Checks the options of checks, on a tiny scene."""
    scene = _chasles.Scene(1.0)
    scene.add("speck", _chasles.Sphere(1.0))
    scene.check(**options)


class _Bodies:
    """The bodies of both sides, each once, and the numbers of the bodies of each row."""

    def __init__(self, a: Any, b: Any) -> None:
        self.all: list[_chasles.Body] = []
        self.known: dict[int, int] = {}
        self.parts = {name: self._side(value, name) for name, value in (("a", a), ("b", b))}

    def _side(self, value: Any, name: str) -> _RowArgument:
        if isinstance(value, (list, tuple)):
            numbers = [self._number(item, f"{name}[{row}]") for row, item in enumerate(value)]
            return _RowArgument(np.array(numbers, dtype=np.int64), len(numbers))
        return _RowArgument(self._number(value, name))

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
        """The numbers of the bodies of a shard."""
        sides = [np.atleast_1d(part.rows(shard)) for part in self.parts.values()]
        numbers: list[int] = np.unique(np.concatenate(sides)).tolist()
        return numbers

    def shared(self, shards: Iterable[range]) -> dict[int, _chasles.Body]:
        """The bodies of more than one shard. The other bodies are sent with their shard."""
        seen = collections.Counter(number for shard in shards for number in self.numbers(shard))
        return {number: self.all[number] for number in sorted(seen) if seen[number] > 1}


def _first_contacts(arguments: dict[str, Any], shared: dict[int, Any], progress: _Progress | None) -> npt.NDArray[Any]:
    """The results of a shard of queries."""
    bodies = {**shared, **arguments.get("bodies", {})}
    sides = (arguments["a"], arguments["b"])
    a, b = (bodies[n] if isinstance(n, int) else [bodies[m] for m in n.tolist()] for n in sides)
    options = {"threads": arguments["threads"], "progress": progress, **arguments["options"]}
    with _numbered_in_whole(arguments["first"]):
        return _chasles.first_contact_many(a, b, arguments["starts"], arguments["ends"], **options)


def _robot_results(arguments: dict[str, Any], shared: dict[int, Any], progress: _Progress | None) -> npt.NDArray[Any]:
    """The results of one method of the robot, for a shard of edges or configurations."""
    method = getattr(shared[0], arguments["method"])
    options = {"threads": arguments["threads"], "progress": progress, **arguments["options"]}
    with _numbered_in_whole(arguments["first"]):
        results: npt.NDArray[Any] = method(**{name: arguments[name] for name in arguments["names"]}, **options)
    return results


@contextlib.contextmanager
def _numbered_in_whole(first: int) -> Iterator[None]:
    """Changes row numbers in errors from numbers in a shard to numbers in the whole array. The shard starts at row
    ``first``."""
    try:
        yield
    except (TypeError, ValueError) as error:
        found = re.match(r"(\w+)\[(\d+)\]", str(error))
        if found is None:
            raise
        raise type(error)(f"{found[1]}[{first + int(found[2])}]{str(error)[found.end() :]}") from None


# Dask arrays.


def _is_dask_array(value: Any) -> bool:
    """Whether a value is a Dask array. If Dask is not imported, no value is one."""
    arrays = sys.modules.get("dask.array")
    return arrays is not None and isinstance(value, arrays.Array)


def _dask_array(
    compute: Callable[..., npt.NDArray[Any]],
    parts: dict[str, _RowArgument],
    shared: dict[int, Any],
    settings: dict[str, Any],
    dtype: np.dtype[Any],
) -> Any:
    """The results as a Dask array, with one block for each block of rows."""
    da, delayed = extra("dask.array", "dask"), extra("dask", "dask").delayed
    first = next(name for name, part in parts.items() if _is_dask_array(part.value))
    count, chunks = parts[first].count, parts[first].value.chunks[0]
    axes: list[Any] = []
    names, constants = [], {}
    for name, part in parts.items():
        if part.count not in (None, count):
            raise ValueError(f"{name}: found {part.count}, expected {count} as {first} has")
        value = part.value
        if part.count is not None and isinstance(value, np.ndarray):
            value = da.from_array(value, chunks=(chunks, *value.shape[1:]))
        if _is_dask_array(value):
            names.append(name)
            # Axis 0 is the rows. All other axes have numbers of their own.
            axes += [value, (0, *(10 * len(names) + axis for axis in range(1, value.ndim)))]
        else:
            constants[name] = part
    axes += [da.arange(count, chunks=(chunks,), dtype=np.int64), (0,)]
    return da.blockwise(
        _block,
        (0,),
        *axes,
        compute=compute,
        names=names,
        constants=_bytes((constants, settings)),
        payload=delayed(_Payload, pure=True)(_pack(shared)),
        concatenate=True,
        dtype=dtype,
        meta=np.empty(0, dtype),
        token="chasles" + compute.__name__,
    )


def _block(
    *arrays: npt.NDArray[Any],
    compute: Callable[..., npt.NDArray[Any]],
    names: list[str],
    constants: bytes,
    payload: _Payload,
) -> npt.NDArray[Any]:
    """The results of one block. The last array has the numbers of its rows."""
    others, settings = pickle.loads(constants)
    first, count = int(arrays[-1][0]) if len(arrays[-1]) else 0, len(arrays[-1])
    rest_of = {name: part.rows(range(first, first + count)) for name, part in others.items()}
    return compute({**settings, **rest_of, **dict(zip(names, arrays)), "first": first}, payload.value(), None)
