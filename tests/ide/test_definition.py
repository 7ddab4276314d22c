"""From the cursor to what `«…»` marks, in all files, and to nothing else."""

from __future__ import annotations

import pytest
from cursor import scene

from rolebook_server.ide.definition import declaration, definition

STATE = """\
name: a
instruction: Hi {us$0er}.
output_key: «user»
state: {«user»: Ann}
tools: [{name: tools.set_user}]
sub_agents: [{config_path: kid.yaml}]
=== kid.yaml
name: kid
output_key: '«user»'
=== tools.py
def set_user(context):
    context.state["«user»"] = 1
=== rolebook.toml
[state]
«user» = "Bo"
"""


def check(text: str) -> None:
    given = scene(text)
    found = definition(given.snapshot, given.path, given.offset)
    places = [(target.path, target.selection) for target in found]
    assert given.names(places) == given.marks, given.words(places)
    for target in found:
        assert target.origin.holds(given.offset)
        assert target.span.start <= target.selection.start and target.selection.end <= target.span.end


@pytest.mark.parametrize(
    "way",
    [
        'instruction: transfer_to_agent("ki$0d")',
        "instruction: Hand the user over to `k$0id`.",
        "rehearsal: [{transfer: $0kid}]",
        "rehearsal: [{call: {transfer_to_agent: {agent_name: kid$0}}}]",
        "sub_agents: [{config_path: ki$0d.yaml}]",
        "tools: [{name: AgentTool, args: {agent: {config_path: 'k$0id.yaml'}}}]",
    ],
)
def test_every_way_to_name_an_agent_leads_to_its_name(way: str) -> None:
    kid = "" if "sub_agents" in way or "AgentTool" in way else "sub_agents: [{config_path: kid.yaml}]\n"
    check(f"name: a\n{way}\n{kid}=== kid.yaml\ndescription: A kid.\nname: «kid»\n")


def test_a_placeholder_leads_to_all_that_set_it() -> None:
    check(STATE)


def test_a_declaration_is_only_what_declares_it() -> None:
    given = scene(STATE)
    found = declaration(given.snapshot, given.path, given.offset)
    assert [target.path.rpartition("/")[2] for target in found] == ["rolebook.toml", "root_agent.yaml"]


def test_what_sets_a_key_leads_to_itself() -> None:
    check("name: a\noutput_key: «us$0er»\nstate: {user: 1}\n")
    check("name: a\noutput_key: user\nstate: {«us$0er»: 1}\n")


@pytest.mark.parametrize(
    "way",
    [
        "tools: [{name: my.tools.fi$0nd}]",
        "tools: [{name: shown, function: my.f$0ind}]",
        "after_model_callbacks: [{name: my.tools.$0find}]",
        "instruction: {function: my.tools.find$0}",
        "tools: [{name: my.find}]\nrehearsal: [{call: {f$0ind: {}}}]",
    ],
)
def test_dotted_names_lead_to_python(way: str) -> None:
    check(f"name: a\n{way}\n=== my/__init__.py\nfrom .tools import find\n=== my/tools.py\ndef «find»(): ...\n")


def test_classes_and_variables_too() -> None:
    check("name: a\noutput_schema: {name: m.Ans$0wer}\n=== m.py\nclass «Answer»: ...\n")
    check("name: a\nsub_agents: [{code: m.ag$0ent}]\n=== m.py\n«agent» = make()\n")


def test_a_tool_declared_in_place() -> None:
    check("name: a\ntools: [{name: «look», function: x.y}]\nrehearsal: [{call: {lo$0ok: {}}}]\n")


def test_aliases_lead_to_the_anchor_before_them() -> None:
    check("name: a\nstate: {x: &«one» 1, y: *o$0ne, z: &one 2, w: '*one'}  # &one\n")
    check("name: a\nstate: {x: &one '# &one', y: *one, z: &«one» 2, w: *o$0ne}\n")


def test_nothing_elsewhere() -> None:
    for text in (
        "name: a\n$0model: x\n",
        "name: a\ninstruction: some wo$0rds\n",
        "$0",
        "name: a\nstate: {x: *no$0ne}\n",
    ):
        check(text)


def test_a_file_with_errors_and_a_buffer_without_a_path() -> None:
    check("name: a\ninstruction: Hi {k$0}.\nstate: {«k»: 1}\nmodel: [x\n")
