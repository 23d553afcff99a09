from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.base.errors import GnomonError
from gnomon.base.units import (
    Bytes,
    Hertz,
    format_frequency,
    format_size,
    parse_frequency,
    parse_size,
)


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [("4 KiB", 4096), ("4KiB", 4096), ("4096 B", 4096), ("0.5 KiB", 512), ("1 MiB", 2**20)],
)
def test_sizes(text: str, size_bytes: int) -> None:
    size = parse_size(text)
    assert size == size_bytes
    assert type(size) is Bytes


@pytest.mark.parametrize(
    ("text", "frequency_hz"),
    [("100 MHz", 10**8), ("32.768 kHz", 32768), ("1 GHz", 10**9), ("50 Hz", 50)],
)
def test_frequencies(text: str, frequency_hz: int) -> None:
    frequency = parse_frequency(text)
    assert frequency == frequency_hz
    assert type(frequency) is Hertz


@given(st.integers(min_value=0, max_value=2**39))
def test_a_written_size_reads_back(size_bytes: int) -> None:
    assert parse_size(format_size(size_bytes)) == size_bytes


@given(st.integers(min_value=0, max_value=10**11))
def test_a_written_frequency_reads_back(frequency_hz: int) -> None:
    assert parse_frequency(format_frequency(frequency_hz)) == frequency_hz


def test_the_largest_unit_that_divides_is_written() -> None:
    assert format_size(4096) == "4 KiB"
    assert format_size(4097) == "4097 B"
    assert format_size(0) == "0 B"
    assert format_frequency(100_000_000) == "100 MHz"
    assert format_frequency(32768) == "32768 Hz"


def test_values_say_their_unit() -> None:
    assert repr(parse_size("4 KiB")) == "Bytes(4096)"
    assert repr(parse_frequency("1 kHz")) == "Hertz(1000)"
    assert parse_size(Bytes(3)) == 3
    assert parse_frequency(Hertz(3)) == 3


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (4096, "a size needs its unit, as in '4 KiB'; got 4096 (units: B, KiB, MiB, GiB)"),
        (
            [0] * 30,
            (
                "a size needs its unit, as in '4 KiB'; got [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
                "0, 0, ... "
                "(units: B, KiB, MiB, GiB)"
            ),
        ),
        (None, "a size needs its unit, as in '4 KiB'; got none (units: B, KiB, MiB, GiB)"),
        (True, "a size needs its unit, as in '4 KiB'; got true (units: B, KiB, MiB, GiB)"),
        (
            "4 KB",
            "'KB' in '4 KB' is not a unit of size (units: B, KiB, MiB, GiB, did you mean 'KiB'?)",
        ),
        (
            "4 words",
            "'words' in '4 words' is not a unit of size (units: B, KiB, MiB, GiB)",
        ),
        (
            "4096",
            (
                "'4096' is not a size; write a number and its unit, as in '4 KiB' "
                "(units: B, KiB, MiB, GiB)"
            ),
        ),
        (
            "-4 KiB",
            (
                "'-4 KiB' is not a size; write a number and its unit, as in '4 KiB' "
                "(units: B, KiB, MiB, GiB)"
            ),
        ),
        (
            "1" * 60 + " B",
            (
                "'1111111111111111111111111111111111111...' is not a size; write a number and its "
                "unit, as in '4 KiB' (units: B, KiB, MiB, GiB)"
            ),
        ),
        ("0.3 B", "'0.3 B' is not a whole number of bytes"),
    ],
)
def test_what_is_not_a_size(value: object, message: str) -> None:
    with pytest.raises(GnomonError) as caught:
        parse_size(value)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (100, "a frequency needs its unit, as in '100 MHz'; got 100 (units: Hz, kHz, MHz, GHz)"),
        (
            "100 mhz",
            (
                "'mhz' in '100 mhz' is not a unit of frequency "
                "(units: Hz, kHz, MHz, GHz, did you mean 'MHz'?)"
            ),
        ),
        ("0.1 Hz", "'0.1 Hz' is not a whole number of hertz"),
        (
            ".nan",
            (
                "'.nan' is not a frequency; write a number and its unit, as in '100 MHz' "
                "(units: Hz, kHz, MHz, GHz)"
            ),
        ),
    ],
)
def test_what_is_not_a_frequency(value: object, message: str) -> None:
    with pytest.raises(GnomonError) as caught:
        parse_frequency(value)
    assert str(caught.value) == message


@given(st.text(max_size=60))
def test_any_text_is_a_size_or_a_user_error(text: str) -> None:
    try:
        size = parse_size(text)
    except GnomonError:
        return
    assert text.strip().endswith("B")
    assert size >= 0
