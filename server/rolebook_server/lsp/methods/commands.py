"""`workspace/executeCommand`, and `rolebook/preview`, which is the same for an editor that has a panel of its own.

Without our extension a command's result is a document, which the client is asked to show.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from typing import Any, cast

from rolebook.json import JsonValue
from rolebook.project.drawing import mermaid
from rolebook.project.graph import graph_of
from rolebook.project.tree import Place, Tree
from rolebook.prompt.events import event_from_json
from rolebook.prompt.provenance import Compiled
from rolebook.rules import all_rules
from rolebook.rules.pages import page
from rolebook.wire import Provider
from rolebook_server.ide.preview import Preview, as_markdown, place_at, preview
from rolebook_server.lsp.errors import INVALID_PARAMS, REQUEST_FAILED, ReplyError
from rolebook_server.lsp.params import Params
from rolebook_server.lsp.runs import Run
from rolebook_server.lsp.server import Server
from rolebook_server.lsp.uris import to_path

_PROVIDERS = ("gemini", "anthropic", "openai")


def execute(server: Server, params: Params) -> Any:
    name = params.text("command")
    command = _COMMANDS.get(name)
    if command is None:
        raise ReplyError(INVALID_PARAMS, f"there is no command `{name}`")
    arguments = params.value.get("arguments")
    given = arguments if isinstance(arguments, list) else []
    return command(server, _Arguments(given))


class _Arguments:
    """A command's arguments: the URI, then the agent's name, then options by name. All but the first may be missing."""

    def __init__(self, given: list[Any]) -> None:
        self._given = given

    @property
    def uri(self) -> str:
        if not self._given or not isinstance(self._given[0], str):
            raise ReplyError(INVALID_PARAMS, "the first argument is the URI of a definition")
        return self._given[0]

    @property
    def agent(self) -> str | None:
        return next((each for each in self._given[1:2] if isinstance(each, str)), None)

    @property
    def options(self) -> Params:
        found = next((each for each in self._given[1:] if isinstance(each, Mapping)), {})
        return Params(found, "arguments")

    @property
    def first(self) -> Any:
        return self._given[0] if self._given else None


# What an agent compiles to


def preview_of(server: Server, params: Params) -> dict[str, Any]:
    """`rolebook/preview`: agent, state and events in; texts with sources, tokens, tools and the body out."""
    path = to_path(params.uri)
    offset = server.convert(path).offset(params.position()) if "position" in params else None
    shown = _preview(server, path, params.text_or_none("agent"), offset, params)
    return _to_json(server, shown)


def _show_preview(server: Server, given: _Arguments) -> Any:
    shown = _preview(server, to_path(given.uri), given.agent, None, given.options)
    server.show(f"{shown.place.agent.name}.preview.md", as_markdown(shown))
    return _to_json(server, shown)


def _show_request(server: Server, given: _Arguments) -> Any:
    shown = _preview(server, to_path(given.uri), given.agent, None, given.options)
    server.show(f"{shown.place.agent.name}.{shown.provider}.json", json.dumps(shown.body, ensure_ascii=False, indent=2))
    return {"provider": shown.provider, "body": shown.body, "losses": list(shown.losses)}


def _show_graph(server: Server, given: _Arguments) -> Any:
    tree, _ = _place(server, to_path(given.uri), given.agent, None)
    drawn = mermaid(graph_of(tree))
    server.show(f"{tree.root.agent.name}.graph.md", f"```mermaid\n{drawn}\n```\n")
    return {"mermaid": drawn}


def _preview(server: Server, path: str, agent: str | None, offset: int | None, options: Params) -> Preview:
    tree, place = _place(server, path, agent, offset)
    state = options.object("state").value if "state" in options else None
    provider = options.text_or_none("provider")
    if provider is not None and provider not in _PROVIDERS:
        raise ReplyError(INVALID_PARAMS, f"`{provider}` is no provider; known are {', '.join(_PROVIDERS)}")
    try:
        events = [event_from_json(each.value) for each in options.objects("events")] if "events" in options else []
    except ValueError as error:
        raise ReplyError(INVALID_PARAMS, f"events: {error}") from None
    given = cast("Mapping[str, JsonValue] | None", state)
    return preview(server.workspace.snapshot(path), tree, place, given, events, cast("Provider | None", provider))


def _place(server: Server, path: str, agent: str | None, offset: int | None) -> tuple[Tree, Place]:
    snapshot = server.workspace.snapshot(path)
    found = place_at(snapshot, path, agent, offset) if server.workspace.is_definition(path) else None
    if found is None:
        raise ReplyError(REQUEST_FAILED, "this file is no agent's definition")
    return found


def _to_json(server: Server, shown: Preview) -> dict[str, Any]:
    request, split = shown.compilation.request, shown.compilation.split
    return {
        "agent": shown.place.agent.name,
        "branch": shown.place.branch,
        "uri": server.workspace.documents.uri(shown.place.agent.path),
        "model": request.model,
        "provider": shown.provider,
        "targets": [target.agent.name for target in shown.tree.transfer_targets(shown.place)],
        "state": dict(shown.state),
        "static": _pieces(server, split.static),
        "dynamic": _pieces(server, split.dynamic),
        "messages": [message.to_json() for message in request.messages],
        "tools": [tool.to_json() for tool in request.tools],
        "parts": [part.to_json() for part in shown.parts],
        "tokens": {"total": shown.tokens, "exact": shown.exact, "window": shown.window},
        "caching": {
            "minimum": shown.caching.minimum,
            "tokens": shown.caching.cached_tokens,
            "parts": [
                {"part": part.part, "tokens": part.tokens, "cached": part.cached, "why": part.why}
                for part in shown.caching.parts
            ],
        },
        "body": shown.body,
        "losses": list(shown.losses),
    }


def _pieces(server: Server, compiled: Compiled) -> list[dict[str, Any]]:
    """The text in pieces of one origin each, with the place in a file where there is one."""
    found = []
    for piece in compiled.pieces:
        item: dict[str, Any] = {"text": piece.text, "kind": piece.kind, "name": piece.name}
        location = piece.locate(0, len(piece.text))
        if location is not None:
            item["location"] = server.location(location.path, location.span)
        found.append(item)
    return found


# Runs


def _run(server: Server, given: _Arguments) -> Any:
    """Starts a run, or with `run` among the options takes the next turn of one. What happens is told as it does."""
    options = given.options
    text = options.text_or_none("message") or "Hello."
    if (known := options.text_or_none("run")) is not None:
        run = server.runs.get(known)
        if run is None or run.is_over:
            raise ReplyError(REQUEST_FAILED, f"the run `{known}` is over")
        run.command("turn", text=text)
        return {"run": known}
    path = to_path(given.uri)
    if not server.trusted:
        raise ReplyError(REQUEST_FAILED, "this workspace isn't trusted, so nothing of it is run")
    if path == given.uri or not server.workspace.is_definition(path):
        raise ReplyError(REQUEST_FAILED, "only a definition in a file can be run; save it first")
    id = secrets.token_hex(4)
    teller = _Teller(server, id)
    run = server.runs[id] = Run(server.loop, id, path, options.text_or_none("session"), teller.told)
    run.command("turn", text=text, **({"state": dict(options.object("state").value)} if "state" in options else {}))
    return {"run": id}


def _stop(server: Server, given: _Arguments) -> Any:
    """Stops the turn of a run, or with `end` the run; without a name, all of them end."""
    name = given.first if isinstance(given.first, str) else None
    chosen = [run for id, run in server.runs.items() if name in (None, id) and not run.is_over]
    for run in chosen:
        if name is None or given.options.value.get("end") is True:
            run.end()
        else:
            run.command("stop")
    return {"stopped": [run.id for run in chosen]}


class _Teller:
    """Tells the client what a run does: our extension each message, any other the transcript once the turn is over."""

    def __init__(self, server: Server, id: str) -> None:
        self._server = server
        self._id = id
        self._lines: list[str] = []
        self._speaker = ""

    def told(self, message: dict[str, Any]) -> None:
        server = self._server
        if server.client.extension:
            server.notify("rolebook/runEvent", {"run": self._id, "event": message})
        else:
            self._note(message)
        if message.get("type") == "ended":
            server.runs.pop(self._id, None)

    def _note(self, message: dict[str, Any]) -> None:
        match message:
            case {"type": "signal", "signal": {"type": "text_delta", "agent": str(agent), "text": str(text)}}:
                if agent != self._speaker:
                    self._lines.append(f"{agent}: ")
                    self._speaker = agent
                self._lines[-1] += text
            case {"type": "signal", "signal": {"type": "tool_started", "agent": agent, "tool": tool, "args": args}}:
                self._aside(f"{agent} calls {tool} {json.dumps(args, ensure_ascii=False)}")
            case {"type": "signal", "signal": {"type": "transferred", "source": source, "target": target}}:
                self._aside(f"{source} hands over to {target}")
            case {"type": "signal", "signal": {"type": "error" | "warning" | "notice" as kind, "message": text}}:
                self._aside(f"{kind}: {text}")
            case {"type": "state", "state": "failed", "message": text}:
                self._server.notify("window/showMessage", {"type": 1, "message": f"The run failed: {text}"})
            case {"type": "answer", "result": {"status": str()}}:
                self._server.show(f"run-{self._id}.txt", "\n".join(self._lines) + "\n")
                self._server.runs[self._id].end()

    def _aside(self, text: str) -> None:
        self._lines.append(f"  {text}")
        self._speaker = ""


# Rules, and the server itself


def _explain(server: Server, given: _Arguments) -> Any:
    """Shows the page of a rule."""
    rule = all_rules().get(given.first) if isinstance(given.first, str) else None
    if rule is None:
        raise ReplyError(INVALID_PARAMS, "the first argument is the name of a rule")
    server.show(f"{rule.name}.md", page(rule))
    return {"page": page(rule)}


def _show_state(server: Server, _: _Arguments) -> Any:
    """What the server holds, for a report of a problem. Texts aren't in it."""
    workspace = server.workspace
    state = {
        "client": {name: getattr(server.client, name) for name in server.client.__match_args__},
        "folders": list(workspace.folders),
        "documents": [{"uri": d.uri, "version": d.version, "length": len(d.text)} for d in workspace.documents],
        "definitions": len(workspace.known_definitions()),
        "runs": {id: run.state for id, run in server.runs.items()},
        "checked": workspace.recheck.runs,
        "faults": server.faults,
    }
    server.show("server-state.json", json.dumps(state, ensure_ascii=False, indent=2, default=str))
    return json.loads(json.dumps(state, default=str))


_COMMANDS: dict[str, Callable[[Server, _Arguments], Any]] = {
    "rolebook.preview": _show_preview,
    "rolebook.showRequest": _show_request,
    "rolebook.graph": _show_graph,
    "rolebook.run": _run,
    "rolebook.stop": _stop,
    "rolebook.showServerState": _show_state,
    "rolebook.explain": _explain,
}
