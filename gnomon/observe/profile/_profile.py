"""The profile of a run: the cost of each instruction word, and its sums.

The engine counts cycles per word exactly; with the cycles before the first issue they sum to the
run. Energy is priced by function (:meth:`gnomon.cost.energy.price_functions`) and divided among the
words of a function. The energy of an event is divided by issues of words of its kind, waits by
their cycles, the clock by all cycles. Values are whole femtojoules, so parts sum to the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.base.frames import Framed, typed
from gnomon.base.values import apportion
from gnomon.cost.energy import Energy, price_functions, price_words_fj
from gnomon.observe.profile._library import count_library_cycles
from gnomon.program import NO_FUNCTION, Program
from gnomon.program.lines import SourceLine, source_lines
from gnomon.sim import Run, check_run_machine, find_executed_kinds, find_executed_words

if TYPE_CHECKING:
    import pandas as pd

Array = npt.NDArray[np.int64]

FJ_PER_UJ = 10**9
FJ_PER_PJ = 1000


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """Costs of a function, a source line or an instruction."""

    name: str  # function, `file:line` or address
    issued: int  # instructions, without retries and slots of sleeping harts
    cycles: int  # of all harts, without slots of sleeping harts
    parked_cycles: int  # slots of sleeping harts
    parts: dict[str, int]  # cycles by cause; they sum to `cycles` + `parked_cycles`
    energy_fj: int | None  # dynamic energy; None: unavailable


@dataclass(frozen=True, eq=False)
class RunProfile(Framed):
    """The cost of each executed instruction word; arrays have one element per word."""

    run: Run  # the profiled run
    program: Program
    addresses: list[int]
    words: list[int]
    functions: list[str]  # name of the function of each word
    lines: list[SourceLine | None]  # source line of each word; None: the program names none
    parts: dict[str, Array]  # cycles by cause, of all harts
    boot_cycles: int  # before the first issue; they belong to none of the words
    energy_fj: Array | None  # dynamic energy; None: unavailable, see `energy_reason`
    energy_reason: str
    # energy of a run that ends before its first issue, else 0; None: unavailable
    boot_energy_fj: int | None = None

    def caption(self) -> str:
        """Return a caption with program and machine."""
        return f"{self.run.program} on {self.run.arch}: cycles by function"

    def frame(self) -> pd.DataFrame:
        """Return one row per function: instructions issued, cycles, parked cycles, fJ."""
        rows = [
            (each.name, each.issued, each.cycles, each.parked_cycles, each.energy_fj)
            for each in self.by_function()
        ]
        return typed(("function", "issued", "cycles", "parked_cycles", "energy_fj"), rows)

    def by_function(self) -> tuple[ProfileRow, ...]:
        """Return the costs of functions, the most cycles first."""
        return self._group(self.functions)

    def by_line(self) -> tuple[ProfileRow, ...]:
        """Return the costs of source lines, the most cycles first; one row for words without."""
        return self._group([str(line) if line else NO_FUNCTION for line in self.lines])

    def by_instruction(self) -> tuple[ProfileRow, ...]:
        """Return the costs of instruction words, the most cycles first."""
        return self._group([f"{address:08x}" for address in self.addresses])

    def _group(self, keys: Sequence[str]) -> tuple[ProfileRow, ...]:
        names = list(dict.fromkeys(keys))
        place = {name: number for number, name in enumerate(names)}
        of = np.array([place[key] for key in keys], dtype=np.int64)
        sums = np.zeros((len(names), len(self.parts) + 1), dtype=np.int64)
        energy = np.zeros(len(of), dtype=np.int64) if self.energy_fj is None else self.energy_fj
        np.add.at(sums, of, np.column_stack((*self.parts.values(), energy)))
        rows = []
        for name, (*cycles, energy_fj) in zip(names, sums.tolist(), strict=True):
            parts = {cause: n for cause, n in zip(self.parts, cycles, strict=True) if n}
            parked = parts.get("parked", 0)
            spent = sum(parts.values()) - parked
            fj = None if self.energy_fj is None else energy_fj
            rows.append(ProfileRow(name, parts.get("issue", 0), spent, parked, parts, fj))
        return tuple(sorted(rows, key=lambda row: (-row.cycles, -row.parked_cycles, row.name)))

    def by_library(self) -> dict[str, int]:
        """Return the cycles awake in library code by kind of computation, the most first.

        Kinds are soft float, wide integers and copies, with the functions that only these call.
        """
        return count_library_cycles(self.run, self.program)

    @classmethod
    def from_run(
        cls, run: Run, program: Program, architecture: Architecture, *, data: str | None = None
    ) -> RunProfile:
        """Compute the profile of a run.

        Args:
            run: the run.
            program: the program of the run.
            architecture: the machine of the run.
            data: operand values that the energy assumes; None: the default of its table.

        Raises:
            GnomonError: if this machine would run the program differently.
            AssertionError: if cycles or energy do not sum to those of the run; a defect of gnomon.
        """
        check_run_machine(run, architecture)
        hit = run.profile.spent
        addresses = list(map(run.profile.address, hit.tolist()))
        words = find_executed_words(run, architecture).tolist()
        functions = [program.function_name(address) for address in addresses]
        parts = {cause: values[:, hit].sum(axis=0) for cause, values in run.profile.parts.items()}
        boot = run.counters.get("boot", 0)
        total = int(sum(values.sum() for values in parts.values())) + boot
        if total != run.wall_cycles:
            raise AssertionError(f"the profile has {total} cycles, the run {run.wall_cycles}")
        energy, boot_energy, reason = None, None, ""
        try:
            whole = Energy.from_work(run.work, architecture, data=data)
            by_function = price_functions(run, program, architecture, data=data)
            kinds = find_executed_kinds(run, architecture)
            switched = price_words_fj(run, architecture)
            own = None if switched is None else np.rint(switched[hit]).astype(np.int64)
            energy = _divide_energy(whole, by_function, functions, kinds, parts, own)
            boot_energy = 0 if functions else _to_fj(whole)
        except GnomonError as error:
            reason = str(error)
        return cls(
            run, program, addresses, words, functions, source_lines(program, addresses), parts,
            boot, energy, reason, boot_energy,
        )  # fmt: skip


def _to_fj(energy: Energy) -> int:
    return round(energy.energy_uj.value * FJ_PER_UJ)


def _divide_energy(
    whole: Energy,
    by_function: dict[str, Energy],
    functions: list[str],
    kinds: list[str],
    parts: dict[str, Array],
    own: Array | None,
) -> Array:
    """Return the femtojoules of each word; they sum to the energy of the run, rounded once.

    ``own`` is the switching energy of each word in fJ, if a gate-level table prices it; the rest is
    divided by cycles. A run that ends before its first issue has no word.
    """
    if not functions:
        return np.zeros(0, dtype=np.int64)
    total_fj = _to_fj(whole)
    names = [name for name in dict.fromkeys(functions) if name in by_function]
    shares = np.array([_to_fj(by_function[name]) for name in names], dtype=np.int64)
    result = np.zeros(len(functions), dtype=np.int64)
    kind_of, of = np.array(kinds), np.array(functions)
    for name, share in zip(names, apportion(total_fj, shares).tolist(), strict=True):
        mine = np.flatnonzero(of == name)
        if own is not None:
            cycles = np.sum([v[mine] for v in parts.values()], axis=0)
            rest = max(share - int(own[mine].sum()), 0)
            result[mine] = apportion(share, own[mine] + apportion(rest, cycles))
            continue
        result[mine] = _divide_in_function(
            by_function[name], share, kind_of[mine], {c: v[mine] for c, v in parts.items()}
        )
    if int(result.sum()) != total_fj:
        raise AssertionError(f"the profile has {result.sum()} fJ, the run {total_fj} fJ")
    return result


def _divide_in_function(
    energy: Energy, share_fj: int, kinds: npt.NDArray[np.str_], parts: dict[str, Array]
) -> Array:
    cycles = np.sum(list(parts.values()), axis=0)
    slots = parts["issue"] + np.where(parts["trap"] > 0, 1, 0)
    waits = np.sum([part for name, part in parts.items() if name.startswith("wait.")], axis=0)
    by_event: dict[str, Array] = {
        Energy.RETRY: parts["retry.vcu"],
        Energy.WAITING: waits,
        Energy.IDLE: cycles,
    }
    amounts, weights = [], []
    switching = 0.0
    for event in energy.events:
        amounts.append(max(0, round(event.energy_uj * FJ_PER_UJ)))
        switching += event.energy_uj
        weight = by_event.get(event.event, np.where(kinds == event.event, slots, 0))
        weights.append(weight if weight.any() else cycles)
    amounts.append(max(0, round((energy.energy_uj.value - switching) * FJ_PER_UJ)))
    weights.append(cycles)
    result = np.zeros(len(kinds), dtype=np.int64)
    for amount, weight in zip(
        apportion(share_fj, np.array(amounts, dtype=np.int64)).tolist(), weights, strict=True
    ):
        result += apportion(amount, weight)
    return result
