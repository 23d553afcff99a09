"""Every message that a value of a T13 can cause, asserted whole, in the order of the keys."""

from __future__ import annotations

import pytest

from tests.arch._messages import DIVIDERS, child, errors_of, errors_with

pytestmark = pytest.mark.usefixtures("empty_folder")

# One wrong value: the text below the three lines that `child` writes, and the whole answer.
VALUES: dict[str, str | list[str]] = {
    "core: {hart: 3}": (
        "m.yaml:4: core.hart: unknown key (allowed: model, harts, superscalar, divider_table, "
        "divider, misaligned, count_all, reset_pc, isa, rtl, unit_port, latency, fetch, predictor, "
        "interrupts, quirks, "
        "did you mean 'harts'?)"
    ),
    "memory: {instruction: {waits: 2}}": (
        "m.yaml:4: memory.instruction.waits: unavailable: the fetch of a T13 takes one cycle, and "
        "no slower one was compared with RTL; with core.model inorder set "
        "core.latency.instruction-waits; for data set memory.data"
    ),
    "wires: 1": (
        "m.yaml:4: wires: unknown key (allowed: schema, name, title, source, clock, memory, core, "
        "vcu, devices, units, power, area, extends)"
    ),
    "core: {harts: 2}": (
        "m.yaml:4: core.harts: must be 3 to 8 with core.model t13, not 2 (with 2 "
        "harts the RTL executes wrong code after a jump; core.model inorder is one hart)"
    ),
    "core: {harts: 3.5}": (
        "m.yaml:4: core.harts: must not be 3.5 "
        "(allowed: 3 to 8 with core.model t13; 1 with inorder)"
    ),
    "core: {harts: true}": (
        "m.yaml:4: core.harts: must not be true "
        "(allowed: 3 to 8 with core.model t13; 1 with inorder)"
    ),
    "core: {superscalar: yes}": (
        "m.yaml:4: core.superscalar: must not be 'yes' (allowed: true, false)"
    ),
    "core: {superscalar: 1}": ("m.yaml:4: core.superscalar: must not be 1 (allowed: true, false)"),
    "core: {model: T13}": (
        "m.yaml:4: core.model: must not be 'T13' (allowed: t13, inorder, did you mean 't13'?)"
    ),
    "core: {divider: restoring}": (
        "m.yaml:4: core.divider: 'restoring' is not a divider "
        f"(allowed: {DIVIDERS}, did you mean 'restoring_r4'?)"
    ),
    "core: {divider: none}": (
        f"m.yaml:4: core.divider: none is not a divider (allowed: {DIVIDERS})"
    ),
    "core: {reset_pc: 0x100}": (
        "m.yaml:4: core.reset_pc: must end in 0x80 with core.model t13, not 0x100 "
        "(the RTL starts at (boot_addr & ~0xFF) + 0x80)"
    ),
    "core: {reset_pc: entry}": (
        "m.yaml:4: core.reset_pc: must end in 0x80 with core.model t13, not entry "
        "(the RTL starts at (boot_addr & ~0xFF) + 0x80)"
    ),
    "core: {reset_pc: start}": (
        "m.yaml:4: core.reset_pc: must be a 32-bit address such as 0x80, or 'entry', not 'start'"
    ),
    "core: {reset_pc: 0x40080}": (
        "m.yaml:4: core.reset_pc: 0x40080 is outside instruction memory (0x00000000..0x0003FFFF)"
    ),
    "core: {latency: {alu: 1}}": (
        "m.yaml:4: core.latency: only core.model inorder has a latency table; "
        "t13 keeps the RTL's timing"
    ),
    "core: {quirks: {op_rd_x0: true}}": (
        "m.yaml:4: core.quirks.op_rd_x0: unknown key (allowed: csr_set_clear_x0_is_nop, "
        "op_rd_x0_is_nop, load_rd_x0_is_nop, amo_ignores_funct5, amo_stale_byte_enables, "
        "unknown_csr_reads_zero, slli_ignores_funct7, fetch_ignores_alignment, "
        "boot_first_slot_repeats, swi_stale_target, swi_store_writes_register, "
        "mbadaddr_from_next_slot, trap_sets_mpie, "
        "counter_write_costs_others_a_cycle, jalr_ignores_funct3, pcer_keeps_all_bits, "
        "mhpmevent_bits, mbadaddr_read_only, mestatus_writes_bit_0, fetched_before_store, "
        "did you mean 'op_rd_x0_is_nop'?)"
    ),
    "core: 3": "m.yaml:4: core: must be a section with keys of its own, not 3",
    "core: [3]": "m.yaml:4: core: must be a section with keys of its own, not a list",
    "core:": "m.yaml:4: core: must be a section with keys of its own, not none",
    "vcu: {simd: 3}": (
        "m.yaml:4: vcu.simd: must not be 3 (allowed: 1, 2, 4, 8; the RTL takes powers of two only)"
    ),
    "vcu: {simd: true}": (
        "m.yaml:4: vcu.simd: must not be true "
        "(allowed: 1, 2, 4, 8; the RTL takes powers of two only)"
    ),
    "vcu: {simd: 4.0}": (
        "m.yaml:4: vcu.simd: must not be 4.0 "
        "(allowed: 1, 2, 4, 8; the RTL takes powers of two only)"
    ),
    "vcu: {sharing: share}": (
        "m.yaml:4: vcu.sharing: must not be 'share' "
        "(allowed: shared, replicated, multithreaded, did you mean 'shared'?)"
    ),
    "vcu: {extensions: [kvdiv]}": (
        "m.yaml:4: vcu.extensions: 'kvdiv' is not an extension "
        "(allowed: kdiv, kps, kdivps, did you mean 'kdiv'?)"
    ),
    "vcu: {extensions: kvdiv}": (
        "m.yaml:4: vcu.extensions: must not be 'kvdiv' (allowed: a list of kdiv | kps | kdivps)"
    ),
    "vcu: {divider: restoring-radix2}": (
        "m.yaml:4: vcu.divider: must be none, not 'restoring-radix2': no vector instruction here "
        "divides (vcu.extensions names neither of kdiv, kdivps)"
    ),
    f"vcu: {{divider_table: {{by: divisor-bits, cycles: {[9] * 33}}}}}": (
        "arch/t13-simd1.yaml:16: vcu.divider: no vector instruction here divides; "
        "remove vcu.divider_table"
    ),
    "vcu: {extensions: [kdiv]}": (
        f"arch/t13-simd1.yaml:16: vcu.divider: vcu.extensions kdiv needs one (allowed: {DIVIDERS})"
    ),
    "vcu: {divide_by_zero: riscv}": (
        "m.yaml:4: vcu.divide_by_zero: riscv needs kdiv in vcu.extensions"
    ),
    "vcu: {postscale_shift: 12}": ("m.yaml:4: vcu.postscale_shift: 12 needs kps in vcu.extensions"),
    "vcu: {morph_quirks: {divide_drops_signs: true}}": (
        "m.yaml:4: vcu.morph_quirks.divide_drops_signs: "
        "must be false without kdiv in vcu.extensions"
    ),
    "vcu: {morph_quirks: {postscale_reads_unsigned: true}}": (
        "m.yaml:4: vcu.morph_quirks.postscale_reads_unsigned: "
        "must be false without kps in vcu.extensions"
    ),
    "core: {divider: table}": (
        "m.yaml:4: core.divider: table needs core.divider_table: a section with by and cycles"
    ),
    "core: {divider_table: {by: dividend-bits, cycles: [1]}}": (
        "m.yaml:4: core.divider_table.cycles: must be 33 numbers with by: dividend-bits, "
        "one for each length from 0 to 32 bits, not 1"
    ),
    "core: {divider: table, divider_table: {by: bits}}": [
        (
            "m.yaml:4: core.divider_table.by: must not be 'bits' "
            "(allowed: quotient-bits, dividend-bits, divisor-bits, both)"
        ),
        (
            "m.yaml:4: core.divider_table.cycles: missing "
            "(allowed: 33 whole numbers from 1 to 4096, or 1089 with by: both)"
        ),
    ],
    "vcu: {scratchpads: {count: 9}}": (
        "m.yaml:4: vcu.scratchpads.count: must not be 9 (allowed: 1 to 8; the RTL "
        "checks addresses correctly for 4 only)"
    ),
    "vcu: {scratchpads: {size: 4096}}": (
        "m.yaml:4: vcu.scratchpads.size: a size needs its unit, as in '4 KiB'; got 4096 "
        "(units: B, KiB, MiB, GiB)"
    ),
    "vcu: {scratchpads: {size: 3 KiB}}": (
        "m.yaml:4: vcu.scratchpads.size: must be a power of two from 4 B to 16 MiB, not 3 KiB "
        "(the RTL sizes scratchpads as 2^Addr_Width bytes)"
    ),
    "vcu: {scratchpads: {size: 8 B}}": (
        "m.yaml:4: vcu.scratchpads.size: must hold one word for each of the 4 banks of vcu.simd "
        "4: at least 16 B, not 8 B"
    ),
    "vcu: {scratchpads: {base: 0x10000010}}": (
        "m.yaml:4: vcu.scratchpads.base: must be a multiple of vcu.scratchpads.size (4 KiB), "
        "not 0x10000010"
    ),
    "vcu: {scratchpads: {base: 0x3F000}}": (
        "m.yaml:4: vcu.scratchpads.base: scratchpads (0x0003F000..0x00042FFF) overlaps "
        "instruction memory (0x00000000..0x0003FFFF)"
    ),
    "vcu: {scratchpads: {base: 0x1A10E000}}": (
        "m.yaml:4: vcu.scratchpads.base: scratchpads (0x1A10E000..0x1A111FFF) overlaps "
        "the I/O page (0x1A10F000..0x1A10FFFF)"
    ),
    "memory: {data: {base: 0x3FFFC}}": (
        "m.yaml:4: memory.data.base: data memory (0x0003FFFC..0x0007FFFB) overlaps "
        "instruction memory (0x00000000..0x0003FFFF) (one memory for "
        "code and data has one base and one size)"
    ),
    "memory: {data: {base: 0x10000000}}": (
        "arch/t13-simd1.yaml:14: vcu.scratchpads.base: scratchpads "
        "(0x10000000..0x10003FFF) overlaps "
        "data memory (0x10000000..0x1003FFFF)"
    ),
    "memory: {data: {base: 0xDEAC0000}}": (
        "m.yaml:4: memory.data.base: data memory (0xDEAC0000..0xDEAFFFFF) overlaps "
        "the bus-error window (0xDEAD0000..0xDEADFFFF)"
    ),
    "memory: {data: {base: 0xFFFFFFFC}}": (
        "m.yaml:4: memory.data.base: 0xFFFFFFFC + 256 KiB ends beyond 4 GiB"
    ),
    "memory: {data: {base: 2}}": ("m.yaml:4: memory.data.base: must be a multiple of 4, not 0x2"),
    "memory: {data: {base: -4}}": (
        "m.yaml:4: memory.data.base: must not be -4 (allowed: a 32-bit address)"
    ),
    "memory: {data: {base: 1 MiB}}": (
        "m.yaml:4: memory.data.base: must not be '1 MiB' (allowed: a 32-bit address)"
    ),
    "memory: {data: {size: 1 GiB}}": (
        "m.yaml:4: memory.data.size: must be a multiple of 4 bytes up to 256 MiB, not 1 GiB"
    ),
    "memory: {data: {size: 0 B}}": (
        "m.yaml:4: memory.data.size: must be a multiple of 4 bytes up to 256 MiB, not 0 B"
    ),
    "memory: {unmapped: ignore}": (
        "m.yaml:4: memory.unmapped: must not be 'ignore' (allowed: protocol, fault)"
    ),
    "clock: 100": (
        "m.yaml:4: clock: a frequency needs its unit, as in '100 MHz'; got 100 "
        "(units: Hz, kHz, MHz, GHz)"
    ),
    "clock: 0 Hz": "m.yaml:4: clock: must be above 0 and at most 100 GHz, not 0 Hz",
    "clock: .nan": (
        "m.yaml:4: clock: '.nan' is not a frequency; write a number and its unit, "
        "as in '100 MHz' (units: Hz, kHz, MHz, GHz)"
    ),
    r'source: "\e[31m"': r"m.yaml:4: contains the control character \x1b",
    r'source: "a\xadb"': (
        r"m.yaml:4: source: must not be 'a\xadb' "
        "(allowed: one paragraph of printable characters)"
    ),
    "core: {divider: []}": (
        f"m.yaml:4: core.divider: a list is not a divider (allowed: {DIVIDERS})"
    ),
    "area: ../secret": "m.yaml:4: area: must not be '../secret' (allowed: a name, none)",
    "power: 5": "m.yaml:4: power: must not be 5 (allowed: a name, none)",
    "schema: 2": (
        "m.yaml:4: schema: must not be 2 (allowed: 1; other versions are not known to this program)"
    ),
    "schema: true": (
        "m.yaml:4: schema: must not be true (allowed: 1; other versions are not known to this "
        "program)"
    ),
    "source: ''": (
        "m.yaml:4: source: must not be '' (allowed: one paragraph of printable characters)"
    ),
}


