"""`--format github`: workflow commands, which GitHub shows as annotations at the lines of a pull request.

Syntax and escaping are those of GitHub's documentation, "Workflow commands for GitHub Actions". Columns count only
where a span lies on one line.
"""

from __future__ import annotations

import os

from rolebook.problem import Problem, Severity
from rolebook_cli.output import shown_path, visible
from rolebook_cli.reports.report import Report

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice", Severity.HINT: "notice"}


def render(report: Report) -> str:
    """One command a line; nothing where nothing was found."""
    return "\n".join(_command(report, problem) for problem in report.problems)


def _command(report: Report, problem: Problem) -> str:
    place = report.place(problem.path, problem.span)
    properties = {"title": problem.rule, "file": shown_path(problem.path).replace(os.sep, "/"), "line": place.line}
    if place.end_line == place.line:
        properties |= {"endLine": place.line, "col": place.column, "endColumn": place.end_column}
    else:
        properties |= {"endLine": place.end_line}
    told = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{_LEVELS[problem.severity]} {told}::{_data(visible(problem.message))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
