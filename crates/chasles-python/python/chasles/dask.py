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
import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from chasles import _chasles
from chasles._dtypes import PREDICTION
from chasles._extra import extra
from chasles._items import _Check, _Folder, _asked, _here, _meaning, _options, _same, _there
from chasles._rows import (
    _Bodies,
    _Part,
    _agreed,
    _answers,
    _check_speck,
    _free,
    _is_lazy,
    _lazy,
    _refuse_beyond,
    _specks,
)
from chasles._shards import _Progress, _Teller, _client, _cores, _gathered, _rows_at_once, _shards

__all__ = ["Batch", "check_many", "edges_free", "first_contact_many"]



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
    extra("pyarrow", "dask")
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
