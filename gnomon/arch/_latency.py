"""The timing of an in-order core: cycles per class of instruction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.arch._model import Section, key

if TYPE_CHECKING:
    from collections.abc import ItemsView, KeysView


class Latency(Section):
    """Cycles per instruction class of an in-order core; reads like a mapping."""

    alu: int = key("integer, lui, auipc", unit="cycles", ge=1, le=256)
    mul: int = key("mul", unit="cycles", ge=1, le=256)
    mulh: int = key("mulh, mulhu, mulhsu", unit="cycles", ge=1, le=256)
    div: int = key("div, divu, rem, remu", unit="cycles", ge=1, le=256)
    load: int = key("loads", unit="cycles", ge=1, le=256)
    store: int = key("stores", unit="cycles", ge=1, le=256)
    branch: int = key("branches that are not taken", unit="cycles", ge=1, le=256)
    branch_taken: int = key(
        "extra cycles of a branch that is taken",
        unit="cycles",
        ge=0,
        le=256,
        alias="branch-taken",
    )
    jump: int = key("jal, jalr", unit="cycles", ge=1, le=256)
    csr: int = key("CSR accesses", unit="cycles", ge=1, le=256)
    fence: int = key("fence, fence.i", unit="cycles", ge=1, le=256)
    amo: int = key("amoswap.w", unit="cycles", ge=1, le=256)
    system: int = key("ecall, ebreak, mret, wfi", unit="cycles", ge=1, le=256)

    def _table(self) -> dict[str, int]:
        return self.model_dump(by_alias=True)

    def __getitem__(self, instruction_class: str) -> int:
        return self._table()[instruction_class]

    def keys(self) -> KeysView[str]:
        """The instruction classes, as spelled in a machine file (``branch-taken``)."""
        return self._table().keys()

    def items(self) -> ItemsView[str, int]:
        """Pairs of instruction class and cycles."""
        return self._table().items()


def latency_classes() -> list[str]:
    """The names of the classes, as a machine file spells them."""
    return [field.alias or name for name, field in Latency.model_fields.items()]
