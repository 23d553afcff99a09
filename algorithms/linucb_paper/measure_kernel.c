/*
 * One matrix function of the paper code on n x n operands in the program's data, for Figure 8.
 * MEASURE_KERNEL chooses it: 0 sum, 1 product, 2 inverse.
 *
 * The function is measured from its first instruction: the by-value copies of its operands, which
 * its caller makes, precede it. The load after the call waits until the last transfer has
 * reached memory, as a load of the integer core does.
 */
#include "gnomon.h"
#include "paper_matrix.h"

enum { n = MEASURE_N };

DEFINE_MATRIX(n, n)

MATRIX(n, n) measure_operands[2];
MATRIX(n, n) measure_result;

#if MEASURE_KERNEL == 0
DEFINE_ADD(n, n)
#define MEASURED_CALL add_n_n(measure_operands[0], measure_operands[1])
#elif MEASURE_KERNEL == 1
DEFINE_MULTIPLY(n, n, n)
#define MEASURED_CALL multiply_n_n_n(measure_operands[0], measure_operands[1])
#elif MEASURE_KERNEL == 2
DEFINE_INVERSE(n)
#define MEASURED_CALL inverse_n_n(measure_operands[0])
#else
#error "measure_kernel.c: MEASURE_KERNEL must be 0 (sum), 1 (product) or 2 (inverse)"
#endif

int main(int hart)
{
    (void)hart;
    const MATRIX(n, n) result = MEASURED_CALL;
    (void)*(const volatile fx_t *)&result.at[0][0];
    GNOMON_MARK(measured);
    measure_result = result;
    return 0;
}
