UNIT(tally) { uint32_t *sum = state; return *sum += a; }
