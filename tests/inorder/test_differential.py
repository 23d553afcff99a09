"""Random programs on random in-order cores, engine and slow model: nothing may differ."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gnomon.arch import load_architecture
from gnomon.program import load_elf
from gnomon.sim import Run, simulate
from tests.exactness._elf_writer import write_elf
from tests.exactness._runner import region_keys
from tests.inorder._model import Core, Model, Seen
from tests.inorder._random_program import CODE, DATA, random_program
from tests.oracle import OracleRegion
from tests.rows import light_and_heavy

if TYPE_CHECKING:
    from pathlib import Path

_CYCLES = 200_000

_VCU = """
vcu:
  simd: {simd}
  sharing: shared
  scratchpads: {{count: 4, size: 4 KiB, base: 0x10000000}}
  quirks:
    simd1_byte_products: true
    first_beat_width_of_hart0: true
    multithreaded_lane_mask: true
    kmemld_partial_word_repeats: true
    spm_check_fixed_to_four: true
"""


def _few(least: int, most: int) -> st.SearchStrategy[int]:
    return st.integers(least, most)


_LATENCY = st.fixed_dictionaries(
    {
        **{name: _few(1, 5) for name in ("alu", "mul", "mulh", "load", "store", "branch")},
        **{name: _few(1, 5) for name in ("jump", "csr", "fence", "system", "vector")},
        "div": _few(1, 40),
        "amo": st.just(1),
        "branch-taken": _few(0, 4),
        "load-use": _few(0, 6),
        "mul-use": _few(0, 6),
        "mul-per-bit": st.sampled_from([0, 0, 1, 2]),
        "fetch": st.sampled_from([0, 0, 1, 3]),
        "fetch-redirect": _few(0, 3),
        "fence-i": st.none() | _few(1, 9),
        "div-by-zero": st.none() | _few(1, 50),
        "misaligned": st.none() | _few(1, 9),
        "instruction-waits": st.sampled_from([0, 0, 1, 3]),
        "data-waits": st.sampled_from([0, 0, 2]),
        "taken-fetches": _few(0, 2),
        "prefetch": st.none(),
        "split-target": _few(0, 3),
    }
)


_LOADS = ["lb", "lbu", "lh", "lhu", "lw"]
_READERS = [
    "sw.rs2", "sb.rs2", "sw.rs1", "lw.rs1", "beq.rs1", "bltu.rs2", "jalr.rs1", "add.rs1",
    "add.rs2", "addi.rs1", "sub.rs2", "mul.rs1", "mulhu.rs2", "div.rs2", "slli.rs1",
]  # fmt: skip
_SHIFTS = ["sll", "srl", "sra", "slli", "srli", "srai"]
_UNITS = ["mul", "mulh", "mulhu", "mulhsu", "div", "divu", "rem", "remu"]
_STATIC = [
    "add",
    "xori",
    "slt",
    "sltiu",
    "lui",
    "auipc",
    "jal",
    "jalr",
    "beq",
    "bltu",
    "lw",
    "sb",
    "fence",
]
_VALUES_OF = {"shift-amount": 32, "signs": 9, "rs1-bits": 33, "rs2-bits": 33,
              "signs-product": 18}  # fmt: skip


@st.composite
def rules(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Rules of some instructions, each with cycles, a table or a law."""
    found: list[dict[str, Any]] = []
    for names in (_SHIFTS, _UNITS, _STATIC):
        for name in draw(st.lists(st.sampled_from(names), max_size=3, unique=True)):
            rule: dict[str, Any] = {"of": [name], "cycles": draw(_few(1, 9))}
            allowed = {id(_SHIFTS): ["shift-amount", "rs1-bits"], id(_UNITS): list(_VALUES_OF)[1:]}
            by = draw(st.none() | st.sampled_from(allowed.get(id(names)) or [""]))
            if by:
                rule["by"] = by
                rule["each"], rule["step"] = draw(_few(0, 2)), draw(st.sampled_from([0, 4]))
                if draw(st.booleans()):
                    size = _VALUES_OF[by]
                    rule["cycles"] = draw(st.lists(_few(1, 40), min_size=size, max_size=size))
            rule["hides"] = draw(st.booleans())
            if not by:
                rule["access"] = draw(st.booleans())
            found.append(rule)
    return found


