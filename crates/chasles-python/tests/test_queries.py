"""One question, and a million: the same answers."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from conftest import ball, cube, motions, write_obj

import chasles

A = chasles.Body(chasles.Mesh(*ball(10, 0.2)))
B = chasles.Body(chasles.Mesh(*cube(0.8)))
KINDS = ("vertex-face", "face-vertex", "edge-edge")


def same(row: Any, alone: chasles.Prediction) -> bool:
    """Whether a row says what the single answer says, to the last bit."""
    want = np.zeros(1, chasles.PREDICTION)[0]
    want["verdict"], want["clear_until"] = chasles.VERDICTS.index(alone.verdict), alone.clear_until
    want["time"], want["kind"], want["a"], want["b"], want["point"], want["normal"] = np.nan, 255, -1, -1, np.nan, np.nan
    if (c := alone.contact) is not None:
        want["time"], want["kind"], want["point"], want["normal"] = c.time, KINDS.index(c.kind), c.point, c.normal
        want["a"][: len(c.a)], want["b"][: len(c.b)], want["touching"] = c.a, c.b, c.touching
    return bool(want.tobytes() == row.tobytes())


def test_rows_have_the_bits_of_single_answers() -> None:
    starts, ends = motions(5, 200)
    ends[::7, :3] = starts[::7, :3] + [0, 5, 0]
    starts[3, :3] = 0.1
    rows = chasles.first_contact_many(A, B, starts, ends)
    assert {0, 3, 4} <= set(rows["verdict"].tolist())
    assert all(same(row, chasles.first_contact(A, B, s, e)) for row, s, e in zip(rows, starts, ends))
    for threads in (1, 2, 5):
        assert chasles.first_contact_many(A, B, starts, ends, threads=threads).tobytes() == rows.tobytes()
    screws = [chasles.Screw.between(s, e) for s, e in zip(starts, ends)]
    assert chasles.first_contact_many(A, B, screws).tobytes() == rows.tobytes()
    assert chasles.first_contact_many(A, B, screws[3]).tobytes() == rows[3].tobytes()
    bodies = [A.mesh, A] * 100, [B] * 200
    assert chasles.first_contact_many(*bodies, starts, ends).tobytes() == rows.tobytes()
    poses = [chasles.Pose(s[:3], s[3:]) for s in starts]
    assert chasles.first_contact_many(A, B, poses, ends).tobytes() == rows.tobytes()
    assert chasles.first_contact_many(A, B, starts[0], ends).shape == (200,)
    assert chasles.first_contact_many(A, B, starts[0], ends[0]).shape == (1,)
    assert chasles.first_contact_many(A, B, starts[:0], ends[:0]).dtype == chasles.PREDICTION


def test_what_an_answer_tells() -> None:
    start, end = chasles.Pose([3, 0, 0], [0, 0, 0, 2]), [-3, 0, 0, 0, 0, 0, 1]
    screw = chasles.Screw.between(start, end)
    assert screw.slide == 6 and screw.angle == 0 and screw.direction.tolist() == [-1, 0, 0]
    assert start.quaternion.tolist() == [0, 0, 0, 1]
    block = chasles.Mesh(*cube())
    answer = chasles.first_contact(block, chasles.Mesh(*cube(1.5)), screw, tolerance=1e-7)
    # Faces meet where the centre is at 2, after a sixth of the way, at 6 m in a unit of time.
    assert answer.tolerance == 1e-7 and answer.contact is not None and abs(answer.contact.approach_speed - 6) < 1e-9
    assert answer.time is not None and answer.time[0] - 1e-6 <= 1 / 6 <= answer.time[1] + 1e-6
    assert chasles.first_contact(block, block, screw).tolerance == pytest.approx(1e-9 * np.sqrt(3))


def test_a_budget_counts_the_same_alone_and_in_a_batch() -> None:
    starts, ends = motions(6, 12)
    for budget in (0, 1, 50, 19_999, 20_001, 10**12):
        rows = chasles.first_contact_many(A, A, starts, ends, budget=budget)
        alone = [chasles.first_contact(A, A, s, e, budget=budget) for s, e in zip(starts, ends)]
        assert all(same(row, one) for row, one in zip(rows, alone))
    assert {one.verdict for one in (chasles.first_contact(A, A, s, e, budget=1) for s, e in zip(starts, ends))} == {"undecided"}
    stopped = chasles.first_contact(A, A, starts[0], ends[0], budget=1)
    assert stopped.why is not None and stopped.why.startswith("budget") and stopped.clear_until < 1


def test_answers_about_one_motion_agree() -> None:
    starts, ends = motions(7, 10)
    ends[:, 3:] = starts[:, 3:]
    for start, end in zip(starts, ends):
        first = chasles.first_contact(A, B, start, end)
        every = chasles.all_contacts(A, B, start, end)
        spans = chasles.contact_intervals(A, B, start, end)
        assert first.verdict == every.verdict == spans.verdict == chasles.any_contact(A, B, start, end).verdict
        assert first.time is not None and every.time == first.time and every.contacts[0].time[0] <= first.time[1]
        assert spans.enter.shape == spans.exit.shape == (len(spans.contacts), 2)
        back = chasles.first_contact(B, A, chasles.Screw.between(start, end).inverse())
        assert back.time is not None and max(first.time[0], back.time[0]) <= min(first.time[1], back.time[1]) + 1e-9
        assert first.to_dict()["time"] == list(first.time) and "name" not in first.to_dict()


def test_overlaps_have_pairs_and_others_have_none() -> None:
    inside = chasles.first_contact(A, B, [0.3, 0, 0, 1, 0, 0, 0], [3, 0, 0, 1, 0, 0, 0])
    assert inside.verdict == "overlapping" and inside.pairs.shape[1] == 2 and len(inside.pairs) > 0
    clear = chasles.first_contact(A, B, [3, 0, 0, 1, 0, 0, 0], [3, 5, 0, 1, 0, 0, 0])
    assert clear.verdict == "clear" and clear.pairs.shape == (0, 2) and clear.clear_until == 1 and clear.why is None


@pytest.mark.parametrize("answer", [chasles.first_contact, chasles.contact_intervals])
def test_no_answer_is_true_or_false(answer: Any) -> None:
    with pytest.raises(TypeError, match="verdict"):
        bool(answer(A, B, [3, 0, 0, 1, 0, 0, 0], [3, 5, 0, 1, 0, 0, 0]))


EYE = np.eye(4)
GOOD = [3.0, 0, 0, 1, 0, 0, 0]


@pytest.mark.parametrize(
    "kind, says, call",
    [
        (ValueError, r"starts\[123\].*NaN", lambda: chasles.first_contact_many(A, B, _changed(123, 4, np.nan), _changed(0, 0, 1))),
        (ValueError, r"ends\[7\]", lambda: chasles.first_contact_many(A, B, _changed(0, 0, 1), _changed(7, slice(3, 7), 0))),
        (ValueError, "ends: found 2, expected 3", lambda: chasles.first_contact_many(A, B, [GOOD] * 3, [GOOD] * 2)),
        (ValueError, "a: found 2, expected 3", lambda: chasles.first_contact_many([A, A], B, [GOOD] * 3, [GOOD] * 3)),
        (TypeError, r"a\[1\]", lambda: chasles.first_contact_many([A, "cube.obj"], B, [GOOD] * 2, [GOOD] * 2)),
        (TypeError, r"starts\[1\]", lambda: chasles.first_contact_many(A, B, [chasles.Screw.still(GOOD), GOOD])),
        (TypeError, "ends", lambda: chasles.first_contact_many(A, B, [GOOD] * 2)),
        (TypeError, "ends", lambda: chasles.first_contact_many(A, B, [chasles.Screw.still(GOOD)], [GOOD])),
        (TypeError, "end", lambda: chasles.first_contact(A, B, GOOD)),
        (TypeError, "end", lambda: chasles.first_contact(A, B, chasles.Screw.still(GOOD), GOOD)),
        (TypeError, "start", lambda: chasles.first_contact(A, B, "origin", GOOD)),
        (TypeError, "start", lambda: chasles.first_contact(A, B, EYE + 0j, GOOD)),
        (TypeError, "start", lambda: chasles.first_contact(A, B, EYE > 0, GOOD)),
        (ValueError, "start.*scales", lambda: chasles.first_contact(A, B, 2 * EYE - np.diag([0, 0, 0, 1]), GOOD)),
        (ValueError, "start.*mirrors", lambda: chasles.first_contact(A, B, np.diag([1, 1, -1, 1.0]), GOOD)),
        (ValueError, "start.*shape", lambda: chasles.first_contact(A, B, np.eye(3), GOOD)),
        (ValueError, "start.*2 poses", lambda: chasles.first_contact(A, B, [GOOD] * 2, GOOD)),
        (ValueError, "budget", lambda: chasles.first_contact(A, B, GOOD, GOOD, budget=-1)),
        (ValueError, "budget", lambda: chasles.first_contact(A, B, GOOD, GOOD, budget=2**64)),
        (TypeError, "budget", lambda: chasles.first_contact(A, B, GOOD, GOOD, budget=True)),
        (ValueError, "tolerance", lambda: chasles.first_contact(A, B, GOOD, GOOD, tolerance=-1.0)),
        (ValueError, "deviation", lambda: chasles.first_contact(A, B, GOOD, GOOD, deviation=np.inf)),
        (ValueError, "threads", lambda: chasles.first_contact_many(A, B, [GOOD], [GOOD], threads=0)),
        (TypeError, "threads", lambda: chasles.first_contact_many(A, B, [GOOD], [GOOD], threads=1.5)),  # type: ignore[arg-type]
        (ValueError, r"vertices\[2\]", lambda: chasles.Mesh([[0, 0, 0], [1, 0, 0], [0, np.inf, 0]], [[0, 1, 2]])),
        (ValueError, r"vertices\[0\]", lambda: chasles.Mesh([[1e71, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])),
        (ValueError, r"faces\[1\]", lambda: chasles.Mesh(np.eye(3), [[0, 1, 2], [0, 1, 3]])),
        (ValueError, "faces", lambda: chasles.Mesh(np.eye(3), np.zeros((1, 3)))),
        (ValueError, "faces", lambda: chasles.Mesh(np.eye(3), [])),
        (TypeError, "vertices", lambda: chasles.Mesh(None, [[0, 1, 2]])),  # type: ignore[arg-type]
        (ValueError, r"t\[1\]", lambda: chasles.Screw.still(GOOD).at([0, np.nan])),
        (ValueError, "displacement", lambda: chasles.Screw.translation([9e69, 0, 0, 1, 0, 0, 0], [9e69, 0, 0])),
    ],
)
def test_what_has_no_meaning_is_refused_by_name(kind: type[Exception], says: str, call: Any) -> None:
    with pytest.raises(kind, match=says):
        call()


def _changed(row: int, column: Any, value: float) -> Any:
    poses = np.tile(GOOD, (200, 1))
    poses[row, column] = value
    return poses


def test_hard_questions_are_answered_as_the_program_does(tmp_path: pathlib.Path) -> None:
    body = chasles.Body(chasles.Mesh(*ball(40, 0.2)))
    write_obj(tmp_path / "ball.obj", body.mesh)
    starts = [[2.22 + 0.01 * k, 0, 0, 1, 0, 0.2, 0] for k in range(8)]
    screws = [chasles.Screw.about(start, [0, 0.1, 1], [0, 0, 0], 0.1, 900) for start in starts]
    # More work than a question is given at first.
    cut = [chasles.first_contact(body, body, screw, budget=20_000).verdict for screw in screws]
    assert "undecided" in cut
    alone = [chasles.first_contact(body, body, screw) for screw in screws]
    rows = chasles.first_contact_many(body, body, screws, threads=3)
    assert all(same(row, one) for row, one in zip(rows, alone)) and {one.verdict for one in alone} == {"clear", "contact"}
    part = {"mesh": "ball.obj"}
    lines = [
        {"name": str(k), "a": part, "b": part, "pose0": start, "screw": {"s": [0, 0.1, 1], "p": [0, 0, 0], "d": 0.1, "b": 900}}
        for k, start in enumerate(starts)
    ]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = subprocess.run([sys.executable, "-m", "chasles", "batch", str(tmp_path / "p.jsonl")], capture_output=True, text=True)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [{**one.to_dict(), "name": str(k)} for k, one in enumerate(alone)] == told
