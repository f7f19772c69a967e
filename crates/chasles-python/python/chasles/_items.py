"""What is asked of ``check_many``: items, their tables, and the folder that keeps them."""

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
from chasles._shards import _Progress, _Unwanted, _bytes, _on_workers
from chasles.parquet import _read_table, _replace, _write_table


@dataclasses.dataclass(frozen=True)
class _Item:
    """A scene or a path: how answers call it, and what it is: an absolute path, a Scene, or times and joints."""

    label: str
    given: str
    what: Any

    def check(self, robot: _chasles.Robot | None) -> Callable[..., Any]:
        """What is called to check it."""
        if robot is None:
            return _chasles.Scene.check
        return _chasles.Robot.check_file if isinstance(self.what, str) else _chasles.Robot.check_path

    def meaning(self) -> bytes:
        """What makes it another item, where it differs."""
        if isinstance(self.what, str):
            return repr((self.given, self.what)).encode("utf-8", "surrogatepass")
        if isinstance(self.what, _chasles.Scene):
            return _bytes(self.what)
        are_numbers = all(isinstance(array, np.ndarray) and array.dtype.kind in "iuf" for array in self.what)
        if not are_numbers:
            return _bytes(self.what)
        return b"".join(repr((array.dtype.str, array.shape)).encode() + array.tobytes() for array in self.what)


def _asked(items: Any, robot: _chasles.Robot | None) -> list[_Item]:
    """The items, each of a kind that can be checked."""
    expected = "paths of scene files, or Scenes" if robot is None else "paths of path files, or (times, joints)"
    if isinstance(items, (str, bytes, os.PathLike, dict)) or not isinstance(items, Iterable):
        raise TypeError(f"items: found {type(items).__name__}, expected a list of {expected}")
    asked = []
    for number, item in enumerate(items):
        place = f"items[{number}]"
        path = os.fspath(item) if isinstance(item, (str, os.PathLike)) else None
        if isinstance(path, str):
            asked.append(_Item(_readable(path), path, os.path.abspath(path)))
        elif robot is None and isinstance(item, _chasles.Scene):
            asked.append(_Item(place, "", item))
        elif robot is not None and isinstance(item, (tuple, list)) and len(item) == 2:
            asked.append(_Item(place, "", (_numbers(item[0]), _numbers(item[1]))))
        else:
            raise TypeError(f"{place}: found {type(item).__name__}, expected one of {expected}")
    return asked


