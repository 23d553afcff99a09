"""Writer of backward SAIF 2.0 files that open-source power tools accept.

OpenSTA's reader needs more than the standard: exactly one top instance; every net in a NET list,
also nets that never toggle; no empty list; whole numbers; timescales from fs to us; VERSION instead
of PROGRAM_VERSION. There is no date: the same activity gives the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gnomon._version import __version__
from gnomon.base.errors import GnomonError
from gnomon.base.files import write_file
from gnomon.observe.trace._activity import (
    STATES,
    UNITS_FS,
    NetActivity,
    Signal,
    format_timescale,
    path_of,
)

_PLAIN = re.compile(r"[A-Za-z0-9_$]")
_MAX_UNIT_FS = UNITS_FS["us"]


@dataclass(slots=True)
class _Node:
    """An instance of the tree under construction."""

    below: dict[str, _Node] = field(default_factory=dict)
    signals: list[Signal] = field(default_factory=list)


def write_saif(activity: NetActivity, path: Path, *, design: str = "") -> Path:
    """Write an activity as SAIF; its bits become separate nets. Return the path.

    Args:
        activity: the activity to write.
        path: the file to write.
        design: the text of DESIGN.

    Raises:
        GnomonError: if the activity has nets outside any instance, or more than one outermost
            instance; if two nets have one name; if the file cannot be written.
    """
    return write_file(path, saif_text(activity, design=design).encode("utf-8"))


def saif_text(activity: NetActivity, *, design: str = "") -> str:
    """Return the text of the SAIF file, see :func:`write_saif`."""
    root = _build_tree(activity)
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
    lines += _format_instances(activity, root, factor)
    lines.append(")")
    return "\n".join(lines) + "\n"


def _build_tree(activity: NetActivity) -> _Node:
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


def _format_instances(activity: NetActivity, root: _Node, factor: int) -> Iterator[str]:
    """Yield the lines of all instances, in a loop because the recording decides the depth."""
    todo: list[tuple[str, _Node] | None] = [*root.below.items()]
    while todo:
        entry = todo.pop()
        if entry is None:
            yield ")"
            continue
        name, node = entry
        yield f"(INSTANCE {_escape(name)}"
        if node.signals:
            yield "(NET"
            known: set[str] = set()
            for signal in node.signals:
                yield from _format_nets(activity, signal, factor, known)
            yield ")"
        todo.append(None)
        todo += reversed(list(node.below.items()))


def _format_nets(
    activity: NetActivity, signal: Signal, factor: int, known: set[str]
) -> Iterator[str]:
    for bit, name in enumerate(signal.bit_names()):
        if name in known:
            raise GnomonError(
                f"{activity.source}: {path_of((*signal.scope, name))} is declared twice, as nets "
                "that differ; SAIF cannot distinguish them"
            )
        known.add(name)
        row = signal.first_bit + bit
        times = [int(value) * factor for value in activity.state_times[row]]
        if sum(times) != activity.duration * factor:
            raise AssertionError(f"times of {name} do not sum to the duration")
        kept = zip((state.upper() for state in STATES), times, strict=True)
        parts = [f"({key} {value})" for key, value in kept if value or key in {"T0", "T1", "TX"}]
        parts.append(f"(TC {int(activity.toggles[row])})")
        yield f"({_escape(name)} {' '.join(parts)})"


def _escape(name: str) -> str:
    return "".join(c if _PLAIN.match(c) else "\\" + c for c in name)
