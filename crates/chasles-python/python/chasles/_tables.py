"""Reports as columns, and values as JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from chasles._extra import extra

_WORDS = ("a", "b", "verdict", "kind", "why")
_NAMES = (
    "a b verdict interval enter_lo enter_hi exit_lo exit_hi kind touching point_x point_y point_z"
    " normal_x normal_y normal_z gap gap_at_least deviation why segment"
).split()
_NAN = float("nan")


def columns(report: dict[str, Any], joints: list[str]) -> dict[str, npt.NDArray[Any]]:
    """The columns of a report, one row per interval, or per pair without intervals."""
    rows: list[list[Any]] = []
    for pair in report["pairs"]:
        for number, interval in enumerate(pair.get("intervals") or [None]):
            rows.append(_row(pair, number, interval, joints))
    named = [*_NAMES, *joints]
    cells = list(zip(*rows)) if rows else [()] * len(named)
    return {name: _array(name, list(column)) for name, column in zip(named, cells)}


def _row(pair: dict[str, Any], number: int, interval: dict[str, Any] | None, joints: list[str]) -> list[Any]:
    span = interval or {}
    contact = span.get("contact") or {}
    values = span.get("joints") or {}
    return [
        pair["a"],
        pair["b"],
        pair["verdict"],
        -1 if interval is None else number,
        *(span.get("enter") or (_NAN, _NAN)),
        *(span.get("exit") or (_NAN, _NAN)),
        contact.get("kind", ""),
        bool(span.get("touching", False)),
        *contact.get("point", (_NAN,) * 3),
        *contact.get("normal", (_NAN,) * 3),
        pair.get("gap", _NAN),
        pair.get("gap_at_least", _NAN),
        pair["deviation"],
        pair.get("why", ""),
        span.get("segment", -1),
        *(values.get(joint, _NAN) for joint in joints),
    ]


def _array(name: str, column: list[Any]) -> npt.NDArray[Any]:
    if name in _WORDS:
        return np.array(column, dtype=object)
    if name == "touching":
        return np.array(column, dtype=bool)
    return np.array(column, dtype=np.int64 if name in ("interval", "segment") else np.float64)


def frame(arrays: dict[str, npt.NDArray[Any]], library: str) -> Any:
    """The same as a data frame."""
    if library != "pandas":
        raise ValueError(f"library: found {library!r}, expected 'pandas'")
    return extra("pandas", "pandas").DataFrame(arrays)


def collisions(report: dict[str, Any]) -> dict[str, npt.NDArray[Any]]:
    """The collisions of a screen as columns."""
    found = report["collisions"]
    count = len(found)
    return {
        "kind": np.array([own["kind"] for own in found], dtype=object),
        "a": np.array([[*own["a"], -1, -1][:2] for own in found], dtype=np.int64).reshape(count, 2),
        "b": np.array([[*own["b"], -1, -1][:2] for own in found], dtype=np.int64).reshape(count, 2),
        "time": np.array([own["time"] for own in found], dtype=np.float64).reshape(count, 2),
        "point": np.array([own["point"] for own in found], dtype=np.float64).reshape(count, 3),
        "normal": np.array([own["normal"] for own in found], dtype=np.float64).reshape(count, 3),
        "properness": np.array([own["properness"] for own in found], dtype=np.float64),
        "proper": np.array([own["proper"] for own in found], dtype=bool),
        "from": np.array([own.get("from") or "" for own in found], dtype=object),
    }


def text(value: Any, place: str) -> str:
    """A value as JSON, arrays as lists."""

    def listed(own: Any) -> Any:
        if isinstance(own, (np.ndarray, np.generic)):
            return own.tolist()
        raise TypeError(f"{place}: found {type(own).__name__} within, expected dicts, lists, arrays, texts and numbers")

    return json.dumps(value, default=listed)
