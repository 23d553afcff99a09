"""Names of the integer registers."""

from __future__ import annotations

ABI_NAMES: tuple[str, ...] = (
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1",
    *(f"a{index}" for index in range(8)),
    *(f"s{index}" for index in range(2, 12)),
    *(f"t{index}" for index in range(3, 7)),
)  # fmt: skip
"""ABI name of registers 0 to 31 (RISC-V calling convention)."""

REGISTER_OF_NAME: dict[str, int] = {
    **{name: index for index, name in enumerate(ABI_NAMES)},
    **{f"x{index}": index for index in range(32)},
    "fp": 8,
}
