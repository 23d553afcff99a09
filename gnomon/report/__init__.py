"""Reports: runs and studies as tables, figures and files.

A module for each: ``*_text`` for a terminal; ``sweep``, ``deploy`` and ``explain``; for studies
``study``, with ``page``, ``table``, ``canvas`` and ``criteria``.
"""
