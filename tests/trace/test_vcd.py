"""The VCD reader against a plain one, against an independent one, and by hand."""

from __future__ import annotations

import gzip
import io
import itertools
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gnomon.base.errors import GnomonError
from gnomon.observe.trace import NetActivity, read_activity
from gnomon.observe.trace._activity import STATES
from gnomon.observe.trace._selection import Selection
from gnomon.observe.trace._source import RecordingStream
from gnomon.observe.trace._vcd import CHUNK_BYTES, read_vcd
from tests.trace import oracle
from tests.trace.recordings import Recording, attempt, recordings

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """$timescale 1 ns $end
$scope module tb $end
$var wire 1 ! clk $end
$var reg 4 " bus [3:0] $end
$scope module dut $end
$var wire 1 ! clk_i $end
$var wire 1 # q $end
$var real 64 % level $end
$upscope $end
$upscope $end
$enddefinitions $end
"""


def read(text: str, *, chunk_bytes: int = CHUNK_BYTES, **options: Any) -> NetActivity:
    """Read text as a stream that arrives in pieces."""
    source = RecordingStream("a.vcd", io.BytesIO(text.encode()))
    return read_vcd(source, Selection(**options), chunk_bytes=chunk_bytes)


def toggles(activity: NetActivity) -> dict[str, int]:
    return {
        f"{signal.instance}/{signal.name}": activity.signal_toggles(signal)
        for signal in activity.signals
    }


def test_counts_by_hand() -> None:
    counted = read(HEAD + '#0 0! b0000 " 0# r0.5 %\n#5 1! b0110 " \n#10 0! b1 " 1# r1 %\n#20\n')
    assert toggles(counted) == {"tb/clk": 2, "tb/bus": 2 + 3, "tb/dut/q": 1}
    assert (counted.start, counted.end, counted.timescale_fs) == (0, 20, 10**6)
    by_name = {signal.name: counted.signal_times(signal) for signal in counted.signals}
    assert by_name["clk"] == (15, 5, 0, 0, 0)
    assert by_name["q"] == (10, 10, 0, 0, 0)
    assert dict(counted.left_out) == {"real variables": 1}


def test_an_alias_is_one_net_of_the_first_instance() -> None:
    counted = read(HEAD + "#0 0!\n#1 1!\n#2\n")
    clock = counted.signals[0]
    assert (clock.instance, clock.name, clock.aliases) == ("tb", "clk", 1)
    parts = {row["instance"]: row for row in counted.rows("instance")}
    assert parts["tb"]["toggles"] == 1
    assert parts["tb"]["toggles_with_below"] == 1
    assert parts["tb/dut"]["signals"] == 1


def test_a_scope_takes_the_name_it_has_there() -> None:
    counted = read(HEAD + "#0 0! 0#\n#1 1! 1#\n#2\n", scope="tb/d*")
    assert toggles(counted) == {"tb/dut/clk_i": 1, "tb/dut/q": 1}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ("#0 x! #1 0! #2 1! #3", 1),  # x to 0 is not a toggle
        ("#0 z! #1 1! #2", 0),
        ("#0 0! #1 x! #2 1! #3", 0),  # nor is 0 over x to 1
        ("#0 0! #1 0! #2 1! 1! #3", 1),  # a repeated value is none
        ("#0 0! #1 1! 0! #2", 0),  # a glitch without length is none
        ("#0 0! #1 1! 0! 1! #2", 1),
        ("0! #0 1! #1", 0),  # what comes before the first mark belongs to it
        ("#0 0! #1 1! #1 0! #2", 0),  # one instant, two marks
        ("#0 $dumpvars 0! $end #1 $dumpoff x! $end #2 $dumpon 1! $end #3", 0),
        ("#0 0! #1 $dumpoff $end #2 1! #3", 0),  # also without the block of x
        ("#0 0! #1 $dumpoff x! $end 1! #2 0! #3 $dumpon 0! $end #4 1! #5", 1),
        ("#0 0! #1 1! $dumpoff x! $end #3 $dumpon 0! $end #4", 1),  # it has settled by then
        ("#0 0! #1 1! $dumpoff x! $end $dumpon 0! $end #4", 1),
        ("#0 0! #1 $dumpoff x! $end $dumpon 1! $end #4", 0),
        ("#0 0! $comment 1! #9 $end #1 1! #2", 1),
        ("#0 L! #1 H! #2", 1),  # std_logic
        ("#0 0! #1 1! #2 $vcdclose #0 $end", 1),  # its time is not a mark
        ("#0 0! #1 1! #2 $vcdclose 0! $end", 1),
    ],
)
def test_what_is_a_toggle(changes: str, expected: int) -> None:
    assert toggles(read(HEAD + changes + "\n"))["tb/clk"] == expected


