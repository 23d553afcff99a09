/* Each matrix function of the paper code once, on operands that come with the program. */
#include "gnomon.h"
#include "paper_matrix.h"

enum { one = 1, p = 3, q = 5, r = 4 };

DEFINE_MATRIX(p, q)
DEFINE_MATRIX(q, p)
DEFINE_MATRIX(q, r)
DEFINE_MATRIX(p, r)
DEFINE_MATRIX(q, q)
DEFINE_ADD(p, q)
DEFINE_SUBTRACT(p, q)
DEFINE_SCALE(p, q)
DEFINE_DIVIDE(p, q)
DEFINE_TRANSPOSE(p, q)
DEFINE_MULTIPLY(p, q, r)
DEFINE_INVERSE(q)

struct {
    MATRIX(p, q) a, b;
    MATRIX(q, r) c;
    MATRIX(q, q) square;
} inputs;

union {
    MATRIX(p, q) pq;
    MATRIX(q, p) qp;
    MATRIX(p, r) pr;
    MATRIX(q, q) qq;
} output;

void run_one(uint32_t which, fx_t scalar)
{
    switch (which) {
    case 0: output.pq = add_p_q(inputs.a, inputs.b); break;
    case 1: output.pq = subtract_p_q(inputs.a, inputs.b); break;
    case 2: output.pq = scale_p_q(inputs.a, scalar); break;
    case 3: output.pq = divide_p_q(inputs.a, scalar); break;
    case 4: output.qp = transpose_p_q(inputs.a); break;
    case 5: output.pr = multiply_p_q_r(inputs.a, inputs.c); break;
    case 6: output.qq = inverse_q_q(inputs.square); break;
    default: break;
    }
}

#if !__STDC_HOSTED__
volatile int32_t choice[2];

int main(int hart)
{
    (void)hart;
    run_one((uint32_t)choice[0], choice[1]);
    return 0;
}
#endif
