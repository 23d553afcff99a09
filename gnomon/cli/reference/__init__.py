"""The reference pages of ``docs/reference``, generated from the code that reads the keys."""

from gnomon.cli.reference._commands import commands as commands
from gnomon.cli.reference._commands import commands_page
from gnomon.cli.reference._device import device_page
from gnomon.cli.reference._files import (
    budget_page,
    deployment_page,
    machine_page,
    pipeline_page,
    sweep_page,
)
from gnomon.cli.reference._kernel import kernel_page
from gnomon.cli.reference._library import library_page
from gnomon.cli.reference._markdown import page
from gnomon.cli.reference._python import python_page
from gnomon.cli.reference._results import results_page
from gnomon.cli.reference._tables import tables_page
from gnomon.cli.reference._unit import unit_page

_INDEX = """\
* [commands.md](commands.md): every command and option, exit codes
* [machine.md](machine.md): every key of a machine
* [kernel.md](kernel.md): keys of kernel.yaml, helpers of models, vector instructions, headers for C
* [library.md](library.md): the C library of programs: headers, functions, symbols of the linker
* [python.md](python.md): every name of `import gnomon`
* [results.md](results.md): type, unit and meaning of every attribute of results in Python
* [sweep.md](sweep.md): every key of a sweep, every setting, every quantity
* [deploy.md](deploy.md): every key of a deployment, every quantity that can be required
* [pipeline.md](pipeline.md): every key of a pipeline of stages
* [budget.md](budget.md): every key of a budget, every quantity that it can limit
* [unit.md](unit.md): every key of a functional unit, the port of its SystemVerilog
* [device.md](device.md): every key of a device, its functions in C and in Python
* [tables.md](tables.md): every key of power tables, area tables, cost-model cores, dividers

The pages are generated from the code that reads the keys and options; a test compares them."""


def reference_pages() -> dict[str, str]:
    """Return the text of every page by its file name."""
    return {
        "README.md": page("Reference", _INDEX),
        "budget.md": budget_page(),
        "commands.md": commands_page(),
        "deploy.md": deployment_page(),
        "device.md": device_page(),
        "kernel.md": kernel_page(),
        "library.md": library_page(),
        "machine.md": machine_page(),
        "pipeline.md": pipeline_page(),
        "python.md": python_page(),
        "results.md": results_page(),
        "sweep.md": sweep_page(),
        "tables.md": tables_page(),
        "unit.md": unit_page(),
    }
