"""`--format json`: the form of spec §9."""

from __future__ import annotations

import json
import re
from typing import Any

from rolebook.problem import Fix, Problem
from rolebook.text import Span
from rolebook_cli.output import shown_path
from rolebook_cli.reports.report import Report

_OBEYED = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Characters that JSON allows in a string and a terminal obeys."""


def render(report: Report, *, statistics: bool) -> str:
    """One JSON object; with `statistics`, the counts of each rule are among its keys."""
    data: dict[str, Any] = {"problems": [_problem(report, problem) for problem in report.problems]}
    if statistics:
        data["statistics"] = [
            {"rule": row.rule, "severity": row.severity.label, "problems": row.problems, "fixable": row.fixable}
            for row in report.counts
        ]
    return dump(data)


def dump(data: Any) -> str:
    """Indented JSON that is safe to look at on a terminal."""
    text = json.dumps(data, ensure_ascii=False, indent=2)
    return _OBEYED.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def _problem(report: Report, problem: Problem) -> dict[str, Any]:
    return {
        "rule": problem.rule,
        "severity": problem.severity.label,
        "message": problem.message,
        "file": shown_path(problem.path),
        "range": _range(report, problem.path, problem.span),
        "related": [
            {
                "file": shown_path(other.path),
                "range": _range(report, other.path, other.span),
                "message": other.message,
            }
            for other in problem.related
        ],
        "fixes": [_fix(report, problem, fix) for fix in problem.fixes],
    }


def _fix(report: Report, problem: Problem, fix: Fix) -> dict[str, Any]:
    edits = [{"range": _range(report, problem.path, span), "text": text} for span, text in fix.edits]
    return {"title": fix.title, "safe": fix.safe, "edits": edits}


def _range(report: Report, path: str, span: Span) -> dict[str, Any]:
    place = report.place(path, span)
    return {
        "start": {"line": place.line, "column": place.column},
        "end": {"line": place.end_line, "column": place.end_column},
    }
