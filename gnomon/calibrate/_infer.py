"""From measured cycles to the keys of ``core.latency``, each with its measurements."""

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

from gnomon.calibrate import _programs as programs
from gnomon.calibrate._cache import Late, Lines, cache_keys, measure_late, warm_up
from gnomon.calibrate._device import Device, Waits
from gnomon.calibrate._fetch_bound import check_fetch_bound
from gnomon.calibrate._fetch_keys import word_period
from gnomon.calibrate._infer_fetch import WITH_QUEUE, infer_fetch
from gnomon.calibrate._inferred import CLASSES, Inferred
from gnomon.calibrate._interlocks import find_interlocks
from gnomon.calibrate._laws import Cycles, law, why_not
from gnomon.calibrate._measure import (
    Flushed,
    Measured,
    Refused,
    Undescribed,
    find_spacers,
    measure,
    merge_skews,
    quick,
)
from gnomon.calibrate._named import name_key
from gnomon.calibrate._predictor_keys import is_back, share_counters, static_costs
from gnomon.calibrate._programs import Probe
from gnomon.calibrate._restarts import find_restarts
from gnomon.calibrate._result_latency import delays, entries
from gnomon.calibrate._shared_port import find_shared_port, flush, without_fetch
from gnomon.calibrate._skipped_words import check_skipped_words
from gnomon.calibrate._split import split_wait
from gnomon.calibrate._unit_port import port_cycles
from gnomon.calibrate._untaught import Untaught
from gnomon.isa import size_bytes

_NONE: Final = Waits(0, 0)
_DATA: Final = Waits(0, 3)
_LONG: Final = Waits(9, 0)  # with all operands
_WAITED: Final = (Waits(1, 0), Waits(3, 0), Waits(60, 0), Waits(0, 1), Waits(0, 3), Waits(2, 3))
_ABSENT: Final = ("system", "amo", "fence-i")


class _Unlike(Refused):
    """Signal that an instruction has other cycles at another place."""

    def __init__(self, what: str, why: str, listing: str) -> None:
        super().__init__(f"{what}: {why}{listing}")
        self._what = what
        self._listing = listing

    def by_fetch(self, other: Refused) -> Refused:
        """Return that the place matters because of the words that the core fetches there.

        ``other``: why no keys describe the core if its queue is empty before each probe.
        """
        reason = str(other).partition("\n")[0]
        closest = reason.partition(WITH_QUEUE)[2] or reason
        return Refused(
            f"{self._what}, but equally many if a jump before it empties the fetch queue: a word "
            "that is being fetched delays the target, and core.fetch does not describe how; "
            f"{closest}{self._listing}",
            other.timeline,
        )


def infer(device: Device) -> Inferred:
    """Measure a core and infer the keys of its machine file.

    Raises:
        Refused: if no machine file can describe the core.
    """
    warm, lines = warm_up(device)
    if lines is None and share_counters(device):
        with suppress(Refused):
            return _infer(Untaught(device), None)
    flushed = flush(warm)
    try:
        return _infer_again(flushed, lines)
    except Refused as first:
        refused = first
    if flushed is not warm:  # perhaps loads overlap with jumps, and share no port
        with suppress(Refused):
            return _infer_again(warm, lines)
    if lines is None:
        check_fetch_bound(device)
        check_skipped_words(device)
    raise name_key(device, refused)


def _infer_again(device: Device, lines: Lines | None) -> Inferred:
    """Infer the keys; if probes depend on those before them, with an empty queue before each."""
    try:
        return _infer(device, lines)
    except _Unlike as unlike:
        if isinstance(device, Flushed) or lines is not None or not device.sees_all:
            raise
        reason = unlike
    try:
        return _infer(Flushed(device), None)
    except _Unlike:
        raise reason from None
    except Refused as other:
        slow = word_period(device) > 1
        raise (reason.by_fetch(other) if slow else reason) from None


