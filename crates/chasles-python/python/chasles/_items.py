"""The items of ``check_many``, their tables, and the folder that keeps the tables."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import hashlib
import inspect
import json
import os
import queue
import re
import threading
from collections.abc import Callable, Generator, Iterable
from typing import Any

import numpy as np

from chasles import _chasles, _tables
from chasles._error import Error
from chasles._extra import extra
from chasles._rows import _numbers
from chasles._shards import _Cancelled, _Progress, _bytes, _on_workers
from chasles.parquet import _read_table, _replace, _write_table


@dataclasses.dataclass(frozen=True)
class _Item:
    """A scene or a path: its label in results, and its subject: an absolute path, a Scene, or times and joints."""

    label: str
    given: str
    subject: Any

    def check(self, robot: _chasles.Robot | None) -> Callable[..., Any]:
        """The method that checks the item."""
        if robot is None:
            return _chasles.Scene.check
        return _chasles.Robot.check_file if isinstance(self.subject, str) else _chasles.Robot.check_path

    def description(self) -> bytes:
        """Bytes that differ for different items."""
        if isinstance(self.subject, str):
            return repr((self.given, self.subject)).encode("utf-8", "surrogatepass")
        if isinstance(self.subject, _chasles.Scene):
            return _bytes(self.subject)
        are_numbers = all(isinstance(array, np.ndarray) and array.dtype.kind in "iuf" for array in self.subject)
        if not are_numbers:
            return _bytes(self.subject)
        return b"".join(repr((array.dtype.str, array.shape)).encode() + array.tobytes() for array in self.subject)


def _read_items(items: Any, robot: _chasles.Robot | None) -> list[_Item]:
    """The items, after a check of their types."""
    expected = "paths of scene files, or Scenes" if robot is None else "paths of path files, or (times, joints)"
    if isinstance(items, (str, bytes, os.PathLike, dict)) or not isinstance(items, Iterable):
        raise TypeError(f"items: found {type(items).__name__}, expected a list of {expected}")
    entries = []
    for number, item in enumerate(items):
        place = f"items[{number}]"
        path = os.fspath(item) if isinstance(item, (str, os.PathLike)) else None
        if isinstance(path, str):
            entries.append(_Item(_readable(path), path, os.path.abspath(path)))
        elif robot is None and isinstance(item, _chasles.Scene):
            entries.append(_Item(place, "", item))
        elif robot is not None and isinstance(item, (tuple, list)) and len(item) == 2:
            entries.append(_Item(place, "", (_numbers(item[0]), _numbers(item[1]))))
        else:
            raise TypeError(f"{place}: found {type(item).__name__}, expected one of {expected}")
    return entries


def _readable(text: str) -> str:
    """A text for tables, which cannot contain file names that are invalid text."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _options(entries: list[_Item], robot: _chasles.Robot | None, options: dict[str, Any]) -> dict[str, Any]:
    """The given options. Each must be an option of the checks of all items."""
    given = {key: value for key, value in options.items() if value is not None and value is not False}
    if "names" in given:
        names = given["names"]
        if isinstance(names, str) or not all(isinstance(name, str) for name in names):
            raise TypeError("names: expected a list of names of joints")
        given["names"] = list(names)
    checks = {item.check(robot): number for number, item in reversed(list(enumerate(entries)))}
    for check, number in checks.items():
        unknown = next((key for key in given if key not in inspect.signature(check).parameters), None)
        if unknown:
            place = f"{check.__qualname__} of items[{number}]"
            raise TypeError(f"{unknown}: found {given[unknown]!r}, which {place} does not take")
    return given


def _schemas(pa: Any, robot: _chasles.Robot | None) -> tuple[Any, Any]:
    """The schemas of the tables of items and of intervals."""
    joints = [] if robot is None else robot.joints
    fixed = _tables.columns({"pairs": []}, [])
    clash = next((joint for joint in joints if joint in fixed or joint == "item"), None)
    if clash:
        raise ValueError(f"robot: found a joint {clash!r}, which a column of the table is called")
    kinds = {"O": pa.string(), "b": pa.bool_(), "i": pa.int64(), "f": pa.float64()}
    columns = {name: kinds[array.dtype.kind] for name, array in _tables.columns({"pairs": []}, joints).items()}
    words = {name: pa.string() for name in ("item", "verdict", "message")}
    return pa.schema(words), pa.schema({"item": pa.string(), **columns})


