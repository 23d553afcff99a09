"""The study of formats in small: when regret leaves, why, and what is kept between starts."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.base.cache import cache_folder
from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.linucb_disjoint.learner import DisjointLinUCB
from gnomon.content.algorithms.linucb_hybrid.learner import HybridLinUCB
from gnomon.content.algorithms.linucb_paper.arithmetic import PaperModel, wrap
from gnomon.content.reports.fixed_point import host_run
from gnomon.content.reports.fixed_point.cells import SIZES, StudySize, run_fixed_point
from gnomon.content.reports.fixed_point.events import Event, cause, explaining, first_of, leave
from gnomon.content.reports.fixed_point.history import History
from gnomon.content.reports.fixed_point.host_run import checkpoints
from gnomon.content.reports.fixed_point.layout import layout_of
from gnomon.content.reports.linucb.drift import exact_inverse
from gnomon.measure.learners import EmbeddedSizes
from gnomon.measure.regret import RegretCase, make_inputs, play_float
from gnomon.measure.regret import RegretCell as Cell
from gnomon.report.study import Steps, size_of
from tests.learners.models import scalars
from tests.rows import light_and_heavy

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from gnomon.learn.environment import ContextLaw

DISJOINT = RegretCase("linucb-disjoint", "normal", 150, 3, arms=3)
HYBRID = RegretCase("linucb-hybrid", "uniform", 120, 2, 2, arms=3)


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Results of this test alone; compiled code stays where it is."""
    (tmp_path / "host").symlink_to(cache_folder("host"))
    monkeypatch.setenv("GNOMON_CACHE", str(tmp_path))
    return tmp_path


# -- when regret leaves ------------------------------------------------------------------------


def test_a_sum_that_stays_within_two_percent_never_leaves() -> None:
    reference = np.arange(1.0, 201.0)
    found = leave(reference * 1.0199, reference)
    assert (found.first, found.for_good, found.side) == (0, 0, "within")


@pytest.mark.parametrize(("factor", "side"), [(1.03, "above"), (0.97, "below")])
def test_both_sides_count_and_coming_back_does_not(factor: float, side: str) -> None:
    reference = np.arange(1.0, 201.0)
    own = reference.copy()
    own[49:60] *= factor  # rounds 50 to 60
    own[119:] *= factor  # from round 120 on
    found = leave(own, reference)
    assert (found.first, found.for_good, found.side) == (50, 120, side)
    assert found.ratio == pytest.approx(factor)


def test_the_burn_in_is_for_the_first_round_only() -> None:
    reference = np.ones(1000)
    found = leave(reference * 2, reference)
    assert (found.first, found.for_good) == (11, 1)


# -- why ---------------------------------------------------------------------------------------

OVERFLOW = Event("overflow", "b outside the format", 50, 50)
UNDERFLOW = Event("underflow", "A^-1 below one unit", 40, 40)
ROUNDING = Event("rounding", "A^-1 off by 2 %", 30, 21)


@pytest.mark.parametrize(
    ("left", "events", "expected"),
    [
        (0, (ROUNDING, UNDERFLOW, OVERFLOW), ""),
        (60, (), "choices"),
        (60, (ROUNDING, UNDERFLOW, OVERFLOW), "overflow"),
        (49, (ROUNDING, UNDERFLOW, OVERFLOW), "underflow"),
        (39, (ROUNDING, UNDERFLOW, OVERFLOW), "rounding"),
        (21, (ROUNDING, UNDERFLOW, OVERFLOW), "rounding"),  # between two checkpoints
        (20, (ROUNDING, UNDERFLOW, OVERFLOW), "choices"),
    ],
)
def test_the_first_group_with_an_event_up_to_that_round(
    left: int, events: tuple[Event, ...], expected: str
) -> None:
    assert cause(left, events) == expected


def test_the_event_that_explains() -> None:
    later = Event("overflow", "add in update", 55, 55)
    assert explaining(60, (ROUNDING, OVERFLOW, later)) is OVERFLOW
    assert explaining(49, (ROUNDING, OVERFLOW)) is ROUNDING
    assert explaining(20, (ROUNDING, OVERFLOW)) is None
    assert first_of("overflow", (ROUNDING, OVERFLOW, later)) == 50
    assert first_of("underflow", (ROUNDING, OVERFLOW)) == 0
    assert [event.exact for event in (OVERFLOW, ROUNDING)] == [True, False]


