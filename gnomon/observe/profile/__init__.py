"""Profile: cycles, energy and stalls of a run by function, source line, instruction, call path."""

from __future__ import annotations

from gnomon.observe.profile._annotated import annotated_text
from gnomon.observe.profile._callgrind import callgrind_text
from gnomon.observe.profile._folded import folded_text
from gnomon.observe.profile._lcov import lcov_text
from gnomon.observe.profile._lines import SourceLine, source_lines
from gnomon.observe.profile._profile import ProfileRow, RunProfile, profile_run
from gnomon.observe.profile._table import profile_csv
from gnomon.observe.profile._writers import (
    PROFILE_WRITERS,
    ProfileRequest,
    parse_profile_requests,
    write_profiles,
)

__all__ = [
    "PROFILE_WRITERS",
    "ProfileRequest",
    "ProfileRow",
    "RunProfile",
    "SourceLine",
    "annotated_text",
    "callgrind_text",
    "folded_text",
    "lcov_text",
    "parse_profile_requests",
    "profile_csv",
    "profile_run",
    "source_lines",
    "write_profiles",
]
