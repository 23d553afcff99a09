/*
 * Interface of every embedded learner, and its inputs.
 *
 * Compile-time sizes: LEARNER_D context features, LEARNER_ARMS arms and, if arms have features,
 * LEARNER_F of each. A step is
 *     arm = learner_decide(hart);
 *     ... the arm is played and gives a reward ...
 *     learner_update(arm, reward);
 */
#ifndef LEARNER_H
#define LEARNER_H

#include <stdint.h>

#include "fx.h"
#include "gnomon.h"

#ifndef LEARNER_D
#error "learner.h: define LEARNER_D: features of a context"
#endif
#ifndef LEARNER_ARMS
#error "learner.h: define LEARNER_ARMS: number of arms"
#endif

/* Harts that share the arms; the host has one. */
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
extern fx_t learner_alpha; /* weight of exploration, for learners that have one */

/* The scores of the last selection that computed any. */
extern fx_t learner_scores[LEARNER_ARMS];

/* The model that persists from step to step, words of 32 bits only. */
extern const uint32_t learner_model_words;
fx_t *learner_model_place(void);

/* A fresh model. */
void learner_reset(void);

/* The arm to play. All LEARNER_HARTS harts call it; the result is valid on hart 0 only. */
uint32_t learner_select(int hart);

/* The same, with the probability of the arm if requested: see propensity.h. */
#ifdef LEARNER_PERTURB
#define LEARNER_PROPENSITY 1
#endif
#ifdef LEARNER_PROPENSITY
#include "propensity.h"
uint32_t learner_decide(int hart);
#else
#define LEARNER_PROPENSITY 0
#define learner_decide learner_select
#endif

/* Learns the reward of an arm under the context. Hart 0 calls it; if harts share the update, too,
 * all other LEARNER_HARTS harts call learner_help_update in the meantime. */
void learner_update(uint32_t arm, fx_t reward);

/* For learners whose arms harts share. The second (harts.c) returns when all have called it. */
void learner_help_update(int hart);
void learner_wait_for_all(int hart);

/* Arm of the highest of learner_scores, the lowest arm of equals. */
uint32_t learner_best_arm(void);

#endif
