"""What is proposed at the cursor."""

from __future__ import annotations

import pytest
from cursor import at_cursor, scene

from rolebook_server.ide.completion import Item, completion, resolve


def labels(text: str, **others: str) -> list[str]:
    return [item.label for item in completion(*at_cursor(text, **others))]


def applied(text: str, label: str, **others: str) -> str:
    """The text once the proposal with this label was taken."""
    snapshot, path, offset = at_cursor(text, **others)
    item: Item = next(item for item in completion(snapshot, path, offset) if item.label == label)
    source = text.replace("$0", "", 1)
    return source[: item.span.start] + item.text + source[item.span.end :]


def at(text: str) -> list[Item]:
    """The proposals in a scene of several files."""
    found = scene(text)
    return list(completion(found.snapshot, found.path, found.offset))


def test_keys_that_are_not_there_yet() -> None:
    found = labels("name: a\n$0\nmodel: x\n")
    assert "instruction" in found and "tools" in found
    assert "name" not in found and "model" not in found and "max_iterations" not in found


def test_keys_of_the_class() -> None:
    found = labels("agent_class: LoopAgent\nname: a\n$0\n")
    assert "max_iterations" in found and "instruction" not in found
    assert "agents" not in labels("agent_class: LoopAgent\nname: a\nagents: []\n$0\n")
    assert "sub_agents" not in labels("agent_class: LoopAgent\nname: a\nagents: []\n$0\n")


def test_a_half_typed_key_is_replaced() -> None:
    assert applied("name: a\ninstr$0\nmodel: x\n", "instruction") == "name: a\ninstruction: \nmodel: x\n"
    assert applied("name: a\nins$0tr: hi\n", "instruction") == "name: a\ninstruction: hi\n"


def test_keys_begin_what_their_value_is() -> None:
    assert applied("name: a\n$0", "tools") == "name: a\ntools:\n  - "
    assert applied("name: a\n$0", "state") == "name: a\nstate:\n  "
    assert applied("name: a\n$0", "output_key") == "name: a\noutput_key: "
    item = next(item for item in completion(*at_cursor("name: a\n$0")) if item.label == "instruction")
    assert (item.text, item.snippet) == ("instruction: ", "instruction: |\n  $0")
    inside = completion(*at_cursor("name: a\nsub_agents:\n  - name: b\n    $0\n"))
    tools = next(item for item in inside if item.label == "tools")
    assert (tools.text, tools.snippet) == ("tools:\n      - ", "tools:\n  - $0")
    first = next(item for item in completion(*at_cursor("name: a\ntools:\n  $0")) if item.label == "declared tool")
    assert first.snippet.startswith("- name: ${1:find_order}\n  description:")


def test_keys_deep_inside() -> None:
    assert "args" in labels("name: a\ntools:\n  - name: x\n    $0\n")
    assert "strategy" in labels("name: a\ncontext_compressor:\n  $0\n")
    assert "temperature" in labels("name: a\ngenerate_content_config:\n  top_p: 1\n  $0\nmodel: x\n")
    assert "config_path" in labels("name: a\nsub_agents:\n  - $0\n")
    assert "thinking_budget" in labels("name: a\ngenerate_content_config:\n  thinking_config:\n    $0\n")


def test_keys_in_brackets() -> None:
    assert applied("name: a\ntools: [{name: x, ar$0}]\n", "args") == "name: a\ntools: [{name: x, args: }]\n"
    assert labels("name: a\nsub_agents: [{config_path: x.yaml, $0}]\n") == []
    assert labels("name: a\ninclude_contents: $0\n") == ["default", "none"]
    assert labels("name: a\ngenerate_content_config: {response_logprobs: $0}\n") == ["true", "false"]


def test_keys_that_make_no_sense_beside_others() -> None:
    assert "model_code" not in labels("name: a\nmodel: x\n$0\n")
    assert "code" not in labels("name: a\nsub_agents:\n  - config_path: x.yaml\n    $0\n")
    found = labels("name: a\ncontext_compressor:\n  strategy: truncate\n  $0\n")
    assert found == ["max_messages", "threshold"]
    budget = "name: a\ncontext_compressor:\n  - strategy: token_budget\n    tokenizer: model\n    $0\n"
    assert labels(budget) == ["keep_recent", "token_budget", "threshold"]
    assert "system_instruction" not in labels("name: a\ngenerate_content_config:\n  $0\n")
    assert "top_p" not in labels("name: a\ngenerate_content_config:\n  topP: 1\n  $0\n")


