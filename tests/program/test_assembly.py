"""Assembly for other cores, to count in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.program import ASSEMBLY_TARGETS, Assembly, compile_assembly

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """\
\t.text
\t.globl\tone
one:                                    # @one
# %bb.0:
\taddi\ta0, a0, 1
.LBB0_1:
\tret
.Lfunc_end0:
\t.size\tone, .Lfunc_end0-one
two:
\t.cfi_startproc
    bx lr
.Lfunc_end1:
table:
\t.word\t7
"""


def test_instructions_are_counted_by_function() -> None:
    assert Assembly(TEXT).instructions_by_function() == {"one": 2, "two": 1}


@pytest.mark.parametrize("target", ASSEMBLY_TARGETS)
def test_a_function_for_each_target(target: str, tmp_path: Path) -> None:
    source = tmp_path / "sum.c"
    source.write_text('#include "gnomon.h"\nint sum(int a, int b) { return a + b * FACTOR; }\n')
    text = compile_assembly(source, target, defines={"FACTOR": 7})
    longer = compile_assembly(source, target, defines={"FACTOR": 7}, optimization="-O0")
    count = text.instructions_by_function()["sum"]
    assert 2 <= count <= 5
    assert longer.instructions_by_function()["sum"] > count


def test_a_target_that_there_is_not(tmp_path: Path) -> None:
    with pytest.raises(GnomonError) as error:
        compile_assembly(tmp_path / "sum.c", "thumb cortex-m5")
    assert str(error.value) == (
        "there is no target 'thumb cortex-m5' for assembly (allowed: rv32im, thumb cortex-m4, arm"
        " cortex-a72, aarch64 cortex-a72, did you mean 'thumb cortex-m4'?)"
    )


def test_c_that_does_not_compile(tmp_path: Path) -> None:
    source = tmp_path / "bad.c"
    source.write_text("int f(void) { return x; }\n")
    with pytest.raises(GnomonError, match=r"bad\.c: does not compile for rv32im:\n"):
        compile_assembly(source, "rv32im")
