"""Many learners in one C file: one call of the compiler proves all of them."""

from __future__ import annotations

import ctypes
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gnomon.arch import load_architecture
from gnomon.base.content import content
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.isolation import IsolatedObject
from gnomon.measure.kernels import include_folders, kernel_source
from gnomon.once.c_code import write_c
from gnomon.once.generate import read_source, to_words
from gnomon.once.words import WordReading
from gnomon.program import build_host
from tests.once.programs import source_of, write
from tests.once.random_programs import damaged_methods, random_methods

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gnomon.once.code import LearnerCode

Words = NDArray[np.int32]
_COMMON = ("learner.c", "once_exp.c")
_KERNELS = ("fx_divide.c", "fx_sqrt.c", "fx_log.c")
_OWN = (
    "clear_model", "learner_model", "learner_model_place", "learner_model_words", "learner_reset",
    "learner_select", "learner_update", "x",
)  # fmt: skip
"""Names at file level of each generated file, which gets its own."""
_DRIVER = """
typedef struct {
    void (*reset)(void);
    uint32_t (*select)(int);
    void (*update)(uint32_t, fx_t);
    fx_t *(*place)(void);
    const uint32_t *words;
} learner_t;

static const learner_t learners[] = {
%s
};

uint32_t batch_words(uint32_t at)
{
    return *learners[at].words;
}

void batch_play(uint32_t at, uint32_t rounds, const fx_t *contexts, const fx_t *rewards,
                uint32_t *arms, fx_t *model)
{
    const learner_t *const one = &learners[at];
    one->reset();
    for (uint32_t round = 0; round < rounds; ++round) {
        for (uint32_t i = 0; i < LEARNER_D; ++i) {
            learner_context[i] = contexts[round * LEARNER_D + i];
        }
        arms[round] = one->select(0);
        one->update(arms[round], rewards[round * LEARNER_ARMS + arms[round]]);
    }
    for (uint32_t i = 0; i < *one->words; ++i) {
        model[i] = one->place()[i];
    }
}
"""


class _Library:
    """The compiled file, in a process of its own."""

    def __init__(self, path: Path, alpha: int) -> None:
        self._library = ctypes.CDLL(str(path))
        ctypes.c_int32.in_dll(self._library, "learner_alpha").value = alpha

    def play(self, at: int, contexts: Words, rewards: Words) -> tuple[Words, Words]:
        """Return the arms of one learner, and the words of its final state."""
        arms = np.zeros(len(contexts), dtype=np.int32)
        model = np.zeros(self._library.batch_words(at), dtype=np.int32)
        places = (ctypes.c_void_p(each.ctypes.data) for each in (contexts, rewards, arms, model))
        self._library.batch_play(at, len(contexts), *places)
        return arms, model


class Batch:
    """C of several learners of one size."""

    def __init__(
        self, codes: Sequence[LearnerCode], folder: Path, *, vector: bool, alpha: int,
        optimization: str = "-O2",
    ) -> None:  # fmt: skip
        """Compile all learners.

        Args:
            codes: operations with formats.
            folder: where the C file is written.
            vector: whether they use the vector unit of t13-paper-simd4.
            alpha: weight of exploration, a word.
            optimization: level of the compiler.
        """
        file = folder / "batch.c"
        file.write_text(_text(codes))
        common = content("algorithms", "common", "learner.c").parent
        sizes = {"LEARNER_D": codes[0].dimensions, "LEARNER_ARMS": codes[0].arms}
        path = build_host(
            [file, *(common / each for each in _COMMON), *map(kernel_source, _KERNELS)],
            architecture=load_architecture("t13-paper-simd4") if vector else None,
            include=[common, *include_folders()],
            defines={**sizes, "FX_FRACTION_BITS": 15, **({"LEARNER_VECTOR": 1} if vector else {})},
            optimization=optimization,
        )
        self._isolated = IsolatedObject(partial(_Library, path, alpha))

    def play(self, at: int, contexts: Words, rewards: Words) -> tuple[Words, Words]:
        """Return the arms that one learner chooses in all rounds, and its final state."""
        arms, model = self._isolated.call("play", at, contexts, rewards)
        return arms, model


def _text(codes: Sequence[LearnerCode]) -> str:
    texts, headers, table = [], {"once_products.h"}, []
    for at, code in enumerate(codes):
        written = write_c(code, f"learner {at}")
        headers |= {*written.uses}
        renamed = "".join(f"#define {name} {name}_{at}\n" for name in _OWN)
        ended = "".join(f"#undef {name}\n" for name in (*_OWN, "MODEL_H"))
        texts.append(f"{renamed}{written.text}{ended}")
        own = ("learner_reset", "learner_select", "learner_update", "learner_model_place")
        functions = ", ".join(f"{name}_{at}" for name in own)
        table.append(f"    {{{functions}, &learner_model_words_{at}}},")
    first = "".join(f'#include "{name}"\n' for name in sorted(headers))
    return first + "\n".join(texts) + _DRIVER % "\n".join(table)


def prove_programs(
    seeds: Iterable[int], size: tuple[int, int], folder: Path, *, vector: bool, products: int = 32,
    optimization: str = "-O2",
) -> tuple[int, dict[int, str]]:  # fmt: skip
    """Compare the C of random programs with the integers, in every arm and word of the state.

    Returns:
        the number of programs that are equal, and why the others are rejected, by seed.
    """
    codes, rejected = {}, {}
    for seed in seeds:
        methods = damaged_methods(seed) if seed % 3 else random_methods(seed)
        place = write(folder / str(seed), *methods).folder
        source = source_of(place, record={"rounds": 40, "seeds": 1}, vector=vector,
                           products=products)  # fmt: skip
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)
                codes[seed] = read_source(source, *size)
        except CheckFailed as error:
            raise AssertionError(f"seed {seed}: {error}") from error
        except GnomonError as error:
            rejected[seed] = str(error)
    alpha = 1 << 14
    batch = Batch(list(codes.values()), folder, vector=vector, alpha=alpha,
                  optimization=optimization)  # fmt: skip
    for at, (seed, code) in enumerate(codes.items()):
        rng = np.random.default_rng(seed)
        contexts = to_words(3.0 * rng.normal(size=(40, size[0])))
        rewards = to_words(3.0 * rng.normal(size=(40, size[1])))
        words = WordReading(code, alpha)
        chosen = words.play(contexts, rewards)
        arms, model = batch.play(at, contexts, rewards)
        assert np.array_equal(arms, chosen), f"seed {seed}: arms"
        assert np.array_equal(model, words.model), f"seed {seed}: state"
    return len(codes), rejected
