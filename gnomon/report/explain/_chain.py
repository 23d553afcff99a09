"""What an explanation is: a value and the steps that lead to where it is from; for people."""

import shutil
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from gnomon.base.values import json_attributes

Kind: TypeAlias = Literal["value", "how", "command", "program", "machine", "table", "source"]
"""value: a number; how: the rule that made it; command: makes the file again; program: sources and
flags; machine: a machine file or a key of it; table: a row of a table; source: where a row is from,
the end of every chain."""


_LABELS = {"command": "made by", "source": "SOURCE"}


@dataclass(frozen=True, slots=True)
class ChainStep:
    kind: Kind  # what the step is
    text: str  # what it says
    where: str = ""  # `file:line`, or empty
    confidence: str = ""  # how sure a source is; empty for other kinds
    depth: int = 0  # 0 for the asked value; a step explains the nearest one above it of less depth


@dataclass(frozen=True, slots=True)
class Chain:
    """One asked quantity.

    ``value`` is the text of the table; ``unit`` is empty where it is a ratio, a word or unknown.
    """

    quantity: str
    value: str
    unit: str
    steps: tuple[ChainStep, ...]

    @property
    def sources(self) -> tuple[ChainStep, ...]:
        """The ends of the chain."""
        return tuple(step for step in self.steps if step.kind == "source")

    def deeper(self) -> tuple[ChainStep, ...]:
        """The steps as a part of another chain."""
        return tuple(replace(step, depth=step.depth + 1) for step in self.steps)

    def to_json(self) -> dict[str, Any]:
        return json_attributes(self, "quantity value unit steps")

    def lines(self) -> Iterator[str]:
        """For people: every step with where it stands and, of sources, how sure it is."""
        width = min(max(shutil.get_terminal_size((100, 24)).columns, 60), 110)
        yield self.quantity
        commands: set[str] = set()
        for step in self.steps:
            if step.kind == "command":
                if step.text in commands:
                    continue  # another cell of a table that it makes
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
"""The chains of a quantity by its name."""
