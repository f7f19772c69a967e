"""Many questions on many machines, by Dask: the same answers, to the last bit, as this process alone gives.

>>> from distributed import Client, LocalCluster
>>> with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
...     answers = chasles.dask.first_contact_many(cube, cube, starts, ends, client=client)
...     batch = chasles.dask.check_many(["a.toml", "b.toml"], client=client, out="reports")
>>> batch.items["verdict"].to_pylist()
['clear', 'contact']

Needs dask, distributed and pyarrow: ``pip install chasles[dask]``, the same version of chasles on the client, the
scheduler and all workers. ``client=None`` asks this process alone, on all its cores.

**What travels.** What all shards share, bodies and robots, goes to each worker once a call, as a plugin of Dask: the
scheduler keeps it, and hands it to workers that come later, before their first shard. A body that one shard alone has
travels with that. When the call ends the plugin is taken away. A worker keeps the few things that it used last beyond
the call, because the tables of a robot take longer to make than its edges to check. (The blocks of a Dask array have
such things as a task that they depend on, and Dask moves those as it sees fit.)

**When a worker dies**, the shards that it had in hand, or had done and not handed over, are done again by others. The
client takes each shard once, so nothing is lost and nothing counts twice. A shard that Dask gives up, after as many
deaths as it allows (``distributed.scheduler.allowed-failures``, 3), is done once more when all others are, alone,
because Dask blames all shards that were on a worker for its death. If that fails too, a call about queries or edges
ends by ``distributed.KilledWorker``, and ``check_many`` calls the item an ``error``.

**Files.** Scenes and path files are read where they are checked: the workers need them under the same absolute path.
What is found travels to the client, which alone writes files: the folder ``out`` need not be shared.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import hashlib
import importlib
import inspect
import itertools
import json
import math
import operator
import os
import pickle
import queue
import re
import sys
import threading
import time
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from chasles import _chasles, _tables
from chasles._dtypes import PREDICTION
from chasles._error import Error
from chasles.parquet import _read_table, _replace, _write_table

__all__ = ["Batch", "check_many", "edges_free", "first_contact_many"]

_Progress = Callable[[int, int], object]


def first_contact_many(
    a: Any,
    b: Any,
    starts: Any,
    ends: Any = None,
    *,
    client: Any = None,
    shard: int = 10_000,
    threads: int | None = None,
    progress: _Progress | None = None,
    tolerance: float | None = None,
    deviation: float = 0.0,
    budget: int | None = None,
) -> Any:
    """The first contacts of many pairs and motions, on the workers of a cluster.

    They are what ``chasles.first_contact_many`` tells.

    ``a`` and ``b``: a body for all, or a list of K. ``starts`` and ``ends``: poses (K, 4, 4) or (K, 7), or one pose
    for all; or ``starts`` is a list of K ``Screw`` and there are no ``ends``. Metres and radians. ``client``: a
    ``distributed.Client``; None: this process. ``shard``: rows that a worker takes at once. ``threads``: how many a
    call uses here (None: all cores), or a shard on a worker (None: one, as Dask gives each thread of a worker a shard
    of its own). ``progress(done, total)`` counts rows, in the caller's thread, at most 20 times a second and at the
    end. ``tolerance``, ``deviation`` and ``budget`` as in ``first_contact``.

    NumPy arrays give an array (K,) of dtype ``PREDICTION``. Where ``starts`` or ``ends`` is a Dask array, the answer
    is a lazy Dask array (K,), with its chunks along K as shards; ``client``, ``shard`` and ``progress`` have no part
    in that: whoever computes it says where. Other axes are made one chunk each.

    Guarantee: that of ``first_contact``, and the same bits for any client, shards, workers and threads.

    Errors as of ``chasles.first_contact_many``: a row without meaning is a ValueError that names it, and nothing is
    computed; in a Dask array such a row is found when it is computed. Chunks of unknown size: ValueError. No
    distributed: ImportError. What ``progress`` raises, and Ctrl-C, end the call: what waits is cancelled, and what a
    worker has in hand it leaves.
    """
    options: dict[str, Any] = {"tolerance": tolerance, "deviation": deviation}
    options |= {} if budget is None else {"budget": budget}
    shard, specks = _rows_at_once(shard), _specks()
    # Says what is wrong with the options before anything is sent.
    _chasles.first_contact_many(*specks, _chasles.Pose(), _chasles.Pose(), threads=threads, **options)
    is_lazy = _is_lazy(starts) or _is_lazy(ends)
    if not is_lazy and client is None:
        return _chasles.first_contact_many(a, b, starts, ends, threads=threads, progress=progress, **options)
    bodies = _Bodies(a, b)
    poses = {name: _Part.poses(value, name) for name, value in (("starts", starts), ("ends", ends))}
    parts = {**bodies.parts, **poses}
    how = {"options": options, "threads": threads or 1}
    if is_lazy:
        if starts is None or ends is None:
            raise TypeError(f"{'starts' if starts is None else 'ends'}: found None, expected poses")
        return _lazy(_answers, parts, dict(enumerate(bodies.all)), how, PREDICTION)
    client = _client(client)
    count = _agreed(parts)
    if count is None or poses["starts"].is_screws() != (ends is None):
        # Something is odd: the package itself says what, or that all is well.
        sides = [
            speck if own.count is None else [speck] * own.count for speck, own in zip(specks, bodies.parts.values())
        ]
        count = len(_chasles.first_contact_many(sides[0], sides[1], starts, ends, **{**options, "budget": 0}))
    shards = _shards(count, shard)
    things = bodies.of_all(shards)

    def make(piece: range) -> dict[str, Any]:
        own = {number: bodies.all[number] for number in bodies.numbers(piece) if number not in things}
        return {**how, **{name: part.rows(piece) for name, part in parts.items()}, "bodies": own, "first": piece.start}

    return _gathered(client, _answers, things, shards, make, np.empty(count, PREDICTION), progress)


def edges_free(
    robot: _chasles.Robot,
    q0: Any,
    q1: Any,
    *,
    client: Any = None,
    shard: int = 1_000,
    threads: int | None = None,
    budget: int | None = None,
    progress: _Progress | None = None,
) -> Any:
    """Which straight ways in joint space are free, as ``Robot.edges_free`` tells, on the workers of a cluster.

    ``q0`` and ``q1`` (K, J) are the ends, in radians or metres; one of them may be (J,). The answer is uint8 (K,): 0
    proven free, 3 blocked, also from the start, 2 undecided. ``shard``: edges that a worker takes at once; the other
    arguments, and what Dask arrays give, as in ``first_contact_many``.

    Guarantee: that of ``Robot.edges_free``, and the same bits for any client, shards, workers and threads.

    Values beyond limits: ValueError with row and joint, and nothing is computed; in a Dask array they are found when
    it is computed. Chunks of unknown size: ValueError. No distributed: ImportError.
    """
    if not isinstance(robot, _chasles.Robot):
        raise TypeError(f"robot: found {type(robot).__name__}, expected a Robot")
    shard = _rows_at_once(shard)
    options: dict[str, Any] = {} if budget is None else {"budget": budget}
    # Says what is wrong with the options before anything is sent.
    _check_speck(threads=threads, **options)
    is_lazy = _is_lazy(q0) or _is_lazy(q1)
    if not is_lazy and client is None:
        return robot.edges_free(q0, q1, threads=threads, progress=progress, **options)
    width = len(robot.joints)
    ends = {name: _Part.postures(value, name, width) for name, value in (("q0", q0), ("q1", q1))}
    how = {"options": options, "threads": threads or 1}
    if is_lazy:
        return _lazy(_free, ends, {0: robot}, how, np.dtype(np.uint8))
    client = _client(client)
    count = _agreed(ends)
    if count is None:
        robot.edges_free(q0, q1, **options)
        raise ValueError("q0 and q1: found postures that cannot be told apart from others")
    _refuse_beyond(robot, ends)

    def make(piece: range) -> dict[str, Any]:
        return {**how, **{name: end.rows(piece) for name, end in ends.items()}, "first": piece.start}

    return _gathered(client, _free, {0: robot}, _shards(count, shard), make, np.empty(count, np.uint8), progress)


@dataclasses.dataclass(frozen=True, eq=False)
class Batch:
    """What ``check_many`` has found, as two ``pyarrow.Table``; their rows are in the order of the items.

    >>> batch = chasles.dask.check_many(["a.toml", "gone.toml"])
    >>> batch.items.to_pylist()[1]["verdict"]
    'error'
    """

    items: Any
    """A row an item: ``item`` (its path as it was given, or its place, as ``items[3]``), ``verdict`` (a word of
    ``chasles.VERDICTS``, or ``error``) and ``message`` (what was wrong; empty where nothing was)."""

    intervals: Any
    """A row an interval, or a pair without any: ``item``, then the columns of ``Report.to_arrays``; times in seconds,
    lengths in metres. With a robot all its joints follow, in radians or metres: NaN where a path does not name
    one."""

    computed: int
    """How many shards were computed now; the others were in the folder."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Batch):
            return NotImplemented
        mine, others = (self.items, self.intervals), (other.items, other.intervals)
        return self.computed == other.computed and all(_same(one, two) for one, two in zip(mine, others))

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise TypeError("a Batch is neither true nor false: ask .items['verdict']")


