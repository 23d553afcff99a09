"""Files that an option asks for, as ``FORMAT=FILE``: one reader for traces and profiles."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


@dataclass(frozen=True, slots=True)
class FileRequest:
    """One file to write."""

    format: str
    path: Path


def parse_requests(
    option: str, texts: Iterable[str], formats: Collection[str]
) -> tuple[FileRequest, ...]:
    """Requests in texts such as ``saif=a.saif``; several in one text are separated by commas.

    Raises:
        GnomonError: a format that is not there, no file, or one file twice.
    """
    known = ", ".join(formats)
    requests: list[FileRequest] = []
    for text in (part for whole in texts for part in whole.split(",")):
        name, equals, file = text.partition("=")
        if not equals or not name:
            raise GnomonError(f"{option} needs FORMAT=FILE, got {text!r} (formats: {known})")
        if name not in formats:
            near = did_you_mean(name, formats)
            raise GnomonError(f"{option}: {name!r} is no format (formats: {known}{near})")
        if not file:
            raise GnomonError(f"{option} {name}= needs a file, as in {name}=run.{name}")
        if any(request.path == Path(file) for request in requests):
            raise GnomonError(f"{option} names the file {file} twice")
        requests.append(FileRequest(name, Path(file)))
    return tuple(requests)
