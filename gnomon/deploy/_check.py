"""Plain values to a deployment, or to every error in them, each at its own line."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.base.yaml import Problem, shown
from gnomon.bench.learners import find_learner
from gnomon.deploy._check_supply import SupplyReader
from gnomon.deploy._keys import LEARNER_KEYS, NOT_OF_DEPLOYMENTS, SECTIONS
from gnomon.deploy._model import PRIORITIES, UNLIMITED
from gnomon.deploy._require import parse_requirement
from gnomon.deploy._spec import Deployment
from gnomon.deploy._streams import ARRIVALS, DELAYS, SERVICES, Rewards, Stream, read_times
from gnomon.explore._checker import Checker
from gnomon.explore._read import read_keys
from gnomon.explore._spec import written
from gnomon.explore._workload import SETTINGS, find_setting

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_MOST_REQUESTS = 20_000_000
_MOST_STEPS = 1000
_MOST_PER_S = 10**12
_DEFAULT_STEPS = 16


class DeploymentError(GnomonError):
    """A deployment that cannot be used; ``problems`` lists everything found."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def read_deployment(path: Path | str) -> Deployment:
    """Read a deployment file. Paths in it that are relative are so to its folder.

    Raises:
        GnomonError: with every problem, one per line: ``file:line: key: what is wrong``.
    """
    path = Path(path)
    raw, origins = read_keys(path, "deployment", DeploymentError)
    reader = _Reader(Checker(raw, origins, os.fspath(path)), path.parent)
    deployment = reader.deployment()
    if reader.checker.problems:
        raise DeploymentError(
            sorted(reader.checker.problems, key=lambda each: each.origin.line or 0)
        )
    assert deployment is not None
    return deployment


