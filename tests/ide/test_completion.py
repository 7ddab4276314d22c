"""What is proposed at the cursor."""

from __future__ import annotations

from cursor import at_cursor

from rolebook_server.ide.completion import Item, completion


def labels(text: str, **others: str) -> list[str]:
    return [item.label for item in completion(*at_cursor(text, **others))]


def applied(text: str, label: str, **others: str) -> str:
    """The text once the proposal with this label was taken."""
    snapshot, path, offset = at_cursor(text, **others)
    item: Item = next(item for item in completion(snapshot, path, offset) if item.label == label)
    source = text.replace("$0", "", 1)
    return source[: item.span.start] + item.text + source[item.span.end :]


def test_keys_that_are_not_there_yet() -> None:
    found = labels("name: a\n$0\nmodel: x\n")
    assert "instruction" in found and "tools" in found
    assert "name" not in found and "model" not in found and "max_iterations" not in found


def test_keys_of_the_class() -> None:
    found = labels("agent_class: LoopAgent\nname: a\n$0\n")
    assert "max_iterations" in found and "instruction" not in found


def test_a_half_typed_key_is_replaced() -> None:
    assert applied("name: a\ninstr$0\nmodel: x\n", "instruction") == "name: a\ninstruction: \nmodel: x\n"
    assert applied("name: a\nins$0tr: hi\n", "instruction") == "name: a\ninstruction: hi\n"


def test_keys_deep_inside() -> None:
    assert "args" in labels("name: a\ntools:\n  - name: x\n    $0\n")
    assert "strategy" in labels("name: a\ncontext_compressor:\n  $0\n")
    assert "temperature" in labels("name: a\ngenerate_content_config:\n  top_p: 1\n  $0\nmodel: x\n")
    assert "config_path" in labels("name: a\nsub_agents:\n  - $0\n")


def test_keys_of_an_inline_agent() -> None:
    found = labels("name: a\nsub_agents:\n  - name: b\n    $0\n    model: x\n")
    assert "instruction" in found and "model" not in found


def test_values() -> None:
    assert labels("name: a\ninclude_contents: $0\n") == ["default", "none"]
    assert applied("name: a\ninclude_contents: no$0ne\n", "default") == "name: a\ninclude_contents: default\n"
    assert labels("name: a\ndisallow_transfer_to_parent: t$0\n") == ["true", "false"]
    assert "LoopAgent" in labels("agent_class: $0\nname: a\n")


def test_files() -> None:
    text = "name: a\nsub_agents:\n  - config_path: k$0\n"
    assert labels(text, kid="name: kid", other="name: o") == ["kid.yaml", "other.yaml"]


def test_placeholders() -> None:
    text = "name: a\ninstruction: |\n  Hi {us$0\nstate: {user_name: Ann, plan: x}\n"
    assert labels(text) == ["user_name", "plan"]
    assert applied(text, "user_name").splitlines()[2] == "  Hi {user_name}"


def test_transfer_targets() -> None:
    text = 'name: a\ninstruction: call transfer_to_agent("$0\nsub_agents:\n  - name: b\n  - name: c\n'
    assert labels(text) == ["b", "c"]


def test_nothing_in_the_middle_of_a_text() -> None:
    assert labels("name: a\ninstruction: |\n  Some wo$0rds\n") == []
    assert labels("# com$0ment\nname: a\n") == []
