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

from typing import TYPE_CHECKING

from gnomon.base.late import late

if TYPE_CHECKING:
    from gnomon._face import frame as frame
    from gnomon._face import measure_kernel as measure_kernel
    from gnomon._face import measure_learner as measure_learner
    from gnomon._face import price as price
    from gnomon._face import sweep as sweep
    from gnomon.arch import Architecture as Architecture
    from gnomon.arch import list_architectures as list_architectures
    from gnomon.arch import load_architecture as load_architecture
    from gnomon.base.errors import CheckFailed as CheckFailed
    from gnomon.base.errors import GnomonError as GnomonError
    from gnomon.cost.area import Area
    from gnomon.observe.profile import RunProfile
    from gnomon.program import Program as Program
    from gnomon.program import build as build
    from gnomon.program import load_elf as load_program
    from gnomon.sim import Run as Run
    from gnomon.sim import simulate as simulate

    area = Area.from_architecture
    profile = RunProfile.from_run

__version__ = "0.1.0"

_NAMES = {
    "load_architecture": "arch",
    "list_architectures": "arch",
    "build": "program",
    "load_program": "program:load_elf",
    "simulate": "sim",
    "profile": "observe.profile:RunProfile.from_run",
    "price": "_face",
    "area": "cost.area:Area.from_architecture",
    "measure_kernel": "_face",
    "measure_learner": "_face",
    "sweep": "_face",
    "frame": "_face",
    "Architecture": "arch",
    "Program": "program",
    "Run": "sim",
    "GnomonError": "base.errors",
    "CheckFailed": "base.errors",
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
    "measure_learner",
    "price",
    "profile",
    "simulate",
    "sweep",
]

if not TYPE_CHECKING:
    __getattr__ = late(__name__, _NAMES)


def __dir__() -> list[str]:
    return sorted([*globals(), *_NAMES])
