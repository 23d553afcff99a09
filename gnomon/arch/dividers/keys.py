"""What each key of the table of dividers means. ``_divider.py`` reads them."""

from __future__ import annotations

from typing import get_args

from gnomon.arch.dividers._divider import LAWS, Certainty
from gnomon.base.tables import TableKey

LAW_MEANINGS = {
    "fixed": "`cycles`, whatever the operands",
    "digits": "a step per `bits_per_cycle` quotient bits, and `overhead_cycles`",
    "early-clz": "1, and a step per `bits_per_cycle` bits that the quotient can have",
    "divisor-clz": "`overhead_cycles`, and the leading zeros of the divisor",
    "vl-std": "2, and a step per quotient bit that is not known to be zero",
    "vl-hf": "2, and the same steps, but a skip of zeros takes one of its own",
    "vl-ls": "2, and the same steps, with skips from `least_skip` to `most_skip` bits only",
    "vl-hp": "2, and a step per one in the quotient, and one if it ends in zero",
    "table": "those of the `divider_table` of the machine",
}
"""The engine cycles of each law in a line; ``_laws.py`` has them as functions."""


def _takes(parameter: str) -> str:
    laws = [law for law, (_, *parameters) in LAWS.items() if parameter in parameters]
    return f"whole number; with law {', '.join(laws)}"


DIVIDER_KEYS = (
    TableKey("NAME", "what `core.divider` and `vcu.divider` of a machine say"),
    TableKey("NAME.title", "one line for people", allowed="text"),
    TableKey("NAME.law", "rule for its cycles", allowed=", ".join(LAWS)),
    TableKey("NAME.cycles", "of any division", "cycles", _takes("cycles"), required=False),
    TableKey("NAME.bits_per_cycle", "quotient bits of one step", "bits",
             _takes("bits_per_cycle"), required=False),
    TableKey("NAME.overhead_cycles", "in addition to the steps", "cycles",
             _takes("overhead_cycles"), required=False),
    TableKey("NAME.least_skip", "shortest skip that is made", "bits",
             _takes("least_skip"), required=False),
    TableKey("NAME.most_skip", "longest", "bits", _takes("most_skip"), required=False),
    TableKey("NAME.least_cycles", "fewest over all 32-bit operands", "cycles", "whole number"),
    TableKey("NAME.most_cycles", "most over all 32-bit operands", "cycles", "whole number"),
    TableKey("NAME.wide", "the law also holds for the longer dividends of kdivps",
             allowed="true, false"),
    TableKey("NAME.certainty", "how sure the law is", allowed=", ".join(get_args(Certainty))),
    TableKey("NAME.source", "where the law is from", allowed="text"),
)  # fmt: skip
