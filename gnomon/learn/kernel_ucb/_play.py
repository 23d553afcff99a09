"""One learner in one environment: regret round by round, seconds, size of its dictionary."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import thread_time
from typing import TYPE_CHECKING

import numpy as np

from gnomon.learn._trace import unrecorded

if TYPE_CHECKING:
    from gnomon.learn.kernel_ucb._environment import PairRounds
    from gnomon.learn.kernels import Floats
    from gnomon.learn.learner import Learner

_AGENT_SEED = 123


@dataclass(frozen=True, slots=True)
class Played:
    """One run.

    Attributes:
        arms: played, (T).
        regrets: expected reward of the best action less that of the one played, (T).
        authors_regret: sum of the authors' best reward less the reward, as their code counts.
        seconds: of the processor in select and update so far, (T).
        anchors: size of the dictionary at the end; states for learners that keep all; 0: none.
    """

    arms: Floats = field(repr=False)
    regrets: Floats = field(repr=False)
    authors_regret: float
    seconds: Floats = field(repr=False)
    anchors: int

    @property
    def regret(self) -> float:
        """Of all rounds."""
        return float(self.regrets.sum())


def play_pairs(learner: Learner, rounds: PairRounds) -> Played:
    """Play all rounds after a first action that is drawn beforehand.

    The random numbers of the learner are those of the authors' agent: ``RandomState(123)``, which
    first draws that action.
    """
    state = np.random.RandomState(_AGENT_SEED)
    first = int(state.choice(learner.sizes.arms))
    if learner.generator is not None:
        bits = np.random.MT19937()
        bits.state = state.get_state(legacy=False)  # type: ignore[assignment]
        learner.generator = np.random.Generator(bits)
    count = len(rounds.noise)
    arms = np.zeros(count, dtype=np.int64)
    seconds = np.zeros(count)
    with unrecorded():
        learner.update(rounds.contexts[0], first, float(rounds.means[0, first] + rounds.noise[0]))
        for step in range(1, count):
            context = rounds.contexts[step]
            start = thread_time()
            arm = learner.select(context)
            chosen = thread_time() - start
            reward = float(rounds.means[step, arm] + rounds.noise[step])
            start = thread_time()
            learner.update(context, arm, reward)
            seconds[step] = chosen + thread_time() - start
            arms[step] = arm
    steps = np.arange(1, count)
    rewards = rounds.means[steps, arms[1:]] + rounds.noise[1:]
    return Played(
        arms=arms[1:].astype(np.float64),
        regrets=rounds.gaps[steps, arms[1:]],
        authors_regret=float((rounds.best[1:] - rewards).sum()),
        seconds=np.cumsum(seconds[1:]),
        anchors=_anchors(learner),
    )


def _anchors(learner: Learner) -> int:
    for name in ("anchors", "members", "rewards"):
        if name in learner.state:
            return len(learner.state[name])
    return 0
