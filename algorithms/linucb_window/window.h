/*
 * LinUCB on a window: the disjoint learner on 1 and the contexts of the last LEARNER_WINDOW rounds.
 *
 * learner_context arrives with the reward, so a selection uses earlier contexts, zeros where there
 * are none.
 */
#ifndef WINDOW_H
#define WINDOW_H

#include "learner.h"

#if LEARNER_WINDOW < 1
#error "window.h: LEARNER_WINDOW must be at least 1"
#endif

#define WINDOW_WORDS (1 + LEARNER_WINDOW * LEARNER_D)

static inline void clear_window(fx_t *window)
{
    for (uint32_t i = 0; i < WINDOW_WORDS; ++i) {
        window[i] = i == 0 ? FX_ONE : 0;
    }
}

/* The newest context goes in front. */
static inline void push_context(fx_t *window)
{
    for (uint32_t i = WINDOW_WORDS; i-- > 1u + LEARNER_D;) {
        window[i] = window[i - LEARNER_D];
    }
    for (uint32_t i = 0; i < LEARNER_D; ++i) {
        window[1 + i] = learner_context[i];
    }
}

#endif
