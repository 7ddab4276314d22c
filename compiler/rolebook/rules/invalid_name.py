"""An agent's name that is no identifier, or is `user`.

## Why
Names become branches, tool arguments and authors of events. Hyphens, blanks and a leading digit break them, and `user`
is the person who talks to the agent.

## Example
```yaml
name: news-desk
instruction: Summarize current news.
```

## Instead
```yaml
name: news_desk
instruction: Summarize current news.
```
"""

from __future__ import annotations

from rolebook.problem import Severity
from rolebook.rules.rule import Rule, from_validation

rule = Rule("invalid-name", Severity.ERROR, from_validation)
