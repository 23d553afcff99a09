"""Cycles that the port of a core adds to the instructions of units, measured with a unit."""

from typing import Any, Final

from gnomon.arch.operands import LatencyModel
from gnomon.arch.units import Unit, UnitInstruction, UnitRtl
from gnomon.calibrate._device import Device, Waits
from gnomon.calibrate._measure import Refused, measure
from gnomon.calibrate._programs import unit_probe
from gnomon.isa import Instruction, Meaning

_SOURCE: Final = "calibration"
_CYCLES: Final = (1, 2, 3, 4, 8, 40)  # from start to done
_WAITED: Final = (Waits(1, 0), Waits(3, 0), Waits(9, 0), Waits(2, 3))
_RTL: Final = """\
// From start to done as many cycles as funct7 says.
module gnomon_probe_unit (
    input  logic clk, rst_n, start,
    input  logic [31:0] word, a, b, c,
    output logic done,
    output logic [31:0] result
);
  logic [6:0] age, now;
  assign now = start ? 7'd1 : age;
  assign done = now == word[31:25];
  assign result = a + b;
  always_ff @(posedge clk) age <= now + 7'd1;
endmodule
"""
_ROW: Final = Instruction(
    number=-1, mnemonic="probe", format="R", match=0x707B, mask=0x707F, template=0x707B,
    extension="unit", rd="result", rs1="operand", rs2="operand", timing_class="unit",
    description="cycles by funct7", source=_SOURCE, meaning=Meaning(),
)  # fmt: skip
PROBE_UNIT: Final = Unit(
    name="probe", title="Cycles by funct7", parameters=(), code="", digest="", code_file="",
    folder="",
    instructions=(UnitInstruction(_ROW, LatencyModel("none", (1,), source=_SOURCE), 0, "none"),),
    rtl=UnitRtl((("probe.sv", _RTL),), "gnomon_probe_unit"),
)  # fmt: skip
"""The unit that a device has at its port while it is measured."""


def port_cycles(device: Device, prefetch: Any, spacers: int) -> tuple[int, str]:
    """Return the cycles that the port adds, and their evidence.

    Args:
        device: with the probe unit at its port.
        prefetch: key of ``core.latency``: the cycles of an instruction that hide no wait states.
        spacers: plain instructions on either side of each probe.

    Raises:
        Refused: if the port does not add a constant, or wait states do not follow ``prefetch``.
    """
    probes = {unit_probe(_ROW.match | each << 25, spacers): each for each in _CYCLES}
    at_rest = measure(device, probes, Waits(0, 0)).cycles
    added = {at_rest[probe] - cycles for probe, cycles in probes.items()}
    if len(added) != 1 or min(added) < 0:
        listed = ", ".join(f"{at_rest[probe]} for {cycles}" for probe, cycles in probes.items())
        raise Refused(f"the port of units does not add a constant number of cycles: {listed}")
    waited = _WAITED if device.waits == "any" else ()
    for waits in waited:
        for probe, cycles in measure(device, probes, waits).cycles.items():
            hidden = max(0, at_rest[probe] - prefetch) if isinstance(prefetch, int) else 0
            wanted = at_rest[probe] + max(0, waits.instruction - hidden)
            if cycles != wanted:
                raise Refused(
                    f"{probe} takes {cycles} cycles with {waits}, not the {wanted} by prefetch"
                )
    count = len(probes) * (1 + len(waited))
    return added.pop(), f"{count} probes of a unit that takes 1 to {max(_CYCLES)} cycles"
