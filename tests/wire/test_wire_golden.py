"""Every example and every agent of the seed, compiled for each provider: files that a person can read.

`ROLEBOOK_GOLDEN=redraw pytest tests/wire/test_wire_golden.py` writes them anew; `git diff` then shows what changed.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from golden import CASES, MODELS, PROVIDERS, ROOT, compiled, tree_of
from schemas import violations
from turn_rules import broken_rules

from rolebook import wire
from rolebook.wire import gemini

GOLDEN = ROOT / "tests" / "data" / "wire" / "golden"


def _check(file: Path, drawn: dict[str, Any]) -> None:
    if os.environ.get("ROLEBOOK_GOLDEN") == "redraw":
        file.write_text(json.dumps(drawn, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    assert drawn == json.loads(file.read_text("utf-8"))


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", CASES)
def test_a_body(name: str, provider: wire.Provider) -> None:
    made = wire.body(compiled(name, provider).request, provider)
    payload = json.loads(wire.encode(made.payload))
    assert violations(provider, payload) == []
    assert broken_rules(provider, payload) == []
    path = f"POST {wire.path(provider, MODELS[provider])}"
    drawn = {"request": path, "warnings": list(made.warnings), "body": payload}
    _check(GOLDEN / f"{name}.{provider}.json", drawn)


@pytest.mark.parametrize("name", ["compliance", "analyst"])
def test_a_body_with_a_cache_entry(name: str) -> None:
    request = compiled(name, "gemini").request
    entry = json.loads(wire.encode(gemini.cache_creation(request, 3_600)))
    cached = json.loads(wire.encode(gemini.cached_body(request, "cachedContents/1").payload))
    assert violations("gemini", entry, "cachedContent") == []
    assert violations("gemini", cached) == []
    assert broken_rules("gemini", cached) == []
    _check(GOLDEN / f"{name}.gemini-cached.json", {"entry": entry, "body": cached})


def test_every_agent_that_calls_a_model_has_a_case() -> None:
    """A new example needs an entry in `golden_cases.json`, and its files drawn (see above)."""
    definitions = {case["definition"] for case in CASES.values()}
    files = [*ROOT.glob("examples/**/root_agent.yaml"), *ROOT.glob("tests/data/seed/*.agent.yaml")]
    assert definitions == {str(file.relative_to(ROOT)).replace(os.sep, "/") for file in files}
    shown = {(case["definition"], case["agent"]) for case in CASES.values()}
    for definition in definitions:
        for place in tree_of(definition)[1]:
            assert place.agent.kind != "LlmAgent" or (definition, place.agent.name) in shown


def test_no_golden_file_is_left_over() -> None:
    expected = {f"{name}.{provider}.json" for name in CASES for provider in PROVIDERS}
    assert {file.name for file in GOLDEN.glob("*.json")} == expected | {
        "compliance.gemini-cached.json",
        "analyst.gemini-cached.json",
    }
