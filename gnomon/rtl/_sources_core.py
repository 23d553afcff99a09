"""FuseSoC ``.core`` files (CAPI 2): the filesets of one target.

Read are ``filesets`` and ``targets.TARGET.filesets``; a conditional such as
``target_sim ? (bench)`` counts if it names the target read. Dependencies on other cores are not
looked for: an error names them, and the files they bring can be given by a ``.f`` list.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import yaml

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.rtl._sources import Source, SourceList, make_source, unique
from gnomon.rtl._sources_nodes import entries, line_of, read_nodes, texts

if TYPE_CHECKING:
    from pathlib import Path

_FIRST_LINE = "CAPI=2:"
_CONDITION = re.compile(r"\s*(!?)\s*(\w+)\s*\?\s*\(\s*(.*?)\s*\)\s*", re.DOTALL)
_HDL = re.compile(r"(vhdl|verilog|systemVerilog)", re.IGNORECASE)


def read_core(path: Path, target: str = "default") -> SourceList:
    """Read the sources of one target of a ``.core`` file; paths are as from its folder.

    Raises:
        GnomonError: with file and line; also for a core that depends on others.
    """
    root = dict(entries(read_nodes(path, first_line=_FIRST_LINE)))
    filesets = _mapping(root.get("filesets"), path, "filesets")
    targets = _mapping(root.get("targets"), path, "targets")
    if target not in targets:
        raise GnomonError(
            f"{path}:{line_of(root.get('targets'))}: no target {target!r}"
            f"{did_you_mean(target, targets)}"
        )
    body = _mapping(targets[target], path, f"targets.{target}")
    wanted = (
        texts(body["filesets"], path, f"targets.{target}.filesets") if "filesets" in body else []
    )
    sources: list[Source] = []
    folders: list[Path] = []
    for entry, line in wanted:
        name = _condition(entry, target, f"{path}:{line}")
        if name is None:
            continue
        if name not in filesets:
            raise GnomonError(f"{path}:{line}: no fileset {name!r}{did_you_mean(name, filesets)}")
        _fileset(path, name, filesets[name], target, sources=sources, folders=folders)
    return SourceList(path, unique(sources), tuple(dict.fromkeys(folders)))


def _fileset(
    path: Path,
    name: str,
    node: yaml.Node,
    target: str,
    *,
    sources: list[Source],
    folders: list[Path],
) -> None:
    body = _mapping(node, path, f"filesets.{name}")
    if "depend" in body:
        for entry, line in texts(body["depend"], path, f"filesets.{name}.depend"):
            needed = _condition(entry, target, f"{path}:{line}")
            if needed is not None:
                raise GnomonError(
                    f"{path}:{line}: fileset {name} depends on {needed}, which is not looked for;"
                    " give all files by a .f list"
                )
    kind = body.get("file_type")
    common = kind.value if isinstance(kind, yaml.ScalarNode) else ""
    files = body.get("files")
    if files is None:
        return
    if not isinstance(files, yaml.SequenceNode):
        raise GnomonError(f"{path}:{line_of(files)}: filesets.{name}.files must be a list")
    for item in files.value:
        line, own, include = line_of(item), common, False
        if isinstance(item, yaml.MappingNode) and len(item.value) == 1:
            (file_name, options), *_ = entries(item)
            settings = _mapping(options, path, f"filesets.{name}.files")
            own_kind = settings.get("file_type")
            own = own_kind.value if isinstance(own_kind, yaml.ScalarNode) else common
            mark = settings.get("is_include_file")
            include = isinstance(mark, yaml.ScalarNode) and mark.value.lower() == "true"
        elif isinstance(item, yaml.ScalarNode):
            file_name = item.value
        else:
            raise GnomonError(f"{path}:{line}: filesets.{name}.files: an item must be a file")
        chosen = _condition(file_name, target, f"{path}:{line}")
        if chosen is None or (own and not _HDL.match(own)):
            continue  # scripts, constraints, data
        if include:
            folders.append((path.parent / chosen).parent)
            continue
        sources.append(make_source(chosen, path.parent, path, line))


def _mapping(node: yaml.Node | None, path: Path, what: str) -> dict[str, yaml.Node]:
    if node is None:
        raise GnomonError(f"{path}:1: has no {what}")
    if isinstance(node, yaml.ScalarNode) and not node.value:
        return {}
    if not isinstance(node, yaml.MappingNode):
        raise GnomonError(f"{path}:{line_of(node)}: {what} must be a mapping")
    return dict(entries(node))


def _condition(entry: str, target: str, where: str) -> str | None:
    match = _CONDITION.fullmatch(entry)
    if match is None:
        return entry
    negated, flag, name = match[1], match[2], match[3]
    if not flag.startswith(("target_", "tool_")):
        raise GnomonError(f"{where}: condition {flag!r} cannot be decided (known: target_NAME)")
    holds = flag in {f"target_{target}", "tool_ghdl"}
    return name if holds != bool(negated) else None