@st.composite
def bypasses(draw: st.DrawFn) -> list[dict[str, Any]]:
    """When results of some instructions can be read, and by some operands at another time."""
    found: list[dict[str, Any]] = []
    for names in (_LOADS, _UNITS, ["add", "addi", "lui", "slli", "sltu", "auipc"]):
        for name in draw(st.lists(st.sampled_from(names), max_size=3, unique=True)):
            readers = draw(st.lists(st.sampled_from(_READERS), max_size=4, unique=True))
            if readers:
                found.append({"of": [name], "to": readers, "cycles": draw(_few(0, 5))})
            if not readers or draw(st.booleans()):
                found.append({"of": [name], "cycles": draw(_few(0, 5))})
    return found


@st.composite
def cores(draw: st.DrawFn) -> Core:
    """Any core: plain, with a divider of its own, with a vector unit that blocks or does not."""
    latency: dict[str, Any] = draw(_LATENCY)
    table = None
    ruled = draw(st.booleans())
    latency["rules"] = draw(rules()) if ruled else []
    latency["bypass"] = draw(bypasses()) if draw(st.booleans()) else []
    if ruled:
        latency["mul-per-bit"], latency["div-by-zero"] = 0, None
        latency["prefetch"] = draw(st.none() | _few(1, 8))
    elif draw(st.booleans()):
        table = draw(st.lists(st.integers(1, 40), min_size=33, max_size=33))
        latency["div"] = latency["div-by-zero"] = None
    simd = draw(st.sampled_from([None, None, 1, 2, 4, 8]))
    return Core(
        latency=latency,
        div_by_divisor_bits=table,
        split=draw(st.booleans()),
        superscalar=simd is not None and draw(st.booleans()),
        simd=simd,
        compressed=draw(st.booleans()),
    )


_RESTARTING = [*_LOADS, "sb", "sh", "sw", *_UNITS, *_SHIFTS, "add", "addi", "lui", "fence", "csrrw"]

_QUEUE = st.fixed_dictionaries({
    "queue": _few(1, 8), "latency": _few(1, 4), "interval": st.sampled_from([1, 1, 2, 3]),
    "redirect": st.sampled_from([0, 0, 1, 2]), "port": st.sampled_from(["separate", "shared"]),
    "takes": st.sampled_from(["words", "instructions"]), "memory_stage": st.booleans(),
    "restarts": st.just([]) | st.lists(st.sampled_from(_RESTARTING), max_size=4, unique=True),
})  # fmt: skip

_PREDICTOR = st.fixed_dictionaries({
    "kind": st.sampled_from(["static", "one-entry", "table"]), "hit": _few(0, 3),
    "miss": st.none() | _few(0, 4), "entries": st.sampled_from([2, 4, 16, 64]),
    "bits": _few(1, 2), "targets": st.booleans(),
})  # fmt: skip

_CACHE = st.fixed_dictionaries({
    "line": st.sampled_from([4, 8, 16, 32]), "sets": st.sampled_from([1, 2, 4, 16]),
    "ways": _few(1, 3), "width": st.just(32), "burst": st.sampled_from([1, 2, 3, 16]),
})  # fmt: skip

_NO_WAITS: dict[str, Any] = {"fetch": 0, "fetch-redirect": 0, "prefetch": None, "taken-fetches": 0,
                             "split-target": 0}  # fmt: skip


@st.composite
def fetching_cores(draw: st.DrawFn) -> Core:
    """Any core whose waits for an instruction depend on more than the last one."""
    core = draw(cores())
    if draw(st.integers(0, 3)) == 0:  # the upper half of a word is kept
        kept = {"split-next": draw(_few(1, 4)), "split-again": draw(_few(0, 3))}
        return replace(core, compressed=True, latency=core.latency | kept)
    queue, predictor = draw(_QUEUE), draw(st.none() | _PREDICTOR)
    if draw(st.integers(0, 2)) == 0:
        core = replace(core, compressed=False, cache=draw(_CACHE))
    elif draw(st.booleans()) or predictor is None:
        if core.compressed and queue["takes"] == "instructions":
            queue["queue"] = max(queue["queue"], 2)
        if queue["port"] == "shared":
            core = replace(core, simd=None, superscalar=False, split=False)
            queue["redirect"] = 0
            for rule in core.latency["rules"]:
                rule["access"] = False
        if predictor is not None and predictor["kind"] != "static":
            predictor |= {"kind": "one-entry", "hit": 0}
        core = replace(core, latency=core.latency | _NO_WAITS, fetch=queue)
    return replace(core, predictor=predictor)