def result_of(case: RegretCase, variant: str, bits: int):  # noqa: ANN201
    study = run_fixed_point(StudySize("one", (Cell(case, "paper", variant, bits),)))
    return study.results[0]


def test_too_many_bits_overflow_and_the_round_is_that_of_the_sum() -> None:
    """24 bits end at 128: b or A of an arm leaves it, exactly when their sums by hand do."""
    case = RegretCase("linucb-disjoint", "normal", 600, 3, arms=2)
    result = result_of(case, "standard", 24)
    names = {event.name: event.round_number for event in result.events}
    played = case.play()
    run = host_run.run_host(result.cell, played, play_float(case, played), follow_rounds=600)
    sums = {arm: np.eye(3) for arm in range(2)}
    for number, (x, arm) in enumerate(zip(played.contexts, run.arms.tolist(), strict=True), 1):
        sums[arm] = sums[arm] + np.outer(x, x)
        if np.abs(sums[arm]).max() >= 128:
            assert names["A outside the format"] == number
            break
    assert abs(names["add in update"] - names["A outside the format"]) <= 1  # words are rounded
    assert result.overflows is not None
    assert result.overflows[-1] > 0
    assert result.cause == "overflow"


def test_too_few_bits_lose_the_inverse() -> None:
    """6 bits: one unit is 1/64, and an inverse falls below it after about as many plays."""
    case = RegretCase("linucb-disjoint", "normal", 600, 2, arms=2)
    result = result_of(case, "optimized", 6)
    names = {event.name: event.round_number for event in result.events}
    assert 100 < names["A^-1 below one unit"] < 250
    assert result.cause in {"rounding", "underflow"}
    assert result.errors[-1].relative > 1
    assert result.overflows == (0,) * len(checkpoints(600))


def test_enough_bits_stay() -> None:
    result = result_of(DISJOINT, "standard", 20)
    assert (result.cause, result.left_regret.for_good, result.explaining) == ("", 0, None)
    assert result.equal_alone == result.equal_following == 1
    assert result.first_other_arm == 0
    assert result.errors[-1].relative < 1e-3


@pytest.mark.parametrize("variant", ["optimized", "optimized-vector"])
@pytest.mark.parametrize("law", light_and_heavy("studies", 1, ["normal", "uniform"]))
def test_the_tuned_disjoint_line_lasts(law: ContextLaw, variant: str) -> None:
    """Where the paper code has lost its inverse long ago; the full study has 100,000 rounds."""
    case = RegretCase("linucb-disjoint", law, 20_000, 8)
    study = run_fixed_point(
        StudySize(
            "two",
            (Cell(case, "tuned", variant, 15), Cell(case, "paper", "optimized", 15)),
        )
    )
    tuned, paper = study.results
    assert tuned.cause == ""
    assert abs(tuned.left_regret.ratio - 1) < 0.02
    assert tuned.equal_following > 0.9995
    assert tuned.errors[-1].relative < 0.003
    assert paper.cause in {"rounding", "underflow"}
    assert paper.left_regret.ratio > 10
    assert paper.errors[-1].relative > 1


def test_below_one_unit_is_found_by_bisection() -> None:
    case = RegretCase("linucb-disjoint", "uniform", 400, 2, arms=2)
    rounds = case.play()
    arms = (np.arange(400) % 3 == 0).astype(np.uint8)
    history = History(case, rounds, arms)
    a = np.tile(np.eye(2), (2, 1, 1))
    for number, (x, arm) in enumerate(zip(rounds.contexts, arms.tolist(), strict=True), 1):
        a[arm] += np.outer(x, x)
        if np.linalg.inv(a[arm]).diagonal().min() < 2.0**-5:
            assert history.below_one_unit(5) == number
            break
    assert history.below_one_unit(20) == 0


