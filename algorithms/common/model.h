/*
 * Place and size of a model. Include after the definition of learner_model, a static object that
 * consists of 32-bit words.
 */
#ifndef MODEL_H
#define MODEL_H

#include "learner.h"

const uint32_t learner_model_words = sizeof learner_model / sizeof(fx_t);

fx_t *learner_model_place(void)
{
    return (fx_t *)&learner_model;
}

static inline void clear_model(void)
{
    uint32_t *const words = (uint32_t *)&learner_model;
    for (uint32_t i = 0; i < sizeof learner_model / 4; ++i) {
        words[i] = 0;
    }
}

#endif
