"""Compiled C code of a learner, which ``HostLearner`` calls in a separate process."""

import ctypes
from collections.abc import Sequence
from mmap import mmap
from pathlib import Path
from typing import Final

import numpy as np

from gnomon.measure.memory_words import Words

MODEL: Final = "learner_model"
_OPTIONAL = ("learner_features", "learner_propensity", "learner_decide")


class LearnerLibrary:
    """Functions and variables by name; a function that does not return ends the process.

    ``shared`` is memory of both processes: first the position of ``host_steps.c``, then its arrays.
    """

    def __init__(self, path: Path, shared: mmap) -> None:
        self._library = ctypes.CDLL(str(path))
        self._shared = ctypes.addressof(ctypes.c_uint32.from_buffer(shared))
        self._library.learner_model_place.restype = ctypes.POINTER(ctypes.c_int32)
        for name in ("host_steps", "host_follow"):
            getattr(self._library, name).restype = ctypes.c_uint32

    def about(self) -> tuple[int, list[str]]:
        """Return the number of words of the model, and the optional names that exist."""
        words = ctypes.c_uint32.in_dll(self._library, "learner_model_words").value
        return words, [name for name in _OPTIONAL if hasattr(self._library, name)]

    def _words(self, name: str, count: int) -> Words:
        if name == MODEL:
            return np.ctypeslib.as_array(self._library.learner_model_place(), (count,))
        return np.ctypeslib.as_array((ctypes.c_int32 * count).in_dll(self._library, name))

    def read(self, name: str, count: int) -> Words:
        """Return ``count`` 32-bit words of a variable."""
        return self._words(name, count).copy()

    def write(self, name: str, words: Words) -> None:
        """Write the words of a variable."""
        self._words(name, words.size)[:] = words.reshape(-1)

    def invoke(self, function: str, *words: int) -> int:
        """Return the return value of a function, as an unsigned word."""
        called = getattr(self._library, function)
        called.restype = ctypes.c_uint32
        return int(called(*(ctypes.c_uint32(word & 0xFFFF_FFFF) for word in words)))

    def play(self, function: str, steps: int, places: Sequence[int]) -> int:
        """Run up to ``steps`` steps by a function of ``host_steps.c``; return the number done.

        ``places`` are the positions, in 32-bit words of the shared memory, of each input and of the
        arms that the function writes.
        """
        given = (ctypes.c_void_p(self._shared + 4 * place) for place in places)
        called = getattr(self._library, function)
        return int(called(ctypes.c_void_p(self._shared), ctypes.c_uint32(steps), *given))
