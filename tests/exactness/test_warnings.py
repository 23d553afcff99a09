"""Where the machine computes what is seldom meant, or the simulator differs, a run warns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gnomon.arch import load_architecture
from gnomon.program import build, load_elf
from gnomon.sim import simulate
from tests.exactness import test_arbiter, test_software_interrupt_store
from tests.exactness._swaps import swap_elf
from tests.exactness._vector_cases import VectorCase

if TYPE_CHECKING:
    from pathlib import Path

UNWRITTEN = "read unwritten words of a scratchpad"
_LATER = ("kbcast", 4)
_PLAIN: dict[str, Any] = {"bits": 32, "size_bytes": 16, "simd": 1, "rd": (2, 0), "rs1": (0, 0)}
CASES = {
    "a scalar beside its vector": (
        VectorCase(**_PLAIN, name="ksvaddsc", rs2=(0, 9)).elf(),
        "shared",
        "its scalar in the scratchpad of its vector",
    ),
    "a scratchpad that nothing has written": (
        VectorCase(**_PLAIN | {"rs1": (3, 0)}, name="kvred").elf(),
        "shared",
        UNWRITTEN,
    ),
    "a held sum": (
        VectorCase(**_PLAIN, name="kvred", behind=2).elf(),
        "shared",
        "lose a part of the sum",
    ),
    "an interrupt store with a destination": (
        test_software_interrupt_store.program(1, 13),
        "shared",
        "bits 4:0 of its offset set",
    ),
    "a request that stays": (
        test_arbiter.program({0: (_LATER, ("kaddv", 0)), 1: (("kaddv", 512),)}),
        "multithreaded",
        "the machine keeps its request",
    ),
    "an adder beside a write that waits": (
        test_arbiter.program({0: (("kaddv", 512), _LATER), 1: (("kmemld", 256), ("kvmul", 64))}),
        "multithreaded",
        "the waiting hart's carries",
    ),
    "a swap before the first access": (
        swap_elf("first"),
        "shared",
        "before the first load or store of any hart",
    ),
    "right after an instruction without effect": (
        test_arbiter.program({0: (("kaddv", 0),), 1: (("kaddv", 8),)}),
        "shared",
        "a shared unit may start it early",
    ),
}  # fmt: skip
READ_AT_RESET = (
    "a request that stays", "an adder beside a write that waits",
    "right after an instruction without effect",
)  # fmt: skip
"""Their vectors are scratchpads that nothing has written."""


@pytest.mark.parametrize("name", CASES)
def test_is_said(name: str) -> None:
    elf, sharing, expected = CASES[name]

    run = simulate(
        load_elf(elf), load_architecture("t13-simd1", [f"vcu.sharing={sharing}"]), max_cycles=5_000
    )

    also = {UNWRITTEN} if name in READ_AT_RESET else set()
    assert len(run.warnings) == 1 + len(also)
    for each in (expected, *also):
        assert any(each in said for said in run.warnings)


def test_others_say_nothing() -> None:
    case = VectorCase(**_PLAIN, name="kvred", behind=1)

    assert simulate(load_elf(case.elf()), load_architecture("t13-simd1", [])).warnings == ()


@pytest.mark.parametrize(
    ("call", "cut"),
    [
        ("kmemld(VCU_SPM(0), words, 4096)", False),
        ("kmemld(VCU_SPM(0), words, 8192)", True),
        ("vcu_set_mvsize(8191)", False),
        ("vcu_set_mvsize(1 << 20)", True),
    ],
)
def test_a_length_that_the_machine_cuts_is_said(tmp_path: Path, call: str, cut: bool) -> None:
    source = tmp_path / "long.c"
    source.write_text(
        f'#include "vcu.h"\nint words[2048];\nint main(void) {{ {call}; return 0; }}\n'
    )
    machine = load_architecture("t13-simd4")
    run = simulate(build([source], machine), machine)
    assert run.exit_code == 0
    assert any("keep only its low bits" in each for each in run.warnings) is cut
