"""What is coloured, and as what."""

from __future__ import annotations

from cursor import scene

from rolebook_server.ide.semantic_tokens import MODIFIERS, TYPES, semantic_tokens


def colours(text: str) -> list[str]:
    """The tokens that aren't plain keys, as `text: type modifiers`."""
    given = scene(text)
    whole = given.text(given.path)
    found = semantic_tokens(given.snapshot, given.path)
    assert {token.type for token in found} <= set(TYPES)
    assert {modifier for token in found for modifier in token.modifiers} <= set(MODIFIERS)
    return [
        f"{whole[token.span.start : token.span.end]}: {' '.join((token.type, *token.modifiers))}"
        for token in found
        if (token.type, token.modifiers) != ("property", ())
    ]


def test_placeholders() -> None:
    text = "{k?} {user:lang} \\{no} { k } { x } [0-9]{3} {artifact.f.md}"
    assert colours(f"name: a\ninstruction: '{text}'\nstate: {{k: 1}}\n") == [
        "a: class declaration",
        "{: operator", "k: variable", "?: operator optional", "}: operator",
        "{: operator", "user: namespace", "lang: variable unknown", "}: operator",
        "\\{no}: string escaped",
        "{ k }: variable unknown",
        "{: operator", "artifact: namespace", "f.md: parameter", "}: operator",
        "k: property declaration",
    ]  # fmt: skip


def test_agents_in_texts() -> None:
    told = 'transfer_to_agent("b"), transfer_to_agent("c"), hand over to `d`.'
    text = f"name: a\ninstruction: {told}\nsub_agents: [{{name: b}}]\n"
    assert colours(text) == [
        "a: class declaration",
        "b: class",
        "c: class unknown",
        "b: class declaration",
    ]


def test_keys_values_tools_files_and_rules() -> None:
    assert colours(
        """\
agent_class: LoopAgent
name: a
instruction: x  # rolebook: ignore[misplaced-key, nonsense]
sub_agents:
  - config_path: kid.yaml
  - name: b
    model: gemini-2.0-flash
    include_contents: none
    static_instruction: x
    output_key: k
    tools: [{name: exit_loop}, {name: m.f}]
"""
    ) == [
        "LoopAgent: type defaultLibrary",
        "a: class declaration",
        "instruction: property deprecated",
        "misplaced-key: decorator",
        "nonsense: decorator unknown",
        "kid.yaml: namespace",
        "b: class declaration",
        "gemini-2.0-flash: enumMember deprecated",
        "none: enumMember",
        "static_instruction: property static",
        "k: variable modification",
        "exit_loop: function defaultLibrary",
        "m.f: function",
    ]


def test_tokens_never_overlap() -> None:
    assert colours("name: a\ninstruction: 'x {{k}}'\nstate: {k: 1}\n")[1:] == [
        "{{k}}: variable unknown",
        "k: property declaration",
    ]
