"""A learner of the user's own: found, checked, refused with file and line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.learn import find_learner, load_learner, save_learner
from gnomon.learn.algorithm import algorithms
from gnomon.learn.checks import build_learner, float_checks, walk

if TYPE_CHECKING:
    from pathlib import Path

YAML = """schema: 1
title: The last reward of each arm.
float:
  standard: learner.py:Last
"""
LEARNER = """import numpy as np

from gnomon.learn import Learner, Sizes


class Last(Learner):
    name = "last-reward"
    variant = "standard"

    def __init__(self, *, arms, dimensions, start=0.0):
        super().__init__(Sizes(arms, dimensions))
        self.start = start
        self.last = np.full(arms, start)

    @property
    def state(self):
        return {"last": self.last}

    def _scores(self, contexts):
        return self.last.copy()

    def _learn(self, contexts, arm, reward):
        self.last[arm] = reward
"""


def write(place: Path, monkeypatch: pytest.MonkeyPatch, yaml: str = YAML, code: str = LEARNER
          ) -> Path:  # fmt: skip
    folder = place / "algorithms" / "last_reward"
    folder.mkdir(parents=True)
    (place / "gnomon.yaml").write_text("schema: 1\n")
    (folder / "algorithm.yaml").write_text(yaml)
    (folder / "learner.py").write_text(code)
    monkeypatch.chdir(place)
    return folder


@pytest.fixture(autouse=True)
def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has a folder of the same name with other code."""
    for module in [name for name in sys.modules if "algorithms.last_reward" in name]:
        monkeypatch.delitem(sys.modules, module)


def test_it_is_found_built_saved_and_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waives = YAML + "waives: {contexts-matter: it looks at rewards alone}\n"
    write(tmp_path, monkeypatch, waives)
    assert algorithms()["last-reward"].title == "The last reward of each arm."
    learner = build_learner(find_learner("last-reward"), arms=4, start=0.5)
    assert learner.settings == {"arms": 4, "dimensions": 4, "start": 0.5}
    walk(learner, 10)
    loaded = load_learner(save_learner(learner, tmp_path / "last.npz"))
    assert loaded.state["last"].tolist() == learner.state["last"].tolist()
    checks = list(float_checks("last-reward"))
    for check in checks:
        if check.waived:
            assert check.name == "contexts-matter"
            with pytest.raises(CheckFailed):
                check.run()
        else:
            check.run()
    assert len(checks) == 23


@pytest.mark.parametrize(
    ("yaml", "code", "message"),
    [
        (YAML.replace("learner.py:Last", "Last"), LEARNER,
         r"algorithm\.yaml:4: float\.standard: must be FILE\.py:CLASS, not 'Last'"),
        (YAML.replace(":Last", ":Lost"), LEARNER,
         r"algorithm\.yaml:4: float\.standard: learner\.py has no class Lost of learners"),
        (YAML.replace("learner.py", "other.py"), LEARNER, r"other\.py: there is no such file"),
        (YAML.replace("standard", "usual"), LEARNER,
         r"algorithm\.yaml:4: float\.usual: Last has name and variant 'last-reward', 'standard';"),
        (YAML, LEARNER.replace("import Learner, Sizes", "import Lerner"),
         r"learner\.py:3: ImportError: cannot import name 'Lerner'"),
        (YAML + "titel: x\n", LEARNER, r"algorithm\.yaml:5: titel: unknown key \(allowed: schema,"),
    ],
    ids=["form", "class", "file", "variant", "import", "key"],
)  # fmt: skip
def test_errors_name_their_place(
    yaml: str, code: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, monkeypatch, yaml, code)
    with pytest.raises(GnomonError, match=message):
        find_learner("last-reward")


def test_an_unknown_check_cannot_be_waived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, monkeypatch, YAML + "waives: {context-matters: x}\n")
    with pytest.raises(GnomonError, match="waives the unknown check 'context-matters'"):
        list(float_checks("last-reward"))
