"""A recording as a stream: exact, and at full length fast and in constant memory."""

from __future__ import annotations

import pytest

from benchmarks.recording import (
    MAX_GROWTH_MEBIBYTES,
    MIN_MEGABYTES_PER_SECOND,
    STREAM_BYTES,
    measure_recording,
    read_stream,
)


def test_a_piped_stream_is_counted_exactly() -> None:
    reading = read_stream(5_000_000)
    assert reading.stream_bytes >= 5_000_000
    assert reading.toggles == reading.expected_toggles
    assert reading.toggles > 1_000_000


@pytest.mark.nightly
@pytest.mark.timing
def test_a_gigabyte_is_fast_and_takes_no_more_memory() -> None:
    recorded = measure_recording(rounds=1)
    assert recorded.reading.stream_bytes >= STREAM_BYTES
    assert recorded.reading.megabytes_per_second >= MIN_MEGABYTES_PER_SECOND
    assert recorded.growth_mebibytes < MAX_GROWTH_MEBIBYTES
