"""The experiment ``ares``: Figures 3 to 5, and the acceptance criteria."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from gnomon.base.kept import anew
from gnomon.content.algorithms.ares.models import Bounds
from gnomon.content.algorithms.ares.system import random_system, simulate
from gnomon.report.study import Steps

from .criteria import of_bounds, of_full, of_many, of_small, of_theory, of_windows
from .policies import policies
from .runs import ManySystems, SystemResult, many_systems, over_bounds, run_system, true_windows
from .theory import coverage, prefix_error, recursion_error, theorem_4

if TYPE_CHECKING:
    from gnomon.base.kept import Keep
    from gnomon.learn import Criterion


@dataclass(frozen=True, slots=True)
class Extent:
    """What a size stands for.

    Attributes:
        size: ``small`` or ``full``, which adds studies over constants, systems and windows.
        runs: B, for each system.
        rounds: n.
        noise_seeds: by system.
        windows: the largest of PIES.
    """

    size: str
    runs: int
    rounds: int
    noise_seeds: dict[int, int]
    windows: int


EXTENTS = {
    "small": Extent("small", 10, 500, {17: 1}, 3),
    "full": Extent("full", 100, 1000, {17: 1017, 16: 1016}, 10),
}


@dataclass(frozen=True, slots=True)
class AresExperiment:
    """All results.

    Attributes:
        extent: what was played.
        systems: every policy on systems 17 and 16; in the small size on 17 only.
        criteria: those that this size has.
        bound_windows: mean window by B; empty in the small size.
        bound_ratios: regret over the oracle's by B; empty in the small size.
        many: systems 1 to 20; None in the small size.
        windows: E4; empty in the small size.
    """

    extent: Extent
    systems: tuple[SystemResult, ...]
    criteria: tuple[Criterion, ...] = field(repr=False)
    bound_windows: dict[float, float] = field(default_factory=dict)
    bound_ratios: dict[float, float] = field(default_factory=dict)
    many: ManySystems | None = None
    windows: dict[int, dict[int, float]] = field(default_factory=dict)


def run_ares(extent: Extent, progress: Steps | None = None, keep: Keep = anew) -> AresExperiment:
    """Run the experiment.

    Args:
        extent: one of ``EXTENTS``.
        progress: told what has been done.
        keep: makes each result, or takes it from where it is kept.
    """
    told, full = progress or Steps(), extent.size == "full"
    told.plan(len(extent.noise_seeds) * (1 + len(policies(extent.windows))) + (4 if full else 1))
    criteria: list[Criterion] = []
    systems = []
    for seed, noise_seed in extent.noise_seeds.items():
        result = keep(
            run_system,
            seed,
            runs=extent.runs,
            rounds=extent.rounds,
            noise_seed=noise_seed,
            windows=extent.windows,
            progress=partial(told, f"system {seed}"),
        )
        criteria += of_full(result) if full else of_small(result)
        systems.append(result)
    if not full:
        criteria += _theory(systems, extent, keep)
        told("theory")
        return AresExperiment(extent, tuple(systems), tuple(criteria))
    bound_windows, bound_ratios = keep(over_bounds, runs=16, rounds=extent.rounds)
    told("constants")
    many = keep(many_systems)
    told("many systems")
    windows = keep(true_windows)
    told("true windows")
    criteria += of_bounds(bound_windows, bound_ratios)
    criteria += (*of_many(many), *of_windows(windows), *_theory(systems, extent, keep))
    told("theory")
    return AresExperiment(
        extent, tuple(systems), tuple(criteria), bound_windows, bound_ratios, many, windows
    )


def _theory(systems: list[SystemResult], extent: Extent, keep: Keep) -> tuple[Criterion, ...]:
    one = simulate(random_system(17), runs=1, rounds=1000, seed=4000)
    short = simulate(random_system(17), runs=1, rounds=200, seed=4000)
    shares = []
    for result in systems:
        played = simulate(random_system(result.system), runs=2, rounds=extent.rounds, seed=1)
        shares.append(float(result.regret["ares"].max()) / theorem_4(played, Bounds()))
    return tuple(
        of_theory(
            recursion=max(recursion_error(one, window) for window in (0, 2, 10)),
            prefix=prefix_error(short),
            coverage=keep(coverage),
            bound_share=max(shares),
        )
    )
