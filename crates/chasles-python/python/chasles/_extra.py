"""What the extras of the package bring."""

from __future__ import annotations

import importlib
from typing import Any


def extra(module: str, name: str) -> Any:
    """A module that an extra of the package brings; without it an ImportError says what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        missing = module.partition(".")[0]
        raise ImportError(f"{missing} is not installed: pip install chasles[{name}]") from error