def check_many(
    items: Iterable[Any],
    *,
    client: Any = None,
    robot: _chasles.Robot | None = None,
    out: str | os.PathLike[str] | None = None,
    shard: int = 16,
    progress: _Progress | None = None,
    all_pairs: bool = False,
    clearance: float | None = None,
    budget: int | None = None,
    names: Sequence[str] | None = None,
    threads: int | None = None,
) -> Batch:
    """Checks many scenes, or many paths of a robot, here or on the workers of a cluster; what is done is kept in a
    folder.

    ``items``: paths of scene files, or ``Scene`` objects; with ``robot``, paths of path files, or ``(times (T,),
    joints (T, J))``, in seconds and radians or metres. ``client``: a ``distributed.Client``; None: this process.
    ``shard``: items that a worker takes at once. ``progress(done, total)`` counts items, in the caller's thread, at
    most 20 times a second and at the end. ``all_pairs``, ``clearance`` and ``budget`` as in ``Scene.check`` and
    ``Robot.check_path``; ``names``: which joints the columns of ``joints`` are. ``threads``: how many are used here
    (None: all cores), or by an item on a worker (None: one).

    A bad item, one that is not there or that no worker survives, has the verdict ``error`` and a message; the others
    go on.

    ``out``: a folder, made where there is none. It gets ``items-00000.parquet`` and ``intervals-00000.parquet`` a
    shard, whole once named; the items are written last, so a shard is done where both are there. A second call with
    the same items and options computes what is missing only, with or without a client, and leaves the files of what
    is done as they are, those with the verdict ``error`` too: remove a shard's files to have it done again.
    ``batch.json`` remembers what was asked: items by their given and their absolute path, not by what is in the
    files; Scenes, robots and arrays by their content. Two calls on one folder at the same time are not supported.

    Guarantee: that of ``Scene.check`` and ``Robot.check_path``, and the same tables for any client, shards, workers
    and threads.

    Items of another kind, and options that these items do not take: TypeError; ``shard`` below 1: ValueError; a
    folder of other items, options, shards or another version: ``chasles.Error`` with ``.file``; no pyarrow, or no
    distributed: ImportError. Before all that nothing is computed. What ``progress`` raises, and Ctrl-C, end the call:
    what waits is cancelled, what a worker has in hand it leaves, and shards that are named stay.
    """
    _module("pyarrow")
    shard = _rows_at_once(shard)
    if robot is not None and not isinstance(robot, _chasles.Robot):
        raise TypeError(f"robot: found {type(robot).__name__}, expected a Robot or None")
    cluster = None if client is None else _client(client)
    asked = _asked(items, robot)
    teller = _Teller(progress, len(asked))
    options = _options(asked, robot, {"all_pairs": all_pairs, "clearance": clearance, "budget": budget, "names": names})
    # Says what is wrong with the options before anything is computed.
    _check_speck(threads=threads, **{key: value for key, value in options.items() if key != "names"})
    check = _Check(robot, options, threads or 1)
    shards = _shards(len(asked), shard)
    folder = None if out is None else _Folder(out, check.schemas, _meaning(asked, robot, options, shard))
    done: dict[int, tuple[Any, Any]] = {}
    for number, own in enumerate(shards if folder else []):
        kept = folder.load(number, [asked[item].label for item in own]) if folder else None
        if kept:
            done[number] = kept
            teller.add(len(own))
    missing = [own for number, own in enumerate(shards) if number not in done]
    if cluster is None:
        found = _here(asked, missing, check, threads or _cores())
    else:
        found = _there(cluster, asked, missing, check)
    parts: dict[int, dict[int, tuple[Any, Any]]] = collections.defaultdict(dict)
    with contextlib.closing(found):
        for piece, tables in found:
            number = piece.start // shard
            parts[number][piece.start] = tables
            if sum(items.num_rows for items, _ in parts[number].values()) == len(shards[number]):
                done[number] = check.whole([own for _, own in sorted(parts.pop(number).items())])
                if folder:
                    folder.keep(number, done[number])
            teller.add(len(piece))
    whole = check.whole([done[number] for number in range(len(shards))])
    teller.end()
    return Batch(*whole, len(missing))


