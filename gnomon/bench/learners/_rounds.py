"""Play many rounds of an embedded learner on a machine, check every bit, and say what they cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.learners._build import build_learner
from gnomon.bench.learners._host import HostLearner
from gnomon.bench.learners._place import with_painted_stacks
from gnomon.bench.learners._program import check_words, run_learner, text_bytes
from gnomon.bench.words import with_all_words
from gnomon.sim import Region

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.bench.learners._learner import Learner, LearnerVariant
    from gnomon.bench.learners._sizes import Sizes
    from gnomon.bench.words import Words
    from gnomon.program import Program
    from gnomon.sim import RegionRun

_MAX_CYCLES = 200_000_000_000
_STAGES = ("select", "update")


@dataclass(frozen=True, slots=True)
class Play:
    """What a learner is given in many rounds, in fixed point.

    Attributes:
        contexts: (T, d).
        rewards: of every arm, (T, arms).
        features: of the arms, or None.
        alpha: weight of exploration; learners without one do not read it.
        fraction_bits: fractional bits (Q format) of all of them.
    """

    contexts: Words = field(repr=False)
    rewards: Words = field(repr=False)
    features: Words | None = field(repr=False)
    alpha: int
    fraction_bits: int

    def on(self, host: HostLearner) -> Words:
        """The arms that the host build plays, from a fresh model on, (T,)."""
        host.alpha = self.alpha
        if self.features is not None:
            host.features = self.features
        host.reset()
        return host.run(self.contexts, self.rewards).astype(np.int32)


@dataclass(frozen=True, slots=True)
class RoundsRun:
    """T selections and updates on one hart of a machine.

    Attributes:
        learner: its name.
        variant: which implementation.
        line: which implementation, paper or tuned.
        arch: the machine.
        clock_hz: its clock.
        rounds: T.
        arms: those played, (T,).
        select: all selections together.
        update: all updates together.
        model_bytes: what the learner keeps from step to step.
        text_bytes: instructions, the loop over the rounds included.
    """

    learner: str
    variant: str
    line: str
    arch: str
    clock_hz: int
    rounds: int
    arms: Words = field(repr=False)
    select: RegionRun
    update: RegionRun
    model_bytes: int
    text_bytes: int

    @property
    def stages(self) -> tuple[RegionRun, RegionRun]:
        """Selections and updates."""
        return (self.select, self.update)


def play_rounds(
    learner: Learner,
    variant: LearnerVariant,
    architecture: Architecture,
    sizes: Sizes,
    play: Play,
    *,
    program: Program | None = None,
) -> RoundsRun:
    """Play all rounds on a machine, from a fresh model on.

    ``program`` is from :func:`build_learner` with the same choices and ``rounds``, to build it only
    once.

    Raises:
        CheckFailed: the run does not end, or an arm or the model at the end differs from those that
            the same C gives on this computer.
        GnomonError: the machine cannot run it, or its memory is too small.
    """
    rounds = len(play.contexts)
    if program is None:
        program = build_learner(
            learner,
            variant,
            architecture,
            sizes,
            fraction_bits=play.fraction_bits,
            rounds=rounds,
        )
    host = HostLearner(variant, sizes, fraction_bits=play.fraction_bits, architecture=architecture)
    arms = play.on(host)
    title = f"{learner.name} {variant.name} on {architecture.name}"
    given = {"rounds_contexts": play.contexts, "rounds_rewards": play.rewards}
    if learner.has_alpha:
        given["learner_alpha"] = np.array([play.alpha], dtype=np.int32)
    if play.features is not None:
        given["learner_features"] = play.features
    run = run_learner(
        title,
        with_all_words(with_painted_stacks(program), given),
        architecture,
        harts=1,
        regions=[Region(name, program.symbol(f"learner_{name}").address) for name in _STAGES],
        max_cycles=_MAX_CYCLES,
    )
    expected = {
        "rounds_arms": ("rounds_arms", arms),
        "learner_model": ("learner_model", host.model),
    }
    check_words(title, program, architecture, run, expected)
    select, update = (run.regions[name][0] for name in _STAGES)
    return RoundsRun(
        learner=learner.name,
        variant=variant.name,
        line=variant.line,
        arch=architecture.name,
        clock_hz=int(architecture.clock),
        rounds=rounds,
        arms=arms,
        select=select,
        update=update,
        model_bytes=program.symbol("learner_model").size_bytes,
        text_bytes=text_bytes(program),
    )
