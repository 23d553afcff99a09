"""Call paths of a run with cycles, instructions and pJ, also as Callgrind for KCachegrind.

Own costs are per instruction and exact. Inclusive cycles of calls are exact too. Instructions and
pJ are counted per instruction, not per call: the inclusive values of a call share those of each
function in proportion to cycles.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.base.values import apportion
from gnomon.observe.profile._profile import FJ_PER_PJ, Array, RunProfile

BOOT = "(boot)"


def paths(profile: RunProfile) -> list[str]:
    """Return the call path of every node of the call tree, beginning with the hart."""
    found: list[str] = []
    for node in profile.run.call_nodes:
        above = f"hart {node.hart}" if node.parent is None else found[node.parent]
        found.append(f"{above};{node.function.replace(';', ':')}")
    return found


def asleep_cycles(profile: RunProfile) -> list[int]:
    """Return the cycles of sleeping slots of every node of the call tree."""
    nodes = profile.run.call_nodes
    parked: dict[Hashable, int] = defaultdict(int)
    table = profile.run.profile.parts["parked"]
    for hart, index in zip(*np.nonzero(table), strict=True):
        name = profile.program.function_name(profile.run.profile.address(int(index)))
        parked[int(hart), name] += int(table[hart, index])
    return _divide(
        parked, [(node.hart, node.function) for node in nodes], [node.cycles for node in nodes]
    )


def node_energies_fj(profile: RunProfile) -> list[int]:
    """Return the energy of every node in fJ: that of its function, shared by cycles awake.

    Raises:
        GnomonError: if the profile has no energy.
    """
    if profile.energy_fj is None:
        raise GnomonError(f"{profile.program.name}: no energy: {profile.energy_reason}")
    nodes = profile.run.call_nodes
    awake = [node.cycles - slots for node, slots in zip(nodes, asleep_cycles(profile), strict=True)]
    totals: dict[Hashable, int] = {row.name: row.energy_fj or 0 for row in profile.by_function()}
    return _divide(totals, [node.function for node in nodes], awake, [n.cycles for n in nodes])


def _divide(
    totals: Mapping[Hashable, int] | Mapping[str, int],
    keys: Sequence[Hashable],
    weights: list[int],
    otherwise: list[int] | None = None,
) -> list[int]:
    """Divide each total among the nodes of its key by ``weights``; if all are 0, ``otherwise``."""
    members: dict[Hashable, list[int]] = defaultdict(list)
    for number, key in enumerate(keys):
        members[key].append(number)
    result = np.zeros(len(weights), dtype=np.int64)
    for key, total in totals.items():
        mine = members[key]
        by = np.array(weights, dtype=np.int64)[mine]
        if otherwise is not None and not by.any():
            by = np.array(otherwise, dtype=np.int64)[mine]
        result[mine] = apportion(total, by)
    return result.tolist()


_NO_FILE = "???"


def callgrind_text(profile: RunProfile) -> str:
    """Return the profile in the format of Callgrind."""
    known = profile.energy_fj is not None
    events = "Cycles Instructions" + (" pJ" if known else "")
    calls, own = _collect_calls(profile), _compute_own_costs(profile)
    boot = [profile.boot_cycles, 0]  # cycles before the first instruction
    if known:
        boot.append(round((profile.boot_energy_fj or 0) / FJ_PER_PJ))
    totals = " ".join(str(int(v)) for v in own.sum(axis=0) + boot)
    lines = [
        "# callgrind format",
        "version: 1",
        "creator: gnomon",
        f"cmd: {profile.program.name} on {profile.run.arch}",
        "positions: instr line",
        f"events: {events}",
        f"summary: {totals}",
        "",
    ]
    where = {address: k for k, address in enumerate(profile.addresses)}
    for function in dict.fromkeys(profile.functions):
        mine = [k for k, name in enumerate(profile.functions) if name == function]
        file = _name_file(profile, mine[0])
        lines += [f"fl={file}", f"fn={function}"]
        for k in mine:
            # A file line precedes the costs of code from another file, inlined or included.
            here = _name_file(profile, k)
            lines.append(f"fi={here}" if here != file else f"fe={file}")
            lines.append(f"{_format_position(profile, k)} {' '.join(str(int(v)) for v in own[k])}")
            for callee, target, count, costs in calls.get(profile.addresses[k], ()):
                entry = where.get(target)
                lines.append(f"cfi={_name_file(profile, entry) if entry is not None else _NO_FILE}")
                lines.append(f"cfn={callee}")
                at = _format_position(profile, entry) if entry is not None else f"0x{target:x} 0"
                lines.append(f"calls={count} {at}")
                lines.append(f"{_format_position(profile, k)} {' '.join(str(v) for v in costs)}")
        lines.append("")
    if any(boot):
        lines += [f"fl={_NO_FILE}", f"fn={BOOT}", f"0x0 0 {' '.join(map(str, boot))}", ""]
    lines.append(f"totals: {totals}")
    return "\n".join(lines) + "\n"


def _compute_own_costs(profile: RunProfile) -> Array:
    columns = [np.sum(list(profile.parts.values()), axis=0), profile.parts["issue"]]
    if profile.energy_fj is not None:
        total_pj = round(int(profile.energy_fj.sum()) / FJ_PER_PJ)
        columns.append(apportion(total_pj, profile.energy_fj))
    return np.column_stack(columns).astype(np.int64)


def _name_file(profile: RunProfile, k: int) -> str:
    line = profile.lines[k]
    return line.file if line else _NO_FILE


def _format_position(profile: RunProfile, k: int) -> str:
    line = profile.lines[k]
    return f"0x{profile.addresses[k]:x} {line.line if line else 0}"


def _collect_calls(profile: RunProfile) -> dict[int, list[tuple[str, int, int, list[int]]]]:
    """Return callee, entry, number of calls and inclusive costs by address of the call."""
    nodes = profile.run.call_nodes
    functions, cycles = [node.function for node in nodes], [node.cycles for node in nodes]
    issued = {row.name: row.issued for row in profile.by_function()}
    columns = [cycles, _divide({f: issued.get(f, 0) for f in functions}, functions, cycles)]
    if profile.energy_fj is not None:
        columns.append([fj // FJ_PER_PJ for fj in node_energies_fj(profile)])
    inclusive = np.array(columns, dtype=np.int64).T.copy()
    for number in range(len(nodes) - 1, -1, -1):
        parent = nodes[number].parent
        if parent is not None:
            inclusive[parent] += inclusive[number]
    sums: dict[tuple[int, str], Array] = {}
    counts: dict[tuple[int, str], int] = defaultdict(int)
    above: list[frozenset[tuple[int, str]]] = []
    for node, costs in zip(nodes, inclusive, strict=True):
        outside = above[node.parent] if node.parent is not None else frozenset()
        above.append(outside)
        if node.site is None:
            continue
        key = (node.site, node.function)
        above[-1] |= {key}
        counts[key] += node.calls
        # In recursion the outermost call includes the others.
        sums[key] = sums.get(key, 0 * costs) + costs * (key not in outside)
    entries: dict[str, int] = {}
    for address, name in zip(profile.addresses, profile.functions, strict=True):
        entries.setdefault(name, address)
    result: dict[int, list[tuple[str, int, int, list[int]]]] = defaultdict(list)
    for (site, name), total in sorted(sums.items(), key=lambda each: each[0]):
        result[site].append((name, entries.get(name, 0), counts[site, name], total.tolist()))
    return result
