"""Rows of answers: their fields, and the meaning of their codes."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

VERDICTS: Final = ("clear", "near", "undecided", "contact", "overlapping")
CLEAR: Final = 0
NEAR: Final = 1
UNDECIDED: Final = 2
CONTACT: Final = 3
OVERLAPPING: Final = 4

PREDICTION: Final[np.dtype[Any]] = np.dtype(
    [
        ("verdict", "u1"),
        ("time", "f8", (2,)),
        ("clear_until", "f8"),
        ("kind", "u1"),
        ("a", "i8", (2,)),
        ("b", "i8", (2,)),
        ("point", "f8", (3,)),
        ("normal", "f8", (3,)),
        ("touching", "?"),
    ]
)

EDGE: Final[np.dtype[Any]] = np.dtype(
    [("verdict", "u1"), ("time", "f8", (2,)), ("free", "f8"), ("a", "i4"), ("b", "i4")]
)
