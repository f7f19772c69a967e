"""Answers come back from Parquet files with the same bits, or not at all."""

from __future__ import annotations

import os
import pathlib
import pickle
import stat
from typing import Any

import numpy as np
import pytest
from conftest import ball, cube, motions

import chasles

pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")

import chasles.parquet  # noqa: E402


@pytest.fixture(scope="module")
def answers() -> Any:
    a, b = chasles.Body(chasles.Mesh(*ball(10, 0.2))), chasles.Body(chasles.Mesh(*cube()))
    return chasles.first_contact_many(a, b, *motions(3, 120))


def odd_bits(dtype: Any, count: int = 64) -> Any:
    """Rows of random bits: NaN of all kinds, negative zeros, numbers below the least normal one."""
    raw = np.random.default_rng(5).integers(0, 256, count * dtype.itemsize, dtype=np.uint8)
    rows = raw.view(dtype).copy()
    if "touching" in (dtype.names or ()):
        rows["touching"] = raw[:count] % 2
    rows["time"][:8] = [[np.nan, -np.nan], [-0.0, 0.0], [5e-324, -5e-324], [np.inf, -np.inf]] * 2
    return rows


@pytest.mark.parametrize("dtype", [chasles.PREDICTION, chasles.EDGE])
def test_all_bits_come_back(dtype: Any, tmp_path: pathlib.Path) -> None:
    rows = odd_bits(dtype)
    for array in (rows, rows[::-3], rows[:0], rows[:1], np.tile(rows, 3000)):
        chasles.parquet.write(array, tmp_path / "a.parquet")
        back = chasles.parquet.read(str(tmp_path / "a.parquet"))
        assert back.dtype == dtype and back.flags.c_contiguous and back.flags.writeable
        assert back.tobytes() == np.ascontiguousarray(array).tobytes()


def test_other_programs_read_it(answers: Any, tmp_path: pathlib.Path) -> None:
    answers.flags.writeable = False
    chasles.parquet.write(answers, tmp_path / "a.parquet")
    answers.flags.writeable = True
    table = pq.read_table(tmp_path / "a.parquet")
    assert (
        table.column_names == list(chasles.PREDICTION.names or ())
        and table["verdict"].to_pylist() == answers["verdict"].tolist()
    )
    assert str(table.schema.field("point").type).startswith("fixed_size_list") and table.schema.metadata == {
        b"chasles": b"PREDICTION"
    }
    hits = answers["verdict"] == chasles.CONTACT
    assert [t for t, hit in zip(table["time"].to_pylist(), hits) if hit] == answers["time"][hits].tolist()
    # A program that adds a column, moves others, and has lists of any length.
    point = table["point"].cast(pa.list_(pa.float64()))
    changed = table.set_column(table.column_names.index("point"), "point", point)
    changed = changed.append_column("name", [[f"row {k}" for k in range(len(answers))]]).select(
        [*reversed(table.column_names), "name"]
    )
    pq.write_table(changed, tmp_path / "b.parquet", row_group_size=50)
    assert chasles.parquet.read(tmp_path / "b.parquet").tobytes() == answers.tobytes()


@pytest.mark.parametrize(
    "kind, says, array",
    [
        (TypeError, "dtype float64", np.zeros(3)),
        (TypeError, "found list", [1, 2]),
        (TypeError, "dtype", np.zeros(3, [("verdict", "u1")])),
        (TypeError, "dtype", np.zeros(3, chasles.EDGE.newbyteorder())),
        (ValueError, r"shape \(2, 2\)", np.zeros((2, 2), chasles.EDGE)),
        (ValueError, r"shape \(\)", np.zeros((), chasles.EDGE)),
    ],
)
def test_what_is_no_answer_is_refused(kind: Any, says: str, array: Any, tmp_path: pathlib.Path) -> None:
    with pytest.raises(kind, match=f"array: .*{says}"):
        chasles.parquet.write(array, tmp_path / "a.parquet")
    assert not list(tmp_path.iterdir())


