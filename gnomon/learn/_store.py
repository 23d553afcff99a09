"""Save and load a learner: one NPZ file with the arrays and a ``learner.json``, no pickle."""

from __future__ import annotations

import io
import json
import lzma
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.base.files import open_regular, parse_json, write_file
from gnomon.learn.algorithm import find_learner
from gnomon.learn.kernels import Floats
from gnomon.learn.learner import Learner
from gnomon.learn.npy import array_of

SCHEMA = 1
_MEMBER = "learner.json"
_LARGEST_BYTES = 1 << 28  # of a member
_FEW = 4_096  # arms or dimensions that a file may state without arrays of that size
_NO_ARCHIVE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError,
               RuntimeError, UnicodeDecodeError)  # fmt: skip
"""Errors of zipfile for archives that are damaged, encrypted or of unsupported compression."""


def save_learner(learner: Learner, path: Path) -> Path:
    """Write a learner with its settings and state; the same learner gives the same bytes.

    Raises:
        GnomonError: if the file cannot be written.
    """
    about = {
        "schema": SCHEMA,
        "learner": learner.name,
        "variant": learner.variant,
        "settings": learner.settings,
        "steps": learner.steps,
        "clamped_variances": learner.clamped_variances,
    }
    if learner.waiting["decisions"]:
        about["waiting"] = learner.waiting
    if learner.generator is not None:
        about["generator"] = _plain(learner.generator.bit_generator.state)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        # ZipInfo made by hand carries no time.
        archive.writestr(zipfile.ZipInfo(_MEMBER), json.dumps(about, indent=1) + "\n")
        for name, array in learner.state.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), member.getvalue())
    return write_file(path, buffer.getvalue())


def load_learner(path: Path) -> Learner:
    """Read a learner of any class that is found, written by :func:`save_learner`.

    Raises:
        GnomonError: if the file cannot be read, or holds no learner of this schema.
    """
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as archive:
            return _read(archive)
    except OSError as error:
        raise GnomonError(f"{path}: cannot be read: {error.strerror}") from None
    except _NO_ARCHIVE as error:
        raise GnomonError(f"{path}: is not a saved learner: {error}") from None
    except GnomonError as error:
        message = str(error)
        located = message if message.startswith(str(path)) else f"{path}: {message}"
        raise GnomonError(located) from None


def _read(archive: zipfile.ZipFile) -> Learner:
    if _MEMBER not in archive.namelist():
        raise GnomonError(f"is not a saved learner: {_MEMBER} is missing")
    try:
        about = parse_json(_bytes(archive, _MEMBER), _MEMBER)
        schema, name, variant = about["schema"], about["learner"], about["variant"]
        settings, steps = dict(about["settings"]), int(about["steps"])
        clamped = int(about["clamped_variances"])
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise GnomonError(f"{_MEMBER} is damaged: {error!r}") from None
    if not 0 <= min(steps, clamped) <= max(steps, clamped) < 1 << 63:
        raise GnomonError(f"{_MEMBER} is damaged: steps and clamped_variances are counts")
    if schema != SCHEMA:
        raise GnomonError(f"{_MEMBER} has schema {schema!r}; this version reads {SCHEMA}")
    most = max(_FEW, sum(each.file_size for each in archive.infolist()) // 8)
    for key in ("arms", "dimensions"):
        if isinstance(settings.get(key), int) and settings[key] > most:
            raise GnomonError(f"{_MEMBER}: {key} is {settings[key]:,}, but the arrays are smaller")
    try:
        learner = find_learner(name, variant)(**settings)
    except MemoryError:
        raise GnomonError(f"{_MEMBER} needs more memory than is available") from None
    except (TypeError, ValueError, OverflowError) as error:
        raise GnomonError(f"{_MEMBER} has wrong settings: {error}") from None
    lengths: dict[str, int] = {}
    shapes = learner.state_shapes
    learner._restore({name: _array(archive, name, shapes[name], lengths) for name in shapes})  # noqa: SLF001 - the other half of saving
    learner.steps, learner.clamped_variances = steps, clamped
    part = "waiting"
    try:
        if part in about:
            learner.waiting = about[part]
        part = "generator"
        if learner.generator is not None:
            learner.generator = _generator(about[part])
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise GnomonError(f"{_MEMBER} is damaged: {part}: {error!r}") from None
    return learner


def _plain(state: Any) -> Any:
    """Return the state of a generator as JSON-compatible data."""
    if isinstance(state, dict):
        return {name: _plain(value) for name, value in state.items()}
    return state.tolist() if isinstance(state, np.ndarray) else state


def _generator(state: dict[str, Any]) -> np.random.Generator:
    kinds = {kind.__name__: kind for kind in (np.random.PCG64, np.random.MT19937)}
    generator = kinds[state["bit_generator"]]()
    generator.state = state  # type: ignore[assignment]
    return np.random.Generator(generator)


def _bytes(archive: zipfile.ZipFile, member: str) -> bytes:
    """Return the bytes of a member, after a check of its size."""
    if archive.getinfo(member).file_size > _LARGEST_BYTES:
        raise GnomonError(f"{member} is larger than {_LARGEST_BYTES >> 20} MiB")
    return archive.read(member)


def _array(
    archive: zipfile.ZipFile, field: str, shape: tuple[int | str, ...], lengths: dict[str, int]
) -> Floats:
    """Return an array of the state; add the length of each letter of its shape to ``lengths``."""
    member = f"{field}.npy"
    if member not in archive.namelist():
        raise GnomonError(f"{member} is missing")
    try:
        values = array_of(_bytes(archive, member))
    except ValueError as error:
        raise GnomonError(f"{member} is damaged: {error}") from None
    if values.ndim == len(shape):
        for letter, length in zip(shape, values.shape, strict=True):
            if isinstance(letter, str):
                lengths.setdefault(letter, length)
    expected = tuple(
        lengths.get(length, length) if isinstance(length, str) else length for length in shape
    )
    if values.dtype != np.float64 or values.shape != expected:
        raise GnomonError(f"{member} must be float64 {expected}, not {values.dtype} {values.shape}")
    if not np.isfinite(values).all():
        raise GnomonError(f"{member} has a value that is not a finite number")
    checked: Floats = values
    return checked
