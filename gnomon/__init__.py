"""gnomon: what an embedded learning algorithm costs on hardware that is not built yet.

Everything a notebook needs, loaded when it is first used::

    import gnomon

    machine = gnomon.load_architecture("t13-simd4")
    program = gnomon.build(["fir.c"], machine)
    run = gnomon.simulate(program, machine)
    gnomon.profile(run, program, machine).frame()
    gnomon.price(run, machine)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnomon._face import frame as frame
    from gnomon._face import measure_kernel as measure_kernel
    from gnomon._face import price as price
    from gnomon._face import sweep as sweep
    from gnomon.arch import Architecture as Architecture
    from gnomon.arch import list_architectures as list_architectures
    from gnomon.arch import load_architecture as load_architecture
    from gnomon.base.errors import CheckFailed as CheckFailed
    from gnomon.base.errors import GnomonError as GnomonError
    from gnomon.cost.area import area as area
    from gnomon.observe.profile import profile_run as profile
    from gnomon.program import Program as Program
    from gnomon.program import build as build
    from gnomon.program import load_elf as load_program
    from gnomon.sim import Run as Run
    from gnomon.sim import simulate as simulate

__version__ = "0.1.0"

_NAMES = {
    "load_architecture": "gnomon.arch:load_architecture",
    "list_architectures": "gnomon.arch:list_architectures",
    "build": "gnomon.program:build",
    "load_program": "gnomon.program:load_elf",
    "simulate": "gnomon.sim:simulate",
    "profile": "gnomon.observe.profile:profile_run",
    "price": "gnomon._face:price",
    "area": "gnomon.cost.area:area",
    "measure_kernel": "gnomon._face:measure_kernel",
    "sweep": "gnomon._face:sweep",
    "frame": "gnomon._face:frame",
    "Architecture": "gnomon.arch:Architecture",
    "Program": "gnomon.program:Program",
    "Run": "gnomon.sim:Run",
    "GnomonError": "gnomon.base.errors:GnomonError",
    "CheckFailed": "gnomon.base.errors:CheckFailed",
}
"""Where each public name is defined."""

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
    "list_architectures",
    "load_architecture",
    "load_program",
    "measure_kernel",
    "price",
    "profile",
    "simulate",
    "sweep",
]


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module 'gnomon' has no attribute {name!r}")
    module, _, attribute = _NAMES[name].partition(":")
    value = getattr(importlib.import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_NAMES])
