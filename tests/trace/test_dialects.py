"""Recordings as other simulators write them: gaps, gated clocks, ports, decimals, no timescale."""

from __future__ import annotations

import io
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.base.errors import GnomonError
from gnomon.base.units import Hertz
from gnomon.observe.trace import NetActivity, read_activity, write_saif
from gnomon.observe.trace._selection import Selection
from gnomon.observe.trace._source import RecordingStream
from gnomon.observe.trace._vcd import period_of, read_vcd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FOLDER = Path(__file__).with_name("dialects")
MHZ = 10**6
HEAD = (
    "$timescale 1 ns $end $scope module tb $end $var wire 1 ! clk $end $upscope $end "
    "$enddefinitions $end\n"
)


def clocked(stretches: Iterable[tuple[int, int, int]], *, off: bool) -> str:
    """A clock in stretches of start, end and period; unknown between them, or low."""
    text = HEAD
    for number, (start, end, period) in enumerate(stretches):
        text += f"#{start}\n" + ("$dumpon 0! $end\n" if off and number else "0!\n")
        for edge in range(start + period // 2, end - period // 2 + 1, period):
            text += f"#{edge}\n1!\n#{edge + period // 2}\n0!\n"
        text += f"#{end}\n" + ("$dumpoff x! $end\n" if off else "0!\n")
    return text


def counted(text: str, clock: int | None = 100 * MHZ, **options: Any) -> NetActivity:
    selected = Selection(find_clock=clock is not None, **options)
    return read_vcd(RecordingStream("a.vcd", io.BytesIO(text.encode())), selected)


RUNS = {
    "one-gap": ([(0, 200, 10), (1000, 1200, 10)], True),
    "several-gaps": ([(0, 100, 10), (333, 500, 10), (777, 900, 10), (5001, 5100, 10)], True),
    "a-gap-first": ([(0, 20, 10), (100_000, 100_400, 10)], True),
    "a-swallowed-period": ([(0, 200, 10), (210, 400, 10)], False),
    "gated-half-of-the-time": ([(0, 100, 10), (200, 300, 10), (400, 500, 10)], False),
    "stopped-between-periods": ([(0, 400, 10), (1003, 1400, 10)], False),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_clock_says_its_period_where_it_runs(name: str) -> None:
    stretches, off = RUNS[name]
    activity = counted(clocked(stretches, off=off))
    assert activity.check_clock(Hertz(100 * MHZ), "t13") == 100 * MHZ
    with pytest.raises(GnomonError, match="clock net tb/clk gives 100 MHz, t13 gives 99 MHz"):
        activity.check_clock(Hertz(99 * MHZ), "t13")


@pytest.mark.parametrize(
    ("intervals", "period"),
    [
        ({10: 100}, 10),
        ({10: 100, 20: 3, 810: 1}, 10),  # gated
        ({6: 10, 7: 20}, Fraction(20, 3)),  # 150 MHz in whole ns
        ({10: 100, 803: 4}, 10),  # stopped, and started at another phase
        ({10: 10, 13: 10}, Fraction(23, 2)),  # another clock half of the time
        ({10: 10, 33: 10}, Fraction(43, 2)),
        ({1: 50, 2: 50}, Fraction(3, 2)),  # rounded to the timescale
        ({3: 1, 10: 400}, 10),  # a glitch
        ({}, None),
    ],
)
def test_the_period_of_intervals(intervals: dict[int, int], period: Fraction | None) -> None:
    assert period_of(intervals) == period


def test_toggles_count_where_the_clock_is_recorded() -> None:
    stretches, off = RUNS["one-gap"]
    activity = counted(clocked(stretches, off=off), None)
    assert activity.signal_toggles(activity.signals[0]) == 80
    assert activity.signal_times(activity.signals[0])[2] == 800


SAIF = """\
(SAIFILE (SAIFVERSION "2.0") (DIRECTION "backward") (TIMESCALE {scale}) (DURATION {duration})
(INSTANCE {top} ({what} {nets})))
"""
CLOCK = "(clk (T0 500) (T1 500) (TX 0) (TC 20) (IG 0))"


def saif(nets: str = CLOCK, **parts: str) -> bytes:
    given = {"scale": "1 ns", "duration": "1000", "top": "tb", "what": "NET"} | parts
    return SAIF.format(nets=nets, **given).encode()


FORMS = {
    "ports": (saif(what="PORT"), "tb", "clk"),
    "rationals": (saif("(clk (T0 500.00) (T1 500.0) (TC 20.00))", duration="1000.00"), "tb", "clk"),
    "parts-of-a-unit": (saif("(clk (T0 500.5) (T1 499.5) (TC 20))"), "tb", "clk"),
    "quoted-instance": (saif(top='"tb"'), "tb", "clk"),
    "quoted-net": (saif('("clk" (T0 500) (T1 500) (TC 20))'), "tb", "clk"),
    "cell-and-instance": (saif(top='"cell" tb'), "tb", "clk"),
    "byte-order-mark": (b"\xef\xbb\xbf" + saif(), "tb", "clk"),
    "capitals": (saif(scale="1 NS"), "tb", "clk"),
    "round-brackets": (saif("(d(1) (T0 500) (T1 500) (TC 20))"), "tb", "d(1)"),
    "of-an-instance": (saif(top="gen(3)"), "gen(3)", "clk"),
    "two-indices": (saif("(d(1)(0) (T0 500)(T1 500)(TC 20))"), "tb", "d(1)(0)"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_saif_of_other_tools(name: str, tmp_path: Path) -> None:
    data, instance, net = FORMS[name]
    path = tmp_path / "a.saif"
    path.write_bytes(data)
    activity = read_activity(path)
    (signal,) = activity.signals
    assert (signal.instance, signal.name) == (instance, net)
    assert activity.signal_toggles(signal) == 20
    assert activity.duration_seconds == Fraction(1, 10**6)
    assert activity.of_ports == (name == "ports")
    assert (activity.state_times.sum(axis=1) == activity.duration).all()


def test_nets_are_taken_before_ports(tmp_path: Path) -> None:
    path = tmp_path / "a.saif"
    path.write_bytes(saif(f"{CLOCK}) (PORT (p (T0 999) (T1 1) (TC 1))"))
    activity = read_activity(path)
    assert [signal.name for signal in activity.signals] == ["clk"]
    assert activity.left_out == {"PORT entries": 1}


def test_half_a_toggle_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.saif"
    path.write_bytes(saif("(clk (T0 500) (T1 500) (TC 20.5))"))
    with pytest.raises(GnomonError, match=r"a.saif:2: net tb/clk: expected a whole number"):
        read_activity(path)


def test_a_clock_of_totals_is_over_the_time_it_is_known(tmp_path: Path) -> None:
    path = tmp_path / "a.saif"
    path.write_bytes(saif("(clk (T0 200) (T1 200) (TX 800) (TC 80))", duration="1200"))
    activity = read_activity(path, clock=Hertz(100 * MHZ))
    assert activity.check_clock(Hertz(100 * MHZ), "t13") == 100 * MHZ


NO_TIME = HEAD.replace("$timescale 1 ns $end ", "") + "#0 0! #5 1! #10 0! #15 1! #20 0!\n"


def test_toggles_need_no_timescale(tmp_path: Path) -> None:
    path = tmp_path / "a.vcd"
    path.write_text(NO_TIME)
    activity = read_activity(path)
    assert activity.signal_toggles(activity.signals[0]) == 4
    assert activity.to_json("signal", None)["duration_s"] is None
    with_clock = read_activity(path, clock=Hertz(100 * MHZ))
    refusals: list[Callable[[], object]] = [
        lambda: with_clock.check_clock(Hertz(100 * MHZ), "t13"),
        lambda: write_saif(activity, tmp_path / "b.saif"),
        lambda: read_activity(path, from_="5 ns"),
    ]
    for each in refusals:
        with pytest.raises(GnomonError, match=r"has no .timescale.*--timescale '1 ns'"):
            each()
    given = read_activity(path, timescale="1ns", clock=Hertz(100 * MHZ), from_="5 ns")
    assert given.check_clock(Hertz(100 * MHZ), "t13") == 100 * MHZ
    assert (given.start, given.end, given.timescale) == (5, 20, "1 ns")


def test_a_timescale_that_contradicts_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.vcd"
    path.write_text(clocked([(0, 100, 10)], off=False))
    with pytest.raises(GnomonError, match="timescale is '1 ns', --timescale says 10 ns"):
        read_activity(path, timescale="10 ns")
    with pytest.raises(GnomonError, match="--timescale: expected a timescale of 1, 10 or 100"):
        read_activity(path, timescale="2 ns")


HEADS = {
    "scalar-port": "$var port 1 <0 clk $end $upscope $end $enddefinitions $end #0 pD 6 0 <0\n",
    "vector-port": "$var port [3:0] <0 d $end $upscope $end $enddefinitions $end #0\n",
    "values-only": "$var wire 1 <0 d $end $upscope $end $enddefinitions $end #0 pD 6 0 <0\n",
    "dumpports": "$var wire 1 ! d $end $upscope $end $enddefinitions $end $dumpports 0! $end\n",
    "dumpports-first": "$dumpports $end $enddefinitions $end\n",
}


@pytest.mark.parametrize("name", HEADS)
def test_an_extended_vcd_is_named(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.vcd"
    path.write_text(f"$timescale 1 ns $end $scope module tb $end {HEADS[name]}")
    with pytest.raises(GnomonError, match=r"a.vcd:1: .*this is an extended VCD"):
        read_activity(path)


MARK_OR_CAPITALS = [f"\ufeff{NO_TIME}", clocked([(0, 20, 10)], off=False).replace("1 ns", "1 NS")]


@pytest.mark.parametrize("text", MARK_OR_CAPITALS)
def test_a_vcd_with_a_mark_or_capitals(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.vcd"
    path.write_text(text, encoding="utf-8")
    assert int(read_activity(path).toggles.sum()) == 4


@pytest.mark.parametrize(
    ("name", "clock", "toggles"),
    [("windowed.vcd", 100, 79), ("windowed.saif", 100, 80), ("ports.saif", None, 20),
     ("decimals.saif", None, 20), ("notime.vcd", None, 4)],
)  # fmt: skip
def test_files_of_users(name: str, clock: int | None, toggles: int) -> None:
    hertz = None if clock is None else Hertz(clock * MHZ)
    activity = read_activity(FOLDER / name, clock=hertz)
    (signal,) = (each for each in activity.signals if each.name == "clk")
    assert activity.signal_toggles(signal) == toggles
    if hertz is not None:
        assert activity.check_clock(hertz, "--clock") == hertz
        assert activity.signal_times(signal)[2] * 3 == activity.duration * 2
