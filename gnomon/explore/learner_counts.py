"""Event counts of a round of a learner: laws in its sizes, priced by any power table.

The rounds of a learner have phases that cost differently, such as explored and exploited ones. A
law gives the counts of each phase; how often each phase occurs follows from the learner's settings
and the horizon.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.base.interval import Interval
from gnomon.cost.energy import Energy, GateTable, PowerTable, load_table
from gnomon.explore.learner_terms import lanes_of, length, terms, terms_of
from gnomon.measure.learners import DEFAULT_FEATURES, find_embedded_learner
from gnomon.sim import BUSES, BusCount, VectorCount, Work

Rows: TypeAlias = "Iterable[Mapping[str, str]]"
Counts: TypeAlias = "Mapping[str, float]"

CYCLES: Final = "wall_cycles"
EXPLORED, EXPLOITED, SOLVED = "explored", "exploited", "solved"
"""Phases of epsilon-greedy; ``solved`` is the work per arm that an exploited round solves for."""
TURN, CHOSEN = "turn", "chosen"
"""Phases of a learner whose arms first take turns."""
_ROUNDS = 1_000_000  # priced at once, so that counts are whole numbers
_PER_ARM = re.compile(r"(?P<name>\w+) = (?P<times>[1-9][0-9]*) x arms")
_VECTOR = ("issued", "size_bytes", "narrow")


def counts_of(work: Work, share: float = 1.0) -> dict[str, float]:
    """Return the counts of a span by name, times ``share``; counts of 0 are left out."""
    found: dict[str, float] = {
        CYCLES: work.wall_cycles, "retries": work.retries, "waiting_cycles": work.waiting_cycles,
        **{f"parked {hart}": slots for hart, slots in enumerate(work.parked_slots)},
        **{f"issued {name}": count for name, count in work.instructions.items()},
    }  # fmt: skip
    for name, each in work.vector.items():
        found |= {f"vector {name} {part}": getattr(each, part) for part in _VECTOR}
    return {name: count * share for name, count in found.items() if count}


@dataclass(frozen=True, slots=True)
class Switching:
    """Switching on the buses in rounds of an implementation at one size, in each cycle.

    Attributes:
        machine: the machine that was measured.
        values: values by bus.
        toggles: bits in which consecutive values differ, by bus.
    """

    machine: str
    d: int
    arms: int
    values: Counts = field(repr=False)
    toggles: Counts = field(repr=False)

    def buses(self, cycles: int) -> dict[str, BusCount]:
        """Return the counts of so many cycles."""
        return {
            bus: BusCount(*(round(cycles * of.get(bus, 0.0)) for of in (self.values, self.toggles)))
            for bus in BUSES
        }


NO_SWITCHING: Final = Switching("", 0, 0, {}, {})


def work_of(counts: Counts, rounds: int = _ROUNDS, switching: Switching | None = None) -> Work:
    """Return the work of so many rounds with these mean counts; ``switching``: with buses."""

    def whole(name: str) -> int:
        return round(counts.get(name, 0.0) * rounds)

    words = [name.split() for name in counts]
    vector = {each[1] for each in words if each[0] == "vector"}
    harts = [int(each[1]) for each in words if each[0] == "parked"]
    return Work(
        whole(CYCLES),
        {each[1]: whole(" ".join(each)) for each in words if each[0] == "issued"},
        {name: VectorCount(*(whole(f"vector {name} {part}") for part in _VECTOR))
         for name in sorted(vector)},
        whole("retries"),
        tuple(whole(f"parked {hart}") for hart in range(max(harts, default=-1) + 1)),
        whole("waiting_cycles"),
        {} if switching is None else switching.buses(whole(CYCLES)),
    )  # fmt: skip


def energy_of(
    counts: Counts, machine: Architecture, power: str | None = None,
    measured: Sequence[Switching] = (),
) -> Interval:  # fmt: skip
    """Return the energy in µJ of a round with these counts, by a power table.

    A gate-level table prices the switching of measured sizes: the mean of their energies, with ends
    that contain the intervals of all of them. Other tables take dense operands or none.

    Args:
        counts: counts of a round.
        machine: the machine.
        power: name or path of the table; None: that of the machine.
        measured: switching of the implementation on this machine.

    Raises:
        GnomonError: if no table is found, or it does not price the counts.
    """
    named = power or machine.power
    table = None if named is None else load_table(named)
    if not isinstance(table, GateTable):
        data = "dense" if isinstance(table, PowerTable) else None
        found = Energy.from_work(work_of(counts), machine, power=power, data=data).energy_uj
        return found * (1 / _ROUNDS)
    if not measured:
        raise GnomonError(
            f"gate-level table {table.name} prices operand toggles, and none of this implementation"
            f" were measured on {machine.name}"
        )
    every = [
        Energy.from_work(work_of(counts, switching=each), machine, power=power).energy_uj
        for each in measured
    ]
    mean = sum(each.value for each in every) / len(every)
    ends = min(each.low for each in every), max(each.high for each in every)
    return Interval(mean, *ends, "µJ") * (1 / _ROUNDS)


def phase_shares(learner: str, settings: Mapping[str, int], arms: int, rounds: int) -> Counts:
    """Return how often each phase occurs per round, as a mean over the first ``rounds`` rounds.

    The keys ``exploring`` and ``turns`` of the learner's ``algorithm.yaml`` decide the phases.
    Other learners have one, with an empty name. ``settings``: macros, such as ``LEARNER_P``.

    Raises:
        GnomonError: if the learner does not exist, or its file is wrong.
    """
    about = find_embedded_learner(learner)
    if about.exploring:
        given = about.exploring
        return _exploring(settings.get(given.macro, given.per_arm * arms), arms, rounds)
    if about.turns:
        turns = min(rounds, about.turns * arms) / rounds
        return {TURN: turns, CHOSEN: 1.0 - turns}
    return {"": 1.0}


def _exploring(p: int, arms: int, rounds: int) -> Counts:
    """Return shares of epsilon-greedy: round t explores with the probability min(1, p / t).

    An exploited round solves for the arms explored since the last one: if each round explores with
    the probability e, their mean number is e / (1 - e + e / arms).
    """
    chance = np.minimum(1.0, p / np.arange(1, rounds + 1))
    later = chance[p:]
    explored = float(chance.sum())
    solved = float(((1.0 - later) * later / (1.0 - later + later / arms)).sum())
    return {EXPLORED: explored / rounds, EXPLOITED: 1.0 - explored / rounds,
            SOLVED: solved / rounds}  # fmt: skip


def count_terms(
    learner: str, phase: str, machine: str, family: str, settings: str, d: int, arms: int,
    split: str = "",
) -> dict[str, float]:  # fmt: skip
    """Return the terms of the counts of a phase, by name."""
    if terms_of(learner).context == "features":
        d = DEFAULT_FEATURES
    n, lanes = length(learner, settings, d, arms), lanes_of(machine, family)
    return terms(learner, phase or CYCLES, n, arms, lanes, split)


@dataclass(frozen=True, slots=True)
class CountLaw:
    """Law of the counts of an implementation on a family of machines.

    Attributes:
        split: split of the terms, see :func:`terms`.
        coefficients: by phase, count and term.
        error: e of the interval of cycles and energy, from value / exp(e) to value * exp(e).
    """

    learner: str
    variant: str
    family: str
    split: str
    coefficients: Mapping[str, Mapping[str, Mapping[str, float]]] = field(repr=False)
    error: float = 0.0

    def of_phase(
        self, phase: str, machine: str, settings: str, d: int, arms: int
    ) -> dict[str, float]:
        """Return the counts of a round of a phase."""
        there = count_terms(
            self.learner, phase, machine, self.family, settings, d, arms, self.split
        )
        return {
            name: sum(factors.get(term, 0.0) * x for term, x in there.items())
            for name, factors in self.coefficients.get(phase, {}).items()
        }

    def mean(
        self, machine: str, settings: str, chosen: Mapping[str, int], d: int, arms: int,
        rounds: int,
    ) -> dict[str, float]:  # fmt: skip
        """Return mean counts per round over the first ``rounds`` rounds.

        ``chosen``: macros that the policy chose, such as ``LEARNER_P``.

        Raises:
            GnomonError: if the learner has other phases than the law.
        """
        shares = phase_shares(self.learner, chosen, arms, rounds)
        if shares.keys() != self.coefficients.keys():
            raise GnomonError(
                f"the law of {self.learner} {self.variant} has the phases"
                f" {list(self.coefficients)}, its algorithm.yaml {list(shares)}: the keys exploring"
                " and turns of embedded must be those of the measured program"
            )
        found: dict[str, float] = {}
        for phase, share in shares.items():
            for name, count in self.of_phase(phase, machine, settings, d, arms).items():
                found[name] = found.get(name, 0.0) + share * count
        return found

    def widened(self, value: float) -> Interval:
        """Return a value that is proportional to the counts, with the interval of the law."""
        wide = math.exp(self.error)
        return Interval(value, value / wide, value * wide)


def read_count_laws(rows: Rows) -> dict[tuple[str, str, str], CountLaw]:
    """Return the laws of a table such as ``counts.csv``, by learner, variant and family."""
    found: dict[tuple[str, str, str], dict[str, dict[str, dict[str, float]]]] = {}
    heads: dict[tuple[str, str, str], tuple[str, float]] = {}
    for row in rows:
        key = (row["learner"], row["variant"], row["family"])
        heads[key] = row["split"], float(row["error"])
        words = (each.rpartition(":") for each in row["terms"].split())
        factors = {name: float(value) for name, _, value in words}
        found.setdefault(key, {}).setdefault(row["phase"], {})[row["count"]] = factors
    return {key: CountLaw(*key, heads[key][0], each, heads[key][1]) for key, each in found.items()}


def read_switching(rows: Rows) -> dict[tuple[str, str, str], tuple[Switching, ...]]:
    """Return the rows of ``switching.csv`` by learner, variant and family."""
    found: dict[tuple[str, str, str], list[Switching]] = {}
    for row in rows:
        values, toggles = dict[str, float](), dict[str, float]()
        for each in row["buses"].split():
            bus, *counts = each.split(":")
            values[bus], toggles[bus] = map(float, counts)
        key = (row["learner"], row["variant"], row["family"])
        one = Switching(row["machine"], int(row["d"]), int(row["arms"]), values, toggles)
        found.setdefault(key, []).append(one)
    return {key: tuple(each) for key, each in found.items()}


def macros_of(learner: str, chosen: str, arms: int) -> dict[str, int]:
    """Return the macros of a chosen setting such as ``p = 4 x arms`` that decide phases.

    Raises:
        GnomonError: if the learner has explored rounds, and the setting does not state their macro.
    """
    given = find_embedded_learner(learner).exploring
    if given is None or not chosen:
        return {}
    name = given.macro.removeprefix("LEARNER_").lower()
    match = _PER_ARM.fullmatch(chosen)
    if match is None or match["name"] != name:
        raise GnomonError(
            f"setting {chosen!r} of {learner} must be like '{name} = {given.per_arm} x arms'"
        )
    return {given.macro: int(match["times"]) * arms}
