"""The keys that may stand at the cursor: those that the mapping doesn't have yet and that fit what it has."""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.definition.schema_keywords import KEYWORDS
from rolebook.definition.shapes import Fields, JsonSchema, Key, ListOf, MapOf, OneOf, Shape, Str
from rolebook.project.source import Source
from rolebook.record import replace
from rolebook.rules.written import called_names
from rolebook.syntax.yaml import Scalar
from rolebook.text import Span
from rolebook_server.ide.changes import line_end, with_line_ends
from rolebook_server.ide.completions.around import Around
from rolebook_server.ide.completions.here import Here
from rolebook_server.ide.completions.item import Item
from rolebook_server.ide.completions.scalars import written
from rolebook_server.ide.completions.snippets import MARKDOWN, TEMPLATES, Template, below, plain
from rolebook_server.ide.completions.values import unset_keys, values


def keys(here: Here) -> Iterator[Item]:
    """What may begin here: keys, ready-made entries, and whole items such as `name: exit_loop`."""
    told: set[str] = set()
    for item in _all(here, here.around.shapes):
        if item.label not in told:
            told.add(item.label)
            yield replace(item, sort=f"{len(told):04}")


def new_markdown(source: Source) -> Iterator[Item]:
    """A Markdown definition for a file that has none yet."""
    if source.path.endswith(".agent.md") and not source.text.source.strip():
        whole, end = Span(0, len(source.text)), line_end(source.text.source)
        text, snippet = (with_line_ends(each, end) for each in (plain(MARKDOWN.text), MARKDOWN.text))
        yield Item(MARKDOWN.label, "key", text, whole, MARKDOWN.documentation, snippet, "new", preselect=True)


def _all(here: Here, shapes: tuple[Shape, ...]) -> Iterator[Item]:
    is_new = not here.around.present
    for shape in shapes:
        if isinstance(shape, Fields):
            for key in fitting_keys(shape, here.around):
                yield _key(here, key, preselect=key.required and is_new)
        elif isinstance(shape, MapOf):
            yield from (_named(here, name, doc) for name, doc in _own_names(here, shape))
        elif isinstance(shape, JsonSchema):
            yield from _keywords(here)
    if is_new and here.around.colon and not here.around.flow:
        for shape in shapes:
            if isinstance(shape, Fields):
                yield from _ready_made(here, shape)
    lists = [shape for shape in shapes if isinstance(shape, ListOf)]
    if lists and not here.around.flow:  # a list may stand here, of which this is the first item
        inside = tuple(inner for shape in lists for inner in _flat(shape.item))
        yield from _all(replace(here, around=replace(here.around, lead="- ")), inside)


def fitting_keys(fields: Fields, around: Around) -> Iterator[Key]:
    """The keys of a mapping that are missing and make sense beside those that are there."""
    present = around.present
    known = [key for name in present if (key := fields.find(name)) is not None]
    case = _case(fields, around)
    in_cases = {name for each in fields.cases for name in each.uses}
    for key in fields.keys:
        if key.instead or key in known or present.intersection(key.not_with):
            continue
        if any(key.name in other.not_with for other in known):
            continue
        if key.name in fields.one_of and present.intersection(fields.one_of):
            continue
        if case is not None and key.name in in_cases and key.name not in case:
            continue
        yield key


def _case(fields: Fields, around: Around) -> tuple[str, ...] | None:
    """The keys that go with the value of the key that decides, None where that is not set."""
    entry = around.node.get(fields.by) if around.node is not None and fields.by else None
    value = entry.value.text.text if entry is not None and isinstance(entry.value, Scalar) else None
    return next((case.uses for case in fields.cases if case.value == value), None)


def _key(here: Here, key: Key, *, preselect: bool) -> Item:
    around = here.around
    if not around.colon:
        return Item(key.name, "key", key.name, around.span, key.doc, preselect=preselect)
    head = f"{around.lead}{key.name}:"
    form = "flow" if around.flow else _form(key.shape)
    opening = {"list": "\n  - ", "mapping": "\n  "}.get(form, " ")
    text = below(head + opening, here.column, here.line_end)
    block = " |\n  " if form == "prompt" else opening
    snippet = below(f"{head}{block}$0", here.deeper, here.line_end) if "\n" in block else ""
    detail = "required" if key.required else ""
    return Item(key.name, "key", text, around.span, key.doc, snippet, detail, preselect=preselect)


