"""`definition_schema` is a valid schema that takes every file of the corpus and the examples, and no wrong one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from corpus import FOLDER, files
from literate import MAIN, Case, cases

from rolebook.definition.json_schema import PATTERNS, definition_schema
from rolebook.definition.keys import AGENT_KEYS
from rolebook.definition.names import state_key_problem
from rolebook.definition.shapes import Fields, ListOf, MapOf, OneOf, Shape, Str
from rolebook.project.source import read_source
from rolebook.syntax.yaml import parse
from rolebook.syntax.yaml.nodes import json_of

jsonschema = pytest.importorskip("jsonschema", reason="the extra `test` brings jsonschema")

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").rglob("*.yaml"))
REFUSED_BY_ADK = "loop_config/evaluate_headline.yaml"  # `output_schema_code` is no key of google-adk 2.13 either


@pytest.fixture(scope="module")
def schema() -> Any:
    return json.loads(json.dumps(definition_schema()))


@pytest.fixture(scope="module")
def validator(schema: Any) -> Any:
    return jsonschema.Draft202012Validator(schema)


def errors(validator: Any, source: str) -> list[str]:
    return [f"{list(error.path)}: {error.message}" for error in validator.iter_errors(json_of(parse(source).root))]


def test_it_is_a_schema_of_the_draft_that_it_names(schema: Any) -> None:
    assert schema["$schema"] == jsonschema.Draft202012Validator.META_SCHEMA["$id"]
    jsonschema.Draft202012Validator.check_schema(schema)


def test_every_reference_leads_to_a_definition_and_every_definition_is_used(schema: Any) -> None:
    used = set(references(schema))
    assert used == {f"#/$defs/{name}" for name in schema["$defs"]}


def references(node: Any) -> list[str]:
    if isinstance(node, list):
        return [found for item in node for found in references(item)]
    if not isinstance(node, dict):
        return []
    own = [node["$ref"]] if isinstance(node.get("$ref"), str) else []
    return own + [found for value in node.values() for found in references(value)]


def test_every_key_is_described(schema: Any) -> None:
    for name, part in schema["$defs"].items():
        for key, value in part.get("properties", {}).items():
            assert value.get("description"), f"{name}.{key}"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_it_takes_the_examples(validator: Any, path: Path) -> None:
    assert errors(validator, path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(FOLDER)))
def test_it_takes_the_corpus(validator: Any, path: Path) -> None:
    found = errors(validator, path.read_text(encoding="utf-8"))
    assert (found == []) == (not path.as_posix().endswith(REFUSED_BY_ADK)), found


@pytest.mark.parametrize("case", cases("definition"), ids=lambda case: case.name)
def test_it_agrees_with_validation(validator: Any, case: Case) -> None:
    """What validation calls an error of shape is refused, and what it has nothing to say of is taken."""
    findings = read_source("/agents/root_agent.yaml", case.files[MAIN]).findings
    refused = errors(validator, case.files[MAIN])
    if not findings:
        assert refused == []
    elif any(finding.severity is None and finding.rule not in NOT_OF_SHAPE for finding in findings):
        assert refused != []


NOT_OF_SHAPE = ("duplicate-key", "invalid-schema")
"""JSON has each key once; how the keywords of an inline schema go together is more than a schema can say."""


def test_every_check_of_a_text_has_its_pattern() -> None:
    checks = {shape.check for shape in texts([row.key.shape for row in AGENT_KEYS]) if shape.check is not None}
    assert checks - {state_key_problem} == set(PATTERNS)


@pytest.mark.parametrize(
    "name",
    ["a", "été", "news_desk", "news-desk", "user", "users", "2nd", "a b", "a.b", ".a.b", ".a", "a..b", "a.", "x" * 65],
)
def test_patterns_let_through_what_the_checks_do(name: str) -> None:
    for check, pattern in PATTERNS.items():
        assert bool(jsonschema.Draft202012Validator({"pattern": pattern}).is_valid(name)) == (check(name) is None), (
            check
        )


def texts(shapes: list[Shape]) -> list[Str]:
    """The texts in these shapes and below."""
    found: list[Str] = []
    pending = list(shapes)
    for shape in pending:
        match shape:
            case Str():
                found.append(shape)
            case Fields():
                pending += [key.shape for key in shape.keys]
            case OneOf(inner):
                pending += inner
            case ListOf(inner):
                pending.append(inner)
            case MapOf(value=value, key=key):
                pending += [value, key]
    return found
