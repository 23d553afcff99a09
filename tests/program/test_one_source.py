"""One source for many machines: with and without a vector unit, either form of ``main``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.program import build, refusal_of
from gnomon.sim import simulate

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.arch import Architecture


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("how", ["#if VCU_AVAILABLE\n", "if (VCU_AVAILABLE) {\n"])
def test_one_source_for_machines_with_and_without_a_vector_unit(
    tmp_path: Path, t13: Architecture, rv32im: Architecture, how: str, level: str
) -> None:
    path = tmp_path / "both.c"
    end = "#endif\n" if how.startswith("#") else "}\n"
    path.write_text(
        '#include "vcu.h"\n'
        "static int a[4] = {1, 2, 3, 4}; static volatile int sum;\n"
        "int main(void)\n"
        "{\n"
        f"{how}"
        "    vcu_set_mvsize(16);\n"
        "    vcu_set_mvtype(VCU_32_BIT);\n"
        "    kmemld(VCU_SPM(0), a, 16);\n"
        "    kvred(VCU_SPM(1), VCU_SPM(0));\n"
        "    kmemstr((void *)&sum, VCU_SPM(1), 4);\n"
        "    while (!sum) {}\n"
        "    return sum;\n"
        f"{end}"
        "    for (int i = 0; i < 4; i++) sum += a[i];\n"
        "    return 10 * sum;\n"
        "}\n"
    )
    vector = build([path], t13, optimization=level)
    assert simulate(vector, t13).exit_code == 10
    scalar = build([path], rv32im, optimization=level)
    assert simulate(scalar, rv32im).exit_code == 100


def test_a_vector_instruction_without_a_unit_is_a_refusal(
    tmp_path: Path, rv32im: Architecture
) -> None:
    path = tmp_path / "vector.c"
    path.write_text('#include "vcu.h"\nint main(void) { kaddv(0, 0, 0); return 0; }\n')
    with pytest.raises(GnomonError) as caught:
        build([path], rv32im)
    assert refusal_of(caught.value) == "vcu.h: rv32im has no vector unit"


def test_main_may_have_no_parameter(tmp_path: Path, t13: Architecture) -> None:
    path = tmp_path / "plain.c"
    path.write_text('#include "gnomon.h"\nint main(void) { return 7 + gnomon_hart(); }\n')
    program = build([path], t13, active_harts=3)
    assert simulate(program, t13).exit_code == 7
    assert program.build is not None
    assert not program.build.warnings
