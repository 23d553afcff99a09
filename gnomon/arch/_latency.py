"""The timing of an in-order core: cycles per class of instruction, and what they wait for.

docs/machines.md has the rules as equations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field

from gnomon.base.schema import Section, key, none_word

if TYPE_CHECKING:
    from collections.abc import ItemsView, KeysView

LONGEST_CYCLES = 256
"""What one instruction and the fetch of the next may take together: ours, the engine's table."""

_Maybe = Annotated[
    Annotated[int, Field(ge=1, le=LONGEST_CYCLES)] | None, BeforeValidator(none_word)
]


def _cycles(meaning: str, *, ge: int = 1, **options: Any) -> Any:
    """A key of cycles that every core gives."""
    return key(meaning, unit="cycles", ge=ge, le=LONGEST_CYCLES, **options)


def _extra(
    meaning: str, *, unit: str = "cycles", le: int = LONGEST_CYCLES, alias: str | None = None
) -> Any:
    """A key of cycles that are 0 unless it is given."""
    return key(meaning, unit=unit, default=0, ge=0, le=le, alias=alias)


def _maybe(meaning: str, **options: Any) -> Any:
    """A key of cycles that may be none."""
    allowed = f"1 to {LONGEST_CYCLES}, none"
    return key(meaning, unit="cycles", allowed=allowed, default=None, **options)


class Latency(Section):
    """Cycles per instruction class of an in-order core; reads like a mapping."""

    alu: int = _cycles("integer, lui, auipc")
    mul: int = _cycles("mul")
    mulh: int = _cycles("mulh, mulhu, mulhsu")
    div: _Maybe = _maybe(
        "div, divu, rem, remu, for any operands; none = by the law of core.divider"
    )
    load: int = _cycles("loads")
    store: int = _cycles("stores")
    branch: int = _cycles("branches that are not taken")
    branch_taken: int = _cycles(
        "extra cycles of a branch that is taken", ge=0, alias="branch-taken"
    )
    jump: int = _cycles("jal, jalr")
    csr: int = _cycles("CSR accesses")
    fence: int = _cycles("fence, fence.i")
    amo: int = _cycles("amoswap.w, which core.model inorder has not")
    system: int = _cycles("ecall, ebreak, mret, wfi")
    fence_i: _Maybe = _maybe("fence.i alone; none = as fence", alias="fence-i")
    vector: int = _cycles(
        "vector instructions and transfers in the core itself; the time of the vector unit is "
        "its own",
        default=1,
    )
    load_use: int = _extra(
        "cycles from the end of a load until its result can be read; an instruction that reads "
        "it earlier waits",
        alias="load-use",
    )
    mul_use: int = _extra(
        "the same for mul, mulh, mulhu, mulhsu: a multiplier with a pipeline", alias="mul-use"
    )
    mul_per_bit: int = _extra(
        "extra cycles of mul for each bit of its second operand, read without sign, beyond the "
        "first: a multiplier of one bit per step that stops early",
        unit="cycles per bit",
        le=8,
        alias="mul-per-bit",
    )
    div_by_zero: _Maybe = _maybe(
        "div, divu, rem, remu with divisor 0; none = as div", alias="div-by-zero"
    )
    misaligned: _Maybe = _maybe(
        "extra cycles of a load or store that touches two words, with core.misaligned split; "
        "none = as many as the first access took"
    )
    fetch: int = _extra(
        "wait of the core for the next instruction, after every instruction: a memory without "
        "prefetch",
        le=128,
    )
    fetch_redirect: int = _extra(
        "further wait for the next instruction where the fetch starts anew: taken branch, jump, "
        "trap, mret, fence.i",
        le=128,
        alias="fetch-redirect",
    )

    def _table(self) -> dict[str, int]:
        table = self.to_dict()
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
