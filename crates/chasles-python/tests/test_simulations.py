"""Simulations and impulses: as the program has them, in code as in files, and what has no meaning."""

from __future__ import annotations

import copy
import json
import math
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

import chasles

TEXT = """format = 1
duration = 1.0

[simulation]
gravity = [0, 0, -9.81]

[[body]]
name = "floor"
box = [2, 2, 0.1]
pose = { position = [0, 0, -0.05] }
friction = 0.4
elasticity = 0.5

[[body]]
name = "ball"
sphere = 0.1
density = 1000
elasticity = 0.5
pose = { position = [0, 0, 0.5] }
velocity = { linear = [0.3, 0, 0] }

[[body]]
name = "arm"
box = [0.4, 0.05, 0.05]
mass = 1.5
pose = { position = [-0.5, 0.5, 0.7] }

[[body]]
name = "post"
box = [0.05, 0.05, 0.8]
pose = { position = [-0.7, 0.5, 0.4] }

[[joint]]
kind = "hinge"
a = "post"
b = "arm"
point = [-0.7, 0.5, 0.7]
axis = [0, 1, 0]
"""

BODIES: dict[str, Any] = {
    "floor": {"friction": 0.4, "elasticity": 0.5},
    "ball": {"density": 1000, "elasticity": 0.5, "velocity": {"linear": np.array([0.3, 0, 0])}},
    "arm": {"mass": 1.5},
}
JOINT = {"kind": "hinge", "a": "post", "b": "arm", "point": [-0.7, 0.5, 0.7], "axis": [0, 1, 0]}
GRAVITY = [0, 0, -9.81]


def scene() -> chasles.Scene:
    made = chasles.Scene(1.0)
    made.add("floor", chasles.Box([2, 2, 0.1]), ([0, 0, -0.05], [1, 0, 0, 0]))
    made.add("ball", chasles.Sphere(0.1), ([0, 0, 0.5], [1, 0, 0, 0]))
    made.add("arm", chasles.Box([0.4, 0.05, 0.05]), ([-0.5, 0.5, 0.7], [1, 0, 0, 0]))
    made.add("post", chasles.Box([0.05, 0.05, 0.8]), ([-0.7, 0.5, 0.4], [1, 0, 0, 0]))
    return made


def jointed(**options: Any) -> chasles.Simulation:
    return chasles.Simulation(scene(), BODIES, joints=[JOINT], gravity=GRAVITY, **options)


def same(one: chasles.Moments, other: chasles.Moments) -> bool:
    return one.to_csv() == other.to_csv()


