"""Folded stacks, the input of flame graphs: ``hart 0;main;multiply 1234``."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.observe.profile._profile import FJ_PER_PJ
from gnomon.sim import split

if TYPE_CHECKING:
    from gnomon.observe.profile._profile import RunProfile

ASLEEP = "(asleep)"
BOOT = "(boot)"


def folded_text(profile: RunProfile, *, energy: bool = False) -> str:
    """One line per call path, with its cycles or with its energy in whole pJ.

    Slots of sleeping harts are a frame of their own. The lines sum to the cycles of the run, or
    to its energy in pJ, rounded once. Energy is known by function; among the paths to a function
    it goes by cycles.

    Raises:
        GnomonError: calls were not recorded, or the energy is not known.
    """
    counts = _energy_counts(profile) if energy else _cycle_counts(profile)
    return "".join(f"{path} {count}\n" for path, count in sorted(counts.items()) if count)


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
    groups: dict[tuple[int, str], list[int]] = defaultdict(list)
    for number, node in enumerate(nodes):
        groups[node.hart, node.function].append(number)
    parked: dict[tuple[int, str], int] = defaultdict(int)
    table = profile.run.profile.parts["parked"]
    for hart, index in zip(*np.nonzero(table), strict=True):
        function = profile.program.function_at(profile.run.profile.base_address + 4 * int(index))
        parked[int(hart), function.name if function else "?"] += int(table[hart, index])
    result = [0] * len(nodes)
    for key, slots in parked.items():
        members = groups[key]
        weights = np.array([nodes[k].cycles for k in members], dtype=np.int64)
        for k, share in zip(members, split(slots, weights).tolist(), strict=True):
            result[k] = share
    return result


def _cycle_counts(profile: RunProfile) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    names = paths(profile)
    assert profile.run.calls is not None
    asleep = asleep_cycles(profile)
    for path, node, slots in zip(names, profile.run.calls.nodes, asleep, strict=True):
        counts[path] += node.cycles - slots
        counts[f"{path};{ASLEEP}"] += slots
    counts[BOOT] += profile.boot_cycles
    return counts


def node_energies_fj(profile: RunProfile) -> list[int]:
    """The energy of every node of the tree: that of its function, by cycles awake.

    Raises:
        GnomonError: the energy is not known.
    """
    if profile.energy_fj is None:
        raise GnomonError(f"{profile.program.name}: no energy: {profile.energy_reason}")
    assert profile.run.calls is not None
    nodes = profile.run.calls.nodes
    asleep = asleep_cycles(profile)
    result = [0] * len(nodes)
    groups: dict[str, list[int]] = defaultdict(list)
    for number, node in enumerate(nodes):
        groups[node.function].append(number)
    for row in profile.by_function():
        members = groups[row.name]
        awake = np.array([nodes[k].cycles - asleep[k] for k in members], dtype=np.int64)
        weights = awake if awake.any() else np.array([nodes[k].cycles for k in members])
        for k, share in zip(members, split(row.energy_fj or 0, weights).tolist(), strict=True):
            result[k] = share
    return result


def _energy_counts(profile: RunProfile) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    names = paths(profile)
    energies = np.array(node_energies_fj(profile), dtype=np.int64)
    total_pj = round(int(energies.sum()) / FJ_PER_PJ)
    for path, share in zip(names, split(total_pj, energies).tolist(), strict=True):
        counts[path] += share
    return counts
