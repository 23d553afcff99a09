"""One line of the accuracy table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Truth = Literal["rtl", "cocotb", "law", "isa", "published"]
"""What a quantity is compared with. ``law``: the law of a divider, with measured divisions;
``isa``: a public RISC-V test suite; ``published``: figures of the paper."""
Criterion = Literal["equal", "between bounds", "within band"]
"""When a comparison is no mismatch. ``between bounds``: the model gives an interval, because the
record lacks what decides within it. ``within band``: a published figure is compared, not met; ours
over it must be in a band that was set before."""


@dataclass(frozen=True, slots=True)
class Row:
    """How often a quantity was compared with a truth and differed.

    ``worst`` says in words what the worst difference is; None if there is none. Of a band it is the
    ratio that is furthest off, in any case.
    """

    quantity: str
    truth: Truth
    compared: int
    mismatches: int
    worst: str | None
    criterion: Criterion = "equal"

    @property
    def is_wrong(self) -> bool:
        """Whether the simulator is wrong: a mismatch, other than with a published figure."""
        return self.mismatches > 0 and self.truth != "published"

    def to_json(self) -> dict[str, str | int | None]:
        """Plain data under the documented names."""
        return {
            "quantity": self.quantity,
            "truth": self.truth,
            "compared": self.compared,
            "mismatches": self.mismatches,
            "worst": self.worst,
        }
