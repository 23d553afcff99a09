"""What stands in for :mod:`gnomon.sim._divide` on machines that do not need it.

Most machines have no vector division and a scalar divider of fixed latency. They get an engine
compiled without all of that, since compilation is what a first run waits for. Their decoder knows
no instruction that leads here. If one did, its unit would never end: a hang, not a wrong number.
"""

from __future__ import annotations

from gnomon.base.compiled import State, Words, inner, int64
from gnomon.sim._layout import NEVER


@inner
def scalar_divide_cycles(cfg: State, laws: State, x: int, y: int, signed: int) -> int:
    """See ``_divide``."""
    return int64(NEVER)


@inner
def divide_vector(
    cfg: State, laws: State, spm: Words, temp: Words, o: int, a: int, b: int, d: int,
    words: int, scalar: int, shift: int, vector_b: bool,
) -> tuple[int, int]:  # fmt: skip
    """See ``_divide``."""
    return int64(NEVER), int64(NEVER)


@inner
def narrow_division(cfg: State, spm: Words, d: int, words: int) -> tuple[int, int]:
    """See ``_divide``."""
    return int64(NEVER), int64(NEVER)


@inner
def scaled_products(
    cfg: State, spm: Words, temp: Words, a: int, b: int, d: int, words: int, per_beat: int,
    delay: int, scalar: int, shift: int, vector_b: bool, hazard: bool,
) -> None:  # fmt: skip
    """See ``_divide``. It takes no time of its own, so there is nothing to say."""
