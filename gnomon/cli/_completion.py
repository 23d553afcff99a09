"""``gnomon completion``: a shell completion script that starts no Python."""

import re
from typing import Annotated

import typer

from gnomon.base.content import found_machines
from gnomon.base.errors import require_known
from gnomon.base.schema import NAME_PATTERN
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._listing import list_commands
from gnomon.cli._options import argument

SHELLS = ("bash", "zsh")
_ZSH = "autoload -U +X compinit bashcompinit && compinit && bashcompinit\n"
_BASH = """\
_gnomon() {
    local word=${COMP_WORDS[COMP_CWORD]} words
    if [ "${COMP_WORDS[COMP_CWORD-1]}" = --arch ]; then
        words="@MACHINES@"
    else
        case "${COMP_WORDS[*]:1:COMP_CWORD-1} " in
@CASES@
            *) words="@COMMANDS@" ;;
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _gnomon gnomon
"""
_CASE = '            "{words} "*) words="{options}" ;;'


@with_json_output()
def completion(
    shell: Annotated[str, argument("SHELL", f"One of {', '.join(SHELLS)}.")],
) -> CommandOutput:
    """Print a shell completion script.

    It completes commands, options, machines and files. Put `source <(gnomon completion bash)` into
    ~/.bashrc, or `source <(gnomon completion zsh)` into ~/.zshrc.
    """
    from gnomon.cli.app import app

    require_known("shell", shell, SHELLS)
    options: dict[str, list[str]] = {"": []}
    for command in list_commands(typer.main.get_command(app)):
        first, *rest = command.name.split()
        options[""] += [first] * (first not in options[""])
        if rest:
            options.setdefault(first, []).append(rest[0])
        names = [name for each in command.parameters if not each.argument for name in each.names]
        options.setdefault(command.name, []).extend([*names, "--help"])
    cases = [
        _CASE.format(words=words, options=" ".join(given))
        for words, given in sorted(options.items(), key=lambda each: -len(each[0].split()))
        if words
    ]
    # A shell executes $(...) inside the words to complete, and a file may have any name.
    machines = [name for name in found_machines() if re.fullmatch(NAME_PATTERN, name)]
    script = (_ZSH if shell == "zsh" else "") + _BASH.replace("@CASES@", "\n".join(cases)).replace(
        "@COMMANDS@", " ".join(options[""])
    ).replace("@MACHINES@", " ".join(machines))
    yield script, script.splitlines()
