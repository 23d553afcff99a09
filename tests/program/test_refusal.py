"""What counts as a refusal, and what is a defect."""

from __future__ import annotations

import pytest

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.program import refusal_of

_HEAD = "/a b/x.c: does not compile with zig 1.0:\n"
_ASSERTION = (
    "/a b/x.c:33:16: error: static assertion failed due to requirement 'M <= (int)16': LEARNER_D: a"
    " model must fit a scratchpad\n   33 | _Static_assert(M <= (int)S,\n      |  ^~~~\n"
)
_DIRECTIVE = '/a b/x.c:20:2: error: "x.c: four scratchpads are needed"\n   20 | #error\n'
_DEFECT = "/a b/y.h:32:5: error: redefinition of enumerator 'LARGEST'\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("the stack of hart 0 overflows", "the stack of hart 0 overflows"),
        (_HEAD + _ASSERTION + "1 error generated.", "LEARNER_D: a model must fit a scratchpad"),
        (_HEAD + _DIRECTIVE + "1 error generated.", "x.c: four scratchpads are needed"),
        (
            _HEAD + _DIRECTIVE + _ASSERTION + _ASSERTION,
            "x.c: four scratchpads are needed; LEARNER_D: a model must fit a scratchpad",
        ),
    ],
)
def test_refusals(text: str, reason: str) -> None:
    assert refusal_of(GnomonError(text)) == reason


@pytest.mark.parametrize("text", [_HEAD + _DEFECT, _HEAD + _ASSERTION + _DEFECT, _HEAD + "no line"])
def test_a_source_that_is_broken_is_no_refusal(text: str) -> None:
    error = GnomonError(text)
    with pytest.raises(GnomonError) as caught:
        refusal_of(error)
    assert caught.value is error


def test_a_failed_check_is_no_refusal() -> None:
    with pytest.raises(CheckFailed):
        refusal_of(CheckFailed("chose arm 3, expected 0"))
