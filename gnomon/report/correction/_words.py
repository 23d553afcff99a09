"""The words of the page, with gaps for its tables."""

from __future__ import annotations

INTRODUCTION = """\
# Periodic correction

Section 3.3.3 of "Efficient Implementation of LinearUCB through Algorithmic Improvements and Vector
Computing Acceleration for Embedded Learning Systems": the direct matrices A and A0 are kept beside
their inverses, and every N updates the inverses are computed from them anew. What that gains in
float64, and what it costs the embedded learners of the paper line. What exactly they do is in
[docs/paper-line.md](../../docs/paper-line.md#corrected-section-333).

Made by `gnomon report correction --size {size}`. Cycles and bytes are the same everywhere, float
figures the same on the same machine. All numbers are in `correction_gain.csv`,
`correction_device.csv` and `correction_fixed.csv`; curves over rounds are in
[linucb.md](linucb.md).
"""

GAIN = """\
## Which reading gains 1.5 orders

Hybrid learner, {rounds} rounds, N = {arms}, d = {dimensions}, f = {features}, {laws} contexts,
seed {seed}, corrected every {period} updates (published: every 5,000). Orders of magnitude, log10
of uncorrected over corrected drift; drift is the Frobenius distance to the inverse of the standard
learner's A0. Published: "up to two orders", from a plot.

{table}

Readings near a correction gain orders: the correction puts the inverse back to that of the direct
matrix, so it removes all that has accumulated. The others do not. A step of Algorithm 2 adds
B^T A^-1 B to A0 and takes it out again; what rounding leaves of that grows with the square of the
number of times the arm was played. So late rounds add the largest errors, and those since the last
correction, few as they are, make up much of the whole.
"""

SCHEDULES = """\
## A better schedule, a better method

Ours, on the same rounds. "At the end" is the last {period} rounds; "largest" compares the largest
drift of both there.

{table}

- A shorter period raises the gain over all rounds, and slowly. It leaves what is seen just after a
  correction: one late step adds that much by itself, and the largest drift at the end comes from
  few such steps. No schedule takes that away.
- {sustained}
- Where the features of the arms are fixed, as here, A0 follows from all A: it is I + the sum over
  the arms of (f f^T) x (I - A^-1), x the Kronecker product. Nothing cancels in this form, and yet a
  correction from it gains no more: the errors come from the steps between two corrections. But it
  needs no direct A0, neither its memory nor its update.
- The rank-one update of A0, which never adds what it must take out, removes the cause. It keeps no
  direct matrix, inverts nothing, and takes fewer operations than Algorithm 2 (counts in
  [linucb.md](linucb.md)). Its distance is that of the standard learner's own A0, which drifts more
  than it does.
"""

COST = """\
## Cost on the machine

N = {arms}, one hart, Q16.15, fresh model and zeros as in the published tables; scalar: `{scalar}`,
vector: `{vector}`, both with 4 MiB of data memory, which costs no cycle.

- A step is a selection and an update.
- "More": the corrected step over the optimised one, for the direct matrices alone.
- "A correction": what a step with one takes more than one without; it inverts A of every arm, and
  A0. "In steps": over the corrected step.
- "A step, every P": the corrected step with its share of a correction.

Each run was compared bit by bit with the same C on the computer that made this page.

Compiler: {compiler}; flags of the first run: `{flags}`

Hart cycles, in which the hart holds the execute stage:

{hart}

Wall cycles, from start to end, the two other harts asleep:

{wall}

Bytes. "Model" is what is kept from step to step; "static" is all static data; the stack is the
deepest of hart 0, in an ordinary step and in one that corrects; "text" is instructions:

{bytes}

With the published period the corrections themselves cost next to nothing: what the method costs is
a direct update of A and A0 in every step, as much memory again for the largest matrices, and in
the correcting step the stack of a k x k inversion.
"""

FIXED = """\
## In Q16.15

The gains above are those of float64. The embedded hybrid learner computes in Q16.15, and a step
rounds to 2^-15 where float64 rounds to 2^-53. Largest difference of a score from that of the
scalar standard variant over {steps:,} random steps (N = {arms}, d = {d}, f = {f}, arms in turn;
scalar variants, on this computer, bit for bit as on the machine): the first step beyond {limit:g},
the median over the steps just after a correction, and the median of the last {last}.

{table}

Without correction the scores leave those of the standard variant within some hundred steps. A
correction brings them back each time, as A0 itself stays near that of the standard variant; but
between two corrections far apart they leave again. Where the first step leaves so early, the period
must be far shorter than the published one, and the tables above say what that costs.
"""
