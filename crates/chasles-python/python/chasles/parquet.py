"""Parquet files of answers, bit for bit: the results of ``first_contact_many`` and ``edges_first_contact``.

Other programs read the files as tables: one column per field, one row per answer; ``time``, ``point`` and the like are
lists of a fixed length. Needs pyarrow: ``pip install chasles[parquet]``.

>>> answers = chasles.first_contact_many(cube, cube, starts, ends)
>>> chasles.parquet.write(answers, "answers.parquet")
>>> chasles.parquet.read("answers.parquet").tobytes() == answers.tobytes()
True
"""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Callable
from typing import IO, Any, Final

import numpy as np
import numpy.typing as npt

from chasles._dtypes import EDGE, PREDICTION
from chasles._error import Error
from chasles._extra import extra

__all__ = ["read", "write"]

_DTYPES: Final = {"PREDICTION": PREDICTION, "EDGE": EDGE}


def write(array: npt.NDArray[Any], path: str | os.PathLike[str]) -> None:
    """Writes answers to a Parquet file.

    ``array`` (K,), of dtype ``PREDICTION`` or ``EDGE``, with any strides; its times are in seconds (or fractions of an
    edge) and its lengths in metres, as the dtypes specify. A file under its final name is complete: the data is written
    to a temporary file first, which then replaces an older file.

    Guarantee: ``read`` returns the same bits, including NaN and negative zero. Pages carry checksums, so a file that is
    damaged later is rejected.

    Another dtype: TypeError; another shape: ValueError; a missing folder: FileNotFoundError; no pyarrow: ImportError.
    """
    pa = _pyarrow("pyarrow")
    if not isinstance(array, np.ndarray):
        raise TypeError(f"array: found {type(array).__name__}, expected a NumPy array of dtype PREDICTION or EDGE")
    name = next((name for name, dtype in _DTYPES.items() if array.dtype == dtype), None)
    if name is None:
        raise TypeError(f"array: found dtype {array.dtype}, expected chasles.PREDICTION or chasles.EDGE")
    if array.ndim != 1:
        raise ValueError(f"array: found shape {array.shape}, expected (K,)")
    schema = _schema(pa, array.dtype).with_metadata({"chasles": name})
    columns = [_column(pa, array[field.name], field.type) for field in schema]
    _write_table(pa.Table.from_arrays(columns, schema=schema), path)


def read(path: str | os.PathLike[str]) -> npt.NDArray[Any]:
    """Reads answers from a Parquet file that ``write`` wrote: an array (K,) of dtype ``PREDICTION`` or ``EDGE``.

    Guarantee: the bits are those that were written. Columns beside those of the dtype are left out, so a file that
    another program has added to will do.

    A file that is not there: FileNotFoundError; one that is damaged, or holds something else: ``chasles.Error`` with
    ``.file``; no pyarrow: ImportError.
    """
    pa = _pyarrow("pyarrow")
    table = _read_table(path)
    missing = {name: [f for f in dtype.names or () if f not in table.column_names] for name, dtype in _DTYPES.items()}
    name = min(missing, key=lambda name: len(missing[name]))
    if missing[name]:
        raise _bad(
            path, f"found no column {missing[name][0]!r}, expected the fields of chasles.PREDICTION or chasles.EDGE"
        )
    dtype = _DTYPES[name]
    array = np.empty(table.num_rows, dtype)
    for field in _schema(pa, dtype):
        if table.schema.get_all_field_indices(field.name)[1:]:
            raise _bad(path, f"found two columns {field.name!r}, expected one")
        array[field.name] = _values(pa, table[field.name].combine_chunks(), field, array[field.name].shape, path)
    return array


def _write_table(table: Any, path: str | os.PathLike[str]) -> None:
    """Writes a table of pyarrow. A file under its final name is complete, and the bits of all numbers are kept."""
    pq = _pyarrow("pyarrow.parquet")
    words = [field.name for field in table.schema if str(field.type) == "string"]
    # A dictionary would merge all NaN into one value, so only columns of words have one.
    options = {"use_dictionary": words, "write_page_checksum": True, "store_schema": True}
    _replace(path, lambda file: pq.write_table(table, file, **options))