@pytest.mark.parametrize("variant", ["standard", "corrected"])
def test_rounds_without_counting_go_on_where_counting_ended(variant: str) -> None:
    """The same run, whether overflows are counted to the end or in the first rounds only."""
    case = RegretCase("linucb-disjoint", "normal", 11_000, 3, arms=2)
    rounds = case.play()
    reference = play_float(case, rounds)
    whole, part = (
        host_run.run_host(Cell(case, "paper", variant, 23), rounds, reference, follow_rounds=each)
        for each in (11_000, 3_000)
    )
    assert np.array_equal(whole.arms, part.arms)
    assert np.array_equal(whole.models, part.models)
    counted = sum(stop <= 3_000 for stop in checkpoints(11_000))
    assert np.array_equal(whole.overflows[:counted], part.overflows)
    assert whole.overflows[-1].sum() > part.overflows[-1].sum() > 0
    assert len(part.followed) == 3_000


# -- inverses ----------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [DISJOINT, HYBRID])
def test_exact_inverses_are_those_of_the_float_learner(case: RegretCase) -> None:
    rounds = case.play()
    if case.features:
        learner = HybridLinUCB(arm_features=rounds.arm_features, dimensions=2)
    else:
        learner = DisjointLinUCB(arms=3, dimensions=3)
    arms = play_float(case, rounds)
    for index, arm in enumerate(arms.tolist()):
        learner.update(rounds.contexts[index], arm, rounds.reward(index, arm))
    *_, exact = History(case, rounds, arms).exact(checkpoints(case.rounds))
    assert np.allclose(exact.inverses, np.linalg.inv(learner.a))
    if case.features:
        assert exact.shared is not None
        assert np.allclose(exact.shared, exact_inverse(learner, 0))
    assert exact.plays.sum() == case.rounds


@pytest.mark.heavy("studies")
@pytest.mark.parametrize("case", [DISJOINT, HYBRID])
def test_every_layout_reads_the_inverses(case: RegretCase) -> None:
    """After a few rounds each kept inverse is near the exact one."""
    # The sizes of the contract of learners, whose builds are in the cache.
    case = replace(case, rounds=20, dimensions=4, features=2 if case.features else 0, arms=4)
    rounds = case.play()
    for variant in case.learner.variants:
        if variant.once is not None:  # its formats are of its own
            continue
        cell = Cell(case, variant.line, variant.name, 15)
        layout = layout_of(cell)
        assert layout is not None, f"{cell.title}: say how it keeps its model"
        run = host_run.run_host(cell, rounds, play_float(case, rounds), follow_rounds=20)
        kept = layout.read(cell, cell.case.sizes, run.models[-1])
        exact = next(History(case, rounds, run.arms).exact((20,)))
        reference = exact.joint if layout.joint else exact.inverses
        assert reference is not None
        assert np.abs(kept.inverses - reference).max() < 0.02, cell.title
        if exact.shared is not None and kept.shared is not None:
            assert np.abs(kept.shared - exact.shared).max() < 0.1, cell.title


def plain_inverse(model: PaperModel, a: NDArray[np.int64]) -> list[list[int]]:
    """Number by number, as the C does it."""
    n, one, bits = len(a), model.one, model.fraction_bits

    def less(value: int, row: Sequence[int], column: Sequence[int]) -> int:
        pairs = zip(row, column, strict=True)
        return wrap(value - wrap(sum(scalars.multiply(x, y, bits) for x, y in pairs)))

    def column(matrix: list[list[int]], at: int, rows: range) -> list[int]:
        return [matrix[i][at] for i in rows]

    lower = [[one * (i == j) for j in range(n)] for i in range(n)]
    upper = [[0] * n for _ in range(n)]
    for i, j in product(range(n), range(n)):
        before = range(min(i, j))
        rest = less(int(a[i, j]), lower[i][: len(before)], column(upper, j, before))
        if i <= j:
            upper[i][j] = rest
        else:
            lower[i][j] = scalars.divide(rest, upper[j][j], bits)
    solved = [[one * (i == j) for j in range(n)] for i in range(n)]
    for triangle, order in ((lower, range(n)), (upper, range(n - 1, -1, -1))):
        right, solved = solved, [[0] * n for _ in range(n)]
        for i, j in product(order, range(n)):
            rest = less(right[i][j], triangle[i], column(solved, j, range(n)))
            solved[i][j] = scalars.divide(rest, triangle[i][i], bits)
    return solved


