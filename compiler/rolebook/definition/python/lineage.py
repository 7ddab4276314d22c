"""What kind of class a class is, by its bases and decorators, as far as these can be followed."""

from __future__ import annotations

from rolebook.definition.python.scope import Context, External, Local, Scope
from rolebook.definition.types import Unfolding
from rolebook.record import Record
from rolebook.syntax.python import Call, Class, Name, source_of

_MOST_ANCESTORS = 30
_WITHOUT_FIELDS = frozenset({"abc.ABC", "builtins.object", "typing.Protocol"})
_DATACLASS = frozenset({"dataclasses.dataclass", "pydantic.dataclass"})
_HARMLESS_DECORATORS = frozenset(
    {"enum.unique", "functools.total_ordering", "typing.final", "typing.runtime_checkable"}
)
_HARMLESS_METACLASSES = frozenset({"abc.ABCMeta", "enum.EnumMeta", "enum.EnumType"})


class Ancestor(Record):
    """A class of a lineage; `cls` and `scope` are those of `Local`."""

    cls: Class
    scope: Scope
    is_dataclass: bool

    @property
    def key(self) -> tuple[str, str, int]:
        return (self.scope.name, self.cls.path, self.cls.span.start)


class Lineage(Record):
    """The classes from the oldest to the class itself, and the library's class that they come from.

    `mixin` is the type that the values of an enum have besides, such as `builtins.str`.
    """

    ancestors: tuple[Ancestor, ...]
    root: str
    mixin: str = ""

    @property
    def cls(self) -> Class:
        return self.ancestors[-1].cls


def lineage(found: Local) -> Lineage | None:
    """The lineage of a class; None where a base, decorator, metaclass or part of a body leaves it open."""
    ancestors: list[Ancestor] = []
    at: Local | External = found
    mixin = ""
    while isinstance(at, Local):
        cls, scope = at.binding, at.scope
        if not isinstance(cls, Class) or not cls.complete or len(ancestors) > _MOST_ANCESTORS:
            return None
        context = Context(scope, Unfolding(), cls.path.rpartition(".")[0])
        is_dataclass = _is_dataclass(cls, context)
        bases = _bases(cls, context)
        if is_dataclass is None or bases is None or _has_odd_metaclass(cls, context):
            return None
        ancestors.append(Ancestor(cls, scope, is_dataclass))
        if len(bases) == 2 and isinstance(first := bases[0], External) and first.name.startswith("builtins."):
            mixin, bases = first.name, bases[1:]
        if len(bases) > 1:
            return None
        at = bases[0] if bases else External("builtins.object")
    if mixin and not at.name.startswith("enum."):
        return None
    return Lineage(tuple(reversed(ancestors)), at.name, mixin)


def _bases(cls: Class, context: Context) -> list[Local | External] | None:
    bases: list[Local | External] = []
    for base in cls.bases:
        found = context.find(base.dotted) if isinstance(base, Name) else None
        if found is None:
            return None
        if not (isinstance(found, External) and found.name in _WITHOUT_FIELDS):
            bases.append(found)
    return bases


def _is_dataclass(cls: Class, context: Context) -> bool | None:
    """None where a decorator may make something else of the class."""
    is_dataclass = False
    for decorator in cls.decorators:
        name = context.external(decorator.function if isinstance(decorator, Call) else decorator)
        if name in _DATACLASS:
            is_dataclass = True
        elif name not in _HARMLESS_DECORATORS:
            return None
    return is_dataclass


def _has_odd_metaclass(cls: Class, context: Context) -> bool:
    return any(
        keyword.name == "metaclass" and context.external(keyword.value) not in _HARMLESS_METACLASSES
        for keyword in cls.keywords
    )


def hides_names(cls: Class) -> bool:
    """Whether a pydantic model's configuration gives its fields other names or texts than its body shows."""
    spelled = [source_of(each.value) for each in cls.fields if each.name == "model_config" and each.value is not None]
    keywords = [keyword.name for keyword in cls.keywords]
    return any(
        option in text for option in ("alias_generator", "use_attribute_docstrings") for text in (*spelled, *keywords)
    )
