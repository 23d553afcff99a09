"""What a machine does not have: CSRs and instructions, reported where a program uses them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.isa import CSR_ADDRESS, STANDARD_CSRS, assemble, encode
from gnomon.program import build
from gnomon.sim import simulate
from gnomon.sim.crash import crash_of
from tests.robustness._programs import machine, run_words, t13_words

CLEAN = ("rv32im", "ibex-like", "hazard3", "hazard3-c", "rv32im-simd4")
EXIT = [*assemble("lui t0, 0x1a110"), encode("sw", rs1=5, rs2=10, imm=-16)]
COUNTERS = range(3, 32)
REQUIRED = [
    *(f"mhpmcounter{n}" for n in COUNTERS), *(f"mhpmcounter{n}h" for n in COUNTERS),
    *(f"mhpmevent{n}" for n in COUNTERS),
]  # fmt: skip
"""The privileged specification, 3.1.10: they exist, and may be 0 for good."""
READ_ONLY = ("mvendorid", "marchid", "mimpid", "mconfigptr", "mhartid")
WRITTEN = (
    "mstatus", "misa", "mie", "mtvec", "mstatush", "mscratch", "mepc", "mcause", "mtval", "mip",
    "mcycle", "minstret", "mcycleh", "minstreth", "mcountinhibit",
)  # fmt: skip


def csr(name: str) -> int:
    return STANDARD_CSRS[name]


def test_standard_addresses_are_those_of_the_t13_where_both_have_one() -> None:
    renamed = {"mbadaddr": "mtval", "mimpid": None}  # the T13 has mimpid elsewhere
    for name, address in CSR_ADDRESS.items():
        standard = renamed.get(name, name)
        if standard in STANDARD_CSRS:
            assert STANDARD_CSRS[standard] == address


@pytest.mark.parametrize("arch", CLEAN)
def test_counters_of_the_specification_are_there_and_read_0(arch: str) -> None:
    """A write changes nothing, and nothing traps."""
    body = []
    for name in REQUIRED:
        body += [*assemble("addi a1, zero, -1"), encode("csrrw", rd=6, rs1=11, csr=csr(name)),
                 encode("csrrs", rd=7, csr=csr(name)),
                 *assemble("or a0, a0, t1\nor a0, a0, t2")]  # fmt: skip
    run = run_words([*assemble("addi a0, zero, 0"), *body, *EXIT], arch=arch)
    assert (run.halted, run.exit_code, run.warnings) == ("exit", 0, ())


@pytest.mark.parametrize("name", [*READ_ONLY, *WRITTEN])
@pytest.mark.parametrize("arch", ["rv32im", "hazard3-c"])
def test_registers_of_the_specification_are_there(arch: str, name: str) -> None:
    words = [encode("csrrs", rd=11, csr=csr(name))]
    if name in WRITTEN:
        words.append(encode("csrrw", rd=0, rs1=0, csr=csr(name)))
    run = run_words([*assemble("addi a0, zero, 0"), *words, *EXIT], arch=arch)
    assert (run.halted, run.exit_code) == ("exit", 0)


@pytest.mark.parametrize("name", READ_ONLY)
def test_read_only_registers_trap_on_a_write(name: str) -> None:
    run = run_words([encode("csrrw", rd=0, rs1=10, csr=csr(name)), *EXIT], arch="rv32im")
    assert run.halted == "fault"
    assert f"no CSR {name}, or one that cannot be written: csrrw" in run.reason


@pytest.mark.parametrize("arch", CLEAN)
@pytest.mark.parametrize(("bit", "counter"), [(1, "mcycle"), (4, "minstret"), (5, "mcycle")])
def test_inhibited_counters_stand_still(arch: str, bit: int, counter: str) -> None:
    """While its bit is set; then it resumes from there, and can be written in between."""
    read = encode("csrrs", rd=11, csr=csr(counter)), encode("csrrs", rd=12, csr=csr(counter))
    spin = assemble("addi t0, zero, 40\nturn: addi t0, t0, -1\nbnez t0, turn")
    set_ = [*assemble(f"addi t1, zero, {bit}"), encode("csrrw", rs1=6, csr=csr("mcountinhibit"))]
    clear = [encode("csrrw", rs1=0, csr=csr("mcountinhibit"))]
    print_ = [*assemble("lui t2, 0x1a110"), encode("sw", rs1=7, rs2=12, imm=-12)]
    difference = [*assemble("sub a2, a2, a1"), *print_]
    written = [*assemble("addi t1, zero, 77"), encode("csrrw", rs1=6, csr=csr(counter))]
    words = [
        *set_, read[0], *spin, read[1], *difference,  # 0: stands still
        *written, *spin, read[1], *print_,  # 77: may be written while it does
        *clear, read[0], *spin, read[1], *difference,  # counts again
        encode("csrrs", rd=12, csr=csr("mcountinhibit")), *print_,  # 0
        *assemble("addi t1, zero, -1"), encode("csrrw", rs1=6, csr=csr("mcountinhibit")),
        encode("csrrs", rd=12, csr=csr("mcountinhibit")), *print_,  # the two bits there are
        *assemble("addi a0, zero, 0"), *EXIT,
    ]  # fmt: skip
    run = run_words(words, arch=arch)
    assert run.exit_code == 0
    still, kept, counted, none, both = run.printed
    assert (still, kept, none, both) == (0, 77, 0, 5)
    free = run_words([read[0], *spin, read[1], *difference, *assemble("addi a0, zero, 0"), *EXIT],
                     arch=arch).printed[0]  # fmt: skip
    assert counted == free > 80


@pytest.mark.parametrize("arch", CLEAN)
def test_the_set_up_of_performance_counters(arch: str, tmp_path: Path) -> None:
    source = tmp_path / "pcount.c"
    source.write_text(
        "int main(void)\n{\n    unsigned v;\n"
        '    __asm__ volatile("csrw mcountinhibit, %0" ::"r"(-1));\n'
        '    __asm__ volatile("csrw mcycle, x0\\n csrw minstret, x0\\n csrw mhpmcounter3, x0");\n'
        '    __asm__ volatile("csrw mcountinhibit, x0");\n'
        '    __asm__ volatile("csrr %0, mhpmcounter3" : "=r"(v));\n    return (int)v;\n}\n'
    )
    architecture = machine(arch)
    assert simulate(build([source], architecture), architecture).exit_code == 0


MISSING = (
    "cycle", "cycleh", "instret", "time", "misa", "mcountinhibit", "medeleg", "pmpcfg0", "mscratch",
    "mie", "mhpmcounter4", "mhpmcounter11", "mhpmevent4", "hpmcounter3", "mvendorid",
)  # fmt: skip


@pytest.mark.parametrize("name", MISSING)
@pytest.mark.parametrize("write", [False, True])
def test_a_csr_that_the_t13_does_not_have_is_reported(name: str, write: bool) -> None:
    access = (
        encode("csrrw", rd=0, rs1=6, csr=csr(name))
        if write
        else encode("csrrs", rd=6, csr=csr(name))
    )
    words = t13_words("nop\nnop\nli t0, 0x1a10fff0\nsw zero, 0(t0)\nstay: j stay")
    place = words.index(assemble("nop")[0], 6)
    words[place] = access
    run = run_words(words)
    (said,) = run.warnings
    assert f"the machine has no CSR {name}, which is accessed at 0x{0x80 + 4 * place:08X}" in said
    assert "reads 0 and writes nothing" in said
    assert not run.unlike_rtl
    quirk = run_words(words, "core.quirks.unknown_csr_reads_zero=false")
    assert (quirk.exit_code, quirk.warnings) == (99, ())


@pytest.mark.parametrize("name", sorted(CSR_ADDRESS))
def test_csrs_of_the_t13_are_not_reported(name: str) -> None:
    words = t13_words("nop\nli t0, 0x1a10fff0\nsw zero, 0(t0)\nstay: j stay")
    words[words.index(assemble("nop")[0], 6)] = encode("csrrs", rd=6, csr=CSR_ADDRESS[name])
    run = run_words(words, arch="t13-simd2")
    assert run.exit_code == 0
    assert not any("no CSR" in each for each in run.warnings)


def immediate(top: int, rd: int = 10, funct3: int = 1) -> int:
    return top << 20 | 10 << 15 | funct3 << 12 | rd << 7 | 0x13


def atomic(funct5: int) -> int:
    return funct5 << 27 | 11 << 20 | 13 << 15 | 2 << 12 | 10 << 7 | 0x2F


LOOSE = {
    "clz": (immediate(0x600), "slli_ignores_funct7", "clz (0x"),
    "ctz": (immediate(0x601), "slli_ignores_funct7", "ctz (0x"),
    "cpop": (immediate(0x602), "slli_ignores_funct7", "cpop (0x"),
    "sext.b": (immediate(0x604), "slli_ignores_funct7", "sext.b (0x"),
    "sext.h": (immediate(0x605), "slli_ignores_funct7", "sext.h (0x"),
    "bseti": (immediate(0x14 << 5 | 3), "slli_ignores_funct7", "bseti (0x"),
    "binvi": (immediate(0x34 << 5 | 3), "slli_ignores_funct7", "binvi (0x"),
    "slli of 64 bits": (immediate(0x21), "slli_ignores_funct7", ".word 0x"),
    "lr.w": (atomic(2), "amo_ignores_funct5", "lr.w (0x"),
    "sc.w": (atomic(3), "amo_ignores_funct5", "sc.w (0x"),
    "amoadd.w": (atomic(0), "amo_ignores_funct5", "amoadd.w (0x"),
    "amomaxu.w": (atomic(0x1C), "amo_ignores_funct5", "amomaxu.w (0x"),
    "jalr with funct3": (0x00061067 | 6 << 15, "jalr_ignores_funct3", ".word 0x"),
    "sub without effect and with bits": (0x42000033, "op_rd_x0_is_nop", ".word 0x"),
    "load into x0": (encode("lw", rd=0, rs1=13, imm=0), "load_rd_x0_is_nop", "lw zero,0(a3)"),
    "set bits": (encode("csrrs", rd=0, rs1=13, csr=0x300), "csr_set_clear_x0_is_nop", "csrrs zero"),
    "clear bits": (encode("csrrci", rd=0, imm=8, csr=0x300), "csr_set_clear_x0_is_nop", "csrrci"),
}  # fmt: skip
SETUP = "li a3, 0x100000\nsw a3, 0(a3)\nla a2, next\nmv t1, a2\n"
REST = "\nnext: li t0, 0x1a10fff0\nsw zero, 0(t0)\nstay: j stay"


@pytest.mark.parametrize("name", LOOSE)
def test_encodings_that_the_t13_executes_as_something_else(name: str) -> None:
    word, quirk, shown = LOOSE[name]
    words = t13_words(f"{SETUP}nop{REST}")
    place = words.index(assemble("nop")[0], 6)
    words[place] = word
    run = run_words(words)
    (said,) = run.warnings
    assert said.startswith(shown)
    assert f" at 0x{0x80 + 4 * place:08X} " in said
    assert f"(core.quirks.{quirk}); such words were executed 1 time" in said
    assert not run.unlike_rtl


ORDINARY = (
    "slli a0, a0, 5", "srai a0, a0, 5", "add zero, a0, a1", "addi zero, zero, 0",
    "csrrs a0, mstatus, zero",
    "csrrw zero, mepc, a0", "csrrs zero, mstatus, zero", "amoswap.w a0, a1, (a3)", "lw a0, 0(a3)",
    "fence rw, rw", "jalr t0, 0(a2)", "div a0, a0, a1",
)  # fmt: skip


@pytest.mark.parametrize("text", ORDINARY)
def test_what_is_meant_is_not_reported(text: str) -> None:
    words = t13_words(f"{SETUP}{text}{REST}")
    run = run_words(words)
    assert (run.exit_code, run.warnings) == (0, ())


def test_what_is_not_executed_is_not_reported() -> None:
    words = t13_words(f"{SETUP}j next\nnop{REST}")
    words[words.index(assemble("nop")[0], 6)] = LOOSE["cpop"][0]
    assert run_words(words).warnings == ()


ILLEGAL = {
    "picorv32": ("csrr a0, mcycle", "the machine has no CSRs (core.isa: rv32im): csrrs a0,mcycle"),
    "serv": ("mul a0, a0, a1", "the machine has no multiplication and division (core.isa: rv32i)"),
    "ibex": ("csrr a0, mcycle", "the machine has no CSRs (core.isa: rv32im)"),
    "rv32im": ("amoswap.w a0, a1, (a3)", "the machine has no atomic instructions (core.isa"),
    "hazard3": ("kaddv a0, a0, a1", "the machine has no vector unit (vcu: none): kaddv"),
    "rv32im-simd4": ("kvdiv a0, a0, a1", "the vector unit has no kdiv (vcu.extensions): kvdiv"),
    "t13": ("kaddv a0, a0, a1", "the machine has no vector unit (vcu: none): kaddv"),
    "t13-simd2": ("kvdiv a0, a0, a1", "the vector unit has no kdiv (vcu.extensions): kvdiv"),
    "hazard3-c": ("csrr a0, 0x3a0", "the machine has no CSR pmpcfg0, or one that cannot"),
}  # fmt: skip


@pytest.mark.parametrize("arch", ILLEGAL)
def test_an_illegal_instruction_says_what_the_machine_has_not(arch: str) -> None:
    text, said = ILLEGAL[arch]
    words = [encode("addi", rd=5, rs1=0, imm=0)]
    architecture = machine(arch)
    if architecture.core.isa.endswith("zicsr"):
        words.append(encode("csrrw", rd=0, rs1=0, csr=CSR_ADDRESS["mtvec"]))  # nothing is there
    run = run_words([*words, *assemble(text)], arch=arch)
    assert run.halted == "fault"
    assert f"; {said}" in run.reason


def test_a_crash_says_it_too(tmp_path: Path) -> None:
    source = tmp_path / "it.c"
    source.write_text('int main(void) { __asm__ volatile("csrr a0, pmpcfg0"); return 0; }\n')
    architecture = machine("rv32im")
    program = build([source], architecture)
    crash = crash_of(simulate(program, architecture), program)
    assert crash is not None
    assert str(crash).endswith(f"; {crash.detail}")
    assert crash.detail.startswith("the machine has no CSR pmpcfg0")
