"""`gnomon choose`: what is ranked, by what, and what is refused."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.base.content import content, content_root
from gnomon.base.errors import GnomonError
from gnomon.cli.app import app
from gnomon.content.reports.choose import page
from gnomon.content.reports.choose.results import Results
from gnomon.explore.learner_costs import QUANTITIES, WORDS
from gnomon.explore.learners import LearnerTables
from gnomon.explore.regret_law import RANGES
from gnomon.learn.estimates import wilson_interval
from gnomon.measure.learners import embedded_learners

if TYPE_CHECKING:
    from pathlib import Path

COMMITTED = Results.committed()


def choose(*words: str) -> dict[str, Any]:
    found = CliRunner().invoke(app, ["choose", *words, "--json"])
    assert found.exit_code == 0, found.output
    said: dict[str, Any] = json.loads(found.stdout)
    return said


def ranked(said: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in said["learners"] if each["rank"]]


def test_committed_page_is_that_of_the_committed_tables() -> None:
    committed = content_root() / "reports" / "choose" / "choose.md"
    size = committed.read_text("utf-8").split("--size ")[1].split("`")[0]
    assert committed.read_text("utf-8") == page.report(size, COMMITTED, None, pages=True).page()


@pytest.mark.parametrize("words", [(), ("--drift", "yes"), ("--rate", "0.001", "--arms", "10")])
def test_rank_is_by_expected_regret(words: tuple[str, ...]) -> None:
    found = ranked(choose("--horizon", "3000", *words))
    assert found
    regrets = [each["regret"]["value"] for each in found]
    assert regrets == sorted(regrets)
    for each in found:
        assert each["regret"]["low"] < each["regret"]["value"] < each["regret"]["high"]
        assert each["context"] == "read"


def test_rank_is_by_energy_to_a_regret_over_the_chance_to_reach_it() -> None:
    found = ranked(choose("--regret", "0.4", "--horizon", "10000"))
    assert found
    goals = [each["to_regret"] for each in found]
    expected = [goal["energy_uj"]["value"] / goal["chance"] for goal in goals]
    assert expected == sorted(expected)
    for goal in goals:
        assert 0.5 <= goal["chance"] <= 1
        rounds, energy = goal["rounds"], goal["energy_uj"]
        assert rounds["low"] <= rounds["value"]
        assert rounds["high"] is None or rounds["value"] <= rounds["high"]
        assert energy["low"] <= energy["value"]


def test_what_does_not_reach_the_regret_has_no_rank() -> None:
    said = choose("--regret", "0.01", "--horizon", "150")
    for each in said["learners"]:
        if each["to_regret"] and each["to_regret"]["rounds"]["value"] is None:
            assert each["rank"] is None
            assert any("does not reach regret 0.01" in reason for reason in each["reasons"])


def test_learners_that_read_no_context_are_ranked_only_if_requested() -> None:
    without, blind = choose(), choose("--context-blind")
    names = {each["learner"] for each in without["learners"] if each["context"] == "none"}
    assert names
    assert not names & {each["learner"] for each in ranked(without)}
    assert names <= {each["learner"] for each in ranked(blind)}


@pytest.mark.parametrize(
    "words", [("--arms", "1000"), ("--d", "64"), ("--noise", "5"), ("--horizon", "1000000")]
)
def test_nothing_is_ranked_where_nothing_was_measured(words: tuple[str, ...]) -> None:
    said = choose(*words)
    assert not ranked(said)
    assert "nothing is ranked" in said["note"]
    assert all(each["regret"] is None for each in said["learners"])


def test_what_breaks_a_limit_has_no_rank_and_says_why() -> None:
    free = ranked(choose())
    some = sorted(each["ram_bytes"]["value"] for each in free)[len(free) // 2]
    limited = choose("--ram", f"{some:.0f}B")["learners"]
    broken = [each for each in limited if each["ram_bytes"]["value"] > round(some)]
    assert broken
    for each in limited:
        assert each["rank"] is None or each not in broken
        over = each["ram_bytes"]["high"] > round(some)
        assert any(WORDS["ram_bytes"] in reason for reason in each["reasons"]) == over


def test_no_learner_ranks_that_the_machine_has_no_memory_for() -> None:
    said = choose("--arch", "t13", "--d", "32", "--arms", "32")
    above = [each for each in said["learners"] if each["ram_bytes"]["value"] > 256 * 1024]
    assert above
    for each in above:
        assert each["rank"] is None
        assert "the data memory of t13" in "; ".join(each["reasons"])


def test_energy_is_of_the_table_and_counts_stay() -> None:
    one, other = choose(), choose("--power", "t13-table3")
    pairs = list(zip(
        sorted(one["learners"], key=_name), sorted(other["learners"], key=_name), strict=True
    ))  # fmt: skip
    assert all(a["cycles"] == b["cycles"] for a, b in pairs)
    assert any(a["energy_uj"] != b["energy_uj"] for a, b in pairs if a["energy_uj"])
    without = choose("--power", "osu018-t13-simd1")
    assert without["energy"].startswith("energy unavailable")
    assert all(each["energy_uj"] is None for each in without["learners"])
    assert any(each["cycles"] for each in without["learners"])
    assert ranked(without)
    by_time = ranked(choose("--power", "osu018-t13-simd1", "--regret", "0.4"))
    times = [each["to_regret"]["time_us"] / each["to_regret"]["chance"] for each in by_time]
    assert times == sorted(times)


@pytest.mark.parametrize("machine", ["t13-simd1", "t13-simd4"])
def test_gates_rank_every_implementation_that_runs(machine: str) -> None:
    """No order mixes energy and time: all of them have an energy, in the cells of the table."""
    said = choose("--arch", machine, "--power", f"osu018-{machine}", "--regret", "0.4")
    assert said["energy"].startswith("gate-level, osu018_stdcells")
    for each in said["learners"]:
        assert (each["energy_uj"] is None) == (each["cycles"] is None)
    goals = [each["to_regret"] for each in ranked(said)]
    assert goals
    expected = [goal["energy_uj"]["value"] / goal["chance"] for goal in goals]
    assert expected == sorted(expected)


def _name(each: dict[str, Any]) -> tuple[str, ...]:
    return each["learner"], each["variant"], each["settings"]


def test_learners_that_no_law_is_of_are_named() -> None:
    said = choose("--arch", "t13")
    there = {each["learner"] for each in said["learners"]}
    assert there | set(said["not_ranked"]) == {each.name for each in embedded_learners()}
    assert not there & set(said["not_ranked"])


def test_every_field_of_earlier_releases_is_there() -> None:
    said = choose("--deadline", "10ms")
    assert {"arch", "d", "arms", "drift", "limits", "note", "energy", "not_ranked", "learners"} <= (
        said.keys()
    )
    assert said["limits"] == {"slowest_us": 10_000.0}
    for each in said["learners"]:
        assert {"rank", "learner", "variant", "settings", "chosen", "regret", "slowest_us",
                "extrapolated", "reasons"} <= each.keys()  # fmt: skip
        assert set(QUANTITIES) - {"slowest_cycles"} <= each.keys()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--arch", "rv32im"], "no learner was measured on rv32im"),
        (["--d", "1"], "--d must be at least 2, not 1"),
        (["--regret", "2"], "--regret must be between 0 and 1, not 2"),
        (["--noise", "-1"], "--noise must be 0 or more, not -1"),
        (["--drift", "yes", "--contexts", "uniform"], "--drift yes has contexts that observe"),
        (["--drift", "yes", "--rate", "0.1"], "--rate and --shared yes need --drift no"),
        (["--decisions-per-day", "0"], "--decisions-per-day must be above 0, not 0"),
        (["--deadline", "1"], "--deadline: '1' must be a number above 0 with its unit"),
        (["--ram", "8KB"], "did you mean 'KiB'?"),
        (["--ram", "8 kB"], "(units: B, KiB, MiB, did you mean 'KiB'?)"),
        (["--deadline", "-1ms"], "above 0 with its unit, as in 1ms (units: ns, us, µs, ms, s)"),
        (["--energy", "1pJ"], "above 0 with its unit, as in 20uJ (units: nJ, uJ, µJ, mJ, J)"),
    ],
)
def test_errors_teach(words: list[str], message: str) -> None:
    found = CliRunner().invoke(app, ["choose", *words])
    assert isinstance(found.exception, GnomonError)
    assert message in str(found.exception)


def test_text_shows_rank_regret_and_energy_per_day() -> None:
    shown = CliRunner().invoke(app, ["choose", "--decisions-per-day", "1000"]).output
    assert "mJ/day" in shown
    assert "e+0" not in shown


def test_a_missing_table_says_what_makes_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def missing(*parts: str) -> Path:
        return tmp_path.joinpath(*parts) if parts[-1].endswith(".csv") else content(*parts)

    monkeypatch.setattr("gnomon.explore.learners.content", missing)
    found = CliRunner().invoke(app, ["choose"])
    assert "gnomon report choose --size full" in f"{found.output}{found.exception}"


def test_the_tables_hold_cells_of_the_design_and_nothing_beyond_their_reach() -> None:
    tables = LearnerTables.load()
    assert tables.regret
    for law in tables.regret.values():
        assert 0 < law.error < math.inf
        assert 0 < law.most_variance < math.inf
        for each in law.points:
            assert not each.at.outside()
            assert each.regret.low <= each.regret.value <= each.regret.high
    assert RANGES["d"] == (2.0, 32.0)
    assert load_architecture("t13").power == "t13"


def test_a_second_choice_stands_beside_the_first_where_intervals_overlap() -> None:
    said = choose("--horizon", "3000")
    first, *others = ranked(said)
    alike = [each for each in others if not each["differs_from_first"]]
    alike = [each for each in alike if _name(each)[::2] != _name(first)[::2]]
    assert (said["second_choice"] is None) == (not alike)
    if alike:
        assert said["second_choice"] == " ".join(filter(None, _name(alike[0])))
        shown = CliRunner().invoke(app, ["choose", "--horizon", "3000"]).output
        assert f"second choice: {alike[0]['learner']}" in " ".join(shown.split())


def test_every_learner_without_a_law_has_a_reason() -> None:
    said = choose()
    assert list(said["not_ranked_because"]) == said["not_ranked"]
    for name in ("thompson-disjoint", "square-cb", "ucb1", "ucb1-tuned"):
        assert "not measured in the cells" in said["not_ranked_because"][name]
    shown = " ".join(CliRunner().invoke(app, ["choose"]).output.split())
    assert f"square-cb: {said['not_ranked_because']['square-cb']}" in shown


def test_shares_of_locked_runs_have_an_interval_and_a_number_of_runs() -> None:
    known = [each for each in choose()["learners"] if each["locked"] is not None]
    assert known
    for each in known:
        share = each["locked_interval"]
        assert 0 <= share["low"] <= each["locked"] <= share["high"] <= 1
        assert share["high"] - share["low"] > 1 / (2 * each["locked_runs"])


def test_no_size_is_ranked_that_is_larger_than_all_that_built() -> None:
    said = choose("--arch", "t13-paper-simd8", "--d", "32", "--arms", "7", "--drift", "yes",
                  "--horizon", "109", "--noise", "0.073")  # fmt: skip
    above = {
        (model.learner, model.variant, settings)
        for model in LearnerTables.load().costs
        for settings in model.settings
        if not model.builds(settings, 32, 7)
    }
    assert above
    for each in said["learners"]:
        if _name(each) in above:
            assert each["rank"] is None
            assert any("build" in reason for reason in each["reasons"])


def test_values_that_go_together_count_as_one_in_the_interval_of_a_share() -> None:
    groups = pd.Series(np.repeat(np.arange(40), 5))
    alike = pd.Series(np.repeat(np.arange(40) < 36, 5))
    assert page.grouped_share(alike, groups) == pytest.approx(wilson_interval(36, 40))
    spread = pd.Series(np.tile([True, True, True, True, False], 40))
    alone = page.grouped_share(spread, pd.Series(np.arange(200)))
    assert alone == pytest.approx(wilson_interval(160, 200))
    every = page.grouped_share(pd.Series([True] * 200), groups)
    assert every == pytest.approx(wilson_interval(40, 40))


@pytest.mark.parametrize(
    ("over", "never", "unmeasured", "near"),
    [("inf", 1, 0, 1), ("nan", 0, 1, 1), ("1.2", 0, 0, 1), ("1.1", 0, 0, 2), ("", 0, 0, 1)],
)
def test_a_first_choice_that_never_reaches_the_target_is_counted_apart(
    over: str, never: int, unmeasured: int, near: int
) -> None:
    rows = [("0", "1"), ("1", over)]
    table = pd.DataFrame(
        {"configuration": number, "first": "yes", "quantity": "regret", "within": "yes",
         "breaks": "", "over_best": text}
        for number, text in rows
    )  # fmt: skip
    facts = page.checks(table)
    assert (facts["never"], facts["unmeasured"], facts["near_best"]) == (never, unmeasured, near)
    assert facts["with_target"] == sum(text != "" for _, text in rows)
