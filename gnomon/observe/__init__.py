"""Analysis of runs: traces, recordings, profiles, comparisons, stall analysis."""
