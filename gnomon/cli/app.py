"""The command line with all commands."""

from gnomon.cli._commands import command_line

app = command_line()
