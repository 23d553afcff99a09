"""Library code is known by what it computes, whatever a compiler calls it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.observe.profile import RunProfile
from gnomon.observe.profile._library import library_kind
from gnomon.observe.why import StallAnalysis, find_advice
from gnomon.program import build
from gnomon.sim import simulate
from tests.conftest import need_riscv_gcc

if TYPE_CHECKING:
    from pathlib import Path

NAMES = {
    "__addsf3": "32-bit floats", "__ltsf2": "32-bit floats", "__fixunssfsi": "32-bit floats",
    "__floatdisf": "32-bit floats", "__powisf2": "32-bit floats", "__mulsc3": "32-bit floats",
    "__divdf3": "64-bit floats", "__extendsfdf2": "64-bit floats", "__fixdfdi": "64-bit floats",
    "__truncdfsf2": "64-bit floats", "__multf3": "128-bit floats", "__extendhfsf2": "32-bit floats",
    "__udivmoddi4": "64-bit integers divided or multiplied",
    "__moddi3": "64-bit integers divided or multiplied",
    "__mulsi3": "32-bit integers divided or multiplied",
    "__udivsi3": "32-bit integers divided or multiplied",
    "__lshrdi3": "64-bit integers shifted or compared", "__clzsi2": "bits of integers counted",
    "memcpy": "memcpy", "memset.constprop.0": "memset", "memmove.part.0": "memmove",
    # Functions of a program that begin or end alike.
    "__mixdi": None, "__kaddsf": None, "add_f32": None, "my_memcpy": None, "memcpy_words": None,
    "__sdi3": None, "_addsf3": None, "main": None, "__gnomon_sf": None, "__addsi": None,
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_kind_of_a_name(name: str) -> None:
    assert library_kind(name) == NAMES[name]


HEAD = """
#include <string.h>
#define APART __attribute__((noinline))
volatile float f = 1.5f, g = 0.75f;
volatile double d = 2.5, e = 0.125;
volatile long long a = 7000000000000LL, b = 3;
volatile int n = 5, length = 60;
char x[64], y[64];
static APART int __mixdi(int k) { for (int i = 0; i < 30; i++) k = k * 3 + n; return k; }
int main(void) { for (int k = 0; k < 20; k++) { %s } return 0; }
"""
BODIES = {
    "additions": ("g = f + g; f = g - f;", "32-bit floats", 0.8),
    "products": ("g = f * g + 1;", "32-bit floats", 0.8),
    "quotients": ("g = f / (g + 1);", "32-bit floats", 0.8),
    "comparisons": ("n += f < g; n += f == g;", "32-bit floats", 0.5),
    "conversions": ("f = (float)n; n = (int)g;", "32-bit floats", 0.5),
    "doubles": ("d = d * e + 1; e = d / (e + 1);", "64-bit floats", 0.8),
    "wide division": ("a = a / b + 7000000000000LL;", "64-bit integers divided or multiplied", 0.6),
    "wide remainder": ("b = a % (b + 3) + n;", "64-bit integers divided or multiplied", 0.6),
    "copies": ("memcpy(x, y + (n & 1), length);", "memcpy", 0.5),
    "moves": ("memmove(x + 1, x, length);", "memmove", 0.5),
    "fills": ("memset(x, n, length);", "memset", 0.3),
    "comparison of bytes": ("n += memcmp(x, y, length);", "memcmp", 0.3),
}


@pytest.mark.parametrize("compiler", ["zig", "gcc"])
@pytest.mark.parametrize("name", BODIES)
def test_of_a_compiled_program(name: str, compiler: str, tmp_path: Path) -> None:
    """The loop spends most in one kind, and the advice says as much of it as the profile."""
    if compiler == "gcc":
        need_riscv_gcc()
    body, kind, least = BODIES[name]
    (tmp_path / "it.c").write_text(HEAD % body)
    machine = load_architecture("rv32im")
    program = build([tmp_path / "it.c"], machine, compiler=compiler, optimization="-O1")
    run = simulate(program, machine)
    profile = RunProfile.from_run(run, program, machine)
    library = profile.by_library()
    rows = {row.name: row.cycles for row in profile.by_function()}
    own = {"main", "_start", "gnomon_reset", "gnomon_exit", "__mixdi"}
    assert sum(library.values()) == sum(n for name, n in rows.items() if name not in own)
    assert next(iter(library)) == kind
    assert library[kind] > least * run.wall_cycles
    advice = find_advice(StallAnalysis(run, machine), program, "rv32im", [])
    (said,) = [each for each in advice if kind in each.change]
    assert said.saves_cycles == library[kind]


def test_code_of_the_program_is_no_library(tmp_path: Path) -> None:
    (tmp_path / "it.c").write_text(HEAD % "n += __mixdi(k);")
    machine = load_architecture("rv32im")
    program = build([tmp_path / "it.c"], machine)
    assert RunProfile.from_run(simulate(program, machine), program, machine).by_library() == {}


SHARED = """
    .text
    .globl __addsf3, __adddf3, own, __clzsi2
__addsf3:
    mv t2, ra
    call __clzsi2
    call shift
    jr t2
__adddf3:
    mv t2, ra
    call __clzsi2
    mv ra, t2
    j shift
own:
    j __clzsi2
__clzsi2:
    .rept {count}
    addi a0, a0, 1
    .endr
    ret
shift:
    .rept {shift}
    srli a0, a0, 1
    .endr
    ret
"""


def test_helpers_count_for_those_that_call_them(tmp_path: Path) -> None:
    """A function without a name of its own, and one that the program calls itself as well."""
    (tmp_path / "soft.S").write_text(SHARED.format(count=9, shift=6))
    (tmp_path / "main.c").write_text(
        'int one(int) __asm__("__addsf3"), two(int) __asm__("__adddf3"), own(int);\n'
        "int main(void) { for (int k = 0; k < 6; k++) { one(k); one(k); two(k); own(k); }"
        " return 0; }\n"
    )  # fmt: skip
    machine = load_architecture("rv32im")
    program = build([tmp_path / "main.c", tmp_path / "soft.S"], machine)
    profile = RunProfile.from_run(simulate(program, machine), program, machine)
    rows = {row.name: row.cycles for row in profile.by_function()}
    count, shift = rows["__clzsi2"], rows["shift"]
    assert profile.by_library() == {
        "32-bit floats": rows["__addsf3"] + count // 2 + shift * 2 // 3,
        "64-bit floats": rows["__adddf3"] + count // 4 + shift // 3,
        "bits of integers counted": count // 4,
    }
