"""``gnomon power activity``: toggles per instance or signal of a recorded simulation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gnomon.errors import GnomonError

Recording = Annotated[Path, typer.Argument(metavar="FILE", help="VCD, FST or SAIF.")]


def activity(file: Recording) -> None:
    """Toggles of a recorded simulation."""
    raise GnomonError(f"{file}: no reader for this format yet")
