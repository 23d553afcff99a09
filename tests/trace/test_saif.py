"""SAIF: read, written and read back, by us and by a second plain reader; and its errors."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.base.errors import GnomonError
from gnomon.observe.trace import write_saif
from gnomon.observe.trace._activity import NetActivity, Signal
from gnomon.observe.trace._saif_read import read_saif
from gnomon.observe.trace._saif_write import saif_text
from gnomon.observe.trace._selection import Selection
from gnomon.observe.trace._source import RecordingStream
from gnomon.observe.trace._vcd import read_vcd
from tests.trace.recordings import Recording, attempt, recordings

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """(SAIFILE
(SAIFVERSION "2.0")
(DIRECTION "backward")
(DESIGN )
(DIVIDER / )
(TIMESCALE 1 ns)
(DURATION 10)
"""


def read(text: str, **options: Any) -> NetActivity:
    return read_saif(RecordingStream("a.saif", io.BytesIO(text.encode())), Selection(**options))


def nets(activity: NetActivity) -> dict[tuple[tuple[str, ...], str], tuple[int, list[int]]]:
    """Toggles and times by the full name of every bit."""
    found = {}
    for signal in activity.signals:
        for bit, name in enumerate(signal.bit_names()):
            row = signal.first_bit + bit
            times = activity.state_times[row].tolist()
            found[signal.scope, name] = (int(activity.toggles[row]), times)
    return found


def test_reads_what_the_format_allows() -> None:
    counted = read(
        HEAD.replace("(DIVIDER / )", '/* a ( comment */ (DATE "a (date)")\n// another )\n')
        + '(INSTANCE "cell" top\n'
        "(PORT (clk (T0 5) (T1 5) (TC 2)))"
        "(NET (a\\[3\\] (T0 4) (T1 6) (TX 0) (TC 3) (IG 2)) (b[1](T0 10)(TC 0)))\n"
        "(INSTANCE u\\/1 (NET (\\1x (T0 1) (T1 2) (TX 3) (TZ 3) (TB 1) (TC 9)))))\n)\n"
    )
    assert nets(counted) == {
        (("top",), "a[3]"): (3, [4, 6, 0, 0, 0]),
        (("top",), "b[1]"): (0, [10, 0, 0, 0, 0]),
        (("top", "u/1"), "1x"): (9, [1, 2, 3, 3, 1]),
    }
    assert dict(counted.left_out) == {"IG (glitches)": 2, "PORT entries": 1}
    assert [row["toggles_with_below"] for row in counted.rows("instance")] == [12, 9]


NAME = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1,
    max_size=6,
)  # fmt: skip


@st.composite
def activities(draw: st.DrawFn) -> NetActivity:
    duration = draw(st.integers(1, 10**12))
    top = draw(NAME)
    keys = draw(
        st.lists(st.tuples(st.lists(NAME, max_size=3), NAME), min_size=1, max_size=8,
                 unique_by=lambda key: (tuple(key[0]), key[1]))
    )  # fmt: skip
    signals = []
    rows = []
    toggles = []
    for path, name in keys:
        signals.append(Signal((top, *path), name, 1, len(signals)))
        cuts = sorted(draw(st.lists(st.integers(0, duration), min_size=4, max_size=4)))
        rows.append(np.diff([0, *cuts, duration]).tolist())
        toggles.append(draw(st.integers(0, 10**15)))
    return NetActivity(
        source="random",
        format="model",
        timescale_fs=draw(st.sampled_from([1, 100, 10**6, 10**9, 10**11, 10**12])),
        start=0,
        end=duration,
        signals=tuple(signals),
        toggles=np.array(toggles, dtype=np.int64),
        state_times=np.array(rows, dtype=np.int64),
        left_out={},
    )


@given(activity=activities())
@settings(max_examples=100, deadline=None)
def test_a_round_trip_keeps_everything(activity: NetActivity) -> None:
    again = read(saif_text(activity))
    scale = activity.timescale_fs // again.timescale_fs
    assert scale * again.timescale_fs == activity.timescale_fs
    assert again.duration == scale * activity.duration
    assert again.duration_seconds == activity.duration_seconds
    expected = {
        key: (count, [scale * time for time in times])
        for key, (count, times) in nets(activity).items()
    }
    assert nets(again) == expected
    # The second time nothing is left to change.
    assert saif_text(again) == saif_text(read(saif_text(again)))


class Dribble(io.BytesIO):
    """A stream that gives a few bytes at a time."""

    def __init__(self, data: bytes, most: int) -> None:
        super().__init__(data)
        self._most = most

    def read1(self, size: int | None = -1) -> bytes:
        return super().read(min(self._most, size or 0) if size != -1 else self._most)


@given(activity=activities(), most=st.integers(1, 70))
@settings(max_examples=60, deadline=None)
def test_pieces_and_comments_change_nothing(activity: NetActivity, most: int) -> None:
    text = saif_text(activity)
    whole = read(text)
    pieces = read_saif(RecordingStream("a.saif", Dribble(text.encode(), most)))
    # A comment inside each net keeps it from being read as a whole.
    slow = read(text.replace("(TC ", "(TC /* ) ( */ "))
    assert nets(pieces) == nets(whole) == nets(slow)


@given(recording=recordings())
@settings(max_examples=60, deadline=None)
def test_a_recording_survives_conversion(recording: Recording) -> None:
    counted = read_vcd(RecordingStream("a.vcd", io.BytesIO(recording.text.encode())))
    again = read(saif_text(counted))
    assert nets(again) == nets(counted)
    assert again.duration == counted.duration


def strict_names(text: str) -> dict[str, dict[str, int]]:
    """A second reader, as narrow as the narrowest known consumer, written for this test alone.

    One top instance, keys T0 T1 TX TZ TB TC, whole numbers, no empty NET list, timescale fs to us,
    names of letters, digits, ``_ $ [ ] .`` and escapes, VERSION and no PROGRAM_VERSION.
    """
    assert re.search(r"\(TIMESCALE (1|10|100) (us|ns|ps|fs)\)", text)
    assert "PROGRAM_VERSION" not in text
    words = re.findall(r'"[^"]*"|[()]|(?:\\.|[^\s()"\\])+', text)
    found: dict[str, dict[str, int]] = {}
    depth, path, at = 0, [], 0
    opened: list[str] = []
    tops = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == ")":
            depth -= 1
            if opened.pop() == "INSTANCE":
                path.pop()
            continue
        assert word == "("
        depth += 1
        key = words[at]
        at += 1
        if key == "INSTANCE":
            tops += not path
            path.append(re.sub(r"\\(.)", r"\1", words[at]))
            opened.append(key)
            at += 1
        elif opened and opened[-1] == "NET":
            assert re.fullmatch(r"(?:\\.|[A-Za-z0-9_$\[\].])+", key)
            name = "/".join([*path, re.sub(r"\\(.)", r"\1", key)])
            found[name] = {}
            opened.append("entry")
        elif opened and opened[-1] == "entry":
            assert key in {"T0", "T1", "TX", "TZ", "TB", "TC"}
            found[name][key] = int(words[at])
            opened.append("value")
            at += 1
        else:
            if key == "NET":
                assert words[at] == "("
            opened.append(key)
            while key not in {"SAIFILE", "NET"} and words[at] not in "()":
                at += 1
    assert depth == 0
    assert tops == 1
    return found


@given(recording=recordings())
@settings(max_examples=60, deadline=None)
def test_what_is_written_is_narrow_saif(recording: Recording) -> None:
    counted = read_vcd(RecordingStream("a.vcd", io.BytesIO(recording.text.encode())))
    found = strict_names(saif_text(counted))
    expected = {
        "/".join((*scope, name)): dict(zip(("T0", "T1", "TX"), times, strict=False)) | {"TC": count}
        for (scope, name), (count, times) in nets(counted).items()
    }
    assert {
        name: {key: row[key] for key in ("T0", "T1", "TX", "TC")} for name, row in found.items()
    } == expected


def test_the_file_is_the_text(tmp_path: Path) -> None:
    counted = read(HEAD + "(INSTANCE top (NET (a (T0 10) (TC 0)))))")
    text = write_saif(counted, tmp_path / "b.saif", design="t13").read_text()
    assert text == saif_text(counted, design="t13")
    assert '(DESIGN "t13")\n(VENDOR "gnomon")\n' in text
    assert "(NET\n(a (T0 10) (T1 0) (TX 0) (TC 0))\n)\n" in text


NET = "(INSTANCE top (NET (a (T0 10) (TC 0))))"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(SAIF", "a.saif:1: expected '(SAIFILE' at the beginning"),
        (HEAD + NET, "a.saif:8: the file ends, expected '(' or the ')' that closes SAIFILE"),
        (HEAD + NET + ")\n)", "a.saif:9: expected the end of the file, found ')'"),
        (HEAD + ")", "a.saif:8: expected an INSTANCE: nothing is recorded"),
        (
            HEAD + "(INSTANCE top))",
            "a.saif:8: no NET and no PORT in any instance",
        ),
        (
            HEAD.replace('"2.0"', '"3.0"'),
            "a.saif:2: expected SAIFVERSION \"2.0\", found '3.0'",
        ),
        (
            HEAD.replace("backward", "forward"),
            "a.saif:3: expected DIRECTION \"backward\" (from a simulation), found 'forward'",
        ),
        (
            HEAD.replace("1 ns", "2 ns"),
            "a.saif:6: expected a timescale of 1, 10 or 100 s, ms, us, ns, ps or fs, found '2 ns'",
        ),
        (
            HEAD.replace("DURATION 10", "DURATION 1e1"),
            "a.saif:7: expected a DURATION in timescale units, found '1e1'",
        ),
        (
            HEAD.replace("DURATION", "DURATON"),
            (
                "a.saif:7: unknown item 'DURATON', expected one of SAIFVERSION, DIRECTION, DESIGN, "
                "DATE, VENDOR, PROGRAM_NAME, VERSION, PROGRAM_VERSION, DIVIDER, TIMESCALE, "
                "DURATION, INSTANCE, did you mean 'DURATION'?"
            ),
        ),
        (
            HEAD.replace("(DURATION 10)\n", "") + NET,
            "a.saif:7: expected DURATION before the first INSTANCE",
        ),
        (
            HEAD + "(INSTANCE top (NET (a (T0 9) (T1 2) (TC 0)))))",
            "a.saif:8: net top/a: expected times that sum to the DURATION 10, found T0, T1 with 11",
        ),
        (
            HEAD + "(INSTANCE top\n(NET (a (TC 4)))))",
            "a.saif:9: net top/a: expected times that sum to the DURATION 10, found nothing with 0",
        ),
        (
            HEAD + "(INSTANCE top (NET (a (T0 10)))))",
            "a.saif:8: net top/a: expected a TC, the number of toggles",
        ),
        (
            HEAD + "(INSTANCE top (NET (a (T0 10) (TC 1.5)))))",
            "a.saif:8: net top/a: expected a whole number of toggles",
        ),
        (
            HEAD + "(INSTANCE top (NET (a (T0 10) (TD 1)))))",
            (
                "a.saif:8: net top/a: unknown attribute 'TD', expected one of T0, T1, TX, TZ, TB, "
                "TC, TG, IG, IK"
            ),
        ),
        (
            HEAD + "(INSTANCE top (NET (a (T0 10) (TC 0)) (a (T0 10) (TC 0)))))",
            "a.saif:8: a second net top/a",
        ),
        (
            HEAD + "(INSTANCE top (LEAKAGE))",
            (
                "a.saif:8: expected NET, PORT or INSTANCE, found 'LEAKAGE'; state- and "
                "path-dependent activity is not read"
            ),
        ),
        (
            HEAD.replace("1 ns", "1 fs").replace("DURATION 10", "DURATION 10.5")
            + "(INSTANCE top (NET (a (T0 10.5) (TC 0)))))",
            "a.saif:8: times have more decimals than a femtosecond or 18 digits hold",
        ),
        (
            HEAD.replace("1 ns", "10 ps")
            + "(INSTANCE top (NET (a (T0 9.99999) (T1 0.00001) (TC 1)))))",
            "a.saif:8: times have more decimals than a femtosecond or 18 digits hold",
        ),
        (HEAD + "/* open", "a.saif:8: the file ends inside a comment"),
        (HEAD + '(DATE "a\n")', 'a.saif:8: expected the closing " of a text on the same line'),
    ],
)
def test_messages(text: str, message: str) -> None:
    with pytest.raises(GnomonError) as caught:
        read(text)
    assert str(caught.value) == message


@given(activity=activities(), data=st.data())
@settings(max_examples=100, deadline=None)
def test_damage_gives_one_clean_message(activity: NetActivity, data: st.DataObject) -> None:
    raw = bytearray(saif_text(activity).encode())
    for _ in range(data.draw(st.integers(0, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    raw = raw[: data.draw(st.integers(0, len(raw)))]
    counted = attempt(lambda: read_saif(RecordingStream("a.saif", io.BytesIO(bytes(raw)))))
    if isinstance(counted, str):
        assert counted.startswith("a.saif:")
        assert "\n" not in counted
    else:
        assert (counted.state_times.sum(axis=1) == counted.duration).all()


@pytest.mark.parametrize(
    ("scope", "message"),
    [
        ((), ("random: net a is outside any instance; SAIF has no place for it: choose an instance "
             "with --scope")),
        (("x",), ("random: 2 outermost instances (x, other); SAIF readers take exactly one: choose "
                 "it with --scope")),
    ],
)  # fmt: skip
def test_what_saif_cannot_hold_is_refused(scope: tuple[str, ...], message: str) -> None:
    activity = NetActivity(
        source="random", format="vcd", timescale_fs=1, start=0, end=1,
        signals=(Signal(scope, "a", 1, 0), Signal(("other",), "b", 1, 1)),
        toggles=np.zeros(2, dtype=np.int64),
        state_times=np.array([[1, 0, 0, 0, 0]] * 2), left_out={},
    )  # fmt: skip
    with pytest.raises(GnomonError) as caught:
        saif_text(activity)
    assert str(caught.value) == message
