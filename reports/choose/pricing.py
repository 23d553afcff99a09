"""Event counts of rounds of a cell's first run, simulated on a machine from the host's state."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from gnomon.arch import load_architecture
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.content.reports.learners.problems import FRACTION_BITS, Entry, Setting
from gnomon.explore.learner_costs import FAMILIES
from gnomon.explore.learner_counts import (
    CHOSEN,
    CYCLES,
    EXPLOITED,
    EXPLORED,
    SOLVED,
    TURN,
    counts_of,
)
from gnomon.measure.learners import LearnerBench, ReferenceStep, next_step

from .cells import Cell
from .costs import IMPLEMENTATIONS
from .measuring import Implementation
from .playing import FIRST_SEED
from .policies import POLICIES, Policy

STRATA = 6
"""Equal parts of the horizon; one round of each is simulated."""
PLACES_SEED = 7
_STACK_BYTES = 16384


@dataclass(frozen=True, slots=True)
class Priced:
    """Counts of rounds of one implementation on one machine in a cell.

    Attributes:
        phases: by phase, the number of simulated rounds, and their mean counts by name.
        slowest_cycles: of the simulated rounds.
        ram_bytes: static data and the peak of the stack.
        refused: why it does not run there; empty: it does.
    """

    implementation: Implementation
    machine: str
    phases: tuple[tuple[str, int, tuple[tuple[str, float], ...]], ...] = field(default=())
    slowest_cycles: int = 0
    ram_bytes: int = 0
    flash_bytes: int = 0
    refused: str = ""

    def cycles(self, shares: dict[str, float]) -> float | None:
        """Return mean cycles per round with these shares of phases; None: a phase is missing."""
        known = {name: dict(counts)[CYCLES] for name, _, counts in self.phases}
        if any(share > 0 and name not in known for name, share in shares.items()):
            return None
        return sum(share * known.get(name, 0.0) for name, share in shares.items())


def policy_of(implementation: Implementation) -> Policy:
    """Return the policy that an implementation plays."""
    return next(
        each for each in POLICIES
        if (each.learner, each.settings) == (implementation.learner, implementation.said)
    )  # fmt: skip


def assigned(cell: Cell, share: int) -> list[tuple[Implementation, str]]:
    """Return every ``share``-th implementation with a machine, in turns over the cells."""
    found = []
    for at, each in enumerate(IMPLEMENTATIONS):
        if (at + cell.number) % share:
            continue
        machines = FAMILIES[each.family]
        turn = cell.number // share
        found.append((each, "t13" if each.family == "t13" else machines[turn % len(machines)]))
    return found


def price(cell: Cell, implementation: Implementation, machine: str, setting: Setting) -> Priced:
    """Simulate rounds of the run of seed ``FIRST_SEED``.

    Raises:
        CheckFailed: if an arm, a score or a word of the state differs from the host's.
    """
    entry = policy_of(implementation).entry(cell.problem, setting, implementation.variant)
    where, variant = load_architecture(machine), entry.built(cell.at.horizon)
    bench = LearnerBench(entry.learner, variant, where, entry.sizes, 1, FRACTION_BITS)
    try:
        program = bench.build(stack_bytes=_STACK_BYTES)
        steps = _steps(bench, cell, entry)
        runs = [bench.measure(program=program, step=step, details=False) for _, step in steps]
    except CheckFailed:
        raise
    except GnomonError as error:
        return Priced(implementation, machine, refused=str(error).strip().splitlines()[-1][:160])
    counts = [
        {name: a.get(name, 0.0) + b.get(name, 0.0) for name in a | b}
        for a, b in ([counts_of(stage.work) for stage in run.stages] for run in runs)
    ]
    return Priced(
        implementation, machine, _phases(entry, cell.at.arms, steps, counts),
        max(run.wall_cycles for run in runs),
        runs[0].static_bytes + max(max(run.stack_bytes) for run in runs), runs[0].text_bytes,
    )  # fmt: skip


def _steps(bench: LearnerBench, cell: Cell, entry: Entry) -> list[tuple[int, ReferenceStep]]:
    """Return one round of each stratum, and rounds in which phases begin, of the same run."""
    rounds = cell.at.horizon
    rng = np.random.default_rng((PLACES_SEED, cell.number))
    ends = np.linspace(0, rounds, STRATA + 1).astype(int)
    places = {int(rng.integers(a, b)) for a, b in pairwise(ends)}
    exploring = entry.learner.exploring
    p = dict(entry.setting.parameters).get(exploring.macro, 0) if exploring else 0
    begins = (1, *(range(p, p + 4) if p else ()))
    places |= {at for at in begins if at < rounds}
    play = entry.play(cell.draw(FIRST_SEED))
    host = bench.host()
    play.start(host)
    found, done = list[tuple[int, ReferenceStep]](), 0
    for at in sorted(places):
        host.run(play.contexts[done:at], play.rewards[done:at])
        found.append((at, next_step(host, play, at)))
        done = at + 1
    return found + _solving(bench, cell, entry, p, found) if exploring else found


def _solving(
    bench: LearnerBench, cell: Cell, entry: Entry, p: int,
    found: Sequence[tuple[int, ReferenceStep]],
) -> list[tuple[int, ReferenceStep]]:  # fmt: skip
    """Return a further exploited round if all solve for as many arms: their costs do not differ.

    The first such round from ``p`` on is taken.
    """
    d, arms = entry.sizes.d, cell.at.arms
    solved = {n for yes, n in (_explored(step, d, arms) for _, step in found) if not yes}
    if len(solved) != 1:
        return []
    play = entry.play(cell.draw(FIRST_SEED))
    host = bench.host()
    play.start(host)
    host.run(play.contexts[:p], play.rewards[:p])
    for at in range(p, cell.at.horizon):
        step = next_step(host, play, at)
        explores, n = _explored(step, d, arms)
        if not explores and n not in solved:
            return [(at, step)]
    return []


def _phases(
    entry: Entry, arms: int, steps: Sequence[tuple[int, ReferenceStep]],
    counts: Sequence[dict[str, float]],
) -> tuple[tuple[str, int, tuple[tuple[str, float], ...]], ...]:  # fmt: skip
    """Return mean counts by phase; solving for an arm is what an exploited round has on top."""
    turns = entry.learner.turns
    if entry.learner.exploring:
        d = entry.sizes.d
        marks = [_explored(step, d, arms) for _, step in steps]
        groups = {EXPLORED: [c for c, (yes, _) in zip(counts, marks, strict=True) if yes]}
        rest = [(c, n) for c, (yes, n) in zip(counts, marks, strict=True) if not yes]
        if len({n for _, n in rest}) > 1:
            exploited, solved = _line(rest)
            groups |= {EXPLOITED: [exploited] * len(rest), SOLVED: [solved] * len(rest)}
        elif rest and not rest[0][1]:
            groups[EXPLOITED] = [c for c, _ in rest]
    elif turns:
        groups = {
            name: [c for c, (at, _) in zip(counts, steps, strict=True)
                   if (at < turns * arms) == (name == TURN)]
            for name in (TURN, CHOSEN)
        }  # fmt: skip
    else:
        groups = {"": list(counts)}
    return tuple(
        (phase, len(own), tuple(sorted(_mean(own).items()))) for phase, own in groups.items() if own
    )


def _mean(counts: Sequence[dict[str, float]]) -> dict[str, float]:
    names = {name for each in counts for name in each}
    return {name: sum(each.get(name, 0.0) for each in counts) / len(counts) for name in names}


def _line(
    rest: Sequence[tuple[dict[str, float], int]],
) -> tuple[dict[str, float], dict[str, float]]:
    """Return counts of an exploited round and counts per solved arm, by least squares."""
    names = sorted({name for counts, _ in rest for name in counts})
    design = np.array([(1.0, solved) for _, solved in rest])
    values = np.array([[counts.get(name, 0.0) for name in names] for counts, _ in rest])
    base, slope = np.linalg.lstsq(design, values, rcond=None)[0]
    return (
        dict(zip(names, np.maximum(base, 0.0).tolist(), strict=True)),
        dict(zip(names, np.maximum(slope, 0.0).tolist(), strict=True)),
    )


def _explored(step: ReferenceStep, d: int, arms: int) -> tuple[bool, int]:
    """Return whether a round of epsilon-greedy explores, and for how many arms it solves.

    The state is that of ``epsilon_greedy.h``: three words (the last: exploring), the weights, then
    each arm with its last word ``dirty``.
    """
    assert step.model is not None
    size = d * (d + 1) // 2 + d + 3
    first = 3 + arms * d
    dirty = step.model[first:].reshape(arms, size)[:, -1]
    explores = bool(step.model_selected[2])
    return explores, 0 if explores else int((dirty != 0).sum())
