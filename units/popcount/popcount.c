UNIT(popcount)
{
    uint32_t count = 0;
    for (; a; a &= a - 1) count++;
    return count;
}
