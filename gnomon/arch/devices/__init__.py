"""User-defined devices: their descriptions, their code and its contract."""

from gnomon.arch.devices._code import FUNCTIONS, HOST_BYTES, library_text
from gnomon.arch.devices._device import DeviceCode, DevicePrice

__all__ = ["FUNCTIONS", "HOST_BYTES", "DeviceCode", "DevicePrice", "library_text"]
