"""Learners in C on the host: bit for bit as on a machine, at native speed."""

import hashlib
from collections.abc import Sequence
from functools import partial
from mmap import mmap
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.base.isolation import IsolatedObject, SubprocessCrashError
from gnomon.learn.draws import random_words
from gnomon.measure.failures import crash_error, function_error
from gnomon.measure.learners._learner import EmbeddedSizes, LearnerVariant
from gnomon.measure.learners._library import MODEL, LearnerLibrary
from gnomon.measure.memory_words import Words
from gnomon.program import build_host

_DEFAULT_VECTOR_MACHINE = "t13-paper-simd4"
_SHARED_BYTES: Final = 4 << 20
_PLACE_WORDS: Final = 2

OVERFLOW_KINDS = ("add", "subtract", "multiply", "divide", "divide by zero", "root of negative")
"""Overflows that ``HostLearner`` counts, in the order of ``paper_fixed.h``."""


class HostLearner:
    """Embedded learner for many steps; all numbers are fixed point.

    Its C code runs in its own process. If the process ends, or chooses an arm that does not exist,
    the calling method raises ``CheckFailed``.

    Attributes:
        sizes: its compile-time sizes.
        fraction_bits: fractional bits (Q format).
        fingerprint: SHA-256 of the compiled code; equal code computes equal results.
    """

    OVERFLOW_KINDS: ClassVar = OVERFLOW_KINDS

    def __init__(
        self,
        variant: LearnerVariant,
        sizes: EmbeddedSizes,
        *,
        fraction_bits: int = 15,
        count_overflows: bool = False,
        architecture: Architecture | None = None,
    ) -> None:
        """Compile the learner, or load it from the cache, with a fresh model and zeros elsewhere.

        A vector variant computes like the vector unit of ``architecture``, by default that of
        t13-paper-simd4. A scalar variant computes the same for all machines.

        Raises:
            GnomonError: if it does not compile for the host, or it cannot count overflows.
        """
        if count_overflows and variant.vector:
            raise GnomonError(
                f"variant {variant.name} cannot count overflows: vector overflows are not detected"
            )
        if not variant.vector:
            architecture = None
        elif architecture is None:
            architecture = load_architecture(_DEFAULT_VECTOR_MACHINE)
        variant = variant.at(sizes)
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
        self._variant, self._counts = variant, count_overflows
        shared = mmap(-1, _SHARED_BYTES)
        self._shared: Words = np.frombuffer(shared, dtype=np.int32)
        self._isolated = IsolatedObject(partial(LearnerLibrary, path, shared))
        self._model_words, self._names = self._call("learner_model_words", "about")
        named = "learner_decide" in self._names
        self._decide = "learner_decide" if named else "learner_select"
        self.reset()

    @property
    def _title(self) -> str:
        name = Path(self._variant.folder).name.replace("_", "-")
        return f"learner {name}, variant {self._variant.name}"

    def _call(self, function: str, method: str, *arguments: Any, first: int = 0) -> Any:
        """Return the result of a library method; ``function``: the C function that it calls."""
        try:
            return self._isolated.call(method, *arguments)
        except SubprocessCrashError as how:
            if method == "play":
                step, updating = self._shared[:_PLACE_WORDS]
                function = "learner_update" if updating else "learner_select"
                how = SubprocessCrashError(f"in step {first + step}: {how}")
            raise crash_error(self._title, function, self._variant.paths(), how) from None

    def _read(self, name: str, *shape: int) -> Words:
        words: Words = self._call(name, "read", name, int(np.prod(shape)))
        return words.reshape(shape)

    def _write(self, name: str, words: Words | int, *shape: int) -> None:
        self._call(name, "write", name, np.broadcast_to(words, shape).astype(np.int32))

    def _arm(self, arm: int, step: str = "") -> int:
        """Return a chosen arm, after a check that it exists."""
        if arm < self.sizes.arms:
            return arm
        what = (
            f"chose arm {arm}{step}, on the host; the {self.sizes.arms} arms are 0 to"
            f" {self.sizes.arms - 1}"
        )
        raise function_error(self._title, "learner_select", self._variant.paths(), what)

    @property
    def model(self) -> Words:
        """Whole state that persists between steps."""
        return self._read(MODEL, self._model_words)

    @model.setter
    def model(self, words: Words) -> None:
        self._write(MODEL, words, self._model_words)

    @property
    def context(self) -> Words:
        """Context of the next step, of shape (d,)."""
        return self._read("learner_context", self.sizes.d)

    @context.setter
    def context(self, words: Words) -> None:
        self._write("learner_context", words, self.sizes.d)

    @property
    def features(self) -> Words:
        """Features of the arms, of shape (arms, f), or (arms, d) if arms are fixed.

        Raises:
            GnomonError: if this learner has none.
        """
        return self._read("learner_features", *self._features_shape)

    @features.setter
    def features(self, words: Words) -> None:
        self._write("learner_features", words, *self._features_shape)

    @property
    def _features_shape(self) -> tuple[int, int]:
        if "learner_features" not in self._names:
            raise GnomonError("this learner has no features of arms")
        return self.sizes.arms, self.sizes.d if self.sizes.f is None else self.sizes.f

    @property
    def alpha(self) -> int:
        """Weight of the confidence bound."""
        return int(self._read("learner_alpha", 1)[0])

    @alpha.setter
    def alpha(self, word: int) -> None:
        self._write("learner_alpha", word, 1)

    @property
    def scores(self) -> Words:
        """Scores of the last selection, of shape (arms,)."""
        return self._read("learner_scores", self.sizes.arms)

    def clear_scores(self) -> None:
        """Set all scores to zero, as after loading a program: not every selection computes them."""
        self._write("learner_scores", 0, self.sizes.arms)

    @property
    def overflows(self) -> int:
        """Operations so far whose exact result did not fit 32 bits, including division by zero.

        Raises:
            GnomonError: if the learner was not built to count them.
        """
        return sum(self.overflow_counts.values())

    @property
    def overflow_counts(self) -> dict[str, int]:
        """Operations whose exact result did not fit 32 bits, by kind, as in ``OVERFLOW_KINDS``.

        Raises:
            GnomonError: if the learner was not built to count them.
        """
        if not self._counts:
            raise GnomonError("overflows are not counted (build with count_overflows=True)")
        counts = self._read("paper_overflows", 2 * len(OVERFLOW_KINDS)).view(np.uint64)
        return dict(zip(OVERFLOW_KINDS, counts.tolist(), strict=True))

    def reset(self) -> None:
        """Start with a fresh model."""
        self._call("learner_reset", "invoke", "learner_reset")

    def select(self) -> int:
        """Return the arm chosen for the context."""
        return self._arm(self._call("learner_select", "invoke", self._decide, 0))

    @property
    def gives_propensity(self) -> bool:
        """Whether it was built with ``LEARNER_PROPENSITY`` or ``LEARNER_PERTURB``."""
        return "learner_propensity" in self._names

    @property
    def propensity(self) -> float:
        """Probability with which the last selection took its arm.

        Raises:
            GnomonError: if the learner was built without propensities.
        """
        if not self.gives_propensity:
            raise GnomonError("propensities are unavailable (build with LEARNER_PROPENSITY=1)")
        return int(self._read("learner_propensity", 1).view(np.uint32)[0]) / 2**31

    random_words = staticmethod(random_words)

    def update(self, arm: int, reward: int) -> None:
        """Learn the reward of an arm under the context.

        Raises:
            GnomonError: if the arm does not exist.
        """
        if not 0 <= arm < self.sizes.arms:
            raise GnomonError(f"arm {arm} does not exist (allowed: 0 to {self.sizes.arms - 1})")
        self._call("learner_update", "invoke", "learner_update", int(arm), int(reward))

    def run(self, contexts: Words, rewards: Words) -> npt.NDArray[np.uint32]:
        """Run many steps: contexts of shape (steps, d), rewards of every arm (steps, arms).

        Returns the arms chosen, of shape (steps,).

        Raises:
            GnomonError: if the shapes differ from these.
        """
        return self._played("host_steps", self._inputs(contexts, rewards))

    def follow(
        self, contexts: Words, rewards: Words, played: npt.NDArray[np.integer[Any]]
    ) -> npt.NDArray[np.uint32]:
        """Run many steps like ``run``, but learn the arm in ``played`` instead of the chosen arm.

        Returns the arms that the learner would have chosen, of shape (steps,).

        Raises:
            GnomonError: if the shapes differ from these, or an arm does not exist.
        """
        inputs, steps = self._inputs(contexts, rewards), len(contexts)
        if played.shape != (steps,):
            raise GnomonError(f"played must have the shape ({steps},), not {played.shape}")
        if steps and not 0 <= int(played.min()) <= int(played.max()) < self.sizes.arms:
            raise GnomonError(f"played must be arms 0 to {self.sizes.arms - 1}")
        given = np.ascontiguousarray(played, dtype=np.uint32)
        return self._played("host_follow", [*inputs, given])

    def _played(self, function: str, inputs: Sequence[npt.NDArray[Any]]) -> npt.NDArray[np.uint32]:
        """Return the arms that a function of the library writes, one per row of its inputs."""
        arms = np.zeros(len(inputs[0]), dtype=np.uint32)
        width = 1 + sum(words[:1].size for words in inputs)
        most = (self._shared.size - _PLACE_WORDS) // width
        for first in range(0, len(arms), most):
            place, places = _PLACE_WORDS, []
            for part in (*(words[first : first + most] for words in inputs), arms[first:][:most]):
                self._shared[place : place + part.size] = part.reshape(-1).view(np.int32)
                places.append(place)
                place += part.size
            done = self._call(function, "play", function, len(part), places, first=first)
            part[:] = self._shared[places[-1] : place].view(np.uint32)
            if done < len(part):
                self._arm(int(part[done]), f" in step {first + done}")
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