def test_keys_of_an_inline_agent() -> None:
    found = labels("name: a\nsub_agents:\n  - name: b\n    $0\n    model: x\n")
    assert "instruction" in found and "model" not in found
    assert "max_iterations" in labels("name: a\nsub_agents:\n  - agent_class: LoopAgent\n    $0\n")


def test_a_new_item_gets_its_dash() -> None:
    text = "name: a\ntools:\n  - name: exit_loop\n  $0\n"
    assert applied(text, "load_memory").splitlines()[3] == "  - name: load_memory"
    assert applied("name: a\ntools:\n  $0\n", "exit_loop").splitlines()[2] == "  - name: exit_loop"
    before = "name: a\ntools:\n  $0\n  - name: exit_loop\n"
    assert applied(before, "load_memory").splitlines()[2] == "  - name: load_memory"


def test_values() -> None:
    assert labels("name: a\ninclude_contents: $0\n") == ["default", "none"]
    assert applied("name: a\ninclude_contents: no$0ne\n", "default") == "name: a\ninclude_contents: default\n"
    assert applied("name: a\ninclude_contents:$0\n", "none") == "name: a\ninclude_contents: none\n"
    assert applied('name: a\ninclude_contents: "$0"\n', "none") == 'name: a\ninclude_contents: "none"\n'
    assert applied('name: a\ninclude_contents: "n$0\n', "none") == 'name: a\ninclude_contents: "none"\n'
    assert labels("name: a\ndisallow_transfer_to_parent: t$0\n") == ["true", "false"]
    assert "LoopAgent" in labels("agent_class: $0\nname: a\n")
    assert labels("name: a\nstate:\n  x: {type: $0}\n") == [
        "string", "number", "integer", "boolean", "array", "object",
    ]  # fmt: skip


def test_a_comment_behind_a_value_stays() -> None:
    text = "name: a\ninclude_contents: d$0 # as always\n"
    assert applied(text, "none") == "name: a\ninclude_contents: none # as always\n"
    assert (
        applied("name: a\ninclude_contents: $0# as always\n", "none") == "name: a\ninclude_contents: none # as always\n"
    )
    assert applied("name: a\nmodel: gpt$0#5\n", "gpt-5") == "name: a\nmodel: gpt-5\n"
    assert labels("name: a\n$0# a remark\n") == []


def test_json_schemas() -> None:
    text = "name: a\noutput_schema:\n  type: object\n  properties:\n    x:\n      type: string\n      $0\n"
    assert "maxLength" in labels(text) and "items" not in labels(text)
    assert "integer" in labels("name: a\noutput_schema:\n  properties:\n    x: {type: $0}\n")
    assert labels("name: a\noutput_schema:\n  properties:\n    $0\n") == []


def test_models() -> None:
    items = {item.label: item for item in completion(*at_cursor("name: a\nmodel: $0\n"))}
    assert items["gemini-2.5-flash"].detail == "1,048,576 tokens"
    assert "gemini-1.5-pro" not in items, "turned off"
    snapshot, path, _ = at_cursor("name: a\nmodel: $0\n")
    assert "Prompt: up to 1,048,576 tokens" in resolve(snapshot, path, items["gemini-2.5-flash"].id)


def test_files() -> None:
    text = "name: a\nsub_agents:\n  - config_path: k$0\n"
    assert labels(text, kid="name: kid", other="name: o") == ["kid.yaml", "other.yaml"]
    assert labels("name: a\nsub_agents:\n  - config_path: kid.yaml\n  - config_path: $0\n", kid="name: kid") == []
    assert labels(text, kid="- a list", other="") == []
    snapshot, path, _ = at_cursor(text, kid="name: kid\ndescription: Small.")
    assert resolve(snapshot, path, "file:kid.yaml") == "**kid** · LlmAgent\n\nSmall."


def test_files_of_which_this_one_is_a_part_are_left_out() -> None:
    found = at("name: top\nsub_agents:\n  - config_path: kid.yaml\n=== kid.yaml\nname: kid\nsub_agents:\n  - $0\n")
    assert not any(item.kind == "file" for item in found)


def test_the_agents_own_name_comes_from_its_file() -> None:
    assert [item.label for item in at("name: a\n=== billing.agent.yaml\nname: $0\n")] == ["billing"]
    assert labels("name: $0\n") == ["agents"], "the folder's name"


PYTHON = '''\
=== tools.py
LIMIT = 3
class Answer: ...
def find(city: str, context, days: int = 1) -> dict:
    """Finds the weather.

    Args:
        city: Where.
    """
def _own(): ...
'''