def _infer(device: Device, lines: Lines | None) -> Inferred:
    spacers = find_spacers(device)
    inferred = Inferred(spacers=spacers)
    probes = quick(device, spacers)
    more = programs.by_operands(device.isa, spacers)
    everything = [*probes, *(each for each in more if each.mnemonic not in device.excluded)]
    measured = measure(device, everything, _NONE)
    at_rest, inferred.skews = measured.cycles, measured.skews
    static = static_costs(at_rest)
    if static is not None:
        probes, everything = ([p for p in some if not is_back(p)] for some in (probes, everything))
        at_rest = {probe: at_rest[probe] for probe in everything}
    stays = _check_alike(measured, at_rest)
    found = {}
    for name, each in stays.items():
        form = law(name, each)
        if form is None:
            what = f"{why_not(name, each)}: no form gives these"
            raise Refused(f"core.latency.rules is not identifiable: {what}")
        found[name] = form
    _infer_classes(inferred, found, stays)
    if device.excluded:
        inferred.notes.append(
            f"excluded in core.yaml, and not measured: {', '.join(sorted(device.excluded))}; "
            "programs that contain them are not described"
        )
    loud: dict[str, bool] = {}
    refused = None
    if lines is not None:
        data = measure(device, probes, _DATA)
        _infer_accesses(inferred, at_rest, data)
        longest = {each.mnemonic: each for each in sorted(at_rest, key=lambda each: at_rest[each])
                   if not each.kind}  # fmt: skip
        few = {probe: at_rest[probe] for probe in (*probes, *longest.values())}
        late = measure_late(device, lines, few, measured.plain, found["bne taken"]["cycles"])
        loud = _infer_cache(inferred, lines, late)
    elif device.waits == "any":
        try:
            loud = _infer_with_waits(inferred, device, probes, everything, at_rest)
        except Refused as no_rule:  # perhaps it has a fetch queue
            refused = no_rule
            with_data = measure(device, probes, _DATA)
            inferred.skews = merge_skews(inferred.skews, with_data.skews)
    else:
        inferred.note("waits", "none", "from core.yaml")
    if device.unit_port is not None:
        prefetch = inferred.latency.get("prefetch")
        inferred.note("unit-port", *port_cycles(device, prefetch, spacers))
    _infer_rules(inferred, found, loud)
    if device.sees_all and lines is None:
        inferred.restarts = find_restarts(device, spacers, at_rest)
    _infer_port(inferred, device, at_rest, measured.plain)
    _infer_delays(inferred, device, slow=refused is not None and word_period(device) > 1)
    if size_bytes(device.isa) == 2:
        inferred.note("split-target", *split_wait(device))
    return infer_fetch(inferred, device, refused, static)


def _check_alike(measured: Measured, at_rest: dict[Probe, int]) -> dict[str, Cycles]:
    """Return the cycles of each instruction by operands; taken branches have their own.

    Raises:
        Refused: if they depend on more.
    """
    stays: dict[str, Cycles] = {}
    firsts: dict[tuple[str, tuple[int, int]], Probe] = {}
    for probe, cycles in at_rest.items():
        name = probe.mnemonic + (" taken" if probe.kind.startswith("taken") else "")
        known = stays.setdefault(name, {})
        key = (probe.a, probe.b) if not probe.kind else (0, 0)
        if known.setdefault(key, cycles) != cycles:
            first = firsts[name, key]
            raise _Unlike(
                f"{probe} takes {cycles} cycles, and {first} {known[key]}",
                f"its cycles depend on {_name_dependence(first, probe)}; no key of core.latency "
                "describes it",
                measured.listing(probe),
            )
        firsts.setdefault((name, key), probe)
    return stays


def _infer_port(inferred: Inferred, device: Device, at_rest: dict[Probe, int], plain: int) -> None:
    """Record whether loads and stores delay the fetch, which shows with instructions after them."""
    inferred.port = port = find_shared_port(device, inferred.spacers, at_rest, plain)
    if port is not None:
        inferred.skews = without_fetch(inferred.skews, device, inferred.spacers, port)


