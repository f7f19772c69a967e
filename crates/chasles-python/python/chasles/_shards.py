"""Shards on the workers of a cluster: sending, repeating, progress."""

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



class _Cancelled(Exception):
    """The result of this shard is no longer needed."""


@dataclasses.dataclass(frozen=True)
class _Retry:
    """In place of a result: the shard must be computed again.

    It was cancelled, or the worker lacked the payload.
    """

    lacks_payload: bool


_CACHE_SIZE: Final = 4
"""The number of payloads that a worker caches. A payload may be large, and its tables larger still."""

_MAX_SENDS: Final = 5
"""How often the payload is sent again when a worker lacks it. In practice once was always enough."""

_cache: collections.OrderedDict[bytes, dict[int, Any]] = collections.OrderedDict()
_cache_lock = threading.Lock()


class _Payload:
    """Objects by their numbers, sent as bytes and unpickled once where they are used."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.made: dict[int, Any] | None = None
        self.digest = hashlib.sha256(data).digest()

    def value(self) -> dict[int, Any]:
        """The objects by their numbers."""
        with _cache_lock:
            if self.made is None:
                self.made = _cache.get(self.digest)
            if self.made is None:
                self.made = {number: pickle.loads(value) for number, value in pickle.loads(self.data).items()}
            _cache[self.digest] = self.made
            _cache.move_to_end(self.digest)
            while len(_cache) > _CACHE_SIZE:
                _cache.popitem(last=False)
            return self.made

    def __sizeof__(self) -> int:
        """The size for Dask, which plans transfers and memory with it."""
        return 2 * len(self.data)

    def __reduce__(self) -> tuple[type[_Payload], tuple[bytes]]:
        return _Payload, (self.data,)


def _pack(shared: dict[int, Any]) -> bytes:
    return _bytes({number: _bytes(value) for number, value in shared.items()})


def _bytes(value: Any) -> bytes:
    # One fixed protocol, because digests depend on these bytes. Dask gets bytes, because it searches other objects for
    # its own keys.
    return pickle.dumps(value, protocol=5)


def _work(data: bytes) -> Any:
    """On a worker: computes a shard."""
    name, compute, arguments = pickle.loads(data)
    shared: dict[int, Any] = {}
    if name is not None:
        plugin = extra("distributed", "dask").get_worker().plugins.get(name)
        if plugin is None:
            return _Retry(True)
        shared = plugin.payload.value()
    try:
        result = compute(arguments, shared, _cancellation_check())
    except _Cancelled:
        # If the shard is needed again since a moment ago, it is computed again.
        return _Retry(False)
    return result.tobytes() if isinstance(result, np.ndarray) else result


def _send(client: Any, name: str, payload: _Payload) -> None:
    """Sends a payload to each worker. The scheduler keeps it and sends it to later workers before their first task."""
    plugin = extra("distributed", "dask").WorkerPlugin()
    plugin.payload = payload
    for wait in (0.0, 0.2, 1.0, 3.0):
        time.sleep(wait)
        # Until the scheduler knows of the death of a worker, this may fail. All other workers have the payload then,
        # or report that they lack it.
        with contextlib.suppress(OSError):
            client.register_plugin(plugin, name=name)
            return


def _on_workers(
    client: Any,
    compute: Callable[[dict[str, Any], dict[int, Any], _Progress | None], Any],
    shared: dict[int, Any],
    shards: Iterable[range],
    make_arguments: Callable[[range], dict[str, Any]],
    alone: int,
) -> Generator[tuple[range, Any]]:
    """Computes shards on workers. The arguments of a shard are made when it is sent; ``shared`` is the payload.

    Yields shards with their results, each once, in the order in which they are finished. Errors are raised. When the
    caller leaves, unfinished shards are cancelled.

    Dask blames the death of a worker on all its shards, also on waiting ones. So shards that Dask gave up are computed
    again after all others, one at a time, in parts of ``alone`` rows. If no worker survives such a part, its result is
    the error ``KilledWorker``.
    """
    dask, distributed = extra("dask", "dask"), extra("distributed", "dask")
    todo, suspects = collections.deque(shards), collections.deque[range]()
    # Two calls may have the same arguments. Their shards need different names.
    name = f"chasles{compute.__name__}-{uuid.uuid4().hex}"
    numbers = itertools.count()
    completed = distributed.as_completed(loop=client.loop)
    pending: dict[Any, tuple[range, int]] = {}
    most, looked, sends = 0, -math.inf, 1
    payload = _Payload(_pack(shared))
    try:
        if todo and shared:
            _send(client, name, payload)
        while todo or pending or suspects:
            is_last = not todo and not pending
            if is_last:
                todo.append(suspects.popleft())
            if time.monotonic() - looked > 1.0:
                # Workers come and go. Each thread has one running and one waiting shard. The other shards stay here,
                # so that they do not fill the scheduler.
                most, looked = 2 * sum(client.nthreads().values()) + 8, time.monotonic()
            more = [todo.popleft() for _ in range(min(len(todo), most - len(pending)))]
            if more:
                tasks = [_bytes((name if shared else None, compute, make_arguments(piece))) for piece in more]
                keys = [(name, next(numbers)) for _ in more]
                # Long shards are large, by the caller's choice, so Dask's warning about size is of no use.
                with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PiB"}):
                    futures = client.map(_work, tasks, key=keys, pure=False)
                pending.update((future, (piece, sends)) for future, piece in zip(futures, more))
                completed.update(futures)
            # All finished shards are fetched at once, while other shards are computed.
            ready = completed.next_batch()
            lacks_payload = False
            for future, result in zip(ready, _results(client, ready)):
                piece, round_number = pending.pop(future)
                if isinstance(result, _Retry):
                    todo.append(piece)
                    # Only shards sent after the last payload count.
                    lacks_payload |= result.lacks_payload and round_number == sends
                elif isinstance(result, distributed.KilledWorker) and not is_last:
                    suspects.extend(piece[first : first + alone] for first in range(0, len(piece), alone))
                else:
                    yield piece, result
            if lacks_payload:
                if sends == _MAX_SENDS:
                    raise RuntimeError("client: found workers that lack what was sent to them, however often it was")
                sends += 1
                _send(client, name, payload)
    finally:
        # The client may be closed. Then its tasks are cancelled already.
        with contextlib.suppress(Exception):
            if pending:
                client.cancel(list(pending))
        with contextlib.suppress(Exception):
            if shared:
                client.unregister_worker_plugin(name)


def _results(client: Any, futures: list[Any]) -> list[Any]:
    """The results of finished shards. If their worker has died since, Dask computes them again, which takes time."""
    try:
        result: list[Any] = client.gather(futures)
        return result
    except Exception:
        # A result has failed, so each is fetched alone.
        return [_result(future) for future in futures]


def _result(future: Any) -> Any:
    try:
        return future.result()
    except extra("distributed", "dask").KilledWorker as error:
        return error


def _cancellation_check() -> _Progress | None:
    """On a worker: a progress function that ends a cancelled shard.

    Dask has no interface for this, and lets a cancelled task run to its end. So the function reads the state of the
    worker. If another version of Dask stores this state elsewhere, cancelled shards run to their end again.
    """
    distributed: Any = sys.modules.get("distributed")
    try:
        worker = distributed.get_worker()
        key, tasks = worker.get_current_task(), worker.state.tasks
    except (AttributeError, ValueError):
        return None

    def check(done: int, total: int) -> None:
        if getattr(tasks.get(key), "state", None) == "cancelled":
            raise _Cancelled

    return check


def _shards(count: int, shard: int) -> list[range]:
    """The ranges of rows or items of all shards."""
    return [range(first, min(first + shard, count)) for first in range(0, count, shard)]


def _gather(
    client: Any,
    compute: Callable[[dict[str, Any], dict[int, Any], _Progress | None], npt.NDArray[Any]],
    shared: dict[int, Any],
    shards: list[range],
    make_arguments: Callable[[range], dict[str, Any]],
    results: npt.NDArray[Any],
    progress: _Progress | None,
) -> npt.NDArray[Any]:
    """Computes all shards and puts their results into one array."""
    reporter = _ProgressReporter(progress, len(results))
    with contextlib.closing(_on_workers(client, compute, shared, shards, make_arguments, len(results))) as completed:
        for piece, result in completed:
            if isinstance(result, Exception):
                raise result
            results[piece.start : piece.stop] = np.frombuffer(result, results.dtype)
            reporter.add(len(piece))
    reporter.end()
    return results


class _ProgressReporter:
    """Reports the progress of a call."""

    def __init__(self, progress: _Progress | None, total: int) -> None:
        if progress is not None and not callable(progress):
            raise TypeError(f"progress: found {type(progress).__name__}, expected something to call, or None")
        self.progress, self.total = progress, total
        self.done, self.last_report = 0, -math.inf

    def add(self, count: int) -> None:
        self.done += count
        now = time.monotonic()
        if self.progress is not None and count and self.done < self.total and now - self.last_report >= 0.05:
            self.last_report = now
            self.progress(self.done, self.total)

    def end(self) -> None:
        if self.progress is not None:
            self.progress(self.total, self.total)


def _cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _rows_at_once(shard: int) -> int:
    """The length of shards, checked."""
    if isinstance(shard, bool) or not hasattr(shard, "__index__"):
        raise TypeError(f"shard: found {type(shard).__name__}, expected a whole number from 1 on")
    number = operator.index(shard)
    if number < 1:
        raise ValueError(f"shard: found {number}, expected a whole number from 1 on")
    return number


def _client(client: Any) -> Any:
    """A synchronous client, checked."""
    distributed = extra("distributed", "dask")
    if not isinstance(client, distributed.Client):
        raise TypeError(f"client: found {type(client).__name__}, expected a distributed.Client or None")
    if client.asynchronous:
        raise TypeError("client: found an asynchronous one, expected one that waits for answers")
    return client
