"""The recorded part of a run: cycles, or the time between two places of the program.

Outside its window a run has full speed. Inside, every slot of a sleeping hart is recorded, too.
"""

from dataclasses import dataclass, field

from gnomon.base.errors import GnomonError
from gnomon.sim._machine import Machine
from gnomon.sim._regions import RegionMeter
from gnomon.sim._run import Region

WINDOW_REGION = "(window)"
"""Name of the region that opens and closes a window; the result of the run excludes it."""

_EARLY_CYCLES = 1024  # longer than anything but a wait for a long transfer


@dataclass(frozen=True, slots=True)
class TraceWindow:
    """The part of a run to record."""

    first_cycle: int = 0  # the first cycle, if no region is given
    end_cycle: int | None = None  # the first cycle after the window; None = up to the end
    region: Region | None = None  # record while it runs, instead
    entry: int | None = 1  # which of its entries, from 1; None = every one
    max_slots: int | None = None  # issue slots after which recording ends; None = no limit

    def __post_init__(self) -> None:
        end = self.end_cycle
        if self.first_cycle < 0 or (end is not None and end <= self.first_cycle):
            raise GnomonError(
                f"a window from cycle {self.first_cycle} to {end} holds no cycle; cycles count "
                "from 0, and the end is the first cycle outside"
            )
        if self.entry is not None and self.entry < 1:
            raise GnomonError(f"entries of a window count from 1, not {self.entry}")


@dataclass(slots=True)
class Recording:
    """Switches the recorder of one run on and off."""

    machine: Machine
    meter: RegionMeter
    window: TraceWindow
    spans: list[tuple[int, int]] = field(default_factory=list)
    cut: bool = False
    _slots: int = 0
    _entries: int = 0
    _since: int | None = None
    _key: tuple[str, int] | None = None
    _done: bool = False

    def __post_init__(self) -> None:
        """Record nothing before the window begins."""
        self._record(on=False)

    @property
    def on(self) -> bool:
        return self._since is not None

    def before_engine(self, reached: int) -> None:
        """Start and stop by cycle, and let the loop return in time for the next of the two.

        Args:
            reached: the next instruction issues in this cycle or a later one.
        """
        st, window = self.machine.st, self.window
        if window.max_slots is not None:  # let the loop return in time for the limit, too
            room = len(self.machine.arrays["trace"])
            self.machine.record["trace_rows"] = max(1, min(room, window.max_slots - self._slots))
        if self._done or window.region is not None:
            return
        # An instruction in execute when the window begins has entered it before, and sleeping
        # harts must have their slots again.
        early = max(0, window.first_cycle - _EARLY_CYCLES)
        if not self.on and early <= reached:
            self._start(window.first_cycle)
        if self.on and window.end_cycle is not None and reached >= window.end_cycle:
            self._stop(window.end_cycle)
            self._done = True
            return
        bound = window.end_cycle if self.on else early
        if bound is not None:
            st["quantum_end"] = min(int(st["quantum_end"]), bound - 1)

    def at_mark(self) -> None:
        """Start or stop recording if a hart has entered or left the region at this mark."""
        if self._done or self.window.region is None:
            return
        opened = {key for key in self.meter.open_entries() if key[0] == WINDOW_REGION}
        if self._key is not None and (self._key not in opened or self.meter.just_opened(self._key)):
            self._stop(int(self.machine.st["cycle"]))
            self._key = None
            if self.window.entry is not None:
                self._finish()
                return
        for key in sorted(opened):
            if self.meter.just_opened(key):
                self._entries += 1
                if self._key is None and self.window.entry in (None, self._entries):
                    self._key = key
                    self._start(int(self.machine.st["cycle"]))

    def after_engine(self, rows: int) -> None:
        """Count what was recorded, and end at the limit."""
        self._slots += rows
        limit = self.window.max_slots
        if self.on and limit is not None and self._slots >= limit:
            self._stop(int(self.machine.st["cycle"]))
            self.cut = True
            self._finish()

    def end(self, wall_cycles: int) -> tuple[tuple[int, int], ...]:
        """Return the recorded cycles, as first and end of each window; the run has ended."""
        if self._since is not None:
            self._stop(wall_cycles)
        return tuple((first, min(end, wall_cycles)) for first, end in self.spans)

    def _start(self, cycle: int) -> None:
        self.machine.function("engine_wake_slots")(self.machine.pointer)
        self._record(on=True)
        self._since = cycle

    def _stop(self, cycle: int) -> None:
        assert self._since is not None
        self._record(on=False)
        if cycle > self._since:
            self.spans.append((self._since, cycle))
        self._since = None

    def _record(self, *, on: bool) -> None:
        cfg = self.machine.cfg
        cfg["tracing"] = cfg["keep_slots"] = on

    def _finish(self) -> None:
        """End the recording for the rest of the run; remove the marks at the ends of the window."""
        self._done = True
        if self.window.region is not None:
            self.meter.drop(WINDOW_REGION)
