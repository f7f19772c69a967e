"""Shapes of any kind: in code as in files, and what has no meaning."""

from __future__ import annotations

import copy
import math
import pathlib
import pickle
import struct
from typing import Any

import numpy as np
import pytest
from conftest import cube, packed, with_checksum

import chasles

TEXT = """format = 1
duration = 2.0

[[body]]
name = "plate"
[body.csg]
difference = [{ box = [1, 1, 0.1] }, { cylinder = { radius = 0.2, height = 1 }, pose = { position = [0.1, 0, 0] } }]

[[body]]
name = "egg"
implicit = "x^2 + 2*y^2 + z^2 - 0.09"
bounds = [[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]]
motion = { kind = "twist", linear = [0, 0, -1], angular = [0.3, 0, 0] }
pose = { position = [0.1, 0, 1] }

[[body]]
name = "wave"
parametric = { x = "u", y = "v", z = "0.1*sin(6*u) - 0.5", u = [-1, 1], v = [-1, 1] }

[[body]]
name = "scan"
points = "scan.xyz"
radius = 0.01

[[body]]
name = "field"
level_set = { file = "field.npy", spacing = 0.25, origin = [-0.5, -0.5, -1.6] }

[[body]]
name = "ground"
heights = { file = "ground.npy", spacing = [0.5, 1.0], origin = [-1, -1], bottom = -3 }
"""

POINTS = np.array([[0.1, 0.01 * k, 0.4] for k in range(20)])
GRID = np.add.outer(np.add.outer(np.linspace(-1, 1, 5) ** 2, np.linspace(-1, 1, 5) ** 2), np.linspace(-1, 1, 5) ** 2) - 0.5
HEIGHTS = -2.5 + 0.1 * np.arange(15.0).reshape(5, 3)


def built() -> chasles.Scene:
    scene = chasles.Scene(2.0)
    hole = chasles.Solid.of(chasles.Cylinder(0.2, 1)).placed([0.1, 0, 0, 1, 0, 0, 0])
    scene.add("plate", chasles.Solid.of(chasles.Box([1, 1, 0.1])) - hole)
    egg = chasles.Solid.formula("x^2 + 2*y^2 + z^2 - 0.09", [[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]])
    scene.add("egg", egg, chasles.Twist([0.1, 0, 1, 1, 0, 0, 0], [0, 0, -1], [0.3, 0, 0]))
    scene.add("wave", chasles.ParametricSurface("u", "v", "0.1*sin(6*u) - 0.5", [-1, 1], [-1, 1]))
    scene.add("scan", chasles.PointCloud(POINTS, 0.01))
    scene.add("field", chasles.Solid.level_set(GRID, 0.25, [-0.5, -0.5, -1.6]))
    scene.add("ground", chasles.Solid.heights(HEIGHTS, [0.5, 1.0], -3.0, [-1, -1]))
    return scene


def test_shapes_in_code_are_those_of_files(tmp_path: pathlib.Path) -> None:
    (tmp_path / "scene.toml").write_text(TEXT)
    np.savetxt(tmp_path / "scan.xyz", POINTS, fmt="%.17g")
    np.save(tmp_path / "field.npy", GRID)
    np.save(tmp_path / "ground.npy", HEIGHTS)
    loaded, made = chasles.Scene.load(tmp_path / "scene.toml"), built()
    told = [scene.check(all_pairs=True).to_dict() for scene in (loaded, made)]
    assert told[0] == told[1] and told[0]["verdict"] == "contact"
    met = {(p["a"], p["b"]) for p in told[0]["pairs"] if p["verdict"] == "contact"}
    assert {("plate", "egg"), ("egg", "wave"), ("egg", "scan"), ("egg", "field")} <= met
    for other in (pickle.loads(pickle.dumps(made)), copy.copy(made)):
        assert other == made and other.check(all_pairs=True).to_dict() == told[0]


