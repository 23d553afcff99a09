"""Speed of the simulator in CPU time, next to other simulators: ``python -m benchmarks``."""
