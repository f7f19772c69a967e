"""Meshes, bodies, poses, screws: values that travel, and arrays of any kind."""

from __future__ import annotations

import copy
import pathlib
import pickle
from typing import Any

import numpy as np
import pytest
from conftest import ball, cube, motions, packed, with_checksum

import chasles


def things() -> list[Any]:
    a, b = chasles.Mesh(*ball(8, 0.1)), chasles.Mesh(*cube())
    start, end = chasles.Pose([3, 0.1, 0.2]), chasles.Pose([-3, 0, 0], [1, 2, 3, 4])
    screw = chasles.Screw.about(start, [1, 2, 3], [0.1, 0, 0], 0.3, 7.0)
    through = chasles.Screw.translation(start, [-6, 0, 0])
    scene = chasles.Scene(2.0, clearance=0.01)
    scene.add("block", chasles.Body(b), solid=True, group="fixed")
    scene.add("ball", chasles.Sphere(0.4), chasles.Keyframes([0, 2], [start, end]), parent="block")
    scene.add("dot", chasles.Cone(0.1, 0.2), chasles.Twist(start, [-1, 0, 0], [0, 0, 1]))
    scene.ignore("dot", "*")
    return [
        a,
        chasles.Body(a),
        start,
        screw,
        screw.inverse().seen_from(end).reversed(),
        chasles.first_contact(a, b, through),
        chasles.all_contacts(a, b, through),
        chasles.first_contact(a, b, through).contact,
        chasles.contact_intervals(a, b, through),
        chasles.Box([1, 2, 3]),
        chasles.Capsule(0.1, 2),
        chasles.Cylinder(1, 2),
        chasles.Keyframes([0, 1], [start, end], "step"),
        chasles.Twist(start, [1, 0, 0], [0, 0, 1]),
        chasles.Scene(3.0),
        scene,
        scene.check(),
        scene.check(all_pairs=True),
    ]


@pytest.mark.parametrize("number", range(18))
def test_everything_can_be_sent_and_copied(number: int) -> None:
    thing = things()[number]
    for other in (pickle.loads(pickle.dumps(thing)), copy.copy(thing), copy.deepcopy(thing)):
        assert type(other) is type(thing) and other == thing
    assert not (thing != thing) and thing != "something else" and 0 < len(repr(thing)) < 2000
    assert all(thing != other for i, other in enumerate(things()) if i != number)


def test_what_was_sent_answers_with_the_same_bits() -> None:
    for thing in things():
        again = pickle.loads(pickle.dumps(thing))
        if isinstance(thing, chasles.Scene) and thing.names:
            assert again.check().to_json() == thing.check().to_json()
        if isinstance(thing, chasles.Body):
            starts, ends = motions(1, 20)
            there = chasles.first_contact_many(thing, thing, starts, ends)
            assert chasles.first_contact_many(again, again, starts, ends).tobytes() == there.tobytes()
        if isinstance(thing, chasles.Report):
            assert again.to_html() == thing.to_html() and again.to_csv() == thing.to_csv()


def test_a_copied_scene_goes_its_own_way() -> None:
    scene = chasles.Scene(1.0)
    scene.add("a", chasles.Box([1, 1, 1]))
    other = copy.copy(scene)
    other.add("b", chasles.Box([1, 1, 1]))
    assert scene.names == ["a"] and other.names == ["a", "b"] and other != scene


def test_pickles_of_other_versions_and_broken_ones_are_refused() -> None:
    make, (data,) = chasles.Pose().__reduce__()
    assert make(data) == chasles.Pose()
    for broken in (b"", data[:-1], data + b"x", data.replace(b"0.", b"9.", 1)):
        with pytest.raises(ValueError, match="pickle"):
            make(broken)


def use(thing: Any) -> None:
    """Calls that read all of a value."""
    repr(thing)
    assert thing == copy.copy(thing)
    for call in ("to_json", "to_csv", "to_junit", "to_arrays", "_playback", "to_scene"):
        if hasattr(thing, call):
            getattr(thing, call)()


def moments() -> chasles.Moments:
    scene = chasles.Scene(0.1)
    scene.add("floor", chasles.Box([1, 1, 1]))
    scene.add("ball", chasles.Sphere(0.1), chasles.Pose([0, 0, 0.6]))
    return chasles.Simulation(scene, {"ball": {"mass": 1.0}}, gravity=[0, 0, -9.8]).run()


def test_values_with_forged_bytes_are_refused_or_can_be_used(arm: chasles.Robot) -> None:
    random = np.random.default_rng(1)
    refused = 0
    # A body is made of its mesh, which is among the others.
    own_bytes = [thing for thing in things() if not isinstance(thing, chasles.Body)]
    for thing in [*own_bytes, arm.check_path([0, 1], [[0, 0], [1, 0.5]]), moments()]:
        own = packed(thing)
        version = own[: 1 + own[0]]
        value = next(own[at:] for at in range(len(own)) if with_checksum(version, own[at:]) == own)
        for _ in range(100):
            forged = bytearray(value)
            for at in random.integers(0, len(value), random.integers(1, 4)):
                forged[at] = random.choice([0, 1, 2, 127, 128, 255, random.integers(0, 256)])
            try:
                other = type(thing)._from_bytes(with_checksum(version, bytes(forged)))
            except ValueError:
                refused += 1
                continue
            try:
                use(other)
            except (ValueError, chasles.Error):
                refused += 1
    assert refused > 300


