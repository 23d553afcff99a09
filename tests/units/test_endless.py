"""Ctrl-C ends a run in which the C of a unit does not end, with the name of the instruction."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.base.interrupt import call_c
from tests.signals import heeding_ctrl_c, killed_after

if TYPE_CHECKING:
    from pathlib import Path

_CLI = "from gnomon.cli import main; main()"
_WRITE = "long write(int, const void *, unsigned long);\n"
_LOOP = ' if (a == 77) { write(2, "runs\\n", 5); for (;;) __asm__ volatile(""); }'
_FUNCTIONS = {"ones": "UNIT(popcount)\n{", "lanes": "UNIT(vabove) {"}
_PROGRAMS = {
    "ones": """\
#include "gnomon.h"
#include "units.h"
int main(void)
{
    uint32_t s = 0;
    for (uint32_t k = 0; k < 100; k++) s += popcount(k);
    return (int)s;
}
""",
    "lanes": """\
#include "gnomon.h"
#include "units.h"
static int8_t x[4] __attribute__((aligned(4))) = {1, 2, 77, 4};
int main(void)
{
    kmemld(VCU_SPM(0), x, sizeof x);
    vcu_set_mvsize(4);
    vcu_set_mvtype(VCU_8_BIT);
    vabove(VCU_SPM(2), VCU_SPM(0), 3);
    return 0;
}
""",
}


@pytest.mark.parametrize(
    ("number", "unit", "blocks", "named"),
    [(signal.SIGINT, "ones", "off", "popcount of unit ones does not return"),
     (signal.SIGTERM, "ones", "off", "popcount of unit ones does not return"),
     (signal.SIGINT, "ones", "force", "the C of a unit may not end (units: ones;"),
     (signal.SIGINT, "lanes", "off", "vabove of unit lanes does not return")],
)  # fmt: skip
def test_a_signal_ends_c_that_does_not_end(
    project: Path, number: signal.Signals, unit: str, blocks: str, named: str
) -> None:
    """In the interpreter, in a translated block, and in the elements of a vector."""
    code, body = (project / "units" / unit / f"{unit}.c"), _FUNCTIONS[unit]
    text = code.read_text()
    assert body in text
    code.write_text(_WRITE + text.replace(body, body + _LOOP, 1))
    source = project / "endless.c"
    source.write_text(_PROGRAMS[unit])
    words = ["run", str(source), "--arch", "t13-simd1", "--set", f"units.{unit}={{}}"]
    with heeding_ctrl_c(), subprocess.Popen(
        [sys.executable, "-c", _CLI, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=os.environ | {"GNOMON_BLOCKS": blocks},
    ) as process, killed_after(process, 240):  # fmt: skip
        assert process.stderr is not None
        lines = [process.stderr.readline()]
        while lines[-1] not in ("runs\n", ""):
            lines.append(process.stderr.readline())
        assert lines[-1] == "runs\n", lines
        sent = time.monotonic()
        process.send_signal(number)
        lines = process.stderr.read().splitlines()
        assert process.wait() == 128 + number
        assert time.monotonic() - sent < 20  # 0.5 s on an idle host
    assert lines[-1].startswith("gnomon: interrupted; ")
    assert named in lines[-1]
    assert f"gnomon check {'UNIT' if blocks == 'force' else unit} finds" in lines[-1]


def _wait_and_interrupt(worker: Any) -> int:
    worker.results.get()
    raise KeyboardInterrupt


def test_a_call_that_returns_in_time_is_interrupted_as_any_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def call() -> int:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)
        return 7

    asked: list[str] = []
    assert call_c(lambda: 7, str) == 7
    with heeding_ctrl_c(), pytest.raises(KeyboardInterrupt):
        call_c(call, lambda: asked.append("why") or "")
    assert call_c(lambda: 8, str) == 8
    with heeding_ctrl_c(), monkeypatch.context() as patch:
        patch.setattr("gnomon.base.interrupt._Worker.wait", _wait_and_interrupt)
        with pytest.raises(KeyboardInterrupt):  # in the instant after the return
            call_c(lambda: 9, lambda: asked.append("why") or "")
    assert not asked  # nothing says that it did not return


def test_a_signal_that_does_not_end_the_wait_is_noted_all_the_same() -> None:
    """It may arrive just before the wait. Here the main thread blocks it: another one gets it."""

    def call() -> int:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(20)
        return 7

    assert call_c(lambda: 7, str) == 7  # its thread does not block the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    began = time.monotonic()
    try:
        with heeding_ctrl_c(), pytest.raises(KeyboardInterrupt):
            call_c(call, str)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    assert time.monotonic() - began < 10
