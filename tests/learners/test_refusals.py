"""What the embedded learners refuse, in whole sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.base.content import found
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.measure.learners import (
    EmbeddedSizes,
    HostLearner,
    LearnerBench,
    embedded_learners,
    find_embedded_learner,
)
from gnomon.measure.memory_words import with_words

if TYPE_CHECKING:
    from collections.abc import Callable

T13 = load_architecture("t13")
DISJOINT = find_embedded_learner("linucb-disjoint")
HYBRID = find_embedded_learner("linucb-hybrid")
STANDARD = DISJOINT.variant("standard")


def message(action: Callable[[], object]) -> str:
    with pytest.raises(GnomonError) as caught:
        action()
    return str(caught.value)


def test_names() -> None:
    names = list(found("algorithms"))
    assert {each.name for each in embedded_learners()} <= set(names)
    assert message(lambda: find_embedded_learner("linucb-disjont")) == (
        f"there is no learner 'linucb-disjont' (allowed: {', '.join(names)},"
        " did you mean 'linucb-disjoint'?)"
    )
    assert message(lambda: DISJOINT.variant("optimised")) == (
        "learner linucb-disjoint has no variant 'optimised' in the paper implementation"
        " (allowed: standard, optimized, corrected, standard-vector, optimized-vector,"
        " corrected-vector, did you mean 'optimized'?)"
    )
    assert message(lambda: DISJOINT.variant("standard", "papper")) == (
        "learner linucb-disjoint has no 'papper' implementation (allowed: paper, tuned, once,"
        " did you mean 'paper'?)"
    )
    assert message(lambda: find_embedded_learner("softucb").scalar_names("paper")) == (
        "learner softucb has no 'paper' implementation (allowed: tuned)"
    )


def test_sizes() -> None:
    assert message(lambda: EmbeddedSizes(0, 8)) == "d must be at least 1, not 0"
    assert message(lambda: EmbeddedSizes(4, 8, 0)) == "f must be at least 1, not 0"
    assert message(lambda: HYBRID.check_sizes(EmbeddedSizes(4, 8))) == (
        "learner linucb-hybrid needs f, the number of features of an arm"
    )
    assert message(lambda: DISJOINT.check_sizes(EmbeddedSizes(4, 8, 4))) == (
        "learner linucb-disjoint has no f: its arms have no features"
    )
    assert message(
        lambda: LearnerBench(DISJOINT, STANDARD, T13, EmbeddedSizes(4, 2), harts=3).build()
    ) == ("3 harts cannot share 2 arm(s)")
    assert message(
        lambda: LearnerBench(DISJOINT, STANDARD, T13, EmbeddedSizes(4, 8), harts=4).build()
    ) == ("active_harts is 4, but t13 has 3 harts")


def test_a_model_that_does_not_fit() -> None:
    assert message(
        lambda: LearnerBench(DISJOINT, STANDARD, T13, EmbeddedSizes(128, 8)).measure()
    ) == (
        "step: 529208 bytes of data and 1 stack(s) of 16 bytes do not fit the data memory of t13:"
        " it has 262144 bytes"
    )


def test_a_stack_that_does_not_fit() -> None:
    small = load_architecture("t13", ["memory.data.size=16 KiB"])
    variant = HYBRID.variant("standard")
    error = message(lambda: LearnerBench(HYBRID, variant, small, EmbeddedSizes(4, 8, 8)).measure())
    assert error.startswith("linucb-hybrid standard on t13: the stack of hart 0 overflows its ")
    assert error.endswith(" bytes; give the machine more memory with --set memory.data.size")


def test_a_stack_that_does_not_fit_and_leaves_its_lowest_word() -> None:
    """Seen by a run with more memory: frames keep room that they do not write."""
    small = load_architecture("t13", ["memory.data.size=128 KiB"])
    variant = HYBRID.variant("optimized")
    assert message(
        lambda: LearnerBench(HYBRID, variant, small, EmbeddedSizes(16, 8, 4)).measure(details=False)
    ) == (
        "linucb-hybrid optimized on t13: the stack of hart 0 overflows its 72192 bytes; give the"
        " machine more memory with --set memory.data.size"
    )


def test_cases() -> None:
    assert message(
        lambda: LearnerBench(DISJOINT, STANDARD, T13, EmbeddedSizes(2, 2)).step(case="old")
    ) == ("unknown case 'old' (allowed: fresh, random)")
    assert message(
        lambda: LearnerBench(DISJOINT, STANDARD, T13, EmbeddedSizes(2, 2)).step(seed=-1)
    ) == ("the seed must not be negative, not -1")


def test_host() -> None:
    host = HostLearner(STANDARD, EmbeddedSizes(2, 3))
    zeros = np.zeros((4, 2), dtype=np.int32)
    assert message(lambda: host.update(3, 0)) == "arm 3 does not exist (allowed: 0 to 2)"
    assert message(lambda: host.run(zeros, zeros)) == (
        "contexts and rewards must have the shapes (4, 2) and (4, 3), not (4, 2) and (4, 2)"
    )
    assert message(lambda: host.features) == "this learner has no features of arms"
    assert message(lambda: host.overflows) == (
        "overflows are not counted (build with count_overflows=True)"
    )


def test_a_wrong_program_is_found_out() -> None:
    """The optimised program, measured as if it were the standard one."""
    sizes = EmbeddedSizes(3, 2)
    program = LearnerBench(DISJOINT, DISJOINT.variant("optimized"), T13, sizes).build()
    with pytest.raises(CheckFailed) as caught:
        LearnerBench(DISJOINT, STANDARD, T13, sizes).measure(case="random", program=program)
    text = str(caught.value)
    assert text.startswith("linucb-disjoint standard on t13: ")
    assert "differ from those computed on the host; first [" in text
    assert caught.value.exit_code == 1


def test_a_trap_is_said() -> None:
    bench = LearnerBench(DISJOINT, STANDARD, T13, EmbeddedSizes(3, 2))
    program = with_words(bench.build(), {"learner_select": np.zeros(1, dtype=np.int32)})
    place = program.symbol("learner_select").address
    with pytest.raises(CheckFailed, match=f": illegal instruction at 0x{place:08X} in learner_sel"):
        bench.measure(program=program)


def test_a_vector_variant_needs_its_machine() -> None:
    vector, title = DISJOINT.variant("standard-vector"), "learner linucb-disjoint, variant "
    sizes, paper = EmbeddedSizes(4, 8), load_architecture("t13-paper-simd4")
    assert message(lambda: LearnerBench(DISJOINT, vector, T13, sizes).build()) == (
        f"{title}standard-vector: t13 has no vector unit"
    )
    public = load_architecture("t13-simd4")
    assert message(lambda: LearnerBench(DISJOINT, vector, public, sizes).build()) == (
        f"{title}standard-vector: the vector unit of t13-simd4 lacks kdiv, kps; use"
        " t13-paper-simd1, t13-paper-simd2, t13-paper-simd4 or t13-paper-simd8"
    )
    assert message(lambda: LearnerBench(DISJOINT, vector, paper, sizes, harts=3).build()) == (
        f"{title}standard-vector runs on 1 hart, not 3: its C is for one"
    )
    assert message(
        lambda: LearnerBench(DISJOINT, vector, paper, sizes, fraction_bits=12).build()
    ) == (f"{title}standard-vector computes with 15 fraction bits, not 12")
    assert message(lambda: HostLearner(vector, sizes, count_overflows=True)) == (
        "variant standard-vector cannot count overflows: vector overflows are not detected"
    )
