"""A generated header keeps what sources can name, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.program import build
from gnomon.program._inputs import only_read

if TYPE_CHECKING:
    from pathlib import Path

HEADER = "".join(f"#define GNOMON_{name} 1\n" for name in ("CLOCK_HZ", "SIMD", "HARTS", "BYTES"))
SOURCE = '#include "machine.h"\n#include "vcu.h"\nint main(int hart) { return hart + %s; }\n'


def kept(tmp_path: Path, expression: str, *overrides: str) -> str:
    """The key of a build of a program that returns an expression."""
    path = tmp_path / "program.c"
    path.write_text(SOURCE % expression)
    machine = load_architecture("t13-paper-simd1", overrides)
    program = build([path], machine)
    assert program.build is not None
    return program.build.key


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("int a;", ""),
        ("int a = GNOMON_SIMD;", "SIMD"),
        ("/* GNOMON_SIMD */ // GNOMON_HARTS", ""),
        ("#define LANES GNOMON_SIMD", ""),
        ("#define LANES GNOMON_SIMD\nint a = LANES;", "SIMD"),
        ("#define B A\n#define A GNOMON_HARTS\n#if B > 1\n#endif", "HARTS"),
        ("#define A \\\n  GNOMON_BYTES\nint a = A;", "BYTES"),
        ("#define M(x) GNOMON_##x\nint a = M(SIMD);", "CLOCK_HZ SIMD HARTS BYTES"),
        ("#ifdef GNOMON_CLOCK_HZ\n#endif", "CLOCK_HZ"),
    ],
)
def test_macros_that_a_text_can_name_are_kept(text: str, left: str) -> None:
    expected = "".join(f"#define GNOMON_{name} 1\n" for name in left.split())
    assert only_read(HEADER, [text]) == expected


@pytest.mark.parametrize(
    "change", ["vcu.simd=8", "vcu.sharing=replicated", "clock=50 MHz", "vcu.divider=restoring_r2"]
)
def test_machines_that_a_program_cannot_tell_apart_share_a_build(
    tmp_path: Path, change: str
) -> None:
    assert kept(tmp_path, "0") == kept(tmp_path, "0", change)


@pytest.mark.parametrize(
    ("expression", "change"),
    [
        ("GNOMON_CLOCK_HZ", "clock=50 MHz"),
        ("VCU_SIMD", "vcu.simd=8"),
        ("VCU_SPM(1)", "vcu.scratchpads.size=1 KiB"),
    ],
)
def test_machines_that_a_program_can_tell_apart_do_not(
    tmp_path: Path, expression: str, change: str
) -> None:
    plain = kept(tmp_path, expression)
    assert plain != kept(tmp_path, expression, change)
