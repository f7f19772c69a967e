"""Scenes and reports in the viewers viser and Rerun."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import chasles
import chasles.rerun
import chasles.viser


def checked() -> tuple[chasles.Scene, chasles.Report]:
    scene = chasles.Scene(2.0)
    scene.add("block", chasles.Box([1, 1, 1]))
    scene.add("a/cart", chasles.Sphere(0.5), chasles.Screw.about([3, 0.1, 0, 1, 0, 0, 0], [1, 0, 0], [0, 0, 0], -4, 2))
    return scene, scene.check()


def test_bodies_are_where_the_scene_says(arm: chasles.Robot) -> None:
    scene, report = checked()
    for x in (scene, report):
        shown = x._shown([0.0, 1.0])
        assert [name for name, _, _ in shown] == ["block", "a/cart"] and x._span == (0, 2)
        assert np.allclose(shown[1][2], scene.poses("a/cart", [0, 1]))
    path = arm.check_path([3, 4], [[0, 0], [0.5, 0]], names=None)
    assert path._span == (3, 4)
    tool = next(poses for name, _, poses in path._shown([3.0, 4.0]) if name.startswith("tool"))
    assert np.allclose(tool[1], arm.link_poses([0.5, 0])["tool"], atol=1e-9)


def test_what_is_neither_is_refused() -> None:
    for call in (lambda x: chasles.viser.show(None, x), lambda x: chasles.rerun.save(x, "never.rrd")):
        with pytest.raises((TypeError, ImportError)):
            call(3)


def test_viser() -> None:
    viser: Any = pytest.importorskip("viser")
    server = viser.ViserServer(port=0, verbose=False)
    try:
        for x in checked():
            slider = chasles.viser.show(server, x)
            slider.value = 1.0
            assert slider.max == 2.0
    finally:
        server.stop()


def test_rerun(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("rerun")
    for x in checked():
        chasles.rerun.save(x, tmp_path / "x.rrd")
        assert (tmp_path / "x.rrd").stat().st_size > 10_000
    with pytest.raises(OSError):
        chasles.rerun.save(checked()[0], tmp_path / "no" / "x.rrd")