@st.composite
def cores_with_regions(draw: st.DrawFn) -> Core:
    """Any core whose memories are regions: some lie side by side, and accesses reach into both."""
    core = draw(st.one_of(cores(), fetching_cores().filter(lambda each: each.cache is None)))
    if core.fetch is not None:
        core = replace(core, fetch=core.fetch | {"port": "separate", "memory_stage": False})
    waits = st.sampled_from([0, 0, 1, 2, 5, 11])
    speeds = {"waits": waits, "access_words": st.sampled_from([1, 2]), "burst": _few(1, 3)}
    one = draw(st.booleans())
    places = [("text", 0, 0x14_0000 if one else 0x4_0000)]
    places += [("data", DATA, 0x4_0000)] * (not one)
    near, size = (
        draw(st.sampled_from([DATA + 0x4_0000, 0x2000_0000])),
        draw(_few(0x80 if core.simd else 1, 0x400)),
    )
    places += [("near", near, 4 * size), ("next", near + 4 * size, 0x4000)]
    places += [("rom", 0x4000_0000, 0x1000)] * draw(st.booleans())
    regions = (
        OracleRegion(
            name=name, base=base, size_bytes=size, kind="flash" if name == "rom" else "ram",
            **{key: draw(speed) for key, speed in speeds.items()},
        )
        for name, base, size in places
    )  # fmt: skip
    return replace(core, regions=tuple(regions))


@st.composite
def cores_with_caches(draw: st.DrawFn) -> Core:
    """Any core with a data cache, most with one for instructions, some with regions."""
    core = draw(st.one_of(cores(), holding_cores(), cores_with_regions(), fetching_cores()))
    fetch = core.fetch and core.fetch | {"port": "separate", "memory_stage": False}
    core = replace(core, fetch=fetch, simd=None, superscalar=False, dcache=draw(_CACHE))
    if fetch is None and draw(st.booleans()) and "split-next" not in core.latency:
        core = replace(core, compressed=False, cache=draw(_CACHE))
    names = [each.name for each in core.regions]
    if names:
        cached = draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
        core = replace(core, cached=tuple(cached))
    return core


UARTS = st.tuples(st.sampled_from([0x3000_0000, 0x14_0000, 0xFFFF_FF00]), st.sampled_from([1, 4]))


@st.composite
def cores_with_devices(draw: st.DrawFn) -> Core:
    """Any core with a UART, with or without regions."""
    core = draw(st.one_of(cores(), fetching_cores(), cores_with_regions()))
    near = {each.base for each in core.regions}
    uart = draw(UARTS.filter(lambda uart: uart[0] not in near))
    return replace(core, uart=uart, semihosting=draw(st.booleans()))


@st.composite
def cores_with_a_timer(draw: st.DrawFn) -> Core:
    """Any core that takes interrupts of a clint."""
    core = draw(st.one_of(cores(), fetching_cores(), holding_cores(), cores_with_devices(),
                          cores_with_caches()))  # fmt: skip
    fetch = core.fetch and core.fetch | {"port": "separate", "memory_stage": False}
    base, every = st.sampled_from([0x0200_0000, 0x5000_0000]), st.sampled_from([1, 1, 3, 7, 50])
    return replace(
        core, simd=None, superscalar=False, fetch=fetch, clint=(draw(base), draw(every)),
        external=core.uart is not None and draw(st.booleans()),
        interrupts={"entry": draw(_few(1, 9)), "vectored": draw(st.booleans())},
    )  # fmt: skip


def places_of(regions: tuple[OracleRegion, ...]) -> list[tuple[int, bool]]:
    """Where a random program finds 2 KiB of these regions, and whether it may write them."""
    found = [(CODE, False)] * bool(regions)
    for each in regions:
        if each.name in {"near", "rom"}:
            found.append((each.base, each.kind == "ram"))
        if each.name == "next":
            found.append((each.base, True))
    return found


