"""Learners written once: ``select`` and ``update`` in Python, to fixed-point C and its model."""
