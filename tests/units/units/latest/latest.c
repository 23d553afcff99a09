UNIT(latest)
{
    uint32_t *held = state;
    const uint32_t before = *held;
    *held = a;
    return before;
}
