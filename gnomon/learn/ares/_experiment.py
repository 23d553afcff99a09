"""The experiment ``ares``: Figures 3 to 5, and the acceptance criteria."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from gnomon.base.errors import known
from gnomon.base.kept import anew
from gnomon.learn.ares._criteria import (
    of_bounds,
    of_full,
    of_many,
    of_small,
    of_theory,
    of_windows,
)
from gnomon.learn.ares._models import Bounds
from gnomon.learn.ares._studies import (
    ManySystems,
    SystemResult,
    coverage,
    many_systems,
    over_bounds,
    run_system,
    system_steps,
    theorem_4,
    true_windows,
)
from gnomon.learn.ares._system import random_system
from gnomon.learn.ares._theory import prefix_error, recursion_error, truncation
from gnomon.learn.ares._trajectory import simulate

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.base.kept import Keep
    from gnomon.learn.criterion import Criterion

SIZES = ("small", "full")
_TRUNCATION_WINDOWS = (0, 1, 2, 5, 10)


@dataclass(frozen=True, slots=True)
class AresExperiment:
    """All results.

    Attributes:
        size: ``small`` or ``full``.
        runs: B, for each system.
        rounds: n.
        systems: every policy on systems 17 and 16; in the small size on 17 only.
        bound_windows: mean window by B; empty in the small size.
        bound_ratios: regret over the oracle's by B; empty in the small size.
        many: systems 1 to 20; None in the small size.
        windows: E4; empty in the small size.
        truncation: largest |c_a A^s| by system and window.
        criteria: those that this size has.
    """

    size: str
    runs: int
    rounds: int
    systems: tuple[SystemResult, ...]
    bound_windows: dict[float, float]
    bound_ratios: dict[float, float]
    many: ManySystems | None
    windows: dict[int, dict[int, float]]
    truncation: dict[int, dict[int, float]]
    criteria: tuple[Criterion, ...] = field(repr=False)


def check_size(size: str) -> str:
    """Return the size.

    Raises:
        GnomonError: there is none of this name.
    """
    return known("size", size, SIZES)


def ares_steps(size: str) -> int:
    """How many times ``progress`` is called."""
    return system_steps(3) + 1 if size == "small" else 2 * system_steps() + 4


def run_ares(
    size: str = "small",
    *,
    progress: Callable[[str], None] = lambda _: None,
    keep: Keep = anew,
) -> AresExperiment:
    """Run the experiment; see ``ares_steps`` for the number of calls to ``progress``.

    Args:
        size: ``small`` or ``full``.
        progress: told what has been done.
        keep: makes each result, or takes it from where it is kept.

    Raises:
        GnomonError: there is no such size.
    """
    small = check_size(size) == "small"
    runs, rounds = (10, 500) if small else (100, 1000)
    criteria: list[Criterion] = []
    systems = []
    for seed in (17,) if small else (17, 16):
        result = keep(
            run_system,
            seed,
            runs=runs,
            rounds=rounds,
            noise_seed=1 if small else 1000 + seed,
            windows=3 if small else 10,
            progress=partial(progress, f"system {seed}"),
        )
        criteria += of_small(result) if small else of_full(result)
        systems.append(result)
    bound_windows: dict[float, float] = {}
    bound_ratios: dict[float, float] = {}
    many: ManySystems | None = None
    windows: dict[int, dict[int, float]] = {}
    if not small:
        bound_windows, bound_ratios = keep(over_bounds, runs=16, rounds=rounds)
        criteria += of_bounds(bound_windows, bound_ratios)
        progress("constants")
        many = keep(many_systems)
        criteria += of_many(many)
        progress("many systems")
        windows = keep(true_windows)
        criteria += of_windows(windows)
        progress("true windows")
    criteria += _theory(systems, rounds=rounds, keep=keep)
    progress("theory")
    cut = {seed: truncation(random_system(seed), _TRUNCATION_WINDOWS) for seed in (5, 17)}
    return AresExperiment(
        size,
        runs,
        rounds,
        tuple(systems),
        bound_windows,
        bound_ratios,
        many,
        windows,
        cut,
        tuple(criteria),
    )


def _theory(systems: list[SystemResult], *, rounds: int, keep: Keep) -> list[Criterion]:
    one = simulate(random_system(17), runs=1, rounds=1000, seed=4000)
    short = simulate(random_system(17), runs=1, rounds=200, seed=4000)
    shares = []
    for result in systems:
        trajectory = simulate(random_system(result.system), runs=2, rounds=rounds, seed=1)
        bound = theorem_4(trajectory, Bounds())
        shares.append(float(result.regret["ares"].max()) / bound)
    return list(
        of_theory(
            recursion=max(recursion_error(one, window) for window in (0, 2, 10)),
            prefix=prefix_error(short),
            coverage=keep(coverage),
            bound_share=max(shares),
        )
    )
