"""Ready-made entries: agents, tools, compressors, steps of a rehearsal, entries of state.

A template is written with the tab stops of LSP's snippets, `${1:shown}`; a client without them gets what is shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from rolebook.record import Record

_STOP = re.compile(r"\$\{\d+:([^}]*)\}|\$\d+")


class Template(Record):
    """One entry, its lines below each other as they stand at the left margin."""

    label: str
    text: str
    documentation: str


_AGENTS = (
    Template(
        "agent",
        "name: ${1:assistant}\ndescription: ${2:What others should know of it.}\n"
        "instruction: |\n  ${3:You help the user.}",
        "An agent with a model: name, description, instruction.",
    ),
    Template(
        "sequential agent",
        "agent_class: SequentialAgent\nname: ${1:pipeline}\nsub_agents:\n"
        "  - name: ${2:first_step}\n    instruction: ${3:Do the first part.}\n    output_key: ${4:first_result}\n"
        "  - name: ${5:second_step}\n    instruction: ${6:Go on from there.}",
        "Steps that run one after another; each reads what the one before it wrote.",
    ),
    Template(
        "parallel agent",
        "agent_class: ParallelAgent\nname: ${1:survey}\nsub_agents:\n"
        "  - name: ${2:one_side}\n    instruction: ${3:Look at one side.}\n"
        "  - name: ${4:other_side}\n    instruction: ${5:Look at the other side.}",
        "Agents that run at the same time.",
    ),
    Template(
        "loop agent",
        "agent_class: LoopAgent\nname: ${1:refiner}\nmax_iterations: ${2:3}\nsub_agents:\n"
        "  - name: ${3:improver}\n    instruction: ${4:Improve the draft.}\n    tools:\n      - name: exit_loop",
        "Steps that run again and again, until `exit_loop` is called or the rounds are over.",
    ),
)

MARKDOWN = Template(
    "agent",
    "---\nagent_class: LlmAgent\nname: ${1:assistant}\ndescription: ${2:What others should know of it.}\n---\n\n"
    "${3:You help the user.}\n",
    "An agent in Markdown: front matter, and the instruction below it.",
)
"""A whole file."""

_TOOLS = (
    Template(
        "declared tool",
        "name: ${1:find_order}\ndescription: ${2:Looks an order up.}\nparameters:\n  type: object\n  properties:\n"
        "    ${3:number}: {type: ${4:string}}\n  required: [${3:number}]\nfunction: ${5:my_app.tools.find_order}",
        "A tool that is declared here, with the function that it calls.",
    ),
)

_COMPRESSORS = (
    Template("truncate", "strategy: truncate\nmax_messages: ${1:20}", "Keeps the last messages."),
    Template("sliding_window", "strategy: sliding_window\ninvocations: ${1:5}", "Keeps the last turns of the user."),
    Template(
        "summarize",
        "strategy: summarize\nkeep_recent: ${1:10}\nthreshold: ${2:20}",
        "Keeps a summary, and the last messages word for word.",
    ),
    Template(
        "token_budget",
        "strategy: token_budget\ntoken_budget: ${1:8000}\nkeep_recent: ${2:2}",
        "Keeps what fits into a number of tokens.",
    ),
)

_STEPS = (
    Template("say", 'say: "${1:Hello.}"', "Answers with a text."),
    Template("call", "call:\n  ${1:tool_name}: {${2:argument}: ${3:value}}", "Calls a tool."),
    Template("on … say", 'on: ${1:word}\nsay: "${2:Hello.}"', "Answers when the user says something."),
)

TEMPLATES: Mapping[str, tuple[Template, ...]] = {
    "agent": _AGENTS,
    "declared tool": _TOOLS,
    "compressor": _COMPRESSORS,
    "step": _STEPS,
}
"""By what the table of keys calls the mapping (`Fields.what`); those of an agent by `agent`."""


def plain(text: str) -> str:
    """A template without its tab stops."""
    return _STOP.sub(lambda match: match[1] or "", text)


def below(text: str, column: int, end: str) -> str:
    """The text with every line but the first indented to `column`, and with these line ends."""
    return text.replace("\n", end + " " * column)
