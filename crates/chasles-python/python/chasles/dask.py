"""Many queries on many machines, by Dask, with the same results to the last bit as in one process.

>>> from distributed import Client, LocalCluster
>>> with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
...     answers = chasles.dask.first_contact_many(cube, cube, starts, ends, client=client)
...     batch = chasles.dask.check_many(["a.toml", "b.toml"], client=client, out="reports")
>>> batch.items["verdict"].to_pylist()
['clear', 'contact']

Needs dask, distributed and pyarrow: ``pip install chasles[dask]``, the same version of chasles on the client, the
scheduler and all workers. With ``client=None`` this process computes everything, on all its cores.

**Shared data.** In each call, each worker gets the bodies and robots that several shards use once, as a plugin of Dask.
The scheduler keeps the plugin and sends it to workers that join later, before their first shard. A body that only one
shard uses is sent with this shard. The plugin is removed when the call ends. A worker caches the objects that it used
last, because the tables of a robot take longer to compute than the checks of its edges. (The blocks of a Dask array
depend on a task with these objects, which Dask may move.)

**When a worker dies**, other workers compute its unfinished shards again, and its finished shards that the client has
not received. The client takes each shard once, so no shard is lost or counted twice. Dask gives up a shard after a
number of deaths (``distributed.scheduler.allowed-failures``, 3). Such a shard is computed once more, alone, after all
others, because Dask blames all shards on a worker for its death. If this fails too, a call about queries or edges
raises ``distributed.KilledWorker``, and ``check_many`` gives the item the verdict ``error``.

**Files.** The workers read scenes and path files, so they need these files under the same absolute path. Only the
client writes files, so the folder ``out`` need not be shared.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from chasles import _chasles
from chasles._dtypes import PREDICTION
from chasles._extra import extra
from chasles._items import (
    _Check,
    _ResultFolder,
    _are_equal,
    _check_locally,
    _check_on_cluster,
    _description,
    _options,
    _read_items,
)
from chasles._rows import (
    _Bodies,
    _RowArgument,
    _check_options,
    _dask_array,
    _first_contacts,
    _is_dask_array,
    _refuse_beyond,
    _robot_results,
    _row_count,
    _tiny_bodies,
)
from chasles._shards import _Progress, _ProgressReporter, _client, _cores, _gather, _rows_at_once, _shards

__all__ = [
    "Batch",
    "check_configurations",
    "check_edges",
    "check_many",
    "configurations_free",
    "edges_free",
    "first_contact_many",
]


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

    The results are the same as from ``chasles.first_contact_many``.

    ``a`` and ``b``: a body for all, or a list of K. ``starts`` and ``ends``: poses (K, 4, 4) or (K, 7), or one pose for
    all; or ``starts`` is a list of K ``Screw`` and there are no ``ends``. Metres and radians. ``client``: a
    ``distributed.Client``; None: this process. ``shard``: the number of rows that a worker takes at once. ``threads``:
    the number of threads of a call here (None: all cores), or of a shard on a worker (None: one, because Dask gives
    each thread of a worker a shard of its own). ``progress(done, total)`` counts rows, in the caller's thread, at most
    20 times a second and at the end. ``tolerance``, ``deviation`` and ``budget`` as in ``first_contact``.

    NumPy arrays give an array (K,) of dtype ``PREDICTION``. If ``starts`` or ``ends`` is a Dask array, the result is a
    lazy Dask array (K,), with its chunks along K as shards; ``client``, ``shard`` and ``progress`` are then ignored.
    Other axes become one chunk each.

    Guarantee: as for ``first_contact``, and the same bits for any client, shards, workers and threads.

    Errors as in ``chasles.first_contact_many``: a bad row is a ValueError that names the row, and no row is computed.
    In a Dask array a bad row is found when it is computed. Chunks of unknown size: ValueError. No distributed:
    ImportError. An exception in ``progress``, and Ctrl-C, end the call: waiting shards are cancelled, and the workers
    leave the shards that they compute.
    """
    options: dict[str, Any] = {"tolerance": tolerance, "deviation": deviation}
    options |= {} if budget is None else {"budget": budget}
    shard, tiny_bodies = _rows_at_once(shard), _tiny_bodies()
    # Checks the options before anything is sent.
    _chasles.first_contact_many(*tiny_bodies, _chasles.Pose(), _chasles.Pose(), threads=threads, **options)
    is_lazy = _is_dask_array(starts) or _is_dask_array(ends)
    if not is_lazy and client is None:
        return _chasles.first_contact_many(a, b, starts, ends, threads=threads, progress=progress, **options)
    bodies = _Bodies(a, b)
    poses = {name: _RowArgument.poses(value, name) for name, value in (("starts", starts), ("ends", ends))}
    parts = {**bodies.parts, **poses}
    settings = {"options": options, "threads": threads or 1}
    if is_lazy:
        if starts is None or ends is None:
            raise TypeError(f"{'starts' if starts is None else 'ends'}: found None, expected poses")
        return _dask_array(_first_contacts, parts, dict(enumerate(bodies.all)), settings, PREDICTION)
    client = _client(client)
    count = _row_count(parts)
    if count is None or poses["starts"].is_screws() != (ends is None):
        # An argument has an unusual form. The package checks it, on tiny bodies.
        sides = [
            tiny_body if part.count is None else [tiny_body] * part.count
            for tiny_body, part in zip(tiny_bodies, bodies.parts.values())
        ]
        count = len(_chasles.first_contact_many(sides[0], sides[1], starts, ends, **{**options, "budget": 0}))
    shards = _shards(count, shard)
    shared = bodies.shared(shards)

    def make_arguments(piece: range) -> dict[str, Any]:
        unshared = {number: bodies.all[number] for number in bodies.numbers(piece) if number not in shared}
        rows = {name: part.rows(piece) for name, part in parts.items()}
        return {**settings, **rows, "bodies": unshared, "first": piece.start}

    return _gather(client, _first_contacts, shared, shards, make_arguments, np.empty(count, PREDICTION), progress)