def _infer_with_waits(
    inferred: Inferred,
    device: Device,
    probes: list[Probe],
    everything: list[Probe],
    at_rest: dict[Probe, int],
) -> dict[str, bool]:
    """Measure probes with wait states; see :func:`_infer_waits`."""
    with_waits = {waits: measure(device, probes, waits) for waits in _WAITED}
    with_waits[_LONG] = measure(device, everything, _LONG)
    loud = _infer_waits(inferred, at_rest, with_waits)
    inferred.skews = merge_skews(inferred.skews, *(each.skews for each in with_waits.values()))
    return loud


def _infer_cache(inferred: Inferred, lines: Lines, late: Late) -> dict[str, bool]:
    """Record the keys that show with a miss; see :func:`_infer_prefetch`."""
    inferred.note("taken-fetches", late.fetches, "taken branches to new lines; 1 stands for more")
    loud = _infer_prefetch(inferred, late.at_rest, late.beyond)
    for name, (value, evidence) in cache_keys(lines, late).items():
        inferred.others[f"icache.{name}"] = value
        inferred.evidence[f"icache.{name}"] = evidence
    return loud


def _infer_accesses(inferred: Inferred, at_rest: dict[Probe, int], waited: Measured) -> None:
    """Record the instructions with the wait states of data.

    Raises:
        Refused: if one has others.
    """
    for probe, cycles in waited.cycles.items():
        more = cycles - at_rest[probe]
        if more == _DATA.data:
            inferred.accesses.add(probe.mnemonic)
        elif more or probe.mnemonic in inferred.accesses:
            raise _refuse_access(probe, more, _DATA, _DATA.data, waited)


def _refuse_access(
    probe: Probe, more: int, waits: Waits, expected: int, measured: Measured
) -> Refused:
    """Return that an instruction has other wait states of data than expected."""
    buffered = probe.mnemonic in CLASSES["store"] and more < expected
    why = (
        ": the core continues before the store ends, as with a store buffer; no key of "
        "core.latency describes it"
    ) * buffered
    return (Undescribed if buffered else Refused)(
        f"{probe} takes {more} cycles more with {waits}, not {expected}{why}"
        f"{measured.listing(probe)}"
    )


def _name_dependence(first: Probe, second: Probe) -> str:
    """Return what differs between two probes of an instruction with unequal cycles."""
    if ("back" in first.kind) != ("back" in second.kind):
        return "the direction of the jump or on history, as with branch prediction"
    if (first.a, first.b) != (second.a, second.b):
        return "its operands, as with an early comparison, or on history"
    return "its place or history, as with a branch predictor"


def _infer_delays(inferred: Inferred, device: Device, *, slow: bool) -> None:
    """Record the delays of results that later instructions wait for.

    ``slow``: the fetch waits for its port.
    """
    port = inferred.port
    found, count = delays(device, inferred.spacers, port, slow=slow)
    held = find_interlocks(device, inferred.spacers, found, port, slow=slow)
    keys, bypass = entries(found, device)
    bypass += held.bypass
    for name, cycles in keys.items():
        if cycles:
            inferred.note(name, cycles, f"{count} pairs of instructions, and distances")
    if bypass:
        fields = f", {held.fields} of a register field" * bool(held.bypass)
        inferred.note("bypass", bypass, f"{count} pairs of instructions{fields}, and distances")
    if held.locks:
        inferred.note("interlocks", held.locks, "pairs without a shared register, and distances")


def _most_frequent(found: dict[str, Any], names: Iterable[str]) -> int | None:
    """Return the most frequent constant number of cycles of some instructions.

    Of equally frequent numbers it is the lowest; None if no instruction has a constant number.
    """
    counts = Counter(found[name]["cycles"] for name in names if name in found
                     and set(found[name]) == {"cycles"})  # fmt: skip
    return min(counts, key=lambda each: (-counts[each], each)) if counts else None


