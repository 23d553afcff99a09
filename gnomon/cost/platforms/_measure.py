"""One step of an embedded learner on a cost-model core, from instruction counts."""

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
"""Level of memory.c, 64-bit division and square root, which toolchains ship compiled."""


def load_counting_machine() -> Architecture:
    """Return an RV32IM core with 1 cycle per instruction, and 1 more per taken branch.

    Its counters are therefore counts. Its memories fit any of the paper's cases, unoptimized.
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
    """One priced step; without cycles if it does not fit the memory."""

    platform: Platform  # the core
    run: LearnerRun  # the counted run, checked bit by bit
    mixes: Mapping[str, Mix]  # instructions by class, of each stage
    # whether the calibration factor applies: same implementation and level as in its fit
    calibrated: bool

    @property
    def bytes(self) -> dict[str, int | bool]:
        """Memory in addition to instructions, which such boards hold in flash."""
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
        """Return the cycles of ``select``, ``update`` or both; None if the program does not fit."""
        if not self.bytes["fits"]:
            return None
        price = self.platform.calibrated_cycles if self.calibrated else None
        return self._sum(price or self.platform.documented_cycles, stages)

    def documented_cycles(self, *stages: str) -> Interval:
        """Return the cycles from documented costs alone, even if the program does not fit."""
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
        """Energy of both stages in microjoules: power x time, with the relative error of cycles."""
        time = self.time_us
        return None if time is None else time * (self.platform.power.value_mw / 1e3)

    def to_json(self) -> dict[str, Any]:
        """Return JSON-compatible data."""
        run = json_attributes(self.run, "learner variant line case seed fraction_bits arm")
        data = run | json_attributes(self, "calibrated time_us energy_uj bytes")
        return data | {
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
        The run, and the instructions of each of its stages by class.

    Raises:
        CheckFailed: if arm, scores or model differ from those of the same C on the host.
        GnomonError: if the variant needs a vector unit, or the sizes do not fit the machine.
    """
    if variant.vector:
        raise GnomonError(
            f"learner {learner.name}, variant {variant.name}: a cost-model core has no vector unit"
        )
    machine = load_counting_machine()
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
        CheckFailed: if arm, scores or model differ from those of the same C on the host.
        GnomonError: see :func:`count_instructions`; also if an executed class has no cost.
    """
    level = platform.build.optimization
    run, mixes = count_instructions(learner, variant, sizes, optimization=level, **step)
    for mix in mixes.values():
        platform.documented_cycles(mix)  # reject classes without cost
    fitted = platform.calibration
    applies = fitted.implementation in {None, variant.line}
    return PlatformRun(platform, run, mixes, applies and level == fitted.optimization)
