"""What everything uses: units, errors, files, tables, digests, the cache, where content is."""
