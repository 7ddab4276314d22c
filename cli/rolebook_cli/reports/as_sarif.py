"""`--format sarif`: SARIF 2.1.0 (OASIS), which code scanning services read.

Columns are counted in code points, which the run says (`columnKind`, §3.14.17). A file below the current folder has a
relative URI; `%SRCROOT%` is that folder.
"""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rolebook.problem import Fix, Problem, Severity
from rolebook.rules import all_rules
from rolebook.rules.rule import Rule
from rolebook.text import Span
from rolebook_cli.output import shown_path
from rolebook_cli.reports.as_json import dump
from rolebook_cli.reports.report import Report

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note", Severity.HINT: "note"}
_ROOT = "%SRCROOT%"


def render(report: Report) -> str:
    """A log with one run, whose rules are those that found something."""
    known = all_rules()
    rules = sorted({problem.rule for problem in report.problems})
    index = {name: at for at, name in enumerate(rules)}
    driver = {
        "name": "Rolebook",
        "rules": [_rule(known[name]) for name in rules],
    } | _version()
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"uri": Path.cwd().as_uri().rstrip("/") + "/"}},
        "results": [_result(report, problem, index[problem.rule]) for problem in report.problems],
    }
    return dump({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _version() -> dict[str, str]:
    try:
        return {"version": version("rolebook")}
    except PackageNotFoundError:
        return {}


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.name,
        "shortDescription": {"text": rule.page.partition("\n")[0]},
        "help": {"text": rule.page, "markdown": rule.page},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(report: Report, problem: Problem, index: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": problem.rule,
        "ruleIndex": index,
        "level": _LEVELS[problem.severity],
        "message": {"text": _plain(problem.message)},
        "locations": [{"physicalLocation": _location(report, problem.path, problem.span)}],
    }
    if problem.related:
        result["relatedLocations"] = [
            {
                "id": number,
                "message": {"text": _plain(other.message)},
                "physicalLocation": _location(report, other.path, other.span),
            }
            for number, other in enumerate(problem.related)
        ]
    if problem.fixes:
        result["fixes"] = [_fix(report, problem.path, fix) for fix in problem.fixes]
    return result


def _plain(message: str) -> str:
    """A message without links (§3.11.6): what the user wrote is quoted in it, and must not become one."""
    return message.replace("](", "\\](")


def _fix(report: Report, path: str, fix: Fix) -> dict[str, Any]:
    replacements = [
        {"deletedRegion": _region(report, path, span), "insertedContent": {"text": text}} for span, text in fix.edits
    ]
    return {
        "description": {"text": fix.title},
        "artifactChanges": [{"artifactLocation": _artifact(path), "replacements": replacements}],
    }


def _location(report: Report, path: str, span: Span) -> dict[str, Any]:
    return {"artifactLocation": _artifact(path), "region": _region(report, path, span)}


def _artifact(path: str) -> dict[str, str]:
    shown = shown_path(path)
    if os.path.isabs(shown):
        return {"uri": Path(shown).as_uri()}
    return {"uri": quote(shown.replace(os.sep, "/").encode("utf-8", "surrogateescape")), "uriBaseId": _ROOT}


def _region(report: Report, path: str, span: Span) -> dict[str, int]:
    place = report.place(path, span)
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
