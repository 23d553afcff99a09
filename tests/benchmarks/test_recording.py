"""A recording as a stream: exact, and at full length fast and in constant memory."""

from __future__ import annotations

import pytest

from benchmarks.harness import Found
from benchmarks.recording import measure, read_stream


def test_a_piped_stream_is_counted_exactly() -> None:
    reading = read_stream(5_000_000)
    assert reading.stream_bytes >= 5_000_000
    assert reading.toggles == reading.expected_toggles
    assert reading.toggles > 1_000_000


@pytest.mark.nightly
@pytest.mark.timing
def test_a_gigabyte_is_fast_and_takes_no_more_memory() -> None:
    found = Found()
    measure(found, rounds=1)
    assert "1.0 GB" in found.limits[0].name
    assert all(limit.kept for limit in found.limits), found.limits
