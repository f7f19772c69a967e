"""Robots: paths, edges and configurations agree with each other."""

from __future__ import annotations

import copy
import pathlib
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from conftest import URDF, WORLD

import chasles


DRAWN = """<link name='cover'><visual><geometry><box size='1 1 1'/></geometry></visual></link>
<joint name='c' type='fixed'><parent link='tool'/><child link='cover'/></joint>"""


def edges(count: int, seed: int = 1) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    q0 = rng.uniform([-2.5, -1.5], [2.5, 1.5], (count, 2))
    return q0, np.clip(q0 + rng.uniform(-0.5, 0.5, q0.shape), [-3, -2], [3, 2])


def test_what_a_robot_has(arm: chasles.Robot) -> None:
    assert arm.joints == ["shoulder", "elbow"] and arm.links == ["base", "upper", "lower", "tool"]
    assert arm.bodies == [*arm.links, "post"] and arm.limits.tolist() == [[-3, 3], [-2, 2]] and arm.rest.tolist() == [0, 0]
    one, many = arm.link_poses([0.5, 0]), arm.link_poses([[0, 0], [0.5, 0]])
    assert list(one) == arm.links and many["tool"].shape == (2, 4, 4) and (many["tool"][1] == one["tool"]).all()
    assert np.allclose(one["tool"][:3, 3], [0.9 * np.cos(0.5), 0.9 * np.sin(0.5), 0.2])
    assert "2 joints" in repr(arm)


def test_edges_say_what_paths_say(arm: chasles.Robot) -> None:
    q0, q1 = edges(120)
    codes, first = arm.check_edges(q0, q1), arm.edges_first_contact(q0, q1)
    assert {0, 3} <= set(codes.tolist()) and first.dtype == chasles.EDGE
    for k in range(len(q0)):
        report = arm.check_path([0, 1], [q0[k], q1[k]])
        assert (codes[k] == chasles.CLEAR) == (report.verdict == "clear")
        assert (first["verdict"][k] == chasles.CLEAR) == (report.verdict == "clear")
        if report.verdict != "clear":
            enter = min((x.enter for p in report.pairs for x in p.intervals), key=lambda x: x[0])
            assert max(enter[0], first["time"][k, 0]) <= min(enter[1], first["time"][k, 1]) + 1e-9
            assert first["free"][k] <= enter[1]
            met = {arm.bodies[first["a"][k]], arm.bodies[first["b"][k]]}
            assert met in [{p.a, p.b} for p in report.pairs if p.intervals]
        else:
            assert first["free"][k] == 1 and np.isnan(first["time"][k]).all() and first["a"][k] == -1
    for threads in (1, 3):
        assert (arm.check_edges(q0, q1, threads=threads) == codes).all()
        assert arm.edges_first_contact(q0, q1, threads=threads).tobytes() == first.tobytes()
    assert ((arm.check_edges(q1, q0) == 0) == (codes == 0)).all()
    assert (arm.check_edges(q0[0], q1) == arm.check_edges(np.tile(q0[0], (len(q1), 1)), q1)).all()
    assert arm.check_edges(q0[:0], q1[:0]).shape == (0,) and arm.check_edges(q0[0], q1[0]).shape == (1,)
    starts = arm.check_configurations(q0)
    assert (starts[codes == 0] == 0).all() and set(starts.tolist()) == {0, 3}


def test_edges_that_need_more_than_the_budget_are_undecided(arm: chasles.Robot) -> None:
    ends = edges(3000)
    codes, poor = arm.check_edges(*ends), arm.check_edges(*ends, budget=0)
    decided = poor != chasles.UNDECIDED
    assert 0 < (~decided).sum() < 300 and (poor[decided] == codes[decided]).all()


def test_masks_are_true_exactly_where_proven_clear(arm: chasles.Robot) -> None:
    q0, q1 = edges(3000)
    for budget in (None, 0):
        codes, mask = arm.check_edges(q0, q1, budget=budget), arm.edges_free(q0, q1, budget=budget, threads=2)
        assert mask.dtype == np.bool_ and (mask == (codes == chasles.CLEAR)).all()
        assert {chasles.CLEAR, chasles.CONTACT} <= set(codes.tolist())
        # With a tiny budget some edges are undecided. The mask counts them as not free.
        assert (chasles.UNDECIDED in codes) == (budget == 0) and not mask[codes == chasles.UNDECIDED].any()
        codes, mask = arm.check_configurations(q0, budget=budget), arm.configurations_free(q0, budget=budget)
        assert mask.dtype == np.bool_ and (mask == (codes == chasles.CLEAR)).all()
        assert {chasles.CLEAR, chasles.CONTACT} <= set(codes.tolist())
    assert arm.edges_free(q0[:0], q1[:0]).shape == (0,) and arm.configurations_free(q0[0]).shape == (1,)
    # A mask selects rows; verdict codes as an index would select the wrong ones.
    assert (q0[arm.configurations_free(q0)] == q0[arm.check_configurations(q0) == chasles.CLEAR]).all()
    for call in (lambda: arm.edges_free(q0, [4, 0]), lambda: arm.configurations_free([[0, 0], [4, 0]])):
        with pytest.raises(ValueError, match=r"(q1|q\[1\]).*shoulder"):
            call()


