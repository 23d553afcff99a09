"""The unit of a column, by the end of its name."""

from __future__ import annotations

_UNITS = {
    "_uj_us": "µJ x µs",
    "_lut_us": "LUT x µs",
    "lut_us": "LUT x µs",
    "_kb": "KB",
    "_bytes": "bytes",
    "_cycles": "cycles",
    "_toggles_per_cycle": "toggles per cycle",
    "toggles_per_cycle": "toggles per cycle",
    "_mw": "mW",
    "_uj": "µJ",
    "_nj": "nJ",
    "_pj": "pJ",
    "_us": "µs",
    "_ns": "ns",
    "cycles": "cycles",
    "lut": "LUT",
    "ff": "flip-flops",
    "dsp": "DSP blocks",
    "bram": "BRAM of 36 Kbit",
}
_ENDS = ("_value", "_low", "_high")


def unit_of(name: str) -> str:
    """``energy_low_uj`` is in µJ; empty where the name does not say."""
    for end in _ENDS:
        name = name.removesuffix(end)
    for suffix, unit in _UNITS.items():
        if name.endswith(suffix) if suffix.startswith("_") else name == suffix:
            return unit
    return ""
