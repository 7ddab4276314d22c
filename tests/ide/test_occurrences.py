"""Every place that names the thing at the cursor: `«…»` marks all of them, in all files, and nothing else."""

from __future__ import annotations

from cursor import scene

from rolebook_server.ide.occurrences import occurrences, thing_at


def check(text: str, accesses: str = "", newline: str = "\n") -> None:
    """The occurrences are the marked ones; `accesses` are the first letters of theirs, by file and offset."""
    given = scene(text, newline)
    at = thing_at(given.snapshot, given.path, given.offset)
    assert at is not None
    found = occurrences(given.snapshot, at.things, given.paths)
    places = [(each.path, each.span) for each in found]
    assert given.names(places) == given.marks, given.words(places)
    if accesses:
        assert "".join(each.access[0] for each in found) == accesses


def test_an_agent_is_named_by_its_name_its_file_transfers_and_rehearsals() -> None:
    check(
        """\
name: a
instruction: |
  Call transfer_to_agent("«billing»"), or hand the user over to `«billing»`.
  The billing address isn't meant.
sub_agents:
  - config_path: «bill.yaml»
  - name: other
    instruction: transfer_to_agent(agent_name='«billing»')
rehearsal:
  - transfer: «bill$0ing»
  - call: {transfer_to_agent: {agent_name: "«billing»"}}
=== bill.yaml
name: «billing»
=== unrelated.yaml
name: billing
"""
    )


def test_namesakes_in_a_tree_are_told_apart_by_who_is_near() -> None:
    check(
        """\
name: a
sub_agents:
  - name: b
    instruction: transfer_to_agent("«$0x»")
    sub_agents:
      - name: «x»
  - name: c
    instruction: transfer_to_agent("x")
    sub_agents:
      - name: x
"""
    )


STATE = """\
name: a
instruction: Hi {«us$0er»}, {user:user}, \\\\{user}, {artifact.user}, {«user»?}.
output_key: "«user»"
state:
  '«user»': {sample: Ann}
tools:
  - name: tools.greet
rehearsal:
  - say: "{«user»} {input}"
sub_agents:
  - config_path: kid.yaml
=== kid.yaml
name: kid
instruction: {function: other.text}
global_instruction: Be nice to {«user»}.
=== alone.yaml
name: alone
instruction: "{user}"
=== tools.py
def greet(context):
    if "«user»" in context.state:
        print(context.state["«user»"], context.state.get('«user»'), other["user"])
    context.state["«user»"] = "x"
=== other.py
def text(context):
    return context.state["«user»"]
=== rolebook.toml
[state]
«user» = "Bo"
"""


def test_a_state_key_is_set_and_read_in_definitions_sources_and_the_configuration() -> None:
    check(STATE)
    check(STATE, newline="\r\n")


def test_a_state_key_in_a_file_of_two_trees_joins_them() -> None:
    check(
        """\
name: a
instruction: "{«$0k»}"
sub_agents: [{config_path: shared.yaml}]
=== shared.yaml
name: shared
output_key: «k»
=== other.yaml
name: other
state: {«k»: 1}
sub_agents: [{config_path: shared.yaml}]
""",
        accesses="drw",
    )


def test_the_configuration_is_asked_as_well() -> None:
    check(
        """\
name: a
instruction: "{«k»}"
=== rolebook.toml
[state]
«$0k» = 1
"""
    )


def test_a_file_is_named_by_sub_agents_tools_and_edges() -> None:
    check(
        """\
name: a
tools:
  - name: AgentTool
    args: {agent: {config_path: '«kid.yaml»'}}
sub_agents:
  - config_path: ./«ki$0d.yaml»
=== kid.yaml
name: kid
=== flow.yaml
agent_class: Workflow
name: flow
edges: [[START, «kid.yaml»]]
""".replace("./«ki$0d", "«./ki$0d")
    )


def test_a_python_function_is_found_by_every_way_to_it() -> None:
    check(
        """\
name: a
tools:
  - name: «my.tools.fi$0nd»
  - {name: shown, function: my.find}
rehearsal:
  - call: {«find»: {}}
=== b.agent.yaml
name: b
before_agent_callbacks: [{name: «my.tools.find»}]
instruction: {function: «my.find»}
=== my/__init__.py
from .tools import find
=== my/tools.py
def «find»(): ...
def finder(): ...
""".replace("function: my.find", "function: «my.find»", 1)
    )


def test_a_tool_declared_in_place() -> None:
    check(
        """\
name: a
tools:
  - {name: «lo$0ok», function: x.y}
rehearsal:
  - call: {«look»: {}}
sub_agents:
  - {name: b, tools: [{name: look, function: x.y}]}
"""
    )


def test_rules() -> None:
    check(
        """\
name: a
modle: x  # rolebook: ignore[«unkn$0own-key», wrong-type]
=== b.yaml
name: b  # rolebook: ignore[«unknown-key»]
=== rolebook.toml
[rules]
«unknown-key» = "off"
"""
    )


def test_angles() -> None:
    check("name: a\ntemplate_syntax: angles\ninstruction: Hi <«us$0er»> {user}.\noutput_key: «user»\n")


def test_what_a_rehearsal_puts_in_itself_is_no_state() -> None:
    given = scene("name: a\nrehearsal: [{say: '{in$0put} {result}'}]\n")
    assert thing_at(given.snapshot, given.path, given.offset) is None
