/* For learners that sample arms: their seed, and no perturbation of their choices. */
#ifndef SAMPLING_H
#define SAMPLING_H

#include "learner.h"
#include "random.h"

#ifdef LEARNER_PERTURB
#error "LEARNER_PERTURB: this learner draws its arms itself, take LEARNER_PROPENSITY"
#endif
#ifndef LEARNER_SEED
#define LEARNER_SEED 1u
#endif

#endif
