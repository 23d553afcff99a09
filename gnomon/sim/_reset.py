"""A machine after reset, with a loaded program: creation of the arrays of the engine."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.base.structs import only
from gnomon.isa import fetched_words
from gnomon.program import Program
from gnomon.sim import _codes as at
from gnomon.sim import _ops as op
from gnomon.sim._config import configuration
from gnomon.sim._devices import device_tables
from gnomon.sim._fetch import fetch_tables
from gnomon.sim._host import find_tohost
from gnomon.sim._latencies import latency_tables
from gnomon.sim._machine import Array, Machine, Records
from gnomon.sim._own_devices import OwnDevices
from gnomon.sim._places import Place, list_places, window_tables
from gnomon.sim._structs import ENTRY, HART, MACHINE, STATE
from gnomon.sim._tables import (
    heeding_operations,
    late_results,
    lay_out,
    lead_jumps,
    list_fields,
    pack,
)
from gnomon.sim._units import StateLayout, unit_tables

_NO_BYTES = 0
"""Byte enables of an amoswap.w before the first load or store.

Source: T13x RTL. data_be_ID (RTL-ID_STAGE.vhd) has no reset. RTL-Load_Store_Unit.vhd passes it
through to_bitvector, which gives 0 for an undefined bit.
"""
_TRACE_ROWS = 1 << 14
_CALL_ROWS = 1 << 12
_FIRST_ISSUE_CYCLE_T13 = 2  # request in cycle 0, decode in 1, execute in 2
_RESET_MESTATUS = 0x1800
_RESET_MTVEC_T13 = 0x94


def _reset_state(cfg: np.void) -> Records:
    record = STATE.make()
    st = only(record)
    t13, harts = bool(cfg["is_t13"]), int(cfg["harts"])
    st["cycle"] = _FIRST_ISSUE_CYCLE_T13 if t13 else 0
    st["hart"], st["issuer"] = harts - 1, -1
    st["lsu_last"] = st["transfer_last"] = st["void_cycle"] = at.LONG_AGO
    st["vcu_last"][:] = at.LONG_AGO
    st["exit_cycle"] = st["trap_end"] = st["sleep_end"] = st["device_end"] = -1
    st["event"] = st["due"] = at.NEVER
    st["transfer_spm"] = -1
    st["amo_enables"] = _NO_BYTES
    return record


def _reset_harts(cfg: np.void) -> Records:
    hs = np.zeros(at.MAX_HARTS, dtype=HART.dtype)
    hs["trap_slots"] = -1
    t13, harts = bool(cfg["is_t13"]), int(cfg["harts"])
    awake = hs[:harts]
    awake["pc"] = cfg["reset_pc"]
    awake["next"] = (np.arange(harts) - 1) % harts
    awake["mtvec"] = _RESET_MTVEC_T13 if t13 else 0
    awake["mvtype"] = 2
    awake["mestatus"] = _RESET_MESTATUS if cfg["core"]["mestatus_writes_bit_0"] else 0
    awake["instret_value"] = -1  # minstret is stored one higher than it reads
    if not t13:
        # An ISA-clean core counts from reset, without an enable register.
        awake["pcer"] = 3
        awake["instret_base"] = 1
    return hs


def _load_program(
    ram: npt.NDArray[np.int32],
    places: Sequence[Place],
    program: Program,
    architecture: Architecture,
) -> tuple[int, int]:
    """Copy the program into memory; return the range of instruction places that it fills."""
    align = architecture.core.alignment_bytes
    if program.compressed and align == 4:
        other = ", or give the machine a core.isa with c" * (architecture.core.model != "t13")
        raise GnomonError(
            f"{program.name}: built with compressed instructions; {architecture.name} has none: "
            f"rebuild with -march={architecture.core.isa}{other}"
        )
    if architecture.core.reset_pc == "entry" and program.entry % align:
        raise GnomonError(
            f"{program.name}: its entry 0x{program.entry:08X} is not a multiple of {align}, where "
            "an instruction must be"
        )
    code, memory = places[0], architecture.memory
    first, last = code.size_bytes // 4, 0
    for segment in program.segments:
        inside = [s for s in memory.spans if s.base <= segment.address and segment.end <= s.end]
        if not inside:
            spans = dict.fromkeys(f"0x{s.base:08X}..0x{s.end - 1:08X}" for s in memory.spans)
            raise GnomonError(
                f"{program.name}: segment 0x{segment.address:08X}..0x{segment.end - 1:08X} is "
                f"outside the memories of the machine ({', '.join(spans)})"
            )
        if memory.link is not None and segment.executable and not segment.writable:
            code_at = f"0x{segment.address:08X}..0x{segment.end - 1:08X}"
            _check_region(program.name, code_at, inside[0].name, memory.link.text)
        for place in places:
            start, end = max(segment.address, place.base), min(segment.end, place.end)
            if start >= end:
                continue
            data = segment.data[start - segment.address : end - segment.address]
            into = place.bytes_in(ram)[start - place.base :]
            into[: len(data)] = np.frombuffer(data, dtype=np.uint8)
            if place is code:
                first = min(first, (start - place.base) // 4)
                last = max(last, (end - place.base + 3) // 4)
    places_of_word = 4 // align
    return places_of_word * min(first, last), places_of_word * last


def _check_region(program: str, place: str, region: str, text: str) -> None:
    """Reject code in another region than that of the code."""
    if region != f"region {text}":
        raise GnomonError(
            f"{program}: code at {place} is in {region}, and memory.link.text is {text}: all code"
            f" of a program must be in one region (set memory.link.text="
            f"{region.removeprefix('region ')} if it is all there)"
        )


def _accesses_events(text: Records) -> bool:
    """Return whether the text accesses event counters; else their counts are not needed."""
    accessed = text["imm"][np.isin(text["op"], op.CSR_ACCESSES)] & 0xFFF
    return bool(np.isin(accessed, op.EVENT_COUNTERS).any())


def check_cycles(name: str, cycles: int) -> None:
    """Reject a limit below 1, or above the largest cycle of the engine."""
    if cycles < 1:
        raise GnomonError(f"{name} must be at least 1, not {cycles}")
    if cycles > at.NEVER:
        raise GnomonError(f"{name} must be at most {at.NEVER} (2^60), not {cycles}")


_SWI_END = 0x1_0000  # after the T13's software-interrupt registers


def text_bytes_of(program: Program, architecture: Architecture) -> int | None:
    """Return the bytes of the code's memory that hold code; None with two memories.

    The engine decodes words of this part in advance and detects each store into it. It treats the
    rest as data, which is faster.
    """
    memory = architecture.memory.instruction
    if not (architecture.memory.is_one or architecture.memory.regions):
        return None
    ends = [each.end for each in program.segments if each.executable]
    tohost = find_tohost(program, architecture)
    if tohost is not None:
        ends.append(tohost + 8)
    if architecture.core.model == "t13":
        ends.append(_SWI_END)  # the registers hide the memory below them
    inside = [end - memory.base for end in ends if memory.base < end <= memory.base + memory.size]
    # With compressed instructions, one may begin in the last halfword.
    return min(int(memory.size), (max(inside, default=0) + 7) & -8)


def build_machine(
    program: Program,
    architecture: Architecture,
    *,
    tracing: bool,
    max_cycles: int | None,
    bus: bool = False,
    watch: Callable[[Array, Records], npt.NDArray[np.bool_]] | None = None,
    toggles: bool = False,
    everywhere: bool = False,
) -> Machine:
    """Return a machine at reset, with the program loaded.

    ``everywhere``: in the memory of the code, code may be anywhere, also where the program writes
    it during the run.
    """
    if max_cycles is not None:
        check_cycles("max_cycles", max_cycles)
    text_bytes = None if everywhere else text_bytes_of(program, architecture)
    config = configuration(architecture, program.entry, text_bytes)
    cfg = only(config)
    cfg["tracing"] = cfg["keep_slots"] = tracing
    cfg["hard_limit"] = (at.NEVER if max_cycles is None else max_cycles) - 1
    cfg["bus"], cfg["calls"] = bus, watch is not None
    cfg["semihosting"] = any(each.kind == "semihosting" for each in architecture.devices.values())
    tohost = find_tohost(program, architecture)
    cfg["tohost"] = 0 if tohost is None else (tohost - int(cfg["ibase"])) // 4
    data_word0, ishift = int(cfg["data_word0"]), int(cfg["ishift"])
    words = int(cfg["isize"]) >> ishift
    places = list_places(architecture, cfg)
    ram = np.zeros(max(each.word + each.size_bytes // 4 for each in places), dtype=np.int32)
    first, end = _load_program(ram, places, program, architecture)
    decoded = np.empty(words + 1, dtype=ENTRY.dtype)
    decoded[:] = pack(np.zeros(1, dtype=np.uint32), architecture)[0]
    text, memory = np.arange(first, end), ram[:data_word0].view(np.uint32)
    instructions = fetched_words(memory, text, compressed=ishift == 1)
    decoded[first:end] = pack(instructions, architecture)
    cfg["counts_events"] = cfg["is_t13"] and _accesses_events(decoded[first:end])
    decoded["op"][-1] = op.NO_FETCH  # reached by a fetch beyond the memory
    table = decoded.copy()
    lead_jumps(table, text, ishift)
    if ishift == 2 and not architecture.computes_fetch:
        lay_out(table, int(cfg["harts"]))
    further = fetch_tables(architecture)
    if architecture.core.latency is not None and architecture.core.latency.holds:
        fields = np.zeros(words + 1, dtype=np.uint32)
        fields[first:end] = list_fields(instructions, architecture)
        further["fields"] = fields
    state = _reset_state(cfg)
    state["text_first"], state["text_end"] = first, end
    state["own_units"] = any(each.is_vector for each in architecture.units)
    pads = int(cfg["spm_count"]) * (1 if cfg["sharing"] == at.SHARED else int(cfg["harts"]))
    pad_words = int(cfg["spm_size"]) // 4
    rows = _TRACE_ROWS if tracing else 1
    zeros: dict[str, int | tuple[int, ...]] = {
        "acct": at.MAX_HARTS, "dyn": (at.MAX_HARTS, words), "flow": (at.MAX_HARTS, words + 1),
        "vstat": (at.MAX_HARTS, op.NOP), "regs": (at.MAX_HARTS, at.REGISTERS),
        "spm": max(pads * pad_words, 1), "written": max(pads * pad_words, 1),
        "temp": 2 * pad_words + 64,
        "printed": 2 * (4096 + pad_words), "trace": rows, "spans": max(rows, 8),
        "bus": _TRACE_ROWS + 2 * pad_words if bus else 1,
        "calls": _CALL_ROWS if watch is not None else 1,
    }  # fmt: skip
    if toggles:
        lanes = int(cfg["simd"]) * at.MAX_HARTS
        zeros |= {
            "toggles": words, "buses": len(at.BUSES), "lane_buses": 4 * max(lanes, 1),
            "multipliers": (1 + lanes) * at.MULTIPLIER_WORDS,
            "pad_buses": 2 * max(pads * int(cfg["simd"]), 1),
        }  # fmt: skip
    own, uses = OwnDevices(architecture), late_results(architecture)[0]
    arrays: dict[str, npt.NDArray[Any]] = {
        "cfg": config, "st": state, "hs": _reset_harts(cfg), "table": table, "decoded": decoded,
        "ram": ram, "uses": uses, "heeds": heeding_operations(architecture, uses),
        **latency_tables(architecture),
        **unit_tables(architecture, at.MAX_HARTS), **further, **window_tables(architecture, places),
        **device_tables(architecture, own),
        **{name: MACHINE.zeros(name, shape) for name, shape in zeros.items()},
    }  # fmt: skip
    record = MACHINE.make()
    MACHINE.point(record, arrays)
    record["words"] = words
    layout = StateLayout.of(architecture)
    record["hart_state"], record["hart_state_bytes"] = layout.shared_bytes, layout.hart_bytes
    record["window_count"] = len(arrays.get("windows", ()))
    record["device_count"] = len(arrays.get("devices", ()))
    for length, name in (
        ("ram_words", "ram"), ("spm_words", "spm"), ("temp_words", "temp"),
        ("printed_rows", "printed"), ("trace_rows", "trace"), ("span_rows", "spans"),
        ("bus_rows", "bus"), ("call_rows", "calls"),
    ):  # fmt: skip
        record[length] = len(arrays[name])
    machine = Machine(architecture, record, arrays, cfg, only(state), places, own, watch)
    own.connect(machine.pointer, machine.function)
    return machine
