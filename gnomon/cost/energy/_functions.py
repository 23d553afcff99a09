"""Energy of a run by function, each without what it calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.cost.energy._price import Energy, price_work
from gnomon.sim import function_work

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.program import Program
    from gnomon.sim import Run


@dataclass(frozen=True, slots=True)
class FunctionEnergy:
    """One function without what it calls; sleeping harts next to it are charged to it."""

    function: str
    energy: Energy


def function_energies(
    run: Run,
    program: Program,
    architecture: Architecture,
    *,
    power: str | None = None,
    data: str | None = None,
) -> tuple[FunctionEnergy, ...]:
    """Energy of a run by function, the largest first; they sum to that of the run.

    Lengths of vectors and retries are shared among functions by issues.

    Raises:
        GnomonError: there is no table, the machine was not measured, or an event has no price.
    """
    found = [
        FunctionEnergy(name, price_work(work, architecture, power=power, data=data))
        for name, work in function_work(run, program, architecture).items()
        if work.wall_cycles > 0
    ]
    return tuple(sorted(found, key=lambda each: (-each.energy.energy_uj.value, each.function)))
