"""What viser and rerun are given is what the engine says."""

from __future__ import annotations

import base64
import pathlib
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from conftest import cube

import chasles
import chasles._playback
import chasles.rerun
import chasles.viser

SCENE = """format = 1
duration = 4.0

[[body]]
name = "sheet"
[body.motion]
kind = "deforming"
times = [0.0, 1.0, 4.0]
meshes = ["a.obj", "b.obj", "c.obj"]

[[body]]
name = "ball/of lead"
sphere = 0.2
pose = { position = [0, 0, 2] }
motion = { kind = "twist", linear = [0, 0, -1], angular = [0, 0, 2] }

[[body]]
name = "jumper"
box = [0.1, 0.1, 0.1]
[body.motion]
kind = "keyframes"
times = [0, 2, 4]
positions = [[5, 0, 0], [6, 0, 0], [7, 0, 0]]
interpolation = "step"
"""


def sheet(height: float) -> str:
    return f"v -1 -1 {height}\nv 1 -1 0\nv 1 1 {height}\nv -1 1 0\nf 1 2 3\nf 1 3 4\n"


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> chasles.Scene:
    folder = tmp_path_factory.mktemp("shown")
    for name, height in (("a", 0.0), ("b", 0.5), ("c", 0.0)):
        (folder / f"{name}.obj").write_text(sheet(height))
    (folder / "scene.toml").write_text(SCENE)
    return chasles.Scene.load(folder / "scene.toml")


@pytest.fixture(scope="module")
def path(arm: chasles.Robot) -> chasles.Report:
    return arm.check_path([5, 6, 8], [[-0.5, 0], [1.5, 0], [0.2, 0.1]])


def matrices(poses: Any) -> Any:
    return np.array([chasles.Pose(pose[:3], pose[3:]).matrix for pose in poses])


def test_bodies_are_where_the_scene_says(scene: chasles.Scene) -> None:
    times = np.linspace(0, 4, 41)
    for x in (scene, scene.check()):
        playback = chasles._playback._Playback.of(x)
        assert [body.name for body in playback.bodies] == scene.names and (playback.begin, playback.end) == (0, 4)
        for body in playback.bodies:
            assert np.allclose(matrices(body.poses(times)), scene.poses(body.name, times), atol=1e-12)
    # The body that jumps is after the jump at its time.
    jumper = playback.bodies[2]
    assert jumper.poses(np.array([1.999, 2.0]))[:, 0].tolist() == [5, 6]


def test_links_are_where_the_robot_says(arm: chasles.Robot, path: chasles.Report) -> None:
    playback = chasles._playback._Playback.of(path)
    assert [body.name for body in playback.bodies] == arm.bodies and (playback.begin, playback.end) == (5, 8)
    found = {body.name: matrices(body.poses(np.array([5.0, 5.5, 8.0]))) for body in playback.bodies}
    for name, poses in arm.link_poses([[-0.5, 0], [0.5, 0], [0.2, 0.1]]).items():
        assert np.allclose(found[name], poses, atol=1e-6)
    intervals = [interval for pair in path.pairs for interval in pair.intervals if interval.contact]
    assert len(playback.contacts) == len(intervals) > 1 and playback.verdict == "contact"
    for contact in playback.contacts:
        own = next(interval for interval in intervals if interval.enter[0] == contact.begin)
        assert own.exit is not None and own.contact is not None and contact.end == own.exit[1]
        assert (contact.point == own.contact.point).all() and "lower, post" in contact.label


def test_surfaces_are_those_of_the_meshes() -> None:
    scene = chasles.Scene(1.0)
    vertices, faces = cube(0.25)
    scene.add("far", chasles.Mesh(vertices + 1e6, faces), [1, 2, 3, 0, 1, 0, 0])
    part = chasles._playback._Playback.of(scene).bodies[0].parts[0]
    on_body = chasles.Pose(part.pose[:3], part.pose[3:]).transform(part.vertices[part.faces].astype(float))
    # In single precision from the origin, a coordinate of 1e6 would be off by 0.06.
    assert np.allclose(on_body, (vertices + 1e6)[faces], atol=1e-6)


def test_surfaces_deform_evenly(scene: chasles.Scene) -> None:
    part = chasles._playback._Playback.of(scene).bodies[0].parts[0]
    assert part.frames is not None and part.frames[0].tolist() == [0, 1, 4]
    heights = [float(part.at(at)[:, 2].max() + part.pose[2]) for at in (-1, 0, 0.5, 1, 2.5, 4, 9)]
    assert np.allclose(heights, [0, 0, 0.25, 0.5, 0.25, 0, 0], atol=1e-6)


def test_colours_make_parts() -> None:
    vertices, faces = cube()

    def packed(array: Any, kind: str) -> str:
        return base64.b64encode(array.astype(kind).tobytes()).decode()

    mesh = {"positions": packed(vertices, "<f4"), "triangles": packed(faces, "<u4"), "origin": [0, 0, 0]}
    told = {
        "name": "dice", "mesh": [0, 0], "frames": [[0, 0, 0, 1, 0, 0, 0], [1, 0, 0, 1, 0, 0, 0]], "deforming": None,
        "keys": packed(np.eye(1, 8, 4), "<f8"),
        "colours": [[4, "#ff0000"], [6, "#0000ff"], [4, "#ff0000"]],
    }  # fmt: skip
    body = chasles._playback._body(told, [mesh])
    # Of the first cube 4 faces are red and 6 blue, and 2 red again; of the second 2 are red, and the others have none.
    assert [(part.colour, len(part.faces)) for part in body.parts] == [
        ((255, 0, 0), 6),
        ((0, 0, 255), 6),
        ((255, 0, 0), 2),
    ]
    assert all(part.faces.max() < len(part.vertices) for part in body.parts)


