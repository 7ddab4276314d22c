"""Code actions: what is offered at the cursor, and the texts that come of it."""

from __future__ import annotations

import pytest
from build import ROOT
from cursor import Scene, scene

from rolebook.project.files import MemoryFiles
from rolebook.project.snapshot import Snapshot
from rolebook.text import Edit, Span, apply
from rolebook_server.ide.actions import Action, actions, difference, resolve
from rolebook_server.ide.changes import Changes, Refusal, applied, texts_after
from rolebook_server.ide.compiled import compiled_at


def offered(found: Scene, *kinds: str) -> tuple[Action, ...]:
    return actions(found.snapshot, found.path, Span(found.offset, found.offset), kinds=kinds)


def titles(text: str, *kinds: str) -> list[str]:
    return [action.title for action in offered(scene(text), *kinds)]


def outcome(found: Scene, title: str, *kinds: str) -> Changes | Refusal:
    action = next(action for action in offered(found, *kinds) if action.title == title)
    return resolve(found.snapshot, found.path, action.span, action.id)


def done(text: str, title: str, *kinds: str, newline: str = "\n") -> str:
    """The scene after an action, in the form that `scene` reads; files that go are named so."""
    found = scene(text, newline)
    made = outcome(found, title, *kinds)
    assert isinstance(made, Changes), made
    after = applied(found.snapshot, made)
    names = [*found.paths, *made.created, *(new for _, new in made.renamed)]
    parts = []
    for path in dict.fromkeys(names):
        name = path.removeprefix(f"{ROOT}/")
        content = after.read(path)
        gone = path in made.deleted or path in dict(made.renamed)
        if isinstance(content, str) and not gone:
            parts.append(content if name == "root_agent.yaml" else f"=== {name}\n{content}")
    return "".join(parts)


# Fixes


def test_the_fix_of_a_rule() -> None:
    text = "name: a\n$0modle: gpt-5\n"
    action = offered(scene(text))[0]
    assert (action.title, action.kind, action.preferred) == ("Rename to `model`", "quickfix", True)
    assert action.problem is not None and action.problem.rule == "unknown-key"
    assert done(text, "Rename to `model`") == "name: a\nmodel: gpt-5\n"


def test_an_unsafe_fix_is_not_preferred() -> None:
    action = next(a for a in offered(scene("name: a\nmodel: gemni-2.5-f$0lash\n")) if a.title.startswith("Change"))
    assert not action.preferred


def test_all_safe_fixes_of_a_file() -> None:
    own = "name: a\nmodle: gpt-5$0\ninstruct: Hi\nsub_agents:\n  - config_path: b.yaml\n"
    text = f"{own}=== b.yaml\nname: b\nmodle: gpt-5\n"
    title = "Fix all that is safe to fix in this file"
    assert title not in titles(text)
    assert titles(text, "source.fixAll") == [title]
    after = done(text, title, "source.fixAll.rolebook")
    assert after.startswith("name: a\nmodel: gpt-5\ninstruction: Hi\n") and "name: b\nmodle:" in after


def test_a_rule_is_explained() -> None:
    action = next(a for a in offered(scene("name: a\nmo$0dle: gpt-5\n")) if a.explains)
    assert (action.title, action.explains) == ("Explain `unknown-key`", "unknown-key")