def check_edges(
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
    """The verdicts of straight edges in joint space, on the workers of a cluster.

    The results are the same as from ``Robot.check_edges``.

    ``q0`` and ``q1`` (K, J) are the ends, in radians or metres; one of them may be (J,). The result is uint8 (K,): 0
    proven free, 3 blocked, also from the start, 2 undecided. ``shard``: the number of edges that a worker takes at
    once. The other arguments, and the results for Dask arrays, are as in ``first_contact_many``.

    Guarantee: as for ``Robot.check_edges``, and the same bits for any client, shards, workers and threads.

    Values beyond limits: ValueError with row and joint, and nothing is computed; in a Dask array they are found when
    it is computed. Chunks of unknown size: ValueError. No distributed: ImportError.
    """
    options: dict[str, Any] = {"shard": shard, "threads": threads, "budget": budget, "progress": progress}
    return _on_robot(robot, "check_edges", {"q0": q0, "q1": q1}, np.uint8, client=client, **options)


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
    """The mask of free straight edges in joint space: bool (K,), True where ``check_edges`` returns 0.

    These edges are proven clear. An undecided edge is False. Arguments, guarantee and errors are as in
    ``check_edges``.
    """
    options: dict[str, Any] = {"shard": shard, "threads": threads, "budget": budget, "progress": progress}
    return _on_robot(robot, "edges_free", {"q0": q0, "q1": q1}, np.bool_, client=client, **options)


def check_configurations(
    robot: _chasles.Robot,
    q: Any,
    *,
    client: Any = None,
    shard: int = 1_000,
    threads: int | None = None,
    budget: int | None = None,
    progress: _Progress | None = None,
) -> Any:
    """The verdicts of configurations ``q`` (K, J): uint8 (K,), 0 free, 3 blocked, 2 undecided.

    The results are the same as from ``Robot.check_configurations``. The other arguments, the guarantee and the errors
    are as in ``check_edges``.
    """
    options: dict[str, Any] = {"shard": shard, "threads": threads, "budget": budget, "progress": progress}
    return _on_robot(robot, "check_configurations", {"q": q}, np.uint8, client=client, **options)


def configurations_free(
    robot: _chasles.Robot,
    q: Any,
    *,
    client: Any = None,
    shard: int = 1_000,
    threads: int | None = None,
    budget: int | None = None,
    progress: _Progress | None = None,
) -> Any:
    """The mask of free configurations: bool (K,), True where ``check_configurations`` returns 0.

    An undecided configuration is False. The other arguments, the guarantee and the errors are as in ``check_edges``.
    """
    options: dict[str, Any] = {"shard": shard, "threads": threads, "budget": budget, "progress": progress}
    return _on_robot(robot, "configurations_free", {"q": q}, np.bool_, client=client, **options)


def _on_robot(
    robot: _chasles.Robot,
    method: str,
    values: dict[str, Any],
    dtype: npt.DTypeLike,
    *,
    client: Any,
    shard: int,
    threads: int | None,
    budget: int | None,
    progress: _Progress | None,
) -> Any:
    """The results of a method of a robot. ``values`` are the arguments with one row per result."""
    if not isinstance(robot, _chasles.Robot):
        raise TypeError(f"robot: found {type(robot).__name__}, expected a Robot")
    shard = _rows_at_once(shard)
    options: dict[str, Any] = {} if budget is None else {"budget": budget}
    # Checks the options before anything is sent.
    _check_options(threads=threads, **options)
    is_lazy = any(_is_dask_array(value) for value in values.values())
    if not is_lazy and client is None:
        return getattr(robot, method)(**values, threads=threads, progress=progress, **options)
    width = len(robot.joints)
    parts = {name: _RowArgument.configurations(value, name, width) for name, value in values.items()}
    settings = {"method": method, "names": list(values), "options": options, "threads": threads or 1}
    if is_lazy:
        return _dask_array(_robot_results, parts, {0: robot}, settings, np.dtype(dtype))
    client = _client(client)
    count = _row_count(parts)
    if count is None:
        getattr(robot, method)(**values, **options)
        raise ValueError(f"{' and '.join(values)}: found configurations that cannot be distinguished from others")
    _refuse_beyond(robot, parts)

    def make_arguments(piece: range) -> dict[str, Any]:
        return {**settings, **{name: part.rows(piece) for name, part in parts.items()}, "first": piece.start}

    results = np.empty(count, dtype)
    return _gather(client, _robot_results, {0: robot}, _shards(count, shard), make_arguments, results, progress)


@dataclasses.dataclass(frozen=True, eq=False)
class Batch:
    """The results of ``check_many``, as two ``pyarrow.Table``. Their rows are in the order of the items.

    >>> batch = chasles.dask.check_many(["a.toml", "gone.toml"])
    >>> batch.items.to_pylist()[1]["verdict"]
    'error'
    """

    items: Any
    """One row per item: ``item`` (its path as given, or its index, as ``items[3]``), ``verdict`` (a word of
    ``chasles.VERDICTS``, or ``error``) and ``message`` (the error, or empty)."""

    intervals: Any
    """One row per interval, or per pair without intervals: ``item``, then the columns of ``Report.to_arrays``; times in
    seconds, lengths in metres. With a robot, all its joints follow, in radians or metres: NaN for a joint that a path
    does not name."""

    computed: int
    """The number of shards that this call computed. The other shards were in the folder."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Batch):
            return NotImplemented
        mine, others = (self.items, self.intervals), (other.items, other.intervals)
        return self.computed == other.computed and all(_are_equal(one, two) for one, two in zip(mine, others))

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
    """Checks many scenes, or many paths of a robot, here or on the workers of a cluster, and can keep the results in a
    folder.

    ``items``: paths of scene files, or ``Scene`` objects; with ``robot``, paths of path files, or ``(times (T,), joints
    (T, J))``, in seconds and radians or metres. ``client``: a ``distributed.Client``; None: this process. ``shard``:
    the number of items that a worker takes at once. ``progress(done, total)`` counts items, in the caller's thread, at
    most 20 times a second and at the end. ``all_pairs``, ``clearance`` and ``budget`` as in ``Scene.check`` and
    ``Robot.check_path``; ``names``: the joints of the columns of ``joints``. ``threads``: the number of threads here
    (None: all cores), or of an item on a worker (None: one).

    A bad item has the verdict ``error`` and a message, and the check of the other items continues. An item is bad if it
    does not exist or if no worker survives its check.

    ``out``: a folder, created if it does not exist. It gets ``items-00000.parquet`` and ``intervals-00000.parquet`` for
    each shard. A file appears under its name when it is complete. The items are written last, so a shard is done if
    both files exist. A second call with the same items and options computes only the missing shards, with or without a
    client, and keeps the files of finished shards, also with the verdict ``error``: remove the files of a shard to have
    it computed again. ``batch.json`` describes the batch: items by their given and their absolute path, not by the
    content of the files; Scenes, robots and arrays by their content. Two calls on one folder at the same time are not
    supported.

    Guarantee: as for ``Scene.check`` and ``Robot.check_path``, and the same tables for any client, shards, workers
    and threads.

    Items of another type, and options that these items do not accept: TypeError; ``shard`` below 1: ValueError; a
    folder of other items, options, shards or another version: ``chasles.Error`` with ``.file``; no pyarrow, or no
    distributed: ImportError. These errors are raised before anything is computed. An exception in ``progress``, and
    Ctrl-C, end the call: waiting shards are cancelled, the workers leave the shards that they compute, and finished
    files stay.
    """
    extra("pyarrow", "dask")
    shard = _rows_at_once(shard)
    if robot is not None and not isinstance(robot, _chasles.Robot):
        raise TypeError(f"robot: found {type(robot).__name__}, expected a Robot or None")
    cluster = None if client is None else _client(client)
    entries = _read_items(items, robot)
    reporter = _ProgressReporter(progress, len(entries))
    given = {"all_pairs": all_pairs, "clearance": clearance, "budget": budget, "names": names}
    options = _options(entries, robot, given)
    # Checks the options before anything is computed.
    _check_options(threads=threads, **{key: value for key, value in options.items() if key != "names"})
    check = _Check(robot, options, threads or 1)
    shards = _shards(len(entries), shard)
    folder = None if out is None else _ResultFolder(out, check.schemas, _description(entries, robot, options, shard))
    done: dict[int, tuple[Any, Any]] = {}
    for number, part in enumerate(shards if folder else []):
        stored = folder.load(number, [entries[item].label for item in part]) if folder else None
        if stored:
            done[number] = stored
            reporter.add(len(part))
    missing = [part for number, part in enumerate(shards) if number not in done]
    if cluster is None:
        results = _check_locally(entries, missing, check, threads or _cores())
    else:
        results = _check_on_cluster(cluster, entries, missing, check)
    parts: dict[int, dict[int, tuple[Any, Any]]] = collections.defaultdict(dict)
    with contextlib.closing(results):
        for piece, tables in results:
            number = piece.start // shard
            parts[number][piece.start] = tables
            if sum(items.num_rows for items, _ in parts[number].values()) == len(shards[number]):
                done[number] = check.concatenated([part for _, part in sorted(parts.pop(number).items())])
                if folder:
                    folder.keep(number, done[number])
            reporter.add(len(piece))
    whole = check.concatenated([done[number] for number in range(len(shards))])
    reporter.end()
    return Batch(*whole, len(missing))
