"""Calls that take long: other threads go on, Ctrl-C ends them, children of a fork can ask; the program; what is imported."""

from __future__ import annotations

import gc
import os
import pathlib
import subprocess
import sys
import textwrap
import threading
import time
from typing import Any

import numpy as np
import pytest
from conftest import ball, cube, motions

import chasles

A = chasles.Body(chasles.Mesh(*ball(40, 0.2)))
STARTS, ENDS = (np.tile(m, (40, 1)) for m in motions(8, 64))
HERE = pathlib.Path(__file__).parent
LONG = os.environ.get("CHASLES_LONG") is not None


def run(code: str, *args: str, **options: Any) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])}
    command = [sys.executable, "-c", textwrap.dedent(code), *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, env=env, **options)


def test_other_threads_go_on() -> None:
    took: list[float] = []

    def call() -> None:
        begin = time.perf_counter()
        chasles.first_contact_many(A, A, np.tile(STARTS, (4, 1)), np.tile(ENDS, (4, 1)), threads=1)
        took.append(time.perf_counter() - begin)

    thread = threading.Thread(target=call)
    thread.start()
    ticks = 0
    while thread.is_alive():
        ticks += 1
        time.sleep(0.001)
    assert took[0] > 0.05 and ticks > 10


def test_threads_do_not_disturb_each_other() -> None:
    want = chasles.first_contact_many(A, A, STARTS, ENDS).tobytes()
    got: list[bytes] = []
    ask = lambda k: got.append(chasles.first_contact_many(A, A, STARTS, ENDS, threads=1 + k % 3).tobytes())
    threads = [threading.Thread(target=ask, args=(k,)) for k in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [want] * 5


def test_progress_is_told_in_the_callers_thread_and_may_end_the_call() -> None:
    seen: list[tuple[int, int]] = []
    threads: set[int] = set()

    def tell(done: int, total: int) -> None:
        seen.append((done, total))
        threads.add(threading.get_ident())

    begin = time.perf_counter()
    chasles.first_contact_many(A, A, np.tile(STARTS, (4, 1)), np.tile(ENDS, (4, 1)), threads=1, progress=tell)
    took, total = time.perf_counter() - begin, 4 * len(STARTS)
    assert seen[-1] == (total, total) and seen == sorted(seen) and threads == {threading.get_ident()}
    assert len(seen) <= 20 * took + 2

    def no(done: int, total: int) -> None:
        raise LookupError("enough")

    for call in (
        lambda: chasles.first_contact_many(A, A, STARTS, ENDS, progress=no),
        lambda: chasles.first_contact_many(A, A, STARTS[:0], ENDS[:0], progress=no),
    ):
        with pytest.raises(LookupError, match="enough"):
            call()


@pytest.mark.parametrize(
    "call",
    [
        "chasles.first_contact_many(t.A, t.A, np.tile(t.STARTS, (900, 1)), np.tile(t.ENDS, (900, 1)))",
        "chasles.first_contact_many(t.A, t.A, np.tile(t.STARTS, (900, 1)), np.tile(t.ENDS, (900, 1)), threads=1, progress=print)",
        "chasles.contact_intervals(big, big, chasles.Screw.about([0, 0, 1.9, 1, 0, 0, 0], [1, 2, 3], [0, 0, 0], 0.5, 50))",
        "bodies().check()",
        "chasles.screen(big, big, chasles.Screw.about([0, 0, 1.9, 1, 0, 0, 0], [1, 2, 3], [0, 0, 0], 0.5, 900), play=True)",
        'chasles.Solid.formula("+".join(f"sin({i}*x)*y" for i in range(1_000_000)) + "-1", [[-1] * 3, [1] * 3])',
    ],
)
def test_ctrl_c_ends_a_call(call: str) -> None:
    code = """
        import os, signal, threading, time
        import chasles, numpy as np, test_calls as t
        from conftest import ball
        big = chasles.Body(chasles.Mesh(*ball(200, 0.3)))
        def bodies():
            scene = chasles.Scene(1.0)
            for k in range(300):
                scene.add(str(k), big, chasles.Screw.about([0.01 * k, 0, 0, 1, 0, 0, 0], [1, 2, k], [0, 0, 0], 3, 20))
            return scene
        begin = time.perf_counter()
        sent = []
        def send():
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)
        threading.Timer(1.5, send).start()
        try:
            CALL
            print("not interrupted")
        except KeyboardInterrupt:
            print("after", time.perf_counter() - sent[0])
        print("goes on", chasles.first_contact(t.A, t.A, t.STARTS[0], t.ENDS[0]).verdict)
    """
    done = run(code.replace("CALL", call))
    assert "not interrupted" not in done.stdout and "goes on" in done.stdout, done.stdout[-300:] + done.stderr[-500:]
    assert float(done.stdout.split("after ")[1].split()[0]) < 1.0, done.stdout[-300:]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_children_of_a_fork_can_ask() -> None:
    code = """
        import multiprocessing, pickle, chasles, test_calls as t
        from conftest import ball, cube
        def ask(k):
            body = chasles.Body(chasles.Mesh(*ball(60, 0.1)))
            scene = chasles.Scene(1.0)
            scene.add("a", body, chasles.Screw.translation([3, 0, 0, 1, 0, 0, 0], [-6, 0, 0]))
            scene.add("b", chasles.Sphere(0.5))
            rows = chasles.first_contact_many(t.A, body, t.STARTS, t.ENDS).tobytes()
            vertices, faces = ball(30)
            solid = chasles.Solid.of(chasles.Mesh(*cube())) - chasles.Sphere(0.6)
            shapes = chasles.DeformingSurface([0, 1], [vertices, 2 * vertices], faces), chasles.PointCloud(vertices, 0.1)
            for number, shape in enumerate((solid, *map(pickle.loads, map(pickle.dumps, shapes)))):
                scene.add(str(number), shape, [4, 0, 0, 1, 0, 0, 0])
            scene.ignore("0", "1")
            scene.ignore("1", "2")
            scene.ignore("b", "1")
            return rows, scene.check().to_json(), chasles.Mesh(*ball(100)).facts()
        if __name__ == "__main__":
            want = ask(0)
            with multiprocessing.get_context("fork").Pool(2) as pool:
                print(pool.map_async(ask, range(4)).get(80) == [want] * 4)
    """
    done = run(code)
    assert done.stdout.strip() == "True", done.stderr[-500:]


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="no /proc")
def test_memory_stays() -> None:
    small = chasles.Body(chasles.Mesh(*cube()))
    starts, ends = motions(9, 50)

    def resident() -> int:
        gc.collect()
        return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def calls(count: int) -> None:
        for k in range(count):
            answer = chasles.first_contact(small, small, starts[k % 50], ends[k % 50])
            answer.to_dict(), answer.contact and answer.contact.point, repr(answer)
            if k % 20 == 0:
                chasles.Mesh(*cube()).vertices, chasles.first_contact_many(small, small, starts, ends)["time"]
                with pytest.raises(ValueError):
                    chasles.Mesh(np.zeros((2, 2)), [[0, 1, 2]])

    calls(2_000)
    before = resident()
    calls(100_000 if LONG else 10_000)
    assert resident() - before < 4 << 20


