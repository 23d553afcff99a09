"""The sources named by a list, with their languages, in order and without repetition."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.files import read_text

Language = Literal["vhdl", "verilog", "systemverilog"]
"""Language of a source, by the ending of its name."""

_LANGUAGES: dict[str, Language] = {
    ".vhd": "vhdl", ".vhdl": "vhdl", ".v": "verilog", ".vh": "verilog", ".sv": "systemverilog",
    ".svh": "systemverilog",
}  # fmt: skip


@dataclass(slots=True)
class Listed:
    """The sources read so far; a repeated file keeps its first place."""

    languages: dict[Path, Language] = field(default_factory=dict)
    _seen: set[Path] = field(default_factory=set)

    def file(self, name: str, path: Path, line: int) -> None:
        """Add a source; its path is relative to the folder of the list.

        Raises:
            GnomonError: if the kind of the source is unknown or the file does not exist.
        """
        source = path.parent / name
        language = _LANGUAGES.get(source.suffix.lower())
        if language is None:
            known = ", ".join(_LANGUAGES)
            raise GnomonError(
                f"{path}:{line}: {name}: unknown kind of source (known endings: {known})"
            )
        if not source.is_file():
            near = f" (no folder {source.parent})"
            if source.parent.is_dir():
                near = did_you_mean(source.name, [each.name for each in source.parent.iterdir()])
            raise GnomonError(f"{path}:{line}: {name}: no such file{near}")
        if source.resolve() not in self._seen:
            self._seen.add(source.resolve())
            self.languages[source] = language


def check_folder(name: str, path: Path, line: int) -> None:
    """Check that a folder of Verilog includes exists; its files are not read.

    Raises:
        GnomonError: if the folder does not exist.
    """
    if not (path.parent / name).is_dir():
        raise GnomonError(f"{path}:{line}: {name}: no such folder")


def read_list_text(path: Path) -> str:
    """Return the text of a list of sources.

    Raises:
        GnomonError: if the path is a folder or cannot be read.
    """
    if path.is_dir():
        raise GnomonError(f"{path}: is a folder; name the list of sources in it")
    return read_text(path)
