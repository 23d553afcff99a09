"""Tables of programs, the order of results, and what a record says."""

from __future__ import annotations

import csv
import lzma
import threading
from pathlib import Path
from typing import Any

import pytest

from gnomon.base.errors import GnomonError
from gnomon.klessydra import _ghdl
from gnomon.klessydra._ghdl import CoreBuild, Ghdl
from gnomon.klessydra._record import Elaborated
from gnomon.klessydra._wiring import Entity
from gnomon.rtl.lockstep import Regression, Result, Settings
from gnomon.rtl.lockstep._compare import Compared, Divergence
from gnomon.rtl.lockstep._user_program import UserProgram
from gnomon.rtl.setting import Setting
from gnomon.rtl.validate import Record

_COLUMNS = (
    "elf,simd,spm_num,addr_width,replicate_accl_en,multithreaded_accl_en,superscalar_exec_en,"
    "thread_pool_size\n"
)


def test_a_table_of_programs_is_read(tmp_path: Path) -> None:
    table = tmp_path / "expected.csv"
    table.write_text(_COLUMNS + "a.elf,4,4,12,1,0,1,3\nb.elf,1,4,10,1,1,0,3\n")

    first, second = UserProgram.read(table)

    assert first.path == tmp_path / "a.elf"
    assert first.setting == Setting(simd=4, sharing="replicated")
    assert second.setting == Setting(
        simd=1, sharing="multithreaded", superscalar=False, scratchpad_bytes=1024
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("elf\na.elf\n", "expected.csv:1: has no column 'replicate_accl_en'"),
        (_COLUMNS + "a.elf,x,4,12,0,0,1,3\n", "expected.csv:2: simd: must be a whole number"),
        (_COLUMNS, "has no rows"),
    ],
)
def test_a_wrong_table_is_named_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    table = tmp_path / "expected.csv"
    table.write_text(text)
    with pytest.raises(GnomonError, match=told):
        UserProgram.read(table)


def _result(seed: int, *, same: bool = True) -> Result:
    divergence = None if same else Divergence("bus", 7, "bus 3: differs", ("ours",), ("theirs",))
    compared = Compared(10, 4, 131_072 if same else 0, divergence)
    return Result(f"seed {seed}", seed, Settings().setting_of(seed), 2, 99, compared)


class _Core(Elaborated):
    """Of a checkout at a commit."""

    def __init__(self, folder: Path) -> None:
        ghdl = Ghdl(Path("/usr/bin/ghdl"), "2.0.0", "llvm")
        source = folder / "core.vhd"
        source.touch()
        entity = Entity("core", source, 1, {}, ())
        self.build = CoreBuild(ghdl, folder / "core.f", folder, (), entity, (source,))

    @property
    def beside(self) -> str:
        return "cocotb 2.1.0"


@pytest.fixture(autouse=True)
def _commit(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"rev-parse": "c2c62163\n", "status": ""}
    monkeypatch.setattr(_ghdl, "git", lambda _folder, what, *_: said[what])


def _record(folder: Path, results: tuple[Result, ...]) -> tuple[str, list[dict[str, str]]]:
    page, table = _Core(folder).write_record(
        folder / "rtl.md", results, "gnomon rtl klessydra ...", "t13-simd1"
    )
    with lzma.open(table, "rt", newline="") as file:
        return page.read_text(), list(csv.DictReader(file))


def test_a_record_says_what_ran_and_repeats_to_the_byte(tmp_path: Path) -> None:
    results = tuple(_result(seed) for seed in range(100, 148))

    page, rows = _record(tmp_path, results)

    assert "| random, seeds 100 to 147 | 48 | 4,800 | 480 | 192 | 6,291,456 | 0 |" in page
    assert "gnomon rtl klessydra ..." in page
    assert "GHDL 2.0.0 (llvm), cocotb 2.1.0" in page
    assert "commit c2c62163" in page
    assert "Differences" not in page
    assert len(rows) == 48
    assert {row["difference"] for row in rows} == {""}
    assert _record(tmp_path, results) == (page, rows)


def test_a_record_lists_what_differs(tmp_path: Path) -> None:
    page, rows = _record(tmp_path, (_result(1), _result(2, same=False)))

    assert "## Differences" in page
    assert "seed 2" in page
    assert [row["difference"] for row in rows] == ["", "bus 3: differs"]


def test_rows_of_the_accuracy_table_count_by_kind() -> None:
    results = (_result(1), _result(2, same=False))
    rows = Record.from_lockstep(results, "core", "gnomon rtl klessydra ...", "GHDL 2.0.0 (llvm)")

    assert [(row.compared, row.mismatches) for row in rows] == [
        (2, 1), (20, 0), (8, 1), (131_072, 0), (0, 0),
    ]  # fmt: skip
    assert {row.seed for row in rows} == {"1 to 2"}
    assert all(row.truth == "rtl" for row in rows)
    assert rows[2].worst == "cycle 7: bus 3: differs"


class _Fake:
    """A regression whose later programs end sooner."""

    def __init__(self, wrong: set[int]) -> None:
        self.settings = Settings()
        self.wrong = wrong
        self.ran: list[int] = []
        self.gate = threading.Event()

    def seed(self, seed: int, setting: Setting) -> Result:
        assert setting == Settings().setting_of(seed)
        if seed == 0:
            self.gate.wait(5)
        else:
            self.gate.set()
        self.ran.append(seed)
        return _result(seed, same=seed not in self.wrong)

    def given(self, given: Any) -> Result:
        return _result(given)


def _all(regression: Any, count: int, **options: Any) -> list[int | None]:
    results = Regression.run_all(regression, (), range(count), **options)
    return [each.seed for each in results]


def test_results_keep_their_order_in_any_order_of_ends(tmp_path: Path) -> None:
    told: list[str] = []
    assert _all(_Fake(set()), 7, jobs=3, progress=lambda each: told.append(each.name)) == list(
        range(7)
    )
    assert told == [f"seed {seed}" for seed in range(7)]


def test_the_first_difference_ends_the_run(tmp_path: Path) -> None:
    fake = _Fake({3})
    fake.gate.set()
    assert _all(fake, 50) == [0, 1, 2, 3]
    assert fake.ran == [0, 1, 2, 3]
    assert _all(_open(_Fake({3})), 6, keep_going=True) == list(range(6))


def _open(fake: _Fake) -> _Fake:
    fake.gate.set()
    return fake


def test_settings_and_results_are_plain_data() -> None:
    told = _result(2, same=False).to_json()
    assert told["setting"]["simd"] == Settings().setting_of(2).simd
    assert told["difference"]["rtl"] == ["theirs"]
    assert told["issues"] == 10
