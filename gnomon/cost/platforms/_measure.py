"""One step of an embedded learner on a cost-model core: counted on a machine that only counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.base.interval import Interval
from gnomon.base.values import json_attributes, to_json_data
from gnomon.cost.platforms._platform import COST_CLASSES, Platform
from gnomon.measure.learners import (
    EmbeddedLearner,
    EmbeddedSizes,
    LearnerBench,
    LearnerRun,
    LearnerVariant,
)

Mix: TypeAlias = "Mapping[str, int]"
"""Executed instructions by class; ``branch-taken`` counts those among ``branch`` again."""

LIBRARY_OPTIMIZATION = "-O2"
"""Level of memory.c, 64-bit division and square root: toolchains bring them compiled."""


def counting_machine() -> Architecture:
    """An RV32IM core that takes one cycle for everything, and one more for a taken branch.

    So its counters are counts. Memories are large enough for any of the paper's cases, unoptimized.
    """
    return load_architecture(
        "rv32im",
        [
            "memory.instruction.size=1 MiB",
            "memory.data.size=8 MiB",
            *(f"core.latency.{name}=1" for name in COST_CLASSES),
        ],
    )


@dataclass(frozen=True, slots=True)
class PlatformRun:
    """One step, priced; where it does not fit the memory, there are no cycles."""

    platform: Platform  # the core
    run: LearnerRun  # the run that was counted, checked bit by bit
    mixes: Mapping[str, Mix]  # instructions by class, of each stage
    # whether the factor applies: to the implementation of the fit at its level
    calibrated: bool

    @property
    def bytes(self) -> dict[str, int | bool]:
        """What it needs in addition to its instructions, which such boards keep in flash."""
        static, stack = self.run.static_bytes, self.run.stack_bytes[0]
        needed, available = static + stack, int(self.platform.memory.size)
        return {
            "static": static,
            "stack": stack,
            "needed": needed,
            "available": available,
            "fits": needed <= available,
        }

    def cycles(self, *stages: str) -> Interval | None:
        """Cycles of ``select``, ``update`` or both; None where the program does not fit."""
        if not self.bytes["fits"]:
            return None
        price = self.platform.calibrated_cycles if self.calibrated else None
        return self._sum(price or self.platform.documented_cycles, stages)

    def documented_cycles(self, *stages: str) -> Interval:
        """Those of the documentation alone, whether it fits or not."""
        return self._sum(self.platform.documented_cycles, stages)

    def _sum(self, price: Callable[[Mix], Interval], stages: Sequence[str]) -> Interval:
        parts = (price(self.mixes[stage]) for stage in stages or self.mixes)
        return sum(parts, Interval(0.0, 0.0, 0.0))

    @property
    def time_us(self) -> Interval | None:
        """Time of both stages in microseconds."""
        cycles = self.cycles()
        return None if cycles is None else cycles * (1e6 / self.platform.clock.value)

    @property
    def energy_uj(self) -> Interval | None:
        """Energy of both stages in microjoules: power times time, so in error as the cycles are."""
        time = self.time_us
        return None if time is None else time * (self.platform.power.value_mw / 1e3)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        run = json_attributes(self.run, "learner variant line case seed fraction_bits arm")
        told = run | json_attributes(self, "calibrated time_us energy_uj bytes")
        return told | {
            "platform": self.platform.name,
            "sizes": self.run.sizes.named(),
            "optimization": self.platform.build.optimization,
            "cycles": to_json_data(self.cycles()),
            "documented_cycles": to_json_data(self.documented_cycles()),
            "stages": {
                stage: {"cycles": to_json_data(self.cycles(stage)), "mix": dict(mix)}
                for stage, mix in self.mixes.items()
            },
        }


def count_instructions(
    learner: EmbeddedLearner,
    variant: LearnerVariant,
    sizes: EmbeddedSizes,
    *,
    optimization: str,
    library_optimization: str = LIBRARY_OPTIMIZATION,
    case: str = "fresh",
    seed: int = 0,
    fraction_bits: int = 15,
) -> tuple[LearnerRun, dict[str, Mix]]:
    """Run one selection and one update on a machine whose counters are counts.

    ``library_optimization`` is the level of memory copies, 64-bit division and square root.

    Returns:
        The run, and what each of its stages executed.

    Raises:
        CheckFailed: arm, scores or model differ from those that the same C gives on this
            computer.
        GnomonError: a variant for a vector unit, or sizes that no machine here can run.
    """
    if variant.vector:
        raise GnomonError(
            f"learner {learner.name}, variant {variant.name}: a cost-model core has no vector unit"
        )
    machine = counting_machine()
    bench = LearnerBench(learner, variant, machine, sizes, fraction_bits=fraction_bits)
    program = bench.build(optimization=optimization, library_optimization=library_optimization)
    run = bench.measure(case=case, seed=seed, details=False, program=program)
    return run, {stage.name: stage.mix for stage in run.stages}


def measure_platform(
    platform: Platform,
    learner: EmbeddedLearner,
    variant: LearnerVariant,
    sizes: EmbeddedSizes,
    **step: Any,
) -> PlatformRun:
    """Count one selection and one update, and price the counts.

    ``step``: further arguments of :func:`count_instructions`.

    Raises:
        CheckFailed: arm, scores or model differ from those that the same C gives on this
            computer.
        GnomonError: as :func:`count_instructions`, or something executed that has no cost.
    """
    level = platform.build.optimization
    run, mixes = count_instructions(learner, variant, sizes, optimization=level, **step)
    for mix in mixes.values():
        platform.documented_cycles(mix)  # refuse at once what has no cost
    fitted = platform.calibration
    applies = fitted.implementation in {None, variant.line}
    return PlatformRun(platform, run, mixes, applies and level == fitted.optimization)
