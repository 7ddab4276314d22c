"""`rolebook compile`: the request of every agent of a tree, or exactly one provider's body, as a run would send it."""

from __future__ import annotations

import argparse
import json
import sys

from rolebook.json import JsonValue, compact
from rolebook.project.snapshot import Snapshot
from rolebook.project.state import initial_state
from rolebook.project.tree import Place, Tree
from rolebook.prompt.compile import Compilation, compile_request
from rolebook.prompt.context import Context
from rolebook.prompt.events import Event
from rolebook.record import replace
from rolebook_cli.output import Failure, paint, problem_text
from rolebook_cli.project import errors_of, open_tree
from rolebook_cli.storage import STORE_HELP
from rolebook_cli.values import Conversation, read_events, read_pairs


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", help="a definition, or a folder with a root_agent.yaml")
    parser.add_argument("--agent", metavar="NAME", help="this agent only")
    parser.add_argument(
        "--state", action="append", default=[], metavar="KEY=VALUE", help="a state value: JSON, else text"
    )
    parser.add_argument(
        "--events",
        metavar="FILE",
        help="the session's events, a JSON list or JSON lines; - reads them from standard input",
    )
    parser.add_argument(
        "--session", metavar="ID", help="a stored session: the request that its next model call would get"
    )
    parser.add_argument("--store", help=STORE_HELP)
    parser.add_argument("--model", help="a model instead of the definition's")
    parser.add_argument(
        "--config",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a generation setting; it wins over the definition's",
    )
    parser.add_argument(
        "--for",
        dest="provider",
        choices=("gemini", "anthropic", "openai"),
        help="print one HTTP body as it is sent for streaming",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")  # fmt: skip


def run(args: argparse.Namespace) -> int:
    snapshot, tree = open_tree(args.path)
    given = _given(args, tree)
    config = read_pairs(args.config, "--config")
    places = _chosen(tree, args.agent, given.events, one=args.provider is not None or args.session is not None)
    compiled = [(place, _compile(snapshot, tree, place, given, args.model, config)) for place in places]
    if args.provider is not None:
        _print_body(compiled[0][1], args.provider)
    elif args.format == "json":
        requests = [{"agent": place.agent.name, **compilation.request.to_json()} for place, compilation in compiled]
        print(json.dumps(requests, ensure_ascii=False, indent=2))
    else:
        print("\n\n".join(_text(place, compilation) for place, compilation in compiled))
    errors = errors_of(snapshot, tree)
    for problem in errors:
        source = snapshot.source(problem.path)
        if source is not None:
            print(problem_text(problem, source.text, sys.stderr), file=sys.stderr)
    return 1 if errors else 0


def _chosen(tree: Tree, name: str | None, events: list[Event], *, one: bool) -> list[Place]:
    """The agents to compile: the one that was named, the one whose turn it is, or all that call a model."""
    from rolebook.definition.names import did_you_mean
    from rolebook.prompt.turn import whose_turn

    if name is not None:
        place = tree.named(name)
        if place is None:
            raise Failure(f"there is no agent `{name}` in this tree{did_you_mean(name, [p.agent.name for p in tree])}")
        return [place]
    if not one:
        return [place for place in tree if place.agent.kind == "LlmAgent"]
    place = whose_turn(tree, events)
    while place.agent.kind != "LlmAgent":  # a workflow calls no model; its first step does
        children = tree.children(place)
        if not children:
            raise Failure(f"`{place.agent.name}` is a {place.agent.agent_class} and calls no model; name an `--agent`")
        place = children[0]
    return [place]


def _given(args: argparse.Namespace, tree: Tree) -> Conversation:
    """The conversation to compile for: a stored session, events from a file, or none yet."""
    state = read_pairs(args.state, "--state")
    if args.session is None:
        events = read_events(args.events) if args.events else []
        return Conversation(events, {**initial_state(tree, samples=not args.events), **state}, {})
    if args.events:
        raise Failure("--session and --events exclude each other")
    from rolebook_cli.stored_session import read_session

    stored = read_session(args.session, args.store, tree)
    return replace(stored, state={**stored.state, **state})


def _compile(
    snapshot: Snapshot,
    tree: Tree,
    place: Place,
    given: Conversation,
    model: str | None,
    config: dict[str, JsonValue],
) -> Compilation:
    context = Context(state=given.state, artifacts=given.artifacts, declarations=snapshot.declarations(place))
    return compile_request(tree, place, context, given.events, model=model, config=config)


def _print_body(compilation: Compilation, provider: str) -> None:
    """The body's bytes, and nothing else unless a person is looking; what the provider can't honour goes to stderr."""
    from rolebook import wire

    made = wire.body(compilation.request, provider)  # type: ignore[arg-type]
    for warning in made.warnings:
        print(f"{paint('warning', 'yellow', stream=sys.stderr)}: {warning}", file=sys.stderr)
    sys.stdout.flush()
    sys.stdout.buffer.write(wire.encode(made.payload) + (b"\n" if sys.stdout.isatty() else b""))


def _text(place: Place, compilation: Compilation) -> str:
    """A request for people: the halves apart, then tools and messages."""
    from rolebook.prompt.request import Hole
    from rolebook.prompt.tokens import count

    request, split = compilation.request, compilation.split
    model = request.model
    lines = [
        f"{paint(place.agent.name, 'bold')} · {place.agent.agent_class} · {model or 'no model'} · branch {place.branch}"
    ]
    for title, half, colour in (("static", split.static, "cyan"), ("dynamic", split.dynamic, "magenta")):
        if half.text:
            tokens = count(half.known_text, model)
            lines += [f"{paint(title, colour, 'bold')} {paint(str(tokens), 'dim')}", _indented(half.text, colour)]  # type: ignore[arg-type]
    if request.tools:
        lines.append(paint("tools", "bold"))
        lines += [
            f"  {tool.name}: known at run" if isinstance(tool, Hole) else f"  {tool.name}{_signature(tool.parameters)}"
            for tool in request.tools
        ]
    if request.messages:
        lines.append(paint("messages", "bold"))
        lines += [f"  {message.role}: {compact([*message.to_json()['parts']])}" for message in request.messages]
    return "\n".join(lines)


def _indented(text: str, colour: str) -> str:
    bar = paint("│", colour)  # type: ignore[arg-type]
    return "\n".join(f"  {bar} {line}" for line in text.split("\n"))


def _signature(parameters: object) -> str:
    """The names of a tool's parameters, the optional ones with a question mark."""
    if not isinstance(parameters, dict):
        return "()"
    required = parameters.get("required") or []
    names = parameters.get("properties") or {}
    return f"({', '.join(name if name in required else f'{name}?' for name in names)})"
