"""Liberty files as open kits write them: units, comments, expressions, and what they leave out."""

from __future__ import annotations

import gzip
import re
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.base.errors import GnomonError
from gnomon.gates._liberty import Cell, Library, read_liberty
from gnomon.gates._netlist import Instance, Netlist
from gnomon.gates._parts import read_whole_library
from tests.fuzz._samples import LIBERTY
from tests.rtl.conftest import need_osu018

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

LIMITS = "input_voltage(cmos) { vil : 0.3 * VDD ; vih : 0.7 * VDD ; }"
GATE = """
cell (gate) {
 area : 5.0; cell_leakage_power : 0.1; clock_gating_integrated_cell : "latch_posedge";
 pin (E) { direction : input; capacitance : 0.001; clock_gate_enable_pin : true; }
 pin (C) { direction : input; capacitance : 0.001; clock_gate_clock_pin : true; /*power*/ }
 pin (Z) { direction : output; clock_gate_out_pin : true; }
}
"""
UNITS = "capacitive_load_unit (1, pf)"
TIME = 'time_unit : "1ns"'
SAME = {
    "decimals": (UNITS, 'capacitive_load_unit (1.0000000000, "pf")'),
    "femtofarads": (UNITS, "capacitive_load_unit (1000, ff)"),
    "capitals": (UNITS, "capacitive_load_unit (1, PF)"),
    "picoseconds": (TIME, 'time_unit : "1000ps"'),
    "unquoted-unit": (TIME, "time_unit : 1ns"),
    "no-time-unit": (TIME + ";", ""),
    "millivolts": ('"1V"; leakage', '"1000mV"; leakage'),
    "picowatts": ('leakage_power_unit : "1nW"', 'leakage_power_unit : "1000pW"'),
    "line-comment": ("nom_voltage", "// a comment { with a bracket\n  nom_voltage"),
    "comment-in-a-string": ("nom_voltage", 'comment : "see // or /* there"; nom_voltage'),
    "expressions": ("nom_voltage", f"{LIMITS}\n  nom_voltage"),
    "unquoted-function": ('function : "!(A & B)"', "function : !(A & B)"),
    "no-semicolon": ("nom_voltage : 1.2;", "nom_voltage : 1.2\n"),
    "two-pins-at-once": (
        ("pin (A) { direction : input; capacitance : 0.002; }\n"
        "    pin (B) { direction : input; capacitance : 0.002; }"),
        'pin ("A", B) { direction : input; capacitance : 0.002; }',
    ),
    "rise-and-fall": (
        "input; capacitance : 0.002",
        "input; rise_capacitance : 0.0015; fall_capacitance : 0.0025",
    ),
    "one-edge": ("input; capacitance : 0.002", "input; fall_capacitance : 0.002"),
    "default-capacitance": (
        "pin (A) { direction : input; capacitance : 0.002; }", "pin (A) { direction : input; }"
    ),
    "leakage-group": ("cell_leakage_power : 0.1;", "leakage_power () { value : 0.1; }"),
    "leakage-by-state": (
        "cell_leakage_power : 0.1;",
        ('leakage_power () { when : "A"; value : 0.05; } '
        'leakage_power () { when : "!A"; value : "0.15"; }'),
    ),
    "leakage-by-supply": (
        "cell_leakage_power : 0.1;",
        ("leakage_power () { related_pg_pin : VDD; value : 0.07; } "
        "leakage_power () { related_pg_pin : VSS; value : 0.03; }"),
    ),
    "axes-of-the-template": (
        'index_1 ("0.01, 0.1"); index_2 ("0.1, 0.5"); values ("1, 2", "3, 4");',
        'values ("1, 2", "3, 4");',
    ),
    "continued-lines": ('values ("1, 2", "3, 4")', 'values ("1, 2", \\\n "3, 4")'),
    "continued-string": ('values ("1, 2", "3, 4")', 'values ("1, 2, \\ \n 3, 4")'),
    "next-state-in-brackets": ('next_state : "D"', 'next_state : "(D)"'),
    "clock-in-brackets": (
        'clocked_on : "C"; next_state : "D"', 'clocked_on:"(C)"; next_state:"((D))"'
    ),
    "windows": ("\n", "\r\n"),
}  # fmt: skip


