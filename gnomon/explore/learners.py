"""Learners on devices, ranked by regret within limits or by the energy to reach a regret.

Regret, event counts and costs come from the tables in ``models/learners``, which ``gnomon report
choose --size full`` regenerates. A law predicts each of them with an interval.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from gnomon.arch import Architecture, load_architecture
from gnomon.base.content import content
from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.interval import Interval
from gnomon.base.tables import read_csv_table, shown_path
from gnomon.base.units import short_number
from gnomon.cost.energy import GateTable, load_table
from gnomon.explore.learner_costs import (
    FAMILIES,
    FEATURES,
    MODELED,
    QUANTITIES,
    WORDS,
    CostModel,
    read_cost_models,
)
from gnomon.explore.learner_counts import (
    CYCLES,
    NO_SWITCHING,
    CountLaw,
    Switching,
    energy_of,
    macros_of,
    read_count_laws,
    read_switching,
)
from gnomon.explore.learner_terms import terms_file, terms_of
from gnomon.explore.ranking import Candidate, Goal, Ranking
from gnomon.explore.regret_law import Conditions, RegretLaw, Rows, read_regret_laws
from gnomon.measure.learners import embedded_learners

_FILES: Final = ("costs.csv", "counts.csv.xz", "cells.csv", "regret.csv.xz", "laws.csv",
                 "switching.csv.xz")  # fmt: skip
_NO_LAW: Final = "no law was fitted to it"
_SURE: Final = 0.82
"""Share of an interval's half width below a limit at which a cost meets it: 1.645 of 2 errors."""


@dataclass(frozen=True)
class LearnerTables:
    """The tables that a ranking reads."""

    costs: tuple[CostModel, ...] = field(repr=False)
    counts: Mapping[tuple[str, str, str], CountLaw] = field(repr=False)
    regret: Mapping[tuple[str, str], RegretLaw] = field(repr=False)
    switching: Mapping[tuple[str, str, str], tuple[Switching, ...]] = field(repr=False)

    @classmethod
    def from_rows(
        cls, costs: Rows, counts: Rows, cells: Rows, regret: Rows, laws: Rows, switching: Rows
    ) -> "LearnerTables":
        """Read the tables of these rows."""
        return cls(
            tuple(read_cost_models(costs)), read_count_laws(counts),
            read_regret_laws(cells, regret, laws), read_switching(switching),
        )  # fmt: skip

    def find_switching(self, model: CostModel, machine: str) -> list[Switching]:
        """Return what was measured of an implementation; scalar code switches alike on all T13."""
        found = self.switching.get((model.learner, model.variant, model.family), ())
        return [each for each in found if model.family == "t13" or each.machine == machine]

    @classmethod
    def load(cls) -> "LearnerTables":
        """Read the tables of ``models/learners``.

        Raises:
            GnomonError: if a table is missing.
        """
        return cls.from_rows(*map(_table, _FILES))


def rank(
    machine: str,
    at: Conditions,
    limits: Mapping[str, float],
    *,
    target: float | None = None,
    context_blind: bool = False,
    power: str | None = None,
    tables: LearnerTables | None = None,
) -> Ranking:
    """Rank every implementation by expected regret, or by the expected energy to reach one.

    Ranked are implementations that build, whose costs meet all limits and the memories of the
    machine with about 95 % certainty, and near whose conditions regret was measured.

    Args:
        machine: name of the machine.
        at: conditions of the deployment; the horizon also limits the rounds to ``target``.
        limits: by the names of ``QUANTITIES``, time in µs.
        target: relative regret to reach with the least energy over the chance to reach it; None:
            rank by regret at the horizon.
        context_blind: whether learners that read no context are ranked, too.
        power: power table by name or path; None: that of the machine.
        tables: other tables than those of ``models/learners``.

    Raises:
        GnomonError: if a condition is invalid, the machine has no cost model, or a table is
            missing.
    """
    at.check()
    if target is not None and not 0 < target < 1:
        raise GnomonError(f"--regret must be between 0 and 1, not {target:g}")
    if machine not in FAMILIES["t13"]:
        raise GnomonError(
            f"no learner was measured on {machine}"
            f" {allowed_hint(machine, FAMILIES['t13'], 'measured')}"
        )
    tables = tables or LearnerTables.load()
    judge = _Judge(load_architecture(machine), at, limits, target, context_blind, power, tables)
    found = [
        judge.judged(model, settings)
        for model in tables.costs
        if machine in FAMILIES[model.family]
        for settings in model.settings
    ]
    found.sort(key=lambda item: item[0])
    keys = [key for key, _ in found]  # equal keys share a place
    ranked = tuple(
        replace(each, rank=0 if key[0] == _OUT else keys.index(key) + 1) for key, each in found
    )
    there = {model.learner for model in tables.costs}
    others = {
        each.name: terms_file().not_ranked.get(each.name, _NO_LAW)
        for each in sorted(embedded_learners(), key=lambda each: each.name)
        if each.name not in there
    }
    return Ranking(machine, at, target, ranked, judge.note(ranked), others, judge.energy_note)