def test_functions_as_tools() -> None:
    found = {item.label: item for item in at(f"name: a\ntools:\n  - name: $0\n{PYTHON}")}
    assert list(found) == ["exit_loop", "load_memory", "tools.find"]
    assert found["tools.find"].detail == "(city, days)"
    there = scene(f"name: a\ntools:\n  - name: $0\n{PYTHON}")
    assert resolve(there.snapshot, there.path, "python:tools.find") == (
        "**find**\n\nFinds the weather.\n\n- `city`: Where.\n- `days`"
    )
    assert "exit_loop" not in {item.label for item in at(f"name: a\ntools:\n  - name: exit_loop\n  - $0\n{PYTHON}")}


@pytest.mark.parametrize(
    "text, expected",
    [
        ("name: a\nbefore_agent_callbacks:\n  - name: $0\n", ["tools.find"]),
        ("name: a\ninstruction: {function: $0}\n", ["tools.find"]),
        ("name: a\noutput_schema:\n  name: $0\n", ["tools.Answer"]),
        ("name: a\nmodel_code:\n  name: $0\n", ["tools.LIMIT"]),
    ],
)
def test_dotted_names(text: str, expected: list[str]) -> None:
    assert [item.label for item in at(text + PYTHON)] == expected


def test_rehearsals() -> None:
    tools = f"name: a\ntools:\n  - name: tools.find\nrehearsal:\n  - call:\n      $0\n{PYTHON}"
    assert [item.label for item in at(tools)] == ["find"]
    arguments = f"name: a\ntools:\n  - name: tools.find\nrehearsal:\n  - call: {{find: {{$0}}}}\n{PYTHON}"
    assert [item.label for item in at(arguments)] == ["city", "days"]
    assert labels("name: a\nsub_agents: [{name: b}]\nrehearsal:\n  - transfer: $0\n") == ["b"]
    assert labels("name: a\nstate: {x: 1}\nrehearsal:\n  - say: Hi {$0\n") == ["x", "input", "result"]
    assert labels("name: a\nrehearsal:\n  - on: x\n    $0\n") == ["call", "say", "transfer"]
    assert labels("name: a\nrehearsal:\n  - say: x\n    $0\n") == ["on"]


def test_placeholders() -> None:
    text = "name: a\ninstruction: |\n  Hi {us$0\nstate: {user_name: Ann, plan: x}\n"
    assert labels(text) == ["user_name", "plan"]
    assert applied(text, "user_name").splitlines()[2] == "  Hi {user_name}"
    closed = "name: a\ninstruction: |\n  Hi {us$0er}, hi\nstate: {user_name: Ann}\n"
    assert applied(closed, "user_name").splitlines()[2] == "  Hi {user_name}, hi"
    assert labels('name: a\ninstruction: "Hi {$0\nstate: {x: 1}\n') == ["x"], "in an open quote"
    assert labels("name: a\ninstruction: |\n  Hi \\{$0\nstate: {x: 1}\n") == []


def test_placeholders_between_angles() -> None:
    text = "name: a\ntemplate_syntax: angles\ninstruction: |\n  Hi <us$0\nstate: {user_name: Ann}\n"
    assert applied(text, "user_name").splitlines()[3] == "  Hi <user_name>"
    assert labels(text.replace("<us", "{us")) == []


def test_placeholders_that_are_set_too_late_are_optional() -> None:
    text = (
        "agent_class: SequentialAgent\nname: a\nsub_agents:\n  - name: b\n    instruction: $1\n    output_key: first\n"
        "  - name: c\n    instruction: $2\n    output_key: second\n"
    )
    assert labels(text.replace("$1", "Hi {$0").replace("$2", "Hi")) == ["first?", "second?"]
    assert labels(text.replace("$2", "Hi {$0").replace("$1", "Hi")) == ["first", "second?"]


def test_an_optional_placeholder_keeps_its_mark() -> None:
    text = "name: a\ninstruction: Hi {$0\nsub_agents:\n  - name: b\n    output_key: found\n"
    assert labels(text) == ["found?"]
    assert applied(text, "found?").splitlines()[1] == "instruction: Hi {found?}"


def test_state_keys_that_nothing_sets() -> None:
    text = "name: a\ninstruction: Hi {user}, {plan?} {artifact.x}.\n"
    assert labels(f"{text}state:\n  $0\n") == ["user", "plan"]
    assert labels(f"{text}output_key: $0\n") == ["user", "plan"]


