"""Records of the same programs say the same, whatever simulated them."""

from __future__ import annotations

import pytest

from gnomon.base.content import content
from gnomon.base.tables import read_csv_table

KEYS = ("seed", "simd", "sharing", "superscalar", "scratchpad_bytes", "count_all")
LEAST = 200  # programs that both have run


def digests(record: str) -> dict[tuple[str, ...], str]:
    """Of issues, requests and memory, by program and setting."""
    rows = read_csv_table(content("reports", "validation", record, "programs.csv.xz"))
    return {
        tuple(row.values[key] for key in KEYS): row.values["digest"]
        for row in rows
        if row.values.get("digest")
    }


@pytest.mark.parametrize("other", ["rtl-machine-t13x", "rtl-ghdl"])
def test_programs_did_the_same_on_our_rtl_and_under_ghdl(other: str) -> None:
    """The real core by way of Verilog against our own RTL, and against GHDL's simulation of it."""
    fast, others = digests("rtl-fast"), digests(other)
    both = fast.keys() & others.keys()
    assert len(both) >= LEAST, "record both with the same seeds and settings"
    assert {key: fast[key] for key in both} == {key: others[key] for key in both}
