"""Scenes from files and from code are the same; reports in all their forms."""

from __future__ import annotations

import csv
import io
import json
import math
import pathlib
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import cube

import chasles

TEXT = """format = 1
duration = 2.0
clearance = 0.02

[[body]]
name = "table"
box = [1, 1, 0.1]
solid = true

[[body]]
name = "turntable"
cylinder = { radius = 0.2, height = 0.05 }
pose = { position = [0.1, 0, 0.3], rotation = [1, 2, 3, 4] }
motion = { kind = "screw", axis = [0, 0, 2], point = [0.1, 0, 0], slide = 0.1, angle = 7 }

[[body]]
name = "rider"
sphere = 0.05
parent = "turntable"
group = "riders"
pose = { position = [0.15, 0, 0.05] }

[[body]]
name = "cup"
capsule = { radius = 0.04, height = 0.1 }
pose = { position = [0.3, 0.1, 1], rotation = [0.9, 0.1, 0.2, 0.3] }
motion = { kind = "twist", linear = [0, 0, -0.6], angular = [0.3, 0, 0.1] }

[[body]]
name = "saw"
box = [0.1, 0.3, 0.02]
[body.motion]
kind = "keyframes"
times = [0, 0.5, 1.75]
positions = [[0.9, 0, 0], [0.2, 0, 0.2], [0.9, 0.3, 0]]
rotations = [[1, 0, 0, 0], [1, 1, 0, 0], [3, 0, 1, 2]]
interpolation = "INTERPOLATION"

[[ignore]]
pair = ["saw", "cup"]
"""


def built(interpolation: str) -> chasles.Scene:
    scene = chasles.Scene(2.0, clearance=0.02)
    scene.add("table", chasles.Box([1, 1, 0.1]), solid=True)
    start = chasles.Pose([0.1, 0, 0.3], [1, 2, 3, 4])
    scene.add("turntable", chasles.Cylinder(0.2, 0.05), chasles.Screw.about(start, [0, 0, 2], [0.1, 0, 0], 0.1, 7))
    scene.add("rider", chasles.Sphere(0.05), ([0.15, 0, 0.05], [1, 0, 0, 0]), parent="turntable", group="riders")
    cup = [0.3, 0.1, 1, 0.9, 0.1, 0.2, 0.3]
    scene.add("cup", chasles.Capsule(0.04, 0.1), chasles.Twist(cup, [0, 0, -0.6], [0.3, 0, 0.1]))
    poses = [[0.9, 0, 0, 1, 0, 0, 0], [0.2, 0, 0.2, 1, 1, 0, 0], [0.9, 0.3, 0, 3, 0, 1, 2]]
    scene.add("saw", chasles.Box([0.1, 0.3, 0.02]), chasles.Keyframes([0, 0.5, 1.75], poses, interpolation))
    scene.ignore("saw", "cup")
    return scene


