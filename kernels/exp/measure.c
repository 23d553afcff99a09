/* KERNEL_FUNCTION is the variant to measure. */
#include "exp.h"
#include "measure.h"

MEASURE_STATUS(KERNEL_FUNCTION(MEASURE_OPERAND(0), MEASURE_OPERAND(1), MEASURE_EXTENT(0)))
