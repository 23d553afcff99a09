"""Vector instructions, transfers, M instructions: busy cycles, next instruction, result words."""

import struct
from collections import defaultdict
from collections.abc import Mapping

from gnomon.rtl.bare_metal import DATA_BASE, PRINT_ADDRESS, SPM_BASE
from gnomon.rtl.setting import Setting
from gnomon.rtl.validate._measuring import (
    CORE,
    SPM_BYTES,
    VECTOR_TYPE,
    Issues,
    Measuring,
    busy_by_start,
    measured_groups,
    measured_rows,
    rs2_is_register,
)
from gnomon.rtl.validate._record import Tally

_SPM = [SPM_BASE + SPM_BYTES * index for index in range(4)]
_ASIDE = 1024  # bytes; more than the longest vector measured there, 32 words
# Addresses of rd, rs1 and rs2.
_PLACEMENTS = {
    "distinct": (_SPM[2], _SPM[0], _SPM[1]),
    "rd=rs1": (_SPM[0] + _ASIDE, _SPM[0], _SPM[1]),
    "rd=rs2": (_SPM[1] + _ASIDE, _SPM[0], _SPM[1]),
    "off4": (_SPM[2] + 4, _SPM[0] + 4, _SPM[1] + 4),
    "rd_inplace": (_SPM[0], _SPM[0], _SPM[1]),
}
_PROGRAM = ("instruction", "simd")  # a program measures all rows with equal values of these
_MEMORY = DATA_BASE + 0x1000
_VECTOR_BYTES = 16
# Operands of the vector instruction after a transfer on scratchpad 0.
_KADDV = {
    "kaddv_rd_other_spm_only": (_SPM[3], _SPM[1], _SPM[2]),
    "kaddv_reads_loaded_spm": (_SPM[2], _SPM[0], _SPM[1]),
    "kaddv_writes_loaded_spm": (_SPM[0], _SPM[1], _SPM[2]),
}
_FOLLOW_UPS = {
    "nop": "nop",
    "lw": "lw t1, 0(s0)",
    "sw": "sw x0, 0(s0)",
    "kmem0": "kmemld x0, x0, x0",
    "csrr": "csrr t1, mhartid",
    "mulh": "mulh t1, t1, t1",
    "amoswap": "amoswap.w t1, x0, (s0)",
} | dict.fromkeys(_KADDV, "kaddv s2, s3, s4")


def vector_cycles_measured() -> Tally:
    """Compare vector instructions before scalar code, before a vector instruction, and alone."""
    tally = Tally()
    for (name, simd), rows in measured_groups(CORE, "vector.csv.xz", *_PROGRAM).items():
        program = Measuring()
        places = [_place_vector(program, name, row) for row in rows]
        run = program.run(Setting(int(simd)))
        issues, busy = Issues(run), busy_by_start(run, lsu=False)
        for row, (vector, scalar, transfer, one, two, lone, last) in zip(rows, places, strict=True):
            start = issues.first(vector)
            where = f"{name}, SIMD {simd}, {row['element_bits']} bits, {row['elements']} elements"
            got = {
                "vcu_busy_cycles": issues.first(last) - issues.first(lone) - 1,
                "next_scalar_issue_delta": issues.first(scalar) - start,
                "next_kmem_issue_delta": issues.first(transfer) - start,
                "next_vector_issue_delta": issues.last(two) - issues.first(one),
                "next_vector_retries": issues.retries(two),
                "vcu_busy_span": busy.get(start, "none"),
            }
            tally.row(where, {**row, "vcu_busy_span": row["vcu_busy_cycles"]}, got)
    return tally


def _place_vector(program: Measuring, name: str, row: Mapping[str, str]) -> tuple[int, ...]:
    rd, rs1, rs2 = _PLACEMENTS[row["placement"]]
    program.text(f"""
        li t0, {row["mvsize_bytes"]}
        csrw mvsize, t0
        csrwi mvtype, {VECTOR_TYPE[row["element_bits"]]}
        li a0, {rd}
        li a1, {3 if name == "kbcast" else rs1}
        li a2, {3 if rs2_is_register(name) else rs2}
    """)
    program.nothing()
    first = (program.vector(name), program.text("nop"), program.nothing())
    second = (program.vector(name), program.vector(name))
    program.nothing()
    return (*first, *second, program.vector(name), program.nothing())


