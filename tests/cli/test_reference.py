"""The reference pages are what the code says; no key and no option goes unexplained."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import yaml

from gnomon.arch import load_architecture
from gnomon.arch.dividers import Divider
from gnomon.arch.keys import key_paths
from gnomon.base.errors import GnomonError
from gnomon.base.keys import keys_of
from gnomon.cli.reference import reference_pages
from gnomon.cli.reference.__main__ import main
from gnomon.cli.reference._commands import commands
from gnomon.cli.reference._tables import divider_keys
from gnomon.cost.area import list_area_keys
from gnomon.cost.energy import PowerTable
from gnomon.cost.platforms import list_platform_keys, load_platform
from tests.commands import gnomon

_ROOT = Path(__file__).resolve().parents[2]
_PAGES = _ROOT / "docs" / "reference"


def test_pages_are_committed() -> None:
    pages = reference_pages()
    assert {path.name for path in _PAGES.iterdir()} == set(pages)
    for name, text in pages.items():
        assert (_PAGES / name).read_text(encoding="utf-8") == text, f"run make reference ({name})"


def test_written_by_the_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(_ROOT)
    monkeypatch.setattr(sys, "argv", ["reference", str(tmp_path / "new")])
    main()
    for path in _PAGES.iterdir():
        assert (tmp_path / "new" / path.name).read_bytes() == path.read_bytes()


def test_every_option_is_explained() -> None:
    for command in commands():
        assert command.help, command.name
        for each in command.parameters:
            assert each.help, f"gnomon {command.name} {each.names}"
            assert each.argument or all(name.startswith("-") for name in each.names)
        names = {name for each in command.parameters for name in each.names}
        assert "--json" in names or "--version" in names, command.name


@pytest.mark.parametrize("command", ["learner", "power activity"])
def test_help_prints_the_same_options(command: str) -> None:
    done = gnomon(*command.split(), "--help", folder=_ROOT)
    assert done.returncode == 0, done.stderr
    printed = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", done.stdout)) - {"--help"}
    known = next(each for each in commands() if each.name == command)
    names = {name for each in known.parameters for name in each.names if name.startswith("--")}
    # Help may name an option of elsewhere in a sentence, but must list each of its own.
    assert names <= printed


def test_every_machine_key_has_a_row_and_a_meaning() -> None:
    rows = re.findall(
        r"^\| `([^`]+)` \|.*\| (.+) \|$", reference_pages()["machine.md"], re.MULTILINE
    )
    assert sorted(path for path, _ in rows) == sorted(key_paths())
    assert all(len(meaning) > 2 for _, meaning in rows)
    assert load_architecture("t13").to_dict().keys() <= {path.split(".")[0] for path, _ in rows}


def _leaves(value: object, prefix: str = "") -> set[str]:
    if isinstance(value, dict) and value:
        return {leaf for key, below in value.items() for leaf in _leaves(below, f"{prefix}.{key}")}
    return {prefix.removeprefix(".")}


def _known(leaf: str, path: str) -> bool:
    words, known = leaf.split("."), path.split(".")
    return len(words) == len(known) and all(
        part.isupper() or part == word for word, part in zip(words, known, strict=True)
    )


_TABLES = {
    "power": (keys_of(PowerTable), "models/power/t13*.yaml"),
    "platform": (list_platform_keys(), "models/platforms/*.yaml"),
    "divider": (divider_keys(), "models/dividers/laws.yaml"),
}


@pytest.mark.parametrize("kind", _TABLES)
def test_tables_have_the_keys_of_the_page(kind: str) -> None:
    keys, pattern = _TABLES[kind]
    leaves = set().union(
        *(_leaves(yaml.safe_load(path.read_text())) for path in _ROOT.glob(pattern))
    )
    named = [key for key in keys if key.path != "NAME"]
    assert not [leaf for leaf in leaves if not any(_known(leaf, key.path) for key in named)]
    assert not [key for key in named if not any(_known(leaf, key.path) for leaf in leaves)]
    assert all(key.meaning for key in keys)


def _without(value: dict, path: str) -> dict:
    first, _, rest = path.partition(".")
    name = next(iter(value)) if first.isupper() else first
    if not rest:
        return {key: below for key, below in value.items() if key != name}
    return {k: _without(below, rest) if k == name else below for k, below in value.items()}


@pytest.mark.parametrize("key", [key.path for key in keys_of(PowerTable) if key.required])
def test_a_power_table_needs_its_keys(key: str, tmp_path: Path) -> None:
    raw = yaml.safe_load((_ROOT / "models" / "power" / "t13.yaml").read_text())
    path = tmp_path / "own.yaml"
    path.write_text(yaml.safe_dump(_without(raw, key)))
    with pytest.raises(GnomonError, match=key.rpartition(".")[2]):
        PowerTable.load(str(path))


@pytest.mark.parametrize("key", [key.path for key in list_platform_keys() if key.required])
def test_a_platform_needs_its_keys(key: str, tmp_path: Path) -> None:
    raw = yaml.safe_load((_ROOT / "models" / "platforms" / "cortex-m4.yaml").read_text())
    path = tmp_path / "own.yaml"
    path.write_text(yaml.safe_dump(_without(raw, key)))
    with pytest.raises(GnomonError, match=rf"{key.rpartition('.')[2]}: missing"):
        load_platform(path)


def test_area_keys_are_explained() -> None:
    assert all(key.meaning and key.allowed for key in list_area_keys())


def test_every_law_is_explained() -> None:
    law = next(key for key in divider_keys() if key.path == "NAME.law")
    assert list(Divider.LAWS) == law.allowed.split(", ")
