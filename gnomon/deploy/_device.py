"""A machine as a device that serves requests."""

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.deploy._keys import SleepKeys
from gnomon.deploy._model import Sleep


def check_harts(architecture: Architecture, harts: int, how: str = "") -> None:
    """Check that a machine has enough harts.

    Raises:
        GnomonError: if it has fewer.
    """
    if harts > architecture.core.harts:
        own = f"{architecture.name} has {architecture.core.harts}"
        raise GnomonError(f"{harts} harts at work{how}: {own}")


def count_vector_units(architecture: Architecture, harts: int) -> int:
    """Return the number of vector units that harts can use at once.

    A stage that uses the vector unit occupies it from start to end, because its operands are in the
    scratchpads. With ``vcu.sharing: replicated`` each hart has its own unit. Harts that share
    functional units (``multithreaded``) are modeled as sharing the whole unit, which gives an upper
    bound on waits.
    """
    vcu = architecture.vcu
    return harts if vcu is not None and vcu.sharing == "replicated" else 1


def describe_sleep(keys: SleepKeys | None) -> Sleep | None:
    """Return the times of sleep of a file; None: the device never sleeps."""
    if keys is None:
        return None
    return Sleep(keys.after_ps, round(keys.enter_ps.counted), round(keys.wake_ps.counted))
