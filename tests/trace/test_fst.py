"""FST: the same counts as from the same changes in a VCD; damage; a missing library."""

from __future__ import annotations

import importlib.util
import itertools
import random
import stat
from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.observe.trace import read_activity
from tests.trace.fst_files import write_fst
from tests.trace.recordings import attempt

if TYPE_CHECKING:
    from pathlib import Path

NETS = (("clk", 1), ("bus", 9))
END = 400


def changes(seed: int) -> list[tuple[int, int, str]]:
    draw = random.Random(seed)
    found = [(0, 0, "0"), (0, 1, "x" * 9)]
    for time in range(5, END, 5):
        found.append((time, 0, "01"[time // 5 & 1]))
        if draw.random() < 0.5:
            found.append((time, 1, "".join(draw.choice("01xz01") for _ in range(9))))
    return found


def write_vcd(path: Path, made: list[tuple[int, int, str]]) -> Path:
    lines = ["$timescale 1ns $end $scope module tb $end $var wire 1 ! clk $end",
             "$var wire 9 # bus [8:0] $end $scope module dut $end $var wire 1 ! alias $end",
             "$upscope $end $upscope $end $enddefinitions $end"]  # fmt: skip
    for time, net, digits in made:
        lines.append(f"#{time}\n" + (f"{digits}!" if net == 0 else f"b{digits} #"))
    path.write_text("\n".join([*lines, f"#{END}\n"]))
    return path


@pytest.fixture
def _library() -> None:
    pytest.importorskip("_libfstapi", reason="pylibfst, the library that reads FST, is absent")


@pytest.fixture
def _no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the library alone: the compiler is found in the same way."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name == "_libfstapi" else find(name)
    )


@pytest.mark.usefixtures("_library")
@pytest.mark.parametrize(("seed", "from_"), [(0, None), (1, "52 ns")])
def test_equals_vcd(tmp_path: Path, seed: int, from_: str | None) -> None:
    made = changes(seed)
    fst = read_activity(write_fst(tmp_path / "a.fst", NETS, made, END), from_=from_)
    vcd = read_activity(write_vcd(tmp_path / "a.vcd", made), from_=from_)
    assert (fst.format, vcd.format) == ("fst", "vcd")
    assert fst.signals == vcd.signals
    assert fst.signals[0].aliases == 1
    assert (fst.start, fst.end, fst.timescale_fs) == (vcd.start, vcd.end, vcd.timescale_fs)
    assert (fst.toggles == vcd.toggles).all()
    assert (fst.state_times == vcd.state_times).all()
    assert fst.toggles.sum() > 100


@pytest.mark.usefixtures("_library")
def test_equals_an_independent_reader(tmp_path: Path) -> None:
    pywellen = pytest.importorskip("pywellen", reason="pywellen, an independent reader, is absent")
    file = write_fst(tmp_path / "a.fst", NETS, changes(7), END)
    variables = {
        variable.full_name: variable for variable in pywellen.Waveform(str(file)).all_vars()
    }
    counted = read_activity(file)
    for signal in counted.signals:
        name = signal.name
        values = [
            format(value, "b") if isinstance(value, int) else value
            for _, value in variables[f"tb.{name}"].tv
        ]
        padded = [value.rjust(signal.width_bits, "0") for value in values]
        expected = sum(
            {a, b} == {"0", "1"}
            for old, new in itertools.pairwise(padded)
            for a, b in zip(old, new, strict=True)
        )
        assert counted.signal_toggles(signal) == expected


@pytest.mark.usefixtures("_library")
def test_time_switched_off_is_unknown(tmp_path: Path) -> None:
    made = [(0, 0, "0"), (10, 0, "1"), (60, 0, "0"), (80, 0, "1")]
    counted = read_activity(write_fst(tmp_path / "a.fst", NETS[:1], made, 100, off=(20, 50)))
    # Unknown from 20 to 60: the recording resumes at 50, the next value comes at 60.
    assert counted.toggles.tolist() == [2]
    assert counted.state_times[0].tolist() == [10 + 20, 10 + 20, 40, 0, 0]


@pytest.mark.usefixtures("_library")
def test_a_window_ends_early(tmp_path: Path) -> None:
    file = write_fst(tmp_path / "a.fst", NETS, changes(1), END)
    counted = read_activity(file, to="100 ns")
    assert counted.end == 100
    assert counted.toggles[0] == 19


@pytest.mark.usefixtures("_library")
def test_damage_gives_one_clean_message(tmp_path: Path) -> None:
    good = write_fst(tmp_path / "a.fst", NETS, changes(2), END).read_bytes()
    draw = random.Random(5)
    file = tmp_path / "b.fst"
    refused = 0
    for _ in range(20):
        raw = bytearray(good)
        for _ in range(draw.choice((0, 1, 5))):
            raw[draw.randrange(9, len(raw))] = draw.randrange(256)
        file.write_bytes(raw[: draw.randrange(10, len(raw) + 1)])
        counted = attempt(lambda: read_activity(file))
        if isinstance(counted, str):
            refused += 1
            assert counted.startswith(f"{file}:")
            assert "\n" not in counted
    assert refused > 10


@pytest.mark.usefixtures("_library")
def test_a_truncated_file_says_so(tmp_path: Path) -> None:
    file = write_fst(tmp_path / "a.fst", NETS, changes(2), END)
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(GnomonError) as caught:
        read_activity(file)
    assert str(caught.value) == (
        f"{file}: is damaged, or not an FST file: its reader stopped with exit code 3"
    )


@pytest.mark.usefixtures("_no_library")
def test_a_reader_that_loops_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.fst"
    file.write_bytes(FST_START)
    converter = tmp_path / "fst2vcd"
    converter.write_text("#!/bin/sh\nwhile :; do :; done\n")
    converter.chmod(converter.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setattr("gnomon.observe.trace._read._START_SECONDS", 1)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(GnomonError) as caught:
        read_activity(file)
    assert str(caught.value) == (
        f"{file}: is damaged: its reader did not finish within 1 s of CPU time"
    )


@pytest.mark.usefixtures("_library")
def test_a_refused_option_is_not_called_damage(tmp_path: Path) -> None:
    file = write_fst(tmp_path / "a.fst", NETS, changes(2), END)
    with pytest.raises(GnomonError) as caught:
        read_activity(file, scope="top")
    assert str(caught.value) == (
        f"{file}: no instance with nets matches --scope 'top'; the file has: tb, tb/dut"
    )


FST_START = bytes((0, 0, 0, 0, 0, 0, 0, 1, 73))


@pytest.mark.usefixtures("_no_library")
def test_a_missing_library_names_the_one_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.fst"
    file.write_bytes(FST_START)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GnomonError) as caught:
        read_activity(file)
    assert str(caught.value) == (
        f"{file}: reading FST needs a library that is not installed: pip install 'gnomon[fst]' "
        "(fst2vcd of GTKWave on PATH serves as well)"
    )


@pytest.mark.usefixtures("_no_library")
def test_fst2vcd_serves_without_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_vcd(tmp_path / "a.vcd", changes(3))
    file = tmp_path / "a.fst"
    file.write_bytes(FST_START)
    converter = tmp_path / "fst2vcd"
    converter.write_text(f'#!/bin/sh\ntest "$1 $2" = "-f {file}" && exec cat {tmp_path}/a.vcd\n')
    converter.chmod(converter.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    counted = read_activity(file)
    assert counted.format == "fst"
    assert (counted.toggles == read_activity(tmp_path / "a.vcd").toggles).all()


def test_standard_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    class Stdin:
        buffer = io.BytesIO(FST_START)

    monkeypatch.setattr("sys.stdin", Stdin)
    with pytest.raises(GnomonError) as caught:
        read_activity("-")
    assert str(caught.value) == "standard input: FST is read from a file, not from a pipe"