@pytest.mark.parametrize("interpolation", ["screw", "linear", "step"])
def test_scenes_in_code_and_in_files_have_the_same_bits(interpolation: str, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "scene.toml"
    file.write_text(TEXT.replace("INTERPOLATION", interpolation))
    loaded, made = chasles.Scene.load(file), built(interpolation)
    assert loaded == made and loaded.names == made.names and loaded.duration == made.duration == 2
    report = made.check(all_pairs=True)
    assert report.to_json() == loaded.check(all_pairs=True, threads=1).to_json() == made.check(all_pairs=True, threads=3).to_json()
    assert report.verdict == "contact" and len(report.pairs) == report.pairs_tested


@pytest.fixture(scope="module")
def report() -> chasles.Report:
    return built("screw").check()


def test_reports_say_the_same_in_all_forms(report: chasles.Report, tmp_path: pathlib.Path) -> None:
    told = report.to_dict()
    assert json.loads(report.to_json()) == told and told["verdict"] == report.verdict
    spans = [(p, i, x) for p in told["pairs"] for i, x in enumerate(p.get("intervals") or [None])]
    columns = report.to_arrays()
    assert list(columns)[:8] == ["a", "b", "verdict", "interval", "enter_lo", "enter_hi", "exit_lo", "exit_hi"]
    assert {len(column) for column in columns.values()} == {len(spans)}
    for k, (p, i, x) in enumerate(spans):
        assert (columns["a"][k], columns["b"][k], columns["verdict"][k]) == (p["a"], p["b"], p["verdict"])
        assert columns["interval"][k] == (i if x else -1)
        assert x is None or [columns["enter_lo"][k], columns["enter_hi"][k]] == x["enter"]
        assert x is None or x["exit"] is not None or math.isnan(columns["exit_lo"][k])
    for pair, p in zip(report.pairs, told["pairs"]):
        assert (pair.a, pair.b, pair.verdict, pair.gap, pair.deviation) == (p["a"], p["b"], p["verdict"], p.get("gap"), p["deviation"])
        assert [list(x.enter) for x in pair.intervals] == [x["enter"] for x in p.get("intervals", [])]
        for x, y in zip(pair.intervals, p.get("intervals", [])):
            assert x.touching == y["touching"] and (x.exit is None) == (y["exit"] is None)
            assert x.contact is None or x.contact.point.tolist() == y["contact"]["point"]
    rows = list(csv.reader(io.StringIO(report.to_csv())))
    assert len(rows) == len(spans) + 1 and rows[0][0] == "a"
    assert ET.fromstring(report.to_junit()).find(".//failure") is not None
    report.to_csv(tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text() == report.to_csv()
    with pytest.raises(ValueError, match="library"):
        report.to_dataframe("polars")
    with pytest.raises(OSError, match="no"):
        report.to_csv(tmp_path / "no" / "r.csv")


def test_a_data_frame_has_the_columns(report: chasles.Report) -> None:
    frame = pytest.importorskip("pandas").DataFrame(report.to_arrays())
    assert report.to_dataframe().equals(frame)


def test_pages(report: chasles.Report) -> None:
    page = report.to_html()
    assert page.lower().startswith("<!doctype html") and 'src="http' not in page
    for shown in (report._repr_html_(), built("screw")._repr_html_()):
        assert shown is not None and shown.startswith("<iframe") and 'src="http' not in shown
    assert chasles.Scene(1.0)._repr_html_() is None


def test_progress_counts_pairs() -> None:
    seen: list[tuple[int, int]] = []
    report = built("screw").check(progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (report.pairs_tested, report.pairs_tested)


def test_looking_at_one_time(report: chasles.Report) -> None:
    scene = built("screw")
    meets = next(p for p in report.pairs if p.verdict == "contact")
    enter, leave = meets.intervals[0].enter, meets.intervals[0].exit
    assert leave is not None
    assert (meets.a, meets.b) in scene.at((enter[1] + leave[0]) / 2)
    assert (meets.a, meets.b) not in scene.at(enter[0] - 1e-6)
    poses = scene.poses("rider", [0, 1, 2])
    assert poses.shape == (3, 4, 4) and np.allclose(poses[0, :3, 3], (scene.poses("turntable", [0])[0] @ [0.15, 0, 0.05, 1])[:3])


def test_clearances() -> None:
    scene = chasles.Scene(2.0)
    scene.add("block", chasles.Mesh(*cube()))
    scene.add("cart", chasles.Mesh(*cube()), chasles.Screw.translation([3, 1.1, 0, 1, 0, 0, 0], [-6, 0, 0]))
    assert scene.check().verdict == "clear" and scene.check(clearance=0.05).verdict == "clear"
    near = scene.check(clearance=0.2).pairs[0]
    assert near.verdict == "near" == chasles.VERDICTS[chasles.NEAR] and near.gap_at_least is not None and near.gap is not None
    assert near.gap_at_least <= 0.1 + 1e-9 and near.gap >= 0.1 - 1e-9
    assert scene.check().clear_until == 2


def test_scenes_that_change_between_questions() -> None:
    scene = chasles.Scene(2.0)
    scene.add("block", chasles.Mesh(*cube()))
    scene.add("cart", chasles.Mesh(*cube()), chasles.Screw.translation([3, 0, 0, 1, 0, 0, 0], [-6, 0, 0]))
    assert scene.check().verdict == "contact"
    scene.ignore("block", "cart")
    assert scene.check().verdict == "clear" and scene.check(all_pairs=True).pairs_tested == 0
    scene.add("wall", chasles.Mesh(*cube()))
    assert {(p.a, p.b) for p in scene.check().pairs if p.verdict != "clear"} == {("cart", "wall")}


def test_bodies_that_cannot_move() -> None:
    scene = chasles.Scene(2.0)
    scene.add("floor", chasles.Mesh(*cube()))
    scene.add("wall", chasles.Mesh(*cube()), [0.1, 0.2, 0.9, 1, 0, 0, 0])
    assert scene.check().verdict == "overlapping" and scene.check(standing="ignore").verdict == "clear"
    scene.add("cart", chasles.Mesh(*cube()), chasles.Screw.translation([9, 0, 0, 1, 0, 0, 0], [0, 1, 0]))
    scene.add("lamp", chasles.Mesh(*cube(0.1)), [0, 0, 0.5, 1, 0, 0, 0], parent="cart")
    report = scene.check()
    assert report.verdict == "clear" and report.static_overlaps == [("floor", "wall")]
    assert report.assembled == [("cart", "lamp")] and report.to_dict()["assembled"] == [["cart", "lamp"]]
    assert scene.check(static=True).verdict == "overlapping"
    ignored = scene.check(standing="ignore")
    assert ignored.static_overlaps == ignored.assembled == [] and "assembled" not in ignored.to_dict()
    with pytest.raises(ValueError, match="standing.*never"):
        scene.check(standing="never")


def test_what_a_report_tells_beside_its_pairs() -> None:
    scene = chasles.Scene(2.0)
    scene.add("box", chasles.Mesh(*cube(2.0)))
    scene.add("dot", chasles.Mesh(*cube(0.1)), chasles.Screw.translation([0, 0, 0, 1, 0, 0, 0], [1, 0, 0]))
    assert scene.check().inside == [("dot", "box", 0.0)]
    apart = chasles.Scene(2.0)
    apart.add("wall", chasles.Mesh(*cube()))
    apart.add("near", chasles.Mesh(*cube()), chasles.Screw.translation([0, 3, 0, 1, 0, 0, 0], [0, -1, 0]))
    apart.add("far", chasles.Mesh(*cube()), chasles.Screw.translation([0, -9, 0, 1, 0, 0, 0], [0, 1, 0]))
    report = apart.check(all_pairs=True)
    assert report.inside == [] and report.nearest is not None
    a, b, (least, most), time = report.nearest
    assert (a, b) == ("wall", "near") and least <= 1 <= most and abs(time - 2) < 1e-6
    pair = next(p for p in report.pairs if p.b == "near")
    assert pair.gap_time == pytest.approx(2) and pair.unknown == [] and pair.events == []
    told = apart.check(all_pairs=True)
    assert told.pairs_tested == 3 == len(told.pairs)
    meet = chasles.Scene(1.0)
    meet.add("block", chasles.Mesh(*cube()))
    meet.add("cart", chasles.Mesh(*cube(0.4)), chasles.Screw.translation([3, 0, 0, 1, 0, 0, 0], [-4, 0, 0]))
    assert meet.check().pairs[0].events == [] and meet.check().pairs[0].intervals[0].contacts == []
    assert meet.check().nearest is None
    full = meet.check(events=True, all_contacts=True)
    told_pair = full.to_dict()["pairs"][0]
    pair = full.pairs[0]
    assert len(pair.events) == len(told_pair["events"]) > 3 and pair.events[0].kind == told_pair["events"][0]["kind"]
    assert [list(event.time) for event in pair.events] == [event["time"] for event in told_pair["events"]]
    # A face that meets a face touches at one place.
    assert len(pair.intervals[0].contacts) == 1 and pair.intervals[0].contacts[0].point[0] == pytest.approx(0.5)


def test_out_of_budget_is_undecided() -> None:
    report = built("screw").check(budget=0)
    assert report.verdict == "undecided" or any(p.verdict == "undecided" and p.why for p in report.pairs)
    assert "undecided" in repr(report)


GOOD = [0.0, 0, 0, 1, 0, 0, 0]


@pytest.mark.parametrize(
    "says, call",
    [
        ("name.*block", lambda s: s.add("block", chasles.Box([1, 1, 1]))),
        ("name", lambda s: s.add("", chasles.Box([1, 1, 1]))),
        (r"name.*\*", lambda s: s.add("*", chasles.Box([1, 1, 1]))),
        ("parent.*nobody", lambda s: s.add("x", chasles.Box([1, 1, 1]), parent="nobody")),
        ("a.*nobody", lambda s: s.ignore("nobody", "block")),
        ("shape.*str", lambda s: s.add("x", "box")),
        ("motion", lambda s: s.add("x", chasles.Sphere(1), "fast")),
        ("solid.*closed", lambda s: s.add("x", chasles.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), solid=True)),
        ("Box", lambda s: chasles.Box([1, -1, 1])),
        ("Sphere", lambda s: chasles.Sphere(math.nan)),
        ("Cone", lambda s: chasles.Cone(1, 0)),
        (r"times\[2\]", lambda s: chasles.Keyframes([0, 1, 1], [GOOD] * 3)),
        ("poses", lambda s: chasles.Keyframes([0, 1], [GOOD] * 3)),
        ("poses", lambda s: chasles.Keyframes([0], GOOD)),
        ("times", lambda s: chasles.Keyframes([], np.zeros((0, 7)))),
        ("interpolation.*cubical", lambda s: chasles.Keyframes([0, 1], [GOOD] * 2, "cubical")),
        ("linear", lambda s: chasles.Twist(GOOD, [0, 0], [0, 0, 0])),
        ("duration", lambda s: chasles.Scene(-1.0)),
        ("duration", lambda s: chasles.Scene(math.inf)),
        ("clearance", lambda s: s.check(clearance=-1.0)),
        ("time", lambda s: s.at(3.0)),
        ("times", lambda s: s.poses("block", [[0.0]])),
        (r"times\[0\]", lambda s: s.poses("block", [math.nan])),
        ("nobody", lambda s: s.poses("nobody", [0.0])),
        ("bodies", lambda s: chasles.Scene(1.0).check()),
    ],
)
def test_what_has_no_meaning_is_refused_by_name(says: str, call: Any) -> None:
    scene = chasles.Scene(2.0)
    scene.add("block", chasles.Box([1, 1, 1]))
    with pytest.raises((ValueError, TypeError, KeyError), match=says):
        call(scene)
    assert scene.names == ["block"]


def test_files_outside_a_folder_are_refused(tmp_path: pathlib.Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (tmp_path / "part.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    scene = own / "scene.toml"
    scene.write_text("format = 1\nduration = 1\n[[body]]\nname = 'a'\nmesh = '../part.obj'\n")
    robot = own / "robot.urdf"
    robot.write_text(
        "<robot name='r'><link name='a'><collision><geometry><mesh filename='../part.obj'/></geometry>"
        "</collision></link></robot>"
    )
    assert chasles.Scene.load(scene, confine=tmp_path).names == ["a"]
    assert chasles.Robot.load(robot, confine=tmp_path).links == ["a"]
    loads: list[Callable[[], Any]] = [
        lambda: chasles.Scene.load(scene, confine=own),
        lambda: chasles.Robot.load(robot, confine=own),
        lambda: chasles.Simulation.load(tmp_path / "part.obj", confine=own),
        lambda: chasles.Mesh.load(tmp_path / "part.obj", confine=own),
        lambda: chasles.Robot.load(robot).check_file(tmp_path / "path.csv", confine=own),
    ]
    for load in loads:
        with pytest.raises(chasles.Error, match="lies outside"):
            load()
    assert chasles.Mesh.load(tmp_path / "part.obj").faces.shape == (1, 3)


def test_bad_files_name_file_and_line(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text('format = 1\nduration = 1.0\n\n[[body]]\nname = "x"\nmesh = "gone.obj"\n')
    with pytest.raises(chasles.Error, match="gone.obj") as caught:
        chasles.Scene.load(file)
    assert caught.value.file is not None
    file.write_text("format = 1\nduration = -1\n")
    with pytest.raises(chasles.Error, match="duration") as caught:
        chasles.Scene.load(file)
    assert caught.value.line == 2
