"""``gnomon report learners``: all learners on the same problems, regret against energy.

Every implementation plays whole runs on every machine that can run it, checked bit by bit.
"""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import pandas as pd

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.base.result_cache import Keep, compute_uncached
from gnomon.cli.study import option, study_command
from gnomon.content.reports.embedded_learners.formats import FORMAT_BITS
from gnomon.cost.energy import Energy, OptionalEnergy
from gnomon.measure import learners as bench
from gnomon.report.study import Keeps, Steps, StudyReport
from gnomon.sim import RegionRun, Work

from .points import Comparison, ComparisonSize, Point, mean_of
from .problems import PROBLEMS, TITLES, Entry, Given, Problem, Setting, regrets_of, settings_of

MACHINES = ("t13", "t13-simd4", "t13-paper-simd8")
_ALL_MACHINES = ",".join(MACHINES)
_FIRST_TRAINING_SEED = 1001

SIZES = {
    "small": ComparisonSize("small", 200, 2, 5, 1, ("tuned",), (10, 15, 20)),
    "full": ComparisonSize("full", 1000, 10, 40, 1, ("paper", "tuned"), FORMAT_BITS),
}


def run_comparison(
    size: ComparisonSize,
    progress: Steps | None = None,
    keep: Keep = compute_uncached,
    *,
    problems: Sequence[Problem] = PROBLEMS,
    learners: Sequence[str] = tuple(TITLES),
    machines: Sequence[str] = MACHINES,
) -> Comparison:
    """Play everything; runs of machines come from the cache if they are there."""
    progress = progress or Steps()
    loaded = {name: load_architecture(name) for name in machines}
    names = tuple(machine.name for machine in loaded.values())
    for machine in loaded.values():
        if machine.power is None:
            raise GnomonError(f"{machine.name} names no power table: its energy is not known")
    chosen = [bench.find_embedded_learner(name) for name in learners]
    progress.plan(len(problems) * sum(len(_variants(learner, size)) for learner in chosen))
    points, known = list[Point](), {}
    missing, trials, formats = (list[dict[str, Any]]() for _ in range(3))
    for problem in problems:
        training, runs = (
            [problem.draw(size.rounds, first + at) for at in range(count)]
            for first, count in ((_FIRST_TRAINING_SEED, size.training_seeds), (1, size.seeds))
        )
        predicted = [
            run.relative_regret(run.predicted.argmax(axis=1).astype(np.int32))
            for run in runs
            if run.predicted is not None
        ]
        if predicted:
            known[problem.name] = mean_of(predicted)
        own: list[Point] = []
        for learner in chosen:
            setting, rows = _try(learner, problem, training)
            trials += rows
            for variant in _variants(learner, size):
                entry = Entry(problem, learner, variant, setting)
                about = {"learner": learner.name, "line": variant.line, "variant": variant.name}
                if has_formats(variant):
                    for bits in size.format_bits:
                        regret = float(np.mean(regrets_of(entry, training, fraction_bits=bits)))
                        formats.append({"problem": problem.name, **about, "fraction_bits": bits,
                                        "regret": regret})  # fmt: skip
                for name, machine in loaded.items():
                    reason = _refusal(variant, machine)
                    if reason:
                        missing.append({"machine": machine.name, **about, "why": reason})
                    else:
                        own.append(measure_point(entry, name, runs, size, keep))
                progress(f"{problem.name}: {learner.name}")
        points += sorted(own, key=lambda point: names.index(point.machine))
    lacking, tried, by_format = (
        pd.DataFrame(of).drop_duplicates() for of in (missing, trials, formats)
    )
    found = tuple(points)
    return Comparison(size, tuple(problems), names, found, lacking, tried, by_format, known)


def _variants(learner: bench.EmbeddedLearner, size: ComparisonSize) -> list[bench.LearnerVariant]:
    return [variant for variant in learner.variants if variant.line in size.lines]


def has_formats(variant: bench.LearnerVariant) -> bool:
    """Return whether its formats are compared: scalar, any fraction bits, no corrections."""
    return not variant.vector and variant.fraction_bits is None and not variant.correction_period


def _refusal(variant: bench.LearnerVariant, machine: Architecture) -> str:
    if not variant.vector:
        return ""
    if machine.vcu is None:
        return "no vector unit"
    missing = [name for name in variant.extensions if name not in machine.vcu.extensions]
    return f"the vector unit lacks {', '.join(missing)}" if missing else ""


def _try(
    learner: bench.EmbeddedLearner, problem: Problem, training: Sequence[Given]
) -> tuple[Setting, list[dict[str, Any]]]:
    """Return the setting of least mean regret of the scalar variant in training, and all."""
    settings, variant = settings_of(learner, problem), learner.variant("optimized", "tuned")
    entries = (Entry(problem, learner, variant, setting) for setting in settings)
    means = [float(np.mean(regrets_of(entry, training))) for entry in entries]
    best = int(np.argmin(means))
    return settings[best], [
        {"problem": problem.name, "learner": learner.name, "setting": setting.title,
         "regret": mean, "chosen": setting is settings[best]}
        for setting, mean in zip(settings, means, strict=True)
    ]  # fmt: skip


def measure_point(
    entry: Entry, arch: str, runs: Sequence[Given], size: ComparisonSize, keep: Keep
) -> Point:
    """Return regret of all runs, and the cost of the first ones, played on the machine."""
    machine, variant = load_architecture(arch), entry.built(size.rounds)
    played = []
    for run in runs[: size.machine_seeds]:
        play = entry.play(run)
        on = bench.LearnerBench(entry.learner, variant, machine, entry.sizes, 1, play.fraction_bits)
        played.append(keep(bench.LearnerBench.play, on, play))
    decisions = size.rounds * len(played)
    parts = selects, updates = [each.select for each in played], [each.update for each in played]
    select, update, whole = (_energy(part, machine) for part in (*parts, [*selects, *updates]))
    select_cycles, update_cycles = (
        sum(each.wall_cycles for each in part) / decisions for part in parts
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


def _energy(stages: Sequence[RegionRun], machine: Architecture) -> Energy:
    quoted = OptionalEnergy.from_work(
        Work.joined([each.work for each in stages]), machine, data="dense"
    )
    if quoted.energy is None:
        raise GnomonError(f"{machine.name}: no energy is known: {quoted.reason}")
    return quoted.energy


Machines = Annotated[str, option("--arch NAME,...", "Machines with a power table.")]
_AGAIN = "Base of the fresh seeds on which the orders of the fronts are tested again."
SeedBase = Annotated[int, option("--seed-base N", _AGAIN)]


def _run(
    size: ComparisonSize,
    progress: Steps,
    keeps: Keeps,
    *,
    arch: Machines = _ALL_MACHINES,
    seed_base: SeedBase = 500_000,
) -> StudyReport:
    from .orders import with_orders
    from .page import comparison_report
    from .saving import with_saving

    used = _FIRST_TRAINING_SEED + size.training_seeds
    if seed_base < used:
        raise GnomonError(
            f"--seed-base must be {used} or more, not {seed_base}: settings or orders of the fronts"
            " are chosen by seeds before that"
        )
    machines = [name.strip() for name in arch.split(",")]
    found = run_comparison(size, progress, keeps.measuring, machines=machines)
    return comparison_report(with_saving(with_orders(found, seed_base)))


main = study_command(_run, SIZES, title="playing")
