"""The instruction table: the only place with encodings and meanings.

Encoder, decoder, disassembler, assembler, the C header and the engine read it. A row also states
the result of the instruction. The C of the engine is generated from it, for the interpreter and
for translated blocks.

Its rows are in ``instructions.csv``, in any order. The number of an instruction, which is that of
the operation in the engine, follows from its family: families are numbered in the order of
``FAMILIES``, the rows of a family in the order of the file. So each family is a range of numbers.
To add a vector family, name it in ``Extension`` and add its rows. Functions that scan the table
take the set of enabled extensions.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, get_args

from gnomon.base.errors import GnomonError, did_you_mean

Format = Literal[
    "R", "I", "S", "B", "U", "J", "shift", "csr", "csri", "amo", "fence", "system", "kmem", "kdsp",
    "R4",
]  # fmt: skip
"""Layout of the fields of the word, which also decides the operands in assembly text."""

Extension = Literal[
    "I", "M", "Zicsr", "Zifencei", "A", "machine", "kmem", "kdsp", "kdiv", "kps", "kdivps"
]  # fmt: skip
"""The family of a row. ``A`` holds only amoswap.w, the only atomic instruction of the machine.

``kdiv`` (vector division) and ``kps`` (post-scaled products) are not in the public T13x; kdivps
(division of a shifted dividend) is a proposal of gnomon and in no published core.
"""

OPTIONAL_EXTENSIONS: frozenset[Extension] = frozenset({"kdiv", "kps", "kdivps"})
"""Vector instructions that a machine has only if its ``vcu.extensions`` lists them."""

ALL_EXTENSIONS: frozenset[Extension] = frozenset(get_args(Extension)) - OPTIONAL_EXTENSIONS
"""All extensions of the public T13x RTL: the default of decoding."""

Role = Literal[
    "result",
    "accumulator",
    "operand",
    "spm_vector",
    "spm_word",
    "spm_scalar",
    "register_scalar",
    "shift_amount",
    "memory_address",
    "byte_count",
]
"""Meaning of a register field.

``result`` and ``accumulator`` are written. All but ``result`` are read: ``operand`` is a plain
register operand; the ``spm_*`` ones hold the byte address, in a scratchpad, of a vector, of the one
word of a reduction, or of a scalar; ``register_scalar`` and ``shift_amount`` hold the value itself.
"""

TimingClass = Literal[
    "alu", "mul", "mulh", "div", "load", "store", "branch", "jump",
    "csr", "fence", "amo", "system", "kmem", "kdsp", "unit",
]  # fmt: skip
"""The row of a latency table that gives the cycles of the instruction."""

FAMILIES: tuple[str, ...] = (
    "upper", "jump", "branch", "load", "store", "alu", "fence", "mul", "mulh", "div", "csr",
    "system", "amo", "kmem", "kdsp",
    *(each for each in get_args(Extension) if each in OPTIONAL_EXTENSIONS),
)  # fmt: skip
"""The families of instructions in the order of their numbers, see :attr:`Instruction.family`.

