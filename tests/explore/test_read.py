"""Sweep files: what they mean, and every error at its line."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.base.errors import GnomonError
from gnomon.base.yaml import FileError
from gnomon.explore import make_sweep, make_task, read_sweep, run_sweep

from .conftest import kernel_sweep

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """\
schema: 1
name: two-machines
learner: linucb-disjoint
fixed: {variant: optimized, arms: 4, core.harts: 3}
axes:
  arch: [t13, ./mine.yaml]
  d: [2, 4]
  memory.data.size: [64 KiB, 1 MiB]
constraints: select <= 1 ms
objectives: [minimize time, memory]
per: [d]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "sweep.yaml"
    path.write_text(text)
    return path


def test_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("extends: t13\nname: mine\ntitle: a machine of mine\n")
    sweep = read_sweep(written(tmp_path, GOOD))
    assert sweep.grid_points == 8
    assert list(product(*(axis.values for axis in sweep.axes))) == [*map(sweep.point, range(8))]
    assert sweep.point(3) == ("t13", 4, "1 MiB")
    assert sweep.index((0, 1, 1)) == 3
    assert [objective.text for objective in sweep.objectives] == [
        "minimize time",
        "minimize memory",
    ]
    task = make_task(sweep, sweep.point(7))
    assert (task.architecture.name, task.architecture.memory.data.size) == ("mine", 2**20)
    assert (task.setting("d"), task.setting("arms"), task.setting("line")) == (4, 4, "paper")


def test_the_same_file_and_the_same_data_are_the_same_sweep(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("extends: t13\nname: mine\ntitle: a machine of mine\n")
    sweep = read_sweep(written(tmp_path, GOOD))
    data: dict[str, Any] = {
        "schema": 1,
        "name": "two-machines",
        "learner": "linucb-disjoint",
        "fixed": {"variant": "optimized", "arms": 4, "core.harts": 3},
        "axes": {
            "arch": ["t13", str(tmp_path / "mine.yaml")],
            "d": [2, 4],
            "memory.data.size": ["64 KiB", "1 MiB"],
        },
        "constraints": ["select <= 1 ms"],
        "objectives": ["time", "memory"],
        "per": ["d"],
    }
    assert make_sweep(data).to_json()["axes"]["d"] == [2, 4]
    assert make_sweep(data).constraints == sweep.constraints


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "schema: 1",
            "schema: 2",
            "1: schema: must not be 2 (allowed: 1; other versions are not known to this program)",
        ),
        (
            "name: two-machines",
            "name: Two",
            (
                "2: name: must not be 'Two' (allowed: lower-case letters, digits, '.', '_', '-', at"
                " most 64)"
            ),
        ),
        (
            "per: [d]",
            "pre: [d]",
            (
                "11: pre: unknown key (allowed: schema, name, learner, kernel, program, axes, arch, fixed,"  # noqa: E501
                " constraints, objectives, per, search, did you mean 'per'?)"
            ),
        ),
        (
            "  d: [2, 4]",
            "  vcu.smid: [2, 4]",
            (
                "7: axes.vcu.smid: neither a setting of a learner (learner, line, variant, d, arms, f,"  # noqa: E501
                " harts, case, seed, fraction-bits, operands, compiler, optimization,"
                " library-optimization, correction-period, correcting, rounds, contexts,"
                " environments) nor a key of a machine (see `gnomon arch show`), did you mean"
                " 'vcu.simd'?\n{path}:11: per.0: 'd' is not an axis"
                " (allowed: arch, memory.data.size)"
            ),
        ),
        (
            "  d: [2, 4]",
            "  d: [2, many]",
            "7: axes.d.1: must not be 'many' (allowed: a whole number from 1 to 2,147,483,647)",
        ),
        ("  d: [2, 4]", "  d: [2, 2]", "7: axes.d.1: 2 is listed twice"),
        (
            "  d: [2, 4]",
            "  d: []",
            (
                "7: axes.d: must be a list of values, not an empty one\n{path}:11: per.0: 'd' is not an"  # noqa: E501
                " axis (allowed: arch, memory.data.size)"
            ),
        ),
        (
            "  d: [2, 4]",
            "  d: [2, 4]\n  arms: [4]",
            "4: fixed.arms: is an axis as well; remove it here",
        ),
        (
            "constraints: select <= 1 ms",
            "constraints: [select <= 1]",
            "9: constraints.0: 'select <= 1': select needs its unit (allowed: ns, us, µs, ms, s)",
        ),
        (
            "objectives: [minimize time, memory]",
            "objectives: [minimize tim]",
            (
                "10: objectives.0: 'tim' is not measured for a learner (allowed: time, select, update,"  # noqa: E501
                " wall_cycles, select_cycles, update_cycles, hart_cycles, memory, text, static, stack,"  # noqa: E501
                " model, regret, regret_sum, energy, energy_low, energy_high, power, area, area_low,"  # noqa: E501
                " area_high, registers, multipliers, memories, did you mean 'time'?)"
            ),
        ),
        (
            "learner: linucb-disjoint",
            "kernel: add",
            (
                "4: fixed.arms: neither a setting of a kernel (kernel, variant, n, shape, seed,"
                " fraction-bits, operands, compiler, optimization) nor a key of a machine (see"
                " `gnomon arch show`)\n{path}:7: axes.d: neither"
            ),
        ),
        (
            "64 KiB",
            "64 KB",
            (
                "8: axes.memory.data.size.0: no machine accepts '64 KB': --set memory.data.size=64 KB:"  # noqa: E501
                " memory.data.size: 'KB' in '64 KB' is not a unit of size (units: B, KiB, MiB, GiB, did"  # noqa: E501
                " you mean 'KiB'?)"
            ),
        ),
        (
            "per: [d]",
            "search: {method: rnadom, points: 3}",
            (
                "11: search.method: must not be 'rnadom' (allowed: grid, random, nsga2, did you mean"  # noqa: E501
                " 'random'?)"
            ),
        ),
        (
            "per: [d]",
            "search: {method: random}",
            "11: search: points is missing: the largest number of points to visit",
        ),
    ],
)
def test_errors_name_the_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    (tmp_path / "mine.yaml").write_text("extends: t13\nname: mine\ntitle: a machine of mine\n")
    assert old in GOOD
    path = written(tmp_path, GOOD.replace(old, new))
    with pytest.raises(FileError) as error:
        read_sweep(path)
    text = str(error.value)
    expected = f"{path}:{message.format(path=path)}"
    assert text.startswith(expected)
    if not message.endswith("neither"):
        assert text == expected


