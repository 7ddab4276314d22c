"""`rolebook check`: every problem in the given definitions and in the files that they name."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from rolebook.problem import Problem, Severity
from rolebook.project.snapshot import Snapshot
from rolebook_cli.output import Failure, shown_path, visible
from rolebook_cli.reports.report import Report, counted

FORMATS = ("text", "json", "sarif", "github")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files or folders (the current folder); - reads standard input"
    )
    parser.add_argument("--fix", action="store_true", help="apply the safe fixes, and tell what remains")
    parser.add_argument("--format", choices=FORMATS, default="text")
    parser.add_argument("--statistics", action="store_true", help="count the problems of each rule")
    parser.add_argument("--select", metavar="RULE,…", action="append", help="tell of these rules only")
    parser.add_argument("--ignore", metavar="RULE,…", action="append", help="don't tell of these rules")
    parser.add_argument(
        "--stdin-filename", metavar="FILE", help="the file that standard input stands for, for editors and hooks"
    )


def run(args: argparse.Namespace) -> int:
    chosen = _Choice(args.select, args.ignore)
    if args.statistics and args.format not in ("text", "json"):
        raise Failure(f"`--statistics` goes with text and json, not with {args.format}")
    snapshot, paths, failures = _given(args)
    if args.fix:
        failures += _fix(snapshot, paths, chosen, quiet=args.format != "text")
        snapshot, paths, _ = _given(args)
    report = Report(snapshot, filter(chosen.wants, _problems(snapshot, paths)), len(paths))
    if told := _rendered(report, args.format, statistics=args.statistics):
        print(told, flush=True)
    for failure in failures:
        print(f"rolebook: {visible(failure)}", file=sys.stderr)
    if failures:
        return 2
    return 1 if any(problem.severity <= Severity.WARNING for problem in report.problems) else 0


def _problems(snapshot: Snapshot, paths: list[str]) -> Iterable[Problem]:
    from rolebook_cli.parallel import check_files

    return check_files(snapshot, paths)


def _given(args: argparse.Namespace) -> tuple[Snapshot, list[str], list[str]]:
    """What is to be checked, and what of it couldn't be found, in sentences."""
    from rolebook_cli import project

    if "-" not in args.paths:
        if args.stdin_filename is not None:
            raise Failure("`--stdin-filename` goes with `-`, which reads standard input")
        return project.files_of(args.paths or ["."])
    if len(args.paths) > 1 or args.fix:
        raise Failure("`-` stands alone" if len(args.paths) > 1 else "`--fix` writes files, and `-` is none")
    snapshot, paths = project.standard_input(args.stdin_filename)
    return snapshot, paths, []


class _Choice:
    """The rules of `--select` and `--ignore`. Raises Failure for a rule that isn't."""

    def __init__(self, select: list[str] | None, ignore: list[str] | None) -> None:
        self._selected = _names(select) if select is not None else None
        self._ignored = _names(ignore or ())

    def wants(self, problem: Problem) -> bool:
        return problem.rule not in self._ignored and (self._selected is None or problem.rule in self._selected)


def _names(given: Iterable[str]) -> set[str]:
    names = {name for part in given for name in part.replace(",", " ").split()}
    if names:
        from rolebook.definition.names import did_you_mean
        from rolebook.rules import all_rules

        known = all_rules()
        for name in sorted(names - known.keys()):
            raise Failure(f"there is no rule `{name}`{did_you_mean(name, known)}")
    return names


def _fix(snapshot: Snapshot, paths: list[str], chosen: _Choice, *, quiet: bool) -> list[str]:
    """Writes the files that safe fixes change, and gives what couldn't be written, in sentences.

    Where the format is one for machines (`quiet`), what was done is told on the standard error stream.
    """
    from rolebook.rules.fixing import fix_files
    from rolebook_cli.rewrite import rewrite

    fixed = fix_files(snapshot, paths, chosen.wants)
    failures: list[str] = []
    for path in sorted(fixed.texts):
        before = snapshot.read(path)
        try:
            rewrite(path, before if isinstance(before, str) else "", fixed.texts[path])
        except Failure as failure:
            failures.append(str(failure))
            continue
        told = f"{visible(shown_path(path))}: {counted(fixed.counts[path], 'problem')} fixed"
        print(told, file=sys.stderr if quiet else sys.stdout)
    return failures


def _rendered(report: Report, form: str, *, statistics: bool) -> str:
    if form == "json":
        from rolebook_cli.reports import as_json

        return as_json.render(report, statistics=statistics)
    if form == "sarif":
        from rolebook_cli.reports import as_sarif

        return as_sarif.render(report)
    if form == "github":
        from rolebook_cli.reports import as_github

        return as_github.render(report)
    from rolebook_cli.reports import as_text

    return as_text.render(report, statistics=statistics)