def test_arrays_that_fit_into_no_memory_are_refused() -> None:
    many = np.broadcast_to(np.zeros(3), (2**40, 3))
    faces = np.broadcast_to(np.array([0, 1, 2]), (2**40, 3))
    box = chasles.Mesh(*cube())
    for call in (
        lambda: chasles.Mesh(many, [[0, 1, 2]]),
        lambda: chasles.Mesh(cube()[0], faces),
        lambda: chasles.PointCloud(many, 0.1),
        lambda: chasles.first_contact_many(box, box, np.broadcast_to(np.eye(4), (2**40, 4, 4)), np.eye(4)),
    ):
        with pytest.raises(MemoryError):
            call()


def test_meshes_keep_what_they_were_given() -> None:
    vertices, faces = ball(6, 0.2)
    mesh = chasles.Mesh(vertices, faces)
    # The poles are many vertices at one place.
    assert (mesh.vertices == vertices).all() and (mesh.faces == faces).all()
    kept = mesh.vertices
    vertices[:] = 7
    assert np.abs(kept).max() < 2 and mesh.vertices is kept
    for array in (mesh.vertices, mesh.faces):
        assert not array.flags.writeable and array.flags.c_contiguous
        with pytest.raises(ValueError):
            array.setflags(write=True)
    assert chasles.Mesh(*cube()).facts()["closed"] is True and mesh.facts()["closed"] is False
    assert mesh.bounds.shape == (2, 3)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "longdouble", "i4", "u2", ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_any_kind(dtype: str, order: Any) -> None:
    vertices, faces = cube(2.0)
    given = np.asarray(vertices, dtype=dtype if dtype != "u2" else "i4", order=order)
    given = np.repeat(given, 2, axis=0)[::2]
    given.flags.writeable = False
    mesh = chasles.Mesh(given, np.asfortranarray(faces.astype("u1")))
    assert mesh == chasles.Mesh(vertices, faces)


def test_poses_in_all_forms() -> None:
    start, end = (m[0] for m in motions(3, 1))
    pose = chasles.Pose(start[:3], start[3:])
    a = chasles.Body(chasles.Mesh(*ball()))
    want = chasles.first_contact(a, a, start, end)
    assert want == chasles.first_contact(a, a, pose, (end[:3], end[3:]))
    assert want == chasles.first_contact(a, a, start.tolist(), chasles.Pose(end[:3], end[3:]))
    assert want == chasles.first_contact(a, a, chasles.Screw.between(start, end))
    by_matrix = chasles.first_contact(a, a, pose.matrix, chasles.Pose(end[:3], end[3:]).matrix)
    assert by_matrix == chasles.first_contact(a, a, chasles.Pose.from_matrix(pose.matrix), chasles.Pose(end[:3], end[3:]).matrix)
    assert want.time is not None and by_matrix.time is not None and abs(by_matrix.time[0] - want.time[0]) < 1e-9
    assert np.allclose((pose @ pose.inverse()).matrix, np.eye(4), atol=1e-14)
    assert np.allclose(pose.transform(np.ones((2, 5, 3)))[1, 3], pose.matrix[:3, :3] @ np.ones(3) + pose.position)


def test_a_screw_is_one_step_again_and_again() -> None:
    start, end = (m[0] for m in motions(4, 1))
    screw = chasles.Screw.between(start, end)
    at = screw.at(np.linspace(0, 1, 9))
    step = at[1] @ np.linalg.inv(at[0])
    assert all(np.allclose(step @ at[k], at[k + 1], atol=1e-12) for k in range(8))
    assert np.allclose(screw.at(1), chasles.Pose(end[:3], end[3:]).matrix, atol=1e-12)
    assert np.allclose(screw.inverse().at(0.3), np.linalg.inv(screw.at(0.3)), atol=1e-12)
    assert np.allclose(screw.reversed().at(0.3), screw.at(0.7), atol=1e-12)
    assert np.allclose(screw.seen_from(start).at(0.0), np.eye(4), atol=1e-12)
    assert screw.at(np.array(0.5)).shape == (4, 4) and screw.at([]).shape == (0, 4, 4)


def test_files(tmp_path: pathlib.Path) -> None:
    (tmp_path / "t.off").write_text("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
    assert chasles.Mesh.load(tmp_path / "t.off") == chasles.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    (tmp_path / "bad.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n")
    with pytest.raises(chasles.Error, match="bad.obj:4") as caught:
        chasles.Mesh.load(tmp_path / "bad.obj")
    error = caught.value
    again = pickle.loads(pickle.dumps(error))
    assert (error.line, again.line, again.file, str(again)) == (4, 4, error.file, str(error))
    for kind in (chasles.Mesh, chasles.Scene, chasles.Robot):
        with pytest.raises(FileNotFoundError, match="nowhere"):
            kind.load(tmp_path / "nowhere.xyz")
