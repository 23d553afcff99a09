"""The reference pages of ``docs/reference``, written from the code that reads the keys."""

from __future__ import annotations

from gnomon.cli.reference._budget import budget_page
from gnomon.cli.reference._commands import commands_page
from gnomon.cli.reference._deploy import deployment_page
from gnomon.cli.reference._index import index_page
from gnomon.cli.reference._kernel import kernel_page
from gnomon.cli.reference._machine import machine_page
from gnomon.cli.reference._python import python_page
from gnomon.cli.reference._sweep import sweep_page
from gnomon.cli.reference._tables import tables_page

__all__ = [
    "reference_pages",
]


def reference_pages() -> dict[str, str]:
    """The text of every page by its file name."""
    return {
        "README.md": index_page(),
        "budget.md": budget_page(),
        "commands.md": commands_page(),
        "deploy.md": deployment_page(),
        "kernel.md": kernel_page(),
        "machine.md": machine_page(),
        "python.md": python_page(),
        "sweep.md": sweep_page(),
        "tables.md": tables_page(),
    }