_HOLDING = [*_LOADS, "sb", "sh", "sw", *_UNITS, *_SHIFTS[:3], *_STATIC, "csrrw", "csrrsi", "addi",
            "bne", "blt", "fence.i", "ecall"]  # fmt: skip


@st.composite
def holding_cores(draw: st.DrawFn) -> Core:
    """Any core on which instructions wait for others whose results they do not read."""
    core = draw(st.one_of(cores(), fetching_cores()))
    some = st.lists(st.sampled_from(_HOLDING), min_size=1, max_size=6, unique=True)
    one = st.builds(
        "{}.{}".format, st.sampled_from(_HOLDING), st.sampled_from(["rs1", "rs2", "rd"])
    )
    bypass = []
    for makers in (_LOADS, _UNITS, ["add", "addi", "lui", "slli", "sltu", "auipc", "xor"]):
        left = [name for name in makers if draw(st.booleans())]
        fields = draw(st.lists(st.sampled_from(["rs1", "rs2", "rd"]), max_size=3, unique=True))
        fields += draw(st.lists(one, max_size=6, unique=True))
        if left and fields:
            bypass.append({"of": left, "to": fields, "cycles": draw(_few(0, 6))})
        if left and draw(st.booleans()):
            bypass.append({"of": left, "cycles": draw(_few(0, 4))})
    locks, seen = [], set()
    for _ in range(draw(st.booleans()) * draw(_few(1, 4))):
        of, to = draw(some), draw(some)
        pairs = {(first, second) for first in of for second in to}
        if not pairs & seen:
            locks.append({"of": of, "to": to, "cycles": draw(_few(1, 9))})
            seen |= pairs
    return replace(core, latency=core.latency | {"bypass": bypass, "interlocks": locks})


def machine_file(core: Core) -> str:
    """The machine file of a core."""
    latency = json.dumps(core.latency)
    memory: dict[str, Any] = region_keys(core.regions) if core.regions else {}
    caches = {"icache": core.cache, "dcache": core.dcache}
    kept = {name: keys | {"line": f"{keys['line']} B"} for name, keys in caches.items() if keys}
    if kept:
        memory |= {"caches": kept}
    for number, region in enumerate(core.regions):
        served = (core.cache is not None and number == 0, region.name in core.cached)
        names = {(True, True): "both", (True, False): "icache", (False, True): "dcache"}
        memory["regions"][region.name]["cache"] = names.get(served, "none")
    lines = [
        "extends: rv32im",
        "name: random",
        "title: Random",
        "core:",
        f"  superscalar: {str(core.superscalar).lower()}",
        f"  misaligned: {'split' if core.split else 'trap'}",
        f"  isa: rv32im{'c' * core.compressed}_zicsr",
        f"  latency: {latency}",
        f"  fetch: {json.dumps(core.fetch)}",
        f"  predictor: {json.dumps(core.predictor)}",
    ]
    devices: dict[str, dict[str, Any]] = {}
    if core.uart is not None:
        devices["uart"] = {"kind": "ns16550", "base": core.uart[0], "stride": core.uart[1]}
        devices["uart"] |= {"interrupt": "external"} if core.external else {}
    if core.semihosting:
        devices["host"] = {"kind": "semihosting"}
    if core.clint is not None:
        devices["timer"] = {"kind": "clint", "base": core.clint[0], "every": core.clint[1]}
        lines.append(f"  interrupts: {json.dumps(core.interrupts)}")
    if devices:
        lines = [f"devices: {json.dumps(devices)}", *lines]
    if memory:
        lines = [f"memory: {json.dumps(memory)}", *lines]
    if core.div_by_divisor_bits is not None:
        entries = ", ".join(map(str, core.div_by_divisor_bits))
        lines += ["  divider: table", "  divider_table:", "    by: divisor-bits"]
        lines += [f"    cycles: [{entries}]"]
    return "\n".join(lines) + (_VCU.format(simd=core.simd) if core.simd else "")