def test_solids_are_joined_cut_and_moved() -> None:
    box, ball = chasles.Solid.of(chasles.Box([1, 1, 1])), chasles.Sphere(0.6)
    wedge = box & chasles.Solid.half_space([1, 0, 1], 0)
    assert box.union(ball, wedge).bounds.round(6).tolist() == [[-0.6] * 3, [0.6] * 3]
    assert (box | ball) == box.union(ball) and (box & ball) == box.intersection(ball) and (box - ball) == box.difference(ball)
    assert box.intersection(ball).bounds.round(6).tolist() == [[-0.5] * 3, [0.5] * 3]
    twice = box.placed([1, 0, 0, 1, 0, 0, 0], 2.0).placed([0, 1, 0, 1, 0, 0, 0])
    assert twice.bounds.round(6).tolist() == [[0, 0, -1], [2, 2, 1]]
    corner = chasles.Scene(1.0)
    corner.add("wedge", wedge)
    corner.add("dot", chasles.Sphere(0.05), chasles.Screw.translation([0.4, 0, 0.4, 1, 0, 0, 0], [-0.4, 0, -0.4]))
    # The ball meets the plane x + z = 0 where its centre is 0.05 away.
    enter, true = corner.check().pairs[0].intervals[0].enter, 1 - 0.05 * math.sqrt(2) / 0.8
    assert abs(enter[0] - true) < 1e-7 and abs(enter[1] - true) < 1e-7
    assert chasles.Solid.of(chasles.Mesh(*cube())).bounds.round(6).tolist() == [[-0.5] * 3, [0.5] * 3]
    for solid in (box, wedge, twice):
        assert pickle.loads(pickle.dumps(solid)) == copy.deepcopy(solid) == solid


def test_a_body_that_deforms() -> None:
    vertices, faces = cube(0.5)
    grown = chasles.DeformingSurface([0.0, 2.0], np.array([vertices, 2 * vertices]), faces)
    scene = chasles.Scene(2.0)
    scene.add("block", grown, self_test=True)
    scene.add("wall", chasles.Box([0.2, 4, 4]), [0.85, 0, 0, 1, 0, 0, 0])
    # Its face at x = 0.5 is at 0.5 + t / 4, and meets the wall at 0.75 when t = 1.
    pair = next(p for p in scene.check().pairs if p.b == "wall")
    assert pair.verdict == "contact" and pair.intervals[0].enter[0] <= 1 <= pair.intervals[0].enter[1]
    assert pickle.loads(pickle.dumps(grown)) == copy.copy(grown) == grown
    assert pickle.loads(pickle.dumps(scene)).check().to_dict() == scene.check().to_dict()


def test_convex_pieces_are_checked() -> None:
    scene = chasles.Scene(1.0)
    scene.add("block", chasles.Mesh(*cube()), convex=True)
    vertices, faces = cube()
    dented = np.vstack([vertices, [[0, 0, 0]]])
    dent = [f for f in faces.tolist() if f != faces.tolist()[0]] + [[8, *faces[0][1:]], [faces[0][0], 8, faces[0][2]], [*faces[0][:2], 8]]
    with pytest.raises(ValueError, match="shape"):
        scene.add("dented", chasles.Mesh(dented, dent), convex=True)
    assert scene.names == ["block"]