# What is asked of check_many.


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


def _numbers(value: Any) -> Any:
    """An array, which travels well; what is none is told about where it is checked."""
    try:
        return np.asarray(value)
    except ValueError:
        return value


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
        self.pa = _module("pyarrow")
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


# Rows of arrays: what is one for all, and what is one for each.


@dataclasses.dataclass(frozen=True)
class _Part:
    """An argument of K rows, or one for all (``count`` is None).

    ``odd``: only the package itself can say what is wrong with it, if anything is.
    """

    value: Any
    count: int | None = None
    odd: bool = False

    @classmethod
    def poses(cls, value: Any, name: str) -> _Part:
        """Poses or screws in any of their forms."""
        if _is_lazy(value):
            return cls.lazy(value, name, [(7,), (4, 4)])
        if value is None or isinstance(value, (_chasles.Pose, _chasles.Screw)):
            return cls(value, None, isinstance(value, _chasles.Screw))
        if isinstance(value, (list, tuple)) and value and isinstance(value[0], (_chasles.Pose, _chasles.Screw)):
            return cls(value, len(value), any(type(own) is not type(value[0]) for own in value))
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
    def postures(cls, value: Any, name: str, width: int) -> _Part:
        """Postures of a robot."""
        if _is_lazy(value):
            return cls.lazy(value, name, [(width,)])
        array = _numbers(value)
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "iuf":
            return cls(value, None, True)
        if array.shape == (width,):
            return cls(array)
        return cls(array, len(array)) if array.shape[1:] == (width,) else cls(value, None, True)

    @classmethod
    def lazy(cls, value: Any, name: str, shapes: list[tuple[int, ...]]) -> _Part:
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
        """What a shard has of it."""
        return self.value if self.count is None else self.value[shard.start : shard.stop]

    def is_screws(self) -> bool:
        """Whether it is a Screw, or begins with one."""
        first = self.value[0] if isinstance(self.value, (list, tuple)) and self.value else self.value
        return isinstance(first, _chasles.Screw)


