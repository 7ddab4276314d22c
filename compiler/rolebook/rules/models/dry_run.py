"""A request without messages, put into the provider's body for the sake of what the provider can't honour of it.

What a run would warn of is so found by the code that a run uses, and no list of it is kept twice.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from rolebook import wire
from rolebook.definition.declaration import NO_PARAMETERS, Declaration
from rolebook.json import JsonObject, JsonValue
from rolebook.project.tree import Place, Tree
from rolebook.prompt.request import LlmRequest
from rolebook.wire.providers import provider_of

_QUOTED = re.compile(r"`([^`]*)`")
_ANSWER = frozenset({"response_schema", "response_json_schema", "response_mime_type"})
_TOOLS = (Declaration("tool", "", NO_PARAMETERS),)


def warnings(
    tree: Tree, place: Place, config: Mapping[str, JsonValue], schema: JsonObject | None = None
) -> tuple[str, ...]:
    """The warnings for these settings and this schema, with and without tools; none where no provider is known.

    Settings of the answer's form go without tools, since what the two do to each other is another rule's.
    """
    model = tree.model(place)
    provider = provider_of(model, tree.config.models)
    if provider is None:
        return ()
    form = {name: value for name, value in config.items() if name in _ANSWER}
    rest = {name: value for name, value in config.items() if name not in _ANSWER}
    has_tools = bool(place.agent.tools or tree.transfer_targets(place))
    found: list[str] = []
    for settings, answer, tools in ((rest, None, _TOOLS if has_tools else ()), (form, schema, ())):
        request = LlmRequest(model, "", "", "", (), tools, settings, answer)
        found += wire.body(request, provider).warnings
    return tuple(dict.fromkeys(found))


def named_in(warning: str, names: Collection[str]) -> str | None:
    """The first of the names that a warning quotes."""
    return next((name for name in _QUOTED.findall(warning) if name in names), None)
