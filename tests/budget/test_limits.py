"""One rule for limits: a figure that a tool prints keeps the limit that is that very number."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.base.units import microseconds
from gnomon.budget import judge_budget, read_budget
from gnomon.budget._judge import Verdict, exact
from gnomon.budget._limit import parse_limit
from gnomon.explore import make_sweep, run_sweep
from gnomon.explore.metrics import parse_constraint

if TYPE_CHECKING:
    from pathlib import Path

_FILE = """
schema: 1
name: b
arch: t13
checks:
  step:
    learner: ucb1
    settings: {variant: standard, d: 8, arms: 8}
    limits: [LIMITS]
"""


def judged(figure: float, text: str, baseline: float | None = None) -> bool:
    """By a budget; a sweep must agree on an absolute limit."""
    limit = parse_limit(text, "learner")
    kept = Verdict("step", limit, figure, limit.most(baseline), baseline).kept
    if not limit.relative:
        assert parse_constraint(text, "learner").met_by(figure) == kept
    return kept


def test_a_change_is_that_of_figures_as_the_baseline_has_them() -> None:
    verdict = Verdict(
        "step", parse_limit("select <= 1 us", "learner"), 1 / 37, Fraction(1), 0.027027027
    )
    assert verdict.change == "unchanged"


@given(st.integers(1, 10**5), st.sampled_from([100, 80, 37]))
def test_the_printed_time_is_kept_and_the_next_smaller_number_exceeded(
    cycles: int, clock_mhz: int
) -> None:
    figure = microseconds(cycles, clock_mhz * 10**6)
    assert Fraction(figure) == Fraction(float(Fraction(cycles, clock_mhz)))  # the nearest
    assert judged(figure, f"select <= {figure!r} us")
    assert not judged(figure, f"select <= {math.nextafter(figure, 0)!r} us")


@pytest.mark.parametrize("figure", [4.37, 0.79, 5.16, 5.6])
def test_the_number_in_any_unit_is_kept(figure: float) -> None:
    assert judged(figure, f"select <= {figure} us")
    assert judged(figure, f"select <= {Fraction(str(figure)) * 1000} ns")
    assert judged(figure, f"select <= baseline + {figure - 0.25:.2f} us", 0.25)


def test_counts_are_exact() -> None:
    assert not judged(1487, "wall_cycles <= 1486.9 cycles")
    assert exact(parse_limit("wall_cycles <= 1", "kernel").metric, 0.1) == "0.1 cycles"
    assert judged(1487, "wall_cycles <= 1487 cycles")


def test_the_measured_step_keeps_what_is_measured_in_budgets_and_sweeps(tmp_path: Path) -> None:
    raw = {"schema": 1, "name": "s", "learner": "ucb1", "arch": "t13",
           "fixed": {"d": 8, "arms": 8}, "axes": {"variant": ["standard"]}}  # fmt: skip
    (row,) = run_sweep(make_sweep(raw)).rows
    limits = [f"{name} <= {row.outcome.metrics[f'{name}_us']!r} us" for name in
              ("select", "update", "time")]  # fmt: skip
    path = tmp_path / "b.yaml"
    path.write_text(_FILE.replace("LIMITS", ", ".join(limits)))
    report, _ = judge_budget(read_budget(path))
    assert not report.failures
    assert [each.kept for each in report.verdicts] == [True] * 3
    result = run_sweep(make_sweep(raw | {"constraints": limits}))
    assert result.meets(result.rows[0])