def _are_plain(poses: npt.NDArray[Any]) -> bool:
    """Whether poses (K, 7) or (K, 4, 4) are good beyond doubt, far from any limit. It need not be told what others
    lack: the package says so, and whether they do."""
    with np.errstate(all="ignore"):
        if poses.ndim == 2:
            norms = np.square(poses[:, 3:], dtype=float).sum(axis=1)
            return bool(np.isfinite(poses).all() and (norms > 1e-6).all() and (norms < 1e6).all())
        turns = poses[:, :3, :3].astype(float)
        off = np.abs(turns.transpose(0, 2, 1) @ turns - np.eye(3)).max(initial=0.0)
        is_right = bool((poses[:, 3] == [0, 0, 0, 1]).all() and (np.linalg.det(turns) > 0.5).all())
        return bool(np.isfinite(poses).all() and off < 1e-7 and is_right)


def _agreed(parts: dict[str, _Part]) -> int | None:
    """How many rows there are; None where something is odd, or numbers of rows differ."""
    counts = {part.count for part in parts.values() if part.count is not None}
    if len(counts) > 1 or any(part.odd for part in parts.values()):
        return None
    return next(iter(counts), 1)


def _specks() -> tuple[_chasles.Body, _chasles.Body]:
    """Two bodies about which questions cost next to nothing: so the package is asked whether arguments are good."""
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    made = [_chasles.Body(_chasles.Mesh(corners + far, [[0, 1, 2]])) for far in (0.0, 1e30)]
    return made[0], made[1]


