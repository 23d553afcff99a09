"""``gnomon list``: names and files of machines, kernels, learners, units, devices and studies."""

from gnomon.base.content import MARKERS, content_root, found, found_machines
from gnomon.base.errors import require_known
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import argument

_FOLDERS = {
    "machines": "arch", "kernels": "kernels", "learners": "algorithms", "units": "units",
    "devices": "devices", "studies": "reports",
}  # fmt: skip


@with_json_output(2)
def list_found(
    kinds: list[str] | None = argument(
        "KIND", "Kinds: machines, kernels, learners, units, devices, studies.", None, shown="all"
    ),
) -> CommandOutput:
    """List machines, kernels, learners, units, devices and studies, shipped and user-defined."""
    wanted = [require_known("kind", kind, _FOLDERS) for kind in kinds or _FOLDERS]
    answer = {kind: _list_rows(kind) for kind in wanted}
    lines = []
    for kind, rows in answer.items():
        lines.append(f"{kind}:")
        width = max((len(str(row["name"])) for row in rows), default=0)
        for row in rows:
            own = "" if row["shipped"] else f"  [{row['file']}]"
            lines.append(f"  {row['name']:{width}}  {row['title']}{own}")
    yield answer, lines


def _list_rows(kind: str) -> list[dict[str, object]]:
    from gnomon.base.tables import read_yaml_table

    folder = _FOLDERS[kind]
    if kind == "machines":
        files = found_machines()
    else:
        files = {name: each.folder / MARKERS[folder] for name, each in found(folder).items()}
    return [
        {
            "name": name,
            "title": " ".join(str(read_yaml_table(path).data.get("title", "")).split()),
            "file": str(path),
            "shipped": path.is_relative_to(content_root()),
        }
        for name, path in files.items()
    ]
