"""Runs of the experiment: regret and time of EK-UCB and its rivals, and their exactness."""

from dataclasses import asdict, dataclass, field
from functools import cache, partial
from time import thread_time
from typing import Any, cast

import numpy as np
import pandas as pd

from gnomon.base.result_cache import Keep, compute_uncached
from gnomon.content.algorithms.bento_epsilon_greedy.baselines import Uniform
from gnomon.content.algorithms.ek_ucb import baselines
from gnomon.content.algorithms.ek_ucb import learner as ek_ucb
from gnomon.content.algorithms.ek_ucb.pairs import Pairs, gaussian
from gnomon.content.algorithms.ucb1.learner import UCB1
from gnomon.learn import Learner, Trace, find_learner
from gnomon.learn.kernels import Floats
from gnomon.report.study import Steps

from .environment import PairRounds, actions, pair_rounds

SQUARES = ("chessboard", "step-diagonal")
ROUNDS = {"bump": 1000, "chessboard": 2000, "step-diagonal": 1000}
"""Of the long runs, by environment."""
LAMBDAS = (1.0, 10.0, 100.0)
BATCHES = (3.0, 10.0, 30.0)
RADIUS = 0.1
"""Beta of all methods, as in the authors' code; the paper says only that it is fixed."""

_SMALL_BUDGET = (("budget", 1.0),)
_LIMITLESS = 1e9  # budget that adds every state
_CHECKED_ROUNDS = 500
_AGENT_SEED = 123

KINDS: dict[str, type[Learner]] = {
    "K-UCB": baselines.KernelUCB,
    "EK-UCB": ek_ucb.EfficientKernelUCB,
    "EK-UCB whitened": ek_ucb.WhitenedKernelUCB,
    "EK-UCB history-free": ek_ucb.HistoryFreeKernelUCB,
    "CBKB": baselines.KernelBandit,
    "CBBKB": baselines.BatchKernelBandit,
    "SupK-UCB": baselines.SupKernelUCB,
    "LinUCB": find_learner("linucb-disjoint", "optimized"),
    "UCB1": UCB1,
    "Random": Uniform,
}


@dataclass(frozen=True, slots=True)
class Job:
    """One planned run."""

    environment: str  # its name
    kind: str  # of the learner, one of ``KINDS``
    regularisation: float  # lambda
    rounds: int  # T
    seed: int  # of the run
    settings: tuple[tuple[str, float], ...] = ()  # more of the learner, by name

    def learner(self) -> Learner:
        """Return an empty learner."""
        kind: Any = KINDS[self.kind]
        length = 5 if self.environment == "bump" else 1
        if issubclass(kind, Pairs):
            more: dict[str, Any] = dict(self.settings)
            if kind is baselines.SupKernelUCB:
                more["horizon"] = self.rounds
            more |= {"regularisation": self.regularisation, "beta": RADIUS}
            return cast("Learner", kind(actions=actions(), dimensions=length, **more))
        more = {}
        if self.kind == "LinUCB":  # contexts get a constant
            length += 1
            more = {"alpha": RADIUS, "regularisation": self.regularisation}
        elif self.kind == "UCB1":
            more = {"beta": RADIUS}
        return cast("Learner", kind(arms=10, dimensions=length, **more))


def in_words(**settings: float) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in settings.items())


def _small() -> tuple[Job, ...]:
    kinds = dict.fromkeys(("K-UCB", "EK-UCB", "EK-UCB history-free", "UCB1", "Random"), 10.0)
    return tuple(
        Job(environment, kind, ridge, 500, 0)
        for environment in ROUNDS
        for kind, ridge in (kinds | {"LinUCB": 1.0}).items()
    )


