"""A small two-pass assembler for tests and microbenchmarks.

It reads the output of ``disassemble``, plus labels, ``.word`` and the pseudo-instructions li, la,
mv, nop, j, ret, beqz, bnez, csrr, csrw, csrwi. Larger programs need a real toolchain.
"""

import re
from collections.abc import Callable
from typing import NoReturn

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.isa._encode import REGISTER_OF_NAME, encode
from gnomon.isa._encode import operands as operands_of
from gnomon.isa._instruction import CSR_ADDRESS, INSTRUCTIONS, Instruction

_LABEL = re.compile(r"\s*([A-Za-z_.$][\w.$]*)\s*:")
_MEMORY = re.compile(r"([^()]*)\(([^()]+)\)")
_ORDERINGS = {"": 0, ".rl": 1, ".aq": 2, ".aqrl": 3}
_ROWS = {row.mnemonic: row for row in INSTRUCTIONS}


def assemble(text: str, base: int = 0, *, name: str = "assembly") -> list[int]:
    """Return the words of a program that starts at address ``base``.

    Branch and jump operands are labels or absolute addresses. ``li`` takes a number and becomes
    one or two words, ``la`` a label and always becomes lui and addi. ``#`` starts a comment.

    Args:
        text: one statement per line, optionally after a label.
        base: address of the first word, in bytes.
        name: of the text in messages, usually a file name.

    Raises:
        GnomonError: if a statement cannot be encoded, as ``name:line: problem``.
    """
    return _Assembler(base, name).run(text)


class _Assembler:
    def __init__(self, base: int, name: str) -> None:
        self.base = base
        self.name = name
        self.line = 0
        self.labels: dict[str, int] = {}

    def run(self, text: str) -> list[int]:
        statements: list[tuple[int, str]] = []
        for self.line, raw in enumerate(text.splitlines(), start=1):
            rest = raw.split("#")[0]
            while match := _LABEL.match(rest):
                label = match[1]
                if label in self.labels:
                    self.fail(f"label {label!r} is defined twice")
                self.labels[label] = self.base + 4 * len(statements)
                rest = rest[match.end() :]
            if rest.strip():
                statements += [(self.line, simple) for simple in self.expand(rest.strip())]
        words = []
        for position, (self.line, statement) in enumerate(statements):
            words.append(self.word(statement, self.base + 4 * position))
        return words

    def fail(self, message: str) -> NoReturn:
        raise GnomonError(f"{self.name}:{self.line}: {message}")

    def expand(self, statement: str) -> list[str]:
        """Replace a pseudo-instruction. The number of words must not depend on labels."""
        mnemonic, operands = _split(statement)
        if mnemonic == "li":
            self.expect(statement, operands, 2)
            value = self.number(operands[1])
            if not -(2**31) <= value < 2**32:
                self.fail(f"li takes a value of 32 bits, not {operands[1]}")
            return load_constant(operands[0], value)
        if mnemonic in PSEUDO:
            count, build = PSEUDO[mnemonic]
            self.expect(statement, operands, count)
            return build(*operands)
        return [statement]

    def word(self, statement: str, pc: int) -> int:
        mnemonic, operands = _split(statement)
        if mnemonic == ".word":
            self.expect(statement, operands, 1)
            value = self.value(operands[0])
            if not -(2**31) <= value < 2**32:
                self.fail(f".word takes a value of 32 bits, not {operands[0]}")
            return value & 0xFFFF_FFFF
        if mnemonic == "fence.tso":
            self.expect(statement, operands, 0)
            return encode("fence", imm=0x833)
        stem, dot, ordering = mnemonic.partition(".w.")
        imm = 0
        if dot and f".{ordering}" in _ORDERINGS:
            mnemonic, imm = f"{stem}.w", _ORDERINGS[f".{ordering}"]
        row = _ROWS.get(mnemonic)
        if row is None:
            known = [*_ROWS, *PSEUDO, "li", ".word"]
            self.fail(f"no instruction is called {mnemonic!r}{did_you_mean(mnemonic, known)}")
        try:
            fields = {"imm": imm} if imm else {}
            return encode(mnemonic, **fields, **self.fields(row, statement, operands, pc))
        except GnomonError as error:
            if str(error).startswith(f"{self.name}:"):
                raise
            self.fail(str(error))

    def fields(
        self, row: Instruction, statement: str, operands: list[str], pc: int
    ) -> dict[str, int]:
        """Return the arguments of ``encode`` by the format of the instruction."""
        kinds = operands_of(row)
        self.expect(statement, operands, len(kinds))
        fields: dict[str, int] = {}
        for kind, text in zip(kinds, operands, strict=True):
            if kind in ("rd", "rs1", "rs2"):
                fields[kind] = self.register(text)
            elif kind in ("imm", "shift"):
                fields["imm"] = self.value(text)
            elif kind == "upper":
                # The 20-bit field, as objdump shows it; the immediate is what is added.
                field = self.value(text)
                if not -(2**19) <= field < 2**20:
                    self.fail(f"{row.mnemonic} takes a 20-bit value, not {text}")
                fields["imm"] = ((field << 12) ^ 2**31) % 2**32 - 2**31
            elif kind == "target":
                fields["imm"] = ((self.value(text) - pc) ^ 2**31) % 2**32 - 2**31
            elif kind == "csr":
                fields["csr"] = self.csr(text)
            elif kind in ("pred", "succ"):
                fields["imm"] = fields.get("imm", 0) << 4 | self.access_set(text)
            else:
                fields |= self.memory(text, offset=kind == "memory")
        return fields

    def memory(self, text: str, *, offset: bool) -> dict[str, int]:
        match = _MEMORY.fullmatch(text)
        if match is None or (match[1] and not offset):
            form = "offset(register)" if offset else "(register)"
            self.fail(f"a memory operand is written {form}, not {text!r}")
        fields = {"rs1": self.register(match[2])}
        return fields | {"imm": self.value(match[1] or "0")} if offset else fields

    def expect(self, statement: str, operands: list[str], count: int) -> None:
        if len(operands) != count:
            noun = "operand" if count == 1 else "operands"
            self.fail(f"{statement!r}: expected {count} {noun}, got {len(operands)}")

    def register(self, text: str) -> int:
        if text not in REGISTER_OF_NAME:
            self.fail(f"no register is called {text!r}{did_you_mean(text, REGISTER_OF_NAME)}")
        return REGISTER_OF_NAME[text]

    def csr(self, text: str) -> int:
        if text in CSR_ADDRESS:
            return CSR_ADDRESS[text]
        if not text[:1].isdigit():
            self.fail(f"no CSR is called {text!r}{did_you_mean(text, CSR_ADDRESS)}")
        return self.number(text)

    def access_set(self, text: str) -> int:
        if text != "unknown" and re.fullmatch("i?o?r?w?", text) is None:
            self.fail(f"fence takes letters of 'iorw' in this order, not {text!r}")
        return 0 if text == "unknown" else sum(8 >> "iorw".index(letter) for letter in text)

    def value(self, text: str) -> int:
        """Return a number, the address of a label, or one half of that address."""
        if text.startswith("%hi(") and text.endswith(")"):
            return (self.value(text[4:-1]) + 0x800 >> 12) & 0xFFFFF
        if text.startswith("%lo(") and text.endswith(")"):
            return low_part(self.value(text[4:-1]))
        if text in self.labels:
            return self.labels[text]
        if not re.match(r"[-+]?\d", text):
            self.fail(f"no label is called {text!r}{did_you_mean(text, self.labels)}")
        return self.number(text)

    def number(self, text: str) -> int:
        try:
            return int(text, 0)
        except ValueError:
            self.fail(f"{text!r} is not a number")


