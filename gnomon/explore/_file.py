"""Sweep files: allowed content, and the sweep that a file describes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import BeforeValidator, ValidationInfo, WithJsonSchema, field_validator

from gnomon.arch import load_architecture
from gnomon.arch.keys import general_path, is_unit_key, key_paths, optional_sections, written
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.schema import (
    NAME_ALLOWED,
    NAME_PATTERN,
    ParseContext,
    Section,
    Version,
    context_of,
    items,
    key,
    problems_at,
    validate_tree,
    version_key,
)
from gnomon.base.yaml import FileError, Mapping, Place, read_file, shown, tree_of
from gnomon.explore._spec import LARGEST_GRID, Axis, SearchKeys, Sweep
from gnomon.explore.metrics import parse_constraint, parse_objective
from gnomon.explore.settings import (
    PROGRAM_SCHEMA,
    SETTINGS,
    Value,
    Workload,
    build_section,
    find_setting,
    nearest_name,
)

_NOT_SWEPT = ("schema", "name", "title", "source")
_COMBINATIONS_TRIED = 64
_PATHS = ("program", "sources", "include")
_WHERE_ARCH = "the name of a machine or the path of its file"


class SweepFile(Section):
    """Content of a sweep file. Rules see the keys above their own, as in machine files."""

    schema_version: Version = version_key()
    name: str = key(
        f"name of the results; {NAME_ALLOWED}", pattern=NAME_PATTERN, allowed=NAME_ALLOWED
    )
    learner: Any = key("workload: a learner by its name; or as an axis", default=None)
    kernel: Any = key("workload: a kernel by its name; or as an axis", default=None)
    program: Annotated[Any, WithJsonSchema(PROGRAM_SCHEMA)] = key(
        "workload: an ELF file, C or assembly, by its path from the sweep file; or a section with"
        " sources, defines, include, optimize, harts, compiler; or as an axis",
        default=None,
    )
    axes: dict[str, Any] = key("axes, each with its list of values; the last one varies fastest")
    arch: str | None = key(
        "the machine: a shipped name or a path from the sweep file; or as an axis",
        default=None,
        allowed=_WHERE_ARCH,
        validate_default=True,
    )
    fixed: dict[str, Any] = key(
        "settings and machine keys that are the same at all points",
        default={},
        validate_default=True,
    )
    constraints: Annotated[tuple[Any, ...], BeforeValidator(items)] = key(
        "limits that a recommended point meets: quantity, <= or >=, number, unit", default=()
    )
    objectives: Annotated[tuple[Any, ...], BeforeValidator(items)] = key(
        "objectives of the front: minimize or maximize, and a quantity (minimize time)",
        default=("minimize time",),
        validate_default=True,
    )
    per: Annotated[tuple[Any, ...], BeforeValidator(items)] = key(
        "axes for whose values fronts and recommendations are computed separately", default=()
    )
    search: SearchKeys = key("selection of the visited points (all)", default=SearchKeys())

    @field_validator("axes")
    @classmethod
    def _axes(cls, axes: dict[str, Any], info: ValidationInfo) -> dict[str, tuple[Value, ...]]:
        note = context_of(info).note
        there = {**info.data, "axes": axes}
        kinds = _kinds(there)
        if len(kinds) > 1 or (there.get(kinds[0]) is None and kinds[0] not in axes):
            many = len(kinds) > 1
            what = f"only one of {' and '.join(kinds)} can run" if many else "missing: the workload"
            note(f"{what} (allowed: one of learner, kernel, program)", *kinds[1:2])
        if not axes:
            note("missing (a section with one list of values per axis)", "axes")
        checked: dict[str, tuple[Value, ...]] = {}
        for name, given in axes.items():
            values = given if isinstance(given, list) else [given]
            problem = _refused(name, kinds[0], "axes")
            if not problem and (not values or isinstance(given, dict)):
                what = "a section" if isinstance(given, dict) else "an empty one"
                problem = f"must be a list of values, not {what}"
            if problem:
                note(problem, "axes", name)
                continue
            good: list[Value] = []
            for index, value in enumerate(values):
                place: Place = ("axes", name, index) if isinstance(given, list) else ("axes", name)
                each = _value(info, kinds[0], name, value, place)
                if each in good:
                    note(f"{shown(value)} is listed twice", *place)
                good.append(each)
            checked[name] = tuple(good)
        return checked

    @field_validator("arch")
    @classmethod
    def _arch(cls, arch: str | None, info: ValidationInfo) -> str | None:
        if "axes" in info.data and (arch is None) != ("arch" in info.data["axes"]):
            if arch is None:
                raise ValueError(f"missing (allowed: {_WHERE_ARCH})")
            raise ValueError("is an axis as well; remove it here")
        return None if arch is None else _placed("arch", arch, info)

    @field_validator("fixed")
    @classmethod
    def _fixed(cls, fixed: dict[str, Any], info: ValidationInfo) -> dict[str, Value]:
        if "axes" not in info.data:
            return {}
        axes, workload = info.data["axes"], _kinds(info.data)[0]
        note = context_of(info).note
        checked: dict[str, Value] = {}
        own = info.data.get(workload)
        given: dict[tuple[str, ...], Any] = {} if own is None else {(workload,): own}
        if workload == "program" and isinstance(own, dict):
            built = build_section(own, lambda why, *below: note(why, "program", *below))
            given = {("program",) if name == "program" else ("program", name): value
                     for name, value in built.items()}  # fmt: skip
        given |= {("fixed", name): value for name, value in fixed.items()}
        for place, value in given.items():
            name = place[-1]
            problem = _refused(name, workload, "fixed")
            if name == workload and place[0] == "fixed":
                problem = "must be a key of the file, outside of fixed"
            elif name in axes:
                problem = "is an axis as well; remove it here"
            if problem:
                note(problem, *place)
            else:
                checked[name] = _value(info, workload, name, value, place)
        for each in SETTINGS[workload]:
            if each.needed and each.name not in {*checked, *axes} and not isinstance(own, dict):
                why = f"{each.name} is missing: {each.meaning}; set it here or in axes"
                note(why, "fixed")
        return checked

    @field_validator("constraints", "objectives")
    @classmethod
    def _wanted(cls, texts: tuple[Any, ...], info: ValidationInfo) -> tuple[Any, ...]:
        if "axes" not in info.data:
            return ()
        name = cast("str", info.field_name)
        workload = _kinds(info.data)[0]
        parse: Callable[[Any, str], Any] = (
            parse_constraint if name == "constraints" else parse_objective
        )
        texts = texts or (() if name == "constraints" else ("time",))
        parsed = tuple(
            each
            for index, text in enumerate(texts)
            if (each := context_of(info).parse_or_note(partial(parse, text, workload), name, index))
        )
        regrets = [each.metric.word for each in parsed if each.metric.word.startswith("regret")]
        if regrets and "rounds" not in {*info.data.get("fixed", ()), *info.data["axes"]}:
            why = f"rounds is missing: {regrets[0]} needs their number; set it here or in axes"
            context_of(info).note(why, "fixed")
        return parsed

    @field_validator("per")
    @classmethod
    def _per(cls, words: tuple[Any, ...], info: ValidationInfo) -> tuple[str, ...]:
        swept = list(info.data.get("axes", words))
        for index, word in enumerate(words):
            if not isinstance(word, str) or word not in swept:
                near = did_you_mean(word, swept) if isinstance(word, str) else ""
                allowed = ", ".join(map(str, swept))
                why = f"{shown(word)} is not an axis (allowed: {allowed}{near})"
                context_of(info).note(why, "per", index)
        return words

    @field_validator("search")
    @classmethod
    def _searchable(cls, search: SearchKeys, info: ValidationInfo) -> SearchKeys:
        axes = info.data.get("axes")
        if search.method == "nsga2" and axes and all(len(each) == 1 for each in axes.values()):
            raise ValueError("nothing varies; a search needs an axis with two values")
        return search

    def sweep(self) -> Sweep:
        """Return the sweep that the file describes."""
        return Sweep(
            name=self.name,
            workload=_kinds(dict(self))[0],
            arch=self.arch,
            fixed=tuple(self.fixed.items()),
            axes=tuple(Axis(name, values) for name, values in self.axes.items()),
            constraints=self.constraints,
            objectives=self.objectives,
            per=self.per,
            search=self.search,
        )


def read_sweep(path: Path | str) -> Sweep:
    """Read a sweep file. Relative paths in it are relative to its folder.

    Raises:
        GnomonError: if the file is wrong; one line per problem, ``file:line: key: problem``.
    """
    return _checked(*read_file(path, "sweep"), Path(path).parent)


def make_sweep(raw: dict[str, Any]) -> Sweep:
    """Check a sweep given as JSON-compatible data.

    Raises:
        FileError: if the data are wrong; one line per problem.
    """
    return _checked(cast("Mapping", tree_of(raw, "sweep")), (), None)


def _checked(tree: Mapping, twice: Sequence[Any], folder: Path | None) -> Sweep:
    if twice:
        raise FileError(twice)
    sweep = validate_tree(tree, SweepFile, reading=ParseContext(folder), in_order=True).sweep()
    problems = list(problems_at(tree, _not_possible(sweep)))
    if problems:
        raise FileError(problems)
    return sweep


def _kinds(data: dict[str, Any]) -> list[Workload]:
    """Return the kinds of workload in the file; by default a learner."""
    axes = data.get("axes") or {}
    kinds = [kind for kind in SETTINGS if data.get(kind) is not None or kind in axes]
    return cast("list[Workload]", kinds) or ["learner"]


def _placed(name: str, value: Any, info: ValidationInfo) -> Any:
    """Return a path that is relative to the folder of the file."""
    if name not in ("arch", *_PATHS):
        return value
    if isinstance(value, tuple):
        return tuple(_placed(name, each, info) for each in value)
    if not isinstance(value, str):
        return value
    reading = context_of(info)
    return reading.machine(value) if name == "arch" else reading.placed(value)


def _refused(name: str, workload: Workload, where: str) -> str:
    """Return the reason why a name cannot be set, or an empty text."""
    if find_setting(workload, name) is not None or (name == "arch" and where == "axes"):
        return ""
    if name in _NOT_SWEPT:
        return "describes a machine without changing it; it cannot be set here"
    if general_path(name) in key_paths() or name in optional_sections() or is_unit_key(name):
        return ""
    return (
        f"neither a setting of a {workload} ({', '.join(s.name for s in SETTINGS[workload])}) nor a"
        f" key of a machine (see `gnomon arch show`){nearest_name(name, workload, key_paths())}"
    )


def _value(info: ValidationInfo, workload: Workload, name: str, value: Any, place: Place) -> Value:
    reading = context_of(info)
    plain = not isinstance(value, dict) and not (
        isinstance(value, list | tuple) and not all(isinstance(word, str) for word in value)
    )
    setting = find_setting(workload, name)
    if not plain:
        reading.note(f"must not be {shown(value)}; use a value, or a list of words", *place)
        return None
    if setting is not None:
        given = tuple(value) if isinstance(value, list) and setting.kind == "words" else value
        return reading.parse_or_note(partial(setting.check, _placed(name, given, info)), *place)
    if name == "arch" and not isinstance(value, str):
        reading.note(f"must be {_WHERE_ARCH}, not {shown(value)}", *place)
    return tuple(value) if isinstance(value, list) else cast("Value", _placed(name, value, info))


def _not_possible(sweep: Sweep) -> Iterator[tuple[Place, str]]:
    """Yield problems: a grid that is too large, and values for which no machine exists."""
    if sweep.search.method == "grid" and sweep.grid_points > LARGEST_GRID:
        why = (
            f"the grid has {sweep.grid_points:,} points, more than {LARGEST_GRID:,}; use fewer"
            " values, or search: {method: random, points: ...}"
        )
        yield ("axes",), why
        return
    axes = [axis for axis in sweep.axes if find_setting(sweep.workload, axis.name) is None]
    fixed = [
        f"{name}={written(value)}"
        for name, value in sweep.fixed
        if find_setting(sweep.workload, name) is None
    ]
    for axis in axes:
        others = [each for each in axes if each is not axis]
        for index, value in enumerate(axis.values):
            reason = _obstacle(sweep, fixed, axis, value, others)
            if reason is not None:
                yield ("axes", axis.name, index), reason
    if not axes and sweep.arch is not None:
        try:
            load_architecture(sweep.arch, fixed)
        except GnomonError as error:
            yield ("arch",), str(error)


def _obstacle(
    sweep: Sweep, fixed: Sequence[str], axis: Axis, value: Value, others: Sequence[Axis]
) -> str | None:
    """Return the reason why no machine of the sweep can have this value, or None if one can."""
    rest = replace(sweep, axes=tuple(reversed(others)))
    tries = min(rest.grid_points, _COMBINATIONS_TRIED)
    first: GnomonError | None = None
    for number in range(tries):
        # Evenly over all combinations, so that each other axis changes early.
        point = rest.point(number * rest.grid_points // tries)
        chosen = {axis.name: value}
        chosen |= zip((other.name for other in rest.axes), point, strict=True)
        arch = chosen.get("arch", sweep.arch)
        overrides = [f"{each.name}={written(chosen[each.name])}" for each in sweep.axes
                     if each.name in chosen and each.name != "arch"]  # fmt: skip
        try:
            load_architecture(str(arch), [*fixed, *overrides])
        except GnomonError as error:
            first = first or error
        else:
            return None
    return None if first is None else f"no machine accepts {shown(value)}: {first}"
