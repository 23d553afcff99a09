"""Every message that a value of an in-order core can cause, asserted whole."""

from __future__ import annotations

import pytest

from gnomon.isa import list_instructions
from tests.arch._messages import child, errors_of

pytestmark = pytest.mark.usefixtures("empty_folder")

_RULED = list_instructions(("I", "M", "Zicsr", "Zifencei", "machine"))

INORDER: dict[str, str | list[str]] = {
    "memory: {caches: {icache: {line: 24 B, sets: 3, ways: 0}}}": [
        "m.yaml:4: memory.caches.icache.line: must be a power of two from 4 B to 256 B, not 24 B",
        "m.yaml:4: memory.caches.icache.sets: must be a power of two from 1 to 4096, not 3",
        "m.yaml:4: memory.caches.icache.ways: must not be 0 (allowed: 1 to 16)",
    ],
    "memory: {caches: {icache: {line: 4 B, sets: 2, ways: 1, replacement: random}}}": (
        "m.yaml:4: memory.caches.icache.replacement: not modeled: a miss replaces the line of its "
        "set that was used least recently"
    ),
    "memory: {caches: {l2: {}}}": (
        "m.yaml:4: memory.caches.l2: not modeled: icache, for instructions, and dcache, for loads, "
        "are the only caches"
    ),
    "memory: {caches: {icache: {line: 4 B, sets: 2, ways: 1}}}\ncore: {isa: rv32imc}": (
        "m.yaml:5: core.isa: must have no c with memory.caches.icache, not rv32imc: the fetch of "
        "an instruction in two lines is unavailable"
    ),
    "core: {fetch: {queue: 2}, latency: {taken-fetches: 1}}": (
        "m.yaml:4: core.fetch: must be none with core.latency.taken-fetches 1: a queue gives the "
        "waits for the next instruction"
    ),
    "core: {fetch: {queue: 2, port: shared}}": (
        "m.yaml:4: core.fetch.port: must be separate with core.misaligned split: the order of two "
        "accesses and a fetch is unavailable"
    ),
    "core: {isa: rv32imc, fetch: {queue: 1, takes: instructions}}": (
        "m.yaml:4: core.fetch.queue: must be at least 2 with takes instructions and compressed "
        "instructions, which begin in one word and end in the next"
    ),
    "core: {fetch: {queue: 2}, predictor: {kind: table}}": (
        "m.yaml:4: core.predictor.kind: must be static or one-entry with core.fetch: when a queue "
        "looks a table up is unavailable"
    ),
    "core: {predictor: {kind: table, entries: 12}}": (
        "m.yaml:4: core.predictor.entries: must be a power of two from 2 to 64, not 12"
    ),
    "core: {predictor: {kind: static, ras: 4}}": (
        "m.yaml:4: core.predictor.ras: return address stacks are not modeled: a jalr costs "
        "core.latency.jump"
    ),
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
        "instruction-waits, data-waits, waits, prefetch, taken-fetches, split-target, "
        "split-next, split-again, unit-port, rules, bypass, interlocks, "
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
        "instruction-waits, data-waits, waits, prefetch, taken-fetches, split-target, "
        "split-next, split-again, unit-port, rules, bypass, interlocks, "
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
    "core: {latency: {bypass: [{of: [lw], to: [sw.rs3], cycles: 1}]}}": (
        "m.yaml:4: core.latency.bypass.0.to: sw.rs3 is not a register field (allowed: rs1, rs2, "
        "rd, or one of an instruction, such as sw.rs2, did you mean 'sw.rs2'?)"
    ),
    "core: {latency: {interlocks: [{of: [lw], to: [muls], cycles: 0}]}}": [
        (
            "m.yaml:4: core.latency.interlocks.0.to: muls is not an instruction (allowed: "
            f"{', '.join(row.mnemonic for row in _RULED)}, did you mean 'mul'?)"
        ),
        "m.yaml:4: core.latency.interlocks.0.cycles: must be 1 to 64, not 0",
    ],
    "core: {latency: {interlocks: [{of: [], to: [lw], cycles: 1}]}}": (
        "m.yaml:4: core.latency.interlocks.0.of: must name an instruction"
    ),
    "core: {latency: {interlocks: [{of: [lw, sw], to: [mul], cycles: 1}, {of: [sw], to: [mul], "
    "cycles: 2}]}}": ("m.yaml:4: core.latency.interlocks.1.to: sw before mul already has an entry"),
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
        wanted = message if isinstance(message, list) else [message]
        assert errors_of(child(body, "rv32im")) == wanted, body
