"""Colours of the values of an axis, which readers who cannot tell all colours can tell, too."""

from __future__ import annotations

from matplotlib import colormaps
from matplotlib.colors import to_hex

OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#8C8C8C")
_LIGHTEST = 0.84  # of viridis: its yellow end is too light for white paper


def colours(count: int) -> tuple[str, ...]:
    """One colour per value: Okabe and Ito's; steps of viridis where there are more values."""
    if count <= len(OKABE_ITO):
        return OKABE_ITO[:count]
    return tuple(to_hex(colormaps["viridis"](_LIGHTEST * n / (count - 1))) for n in range(count))