@pytest.mark.parametrize("bits", [10, 15, 24])
def test_the_inverse_has_the_bits_of_the_plain_one(bits: int) -> None:
    rng = np.random.default_rng(4)
    for size in (1, 4, 4, 9):
        x = rng.normal(size=(9, size))
        matrix = np.rint((np.eye(size) + x.T @ x) * 2.0**bits).astype(np.int64)
        model = PaperModel(bits)
        assert model.inverse(matrix).tolist() == plain_inverse(model, matrix)


@pytest.mark.parametrize("bits", [10, 24])
def test_the_inverse_wraps_and_divides_by_zero_as_the_plain_one(bits: int) -> None:
    rng = np.random.default_rng(5)
    matrices = [rng.integers(-(2**31), 2**31, size=(5, 5)) for _ in range(4)]
    matrices += [np.zeros((3, 3), dtype=np.int64), -np.ones((3, 3), dtype=np.int64)]
    matrices += [np.diag([-(2**31), 1, -(2**31)])]
    for matrix in matrices:
        model = PaperModel(bits)
        assert model.inverse(matrix).tolist() == plain_inverse(model, matrix)


# -- runs that go on ---------------------------------------------------------------------------


def test_finished_cells_are_not_run_again(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = StudySize("two", tuple(Cell(DISJOINT, "paper", "optimized", bits) for bits in (12, 15)))

    class StopAfterOne(Steps):
        def __call__(self, name: str = "") -> None:
            super().__call__(name)
            raise KeyboardInterrupt

    stopped = StopAfterOne()
    with pytest.raises(KeyboardInterrupt):
        run_fixed_point(size, stopped)
    assert len(list(own_cache.glob("regret/*.entry"))) == 1  # float
    assert len(list(own_cache.glob("fixed-point/*.entry"))) == 1  # the first cell
    first = run_fixed_point(size)
    monkeypatch.setattr(host_run, "_play", lambda *_, **__: pytest.fail("ran again"))
    again = run_fixed_point(size)
    assert stopped.done == 1
    for one, two in zip(first.results, again.results, strict=True):
        assert np.array_equal(one.regret, two.regret)
        assert (one.events, one.errors, one.overflows) == (two.events, two.errors, two.overflows)


def test_a_damaged_file_is_made_again(own_cache: Path) -> None:
    size = StudySize("one", (Cell(DISJOINT, "paper", "optimized", 15),))
    first = run_fixed_point(size)
    for path in own_cache.glob("[rf]*/*.entry"):
        path.write_bytes(path.read_bytes()[:100])
    again = run_fixed_point(size)
    assert np.array_equal(first.results[0].regret, again.results[0].regret)


# -- sizes and refusals ------------------------------------------------------------------------


def test_sizes() -> None:
    full = SIZES["full"]().cells
    for name in ("linucb-disjoint", "linucb-hybrid"):
        for variant in ("standard", "optimized"):
            bits = [
                cell.fraction_bits
                for cell in full
                if (cell.case.name, cell.case.law, cell.variant, cell.line, cell.case.context_scale)
                == (name, "normal", variant, "paper", 1)
            ]
            assert bits == list(range(10, 25))
    assert {cell.case.rounds for cell in full} == {100_000}
    assert len(set(full)) == len(full)


def test_there_is_no_such_size() -> None:
    with pytest.raises(GnomonError) as caught:
        size_of("ful", SIZES)
    assert str(caught.value) == (
        "there is no size 'ful' (allowed: small, full, did you mean 'full'?)"
    )


def test_numbers_outside_the_format_are_refused() -> None:
    cell = Cell(DISJOINT, "paper", "optimized", 29)
    with pytest.raises(GnomonError) as caught:
        make_inputs(cell, DISJOINT.play())
    assert str(caught.value) == (
        "linucb-disjoint normal paper optimized, 29 fraction bits, seed 1: contexts reach 3.1, but"
        " the format ends at 4; take fewer fraction bits"
    )
    fitting = Cell(DISJOINT, "paper", "optimized", 24)
    assert make_inputs(fitting, DISJOINT.play()).fraction_bits == 24
    fitting = Cell(DISJOINT, "paper", "optimized", 24)
    assert make_inputs(fitting, DISJOINT.play()).fraction_bits == 24
    assert DISJOINT.sizes == EmbeddedSizes(3, 3)