class _Reader(SupplyReader):
    """Reads section by section."""

    def deployment(self) -> Deployment | None:
        checker = self.checker
        checker.keys(checker.raw, tuple(SECTIONS[""]))
        for needed, key in SECTIONS[""].items():
            if key.required and checker.raw.get(needed) is None:
                checker.wrong(f"{needed} is missing: {key.meaning}")
        schema = checker.raw.get("schema")
        if schema is not None and (schema != 1 or isinstance(schema, bool)):
            checker.wrong(f"must be 1, the version of this file format, not {shown(schema)}",
                          "schema")  # fmt: skip
        name: Any = checker.raw.get("name")
        if name is not None and not (isinstance(name, str) and _NAME.fullmatch(name)):
            checker.wrong(f"must not be {shown(name)} (allowed: lower-case letters, digits, '.',"
                          " '_', '-', at most 64)", "name")  # fmt: skip
        title = checker.raw.get("title", name)
        if title is not None and not isinstance(title, str):
            checker.wrong(f"must be text, not {shown(title)}", "title")
        stream, recorded = self.stream()
        settings, steps, service = self.learner()
        architecture, arch, overrides = self.machine()
        device = self.device(architecture, settings)
        rewards = self.rewards()
        deadline_ps = self.ps(checker.raw.get("deadline"), "deadline", none=True)
        static_mw, idle_mw = self.power()
        sleep = self.sleep()
        battery = self.battery()
        require = []
        for index, text in enumerate(checker.items("require")):
            try:
                require.append(parse_requirement(text))
            except GnomonError as error:
                checker.wrong(str(error), "require", index)
        if checker.raw.get("deadline") is None and any(each.name == "missed" for each in require):
            checker.wrong("missed needs a deadline; say it in deadline", "require")
        if checker.raw.get("battery") in (None, "none") and any(
            each.name == "battery-life" for each in require
        ):
            checker.wrong("battery-life needs a battery; describe it in battery", "require")
        search = self.search(bool(require), overrides)
        if checker.problems or architecture is None:
            return None
        return Deployment(
            name=str(name),
            title=" ".join(str(title).split()),
            stream=stream,
            recorded=recorded,
            rewards=rewards,
            deadline_ps=deadline_ps,
            settings=tuple(settings.items()),
            steps=steps,
            service=service,
            arch=arch,
            overrides=overrides,
            architecture=architecture,
            harts=device["harts"],
            decision_places=device["waiting-decisions"],
            update_places=device["waiting-updates"],
            priority=device["priority"],
            preempt=device["preempt"],
            static_mw=static_mw,
            idle_mw=idle_mw,
            sleep=sleep,
            battery=battery,
            require=tuple(require),
            search=search,
        )

    def stream(self) -> tuple[Stream, Any]:
        section = self.part("requests")
        arrivals = self.word(section, "requests", "arrivals", tuple(ARRIVALS), "periodic")
        seed = self.whole(section, "requests", "seed", limits=(0, 2**31 - 1), default=0)
        recorded = None
        count = self.whole(section, "requests", "count", limits=(1, _MOST_REQUESTS), default=0)
        only = {"jitter": "periodic", "file": "recorded"}
        for key, of in only.items():
            if key in section and arrivals != of:
                self.checker.wrong(f"belongs to arrivals: {of}", "requests", key)
        period_ps, jitter_ps, file = 1, 0, ""
        if arrivals == "recorded":
            for key in ("period", "rate"):
                if key in section:
                    self.checker.wrong("a recorded stream has its own times", "requests", key)
            file, recorded = self.recorded(section)
        else:
            period_ps = self.period(section)
            jitter_ps = self.ps(section.get("jitter", "0 s"), "requests", "jitter") or 0
            if jitter_ps > period_ps:
                self.checker.wrong("must not be longer than the period: requests stay in order",
                                   "requests", "jitter")  # fmt: skip
            if self.checker.raw.get("requests") is not None and section.get("count") is None:
                self.checker.wrong("count is missing: how many requests", "requests")
        return Stream(arrivals, period_ps, jitter_ps, count, seed, file), recorded

    def period(self, section: Mapping[str, Any]) -> int:
        if (section.get("period") is None) == (section.get("rate") is None):
            if self.checker.raw.get("requests") is not None:
                self.checker.wrong("say period or rate, one of them", "requests")
            return 1
        if section.get("period") is not None:
            return max(1, self.ps(section["period"], "requests", "period", least=1) or 1)
        rate = self.amount(section["rate"], ("rate",), "requests", "rate")
        if rate is not None and rate <= 0:
            self.checker.wrong("must be more than 0", "requests", "rate")
            rate = None
        if rate is not None and rate > _MOST_PER_S:
            self.checker.wrong(
                f"must be at most {_MOST_PER_S:,} /s: times are whole picoseconds",
                "requests",
                "rate",
            )
        return 1 if rate is None else max(1, round(_MOST_PER_S / rate))

    def recorded(self, section: Mapping[str, Any]) -> tuple[str, Any]:
        file = section.get("file")
        if not isinstance(file, str):
            what = "file is missing: a CSV file of times" if file is None else (
                f"must be the path of a CSV file, not {shown(file)}")  # fmt: skip
            self.checker.wrong(what, "requests", *([] if file is None else ["file"]))
            return "", np.zeros(1, dtype=np.int64)
        try:
            return file, read_times(self.folder / file)
        except GnomonError as error:
            self.checker.wrong(str(error), "requests", "file")
            return file, np.zeros(1, dtype=np.int64)

    def rewards(self) -> Rewards:
        section = self.part("rewards")
        kind = self.word(section, "rewards", "kind", tuple(DELAYS), "constant")
        delay_ps = self.ps(section.get("delay", "0 s"), "rewards", "delay") or 0
        share = self.amount(section.get("share", "100 %"), ("share",), "rewards", "share")
        if share is not None and share > 1:
            self.checker.wrong("must not be more than 100 %", "rewards", "share")
        return Rewards(delay_ps, kind, float(share or 0))

    def learner(self) -> tuple[dict[str, Any], int, str]:
        checker = self.checker
        section = checker.section("learner")
        known = [each.name for each in SETTINGS["learner"] if each.name not in NOT_OF_DEPLOYMENTS]
        checker.keys(section, (*LEARNER_KEYS, *known), "learner")
        settings: dict[str, Any] = {"learner": section.get("name")}
        if checker.raw.get("learner") is None:
            return settings, 1, "drawn"
        steps = self.whole(
            section, "learner", "steps", limits=(1, _MOST_STEPS), default=_DEFAULT_STEPS
        )
        service = self.word(section, "learner", "service", tuple(SERVICES), "drawn")
        for name in known:
            setting = find_setting("learner", name)
            assert setting is not None
            default = "random" if name == "case" else setting.default
            value = section.get(name, default)
            if setting.needed and name not in section:
                checker.wrong(f"{name} is missing: {setting.meaning}", "learner")
                continue
            try:
                settings[name] = setting.check(value)
            except GnomonError as error:
                checker.wrong(str(error), "learner", name)
                settings[name] = setting.default
        if settings["case"] == "fresh" and "steps" not in section:
            steps = 1  # the same input has the same cost
        given = section.get("name")
        if not isinstance(given, str):
            checker.wrong("name is missing: name of the learner" if given is None else
                          f"must be the name of a learner, not {shown(given)}",
                          "learner", *([] if given is None else ["name"]))  # fmt: skip
            return settings, steps, service
        try:
            learner = find_learner(given)
        except GnomonError as error:
            checker.wrong(str(error), "learner", "name")
            return settings, steps, service
        if isinstance(settings.get("variant"), str):
            try:
                variant = learner.variant(settings["variant"], str(settings["line"]))
                if settings.get("correction-period") is not None:
                    variant.corrected_every(settings["correction-period"])
            except GnomonError as error:
                checker.wrong(str(error), "learner", "variant")
        return settings, steps, service

    def machine(self) -> tuple[Architecture | None, str, tuple[str, ...]]:
        arch = self.checker.raw.get("arch")
        section = self.checker.section("set")
        for name, value in section.items():
            if isinstance(value, dict):
                self.checker.wrong("must be a value, not a section; write dotted keys, such as"
                                   " vcu.simd: 8", "set", name)  # fmt: skip
        overrides = tuple(
            f"{name}={written(tuple(value) if isinstance(value, list) else value)}"
            for name, value in section.items()
            if not isinstance(value, dict)
        )
        if not isinstance(arch, str):
            if arch is not None:
                self.checker.wrong(f"must be the name of a machine or the path of its file, not"
                                   f" {shown(arch)}", "arch")  # fmt: skip
            return None, "", overrides
        arch = self.placed(arch)
        try:
            load_architecture(arch)
        except GnomonError as error:
            self.checker.wrong(str(error), "arch")
            return None, arch, overrides
        try:
            return load_architecture(arch, overrides), arch, overrides
        except GnomonError as error:
            self.checker.wrong(str(error), "set")
            return None, arch, overrides

    def device(
        self, architecture: Architecture | None, settings: Mapping[str, Any]
    ) -> dict[str, Any]:
        section = self.part("device")
        device: dict[str, Any] = {
            "harts": self.whole(section, "device", "harts", limits=(1, 64), default=1),
            "priority": self.word(section, "device", "priority", PRIORITIES, "decisions-first"),
            "preempt": section.get("preempt", False),
        }
        for key in ("waiting-decisions", "waiting-updates"):
            unlimited = section.get(key, "unlimited") == "unlimited"
            device[key] = (
                UNLIMITED
                if unlimited
                else self.whole(
                    section,
                    "device",
                    key,
                    limits=(0, _MOST_REQUESTS),
                    default=0,
                    or_word="unlimited",
                )
            )
        if not isinstance(device["preempt"], bool):
            self.checker.wrong(f"must be true or false, not {shown(device['preempt'])}",
                               "device", "preempt")  # fmt: skip
        elif device["preempt"]:
            self.preemption(device, settings)
        sharing = settings.get("harts")
        used = device["harts"] * (sharing if isinstance(sharing, int) else 1)
        if architecture is not None and used > architecture.core.harts:
            each = f" x {sharing} that share the arms" if sharing not in (None, 1) else ""
            self.checker.wrong(
                f"{device['harts']} at work{each} is more than {architecture.name} has"
                f" ({architecture.core.harts})",
                "device",
                "harts",
            )
        return device

    def preemption(self, device: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        if device["priority"] != "decisions-first":
            self.checker.wrong("goes with priority: decisions-first only", "device", "preempt")
        if str(settings.get("variant", "")).endswith("vector"):
            self.checker.wrong(
                f"variant {settings['variant']} keeps its operands in the scratchpads, which a"
                " decision would overwrite; take a scalar variant",
                "device",
                "preempt",
            )
