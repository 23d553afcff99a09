"""Dispatch of a requested quantity to the module that explains it."""

import re
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

from gnomon.arch import Architecture, Described, list_architectures
from gnomon.base.content import Root, content, roots
from gnomon.base.errors import GnomonError, allowed_hint, did_you_mean
from gnomon.base.keys import names_in
from gnomon.base.tables import shown_path
from gnomon.base.yaml import read_file
from gnomon.report.explain._chain import Chain
from gnomon.report.explain._entries import entry_paths, explain_entry, explain_place, yaml_lines
from gnomon.report.explain._machines import explain_area, explain_machine
from gnomon.report.explain._pages import explain_page, is_page_address, page_files
from gnomon.report.explain._programs import explain_kernel, explain_learner, explain_simulator
from gnomon.report.explain._rows import (
    csv_files,
    explain_csv,
    explain_published,
    is_csv_address,
    with_ours,
)
from gnomon.report.explain._sources import SIDECAR, table_path

_TABLES = {"power": "power", "area": "area", "activity": "activity", "platform": "platforms"}
"""Folders of ``models`` by the first word of an address."""
_LAWS, _DIVIDER_AREA = "models/dividers/laws.yaml", "models/dividers/area-xc7.yaml"
_YAML = re.compile(r"((?:models|arch)/[^:]+\.yaml)(?::(\d{1,9}))?")
_OWN = re.compile(r"(.+\.ya?ml)(?::(\d{1,9}))?")

_OTHER_FILES = {
    "sweep": "gnomon.explore:SweepFile",
    "budget": "gnomon.budget:BudgetFile",
    "deploy": "gnomon.deploy.file:DeploymentFile",
    "pipeline": "gnomon.deploy.pipeline_file:PipelineFile",
    "kernel": "gnomon.measure.kernels:KernelFile",
    "learner": "gnomon.learn.algorithm:Algorithm",
}
FORMS = (
    "reports/FILE.csv:LINE[:COLUMN]",
    "FILE.csv?COLUMN=VALUE&...[:COLUMN]",
    "reports/PAGE.md[:LINE[:COLUMN]]",
    "models/FILE.yaml[:LINE]",
    "table2/PLATFORM/VARIANT/d=8/METRIC",
    "arch.MACHINE.KEY",
    "MACHINE.yaml[:LINE]",
    "area.MACHINE[KEY=VALUE].PART",
    "power.TABLE.ENTRY",
    "area.TABLE.ENTRY",
    "activity.TABLE.ENTRY",
    "platform.NAME.ENTRY",
    "divider.NAME",
    "kernel.NAME.VARIANT",
    "learner.NAME.LINE.VARIANT",
    "simulator",
)
"""Forms of quantities."""
_WORDS = ("arch", *_TABLES, "divider", "kernel", "learner", "simulator")


def explain_quantity(quantity: str) -> tuple[Chain, ...]:
    """Return the chains of a quantity; several if it names several numbers.

    Every chain has at least one step of kind ``source``.

    Raises:
        GnomonError: if the quantity is unknown; the message has the nearest name or allowed forms.
    """
    # User files may change; shipped files do not.
    resolve = _chains_of if ".y" in quantity or len(roots()) > 1 else _resolve
    chains = resolve(quantity.strip())
    if _is_published(quantity.strip()):
        return tuple(with_ours(chain) for chain in chains)
    return chains


def _is_published(quantity: str) -> bool:
    return quantity.startswith("table") and "/" in quantity


def _resolve(quantity: str) -> tuple[Chain, ...]:
    # Files of users may change.
    return _kept(quantity) if all(_is_shipped(root) for root in roots()) else _chains_of(quantity)


def _is_shipped(root: Root) -> bool:
    return root.origin == "shipped"


@cache
def _kept(quantity: str) -> tuple[Chain, ...]:
    return _chains_of(quantity)


