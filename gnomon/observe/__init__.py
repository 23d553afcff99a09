"""Look into a run: traces, recordings, profile, differences, what bounds it."""