def _split(statement: str) -> tuple[str, list[str]]:
    mnemonic, *rest = statement.split(None, 1)
    return mnemonic, [part.strip() for part in rest[0].split(",")] if rest else []


PSEUDO: dict[str, tuple[int, Callable[..., list[str]]]] = {
    "nop": (0, lambda: ["addi zero,zero,0"]),
    "mv": (2, lambda rd, rs: [f"addi {rd},{rs},0"]),
    "la": (2, lambda rd, label: [f"lui {rd},%hi({label})", f"addi {rd},{rd},%lo({label})"]),
    "j": (1, lambda target: [f"jal zero,{target}"]),
    "ret": (0, lambda: ["jalr zero,0(ra)"]),
    "beqz": (2, lambda rs, target: [f"beq {rs},zero,{target}"]),
    "bnez": (2, lambda rs, target: [f"bne {rs},zero,{target}"]),
    "csrr": (2, lambda rd, csr: [f"csrrs {rd},{csr},zero"]),
    "csrw": (2, lambda csr, rs: [f"csrrw zero,{csr},{rs}"]),
    "csrwi": (2, lambda csr, imm: [f"csrrwi zero,{csr},{imm}"]),
}
"""Number of operands, and the resulting statements; their number does not depend on labels.

``li`` is not listed, because its length depends on its value.
"""


def low_part(value: int) -> int:
    """Return the signed low 12 bits, which addi adds to the result of lui."""
    return (value & 0xFFF ^ 0x800) - 0x800


def load_constant(rd: str, value: int) -> list[str]:
    """Return the statements of ``li``: addi, lui, or both, for any 32-bit value."""
    signed = (value & 0xFFFF_FFFF ^ 0x8000_0000) - 0x8000_0000
    if -2048 <= signed <= 2047:
        return [f"addi {rd},zero,{signed}"]
    low = low_part(signed)
    upper = f"lui {rd},{(signed - low) >> 12 & 0xFFFFF:#x}"
    return [upper, f"addi {rd},{rd},{low}"] if low else [upper]
