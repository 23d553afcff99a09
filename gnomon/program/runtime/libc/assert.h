/* assert: prints the failed condition and ends the program as a crash. */
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#include <stdio.h>
#define assert(condition)                                                                \
    ((condition) ? (void)0                                                               \
                 : (printf("%s:%d: %s: assertion failed: %s\n", __FILE__, __LINE__,      \
                           __func__, #condition),                                        \
                    gnomon_abort()))
#endif
#ifndef static_assert
#define static_assert _Static_assert
#endif
