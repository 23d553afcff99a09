"""All embedded learners by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.bench.learners._counts import (
    disjoint_corrected,
    disjoint_optimized,
    disjoint_standard,
    disjoint_vector,
    hybrid_corrected,
    hybrid_optimized,
    hybrid_standard,
    hybrid_vector,
)
from gnomon.bench.learners._learner import Learner, LearnerVariant

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.bench.learners._counts import StageCounts
    from gnomon.bench.learners._sizes import Sizes

    CountsBySizes = Callable[[Sizes], StageCounts]

_PAPER_COMMON = ("learner.c", "paper_divide.c", "paper_square_root.c")
_PAPER_PERIOD = 5000  # updates from one correction to the next, section 3.3.3


def _paper(
    source: str, name: str, counts: CountsBySizes, *, vector: bool = False, corrected: bool = False
) -> LearnerVariant:
    """A variant of the paper line, on the scalar core or on the vector unit.

    The corrected variants are the optimised ones with more compiled in.
    """
    return LearnerVariant(
        name=name,
        line="paper",
        sources=(f"linucb_{source}.c", *_PAPER_COMMON),
        vector=vector,
        counts=counts,
        extensions=("kdiv", "kps") if vector else (),
        fraction_bits=15 if vector else None,
        shares_arms=not vector,
        correction_period=_PAPER_PERIOD if corrected else None,
    )


def _tuned(source: str, name: str, *, vector: bool = False) -> LearnerVariant:
    """A variant of the tuned line; its counts hang on data."""
    return LearnerVariant(
        name=name,
        line="tuned",
        sources=(f"linucb_{source}.c", "harts.c"),
        vector=vector,
        counts=None,
        extensions=("kps",) if vector else (),
        fraction_bits=15,
        shares_arms=not vector,
        folder="tuned",
        parameters=(("LEARNER_SHARES_ARMS", 1),),
    )


_SOLVE = ("solve_positive/scalar.c", "fx_divide.c", "fx_sqrt.c")


def _epsilon_greedy(source: str, name: str, *kernels: str, vector: bool = False) -> LearnerVariant:
    """Epsilon-greedy of Bento et al.; what a step costs hangs on whether it explores."""
    return LearnerVariant(
        name=name,
        line="tuned",
        sources=(f"epsilon_greedy_{source}.c",),
        vector=vector,
        counts=None,
        shares_arms=False,
        folder="epsilon_greedy",
        kernels=(*_SOLVE, *kernels),
    )


_SOFTUCB_SCALAR = ("fx_divide.c", "fx_exp.c", "fx_log.c", "fx_sqrt.c")
_SOFTUCB_VECTOR = ("fx_divide.c", "fx_log.c", "fx_sqrt.c", "exp/vector.c")


def _softucb(
    source: str, name: str, *, vector: bool = False, online: bool = False
) -> LearnerVariant:
    """SoftUCB; how long the draw looks for its arm hangs on data."""
    return LearnerVariant(
        name=name,
        line="tuned",
        sources=(f"softucb_{source}.c",),
        vector=vector,
        counts=None,
        fraction_bits=15 if vector else None,
        shares_arms=False,
        folder="softucb",
        kernels=_SOFTUCB_VECTOR if vector else _SOFTUCB_SCALAR,
        parameters=(("LEARNER_ONLINE", 1),) if online else (),
    )


def _ares(source: str, name: str, *, vector: bool = False) -> LearnerVariant:
    """ARES-P; what a step costs hangs on the windows that are chosen."""
    return LearnerVariant(
        name=name,
        line="tuned",
        sources=(f"ares_{source}.c",),
        vector=vector,
        counts=None,
        fraction_bits=15 if vector else None,
        shares_arms=False,
        folder="ares",
        kernels=("fx_divide.c", "fx_sqrt.c"),
    )


def _kernel_ucb(source: str, name: str, *, vector: bool = False) -> LearnerVariant:
    """EK-UCB without a history; what a step costs hangs on the size of its dictionary."""
    return LearnerVariant(
        name=name,
        line="tuned",
        sources=(f"kernel_ucb_{source}.c",),
        vector=vector,
        counts=None,
        shares_arms=False,
        folder="kernel_ucb",
        kernels=("fx_divide.c", "fx_exp.c", "fx_sqrt.c"),
    )


LEARNERS: tuple[Learner, ...] = (
    Learner(
        name="linucb-disjoint",
        title="LinUCB with a model for each arm",
        has_features=False,
        alpha=0.5,
        variants=(
            _paper("disjoint_standard", "standard", disjoint_standard),
            _paper("disjoint_optimized", "optimized", disjoint_optimized),
            _paper("disjoint_optimized", "corrected", disjoint_corrected, corrected=True),
            _paper("disjoint_standard", "standard-vector", disjoint_vector, vector=True),
            _paper("disjoint_optimized", "optimized-vector", disjoint_vector, vector=True),
            _paper(
                "disjoint_optimized",
                "corrected-vector",
                disjoint_vector,
                vector=True,
                corrected=True,
            ),
            _tuned("disjoint_optimized", "optimized"),
            _tuned("disjoint_vector", "optimized-vector", vector=True),
        ),
    ),
    Learner(
        name="linucb-hybrid",
        title="LinUCB with a model for each arm and one for all",
        has_features=True,
        alpha=0.2,
        variants=(
            _paper("hybrid_standard", "standard", hybrid_standard),
            _paper("hybrid_optimized", "optimized", hybrid_optimized),
            _paper("hybrid_optimized", "corrected", hybrid_corrected, corrected=True),
            _paper("hybrid_standard", "standard-vector", hybrid_vector, vector=True),
            _paper("hybrid_optimized", "optimized-vector", hybrid_vector, vector=True),
            _paper(
                "hybrid_optimized", "corrected-vector", hybrid_vector, vector=True, corrected=True
            ),
            _tuned("hybrid_optimized", "optimized"),
            _tuned("hybrid_vector", "optimized-vector", vector=True),
        ),
    ),
    Learner(
        name="bento-epsilon-greedy",
        title="contextual epsilon-greedy, learning from explored steps alone",
        has_features=False,
        alpha=0.0,
        variants=(
            _epsilon_greedy("literal", "standard"),
            _epsilon_greedy("lazy", "optimized"),
            _epsilon_greedy("lazy_vector", "optimized-vector", "matvec/vector.c", vector=True),
        ),
        warm_steps=1000,
        has_alpha=False,
    ),
    Learner(
        name="softucb",
        title="SoftUCB: arms of fixed features, drawn by their upper bounds",
        has_features=False,
        alpha=0.7,
        variants=(
            _softucb("literal", "standard"),
            _softucb("optimized", "optimized"),
            _softucb("optimized", "online", online=True),
            _softucb("vector", "optimized-vector", vector=True),
            _softucb("vector", "online-vector", vector=True, online=True),
        ),
        fixed_arms=True,
    ),
    Learner(
        name="ares",
        title="ARES-P: regressions on windows of past contexts, chosen on line",
        has_features=False,
        alpha=0.0,
        variants=(
            _ares("windows", "standard"),
            _ares("chol", "optimized"),
            _ares("vector", "standard-vector", vector=True),
        ),
        warm_steps=300,
        has_alpha=False,
        late_context=True,
    ),
    Learner(
        name="ek-ucb",
        title="kernel UCB on a dictionary of bounded size, without a history",
        has_features=True,
        alpha=0.1 / 10**0.5,  # beta / sqrt(lambda)
        variants=(
            _kernel_ucb("scalar", "optimized"),
            _kernel_ucb("vector", "optimized-vector", vector=True),
        ),
        warm_steps=400,
    ),
)


def find_learner(name: str) -> Learner:
    """The learner called ``name``.

    Raises:
        GnomonError: there is none.
    """
    for learner in LEARNERS:
        if learner.name == name:
            return learner
    known = [learner.name for learner in LEARNERS]
    raise GnomonError(
        f"no learner is called {name!r} (allowed: {', '.join(known)}{did_you_mean(name, known)})"
    )
