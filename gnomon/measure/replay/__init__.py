"""Replay: the price of an algorithm trace on a machine, from exact runs of its kernels."""

from gnomon.measure.replay._replay import Replay

__all__ = ["Replay"]
