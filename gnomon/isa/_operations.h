/* The functions that the C of expressions calls. */
static inline int32_t op_signed(uint32_t v) { return (int32_t)v; }
static inline uint64_t op_wide(uint32_t v) { return v; }
static inline int64_t op_signed_wide(uint32_t v) { return (int32_t)v; }
static inline uint32_t op_div(uint32_t a, uint32_t b)
{
    if (b + 1 < 2) /* 0 or -1, whose quotient may not fit */
        return b == 0 ? ~0u : 0u - a;
    return (uint32_t)((int32_t)a / (int32_t)b);
}
static inline uint32_t op_rem(uint32_t a, uint32_t b)
{
    if (b + 1 < 2)
        return b == 0 ? a : 0;
    return (uint32_t)((int32_t)a % (int32_t)b);
}
static inline uint32_t op_div_shifted(uint32_t x, uint32_t y, uint32_t n)
{
    const int64_t dividend = (int64_t)(int32_t)x * ((int64_t)1 << n);
    const int64_t divisor = (int32_t)y, infinity = INT64_C(1) << 62;
    const int64_t value = y ? dividend / divisor : x == 0 ? 0 : x >> 31 ? -infinity : infinity;
    return (uint32_t)(value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value);
}