def seen_by(run: Run) -> Seen:
    """What the engine shows, as the model shows it."""
    trace: list[Any] = [] if run.trace is None else run.trace.tolist()
    return Seen(
        exit_code=run.exit_code,
        exit_cycle=run.exit_cycle,
        issued=run.harts[0].issued,
        counters=run.counters,
        printed=run.printed,
        console=run.console,
        data=b"".join(run.region_memory.values()) or run.data_memory,
        trace=trace,
    )


def _compare(folder: Path, core: Core, seed: int, quantum: int, cut: float) -> None:
    segments = random_program(
        random.Random(seed), vector=core.simd is not None, compressed=core.compressed,
        loops=bool(core.fetch or core.predictor or core.cache), places=places_of(core.regions),
        uart=core.uart,
        clint=core.clint,
        host=core.semihosting,
        vectored=bool(core.interrupts and core.interrupts["vectored"]),
    )  # fmt: skip
    program = load_elf(write_elf(segments, entry=CODE))
    path = folder / "random.yaml"
    path.write_text(machine_file(core))
    machine = load_architecture(str(path))
    expected = Model(core, segments, CODE).run(_CYCLES)
    # A slow core may do nothing but serve its timer; it is compared up to the limit.
    assert expected.exit_code is not None or core.clint, "the model sees no end"

    traced = simulate(program, machine, max_cycles=_CYCLES, trace=True)
    for number, (wanted, got) in enumerate(
        zip(expected.trace, seen_by(traced).trace, strict=False)
    ):
        assert got == wanted, f"issue {number} (cycle, hart, pc, word)"
    assert seen_by(traced) == expected
    assert sum(traced.counters.values()) == traced.exit_cycle + 1

    # In slices, unobserved, and cut off in the middle of anything.
    last = max(1, int(cut * expected.exit_cycle))
    short = Model(core, segments, CODE).run(last)
    sliced = simulate(program, machine, max_cycles=_CYCLES, quantum_cycles=quantum)
    ended = simulate(program, machine, max_cycles=last, quantum_cycles=quantum)
    # Translated blocks run in long slices alone.
    whole = simulate(program, machine, max_cycles=_CYCLES)
    for run, wanted in ((sliced, expected), (ended, short), (whole, expected)):
        got = seen_by(run)
        assert replace(got, trace=[]) == replace(wanted, trace=[])
        assert int(run.profile.cycles.sum()) == run.exit_cycle + 1


_BUSY: dict[str, Any] = {
    "alu": 2, "mul": 2, "mulh": 3, "div": 6, "load": 2, "store": 2, "branch": 2, "jump": 3,
    "csr": 2, "fence": 2, "system": 2, "vector": 2, "amo": 1, "branch-taken": 2, "load-use": 4,
    "mul-use": 3, "mul-per-bit": 1, "fetch": 1, "fetch-redirect": 2, "fence-i": 4,
    "div-by-zero": 9, "misaligned": None, "instruction-waits": 1, "data-waits": 1,
    "taken-fetches": 1, "prefetch": None, "rules": [], "bypass": [],
}  # fmt: skip


