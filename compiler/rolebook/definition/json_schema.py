"""The JSON Schema (draft 2020-12) of a definition, made from the table of keys, for editors without Rolebook's server.

It is stricter than validation in one point: it takes no unknown key at all. And it is looser where a schema can't look:
at other files, at Python, and at the syntax that YAML gives to plain words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rolebook.definition.agent import Kind
from rolebook.definition.json_types import JSON_TYPES
from rolebook.definition.keys import AGENT_KEYS, fields_of
from rolebook.definition.names import (
    agent_class_problem,
    agent_name_problem,
    class_pattern,
    dotted_name_problem,
    object_name_problem,
    tool_name_problem,
)
from rolebook.definition.schema_keywords import KEYWORDS, Takes
from rolebook.definition.shapes import (
    Anything,
    Bool,
    Definition,
    Fields,
    JsonSchema,
    Key,
    ListOf,
    MapOf,
    Number,
    OneOf,
    Shape,
    Str,
)
from rolebook.json import JsonObject

Schema = dict[str, Any]

_FIRST = r"[^\s\d!-/:-@\[-^`{-~]"
_NAME = rf"{_FIRST}[^\s!-/:-@\[-^`{{-~]*"
"""A Python identifier, as near as Python's and JavaScript's expressions agree: no blanks, no ASCII marks but `_`."""

PATTERNS: dict[Callable[[str], str | None], str] = {
    agent_name_problem: rf"^(?!user$){_NAME}$",
    dotted_name_problem: rf"^\.?{_NAME}(?:\.{_NAME})*$",
    object_name_problem: rf"^\.?{_NAME}(?:\.{_NAME})+$",
    tool_name_problem: "^[A-Za-z_][A-Za-z0-9_-]{0,63}$",
    agent_class_problem: rf"{class_pattern('LlmAgent')}|^\.?{_NAME}(?:\.{_NAME})+$",
}
"""What `Str.check` lets through; what is a warning there, such as a key that no placeholder can name, is right here."""

_KINDS: tuple[Kind, ...] = ("LlmAgent", "SequentialAgent", "ParallelAgent", "LoopAgent", "Workflow")


def definition_schema() -> JsonObject:
    """The schema of one definition file, as data that serialises to JSON."""
    defs: dict[str, Schema] = {"agent": {}}
    for kind in _KINDS:
        _reference(fields_of(kind), defs)
    defs["agent"] = _agent(defs)
    defs["jsonSchema"] = _json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rolebook agent definition",
        "description": "One agent: `*.agent.yaml`, `root_agent.yaml`, or a file that another definition names.",
        "$ref": "#/$defs/agent",
        "$defs": defs,
    }


def _agent(defs: dict[str, Schema]) -> Schema:
    """An agent of any kind. Each kind stands in a branch of its own, so that an editor offers the right keys."""
    shared = {row.key.name: row.key for row in AGENT_KEYS if row.key.name in ("agent_class", "name")}
    return {
        "type": "object",
        "properties": {name: _key(key, defs) for name, key in shared.items()},
        "required": [name for name, key in shared.items() if key.required],
        "allOf": [{"if": _is_kind(kind), "then": {"$ref": f"#/$defs/{kind}"}} for kind in _KINDS],
    }


def _is_kind(kind: Kind) -> Schema:
    """True of an agent of this kind; one without a class is an LlmAgent."""
    condition: Schema = {"properties": {"agent_class": {"type": "string", "pattern": class_pattern(kind)}}}
    return condition if kind == "LlmAgent" else {**condition, "required": ["agent_class"]}


def _key(key: Key, defs: dict[str, Schema]) -> Schema:
    schema = _shape(key.shape, defs)
    return {"description": key.doc, **(_or_null(schema) if key.null else schema)}


def _or_null(schema: Schema) -> Schema:
    kind = schema.get("type")
    if isinstance(kind, str) and "enum" not in schema:
        return {**schema, "type": [kind, "null"]}
    return {"anyOf": [schema, {"type": "null"}]} if schema else {}


def _shape(shape: Shape, defs: dict[str, Schema]) -> Schema:
    match shape:
        case Str():
            return _text(shape)
        case Bool():
            return {"type": "boolean"}
        case Number(whole=whole, least=least, most=most):
            limits = {"minimum": least, "maximum": most}
            return {"type": "integer" if whole else "number", **{k: v for k, v in limits.items() if v is not None}}
        case ListOf(item):
            return {"type": "array", "items": _shape(item, defs)}
        case MapOf():
            value = _shape(shape.value, defs)
            some = {} if shape.empty else {"minProperties": 1}
            return {"type": "object", "additionalProperties": _or_null(value) if shape.null else value, **some}
        case Fields():
            return _reference(shape, defs)
        case OneOf(shapes):
            return _one_of(shapes, defs)
        case Definition():
            return {"$ref": "#/$defs/agent"}
        case JsonSchema(of_object):
            mapping = {"type": "object", "$ref": "#/$defs/jsonSchema"}
            stated = {"required": ["type"], "properties": {"type": {"const": "object"}}}
            return {**mapping, "anyOf": [stated, {"required": ["$ref"]}]} if of_object else mapping
        case Anything():
            return {}


def _text(shape: Str) -> Schema:
    if shape.check is agent_class_problem:
        classes = {"enum": list(shape.choices)}
        return {"default": "LlmAgent", "anyOf": [classes, {"type": "string", "pattern": PATTERNS[shape.check]}]}
    if shape.choices:
        return {"type": "string", "enum": list(shape.choices)}
    pattern = {"pattern": PATTERNS[shape.check]} if shape.check in PATTERNS else {}
    return {"type": "string", **({} if shape.empty else {"minLength": 1}), **pattern}


def _one_of(shapes: tuple[Shape, ...], defs: dict[str, Schema]) -> Schema:
    """Alternatives. They exclude each other, except that one may take anything that the others weren't meant for."""
    if shapes[-1] != Anything():
        return {"anyOf": [_shape(shape, defs) for shape in shapes]}
    chosen = [shape for shape in shapes if isinstance(shape, Fields)]
    return {
        "allOf": [
            {
                "if": {"type": "object", "minProperties": 1, "propertyNames": {"enum": list(fields.when)}},
                "then": _reference(fields, defs),
            }
            for fields in chosen
        ]
    }


