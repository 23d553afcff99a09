"""Heavy groups of tests: what they depend on, how they run, and the record of their last runs."""

from __future__ import annotations


def checkout_variable(name: str) -> str:
    """Return the environment variable that gives a checkout of the user's to tests."""
    return f"GNOMON_CHECKOUT_{name.upper()}"