def _readable(text: str) -> str:
    """A text for tables, which take no names of files that are no text."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _options(asked: list[_Item], robot: _chasles.Robot | None, options: dict[str, Any]) -> dict[str, Any]:
    """The options that are given, each of which all these items take."""
    given = {key: value for key, value in options.items() if value is not None and value is not False}
    if "names" in given:
        names = given["names"]
        if isinstance(names, str) or not all(isinstance(name, str) for name in names):
            raise TypeError("names: expected a list of names of joints")
        given["names"] = list(names)
    checks = {item.check(robot): number for number, item in reversed(list(enumerate(asked)))}
    for check, number in checks.items():
        odd = next((key for key in given if key not in inspect.signature(check).parameters), None)
        if odd:
            raise TypeError(f"{odd}: found {given[odd]!r}, which {check.__qualname__} of items[{number}] does not take")
    return given


def _schemas(pa: Any, robot: _chasles.Robot | None) -> tuple[Any, Any]:
    """What columns the tables of items and of intervals have."""
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
    """How items are checked, wherever that is."""

    def __init__(self, robot: _chasles.Robot | None, options: dict[str, Any], threads: int) -> None:
        self.robot, self.options, self.threads = robot, options, threads
        self.pa = extra("pyarrow", "dask")
        self.schemas = _schemas(self.pa, robot)

    def item(self, item: _Item, look: _Progress | None) -> tuple[Any, Any]:
        """The tables of one item."""
        try:
            report = self._report(item, look)
            return self._row(item, report.verdict, ""), self._intervals(item, report)
        except (KeyboardInterrupt, SystemExit, _Unwanted):
            raise
        # All else is the item's own, a panic of the engine too, which is no Exception: the other items go on.
        except BaseException as error:
            return self.error(item, str(error) or type(error).__name__)

    def error(self, item: _Item, message: str) -> tuple[Any, Any]:
        """The tables of an item that cannot be checked."""
        if isinstance(item.what, str) and item.what != item.given:
            message = message.replace(item.what, item.given)
        return self._row(item, "error", _readable(message)), self.schemas[1].empty_table()

    def whole(self, parts: list[tuple[Any, Any]]) -> tuple[Any, Any]:
        """Tables of several items, one below the other."""
        columns = zip(*parts) if parts else ((), ())
        both = [
            self.pa.concat_tables([s.empty_table(), *own]).combine_chunks() for s, own in zip(self.schemas, columns)
        ]
        return both[0], both[1]

    def _report(self, item: _Item, look: _Progress | None) -> _chasles.Report:
        how = {**self.options, "threads": self.threads, "progress": look}
        if self.robot is None:
            scene = _chasles.Scene.load(item.what) if isinstance(item.what, str) else item.what
            return scene.check(**how)
        if isinstance(item.what, str):
            return self.robot.check_file(item.what, **how)
        return self.robot.check_path(*item.what, **how)

    def _row(self, item: _Item, verdict: str, message: str) -> Any:
        return self.pa.Table.from_pylist(
            [{"item": item.label, "verdict": verdict, "message": message}], schema=self.schemas[0]
        )

    def _intervals(self, item: _Item, report: _chasles.Report) -> Any:
        arrays = report.to_arrays()
        count = len(arrays["a"])
        columns = [self.pa.array([item.label] * count, self.pa.string())]
        for field in list(self.schemas[1])[1:]:
            # A path need not name all joints.
            values = arrays.get(field.name, np.full(count, np.nan))
            columns.append(self.pa.array(values.tolist() if values.dtype == object else values, field.type))
        return self.pa.Table.from_arrays(columns, schema=self.schemas[1])


def _here(
    asked: list[_Item], pieces: Iterable[range], check: _Check, cores: int
) -> Generator[tuple[range, tuple[Any, Any]]]:
    """Checks items in this process, as many at a time as there are cores; where items are few, each has several."""
    todo = collections.deque(number for piece in pieces for number in piece)
    count = len(todo)
    workers = max(1, min(cores, count))
    check.threads = max(1, cores // workers)
    found: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
    stop = threading.Event()

    def look(done: int, total: int) -> None:
        if stop.is_set():
            raise _Unwanted

    def work() -> None:
        while not stop.is_set():
            try:
                number = todo.popleft()
            except IndexError:
                return
            try:
                found.put((number, check.item(asked[number], look)))
            except BaseException as error:
                found.put((number, error))

    try:
        for _ in range(workers if count else 0):
            threading.Thread(target=work, name="chasles-check", daemon=True).start()
        for _ in range(count):
            while True:
                # With a limit, because some systems tell of Ctrl-C only between two waits.
                with contextlib.suppress(queue.Empty):
                    number, tables = found.get(timeout=0.1)
                    break
            if isinstance(tables, BaseException):
                raise tables
            yield range(number, number + 1), tables
    finally:
        stop.set()


def _there(
    client: Any, asked: list[_Item], pieces: Iterable[range], check: _Check
) -> Generator[tuple[range, tuple[Any, Any]]]:
    """Checks items on the workers of a cluster."""
    things = {} if check.robot is None else {0: check.robot}

    def make(piece: range) -> dict[str, Any]:
        own = [asked[number] for number in piece]
        return {"items": own, "options": check.options, "threads": check.threads, "is_robot": bool(things)}

    with contextlib.closing(_on_workers(client, _items, things, pieces, make, 1)) as found:
        for piece, result in found:
            is_deadly = isinstance(result, Exception)
            yield (
                piece,
                check.error(asked[piece[0]], "no worker survived it: each died that had it in hand")
                if is_deadly
                else result,
            )


def _items(given: dict[str, Any], things: dict[int, Any], look: _Progress | None) -> tuple[Any, Any]:
    """The tables of a shard of items."""
    check = _Check(things[0] if given["is_robot"] else None, given["options"], given["threads"])
    return check.whole([check.item(item, look) for item in given["items"]])


class _Folder:
    """The folder of a batch, with the shards that are done."""

    def __init__(self, out: str | os.PathLike[str], schemas: tuple[Any, Any], meaning: dict[str, Any]) -> None:
        path = os.fspath(out)
        if not isinstance(path, str):
            raise TypeError(f"out: found {type(path).__name__}, expected a path that is text")
        self.path, self.schemas = path, schemas
        os.makedirs(path, exist_ok=True)
        memory = os.path.join(path, "batch.json")
        entries = os.listdir(path)
        for entry in entries:
            # What a call that was cut off has left: half a file, under a name that means nothing.
            if re.fullmatch(r"\.((items|intervals)-\d{5,}\.parquet|batch\.json)\.[0-9a-f]{32}\.tmp", entry):
                os.unlink(os.path.join(path, entry))
        if "batch.json" in entries:
            self._compare(memory, meaning)
        elif any(re.fullmatch(r"(items|intervals)-\d{5,}\.parquet", entry) for entry in entries):
            raise self._other("shards, and no batch.json that says of what", "a folder of its own")
        else:
            # NumPy's numbers are those of Python to it.
            text = json.dumps(meaning, indent=2, default=lambda number: number.item()) + "\n"
            _replace(memory, lambda file: file.write(text.encode()))

    def _compare(self, memory: str, meaning: dict[str, Any]) -> None:
        try:
            with open(memory, "rb") as file:
                known = json.load(file)
        except ValueError as error:
            raise Error(f"{memory}: found no JSON: {error}", memory) from error
        if not isinstance(known, dict):
            raise Error(f"{memory}: found no description of a batch", memory)
        for key, expected in meaning.items():
            if known.get(key) != expected:
                raise self._other(f"a batch of other {key} ({known.get(key)})", f"{expected}, as is asked now")

    def _other(self, found: str, expected: str) -> Error:
        return Error(
            f"{self.path}: found {found}, expected {expected}: name another folder, or remove this one", self.path
        )

    def _file(self, kind: str, number: int) -> str:
        return os.path.join(self.path, f"{kind}-{number:05}.parquet")

    def load(self, number: int, labels: list[str]) -> tuple[Any, Any] | None:
        """The tables of a shard, where it is done."""
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
        """Writes the tables of a shard, that of its items last: where they are, the shard is done."""
        for kind, table in (("intervals", tables[1]), ("items", tables[0])):
            _write_table(table, self._file(kind, number))


def _meaning(asked: list[_Item], robot: _chasles.Robot | None, options: dict[str, Any], shard: int) -> dict[str, Any]:
    """What a folder remembers of a batch. No result depends on anything else but what is in files."""
    digest = hashlib.sha256()
    for item in asked:
        meaning = item.meaning()
        digest.update(len(meaning).to_bytes(8, "little") + meaning)
    return {
        "format": 1,
        "version": _chasles.__version__,
        "robot": None if robot is None else hashlib.sha256(_bytes(robot)).hexdigest(),
        "options": options,
        "shard": shard,
        "count": len(asked),
        "items": digest.hexdigest(),
    }


def _same(one: Any, two: Any) -> bool:
    """Whether two tables are the same to the last bit."""
    if not one.schema.equals(two.schema) or one.num_rows != two.num_rows:
        return False
    for first, second in zip(one.columns, two.columns):
        if str(first.type) == "double":
            # Arrow takes no NaN for the same as another.
            first, second = (column.to_numpy().view(np.int64) for column in (first, second))
            if not np.array_equal(first, second):
                return False
        elif not first.equals(second):
            return False
    return True
