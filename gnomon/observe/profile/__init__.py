"""Profile: cycles, energy and stalls of a run by function, source line, instruction, call path."""

from __future__ import annotations

from gnomon.observe.profile._formats import parse_profile_requests, write_profiles
from gnomon.observe.profile._profile import ProfileRow, RunProfile, profile_run

__all__ = [
    "ProfileRow", "RunProfile", "parse_profile_requests", "profile_run", "write_profiles",
]  # fmt: skip
