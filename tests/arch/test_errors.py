"""Every message a machine file can cause, asserted whole.

One file: its tables are the list of messages, in the order of the keys.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.arch import list_architectures, load_architecture
from gnomon.arch.dividers import Divider
from gnomon.base.errors import GnomonError
from gnomon.base.yaml import FileError
from gnomon.isa import list_instructions

DIVIDERS = ", ".join(Divider.by_name())
SHIPPED = ", ".join(list_architectures())


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def errors_of(text: str | bytes, name: str = "m.yaml") -> list[str]:
    Path(name).write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(GnomonError) as caught:
        load_architecture(name)
    return str(caught.value).splitlines()


def errors_with(machine: str, *overrides: str) -> list[str]:
    with pytest.raises(FileError) as caught:
        load_architecture(machine, overrides)
    return str(caught.value).splitlines()


def child(body: str, base: str = "t13-simd4") -> str:
    return f"extends: {base}\nname: mine\ntitle: Mine\n{body}"


# One wrong value: the text below the three lines that `child` writes, and the whole answer.
VALUES: dict[str, str | list[str]] = {
    "core: {hart: 3}": (
        "m.yaml:4: core.hart: unknown key (allowed: model, harts, superscalar, divider_table, "
        "divider, misaligned, count_all, reset_pc, isa, rtl, latency, quirks, "
        "did you mean 'harts'?)"
    ),
    "memory: {instruction: {waits: 2}}": (
        "m.yaml:4: memory.instruction.waits: unavailable: the fetch of a T13 takes one cycle, and "
        "no slower one was compared with RTL; with core.model inorder set "
        "core.latency.instruction-waits; for data set memory.data"
    ),
    "wires: 1": (
        "m.yaml:4: wires: unknown key (allowed: schema, name, title, source, clock, memory, core, "
        "vcu, power, area, extends)"
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


_RULED = list_instructions(("I", "M", "Zicsr", "Zifencei", "machine"))
INORDER = {
    "core: {harts: 3}": "m.yaml:4: core.harts: must be 1 with core.model inorder, not 3",
    "core: {superscalar: true}": (
        "arch/rv32im.yaml:68: vcu: must not be none with core.model inorder and core.superscalar "
        "true: no other functional unit runs in parallel with the core"
    ),
    "core: {divider: restoring-radix2}": (
        "arch/rv32im.yaml:27: core.latency.div: must be none with core.divider restoring_r2, "
        "whose latency model gives the cycles"
    ),
    "core: {divider: radix9}": (
        "m.yaml:4: core.divider: 'radix9' is not a divider (allowed: restoring_r2, "
        "nonrestoring_r2, restoring_r4, srt_r4, unrolled_2, unrolled_4, unrolled_8, "
        "early_clz_r2, early_clz_r4, early_divisor_only, klessydra_vl_std, klessydra_vl_hf, "
        "klessydra_vl_ls, klessydra_vl_hp, combinational, newton_lut, fixed_10, table)"
    ),
    "core: {reset_pc: 2}": "m.yaml:4: core.reset_pc: must be a multiple of 4, not 0x2",
    "core: {latency: none}": (
        "m.yaml:4: core.latency: core.model inorder needs a latency table (cycles for each of "
        "alu, mul, mulh, div, load, store, branch, branch-taken, jump, csr, fence, amo, system)"
    ),
    "core: {latency: {alu: 0}}": ("m.yaml:4: core.latency.alu: must not be 0 (allowed: 1 to 256)"),
    "core: {latency: {load-use: -1}}": (
        "m.yaml:4: core.latency.load-use: must not be -1 (allowed: 0 to 256)"
    ),
    "core: {latency: {loaduse: 1}}": (
        "m.yaml:4: core.latency.loaduse: unknown key (allowed: alu, mul, mulh, div, load, "
        "store, branch, branch-taken, jump, csr, fence, amo, system, fence-i, vector, load-use, "
        "mul-use, mul-per-bit, div-by-zero, misaligned, fetch, fetch-redirect, "
        "instruction-waits, data-waits, waits, prefetch, taken-fetches, split-target, rules, "
        "bypass, "
        "did you mean 'load-use'?)"
    ),
    "core: {latency: {div: none}}": (
        "m.yaml:4: core.latency.div: must not be none (allowed: 1 to 256; or name a divider in "
        "core.divider, whose latency model gives the cycles)"
    ),
    "core: {latency: {jump: 200, fetch: 20, fetch-redirect: 50}}": (
        "m.yaml:4: core.latency.jump: 270 cycles with core.latency.fetch and fetch-redirect are "
        "too many (at most 256 together)"
    ),
    "core: {latency: {branch_taken: 0}}": (
        "m.yaml:4: core.latency.branch_taken: unknown key (allowed: alu, mul, mulh, div, load, "
        "store, branch, branch-taken, jump, csr, fence, amo, system, fence-i, vector, load-use, "
        "mul-use, mul-per-bit, div-by-zero, misaligned, fetch, fetch-redirect, "
        "instruction-waits, data-waits, waits, prefetch, taken-fetches, split-target, rules, "
        "bypass, "
        "did you mean 'branch-taken'?)"
    ),
    "core: {latency: {rules: [{of: [sl], cycles: 1}]}}": (
        "m.yaml:4: core.latency.rules.0.of: sl is not an instruction (allowed: "
        f"{', '.join(row.mnemonic for row in _RULED)}, did you mean 'srl'?)"
    ),
    "core: {latency: {rules: [{of: [sll], by: signs, cycles: 1}]}}": (
        "m.yaml:4: core.latency.rules.0.by: signs does not apply to sll (allowed: mul, mulh, "
        "mulhsu, mulhu, div, divu, rem, remu)"
    ),
    "core: {latency: {rules: [{of: [sll], cycles: [1, 2]}]}}": (
        "m.yaml:4: core.latency.rules.0.cycles: must be one number: a table needs by"
    ),
    "core: {latency: {rules: [{of: [sll], cycles: 1}, {of: [sll], cycles: 2}]}}": (
        "m.yaml:4: core.latency.rules.1.of: sll already has a rule"
    ),
    "core: {latency: {bypass: [{of: [lw], cycles: 1}, {of: [lb, lw], cycles: 2}]}}": (
        "m.yaml:4: core.latency.bypass.1.of: lw already has an entry"
    ),
    "core: {latency: {bypass: [{of: [lw], to: [sw.rs2], cycles: 65}]}}": (
        "m.yaml:4: core.latency.bypass.0.cycles: must be 0 to 64, not 65"
    ),
    "core: {latency: {waits: none, data-waits: 2}}": (
        "m.yaml:4: core.latency.waits: must not be none with data-waits 2: the behavior of the "
        "core with wait states is unavailable"
    ),
    "core: {latency: {mul-per-bit: 1, prefetch: 2}}": (
        "m.yaml:4: core.latency.prefetch: must be none with mul-per-bit (use a rule instead)"
    ),
    "core: {quirks: {swi_stale_target: true}}": (
        "m.yaml:4: core.quirks.swi_stale_target: must be false with core.model inorder: "
        "it is the T13 RTL's"
    ),
    "vcu: {simd: 4, sharing: replicated, scratchpads: {count: 4, size: 4 KiB}}": (
        "m.yaml:4: vcu.sharing: must be shared with core.model inorder, not replicated: there is "
        "one hart"
    ),
}


def test_one_wrong_value_of_an_in_order_core() -> None:
    for body, message in INORDER.items():
        assert errors_of(child(body, "rv32im")) == [message], body


# Files that are not a machine at all.
FILES: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "m.yaml:1: empty: it describes no machine"),
    "comments only": ("# nothing\n", "m.yaml:1: empty: it describes no machine"),
    "null": ("~\n", "m.yaml:1: a machine is a list of 'key: value' lines, not nothing"),
    "a list": ("- 1\n", "m.yaml:1: a machine is a list of 'key: value' lines, not a list"),
    "a word": ("hello\n", "m.yaml:1: a machine is a list of 'key: value' lines, not 'hello'"),
    "a tab": (
        "schema: 1\ncore:\n\tharts: 3\n",
        "m.yaml:3: not YAML: a tab; indent and separate with spaces",
    ),
    "an open bracket": (
        "schema: 1\ncore: [1\n",
        "m.yaml:3: not YAML: did not find expected ',' or ']' while parsing a flow sequence",
    ),
    "not UTF-8": (b"schema: 1\nname: \xff\n", "m.yaml:2: not UTF-8 text: byte 0xff"),
    "binary": (
        b"schema: 1\n\x00\x01",
        "m.yaml:2: not YAML: it contains a character that text files do not have",
    ),
    "an anchor": (
        "a: &a [1]\nb: *a\n",
        "m.yaml:1: anchors and aliases are not read; use extends to share values",
    ),
    "an alias": (
        "a: 1\nb: *a\n",
        "m.yaml:2: anchors and aliases are not read; use extends to share values",
    ),
    "a tag": (
        "a: !!python/object:os.system 1\n",
        "m.yaml:1: tags are not read; remove 'tag:yaml.org,2002:python/object:os.system'",
    ),
    "a tagged list": ("a: !x []\n", "m.yaml:1: tags are not read; remove '!x'"),
    "two documents": (
        "schema: 1\n---\nschema: 1\n",
        "m.yaml:3: a second document; one file describes one machine",
    ),
    "a section as key": (
        "? {a: 1}\n: 2\n",
        "m.yaml:1: a key must be a word, not a section or a list",
    ),
    "deep nesting": ("[" * 5000, "m.yaml:1: nested deeper than 12 levels"),
    "deep mappings": (
        "".join(" " * n + "a:\n" for n in range(300)),
        "m.yaml:13: nested deeper than 12 levels",
    ),
    "a number without end": (
        "schema: " + "9" * 5000,
        (
            "m.yaml:1: '99999999999999999999999999999999999999999999999999999999... is "
            "too long for "
            "a number"
        ),
    ),
    "a long file": (
        "#" * (256 * 1024 + 1),
        "m.yaml:1: longer than 256 KiB; this is not a machine description",
    ),
    "no such base": (
        child("", "t14"),
        f"m.yaml:1: extends: no machine is called 't14' (known: {SHIPPED}, did you mean 't13'?)",
    ),
    "no such base file": (
        child("", "up/base.yaml"),
        "m.yaml:1: extends: no such file: up/base.yaml",
    ),
    "a base that is no name": (
        child("", "[t13]"),
        "m.yaml:1: extends: must be the name of a shipped machine or the path of a file",
    ),
    "itself as base": (child("", "m.yaml"), "m.yaml:1: extends: a circle: m.yaml -> m.yaml"),
}


def test_not_a_machine_file() -> None:
    for case, (text, message) in FILES.items():
        assert errors_of(text) == [message], case


def test_a_small_complete_file_needs_every_required_key() -> None:
    assert errors_of("schema: 1\n") == [
        "m.yaml:1: name: missing (allowed: lower-case letters, digits, '.', '_', '-', at most 64)",
        "m.yaml:1: title: missing (allowed: one line of at most 200 printable characters)",
        "m.yaml:1: source: missing (allowed: one paragraph of printable characters)",
        "m.yaml:1: clock: missing (allowed: such as 100 MHz)",
        "m.yaml:1: memory: missing (a section with instruction, data, unmapped)",
        (
            "m.yaml:1: core: missing (a section with model, harts, superscalar, "
            "divider_table, divider, misaligned, count_all, "
            "reset_pc, isa, rtl, latency, quirks)"
        ),
    ]


def test_all_errors_come_at_once_each_at_its_line() -> None:
    text = child(
        "clock: fast\n"
        "core:\n"
        "  harts: 7\n"
        "  harts: 9\n"
        "  quirks:\n"
        "    trap_sets_mpie: maybe\n"
        "vcu:\n"
        "  simd: 16\n"
        "  scratchpads:\n"
        "    count: 0\n"
        "wires: red\n"
    )
    assert errors_of(text) == [
        "m.yaml:7: core.harts: written twice, first at m.yaml:6",
        (
            "m.yaml:4: clock: 'fast' is not a frequency; write a number and its unit, as in "
            "'100 MHz' (units: Hz, kHz, MHz, GHz)"
        ),
        (
            "m.yaml:7: core.harts: must be 3 to 8 with core.model t13, not 9 (with 2 "
            "harts the RTL executes wrong code after a jump; core.model inorder is one hart)"
        ),
        "m.yaml:9: core.quirks.trap_sets_mpie: must not be 'maybe' (allowed: true, false)",
        (
            "m.yaml:11: vcu.simd: must not be 16 "
            "(allowed: 1, 2, 4, 8; the RTL takes powers of two only)"
        ),
        (
            "m.yaml:13: vcu.scratchpads.count: must not be 0 (allowed: 1 to 8; the RTL "
            "checks addresses correctly for 4 only)"
        ),
        (
            "m.yaml:14: wires: unknown key (allowed: schema, name, title, source, clock, memory, "
            "core, vcu, power, area, extends)"
        ),
    ]


def test_name_and_title_are_not_inherited() -> None:
    assert errors_of("extends: t13\n") == [
        "m.yaml:1: name: missing (allowed: lower-case letters, digits, '.', '_', '-', at most 64)",
        "m.yaml:1: title: missing (allowed: one line of at most 200 printable characters)",
    ]


def test_the_root_of_a_chain_names_its_schema() -> None:
    Path("root.yaml").write_text("core: {model: t13}\n")
    errors = errors_of(child("schema: 1", "./root.yaml"))
    assert errors[0] == (
        "root.yaml:1: schema: missing; a file that extends no other starts with 'schema: 1'"
    )
    assert not any("schema" in error for error in errors[1:])


def test_an_inherited_mistake_is_reported_where_it_is_written() -> None:
    Path("family").mkdir()
    Path("family/base.yaml").write_text(child("vcu: {simd: 5}"))
    assert errors_of(child("", "family/base.yaml")) == [
        (
            "family/base.yaml:4: vcu.simd: must not be 5 "
            "(allowed: 1, 2, 4, 8; the RTL takes powers of two only)"
        )
    ]
    errors = errors_of(child("", "../family/base.yaml"), "family/child.yaml")
    assert errors[0].startswith("family/base.yaml:4: vcu.simd: ")


def test_a_circle_of_two() -> None:
    Path("a.yaml").write_text(child("", "./b.yaml"))
    assert errors_of(child("", "./a.yaml"), "b.yaml") == [
        "a.yaml:1: extends: a circle: b.yaml -> a.yaml -> b.yaml"
    ]


def test_a_chain_without_end() -> None:
    for n in range(20):
        Path(f"m{n}.yaml").write_text(child("", f"m{n + 1}.yaml"))
    with pytest.raises(GnomonError) as caught:
        load_architecture("m0.yaml")
    chain = " -> ".join(f"m{n}.yaml" for n in range(17))
    assert str(caught.value) == f"m15.yaml:1: extends: a chain of more than 16 files: {chain}"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "t13-simd3",
            (
                f"no machine is called 't13-simd3' (known: {SHIPPED}, did you mean "
                f"'t13-simd8'?); "
                "give a user-defined file by its path, such as ./mine.yaml"
            ),
        ),
        (
            "",
            (
                f"no machine is called '' (known: {SHIPPED}); "
                "give a user-defined file by its path, such as ./mine.yaml"
            ),
        ),
        ("none.yaml", "none.yaml: no such file"),
        ("./t13", "./t13: no such file"),
        ("a\0b/c", "'a\\x00b/c': no such file"),
        (".", ".: not a file; a machine is one YAML file"),
        ("x" * 5000 + ".yaml", "x" * 5000 + ".yaml: no such file"),
    ],
)
def test_no_such_machine(name: str, message: str) -> None:
    with pytest.raises(GnomonError) as caught:
        load_architecture(name)
    assert str(caught.value) == message


OVERRIDES = {
    "core.harts=9": (
        "core.harts: must be 3 to 8 with core.model t13, not 9 (with 2 "
        "harts the RTL executes wrong code after a jump; core.model inorder is one hart)"
    ),
    "core.harts=": (
        "core.harts: must not be none (allowed: 3 to 8 with core.model t13; 1 with inorder)"
    ),
    "core.hart=4": "core.hart: unknown key, did you mean 'core.harts'?",
    "simd=4": "simd: unknown key, did you mean 'vcu.simd'?",
    "core=4": "core: a section; set one of its keys, such as core.model",
    "vcu=4": "vcu: a section; set one of its keys, or vcu=none to remove it",
    "vcu.scratchpads.size=4096": (
        "vcu.scratchpads.size: a size needs its unit, as in '4 KiB'; got 4096 "
        "(units: B, KiB, MiB, GiB)"
    ),
    "clock=[1]": "clock: takes one value, not a section or a list",
    "clock={a: 1}": "clock: takes one value, not a section or a list",
    "clock=[1": ("clock: not YAML: did not find expected ',' or ']' while parsing a flow sequence"),
    "clock=*a": "clock: anchors and aliases are not read; use extends to share values",
    "extends=t13": "extends: cannot be overridden; it belongs to the file",
    "schema=1": "schema: cannot be overridden; it belongs to the file",
    "core.harts": "write dotted.path=value, such as core.harts=3",
    "=3": "write dotted.path=value, such as core.harts=3",
    "core..harts=3": "core..harts: unknown key, did you mean 'core.harts'?",
    "core.latency.alu=1": (
        "core.latency: only core.model inorder has a latency table; t13 keeps the RTL's timing"
    ),
}


def test_one_wrong_override() -> None:
    for override, message in OVERRIDES.items():
        assert errors_with("t13-simd4", override) == [f"--set {override}: {message}"]


def test_an_override_of_a_vector_unit_that_is_not_there() -> None:
    expected = "this machine has no vcu; extend one with a vcu, such as t13-simd4"
    assert errors_with("t13", "vcu.simd=4") == [f"--set vcu.simd=4: vcu.simd: {expected}"]
    assert errors_with("t13-simd4", "vcu=none", "vcu.simd=4") == [
        f"--set vcu.simd=4: vcu.simd: {expected}"
    ]


def test_overrides_and_values_are_reported_together() -> None:
    assert errors_with("t13-simd4", "core.hart=4", "vcu.simd=3") == [
        "--set core.hart=4: core.hart: unknown key, did you mean 'core.harts'?",
        (
            "--set vcu.simd=3: vcu.simd: must not be 3 "
            "(allowed: 1, 2, 4, 8; the RTL takes powers of two only)"
        ),
    ]


def test_a_flag_in_a_message_stays_on_its_line() -> None:
    assert errors_with("t13-simd4", "a\nb=1") == ["--set 'a\\nb=1': a", "b: unknown key"]
