"""lcov tracefile with cycles as counts: genhtml and editors paint the hot lines."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError

if TYPE_CHECKING:
    from gnomon.observe.profile._profile import RunProfile


def lcov_text(profile: RunProfile) -> str:
    """The file; cycles of sleeping harts are left out.

    Raises:
        GnomonError: the program names no source lines.
    """
    files: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for k, line in enumerate(profile.lines):
        if line is not None:
            spent = sum(int(v[k]) for name, v in profile.parts.items() if name != "parked")
            files[line.file][line.line] += spent
    if not files:
        raise GnomonError(
            f"{profile.program.name}: no source lines in it; build it with -g, or give the C file"
        )
    parts = []
    for name, counts in sorted(files.items()):
        lines = [f"DA:{line},{count}" for line, count in sorted(counts.items())]
        reached = sum(1 for count in counts.values() if count)
        parts += ["TN:", f"SF:{name}", *lines, f"LF:{len(counts)}", f"LH:{reached}"]
        parts.append("end_of_record")
    return "\n".join(parts) + "\n"
