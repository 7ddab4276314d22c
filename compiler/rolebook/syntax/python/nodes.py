"""What is kept of a Python module: the names that it binds, their declarations, and what functions write to state.

Of every binding, `conditional` says that it stands in an `if`, a `try` or the like, and `typing_only` that it stands
under `if TYPE_CHECKING:` and doesn't exist at run time.

Paths are dotted and begin at the module: `get_weather`, `Weather.get`. All spans are counted in the module's source.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from rolebook.record import Record
from rolebook.text import Span


class Name(Record):
    """`x` or `a.b.c`."""

    span: Span
    dotted: str


class Constant(Record):
    """A string, a number (with its sign), True, False, None or `...`."""

    span: Span
    value: object


class Collection(Record):
    span: Span
    kind: Literal["list", "tuple", "set"]
    items: tuple[Expression, ...]


class Dictionary(Record):
    span: Span
    entries: tuple[tuple[Expression, Expression], ...]


class Subscript(Record):
    """`base[items]`; `a[b, c]` has two items."""

    span: Span
    base: Expression
    items: tuple[Expression, ...]


class Either(Record):
    """`left | right`."""

    span: Span
    left: Expression
    right: Expression


class Keyword(Record):
    name: str
    value: Expression


class Call(Record):
    """A call without `*` or `**` in its arguments."""

    span: Span
    function: Expression
    arguments: tuple[Expression, ...]
    keywords: tuple[Keyword, ...]

    def keyword(self, name: str) -> Expression | None:
        return next((keyword.value for keyword in self.keywords if keyword.name == name), None)


class Other(Record):
    """Any other expression, or a broken one; `text` is its source on one line."""

    span: Span
    text: str


Expression: TypeAlias = Name | Constant | Collection | Dictionary | Subscript | Either | Call | Other


class Parameter(Record):
    """`rest` is `*args`, `keywords` is `**kwargs`; `positional` and `keyword` can be passed in that way only."""

    name: str
    span: Span
    kind: Literal["positional", "normal", "rest", "keyword", "keywords"]
    annotation: Expression | None = None
    default: Expression | None = None


class StateWrite(Record):
    """A key that a function sets in session state; the span is that of the key."""

    key: str
    span: Span


class Function(Record):
    """A function of a module or a method of one of its classes.

    `wraps` says that it applies `functools.wraps` inside, `returns_argument` that it gives back its first argument:
    such a decorator keeps the signature of what it decorates.
    `writes_any` says that it also sets state keys which are computed, `escalates` that it ends a loop. `type_names` are
    those that `def f[T]` declares.
    `complete` says that its header is sound.
    """

    path: str
    name_span: Span
    span: Span
    parameters: tuple[Parameter, ...]
    docstring: str | None = None
    decorators: tuple[Expression, ...] = ()
    is_async: bool = False
    is_generator: bool = False
    wraps: bool = False
    returns_argument: bool = False
    writes: tuple[StateWrite, ...] = ()
    writes_any: bool = False
    escalates: bool = False
    helpers: tuple[str, ...] = ()
    type_names: frozenset[str] = frozenset()
    complete: bool = True
    conditional: bool = False
    typing_only: bool = False

    @property
    def name(self) -> str:
        return self.path.rpartition(".")[2]


class ClassField(Record):
    """An assignment or an annotated name in the body of a class."""

    name: str
    span: Span
    annotation: Expression | None = None
    value: Expression | None = None


class Class(Record):
    """A class. `complete` says that its fields are all there are: it is sound, and none depends on a condition."""

    path: str
    name_span: Span
    span: Span
    bases: tuple[Expression, ...] = ()
    keywords: tuple[Keyword, ...] = ()
    decorators: tuple[Expression, ...] = ()
    docstring: str | None = None
    fields: tuple[ClassField, ...] = ()
    methods: tuple[str, ...] = ()
    complete: bool = True
    conditional: bool = False
    typing_only: bool = False

    @property
    def name(self) -> str:
        return self.path.rpartition(".")[2]


class Assignment(Record):
    """A name that the module assigns or declares with `type`; `value` is None where none can be told."""

    path: str
    name_span: Span
    span: Span
    annotation: Expression | None = None
    value: Expression | None = None
    conditional: bool = False
    typing_only: bool = False


class Import(Record):
    """`import module as alias`, or `from module import name as alias` with `level` leading dots; `*` is a name."""

    span: Span
    module: str
    name: str | None = None
    alias: str | None = None
    level: int = 0
    conditional: bool = False
    typing_only: bool = False

    @property
    def path(self) -> str:
        """The name that it binds: `a` for `import a.b`."""
        return self.alias or self.name or self.module.partition(".")[0]


Binding: TypeAlias = Function | Class | Assignment | Import


class Module(Record):
    """`bindings` holds everything by its path, in the order of the text; star imports are in `imports` only."""

    docstring: str | None
    functions: tuple[Function, ...]
    classes: tuple[Class, ...]
    assignments: tuple[Assignment, ...]
    imports: tuple[Import, ...]
    bindings: Mapping[str, tuple[Binding, ...]]
    broken: bool = False

    def find(self, path: str) -> Binding | None:
        """What `path` means once the module has run: the last that binds it."""
        found = self.bindings.get(path, ())
        return found[-1] if found else None