@pytest.mark.parametrize("normal", [[0, 0, 1], [1, 0, 0], [0.6, -0.8, 0], [-0.36, 0.48, -0.8]])
def test_needles_point_along_normals(normal: list[float]) -> None:
    vertices, faces = chasles.viser._needle(np.array([1.0, 2, 3]), np.array(normal), 10.0)
    along = (vertices - [1, 2, 3]) @ np.array(normal)
    assert np.isclose(along.max(), 1.2, atol=1e-5) and np.isclose(along.min(), -0.1, atol=1e-5)
    corners = vertices[faces].astype(float)
    volume = (
        np.einsum(
            "ij,ij->i", corners[:, 0] - [1, 2, 3], np.cross(corners[:, 1] - [1, 2, 3], corners[:, 2] - [1, 2, 3])
        ).sum()
        / 6
    )
    assert faces.shape == (8, 3) and volume > 0


def test_what_cannot_be_shown_is_refused() -> None:
    for x, kind in ((3, TypeError), (chasles.Scene(1.0), ValueError)):
        with pytest.raises(kind, match="x: found"):
            chasles._playback._Playback.of(x)


@pytest.mark.parametrize("missing", ["viser", "rerun"])
def test_what_is_missing_is_told(missing: str) -> None:
    code = f"""
        import sys
        sys.modules[{missing!r}] = None
        import chasles, chasles.viser, chasles.rerun
        scene = chasles.Scene(1.0); scene.add("x", chasles.Box([1, 1, 1]))
        try: {"chasles.viser.show(None, scene)" if missing == "viser" else "chasles.rerun.save(scene, 'never.rrd')"}
        except ImportError as error: print(error)
    """
    told = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60)
    assert f"pip install chasles[{missing}]" in told.stdout, told.stdout + told.stderr
    light = f"import sys, chasles.viser, chasles.rerun; print({missing!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", light], capture_output=True, text=True).stdout.strip() == "False"


# With viser itself: a server, and nobody who looks.


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    viser = pytest.importorskip("viser")
    server = viser.ViserServer(host="127.0.0.1", port=18_431, verbose=False)
    yield server
    server.stop()


def test_a_slider_moves_the_bodies(server: Any, scene: chasles.Scene) -> None:
    shown = chasles.viser.show(server, scene.check())
    assert shown.time == 0
    for at in (1.0, 1.2345678, 3.9):
        shown.time = at
        for name, (frame, _) in zip(scene.names, shown._frames):
            pose = chasles.Pose(frame.position, frame.wxyz)
            assert np.allclose(pose.matrix, scene.poses(name, [at])[0], atol=1e-6)
        (mesh,) = shown._frames[0][1]
        assert np.allclose(mesh.vertices, shown._playback.bodies[0].parts[0].at(at), atol=1e-6)
        now = [contact.begin <= at <= contact.end for contact in shown._playback.contacts]
        assert [mesh.visible for mesh in shown._contacts] == now
    for beyond, nearest in ((-3, 0), (1e9, 4)):
        shown.time = beyond
        assert shown.time == nearest
    with pytest.raises(ValueError, match="time"):
        shown.time = float("nan")
    # Somebody moves the slider, and chooses a contact.
    shown._slider.value = 2.5
    shown._move(shown._slider.value)
    assert shown.time == 2.5
    shown._jump(shown._playback.contacts[0].begin)
    assert shown.time == shown._playback.contacts[0].begin
    assert any(mesh.visible for mesh in shown._contacts)


def test_it_plays(server: Any, scene: chasles.Scene) -> None:
    shown = chasles.viser.show(server, scene, name="film")
    shown.time = 3.8
    shown._play.value = True
    shown._run()
    assert shown.time == 4 and not shown._play.value


def test_it_can_be_taken_away(server: Any, scene: chasles.Scene, path: chasles.Report) -> None:
    first = chasles.viser.show(server, scene, name="cell")
    second = chasles.viser.show(server, path, name="cell")
    first.time = 1.0
    assert not first._is_there and second._is_there and second.time == 5
    second.remove()
    second.remove()
    second._run()


# With rerun itself.


def test_a_recording_is_written(scene: chasles.Scene, path: chasles.Report, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("rerun")
    shown: list[chasles.Scene | chasles.Report] = [scene, scene.check(), path]
    for number, x in enumerate(shown):
        file = tmp_path / f"{number} of them.rrd"
        file.write_text("old")
        chasles.rerun.save(x, file)
        assert file.read_bytes()[:3] == b"RRF" and file.stat().st_size > 10_000
        chasles.rerun.save(x, str(file))
    assert sorted(p.suffix for p in tmp_path.iterdir()) == [".rrd"] * 3
    with pytest.raises(FileNotFoundError, match="nowhere"):
        chasles.rerun.save(scene, tmp_path / "nowhere" / "x.rrd")
    with pytest.raises(TypeError, match="x: found int"):
        chasles.rerun.save(3, tmp_path / "x.rrd")  # type: ignore[arg-type]


def test_a_recording_says_what_was_written(scene: chasles.Scene, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("rerun")
    chasles.rerun.save(scene.check(), tmp_path / "x.rrd")
    command = [sys.executable, "-m", "rerun", "rrd", "print", "-vvv", str(tmp_path / "x.rrd")]
    told = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if told.returncode:
        pytest.skip(f"this rerun does not print recordings: {told.stderr[-200:]}")
    for expected in (
        "/bodies/sheet",
        "jumper",
        "ball",
        "/contacts/0/point",
        "/contacts/0/normal",
        "Transform3D",
        "Mesh3D",
        "TextDocument",
        "time",
    ):
        assert expected in told.stdout, expected
