"""Every key of a machine file, from the schema that reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.arch.keys import all_keys, meaning_of, optional_sections, written
from gnomon.cli.reference._markdown import code, page, table

if TYPE_CHECKING:
    from gnomon.base.schema import Key

_INTRODUCTION = """\
A machine is one YAML file. `extends: NAME` or `extends: PATH` in it takes every value of another
machine that the file does not give itself; a section takes `none` where the page says that it may
be left out. `gnomon arch show MACHINE` prints the values of one machine and the line each is from,
`gnomon arch check FILE` checks a file, `--set KEY=VALUE` changes a key for one command. A key is
written here as `--set` and sweeps write it: `core.harts` is `harts` in the section `core`."""


def machine_page() -> str:
    """The page as Markdown."""
    parts = [_INTRODUCTION]
    sections: dict[str, list[Key]] = {}
    for each in all_keys():
        sections.setdefault(each.path.rpartition(".")[0], []).append(each)
    for section, keys in sections.items():
        if section:
            parts.append(f"## {section}")
            meaning = meaning_of(section)
            optional = "" if section not in optional_sections() else " May be `none`."
            parts.append(f"{meaning[0].upper()}{meaning[1:]}.{optional}")
        else:
            parts.append("## Top of the file")
        header = ("key", "unit", "default", "allowed", "meaning")
        parts.append(table(header, [_row(key) for key in keys]))
    return page("Keys of a machine", *parts)


def _row(key: Key) -> tuple[str, ...]:
    default = "required" if key.required else code(written(key.default, key.unit))
    why = f" (why: {key.why})" if key.why else ""
    return (code(key.path), key.unit, default, key.allowed, key.meaning + why)
