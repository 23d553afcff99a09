"""The words of the page, with gaps for its tables."""

from __future__ import annotations

INTRODUCTION = """\
# LinearUCB in fixed point

Figures 5 to 7 of "Efficient Implementation of LinearUCB through Algorithmic Improvements and Vector
Computing Acceleration for Embedded Learning Systems" are in float64. This page is what they do not
show: the same learners as embedded C, bit for bit as the machine computes them, for each number of
fraction bits.

Made by `gnomon experiment fixed-point --size {size}`. Finished runs are kept in the cache folder,
so a study that was stopped goes on where it was. The same command gives the same files; the float
reference differs in the last digits between linear algebra libraries, and with it, rarely, an arm.

## What is run

{cases}

Environments are those of `gnomon experiment linucb`. Rounds are drawn in float64; the fixed-point
learner is given contexts, rewards, arm features and alpha rounded to its format, the float learner
(standard, float64) as they are. Both start from A = I. Words have 32 bits, so a format with F
fraction bits ends at 2^(31-F).

- **Playing alone**: learns what it chose itself. All curves, regrets and events are of this run.
- **Learning the same**: learns what float played; only choices are compared.
- **Regret** of a round: expected reward of the best arm less that of the arm played. **It leaves
  2 %** in the first round from which on, to the end, the regret so far is more than 2 % off that of
  float, on either side. A format that ends within 2 % "stays". `cells.csv` also has the first round
  at all, after the first {burn_in} of the rounds, in which it was off, and the same for reward. The
  regret of float grows slowly, so 2 % of it are one or two rounds with a bad arm: a strict measure,
  which also leaves on the good side now and then ("below").
- **Error of the inverse**: Frobenius norm of the difference between A⁻¹ of the arm that was played
  most, as the learner uses it, and the exact one of the learner's own history; relative to the norm
  of the latter. Of a standard variant, it is what its own inversion makes of the A it keeps; of the
  tuned hybrid learner, which has no A⁻¹, it is that of the covariance of the arm's weights.

## Why

Events are first looked for, each with its round (`events.csv`); the cause is the first of these
groups that has an event which can have happened up to the round in which regret left:

1. **overflow**: a sum that is kept (A, b, B), computed exactly from the run's own history, does not
   fit a word (its exact round), or an operation of the C did not fit, by kind: add, subtract,
   multiply, divide, divide by zero (counted in each scalar operation of the paper line up to the
   last checkpoint in the rounds of "learning the same"; the round is exact). A sum that wraps on
   the way and back is counted, too, and is harmless.
2. **underflow**: a diagonal element of an arm's exact A⁻¹ is below one unit of the format (exact
   round), so the format has no number for it but 0 and 1 unit.
3. **rounding**: theta of the arm played most (A⁻¹ b of the A⁻¹ that is used and the b that is kept)
   is 2 % off the exact one, or its A⁻¹ is, or A0⁻¹, or one is not positive (looked at in eight
   rounds per decade from 10 on, so "by 178" is after 133); or the root of a negative number was
   taken (exact round). Numbers still fit, but their last digits were needed.
4. **choices**: none of these. Rounded scores choose another arm now and then, and the sums differ.

Vector variants wrap unseen, and so does the tuned line: nothing counts inside them. What their
history says of A, b and B is exact all the same.
"""

LIVES = """
## How long regret stays within 2 % of float

![Round in which regret leaves 2 %](life.svg)

Rounds; "stays" is to the end. The evidence in brackets is that of the group that is the cause.
The second table of each environment: regret at the end over that of float, then the share of the
rounds with float's arm, learning the same / playing alone, percent. The third: the average reward
of all rounds (float's is above), then the relative error of the inverse at the end. The fourth: the
first round with an element of A⁻¹ on the diagonal below one unit / with an overflow, whatever came
of it.
{tables}
![Regret over rounds](regret.svg)

![Average reward over rounds](reward.svg)

![Error of the inverse over rounds](inverse.svg)
"""

OTHERS = """
## The tuned line, and the vector variants

{others}

{counts}
"""

SCALED = """
## Contexts scaled down

Contexts times {scale}, for float as well; rewards as before. A grows {factor} times more slowly and
A⁻¹ stays as many times larger, which suits a format; but A still starts from I, so to the learner
this is a prior {factor} times as strong and exploration that much weaker. Float itself pays for it,
and the ratio below is to float with the same scaled contexts.

{floats}

{tables}
"""

SEEDS = """
## Other seeds

The tuned line in rounds drawn from other seeds.

{seeds}
"""
