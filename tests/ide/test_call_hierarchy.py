"""Who hands over to whom, and where the definitions say so."""

from __future__ import annotations

from cursor import scene

from rolebook_server.ide.call_hierarchy import Call, incoming, outgoing, prepare

FILES = """\
name: desk
instruction: |
  Questions about money: transfer_to_agent("billing").
tools:
  - name: AgentTool
    args: {agent: {config_path: oracle.yaml}}
sub_agents:
  - config_path: billing.yaml
  - {name: flow, agent_class: SequentialAgent, sub_agents: [{name: one}, {name: two}]}
=== billing.yaml
name: billing
=== oracle.yaml
name: oracle
"""


def shown(calls: tuple[Call, ...], caller: str = "") -> dict[str, tuple[str, list[str]]]:
    """By the other agent: how it is called, and the words that say so in the caller's file (its own, or `caller`)."""
    text = scene(FILES)
    return {
        call.item.name: (
            ", ".join(call.how),
            [text.text(caller or call.item.path)[start:end] for start, end in call.spans],
        )
        for call in calls
    }


def at(word: str, name: str = "root_agent.yaml") -> tuple[str, int]:
    path = f"/agents/{name}"
    return path, scene(FILES).text(path).index(word) + 1


def test_an_agent_is_prepared_from_every_way_to_name_it() -> None:
    given = scene(FILES)
    for place in (at('billing")'), at("billing.yaml"), at("billing", "billing.yaml")):
        (item,) = prepare(given.snapshot, *place)
        assert (item.name, item.path) == ("billing", "/agents/billing.yaml")
        assert given.text(item.path)[item.selection.start : item.selection.end] == "billing"


def test_outgoing_calls() -> None:
    given = scene(FILES)
    assert shown(outgoing(given.snapshot, *at("desk")), given.path) == {
        "oracle": ("tool", ["oracle.yaml"]),
        "billing": ("transfer", ["billing", "billing.yaml"]),
        "flow": ("transfer", ["flow"]),
    }
    assert shown(outgoing(given.snapshot, *at("flow")), given.path) == {
        "one": ("step 1 of 2", ["one"]),
        "two": ("step 2 of 2", ["two"]),
    }


def test_incoming_calls() -> None:
    given = scene(FILES)
    assert shown(incoming(given.snapshot, *at("billing", "billing.yaml"))) == {
        "desk": ("transfer", ["billing", "billing.yaml"])
    }
    assert shown(incoming(given.snapshot, *at("oracle", "oracle.yaml"))) == {"desk": ("tool", ["oracle.yaml"])}
    assert shown(incoming(given.snapshot, *at("desk"))) == {"billing": ("transfer", ["billing"])}
    assert shown(incoming(given.snapshot, *at("two"))) == {"flow": ("step 2 of 2", ["two"])}


def test_nothing_where_no_agent_is_named() -> None:
    given = scene(FILES)
    place = at("Questions")
    assert prepare(given.snapshot, *place) == outgoing(given.snapshot, *place) == incoming(given.snapshot, *place) == ()
