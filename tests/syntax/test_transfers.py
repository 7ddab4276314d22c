"""Which names a text hands over to: a table of texts, and nothing for hostile ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolebook.syntax.transfers import mentions

CALLS = {
    'call transfer_to_agent("x").': "x",
    "transfer_to_agent(agent_name='x')": "x",
    "transfer_to_agent(agent_name: `x`)": "x",
    'transfer_to_agent(\n  agent_name="x"\n)': "x",
    'transfer_to_agent(agent_name="x", note="y")': "x",
    '{"name": "transfer_to_agent", "args": {"agent_name": "x"}}': "x",
    'transfer_to_agent({"agent_name": "x"})': "x",
    'transfer_to_agent("Two Words")': "Two Words",
    "transfer_to_agent(x)": "x",
    'Use `transfer_to_agent` with agent_name "x".': "x",
    "Use the transfer_to_agent tool with `x`": "x",
    'Überweise nichts. Rufe transfer_to_agent("x") auf.': "x",
    "Tools: `transfer_to_agent`, `get_weather`": "",
    "`transfer_to_agent()` and `get_weather` are tools": "",
    "Use `transfer_to_agent` to return control to your parent agent": "",
    'transfer_to_agent("{next}"), transfer_to_agent("<agent>"), transfer_to_agent("…")': "",
    'Never call transfer_to_agent("x").': "",
    "Call transfer_to_agent. The agent `x` waits.": "",
}
PROSE = {
    "Transfer to `a`, `b` or the `c` agent.": "a, b, c",
    "Route requests to weather or news agents.": "weather, news",
    "Delegate code to the code_tutor and mathematics to the math_tutor.": "code_tutor, math_tutor",
    "Hand the user over to the “refunds” agent.": "refunds",
    "Hand off to **desk_2**": "desk_2",
    "Send the user to `x`.": "x",
    "Redirecting the caller to the agent named billing": "billing",
    "It should be routed to `x`.": "x",
    "- Delegates to `x`": "x",
    "Do not answer yourself, transfer to `x`": "x",
    "Pass it on to `x` and tell `y`": "x",
    "Transfer the money to support.": "",
    'Transfer the money to "support".': "",
    "Send an email to `support`.": "",
    "Pass `order_id` to `look_up`.": "",
    "Pass the result to prime_agent": "",
    "Hand over to `x` and report to `y`": "x",
    "Escalate to the `billing` team.": "",
    "Never transfer to `x`. Don't hand off to 'x'.": "",
    "The boss escalates to `x`. She was transferred to `x`.": "",
    "Answer, then transfer. Back to `x`": "",
    "delegate the chapter to the right sub-agent within `phase`": "",
    "Transfer it to Billing.": "",
}


@pytest.mark.parametrize("text", [*CALLS, *PROSE])
def test_names_of_targets(text: str) -> None:
    names = [mention.name for mention in mentions(text)]
    assert ", ".join(names) == {**CALLS, **PROSE}[text]


@given(st.text("transfer_to_agent(\"`'x){}:, \n.-*", max_size=60))
def test_spans_hold_the_names(text: str) -> None:
    for mention in mentions(f"transfer to {text}"):
        assert f"transfer to {text}"[mention.start : mention.end] == mention.name


@pytest.mark.parametrize("piece", ["transfer ", "transfer to a, ", "transfer_to_agent(", '"a', "\n \n", "`a`, ", "a-"])
def test_long_texts_are_read_through(piece: str) -> None:
    assert len(mentions(piece * 20_000)) <= 20_000
