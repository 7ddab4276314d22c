"""The keywords of JSON Schema (draft 2020-12), and those that providers add: what each takes, which type it is about.

Sources: json-schema.org/draft/2020-12, its core, applicator, validation, unevaluated, format, content and metadata
vocabularies; `nullable`, `example` and `propertyOrdering` are Gemini's (google.genai.types.Schema).
"""

from __future__ import annotations

from typing import Literal

from rolebook.record import Record

Takes = Literal[
    "schema", "list of schemas", "map of schemas", "type", "text", "number", "count", "boolean", "list", "names",
    "map of names", "anything",
]  # fmt: skip


class Keyword(Record):
    """`of` is the JSON type whose values it is about, empty for all of them; `integer` counts as `number` there."""

    name: str
    takes: Takes
    doc: str
    of: str = ""


KEYWORDS: dict[str, Keyword] = {
    row[0]: Keyword(*row)
    for row in (
        ("type", "type", "The JSON type of the value, or a list of types."),
        ("title", "text", "A short name for people."),
        ("description", "text", "What the value means; models read it."),
        ("enum", "list", "The values to choose from."),
        ("const", "anything", "The only value."),
        ("default", "anything", "The value that counts where none is given."),
        ("examples", "list", "Some right values."),
        ("example", "anything", "A right value, in Gemini's form."),
        ("nullable", "boolean", "Whether null is right too, in Gemini's form."),
        ("format", "text", "A format of the value, such as `date-time`."),
        ("properties", "map of schemas", "A schema for each property of an object.", "object"),
        ("required", "names", "The properties that must be there.", "object"),
        ("additionalProperties", "schema", "Whether other properties may be there, or their schema.", "object"),
        ("patternProperties", "map of schemas", "Schemas for properties by patterns of their names.", "object"),
        ("propertyNames", "schema", "A schema for the names of properties.", "object"),
        ("propertyOrdering", "list", "The order in which properties are made, in Gemini's form.", "object"),
        ("minProperties", "count", "How many properties there are at least.", "object"),
        ("maxProperties", "count", "How many properties there are at most.", "object"),
        ("dependentRequired", "map of names", "Properties that ask for others.", "object"),
        ("dependentSchemas", "map of schemas", "Schemas that hold where a property is there.", "object"),
        ("unevaluatedProperties", "schema", "A schema for properties that no other keyword is about.", "object"),
        ("items", "schema", "A schema for each item of an array.", "array"),
        ("prefixItems", "list of schemas", "Schemas for the first items, in their order.", "array"),
        ("contains", "schema", "A schema that some item fits.", "array"),
        ("minContains", "count", "How many items fit `contains` at least.", "array"),
        ("maxContains", "count", "How many items fit `contains` at most.", "array"),
        ("minItems", "count", "How many items there are at least.", "array"),
        ("maxItems", "count", "How many items there are at most.", "array"),
        ("uniqueItems", "boolean", "Whether all items differ.", "array"),
        ("unevaluatedItems", "schema", "A schema for items that no other keyword is about.", "array"),
        ("minimum", "number", "The least value.", "number"),
        ("maximum", "number", "The greatest value.", "number"),
        ("exclusiveMinimum", "number", "The value is greater than this.", "number"),
        ("exclusiveMaximum", "number", "The value is less than this.", "number"),
        ("multipleOf", "number", "The value is a multiple of this.", "number"),
        ("minLength", "count", "How many characters there are at least.", "string"),
        ("maxLength", "count", "How many characters there are at most.", "string"),
        ("pattern", "text", "A regular expression that the text matches somewhere.", "string"),
        ("contentEncoding", "text", "How bytes are written as text, such as `base64`.", "string"),
        ("contentMediaType", "text", "The media type of what the text holds.", "string"),
        ("contentSchema", "schema", "A schema for what the text holds.", "string"),
        ("anyOf", "list of schemas", "Schemas of which at least one fits."),
        ("allOf", "list of schemas", "Schemas that all fit."),
        ("oneOf", "list of schemas", "Schemas of which exactly one fits."),
        ("not", "schema", "A schema that doesn't fit."),
        ("if", "schema", "A schema that decides between `then` and `else`."),
        ("then", "schema", "The schema where `if` fits."),
        ("else", "schema", "The schema where `if` doesn't fit."),
        ("$ref", "text", "Another schema in here, such as `#/$defs/NAME`."),
        ("$defs", "map of schemas", "Schemas that `$ref` leads to."),
        ("definitions", "map of schemas", "An older name of `$defs`."),
        ("deprecated", "boolean", "Whether the value should no longer be used."),
        ("readOnly", "boolean", "Whether only the owner of the value sets it."),
        ("writeOnly", "boolean", "Whether the value is never shown."),
        ("$schema", "text", "The draft in which the schema is written."),
        ("$id", "text", "The schema's address."),
        ("$anchor", "text", "A name that `$ref` can lead to."),
        ("$dynamicRef", "text", "Another schema, found at the time of checking."),
        ("$dynamicAnchor", "text", "A name that `$dynamicRef` leads to."),
        ("$vocabulary", "anything", "The vocabularies in use."),
        ("$comment", "text", "A note for whoever reads the schema."),
    )
}

PAIRS = (
    ("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems"), ("minProperties", "maxProperties"),
)  # fmt: skip
"""Limits of which the first can't be greater than the second."""
