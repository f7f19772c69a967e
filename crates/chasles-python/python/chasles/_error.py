"""The one error about files, and the warning about them."""

from __future__ import annotations

import os


class Error(ValueError):
    """A file that is bad, or cannot be used: ``.file`` names it, ``.line`` says where (from 1), or is None.

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
    """What looks wrong in a file that could be read, or about a path: issued by ``warnings.warn`` when it is found.

    ``.warnings`` of what was read, and of reports, has the same sentences. ``warnings.simplefilter("error",
    chasles.Warning)`` makes errors of them.
    """
