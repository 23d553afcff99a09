"""cocotb bench of the vector unit: compares every busy edge and written word of streams.

Arguments: the configuration; either ``streams``, the path of a file with streams, or number
and length of random ones to generate, with the directed ones if requested. The first stream that
fails is minimized here, in the simulator, and reported.
"""

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge, Timer, ValueChange

from gnomon.rtl.bare_metal import delta_debug
from rtl_tests.benches.channel import arguments, seed, tell
from rtl_tests.benches.vector_coverage import classes_of
from rtl_tests.benches.vector_model import TRANSFER_UNIT, Expected, Model, Place, UndecidedError
from rtl_tests.benches.vector_stream import (
    BITS,
    Config,
    Issue,
    Stream,
    directed_streams,
    random_stream,
    shown,
)

_CYCLE_NS = 10
_MARGIN_CYCLES = 12
_MOST_TRIES = 400


class Unit:
    """Design under test: runs streams and reports where it differs from the model."""

    def __init__(self, dut: Any, config: Config) -> None:
        self.dut, self.config, self.model = dut, config, Model(config)
        self._handles: dict[tuple[int, int, int], Any] = {}
        self.compared: Counter[str] = Counter()

    async def differences(self, stream: Stream) -> tuple[list[str], list[Expected]]:
        """Run a stream; return the differences, and the expected behaviour."""
        dut = self.dut
        expected = self.model.run(stream)
        await self._reset(stream)
        by_unit = self._by_unit(expected)
        seen: dict[int, list[tuple[int, int | None]]] = {unit: [] for unit in by_unit}
        found: list[str] = []
        watch = cocotb.start_soon(self._watch(by_unit, seen, found))
        for one in expected:
            dut.command.value = _command(one)
            await ValueChange(dut.issued)
            refusal = int(dut.issued.value) & 0x3FF
            cause = refusal & 0x1FF if refusal >> 9 else 0
            if cause != one.cause:
                found.append(f"{_name(one)}: trap {cause:#x}, not {one.cause:#x}")
        end = max(one.last_cycle for one in expected) + _MARGIN_CYCLES
        await Timer(max(end - int(dut.cycle.value), 1) * _CYCLE_NS, "ns")
        watch.cancel()
        for unit, items in by_unit.items():
            want = [(first.cycle, last.last_cycle) for first, last in items]
            self.compared["busy intervals"] += len(want)
            found += _interval_differences(unit, want, seen[unit])
        want = sum(one.requests for one in expected)
        if int(dut.requests.value) != want:
            found.append(f"bus requests: {int(dut.requests.value)}, not {want}")
        for accelerator in range(self.config.accelerators):
            for pad in range(self.config.spm_count):
                place = Place(accelerator, pad, 0, self.config.spm_bytes // 4)
                words = self.model.scratchpad(accelerator, pad)
                self._compare("at the end", place, words, found)
        self.compared["instructions"] += len(expected)
        return found, expected

    async def _reset(self, stream: Stream) -> None:
        dut = self.dut
        self._write_memory(stream)
        dut.command.value = (1 << 192) - 1
        dut.rst_n.value = 0
        dut.refill.value = int(dut.refill.value) ^ 1
        await RisingEdge(dut.clk)
        await FallingEdge(dut.clk)
        dut.requests.value = 0
        await RisingEdge(dut.clk)
        await RisingEdge(dut.clk)
        dut.rst_n.value = 1

    def _write_memory(self, stream: Stream) -> None:
        words = list(stream.memory) + [0] * (self.config.memory_bytes // 4 - len(stream.memory))
        Path("memory.hex").write_text("\n".join(f"{word:x}" for word in words), encoding="utf-8")

    def _by_unit(self, expected: list[Expected]) -> dict[int, list[tuple[Expected, Expected]]]:
        # First and last instruction of each busy interval: adjacent intervals merge.
        by_unit: dict[int, list[tuple[Expected, Expected]]] = {
            unit: [] for unit in (*range(self.config.accelerators), TRANSFER_UNIT)
        }
        for one in expected:
            if one.unit is None:
                continue
            items = by_unit[one.unit]
            if items and items[-1][1].last_cycle + 1 == one.cycle:
                items[-1] = (items[-1][0], one)
            else:
                items.append((one, one))
        return by_unit

    async def _watch(
        self,
        by_unit: dict[int, list[tuple[Expected, Expected]]],
        seen: dict[int, list[tuple[int, int | None]]],
        found: list[str],
    ) -> None:
        dut, before = self.dut, 0
        while True:
            await ValueChange(dut.busy_seen)
            now, cycle = int(dut.busy_seen.value), int(dut.cycle.value)
            for unit, edges in seen.items():
                bit = self.config.accelerators if unit == TRANSFER_UNIT else unit
                was, busy = before >> bit & 1, now >> bit & 1
                if busy and not was:
                    edges.append((cycle, None))
                elif was and not busy and edges:
                    edges[-1] = (edges[-1][0], cycle - 1)
                    if len(edges) <= len(by_unit[unit]):
                        last = by_unit[unit][len(edges) - 1][1]
                        assert last.place is not None
                        self._compare(_name(last), last.place, list(last.words), found)
            before = now

    def _compare(self, when: str, place: Place, want: list[int], found: list[str]) -> None:
        have = [self._word(place, index) for index in range(place.count)]
        self.compared["words"] += len(want)
        if have != want:
            index = next(k for k in range(len(want)) if have[k] != want[k])
            where = "memory" if place.accelerator is None else (
                f"scratchpad {place.pad} of accelerator {place.accelerator}")  # fmt: skip
            found.append(
                f"{when}: {where} word {place.word + index}: {_hex(have[index])}, not "
                f"{_hex(want[index])} (word {index + 1} of {place.count})"
            )

    def _word(self, place: Place, index: int) -> int | None:
        word = place.word + index
        if place.accelerator is None:
            handle = self.dut.memory[word]
        else:
            handle = self._bank(place.accelerator, place.pad, word)
        value = handle.value
        return int(value) if value.is_resolvable else None

    def _bank(self, accelerator: int, pad: int, word: int) -> Any:
        key = accelerator, pad, word
        if key not in self._handles:
            row, bank = divmod(word, self.config.simd)
            pads = self.dut.unit.g_accelerator[accelerator].accelerator.scratchpads
            self._handles[key] = pads.g_bank[bank].g_pad[pad].memory.words[row]
        return self._handles[key]


def _command(one: Expected) -> int:
    issue, value = one.issue, 0
    fields = (
        (one.cycle, 32), (issue.rd, 32), (issue.rs1, 32), (issue.rs2, 32), (issue.mvsize, 32),
        (issue.transfer, 1), (issue.funct7, 7), (issue.hart, 4), (issue.mvtype, 2),
        (issue.mpsclfac, 5),
    )  # fmt: skip
    for field, bits in reversed(fields):
        value = value << bits | int(field) & ((1 << bits) - 1)
    return value


def _name(one: Expected) -> str:
    return f"{one.issue.name} issued in cycle {one.cycle}"


def _hex(word: int | None) -> str:
    return "unknown bits" if word is None else f"{word:08x}"


def _interval_differences(
    unit: int, want: list[tuple[int, int]], have: list[tuple[int, int | None]]
) -> list[str]:
    name = "transfer engine" if unit == TRANSFER_UNIT else f"accelerator {unit}"
    for index in range(max(len(want), len(have))):
        if want[index : index + 1] != have[index : index + 1]:
            told = [
                "idle" if index >= len(items) else f"busy in {items[index][0]}..{items[index][1]}"
                for items in (have, want)
            ]
            return [f"{name}: {told[0]}, not {told[1]}"]
    return []


async def _shortened(unit: Unit, stream: Stream) -> tuple[Stream, list[str]]:
    """Find the shortest stream that still fails: delta debugging, then smaller instructions.

    The first instructions stay: they fill the scratchpads.
    """
    kept, tries = unit.config.spm_count, 0

    async def fails(candidate: Stream) -> bool:
        nonlocal tries
        tries += 1
        if tries > _MOST_TRIES:
            return False
        try:
            return bool((await unit.differences(candidate))[0])
        except UndecidedError:
            return False

    head = stream.issues[:kept]
    search = delta_debug(stream.issues[kept:], least=1)
    try:
        issues = next(search)
        while True:
            issues = search.send(await fails(replace(stream, issues=(*head, *issues))))
    except StopIteration as end:
        stream = replace(stream, issues=(*head, *end.value))
    for index in range(kept, len(stream.issues)):
        simpler = True
        while simpler:
            simpler = False
            for issue in _simpler(stream.issues[index]):
                issues = (*stream.issues[:index], issue, *stream.issues[index + 1 :])
                if await fails(replace(stream, issues=issues)):
                    stream, simpler = replace(stream, issues=issues), True
                    break
    return stream, (await unit.differences(stream))[0]


def _simpler(issue: Issue) -> Iterator[Issue]:
    if issue.gap:
        yield replace(issue, gap=0)
    if issue.hart:
        yield replace(issue, hart=0)
    if issue.mpsclfac:
        yield replace(issue, mpsclfac=0)
    unit = BITS[issue.mvtype] // 8
    for smaller in (issue.mvsize // 2, issue.mvsize - unit):
        if smaller // unit * unit > 0:
            yield replace(issue, mvsize=smaller // unit * unit)
    if issue.transfer and issue.rs2 > 4:
        yield replace(issue, rs2=issue.rs2 // 8 * 4)


@cocotb.test()
async def streams_do_what_the_model_says(dut: Any) -> None:
    """Play streams of instructions on the unit; compare all results and cycles with the model."""
    told = arguments()
    config = Config(**told["config"])
    unit = Unit(dut, config)
    covered: Counter[str] = Counter()
    failures = []
    undecided = 0
    for stream in _streams(told, config):
        try:
            found, expected = await unit.differences(stream)
        except UndecidedError:
            undecided += 1
            continue
        for one in expected:
            covered.update(classes_of(one, config))
        if found:
            short, why = await _shortened(unit, stream) if told["shrink"] else (stream, found)
            failures.append(
                {
                    "differences": why,
                    "stream": short.to_json(),
                    "shown": shown(short.issues[config.spm_count :]),
                }
            )
            break
    tell(
        {
            "compared": dict(unit.compared),
            "undecided": undecided,
            "covered": dict(covered),
            "failures": failures,
        }
    )


def _streams(told: dict[str, Any], config: Config) -> Iterator[Stream]:
    if "streams" in told:
        items = json.loads(Path(told["streams"]).read_text(encoding="utf-8"))
        yield from (Stream.from_json(item) for item in items)
        return
    rng = random.Random(seed())
    if told["directed"]:
        yield from directed_streams(config, rng)
    for _ in range(told["random"]):
        yield random_stream(config, rng, told["length"])
