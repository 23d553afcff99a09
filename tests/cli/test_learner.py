from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import GnomonError
from gnomon.cli.app import app


def invoke(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["learner", *arguments], catch_exceptions=False)
    return result.exit_code, result.stdout


def test_table() -> None:
    code, out = invoke("linucb-disjoint", "--d", "2", "--arms", "3", "--arch", "t13")
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    both = [words for words in lines if words[:1] == ["both"]]
    assert both[0][5] == "1.00"
    wall = [int(words[2].replace(",", "")) for words in both]
    assert both[1][5] == f"{wall[0] / wall[1]:.2f}"
    assert any(words[:1] == ["paper_divide"] for words in lines)
    assert "  paper implementation, Q16.15, fresh input; zig " in out


def test_json() -> None:
    code, out = invoke(
        *("linucb-hybrid", "--d", "2", "--arms", "3", "--f", "2", "--variant", "optimized"),
        *("--arch", "t13", "--harts", "1,3", "--case", "random", "--seed", "3", "--json"),
    )
    assert code == 0
    answer = json.loads(out)
    assert answer["sizes"] == {"d": 2, "arms": 3, "f": 2}
    one, three = answer["runs"]
    assert (one["harts"], three["harts"]) == (1, 3)
    assert one["hart_cycles"] == sum(one["stages"][s]["hart_cycles"] for s in ("select", "update"))
    assert one["time_us"] == one["wall_cycles"] / 100
    assert len(three["bytes"]["stack"]) == 3
    assert one["bytes"]["model"] == 4 * (3 * (4 + 2 + 8) + 16 + 4)


def test_correction() -> None:
    arguments = ("linucb-disjoint", "--d", "2", "--arms", "3", "--variant", "optimized,corrected")
    ordinary, correcting = (
        json.loads(invoke(*arguments, *more, "--arch", "t13", "--json")[1])["runs"]
        for more in (("--correction-period", "7"), ("--correction-period", "7", "--correcting"))
    )
    assert [run["correction_period"] for run in correcting] == [None, 7]
    assert [run["correcting"] for run in ordinary] == [False, False]
    assert [run["correcting"] for run in correcting] == [False, True]
    assert ordinary[0] == correcting[0]
    updates = [runs[1]["stages"]["update"]["hart_cycles"] for runs in (ordinary, correcting)]
    assert updates[1] > 2 * updates[0]
    out = invoke(*arguments, "--correcting", "--arch", "t13")[1]
    assert "corrected every 5,000 updates where variants do so; this update corrects" in out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ("linucb-disjoint", "--variant", "corrected", "--correction-period", "0"),
            "the correction period must be from 1 to 2,147,483,647 updates, not 0",
        ),
        (
            ("linucb-disjoint", "--variant", "optimized", "--correcting"),
            (
                "variant optimized of the paper implementation has no periodic correction;"
                " use corrected or corrected-vector of the paper implementation"
            ),
        ),
        (
            ("linucb-disjoint", "--f", "4"),
            "learner linucb-disjoint has no f: its arms have no features",
        ),
        (
            ("linucb-disjoint", "--harts", "1,two"),
            "--harts takes numbers from 1 up, separated by commas, not '1,two'",
        ),
        (
            ("linucb-disjoint", "--fraction-bits", "30"),
            "--fraction-bits must be from 1 to 29, not 30",
        ),
        (
            ("linucb-disjoint", "--variant", "standard", "--line", "tuned"),
            (
                "learner linucb-disjoint has no variant 'standard' in the tuned implementation "
                "(allowed: optimized, optimized-vector)"
            ),
        ),
    ],
)
def test_bad_options(arguments: tuple[str, ...], expected: str) -> None:
    with pytest.raises(GnomonError) as caught:
        invoke(*arguments, "--arch", "t13")
    assert str(caught.value) == expected


def test_a_size_that_a_source_refuses_is_one_line() -> None:
    with pytest.raises(GnomonError) as caught:
        invoke("softucb", "--d", "600", "--variant", "optimized-vector", "--arch", "t13-simd4")
    assert str(caught.value) == (
        "softucb optimized-vector on t13-simd4: LEARNER_D: V^-1 must fit a scratchpad"
    )
