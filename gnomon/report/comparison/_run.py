"""Play all problems with all learners: regret on this computer, cost on each machine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError, known
from gnomon.base.interval import student_quantile
from gnomon.bench.fixedpoint import FORMAT_BITS
from gnomon.bench.learners import find_learner
from gnomon.cost.energy import join_work, quote
from gnomon.report.comparison._formats import FormatRegret, format_regrets, has_formats
from gnomon.report.comparison._kept import rounds_cost
from gnomon.report.comparison._learners import TITLES, reference_variant, settings_of
from gnomon.report.comparison._problems import PROBLEMS
from gnomon.report.comparison._regret import Entry, regrets_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gnomon.arch import Architecture
    from gnomon.bench.learners import Learner, LearnerVariant
    from gnomon.cost.energy import Energy
    from gnomon.report.comparison._kept import StageCost
    from gnomon.report.comparison._learners import Setting
    from gnomon.report.comparison._problems import Given, Problem

LEARNERS = tuple(map(find_learner, TITLES))
MACHINES = ("t13", "t13-simd4", "t13-paper-simd8")
_FIRST_TRAINING_SEED = 1001
_CONFIDENCE = 0.975  # two-sided 95 %


@dataclass(frozen=True, slots=True)
class Size:
    """How much is played.

    Attributes:
        name: ``small`` or ``full``.
        rounds: T of each run.
        training_seeds: runs in which the settings are chosen.
        seeds: runs of which the regret is.
        machine_seeds: of these, the first so many are played on the machines too.
        lines: code lines.
        format_bits: fraction bits of the formats that are compared.
    """

    name: str
    rounds: int
    training_seeds: int
    seeds: int
    machine_seeds: int
    lines: tuple[str, ...]
    format_bits: tuple[int, ...]


SIZES = (
    Size("small", 200, 2, 5, 1, ("tuned",), (10, 15, 20)),
    Size("full", 1000, 10, 40, 1, ("paper", "tuned"), FORMAT_BITS),
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over seeds with its 95 % interval (Student)."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Point:
    """One implementation in one problem on one machine.

    Attributes:
        problem: its name.
        machine: its name.
        learner: its name.
        line: code line.
        variant: which implementation.
        setting: title of the setting that was chosen.
        regret: over that of the uniform player; 0 is the best arm in every round.
        select_cycles: mean of a selection.
        update_cycles: mean of an update.
        slowest_select_cycles: the longest selection of all rounds.
        slowest_update_cycles: the longest update.
        time_us: mean of a decision: a selection and an update.
        select_uj: dynamic energy of a mean selection.
        update_uj: of a mean update.
        energy_uj: of a mean decision.
        low_uj: lower end of its interval.
        high_uj: upper end.
        extrapolated: its activity lies outside that of the points of the power table.
        model_bytes: what is kept from round to round.
        text_bytes: instructions, the loop over the rounds included.
    """

    problem: str
    machine: str
    learner: str
    line: str
    variant: str
    setting: str
    regret: Estimate
    select_cycles: float
    update_cycles: float
    slowest_select_cycles: int
    slowest_update_cycles: int
    time_us: float
    select_uj: float
    update_uj: float
    energy_uj: float
    low_uj: float
    high_uj: float
    extrapolated: bool
    model_bytes: int
    text_bytes: int


@dataclass(frozen=True, slots=True)
class Absence:
    """An implementation that a machine cannot run, and why."""

    machine: str
    learner: str
    line: str
    variant: str
    reason: str


@dataclass(frozen=True, slots=True)
class Trial:
    """A setting in the training runs of a problem: mean relative regret."""

    problem: str
    learner: str
    setting: str
    regret: float
    chosen: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """All results.

    Attributes:
        size: how much was played.
        problems: which, in order.
        machines: their names, in order.
        points: by problem, machine, learner, implementation.
        absences: what is not among them.
        trials: how settings were chosen.
        formats: regret in other formats.
        known: relative regret of one who knows the problem but not its hidden state, by problem.
    """

    size: Size
    problems: tuple[Problem, ...]
    machines: tuple[str, ...]
    points: tuple[Point, ...]
    absences: tuple[Absence, ...]
    trials: tuple[Trial, ...]
    formats: tuple[FormatRegret, ...]
    known: dict[str, Estimate] = field(default_factory=dict)


def find_size(name: str) -> Size:
    """The size of this name.

    Raises:
        GnomonError: there is none.
    """
    sizes = {size.name: size for size in SIZES}
    return sizes[known("size", name, sizes)]


def comparison_steps(
    size: Size,
    problems: Sequence[Problem] = PROBLEMS,
    learners: Sequence[Learner] = LEARNERS,
) -> int:
    """How many times ``progress`` is called."""
    return len(problems) * sum(len(_variants(learner, size)) for learner in learners)


def run_comparison(
    size: Size,
    progress: Callable[[str], None] = lambda _: None,
    *,
    problems: Sequence[Problem] = PROBLEMS,
    learners: Sequence[Learner] = LEARNERS,
    machines: Sequence[str] = MACHINES,
    fresh: bool = False,
) -> Comparison:
    """Play everything, or take runs of machines from the cache unless ``fresh``.

    See ``comparison_steps`` for the number of calls to ``progress``.

    Raises:
        CheckFailed: a machine did not do what this computer does.
        GnomonError: there is no such machine, no energy is known of it, something does not compile,
            or does not fit its memory.
    """
    loaded = [load_architecture(name) for name in machines]
    for machine in loaded:
        if machine.power is None:
            raise GnomonError(f"{machine.name} names no power table: its energy is not known")
    points: list[Point] = []
    absences: dict[Absence, None] = {}
    trials: list[Trial] = []
    formats: list[FormatRegret] = []
    known = {}
    for problem in problems:
        training = [
            problem.draw(size.rounds, _FIRST_TRAINING_SEED + at)
            for at in range(size.training_seeds)
        ]
        runs = [problem.draw(size.rounds, 1 + at) for at in range(size.seeds)]
        if runs[0].predicted is not None:
            known[problem.name] = mean_of([_of_prediction(run) for run in runs])
        found: list[tuple[int, Point]] = []
        for learner in learners:
            setting = _choose(learner, problem, training, trials)
            for variant in _variants(learner, size):
                entry = Entry(problem, learner, variant, setting)
                if has_formats(entry):
                    formats += format_regrets(entry, training, size.format_bits)
                for at, machine in enumerate(loaded):
                    refusal = _refusal(variant, machine)
                    if refusal:
                        absence = Absence(
                            machine.name, learner.name, variant.line, variant.name, refusal
                        )
                        absences.setdefault(absence)
                        continue
                    found.append((at, measure_point(entry, machine, runs, size, fresh=fresh)))
                progress(f"{problem.name}: {learner.name}")
        points += [point for _, point in sorted(found, key=lambda item: item[0])]
    return Comparison(
        size,
        tuple(problems),
        tuple(machine.name for machine in loaded),
        tuple(points),
        tuple(absences),
        tuple(trials),
        tuple(formats),
        known,
    )


def _variants(learner: Learner, size: Size) -> list[LearnerVariant]:
    return [variant for variant in learner.variants if variant.line in size.lines]


def _refusal(variant: LearnerVariant, machine: Architecture) -> str:
    if not variant.vector:
        return ""
    if machine.vcu is None:
        return "no vector unit"
    missing = [name for name in variant.extensions if name not in machine.vcu.extensions]
    return f"the vector unit lacks {', '.join(missing)}" if missing else ""


def _of_prediction(given: Given) -> float:
    assert given.predicted is not None
    return given.relative_regret(given.predicted.argmax(axis=1).astype(np.int32))


def _choose(
    learner: Learner, problem: Problem, training: Sequence[Given], trials: list[Trial]
) -> Setting:
    """The setting of the least mean regret in the training runs, the first of equals."""
    settings = settings_of(learner, problem)
    variant = reference_variant(learner)
    entries = [Entry(problem, learner, variant, setting) for setting in settings]
    means = [float(np.mean(regrets_of(entry, training))) for entry in entries]
    best = int(np.argmin(means))
    trials += [
        Trial(problem.name, learner.name, setting.title, mean, at == best)
        for at, (setting, mean) in enumerate(zip(settings, means, strict=True))
    ]
    return settings[best]


def mean_of(values: Sequence[float]) -> Estimate:
    """With its interval; that of one value is the value."""
    mean, count = float(np.mean(values)), len(values)
    if count < 2:
        return Estimate(mean, mean, mean)
    error = float(np.std(values, ddof=1)) / count**0.5
    half = student_quantile(_CONFIDENCE, count - 1) * error
    return Estimate(mean, mean - half, mean + half)


def measure_point(
    entry: Entry, machine: Architecture, runs: Sequence[Given], size: Size, *, fresh: bool
) -> Point:
    """Regret of all runs, and the cost of the first ones, played on the machine."""
    regrets = regrets_of(entry, runs, machine=machine)
    played = [
        rounds_cost(
            entry.learner,
            entry.built(size.rounds),
            machine,
            entry.sizes,
            entry.play(run),
            fresh=fresh,
        )
        for run in runs[: size.machine_seeds]
    ]
    decisions = size.rounds * len(played)
    selects, updates = ([each.select for each in played], [each.update for each in played])
    select, update, whole = (
        _energy(part, machine) for part in (selects, updates, [*selects, *updates])
    )
    both = whole.energy_uj * (1 / decisions)
    select_cycles, update_cycles = (
        sum(each.wall_cycles for each in part) / decisions for part in (selects, updates)
    )
    return Point(
        problem=entry.problem.name,
        machine=machine.name,
        learner=entry.learner.name,
        line=entry.variant.line,
        variant=entry.variant.name,
        setting=entry.setting.title,
        regret=mean_of(regrets),
        select_cycles=select_cycles,
        update_cycles=update_cycles,
        slowest_select_cycles=max(each.slowest_cycles for each in selects),
        slowest_update_cycles=max(each.slowest_cycles for each in updates),
        time_us=(select_cycles + update_cycles) * 1e6 / int(machine.clock),
        select_uj=select.energy_uj.value / decisions,
        update_uj=update.energy_uj.value / decisions,
        energy_uj=both.value,
        low_uj=both.low,
        high_uj=both.high,
        extrapolated=whole.extrapolated,
        model_bytes=played[0].model_bytes,
        text_bytes=played[0].text_bytes,
    )


def _energy(stages: Sequence[StageCost], machine: Architecture) -> Energy:
    """Dynamic energy of all of them."""
    quoted = quote(join_work([each.work for each in stages]), machine, data="dense")
    if quoted.energy is None:
        raise GnomonError(f"{machine.name}: no energy is known: {quoted.reason}")
    return quoted.energy
