"""Measurement of kernels and learners: build, run, compare bit by bit."""