_RULED = _BUSY | {
    "mul-per-bit": 0, "div-by-zero": None, "instruction-waits": 5, "prefetch": 2,
    "rules": [
        {"of": _SHIFTS, "by": "shift-amount", "cycles": 2, "step": 4},
        {"of": _UNITS, "by": "signs", "cycles": [3, 2, 4, 3, 5, 9, 1, 8, 2]},
        {"of": ["jalr", "slt"], "cycles": 4, "hides": False},
        {"of": ["fence"], "cycles": 3, "access": True},
    ],
    "bypass": [
        {"of": _LOADS, "to": ["sw.rs2", "sb.rs2"], "cycles": 0},
        {"of": ["add", "addi", "slli", "div"], "cycles": 2},
        {"of": ["addi"], "to": ["beq.rs1", "add.rs2", "addi.rs1"], "cycles": 5},
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("latency", "superscalar", "most"),
    light_and_heavy(
        "oracle",
        2,
        [
            (_BUSY, True, 120),
            (_RULED, True, 120),
            (_BUSY, False, 250),
            (_BUSY, True, 250),
            (_RULED, True, 250),
        ],
    ),
)
def test_cut_off_after_every_cycle(
    tmp_path: Path, latency: dict[str, Any], most: int, *, superscalar: bool
) -> None:
    """The cost grows with the square of ``most``."""
    core = Core(latency=latency, superscalar=superscalar, simd=2)
    segments = random_program(random.Random(7), vector=True)
    program = load_elf(write_elf(segments, entry=CODE))
    path = tmp_path / "random.yaml"
    path.write_text(machine_file(core))
    machine = load_architecture(str(path))
    full = simulate(program, machine).exit_cycle + 1
    for cycles in range(1, min(full, most)):
        wanted = Model(core, segments, CODE).run(cycles)
        got = seen_by(simulate(program, machine, max_cycles=cycles))
        assert (got.counters, got.issued) == (wanted.counters, wanted.issued), cycles


@settings(max_examples=80, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(cores(), st.integers(0, 2**32), st.integers(1, 60), st.floats(0.0, 1.0))
def test_random_core(
    tmp_path_factory: pytest.TempPathFactory, core: Core, seed: int, quantum: int, cut: float
) -> None:
    _compare(tmp_path_factory.getbasetemp(), core, seed, quantum, cut)


@settings(max_examples=40, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(cores_with_regions(), st.integers(0, 2**32), st.integers(1, 60), st.floats(0.0, 1.0))
def test_random_core_with_regions(
    tmp_path_factory: pytest.TempPathFactory, core: Core, seed: int, quantum: int, cut: float
) -> None:
    _compare(tmp_path_factory.getbasetemp(), core, seed, quantum, cut)


@settings(max_examples=30, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(cores_with_devices(), st.integers(0, 2**32), st.integers(1, 60), st.floats(0.0, 1.0))
def test_random_core_with_devices(
    tmp_path_factory: pytest.TempPathFactory, core: Core, seed: int, quantum: int, cut: float
) -> None:
    _compare(tmp_path_factory.getbasetemp(), core, seed, quantum, cut)


# An interrupt replaces a load that would miss: neither the line nor the wait is booked.
_LOAD_REPLACED = Core(
    latency=dict.fromkeys(_BUSY, 1)
    | {"branch-taken": 0, "load-use": 0, "mul-use": 0, "mul-per-bit": 0, "fetch": 0,
       "fetch-redirect": 0, "fence-i": None, "div-by-zero": None, "misaligned": None,
       "instruction-waits": 0, "data-waits": 0, "taken-fetches": 0, "prefetch": None,
       "split-target": 0, "rules": [], "bypass": []},
    split=False,
    dcache={"line": 8, "sets": 1, "ways": 1, "width": 32, "burst": 1},
    cached=("text",),
    regions=tuple(
        OracleRegion(name=name, base=base, size_bytes=size)
        for name, base, size in (("text", 0, 1 << 18), ("data", 1 << 20, 1 << 18),
                                 ("near", 0x14_0000, 4), ("next", 0x14_0004, 1 << 14))
    ),
    clint=(0x0200_0000, 1),
    interrupts={"entry": 1, "vectored": False},
)  # fmt: skip


@settings(max_examples=40, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(cores_with_a_timer(), st.integers(0, 2**32), st.integers(1, 60), st.floats(0.0, 1.0))
@example(core=_LOAD_REPLACED, seed=1, quantum=1, cut=0.0)
def test_random_core_with_a_timer(
    tmp_path_factory: pytest.TempPathFactory, core: Core, seed: int, quantum: int, cut: float
) -> None:
    _compare(tmp_path_factory.getbasetemp(), core, seed, quantum, cut)


@settings(max_examples=40, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(cores_with_caches(), st.integers(0, 2**32), st.integers(1, 60), st.floats(0.0, 1.0))
def test_random_core_with_caches(
    tmp_path_factory: pytest.TempPathFactory, core: Core, seed: int, quantum: int, cut: float
) -> None:
    _compare(tmp_path_factory.getbasetemp(), core, seed, quantum, cut)


@pytest.mark.heavy("oracle")
@settings(max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck))
@given(cores_with_caches(), st.integers(0, 2**32), st.integers(1, 60), st.floats(0.0, 1.0))
def test_many_random_cores_with_caches(
    tmp_path_factory: pytest.TempPathFactory, core: Core, seed: int, quantum: int, cut: float
) -> None:
    _compare(tmp_path_factory.getbasetemp(), core, seed, quantum, cut)


@pytest.mark.heavy("oracle")
@settings(max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck))
@given(cores_with_a_timer(), st.integers(0, 2**32), st.integers(1, 60), st.floats(0.0, 1.0))
def test_many_random_cores_with_a_timer(
    tmp_path_factory: pytest.TempPathFactory, core: Core, seed: int, quantum: int, cut: float
) -> None:
    _compare(tmp_path_factory.getbasetemp(), core, seed, quantum, cut)


@pytest.mark.heavy("oracle")
@settings(max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck))
@given(cores_with_devices(), st.integers(0, 2**32), st.integers(1, 60), st.floats(0.0, 1.0))
def test_many_random_cores_with_devices(
    tmp_path_factory: pytest.TempPathFactory, core: Core, seed: int, quantum: int, cut: float
) -> None:
    _compare(tmp_path_factory.getbasetemp(), core, seed, quantum, cut)


@pytest.mark.heavy("oracle")
@settings(max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck))
@given(cores_with_regions(), st.integers(0, 2**32), st.integers(1, 60), st.floats(0.0, 1.0))
def test_many_random_cores_with_regions(
    tmp_path_factory: pytest.TempPathFactory, core: Core, seed: int, quantum: int, cut: float
) -> None:
    _compare(tmp_path_factory.getbasetemp(), core, seed, quantum, cut)


@pytest.mark.heavy("oracle")
@settings(max_examples=3000, deadline=None, suppress_health_check=list(HealthCheck))
@given(cores(), st.integers(0, 2**32), st.integers(1, 60), st.floats(0.0, 1.0))
def test_many_random_cores(
    tmp_path_factory: pytest.TempPathFactory, core: Core, seed: int, quantum: int, cut: float
) -> None:
    _compare(tmp_path_factory.getbasetemp(), core, seed, quantum, cut)


# An add to x0 is as long as a nop and hides no wait states, which a nop does.
_ADD_HIDES_NOTHING = Core(
    latency=_RULED
    | {"prefetch": 1, "bypass": [], "rules": [{"of": ["add"], "cycles": 2, "hides": False}]},
    split=False,
    cache={"line": 4, "sets": 1, "ways": 1, "width": 32, "burst": 1},
)  # fmt: skip


@settings(max_examples=40, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(fetching_cores(), st.integers(0, 2**32), st.integers(1, 60), st.floats(0.0, 1.0))
@example(core=_ADD_HIDES_NOTHING, seed=0, quantum=1, cut=0.0)
def test_random_fetch(
    tmp_path_factory: pytest.TempPathFactory, core: Core, seed: int, quantum: int, cut: float
) -> None:
    _compare(tmp_path_factory.getbasetemp(), core, seed, quantum, cut)


@pytest.mark.heavy("oracle")
@settings(max_examples=3000, deadline=None, suppress_health_check=list(HealthCheck))
@given(fetching_cores(), st.integers(0, 2**32), st.integers(1, 60), st.floats(0.0, 1.0))
def test_many_random_fetches(
    tmp_path_factory: pytest.TempPathFactory, core: Core, seed: int, quantum: int, cut: float
) -> None:
    _compare(tmp_path_factory.getbasetemp(), core, seed, quantum, cut)


@settings(max_examples=40, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(holding_cores(), st.integers(0, 2**32), st.integers(1, 60), st.floats(0.0, 1.0))
def test_random_interlocks(
    tmp_path_factory: pytest.TempPathFactory, core: Core, seed: int, quantum: int, cut: float
) -> None:
    _compare(tmp_path_factory.getbasetemp(), core, seed, quantum, cut)


@pytest.mark.heavy("oracle")
@settings(max_examples=3000, deadline=None, suppress_health_check=list(HealthCheck))
@given(holding_cores(), st.integers(0, 2**32), st.integers(1, 60), st.floats(0.0, 1.0))
def test_many_random_interlocks(
    tmp_path_factory: pytest.TempPathFactory, core: Core, seed: int, quantum: int, cut: float
) -> None:
    _compare(tmp_path_factory.getbasetemp(), core, seed, quantum, cut)