def test_transfer_targets() -> None:
    text = 'name: a\ninstruction: call transfer_to_agent("$0\nsub_agents:\n  - name: b\n  - name: c\n'
    assert labels(text) == ["b", "c"]
    assert applied(text, "b").splitlines()[1] == 'instruction: call transfer_to_agent("b"'
    quoted = "name: a\ninstruction: |\n  Transfer bills to `b$0` now.\nsub_agents:\n  - name: bills\n"
    assert applied(quoted, "bills").splitlines()[2] == "  Transfer bills to `bills` now."
    assert labels("name: a\ninstruction: |\n  A word in `$0\nsub_agents:\n  - name: b\n") == []


def test_rules_in_comments() -> None:
    assert labels("name: a\nmodle: x  # rolebook: ignore[$0]\n") == ["unknown-key"]
    assert applied("name: a\nmodle: x  # rolebook: ignore[unk$0\n", "unknown-key").endswith("ignore[unknown-key]\n")
    assert labels("name: a\n# $0\nmodle: x\n") == ["rolebook: ignore[unknown-key]"]
    assert labels("name: a\nmodel: x # rolebook: ignore[$0]\n") == [], "nothing is found there"


def test_ready_made_entries() -> None:
    assert labels("$0")[-4:] == ["agent", "sequential agent", "parallel agent", "loop agent"]
    assert applied("$0", "agent") == (
        "name: assistant\ndescription: What others should know of it.\ninstruction: |\n  You help the user."
    )
    text = "name: a\nsub_agents:\n  - $0\n"
    assert applied(text, "loop agent").splitlines()[3:5] == ["    name: refiner", "    max_iterations: 3"]
    item = next(item for item in completion(*at_cursor(text)) if item.label == "loop agent")
    assert "\n  max_iterations: ${2:3}\n" in item.snippet, "clients add the indent of the line"
    assert "summarize" in labels("name: a\ncontext_compressor:\n  - $0\n")
    assert "on … say" in labels("name: a\nrehearsal:\n  - $0\n")
    crlf = applied("name: a\r\nsub_agents:\r\n  - $0\r\n", "agent")
    assert crlf.count("\n") == crlf.count("\r\n")


def test_markdown_definitions() -> None:
    (item,) = at("=== new.agent.md\n$0")
    assert item.text.startswith("---\nagent_class: LlmAgent\nname: assistant\n")
    front = "=== b.agent.md\n---\nagent_class: LlmAgent\nname: b\nstate: {user: Ann}\n"
    assert "model" in [found.label for found in at(f"{front}$0\n---\nHi\n")]
    assert [found.label for found in at(f"{front}---\nHi {{us$0\n")] == ["user"]
    assert at(f"{front}---\nna$0\n") == []


def test_edges() -> None:
    text = "agent_class: Workflow\nname: w\nedges:\n  - [$0]\nsub_agents: [{name: k}]\n=== b.yaml\nname: b\n"
    assert [item.label for item in at(text)] == ["START", "b.yaml", "k"]


def test_a_configuration() -> None:
    def config(text: str) -> list[str]:
        return [item.label for item in at(f"name: a\n=== rolebook.toml\n{text}")]

    assert config("$0") == ["runtime", "template_syntax"]
    assert config('runtime = "rolebook"\n$0') == ["template_syntax"]
    assert config("runtime = $0") == ["rolebook", "adk-python"]
    assert config("[$0]") == ["state", "rules", "tokens", "models.NAME", "run"]
    assert "missing-file" in config("[rules]\n$0")
    assert config("[rules]\nunknown-key = '$0'")[:2] == ["off", "error"]
    assert "off" not in config("[rules]\nmissing-file = '$0'"), "a run ends at it all the same"
    assert config('[models."x"]\nprovider = "$0') == ["gemini", "anthropic", "openai"]
    assert config("[tokens]\nbudget = 3\n$0") == ["static_budget"]


def test_the_settings_are_those_that_are_read() -> None:
    from rolebook.project import config
    from rolebook_server.ide.completions.config import SETTINGS, TABLES

    assert {*SETTINGS[""], *TABLES} == set(config._TOP)
    assert (set(SETTINGS["run"]), set(SETTINGS["models"])) == (set(config._RUN), set(config._MODEL))


def test_nothing_in_the_middle_of_a_text() -> None:
    assert labels("name: a\ninstruction: |\n  Some wo$0rds\n") == []
    assert labels("# com$0ment\nname: a\n") == []
    assert labels("name: a\ninstruction: |\n  Some words\n  na$0\n") == []
