"""What our RTL was recorded to do is what the real core was recorded to do."""

from __future__ import annotations

import pytest

from gnomon.base.content import content
from gnomon.base.tables import read_csv_table

KEYS = ("seed", "simd", "sharing", "superscalar", "scratchpad_bytes", "count_all")
LEAST = 200  # programs that both have run


def digests(record: str) -> dict[tuple[str, ...], str]:
    """Of issues, requests and memory, by program and setting."""
    rows = read_csv_table(content("reports", "validation", record, "programs.csv"))
    return {
        tuple(row.values[key] for key in KEYS): row.values["digest"]
        for row in rows
        if row.values.get("digest")
    }


def test_programs_did_the_same_on_the_real_core_and_on_ours() -> None:
    theirs, ours = digests("rtl-fast"), digests("rtl-machine-t13x")
    if not theirs:
        pytest.skip("the record of the real core has no digests yet")
    both = theirs.keys() & ours.keys()
    assert len(both) >= LEAST, "record both with the same seeds and settings"
    assert {key: theirs[key] for key in both} == {key: ours[key] for key in both}
