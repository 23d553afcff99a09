UNIT(vmadd) { return a * b + c; }
UNIT(vabove) { return (int32_t)a > (int32_t)b ? a : b; }
UNIT(vnear) { return (int32_t)a > (int32_t)b ? a - b : b - a; }
UNIT(vpow) { return a * a + c; }
UNIT(twice) { return 2 * a; }
