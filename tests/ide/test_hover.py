"""What a hover shows."""

from __future__ import annotations

from cursor import at_cursor

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
