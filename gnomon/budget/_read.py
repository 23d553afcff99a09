"""Budget files: YAML in, a checked budget out, or every problem with its line."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.yaml import Problem, shown
from gnomon.budget._keys import BUILD_SETTINGS, CHECK_KEYS, KEYS
from gnomon.budget._limit import Limit, parse_limit
from gnomon.budget._spec import Budget, Check
from gnomon.explore._checker import Checker
from gnomon.explore._read import read_keys
from gnomon.explore._spec import written
from gnomon.explore._workload import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gnomon.explore import Setting
    from gnomon.explore._spec import Workload
    from gnomon.explore._workload import Value

SOURCES = (".c", ".S", ".s")
"""Ends of the names of programs that are built; any other is an ELF file."""

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_ALLOWED_NAME = "lower-case letters, digits, '.', '_', '-', at most 64"
_MOST = 2**32 - 1
_ONLY_PROGRAMS = ("region", "hart", "exit-code")


class BudgetError(GnomonError):
    """A budget that cannot be used; ``problems`` lists everything found."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def read_budget(path: Path | str) -> Budget:
    """Read a budget file. Paths in it that are relative are so to its folder.

    Raises:
        GnomonError: with every problem, one per line: ``file:line: key: what is wrong``.
    """
    path = Path(path)
    raw, origins = read_keys(path, "budget", BudgetError)
    reader = _Reader(Checker(raw, origins, os.fspath(path)), path)
    budget = reader.budget()
    if reader.checker.problems:
        raise BudgetError(sorted(reader.checker.problems, key=lambda each: each.origin.line or 0))
    return budget


