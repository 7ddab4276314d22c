"""The model in force at a place, with what is known of it; the rules about models and settings look here."""

from __future__ import annotations

from collections.abc import Mapping

from rolebook.models import Facts, Override, facts
from rolebook.project.tree import Place, Tree
from rolebook.record import Record
from rolebook.wire.providers import Provider, is_openai_model, provider_of, split_model

_OWN = {
    "gemini": ("", "gemini", "google"),
    "anthropic": ("", "anthropic"),
    "openai": ("", "openai"),
}
"""The prefixes under which a maker's own API is asked. A cloud or another server has rules of its own."""


class InForce(Record):
    """A model by its name as written. `own` says that its maker's own API is asked, whose limits then hold."""

    name: str
    provider: Provider | None
    facts: Facts
    own: bool


def model_in_force(tree: Tree, place: Place) -> InForce | None:
    """The model that answers for the agent at `place`; None where there is none, or where Python code makes it."""
    for at in tree.lineage(place):
        if "model_code" in at.agent.entries:
            return None
        if at.agent.model is not None:
            break
    name = tree.model(place)
    return described(name, tree.config.models) if name is not None else None


def described(name: str, overrides: Mapping[str, Override]) -> InForce:
    provider, known = provider_of(name, overrides), facts(name, overrides)
    own = (
        provider is not None
        and known.provider in (provider, None)
        and known.base_url is None
        and split_model(name)[0] in _OWN[provider]
        and (provider != "openai" or is_openai_model(name))
    )
    return InForce(name, provider, known, own)
