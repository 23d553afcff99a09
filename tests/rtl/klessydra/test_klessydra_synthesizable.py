"""Edits that synthesis needs, on VHDL of our own, and the refusal of a GHDL that is too old."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.klessydra import FastCore
from gnomon.klessydra._ghdl import Ghdl
from gnomon.klessydra._rejected import ScratchCopy, rejections
from gnomon.klessydra._synthesizable import (
    SYNTHESIS_EDITS,
    own_memories,
    use_bit_shifts,
)

_TEXT = """library ieee;
use ieee.std_logic_1164.all;
architecture a of e is
  signal mem : array_3d(7 downto 0)(15 downto 0)(31 downto 0);
  signal buf : array_3d(4 downto 0)(1 downto 0)(1 downto 0);
  attribute ram_style of mem : signal is "block";
begin
  y <= to_stdlogicvector(to_bitvector(x) sll n);
  copies : for g in accl_range generate
  banks : for h in 0 to 3 generate
    process(clk) begin
      if rising_edge(clk) then
        q(g)(h) <= mem(g*4 + h)(to_integer(r(g)(h)));
        mem(g*4 + h)(to_integer(w(g)(h))) <= d(g)(h);
      end if;
    end process;
  end generate banks;
    process(all) begin for i in 0 to 4 loop buf(i)(w(g)) <= d(g); end loop; end process;
    grant <= granted(chosen);
    mine  <= granted(g);
  end generate copies;
  process(all) begin
    word(8*to_integer(n) - 1 downto 0) <= data(8*to_integer(n) - 1 downto 0);
    mask(h)(to_integer(n(3 downto 0)) + 8 downto
            to_integer(n(3 downto 0))) <= (others => '1');
    word(n downto 0) <= data(n + 1 downto 1);
  end process;
end a;
"""


def _copy(folder: Path) -> ScratchCopy:
    source = folder / "core.vhd"
    source.write_text(_TEXT)
    return ScratchCopy([source], folder / "scratch")


def _text(copy: ScratchCopy) -> str:
    text = copy.paths[0].read_text()
    assert text.count("\n") == _TEXT.count("\n")
    return text


def _rejected(copy: ScratchCopy, line: int, message: str) -> bool:
    (found,) = rejections(f"{copy.paths[0]}:{line}:10:error: {message}")
    return copy.mend(found, SYNTHESIS_EDITS)


_BOUNDS = "left and right bounds of a slice must be either constant or dynamic"


def test_files_that_shift_take_our_operators(tmp_path: Path) -> None:
    copy = _copy(tmp_path)
    use_bit_shifts(copy)
    assert "use ieee.std_logic_1164.all; use work.gnomon_bits.all;" in _text(copy)


def test_each_copy_has_its_own_memory(tmp_path: Path) -> None:
    copy = _copy(tmp_path)
    own_memories(copy)
    text = _text(copy)
    assert "for h in 0 to 3 generate signal mem_own : mem'element; begin" in text
    assert "<= mem_own(to_integer(r(g)(h)));" in text
    assert "mem_own(to_integer(w(g)(h))) <= d(g)(h);" in text
    assert "buf(i)(w(g)) <= d(g)" in text  # all of them are every copy's: a loop chooses


def test_slices_become_loops_where_both_sides_are_alike(tmp_path: Path) -> None:
    copy = _copy(tmp_path)
    assert _rejected(copy, 23, _BOUNDS)
    assert _rejected(copy, 25, _BOUNDS)  # the second line of a statement
    assert not _rejected(copy, 26, _BOUNDS)  # other bits of the source
    text = _text(copy)
    assert (
        "for gnomon_bit in word'range loop if gnomon_bit >= 0 and gnomon_bit <="
        " 8*to_integer(n) - 1 then word(gnomon_bit) <= data(gnomon_bit); end if; end loop;"
    ) in text
    assert "mask(h)(gnomon_bit) <= '1'; end if; end loop;" in text
    assert "    word(n downto 0) <= data(n + 1 downto 1);" in text


def test_what_all_copies_assign_alike_is_assigned_once(tmp_path: Path) -> None:
    copy = _copy(tmp_path)
    assert _rejected(copy, 19, 'multiple assignments for "grant" offsets 0:0')
    assert not _rejected(copy, 20, 'multiple assignments for "mine" offsets 0:0')
    text = _text(copy)
    opening = "gnomon_grant : if g = accl_range'low generate"
    assert f"{opening}    grant <= granted(chosen); end generate;" in text
    assert "    mine  <= granted(g);" in text


def test_an_old_ghdl_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = Ghdl(Path("/usr/bin/ghdl"), "2.0.0", "llvm")
    monkeypatch.setattr(Ghdl, "find", lambda _: old)
    listing = tmp_path / "core.f"
    listing.write_text(str(Path(__file__).with_name("stub_core.vhd")))
    machine = load_architecture("t13-simd1")
    with pytest.raises(GnomonError, match="silently writes wrong Verilog"):
        FastCore.from_sources(None, listing, "stub_core", tmp_path, machine=machine)
