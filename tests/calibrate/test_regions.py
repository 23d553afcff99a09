"""Cores whose bus waits by address, and their machines with regions: nothing may differ."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import pytest

from gnomon.arch import load_architecture, variants
from gnomon.base.errors import GnomonError
from gnomon.calibrate._compare import CoreComparison
from gnomon.calibrate._core import CoreFile
from gnomon.calibrate._device import MOST_PLACES, MachineDevice, Place, RtlDevice, Waits
from gnomon.calibrate._regions import random_map, region_machine
from gnomon.calibrate.calibration import Calibration
from gnomon.rtl.bare_metal import DATA_BASE
from tests.calibrate.test_tiny_core import _CORE, _FILE, _TOPS
from tests.conftest import need_checkout
from tests.rtl.conftest import need_icarus

_PICORV32 = """schema: 1
name: picorv32
source: a checkout of PicoRV32
sources: [{checkout}/picorv32.v]
top: picorv32
parameters: {{ENABLE_MUL: 1, ENABLE_DIV: 1}}
defines: [RISCV_FORMAL]
clock: clk
reset: {{signal: resetn, active: low}}
bus: pico
inputs: {{pcpi_wr: 0, pcpi_rd: 0, pcpi_wait: 0, pcpi_ready: 0, irq: 0}}
isa: rv32im
reset-pc: 0
retire: {{rd: rvfi_rd_addr, value: rvfi_rd_wdata}}
"""
_MAPS, _PROGRAMS_EACH = range(12), 100


def test_maps_cover_the_memory_of_the_bench_once(tmp_path: Path) -> None:
    waits = set[int]()
    for seed in range(40):
        places = random_map(seed)
        assert 2 <= len(places) <= MOST_PLACES
        assert places == random_map(seed)
        covered = sorted((each.base, each.base + each.size_bytes) for each in places)
        assert covered[0] == (0, 1 << 18)
        assert (covered[1][0], covered[-1][1]) == (DATA_BASE, DATA_BASE + (1 << 18))
        assert all(one[1] == other[0] for one, other in pairwise(covered[1:]))
        path = tmp_path / "mapped.yaml"
        path.write_text(region_machine("picorv32", places))
        machine = load_architecture(path)
        assert machine.instruction_waits == places[0].waits
        assert machine.data_waits == places[1].waits
        waits |= {each.waits for each in places}
    assert len(waits) > 5


def test_an_adapter_that_does_not_ask_is_refused(tmp_path: Path) -> None:
    own = tmp_path / "own.v"
    text = (Path("gnomon/calibrate/adapters") / "pico.v").read_text()
    own.write_text(text.replace(" + waits_at(mem_addr)", ""))
    (tmp_path / "core.yaml").write_text(
        _FILE.format(core=_CORE, top="pico", bus="own.v", more="waits: none\n")
    )
    device = RtlDevice(CoreFile.read(tmp_path / "core.yaml"), tmp_path)
    with pytest.raises(GnomonError, match=r"no wait states by address: let it wait for waits_at"):
        device._write_places((Place(0, 4, 1),))


@pytest.mark.heavy("calibrate")
@pytest.mark.parametrize("bus", _TOPS)
def test_each_bus_waits_by_address(tmp_path: Path, bus: str) -> None:
    need_icarus()
    core, machine = tmp_path / "core.yaml", tmp_path / "tiny.yaml"
    core.write_text(_FILE.format(core=_CORE, top=_TOPS[bus], bus=bus, more=""))
    machine.write_text(Calibration.from_core(core, tmp_path / "build").text())
    found = Calibration.compare_regions(core, tmp_path / "build", machine, range(6), 2)
    assert found.difference is None, str(found.difference)
    assert found.programs == 12


@pytest.mark.heavy("calibrate")
def test_wrong_wait_states_of_one_region_are_seen(tmp_path: Path) -> None:
    """The core waits a cycle less in one region, of random ones, than its machine."""
    need_icarus()
    core, machine = tmp_path / "core.yaml", tmp_path / "tiny.yaml"
    core.write_text(_FILE.format(core=_CORE, top="pico", bus="pico", more=""))
    made = Calibration.from_core(core, tmp_path / "build")
    machine.write_text(made.text())
    device, rng = made.device, random.Random(3)
    assert isinstance(device, RtlDevice)
    for seed in range(6):
        places = [*random_map(seed)]
        number = rng.randrange(2)
        places[number] = places[number]._replace(waits=places[number].waits + 1)
        mapped = tmp_path / "mapped.yaml"
        mapped.write_text(region_machine(machine, random_map(seed)))
        ours = MachineDevice(variants(mapped), device.isa, device.start)
        compared = CoreComparison(device, ours, made.inferred.skews)
        found = compared.random(range(2), [Waits(0, 0, tuple(places))], 400)
        assert found.difference is not None, seed


@pytest.mark.heavy("rtl")
def test_random_maps_on_picorv32(tmp_path: Path) -> None:
    core = tmp_path / "core.yaml"
    core.write_text(_PICORV32.format(checkout=need_checkout("picorv32").resolve()))
    found = Calibration.compare_regions(
        core, tmp_path / "build", "picorv32", _MAPS, _PROGRAMS_EACH, "verilator"
    )
    assert found.difference is None, str(found.difference)
    assert found.programs == len(_MAPS) * _PROGRAMS_EACH
    assert found.instructions >= 1_500_000
    assert found.values
