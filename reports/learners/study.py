"""``gnomon report learners``: all learners on the same problems, regret against energy.

Every implementation plays whole runs on every machine that can run it, checked bit by bit.
"""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import pandas as pd

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.base.result_cache import Keep, compute_uncached
from gnomon.cli.study import Pages, option, study_command
from gnomon.content.reports.embedded_learners.formats import FORMAT_BITS
from gnomon.measure import learners as bench
from gnomon.report.study import Keeps, Steps, StudyReport

from .entries import (
    energy_of,
    has_formats,
    known_regrets,
    missing_variants,
    played_on,
    refusal,
    regrets_by_seed,
    variants_of,
)
from .points import Comparison, ComparisonSize, Point, mean_of
from .problems import (
    FRACTION_BITS,
    PROBLEMS,
    TITLES,
    TRAINING_SEED,
    Entry,
    Problem,
    Setting,
    seeded_regrets,
    settings_of,
)

MACHINES = ("t13", "t13-simd4", "t13-paper-simd8")
_ALL_MACHINES = ",".join(MACHINES)
SIZES = {
    "small": ComparisonSize("small", 200, 2, 5, 1, ("tuned",), (10, 15, 20)),
    "full": ComparisonSize("full", 1000, 10, 100, 1, ("paper", "tuned"), FORMAT_BITS),
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
    progress.plan(len(problems) * sum(len(variants_of(learner, size)) for learner in chosen))
    points = list[Point]()
    trials, formats = (list[dict[str, Any]]() for _ in range(2))
    for problem in problems:
        own: list[Point] = []
        for learner in chosen:
            setting, rows = _try(learner, problem, size, keep)
            trials += rows
            for variant in variants_of(learner, size):
                entry = Entry(problem, learner, variant, setting)
                about = {"learner": learner.name, "line": variant.line, "variant": variant.name}
                if has_formats(variant):
                    for bits in size.format_bits:
                        regret = _mean_in_training(entry, size, keep, bits)
                        formats.append({"problem": problem.name, **about, "fraction_bits": bits,
                                        "regret": regret})  # fmt: skip
                own += [
                    measure_point(entry, name, size, keep)
                    for name, machine in loaded.items()
                    if not refusal(variant, machine)
                ]
                progress(f"{problem.name}: {learner.name}")
        points += sorted(own, key=lambda point: names.index(point.machine))
    tried, by_format = pd.DataFrame(trials), pd.DataFrame(formats)
    return Comparison(
        size, tuple(problems), names, tuple(points), missing_variants(learners, names, size),
        tried, by_format, known_regrets(problems, size),
    )  # fmt: skip


def _mean_in_training(entry: Entry, size: ComparisonSize, keep: Keep, bits: int) -> float:
    found = keep(seeded_regrets, entry.names, size.rounds, TRAINING_SEED,
                 size.training_seeds, fraction_bits=bits)  # fmt: skip
    return float(np.mean(found))


def _try(
    learner: bench.EmbeddedLearner, problem: Problem, size: ComparisonSize, keep: Keep
) -> tuple[Setting, list[dict[str, Any]]]:
    """Return the setting of least mean regret of the scalar variant in training, and all."""
    settings, variant = settings_of(learner, problem), learner.variant("optimized", "tuned")
    entries = [Entry(problem, learner, variant, setting) for setting in settings]
    means = [_mean_in_training(entry, size, keep, FRACTION_BITS) for entry in entries]
    best = int(np.argmin(means))
    return settings[best], [
        {"problem": problem.name, "learner": learner.name, "setting": setting.title,
         "regret": mean, "chosen": setting is settings[best]}
        for setting, mean in zip(settings, means, strict=True)
    ]  # fmt: skip


def measure_point(entry: Entry, arch: str, size: ComparisonSize, keep: Keep) -> Point:
    """Return regret of all runs, and the cost of the first ones, played on the machine."""
    machine = load_architecture(arch)
    played = played_on(entry, arch, size, size.machine_seeds, keep)
    decisions = size.rounds * len(played)
    parts = selects, updates = [each.select for each in played], [each.update for each in played]
    select, update, whole = (energy_of(part, machine) for part in (*parts, [*selects, *updates]))
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
        regret=mean_of(regrets_by_seed(entry, arch, size, 1, keep)),
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


Machines = Annotated[str, option("--arch NAME,...", "Machines with a power table.")]
_AGAIN = "Base of the fresh seeds on which the orders of the fronts are tested again."
SeedBase = Annotated[int, option("--seed-base N", _AGAIN)]
_ORDERS = "Measure no points; test the orders of the committed fronts again."
Orders = Annotated[bool, option("--orders", _ORDERS)]


def _run(
    size: ComparisonSize,
    progress: Steps,
    keeps: Keeps,
    *,
    arch: Machines = _ALL_MACHINES,
    seed_base: SeedBase = 500_000,
    orders: Orders = False,
    pages: Pages = False,
) -> StudyReport:
    from .orders import with_orders
    from .page import comparison_report
    from .results import committed, to_printed_digits
    from .saving import with_saving
    from .spread import with_spread

    if pages:
        return comparison_report(committed(SIZES["full"], seed_base), pages=True)
    used = TRAINING_SEED + size.training_seeds
    if seed_base < used:
        raise GnomonError(
            f"--seed-base must be {used} or more, not {seed_base}: settings or orders of the fronts"
            " are chosen by seeds before that"
        )
    keep = keeps.measuring
    if orders:
        found = committed(SIZES["full"], seed_base)
        return comparison_report(with_spread(with_orders(found, seed_base, keep), keep))
    machines = [name.strip() for name in arch.split(",")]
    found = to_printed_digits(run_comparison(size, progress, keep, machines=machines))
    return comparison_report(with_saving(with_spread(with_orders(found, seed_base, keep), keep)))


main = study_command(_run, SIZES, title="playing")
