"""What ``gnomon run --profile-to`` can write: one row per format."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.files import writing
from gnomon.observe.profile._annotated import annotated_text
from gnomon.observe.profile._callgrind import callgrind_text
from gnomon.observe.profile._folded import folded_text
from gnomon.observe.profile._lcov import lcov_text
from gnomon.observe.profile._table import profile_csv

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gnomon.observe.profile._profile import RunProfile


def _folded_pj(profile: RunProfile) -> str:
    return folded_text(profile, energy=True)


PROFILE_WRITERS: Mapping[str, Callable[[RunProfile], str]] = {
    "folded": folded_text,
    "folded-pj": _folded_pj,
    "callgrind": callgrind_text,
    "annotated": annotated_text,
    "lcov": lcov_text,
    "csv": profile_csv,
}
"""The formats of ``--profile-to`` by name."""


@dataclass(frozen=True, slots=True)
class ProfileRequest:
    """One file to write."""

    format: str
    path: Path


def parse_profile_requests(texts: list[str]) -> tuple[ProfileRequest, ...]:
    """Requests in texts such as ``folded=a.folded``; several in one, separated by commas.

    Raises:
        GnomonError: a format that is not there, no file, or one file twice.
    """
    known = ", ".join(PROFILE_WRITERS)
    requests: list[ProfileRequest] = []
    for text in (part for whole in texts for part in whole.split(",")):
        name, equals, file = text.partition("=")
        if not equals or not name or not file:
            raise GnomonError(f"--profile-to needs FORMAT=FILE, got {text!r} (formats: {known})")
        if name not in PROFILE_WRITERS:
            nearest = did_you_mean(name, PROFILE_WRITERS)
            raise GnomonError(f"--profile-to: {name!r} is no format (formats: {known}{nearest})")
        if any(request.path == Path(file) for request in requests):
            raise GnomonError(f"--profile-to names the file {file} twice")
        requests.append(ProfileRequest(name, Path(file)))
    return tuple(requests)


def write_profiles(profile: RunProfile, requests: tuple[ProfileRequest, ...]) -> None:
    """Write every file asked for, or none if one of them cannot be told.

    Raises:
        GnomonError: what a format needs is not known, or a file cannot be written.
    """
    texts = [PROFILE_WRITERS[request.format](profile) for request in requests]
    for request, text in zip(requests, texts, strict=True):
        with writing(request.path) as file:
            file.write(text.encode())
