"""What a cost-model core is: a table of cycles, and what is known of its board."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.base.interval import Interval
    from gnomon.base.units import Bytes, Hertz

COST_CLASSES = (
    "alu", "mul", "mulh", "div", "load", "store", "branch", "branch-taken", "jump", "csr", "fence",
    "amo", "system",
)  # fmt: skip
"""What can have a cost: classes of RV32IM instructions, and the extra of a branch that is taken."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Cycles of one instruction of a class, from documentation."""

    cycles: Interval
    source: str


@dataclass(frozen=True, slots=True)
class Calibration:
    """One factor on all costs, fitted to published cells.

    Attributes:
        factor: published cycles over those of the documentation.
        optimization: level of the builds it was fitted to.
        left_out: prediction over published cycles, lowest and highest of the cells, each with the
            factor of the other sizes.
        source: the cells it was fitted to.
    """

    factor: float
    optimization: str
    left_out: tuple[float, float]
    source: str


@dataclass(frozen=True, slots=True)
class Platform:
    """A core that prices what our program executes; it runs nothing itself.

    Attributes:
        name: as on the command line.
        title: in one line.
        file: where it was read from, for messages.
        clock: of the core.
        power_mw: average, of core and memories.
        memory: for data and stacks.
        optimization: level of the build whose instructions are priced.
        costs: cycles by class of instruction.
        calibration: fitted factor, for paper-line builds of that level.
        sources: where clock, power, memory and build come from, by these names.
    """

    name: str
    title: str
    file: str
    clock: Hertz
    power_mw: float
    memory: Bytes
    optimization: str
    costs: Mapping[str, Cost]
    calibration: Calibration
    sources: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """Plain data; units are those of the attributes."""
        return asdict(self, dict_factory=lambda pairs: {k: v for k, v in pairs if k != "unit"})
