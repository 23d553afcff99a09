UNIT(mulp) { return (a >> 16) * (b & 0xffff) + 1; }
UNIT(addp) { return (a ^ c) + 1; }