def _full() -> tuple[Job, ...]:
    jobs = []
    for seed in (0, 1, 2):
        for ridge in LAMBDAS:
            for kind in ("K-UCB", "EK-UCB", "EK-UCB whitened", "EK-UCB history-free"):
                jobs += [Job(each, kind, ridge, ROUNDS[each], seed) for each in SQUARES]
            for batch in BATCHES:
                settings: tuple[tuple[str, float], ...] = (("batch", batch),)
                jobs += [
                    Job(each, "CBBKB", ridge, ROUNDS[each], seed, settings) for each in SQUARES
                ]
        for projection in LAMBDAS:
            settings = (("projection", projection), ("budget", 1.0))
            jobs.append(Job("bump", "EK-UCB", 10.0, 1000, seed, settings))
        jobs.append(Job("bump", "K-UCB", 10.0, 1000, seed))
        for environment, rounds in ROUNDS.items():
            jobs += [Job(environment, kind, 10.0, rounds, seed) for kind in ("UCB1", "Random")]
            jobs.append(Job(environment, "LinUCB", 1.0, rounds, seed))
    for environment, rounds in ROUNDS.items():
        for kind in ("K-UCB", "EK-UCB", "CBKB"):
            # On Bump, the dictionary of a budget of lambda has all states played.
            small = environment == "bump" and kind == "EK-UCB"
            jobs.append(Job(environment, kind, 10.0, 500, 0, _SMALL_BUDGET if small else ()))
        etas = ((("eta", eta),) for eta in (0.1, 1.0))
        jobs += [Job(environment, "SupK-UCB", 10.0, rounds, 0, eta) for eta in etas]
    # The criteria of the small size apply here too; no run is repeated.
    return tuple(dict.fromkeys([*_small(), *jobs]))


SIZES = {"small": _small(), "full": _full()}
"""The runs."""


@dataclass(frozen=True, slots=True)
class KernelExperiment:
    """All results."""

    size: str  # the requested one
    results: pd.DataFrame  # of the runs, in order; see ``run_job``
    # distance of updated matrices from those computed at once, by ``environment`` and
    # guard of the dictionary, ``smallest_novelty``; see ``_exactness``
    exactness: pd.DataFrame
    # rounds of 300 on Bump in which EK-UCB with every state in its dictionary chose another arm
    # than K-UCB, and the size of that dictionary
    whole: tuple[int, int]
    # arithmetic operations of one round after 500, by environment and learner
    operations: dict[tuple[str, str], int]


def run_kernel(
    size: str, progress: Steps | None = None, keep: Keep = compute_uncached
) -> KernelExperiment:
    """Run one of ``SIZES``; cached results keep their seconds, all else is the same each time."""
    steps = progress or Steps()
    results = pd.DataFrame(
        steps.count(
            [
                f"{job.environment}, {job.kind}, lambda {job.regularisation:g}"
                for job in SIZES[size]
            ],
            keep.each(partial(run_job, job) for job in SIZES[size]),
        )
    )
    exactness = pd.DataFrame(
        keep.each(
            partial(_exactness, environment, novelty)
            for environment in SQUARES
            for novelty in (1e-4, 1e-2)
        )
    )
    operations = {
        (environment, kind.name): _operations(environment, kind)
        for environment in SQUARES
        for kind in (baselines.KernelUCB, ek_ucb.EfficientKernelUCB)
    }
    whole = keep(_whole)
    steps("exactness")
    return KernelExperiment(size, results, exactness, whole, operations)


@dataclass(frozen=True, slots=True)
class Played:
    """One run."""

    arms: Floats = field(repr=False)  # played, (T)
    # expected reward of the best action less that of the one played, (T)
    regrets: Floats = field(repr=False)
    authors_regret: float  # sum of the authors' best reward less the reward, as their code counts
    seconds: Floats = field(repr=False)  # of the processor in select and update so far, (T)
    anchors: int  # size of the dictionary at the end; states for learners that keep all; 0: none