def transfer_cycles() -> Tally:
    """Compare busy cycles of transfers, their bus requests, and the next two instructions."""
    tally = Tally()
    for (name, simd), rows in measured_groups(CORE, "kmem.csv.xz", *_PROGRAM).items():
        requests: dict[tuple[str, str], int] = {}
        program = Measuring()
        program.text(f"""
            li s0, {DATA_BASE}
            lw t1, 0(s0)  # amoswap takes its byte enables from the last load or store
            li t0, {_VECTOR_BYTES}
            csrw mvsize, t0
        """)
        places = [_place_transfer(program, name, row) for row in rows]
        run = program.run(Setting(int(simd)))
        issues = Issues(run)
        vector_busy, lsu_busy = busy_by_start(run, lsu=False), busy_by_start(run, lsu=True)
        for row, (transfer, follow_up, after, lone, last) in zip(rows, places, strict=True):
            size = row["bytes"], row["spm_offset"]
            if size not in requests:
                requests[size] = _bus_requests(name, simd, row)
            start, followed = issues.first(transfer), issues.first(follow_up)
            is_vector = row["follow_up"] in _KADDV
            got = {
                "lsu_busy_cycles": issues.first(last) - issues.first(lone) - 1,
                "lsu_busy_span": lsu_busy.get(start, "none"),
                "data_bus_requests": requests[size],
                "follow_up_issue_delta": followed - start,
                "instr_after_follow_up_delta": issues.first(after) - followed,
                "follow_up_vcu_busy_cycles": vector_busy.get(followed, "none") if is_vector else "",
            }
            where = f"{name}, SIMD {simd}, {row['bytes']} bytes, then {row['follow_up']}"
            tally.row(where, {**row, "lsu_busy_span": row["lsu_busy_cycles"]}, got)
    return tally


def _operands(program: Measuring, row: Mapping[str, str]) -> None:
    spm = _SPM[0] + int(row["spm_offset"])
    rd, rs1 = (_MEMORY, spm) if row["instruction"] == "kmemstr" else (spm, _MEMORY)
    program.text(f"li a0, {rd}\nli a1, {rs1}\nli a2, {row['bytes']}")


def _place_transfer(program: Measuring, name: str, row: Mapping[str, str]) -> tuple[int, ...]:
    _operands(program, row)
    for register, address in zip(
        ("s2", "s3", "s4"), _KADDV.get(row["follow_up"], ()), strict=False
    ):
        program.text(f"li {register}, {address}")
    program.nothing()
    first = (program.vector(name), program.text(_FOLLOW_UPS[row["follow_up"]]), program.nothing())
    return (*first, program.vector(name), program.nothing())


def _bus_requests(name: str, simd: str, row: Mapping[str, str]) -> int:
    program = Measuring()
    _operands(program, row)
    program.vector(name)
    return program.run(Setting(int(simd)), trace=False).transfer_bus_requests


_WORDS = 16
_SETTINGS = 9  # words of a record before the contents
_RECORD_BYTES = 4 * (_SETTINGS + 3 * _WORDS)
_OUT = DATA_BASE + 0x3_0000
_OPERANDS = ("rs1", "rs2", "rd")
_CONTENTS = ("rs1_words_hex", "rs2_words_hex", "rd_words_before_hex")
_M = ("mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu")


def vector_words() -> Tally:
    """Compare the 16 words at rd after each of the random vector instructions.

    Data memory holds a record per row. For each row, a subroutine fills the scratchpads from the
    record, the instruction runs, and a second subroutine stores and prints the words at rd.
    """
    tally = Tally()
    groups = measured_groups(CORE, "vector_semantics.csv.xz", *_PROGRAM)
    for (name, simd), rows in groups.items():
        program = Measuring()
        program.text(f"li s0, {DATA_BASE}")
        skip = program.text(_SUBROUTINES)
        fill, dump = skip + 4, skip + 4 * _FILL_WORDS
        for row in rows:
            program.text(f"jal ra, {fill}")
            program.vector(row["instruction"])
            program.text(f"jal ra, {dump}")
        data = b"".join(_record(row) for row in rows)
        printed = program.run(Setting(int(simd)), trace=False, data=data).printed
        for number, row in enumerate(rows):
            words = printed[_WORDS * number : _WORDS * (number + 1)]
            seen = " ".join(f"{word:08x}" for word in words)
            where = f"{name}, SIMD {simd}, {row['element_bits']} bits, {row['mvsize_bytes']} bytes"
            tally.row(where, row, {"rd_words_after_hex": seen})
    return tally


