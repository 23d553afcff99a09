"""The compiled C of a learner, loaded: what ``HostLearner`` calls in a process of its own."""

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
    """Functions and variables by name; what does not return ends the process.

    ``shared`` is memory of both processes: where ``host_steps.c`` is, then its arrays.
    """

    def __init__(self, path: Path, shared: mmap) -> None:
        self._library = ctypes.CDLL(str(path))
        self._shared = ctypes.addressof(ctypes.c_uint32.from_buffer(shared))
        self._library.learner_model_place.restype = ctypes.POINTER(ctypes.c_int32)
        for name in ("host_steps", "host_follow"):
            getattr(self._library, name).restype = ctypes.c_uint32

    def about(self) -> tuple[int, list[str]]:
        """Words of the model, and those of the optional names that there are."""
        words = ctypes.c_uint32.in_dll(self._library, "learner_model_words").value
        return words, [name for name in _OPTIONAL if hasattr(self._library, name)]

    def _words(self, name: str, count: int) -> Words:
        if name == MODEL:
            return np.ctypeslib.as_array(self._library.learner_model_place(), (count,))
        return np.ctypeslib.as_array((ctypes.c_int32 * count).in_dll(self._library, name))

    def read(self, name: str, count: int) -> Words:
        """So many words of a variable."""
        return self._words(name, count).copy()

    def write(self, name: str, words: Words) -> None:
        """A variable's words."""
        self._words(name, words.size)[:] = words.reshape(-1)

    def invoke(self, function: str, *words: int) -> int:
        """What a function returns, as a word without a sign."""
        called = getattr(self._library, function)
        called.restype = ctypes.c_uint32
        return int(called(*(ctypes.c_uint32(word & 0xFFFF_FFFF) for word in words)))

    def play(self, function: str, steps: int, places: Sequence[int]) -> int:
        """The steps that a function of ``host_steps.c`` did of so many.

        ``places``: in words of the shared memory, of each input and of the arms that it writes.
        """
        given = (ctypes.c_void_p(self._shared + 4 * place) for place in places)
        called = getattr(self._library, function)
        return int(called(ctypes.c_void_p(self._shared), ctypes.c_uint32(steps), *given))
