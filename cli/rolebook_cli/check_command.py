"""`rolebook check`: every problem in the given definitions and in the files that they name."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from typing import Any

from rolebook.problem import Problem, Severity
from rolebook.project.snapshot import Snapshot
from rolebook.rules import check_file
from rolebook.text import Span, Text
from rolebook_cli.output import paint, problem_text, shown_path
from rolebook_cli.project import files_of


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", default=["."], metavar="PATH", help="files or folders (the current folder)")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(args: argparse.Namespace) -> int:
    snapshot, paths = files_of(args.paths)
    problems = [problem for path in paths for problem in check_file(snapshot, path)]
    if args.format == "json":
        import json

        print(
            json.dumps(
                {"problems": [_to_json(problem, snapshot) for problem in problems]}, ensure_ascii=False, indent=2
            )
        )
    else:
        _print_text(problems, snapshot, len(paths))
    return 1 if any(problem.severity <= Severity.WARNING for problem in problems) else 0


def _print_text(problems: list[Problem], snapshot: Snapshot, files: int) -> None:
    for problem in problems:
        print(problem_text(problem, _text(snapshot, problem.path)))
    if not files:
        print("no definitions found", file=sys.stderr)
        return
    counts = Counter(problem.severity for problem in problems)
    words = [_count(counts[severity], severity.label) for severity in Severity if counts[severity]]
    verdict = ", ".join(words) if words else paint("no problems", "green")
    print(f"{verdict} in {_count(files, 'file')}")


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 or noun == 'info' else 's'}"


def _to_json(problem: Problem, snapshot: Snapshot) -> dict[str, Any]:
    """The form of spec §9; lines and columns count from 1, columns in code points."""
    return {
        "rule": problem.rule,
        "severity": problem.severity.label,
        "message": problem.message,
        "file": shown_path(problem.path),
        "range": _range(problem.span, _text(snapshot, problem.path)),
        "related": [
            {
                "file": shown_path(other.path),
                "range": _range(other.span, _text(snapshot, other.path)),
                "message": other.message,
            }
            for other in problem.related
        ],
        "fixes": [
            {
                "title": fix.title,
                "safe": fix.safe,
                "edits": [
                    {"range": _range(span, _text(snapshot, problem.path)), "text": text} for span, text in fix.edits
                ],
            }
            for fix in problem.fixes
        ],
    }


def _range(span: Span, text: Text) -> dict[str, Any]:
    start, end = text.position(span.start), text.position(span.end)
    return {
        "start": {"line": start.line + 1, "column": start.character + 1},
        "end": {"line": end.line + 1, "column": end.character + 1},
    }


def _text(snapshot: Snapshot, path: str) -> Text:
    content = snapshot.read(path)
    return Text(content) if isinstance(content, str) else Text("")
