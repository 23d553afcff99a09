"""The bench around a core, on a core of our own that only fetches, writes and reads once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.klessydra import GhdlCore
from gnomon.klessydra._observe import JOB_VARIABLE
from gnomon.klessydra._wiring import bench_text, read_entity
from gnomon.program import load_elf
from gnomon.rtl.bare_metal import write_elf
from gnomon.rtl.observed import Job
from gnomon.rtl.setting import Setting
from gnomon.rtl.tools import tool as outside
from tests.rtl.conftest import need

if TYPE_CHECKING:
    from gnomon.rtl.observed import RtlRun

_STUB = Path(__file__).parent / "stub_core.vhd"
_MACHINE = load_architecture("t13-simd1")
_WORD = 0x1234_5678
_ISSUE = [2, 2, 0x80, _WORD]


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> GhdlCore:
    need(outside("ghdl"))
    return _built(_STUB, "STUB_CORE", tmp_path_factory.mktemp("stub"))


def _built(source: Path, top: str, folder: Path) -> GhdlCore:
    listing = folder / "core.f"
    listing.write_text(str(source))
    return GhdlCore.from_sources(None, listing, top, folder / "build", machine=_MACHINE)


def _watch(core: GhdlCore, folder: Path, expected: list[int], **options: Any) -> RtlRun:
    program = load_elf(_program(), name="stub")
    setting, last_cycle = options.get("setting", Setting()), options.get("last_cycle", 50)
    with core.build.ghdl.first_on_path(folder / "path"):
        return core.observe(Job(program, _MACHINE, setting, folder / "run", [expected], last_cycle))


def _program() -> bytes:
    return write_elf(
        [(0x80, _WORD.to_bytes(4, "little")), (0x0010_0010, bytes([0x11, 0x22, 0x33, 0x44]))]
    )


def test_everything_seen_comes_back(core: GhdlCore, tmp_path: Path) -> None:
    seen = _watch(core, tmp_path, _ISSUE)

    assert seen.ended == "exit"
    assert [list(row) for row in seen.issues] == [_ISSUE]
    assert seen.bus == (
        (3, "6", "00100010", "AABBCCDD"),
        (4, "0", "00100010", "00000000"),
        (6, "F", "1A10FFF0", "44BBCC11"),
    )
    assert seen.memory == {0x80: "12345678", 0x0010_0010: "44BBCC11"}


def test_it_stops_at_the_first_issue_that_is_not_expected(core: GhdlCore, tmp_path: Path) -> None:
    seen = _watch(core, tmp_path, [2, 2, 0x84, _WORD])

    assert seen.ended == "difference"
    assert seen.cycle == 2
    assert seen.memory == {}


def test_a_core_that_does_not_end_is_given_up(core: GhdlCore, tmp_path: Path) -> None:
    seen = _watch(core, tmp_path, _ISSUE, last_cycle=5)

    assert seen.ended == "cycle limit"


def test_generics_choose_the_setting_without_a_new_build(core: GhdlCore, tmp_path: Path) -> None:
    seen = _watch(core, tmp_path, [2, 0, 0x80, _WORD], setting=Setting(harts=1))

    assert seen.ended == "exit"  # THREAD_POOL_SIZE - 1 is the hart of the stub


def test_a_source_that_does_not_compile_is_named(tmp_path: Path) -> None:
    need(outside("ghdl"))
    broken = tmp_path / "core.vhd"
    broken.write_text(_STUB.read_text().replace("<= step + 1;", "<= stop + 1;"))

    with pytest.raises(GnomonError, match=rf"{broken}:\d+:\d+: .*stop"):
        _built(broken, "stub_core", tmp_path)


def test_the_wiring_needs_the_ports_and_generics_of_the_family(tmp_path: Path) -> None:
    port, generic = " data_err_i     : in  std_logic;", "    SIMD                  : natural := 1;"
    for gone, told in ((port, "port data_err_i"), (generic, "generic SIMD")):
        core = tmp_path / "core.vhd"
        core.write_text(_STUB.read_text().replace(gone, ""))
        with pytest.raises(GnomonError, match=rf"{core}:8: entity stub_core has no {told}"):
            bench_text(read_entity([core], "stub_core"), _MACHINE)


def test_an_unknown_entity_is_named_with_the_nearest() -> None:
    with pytest.raises(GnomonError, match="did you mean 'stub_core'"):
        read_entity([_STUB], "stub_cor")


def test_both_sides_know_the_job_by_the_same_name() -> None:
    controller = Path("rtl_tests/klessydra/controller.py")
    text = (Path(__file__).parents[3] / controller).read_text()
    assert f'JOB_VARIABLE = "{JOB_VARIABLE}"' in text
