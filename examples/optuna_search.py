"""Search a design space with Optuna and an objective of your own.

python -m pip install optuna
python examples/optuna_search.py
"""

from __future__ import annotations

import sys

import optuna

import gnomon

AXES = {
    "vcu.simd": [1, 2, 4, 8],
    "vcu.scratchpads.size": ["1 KiB", "4 KiB", "16 KiB"],
    "vcu.sharing": ["shared", "replicated"],
    "clock": ["50 MHz", "100 MHz"],
}


def measure(trial: optuna.Trial) -> float:
    """Return LUT times milliseconds of a 16 x 16 product on the machine of a trial."""
    chosen = {name: [trial.suggest_categorical(name, values)] for name, values in AXES.items()}
    sweep = {
        "schema": 1,
        "name": "trial",
        "kernel": "multiply",
        "arch": "t13-paper-simd1",
        "fixed": {"variant": "vector", "n": 16},
        "axes": chosen,
    }
    (point,) = gnomon.iterate_sweep(sweep)  # measured once; equal trials come from the cache
    if point.reason:
        raise optuna.TrialPruned(point.reason)
    return point.metrics["area_luts"] * point.metrics["time_us"] / 1000


def main() -> None:
    """Print the best machine of some trials."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1))
    study.optimize(measure, n_trials=int(sys.argv[1]) if len(sys.argv) > 1 else 40)
    print(f"{study.best_value:.1f} kLUT µs: {study.best_params}")


if __name__ == "__main__":
    main()