class _Reader:
    def __init__(self, checker: Checker, path: Path) -> None:
        self.checker = checker
        self.path = path

    def budget(self) -> Budget:
        checker = self.checker
        checker.keys(checker.raw, tuple(KEYS))
        schema = checker.raw.get("schema")
        if schema != 1 or isinstance(schema, bool):
            checker.wrong(f"must be 1, the version of this file format, not {shown(schema)}",
                          "schema")  # fmt: skip
        name = checker.raw.get("name")
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            checker.wrong(f"must not be {shown(name)} (allowed: {_ALLOWED_NAME})", "name")
        baseline = checker.raw.get("baseline", f"{name}.baseline.json")
        if not isinstance(baseline, str):
            checker.wrong(f"must be the path of a JSON file, not {shown(baseline)}", "baseline")
        checks = checker.section("checks")
        if not checks and not any(each.path == "checks" for each in checker.problems):
            checker.wrong(
                f"missing: a section with a name for each thing that is measured, and in it"
                f" {', '.join(CHECK_KEYS)}",
                "checks",
            )
        found = [self._check(name, given) for name, given in checks.items()]
        return Budget(
            name=str(name),
            path=os.fspath(self.path),
            baseline=Path(os.path.normpath(self.path.parent / str(baseline))),
            checks=tuple(check for check in found if check is not None),
        )

    def _check(self, name: str, given: Any) -> Check | None:
        checker, place = self.checker, ("checks", name)
        before = len(checker.problems)
        if not _NAME.fullmatch(name):
            checker.wrong(f"the name must not be {shown(name)} (allowed: {_ALLOWED_NAME})", *place)
        if not isinstance(given, dict):
            checker.wrong(f"must be a section with {', '.join(CHECK_KEYS)}, not {shown(given)}",
                          *place)  # fmt: skip
            return None
        checker.keys(given, tuple(CHECK_KEYS), *place)
        kinds = [kind for kind in SETTINGS if kind in given]
        if len(kinds) != 1:
            what = "missing: what runs" if not kinds else f"only one of {' and '.join(kinds)} runs"
            checker.wrong(f"{what} (allowed: one of {', '.join(SETTINGS)})", *place, *kinds[1:])
            return None
        workload = cast("Workload", kinds[0])
        settings, path = self._settings(workload, given, place)
        for key in _ONLY_PROGRAMS:
            if key in given and workload != "program":
                near = "; a learner has select_cycles and update_cycles" * (workload == "learner")
                checker.wrong(f"belongs to a program, not to a {workload}{near}", *place, key)
        region = given.get("region")
        if region is not None and not (isinstance(region, str) and region):
            checker.wrong(f"must be FUNCTION or START:END, not {shown(region)}", *place, "region")
        arch, overrides, architecture = self._machine(given, place)
        harts = _MOST if architecture is None else architecture.core.harts
        hart = self._whole(given, place, "hart", harts - 1)
        if hart is not None and region is None:
            checker.wrong("needs a region: the whole program is of all harts", *place, "hart")
        exit_code = self._whole(given, place, "exit-code", _MOST)
        limits = self._limits(workload, given, place)
        if len(checker.problems) > before or architecture is None:
            return None
        return Check(
            name=name,
            workload=workload,
            settings=tuple(settings.items()),
            written_program=path,
            arch=arch,
            overrides=overrides,
            architecture=architecture,
            region=region,
            hart=hart,
            exit_code=exit_code,
            limits=limits,
            where=str(checker.at(*place)),
        )

    def _settings(
        self, workload: Workload, given: Mapping[str, Any], place: tuple[str, ...]
    ) -> tuple[dict[str, Value], str]:
        checker = self.checker
        section = given.get("settings") or {}
        if not isinstance(section, dict):
            checker.wrong(f"must be a section with keys of its own, not {shown(section)}",
                          *place, "settings")  # fmt: skip
            section = {}
        program = str(given.get(workload)) if workload == "program" else ""
        builds = Path(program).suffix in SOURCES
        known: dict[str, Setting] = {each.name: each for each in SETTINGS[workload]}
        if builds:
            known |= {each.name: each for each in BUILD_SETTINGS}
        values: dict[str, Value] = {name: each.default for name, each in known.items()}
        for name, value in {**section, workload: given[workload]}.items():
            at = (*place, workload) if name == workload else (*place, "settings", name)
            if name == workload and name in section:
                checker.wrong("belongs to the check itself", *place, "settings", name)
            elif name not in known:
                of_builds = name in {each.name for each in BUILD_SETTINGS}
                why = (
                    " of an ELF file, which is built already" if of_builds else f" of a {workload}"
                )
                names = [each for each in known if each != workload]
                checker.wrong(
                    f"no setting{why} (allowed: {', '.join(names)}{did_you_mean(name, names)})", *at
                )
            else:
                try:
                    values[name] = known[name].check(value)
                except GnomonError as error:
                    checker.wrong(str(error), *at)
        for name, setting in known.items():
            if setting.needed and name not in section and name != workload:
                checker.wrong(f"{name} is missing: {setting.meaning}", *place, "settings")
        if program:
            values["program"] = os.path.normpath(self.path.parent / program)
            if not Path(str(values["program"])).is_file():
                checker.wrong(f"{values['program']}: no such file", *place, "program")
        return values, program

    def _whole(
        self, given: Mapping[str, Any], place: tuple[str, ...], key: str, most: int
    ) -> int | None:
        value = given.get(key)
        if value is not None and not (type(value) is int and 0 <= value <= most):
            self.checker.wrong(f"must be a whole number from 0 to {most:,}, not {shown(value)}",
                               *place, key)  # fmt: skip
            return None
        return value

    def _limits(
        self, workload: Workload, given: Mapping[str, Any], place: tuple[str, ...]
    ) -> tuple[Limit, ...]:
        checker = self.checker
        texts = given.get("limits")
        texts = [texts] if isinstance(texts, str) else texts
        if not isinstance(texts, list) or not texts:
            checker.wrong("missing: a list such as [wall_cycles <= baseline + 2 %, stack <= 2 KiB]",
                          *place, "limits")  # fmt: skip
            return ()
        found = []
        for index, text in enumerate(texts):
            at: tuple[str | int, ...] = (*place, "limits", index)
            try:
                found.append(parse_limit(text, workload, str(checker.at(*at))))
            except GnomonError as error:
                checker.wrong(str(error), *at)
        return tuple(found)

    def _machine(
        self, given: Mapping[str, Any], place: tuple[str, ...]
    ) -> tuple[str, tuple[str, ...], Architecture | None]:
        checker = self.checker
        own = "arch" in given
        arch = given.get("arch", checker.raw.get("arch"))
        at = (*place, "arch") if own else ("arch",)
        if not isinstance(arch, str):
            what = "missing" if arch is None else f"must not be {shown(arch)}"
            checker.wrong(f"{what} (allowed: the name of a machine or the path of its file)", *at)
            return "", (), None
        keys = {**self._set(checker.raw, ()), **self._set(given, place)}
        overrides = tuple(f"{name}={written(value)}" for name, value in keys.items())
        is_path = "/" in arch or arch.endswith((".yaml", ".yml"))
        found = os.path.normpath(self.path.parent / arch) if is_path else arch
        try:
            return arch, overrides, load_architecture(found, overrides)
        except GnomonError as error:
            checker.wrong(str(error), *((*place, "set") if given.get("set") else at))
            return arch, overrides, None

    def _set(self, given: Mapping[str, Any], place: tuple[str, ...]) -> Mapping[str, Any]:
        section = given.get("set") or {}
        if isinstance(section, dict) and not any(isinstance(v, dict) for v in section.values()):
            return {n: tuple(v) if isinstance(v, list) else v for n, v in section.items()}
        self.checker.wrong("must be a section of KEY: VALUE lines with dotted keys, such as"
                           " vcu.simd: 8", *place, "set")  # fmt: skip
        return {}
