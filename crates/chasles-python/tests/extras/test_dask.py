"""The same answers on workers as here, in shards, in folders, and when workers die."""

from __future__ import annotations

import os
import pathlib
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from conftest import URDF, ball, cube, motions

import chasles

distributed, dask = pytest.importorskip("distributed"), pytest.importorskip("dask")
pq, da = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("dask.array")

import chasles._rows  # noqa: E402
import chasles._shards  # noqa: E402
import chasles.dask  # noqa: E402

# Much of distributed has no types.
Client: Any = distributed.Client

SCENE = """format = 1
duration = 2.0

[[body]]
name = "block"
box = [1, 1, 1]

[[body]]
name = "cart"
box = [1, 1, 1]
pose = { position = [3, HEIGHT, 0] }
motion = { kind = "twist", linear = [-2, 0, 0], angular = [0.3, 0, 0.1] }
"""


def cluster_of(workers: int = 2) -> Any:
    return distributed.LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with cluster_of() as cluster, Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def queries() -> tuple[Any, ...]:
    return chasles.Body(chasles.Mesh(*ball(12, 0.2))), chasles.Body(chasles.Mesh(*ball(9, 0.1))), *motions(6, 150)


@pytest.fixture(scope="module")
def want(queries: Any) -> Any:
    return chasles.first_contact_many(*queries)


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> list[pathlib.Path]:
    """Scenes that are clear, and others that are not."""
    folder = tmp_path_factory.mktemp("scenes")
    for number in range(14):
        (folder / f"{number:02}.toml").write_text(SCENE.replace("HEIGHT", str(0.2 * number)))
    return sorted(folder.glob("*.toml"))


@pytest.fixture(scope="module")
def here(scenes: list[pathlib.Path]) -> chasles.dask.Batch:
    return chasles.dask.check_many(scenes)


def bits(array: Any) -> bytes:
    return np.ascontiguousarray(array).tobytes()