def play_pairs(learner: Learner, rounds: PairRounds) -> Played:
    """Play all rounds after a first action that is sampled beforehand.

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
    with Trace.suspend():
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
    kept = (learner.state[each] for each in ("anchors", "rewards") if each in learner.state)
    return Played(
        arms=arms[1:].astype(np.float64),
        regrets=rounds.gaps[steps, arms[1:]],
        authors_regret=float((rounds.best[1:] - rewards).sum()),
        seconds=np.cumsum(seconds[1:]),
        anchors=len(learner.state.get("members", next(kept, ()))),
    )


_rounds = cache(pair_rounds)


def run_job(job: Job) -> dict[str, Any]:
    """Play one run.

    Returns:
        Settings, and ``regret`` against the best action of each context; ``authors_regret``: as
        their code counts, against the best value of the environment; ``anchors``: size of the
        dictionary, states for K-UCB; ``redraws`` of the dictionary, for CBKB and CBBKB;
        ``seconds`` of the processor, in select and update, so other programs do not count, and
        ``half_seconds``, of the first half of the rounds; ``clamped``: variances that rounding had
        left below 0; ``curve``: regret after each round, (T).
    """
    learner = job.learner()
    rounds = _rounds(job.environment, job.rounds, job.seed)
    if job.kind == "LinUCB":
        contexts = np.hstack([rounds.contexts, np.ones((len(rounds.contexts), 1))])
        rounds = PairRounds(rounds.name, contexts, rounds.means, rounds.noise, rounds.best)
    played = play_pairs(learner, rounds)
    return {
        **asdict(job),
        "settings": in_words(**dict(job.settings)),
        "regret": float(played.regrets.sum()),
        "authors_regret": played.authors_regret,
        "anchors": played.anchors,
        "redraws": learner.draws if isinstance(learner, baselines.BatchKernelBandit) else 0,
        "seconds": float(played.seconds[-1]),
        "half_seconds": float(played.seconds[len(played.seconds) // 2 - 1]),
        "clamped": learner.clamped_variances,
        "curve": np.cumsum(played.regrets),
    }


def _exactness(environment: str, novelty: float) -> dict[str, Any]:
    """Return differences relative to the largest element.

    Of ``inverse`` Lambda, ``kernel_inverse``, and P (``covariance``, whitened form); ``unequal``:
    rounds in which the two forms chose differently; ``clamped``: variances below 0 in either form.
    """
    rounds = pair_rounds(environment, _CHECKED_ROUNDS, 0)
    settings = {"actions": actions(), "dimensions": 1, "smallest_novelty": novelty}
    paper, whitened = ek_ucb.EfficientKernelUCB(**settings), ek_ucb.WhitenedKernelUCB(**settings)
    one, other = play_pairs(paper, rounds), play_pairs(whitened, rounds)
    ridge = paper.regularisation
    kernel = gaussian(paper.anchors, paper.anchors, paper.bandwidth)
    rows = gaussian(paper.anchors, paper.state["played"], paper.bandwidth)
    direct = np.linalg.inv(rows.T @ rows + ridge * kernel)
    factor = np.linalg.cholesky(gaussian(whitened.anchors, whitened.anchors, whitened.bandwidth))
    states = gaussian(whitened.anchors, whitened.state["played"], whitened.bandwidth)
    features = np.linalg.solve(factor, states.T)
    covariance = np.linalg.inv(features @ features.T + ridge * np.eye(len(factor)))
    return {
        "environment": environment,
        "smallest_novelty": novelty,
        "inverse": _off(paper.inverse, direct),
        "kernel_inverse": _off(paper.kernel_inverse, np.linalg.inv(kernel)),
        "covariance": _off(whitened.covariance, covariance),
        "unequal": int((one.arms != other.arms).sum()),
        "clamped": paper.clamped_variances + whitened.clamped_variances,
    }


def _off(found: Floats, exact: np.ndarray[Any, Any]) -> float:
    return float(np.abs(found - exact).max() / np.abs(exact).max())


def _whole() -> tuple[int, int]:
    rounds = pair_rounds("bump", 300, 0)
    kernel = baselines.KernelUCB(actions=actions(), dimensions=5)
    projected = ek_ucb.EfficientKernelUCB(
        actions=actions(), dimensions=5, budget=_LIMITLESS, smallest_novelty=0.0
    )
    one, other = play_pairs(kernel, rounds), play_pairs(projected, rounds)
    return int((one.arms != other.arms).sum()), other.anchors


def _operations(
    environment: str, kind: type[baselines.KernelUCB | ek_ucb.EfficientKernelUCB]
) -> int:
    rounds = pair_rounds(environment, _CHECKED_ROUNDS + 1, 0)
    learner = kind(actions=actions(), dimensions=1)
    play_pairs(learner, rounds)
    with Trace.record() as trace:
        context = rounds.contexts[-1]
        learner.update(context, learner.select(context), 0.5)
    return trace.operations().arithmetic
