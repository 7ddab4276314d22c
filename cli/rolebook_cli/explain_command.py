"""`rolebook explain RULE`: the page of a rule."""

from __future__ import annotations

import argparse

from rolebook.definition.names import did_you_mean
from rolebook.rules import all_rules
from rolebook.rules.pages import page
from rolebook_cli.output import Failure


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("rule", nargs="?", metavar="RULE", help="a rule's name; without one, all are listed")


def run(args: argparse.Namespace) -> int:
    rules = all_rules()
    if args.rule is None:
        width = max(map(len, rules))
        for rule in rules.values():
            print(f"{rule.name:<{width}}  {rule.severity.label:<7}  {rule.page.splitlines()[0]}")
        return 0
    if args.rule not in rules:
        raise Failure(f"there is no rule `{args.rule}`{did_you_mean(args.rule, rules)}")
    print(page(rules[args.rule]))
    return 0