def test_what_is_there_is_exported_once() -> None:
    assert len(set(chasles.__all__)) == len(chasles.__all__)
    assert all(hasattr(chasles, name) for name in chasles.__all__)
    assert chasles.VERDICTS[chasles.CLEAR] == "clear" and chasles.VERDICTS[chasles.OVERLAPPING] == "overlapping"


def test_all_that_is_public_is_tested_told_and_typed() -> None:
    tests = "".join(path.read_text() for path in sorted(HERE.rglob("test_*.py")))
    types = (HERE.parent / "python" / "chasles" / "_chasles.pyi").read_text()
    for name in chasles.__all__:
        thing = getattr(chasles, name)
        if not isinstance(thing, type) or issubclass(thing, Exception):
            assert f"chasles.{name}" in tests and (not callable(thing) or thing.__doc__), name
            continue
        own = types.split(f"class {name}:")[1].split("@final")[0]
        assert thing.__doc__, name
        for member, value in vars(thing).items():
            if not member.startswith("_"):
                assert value.__doc__, f"{name}.{member}"
                assert f"def {member}(" in own, f"{name}.{member}"
                assert f".{member}" in tests, f"{name}.{member}"


def test_importing_brings_no_extras() -> None:
    extras = ("pandas", "dask", "distributed", "pyarrow", "trimesh", "viser", "rerun")
    done = run(f"import sys, chasles; print([m for m in {extras!r} if m in sys.modules])")
    assert done.stdout.strip() == "[]"


