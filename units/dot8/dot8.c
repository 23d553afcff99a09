/* a and b are elements, sign-extended; the vector unit adds the results in 32 bits. */
UNIT(kdot8) { return a * b; }
