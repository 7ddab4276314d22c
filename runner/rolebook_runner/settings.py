"""What a runner is set up with: it stays the same for all turns of all sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from rolebook.json import JsonValue
from rolebook.project.python import search_folders
from rolebook.project.tree import Place, Tree
from rolebook.prompt.request import Declaration
from rolebook_runner.artifacts.artifacts import Artifacts
from rolebook_runner.limits import Limits
from rolebook_runner.memory.memory import Memory
from rolebook_runner.models.model import ModelCall, Models
from rolebook_runner.sessions.store import Store
from rolebook_runner.tools.toolbox import Toolbox, toolbox

Declarations: TypeAlias = Callable[[Place], Mapping[str, Declaration]]


@dataclass(frozen=True, slots=True)
class Settings:
    """`root` is the workspace's folder. `model` and `config` are the run's own and win over the definitions.

    Nothing changes but that toolboxes, once made, are remembered.
    """

    tree: Tree
    root: str
    app: str
    user: str
    store: Store
    memory: Memory
    artifacts: Artifacts
    models: Models
    model: str | None
    config: Mapping[str, JsonValue]
    limits: Limits
    declarations: Declarations
    stop_on_instruction_error: bool
    on_model_call: Callable[[ModelCall], None]
    _toolboxes: dict[int, Toolbox] = field(default_factory=dict)

    def model_of(self, place: Place) -> str | None:
        return self.model or self.tree.model(place)

    def folders(self, place: Place) -> tuple[str, ...]:
        """Where the dotted names in the place's definition are looked for."""
        return search_folders(place.agent.path, self.root)

    def toolbox(self, place: Place) -> Toolbox:
        """The place's own tools, imported when first asked for; none where a function lists them anew for each call."""
        if place.index not in self._toolboxes:
            tools = place.agent.tools if isinstance(place.agent.tools, tuple) else ()
            self._toolboxes[place.index] = toolbox(tools, self.folders(place), self.declarations(place))
        return self._toolboxes[place.index]