_OUT: Final = 1
_UNIT = {"us": "µs", "uj": "µJ", "bytes": "B"}


@dataclass(frozen=True)
class _Judge:
    """One request for a ranking."""

    machine: Architecture
    at: Conditions
    limits: Mapping[str, float]
    target: float | None
    context_blind: bool
    power: str | None
    tables: LearnerTables

    @cached_property
    def _most(self) -> dict[str, tuple[float, str]]:
        """Limits with their origin: the memories of the machine are limits, too."""
        most = {name: (limit, "") for name, limit in self.limits.items()}
        for name, kind in (("ram_bytes", "data"), ("flash_bytes", "instruction")):
            size = float(getattr(self.machine.memory, kind).size)
            if size < self.limits.get(name, math.inf):
                most[name] = size, f", the {kind} memory of {self.machine.name}"
        return most

    @cached_property
    def _table(self) -> tuple[str, str]:
        """Kind and library of the power table, and why it prices nothing."""
        named = self.power or self.machine.power
        if named is None:
            return "", f"energy unavailable: {self.machine.name} names no power table"
        try:
            table = load_table(named)
            energy_of({CYCLES: 1.0}, self.machine, self.power, (NO_SWITCHING,))
        except GnomonError as error:
            return "", f"energy unavailable: {error}"
        return f"{table.kind}, {table.library}", ""

    @cached_property
    def _counts_operands(self) -> bool:
        """Whether the power table prices operand toggles, which must have been measured."""
        named = self.power or self.machine.power
        return named is not None and isinstance(load_table(named), GateTable)

    @property
    def energy_note(self) -> str:
        """Kind and library of energies, or why they are unavailable."""
        kind, why = self._table
        return kind or why

    def judged(self, model: CostModel, settings: str) -> tuple[tuple[int, float, float], Candidate]:
        """Return a candidate with its place in the order."""
        at, reasons = self.at, list[str]()
        blind = terms_of(model.learner).context == "features"
        law = self.tables.regret.get((model.learner, settings))
        why_not = law.why_not(at) if law else "its regret was not measured"
        near = law.nearest(at) if law and not why_not else None
        regret = law.predict(at) if law and not why_not else None
        chosen = law.setting(at) if law and not why_not else ""
        costs = self._costs(model, settings, chosen)
        state = self._check(costs, reasons)
        if model.refuses(settings, at.d, at.arms):
            state, reasons = _OUT, ["does not build at this size"]
        elif not model.builds(settings, at.d, at.arms):
            state = _OUT
            reasons.append("may not build: no size as large was built")
        if blind:
            reasons.append(f"reads no context, only {FEATURES} features of each arm")
            if not self.context_blind:
                state = _OUT
                reasons.append("--context-blind ranks it")
        if why_not:
            state = _OUT
            reasons.append(why_not)
        if regret and regret.low >= 1:
            reasons.append("no better than uniform sampling of arms: it learns nothing here")
        goal = None
        if law and regret and self.target is not None:
            goal = self._goal(law, model, settings, chosen)
        order = regret.value if regret else math.inf
        if goal:
            order, state = self._reaching(goal, state, reasons)
        second = costs["energy_uj"].value if "energy_uj" in costs else math.inf
        extrapolated = not model.within(settings, at.d, at.arms)
        return (state, order, second), Candidate(
            0, model.learner, model.variant, settings, chosen, regret, near, costs, goal, not blind,
            extrapolated, tuple(reasons),
        )  # fmt: skip

    def _costs(self, model: CostModel, settings: str, chosen: str) -> dict[str, Interval]:
        """Return all costs that are known."""
        at, machine = self.at, self.machine
        d = FEATURES if terms_of(model.learner).context == "features" else at.d
        costs = {name: model.cost(name, machine.name, settings, d, at.arms) for name in MODELED}
        costs["slowest_cycles"] = costs["slowest_cycles"] * (1e6 / int(machine.clock))
        return costs | self._per_round(model, settings, chosen, at.horizon)

    def _per_round(
        self, model: CostModel, settings: str, chosen: str, rounds: int
    ) -> dict[str, Interval]:
        """Return mean cycles and energy of a round, over so many rounds."""
        law = self.tables.counts.get((model.learner, model.variant, model.family))
        if law is None:
            return {}
        macros = macros_of(model.learner, chosen, self.at.arms)
        counts = law.mean(self.machine.name, settings, macros, self.at.d, self.at.arms, rounds)
        costs = {"cycles": law.widened(counts[CYCLES])}
        measured = self.tables.find_switching(model, self.machine.name)
        if not self._table[1] and (measured or not self._counts_operands):
            energy = energy_of(counts, self.machine, self.power, measured)
            wide = math.exp(law.error)
            costs["energy_uj"] = Interval(energy.value, energy.low / wide, energy.high * wide)
        return costs

    def _check(self, costs: Mapping[str, Interval], reasons: list[str]) -> int:
        """Return 0 if the costs meet the limits for sure, else ``_OUT``; add the reasons."""
        state = 0
        for name, (limit, whose) in self._most.items():
            unit = _UNIT[QUANTITIES[name]]
            if name not in costs:
                reasons.append(f"{WORDS[name]} unavailable, limit {limit:,.12g} {unit}")
                state = _OUT
                continue
            cost = costs[name]
            if cost.high <= limit:
                continue
            broken = cost.value > limit
            if cost.value * (cost.high / cost.value) ** _SURE > limit:
                state = _OUT
            reasons.append(
                f"{WORDS[name]} {short_number(cost.value)} {unit} ({short_number(cost.low)} to"
                f" {short_number(cost.high)}) {'is above' if broken else 'may be above'}"
                f" {limit:,.12g}{whose}"
            )
        return state

    def _goal(self, law: RegretLaw, model: CostModel, settings: str, chosen: str) -> Goal:
        """Return what the target takes, with the mean costs of the rounds that it takes."""
        assert self.target is not None
        to = law.rounds_to(self.target, self.at)
        if to.rounds is None:
            return Goal(self.target, to, None, None)
        costs = self._per_round(model, settings, chosen, to.rounds)
        cycles, energy = costs.get("cycles"), costs.get("energy_uj")
        time_us = cycles.value * to.rounds * 1e6 / int(self.machine.clock) if cycles else None
        whole = None
        if energy:
            high = math.inf if to.last is None else energy.high * to.last
            low = energy.low * (to.first or to.rounds)
            whole = Interval(energy.value * to.rounds, low, high)
        return Goal(self.target, to, time_us, whole)

    def _reaching(self, goal: Goal, state: int, reasons: list[str]) -> tuple[float, int]:
        """Return the place of a goal in the order, and the state of the candidate.

        The place is the energy, or else the time, over the chance that the target is reached.
        """
        if goal.to.rounds is None:
            reasons.append(f"does not reach regret {goal.target:g} in {self.at.horizon:,} rounds")
            return math.inf, _OUT
        if goal.to.last is None:
            reasons.append(
                f"may not reach regret {goal.target:g} in {self.at.horizon:,} rounds: the chance"
                f" that it does is {100 * goal.to.chance:.0f} %"
            )
        if goal.energy_uj:
            return goal.energy_uj.value / goal.to.chance, state
        if goal.time_us is None or not self._table[1]:
            unknown = "switching was" if goal.time_us else "cycles were"
            reasons.append(f"its {unknown} not measured")
            return math.inf, _OUT
        return goal.time_us / goal.to.chance, state

    def note(self, ranked: tuple[Candidate, ...]) -> str:
        """Return what the regret is based on, or why nothing is ranked."""
        laws = [
            law for each in ranked
            if (law := self.tables.regret.get((each.learner, each.settings))) and each.regret
        ]  # fmt: skip
        if not laws:
            reasons = {each.reasons[-1] for each in ranked if each.reasons}
            near = sorted(why for why in reasons if "measured" in why)
            return f"nothing is ranked: {near[0] if near else 'no regret was measured'}"
        cells = max(law.cells for law in laws)
        return (
            f"regret is predicted from {cells} measured cells for {self.at.horizon:,} rounds,"
            f" noise {self.at.noise:g}, {self.at.contexts} contexts; it is relative to uniform"
            " sampling of arms"
        )


def _table(name: str) -> Rows:
    path = content("models", "learners", name)
    if not path.is_file():
        raise GnomonError(
            f"table {shown_path(path)} is missing: `{terms_file().made_by}` writes it"
        )
    return (row.values for row in read_csv_table(path))
