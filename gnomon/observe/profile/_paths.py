"""Call paths of a run, with their cycles asleep and their energy."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.sim import split

if TYPE_CHECKING:
    from collections.abc import Hashable

    from gnomon.observe.profile._profile import RunProfile

BOOT = "(boot)"


def paths(profile: RunProfile) -> list[str]:
    """The call path of every node of the tree, from the hart down."""
    if profile.run.calls is None:
        raise GnomonError(f"{profile.program.name}: calls were not recorded; run with calls=True")
    found: list[str] = []
    for node in profile.run.calls.nodes:
        above = f"hart {node.hart}" if node.parent is None else found[node.parent]
        found.append(f"{above};{node.function.replace(';', ':')}")
    return found


def asleep_cycles(profile: RunProfile) -> list[int]:
    """Of the cycles of every node, those of sleeping slots."""
    assert profile.run.calls is not None
    nodes = profile.run.calls.nodes
    parked: dict[Hashable, int] = defaultdict(int)
    table = profile.run.profile.parts["parked"]
    for hart, index in zip(*np.nonzero(table), strict=True):
        function = profile.program.function_at(profile.run.profile.base_address + 4 * int(index))
        parked[int(hart), function.name if function else "?"] += int(table[hart, index])
    return _divided(
        parked, [(node.hart, node.function) for node in nodes], [node.cycles for node in nodes]
    )


def node_energies_fj(profile: RunProfile) -> list[int]:
    """The energy of every node of the tree: that of its function, by cycles awake.

    Raises:
        GnomonError: the energy is not known.
    """
    if profile.energy_fj is None:
        raise GnomonError(f"{profile.program.name}: no energy: {profile.energy_reason}")
    assert profile.run.calls is not None
    nodes = profile.run.calls.nodes
    awake = [node.cycles - slots for node, slots in zip(nodes, asleep_cycles(profile), strict=True)]
    totals: dict[Hashable, int] = {row.name: row.energy_fj or 0 for row in profile.by_function()}
    return _divided(totals, [node.function for node in nodes], awake, [n.cycles for n in nodes])


def _divided(
    totals: dict[Hashable, int],
    keys: list[Hashable] | list[str] | list[tuple[int, str]],
    weights: list[int],
    otherwise: list[int] | None = None,
) -> list[int]:
    """Each total among the nodes of its key, by weights, or by others where all are 0."""
    members: dict[Hashable, list[int]] = defaultdict(list)
    for number, key in enumerate(keys):
        members[key].append(number)
    result = np.zeros(len(weights), dtype=np.int64)
    for key, total in totals.items():
        mine = members[key]
        by = np.array(weights, dtype=np.int64)[mine]
        if otherwise is not None and not by.any():
            by = np.array(otherwise, dtype=np.int64)[mine]
        result[mine] = split(total, by)
    return result.tolist()
