"""Coverage: the rules of the reference that a set of programs met, counted in issues of the model.

A program meets a rule if it issues a word of that kind. Rules cover instructions, CSRs with each
form of access, reserved encodings, and the instructions that an interrupt replaces. A rule that no
single word shows (a length, a place) is listed in ``about`` of its item.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from gnomon.isa import CSR_ADDRESS, Instruction, decode_word, list_instructions
from gnomon.rtl.lockstep._case import Case, Code
from gnomon.rtl.lockstep._words import COUNTER_CSRS, MOST_DISTANCE
from gnomon.sim import Run

RETRY_WORD = 0x6F
_CLASSES = ("alu", "mul", "mulh", "div", "store", "branch", "jump", "csr", "fence", "wfi")
_SKIPPED = frozenset(("ebreak",))  # gives control of the hart to a debugger
_WIDTHS = (8, 16, 32)
_VECTOR_OPCODES = (0x0B, 0x2B)


def all_rules(*, vector: bool, units: Sequence[str] = ()) -> tuple[str, ...]:
    """Return every rule that programs can meet, on a core with or without a vector unit.

    ``units``: mnemonics of the instructions of its units.
    """
    of_units = (*units, "interrupt in place of unit") if units else ()
    return tuple(dict.fromkeys((*_all_rules(vector=vector), *of_units)))


def _all_rules(*, vector: bool) -> Iterator[str]:
    for row in list_instructions():
        if row.mnemonic not in _SKIPPED and (vector or not _is_vector(row)):
            yield row.mnemonic
            if row.timing_class == "kdsp":
                yield from (f"{row.mnemonic}, {width} bits" for width in _WIDTHS)
    yield from ("amoswap.w to x0", "load to x0", "OP to x0", "OP-IMM to x0")
    yield from ("CSR set or clear to x0", "CSR without a register")
    vectors = ("mvsize", "mvtype", "mpsclfac")
    for name in CSR_ADDRESS:
        if name not in COUNTER_CSRS and (vector or name not in vectors):
            yield f"{name} read"
            yield from (f"{name} {what}" for what in ("written", "bits set", "bits cleared"))
    for what in ("OP funct7", "shift funct7", "branch funct3", "load funct3", "store funct3",
                 "jalr funct3", "fence funct3", "system funct3 4", "privileged number",
                 "AMO funct3", "AMO funct5", "opcode"):  # fmt: skip
        yield f"reserved: {what}"
    if vector:
        yield "reserved: funct3 of a vector instruction"
        yield from ("vector instruction retried", "MVSIZE 0", "MVSIZE no multiple of the width")
        for name in ("kmemld", "kmemstr", "kbcastld"):
            yield from (f"{name}, {what}" for what in ("some words", "nothing", "long",
                                                       "longer than a scratchpad"))  # fmt: skip
    yield from (f"own word patched {d} slots ahead" for d in range(MOST_DISTANCE + 1))
    yield from ("word of a hart patched", "words that others patch issued")
    yield "interrupt of its own, and wfi"
    for name in _CLASSES:
        yield f"interrupt in place of {name}"
    for what in ("illegal instruction", "ecall", "load or amoswap", "store", "CSR"):
        yield f"exception of {what}"
    if vector:
        yield from ("exception of vector instruction", "exception of transfer",
                    "interrupt in place of a retry")  # fmt: skip


def _is_vector(row: Instruction) -> bool:
    return row.match & 0x7F in _VECTOR_OPCODES


def met_rules(case: Case, run: Run) -> Counter[str]:
    """Count how often a case met each rule."""
    assert run.trace is not None
    trace, units = run.trace, run.architecture.unit_rows
    met: Counter[str] = Counter()
    words, counts = np.unique(trace["word"], return_counts=True)
    for word, count in zip(words.tolist(), counts.tolist(), strict=True):
        for rule in _rules_of_word(int(word), units):
            met[rule] += count
    issued = Counter(zip(trace["hart"].tolist(), trace["pc"].tolist(), strict=True))
    code = Code(case)
    for hart, pc, item in code.items:
        for rule in item.about:
            met[rule] += issued.get((hart, pc), 0)
    before: dict[int, tuple[int, int]] = {}
    discarded: dict[int, int] = {}
    for _, hart, pc, word in trace.tolist():
        place = pc & ~3
        if place == code.handler:
            # The previous word is the jump at the vector; the word before it was discarded.
            discarded[hart] = before.get(hart, (0, 0))[0]
        elif place == code.interrupted:
            met[f"interrupt in place of {_class(discarded.get(hart, 0), units)}"] += 1
        elif place == code.handler + 8 and hart in discarded:
            met[f"exception of {_trapping(discarded.pop(hart))}"] += 1
        previous = before.get(hart, (0, 0))
        before[hart] = (previous[1], word)
    return met


def count_unit_issues(run: Run) -> dict[str, int]:
    """Count the issues of each instruction of the units of a traced run's machine."""
    assert run.trace is not None
    words = run.trace["word"].astype(np.uint32)
    return {
        row.mnemonic: int(((words & np.uint32(row.mask)) == np.uint32(row.match)).sum())
        for row in run.architecture.unit_rows
    }


