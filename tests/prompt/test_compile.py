"""The request as a whole: tools, holes, inheritance, and what a run's own settings override."""

from __future__ import annotations

from build import tree

from rolebook.prompt.compile import compile_request, transfer_declaration
from rolebook.prompt.context import Context
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
