"""The pages of all keys of user files: machines, sweeps, deployments, budgets."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from gnomon.arch.keys import all_keys, meaning_of, optional_sections, written
from gnomon.base.keys import Key, own_keys, section_at
from gnomon.budget import BUILD_SETTINGS, METRICS_OF, BudgetFile, CheckFile
from gnomon.cli.reference._markdown import code, page, table
from gnomon.deploy.file import NOT_OF_DEPLOYMENTS, OBJECTIVES, DeploymentFile
from gnomon.deploy.pipeline_file import PipelineFile
from gnomon.deploy.quantities import (
    KINDS,
    PIPELINE_QUANTITIES,
    QUANTITIES,
    STAGE_QUANTITIES,
)
from gnomon.deploy.streams import ARRIVALS, DELAYS, SERVICES
from gnomon.explore import SearchKeys, SweepFile
from gnomon.explore.metrics import METRICS, UNITS
from gnomon.explore.settings import SETTINGS, WorkloadSetting

_MACHINE = """\
A machine is one YAML file. `extends: NAME` or `extends: PATH` in it takes every value of another
machine that the file does not give. A section takes `none` if the page states that it may be left
out. `gnomon arch show MACHINE` prints the values of one machine and the line each is from,
`gnomon arch check FILE` checks a file, `--set KEY=VALUE` changes a key for one command. A key is
written here as `--set` and sweeps write it: `core.harts` is `harts` in the section `core`."""
_SWEEP = """\
A sweep is one YAML file for `gnomon sweep` ([docs/guide/sweep.md](../guide/sweep.md)).
An axis or a fixed value is a setting of what runs, `arch` (an axis), or any
[key of a machine](machine.md)."""
_DEPLOYMENT = """\
A deployment is one YAML file for `gnomon deploy` ([docs/guide/deploy.md](../guide/deploy.md)).
A quantity is a number and its unit. A figure that no run of gnomon can give is written as
`{value: 100 us, source: where it is from}`, or as `not included`; then results state it."""
_PIPELINE = """\
A pipeline is one YAML file for `gnomon deploy` with a section `stages`
([docs/guide/pipeline.md](../guide/pipeline.md)). Sections `power`, `sleep` and `battery` and all
units are those of a [deployment](deploy.md)."""
_WORKLOADS = """\
The section of a kernel or learner takes `name` and its [settings](sweep.md), that of a program also
`region` (the measured function), `max-cycles` and `operands`. A stage runs on one hart."""
_LEARNER = (
    "And the [settings of a learner](sweep.md), except"
    f" {', '.join(f'`{name}`' for name in NOT_OF_DEPLOYMENTS)}; `case` is `random` by default."
)
_BUDGET = """\
A budget is one YAML file for `gnomon budget` ([docs/guide/budget.md](../guide/budget.md)).
In brackets: the default of a key."""
_BUDGET_SETTINGS = "The [settings of sweeps](sweep.md), and of a program that is built:"
_SETTING = ("setting", "default", "allowed", "meaning")


def machine_page() -> str:
    parts = [_MACHINE]
    sections: dict[str, list[Key]] = {}
    for each in all_keys():
        sections.setdefault(each.path.rpartition(".")[0], []).append(each)
    for section, keys in sections.items():
        parts.append(f"## {section or 'Top of the file'}")
        if section:
            meaning = meaning_of(section)
            optional = " May be `none`." * (section in optional_sections())
            parts.append(f"{meaning[0].upper()}{meaning[1:]}.{optional}")
        header = ("key", "unit", "default", "allowed", "meaning")
        parts.append(table(header, [_machine_row(key) for key in keys]))
    return page("Keys of a machine", *parts)


def _machine_row(key: Key) -> tuple[str, ...]:
    default = "required" if key.required else code(written(key.default, key.unit))
    why = f" (why: {key.why})" if key.why else ""
    return (code(key.path), key.unit, default, key.allowed, key.meaning + why)


def sweep_page() -> str:
    parts = [_SWEEP, "## Keys", "In brackets: the default of a key.",
             _meanings(SweepFile), "## search", _meanings(SearchKeys)]  # fmt: skip
    for workload, settings in SETTINGS.items():
        parts.append(f"## Settings of a {workload}")
        parts.append(table(_SETTING, [_setting_row(setting) for setting in settings]))
    parts += ["## Quantities", "For constraints and objectives; columns of the results."]
    measured = [
        (code(metric.word), code(metric.name), ", ".join(metric.of), ", ".join(UNITS[metric.unit]),
         metric.meaning)
        for metric in METRICS
    ]  # fmt: skip
    parts.append(table(("quantity", "column", "of", "units", "meaning"), measured))
    return page("Keys of a sweep", *parts)


def _setting_row(setting: WorkloadSetting) -> tuple[str, ...]:
    value = setting.default
    words = {None: "none", True: "true", False: "false"}
    shown = words[value] if value is None or isinstance(value, bool) else str(value)
    default = "required" if setting.needed else code(shown)
    if setting.derived is not None:
        default = setting.derived[1]
    return code(setting.name), default, setting.allowed, setting.meaning


def deployment_page() -> str:
    parts = [_DEPLOYMENT, "## Keys", _defaults(DeploymentFile)]
    for name in ("learner", "requests", "rewards", "device", "power", "sleep", "battery", "search"):
        section = section_at(DeploymentFile, [name])
        assert section is not None
        parts += [f"## {name}", _defaults(section), *([_LEARNER] if name == "learner" else [])]
    words: dict[str, Mapping[Any, str]] = {
        "requests.arrivals": ARRIVALS, "rewards.kind": DELAYS, "learner.service": SERVICES,
        "search.objective": OBJECTIVES,
    }  # fmt: skip
    rows = [(code(key), code(word), text) for key, of in words.items() for word, text in of.items()]
    parts += ["## Words", table(("key", "word", "meaning"), rows)]
    required = [(code(name), kind, text) for name, (kind, text) in QUANTITIES.items()]
    parts += ["## Quantities that can be required"]
    parts.append(table(("quantity", "kind", "meaning"), required))
    parts += ["## Units", table(("kind", "units"), [(k, ", ".join(u)) for k, u in KINDS.items()])]
    return page("Keys of a deployment", *parts)


def pipeline_page() -> str:
    parts = [_PIPELINE, "## Keys", _defaults(PipelineFile)]
    stage = section_at(PipelineFile, ["stages", "NAME"])
    assert stage is not None
    parts += ["## stages.NAME", _defaults(stage), _WORKLOADS]
    for name in ("device", "harvest"):
        section = section_at(PipelineFile, [name])
        assert section is not None
        parts += [f"## {name}", _defaults(section)]
    parts += ["## Quantities that can be required"]
    required = {f"STAGE.{name}": each for name, each in STAGE_QUANTITIES.items()}
    rows = [(code(name), kind, text)
            for name, (kind, text) in (required | PIPELINE_QUANTITIES).items()]  # fmt: skip
    parts.append(table(("quantity", "kind", "meaning"), rows))
    return page("Keys of a pipeline", *parts)


def budget_page() -> str:
    parts = [_BUDGET]
    for title, kind in (("Keys", BudgetFile), ("Keys of a check", CheckFile)):
        parts += [f"## {title}", _meanings(kind)]
    settings = [
        (code(each.name), code(str(each.default)), each.allowed, each.meaning)
        for each in BUILD_SETTINGS
    ]
    parts += ["## Settings", _BUDGET_SETTINGS, table(_SETTING, settings), "## Quantities"]
    of = METRICS_OF
    metrics = {name: metric for each in of.values() for name, metric in each.items()}
    quantities = [
        (code(metric.word), ", ".join(kind for kind in of if name in of[kind]),
         ", ".join(UNITS[metric.unit]), metric.meaning)
        for name, metric in metrics.items()
    ]  # fmt: skip
    parts.append(table(("quantity", "of", "units", "meaning"), quantities))
    return page("Keys of a budget", *parts)


def _meanings(kind: type[BaseModel]) -> str:
    return table(("key", "meaning"), [(code(key.path), key.meaning) for key in own_keys(kind)])


def _defaults(kind: type[BaseModel]) -> str:
    rows = [
        (code(each.path), "required" if each.required else code(each.shown_default), each.meaning)
        for each in own_keys(kind)
    ]
    return table(("key", "default", "meaning"), rows)
