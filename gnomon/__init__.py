"""gnomon: what an embedded learning algorithm costs on hardware that is not built yet.

Everything a notebook needs::

    import gnomon

    machine = gnomon.load_architecture("t13-simd4")
    program = gnomon.build(["fir.c"], machine)
    run = gnomon.simulate(program, machine)
    gnomon.profile(run, program, machine).frame()
    gnomon.price(run, machine)
"""

from gnomon._face import area, frame, measure_kernel, measure_learner, price, profile, sweep
from gnomon._version import __version__
from gnomon.arch import Architecture, list_architectures, load_architecture
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.program import Program, build
from gnomon.program import load_elf as load_program
from gnomon.sim import Run, simulate

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
