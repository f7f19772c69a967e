"""What the tests share."""

from __future__ import annotations

import pathlib
import signal
import zlib

import numpy as np
import numpy.typing as npt
import pytest

import chasles

Array = npt.NDArray[np.float64]

# A shell that runs the tests in the background has them ignore Ctrl-C, and all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def cube(half: float = 0.5) -> tuple[Array, npt.NDArray[np.int64]]:
    """A cube about the origin: 8 vertices, 12 faces."""
    corners = [(x, y, z) for x in (-half, half) for y in (-half, half) for z in (-half, half)]
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return np.array(corners), np.array([t for a, b, c, d in sides for t in ((a, b, c), (a, c, d))])


def ball(rings: int = 12, bump: float = 0.0) -> tuple[Array, npt.NDArray[np.int64]]:
    """A ball of radius about 1, with bumps, whose poles are many vertices at one place."""
    theta, phi = np.meshgrid(
        np.linspace(0, np.pi, rings + 1), np.linspace(0, 2 * np.pi, 2 * rings, endpoint=False), indexing="ij"
    )
    r = 1 + bump * np.sin(5 * theta) * np.cos(4 * phi)
    points = np.stack([r * np.sin(theta) * np.cos(phi), r * np.sin(theta) * np.sin(phi), r * np.cos(theta)], -1)
    faces = []
    for i in range(rings):
        for j in range(2 * rings):
            a, b = i * 2 * rings + j, i * 2 * rings + (j + 1) % (2 * rings)
            c, d = a + 2 * rings, b + 2 * rings
            faces += [(a, c, b)] * (i > 0) + [(b, c, d)] * (i < rings - 1)
    return points.reshape(-1, 3), np.array(faces)


def write_obj(path: pathlib.Path, mesh: chasles.Mesh) -> None:
    lines = ["v " + " ".join(repr(float(x)) for x in vertex) for vertex in mesh.vertices]
    lines += ["f " + " ".join(str(int(corner) + 1) for corner in face) for face in mesh.faces]
    path.write_text("\n".join(lines) + "\n")


def motions(seed: int, count: int) -> tuple[Array, Array]:
    """Starts and ends (K, 7), on both sides of the origin."""
    rng = np.random.default_rng(seed)
    starts, ends = rng.normal(size=(2, count, 7))
    starts[:, :3] *= (3 / np.linalg.norm(starts[:, :3], axis=1))[:, None]
    ends[:, :3] = 0.4 * ends[:, :3] - starts[:, :3]
    return starts, ends


def packed(value: object) -> bytes:
    """The bytes that a pickle of the value holds."""
    reduced = value.__reduce__()
    assert isinstance(reduced, tuple)
    (found,) = reduced[1]
    assert isinstance(found, bytes)
    return found


def with_checksum(head: bytes, value: bytes) -> bytes:
    """Packed bytes of a version with the right checksum: a varint of seven bits a byte."""
    number, varint = zlib.crc32(value), bytearray()
    while number >= 0x80:
        varint.append(number & 0x7F | 0x80)
        number >>= 7
    return head + bytes([*varint, number]) + value


URDF = """<robot name="arm">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="upper"><collision><origin xyz="0.25 0 0"/><geometry><box size="0.5 0.06 0.06"/></geometry></collision></link>
  <link name="lower"><collision><origin xyz="0.2 0 0"/><geometry><cylinder radius="0.03" length="0.4"/></geometry></collision></link>
  <link name="tool"><collision><geometry><sphere radius="0.04"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.2"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="2" effort="1"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0.5 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" velocity="2" effort="1"/></joint>
  <joint name="wrist" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="0.4 0 0"/></joint>
</robot>
"""

WORLD = """format = 1
duration = 1.0

[[body]]
name = "post"
box = [0.05, 0.05, 2.0]
pose = { position = [0.6, 0.45, 0.0] }
"""


@pytest.fixture(scope="session")
def arm(tmp_path_factory: pytest.TempPathFactory) -> chasles.Robot:
    """An arm of two joints beside a post. It is prepared for edges once."""
    folder = tmp_path_factory.mktemp("arm")
    (folder / "arm.urdf").write_text(URDF)
    (folder / "world.toml").write_text(WORLD)
    return chasles.Robot.load(folder / "arm.urdf", world=folder / "world.toml")
