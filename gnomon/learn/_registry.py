"""All learners, by algorithm and variant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError, did_you_mean, known
from gnomon.learn._disjoint_corrected import DisjointLinUCBCorrected
from gnomon.learn._disjoint_optimised import DisjointLinUCBOptimised
from gnomon.learn._disjoint_standard import DisjointLinUCB
from gnomon.learn._hybrid_corrected import HybridLinUCBCorrected
from gnomon.learn._hybrid_optimised import HybridLinUCBOptimised
from gnomon.learn._hybrid_rank_one import HybridLinUCBRankOne
from gnomon.learn._hybrid_standard import HybridLinUCB
from gnomon.learn.ares import (
    AresFactorLearner,
    AresLearner,
    AresPLearner,
    DiscountedUcbLearner,
    PiesLearner,
    WindowLinUCBLearner,
    WindowUcbLearner,
)
from gnomon.learn.epsilon_greedy import (
    EpochGreedy,
    EpsilonGreedy,
    FixedEpsilonGreedy,
    LazyEpsilonGreedy,
    LinRel,
    RankOneEpsilonGreedy,
    Uniform,
)
from gnomon.learn.kernel_ucb import (
    UCB1,
    BatchKernelBandit,
    EfficientKernelUCB,
    HistoryFreeKernelUCB,
    KernelBandit,
    KernelUCB,
    SupKernelUCB,
    WhitenedKernelUCB,
)
from gnomon.learn.softucb import (
    IncrementalSoftUCB,
    LinEpsilonGreedy,
    LinThompson,
    Oful,
    OnlineSoftUCB,
    SoftUCB,
)

if TYPE_CHECKING:
    from gnomon.learn.learner import Learner

LEARNERS: dict[tuple[str, str], type[Learner]] = {
    (learner.name, learner.variant): learner
    for learner in (
        DisjointLinUCB,
        DisjointLinUCBOptimised,
        DisjointLinUCBCorrected,
        HybridLinUCB,
        HybridLinUCBOptimised,
        HybridLinUCBCorrected,
        HybridLinUCBRankOne,
        EpsilonGreedy,
        LazyEpsilonGreedy,
        RankOneEpsilonGreedy,
        FixedEpsilonGreedy,
        EpochGreedy,
        LinRel,
        Uniform,
        SoftUCB,
        IncrementalSoftUCB,
        OnlineSoftUCB,
        Oful,
        LinThompson,
        LinEpsilonGreedy,
        EfficientKernelUCB,
        WhitenedKernelUCB,
        HistoryFreeKernelUCB,
        KernelUCB,
        SupKernelUCB,
        KernelBandit,
        BatchKernelBandit,
        UCB1,
        AresLearner,
        AresPLearner,
        AresFactorLearner,
        PiesLearner,
        WindowLinUCBLearner,
        DiscountedUcbLearner,
        WindowUcbLearner,
    )
}


def find_learner(name: str, variant: str) -> type[Learner]:
    """The class of an algorithm and variant.

    Raises:
        GnomonError: there is none.
    """
    known("learner", name, dict.fromkeys(each for each, _ in LEARNERS))
    variants = [each for of, each in LEARNERS if of == name]
    if variant not in variants:
        raise GnomonError(
            f"learner {name} has no variant {variant!r}"
            f" (allowed: {', '.join(variants)}{did_you_mean(variant, variants)})"
        )
    return LEARNERS[name, variant]
