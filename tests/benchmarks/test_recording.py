"""A recording as a stream is exact."""

from __future__ import annotations

from benchmarks.recording import read_stream


def test_a_piped_stream_is_counted_exactly() -> None:
    reading = read_stream(500_000)
    assert reading.stream_bytes >= 500_000
    assert reading.toggles == reading.expected_toggles
    assert reading.toggles > 100_000
