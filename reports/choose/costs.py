"""The sizes whose costs are measured: a grid, others to widen intervals, and held-out sizes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from gnomon.explore.learner_costs import FAMILIES, FEATURES

from .measuring import Implementation, Sample, measure
from .working import Work

LEAST_D, MOST_D = 2, 32
LEAST_ARMS, MOST_ARMS = 2, 64
GRID_POINTS, GRID_SEED = 14, 1
MORE_SEED = 11  # fitted to, with the grid
CALIBRATION_SEED = 12  # widths of intervals are from these alone
HELD_OUT_SEED = 13  # judged once, after both

_EITHER = ("t13-simd", "t13-paper-simd")  # a vector program for each


@dataclass(frozen=True, slots=True)
class Block:
    """Implementations whose sizes are sampled together, so that later ones change no sample.

    Attributes:
        more: sampled sizes that models are fitted to, with the grid.
        calibration: sizes that decide the widths of intervals.
        held_out: sizes to judge the models.
    """

    implementations: tuple[Implementation, ...]
    more: int
    calibration: int
    held_out: int

    def grid(self) -> list[Sample]:
        """Return corners and random sizes of every implementation, machines in turn; and others."""
        return self._design() + self._others(MORE_SEED, self.more, set())

    def calibrating(self) -> list[Sample]:
        """Sample implementation, machine and size; none is of the grid."""
        return self._others(CALIBRATION_SEED, self.calibration, set(self.grid()))

    def judging(self) -> list[Sample]:
        """Sample held-out sizes in the same way; none is of the grid or of the calibration."""
        known = {*self.grid(), *self.calibrating()}
        return self._others(HELD_OUT_SEED, self.held_out, known)

    def _design(self) -> list[Sample]:
        samples = []
        for at, size in enumerate(_sizes()):
            for each in self.implementations:
                window = dict(each.settings).get("LEARNER_WINDOW", at)
                if each.learner == "linucb-window" and (at + window) % 2:
                    continue  # one model in the window length: half of the sizes for each
                # A scalar program takes as long on every T13, which the held-out sizes check.
                machines = ("t13",) if each.family == "t13" else FAMILIES[each.family]
                machine = machines[(at + at // 4) % len(machines)]
                samples.append(Sample(each, machine, *size, FEATURES))
        return samples

    def _others(self, seed: int, count: int, known: set[Sample]) -> list[Sample]:
        """Sample sizes that are neither in ``_design()`` nor in ``known``."""
        rng, used = np.random.default_rng(seed), set(_sizes())
        samples: list[Sample] = []
        while len(samples) < count:
            each = self.implementations[rng.integers(len(self.implementations))]
            machine = str(rng.choice(FAMILIES[each.family]))
            size = _drawn(rng)
            sample = Sample(each, machine, *size, FEATURES)
            if size not in used and sample not in known and sample not in samples:
                samples.append(sample)
        return samples


def _implementations(
    *rows: tuple[str, str, str, tuple[str, ...]],
) -> Iterator[Implementation]:
    windows: dict[str, tuple[tuple[tuple[str, int], ...], ...]] = {
        "linucb-window": ((("LEARNER_WINDOW", 2),), (("LEARNER_WINDOW", 3),)),
        "ares": ((("LEARNER_WINDOWS", 2),),),
    }
    for learner, scalar, vector, families in rows:
        for settings in windows.get(learner, ((),)):
            yield Implementation(learner, scalar, "t13", settings)
            for family in families:
                yield Implementation(learner, vector, family, settings)


BLOCKS: Final = (
    Block(tuple(_implementations(
        ("linucb-disjoint", "optimized", "optimized-vector", ("t13-paper-simd",)),
        ("linucb-window", "optimized", "optimized-vector", ("t13-paper-simd",)),
        ("linucb-hybrid", "optimized", "optimized-vector", ("t13-paper-simd",)),
        ("bento-epsilon-greedy", "optimized", "optimized-vector", ("simd",)),
        ("softucb", "optimized", "optimized-vector", _EITHER),
        ("ares", "standard", "standard-vector", _EITHER),
        ("ek-ucb", "optimized", "optimized-vector", ("simd",)),
    )), more=280, calibration=200, held_out=100),
    Block(tuple(_implementations(
        ("linucb-diagonal", "standard", "standard-vector", ("t13-paper-simd",)),
        ("linucb-discounted", "optimized", "optimized-vector", ("t13-paper-simd",)),
        ("lin-sgd", "standard", "standard-vector", ("simd",)),
    )), more=60, calibration=40, held_out=30),
)  # fmt: skip

IMPLEMENTATIONS = tuple(each for block in BLOCKS for each in block.implementations)


def _drawn(rng: np.random.Generator) -> tuple[int, int]:
    """Sample a size, each doubling with the same probability."""

    def one(low: int, high: int) -> int:
        return int(np.floor(np.exp(rng.uniform(np.log(low), np.log(high + 1)))))

    return one(LEAST_D, MOST_D), one(LEAST_ARMS, MOST_ARMS)


def _sizes() -> list[tuple[int, int]]:
    """Return the sizes of the grid: its corners and random ones."""
    rng = np.random.default_rng(GRID_SEED)
    sizes = [(d, arms) for d in (LEAST_D, MOST_D) for arms in (LEAST_ARMS, MOST_ARMS)]
    while len(sizes) < GRID_POINTS:
        drawn = _drawn(rng)
        if drawn not in sizes:
            sizes.append(drawn)
    return sizes


COLUMNS = (
    "learner", "variant", "settings", "family", "machine", "d", "arms", "slowest_cycles",
    "ram_bytes", "flash_bytes", "refused",
)  # fmt: skip


def _name(call: tuple[Any, ...]) -> str:
    sample: Sample = call[0]
    made = sample.implementation
    return f"{made.learner} {made.variant}, d {sample.d}, {sample.arms} arms"


def table(samples: Sequence[Sample], work: Work) -> pd.DataFrame | None:
    """Return a row for each sample, in order; sizes that a machine rejects have the reason.

    None: the time did not suffice.
    """
    found: dict[Sample, tuple[Any, ...]] = {}
    for (each,), cost in work.over(measure, [(each,) for each in samples], "costs of sizes", _name):
        if cost is None:
            return None
        made = each.implementation
        found[each] = (
            made.learner, made.variant, made.said, made.family, each.machine, each.d, each.arms,
            cost.slowest_cycles, cost.ram_bytes, cost.flash_bytes, cost.refused,
        )  # fmt: skip
    return pd.DataFrame([found[each] for each in samples], columns=list(COLUMNS))