@pytest.mark.parametrize(
    "before, after",
    [
        ("name: a\nzz$0: 1\n", "name: a\nzz: 1  # rolebook: ignore[unknown-key]\n"),
        (
            "name: a\nzz$0: 1  # rolebook: ignore[wrong-type]\n",
            "name: a\nzz: 1  # rolebook: ignore[wrong-type, unknown-key]\n",
        ),
        ("name: a\nzz$0: '1\n  2'\n", "name: a\n# rolebook: ignore[unknown-key]\nzz: '1\n  2'\n"),
        (
            "name: a\ninstruction: |\n  Hi\n  {us$0er}\n",
            "name: a\n# rolebook: ignore[unresolved-placeholder]\ninstruction: |\n  Hi\n  {user}\n",
        ),
        (
            "name: a\nsub_agents:\n  - name: b\n    description: B\n    instruction: |\n      {us$0er}\n",
            "name: a\nsub_agents:\n  - name: b\n    description: B\n"
            "    # rolebook: ignore[unresolved-placeholder]\n    instruction: |\n      {user}\n",
        ),
        (
            "=== b.agent.md\n---\nagent_class: LlmAgent\nname: b\n---\nHi {us$0er}\n",
            "=== b.agent.md\n---\nagent_class: LlmAgent\nname: b\n# rolebook: ignore[unresolved-placeholder]\n---\n"
            "Hi {user}\n",
        ),
    ],
)
def test_a_problem_is_ignored_here(before: str, after: str) -> None:
    found = scene(before)
    title = next(action.title for action in offered(found) if action.title.startswith("Ignore"))
    if "wrong-type" in before:
        made = outcome(found, title)
        assert isinstance(made, Changes) and texts_after(found.snapshot, made)[found.path] == after
    else:
        assert done(before, title) == after


def test_what_ends_a_run_is_not_ignored() -> None:
    assert not any(
        title.startswith("Ignore") for title in titles("name: a\nsub_agents: [{config_path: gone$0.yaml}]\n")
    )


# Inline agents

