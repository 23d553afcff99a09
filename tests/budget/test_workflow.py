"""The workflow that is to be copied: its commands run here as they stand."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import absent

_ROOT = Path(__file__).resolve().parents[2]
_EXAMPLE = _ROOT / "examples" / "budget"


def _job() -> tuple[dict[str, str], dict[str, Any]]:
    workflow = yaml.safe_load((_EXAMPLE / "workflow.yml").read_text())
    triggers = workflow[True]  # YAML reads a bare `on` as true
    assert set(triggers) == {"push", "pull_request", "workflow_call"}
    called = triggers["workflow_call"]["inputs"]
    chosen = {}
    for name, text in workflow["env"].items():
        word, default = re.fullmatch(r"\$\{\{ inputs\.(\w+) \|\| '(.+)' \}\}", text).groups()
        assert called[word]["default"] == default
        chosen[name] = default
    return chosen, workflow["jobs"]["budget"]


@pytest.mark.parametrize("taps", [8, 9])
def test_its_commands(tmp_path: Path, taps: int) -> None:
    if shutil.which("bash") is None:
        absent("bash: not found; install: sudo apt-get install bash")
    variables, job = _job()
    assert job["defaults"]["run"]["shell"] == "bash"
    folder = tmp_path / "repository"
    shutil.copytree(_EXAMPLE, folder)
    shutil.copytree(_EXAMPLE, folder / "base")
    source = folder / "filter.c"
    source.write_text(source.read_text().replace("#define TAPS 8", f"#define TAPS {taps}"))
    tools = tmp_path / "bin"
    tools.mkdir()
    command = tools / "gnomon"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gnomon "$@"\n')
    command.chmod(0o755)
    summary, output = tmp_path / "summary.md", tmp_path / "output"
    environment = {
        **os.environ,
        **variables,
        "PATH": f"{tools}:{os.environ['PATH']}",
        "PYTHONPATH": str(_ROOT),
        "GITHUB_STEP_SUMMARY": str(summary),
        "GITHUB_OUTPUT": str(output),
    }
    codes, printed = {}, ""
    for step in job["steps"]:
        if "run" not in step or step["name"] in ("Install", "Get the base of a change"):
            continue
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", step["run"]],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        codes[step["name"]] = done.returncode
        printed += done.stdout + done.stderr
    assert codes == {
        "Show what is exceeded beside its line": 0,
        "Budget": 0 if taps == 8 else 1,
        "Close the summary": 0,
        "Offer the comparison as a comment": 0,
    }
    matcher = printed.split("::add-matcher::")[1].splitlines()[0]
    assert (folder / matcher).is_file()
    text = summary.read_text()
    assert text.startswith("```\n")
    before, _, comment = text.partition("<!-- gnomon budget firmware -->")
    assert before.rstrip().endswith("```")
    assert (
        f"comment<<END_OF_COMMENT\n<!-- gnomon budget firmware -->{comment}" in output.read_text()
    )
    assert ("11 quantities are unchanged" in comment) == (taps == 8)
    row = "| program | wall_cycles | 18,477 cycles | 21,205 cycles | +2,728 cycles, +14.76 % |"
    assert (row in comment) == (taps == 9)
    assert ("EXCEEDED" in text) == (taps == 9)
    assert ("gnomon: budget.yaml:10: program: wall_cycles rose" in printed) == (taps == 9)