def _refuse_beyond(robot: _chasles.Robot, ends: dict[str, _Part]) -> None:
    """Refuses postures beyond limits. Limits have some slack, which is the robot's own affair: it is asked about all
    postures that look as if they were beyond."""
    least, most = robot.limits.T
    for name, end in ends.items():
        postures = np.atleast_2d(end.value)
        odd = np.flatnonzero(~((postures >= least) & (postures <= most)).all(axis=1))
        if odd.size:
            try:
                # No posture is this one, so that nothing is computed: it is the second to be looked at.
                robot.edges_free(postures[odd] if end.count is not None else postures[0], np.full(len(least), np.nan))
            except ValueError as error:
                found = re.match(r"q0(\[(\d+)\])?", str(error))
                if found:
                    place = f"[{odd[int(found[2])]}]" if found[1] else ""
                    raise ValueError(f"{name}{place}{str(error)[found.end() :]}") from None
                if not str(error).startswith("q1"):
                    raise


def _check_speck(**options: Any) -> None:
    """The same about options of checks."""
    scene = _chasles.Scene(1.0)
    scene.add("speck", _chasles.Sphere(1.0))
    scene.check(**options)


class _Bodies:
    """The bodies of both sides, each once, and which of them each row has."""

    def __init__(self, a: Any, b: Any) -> None:
        self.all: list[_chasles.Body] = []
        self.known: dict[int, int] = {}
        self.parts = {name: self._side(value, name) for name, value in (("a", a), ("b", b))}

    def _side(self, value: Any, name: str) -> _Part:
        if isinstance(value, (list, tuple)):
            numbers = [self._number(own, f"{name}[{row}]") for row, own in enumerate(value)]
            return _Part(np.array(numbers, dtype=np.int64), len(numbers))
        return _Part(self._number(value, name))

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
        """Which bodies the rows of a shard have."""
        sides = [np.atleast_1d(part.rows(shard)) for part in self.parts.values()]
        numbers: list[int] = np.unique(np.concatenate(sides)).tolist()
        return numbers

    def of_all(self, shards: Iterable[range]) -> dict[int, _chasles.Body]:
        """Those that stand in more than one shard. The others travel with the one that they are in."""
        seen = collections.Counter(number for shard in shards for number in self.numbers(shard))
        return {number: self.all[number] for number in sorted(seen) if seen[number] > 1}


def _answers(given: dict[str, Any], things: dict[int, Any], look: _Progress | None) -> npt.NDArray[Any]:
    """The answers of a shard of queries."""
    bodies = {**things, **given.get("bodies", {})}
    a, b = (bodies[n] if isinstance(n, int) else [bodies[m] for m in n.tolist()] for n in (given["a"], given["b"]))
    options = {"threads": given["threads"], "progress": look, **given["options"]}
    with _numbered(given["first"]):
        return _chasles.first_contact_many(a, b, given["starts"], given["ends"], **options)


def _free(given: dict[str, Any], things: dict[int, Any], look: _Progress | None) -> npt.NDArray[Any]:
    """The answers of a shard of edges."""
    robot: _chasles.Robot = things[0]
    options = {"threads": given["threads"], "progress": look, **given["options"]}
    with _numbered(given["first"]):
        return robot.edges_free(given["q0"], given["q1"], **options)


@contextlib.contextmanager
def _numbered(first: int) -> Iterator[None]:
    """Tells of rows of a shard by their numbers in the whole, of which it begins with ``first``."""
    try:
        yield
    except (TypeError, ValueError) as error:
        found = re.match(r"(\w+)\[(\d+)\]", str(error))
        if found is None:
            raise
        raise type(error)(f"{found[1]}[{first + int(found[2])}]{str(error)[found.end() :]}") from None


