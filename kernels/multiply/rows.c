/*
 * Per element of a: one product with a row of b, one addition to a row of the result. The integer
 * core moves no words, so this variant is faster for small matrices, where the four cycles
 * that every vector instruction takes to start cost less than gathering.
 *
 * Scratchpad 0: a. 1: b. 2: the current product. 3: the result.
 */
#include "fx_vector.h"
#include "multiply.h"

void fx_multiply_rows_floor_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t rows,
                                 uint32_t inner, uint32_t columns)
{
    const uint32_t row_bytes = 4u * columns;
    uint32_t element = VCU_SPM(0), sum = VCU_SPM(3);
    const uint32_t product = VCU_SPM(2), end = VCU_SPM(3) + rows * row_bytes;
    if (rows == 0 || columns == 0) {
        return;
    }
    kmemld(VCU_SPM(0), a, 4u * rows * inner);
    vcu_set_mvtype(VCU_32_BIT);
    vcu_set_mvsize(4u * rows * inner);
    kmemld(VCU_SPM(1), b, inner * row_bytes);
    ksrav(VCU_SPM(0), VCU_SPM(0), FX_PRE_SHIFT_A); /* while b is loaded */
    vcu_set_mvsize(inner * row_bytes);
    ksrav(VCU_SPM(1), VCU_SPM(1), FX_PRE_SHIFT_B);
    vcu_set_mvsize(row_bytes);
    do {
        const uint32_t row_end = element + 4u * inner;
        uint32_t row = VCU_SPM(1);
        ksvmulsc(sum, row, element); /* the first product is the sum: no need to clear it */
        element += 4;
        row += row_bytes;
        while (element != row_end) {
            ksvmulsc(product, row, element);
            element += 4;
            row += row_bytes;
            FX_HERE(element);
            FX_HERE(row);
            kaddv(sum, sum, product);
        }
        sum += row_bytes;
    } while (sum != end);
    vcu_set_mvsize(rows * row_bytes);
    ksrav(VCU_SPM(3), VCU_SPM(3), FX_POST_SHIFT);
    kmemstr(out, VCU_SPM(3), rows * row_bytes);
}
