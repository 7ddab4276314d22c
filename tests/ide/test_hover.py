"""What a hover shows."""

from __future__ import annotations

import pytest
from cursor import at_cursor, scene

from rolebook_server.ide.hover import hover


def shown(text: str, **others: str) -> str:
    snapshot, path, offset = at_cursor(text, **others)
    found = hover(snapshot, path, offset)
    return found.markdown if found is not None else ""


def test_a_name_shows_both_halves_targets_and_tools() -> None:
    card = shown(
        "name: sup$0port\nmodel: gpt-4o\ninstruction: Hi {user}.\nstate: {user: Ann}\n"
        "tools: [{name: exit_loop}, {name: my.tools.find}]\nsub_agents: [{name: b, description: Bills.}]\n"
    )
    assert "**support** · LlmAgent · `gpt-4o`" in card
    assert "You are support." in card and "- b: Bills." in card and "Hi Ann." in card
    assert "Hands over to: `b`" in card and "`exit_loop`" in card and "`my.tools.find(context)`" in card
    assert "What only a run can know is not counted." in card


def test_a_text_with_fences_stays_in_its_fence() -> None:
    card = shown("name: a$0\ninstruction: |\n  ```\n  code\n  ```\n")
    assert "````text\n```\ncode\n```\n\n````" in card


def test_a_provider_is_a_hole() -> None:
    card = shown("name: a$0\ninstruction: {function: my_app.for_user, args: [1]}\n")
    assert "⟨my_app.for_user(context, 1): known at run⟩" in card


def test_a_workflow_shows_its_steps() -> None:
    assert "Sub-agents: `b`, `c`" in shown(
        "agent_class: SequentialAgent\nname: a$0\nsub_agents: [{name: b}, {name: c}]"
    )


def test_a_placeholder_shows_its_value_and_what_sets_it() -> None:
    card = shown("name: a\ninstruction: Hi {us$0er}.\nstate: {user: Ann}\nsub_agents: [{name: b, output_key: user}]\n")
    assert "Ann" in card and "declared by `a`" in card and "set by the answer of `b`" in card


def test_an_unset_placeholder_says_what_becomes_of_it() -> None:
    assert "stays in the prompt as it stands" in shown("name: a\ninstruction: Hi {us$0er}.\n")
    assert "becomes empty" in shown("name: a\ninstruction: Hi {us$0er?}.\n")


def test_a_sub_agents_file_shows_that_agent() -> None:
    assert "You are kid." in shown("name: a\nsub_agents:\n  - config_path: k$0id.yaml\n", kid="name: kid")


def test_keys_show_their_documentation() -> None:
    assert "dynamic half" in shown("name: a\nins$0truction: x\n")
    assert "| `truncate` |" in shown("name: a\ncontext_compressor: {strat$0egy: truncate}\n")
    assert "**temperature**" in shown("name: a\ngenerate_content_config: {temp$0erature: 1}\n")


def test_nothing_elsewhere() -> None:
    assert shown("name: a\ninstruction: Some wo$0rds.\n") == ""
    assert shown("name: a\n\n# a com$0ment\n") == ""


def test_a_name_says_whether_its_halves_are_cached() -> None:
    card = shown("name: a$0\nmodel: claude-sonnet-4-5\nstatic_instruction: Be brief.\ninstruction: Hi.\n")
    static, dynamic = card.split("**Dynamic**")
    assert "Not cached: all that could be cached is" in static and "caches from 1,024 on" in static
    assert "Not cached: it is made for each request" in dynamic
    long = "word " * 3000
    card = shown(f"name: a$0\nmodel: claude-sonnet-4-5\nstatic_instruction: {long}\n")
    assert "\nCached: marked with cache_control" in card and "more characters" in card
    assert "ached" not in shown("name: a$0\n")


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("name: a\ninstruction: '{$0k}'\nstate: {k: 1}\n", "is set before this agent's first request"),
        ("name: a\ninstruction: '{$0k}'\noutput_key: k\n", "is set only later"),
        (
            "name: a\nsub_agents:\n  - {name: b, description: x, output_key: k}\n"
            "  - {name: c, description: y, instruction: '{$0k}'}\n",
            "on some ways to this agent, but not on the way `a` → `c`",
        ),
        (
            "agent_class: SequentialAgent\nname: s\nsub_agents:\n  - {name: b, instruction: '{$0k?}'}\n"
            "  - {name: c, output_key: k}\n",
            "it becomes empty",
        ),
        (
            "agent_class: ParallelAgent\nname: p\nsub_agents:\n  - {name: b, include_contents: none, "
            "instruction: '{$0temp:k}'}\n  - {name: c, output_key: 'temp:k'}\n",
            "`temp:` keys belong to one run of one agent",
        ),
    ],
)
def test_a_placeholder_says_whether_it_is_set_in_time(text: str, verdict: str) -> None:
    assert verdict in shown(text)


def test_a_placeholder_shows_its_description_and_tools_that_may_set_it() -> None:
    assert "Who asks." in shown("name: a\ninstruction: '{$0k}'\nstate: {k: {sample: 1, description: Who asks.}}\n")
    assert "`far.tool` may set it" in shown("name: a\ninstruction: '{$0k}'\ntools: [{name: far.tool}]\n")


def test_state_keys_have_cards_where_they_are_set_too() -> None:
    assert "declared by `a`" in shown("name: a\nstate: {k$0: 1}\n")
    assert "set by the answer of `a`" in shown("name: a\noutput_key: $0k\n")


def test_targets_show_that_agent_wherever_they_are_named() -> None:
    kid = "sub_agents: [{name: kid, description: Kids.}]\n"
    for way in ('instruction: transfer_to_agent("k$0id")', "rehearsal: [{transfer: k$0id}]"):
        assert "You are kid. Kids." in shown(f"name: a\n{way}\n{kid}")
    assert "You are kid." in shown(
        "name: a\ntools: [{name: AgentTool, args: {agent: {config_path: k$0id.yaml}}}]\n", kid="name: kid"
    )


def test_models_everywhere() -> None:
    assert "o200k_base" in shown("name: a\nmodel: gpt-$04o\n")
    assert "**gpt-4o**" in shown("name: a\ncontext_compressor: {strategy: summarize, model: gpt-$04o}\n")


def test_tools_show_their_declarations() -> None:
    given = scene("name: a\ntools: [{name: m.fi$0nd}]\n=== m.py\ndef find(word: str) -> str:\n    'Finds a word.'\n")
    found = hover(given.snapshot, given.path, given.offset)
    assert found is not None and "**find** · tool" in found.markdown
    assert "Finds a word." in found.markdown and '"word"' in found.markdown
    assert "End the loop" in shown("name: a\ntools: [{name: exit$0_loop}]\n")
    assert "Looks." in shown("name: a\ntools: [{name: loo$0k, description: Looks., parameters: {}, function: x.y}]\n")


def test_other_functions_show_their_docstrings() -> None:
    given = scene("name: a\ninstruction: {function: m.te$0xt}\n=== m.py\nasync def text(context):\n    'Makes it.'\n")
    found = hover(given.snapshot, given.path, given.offset)
    assert found is not None and "async def text(context)" in found.markdown and "Makes it." in found.markdown


def test_rules_show_the_beginning_of_their_page() -> None:
    card = shown("name: a\nmodle: x # rolebook: ignore[unknown$0-key]\n")
    assert card.startswith("**unknown-key** · ") and "## " not in card and "rolebook explain unknown-key" in card
    assert shown("name: a # rolebook: ignore[nonsen$0se]\n") == ""
