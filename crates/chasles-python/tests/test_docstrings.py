"""Every public name says what it is, and the examples in what it says are true."""

from __future__ import annotations

import doctest
import inspect
import pathlib

import numpy as np
import pytest
from conftest import cube, write_obj

import chasles

NAMES = [name for name in chasles.__all__ if callable(getattr(chasles, name))]


@pytest.mark.parametrize("name", NAMES)
def test_examples_are_true(name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_obj(tmp_path / "cube.obj", chasles.Mesh(*cube()))
    (tmp_path / "broken.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n")
    monkeypatch.chdir(tmp_path)
    thing = getattr(chasles, name)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    told: list[str] = []
    members = vars(thing).items() if inspect.isclass(thing) else []
    texts = [(name, thing.__doc__), *((f"{name}.{n}", getattr(m, "__doc__", None)) for n, m in members)]
    for place, text in texts:
        example = doctest.DocTestParser().get_doctest(text or "", {"chasles": chasles, "np": np}, place, None, 0)
        runner.run(example, out=told.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(told)


@pytest.mark.parametrize("name", NAMES)
def test_everything_is_told(name: str) -> None:
    thing = getattr(chasles, name)
    assert inspect.getdoc(thing)
    if inspect.isclass(thing):
        bare = [n for n, m in vars(thing).items() if not n.startswith("_") and not inspect.getdoc(getattr(thing, n))]
        assert [n for n in bare if n not in ("file", "line")] == []


def test_examples_are_there() -> None:
    texts = [getattr(chasles, name).__doc__ or "" for name in NAMES]
    assert sum(">>>" in text for text in texts) >= 10
