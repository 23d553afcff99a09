"""The second tier of a run: selection of hot blocks to translate.

It only changes the speed. Blocks are compiled in parallel with the run and cached by the decoded
text and the machine. If the compiler is missing or fails, the run stays in the interpreter. A
compilation that is unfinished at the end of a run serves the next run.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from ctypes import CDLL
from typing import Final

from gnomon.base.errors import GnomonError
from gnomon.base.generated import RuntimeLibrary
from gnomon.sim._effort import NORMAL, Effort
from gnomon.sim._machine import Machine
from gnomon.sim._translations import Translations
from gnomon.sim._translator import Translator

FORMS: Final = ("solo", "runner")
"""One awake hart, with exact cycles; one of several harts, ahead of the others."""

_LOOK_SLOTS = 500_000
_JUDGED_SLOTS = 10_000_000
_MOST_TEXTS = 3  # a program that overwrites its hot blocks more often stays in the interpreter
_MOST_CHOICES = 2
_WORTHWHILE = 0.5  # least share of instructions in blocks; else hot blocks are chosen again
_log = logging.getLogger("gnomon.sim.hot")


class SecondTier:
    """The second tier of one run. Call :meth:`before_engine` before each run of the engine."""

    def __init__(self, machine: Machine, effort: Effort | None) -> None:
        self._machine = machine
        self._effort = effort or NORMAL
        self._off = effort is None or not _can_help(machine)
        self._translations: Translations | None = None
        self._compiling: dict[str, RuntimeLibrary] = {}
        self._refused: set[str] = set()
        self._sought: set[str] = set()  # forms whose cached library was searched
        self._avoided: set[int] = set()  # words that had a mark at some time
        self._next_look = 0 if self._effort.everything else _LOOK_SLOTS
        self._texts_left = _MOST_TEXTS
        self._choices_left = _MOST_CHOICES
        self._judged = (0, 0, 0)  # slots, issues, and those of them in blocks

    @property
    def figures(self) -> dict[str, int]:
        return {} if self._translations is None else self._translations.figures()

    def before_engine(self) -> None:
        """Translate blocks if it is worthwhile, and install finished translations."""
        if self._off:
            return
        self._avoided |= self._machine.marks
        there = self._translations
        if there is not None:
            if there.written_over():
                there.drop()
                self._sought.clear()
                self._compiling.clear()
                self._texts_left -= 1
            if there.hide_marked():
                return
        slots = int(self._machine.st["slots"])
        if slots < self._next_look or not self._texts_left:
            return
        self._next_look = slots + _LOOK_SLOTS
        if there is not None:
            self._judge(there, slots)
        for form in self._wanted():
            if form not in self and form not in self._refused:
                self._advance(form)

    def _judge(self, there: Translations, slots: int) -> None:
        """Choose the blocks again if another part of the program is hot now, a few times."""
        if (
            slots < self._judged[0] + max(self._effort.issues, _JUDGED_SLOTS)
            or not self._choices_left
            or not len(there)
        ):
            return
        issues, done = self._issues(), there.instructions
        few = done - self._judged[2] < _WORTHWHILE * (issues - self._judged[1])
        self._judged = (slots, issues, done)
        if few:
            self._choices_left -= 1
            there.drop()
            self._compiling.clear()

    def _issues(self) -> int:
        first, end = self._machine.text
        return int(self._machine.issues()[:, first:end].sum())

    def _wanted(self) -> Sequence[str]:
        machine = self._machine
        if machine.harts == 1:
            return ("solo",)
        if self._effort.everything:
            return FORMS
        h = int(machine.st["hart"])
        return ("runner" if machine.hs["next"][h] != h else "solo",)

    def _advance(self, form: str) -> None:
        """Install a cached or finished library, or start to compile one."""
        effort = self._effort
        translator = Translator(self._machine, effort, self._avoided)
        try:
            compiling = self._compiling.get(form)
            if compiling is not None:
                if not compiling.running:
                    self._install(form, translator.result(self._compiling.pop(form), form))
                return
            if form not in self._sought and not effort.quick:
                self._sought.add(form)
                self._install(form, translator.kept(form))
            if form in self or self._issues() < effort.issues:
                return
            if effort.quick:
                self._install(form, translator.now(form))
                return
            started = translator.start(form)
            if started is not None and effort.wait:
                self._install(form, translator.result(started, form))
            elif started is not None:
                self._compiling[form] = started
        except GnomonError as error:
            _log.info("blocks are not translated: %s", error)
            self._refused.add(form)

    def __contains__(self, form: object) -> bool:
        return self._translations is not None and form in self._translations

    def _install(self, form: str, library: CDLL | None) -> None:
        if library is None:
            return
        if self._translations is None:
            self._translations = Translations(self._machine, self._effort)
        self._translations.install(form, library)


def _can_help(machine: Machine) -> bool:
    """Return whether blocks can have this machine's timing and no recorder needs each issue."""
    cfg = machine.cfg
    waits = machine.arrays["uses"].any()
    watched = len(machine.arrays["trace"]) > 1 or cfg["calls"]
    further = cfg["ishift"] == 1 or machine.architecture.computes_fetch
    return not (watched or cfg["serial"] or waits or further)