# Dask arrays.


def _is_lazy(value: Any) -> bool:
    """Whether it is a Dask array. Whoever has one has imported Dask."""
    arrays = sys.modules.get("dask.array")
    return arrays is not None and isinstance(value, arrays.Array)


def _lazy(
    answers: Callable[..., npt.NDArray[Any]],
    parts: dict[str, _Part],
    things: dict[int, Any],
    how: dict[str, Any],
    dtype: np.dtype[Any],
) -> Any:
    """The answers as a Dask array, a block of them for each block of rows."""
    da, delayed = _module("dask.array"), _module("dask").delayed
    first = next(name for name, part in parts.items() if _is_lazy(part.value))
    count, chunks = parts[first].count, parts[first].value.chunks[0]
    axes: list[Any] = []
    names, rest = [], {}
    for name, part in parts.items():
        if part.count not in (None, count):
            raise ValueError(f"{name}: found {part.count}, expected {count} as {first} has")
        value = part.value
        if part.count is not None and isinstance(value, np.ndarray):
            value = da.from_array(value, chunks=(chunks, *value.shape[1:]))
        if _is_lazy(value):
            names.append(name)
            # Letters of axes: that of the rows, and others that no other array has.
            axes += [value, (0, *(10 * len(names) + axis for axis in range(1, value.ndim)))]
        else:
            rest[name] = part
    axes += [da.arange(count, chunks=(chunks,), dtype=np.int64), (0,)]
    return da.blockwise(
        _block,
        (0,),
        *axes,
        answers=answers,
        names=names,
        rest=_bytes((rest, how)),
        parcel=delayed(_Parcel, pure=True)(_pack(things)),
        concatenate=True,
        dtype=dtype,
        meta=np.empty(0, dtype),
        token="chasles" + answers.__name__,
    )


def _block(
    *arrays: npt.NDArray[Any],
    answers: Callable[..., npt.NDArray[Any]],
    names: list[str],
    rest: bytes,
    parcel: _Parcel,
) -> npt.NDArray[Any]:
    """The answers of one block; the last array has the numbers of its rows."""
    others, how = pickle.loads(rest)
    first, count = int(arrays[-1][0]) if len(arrays[-1]) else 0, len(arrays[-1])
    rest_of = {name: part.rows(range(first, first + count)) for name, part in others.items()}
    return answers({**how, **rest_of, **dict(zip(names, arrays)), "first": first}, parcel.value(), None)


# Shards on workers.


class _Unwanted(Exception):
    """Nobody waits for this any more."""


@dataclasses.dataclass(frozen=True)
class _Again:
    """In place of a result: the shard has to be done again.

    Nobody waited for it, or the worker lacked what all shards share.
    """

    is_lacking: bool


_KEPT: Final = 4
"""So many parcels a worker keeps beyond the call. Each may be large, and have tables that are larger."""

_GIFTS: Final = 5
"""So often all workers are given what their shards share, where one lacks it. Only tests have seen more than one."""

_kept: collections.OrderedDict[bytes, dict[int, Any]] = collections.OrderedDict()
_making = threading.Lock()


class _Parcel:
    """Things by their numbers that travel as bytes, and are made again where they are used, once."""

    def __init__(self, blob: bytes) -> None:
        self.blob = blob
        self.made: dict[int, Any] | None = None
        self.digest = hashlib.sha256(blob).digest()

    def value(self) -> dict[int, Any]:
        """The things, by their numbers."""
        with _making:
            if self.made is None:
                self.made = _kept.get(self.digest)
            if self.made is None:
                self.made = {number: pickle.loads(own) for number, own in pickle.loads(self.blob).items()}
            _kept[self.digest] = self.made
            _kept.move_to_end(self.digest)
            while len(_kept) > _KEPT:
                _kept.popitem(last=False)
            return self.made

    def __sizeof__(self) -> int:
        """What Dask reckons with when it sends it, or looks for memory."""
        return 2 * len(self.blob)

    def __reduce__(self) -> tuple[type[_Parcel], tuple[bytes]]:
        return _Parcel, (self.blob,)


