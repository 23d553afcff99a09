"""The study: gain by schedule in float64, cost on the machines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.base.errors import known
from gnomon.content.reports.correction.schedules import ScheduleCase, run_schedules
from gnomon.report.correction._device import DeviceCase, DeviceCost, measure_case
from gnomon.report.correction._fixed import FixedError, fixed_errors

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.content.reports.correction.schedules import ScheduleGain

_DISJOINT, _HYBRID = "linucb-disjoint", "linucb-hybrid"


@dataclass(frozen=True, slots=True)
class CorrectionSize:
    """How large a study is.

    Attributes:
        name: as on the command line.
        schedules: the float runs.
        device: the runs on machines.
        fixed_steps: how many in fixed point.
        fixed_seeds: of these steps.
    """

    name: str
    schedules: tuple[ScheduleCase, ...]
    device: tuple[DeviceCase, ...]
    fixed_steps: int
    fixed_seeds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CorrectionStudy:
    """All results."""

    size: CorrectionSize
    gains: tuple[ScheduleGain, ...]
    costs: tuple[DeviceCost, ...]
    fixed: tuple[FixedError, ...]


def _device(
    disjoint: tuple[int, ...], hybrid: dict[int, tuple[int, ...]]
) -> tuple[DeviceCase, ...]:
    """Context features of the disjoint learner; features of arms by those of the hybrid one."""
    sizes: list[tuple[str, int, int | None]] = [(_DISJOINT, d, None) for d in disjoint]
    sizes += [(_HYBRID, d, f) for d, features in hybrid.items() for f in features]
    return tuple(
        DeviceCase(learner, d, f, unit) for learner, d, f in sizes for unit in ("scalar", "vector")
    )


CORRECTION_SIZES = {
    "small": CorrectionSize(
        "small",
        (ScheduleCase("uniform", rounds=1500, periods=(250, 25)),),
        _device((4,), {4: (4,)}),
        1500,
        (1,),
    ),
    "full": CorrectionSize(
        "full",
        (ScheduleCase("uniform"), ScheduleCase("normal")),
        _device((4, 8, 16, 32), {4: (4, 8, 16, 32), 8: (4, 8, 16, 32)}),
        12_000,
        (1, 2, 3),
    ),
}


def find_correction_size(name: str) -> CorrectionSize:
    """The size of this name.

    Raises:
        GnomonError: there is none.
    """
    return CORRECTION_SIZES[known("size", name, CORRECTION_SIZES)]


def correction_steps(size: CorrectionSize) -> int:
    """How many times ``progress`` is called."""
    return len(size.device) + len(size.fixed_seeds) + 100 * len(size.schedules)


def run_correction(
    size: CorrectionSize, progress: Callable[[str], None] = lambda _: None
) -> CorrectionStudy:
    """Run the study; see ``correction_steps`` for the number of calls to ``progress``.

    Raises:
        CheckFailed: a machine computed another bit than this computer.
    """
    costs = []
    for case in size.device:
        costs.append(measure_case(case))
        progress(f"cost, {case.learner}")
    fixed: list[FixedError] = []
    for seed in size.fixed_seeds:
        fixed += fixed_errors(size.schedules[0].periods, size.fixed_steps, seed)
        progress("fixed point")
    gains = [
        gain
        for case in size.schedules
        for gain in run_schedules(case, lambda case=case: progress(f"gain, {case.law}"))  # type: ignore[misc]
    ]
    return CorrectionStudy(size, tuple(gains), tuple(costs), tuple(fixed))
