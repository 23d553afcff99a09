"""``gnomon area``: what a machine takes on an FPGA."""

from __future__ import annotations

import json

from gnomon.base.options import Json, MachineArgument, Overrides


def area(machine: MachineArgument, *, overrides: Overrides = None, as_json: Json = False) -> None:
    """LUT, FF, DSP and BRAM of a machine by part, each with its interval and source."""
    from gnomon.arch import load_architecture
    from gnomon.cost.area import area as area_of

    found = area_of(load_architecture(machine, overrides or ()))
    if as_json:
        print(json.dumps(found.to_json(), indent=2))
        return
    from gnomon.report.cost_text import print_area

    print_area(found)
