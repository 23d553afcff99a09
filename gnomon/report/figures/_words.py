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

![Speed-up over matrix size, three kernels](figure8.png)

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
