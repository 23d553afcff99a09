"""The plan of the runs: new cells with few seeds first, then more seeds where needed."""

from collections.abc import Mapping
from dataclasses import dataclass

from gnomon.content.reports.learners.problems import Setting

from .cells import Cell
from .measuring import Implementation
from .playing import BATCH, Choice, Runs, Want, choose, most_seeds, play
from .policies import POLICIES, Policy
from .pricing import Priced, assigned, policy_of, price
from .tables import CellState, priced_rows
from .tally import HALF_WIDTH
from .working import Work

FIRST_BUDGET = 8e8
"""Multiplications of the runs of a policy in the first pass over the cells."""


@dataclass(frozen=True, slots=True)
class CellWork:
    """Work in a cell: settings to choose, seeds to play, and implementations to price."""

    cell: Cell
    known: tuple[tuple[Policy, Setting], ...]
    wants: tuple[Want, ...]
    pricing: tuple[tuple[Implementation, str], ...]

    def __str__(self) -> str:
        """Return the work in words."""
        at = self.cell.at
        seeds = max((each.first + each.count for each in self.wants), default=0)
        return (
            f"cell {self.cell.number} (d {at.d}, {at.arms} arms, {at.horizon:,} rounds):"
            f" {len(self.wants)} policies to {seeds} seeds, {len(self.pricing)} to price"
        )


@dataclass(frozen=True, slots=True)
class Grown:
    """Results of the work in a cell."""

    choices: tuple[Choice, ...]
    runs: tuple[Runs, ...]
    priced: tuple[Priced, ...]


def grow_cell(asked: CellWork) -> Grown:
    """Choose settings, play seeds and price implementations of a cell."""
    known = dict(asked.known)
    new = [each.policy for each in asked.wants if each.policy not in known]
    choices = choose(asked.cell, new) if new else ()
    known |= {each.policy: each.setting for each in choices if not each.skipped}
    runs = play(asked.cell, known, [each for each in asked.wants if each.policy in known])
    priced = tuple(
        price(asked.cell, each, machine, known[policy_of(each)])
        for each, machine in asked.pricing
        if policy_of(each) in known
    )
    return Grown(choices, runs, priced)


def passes(seeds: int, budget: float) -> list[tuple[int, float]]:
    """Return the limits of each pass over the cells; seeds and budgets double up to the largest."""
    found, at, most = list[tuple[int, float]](), BATCH, min(FIRST_BUDGET, budget)
    while at < seeds:
        found.append((at, most))
        at, most = 2 * at, min(2 * most, budget)
    return [*found, (seeds, budget)]


def find_work(state: CellState, seeds: int, budget: float, share: int) -> CellWork | None:
    """Return what a pass with these limits lacks in a cell; None: nothing."""
    wants = []
    for policy in POLICIES:
        tally, most = state.tally(policy), most_seeds(policy, state.cell, seeds, budget)
        if policy in state.skipped or tally.seeds >= most or tally.width <= HALF_WIDTH:
            continue
        wants.append(Want(policy, tally.seeds, most - tally.seeds))
    there = {each.policy for each in wants} | set(state.choices)
    done = state.implementations
    pricing = tuple(
        (each, machine)
        for each, machine in assigned(state.cell, share)
        if (each.learner, each.variant, each.said, each.family) not in done
        and policy_of(each) in there
    )
    if not wants and not pricing:
        return None
    known = tuple((policy, state.choices[policy]) for policy in POLICIES if policy in state.choices)
    return CellWork(state.cell, known, tuple(wants), pricing)


def add(state: CellState, found: Grown) -> None:
    """Add the results of the work in a cell to its state."""
    for choice in found.choices:
        if choice.skipped:
            state.skipped[choice.policy] = choice.skipped
        else:
            state.choices[choice.policy] = choice.setting
    for runs in found.runs:
        state.tallies[runs.policy] = state.tally(runs.policy).add(runs)
    for each in found.priced:
        chosen = state.choices[policy_of(each.implementation)].title
        state.priced += priced_rows(state.cell, each, chosen)


def grow(
    states: Mapping[int, CellState], seeds: int, budget: float, share: int, work: Work
) -> None:
    """Measure all cells in passes, as far as time allows.

    The first pass takes the cells in order, whose prefixes fill the space; later ones start where
    the interval of a mean is widest relative to it.
    """
    for at, (most, limit) in enumerate(passes(seeds, budget)):
        order = list(states.values())
        if at:
            order.sort(key=lambda state: (-_widest(state), state.cell.number))
        calls = [(asked,) for state in order if (asked := find_work(state, most, limit, share))]
        title = f"pass {at + 1} of the cells, up to {most} seeds"
        is_complete = True
        for (asked,), found in work.over(grow_cell, calls, title, lambda call: str(call[0])):
            if found is None:
                is_complete = False
            else:
                add(states[asked.cell.number], found)
        if not is_complete:
            return


def _widest(state: CellState) -> float:
    return max((each.width for each in state.tallies.values()), default=float("inf"))
