"""What a start takes from where it is kept is what reading and checking the files gives."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from gnomon.arch import list_architectures, load_architecture
from gnomon.base.prepared import prepared, unpickled
from gnomon.cost.energy import PowerTable

MACHINE = "schema: 1\nextends: t13-simd4\nname: mine\ntitle: mine\nvcu: {simd: 2}\n"


def test_machines_are_restored_as_they_were() -> None:
    for name in list_architectures():
        machine = load_architecture(name)
        restored = unpickled(pickle.dumps(machine))
        assert restored == machine, name
        assert hash(restored) == hash(machine), name
        assert type(restored.clock) is type(machine.clock), name
        assert machine.to_dict() == machine.model_dump(mode="json", by_alias=True), name


def test_a_power_table_is_restored_as_it_was() -> None:
    for name in PowerTable.shipped():
        table = PowerTable.load(name)
        assert unpickled(pickle.dumps(table)) == table


@pytest.fixture
def first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own to keep things in, and starts that have checked nothing yet."""
    monkeypatch.setenv("GNOMON_CACHE", str(tmp_path / "cache"))
    return tmp_path


def _shown(machine: Path | str, *overrides: str) -> str:
    """The fingerprint of a machine in a new process, and whether it had to be checked."""
    code = (
        "import sys\nfrom gnomon.arch import Architecture, load_architecture\n"
        "made = load_architecture(sys.argv[1], sys.argv[2:])\n"
        "print(made.fingerprint, 'checked' if Architecture.__pydantic_complete__ else 'kept')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(machine), *overrides],
        capture_output=True, text=True, check=True, env=os.environ,
    )  # fmt: skip
    return done.stdout


def test_a_second_start_checks_nothing_and_gets_the_same(first: Path) -> None:
    once, again = _shown("t13-simd4", "clock=50 MHz"), _shown("t13-simd4", "clock=50 MHz")
    assert once.split() == [load_architecture("t13-simd4", ["clock=50 MHz"]).fingerprint, "checked"]
    assert again.split() == [once.split()[0], "kept"]


def test_what_changed_is_read_again(first: Path) -> None:
    base, mine = first / "base.yaml", first / "mine.yaml"
    base.write_text(MACHINE)
    mine.write_text("schema: 1\nextends: base.yaml\nname: child\ntitle: child\n".replace(
        "base.yaml", "./base.yaml"))  # fmt: skip
    before = _shown(mine).split()
    assert _shown(mine).split() == [before[0], "kept"]
    base.write_text(MACHINE.replace("simd: 2", "simd: 8"))
    after = _shown(mine).split()
    assert after[1] == "checked"
    assert after[0] != before[0]


def test_what_is_damaged_is_made_again(first: Path) -> None:
    before = _shown("t13").split()
    for path in (first / "cache/prepared").iterdir():
        path.write_bytes(b"no")
    assert _shown("t13").split() == [before[0], "checked"]


def test_without_a_place_to_keep_it(first: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_CACHE", "/proc/nowhere")
    assert prepared("a", [], lambda: 1) == 1


def test_nothing_else_is_unpickled() -> None:
    with pytest.raises(pickle.UnpicklingError):
        unpickled(pickle.dumps(Path))
