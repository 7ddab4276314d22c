"""Twenty kinds of mistakes in one definition are twenty problems, each on its own span, and none hides another."""

from __future__ import annotations

import re

from build import ROOT, snapshot

from rolebook.rules import check_file

# «…» encloses what is to be marked, and the comment at the end of its line names the rule.
MARKED = """\
name: «help-desk»                            # invalid-name
model: gemini-3.5-flash
«instructoin»: Help.                         # unknown-key
description: «no»                            # wrong-type: YAML reads a boolean
instruction: «{user_name}»                   # wrong-type: YAML reads a mapping
identity: «[draft] of a text»                # syntax-error
include_contents: «all»                      # wrong-value: none of the known words
«include_contents»: none                     # duplicate-key
«max_iterations»: 3                          # misplaced-key: it belongs to another class
output_schema:
  type: object
  properties:
    city: {type: «str»}                      # invalid-schema: no JSON type
  required: [«town»]                         # invalid-schema: no property
tools:
  - «google_search»                          # wrong-type: a text in place of a mapping
  - name: get_weather
    «parameters»: {type: object}             # missing-key: nothing to call
context_compressor:
  strategy: «token_budget»                   # missing-key: a strategy without its option
  «max_messages»: 3                          # misplaced-key: an option of another strategy
generate_content_config:
  top_p: «2»                                 # wrong-value: out of range
state:
  plan: {type: string, sample: «5»}          # wrong-type: not what `type` says
rehearsal:
  - say: Hello.
    «transfer»: news                         # wrong-value: two things at once
sub_agents:
  - config_path: «gone.yaml»                 # missing-file
  - name: news
    description: News.
    instruction: Ask {«nobody»} first.       # unresolved-placeholder
  - name: «news»                             # duplicate-agent-name
    description: More news.
    instruction: Help.
"""


def test_twenty_mistakes() -> None:
    source, marks = unmarked(MARKED)
    problems = check_file(snapshot({"root_agent.yaml": source}), f"{ROOT}/root_agent.yaml")
    assert [(problem.rule, problem.span.start, source[slice(*problem.span)]) for problem in problems] == marks
    assert len(marks) == 20


def unmarked(drawn: str) -> tuple[str, list[tuple[str, int, str]]]:
    """The text without marks and comments, and for each mark the rule, the offset and what it encloses."""
    source, marks = "", []
    for line in drawn.splitlines():
        code, _, comment = line.partition("  # ")
        mark = re.search("«(.*)»", code)
        if mark is not None:
            marks.append((comment.partition(":")[0].strip(), len(source) + mark.start(), mark[1]))
        source += f"{code.rstrip().replace('«', '').replace('»', '')}\n"
    return source, marks