class _Check:
    """Checks items, here or on a worker."""

    def __init__(self, robot: _chasles.Robot | None, options: dict[str, Any], threads: int) -> None:
        self.robot, self.options, self.threads = robot, options, threads
        self.pa = extra("pyarrow", "dask")
        self.schemas = _schemas(self.pa, robot)

    def item(self, item: _Item, progress: _Progress | None) -> tuple[Any, Any]:
        """The tables of one item."""
        try:
            report = self._report(item, progress)
            return self._row(item, report.verdict, ""), self._intervals(item, report)
        except (KeyboardInterrupt, SystemExit, _Cancelled):
            raise
        # Any other error concerns only this item, including a panic of the engine, which is no Exception.
        except BaseException as error:
            return self.error(item, str(error) or type(error).__name__)

    def error(self, item: _Item, message: str) -> tuple[Any, Any]:
        """The tables of an item that cannot be checked."""
        if isinstance(item.subject, str) and item.subject != item.given:
            message = message.replace(item.subject, item.given)
        return self._row(item, "error", _readable(message)), self.schemas[1].empty_table()

    def concatenated(self, parts: list[tuple[Any, Any]]) -> tuple[Any, Any]:
        """Tables of several items, one below the other."""
        columns = zip(*parts) if parts else ((), ())
        both = [
            self.pa.concat_tables([schema.empty_table(), *tables]).combine_chunks()
            for schema, tables in zip(self.schemas, columns)
        ]
        return both[0], both[1]

    def _report(self, item: _Item, progress: _Progress | None) -> _chasles.Report:
        settings = {**self.options, "threads": self.threads, "progress": progress}
        if self.robot is None:
            scene = _chasles.Scene.load(item.subject) if isinstance(item.subject, str) else item.subject
            return scene.check(**settings)
        if isinstance(item.subject, str):
            return self.robot.check_file(item.subject, **settings)
        return self.robot.check_path(*item.subject, **settings)

    def _row(self, item: _Item, verdict: str, message: str) -> Any:
        return self.pa.Table.from_pylist(
            [{"item": item.label, "verdict": verdict, "message": message}], schema=self.schemas[0]
        )

    def _intervals(self, item: _Item, report: _chasles.Report) -> Any:
        arrays = report.to_arrays()
        count = len(arrays["a"])
        columns = [self.pa.array([item.label] * count, self.pa.string())]
        for field in list(self.schemas[1])[1:]:
            # A path may name only some joints.
            values = arrays.get(field.name, np.full(count, np.nan))
            columns.append(self.pa.array(values.tolist() if values.dtype == object else values, field.type))
        return self.pa.Table.from_arrays(columns, schema=self.schemas[1])


