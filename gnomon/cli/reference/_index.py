"""The list of the reference pages."""

from __future__ import annotations

from gnomon.cli.reference._markdown import page

_PAGES = """\
* [commands.md](commands.md): every command and option, exit codes
* [machine.md](machine.md): every key of a machine
* [kernel.md](kernel.md): helpers for models of kernels, headers for C
* [python.md](python.md): every name of `import gnomon`
* [sweep.md](sweep.md): every key of a sweep, every setting, every quantity
* [deploy.md](deploy.md): every key of a deployment, every quantity that can be required
* [budget.md](budget.md): every key of a budget, every quantity that it can limit
* [tables.md](tables.md): every key of power tables, area tables, cost-model cores, dividers

They are written from the code that reads the keys and options; a test holds them against it."""


def index_page() -> str:
    """The page as Markdown."""
    return page("Reference", _PAGES)