def _read_table(path: str | os.PathLike[str]) -> Any:
    """Reads a table of pyarrow. A missing file: FileNotFoundError; a file that is not Parquet: ``chasles.Error``."""
    pq = _pyarrow("pyarrow.parquet")
    # Opened here, so that errors of opening a file differ from errors of reading it.
    with open(os.fspath(path), "rb") as file:
        try:
            return pq.ParquetFile(file, page_checksum_verification=True).read()
        # pyarrow raises errors of several types for damage, including the system's own.
        except Exception as error:
            raise _bad(path, f"found no Parquet file that can be read: {error}") from error


def _replace(path: str | os.PathLike[str], write_to: Callable[[IO[bytes]], object]) -> None:
    """Writes a file atomically: under its final name it is complete, or does not exist.

    The data is written under another name in the same folder, and flushed to the disk.
    """
    folder, name = os.path.split(os.path.abspath(os.fspath(path)))
    temporary = os.path.join(folder, f".{name}.{uuid.uuid4().hex}.tmp")
    try:
        with open(temporary, "xb") as file:
            write_to(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, os.path.join(folder, name))
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.filename == temporary:
            # The error names the file that the caller named.
            error.filename, error.filename2 = os.fspath(path), None
        raise
    if os.name == "posix":
        # The name is stored in the folder, which must be flushed too.
        with contextlib.suppress(OSError):
            own = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(own)
            finally:
                os.close(own)


def _schema(pa: Any, dtype: np.dtype[Any]) -> Any:
    """The columns of a dtype."""
    fields = []
    for name in dtype.names or ():
        base, shape = dtype[name].base, dtype[name].shape
        kind = pa.from_numpy_dtype(base)
        fields.append(
            pa.field(
                name, pa.list_(pa.field("element", kind, nullable=False), shape[0]) if shape else kind, nullable=False
            )
        )
    return pa.schema(fields)


def _column(pa: Any, values: npt.NDArray[Any], kind: Any) -> Any:
    """A field of an array as a column."""
    flat = pa.array(np.ascontiguousarray(values).reshape(-1))
    return flat if values.ndim == 1 else pa.FixedSizeListArray.from_arrays(flat, type=kind)


def _values(pa: Any, column: Any, field: Any, shape: tuple[int, ...], path: str | os.PathLike[str]) -> npt.NDArray[Any]:
    """A column as a field of an array."""
    if column.null_count:
        raise _bad(path, f"column {field.name!r}: found nothing in {column.null_count} rows, expected a value in each")
    if len(shape) == 2:
        # Other programs that rewrite such a file may turn lists of fixed length into lists of any length.
        is_list = (
            pa.types.is_fixed_size_list(column.type)
            or pa.types.is_list(column.type)
            or pa.types.is_large_list(column.type)
        )
        if not is_list:
            raise _bad(path, f"column {field.name!r}: found {column.type}, expected lists of {shape[1]} numbers")
        lengths = pa.compute.list_value_length(column).to_numpy(zero_copy_only=False)
        if (lengths != shape[1]).any():
            raise _bad(
                path, f"column {field.name!r}: found a list of another length, expected {shape[1]} numbers in each"
            )
        column, kind = column.flatten(), field.type.value_type
    else:
        kind = field.type
    if column.type != kind or column.null_count:
        found = f"{column.type} with gaps" if column.null_count else f"{column.type}"
        raise _bad(path, f"column {field.name!r}: found {found}, expected {kind}")
    numbers: npt.NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return numbers.reshape(shape)


def _bad(path: str | os.PathLike[str], message: str) -> Error:
    return Error(f"{os.fspath(path)}: {message}", path)


def _pyarrow(module: str) -> Any:
    extra("pyarrow.compute", "parquet")
    return extra(module, "parquet")
