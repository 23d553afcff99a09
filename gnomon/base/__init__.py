"""Common code of all packages: units, errors, files, tables, digests, cache, content folders."""
