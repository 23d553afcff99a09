"""Cost of embedded learners: single steps on machines, and regret by number format."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from gnomon.arch import load_architecture
from gnomon.base.frames import frame
from gnomon.base.units import microseconds
from gnomon.cost.energy import OptionalEnergy
from gnomon.measure.learners import LearnerBench, find_embedded_learner

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from gnomon.base.result_cache import Keep
    from gnomon.measure.learners import EmbeddedSizes, LearnerVariant

SCALAR_MACHINE: Final = "t13"
VECTOR_MACHINES: Final = {
    "small": ("t13-simd4", "t13-paper-simd4"),
    "full": tuple(f"t13-{paper}simd{n}" for paper in ("", "paper-") for n in (1, 2, 4, 8)),
}
"""By size of a study."""
_COLUMNS = (
    *("machine", "variant", "step"),
    *("select_cycles", "update_cycles", "select_us", "update_us", "select_uj", "update_uj"),
    *("model_bytes", "static_bytes", "text_bytes"),
)


@dataclass(frozen=True, slots=True)
class Step:
    """A measured step: its name, the variant as built, and the number of steps before it."""

    name: str
    variant: LearnerVariant
    warm_steps: int


def step_costs(
    learner: str, sizes: EmbeddedSizes, steps: Iterable[Step], *, full: bool, keep: Keep
) -> pd.DataFrame:
    """Measure steps on the vector machines, and those of scalar variants on the scalar core, too.

    Every run is compared bit by bit with the same C on the host. All cells are text.

    Raises:
        CheckFailed: if a bit differs.
    """
    vector_machines = VECTOR_MACHINES["full" if full else "small"]
    by_variant: dict[str, list[Step]] = {}
    for step in steps:
        by_variant.setdefault(step.variant.name, []).append(step)
    measured = [
        (machine, name, step)
        for name, each in by_variant.items()
        for machine in (
            vector_machines if each[0].variant.vector else (SCALAR_MACHINE, *vector_machines)
        )
        for step in each
    ]
    found = keep.each(
        partial(_figures, learner, step.variant, machine, sizes, step.warm_steps)
        for machine, _, step in measured
    )
    rows = [
        (machine, name, step.name, *figures)
        for (machine, name, step), figures in zip(measured, found, strict=True)
    ]
    return frame(_COLUMNS, rows)


def _figures(
    name: str, variant: LearnerVariant, machine: str, sizes: EmbeddedSizes, warm_steps: int
) -> tuple[str, ...]:
    """Return the columns of a row from ``select_cycles`` on."""
    architecture = load_architecture(machine)
    bench = LearnerBench(find_embedded_learner(name), variant, architecture, sizes)
    run = bench.measure(case="random", details=False, warm_steps=warm_steps)
    stages = (run.select, run.update)
    energies = [
        OptionalEnergy.from_work(stage.work, architecture, data="dense").energy for stage in stages
    ]
    return (
        *(str(stage.wall_cycles) for stage in stages),
        *(f"{microseconds(stage.wall_cycles, run.clock_hz):.2f}" for stage in stages),
        *("" if each is None else f"{each.energy_uj.value:.4g}" for each in energies),
        *(str(n) for n in (run.model_bytes, run.static_bytes, run.text_bytes)),
    )


LARGEST_LOSS: Final = 1.02
"""Regret over that of float that counts as none lost."""


def lossless_bits(ratios: pd.Series[Any]) -> int | None:
    """Return the fraction bits from which on none loses more than 2 %; None: the most lose.

    A coarse format within the limit does not count if a finer one fails. ``ratios`` are of regret
    to that of float, by fraction bits; several of one format are one each.
    """
    worst = ratios.groupby(level=0).max().sort_index(ascending=False)
    kept = worst.index[(worst <= LARGEST_LOSS).cummin()]
    return int(kept[-1]) if len(kept) else None
