"""Quantities as people write them."""

from __future__ import annotations

import pytest

from gnomon.base.errors import GnomonError
from gnomon.explore.metrics import (
    METRICS,
    find_metric,
    format_quantity,
    parse_constraint,
    parse_objective,
)


@pytest.mark.parametrize(
    ("text", "name", "at_most", "limit"),
    [
        ("select <= 1 ms", "select_us", True, 1000.0),
        ("select ≤ 1ms", "select_us", True, 1000.0),
        ("time_us >= 2.5 us", "time_us", False, 2.5),
        ("memory <= 64 KiB", "memory_bytes", True, 65536.0),
        ("area <= 20 kLUT", "area_luts", True, 20_000.0),
        ("energy <= 50 µJ", "energy_uj", True, 50.0),
        ("energy_high <= 0.05 mJ", "energy_high_uj", True, 50.0),
        ("power <= 0.2 W", "power_mw", True, 200.0),
        ("wall_cycles <= 12,345", "wall_cycles", True, 12345.0),
        ("  wall_cycles   >= 1_000 cycles ", "wall_cycles", False, 1000.0),
    ],
)
def test_constraints(text: str, name: str, at_most: bool, limit: float) -> None:
    constraint = parse_constraint(text, "learner")
    assert (constraint.metric.name, constraint.at_most, constraint.limit) == (name, at_most, limit)


def test_limits_include_their_ends_and_unknown_values_break_them() -> None:
    most = parse_constraint("time <= 2 us", "kernel")
    least = parse_constraint("time >= 2 us", "kernel")
    assert most.met_by(2.0)
    assert least.met_by(2.0)
    assert not most.met_by(2.1)
    assert not least.met_by(1.9)
    assert not most.met_by(None)
    assert most.miss(3.0) == 1.5
    assert least.miss(1.0) == 2.0
    assert most.miss(1.0) == 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "select 1 ms",
            (
                "'select 1 ms' is not a constraint; write a quantity, <= or >=, a number and its unit,"  # noqa: E501
                " such as 'select <= 1 ms'"
            ),
        ),
        ("select <= 1", "'select <= 1': select needs its unit (allowed: ns, us, µs, ms, s)"),
        (
            "memory <= 64 KB",
            (
                "'memory <= 64 KB': 'KB' is not a unit of memory (allowed: B, KiB, MiB, did you mean"  # noqa: E501
                " 'KiB'?)"
            ),
        ),
        (
            "area <= 20 klut",
            (
                "'area <= 20 klut': 'klut' is not a unit of area (allowed: LUT, kLUT, did you mean"
                " 'kLUT'?)"
            ),
        ),
        ("time < 1 ms", "'time < 1 ms': write <= instead of <, or <= and >="),
        (
            "time = 1 ms",
            "'time = 1 ms': equality never holds for a measured quantity; write <= or >=",
        ),
    ],
)
def test_bad_constraints(text: str, message: str) -> None:
    with pytest.raises(GnomonError) as error:
        parse_constraint(text, "learner")
    assert str(error.value) == message


def test_a_kernel_has_no_selection() -> None:
    with pytest.raises(
        GnomonError, match=r"^'select' is not measured for a kernel \(allowed: time"
    ):
        find_metric("select", "kernel")
    with pytest.raises(GnomonError, match=r"did you mean 'energy'\?"):
        find_metric("enregy", "kernel")


def test_objectives() -> None:
    assert parse_objective("energy", "kernel").text == "minimize energy"
    assert not parse_objective("maximize time", "kernel").minimize
    with pytest.raises(GnomonError, match=r"^'less time' is not an objective; write minimize or"):
        parse_objective("less time", "kernel")


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("time_us", 0.25, "250 ns"),
        ("time_us", 182.84, "182.8 µs"),
        ("time_us", 1984.0, "1.984 ms"),
        ("time_us", 2.5e6, "2.5 s"),
        ("energy_uj", 0.5, "500 nJ"),
        ("power_mw", 310.0, "310 mW"),
        ("memory_bytes", 2048, "2.0 KiB"),
        ("memory_bytes", 12, "12 B"),
        ("wall_cycles", 12345, "12,345 cycles"),
        ("area_luts", 9321.4, "9,321.4 LUT"),
        ("memories_brams", 4.5, "4.5 BRAM"),
        ("time_us", 0.0, "0 ns"),
    ],
)
def test_quantities_for_people(name: str, value: float, text: str) -> None:
    metric = next(metric for metric in METRICS if metric.name == name)
    assert format_quantity(metric, value) == text
