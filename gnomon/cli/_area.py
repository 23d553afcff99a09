"""``gnomon area``: what a machine takes on an FPGA."""

from functools import partial

from gnomon.cli._answer import Answer, answers
from gnomon.cli._options import MachineArgument, Overrides


@answers(2)
def area(machine: MachineArgument, *, overrides: Overrides = None) -> Answer:
    """LUT, FF, DSP and BRAM of a machine by part, each with its interval and source."""
    from gnomon.arch import load_architecture
    from gnomon.cost.area import Area
    from gnomon.report.cost_text import print_area

    found = Area.from_architecture(load_architecture(machine, overrides or ()))
    yield found.to_json, partial(print_area, found)
