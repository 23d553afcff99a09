"""The words of the page, with gaps for its tables."""

from __future__ import annotations

INTRODUCTION = """\
# LinearUCB in floating point

The learners of "Efficient Implementation of LinearUCB through Algorithmic Improvements and Vector
Computing Acceleration for Embedded Learning Systems" in NumPy float64: Table 1 and Figures 1 to
7. What the paper says is beside what came out here; its figures have no tables behind them, so
curves are compared by the numbers in the text (`models/published/linucb-float.csv`).

Made by `gnomon experiment linucb --size {size}`. The same command gives the same files on the
same machine; rounding errors differ in their digits, not in their size, between linear algebra
libraries.

## Published and measured

{claims}

The full table is in `claims.csv`.
"""

COMPLEXITY = """\
## Table 1: complexity

Exponents fitted to the operations counted in runs of the learners, at sizes where the leading
term dominates (d up to 256 disjoint, k up to 384 hybrid). Stage 1 is select, stage 2 update.

{table}

All stages stay within the published bounds. The select of the optimised hybrid learner does
better than its bound: without an inversion it takes 3 N k^2 multiply-accumulates and lower terms,
one power of d less than O(k^2 d).

## Figures 1 and 3: operations of a step

![Operations of a step over size](operations.svg)

Every point was counted by running a step under the recorder, and equals the formula in
`gnomon.learn` (`operations.csv` has both). A multiply-accumulate counts as one operation. The
standard learners multiply exactly as often as the authors' public programs: 1,208 / 9,448 /
75,720 / 608,136 times for 8 arms and d = 4 / 8 / 16 / 32, and 22,816 times in a hybrid step with
d = f = 4 but for eight products by two, which their compiler turns into shifts.

The paper takes n^3 operations for an inversion of size n; the Doolittle inversion of the public
code takes 7/3 n^3 multiply-accumulates, as its substitutions run over structural zeros.
"""

MEMORY = """\
## Figures 2 and 4: memory

![Peak memory over size](memory.svg)

State is exact: the arrays that stay between steps, the same for both variants, as the inverse
takes the place of the matrix. Peaks are measured by `tracemalloc` and come on top of the state;
they hold arrays and Python objects, but not the workspace inside LAPACK. The learners here work
on all arms at once, so with N arms a standard select holds N inverses; rows with one arm show
what one arm takes.

{table}

The optimised learners relieve the select, which holds no inverses any more, while their update
holds a little more than the standard one: the published shift from selection to update. The
larger of the two peaks falls for the disjoint learner where many arms are inverted at once, and
not for the hybrid one, whose update holds several k x k matrices in both variants. At d = f = 32
one k x k matrix alone has 8 MiB, so the published savings cannot be of all arrays; what the
profiler counted is not stated. Kilobytes of a Python process do not say what fits a
microcontroller: the embedded code states its own bytes.
"""

DRIFT = """\
## Figures 5 to 7: round-off

{cases}

All variants see the same rounds. They are compared with the standard learner after every round,
while learning the same arms; rewards are those of each variant playing alone.

![Drift of the inverse over rounds](drift.svg)

Solid: Frobenius norm of the difference between the inverse that is kept and the inverse of the
standard learner's matrix, as in the paper (the largest value of each interval); of A of the arm
just played for the disjoint algorithm, of A0 for the hybrid one. Dashed: to the exact inverse,
from a form in which nothing cancels.

{drift}

"Residual" is the norm of A A^-1 - I. Drift is the largest of the last tenth of the rounds,
residual and distance to the exact inverse the largest of the intervals' ends there. The average
reward is that of all rounds.

![Average reward over rounds](reward.svg)

The curves lie on each other, so the line of each variant is drawn narrower than that below it.

### Equal arms

{arms}

{disagreements}

### What the periodic correction gains

Orders of magnitude, log10 of uncorrected over corrected drift of A0. Shorter periods, other
methods, and what the correction costs on the machine: [correction.md](correction.md).

{gain}

### Reading it

- The drift of A0 has one cause. Line 19 of Algorithm 2 adds B^T A^-1 B, which grows with the
  number of times the arm was played, and line 25 takes it out again. In between, the inverse has
  eigenvalues of one over that number, as differences of numbers near one; going back multiplies
  their rounding by the square of that number. So each round adds an error that grows with the
  square of the rounds.
- The correction removes what has accumulated, but the next rounds add the largest errors of the
  whole run. Right after a correction it gains orders of magnitude, just before the next one
  little. The published "up to two orders" is the first reading; a sustained gain of 1.5 orders is
  not what it gives in these environments.
- The direct matrix A0 of the standard learner drifts, too, from the same cancellation, only less.
- The three changes of A0 in a step add up to one change of rank one, w w^T / (1 + x^T A^-1 x)
  with w = z - B^T A^-1 x. The variant `rank-one`, which is ours, updates the inverse with that by
  one Sherman-Morrison step: k^2 operations instead of k^2 d, no inversion, and an inverse closer
  to the exact one than that of the standard learner. It needs no correction.

Operations of a hybrid update, counted, for N = 8 and d = 4:

{updates}
"""