def _pack(things: dict[int, Any]) -> bytes:
    return _bytes({number: _bytes(thing) for number, thing in things.items()})


def _bytes(thing: Any) -> bytes:
    # Of one protocol, because digests are of these bytes; and bytes are all that Dask sees, which looks for its own
    # keys in all else.
    return pickle.dumps(thing, protocol=5)


def _work(blob: bytes) -> Any:
    """On a worker: does a shard."""
    name, answer, given = pickle.loads(blob)
    things: dict[int, Any] = {}
    if name is not None:
        plugin = _module("distributed").get_worker().plugins.get(name)
        if plugin is None:
            return _Again(True)
        things = plugin.parcel.value()
    try:
        found = answer(given, things, _look())
    except _Unwanted:
        # If somebody waits after all, since a moment ago, the shard is not lost.
        return _Again(False)
    return found.tobytes() if isinstance(found, np.ndarray) else found


def _give(client: Any, name: str, parcel: _Parcel) -> None:
    """Gives each worker a parcel, those that are yet to come too, before their first task: the scheduler keeps it."""
    plugin = _module("distributed").WorkerPlugin()
    plugin.parcel = parcel
    for wait in (0.0, 0.2, 1.0, 3.0):
        time.sleep(wait)
        # A worker that has just died is among those that are asked until the scheduler knows. All others have it
        # then, or say that they lack it.
        with contextlib.suppress(OSError):
            client.register_plugin(plugin, name=name)
            return


def _on_workers(
    client: Any,
    answer: Callable[[dict[str, Any], dict[int, Any], _Progress | None], Any],
    things: dict[int, Any],
    shards: Iterable[range],
    make: Callable[[range], dict[str, Any]],
    alone: int,
) -> Generator[tuple[range, Any]]:
    """Has workers answer for shards, each of which is made when its turn comes; ``things`` are what they share.

    Yields shards with their results in the order in which they are done, each once. Errors are raised. When the
    caller leaves, what is not done is cancelled.

    Dask blames the death of a worker on all shards that it had, also those that waited. So shards that are given up
    are put back until all others are done, and then asked about one at a time, in parts of ``alone``: what no worker
    survives then is to blame, and comes with the error ``KilledWorker`` as its result.
    """
    dask, distributed = _module("dask"), _module("distributed")
    todo, suspects = collections.deque(shards), collections.deque[range]()
    # Two calls may be about the same: their shards must not be taken for each other.
    name = f"chasles{answer.__name__}-{uuid.uuid4().hex}"
    numbers = itertools.count()
    completed = distributed.as_completed(loop=client.loop)
    under_way: dict[Any, tuple[range, int]] = {}
    most, looked, gifts = 0, -math.inf, 1
    parcel = _Parcel(_pack(things))
    try:
        if todo and things:
            _give(client, name, parcel)
        while todo or under_way or suspects:
            is_last = not todo and not under_way
            if is_last:
                todo.append(suspects.popleft())
            if time.monotonic() - looked > 1.0:
                # Workers come and go. Each thread has a shard in hand and one that waits; the others stay here, so
                # that a scheduler is not filled with them.
                most, looked = 2 * sum(client.nthreads().values()) + 8, time.monotonic()
            more = [todo.popleft() for _ in range(min(len(todo), most - len(under_way)))]
            if more:
                blobs = [_bytes((name if things else None, answer, make(piece))) for piece in more]
                keys = [(name, next(numbers)) for _ in more]
                # Shards are large where they are long: whoever asked for that need not be warned.
                with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PiB"}):
                    futures = client.map(_work, blobs, key=keys, pure=False)
                under_way.update((future, (piece, gifts)) for future, piece in zip(futures, more))
                completed.update(futures)
            # All that are done by now are fetched at once: meanwhile others go on.
            ready = completed.next_batch()
            is_lacking = False
            for future, result in zip(ready, _results(client, ready)):
                piece, gift = under_way.pop(future)
                if isinstance(result, _Again):
                    todo.append(piece)
                    # What was sent before the last gift tells nothing of that.
                    is_lacking |= result.is_lacking and gift == gifts
                elif isinstance(result, distributed.KilledWorker) and not is_last:
                    suspects.extend(piece[first : first + alone] for first in range(0, len(piece), alone))
                else:
                    yield piece, result
            if is_lacking:
                if gifts == _GIFTS:
                    raise RuntimeError("client: found workers that lack what was sent to them, however often it was")
                gifts += 1
                _give(client, name, parcel)
    finally:
        # The client may be closed; then there is nothing to be cancelled.
        with contextlib.suppress(Exception):
            if under_way:
                client.cancel(list(under_way))
        with contextlib.suppress(Exception):
            if things:
                client.unregister_worker_plugin(name)


