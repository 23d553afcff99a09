/*
 * What the learners of the tuned line provide, and what they are given: the names of the paper
 * line, so the same programs can run either. A step is
 *     arm = learner_select(hart);
 *     ... the arm is played and gives a reward ...
 *     learner_update(arm, reward);
 */
#ifndef LEARNER_H
#define LEARNER_H

#include <stdint.h>

#include "gnomon.h"

typedef int32_t fx_t;

#ifndef LEARNER_D
#error "learner.h: define LEARNER_D: features of a context"
#endif
#ifndef LEARNER_ARMS
#error "learner.h: define LEARNER_ARMS: number of arms"
#endif
#ifndef FX_FRACTION_BITS
#define FX_FRACTION_BITS 15
#endif
#if FX_FRACTION_BITS != 15
#error "learner.h: the tuned line computes in Q16.15: FX_FRACTION_BITS must be 15"
#endif

#define FX_ONE ((fx_t)1 << FX_FRACTION_BITS)

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

/* The model that is kept from step to step, words of fx_t only. */
extern const uint32_t learner_model_words;
fx_t *learner_model_place(void);

/* A fresh model. */
void learner_reset(void);

/*
 * The arm of the highest score, the lowest of equals. All LEARNER_HARTS harts call it and each
 * scores its share; the result is of use on hart 0 only.
 */
uint32_t learner_select(int hart);

/*
 * Learns the reward of an arm under the context. Hart 0 calls it; all other LEARNER_HARTS harts
 * call learner_help_update in the meantime.
 */
void learner_update(uint32_t arm, fx_t reward);
void learner_help_update(int hart);

/* Returns when all LEARNER_HARTS harts have called it. */
void learner_wait_for_all(int hart);

/* Of learner_scores. */
uint32_t learner_best_arm(void);

#endif
