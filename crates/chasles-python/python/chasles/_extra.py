"""Modules of the package's extras."""

from __future__ import annotations

import importlib
from typing import Any


def extra(module: str, name: str) -> Any:
    """Imports a module of an extra; if it is missing, an ImportError says what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        missing = module.partition(".")[0]
        raise ImportError(f"{missing} is not installed: pip install chasles[{name}]") from error
