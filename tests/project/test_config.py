"""`rolebook.toml` and `[tool.rolebook]`: what they change, and what is said about mistakes in them."""

from __future__ import annotations

import pytest
from build import ROOT, snapshot

from rolebook.problem import Severity
from rolebook.project.config import Model, read_config
from rolebook.project.files import Content, Unreadable
from rolebook.project.snapshot import Snapshot
from rolebook.project.state import initial_state
from rolebook.rules import check_file

WHOLE = """\
runtime = "adk-python"
template_syntax = "angles"

[state]
user = "Ann"
since = 2024-01-31

[rules]
unknown-key = "off"
escaping-path = "error"

[tokens]
budget = 1000

[models."ollama/llama3.2"]
context_window = 8192

[run]
max_model_calls = 5
instruction_errors = "stop"
"""


def test_a_whole_file() -> None:
    config = read_config("/w/rolebook.toml", WHOLE)
    assert config is not None and config.findings == ()
    assert (config.runtime, config.template_syntax, config.token_budget) == ("adk-python", "angles", 1000)
    assert config.state == {"user": "Ann", "since": "2024-01-31"}
    assert config.rules == {"unknown-key": None, "escaping-path": Severity.ERROR}
    assert config.models == {"ollama/llama3.2": Model(context_window=8192)}
    assert config.run == {"max_model_calls": 5, "instruction_errors": "stop"}


MISTAKES = [
    ('«runtime» = "adk"', "`runtime` is one of `rolebook`, `adk-python`"),
    ("«colour» = 1", "`colour` is no setting"),
    ('«runtim» = "rolebook"', "did you mean `runtime`?"),
    ("«state» = 1", "`state` is a table"),
    ('[rules]\n«unknown-key» = "loud"', "`unknown-key` is set to one of `off`"),
    ("[tokens]\n«budget» = 0", "`budget` is a whole number of tokens"),
    ('[models."a/b"]\n«context_window» = "x"', "`context_window` is a whole number"),
    ('[models.x]\nbase_url = "http://u"\n«size» = 1', "`models.x.size` is no setting"),
    ('[models.x]\n«tokenizer» = "gemma9"', "`tokenizer` is one of `gemma2`, "),
    ('[models.x]\n«provider» = "ollama"', "`provider` is one of `gemini`, `anthropic`, `openai`"),
    ("[models.x]\n«context_window» = 0", "`context_window` is a whole number from 1"),
    ('[models.x]\n«base_url» = "localhost:8000"', "`base_url` is the address of a server"),
    ('[models.x]\n«base_url» = "file:///etc/passwd"', "`base_url` is the address of a server"),
    ('[models.x]\n«base_url» = "https://ann:hunter22@x/v1"', "`base_url` is an address without user and password"),
    ("[run]\n«max_model_calls» = true", "`max_model_calls` is a whole number from 1"),
    ("[run]\n«modle» = 1", "did you mean `model`?"),
    ("a = «=»", "this is no TOML"),
    ('a = "x«\n»', "this is no TOML"),
]


@pytest.mark.parametrize(("text", "message"), MISTAKES)
def test_a_mistake_has_its_place(text: str, message: str) -> None:
    start, end = text.index("«"), text.index("»") - 1
    config = read_config("/w/rolebook.toml", text.replace("«", "").replace("»", ""))
    assert config is not None
    (finding,) = config.findings
    assert finding.span == (start, end)
    assert message in finding.message and "hunter22" not in finding.message


def test_pyproject_has_a_table_of_its_own() -> None:
    text = '[project]\nname = "x"\n[tool.rolebook]\ntemplate_syntax = "angles"\n[tool.rolebook.run]\nmodle = 1\n'
    config = read_config("/w/pyproject.toml", text)
    assert config is not None and config.template_syntax == "angles"
    assert [text[slice(*finding.span)] for finding in config.findings] == ["modle"]
    assert read_config("/w/pyproject.toml", "[project]\nname = 1\n") is None


FILES = {
    "rolebook.toml": 'template_syntax = "angles"\n[state]\nuser = "Ann"\n[rules]\nunknown-key = "hint"\n',
    "root_agent.yaml": "name: a\ninstrutcion: x\ninstruction: Hi <user> and <plan>\nstate: {plan: gold}\n",
    "deep/rolebook.toml": "",
    "deep/root_agent.yaml": "name: a\ninstruction: Hi {user}\n",
}


def test_settings_hold_for_the_files_below() -> None:
    made = snapshot(FILES)
    problems = check_file(made, f"{ROOT}/root_agent.yaml")
    assert [(problem.rule, problem.severity) for problem in problems] == [("unknown-key", Severity.HINT)]
    tree = made.tree(f"{ROOT}/root_agent.yaml")
    assert tree is not None
    assert initial_state(tree, samples=True) == {"plan": "gold", "user": "Ann"}
    assert initial_state(tree, samples=False) == {}


def test_the_nearest_file_wins_whole() -> None:
    problems = check_file(snapshot(FILES), f"{ROOT}/deep/root_agent.yaml")
    assert [problem.rule for problem in problems] == ["unresolved-placeholder"]


def test_mistakes_are_problems_of_the_file_itself() -> None:
    made = snapshot({"rolebook.toml": '[rules]\nunknwon-key = "off"\n', "root_agent.yaml": "name: a"})
    (problem,) = check_file(made, f"{ROOT}/rolebook.toml")
    assert problem.message == "there is no rule `unknwon-key`; did you mean `unknown-key`?"


def test_what_every_run_needs_can_be_off_for_check_only() -> None:
    made = snapshot({"rolebook.toml": '[rules]\nsyntax-error = "off"\nunknown-key = "off"\nmissing-key = "info"\n'})
    (problem,) = check_file(made, f"{ROOT}/rolebook.toml")
    assert (problem.severity, problem.span) == (Severity.WARNING, (8, 20))
    assert problem.message.startswith("`syntax-error` can be off for `check` only")


class Locked:
    """Files of which one can't be read."""

    def read(self, path: str) -> Content:
        if path == f"{ROOT}/deep/rolebook.toml":
            return Unreadable("Permission denied")
        return '[rules]\nunknown-key = "off"\n' if path == f"{ROOT}/rolebook.toml" else None

    def names(self, folder: str) -> tuple[str, ...]:  # noqa: ARG002
        return ()


def test_settings_that_cannot_be_read_are_told_and_hold_instead_of_those_above() -> None:
    made = Snapshot(Locked(), ROOT)
    config = made.config(f"{ROOT}/deep/root_agent.yaml")
    assert (config.path, dict(config.rules)) == (f"{ROOT}/deep/rolebook.toml", {})
    (problem,) = check_file(made, config.path)
    assert (problem.rule, problem.message) == ("unreadable-file", "this file can't be read: Permission denied")
