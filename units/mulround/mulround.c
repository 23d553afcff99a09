UNIT(mulr) { return (uint32_t)(((int64_t)(int32_t)a * (int32_t)b + 0x80000000ll) >> 32); }
UNIT(mulrs) { return c - unit_mulr(state, a, b, 0); }
