"""What mypy says of code that uses the package."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

GOOD = """
import numpy as np
import numpy.typing as npt
import chasles

mesh = chasles.Mesh(np.zeros((3, 3)), [[0, 1, 2]])
body: chasles.Body = chasles.Body(mesh)
answer: chasles.Prediction = chasles.first_contact(body, mesh, chasles.Pose(), np.eye(4), tolerance=1e-6)
if answer.time is not None and answer.contact is not None:
    begin: float = answer.time[0]
    point: npt.NDArray[np.float64] = answer.contact.point
rows = chasles.first_contact_many([body], mesh, [chasles.Screw.still([0, 0, 0, 1, 0, 0, 0])], threads=2)
scene = chasles.Scene(1.0)
scene.add("x", chasles.Box([1, 1, 1]), ([0, 0, 0], [1, 0, 0, 0]), parent="y")
report: chasles.Report = scene.check(progress=lambda done, total: print(done, total))
text: str = report.to_csv()
report.to_csv("r.csv")
robot = chasles.Robot.load("a.urdf", world=scene)
codes: npt.NDArray[np.uint8] = robot.check_edges(np.zeros((2, 6)), [0.0] * 6)
free: npt.NDArray[np.bool_] = robot.edges_free(np.zeros((2, 6)), [0.0] * 6)
codes = robot.check_configurations(np.zeros((2, 6)))
free = robot.configurations_free(np.zeros((2, 6)))
"""

WRONG = [
    'chasles.Mesh("a")',
    "chasles.first_contact(mesh)",
    'chasles.first_contact("a", mesh, chasles.Pose(), chasles.Pose())',
    "answer.verdikt",
    "word: int = answer.verdict",
    "chasles.Scene(1.0).add(3)",
    "scene.check(thread=2)",
    "chasles.Robot.load(3.5)",
    "robot.check_edges(np.zeros((2, 6)))",
    "mask: npt.NDArray[np.bool_] = robot.check_edges(np.zeros(6), np.zeros(6))",
    "robot.postures_free(np.zeros(6))",
    "begin: float = answer.time[0]",
]


def test_right_code_passes_and_wrong_code_does_not(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("mypy")
    names = "from chasles import " + ", ".join(__import__("chasles").__all__)
    (tmp_path / "good.py").write_text(f"{GOOD}\n{names}\n")
    (tmp_path / "wrong.py").write_text(GOOD + "\n" + "\n".join(WRONG) + "\n")
    env = {**os.environ, "MYPY_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "mypy", "--strict", "good.py", "wrong.py"]
    told = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=env).stdout
    assert "good.py" not in told, told
    first = GOOD.count("\n") + 2
    passed = [code for i, code in enumerate(WRONG) if f"wrong.py:{first + i}: error" not in told]
    assert passed == [], told
