"""Plain values to a sweep, or to every error in them, each at its own line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from gnomon.arch import load_architecture
from gnomon.arch.keys import key_paths, optional_sections
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.yaml import Origin, Problem, shown
from gnomon.explore._checker import Checker
from gnomon.explore._metric import parse_constraint, parse_objective
from gnomon.explore._spec import METHODS, Axis, Search, Sweep, Workload, written
from gnomon.explore._workload import SETTINGS, find_setting, nearest_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gnomon.explore._metric import Constraint, Objective
    from gnomon.explore._workload import Value

KEYS = {
    "schema": "version of this file format: 1",
    "name": "names the results; lower-case letters, digits, '.', '_', '-', at most 64",
    "learner": "what runs: a learner by its name; or as an axis",
    "kernel": "what runs: a kernel by its name; or as an axis",
    "program": "what runs: an ELF file, by its path from the sweep file; or as an axis",
    "arch": "the machine: a shipped name or a path from the sweep file; or as an axis",
    "fixed": "settings and machine keys that are the same at all points",
    "axes": "what varies, each with its list of values; the last one varies fastest",
    "constraints": "limits that a recommended point keeps: quantity, <= or >=, number, unit",
    "objectives": "what the front is of: minimize or maximize, and a quantity (minimize time)",
    "per": "axes for whose values fronts and recommendations are made one by one",
    "search": "which points are visited (all)",
}
"""Every key of a sweep file, and what it means."""

LARGEST_GRID = 1_000_000
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_NOT_SWEPT = ("schema", "name", "title", "source")
SEARCH_KEYS = {
    "method": "grid: all points; random: some, each once; nsga2: generations towards the front",
    "points": "how many at most; random and nsga2 need it",
    "seed": "of the random choice (0)",
    "population": "points of one generation, from 4; nsga2 only (20)",
}
"""Every key of the section ``search``, and what it means."""

_COMBINATIONS_TRIED = 64
_POPULATION = 20


class SweepError(GnomonError):
    """A sweep that cannot be used; ``problems`` lists everything found."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def check_sweep(
    raw: Mapping[str, Any],
    origins: Mapping[tuple[str | int, ...], Origin] | None = None,
    where: str = "sweep",
) -> Sweep:
    """Check a sweep given as plain data.

    Raises:
        SweepError: with every problem, one per line: ``file:line: key: what is wrong``.
    """
    checker = Checker(raw, origins or {}, where)
    checker.keys(raw, tuple(KEYS))
    if raw.get("schema") != 1:
        checker.wrong(f"must be 1, the version of this file format, not {shown(raw.get('schema'))}",
                      "schema")  # fmt: skip
    name = raw.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        checker.wrong(
            f"must not be {shown(name)} (allowed: lower-case letters, digits, '.', '_', '-', at"
            " most 64)",
            "name",
        )
    workload = _workload(checker)
    arch = raw.get("arch")
    axes = _axes(checker, workload)
    swept = [axis.name for axis in axes]
    if "arch" not in swept and not isinstance(arch, str):
        what = "missing" if arch is None else f"must not be {shown(arch)}"
        checker.wrong(f"{what} (allowed: the name of a machine or the path of its file)", "arch")
    if "arch" in swept and arch is not None:
        checker.wrong("is an axis as well; remove it here", "arch")
    fixed = _fixed(checker, workload, swept)
    _complete(checker, workload, {*fixed, *swept})
    constraints: list[Constraint] = []
    objectives: list[Objective] = []
    for index, text in enumerate(checker.items("constraints")):
        try:
            constraints.append(parse_constraint(text, workload))
        except GnomonError as error:
            checker.wrong(str(error), "constraints", index)
    for index, text in enumerate(checker.items("objectives") or ["minimize time"]):
        try:
            objectives.append(parse_objective(text, workload))
        except GnomonError as error:
            checker.wrong(str(error), "objectives", index)
    _told(checker, [*constraints, *objectives], {*fixed, *swept})
    per = [word for word in checker.items("per") if _is_axis(checker, word, swept)]
    search = _search(checker, axes)
    sweep = Sweep(
        name=str(name),
        workload=workload,
        arch=str(arch),
        fixed=tuple(fixed.items()),
        axes=tuple(axes),
        constraints=tuple(constraints),
        objectives=tuple(objectives),
        per=tuple(per),
        search=search,
    )
    if search.method == "grid" and sweep.grid_points > LARGEST_GRID:
        checker.wrong(
            f"the grid has {sweep.grid_points:,} points, more than {LARGEST_GRID:,}; take fewer"
            " values, or search: {method: random, points: ...}",
            "axes",
        )
    if not checker.problems:
        _try_machines(checker, sweep)
    if checker.problems:
        raise SweepError(sorted(checker.problems, key=lambda each: each.origin.line or 0))
    return sweep


