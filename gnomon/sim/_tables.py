"""Instruction memory as the loop reads it: one ``ENTRY`` of :mod:`._structs` per word.

With RV32C there is one per halfword.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.isa import INSTRUCTIONS, decode_words
from gnomon.sim import _ops as op
from gnomon.sim._codes import SINK
from gnomon.sim._structs import ENTRY
from gnomon.sim._units import list_latencies, number_instructions

Array = npt.NDArray[np.int64]

_REDIRECTING = (op.JAL, op.JALR, op.FENCE_I, op.MRET)
"""Operations that always redirect the fetch; taken branches and traps do so too."""

_ACCESSES = {"load": 1, "store": 1, "amo": 2}
"""Accesses to memory, by class of instruction; a swap into x0 has one."""

_FIELDS: Final = slice(1 + 3 * op.OP_COUNT, op.USE_ROW)
"""The part of a row of ``Machine.uses`` by register field."""

_NOP = 0x13
_SET_CLEAR = [each for each in op.CSR_ACCESSES if each not in (op.CSRRW, op.CSRRWI)]
_OPCODE_LOAD = 0x03
_OPCODE_STORE = 0x23
_OPCODE_AMO = 0x2F
_OPCODE_KMEM = 0x0B
_OPCODE_KDSP = 0x2B
_OPCODE_OP = 0x33
_OPCODE_OP_IMM = 0x13
_OPCODE_JALR = 0x67
_OPCODE_SYSTEM = 0x73
_NOT_IN_MORPH = (0x07, 0x27, 0x53, _OPCODE_KMEM, _OPCODE_KDSP)
"""Opcodes of floating point and of the vector unit."""


def _compute_extra_cycles(architecture: Architecture) -> tuple[Array, Array]:
    """Return the static cycles in execute beyond the first, and the part that waits for the fetch.

    Both are by operation.
    """
    core, latency = architecture.core, architecture.core.latency
    extra = np.zeros(op.OP_COUNT, dtype=np.int64)
    for row in INSTRUCTIONS:
        if row.timing_class == "div" and core.divider is not None:
            continue  # a latency model gives its cycles
        if row.timing_class == "csr" and core.rtl == "morph":
            extra[row.number] = op.MORPH_CSR_EXTRA_CYCLES
        elif latency is None:
            extra[row.number] = op.T13_EXTRA_CYCLES.get(row.timing_class, 0)
            extra[row.number] += _ACCESSES.get(row.timing_class, 0) * architecture.data_waits
        elif row.timing_class in ("kmem", "kdsp"):
            extra[row.number] = latency.vector - 1
        else:
            extra[row.number] = latency[row.timing_class] - 1
    extra[op.VECTOR_UNIT] = extra[op.VECTOR[0]]
    if latency is not None:
        extra[op.FENCE_I] = latency["fence-i"] - 1
    for each, numbers in list_latencies(architecture):
        extra[numbers] = each.static_cycles - 1
    if latency is not None:
        extra[op.NOP] = extra[op.ADDI]
        extra[_list_accesses(architecture)] += architecture.data_waits
    fetch = _compute_fetch_waits(architecture, extra)
    return extra + fetch, fetch


def _compute_fetch_waits(architecture: Architecture, extra: Array) -> Array:
    """Return the static waits for the next instruction by operation.

    If the engine computes the waits, all are 0.

    Args:
        architecture: the machine.
        extra: cycles in execute beyond the first, by operation.
    """
    latency = architecture.core.latency
    fetch = np.zeros(op.OP_COUNT, dtype=np.int64)
    if latency is None or architecture.computes_fetch:
        return fetch
    hides, waits = hiding_operations(architecture), architecture.static_fetch_waits
    for number, (cycles, hidden) in enumerate(zip(extra.tolist(), hides.tolist(), strict=True)):
        fetch[number] = latency.fetch_wait(cycles + 1, waits, hides=hidden)
    fetch[list(_REDIRECTING)] += latency.fetch_redirect
    for each, numbers in list_latencies(architecture):
        if each.model.depends_on_operands:
            fetch[numbers] = 0  # it depends on them, too
    return fetch


def _list_accesses(architecture: Architecture) -> list[int]:
    """Return the operations that have the wait states of the data memory."""
    latency = architecture.core.latency
    rules = () if latency is None else latency.rules
    named = [op.operation_number(name) for rule in rules if rule.access for name in rule.of]
    return sorted({*op.numbers_of("load", "store"), *named})


def hiding_operations(architecture: Architecture) -> npt.NDArray[np.bool_]:
    """Return by operation whether long execution hides wait states of the fetch."""
    hides = np.ones(op.OP_COUNT, dtype=np.bool_)
    for each, numbers in list_latencies(architecture):
        hides[numbers] = each.hides
    if architecture.core.latency is not None:
        hides[[*_list_accesses(architecture), *op.numbers_of("system")]] = False
    return hides


def late_results(architecture: Architecture) -> tuple[Array, npt.NDArray[np.uint8]]:
    """Return ``Machine.uses``, and its row for each operation; row 0: results at the end."""
    latency = architecture.core.latency
    rows = {(0,) * op.USE_ROW: 0}
    row_of = np.zeros(op.OP_COUNT, dtype=np.uint8)
    if latency is not None and latency.late:
        for each in INSTRUCTIONS:
            known = latency.use(each.mnemonic, each.timing_class)
            if not any(known.values()):
                continue
            row = np.full(op.USE_ROW, known[""])
            row[_FIELDS] = 0
            for field, cycles in known.items():
                if field:
                    name, register = field.rsplit(".", 1)
                    place = 3 * op.operation_number(name) + ("rs1", "rs2", "rd").index(register)
                    row[_FIELDS][place] = cycles + 1
                    if register != "rd":  # the third operand is another one
                        row[1 + place] = cycles
            row[0] = max(known.values())
            row_of[each.number] = rows.setdefault(tuple(row.tolist()), len(rows))
    if latency is not None and architecture.core.unit_port == "direct":
        for number, (_, unit) in number_instructions(architecture).items():
            if unit.use_cycles:
                late = np.full(op.USE_ROW, unit.use_cycles)
                late[_FIELDS] = 0
                row_of[number] = rows.setdefault(tuple(late.tolist()), len(rows))
    return np.array(list(rows), dtype=np.int64), row_of


def heeding_operations(architecture: Architecture, uses: Array) -> npt.NDArray[np.uint8]:
    """Return by operation whether an instruction waits for others whose results it does not read.

    ``uses``: ``Machine.uses``.
    """
    heeds = np.zeros(op.OP_COUNT, dtype=np.uint8)
    latency = architecture.core.latency
    if latency is not None and latency.holds:
        named = uses[:, _FIELDS].reshape(len(uses), op.OP_COUNT, 3).max(axis=0)
        for row in INSTRUCTIONS:
            unread = [each == "rd" or each not in row.reads for each in ("rs1", "rs2", "rd")]
            heeds[row.number] = named[row.number, unread].any()
        heeds[[op.operation_number(name) for each in latency.interlocks for name in each.to]] = 1
    return heeds


def enabled_extensions(architecture: Architecture) -> frozenset[str]:
    extensions: set[str] = {row.extension for row in INSTRUCTIONS if not row.optional}
    if architecture.vcu is not None:
        optional = {row.extension for row in INSTRUCTIONS if row.optional}
        extensions |= {name for name in optional if name in architecture.vcu.extensions}
    else:
        extensions -= {"kmem", "kdsp"}
    if architecture.core.model != "t13":
        extensions -= {"A"}
    if not architecture.core.isa.endswith("_zicsr"):
        extensions -= {"Zicsr", "machine"}
    if not architecture.core.isa.startswith("rv32im"):
        extensions -= {"M"}
    return frozenset(extensions)


def pack(words: npt.NDArray[np.uint32], architecture: Architecture) -> npt.NDArray[np.void]:
    """Decode instructions into entries, with the decode quirks of the machine applied."""
    core, quirks = architecture.core, architecture.core.quirks
    extensions = enabled_extensions(architecture)
    compressed = core.alignment_bytes == 2
    decoded = decode_words(words, extensions, compressed=compressed)
    number, rd, rs1, rs2, imm, word = (
        decoded[name].astype(np.int64) for name in ("number", "rd", "rs1", "rs2", "imm", "word")
    )
    opcode = word & 0x7F
    field_rd, field_rs1 = (word >> 7) & 31, (word >> 15) & 31

    csr = (number >= 0) & np.isin(number, op.CSR_ACCESSES) & (opcode == _OPCODE_SYSTEM)
    imm = np.where(csr, decoded["csr"].astype(np.int64), imm)
    rs1 = np.where(csr, field_rs1, rs1)

    loose = {  # encodings that some machines execute regardless of the other fields
        "slli_ignores_funct7": (op.SLLI, (word >> 20) & 31),
        "jalr_ignores_funct3": (op.JALR, (word ^ 0x8000_0000) - 0x8000_0000 >> 20),
        "amo_ignores_funct5": (op.AMOSWAP, 0 * word),
    }
    taken = _match_quirks(number, word, architecture)
    for quirk, (operation, immediates) in loose.items():
        which = taken.get(quirk, np.zeros(len(word), dtype=np.bool_))
        number[which] = operation
        rd[which], rs1[which], imm[which] = field_rd[which], field_rs1[which], immediates[which]
    imm[number == op.AMOSWAP] = 0  # the ordering bits
    rs2 = np.where(number == op.AMOSWAP, (word >> 20) & 31, rs2)
    if quirks.op_rd_x0_is_nop:
        number[((opcode == _OPCODE_OP) | (opcode == _OPCODE_OP_IMM)) & (field_rd == 0)] = op.NOP
    by_operation, fetch = _compute_extra_cycles(architecture)
    row_of = np.zeros(op.OP_COUNT, dtype=np.uint8)
    for row, (each, numbers) in enumerate(list_latencies(architecture), 1):
        if each.model.depends_on_operands:
            row_of[numbers] = row
    uses, use = late_results(architecture)
    read = uses[:, 1 : _FIELDS.start].reshape(len(uses), op.OP_COUNT, 3)
    alike_read = (read == read[:, [op.NOP]]).all(axis=(0, 2))
    discards = np.isin(number, op.numbers_of("alu")) & (field_rd == 0)
    alike = (by_operation == by_operation[op.NOP]) & (row_of == 0) & (fetch == fetch[op.NOP])
    hides = hiding_operations(architecture)
    alike &= alike_read & (hides == hides[op.NOP])
    by_instruction = core.latency is not None and core.latency.holds
    by_instruction |= core.fetch is not None and bool(core.fetch.restarts)
    number[discards & alike[number] & (not by_instruction)] = op.NOP
    if quirks.load_rd_x0_is_nop:  # for any funct3
        number[(opcode == _OPCODE_LOAD) & (field_rd == 0)] = op.LOAD_X0
    if quirks.csr_set_clear_x0_is_nop:
        number[np.isin(number, _SET_CLEAR) & (field_rd == 0)] = op.NOP

    for operation, (_, unit) in number_instructions(architecture).items():
        hit = (number < 0) & (word & unit.row.mask == unit.row.match)
        number[hit] = operation
        rd[hit] = field_rd[hit] if unit.row.rd else 0
        rs1[hit] = field_rs1[hit] if unit.row.rs1 else 0
        rs2[hit] = (word[hit] >> 20) & 31 if unit.row.rs2 else 0
        third = {"rs3": word >> 27, "rd": field_rd, "none": 0 * word}
        imm[hit] = third.get(unit.third, (word ^ 0x8000_0000) - 0x8000_0000 >> 20)[hit]
    if core.rtl == "morph":  # it decodes instructions of missing units, without effect
        number[taken["core.rtl: morph"] & (number < 0)] = op.NOP
    illegal = number < 0
    number[illegal] = op.ILLEGAL
    if architecture.core.model == "t13":
        number[illegal & ((opcode == _OPCODE_LOAD) | (opcode == _OPCODE_STORE))] = op.ILLEGAL_LSU
        waits = (opcode == _OPCODE_AMO) | (opcode == _OPCODE_KMEM)
        number[illegal & waits] = op.ILLEGAL_KMEM
        if architecture.vcu is not None:
            number[illegal & (opcode == _OPCODE_KDSP)] = op.ILLEGAL_KDSP
    imm = np.where(illegal, word, imm)
    vector = np.isin(number, [*op.TRANSFERS, *op.VECTOR])
    extra = by_operation[number]
    entries = np.zeros(len(words), dtype=ENTRY.dtype)
    entries["op"] = number
    entries["rd"] = np.where((rd == 0) & ~vector, SINK, rd)
    entries["rs1"], entries["rs2"] = rs1, rs2
    entries["imm"] = imm.astype(np.uint32).view(np.int32)
    entries["extra"] = np.where(
        (number == op.AMOSWAP) & (field_rd == 0), 1 + architecture.data_waits, extra
    )
    entries["fetch"] = fetch[number]
    entries["latency"] = row_of[number]
    entries["use"] = use[number]
    if compressed or architecture.computes_fetch:
        entries["at"] = np.where(words & 3 == 3, 4, 2)
    return entries


def list_fields(
    words: npt.NDArray[np.uint32], architecture: Architecture
) -> npt.NDArray[np.uint32]:
    """Return instructions in 32 bits, with their register fields; compressed ones expanded."""
    compressed = architecture.core.alignment_bytes == 2
    decoded = decode_words(words, enabled_extensions(architecture), compressed=compressed)
    found: npt.NDArray[np.uint32] = decoded["word"].astype(np.uint32)
    return found


def _match_quirks(
    number: Array, word: Array, architecture: Architecture
) -> dict[str, npt.NDArray[np.bool_]]:
    """Return which words a machine executes differently from their decoding, by quirk.

    ``number``: of the instructions of the words; -1 if illegal.
    """
    core, quirks = architecture.core, architecture.core.quirks
    opcode, funct3, rd = word & 0x7F, (word >> 12) & 7, (word >> 7) & 31
    illegal, discards = number < 0, rd == 0
    changes = np.isin(number, _SET_CLEAR) & ((word >> 15) & 31 != 0)
    found = {
        "slli_ignores_funct7": illegal & (opcode == _OPCODE_OP_IMM) & (funct3 == 1),
        "jalr_ignores_funct3": illegal & (opcode == _OPCODE_JALR),
        "amo_ignores_funct5": illegal & (opcode == _OPCODE_AMO) & (funct3 == 2),
        "op_rd_x0_is_nop": illegal & discards & np.isin(opcode, (_OPCODE_OP, _OPCODE_OP_IMM)),
        "load_rd_x0_is_nop": discards & (opcode == _OPCODE_LOAD),
        "csr_set_clear_x0_is_nop": discards & changes,
    }
    found = {quirk: which for quirk, which in found.items() if getattr(quirks, quirk)}
    if core.rtl == "morph":
        found["core.rtl: morph"] = illegal & np.isin(opcode, _NOT_IN_MORPH)
    return found


def taken_as(
    words: npt.NDArray[np.uint32], architecture: Architecture
) -> dict[str, npt.NDArray[np.bool_]]:
    """Return which words a machine executes differently from the manual, by quirk."""
    decoded = decode_words(words, enabled_extensions(architecture))
    return _match_quirks(decoded["number"].astype(np.int64), words.astype(np.int64), architecture)


def suspects(words: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    """Return which words :func:`taken_as` may name on some machine; a fast first check."""
    opcode, funct3 = words & 0x7F, words & 0x7000
    discards = (words & 0xF80 == 0) & (words != _NOP)
    # CSR accesses that set or clear bits: funct3 2, 3, 6, 7 and a source.
    changes = (opcode == _OPCODE_SYSTEM) & (funct3 & 0x2000 != 0) & (words & 0xF8000 != 0)
    discards &= changes | np.isin(opcode, (_OPCODE_OP, _OPCODE_OP_IMM, _OPCODE_LOAD))
    loose = (opcode == _OPCODE_OP_IMM) & (funct3 == 0x1000) & (words >> 25 != 0)
    loose |= (opcode == _OPCODE_JALR) & (funct3 != 0)
    found: npt.NDArray[np.bool_] = discards | loose
    return found | np.isin(opcode, (_OPCODE_AMO, *_NOT_IN_MORPH))


def lead_jumps(table: npt.NDArray[np.void], words: Array, ishift: int) -> None:
    """Convert the targets of branches and jal in these words of the table to entry offsets."""
    imm, operation = table["imm"][words], table["op"][words]
    direct = np.isin(operation, [op.JAL, *op.BRANCHES])
    to = words + (imm >> ishift)
    inside = (imm & ((1 << ishift) - 1) == 0) & (to >= 0) & (to < len(table) - 1)
    led = np.where(inside, (imm >> ishift) * table.itemsize, 0)
    table["imm"][words] = np.where(direct, led, imm)


def lay_out(table: npt.NDArray[np.void], rotation: int) -> None:
    """Store in each entry of the table the cycles from the first entry.

    Args:
        table: entries of all words, and one more.
        rotation: cycles from one issue to the next without waits.
    """
    words = table[:-1]
    # After an illegal word the loop continues as after a jump.
    cycles = np.where(words["op"] == op.ILLEGAL, 0, words["extra"] + np.uint32(rotation))
    table["at"][0] = 0
    np.cumsum(cycles, dtype=np.uint32, out=table["at"][1:])
