"""Explanation chains: a value and the steps to its source, in human-readable form."""

import shutil
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from gnomon.base.values import json_attributes

Kind: TypeAlias = Literal["value", "how", "command", "program", "machine", "table", "source"]
"""Kinds of steps. value: a number; how: its rule; command: regenerates the file; program: sources
and flags; machine: a machine file or a key of it; table: a row of a table; source: the origin of a
row, which ends every chain."""


_LABELS = {"command": "made by", "source": "SOURCE"}


@dataclass(frozen=True, slots=True)
class ChainStep:
    kind: Kind  # kind of the step
    text: str  # content of the step
    where: str = ""  # `file:line`, or empty
    confidence: str = ""  # confidence of a source; empty for other kinds
    depth: int = 0  # a step explains the nearest earlier one of less depth; the value has 0


@dataclass(frozen=True, slots=True)
class Chain:
    """Chain of one requested quantity.

    ``value`` is the text of the table; ``unit`` is empty for ratios, text and unknown units.
    """

    quantity: str
    value: str
    unit: str
    steps: tuple[ChainStep, ...]

    @property
    def sources(self) -> tuple[ChainStep, ...]:
        """Ends of the chain."""
        return tuple(step for step in self.steps if step.kind == "source")

    def deeper(self) -> tuple[ChainStep, ...]:
        """Return the steps as a part of another chain."""
        return tuple(replace(step, depth=step.depth + 1) for step in self.steps)

    def to_json(self) -> dict[str, Any]:
        return json_attributes(self, "quantity value unit steps")

    def lines(self) -> Iterator[str]:
        """Yield human-readable lines: every step with its place; sources with confidence."""
        width = min(max(shutil.get_terminal_size((100, 24)).columns, 60), 110)
        yield self.quantity
        commands: set[str] = set()
        for step in self.steps:
            if step.kind == "command":
                if step.text in commands:
                    continue  # another cell of a table from the same command
                commands.add(step.text)
            indent = "  " * (step.depth + 1)
            where = f"  [{step.where}]" if step.where else ""
            sure = f"  ({step.confidence})" if step.confidence else ""
            text = f"{_LABELS.get(step.kind, step.kind)}: {step.text}{sure}{where}"
            yield textwrap.fill(
                text, width, initial_indent=indent, subsequent_indent=indent + "    ",
                break_long_words=False, break_on_hyphens=False,
            )  # fmt: skip


Resolve: TypeAlias = Callable[[str], tuple[Chain, ...]]
"""Function that returns the chains of a quantity by its name."""
