#error "math.h: the machines have no floating-point unit, each operation would be some hundred \
instructions; use integers with fraction bits, as kernels/common/fx.h and the kernels sqrt, exp, \
log and divide do"
