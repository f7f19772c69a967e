"""Shards on the workers of a cluster: what travels, what is done again, how it is told."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import hashlib
import itertools
import math
import operator
import os
import pickle
import sys
import threading
import time
import uuid
from collections.abc import Callable, Generator, Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from chasles._extra import extra


_Progress = Callable[[int, int], object]



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
        plugin = extra("distributed", "dask").get_worker().plugins.get(name)
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
    plugin = extra("distributed", "dask").WorkerPlugin()
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
    dask, distributed = extra("dask", "dask"), extra("distributed", "dask")
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
    except extra("distributed", "dask").KilledWorker as error:
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
    distributed = extra("distributed", "dask")
    if not isinstance(client, distributed.Client):
        raise TypeError(f"client: found {type(client).__name__}, expected a distributed.Client or None")
    if client.asynchronous:
        raise TypeError("client: found an asynchronous one, expected one that waits for answers")
    return client
