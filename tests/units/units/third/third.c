UNIT(choose) { return (a & c) | (b & ~c); }
