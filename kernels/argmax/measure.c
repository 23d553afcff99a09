/* KERNEL_FUNCTION is the variant to measure. */
#include "argmax.h"
#include "measure.h"

MEASURE(KERNEL_FUNCTION(MEASURE_OPERAND(0), MEASURE_OPERAND(1), MEASURE_EXTENT(0)))
