"""Speed of the simulator in CPU time, beside other simulators: ``python -m benchmarks``."""
