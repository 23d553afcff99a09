"""Text of a budget for a comment on a change: what it costs more, and what it saves."""

from gnomon.budget import BaseChange, BaseComparison


def budget_comment(comparison: BaseComparison) -> str:
    """Return the comparison as Markdown; its first line identifies it among other comments."""
    report = comparison.report
    exceeded = sum(not verdict.kept for verdict in report.verdicts)
    total = len(report.verdicts)
    result = f"{exceeded} of {total} limits are not met" if exceeded else f"all {total} limits met"
    lines = [f"<!-- gnomon budget {report.name} -->", f"### Budget {report.name}: {result}", ""]
    shown = [each for each in comparison.changes if not (each.unchanged and each.verdict.kept)]
    if shown:
        lines += ["| check | quantity | base | here | difference | limit | |", f"|{'---|' * 7}"]
        lines += [_row(each) for each in shown]
        lines.append("")
    unchanged = len(comparison.changes) - len(shown)
    if unchanged:
        of = "quantity is" if unchanged == 1 else "quantities are"
        lines += [f"{unchanged} {of} unchanged and within the limit.", ""]
    for note in dict.fromkeys(each.note for each in comparison.changes if each.note):
        lines.append(f"- Not compared: {_cell(note)}.")
    lines += _builds(comparison)
    if report.failures:
        lines += ["", "<details><summary>Messages</summary>", ""]
        lines += [f"- {_cell(failure)}" for failure in report.failures]
        lines += ["", "</details>"]
    return "\n".join(lines).rstrip("\n") + "\n"


def _builds(comparison: BaseComparison) -> list[str]:
    """Return a line for each difference between builds, with the checks that have it."""
    checks: dict[str, list[str]] = {}
    for check, before, now in comparison.builds:
        old, new = ((text or "an-ELF-file").split() for text in (before, now))
        sides = {
            "in the base": [word for word in old if word not in new],
            "here": [word for word in new if word not in old],
        }
        told = [f"`{' '.join(words)}` only {side}" for side, words in sides.items() if words]
        checks.setdefault("; ".join(told) or "options in another order", []).append(check)
    return [f"- Built in another way ({', '.join(of)}): {how}." for how, of in checks.items()]


def _row(change: BaseChange) -> str:
    verdict = change.verdict
    state = "met" if verdict.kept else "unavailable" if verdict.value is None else "**exceeded**"
    cells = (
        verdict.check,
        verdict.limit.metric.word,
        change.before,
        verdict.measured,
        change.difference or "-",
        verdict.limit.text.removeprefix(verdict.limit.metric.word).strip(),
        state,
    )
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(text: str) -> str:
    """Return text that Markdown shows as it is in a cell of a table."""
    return text.replace("|", r"\|").replace("<", "&lt;").replace("\n", " ")
