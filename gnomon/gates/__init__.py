"""Machines as gates of a standard-cell library: netlist, delays by load, energy of programs."""
