"""The request as a whole: tools, holes, inheritance, and what a run's own settings override."""

from __future__ import annotations

from build import tree

from rolebook.prompt.compile import compile_request, transfer_declaration
from rolebook.prompt.context import Context
from rolebook.prompt.events import COMPACTION, USER, Event, EventId, TextPart
from rolebook.prompt.request import Declaration, Hole

LOOK_UP = Declaration("look_up", "Looks up.", {"type": "object", "properties": {}})


def test_tools_come_in_order_then_the_transfer() -> None:
    built = tree("name: a\ntools: [{name: t.look_up}, {name: t.other}]\nsub_agents: [{name: b}]")
    request = compile_request(built, built.root, Context(declarations={"t.look_up": LOOK_UP})).request
    assert request.tools == (LOOK_UP, Hole("t.other(context)"), transfer_declaration(["b"]))


def test_a_list_of_tools_from_a_function_is_a_hole_until_it_is_listed() -> None:
    built = tree("name: a\ntools: {function: my.tools}")
    assert compile_request(built, built.root, Context()).request.tools == (Hole("my.tools(context)"),)
    listed = Context(listed={"my.tools(context)": (LOOK_UP,)})
    assert compile_request(built, built.root, listed).request.tools == (LOOK_UP,)


def test_a_provider_is_a_hole_until_it_is_provided_and_then_substituted() -> None:
    built = tree("name: a\ninstruction: {function: my.text, args: [x]}")
    compilation = compile_request(built, built.root, Context())
    assert compilation.request.dynamic_system_instruction == "⟨my.text(context, 'x'): known at run⟩"
    assert compilation.split.dynamic.known_text == ""
    context = Context(state={"n": 3}, provided={"my.text(context, 'x')": "Count to {n}."})
    assert compile_request(built, built.root, context).request.dynamic_system_instruction == "Count to 3."


def test_a_schema_by_name_is_a_hole_until_it_is_known() -> None:
    built = tree("name: a\noutput_schema: {name: my.Model}")
    request = compile_request(built, built.root, Context()).request
    assert request.output_schema == Hole("my.Model(context)")
    assert request.to_json()["output_schema"] == {"hole": "my.Model(context)"}
    known = Context(schemas={"my.Model": {"type": "object"}})
    assert compile_request(built, built.root, known).request.output_schema == {"type": "object"}


def test_a_sub_agent_in_code_is_a_hole_among_the_targets() -> None:
    built = tree("name: a\nsub_agents: [{name: b}, {code: my_app.helper}]")
    request = compile_request(built, built.root, Context()).request
    assert "\n- b\n- ⟨my_app.helper: known at run⟩\n" in request.static_system_instruction
    assert request.tools == (Hole("transfer_to_agent"),)
    (child,) = built.children(built.root)
    assert "⟨my_app.helper: known at run⟩" in compile_request(built, child, Context()).request.instruction


def test_a_runs_own_model_and_settings_win() -> None:
    built = tree("name: a\nmodel: m\ngenerate_content_config: {temperature: 0.1, topP: 0.5}")
    request = compile_request(built, built.root, Context(), model="n", config={"temperature": 1}).request
    assert request.model == "n"
    assert request.generate_content_config == {"temperature": 1, "top_p": 0.5}


def test_a_global_instruction_of_an_ancestor_keeps_its_own_syntax() -> None:
    built = tree(
        "name: a\nglobal_instruction: Be kind to <who>.\ntemplate_syntax: angles\n"
        "sub_agents: [{name: b, template_syntax: braces, instruction: 'Hi {who} <who>'}]"
    )
    (child,) = built.children(built.root)
    request = compile_request(built, child, Context(state={"who": "Ann"})).request
    assert request.static_system_instruction.startswith("Be kind to Ann.\n\n")
    assert request.dynamic_system_instruction == "Hi Ann <who>"


def talk(*said: str) -> list[Event]:
    """Events with the ids 1, 2, …: `u` is the user's, any other word names the author."""
    return [
        Event(number, *((USER, None) if who == "u" else (who, "root.a")), (TextPart(f"t{number}"),), 1)
        for number, who in enumerate(said, 1)
    ]