def numbers(value: object) -> Any:
    """The same to nine digits; a unit changes the last ones."""
    if isinstance(value, dict):
        return {key: numbers(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return tuple(numbers(each) for each in value)
    return float(f"{value:.9g}") if isinstance(value, float) else value


def cells_of(library: Library) -> dict[str, dict[str, Any]]:
    return {
        name: {each.name: numbers(getattr(cell, each.name)) for each in fields(cell)}
        for name, cell in library.cells.items()
    }


def read_parts(text: str, folder: Path) -> Mapping[str, tuple[Cell, ...]]:
    path = folder / "it.lib"
    path.write_text(text)
    return read_whole_library(path).parts


def read(text: str | bytes, folder: Path) -> Library:
    path = folder / "it.lib"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_liberty(path)


@pytest.mark.parametrize("name", SAME)
def test_other_ways_to_write_the_same(name: str, tmp_path: Path) -> None:
    old, new = SAME[name]
    text = LIBERTY
    if name == "default-capacitance":
        text = text.replace("  cell (NAND2)", "  default_input_pin_cap : 0.002;\n  cell (NAND2)")
    assert old in text
    other = read(text.replace(old, new), tmp_path)
    assert cells_of(other) == cells_of(read(LIBERTY, tmp_path))
    assert not other.left_out
    assert other.volt == 1.2


def test_gzip(tmp_path: Path) -> None:
    packed = gzip.compress(LIBERTY.encode())
    assert cells_of(read(packed, tmp_path)) == cells_of(read(LIBERTY, tmp_path))
    with pytest.raises(GnomonError, match="damaged gzip data"):
        read(packed[:-20], tmp_path)


def test_units_scale_what_they_measure(tmp_path: Path) -> None:
    """Energy is capacitance times voltage squared."""
    plain = read(LIBERTY, tmp_path).cells["NAND2"]
    (loads, slews, values) = plain.delay_ns["rise"][0]
    small = read(LIBERTY.replace(UNITS, "capacitive_load_unit (1, ff)"), tmp_path).cells["NAND2"]
    fast = read(LIBERTY.replace(TIME, 'time_unit : "1ps"'), tmp_path).cells["NAND2"]
    half = read(LIBERTY.replace('"1V"; leakage', '"500mV"; leakage'), tmp_path).cells["NAND2"]
    thousandth = 1e-3
    assert small.capacitance_pf["A"] == pytest.approx(plain.capacitance_pf["A"] * thousandth)
    assert small.delay_ns["rise"][0][0] == pytest.approx([each * thousandth for each in loads])
    assert small.delay_ns["rise"][0][1:] == (slews, values)
    assert fast.delay_ns["rise"][0][0] == loads
    assert fast.delay_ns["rise"][0][1] == pytest.approx([each * thousandth for each in slews])
    assert fast.delay_ns["rise"][0][2][1] == pytest.approx(
        [each * thousandth for each in values[1]]
    )
    energy = plain.energy_pj["rise"][0][2][2][0][1]
    assert small.energy_pj["rise"][0][2][2][0][1] == pytest.approx(energy * thousandth)
    assert fast.energy_pj["rise"][0][2][2][0][1] == pytest.approx(energy)
    assert half.energy_pj["rise"][0][2][2][0][1] == pytest.approx(energy / 4)


LEFT_OUT = {
    "no-area": ("area : 4.0;", "", "'area' is missing"),
    "no-leakage": ("cell_leakage_power : 0.1;", "", "'cell_leakage_power' is missing"),
    "no-capacitance": ("input; capacitance : 0.002;", "input;", "'capacitance' is missing"),
    "another-template": ("cell_rise (by_both)", "cell_rise (by_none)", "'by_none' is missing"),
    "a-damaged-number": ("area : 4.0", "area : 4.0.0", "is invalid"),
    "an-unknown-input": ("!(A & B)", "!(A & C)", "'C' is not an input"),
    "three-dimensions": ('"3, 4");', '"3, 4", "5, 6");', "is invalid"),
    "floating": ('"!(A & B)";', '"!(A & B)"; three_state : "A";', "its output can float"),
    "a-latch": ("area : 4.0;", "area : 4.0; latch (IQ, IQN) { }", "not a gate or a flip-flop"),
}  # fmt: skip


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_cell_that_cannot_be_read_is_left_out_by_name(name: str, tmp_path: Path) -> None:
    old, new, why = LEFT_OUT[name]
    assert old in LIBERTY
    library = read(LIBERTY.replace(old, new), tmp_path)
    assert list(library.cells) == ["DFFR"]
    assert why in library.left_out["NAND2"]
    assert library.without().startswith("NAND2 (")


FLIP_FLOPS = {
    "a-preset": ('clear : "!R"', 'preset : "!R"', "it has a preset"),
    "falling-edge": ('clocked_on : "C"', 'clocked_on : "!C"', "not a rising edge"),
    "enabled": ('next_state : "D"', 'next_state : "(D & R) | (IQ & !R)"', "does not name a pin"),
    "another-output": ('function : "IQ"', 'function : "D"', "its output is not its state"),
    "two-resets": ('clear : "!R"', 'clear : "!R & D"', "reset is not one pin"),
}  # fmt: skip


@pytest.mark.parametrize("name", FLIP_FLOPS)
def test_other_flip_flops_are_left_out(name: str, tmp_path: Path) -> None:
    old, new, why = FLIP_FLOPS[name]
    library = read(LIBERTY.replace(old, new), tmp_path)
    assert list(library.cells) == ["NAND2"]
    assert why in library.left_out["DFFR"]


def test_an_inverted_output_is_inverted(tmp_path: Path) -> None:
    usual = read(LIBERTY, tmp_path).cells["DFFR"]
    other = read(LIBERTY.replace('function : "IQ"', 'function : "IQN"'), tmp_path).cells["DFFR"]
    assert (usual.truth, other.truth) == (0b10, 0b01)


def test_a_state_that_is_the_inverse_of_the_data(tmp_path: Path) -> None:
    """Two inversions are none, and a clear of the state sets the data's inverse."""
    (usual,) = read_parts(LIBERTY, tmp_path)["DFFR"]
    inverse = LIBERTY.replace('next_state : "D"', 'next_state : "!D"')
    (other,) = read_parts(
        inverse.replace('function : "IQ"', 'function : "IQN"').replace("clear", "preset"), tmp_path
    )["DFFR"]
    assert usual.clear == other.clear == ("R", 0)
    assert other.preset is None
    assert numbers(asdict(other)) == numbers(asdict(usual) | {"preset_first": True})
    (inverted,) = read_parts(inverse, tmp_path)["DFFR"]
    assert inverted.inverts
    assert inverted.preset == ("R", 0)


def test_a_cell_with_two_outputs_is_one_cell(tmp_path: Path) -> None:
    path = tmp_path / "it.lib"
    pin = 'pin (Q) { direction : output; function : "IQ"; }'
    path.write_text(LIBERTY.replace(pin, pin + pin.replace("Q)", "QN)").replace("IQ", "IQN")))
    whole = read_whole_library(path)
    parts = tuple(Instance(each.name, "top", {}, {}) for each in whole.parts["DFFR"])
    (row,) = Netlist({}, parts).record(whole.library)
    assert len(parts) == 2
    assert (row["cells"], row["flip_flops"], row["area_um2"]) == (1, 1, 9.0)


@pytest.mark.parametrize("name", ["NAND2", "gate"])
def test_conditions_may_name_the_output(name: str, tmp_path: Path) -> None:
    """Y is 0 if both inputs are 1; a clock gate's output is 1 if its latch and clock are."""
    cell = GATE if name == "gate" else ""
    power = 'internal_power () { when : "%s"; rise_power (scalar) { values ("7"); } }'
    pin = "pin (B) { direction : input; capacitance : 0.002;"
    old, new = ("B & !Y", "B & A") if name == "NAND2" else ("!E & !Z", "!E")
    texts = [
        (LIBERTY.rstrip().removesuffix("}") + cell + "}").replace(
            *(("/*power*/", power % when) if cell else (pin, f"{pin} {power % when}"))
        )
        for when in (old, new)
    ]
    first, second = (read_parts(text, tmp_path)[name] for text in texts)
    assert [numbers(asdict(part)) for part in first] == [numbers(asdict(part)) for part in second]
    if name == "NAND2":
        assert cells_of(read(texts[0], tmp_path)) == cells_of(read(texts[1], tmp_path))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [(UNITS, "capacitive_load_unit (1, pints)", "capacitive_load_unit '1,pints' is not a number"),
     (UNITS + ";", "", "capacitive_load_unit is missing"),
     (TIME, 'time_unit : "1e999ns"', "time_unit '1e999ns' is not a number"),
     (TIME, 'time_unit : "0ns"', "time_unit '0ns' is not a number and a unit such as 1ns"),
     ('"1V"', '"1W"', "voltage_unit '1W'"), ("nom_voltage : 1.2;", "", "nom_voltage: not a number"),
     (' leakage_power_unit : "1nW";', "", r"no cell can be read: NAND2, DFFR .*leakage_power")],
)  # fmt: skip
def test_units_that_are_none(old: str, new: str, why: str, tmp_path: Path) -> None:
    assert old in LIBERTY
    with pytest.raises(GnomonError, match=why):
        read(LIBERTY.replace(old, new), tmp_path)


WHOLE: Mapping[str, Callable[[str], str]] = {
    "a": lambda text: text.replace("(1,pf)", '(1.0000000000, "pf")'),
    "b": lambda text: text.replace("(1,pf)", "(1000,ff)"),
    "e": lambda text: text.replace("nom_voltage", "// a comment\n  nom_voltage", 1),
    "f": lambda text: text.replace("nom_voltage", f"{LIMITS}\n  nom_voltage", 1),
    "g": lambda text: re.sub(
        r"cell_leakage_power : ([^;]*);", r"leakage_power () { value : \1; }", text
    ),
}


@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_library_as_open_kits_write_it(name: str, tmp_path: Path) -> None:
    text = need_osu018().read_text()
    assert WHOLE[name](text) != text
    assert cells_of(read(WHOLE[name](text), tmp_path)) == cells_of(read(text, tmp_path))
