"""What the providers demand of a conversation, each rule as its documentation or its error message has it.

- Gemini: "Please ensure that function call turn comes immediately after a user turn or after a function response turn",
  "the number of function response parts is equal to the number of function call parts of the function call turn",
  contents begin with the user (ai.google.dev/gemini-api/docs/function-calling, python-genai issues), and from Gemini 3
  on each turn's first call has a signature (gemini-api/docs/thought-signatures).
- Anthropic: "roles must alternate" and the first is the user's; "`tool_use` ids were found without `tool_result` blocks
  immediately after", results come first in their message, ids are unique, blank texts and empty contents are refused,
  the last block is no thinking, the conversation doesn't end with the assistant where prefill isn't supported
  (platform.claude.com/docs, agents-and-tools/tool-use/implement-tool-use and api/errors).
- OpenAI (docs/guides/function-calling): "An assistant message with 'tool_calls' must be followed by tool messages
  responding to each 'tool_call_id'", "messages with role 'tool' must be a response to a preceding message with
  'tool_calls'".
Read 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from rolebook import wire


def broken_rules(provider: wire.Provider, payload: dict[str, Any]) -> list[str]:
    """The rules of the provider that a body's conversation breaks."""
    match provider:
        case "gemini":
            return list(_gemini(payload["contents"]))
        case "anthropic":
            return list(_anthropic(payload["messages"]))
        case "openai":
            return list(_openai(payload["messages"]))


def _alternation(roles: list[str]) -> Iterator[str]:
    if roles[:1] != ["user"]:
        yield "the conversation doesn't begin with the user"
    if roles[-1:] != ["user"]:
        yield "the conversation doesn't end with the user"
    if any(one == next for one, next in pairwise(roles)):
        yield "two turns of one role follow each other"


def _gemini(contents: list[dict[str, Any]]) -> Iterator[str]:
    yield from _alternation([content["role"] for content in contents])
    for before, content in pairwise([{"role": "", "parts": []}, *contents]):
        called = [part["functionCall"] for part in before["parts"] if "functionCall" in part]
        given = [part["functionResponse"] for part in content["parts"] if "functionResponse" in part]
        if [(call["id"], call["name"]) for call in called] != [(back["id"], back["name"]) for back in given]:
            yield f"the responses {given} don't answer the calls {called}"
        if given and "functionResponse" not in content["parts"][0]:
            yield "a response doesn't stand first in its turn"
        if not content["parts"]:
            yield "a turn has no parts"
    if any("functionCall" in part for part in contents[-1]["parts"]):
        yield "a call at the end has no response"


def _anthropic(messages: list[dict[str, Any]]) -> Iterator[str]:
    yield from _alternation([message["role"] for message in messages])
    ids: list[str] = []
    for before, message in pairwise([{"role": "", "content": []}, *messages]):
        called = [block["id"] for block in before["content"] if block["type"] == "tool_use"]
        kinds = [block["type"] for block in message["content"]]
        given = [block["tool_use_id"] for block in message["content"] if block["type"] == "tool_result"]
        if sorted(called) != sorted(given):
            yield f"the results {given} don't answer the calls {called}"
        if "tool_result" in kinds[len(given) :]:
            yield "a result stands behind other content"
        if not kinds:
            yield "a message has no content"
        if kinds[-1:] in (["thinking"], ["redacted_thinking"]):
            yield "the last block is a thought"
        if any(block["type"] == "text" and not block["text"].strip() for block in message["content"]):
            yield "a text is blank"
        ids += called
    if len(set(ids)) != len(ids):
        yield "an id of a call is used twice"


def _openai(messages: list[dict[str, Any]]) -> Iterator[str]:
    open_ids: list[str] = []
    for number, message in enumerate(messages):
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_ids:
                yield f"the response {message['tool_call_id']} answers no call of the message before"
            else:
                open_ids.remove(message["tool_call_id"])
            continue
        if open_ids:
            yield f"the calls {open_ids} have no response right behind them"
        open_ids = [call["id"] for call in message.get("tool_calls", ())]
        if len(set(open_ids)) != len(open_ids):
            yield "an id is used twice in a message"
        if message["role"] == "system" and number:
            yield "a system message isn't the first"
        if not message.get("content") and not open_ids:
            yield "a message is empty"
    if open_ids:
        yield f"the calls {open_ids} have no response"
    if messages[-1]["role"] == "assistant":
        yield "the conversation ends with the assistant"
