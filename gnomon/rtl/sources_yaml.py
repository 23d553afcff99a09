"""Lists of sources in YAML, read with their lines: IPApproX ``src_files.yml``, FuseSoC ``.core``.

``src_files.yml``: named groups, each with ``files`` and ``incdirs``. ``.core`` (CAPI 2): the
filesets of one target; a conditional such as ``target_sim ? (bench)`` applies if it names that
target. Dependencies on other cores are not resolved: an error names them, and a ``.f`` list can
name their files.
"""

import re
from pathlib import Path
from typing import Any

import yaml

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.rtl.listed import Listed, check_folder, read_list_text

# Keys of IPApproX; keys without a meaning here do not change the files of the list.
_KEYS = ("files", "incdirs", "defines", "targets", "flags", "vlog_opts", "vcom_opts")
_FIRST_LINE = "CAPI=2:"
_CONDITION = re.compile(r"\s*(!?)\s*(\w+)\s*\?\s*\(\s*(.*?)\s*\)\s*", re.DOTALL)
_HDL = re.compile(r"(vhdl|verilog|systemVerilog)", re.IGNORECASE)


def read_src_files(found: Listed, path: Path) -> None:
    """Read every group of a ``src_files.yml``.

    A group whose ``targets`` do not include ``rtl`` is for another tool and is left out.
    """
    for group, body in _entries(_parse_root(path, read_list_text(path))):
        if not isinstance(body, yaml.MappingNode):
            raise GnomonError(f"{path}:{_line(body)}: {group}: must have a key 'files'")
        for node, _ in body.value:
            key = str(getattr(node, "value", ""))
            if key not in _KEYS:
                raise GnomonError(
                    f"{path}:{_line(node)}: {group}.{key}: unknown key (known: "
                    f"{', '.join(_KEYS)}){did_you_mean(key, _KEYS)}"
                )
        content = dict(_entries(body))
        if "files" not in content:
            raise GnomonError(f"{path}:{_line(body)}: {group}: has no key 'files'")
        listed = {
            key: _read_items(content[key], path, f"{group}.{key}") if key in content else []
            for key in ("targets", "files", "incdirs", "defines")
        }
        if listed["targets"] and "rtl" not in dict(listed["targets"]):
            continue
        for name, line in listed["files"]:
            found.file(name, path, line)
        for name, line in listed["incdirs"]:
            check_folder(name, path, line)


def read_core(found: Listed, path: Path, target: str = "default") -> None:
    """Read the sources of one target of a ``.core`` file."""
    head, _, rest = read_list_text(path).partition("\n")
    if head.strip() != _FIRST_LINE:
        raise GnomonError(f"{path}:1: must begin with {_FIRST_LINE!r}, not {head.strip()[:40]!r}")
    root = dict(_entries(_parse_root(path, "\n" + rest)))
    filesets = _read_mapping(root.get("filesets"), path, "filesets")
    targets = _read_mapping(root.get("targets"), path, "targets")
    if target not in targets:
        raise GnomonError(
            f"{path}:{_line(root.get('targets'))}: no target {target!r}"
            f"{did_you_mean(target, targets)}"
        )
    body = _read_mapping(targets[target], path, f"targets.{target}")
    if "filesets" not in body:
        return
    for entry, line in _read_items(body["filesets"], path, f"targets.{target}.filesets"):
        name = _apply_condition(entry, target, f"{path}:{line}")
        if name is None:
            continue
        if name not in filesets:
            raise GnomonError(f"{path}:{line}: no fileset {name!r}{did_you_mean(name, filesets)}")
        _read_fileset(found, path, f"filesets.{name}", filesets[name], target)


def _read_fileset(found: Listed, path: Path, what: str, node: yaml.Node, target: str) -> None:
    body = _read_mapping(node, path, what)
    if "depend" in body:
        for entry, line in _read_items(body["depend"], path, f"{what}.depend"):
            needed = _apply_condition(entry, target, f"{path}:{line}")
            if needed is not None:
                name = what.removeprefix("filesets.")
                raise GnomonError(
                    f"{path}:{line}: fileset {name} depends on {needed}, which is not resolved;"
                    " name all files in a .f list"
                )
    files = body.get("files")
    if files is None:
        return
    if not isinstance(files, yaml.SequenceNode):
        raise GnomonError(f"{path}:{_line(files)}: {what}.files must be a list")
    for item in files.value:
        kind, include = _scalar(body.get("file_type")), False
        if isinstance(item, yaml.MappingNode) and len(item.value) == 1:
            (name, options), *_ = _entries(item)
            settings = _read_mapping(options, path, f"{what}.files")
            kind = _scalar(settings.get("file_type")) or kind
            include = _scalar(settings.get("is_include_file")).lower() == "true"
        elif isinstance(item, yaml.ScalarNode):
            name = item.value
        else:
            raise GnomonError(f"{path}:{_line(item)}: {what}.files: an item must be a file")
        chosen = _apply_condition(name, target, f"{path}:{_line(item)}")
        if chosen is None or (kind and not _HDL.match(kind)):
            continue  # scripts, constraints, data
        if not include:
            found.file(chosen, path, _line(item))


def _apply_condition(entry: str, target: str, where: str) -> str | None:
    match = _CONDITION.fullmatch(entry)
    if match is None:
        return entry
    negated, flag, name = match[1], match[2], match[3]
    if not flag.startswith(("target_", "tool_")):
        raise GnomonError(f"{where}: condition {flag!r} cannot be decided (known: target_NAME)")
    holds = flag in {f"target_{target}", "tool_ghdl"}
    return name if holds != bool(negated) else None


def _parse_root(path: Path, text: str) -> yaml.MappingNode:
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise GnomonError(f"{path}:{line}: not YAML: {error.problem or error.context}") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise GnomonError(f"{path}: not YAML: {str(error).splitlines()[0]}") from None
    if not isinstance(node, yaml.MappingNode):
        raise GnomonError(f"{path}:{_line(node)}: must be a mapping of names to contents")
    return node


def _read_mapping(node: yaml.Node | None, path: Path, what: str) -> dict[str, yaml.Node]:
    if node is None:
        raise GnomonError(f"{path}:1: has no {what}")
    if isinstance(node, yaml.ScalarNode) and not node.value:
        return {}
    if not isinstance(node, yaml.MappingNode):
        raise GnomonError(f"{path}:{_line(node)}: {what} must be a mapping")
    return dict(_entries(node))


def _line(node: yaml.Node | None) -> int:
    return node.start_mark.line + 1 if node is not None else 1


def _scalar(node: yaml.Node | None) -> str:
    return node.value if isinstance(node, yaml.ScalarNode) else ""


def _entries(node: yaml.MappingNode) -> list[tuple[str, yaml.Node]]:
    return [(str(getattr(key, "value", "")), value) for key, value in node.value]


def _read_items(node: yaml.Node, where: Path, what: str) -> list[tuple[str, int]]:
    """Return the items of a list of plain names, with their lines."""
    if isinstance(node, yaml.ScalarNode) and not node.value:
        return []
    if not isinstance(node, yaml.SequenceNode):
        raise GnomonError(f"{where}:{_line(node)}: {what} must be a list")
    items: list[Any] = node.value
    for item in items:
        if not isinstance(item, yaml.ScalarNode):
            raise GnomonError(f"{where}:{_line(item)}: {what}: an item must be a plain name")
    return [(item.value, _line(item)) for item in items]