def _form(shape: Shape) -> str:
    """How the value of a key is begun: on the key's line, as a block text, or as a list or mapping below it."""
    shapes = list(_flat(shape))
    if any(isinstance(each, Str) and each.means == "template" for each in shapes):
        return "prompt"
    if isinstance(shapes[0], ListOf):
        return "list"
    return "mapping" if all(isinstance(each, Fields | MapOf | JsonSchema | ListOf) for each in shapes) else "line"


def _named(here: Here, name: str, doc: str) -> Item:
    """A key of the user's own."""
    around = here.around
    word = written(name) or name
    text = f"{around.lead}{word}: " if around.colon else word
    return Item(name, "state" if doc == "" else "key", text, around.span, doc)


def _own_names(here: Here, shape: MapOf) -> Iterator[tuple[str, str]]:
    """The names that a mapping of the user's own keys may have, with what is said of them."""
    names, present = here.around.names, here.around.present
    if names == ("state",):
        yield from ((key, "") for key in unset_keys(here) if key not in present)
    elif names == ("rehearsal", "call"):
        called = {name for tree, place in here.places for _, name in called_names(tree, place)}
        yield from ((name, "A tool of the agent.") for name in sorted(called - present))
    elif names[:2] == ("rehearsal", "call") and len(names) == 3:
        yield from ((name, doc) for name, doc in _arguments(here, names[2]) if name not in present)
    elif isinstance(shape.value, JsonSchema):
        return


def _arguments(here: Here, tool: str) -> Iterator[tuple[str, str]]:
    """The parameters of a tool as the model calls it."""
    for _, place in here.places[:1]:
        for declared in here.snapshot.declarations(place).values():
            properties = declared.parameters.get("properties") if declared.name == tool else None
            for name, schema in properties.items() if isinstance(properties, dict) else ():
                doc = schema.get("description") if isinstance(schema, dict) else None
                yield name, doc if isinstance(doc, str) else "A parameter of the tool."


def _keywords(here: Here) -> Iterator[Item]:
    """The keywords of JSON Schema that are about the type that is written."""
    around = here.around
    entry = around.node.get("type") if around.node is not None else None
    kind = entry.value.text.text if entry is not None and isinstance(entry.value, Scalar) else ""
    kind = "number" if kind == "integer" else kind
    for keyword in KEYWORDS.values():
        if keyword.name not in around.present and keyword.of in ("", kind or keyword.of):
            text = f"{around.lead}{keyword.name}: " if around.colon else keyword.name
            yield Item(keyword.name, "key", text, around.span, keyword.doc)


def _ready_made(here: Here, fields: Fields) -> Iterator[Item]:
    """Whole entries for a mapping that has nothing yet."""
    what = "agent" if fields.find("agent_class") is not None else fields.what
    for template in TEMPLATES.get(what, ()):
        yield _from_template(here, template)
    key = fields.find(fields.bare) if fields.bare and what not in TEMPLATES else None
    for value in values(here, key.shape) if key is not None else ():
        text = f"{here.around.lead}{fields.bare}: {written(value.text)}"
        yield Item(value.text, value.kind, text, here.around.span, value.documentation, "", value.detail, id=value.id)


def _from_template(here: Here, template: Template) -> Item:
    lead = here.around.lead
    text = lead + below(plain(template.text), here.column, here.line_end)
    snippet = lead + below(template.text, here.deeper, here.line_end)
    return Item(template.label, "key", text, here.around.span, template.documentation, snippet, "new")


def _flat(shape: Shape) -> Iterator[Shape]:
    if isinstance(shape, OneOf):
        for inner in shape.shapes:
            yield from _flat(inner)
    else:
        yield shape
