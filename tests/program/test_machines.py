"""What programs use of an instruction set: every core.isa is built and run, atomics by machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.cost.energy import Energy
from gnomon.program import build
from gnomon.sim import simulate
from tests.conftest import need_riscv_gcc

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.arch import Architecture
    from gnomon.sim import Run

MIX = """
#include <stdio.h>
#include "gnomon.h"
volatile int a = 12345, b = 67;
volatile float f = 1.5f;
volatile int64_t q = 1234567890123;
int main(int hart) {
    char text[40];
    const int harts = hart + gnomon_hart();
    snprintf(text, sizeof text, "%d %d %d %d", a * b, a / b, (int)(q / b % 1000), harts);
    puts(text);
    return (int)(f * 4.0f);
}
"""
ISAS = (
    "rv32i", "rv32i_zicsr", "rv32ic", "rv32ic_zicsr", "rv32im", "rv32im_zicsr", "rv32imc",
    "rv32imc_zicsr",
)  # fmt: skip


def source(folder: Path, text: str) -> Path:
    path = folder / "own.c"
    path.write_text(text)
    return path


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", ["zig", "gcc"])
@pytest.mark.parametrize("isa", ISAS)
def test_every_instruction_set_builds_and_runs(
    tmp_path: Path, isa: str, compiler: str, level: str
) -> None:
    if compiler == "gcc":
        need_riscv_gcc()
    machine = load_architecture("rv32im", [f"core.isa={isa}"])
    program = build([source(tmp_path, MIX)], machine, compiler=compiler, optimization=level)
    run = simulate(program, machine, max_cycles=10_000_000)
    assert (run.console, run.exit_code) == ("827115 184 419 0\n", 6)


LOCKS = {
    "a flag": ("static atomic_flag lock = ATOMIC_FLAG_INIT;",
               "while (atomic_flag_test_and_set(&lock)) {}", "atomic_flag_clear(&lock);"),
    "a flag with orders": ("static atomic_flag lock = ATOMIC_FLAG_INIT;",
                           "while (atomic_flag_test_and_set_explicit(&lock, __ATOMIC_ACQUIRE)) {}",
                           "atomic_flag_clear_explicit(&lock, __ATOMIC_RELEASE);"),
    "an exchange": ("static atomic_uint lock;",
                    "while (atomic_exchange(&lock, 1)) {}", "atomic_store(&lock, 0);"),
    "an exchange of a pointer": ("static _Atomic(int *) lock; static int word;",
                                 "while (atomic_exchange(&lock, &word)) {}", "lock = 0;"),
    "a built-in": ("static unsigned lock;",
                   "while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {}",
                   "__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);"),
    "an older built-in": ("static unsigned lock;", "while (__sync_lock_test_and_set(&lock, 1)) {}",
                          "__sync_lock_release(&lock);"),
    "a swap of ours": ("static volatile uint32_t lock;", "while (gnomon_swap(&lock, 1)) {}",
                       "gnomon_swap(&lock, 0);"),
}  # fmt: skip
COUNT = """
#include <stdatomic.h>
#include <stdint.h>
#include "gnomon.h"
%s
static volatile unsigned count;
static _Atomic uint8_t done[3];
int main(int hart) {
    for (int i = 0; i < 20; i++) { %s count++; %s }
    done[hart] = 1;
    if (hart) return 0;
    for (int i = 0; i < GNOMON_ACTIVE_HARTS; i++) while (!atomic_load(&done[i])) {}
    return (int)count;
}
"""


@pytest.mark.parametrize("compiler", ["zig", "gcc"])
@pytest.mark.parametrize("lock", LOCKS)
def test_atomics_on_machines_with_amoswap(
    tmp_path: Path, t13: Architecture, lock: str, compiler: str
) -> None:
    if compiler == "gcc":
        need_riscv_gcc()
    path = source(tmp_path, COUNT % LOCKS[lock])
    program = build([path], t13, active_harts=3, compiler=compiler)
    assert program.build is not None
    assert not program.build.warnings
    run = simulate(program, t13, max_cycles=1_000_000)
    assert run.exit_code == 60
    assert run.work.instructions["amoswap.w"] >= 60


OTHERS = {
    "fetch_add of 4 bytes": ("atomic_int", "atomic_fetch_add(&a, 1)"),
    "fetch_or of 1 byte": ("_Atomic unsigned char", "atomic_fetch_or(&a, 1)"),
    "compare_exchange of 4 bytes": ("atomic_int", "atomic_compare_exchange_strong(&a, &e, 2)"),
    "exchange of 2 bytes": ("_Atomic short", "atomic_exchange(&a, 1)"),
    "fetch_sub of 8 bytes": ("_Atomic long long", "atomic_fetch_sub(&a, 1)"),
}  # fmt: skip


@pytest.mark.parametrize("compiler", ["zig", "gcc"])
@pytest.mark.parametrize("operation", OTHERS)
def test_atomics_that_no_machine_has_are_refused_by_name(
    tmp_path: Path, t13: Architecture, rv32im: Architecture, operation: str, compiler: str
) -> None:
    if compiler == "gcc":
        need_riscv_gcc()
    kind, does = OTHERS[operation]
    path = source(
        tmp_path,
        f"#include <stdatomic.h>\nstatic {kind} a;\n"
        f"int main(void) {{ int e = 1; return (int){does} + e; }}\n",
    )
    with pytest.raises(GnomonError) as caught:
        build([path], t13, compiler=compiler)
    message = str(caught.value)
    assert message.endswith(f"has no {operation}; guard the object by an atomic_flag")
    assert "t13-simd4 has amoswap.w alone" in message
    with pytest.raises(
        GnomonError, match=r"rv32im has no atomic instructions \(core\.isa rv32im_zicsr"
    ):
        build([path], rv32im, compiler=compiler)


@pytest.mark.parametrize("machine", ["rv32im", "picorv32", "serv", "ibex"])
@pytest.mark.parametrize("lock", ["a flag", "an exchange", "a swap of ours"])
def test_machines_without_amoswap_refuse_it(tmp_path: Path, machine: str, lock: str) -> None:
    there = load_architecture(machine)
    with pytest.raises(GnomonError, match=f"main uses .*: {machine} has no atomic instructions"):
        build([source(tmp_path, COUNT % LOCKS[lock])], there)


def test_loads_and_stores_need_no_atomic_instruction(tmp_path: Path, rv32im: Architecture) -> None:
    path = source(
        tmp_path,
        "#include <stdatomic.h>\nstatic atomic_int a; static _Atomic short b;\n"
        "int main(void) { atomic_store(&a, 5); b = 2; return atomic_load(&a) + b; }\n",
    )
    assert simulate(build([path], rv32im), rv32im).exit_code == 7


def swapped(tmp_path: Path, machine: Architecture) -> Run:
    path = source(
        tmp_path,
        '#include "gnomon.h"\nstatic volatile uint32_t a;\nint main(void) {'
        " for (unsigned i = 0; i < 50; i++) gnomon_swap(&a, i * 0x01010101u); return 0; }\n",
    )
    return simulate(build([path], machine), machine)


def test_a_table_without_a_source_names_the_instruction(tmp_path: Path, t13: Architecture) -> None:
    run = swapped(tmp_path, t13)
    assert run.exit_code == 0
    with pytest.raises(GnomonError, match=r"no source for the toggles of 'amoswap\.w'"):
        Energy.of(run.work, t13)


def test_gates_price_amoswap_by_what_it_moves(tmp_path: Path) -> None:
    machine = load_architecture("t13-simd4", ["power=osu018-t13-simd4"])
    run = swapped(tmp_path, machine)
    assert run.work.instructions["amoswap.w"] == 50
    energy = Energy.of(run.work, machine)
    counts = {event.event: event.count for event in energy.events}
    assert counts["store_data"] >= 50
    assert counts["load_data"] >= 50
    assert energy.energy_uj.low > 0