INLINE = """\
name: top
model: gpt-5
sub_agents:
  # The one for bills.
  - name: bill$0ing
    description: Bills.
    # What it is told.
    instruction: |
      You bill {user}.

        Twice.
    tools:
      - name: tools.find  # looks up
    state:
      user: Ann
    # the end
  - name: other
    description: Others.
=== tools.py
def find(number: int): "Finds."
"""
OWN = """\
name: top
model: gpt-5
sub_agents:
  # The one for bills.
  - config_path: billing.yaml
  - name: other
    description: Others.
=== billing.yaml
name: billing
description: Bills.
# What it is told.
instruction: |
  You bill {user}.

    Twice.
tools:
  - name: tools.find  # looks up
state:
  user: Ann
# the end
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_inline_agent_to_its_own_file_and_back(newline: str) -> None:
    own = done(INLINE, "Move `billing` to `billing.yaml`", newline=newline)
    assert own.replace("\r\n", "\n") == OWN
    assert own.count("\r") == (0 if newline == "\n" else own.count("\n") - 1)
    python = INLINE[INLINE.index("=== tools.py") :]
    back = done(OWN.replace("config_path: b", "config_path: $0b") + python, "Write `billing.yaml` in here")
    assert back == INLINE.replace("$0", "").replace(python, "")


def test_an_agent_between_brackets() -> None:
    text = "name: a\nsub_agents: [{name: b$0, description: B.}, {name: c}]\n"
    assert done(text, "Move `b` to `b.yaml`") == (
        "name: a\nsub_agents: [{config_path: b.yaml}, {name: c}]\n=== b.yaml\n{name: b, description: B.}\n"
    )


def test_a_name_that_is_taken_gets_a_number() -> None:
    assert "Move `b` to `b_2.yaml`" in titles("name: a\nsub_agents: [{name: b$0}]\n=== b.yaml\nname: x\n")


def test_an_alias_stays_where_its_anchor_is() -> None:
    text = "name: a\ndescription: &d Does it.\nsub_agents:\n  - name: b$0\n    description: *d\n"
    assert isinstance(outcome(scene(text), "Move `b` to `b.yaml`"), Refusal)


def test_a_file_of_another_folder_keeps_what_it_names() -> None:
    text = (
        "name: a\nsub_agents:\n  - config_path: $0sub/b.yaml\n"
        "=== sub/b.yaml\n---\n# Says hi.\nname: b\ndescription: B.\ntools:\n  - name: tools.find\n"
        "sub_agents:\n  - config_path: deep/c.yaml\n=== sub/deep/c.yaml\nname: c\ndescription: C.\n"
        "=== sub/tools.py\ndef find(): 'Finds.'\n"
    )
    assert done(text, "Write `sub/b.yaml` in here") == (
        "name: a\nsub_agents:\n  - # Says hi.\n    name: b\n    description: B.\n    tools:\n"
        "      - name: sub.tools.find\n    sub_agents:\n      - config_path: sub/deep/c.yaml\n"
        "=== sub/deep/c.yaml\nname: c\ndescription: C.\n"
    )


def test_a_file_that_others_name_stays() -> None:
    text = (
        "name: a\nsub_agents:\n  - config_path: $0b.yaml\n=== b.yaml\nname: b\ndescription: B.\n"
        "=== other.yaml\nname: o\nsub_agents:\n  - config_path: b.yaml\n"
    )
    made = outcome(scene(text), "Write `b.yaml` in here")
    assert isinstance(made, Changes) and made.deleted == ()


def test_a_markdown_file_comes_in_with_its_body() -> None:
    text = (
        "name: a\nsub_agents:\n  - config_path: $0b.agent.md\n"
        "=== b.agent.md\n---\nname: b\ndescription: B.\n---\nHi {user?}.\n\n- one\n"
    )
    assert done(text, "Write `b.agent.md` in here") == (
        "name: a\nsub_agents:\n  - name: b\n    description: B.\n    instruction: |\n      Hi {user?}.\n\n      - one\n"
    )


# Placeholders


@pytest.mark.parametrize(
    "before, title, after",
    [
        ("name: a\ninstruction: Hi {us$0er}.\n", "Make `user` optional", "name: a\ninstruction: Hi {user?}.\n"),
        ("name: a\ninstruction: Hi {us$0er?}.\n", "Make `user` required", "name: a\ninstruction: Hi {user}.\n"),
        (
            "name: a\ninstruction: Hi {user_na$0me}.\n",
            "Declare `user_name` under `state`",
            'name: a\ninstruction: Hi {user_name}.\nstate:\n  user_name: "user name"\n',
        ),
        (
            "name: a\nstate:\n    x: 1 # one\n\ninstruction: Hi {k$0}.\n",
            "Declare `k` under `state`",
            "name: a\nstate:\n    x: 1 # one\n    k: k\n\ninstruction: Hi {k}.\n",
        ),
        (
            "name: a\nstate: {x: 1}\ninstruction: Hi {k$0}.\n",
            "Declare `k` under `state`",
            "name: a\nstate: {x: 1, k: k}\ninstruction: Hi {k}.\n",
        ),
        (
            "name: a\nsub_agents:\n  - name: b\n    description: B.\n    instruction: |\n      Hi {k$0}.\n",
            "Declare `k` under `state`",
            "name: a\nsub_agents:\n  - name: b\n    description: B.\n    instruction: |\n      Hi {k}.\n"
            "    state:\n      k: k\n",
        ),
        (
            "=== b.agent.md\n---\nagent_class: LlmAgent\nname: b\n---\nHi {k$0}\n",
            "Declare `k` under `state`",
            "=== b.agent.md\n---\nagent_class: LlmAgent\nname: b\nstate:\n  k: k\n---\nHi {k}\n",
        ),
        ("name: a\ninstruction: Hi <us$0er>.\n", "Write `{user}`", "name: a\ninstruction: Hi {user}.\n"),
        (
            "name: a\ninstruction: Hi {us$0er}, \\{x} {y?}.\nstate: {user: Ann}\n",
            "Write the placeholders of `a` as `<name>`",
            "name: a\ntemplate_syntax: angles\ninstruction: Hi <user>, {x} <y?>.\nstate: {user: Ann}\n",
        ),
        (
            "name: a\ntemplate_syntax: angles\ninstruction: Hi <us$0er>.\n",
            "Write the placeholders of `a` as `{name}`",
            "name: a\ntemplate_syntax: braces\ninstruction: Hi {user}.\n",
        ),
    ],
)
def test_placeholders(before: str, title: str, after: str) -> None:
    assert done(before, title) == after


def test_a_key_that_is_set_is_not_declared_again() -> None:
    assert not any(t.startswith("Declare") for t in titles("name: a\ninstruction: Hi {us$0er}.\nstate: {user: Ann}\n"))


def test_the_syntax_of_agents_below_is_not_changed_with_it() -> None:
    text = "name: a\ninstruction: Hi {x$0?}.\nsub_agents: [{name: b, description: B., instruction: 'Hi {y?}.'}]\n"
    assert isinstance(outcome(scene(text), "Write the placeholders of `a` as `<name>`"), Refusal)


# Texts


@pytest.mark.parametrize(
    "before, title, after",
    [
        ("name: a\ndescription: It do$0es.\n", "Quote the text", 'name: a\ndescription: "It does."\n'),
        (
            'name: a\ninstruction: "Hi,\\nyo$0u.\\n"\nmodel: x\n',
            "Write `instruction` as a block text",
            "name: a\ninstruction: |\n  Hi,\n  you.\nmodel: x\n",
        ),
        (
            "name: a\ninstruction: Hi,\n  yo$0u.  # all\n",
            "Write `instruction` as a block text",
            "name: a\ninstruction: |-\n  Hi, you.\n",
        ),
        (
            'name: a\ninstruction: "  Hi$0"\n',
            "Write `instruction` as a block text",
            "name: a\ninstruction: |2-\n    Hi\n",
        ),
        (
            "name: top\nsub_agents:\n  - config_path: a.yaml\n=== a.yaml\n# All of it.\nname: a\n"
            "instruction: |\n  Hi$0,\n  you.\ndescription: A.\n",
            "Turn this file into `a.agent.md`",
            "name: top\nsub_agents:\n  - config_path: a.agent.md\n"
            "=== a.agent.md\n---\n# All of it.\nname: a\ndescription: A.\n---\nHi,\nyou.\n",
        ),
        (
            "=== a.agent.yaml\nname: a\ninstruction: Hi$0.\n",
            "Turn this file into `a.agent.md`",
            "=== a.agent.md\n---\nagent_class: LlmAgent\nname: a\n---\nHi.",
        ),
    ],
)
def test_texts(before: str, title: str, after: str) -> None:
    if "# all" in before:
        assert isinstance(outcome(scene(before), title), Refusal | Changes)
    else:
        assert done(before, title) == after


def test_no_block_text_between_brackets() -> None:
    assert "Write `description` as a block text" not in titles("{name: a, description: 'It$0'}\n")


# All of them


def test_nothing_is_offered_for_what_is_no_definition() -> None:
    found = scene("name: a\n=== other.yaml\njobs: [b$0uild]\n")
    assert offered(found) == ()


def test_a_buffer_that_was_never_saved_makes_no_files() -> None:
    text = "agent_class: LlmAgent\nname: a\nsub_agents: [{name: b}]\n"
    path, span = "untitled:Untitled-1", Span(text.index("b}"), text.index("b}"))
    found = [action.id for action in actions(Snapshot(MemoryFiles({path: text}), ""), path, span)]
    assert "quote" in found and "move-out" not in found


def test_what_changed_since_is_refused() -> None:
    found = scene("name: a\nmo$0dle: gpt-5\n")
    assert isinstance(resolve(found.snapshot, found.path, Span(0, 0), "fix:gone"), Refusal)


def test_settings_are_fixed_but_not_refactored() -> None:
    assert titles('name: a\n=== rolebook.toml\nrun$0tme = "rolebook"\n') == ["Explain `wrong-config`"]


def test_the_difference_of_two_texts() -> None:
    old, new = "a\r\nb\nc\nd", "a\r\nx\ny\nc\ne"
    edits = [Edit(change.span, change.text) for change in difference(old, new)]
    assert apply(old, edits) == new and len(edits) == 2


def test_a_request_stays_as_it_was() -> None:
    """What `resolve` promises, seen from outside: both definitions compile to one request."""
    found = scene(INLINE)
    made = outcome(found, "Move `billing` to `billing.yaml`")
    assert isinstance(made, Changes)
    after = applied(found.snapshot, made)
    trees = found.snapshot.tree(found.path), after.tree(found.path)
    assert trees[0] is not None and trees[1] is not None
    requests = [
        [compiled_at(snapshot, tree, place).request for place in tree]
        for snapshot, tree in ((found.snapshot, trees[0]), (after, trees[1]))
    ]
    assert requests[0] == requests[1] and "Ann" in requests[0][1].instruction