def _infer_classes(inferred: Inferred, found: dict[str, Any], stays: dict[str, Cycles]) -> None:
    for kind, names in CLASSES.items():
        cycles = _most_frequent(found, names)
        count = sum(len(stays[name]) for name in names if name in stays)
        if cycles is None:  # each instruction has a rule, or the core has none of them
            law_of = next((found[name]["cycles"] for name in names if name in found), 1)
            cycles = law_of if isinstance(law_of, int) else min(law_of)
            evidence = "see rules" if count else "not measured: the core has none"
        else:
            evidence = f"{count} probes of {', '.join(n for n in names if n in found)}"
        inferred.note(kind, cycles, evidence)
    for kind in _ABSENT:
        inferred.note(kind, 1, "not measured")
    extras = {
        found[f"{name} taken"].get("cycles", 0) - found[name]["cycles"]
        for name in programs.BRANCHES
        if name in found
    }
    if len(extras) > 1 or min(extras) < 0:
        raise Refused(
            f"taken branches cost {sorted(extras)} cycles more than untaken ones, not one number"
        )
    inferred.note("branch-taken", extras.pop(), "the same branches taken, forward and back")


def _infer_waits(
    inferred: Inferred, at_rest: dict[Probe, int], waited: dict[Waits, Measured]
) -> dict[str, bool]:
    """Infer prefetch, taken-fetches, and whether each instruction exposes all wait states.

    Args:
        inferred: keys so far; this function adds keys.
        at_rest: cycles of each probe without wait states.
        waited: cycles of each probe, by wait states.

    Raises:
        Refused: if no values of the keys fit.
    """
    access = {
        (probe, waits): taken - at_rest[probe]
        for waits, found in waited.items()
        for probe, taken in found.cycles.items()
    }
    for (probe, waits), more in access.items():
        if not waits.instruction and more == waits.data:
            inferred.accesses.add(probe.mnemonic)
    beyond = {}
    for (probe, waits), more in access.items():
        data = waits.data * (probe.mnemonic in inferred.accesses)
        if waits.instruction:
            beyond[probe, waits] = more - data
        elif more != data:
            raise _refuse_access(probe, more, waits, data, waited[waits])
    untaken = {each.mnemonic: each for each in reversed(at_rest) if each.kind == "not taken"}
    forward, back = (
        {
            (more - beyond[untaken[probe.mnemonic], waits]) / waits.instruction
            for (probe, waits), more in beyond.items()
            if probe.kind.startswith("taken") and is_back(probe) == backward
        }
        for backward in (False, True)
    )
    fetches = forward
    if back != forward:  # perhaps those back are predicted: this shows with loops
        beyond = {key: more for key, more in beyond.items() if not is_back(key[0])}
        fetches = forward if len(back) < 2 else forward | back
    if len(fetches) != 1 or min(fetches) not in range(5):
        raise Refused(
            f"by the cost of wait states, a taken branch has {sorted(fetches)} more fetches than "
            "an untaken one, not one whole number from 0 to 4"
        )
    inferred.note("taken-fetches", int(fetches.pop()), "branches with wait states")
    return _infer_prefetch(inferred, at_rest, beyond)


