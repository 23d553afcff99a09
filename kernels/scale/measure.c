/* KERNEL_FUNCTION is the variant to measure. */
#include "scale.h"
#include "measure.h"

MEASURE(KERNEL_FUNCTION(MEASURE_OPERAND(0), MEASURE_OPERAND(1), MEASURE_OPERAND(2),
                        MEASURE_EXTENT(0) * MEASURE_EXTENT(1)))
