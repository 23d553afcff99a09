"""Flip-flops and latches of yosys as cells of a library: what it may use, and a techmap file."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gnomon.base.errors import GnomonError
from gnomon.gates._liberty import Cell
from gnomon.gates._parts import WholeLibrary

_LETTER = "NP"  # of a level or edge
_CLEAR, _PRESET = "clear", "preset"


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A cell as an element of yosys; ``held``: unused pins with their constants."""

    name: str
    part: Cell
    held: Mapping[str, int]


def mapping_steps(whole: WholeLibrary) -> tuple[list[str], str]:
    """Return the commands of yosys that map elements to cells, and the file ``elements.v`` of them.

    Raises:
        GnomonError: if the library has no flip-flop that can be simulated.
    """
    chosen: dict[str, _Candidate] = {}
    for name, parts in whole.parts.items():
        for type_, found in _list_candidates(name, parts):
            best = chosen.get(type_)
            if best is None or _cost(found) < _cost(best):
                chosen[type_] = found
    if not any(type_.startswith("$_DFF") for type_ in chosen):
        others = whole.library.without()
        raise GnomonError(
            f"{whole.library.name}: has no flip-flop that can be simulated"
            + (f"; left out: {others}" if others else "")
        )
    allowed = " ".join(f"-cell {type_} 01" for type_ in sorted(chosen))
    text = "\n".join(_write_module(type_, each) for type_, each in sorted(chosen.items()))
    return [f"dfflegalize {allowed}", "techmap -map elements.v"], text


def _cost(found: _Candidate) -> tuple[int, float, str]:
    return len(found.held), found.part.area_um2, found.name


def _list_candidates(name: str, parts: tuple[Cell, ...]) -> Iterator[tuple[str, _Candidate]]:
    """Yield the elements of yosys that a cell can be, without those of its inverted output."""
    part = next((each for each in parts if each.clock and not each.inverts), None)
    if part is None or any("/latch" in each.name for each in parts):
        return
    edge, resets = _LETTER[part.active], {_CLEAR: part.clear, _PRESET: part.preset}
    there = {kind: pin for kind, pin in resets.items() if pin is not None}
    kind_name = "DLATCH" if part.is_latch else "DFF"
    for used in ((), (_CLEAR,), (_PRESET,), (_CLEAR, _PRESET)):
        if not set(used) <= set(there):
            continue
        held = {pin: 1 - level for kind, (pin, level) in there.items() if kind not in used}
        if len(used) == 2:
            # Yosys lets the reset win; the cell must, too.
            if part.preset_first:
                continue
            letters = edge + _LETTER[there[_PRESET][1]] + _LETTER[there[_CLEAR][1]]
            type_ = f"$_{kind_name}SR_{letters}_"
        elif used:
            (only,) = used
            type_ = f"$_{kind_name}_{edge}{_LETTER[there[only][1]]}{int(only == _PRESET)}_"
        else:
            type_ = f"$_{kind_name}_{edge}_"
        yield type_, _Candidate(name, part, held)


def _write_module(type_: str, found: _Candidate) -> str:
    """Return the Verilog module of an element with the cell inside."""
    part = found.part
    pins = {part.inputs[0]: "D", part.clock: "E" if part.is_latch else "C", part.output: "Q"}
    pins |= {pin: f"1'b{level}" for pin, level in found.held.items()}
    with_both = "SR_" in type_
    for pin, letter in ((part.clear, "R"), (part.preset, "S" if with_both else "R")):
        if pin is not None and pin[0] not in found.held:
            pins[pin[0]] = letter
    ports = sorted({port for port in pins.values() if port.isalpha()} - {"Q"})
    connected = ", ".join(f".{pin}({port})" for pin, port in pins.items())
    return (
        f"module \\{type_} (input {', '.join(ports)}, output Q);\n"
        f" \\{found.name} _TECHMAP_REPLACE_ ({connected});\nendmodule"
    )
