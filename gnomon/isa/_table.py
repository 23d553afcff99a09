"""The instruction table: the one place that knows encodings and meanings.

Encoder, decoder, disassembler, assembler, the C header and the engine read it; the number of a
row is the engine's operation number. A row also says what the instruction computes: the C of the
engine is made from that, in its interpreter and in translated blocks alike.

Its rows are in ``instructions.csv``. Adding a vector family: name it in ``Extension``, append its
rows. Functions that scan the table take the set of enabled extensions.
"""

from collections.abc import Collection, Iterator
from dataclasses import fields
from typing import Any, get_args

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.isa._instruction import Extension, Instruction, Meaning, table_rows

OPTIONAL_EXTENSIONS: frozenset[Extension] = frozenset({"kdiv", "kps", "kdivps"})
"""Vector instructions that a machine has only if its ``vcu.extensions`` says so."""

ALL_EXTENSIONS: frozenset[Extension] = frozenset(get_args(Extension)) - OPTIONAL_EXTENSIONS
"""All of the public T13x RTL: what is decoded where nothing else is said."""

_NUMBERS = ("match", "mask", "template")


def _table() -> Iterator[Instruction]:
    parts = [each.name for each in fields(Meaning)]
    for number, row in enumerate(table_rows("instructions.csv")):
        given: dict[str, Any] = {name: value or None for name, value in row.items()}
        given |= {name: int(row[name], 16) for name in _NUMBERS}
        meaning = {name: given.pop(name) for name in parts} | {"size": int(row["size"] or 0)}
        yield Instruction(number=number, meaning=Meaning(**meaning), **given)


INSTRUCTIONS: tuple[Instruction, ...] = tuple(_table())
_BY_MNEMONIC = {row.mnemonic: row for row in INSTRUCTIONS}


def row_named(mnemonic: str) -> Instruction:
    """Return the row of a mnemonic; see :meth:`instruction`."""
    row = _BY_MNEMONIC.get(mnemonic)
    if row is None:
        hint = did_you_mean(mnemonic, _BY_MNEMONIC)
        raise GnomonError(f"no instruction is called {mnemonic!r}{hint}")
    return row


def instructions(extensions: Collection[str] = ALL_EXTENSIONS) -> tuple[Instruction, ...]:
    """Return the rows of the enabled extensions, in table order.

    Raises:
        GnomonError: an extension that does not exist.
    """
    for name in extensions:
        if name not in get_args(Extension):
            hint = did_you_mean(name, get_args(Extension))
            known = ", ".join(get_args(Extension))
            raise GnomonError(f"no instruction extension is called {name!r}; known: {known}{hint}")
    return tuple(row for row in INSTRUCTIONS if row.extension in extensions)
