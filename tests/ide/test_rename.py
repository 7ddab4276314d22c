"""Rename of agents, state keys and files. In a scene, what is marked is exactly what the rename replaces."""

from __future__ import annotations

import pytest
from build import ROOT
from cursor import Scene, scene
from hypothesis import given, settings
from hypothesis import strategies as st

from rolebook_server.ide.changes import Changes, Refusal, applied, texts_after
from rolebook_server.ide.rename import Renamable, prepare, rename

AGENT = """\
name: top
description: Answers.
instruction: |
  Transfer bills to `«billing»`, or call transfer_to_agent("«billing»").
  Hand the user over to «billing» agent. The billing department is closed.
rehearsal:
  - transfer: «bil$0ling»
sub_agents:
  - config_path: billing.yaml
  - name: other
    description: Can delegate to `«billing»`; no billing.
    instruction: Hand over to '«billing»'.
=== billing.yaml
name: «billing»
description: Bills and billing.
"""

KEY = """\
name: top
instruction: Hi {«user_name»}, {«user_name»?} \\{user_name} {user:user_name?} user_name.
state:
  «user_$0name»: Ann
tools:
  - name: tools.keep
sub_agents:
  - config_path: kid.yaml
rehearsal:
  - say: Dear {«user_name»}
=== kid.yaml
name: kid
description: Small.
template_syntax: angles
instruction: Hi <«user_name»>.
output_key: «user_name»
=== other.yaml
name: other
instruction: Bye {«user_name»}.
=== far/root_agent.yaml
name: far
instruction: Bye {«user_name»?}.
=== tools.py
def keep(context):
    user_name = 1
    context.state["«user_name»"] = user_name
    return context.state.get('«user_name»')
=== rolebook.toml
[state]
«user_name» = "Bo"
"""


def changes(found: Scene, new: str) -> Changes:
    made = rename(found.snapshot, found.path, found.offset, new, found.paths)
    assert isinstance(made, Changes), made
    return made


def refused(text: str, new: str) -> str:
    found = scene(text)
    made = rename(found.snapshot, found.path, found.offset, new, found.paths)
    assert isinstance(made, Refusal), made
    return made.reason


def test_an_agent_is_renamed_wherever_it_is_meant() -> None:
    found = scene(AGENT)
    made = changes(found, "accounts")
    places = [(path, change.span) for path, edits in made.edits.items() for change in edits]
    assert found.names(places) == found.marks
    asked = [change.span for change in made.edits[found.path] if change.confirm == "In prose"]
    assert found.words((found.path, span) for span in asked) == ["root_agent.yaml: 'billing'"]


def test_a_state_key_is_renamed_in_all_that_share_it() -> None:
    found = scene(KEY)
    made = changes(found, "caller")
    places = [(path, change.span) for path, edits in made.edits.items() for change in edits]
    assert found.names(places) == found.marks
    assert {change.confirm for change in made.edits[f"{ROOT}/tools.py"]} == {"In Python source"}


def test_a_key_of_a_tree_that_shares_nothing_stays() -> None:
    text = "name: a\ninstruction: Hi {«k$0ey»?}.\n=== other.yaml\nname: b\ninstruction: Hi {key?}.\n"
    found = scene(text)
    places = [(path, change.span) for path, edits in changes(found, "new").edits.items() for change in edits]
    assert found.names(places) == found.marks


def test_what_is_selected() -> None:
    found = scene("name: a\ninstruction: Hi {user:la$0ng?}.\n")
    ready = prepare(found.snapshot, found.path, found.offset)
    assert isinstance(ready, Renamable) and ready.text == "lang"
    assert found.snapshot.source(found.path).text[ready.span] == "lang"  # type: ignore[union-attr]
    assert "Hi {user:tongue?}." in texts_after(found.snapshot, changes(found, "tongue"))[found.path]


@pytest.mark.parametrize("text", ["name: a\ninstruction: Some wo$0rds\n", "na$0me: a\n", "name: a\n# a$0\n"])
def test_nothing_to_rename(text: str) -> None:
    found = scene(text)
    assert prepare(found.snapshot, found.path, found.offset) is None
    assert "nothing here" in refused(text, "b")


SIBLINGS = "name: a\nsub_agents:\n  - name: b$0\n    description: B.\n  - name: c\n    description: C.\n"


