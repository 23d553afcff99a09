"""Lost precision, singular matrices, damaged files, unknown names: an error that says what."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.linucb_disjoint.learner import (
    DisjointLinUCB,
    DisjointLinUCBOptimized,
)
from gnomon.content.algorithms.linucb_hybrid.learner import HybridLinUCB, HybridLinUCBOptimized
from gnomon.learn import find_learner, learners, load_learner, save_learner

if TYPE_CHECKING:
    from pathlib import Path


def test_a_lost_inverse_is_noticed() -> None:
    learner = DisjointLinUCBOptimized(arms=2, dimensions=2)
    learner.a_inverse[1] = [[-1.0, 0.0], [0.0, 1.0]]
    with pytest.raises(GnomonError) as error:
        learner.select([1.0, 0.0])
    assert str(error.value) == (
        "the inverse matrices have lost their precision after 0 updates: the variance of arm 1 is"
        " -1, and must not be negative; scale the contexts to about 1, or correct more often"
    )


def test_a_variance_a_hair_below_zero_is_rounding() -> None:
    learner = DisjointLinUCBOptimized(arms=2, dimensions=2)
    learner.a_inverse[1] = [[1.0, 0.0], [0.0, -(1.0 + 1e-12)]]
    assert learner.select([1.0, 1.0]) == 0
    assert learner.clamped_variances == 1


def test_a_singular_matrix_is_named() -> None:
    learner = DisjointLinUCB(arms=1, dimensions=2)
    learner.a[0] = 0.0
    with pytest.raises(GnomonError) as error:
        learner.select([1.0, 0.0])
    assert str(error.value) == (
        "a 2x2 matrix is singular and cannot be inverted; contexts of very different size, or a"
        " regularisation near 0, do that"
    )


def test_a_failed_update_changes_nothing() -> None:
    learner = HybridLinUCBOptimized(arm_features=[[1.0]], dimensions=1)
    # In line 19 of Algorithm 2, A = 1 meets B A0^-1 B^T = -1.
    learner.cross[0] = 1.0
    learner.a0_inverse[0] = -1.0
    before = {name: array.copy() for name, array in learner.state.items()}
    with pytest.raises(GnomonError) as error:
        learner.update([1.0], 0, 1.0)
    assert str(error.value) == (
        "the inner 1x1 matrix of a Woodbury update is singular;"
        " contexts of very different size do that"
    )
    assert learner.steps == 0
    assert all(np.array_equal(before[name], array) for name, array in learner.state.items())


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ([1.0, 2.0], "arm_features must have the shape (arms, features), not (2,)"),
        ([[]], "arm_features must have the shape (arms, features), not (1, 0)"),
        ([["a"]], "arm_features must be one row of numbers for each arm"),
        (
            [[float("nan")]],
            "arm_features must be finite numbers of at most 1000 in magnitude",
        ),
    ],
)
def test_wrong_arm_features(features: object, message: str) -> None:
    with pytest.raises(GnomonError) as error:
        HybridLinUCB(arm_features=features, dimensions=2)
    assert str(error.value) == message


def test_large_features_leave_less_room_for_contexts() -> None:
    learner = HybridLinUCB(arm_features=[[100.0]], dimensions=1)
    with pytest.raises(GnomonError) as error:
        learner.select([11.0])
    assert str(error.value) == (
        "a context must have finite values of at most 10 in magnitude; at index 0 it is 11.0"
    )


def test_no_arms() -> None:
    with pytest.raises(GnomonError) as error:
        DisjointLinUCB(arms=0, dimensions=2)
    assert str(error.value) == "the number of arms must be at least 1, not 0"


@pytest.mark.parametrize(
    ("name", "variant", "message"),
    [
        (
            "linucb-hybird",
            "standard",
            (
                "there is no learner 'linucb-hybird' (allowed:"
                f" {', '.join(dict.fromkeys(name for name, _ in learners()))},"
                " did you mean 'linucb-hybrid'?)"
            ),
        ),
        (
            "linucb-disjoint",
            "optimised",
            (
                "learner linucb-disjoint has no variant 'optimised' (allowed: standard, optimized,"
                " corrected, did you mean 'optimized'?)"
            ),
        ),
    ],
)
def test_unknown_learners(name: str, variant: str, message: str) -> None:
    with pytest.raises(GnomonError) as error:
        find_learner(name, variant)
    assert str(error.value) == message


def rewrite(path: Path, **members: bytes | None) -> None:
    """Replace members of a saved learner; None removes one. ``__`` stands for a dot."""
    changed = {name.replace("__", "."): data for name, data in members.items()}
    with zipfile.ZipFile(path) as archive:
        kept = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in {**kept, **changed}.items():
            if data is not None:
                archive.writestr(name, data)


def about(**changes: object) -> bytes:
    good = {
        "schema": 1,
        "learner": "linucb-disjoint",
        "variant": "standard",
        "settings": {"arms": 1, "dimensions": 1},
        "steps": 0,
        "clamped_variances": 0,
    }
    return json.dumps({**good, **changes}).encode()


def array(values: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, values)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"learner__json": None}, "is not a saved learner: learner.json is missing"),
        (
            {"learner__json": b"{}"},
            "learner.json is damaged: KeyError('schema')",
        ),
        ({"learner__json": about(schema=2)}, "learner.json has schema 2; this version reads 1"),
        (
            {"learner__json": about(variant="x")},
            (
                "learner linucb-disjoint has no variant 'x'"
                " (allowed: standard, optimized, corrected)"
            ),
        ),
        ({"b__npy": None}, "b.npy is missing"),
        (
            {"b__npy": array(np.zeros((1, 2)))},
            "b.npy must be float64 (1, 1), not float64 (1, 2)",
        ),
        ({"b__npy": array(np.zeros((1, 1), dtype=np.int32))},
         "b.npy must be float64 (1, 1), not int32 (1, 1)"),
        ({"b__npy": array(np.full((1, 1), np.nan))},
         "b.npy has a value that is not a finite number"),
    ],
)  # fmt: skip
def test_damaged_files(tmp_path: Path, members: dict[str, bytes | None], message: str) -> None:
    path = save_learner(DisjointLinUCB(arms=1, dimensions=1), tmp_path / "a.npz")
    rewrite(path, **members)
    with pytest.raises(GnomonError) as error:
        load_learner(path)
    assert str(error.value) == f"{path}: {message}"


def test_files_that_are_no_archive(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    with pytest.raises(GnomonError) as error:
        load_learner(path)
    assert str(error.value) == f"{path}: cannot be read: No such file or directory"
    path.write_bytes(b"not a zip")
    with pytest.raises(GnomonError) as error:
        load_learner(path)
    assert str(error.value) == f"{path}: is not a saved learner: File is not a zip file"


def test_pickled_arrays_are_refused(tmp_path: Path) -> None:
    path = save_learner(DisjointLinUCB(arms=1, dimensions=1), tmp_path / "a.npz")
    buffer = io.BytesIO()
    np.save(buffer, np.array([{}], dtype=object), allow_pickle=True)
    rewrite(path, b__npy=buffer.getvalue())
    with pytest.raises(GnomonError, match=r"b\.npy is damaged: not numbers"):
        load_learner(path)
