"""The words of the page, with gaps for its tables."""

from __future__ import annotations

HEAD = """\
# Figures of the LinearUCB paper beside ours

Figures 8, 9, 11, 2 and 4 of Angioli et al., "Efficient Implementation of LinearUCB through
Algorithmic Improvements and Vector Computing Acceleration for Embedded Learning Systems". Figures
1, 3 and 5 to 7 are in [linucb.md](../linucb/linucb.md), the cells of Tables 2 and 3 in
[cells.md](cells.md). Behind Figures 8, 2 and 4 the paper has no table: curves are compared by the
numbers in its text (`models/published/linucb-figures.csv`, `linucb-float.csv`), and where it gives
none, ours stand alone.

- **paper line**: the structure of the published programs,
  [docs/paper-line.md](../../docs/paper-line.md). **tuned line**: the best we can write for the same
  machine, [docs/tuned-line.md](../../docs/tuned-line.md).
- **hart** cycles: those in which the hart holds the execute stage; the published counts are of this
  kind. **wall** cycles: from start to end. One hart works, the two others sleep.
- Machines: scalar code on `t13`, vector code on `t13-paper-simd4`, one hart, Q16.15.
- Compiler: {compiler}. Made by `gnomon report paper --part figures --size {size}`.
"""

FIGURE_8 = """\
## Figure 8: what the vector unit gives to a sum, a product and an inverse

![Speed-up over matrix size, three kernels](figure8.svg)

Speed-up: cycles of the scalar kernel over those of the vector kernel, n x n matrices, SIMD 4.

**Measured region.** From the first instruction of the kernel until its result is in memory. Before
it, the by-value copies of operands, which callers of the paper line make; the region built into the
group's public kernels starts there, too. That one may end before the last transfer does; ours waits
for it. Inside are transfers of operands and results, and in the paper line the clearing of
the result (of the inverse: of its five temporaries), some 4 hart cycles a word in both kernels.
Whether the published region has that clearing inside is not known, so both are shown. Operands are
random, seed 0, the same for both lines; every result was compared bit by bit with a model.

**Compared with the text**, which gives these numbers and no others; the curve between is not
known:

{beside}

{reading}

**Speed-ups, all sizes.** The last two columns compare code lines as well: tuned vector kernel over
the paper line's scalar one.

{speedups}

**Cycles.** The tuned inverse is that of a symmetric matrix, which is what the learners invert; the
tuned scalar product sums in 64 bits and rounds once (`scalar-sum`), as the vector kernel does.

{cycles}

All rows: [figure8.csv](figure8.csv).
"""

READING_8 = """\
- Sum: the published factor is the number of lanes, whatever the size. In the paper line clearing
  the result takes {add_clearing:.0%} of the hart cycles of the vector sum with n = {n}. Without it
  the hart issues a few instructions and is done; transfers take the time, 1 cycle a word in and 2
  out, and no hart cycles. None of our readings is 4 at all sizes: a sum never waits for the lanes.
- Product: with n = {n}, a row of n products and sums takes {row:.1f} hart cycles on the vector
  unit, and n times {mac:.1f} on the scalar core. That is what the speed-up grows to. The published
  one grows less: at n = 4 it is between ours with and without clearing, at n = 32 below both. No
  region of ours gives both numbers.
- Inverse: ours is below the published one, with and without clearing; nearest are hart cycles
  without it."""

_SPEEDUP_TERMS = """\
**Measured region.** One selection and one update, each from the first instruction of its function
to its return: the cells of Tables 2 and 3, so every count stands in [cells.md](cells.md), too.
Speed-ups of both our lines are over std of the paper line, as the tuned line has none; hart cycles
over hart cycles, wall over wall. Published ones are over std of the same platform. The published
Hybrid counts fit d = 4, the text says d = 8; both are run, and the picture has d = 4.
"""

FIGURE_9 = (
    """\
## Figure 9: what the optimised algorithms give

![Cycles and speed-up of the optimised learners](figure9.svg)

"""
    + _SPEEDUP_TERMS
    + """
Cycles, and in parentheses the speed-up; of the other platforms the published speed-up. N = 8.

{disjoint}

{hybrid}

{missing}
The numbers of the text, beside those of its tables and ours:

{stated}

All rows: [figure9.csv](figure9.csv).
"""
)

FIGURE_11 = (
    """\
## Figure 11: what the vector unit gives to the learners

![Cycles and speed-up with the vector unit](figure11.svg)

"""
    + _SPEEDUP_TERMS
    + """
Cycles, and in parentheses the speed-up over std. SIMD 4, N = 8.

{disjoint}

{hybrid}

{missing}
Hart cycles leave out what the hart waits for. Of tuned vector code that is nearly all, as it issues
few instructions and waits for transfers: its speed is in the wall cycles.

The numbers of the text, beside those of its tables and ours:

{stated}

All rows: [figure11.csv](figure11.csv).
"""
)

FIGURES_2_4 = """\
## Figures 2 and 4: memory

![Peak stack and all data memory over size](figure2-4.svg)

The paper used a Python memory profiler, and states savings of peak stack of up to
{disjoint_claim} KB (Disjoint, d and N from 4 to 32) and {hybrid_claim} KB (Hybrid, d and f from 4
to 32); its curves have no numbers. Here are the bytes of the embedded C, and of our NumPy learners
beside them.

**What is measured.** Static: all initialised and zeroed data of the program, the model in it, by
its symbols. Select, update: peak stack of hart 0 in a run of that stage alone; peak stack: of a
whole step. The stack is painted before the run, and what is left of the paint says how deep it was.
One hart; 4 bytes a number. Scalar programs on `t13`, vector ones on `t13-paper-simd4`. The NumPy
learners have 8 bytes a number and work on all arms at once: static is their state, the peaks are
those of `tracemalloc` on top of it (`gnomon.learn.measure_memory`), with the objects of Python.

**The budget** is {budget} of data memory (`--set memory.data.size="{budget}"`; `t13` has 256 KiB).
What does not fit is measured with 4 MiB up to k = d f = {largest_k}; beyond, only the static data
stand here. A vector program also has the scratchpads, which are not data memory.

Disjoint, N = 8, bytes:

{disjoint}

Hybrid, d = {shown_d}, N = 8, bytes:

{hybrid}

### Savings in peak stack

Standard less optimised, bytes; "larger" is of the larger one of select and update; "to tuned": from
the paper line's standard program to the tuned optimised one, scalar. Below zero, the optimised
program takes more; empty: not run, or no such program.

Disjoint, N = 8; published: up to {disjoint_claim} KB:

{disjoint_savings}

Hybrid, N = 8; published: up to {hybrid_claim} KB:

{hybrid_savings}

{reading}### Sizes that do not fit

As the tool says it, and what they would take:

{refusals}

All rows: [figure2-4.csv](figure2-4.csv), [figure2-4-python.csv](figure2-4-python.csv).
"""

READING_2_4 = """\
### Reading it

- The published shift is there in the paper line: an optimised selection takes less stack than a
  standard one at every size, its update more.
- Disjoint: the larger of both falls by {larger_16:,} bytes at d = 16 and {larger_32:,} at d = 32,
  that of select alone by {select_16:,} and {select_32:,}; the published 5 KB lie between.
- Hybrid: select falls by far more than the published 12 KB at most sizes, but the update grows, and
  it is the larger one: together nothing is saved, in C as in NumPy. Algorithm 2 holds more k x k
  matrices at once than the standard update. Which peak the paper means is not stated.
- The tuned line copies no matrices: its stack takes {tuned_bytes:,} bytes at most.

"""