def test_paths(arm: chasles.Robot, tmp_path: pathlib.Path) -> None:
    times, joints = [0, 1, 3], [[-0.5], [1.5], [0.2]]
    report = arm.check_path(times, joints, names=["shoulder"], all_pairs=True)
    assert report.verdict == "contact" and report.duration == 3
    columns = report.to_arrays()
    assert list(columns)[-1] == "shoulder" and set(columns["segment"].tolist()) <= {-1, 0, 1}
    (tmp_path / "p.csv").write_text("time,shoulder\n0,-0.5\n1,1.5\n3,0.2\n")
    assert arm.check_file(tmp_path / "p.csv", all_pairs=True).to_dict() == report.to_dict()
    cubic = arm.check_path(times, joints, names=["shoulder"], velocities=np.zeros((3, 1)))
    enters = [next(p.intervals[0].enter for p in r.pairs if p.intervals) for r in (cubic, report)]
    assert enters[0] != enters[1]
    assert arm.check_path(times, joints, names=["shoulder"], clearance=0.1).to_dict()["clearance"] == 0.1
    assert report.to_html().lower().startswith("<!doctype")
    for other in (pickle.loads(pickle.dumps(report)), copy.deepcopy(report)):
        assert other == report and other.to_csv() == report.to_csv()