def _results(client: Any, futures: list[Any]) -> list[Any]:
    """The results of shards that were done. Those of a worker that has died since are made again, which takes time."""
    try:
        found: list[Any] = client.gather(futures)
        return found
    except Exception:
        # One of them has failed, so each is asked for alone.
        return [_result(future) for future in futures]


def _result(future: Any) -> Any:
    try:
        return future.result()
    except _module("distributed").KilledWorker as error:
        return error


def _look() -> _Progress | None:
    """On a worker: what ends a shard that nobody waits for any more.

    Dask has no word for that, and lets such a task run to its end. So it is looked up where the worker notes it; should
    another version of Dask note it elsewhere, shards run to their end again, and nothing else changes.
    """
    distributed: Any = sys.modules.get("distributed")
    try:
        worker = distributed.get_worker()
        key, tasks = worker.get_current_task(), worker.state.tasks
    except (AttributeError, ValueError):
        return None

    def look(done: int, total: int) -> None:
        if getattr(tasks.get(key), "state", None) == "cancelled":
            raise _Unwanted

    return look


def _shards(count: int, shard: int) -> list[range]:
    """Rows or items by shards."""
    return [range(first, min(first + shard, count)) for first in range(0, count, shard)]


def _gathered(
    client: Any,
    answer: Callable[[dict[str, Any], dict[int, Any], _Progress | None], npt.NDArray[Any]],
    things: dict[int, Any],
    shards: list[range],
    make: Callable[[range], dict[str, Any]],
    answers: npt.NDArray[Any],
    progress: _Progress | None,
) -> npt.NDArray[Any]:
    """The answers to all rows, shard by shard, each in its place."""
    teller = _Teller(progress, len(answers))
    with contextlib.closing(_on_workers(client, answer, things, shards, make, len(answers))) as found:
        for piece, result in found:
            if isinstance(result, Exception):
                raise result
            answers[piece.start : piece.stop] = np.frombuffer(result, answers.dtype)
            teller.add(len(piece))
    teller.end()
    return answers


class _Teller:
    """Tells how far a call is."""

    def __init__(self, progress: _Progress | None, total: int) -> None:
        if progress is not None and not callable(progress):
            raise TypeError(f"progress: found {type(progress).__name__}, expected something to call, or None")
        self.progress, self.total = progress, total
        self.done, self.told = 0, -math.inf

    def add(self, count: int) -> None:
        self.done += count
        now = time.monotonic()
        if self.progress is not None and count and self.done < self.total and now - self.told >= 0.05:
            self.told = now
            self.progress(self.done, self.total)

    def end(self) -> None:
        if self.progress is not None:
            self.progress(self.total, self.total)


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _rows_at_once(shard: int) -> int:
    """The length of shards."""
    if isinstance(shard, bool) or not hasattr(shard, "__index__"):
        raise TypeError(f"shard: found {type(shard).__name__}, expected a whole number from 1 on")
    number = operator.index(shard)
    if number < 1:
        raise ValueError(f"shard: found {number}, expected a whole number from 1 on")
    return number


def _client(client: Any) -> Any:
    """A client that can be waited for."""
    distributed = _module("distributed")
    if not isinstance(client, distributed.Client):
        raise TypeError(f"client: found {type(client).__name__}, expected a distributed.Client or None")
    if client.asynchronous:
        raise TypeError("client: found an asynchronous one, expected one that waits for answers")
    return client


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


def _module(name: str) -> Any:
    """A module of another package, which may not be there."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"{name} is not installed: pip install chasles[dask]") from error
