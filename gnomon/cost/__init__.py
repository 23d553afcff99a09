"""Price a run or a machine: energy, area, cost-model platforms."""
