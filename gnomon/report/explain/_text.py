"""A chain for people: one line per step, indented below what it explains."""

from __future__ import annotations

import shutil
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.report.explain._chain import Chain

_LABELS = {
    "value": "value",
    "how": "how",
    "command": "made by",
    "program": "program",
    "machine": "machine",
    "table": "table",
    "source": "SOURCE",
}


def print_chains(chains: Sequence[Chain]) -> None:
    """Print every step with where it stands and, of sources, how sure it is."""
    width = min(max(shutil.get_terminal_size((100, 24)).columns, 60), 110)
    for number, chain in enumerate(chains):
        if number:
            print()
        print(chain.quantity)
        commands: set[str] = set()
        for step in chain.steps:
            if step.kind == "command":
                if step.text in commands:
                    continue  # another cell of a table that it makes
                commands.add(step.text)
            indent = "  " * (step.depth + 1)
            where = f"  [{step.where}]" if step.where else ""
            sure = f"  ({step.confidence})" if step.confidence else ""
            text = f"{_LABELS[step.kind]}: {step.text}{sure}{where}"
            print(
                textwrap.fill(
                    text,
                    width,
                    initial_indent=indent,
                    subsequent_indent=indent + "    ",
                    break_long_words=False,
                    break_on_hyphens=False,
                )
            )
