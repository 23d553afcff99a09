/*
 * What every embedded learner provides, and what it is given.
 *
 * Compile-time sizes: LEARNER_D context features, LEARNER_ARMS arms and, for hybrid learners,
 * LEARNER_F features of each arm. A step is
 *     arm = learner_select(hart);
 *     ... the arm is played and gives a reward ...
 *     learner_update(arm, reward);
 */
#ifndef LEARNER_H
#define LEARNER_H

#include "gnomon.h"
#include "paper_fixed.h"

#ifndef LEARNER_D
#error "learner.h: define LEARNER_D: features of a context"
#endif
#ifndef LEARNER_ARMS
#error "learner.h: define LEARNER_ARMS: number of arms"
#endif

/* Harts that share the scoring of the arms; the host has one. */
#ifdef GNOMON_ACTIVE_HARTS
#define LEARNER_HARTS GNOMON_ACTIVE_HARTS
#else
#define LEARNER_HARTS 1
#endif

/* The input of a step, written by the caller. */
extern fx_t learner_context[LEARNER_D];
#ifdef LEARNER_F
extern fx_t learner_features[LEARNER_ARMS][LEARNER_F];
#endif
extern fx_t learner_alpha; /* weight of the confidence bound */

/* The scores of the last selection. */
extern fx_t learner_scores[LEARNER_ARMS];

/* Of each learner: the model that it keeps from step to step, words of fx_t only. */
extern const uint32_t learner_model_words;
fx_t *learner_model_place(void);

/* Of each learner: a fresh model; what all arms have in common; the score of one arm; a reward. */
void learner_reset(void);
void learner_prepare(void);
fx_t learner_score(uint32_t arm);
void learner_update(uint32_t arm, fx_t reward);

/*
 * The arm of the highest score, the lowest of equals. All LEARNER_HARTS harts call it and each
 * scores its share; the result is of use on hart 0 only.
 */
uint32_t learner_select(int hart);

/* Returns when all LEARNER_HARTS harts have called it. */
void learner_wait_for_all(int hart);

#endif
