"""The timing of an in-order core: cycles per class of instruction, and what they wait for.

docs/machines.md has the rules as equations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import BeforeValidator, Field

from gnomon.base.schema import Section, key, none_word

if TYPE_CHECKING:
    from collections.abc import ItemsView, KeysView

LONGEST_CYCLES = 256
"""What one instruction and the fetch of the next may take together: ours, the engine's table."""

_Cycles = Annotated[
    Annotated[int, Field(ge=1, le=LONGEST_CYCLES)] | None, BeforeValidator(none_word)
]
_MAYBE = f"1 to {LONGEST_CYCLES}, none"


class Latency(Section):
    """Cycles per instruction class of an in-order core; reads like a mapping."""

    alu: int = key("integer, lui, auipc", unit="cycles", ge=1, le=LONGEST_CYCLES)
    mul: int = key("mul", unit="cycles", ge=1, le=LONGEST_CYCLES)
    mulh: int = key("mulh, mulhu, mulhsu", unit="cycles", ge=1, le=LONGEST_CYCLES)
    div: _Cycles = key(
        "div, divu, rem, remu, for any operands; none = by the law of core.divider",
        unit="cycles",
        allowed=_MAYBE,
        default=None,
    )
    load: int = key("loads", unit="cycles", ge=1, le=LONGEST_CYCLES)
    store: int = key("stores", unit="cycles", ge=1, le=LONGEST_CYCLES)
    branch: int = key("branches that are not taken", unit="cycles", ge=1, le=LONGEST_CYCLES)
    branch_taken: int = key(
        "extra cycles of a branch that is taken",
        unit="cycles",
        ge=0,
        le=LONGEST_CYCLES,
        alias="branch-taken",
    )
    jump: int = key("jal, jalr", unit="cycles", ge=1, le=LONGEST_CYCLES)
    csr: int = key("CSR accesses", unit="cycles", ge=1, le=LONGEST_CYCLES)
    fence: int = key("fence, fence.i", unit="cycles", ge=1, le=LONGEST_CYCLES)
    amo: int = key(
        "amoswap.w, which core.model inorder has not", unit="cycles", ge=1, le=LONGEST_CYCLES
    )
    system: int = key("ecall, ebreak, mret, wfi", unit="cycles", ge=1, le=LONGEST_CYCLES)
    fence_i: _Cycles = key(
        "fence.i alone; none = as fence",
        unit="cycles",
        allowed=_MAYBE,
        default=None,
        alias="fence-i",
    )
    vector: int = key(
        "vector instructions and transfers in the core itself; the time of the vector unit is "
        "its own",
        unit="cycles",
        default=1,
        ge=1,
        le=LONGEST_CYCLES,
    )
    load_use: int = key(
        "cycles from the end of a load until its result can be read; an instruction that reads "
        "it earlier waits",
        unit="cycles",
        default=0,
        ge=0,
        le=LONGEST_CYCLES,
        alias="load-use",
    )
    mul_use: int = key(
        "the same for mul, mulh, mulhu, mulhsu: a multiplier with a pipeline",
        unit="cycles",
        default=0,
        ge=0,
        le=LONGEST_CYCLES,
        alias="mul-use",
    )
    mul_per_bit: int = key(
        "extra cycles of mul for each bit of its second operand, read without sign, beyond the "
        "first: a multiplier of one bit per step that stops early",
        unit="cycles per bit",
        default=0,
        ge=0,
        le=8,
        alias="mul-per-bit",
    )
    div_by_zero: _Cycles = key(
        "div, divu, rem, remu with divisor 0; none = as div",
        unit="cycles",
        allowed=_MAYBE,
        default=None,
        alias="div-by-zero",
    )
    misaligned: _Cycles = key(
        "extra cycles of a load or store that touches two words, with core.misaligned split; "
        "none = as many as the first access took",
        unit="cycles",
        allowed=_MAYBE,
        default=None,
    )
    fetch: int = key(
        "wait of the core for the next instruction, after every instruction: a memory without "
        "prefetch",
        unit="cycles",
        default=0,
        ge=0,
        le=128,
    )
    fetch_redirect: int = key(
        "further wait for the next instruction where the fetch starts anew: taken branch, jump, "
        "trap, mret, fence.i",
        unit="cycles",
        default=0,
        ge=0,
        le=128,
        alias="fetch-redirect",
    )

    def _table(self) -> dict[str, int]:
        table = self.model_dump(by_alias=True)
        table["fence-i"] = table["fence-i"] or table["fence"]
        return {name: cycles for name, cycles in table.items() if cycles is not None}

    def __getitem__(self, name: str) -> int:
        return self._table()[name]

    def keys(self) -> KeysView[str]:
        """The keys that hold cycles, as spelled in a machine file (``branch-taken``)."""
        return self._table().keys()

    def items(self) -> ItemsView[str, int]:
        """Pairs of key and cycles; keys that are none are left out, ``fence-i`` is resolved."""
        return self._table().items()

    def longest(self) -> tuple[str, int]:
        """The key that holds the execute stage longest with the fetch behind it, and how long."""
        classes = ("alu", "mul", "mulh", "div", "load", "store", "branch", "csr", "fence", "vector")
        redirecting = ("jump", "system", "fence-i")
        table = self._table()
        held = {name: table[name] + self.fetch for name in classes if name in table}
        held |= {name: table[name] + self.fetch + self.fetch_redirect for name in redirecting}
        name = max(held, key=lambda each: held[each])
        return name, held[name]


def latency_classes() -> list[str]:
    """The classes that every in-order core must give, as a machine file spells them."""
    fields = Latency.model_fields.items()
    return [field.alias or name for name, field in fields if field.is_required() or name == "div"]
