"""`rolebook tokens`: how many tokens each part of a request has, by which tokenizer, and how sure that is."""

from __future__ import annotations

import argparse
import json
from typing import Any

from rolebook.models import Facts, facts
from rolebook.project.config import Config
from rolebook.prompt.tokens import Count, count_by
from rolebook.prompt.tokens.parts import Part, count_parts, total
from rolebook.record import Record
from rolebook.wire.caching import CacheReport, cache_report
from rolebook.wire.providers import provider_of
from rolebook_cli.output import paint, visible
from rolebook_cli.project import open_tree
from rolebook_cli.requests import Request, add_arguments, print_errors, requests
from rolebook_cli.window import bar, kind_of, verdict


def arguments(parser: argparse.ArgumentParser) -> None:
    add_arguments(parser)
    parser.add_argument("--ask", action="store_true", help="ask the provider to count as well; needs its key")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(args: argparse.Namespace) -> int:
    snapshot, tree = open_tree(args.path)
    tables = [_table(request, tree.config) for request in requests(args, snapshot, tree)]
    asked = _ask(tables, tree.root.agent.path) if args.ask else [None] * len(tables)
    if args.format == "json":
        found = [_json(table, answer) for table, answer in zip(tables, asked, strict=True)]
        print(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        print("\n\n".join(_text(table, answer) for table, answer in zip(tables, asked, strict=True)))
    return print_errors(snapshot, tree)


def counted(request: Request, config: Config) -> str:
    """The table of one request, as the command prints it."""
    return _text(_table(request, config), None)


class _Table(Record):
    """One agent's request in parts, and what is known of its model."""

    request: Request
    known: Facts
    config: Config
    parts: tuple[Part, ...]
    whole: Count
    caching: CacheReport | None
    """None where it isn't known which provider is asked."""


class _Answer(Record):
    """What the provider counted, or why it didn't."""

    tokens: int | None
    problem: str = ""


def _table(request: Request, config: Config) -> _Table:
    known = facts(request.model, config.models)
    parts = count_parts(request.compilation, known, lambda text: count_by(known, text))
    provider = provider_of(request.model, config.models)
    caching = (
        cache_report(request.compilation, provider, lambda text: count_by(known, text).tokens)
        if provider is not None
        else None
    )
    return _Table(request, known, config, parts, total(parts), caching)


def _json(table: _Table, answer: _Answer | None) -> dict[str, Any]:
    whole = table.whole
    out: dict[str, Any] = {
        "agent": table.request.place.agent.name,
        "model": table.request.model,
        "window": table.known.prompt_limit,
        "budget": table.config.token_budget,
        "total": {"tokens": whole.tokens, "exact": whole.exact, "error": round(whole.error, 3)},
        "parts": [part.to_json() for part in table.parts],
    }
    if table.caching is not None:
        out["caching"] = {
            "provider": table.caching.provider,
            "minimum": table.caching.minimum,
            "tokens": table.caching.cached_tokens,
            "parts": [
                {"part": part.part, "tokens": part.tokens, "cached": part.cached, "why": part.why}
                for part in table.caching.parts
            ],
        }
    if answer is not None:
        out["asked"] = answer.tokens if answer.tokens is not None else {"problem": answer.problem}
    return out


def _text(table: _Table, answer: _Answer | None) -> str:
    place, config = table.request.place, table.config
    model = table.request.model or "no model"
    lines = [f"{paint(visible(place.agent.name), 'bold')} · {visible(model)} · counted by {table.whole.tokenizer}"]
    rows = [row for part in table.parts for row in (("  ", part), *(("    ", inner) for inner in part.within))]
    names = [indent + visible(part.name) for indent, part in rows]
    width = max(max(map(len, names)), len("  total"))
    for (indent, part), name in zip(rows, names, strict=True):
        shown = paint(f"{name:<{width}}", kind_of(part).colour if indent == "  " else "dim")
        lines.append(f"{shown}  {part.count.tokens:>9,}  {paint(_remark(part), 'dim')}".rstrip())
    title = paint(f"{'  total':<{width}}", "bold")
    lines.append(f"{title}  {table.whole.tokens:>9,}  {paint(table.whole.quality, 'dim')}")
    if answer is not None:
        told = f"{answer.tokens:>9,}  counted by the provider" if answer.tokens is not None else answer.problem
        lines.append(f"{'  asked':<{width}}  {visible(told)}")
    lines += ["  " + line for line in bar(table.parts, table.whole, table.known.prompt_limit, config.token_budget)]
    static = next((part.count for part in table.parts if part.name == "static"), Count(0, "", True, 0.0))
    complaints = (
        verdict(table.whole, table.known.prompt_limit, "the context window"),
        verdict(table.whole, config.token_budget, "the budget"),
        verdict(static, config.static_token_budget, "the static budget"),
    )
    lines += [f"  {paint(said, 'red')}" for said in complaints if said]
    return "\n".join([*lines, *(_caching(table.caching) if table.caching is not None else ())])


def _caching(report: CacheReport) -> list[str]:
    """What the provider can cache of the request; parts that aren't there are left out."""
    lines = [f"  {paint('cached', 'bold')} {report.cached_tokens:,} tokens"]
    for part in report.parts:
        if part.tokens:
            mark = paint("yes", "green") if part.cached else paint("no ", "yellow")
            lines.append(f"    {part.part:<12}  {part.tokens:>7,}  {mark}  {visible(part.why)}")
    return lines


def _remark(part: Part) -> str:
    said = [part.count.quality]
    if part.note:
        said.append(part.note)
    if part.holes:
        said.append(f"without {', '.join(f'⟨{visible(hole)}⟩' for hole in part.holes)}")
    return " · ".join(said)


def _ask(tables: list[_Table], root: str) -> list[_Answer | None]:
    """What the providers count, each request asked for on its own."""
    import asyncio
    import os

    from rolebook_runner.errors import RunError
    from rolebook_runner.models.counting import ask
    from rolebook_runner.models.environment import environment

    folder = os.path.dirname(root)
    variables = environment(folder)

    async def one(table: _Table) -> _Answer | None:
        try:
            return _Answer(await ask(table.request.compilation.request, variables, folder))
        except RunError as error:
            return _Answer(None, str(error))

    async def every() -> list[_Answer | None]:
        return [await one(table) for table in tables]

    return asyncio.run(every())
