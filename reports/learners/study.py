"""``gnomon report learners``: all learners on the same problems, regret against energy.

Every implementation plays whole runs on every machine that can run it, checked bit by bit.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
import pandas as pd

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.base.interval import Interval, student_quantile
from gnomon.base.kept import Keep, anew
from gnomon.base.options import option
from gnomon.bench import learners as bench
from gnomon.bench.learners import Sizes as LearnerSizes
from gnomon.content.reports.embedded_learners.formats import FORMAT_BITS
from gnomon.cost.energy import Energy, Quote
from gnomon.explore import Choice
from gnomon.report.study import Keeps, Steps, StudyReport, study_command
from gnomon.sim import RegionRun, Work

from .problems import PROBLEMS, TITLES, Entry, Given, Problem, regrets_of, settings_of

MACHINES = ("t13", "t13-simd4", "t13-paper-simd8")
_ALL_MACHINES = ",".join(MACHINES)
_FIRST_TRAINING_SEED = 1001
_CONFIDENCE = 0.975  # two-sided 95 %


@dataclass(frozen=True, slots=True)
class ComparisonSize:
    """How much is played."""

    name: str
    rounds: int  # T of each run
    training_seeds: int  # runs in which the settings are chosen
    seeds: int  # runs of which the regret is
    machine_seeds: int  # of these, the first so many are played on the machines too
    lines: tuple[str, ...]  # code lines
    format_bits: tuple[int, ...]  # fraction bits of the formats that are compared


SIZES = {
    "small": ComparisonSize("small", 200, 2, 5, 1, ("tuned",), (10, 15, 20)),
    "full": ComparisonSize("full", 1000, 10, 40, 1, ("paper", "tuned"), FORMAT_BITS),
}


@dataclass(frozen=True, slots=True)
class Point:
    """One implementation in one problem on one machine; a decision is a selection and an update."""

    problem: str
    machine: str
    learner: str
    line: str
    variant: str
    setting: str
    # over that of the uniform player; 0 is the best arm in every round; 95 % interval
    regret: Interval
    energy_uj: Interval  # dynamic energy of a decision
    select_uj: float
    update_uj: float
    time_us: float
    select_cycles: float  # mean of a selection, as are energies and times
    update_cycles: float
    slowest_select_cycles: int
    slowest_update_cycles: int
    model_bytes: int
    text_bytes: int  # instructions, the loop over the rounds included
    extrapolated: bool  # its activity lies outside that of the points of the power table

    @property
    def made(self) -> str:
        """Which implementation; of the tuned code, if nothing else is said."""
        return self.variant if self.line == "tuned" else f"{self.variant}, {self.line}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """All results."""

    size: ComparisonSize  # that was asked for
    problems: tuple[Problem, ...]  # that were played
    machines: tuple[str, ...]  # names
    points: tuple[Point, ...]  # implementations in problems on machines
    missing: pd.DataFrame  # implementations that a machine cannot run, and ``why``
    # mean relative ``regret`` of each ``setting`` in the training runs, and which one is ``chosen``
    trials: pd.DataFrame
    # mean relative ``regret`` of implementations by ``fraction_bits``, likewise
    formats: pd.DataFrame
    # relative regret of one who knows the problem but not its hidden state, by problem
    known: dict[str, Interval] = field(default_factory=dict)


def run_comparison(
    size: ComparisonSize,
    progress: Steps | None = None,
    keep: Keep = anew,
    *,
    problems: Sequence[Problem] = PROBLEMS,
    learners: Sequence[str] = tuple(TITLES),
    machines: Sequence[str] = MACHINES,
) -> Comparison:
    """Play everything; runs of machines are made, or taken from where they are kept."""
    progress = progress or Steps()
    loaded = {name: load_architecture(name) for name in machines}
    for machine in loaded.values():
        if machine.power is None:
            raise GnomonError(f"{machine.name} names no power table: its energy is not known")
    chosen = [bench.find_learner(name) for name in learners]
    progress.plan(len(problems) * sum(len(_variants(learner, size)) for learner in chosen))
    points: list[Point] = []
    missing: list[dict[str, Any]] = []
    trials: list[dict[str, Any]] = []
    formats: list[dict[str, Any]] = []
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
        for learner in chosen:
            tried = _try(learner, problem, training)
            trials += tried
            chosen_at = [each["chosen"] for each in tried].index(True)
            setting = settings_of(learner, problem)[chosen_at]
            for variant in _variants(learner, size):
                entry = Entry(problem, learner, variant, setting)
                about = {"learner": learner.name, "line": variant.line, "variant": variant.name}
                if has_formats(variant):
                    formats += [
                        {"problem": problem.name, **about, "fraction_bits": bits,
                         "regret": float(np.mean(regrets_of(entry, training, fraction_bits=bits)))}
                        for bits in size.format_bits
                    ]  # fmt: skip
                for at, (name, machine) in enumerate(loaded.items()):
                    reason = _refusal(variant, machine)
                    if reason:
                        missing.append({"machine": machine.name, **about, "why": reason})
                    else:
                        found.append((at, measure_point(entry, name, runs, size, keep)))
                progress(f"{problem.name}: {learner.name}")
        points += [point for _, point in sorted(found, key=lambda item: item[0])]
    names = tuple(machine.name for machine in loaded.values())
    tables = {"missing": missing, "trials": trials, "formats": formats}
    return Comparison(
        size, tuple(problems), names, tuple(points), known=known,
        **{name: pd.DataFrame(rows).drop_duplicates() for name, rows in tables.items()},
    )  # fmt: skip


def panels(points: Iterable[Point]) -> dict[tuple[str, str], list[Point]]:
    """Points by problem and machine, in order."""
    found: dict[tuple[str, str], list[Point]] = {}
    for point in points:
        found.setdefault((point.problem, point.machine), []).append(point)
    return found


def front(points: Sequence[Point]) -> list[Point]:
    """Those of one panel, or of a part of it, that no other beats, by energy.

    Of points that are equal in both, the first.
    """
    costs = np.array([(point.energy_uj.value, point.regret.value) for point in points])
    kept: dict[tuple[float, float], Point] = {}
    for place in Choice.front_of(costs.reshape(-1, 2)):
        kept.setdefault((float(costs[place, 0]), float(costs[place, 1])), points[place])
    return [kept[key] for key in sorted(kept)]


def _variants(learner: bench.Learner, size: ComparisonSize) -> list[bench.LearnerVariant]:
    return [variant for variant in learner.variants if variant.line in size.lines]


def has_formats(variant: bench.LearnerVariant) -> bool:
    """Whether it computes with any number of fraction bits; corrections are as without them."""
    return not variant.vector and variant.fraction_bits is None and not variant.correction_period


def _refusal(variant: bench.LearnerVariant, machine: Architecture) -> str:
    if not variant.vector:
        return ""
    if machine.vcu is None:
        return "no vector unit"
    missing = [name for name in variant.extensions if name not in machine.vcu.extensions]
    return f"the vector unit lacks {', '.join(missing)}" if missing else ""


def _of_prediction(given: Given) -> float:
    assert given.predicted is not None
    return given.relative_regret(given.predicted.argmax(axis=1).astype(np.int32))


def _try(
    learner: bench.Learner, problem: Problem, training: Sequence[Given]
) -> list[dict[str, Any]]:
    """All settings; chosen is that of the least mean regret of the scalar one in training runs."""
    settings = settings_of(learner, problem)
    variant = learner.variant("optimized", "tuned")
    entries = [Entry(problem, learner, variant, setting) for setting in settings]
    means = [float(np.mean(regrets_of(entry, training))) for entry in entries]
    best = int(np.argmin(means))
    return [
        {"problem": problem.name, "learner": learner.name, "setting": setting.title,
         "regret": mean, "chosen": at == best}
        for at, (setting, mean) in enumerate(zip(settings, means, strict=True))
    ]  # fmt: skip


def mean_of(values: Sequence[float]) -> Interval:
    """With its 95 % interval (Student); that of one value is the value."""
    mean, count = float(np.mean(values)), len(values)
    if count < 2:
        return Interval(mean, mean, mean)
    half = student_quantile(_CONFIDENCE, count - 1) * float(np.std(values, ddof=1)) / count**0.5
    return Interval(mean, mean - half, mean + half)


def measure_point(
    entry: Entry, arch: str, runs: Sequence[Given], size: ComparisonSize, keep: Keep
) -> Point:
    """Regret of all runs, and the cost of the first ones, played on the machine."""
    machine, variant = load_architecture(arch), entry.built(size.rounds)
    played = [
        keep(rounds_cost, entry.learner.name, variant, arch, entry.sizes, entry.play(run))
        for run in runs[: size.machine_seeds]
    ]
    decisions = size.rounds * len(played)
    selects, updates = ([each.select for each in played], [each.update for each in played])
    select, update, whole = (
        _energy(part, machine) for part in (selects, updates, [*selects, *updates])
    )
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
        regret=mean_of(regrets_of(entry, runs, machine=machine)),
        energy_uj=whole.energy_uj * (1 / decisions),
        select_uj=select.energy_uj.value / decisions,
        update_uj=update.energy_uj.value / decisions,
        time_us=(select_cycles + update_cycles) * 1e6 / int(machine.clock),
        select_cycles=select_cycles,
        update_cycles=update_cycles,
        slowest_select_cycles=max(max(each.lengths) for each in selects),
        slowest_update_cycles=max(max(each.lengths) for each in updates),
        model_bytes=played[0].model_bytes,
        text_bytes=played[0].text_bytes,
        extrapolated=whole.extrapolated,
    )


def rounds_cost(
    learner: str, variant: bench.LearnerVariant, machine: str, sizes: LearnerSizes, play: bench.Play
) -> bench.RoundsRun:
    """What the rounds cost on a machine; every bit is compared with this computer."""
    where, bits = load_architecture(machine), play.fraction_bits
    return bench.LearnerBench(bench.find_learner(learner), variant, where, sizes, 1, bits).play(
        play
    )


def _energy(stages: Sequence[RegionRun], machine: Architecture) -> Energy:
    """Dynamic energy of all of them."""
    quoted = Quote.of(Work.joined([each.work for each in stages]), machine, data="dense")
    if quoted.energy is None:
        raise GnomonError(f"{machine.name}: no energy is known: {quoted.reason}")
    return quoted.energy


Machines = Annotated[str, option("--arch NAME,...", "Machines with a power table.")]


def _run(
    size: ComparisonSize, progress: Steps, keeps: Keeps, *, arch: Machines = _ALL_MACHINES
) -> StudyReport:
    from .page import comparison_report

    machines = [name.strip() for name in arch.split(",")]
    return comparison_report(run_comparison(size, progress, keeps.measuring, machines=machines))


main = study_command(_run, SIZES, title="playing")