def test_simulations_in_code_are_those_of_files_and_of_the_program(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "drop.toml"
    file.write_text(TEXT)
    loaded = chasles.Simulation.load(file, check=True)
    made = jointed(check=True)
    assert loaded.dynamic == made.dynamic == ["ball", "arm"] and loaded.flexible == [] and loaded.duration == 1.0
    assert loaded.verdict == "undecided" and loaded.time == 0 and "0 of 1 s" in repr(loaded)
    seen: list[tuple[int, int]] = []
    told, again = loaded.run(progress=lambda done, total: seen.append((done, total))), made.run(threads=1)
    assert same(told, again) and seen[-1] == (100, 100) and seen == sorted(seen)
    assert loaded.verdict == made.verdict == "clear" and loaded.time == 1.0 and loaded.summary() == made.summary()
    program = [sys.executable, "-m", "chasles", "simulate", str(file), "--check", "--json", "-o"]
    done = subprocess.run([*program, str(tmp_path / "p.jsonl")], capture_output=True, text=True)
    assert json.loads(done.stdout) == loaded.summary()
    told.save(tmp_path / "m.jsonl")
    assert (tmp_path / "m.jsonl").read_bytes() == (tmp_path / "p.jsonl").read_bytes()
    subprocess.run([*program, str(tmp_path / "p.csv")], capture_output=True)
    assert told.to_csv() == (tmp_path / "p.csv").read_text()
    told.to_csv(tmp_path / "m.csv")
    assert (tmp_path / "m.csv").read_text() == told.to_csv()
    assert chasles.Scene.load(tmp_path / "m.jsonl").check().verdict == "contact"
    with pytest.raises(ValueError, match="a file of the scene"):
        told.save(file)
    with pytest.raises(ValueError, match="to_scene"):
        again.save(tmp_path / "x.jsonl")


def test_moments() -> None:
    whole = jointed().run()
    parts = jointed()
    first = parts.run(until=0.2)
    assert 0.2 <= parts.time < 0.25 and parts.verdict == "undecided" and len(parts.run(until=0.1)) == 0
    both = first + parts.run()
    assert len(both) == len(whole) and parts.verdict == "unchecked" and len(parts.run()) == 0
    with pytest.raises(ValueError, match="another simulation"):
        first + jointed(step=2e-3).run()
    with pytest.raises(ValueError, match="found moments from 0 s on, expected later ones than 1 s"):
        whole + both
    assert both == whole != first
    for again in (pickle.loads(pickle.dumps(both)), copy.copy(both), copy.deepcopy(both)):
        assert again == both and again.to_scene() == both.to_scene()
    parts = jointed()
    assert pickle.loads(pickle.dumps(parts.run(until=0.2))) + pickle.loads(pickle.dumps(parts.run())) == whole
    assert same(both, whole) and "0 s to 1 s" in repr(whole)
    times, poses, speeds = whole.times, whole.poses("ball"), whole.velocities("ball")
    assert poses.shape == (len(whole), 4, 4) and speeds.shape == (len(whole), 6) and times[0] == 0 and times[-1] == 1
    falls = times < 0.2
    assert np.allclose(poses[falls, 2, 3], 0.5 - 9.81 / 2 * times[falls] ** 2, atol=1e-3)
    assert np.allclose(speeds[falls, :3], np.stack([0.3 + 0 * times[falls], 0 * times[falls], -9.81 * times[falls]], -1), atol=1e-6)
    contacts, energy = whole.contacts(), whole.energy()
    met = {frozenset(pair) for pair in zip(contacts["a"], contacts["b"])}
    assert frozenset(("floor", "ball")) in met and contacts["impulse"].shape == (len(contacts["time"]), 3)
    ball = contacts["b"] == "ball"
    assert (contacts["impulse"][ball, 2] > 0).all() and np.allclose(np.abs(contacts["normal"][ball, 2]), 1)
    assert np.isfinite(contacts["point"]).all() and (np.diff(energy["dissipated"]) >= -1e-12).all()
    total = energy["kinetic"] + energy["potential"] + energy["dissipated"]
    assert np.allclose(total, total[0], rtol=1e-3)
    played = whole.to_scene()
    assert np.allclose(played.poses("ball", times), poses) and played.names == scene().names
    with pytest.raises(KeyError, match="post"):
        whole.poses("post")
    with pytest.raises(KeyError, match="ball"):
        whole.vertices("ball")


def test_bodies_that_wait_sleep_and_are_pulled() -> None:
    made = chasles.Scene(1.5)
    made.add("floor", chasles.Box([2, 2, 0.1]), ([0, 0, -0.05], [1, 0, 0, 0]))
    made.add("crate", chasles.Box([0.2, 0.2, 0.2]), ([0, 0, 0.1], [1, 0, 0, 0]))
    made.add("sled", chasles.Box([0.2, 0.2, 0.2]), chasles.Twist([0.6, 0, 0.11, 1, 0, 0, 0], [-1, 0, 0], [0, 0, 0]))
    own = {"crate": {"mass": 1, "friction": 0.5}, "sled": {"mass": 1, "release": "contact"}}
    run = chasles.Simulation(made, own, gravity=GRAVITY)
    run.run()
    (name, time), = run.released
    assert name == "sled" and abs(time - 0.4) < 1e-6
    alone = chasles.Scene(3.0)
    alone.add("floor", chasles.Box([2, 2, 0.1]), ([0, 0, -0.05], [1, 0, 0, 0]))
    alone.add("crate", chasles.Box([0.2, 0.2, 0.2]), ([0, 0, 0.1], [1, 0, 0, 0]))
    rest = chasles.Simulation(alone, {"crate": {"mass": 1, "friction": 0.5}}, gravity=GRAVITY)
    rest.run(until=2.0)
    assert rest.asleep == ["crate"]
    rest.pull("crate", [0, 0, 0], [0, 0, 0.6])
    moments = rest.run(until=2.5)
    assert moments.poses("crate")[-1, 2, 3] > 0.2 and rest.asleep == []
    rest.pull(None)
    assert rest.run().poses("crate")[-1, 2, 3] < moments.poses("crate")[-1, 2, 3]


def test_the_energy_warning_is_that_of_the_program(tmp_path: pathlib.Path) -> None:
    elastic = "elasticity = 1\n"
    text = (
        "format = 1\nduration = 0.1\n[simulation]\ngravity = [0, 0, -9.81]\n"
        f"[[body]]\nname = 'floor'\nbox = [1, 1, 1]\n{elastic}"
        f"[[body]]\nname = 'ball'\nsphere = 0.1\nmass = 1\npose = {{ position = [0, 0, 0.60001] }}\n{elastic}"
    )
    (tmp_path / "slow.toml").write_text(text)
    run = chasles.Simulation.load(tmp_path / "slow.toml")
    run.run()
    assert "although all bodies are elastic" in run.summary()["warnings"][0]
    program = [sys.executable, "-m", "chasles", "simulate", str(tmp_path / "slow.toml"), "--json"]
    done = subprocess.run(program, capture_output=True, text=True)
    assert json.loads(done.stdout) == run.summary()


def test_the_moments_before_the_maximum_are_returned() -> None:
    run = jointed(max_records=5)
    assert len(run.run()) == 5
    for _ in range(2):
        with pytest.raises(ValueError, match="max_records"):
            run.run()


def test_flexible_bodies() -> None:
    grid = np.array([[x, y, 0.3] for x in (0.0, 0.1, 0.2) for y in (0.0, 0.1, 0.2)])
    faces = [f for i in (0, 1, 3, 4) for f in ([i, i + 1, i + 3], [i + 1, i + 4, i + 3])]
    made = chasles.Scene(0.3)
    made.add("sheet", chasles.Mesh(grid, faces))
    own = {"sheet": {"mass": 0.1, "flexible": {"stiffness": 100}}}
    run = chasles.Simulation(made, own, gravity=GRAVITY)
    assert run.flexible == ["sheet"] and run.dynamic == []
    moments = run.run()
    places = moments.vertices("sheet")
    assert places.shape == (len(moments), 9, 3) and np.allclose(places[0], grid)
    assert np.allclose(places[-1, :, 2], 0.3 - 9.81 / 2 * 0.3**2, atol=1e-2)
    assert moments.to_scene().check(all_pairs=True).verdict == "clear"


def test_ctrl_c_loses_nothing() -> None:
    run = jointed(step=1e-5)
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        run.run()
    timer.join()
    rest = run.run(until=0.05)
    want = jointed(step=1e-5).run(until=float(rest.times[-1]))
    assert rest.times[0] == 0 and rest.to_csv() == want.to_csv()


BALL = {"name": "ball", "mass": 2, "inertia": np.eye(3), "center": [0, 0, 1], "linear": [0, 0, -3]}
FLOOR = {"name": "floor", "keyframed": True}
TOUCH = {"a": "floor", "b": "ball", "point": [0, 0, 0], "normal": [0, 0, 1], "elasticity": 0.5}


def problem(**other: Any) -> dict[str, Any]:
    return {"name": "drop", "bodies": [BALL, FLOOR], "contacts": [TOUCH], **other}


def test_impulses(tmp_path: pathlib.Path) -> None:
    answer = chasles.solve_impulses(problem())
    assert answer["verdict"] == "solved" and np.allclose(answer["bodies"][0]["linear"], [0, 0, 1.5])
    many = [problem(name=str(k), contacts=[{**TOUCH, "elasticity": k / 50}]) for k in range(50)]
    seen: list[tuple[int, int]] = []
    answers = chasles.solve_impulses(many, progress=lambda done, total: seen.append((done, total)))
    assert [a["name"] for a in answers] == [str(k) for k in range(50)] and seen[-1] == (50, 50)
    assert answers == chasles.solve_impulses(many, threads=1) and chasles.solve_impulses([]) == []
    file = tmp_path / "p.jsonl"
    file.write_text("".join(json.dumps(p, default=lambda x: x.tolist()) + "\n" for p in many))
    done = subprocess.run([sys.executable, "-m", "chasles", "impulse", str(file)], capture_output=True, text=True)
    assert [json.loads(line) for line in done.stdout.splitlines()] == answers


@pytest.mark.parametrize(
    "says, call",
    [
        (r"problems: bodies\[0\].mass", lambda: chasles.solve_impulses(problem(bodies=[{**BALL, "mass": 0}, FLOOR]))),
        (r"problems\[1\]: .*joint", lambda: chasles.solve_impulses([problem(), problem(joint=[])])),
        (r"problems\[0\]: found set", lambda: chasles.solve_impulses([problem(name={1})])),
        ("problems", lambda: chasles.solve_impulses(problem(bodies=[{**BALL, "mass": math.nan}, FLOOR]))),
        ("problems", lambda: chasles.solve_impulses([3])),
        ("nobody", lambda: chasles.Simulation(scene(), {"nobody": {"mass": 1}})),
        ("bodies.ball.*mas", lambda: chasles.Simulation(scene(), {"ball": {"mas": 1}})),
        ("ball.*mass.*-1", lambda: chasles.Simulation(scene(), {"ball": {"mass": -1}})),
        ("joints", lambda: chasles.Simulation(scene(), BODIES, joints=[{**JOINT, "kind": "glue"}])),
        ("keyframed", lambda: chasles.Simulation(scene(), BODIES, joints=[{**JOINT, "b": "floor"}])),
        ("gravity", lambda: chasles.Simulation(scene(), BODIES, gravity=[0, 0])),
        ("step", lambda: chasles.Simulation(scene(), BODIES, step=0)),
        ("record", lambda: chasles.Simulation(scene(), BODIES, record=math.inf)),
        ("depth", lambda: chasles.Simulation(scene(), BODIES, depth=-1)),
        ("method", lambda: chasles.Simulation(scene(), BODIES, method="magic")),
        ("until", lambda: jointed().run(until=math.nan)),
        ("body.*nobody", lambda: jointed().pull("nobody", [0, 0, 0], [0, 0, 0])),
        ("point", lambda: jointed().pull("ball")),
        ("pull", lambda: jointed().pull("floor", [0, 0, 0], [0, 0, 0])),
        ("pull", lambda: jointed().pull("ball", [0, 0, 0], [0, 0, 0], rate=0)),
    ],
)
def test_what_has_no_meaning_is_refused_by_name(says: str, call: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=says):
        call()


def test_bad_files_name_file_and_line(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "s.toml"
    with pytest.raises(FileNotFoundError):
        chasles.Simulation.load(file)
    file.write_text(TEXT.replace("density = 1000", "density = -1"))
    with pytest.raises(chasles.Error, match="density") as caught:
        chasles.Simulation.load(file)
    assert caught.value.line == 17
    file.write_text('format = 1\nduration = 1.0\n[[body]]\nname = "x"\nsphere = 1\n')
    with pytest.raises(chasles.Error, match="no dynamic body"):
        chasles.Simulation.load(file)


def test_what_is_doubtful_is_told() -> None:
    own = {**BODIES, "ball": {"mass": 1, "inertia": [1, 1, 5]}}
    assert "inertia" in chasles.Simulation(scene(), own, joints=[JOINT]).warnings[0]
