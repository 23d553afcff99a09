"""gnomon: what an embedded learning algorithm costs on hardware that is not built yet.

Everything a notebook needs::

    import gnomon

    machine = gnomon.load_architecture("t13-simd4")
    program = gnomon.build(["fir.c"], machine)
    run = gnomon.simulate(program, machine)
    gnomon.profile(run, program, machine).frame()
    gnomon.price(run, machine)

Each name is imported at its first use, so that a command loads the packages that it needs.
"""

from pkgutil import resolve_name
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon._face import (
        area,
        frame,
        iterate_sweep,
        measure_kernel,
        measure_learner,
        price,
        profile,
        sweep,
    )
    from gnomon._version import __version__
    from gnomon.arch import Architecture, list_architectures, load_architecture
    from gnomon.base.errors import CheckFailed, GnomonError
    from gnomon.explore import read_results
    from gnomon.program import Program, build
    from gnomon.program import load_elf as load_program
    from gnomon.sim import Run, simulate

_PLACES = {
    "Architecture": "gnomon.arch:Architecture",
    "CheckFailed": "gnomon.base.errors:CheckFailed",
    "GnomonError": "gnomon.base.errors:GnomonError",
    "Program": "gnomon.program:Program",
    "Run": "gnomon.sim:Run",
    "__version__": "gnomon._version:__version__",
    "area": "gnomon._face:area",
    "build": "gnomon.program:build",
    "frame": "gnomon._face:frame",
    "iterate_sweep": "gnomon._face:iterate_sweep",
    "list_architectures": "gnomon.arch:list_architectures",
    "load_architecture": "gnomon.arch:load_architecture",
    "load_program": "gnomon.program:load_elf",
    "measure_kernel": "gnomon._face:measure_kernel",
    "measure_learner": "gnomon._face:measure_learner",
    "price": "gnomon._face:price",
    "profile": "gnomon._face:profile",
    "read_results": "gnomon.explore:read_results",
    "simulate": "gnomon.sim:simulate",
    "sweep": "gnomon._face:sweep",
}
"""Where each name of ``__all__`` is defined."""

__all__ = [
    "Architecture",
    "CheckFailed",
    "GnomonError",
    "Program",
    "Run",
    "__version__",
    "area",
    "build",
    "frame",
    "iterate_sweep",
    "list_architectures",
    "load_architecture",
    "load_program",
    "measure_kernel",
    "measure_learner",
    "price",
    "profile",
    "read_results",
    "simulate",
    "sweep",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Return a name of ``__all__``, imported now (PEP 562)."""
        if name not in _PLACES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return resolve_name(_PLACES[name])


def __dir__() -> list[str]:
    """Return the names of the package, those included that no use has imported yet."""
    return sorted({*globals(), *__all__})
