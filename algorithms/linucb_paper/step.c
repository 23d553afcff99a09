/* A step of the paper code: harts share the selection alone. */
#define LEARNER_SHARES_ARMS 2
#include "../common/step.c"
