"""Optional energy of a report: a figure, or the reason for its absence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.base.units import short_number
from gnomon.cost.energy._activity_table import ActivityTable
from gnomon.cost.energy._gate_table import GateTable
from gnomon.cost.energy._load import load_table
from gnomon.cost.energy._price import Energy, price_by_clock
from gnomon.cost.energy._stated_table import NO_OPERANDS, StatedTable
from gnomon.cost.estimators import names
from gnomon.sim import Work


class OptionalEnergy(NamedTuple):
    """An energy, or the reason why it is unavailable."""

    energy: Energy | None
    reason: str = ""

    @classmethod
    def from_work(
        cls, work: Work, architecture: Architecture, *, data: str | None = None
    ) -> OptionalEnergy:
        """Price work if the machine names a power table that covers all of it."""
        return cls.by_clock(work, architecture, data=data)(architecture)

    @classmethod
    def by_clock(
        cls, work: Work, architecture: Architecture, *, data: str | None = None
    ) -> Callable[[Architecture], OptionalEnergy]:
        """Return :meth:`from_work` as a function of this machine at any clock."""
        try:
            price = price_by_clock(work, architecture, data=data)
        except GnomonError as error:
            missing = cls(None, str(error))
            return lambda _: missing

        def quote(machine: Architecture) -> OptionalEnergy:
            try:
                return cls(price(machine))
            except GnomonError as error:
                return cls(None, str(error))

        return quote

    def to_json(self) -> dict[str, Any]:
        """Return the energy under ``energy``, or null and the ``energy_reason``."""
        if self.energy is None:
            return {"energy": None, "energy_reason": self.reason}
        return {"energy": self.energy.to_json()}

    def line(self) -> str:
        """Return one line: µJ with interval, mW, table, treatment of static power."""
        energy = self.energy
        if energy is None:
            return f"not known: {self.reason}"
        flag = "; extrapolated" if energy.extrapolated else ""
        figure, power = energy.energy_uj, energy.power_mw
        return (
            f"{figure.value:,.4g} µJ ({figure.low:,.3g} to {figure.high:,.3g}), {energy.what},"
            f" {short_number(power.value)} mW ({short_number(power.low)} to"
            f" {short_number(power.high)}); static power"
            f" {energy.static}; {energy.origin}, operands {energy.data}{flag}"
        )


def check_operands(architecture: Architecture, name: str | None) -> None:
    """Check that operand values exist and affect the energy of a machine; None always passes.

    Raises:
        GnomonError: if the power of the machine does not depend on assumed operand values, or its
            activity table has no such values.
    """
    if name is None:
        return
    if architecture.power is None:
        raise GnomonError(
            f"operand values {name!r} are for the energy, and {architecture.name} names no"
            " power table"
        )
    if architecture.power in names("energy"):
        raise GnomonError(
            f"operand values {name!r} are for power tables, and {architecture.power} is none"
        )
    table = load_table(architecture.power)
    if isinstance(table, GateTable):
        raise GnomonError(
            f"operand values {name!r} are for FPGA-calibrated tables; {architecture.power} is"
            " gate-level and prices the operands that the run counts"
        )
    if isinstance(table, StatedTable):
        raise GnomonError(f"operand values {name!r}: {NO_OPERANDS.format(table.name)}")
    ActivityTable.load(table.activity).data_set(name)