@pytest.mark.parametrize(
    "text, new, reason",
    [
        (SIBLINGS, "c", "`c` is the name of another agent in the same tree, in root_agent.yaml"),
        (SIBLINGS, "a b", "no identifier"),
        (SIBLINGS, "user", "the person who talks"),
        (SIBLINGS, "on", "reads `on` as a boolean"),
        ("name: a\ninstruction: Transfer to `b`.\nsub_agents: [{name: x$0, description: X.}]\n", "b", "named already"),
        ("name: a\ninstruction: Hi {k$0} {other}.\n", "other", "there is a state key `other` already"),
        ("name: a\ninstruction: Hi {k$0}.\n", "a-b", "no name for a state key"),
        ("name: a\ninstruction: Hi {k$0}.\n", "1st", "no name for a state key"),
        ('name: a\ninstruction: "Hi {k} {\\x6B}."\nstate: {k$0: 1}\n', "b", "with escapes"),
        (
            "name: a\ninstruction: Hi {k$0}.\ntools: [{name: t.f}]\n"
            "=== t.py\nKEY = 'k'\ndef f(context): context.state[KEY] = 1\n",
            "b",
            "by another name in t.py, line 2",
        ),
        ("name: a\ntools: [{name: exit_$0loop}]\n", "b", "comes from its function"),
        ("name: a\ntools: [{name: t.f$0}]\n=== t.py\ndef f(): ...\n", "b", "rename it there"),
        ("name: a\ninstruction: Hi {artifact.x$0}.\n", "b", "a run makes"),
        ("name: a\ninstruction: Call transfer_to_agent('x$0').\n", "b", "no agent `x` is known here"),
        ("name: a\nsub_agents: [{config_path: x$0.yaml}]\n", "y.yaml", "there is no file"),
    ],
)
def test_refusals(text: str, new: str, reason: str) -> None:
    assert reason in refused(text, new)


def test_a_workflows_edges_follow() -> None:
    text = (
        "agent_class: Workflow\nname: w\nedges:\n  - [START, «first»]\n"
        "sub_agents:\n  - name: «fi$0rst»\n    description: F.\n"
    )
    found = scene(text)
    places = [(path, change.span) for path, edits in changes(found, "second").edits.items() for change in edits]
    assert found.names(places) == found.marks


def test_a_file_moves_and_its_references_follow() -> None:
    found = scene(
        "name: a\nsub_agents:\n  - config_path: sub/k$0id.yaml\n=== sub/kid.yaml\nname: kid\ndescription: K.\n"
        "sub_agents:\n  - config_path: deep/x.yaml\n=== sub/deep/x.yaml\nname: x\ndescription: X.\n"
    )
    made = changes(found, "child.agent.yaml")
    assert made.renamed == ((f"{ROOT}/sub/kid.yaml", f"{ROOT}/child.agent.yaml"),)
    after = texts_after(found.snapshot, made)
    assert "config_path: child.agent.yaml\n" in after[found.path]
    assert "config_path: sub/deep/x.yaml\n" in after[f"{ROOT}/child.agent.yaml"]
    tree = applied(found.snapshot, made).tree(found.path)
    assert tree is not None and [place.agent.name for place in tree] == ["a", "kid", "x"]
    there = "name: a\nsub_agents: [{config_path: k$0.yaml}]\n=== k.yaml\nname: k\n"
    assert "there is a file" in refused(there, "root_agent.yaml")
    assert "no name for a definition" in refused(there, "k.txt")


@settings(max_examples=25)
@given(st.sampled_from([(AGENT, "agent"), (KEY, "state")]), st.sampled_from(["\n", "\r\n"]), st.data())
def test_there_and_back_again(case: tuple[str, str], newline: str, data: st.DataObject) -> None:
    found = scene(case[0], newline)
    path = data.draw(st.sampled_from(sorted(found.marks)).filter(lambda name: name.endswith(".yaml")))
    span = data.draw(st.sampled_from(found.marks[path]))
    path = f"{ROOT}/{path}"
    new = data.draw(st.from_regex(r"[a-z]{1,8}_[a-z]{1,8}", fullmatch=True))
    made = rename(found.snapshot, path, span.start, new, found.paths)
    assert isinstance(made, Changes), made
    after = applied(found.snapshot, made)
    shift = sum(len(c.text) - (c.span.end - c.span.start) for c in made.edits[path] if c.span.start < span.start)
    back = rename(after, path, span.start + shift, found.text(path)[span.start : span.end], found.paths)
    assert isinstance(back, Changes), back
    restored = texts_after(after, back)
    assert restored == {other: found.text(other) for other in made.edits}