def _workload(checker: Checker) -> Workload:
    axes = checker.raw.get("axes")
    swept = axes if isinstance(axes, dict) else {}
    found = [kind for kind in SETTINGS if kind in checker.raw or kind in swept]
    if len(found) != 1:
        what = "missing: what runs" if not found else f"only one of {' and '.join(found)} can run"
        checker.wrong(f"{what} (allowed: one of learner, kernel, program)", *found[1:])
    return cast("Workload", found[0]) if found else "learner"


def _axes(checker: Checker, workload: Workload) -> list[Axis]:
    section = checker.section("axes")
    if not section and not any(p.path.startswith("axes") for p in checker.problems):
        checker.wrong("missing (a section with one list of values for each thing that varies)",
                      "axes")  # fmt: skip
    axes = []
    for name, given in section.items():
        if not _known(checker, name, workload, "axes"):
            continue
        values = given if isinstance(given, list) else [given]
        if not values or isinstance(given, dict):
            what = "a section" if isinstance(given, dict) else "an empty one"
            checker.wrong(f"must be a list of values, not {what}", "axes", name)
            continue
        good: list[Value] = []
        for index, value in enumerate(values):
            checked = _value(checker, workload, name, value, "axes", name, index)
            if checked in good:
                checker.wrong(f"{shown(value)} is listed twice", "axes", name, index)
            good.append(checked)
        axes.append(Axis(name, tuple(good)))
    return axes


def _known(checker: Checker, name: str, workload: Workload, where: str) -> bool:
    if find_setting(workload, name) is not None:
        return True
    if name == "arch" and where == "axes":
        return True
    if name in _NOT_SWEPT:
        checker.wrong("says what a machine is called, not what it is; it cannot be set here",
                      where, name)  # fmt: skip
        return False
    if name in key_paths() or name in optional_sections():
        return True
    near = nearest_name(name, workload, key_paths())
    checker.wrong(
        f"neither a setting of a {workload} ({', '.join(s.name for s in SETTINGS[workload])}) nor a"
        f" key of a machine (see `gnomon arch show`){near}",
        where,
        name,
    )
    return False


def _value(checker: Checker, workload: Workload, name: str, value: Any, *path: str | int) -> Value:
    if isinstance(value, dict) or (
        isinstance(value, list) and not all(isinstance(word, str) for word in value)
    ):
        checker.wrong(f"must not be {shown(value)}; write a value, or a list of words", *path)
        return None
    setting = find_setting(workload, name)
    if setting is not None:
        try:
            return setting.check(value)
        except GnomonError as error:
            checker.wrong(str(error), *path)
            return None
    if name == "arch" and not isinstance(value, str):
        checker.wrong(f"must be the name of a machine or the path of its file, not {shown(value)}",
                      *path)  # fmt: skip
    return tuple(value) if isinstance(value, list) else cast("Value", value)


def _fixed(checker: Checker, workload: Workload, swept: Sequence[str]) -> dict[str, Value]:
    fixed: dict[str, Value] = {}
    if checker.raw.get(workload) is not None:
        if workload in swept:
            checker.wrong("is an axis as well; remove it here", workload)
        fixed[workload] = _value(checker, workload, workload, checker.raw[workload], workload)
    for name, value in checker.section("fixed").items():
        if name == workload:
            checker.wrong("belongs to the file itself, not to fixed", "fixed", name)
        elif name in swept:
            checker.wrong("is an axis as well; remove it here", "fixed", name)
        elif _known(checker, name, workload, "fixed"):
            fixed[name] = _value(checker, workload, name, value, "fixed", name)
    return fixed


def _complete(checker: Checker, workload: Workload, given: set[str]) -> None:
    for setting in SETTINGS[workload]:
        if setting.needed and setting.name not in given:
            checker.wrong(f"{setting.name} is missing: {setting.meaning}; say it here or in axes",
                          "fixed")  # fmt: skip