def _reference(fields: Fields, defs: dict[str, Schema]) -> Schema:
    first, *rest = fields.what.split()
    name = first + "".join(word.title() for word in rest)
    if name not in defs:
        defs[name] = {}
        defs[name] = _fields(fields, defs)
    return {"$ref": f"#/$defs/{name}"}


def _fields(fields: Fields, defs: dict[str, Schema]) -> Schema:
    properties: dict[str, Any] = {}
    for key in fields.keys:
        if not key.instead:
            properties |= dict.fromkeys((key.name, *key.aliases), _key(key, defs))
    required = [key.name for key in fields.keys if key.required]
    rules = [*_exclusive(fields), *_typed(fields), *_cases(fields)]
    return {
        "type": "object",
        "properties": properties,
        **({"required": required} if required else {}),
        "additionalProperties": False,
        **({"oneOf": [{"required": [name]} for name in fields.one_of]} if fields.one_of else {}),
        **({"allOf": rules} if rules else {}),
    }


def _exclusive(fields: Fields) -> list[Schema]:
    pairs = [[key.name, other] for key in fields.keys for other in key.not_with]
    pairs += [[key.name, alias] for key in fields.keys for alias in key.aliases]
    return [{"not": {"required": pair}} for pair in pairs]


def _typed(fields: Fields) -> list[Schema]:
    by = {key.typed_by: [other.name for other in fields.keys if other.typed_by == key.typed_by] for key in fields.keys}
    return [
        {"if": _equals(stated, name), "then": {"properties": {each: {"type": [name, "null"]} for each in typed}}}
        for stated, typed in by.items()
        if stated
        for name in JSON_TYPES
        if name != "null"
    ]


def _cases(fields: Fields) -> list[Schema]:
    used = dict.fromkeys(name for case in fields.cases for name in case.uses)
    rules = []
    for case in fields.cases:
        then: Schema = {"properties": {name: False for name in used if name not in case.uses}}
        rules.append(
            {
                "if": _equals(fields.by, case.value),
                "then": then | ({"required": list(case.needs)} if case.needs else {}),
            }
        )
    return rules


def _equals(name: str, value: str) -> Schema:
    return {"properties": {name: {"const": value}}, "required": [name]}


def _json_schema() -> Schema:
    """The schema of the JSON Schemas that stand in a definition."""
    properties = {row.name: {"description": row.doc, **_TAKES[row.takes]} for row in KEYWORDS.values()}
    schema = {
        "type": "object",
        "properties": properties,
        "patternProperties": {"^x-": True},
        "additionalProperties": False,
    }
    return {"anyOf": [{"type": "boolean"}, schema]}


_INNER = {"$ref": "#/$defs/jsonSchema"}
_NAMES = {"type": "array", "items": {"type": "string"}}
_TYPE = {"enum": list(JSON_TYPES)}
_TAKES: dict[Takes, Schema] = {
    "schema": _INNER,
    "list of schemas": {"type": "array", "items": _INNER, "minItems": 1},
    "map of schemas": {"type": "object", "additionalProperties": _INNER},
    "type": {"anyOf": [_TYPE, {"type": "array", "items": _TYPE, "minItems": 1}]},
    "text": {"type": "string"},
    "number": {"type": "number"},
    "count": {"type": "integer", "minimum": 0},
    "boolean": {"type": "boolean"},
    "list": {"type": "array"},
    "names": _NAMES,
    "map of names": {"type": "object", "additionalProperties": _NAMES},
    "anything": {},
}
