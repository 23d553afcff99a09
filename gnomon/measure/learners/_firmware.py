"""Generated C for firmware: sources, headers, test vectors, and a check for the host."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gnomon.arch import Architecture
from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.base.files import write_file
from gnomon.measure.learners._host import HostLearner
from gnomon.measure.learners._learner import EmbeddedSizes, LearnerVariant
from gnomon.once.code import INPUT_BITS
from gnomon.once.generate import make_rounds, to_words
from gnomon.program import machine_headers

_ROUNDS = 32
_HEADERS = (
    "learner.h", "model.h", "once.h", "once_exp.h", "once_products.h", "once_solve.h", "random.h",
)  # fmt: skip
_VECTOR_HEADERS = ("once_pads.h", "once_short.h", "once_vector.h")
_KERNEL_HEADERS = (
    "fx.h", "fx_divide.h", "fx_exp.c", "fx_exp.h", "fx_log.h", "fx_sqrt.h", "fx_wide.h",
)  # fmt: skip
_GNOMON_H = """\
/* Stands for the header of the simulator: a measured region is an ordinary function here. */
#ifndef GNOMON_H
#define GNOMON_H
#define GNOMON_REGION
#endif
"""
_CHECK = """\
/* Plays the rounds of vectors.h, and compares arms and model; returns 0 if all are equal. */
#include <stdio.h>

#include "learner.h"
#include "vectors.h"

int main(void)
{{
    uint32_t wrong = 0;
    learner_alpha = {alpha};
    learner_reset();
    for (uint32_t round = 0; round < {rounds}; ++round) {{
        for (uint32_t i = 0; i < LEARNER_D; ++i) {{
            learner_context[i] = contexts[round][i];
        }}
        const uint32_t arm = learner_select(0);
        wrong += arm != arms[round];
        learner_update(arm, rewards[round][arm]);
    }}
    for (uint32_t i = 0; i < learner_model_words; ++i) {{
        wrong += learner_model_place()[i] != model[i];
    }}
    printf("%u words differ\\n", (unsigned)wrong);
    return wrong != 0;
}}
"""
_MAKEFILE = """\
check: check.c {sources}
\t$(CC) -std=c11 -O2 -I. {defines} -o $@ $^
\t./check
"""


def write_generated(
    variants: Sequence[LearnerVariant],
    sizes: EmbeddedSizes,
    folder: Path,
    architecture: Architecture | None,
) -> list[Path]:
    """Write the C of one variant to an empty folder, with vectors of ``make check``.

    For the vector unit of ``architecture``, ``vcu.h`` and ``machine.h`` are written, too.

    Raises:
        GnomonError: if there are several variants, it is not generated, or needs a vector unit that
            the architecture lacks, or the folder has files.
    """
    if len(variants) != 1 or variants[0].once is None:
        names = ", ".join(each.name for each in variants)
        raise GnomonError(
            f"--c takes one generated variant (--line once --variant NAME), not {names}"
        )
    units = architecture is not None and architecture.units and variants[0].once.entry.macq
    own = machine_headers(architecture) if architecture is not None else {}
    files = {"units.h": own["units.h"]} if units else {}
    if not variants[0].vector:
        architecture = None
    elif architecture is None:
        raise GnomonError(f"--c: {variants[0].name} needs a machine with a vector unit")
    if folder.exists() and any(folder.iterdir()):
        raise GnomonError(f"{folder}: has files already; name an empty or a new folder")
    source = variants[0].once
    drawn = make_rounds(source, 0, _ROUNDS, arms=sizes.arms, d=sizes.d)
    contexts = to_words(drawn.contexts)
    rewards = to_words(drawn.expected + drawn.noise[:, None])
    host = HostLearner(variants[0], sizes, architecture=architecture)
    host.alpha = alpha = source.alpha_word
    host.reset()
    arms = host.run(contexts, rewards)
    vectors = "".join(
        f"static const {kind} {name}{_shape(words)} = {_braces(words)};\n"
        for kind, name, words in (
            ("fx_t", "contexts", contexts), ("fx_t", "rewards", rewards),
            ("uint32_t", "arms", arms), ("fx_t", "model", host.model),
        )
    )  # fmt: skip
    generated, *others = variants[0].at(sizes).paths()[1:]
    places = [content("algorithms", "common", name) for name in _HEADERS]
    places += [content("kernels", "common", name) for name in _KERNEL_HEADERS]
    files |= {"model.c": generated.read_text(encoding="utf-8")}
    if architecture is not None:
        places += [content("algorithms", "common", name) for name in _VECTOR_HEADERS]
        files |= {name: own[name] for name in ("machine.h", "vcu.h")}
    files |= {each.name: each.read_text(encoding="utf-8") for each in (*others, *places)}
    c_files = [each for each in files if each.endswith(".c") and each != "fx_exp.c"]
    macros = {**sizes.defines(), **variants[0].defines(), "FX_FRACTION_BITS": INPUT_BITS}
    defines = " ".join(f"-D{name}={value}" for name, value in macros.items())
    files |= {
        "gnomon.h": _GNOMON_H, "vectors.h": vectors,
        "check.c": _CHECK.format(alpha=alpha, rounds=_ROUNDS),
        "Makefile": _MAKEFILE.format(sources=" ".join(c_files), defines=defines),
    }  # fmt: skip
    return [write_file(folder / name, text) for name, text in files.items()]


def _shape(words: np.ndarray) -> str:
    return "".join(f"[{each}]" for each in words.shape)


def _braces(words: np.ndarray) -> str:
    if words.ndim == 1:
        return "{" + ", ".join(map(str, words)) + "}"
    return "{\n" + ",\n".join(map(_braces, words)) + "}"
