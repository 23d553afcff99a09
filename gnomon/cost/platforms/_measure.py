"""One step of an embedded learner on a cost-model core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnomon.base.errors import GnomonError
from gnomon.base.interval import Interval
from gnomon.bench.learners import build_learner, measure_learner
from gnomon.cost.platforms._mix import counting_machine, mix_of
from gnomon.cost.platforms._price import calibrated_cycles, documented_cycles

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.bench.learners import Learner, LearnerRun, LearnerVariant, Sizes
    from gnomon.cost.platforms._mix import Mix
    from gnomon.cost.platforms._platform import Platform

LIBRARY_OPTIMIZATION = "-O2"
"""Level of memory.c, 64-bit division and square root: toolchains bring them compiled."""


@dataclass(frozen=True, slots=True)
class MemoryNeed:
    """What a program needs in addition to its instructions, which such boards keep in flash."""

    static_bytes: int
    stack_bytes: int
    available_bytes: int

    @property
    def needed_bytes(self) -> int:
        """Static data and the deepest stack."""
        return self.static_bytes + self.stack_bytes

    @property
    def fits(self) -> bool:
        """Whether the memory is large enough."""
        return self.needed_bytes <= self.available_bytes

    def to_json(self) -> dict[str, int | bool]:
        """Plain data."""
        return {
            "static": self.static_bytes,
            "stack": self.stack_bytes,
            "needed": self.needed_bytes,
            "available": self.available_bytes,
            "fits": self.fits,
        }


@dataclass(frozen=True, slots=True)
class PlatformRun:
    """One step, priced.

    Attributes:
        platform: the core.
        run: the run that was counted, checked bit by bit.
        mixes: instructions by class, of each stage.
        memory: what it needs; where it does not fit, there are no cycles.
        calibrated: whether the factor applies: to the paper implementation at the level of the fit.
    """

    platform: Platform
    run: LearnerRun
    mixes: Mapping[str, Mix]
    memory: MemoryNeed
    calibrated: bool

    def stage_cycles(self, stage: str) -> Interval | None:
        """Cycles of ``select`` or ``update``; None where the program does not fit."""
        if not self.memory.fits:
            return None
        price = calibrated_cycles if self.calibrated else documented_cycles
        return price(self.mixes[stage], self.platform)

    def stage_documented_cycles(self, stage: str) -> Interval:
        """Cycles of a stage by the documentation alone, whether it fits or not."""
        return documented_cycles(self.mixes[stage], self.platform)

    @property
    def cycles(self) -> Interval | None:
        """Cycles of both stages; None where the program does not fit."""
        parts = [self.stage_cycles(stage) for stage in self.mixes]
        return None if None in parts else sum_of([part for part in parts if part is not None])

    @property
    def documented_cycles(self) -> Interval:
        """Cycles of both stages by the documentation alone."""
        return sum_of([self.stage_documented_cycles(stage) for stage in self.mixes])

    @property
    def time_us(self) -> Interval | None:
        """Time of both stages in microseconds."""
        cycles = self.cycles
        return None if cycles is None else cycles * (1e6 / self.platform.clock)

    @property
    def energy_uj(self) -> Interval | None:
        """Energy of both stages in microjoules: power times time, so in error as the cycles are."""
        time = self.time_us
        return None if time is None else time * (self.platform.power_mw / 1e3)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""

        def plain(estimate: Interval | None) -> dict[str, float] | None:
            return None if estimate is None else estimate.to_json()

        return {
            "learner": self.run.learner,
            "variant": self.run.variant,
            "line": self.run.line,
            "platform": self.platform.name,
            "sizes": self.run.sizes.named(),
            "case": self.run.case,
            "seed": self.run.seed,
            "fraction_bits": self.run.fraction_bits,
            "optimization": self.platform.optimization,
            "calibrated": self.calibrated,
            "arm": self.run.arm,
            "cycles": plain(self.cycles),
            "documented_cycles": self.documented_cycles.to_json(),
            "time_us": plain(self.time_us),
            "energy_uj": plain(self.energy_uj),
            "stages": {
                stage: {"cycles": plain(self.stage_cycles(stage)), "mix": dict(mix)}
                for stage, mix in self.mixes.items()
            },
            "bytes": self.memory.to_json(),
        }


def sum_of(parts: list[Interval]) -> Interval:
    """The sum of estimates."""
    total = Interval(0.0, 0.0, 0.0)
    for part in parts:
        total += part
    return total


def count_step(
    learner: Learner,
    variant: LearnerVariant,
    sizes: Sizes,
    *,
    optimization: str,
    library_optimization: str = LIBRARY_OPTIMIZATION,
    case: str = "fresh",
    seed: int = 0,
    fraction_bits: int = 15,
) -> LearnerRun:
    """Run one selection and one update on a machine whose counters are counts.

    ``library_optimization`` is the level of memory copies, 64-bit division and square root.

    Raises:
        CheckFailed: arm, scores or model differ from those that the same C gives on this computer.
        GnomonError: a variant for a vector unit, or sizes that no machine here can run.
    """
    if variant.vector:
        raise GnomonError(
            f"learner {learner.name}, variant {variant.name}: a cost-model core has no vector unit"
        )
    machine = counting_machine()
    program = build_learner(
        learner,
        variant,
        machine,
        sizes,
        fraction_bits=fraction_bits,
        optimization=optimization,
        library_optimization=library_optimization,
    )
    return measure_learner(
        learner,
        variant,
        machine,
        sizes,
        case=case,
        seed=seed,
        fraction_bits=fraction_bits,
        details=False,
        program=program,
    )


def measure_on_platform(
    learner: Learner,
    variant: LearnerVariant,
    platform: Platform,
    sizes: Sizes,
    *,
    case: str = "fresh",
    seed: int = 0,
    fraction_bits: int = 15,
) -> PlatformRun:
    """Count one selection and one update, and price the counts.

    Raises:
        CheckFailed: arm, scores or model differ from those that the same C gives on this computer.
        GnomonError: as :func:`count_step`, or something executed that has no cost.
    """
    run = count_step(
        learner,
        variant,
        sizes,
        optimization=platform.optimization,
        case=case,
        seed=seed,
        fraction_bits=fraction_bits,
    )
    mixes = {stage.name: mix_of(stage) for stage in run.stages}
    for mix in mixes.values():
        documented_cycles(mix, platform)  # refuse at once what has no cost
    return PlatformRun(
        platform=platform,
        run=run,
        mixes=mixes,
        memory=MemoryNeed(run.static_bytes, run.stack_bytes[0], int(platform.memory)),
        calibrated=variant.line == "paper"
        and platform.optimization == platform.calibration.optimization,
    )
