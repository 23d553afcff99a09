"""The rules of docs/method/inorder-timing.md one by one, with cycles counted by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.cost.energy import Energy
from tests.exactness import _assembler as asm
from tests.exactness._assembler import A0, A1, A2, S0, T0, T1, X0, Assembler
from tests.inorder._measure import Body, cycles_of, run_body

if TYPE_CHECKING:
    from pathlib import Path

_PLAIN = tuple(
    f"core.latency.{name}=1"
    for name in ("mulh", "div", "load", "jump", "system", "mul", "store", "branch", "csr", "fence")
)


def latency(**cycles: int) -> tuple[str, ...]:
    """Overrides over a core on which everything takes one cycle and nothing waits."""
    return (
        *_PLAIN,
        "core.latency.branch-taken=0",
        *(f"core.latency.{name.replace('_', '-')}={value}" for name, value in cycles.items()),
    )


def _load_then(*between: str) -> Body:
    def body(a: Assembler) -> None:
        a.lw(A0, 0, S0)
        for _ in between:
            a.nop()
        a.addi(A1, A0, 0)

    return body


@pytest.mark.parametrize(("between", "cycles"), [(0, 6), (1, 6), (2, 6), (3, 6), (4, 7)])
def test_load_use_is_a_wait_of_the_reader(between: int, cycles: int) -> None:
    """Load 2, its result 3 later: the reader issues 5 after the load, unless later anyway."""
    body = _load_then(*["nop"] * between)
    assert cycles_of("rv32im", body, latency(load=2, load_use=3)) == cycles


def test_the_wait_has_a_cause_of_its_own() -> None:
    run, _, _ = run_body("rv32im", _load_then(), latency(load=2, load_use=3))
    assert run.counters["hart0.wait.operand"] == 3
    assert run.counters["hart0.execute.load"] == 1


def test_a_newer_result_is_not_waited_for() -> None:
    def body(a: Assembler) -> None:
        a.lw(A0, 0, S0)
        a.addi(A0, X0, 1)
        a.addi(A1, A0, 0)

    assert cycles_of("rv32im", body, latency(load_use=5)) == 3


def test_a_load_that_traps_is_no_newer_result() -> None:
    """Load 1, load that traps 1, handler 4; the first result is there 40 after the first load."""

    def body(a: Assembler) -> None:
        a.lw(A0, 0, S0)
        a.lw(A0, 1, S0)
        a.addi(A1, A0, 0)

    table = (*latency(load_use=40), "core.misaligned=trap")
    assert cycles_of("rv32im", body, table) == 1 + 40 + 1


def test_no_instruction_waits_for_a_load_to_x0() -> None:
    def body(a: Assembler) -> None:
        a.lw(X0, 0, S0)
        a.addi(A1, X0, 0)

    assert cycles_of("rv32im", body, latency(load_use=5)) == 2


def test_a_pipelined_multiplier() -> None:
    def independent(a: Assembler) -> None:
        for register in (A0, A1, A2):
            a.muldiv("mul", register, S0, S0)

    def chain(a: Assembler) -> None:
        for _ in range(3):
            a.muldiv("mulhu", A0, A0, S0)

    assert cycles_of("rv32im", independent, latency(mul_use=2)) == 3
    assert cycles_of("rv32im", chain, latency(mul_use=2)) == 3 + 2 * 2


def _jump(a: Assembler) -> None:
    a.jal(X0, a.here + 4)


_HELD = "[{of: [lw], to: [rs1, rs2, rd], cycles: 3}]"
_LOCKS = "[{of: [lw, mul], to: [mul, jal], cycles: 4}]"


def _lui(a: Assembler) -> None:
    a.lw(A0, 0, S0)
    a.word(A0 << 15 | A1 << 7 | 0x37)  # bits of its immediate name A0


def _csr_number(a: Assembler) -> None:
    """The number that it writes names A0."""
    a.lw(A0, 0, S0)
    a.word(0x340 << 20 | A0 << 15 | 5 << 12 | A1 << 7 | 0x73)


def _write_again(a: Assembler) -> None:
    a.lw(A0, 0, S0)
    a.addi(A0, X0, 1)


def _store_behind(a: Assembler) -> None:
    """Bits of the offset of the store name A2 as rd."""
    a.lw(A2, 0, S0)
    a.sw(A1, A2, S0)


def _multiply_twice(a: Assembler) -> None:
    for register in (A0, A1):
        a.muldiv("mul", register, S0, S0)


def _multiply_later(a: Assembler) -> None:
    a.lw(A0, 0, S0)
    a.nop()
    a.muldiv("mul", A1, S0, S0)


@pytest.mark.parametrize(
    ("body", "key", "cycles"),
    [
        (_lui, f"bypass: {_HELD}", 1 + 3 + 1),
        (_write_again, f"bypass: {_HELD}", 1 + 3 + 1),
        (_store_behind, f"bypass: {_HELD}", 1 + 3 + 1),
        (_store_behind, "bypass: [{of: [lw], cycles: 3}]", 2),
        (_write_again, "bypass: [{of: [lw], to: [addi.rd, sw.rd], cycles: 2}]", 1 + 2 + 1),
        (_csr_number, "bypass: [{of: [lw], to: [csrrwi.rs1], cycles: 2}]", 1 + 2 + 1),
        (_csr_number, "bypass: [{of: [lw], to: [csrrwi.rs2, csrrsi.rs1], cycles: 2}]", 2),
        (_csr_number, "load-use: 2", 2),
        (_multiply_twice, f"interlocks: {_LOCKS}", 1 + 4 + 1),
        (_multiply_later, f"interlocks: {_LOCKS}", 1 + 4 + 1),
        (_jump, f"interlocks: {_LOCKS}", 1),
    ],
)
def test_what_is_not_read_holds_an_instruction(
    tmp_path: Path, body: Body, key: str, cycles: int
) -> None:
    path = tmp_path / "held.yaml"
    path.write_text(
        f"extends: rv32im\nname: held\ntitle: Held\ncore: {{latency: {{{key}}}}}\n", "utf-8"
    )
    assert cycles_of(str(path), body, latency()) == cycles
    run, _, _ = run_body(str(path), body, latency())
    later = body is _multiply_later
    assert run.counters.get("hart0.wait.operand", 0) == max(0, cycles - 2 - later)
    # Fields are looked at only while a result is late: the fetch stays static, and the loop fast.
    assert load_architecture(str(path)).computes_fetch == key.startswith("interlocks")


def test_a_longer_wait_hides_the_fetch() -> None:
    assert cycles_of("rv32im", _load_then(), latency(fetch=2)) == 2 * (1 + 2)
    assert cycles_of("rv32im", _load_then(), latency(fetch=2, load_use=3)) == 1 + 3 + 1 + 2


def _taken(a: Assembler) -> None:
    a.branch(0, X0, X0, a.here + 4)


def _not_taken(a: Assembler) -> None:
    a.branch(1, X0, X0, a.here + 4)


def _fence_i(a: Assembler) -> None:
    a.word(0x0000_100F)


@pytest.mark.parametrize(
    ("body", "cycles"),
    [(_jump, 5 + 1 + 2), (_taken, 3 + 2 + 1 + 2), (_not_taken, 3 + 1), (_fence_i, 4 + 1 + 2)],
)
def test_an_instruction_that_restarts_the_fetch_waits_for_it(body: Body, cycles: int) -> None:
    table = latency(jump=5, branch=3, branch_taken=2, fence_i=4, fetch=1, fetch_redirect=2)
    assert cycles_of("rv32im", body, table) == cycles
    run, _, _ = run_body("rv32im", body, table)
    assert run.counters["hart0.wait.fetch"] >= cycles - 5


def test_a_trap_costs_its_instruction_and_the_fetch_of_the_handler() -> None:
    """Ecall 3, csr 2, addi 1, csr 2, mret 3; fetch 1 after each, 2 more after ecall, mret."""

    def body(a: Assembler) -> None:
        a.ecall()

    table = latency(system=3, csr=2, fetch=1, fetch_redirect=2)
    assert cycles_of("rv32im", body, table) == 3 + 2 + 1 + 2 + 3 + 5 * 1 + 2 * 2
    run, _, _ = run_body("rv32im", body, table)
    assert run.counters["hart0.trap"] == 3


_QUEUE = ("core.misaligned=trap", "core.fetch.queue=2")


def _nops(count: int) -> Body:
    def body(a: Assembler) -> None:
        for _ in range(count):
            a.nop()

    return body


def _loop(a: Assembler) -> None:
    """Three rounds of two instructions."""
    a.addi(A0, X0, 3)
    start = a.here
    a.addi(A0, A0, -1)
    a.branch(1, A0, X0, start)


@pytest.mark.parametrize("waits", [0, 1, 3])
def test_a_queue_delivers_a_word_per_access(waits: int) -> None:
    table = (*latency(instruction_waits=waits), *_QUEUE)
    assert cycles_of("rv32im", _nops(20), table) == 20 * (1 + waits)
    # A jump: its own cycle, and two from the request of its target until that can issue.
    assert cycles_of("rv32im", _jump, (*latency(), *_QUEUE)) == 2


def test_a_long_instruction_lets_a_queue_fill_up() -> None:
    """In 12 cycles two words arrive; those after them take 4 each from the end of it on."""

    def body(a: Assembler) -> None:
        a.muldiv("div", A0, S0, S0)
        for _ in range(3):
            a.nop()

    table = (*latency(div=12, instruction_waits=3), *_QUEUE)
    assert cycles_of("rv32im", body, table) == 12 + 1 + 4 + 4


def test_loads_take_the_shared_port() -> None:
    """A word takes each cycle that a load does not: two loads cost two more cycles."""

    def body(a: Assembler) -> None:
        a.nop()
        a.lw(A0, 0, S0)
        a.lw(A1, 0, S0)
        for _ in range(6):
            a.nop()

    alone = cycles_of("rv32im", body, (*latency(), *_QUEUE))
    shared = cycles_of("rv32im", body, (*latency(), *_QUEUE, "core.fetch.port=shared"))
    assert (alone, shared) == (9, 11)


@pytest.mark.parametrize(
    ("kind", "cycles"),
    [
        (None, 1 + 3 * 2 + 2 * 3),  # two taken
        ("static", 1 + 3 * 2 + 2 * 1 + 5),  # two predicted, and the last one wrongly
        ("one-entry", 1 + 3 * 2 + 3 + 1 + 5),  # the first one sets the entry
        ("table", 1 + 3 * 2 + 3 + 1 + 5),
    ],
)
def test_predicted_branches(kind: str | None, cycles: int) -> None:
    keys = ("core.predictor.hit=1", "core.predictor.miss=5", f"core.predictor.kind={kind}")
    table = (*latency(branch_taken=3), *keys * (kind is not None))
    assert cycles_of("rv32im", _loop, table) == cycles


def test_an_instruction_cache() -> None:
    """One line of two words, of 1 + 2 x 3 cycles: a miss every other word, and in each round."""
    cache = tuple(f"memory.caches.icache.{each}" for each in ("line=8 B", "sets=1", "ways=1"))
    table = (*latency(instruction_waits=3), *cache)
    assert cycles_of("rv32im", _nops(20), table) == 20 + 10 * (1 + 2 * 3)
    burst = (*table, "memory.caches.icache.burst=2", "memory.caches.icache.sets=64")
    assert cycles_of("rv32im", _nops(20), burst) == 20 + 10 * (1 + 1 * 3)


def _transfer_then(*names: str) -> Body:
    """A transfer of 64 bytes, a nop, what is named, and a store that ends it."""

    def body(a: Assembler) -> None:
        a.li(T0, asm.SPM_BASE)
        a.addi(T1, X0, 64)
        a.kmem("kmemld", T0, S0, T1)
        a.nop()
        if "store" in names:
            a.sw(T0, 32, S0)

    return body


def test_the_vector_unit_blocks_the_core_or_works_beside_it() -> None:
    """A transfer of 16 words holds the load-store unit for its issue cycle and 17 more."""
    beside = latency()
    blocking = (*latency(), "core.superscalar=false")
    alone = 4  # lui, addi, kmemld, nop
    assert cycles_of("rv32im-simd4", _transfer_then(), beside) == alone
    assert cycles_of("rv32im-simd4", _transfer_then(), blocking) == alone + 18
    # The store issues two cycles after the last busy one, as on the T13.
    assert cycles_of("rv32im-simd4", _transfer_then("store"), beside) == 2 + 19 + 1
    run, _, _ = run_body("rv32im-simd4", _transfer_then("store"), beside)
    assert run.counters["hart0.wait.lsu"] == 19 - 2


def test_a_transfer_waits_for_its_address_from_memory() -> None:
    """Its destination register is read: an address."""

    def body(a: Assembler) -> None:
        a.li(T0, asm.SPM_BASE)
        a.sw(T0, 32, S0)
        a.lw(T0, 32, S0)
        a.kmem("kmemld", T0, S0, X0)

    assert cycles_of("rv32im-simd4", body, latency(load_use=4)) == 4 + 4


@pytest.mark.parametrize("machine", ["ibex-like", "rv32im-simd4"])
def test_a_machine_without_power_table_says_so(machine: str) -> None:
    run, _, _ = run_body(machine, _jump)
    with pytest.raises(GnomonError) as caught:
        Energy.from_work(run.work, load_architecture(machine))
    assert str(caught.value) == (
        f"{machine} names no power table, so its energy is not known (power: none; "
        "set power to the name of one)"
    )
    with pytest.raises(GnomonError) as caught:
        Energy.from_work(run.work, load_architecture(machine), power="t13")
    assert str(caught.value) == (
        f"activity table t13x has no figures for core.model = inorder of {machine} (measured: t13)"
    )
