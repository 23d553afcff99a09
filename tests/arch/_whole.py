"""A machine as one file that extends no other: what ``gnomon arch show`` says of every key."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gnomon.arch import Described, load_architecture

if TYPE_CHECKING:
    from collections.abc import Sequence


def whole_file(name_or_path: str, overrides: Sequence[str] = ()) -> str:
    values = load_architecture(name_or_path, overrides).to_dict()
    lines: list[str] = []
    above: list[str] = []
    for row in Described.list_keys(name_or_path, overrides):
        *sections, key = row.path.split(".")
        for depth, section in enumerate(sections):
            if sections[: depth + 1] != above[: depth + 1]:
                lines.append(f"{'  ' * depth}{section}:")
        above = sections
        value: Any = values
        for part in (*sections, key):
            value = (value or {}).get(part)  # later sections are left out if absent
        quoted = isinstance(value, str | list)
        shown = json.dumps(value, ensure_ascii=False) if quoted else row.value
        lines.append(f"{'  ' * len(sections)}{key}: {shown}")
    return "\n".join(lines) + "\n"
