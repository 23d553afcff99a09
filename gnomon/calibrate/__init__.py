"""Calibration: from the RTL of an in-order core to an exact machine file, or a reason for none."""