def _chains_of(quantity: str) -> tuple[Chain, ...]:
    if is_csv_address(quantity):
        return explain_csv(quantity, _resolve)
    if is_page_address(quantity):
        return explain_page(quantity, _resolve)
    if _YAML.fullmatch(quantity):
        return (_in_yaml(quantity),)
    if _is_published(quantity):
        return explain_published(quantity, _resolve)
    own = _OWN.fullmatch(quantity)
    if own is not None and Path(own[1]).is_file():
        _check_machine(own[1])
        return (_machine_line(own[1], own[1], int(own[2])) if own[2] else explain_machine(own[1]),)
    word, _, rest = quantity.partition(".")
    if word == "simulator":
        return (explain_simulator(),)
    if word not in _WORDS or not rest:
        raise GnomonError(_unknown(quantity, word))
    if word == "arch":
        return (explain_machine(rest),)
    several = {"kernel": explain_kernel, "learner": explain_learner, "divider": _divider}
    if word in several:
        return several[word](rest)
    tables = sorted(path.stem for path in content("models", _TABLES[word]).glob("*.yaml"))
    fitting = [name for name in tables if rest == name or rest.startswith(name + ".")]
    if not fitting:
        if word == "area":
            return (explain_area(rest),)
        raise GnomonError(
            f"{quantity}: no such table {allowed_hint(rest.partition('.')[0], tables, 'known')}"
        )
    name = max(fitting, key=len)
    path = rest[len(name) + 1 :]
    file = f"models/{_TABLES[word]}/{name}.yaml"
    return (explain_entry(file, path, f"{word}.{name}", _resolve),)


def _divider(rest: str) -> tuple[Chain, ...]:
    """Return the latency model of a divider, and its row of area if there is one."""
    chains = [explain_entry(_LAWS, rest, "divider", _resolve)]
    if "." not in rest and f"rows.{rest}" in entry_paths(_DIVIDER_AREA):
        chains.append(explain_entry(_DIVIDER_AREA, f"rows.{rest}", "divider-area", _resolve))
    return tuple(chains)


def _in_yaml(quantity: str) -> Chain:
    """Return the chain of a YAML file, or of the entry that starts in a line of it."""
    file, _, line = quantity.partition(":")
    if not table_path(file).is_file():
        machines = [f"arch/{name}.yaml" for name in list_architectures()]
        known = [*_yaml_files(), *csv_files(), *machines]
        raise GnomonError(f"{file}: does not exist{did_you_mean(file, known)}")
    if file.startswith("arch/"):
        machine = file.removeprefix("arch/").removesuffix(".yaml")
        file = shown_path(table_path(file))
        return _machine_line(file, machine, int(line)) if line else explain_machine(machine)
    if not line:
        return explain_place(file, (), file, _resolve)
    lines = yaml_lines(file)
    places = [place for place, own in lines.lines.items() if own == int(line)]
    if not places:
        raise GnomonError(f"{quantity}: no entry starts in this line")
    return explain_place(file, places[0], file, _resolve)


def _check_machine(file: str) -> None:
    """Check that a file does not have more keys of another kind than of a machine."""
    keys = set(read_file(file, "machine")[0].entries)
    fits = {kind: len(keys.intersection(names_in(resolve_name(model))))
            for kind, model in _OTHER_FILES.items()}  # fmt: skip
    kind = max(fits, key=lambda each: fits[each])
    if fits[kind] > len(keys.intersection([*names_in(Architecture), "extends"])):
        raise GnomonError(
            f"{file}: is a user file for `gnomon {kind}`; `gnomon schema {kind}` prints the meaning"
            " of its keys (explained are lines of machines, of tables in models/ and of CSV files"
            " in reports/)"
        )


def _machine_line(file: str, machine: str, line: int) -> Chain:
    for row in Described.list_keys(machine):
        if row.origin == f"{file}:{line}":
            return explain_machine(f"{machine}.{row.path}")
    raise GnomonError(f"{file}:{line}: no key of {machine} has its value from this line")


def _yaml_files() -> list[str]:
    root = content("models")
    files = (path for path in root.rglob("*.yaml") if path.name != SIDECAR)
    return [f"models/{path.relative_to(root).as_posix()}" for path in files]


def _unknown(quantity: str, word: str) -> str:
    near = did_you_mean(word, _WORDS)
    if "/" in quantity:
        near = did_you_mean(
            quantity.partition(":")[0], [*csv_files(), *page_files(), *_yaml_files()]
        )
    return f"{quantity!r} is not a quantity{near} (forms: {'; '.join(FORMS)})"
