"""The paper's statements about the float learners, each beside what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.learn import Call, correction_gain, operations_of_call, published

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.learn import DriftResult, LinucbExperiment, MemoryRow, Published

DISJOINT, HYBRID = "linucb-disjoint", "linucb-hybrid"


@dataclass(frozen=True, slots=True)
class Claim:
    """A published number and ours.

    Attributes:
        quantity: as in ``models/published/linucb-float.csv``.
        published: what the paper says.
        ours: in the same unit.
        reading: how ours is to be read.
    """

    quantity: str
    published: Published
    ours: float
    reading: str


def claims(experiment: LinucbExperiment) -> tuple[Claim, ...]:
    """All statements, in the order of the paper."""
    stated = published()
    return tuple(
        Claim(quantity, stated[quantity], ours, reading)
        for quantity, ours, reading in _measured(experiment)
    )


def largest_at_end(result: DriftResult, variant: str) -> float:
    """Largest drift of the last tenth of the rounds."""
    drift = result.variant(variant).drift
    return float(drift[-max(len(drift) // 10, 1) :].max())


def _measured(experiment: LinucbExperiment) -> Iterator[tuple[str, float, str]]:
    yield "inversion_of_a", operations_of_call(Call("lu_invert", (8,))).mac, _DOOLITTLE
    yield "inversion_of_a0", operations_of_call(Call("lu_invert", (128,))).mac, _DOOLITTLE
    for quantity, name in (
        ("memory_saving_disjoint", DISJOINT),
        ("memory_saving_hybrid", HYBRID),
    ):
        yield from _memory(experiment, quantity, name)
    for result in experiment.drift:
        yield from _drift(result)


_DOOLITTLE = "multiply-accumulates of the Doolittle inversion, structural zeros included"


def _memory(
    experiment: LinucbExperiment, quantity: str, name: str
) -> Iterator[tuple[str, float, str]]:
    rows = [row for row in experiment.memory if row.name == name]
    pairs: list[tuple[MemoryRow, MemoryRow]] = list(zip(rows[::2], rows[1::2], strict=True))
    for arms in sorted({row.sizes.arms for row in rows if row.sizes.arms in {1, 8}}):
        of_arms = [pair for pair in pairs if pair[0].sizes.arms == arms]
        for what, stage in (("select", "select"), ("the larger of select and update", "")):
            saved, sizes = max((_saving(pair, stage), index) for index, pair in enumerate(of_arms))
            shape = of_arms[sizes][0].sizes
            words = f"d = {shape.dimensions}"
            if shape.features:
                words += f", f = {shape.features}"
            yield (
                quantity,
                saved / 1000,
                f"peak of {what}, {arms} arm(s) at once, largest saving, at {words}",
            )


def _saving(pair: tuple[MemoryRow, MemoryRow], stage: str) -> int:
    standard, optimised = pair
    if stage == "select":
        return standard.select_peak_bytes - optimised.select_peak_bytes
    return standard.peak_bytes - optimised.peak_bytes


def _drift(result: DriftResult) -> Iterator[tuple[str, float, str]]:
    case = result.case
    law = f"{case.law} contexts"
    which = "disjoint" if case.name == DISJOINT else "hybrid"
    yield (
        f"drift_{which}",
        largest_at_end(result, "optimized"),
        f"{law}, largest of the last tenth of {case.rounds:,} rounds",
    )
    optimised = result.variant("optimized")
    for equal, how in (
        (optimised.equal_arms, "both learning the same"),
        (optimised.equal_arms_alone, "each playing alone"),
    ):
        yield "equal_arms", 100 * equal / case.rounds, f"{which}, {law}, {how}"
    gain = correction_gain(result)
    if gain is None or which == "disjoint":
        return
    for value, how in (
        (gain.peak, "largest over all rounds, at a correction"),
        (gain.after, "median just after a correction"),
        (gain.median, "median over all rounds"),
        (gain.before, "median just before a correction"),
        (gain.last_period, "largest drift of the last period"),
    ):
        yield "correction_gain", value, f"{law}, every {gain.period:,} rounds, {how}"
