"""Heavy groups of tests: what they depend on, how they run, and the record of their last runs."""
