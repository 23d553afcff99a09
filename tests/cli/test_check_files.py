"""``gnomon check FILE.yaml``: keys and values of any kind of file, without running anything."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from gnomon.base.errors import CheckFailed
from gnomon.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
GOOD = ("examples/pipeline/pipeline.yaml", "examples/wearable.yaml", "examples/c-sweep.yaml",
        "examples/budget/budget.yaml", "arch/t13.yaml")  # fmt: skip


def test_every_kind_of_file_is_read_and_others_are_left_out() -> None:
    names = [str(ROOT / name) for name in (*GOOD, "mkdocs.yml")]
    done = CliRunner().invoke(app, ["check", *names], catch_exceptions=False)
    verdicts = [line.split()[0] for line in done.stdout.splitlines()]
    assert verdicts == ["ok"] * len(GOOD) + ["waived"]


@pytest.mark.parametrize("name", GOOD)
def test_a_misspelled_key_fails_with_its_line(name: str, tmp_path: Path) -> None:
    text = (ROOT / name).read_text()
    file = tmp_path / "file.yaml"
    file.write_text(text + "titel: x\n")
    run = CliRunner().invoke(app, ["check", str(file)])
    assert isinstance(run.exception, CheckFailed)
    line = text.count("\n") + 1
    assert f"file.yaml:{line}: titel" in " ".join(run.stdout.split())


def test_the_hook_of_pre_commit_runs_it() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert (hook["entry"], hook["types"]) == ("gnomon check", ["yaml"])
