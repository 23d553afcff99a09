"""``gnomon budget``: limits kept and exceeded, the baseline, unknown quantities."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from gnomon.base.errors import CheckFailed, GnomonError
from tests.budget._files import EXAMPLE, cycles, cycles_of, failing, invoke, write


def test_the_bound_itself_is_kept(tmp_path: Path) -> None:
    path = write(tmp_path, f"wall_cycles <= {cycles():,}")
    done = invoke(path, "--json")
    assert done.exit_code == 0
    report = json.loads(done.stdout)
    assert report["kept"]
    assert [each["value"] for each in report["limits"]] == [cycles()]


def test_one_cycle_less_is_exceeded(tmp_path: Path) -> None:
    path = write(tmp_path, f"wall_cycles <= {cycles() - 1}")
    with pytest.raises(CheckFailed) as failed:
        invoke(path)
    assert failed.value.exit_code == 1
    assert str(failed.value) == (
        f"{path}:8: conv: wall_cycles is {cycles():,} cycles, 1 cycle above the limit"
        f" 'wall_cycles <= {cycles() - 1}'; if intended, raise the limit there"
    )


def test_update_then_a_rise(tmp_path: Path) -> None:
    path = write(tmp_path, "wall_cycles <= baseline + 2 %", "text <= baseline")
    with pytest.raises(GnomonError) as missing:
        invoke(path)
    assert missing.value.exit_code == 2
    kept = tmp_path / "b.baseline.json"
    assert str(missing.value) == (
        f"{path}:8: 'wall_cycles <= baseline + 2 %': {kept} does not exist;"
        f" run `gnomon budget {path} --update` and commit it"
    )
    assert invoke(path, "--update").exit_code == 0
    first = kept.read_bytes()
    assert invoke(path, "--update").exit_code == 0
    assert kept.read_bytes() == first
    assert invoke(path).exit_code == 0

    before = cycles() * 10 // 11
    changed = json.loads(first)
    changed["checks"]["conv"]["metrics"]["wall_cycles"] = before
    kept.write_text(json.dumps(changed))
    rise, most = cycles() - before, before * 102 // 100
    with pytest.raises(CheckFailed) as failed:
        invoke(path)
    assert str(failed.value) == (
        f"{path}:8: conv: wall_cycles rose from {before:,} cycles to {cycles():,} cycles"
        f" (+{rise:,} cycles, +{100 * rise / before:.2f} %), {cycles() - most:,} cycles above the"
        f" limit 'wall_cycles <= baseline + 2 %', which is {most:,} cycles; if intended,"
        f" `gnomon budget {path} --update` and commit {kept}"
    )


def test_a_baseline_of_another_machine_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "wall_cycles <= baseline")
    invoke(path, "--update")
    path.write_text(path.read_text().replace("arch: t13-simd4\n", "arch: t13-simd8\n"))
    with pytest.raises(
        GnomonError, match="is of another workload: arch was t13-simd4, is t13-simd8"
    ):
        invoke(path)


def test_energies_of_different_kinds_are_not_compared(tmp_path: Path) -> None:
    machine = tmp_path / "m.yaml"
    text = "schema: 1\nname: m\ntitle: M\nextends: t13-simd1\n"
    machine.write_text(text + "power: t13\n")
    path = write(tmp_path, "energy <= baseline + 2 %", "energy <= 1 J", "wall_cycles <= baseline")
    path.write_text(path.read_text().replace("arch: t13-simd4\n", "arch: m.yaml\n"))
    invoke(path, "--update")
    kept = tmp_path / "b.baseline.json"
    first = kept.read_text()
    entry = json.loads(first)["checks"]["conv"]
    assert entry["energy"].startswith("FPGA-calibrated, ")

    machine.write_text(text + "power: sg13g2-t13-simd1\n")
    report = json.loads(failing(path))
    of_energy, absolute, of_cycles = report["limits"]
    assert of_energy["energy"].startswith("gate-level, ")
    assert (of_energy["most"], of_energy["baseline"], of_energy["kept"]) == (None, None, False)
    assert (absolute["baseline"], absolute["kept"], of_cycles["kept"]) == (None, True, True)
    (line,) = report["failures"]
    assert line == (
        f"{path}:8: conv: energy cannot be compared: it is now of {of_energy['energy']}; that of"
        f" {kept} is of {entry['energy']}; accept it with `gnomon budget {path} --update`"
    )
    report = json.loads(invoke(path, "--update", "--json").stdout)
    assert [each["baseline"] for each in report["limits"]] == [None, None, cycles_of(machine)]
    report = json.loads(invoke(path, "--json").stdout)
    assert report["limits"][0]["baseline"] == pytest.approx(of_energy["value"])

    unnamed = json.loads(first)
    del unnamed["checks"]["conv"]["energy"]
    kept.write_text(json.dumps(unnamed))
    (line,) = json.loads(failing(path))["failures"]
    assert f"that of {kept} is without kind and library; accept it" in line


def test_what_is_not_known_is_said(tmp_path: Path) -> None:
    path = write(tmp_path, "power <= 1 mW", "wall_cycles <= 1", extra="    set: {power: none}\n")
    with pytest.raises(CheckFailed) as caught:
        invoke(path)
    unknown, exceeded = str(caught.value).splitlines()  # the other limit is judged all the same
    assert re.search(r"b\.yaml:9: power is not known: .*names no power table", unknown)
    assert "b.yaml:10: " in exceeded


@pytest.mark.parametrize("metric", ["power", "energy", "energy_low"])
def test_what_is_not_known_does_not_end_an_update(tmp_path: Path, metric: str) -> None:
    limits = (f"{metric} <= baseline", "wall_cycles <= baseline + 1 %")
    path = write(tmp_path, *limits, extra="    set: {power: none}\n")
    kept = tmp_path / "b.baseline.json"
    for options in (("--update",), ()):  # the second run judges what is known, too
        with pytest.raises(CheckFailed) as failed:
            invoke(path, *options)
        assert failed.value.exit_code == 1
        (line,) = str(failed.value).splitlines()
        assert re.search(r"b\.yaml:9: \w+ is not known: .*names no power table", line)
        metrics = json.loads(kept.read_text())["checks"]["conv"]["metrics"]
        assert [*metrics.values()] == [None, cycles()]
    report = json.loads(failing(path))
    assert [(each["most"], each["kept"]) for each in report["limits"]] == [
        (None, False), (pytest.approx(cycles() * 1.01, abs=1), True),
    ]  # fmt: skip


def test_what_became_known_is_to_be_accepted(tmp_path: Path) -> None:
    path = write(tmp_path, "wall_cycles <= baseline")
    invoke(path, "--update")
    kept = tmp_path / "b.baseline.json"
    kept.write_text(kept.read_text().replace(f": {cycles()}", ": null"))
    with pytest.raises(
        CheckFailed, match=r"b\.yaml:8: conv: wall_cycles is now known, .* has none"
    ):
        invoke(path)
    invoke(path, "--update")
    assert invoke(path).exit_code == 0


def test_the_example_keeps_its_baseline_and_a_slower_program_does_not(tmp_path: Path) -> None:
    """The committed baseline is that of the compiler the package is tested with."""
    folder = tmp_path / "budget"
    shutil.copytree(EXAMPLE, folder)
    budget = folder / "budget.yaml"
    assert invoke(budget).exit_code == 0
    source = folder / "filter.c"
    source.write_text(source.read_text().replace("#define TAPS 8", "#define TAPS 9"))
    with pytest.raises(CheckFailed) as failed:
        invoke(budget)
    first = f"gnomon: {failed.value}".splitlines()[0]
    matcher = json.loads((EXAMPLE / "problem-matcher.json").read_text())["problemMatcher"][0]
    (pattern,) = matcher["pattern"]
    found = re.match(pattern["regexp"], first)
    assert found is not None
    assert found[pattern["file"]] == str(budget)
    line = budget.read_text().splitlines()[int(found[pattern["line"]]) - 1]
    assert line.strip() == "- wall_cycles <= baseline + 2 %"
    assert found[pattern["message"]].startswith("program: wall_cycles rose from ")