@pytest.mark.parametrize(
    ("digits", "times"),
    [
        ("b1", (3, 1, 0, 0)),
        ("bx", (0, 0, 4, 0)),
        ("bz1", (0, 1, 0, 3)),
        ("b0x", (3, 0, 1, 0)),
        ("b000011", (2, 2, 0, 0)),  # zeros beyond the width say nothing
        ("1", (3, 1, 0, 0)),  # a scalar for a vector
    ],
)
def test_short_vectors_extend(digits: str, times: tuple[int, ...]) -> None:
    space = " " if digits.startswith("b") else ""
    counted = read(f'{HEAD}#0 {digits}{space}" #1\n')
    bus = counted.signals[1]
    assert counted.signal_times(bus)[:4] == times


def test_ranges_name_the_bits() -> None:
    text = HEAD.replace("bus [3:0]", "bus[0:3]").replace("q $end", "\\q[7].x $end")
    counted = read(text + '#0 b0001 "\n#1 b0000 "\n#2\n')
    bus = counted.signals[1]
    names = dict(zip(bus.bit_names(), counted.toggles[bus.first_bit :].tolist(), strict=False))
    assert names == {"bus[3]": 1, "bus[2]": 0, "bus[1]": 0, "bus[0]": 0}
    assert bus.label == "bus[0:3]"
    assert counted.signals[2].label == "q[7].x"


def check_against_oracle(
    recording: Recording, counted: NetActivity, start: int | None, end: int | None
) -> None:
    nets, first, last = oracle.read(recording.text)
    assert len(counted.signals) == len(nets)
    for signal, net in zip(counted.signals, nets.values(), strict=True):
        expected = oracle.count(net, first, last, first if start is None else start, end)
        rows = slice(signal.first_bit, signal.first_bit + signal.width_bits)
        assert signal.aliases == len(net.names) - 1
        assert f"{signal.instance}/{signal.name}" == net.names[0]
        assert counted.toggles[rows].tolist() == expected.toggles
        assert [dict(zip("01xz", row, strict=False)) for row in
                counted.state_times[rows].tolist()] == expected.times  # fmt: skip
    assert (counted.state_times.sum(axis=1) == counted.duration).all()
    assert counted.state_times.shape[1] == len(STATES)


@given(recording=recordings(), chunk_bytes=st.sampled_from([1, 7, 64, 1 << 16]))
@settings(max_examples=100, deadline=None)
def test_equals_the_oracle(recording: Recording, chunk_bytes: int) -> None:
    check_against_oracle(recording, read(recording.text, chunk_bytes=chunk_bytes), None, None)


