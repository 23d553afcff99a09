"""The experiment ``ek-ucb``: regret and time of EK-UCB beside its rivals, and how exact it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.base.errors import known
from gnomon.base.kept import anew
from gnomon.learn._operations import operations_of
from gnomon.learn._trace import record
from gnomon.learn.kernel_ucb._ekucb import EfficientKernelUCB
from gnomon.learn.kernel_ucb._environment import actions, pair_rounds
from gnomon.learn.kernel_ucb._jobs import Job, JobResult, run_job
from gnomon.learn.kernel_ucb._kernels import gaussian
from gnomon.learn.kernel_ucb._kucb import KernelUCB
from gnomon.learn.kernel_ucb._play import play_pairs
from gnomon.learn.kernel_ucb._whitened import WhitenedKernelUCB

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.base.kept import Keep
    from gnomon.learn.kernels import Floats

SQUARES = ("chessboard", "step-diagonal")
LAMBDAS = (1.0, 10.0, 100.0)
BATCHES = (3.0, 10.0, 30.0)
_SMALL_BUDGET = (("budget", 1.0),)
_LIMITLESS = 1e9  # a budget with which every state is added


@dataclass(frozen=True, slots=True)
class KernelSize:
    """How large the experiment is.

    Attributes:
        jobs: the runs.
        checks: rounds of the exactness checks.
    """

    name: str
    jobs: tuple[Job, ...] = field(repr=False)
    checks: int


def _small() -> tuple[Job, ...]:
    jobs = []
    for environment in ("bump", *SQUARES):
        kinds = ("K-UCB", "EK-UCB", "EK-UCB history-free", "UCB1", "Random")
        jobs += [Job(environment, kind, 10.0, 500, 0) for kind in kinds]
        jobs.append(Job(environment, "LinUCB", 1.0, 500, 0))
    return tuple(jobs)


def _full() -> tuple[Job, ...]:
    jobs = []
    for seed in (0, 1, 2):
        for ridge in LAMBDAS:
            for kind in ("K-UCB", "EK-UCB", "EK-UCB whitened", "EK-UCB history-free"):
                jobs.append(Job("chessboard", kind, ridge, 2000, seed))
                jobs.append(Job("step-diagonal", kind, ridge, 1000, seed))
            for batch in BATCHES:
                jobs.append(Job("chessboard", "CBBKB", ridge, 2000, seed, (("batch", batch),)))
                jobs.append(Job("step-diagonal", "CBBKB", ridge, 1000, seed, (("batch", batch),)))
        for projection in LAMBDAS:
            settings = (("projection", projection), ("budget", 1.0))
            jobs.append(Job("bump", "EK-UCB", 10.0, 1000, seed, settings))
        jobs.append(Job("bump", "K-UCB", 10.0, 1000, seed))
        for environment, rounds in (("bump", 1000), ("chessboard", 2000), ("step-diagonal", 1000)):
            jobs += [Job(environment, kind, 10.0, rounds, seed) for kind in ("UCB1", "Random")]
            jobs.append(Job(environment, "LinUCB", 1.0, rounds, seed))
    for environment in ("bump", *SQUARES):
        for kind in ("K-UCB", "EK-UCB", "CBKB"):
            # On Bump the dictionary of a budget of lambda is all that was played.
            small = environment == "bump" and kind == "EK-UCB"
            jobs.append(Job(environment, kind, 10.0, 500, 0, _SMALL_BUDGET if small else ()))
        rounds = 2000 if environment == "chessboard" else 1000
        jobs += [
            Job(environment, "SupK-UCB", 10.0, rounds, 0, (("eta", eta),)) for eta in (0.1, 1.0)
        ]
    # The criteria of the small size hold here too; no run is made twice.
    return tuple(dict.fromkeys([*_small(), *jobs]))


KERNEL_SIZES = {
    "small": KernelSize("small", _small(), 500),
    "full": KernelSize("full", _full(), 500),
}


@dataclass(frozen=True, slots=True)
class Exactness:
    """How far matrices that are updated are from those computed at once, in one environment.

    Differences are relative to the largest element.

    Attributes:
        smallest_novelty: guard of the dictionary.
        inverse: of Lambda.
        kernel_inverse: of the inverse of K_ZZ.
        covariance: of P, whitened form.
        unequal: rounds in which the two forms chose differently.
        clamped: variances below 0 in either form.
    """

    environment: str
    smallest_novelty: float
    inverse: float
    kernel_inverse: float
    covariance: float
    unequal: int
    clamped: int


@dataclass(frozen=True, slots=True)
class KernelExperiment:
    """All results.

    Attributes:
        size: that was asked for.
        results: of the runs, in order.
        exactness: of both forms.
        whole: rounds of 300 on Bump in which EK-UCB with every state in its dictionary chose
            another arm than K-UCB, and the size of that dictionary.
        operations: arithmetic operations of one round after 500, by environment and learner.
    """

    size: KernelSize
    results: tuple[JobResult, ...]
    exactness: tuple[Exactness, ...]
    whole: tuple[int, int]
    operations: dict[tuple[str, str], int]


def find_kernel_size(name: str) -> KernelSize:
    """The size of this name.

    Raises:
        GnomonError: there is none.
    """
    return KERNEL_SIZES[known("size", name, KERNEL_SIZES)]


def kernel_steps(size: KernelSize) -> int:
    """How many times ``progress`` is called."""
    return len(size.jobs) + 1


def run_kernel(
    size: KernelSize, progress: Callable[[str], None] = lambda _: None, keep: Keep = anew
) -> KernelExperiment:
    """Run the experiment; all but the seconds is the same each time on the same machine.

    Args:
        size: what to run.
        progress: told what has been done.
        keep: makes each result, or takes it from where it is kept, its seconds as they were.
    """
    results = []
    for job in size.jobs:
        results.append(keep(run_job, job))
        progress(f"{job.environment}, {job.kind}, lambda {job.regularisation:g}")
    exactness = tuple(
        keep(_exactness, environment, novelty, size.checks)
        for environment in SQUARES
        for novelty in (1e-4, 1e-2)
    )
    operations = {
        (environment, kind.name): _operations(environment, kind, size.checks)
        for environment in SQUARES
        for kind in (KernelUCB, EfficientKernelUCB)
    }
    whole = keep(_whole)
    progress("exactness")
    return KernelExperiment(size, tuple(results), exactness, whole, operations)


def _exactness(environment: str, novelty: float, count: int) -> Exactness:
    rounds = pair_rounds(environment, count, 0)
    settings = {"actions": actions(), "dimensions": 1, "smallest_novelty": novelty}
    paper, whitened = EfficientKernelUCB(**settings), WhitenedKernelUCB(**settings)
    one, other = play_pairs(paper, rounds), play_pairs(whitened, rounds)
    ridge = paper.regularisation
    kernel = gaussian(paper.anchors, paper.anchors, paper.bandwidth)
    rows = gaussian(paper.anchors, paper.state["played"], paper.bandwidth)
    direct = np.linalg.inv(rows.T @ rows + ridge * kernel)
    factor = np.linalg.cholesky(gaussian(whitened.anchors, whitened.anchors, whitened.bandwidth))
    states = gaussian(whitened.anchors, whitened.state["played"], whitened.bandwidth)
    features = np.linalg.solve(factor, states.T)
    covariance = np.linalg.inv(features @ features.T + ridge * np.eye(len(factor)))
    return Exactness(
        environment=environment,
        smallest_novelty=novelty,
        inverse=_off(paper.inverse, direct),
        kernel_inverse=_off(paper.kernel_inverse, np.linalg.inv(kernel)),
        covariance=_off(whitened.covariance, covariance),
        unequal=int((one.arms != other.arms).sum()),
        clamped=paper.clamped_variances + whitened.clamped_variances,
    )


def _off(found: Floats, exact: np.ndarray[Any, Any]) -> float:
    return float(np.abs(found - exact).max() / np.abs(exact).max())


def _whole() -> tuple[int, int]:
    rounds = pair_rounds("bump", 300, 0)
    kernel = KernelUCB(actions=actions(), dimensions=5)
    projected = EfficientKernelUCB(
        actions=actions(), dimensions=5, budget=_LIMITLESS, smallest_novelty=0.0
    )
    one, other = play_pairs(kernel, rounds), play_pairs(projected, rounds)
    return int((one.arms != other.arms).sum()), other.anchors


def _operations(environment: str, kind: type[KernelUCB | EfficientKernelUCB], count: int) -> int:
    rounds = pair_rounds(environment, count + 1, 0)
    learner = kind(actions=actions(), dimensions=1)
    play_pairs(learner, rounds)
    with record() as trace:
        context = rounds.contexts[-1]
        learner.update(context, learner.select(context), 0.5)
    return operations_of(trace).arithmetic
