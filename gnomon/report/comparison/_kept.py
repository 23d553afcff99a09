"""Finished runs of machines, kept in the cache folder, so that a study that was stopped goes on."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import gnomon
from gnomon.base.digest import digest
from gnomon.base.kept import kept
from gnomon.bench.learners import build_learner, play_rounds
from gnomon.sim import NEVER_OBSERVED, Work, observed_fingerprint

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.bench.learners import Learner, LearnerVariant, Play, Sizes
    from gnomon.sim import RegionRun

_CODE = (
    "bench/learners/_place.py",
    "bench/learners/_rounds.py",
    "arch/dividers/*.py",
    "isa/*.py",
    "sim/*.py",
)
"""What decides a run beside its program, its input and its machine."""


@dataclass(frozen=True, slots=True)
class StageCost:
    """All selections, or all updates, of one run.

    Attributes:
        wall_cycles: of all.
        slowest_cycles: of the longest one.
        work: of all.
    """

    wall_cycles: int
    slowest_cycles: int
    work: Work = field(repr=False)


@dataclass(frozen=True, slots=True)
class RunCost:
    """One run on one machine, checked bit by bit."""

    select: StageCost
    update: StageCost
    model_bytes: int
    text_bytes: int


def rounds_cost(
    learner: Learner,
    variant: LearnerVariant,
    architecture: Architecture,
    sizes: Sizes,
    play: Play,
    *,
    fresh: bool = False,
) -> RunCost:
    """Play the rounds, or take what they cost from the cache unless ``fresh``; see ``play_rounds``.

    Raises:
        CheckFailed: the machine does not do what this computer does.
        GnomonError: the machine cannot run it, or the cache cannot be written.
    """
    program = build_learner(
        learner,
        variant,
        architecture,
        sizes,
        fraction_bits=play.fraction_bits,
        rounds=len(play.contexts),
    )

    def compute() -> RunCost:
        run = play_rounds(learner, variant, architecture, sizes, play, program=program)
        return RunCost(_stage(run.select), _stage(run.update), run.model_bytes, run.text_bytes)

    machine = observed_fingerprint(architecture, NEVER_OBSERVED)
    return kept("rounds", digest((_code(), program.elf, machine, play)), compute, fresh=fresh)


@cache
def _code() -> str:
    root = Path(gnomon.__file__).parent
    return digest([path.read_bytes() for each in _CODE for path in sorted(root.glob(each))])


def _stage(region: RegionRun) -> StageCost:
    return StageCost(region.wall_cycles, max(region.lengths), region.work)
