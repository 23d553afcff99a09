"""``gnomon experiment ares``: Figures 3 to 5 of the paper, and acceptance criteria."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd

from gnomon.base.kept import anew
from gnomon.content.algorithms.ares.models import Bounds
from gnomon.content.algorithms.ares.system import random_system, simulate
from gnomon.report.study import Steps, study_command

from .page import ares_report
from .policies import policies
from .runs import SystemResult, many_systems, over_bounds, run_system, true_windows
from .theory import coverage, prefix_error, recursion_error, theorem_4

if TYPE_CHECKING:
    from gnomon.base.kept import Keep


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
    """All results; the tables are empty in the small size.

    Attributes:
        extent: what was played.
        systems: every policy on systems 17 and 16; in the small size on 17 only.
        theory: section 6, by criterion.
        constants: by ``bound`` B, the mean ``window`` and the ``ratio`` to the oracle's regret.
        many: ``radius`` of systems 1 to 20 and ratios to the oracle, by policy.
        windows: E4, ``ratio`` to the oracle's regret by ``system`` and ``window``.
    """

    extent: Extent
    systems: tuple[SystemResult, ...]
    theory: dict[str, float]
    constants: pd.DataFrame = field(default_factory=pd.DataFrame)
    many: pd.DataFrame = field(default_factory=pd.DataFrame)
    windows: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def full(self) -> bool:
        """There are tables."""
        return not self.many.empty


def run_ares(extent: Extent, progress: Steps | None = None, keep: Keep = anew) -> AresExperiment:
    """Run the experiment in one of ``EXTENTS``."""
    told, tables = progress or Steps(), {}
    told.plan(len(extent.noise_seeds) * (1 + len(policies(extent.windows))))
    told.plan(4 if extent.size == "full" else 1)
    systems = tuple(
        keep(
            run_system,
            seed,
            runs=extent.runs,
            rounds=extent.rounds,
            noise_seed=noise_seed,
            windows=extent.windows,
            progress=partial(told, f"system {seed}"),
        )
        for seed, noise_seed in extent.noise_seeds.items()
    )
    if extent.size == "full":
        tables["constants"] = pd.DataFrame(keep(over_bounds, runs=16, rounds=extent.rounds))
        told("constants")
        tables["many"] = pd.DataFrame(keep(many_systems))
        told("many systems")
        tables["windows"] = pd.DataFrame(keep(true_windows))
        told("true windows")
    theory = _theory(systems, extent, keep)
    told("theory")
    return AresExperiment(extent, systems, theory, **tables)


def _theory(systems: tuple[SystemResult, ...], extent: Extent, keep: Keep) -> dict[str, float]:
    one = simulate(random_system(17), runs=1, rounds=1000, seed=4000)
    short = simulate(random_system(17), runs=1, rounds=200, seed=4000)
    shares = []
    for result in systems:
        played = simulate(random_system(result.system), runs=2, rounds=extent.rounds, seed=1)
        shares.append(float(result.regret["ares"].max()) / theorem_4(played, Bounds()))
    return {
        "Recursions": max(recursion_error(one, window) for window in (0, 2, 10)),
        "ARES-chol": prefix_error(short),
        "Theorem 1": keep(coverage),
        "Theorem 4": max(shares),
    }


main = study_command(
    "ares",
    EXTENTS,
    lambda extent, progress, keeps: ares_report(run_ares(extent, progress, keeps.learning)),
)
