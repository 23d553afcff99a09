"""The clock of a recording is compared with the stated one."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.base.errors import GnomonError
from gnomon.base.units import Hertz
from gnomon.observe.trace._saif_read import read_saif
from gnomon.observe.trace._selection import Selection
from gnomon.observe.trace._source import RecordingStream
from gnomon.observe.trace._vcd import read_vcd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.observe.trace._activity import NetActivity

MHZ = 10**6


def recorded(edges: Sequence[int], end: int, scale: str = "1 ns", **options: Any) -> NetActivity:
    text = f"$timescale {scale} $end $scope module tb $end $var wire 1 ! clk $end "
    text += "$scope module a $end $var wire 1 # clk $end $var wire 1 % fast $end $upscope $end "
    text += "$upscope $end $enddefinitions $end #0 0! 0# 0%\n"
    for index, time in enumerate(edges):
        text += f"#{time} {(index + 1) % 2}!\n"
    options = {"find_clock": True} | options
    return read_vcd(
        RecordingStream("a.vcd", io.BytesIO(f"{text}#{end}\n".encode())), Selection(**options)
    )


def test_edges_give_the_exact_period() -> None:
    counted = recorded(range(3, 1000, 5), 1000)
    assert counted.clock is not None
    assert counted.clock.net == "tb/clk"  # the outermost of two
    assert counted.clock_hz == 100 * MHZ
    assert counted.check_clock(Hertz(100 * MHZ), "t13") == 100 * MHZ


def test_another_clock_is_refused_with_both_values() -> None:
    with pytest.raises(GnomonError) as caught:
        recorded(range(0, 1000, 10), 1000).check_clock(Hertz(100 * MHZ), "t13-simd4")
    assert str(caught.value) == (
        "a.vcd: clock net tb/clk gives 50 MHz, t13-simd4 gives 100 MHz: activity of one clock must "
        "not be used for another"
    )


def test_rounded_half_periods_are_no_other_clock() -> None:
    edges = [3333 * k for k in range(1, 400)]
    assert recorded(edges, 3333 * 400, "1 ps").check_clock(Hertz(150 * MHZ), "t13") is not None
    with pytest.raises(GnomonError) as caught:
        recorded(edges, 3333 * 400, "1 ps").check_clock(Hertz(151 * MHZ), "t13")
    assert str(caught.value).startswith(
        "a.vcd: clock net tb/clk gives 150.02 MHz, t13 gives 151 MHz"
    )


def test_a_net_that_hardly_moves_is_no_clock() -> None:
    with pytest.raises(GnomonError) as caught:
        recorded([5], 10, clock_net="/tb/clk").check_clock(Hertz(MHZ), "t13")
    assert str(caught.value) == (
        "a.vcd: clock net tb/clk has 1 toggles, too few for its period; name another with "
        "--clock-net"
    )


def test_a_wrong_clock_net_names_the_nearest() -> None:
    with pytest.raises(GnomonError) as caught:
        recorded([5], 10, clock_net="tb/a/fsat")
    assert str(caught.value) == (
        "a.vcd: --clock-net 'tb/a/fsat': the recording has no such one-bit net, did you mean "
        "'tb/a/fast'?"
    )


def test_a_named_clock_outside_the_scope_is_not_counted() -> None:
    counted = recorded(range(5, 100, 5), 100, scope="tb/a", clock_net="tb/clk")
    assert [signal.name for signal in counted.signals] == ["clk", "fast"]
    assert counted.toggles.tolist() == [0, 0]
    assert counted.clock_hz == 100 * MHZ


def test_only_asked_for_a_clock_is_looked_for() -> None:
    counted = recorded([5], 10, find_clock=False)
    assert counted.clock is None
    assert counted.check_clock(Hertz(MHZ), "t13") is None


def test_the_number_of_cycles_is_a_clock_too() -> None:
    counted = recorded([5], 1000, find_clock=False)
    counted.check_clock(Hertz(100 * MHZ), "t13", cycles=100)
    with pytest.raises(GnomonError) as caught:
        counted.check_clock(Hertz(100 * MHZ), "t13", cycles=200)
    assert str(caught.value) == (
        "a.vcd: its duration over 200 cycles gives 200 MHz, t13 gives 100 MHz: activity of one "
        "clock must not be used for another"
    )


def totals(toggles: int, duration: int, net: str = "clk") -> NetActivity:
    text = '(SAIFILE (SAIFVERSION "2.0") (DIRECTION "backward") (TIMESCALE 1 ns) '
    text += f"(DURATION {duration}) (INSTANCE top (NET ({net} (T0 {duration}) (TC {toggles})))))"
    return read_saif(
        RecordingStream("a.saif", io.BytesIO(text.encode())), Selection(find_clock=True)
    )


@pytest.mark.parametrize("toggles", [199, 200, 201])
def test_totals_may_miss_an_edge(toggles: int) -> None:
    assert totals(toggles, 1000).check_clock(Hertz(100 * MHZ), "t13") is not None


def test_the_clock_of_totals_is_refused_too() -> None:
    with pytest.raises(GnomonError) as caught:
        totals(200, 1000).check_clock(Hertz(80 * MHZ), "t13")
    assert str(caught.value) == (
        "a.saif: clock net top/clk gives 100 MHz, t13 gives 80 MHz: activity of one clock must not "
        "be used for another"
    )
    assert totals(200, 1000, "q").clock is None
