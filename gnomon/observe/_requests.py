"""Files that an option asks for, as ``FORMAT=FILE``: one reader for traces and profiles."""

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
    """What writes a format, by its name."""

    files: tuple[tuple[str, Path], ...]

    @classmethod
    def parse(cls, texts: Iterable[str]) -> Self:
        """Requests in texts such as ``saif=a.saif``; several in one are separated by commas."""
        option, known = cls.OPTION, ", ".join(cls.FORMATS)
        files: dict[Path, str] = {}
        for text in (part for whole in texts for part in whole.split(",")):
            name, equals, file = text.partition("=")
            if not equals or not name:
                raise GnomonError(f"{option} needs FORMAT=FILE, got {text!r} (formats: {known})")
            if name not in cls.FORMATS:
                near = did_you_mean(name, cls.FORMATS)
                raise GnomonError(f"{option}: {name!r} is no format (formats: {known}{near})")
            if not file:
                raise GnomonError(f"{option} {name}= needs a file, as in {name}=run.{name}")
            if Path(file) in files:
                raise GnomonError(f"{option} names the file {file} twice")
            files[Path(file)] = name
        return cls(tuple((name, file) for file, name in files.items()))
