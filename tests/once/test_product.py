"""A learner written once as a user has it: made, checked, measured, and written for firmware."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.cli.app import app
from gnomon.measure.learners import find_embedded_learner
from gnomon.measure.regret import RegretCase, RegretCell, play_regret
from gnomon.once.generate import generate

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


def gnomon(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments, catch_exceptions=False)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a new learner, written once."""
    monkeypatch.chdir(tmp_path)
    gnomon("new", "project", "demo")
    monkeypatch.chdir(tmp_path / "demo")
    gnomon("new", "learner", "my-once", "--once")
    return tmp_path / "demo" / "algorithms" / "my_once"


@pytest.mark.usefixtures("own")
def test_a_new_learner_passes_its_checks() -> None:
    said = gnomon("check", "my-once").stdout
    assert said.count("ok ") == 7
    assert "decides-as-the-python" in said


def test_a_learner_without_scores_passes_its_checks(own: Path) -> None:
    gnomon("new", "learner", "in-turns", "--once")  # of its own name, as modules are loaded once
    file = own.parent / "in_turns" / "learner.py"
    python = file.read_text()
    first, last = python.index("        scores = "), python.index("    def update")
    turns = "        return self.rounds % self.arms\n\n"
    file.write_text(python[:first] + turns + python[last:])
    assert gnomon("check", "in-turns").stdout.count("ok ") == 7


@pytest.mark.usefixtures("own")
def test_the_regret_of_a_sweep_is_relative_to_the_class() -> None:
    case = RegretCase("my-once", "normal", rounds=200, dimensions=3, arms=2)
    found = play_regret(RegretCell(case, "once", "standard", 15))
    assert found.own == found.reference > 0


def test_one_mistake_is_told_once(own: Path) -> None:
    gnomon("new", "learner", "mistaken", "--once")
    file = own.parent / "mistaken" / "learner.py"
    file.write_text(file.read_text().replace("np.argmax(scores)", "scores ** 2"))
    said = CliRunner().invoke(app, ["check", "mistaken"]).stdout
    assert said.count("learner.py:") == 1
    assert said.count(": as above\n") == 6


def test_a_short_format_fails_and_names_its_line(own: Path) -> None:
    description = own / "algorithm.yaml"
    text = description.read_text()
    description.write_text(
        text.replace("GradientGreedy}", "GradientGreedy, formats: {weights: Q5.6}}")
    )
    line = 1 + (own / "learner.py").read_text().splitlines().index(
        "        self.weights[arm] += (self.step * surprise) * x"
    )
    result = CliRunner().invoke(app, ["check", "my-once"])
    assert isinstance(result.exception, CheckFailed)
    assert f"fewest significant bits: line {line}: weights (Q5.6)" in result.stdout


def test_cost_agreement_and_firmware_come_from_one_command(own: Path, tmp_path: Path) -> None:
    folder = tmp_path / "firmware"
    command = ("learner", "my-once", "--arch", "t13", "--d", "3", "--arms", "2", "--json")
    answer = json.loads(gnomon(*command, "--c", str(folder)).stdout)
    (run,) = answer["runs"]
    assert run["line"] == "once"
    assert min(run["once"]["follows"]) >= 0.98
    assert {"x", "reward", "weights"} <= {each["name"] for each in run["once"]["formats"]}
    assert "alpha" not in {each["name"] for each in run["once"]["formats"]}  # no line reads it
    assert {"model.c", "learner.h", "vectors.h", "check.c"} <= {p.name for p in folder.iterdir()}
    python = (own / "learner.py").read_text().splitlines()
    assert any(f": {line.strip()} */" in (folder / "model.c").read_text() for line in python)
    with pytest.raises(GnomonError, match="has files already"):
        gnomon(*command, "--c", str(folder))


@pytest.mark.parametrize(("name", "stated", "alpha"), [
    ("constant", "", 0.75), ("input", "embedded: {alpha: 0.5}", 0.5),
])  # fmt: skip
def test_alpha_is_an_input_if_the_file_states_it(
    name: str, stated: str, alpha: float, own: Path
) -> None:
    gnomon("new", "learner", f"{name}-alpha", "--once")
    place = own.parent / f"{name}_alpha"
    python = (place / "learner.py").read_text().replace("step=0.125", "step=0.125, alpha=0.75")
    python = python.replace("self.rounds = 0", "self.rounds, self.alpha = 0, alpha")
    python = python.replace("] = self.weights[arm] @ x", "] = self.alpha + self.weights[arm] @ x")
    (place / "learner.py").write_text(python)
    with (place / "algorithm.yaml").open("a") as file:
        file.write(f"{stated}\n")
    learner = find_embedded_learner(f"{name}-alpha")
    source = learner.variant("standard", "once").once
    assert source is not None
    assert source.create(3, 2).alpha == alpha
    reads = "once_clamp(learner_alpha" in generate(source, 3, 2).path.read_text()
    assert reads is learner.has_alpha is (name == "input")


def test_other_content_is_not_written_once(own: Path) -> None:
    assert own.is_dir()
    with pytest.raises(GnomonError, match="--once makes a learner, not a kernel"):
        gnomon("new", "kernel", "other", "--once")
    with pytest.raises(GnomonError, match="--c takes one generated variant"):
        gnomon("learner", "ucb1", "--line", "tuned", "--arch", "t13", "--c", "x")
