"""``gnomon explain``: trace a number to its source."""

from typing import Annotated

from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import argument

Quantity = Annotated[
    str,
    argument(
        "QUANTITY",
        "Quantity, such as reports/paper/cells.csv:2:ours, table2/t13/std/d=8/cycles,"
        " power.t13.clock_power_mw, arch.t13-simd4.core.divider, mine.yaml:4,"
        " area.t13-simd4.vcu.adder, divider.restoring_r2, platform.cortex-m4.costs.mul,"
        " kernel.multiply.cycles.",
    ),
]


@with_json_output(2)
def explain(quantity: Quantity) -> CommandOutput:
    """Trace a number to its source: the chain down to a row of a table and its origin."""
    from gnomon.report.explain import explain_quantity

    chains = explain_quantity(quantity)
    text = "\n\n".join("\n".join(chain.lines()) for chain in chains)
    yield {"chains": [chain.to_json() for chain in chains]}, [text]
