"""The artifacts that an agent's texts have placeholders for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rolebook.project.tree import Place, Tree
from rolebook.text import MappedText
from rolebook_runner.artifacts.artifacts import Artifacts
from rolebook_runner.sessions.store import SessionKey


async def artifact_texts(
    artifacts: Artifacts, key: SessionKey, tree: Tree, place: Place, provided: Iterable[str] = ()
) -> dict[str, str | None]:
    """What fills `{artifact.FILE}` for the agent at `place`: the newest version of each artifact that a text names,
    None for one that is no text. `provided` are the texts of provider functions.

    Without such a placeholder the store isn't asked.
    """
    inherited = tree.global_instruction(place)
    instructions = [place.agent.instruction, inherited[0] if inherited is not None else None]
    texts = [*(text.text for text in instructions if isinstance(text, MappedText)), *provided]
    texts = [text for text in texts if "artifact." in text]
    if not texts:
        return {}
    found: dict[str, str | None] = {}
    for name in await artifacts.list(key):
        if any(f"artifact.{name}{end}" in text for text in texts for end in "}>?"):
            artifact = await artifacts.load(key, name)
            found[name] = artifact.text if artifact is not None else None
    return found


def filled(texts: Mapping[str, str | None]) -> dict[str, str]:
    """Those that are texts."""
    return {name: text for name, text in texts.items() if text is not None}
