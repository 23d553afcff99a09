"""Prices of runs and machines: energy, area, cost-model platforms."""
