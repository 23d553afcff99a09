/*
 * Floating point in software, some hundred instructions each: the functions that zig's run-time
 * library has. GCC has none. Others, such as pow, do not link: link another library
 * (picolibc, newlib), or use integers with fraction bits, as kernels/common/fx.h and the kernels
 * sqrt, exp, log and divide do.
 */
#ifndef GNOMON_MATH_H
#define GNOMON_MATH_H

typedef float float_t;
typedef double double_t;

#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define M_E 2.7182818284590452354
#define M_LN2 0.69314718055994530942
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_SQRT2 1.41421356237309504880

#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf_sign(x)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x) (sizeof(x) == sizeof(float) ? __builtin_signbitf(x) : __builtin_signbit(x))

static inline float fabsf(float x) { return __builtin_fabsf(x); }
static inline double fabs(double x) { return __builtin_fabs(x); }
static inline float copysignf(float x, float sign) { return __builtin_copysignf(x, sign); }
static inline double copysign(double x, double sign) { return __builtin_copysign(x, sign); }

#define GNOMON_MATH_1(name)  \
    float name##f(float x);  \
    double name(double x);
#define GNOMON_MATH_2(name)           \
    float name##f(float x, float y);  \
    double name(double x, double y);

/* In zig's run-time library. */
GNOMON_MATH_1(ceil)
GNOMON_MATH_1(cos)
GNOMON_MATH_1(exp)
GNOMON_MATH_1(exp2)
GNOMON_MATH_1(floor)
GNOMON_MATH_1(log)
GNOMON_MATH_1(log10)
GNOMON_MATH_1(log2)
GNOMON_MATH_1(round)
GNOMON_MATH_1(sin)
GNOMON_MATH_1(sqrt)
GNOMON_MATH_1(tan)
GNOMON_MATH_1(trunc)
GNOMON_MATH_2(fmax)
GNOMON_MATH_2(fmin)
GNOMON_MATH_2(fmod)
float fmaf(float x, float y, float z);
double fma(double x, double y, double z);

/* In no supplied library. */
GNOMON_MATH_1(acos)
GNOMON_MATH_1(asin)
GNOMON_MATH_1(atan)
GNOMON_MATH_1(cbrt)
GNOMON_MATH_1(cosh)
GNOMON_MATH_1(erf)
GNOMON_MATH_1(expm1)
GNOMON_MATH_1(log1p)
GNOMON_MATH_1(sinh)
GNOMON_MATH_1(tanh)
GNOMON_MATH_1(tgamma)
GNOMON_MATH_2(atan2)
GNOMON_MATH_2(hypot)
GNOMON_MATH_2(pow)

#undef GNOMON_MATH_1
#undef GNOMON_MATH_2

#endif
