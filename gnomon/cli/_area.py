"""``gnomon area``: the FPGA area of a machine."""

from functools import partial

from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import MachineArgument, Overrides


@with_json_output(2)
def area(machine: MachineArgument, *, overrides: Overrides = None) -> CommandOutput:
    """Estimate LUT, FF, DSP and BRAM of a machine by component, with interval and source."""
    from gnomon.arch import load_architecture
    from gnomon.cost.area import Area
    from gnomon.report.cost_text import print_area

    found = Area.from_architecture(load_architecture(machine, overrides or ()))
    yield found.to_json, partial(print_area, found)
