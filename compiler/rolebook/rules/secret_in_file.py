"""A key, token or password that is written into a definition or into `rolebook.toml`.

What counts are keys in the form that a provider gives them, private keys, tokens after `Bearer`, passwords in URLs, and
values under names such as `api_key` and `password` in the arguments and headers of a tool. Placeholders
(`YOUR_API_KEY`, `sk-...`, `${TOKEN}`) don't.

## Why
Definitions are shared and committed. A secret that has been is to be taken for known; revoke it. Rolebook takes keys
from the environment or a `.env` beside the definition, and a tool's function can do the same.

## Example
```yaml
name: helper
instruction: Answer.
tools:
  - name: shop.tools.Orders
    args:
      password: kT7mQ2vX9
```

## Instead
```yaml
name: helper
instruction: Answer.
tools:
  - name: shop.tools.Orders
    args:
      password: ${SHOP_PASSWORD}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from rolebook.definition.agent import Agent
from rolebook.problem import Problem, Severity
from rolebook.project.snapshot import Snapshot
from rolebook.rules.rule import Rule, Subject
from rolebook.rules.secrets import Secret, named_secret, secrets_in
from rolebook.syntax.yaml import Mapping, Node, Scalar, Sequence
from rolebook.text import Span


def check(rule: Rule, subject: Subject) -> Iterator[Problem]:
    found = list(secrets_in(subject.source.text.source))
    for agent in subject.source.agents:
        found += [secret for node in _given(agent) for secret in _below(node)]
    told: list[Span] = []
    for secret in found:
        if all(secret.span.end <= span.start or span.end <= secret.span.start for span in told):
            told.append(secret.span)
            yield rule.problem(subject, secret.span, secret.message)


def check_config(snapshot: Snapshot, path: str) -> Iterator[Problem]:
    """The problems of a `rolebook.toml`; a `pyproject.toml` is mostly about other things."""
    text = snapshot.read(path)
    for secret in secrets_in(text) if isinstance(text, str) and path.endswith("rolebook.toml") else ():
        yield Problem(rule.name, rule.severity, path, secret.span, secret.message)


def _given(agent: Agent) -> Iterator[Node]:
    """What an agent gives to Python code and to the HTTP client, where secrets go by their names."""
    for name, entry in agent.entries.items():
        if name == "generate_content_config" and isinstance(entry.value, Mapping):
            for option in ("http_options", "httpOptions"):
                if (http := entry.value.get(option)) is not None:
                    yield http.value
        items = entry.value.items if isinstance(entry.value, Sequence) else (entry.value,)
        for item in items if name != "state" else ():
            args = item.get("args") if isinstance(item, Mapping) else None
            if args is not None:
                yield args.value


def _below(root: Node) -> Iterator[Secret]:
    """The secrets below a node by the names of their keys. Aliases share nodes, so each is looked at once."""
    pending, seen = [root], {id(root)}
    for node in pending:
        for name, value in _named(node):
            if isinstance(value, Scalar) and isinstance(value.value, str):
                secret = named_secret(name, value.text.text, value.span)
                if secret is not None:
                    yield secret
        below = [entry.value for entry in node.entries] if isinstance(node, Mapping) else []
        for child in node.items if isinstance(node, Sequence) else below:
            if id(child) not in seen:
                seen.add(id(child))
                pending.append(child)


def _named(node: Node) -> Iterator[tuple[str, Node]]:
    """The values in a mapping by their names; `{name: …, value: …}` is how google-adk writes an argument."""
    if not isinstance(node, Mapping):
        return
    name, value = node.get("name"), node.get("value")
    if name is not None and value is not None and isinstance(name.value, Scalar):
        yield name.value.text.text, value.value
    for entry in node.entries:
        yield entry.name or "", entry.value


rule = Rule("secret-in-file", Severity.WARNING, check, group="Models and tools")