ONE = [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "says, call",
    [
        ("formula", lambda: chasles.Solid.formula("x +", [[0, 0, 0], [1, 1, 1]])),
        ("formula", lambda: chasles.Solid.formula("1/x", [[-1, -1, -1], [1, 1, 1]])),
        ("formula", lambda: chasles.Solid.formula("w", [[0, 0, 0], [1, 1, 1]])),
        ("bounds.*along y", lambda: chasles.Solid.formula("x", [[0, 1, 0], [1, 1, 1]])),
        ("bounds.*shape", lambda: chasles.Solid.formula("x", [0, 1])),
        ("bounds", lambda: chasles.Solid.formula("x", [[0, 0, 0], [1, 1, math.nan]])),
        ("normal", lambda: chasles.Solid.half_space(ONE, 1)),
        ("offset", lambda: chasles.Solid.half_space([1, 0, 0], math.nan)),
        ("samples", lambda: chasles.Solid.level_set(np.zeros((2, 2)), 1)),
        ("samples", lambda: chasles.Solid.level_set(np.zeros((2, 2, 1)), 1)),
        ("samples", lambda: chasles.Solid.level_set(np.full((2, 2, 2), math.inf), 1)),
        ("spacing", lambda: chasles.Solid.level_set(np.zeros((2, 2, 2)), [1, 1])),
        ("samples", lambda: chasles.Solid.level_set(np.zeros((2, 2, 2)), -1)),
        ("origin", lambda: chasles.Solid.level_set(np.zeros((2, 2, 2)), 1, [0, 0])),
        ("samples", lambda: chasles.Solid.heights(np.zeros((2, 2)), 1, 0.5)),
        ("shape.*closed", lambda: chasles.Solid.of(chasles.Mesh([ONE, [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))),
        ("shape.*int", lambda: chasles.Solid.of(3)),
        ("others.*str", lambda: chasles.Solid.of(chasles.Sphere(1)) | "ball"),
        ("scale", lambda: chasles.Solid.of(chasles.Sphere(1)).placed(chasles.Pose(), 0)),
        ("end", lambda: chasles.Solid.half_space([1, 0, 0], 0).bounds),
        ("points", lambda: chasles.PointCloud(np.zeros((0, 3)), 1)),
        (r"points\[1\].*NaN", lambda: chasles.PointCloud([ONE, [0, math.nan, 0]], 1)),
        ("radius", lambda: chasles.PointCloud([ONE], -1)),
        ("x: ", lambda: chasles.ParametricSurface("q", "v", "u", [0, 1], [0, 1])),
        ("z: ", lambda: chasles.ParametricSurface("u", "v", "log(u - 2)", [0, 1], [0, 1])),
        ("u: .*increases", lambda: chasles.ParametricSurface("u", "v", "u", [1, 0], [0, 1])),
        (r"frames\[1\]\[0\].*NaN", lambda: chasles.DeformingSurface([0, 1], [[ONE] * 3, [[math.nan, 0, 0], ONE, ONE]], [[0, 1, 2]])),
        ("frames.*one for each", lambda: chasles.DeformingSurface([0, 1], [[ONE] * 3], [[0, 1, 2]])),
        (r"faces\[0\]", lambda: chasles.DeformingSurface([0], [[ONE] * 3], [[0, 1, 3]])),
        (r"times\[1\]", lambda: chasles.DeformingSurface([0, 0], [[ONE] * 3] * 2, [[0, 1, 2]])),
        ("self_test.*does not deform", lambda: chasles.Scene(1.0).add("x", chasles.Sphere(1), self_test=True)),
        ("shape", lambda: chasles.Scene(1.0).add("x", chasles.Sphere(1), convex=True)),
    ],
)
def test_what_has_no_meaning_is_refused_by_name(says: str, call: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=says):
        call()


def test_damaged_pickles_are_refused_bit_by_bit() -> None:
    own = packed(chasles.PointCloud(POINTS, 0.1))
    for at in range(len(own)):
        for bit in range(8):
            damaged = bytearray(own)
            damaged[at] ^= 1 << bit
            with pytest.raises(ValueError):
                chasles.PointCloud._from_bytes(bytes(damaged))
    for end in range(len(own)):
        with pytest.raises(ValueError):
            chasles.PointCloud._from_bytes(own[:end])


def test_values_in_pickles_pass_their_constructors() -> None:
    own = packed(chasles.PointCloud(POINTS, 0.1))
    version = own[: 1 + own[0]]
    # The radius is the last number.
    value = next(own[at:] for at in range(len(own)) if with_checksum(version, own[at:]) == own)
    assert chasles.PointCloud._from_bytes(with_checksum(version, value)) == chasles.PointCloud(POINTS, 0.1)
    negative = value[:-8] + struct.pack("<d", -0.1)
    with pytest.raises(ValueError):
        chasles.PointCloud._from_bytes(with_checksum(version, negative))
