"""The one error about files, and the warning about them."""

from __future__ import annotations

import os


class Error(ValueError):
    """A file that is bad, or cannot be used: ``.file`` is its name, ``.line`` the line (from 1), or None.

    >>> try:
    ...     chasles.Mesh.load("broken.obj")
    ... except chasles.Error as error:
    ...     print(error.line)
    4
    """

    file: str | None
    line: int | None

    def __init__(self, message: str, file: str | os.PathLike[str] | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.file = None if file is None else os.fspath(file)
        self.line = line


class Warning(UserWarning):  # noqa: A001
    """A warning about a file or a path, issued by ``warnings.warn``.

    Scenes, robots and reports have the same sentences in ``.warnings``. ``warnings.simplefilter("error",
    chasles.Warning)`` turns them into errors.
    """
