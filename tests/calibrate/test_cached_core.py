"""Caches between PicoRV32 and its memory, ours in SystemVerilog: gnomon's cores take as long."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from gnomon.arch import load_architecture, variants
from gnomon.base.content import content
from gnomon.calibrate._compare import CoreComparison
from gnomon.calibrate._core import CoreFile
from gnomon.calibrate._device import MachineDevice, Place, RtlDevice, Waits
from gnomon.calibrate._measure import Skews
from gnomon.calibrate._regions import random_map, region_machine
from gnomon.calibrate.calibration import _find_skews
from tests.calibrate.test_regions import _PICORV32
from tests.conftest import need_checkout
from tests.rtl.conftest import need_icarus

CACHE = content("rtl_tests", "hdl", "cache.sv")
_SHAPES = ((4, 1, 1), (16, 4, 1), (16, 2, 2), (32, 1, 3), (64, 2, 4), (128, 1, 8))
"""Bytes of a line, sets, ways. The last two hold so much of the 2 KiB of data that random programs
access that lines are used again, and replaced."""
_CHOSEN = 0xC0DE_0000  # a place of no memory: its wait states number the caches of a run
_CACHED = 0x100  # in the wait states of a place: loads use the data cache

_ADAPTER = f"""\
// ports: mem_valid mem_instr mem_ready mem_addr mem_wdata mem_wstrb mem_rdata
 wire mem_valid, mem_instr; wire [31:0] mem_addr, mem_wdata; wire [3:0] mem_wstrb;
 reg [31:0] chosen = 0; // burst, instruction cache, data cache: a byte each, 0: none
 always @(posedge clock) chosen <= waits_at(32'h{_CHOSEN:x});
 wire [31:0] here = waits_at(mem_addr);
 wire [31:0] waits = (here & 255) + (mem_instr ? instruction_waits : data_waits);
 wire [7:0] mine = mem_instr ? chosen[15:8] : here[8] ? chosen[7:0] : 8'd0;
 wire stores = mem_wstrb != 0, cached = mem_valid && !stores && mine != 0;
 wire done, fetch; wire [31:0] data, fetched;
 integer count = 0, beat = 0;
 wire asks = cached ? fetch : mem_valid, arrived = asks && count >= (beat == 0 ? waits : 0);
 wire mem_ready = cached ? done : arrived;
 wire [31:0] mem_rdata = cached ? data : memory[place(mem_addr)];
 caches all (
  .clk(clock), .rst_n(~held), .code(mem_instr), .shape(mine), .request(cached), .address(mem_addr),
  .done(done), .data(data), .write(mem_ready && stores), .strobes(mem_wstrb), .value(mem_wdata),
  .fetch(fetch), .fetched(fetched), .arrived(arrived), .word(memory[place(fetched)]));
 always @(posedge clock) begin
  count <= asks && !arrived ? count + 1 : 0;
  beat <= mem_ready || !cached ? 0 : !arrived ? beat : beat + 1 == chosen[23:16] ? 0 : beat + 1;
  if (mem_ready && stores) store(mem_addr, mem_wdata, mem_wstrb);
 end
"""
_CACHES = """\
// The caches of all shapes, of instructions and of data; each sees every write.
module caches (
  input wire clk, rst_n, code, input wire [7:0] shape, input wire request,
  input wire [31:0] address, output wire done, output wire [31:0] data, input wire write,
  input wire [3:0] strobes, input wire [31:0] value, output wire fetch,
  output wire [31:0] fetched, input wire arrived, input wire [31:0] word);
  wire [31:0] number = shape + (code ? {shapes} : 0);
  wire [{count}:0] each_done, each_fetch;
  wire [32*{count}+31:0] each_data, each_fetched;
  assign each_done[0] = 0, each_fetch[0] = 0, each_data[31:0] = 0, each_fetched[31:0] = 0;
  assign done = |each_done, fetch = |each_fetch;
  assign data = each_data[32 * number +: 32], fetched = each_fetched[32 * number +: 32];
{instances}endmodule
"""
_INSTANCE = """\
  cache #(.LINE_BYTES({line}), .SETS({sets}), .WAYS({ways})) cache_{number} (
    .clk(clk), .rst_n(rst_n), .flush(1'b0), .request(request && number == {number}),
    .address(address), .done(each_done[{number}]), .data(each_data[32 * {number} +: 32]),
    .write(write), .strobes(strobes), .value(value), .fetch(each_fetch[{number}]),
    .fetched(each_fetched[32 * {number} +: 32]), .arrived(arrived), .word(word));
"""


def all_caches() -> str:
    """The module of the caches."""
    instances = [
        _INSTANCE.format(line=line, sets=sets, ways=ways, number=first + shape)
        for first in (0, len(_SHAPES))
        for shape, (line, sets, ways) in enumerate(_SHAPES, 1)
    ]
    count = 2 * len(_SHAPES)
    return _CACHES.format(shapes=len(_SHAPES), count=count, instances="".join(instances))


def cached_core(folder: Path, cache: Path | None = None) -> Path:
    """The file of PicoRV32 with this bus, and another file of the cache if there is one."""
    core = folder / "core.yaml"
    text = _PICORV32.format(checkout=need_checkout("picorv32").resolve())
    (folder / "cached.v").write_text(_ADAPTER)
    (folder / "caches.v").write_text(all_caches())
    sources = f"sources: [{cache or CACHE}, caches.v, "
    core.write_text(text.replace("bus: pico", "bus: cached.v").replace("sources: [", sources))
    return core


def random_caches(seed: int) -> tuple[tuple[Place, ...], str]:
    """Places of the bench, and the file of the machine with these regions and caches."""
    rng = random.Random(f"caches {seed}")
    places = random_map(seed)
    code, data = rng.randint(0, len(_SHAPES)), rng.randint(0, len(_SHAPES))
    burst = rng.choice([1, 1, 2, 4, 16])
    loads = [rng.random() < 0.7 for _ in places]
    if not data or not any(loads):
        data, loads = 0, [False for _ in places]
    lines = region_machine("picorv32", places).splitlines()
    number = next(k for k, line in enumerate(lines) if line.startswith("memory: "))
    memory: dict[str, Any] = json.loads(lines[number].removeprefix("memory: "))
    names = {(True, True): "both", (True, False): "icache", (False, True): "dcache"}
    for k, region in enumerate(memory["regions"].values()):
        region["cache"] = names.get((k == 0 and code > 0, loads[k]), "none")
    shapes = {"icache": code, "dcache": data}
    memory["caches"] = {
        name: dict(zip(("line", "sets", "ways"), _SHAPES[shape - 1], strict=True))
        | {"burst": burst}
        for name, shape in shapes.items()
        if shape
    }
    for keys in memory["caches"].values():
        keys["line"] = f"{keys['line']} B"
    lines[number] = f"memory: {json.dumps(memory)}"
    seen = [
        each._replace(waits=each.waits + _CACHED * served)
        for each, served in zip(places, loads, strict=True)
    ]
    return (*seen, Place(_CHOSEN, 4, burst << 16 | code << 8 | data)), "\n".join(lines) + "\n"


def comparison_of(device: RtlDevice, folder: Path, text: str, skews: Skews) -> CoreComparison:
    """Return the comparison of the core with the machine of a file."""
    mapped = folder / "mapped.yaml"
    mapped.write_text(text)
    return CoreComparison(device, MachineDevice(variants(mapped), device.isa, device.start), skews)


def compare(
    device: RtlDevice, folder: Path, seeds: range, programs: int, size: int = 1000
) -> tuple[int, int, str]:
    """Programs and instructions that agree, and the first difference."""
    skews = _find_skews(device, load_architecture("picorv32"))
    done = instructions = 0
    for seed in seeds:
        places, text = random_caches(seed)
        found = comparison_of(device, folder, text, skews).random(
            range(programs * seed, programs * (seed + 1)), [Waits(0, 0, places)], size
        )
        done, instructions = done + found.programs, instructions + found.instructions
        if found.difference is not None:
            return done, instructions, f"{text}\n{found.difference}"
    return done, instructions, ""


def test_maps_of_the_bench_are_machines(tmp_path: Path) -> None:
    kinds = set()
    for seed in range(40):
        places, text = random_caches(seed)
        (tmp_path / "it.yaml").write_text(text)
        caches = load_architecture(tmp_path / "it.yaml").memory.caches
        shapes = (caches.icache, caches.dcache)
        numbers = (places[-1].waits >> 8 & 255, places[-1].waits & 255)
        for cache, number in zip(shapes, numbers, strict=True):
            assert (cache is None) == (number == 0)
            if cache is not None:
                assert (cache.line, cache.sets, cache.ways) == _SHAPES[number - 1]
        kinds.add(tuple(bool(number) for number in numbers))
    assert len(kinds) == 4


@pytest.mark.heavy("rtl")
def test_random_caches_on_picorv32(tmp_path: Path) -> None:
    device = RtlDevice(CoreFile.read(cached_core(tmp_path)), tmp_path / "build", "verilator")
    device.build()
    programs, instructions, difference = compare(device, tmp_path, range(60), 20)
    assert not difference, difference
    assert programs == 60 * 20
    assert instructions >= 1_000_000


_MUTANTS = {
    "a hit does not count as a use": ("if (done)", "if (done && !hit)"),
    "the line used last is replaced": ("== AGE'(WAYS - 1)) oldest", "== AGE'(0)) oldest"),
    "a write counts as a use": ("if (done)", "if (done || (write && hit))"),
    "a write does not change the line": ("if (write && hit)", "if (write && !hit)"),
    "the set is that of the next bits":
        ("(32'(line) & (SETS - 1))", "((32'(line) >> 1) & (SETS - 1))"),
    "all ages are 0 at reset": ("<= AGE'(n % WAYS);", "<= '0;"),
    "a miss fills another line": ("valid[oldest] <= 1'b1;", "valid[first] <= 1'b1;"),
    "a line of the set is present whatever its tag":
        ("[(first+w)*TAG+:TAG] == line", "[0] >= 1'b0"),
}  # fmt: skip
_RULES = {
    "one way more": ('"sets": 2, "ways": 2', '"sets": 2, "ways": 3'),
    "one access of a burst more": ('"burst": 2', '"burst": 3'),
    "twice the line": ('"line": "16 B"', '"line": "32 B"'),
    "loads of the data use no cache": ('"cache": "dcache"', '"cache": "none"'),
}


def first_seen(device: RtlDevice, folder: Path, skews: Skews, seed: int, text: str) -> bool:
    """Whether one of some random programs differs; without making it smaller."""
    places, _ = random_caches(seed)
    compared = comparison_of(device, folder, text, skews)
    programs = (tuple(compared._random_items(k, 200, from_code=True)) for k in range(4))
    return any(compared._differs(each, Waits(0, 0, places))[0] for each in programs)


@pytest.mark.heavy("rtl")
def test_seeded_bugs_of_the_cache_and_of_its_rules_are_seen(tmp_path: Path) -> None:
    need_icarus()
    device = RtlDevice(CoreFile.read(cached_core(tmp_path)), tmp_path / "build")
    device.build()
    skews = _find_skews(device, load_architecture("picorv32"))
    texts = {seed: random_caches(seed)[1] for seed in range(40)}
    for what, (right, wrong) in _RULES.items():
        # At least one region must name each cache.
        usable = [seed for seed, text in texts.items()
                  if right in text and ("none" not in wrong or text.count(right) > 1)]  # fmt: skip
        seen = any(
            first_seen(device, tmp_path, skews, seed, texts[seed].replace(right, wrong, 1))
            for seed in usable[:6]
        )
        assert seen, what
    for number, (what, (right, wrong)) in enumerate(_MUTANTS.items()):
        text = CACHE.read_text()
        assert text.count(right) == 1, what
        folder = tmp_path / f"mutant{number}"
        folder.mkdir()
        (folder / "cache.sv").write_text(text.replace(right, wrong))
        mutant = RtlDevice(
            CoreFile.read(cached_core(folder, folder / "cache.sv")), folder / "build"
        )
        mutant.build()
        # The data cache has several ways, and lines that are used again.
        usable = [seed for seed, text in texts.items()
                  if (random_caches(seed)[0][-1].waits & 255) >= 5]  # fmt: skip
        assert any(first_seen(mutant, folder, skews, seed, texts[seed]) for seed in usable), what