def test_one_wrong_value() -> None:
    for body, expected in VALUES.items():
        wanted = expected if isinstance(expected, list) else [expected]
        assert errors_of(child(body)) == wanted, body


# The same for a machine with vector division, as overrides.
PAPER = {
    "vcu.divider=klessydra": (
        f"vcu.divider: 'klessydra' is not a divider (allowed: {DIVIDERS}, "
        "did you mean 'klessydra_vl_ls'?)"
    ),
    "vcu.divider=none": f"vcu.divider: vcu.extensions kdiv needs one (allowed: {DIVIDERS})",
    "vcu.divider=table": (
        "vcu.divider: table needs vcu.divider_table: a section with by and cycles"
    ),
    "vcu.extensions=[kdiv, kdiv]": "vcu.extensions: 'kdiv' is listed twice",
    "vcu.divide_by_zero=one": ("vcu.divide_by_zero: must not be 'one' (allowed: zero, riscv)"),
    "vcu.postscale_shift=32": ("vcu.postscale_shift: must be 0 to 31 bits, or 'mpsclfac', not 32"),
    "vcu.divider_table=[1]": (
        "vcu.divider_table: a section; set one of its keys, or vcu.divider_table=none to remove it"
    ),
}


def test_one_wrong_value_of_a_machine_with_vector_division() -> None:
    for override, message in PAPER.items():
        assert errors_with("t13-paper-simd4", override) == [f"--set {override}: {message}"]


