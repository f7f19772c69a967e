"""The collision screen: as the program has it, and what has no meaning."""

from __future__ import annotations

import copy
import json
import pathlib
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from conftest import ball, write_obj

import chasles

A, B = chasles.Body(chasles.Mesh(*ball(6, 0.3))), chasles.Body(chasles.Mesh(*ball(5, 0.2)))
START, END = [3, 0.2, 0.1, 1, 0, 0, 0], [-3, 0, 0.3, 1, 0.2, 0.1, 0]


@pytest.fixture(scope="module")
def problem(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("screen")
    write_obj(folder / "a.obj", A.mesh)
    write_obj(folder / "b.obj", B.mesh)
    line = {"name": "p", "a": {"mesh": "a.obj"}, "b": {"mesh": "b.obj"}, "pose0": START, "pose1": END}
    (folder / "p.json").write_text(json.dumps(line) + "\n")
    return folder / "p.json"


@pytest.mark.parametrize(
    "options, words",
    [
        ({}, []),
        ({"play": True, "concurrent": 0.01}, ["--play", "--concurrent", "0.01"]),
        ({"probes": [[0, 0.1, 0.1], [0, 5, 5]]}, ["--probe", "0,0.1,0.1", "--probe", "0,5,5"]),
        ({"resolution": 100}, ["--resolution", "100"]),
    ],
)
def test_reports_are_those_of_the_program(problem: pathlib.Path, options: dict[str, Any], words: list[str]) -> None:
    report = chasles.screen(A, B, START, END, **options)
    done = subprocess.run(
        [sys.executable, "-m", "chasles", "screen", str(problem), "--json", *words], capture_output=True, text=True
    )
    told = json.loads(done.stdout)
    assert told.pop("name") == "p" and report.to_dict() == told and report.verdict == told["verdict"] == "contact"
    assert report == chasles.screen(A.mesh, B, chasles.Screw.between(START, END), **options)
    assert pickle.loads(pickle.dumps(report)) == copy.copy(report) == copy.deepcopy(report) == report
    assert f"{len(told['collisions'])} collision" in repr(report)


def test_columns() -> None:
    report = chasles.screen(A, B, START, END)
    columns, found = report.to_arrays(), report.to_dict()["collisions"]
    assert len(found) > 3 and {len(column) for column in columns.values()} == {len(found)}
    for k, own in enumerate(found):
        assert columns["kind"][k] == own["kind"] and columns["time"][k].tolist() == own["time"]
        assert [x for x in columns["a"][k] if x >= 0] == own["a"] and columns["proper"][k] == own["proper"]
    first = chasles.first_contact(A, B, START, END)
    assert first.time is not None and columns["time"][0, 0] <= first.time[1] and first.time[0] <= columns["time"][0, 1]
    past = chasles.screen(A, B, START, [3, 5, 5, 1, 0, 0, 0])
    assert past.verdict == "clear" and past.to_arrays()["point"].shape == (0, 3)
    with pytest.raises(TypeError, match="verdict"):
        bool(past)


def test_clearance_maps() -> None:
    ways = chasles.clearance_map(A, B, START, END)
    told = np.isfinite(ways.time)
    assert len(ways) == len(A.mesh.vertices) == len(ways.time) and 0 < told.sum() < len(ways) and ways.undecided == 0
    assert (np.isfinite(ways.metres) == told).all() and (ways.metres[told] > 0).all() and (ways.angle[told] >= 0).all()
    assert ways.least is not None and ways.least[1] == np.nanmin(ways.time) == ways.time[ways.least[0]]
    first = chasles.first_contact(A, B, START, END).time
    assert first is not None and first[0] <= ways.least[1] + 1e-9
    assert pickle.loads(pickle.dumps(ways)) == ways and f"{told.sum()} of" in repr(ways)
    assert chasles.clearance_map(A, B, START, [3, 5, 5, 1, 0, 0, 0]).least is None


def test_any_number_of_threads_tells_the_same_bits() -> None:
    several: list[dict[str, Any]] = [{}, {"play": True, "probes": [[0, 0.1, 0.1]], "resolution": 200}]
    for options in several:
        one, *others = (chasles.screen(A, B, START, END, threads=n, **options).to_dict() for n in (1, 2, 3))
        assert one["collisions"] and all(json.dumps(other) == json.dumps(one) for other in others)
    one_map, *maps = (chasles.clearance_map(A, B, START, END, threads=n) for n in (1, 2, 3))
    for ways in maps:
        assert ways.least == one_map.least and ways.undecided == one_map.undecided
        for column in ("time", "angle", "metres"):
            assert getattr(ways, column).tobytes() == getattr(one_map, column).tobytes()


@pytest.mark.parametrize(
    "says, options",
    [
        ("probes", {"probes": [[0, 1]]}),
        (r"probes\[0\]", {"probes": [[0, 1, np.nan]]}),
        ("concurrent", {"concurrent": -1}),
        ("tolerance", {"tolerance": -1}),
        ("resolution", {"resolution": 0}),
        ("resolution", {"resolution": -1}),
        ("resolution", {"resolution": 1 << 40}),
    ],
)
def test_what_has_no_meaning_is_refused_by_name(says: str, options: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError), match=says):
        chasles.screen(A, B, START, END, **options)
    with pytest.raises(TypeError, match="a: found int"):
        chasles.screen(3, B, START, END)  # type: ignore[arg-type]