def _record(row: Mapping[str, str]) -> bytes:
    """Return a record: MVSIZE, MVTYPE, MPSCLFAC; addresses to fill; rd, rs1, rs2; contents."""
    rs1, rs2, rd = (
        SPM_BASE + SPM_BYTES * number + int(row[f"{operand}_byte_offset"])
        for number, operand in enumerate(_OPERANDS)
    )
    name, scalar = row["instruction"], int(row["rs_scalar_hex"] or "0", 16)
    settings = (
        int(row["mvsize_bytes"]),
        VECTOR_TYPE[row["element_bits"]],
        int(row["mpsclfac"]),
        *(rs1, rs2, rd),
        rd,
        scalar if name == "kbcast" else rs1,
        scalar if rs2_is_register(name) else rs2,
    )
    words: list[int] = []
    for column in _CONTENTS:  # empty if the instruction has no such vector
        words += [int(word, 16) for word in row[column].split()] or [0] * _WORDS
    return struct.pack(f"<{_SETTINGS + 3 * _WORDS}I", *settings, *words)


def _fill() -> list[str]:
    lines = []
    for position, csr in enumerate(("mvsize", "mvtype", "mpsclfac")):
        lines += [f"lw t0, {4 * position}(s0)", f"csrw {csr}, t0"]
    lines.append(f"li t1, {4 * _WORDS}")
    for operand in range(3):
        lines.append(f"lw t0, {12 + 4 * operand}(s0)")
        lines.append(f"addi t2, s0, {4 * _SETTINGS + 4 * _WORDS * operand}")
        lines.append("kmemld t0, t2, t1")
    lines += [f"lw a{position}, {24 + 4 * position}(s0)" for position in range(3)]
    return [*lines, "kmemld x0, x0, x0", "jalr x0, 0(ra)"]


def _dump() -> list[str]:
    return [
        f"li t1, {4 * _WORDS}",
        f"li t2, {_OUT}",
        "lw t0, 20(s0)",
        "kmemstr t2, t0, t1",
        f"li t0, {PRINT_ADDRESS}",
        *(line for word in range(_WORDS) for line in (f"lw t3, {4 * word}(t2)", "sw t3, 0(t0)")),
        f"addi s0, s0, {_RECORD_BYTES}",
        "jalr x0, 0(ra)",
    ]


_FILL_WORDS = 1 + len(_fill())  # the jump over both subroutines, then one word per line
_SUBROUTINES = "\n".join(["j past", *_fill(), *_dump(), "past:"])


def multiply_and_divide() -> Tally:
    """Compare the eight M instructions on every pair of the edge operands."""
    tally = Tally()
    by_pair: dict[tuple[int, int], dict[str, Mapping[str, str]]] = defaultdict(dict)
    for row in measured_rows(CORE, "mul_div_results.csv.xz"):
        by_pair[int(row["rs1_hex"], 16), int(row["rs2_hex"], 16)][row["instruction"]] = row
    program = Measuring()
    each = "\n".join(f"{name} a2, a0, a1\nsw a2, 0(s2)" for name in _M)
    program.text(f"""
        li s0, {DATA_BASE}
        li s1, {DATA_BASE + 8 * len(by_pair)}
        li s2, {PRINT_ADDRESS}
    again:
        lw a0, 0(s0)
        lw a1, 4(s0)
        {each}
        addi s0, s0, 8
        bne s0, s1, again
    """)
    data = b"".join(struct.pack("<2I", *pair) for pair in by_pair)
    printed = iter(program.run(trace=False, data=data).printed)
    for (one, two), rows in by_pair.items():
        for name in _M:
            got = {"rd_hex": f"{next(printed):08x}"}
            tally.row(f"{name} of {one:#x} and {two:#x}", rows[name], got)
    return tally
