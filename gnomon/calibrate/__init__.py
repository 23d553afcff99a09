"""From the RTL of an in-order core to a machine that is exact, or the reason why there is none."""
