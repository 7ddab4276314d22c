"""What a definition becomes where it may be written in more than one way, or holds more than is good."""

from __future__ import annotations

import time

from rolebook.definition.agent import Agent, Reference, SchemaName
from rolebook.definition.compressors import SlidingWindow, Summarize, TokenBudget, Truncate
from rolebook.definition.lower import Lowered, lower
from rolebook.syntax.yaml import parse


def lowered(source: str) -> Lowered:
    return lower(parse(source).root, "/agents/root_agent.yaml")


def agent(source: str) -> Agent:
    return lowered(source).agent


def test_booleans_and_numbers_in_quotes_count() -> None:
    assert agent("name: a\ndisallow_transfer_to_peers: 'True'\n").disallow_transfer_to_peers
    assert not agent("name: a\ndisallow_transfer_to_peers: 'maybe'\n").disallow_transfer_to_peers
    assert agent("agent_class: LoopAgent\nname: a\nmax_iterations: '3'\n").max_iterations == 3
    settings = agent("name: a\ngenerate_content_config: {topP: '0.5', temperature: 1e-1}\n").generate_content_config
    assert settings == {"top_p": 0.5, "temperature": 0.1}
    (compressor,) = agent("name: a\ncontext_compressor: {strategy: truncate, max_messages: '4'}\n").context_compressor
    assert compressor == Truncate(4)


def test_compressors_are_typed_and_wrong_ones_left_out() -> None:
    source = """
name: a
context_compressor:
  - {strategy: truncate, max_messages: 0, threshold: many}
  - {strategy: sliding_window, invocations: 2, threshold: 3, keep_recent: 4}
  - {strategy: summarize, keep_recent: 0, summary_instruction: " ", model: m}
  - {strategy: token_budget, keep_recent: 1}
  - {strategy: token_budget, token_budget: 0, tokenizer: model}
  - {strategy: token_budget, token_budget: 9, chars_per_token: 2.5, keep_recent: 0}
  - {strategy: shorten}
  - truncate
"""
    assert agent(source).context_compressor == (
        Truncate(20),
        SlidingWindow(2, 3),
        Summarize(0, None, "m"),
        TokenBudget(0, chars_per_token=None),
        TokenBudget(9, 0, 2.5),
    )
    assert agent("name: a\ncontext_compressor: truncate\n").context_compressor == ()


def test_settings_that_are_the_agents_own_are_left_out() -> None:
    assert agent("name: a\ngenerate_content_config: {tools: [], seed: 1}\n").generate_content_config == {"seed": 1}


def test_a_fixed_text_in_parts_knows_where_each_part_stands() -> None:
    source = "name: a\nstatic_instruction:\n  parts:\n    - text: One.\n    - text: Two.\n"
    text = agent(source).static_instruction
    assert text is not None and text.text == "One.\n\nTwo."
    assert source[slice(*text.source(6, 10))] == "Two."


def test_a_schema_by_name_and_one_that_has_a_name() -> None:
    assert isinstance(agent("name: a\noutput_schema: {name: app.Answer, args: []}\n").output_schema, SchemaName)
    assert agent("name: a\noutput_schema: {name: x, type: object}\n").output_schema == {"name": "x", "type": "object"}


def test_of_a_key_and_its_alias_the_key_counts() -> None:
    for first, second in (("agents", "sub_agents"), ("sub_agents", "agents")):
        source = "".join(f"{key}: [{{config_path: {key}.yaml}}]\n" for key in (first, second))
        (child,) = agent(f"agent_class: ParallelAgent\nname: a\n{source}").sub_agents
        assert isinstance(child, Reference) and child.target == "sub_agents.yaml"


def test_aliases_that_multiply_agents_come_to_an_end() -> None:
    anchors = [f"  a{n}: &a{n} {{name: x{n}, sub_agents: [*a{n - 1}, *a{n - 1}, *a{n - 1}]}}\n" for n in range(1, 9)]
    source = "name: a\nstate:\n  a0: &a0 {name: x0}\n" + "".join(anchors) + "sub_agents: [*a8]\n"
    started = time.monotonic()
    messages = [finding.message for finding in lowered(source).findings]
    assert messages == ["this file holds more than 1,000 agents; from here on they are left out"]
    assert time.monotonic() - started < 10


def test_aliases_that_multiply_schemas_come_to_an_end() -> None:
    anchors = [f"  s{n}: &s{n} {{anyOf: [*s{n - 1}, *s{n - 1}], not: *s{n - 1}}}\n" for n in range(1, 9)]
    source = "name: a\nstate:\n  s0: &s0 {type: str, x-a: 1}\n" + "".join(anchors) + "output_schema: *s8\n"
    assert [finding.rule for finding in lowered(source).findings] == ["invalid-schema"]
