"""The same C on this computer: bit for bit what a machine computes, at native speed."""

import ctypes
import hashlib
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.bench.learners._learner import LearnerVariant, Sizes
from gnomon.bench.words import Words
from gnomon.program import build_host

_DEFAULT_VECTOR_MACHINE = "t13-paper-simd4"

OVERFLOW_KINDS = ("add", "subtract", "multiply", "divide", "divide by zero", "root of negative")
"""What ``HostLearner`` counts, in the order of ``paper_fixed.h``."""


class HostLearner:
    """An embedded learner to run many steps with; all numbers are fixed point.

    Attributes:
        sizes: its compile-time sizes.
        fraction_bits: fractional bits (Q format).
        fingerprint: SHA-256 of the compiled code: the same code computes the same.
    """

    OVERFLOW_KINDS: ClassVar = OVERFLOW_KINDS

    def __init__(
        self,
        variant: LearnerVariant,
        sizes: Sizes,
        *,
        fraction_bits: int = 15,
        count_overflows: bool = False,
        architecture: Architecture | None = None,
    ) -> None:
        """Compile it, or take it from the cache; a fresh model, everything else zero.

        A vector variant computes as the vector unit of ``architecture`` does, t13-paper-simd4 if
        none is given; a scalar one is the same for all machines.

        Raises:
            GnomonError: it does not compile for this computer, or it cannot count overflows.
        """
        if count_overflows and variant.vector:
            raise GnomonError(f"variant {variant.name} cannot count overflows: vectors wrap unseen")
        if not variant.vector:
            architecture = None
        elif architecture is None:
            architecture = load_architecture(_DEFAULT_VECTOR_MACHINE)
        self.sizes = sizes
        self.fraction_bits = fraction_bits
        defines = {**sizes.defines(), **variant.defines(), "FX_FRACTION_BITS": fraction_bits}
        if count_overflows:
            defines["PAPER_COUNT_OVERFLOWS"] = 1
        path = build_host(
            variant.paths("host_steps.c"),
            architecture=architecture,
            include=variant.include(),
            defines=defines,
        )
        self.fingerprint = hashlib.sha256(path.read_bytes()).hexdigest()
        self._library = _private_library(path)
        self._counts = count_overflows
        words = ctypes.c_uint32.in_dll(self._library, "learner_model_words").value
        place = self._library.learner_model_place
        place.restype = ctypes.POINTER(ctypes.c_int32)
        self._model = np.ctypeslib.as_array(place(), (words,))
        decide = "learner_decide" if hasattr(self._library, "learner_decide") else "learner_select"
        self._decide = getattr(self._library, decide)
        self._decide.restype = ctypes.c_uint32
        self._library.learner_update.restype = None
        self._library.host_steps.restype = None
        self._library.host_follow.restype = None
        self.reset()

    def _array(self, name: str, *shape: int) -> Words:
        cells = ctypes.c_int32 * int(np.prod(shape))
        return np.ctypeslib.as_array(cells.in_dll(self._library, name)).reshape(shape)

    @property
    def model(self) -> Words:
        """The whole state that it keeps from step to step."""
        return self._model.copy()

    @model.setter
    def model(self, words: Words) -> None:
        self._model[:] = words

    @property
    def context(self) -> Words:
        """The context of the next step, of shape (d,)."""
        return self._array("learner_context", self.sizes.d).copy()

    @context.setter
    def context(self, words: Words) -> None:
        self._array("learner_context", self.sizes.d)[:] = words

    @property
    def features(self) -> Words:
        """The features of the arms, of shape (arms, f), or (arms, d) where arms are fixed.

        Raises:
            GnomonError: this learner has none.
        """
        return self._features().copy()

    @features.setter
    def features(self, words: Words) -> None:
        self._features()[:] = words

    def _features(self) -> Words:
        if self.sizes.f is None:
            if not hasattr(self._library, "learner_features"):
                raise GnomonError("this learner has no features of arms")
            return self._array("learner_features", self.sizes.arms, self.sizes.d)
        return self._array("learner_features", self.sizes.arms, self.sizes.f)

    @property
    def alpha(self) -> int:
        """Weight of the confidence bound."""
        return ctypes.c_int32.in_dll(self._library, "learner_alpha").value

    @alpha.setter
    def alpha(self, word: int) -> None:
        ctypes.c_int32.in_dll(self._library, "learner_alpha").value = word

    @property
    def scores(self) -> Words:
        """The scores of the last selection, of shape (arms,)."""
        return self._array("learner_scores", self.sizes.arms).copy()

    def clear_scores(self) -> None:
        """All zero, as in a program that was just loaded: not every selection computes them."""
        self._array("learner_scores", self.sizes.arms)[:] = 0

    @property
    def overflows(self) -> int:
        """Operations so far whose exact result did not fit 32 bits, division by zero among them.

        Raises:
            GnomonError: the learner was not built to count them.
        """
        return sum(self.overflow_counts.values())

    @property
    def overflow_counts(self) -> dict[str, int]:
        """The same by kind, in the order of ``OVERFLOW_KINDS``.

        Raises:
            GnomonError: the learner was not built to count them.
        """
        if not self._counts:
            raise GnomonError("overflows are not counted (build with count_overflows=True)")
        cells = ctypes.c_uint64 * len(OVERFLOW_KINDS)
        counts = cells.in_dll(self._library, "paper_overflows")
        return dict(zip(OVERFLOW_KINDS, counts, strict=True))

    def reset(self) -> None:
        """Start with a fresh model."""
        self._library.learner_reset()

    def select(self) -> int:
        """The arm that is chosen for the context."""
        return int(self._decide(0))

    @property
    def gives_propensity(self) -> bool:
        """Built with ``LEARNER_PROPENSITY`` or ``LEARNER_PERTURB``."""
        return hasattr(self._library, "learner_propensity")

    @property
    def propensity(self) -> float:
        """Probability with which the last selection took its arm.

        Raises:
            GnomonError: it does not give it.
        """
        if not self.gives_propensity:
            raise GnomonError("propensities are not given (build with LEARNER_PROPENSITY=1)")
        return ctypes.c_uint32.in_dll(self._library, "learner_propensity").value / 2**31

    @staticmethod
    def random_words(count: int, seed: int = 1) -> npt.NDArray[np.int64]:
        """The first numbers of ``next_random`` of ``random.h`` after a reset, 0 to 2^32 - 1."""
        with np.errstate(over="ignore"):
            x = np.uint32(seed) + np.arange(1, count + 1, dtype=np.uint32) * np.uint32(0x9E3779B9)
            x = (x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D)
            x = (x ^ (x >> np.uint32(15))) * np.uint32(0x846CA68B)
        return (x ^ (x >> np.uint32(16))).astype(np.int64)

    def update(self, arm: int, reward: int) -> None:
        """Learn the reward of an arm under the context.

        Raises:
            GnomonError: there is no such arm.
        """
        if not 0 <= arm < self.sizes.arms:
            raise GnomonError(f"there is no arm {arm}: they are 0 to {self.sizes.arms - 1}")
        self._library.learner_update(ctypes.c_uint32(arm), ctypes.c_int32(reward))

    def run(self, contexts: Words, rewards: Words) -> npt.NDArray[np.uint32]:
        """Many steps: contexts of shape (steps, d), rewards of every arm (steps, arms).

        Returns the arms chosen, of shape (steps,).

        Raises:
            GnomonError: other shapes.
        """
        return self._played(self._library.host_steps, self._inputs(contexts, rewards))

    def follow(
        self, contexts: Words, rewards: Words, played: npt.NDArray[np.integer[Any]]
    ) -> npt.NDArray[np.uint32]:
        """As ``run``, but in every step the arm in ``played`` is learned, whatever is chosen.

        Returns the arms that it would have chosen, of shape (steps,).

        Raises:
            GnomonError: other shapes, or an arm that there is not.
        """
        inputs, steps = self._inputs(contexts, rewards), len(contexts)
        if played.shape != (steps,):
            raise GnomonError(f"played must have the shape ({steps},), not {played.shape}")
        if steps and not 0 <= int(played.min()) <= int(played.max()) < self.sizes.arms:
            raise GnomonError(f"played must be arms 0 to {self.sizes.arms - 1}")
        given = np.ascontiguousarray(played, dtype=np.uint32)
        return self._played(self._library.host_follow, [*inputs, given])

    def _played(self, function: Any, inputs: Sequence[npt.NDArray[Any]]) -> npt.NDArray[np.uint32]:
        """The arms that a function of the library writes, of as many steps as its inputs."""
        arms = np.zeros(len(inputs[0]), dtype=np.uint32)
        places = (ctypes.c_void_p(words.ctypes.data) for words in (*inputs, arms))
        function(ctypes.c_uint32(len(arms)), *places)
        return arms

    def _inputs(self, contexts: Words, rewards: Words) -> list[Words]:
        steps = len(contexts)
        expected = ((steps, self.sizes.d), (steps, self.sizes.arms))
        if (contexts.shape, rewards.shape) != expected:
            raise GnomonError(
                f"contexts and rewards must have the shapes {expected[0]} and {expected[1]},"
                f" not {contexts.shape} and {rewards.shape}"
            )
        return [np.ascontiguousarray(words, dtype=np.int32) for words in (contexts, rewards)]


def _private_library(path: Path) -> ctypes.CDLL:
    """Load a copy: a library that is loaded twice from one file has its variables once."""
    with tempfile.TemporaryDirectory(prefix="gnomon-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / path.name
        shutil.copyfile(path, copy)
        return ctypes.CDLL(str(copy))