def edges(count: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    q0 = rng.uniform([-2.5, -1.5], [2.5, 1.5], (count, 2))
    return q0, np.clip(q0 + rng.uniform(-0.5, 0.5, q0.shape), [-3, -2], [3, 2])


# Queries.


@pytest.mark.parametrize("shard", [1, 7, 64, 10_000])
def test_shards_do_not_matter(client: Client, queries: Any, want: Any, shard: int) -> None:
    some = 12 if shard == 1 else len(want)
    told: list[tuple[int, int]] = []
    a, b, starts, ends = queries
    options: Any = {"client": client, "shard": shard, "progress": lambda *at: told.append(at)}
    got = chasles.dask.first_contact_many(a, b, starts[:some], ends[:some], **options)
    assert got.dtype == chasles.PREDICTION and bits(got) == bits(want[:some]) and told[-1] == (some, some)


def test_all_forms_of_arguments(client: Client, queries: Any, want: Any) -> None:
    a, b, starts, ends = queries
    mesh, others = a.mesh, [b, a, b.mesh, chasles.Body(chasles.Mesh(*cube()))]
    each = [others[k % 4] for k in range(150)]
    screws = [chasles.Screw.between(start, end) for start, end in zip(starts, ends)]
    matrices = np.array([chasles.Pose(start[:3], start[3:]).matrix for start in starts])
    poses = [chasles.Pose(end[:3], end[3:]) for end in ends]
    forms: list[Any] = [
        (mesh, b, starts, ends),
        (a, each, starts, ends),
        (each, tuple(reversed(each)), starts.astype("f4"), ends),
        (a, b, screws),
        ([a], b, screws[0]),
        (a, b, matrices, poses),
        (a, b, starts[0], ends),
        (a, b, np.asfortranarray(starts)[::-1], chasles.Pose()),
        (a, b, (starts[0][:3], starts[0][3:]), ends),
        (a, each[:5], starts[0], ends[0]),
        (a, b, starts[0].tolist(), ends[0]),
        (a, b, starts[:0], ends[:0]),
        ([], b, starts[0], ends[0]),
    ]
    for arguments in forms:
        here = chasles.first_contact_many(*arguments)
        assert bits(chasles.dask.first_contact_many(*arguments, client=client, shard=40)) == bits(here)
    options: Any = {"tolerance": 1e-6, "deviation": 1e-3, "budget": 1000}
    here = chasles.first_contact_many(*queries, **options)
    assert bits(here) != bits(want)
    assert bits(chasles.dask.first_contact_many(*queries, client=client, threads=2, **options)) == bits(here)


def test_bodies_of_one_shard_travel_with_it(client: Client) -> None:
    each = [chasles.Body(chasles.Mesh(*cube(0.3 + 0.02 * k))) for k in range(30)]
    sides = [each[k // 5] for k in range(150)], [each[k * 7 % 30 if k < 20 else 0] for k in range(150)]
    shards = chasles._shards._shards(150, 20)
    assert 0 < len(chasles._rows._Bodies(*sides).shared(shards)) < 30
    got = chasles.dask.first_contact_many(*sides, *motions(2, 150), client=client, shard=20)
    assert bits(got) == bits(chasles.first_contact_many(*sides, *motions(2, 150)))


@pytest.mark.parametrize(
    "says, change",
    [
        (r"starts\[77\]", {"starts": (77, 0, np.nan)}),
        (r"ends\[149\]", {"ends": (149, slice(3, 7), 0)}),
        ("ends: found 149, expected 150", {"ends": slice(149)}),
        ("starts: found shape", {"starts": (slice(None), slice(6))}),
        ("starts.*complex", {"starts": complex}),
    ],
)
def test_bad_rows_are_told_before_anything_is_sent(client: Client, queries: Any, says: str, change: Any) -> None:
    arrays = {"starts": queries[2].copy(), "ends": queries[3].copy()}
    for name, how in change.items():
        if isinstance(how, tuple) and len(how) == 3:
            arrays[name][how[:2]] = how[2]
        else:
            arrays[name] = arrays[name].astype(how) if how is complex else arrays[name][how]
    told: list[Any] = []
    with pytest.raises((ValueError, TypeError), match=says) as here:
        chasles.first_contact_many(*queries[:2], **arrays)
    with pytest.raises(here.type, match=says) as there:
        chasles.dask.first_contact_many(
            *queries[:2], **arrays, client=client, shard=5, progress=lambda *at: told.append(at)
        )
    assert str(here.value) == str(there.value) and not told


def test_matrices_that_are_nearly_rigid(client: Client, queries: Any) -> None:
    a, b, starts, ends = queries
    turned = np.array([chasles.Pose(start[:3], start[3:]).matrix for start in starts])
    turned[3, 0, 0] += 5e-7
    got = chasles.dask.first_contact_many(a, b, turned.astype("f4"), ends, client=client, shard=50)
    assert bits(got) == bits(chasles.first_contact_many(a, b, turned.astype("f4"), ends))
    turned[120, 0, 0] += 1e-3
    with pytest.raises(ValueError, match=r"starts\[120\]"):
        chasles.dask.first_contact_many(a, b, turned, ends, client=client, shard=50)


@pytest.mark.parametrize(
    "kind, says, change",
    [
        (ValueError, "shard", {"shard": 0}),
        (TypeError, "shard", {"shard": "3"}),
        (TypeError, "shard", {"shard": True}),
        (TypeError, "client", {"client": 3}),
        (ValueError, "threads", {"threads": 0}),
        (ValueError, "tolerance", {"tolerance": -1.0}),
        (ValueError, "budget", {"budget": -1}),
        (TypeError, "progress", {"progress": 3}),
        (TypeError, r"a\[1\]", {"a": ["x", "y"]}),
        (TypeError, "b: found int", {"b": 3}),
        (TypeError, "tolerence", {"tolerence": 3}),
    ],
)
def test_arguments_are_refused_by_name(client: Client, queries: Any, kind: Any, says: str, change: Any) -> None:
    if change.get("a"):
        change = {"a": [queries[0], 7]}
    arguments = {**dict(zip(("a", "b", "starts", "ends"), queries)), "client": client, **change}
    with pytest.raises(kind, match=says):
        chasles.dask.first_contact_many(**arguments)


# Dask arrays.


def test_lazy_queries(client: Client, queries: Any, want: Any) -> None:
    a, b, starts, ends = queries
    matrices = np.array([chasles.Pose(end[:3], end[3:]).matrix for end in ends])
    each = [b if k % 3 else a for k in range(150)]
    poses = [chasles.Pose(end[:3], end[3:]) for end in ends]
    lazy = da.from_array(starts, chunks=(40, 3))
    for second, plain in (
        (da.from_array(ends, chunks=(70, 7)), ends),
        (da.from_array(matrices, chunks=(40, 2, 3)), matrices),
        (ends, ends),
        (matrices, matrices),
        (ends[0], ends[0]),
        (poses, poses),
    ):
        for other in (b, each):
            got = chasles.dask.first_contact_many(a, other, lazy, second)
            assert isinstance(got, da.Array) and got.shape == (150,) and got.dtype == chasles.PREDICTION
            here = chasles.first_contact_many(a, other, starts, plain)
            assert bits(got.compute(scheduler="threads")) == bits(here)
            assert bits(got[33:85].compute()) == bits(here[33:85])
    assert chasles.dask.first_contact_many(a, b, lazy, ends).chunks == ((40, 40, 40, 30),)
    assert bits(chasles.dask.first_contact_many(a, b, starts, da.from_array(ends, chunks=-1)).compute()) == bits(want)
    none = chasles.dask.first_contact_many(a, b, da.from_array(starts[:0], chunks=(1, 7)), ends[:0])
    assert none.compute().shape == (0,)
    assert (chasles.dask.first_contact_many(a, b, lazy, ends)["verdict"].compute() == want["verdict"]).all()


def test_lazy_rows_are_told_by_their_numbers(client: Client, queries: Any) -> None:
    a, b, starts, ends = queries
    bad = starts.copy()
    bad[101, 2] = np.inf
    lazy = chasles.dask.first_contact_many(a, b, da.from_array(bad, chunks=(40, 7)), ends)
    for scheduler in ("threads", client):
        with pytest.raises(ValueError, match=r"starts\[101\]"):
            lazy.compute(scheduler=scheduler)
    assert lazy[:40].compute().shape == (40,)
    some = da.from_array(starts, chunks=(40, 7))
    for says, second in (
        ("unknown size", da.from_array(ends, chunks=(40, 7))[da.from_array(ends[:, 0], chunks=40) > 0]),
        ("ends: found shape", da.from_array(ends[:, :6], chunks=40)),
        ("ends.*found 149, expected 150", ends[:149]),
        ("ends.*complex", da.from_array(ends.astype(complex), chunks=40)),
        ("ends: found None", None),
    ):
        with pytest.raises((ValueError, TypeError), match=says):
            chasles.dask.first_contact_many(a, b, some, second)


def test_lazy_edges(client: Client, arm: chasles.Robot) -> None:
    q0, q1 = edges(60)
    codes = arm.check_edges(q0, q1)
    lazy = chasles.dask.check_edges(arm, da.from_array(q0, chunks=(25, 1)), da.from_array(q1, chunks=(20, 2)))
    assert lazy.dtype == np.uint8 and bits(lazy.compute()) == bits(codes)
    one = chasles.dask.check_edges(arm, q0[0], da.from_array(q1, chunks=(25, 2)))
    assert bits(one.compute(scheduler="threads")) == bits(arm.check_edges(q0[0], q1))
    mask = chasles.dask.edges_free(arm, da.from_array(q0, chunks=(25, 1)), q1)
    assert mask.dtype == np.bool_ and (mask.compute(scheduler="threads") == (codes == chasles.CLEAR)).all()
    starts = chasles.dask.check_configurations(arm, da.from_array(q0, chunks=(25, 1)))
    assert bits(starts.compute(scheduler="threads")) == bits(arm.check_configurations(q0))
    starts = chasles.dask.configurations_free(arm, da.from_array(q0, chunks=(25, 1)))
    assert bits(starts.compute(scheduler="threads")) == bits(arm.configurations_free(q0))
    q1[44, 1] = 9
    with pytest.raises(ValueError, match=r"q1\[44\].*elbow"):
        chasles.dask.check_edges(arm, q0, da.from_array(q1, chunks=(25, 2))).compute()


# Edges.


def test_edges(client: Client, arm: chasles.Robot) -> None:
    q0, q1 = edges(90)
    codes = arm.check_edges(q0, q1)
    assert {0, 3} <= set(codes.tolist())
    told: list[tuple[int, int]] = []
    for options in ({}, {"client": client, "shard": 20, "progress": lambda *at: told.append(at)}, {"client": client}):
        assert bits(chasles.dask.check_edges(arm, q0, q1, **options)) == bits(codes)
    assert told[-1] == (90, 90)
    for q, r in ((q0[0], q1), (q0, q1[0]), (q0[0], q1[0]), (q0[:0], q1[:0])):
        assert bits(chasles.dask.check_edges(arm, q, r, client=client, shard=20)) == bits(arm.check_edges(q, r))
    budget = chasles.dask.check_edges(arm, q0, q1, client=client, budget=0)
    assert bits(budget) == bits(arm.check_edges(q0, q1, budget=0))


def test_masks_and_configurations(client: Client, arm: chasles.Robot) -> None:
    q0, q1 = edges(3000)
    for options in ({}, {"client": client, "shard": 700}):
        for budget in (None, 0):
            codes = chasles.dask.check_edges(arm, q0, q1, budget=budget, **options)
            mask = chasles.dask.edges_free(arm, q0, q1, budget=budget, **options)
            assert mask.dtype == np.bool_ and bits(mask) == bits(codes == chasles.CLEAR)
            assert {chasles.CLEAR, chasles.CONTACT} <= set(codes.tolist())
            assert (chasles.UNDECIDED in codes) == (budget == 0)
            codes = chasles.dask.check_configurations(arm, q0, budget=budget, **options)
            assert bits(codes) == bits(arm.check_configurations(q0, budget=budget))
            mask = chasles.dask.configurations_free(arm, q0, budget=budget, **options)
            assert mask.dtype == np.bool_ and bits(mask) == bits(codes == chasles.CLEAR)
        assert chasles.dask.configurations_free(arm, q0[0], **options).tolist() == arm.configurations_free(q0[0]).tolist()
    for bad, says in (([[0, 0], [4, 0]], r"q\[1\].*shoulder"), ([0, -3], "q: .*elbow"), (np.zeros((3, 3)), "q.*shape")):
        with pytest.raises(ValueError, match=says) as here:
            arm.check_configurations(bad)
        with pytest.raises(ValueError, match=says) as there:
            chasles.dask.check_configurations(arm, bad, client=client)
        assert str(here.value) == str(there.value)


@pytest.mark.parametrize(
    "says, q0, q1",
    [
        (r"q1\[1\].*shoulder", np.zeros((2, 2)), [[0, 0], [4, 0]]),
        (r"q0\[0\].*elbow", [[0, np.nan], [0, 0]], np.zeros((2, 2))),
        ("q1.*elbow", np.zeros((2, 2)), [0, -3]),
        ("q1.*2.*3", np.zeros((3, 2)), np.zeros((2, 2))),
        ("q0.*shape", np.zeros((3, 3)), np.zeros((3, 3))),
        ("q0", "a", "b"),
    ],
)
def test_bad_edges_are_told_as_here(client: Client, arm: chasles.Robot, says: str, q0: Any, q1: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=says) as here:
        arm.check_edges(q0, q1)
    with pytest.raises(here.type, match=says) as there:
        chasles.dask.check_edges(arm, q0, q1, client=client)
    assert str(here.value) == str(there.value)


def test_limits_have_the_slack_of_the_robot(client: Client, arm: chasles.Robot) -> None:
    least = np.tile(arm.limits[:, 0] - 1e-6, (3, 1))
    assert bits(chasles.dask.check_edges(arm, least, least, client=client)) == bits(arm.check_edges(least, least))
    with pytest.raises(TypeError, match="robot: found int"):
        chasles.dask.check_edges(3, least, least)  # type: ignore[arg-type]


# What travels, and what is lost.


def counted() -> None:
    """On a worker: counts what arrives, and what is made of it."""
    import chasles._shards as module

    counts = {"arrived": 0, "unpacked": 0}
    init, loads = module._Payload.__init__, pickle.loads

    def arrives(self: Any, blob: bytes) -> None:
        counts["arrived"] += 1
        init(self, blob)

    class Counting:
        dumps = staticmethod(pickle.dumps)

        @staticmethod
        def loads(blob: bytes) -> Any:
            made = loads(blob)
            counts["unpacked"] += isinstance(made, chasles.Body)
            return made

    vars(module)["_counts"] = counts
    setattr(module._Payload, "__init__", arrives)
    vars(module)["pickle"] = Counting


def seen() -> dict[str, int]:
    import chasles._shards as module

    counts: dict[str, int] = vars(module)["_counts"]
    return counts


def plugins(dask_worker: Any) -> list[str]:
    return [name for name in dask_worker.plugins if name.startswith("chasles")]


def test_a_body_travels_once_a_worker(queries: Any, want: Any) -> None:
    with cluster_of() as cluster, Client(cluster) as client:
        client.run(counted)
        for calls in (1, 2):
            assert bits(chasles.dask.first_contact_many(*queries, client=client, shard=3)) == bits(want)
            for counts in client.run(seen).values():
                # It arrives once a call; both bodies are made once, and their trees with them.
                assert counts["arrived"] == calls and counts["unpacked"] in (0, 2)
        assert client.run(plugins) == dict.fromkeys(client.run(plugins), [])


def test_a_worker_that_lacks_what_is_shared_is_given_it(
    queries: Any, want: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with cluster_of() as cluster, Client(cluster) as client:
        give, given = chasles._shards._send, []

        def late(*arguments: Any) -> None:
            given.append(arguments)
            if len(given) > 1:
                give(*arguments)

        monkeypatch.setattr(chasles._shards, "_send", late)
        assert bits(chasles.dask.first_contact_many(*queries, client=client, shard=20)) == bits(want)
        assert len(given) == 2
        monkeypatch.setattr(chasles._shards, "_send", lambda *arguments: None)
        with pytest.raises(RuntimeError, match="client"):
            chasles.dask.first_contact_many(*queries, client=client, shard=20)


def test_all_workers_die(queries: Any, want: Any) -> None:
    with cluster_of() as cluster, Client(cluster) as client:
        killed: list[int] = []

        def kill(done: int, total: int) -> None:
            if not killed and done < total:
                # Whatever had the bodies is gone, and all results that were not handed over.
                killed.extend(client.run(os.getpid).values())
                for process in killed:
                    os.kill(process, signal.SIGKILL)

        got = chasles.dask.first_contact_many(*queries, client=client, shard=5, progress=kill)
        assert len(killed) == 2 and bits(got) == bits(want)


def test_workers_die_at_odd_times(scenes: Any, here: Any, tmp_path: pathlib.Path) -> None:
    with cluster_of(3) as cluster, Client(cluster) as client:
        over = threading.Event()

        def kill() -> None:
            for number in range(3):
                # One that is being started is left alone: its nanny would give it up.
                while len(client.nthreads()) < 3:
                    if over.wait(0.1):
                        return
                processes = list(client.run(os.getpid, on_error="ignore").values())
                os.kill(processes[number % len(processes)], signal.SIGKILL)
                if over.wait(0.2 + 0.3 * number):
                    return

        killer = threading.Thread(target=kill)
        killer.start()
        for number in range(3):
            got = chasles.dask.check_many(scenes * 4, client=client, shard=2, out=tmp_path / str(number))
            assert got.items["verdict"].to_pylist() == here.items["verdict"].to_pylist() * 4
            assert got.intervals.num_rows == 4 * here.intervals.num_rows and got.computed == 28
        over.set()
        killer.join()


class Deadly:
    """Whoever unpacks it is no more."""

    def __reduce__(self) -> Any:
        return os._exit, (3,)


def test_an_item_that_no_worker_survives(arm: chasles.Robot) -> None:
    path = ([0.0, 1.0], [[0.0, 0.0], [0.5, 0.0]])
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        cluster_of() as cluster,
        Client(cluster) as client,
    ):
        got = chasles.dask.check_many([path, path, (Deadly(), path[1]), path], robot=arm, client=client, shard=3)
        assert got.items["verdict"].to_pylist() == ["clear", "clear", "error", "clear"]
        assert "no worker survived it" in got.items["message"].to_pylist()[2]


def test_a_call_that_ends_leaves_the_workers_free(client: Client) -> None:
    big = chasles.Body(chasles.Mesh(*ball(120, 0.2)))
    starts, ends = motions(3, 4000)

    def stop(done: int, total: int) -> None:
        raise KeyError("enough")

    begin = time.perf_counter()
    with pytest.raises(KeyError, match="enough"):
        chasles.dask.first_contact_many(
            big, big, np.r_[starts[:1], starts], np.r_[starts[:1], ends], client=client, shard=1, progress=stop
        )
    deadline = time.perf_counter() + 30
    while any(client.processing().values()) and time.perf_counter() < deadline:
        time.sleep(0.05)
    assert not any(client.processing().values()) and time.perf_counter() - begin < 60


INTERRUPTED = """
    import os, signal, sys, threading, time
    import numpy as np
    sys.path.insert(0, {tests!r})
    from conftest import ball, motions
    import chasles, chasles.dask
    from distributed import Client, LocalCluster

    if __name__ == "__main__":
        body = chasles.Body(chasles.Mesh(*ball(40, 0.3)))
        starts, ends = motions(1, 200_000)
        options = dict(n_workers=1, threads_per_worker=1, dashboard_address=None)
        with LocalCluster(**options) as cluster, Client(cluster) as client:
            told = []
            threading.Timer(3.0, lambda: (told.append(time.monotonic()), os.kill(os.getpid(), signal.SIGINT))).start()
            try:
                chasles.dask.first_contact_many(body, body, starts, ends, client=client, shard=100_000)
                print("done")
            except KeyboardInterrupt:
                print("ended", time.monotonic() - told[0])
            # The worker has a shard of minutes in hand, which it leaves.
            begin = time.monotonic()
            client.submit(int, 3, pure=False).result()
            print("free", time.monotonic() - begin)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_ends_a_call_and_what_workers_have_in_hand(tmp_path: pathlib.Path) -> None:
    program = tmp_path / "interrupted.py"
    program.write_text(textwrap.dedent(INTERRUPTED.format(tests=str(pathlib.Path(__file__).parents[1]))))
    told = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=120)
    words = dict(line.split() for line in told.stdout.splitlines())
    assert float(words["ended"]) < 5 and float(words["free"]) < 10, told.stdout + told.stderr[-2000:]


# Batches of scenes and paths.


def test_a_batch_tells_what_reports_tell(scenes: Any, here: chasles.dask.Batch) -> None:
    assert here.items.column_names == ["item", "verdict", "message"] and here.computed == 1
    assert here.items["item"].to_pylist() == [str(scene) for scene in scenes]
    assert {"clear", "contact"} <= set(here.items["verdict"].to_pylist()) and set(
        here.items["message"].to_pylist()
    ) == {""}
    for scene in scenes[:3]:
        arrays = chasles.Scene.load(scene).check().to_arrays()
        mine = here.intervals.filter(np.array([item == str(scene) for item in here.intervals["item"].to_pylist()]))
        assert here.intervals.column_names == ["item", *arrays]
        for name, values in arrays.items():
            assert repr(mine[name].to_pylist()) == repr(values.tolist())
    listed = chasles.dask.check_many(scenes[:3], all_pairs=True, threads=1)
    assert listed.intervals.num_rows == 3
    near = chasles.dask.check_many(scenes, clearance=5.0)
    assert "near" in near.items["verdict"].to_pylist()


@pytest.mark.parametrize("shard", [1, 4, 100])
def test_batches_on_workers(client: Client, scenes: Any, here: chasles.dask.Batch, shard: int) -> None:
    got = chasles.dask.check_many(scenes, client=client, shard=shard)
    assert got.computed == -(-len(scenes) // shard)
    assert got == chasles.dask.Batch(here.items, here.intervals, got.computed)
    loaded = [chasles.Scene.load(scene) for scene in scenes[:5]]
    both = [chasles.dask.check_many(loaded, client=c, shard=2) for c in (None, client)]
    assert both[0] == both[1] and both[0].items["item"].to_pylist() == [f"items[{k}]" for k in range(5)]
    assert both[0].items["verdict"].to_pylist() == here.items["verdict"].to_pylist()[:5]


def test_a_batch_is_a_value(here: chasles.dask.Batch) -> None:
    assert pickle.loads(pickle.dumps(here)) == here and here != 3
    assert here != chasles.dask.Batch(here.items, here.intervals[:1], here.computed)
    with pytest.raises(TypeError, match="verdict"):
        bool(here)


def test_nothing_to_do(client: Client, tmp_path: pathlib.Path) -> None:
    told: list[Any] = []
    for options in ({}, {"client": client}, {"out": tmp_path / "out"}):
        got = chasles.dask.check_many([], progress=lambda *at: told.append(at), **options)
        assert got.items.num_rows == got.intervals.num_rows == got.computed == 0
        assert got.intervals.column_names[:4] == ["item", "a", "b", "verdict"]
    assert told == [(0, 0)] * 3


def test_bad_items_do_not_stop_the_others(
    client: Client, scenes: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bad.toml").write_text("format = 1\nduration = -1\n")
    monkeypatch.chdir(tmp_path)
    items = [scenes[0], "bad.toml", scenes[1], pathlib.Path("gone.toml"), chasles.Scene(1.0)]
    for c in (None, client):
        got = chasles.dask.check_many(items, client=c, shard=2)
        verdicts, messages = got.items["verdict"].to_pylist(), got.items["message"].to_pylist()
        assert [v == "error" for v in verdicts] == [bool(m) for m in messages] == [False, True, False, True, True]
        # Relative paths are told as they were given.
        assert got.items["item"].to_pylist()[1::2] == ["bad.toml", "gone.toml"]
        assert "bad.toml" in messages[1] and "gone.toml" in messages[3] and str(tmp_path) not in "".join(messages)
        assert "error" not in got.intervals["verdict"].to_pylist()


@pytest.mark.parametrize(
    "kind, says, items, options",
    [
        (TypeError, "items: found str", "scene.toml", {}),
        (TypeError, "items: found NoneType", None, {}),
        (TypeError, "items: found PosixPath", pathlib.Path("x"), {}),
        (TypeError, r"items\[0\]: found int", [3], {}),
        (TypeError, r"items\[1\]: found bytes", ["x", b"x"], {}),
        (TypeError, r"items\[0\]: found tuple", [([0, 1], [[0], [1]])], {}),
        (TypeError, "clearence", ["x"], {"clearence": 1}),
        (TypeError, "names", ["x"], {"names": ["elbow"]}),
        (TypeError, "robot", ["x"], {"robot": "arm.urdf"}),
        (TypeError, "client", ["x"], {"client": "here"}),
        (ValueError, "shard", ["x"], {"shard": 0}),
        (ValueError, "clearance", ["x"], {"clearance": -1.0}),
        (ValueError, "threads", ["x"], {"threads": 0}),
        (TypeError, "progress", ["x"], {"progress": 1}),
        (TypeError, "out", ["x"], {"out": b"x"}),
    ],
)
def test_bad_batches_are_refused(kind: Any, says: str, items: Any, options: Any) -> None:
    with pytest.raises(kind, match=says):
        chasles.dask.check_many(items, **options)


def test_paths_of_a_robot(client: Client, arm: chasles.Robot, tmp_path: pathlib.Path) -> None:
    (tmp_path / "p.csv").write_text("time,shoulder\n0,-0.5\n1,1.5\n3,0.2\n")
    (tmp_path / "bad.csv").write_text("time,shoulder\n0,-0.5\n")
    times, joints = [0, 1, 3], [[-0.5, 0], [1.5, 0], [0.2, 0]]
    items = [
        tmp_path / "p.csv",
        (times, joints),
        tmp_path / "bad.csv",
        (times, joints[:2]),
        [np.arange(3.0), np.zeros((3, 2))],
    ]
    both = [chasles.dask.check_many(items, robot=arm, client=c, shard=2) for c in (None, client)]
    assert both[0] == both[1] and both[0].items["verdict"].to_pylist() == [
        "contact",
        "contact",
        "error",
        "error",
        "clear",
    ]
    table = both[0].intervals
    assert table.column_names[-2:] == ["shoulder", "elbow"]
    rows = {item: [row for row in table.to_pylist() if row["item"] == item] for item in set(table["item"].to_pylist())}
    file, arrays = rows[str(tmp_path / "p.csv")], rows["items[1]"]
    assert [row["shoulder"] for row in file] == [row["shoulder"] for row in arrays]
    # The file names one joint, the arrays name both.
    assert all(row["elbow"] != row["elbow"] for row in file) and any(row["elbow"] == 0 for row in arrays)
    named = chasles.dask.check_many([(times, np.array(joints)[:, :1])], robot=arm, names=["shoulder"])
    assert named.items["verdict"].to_pylist() == ["contact"]
    with pytest.raises(TypeError, match=r"names.*check_file of items\[0\]"):
        chasles.dask.check_many([tmp_path / "p.csv"], robot=arm, names=["shoulder"])
    with pytest.raises(TypeError, match=r"items\[0\]: found Scene"):
        chasles.dask.check_many([chasles.Scene(1.0)], robot=arm)


def test_a_joint_called_as_a_column(tmp_path: pathlib.Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF.replace('"elbow"', '"gap"'))
    with pytest.raises(ValueError, match="joint 'gap'"):
        chasles.dask.check_many([], robot=chasles.Robot.load(tmp_path / "arm.urdf"))


def test_progress_is_told_here(client: Client, scenes: Any) -> None:
    for c in (None, client):
        told: list[Any] = []

        def tell(done: int, total: int) -> None:
            told.append((time.monotonic(), done, total, threading.get_ident()))

        chasles.dask.check_many(scenes * 3, client=c, shard=2, progress=tell)
        assert (
            told[-1][1:3] == (42, 42)
            and {at[3] for at in told} == {threading.get_ident()}
            and {at[2] for at in told} == {42}
        )
        assert [at[1] for at in told] == sorted(at[1] for at in told)
        assert all(second[0] - first[0] > 0.045 for first, second in zip(told[:-2], told[1:-1]))

        def fail(done: int, total: int) -> None:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            chasles.dask.check_many(scenes * 3, client=c, shard=2, progress=fail)


# Folders.


def shards(folder: pathlib.Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in sorted(folder.glob("*-*.parquet"))}


def test_a_folder_keeps_what_is_done(
    client: Client, scenes: Any, here: chasles.dask.Batch, tmp_path: pathlib.Path
) -> None:
    out = tmp_path / "deep" / "out"
    got = chasles.dask.check_many(scenes, client=client, out=out, shard=5)
    assert got.computed == 3 and got.items.equals(here.items)
    kept = shards(out)
    assert list(kept) == sorted(f"{kind}-0000{k}.parquet" for kind in ("items", "intervals") for k in range(3))
    assert pq.read_table(out / "items-00001.parquet").to_pylist() == here.items.to_pylist()[5:10]
    again = chasles.dask.check_many(scenes, out=str(out), shard=5)
    assert again == chasles.dask.Batch(got.items, got.intervals, 0) and shards(out) == kept
    # A call that was cut off after the intervals of a shard, and in the middle of writing another file.
    (out / "items-00001.parquet").unlink()
    (out / ".items-00001.parquet.0123456789abcdef0123456789abcdef.tmp").write_bytes(b"PAR1")
    (out / "of-another.tmp").write_bytes(b"x")
    told: list[Any] = []
    again = chasles.dask.check_many(scenes, out=out, shard=5, progress=lambda *at: told.append(at))
    assert again == chasles.dask.Batch(got.items, got.intervals, 1) and told[0] == (5, 14) and told[-1] == (14, 14)
    assert {name for name, at in shards(out).items() if kept[name] != at} == {
        "items-00001.parquet",
        "intervals-00001.parquet",
    }
    assert sorted(p.name for p in out.iterdir() if p.suffix == ".tmp") == ["of-another.tmp"]


def test_a_call_that_fails_keeps_what_was_done(client: Client, scenes: Any, here: Any, tmp_path: pathlib.Path) -> None:
    for number, c in enumerate((None, client)):
        out = tmp_path / str(number)

        def fail(done: int, total: int) -> None:
            if done >= 4:
                raise InterruptedError

        with pytest.raises(InterruptedError):
            chasles.dask.check_many(scenes, client=c, out=out, shard=2, progress=fail)
        done = len(list(out.glob("items-*.parquet")))
        assert done >= 1 and not list(out.glob(".*.tmp"))
        again = chasles.dask.check_many(scenes, client=c, out=out, shard=2)
        assert again.computed == 7 - done and again.items.equals(here.items)


def test_other_batches_are_refused(
    scenes: Any, arm: chasles.Robot, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    chasles.dask.check_many(scenes[:4], out=out, shard=2)
    kept = shards(out)

    def refused(says: str, items: Any = scenes[:4], **options: Any) -> None:
        with pytest.raises(chasles.Error, match=says) as error:
            chasles.dask.check_many(items, **{"out": out, "shard": 2, **options})
        assert error.value.file is not None and error.value.file.startswith(str(out)) and "out" in str(error.value)
        assert shards(out) == kept

    refused("shard", shard=3)
    refused("options", clearance=0.01)
    refused("options", all_pairs=True)
    refused("items", scenes[1:5])
    refused("count", scenes[:3])
    refused("robot", [], robot=arm)
    refused("items", [chasles.Scene.load(scene) for scene in scenes[:4]])
    monkeypatch.chdir(scenes[0].parent)
    refused("items", [scene.name for scene in scenes[:4]])
    monkeypatch.setattr("chasles._chasles.__version__", "0.0.1")
    refused("version")
    monkeypatch.undo()
    chasles.dask.check_many(scenes[:4], out=out, shard=2, threads=1)
    (out / "items-00001.parquet").write_bytes((out / "items-00000.parquet").read_bytes())
    kept = shards(out)
    refused("items-00001.parquet: found other items")
    (out / "items-00001.parquet").write_bytes(b"PAR1")
    kept = shards(out)
    refused("items-00001.parquet")
    (out / "batch.json").write_text("[")
    refused("batch.json")
    (out / "batch.json").unlink()
    refused("no batch.json")
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        chasles.dask.check_many(scenes[:4], out=tmp_path / "file")


def test_scenes_and_arrays_are_known_by_what_they_are(scenes: Any, arm: chasles.Robot, tmp_path: pathlib.Path) -> None:
    def loaded() -> list[chasles.Scene]:
        return [chasles.Scene.load(scene) for scene in scenes[:3]]

    for _ in range(2):
        got = chasles.dask.check_many(loaded(), out=tmp_path / "scenes", shard=2)
    assert got.computed == 0
    with pytest.raises(chasles.Error):
        chasles.dask.check_many(loaded()[::-1], out=tmp_path / "scenes", shard=2)
    path = ([0, 1], [[0.0, 0.0], [0.5, 0.0]])
    for _ in range(2):
        got = chasles.dask.check_many([path, path], robot=arm, out=tmp_path / "paths")
    assert got.computed == 0
    for other in ([path, ([0, 2], path[1])], [path, (path[0], [[0.0, 0.0], [0.5, 1e-12]])]):
        with pytest.raises(chasles.Error, match="items"):
            chasles.dask.check_many(other, robot=arm, out=tmp_path / "paths")
    with pytest.raises(chasles.Error, match="robot"):
        chasles.dask.check_many([path, path], robot=arm.with_world(None), out=tmp_path / "paths")


@pytest.mark.skipif(sys.platform != "linux", reason="names of files that are no text")
def test_names_that_are_no_text(client: Client, scenes: Any, tmp_path: pathlib.Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.toml")
    pathlib.Path(name).write_text(scenes[0].read_text())
    for c in (None, client):
        got = chasles.dask.check_many([name, name + "x"], client=c, out=tmp_path / "out")
        assert "�.toml" in got.items["item"].to_pylist()[0] and got.items["verdict"].to_pylist()[1] == "error"


# What is missing.


@pytest.mark.parametrize("missing", ["distributed", "dask", "pyarrow"])
def test_what_is_missing_is_told(missing: str) -> None:
    code = f"""
        import sys
        sys.modules[{missing!r}] = None
        import chasles, chasles.dask
        scene = chasles.Scene(1.0); scene.add("x", chasles.Box([1, 1, 1]))
        try: chasles.dask.check_many([scene], client=object())
        except ImportError as error: print(error)
    """
    told = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60)
    assert "pip install chasles[dask]" in told.stdout, told.stdout + told.stderr
    light = "import sys, chasles; print([m for m in ('dask', 'distributed', 'pyarrow') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", light], capture_output=True, text=True).stdout.strip() == "[]"


def test_here_alone_needs_no_cluster(queries: Any) -> None:
    code = """
        import sys
        sys.modules["distributed"] = sys.modules["dask"] = sys.modules["pyarrow"] = None
        import numpy as np, chasles, chasles.dask
        mesh = chasles.Mesh(np.eye(3), [[0, 1, 2]])
        print(len(chasles.dask.first_contact_many(mesh, mesh, np.eye(4), np.eye(4))))
    """
    told = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60)
    assert told.stdout.strip() == "1", told.stderr