def test_a_divider_that_cannot_take_shifted_dividends() -> None:
    flags = ("vcu.extensions=[kdiv, kdivps]", "vcu.divider=fixed_10")
    assert errors_with("t13-paper-simd4", *flags) == [
        (
            "--set vcu.divider=fixed_10: vcu.divider: fixed_10 is not known for the longer "
            "dividends of kdivps (known: restoring_r2, nonrestoring_r2, restoring_r4, srt_r4, "
            "unrolled_2, unrolled_4, unrolled_8, early_clz_r2, early_clz_r4, klessydra_vl_std, "
            "klessydra_vl_hf, klessydra_vl_ls, klessydra_vl_hp)"
        )
    ]


def test_a_table_that_is_not_used() -> None:
    table = ("by=divisor-bits", f"cycles={[9] * 33}")
    flags = [f"core.divider_table.{entry}" for entry in table]
    assert errors_with("t13", *flags)[0].endswith(
        ": core.divider: must be table, not 'restoring_r2': there is a core.divider_table"
    )


def test_an_entry_out_of_range() -> None:
    cycles = [9] * 32 + [0]
    flags = (
        "core.divider=table",
        "core.divider_table.by=divisor-bits",
        f"core.divider_table.cycles={cycles}",
    )
    assert errors_with("t13", *flags)[0].endswith(
        "core.divider_table.cycles: entry 32 must be 1 to 4096 cycles, not 0"
    )