def test_all_errors_at_once(tmp_path: Path) -> None:
    text = GOOD.replace("schema: 1", "schema: 0").replace("d: [2, 4]", "d: [0]")
    with pytest.raises(FileError) as error:
        read_sweep(written(tmp_path, text))
    assert [problem.path for problem in error.value.problems] == ["schema", "axes.d.0"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ":1: empty: it describes no sweep"),
        ("- a", ":1: a sweep is a list of 'key: value' lines, not a list"),
        ("a: &x 1\nb: *x", ":1: anchors and aliases are not read"),
        ("a: 1\na: 2", ":2: a: written twice, first at {path}:1"),
        ("a: ]", ":1: not YAML"),
    ],
)
def test_files_that_are_no_sweeps(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(GnomonError) as error:
        read_sweep(path)
    assert str(error.value).startswith(f"{path}{message.format(path=path)}")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(GnomonError, match=r"nowhere\.yaml: no such file$"):
        read_sweep(tmp_path / "nowhere.yaml")
    with pytest.raises(GnomonError, match=r"not a file; a sweep is one YAML file$"):
        read_sweep(tmp_path)


def test_a_value_is_refused_only_if_no_combination_has_it() -> None:
    # 16 B hold no word for each of 8 banks, but for the one bank of SIMD 1.
    make_sweep(kernel_sweep())
    axes = {"variant": ["vector"], "n": [2], "vcu.simd": [8], "vcu.scratchpads.size": ["16 B"]}
    with pytest.raises(FileError, match=r"no machine accepts '16 B': .*one word for each of the 8"):
        make_sweep(kernel_sweep(axes=axes))


def test_exactly_one_thing_runs() -> None:
    with pytest.raises(FileError, match="only one of learner and kernel can run"):
        make_sweep(kernel_sweep(learner="linucb-disjoint"))
    both = kernel_sweep()
    del both["kernel"]
    with pytest.raises(FileError, match="missing: the workload"):
        make_sweep(both)


def test_a_grid_has_a_limit() -> None:
    axes = {"variant": ["scalar"], "n": list(range(1, 1002)), "seed": list(range(1000))}
    with pytest.raises(FileError, match="the grid has 1,001,000 points, more than 1,000,000"):
        make_sweep(kernel_sweep(axes=axes))
    make_sweep(kernel_sweep(axes=axes, search={"method": "random", "points": 3}))


@pytest.mark.parametrize(
    ("learner", "given", "line"),
    [
        ("linucb-disjoint", {}, "paper"),
        ("softucb", {}, "tuned"),
        ("softucb", {"line": None}, "tuned"),
        ("linucb-disjoint", {"line": "tuned"}, "tuned"),
    ],
)
def test_a_learner_runs_its_own_line(learner: str, given: dict[str, Any], line: str) -> None:
    sweep = make_sweep(
        {
            "schema": 1,
            "name": "lines",
            "learner": learner,
            "arch": "t13",
            "fixed": {"variant": "optimized", **given},
            "axes": {"d": [4]},
        }
    )
    assert make_task(sweep, (4,)).setting("line") == line


def test_an_unknown_learner_is_said_where_it_runs() -> None:
    sweep = make_sweep(
        {
            "schema": 1,
            "name": "lines",
            "fixed": {"variant": "optimized"},
            "arch": "t13",
            "axes": {"learner": ["softucc"]},
        }
    )
    result = run_sweep(sweep)
    assert "did you mean 'softucb'" in result.rows[0].outcome.reason
