"""What the README and the book show in Python is true."""

from __future__ import annotations

import doctest
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[3]
PAGES = ["README.md", "docs/python.md", "docs/planners.md"]


@pytest.mark.parametrize("page", PAGES)
def test_sessions_are_true(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"```pycon\n(.*?)```", (ROOT / page).read_text(), re.S)
    assert blocks
    monkeypatch.chdir(ROOT)
    session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page, page, 0)
    told: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(session, out=told.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(told)


def test_pages_of_python_are_all_looked_at() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    with_sessions = {str(p.relative_to(ROOT)) for p in pages if "```pycon" in p.read_text()}
    assert with_sessions == set(PAGES)
