"""One divider of the table: its law, and where that law comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from gnomon.arch.dividers import _laws
from gnomon.base.errors import GnomonError, did_you_mean

Law = Literal[
    "fixed", "digits", "early-clz", "divisor-clz", "vl-std", "vl-hf", "vl-ls", "vl-hp", "table"
]
"""Name of a rule for cycles, as ``models/dividers/laws.yaml`` spells it."""

Certainty = Literal["measured", "checked", "derived", "published", "yours"]
"""measured: simulation of published RTL, residual 0; checked: derived, and a reference design
agreed; derived: from first principles; published: as its maker states it; yours: a user's table.
"""

# The number of each law and the keys that are its first and second parameter.
LAWS: dict[Law, tuple[int, str, str]] = {
    "fixed": (_laws.FIXED, "cycles", ""),
    "digits": (_laws.DIGITS, "bits_per_cycle", "overhead_cycles"),
    "early-clz": (_laws.EARLY_CLZ, "bits_per_cycle", ""),
    "divisor-clz": (_laws.DIVISOR_CLZ, "overhead_cycles", ""),
    "vl-std": (_laws.VL_STD, "", ""),
    "vl-hf": (_laws.VL_HF, "", ""),
    "vl-ls": (_laws.VL_LS, "least_skip", "most_skip"),
    "vl-hp": (_laws.VL_HP, "", ""),
    "table": (_laws.TABLE, "", ""),
}
_TEXTS = ("title", "law", "certainty", "source")


@dataclass(frozen=True, slots=True)
class Divider:
    """A divider for 32-bit operands.

    ``least_cycles`` and ``most_cycles`` are engine cycles over all operands: from the first cycle
    with the operands to the one that shows the result. ``wide``: the law is also known for the
    longer dividend of kvdivps.
    """

    name: str
    title: str
    law: Law
    first: int
    second: int
    least_cycles: int
    most_cycles: int
    wide: bool
    certainty: Certainty
    source: str

    @property
    def law_number(self) -> int:
        """The law as ``engine_cycles`` takes it."""
        return LAWS[self.law][0]


def read_divider(name: str, row: object, where: str) -> Divider:
    """Check one row of the table.

    Raises:
        GnomonError: naming the file, the divider and the key.
    """
    if not isinstance(row, dict):
        raise GnomonError(f"{where}: {name}: must be a section with keys of its own")
    law = row.get("law")
    if law not in LAWS:
        known = get_args(Law)
        near = did_you_mean(law, known) if isinstance(law, str) else ""
        raise GnomonError(
            f"{where}: {name}: law must not be {law!r} (allowed: {', '.join(known)}{near})"
        )
    _, first, second = LAWS[law]
    numbers = ["least_cycles", "most_cycles", *(key for key in (first, second) if key)]
    allowed = [*_TEXTS, "wide", *numbers]
    for key in row:
        if key not in allowed:
            near = did_you_mean(str(key), allowed)
            raise GnomonError(
                f"{where}: {name}: unknown key {key!r} (allowed: {', '.join(allowed)}{near})"
            )
    for key, kind in ((_TEXTS, str), (("wide",), bool), (numbers, int)):
        for each in key:
            if type(row.get(each)) is not kind:
                what = {str: "a text", bool: "true or false", int: "a whole number"}[kind]
                raise GnomonError(f"{where}: {name}: {each} must be {what}, not {row.get(each)!r}")
    if row["certainty"] not in get_args(Certainty):
        raise GnomonError(
            f"{where}: {name}: certainty must not be {row['certainty']!r} "
            f"(allowed: {', '.join(get_args(Certainty))})"
        )
    return Divider(
        name=name,
        title=row["title"],
        law=law,
        first=row[first] if first else 0,
        second=row[second] if second else 0,
        least_cycles=row["least_cycles"],
        most_cycles=row["most_cycles"],
        wide=row["wide"],
        certainty=row["certainty"],
        source=" ".join(row["source"].split()),
    )
