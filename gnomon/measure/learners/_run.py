"""Cost of one step of an embedded learner, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gnomon.base.frames import Framed, typed
from gnomon.base.units import microseconds
from gnomon.base.values import json_attributes
from gnomon.measure.learners._learner import EmbeddedSizes
from gnomon.program import BuildInfo
from gnomon.sim import RegionRun, Work

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class StageRun:
    """Selection or update, from the first instruction of its function to its return, on hart 0.

    Attributes:
        hart_cycles: cycles in which the hart holds the execute stage.
        counters: ``hart_cycles`` and waits by cause.
        functions: cycles by function, without its callees: hart cycles, and waits in decode
            (``wait.*``), in which another hart holds the execute stage; empty if not requested.
        stack_bytes: peak stack of hart 0 in a run of this stage alone; None if not requested.
        work: work of all harts together from start to end.
    """

    name: str
    hart_cycles: int
    wall_cycles: int
    issued: int
    counters: Mapping[str, int]
    functions: Mapping[str, int]
    stack_bytes: int | None
    work: Work = field(repr=False)

    @classmethod
    def from_regions(
        cls,
        regions: Mapping[str, tuple[RegionRun, ...]],
        name: str,
        functions: Mapping[str, int] = MappingProxyType({}),
        stack_bytes: int | None = None,
    ) -> StageRun:
        """Return the stage of this name among the regions of a run."""
        part = next(part for part in regions[name] if part.hart == 0)
        return cls(name, part.hart_cycles, part.wall_cycles, part.issued, part.counters,
                   dict(functions), stack_bytes, part.work)  # fmt: skip

    @property
    def mix(self) -> dict[str, int]:
        """Executed instructions by class; taken branches count in ``branch`` and ``branch-taken``.

        ``branch-taken`` exists on a machine with one cycle for each instruction and one more for a
        taken branch.
        """
        mix = {
            name.removeprefix("issue."): count
            for name, count in self.counters.items()
            if name.startswith("issue.")
        }
        assert sum(mix.values()) == self.issued
        taken = self.counters.get("execute.branch", 0)
        return {**mix, "branch-taken": taken} if taken else mix

    def to_json(self) -> dict[str, Any]:
        """Return the stage as JSON-compatible data."""
        return json_attributes(
            self, "hart_cycles wall_cycles issued counters functions stack_bytes"
        )


@dataclass(frozen=True, slots=True)
class LearnerRun(Framed):
    """Step of a learner: a selection and an update.

    Attributes:
        harts: number of harts that share the arms.
        case: ``fresh`` or ``random`` input.
        fraction_bits: fractional bits (Q format).
        model_bytes: state that the learner keeps between steps.
        static_bytes: all static data, including model and constants.
        stack_bytes: peak stack of each active hart over the whole program.
        correction_period: updates between two corrections of the inverses; None: no correction.
        correcting: whether this update includes a correction.
        unobserved: keys of the machine that cannot have affected this run, see ``gnomon.sim``.
    """

    learner: str
    variant: str
    line: str
    arch: str
    clock_hz: int
    sizes: EmbeddedSizes
    harts: int
    case: str
    seed: int
    fraction_bits: int
    arm: int
    select: StageRun
    update: StageRun
    model_bytes: int
    static_bytes: int
    text_bytes: int
    stack_bytes: tuple[int, ...]
    correction_period: int | None
    correcting: bool
    build: BuildInfo = field(repr=False)
    unobserved: tuple[str, ...] = field(default=(), repr=False)

    @property
    def operands(self) -> str:
        """Operand kind of its input in tables of switching activity."""
        return "sparse" if self.case == "fresh" else "dense"

    def retimed(self, regions: Mapping[str, tuple[RegionRun, ...]]) -> LearnerRun:
        """Return a run without ``details`` with the regions of another machine for its path."""
        select, update = (StageRun.from_regions(regions, stage.name) for stage in self.stages)
        return replace(self, select=select, update=update)

    @property
    def stages(self) -> tuple[StageRun, StageRun]:
        """Selection and update."""
        return (self.select, self.update)

    @property
    def hart_cycles(self) -> int:
        """Hart cycles of both stages."""
        return self.select.hart_cycles + self.update.hart_cycles

    @property
    def wall_cycles(self) -> int:
        """Wall cycles of both stages."""
        return self.select.wall_cycles + self.update.wall_cycles

    @property
    def issued(self) -> int:
        """Instructions of both stages."""
        return self.select.issued + self.update.issued

    @property
    def time_us(self) -> float:
        """Wall time of both stages in microseconds."""
        return microseconds(self.wall_cycles, self.clock_hz)

    def counter(self, name: str) -> int:
        """Return a counter, summed over both stages; 0 if it never counted."""
        return sum(stage.counters.get(name, 0) for stage in self.stages)

    def caption(self) -> str:
        """Return learner and machine."""
        return f"learner {self.learner} on {self.arch}, a selection and an update"

    def frame(self) -> pd.DataFrame:
        """Return one row: learner, machine, sizes, cycles, ``time_us``, bytes."""
        row = {name: getattr(self, name) for name in ("learner", "variant", "line", "arch")}
        row |= self.sizes.named() | {
            "select_cycles": self.select.wall_cycles, "update_cycles": self.update.wall_cycles,
            **{name: getattr(self, name) for name in _IN_FRAME}, "stack_bytes": self.stack_bytes[0],
        }  # fmt: skip
        return typed(list(row), [list(row.values())])

    def to_json(self) -> dict[str, Any]:
        """Return the run as JSON-compatible data."""
        return json_attributes(self, _IN_JSON) | {
            "sizes": self.sizes.named(),
            "stages": {stage.name: stage.to_json() for stage in self.stages},
            "bytes": {
                "model": self.model_bytes,
                "static": self.static_bytes,
                "text": self.text_bytes,
                "stack": list(self.stack_bytes),
            },
            "compiler": f"{self.build.compiler} {self.build.version}",
            "flags": list(self.build.flags),
        }


_IN_FRAME = ("wall_cycles", "hart_cycles", "issued", "time_us", "model_bytes", "static_bytes",
             "text_bytes")  # fmt: skip
_IN_JSON = (
    "learner variant line arch sizes harts case seed fraction_bits correction_period correcting arm"
    " hart_cycles wall_cycles issued time_us"
)


@dataclass(frozen=True, slots=True)
class RoundsRun:
    """All selections and all updates of several rounds on one hart; bytes as in ``LearnerRun``.

    Instructions and stack include the loop over the rounds. Static data excludes inputs and outputs
    of the rounds.
    """

    select: RegionRun
    update: RegionRun
    model_bytes: int
    text_bytes: int
    static_bytes: int
    stack_bytes: int
