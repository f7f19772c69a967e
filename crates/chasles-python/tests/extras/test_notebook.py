"""The notebook runs from the top to the bottom, and tells and draws what is stored in it.

`jupyter execute --inplace examples/first_look.ipynb` stores what it tells and draws anew.
"""

from __future__ import annotations

import base64
import copy
import io
import json
import pathlib
import sys
from typing import Any

import pytest

nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")
# Builds the cache of fonts here, where it takes as long as it likes: a kernel would speak of it in its output.
pytest.importorskip("matplotlib.font_manager")
image: Any = pytest.importorskip("matplotlib.image")

NOTEBOOK = pathlib.Path(__file__).parents[2] / "examples" / "first_look.ipynb"
LARGEST = 600_000  # bytes: it is in the repository, and every run changes its pictures
PICTURES = 5


def stored() -> Any:
    return nbformat.read(NOTEBOOK, as_version=4)


def texts(cell: Any) -> dict[str, str]:
    """What a cell tells, by the stream. A picture has a text beside it, which no reader sees."""
    told: dict[str, str] = {}
    for output in cell.get("outputs", []):
        if output["output_type"] == "stream":
            told[output["name"]] = told.get(output["name"], "") + output["text"]
        elif "image/png" not in output.get("data", {}):
            told["text"] = told.get("text", "") + output["data"]["text/plain"] + "\n"
    return told


def pictures(cell: Any) -> list[bytes]:
    found = [output["data"]["image/png"] for output in cell.get("outputs", []) if "image/png" in output.get("data", {})]
    return [base64.b64decode(picture) for picture in found]


def in_colour(picture: bytes) -> int:
    """Pixels that are neither white nor grey nor black. Axes and their labels have none."""
    pixels = image.imread(io.BytesIO(picture))[..., :3]
    return int((pixels.max(axis=-1) - pixels.min(axis=-1) > 0.2).sum())


def run(notebook: Any, folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A copy that was executed anew, by a kernel of this Python, whatever kernels and settings the user has."""
    spec = folder / "kernels" / "python3"
    spec.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (spec / "kernel.json").write_text(json.dumps({"argv": command, "display_name": "here", "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(folder))
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(folder / "config"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(folder / "runtime"))
    monkeypatch.setenv("IPYTHONDIR", str(folder / "ipython"))
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    fresh = copy.deepcopy(notebook)
    for cell in fresh.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    where = {"metadata": {"path": str(NOTEBOOK.parent)}}
    nbclient.NotebookClient(fresh, timeout=120, kernel_name="python3", resources=where).execute()
    return fresh


def test_the_notebook_tells_what_it_told(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = stored()
    fresh = run(notebook, tmp_path, monkeypatch)
    assert len(fresh.cells) == len(notebook.cells)
    for before, after in zip(notebook.cells, fresh.cells):
        assert texts(after) == texts(before), before.id
        assert len(pictures(after)) == len(pictures(before)), before.id
        for picture in pictures(after):
            assert in_colour(picture) > 500, before.id


def test_the_notebook_is_stored_as_it_ran() -> None:
    assert NOTEBOOK.stat().st_size < LARGEST
    notebook = stored()
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    drawn = [picture for cell in code for picture in pictures(cell)]
    assert len(drawn) == PICTURES
    assert all(in_colour(picture) > 500 for picture in drawn)
    assert all(set(texts(cell)) <= {"stdout"} for cell in code)
    # Links to files of the repository lead to files.
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for part in cell.source.split("](")[1:]:
                assert (NOTEBOOK.parent / part.split(")")[0]).is_file(), part