def _check_locally(
    entries: list[_Item], pieces: Iterable[range], check: _Check, cores: int
) -> Generator[tuple[range, tuple[Any, Any]]]:
    """Checks items in this process, in parallel, one per core. With fewer items than cores, an item uses several."""
    todo = collections.deque(number for piece in pieces for number in piece)
    count = len(todo)
    workers = max(1, min(cores, count))
    check.threads = max(1, cores // workers)
    results: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
    stop = threading.Event()

    def check_stop(done: int, total: int) -> None:
        if stop.is_set():
            raise _Cancelled

    def work() -> None:
        while not stop.is_set():
            try:
                number = todo.popleft()
            except IndexError:
                return
            try:
                results.put((number, check.item(entries[number], check_stop)))
            except BaseException as error:
                results.put((number, error))

    try:
        for _ in range(workers if count else 0):
            threading.Thread(target=work, name="chasles-check", daemon=True).start()
        for _ in range(count):
            while True:
                # With a timeout, because some systems report Ctrl-C only between two waits.
                with contextlib.suppress(queue.Empty):
                    number, tables = results.get(timeout=0.1)
                    break
            if isinstance(tables, BaseException):
                raise tables
            yield range(number, number + 1), tables
    finally:
        stop.set()


def _check_on_cluster(
    client: Any, entries: list[_Item], pieces: Iterable[range], check: _Check
) -> Generator[tuple[range, tuple[Any, Any]]]:
    """Checks items on the workers of a cluster."""
    shared = {} if check.robot is None else {0: check.robot}

    def make_arguments(piece: range) -> dict[str, Any]:
        items = [entries[number] for number in piece]
        return {"items": items, "options": check.options, "threads": check.threads, "is_robot": bool(shared)}

    with contextlib.closing(_on_workers(client, _check_shard, shared, pieces, make_arguments, 1)) as results:
        for piece, result in results:
            is_failure = isinstance(result, Exception)
            yield (
                piece,
                check.error(entries[piece[0]], "no worker survived it: each died that had it in hand")
                if is_failure
                else result,
            )


def _check_shard(arguments: dict[str, Any], shared: dict[int, Any], progress: _Progress | None) -> tuple[Any, Any]:
    """The tables of a shard of items."""
    check = _Check(shared[0] if arguments["is_robot"] else None, arguments["options"], arguments["threads"])
    return check.concatenated([check.item(item, progress) for item in arguments["items"]])


class _ResultFolder:
    """The folder of a batch, with the finished shards."""

    def __init__(self, out: str | os.PathLike[str], schemas: tuple[Any, Any], description: dict[str, Any]) -> None:
        path = os.fspath(out)
        if not isinstance(path, str):
            raise TypeError(f"out: found {type(path).__name__}, expected a path that is text")
        self.path, self.schemas = path, schemas
        os.makedirs(path, exist_ok=True)
        stored_path = os.path.join(path, "batch.json")
        entries = os.listdir(path)
        for entry in entries:
            # A partial file of an interrupted call.
            if re.fullmatch(r"\.((items|intervals)-\d{5,}\.parquet|batch\.json)\.[0-9a-f]{32}\.tmp", entry):
                os.unlink(os.path.join(path, entry))
        if "batch.json" in entries:
            self._compare(stored_path, description)
        elif any(re.fullmatch(r"(items|intervals)-\d{5,}\.parquet", entry) for entry in entries):
            raise self._other("shards, and no batch.json that says of what", "a folder of its own")
        else:
            # NumPy numbers become Python numbers.
            text = json.dumps(description, indent=2, default=lambda number: number.item()) + "\n"
            _replace(stored_path, lambda file: file.write(text.encode()))

    def _compare(self, stored_path: str, description: dict[str, Any]) -> None:
        try:
            with open(stored_path, "rb") as file:
                stored = json.load(file)
        except ValueError as error:
            raise Error(f"{stored_path}: found no JSON: {error}", stored_path) from error
        if not isinstance(stored, dict):
            raise Error(f"{stored_path}: found no description of a batch", stored_path)
        for key, expected in description.items():
            if stored.get(key) != expected:
                raise self._other(f"a batch of other {key} ({stored.get(key)})", f"{expected}, as requested now")

    def _other(self, found: str, expected: str) -> Error:
        return Error(
            f"{self.path}: found {found}, expected {expected}: name another folder, or remove this one", self.path
        )

    def _file(self, kind: str, number: int) -> str:
        return os.path.join(self.path, f"{kind}-{number:05}.parquet")

    def load(self, number: int, labels: list[str]) -> tuple[Any, Any] | None:
        """The tables of a shard; None if the shard is not finished."""
        files = [self._file(kind, number) for kind in ("items", "intervals")]
        if not all(os.path.exists(file) for file in files):
            return None
        items, intervals = (_read_table(file) for file in files)
        for file, table, schema in zip(files, (items, intervals), self.schemas):
            if not table.schema.equals(schema):
                raise Error(
                    f"{file}: found other columns than those of a batch: remove it to have its shard done again", file
                )
        if items["item"].to_pylist() != labels:
            raise Error(
                f"{files[0]}: found other items than its shard has: remove it to have them done again", files[0]
            )
        return items, intervals

    def keep(self, number: int, tables: tuple[Any, Any]) -> None:
        """Writes the tables of a shard. The table of items comes last, and marks the shard as finished."""
        for kind, table in (("intervals", tables[1]), ("items", tables[0])):
            _write_table(table, self._file(kind, number))


def _description(
    entries: list[_Item], robot: _chasles.Robot | None, options: dict[str, Any], shard: int
) -> dict[str, Any]:
    """The description of a batch in its folder. Apart from it, results depend only on the content of files."""
    digest = hashlib.sha256()
    for item in entries:
        description = item.description()
        digest.update(len(description).to_bytes(8, "little") + description)
    return {
        "format": 1,
        "version": _chasles.__version__,
        "robot": None if robot is None else hashlib.sha256(_bytes(robot)).hexdigest(),
        "options": options,
        "shard": shard,
        "count": len(entries),
        "items": digest.hexdigest(),
    }


def _are_equal(one: Any, two: Any) -> bool:
    """Whether two tables are the same to the last bit."""
    if not one.schema.equals(two.schema) or one.num_rows != two.num_rows:
        return False
    for first, second in zip(one.columns, two.columns):
        if str(first.type) == "double":
            # For Arrow a NaN is not equal to another NaN.
            first, second = (column.to_numpy().view(np.int64) for column in (first, second))
            if not np.array_equal(first, second):
                return False
        elif not first.equals(second):
            return False
    return True
