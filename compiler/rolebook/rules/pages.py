"""The pages of the rules in `docs/rules`, made from their docstrings: `python -m rolebook.rules.pages docs/rules`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from rolebook.rules import all_rules
from rolebook.rules.rule import GROUPS, Rule

_INTRODUCTION = """\
# Rules

What `rolebook check` and the editor look for. A rule's severity is its usual one; some problems are told at another, as
the page of the rule says. `rolebook explain RULE` prints a page. A rule is set to another severity, or turned off, by
its name under `[rules]` in `rolebook.toml`, and `# rolebook: ignore[RULE]` silences it at one place.
"""


def page(rule: Rule) -> str:
    """The page of a rule in Markdown, without a line end at its end."""
    return f"# {rule.name} ({rule.severity.label})\n\n{rule.page}"


def pages() -> dict[str, str]:
    """All pages by the names of their files, the index among them."""
    rules = all_rules()
    return {"README.md": _index(rules), **{f"{name}.md": f"{page(rule)}\n" for name, rule in rules.items()}}


def _index(rules: dict[str, Rule]) -> str:
    """The page that lists all rules by group, and in it by severity."""
    return "\n".join([_INTRODUCTION, *(line for group in GROUPS for line in _group(group, rules))])


def _group(group: str, rules: dict[str, Rule]) -> Iterator[str]:
    members = sorted((rule for rule in rules.values() if rule.group == group), key=lambda r: (r.severity, r.name))
    if members:
        yield f"## {group}\n"
        yield "| rule | severity | finds |\n| --- | --- | --- |"
        for rule in members:
            yield f"| [{rule.name}]({rule.name}.md) | {rule.severity.label} | {_cell(rule.page)} |"
        yield ""


def _cell(text: str) -> str:
    return text.partition("\n")[0].rstrip(":").replace("|", "\\|")


def redraw(folder: str) -> None:
    """Writes the pages to `folder`, and takes away those of rules that are no more."""
    made = pages()
    os.makedirs(folder, exist_ok=True)
    for name in set(os.listdir(folder)) - made.keys():
        if name.endswith(".md"):
            os.unlink(os.path.join(folder, name))
    for name, text in made.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8", newline="\n") as file:
            file.write(text)


if __name__ == "__main__":
    redraw(sys.argv[1] if len(sys.argv) > 1 else os.path.join("docs", "rules"))
