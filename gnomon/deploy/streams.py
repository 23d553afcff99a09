"""Streams of requests: arrivals, measured step and reward of each, sampled by seeds."""

import re
from fractions import Fraction
from pathlib import Path

import numpy as np

from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.files import read_text
from gnomon.base.yaml import Origin, Problem
from gnomon.deploy._keys import RequestKeys, RewardKeys
from gnomon.deploy._model import LONGEST_PS, PS_PER_S, Arrivals, Delay, Requests, Times
from gnomon.deploy.quantities import KINDS

ARRIVALS: dict[Arrivals, str] = {
    "periodic": "one each period, later by up to jitter, uniform",
    "poisson": "independent of each other, rate on average",
    "recorded": "at the times of a CSV file",
}
DELAYS: dict[Delay, str] = {
    "constant": "after delay",
    "uniform": "from 0 to twice delay",
    "exponential": "delay on average",
}
SERVICES = {"drawn": "a random measured step per request", "in-order": "measured steps in turn"}
# At most three digits of an exponent: a number with 10^9 digits is a mistake and takes minutes.
_NUMBER = re.compile(
    r"[+-]?([0-9]{1,40}(\.[0-9]{0,40})?|\.[0-9]{1,40})([eE][+-]?[0-9]{1,3})?", re.ASCII
)
_COLUMNS = {"time_s": "s", "time_ms": "ms", "time_us": "us"}


def make_requests(
    stream: RequestKeys,
    rewards: RewardKeys,
    samples: int,
    service: str,
    recorded: Times | None = None,
) -> Requests:
    """Return all requests of a run, which ends when the next request would arrive.

    Arrivals, steps and rewards have separate generators, seeded from that of the stream.
    ``samples`` is the number of measured steps; ``recorded`` arrivals come from
    :func:`read_times`.

    Raises:
        GnomonError: if the requests last longer than the longest run.
    """
    arrival_rng, step_rng, reward_rng = (
        np.random.default_rng([stream.seed, part]) for part in range(3)
    )
    times = _sample_times(stream, arrival_rng, recorded)
    n = len(times) - 1
    sample = (
        step_rng.integers(0, samples, n, dtype=np.int64)
        if service == "drawn"
        else np.arange(n, dtype=np.int64) % samples
    )
    rewarded = reward_rng.random(n) < rewards.share
    delay_ps = sample_delays_ps(rewards.kind, rewards.delay_ps, n, reward_rng)
    return Requests(times[:-1], int(times[-1]), sample, rewarded, delay_ps)


def sample_delays_ps(kind: Delay, mean_ps: int, n: int, rng: np.random.Generator) -> Times:
    """Return ``n`` delays of a distribution, one of ``DELAYS``."""
    delay = np.full(n, float(mean_ps))
    if kind == "uniform":
        delay *= 2 * rng.random(n)
    elif kind == "exponential":
        delay *= rng.exponential(1.0, n)
    # A request after the longest run never arrives; with this limit, sums fit 64 bits.
    limited: Times = np.minimum(np.rint(delay), np.nextafter(LONGEST_PS, 0)).astype(np.int64)
    return limited


def _sample_times(stream: RequestKeys, rng: np.random.Generator, recorded: Times | None) -> Times:
    """Return all arrivals in ps, and that of the next request."""
    if stream.arrivals == "recorded":
        assert recorded is not None
        times = recorded[: stream.count + 1] if stream.count else recorded
        if len(times) > stream.count > 0:
            return times
        gap = (int(times[-1]) - int(times[0])) // max(1, len(times) - 1)
        return np.append(times, int(times[-1]) + max(1, gap))
    length_s = stream.count * stream.period_ps / PS_PER_S
    if length_s > LONGEST_PS / PS_PER_S / 2:
        raise GnomonError(
            f"{stream.count:,} requests last {length_s:,.0f} s, longer than a run can"
            f" ({LONGEST_PS / PS_PER_S / 2:,.0f} s); take fewer"
        )
    if stream.arrivals == "poisson":
        times = np.cumsum(rng.exponential(float(stream.period_ps), stream.count + 1))
        if times[-1] > LONGEST_PS:
            raise GnomonError(
                f"{stream.count:,} requests happen to last {times[-1] / PS_PER_S:,.0f} s, longer"
                f" than a run can ({LONGEST_PS / PS_PER_S:,.0f} s); take another seed, or fewer"
            )
        return np.maximum(1, np.rint(times)).astype(np.int64)
    ticks = np.arange(stream.count + 1, dtype=np.int64) * stream.period_ps
    later = np.rint(rng.random(stream.count + 1) * stream.jitter_ps).astype(np.int64)
    later[-1] = stream.jitter_ps  # the run lasts whole periods plus one jitter
    return ticks + later


def read_times(path: Path) -> Times:
    """Read times of requests in ps from a CSV file: one column ``time_s``, ``_ms`` or ``_us``.

    Raises:
        GnomonError: if the file has another form, with file and line.
    """
    lines = read_text(path).splitlines()
    header = lines[0].strip() if lines else ""
    if header not in _COLUMNS:
        allowed = allowed_hint(header, _COLUMNS)
        why = f"the first line must name the one column {allowed}, not {header[:40]!r}"
        raise _locate_error(path, 1, why)
    unit_ps = KINDS["time"][_COLUMNS[header]]
    times: list[int] = []
    for number, line in enumerate(map(str.strip, lines[1:]), 2):
        if not line:
            continue
        if not _NUMBER.fullmatch(line):
            raise _locate_error(path, number, f"{line[:40]!r} is not a number")
        ps = round(Fraction(line) * unit_ps)
        if not 0 <= ps <= LONGEST_PS // 2:
            most = f"times are from 0 to {LONGEST_PS // 2 // PS_PER_S:,} s"
            raise _locate_error(path, number, f"{most}, not {line[:40]}")
        if times and ps < times[-1]:
            raise _locate_error(
                path, number, "is earlier than the line above; times must be in order"
            )
        times.append(ps)
    if not times:
        raise _locate_error(path, 1, "holds no request")
    return np.array(times, dtype=np.int64)


def _locate_error(path: Path, line: int, message: str) -> GnomonError:
    return GnomonError(str(Problem(Origin(str(path), line), "", message)))
