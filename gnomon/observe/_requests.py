"""Output files requested as ``FORMAT=FILE``: one parser for traces and profiles."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from gnomon.base.errors import GnomonError, did_you_mean


@dataclass(frozen=True, slots=True)
class FileRequests:
    """Files to write, each with its format."""

    OPTION: ClassVar[str]
    FORMATS: ClassVar[Mapping[str, Callable[..., Any]]]
    """Writers by the name of their format."""

    files: tuple[tuple[str, Path], ...]

    @classmethod
    def parse(cls, texts: Iterable[str]) -> Self:
        """Parse requests such as ``saif=a.saif``; commas separate several in one text.

        Raises:
            GnomonError: if a text is malformed, a format is unknown, or a file is named twice.
        """
        option, known = cls.OPTION, ", ".join(cls.FORMATS)
        files: dict[Path, str] = {}
        for text in (part for whole in texts for part in whole.split(",")):
            name, equals, file = text.partition("=")
            if not equals or not name:
                raise GnomonError(f"{option} needs FORMAT=FILE, got {text!r} (formats: {known})")
            if name not in cls.FORMATS:
                near = did_you_mean(name, cls.FORMATS)
                raise GnomonError(f"{option}: unknown format {name!r} (formats: {known}{near})")
            if not file:
                raise GnomonError(f"{option} {name}= needs a file, as in {name}=run.{name}")
            if Path(file) in files:
                raise GnomonError(f"{option} names the file {file} twice")
            files[Path(file)] = name
        return cls(tuple((name, file) for file, name in files.items()))
