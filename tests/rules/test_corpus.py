"""The corpus of public definitions, many of them google-adk's own samples: what is reported, and why it is right."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus import FOLDER, files, needs_corpus, repositories

from rolebook.project.files import DiskFiles
from rolebook.project.snapshot import Snapshot
from rolebook.rules import check_file

SJOERD = "sjoerd2025+adk-conformance/agents/parallel_agent_001"
LOOP = "yasumorishima+adk-python/contributing/samples/workflows/loop_config"
WRITERS = "fenghaitao+adk-python/contributing/samples/multi_agent_loop_config/writer_agents"
DEMO = "thomas-chong+google-adk-visual-agent-builder-demo/agents"
EXPLAINED = {
    ("anoochit+publishing_studio/agents/root_agent.yaml", "other-syntax"): "information: `<filename>` stands in code",
    (f"{WRITERS}/critic_agent.yaml", "doubled-placeholder"): "`{{current_document}}` gives braces here, none in adk",
    (f"{WRITERS}/refiner_agent.yaml", "doubled-placeholder"): "`{{current_document}}` gives braces here, none in adk",
    (f"{SJOERD}/parallel_agent.yaml", "missing-file"): "files aren't in the corpus; google-adk finds none either",
    (f"{SJOERD}/root_agent.yaml", "missing-file"): "a file isn't in the corpus; google-adk finds none either",
    (f"{SJOERD}/root_agent.yaml", "errors-below"): "the file that it names has the missing files",
    (f"{LOOP}/root_agent.yaml", "errors-below"): "a file that it names has an unknown key",
    (f"{DEMO}/root_agent.yaml", "unknown-transfer-target"): "google-adk compares names with their case",
    (f"{LOOP}/evaluate_headline.yaml", "unknown-key"): "google-adk 2.13 forbids keys that it doesn't know",
    (f"{LOOP}/generate_headline.yaml", "unresolved-placeholder"): "information: Python code that isn't there sets it",
}
"""Every problem of the corpus: one found and not in here is as wrong as one in here that is not found."""

RETIRED = {"gemini-2.0-flash"}
"""Models of the corpus that Google has turned off since. Each file that names one has a problem, and no other file."""


@needs_corpus
def test_every_problem_is_explained_and_every_explanation_needed() -> None:
    found, retired, named = set(), set(), set()
    for repository in repositories():
        snapshot = Snapshot(DiskFiles(), str(repository))
        for path in sorted(repository.rglob("*.yaml")):
            name = path.relative_to(FOLDER).as_posix()
            rules = {problem.rule for problem in check_file(snapshot, str(path))}
            retired |= {name} if "retired-model" in rules else set()
            found |= {(name, rule) for rule in rules - {"retired-model"}}
            source = snapshot.source(str(path))
            named |= {name} if source is not None and any(a.model in RETIRED for a in source.agents) else set()
    assert found == set(EXPLAINED)
    assert retired == named


@needs_corpus
@pytest.mark.parametrize("path", files(), ids=lambda path: "/".join(path.parts[-3:]))
def test_no_file_is_taken_for_broken(path: Path) -> None:
    snapshot = Snapshot(DiskFiles(), str(path.parent))
    source = snapshot.source(str(path))
    assert source is not None and source.document.faults == () and source.agent.name
