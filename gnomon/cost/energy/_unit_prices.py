"""Stated prices of the instructions of functional units."""

from dataclasses import replace

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.sim import Work


def split_units(
    work: Work, architecture: Architecture
) -> tuple[Work, dict[str, tuple[int, float]]]:
    """Return the work without instructions of units; executions and pJ of those by mnemonic.

    Raises:
        GnomonError: if a unit that was used states no price.
    """
    found: dict[str, tuple[int, float]] = {}
    for unit in architecture.units:
        for each in unit.instructions:
            count = work.instructions.get(each.mnemonic, 0)
            if count and unit.price is None:
                raise GnomonError(
                    f"unit {unit.name} states no price in its unit.yaml, so the energy of a program"
                    f" that executes {each.mnemonic} is not known"
                )
            if count and unit.price is not None:
                found[each.mnemonic] = count, unit.price.pj
    if not found:
        return work, {}
    rest = {name: count for name, count in work.instructions.items() if name not in found}
    return replace(work, instructions=rest), found
