"""Profile: cycles, energy and stalls of a run by function, source line, instruction, call path."""

from __future__ import annotations

from gnomon.observe.profile._callgrind import callgrind_text
from gnomon.observe.profile._formats import (
    PROFILE_WRITERS,
    annotated_text,
    folded_text,
    lcov_text,
    parse_profile_requests,
    profile_csv,
    write_profiles,
)
from gnomon.observe.profile._lines import source_lines
from gnomon.observe.profile._profile import ProfileRow, RunProfile, profile_run

__all__ = [
    "PROFILE_WRITERS", "ProfileRow", "RunProfile", "annotated_text", "callgrind_text",
    "folded_text", "lcov_text", "parse_profile_requests", "profile_csv", "profile_run",
    "source_lines", "write_profiles",
]  # fmt: skip