def test_a_robot_without_joints(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "rack.urdf"
    file.write_text('''<robot name="rack"><link name="foot"><collision><geometry><box size="1 1 1"/>
        </geometry></collision></link><link name="top"/><joint name="j" type="fixed">
        <parent link="foot"/><child link="top"/><origin xyz="0 0 2"/></joint></robot>''')
    rack = chasles.Robot.load(file)
    assert rack.joints == [] and rack.limits.shape == (0, 2) and rack.rest.shape == (0,)
    one, many = rack.link_poses([]), rack.link_poses(np.zeros((3, 0)))
    assert one["top"].shape == (4, 4) and one["top"][2, 3] == 2
    assert many["top"].shape == (3, 4, 4) and (many["top"] == one["top"]).all()


def test_gaps(arm: chasles.Robot) -> None:
    at_least, at_most = arm.clearance([0, 1], [[-1.0, 0], [-0.5, 0.1]])
    assert 0 < at_least <= at_most < 1
    assert arm.clearance([0, 1], [[-0.5, 0], [1.5, 0]]) == (0, 0)


def test_worlds_and_held_bodies(arm: chasles.Robot, tmp_path: pathlib.Path) -> None:
    q0, q1 = edges(60)
    codes = arm.check_edges(q0, q1)
    bare = arm.with_world(None)
    assert bare.bodies == arm.links and (bare.check_edges(q0, q1) <= codes).all()
    scene = chasles.Scene(1.0)
    scene.add("post", chasles.Box([0.05, 0.05, 2]), ([0.6, 0.45, 0], [1, 0, 0, 0]))
    again = bare.with_world(scene)
    assert again.bodies == arm.bodies and (again.check_edges(q0, q1) == codes).all()
    (tmp_path / "world.toml").write_text(WORLD)
    assert again == bare.with_world(tmp_path / "world.toml") == arm
    holding = arm.with_attached("load", chasles.Box([0.05, 0.7, 0.05]), "tool", [0.1, 0, 0, 1, 0, 0, 0])
    held = holding.check_edges(q0, q1)
    assert holding.bodies == [*arm.bodies, "load"] and (held >= codes).all() and (held > codes).any()
    assert holding.with_world(None).bodies == [*arm.links, "load"]
    assert (holding.with_world(None).with_world(scene).check_edges(q0, q1) == held).all()
    moving = chasles.Scene(1.0)
    moving.add("cart", chasles.Box([1, 1, 1]), chasles.Screw.translation([3, 0, 0, 1, 0, 0, 0], [1, 0, 0]))
    with pytest.raises(ValueError, match="cart"):
        arm.with_world(moving).check_edges(q0, q1)
    for other in (pickle.loads(pickle.dumps(holding)), copy.deepcopy(holding)):
        assert other == holding and (other.check_edges(q0, q1) == held).all()
        assert other.with_world(None).bodies == [*arm.links, "load"]


SLIDER = """<robot name='slider'><link name='base'/>
<link name='slide'><collision><geometry>{}</geometry></collision></link>
<joint name='x' type='prismatic'><parent link='base'/><child link='slide'/><axis xyz='1 0 0'/>
<limit lower='-2' upper='2' effort='1' velocity='1'/></joint></robot>"""


def shape_at(rng: np.random.Generator) -> Any:
    size = float(rng.uniform(0.005, 0.05) if rng.random() < 0.5 else rng.uniform(0.1, 0.6))
    bounds = [[-1.2 * size] * 3, [1.2 * size] * 3]
    ball = chasles.Solid.formula(f"x^2 + y^2 + z^2 - {size}^2", bounds)
    return [
        lambda: chasles.Box([size, 0.7 * size, 1.3 * size]),
        lambda: chasles.Sphere(size),
        lambda: chasles.Cylinder(size, size),
        lambda: ball,
        lambda: ball - chasles.Box([0.8 * size] * 3),
        lambda: chasles.PointCloud(rng.uniform(-size, size, (5, 3)), 0.1 * size),
        lambda: chasles.ParametricSurface(f"{size}*u", f"{size}*v", f"{size}*u*v", [-1, 1], [-1, 1]),
    ][rng.integers(7)]()


def test_random_cells_have_one_answer(tmp_path: pathlib.Path) -> None:
    """Paths, edges, configurations, reaches and clearances of one question agree, whatever the shapes are."""
    rng, counts = np.random.default_rng(8), {"clear": 0, "met": 0, "undecided": 0}
    for seed in range(80):
        geometry = [
            f"<box size='{rng.uniform(0.1, 0.6)} 0.3 {rng.uniform(0.1, 0.6)}'/>",
            f"<cylinder radius='{rng.uniform(0.05, 0.3)}' length='0.5'/>",
            f"<sphere radius='{rng.uniform(0.05, 0.3)}'/>",
        ][rng.integers(3)]
        (tmp_path / "slider.urdf").write_text(SLIDER.format(geometry))
        world = chasles.Scene(1.0)
        world.add("thing", shape_at(rng), (rng.uniform(-0.4, 0.4, 3), [1, 0, 0, 0]))
        clearance = float(rng.uniform(0.01, 0.1)) if rng.random() < 0.3 else None
        robot = chasles.Robot.load(tmp_path / "slider.urdf", world=world, clearance=clearance)
        q0, q1 = np.array([[rng.uniform(-1.5, 0.2)]]), np.array([[rng.uniform(-0.2, 1.5)]])
        path = robot.check_path([0, 1], np.concatenate([q0, q1]))
        first = robot.edges_first_contact(q0, q1)
        answers = [path.verdict == "clear", robot.check_edges(q0, q1)[0] == 0, first["free"][0] == 1]
        said = (seed, path.verdict, robot.check_edges(q0, q1), first)
        if path.verdict == "undecided" or chasles.UNDECIDED in (robot.check_edges(q0, q1)[0], first["verdict"][0]):
            counts["undecided"] += 1
            continue
        assert len(set(map(bool, answers))) == 1, said
        counts["clear" if answers[0] else "met"] += 1
        if path.verdict == "clear":
            assert (robot.check_configurations(np.concatenate([q0, q1])) == 0).all(), said
        low, high = robot.clearance([0, 1], np.concatenate([q0, q1]))
        assert low <= high and (high > 0) == (path.verdict in ("clear", "near")), (said, low, high)
        # One configuration is a path that stays.
        still = robot.check_path([0, 1], np.concatenate([q0, q0]))
        configuration = robot.check_configurations(q0)[0]
        if still.verdict != "undecided" and configuration != chasles.UNDECIDED:
            assert (still.verdict == "clear") == (configuration == 0), (said, still.verdict, configuration)
    assert counts["clear"] > 10 and counts["met"] > 30 and counts["undecided"] < 5, counts


def test_pairs_at_rest(tmp_path: pathlib.Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    post = chasles.Scene(1.0)
    post.add("post", chasles.Box([0.05, 0.05, 2]), ([0.25, 0, 0], [1, 0, 0, 0]))
    arm = chasles.Robot.load(tmp_path / "arm.urdf", world=post)
    # The elbow turns alone: the upper arm is in the post all the time.
    found = arm.check_path([0, 1], [[0, 0], [0, 0.1]])
    assert {(p.a, p.b) for p in found.pairs if p.verdict == "overlapping"} == {("upper", "post")}
    ignoring = chasles.Robot.load(tmp_path / "arm.urdf", world=post, standing="ignore")
    for robot in (ignoring, pickle.loads(pickle.dumps(ignoring)), ignoring.with_world(post)):
        assert robot.check_path([0, 1], [[0, 0], [0, 0.1]]).verdict == "clear" and robot != arm


def test_bases_and_worlds_at_loading(tmp_path: pathlib.Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "world.toml").write_text(WORLD)
    moved = chasles.Robot.load(tmp_path / "arm.urdf", base=[1, 2, 3, 1, 0, 0, 0], clearance=0.1)
    assert np.allclose(moved.link_poses([0, 0])["base"][:3, 3], [1, 2, 3])
    world = chasles.Scene.load(tmp_path / "world.toml")
    by_scene = chasles.Robot.load(tmp_path / "arm.urdf", world=world)
    assert by_scene == chasles.Robot.load(str(tmp_path / "arm.urdf"), world=str(tmp_path / "world.toml"))


@pytest.mark.parametrize(
    "says, call",
    [
        (r"q0.*\(3, 1\)", lambda r: r.check_edges(np.zeros((3, 1)), np.zeros((3, 1)))),
        ("q1.*2.*3", lambda r: r.check_edges(np.zeros((3, 2)), np.zeros((2, 2)))),
        (r"q0\[1\].*elbow.*NaN", lambda r: r.check_edges([[0, 0], [0, np.nan]], np.zeros((2, 2)))),
        (r"q1\[1\].*shoulder", lambda r: r.check_edges(np.zeros((2, 2)), [[0, 0], [4, 0]])),
        ("q0", lambda r: r.check_edges("a", "b")),
        ("q", lambda r: r.check_configurations(np.zeros((2, 2, 2)))),
        ("times", lambda r: r.check_path([1, 0], np.zeros((2, 2)))),
        (r"times\[1\]", lambda r: r.check_path([0, np.nan], np.zeros((2, 2)))),
        ("times", lambda r: r.check_path([0], np.zeros((1, 2)))),
        ("joints", lambda r: r.check_path([0, 1], np.zeros((3, 2)))),
        (r"joints\[1\]", lambda r: r.check_path([0, 1], [[0, 0], [np.inf, 0]])),
        ("nothing", lambda r: r.check_path([0, 1], np.zeros((2, 1)), names=["nothing"])),
        ("names.*elbow", lambda r: r.check_path([0, 1], np.zeros((2, 2)), names=["elbow"] * 2)),
        ("elbow", lambda r: r.check_path([0, 1], [[0, 0], [0, 2.5]])),
        ("velocities", lambda r: r.check_path([0, 1], np.zeros((2, 2)), velocities=np.zeros((2, 3)))),
        ("link.*no such", lambda r: r.with_attached("x", chasles.Sphere(0.1), "no such", chasles.Pose())),
        ("name.*tool", lambda r: r.with_attached("tool", chasles.Sphere(0.1), "tool", chasles.Pose())),
        ("world", lambda r: r.with_world(3)),
        ("q", lambda r: r.link_poses(np.zeros(3))),
    ],
)
def test_what_has_no_meaning_is_refused_by_name(arm: chasles.Robot, says: str, call: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=says):
        call(arm)


def test_what_looks_wrong_is_told_and_kept(tmp_path: pathlib.Path) -> None:
    (tmp_path / "r.urdf").write_text(URDF.replace("</robot>", DRAWN + "</robot>"))
    with pytest.warns(chasles.Warning, match="no collision geometry in \"cover\""):
        robot = chasles.Robot.load(tmp_path / "r.urdf")
    assert len(robot.warnings) == 1 and "cover" in robot.warnings[0]
    assert chasles.Robot.load(tmp_path / "r.urdf", use_visual=True).warnings == []
    (tmp_path / "fast.csv").write_text("time,shoulder\n0,-1\n1e-6,1\n")
    with pytest.warns(chasles.Warning, match="beyond its maximum speed"):
        report = robot.check_file(tmp_path / "fast.csv")
    assert report.warnings[0] == robot.warnings[0] and "maximum speed" in report.warnings[1]
    assert report.to_dict()["warnings"] == report.warnings
    assert pickle.loads(pickle.dumps(report)).warnings == report.warnings
    assert pickle.loads(pickle.dumps(robot)).warnings == robot.warnings
    with warnings.catch_warnings():
        warnings.simplefilter("error", chasles.Warning)
        with pytest.raises(chasles.Warning):
            chasles.Robot.load(tmp_path / "r.urdf")


def test_a_planar_joint_is_three_that_can_be_set(tmp_path: pathlib.Path) -> None:
    link = "<link name='{}'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
    joint = "<joint name='drive' type='planar'><parent link='world'/><child link='base'/><axis xyz='0 0 1'/></joint>"
    (tmp_path / "r.urdf").write_text(f"<robot name='r'><link name='world'/>{link.format('base')}{joint}</robot>")
    robot = chasles.Robot.load(tmp_path / "r.urdf")
    assert robot.joints == ["drive/x", "drive/y", "drive/yaw"] and robot.rest.tolist() == [0, 0, 0]
    assert np.allclose(robot.link_poses([1, 2, 0])["base"][:3, 3], [1, 2, 0])
