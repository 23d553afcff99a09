/* KERNEL_FUNCTION is the variant to measure. */
#include "grow_inverse.h"
#include "measure.h"

MEASURE_STATUS(KERNEL_FUNCTION(MEASURE_OPERAND(0), MEASURE_OPERAND(1), MEASURE_OPERAND(2),
                               MEASURE_OPERAND(3), MEASURE_EXTENT(0)))
