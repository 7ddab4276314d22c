"""More tools than the model's provider takes in one request: 128 for OpenAI, 512 for Gemini.

`transfer_to_agent` counts as one where the agent can hand over. Toolsets aren't counted, since only a run knows what is
in them.

## Why
The provider refuses every request of the agent. Long before that, a model that has to choose among so many tools
chooses badly; give groups of them to sub-agents.
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.problem import Problem, Severity
from rolebook.rules.rule import Rule, Subject
from rolebook.rules.written import called_names

_FEWEST = 128
"""What every provider takes. Sources: the schema of OpenAI's API (`tools`, at most 128 items; openai-openapi#76);
Google's reference of function calling, which says 128 for older and 512 for newer models."""
_MOST = {"openai": 128, "gemini": 512}


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    for tree, place in subject.places():
        tools = place.agent.tools
        if not isinstance(tools, tuple) or len(tools) < _FEWEST:
            continue
        from rolebook.wire.providers import is_openai_model, provider_of

        model = tree.model(place)
        provider, entry = provider_of(model), place.agent.entries.get("tools")
        if model is None or entry is None or (provider == "openai" and not is_openai_model(model)):
            continue
        names = {name for _, name in called_names(tree, place)}
        number = len(names | ({"transfer_to_agent"} if tree.transfer_targets(place) else set()))
        if number > (most := _MOST.get(provider or "", number)):
            message = f"`{place.agent.name}` has {number} tools; the provider of `{model}` takes at most {most}"
            yield rule.problem(subject, entry.key.span, message)


rule = Rule("too-many-tools", Severity.WARNING, check, group="Models and tools")
