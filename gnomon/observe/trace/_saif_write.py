"""Write a backward SAIF 2.0 file that free power tools accept.

Rules beyond the standard, from what OpenSTA's reader takes: exactly one top instance; every net
in a NET list, also those that never toggled, and no empty list; whole numbers; timescales from
fs to us; VERSION and not PROGRAM_VERSION. No date: the same activity gives the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from gnomon._version import __version__
from gnomon.base.errors import GnomonError
from gnomon.observe.trace._activity import (
    STATES,
    UNITS_FS,
    Activity,
    Signal,
    format_timescale,
    path_of,
)

_PLAIN = re.compile(r"[A-Za-z0-9_$]")
_MAX_UNIT_FS = UNITS_FS["us"]


@dataclass(slots=True)
class _Node:
    """An instance while the tree is put together."""

    below: dict[str, _Node] = field(default_factory=dict)
    signals: list[Signal] = field(default_factory=list)


def saif_text(activity: Activity, *, design: str = "") -> str:
    root = _tree(activity)
    activity.require_unit()
    scale_fs = activity.timescale_fs
    factor = max(1, scale_fs // _MAX_UNIT_FS)  # s and ms are units that some readers lack
    lines = [
        "(SAIFILE",
        '(SAIFVERSION "2.0")',
        '(DIRECTION "backward")',
        f'(DESIGN "{design.replace(chr(34), "")}")' if design else "(DESIGN )",
        '(VENDOR "gnomon")',
        '(PROGRAM_NAME "gnomon")',
        f'(VERSION "{__version__}")',
        "(DIVIDER / )",
        f"(TIMESCALE {format_timescale(scale_fs // factor)})",
        f"(DURATION {activity.duration * factor})",
    ]
    lines += _instances(activity, root, factor)
    lines.append(")")
    return "\n".join(lines) + "\n"


def _tree(activity: Activity) -> _Node:
    root = _Node()
    for signal in activity.signals:
        node = root
        for name in signal.scope:
            node = node.below.setdefault(name, _Node())
        node.signals.append(signal)
    if root.signals:
        raise GnomonError(
            f"{activity.source}: net {root.signals[0].label} is outside any instance; SAIF has no "
            "place for it: choose an instance with --scope"
        )
    if len(root.below) != 1:
        raise GnomonError(
            f"{activity.source}: {len(root.below)} outermost instances ({', '.join(root.below)}); "
            "SAIF readers take exactly one: choose it with --scope"
        )
    return root


def _instances(activity: Activity, root: _Node, factor: int) -> Iterator[str]:
    """The lines of all instances; a loop, as depth is the recording's choice."""
    todo: list[tuple[str, _Node] | None] = [*root.below.items()]
    while todo:
        entry = todo.pop()
        if entry is None:
            yield ")"
            continue
        name, node = entry
        yield f"(INSTANCE {_escaped(name)}"
        if node.signals:
            yield "(NET"
            known: set[str] = set()
            for signal in node.signals:
                yield from _nets(activity, signal, factor, known)
            yield ")"
        todo.append(None)
        todo += reversed(list(node.below.items()))


def _nets(activity: Activity, signal: Signal, factor: int, known: set[str]) -> Iterator[str]:
    for bit, name in enumerate(signal.bit_names()):
        if name in known:
            raise GnomonError(
                f"{activity.source}: {path_of((*signal.scope, name))} is declared twice, as nets "
                "that differ; SAIF cannot tell them apart"
            )
        known.add(name)
        row = signal.first_bit + bit
        times = [int(value) * factor for value in activity.state_times[row]]
        if sum(times) != activity.duration * factor:
            raise AssertionError(f"times of {name} do not sum to the duration")
        kept = zip((state.upper() for state in STATES), times, strict=True)
        parts = [f"({key} {value})" for key, value in kept if value or key in {"T0", "T1", "TX"}]
        parts.append(f"(TC {int(activity.toggles[row])})")
        yield f"({_escaped(name)} {' '.join(parts)})"


def _escaped(name: str) -> str:
    return "".join(c if _PLAIN.match(c) else "\\" + c for c in name)