def test_the_version_is_that_of_the_project() -> None:
    manifest = (HERE.parent / "Cargo.toml").read_text()
    project = (HERE.parents[2] / "Cargo.toml").read_text()
    assert "\nversion.workspace = true\n" in manifest and f'\nversion = "{chasles.__version__}"\n' in project


def test_the_program(tmp_path: pathlib.Path) -> None:
    scene = tmp_path / "s.toml"
    scene.write_text('format = 1\nduration = 1.0\n[[body]]\nname = "a"\nsphere = 1.0\n[[body]]\nname = "b"\nsphere = 1.0\n'
                     '[body.motion]\nkind = "twist"\nlinear = [1, 0, 0]\nangular = [0, 0, 0]\n')
    program = [sys.executable, "-m", "chasles"]
    done = subprocess.run([*program, "check", str(scene), "--json"], capture_output=True, text=True)
    assert done.returncode == 1
    import json

    assert json.loads(done.stdout) == chasles.Scene.load(scene).check().to_dict()
    assert subprocess.run([*program, "check", str(tmp_path / "none.toml")], capture_output=True).returncode == 2
    told = subprocess.run([*program, "--version"], capture_output=True, text=True)
    assert told.returncode == 0 and told.stdout == f"chasles {chasles.__version__}\n"


def test_trimesh() -> None:
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.Trimesh(*cube(0.8), process=False)
    assert chasles.Mesh.from_trimesh(mesh) == chasles.Mesh(*cube(0.8)) == chasles.Body(mesh).mesh
    rows = chasles.first_contact_many(A, mesh, STARTS[:9], ENDS[:9])
    assert rows.tobytes() == chasles.first_contact_many(A, chasles.Mesh(*cube(0.8)), STARTS[:9], ENDS[:9]).tobytes()
    with pytest.raises(TypeError, match="Trimesh"):
        chasles.Mesh.from_trimesh("cube")


@pytest.mark.parametrize("module", ["trimesh", "pandas"])
def test_a_missing_extra_says_what_to_install(module: str) -> None:
    calls = {"trimesh": "chasles.Mesh.from_trimesh(1)", "pandas": "s.check().to_dataframe()"}
    code = f"""
        import sys
        sys.modules[{module!r}] = None
        import chasles
        s = chasles.Scene(1.0)
        s.add("x", chasles.Box([1, 1, 1]))
        try:
            {calls[module]}
        except ImportError as error:
            print(error)
    """
    assert f"pip install chasles[{module}]" in run(code).stdout


def test_without_threads_one_thread_is_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    code = """
        import zlib
        import numpy as np
        from conftest import cube, motions
        import chasles

        mesh = chasles.Mesh(*cube(0.2))
        starts, ends = (np.tile(poses, (4000, 1)) for poses in motions(8, 8))

        def call(**options):
            return chasles.first_contact_many(mesh, mesh, starts, ends, **options)

        print(zlib.crc32(call(threads=1).tobytes()))
        for options in ({}, {"threads": 2}):
            try:
                print(zlib.crc32(call(**options).tobytes()))
            except RuntimeError as error:
                print(error)
        print(zlib.crc32(call(threads=1).tobytes()))
        scene = chasles.Scene(1.0)
        scene.add("a", mesh)
        scene.add("b", chasles.Solid.formula("x^2 + y^2 + z^2 - 1", [[-2, -2, -2], [2, 2, 2]]))
        print(scene.check(threads=1).verdict)
    """
    usual = run(code).stdout.splitlines()
    assert len(usual) == 5 and len({*usual[:4]}) == 1, usual
    # Their stacks would be larger than the address space.
    monkeypatch.setenv("RUST_MIN_STACK", str(1 << 47))
    ran = run(code)
    lines = ran.stdout.splitlines()
    assert ran.returncode == 0 and len(lines) == 5, ran
    assert [lines[0], *lines[3:]] == [usual[0], *usual[3:]], ran
    assert all(line.startswith("cannot start threads: ") for line in lines[1:3]), ran


def test_masked_arrays_are_refused() -> None:
    vertices, faces = cube(0.2)
    masked = np.ma.masked_array(vertices, mask=False)  # type: ignore[no-untyped-call]
    with pytest.raises(TypeError, match="without a mask"):
        chasles.Mesh(masked, faces)