def test_other_files_are_refused(answers: Any, tmp_path: pathlib.Path) -> None:
    whole = tmp_path / "whole.parquet"
    chasles.parquet.write(answers, whole)
    table = pq.read_table(whole)
    place = table.column_names.index("kind")

    def changed(name: str, column: Any) -> Any:
        return table.set_column(table.column_names.index(name), name, [column])

    rows = len(answers)
    for says, other in (
        ("no column", pa.table({"x": [1, 2]})),
        ("no column 'kind'", table.remove_column(place)),
        ("two columns 'kind'", table.append_column("kind", table["kind"])),
        ("column 'kind': found int64", changed("kind", pa.array([1] * rows))),
        ("column 'kind': found nothing in 1 rows", changed("kind", pa.array([None] + [1] * (rows - 1), pa.uint8()))),
        ("column 'time': found double", changed("time", pa.array([1.0] * rows))),
        (
            "column 'time': found a list of another length",
            changed("time", pa.array([[1.0]] + [[1.0, 2.0]] * (rows - 1))),
        ),
        ("column 'time': found double with gaps", changed("time", pa.array([[None, 1.0]] + [[1.0, 2.0]] * (rows - 1)))),
        ("column 'a': found int32", changed("a", pa.array([[1, 2]] * rows, pa.list_(pa.int32())))),
    ):
        pq.write_table(other, tmp_path / "other.parquet")
        with pytest.raises(chasles.Error, match=says) as error:
            chasles.parquet.read(tmp_path / "other.parquet")
        assert error.value.file == str(tmp_path / "other.parquet") and "other.parquet" in str(error.value)
        assert pickle.loads(pickle.dumps(error.value)).file == error.value.file


def test_damage_is_seen(answers: Any, tmp_path: pathlib.Path) -> None:
    whole, broken = tmp_path / "whole.parquet", tmp_path / "broken.parquet"
    chasles.parquet.write(answers, whole)
    data = whole.read_bytes()
    damaged = [b"", b"PAR1", b"PAR1 nothing of the kind", data[:-100], data[:40], data[4:]]
    for at in range(8, len(data) // 2, len(data) // 40):
        damaged.append(data[:at] + bytes([data[at] ^ 64]) + data[at + 1 :])
    for other in damaged:
        broken.write_bytes(other)
        try:
            back = chasles.parquet.read(broken)
        except chasles.Error as error:
            assert "broken.parquet" in str(error)
        else:
            # Some bytes are those of statistics and of names that nobody needs.
            assert back.tobytes() == answers.tobytes()
    for name, kind in (("none.parquet", FileNotFoundError), (".", IsADirectoryError)):
        with pytest.raises(kind):
            chasles.parquet.read(tmp_path / name)
    with pytest.raises(TypeError):
        chasles.parquet.read(3)  # type: ignore[arg-type]


def test_a_file_is_whole_or_not_there(answers: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.parquet"
    chasles.parquet.write(answers[:3], file)

    def full(*arguments: Any, **options: Any) -> None:
        arguments[1].write(b"PAR1")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(OSError, match="No space"):
        chasles.parquet.write(answers, file)
    monkeypatch.undo()
    assert [p.name for p in tmp_path.iterdir()] == ["a.parquet"] and len(chasles.parquet.read(file)) == 3
    with pytest.raises(FileNotFoundError, match="nowhere/x.parquet") as error:
        chasles.parquet.write(answers, tmp_path / "nowhere" / "x.parquet")
    assert error.value.filename == str(tmp_path / "nowhere" / "x.parquet")
    if os.name == "posix":
        # As any program would make it, not as a file that is nobody else's.
        (tmp_path / "plain").write_bytes(b"")
        modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a.parquet", "plain")]
        assert modes[0] == modes[1]
