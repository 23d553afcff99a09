"""What the periodic correction costs the embedded learners: cycles and bytes from runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from gnomon.arch import load_architecture
from gnomon.bench.learners import Sizes, build_learner, find_learner, measure_learner

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.bench.learners import Learner, LearnerRun

ARMS = 8
MACHINES = {"scalar": "t13", "vector": "t13-paper-simd4"}
_MEMORY = "memory.data.size=4 MiB"  # no cache, so it costs no cycle

Reading = Literal["hart", "wall"]
READINGS: tuple[Reading, ...] = ("hart", "wall")


@dataclass(frozen=True, slots=True)
class DeviceCase:
    """A learner at one size, on the scalar core or on the vector unit."""

    learner: str
    d: int
    f: int | None
    unit: Literal["scalar", "vector"]


@dataclass(frozen=True, slots=True)
class DeviceCost:
    """Three measured steps of one case: a selection and an update each.

    Attributes:
        optimized: of the variant without direct matrices.
        ordinary: of the corrected variant, the inverses left as they are.
        correcting: of the corrected variant, the inverses computed anew.
    """

    case: DeviceCase
    optimized: LearnerRun
    ordinary: LearnerRun
    correcting: LearnerRun

    def step_cycles(self, reading: Reading) -> int:
        """An ordinary step of the corrected variant."""
        return _cycles(self.ordinary, reading)

    def optimized_cycles(self, reading: Reading) -> int:
        """A step without direct matrices."""
        return _cycles(self.optimized, reading)

    def correction_cycles(self, reading: Reading) -> int:
        """What a step with correction takes more than one without."""
        return _cycles(self.correcting, reading) - _cycles(self.ordinary, reading)

    def amortised_cycles(self, reading: Reading, period: int) -> float:
        """A step on average where every ``period``-th one corrects."""
        return self.step_cycles(reading) + self.correction_cycles(reading) / period

    @property
    def model_bytes(self) -> tuple[int, int]:
        """Kept from step to step: optimized, corrected."""
        return self.optimized.model_bytes, self.ordinary.model_bytes

    @property
    def stack_bytes(self) -> tuple[int, int, int]:
        """Peak: optimized, ordinary step, step with correction."""
        return (
            self.optimized.stack_bytes[0],
            self.ordinary.stack_bytes[0],
            self.correcting.stack_bytes[0],
        )


def measure_case(case: DeviceCase) -> DeviceCost:
    """Build and run the three steps; a fresh model and zeros, as in the published tables.

    Raises:
        CheckFailed: a bit differs from what the same C gives on this computer.
    """
    learner = find_learner(case.learner)
    architecture = load_architecture(MACHINES[case.unit], [_MEMORY])
    sizes = Sizes(case.d, ARMS, case.f)
    suffix = "-vector" if case.unit == "vector" else ""
    optimized = _measure(learner, f"optimized{suffix}", architecture, sizes)
    corrected = _measure(learner, f"corrected{suffix}", architecture, sizes, both=True)
    return DeviceCost(case, *optimized, *corrected)


def _measure(
    learner: Learner, name: str, architecture: Architecture, sizes: Sizes, *, both: bool = False
) -> tuple[LearnerRun, ...]:
    """An ordinary step and, for ``both``, one with a correction."""
    variant = learner.variant(name)
    program = build_learner(learner, variant, architecture, sizes)
    return tuple(
        measure_learner(
            learner,
            variant,
            architecture,
            sizes,
            details=False,
            program=program,
            correcting=correcting,
        )
        for correcting in ((False, True) if both else (False,))
    )


def _cycles(run: LearnerRun, reading: Reading) -> int:
    return run.hart_cycles if reading == "hart" else run.wall_cycles