def _told(checker: Checker, wanted: Sequence[Constraint | Objective], given: set[str]) -> None:
    """Refuse to ask for regret without rounds: no point would know it."""
    asked = [each.metric.word for each in wanted if each.metric.word.startswith("regret")]
    if asked and "rounds" not in given:
        checker.wrong(
            f"rounds is missing: {asked[0]} is measured over them; say it here or in axes", "fixed"
        )


def _is_axis(checker: Checker, word: Any, swept: Sequence[str]) -> bool:
    if isinstance(word, str) and word in swept:
        return True
    near = did_you_mean(word, swept) if isinstance(word, str) else ""
    checker.wrong(f"{shown(word)} is not an axis (allowed: {', '.join(swept)}{near})", "per")
    return False


def _search(checker: Checker, axes: Sequence[Axis]) -> Search:
    section = checker.section("search")
    checker.keys(section, tuple(SEARCH_KEYS), "search")
    method = section.get("method", "grid")
    if method not in METHODS:
        near = did_you_mean(method, METHODS) if isinstance(method, str) else ""
        checker.wrong(f"must not be {shown(method)} (allowed: {', '.join(METHODS)}{near})",
                      "search", "method")  # fmt: skip
        return Search()
    numbers = {"points": 0, "seed": 0, "population": _POPULATION if method == "nsga2" else 0}
    for name, least in (("points", 1), ("seed", 0), ("population", 4)):
        value = section.get(name)
        if value is None:
            continue
        if type(value) is not int or not least <= value <= LARGEST_GRID:
            checker.wrong(f"must be a whole number from {least} to {LARGEST_GRID:,}, not"
                          f" {shown(value)}", "search", name)  # fmt: skip
            continue
        numbers[name] = value
    if method == "grid" and len(section) > 1:
        checker.wrong("a grid visits all points; remove the other keys", "search")
    if method == "random" and "population" in section:
        checker.wrong("belongs to method nsga2", "search", "population")
    if method != "grid" and not numbers["points"]:
        checker.wrong("points is missing: how many to visit at most", "search")
    if method == "nsga2" and all(len(axis.values) == 1 for axis in axes):
        checker.wrong("nothing varies; a search needs an axis with two values", "search")
    return Search(cast("Any", method), numbers["points"], numbers["seed"], numbers["population"])


def _try_machines(checker: Checker, sweep: Sweep) -> None:
    """Refuse values that no combination makes a machine of: a slip, not a corner of the space."""
    machine_axes = [axis for axis in sweep.axes if find_setting(sweep.workload, axis.name) is None]
    fixed = [
        f"{name}={written(value)}"
        for name, value in sweep.fixed
        if find_setting(sweep.workload, name) is None
    ]
    for axis in machine_axes:
        others = [each for each in machine_axes if each is not axis]
        for index, value in enumerate(axis.values):
            reason = _obstacle(sweep, fixed, axis, value, others)
            if reason is not None:
                checker.wrong(reason, "axes", axis.name, index)
    if not machine_axes:
        try:
            load_architecture(sweep.arch, fixed)
        except GnomonError as error:
            checker.wrong(str(error), "arch")


def _obstacle(
    sweep: Sweep, fixed: Sequence[str], axis: Axis, value: Value, others: Sequence[Axis]
) -> str | None:
    """Why no machine of the sweep can have this value, or None as soon as one can."""
    total = 1
    for other in others:
        total *= len(other.values)
    first: GnomonError | None = None
    for turn in range(min(total, _COMBINATIONS_TRIED)):
        # Evenly over all combinations, so that each other axis changes early.
        rest = turn * total // min(total, _COMBINATIONS_TRIED)
        chosen = {axis.name: value}
        for other in others:
            rest, place = divmod(rest, len(other.values))
            chosen[other.name] = other.values[place]
        arch = chosen.get("arch", sweep.arch)
        overrides = [f"{each.name}={written(chosen[each.name])}" for each in sweep.axes
                     if each.name in chosen and each.name != "arch"]  # fmt: skip
        try:
            load_architecture(str(arch), [*fixed, *overrides])
        except GnomonError as error:
            first = first or error
        else:
            return None
    return None if first is None else f"{shown(value)} makes no machine: {first}"
