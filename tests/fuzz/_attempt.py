"""What gnomon makes of one damaged input, and whether that is an orderly end."""

from __future__ import annotations

import random
import re
import traceback
from pathlib import Path
from zlib import crc32

from gnomon.base.errors import GnomonError
from tests.commands import Ended, gnomon
from tests.fuzz._formats import FORMATS, Format

CORPUS = Path(__file__).with_name("corpus")
"""Inputs that once went wrong, ``corpus/FORMAT/NAME``; the test tries each again."""

LONGEST = 2_000  # characters of a message, besides who says it
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_STEMS = {"click-r6a": "yahoo-r6a", "click-r6b": "yahoo-r6b", "open-bandit": "open-bandit"}
_ENDS = {0: "ok", 1: "no", 2: "refused"}


def make(name: str, seed: int) -> bytes:
    """The input of a seed, the same on every computer."""
    return FORMATS[name].make(random.Random(crc32(name.encode()) << 32 | seed))


def attempt(name: str, data: bytes, folder: Path) -> str:
    """``ok``, ``no`` (exit code 1), ``refused``; or ``bad: `` and what is wrong."""
    form = FORMATS[name]
    if form.words is not None:
        word = data.decode("utf-8", "surrogateescape").replace("\0", "")
        return _judge(gnomon(*form.words(word)))
    path = folder / f"{_STEMS.get(name, 'it')}{form.suffix}"
    path.write_bytes(data)
    if form.argv is not None:
        return _judge(gnomon(*form.argv(path)))
    return _call(form, path)


def _call(form: Format, path: Path) -> str:
    assert form.call is not None
    try:
        form.call(path)
    except GnomonError:
        return "refused"  # the command line cleans and shortens what it says
    except MemoryError:
        return "bad: memory"
    except Exception as error:  # noqa: BLE001 - this is what is looked for
        place = traceback.extract_tb(error.__traceback__)[-1]
        return (
            f"bad: traceback {type(error).__name__} at {Path(place.filename).name}:{place.lineno}"
        )
    return "ok"


def _judge(ended: Ended) -> str:
    code, out, err = ended.returncode, ended.stdout, ended.stderr
    if "not enough memory" in err:
        return "bad: memory"
    if code not in _ENDS:
        return f"bad: exit code {code}: {err[:200]}"
    if "Traceback" in err:
        return "bad: traceback"
    if code == 2 and not (out + err).strip():
        return "bad: silence"
    if found := _CONTROL.search(out + err):
        return f"bad: control character {found[0]!r}"
    if len(err) > LONGEST + len("gnomon: \n"):
        return f"bad: a message of {len(err)} characters: {err[:80]}"
    return _ENDS[code]
