"""What a step of each learner costs over a grid of sizes, measured; and sizes that are held out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.kept import Keep
from gnomon.bench.learners import LearnerBench, LearnerVariant, Play, Sizes, find_learner
from gnomon.cost.energy import Quote
from gnomon.explore.learners import FAMILIES, FEATURES
from gnomon.learn import Rounds
from gnomon.sim import Work

LEAST_D, MOST_D = 2, 32
LEAST_ARMS, MOST_ARMS = 2, 64
GRID_POINTS, GRID_SEED = 14, 1
MORE_POINTS, MORE_SEED = 100, 2  # an earlier held-out set, now learned from
HELD_OUT, HELD_OUT_SEED = 100, 3
# Laws that come next are judged once, on 100 sizes of seed 13; widths are from 200 others, seed 12.

_VECTOR = ("t13-simd", "t13-paper-simd")
_ROUNDS = {"bento-epsilon-greedy": 64, "ek-ucb": 80}
_FEW_ROUNDS = 48
_STEPS = 4  # of ARES-P, each after its turns and some rounds
_TURNS = 20  # of each arm of ARES-P before its first choice
_STACK_BYTES = 16384
_ROUNDS_OF_ARM = 3  # epsilon-greedy explores for two
_ROOM = "memory.data.size=4 MiB"  # the rounds are no part of a device; no cycle depends on it


@dataclass(frozen=True, slots=True)
class Implementation:
    """C of a learner with its settings, and the machines that run it alike.

    ``family``: a key of ``FAMILIES``. ``settings``: macros, as in ``algorithm.yaml``.
    """

    learner: str
    variant: str
    family: str
    settings: tuple[tuple[str, int], ...] = ()

    @property
    def said(self) -> str:
        """Its settings in a word."""
        return " ".join(f"{name}={value}" for name, value in self.settings)

    def built(self, arms: int) -> LearnerVariant:
        """The variant with its settings."""
        variant = find_learner(self.learner).variant(self.variant, "tuned")
        made = variant.with_parameters(**dict(self.settings))
        if self.learner == "bento-epsilon-greedy":  # so that most rounds are of what it has learned
            made = made.with_parameters(LEARNER_P=2 * arms)
        return made


def _implementations() -> Iterator[Implementation]:
    windows: dict[str, tuple[tuple[tuple[str, int], ...], ...]] = {
        "linucb-window": ((("LEARNER_WINDOW", 2),), (("LEARNER_WINDOW", 3),)),
        "ares": ((("LEARNER_WINDOWS", 2),),),
    }
    for learner, scalar, vector, families in (
        ("linucb-disjoint", "optimized", "optimized-vector", ("t13-paper-simd",)),
        ("linucb-window", "optimized", "optimized-vector", ("t13-paper-simd",)),
        ("linucb-hybrid", "optimized", "optimized-vector", ("t13-paper-simd",)),
        ("bento-epsilon-greedy", "optimized", "optimized-vector", _VECTOR),
        ("softucb", "optimized", "optimized-vector", _VECTOR),
        ("ares", "standard", "standard-vector", _VECTOR),
        ("ek-ucb", "optimized", "optimized-vector", _VECTOR),
    ):
        for settings in windows.get(learner, ((),)):
            yield Implementation(learner, scalar, "t13", settings)
            for family in families:
                yield Implementation(learner, vector, family, settings)


IMPLEMENTATIONS = tuple(_implementations())


@dataclass(frozen=True, slots=True)
class Sample:
    """One implementation at one size on one machine."""

    implementation: Implementation
    machine: str
    d: int
    arms: int


@dataclass(frozen=True, slots=True)
class Cost:
    """What it costs; ``refused``: why there is no run."""

    slowest_cycles: int = 0  # the slowest selection and the slowest update of the rounds
    energy_uj: float = 0.0  # dynamic, of a mean decision
    energy_spread: float = 0.0  # of the power table, a share
    ram_bytes: int = 0  # static data and the peak of the stack
    flash_bytes: int = 0  # instructions
    refused: str = field(default="")


def _drawn(rng: np.random.Generator) -> tuple[int, int]:
    """A size, each doubling as likely as another."""

    def one(low: int, high: int) -> int:
        return int(np.floor(np.exp(rng.uniform(np.log(low), np.log(high + 1)))))

    return one(LEAST_D, MOST_D), one(LEAST_ARMS, MOST_ARMS)


def grid() -> list[Sample]:
    """Corners and random sizes of every implementation, its machines in turn; and others."""
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
                continue  # one law in the length of a window: half of the sizes for each
            # A scalar program takes as long on every T13, which the held-out sizes check.
            machines = ("t13",) if each.family == "t13" else FAMILIES[each.family]
            samples.append(Sample(each, machines[(at + at // 4) % len(machines)], *size))
    return samples


def held_out() -> list[Sample]:
    """Implementation, machine and size drawn at random; none is of the grid."""
    return _others(HELD_OUT_SEED, HELD_OUT, set(grid()))


def _others(seed: int, count: int, known: set[Sample]) -> list[Sample]:
    """Not those of sizes that every implementation has, nor ``known`` ones."""
    rng, used = np.random.default_rng(seed), {(each.d, each.arms) for each in _design()}
    samples: list[Sample] = []
    while len(samples) < count:
        each = IMPLEMENTATIONS[rng.integers(len(IMPLEMENTATIONS))]
        machine = str(rng.choice(FAMILIES[each.family]))
        size = _drawn(rng)
        sample = Sample(each, machine, *size)
        if size not in used and sample not in known and sample not in samples:
            samples.append(sample)
    return samples


def measure(sample: Sample) -> Cost:
    """Play rounds on the machine; contract checks compare the bits of the same programs."""
    each, learner = sample.implementation, find_learner(sample.implementation.learner)
    machine = load_architecture(sample.machine, (_ROOM,))
    sizes = Sizes(sample.d, sample.arms, FEATURES if learner.has_features else None)
    rounds = max(_ROUNDS.get(learner.name, _FEW_ROUNDS), sample.arms * _ROUNDS_OF_ARM)
    variant = each.built(sample.arms)
    bench = LearnerBench(learner, variant, machine, sizes)
    try:
        if learner.name == "ares":
            return _of_steps(bench, _TURNS * sample.arms + 60)
        program = bench.build(rounds=rounds, stack_bytes=_STACK_BYTES)
        played = bench.play(_play(sample, rounds), program=program, checked=False)
        works, share = [played.select.work, played.update.work], 1 / rounds
        if learner.name == "ek-ucb":  # its dictionary grows at first: a step after that
            one = bench.build(stack_bytes=_STACK_BYTES)
            run = bench.measure(case="random", details=False, program=one)
            works, share = [stage.work for stage in run.stages], 1.0
    except CheckFailed:
        raise
    except GnomonError as error:
        return Cost(refused=str(error).strip().splitlines()[-1][:200])
    energy, spread = _energy(works, machine)
    return Cost(
        max(played.select.lengths) + max(played.update.lengths), energy * share, spread,
        played.static_bytes + played.stack_bytes, played.text_bytes,
    )  # fmt: skip


def _of_steps(bench: LearnerBench, warm_steps: int) -> Cost:
    """From single steps, where whole runs would be long: arms take turns for most of one."""
    program = bench.build(stack_bytes=_STACK_BYTES)
    runs = [
        bench.measure(
            case="random", details=False, program=program, seed=seed, warm_steps=warm_steps
        )
        for seed in range(_STEPS)
    ]
    works = [stage.work for run in runs for stage in run.stages]
    energy, spread = _energy(works, bench.architecture)
    return Cost(
        max(run.select.wall_cycles for run in runs) + max(run.update.wall_cycles for run in runs),
        energy / _STEPS, spread, runs[0].static_bytes + max(max(r.stack_bytes) for r in runs),
        runs[0].text_bytes,
    )  # fmt: skip


def _energy(works: Sequence[Work], machine: Architecture) -> tuple[float, float]:
    energy = Quote.of(Work.joined(works), machine, data="dense").energy
    if energy is None:
        return 0.0, 0.0
    uj = energy.energy_uj
    return uj.value, max(uj.high - uj.value, uj.value - uj.low) / uj.value


def _play(sample: Sample, rounds: int) -> Play:
    learner = find_learner(sample.implementation.learner)
    drawn = Rounds.linear(
        rounds=rounds, arms=sample.arms, dimensions=sample.d, features=FEATURES, seed=1
    )
    rewards, features = drawn.expected + drawn.noise[:, None], drawn.arm_features
    contexts = drawn.contexts
    if learner.fixed_arms:
        features = np.random.default_rng(1).uniform(-1, 1, (sample.arms, sample.d))
        features *= 0.999 / np.linalg.norm(features, axis=1, keepdims=True)
        contexts = np.zeros_like(contexts)
    shown = features if learner.fixed_arms or learner.has_features else None
    return Play.of(contexts, rewards, fraction_bits=15, features=shown, alpha=learner.alpha)


COLUMNS = (
    "learner", "variant", "settings", "family", "machine", "d", "arms", "slowest_cycles",
    "energy_uj", "energy_spread", "ram_bytes", "flash_bytes", "refused",
)  # fmt: skip


def table(samples: Sequence[Sample], keep: Keep, progress: Callable[[str], Any]) -> pd.DataFrame:
    """A row for each sample; sizes that a machine refuses have the reason."""
    rows = []
    for each in samples:
        made, cost = each.implementation, keep(measure, each)
        rows.append(
            (made.learner, made.variant, made.said, made.family, each.machine, each.d, each.arms,
             cost.slowest_cycles, float(f"{cost.energy_uj:.5g}"),
             float(f"{cost.energy_spread:.3g}"), cost.ram_bytes, cost.flash_bytes, cost.refused)
        )  # fmt: skip
        progress(f"{made.learner} {made.variant}: {each.d} x {each.arms}")
    return pd.DataFrame(rows, columns=list(COLUMNS))