def summary(id: EventId, *replaces: EventId, text: str = "S") -> Event:
    return Event(id, COMPACTION, "root.a", (TextPart(text),), 1, replaces=replaces)


def texts(definition: str, events: list[Event], agent: str = "a") -> list[str]:
    built = tree(definition)
    place = built.named(agent)
    assert place is not None
    messages = compile_request(built, place, Context(), events).request.messages
    return [part.text for message in messages for part in message.parts if isinstance(part, TextPart)]


def test_messages_are_compressed_last_of_all() -> None:
    definition = "name: a\ncontext_compressor: {strategy: truncate, max_messages: 2}"
    assert texts(definition, talk("u", "a", "u")) == ["t2", "t3"]


def test_a_token_budget_pays_for_the_instruction_but_not_for_its_holes() -> None:
    rest = "context_compressor: {strategy: token_budget, token_budget: 6, chars_per_token: 1, keep_recent: 1}"
    given = talk("u", "a", "u")
    assert texts(f"name: a\nidentity: ''\ninstruction: xx\n{rest}", given) == ["t2", "t3"]
    hole = "name: a\nidentity: ''\ninstruction: {function: my.text}\n"
    assert texts(hole + rest, given) == ["t1", "t2", "t3"]


SUMMARIZE = "name: a\ncontext_compressor: {strategy: summarize, keep_recent: 2}"


def test_a_summary_that_is_not_made_yet_is_a_hole() -> None:
    built = tree(SUMMARIZE)
    compilation = compile_request(built, built.root, Context(), talk("u", "a", "u", "a"))
    assert compilation.summary is not None
    assert [message.event for message in compilation.summary.messages] == [1, 2]
    assert compilation.request.to_json()["messages"][0] == {
        "role": "user",
        "parts": [{"text": "⟨summary of 2 messages: known at run⟩"}],
        "event": None,
        "invocation": None,
    }


def test_a_summary_that_is_stored_stands_for_what_it_replaces_and_is_not_summarized_alone() -> None:
    assert texts(SUMMARIZE, [*talk("u", "a", "u", "a"), summary(5, 1, 2)]) == ["S", "t3", "t4"]


def test_after_a_summary_failed_the_messages_stay_until_the_next_turn_and_other_strategies_still_run() -> None:
    failed = Event(5, COMPACTION, "root.a", (), 1)
    given = [*talk("u", "a", "u", "a"), failed]
    assert texts(SUMMARIZE, given) == ["t1", "t2", "t3", "t4"]
    assert texts(SUMMARIZE, [*given, Event(6, USER, None, (TextPart("t6"),), 2)])[0].startswith("⟨summary of 3")
    elsewhere = Event(5, COMPACTION, "root.b", (), 1)
    assert texts(SUMMARIZE, [*talk("u", "a", "u", "a"), elsewhere])[0].startswith("⟨summary of 2")
    both = "name: a\ncontext_compressor: [{strategy: summarize, keep_recent: 2}, {strategy: truncate, max_messages: 3}]"
    assert texts(both, given) == ["t2", "t3", "t4"]


NONE = "name: a\ninclude_contents: none"


def test_contents_of_none_begin_at_the_summary_that_replaced_the_latest_input() -> None:
    given = [*talk("u", "a", "u", "a", "a"), summary(6, 3, 4)]
    assert texts(NONE, given) == ["S", "t5"]
    over_more = [*talk("u", "a", "u", "a", "a"), summary(6, 1, 2), summary(7, 6, 3, text="S2")]
    assert texts(NONE, over_more) == ["S2", "t4", "t5"]
    assert texts(NONE, [*talk("u", "a", "u", "a"), summary(6, 1, 2)]) == ["t3", "t4"]


def test_summaries_that_replace_each_other_come_to_an_end() -> None:
    given = [*talk("u", "a"), summary(3, 1, 4), summary(4, 3)]
    assert texts(NONE, given) == ["t2"]
    assert texts("name: a", given) == ["t2"]
