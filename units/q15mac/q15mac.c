UNIT(mulq) { return (uint32_t)(((int64_t)(int32_t)a * (int32_t)b) >> UNIT_FRACTION); }
UNIT(macq)
{
    const int64_t sum = (((int64_t)(int32_t)a * (int32_t)b) >> UNIT_FRACTION) + (int32_t)c;
    return (uint32_t)(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
}
