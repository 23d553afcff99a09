"""The contract of embedded learners: all that are found, and a user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.cli.app import app
from gnomon.learn import count_step
from gnomon.learn import find_learner as find_float
from gnomon.measure.learners import (
    EmbeddedLearner,
    LearnerVariant,
    embedded_learners,
    find_embedded_learner,
)
from gnomon.measure.learners._checks import embedded_checks
from tests.contract import failures
from tests.learners.variants import ONE_OF_EACH

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("learner", "variant"), ONE_OF_EACH)
def test_of_all_that_are_found(learner: EmbeddedLearner, variant: LearnerVariant) -> None:
    of = f"{learner.name}/{variant.line}/{variant.name}"
    checks = [check for check in embedded_checks(learner.name) if check.of == of]
    assert len(checks) == (6 if variant.once is None else 7)
    assert not failures(checks)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a new learner in a new project."""
    monkeypatch.chdir(tmp_path)
    for words in (["project", "demo"], ["learner", "my-own"]):
        assert CliRunner().invoke(app, ["new", *words]).exit_code == 0
        monkeypatch.chdir(tmp_path / "demo")
    return tmp_path / "demo" / "algorithms" / "my_own"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.usefixtures("own")
def test_the_trace_of_a_new_learner_has_its_work() -> None:
    d, arms = 4, 3
    steps = count_step(find_float("my-own")(arms=arms, dimensions=d))
    select, update = steps["select"], steps["update"]
    assert (select.mac, select.compare, select.multiply, select.add) == (arms * d, arms - 1, 0, 0)
    assert (update.mac, update.compare, update.multiply, update.add) == (d, 0, d, d)


def test_a_new_learner_works_as_it_is(own: Path) -> None:
    assert [each.name for each in embedded_learners()][-1] == "my-own"
    for check in embedded_checks("my-own"):
        check.run()
    found = CliRunner().invoke(app, ["learner", "my-own", "--arch", "t13-simd4", "--json"])
    assert found.exit_code == 0
    assert find_embedded_learner("my-own").variants[0].folder == str(own)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("algorithm.yaml", "has_alpha", "has_alfa", "algorithm.yaml:8: embedded.has_alfa: unknown"),
        ("algorithm.yaml", "[learner.c]", "[lerner.c]", "algorithm.yaml:10: embedded.variants.0: "),
        ("learner.c", "fx_t sum = 0;", "fx_t sum = 0", "learner.c:25:"),
        ("learner.c", "learner_scores[arm] =", "learner_scorse[arm] =", "learner.c:46:"),
    ],
)
def test_errors_name_file_and_line(own: Path, file: str, old: str, new: str, message: str) -> None:
    edit(own / file, old, new)
    with pytest.raises(GnomonError) as caught:
        next(iter(embedded_checks("my-own"))).run()
    assert f"{own.name}/{message}" in str(caught.value)
    assert not isinstance(caught.value, CheckFailed)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("arms-in-range", "return round %", "return round > 2 ? 99 : round %"),
        ("model-as-declared", "sizeof learner_model / sizeof(fx_t)", "2"),
        ("deterministic", "words[i] = 0;", "words[i] += 1;"),
        ("rounds-equal-this-computer", "fx_t sum = 0;", "fx_t sum = sizeof(void *) == 8;"),
    ],
)  # fmt: skip
def test_a_breach_of_each_kind_fails(own: Path, name: str, old: str, new: str) -> None:
    edit(own / "learner.c", old, new)
    check = next(each for each in embedded_checks("my-own") if each.name == name)
    with pytest.raises(CheckFailed):
        check.run()


def test_an_implementation_has_any_name_in_small_letters(own: Path) -> None:
    file = own / "algorithm.yaml"
    edit(file, "    - name: ", "    - line: By hand\n      name: ")
    with pytest.raises(GnomonError, match=r"algorithm.yaml:\d+: embedded.variants"):
        find_embedded_learner("my-own")
    edit(file, "By hand", "by-hand")
    assert find_embedded_learner("my-own").line == "by-hand"
