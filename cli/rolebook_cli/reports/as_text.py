"""`--format text`: for people, with the source and carets."""

from __future__ import annotations

from rolebook_cli.output import paint, problem_text
from rolebook_cli.reports.report import Report, counted


def render(report: Report, *, statistics: bool) -> str:
    """Each problem, or with `statistics` a row for each rule, and the verdict."""
    rows = _statistics(report) if statistics else _problems(report)
    verdict = report.verdict or paint("no problems", "green")
    mended = f"; `--fix` can mend {report.fixable:,}" if report.fixable else ""
    return "\n".join([*rows, f"{verdict} in {counted(report.files, 'file')}{mended}"])


def _problems(report: Report) -> list[str]:
    return [problem_text(each, report.text(each.path), read=report.text) for each in report.problems]


def _statistics(report: Report) -> list[str]:
    if not report.counts:
        return []
    number = max(len(f"{row.problems:,}") for row in report.counts)
    name = max(len(row.rule) for row in report.counts)
    return [
        f"{row.problems:>{number},}  {row.rule:<{name}}  {row.severity.label:<7}"
        f"{f'  {row.fixable:,} can be fixed' if row.fixable else ''}".rstrip()
        for row in report.counts
    ]
