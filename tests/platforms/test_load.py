"""Descriptions of cost-model cores: what ships, and errors in what a user writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.cost.platforms import is_platform, list_platforms, load_platform
from gnomon.cost.platforms._platform import COST_CLASSES

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """\
schema: 1
name: mine
title: My core
clock:
  value: 10 MHz
  source: a test
power:
  value_mw: 20
  source: a test
memory:
  size: 4 KiB
  source: a test
build:
  optimization: -O2
  source: a test
costs:
  alu:
    cycles: 1
    source: a test
calibration:
  factor: 1.0
  optimization: -O2
  left_out_low: 0.9
  left_out_high: 1.1
  source: a test
"""


def error_of(tmp_path: Path, text: str, *overrides: str) -> str:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(GnomonError) as error:
        load_platform(path, overrides)
    return str(error.value).replace(f"{tmp_path}/", "")


def test_what_ships() -> None:
    assert list_platforms() == ("cortex-a72", "cortex-m4")
    m4, a72 = load_platform("cortex-m4"), load_platform("cortex-a72")
    assert (m4.clock.value, m4.power.value_mw, m4.memory.size) == (80_000_000, 155, 320 << 10)
    assert (a72.clock.value, a72.power.value_mw) == (1_500_000_000, 3300)
    for platform in (m4, a72):
        assert "inference" in platform.build.source
        assert set(platform.cost_of) == set(COST_CLASSES) - {"csr", "fence", "amo", "system"}
        for cost in platform.cost_of.values():
            assert cost.interval.low <= cost.interval.value <= cost.interval.high
            assert cost.source.startswith(("TRM ", "SOG "))
    assert "inference" in m4.memory.source


def test_a_core_of_the_users_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(TEXT)
    assert is_platform(path)
    platform = load_platform(path, ["memory.size=1 MiB", "costs.alu.cycles=2"])
    assert (platform.name, platform.memory.size) == ("mine", 1 << 20)
    assert platform.cost_of["alu"].cycles == 2


def test_a_machine_is_no_platform() -> None:
    assert is_platform("cortex-m4")
    assert not is_platform("t13")
    assert not is_platform(content("arch", "t13.yaml"))
    assert not is_platform("absent.yaml")


def test_an_unknown_name() -> None:
    with pytest.raises(GnomonError) as error:
        load_platform("cortex-m5")
    assert str(error.value) == (
        "no platform is called 'cortex-m5' (allowed: cortex-a72, cortex-m4, or a path that ends in"
        " .yaml, did you mean 'cortex-m4'?)"
    )


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(GnomonError) as error:
        load_platform(tmp_path / "absent.yaml")
    assert str(error.value) == f"{tmp_path}/absent.yaml: no such file"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            "schema: 1",
            "schema: 2",
            (
                "mine.yaml:1: schema: must not be 2 (allowed: 1; other versions are not known to"
                " this program)"
            ),
        ),
        (
            "  cycles: 1\n",
            "  cycle: 1\n",
            (
                "mine.yaml:17: costs.alu.cycles: missing (allowed: from 0)\n"
                "mine.yaml:18: costs.alu.cycle: unknown key (allowed: cycles, low, high, source,"
                " did you mean 'cycles'?)"
            ),
        ),
        ("    cycles: 1\n", "", "mine.yaml:17: costs.alu.cycles: missing (allowed: from 0)"),
        (
            "    cycles: 1\n",
            "    cycles: -1\n",
            "mine.yaml:18: costs.alu.cycles: must not be -1 (allowed: from 0)",
        ),
        (
            "    cycles: 1\n",
            "    cycles: .nan\n",
            "mine.yaml:18: costs.alu.cycles: must not be '.nan' (allowed: from 0)",
        ),
        (
            "    cycles: 1\n",
            "    cycles: 1\n    low: 2\n",
            "mine.yaml:17: costs.alu: cycles 1 is not between low 2 and high 1",
        ),
        (
            "    cycles: 1\n    source: a test\n",
            "    cycles: 1\n",
            "mine.yaml:17: costs.alu.source: missing (allowed: text)",
        ),
        (
            "  alu:\n",
            "  allu:\n",
            (
                f"mine.yaml:17: costs.allu: unknown key (allowed: {', '.join(COST_CLASSES)},"
                " did you mean 'alu'?)"
            ),
        ),
        (
            "size: 4 KiB",
            "size: 4096",
            (
                "mine.yaml:11: memory.size: a size needs its unit, as in '4 KiB'; got 4096"
                " (units: B, KiB, MiB, GiB)"
            ),
        ),
        (
            "factor: 1.0",
            "factor: 0",
            "mine.yaml:21: calibration.factor: must not be 0 (allowed: above 0)",
        ),
        (
            "optimization: -O2\n  left",
            "optimization: -O9\n  left",
            (
                "mine.yaml:22: calibration.optimization: must not be '-O9' (allowed: -O0, -O1,"
                " -O2, -O3, -Os, -Oz, did you mean '-Oz'?)"
            ),
        ),
        (
            "title: My core",
            "title: [",
            (
                "mine.yaml:5: not YAML: did not find expected ',' or ']' while parsing a flow"
                " sequence"
            ),
        ),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, before: str, after: str, message: str) -> None:
    assert before in TEXT
    assert error_of(tmp_path, TEXT.replace(before, after, 1)) == message


def test_a_list_is_no_platform(tmp_path: Path) -> None:
    assert error_of(tmp_path, "[1, 2]") == (
        "mine.yaml:1: a platform is a list of 'key: value' lines, not a list"
    )


def test_overrides(tmp_path: Path) -> None:
    assert error_of(tmp_path, TEXT, "memory.sise=1 KiB") == (
        "--set memory.sise=1 KiB: mine.yaml has no such value, did you mean 'memory.size'?; write"
        " dotted.path=value"
    )
    assert error_of(tmp_path, TEXT, "memory.size=x") == (
        "--set memory.size=x: memory.size: 'x' is not a size; write a number and its unit, as in"
        " '4 KiB' (units: B, KiB, MiB, GiB)"
    )
