"""The sizes whose costs are measured: a grid, others to widen intervals, and held-out sizes."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from gnomon.base.result_cache import Keep
from gnomon.explore.learner_costs import FAMILIES, FEATURES

from .measuring import Implementation, Sample, measure

LEAST_D, MOST_D = 2, 32
LEAST_ARMS, MOST_ARMS = 2, 64
GRID_POINTS, GRID_SEED = 14, 1
MORE_POINTS, MORE_SEED = 280, 11  # fitted to, with the grid
CALIBRATION_POINTS, CALIBRATION_SEED = 200, 12  # widths of intervals are from these alone
HELD_OUT, HELD_OUT_SEED = 100, 13  # judged once, after both

_EITHER = ("t13-simd", "t13-paper-simd")  # a vector program for each


def _implementations() -> Iterator[Implementation]:
    windows: dict[str, tuple[tuple[tuple[str, int], ...], ...]] = {
        "linucb-window": ((("LEARNER_WINDOW", 2),), (("LEARNER_WINDOW", 3),)),
        "ares": ((("LEARNER_WINDOWS", 2),),),
    }
    for learner, scalar, vector, families in (
        ("linucb-disjoint", "optimized", "optimized-vector", ("t13-paper-simd",)),
        ("linucb-window", "optimized", "optimized-vector", ("t13-paper-simd",)),
        ("linucb-hybrid", "optimized", "optimized-vector", ("t13-paper-simd",)),
        ("bento-epsilon-greedy", "optimized", "optimized-vector", ("simd",)),
        ("softucb", "optimized", "optimized-vector", _EITHER),
        ("ares", "standard", "standard-vector", _EITHER),
        ("ek-ucb", "optimized", "optimized-vector", ("simd",)),
    ):
        for settings in windows.get(learner, ((),)):
            yield Implementation(learner, scalar, "t13", settings)
            for family in families:
                yield Implementation(learner, vector, family, settings)


IMPLEMENTATIONS = tuple(_implementations())


def _drawn(rng: np.random.Generator) -> tuple[int, int]:
    """Sample a size, each doubling with the same probability."""

    def one(low: int, high: int) -> int:
        return int(np.floor(np.exp(rng.uniform(np.log(low), np.log(high + 1)))))

    return one(LEAST_D, MOST_D), one(LEAST_ARMS, MOST_ARMS)


def grid() -> list[Sample]:
    """Return corners and random sizes of every implementation, its machines in turn; and others."""
    return _design() + _others(MORE_SEED, MORE_POINTS, set())


def _design() -> list[Sample]:
    rng = np.random.default_rng(GRID_SEED)
    sizes = [(d, arms) for d in (LEAST_D, MOST_D) for arms in (LEAST_ARMS, MOST_ARMS)]
    while len(sizes) < GRID_POINTS:
        drawn = _drawn(rng)
        if drawn not in sizes:
            sizes.append(drawn)
    samples = []
    for at, size in enumerate(sizes):
        for each in IMPLEMENTATIONS:
            if each.learner == "linucb-window" and (at + dict(each.settings)["LEARNER_WINDOW"]) % 2:
                continue  # one model in the window length: half of the sizes for each
            # A scalar program takes as long on every T13, which the held-out sizes check.
            machines = ("t13",) if each.family == "t13" else FAMILIES[each.family]
            samples.append(Sample(each, machines[(at + at // 4) % len(machines)], *size, FEATURES))
    return samples


def calibration() -> list[Sample]:
    """Sample implementation, machine and size; none is of the grid."""
    return _others(CALIBRATION_SEED, CALIBRATION_POINTS, set(grid()))


def held_out() -> list[Sample]:
    """Sample held-out sizes in the same way; none is of the grid or of the calibration."""
    return _others(HELD_OUT_SEED, HELD_OUT, {*grid(), *calibration()})


def _others(seed: int, count: int, known: set[Sample]) -> list[Sample]:
    """Sample sizes that are neither in ``_design()`` nor in ``known``."""
    rng, used = np.random.default_rng(seed), {(each.d, each.arms) for each in _design()}
    samples: list[Sample] = []
    while len(samples) < count:
        each = IMPLEMENTATIONS[rng.integers(len(IMPLEMENTATIONS))]
        machine = str(rng.choice(FAMILIES[each.family]))
        size = _drawn(rng)
        sample = Sample(each, machine, *size, FEATURES)
        if size not in used and sample not in known and sample not in samples:
            samples.append(sample)
    return samples


COLUMNS = (
    "learner", "variant", "settings", "family", "machine", "d", "arms", "slowest_cycles",
    "ram_bytes", "flash_bytes", "refused",
)  # fmt: skip


def table(samples: Sequence[Sample], keep: Keep, progress: Callable[[str], Any]) -> pd.DataFrame:
    """Return a row for each sample; sizes that a machine rejects have the reason."""
    rows = []
    for each in samples:
        made, cost = each.implementation, keep(measure, each)
        rows.append(
            (made.learner, made.variant, made.said, made.family, each.machine, each.d, each.arms,
             cost.slowest_cycles, cost.ram_bytes, cost.flash_bytes, cost.refused)
        )  # fmt: skip
        progress(f"{made.learner} {made.variant}: {each.d} x {each.arms}")
    return pd.DataFrame(rows, columns=list(COLUMNS))
