"""What programs use of an instruction set: every core.isa is built and run, atomics by machine."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.cost.energy import Energy
from gnomon.program import build
from gnomon.sim import simulate
from tests.conftest import need_riscv_gcc
from tests.rows import light_and_heavy

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
LIGHT = {
    "rv32i": "zig -O2", "rv32i_zicsr": "gcc -O0",
    "rv32ic": "gcc -O2", "rv32ic_zicsr": "gcc -O0",
    "rv32im": "gcc -O2", "rv32im_zicsr": "zig -O0",
    "rv32imc": "gcc -O0", "rv32imc_zicsr": "zig -O2",
}  # fmt: skip
"""Every instruction set, and how `make test` builds for it: zig first builds a library for each."""
HOW = tuple(f"{compiler} {level}" for compiler in ("zig", "gcc") for level in ("-O0", "-O2"))


def source(folder: Path, text: str) -> Path:
    path = folder / "own.c"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("isa", "how"),
    light_and_heavy("oracle", LIGHT.items(), product(LIGHT, HOW)),
)
def test_every_instruction_set_builds_and_runs(tmp_path: Path, isa: str, how: str) -> None:
    compiler, level = how.split()
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
static _Atomic uint8_t done[3];
int main(int hart) {
%s
    done[hart] = 1;
    if (hart) return 0;
    for (int i = 0; i < GNOMON_ACTIVE_HARTS; i++) while (!atomic_load(&done[i])) {}
%s
    return 0;
}
"""


def counting(*locks: str) -> str:
    """Return a program that prints how far its harts count under each of these locks."""
    kept, counts, prints = "", "", ""
    for at, name in enumerate(locks):
        kind, take, leave = (re.sub(r"\block\b", f"lock_{at}", part) for part in LOCKS[name])
        kept += f"{kind}\nstatic volatile unsigned count_{at};\n"
        counts += f"    for (int i = 0; i < 20; i++) {{ {take} count_{at}++; {leave} }}\n"
        prints += f"    gnomon_print(count_{at});\n"
    return COUNT % (kept, counts, prints)


@pytest.mark.parametrize("compiler", ["zig", "gcc"])
def test_atomics_on_machines_with_amoswap(tmp_path: Path, t13: Architecture, compiler: str) -> None:
    if compiler == "gcc":
        need_riscv_gcc()
    path = source(tmp_path, counting(*LOCKS))
    program = build([path], t13, active_harts=3, compiler=compiler)
    assert program.build is not None
    assert not program.build.warnings
    run = simulate(program, t13, max_cycles=1_000_000)
    assert run.printed == (60,) * len(LOCKS)
    assert run.work.instructions["amoswap.w"] >= 60 * len(LOCKS)


OTHERS = {
    "fetch_add of 4 bytes": ("atomic_int", "atomic_fetch_add(&a, 1)"),
    "fetch_or of 1 byte": ("_Atomic unsigned char", "atomic_fetch_or(&a, 1)"),
    "compare_exchange of 4 bytes": ("atomic_int", "atomic_compare_exchange_strong(&a, &e, 2)"),
    "exchange of 2 bytes": ("_Atomic short", "atomic_exchange(&a, 1)"),
    "fetch_sub of 8 bytes": ("_Atomic long long", "atomic_fetch_sub(&a, 1)"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("operation", "compiler"),
    light_and_heavy(
        "oracle",
        list(zip(OTHERS, ("zig", "gcc", "zig", "gcc", "zig"), strict=True)),
        product(OTHERS, ("zig", "gcc")),
    ),
)
def test_atomics_that_no_machine_has_are_refused_by_name(
    tmp_path: Path, t13: Architecture, operation: str, compiler: str
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
    assert "t13-simd4 has only amoswap.w" in message


ADD = "static atomic_int a; int main(void) { return atomic_fetch_add(&a, 1); }\n"
REFUSED = {name: counting(name) for name in ("a flag", "an exchange", "a swap of ours")} | {
    "an addition": f"#include <stdatomic.h>\n{ADD}"
}


@pytest.mark.parametrize(
    ("machine", "what"),
    light_and_heavy(
        "oracle",
        list(zip(("rv32im", "serv", "rv32im", "serv"), REFUSED, strict=True)),
        product(("rv32im", "picorv32", "serv", "ibex"), REFUSED),
    ),
)
def test_machines_without_amoswap_refuse_it(tmp_path: Path, machine: str, what: str) -> None:
    there = load_architecture(machine)
    told = f"main uses .*: {machine} has no atomic instructions \\(core.isa {there.core.isa}"
    with pytest.raises(GnomonError, match=told):
        build([source(tmp_path, REFUSED[what])], there)


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
        Energy.from_work(run.work, t13)


def test_gates_price_amoswap_by_what_it_moves(tmp_path: Path) -> None:
    machine = load_architecture("t13-simd4", ["power=osu018-t13-simd4"])
    run = swapped(tmp_path, machine)
    assert run.work.instructions["amoswap.w"] == 50
    energy = Energy.from_work(run.work, machine)
    counts = {event.event: event.count for event in energy.events}
    assert counts["store_data"] >= 50
    assert counts["load_data"] >= 50
    assert energy.energy_uj.low > 0
