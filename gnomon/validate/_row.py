"""One line of the accuracy table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Truth = Literal["rtl", "cocotb", "law", "isa", "published"]
"""What a quantity is compared with. ``isa``: a public RISC-V test suite."""


@dataclass(frozen=True, slots=True)
class Row:
    """How often a quantity was compared with a truth and differed.

    ``worst`` says in words what the worst difference is; None if there is none.
    """

    quantity: str
    truth: Truth
    compared: int
    mismatches: int
    worst: str | None

    def to_json(self) -> dict[str, str | int | None]:
        """Plain data under the documented names."""
        return {
            "quantity": self.quantity,
            "truth": self.truth,
            "compared": self.compared,
            "mismatches": self.mismatches,
            "worst": self.worst,
        }