Optional extensions follow ``kdsp``, so that all vector instructions are one range, too.
"""


class Meaning(NamedTuple):
    """Results of one instruction as expressions; absent ones are None (``size`` 0).

    ``_operations.py`` defines expressions. The engine takes the results that it executes from here;
    it has its own code for traps, the set of CSRs, and the vector unit around the elements.
    """

    result: str | None = None  # written to rd
    taken: str | None = None  # condition of a branch
    target: str | None = None  # of a jump or a taken branch
    address: str | None = None  # of the access to memory, which is of `size` bytes
    size: int = 0  # bytes read (`result` uses them), written, or both
    stored: str | None = None  # in memory (its low `size` bytes), or in the CSR that was read
    # one element of a vector result, or one summand; of 32 bits, and of narrower elements if only
    # its low bits count (all but shifts)
    element: str | None = None

    @property
    def expressions(self) -> tuple[str, ...]:
        parts = (self.result, self.taken, self.target, self.address, self.stored, self.element)
        return tuple(part for part in parts if part is not None)


class Instruction(NamedTuple):
    """One row of the table.

    A word is this instruction if ``word & mask == match``. ``template`` is ``match`` plus the
    customary values of the bits that neither the mask nor an operand covers (funct3 of the vector
    instructions); ``encode`` starts from it.
    """

    number: int
    mnemonic: str
    format: Format
    match: int
    mask: int
    template: int
    extension: Extension | Literal["unit"]  # "unit": of a unit of a machine, not of this table
    rd: Role | None
    rs1: Role | None
    rs2: Role | None
    timing_class: TimingClass
    description: str
    source: str
    meaning: Meaning

    @property
    def family(self) -> str:
        """Family whose numbers are one range, one of ``FAMILIES``.

        It is the timing class, except ``upper`` for upper immediates and the extension of an
        optional vector instruction.
        """
        if self.format == "U":
            return "upper"
        return self.extension if self.optional else self.timing_class

    @property
    def optional(self) -> bool:
        """Whether a machine has it only if its ``vcu.extensions`` lists its extension."""
        return self.extension in OPTIONAL_EXTENSIONS

    @property
    def opcode(self) -> int:
        """Bits 6:0."""
        return self.match & 0x7F

    @property
    def reads(self) -> tuple[str, ...]:
        """Fields among ``rs1``, ``rs2``, ``rd`` that name a register that is read."""
        roles = (("rs1", self.rs1), ("rs2", self.rs2), ("rd", self.rd))
        return tuple(field for field, role in roles if role is not None and role != "result")


def list_instructions(extensions: Collection[str] = ALL_EXTENSIONS) -> tuple[Instruction, ...]:
    """Return the rows of the enabled extensions, in table order.

    Raises:
        GnomonError: if an extension does not exist.
    """
    known = get_args(Extension)
    for name in extensions:
        if name not in known:
            hint = did_you_mean(name, known)
            raise GnomonError(
                f"no instruction extension is called {name!r}; known: {', '.join(known)}{hint}"
            )
    return tuple(row for row in INSTRUCTIONS if row.extension in extensions)


def find_instruction(mnemonic: str) -> Instruction:
    """Return the row of a mnemonic.

    Raises:
        GnomonError: if there is no such instruction.
    """
    row = _BY_MNEMONIC.get(mnemonic)
    if row is None:
        hint = did_you_mean(mnemonic, _BY_MNEMONIC)
        raise GnomonError(f"no instruction is called {mnemonic!r}{hint}")
    return row


def table_rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a table of this folder, without lines that begin with #."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    return [*csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))]


def number_rows(rows: Iterable[Mapping[str, str]]) -> tuple[Instruction, ...]:
    """Return the instructions of some rows of ``instructions.csv``, by their numbers."""
    found = []
    for row in rows:
        given: dict[str, Any] = {name: value or None for name, value in row.items()}
        given |= {name: int(row[name], 16) for name in ("match", "mask", "template")}
        meaning = {name: given.pop(name) for name in Meaning._fields} | {
            "size": int(row["size"] or 0)
        }
        found.append(Instruction(number=0, meaning=Meaning(**meaning), **given))
    found.sort(key=lambda row: FAMILIES.index(row.family))
    return tuple(row._replace(number=number) for number, row in enumerate(found))


INSTRUCTIONS = number_rows(table_rows("instructions.csv"))
"""The table: all instructions, including optional ones, by ``number``."""

_BY_MNEMONIC = {row.mnemonic: row for row in INSTRUCTIONS}

# The control and status registers of the machine, and their names in assembly text. All are per
# hart. A write to a read-only one traps (illegal instruction). An address outside the table reads 0
# and ignores writes, without a trap.
_CSRS = table_rows("csrs.csv")
CSR_ADDRESS: dict[str, int] = {row["name"]: int(row["address"], 16) for row in _CSRS}
CSR_NAME: dict[int, str] = {address: name for name, address in CSR_ADDRESS.items()}
CSR_DESCRIPTION: dict[str, str] = {row["name"]: row["description"] for row in _CSRS}

_COUNTERS = range(3, 32)  # in addition to cycles, time and retired instructions

STANDARD_CSRS: Final[dict[str, int]] = {
    "fflags": 0x001, "frm": 0x002, "fcsr": 0x003,
    "cycle": 0xC00, "time": 0xC01, "instret": 0xC02,
    "cycleh": 0xC80, "timeh": 0xC81, "instreth": 0xC82,
    "mvendorid": 0xF11, "marchid": 0xF12, "mimpid": 0xF13, "mhartid": 0xF14, "mconfigptr": 0xF15,
    "mstatus": 0x300, "misa": 0x301, "medeleg": 0x302, "mideleg": 0x303, "mie": 0x304,
    "mtvec": 0x305, "mcounteren": 0x306, "mstatush": 0x310, "menvcfg": 0x30A,
    "mcountinhibit": 0x320,
    "mscratch": 0x340, "mepc": 0x341, "mcause": 0x342, "mtval": 0x343, "mip": 0x344,
    "mcycle": 0xB00, "minstret": 0xB02, "mcycleh": 0xB80, "minstreth": 0xB82,
    **{f"mhpmevent{n}": 0x320 + n for n in _COUNTERS},
    **{f"mhpmcounter{n}": 0xB00 + n for n in _COUNTERS},
    **{f"mhpmcounter{n}h": 0xB80 + n for n in _COUNTERS},
    **{f"hpmcounter{n}": 0xC00 + n for n in _COUNTERS},
    **{f"hpmcounter{n}h": 0xC80 + n for n in _COUNTERS},
    **{f"pmpcfg{n}": 0x3A0 + n for n in range(4)},
    **{f"pmpaddr{n}": 0x3B0 + n for n in range(16)},
}  # fmt: skip
"""Addresses of the registers that the RISC-V privileged specification defines, by name.

Source: RISC-V Instruction Set Manual, Volume II, Privileged Architecture 20211203, tables 2.2 to
2.6, without those of supervisors, hypervisors and debuggers. A machine may lack them.
"""

STANDARD_CSR_NAME: Final = {address: name for name, address in STANDARD_CSRS.items()}