@given(recording=recordings(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_window_equals_the_oracle(recording: Recording, data: st.DataObject) -> None:
    _, first, last = oracle.read(recording.text)
    start = data.draw(st.integers(first, last - 1))
    end = data.draw(st.integers(start + 1, last))
    window = {"from_fs": Fraction(start * 10**6), "to_fs": Fraction(end * 10**6)}
    check_against_oracle(recording, read(recording.text, **window), start, end)


@given(recording=recordings(), data=st.data())
@settings(max_examples=30, deadline=None)
def test_adjacent_windows_add_up(recording: Recording, data: st.DataObject) -> None:
    whole = read(recording.text)
    if whole.duration < 2:
        return
    cut = Fraction(data.draw(st.integers(whole.start + 1, whole.end - 1)) * 10**6)
    early = read(recording.text, to_fs=cut)
    late = read(recording.text, from_fs=cut)
    assert (early.toggles + late.toggles == whole.toggles).all()
    assert (early.state_times + late.state_times == whole.state_times).all()


@given(recording=recordings(plain=True))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_equals_an_independent_reader(recording: Recording, tmp_path: Path) -> None:
    pywellen = pytest.importorskip("pywellen", reason="pywellen, an independent reader, is absent")
    file = tmp_path / "a.vcd"
    file.write_text(recording.text)
    counted = read_activity(file)
    variables = {
        variable.full_name: variable for variable in pywellen.Waveform(str(file)).all_vars()
    }
    for signal in counted.signals:
        changes = [
            (time, _digits(value, signal.width_bits))
            for time, value in variables[f"tb.{signal.name}"].tv
        ]
        expected = sum(
            {a, b} == {"0", "1"}
            for (_, old), (_, new) in itertools.pairwise(changes)
            for a, b in zip(old, new, strict=True)
        )
        assert counted.signal_toggles(signal) == expected


def _digits(value: object, width: int) -> str:
    text = format(value, "b") if isinstance(value, int) else str(value)
    return text.rjust(width, "0").lower()


@given(recording=recordings(), data=st.data())
@settings(max_examples=100, deadline=None)
def test_damage_gives_one_clean_message(recording: Recording, data: st.DataObject) -> None:
    raw = bytearray(recording.text.encode())
    for _ in range(data.draw(st.integers(0, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    raw = raw[: data.draw(st.integers(0, len(raw)))]
    counted = attempt(
        lambda: read_vcd(RecordingStream("a.vcd", io.BytesIO(bytes(raw))), chunk_bytes=64)
    )
    if isinstance(counted, str):
        assert counted.startswith("a.vcd:")
        assert "\n" not in counted
    else:
        assert (counted.state_times.sum(axis=1) == counted.duration).all()


def test_gzip_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (HEAD + "#0 0!\n#1 1!\n#2\n").encode()
    file = tmp_path / "a.vcd.gz"
    file.write_bytes(gzip.compress(text))
    assert toggles(read_activity(file))["tb/clk"] == 1

    class Stdin:
        buffer = io.BytesIO(text)

    monkeypatch.setattr("sys.stdin", Stdin)
    counted = read_activity("-")
    assert counted.source == "standard input"
    assert toggles(counted)["tb/clk"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            HEAD + "#0 0!\n#5 7!\n",
            "a.vcd:13: expected a value change, a time mark such as #10, or a $keyword, found '7!'",
        ),
        (HEAD + "#0 0!\n1?\n", "a.vcd:13: identifier code '?' of '1?' is declared by no $var"),
        (HEAD + "#0\nb01 ?\n", "a.vcd:13: identifier code '?' is declared by no $var"),
        (HEAD + "#0\n#1x\n", "a.vcd:13: expected '#' and a time in timescale units, found '#1x'"),
        (HEAD + "#9\n#8\n", "a.vcd:13: time '#8' is before #9: time only goes forward"),
        (
            HEAD + '#0\nb012 "\n',
            "a.vcd:13: expected a vector of the digits 0 1 x z, found 'b012'",
        ),
        (HEAD + '#0\nb "\n', "a.vcd:13: expected a vector of the digits 0 1 x z, found 'b'"),
        (
            HEAD + '#0\nb10000 "\n',
            "a.vcd:13: 'b10000' has more digits than tb/bus of line 4 has bits, 4",
        ),
        (HEAD + "#0\n1 !\n", "a.vcd:13: value '1' without an identifier code right after it"),
        (
            HEAD + "#0\nr1.5 !\n",
            "a.vcd:13: 'r1.5' is a real number or text, but tb/clk of line 3 has bits",
        ),
        (HEAD + "#0\n$dump $end\n", "a.vcd:13: unknown keyword '$dump'"),
        (HEAD + "#0\n$scope module a $end\n", "a.vcd:13: '$scope' after $enddefinitions"),
        (
            HEAD + "#0\npD 6 6 !\n",
            (
                "a.vcd:13: 'pD': this is an extended VCD, whose port values (drivers and strengths)"
                " are not read; record with $dumpvars"
            ),
        ),
        (
            HEAD + "#0\nb01",
            "a.vcd:13: the file ends inside the value change that begins with 'b01'",
        ),
        (
            HEAD + "#0\n$dumpvars\n0!\n",
            "a.vcd:15: the file ends before the $end of the block of line 13",
        ),
        (HEAD + "0!\n", "a.vcd:13: no time mark such as #0: nothing is recorded"),
        (
            HEAD + "#7 0!\n",
            (
                "a.vcd: nothing to count: it records 7 to 7, the window is 7 to 7 (in units of "
                "1000000 fs)"
            ),
        ),
        ("$date x", "a.vcd:1: the file ends before the $end of the $date of line 1"),
        (
            "$timescale 1 ns $end\n",
            "a.vcd:1: the file ends inside the declarations, before $enddefinitions $end",
        ),
        (
            "$timescale 3 ns $end\n",
            "a.vcd:1: expected a timescale of 1, 10 or 100 s, ms, us, ns, ps or fs, found '3 ns'",
        ),
        (
            "\n\nhello",
            "a.vcd:3: expected a $keyword such as $var or $enddefinitions, found 'hello'",
        ),
        (
            "$var wire 1 !\n$end",
            "a.vcd:1: expected '$var type width code name [range] $end', found '$var wire 1 !'",
        ),
        ("$var wire x ! a $end", "a.vcd:1: expected a width in bits, found 'x'"),
        ("$var wire 0 ! a $end", "a.vcd:1: width 0 is not between 1 and 4194304 bits"),
        (
            "$var wire 1 ! a $end\n$var wire 2 ! b $end",
            (
                "a.vcd:2: identifier code '!' is declared with 2 bits as wire, and with 1 bits in "
                "line 1"
            ),
        ),
        (
            "$scope module a\n$var",
            "a.vcd:2: expected the $end of the $scope of line 1, found '$var'",
        ),
        ("$upscope $end", "a.vcd:1: $upscope without a $scope that is open"),
        (
            "$timescale 1 ns $end $enddefinitions $end",
            "a.vcd:1: no $var before $enddefinitions: nothing is recorded",
        ),
    ],
)
def test_messages(text: str, message: str) -> None:
    with pytest.raises(GnomonError) as caught:
        read(text)
    assert str(caught.value) == message


def test_an_unmatched_scope_names_the_instances() -> None:
    with pytest.raises(GnomonError) as caught:
        read(HEAD + "#0 0!\n#1\n", scope="tb/dat")
    assert str(caught.value) == (
        "a.vcd: no instance with nets matches --scope 'tb/dat'; the file has: tb, tb/dut, "
        "did you mean 'tb/dut'?"
    )


def test_a_window_beyond_the_end_is_refused() -> None:
    with pytest.raises(GnomonError) as caught:
        read(HEAD + "#0 0!\n#9\n", to_fs=Fraction(10**7))
    assert str(caught.value) == (
        "a.vcd: --to is at 10, the recording ends at 9 (in units of 1000000 fs)"
    )


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04"])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "a.vcd"
    file.write_bytes(content)
    expected = (
        f"{file}: is empty"
        if not content
        else f"{file}: is not a VCD (which begins with a $keyword), a SAIF (which begins with "
        f"'(SAIFILE') or an FST file; it begins with {content!r}"
    )
    with pytest.raises(GnomonError) as caught:
        read_activity(file)
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("edge", "toggled"),
    [("$dumpoff x! $end 0!", 5), ("0! $dumpoff x! $end", 6)],  # as Icarus Verilog writes them
)
def test_a_recording_suspended_in_the_instant_of_an_edge(edge: str, toggled: int) -> None:
    text = HEAD + f"#0 0! #5 1! #10 0! #15 1! #20 {edge} #100 $dumpon 0! $end\n"
    text += "#105 1! #110 0! #115 1! #120\n"
    clock = (counted := read(text)).signals[0]
    zero, one, unknown, other = counted.signal_times(clock)[:4]
    assert (zero, one, unknown, other) == (20, 20, 80, 0)
    assert toggles(counted)["tb/clk"] == toggled + 1
