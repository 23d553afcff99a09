"""The sentences of the platform page; figures come in by name."""

from __future__ import annotations

HEAD = """\
# Tables 2 and 3 on the Cortex-M4 and the Cortex-A72

Cost models, not simulations of these cores. Our paper-line program runs on the RV32IM simulator,
checked bit by bit. What it executes is counted by class of instruction (a mix), and each class has
a cost from the core's documentation. One factor per core is fitted to published cells. How to use
them: [docs/machines.md](../../docs/machines.md#cost-model-cores-cortex-m4-and-cortex-a72).

- documented: counts times documented cycles, nothing fitted.
- left-out: the same times a factor fitted to the published cells of all *other* sizes. No cell of
  the predicted size has a part in it.
- The program is built at {level}, a choice made on these cells (below); memory copies, 64-bit
  division and square root at -O2, as toolchains bring them compiled. Compiler: {compiler}.
- Table 3 has d = {d}, as on the page of the T13.
"""

ENERGY = """\
## Time and energy

Time is cycles over the clock and energy is power times time, in the paper and here: the average
power is one constant per board. So their errors are those of the cycles, and these columns test
nothing more. Printed energy over printed time, where the time has three digits or more:

{table}
"""

MEMORY = """\
## Memory of the Nucleo board

Static data and deepest stack of our program in bytes; instructions are in flash. The part is not
named. Nucleo parts of the STM32L4 family end at 80 MHz; 128 KiB (STM32L476) and 320 KiB (STM32L496)
are weighed here. Both are inferences.

{table}

The paper has figures for f = 16 and none for f = 32, for its memory demands. With 128 KiB our
program would not fit at f = 16 either, in any build, so the description has 320 KiB. With f = 32 it
fits neither. Instructions are compiled for RV32IM; data and stack frames of a 32-bit Arm core are
of about the same size.
"""

PROGRAM = """\
## Which program the boards ran

The paper: the same C++ library, fixed point because the T13 has no floating point, was compiled for
all three (sections 4.2 and 5.1). It names no compiler and no option.

**Optimisation.** Our program in four builds, priced with documented cycles (nothing fitted), and
with one factor, sizes left out:

{builds}

Optimised, our program would take about a seventh of what the Cortex-M4 took and a fifth of what the
A72 took, which no choice within the documented intervals makes up for. Unoptimised code comes
nearest on both cores, and it is what GCC makes unless told otherwise. So the boards probably ran
unoptimised code. The public build scripts for the T13 say -O2, and its cells fit that. That library
routines are compiled at -O2 was decided after the row "-O0 throughout" had been seen: nothing
fitted, it is nearer; with the factor, it is further off.

**Arithmetic.** The published cells of Table 2 (std and opt) as a sum, by least squares of relative
errors, in cycles:

| | per multiply-accumulate | per division | per step | mean error |
|---|---:|---:|---:|---:|
{operations}

On the A72 the sum holds almost exactly, and a division costs three times as much as a
multiply-accumulate. A division instruction of that core takes 20 cycles at most, integer or
floating point. A call of a library that divides 64 bits, as the fixed-point format needs on a
32-bit system, takes about that much. So the A72 cells speak for fixed point and against
floating point. On the Cortex-M4 the sum holds less well, and alone it would not tell; the paper's
text does. Published cycles of the two cores differ by {low:.2f} to {high:.2f} times; documented
ones of the same integer program by {our_low:.2f} to {our_high:.2f}.

**What the factor stands for.** {m4_factor:.2f} on the Cortex-M4 and {a72_factor:.2f} on the A72.
Not another number of instructions for the same C: so many our compiler makes of the functions that
take most of the time (Table 2 std and Table 3 opt, param 16):

{selection}

What is left: functions for element access and temporaries, which an unoptimised C++ library has and
our C does not; wait states of the flash memory on the Cortex-M4; cache misses and waiting for
operands on the A72. The cells do not say how much of each. On the Cortex-M4 every published cell is
above the documented interval, so either more is executed there than we count, or memory is slower
than the documentation assumes.
"""

COUNTS = """\
Counts of every cell and build: [platform-mixes.csv](platform-mixes.csv); of functions:
[platform-functions.csv](platform-functions.csv). All rows, with time and energy:
[cells.csv](cells.csv).
"""
