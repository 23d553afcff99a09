"""Measure kernels and learners: built, run, compared bit for bit."""
