"""IPApproX ``src_files.yml``: named groups, each with ``files`` and ``incdirs``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.rtl._sources import Source, SourceList, make_source, unique
from gnomon.rtl._sources_nodes import entries, line_of, read_nodes, texts

if TYPE_CHECKING:
    from pathlib import Path

# Keys of IPApproX; those without a meaning here change no file of the list.
_KEYS = ("files", "incdirs", "defines", "targets", "flags", "vlog_opts", "vcom_opts")


def read_src_files(path: Path) -> SourceList:
    """Read every group of a ``src_files.yml``; paths are as from its folder.

    A group with ``targets`` that do not include ``rtl`` is for another tool and is left out.

    Raises:
        GnomonError: with file and line.
    """
    sources: list[Source] = []
    folders: list[Path] = []
    defines: list[tuple[str, str]] = []
    for group, body in entries(read_nodes(path)):
        if not isinstance(body, yaml.MappingNode):
            raise GnomonError(f"{path}:{line_of(body)}: {group}: must have a key 'files'")
        content = dict(entries(body))
        for (key, _), (node, _) in zip(entries(body), body.value, strict=True):
            if key not in _KEYS:
                raise GnomonError(
                    f"{path}:{line_of(node)}: {group}.{key}: unknown key (known: "
                    f"{', '.join(_KEYS)}){did_you_mean(key, _KEYS)}"
                )
        if "files" not in content:
            raise GnomonError(f"{path}:{line_of(body)}: {group}: has no key 'files'")
        if "targets" in content:
            targets = [name for name, _ in texts(content["targets"], path, f"{group}.targets")]
            if targets and "rtl" not in targets:
                continue
        for name, line in texts(content["files"], path, f"{group}.files"):
            sources.append(make_source(name, path.parent, path, line))
        if "incdirs" in content:
            for name, line in texts(content["incdirs"], path, f"{group}.incdirs"):
                if not (path.parent / name).is_dir():
                    raise GnomonError(f"{path}:{line}: {name}: no such folder")
                folders.append(path.parent / name)
        if "defines" in content:
            for each, _ in texts(content["defines"], path, f"{group}.defines"):
                name, _, value = each.partition("=")
                defines.append((name, value))
    return SourceList(path, unique(sources), tuple(dict.fromkeys(folders)), tuple(defines))
