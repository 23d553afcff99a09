"""Known messages of the simulator, the edits that answer them, and what finds shared drivers."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.klessydra._rejected import (
    EDITS,
    Rejection,
    ScratchCopy,
    rejections,
    shared_drivers,
)

# As GHDL 2.0.0 prints them.
_CRASH = """\
/core/a.vhd:12:3:warning: declaration of "h" hides signal "h" [-Whide]
analyze /core/a.vhd
translate_range_ptr: cannot handle IIR_KIND_SIMPLE_NAME (/core/a.vhd:4:13)

******************** GHDL Bug occurred ***************************
"""
_ERRORS = """\
/core/b.vhd:16:10: use of synopsys package "std_logic_unsigned" needs the -fsynopsys option
/core/c.vhd:2:9: cannot find resource library "fpu_lib"
/core/d.vhd:7:1:error: no declaration for "x"
"""

_DESIGN = """\
architecture a of e is
  signal mask : array_2d(range_t)(15 downto 0);
  signal wide : array_2d(range_t)(15 downto 0);
  begin x <= '1' when y = (range_t => '0') else '0'; -- not (range_t => '0')
  copies : for f in range_t generate
    process(all)
      variable h : integer;
    begin
      mask(h)(3 downto 0) <= (others => '0');
      wide(h) <= mask(h);
      if z /= (range_t => '0') then null; end if;
    end process;
  end generate copies;
  q <= wide(0);
end a;
"""


def test_the_crash_on_an_aggregate_is_known() -> None:
    (found,) = rejections(_CRASH)
    assert (found.path, found.line, found.column) == (Path("/core/a.vhd"), 4, 13)
    assert found.kind == "choice"
    assert "--scratch-edits" in found.advice


def test_errors_keep_their_place_and_get_what_is_known() -> None:
    found = rejections(_ERRORS)
    assert [each.kind for each in found] == ["synopsys", "library", "other"]
    assert "-fsynopsys" in found[0].advice
    assert "--ghdl-flag" in found[1].advice
    assert str(found[2]) == '/core/d.vhd:7:1: no declaration for "x"'


def test_a_signal_that_all_copies_drive_is_found() -> None:
    (found,) = shared_drivers([_write(_DESIGN)])
    assert (found.signal, found.label, found.line) == ("mask", "copies", 5)
    # The other one is read outside: declared inside, it would be another signal.


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(h)", "(f)"),  # the copy's own element
        ("generate\n", "generate\n    signal mask : word; begin\n"),
        ("variable h : integer;", "variable g : integer;"),
    ],
)
def test_signals_with_one_driver_each_are_not(old: str, new: str) -> None:
    assert shared_drivers([_write(_DESIGN.replace(old, new))]) == ()


def test_edits_change_a_copy_and_say_where(tmp_path: Path) -> None:
    user = _write(_DESIGN)
    copy = ScratchCopy([user], tmp_path)
    copy.own_drivers()
    column = _DESIGN.splitlines()[3].index("range_t") + 1

    done = copy.mend(Rejection(copy.paths[0], 4, column, "", "choice", ""), EDITS)

    assert done
    assert user.read_text() == _DESIGN
    lines = copy.paths[0].read_text().splitlines()
    assert len(lines) == len(_DESIGN.splitlines())
    wide = "(range_t'high downto range_t'low => '0')"
    assert lines[3] == f"  begin x <= '1' when y = {wide} else '0'; -- not (range_t => '0')"
    assert lines[4].endswith("generate signal mask : array_2d(range_t)(15 downto 0); begin")
    assert lines[10] == f"      if z /= {wide} then null; end if;"
    assert [(each.path, each.line) for each in copy.edits] == [(user, 5), (user, 4), (user, 11)]


def test_a_choice_elsewhere_is_left_alone(tmp_path: Path) -> None:
    copy = ScratchCopy([_write(_DESIGN)], tmp_path)
    elsewhere = Rejection(tmp_path / "other.vhd", 4, 1, "", "choice", "")
    assert not copy.mend(elsewhere, EDITS)
    assert copy.edits == []


_FOLDER: list[Path] = []


@pytest.fixture(autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    _FOLDER[:] = [tmp_path_factory.mktemp("design")]


def _write(text: str) -> Path:
    path = _FOLDER[0] / "core.vhd"
    path.write_text(text)
    return path