def _infer_prefetch(
    inferred: Inferred, at_rest: dict[Probe, int], beyond: dict[tuple[Probe, Waits], int]
) -> dict[str, bool]:
    """Infer prefetch, and whether each instruction exposes all wait states.

    Args:
        inferred: keys so far; this function adds one.
        at_rest: cycles of each probe without wait states.
        beyond: cycles that wait states of instructions add, by their number.

    Raises:
        Refused: if no value of the key fits.
    """
    tried = {
        each: _find_loud(at_rest, beyond, each, inferred.accesses) for each in (None, *range(1, 65))
    }
    good = [(prefetch, loud) for prefetch, loud in tried.items() if loud is not None]
    if not good:
        raise Refused(_describe_misfit(at_rest, beyond, inferred.accesses))
    # None if no instruction hides wait states; otherwise the value with the fewest exceptions.
    plainly = [each for each in good if each[0] is None and not any(each[1].values())]
    prefetch, loud = plainly[0] if plainly else min(good, key=lambda each: sum(each[1].values()))
    alike = [p for p, other in good if p is not None and sum(other.values()) == sum(loud.values())]
    if prefetch is not None and len(alike) > 1:
        inferred.notes.append(
            f"prefetch is not identifiable: {alike[0]} to {alike[-1]} fit equally; chosen: "
            f"{prefetch}"
        )
    inferred.note("prefetch", prefetch if prefetch is not None else "none",
             f"{len(beyond)} probes with wait states of instructions")  # fmt: skip
    return loud


def _find_loud(
    at_rest: dict[Probe, int],
    beyond: dict[tuple[Probe, Waits], int],
    prefetch: int | None,
    accesses: set[str],
) -> dict[str, bool] | None:
    """Return whether each instruction exposes all wait states, under a value of prefetch.

    None if this value of prefetch does not fit the measurements.
    """
    loud: dict[str, bool] = {}
    for (probe, waits), more in beyond.items():
        if probe.kind.startswith("taken"):
            continue
        name, hidden = probe.mnemonic, _hidden(probe, at_rest, prefetch, accesses)
        shown = max(0, waits.instruction - hidden)
        if more not in (shown, waits.instruction):
            return None
        alike = shown == waits.instruction
        if not alike and loud.setdefault(name, more != shown) != (more != shown):
            return None
    return loud


def _hidden(
    probe: Probe, at_rest: dict[Probe, int], prefetch: int | None, accesses: set[str]
) -> int:
    """Return how many wait states of its successor an instruction hides."""
    if prefetch is None or probe.mnemonic in accesses:
        return 0
    return max(0, at_rest[probe] - prefetch)


def _describe_misfit(
    at_rest: dict[Probe, int], beyond: dict[tuple[Probe, Waits], int], accesses: set[str]
) -> str:
    """Return a sentence with a measurement that contradicts the best value of prefetch."""

    def misfits_of(prefetch: int | None) -> list[tuple[Probe, Waits]]:
        found = []
        for (probe, waits), more in beyond.items():
            shown = waits.instruction - _hidden(probe, at_rest, prefetch, accesses)
            if not probe.kind.startswith("taken") and more not in (
                max(0, shown),
                waits.instruction,
            ):
                found.append((probe, waits))
        return found

    misfits = min(map(misfits_of, (None, *range(1, 65))), key=len)
    if not misfits:
        return "instructions hide wait states of their successors inconsistently"
    probe, waits = misfits[0]
    return (
        f"{probe} takes {beyond[probe, waits]} cycles more with {waits}: fetch and execution "
        "overlap by no value of prefetch, as if a queue holds several fetched instructions, or "
        "data and instructions share a port; no key of core.latency describes it"
    )


def _infer_rules(inferred: Inferred, found: dict[str, Any], loud: dict[str, bool]) -> None:
    """Record one rule for each group of instructions with equal cycles unlike their class."""
    groups: dict[str, tuple[dict[str, Any], list[str]]] = {}
    for kind, names in CLASSES.items():
        for name in names:
            if name not in found:
                continue
            rule = dict(found[name])
            if loud.get(name):
                rule["hides"] = False
            if name in inferred.accesses and kind not in ("load", "store"):
                rule["access"] = True
            if rule != {"cycles": inferred.latency[kind]}:
                groups.setdefault(str(rule), (rule, []))[1].append(name)
    rules = [{"of": names, **rule} for rule, names in groups.values()]
    inferred.note("rules", rules, "probes of each by operands, and with wait states")
