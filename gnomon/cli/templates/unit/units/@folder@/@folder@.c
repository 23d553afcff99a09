/* a and b are the values of rs1 and rs2. In a program: #include "units.h" and @folder@(x, y). */
UNIT(@folder@) { return a > b ? a - b : b - a; }