def _rules_of_word(word: int, units: Sequence[Instruction]) -> Iterator[str]:
    if word == RETRY_WORD:
        yield "vector instruction retried"
        return
    decoded = decode_word(word, units=units)
    opcode, funct3, rd = word & 0x7F, word >> 12 & 7, word >> 7 & 31
    if decoded is not None:
        row = decoded.instruction
        yield row.mnemonic
        if rd == 0:
            yield from {
                0x03: ("load to x0",), 0x33: ("OP to x0",), 0x13: ("OP-IMM to x0",),
                0x2F: ("amoswap.w to x0",),
            }.get(opcode, ())  # fmt: skip
    if opcode == 0x73 and funct3 not in (0, 4):
        yield from _rules_of_csr(word)
    elif opcode in _VECTOR_OPCODES:
        if funct3 != 2:
            yield "reserved: funct3 of a vector instruction"
    elif (reserved := _reserved(word, known=decoded is not None)) is not None:
        yield f"reserved: {reserved}"


def _rules_of_csr(word: int) -> Iterator[str]:
    funct3, rd, operand = word >> 12 & 7, word >> 7 & 31, word >> 15 & 31
    name = _NAMES.get(word >> 20)
    if name is None:
        yield "CSR without a register"
        return
    form = funct3 & 3
    if form != 1 and rd == 0:
        yield "CSR set or clear to x0"
    elif form == 1:
        yield f"{name} written"
    elif operand == 0:
        yield f"{name} read"
    else:
        yield f"{name} bits {'set' if form == 2 else 'cleared'}"


_NAMES = {address: name for name, address in CSR_ADDRESS.items()}


def _reserved(word: int, *, known: bool) -> str | None:
    opcode, funct3 = word & 0x7F, word >> 12 & 7
    if opcode == 0x2F:
        return "AMO funct3" if funct3 != 2 else None if word >> 27 == 1 else "AMO funct5"
    if opcode == 0x67:
        return "jalr funct3" if funct3 else None
    if known:
        return None
    if opcode == 0x73:
        return "system funct3 4" if funct3 == 4 else "privileged number"
    return _ODD.get(opcode, "opcode")


_ODD = {0x33: "OP funct7", 0x13: "shift funct7", 0x63: "branch funct3", 0x03: "load funct3",
        0x23: "store funct3", 0x0F: "fence funct3"}  # fmt: skip


def _class(word: int, units: Sequence[Instruction]) -> str:
    if word == RETRY_WORD:
        return "a retry"
    decoded = decode_word(word, units=units)
    if decoded is None:
        return "an odd word"
    return "wfi" if decoded.instruction.mnemonic == "wfi" else decoded.instruction.timing_class


def _trapping(word: int) -> str:
    match word & 0x7F:
        case 0x03 | 0x2F if decode_word(word) is not None:
            return "load or amoswap"
        case 0x23 if decode_word(word) is not None:
            return "store"
        case 0x2B:
            return "vector instruction"
        case 0x0B:
            return "transfer"
        case 0x73 if word >> 12 & 3:
            return "CSR"
    return "ecall" if word == _ECALL else "illegal instruction"


_ECALL = 0x73
